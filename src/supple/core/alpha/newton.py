"""Newton's iteration for the end of a step of the generalized-alpha method; see ``alpha_stage`` for the symbols."""

from __future__ import annotations

import math

from supple.core.alpha import blocks as alpha_blocks
from supple.core.alpha import rows
from supple.core.alpha import tree as alpha_tree
from supple.core.alpha.stage import (
    AT,
    G_ROW,
    GAP,
    H_ROW,
    LAM,
    MASS,
    RATE,
    RQ,
    RU,
    S1,
    STEP,
    UNSEEN,
    WU,
    WX,
    WZ,
    XI,
    E,
    F,
    G,
    P,
    end_state,
    turn,
)
from supple.core.base import layout as at
from supple.core.equations import dynamics
from supple.core.forces import constraint_rows as links
from supple.core.linalg import block_products
from supple.core.linalg import dense as linalg
from supple.core.linalg import multifrontal as blocks
from supple.core.linalg.multifrontal import by_blocks
from supple.core.radau.newton import spin
from supple.core.run import step as st
from supple.native.declare import kernel

MAX_NEWTON = 10
BLIND = 5  # steps of one iteration in a row: the contraction changes as the tangent ages
FARTHEST = 1.0  # rad that a ball or free joint may turn in a step whose size is chosen: output between steps follows it


@kernel
def longest_step(m, r, h):
    """The step h, or less where a joint would turn too far."""
    rate = spin(m, r)
    return h if h * rate <= FARTHEST else FARTHEST / rate


@kernel
def tangent_rows(m, w, r, o, both):
    """What the tangents of ``tangents.differentiate`` lack: those of the rows, and the turning axes of free joints.

    dv = h ge dE + v x dtheta,  dv' = dE + (v' + w x v) x dtheta + v x dw - w x dv for a free joint's place.
    """
    if r.lam.shape[0] > 0:
        links.jacobian(m, w, o.rows[G_ROW], m.line_of)
        if both:
            links.rate_tangent(m, w, o.rows[H_ROW], m.line_of)
    if by_blocks(m):
        if blocks.has_turns(m):
            turn_blocks(m, r, o, both)
        return
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            turn_motion(m, r, o, j, 0, r.u.shape[0])
            for c in range(r.z.shape[0]):
                lever(o.Gu[c], o.Gq[c], j, r.ut[j + 3], r.ut[j + 4], r.ut[j + 5])
            if both:
                turn_rows(m, r, o, j, 0, r.lam.shape[0])


@kernel
def turn_motion(m, r, o, j, first, end):
    """The turning axes of the free joint with the velocities from j on, in some rows of the tangents."""
    a, u = o.u[AT], r.ut
    w0, w1, w2, v0, v1, v2 = u[j], u[j + 1], u[j + 2], u[j + 3], u[j + 4], u[j + 5]
    b = (a[j + 3] + w1 * v2 - w2 * v1, a[j + 4] + w2 * v0 - w0 * v2, a[j + 5] + w0 * v1 - w1 * v0)
    for k in range(first, end):
        c = m.row_of[k]
        M, Ru, Rq = o.tangent[MASS, c], o.tangent[RU, c], o.tangent[RQ, c]
        lever(M, Rq, j, b[0], b[1], b[2])
        Ru[j + 3] -= M[j + 4] * w2 - M[j + 5] * w1
        Ru[j + 4] -= M[j + 5] * w0 - M[j + 3] * w2
        Ru[j + 5] -= M[j + 3] * w1 - M[j + 4] * w0
        lever(Ru, Rq, j, v0, v1, v2)
        lever(M, Ru, j, v0, v1, v2)


@kernel
def turn_rows(m, r, o, j, first, end):
    """The same in some constraint rows."""
    for k in range(first, end):
        c = m.line_of[k]
        lever(o.rows[G_ROW, c], o.rows[H_ROW, c], j, r.ut[j + 3], r.ut[j + 4], r.ut[j + 5])


@kernel
def turn_blocks(m, r, o, both):
    """The turning axes of all free joints, where there are entries."""
    p, records = blocks.plan_of(m)[0], blocks.records_of(m)[0]
    turns = p[p[blocks.TURNS] + 1 :]
    for e in range(records.shape[0]):
        x = records[e]
        code, first, end = x[blocks.CODE], x[blocks.ROW], x[blocks.ROW] + x[blocks.NROW]
        for j in range(x[blocks.COLUMN], x[blocks.COLUMN] + x[blocks.NCOLUMN]):
            if code == blocks.TANGENT and turns[j] == 1:
                turn_motion(m, r, o, j, first, end)
            elif code == blocks.ROWS and both and turns[j] == 1:
                turn_rows(m, r, o, j, first, end)
            elif code == blocks.STATE and turns[j] == 1:
                lever(o.Gu[first], o.Gq[first], j, r.ut[j + 3], r.ut[j + 4], r.ut[j + 5])


@kernel
def lever(x, y, j, v0, v1, v2):
    """Add x_v . (v x dtheta) to the row y over a free joint's rotation, from the row x over its place."""
    y[j] += x[j + 4] * v2 - x[j + 5] * v1
    y[j + 1] += x[j + 5] * v0 - x[j + 3] * v2
    y[j + 2] += x[j + 3] * v1 - x[j + 4] * v0


@kernel
def factorize(m, r, o, n, h, be, ge, te):
    """Newton's matrix M + h ge Ru + h^2 be Rq with controller states and rows, n in all; False if it is singular."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    if by_blocks(m):
        return alpha_blocks.factorize(m, o, h, be, ge, te, n > nu + nz + r.lam.shape[0])
    p, v, s, N = h * h * be, h * ge, h * te, o.newton[: n * n].reshape((n, n))
    for c in range(nu):
        for d in range(nu):
            N[c, d] = o.tangent[MASS, c, d] + v * o.tangent[RU, c, d] + p * o.tangent[RQ, c, d]
        for d in range(nz):
            N[c, nu + d] = s * o.Rz[c, d]
            N[nu + d, c] = -p * o.Gq[d, c] - v * o.Gu[d, c]
    for c in range(nz):
        for d in range(nz):
            N[nu + c, nu + d] = (1.0 if c == d else 0.0) - s * o.Gz[c, d]
    if r.lam.shape[0] > 0:
        rows.border(m, N, o.rows[G_ROW], o.rows[H_ROW], o.tangent[RQ], o.Gq, p, v)
    return linalg.lu(N, o.pivots)


@kernel
def solve(m, o, parts, y):
    """Solve in place with the factors."""
    if alpha_tree.along_tree(m):
        alpha_tree.solve(m, parts, y)
    elif by_blocks(m):
        alpha_blocks.solve(m, o, y)
    else:
        n = y.shape[0]
        linalg.lu_solve(o.newton[: n * n].reshape((n, n)), o.pivots, y)


@kernel
def newton_update(m, w, r, o, parts, n, t, h, be, ge, te):
    """One Newton update of the rates at the end.

    Returns the weighted norm of what it does to the state, and the largest change of a multiplier over the largest one.
    """
    nu, nz, nr, y = r.u.shape[0], r.z.shape[0], r.lam.shape[0], o.y[:n]
    p, v = h * h * be, h * ge
    for k in range(nu):
        y[k] = -o.u[F, k]
    for k in range(nz):
        y[nu + k] = w.zdot[k] - o.z[G, k]
    if nr > 0:
        links.violations(m, w, o.row[GAP])
        links.rates(m, w, t, r.ut, o.row[RATE])
        rows.sides(y, o.row[GAP], o.row[RATE], p, v, nu + nz)
    solve(m, o, parts, y)
    rows.along(m, y, o.rows[G_ROW], p, nu + nz, o.u[S1])
    total = 0.0
    for k in range(nu):
        a, b = (p * y[k] + o.u[S1, k]) / o.u[WX, k], v * y[k] / o.u[WU, k]
        total += a * a + b * b
    turn(m, o.u[XI], 1.0, y)
    turn(m, o.u[XI], 1.0, o.u[S1])
    for k in range(nu):
        o.u[E, k] += y[k]
        o.u[P, k] += o.u[S1, k]
    for k in range(nz):
        a = h * te * y[nu + k] / o.z[WZ, k]
        total += a * a
        o.z[G, k] += y[nu + k]
    push, size = 0.0, 1e-300
    for j in range(nr):
        o.row[LAM, j] += y[nu + nz + j]
        w.lam[j] = o.row[LAM, j]
        push, size = max(push, abs(y[nu + nz + j])), max(size, abs(w.lam[j]))
    return math.sqrt(total / max(2 * nu + nz, 1)), push / size


@kernel
def rounding(m, r, o, parts, n, h, be, ge):
    """Weighted norm of what the rounding of violations does to an update by positions alone; it grows with 1/h."""
    nu, nz, y = r.u.shape[0], r.z.shape[0], o.y[:n]
    p, v = h * h * be, h * ge
    if r.lam.shape[0] == 0:
        return 0.0
    for k in range(nu + nz):
        y[k] = 0.0
    block_products.row_sizes(m, o.rows[G_ROW], y[nu + nz :])
    for j in range(nu + nz, n):
        y[j] *= 1e-15 / p
    solve(m, o, parts, y)
    total = 0.0
    for k in range(nu):
        a, b = p * y[k] / o.u[WX, k], v * y[k] / o.u[WU, k]
        total += a * a + b * b
    return math.sqrt(total / max(2 * nu + nz, 1))


@kernel
def judge(m, r, o, ints, reals, h, it, norm, old, floor):
    """What the norm of Newton's update number ``it`` says; returns (outcome, contraction rate).

    PAUSED means one more. A fixed step cannot be shortened: where Newton is slow it takes a new tangent in
    every iteration. An update below ``floor`` is rounding.
    """
    fixed = o.c[STEP] > 0.0
    tolerance = max(10.0 * 2.2e-16 / reals[st.RTOL], min(0.03, math.sqrt(reals[st.RTOL])))
    rate = reals[st.RATE]
    if not math.isfinite(norm):
        return st.NOT_FINITE, 2.0
    # multipliers are not in the norm: the first correction of the motion may be smaller than the second, which they
    # cause; their ratio says nothing then
    if it == 1 and r.lam.shape[0] > 0 and norm > 0.5 * old:
        return st.DONE if norm <= max(1e-2 * tolerance, floor) else st.PAUSED, rate
    if it > 0:
        rate = norm / old if old > 0.0 else 0.0
    safe = min(max(rate, max(0.01, 0.25 * h * spin(m, r))), 0.9)
    left = safe / (1.0 - safe) * norm
    if norm <= max(1e-2 * tolerance, floor):
        return st.DONE, rate
    if it == 0:  # by the rate that was measured a few steps ago, if its tangent is still in use
        good = ints[st.KEEP_JACOBIAN] == 1 and left <= 0.1 * tolerance and o.ints[UNSEEN] < BLIND
        return st.DONE if good else st.PAUSED, rate
    o.ints[UNSEEN] = 0
    if rate < 1.0 and left <= tolerance:
        return st.DONE, rate
    if rate > 0.3 and norm <= max(1.0 if fixed else 0.03, 10.0 * floor) and ints[st.KEEP_JACOBIAN] == 2:
        return st.DONE, rate  # small, and no better with a new tangent: rounding
    if fixed:
        if rate > 0.3:
            ints[st.KEEP_JACOBIAN] = 0
        return st.PAUSED if it < 3 * MAX_NEWTON else st.NOT_CONVERGED, rate
    slow = rate >= 1.0 or left * rate ** (MAX_NEWTON - 2 - it) > tolerance
    return st.NOT_CONVERGED if slow or it >= MAX_NEWTON - 1 else st.PAUSED, rate


@kernel
def finite(x):
    """Whether all entries are finite."""
    for k in range(x.shape[0]):
        if not math.isfinite(x[k]):
            return False
    return True


@kernel
def worst_rate(o):
    """The velocity whose rate is largest in units of its weight; one that is not finite first."""
    worst, found = 0.0, 0
    for k in range(o.u.shape[1]):
        size = abs(o.u[E, k]) / o.u[WU, k]
        if not math.isfinite(size):
            return k
        if size > worst:
            worst, found = size, k
    return found


@kernel
def solve_end(m, w, r, o, parts, count, state, t, h, be, ge, te, both):
    """Iterate for the rates at the step's end, where forces are taken at the time t; returns the outcome.

    With ``both`` rows of positions and velocities are held.
    """
    nr = r.lam.shape[0]
    n = r.u.shape[0] + r.z.shape[0] + (2 * nr if both else nr)
    first = count[st.NEWTON]
    outcome, rate, old = st.PAUSED, state[st.RATE], 0.0
    floor, pushed = 0.0, 0.0
    while outcome == st.PAUSED:
        end_state(m, r, o, h, be, ge, te)
        evaluate_end(m, w, r, o, parts, count, t, both)
        if count[st.FACTORED] == 0:
            count[st.FACTORIZATIONS] += 1
            if alpha_tree.along_tree(m):
                made = alpha_tree.factorize(m, parts, h, be, ge, te)
            else:
                made = factorize(m, r, o, n, h, be, ge, te)
            if not made:
                outcome = st.NOT_CONVERGED if finite(o.u[F]) else st.NOT_FINITE
                break
            count[st.FACTORED] = 1
        if not both and old == 0.0:
            floor = rounding(m, r, o, parts, n, h, be, ge)
        norm, push = newton_update(m, w, r, o, parts, n, t, h, be, ge, te)
        outcome, rate = judge(m, r, o, count, state, h, count[st.NEWTON] - first, norm, old, floor)
        if outcome == st.DONE and count[st.KEEP_JACOBIAN] == 1 and push > 1e-6:
            # near dependent rows an old tangent lets multipliers run away that hardly move anything
            if old > 0.0 and push > pushed:
                count[st.KEEP_JACOBIAN] = 0
            if count[st.KEEP_JACOBIAN] == 0 or (old == 0.0 and push > 1e-2):
                outcome = st.PAUSED
        count[st.NEWTON] += 1
        old, pushed = norm, push
    o.ints[UNSEEN] += 1
    state[st.RATE] = rate
    return outcome


@kernel
def evaluate_end(m, w, r, o, parts, count, t, both):
    """Residual of the equations of motion at the step's end, with the tangents if those at hand are of no use."""
    if count[st.KEEP_JACOBIAN] == 0:
        if alpha_tree.along_tree(m):
            alpha_tree.differentiate(m, w, r, o, parts, t)
        else:
            dynamics.tangent_at(
                m, w, t, r.qt, r.ut, o.u[AT], r.zt, o.u[F], o.tangent[RQ], o.tangent[RU], o.tangent[MASS],
                o.Rz, o.Gq, o.Gu, o.Gz,
            )
            tangent_rows(m, w, r, o, both)
        count[st.JACOBIANS] += 1
        count[st.KEEP_JACOBIAN], count[st.AGE] = 2, 0  # 2: of this very step
        count[st.FACTORED] = 0
    else:
        dynamics.residual_at(m, w, t, r.qt, r.ut, o.u[AT], r.zt, o.u[F])
    count[st.EVALUATIONS] += 1
