"""Bennett's linkage: four revolute joints in space that are skew, and yet it moves.

G. T. Bennett, A new mechanism, Engineering 76, 1903. Opposite links are equal; links of length a
and twist alpha (the angle between their two axes) alternate with links of length b and twist beta,
and

    a sin beta = b sin alpha.

The loop is closed exactly where, with the joint angles in order from link to link,

    tan(q1/2) tan(q2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2),    q3 = -q1,  q4 = -q2,

up to whole turns. Of the five equations of the closing joint three are redundant, where four skew
axes would usually leave none: that is why it has a degree of freedom at all.

The reference takes q1 as the only coordinate, integrated by a Runge-Kutta method of order 8. The
numbers of the links are of this project.
"""

from __future__ import annotations

from math import atan2, cos, radians, sin

from supple.bodies.base.rigid import RigidBody
from supple.cases.linkages.linkage import mechanism
from supple.joints import Revolute
from supple.model import Model

TWISTS = (radians(30.0), radians(70.0))  # alpha, beta
LENGTHS = (0.5, 0.5 * sin(TWISTS[1]) / sin(TWISTS[0]))  # m, a and b
DENSITY = 2.0  # kg/m
THICKNESS = 0.002  # kg m2, moment of a link about its length
ANGLE, RATE = 1.0, 5.0  # rad, rad/s of the first joint at the start
RATIO = sin(0.5 * (TWISTS[1] + TWISTS[0])) / sin(0.5 * (TWISTS[1] - TWISTS[0]))


def second(angle: float) -> tuple[float, float]:
    """Return the second joint's angle (rad) for the first one's, and its slope."""
    c, s = RATIO * cos(0.5 * angle), sin(0.5 * angle)
    return 2.0 * atan2(c, s), -RATIO / (s * s + c * c)


def bennett() -> Model:
    """Return the linkage in motion; the joint "fourth" closes the loop at the ground.

    A link lies along its x from one axis, which is its z, to the next, turned about x by its twist.
    """
    (a, b), (alpha, beta) = LENGTHS, TWISTS
    angle, slope = second(ANGLE)
    m = Model(gravity=(0, 0, -9.81), name="Bennett's linkage")
    links = []
    for name, length in (("link1", a), ("link2", b), ("link3", a)):
        mass = DENSITY * length
        across = mass * length**2 / 12.0 + THICKNESS / 2.0
        inertia = (THICKNESS, across, across)
        links.append(m.add(RigidBody(name, mass, (length / 2.0, 0.0, 0.0), inertia)))
    link1, link2, link3 = links
    end1 = link1.at(a, rotation=(alpha, 0, 0))
    end2 = link2.at(b, rotation=(beta, 0, 0))
    end3 = link3.at(a, rotation=(alpha, 0, 0))
    fixed = m.ground.at(-b, rotation=(-beta, 0, 0))
    m.add(Revolute("first", m.ground.at(0), link1.at(0), "z", ANGLE, RATE))
    m.add(Revolute("second", end1, link2.at(0), "z", angle, slope * RATE))
    m.add(Revolute("third", end2, link3.at(0), "z", -ANGLE, -RATE))
    m.add(Revolute("fourth", end3, fixed, "z", -angle, -slope * RATE))
    return m


CASES = (
    mechanism(
        name="bennett",
        title="Bennett's linkage of four skew revolute joints, turning round under gravity",
        source="Bennett 1903, numbers of this project; exact closure, Runge-Kutta of order 8",
        build=bennett,
        points={"tip": ("link2", (LENGTHS[1], 0.0, 0.0))},
    ),
)
