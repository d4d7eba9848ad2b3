"""Surface of a body: points, triangles and lines in its axes, and how they move with it.

A vertex is fixed to a place of the body and moves by ``u + theta x arm``, with displacement u and
small rotation theta of the place and the way ``arm`` from it to the vertex. Looks only: nothing of
this enters a computation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.sections.outlines import Outline
from supple.foundation.arrays import Array, Indices

# Nodes without elements are joined to some of these many neighbours.
NEIGHBOURS = 8
# Numbers of stress that are kept of one body: more would make pages too long.
MOST_STRESS = 3_200_000


class DrawnMesh(NamedTuple):
    """A mesh to be drawn."""

    nodes: Array  # (p, 3) m, undeformed, in the axes of the body
    rows: Array  # (p, 3, n) displacements of the nodes for each elastic coordinate
    cells: Indices  # (e, k) node numbers of all cells
    kind: str  # "line", "triangle", or a kind of `SolidMesh`; "vertex" if only nodes are known
    radius: Array  # (p,) m, of the members at the nodes of lines; empty of other cells


def mean_radius(half_sizes: tuple[float, float] | None, area: float) -> float:
    """Radius (m) with which a section is drawn: the mean of its half sizes, or that of its area."""
    return float(np.sqrt(area / np.pi)) if half_sizes is None else 0.5 * sum(half_sizes)


# Motion (nt, places, 6) of second order of all places at coordinates (nt, n).
Second = Callable[[Array], Array]


def _no_faces() -> Indices:
    return np.zeros((0, 3), dtype=np.intp)


def _no_lines() -> Indices:
    return np.zeros((0, 2), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Surface:
    """Points of a body with what joins them."""

    points: Array  # (v, 3) m Vertices in the body's axes where all elastic coordinates are zero.
    # (t, 3) Vertices of each, counterclockwise seen from outside.
    triangles: Indices = field(default_factory=_no_faces)
    lines: Indices = field(default_factory=_no_lines)  # (l, 2)
    # place, arms: (v,) and (v, 3) m Number of the place that carries a vertex, and the way from
    # there to it.
    place: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    arms: Array = field(default_factory=lambda: np.zeros((0, 3)))
    # (places, 6, n) Displacement and rotation of places for each elastic coordinate.
    rows: Array = field(default_factory=lambda: np.zeros((0, 6, 0)))
    # slaved, Gamma: (places, 6, r) and (r, n, n) Shapes that follow with the amplitudes ``q . Gamma
    # q / 2``.
    slaved: Array = field(default_factory=lambda: np.zeros((0, 6, 0)))
    Gamma: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))
    second: Second | None = None  # further motion of places, if there is any
    # (v, c, n) Pa, or (0, 3, 0) where stress is not known Rows of the coordinates whose values (c,)
    # have the equivalent stress of von Mises as norm; with c = 12 six for the side that its
    # triangles are seen from, then six for the other.
    stress: Array = field(default_factory=lambda: np.zeros((0, 3, 0)))
    # the same values (nt, v, c) at coordinates (nt, n), of a body whose stress is no row
    stress_at: Second | None = None
    # (v,) Pa, Young's modulus at the vertices; empty where stress is not known
    modulus: Array = field(default_factory=lambda: np.zeros(0))
    # (3,) m or None Where bars to all joints begin, if the form of the body is not known.
    hub: Array | None = None

    def fields(self, motion: Array) -> Array:
        """Displacements (k, v, 3) of the vertices for k motions (places, 6, k) of the places."""
        if not motion.shape[2]:
            return np.zeros((0, len(self.points), 3))
        moved = np.ascontiguousarray(np.moveaxis(motion, 2, 0))
        found: Array = moved[:, self.place, :3]
        if np.any(self.arms):
            found = found + np.cross(moved[:, self.place, 3:], self.arms)
        return found

    def amplitudes(self, q: Array) -> Array:
        """Amplitudes (nt, n + r) of its own and the slaved shapes at coordinates (nt, n)."""
        if not self.rows.shape[2]:
            return q[:, :0]
        if not len(self.Gamma):
            return q
        return np.hstack([q, 0.5 * np.einsum("rtn,tn->tr", q @ self.Gamma, q)])


def joined(parts: Iterable[Surface]) -> Surface:
    """Surfaces of one body together; they have the same coordinates, and none of second order."""
    every = list(parts)
    vertices = np.cumsum([0, *(len(p.points) for p in every)])
    places = np.cumsum([0, *(len(p.rows) for p in every)])
    return Surface(
        points=np.concatenate([p.points for p in every]),
        triangles=np.concatenate([p.triangles + k for p, k in zip(every, vertices, strict=False)]),
        lines=np.concatenate([p.lines + k for p, k in zip(every, vertices, strict=False)]),
        place=np.concatenate([p.place + k for p, k in zip(every, places, strict=False)]),
        arms=np.concatenate([p.arms for p in every]),
        rows=np.concatenate([p.rows for p in every]),
        slaved=np.concatenate([p.slaved for p in every]),
        Gamma=every[0].Gamma,
        stress=np.concatenate([p.stress for p in every])
        if all(len(p.stress) for p in every)
        else every[0].stress[:0],
        modulus=np.concatenate([p.modulus for p in every])
        if all(len(p.modulus) for p in every)
        else np.zeros(0),
        hub=every[0].hub,
    )


def moved(surface: Surface, rotation: ArrayLike, position: ArrayLike) -> Surface:
    """A surface that does not deform, turned and shifted."""
    R, p = np.asarray(rotation, dtype=float), np.asarray(position, dtype=float)
    return replace(surface, points=surface.points @ R.T + p)


def swept(
    centres: Array,
    axes: Array,
    outlines: Sequence[Outline],
    rows: Array,
    slaved: Array,
    stress: Array | None,
    modulus: float,
) -> Surface:
    """Sections (s) moved along a line: their places (s, 3), axes (s, 3, 3) and outlines.

    The first vertices are the centres, which are joined by lines; ``rows`` and ``slaved`` are
    motions (s, 6, ...) of the sections, ``stress`` (s, k, 3, n) belongs to the points of outlines,
    ``modulus`` (Pa) to the material.
    """
    count, size = len(centres), len(outlines[0].points)
    across = np.stack([o.points for o in outlines])
    arms = np.einsum("sij,skj->ski", axes[:, :, 1:], across).reshape(-1, 3)
    number = np.repeat(np.arange(count), size)
    first = count + size * np.arange(count)
    faces = []
    for loop in outlines[0].loops:
        one, two = np.asarray(loop), np.roll(loop, -1)
        a, b = (first[:-1, None] + one).ravel(), (first[:-1, None] + two).ravel()
        faces += [np.stack([a, b, a + size], axis=1), np.stack([b, b + size, a + size], axis=1)]
    cap = np.asarray(outlines[0].cap)
    faces += [first[0] + cap[:, ::-1], first[-1] + cap]
    line = np.arange(count)
    return Surface(
        points=np.concatenate([centres, centres[number] + arms]),
        triangles=np.concatenate(faces),
        lines=np.stack([line[:-1], line[1:]], axis=1),
        place=np.concatenate([line, number]),
        arms=np.concatenate([np.zeros((count, 3)), arms]),
        rows=rows,
        slaved=slaved,
        stress=np.zeros((0, 3, 0))
        if stress is None
        else np.concatenate([stress.mean(axis=1), stress.reshape(-1, *stress.shape[2:])]),
        modulus=np.full(0 if stress is None else count + len(arms), modulus),
    )


def nodal(
    nodes: Array, used: Indices, triangles: Indices, lines: Indices, rows: Array, slaved: Array
) -> Surface:
    """Some nodes (N, 3) of a mesh, with triangles and lines of node numbers.

    ``rows`` and ``slaved`` are displacements (N, 3, ...) of all nodes.
    """
    number = np.full(len(nodes), -1, dtype=np.intp)
    number[used] = np.arange(len(used))
    still = [np.zeros((len(used), 3, x.shape[2])) for x in (rows, slaved)]
    return Surface(
        points=nodes[used],
        triangles=number[triangles],
        lines=number[lines],
        place=np.arange(len(used)),
        arms=np.zeros((len(used), 3)),
        rows=np.concatenate([rows[used], still[0]], axis=1),
        slaved=np.concatenate([slaved[used], still[1]], axis=1),
    )


def wires(nodes: Array) -> Indices:
    """Lines (l, 2) that join nodes (N, 3) of unknown elements: the shortest that join near ones."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import cKDTree

    count = min(NEIGHBOURS + 1, len(nodes))
    if count < 2:
        return _no_lines()
    distance, near = cKDTree(nodes).query(nodes, k=count)
    own = np.repeat(np.arange(len(nodes)), count)
    # nodes at one place have no distance, which a sparse matrix would not store
    length = np.maximum(distance.ravel(), 1e-12 * max(float(distance.max()), 1e-300))
    graph = coo_array((length, (own, near.ravel())), shape=(len(nodes),) * 2)
    tree = minimum_spanning_tree(graph.tocsr()).tocoo()
    return np.stack([tree.row, tree.col], axis=1).astype(np.intp)
