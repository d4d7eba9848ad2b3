"""Growth rate of small disturbances of coordinates that stand still.

Displacements N y and velocities N w + P y of these coordinates leave the constraint rows as they
are, G N = 0 and G P = -H N. With the states of controllers beside them, differences of
accelerations and rates give the matrix of small motion, whose eigenvalues tell:

    y' = w + (N^T P - N^T L N) y,      w' = N^T da,      z' = dz'

All other coordinates move on as they do.
"""

from __future__ import annotations

import numpy as np

from supple.analyses.equilibrium.balance import null_space
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import SuppleError
from supple.state import State

BESIDE = 1e-6  # radians, lengths of the model: how far away neighbours are


def leaving_rate(equations: Equations, state: State, places: Indices) -> tuple[float, Array] | None:
    """Rate (1/s) and shape (nu,) of the quickest disturbance of coordinates at a state.

    None where none of them is free, or there are no accelerations.
    """
    c, (t, q, u, z) = equations.compiled, (state.t, state.q, state.u, state.z)
    unit, m = c.scale[places], len(places)
    N: Array = np.eye(m)
    P: Array = np.zeros((m, m))
    if c.nr:
        rows = equations.constraints(t, q, u)
        G, H = rows.G[:, places] * unit, rows.H[:, places] * unit
        N = null_space(G, m)
        P = np.asarray(-np.linalg.lstsq(G, H @ N, rcond=None)[0], dtype=float)
    n, nz = N.shape[1], len(z)
    if n == 0:
        return None
    quick = float(np.max(c.rate_scale[places] / unit))  # 1/s
    steps = BESIDE * np.concatenate([np.ones(n), np.full(n, quick), np.maximum(1.0, np.abs(z))])

    def rates(shift: Array) -> Array:
        """Accelerations (n,) and rates of controllers (nz,) beside the state."""
        y, w = shift[:n], shift[n : 2 * n]
        dq, du = np.zeros(c.nu), np.zeros(c.nu)
        dq[places], du[places] = unit * (N @ y), unit * (N @ w + P @ y)
        near = q + dq if c.nq == c.nu else equations.retract(q, dq)
        a = equations.accelerate(t, near, u + du, z + shift[2 * n :])
        return np.concatenate([N.T @ (a[places] / unit), equations.fields.zdot[:nz]])

    A = np.zeros((2 * n + nz, 2 * n + nz))
    A[:n, :n], A[:n, n : 2 * n] = N.T @ P, np.eye(n)
    if c.nq != c.nu:
        L = equations.drift(u)[np.ix_(places, places)]
        A[:n, :n] -= N.T @ (L * unit / unit[:, None]) @ N
    try:
        for k, step in enumerate(steps):
            shift = np.zeros(len(steps))
            shift[k] = step
            A[n:, k] = (rates(shift) - rates(-shift)) / (2.0 * step)
    except SuppleError:
        return None
    if not np.all(np.isfinite(A)):
        return None
    found, vectors = np.linalg.eig(A)
    best = int(np.argmax(found.real))
    shape = np.zeros(c.nu)
    shape[places] = np.abs(N @ vectors[:n, best])
    return float(found[best].real), shape / max(float(shape.max()), 1e-300)
