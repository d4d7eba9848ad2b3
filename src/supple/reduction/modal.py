"""A body in a floating frame: what the engine needs of it, whatever mesh it comes from.

A material point x of the undeformed body is at ``x + S(x) q`` in the body's axes, with the elastic
coordinates q (n,). Everything about its inertia is in the integrals below, computed once.

Entries of the inertia integrals D1 that are not zero, as kernels sum them. Most entries of the nine
matrices of a straight beam are zero: its modes bend in one plane or the other, its sections tilt
across the axis. A strip is four adjacent columns of one matrix, with those of its rows that are not
zero there. Four sums at a time are what a processor does at once; a body without zeros loses
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.base.damping import Damping, KelvinVoigt, ModalDamping, Rayleigh
from supple.fem.base.inertia import InertiaIntegrals, InertiaMoments
from supple.foundation.arrays import Indices, Integers, Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.validate import read_only
from supple.reduction.eigen import dense
from supple.reduction.matching import ModePattern
from supple.reduction.membranes import Membranes
from supple.reduction.modes import equal_groups, normal_modes
from supple.reduction.problem import Problem
from supple.reduction.shape_sets import NormalModes, ShapeSet

# Columns of a strip; core/bodies/second_order_shapes.py is written for as many.
WIDTH = 4


class Strips(NamedTuple):
    """Strips of matrices D1 (3, 3, m, m)."""

    strips: Integers  # (s, 3) Number 3 i + j of the matrix, first column, number of rows.
    rows: Integers  # (k,) Numbers of the rows, strip by strip.
    values: Vector  # (k, 4) Their entries; zeros behind the last column.

    @classmethod
    def of(cls, D1: Vector) -> Strips:
        """All strips of D1 with entries that are not zero."""
        m = D1.shape[2]
        width = -(-m // WIDTH) * WIDTH
        wide = np.zeros((9, m, width))
        wide[:, :, :m] = D1.reshape(9, m, m)
        by_strip = wide.reshape(9, m, -1, WIDTH).swapaxes(1, 2)  # matrix, strip, row, column
        used = np.any(by_strip, axis=3)
        part, strip = np.nonzero(np.any(used, axis=2))
        table = np.stack([part, WIDTH * strip, np.count_nonzero(used[part, strip], axis=1)], axis=1)
        return cls(table, np.nonzero(used)[2], read_only(by_strip[used]))


ModeChoice = int | Literal["all", "auto"] | tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Attachment:
    """A place on a flexible body where something is joined, in the body's axes."""

    p0: Vector  # (3,) m Place in the undeformed body.
    R0: Vector  # (3, 3) Axes of the frame in the undeformed body: maps frame axes to body axes.
    Phi: Vector  # (3, n) The place moves by ``Phi @ q``.
    Psi: Vector  # (3, n) The axes turn by the rotation vector ``Psi @ q`` (rad).
    # (6, r), optional Displacement and rotation of slaved shapes, whose amplitudes are ``q .
    # Gamma_r q / 2``.
    slaved: Vector | None = None
    Gamma: Vector | None = None  # (r, n, n), optional

    @property
    def fixed(self) -> bool:
        """True if the place does not move in the body's axes."""
        return not any(np.any(x) for x in (self.Phi, self.Psi, self.slaved) if x is not None)

    def motion(self, q: Vector, u: Vector, a: Vector) -> tuple[Vector, Vector, Vector]:
        """Displacement and rotation vector (..., 6) at coordinates (..., n), and both rates."""
        return *self.moving(q, u), self.change(q, u, a)

    def moving(self, q: Vector, u: Vector) -> tuple[Vector, Vector]:
        """Displacement and rotation vector (..., 6) at coordinates (..., n), and their rates."""
        rows = np.vstack([self.Phi, self.Psi])
        now, rate = q @ rows.T, u @ rows.T
        if self.slaved is not None and self.Gamma is not None:
            Gq, follow = np.einsum("rij,...j->...ri", self.Gamma, q), self.slaved.T
            now = now + 0.5 * np.einsum("...ri,...i->...r", Gq, q) @ follow
            rate = rate + np.einsum("...ri,...i->...r", Gq, u) @ follow
        return now, rate

    def change(self, q: Vector, u: Vector, a: Vector) -> Vector:
        """Second derivative (..., 6) of displacement and rotation vector."""
        change = a @ np.vstack([self.Phi, self.Psi]).T
        if self.slaved is not None and self.Gamma is not None:
            Gq, Gu = (np.einsum("rij,...j->...ri", self.Gamma, x) for x in (q, u))
            both = np.einsum("...ri,...i->...r", Gq, a) + np.einsum("...ri,...i->...r", Gu, u)
            change = change + both @ self.slaved.T
        return np.asarray(change)

    def jacobian(self, q: Vector) -> Vector:
        """Derivatives (6, n) of displacement and rotation vector by the coordinates q (n,)."""
        rows = np.vstack([self.Phi, self.Psi])
        return rows + self.jacobian_rate(q)

    def jacobian_rate(self, u: Vector) -> Vector:
        """Rate (6, n) of `jacobian` when the coordinates change at the rates u (n,)."""
        if self.slaved is None or self.Gamma is None:
            return np.zeros((6, self.Phi.shape[1]))
        return np.asarray(np.einsum("kr,rij,j->ki", self.slaved, self.Gamma, u))


@dataclass(frozen=True, eq=False)
class Slaves:
    """Integrals over a body with r slaved shapes behind its n own ones, m = n + r of both."""

    Gamma: Vector  # (r, n, n) Their amplitudes are ``q . Gamma_r q / 2``.
    # S1, D0, D1, M: (3, m), (3, 3, m), (3, 3, m, m), (m, m) As those of `ModalBody`.
    S1: Vector
    D0: Vector
    D1: Vector
    M: Vector

    @cached_property
    def strips(self) -> Strips:
        """Entries of D1 that are not zero."""
        return Strips.of(self.D1)


@dataclass(frozen=True, eq=False)
class ModalBody(InertiaMoments):
    """Inertia, stiffness and damping of a body with n elastic coordinates; arrays are read-only.

    Attributes
    ----------
    mass, s0, S1, E0, D0, D1
        As those of `InertiaMoments`.
    M, K, C : (n, n)
        Mass (the sum of ``D1[i, i]``), stiffness and damping of the elastic coordinates.
    frequencies : Hz
        Of the coordinates that are modes; of the whole body, ascending, if they are nodal or
        amplitudes of assumed shapes.
    coordinate_names, coordinate_units : n texts
        ``mode_1`` ..., or nodal ``u_1, v_1, w_1, tx_1, ty_1, tz_1, u_2`` ... by node, ``tx_mid`` in
        the middle of a part, or ``v_1, w_1, v_2`` ... by the number of an assumed function.
    slaves : Slaves, optional
        Shapes of second order.
    membranes : Membranes, optional
        Extension of the axis by slopes, for geometric stiffening.
    rest : (n,), optional
        Coordinates without strain, zero by default: the strain energy is that of ``q - rest``.
    deformed : bool
        Off: inertia is that of the undeformed body, without terms linear in the deformation.
    """

    M: Vector
    K: Vector
    C: Vector
    frequencies: Vector
    coordinate_names: tuple[str, ...]
    coordinate_units: tuple[str, ...]
    slaves: Slaves | None = None
    membranes: Membranes | None = None
    rest: Vector | None = None
    deformed: bool = True

    @property
    def rest_coordinates(self) -> Vector:
        """Coordinates (n,) without strain."""
        return np.zeros(self.n) if self.rest is None else self.rest

    @property
    def r(self) -> int:
        """Number of slaved shapes."""
        return 0 if self.slaves is None else len(self.slaves.Gamma)

    @property
    def n(self) -> int:
        """Number of elastic coordinates."""
        return len(self.coordinate_names)


@dataclass(frozen=True, eq=False)
class Reduction:
    """A reduced mesh."""

    body: ModalBody
    basis: Vector  # (size, n) Nodal coordinates of the body's elastic ones.
    # pairs (kept, left out) of mode numbers with the same frequency
    split: tuple[tuple[int, int], ...]
    full_frequencies: Vector  # (n,) Hz Of the mesh before the reduction, as many as the body has.
    # float What lumped masses miss of the kinetic energy of the shapes, relative, where integrals
    # of inertia had to use them; zero if all are exact.
    inertia_defect: float = 0.0

    def with_membranes(self, membranes: Membranes | None) -> Reduction:
        """Return the body with membranes."""
        return replace(self, body=replace(self.body, membranes=membranes))

    def __str__(self) -> str:
        """Table of the frequencies of the mesh and of the reduced body."""
        lines = [f"{self.body.n} of {len(self.basis)} coordinates"]
        lines.append("mode   full (Hz)   reduced (Hz)")
        both = zip(self.full_frequencies, self.body.frequencies, strict=True)
        lines += [f"{k:4d}  {a:10.6g}  {b:13.6g}" for k, (a, b) in enumerate(both, start=1)]
        if self.inertia_defect:
            lines.append(
                "integrals of second order in the shapes use lumped masses, which miss "
                f"{100 * self.inertia_defect:.2g} % of their kinetic energy"
            )
        return "\n".join(lines)


def attached(
    place: ArrayLike, rotation: Vector, moved: Vector, body: ModalBody, slaved: Vector
) -> Attachment:
    """A frame at a place (3,) whose rows of motion are ``moved`` (6, n) and ``slaved`` (6, r)."""
    rows = read_only(moved)
    found = Attachment(read_only(place), rotation, rows[:3], rows[3:])
    if body.slaves is None:
        return found
    return replace(found, slaved=read_only(slaved), Gamma=body.slaves.Gamma)


def reduce_mesh(
    problem: Problem,
    modes: ModeChoice | ShapeSet,
    owner: str,
    damping: Damping | None = None,
    pattern: ModePattern | None = None,
) -> Reduction:
    """Choose the elastic coordinates of a mesh and integrate over the body.

    ``modes`` is "all" (nodal coordinates), the number of the lowest modes, mode numbers from 1, or
    a set of shapes, of which modes are made; "auto" is to be replaced by one of these before.
    Modes are matched with those of a ``pattern``, if there is one.
    """
    if isinstance(modes, str) and modes == "auto":
        expected = "a number: sp.choose_modes(model, t_end, outputs={...}) gives a model with them"
        raise ModelError(owner, "modes", "auto", expected)
    mesh = problem.mesh
    split: tuple[tuple[int, int], ...] = ()
    if isinstance(modes, NormalModes) and modes.reference in (None, problem.reference):
        modes.check(owner, problem)
        modes = modes.n
    if isinstance(modes, ShapeSet):
        values, basis = problem.orthonormal(modes.shapes(owner, problem))
        basis = basis * problem.signs(basis)
        stiffness, frequencies = np.diag(values), hertz(values)
        if problem.compares:
            full = hertz(problem.normal_modes(len(values))[0])
        else:
            full = np.full(len(values), np.nan)
        names = tuple(f"mode_{k + 1}" for k in range(len(values)))
        units = ("kg^0.5 m",) * len(values)
    elif problem.large and modes != "all":
        chosen = np.arange(modes) if isinstance(modes, int) else np.array(modes) - 1
        # One mode more shows whether the last one that is kept has a twin.
        values, shapes = problem.normal_modes(int(chosen.max(initial=-1)) + 1, extra=1)
        split = _split_groups(equal_groups(values), chosen)
        shapes = problem.in_frame(shapes[:, chosen])
        basis = shapes * problem.signs(shapes)
        stiffness, frequencies = np.diag(values[chosen]), hertz(values)[chosen]
        full = frequencies
        names = tuple(f"mode_{k + 1}" for k in chosen)
        units = ("kg^0.5 m",) * len(chosen)
    else:
        basis, stiffness, frequencies, names, units, split = _dense(problem, modes)
        full = frequencies
    if pattern is not None and modes != "all" and pattern.suits(basis):
        turn = pattern.turn(mesh.mass_matrix, basis)
        if turn is not None:
            basis, stiffness = basis @ turn, turn.T @ stiffness @ turn
            frequencies = hertz(np.diag(stiffness))
    viscous = None
    if isinstance(damping, KelvinVoigt):
        C = damping.nodal_matrix(mesh)
        viscous = basis.T @ (C @ basis)
    found = problem.integrals(basis)
    body = modal_body(found, stiffness, damping, frequencies, names, units, viscous)
    return Reduction(body, read_only(basis), split, read_only(full), found.defect)


def _dense(problem: Problem, modes: ModeChoice) -> tuple[Any, ...]:
    """Nodal coordinates or normal modes by dense matrices, with pairs in planes of the axes."""
    mesh = problem.mesh
    M, K = dense(mesh.mass_matrix), dense(mesh.stiffness_matrix)
    kept = problem.kept()
    nodal, kinds = problem.nodal_basis(M), problem.kinds(kept)
    found = normal_modes(M, K, nodal, kinds)
    if modes == "all":
        units = tuple("m" if k < 3 else "rad" for k in kinds)
        return nodal, nodal.T @ K @ nodal, found.frequencies, problem.names(kept), units, ()
    chosen = np.arange(modes) if isinstance(modes, int) else np.array(modes) - 1
    names = tuple(f"mode_{k + 1}" for k in chosen)
    units = ("kg^0.5 m",) * len(chosen)
    basis, stiffness = found.shapes[:, chosen], np.diag(found.eigenvalues[chosen])
    basis = basis * problem.signs(basis)
    split = _split_groups(found.groups, chosen)
    return basis, stiffness, found.frequencies[chosen], names, units, split


def hertz(values: Vector) -> Vector:
    """Frequencies (Hz) of eigenvalues (rad/s)^2."""
    return np.asarray(np.sqrt(np.maximum(values, 0.0)) / (2.0 * np.pi))


def modal_body(
    integrals: InertiaIntegrals,
    stiffness: Vector,
    damping: Damping | None,
    frequencies: Vector,
    names: tuple[str, ...],
    units: tuple[str, ...],
    viscous: Vector | None = None,
) -> ModalBody:
    """Return the body with these integrals of inertia.

    ``stiffness`` is (n, n), ``frequencies`` are in Hz; names and units are those of the
    coordinates. ``viscous`` (n, n) is the damping matrix of a `KelvinVoigt`.
    """
    D1 = integrals.D1
    elastic_mass = D1[0, 0] + D1[1, 1] + D1[2, 2]
    stiffness = 0.5 * (stiffness + stiffness.T)
    if isinstance(damping, (Rayleigh, ModalDamping)):
        C = damping.matrix(elastic_mass, stiffness)
    elif viscous is not None:
        C = 0.5 * (viscous + viscous.T)
    else:
        C = np.zeros_like(stiffness)
    return ModalBody(
        **integrals.fields,
        M=read_only(elastic_mass),
        K=read_only(stiffness),
        C=read_only(C),
        frequencies=read_only(frequencies),
        coordinate_names=names,
        coordinate_units=units,
    )


def _split_groups(groups: Indices, chosen: Indices) -> tuple[tuple[int, int], ...]:
    """Numbers (kept, first left out) of kept modes that have the frequency of one left out."""
    rest = np.setdiff1d(np.arange(len(groups)), chosen)
    return tuple(
        (int(k) + 1, int(twin) + 1) for k in chosen for twin in rest[groups[rest] == groups[k]][:1]
    )
