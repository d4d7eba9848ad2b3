"""Finer meshes of the same body, by which the error of a mesh is found.

Tetrahedra of four nodes get ten; other elements are divided. All nodes of a mesh are nodes of the
finer one. A displacement with the nodal values x has the values ``P @ x`` there, and is one of the
finer mesh or near to one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from supple.fem.base.component import Component
from supple.fem.base.solid_kinds import KINDS, TETRAHEDRON_EDGES, shapes
from supple.fem.shells import bending, membrane
from supple.fem.shells.shell import ShellMesh
from supple.fem.shells.triangles import FROM, MIDSIDES, TO
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array, Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import SuppleWarning

# Two nodes of a finer mesh are one if they follow the nodes of the mesh by the same factors, which
# is seen by a random sum of these up to rounding.
SAME = 1e-12
# Coordinates of a finer mesh: some seconds of work, with the help of the mesh itself and without.
LARGEST, LARGEST_ALONE = 40_000, 10_000
FINER = {"tet4": "tet10"}  # of linear elements that lock
# Error of the finer mesh, in parts of what it differs by, for each number of elements along an edge
# that is divided: 1/3 of two where the error falls with the square of the size. That of quadratic
# elements falls faster, by 1/15, and slower at edges and corners of what is held.
REST = {1: 1.0 / 3.0, 2: 1.0 / 3.0, 3: 1.0 / 4.0}
QUADRATIC = 0.15
# Error of a finer shell, in parts of what it differs by: 1/3 in bending, where the error falls
# with the square of the size, and 1 in the plane, where it falls in proportion at held edges.
SHELL_REST = 2.0 / 3.0
# Corners, and middles of edges from 4 on, of the eight tetrahedra in a divided one: one at each
# corner, and four around a diagonal of the octahedron that is left.
CORNERS = ((0, 4, 6, 7), (4, 1, 5, 8), (6, 5, 2, 9), (7, 8, 9, 3))
DIAGONALS = {
    (4, 9): ((4, 9, 5, 6), (4, 9, 6, 7), (4, 9, 7, 8), (4, 9, 8, 5)),
    (5, 7): ((5, 7, 4, 6), (5, 7, 6, 9), (5, 7, 9, 8), (5, 7, 8, 4)),
    (6, 8): ((6, 8, 4, 5), (6, 8, 5, 9), (6, 8, 9, 7), (6, 8, 7, 4)),
}


@dataclass(frozen=True, eq=False)
class Finer:
    """A finer mesh."""

    component: Any  # the finer mesh
    # sparse (size there, size here) Nodal coordinates there of a displacement that is given here.
    P: Any
    # sparse (nodes there, nodes here) How much a node there belongs to each node here; sums are
    # one.
    weights: Any
    same: Indices  # (nodes here,) numbers of these nodes there
    rest: float  # its error, in parts of what both differ by
    nested: bool = True  # whether displacements of the mesh are among its own, with the same energy

    @cached_property
    def parents(self) -> Any:
        """Sparse (nodes there, nodes here) ones where a node follows another."""
        found = sparse.csr_array(abs(self.weights) > SAME)
        return found.astype(float)

    def within(self, nodes: Indices) -> Indices:
        """Nodes there that lie between some nodes here: on the same face, for instance."""
        inside = np.zeros(self.weights.shape[1])
        inside[nodes] = 1.0
        missing = self.parents @ (1.0 - inside)
        return np.flatnonzero(missing == 0.0)

    def around(self, node: int) -> tuple[Indices, Array]:
        """Nodes there that belong to a node here for the most part, and how much."""
        column = sparse.csc_array(self.weights)[:, [node]].toarray()[:, 0]
        near = np.flatnonzero(column > SAME)
        return near, column[near]


def finer(component: Component) -> Finer | None:
    """The finer mesh of a solid or shell; None of what has no elements, or too many."""
    if isinstance(component, SolidMesh):
        # Twisted bars of one brick warp only if it is divided into three.
        most = 3 if component.kind == "hex8" else 1 if component.kind in FINER else 2
        largest = LARGEST_ALONE if component.kind == "hex8" else LARGEST
        for divisions in range(most, min(most, 2) - 1, -1):
            if _solid_size(component, divisions) <= largest:
                return _finer_solid(component, divisions)
    if isinstance(component, ShellMesh) and 4 * component.size <= LARGEST:
        return finer_shell(component)
    return None


def _solid_size(mesh: SolidMesh, divisions: int) -> int:
    """About how many coordinates a finer mesh has."""
    kind = FINER.get(mesh.kind, mesh.kind)
    cells = divisions**3 * len(mesh.cells)
    each = {"tet10": 1.5, "hex8": 1.0, "hex20": 4.0, "hex27": 8.0}[kind]
    on_surface = 7.0 * cells ** (2.0 / 3.0)
    return int(3.0 * (each * cells + on_surface))


def _finer_solid(mesh: SolidMesh, divisions: int) -> Finer:
    kind, name = KINDS[mesh.kind], FINER.get(mesh.kind, mesh.kind)
    columns, entries, kept = [], [], []  # of new nodes, element by element
    for which, places in _divided(mesh, name, divisions):
        at = places.reshape(-1, 3)
        factors = shapes(mesh.kind, at)[0]
        factors[np.abs(factors) < SAME] = 0.0
        cells = mesh.cells[which]
        columns.append(np.repeat(cells[:, None], len(at), axis=1))
        entries.append(np.repeat(factors[None], len(cells), axis=0))
        kept.append((cells, [_at(at, place) for place in kind.places]))
    first, numbers = _different(columns, entries, len(mesh.nodes))
    flat_columns, flat_entries = (
        np.concatenate([x.reshape(-1, x.shape[2]) for x in y])[first] for y in (columns, entries)
    )
    row = np.repeat(np.arange(len(first)), flat_columns.shape[1])
    W = sparse.csr_array(
        (flat_entries.ravel(), (row, flat_columns.ravel())), shape=(len(first), len(mesh.nodes))
    )
    W.eliminate_zeros()
    same = np.empty(len(mesh.nodes), dtype=np.intp)
    for number, (cells, own) in zip(numbers, kept, strict=True):
        same[cells] = number[:, own]
    size = KINDS[name].size
    made = SolidMesh(
        W @ mesh.nodes,
        np.concatenate([number.reshape(-1, size) for number in numbers]),
        name,
        mesh.material,
        name=mesh.name,
    )
    P = sparse.csr_array(sparse.kron(W, sparse.eye_array(3), format="csr"))
    rest = REST[divisions] if kind.degree == 1 else QUADRATIC
    return Finer(made, P, W, same, rest, nested=not kind.incompatible)


def _at(places: Array, place: Array) -> int:
    return int(np.argmin(np.abs(places - place).max(axis=1)))


def _divided(mesh: SolidMesh, name: str, divisions: int) -> Iterator[tuple[Indices, Array]]:
    """Elements (e,) that are divided alike, and nodes (c, k, 3) of new ones in their cells."""
    own, every = KINDS[name].places, np.arange(len(mesh.cells))
    if divisions == 1:
        yield every, own[None]
    elif not KINDS[name].simplex:
        steps = 3 * [np.arange(divisions)]
        corners = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 1, 3)
        yield every, np.asarray((corners + own) / divisions)
    else:  # flat tetrahedra become flatter unless the shortest diagonal is taken
        nodes = mesh.nodes[mesh.cells]
        lengths = [np.linalg.norm(nodes[:, a] - nodes[:, b], axis=1) for a, b in DIAGONALS]
        shortest = np.argmin(np.stack(lengths), axis=0)
        for k, inner in enumerate(DIAGONALS.values()):
            if np.any(shortest == k):
                yield np.flatnonzero(shortest == k), _eight(own, (*CORNERS, *inner))


def _eight(own: Array, children: tuple[tuple[int, ...], ...]) -> Array:
    """Nodes (8, 10, 3) of tetrahedra in the cell of one with nodes (10, 3)."""
    found = []
    for four in children:
        corners = own[list(four)]
        if np.linalg.det(corners[1:] - corners[0]) < 0.0:
            corners = corners[[0, 2, 1, 3]]
        middles = [corners[list(edge)].mean(axis=0) for edge in TETRAHEDRON_EDGES]
        found.append(np.vstack([corners, middles]))
    return np.array(found)


def _different(
    columns: Sequence[Indices], entries: Sequence[Array], count: int
) -> tuple[Indices, list[Indices]]:
    """First appearance (n,) of each new node among all, and its number (e, f) in all elements."""
    tag = np.random.default_rng(1).uniform(0.5, 1.5, count)
    groups = [np.einsum("efk,efk->ef", tag[c], e) for c, e in zip(columns, entries, strict=True)]
    keys = np.concatenate([group.ravel() for group in groups])
    order = np.argsort(keys, kind="stable")
    new = np.concatenate([[True], np.diff(keys[order]) > SAME])
    number = np.empty(len(keys), dtype=np.intp)
    number[order] = np.cumsum(new) - 1
    first = order[new]
    # In the order of the elements, so that the numbers of a slender body have a narrow band.
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    parts = np.split(rank[number], np.cumsum([group.size for group in groups])[:-1])
    shaped = [part.reshape(group.shape) for part, group in zip(parts, groups, strict=True)]
    return np.sort(first), shaped


def finer_shell(mesh: ShellMesh) -> Finer:
    """A shell with half the element size; middles of sides follow as in the triangles beside."""
    corners, nodes = mesh.triangles, len(mesh.nodes)
    sides = np.sort(np.stack([corners[:, FROM], corners[:, TO]], axis=2), axis=2)  # (t, 3, 2)
    edges, number = np.unique(sides.reshape(-1, 2), axis=0, return_inverse=True)
    middle = nodes + number.reshape(-1, 3)
    a, b, c = corners.T
    ab, bc, ca = middle.T
    divided = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])  # (4, 3, t)
    triangles = divided.transpose(2, 0, 1).reshape(-1, 3)
    rows = np.repeat(np.arange(len(edges)), 2)
    halves = sparse.csr_array(
        (np.full(2 * len(edges), 0.5), (rows, edges.ravel())), shape=(len(edges), nodes)
    )
    weights = sparse.csr_array(sparse.vstack([sparse.eye_array(nodes), halves]))
    thickness = mesh.thickness
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)  # what is strange was told of the mesh
        made = ShellMesh(
            weights @ mesh.nodes,
            triangles,
            thickness if np.ndim(thickness) == 0 else np.repeat(thickness, 4),
            mesh.material,
            rotary_inertia=mesh.rotary_inertia,
            name=mesh.name,
        )
    P = sparse.csr_array(
        sparse.vstack([sparse.eye_array(mesh.size), _middles(mesh, number.reshape(-1, 3), edges)])
    )
    return Finer(made, P, weights, np.arange(nodes), SHELL_REST, nested=False)


def _middles(mesh: ShellMesh, number: Indices, edges: Indices) -> sparse.csr_array:
    """Rows (6 * edges, size) of the coordinates in the middle of sides, the mean of all beside."""
    shared = np.bincount(number.ravel(), minlength=len(edges))
    shape, columns = mesh.shape, mesh.coordinates
    blocks, at_rows, at_columns = [], [], []
    for side, weights in enumerate(MIDSIDES):
        own = _motion(mesh, weights)  # (t, 6, 18) in the axes of the triangles
        turn = shape.axes
        both = shape.to_body(own).reshape(len(own), 2, 3, 18)
        in_body = np.einsum("tji,tkjn->tkin", turn, both).reshape(len(own), 6, 18)
        blocks.append(in_body / shared[number[:, side]][:, None, None])
        rows = 6 * number[:, side][:, None] + np.arange(6)
        at_rows.append(np.broadcast_to(rows[:, :, None], in_body.shape))
        at_columns.append(np.broadcast_to(columns[:, None, :], in_body.shape))
    entries, r, c = (np.stack(x).ravel() for x in (blocks, at_rows, at_columns))
    return sparse.csr_array(sparse.coo_array((entries, (r, c)), (6 * len(edges), mesh.size)))


def _motion(mesh: ShellMesh, weights: Array) -> Array:
    """Rows (t, 6, 18) of displacement and rotation at weights, all in the axes of triangles."""
    shape = mesh.shape
    middle = membrane.displacements(shape, weights)
    across = bending.deflection(shape, weights)[:, None]
    slopes = bending.slopes(shape, weights)
    spin = np.zeros_like(across)
    spin[:, 0, membrane.TZ] = weights
    return np.concatenate([middle, across, slopes[:, 1:], -slopes[:, :1], spin], axis=1)
