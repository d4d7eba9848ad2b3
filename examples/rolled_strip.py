"""A strip of spring steel is rolled up to a circle by a moment at its end; another one swings.

The circle takes one step of Newton's method from the straight strip: what a part of the strip
resists with is linear in its own deformation, however far it has turned. The pendulum is a soft
strip that falls from the horizontal; its ends turn against each other by nearly a right angle.

Shown here: beams cut into parts, statics with large rotations, a run of a soft body, the monitor.

    python examples/rolled_strip.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import supple as sp

LENGTH = 1.0  # m
STEEL = sp.Material(E=210e9, G=80e9, density=7800)
THIN = sp.Rectangle(0.5e-3, 0.02)
RUBBER = sp.Material(E=32e6, G=11e6, density=1100)
T_END = 0.9  # s
BLUE, ORANGE, INK = "#2f6fb0", "#d9822b", "#333333"


def strip(turns: float) -> sp.Model:
    """A clamped strip with the moment at its end that bends it to so many circles."""
    m = sp.Model(name="strip")
    band = m.add(sp.Beam("band", LENGTH, THIN, STEEL, parts=16))
    m.add(sp.Fixed("clamp", m.ground.at(0), band.at(0)))
    moment = 2.0 * np.pi * turns * STEEL.E * THIN.I_z / LENGTH
    m.add(sp.Force("moment", band.at(LENGTH), torque=(0, 0, moment)))
    return m


def pendulum() -> sp.Model:
    """A strip of rubber on a hinge, held horizontally and let go."""
    m = sp.Model(gravity=(0, -9.81, 0), name="soft pendulum")
    rope = m.add(
        sp.Beam(
            "rope",
            LENGTH,
            sp.Rectangle(0.004, 0.02),
            RUBBER,
            parts=12,
            damping=sp.KelvinVoigt(E=1e4),
        )
    )
    m.add(sp.Revolute("hinge", m.ground.at(0), rope.at(0), axis="z"))
    return m


def line(result: sp.Result, name: str, index: int) -> np.ndarray:
    """Places (k, 2) of the axis at an output time, m."""
    stations = np.linspace(0.0, LENGTH, 61)
    return np.array([result[name].at(x).position[index, :2] for x in stations])


def draw(circles: list[sp.Result], result: sp.Result, path: Path) -> None:
    """Draw the strip on its way to a circle, and the pendulum at some times."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, found in enumerate(circles):
        colour = BLUE if k == len(circles) - 1 else "#9bbbd9"
        left.plot(*line(found, "band", 0).T, color=colour, lw=1.5)
    left.set_title("a moment at the end", loc="left", size=10)
    shown = np.linspace(0, len(result.t) - 1, 10).astype(int)
    for k, index in enumerate(shown):
        right.plot(*line(result, "rope", index).T, color=ORANGE, lw=1.5, alpha=0.25 + 0.075 * k)
    right.set_title(f"soft pendulum, every {result.t[shown[1]]:.2g} s", loc="left", size=10)
    for panel in (left, right):
        panel.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
        panel.grid(color="#dddddd", lw=0.6)
        panel.spines[["top", "right"]].set_visible(False)
    title = f"{result.model.name}: {result.message}\n{result.energy.verdict}"
    figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
    figure.savefig(path, dpi=130)


def main(out: str | Path = "build/examples") -> sp.Result:
    """Run the example and write ``rolled_strip.png`` into the folder ``out``."""
    circles = [sp.statics(strip(turns)) for turns in (0.0, 0.25, 0.5, 0.75, 1.0)]
    gap = np.linalg.norm(circles[-1]["band"].at(LENGTH).position[0])
    print(f"a full circle: {circles[-1].iterations} step, its ends {gap:.1e} m apart")
    result = sp.simulate(pendulum(), T_END, output=180, tolerance="loose")
    print(result)
    turned = np.abs(result["rope"].at(LENGTH).rotation[:, 2]).max()
    print(f"  its end turns by up to {np.degrees(turned):.0f} degrees against its beginning")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(circles, result, folder / "rolled_strip.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
