"""Straight spatial beams of Euler and Bernoulli: one mesh of equal elements.

Each node has six coordinates: displacements u, v, w along x, y, z and rotations tx, ty, tz about
them, with ty = -w' and tz = v'. Between the nodes u and the twist are linear, v and w cubic. A
material point (x, y, z) moves by

    (u - y v' - z w',  v - z twist,  w + y twist)

which carries every rigid motion of small angle exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.fem.line import BeamLine, gauss

Array = NDArray[np.float64]

# Polynomials of xi in 0..1, ascending powers: value at the first node, slope there, the same at
# the second node. A slope function is still to be multiplied by the length of the element.
HERMITE = np.array([[1.0, 0, -3, 2], [0, 1, -2, 1], [0, 0, 3, -2], [0, 0, -1, 1]])
LINEAR = np.array([[1.0, -1, 0, 0], [0, 1, 0, 0]])
# Places of the coordinates of one element that carry u, v, w and twist; w' is -ty.
U, V, W, TWIST = (0, 6), (1, 5, 7, 11), (2, 4, 8, 10), (3, 9)
# Gauss points for products of two cubics (degree 6), and for products of two curvatures (2).
MASS_POINTS, STIFFNESS_POINTS = 4, 2
# A station this near to a node, in lengths of an element, is the node.
AT_NODE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class BeamMesh(BeamLine):
    """A beam along +x from its origin, divided into equal elements.

    Parameters are those of `BeamLine` and

    elements : int
    """

    elements: int

    @property
    def size(self) -> int:
        """Number of nodal coordinates."""
        return 6 * (self.elements + 1)

    @property
    def step(self) -> float:
        """Length of one element, m."""
        return self.length / self.elements

    @property
    def nodes(self) -> Array:
        """Places of the nodes (elements + 1, 3), m."""
        places = np.zeros((self.elements + 1, 3))
        places[:, 0] = np.linspace(0.0, self.length, self.elements + 1)
        return places

    @cached_property
    def stiffness_matrix(self) -> Array:
        """Stiffness matrix (size, size) of all nodal coordinates."""
        law = self.law
        element = np.zeros((12, 12))
        for xi, weight in gauss(STIFFNESS_POINTS):
            strain = _strains(xi, self.step)
            element += self.step * weight * strain.T @ law @ strain
        return self._assemble(element)

    @cached_property
    def mass_matrix(self) -> Array:
        """Consistent mass matrix (size, size) of all nodal coordinates, point masses included."""
        mass, _, shape = self._element_points
        rows = np.sqrt(mass)[:, None, None] * shape
        matrix = self._assemble(np.einsum("kib,kia->ba", rows, rows))
        for x, m in self.point_masses:
            shapes = self.displacement(x)
            matrix += m * shapes.T @ shapes
        return matrix

    def material_points(self, basis: Array) -> tuple[Array, Array, Array]:
        """Body as finitely many mass points, for displacements ``basis @ q`` with basis (size, n).

        Returns mass (k,), place (k, 3) and shape (k, 3, n): a point is at ``place + shape @ q``.
        Sums over the points equal the integrals over the body of everything that is at most
        quadratic in place and displacement.
        """
        mass, place, shape = self._element_points
        places, shapes = [], []
        for e in range(self.elements):
            places.append(place + np.array([e * self.step, 0.0, 0.0]))
            shapes.append(shape @ basis[6 * e : 6 * e + 12])
        masses = [np.tile(mass, self.elements)]
        for x, m in self.point_masses:
            masses.append(np.array([m]))
            places.append(np.array([[x, 0.0, 0.0]]))
            shapes.append((self.displacement(x) @ basis)[None])
        return np.concatenate(masses), np.concatenate(places), np.concatenate(shapes)

    def displacement(self, x: float) -> Array:
        """Rows (3, size) of the displacement u, v, w of the axis at the station x."""
        element, xi = self._place(x)
        return self._spread(element, _values(xi, self.step)[:3])

    def rotation(self, x: float) -> Array:
        """Rows (3, size) of the rotation (twist, -w', v') at the station x."""
        element, xi = self._place(x)
        twist = _values(xi, self.step)[3]
        slopes = _values(xi, self.step, 1)
        return self._spread(element, np.stack([twist, -slopes[2], slopes[1]]))

    def strain(self, x: float) -> Array:
        """Rows (4, size) of u', v'', w'' and the rate of twist at the station x.

        They jump between elements: an inner node takes the mean of its two sides.
        """
        element, xi = self._place(x)
        rows = self._spread(element, _strains(xi, self.step))
        if xi == 1.0 and element + 1 < self.elements:
            rows = 0.5 * (rows + self._spread(element + 1, _strains(0.0, self.step)))
        return rows

    @cached_property
    def _element_points(self) -> tuple[Array, Array, Array]:
        """Mass points of the first element: mass (k,), place (k, 3), shape (k, 3, 12).

        Place and shape are linear in y and z, so that four points of the section with the right
        second moments stand for all of it.
        """
        offsets = self.section_points
        mass, place, shape = [], [], []
        for xi, weight in gauss(MASS_POINTS):
            values, slopes = _values(xi, self.step), _values(xi, self.step, 1)
            for y, z in offsets:
                mass.append(self.line_mass * self.step * weight / len(offsets))
                place.append([xi * self.step, y, z])
                along = values[0] - y * slopes[1] - z * slopes[2]
                shape.append([along, values[1] - z * values[3], values[2] + y * values[3]])
        return np.array(mass), np.array(place), np.array(shape)

    def _place(self, x: float) -> tuple[int, float]:
        """Element of a station and the place xi in 0..1 within it; nodes are met exactly."""
        stretch = x / self.step
        nearest = round(stretch)
        if abs(stretch - nearest) < AT_NODE:
            return (nearest - 1, 1.0) if nearest > 0 else (0, 0.0)
        element = min(max(int(stretch), 0), self.elements - 1)
        return element, stretch - element

    def _spread(self, element: int, rows: Array) -> Array:
        """Rows (k, 12) of one element as rows (k, size) of all nodal coordinates."""
        result = np.zeros((len(rows), self.size))
        result[:, 6 * element : 6 * element + 12] = rows
        return result

    def _assemble(self, element: Array) -> Array:
        matrix = np.zeros((self.size, self.size))
        for e in range(self.elements):
            matrix[6 * e : 6 * e + 12, 6 * e : 6 * e + 12] += element
        return matrix


def _values(xi: float, h: float, derivative: int = 0) -> Array:
    """Rows (4, 12) of u, v, w, twist of an element of length h, or of their derivatives by x."""
    powers = np.zeros(4)
    for p in range(derivative, 4):
        factor = np.prod(np.arange(p - derivative + 1, p + 1))
        powers[p] = factor * xi ** (p - derivative)
    value, slope = h ** float(-derivative), h ** float(1 - derivative)
    linear, hermite = LINEAR @ powers * value, HERMITE @ powers * [value, slope, value, slope]
    rows = np.zeros((4, 12))
    rows[0, U] = rows[3, TWIST] = linear
    rows[1, V] = hermite
    rows[2, W] = hermite * [1.0, -1.0, 1.0, -1.0]
    return rows


def _strains(xi: float, h: float) -> Array:
    """Rows (4, 12) of u', v'', w'' and the rate of twist of an element of length h."""
    first, second = _values(xi, h, 1), _values(xi, h, 2)
    return np.stack([first[0], second[1], second[2], first[3]])
