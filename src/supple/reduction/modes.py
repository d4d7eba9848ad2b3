"""Reference conditions and normal modes.

A reference condition says how the body's frame moves with the deforming body: which deformations
the elastic coordinates can still describe, as a basis of the nodal coordinates (six for each node:
u, v, w, tx, ty, tz).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from supple.foundation.arrays import Indices, Vector

Reference = Literal["clamped", "chord", "mean_axis"]
REFERENCES: tuple[Reference, ...] = get_args(Reference)

COORDINATES = ("u", "v", "w", "tx", "ty", "tz")
TX = 3
# Of two modes with equal frequency the one of the lower rank comes first: along the axis, in the
# plane of y (v, tz), in the plane of z (w, ty), twist.
RANKS = np.array([0, 1, 2, 3, 2, 1])
# Coordinates whose coupling is below this, relative to their own entries, are not coupled.
COUPLING = 1e-12
# Eigenvalues that differ relatively by less are one: rounding of a fine mesh is below it.
EQUAL = 1e-6
# Components of a mode within this of the largest count as the largest, for its sign.
LARGEST = 1e-6


@dataclass(frozen=True, eq=False)
class Modes:
    """Normal modes, ascending."""

    eigenvalues: Vector  # (m,) (rad/s)^2
    shapes: Vector  # (size, m) Nodal coordinates of each mode, mass-normalised.
    groups: Indices  # (m,) Number of each mode's group: modes of equal frequency are in one group.

    @property
    def frequencies(self) -> Vector:
        """Frequencies (m,), Hz."""
        return np.asarray(np.sqrt(np.maximum(self.eigenvalues, 0.0)) / (2.0 * np.pi))


def kept_coordinates(
    reference: Reference, nodes: int, clamp_node: int = 0, twist: bool = True
) -> Indices:
    """Places of the nodal coordinates that remain, ascending; without ``twist`` all tx are zero.

    The mean axis has six coordinates less than the mesh, too: they are measured from a node.
    """
    free = np.ones((nodes, 6), dtype=bool)
    if reference == "chord":
        free[0, :4] = False
        free[-1, 1:3] = False
    else:
        free[clamp_node] = False
    free[:, TX] &= twist
    return np.flatnonzero(free)


def reference_basis(
    reference: Reference, kept: Indices, M: Vector, places: Vector, twist: bool = True
) -> Vector:
    """Nodal displacements (size, m) of the kept coordinates, one column for each.

    Clamped and chord: unit vectors. Mean axis (Buckens): the same columns without their rigid
    part, so that no deformation has linear or angular momentum about the undeformed body. ``M``
    is the mass matrix (size, size), ``places`` (nodes, 3) are the nodes.
    """
    basis = np.eye(len(M))[:, kept]
    if reference != "mean_axis":
        return basis
    rigid = rigid_motions(places)
    if not twist:  # a line without rotary inertia does not resist a turn about itself
        rigid = np.delete(rigid, TX, axis=1)
    momentum = rigid.T @ M
    return basis - rigid @ np.linalg.solve(momentum @ rigid, momentum @ basis)


def rigid_motions(places: Vector) -> Vector:
    """Nodal coordinates (6 nodes, 6) of unit translations and rotations, Tx Ty Tz Rx Ry Rz."""
    motions = np.zeros((len(places), 6, 6))
    motions[:] = np.eye(6)
    for axis in range(3):
        motions[:, :3, 3 + axis] = np.cross(np.eye(3)[axis], places)
    return motions.reshape(-1, 6)


def normal_modes(M: Vector, K: Vector, basis: Vector, kinds: Indices) -> Modes:
    """All normal modes of the mass and stiffness matrices (size, size) within a basis (size, m).

    ``kinds`` says what the coordinate of each column is, 0 to 5 for u, v, w, tx, ty, tz; signs of
    shapes are open. Coordinates that are not coupled are solved apart: a
    repeated pair of bending modes then lies in the planes of y and z by itself.
    """
    from scipy.linalg import eigh

    mass, stiffness = (basis.T @ X @ basis for X in (M, K))
    values = np.empty(len(kinds))
    ranks = np.empty(len(kinds), dtype=int)
    vectors = np.zeros((len(kinds), len(kinds)))
    done = 0
    for block in _uncoupled_blocks(mass, stiffness):
        there = slice(done, done + len(block))
        ix = np.ix_(block, block)
        values[there], found = eigh(_symmetric(stiffness[ix]), _symmetric(mass[ix]))
        vectors[block, there] = found
        ranks[there] = RANKS[kinds[block]].min()
        done = there.stop
    order = np.argsort(values, kind="stable")
    groups = equal_groups(values[order])
    again = np.lexsort((ranks[order], groups))
    order = order[again]
    return Modes(values[order], basis @ vectors[:, order], groups)


def _uncoupled_blocks(M: Vector, K: Vector) -> list[Indices]:
    """Sets of coordinates that neither mass nor stiffness couples, in the order of their first."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    coupled = np.zeros(M.shape, dtype=bool)
    for X in (M, K):
        scale = np.sqrt(np.abs(np.diag(X)))
        coupled |= np.abs(X) > COUPLING * np.outer(scale, scale)
    count, labels = connected_components(csr_matrix(coupled), directed=False)
    return [np.flatnonzero(labels == k) for k in range(count)]


def equal_groups(ascending: Vector) -> Indices:
    """Number the groups of equal entries."""
    steps = np.diff(ascending) > EQUAL * np.abs(ascending[1:])
    return np.concatenate([[0], np.cumsum(steps)])


def signs(shapes: Vector, length: float, kinds: Indices | None = None) -> Vector:
    """Signs (m,) that make the largest displacement positive, or rotation if nodes only turn.

    The first of several equally large ones counts: a symmetric shape has two. ``length`` (m) makes
    displacements and rotations comparable; ``kinds`` of coordinates are 0 to 5 for u, v, w, tx, ty,
    tz, by node if they are not given.
    """
    if not shapes.shape[1]:
        return np.zeros(0)
    turning = (np.arange(len(shapes)) % 6 if kinds is None else kinds) >= TX
    moves, turns = (np.where(rows[:, None], shapes, 0.0) for rows in (~turning, turning))
    turns = length * turns
    only_turns = np.abs(moves).max(axis=0) < LARGEST * np.abs(turns).max(axis=0)
    parts = np.where(only_turns, turns, moves)
    size = np.abs(parts)
    first = np.argmax(size >= (1.0 - LARGEST) * size.max(axis=0), axis=0)
    return np.where(parts[first, np.arange(shapes.shape[1])] < 0.0, -1.0, 1.0)


def _symmetric(X: Vector) -> Vector:
    return 0.5 * (X + X.T)
