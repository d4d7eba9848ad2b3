"""Huang's arms with a flexible beam: two links, three links, one and five elements, two modes.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998,
chapter 3. The beam carries 0.5 kg at its tip, where the text puts it, and its torsion constant is
the polar moment, as in the thesis.

The reference is no figure of the thesis but an independent Lagrangian (``huang_flexible.json`` says
how it was computed). Its largest strain energy was sampled every 2 ms; here it is a scale and not
compared. On that grid Supple finds the same number, for ``huang-two-link`` 0.0491642 J; over all
times it is 0.0491679 J.

Tolerances: angles 1e-6 rad (slides in m); rates 1e-6 of the largest listed; elastic translations,
elastic rotations and strains 1e-6 of the largest of their kind; energies 1e-6 of the largest strain
energy; nothing below ten times the error of the reference. The undamped beam of five elements was
computed with one step size only: there it is 1e-5. Energy error over all steps 1e-9 J, momentum
about the vertical 1e-9 kg m2/s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import PointMass
from supple.bodies.beam.beam import Beam
from supple.cases.arms import huang
from supple.cases.arms.huang import conserved_momentum
from supple.cases.case import Case, Quantity, at_times, explicit, references
from supple.fem.base.damping import Rayleigh
from supple.fem.base.material import Material
from supple.fem.sections.sections import Section
from supple.foundation.arrays import Array
from supple.joints import Prismatic, Revolute
from supple.model import Model

if TYPE_CHECKING:
    from supple.results.result import Result
    from supple.results.views.flexible_views import BeamView


ALPHA = 3e-4  # s, damping in proportion to stiffness
SECTION = Section(
    huang.AREA,
    huang.SECOND_MOMENT,
    huang.SECOND_MOMENT,
    2.0 * huang.SECOND_MOMENT,
    half_sizes=(6.35e-3, 6.35e-3),
)
MATERIAL = Material(E=69e9, G=26e9, density=huang.DENSITY)
KINDS = {"u": 0, "v": 1, "w": 2, "tx": 3, "ty": 4, "tz": 5}
PRECISION = 1e-6
AUDIT = 1e-9  # J


def beam(name: str, elements: int, modes: Any, alpha: float) -> Beam:
    """Return the beam of chapter 3."""
    return Beam(
        name,
        huang.LENGTH,
        SECTION,
        MATERIAL,
        elements=elements,
        modes=modes,
        damping=Rayleigh(stiffness=alpha) if alpha else None,
        torsion="polar",
    )


def two_link_arm(
    elements: int = 1,
    modes: Any = "all",
    alpha: float = 0.0,
    name: str = "two-link arm, flexible",
) -> Model:
    """Return the arm of chapter 3; see `supple.cases.arms.huang.two_link_arm` for its posture."""
    m = Model(gravity=(0, -huang.G, 0), name=name)
    link1 = m.add(huang.column("link1", com=-0.1155))
    link2 = m.add(beam("link2", elements, modes, alpha))
    m.add(PointMass("tip", link2.at(huang.LENGTH), huang.TIP_MASS))
    m.add(Revolute("shoulder", m.ground.at(0), link1.at(0), axis="y", initial=1.5))
    m.add(Revolute("elbow", link1.at(0, 0, -0.231), link2.at(0), axis="z", initial=-1.0))
    return m


def three_link_arm() -> Model:
    """Return the arm with a slide between column and beam.

    The inertia of the sliding link is read about its centre of mass: about its origin it is
    impossible.
    """
    m = Model(gravity=(0, -huang.G, 0), name="three-link arm, flexible")
    link1 = m.add(huang.column("link1", com=-0.1155))
    link2 = m.add(huang.column("link2", com=-0.231, about="com"))
    link3 = m.add(beam("link3", 1, "all", ALPHA))
    m.add(PointMass("tip", link3.at(huang.LENGTH), huang.TIP_MASS))
    m.add(Revolute("shoulder", m.ground.at(0), link1.at(0), axis="y", initial=1.5))
    m.add(Prismatic("slide", link1.at(0, 0, -0.231), link2.at(0), axis="z"))
    m.add(Revolute("elbow", link2.at(0, 0, -0.462), link3.at(0), axis="z", initial=-1.0))
    return m


def measure_arm(
    file: str, name: str, body: str = "link2", cyclic: bool = True
) -> Callable[[Result], list[Quantity]]:
    """Return the comparison with a case of a file; ``cyclic``: nothing acts about the vertical."""

    def measure(result: Result) -> list[Quantity]:
        reference = references(file)[name]
        error = reference["error_estimate"]
        share, least = (10 * PRECISION, 0.0) if error is None else (PRECISION, 10.0 * error)

        def compare(what: str, values: Array, expected: Any, scale: float) -> list[Quantity]:
            rows = np.asarray(expected, dtype=float)
            return at_times(what, values, rows, max(share * scale, least), huang.TIMES)

        found: list[Quantity] = []
        angles = np.array(reference["angles"]).T
        for joint, expected in zip(result.joints, angles, strict=True):
            found += compare(joint, result[joint].coordinates[:, 0], expected, 1.0)
        if "rates" in reference:
            rates = np.array(reference["rates"]).T
            for joint, expected in zip(result.joints, rates, strict=True):
                values = result[joint].rates[:, 0]
                found += compare(f"{joint} rate", values, expected, float(np.abs(rates).max()))
        found += _elastic(result[body], np.array(reference["elastic"]), compare)
        if "root_strain" in reference:
            strains = np.array(reference["root_strain"]).T
            for side, expected in zip("zy", strains, strict=True):
                values = result[body].at(0.0).strain(side, axial=False)
                scale = float(np.abs(strains).max())
                found += compare(f"{body}@0.strain {side}", values, expected, scale)
        for kind in ("kinetic", "gravity", "strain"):
            if kind in reference:
                values = getattr(result.energy, kind)
                found += compare(f"energy.{kind}", values, reference[kind], reference["max_strain"])
        if "dissipated" in reference:  # at the end only, and it must be there
            lost = result.energy.dissipated[-1] if len(result.t) == len(huang.TIMES) else np.nan
            bound = max(share * reference["max_strain"], least)
            lost, expected = float(lost), reference["dissipated"]
            found.append(Quantity("energy.dissipated", lost, expected, bound, huang.TIMES[-1]))
        found.append(Quantity("energy.error", result.energy.record.max_error, 0.0, AUDIT))
        if cyclic:
            found.append(conserved_momentum(result, 1))
        return found

    return measure


def _elastic(view: BeamView, reference: Array, compare: Any) -> list[Quantity]:
    """Compare displacements and rotations of the beam's nodes, or of its tip only."""
    rows = reference.reshape(len(reference), -1, 6)
    largest = np.abs(rows[..., :3]).max(), np.abs(rows[..., 3:]).max()
    count = rows.shape[1]
    found: list[Quantity] = []
    for node in range(count):
        station = view.at(view.length * (node + 1) / count)
        values = np.hstack([station.deflection, station.rotation])
        for kind, k in KINDS.items():
            scale = float(largest[k // 3])
            found += compare(f"{station.name}.{kind}", values[:, k], rows[:, node, k], scale)
    return found


def _case(
    name: str,
    title: str,
    part: str,
    build: Callable[[], Model],
    body: str = "link2",
    method: str = "Runge-Kutta of order 8",
    **options: Any,
) -> Case:
    source = f"Huang 1998, {part}; independent Lagrangian, {method}"
    measure = measure_arm("huang_flexible", name, body)
    return Case(name, title, source, huang.TIMES, build, measure, **options)


CASES = (
    _case(
        "huang-two-link",
        "two-link arm with a flexible beam, one element",
        "table 3.1",
        two_link_arm,
        integrator=explicit,
    ),
    _case(
        "huang-two-link-damped",
        "two-link arm with a flexible beam, one element, damped",
        "table 3.1",
        lambda: two_link_arm(alpha=ALPHA),
    ),
    _case(
        "huang-five-elements",
        "two-link arm with a flexible beam, five elements, damped",
        "table 3.1",
        lambda: two_link_arm(elements=5, alpha=ALPHA),
        method="Radau",
    ),
    _case(
        "huang-five-elements-undamped",
        "two-link arm with a flexible beam, five elements (takes a minute)",
        "table 3.1",
        lambda: two_link_arm(elements=5),
        integrator=explicit,
        long=True,
    ),
    _case(
        "huang-two-modes",
        "two-link arm with a flexible beam, its first two modes",
        "section 3.4",
        lambda: two_link_arm(modes=2),
    ),
    _case(
        "huang-three-link",
        "column, slide and flexible beam, damped",
        "table 3.2",
        three_link_arm,
        body="link3",
    ),
)
