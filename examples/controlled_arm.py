"""A three-link arm carries a load to another place and puts it down.

A column that turns, an upper arm and a forearm follow smooth steps under PID control; the forearm
holds a load. The controllers know nothing of gravity, so the arm sags at the start until their
integral parts carry the weight. The run ends when the load has come down to 0.15 m above the floor.

Shown here: PID controllers, signals, an event that stops the run, efforts, the energy audit.

    python examples/controlled_arm.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import supple as sp

HEIGHT, UPPER, FORE = 0.45, 0.50, 0.45  # m
COLOURS = {"yaw": "#2f6fb0", "shoulder": "#d9822b", "elbow": "#2a9d74"}
INK = "#333333"


def rod(name: str, mass: float, length: float) -> sp.RigidBody:
    """Return a round rod of 60 mm along x, from its origin to ``length`` (m)."""
    radius = 0.03
    across = mass * (length**2 / 12 + radius**2 / 4)
    return sp.RigidBody(
        name, mass, com=(length / 2, 0, 0), inertia=(mass * radius**2 / 2, across, across)
    )


def build() -> tuple[sp.Model, sp.Event]:
    """Return the model and the event that ends the run."""
    m = sp.Model(gravity=(0, 0, -9.81), name="controlled arm")
    column = m.add(sp.RigidBody("column", 6.0, com=(0, 0, 0.2), inertia=(0.1, 0.1, 0.05)))
    upper = m.add(rod("upper", 3.0, UPPER))
    fore = m.add(rod("fore", 1.8, FORE))
    load = m.add(sp.PointMass("load", fore.at(FORE), mass=1.0))

    # Positive angles of shoulder and elbow lift the link.
    m.add(sp.Revolute("yaw", m.ground.at(0), column.at(0), axis="z", initial=-0.8))
    m.add(sp.Revolute("shoulder", column.at(0, 0, HEIGHT), upper.at(0), axis="-y", initial=0.2))
    m.add(sp.Revolute("elbow", upper.at(UPPER), fore.at(0), axis="-y", initial=-0.9))

    # Up and down again: signals can be called, so a sum of two becomes a smooth table.
    times = np.linspace(0.5, 3.5, 61)
    up, down = sp.SmoothStep(0.5, 1.7, 0.2, 1.1), sp.SmoothStep(1.8, 3.5, 0.0, -1.0)
    targets = {
        "yaw": sp.SmoothStep(0.8, 2.4, before=-0.8, after=1.4),
        "shoulder": sp.Table(times, up(times) + down(times), interpolation="cubic"),
        "elbow": sp.SmoothStep(1.8, 3.5, before=-0.9, after=-1.2),
    }
    for joint, target in targets.items():
        m.add(sp.PID(f"{joint} motor", joint, kp=400, ki=500, kd=60, target=target))
        m.add(sp.JointSpring(f"{joint} bearing", joint, damping=0.5))
    return m, sp.Event("put down", load.frame, "z", value=0.15, direction=-1)


def draw(result: sp.results.Result, path: Path) -> None:
    """Draw postures and path of the arm, angles with their targets, efforts and energies."""
    from matplotlib.figure import Figure

    t = result.t
    figure = Figure(figsize=(11, 6.4), layout="constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=(1.1, 1))
    space = figure.add_subplot(grid[:, 0], projection="3d")
    elbow, tip = result["upper"].at(UPPER).position, result["load"].position
    shades = np.linspace(0.15, 1.0, 9)
    for k, shade in zip(np.linspace(0, len(t) - 1, 9).astype(int), shades, strict=True):
        arm = np.array([[0, 0, 0], [0, 0, HEIGHT], elbow[k], tip[k]])
        space.plot(*arm.T, color="#2f6fb0", lw=3.5, alpha=shade, solid_capstyle="round")
        space.plot(*tip[k], "o", color="#b5477f", ms=7, alpha=shade)
    space.plot(*tip.T, color="#b5477f", lw=1.2, label="path of the load")
    space.plot(tip[:, 0], tip[:, 1], 0 * t, color="#bbbbbb", lw=1.0, label="its shadow")
    space.set(xlabel="x (m)", ylabel="y (m)", zlim=(0, 1.2))
    space.set_zlabel("z (m)", labelpad=-4)
    space.set_aspect("equal")
    space.locator_params(nbins=4)
    space.view_init(elev=22, azim=-66)
    space.legend(loc="upper left", bbox_to_anchor=(0.0, 0.93), frameon=False, fontsize=9)

    angles, efforts, energies = (figure.add_subplot(grid[i, 1]) for i in range(3))
    for joint, colour in COLOURS.items():
        target = result.forces[f"{joint} motor"].target(t)
        angles.plot(t, result[joint].angle, color=colour, label=joint)
        angles.plot(t, target, color=INK, lw=0.9, ls=(0, (3, 2)))
        efforts.plot(t, result[joint].effort[:, 0], color=colour, label=joint)
    angles.plot([], [], color=INK, lw=0.9, ls=(0, (3, 2)), label="target")
    angles.set_ylabel("angle (rad)")
    efforts.set_ylabel("effort (N m)")
    energy = result.energy
    energies.plot(t, energy.total - energy.total[0], color="#2f6fb0", label="energy gained")
    energies.plot(t, energy.work, color="#d9822b", label="work of the motors")
    energies.plot(t, energy.dissipated, color="#2a9d74", label="lost in bearings")
    energies.set(ylabel="energy (J)", xlabel="time (s)")
    for ax in (angles, efforts, energies):
        ax.grid(color="#dddddd", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlim(t[0], t[-1])
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    figure.suptitle(
        f"{result.model.name}: {result.message}\n{result.energy.verdict}",
        x=0.01, ha="left", size=10, color=INK,
    )  # fmt: skip
    figure.savefig(path, dpi=130)


def main(out: str | Path = "build/examples") -> sp.results.Result:
    """Run the example and write ``controlled_arm.png`` into the folder ``out``."""
    model, down = build()
    result = sp.simulate(model, 6.0, events=[down], output=0.005)
    print(result)
    for joint in COLOURS:
        error = result[joint].angle[-1] - result.forces[f"{joint} motor"].target(result.t[-1])
        print(f"  {joint:<9} {result[joint].angle[-1]:+.4f} rad, off its target by {error:+.1e}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(result, folder / "controlled_arm.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
