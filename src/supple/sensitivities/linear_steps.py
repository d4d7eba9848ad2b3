"""Linearised Radau steps (discrete tangent model), for all steps at once.

Beside q(t) a neighbour has q = retract(q(t), x) and the velocity u(t) + v, see
`supple.analyses.linear.linearize`; with a displaced parameter p

    x' = v - L x
    M v' + Ru v + Rq x + Rz y + G^T mu = -R_p
    G v + H x = -c_p
    y' = Gq x + Gu v + Gz y + g_p

with y beside the states of controllers, R the residual, c the rates of the constraint rows, g the
rates of controllers. The three stages of a step are linear equations K k = B s - b for the rates
k = (x', v', y', mu), where s = (x, v, y) is the state at its begin. The state at its end is the
last stage, s + E k. So of each step there is T = E K^-1, and

    s(end) = (1 + T B) s - T b(p)

runs forwards for a few parameters, and its transpose backwards for many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from supple.core.base.layout import new_work
from supple.core.equations import trajectory_tangents as along
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import SimulationError

ROOT = 6.0**0.5
NODES = np.array([(4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0])
STAGES = np.array(
    [
        [(88.0 - 7.0 * ROOT) / 360.0, (296.0 - 169.0 * ROOT) / 1800.0, (-2.0 + 3.0 * ROOT) / 225.0],
        [(296.0 + 169.0 * ROOT) / 1800.0, (88.0 + 7.0 * ROOT) / 360.0, (-2.0 - 3.0 * ROOT) / 225.0],
        [(16.0 - ROOT) / 36.0, (16.0 + ROOT) / 36.0, 1.0 / 9.0],
    ]
)
BYTES = 64e6  # of the matrices of the steps that are looked at together


class States(NamedTuple):
    """States at n instants: times (n,) s, coordinates (n, nq), velocities (n, nu), (n, nz)."""

    t: Array
    q: Array
    u: Array
    z: Array

    def part(self, which: slice | Indices) -> States:
        """Some of them."""
        return States(*(np.ascontiguousarray(x[which]) for x in self))


class Small(NamedTuple):
    """Matrices of small motion at n instants, with accelerations, rates and multipliers."""

    a: Array
    zdot: Array
    lam: Array
    Rq: Array
    Ru: Array
    M: Array
    Rz: Array
    Gq: Array
    Gu: Array
    Gz: Array
    G: Array
    H: Array
    L: Array


class Steps(NamedTuple):
    """n steps: ``transfer`` (n, ns, ns) is 1 + T B, ``forced`` (n, ns, 3 ne) is T.

    ``stages`` are the states at their 3 n stages, ``small`` what small motion is there.
    """

    transfer: Array
    forced: Array
    stages: States
    small: Small


def small_motion(compiled: Compiled, work: Array, states: States) -> Small:
    """Matrices of small motion at states."""
    n, (nu, nz, rows) = len(states.t), (compiled.nu, compiled.nz, compiled.nr)
    shapes = [(nu, nu), (nu, nu), (nu, nu), (nu, nz), (nz, nu), (nz, nu), (nz, nz)]
    shapes += [(rows, nu), (rows, nu), (nu, nu)]
    out = [np.zeros((n * i, j)) for i, j in shapes]
    found = np.zeros((n, nu)), np.zeros((n, nz)), np.zeros((n, rows))
    buffers = compiled.ints, compiled.reals, work
    bad = along.linearized(*buffers, *states, *found, *out)
    if bad >= 0:
        raise SimulationError(f"sensitivity: there are no accelerations at t = {states.t[bad]:g} s")
    return Small(*found, *(x.reshape(n, *shape) for x, shape in zip(out, shapes, strict=True)))


def steps_of(compiled: Compiled, stages: States, lengths: Array) -> Steps:
    """Steps of the given lengths (n,) s, with the states at all their stages (3 n)."""
    small = small_motion(compiled, new_work(compiled.ints), stages)
    K, B = _stage_equations(small, lengths)
    scale = 1.0 / np.max(np.abs(K), axis=2, keepdims=True)
    K *= scale
    n, size, ns = len(lengths), K.shape[1], B.shape[2]
    # E: the last stage adds h A[2, j] of the rates; multipliers add nothing
    E = np.zeros((n, size, ns))
    for j in range(3):
        block = E[:, j * (size // 3) : j * (size // 3) + ns]
        block += (lengths * STAGES[2, j])[:, None, None] * np.eye(ns)
    T = np.linalg.solve(np.swapaxes(K, 1, 2), E)
    T = np.swapaxes(T, 1, 2) * np.swapaxes(scale, 1, 2)
    return Steps(np.eye(ns) + T @ B, T, stages, small)


def _stage_equations(small: Small, h: Array) -> tuple[Array, Array]:
    """K (n, 3 ne, 3 ne) over rates and multipliers, stage by stage, and B (n, 3 ne, ns)."""
    nu, nz, rows = small.M.shape[2], small.Gz.shape[2], small.G.shape[1]
    ne, ns, n = 2 * nu + nz + rows, 2 * nu + nz, len(h)
    x, v, y, mu = slice(0, nu), slice(nu, 2 * nu), slice(2 * nu, ns), slice(ns, ne)
    # what multiplies the state of a stage, (3 n, ne, ns): lines x', v', y', rows
    C = np.zeros((3 * n, ne, ns))
    C[:, x, x], C[:, x, v] = small.L, -np.eye(nu)
    C[:, v, x], C[:, v, v], C[:, v, y] = small.Rq, small.Ru, small.Rz
    C[:, y, x], C[:, y, v], C[:, y, y] = -small.Gq, -small.Gu, -small.Gz
    C[:, mu, x], C[:, mu, v] = small.H, small.G
    C = C.reshape(n, 3, ne, ns)
    K = np.zeros((n, 3, ne, 3, ne))
    for i in range(3):
        for j in range(3):
            K[:, i, :, j, :ns] = (h * STAGES[i, j])[:, None, None] * C[:, i]
        M, G = small.M.reshape(n, 3, nu, nu)[:, i], small.G.reshape(n, 3, rows, nu)[:, i]
        K[:, i, x, i, x] += np.eye(nu)
        K[:, i, v, i, v] += M
        K[:, i, y, i, y] += np.eye(nz)
        K[:, i, v, i, mu] += np.swapaxes(G, 1, 2)
    return K.reshape(n, 3 * ne, 3 * ne), -C.reshape(n, 3 * ne, ns)


def stage_times(ends: Array) -> Array:
    """Times (3 n,) s of the stages of steps between times (n + 1,)."""
    return np.asarray((ends[:-1, None] + np.diff(ends)[:, None] * NODES).ravel())


def blocks(compiled: Compiled, steps: int) -> Iterator[slice]:
    """Steps that are looked at together, so that their matrices are not large."""
    size = 3 * (2 * compiled.nu + compiled.nz + compiled.nr)
    count = max(1, int(BYTES / (8.0 * 3.0 * size * size)))
    for k in range(0, steps, count):
        yield slice(k, min(k + count, steps))


def residuals(compiled: Compiled, times: Array, steps: Steps, where: Indices) -> Array:
    """Residuals, rates of rows and of controllers (k, nu + nr + nz) at some of the stages."""
    s, small = steps.stages, steps.small
    state = (np.ascontiguousarray(x[where]) for x in (s.q, s.u, small.a, s.z, small.lam))
    out = np.zeros((len(where), compiled.nu + compiled.nr + compiled.nz))
    buffers = compiled.ints, compiled.reals, new_work(compiled.ints)
    along.residuals(*buffers, np.ascontiguousarray(times[where]), *state, out)
    return out


def parameter_terms(steps: Steps, where: Indices, change: Array, stretch: Array) -> Array:
    """Terms b (n, 3 ne) that a displaced parameter adds to the stages, per unit of it.

    ``change`` (k, nu + nr + nz) of residuals and rates at the stages ``where``, and ``stretch``
    (3 n,), by which the time of neighbours goes on faster than that of the run: see `Warp`.
    """
    s, small = steps.stages, steps.small
    nu, nr, nz = s.u.shape[1], small.lam.shape[1], s.z.shape[1]
    b = np.zeros((len(s.t), 2 * nu + nz + nr))
    b[where, nu : 2 * nu] = change[:, :nu]
    b[where, 2 * nu : 2 * nu + nz] = -change[:, nu + nr :]
    b[where, 2 * nu + nz :] = change[:, nu : nu + nr]
    if np.any(stretch):
        rate = stretch[:, None]
        b[:, :nu] -= rate * s.u
        b[:, nu : 2 * nu] -= rate * np.einsum("kij,kj->ki", small.M, small.a)
        b[:, 2 * nu : 2 * nu + nz] -= rate * small.zdot
    return b.reshape(len(s.t) // 3, -1)
