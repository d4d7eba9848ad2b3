"""Zhao's two links under given torques, bent once and for all by their own weight (case 1).

The model is that of `supple.cases.arms.zhao`. Each rod keeps the deflection of a horizontal
cantilever under its weight and that of the mass at its end: no coordinate is added, and the rod is
a rigid body whose mass lies on the bent line. Joints and end masses stay on the straight one, as in
the paper; the tip is shown with both deflections.

The reference integrates the paper's equations, corrected: m12 lacks the lengths, the potential a
factor g, and the labels of the two deflections (10) are exchanged.

Tolerances: as those of ``zhao-rigid``; the reference was found with the same method and errs as
much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.rigid import PointMass, RigidBody
from supple.cases.arms.zhao import ENDS, LENGTH, LINKS, TIMES, TORQUES
from supple.cases.arms.zhao_flexible import BENDING
from supple.cases.case import Case, Quantity, at_times, references
from supple.forces import JointEffort
from supple.joints import Revolute
from supple.model import Model

if TYPE_CHECKING:
    from supple.foundation.arrays import Vector
    from supple.results.result import Result

GRAVITY = 9.81  # m/s2
POINTS = 6  # of Gauss: squares of the fourth power are exact


def sag(x: Vector, mass: float, end: float, bending: float) -> Vector:
    """Deflection (m, downwards positive) at x (m) of a cantilever with a mass at its end."""
    own = mass / LENGTH * x**2 * (x**2 - 4.0 * LENGTH * x + 6.0 * LENGTH**2) / 24.0
    return np.asarray(GRAVITY * (own + end * x**2 * (3.0 * LENGTH - x) / 6.0) / bending)


def bent_links() -> Model:
    """Return the two bent links, at rest, their straight lines horizontal."""
    m = Model(gravity=(0, -GRAVITY, 0), name="two links, bent")
    data = zip(LINKS, ENDS, BENDING, strict=True)
    rods = [m.add(_rod(f"link{k}", *numbers)) for k, numbers in enumerate(data, start=1)]
    for k, (rod, mass) in enumerate(zip(rods, ENDS, strict=True), start=1):
        m.add(PointMass(f"end{k}", rod.at(LENGTH), mass))
    m.add(Revolute("shoulder", m.ground.at(0), rods[0].at(0)))
    m.add(Revolute("elbow", rods[0].at(LENGTH), rods[1].at(0)))
    for joint, torque in zip(("shoulder", "elbow"), TORQUES, strict=True):
        m.add(JointEffort(f"{joint} motor", joint, torque))
    return m


def _rod(name: str, mass: float, end: float, bending: float) -> RigidBody:
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    x = 0.5 * LENGTH * (nodes + 1.0)
    places = np.stack([x, -sag(x, mass, end, bending), np.zeros(POINTS)])
    com = 0.5 * places @ weights
    apart = places - com[:, None]
    moments = 0.5 * mass * (apart * weights) @ apart.T
    return RigidBody(name, mass, com=com, inertia=np.trace(moments) * np.eye(3) - moments)


def measure(result: Result) -> list[Quantity]:
    """Compare absolute angles and rates of the links, and the tip."""
    first, rate = result["shoulder"].angle, result["shoulder"].angle_rate
    second, other = first + result["elbow"].angle, rate + result["elbow"].angle_rate
    x, y = np.zeros_like(first), np.zeros_like(first)
    for angle, *link in zip((first, second), LINKS, ENDS, BENDING, strict=True):
        down = float(sag(np.array(LENGTH), *link))
        x += LENGTH * np.cos(angle) + down * np.sin(angle)
        y += LENGTH * np.sin(angle) - down * np.cos(angle)
    reference = references("zhao_static")["zhao-static"]
    fastest = float(np.abs(reference["rate 2"]).max())
    values = {"angle 1": first, "angle 2": second, "rate 1": rate, "rate 2": other}
    found: list[Quantity] = []
    for name, value in (values | {"tip x": x, "tip y": y}).items():
        tolerance = 1e-6 * (fastest if name.startswith("rate") else 1.0)
        found += at_times(name, value, reference[name], tolerance, TIMES)
    record = result.energy.record
    return [*found, Quantity("energy.error", record.max_error, 0.0, 1e-9 * record.kinetic_max)]


CASES = (
    Case(
        name="zhao-static",
        title="two links bent by their weight, under given torques",
        source="Zhao, Zhou and Yue, case 1, corrected; independent integration",
        times=TIMES,
        build=bent_links,
        measure=measure,
    ),
)
