"""Bending and twist of gradient beams over a run, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.fem.sections.sections import CrossSection
from supple.results.flexibility.line_turns import (
    SECTION,
    angles,
    element_turns,
    node_axes,
    turn_vectors,
)

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFBeam
    from supple.engine.base.body_records import ANCFRecord
    from supple.fem.beams.line import SectionLaw
    from supple.foundation.poses import Array

STRAIGHT = 1e-9  # rad; elements that turn less are not bent


class Bending:
    """Rotations of the elements of a gradient beam beside those at rest.

    Attributes
    ----------
    beam : ANCFBeam
    e, rest : (nt, nodes, V, 3) nodal vectors over time, and (1, nodes, V, 3) at rest
    touched : nodes at which something acts on the beam, so that its curvature may jump
    which : first of the two gradients whose axes bend
    axes, rest_axes : (nt, nodes, 3, 3) and (1, nodes, 3, 3) axes of sections in columns
    lengths : (elements,) m
    turned : (nt, elements) rad from node to node, with the rotation at rest
    curvature : (nt, elements, 3) twist, and curvatures about y and z of the section, 1/m
    """

    def __init__(self, record: ANCFRecord, e: Array, touched: Sequence[int]) -> None:
        self.beam = cast("ANCFBeam", record.body)
        self.e, self.rest, self.touched = e, record.mesh.rest[None], touched
        solid = self.beam.element == "continuum"
        self.which = SECTION if solid else record.mesh.axes_from
        self.lengths = np.diff(np.asarray(self.beam.stations))
        self.axes, self.rest_axes = (node_axes(x, self.which) for x in (e, self.rest))
        before, now = element_turns(self.rest_axes), element_turns(self.axes)
        self.curvature = turn_vectors(before, now) / self.lengths[:, None]
        self.turned = angles(now)

    @cached_property
    def laws(self) -> tuple[SectionLaw, ...]:
        """Stiffness of the sections in the middle of elements."""
        if isinstance(self.beam.section, CrossSection):  # the same everywhere
            return (self.beam.line_law(0.0),) * len(self.lengths)
        stations = np.asarray(self.beam.stations)
        middles = 0.5 * (stations[1:] + stations[:-1]) / self.beam.length
        return tuple(self.beam.line_law(s) for s in middles.tolist())

    @cached_property
    def stiffness(self) -> Array:
        """(elements, 3) N m2 of twist and of curvatures about y and z."""
        every = [(x.torsional, x.bending[1, 1], x.bending[0, 0]) for x in self.laws]
        return np.array(every, dtype=float)

    @cached_property
    def changes(self) -> Array:
        """(nt, elements, 3) change of the curvature over each element, from its neighbours, 1/m.

        One element does not tell: as if it were a cantilever.
        """
        count = len(self.lengths)
        if count == 1:
            return np.asarray(np.sqrt(3.0) * self.curvature)
        found = np.gradient(self.curvature, axis=1)
        for a, b in pairwise(sorted({0, *self.touched, count})):
            if b - a > 1:
                found[:, a:b] = np.gradient(self.curvature[:, a:b], axis=1)
        return np.asarray(found)

    @cached_property
    def energy(self) -> Array:
        """(nt,) twice the energy of bending and twist, J."""
        found: Array = ((self.stiffness * self.curvature**2).sum(axis=2) * self.lengths).sum(axis=1)
        return found

    def of_largest(self, energy: Array) -> Array:
        """An energy (nt,), doubled, in parts of the largest that the beam has in the run.

        What happens while it is nearly straight does not count, nor what never bends.
        """
        size = np.abs(self.curvature) * self.lengths[:, None]
        largest = float(np.nanmax(self.energy, initial=0.0))
        if not np.nanmax(size, initial=0.0) > STRAIGHT or largest == 0.0:
            return np.zeros(len(self.e))
        return energy / largest
