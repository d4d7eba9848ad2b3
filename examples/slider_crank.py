"""A slider-crank runs up to speed; its connecting rod is slender and bends.

A motor brings the crank from rest to 900 turns a minute in a given motion. The rod is a steel bar
of 8 mm by 8 mm, hinged to the crank and, by a ball joint that closes the loop, to the slider. Its
own weight lets it vibrate at the start, with 116 Hz and a damping of 2 percent; at speed its
inertia bends it by more than a millimetre, outwards where the crank pin is at the top. The force
on the guide is 2 percent larger than with a rigid rod.

Shown here: a closed loop with a flexible body, a driven joint, the work of the drive in the energy
audit, the loop opened at another joint (a branch tree) with the same result.

    python examples/slider_crank.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import supple as sp

CRANK, ROD = 0.1, 0.4  # m
SPEED = 30.0 * np.pi  # rad/s
RISE = 0.04  # s, of the run-up
T_END = 0.5  # s
SIDE = 0.008  # m
STEEL = sp.Material(E=206e9, G=79e9, density=7850)
BLUE, ORANGE, GREEN, INK = "#2f6fb0", "#d9822b", "#2a9d74", "#333333"
# Angle of the crank: its rate SPEED (1 - (1 + t/RISE) exp(-t/RISE)) starts without a jump.
MOTION = f"{SPEED!r}*(t - {2 * RISE!r} + (t + {2 * RISE!r})*exp(-t/{RISE!r}))"


def build(flexible: bool = True) -> sp.Model:
    """Return the machine at rest, crank and rod in line along x."""
    m = sp.Model(gravity=(0, -9.81, 0), name="slider-crank")
    crank = m.add(sp.RigidBody("crank", 0.8, com=(0.03, 0, 0), inertia=(1e-4, 1e-3, 1e-3)))
    first = (np.pi / ROD) ** 2 * SIDE * np.sqrt(STEEL.E / STEEL.density / 12)  # rad/s, on pins
    rod = m.add(
        sp.Beam(
            "rod",
            ROD,
            sp.Rectangle(SIDE, SIDE),
            STEEL,
            modes=sp.reduction.SineShapes(3, planes=("y",)) if flexible else 0,
            reference="chord",
            damping=sp.Rayleigh(stiffness=2 * 0.02 / first) if flexible else None,
        )
    )
    slider = m.add(sp.RigidBody("slider", 0.3, inertia=1e-4))
    m.add(sp.Revolute("bearing", m.ground.at(0), crank.at(0), axis="z"))
    m.add(sp.Revolute("crank pin", crank.at(CRANK), rod.at(0), axis="z"))
    m.add(sp.Prismatic("guide", m.ground.at(0), slider.at(0), axis="x", initial=CRANK + ROD))
    m.add(sp.Spherical("slider pin", slider.at(0), rod.at(ROD)))
    m.add(sp.Driver("motor", "bearing", motion=MOTION))
    return m


def middle(result: sp.results.Result) -> np.ndarray:
    """Deflection (nt,) of the middle of the rod across the line of its ends, m."""
    deflection: np.ndarray = result["rod"].at(ROD / 2).deflection[:, 1]
    return deflection


def side_force(result: sp.results.Result) -> np.ndarray:
    """Force (nt,) of the guide on the slider, along y, N."""
    force: np.ndarray = result["guide"].reaction[:, 4]
    return force


def draw_machine(ax, result: sp.results.Result, magnify: float) -> None:
    """Draw crank and bent rod at six angles of the last turn, the deflection magnified."""
    angle = result["bearing"].angle
    last = np.flatnonzero(angle > angle[-1] - 2 * np.pi)
    stations = np.linspace(0.0, ROD, 25)
    paths = np.stack([result["rod"].at(float(x)).position for x in stations], axis=1)
    for part in np.linspace(0.0, 5.0 / 6.0, 6):
        k = last[int(part * len(last))]
        start, end = paths[k, 0], paths[k, -1]
        straight = start + (end - start) * (stations / ROD)[:, None]
        bent = straight + magnify * (paths[k] - straight)
        shade = 0.35 + 0.65 * part
        ax.plot([0, start[0]], [0, start[1]], color=INK, lw=3, alpha=shade, solid_capstyle="round")
        ax.plot(straight[:, 0], straight[:, 1], color=INK, lw=0.6, ls=":", alpha=shade)
        ax.plot(bent[:, 0], bent[:, 1], color=BLUE, lw=1.8, alpha=shade)
        ax.plot(end[0], end[1], "s", ms=8, mfc="white", mec=ORANGE, alpha=shade)
    ax.plot(0, 0, "o", ms=6, color=INK)
    ax.axhline(0, color="#cccccc", lw=0.8, zorder=0)
    ax.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
    ax.set_title(f"six positions of the last turn, deflection x {magnify:g}", loc="left", size=10)


def draw(result: sp.results.Result, rigid: sp.results.Result, path: Path) -> None:
    """Draw the machine, the rod's deflection, the drive's power and the force on the slider."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.6), layout="constrained")
    (machine, bending), (power, force) = figure.subplots(2, 2)
    draw_machine(machine, result, 30.0)
    t = result.t
    bending.plot(t, 1e3 * middle(result), color=BLUE, lw=1.0)
    bending.set(xlabel="time (s)", ylabel="deflection of the middle (mm)")
    power.plot(t, result["motor"].power / 1e3, color=GREEN, lw=1.0)
    power.set(xlabel="time (s)", ylabel="power of the motor (kW)")
    shown = t > T_END - 2 * 2 * np.pi / SPEED
    turns = (result["bearing"].angle[shown] - result["bearing"].angle[-1]) / (2 * np.pi)
    force.plot(turns, side_force(result)[shown], color=ORANGE, label="flexible rod")
    force.plot(turns, side_force(rigid)[shown], color=INK, lw=1.0, ls="--", label="rigid rod")
    force.set(xlabel="turns of the crank before the end", ylabel="guide on slider, along y (N)")
    force.legend(frameon=False, fontsize=9)
    for ax in (bending, power, force):
        ax.grid(color="#dddddd", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    title = f"{result.model.name}: {result.message}\n{result.energy.verdict}"
    figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
    figure.savefig(path, dpi=130)


def main(out: str | Path = "build/examples") -> sp.results.Result:
    """Run the example and write ``slider_crank.png`` into the folder ``out``."""
    model = build()
    result = sp.simulate(model, T_END, output=2000)
    print(result)
    rigid = sp.simulate(build(flexible=False), T_END, output=2000)
    # The same machine with its loop opened at the crank pin: the rod hangs on the slider.
    branch = sp.Branch(tree=["bearing", "guide", "slider pin"])
    other = sp.simulate(model, T_END, output=2000, formulation=branch)
    largest, apart = (
        1e3 * np.abs(y).max() for y in (middle(result), middle(result) - middle(other))
    )
    print(f"  bending   {largest:.3f} mm, in the other tree different by {apart:.0e} mm")
    print(f"  motor     {result['motor'].work[-1]:.2f} J done by the end")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(result, rigid, folder / "slider_crank.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
