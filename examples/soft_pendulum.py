"""A soft bar falls as a pendulum and bends far: one beam in ten parts.

A square bar of 2 m and 8 mm, of polyurethane, hangs on a hinge at one end and is let go from the
horizontal. While it falls it bends by more than a radian, and whips back at the bottom. A body of
linear shapes is right for small rotations only: here the beam is cut into parts, each a finite
element that deforms against its own chord, so that the bar may bend as far as it likes. It stays
one beam with one name.

Shown here: ``parts=``, stations of a beam in large deflection, section forces, the monitor, and a
check with twice as many parts.

    python examples/soft_pendulum.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import supple as sp

LENGTH, SIDE = 2.0, 0.008  # m
SOFT = sp.Material(E=6e7, G=2e7, density=1000.0)
T_END = 1.0  # s
BLUE, ORANGE, INK = "#2f6fb0", "#d9822b", "#333333"


def build(parts: int = 10) -> sp.Model:
    """Return the bar, straight and horizontal, on its hinge."""
    m = sp.Model(gravity=(0, -9.81, 0), name="soft pendulum")
    options = {"damping": sp.KelvinVoigt(1.2e4), "rotary_inertia": False}  # Pa s; it is slender
    bar = m.add(sp.Beam("bar", LENGTH, sp.Rectangle(SIDE, SIDE), SOFT, parts=parts, **options))
    m.add(sp.Revolute("hinge", m.ground.at(0), bar.at(0), axis="z"))
    return m


def draw(result: sp.results.Result, path: Path) -> None:
    """Draw the bar at some instants, the path of its tip, and the moment in its middle."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    stations = np.linspace(0.0, LENGTH, 41)
    line = np.stack([result["bar"].at(float(x)).position for x in stations], axis=1)  # (nt, 41, 3)
    every = range(0, len(result.t), (len(result.t) - 1) // 20)
    for k in every:
        shade = 0.25 + 0.75 * k / (len(result.t) - 1)
        left.plot(line[k, :, 0], line[k, :, 1], color=BLUE, alpha=shade, lw=1.6)
    left.plot(line[:, -1, 0], line[:, -1, 1], color=ORANGE, lw=1.0, label="path of the tip")
    left.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
    left.legend(frameon=False, fontsize=9, loc="lower right")
    middle = result["bar"].at(LENGTH / 2).section_forces("balance").Mz
    right.plot(result.t, middle, color=BLUE)
    right.set(xlabel="time (s)", ylabel="bending moment in the middle (N m)")
    for ax in (left, right):
        ax.grid(color="#dddddd", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    title = f"{result.model.name}: {result.message}\n{result.energy.verdict}"
    figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
    figure.savefig(path, dpi=130)


def main(out: str | Path = "build/examples") -> sp.results.Result:
    """Run the example and write ``soft_pendulum.png`` into the folder ``out``."""
    result = sp.simulate(build(), T_END, output=200)
    print(result)
    finer = sp.simulate(build(14), T_END, output=200)
    tips = [r["bar"].at(LENGTH).position for r in (result, finer)]
    apart = float(np.linalg.norm(tips[0] - tips[1], axis=1).max())
    print(f"  parts     with 14 instead of 10 the tip moves by at most {1e3 * apart:.2g} mm")
    bend = float(np.abs(result["bar"].at(LENGTH).rotation[:, 2]).max())
    print(f"  bending   up to {bend:.2g} rad between its ends; {result.monitor.verdict}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(result, folder / "soft_pendulum.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
