"""Areas that belong to the nodes of faces: forces by which a face is pulled evenly."""

from __future__ import annotations

import numpy as np

from supple.fem.base.solid_kinds import KINDS, shapes
from supple.fem.drawn.boundary import outside_faces
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array, Indices

POINTS = 3  # of Gauss in each direction: areas of curved faces of quadratic elements


def area_weights(mesh: SolidMesh, nodes: Indices) -> Array | None:
    """Integrals (k,) of the shape functions of nodes over the faces between them, m2.

    Those of corners of quadratic elements are negative. None if there is a node on no such face.
    """
    inside = np.zeros(len(mesh.nodes), dtype=bool)
    inside[nodes] = True
    total, touched = np.zeros(len(mesh.nodes)), np.zeros(len(mesh.nodes), dtype=bool)
    for cell, local in outside_faces(mesh.kind, mesh.cells):
        numbers = mesh.cells[cell]
        if np.all(inside[numbers[list(local)]]):
            total[numbers] += _of_face(mesh.kind, local, mesh.nodes[numbers])
            touched[numbers[list(local)]] = True
    return total[nodes] if np.all(touched[nodes]) else None


def _of_face(kind: str, local: tuple[int, ...], corners: Array) -> Array:
    """Integrals (size,) of the shape functions of an element (size, 3) over one of its faces."""
    step = 1 if KINDS[kind].degree == 1 else 2
    number = 3 if KINDS[kind].simplex else 4
    first, second, *_, last = KINDS[kind].places[list(local[: number * step : step])]
    x, w = np.polynomial.legendre.leggauss(POINTS)
    a, b = (0.5 * (1.0 + g).ravel() for g in np.meshgrid(x, x, indexing="ij"))
    weights = 0.25 * np.outer(w, w).ravel()
    if KINDS[kind].simplex:  # a square that is collapsed onto the triangle
        weights, b = weights * (1.0 - a), b * (1.0 - a)
    along, across = second - first, last - first
    values, slopes = shapes(kind, first + np.outer(a, along) + np.outer(b, across))
    tangents = [np.einsum("qni,i,nj->qj", slopes, way, corners) for way in (along, across)]
    return np.asarray((weights * np.linalg.norm(np.cross(*tangents), axis=1)) @ values)
