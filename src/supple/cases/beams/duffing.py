"""Huang's example of regular and chaotic motion: a driven body in a double well (Duffing).

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998,
equation (1.6), ``y'' + gamma y' + y^3 - y = mu sin t`` with mu = 10: regular with gamma = 0.6,
chaotic with gamma = 0.06. In SI units, for a mass of 1 kg. The thesis does not say where the motion
starts; here it starts at rest at y = 0.

**The window matters.** Both motions wander at first and end on a cycle. With gamma = 0.6 that takes
less than 100 s. With gamma = 0.06 it takes 200 to 900 s, depending on the last digits of the start,
and after that neighbours approach at about 0.03 1/s: the chaos is transient. So the cases compare
the mean growth of small distances from 30 s to 150 s, which is what `supple.lyapunov` gives for a
run of 150 s; what they call regular or chaotic is the motion in that window.

The reference is a Taylor series of order 36 in 40 decimal digits, of the equation and of its
linearisation about the motion, with steps of 0.05 s; a test repeats it in double precision.

Tolerances: places 1e-6 m and rates 1e-6 of the largest listed, up to 15 s, by when distances have
grown tenfold. By 150 s they grow by e^22 with gamma = 0.06, so that places are not compared. The
exponent, from a run at 1e-12, may err by 1e-3 1/s: the motion is known to e^22 1e-12 = 0.4 % at the
end, and the distances, of 1e-5, are not quite infinitesimal. Errors of the energy add up, as in
each period of the drive it is fed in and lost: 1e-9 of the largest kinetic energy for each period.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.cases.case import Case, Quantity, at_times, references
from supple.forces import JointEffort, JointSpring
from supple.joints import Prismatic
from supple.model import Model

if TYPE_CHECKING:
    from supple.results.result import Result

PERIOD = 2.0 * pi  # s, of the drive
TIMES = tuple(float(t) for t in range(1, 16))  # s
WINDOW = 150.0  # s, the end of what is called regular or chaotic


def oscillator(damping: float) -> Model:
    """Return the body on its rail, at rest between the wells; damping in N s/m."""
    m = Model(name="driven double well")
    body = m.add(RigidBody("body", 1.0))
    rail = m.add(Prismatic("rail", m.ground.at(0), body.at(0)))
    m.add(JointSpring("well", rail, stiffness=-1.0, cubic=1.0, damping=damping))
    m.add(JointEffort("drive", rail, "10*sin(t)"))
    return m


@dataclass(frozen=True)
class Reference:
    """Place (m) and rate (m/s) at `TIMES`; mean growth of distances, 1/s, from 30 s to 150 s."""

    damping: float
    motion: tuple[tuple[float, float], ...]
    exponent: float


REGULAR, CHAOTIC = (Reference(**row) for row in references("duffing").values())


def _measure(reference: Reference) -> Callable[[Result], list[Quantity]]:
    def measure(result: Result) -> list[Quantity]:
        rail = result["rail"]
        places, rates = np.array(reference.motion).T
        n = len(TIMES)
        found = at_times("place", rail.displacement[:n], places, 1e-6, TIMES)
        fastest = 1e-6 * float(np.abs(rates).max())
        found += at_times("rate", rail.displacement_rate[:n], rates, fastest, TIMES)
        record = result.energy.record
        bound = 1e-9 * record.kinetic_max * result.t[-1] / PERIOD
        found.append(Quantity("energy.error", record.max_error, 0.0, bound))
        exponent, sign = _growth(result)
        expected = reference.exponent
        found.append(Quantity("Lyapunov exponent", exponent, expected, 1e-3, WINDOW))
        found.append(Quantity("its sign", sign, float(np.sign(expected)), 0.0, WINDOW))
        return found

    return measure


def _growth(result: Result) -> tuple[float, float]:
    """Exponent and its sign over the window, of the model of a run that reached its end."""
    from supple.integrators.methods.explicit import DormandPrince
    from supple.studies.lyapunov import lyapunov

    if not result.success or result.t[-1] < WINDOW:
        return np.nan, np.nan
    found = lyapunov(
        result.model, WINDOW, interval=1.0, tolerance=1e-12, integrator=DormandPrince()
    )
    return found.exponent, float(found.sign)


def _case(name: str, kind: str, reference: Reference) -> Case:
    return Case(
        name=name,
        title=f"driven body in a double well, {kind} over {WINDOW:g} s",
        source="Huang 1998, equation (1.6); Taylor series of order 36 in 40 digits",
        times=(*TIMES, WINDOW),
        build=lambda: oscillator(reference.damping),
        measure=_measure(reference),
    )


CASES = (
    _case("duffing-regular", "regular", REGULAR),
    _case("duffing-chaotic", "chaotic", CHAOTIC),
)
