"""A mesh of elements over nodal vectors: what the engine reads of a body without a frame.

Coordinates are the components of the nodal vectors, node after node, vector after vector: the
component x of the vector v of the node i is the coordinate ``(i V + v) d + x`` with V vectors for
each node in d dimensions. Where nodes have one vector each, some of them may be gradients: those of
a piece of a solid that moves as one (`supple.fem.nodal.ancf_solid`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from supple.fem.beams.line import BeamLine
from supple.fem.nodal import ancf_forces
from supple.fem.nodal.ancf_table import ElementTable
from supple.fem.nodal.stretch import Beside
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array, Booleans, Indices, Numbers
from supple.foundation.cached import cached_property
from supple.foundation.validate import read_only

if TYPE_CHECKING:
    from scipy import sparse


# Elements whose shapes agree to so many digits of the length of their line are the same.
SAME_DIGITS = 12


@dataclass(frozen=True, eq=False)
class ANCFMesh:
    """Nodes and elements; elements of one kind and shape share a table."""

    rest: Array  # (nodes, V, d) Nodal vectors without load, the place (m) first.
    cells: tuple[Indices, ...]  # nodes (k,) of each element
    kinds: Indices  # (elements,) Number of each element's table.
    tables: tuple[ElementTable, ...]  # the tables
    places: Booleans  # (nodes, V) truth values Which vectors are places; the others are gradients.
    # int First of the two gradients behind the place of a node that its axes are made of: 1 are r_x
    # and r_y, 2 are r_y and r_z.
    axes_from: int = 1

    @classmethod
    def of(
        cls,
        rest: Array,
        cells: Any,
        tables: Sequence[ElementTable],
        places: Any = None,
        axes_from: int = 1,
    ) -> Self:
        """A mesh of one table for each cell; those that are the same object are stored once.

        Without ``places`` the first vector of each node is its place.
        """
        different = {id(table): table for table in tables}
        numbers = {key: number for number, key in enumerate(different)}
        first = np.broadcast_to(np.arange(rest.shape[1]) == 0, rest.shape[:2])
        return cls(
            rest=read_only(rest),
            cells=tuple(np.asarray(cell, dtype=np.intp) for cell in cells),
            kinds=np.array([numbers[id(table)] for table in tables], dtype=np.intp),
            tables=tuple(different.values()),
            places=first if places is None else np.asarray(places, dtype=bool),
            axes_from=axes_from,
        )

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(self.rest.size)

    @property
    def dimension(self) -> int:
        """Components d of a vector: 2 or 3."""
        return int(self.rest.shape[2])

    @property
    def node_vectors(self) -> int:
        """Vectors V of a node."""
        return int(self.rest.shape[1])

    @cached_property
    def vectors(self) -> tuple[Indices, ...]:
        """Numbers (K,) of the nodal vectors of each element."""
        own = np.arange(self.node_vectors)
        return tuple((cell[:, None] * self.node_vectors + own).ravel() for cell in self.cells)

    def gradients(self, node: int) -> tuple[int, int]:
        """Numbers of the two vectors that the axes of a node are made of."""
        first = node * self.node_vectors + self.axes_from
        return first, first + 1

    def turns(self, node: int) -> bool:
        """True if a node has axes: two gradients behind its place."""
        first = node * self.node_vectors
        flags: list[bool] = self.places.ravel()[first : first + 3].tolist()
        return flags == [True, False, False]

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return float(sum(self.tables[kind].total_mass for kind in self.kinds))

    @cached_property
    def mass_matrix(self) -> sparse.csc_array:
        """Mass matrix (nodes V, nodes V) of nodal vectors, the same for each component."""
        count = self.rest.shape[0] * self.node_vectors
        blocks = [(here, self.tables[kind].mass[None]) for kind, _, here in self._groups]
        return _assembled(blocks, count)

    @cached_property
    def weight(self) -> Array:
        """Factors (nodes, V) of gravity (m/s2) in the forces on the nodal vectors; kg, kg m."""
        moved = self.mass_matrix @ self.places.ravel().astype(float)
        return read_only(moved.reshape(self.places.shape))

    def energy(self, e: Numbers) -> Any:
        """Strain energy (J) of nodal vectors (nodes, V, d)."""
        flat = self._flat(e)
        return sum(
            ancf_forces.energy(self.tables[kind], flat[here]).sum()
            for kind, _, here in self._groups
        )

    def forces(self, e: Numbers, rates: Numbers | None = None) -> Numbers:
        """Forces (nodes, V, d) that hold the nodal vectors (nodes, V, d) against strain."""
        flat = self._flat(e)
        moving = None if rates is None else self._flat(rates)
        total = np.zeros(flat.shape, dtype=np.result_type(flat, float))
        for kind, _, here in self._groups:
            rate = None if moving is None else moving[here]
            np.add.at(total, here, ancf_forces.forces(self.tables[kind], flat[here], rate))
        return total.reshape(self.rest.shape)

    def tangents(
        self, e: Numbers, rates: Numbers | None = None
    ) -> tuple[sparse.csc_array, sparse.csc_array]:
        """Derivatives (size, size) of the forces by the coordinates and by their rates."""
        flat = self._flat(e)
        moving = None if rates is None else self._flat(rates)
        found: tuple[list[Any], list[Any]] = ([], [])
        for kind, _, here in self._groups:
            rate = None if moving is None else moving[here]
            places = (here[:, :, None] * self.dimension + np.arange(self.dimension)).reshape(
                len(here), -1
            )
            both = ancf_forces.tangents(self.tables[kind], flat[here], rate)
            for blocks, matrix in zip(found, both, strict=True):
                blocks.append((places, matrix.reshape(len(here), places.shape[1], -1)))
        by_vectors, by_rates = (_assembled(blocks, self.size) for blocks in found)
        return by_vectors, by_rates

    def square_stiffness(self, step: Numbers) -> sparse.csr_array:
        """Geometric stiffness (size, size) of the strains that a step adds by its square."""
        from scipy import sparse

        flat = self._flat(step)
        blocks = [
            (here, ancf_forces.square_stiffness(self.tables[kind], flat[here]))
            for kind, _, here in self._groups
        ]
        return sparse.csr_array(sparse.kron(_assembled(blocks, len(flat)), np.eye(self.dimension)))

    def strains(self, e: Numbers) -> list[Numbers]:
        """Strains of each element, one array (strains of its table,) each."""
        flat, found = self._flat(e), [np.zeros(0)] * len(self.cells)
        for kind, part, here in self._groups:
            rows = ancf_forces.strains(self.tables[kind], flat[here])
            for element, row in zip(part, rows, strict=True):
                found[element] = row
        return found

    @property
    def _groups(self) -> Iterator[tuple[int, Indices, Indices]]:
        """Number of each table, its elements (n,), and their nodal vectors (n, K)."""
        for k in range(len(self.tables)):
            part = np.flatnonzero(self.kinds == k)
            yield k, part, np.stack([self.vectors[element] for element in part])

    def _flat(self, e: Numbers) -> Numbers:
        return np.asarray(e).reshape(-1, self.dimension)


def chain(
    line: BeamLine,
    stations: Array,
    rest: Array,
    table: Callable[[tuple[float, float], Array], ElementTable],
    axes_from: int = 1,
) -> ANCFMesh:
    """Mesh of elements with two nodes each, one after the other along a line.

    Parameters
    ----------
    line : BeamLine
    stations : (n + 1,) m
    rest : (n + 1, V, d) nodal vectors without load
    table : makes an element between two places in 0..1, of nodal vectors (2 V, d) at rest
    axes_from : first gradient of the axes of nodes

    Elements of the same length, section and shape at rest, within the line, share a table: strains
    do not change when an element is moved as it is.
    """
    known: dict[bytes, ElementTable] = {}
    tables = []
    ends = np.asarray(stations) / line.length
    pairs = np.concatenate([rest[:-1], rest[1:]], axis=1)  # nodal vectors of elements
    own = pairs.copy()
    own[:, :: rest.shape[1]] = (pairs[:, :: rest.shape[1]] - pairs[:, :1]) / line.length
    beside = [Beside.of(line, pair) for pair in pairwise(ends.tolist())]
    shape = (own @ own.transpose(0, 2, 1)).reshape(len(own), -1)
    shapes = np.column_stack([shape, np.diff(ends), beside])
    if not isinstance(line.section, CrossSection):
        shapes = np.column_stack([shapes, ends[:-1]])
    for i, shape in enumerate(np.round(shapes, SAME_DIGITS)):
        key = shape.tobytes()
        if key not in known:
            known[key] = table((float(ends[i]), float(ends[i + 1])), pairs[i])
        tables.append(known[key])
    cells = np.arange(len(tables))[:, None] + [0, 1]
    return ANCFMesh.of(rest, cells, tables, axes_from=axes_from)


def _assembled(blocks: Sequence[tuple[Any, Any]], size: int) -> sparse.csc_array:
    """Sum (size, size) of matrices (e or 1, k, k) at the places (e, k) of their rows."""
    from scipy import sparse

    rows, columns, values = [], [], []
    for places, matrices in blocks:
        n, k = places.shape
        rows.append(np.repeat(places, k, axis=1).ravel())
        columns.append(np.tile(places, (1, k)).ravel())
        values.append(np.broadcast_to(matrices, (n, k, k)).ravel())
    joined = [np.concatenate(part) for part in (values, rows, columns)]
    return sparse.csc_array(sparse.coo_array((joined[0], (joined[1], joined[2])), (size, size)))
