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
from math import cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from supple.fem.material import Material
from supple.fem.sections import CrossSection

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


@dataclass(frozen=True, eq=False)
class BeamMesh:
    """A beam along +x from its origin, divided into equal elements.

    Parameters
    ----------
    length : m
    elements : int
    line_mass : kg/m
    mass_moments : (2, 2) kg m
        Density times the integrals of y y, y z; z y, z z over the section; zeros for a line mass.
    axial, torsional : N, N m2
        E A and G J.
    bending : (2, 2) N m2
        E times the integrals of y y, y z; z y, z z: moments for the curvatures v'', w''.
    point_masses : ((x, mass), ...) in m, kg
        Masses on the axis, moved by the shapes of their element.
    """

    length: float
    elements: int
    line_mass: float
    mass_moments: Array
    axial: float
    bending: Array
    torsional: float
    point_masses: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(
        cls,
        section: CrossSection,
        material: Material,
        length: float,
        elements: int,
        *,
        torsion_constant: float,
        rotary_inertia: bool = True,
        roll: float = 0.0,
        point_masses: tuple[tuple[float, float], ...] = (),
    ) -> BeamMesh:
        """Mesh of one section and one material; the section is turned by roll (rad) about x."""
        moments = _section_moments(section.I_y, section.I_z, roll)
        return cls(
            length=length,
            elements=elements,
            line_mass=material.density * section.area,
            mass_moments=material.density * moments if rotary_inertia else np.zeros((2, 2)),
            axial=material.E * section.area,
            bending=material.E * moments,
            torsional=material.G * torsion_constant,
            point_masses=point_masses,
        )

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
        law = np.zeros((4, 4))
        law[0, 0], law[1:3, 1:3], law[3, 3] = self.axial, self.bending, self.torsional
        element = np.zeros((12, 12))
        for xi, weight in _gauss(STIFFNESS_POINTS):
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
        offsets = _section_points(self.mass_moments / self.line_mass)
        mass, place, shape = [], [], []
        for xi, weight in _gauss(MASS_POINTS):
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
        powers[p] = factor * xi ** (p - derivative) / h**derivative
    linear, hermite = LINEAR @ powers, HERMITE @ powers * [1.0, h, 1.0, h]
    rows = np.zeros((4, 12))
    rows[0, U] = rows[3, TWIST] = linear
    rows[1, V] = hermite
    rows[2, W] = hermite * [1.0, -1.0, 1.0, -1.0]
    return rows


def _strains(xi: float, h: float) -> Array:
    """Rows (4, 12) of u', v'', w'' and the rate of twist of an element of length h."""
    first, second = _values(xi, h, 1), _values(xi, h, 2)
    return np.stack([first[0], second[1], second[2], first[3]])


def _gauss(points: int) -> list[tuple[float, float]]:
    """Places and weights on 0..1, exact for polynomials of degree 2 points - 1."""
    places, weights = np.polynomial.legendre.leggauss(points)
    return [(0.5 * (1.0 + x), 0.5 * w) for x, w in zip(places, weights, strict=True)]


def _section_moments(I_y: float, I_z: float, roll: float) -> Array:
    """Integrals (2, 2) of y y, y z; z y, z z over a section turned by roll (rad) about x."""
    # Mean and difference, so that equal moments stay exactly free of a product y z.
    mean, half = 0.5 * (I_z + I_y), 0.5 * (I_z - I_y)
    c, s = half * cos(2.0 * roll), half * sin(2.0 * roll)
    return np.array([[mean + c, s], [s, mean - c]])


def _section_points(moments: Array) -> list[tuple[float, float]]:
    """Four points (y, z) of equal weight with mean zero and these second moments (2, 2), m2."""
    if not moments.any():
        return [(0.0, 0.0)]
    a = sqrt(moments[0, 0])
    b = moments[0, 1] / a
    c = sqrt(max(moments[1, 1] - b * b, 0.0))
    # The columns (a, b), (0, c) of the Cholesky factor, both ways, are half of the points each.
    r = sqrt(2.0)
    return [(r * a, r * b), (-r * a, -r * b), (0.0, r * c), (0.0, -r * c)]
