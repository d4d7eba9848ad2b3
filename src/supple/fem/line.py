"""A straight beam as a line: what its sections weigh and resist, before anything is discretised."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin, sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from supple.fem.material import Material
from supple.fem.sections import CrossSection

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class BeamLine:
    """A uniform beam along +x from its origin.

    Parameters
    ----------
    length : m
    line_mass : kg/m
    mass_moments : (2, 2) kg m
        Density times the integrals of y y, y z; z y, z z over the section; zeros for a line mass.
    axial, torsional : N, N m2
        E A and G J.
    bending : (2, 2) N m2
        E times the integrals of y y, y z; z y, z z: moments for the curvatures v'', w''.
    point_masses : ((x, mass), ...) in m, kg
        Masses on the axis, moved by the shapes there.
    """

    length: float
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
        elements: int | None = None,
        *,
        torsion_constant: float,
        rotary_inertia: bool = True,
        roll: float = 0.0,
        point_masses: tuple[tuple[float, float], ...] = (),
        **more: Any,
    ) -> Self:
        """Beam of one section and one material; the section is turned by roll (rad) about x.

        ``elements`` is the number of elements of a mesh; ``more`` are other fields of a class
        derived from this one.
        """
        moments = _section_moments(section.I_y, section.I_z, roll)
        if elements is not None:
            more["elements"] = elements
        return cls(
            length=length,
            line_mass=material.density * section.area,
            mass_moments=material.density * moments if rotary_inertia else np.zeros((2, 2)),
            axial=material.E * section.area,
            bending=material.E * moments,
            torsional=material.G * torsion_constant,
            point_masses=point_masses,
            **more,
        )

    @property
    def law(self) -> Array:
        """Matrix (4, 4) from the strains u', v'', w'' and rate of twist to forces and moments."""
        law = np.zeros((4, 4))
        law[0, 0], law[1:3, 1:3], law[3, 3] = self.axial, self.bending, self.torsional
        return law

    @property
    def section_points(self) -> list[tuple[float, float]]:
        """Points (y, z) of equal mass that stand for a section.

        Place and displacement are linear in y and z, so that four points with the right second
        moments stand for all of it; one is enough for a line mass.
        """
        moments = self.mass_moments / self.line_mass
        if not moments.any():
            return [(0.0, 0.0)]
        a = sqrt(moments[0, 0])
        b = moments[0, 1] / a
        c = sqrt(max(moments[1, 1] - b * b, 0.0))
        # The columns (a, b), (0, c) of the Cholesky factor, both ways, are half of the points each.
        r = sqrt(2.0)
        return [(r * a, r * b), (-r * a, -r * b), (0.0, r * c), (0.0, -r * c)]


def gauss(points: int) -> list[tuple[float, float]]:
    """Places and weights on 0..1, exact for polynomials of degree 2 points - 1."""
    places, weights = np.polynomial.legendre.leggauss(points)
    return [(0.5 * (1.0 + x), 0.5 * w) for x, w in zip(places, weights, strict=True)]


def _section_moments(I_y: float, I_z: float, roll: float) -> Array:
    """Integrals (2, 2) of y y, y z; z y, z z over a section turned by roll (rad) about x."""
    # Mean and difference, so that equal moments stay exactly free of a product y z.
    mean, half = 0.5 * (I_z + I_y), 0.5 * (I_z - I_y)
    c, s = half * cos(2.0 * roll), half * sin(2.0 * roll)
    return np.array([[mean + c, s], [s, mean - c]])
