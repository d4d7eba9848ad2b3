"""Deflections and lowest modes of a tied component, and checks of its stiffness.

Modes are found by flexibility: the lowest ones are the largest eigenvalues of the inverse stiffness
times mass, which are the best determined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from supple.fem.base.vibration import Factor
from supple.fem.ties.tied import TiedComponent
from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError
from supple.reduction.eigen import DENSE, dense, part

Solve = Callable[[Vector], Vector]

# Squares of frequencies, in those of a typical coordinate that moves alone: below the first they
# are none, below the second they are negative. Rounding of a stiffness matrix is some 1e-16.
WITHOUT_STRAIN, NEGATIVE = 1e-14, -1e-9
# Flexibility against inertia, of the first mode: less is that of coordinates without mass.
MASSLESS = 1e-15


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
        """Whether the component is a mesh, and not just matrices."""
        return hasattr(self.mesh.component, "cells") or hasattr(self.mesh.component, "triangles")

    def by_dense(self, size: int, count: int) -> bool:
        """Whether so many modes of so many coordinates are found with all others at once."""
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
