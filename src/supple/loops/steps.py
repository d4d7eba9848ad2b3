"""Smallest steps: increments that rows ask for, or allow, measured by the mass that they move.

A mass matrix with few entries stays sparse, and rows are solved for together with their
multipliers. One that is nearly full (a long tree in joint coordinates) has a Cholesky factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.foundation.arrays import Array

TINY = 1e-13  # of their entries: beyond what a step of Newton shows, and above rounding
FULL = 0.2  # part of its entries from which on a mass matrix is treated as a whole one


class Metric:
    """The norm of a mass matrix M (n, n), sparse, over the increments that are free to move."""

    def __init__(self, M: Any) -> None:
        self.M, self.factor = M, None
        if M.nnz > FULL * M.shape[0] ** 2:
            try:
                self.factor = np.linalg.cholesky(M.toarray())
            except np.linalg.LinAlgError:  # masses drown in rounding: the sparse way tells
                pass

    def smallest(self, G: Any, right: Array) -> Array | None:
        """The step d (n,) with G d = right and the least d^T M d; None if it is not found."""
        if self.factor is not None:
            from scipy.linalg import solve_triangular

            whitened = solve_triangular(self.factor, G.T.toarray(), lower=True)
            y = np.linalg.lstsq(whitened.T, right, rcond=1e-10)[0]
            step: Array = solve_triangular(self.factor, y, lower=True, trans="T")
            return step
        sides = np.concatenate([np.zeros(G.shape[1]), right])
        found = sparse_solution(bordered(self.M, G), sides, len(right))
        return None if found is None else found[: G.shape[1]]

    def allowed(self, G: Any, load: Array) -> Array | None:
        """Step (n,) that rows allow, nearest to M^-1 load; None if it is not found."""
        if self.factor is not None:
            from scipy.linalg import cho_solve

            whole: Array = cho_solve((self.factor, True), load)
            back = self.smallest(G, G @ whole)
            return None if back is None else whole - back
        sides = np.concatenate([load / self.M.diagonal().mean(), np.zeros(G.shape[0])])
        found = sparse_solution(bordered(self.M, G), sides, G.shape[0])
        return None if found is None else found[: G.shape[1]]


def allowed(G: Any, x: Array) -> Array:
    """Part of a direction x (nu,) in the null space of sparse rows G."""
    from scipy.sparse import eye_array

    right = np.concatenate([x, np.zeros(G.shape[0])])
    found = sparse_solution(bordered(eye_array(len(x)), G), right, G.shape[0])
    return x if found is None else found[: len(x)]


def bordered(M: Any, G: Any, unit: Array | None = None) -> Any:
    """[[M, G^T], [G, 0]] of sparse matrices, increments in units, M as parts of its mean."""
    from scipy.sparse import block_array, csr_array, diags_array

    if unit is not None:
        units = diags_array(unit)
        M, G = units @ M @ units, G @ units
    nothing = csr_array((G.shape[0], G.shape[0]))
    return block_array([[M / (M.diagonal().mean() or 1.0), G.T], [G, nothing]], format="csc")


def sparse_solution(matrix: Any, right: Array, rows: int) -> Array | None:
    """Solution of a large system that is mostly zeros; None if it is not solved well.

    The matrix is [[M, G^T], [G, 0]] with so many rows G, of numbers about one. Where rows depend on
    each other, or something has no mass, it is singular: a little on the diagonal, positive in M
    and negative behind it, makes it quasidefinite, and the solution the one of least size.
    """
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.linalg import splu

    little = np.full(len(right), TINY)
    little[len(right) - rows :] = -TINY
    try:
        found: Array = splu((csc_array(matrix) + diags_array(little)).tocsc()).solve(right)
    except RuntimeError:  # numbers that are not finite
        return None
    missing = np.abs(matrix @ found - right).max()
    return found if missing <= 1e-10 * (np.abs(right).max() + np.abs(found).max()) else None
