"""Error estimate of a Radau step (Hairer and Wanner, section IV.8), embedded and filtered by Newton's real matrix."""

from __future__ import annotations

import math

from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.equations.tree_parts import along_tree
from supple.core.equations.tree_solve import solve_tree
from supple.core.linalg import dense as linalg
from supple.core.linalg.multifrontal import by_blocks
from supple.core.radau import blocks as radau_blocks
from supple.core.radau import rows
from supple.core.radau import tree as radau_tree
from supple.core.radau.buffers import (
    E1,
    F2,
    FA,
    FD,
    FU,
    MASS,
    RQ,
    S1,
    S2,
    WORK,
    WU,
    WW,
    WX,
    WZ,
    Y1,
    U,
    X,
    Z,
)
from supple.core.radau.table import EST1, EST2, EST3, GAMMA
from supple.core.run import step as st
from supple.native.declare import kernel


@kernel
def error_norm(m, w, r, o, p, h, t, attempt):
    """Embedded error estimate, weighted; the second attempt filters it once more (stiff starts)."""
    second = attempt == 1
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    y, blocked = o.y[Y1], by_blocks(m)
    for k in range(nu):
        o.u[S1, k] = (EST1 * o.u[U, k] + EST2 * o.u[U + 1, k] + EST3 * o.u[U + 2, k]) / h + r.a[k]
        o.u[S2, k] = (EST1 * o.u[X, k] + EST2 * o.u[X + 1, k] + EST3 * o.u[X + 2, k]) / h + r.u[k]
    if second:  # the right side at the state moved by the first estimate, left in xt, ut
        for k in range(nu):
            o.u[S2, k] += r.ut[k]
            r.ut[k] += r.u[k]
        for k in range(nz):
            r.zt[k] = r.z[k]
        chart.retract(m, r.q, r.xt, r.qt)
        dynamics.residual_at(m, w, t, r.qt, r.ut, r.a, r.zt, o.u[F2])
    n, free = o.f.shape[1], o.free
    for i in range(n):
        o.f[FA, i], o.f[FU, i] = o.u[S1, free[i]], o.u[S2, free[i]]
    tree = along_tree(m)
    if tree:
        radau_tree.error_sides(m, p, o, h)
    for k in range(n):
        y[k] = -h * h * o.u[F2, free[k]] if second else 0.0
        if tree:
            y[k] += h * h * o.f[FD, k]
        elif not blocked:
            s = 0.0
            for j in range(n):
                s += o.tangent[MASS, k, j] * o.f[FA, j] - h / GAMMA * o.tangent[RQ, k, j] * o.f[FU, j]
            y[k] += h * h * s
    if blocked:
        radau_blocks.add_error(m, o, h)
    for k in range(nz):
        f = (EST1 * o.z[Z, k] + EST2 * o.z[Z + 1, k] + EST3 * o.z[Z + 2, k]) / h + r.zdot[k]
        s = 0.0
        if tree:
            s = radau_tree.state_slope(p, k, o.f[FU])
        for j in range(o.Gq.shape[1]):
            s += o.Gq[k, j] * o.f[FU, j]
        y[n + k] = h * (f + h / GAMMA * s)
    if o.G.shape[0] > 0:
        rows.error_sides(m, r, o, h)
    if blocked:
        radau_blocks.solve_real(m, o)
    elif tree:
        solve_tree(m, p, 0, o.y[Y1 : Y1 + 1])
    else:
        linalg.lu_solve(o.newton[E1], o.pivots[0], y)
    for k in range(n):  # xi, in place of its rate
        o.f[FU, k] = (y[k] + h * o.f[FU, k]) / GAMMA
    if o.G.shape[0] > 0:
        rows.error_update(m, r, o, h)
    total = 0.0
    worst, worst_k = 0.0, 0
    for k in range(nu):  # what drivers give has no error
        r.xt[k], r.ut[k] = 0.0, 0.0
    for i in range(n):
        k = free[i]
        r.ut[k] = y[i] / h
        r.xt[k] = o.f[FU, i]
        a, b = r.xt[k] / o.u[WX, k], r.ut[k] / o.u[WU, k]
        total += a * a + b * b
        if a * a + b * b > worst:
            worst, worst_k = a * a + b * b, k
    for k in range(nz):
        a = y[n + k] / o.z[WZ, k]
        total += a * a
    for k in range(ne):
        a = (EST1 * o.e[WORK, k] + EST2 * o.e[WORK + 1, k] + EST3 * o.e[WORK + 2, k]) / h + r.power[k]
        a *= h / GAMMA / o.e[WW, k]
        total += a * a
    return math.sqrt(total / max(2 * n + nz + ne, 1)), worst_k


@kernel
def estimate(m, w, r, o, p, ints, t, h):
    """Weighted error of the step and the velocity with the largest one; at the start or after a rejection filtered again."""
    stiff_start = ints[st.FRESH] == 1 or ints[st.AFTER_REJECT] == 1
    for attempt in range(2):  # a variable: a literal would compile error_norm once for each value
        error, worst = error_norm(m, w, r, o, p, h, t, attempt)
        if not (error >= 1.0 and stiff_start):
            break
    return error, worst
