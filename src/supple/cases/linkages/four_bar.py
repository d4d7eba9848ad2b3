"""A four-bar linkage: a crank that turns round, a coupler and a rocker, in the vertical plane xz.

The plane motion has one degree of freedom, but revolute joints in space close the loop with five
equations, of which three are redundant. The axis is -y: positive angles turn from x towards z.

The reference takes the crank angle as the only coordinate: the pin between coupler and rocker is
where two circles meet, which is exact; integrated by a Runge-Kutta method of order 8. Forces in the
plane follow from Newton and Euler for each bar; those across it are not unique and not compared.
The numbers of the linkage are of this project.
"""

from __future__ import annotations

from math import atan2, cos, hypot, sin, sqrt

from supple.bodies.base.rigid import RigidBody
from supple.cases.linkages.linkage import mechanism, rod
from supple.joints import Revolute
from supple.model import Model

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.4, 1.1, 0.9  # m
MASSES = (0.8, 2.2, 1.8)  # kg
COM = (0.5, 0.1)  # m, of the coupler: x along it, z to its left
INERTIA = 0.25  # kg m2, of the coupler about its centre of mass and the joints' axis
ANGLE, RATE = 0.7, 6.0  # rad, rad/s of the crank at the start
AXIS = (0.0, -1.0, 0.0)


def closed(angle: float, rate: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the angles of coupler and rocker from x, and their rates, for those of the crank."""
    x, z = CRANK * cos(angle), CRANK * sin(angle)
    d = hypot(GROUND - x, z)
    along = (d * d + COUPLER**2 - ROCKER**2) / (2.0 * d)
    coupler = atan2(-z, GROUND - x) + atan2(sqrt(COUPLER**2 - along**2), along)
    pin = x + COUPLER * cos(coupler), z + COUPLER * sin(coupler)
    rocker = atan2(pin[1], pin[0] - GROUND)
    # the pin is carried by the coupler and by the rocker: no velocity along either
    across = sin(coupler - rocker)
    return (coupler, rocker), (
        -rate * CRANK * sin(angle - rocker) / (COUPLER * across),
        rate * CRANK * sin(coupler - angle) / (ROCKER * across),
    )


def four_bar() -> Model:
    """Return the linkage with its crank turning; the joint "pin" closes the loop."""
    (coupler_angle, rocker_angle), (coupler_rate, rocker_rate) = closed(ANGLE, RATE)
    m = Model(gravity=(0, 0, -9.81), name="four-bar linkage")
    crank = m.add(rod("crank", MASSES[0], (CRANK, 0, 0)))
    spin = (INERTIA / 2.0, INERTIA, INERTIA / 2.0)
    coupler = m.add(RigidBody("coupler", MASSES[1], (COM[0], 0.0, COM[1]), spin))
    rocker = m.add(rod("rocker", MASSES[2], (ROCKER, 0, 0)))
    m.add(Revolute("drive", m.ground.at(0), crank.at(0), AXIS, ANGLE, RATE))
    m.add(
        Revolute(
            "knee", crank.at(CRANK), coupler.at(0), AXIS, coupler_angle - ANGLE, coupler_rate - RATE
        )
    )
    m.add(Revolute("bearing", m.ground.at(GROUND), rocker.at(0), AXIS, rocker_angle, rocker_rate))
    m.add(
        Revolute(
            "pin",
            rocker.at(ROCKER),
            coupler.at(COUPLER),
            AXIS,
            coupler_angle - rocker_angle,
            coupler_rate - rocker_rate,
        )
    )
    return m


CASES = (
    mechanism(
        name="four-bar",
        title="plane four-bar linkage of revolute joints in space, its crank turning round",
        source="numbers of this project; exact closure in the crank angle, Runge-Kutta of order 8",
        build=four_bar,
        points={"coupler": ("coupler", (COM[0], 0.0, COM[1]))},
    ),
)
