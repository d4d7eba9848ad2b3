"""Faces of bodies over nodal vectors, over which loads are spread: the sides of plates and solids.

A face has places ``r = S e`` over two coordinates with its nodal vectors e, at the points of a rule
that integrates pressure exactly on the faces of solids, and to seventh degree on plates. Its normal
``r_a x r_b`` is that of a plate, and of a solid the one outwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from supple.fem.base.solid_kinds import KINDS, shapes
from supple.fem.beams.line import gauss
from supple.fem.drawn.boundary import outside_faces
from supple.fem.nodal.ancf_plate import MASS_POINTS, PlateRows, grid_cells
from supple.fem.nodal.ancf_solid import SolidVectors
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array, Indices

POINTS = 3  # along a side of a face of a solid: shapes of degree 2 times a normal of degree 3


class Face(NamedTuple):
    """A face of a body."""

    nodes: frozenset[int]  # numbers of its nodes in the body
    vectors: Indices  # (K,) numbers of its nodal vectors
    weights: Array  # (P,) of the points of its rule, in units of the two coordinates
    # (3, P, K) rows of the place at the points and its derivatives by the coordinates
    shapes: Array

    def areas(self, rest: Array) -> Array:
        """Areas (P,) m2 of its points where the nodal vectors (n, 3) are those at rest."""
        first, second = self.shapes[1:] @ rest[self.vectors]
        found: Array = self.weights * np.linalg.norm(np.cross(first, second), axis=1)
        return found


def plate_faces(
    sizes: tuple[float, float], elements: tuple[int, int], vectors: int
) -> Iterator[Face]:
    """The rectangles of a plate, with so many vectors at a node: place, r_x, r_y first."""
    own = sizes[0] / elements[0], sizes[1] / elements[1]
    row, rule = PlateRows(own).row, gauss(MASS_POINTS)
    points = [(x, y, own[0] * own[1] * v * w) for x, v in rule for y, w in rule]
    weights = np.array([w for _, _, w in points])
    rows = np.array([[row(x, y, *d) for x, y, _ in points] for d in ((0, 0), (1, 0), (0, 1))])
    for cell in grid_cells(elements):
        numbers = (vectors * cell[:, None] + np.arange(3)).ravel()
        yield Face(frozenset(cell.tolist()), numbers, weights, rows)


def solid_faces(solid: SolidMesh, made: SolidVectors) -> Iterator[Face]:
    """The outer faces of a solid."""
    simplex, places = KINDS[solid.kind].simplex, KINDS[solid.kind].places
    points = _triangle() if simplex else _square()
    known: dict[tuple[int, ...], tuple[Array, Array]] = {}
    for cell, local in outside_faces(solid.kind, np.asarray(solid.cells, dtype=np.intp)):
        around = list(local)
        if local not in known:
            corners = [places[k] for k in around if k < KINDS[solid.kind].corners]
            first, second = corners[1] - corners[0], corners[-1] - corners[0]
            values, slopes = shapes(solid.kind, corners[0] + points[:, :2] @ [first, second])
            rows = np.array([values, slopes @ first, slopes @ second])[:, :, around]
            known[local] = rows, points[:, 2]
        rows, weights = known[local]
        nodes = np.asarray(solid.cells[cell])[around]
        # coordinates that turn the other way round look inwards
        ahead, aside = rows[1:, 0] @ solid.nodes[nodes]
        away = solid.nodes[nodes].mean(axis=0) - solid.nodes[solid.cells[cell]].mean(axis=0)
        if np.cross(ahead, aside) @ away < 0.0:
            rows = rows[[0, 2, 1]]
        own = made.nodes[nodes]
        used = np.unique(own.indices)
        matrix = own[:, used].toarray()
        keep = frozenset(nodes.tolist())
        yield Face(keep, np.asarray(used, dtype=np.intp), weights, rows @ matrix)


def _square() -> Array:
    """Points (P, 3) of the unit square: two coordinates and the weight."""
    rule = gauss(POINTS)
    return np.array([(x, y, v * w) for x, v in rule for y, w in rule])


def _triangle() -> Array:
    """Points (P, 3) of the unit triangle, exact to fourth degree: a square with one side shrunk."""
    rule = gauss(POINTS)
    return np.array([(x, (1.0 - x) * y, (1.0 - x) * v * w) for x, v in rule for y, w in rule])
