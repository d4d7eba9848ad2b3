"""Small models of every kind, for kernels as plain Python."""

from __future__ import annotations

import numpy as np

import supple as sp


def two_link_arm(name: str = "arm") -> sp.Model:
    """An arm with two hinges and a motor."""
    model = sp.Model(gravity=(0, -9.81, 0), name=name)
    link1 = model.add(sp.RigidBody("link1", 2.0, (0.25, 0, 0), (1e-3, 0.04, 0.04)))
    link2 = model.add(sp.RigidBody("link2", 1.0, (0.2, 0, 0), (5e-4, 0.014, 0.014)))
    model.add(sp.Revolute("shoulder", model.ground.at(0), link1.at(0), "y", 0.3, 1.0))
    model.add(sp.Revolute("elbow", link1.at(0.5), link2.at(0), "z", -1.0, 0.5))
    model.add(sp.PID("motor", "elbow", kp=20, ki=5, kd=2, target=sp.Sine(0.5, 1.0)))
    return model


def every_kind() -> sp.Model:
    """One of each motion and each force element; one joint is crossed from B to A."""
    model = two_link_arm("every kind")
    link2 = model["link2"]
    hand = model.add(sp.RigidBody("hand", 0.3, (0.02, 0.01, 0.03), (2e-4, 3e-4, 4e-4)))
    slide = model.add(sp.RigidBody("slide", 0.2, (0, 0.01, 0), (1e-4, 1e-4, 1e-4)))
    drone = model.add(sp.RigidBody("drone", 0.7, (0, 0, 0.02), (2e-3, 3e-3, 4e-3)))
    model.add(sp.PointMass("payload", hand.at(0.05, 0.02, 0), 0.1))
    model.add(
        sp.Spherical("wrist", hand.at(0, 0.01), link2.at(0.4), (0.2, -0.4, 0.3), (0.5, 1.0, -0.7))
    )
    model.add(sp.Cylindrical("rail", link2.at(0.2), slide.at(0.01), "x", (0.1, 0.2), (0.3, -0.6)))
    model.add(
        sp.Free("air", model.ground.at(1.0), drone.at(0), (0.3, 0.5, 0.2), (1, 2, 3, 0.4, 0.5, 0.6))
    )
    model.add(sp.SpringDamper("rope", hand.at(0.05), drone.at(0, 0.1), 40.0, 3.0, 0.2))
    model.add(sp.JointSpring("bush", "rail", 12.0, 0.4, 0.05, coordinate="displacement"))
    ramp = sp.SmoothStep(0.0, 1.0, 0.0, 2.0)
    model.add(sp.JointEffort("drive", "shoulder", sp.Table((0, 1, 2), (0, 3, 1))))
    model.add(sp.Force("thrust", drone.at(0.1), (0, ramp, 5), (0.1, 0, 0), axes="body"))
    model.add(sp.Force("wind", hand.at(0, 0.03), (1, 0.5, 0), (0, 0.2, 0)))
    full = np.diag([20.0, 30.0, 40.0, 2.0, 3.0, 4.0]) + 1.0
    ends = hand.at(0.01, 0.02, 0.03, rotation=(0.1, 0.2, 0.3)), drone.at(0.05, 0, 0.1)
    model.add(sp.Bushing("mount", *ends, full, 0.1 * full, (1, 2, 3, 0.1, 0.2, 0.3)))
    model.add(sp.CartesianSpring("axes", *ends, (9, 7, 5), (0.3, 0.2, 0.1), (0.1, 0.2, 0.3)))
    curve = sp.TableLaw([(-1, -3), (0, 0), (0.5, 4)], "cubic")  # kinks are out of reach
    law = {"spring": curve, "damper": "(2 + x**2)*v + atan(v)*v*abs(v + 30)"}
    model.add(sp.SpringDamper("cord", *ends, length=0.3, **law))
    law = {"spring": "3*x + tanh(x)**3 - max(x, -9)**2", "damper": [(-30, -60), (20, 40), (40, 99)]}
    model.add(sp.JointSpring("coil", "shoulder", **law))
    model.add(sp.CoordinateSpring("band", "shoulder", ("rail", "angle"), 3.0, 0.2, 1.5, 0.1))
    law = sp.ControlLaw([[-3.0, 2.0, -0.4, 0.3], [1.0, -5.0, 0.2, -0.7]])
    rail = [("rail", "angle"), ("rail", "displacement")]
    model.add(sp.StateSpaceController("gains", rail, law, ["elbow", rail[1]], [ramp, 0.1]))
    return model


def second_order() -> sp.Model:
    """Beams of second order, hung at an end that moves in their axes, joined and loaded between."""
    model = sp.Model(gravity=(0, -9.81, 0), name="second order")
    material, section = sp.Material(E=1e6, G=4e5, density=1e3), sp.Rectangle(0.1, 0.05)
    options = {"elements": 2, "modes": 3}
    arm = model.add(sp.Beam("arm", 1.0, section, material, stiffening="second_order", **options))
    strip = sp.reduction.SecondOrder(twist=True)
    tip = model.add(sp.Beam("tip", 0.7, section, material, stiffening=strip, **options))
    model.add(sp.Revolute("root", arm.at(1.0), model.ground.at(0), "z", 0.2, 1.0))
    model.add(sp.Universal("wrist", arm.at(0.3), tip.at(0.7), initial=(0.3, 0.2)))
    model.add(sp.DistributedLoad("wind", tip.at(0.1), (1, 2, 3), axes="body"))
    model.add(sp.DistributedLoad("rain", arm.at(0), (1, -2, 3)))
    model.add(sp.SpringDamper("rope", tip.at(0), model.ground.at(0.2, 0.5), 40.0, 3.0, 0.2))
    return model


def rope() -> sp.Model:
    """A drum and pulleys with friction out of each other's planes, on bodies that move."""
    model = two_link_arm("rope")
    block = model.add(sp.RigidBody("block", 0.7, (0, 0, 0.02), (2e-3, 3e-3, 4e-3)))
    model.add(
        sp.Free("air", model.ground.at(1.5, 1, 0), block.at(0), (0.1, 0.2, 0.2), (1, 2, 3, 0, 1, 0))
    )
    path = [
        sp.Drum(model.ground.at(0, -0.5, 0), "shoulder", 0.05, "y", "z"),
        sp.Pulley(model["link2"].at(0.3, 0, 0.2), 0.1, (0.1, -1, 0.2), friction=0.3),
        sp.Pulley(block.at(0.1, 0, 0.3), 0.15, (0, -1, 0.3), friction=0.2, turns=1),
        model.ground.at(2.5, 0.3, 1.5),
    ]
    model.add(sp.Rope("line", path, 30.0, 2.0, 6.0, transition=2.0))
    return model


def sliding(follows: str) -> sp.Model:
    """A body that slides along a cable, or along a beam."""
    model = sp.Model(gravity=(0, 0, -9.81), name="sliding")
    rubber = sp.Material(E=1e5, G=4e4, density=1000.0)
    given = "line", 2.0, sp.Circle(0.02), rubber
    section = follows == "section"
    line = model.add(sp.ANCFBeam(*given, 1) if section else sp.Cable(*given, 3))
    body = model.add(sp.RigidBody("body", 0.5, (0.1, 0.02, 0.03), (0.01, 0.02, 0.03)))
    model.add(sp.Spherical("end", model.ground.at(0), line.at(0)))
    model.add(sp.Free("air", model.ground.at(0.8, 0, -0.05), body.at(0)))
    model.add(sp.SlidingJoint("slide", line.at(0.8), body.at(0, 0, 0.05), follows))
    return model


RUBBING = {
    "none": None,
    "bristle": sp.Friction(40.0, stiffness=30.0, damping=4.0, rolling=0.1, spinning=0.2),
    "bristle that slides": sp.Friction(
        (0.02, 0.05), static=0.03, stribeck=2.0, axis=(1, 2, 0.5), stiffness=30.0, damping=4.0
    ),
    "rounded": sp.RoundedFriction(
        (0.4, 0.2), static=0.6, stribeck=2.0, axis=(1, 2, 0.5), rolling=0.1, transition=0.5
    ),
}
# Of wheels: the direction goes with the axle
ROLLERS = {
    "bristle of a wheel": sp.Friction((40.0, 30.0), axle_angle=0.7, stiffness=30.0, damping=4.0),
    "bristle of a wheel that slides": sp.Friction(
        (0.02, 0.05), static=0.03, stribeck=2.0, axle_angle=-0.4, stiffness=30.0, damping=4.0
    ),
    "rounded of a wheel": sp.RoundedFriction((0.4, 0.2), axle_angle=0.7, transition=0.5),
    "rollers": sp.RoundedFriction((0.4, 0.0), 0.6, stribeck=2.0, axle_angle=0.7, transition=0.5),
}
# Shapes of a body that moves: sizes such that the ball at the end of an arm is within all of them
CARRIED = {
    "plane": lambda frame: sp.Plane(frame, (0.1, 0.2, 1), (0, 0, 0.6)),
    "ball": lambda frame: sp.Sphere(frame, radius=0.9),
    "hollow ball": lambda frame: sp.Sphere(frame, radius=0.3, position=(0, 0.1, 0), inside=True),
    "side of a bar": lambda frame: sp.Capsule(frame, radius=0.9, length=9.0, axis="x"),
    "end of a bar": lambda frame: sp.Capsule(frame, radius=0.9, length=0.1, axis=(0, 1, 1)),
    "side of a cylinder": lambda frame: sp.Cylinder(frame, radius=0.1, length=9.0, axis="x"),
    "end of a cylinder": lambda frame: sp.Cylinder(frame, radius=5.0, length=0.4, axis=(0, 1, 9)),
    "edge of a cylinder": lambda frame: sp.Cylinder(frame, radius=0.05, length=0.05, axis="y"),
    "ring": lambda frame: sp.Torus(frame, radius=0.8, section=0.5, axis=(0.2, 1, 0)),
    "face of a box": lambda frame: sp.Cuboid(frame, (4, 4, 0.3), rotation=(0.1, 0.2, 0.3)),
    "edge of a box": lambda frame: sp.Cuboid(frame, (4, 0.05, 0.05), (0, -0.3, -0.3)),
    "corner of a box": lambda frame: sp.Cuboid(frame, (0.05, 0.05, 0.05), (-0.4, -0.3, -0.3)),
}


def laid(kind: str, friction: sp.forces.ContactFriction | None) -> sp.Model:
    """A cable or beam within a ball that flies, both of its ends touched from inside."""
    model = sp.Model(gravity=(0, 0, -9.81), name="laid")
    line = sp.Cable if kind == "cable" else sp.ANCFBeam
    rod = model.add(line("rod", 0.6, sp.Circle(0.1), sp.Material(E=1e5, G=4e4, density=300.0), 2))
    model.add(sp.Free("flight", model.ground.at(0), rod.at(0)))
    drone = model.add(sp.RigidBody("drone", 0.7, (0, 0, 0.02), (2e-3, 3e-3, 4e-3)))
    rates = (1, 2, 3, 2, 1, 3)
    model.add(sp.Free("air", model.ground.at(0.3, 0.1, 0.1), drone.at(0), (0.3, 0.5, 0.2), rates))
    law = sp.HuntCrossley(stiffness=20.0, restitution=0.8, speed=9.0, exponent=1.5)
    bowl = sp.Sphere(drone.at(0), radius=0.2, inside=True)
    ends = sp.Line(rod, radius=0.05, points=2)
    model.add(sp.Contact("touch", bowl, ends, law, friction))
    return model


def touching(shape: str, rubbing: str = "bristle", wheel: bool = False) -> sp.Model:
    """Two bodies that move and touch: the end of an arm, and one that flies."""
    model = two_link_arm("touching")
    drone = model.add(sp.RigidBody("drone", 0.7, (0, 0, 0.02), (2e-3, 3e-3, 4e-3)))
    rates = (1, 2, 3, 2, 1, 3)
    model.add(
        sp.Free("air", model.ground.at(0.7, 0.1, -0.5), drone.at(0), (0.3, 0.5, 0.2), rates)
    )
    tip = model["link2"].at(0.4, 0.01, 0.02, rotation=(0.3, 0.2, 0.1))
    end = sp.Torus(tip, radius=0.6, section=0.3) if wheel else sp.Sphere(tip, radius=1.4)
    law = sp.HuntCrossley(stiffness=7.0, restitution=0.8, speed=9.0, exponent=1.5)
    carried = CARRIED[shape](drone.at(0.01, 0.02, 0.03, rotation=(0.1, -0.2, 0.3)))
    model.add(sp.Contact("touch", carried, end, law, (RUBBING | ROLLERS)[rubbing]))
    return model


# Two shapes that overlap: of a body in the middle, and of one at a place, turned by a vector
WAVES = 0.05 * np.sin(np.arange(7))[:, None] * np.cos(0.7 * np.arange(7))
TURNS = 2.0 * np.pi * np.arange(24) / 24
OVAL = np.stack([0.4 * np.cos(TURNS), 0.3 * np.sin(TURNS) + 0.02], axis=1)
MEETINGS = {
    "crossing bars": (
        lambda frame: sp.Capsule(frame, radius=0.2, length=1.0, axis="x"),
        lambda frame: sp.Capsule(frame, radius=0.3, length=1.4, axis="y"),
        ((0.1, 0.2, 0.4), (0.1, 0.2, 0.3)),
    ),
    "end of a bar on a bar": (
        lambda frame: sp.Capsule(frame, radius=0.2, length=1.0, axis="x"),
        lambda frame: sp.Capsule(frame, radius=0.3, length=1.4, axis="y"),
        ((0.1, 1.0, 0.3), (0.1, 0.2, 0.3)),
    ),
    "parallel bars": (
        lambda frame: sp.Capsule(frame, radius=0.2, length=1.0, axis="x"),
        lambda frame: sp.Capsule(frame, radius=0.3, length=1.4, axis="x"),
        ((0.1, 0.2, 0.4), (0, 1e-4, -2e-4)),
    ),
    "a bar on an edge": (
        lambda frame: sp.Capsule(frame, radius=0.3, length=1.4, axis="y"),
        lambda frame: sp.Cuboid(frame, size=(0.4, 0.8, 0.6)),
        ((0.35, 0.2, 0.5), (0.1, 0.2, 0.3)),
    ),
    "a bar on the end of a cylinder": (
        lambda frame: sp.Cylinder(frame, radius=0.4, length=0.4, axis=(0.1, 0.2, 1)),
        lambda frame: sp.Capsule(frame, radius=0.3, length=1.4, axis="y"),
        ((0.1, 0.2, 0.45), (0.001, 0.2, 0.3)),
    ),
    "crossing edges": (
        lambda frame: sp.Cuboid(frame, size=(1, 2, 1), rounding=0.2),
        lambda frame: sp.Cuboid(frame, size=(2, 1, 1), rounding=0.3, rotation=(0.7, 0, 0)),
        ((0.1, 0.2, 1.05), (0.1, 0.2, 0.8)),
    ),
    "a ball on a ground": (
        lambda frame: sp.HeightField(
            frame, WAVES, 0.3, position=(-0.9, -0.9, 0.1), rotation=(0.1, 0.2, 0)
        ),
        lambda frame: sp.Sphere(frame, radius=0.4, position=(0.02, 0, 0.01)),
        ((0.1, 0.2, 0.35), (0.1, 0.2, 0.3)),
    ),
    "a ball on a cam": (
        lambda frame: sp.Cam(frame, radii=WAVES.ravel() + 0.4, width=0.8, rotation=(0.1, 0.2, 0)),
        lambda frame: sp.Sphere(frame, radius=0.4, position=(0.02, 0, 0.01)),
        ((0.1, 0.75, 0.1), (0.1, 0.2, 0.3)),
    ),
    "a cylinder on a cylinder": (
        lambda frame: sp.Cylinder(frame, radius=0.4, length=0.9, axis=(0.1, 0.2, 1)),
        lambda frame: sp.Cylinder(frame, radius=0.3, length=0.8, axis=(0.1, 1, 0.2)),
        ((0.66, 0.1, 0.1), (0.1, 0.2, 0.3)),
    ),
    "parallel cylinders": (
        lambda frame: sp.Cylinder(frame, radius=0.4, length=0.9),
        lambda frame: sp.Cylinder(frame, radius=0.3, length=0.8),
        ((0.1, 0.65, 0.1), (1e-4, 2e-4, 0.3)),
    ),
    "a cylinder on a box": (
        lambda frame: sp.Cuboid(frame, (1, 0.9, 0.8)),
        lambda frame: sp.Cylinder(frame, radius=0.3, length=0.8, axis="x"),
        ((0.1, 0.2, 0.695), (1e-4, 2e-4, 0.3)),
    ),
    "a cylinder that stands on a box": (
        lambda frame: sp.Cuboid(frame, (1, 0.9, 0.8)),
        lambda frame: sp.Cylinder(frame, radius=0.3, length=0.8),
        ((0.1, 0.2, 0.795), (1e-4, -2e-4, 0.3)),
    ),
    "the edge of a cylinder on that of a box": (
        lambda frame: sp.Cuboid(frame, (1, 0.9, 0.8)),
        lambda frame: sp.Cylinder(frame, radius=0.3, length=0.8),
        ((0.1, 0.622, 0.622), (0.8, 0.1, 0.3)),
    ),
    "a wheel on a box": (
        lambda frame: sp.Cuboid(frame, (1, 0.9, 0.8)),
        lambda frame: sp.Torus(frame, radius=0.3, section=0.1, axis="y"),
        ((0.7, 0.1, 0.6), (0.1, 0.2, 0.3)),
    ),
    "a box on a cone": (
        lambda frame: sp.Cone(frame, radius=0.5, length=0.8),
        lambda frame: sp.Cuboid(frame, (0.5, 0.4, 0.6), rounding=0.05),
        ((0.5, 0.2, 0.5), (0.1, 0.2, 0.3)),
    ),
    "a roller in a ring": (
        lambda frame: sp.Cylinder(frame, radius=0.9, length=1.9, inside=True),
        lambda frame: sp.Cylinder(frame, radius=0.3, length=0.8),
        ((0.4, 0.5, 0.1), (0.1, 0.2, 0.3)),
    ),
    "a roller on a cam": (
        lambda frame: sp.Cam(frame, points=OVAL, width=0.8, rotation=(0.1, 0.2, 0)),
        lambda frame: sp.Cylinder(frame, radius=0.4, length=0.6),
        ((0.1, 0.67, 0.1), (0.1, 0.2, 0.3)),
    ),
    "a box on a cam": (
        lambda frame: sp.Cam(frame, points=OVAL, width=0.8, rotation=(0.1, 0.2, 0)),
        lambda frame: sp.Cuboid(frame, (1, 0.3, 0.9), rounding=0.05),
        ((0.1, 0.49, 0.1), (0.1, 0.2, 0.3)),
    ),
    "a plane on a cam": (
        lambda frame: sp.Cam(frame, points=OVAL, width=0.8, rotation=(0.1, 0.2, 0)),
        lambda frame: sp.Plane(frame, (0, -1, 1e-4)),
        ((0.1, 0.35, 0.1), (0.1, 0.2, 0.3)),
    ),
    "a wheel on a ground": (
        lambda frame: sp.HeightField(
            frame, WAVES, 0.3, position=(-0.9, -0.9, 0.1), rotation=(0.1, 0.2, 0)
        ),
        lambda frame: sp.Torus(frame, radius=0.3, section=0.1, axis=(0.1, 1, 0)),
        ((0.1, 0.2, 0.4), (0.1, 0.2, 0.3)),
    ),
    "a bar on a ground": (
        lambda frame: sp.HeightField(
            frame, WAVES, 0.3, position=(-0.9, -0.9, 0.1), rotation=(0.1, 0.2, 0)
        ),
        lambda frame: sp.Capsule(frame, radius=0.1, length=1.1, axis=(1, 1, 0)),
        ((0.1, 0.2, 0.12), (0.1, 0.2, 0.3)),
    ),
    "flanks of gears": (
        lambda frame: sp.InvoluteGear(frame, 20, 0.1, 0.2),
        lambda frame: sp.InvoluteGear(frame, 20, 0.1, 0.2, phase=np.pi + np.pi / 20),
        ((2.0, 0, 0.1), (0, 0, 0.02)),
    ),
    "flanks of a ring gear": (
        lambda frame: sp.InvoluteGear(frame, 22, 0.1, 0.2),
        lambda frame: sp.InvoluteGear(frame, 60, 0.1, 0.2, inside=True),
        ((-1.9, 0, 0.1), (0, 0, 0.002)),
    ),
    "a disc that nearly lies": (
        lambda frame: sp.Plane(frame),
        lambda frame: sp.Torus(frame, radius=0.4, section=0.1),
        ((0.1, 0.2, 0.05), (3e-4, -5e-4, 0.3)),
    ),
}


def meeting(name: str, rubbing: str = "bristle") -> sp.Model:
    """Two bodies in space that touch and move."""
    first, second, (place, turn) = MEETINGS[name]
    model = sp.Model(gravity=(0, 0, 0))
    one = model.add(sp.RigidBody("one", 0.7, (0, 0, 0.02), (2e-3, 3e-3, 4e-3)))
    two = model.add(sp.RigidBody("two", 0.5, (0, 0.03, 0), (3e-3, 2e-3, 4e-3)))
    rates = (0.1, 0.2, -0.3, 0.2, 0.1, 0.3), (0.3, -0.2, 0.1, 0.1, -0.2, -0.5)
    model.add(sp.Free("f1", model.ground.at(0), one.at(0), initial_rate=rates[0]))
    frame = model.ground.at(*place, rotation=turn)
    model.add(sp.Free("f2", frame, two.at(0), initial_rate=rates[1]))
    law = sp.HuntCrossley(stiffness=7.0, restitution=0.8, speed=9.0, exponent=1.5)
    shapes = first(one.at(0)), second(two.at(0))
    model.add(sp.Contact("touch", *shapes, law, RUBBING[rubbing]))
    return model
