"""Eigenproblems and linear systems of dense or sparse matrices, the same calls for both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.foundation.arrays import Indices, Vector

# Up to this size dense methods are quicker than sparse ones, and they find every mode.
DENSE = 700
# Largest by smallest eigenvalue of a window in which modes are separated, and how often.
WINDOW = 1e4
SWEEPS = 3
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


def refined_modes(K: Any, M: Any, shapes: Vector) -> tuple[Vector, Vector]:
    """Eigenvalues (m,) and mass-normalised modes (size, m) from modes that are nearly right.

    An eigenvalue solver is right to rounding of the largest eigenvalue, which may be far above
    the lowest: soft parts on stiff ones would lose as many digits as lie between them. The shapes
    themselves are right. So their energies are computed again from the matrices, and modes are
    separated within windows of the spectrum, each to rounding of its own largest one.
    """
    from scipy.linalg import eigh

    for _ in range(SWEEPS):
        energy, gram = (_symmetric(shapes.T @ (X @ shapes)) for X in (K, M))
        values = np.diag(energy) / np.diag(gram)
        order = np.argsort(values)
        shapes, values, ix = shapes[:, order], values[order], np.ix_(order, order)
        energy, gram = energy[ix], gram[ix]
        # What a soft mode has of a stiff one is seen from the force that it would need.
        gap = values[:, None] - values
        apart = values[:, None] > np.sqrt(WINDOW) * np.maximum(values, 0.0)
        wrong = np.divide(energy, gap, np.zeros_like(energy), where=apart & (gap > 0.0))
        shapes = shapes - shapes @ (wrong - wrong.T)
        energy, gram = (_symmetric(shapes.T @ (X @ shapes)) for X in (K, M))
        turn = np.eye(len(values))
        for window in _windows(values):
            part = turn[:, window]
            now = (_symmetric(part.T @ X @ part) for X in (energy, gram))
            turn[:, window] = part @ eigh(*now)[1]
        shapes = shapes @ turn
    energy, gram = (np.einsum("ia,ia->a", shapes, X @ shapes) for X in (K, M))
    shapes, values = shapes / np.sqrt(gram), energy / gram
    order = np.argsort(values)
    return values[order], shapes[:, order]


def _windows(ascending: Vector) -> list[Indices]:
    """Overlapping ranges of the spectrum, from the top: each value is with those near to it."""
    found, stop = [], len(ascending)
    while stop > 0:
        start = int(np.searchsorted(ascending, ascending[stop - 1] / WINDOW))
        start = min(start, stop - 1)
        found.append(np.arange(start, stop))
        if start == 0:
            break
        middle = int(np.searchsorted(ascending, ascending[stop - 1] / np.sqrt(WINDOW)))
        stop = min(max(middle, start), stop - 1)
    return found


def _symmetric(X: Vector) -> Vector:
    return 0.5 * (X + X.T)
