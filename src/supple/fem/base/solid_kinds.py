"""Kinds of solid elements: nodes of the reference cell, shape functions, integration rules.

Nodes are numbered as in VTK, CalculiX and Abaqus: corners, then the middles of the edges (around
the bottom, around the top, upright), then those of the faces (x, y, z, lower before upper) and the
centre. A reference cell has coordinates from 0 to 1; shape functions and rules are scikit-fem's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import need

TETRAHEDRON = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
TETRAHEDRON_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
HEXAHEDRON = (
    (0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1),
)  # fmt: skip
HEXAHEDRON_EDGES = (
    (0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7),
)  # fmt: skip
HEXAHEDRON_FACES = (
    (0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7),
)  # fmt: skip
# Orders of scikit-fem's rules of positive weights that are exact for a degree. Those of order 5 and
# more hold one degree less than they say; there are negative weights in the others.
TETRAHEDRON_ORDERS = {1: 1, 2: 2, 4: 5}
_CENTRE = (tuple(range(8)),)


@dataclass(frozen=True)
class SolidKind:
    """One kind of element."""

    name: str
    corners: int  # int Number of corner nodes, which come first.
    element: str  # str Class of scikit-fem that has its shape functions.
    # tuples of corner numbers Each node in the middle of an edge, face or cell, by the corners
    # around it.
    averaged: tuple[tuple[int, ...], ...]
    degree: int  # int 1 for straight edges, 2 for edges with a node in the middle.
    # (straight, curved) Degree of two shape functions times the volume, to be integrated exactly.
    mass_degrees: tuple[int, int]
    # int Degree for products of two strains: exact in straight elements (boxes for hexahedra), and
    # exact in all for constant stress, so that every mesh passes the patch test.
    stiffness_degree: int
    # bool Whether it has strains beyond those of its nodes (`supple.fem.solids.matrices`).
    incompatible: bool = False

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self.corners + len(self.averaged)

    @property
    def simplex(self) -> bool:
        """True for tetrahedra."""
        return self.corners == 4

    @property
    def places(self) -> Array:
        """Nodes (size, 3) of the reference cell."""
        corners = np.array(TETRAHEDRON if self.simplex else HEXAHEDRON, dtype=float)
        return np.vstack([corners, *(corners[list(c)].mean(axis=0) for c in self.averaged)])


KINDS = {
    kind.name: kind
    for kind in (
        SolidKind("tet4", 4, "ElementTetP1", (), 1, (2, 2), 1),
        # Curved: two functions of degree 2 and a volume of degree 3. Strains of constant stress:
        # degree 1 times cofactors of degree 2.
        SolidKind("tet10", 4, "ElementTetP2", TETRAHEDRON_EDGES, 2, (4, 7), 4),
        SolidKind("hex8", 8, "ElementHex1", (), 1, (2, 4), 3, incompatible=True),
        SolidKind("hex20", 8, "ElementHexS2", HEXAHEDRON_EDGES, 2, (4, 9), 5),
        SolidKind(
            "hex27", 8, "ElementHex2", HEXAHEDRON_EDGES + HEXAHEDRON_FACES + _CENTRE, 2, (4, 9), 5
        ),
    )
}


@cache
def _element(kind: str) -> tuple[Any, Indices]:
    """scikit-fem's element, and the number of its function that belongs to each of our nodes."""
    skfem = need("skfem", "scikit-fem", "fem", "Solid elements")
    element = getattr(skfem, KINDS[kind].element)()
    theirs, ours = np.asarray(element.doflocs, dtype=float), KINDS[kind].places
    distance = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
    return element, np.argmin(distance, axis=1)


def shapes(kind: str, at: Array) -> tuple[Array, Array]:
    """Shape functions (k, size) and their slopes (k, size, 3) at places ``at`` (k, 3)."""
    element, order = _element(kind)
    values = np.empty((len(at), len(order)))
    slopes = np.empty((len(at), len(order), 3))
    for node, function in enumerate(order):
        value, slope = element.lbasis(np.ascontiguousarray(at.T), int(function))
        values[:, node] = value
        slopes[:, node] = np.stack([np.broadcast_to(s, len(at)) for s in slope], axis=1)
    return values, slopes


@cache
def rule(simplex: bool, degree: int) -> tuple[Array, Array]:
    """Places (k, 3) and weights (k,) on the reference cell, exact up to ``degree``.

    The degree is that of the whole polynomial in tetrahedra, of each direction in hexahedra. All
    weights are positive.
    """
    if not simplex:
        return _product_rule(degree)
    if degree not in TETRAHEDRON_ORDERS:
        return _collapsed_rule(degree)
    need("skfem", "scikit-fem", "fem", "Solid elements")
    from skfem.quadrature import get_quadrature
    from skfem.refdom import RefTet

    places, weights = get_quadrature(RefTet, TETRAHEDRON_ORDERS[degree])
    return np.ascontiguousarray(places.T), weights


def _product_rule(degree: int) -> tuple[Array, Array]:
    """Gauss points in each of three directions."""
    x, w = np.polynomial.legendre.leggauss(degree // 2 + 1)
    x, w = 0.5 * (1.0 + x), 0.5 * w
    places = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    return places, np.einsum("i,j,k->ijk", w, w, w).ravel()


def _collapsed_rule(degree: int) -> tuple[Array, Array]:
    """Gauss points of a cube that is collapsed onto the tetrahedron, with its volume as weight."""
    from scipy.special import roots_jacobi

    lines = [roots_jacobi(degree // 2 + 1, power, 0.0) for power in (2, 1, 0)]
    (a, b, c), (u, v, w) = zip(*((0.5 * (1.0 + x), weight) for x, weight in lines), strict=True)
    a, b, c = np.meshgrid(a, b, c, indexing="ij")
    places = np.stack([a, (1 - a) * b, (1 - a) * (1 - b) * c], axis=-1).reshape(-1, 3)
    # (1 - x) / 2 has been integrated as 1 - x, and x from -1 to 1: 2**-3, 2**-2, 2**-1.
    return places, np.einsum("i,j,k->ijk", u, v, w).ravel() / 64.0
