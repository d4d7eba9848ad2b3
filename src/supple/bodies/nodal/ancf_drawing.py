"""Drawing of bodies without a frame: sections of beams, lines of cables, faces of meshes.

Every vertex is a material point, so that it moves linearly with the nodal vectors: its coordinates
are those of the body less the ones at rest, in axes that do not move.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.fem.drawn.boundary import SPLITS
from supple.fem.drawn.surface import DrawnMesh, Surface, mean_radius, swept
from supple.fem.nodal.ancf_beam import beam_rows, place_row
from supple.fem.nodal.ancf_cable import hermite
from supple.fem.nodal.ancf_plate import PlateRows, grid_cells
from supple.fem.sections.outlines import section_outline
from supple.foundation.arrays import Indices, Vector

if TYPE_CHECKING:
    from scipy import sparse

    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.bodies.nodal.ancf_nodes import ANCFNodes

PER_ELEMENT, MOST = 4, 64  # sections of an element, and of a body


def line_vectors(body: ANCFLine, x: float) -> tuple[Indices, Vector]:
    """Numbers (K,) of nodal vectors, and rows (n, K): r, r_x, of a beam r_y, r_z at x (m)."""
    stations = np.asarray(body.stations)
    k = int(np.clip(np.searchsorted(stations, x, side="right") - 1, 0, len(stations) - 2))
    length = float(stations[k + 1] - stations[k])
    xi = (x - float(stations[k])) / length
    if body.turns:
        rows = np.vstack([place_row(xi, length), beam_rows(xi, length)[:3]])
    else:
        rows = np.array([hermite(xi, length), hermite(xi, length, 1)])
    return body.mesh.vectors[k], rows


def drawn_line(body: ANCFLine) -> tuple[DrawnMesh, sparse.csr_array]:
    """A line through the axis, and rows (p, n) of its points from nodal vectors."""
    from scipy import sparse

    x = _shown_stations(body)
    rows = np.zeros((len(x), body.mesh.size // 3))
    for row, s in zip(rows, x, strict=True):
        vectors, given = line_vectors(body, float(s))
        row[vectors] = given[0]
    sections = [body.section.at(float(s) / body.length) for s in x]
    radius = np.array([mean_radius(s.half_sizes, s.area) for s in sections])
    points, still = rows @ body.mesh.rest.reshape(-1, 3), np.zeros((len(x), 3, 0))
    mesh = DrawnMesh(points, still, np.arange(len(x))[None], "line", radius)
    return mesh, sparse.csr_array(rows)


def drawn_nodes(body: ANCFNodes) -> tuple[DrawnMesh, sparse.csr_array]:
    """The mesh of a plate or solid, and rows (nodes, n) of its nodes from nodal vectors."""
    still = np.zeros((body.field.count, 3, 0))
    mesh = DrawnMesh(body.places, still, body.field.cells, body.cell_kind, np.zeros(0))
    return mesh, body.field.node_rows


def _shown_stations(body: ANCFLine) -> Vector:
    """Stations (m) at which a line is drawn."""
    count = min(PER_ELEMENT * (len(body.stations) - 1), MOST)
    return np.linspace(0.0, body.length, count + 1)


def line_surface(body: ANCFLine) -> Surface:
    """A beam by its sections, a cable by its axis."""
    mesh = body.mesh
    x = _shown_stations(body)
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
        row = rows[0] if not body.turns else rows[0] + y * rows[2] + z * rows[3]
        for c in range(3):
            motion[k, c, 3 * vectors + c] = row
    return replace(
        found,
        rows=motion,
        slaved=np.zeros((len(motion), 6, 0)),
        place=np.arange(len(motion)),
        arms=np.zeros((len(motion), 3)),
    )


class Seen(NamedTuple):
    """Surface of a plate or solid."""

    rows: sparse.csr_array  # (v, n) places of vertices from nodal vectors
    nodes: sparse.csr_array  # (v, k) values at vertices from values at nodes
    # (t, 3) vertices, counterclockwise from outside, of a plate from the side of its normal
    faces: Indices


def seen_plate(
    sizes: tuple[float, float], elements: tuple[int, int], pieces: int, vectors: int
) -> Seen:
    """The middle surface of a plate whose elements have some sizes, each in pieces x pieces."""
    from scipy import sparse

    shapes, fine = PlateRows(sizes), (elements[0] * pieces, elements[1] * pieces)
    cells = grid_cells(elements).reshape(*elements, 4)
    count, wide = (elements[0] + 1) * (elements[1] + 1), fine[1] + 1
    points = (fine[0] + 1) * wide
    rows, nodes = sparse.lil_array((points, count * vectors)), sparse.lil_array((points, count))
    for p in range(points):
        at = np.divmod(p, wide)
        own = [min(k // pieces, n - 1) for k, n in zip(at, elements, strict=True)]
        x, y = (k / pieces - c for k, c in zip(at, own, strict=True))
        four = cells[own[0], own[1]]
        rows[p, (four[:, None] * vectors + np.arange(3)).ravel()] = shapes.row(x, y)
        nodes[p, four] = [(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y]
    faces = grid_cells(fine)[:, np.array(SPLITS[4])].reshape(-1, 3)
    return Seen(sparse.csr_array(rows), sparse.csr_array(nodes), faces)


def mesh_surface(body: ANCFNodes, seen: Seen) -> Surface:
    """A plate by its middle surface, a solid by its outer faces, with their stress."""
    field, flat = body.field, body.mesh.rest.reshape(-1, 3)
    points = seen.rows @ flat

    def moved(q: Vector) -> Vector:
        away = np.zeros((len(q), len(points), 6))
        away[..., :3] = [seen.rows @ e for e in q.reshape(len(q), -1, 3)]
        return away

    def stress(q: Vector) -> Vector:
        strain = field.at_nodes(flat + q.reshape(len(q), -1, 3))
        return field.apart(np.array([seen.nodes @ s for s in strain]))

    return Surface(
        points=points,
        triangles=seen.faces,
        place=np.arange(len(points)),
        arms=np.zeros((len(points), 3)),
        rows=np.zeros((len(points), 6, 0)),
        slaved=np.zeros((len(points), 6, 0)),
        second=moved,
        stress_at=stress,
        modulus=np.full(len(points), body.material.E),
    )
