"""A straight beam as a line: what its sections weigh and resist, before anything is discretised."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import cos, sin, sqrt
from typing import Literal, get_args

import numpy as np

from supple.fem.base.material import Material
from supple.fem.sections.sections import CrossSection, Profile
from supple.foundation.arrays import Array

Theory = Literal["euler_bernoulli", "timoshenko"]
THEORIES: tuple[Theory, ...] = get_args(Theory)
Torsion = Literal["saint_venant", "polar"]

# Gauss points in a cell within which second moments change by STEEPEST at most. Compliances there
# are powers of a linear function that changes by less than half of itself, and integrals of them
# err by about the 14th power of 1/10.
TAPER_POINTS = 7
STEEPEST, FINEST = 3.0, 40  # FINEST: how often a cell may be halved towards an edge


@dataclass(frozen=True, eq=False)
class SectionLaw:
    """Mass, inertia and stiffness of one section, per length."""

    line_mass: float  # kg/m
    # (2, 2) kg m Integrals of y y, y z; z y, z z over the mass of the section; zeros for a line
    # mass.
    mass_moments: Array
    # axial, torsional: N, N m2 E A and G J.
    axial: float
    # (2, 2) N m2 E times the integrals of y y, y z; z y, z z: moments for the curvatures v'', w''.
    bending: Array
    torsional: float
    shear: tuple[float, float]  # (2,) N G k A along y and z; infinite for Euler and Bernoulli.

    @property
    def law(self) -> Array:
        """Matrix (4, 4) from the strains u', v'', w'' and rate of twist to forces and moments."""
        law = np.zeros((4, 4))
        law[0, 0], law[1:3, 1:3], law[3, 3] = self.axial, self.bending, self.torsional
        return law

    @property
    def round(self) -> bool:
        """True if every pair of axes y, z is as good as any other."""
        equal = [x[0, 0] == x[1, 1] and x[0, 1] == 0.0 for x in (self.mass_moments, self.bending)]
        return all(equal) and self.shear[0] == self.shear[1]

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


@dataclass(frozen=True, eq=False, kw_only=True)
class BeamLine:
    """A straight beam along +x from its origin.

    Parameters
    ----------
    section : CrossSection or TaperedSection
    material : Material
    length : m
    theory : "euler_bernoulli" or "timoshenko"
    torsion : "saint_venant" or "polar"
        The section's torsion constant, or its polar moment.
    rotary_inertia : bool
        Off: the mass is on the axis.
    roll : rad
        Turns the section about x.
    point_masses : ((x, mass), ...) in m, kg
        Masses on the axis, moved by the shapes there.
    """

    section: Profile
    material: Material
    length: float
    theory: Theory = "euler_bernoulli"
    torsion: Torsion = "saint_venant"
    rotary_inertia: bool = True
    roll: float = 0.0
    point_masses: tuple[tuple[float, float], ...] = ()

    def at(self, s: float, roll: float = 0.0) -> SectionLaw:
        """Law at the place s in 0..1, in axes against which the section is turned by roll (rad)."""
        section, material = self.section.at(s), self.material
        moments = _section_moments(section.I_y, section.I_z, roll)
        mass_moments = np.zeros((2, 2))
        if self.rotary_inertia:
            mass_moments = material.density * _section_moments(*section.mass_moments, roll)
        shear = (np.inf, np.inf)
        if self.theory == "timoshenko":
            y, z = section.shear_coefficients(material.poisson)
            shear = material.G * section.area * y, material.G * section.area * z
        constant = section.I_p if self.torsion == "polar" else section.J
        return SectionLaw(
            line_mass=material.density * section.area,
            mass_moments=mass_moments,
            axial=material.E * section.area,
            bending=material.E * moments,
            torsional=material.G * constant,
            shear=shear,
        )

    def quadrature(self, start: float, end: float, points: int) -> list[tuple[float, float]]:
        """Places in 0..1 and weights between two places, exact for what is of a degree below.

        ``points`` are enough for products of shapes of a uniform beam; a section that changes
        needs more, and cells that end at its kinks.
        """
        if not isinstance(self.section, CrossSection):
            points = max(points + 2, TAPER_POINTS)
        return [
            (a + (b - a) * s, (b - a) * weight)
            for a, b in pairwise(self.cells(start, end))
            for s, weight in gauss(points)
        ]

    def cells(self, start: float, end: float) -> list[float]:
        """Places in 0..1 between which the section changes smoothly, and by little."""
        if isinstance(self.section, CrossSection):
            return [start, end]
        inner = [s for s in self.section.kinks if start < s < end]
        return [start, *(x for a, b in pairwise([start, *inner, end]) for x in self._cut(a, b))]

    def _cut(self, a: float, b: float, left: int = FINEST) -> list[float]:
        """Ends of cells behind a, the last of them b."""
        ends = [self.section.at(s) for s in (a, b)]
        one, two = (np.array([s.I_y, s.I_z]) for s in ends)
        if left == 0 or np.all(np.maximum(one, two) <= STEEPEST * np.minimum(one, two)):
            return [b]
        middle = 0.5 * (a + b)
        return [*self._cut(a, middle, left - 1), *self._cut(middle, b, left - 1)]


@lru_cache(maxsize=64)
def legendre(points: int) -> tuple[Array, Array]:
    """Places and weights (points,) on -1..1, exact for polynomials of degree 2 points - 1."""
    places, weights = np.polynomial.legendre.leggauss(points)
    places.flags.writeable = weights.flags.writeable = False
    return places, weights


@lru_cache(maxsize=64)
def gauss(points: int) -> tuple[tuple[float, float], ...]:
    """Places and weights on 0..1, exact for polynomials of degree 2 points - 1."""
    both = zip(*legendre(points), strict=True)
    return tuple((0.5 * (1.0 + x), 0.5 * w) for x, w in both)


def _section_moments(I_y: float, I_z: float, roll: float) -> Array:
    """Integrals (2, 2) of y y, y z; z y, z z over a section turned by roll (rad) about x."""
    # Mean and difference, so that equal moments stay exactly free of a product y z.
    mean, half = 0.5 * (I_z + I_y), 0.5 * (I_z - I_y)
    c, s = half * cos(2.0 * roll), half * sin(2.0 * roll)
    return np.array([[mean + c, s], [s, mean - c]])
