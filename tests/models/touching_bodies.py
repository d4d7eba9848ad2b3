"""Models of all kinds of contacts, with touches within a tenth of a second."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import supple as sp
from models.kind_models import HILLS, meshing
from models.tyre_models import LAWS, wheel_shape

LAW = sp.HuntCrossley(0.8, 2.0, 1e6)
FLAT = sp.HuntCrossley(0.3, 0.1, 1e6, 1)
BRISTLE = sp.Friction((0.3, 0.1), static=0.5, rolling=1e-3, spinning=1e-3)


def thrown(
    shape: Callable[[sp.RigidBody], sp.forces.Shape],
    other: Callable[[sp.Model], sp.forces.Shape] = lambda m: sp.Plane(m.ground.at(0)),
    friction: sp.Friction | sp.RoundedFriction | None = BRISTLE,
    height: float = 0.12,
) -> sp.Model:
    """A body that falls on something and turns."""
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(sp.RigidBody("body", 1.0, inertia=(0.002, 0.003, 0.004)))
    rate = (0.3, 0.2, 5.0, 1.0, 0.2, -3.0)
    m.add(sp.Free("air", m.ground.at(0, 0, height), body.at(0), initial_rate=rate))
    m.add(sp.Contact("hit", shape(body), other(m), LAW, friction))
    return m


def bouncing_wheel(law: sp.forces.TyreLaw, road: str = "plane") -> sp.Model:
    """A wheel that falls on a road, turning."""
    m = sp.Model(gravity=(0, 0, -9.81))
    wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=(0.02, 0.03, 0.02)))
    rate = (0.1, 9.0, 0.2, 3.0, 0.2, -1.0)
    m.add(sp.Free("air", m.ground.at(0, 0, 0.44), wheel.at(0), initial_rate=rate))
    ground: sp.forces.Shape = sp.Plane(m.ground.at(0))
    if road == "heights":
        ground = sp.HeightField(m.ground.at(-3, -3), HILLS, 1.0)
    m.add(sp.Tyre("tyre", wheel_shape(wheel.at(0)), ground, law, stiffness=1e5, damping=30.0))
    return m


def to_and_fro() -> sp.Model:
    """A ball between two walls, which it hits some hundred times."""
    m = sp.Model(gravity=(0, 0, 0))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    m.add(sp.Prismatic("way", m.ground.at(0, 0, 0.06), ball.at(0), "z", initial_rate=100.0))
    hard = sp.HuntCrossley(1.0, 1.0, 1e8)
    for name, height, normal in (("floor", 0.0, "z"), ("roof", 0.12, "-z")):
        wall = sp.Plane(m.ground.at(0, 0, height), normal)
        m.add(sp.Contact(name, sp.Sphere(ball.at(0), radius=0.05), wall, hard))
    return m


def cam_drive() -> sp.Model:
    m = sp.Model(gravity=(0, 0, 0))
    shaft = m.add(sp.RigidBody("shaft", 2.0, inertia=0.01))
    m.add(sp.Revolute("axle", m.ground.at(0), shaft.at(0), "z", initial_rate=20.0))
    lever = m.add(sp.RigidBody("lever", 0.1, inertia=1e-4))
    m.add(sp.Prismatic("guide", m.ground.at(0), lever.at(0), "y", 0.075))
    m.add(sp.JointSpring("spring", "guide", stiffness=4000))
    radii = 0.06 - 0.01 * np.cos(4 * np.pi * np.arange(60) / 60)
    cam = sp.Cam(shaft.at(0), radii=radii, width=0.02)
    roller = sp.Sphere(lever.at(0), radius=0.02)
    m.add(sp.Contact("roll", cam, roller, FLAT, sp.Friction(0.2)))
    return m


BRICK = np.array([(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.2, 0.0)])
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
         (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip


def brick_mesh(m: sp.Model) -> sp.MeshShape:
    """A flat brick of triangles, whose top is z = 0."""
    lines = ["solid brick"]
    for face in FACES:
        corners = "".join("vertex {} {} {}\n".format(*BRICK[k]) for k in face)
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "brick.stl"
        path.write_text("\n".join([*lines, "endsolid brick\n"]))
        return sp.MeshShape(path, frame=m.ground.at(0), cells=16)


def turning_gears() -> sp.Model:
    m = meshing()
    m.replace("first", initial_rate=2.0)
    return m


def lying_cable() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    soft = sp.Material(E=2e8, G=8e7, density=2000.0)
    hose = m.add(sp.Cable("hose", 1.0, sp.Circle(0.02), soft, elements=4, position=(0, 0, 0.02)))
    m.add(sp.Spherical("tap", m.ground.at(0, 0, 0.02), hose.at(0)))
    line, rubs = sp.Line(hose, radius=0.01), sp.RoundedFriction(0.3, transition=1e-2)
    m.add(sp.Contact("lies", line, sp.Plane(m.ground.at(0)), FLAT, rubs))
    return m


def falling_sheet() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    soft = sp.Material(E=1e7, G=4e6, density=1e3)
    sheet = m.add(sp.ANCFPlate("sheet", (0.5, 0.3), 0.03, soft, (1, 1)))
    m.add(sp.Revolute("hinge", m.ground.at(0, 0, 0.02), sheet.at(0, 0), "x"))
    m.add(sp.Contact("lies", sp.Surface(sheet, radius=0.01), sp.Plane(m.ground.at(0)), FLAT))
    return m


def marbles(cells: bool) -> sp.Model:
    """Balls in a bin; neighbours graze each other, within rounding, as they pass."""
    m = sp.Model(gravity=(0, 0, -9.81))
    tube = sp.Cylinder(m.ground.at(0), radius=0.05, length=1.0, inside=True)
    shapes: list[sp.forces.Shape] = [sp.Plane(m.ground.at(0)), tube]
    for k in range(6):
        marble = m.add(sp.RigidBody(f"marble {k}", 0.01, inertia=4e-7))
        height = 0.012 + 0.021 * (k // 4) + 0.0005 * (k % 4)
        place = m.ground.at(0.02 * (k % 2) - 0.01, 0.02 * (k // 2 % 2) - 0.01, height)
        m.add(sp.Free(f"fall {k}", place, marble.at(0)))
        shapes.append(sp.Sphere(marble.at(0), radius=0.01))
    law = sp.HuntCrossley(stiffness=1e5, restitution=0.4, speed=0.5)
    rubs = sp.RoundedFriction(0.4, transition=0.01)
    m.add(sp.Contacts("heap", shapes, law, rubs, cells=cells))
    return m


def ball(body: sp.RigidBody) -> sp.Sphere:
    return sp.Sphere(body.at(0), radius=0.05)


TOUCHING: dict[str, Callable[[], sp.Model]] = {
    "to and fro": to_and_fro,
    "ball": lambda: thrown(ball),
    "ring": lambda: thrown(
        lambda b: sp.Torus(b.at(0), radius=0.1, section=0.02, axis="y"),
        friction=sp.RoundedFriction(0.3),
    ),
    "box": lambda: thrown(lambda b: sp.Cuboid(b.at(0), size=(0.1, 0.2, 0.1))),
    "bar on a cylinder": lambda: thrown(
        lambda b: sp.Capsule(b.at(0), radius=0.05, length=0.2, axis="x"),
        lambda m: sp.Cylinder(m.ground.at(0, 0, -0.1), radius=0.1, length=0.5, axis="y"),
    ),
    "ball on a cone": lambda: thrown(
        ball, lambda m: sp.Cone(m.ground.at(0, 0, -0.1), radius=0.3, length=0.1, axis="z")
    ),
    "ball in a room": lambda: thrown(
        ball, lambda m: sp.Cuboid(m.ground.at(0, 0, 0.3), (1, 1, 0.6), inside=True)
    ),
    "ball on heights": lambda: thrown(
        ball, lambda m: sp.HeightField(m.ground.at(-3, -3), HILLS, 1.0)
    ),
    "ball on a mesh": lambda: thrown(ball, brick_mesh),
    "wheel": lambda: bouncing_wheel(LAWS["magic"]),
    "wheel on heights": lambda: bouncing_wheel(LAWS["brush"], "heights"),
    "cam": cam_drive,
    "gears": turning_gears,
    "cable": lying_cable,
    "sheet": falling_sheet,
    "marbles": lambda: marbles(cells=False),
    "marbles by cells": lambda: marbles(cells=True),
}
