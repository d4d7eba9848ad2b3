"""Straight spatial beams: one mesh of equal elements, of Euler and Bernoulli or of Timoshenko.

Each node has six coordinates: displacements u, v, w along x, y, z and rotations tx, ty, tz about
them; in the theory of Euler and Bernoulli ty = -w' and tz = v'. See `supple.fem.beams.element`.

The element of a part of a beam that bends and twists: its rate of twist is linear along it. Moments
of a beam that is bent about both axes twist it by ``(E I_z - E I_y) k_y k_z`` per length. An
element whose rate of twist is constant cannot follow, and in a chain of them the flexibility that
is missing falls with the square of their length only. A thirteenth coordinate, the angle by which
the middle section turns beyond the mean of the end sections, makes the twist a parabola.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import cos, sin
from typing import ClassVar

import numpy as np

from supple.fem.beams.element import BeamElement, StaticElement, element_geometric_stiffness
from supple.fem.beams.line import BeamLine
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property

Factors = Callable[[float, float], tuple[float, float]]

# A station this near to a node, in lengths of an element, is the node.
AT_NODE = 1e-9
INNER = 12  # place of the coordinate behind those of both ends


@dataclass(frozen=True, eq=False, kw_only=True)
class BeamMesh(BeamLine):
    """A beam along +x from its origin, divided into equal elements.

    Parameters are those of `BeamLine` and

    elements : int
    """

    elements: int
    node_size = 6
    element_type: ClassVar[type[BeamElement]] = BeamElement

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
        return self.viscous_matrix(lambda E, G: (1.0, 1.0))

    def viscous_matrix(self, factors: Factors) -> Array:
        """Stiffness (size, size) with its parts of E and of G multiplied by factors of E and G."""
        E, G = factors(self.material.E, self.material.G)

        def own(element: BeamElement) -> Array:
            with_E, with_G = element.stiffness_parts
            K = E * with_E + G * with_G
            return self._turn.T @ K @ self._turn if self._turns else K

        return self._assembled(own)

    def geometric_stiffness(self, displacement: Array) -> Array:
        """Matrix (size, size) of the linear stress that belongs to nodal coordinates (size,).

        Half its quadratic form in a further displacement is the work of that stress on strains of
        second order: tension stiffens.
        """
        matrix = np.zeros((self.size, self.size))
        for e, element in enumerate(self._pieces):
            here = self._columns(e)
            own = element_geometric_stiffness(element, self._turn @ displacement[here])
            matrix[here, here] += self._turn.T @ own @ self._turn
        return matrix

    @cached_property
    def mass_matrix(self) -> Array:
        """Consistent mass matrix (size, size) of all nodal coordinates, point masses included."""

        def own(element: BeamElement) -> Array:
            mass, _, shape = self._points[element]
            # Summed point by point: opposite points of a section cancel exactly.
            rows = np.sqrt(mass)[:, None, None] * shape
            return np.asarray(np.einsum("kib,kia->ba", rows, rows))

        matrix = self._assembled(own)
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
        masses, places, shapes = [], [], []
        for e, element in enumerate(self._pieces):
            mass, place, shape = self._points[element]
            masses.append(mass)
            places.append(place + np.array([e * self.step, 0.0, 0.0]))
            shapes.append(shape @ basis[self._columns(e)])
        for x, m in self.point_masses:
            masses.append(np.array([m]))
            places.append(np.array([[x, 0.0, 0.0]]))
            shapes.append((self.displacement(x) @ basis)[None])
        return np.concatenate(masses), np.concatenate(places), np.concatenate(shapes)

    def inertia_loads(self) -> Array:
        """Nodal forces (size, 12) of the body forces rho e_d and rho x_i e_d."""
        loads = np.zeros((self.size, 4, 3))
        own = {}
        for element, (mass, place, shape) in self._points.items():
            first = np.einsum("k,kda->ad", mass, shape)
            own[element] = first, np.einsum("ki,kda->aid", mass[:, None] * place, shape)
        for e, element in enumerate(self._pieces):
            here, (first, second) = self._columns(e), own[element]
            loads[here, 0] += first
            loads[here, 1] += second[:, 0] + e * self.step * first
            loads[here, 2:] += second[:, 1:]
        for x, m in self.point_masses:
            shapes = m * self.displacement(x).T
            loads[:, 0] += shapes
            loads[:, 1] += x * shapes
        return loads.reshape(self.size, 12)

    def displacement(self, x: float) -> Array:
        """Rows (3, size) of the displacement u, v, w of the axis at the station x."""
        return self.motion(x)[:3]

    def rotation(self, x: float) -> Array:
        """Rows (3, size) of the rotation tx, ty, tz of the section at the station x."""
        return self.motion(x)[3:]

    def strain(self, x: float) -> Array:
        """Rows (4, size) of u', the curvatures tz' and -ty', and the rate of twist at the station.

        They jump between elements: an inner node takes the mean of its two sides.
        """
        return self._strains(x)[:4]

    def shear(self, x: float) -> Array:
        """Rows (2, size) of the shear strains v' - tz and w' + ty at the station x."""
        return self._strains(x)[4:]

    def inner_twist(self, x: float) -> Array:
        """Row (size,) of the rate of twist, at the station x, that the nodes do not tell."""
        return np.zeros(self.size)

    def _strains(self, x: float) -> Array:
        element, xi = self._place(x)
        rows = self._spread(element, self._strain_rows(element, xi))
        if xi == 1.0 and element + 1 < self.elements:
            rows = 0.5 * (rows + self._spread(element + 1, self._strain_rows(element + 1, 0.0)))
        return rows

    def _strain_rows(self, element: int, xi: float) -> Array:
        rows = self._pieces[element].strain(xi)
        if not self._turns:
            return rows
        R = self._axes[1:, 1:]
        turned = rows @ self._turn
        # Curvatures (tz', -ty') and shear strains are vectors along y and z, like the slopes.
        turned[1:3], turned[4:] = R @ turned[1:3], R @ turned[4:]
        return turned

    @cached_property
    def _pieces(self) -> list[BeamElement]:
        """The elements; those of a uniform beam are one."""
        n = self.elements
        if isinstance(self.section, CrossSection):
            return [self.element_type.of(self, 0.0, 1.0 / n)] * n
        return [self.element_type.of(self, e / n, (e + 1) / n) for e in range(n)]

    def _assembled(self, own: Callable[[BeamElement], Array]) -> Array:
        """Sum (size, size) of the matrices of all elements; of those that are one it is made once.

        ``own`` (12, 12) of an element is in the axes of the body.
        """
        parts = {element: own(element) for element in dict.fromkeys(self._pieces)}
        matrix = np.zeros((self.size, self.size))
        for e, element in enumerate(self._pieces):
            here = self._columns(e)
            matrix[here, here] += parts[element]
        return matrix

    @cached_property
    def _points(self) -> dict[BeamElement, tuple[Array, Array, Array]]:
        """Mass points of each element in the axes of the body, shape (k, 3, 12)."""
        found: dict[BeamElement, tuple[Array, Array, Array]] = {}
        for element in dict.fromkeys(self._pieces):
            mass, place, shape = self._element_points(element)
            if self._turns:
                place = place @ self._axes.T
                shape = np.einsum("ij,kjb->kib", self._axes, shape) @ self._turn
            found[element] = mass, place, shape
        return found

    def _element_points(self, element: BeamElement) -> tuple[Array, Array, Array]:
        """Mass points of one element: mass (k,), place (k, 3), shape (k, 3, 12)."""
        return element.points

    @cached_property
    def _turns(self) -> bool:
        """True if the axes of the section differ from those of the body."""
        return self.roll != 0.0 and not all(element.round for element in self._pieces)

    @cached_property
    def _axes(self) -> Array:
        """Axes (3, 3) of the section: maps its components to those of the body."""
        c, s = cos(self.roll), sin(self.roll)
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])

    @cached_property
    def _turn(self) -> Array:
        """Coordinates (12, 12) in the axes of the section of those in the axes of the body."""
        if not self._turns:
            return np.eye(12)
        return np.asarray(np.kron(np.eye(4), self._axes.T), dtype=np.float64)

    def motion(self, x: float) -> Array:
        """Rows (6, size) of displacement and rotation at the station x, axes of the body."""
        element, xi = self._place(x)
        return self._spread(element, self._moved(element, xi))

    def _moved(self, element: int, xi: float) -> Array:
        """Rows (6, 12) of displacement and rotation of an element, axes of the body."""
        rows = self._pieces[element].values(xi)
        if self._turns and 0.0 < xi < 1.0:  # nodes are met exactly in any axes
            rows = np.kron(np.eye(2), self._axes) @ rows @ self._turn
        return rows

    def motions(self, stations: Iterable[float]) -> Array:
        """Rows (k, 6, size) of displacement and rotation at stations, axes of the body."""
        places = [self._place(float(x)) for x in stations]
        rows = np.zeros((len(places), 6, self.size))
        for row, (element, xi) in zip(rows, places, strict=True):
            row[:, self._columns(element)] = self._moved(element, xi)
        return rows

    def _place(self, x: float) -> tuple[int, float]:
        """Element of a station and the place xi in 0..1 within it; nodes are met exactly."""
        stretch = x / self.step
        nearest = round(stretch)
        if abs(stretch - nearest) < AT_NODE:
            return (nearest - 1, 1.0) if nearest > 0 else (0, 0.0)
        element = min(max(int(stretch), 0), self.elements - 1)
        return element, stretch - element

    def _spread(self, element: int, rows: Array) -> Array:
        """Rows (k, m) of one element as rows (k, size) of all nodal coordinates."""
        result = np.zeros((len(rows), self.size))
        result[:, self._columns(element)] = rows
        return result

    def _columns(self, element: int) -> slice:
        """Places of the coordinates of an element among all."""
        return slice(6 * element, 6 * element + 12)


class LumpedBeamMesh(BeamMesh):
    """Beam mesh with the mass of each element at its two nodes, sections with their inertia."""

    def _element_points(self, element: BeamElement) -> tuple[Array, Array, Array]:
        return element.lumped_points


class StaticBeamMesh(BeamMesh):
    """Beam mesh whose statics are exact at its nodes, however steep its section changes."""

    element_type: ClassVar[type[BeamElement]] = StaticElement


class PartElement(BeamElement):
    """An element with the twist ``4 xi (1 - xi)`` as a further shape."""

    @property
    def size(self) -> int:
        """Number of its coordinates: those of both ends, and the angle of the middle section."""
        return 13

    def _new_values(self, xi: float) -> Array:
        rows = super()._new_values(xi)
        rows[3, INNER] = 4.0 * xi * (1.0 - xi)
        return rows

    def strain(self, xi: float) -> Array:
        """Rows (6, 13) as those of any element."""
        rows = super().strain(xi)
        rows[3, INNER] = 4.0 * (1.0 - 2.0 * xi) / self.length
        return rows


class PartMesh(BeamMesh):
    """A beam of one such element."""

    element_type: ClassVar[type[BeamElement]] = PartElement

    @property
    def size(self) -> int:
        """Number of its coordinates."""
        return 13

    def inner_twist(self, x: float) -> Array:
        """Row (size,) of the rate of twist, at the station x, that the nodes do not tell."""
        row = np.zeros(self.size)
        row[INNER] = self._pieces[0].strain(x / self.length)[3, INNER]
        return row

    @cached_property
    def _turn(self) -> Array:
        turn = np.eye(self.size)
        if self._turns:
            turn[:INNER, :INNER] = np.kron(np.eye(4), self._axes.T)
        return turn

    def _columns(self, element: int) -> slice:
        return slice(0, self.size)
