"""Strain on the surface of cables and gradient beams: stretch, bending in both planes, and twist.

At a point (y, z) of a section the strain along the axis is

    e + z k_y - y k_z

with the mean stretch e of an element (a cubic that bends cannot have a constant one, so that the
stretch at a point is not meant), and the curvatures k_y, k_z about the axes of the section at its
ends. Twist adds the shear angles of Saint-Venant's torsion. All of them are those beside the shape
at rest. What is told is the principal strain, as of a beam in a frame.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.fem.beams.hermite import hermite_rows
from supple.fem.beams.line import gauss
from supple.fem.sections.section_stress import outline_rows
from supple.fem.sections.sections import Box, Circle, CrossSection, ISection, Rectangle, Tube

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.engine.base.body_records import ANCFRecord
    from supple.foundation.poses import Array
    from supple.results.flexibility.beam_bending import Bending


class Reach(NamedTuple):
    """Where the strain of a section is largest.

    Attributes
    ----------
    y, z : m, distances from the axis along its axes
    shear : m, shear angle there over the twist per length
    around : of an ellipse with these half axes, instead of at the corner of both
    """

    y: float
    z: float
    shear: float
    around: bool


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
    found = _strains(record, e, bent)
    return np.where(np.isfinite(found), found, np.inf)


def _strains(record: ANCFRecord, e: Array, bent: Bending | None) -> Array:
    body, mesh = cast("ANCFLine", record.body), record.mesh
    stations = np.asarray(body.stations)
    lengths = np.diff(stations)
    cells = np.stack(mesh.cells)
    own, rest = (x[:, cells, :2].reshape(len(x), -1, 4, 3) for x in (e, mesh.rest[None]))
    stretch = np.abs(_stretch(lengths, own) - _stretch(lengths, rest))
    sections = [body.section.at(float(x) / body.length) for x in stations]
    if bent is None:
        return stretch + _bent_line(lengths, own, sections)
    twist, found = np.abs(bent.curvature[..., 0]), np.zeros_like(stretch)
    for end in (0, 1):
        curvature = _at_end(end, bent, own, rest)
        here = [reaches(section) for section in sections[end : len(sections) - 1 + end]]
        for point in range(max(map(len, here))):
            y, z, shear, around = np.array([r[min(point, len(r) - 1)] for r in here]).T
            by_y, by_z = y * curvature[1], z * curvature[0]
            along = stretch + np.where(around > 0.0, np.hypot(by_y, by_z), by_y + by_z)
            found = np.maximum(found, 0.5 * (along + np.hypot(along, shear * twist)))
    return found


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
    found = np.zeros(own.shape[:2])
    for xi, weight in gauss(3):
        found += weight * 0.5 * ((_at(xi, lengths, 1, own) ** 2).sum(axis=2) - 1.0)
    return found


def _at(xi: float, lengths: Array, derivative: int, own: Array) -> Array:
    """A derivative (nt, e, 3) of the axes of elements, from places and slopes (nt, e, 4, 3)."""
    value: Array = np.einsum("ek,tekx->tex", hermite_rows(xi, lengths, derivative), own)
    return value


def _curvature(xi: float, lengths: Array, own: Array) -> Array:
    """Curvatures (nt, e, 3) of the axes of elements as vectors, 1/m."""
    slope, bent = _at(xi, lengths, 1, own), _at(xi, lengths, 2, own)
    size = np.linalg.norm(slope, axis=2, keepdims=True)
    return np.asarray(np.cross(slope, bent) / size**3)
