"""Lowest modes of a large model at rest from shapes that are near them.

The space of shapes X, some random ones among them, and of what inertia loads of them deflect,
x = (K + s M)^-1 M X, three times after each other, holds the lowest modes to high accuracy; in it
matrices are small (Ritz).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.analyses.frequencies.rest_matrices import Matrices
from supple.analyses.modes.mode import Complex
from supple.foundation.poses import Array
from supple.loops.steps import TINY

TIMES = 3  # deflections by inertia loads of the last shapes
ANY = 6  # random shapes, which lead to modes that are near none of the given ones
SAME = 1e-9  # part of the largest singular value: a shape that is a sum of others
ALIKE = 0.3  # part of the inertia that a shape has in common with that of the same mode, at least


@dataclass(frozen=True, eq=False)
class RitzModes:
    """Modes that oscillate, in units of increments.

    Attributes
    ----------
    rates : (k,) 1/s, magnitudes of the eigenvalues
    shapes : (nu, k)
    growing : rates (m,) of modes that grow without oscillating
    """

    rates: Array
    shapes: Complex
    growing: Array


def ritz_modes(here: Matrices, near: Complex, shift: float, still: bool) -> RitzModes | None:
    """Modes near some shapes (nu, n); ``still``: there is neither damping nor a controller."""
    solve = here.factors(shift)
    if solve is None:
        return None
    parts = np.hstack([near.real, near.imag]) if np.any(near.imag) else near.real
    any_shapes = np.random.default_rng(1).normal(size=(len(near), ANY))
    X, found = np.hstack([_independent(parts), solve(here.M @ any_shapes)]), []
    for _ in range(TIMES):
        X = solve(here.M @ X)
        if not np.all(np.isfinite(X)):
            return None
        X = _independent(_allowed(here, _independent(X)))
        found.append(X)
    Q = _independent(_allowed(here, np.hstack(found)))
    K, C, M = (Q.T @ (x @ Q) for x in (here.K, here.C, here.M))
    values, small = _symmetric(K, M) if still else _general(K, C, M, here, Q)
    keep = values.imag > 0.0
    growing = values.real[(values.imag == 0.0) & (values.real > 0.0)]
    return RitzModes(np.abs(values[keep]), Q @ small[:, keep], growing)


def _independent(X: Array) -> Array:
    """Orthonormal basis of the span of columns, but for rounding."""
    sized = X / np.maximum(np.linalg.norm(X, axis=0), 1e-300)
    left, values, _ = np.linalg.svd(sized, full_matrices=False)
    return np.asarray(left[:, values > SAME * values[0]])


def _allowed(here: Matrices, X: Array) -> Array:
    """The nearest motions that rows allow: what is small in X is rounding of other motions."""
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    if not len(here.gap):
        return X
    rows = splu((here.G @ here.G.T + TINY * eye_array(len(here.gap))).tocsc())
    for _ in range(2):
        X = X - here.G.T @ rows.solve(here.G @ X)
    return X


def _symmetric(K: Array, M: Array) -> tuple[Complex, Complex]:
    import scipy.linalg

    squares, shapes = scipy.linalg.eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
    return np.sqrt(-squares + 0j), shapes.astype(complex)


def _general(K: Array, C: Array, M: Array, here: Matrices, Q: Array) -> tuple[Complex, Complex]:
    n, nz = len(K), len(here.Z)
    solved = np.linalg.solve(M, np.hstack([K, C, Q.T @ here.F]))
    A = np.zeros((2 * n + nz, 2 * n + nz))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = -solved
    A[2 * n :] = np.hstack([here.Y @ Q, here.V @ Q, here.Z])
    values, vectors = np.linalg.eig(A)
    return values.astype(complex), vectors[:n].astype(complex)


def held(here: Matrices, free: Complex, found: RitzModes) -> RitzModes:
    """Modes that are not, for the most part, motions (nu, r) that nothing holds."""
    if not free.shape[1]:
        return found
    size = np.real(np.einsum("ia,ia->a", found.shapes.conj(), here.M @ found.shapes))
    upper = np.linalg.cholesky(np.real(free.T @ (here.M @ free))).T
    along = np.linalg.solve(upper.T, free.T @ (here.M @ found.shapes))
    keep = (np.abs(along) ** 2).sum(axis=0) < 0.5 * size
    return RitzModes(found.rates[keep], found.shapes[:, keep], found.growing)


def matched(here: Matrices, near: Complex, found: RitzModes) -> np.ndarray:
    """Number (n,) of the mode that each of some shapes (nu, n) is, -1 if it is none of them."""
    from scipy.optimize import linear_sum_assignment

    inertia = here.M @ near
    own = np.real(np.einsum("ia,ia->a", near.conj(), inertia))
    theirs = np.real(np.einsum("ia,ia->a", found.shapes.conj(), here.M @ found.shapes))
    common = np.abs(inertia.conj().T @ found.shapes) ** 2
    alike = common / np.maximum(np.outer(own, theirs), 1e-300)
    rows, columns = linear_sum_assignment(-alike)
    numbers = np.full(near.shape[1], -1)
    numbers[rows] = np.where(alike[rows, columns] >= ALIKE, columns, -1)
    return numbers
