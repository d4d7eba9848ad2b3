"""Small motion in independent coordinates: the matrices of one choice of them.

With x = N y and v = N w + P y, both N and P may change along the motion about which it is: a rotor
in body axes on a ring that does not turn. In steady motion velocities are constant, and

    a = N w' + N' w + P y' + P' y        w = y' + D y,  D = L[chosen] N

so that rates of N, P and D are differences over positions that the model turns through. Without
constraint rows N is one, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from supple.analyses.equilibrium.balance import null_space
from supple.analyses.equilibrium.spin import turned
from supple.engine.base.compiled import Compiled
from supple.engine.reading.rows import scaled_rows
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.state import State

MOVES = 1e-9  # of the largest rate: what is rounding
ANGLE = 1e-2  # rad, of differences of order 4 along a rotation: errors of 1e-9


class Followed(NamedTuple):
    """Velocities by the independent ones: N, P (nu, n), and D (n, n) above."""

    N: Array
    P: Array
    D: Array


class Matrices(NamedTuple):
    """Matrices of a `LinearModel`, by its names."""

    M: Array
    C: Array
    K: Array
    N: Array
    F: Array
    Y: Array
    V: Array
    Z: Array


def following(c: Compiled, G: Array, rates: Array, chosen: Sequence[int]) -> Array:
    """X (nu, k) with G X = rates (nr, k) while the independent velocities stand still."""
    X = np.zeros((c.nu, rates.shape[1]))
    others = np.setdiff1d(np.arange(c.nu), chosen)
    if len(others):
        X[others] = np.linalg.lstsq(G[:, others] * c.scale[others], rates, rcond=1e-13)[0]
        X[others] *= c.scale[others, None]
    return X


def followed(equations: Equations, t: float, q: Array, u: Array, chosen: list[int]) -> Followed:
    """Velocities by the independent ones at a position."""
    c = equations.compiled
    rows = equations.constraints(t, q, u)
    motions = null_space(scaled_rows(c, rows.G), c.nu) * c.scale[:, None]
    N = motions @ np.linalg.inv(motions[chosen])
    P = following(c, rows.G, -rows.H @ N, chosen)
    return Followed(N, P, (equations.drift(u) @ N)[chosen])


def reduced(
    equations: Equations, state: State, chosen: list[int], effort: Array | None, steady: bool
) -> Matrices:
    """Matrices of small motion at a state."""
    t, q, u, z = state.t, state.q, state.u, state.z
    a = equations.accelerate(t, q, u, z, effort)
    lam = equations.multipliers()
    N, P, D = followed(equations, t, q, u, chosen)
    tangents = equations.tangents(t, q, u, a, z, lam)
    dN, dP, dD = _rates(equations, state, chosen, steady)
    mass, damping = N.T @ tangents.M, N.T @ tangents.Ru
    M = mass @ N
    return Matrices(
        M=0.5 * (M + M.T),
        C=damping @ N + mass @ (P + dN) + M @ D,
        K=N.T @ tangents.Rq @ N + damping @ (P + N @ D) + mass @ (dP + dN @ D) + M @ dD,
        N=N,
        F=N.T @ tangents.Rz,
        Y=tangents.Gq @ N + tangents.Gu @ (P + N @ D),
        V=tangents.Gu @ N,
        Z=tangents.Gz,
    )


def _rates(equations: Equations, state: State, chosen: list[int], steady: bool) -> Followed:
    """Rates of N, P and D along a steady motion; zeros otherwise."""
    c, n = equations.compiled, len(chosen)
    if not steady or not c.nr:
        return Followed(np.zeros((c.nu, n)), np.zeros((c.nu, n)), np.zeros((n, n)))
    h = ANGLE / float(np.max(np.abs(state.u) / c.scale))

    def at(k: int) -> Followed:
        q = turned(equations, state.q, k * h * state.u)
        return followed(equations, state.t, q, state.u, chosen)

    return Followed(
        *(
            (8.0 * (a - b) - (c - d)) / (12.0 * h)
            for a, b, c, d in zip(at(1), at(-1), at(2), at(-2), strict=True)
        )
    )


def preferences(c: Compiled, u: Array) -> Iterator[Array | None]:
    """Coordinates (nu,) that come first: any; those of parts that stand still; that turn."""
    yield None
    if not c.nr or not np.any(u):
        return
    turns = np.abs(u) / c.scale > MOVES * np.max(np.abs(u) / c.scale)
    moving = np.zeros(c.nu, dtype=bool)
    for record in (*c.joints.values(), *c.extra.values()):
        moving[record.u] = np.any(turns[record.u])
    for body in c.flexible.values():
        moving[body.u] = True
    yield ~moving
    yield moving
