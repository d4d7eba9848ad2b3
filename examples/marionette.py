"""A marionette walks: a tree with branches, a floating base, a ball joint and elastic strings.

A hand moves forward and rocks a bar. Cords from the bar lift the knees in turn, cords from the hand
carry the shoulders and the head. The puppet itself is joined to nothing: its torso floats (free
joint), and head, arms and legs branch off it. The cords are springs with damping; they are always
stretched here, because a spring of this kind would also push.

Shown here: branches, free and ball joints, universal joints, a joint written from the outer body to
the inner one, spring-dampers, the energy audit.

    python examples/marionette.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import supple as sp

SIDES = {"left": 1.0, "right": -1.0}
SHOULDER, HIP, NECK = np.array([0, 0.11, 0.27]), np.array([0, 0.07, 0]), np.array([0, 0, 0.30])
THIGH, SHIN, ARM, HEAD = 0.20, 0.20, 0.28, 0.14  # m
HAND = 1.15  # m, height of the hand above the pelvis at the start
T_END = 7.0  # s
BLUE, ORANGE, GREEN, PLUM, INK = "#2f6fb0", "#d9822b", "#2a9d74", "#b5477f", "#333333"


def limb(name: str, mass: float, length: float) -> sp.RigidBody:
    """Return a thin limb that hangs along -z from its origin."""
    across, along = mass * length**2 / 12, 2e-4 * mass
    return sp.RigidBody(name, mass, com=(0, 0, -length / 2), inertia=(across, across, along))


def build() -> sp.Model:
    """Return the hand with its bar, the puppet, and the cords between them."""
    m = sp.Model(gravity=(0, 0, -9.81), name="marionette")
    hand = m.add(sp.RigidBody("hand", 0.5, inertia=1e-3))
    bar = m.add(sp.RigidBody("bar", 0.2, inertia=(3e-3, 1e-4, 3e-3)))
    m.add(sp.Prismatic("walk", m.ground.at(0, 0, HAND), hand.at(0), axis="x"))
    m.add(sp.Revolute("rock", hand.at(0.16, 0, 0), bar.at(0), axis="x"))
    forward = sp.SmoothStep(0.5, 6.5, after=1.5)
    m.add(sp.PID("push", "walk", kp=2000, kd=100, target=forward))
    m.add(sp.PID("turn", "rock", kp=100, kd=2, target=sp.Sine(0.40, frequency=0.9)))

    torso = m.add(sp.RigidBody("torso", 0.6, com=(0, 0, 0.14), inertia=(5e-3, 4.5e-3, 2e-3)))
    head = m.add(sp.RigidBody("head", 0.15, com=(0, 0, 0.07), inertia=4e-4))
    m.add(sp.Free("floating", m.ground.at(0), torso.at(0)))
    m.add(sp.Spherical("neck", torso.at(*NECK), head.at(0), initial=(0, 0, 0.4)))
    _cord(m, "head cord", hand.at(0), head.at(0, 0, HEAD), load=2.0, stiffness=100.0)
    for side, s in SIDES.items():
        mirror = np.array([1.0, s, 1.0])
        arm = m.add(limb(f"{side} arm", 0.1, ARM))
        thigh = m.add(limb(f"{side} thigh", 0.15, THIGH))
        shin = m.add(limb(f"{side} shin", 0.10, SHIN))
        joint = m.add(sp.Universal(f"{side} shoulder", torso.at(*SHOULDER * mirror), arm.at(0)))
        m.add(sp.JointSpring(f"{side} shoulder pad", joint, damping=2e-3, coordinate="angle_2"))
        joint = m.add(sp.Universal(f"{side} hip", torso.at(*HIP * mirror), thigh.at(0)))
        m.add(sp.JointSpring(f"{side} hip pad", joint, damping=2e-2, coordinate="angle_1"))
        m.add(sp.JointSpring(f"{side} hip rub", joint, damping=1e-2, coordinate="angle_2"))
        # Written from the shin to the thigh: the angle is that of the thigh seen from the shin.
        joint = m.add(sp.Revolute(f"{side} knee", shin.at(0), thigh.at(0, 0, -THIGH), axis="y"))
        m.add(sp.JointSpring(f"{side} knee pad", joint, stiffness=0.02, damping=4e-3))
        above, place = hand.at(0, 0.14 * s, 0), torso.at(*SHOULDER * mirror)
        _cord(m, f"{side} cord", above, place, load=4.2, stiffness=300.0)
        end, knee = bar.at(0, 0.3 * s, 0), thigh.at(0, 0, -THIGH)
        _cord(m, f"{side} knee cord", end, knee, load=2.3, stiffness=12.0)
    return m


def _cord(m: sp.Model, name: str, A: sp.Frame, B: sp.Frame, load: float, stiffness: float) -> None:
    """Add a cord that pulls with ``load`` (N) in the starting posture."""
    from supple.formulations.transformation import body_poses

    poses = {"ground": (np.eye(3), np.zeros(3)), **body_poses(m)}
    ends = [poses[f.body.name][1] + poses[f.body.name][0] @ f.position for f in (A, B)]
    length = float(np.linalg.norm(ends[1] - ends[0])) - load / stiffness
    m.add(sp.SpringDamper(name, A, B, stiffness, damping=0.012 * stiffness, length=length))


def cord_tension(result: sp.results.Result, name: str) -> np.ndarray:
    """Return the pull of a cord's spring (nt,), N."""
    cord = result.forces[name]
    span = result[cord.B].position - result[cord.A].position
    return cord.stiffness * (np.linalg.norm(span, axis=1) - cord.length)


def draw(result: sp.results.Result, path: Path) -> None:
    """Draw the puppet at several times, the heights of its knees, and the energies."""
    from matplotlib.figure import Figure

    t = result.t
    figure = Figure(figsize=(11, 7.6), layout="constrained")
    grid = figure.add_gridspec(3, 1, height_ratios=(2.6, 1, 1))
    stage, knees, energies = (figure.add_subplot(grid[i]) for i in range(3))
    cords = [name for name in result.forces if name.endswith("cord")]

    def flat(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, y, z = np.asarray(points, dtype=float).T
        return x - 0.42 * y, z - 0.16 * y

    for k in np.searchsorted(t, np.linspace(0.0, T_END, 8)).clip(0, len(t) - 1):

        def at(body: str, x: float = 0, y: float = 0, z: float = 0, k: int = k) -> np.ndarray:
            return result[body].at(x, y, z).position[k]

        # Spread evenly instead of by the way that the hand has gone.
        shift = np.array([0.62 * t[k] - at("hand")[0], 0, 0])
        for name in cords:
            cord = result.forces[name]
            ends = np.array([result[f].position[k] for f in (cord.A, cord.B)]) + shift
            stage.plot(*flat(ends), color="#aaaaaa", lw=0.7)
        bar = np.array([at("bar", 0, -0.3, 0), at("bar", 0, 0.3, 0)]) + shift
        stage.plot(*flat(bar), color="#8c6d31", lw=3, solid_capstyle="round")
        top = np.array([at("hand", 0, -0.14, 0), at("hand", 0, 0.14, 0)]) + shift
        stage.plot(*flat(top), color="#8c6d31", lw=3, solid_capstyle="round")
        for side, colour in (("left", "#9dbfe0"), (None, BLUE), ("right", BLUE)):
            if side is None:
                corners = [(0, 0.06, 0), (0, 0.11, 0.27), (0, -0.11, 0.27), (0, -0.06, 0)]
                body = np.array([at("torso", *c) for c in corners]) + shift
                stage.fill(*flat(body), fc="#d9822b", ec=INK, lw=0.8, zorder=3)
                face = np.array([at("head", 0, 0, 0.07)]) + shift
                stage.plot(*flat(face), "o", ms=15, mfc="#f0c9a0", mec=INK, zorder=3)
                nose = np.array([at("head", 0, 0, 0.07), at("head", 0.075, 0, 0.07)]) + shift
                stage.plot(*flat(nose), color=INK, lw=1.5, zorder=4)
                continue
            z = 4 if side == "right" else 2
            leg = [at(f"{side} thigh", 0), at(f"{side} shin", 0), at(f"{side} shin", 0, 0, -SHIN)]
            arm = [at(f"{side} arm", 0), at(f"{side} arm", 0, 0, -ARM)]
            for line in (leg, arm):
                points = flat(np.array(line) + shift)
                stage.plot(*points, color=colour, lw=4.5, solid_capstyle="round", zorder=z)
    stage.set_aspect("equal")
    stage.axis("off")
    stage.set_title(f"every {T_END / 7:g} s, spread evenly", size=9, color=INK, loc="left")

    for side, colour in (("left", "#9dbfe0"), ("right", BLUE)):
        knees.plot(t, result[f"{side} shin"].position[:, 2], color=colour, label=f"{side} knee")
    knees.plot(t, result["torso"].position[:, 2], color=ORANGE, label="pelvis")
    knees.set_ylabel("height (m)")
    energy = result.energy
    energies.plot(t, energy.kinetic, color=BLUE, label="kinetic")
    energies.plot(t, energy.elastic, color=GREEN, label="in cords and pads")
    energies.plot(t, energy.work, color=ORANGE, label="work of the hand")
    energies.plot(t, energy.dissipated, color=PLUM, label="dissipated")
    energies.set(ylabel="energy (J)", xlabel="time (s)")
    for ax in (knees, energies):
        ax.grid(color="#dddddd", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlim(t[0], t[-1])
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    figure.suptitle(
        f"{result.model.name}\n{result.energy.verdict}", x=0.01, ha="left", size=10, color=INK
    )
    figure.savefig(path, dpi=130)


def main(out: str | Path = "build/examples") -> sp.results.Result:
    """Run the example and write ``marionette.png`` into the folder ``out``."""
    model = build()
    graph = model.graph()
    result = sp.simulate(model, T_END, output=0.01)
    print(result)
    pulls = {n: cord_tension(result, n) for n in result.forces if n.endswith("cord")}
    least = min(pulls, key=lambda n: pulls[n].min())
    print(f"  tree      {len(graph.order)} bodies, {result.data.compiled.nu} velocities")
    print(f"  least pull of a cord: {pulls[least].min():.2f} N in the {least}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(result, folder / "marionette.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
