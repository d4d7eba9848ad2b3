"""A thin blade is spun up beyond its lowest frequency: tension keeps it straight.

An aluminium plate of 500 mm by 60 mm by 1.5 mm, pitched by 60 degrees, sits on a hub that reaches
60 rad/s within three seconds. At rest its lowest frequency is 31 rad/s. A body of linear shapes
knows nothing of the tension in a spinning blade: in the plane of rotation it loses its stiffness
above 31 rad/s and runs away, and the monitor says so. With displacements of second order the same
modes lag behind while the hub gains speed, and stand up again.

Shown here: a body made of shell triangles with its modes, geometric stiffening, the monitor, the
stress of von Mises over time and over the blade.

    python examples/blade.py [folder for the picture]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import supple as sp
from supple.fem.shells.shell import plate

LENGTH, WIDTH, THICKNESS = 0.5, 0.06, 0.0015  # m
PITCH = np.pi / 3  # rad
SPEED, RISE = 60.0, 0.4  # rad/s, s
T_END, T_LINEAR = 3.0, 1.2  # s; without stiffening it runs away
ALUMINIUM = sp.Material(E=70e9, G=26.3e9, density=2700)
BLUE, ORANGE, INK = "#2f6fb0", "#d9822b", "#333333"
# Angle of the hub: its rate SPEED (1 - (1 + t/RISE) exp(-t/RISE)) starts without a jump.
MOTION = f"{SPEED!r}*(t - {2 * RISE!r} + (t + {2 * RISE!r})*exp(-t/{RISE!r}))"


def build(stiffening: str = "second_order") -> sp.Model:
    """Return the blade at rest on its hub."""
    mesh = plate(LENGTH, WIDTH, 10, 2, thickness=THICKNESS, material=ALUMINIUM)
    root = np.flatnonzero(mesh.nodes[:, 0] == 0.0)
    m = sp.Model(gravity=(0, 0, -9.81), name="blade")
    blade = m.add(
        sp.MeshBody(
            "blade",
            mesh,
            [sp.fem.Interface("root", (0, WIDTH / 2, 0), root)],
            modes=6,
            damping=sp.ModalDamping(0.01),
            stiffening=stiffening,
        )
    )
    hub = m.add(sp.RigidBody("hub", 2.0, inertia=(0.01, 0.01, 0.02)))
    m.add(sp.Revolute("axle", m.ground.at(0), hub.at(0), axis="z"))
    m.add(sp.Fixed("clamp", hub.at(0.05, rotation=(PITCH, 0, 0)), blade.at("root")))
    m.add(sp.Driver("motor", "axle", motion=MOTION))
    return m


def tip(result: sp.results.Result) -> np.ndarray:
    """Deflection (nt,) of a corner of the tip across the blade, m."""
    deflection: np.ndarray = result["blade"].at(LENGTH, 0.0).deflection[:, 2]
    return deflection


def draw(result: sp.results.Result, linear: sp.results.Result, path: Path) -> None:
    """Draw the tip's deflection, the largest stress over time, and where stress was largest."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.2), layout="constrained")
    panels = figure.subplot_mosaic([["tip", "stress"], ["blade", "blade"]], height_ratios=[3, 2])
    panels["tip"].plot(result.t, 1e3 * tip(result), color=BLUE, label="second order")
    panels["tip"].plot(linear.t, 1e3 * tip(linear), color=ORANGE, ls="--", label="no stiffening")
    low, high = 1e3 * tip(result).min(), 1e3 * tip(result).max()
    panels["tip"].set(
        xlabel="time (s)",
        ylabel="deflection of the tip (mm)",
        ylim=(low - (high - low), high + (high - low)),
    )
    panels["tip"].legend(frameon=False, fontsize=9)
    panels["stress"].plot(result.t, result["blade"].von_mises() / 1e6, color=BLUE)
    panels["stress"].set(xlabel="time (s)", ylabel="largest stress of von Mises (MPa)")
    envelope = result["blade"].stress_envelope()
    mesh = result.model.bodies["blade"].component
    each = np.zeros(len(mesh.triangles))  # the larger one of top and bottom of each triangle
    centres = mesh.nodes[mesh.triangles].mean(axis=1)
    nearest = np.argmin(np.linalg.norm(envelope.places[:, None] - centres, axis=2), axis=1)
    np.maximum.at(each, nearest, envelope.largest / 1e6)
    x, y = 1e3 * mesh.nodes[:, 0], 1e3 * mesh.nodes[:, 1]
    colours = panels["blade"].tripcolor(
        x, y, mesh.triangles, facecolors=each, cmap="viridis", edgecolors="white", lw=0.4
    )
    panels["blade"].set(aspect="equal", xlabel="x (mm)", ylabel="y (mm)")
    panels["blade"].set_title("largest stress of the run (MPa)", loc="left", size=10)
    figure.colorbar(colours, ax=panels["blade"], shrink=0.9)
    for name in ("tip", "stress"):
        panels[name].grid(color="#dddddd", lw=0.6)
        panels[name].spines[["top", "right"]].set_visible(False)
    title = f"{result.model.name}: {result.message}\n{result.energy.verdict}"
    figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
    figure.savefig(path, dpi=130)


def main(out: str | Path = "build/examples") -> sp.results.Result:
    """Run the example and write ``blade.png`` into the folder ``out``."""
    result = sp.simulate(build(), T_END, output=1000)
    print(result)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)  # what it says is printed below
        linear = sp.simulate(build("none"), T_LINEAR, output=400)
    print(f"  without stiffening: {linear.monitor.findings[0].sentence}")
    largest = result["blade"].largest_stress()
    print(f"  stress    {largest.value / 1e6:.0f} MPa at t = {largest.time:.2f} s")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(result, linear, folder / "blade.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
