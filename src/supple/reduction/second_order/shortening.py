"""Shortening of straight beams: axial displacements of second order, by a few axial shapes.

A deflected beam that keeps its length has u = -1/2 int (v'^2 + w'^2) along its axis. Loads along
the axis do work on a few integrals of this field only: rho and rho x (inertia and gravity), and
forces at attach places. The shapes are the axial deflections under these loads, in closed form
along the beam: normal force N, displacement int N / EA. So r = 2 + attach places, however many
modes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev

from supple.fem.beams.line import BeamLine
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Vector
from supple.foundation.validate import read_only
from supple.reduction.second_order.slaved import NOTHING, Whitened

# Degree of displacements between cuts: rho x on a uniform beam gives a cubic; with a section that
# changes they are no polynomials, but smooth.
DEGREE, TAPERED_DEGREE = 4, 16
# Stations nearer to each other, in lengths of the beam, are one.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Shortening:
    """Axial slaved shapes of a beam.

    Attributes
    ----------
    Gamma : (r, n, n)
    cuts : (cells + 1,) m, stations between which the displacements are polynomials
    series : (cells, degree + 1, r), their Chebyshev coefficients, m
    ends : (cells + 1, r) m, displacements at the cuts; where the axis is held they are exactly zero
    """

    Gamma: Vector
    cuts: Vector
    series: Vector
    ends: Vector

    def displacement(self, x: float) -> Vector:
        """Displacements (r,) along the axis at the station x."""
        near = int(np.argmin(np.abs(self.cuts - x)))
        if abs(self.cuts[near] - x) <= SAME * self.cuts[-1]:
            return np.asarray(self.ends[near])
        k = int(np.searchsorted(self.cuts, x)) - 1
        a, b = self.cuts[k : k + 2]
        return np.asarray(chebyshev.chebval((2.0 * x - a - b) / (b - a), self.series[k]))

    def rows(self, x: float) -> Vector:
        """Displacement and rotation (6, r) at the station x."""
        rows = np.zeros((6, len(self.Gamma)))
        rows[0] = self.displacement(x)
        return rows

    def extended(self, points: tuple[Vector, Vector, Vector]) -> tuple[Vector, Vector, Vector]:
        """Material points whose shapes (k, 3, n + r) include the slaved ones."""
        mass, place, shape = points
        more = np.zeros((len(mass), 3, len(self.Gamma)))
        stations, inverse = np.unique(place[:, 0], return_inverse=True)
        more[:, 0] = np.array([self.displacement(float(x)) for x in stations])[inverse]
        return mass, place, np.concatenate([shape, more], axis=2)


class _Cells:
    """Functions along a beam, as values at Chebyshev points (cells, points, ...) between cuts."""

    def __init__(self, line: BeamLine, cuts: Vector) -> None:
        uniform = isinstance(line.section, CrossSection)
        degree = DEGREE if uniform else TAPERED_DEGREE
        self.cuts, self.length = cuts, line.length
        self.nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
        self.to_series = np.linalg.inv(chebyshev.chebvander(self.nodes, degree))
        self.sizes = np.diff(cuts)
        self.x = cuts[:-1, None] + 0.5 * np.outer(self.sizes, 1.0 + self.nodes)
        places = self.x.ravel() / line.length
        laws = [line.at(0.0)] * len(places) if uniform else [line.at(s) for s in places]
        self.line_mass = np.array([law.line_mass for law in laws]).reshape(self.x.shape)
        self.axial = np.array([law.axial for law in laws]).reshape(self.x.shape)

    def series(self, values: Vector) -> Vector:
        """Chebyshev coefficients (cells, points, m) of values (cells, points, m)."""
        return np.asarray(np.einsum("ij,cjm->cim", self.to_series, values))

    def integral(self, values: Vector) -> tuple[Vector, Vector]:
        """Integrals of values (cells, points, m) from the origin to all points, and to the cuts."""
        grown = chebyshev.chebint(np.moveaxis(self.series(values), 1, 0), lbnd=-1)
        grown = grown * (0.5 * self.sizes)[:, None]
        within = np.moveaxis(chebyshev.chebval(self.nodes, grown), -1, 1)
        ends = np.zeros((len(self.cuts), values.shape[2]))
        ends[1:] = np.cumsum(chebyshev.chebval(1.0, grown), axis=0)
        return within + ends[:-1, None], ends

    def beyond(self, station: float) -> Vector:
        """1 in the cells (cells, 1, 1) beyond a cut, 0 before it."""
        return (self.cuts[:-1] >= station - SAME * self.length).astype(float)[:, None, None]

    def at(self, station: float) -> int:
        """Number of a cut."""
        return int(np.argmin(np.abs(self.cuts - station)))


def shortening(
    line: BeamLine,
    slopes: Callable[[float], Vector],
    kinks: Sequence[float],
    points: int,
    places: Sequence[float],
    held: float | None,
) -> Shortening:
    """Shapes for a beam with slopes v', w' (2, n) at a station.

    ``kinks`` (m) are the stations where slopes are not smooth, ``points`` Gauss points between them
    integrate a product of two slopes and a parabola. ``places`` (m) are those where something is
    attached; the axis is held at the station ``held``, or moves without momentum (None).
    """
    changes = (
        []
        if isinstance(line.section, CrossSection)
        else [line.length * s for s in line.section.kinks]
    )
    masses = line.point_masses
    cells = _Cells(line, _cuts(line.length, [*kinks, *places, *changes, *(x for x, _ in masses)]))
    # Loads rho, rho x and unit forces: all that pushes from the origin to a station.
    rho = cells.line_mass[:, :, None]
    pushes, ends = cells.integral(rho * cells.x[:, :, None] ** np.arange(2))
    ones = np.ones((*cells.x.shape, 1))
    pushes = np.concatenate([pushes, *(ones * cells.beyond(p) for p in places)], axis=2)
    total = np.concatenate([ends[-1], np.ones(len(places))])
    if held is None:  # the body's own inertia balances every load
        weight = pushes[:, :, :1] + sum(m * cells.beyond(p) for p, m in masses)
        whole = total[0] + sum(m for _, m in masses)
        force = weight * total / whole - pushes
    else:
        force = cells.beyond(held) * total - pushes
    strain = force / cells.axial[:, :, None]
    moved, ends = cells.integral(strain)
    shift = ends[cells.at(0.0 if held is None else held)]
    if held is None:
        momentum = cells.integral(rho * moved)[1][-1]
        shift = (momentum + sum(m * ends[cells.at(p)] for p, m in masses)) / whole
    moved, ends = moved - shift, ends - shift
    m = len(total)
    work = np.einsum("cks,ckt->ckst", force, strain).reshape(*cells.x.shape, m * m)
    compliance = cells.integral(1.0 / cells.axial[:, :, None])[1][-1, 0]
    found = Whitened.of(
        cells.integral(work)[1][-1].reshape(m, m),
        _geometric(slopes, cells.cuts, points, cells.series(force)),
        NOTHING * compliance * total**2,
    )
    return Shortening(
        Gamma=read_only(found.Gamma),
        cuts=read_only(cells.cuts),
        series=read_only(cells.series(moved) @ found.combinations),
        ends=read_only(ends @ found.combinations),
    )


def axial_stiffness(
    line: BeamLine,
    slopes: Callable[[float], Vector],
    kinks: Sequence[float],
    points: int,
    places: Sequence[float],
) -> Vector:
    """Geometric stiffness (2 + places, n, n) of the loads rho, rho x and of unit forces.

    All act along the axis, and a section carries those beyond it; the rest is as in `shortening`.
    """
    changes = (
        []
        if isinstance(line.section, CrossSection)
        else [line.length * s for s in line.section.kinks]
    )
    cells = _Cells(line, _cuts(line.length, [*kinks, *places, *changes]))
    rho = cells.line_mass[:, :, None]
    pushes, ends = cells.integral(rho * cells.x[:, :, None] ** np.arange(2))
    ones = np.ones((*cells.x.shape, 1))
    pushes = np.concatenate([pushes, *(ones * cells.beyond(p) for p in places)], axis=2)
    total = np.concatenate([ends[-1], np.ones(len(places))])
    return _geometric(slopes, cells.cuts, points, cells.series(total - pushes))


def _cuts(length: float, stations: Sequence[float]) -> Vector:
    """Ends and different inner stations, ascending."""
    found = [0.0]
    for x in sorted(stations):
        if x - found[-1] > SAME * length and length - x > SAME * length:
            found.append(float(x))
    return np.array([*found, length])


def _geometric(
    slopes: Callable[[float], Vector], cuts: Vector, points: int, force: Vector
) -> Vector:
    """Integrals (m, n, n) of N_s (v' v' + w' w'); ``force`` has series (cells, degree + 1, m)."""
    t, weights = np.polynomial.legendre.leggauss(points)
    total: Vector | float = 0.0
    for k, (a, b) in enumerate(pairwise(cuts)):
        N = chebyshev.chebval(t, force[k])  # (m, points)
        rows = np.array([slopes(0.5 * (a + b) + 0.5 * (b - a) * s) for s in t])
        products = np.einsum("kia,kib->kab", rows, rows)
        total = total + np.einsum("sk,k,kab->sab", N, 0.5 * (b - a) * weights, products)
    return np.asarray(total)
