"""Shortening of straight beams: axial displacements of second order, by a few axial shapes.

A deflected beam that keeps its length has u = -1/2 int (v'^2 + w'^2) along its axis. Of this field the loads
along the axis see a few integrals: rho and rho x (inertia and gravity), and forces at attach
places. The shapes are the axial deflections under these loads, in closed form along the beam:
normal force N, displacement int N / EA. So r = 2 + attach places, however many modes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from supple.fem.line import BeamLine
from supple.fem.sections import CrossSection
from supple.reduction.slaved import NOTHING, Whitened
from supple.validate import Vector, read_only

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
            return self.ends[near]
        k = int(np.searchsorted(self.cuts, x)) - 1
        a, b = self.cuts[k : k + 2]
        return np.asarray(chebyshev.chebval((2.0 * x - a - b) / (b - a), self.series[k]))

    def rows(self, x: float) -> Vector:
        """Displacement and rotation (6, r) at the station x."""
        rows = np.zeros((6, len(self.Gamma)))
        rows[0] = self.displacement(x)
        return rows

    def extended(
        self, points: tuple[Vector, Vector, Vector]
    ) -> tuple[Vector, Vector, Vector]:
        """Material points whose shapes (k, 3, n + r) include the slaved ones."""
        mass, place, shape = points
        more = np.zeros((len(mass), 3, len(self.Gamma)))
        stations, inverse = np.unique(place[:, 0], return_inverse=True)
        more[:, 0] = np.array([self.displacement(float(x)) for x in stations])[inverse]
        return mass, place, np.concatenate([shape, more], axis=2)


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
    uniform = isinstance(line.section, CrossSection)
    inner = [] if uniform else [line.length * s for s in line.section.kinks]  # type: ignore[union-attr]
    cuts = _cuts(line.length, [*kinks, *places, *inner, *(x for x, _ in line.point_masses)])
    degree = DEGREE if uniform else TAPERED_DEGREE
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    to_series = np.linalg.inv(chebyshev.chebvander(nodes, degree))
    a, b = cuts[:-1], cuts[1:]
    x = 0.5 * (a + b)[:, None] + 0.5 * np.outer(b - a, nodes)  # (cells, degree + 1)
    laws = [line.at(0.0)] * x.size if uniform else [line.at(s) for s in x.ravel() / line.length]
    rho = np.array([law.line_mass for law in laws]).reshape(x.shape)
    stiffness = np.array([law.axial for law in laws]).reshape(x.shape)

    def integral(values: Vector) -> tuple[Vector, Vector]:
        """Integral from the cut before, at the nodes, and over each cell; values (cells, k, m)."""
        series = np.einsum("ij,cjm->icm", to_series, values)
        grown = chebyshev.chebint(series, lbnd=-1) * (0.5 * (b - a))[:, None]
        return np.moveaxis(chebyshev.chebval(nodes, grown), -1, 1), chebyshev.chebval(1.0, grown)

    # What pushes to the left of each station: densities, then unit forces at places.
    part, whole = integral(np.stack([rho, rho * x], axis=2))
    pushes = part + (np.cumsum(whole, axis=0) - whole)[:, None]
    steps = np.array([[float(left >= p - SAME * line.length) for p in places] for left in a])
    pushes = np.concatenate(
        [pushes, np.broadcast_to(steps.reshape(len(a), 1, -1), (*x.shape, len(places)))], axis=2
    )
    total = np.concatenate([whole.sum(axis=0), np.ones(len(places))])
    if held is None:  # the body's own inertia balances every load
        left = np.array([[m * (c >= p - SAME * line.length) for p, m in line.point_masses] for c in a])
        weight = pushes[:, :, 0] + left.sum(axis=1)[:, None] if line.point_masses else pushes[:, :, 0]
        mass = total[0] + sum(m for _, m in line.point_masses)
        force = weight[:, :, None] * total / mass - pushes
        at = 0.0
    else:
        at = held
        beyond = (a >= held - SAME * line.length)[:, None, None]
        force = beyond * total - pushes
    part, whole = integral(force / stiffness[:, :, None])
    moved = part + (np.cumsum(whole, axis=0) - whole)[:, None]
    ends = np.vstack([np.zeros(len(total)), np.cumsum(whole, axis=0)])  # at the cuts
    shift = ends[int(np.argmin(np.abs(cuts - at)))].copy()
    moved, ends = moved - shift, ends - shift
    if held is None:
        _, momentum = integral(rho[:, :, None] * moved)
        momentum = momentum.sum(axis=0)
        for p, m in line.point_masses:
            momentum = momentum + m * ends[int(np.argmin(np.abs(cuts - p)))]
        moved, ends = moved - momentum / mass, ends - momentum / mass
    _, work = integral(np.einsum("cks,ckt,ck->ckst", force, force, 1.0 / stiffness).reshape(*x.shape, -1))
    m = len(total)
    force_series = np.einsum("ij,cjs->cis", to_series, force)
    geometric = _geometric(slopes, cuts, points, force_series)
    least = NOTHING * np.abs(total) ** 2 * np.sum((b - a)[:, None] / stiffness / (degree + 1))
    found = Whitened.of(work.sum(axis=0).reshape(m, m), geometric, least)
    series = np.einsum("ij,cjs,sr->cir", to_series, moved, found.turn)
    Gamma = read_only(found.Gamma)
    return Shortening(Gamma, read_only(cuts), read_only(series), read_only(ends @ found.turn))


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
    for k, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False)):
        N = chebyshev.chebval(t, force[k])  # (m, points)
        rows = np.array([slopes(0.5 * (a + b) + 0.5 * (b - a) * s) for s in t])
        products = np.einsum("kia,kib->kab", rows, rows)
        total = total + np.einsum("sk,k,kab->sab", N, 0.5 * (b - a) * weights, products)
    return np.asarray(total)
