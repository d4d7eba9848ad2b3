"""Watt's flyball governor: as a stiff tree with spring-dampers, and with rigid coupling links.

The problem "stiff flyball governor" of the IFToMM library of multibody benchmarks (M. Gonzalez,
D. Dopico, U. Lugris, J. Cuadrado, Multibody System Dynamics 16, 2006): a vertical shaft of 1 m that
turns freely, two rods of 1 m hinged 0.05 m beside its top with balls of 5 kg at their ends, and a
slider of 0.1 m on the shaft. Shaft and rods have sections of 0.01 m by 0.01 m; density 3000 kg/m3.
Spring-dampers of 8e5 N/m, 4e4 N s/m and the free length 0.5 m connect the middle of each rod with
the side of the slider. At the start the rods are 30 degrees below level, the slider is 0.5 m above
the foot of the shaft, and all turn with 2 pi rad/s. It has no loop of joints.

"governor-links" has links in place of the spring-dampers, of 0.5 m with the section and density of
the rods: two closed loops. There the slider is at 1 m - 1 m sin(angle), which is exact.

The reference uses the symmetry of both sides and the constant momentum of the shaft: angle of the
rods and height of the slider are left, or the angle alone. Runge-Kutta method of order 8.
"""

from __future__ import annotations

from math import pi

import numpy as np

from supple.bodies.base.rigid import PointMass, RigidBody
from supple.cases.linkages.linkage import mechanism
from supple.forces import SpringDamper
from supple.foundation.frames import Frame
from supple.joints import Prismatic, Revolute
from supple.model import Model

G = 9.81  # m/s2
DENSITY = 3000.0  # kg/m3
LENGTH, SECTION, SIDE, LINK = 1.0, 0.01, 0.1, 0.5  # m
BALL = 5.0  # kg
STIFFNESS, DAMPING = 8e5, 4e4  # N/m, N s/m
ANGLE, HEIGHT, RATE = pi / 6, 0.5, 2.0 * pi  # rad, m, rad/s


def brick(name: str, size: tuple[float, float, float], centre: tuple[float, ...]) -> RigidBody:
    """Return a block of the governor's material with edges (m) along its axes."""
    x, y, z = size
    mass = DENSITY * x * y * z
    return RigidBody(
        name, mass, centre, mass / 12.0 * np.array([y**2 + z**2, x**2 + z**2, x**2 + y**2])
    )


def _shaft_and_rods() -> tuple[Model, list[tuple[Frame, Frame]]]:
    """Return the tree, and for each side the middle of its rod and the side of the slider."""
    m = Model(gravity=(0, 0, -G), name="flyball governor")
    shaft = m.add(brick("shaft", (SECTION, SECTION, LENGTH), (0, 0, LENGTH / 2)))
    slider = m.add(brick("slider", (SIDE, SIDE, SIDE), (0, 0, 0)))
    m.add(Revolute("spin", m.ground.at(0), shaft.at(0), "z", 0.0, RATE))
    m.add(Prismatic("slide", shaft.at(0), slider.at(0), "z", HEIGHT))
    ends = []
    for k, (x, turn) in enumerate(((SIDE / 2, 0.0), (-SIDE / 2, pi)), 1):
        rod = m.add(brick(f"rod{k}", (LENGTH, SECTION, SECTION), (LENGTH / 2, 0, 0)))
        m.add(PointMass(f"ball{k}", rod.at(LENGTH), BALL))
        # each side has axes of its own, x outwards: positive angles lower the ball
        top = shaft.at(x, 0, LENGTH, rotation=(0, 0, turn))
        m.add(Revolute(f"hinge{k}", top, rod.at(0), "y", ANGLE))
        ends.append((rod.at(LENGTH / 2), slider.at(x, rotation=(0, 0, turn))))
    return m, ends


def stiff_governor() -> Model:
    """Return the governor of the benchmark, its sides coupled by spring-dampers."""
    m, ends = _shaft_and_rods()
    for k, (middle, side) in enumerate(ends, 1):
        m.add(SpringDamper(f"coupler{k}", side, middle, STIFFNESS, DAMPING, LINK))
    return m


def linked_governor() -> Model:
    """Return the governor with rigid links from the rods to the slider; "foot1", "foot2" close it.

    A link hangs from the middle of its rod towards the slider: inwards and down as steeply as the
    rod, so it is turned against its rod by pi - 2 angle and its foot by angle - pi.
    """
    m, ends = _shaft_and_rods()
    links = []
    for k, (middle, _) in enumerate(ends, 1):
        link = m.add(brick(f"link{k}", (LINK, SECTION, SECTION), (LINK / 2, 0, 0)))
        m.add(Revolute(f"knee{k}", middle, link.at(0), "y", pi - 2.0 * ANGLE))
        links.append(link)
    for k, (link, (_, side)) in enumerate(zip(links, ends, strict=True), 1):
        m.add(Revolute(f"foot{k}", link.at(LINK), side, "y", ANGLE - pi))
    return m


_POINTS = {"ball1": ("rod1", (LENGTH, 0.0, 0.0)), "ball2": ("rod2", (LENGTH, 0.0, 0.0))}

TREES = (
    mechanism(
        name="flyball-governor",
        title="stiff flyball governor, its couplers spring-dampers",
        source="IFToMM benchmark, Gonzalez et al. 2006; symmetric coordinates, "
        "Runge-Kutta of order 8",
        build=stiff_governor,
        points=_POINTS,
    ),
)

CASES = (
    mechanism(
        name="governor-links",
        title="flyball governor with rigid links, two loops on a turning shaft",
        source="IFToMM benchmark, Gonzalez et al. 2006, with links of 0.5 m in place of springs; "
        "exact closure, Runge-Kutta of order 8",
        build=linked_governor,
        points=_POINTS,
    ),
)
