"""Beam with amplitudes of assumed shapes as elastic coordinates: integrals, section forces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import Polynomial

from supple.fem.base.damping import Damping, KelvinVoigt
from supple.fem.base.inertia import point_integrals
from supple.fem.beams.line import BeamLine
from supple.fem.beams.section_forces import in_section_axes
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.reduction.assumed.shapes import AssumedShapes
from supple.reduction.membranes import assumed_membranes, is_membrane
from supple.reduction.modal import ModalBody, modal_body
from supple.reduction.modes import COORDINATES
from supple.reduction.stiffening import Stiffening

# Rows of u, v, w and twist in what follows.
ROWS = {"u": 0, "v": 1, "w": 2, "tx": 3}
# Second moments of a section with linear sizes are polynomials of this degree.
DEGREE = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class AssumedBeam(BeamLine):
    """A beam along +x with assumed shapes.

    A material point (x, y, z) moves as in the elements, by

        (u - y v' - z w',  v - z twist,  w + y twist)

    Coordinates are ordered by the number of the function, then u, v, w, tx, as those of nodes are.
    Parameters are those of `BeamLine` and

    shapes : AssumedShapes
    damping : Rayleigh, ModalDamping or KelvinVoigt, optional
    stiffening : Axial, VonKarman, SecondOrder or None
    """

    shapes: AssumedShapes
    damping: Damping | None = None
    stiffening: Stiffening = None

    @cached_property
    def body(self) -> ModalBody:
        """Integrals, stiffness and damping of all coordinates."""
        from scipy.linalg import eigh

        points = self.material_points()
        stiffness = self._stiffness((1.0, 1.0))
        viscous = None
        if isinstance(self.damping, KelvinVoigt):
            viscous = self._stiffness(self.damping.factors(self.material.E, self.material.G))
        units = tuple("rad" if field == "tx" else "m" for field, _ in self._columns)
        names = tuple(f"{field}_{i + 1}" for field, i in self._columns)
        elastic_mass = np.einsum("k,kib,kia->ba", points[0], points[2], points[2])
        # Scaled to a unit diagonal: amplitudes of displacements and of twist have no common unit.
        scale = 1.0 / np.sqrt(np.diag(elastic_mass))
        both = np.outer(scale, scale)
        squares = eigh(both * stiffness, both * elastic_mass, eigvals_only=True)
        frequencies = np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi)
        body = modal_body(
            point_integrals(points), stiffness, self.damping, frequencies, names, units, viscous
        )
        if not is_membrane(self.stiffening):
            return body
        return replace(body, membranes=assumed_membranes(self, self.stiffening))

    def displacement(self, x: float) -> Vector:
        """Rows (3, n) of the displacement u, v, w of the axis at the station x."""
        return self._fields(x)[:3]

    def rotation(self, x: float) -> Vector:
        """Rows (3, n) of the rotation (twist, -w', v') at the station x."""
        values, slopes = self._fields(x), self._fields(x, 1)
        return np.stack([values[3], -slopes[2], slopes[1]])

    def motions(self, stations: Iterable[float]) -> Vector:
        """Rows (k, 6, n) of displacement and rotation at stations."""
        rows = [np.vstack([self.displacement(x), self.rotation(x)]) for x in stations]
        return np.array(rows).reshape(-1, 6, self.body.n)

    def slopes(self, x: float) -> Vector:
        """Rows (2, n) of the slopes v', w' of the axis at the station x."""
        return self._fields(x, 1)[1:3]

    def strain(self, x: float) -> Vector:
        """Rows (4, n) of u', v'', w'' and the rate of twist at the station x."""
        first, second = self._fields(x, 1), self._fields(x, 2)
        return np.stack([first[0], second[1], second[2], first[3]])

    def material_points(self) -> tuple[Vector, Vector, Vector]:
        """Body as finitely many mass points: mass (k,), place (k, 3), shape (k, 3, n).

        Sums over the points equal the integrals over the body, to rounding, of everything that is
        at most quadratic in place and displacement.
        """
        mass, place, shape = [], [], []
        for s, weight in self._quadrature:
            x, law = s * self.length, self.at(s, self.roll)
            values, slopes = self._fields(x), self._fields(x, 1)
            offsets = law.section_points
            for y, z in offsets:
                mass.append(law.line_mass * self.length * weight / len(offsets))
                place.append([x, y, z])
                along = values[0] - y * slopes[1] - z * slopes[2]
                shape.append([along, values[1] - z * values[3], values[2] + y * values[3]])
        for x, m in self.point_masses:
            mass.append(m)
            place.append([x, 0.0, 0.0])
            shape.append(list(self.displacement(x)))
        return np.array(mass), np.array(place), np.array(shape)

    def _stiffness(self, factors: tuple[float, float]) -> Vector:
        """Stiffness (n, n) with what E and what G resists multiplied by factors."""
        E, G = factors
        weights = np.diag([E, E, E, G])
        total = np.zeros((len(self._columns), len(self._columns)))
        for s, weight in self._quadrature:
            strain = self.strain(s * self.length)
            total += self.length * weight * strain.T @ weights @ self.at(s, self.roll).law @ strain
        return total

    def _fields(self, x: float, derivative: int = 0) -> Vector:
        """Rows (4, n) of u, v, w, twist at the station x, or of their derivatives by x."""
        rows = np.zeros((4, len(self._columns)))
        for field, functions in self.shapes.fields.items():
            values = functions.values(x / self.length, derivative)
            for column, (name, i) in enumerate(self._columns):
                if name == field:
                    rows[ROWS[field], column] = values[i] / self.length**derivative
        return rows

    @cached_property
    def _columns(self) -> tuple[tuple[str, int], ...]:
        """Field and index of the function of each coordinate."""
        fields = self.shapes.fields
        return tuple(
            (field, i)
            for i in range(self.shapes.highest)
            for field in COORDINATES
            if field in fields and i < fields[field].count
        )

    @property
    def points(self) -> int:
        """Gauss points along the beam that integrate a product of any two functions."""
        return max(functions.points for functions in self.shapes.fields.values())

    @cached_property
    def _quadrature(self) -> list[tuple[float, float]]:
        return self.quadrature(0.0, 1.0, self.points)


def assumed_section_forces(beam: AssumedBeam, x: float) -> Vector:
    """Rows (6, n) of N, Vy, Vz, T, My, Mz at the station x (m), in the axes of the section.

    They are the strains of the shapes there times the stiffness of the section; Vy = -Mz' and Vz =
    My' are in balance with the moments.
    """
    s = x / beam.length
    law, strain = beam.at(s, beam.roll), beam.strain(x)
    moments = law.bending @ strain[1:3]
    slopes = law.bending @ beam._fields(x, 3)[1:3] + _change(beam, s) @ strain[1:3]
    rows = np.vstack(
        [
            law.axial * strain[0],
            -slopes,
            law.torsional * strain[3],
            -moments[1],
            moments[0],
        ]
    )
    return in_section_axes(rows, beam.roll)


def _change(beam: AssumedBeam, s: float) -> Vector:
    """Derivative (2, 2) of the bending stiffness by x, N m."""
    if isinstance(beam.section, CrossSection):
        return np.zeros((2, 2))
    stations = beam.section.stations
    k = min(max(int(np.searchsorted(stations, s, side="right")) - 1, 0), len(stations) - 2)
    places = np.linspace(stations[k], stations[k + 1], DEGREE + 1)
    values = np.array([beam.at(float(p), beam.roll).bending for p in places])
    return (
        np.array(
            [
                [Polynomial.fit(places, values[:, i, j], DEGREE).deriv()(s) for j in range(2)]
                for i in range(2)
            ]
        )
        / beam.length
    )
