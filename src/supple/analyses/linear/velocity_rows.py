"""Small motion of mechanisms with rows that hold rates alone: A(q) u + b(t) = 0.

More places can be reached than there are free velocities. With x = R y, what rows of positions
allow, and v = N w + Q y, what all rows do, places follow from

    y' = E w + B y        E = N[places], B = (Q - L R)[places]

Places of y that are not independent velocities, s of y = (x, s), are unknowns of first order. They
stand behind those of controllers in a `LinearModel`: s' = Y x + V x' + Z s. In steady motion all of
these matrices but L have rates, as in ``independent.py``:

    a = N w' + (N' + Q E) w + (Q' + Q B) y        w = x' + D y,  D = L[chosen] R
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.analyses.equilibrium.balance import null_space, turned
from supple.analyses.linear.independent import ANGLE, Matrices, following
from supple.engine.reading.rows import scaled_rows
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.state import State


@dataclass(frozen=True)
class Motions:
    """Velocities and places by the independent ones at a position."""

    N: Array  # (nu, n) velocities by the independent ones
    Q: Array  # (nu, p) velocities by places, as the independent ones stand still
    R: Array  # (nu, p) places by the independent ones
    D: Array  # (n, p)

    @classmethod
    def at(cls, equations: Equations, state: State, q: Array, own: Places) -> Motions:
        """Motions at a position."""
        c, u = equations.compiled, state.u
        rows = equations.constraints(state.t, q, u)
        scaled, held = scaled_rows(c, rows.G), ~c.rate_rows
        free = null_space(scaled, c.nu) * c.scale[:, None]
        N = free @ np.linalg.inv(free[own.velocities])
        reached = null_space(scaled[held], c.nu) * c.scale[:, None]
        R = reached @ np.linalg.inv(reached[own.places])
        Q = following(c, rows.G, -rows.H @ R, own.velocities)
        return cls(N, Q, R, (equations.drift(u) @ R)[own.velocities])

    def minus(self, other: Motions, factor: float) -> Motions:
        """Difference times a factor."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Motions(*(factor * (a - b) for a, b in pairs))


@dataclass(frozen=True)
class Places:
    """Places in u of independent velocities, and of coordinates that tell all places."""

    velocities: list[int]
    further: list[int]  # coordinates that tell places beside those of the independent velocities

    @property
    def places(self) -> list[int]:
        """All coordinates that tell places."""
        return [*self.velocities, *self.further]

    @classmethod
    def at(cls, equations: Equations, state: State, velocities: list[int]) -> Places:
        """Further places at a state: those that earlier ones leave the most of."""
        c = equations.compiled
        rows = equations.constraints(state.t, state.q, state.u)
        scaled = scaled_rows(c, rows.G)[~c.rate_rows]
        left = null_space(scaled, c.nu)
        count, further = left.shape[1] - len(velocities), list[int]()
        for place in velocities:
            left = _without(left, place)
        for _ in range(count):
            further.append(int(np.argmax(np.linalg.norm(left, axis=1))))
            left = _without(left, further[-1])
        return cls(velocities, sorted(further))


def _without(basis: Array, place: int) -> Array:
    """Motions (nu, n) without those along the row of one coordinate."""
    own = basis[place] / max(float(np.linalg.norm(basis[place])), 1e-300)
    return basis - np.outer(basis @ own, own)


def reduced_with_places(
    equations: Equations,
    state: State,
    chosen: list[int],
    effort: Array | None,
    steady: bool,
) -> tuple[Matrices, Array, list[int]]:
    """Matrices of small motion, what places do to all coordinates, and the further places."""
    own = Places.at(equations, state, chosen)
    n, (t, q, u, z) = len(chosen), (state.t, state.q, state.u, state.z)
    a = equations.accelerate(t, q, u, z, effort)
    lam = equations.multipliers()
    at = Motions.at(equations, state, q, own)
    rate = _rates(equations, state, own, steady)
    tangents = equations.tangents(t, q, u, a, z, lam)
    N, Q, R, D = at.N, at.Q, at.R, at.D
    E, B = N[own.places], (Q - equations.drift(u) @ R)[own.places]
    mass, damping = N.T @ tangents.M, N.T @ tangents.Ru
    # N^T (M a + Ru v + Rq R y) = M w' + along_w w + along_y y
    M = mass @ N
    along_w = damping @ N + mass @ (rate.N + Q @ E)
    along_y = mass @ (rate.Q + Q @ B) + damping @ Q + N.T @ tangents.Rq @ R
    # s' = from_rate x' + from_place y, and w = x' + D y
    from_rate = E[n:]
    from_place = from_rate @ D + B[n:]
    Ds = D[:, n:]
    C = along_w + M @ (D[:, :n] + Ds @ from_rate)
    K = along_y + along_w @ D + M @ (rate.D + Ds @ from_place)
    inner = tangents.Gq @ R + tangents.Gu @ (N @ D + Q)
    further, nz = len(own.further), len(tangents.Gz)
    Z = np.zeros((further + nz, further + nz))
    Z[:further, :further], Z[further:, :further] = from_place[:, n:], inner[:, n:]
    Z[further:, further:] = tangents.Gz
    matrices = Matrices(
        M=0.5 * (M + M.T),
        C=C,
        K=K[:, :n],
        N=N,
        F=np.hstack([K[:, n:], N.T @ tangents.Rz]),
        Y=np.vstack([from_place[:, :n], inner[:, :n]]),
        V=np.vstack([from_rate, tangents.Gu @ N]),
        Z=Z,
    )
    return matrices, R, own.further


def _rates(equations: Equations, state: State, own: Places, steady: bool) -> Motions:
    """Rates along a steady motion; zeros otherwise."""
    c = equations.compiled
    here = Motions.at(equations, state, state.q, own)
    if not steady:
        return here.minus(here, 1.0)
    h = ANGLE / float(np.max(np.abs(state.u) / c.scale))

    def at(k: int) -> Motions:
        return Motions.at(equations, state, turned(equations, state.q, k * h * state.u), own)

    near, far = at(1).minus(at(-1), 8.0), at(2).minus(at(-2), 1.0)
    return near.minus(far, 1.0 / (12.0 * h))
