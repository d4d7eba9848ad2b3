"""Multipliers of constraint rows that are in equilibrium on every body by themselves.

They are the null vectors of the transposed rows. Models of many bodies have few numbers in a row:
there one sparse factorization takes any multipliers to their part along the null vectors, and the
parts of some random multipliers are combinations of all null vectors: no list of them is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.foundation.poses import Array

# Singular values of the scaled rows below this part of the largest are zero: bodies of a run meet
# to rounding; and parts of unit vectors below it, which are known to rounding over the gap.
ZERO = 1e-7
REGULAR = (2.0 * ZERO) ** 2  # makes the equations regular; the rows' largest value is about two
DENSE = 8_000  # numbers in the Jacobian of a small model
PASSES, SETTLED = 6, 1e-13  # each takes away more of what is no null vector, until that is rounding
WHOLE = 300_000  # numbers in a Jacobian that is treated as an array if sparse rows do not settle
SHARPER = 4  # times that singular values near the limit are pushed to one of its sides
SOME = 16  # random multipliers: more than enough that no part of all null vectors is left out
NOTHING = 1e-4  # parts of random multipliers that are no null vectors


def in_equilibrium(G: Any, x: Array) -> Array:
    """The part of x (nr,) or (nr, n) along null vectors of transposed rows G: x - G y, smallest.

    G (nr, nu) is an array, or in compressed rows.
    """
    return _projection(G)(x)


def open_sets(G: Any) -> Array:
    """Multipliers (nr, n) in equilibrium; none of rows that are independent.

    Of a small model they are an orthonormal basis, of others random combinations of it, with parts
    of about the same size at each row.
    """
    if isinstance(G, np.ndarray):
        left, values, _ = np.linalg.svd(G)
        rank = int(np.sum(values > ZERO * values.max(initial=0.0)))
        basis: Array = left[:, rank:]
        return basis
    any_ones = np.random.default_rng(1).standard_normal((G.shape[0], SOME))
    found: Array = _projection(G)(any_ones) / np.sqrt(SOME)
    return found if np.linalg.norm(found) > NOTHING else found[:, :0]


def _projection(G: Any) -> Callable[[Array], Array]:
    """The function from multipliers to their part along null vectors."""
    if isinstance(G, np.ndarray):
        return lambda x: x - G @ np.linalg.lstsq(G, x, rcond=ZERO)[0]
    from scipy.sparse.linalg import splu

    nr, nu = G.shape
    try:
        lu = splu(_bordered(G))
    except RuntimeError:  # a pivot that is exactly zero
        return _projection(G.toarray())

    def once(x: Array) -> Array:
        """What is left of x: of a singular value s the part REGULAR / (s^2 + REGULAR)."""
        found: Array = lu.solve(np.concatenate([x, np.zeros((nu, *x.shape[1:]))]))
        return found[:nr]

    def sharper(x: Array, times: int) -> Array:
        """The same with parts p replaced by 3 p^2 - 2 p^3: they tend to zero or one."""
        if not times:
            return once(x)
        two = sharper(sharper(x, times - 1), times - 1)
        return 3.0 * two - 2.0 * sharper(two, times - 1)

    def part(x: Array) -> Array:
        rest, rounding = x, SETTLED * np.abs(x).max(initial=0.0)
        for _ in range(PASSES):
            before, rest = rest, once(rest)
            if np.abs(rest - before).max(initial=0.0) <= rounding:
                return rest
        if nr * nu < WHOLE:  # near a singular position, where rounding shows
            return _projection(G.toarray())(x)
        return sharper(x, SHARPER)

    return part


def _bordered(G: Any) -> Any:
    """[[1, G], [G^T, -REGULAR]] of rows (nr, nu), without the many checks of SciPy's functions."""
    from scipy.sparse import csc_array

    (nr, nu), own = G.shape, G.tocsc()
    first, last, end = G.indptr[:-1], own.indptr[1:], G.nnz + nr
    indices = [
        np.insert(G.indices + nr, first, np.arange(nr)),
        np.insert(own.indices, last, np.arange(nr, nr + nu)),
    ]
    numbers = np.insert(G.data, first, 1.0), np.insert(own.data, last, -REGULAR)
    pointers = G.indptr + np.arange(nr + 1), last + np.arange(1, nu + 1) + end
    return csc_array(
        (np.concatenate(numbers), np.concatenate(indices), np.concatenate(pointers)),
        shape=(nr + nu, nr + nu),
    )
