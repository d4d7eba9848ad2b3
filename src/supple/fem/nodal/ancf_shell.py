"""Thin shells: place, gradients r_x, r_y and the normal n at the nodes of a mapped rectangle.

The place is that of `supple.fem.nodal.ancf_plate` over the coordinates x, y of a rectangle, which
need not be lengths: the shape at rest is any smooth surface over it. The normals are nodal vectors
of their own, so that curvatures are products of two vectors also where the shell is curved at rest:

    membrane  e = (r_a . r_b - rest) / 2            at 2 x 2 Gauss points
    bending   k = -(r_ab . n - rest)                at 3 x 3, n between nodes bilinear
    slopes    r_ab . r_c - rest                     at the same, with the stiffness of bending
    normals   r_a . n = 0 and n . n = 1             at the nodes

The last three fix the three components of each normal and nothing else, so that they cannot lock.
Slopes of stretching would have no stiffness of their own but that at 2 x 2 points, and cubics would
bend too easily; a plate has the same stiffness in its constant matrix. Between nodes that turn by
an angle f against each other n is shorter by f^2 / 8. Stresses are those of axes along the surface
at rest; the normals carry the rotary inertia.
"""

from __future__ import annotations

import numpy as np

from supple.fem.base.material import Material
from supple.fem.beams.line import gauss
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_plate import (
    CORNERS,
    MASS_POINTS,
    MEMBRANE,
    PlateRows,
    grid_cells,
    plane_law,
)
from supple.fem.nodal.ancf_table import ElementTable, StrainPoint, Term
from supple.fem.shells.checks import checked_poisson
from supple.foundation.arrays import Array

VECTORS = 4  # of a node: r, r_x, r_y, n
BENDING_POINTS = 3
BENDING: tuple[tuple[Term, ...], ...] = tuple(
    ((factor, a, b),) for b in (3, 4, 5) for factor, a in ((-1.0, 0), (-1.0, 1), (-2.0, 2))
)
NORMAL: tuple[tuple[Term, ...], ...] = (((1.0, 0, 2),), ((1.0, 1, 2),), ((0.5, 2, 2),))
SHEAR = 5.0 / 6.0
# Elements that agree to so many digits are the same: gradients of a surface are differences.
SAME_DIGITS = 10


def shell_table(
    sizes: tuple[float, float],
    thickness: float,
    material: Material,
    rest: Array,
    time: float = 0.0,
    owner: str = "plate",
) -> ElementTable:
    """Table of a mapped rectangle with its sizes in x and y, and nodal vectors (16, 3) at rest.

    ``time`` (s) is the viscosity in units of the stiffness, of stretching and of bending.
    """
    from scipy import linalg

    h, rows = thickness, ShellRows(sizes)
    law = plane_law(material, checked_poisson(owner, material))
    points = []

    def add(x: float, y: float, weight: float, bending: bool) -> None:
        along = [rows.row(x, y, 1, 0), rows.row(x, y, 0, 1)]
        first, second = (row @ rest for row in along)
        turn, area = plane_turn(first, second)
        D = area * sizes[0] * sizes[1] * weight * h * (turn.T @ law @ turn)
        shown = along
        if bending:
            D = h**2 / 12.0 * D
            D = linalg.block_diag(D, np.kron(np.linalg.inv(_metric(first, second)), D))
            curved = [rows.row(x, y, *d) for d in ((2, 0), (0, 2), (1, 1))]
            shown = [*curved, rows.normal(x, y), *along]
        points.append(StrainPoint.of(shown, BENDING if bending else MEMBRANE, D, time * D))

    for x, v in gauss(2):
        for y, w in gauss(2):
            add(x, y, v * w, False)
    for x, v in gauss(BENDING_POINTS):
        for y, w in gauss(BENDING_POINTS):
            add(x, y, v * w, True)
    for k, (x, y) in enumerate(CORNERS):
        metric = _metric(rest[VECTORS * k + 1], rest[VECTORS * k + 2])
        share = 0.25 * sizes[0] * sizes[1] * float(np.sqrt(np.linalg.det(metric))) * h
        D = np.zeros((3, 3))
        D[:2, :2] = share * SHEAR * material.G * np.linalg.inv(metric)
        D[2, 2] = share * material.E
        shown = [rows.row(x, y, 1, 0), rows.row(x, y, 0, 1), rows.normal(x, y)]
        points.append(StrainPoint.of(shown, NORMAL, D, time * D))
    return ElementTable.of(4, points, rest, _mass(rows, material.density * h, h, rest))


def shell_mesh(
    sizes: tuple[float, float],
    elements: tuple[int, int],
    thickness: float,
    material: Material,
    rest: Array,
    time: float = 0.0,
    owner: str = "plate",
) -> ANCFMesh:
    """A mapped rectangle, divided into equal rectangles of its coordinates.

    ``rest`` (nodes, 4, 3) are nodal vectors in the order of `plate_mesh`; elements of one shape
    share a table.
    """
    n, m = elements
    own = sizes[0] / n, sizes[1] / m
    known: dict[bytes, ElementTable] = {}
    tables, cells = [], grid_cells(elements)
    unit = float(np.abs(rest[:, 0]).max()) or 1.0
    for cell in cells:
        vectors = rest[cell].reshape(-1, 3)
        shape = vectors.copy()
        shape[::VECTORS] = (shape[::VECTORS] - shape[0]) / unit
        products = shape @ shape.T
        key = (np.round(products / np.diag(products).max(), SAME_DIGITS) + 0.0).tobytes()
        if key not in known:
            known[key] = shell_table(own, thickness, material, vectors, time, owner)
        tables.append(known[key])
    return ANCFMesh.of(rest, cells, tables)


class ShellRows:
    """Rows (16,) of place and normal of an element with its sizes in x and y."""

    def __init__(self, sizes: tuple[float, float]) -> None:
        self.sizes, self._plate = sizes, PlateRows(sizes)

    def row(self, x: float, y: float, dx: int = 0, dy: int = 0) -> Array:
        """A derivative of the place at x, y in 0..1."""
        found = np.zeros((4, VECTORS))
        found[:, :3] = self._plate.row(x, y, dx, dy).reshape(4, 3)
        return found.ravel()

    def normal(self, x: float, y: float) -> Array:
        """The normal between those of the nodes."""
        found = np.zeros((4, VECTORS))
        found[:, 3] = [(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y]
        return found.ravel()


def plane_turn(first: Array, second: Array) -> tuple[Array, float]:
    """Matrix (3, 3) from strains xx, yy, 2 xy by coordinates to those along axes, and the area.

    ``first`` and ``second`` (3,) are the gradients of the surface at rest: the first axis is along
    the first of them. The area is that of a unit of the coordinates.
    """
    a = float(np.linalg.norm(first))
    b = float(first @ second) / a
    c = float(np.linalg.norm(np.cross(first, second))) / a
    # coordinates from lengths along the axes: dx = X, dy = Y
    X, Y = np.array([1.0 / a, 0.0]), np.array([-b / (a * c), 1.0 / c])
    rows = [
        [p[0] * q[0], p[1] * q[1], 0.5 * (p[0] * q[1] + p[1] * q[0])]
        for p, q in ((X, X), (Y, Y), (X, Y))
    ]
    turn = np.array(rows)
    turn[2] *= 2.0
    return turn, a * c


def _metric(first: Array, second: Array) -> Array:
    """Products (2, 2) of two gradients."""
    both = np.array([first, second])
    products: Array = both @ both.T
    return products


def _mass(rows: ShellRows, density: float, thickness: float, rest: Array) -> Array:
    """Mass matrix (16, 16); ``density`` is per area."""
    mass = np.zeros((4 * VECTORS, 4 * VECTORS))
    for x, v in gauss(MASS_POINTS):
        for y, w in gauss(MASS_POINTS):
            area = plane_turn(*(rows.row(x, y, *d) @ rest for d in ((1, 0), (0, 1))))[1]
            own = density * rows.sizes[0] * rows.sizes[1] * v * w * area
            place, normal = rows.row(x, y), rows.normal(x, y)
            mass += own * np.outer(place, place)
            mass += own * thickness**2 / 12.0 * np.outer(normal, normal)
    return mass
