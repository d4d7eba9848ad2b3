"""Models with tyres: wheels in space over roads that move, single wheels, cars with one track."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import supple as sp
from models.plain_models import WAVES
from models.random_contacts import pose_of, poses_of

G = 9.81
# Laws by what their patch does where the wheel of ``over_road`` is, at its start
# A car tyre, in the range of the tables of Pacejka 2012, appendix 3
CAR = {
    "PCX1": 1.65, "PDX1": 1.2, "PDX2": -0.08, "PEX1": 0.1, "PEX2": 0.2, "PEX3": -0.1,
    "PKX1": 21.0, "PKX2": -0.2, "PKX3": 0.2, "PHX1": -1e-3, "PHX2": 7e-4, "PVX1": 2e-3,
    "PVX2": 1e-3, "PCY1": 1.3, "PDY1": 1.0, "PDY2": -0.15, "PEY1": -0.9, "PEY2": -0.5,
    "PKY1": -16.0, "PKY2": 1.7, "PHY1": 3e-3, "PHY2": -1e-3, "PVY1": 0.03, "PVY2": -5e-3,
    "RBX1": 12.0, "RBX2": -9.0, "RCX1": 1.1, "RBY1": 7.0, "RBY2": 2.5, "RBY3": 0.02,
    "RCY1": 1.05, "QBZ1": 9.0, "QBZ2": -1.1, "QBZ3": 0.3, "QCZ1": 1.2, "QDZ1": 0.1, "QDZ2": -2e-3,
    "QEZ1": -1.6, "QEZ2": 0.4, "QEZ3": 0.1, "QHZ1": 2e-3, "QHZ2": 1e-3,
}  # fmt: skip
LAWS: dict[str, sp.forces.TyreLaw] = {
    "linear": sp.LinearTyre(3.0, 4.0, relaxation=(0.4, 0.7), trail=0.1, settling=0.03, turning=0.7),
    "linear with load": sp.LinearTyre(3.0, load=0.5, trail=0.1),
    "brush": sp.BrushTyre(3.0, mu=9.0, half_length=0.2, settling=0.03),
    "brush with load": sp.BrushTyre(3.0, mu=9.0, half_length=0.2, load=2.0, settling=0.03),
    "magic": sp.MagicFormula(1.2, CAR, relaxation=(0.3, 0.5), settling=0.03, turning=0.4),
    "brush that slides": sp.BrushTyre(9.0, mu=0.2, half_length=0.2, settling=0.03),
}


def wheel_shape(frame: sp.Frame, kind: str = "torus") -> sp.forces.Shape:
    """A wheel whose axle is the y axis of its frame."""
    if kind == "cylinder":
        return sp.Cylinder(frame, radius=0.4, length=0.2, axis="y", rounding=0.05)
    section = 0.0 if kind == "edge" else 0.1
    return sp.Torus(frame, radius=0.4 - section, section=section, axis="y")


def over_road(
    law: sp.forces.TyreLaw, kind: str = "torus", road: str = "plane", depth: float = 0.1, **more
) -> sp.Model:
    """A wheel and a body with a road, both in space, which overlap and move."""
    model = sp.Model(gravity=(0, 0, 0), name="over road")
    ground = model.add(sp.RigidBody("ground2", 0.7, (0, 0, 0.02), (0.02, 0.03, 0.04)))
    wheel = model.add(sp.RigidBody("wheel", 0.5, (0, 0.03, 0), (0.03, 0.02, 0.04)))
    rates = (0.1, 0.2, -0.3, 0.2, 0.1, 0.3), (0.3, 4.0, 0.1, 1.3, -0.4, -0.5)
    model.add(sp.Free("f1", model.ground.at(0), ground.at(0), initial_rate=rates[0]))
    height = 0.4 - depth
    place = ground.at(0.1, 0.2, height, rotation=(0.1, 0.05, 0.3))  # one tree, one momentum
    model.add(sp.Free("f2", place, wheel.at(0), initial_rate=rates[1]))
    shape: sp.forces.Shape = sp.Plane(ground.at(0))
    if road == "heights":
        shape = sp.HeightField(ground.at(-3, -3), WAVES, 1.0)
    push = {"stiffness": 8.0, "damping": 0.5} | more
    model.add(sp.Tyre("tyre", wheel_shape(wheel.at(0), kind), shape, law, **push))
    return model


def rolling(
    law: sp.forces.TyreLaw, speed: float = 10.0, *, spins: bool = True, mass: float = 20.0, **more
) -> sp.Model:
    """A wheel that rolls straight ahead on the ground, or one that is locked."""
    model = sp.Model(gravity=(0, 0, -G), name="rolling")
    inertia = (0.5, 0.9, 0.5)
    wheel = model.add(sp.RigidBody("wheel", mass, inertia=inertia))
    stiffness = 2e5
    height = 0.3 - mass * G / stiffness
    turn = (np.pi / 2, 0, 0)
    at, on = model.ground.at(0, 0, height, rotation=turn), wheel.at(0, rotation=turn)
    if spins:
        rate = speed / (0.3 - 0.5 * mass * G / stiffness)
        model.add(sp.Planar("track", at, on, initial_rate=(speed, 0, -rate)))
    else:
        ways = [("translate", "x"), ("translate", "y")]
        model.add(sp.General("track", at, on, ways, initial_rate=(speed, 0)))
    shape = sp.Torus(wheel.at(0), radius=0.25, section=0.05, axis="y")
    push = {"stiffness": stiffness, "damping": 100.0} | more
    model.add(sp.Tyre("tyre", shape, sp.Plane(model.ground.at(0)), law, **push))
    return model


def add_tyre(model: sp.Model, rng: np.random.Generator, gap: float, law: str) -> sp.Tyre | None:
    """A tyre between random rigid bodies of a model, with that gap (m) at the start."""
    poses = poses_of(model)
    rigid = [body for body in model.bodies.values() if isinstance(body, sp.RigidBody)]
    if len(rigid) < 2:
        return None
    one, other = (rigid[i] for i in rng.permutation(len(rigid))[:2])
    wheel = sp.Torus(
        other.at(*rng.normal(scale=0.2, size=3), rotation=rng.normal(size=3)),
        radius=rng.uniform(0.1, 0.4),
        section=rng.uniform(0.02, 0.08),
        axis=rng.normal(size=3),
        position=rng.normal(scale=0.1, size=3),
    )
    turn, place = pose_of(wheel.frame, poses)
    world = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    n = world[:, 2]
    flat = np.sqrt(1.0 - (n @ turn @ wheel.axis) ** 2)
    centre = place + turn @ wheel.position
    foot = centre - (wheel.radius * flat + wheel.section + gap) * n
    R, p = poses[one.name]
    road = sp.Plane(sp.Frame(one, R.T @ (foot + world[:, 0] * rng.normal() - p), R.T @ world))
    stiffness = 10.0 ** rng.uniform(4, 6)
    push = {"stiffness": stiffness, "damping": 1e-4 * stiffness}
    return model.add(sp.Tyre("tyre", wheel, road, LAWS[law], **push))
