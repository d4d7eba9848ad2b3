"""Eigenproblems and linear systems of dense or sparse matrices, the same calls for both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.validate import Vector

Indices = NDArray[np.int_]

# Up to this size dense methods are quicker than sparse ones, and they find every mode.
DENSE = 700
# A shift below zero for bodies that move freely, in units of the mean of K over that of M.
SHIFT = 1e-9


def dense(X: Any) -> Vector:
    """A matrix as an array."""
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)


def part(X: Any, rows: Indices, columns: Indices) -> Any:
    """Rows and columns of a dense or sparse matrix; what is small becomes dense."""
    if isinstance(X, np.ndarray):
        return X[np.ix_(rows, columns)]
    found = X.tocsr()[rows][:, columns].tocsc()
    return found.toarray() if max(found.shape) <= DENSE else found


def solver(K: Any) -> Callable[[Vector], Vector]:
    """Function that solves ``K x = b`` for vectors or columns b, with K positive definite."""
    if isinstance(K, np.ndarray):
        from scipy.linalg import cho_factor, cho_solve

        # Scaled to a unit diagonal: displacements and rotations have no common unit.
        scale = 1.0 / np.sqrt(np.diag(K))
        factor = cho_factor(K * np.outer(scale, scale))
        return lambda b: np.asarray((scale * cho_solve(factor, (scale * b.T).T).T).T)
    from scipy.sparse.linalg import splu

    lu = splu(K.tocsc())
    return lambda b: np.asarray(lu.solve(np.ascontiguousarray(b)))


def lowest_modes(K: Any, M: Any, count: int, free: bool = False) -> tuple[Vector, Vector]:
    """The lowest ``count`` eigenvalues (count,) and mass-normalised vectors (size, count).

    ``free`` says that K has rigid motions: they are among the modes.
    """
    if not count:
        return np.zeros(0), np.zeros((K.shape[0], 0))
    if isinstance(K, np.ndarray) or K.shape[0] <= DENSE or 4 * count > K.shape[0]:
        from scipy.linalg import eigh

        last = [0, count - 1]
        values, vectors = eigh(_symmetric(dense(K)), _symmetric(dense(M)), subset_by_index=last)
        return np.asarray(values), np.asarray(vectors)
    from scipy.sparse.linalg import eigsh

    shift = -SHIFT * K.diagonal().sum() / M.diagonal().sum() if free else 0.0
    start = np.random.default_rng(0).normal(size=K.shape[0])  # the same answer at every call
    values, vectors = eigsh(K.tocsc(), count, M.tocsc(), sigma=shift, v0=start)
    order = np.argsort(values)
    return np.asarray(values[order]), np.asarray(vectors[:, order])


def _symmetric(X: Vector) -> Vector:
    return 0.5 * (X + X.T)
