"""Solids over nodal places: Green's strains of Saint-Venant and Kirchhoff at points of a volume.

Nodes have places alone. The gradients of the place by the place at rest are rows of the slopes of
the shape functions, whatever the shape of the element is. Strains are small, rotations and
displacements of any size.

Nodes that belong to an interface have no places of their own: they are at

    r + X r_x + Y r_y  (+ Z r_z)

with the place r and the gradients of the interface, and their coordinates X, Y at rest from the
middle of them. What is plane stays plane, and may stretch as a whole: a face that is held does not
hinder lateral contraction. Gradients have axes, so that joints can hold an interface. Angles
between gradients stay right ones: a torque about the normal acts on one gradient of a face, and
would shear the face beside the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.fem.nodal.ancf_mesh import SAME_DIGITS, ANCFMesh
from supple.fem.nodal.ancf_table import GREEN, ElementTable, StrainPoint, Times, elastic_laws
from supple.fem.solids.solid import SolidMesh
from supple.fem.ties.interface import Interface
from supple.foundation.arrays import Array, Booleans, Indices

if TYPE_CHECKING:
    from scipy import sparse

FLAT = 1e-9  # height of nodes over their plane, in their size
# Stiffness of the angles between gradients of an interface, over the shear modulus and the cube of
# the radius of inertia of its nodes: that of the solid is near 1.
PLANE = 100.0


@dataclass(frozen=True, eq=False)
class SolidVectors:
    """Vectors that the places of the nodes of a solid are made of."""

    # (n, 3) The vectors at rest: places of free nodes, then place and gradients of each interface.
    rest: Array
    places: Booleans  # (n,) truth values Which of them are places.
    nodes: sparse.csr_array  # (N, n) sparse Places of all nodes from the vectors.
    first: Indices  # (N,) Number of the vector of each node, -1 in an interface.
    pieces: tuple[int, ...]  # number of the first vector of each interface

    @classmethod
    def of(cls, solid: SolidMesh, interfaces: Sequence[Interface] = ()) -> SolidVectors:
        """The vectors of a solid; interfaces have different nodes."""
        from scipy import sparse

        taken = np.zeros(len(solid.nodes), dtype=bool)
        for interface in interfaces:
            taken[interface.nodes] = True
        free = np.flatnonzero(~taken)
        first = np.full(len(solid.nodes), -1, dtype=np.intp)
        first[free] = np.arange(len(free))
        rows, columns, values = [free], [first[free]], [np.ones(len(free))]
        rest, pieces = [*solid.nodes[free]], []
        for interface in interfaces:
            centre, axes = _spread(solid.nodes[interface.nodes])
            own = np.column_stack(
                [np.ones(len(interface.nodes)), (solid.nodes[interface.nodes] - centre) @ axes.T]
            )
            pieces.append(len(rest))
            rows.append(np.repeat(interface.nodes, own.shape[1]))
            columns.append(np.tile(len(rest) + np.arange(own.shape[1]), len(own)))
            values.append(own.ravel())
            rest += [centre, *axes]
        kinds = np.zeros(len(rest), dtype=bool)
        kinds[: len(free)] = True
        kinds[pieces] = True
        shape = (len(solid.nodes), len(rest))
        joined = [np.concatenate(part) for part in (values, rows, columns)]
        found = sparse.csr_array((joined[0], (joined[1], joined[2])), shape)
        return cls(np.array(rest), kinds, found, first, tuple(pieces))


def solid_mesh(
    solid: SolidMesh,
    times: Times = (0.0, 0.0),
    owner: str = "solid",
    vectors: SolidVectors | None = None,
) -> ANCFMesh:
    """The mesh of a solid with places as coordinates; elements of one shape share a table.

    ``times`` (s) are the viscosities beside E and G in units of these.
    """
    made = SolidVectors.of(solid) if vectors is None else vectors
    laws = elastic_laws(owner, solid.material, times)
    known: dict[bytes, ElementTable] = {}
    tables, cells, size = [], [], solid.length
    for cell in solid.cells:
        if made.first[cell].min() >= 0:  # in the order of the nodes
            used, own = made.first[cell], np.eye(len(cell))
        else:
            rows = made.nodes[cell]
            used = np.unique(rows.indices)
            own = rows[:, used].toarray()
        kinds = made.places[used]
        shape = made.rest[used].copy()
        shape[kinds] = (shape[kinds] - solid.nodes[cell[0]]) / size
        key = kinds.tobytes() + b"".join(
            (np.round(x, SAME_DIGITS) + 0.0).tobytes() for x in (shape, own / size)
        )
        if key not in known:
            known[key] = solid_table(solid, cell, laws, own, made.rest[used], made.places[used])
        tables.append(known[key])
        cells.append(used)
    for first in made.pieces:
        cells.append(_piece(made, first))
        tables.append(_piece_table(made, cells[-1], solid.material.G, times[1]))
    return ANCFMesh.of(made.rest[:, None], cells, tables, made.places[:, None])


def _piece(vectors: SolidVectors, first: int) -> Indices:
    """Numbers of the vectors of an interface: its place, and the gradients behind it."""
    last = first + 1
    while last < len(vectors.rest) and not vectors.places[last]:
        last += 1
    return np.arange(first, last)


def _piece_table(vectors: SolidVectors, own: Indices, G: float, time: float) -> ElementTable:
    """An element without mass that keeps the angles between the gradients of an interface."""
    count = len(own) - 1
    arms = vectors.nodes[:, own[1:]].toarray()
    here = vectors.nodes[:, own[[0]]].toarray()[:, 0] > 0.0
    radius = float(np.sqrt((arms[here] ** 2).sum(axis=1).mean()))
    rows = np.eye(count + 1)[1:]
    strains = [[(1.0, a, b)] for a in range(count) for b in range(a)]
    D = PLANE * G * radius**3 * np.eye(len(strains))
    point = StrainPoint.of(rows, strains, D, time * D)
    still = np.zeros((count + 1, count + 1))
    return ElementTable.of(count + 1, [point], vectors.rest[own], still, places=vectors.places[own])


def solid_table(
    solid: SolidMesh,
    cell: Indices,
    laws: tuple[Array, Array],
    own: Array,
    rest: Array,
    places: Booleans,
) -> ElementTable:
    """Table of one element; ``laws`` of strains and of their rates.

    Its nodes (k,) are at ``own @ rest`` with vectors (K, 3), of which some are places.
    """
    from supple.fem.base.solid_kinds import KINDS, rule, shapes
    from supple.fem.solids.geometry import slopes_in_space
    from supple.fem.solids.matrices import mass_matrices, mass_rule

    corners = solid.nodes[cell]
    kind = KINDS[solid.kind]
    at, weights = rule(kind.simplex, kind.stiffness_degree)
    volumes, slopes = slopes_in_space(shapes(solid.kind, at)[1], corners[None])
    points = [
        StrainPoint.of(slope.T @ own, GREEN, weight * volume * laws[0], weight * volume * laws[1])
        for weight, volume, slope in zip(weights, volumes[0], slopes[0], strict=True)
    ]
    mass = mass_matrices(mass_rule(solid.kind, corners[None], solid.material.density))[0]
    return ElementTable.of(len(rest), points, rest, own.T @ mass @ own, places=places)


def _spread(nodes: Array) -> tuple[Array, Array]:
    """Middle (3,) of nodes (k, 3), and axes: two in their plane, or three if they are in none."""
    centre = nodes.mean(axis=0)
    _, sizes, ways = np.linalg.svd(nodes - centre)
    if len(nodes) > 3 and sizes[2] > FLAT * sizes[0]:
        return centre, np.eye(3)
    normal = ways[2]
    size = np.round(np.abs(normal), 9)  # the sign is that of its largest component
    normal = normal * np.sign(normal[int(np.argmax(size))])
    k = int(np.argmin(size))
    first = np.eye(3)[k] - normal[k] * normal
    first /= np.linalg.norm(first)
    return centre, np.array([first, np.cross(normal, first)])
