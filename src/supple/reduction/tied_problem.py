"""Reduction of a tied component: its coordinates, what its frame holds, modes of free bodies.

Deflections and lowest modes of a tied component, and checks of its stiffness. Modes are found by
flexibility: the lowest ones are the largest eigenvalues of the inverse stiffness times mass, which
are the best determined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from supple.fem.base.inertia import InertiaIntegrals
from supple.fem.base.vibration import Factor
from supple.fem.ties.tied import TiedComponent, refuse_incomplete
from supple.foundation.arrays import Indices, Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.reduction.eigen import DENSE, dense, part
from supple.reduction.modes import Reference, signs
from supple.reduction.problem import Problem

Solve = Callable[[Vector], Vector]

# Squares of frequencies, in those of a typical coordinate that moves alone: below the first they
# are none, below the second they are negative. Rounding of a stiffness matrix is some 1e-16.
WITHOUT_STRAIN, NEGATIVE = 1e-14, -1e-9
# Flexibility against inertia, of the first mode: less is that of coordinates without mass.
MASSLESS = 1e-15
# Shapes of a mass matrix alone are independent if their size, relative, is more: its root has half
# the digits.
INDEPENDENT = 1e-6
# The smallest moment of inertia, in the largest; a rod of 10 m with less is thinner than 3e-6 m.
ON_A_LINE = 1e-13


@dataclass(frozen=True, eq=False)
class Flexibility:
    """Factors of a component's stiffness over some of its coordinates; ``owner`` names the body."""

    mesh: TiedComponent
    owner: str

    def solver(self, at: Indices) -> Solve:
        """Function that solves for loads on the coordinates ``at``; its factors are kept."""
        cache: dict[bytes, Factor] = self.__dict__.setdefault("_factors", {})
        key = at.tobytes()
        if key not in cache:
            cache.clear()  # factors are large: one set at a time
            cache[key] = self._factor(at)
        return cache[key].solve

    def _factor(self, at: Indices) -> Factor:
        K, order = self.mesh.stiffness_matrix, self.mesh.order(at)
        try:
            factor = Factor(None, K, at, order)
        except RuntimeError:  # a pivot is zero
            self._refuse_stiffness(0)
            raise
        # Stiffness of our own elements is a sum of squares, and looking takes as much memory again.
        if not self.has_elements and factor.negative:
            # Rounding of a motion without strain may be negative, too: it is not if this is added.
            diagonal = sparse.diags_array(-NEGATIVE * np.abs(K.diagonal()))
            shifted = Factor(None, sparse.csc_array(K + diagonal), at, order)
            self._refuse_stiffness(shifted.negative)
        return factor

    @property
    def has_elements(self) -> bool:
        """True if the component is a mesh, and not just matrices."""
        return hasattr(self.mesh.component, "cells") or hasattr(self.mesh.component, "triangles")

    def by_dense(self, size: int, count: int) -> bool:
        """True if so many modes of so many coordinates are found with all others at once."""
        return size <= DENSE or 4 * count > size

    def lowest(
        self,
        at: Indices,
        count: int,
        solve: Callable[[], Solve],
        basis: Vector | None,
        extra: int = 0,
    ) -> tuple[Vector, Vector]:
        """Eigenvalues (m,) and shapes (size, m) of the lowest modes of the coordinates ``at``.

        ``solve`` gives the function of `solver`, or another one; small problems use a ``basis`` of
        the coordinates instead, if there is one. ``extra`` modes follow as far as there are any.
        """
        if not count:
            return np.zeros(0), np.zeros((self.mesh.size, 0))
        K, M = (part(X, at, at) for X in (self.mesh.stiffness_matrix, self.mesh.mass_matrix))
        if self.by_dense(len(at), count + extra):
            values, found = self._dense_modes(dense(K), dense(M), count, basis, extra)
        else:
            from scipy.sparse.linalg import LinearOperator, eigsh

            # A fixed start, so that two runs give the same signs; it has no rigid part.
            inverse = LinearOperator(K.shape, solve(), dtype=float)
            start = inverse.matvec(M @ np.random.default_rng(0).standard_normal(len(at)))
            values, found = eigsh(K, count + extra, M, sigma=0.0, OPinv=inverse, v0=start)
            order = np.argsort(values)
            values, found = values[order], found[:, order]
        self.refuse(values)
        shapes = np.zeros((self.mesh.size, len(values)))
        shapes[at] = found
        return values, shapes

    def _dense_modes(
        self, K: Vector, M: Vector, count: int, basis: Vector | None, extra: int
    ) -> tuple[Vector, Vector]:
        from scipy.linalg import eigh

        if basis is not None:
            K, M = basis.T @ K @ basis, basis.T @ M @ basis
        unit = 1.0 / np.sqrt(np.maximum(np.diag(K), np.finfo(float).tiny))
        scale = np.outer(unit, unit)
        last = [max(len(K) - count - extra, 0), len(K) - 1]
        try:
            flexible, found = eigh(
                0.5 * scale * (M + M.T), 0.5 * scale * (K + K.T), subset_by_index=last
            )
        except np.linalg.LinAlgError:  # the stiffness is not positive
            self._refuse_stiffness(int(np.sum(np.linalg.eigvalsh(scale * K) < NEGATIVE)))
            raise
        flexible, found = flexible[::-1], unit[:, None] * found[:, ::-1]
        most = int(np.sum(flexible > MASSLESS * flexible[0]))
        if most < count:
            expected = f"at most {most}, because other coordinates have no mass"
            raise ModelError(self.owner, "number of modes", count, expected)
        flexible, found = flexible[:most], found[:, :most]
        found = found / np.sqrt(flexible)
        return 1.0 / flexible, found if basis is None else basis @ found

    def refuse(self, values: Vector) -> None:
        """Refuse squares of frequencies that a body in its frame cannot have."""
        lowest = float(values.min(initial=np.inf)) / self._typical
        if lowest < NEGATIVE:
            self._refuse_stiffness(int(np.sum(values < NEGATIVE * self._typical)))
        if lowest < WITHOUT_STRAIN:
            self._refuse_stiffness(0)

    @cached_property
    def _typical(self) -> float:
        """Median of stiffness by mass of translations, (rad/s)^2."""
        m, k = (X.diagonal() for X in (self.mesh.mass_matrix, self.mesh.stiffness_matrix))
        moving = (self.mesh.kinds < 3) & (m > 0.0) & (k > 0.0)
        return float(np.median(k[moving] / m[moving])) if moving.any() else 1.0

    def _refuse_stiffness(self, negative: int) -> None:
        if negative:
            raise ModelError.plain(
                f"{self.owner}: the stiffness matrix of its component has {negative} negative "
                "eigenvalues, expected none"
            )
        raise ModelError.plain(
            f"{self.owner}: its component can move without strain while its frame holds it, "
            "expected parts and interfaces that leave no such motion"
        )


@dataclass(frozen=True, eq=False)
class TiedProblem(Problem):
    """A `TiedComponent` to be reduced; ``node`` and ``rows`` find places by what users call them.

    ``clamp_node`` is the place that a clamped frame follows, -1 if there is none. ``owner`` names
    the body in messages.
    """

    owner: str = ""

    @property
    def size(self) -> int:
        """Number of retained coordinates."""
        return int(self.mesh.size)

    @property
    def large(self) -> bool:
        """The lowest modes are searched for at any size."""
        return True

    @property
    def compares(self) -> bool:
        """Frequencies of a large component are found when they are asked for."""
        return False

    @cached_property
    def rigid(self) -> Vector:
        """Rigid motions (size, 6)."""
        return np.asarray(self.mesh.rigid)

    @cached_property
    def flexibility(self) -> Flexibility:
        """Solver of deflections and modes."""
        return Flexibility(self.mesh, self.owner)

    def kept(self, reference: Reference | None = None) -> Indices:
        """Coordinates that the frame leaves free.

        For the mean axis the others are six that determine a rigid motion.
        """
        return np.setdiff1d(np.arange(self.size), self.held(reference or self.reference))

    def held(self, reference: Reference) -> Indices:
        """Six coordinates that hold the body in its frame."""
        if reference == "chord":
            expected = "'clamped' or 'mean_axis' for a mesh"
            raise ModelError(self.owner, "reference of its modes", reference, expected)
        if reference == "clamped":
            if self.clamp_node < 0:
                expected = "an interface, or a node with rotations"
                raise ModelError(self.owner, "clamp", None, expected)
            return np.asarray(self.mesh.coordinates(self.clamp_node))
        return self._determinate

    @cached_property
    def _determinate(self) -> Indices:
        from scipy.linalg import qr

        unit = np.where(np.arange(6) < 3, 1.0, 1.0 / self.mesh.length)
        own = np.where(self.mesh.kinds < 3, 1.0, self.mesh.length)
        order = qr((own[:, None] * self.rigid * unit).T, mode="r", pivoting=True)[1]
        return np.sort(order[:6])

    def coordinates(self, place: Any) -> Indices:
        """Coordinates of an interface or a node."""
        number = self.node(place)
        refuse_incomplete(self.owner, "an interface", place, self.mesh, number)
        return np.asarray(self.mesh.coordinates(number))

    def kinds(self, at: Indices) -> Indices:
        """Directions of the coordinates, 0 to 5 for u, v, w, tx, ty, tz."""
        return np.asarray(self.mesh.kinds[at])

    def names(self, at: Indices) -> tuple[str, ...]:
        """Texts such as ``w_12`` or ``w_tip``."""
        return tuple(self.mesh.name(k) for k in at)

    def nodal_basis(self, M: Vector) -> Vector:
        """Displacements (size, m) of the kept coordinates in the frame."""
        basis = np.eye(self.size)[:, self.kept()]
        return self.in_frame(basis) if self.reference == "mean_axis" else basis

    def signs(self, shapes: Vector) -> Vector:
        """Signs (m,) that make the largest displacement of each shape positive."""
        return signs(shapes, self.mesh.length, self.mesh.kinds)

    def integrals(self, basis: Vector) -> InertiaIntegrals:
        """Integrals of inertia for displacements ``basis @ q``."""
        found: InertiaIntegrals = self.mesh.inertia_integrals(basis)
        return found

    def solve(self, at: Indices, loads: Vector) -> Vector:
        """Displacements (k, m) of the coordinates ``at`` under loads (k, m)."""
        return self.flexibility.solver(at)(loads)

    def normal_modes(
        self, count: int, reference: Reference | None = None, extra: int = 0
    ) -> tuple[Vector, Vector]:
        """Eigenvalues (m,) and shapes (size, m) of the lowest modes in a frame."""
        reference = reference or self.reference
        if not count:
            return np.zeros(0), np.zeros((self.size, 0))
        if reference != "mean_axis":
            at = self.kept(reference)
            return self.flexibility.lowest(
                at, count, lambda: self.flexibility.solver(at), None, extra
            )
        basis = None
        if self.flexibility.by_dense(self.size, count + extra):
            basis = self.in_mean_axis(np.eye(self.size)[:, self.kept("mean_axis")])
        return self.flexibility.lowest(np.arange(self.size), count, self._free_solver, basis, extra)

    def modes_of(self, at: Indices, count: int, free: bool = False) -> tuple[Vector, Vector]:
        """Eigenvalues and shapes (size, count) when only the coordinates ``at`` can move."""
        return self.flexibility.lowest(at, count, lambda: self.flexibility.solver(at), None)

    def orthonormal(self, shapes: Vector) -> tuple[Vector, Vector]:
        """Eigenvalues (m,) and modes (size, m) of the component within the span of shapes."""
        values, basis = super().orthonormal(shapes)
        self.flexibility.refuse(values)
        return values, basis

    def principal(self, shapes: Vector) -> tuple[Vector, Vector]:
        """Sizes (k,), combinations (m, k) of the independent shapes.

        A model that is a mass matrix only has no material points to ask.
        """
        if self.flexibility.has_elements:
            return super().principal(shapes)
        gram = shapes.T @ (self.mesh.mass_matrix @ shapes)
        values, vectors = np.linalg.eigh(0.5 * (gram + gram.T))
        good = values > INDEPENDENT**2 * values.max(initial=0.0)
        return np.sqrt(values[good]), vectors[:, good]

    def in_frame(self, shapes: Vector) -> Vector:
        """Return deformations without the rigid motion that the frame follows."""
        if self.reference == "mean_axis":
            return self.in_mean_axis(shapes)
        return super().in_frame(shapes)

    def in_mean_axis(self, shapes: Vector) -> Vector:
        """Shapes (size, m) without their rigid part, which has all their momentum."""
        return shapes - self.rigid @ np.linalg.solve(self._inertia, self._momentum.T @ shapes)

    @cached_property
    def _momentum(self) -> Vector:
        return np.asarray(self.mesh.mass_matrix @ self.rigid)

    @cached_property
    def _inertia(self) -> Vector:
        """Inertia (6, 6) of the rigid body; refused if it does not resist every motion."""
        found = self.rigid.T @ self._momentum
        cross = found[:3, 3:]
        moments = np.linalg.eigvalsh(found[3:, 3:] - cross.T @ cross / found[0, 0])
        if moments[0] < ON_A_LINE * moments[2]:  # about the centre of mass
            raise ModelError(
                self.owner,
                "reference",
                "mean_axis",
                "'clamped', because its mass is on one line and does not resist a turn about it",
            )
        return found

    def _free_solver(self) -> Solve:
        """Deflection of the free body under loads that its own inertia balances."""
        at = self.kept("mean_axis")
        held = self.flexibility.solver(at)

        def solve(load: Vector) -> Vector:
            even = load - self._momentum @ np.linalg.solve(self._inertia, self.rigid.T @ load)
            shape = np.zeros(self.size)
            shape[at] = held(even[at])
            return self.in_mean_axis(shape)

        return solve
