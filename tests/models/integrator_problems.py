"""Problems with known solutions for integrators."""

from __future__ import annotations

import numpy as np
from scipy.special import ellipk

import supple as sp


def spatial_pendulum() -> sp.Model:
    """Two links, the first on a ball joint, swinging in space."""
    model = sp.Model(gravity=(9.81, 0, 0))
    upper = model.add(sp.RigidBody("upper", 1.0, (0.3, 0, 0.05), (0.02, 0.03, 0.04)))
    lower = model.add(sp.RigidBody("lower", 0.6, (0.2, 0.02, 0), (0.004, 0.01, 0.012)))
    start = (0.08, 0.4, -0.28)
    model.add(sp.Spherical("ball", model.ground.at(0), upper.at(0), start, (0, 0.3, -0.3)))
    model.add(sp.Revolute("hinge", upper.at(0.6), lower.at(0), (0, 1, 0.3), 0.4, -0.3))
    return model


def tethered_body() -> sp.Model:
    """A free body on a spring and damper whose end is off its mass centre."""
    model = sp.Model(gravity=(0, 0, -1.0))
    body = model.add(sp.RigidBody("body", 1.0, (0.1, 0, 0.05), (0.2, 0.3, 0.4)))
    rates = (0.3, 0.3, -0.3, 0.1, 0.1, 0)
    model.add(sp.Free("free", model.ground.at(0), body.at(0), (0.1, 0, 0), rates))
    ends = model.ground.at(0, 0, 1), body.at(0.2, 0.1, 0)
    model.add(sp.SpringDamper("tether", *ends, stiffness=100, damping=0.5, length=0.95))
    return model


def plane_pendulum(angle: float = 1.0, gravity: float = 9.81) -> sp.Model:
    """A point mass of 1 kg on an arm of 1 m; the angle is measured from the lowest place."""
    model = sp.Model(gravity=(0, -gravity, 0))
    bob = model.add(sp.RigidBody("bob", 1.0, (0, -1, 0)))
    model.add(sp.Revolute("hinge", model.ground.at(0), bob.at(0), "z", angle))
    return model


def quarter_period(angle: float = 1.0, gravity: float = 9.81) -> float:
    """Time of ``plane_pendulum`` from rest to its lowest place, s."""
    return float(ellipk(np.sin(0.5 * angle) ** 2)) / np.sqrt(gravity)


def sliding_mass(effort: float | sp.signals.Signal, **start: float) -> sp.Model:
    """2 kg on a straight rail."""
    model = sp.Model()
    block = model.add(sp.RigidBody("block", 2.0))
    model.add(sp.Prismatic("rail", model.ground.at(0), block.at(0), "x", **start))
    model.add(sp.JointEffort("push", "rail", effort))
    return model


def pushed(t: np.ndarray) -> np.ndarray:
    """Place of 2 kg pushed by 3 N until 0.5 s, by -4 N until 1 s, then by nothing."""
    x = np.where(t < 0.5, 0.75 * t**2, 0.1875 + 0.75 * (t - 0.5) - (t - 0.5) ** 2)
    return np.where(t < 1.0, x, 0.3125 - 0.25 * (t - 1.0))


def middle_axis_body() -> tuple[sp.Model, float]:
    """A body that spins nearly about its middle axis, and half the period of that rotation's flips.

    Its angular momentum points along the world's z, so the height of a point on the middle axis is
    in proportion to the angular velocity about that axis and passes zero at each flip.
    """
    inertia, spin = np.array([1.0, 2.0, 3.0]), np.array([0.01, 1.0, 0.02])
    momentum = inertia * spin
    twice_energy, square = momentum @ spin, momentum @ momentum
    assert square > twice_energy * inertia[1]  # else the roles of the outer axes are exchanged
    below, above = square - twice_energy * inertia[0], twice_energy * inertia[2] - square
    rate = np.sqrt((inertia[2] - inertia[1]) * below / inertia.prod())
    parameter = (inertia[1] - inertia[0]) * above / ((inertia[2] - inertia[1]) * below)
    direction = momentum / np.sqrt(square)
    axis = np.cross(direction, (0, 0, 1))
    turn = axis / np.linalg.norm(axis) * np.arccos(direction[2])
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 1.0, (0, 0, 0), inertia))
    model.add(sp.Spherical("ball", model.ground.at(0), body.at(0), turn, spin))
    return model, 2 * float(ellipk(parameter)) / rate


def turning_body(joint: str) -> sp.Model:
    """A ball that turns about y at 1 rad/s; three axes in a row lock after 1 s.

    A kink without effect makes every method take the state at that very instant.
    """
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 1.0, (0, 0, 0), (0.2, 0.2, 0.2)))
    ends = model.ground.at(0), body.at(0)
    angle = np.pi / 2 - 1.0
    if joint == "three axes":
        axes = [("rotate", "z"), ("rotate", "y"), ("rotate", "x")]
        model.add(sp.General("gimbal", *ends, axes, (0, angle, 0), (0, 1, 0)))
    else:
        model.add(sp.Spherical("gimbal", *ends, (0, angle, 0), (0, 1, 0)))
    kink = sp.Table((0, 1, 2), (0, 1e-30, 0))
    model.add(sp.Force("kink", body.at(0), torque=(0, kink, 0)))
    return model
