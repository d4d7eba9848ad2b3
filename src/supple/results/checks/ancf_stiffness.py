"""Locking of beam elements, estimated from a run, and shear that is left out.

Elements ``elastic_line`` and ``continuum`` have gradients across the axis that are linear between
nodes, and see all that this does (docs/theory.md, "Elements over nodal vectors"):

- an element that turns by the angle a has a section that is shorter between its nodes than there.
  What is left when the nodes share it has the energy E' A l a^4 / 720 beside E I a^2 / l of
  bending, E' the modulus without contraction: it locks, the more the thinner it is;
- its curvature is constant. A curvature that changes by d over the element has d^2 / 12 less of
  its square: the tip of a cantilever of n elements deflects by 1 - 1/(4 n^2);
- of a continuum, bending is stiffer by E'/E, since sections cannot contract on one side only.

Elements ``elastic_line`` and ``collocated`` leave out deflections by shear forces V = E I k', whose
energy would be V^2 / (G A) beside E I k^2 of the curvature k.

All of these are parts of the largest energy of the run, as of a beam that has to take the same
shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.errors import label
from supple.results.data.findings import Finding
from supple.results.flexibility.deformation import Extreme

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFBeam
    from supple.foundation.poses import Array
    from supple.results.flexibility.beam_bending import Bending

LIMIT, SERIOUS = 0.02, 0.1  # parts of the stiffness


def excess(bent: Bending) -> Array:
    """Parts (nt,) of the stiffness that are too much."""
    beam, lengths = bent.beam, bent.lengths
    if beam.element not in ("elastic_line", "continuum"):
        return np.zeros(len(bent.e))
    poisson = beam.material.E / (2.0 * beam.material.G) - 1.0
    whole = (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    square = (bent.curvature**2).sum(axis=2) * lengths**2
    axial = np.array([law.axial for law in bent.laws])
    locked = whole * axial * lengths * square**2 / 720.0
    constant = (bent.stiffness * bent.changes**2).sum(axis=2) * lengths / 12.0
    found = (locked + constant).sum(axis=1)
    if beam.element == "continuum":
        found = found + (whole - 1.0) * bent.energy
    return bent.of_largest(found)


def missing_shear(bent: Bending) -> Array:
    """Parts (nt,) of the deflection that shear forces would add."""
    if bent.beam.element == "continuum":
        return np.zeros(len(bent.e))
    forces = bent.stiffness[:, 1:] * bent.changes[..., 1:] / bent.lengths[:, None]
    # a moment about y changes by a force along z
    stiffness = np.array([law.shear[::-1] for law in bent.laws])
    return bent.of_largest((forces**2 / stiffness).sum(axis=2) @ bent.lengths)


def of_stiffness(beam: ANCFBeam, found: Extreme) -> Iterator[Finding]:
    """Finding if elements are too stiff by more than the limit."""
    return _told(
        beam,
        "locking",
        found,
        f"its elements {beam.element!r} are about {{}} % too stiff",
        "since they lock where they turn: use element='collocated', or more of them",
    )


def of_shear(beam: ANCFBeam, found: Extreme) -> Iterator[Finding]:
    """Finding if a beam is so thick that the shear it leaves out matters."""
    return _told(
        beam,
        "shear",
        found,
        "it leaves out deflections by shear forces, about {} % of its own",
        "because it is thick beside the length over which it bends: use a Beam with "
        "theory='timoshenko', or a mesh of solids",
    )


def _told(beam: ANCFBeam, what: str, found: Extreme, is_so: str, why: str) -> Iterator[Finding]:

    passed = found.passes(LIMIT)
    if passed is None:
        return
    value = found.largest
    yield Finding(
        beam.name,
        what,
        value,
        LIMIT,
        passed,
        not value <= SERIOUS,
        f"{label(beam)}: {is_so.format(f'{100.0 * value:.3g}')}, more than {100.0 * LIMIT:g} % "
        f"from t = {passed:.4g} s on, {why}",
    )
