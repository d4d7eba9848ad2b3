"""Richard's planar four-bar with flexible coupler and follower.

M. Richard, Dynamics of flexible multibody systems by linear graph theory, 2012, section 5.1. A
rigid crank OA turns at 210 rad/s; coupler AB and follower CB are flexible, on pins. The paper does
not give the lengths of ground, coupler and follower: 0.9, 0.9 and 0.75 m are assumed. Its second
moment of area is kept as printed, though the area is that of a round bar of 15 mm, whose moment is
12 times smaller. No gravity, no damping, no foreshortening; the mass is on the axes.

At the start the crank is along +x, toward C, B is above the ground line (open branch), the links
are straight and their deformation is at rest; rates are those of the rigid four-bar.

Pins do not move sines, so the chords move as the rigid four-bar does. The reference uses this: an
independent computation of two sines for each link on that motion. A computation without moving
frames agrees with it to 1e-14 m.

Tolerance: 1e-6 m, the error that the reference states, which is 1e-4 of the deflections. Energy
error over all steps: 1e-9 of the largest kinetic energy.
"""

from __future__ import annotations

from cmath import exp, phase
from math import acos, radians
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.beam.beam import Beam
from supple.cases.case import Case, Quantity, at_times, energy_error, explicit, extremes, references
from supple.constraints import Driver
from supple.fem.base.material import Material
from supple.fem.sections.sections import Section
from supple.joints import General, Revolute
from supple.model import Model
from supple.reduction.assumed.shapes import SineShapes
from supple.signals import Polynomial

if TYPE_CHECKING:
    from supple.results.result import Result

GROUND, CRANK, COUPLER, FOLLOWER = 0.9, 0.3, 0.9, 0.75  # m
SPEED = 210.0  # rad/s
MOMENT = 3.112e-8  # m4
SECTION = Section(1.767e-4, MOMENT, MOMENT, 2 * MOMENT)
STEEL = Material(E=200e9, G=77e9, density=7800)  # G is not used: the links do not twist
TIMES = tuple(radians(k) / SPEED for k in range(721))  # s, two revolutions
EVERY = 30  # degrees, of the compared rows


def start() -> tuple[tuple[float, float], tuple[float, float]]:
    """Angles (rad) of coupler and follower against x when the crank is at zero, and their rates."""
    gap = GROUND - CRANK
    coupler = acos((gap**2 + COUPLER**2 - FOLLOWER**2) / (2 * gap * COUPLER))
    follower = phase(CRANK + COUPLER * exp(1j * coupler) - GROUND)
    # CRANK e^i0 speed + COUPLER e^i c c' = FOLLOWER e^i f f', real and imaginary part
    arms = COUPLER * exp(1j * coupler), -FOLLOWER * exp(1j * follower)
    matrix = [[a.real for a in arms], [a.imag for a in arms]]
    rates = np.linalg.solve(matrix, [-CRANK * SPEED, 0.0])
    return (coupler, follower), (float(rates[0]), float(rates[1]))


def four_bar(modes: SineShapes | None = None) -> Model:
    """Return the four-bar, not driven yet.

    The closing pin leaves coupler and follower free to tilt and to slide along z, which the other
    pins prevent already: so it has two constraints, and none of them is redundant.
    """
    m = Model(gravity=(0, 0, 0), name="four-bar")
    # The crank's motion is given: its inertia loads the drive and nothing else.
    thin = 0.5 * CRANK**2 / 12
    crank = m.add(RigidBody("crank", 0.5, com=(CRANK / 2, 0, 0), inertia=(1e-5, thin, thin)))
    coupler, follower = (
        m.add(
            Beam(
                name,
                length,
                SECTION,
                STEEL,
                modes=modes or SineShapes(2, planes=("y",)),
                reference="chord",
                rotary_inertia=False,
            )
        )
        for name, length in (("coupler", COUPLER), ("follower", FOLLOWER))
    )
    (th3, th4), (w3, w4) = start()
    m.add(Revolute("bearing O", m.ground.at(0), crank.at(0), initial_rate=SPEED))
    m.add(Revolute("pin A", crank.at(CRANK), coupler.at(0), initial=th3, initial_rate=w3 - SPEED))
    m.add(Revolute("bearing C", m.ground.at(GROUND), follower.at(0), initial=th4, initial_rate=w4))
    m.add(
        General(
            "pin B",
            coupler.at(COUPLER),
            follower.at(FOLLOWER),
            axes=[("translate", "z"), ("rotate", "z"), ("rotate", "y"), ("rotate", "x")],
            initial=(0.0, th4 - th3, 0.0, 0.0),
            initial_rate=(0.0, w4 - w3, 0.0, 0.0),
        )
    )
    return m


def driven_four_bar(modes: SineShapes | None = None) -> Model:
    """Return the four-bar with its crank at constant speed."""
    m = four_bar(modes)
    m.add(Driver("drive", m.joints["bearing O"], motion=Polynomial((0.0, SPEED))))
    return m


def measure(result: Result) -> list[Quantity]:
    """Compare the deflection of the middle of both links across their chords."""
    reference = references("loops")["richard-four-bar"]
    bound = reference["error_estimate"]
    found: list[Quantity] = []
    for key, body, length in (("AB", "coupler", COUPLER), ("BC", "follower", FOLLOWER)):
        values = result[body].at(length / 2).deflection[:, 1]
        rows = reference[f"mid_{key}"]
        found += at_times(f"middle of {key}", values[::EVERY], rows, bound, TIMES[::EVERY])
        found += extremes(f"of {key}", values, reference[f"max_min_{key}"], bound, TIMES)
    return [*found, energy_error(result, 1e-9)]


CASES = (
    Case(
        name="richard-four-bar",
        title="four-bar with flexible coupler and follower, two sines each",
        source="Richard 2012, section 5.1, lengths assumed; independent equations of two sines",
        times=TIMES,
        build=driven_four_bar,
        measure=measure,
        integrator=explicit,  # the vibration is not damped
    ),
)
