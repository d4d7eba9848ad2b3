"""Displacements of second order, as combinations of a few static shapes.

A deflected body shortens, and bending and twist together move it sideways: its displacement is
S q + g z with amplitudes z_r = q . Gamma_r q / 2 that follow the elastic coordinates q. The shapes
g are static deflections W = K^-1 F under the loads F that act on a moving body: its own inertia
(rho e_d, rho x_i e_d), and a force and a torque about each axis at each place where something is
attached. They are exact for these loads: the work of f_s on the displacement of second order is
-q . K0_s q / 2, with the geometric stiffness K0_s of the stress under f_s. See docs/theory.md.

Tilting sections of beams: what their points move of second order about the axis. A section with the
rotation vector t takes a point at r from its centroid to exp(t) r: beside t x r, which is in the
shapes of a beam, by t x (t x r) / 2. Centrifugal forces and the angular momentum of a spinning body
see the moments int rho r_i (t x (t x r))_j / 2 of it: they stiffen a shaft against tilting and a
blade against twist. The fields F r, with the same matrix F for all sections, have these moments. So
there are at most six amplitudes for a straight beam, however many modes.

Shortening of straight beams: axial displacements of second order, by a few axial shapes. A
deflected beam that keeps its length has u = -1/2 int (v'^2 + w'^2) along its axis. Loads along the
axis do work on a few integrals of this field only: rho and rho x (inertia and gravity), and forces
at attach places. The shapes are the axial deflections under these loads, in closed form along the
beam: normal force N, displacement int N / EA. So r = 2 + attach places, however many modes there
are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from supple.fem.base.inertia import point_integrals, point_loads
from supple.fem.beams.line import BeamLine, legendre
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Vector
from supple.foundation.validate import read_only
from supple.reduction.modal import ModalBody, Slaves
from supple.reduction.problem import Problem

# A quadratic form that is less, relative to the largest, is none or depends on others.
VANISHING = 1e-10
# Eigenvalues of the work of loads, each scaled to one: a combination with less is dependent.
DEPENDENT = 1e-8
# Entries of an integral that are less, relative to the mass of both shapes, are zero.
NOTHING = 1e-13
# Degree of displacements between cuts: rho x on a uniform beam gives a cubic; with a section that
# changes they are no polynomials, but smooth.
DEGREE, TAPERED_DEGREE = 4, 16
# Stations nearer to each other, in lengths of the beam, are one.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Tilt:
    """Slaved shapes of tilting sections."""

    Gamma: Vector  # (r, n, n)
    # (r, 3, 3) A point at the place x from its section's centroid moves by ``fields[s] @ x``.
    fields: Vector

    @classmethod
    def of(cls, mass: Vector, offset: Vector, turned: Vector) -> Tilt:
        """From mass points (k,), their places (k, 3) in sections, and rotations (k, 3, n) of these.

        Everything is in the axes of the body.
        """
        n = turned.shape[2]
        weighted = mass[:, None] * offset
        along = np.einsum("ki,kia->ka", offset, turned)
        moments = np.empty((3, 3, n, n))
        for i, j in np.ndindex(3, 3):
            mixed = (weighted[:, i, None] * turned[:, j]).T @ along
            square = (weighted[:, i] * offset[:, j])[:, None, None] * turned
            squares = square.reshape(-1, n).T @ turned.reshape(-1, n)
            moments[i, j] = 0.5 * (mixed + mixed.T) - squares
        spread = weighted.T @ offset
        forms = np.einsum("ki,ijab->kjab", np.linalg.pinv(spread, VANISHING, True), moments)
        size = np.repeat(np.sqrt(np.maximum(np.diag(spread), 0.0)), 3)
        chosen, others = _independent(size[:, None] * forms.reshape(9, n * n))
        fields = np.zeros((len(chosen), 3, 3))
        for s, number in enumerate(chosen):
            for k, factor in enumerate(others[s]):
                if factor != 0.0:  # amplitudes of field k are this many of the chosen ones
                    fields[s, k % 3, k // 3] = factor * size[number] / size[k]
        Gamma = forms.reshape(9, n, n)[chosen]
        return cls(read_only(0.5 * (Gamma + Gamma.swapaxes(1, 2))), read_only(fields))

    def extended(
        self, points: tuple[Vector, Vector, Vector], offset: Vector
    ) -> tuple[Vector, Vector, Vector]:
        """Material points whose shapes (k, 3, m + r) include these; offsets (k, 3) in sections."""
        mass, place, shape = points
        more = np.einsum("sij,kj->kis", self.fields, offset)
        return mass, place, np.concatenate([shape, more], axis=2)


def _independent(forms: Vector) -> tuple[Vector, Vector]:
    """Numbers (r,) of independent rows of (m, k), and factors (r, m) of all rows by these."""
    from scipy.linalg import qr, solve_triangular

    _, R, order = qr(forms.T, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    rank = int(np.sum(size > VANISHING * size.max(initial=0.0)))
    factors = np.zeros((rank, len(forms)))
    if rank:
        factors[:, order] = solve_triangular(R[:rank, :rank], R[:rank])
        factors[np.abs(factors) < VANISHING] = 0.0
    return order[:rank], factors


@dataclass(frozen=True, eq=False)
class Whitened:
    """Combinations of loads whose deflections have unit strain energy and are orthogonal."""

    combinations: Vector  # (loads, r) Columns are factors of the loads.
    Gamma: Vector  # (r, n, n)

    @classmethod
    def of(cls, work: Vector, geometric: Vector, least: Vector) -> Whitened:
        """From the work W^T K W (m, m), K0 (m, n, n), and the work (m,) below which a load is none.

        Loads that depend on others are dropped.
        """
        real = np.flatnonzero(np.diag(work) > least)
        scale = 1.0 / np.sqrt(np.diag(work)[real])
        values, vectors = np.linalg.eigh(work[np.ix_(real, real)] * np.outer(scale, scale))
        good = values > DEPENDENT
        combinations = np.zeros((len(work), int(good.sum())))
        combinations[real] = scale[:, None] * vectors[:, good] / np.sqrt(values[good])
        Gamma = -np.einsum("sr,sab->rab", combinations, geometric)
        return cls(combinations, 0.5 * (Gamma + Gamma.transpose(0, 2, 1)))


@dataclass(frozen=True, eq=False)
class MeshSlaves:
    """Slaved shapes of a finite-element component."""

    Gamma: Vector  # (r, n, n)
    shapes: Vector  # (size, r) Nodal coordinates of each.

    @classmethod
    def of(
        cls,
        problem: Problem,
        basis: Vector,
        attached: Sequence[Vector],
        spread: Sequence[Vector] = (),
        axial: bool = True,
    ) -> MeshSlaves:
        """For elastic coordinates with the basis (size, n), and rows (6, size) of attach places.

        ``spread`` (6, n, n) is what each place adds to the geometric stiffness of its own loads if
        they are spread over nodes. Without ``axial``, loads along the axis of a straight beam are
        left out: `Shortening` has their shapes in closed form.
        """
        mesh: Any = problem.mesh
        inertia, first = inertia_loads(mesh), 0
        if not axial:
            inertia, first = np.delete(inertia, [0, 3], axis=1), 1  # rho e_x, rho x e_x
        loads = np.hstack([inertia, *(rows[first:].T for rows in attached)])
        W, geometric = load_forms(problem, basis, loads)
        work = W.T @ (mesh.stiffness_matrix @ W)
        for k, own in enumerate(spread):
            geometric[12 + 6 * k : 18 + 6 * k] += own
        # a load that the frame takes up, or that only accelerates a free body, leaves rounding
        size = np.linalg.norm(loads, axis=0)
        acts = size > 0.0
        most = np.max(np.diag(work)[acts] / size[acts] ** 2, initial=0.0)
        found = Whitened.of(work, geometric, NOTHING * most * size**2)
        return cls(read_only(found.Gamma), read_only(W @ found.combinations))


def load_forms(problem: Problem, basis: Vector, loads: Vector) -> tuple[Vector, Vector]:
    """Deflections (size, m) under loads (size, m) in the frame, and K0 (m, n, n) of their stress.

    The work of a load on displacements of second order is -q . K0 q / 2.
    """
    W = problem.static_of_second_order(loads)
    mesh: Any = problem.mesh
    return W, np.array([basis.T @ (mesh.geometric_stiffness(w) @ basis) for w in W.T])


def inertia_loads(mesh: Any) -> Vector:
    """Nodal forces (size, 12) of the body forces rho e_d and rho x_i e_d."""
    if hasattr(mesh, "inertia_loads"):
        return np.asarray(mesh.inertia_loads())
    return point_loads(mesh)


def with_slaves(body: ModalBody, points: tuple[Vector, Vector, Vector], Gamma: Vector) -> ModalBody:
    """The body with slaved shapes; shapes (k, 3, n + r) of the material points include them."""
    if not np.any(Gamma):
        return body
    found = point_integrals(points)
    S1, D0, D1 = np.array(found.S1), np.array(found.D0), np.array(found.D1)
    weight = np.sqrt(np.einsum("iiaa->a", D1))
    S1[np.abs(S1) <= NOTHING * np.sqrt(found.mass) * weight] = 0.0
    D0[np.abs(D0) <= NOTHING * np.sqrt(np.diag(found.E0))[:, None, None] * weight] = 0.0
    D1[np.abs(D1) <= NOTHING * np.outer(weight, weight)] = 0.0
    slaves = Slaves(
        Gamma=read_only(Gamma),
        S1=read_only(S1),
        D0=read_only(D0),
        D1=read_only(D1),
        M=read_only(D1[0, 0] + D1[1, 1] + D1[2, 2]),
    )
    return replace(body, slaves=slaves)


def with_watched(body: ModalBody, Gamma: Vector) -> ModalBody:
    """The body with further amplitudes, of forms (k, n, n), that no inertia belongs to.

    Frames that are only looked at can follow them: the body moves as it does without.
    """
    own = body.slaves
    if own is None or not len(Gamma):
        return body
    more = (0, len(Gamma))
    slaves = replace(
        own,
        Gamma=read_only(np.concatenate([own.Gamma, Gamma])),
        S1=read_only(np.pad(own.S1, [(0, 0), more])),
        D0=read_only(np.pad(own.D0, [(0, 0), (0, 0), more])),
        D1=read_only(np.pad(own.D1, [(0, 0), (0, 0), more, more])),
        M=read_only(np.pad(own.M, [more, more])),
    )
    return replace(body, slaves=slaves)


def slaved_mesh(
    problem: Problem,
    body: ModalBody,
    basis: Vector,
    attached: Sequence[Vector],
    spread: Sequence[Vector] = (),
) -> tuple[ModalBody, Vector]:
    """The body of a mesh, with the basis (size, n), with slaved shapes, and these (size, r).

    ``attached`` are rows (6, size) of the places where something is attached, and ``spread``
    (6, n, n) as in `MeshSlaves.of`.
    """
    found = MeshSlaves.of(problem, basis, attached, spread)
    mesh: Any = problem.mesh
    moving = mesh.material_points(np.hstack([basis, found.shapes]))
    if not hasattr(mesh, "section_turns"):
        return with_slaves(body, moving, found.Gamma), found.shapes
    offsets, turns = mesh.section_turns(basis)
    tilt = Tilt.of(moving[0], offsets, turns)
    at_rest = np.zeros((len(basis), len(tilt.Gamma)))  # nodes do not move with sections
    Gamma = np.concatenate([found.Gamma, tilt.Gamma])
    shapes = np.hstack([found.shapes, at_rest])
    return with_slaves(body, tilt.extended(moving, offsets), Gamma), shapes


@dataclass(frozen=True, eq=False)
class Shortening:
    """Axial slaved shapes of a beam."""

    Gamma: Vector  # (r, n, n)
    cuts: Vector  # (cells + 1,) m, stations between which the displacements are polynomials
    series: Vector  # (cells, degree + 1, r), their Chebyshev coefficients, m
    # (cells + 1, r) m, displacements at the cuts; where the axis is held they are exactly zero
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
    t, weights = legendre(points)
    total: Vector | float = 0.0
    for k, (a, b) in enumerate(pairwise(cuts)):
        N = chebyshev.chebval(t, force[k])  # (m, points)
        rows = np.array([slopes(0.5 * (a + b) + 0.5 * (b - a) * s) for s in t])
        products = np.einsum("kia,kib->kab", rows, rows)
        total = total + np.einsum("sk,k,kab->sab", N, 0.5 * (b - a) * weights, products)
    return np.asarray(total)
