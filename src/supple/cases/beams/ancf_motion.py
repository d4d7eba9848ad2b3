"""A soft pendulum and a soft beam in free flight: bodies without a frame in large motion.

``ancf-pendulum``: a rubber cable of 2 m, a square of 20 mm, E = 10 MPa, falls from the horizontal,
hinged at its end; it bends by more than a radian and stretches by 1 %. The reference is a chain of
mass points with springs between them, axial ones on the stretch and angular ones between the
segments, 64, 128 and 256 of them, extrapolated twice (``tests/oracles/chain_oracle.py``). Cables
have Green's strain, which is larger by half of its square; 16 elements are converged to 5e-4 m.

``ancf-free-flight``: a soft beam is thrown, turning about all axes, by the energy scheme: 2000
steps of 5 ms keep energy and all momenta to 1e-10 of themselves. It stretches by 0.0286 in its
middle (8 and 16 elements: 0.0285 and 0.0286), which its two elements find to 1e-3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.nodal.ancf_line import ANCFBeam, Cable
from supple.cases.case import Case, Quantity, at_times
from supple.fem.base.material import Material
from supple.fem.sections.sections import Rectangle
from supple.joints import Free, Spherical
from supple.model import Model

if TYPE_CHECKING:
    from supple.formulations.base import Formulation
    from supple.integrators.methods.base import Integrator
    from supple.results.result import Result

RUBBER = Material(E=1e7, G=4e6, density=1000.0)
SOFT = Material(E=1e6, G=4e5, density=1000.0)
LENGTH = 2.0  # m, of both
TIMES = (0.25, 0.5, 0.75, 1.0)  # s
# The tip of the pendulum at these times, m; two extrapolations differ by at most 4e-5 m.
TIPS = (
    (1.9225572321, -0.3108994901),
    (1.3295153176, -1.2433651520),
    (-0.7639459679, -1.7314485949),
    (-1.7580793442, -0.9370315903),
)
STEPS = 2000
STEP = 5e-3  # s, of the flight


def pendulum(elements: int = 16) -> Model:
    """Return the cable along x, hinged at the origin."""
    m = Model(gravity=(0, -9.81, 0), name="soft pendulum")
    rope = m.add(Cable("rope", LENGTH, Rectangle(0.02, 0.02), RUBBER, elements))
    m.add(Spherical("hinge", m.ground.at(0), rope.at(0)))
    return m


def measure_pendulum(result: Result) -> list[Quantity]:
    """Compare the tip, and the energy with the 15 J that the fall sets free."""
    tip, found = result["rope"].at(LENGTH).position, []
    for k, axis in enumerate("xy"):
        found += at_times(f"tip {axis}", tip[:, k], [p[k] for p in TIPS], 5e-4, TIMES)
    return [*found, Quantity("energy.error", result.energy.record.max_error, 0.0, 1e-3)]


def flight() -> Model:
    """Return the beam, straight and turning at the start."""
    m = Model(gravity=(0, 0, 0), name="free flight")
    arm = m.add(ANCFBeam("arm", LENGTH, Rectangle(0.1, 0.2), SOFT, 2))
    m.add(Free("free", m.ground.at(0), arm.at(0), initial_rate=(1, 2, 5, 0.3, 0.2, 0.1)))
    return m


def measure_flight(result: Result) -> list[Quantity]:
    """Compare energy and momenta over all steps, and the strain of its middle."""
    record, complete = result.energy.record, result.statistics["steps"] == STEPS
    energy = record.max_error / max(record.max_energy, record.kinetic_max)
    momenta = [r.ratio for r in result.momentum]
    places = (0.1 * LENGTH, 0.5 * LENGTH, 0.9 * LENGTH)
    strain = max(float(np.abs(result["arm"].at(x).axial_strain).max()) for x in places)
    return [
        Quantity("energy", energy if complete else np.nan, 0.0, 1e-10),
        Quantity("momenta", max(momenta) if complete else np.nan, 0.0, 1e-10),
        Quantity("largest strain", strain, 0.0286, 1e-3),
    ]


def scheme() -> Integrator:
    """Return the energy scheme."""
    from supple.integrators.energy.scheme import EnergyScheme

    return EnergyScheme(step=STEP)


def absolute() -> Formulation:
    """Return the coordinates of the energy scheme."""
    from supple.formulations.trees import Absolute

    return Absolute()


def small_steps() -> Integrator:
    """Return a method that is quick where fast vibrations do not matter."""
    from supple.integrators.methods.alpha import GeneralizedAlpha

    return GeneralizedAlpha(step=2e-4)


CASES = (
    Case(
        name="ancf-pendulum",
        title="a soft pendulum of 16 elements of a cable falls",
        source="chain of mass points with axial and angular springs, extrapolated",
        times=TIMES,
        build=pendulum,
        measure=measure_pendulum,
        integrator=small_steps,
    ),
    Case(
        name="ancf-free-flight",
        title="a soft beam over nodal vectors in free flight, by the energy scheme",
        source="conservation of energy and momenta",
        times=tuple(0.05 * k for k in range(1, 201)),
        build=flight,
        measure=measure_flight,
        integrator=scheme,
        formulation=absolute,
    ),
)
