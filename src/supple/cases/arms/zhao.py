"""Zhao's two links under given torques, rigid.

Zhao, Zhou and Yue on the choice of shape functions for flexible links: two uniform rods with a
mass at the end of each, horizontal and at rest at the start, gravity 9.81 m/s2 along -Y. Torques
``215 sin(2 pi t)^3 + 62`` and ``75 sin(2 pi t)^3 + 15`` N m act in the joints, the second between
the links. The paper's angles are absolute: the second is shoulder plus elbow.

The reference is an independent computation of the rigid links by Dormand-Prince of order 5. Beside
a run of SciPy at tolerance 3e-14 it errs by up to 1.3e-8 rad, 1.9e-7 rad/s and 8e-9 m.

Tolerances: angles 1e-6 rad, tip 1e-6 m, rates 1e-6 of the largest listed; energy error over all
steps 1e-9 of the largest kinetic energy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.rigid import PointMass, RigidBody
from supple.cases.case import Case, Quantity, at_times
from supple.forces import JointEffort
from supple.joints import Revolute
from supple.model import Model

if TYPE_CHECKING:
    from supple.results.result import Result

LENGTH = 0.75  # m, of each link
LINKS = (1.4, 0.62)  # kg
ENDS = (5.5, 0.62)  # kg, at the ends of the links
TORQUES = ("215*sin(2*pi*t)**3 + 62", "75*sin(2*pi*t)**3 + 15")  # N m
TIMES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)  # s


def two_links() -> Model:
    """Return the two links, horizontal and at rest."""
    m = Model(gravity=(0, -9.81, 0), name="two links, rigid")
    link1, link2 = (m.add(_rod(f"link{k}", mass)) for k, mass in enumerate(LINKS, start=1))
    m.add(PointMass("end1", link1.at(LENGTH), ENDS[0]))
    m.add(PointMass("end2", link2.at(LENGTH), ENDS[1]))
    m.add(Revolute("shoulder", m.ground.at(0), link1.at(0)))
    m.add(Revolute("elbow", link1.at(LENGTH), link2.at(0)))
    for joint, torque in zip(("shoulder", "elbow"), TORQUES, strict=True):
        m.add(JointEffort(f"{joint} motor", joint, torque))
    return m


def _rod(name: str, mass: float) -> RigidBody:
    across = mass * LENGTH**2 / 12.0
    return RigidBody(name, mass, com=(LENGTH / 2, 0, 0), inertia=(0.0, across, across))


REFERENCE = {
    "angle 1": (
        0.052403537625943505,
        2.0674070183442375,
        4.502471382723881,
        6.777469319424499,
        14.097362496785012,
        25.151087503887926,
    ),
    "angle 2": (
        1.6641220917032746,
        11.972935595878209,
        24.782873799669815,
        32.396822769115644,
        61.16404881746166,
        98.13643012301107,
    ),
    "rate 1": (
        3.4947764288146472,
        15.360496266308186,
        8.295419397197316,
        2.187841666688741,
        33.947113183173435,
        27.356302207212607,
    ),
    "rate 2": (
        20.576427173655553,
        50.91847324220249,
        42.83761304063741,
        32.582220405283294,
        79.45287702898923,
        59.064924518183894,
    ),
    "tip x": (
        0.6790776735972016,
        0.2644322081682459,
        0.5482791418333444,
        1.077439953694004,
        -0.04279643657468425,
        0.19960540287131578,
    ),
    "tip y": (
        0.7860209003208308,
        0.2399928057713253,
        -0.9906160199214622,
        0.9790483063025016,
        0.0029321159464857915,
        -0.4958533778318786,
    ),
}


def measure(result: Result) -> list[Quantity]:
    """Compare absolute angles and rates of the links, and the tip."""
    shoulder, elbow, tip = result["shoulder"], result["elbow"], result["end2"].position
    values = {
        "angle 1": shoulder.angle,
        "angle 2": shoulder.angle + elbow.angle,
        "rate 1": shoulder.angle_rate,
        "rate 2": shoulder.angle_rate + elbow.angle_rate,
        "tip x": tip[:, 0],
        "tip y": tip[:, 1],
    }
    fastest = float(np.abs(REFERENCE["rate 2"]).max())
    found: list[Quantity] = []
    for name, reference in REFERENCE.items():
        tolerance = 1e-6 * fastest if name.startswith("rate") else 1e-6
        found += at_times(name, values[name], reference, tolerance, TIMES)
    record = result.energy.record
    found.append(Quantity("energy.error", record.max_error, 0.0, 1e-9 * record.kinetic_max))
    return found


CASES = (
    Case(
        name="zhao-rigid",
        title="two links under given torques, rigid",
        source="Zhao, Zhou and Yue; independent computation, Dormand-Prince of order 5",
        times=TIMES,
        build=two_links,
        measure=measure,
    ),
)
