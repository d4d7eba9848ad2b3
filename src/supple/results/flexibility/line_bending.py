"""Bending of cables and ANCF beams over a run: rotation of elements, curvature, strain.

At a point (y, z) of a section the strain along the axis is

    e + z k_y - y k_z

with the mean stretch e of an element (a cubic that bends cannot have a constant one, so that the
stretch at a point is not meant), and the curvatures k_y, k_z about the axes of the section at its
ends. Twist adds the shear angles of Saint-Venant's torsion. All of them are those beside the shape
at rest. What is told is the principal strain, as of a beam in a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.fem.beams.line import gauss
from supple.fem.nodal.ancf_cable import hermite_rows
from supple.fem.sections.section_stress import outline_rows
from supple.fem.sections.sections import Box, Circle, CrossSection, ISection, Rectangle, Tube
from supple.foundation.cached import cached_property

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFBeam, ANCFLine
    from supple.engine.base.body_records import ANCFRecord
    from supple.fem.beams.line import SectionLaw
    from supple.fem.nodal.ancf_mesh import ANCFMesh
    from supple.foundation.arrays import Array

SECTION = 2  # first of the gradients r_y, r_z


def node_axes(e: Array, which: int) -> Array:
    """Axes (nt, nodes, 3, 3) in columns that Gram and Schmidt make of nodal vectors.

    The two gradients of ``e`` (nt, nodes, V, 3) are r_x and r_y if ``which`` is 1, and r_y and r_z
    if it is 2.
    """
    x, y = e[:, :, which], e[:, :, which + 1]
    x = x / np.sqrt(_dot(x, x))
    y = y - _dot(y, x) * x
    y = y / np.sqrt(_dot(y, y))
    axes = np.empty((*x.shape, 3))
    for k, part in enumerate((x, y, np.cross(x, y))):
        axes[..., (k + which - 1) % 3] = part
    return axes


def element_turns(axes: Array) -> Array:
    """Rotations (nt, elements, 3, 3) from node to node, of axes (nt, nodes, 3, 3)."""
    return np.asarray(np.swapaxes(axes[:, :-1], -1, -2) @ axes[:, 1:])


def turn_vectors(before: Array, now: Array) -> Array:
    """Rotations of elements (nt, elements, 3, 3) beside those at rest, as vectors, rad.

    They are not known of what is folded, turned by pi.
    """
    more = np.swapaxes(before, -1, -2) @ now
    sine = _sines(more)
    size = np.linalg.norm(sine, axis=-1, keepdims=True)
    return np.asarray(sine * angles(more)[..., None] / np.where(size > 0.0, size, 1.0))


def line_turns(e: Array, mesh: ANCFMesh) -> Array:
    """Angles (nt, elements) by which sections, of cables slopes, turn from node to node, rad.

    ``e`` (nt, nodes, V, 3) are nodal vectors of the mesh of a line.
    """
    if e.shape[2] > 2:
        return angles(element_turns(node_axes(e, mesh.axes_from)))
    a, b = np.moveaxis(e[:, np.stack(mesh.cells), 1], 2, 0)
    across = np.linalg.norm(np.cross(a, b), axis=2)
    return np.asarray(np.arctan2(across, (a * b).sum(axis=2)))


def angles(turned: Array) -> Array:
    """Angles (...) of rotations (..., 3, 3), rad."""
    cosine = np.trace(turned, axis1=-2, axis2=-1) - 1.0
    return np.asarray(np.arctan2(np.linalg.norm(_sines(turned), axis=-1), cosine))


def _dot(x: Array, y: Array) -> Array:
    """Scalar products (..., 1) of vectors (..., 3)."""
    return np.asarray(np.einsum("...i,...i->...", x, y)[..., None])


def _sines(turned: Array) -> Array:
    """Axes (..., 3) of rotations (..., 3, 3) times twice the sines of their angles."""
    parts = [(2, 1), (0, 2), (1, 0)]
    return np.stack([turned[..., i, j] - turned[..., j, i] for i, j in parts], axis=-1)


STRAIGHT = 1e-9  # rad; elements that turn less are not bent


class Bending:
    """Rotations of the elements of an ANCF beam beside those at rest.

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
        changes = np.gradient(self.curvature, axis=1)
        for a, b in pairwise(sorted({0, *self.touched, count})):
            if b - a > 1:
                changes[:, a:b] = np.gradient(self.curvature[:, a:b], axis=1)
        return np.asarray(changes)

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


class Reach(NamedTuple):
    """Point of a section at which the strain is largest."""

    # y, z: m, distances from the axis along its axes
    y: float
    z: float
    shear: float  # m, shear angle there over the twist per length
    around: bool  # of an ellipse with these half axes, instead of at the corner of both


@lru_cache(maxsize=256)
def reaches(section: CrossSection) -> tuple[Reach, ...]:
    """Points of a section that matter; of one given by numbers those of an ellipse like it."""
    if isinstance(section, (Rectangle, Box, ISection, Circle, Tube)):
        a, b = cast("tuple[float, float]", section.half_sizes)
        shear = section.J * float(np.linalg.norm(outline_rows(section)[:, 1:, 3], axis=1).max())
        if not isinstance(section, Rectangle):
            return (Reach(a, b, shear, isinstance(section, (Circle, Tube))),)
        # corners, which twist leaves alone, and the middle of a long side
        middle = Reach(0.0, b, shear, False) if a >= b else Reach(a, 0.0, shear, False)
        return Reach(a, b, 0.0, False), middle
    y, z = 2.0 * np.sqrt(np.array([section.I_z, section.I_y]) / section.area)
    a, b = section.half_sizes or (float(y), float(z))
    return (Reach(a, b, 2.0 * a * b * max(a, b) / (a * a + b * b), True),)


def surface_strain(record: ANCFRecord, e: Array, bent: Bending | None) -> Array:
    """Largest principal strains (nt, elements) of nodal vectors (nt, nodes, V, 3).

    ``bent`` is how a beam is bent; a cable has None. What is not a number is infinite.
    """
    strains = _strains(record, e, bent)
    return np.where(np.isfinite(strains), strains, np.inf)


def _strains(record: ANCFRecord, e: Array, bent: Bending | None) -> Array:
    body, mesh = cast("ANCFLine", record.body), record.mesh
    stations = np.asarray(body.stations)
    lengths = np.diff(stations)
    cells = np.stack(mesh.cells)
    own, rest = (x[:, cells, :2].reshape(len(x), -1, 4, 3) for x in (e, mesh.rest[None]))
    laid = 0.0 if body.closed else _stretch(lengths, rest)  # a belt is laid under tension
    stretch = np.abs(_stretch(lengths, own) - laid)
    sections = [body.section.at(float(x) / body.length) for x in stations]
    if bent is None:
        return stretch + _bent_line(lengths, own, sections)
    twist, largest = np.abs(bent.curvature[..., 0]), np.zeros_like(stretch)
    for end in (0, 1):
        curvature = _at_end(end, bent, own, rest)
        here = [reaches(section) for section in sections[end : len(sections) - 1 + end]]
        for point in range(max(map(len, here))):
            y, z, shear, around = np.array([r[min(point, len(r) - 1)] for r in here]).T
            by_y, by_z = y * curvature[1], z * curvature[0]
            along = stretch + np.where(around > 0.0, np.hypot(by_y, by_z), by_y + by_z)
            largest = np.maximum(largest, 0.5 * (along + np.hypot(along, shear * twist)))
    return largest


def _bent_line(lengths: Array, own: Array, sections: list[CrossSection]) -> Array:
    """Strains (nt, e) by bending of a cable, which is as stiff in all planes."""
    size = np.array([max(*reaches(s)[0][:2]) for s in sections])
    first, second = (
        beside * np.linalg.norm(_curvature(xi, lengths, own), axis=2)
        for xi, beside in ((0.0, size[:-1]), (1.0, size[1:]))
    )
    return np.asarray(np.maximum(first, second))


def _at_end(end: int, bent: Bending, own: Array, rest: Array) -> Array:
    """Sizes of the curvatures (2, nt, e) about y and z at the first or last ends of elements, 1/m.

    ``own`` and ``rest`` are places and slopes of elements (nt, e, 4, 3) over time and at rest.
    """
    if bent.beam.element == "continuum":  # it bends where its sections turn
        return np.asarray(np.abs(np.moveaxis(bent.curvature[..., 1:], -1, 0)))
    parts = []
    for axes, line in ((bent.axes, own), (bent.rest_axes, rest)):
        across = axes[:, end : axes.shape[1] - 1 + end, :, 1:]
        curvature = _curvature(float(end), bent.lengths, line)
        parts.append(np.einsum("tex,texk->kte", curvature, across))
    return np.asarray(np.abs(parts[0] - parts[1]))


def _stretch(lengths: Array, own: Array) -> Array:
    """Mean strains (nt, e) of the axes of elements."""
    strain = np.zeros(own.shape[:2])
    for xi, weight in gauss(3):
        strain += weight * 0.5 * ((_at(xi, lengths, 1, own) ** 2).sum(axis=2) - 1.0)
    return strain


def _at(xi: float, lengths: Array, derivative: int, own: Array) -> Array:
    """A derivative (nt, e, 3) of the axes of elements, from places and slopes (nt, e, 4, 3)."""
    return np.asarray(np.einsum("ek,tekx->tex", hermite_rows(xi, lengths, derivative), own))


def _curvature(xi: float, lengths: Array, own: Array) -> Array:
    """Curvatures (nt, e, 3) of the axes of elements as vectors, 1/m."""
    slope, bent = _at(xi, lengths, 1, own), _at(xi, lengths, 2, own)
    size = np.linalg.norm(slope, axis=2, keepdims=True)
    return np.asarray(np.cross(slope, bent) / size**3)
