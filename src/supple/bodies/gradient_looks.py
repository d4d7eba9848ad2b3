"""Places of beams and cables without a frame, and what is seen of them: sections, or a line.

Every vertex is a material point, so that it moves linearly with the nodal vectors: its coordinates
are those of the body less the ones at rest, in axes that do not move.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supple.fem.gradient_beam import beam_rows, place_row
from supple.fem.gradient_mesh import Indices
from supple.fem.hermite import hermite
from supple.fem.outlines import section_outline
from supple.fem.surface import Surface, swept
from supple.validate import Vector

if TYPE_CHECKING:
    from supple.bodies.gradient import GradientLine

PER_ELEMENT, MOST = 4, 64  # sections of an element, and of a body


def line_vectors(body: GradientLine, x: float) -> tuple[Indices, Vector]:
    """Numbers (K,) of nodal vectors, and rows (n, K) that give r, r_x, r_y at a station (m)."""
    stations = np.asarray(body.stations)
    k = int(np.clip(np.searchsorted(stations, x, side="right") - 1, 0, len(stations) - 2))
    length = float(stations[k + 1] - stations[k])
    xi = (x - float(stations[k])) / length
    if body.turns:
        rows = np.vstack([place_row(xi, length), beam_rows(xi, length)[:2]])
    else:
        rows = np.array([hermite(xi, length), hermite(xi, length, 1)])
    return body.mesh.vectors[k], rows


def line_surface(body: GradientLine) -> Surface:
    """A beam by its sections, a cable by its axis."""
    mesh = body.mesh
    count = min(PER_ELEMENT * (len(body.stations) - 1), MOST)
    x = np.linspace(0.0, body.length, count + 1)
    shown = [body.shown_vectors(body.at(float(s))) for s in x]
    flat = mesh.rest.reshape(-1, 3)
    resting = np.array([rows @ flat[vectors] for vectors, rows in shown])
    centres, none = resting[:, 0], np.zeros((len(x), 6, 0))
    if body.turns:
        gradients = resting[:, 1:3] / np.linalg.norm(resting[:, 1:3], axis=2)[:, :, None]
        along, across = gradients[:, 0], gradients[:, 1]
        axes = np.stack([along, across, np.cross(along, across)], axis=2)
        outlines = [section_outline(body.section.at(float(s) / body.length)) for s in x]
        found = swept(centres, axes, outlines, none, none, None, body.material.E)
        beside = np.einsum("vji,vj->vi", axes[found.place], found.arms)[:, 1:]
    else:
        line = np.arange(len(x))
        found = Surface(centres, lines=np.stack([line[:-1], line[1:]], axis=1), place=line)
        beside = np.zeros((len(x), 2))
    motion = np.zeros((len(found.points), 6, mesh.size))
    for k, (section, (y, z)) in enumerate(zip(found.place, beside, strict=True)):
        vectors, rows = shown[section]
        row = rows[0] if not body.turns else rows[0] + y * rows[2] + z * _of_z(rows[2])
        for c in range(3):
            motion[k, c, 3 * vectors + c] = row
    return replace(
        found,
        rows=motion,
        slaved=np.zeros((len(motion), 6, 0)),
        place=np.arange(len(motion)),
        arms=np.zeros((len(motion), 3)),
    )


def _of_z(row: Vector) -> Vector:
    """The row (8,) of r_z from that of r_y: the vector behind it at each node."""
    return np.roll(row, 1)
