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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.fem.base.inertia import point_integrals, point_loads
from supple.foundation.arrays import Vector
from supple.foundation.validate import read_only
from supple.reduction.modal import ModalBody, Slaves
from supple.reduction.problem import Problem

# A quadratic form that is less, relative to the largest, is none or depends on others.
VANISHING = 1e-10


@dataclass(frozen=True, eq=False)
class Tilt:
    """Slaved shapes of tilting sections.

    Attributes
    ----------
    Gamma : (r, n, n)
    fields : (r, 3, 3)
        A point at the place x from its section's centroid moves by ``fields[s] @ x``.
    """

    Gamma: Vector
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


# Eigenvalues of the work of loads, each scaled to one: a combination with less is dependent.
DEPENDENT = 1e-8
# Entries of an integral that are less, relative to the mass of both shapes, are zero.
NOTHING = 1e-13


@dataclass(frozen=True, eq=False)
class Whitened:
    """Combinations of loads whose deflections have unit strain energy and are orthogonal.

    Attributes
    ----------
    combinations : (loads, r)
        Columns are factors of the loads.
    Gamma : (r, n, n)
    """

    combinations: Vector
    Gamma: Vector

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
    """Slaved shapes of a finite-element component.

    Attributes
    ----------
    Gamma : (r, n, n)
    shapes : (size, r)
        Nodal coordinates of each.
    """

    Gamma: Vector
    shapes: Vector

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
