"""Radau IIA of order 5 with error control, the whole step loop compiled.

Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8, with these changes:

- each step has its own chart: the unknown is the increment xi from the step's start, xi' = T(xi)^-1 u, so
  that quaternions need no constraint and no singular configuration exists;
- the equations of motion stay implicit, R(q, u, u') = 0: stage accelerations are A^-1 Z / h and the mass
  matrix is never inverted;
- Newton's matrix is taken at the middle of the step, with analytic tangents, and reduced to velocities
  and controller states: [g M + h Ru + h^2/g Rq] for g the eigenvalues of A^-1;
- dense output of order 5: quintic Hermite for xi, integrals of the cubic through the four known rates for
  u, z and the work channels (the Radau points integrate it exactly to the step's end).
"""

from __future__ import annotations

import math

import numpy as np

from supple.core import chart, dynamics, linalg, radau_wide
from supple.core import layout as at
from supple.core import radau_rows as rows
from supple.core import radau_stages as stages
from supple.core import step as st
from supple.core.layout import views
from supple.core.radau_stages import MAX_NEWTON
from supple.core.radau_table import AI, CUBIC, EST1, EST2, EST3, GAMMA
from supple.core.radau_views import (
    E1,
    F2,
    FA,
    FU,
    LAM,
    LO,
    MASS,
    RATE,
    RQ,
    S1,
    S2,
    WORK,
    WU,
    WW,
    WX,
    WZ,
    XO,
    Y1,
    ZO,
    ZRATE,
    U,
    X,
    Z,
    is_wide,
    own_size,
    own_views,
)
from supple.native.declare import INT, INTS, IVEC, MAT, REALS, VEC, entry, hold, kernel

__all__ = ["own_size", "radau_run"]

AIM = 0.25  # weighted error of a step that the controller aims at


@kernel
def error_norm(m, w, r, o, h, t, attempt):
    """Embedded error estimate, weighted; the second attempt filters it once more (stiff starts)."""
    second = attempt == 1
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    y, wide = o.y[Y1], is_wide(m)
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
    for k in range(n):
        s = 0.0
        if wide:
            near = o.lists.near[k]
            s += radau_wide.dot(o.tangent[MASS, k], o.f[FA], near) - h / GAMMA * radau_wide.dot(o.tangent[RQ, k], o.f[FU], near)
        else:
            for j in range(n):
                s += o.tangent[MASS, k, j] * o.f[FA, j] - h / GAMMA * o.tangent[RQ, k, j] * o.f[FU, j]
        y[k] = h * h * s
        if second:
            y[k] -= h * h * o.u[F2, free[k]]
    for k in range(nz):
        f = (EST1 * o.z[Z, k] + EST2 * o.z[Z + 1, k] + EST3 * o.z[Z + 2, k]) / h + r.zdot[k]
        s = 0.0
        for j in range(n):
            s += o.Gq[k, j] * o.f[FU, j]
        y[n + k] = h * (f + h / GAMMA * s)
    if o.G.shape[0] > 0:
        rows.error_sides(m, r, o, h)
    if wide:
        radau_wide.solve_real(m, o)
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
def fill_polynomials(m, w, r, o, h):
    """Dense output of the converged step; o.rate, o.zrate, o.power hold the stage rates.

    power holds the integrals of the stage powers here: its rates are recovered by A^-1.
    """
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    # chart rates at both ends; at the start T = I and xi'' = a, plus w x v for the places of free joints
    for k in range(nu):
        r.xt[k] = 0.0
    chart.acceleration(m, r.xt, r.u, r.u, r.a, o.u[S1])
    for k in range(nu):
        p = r.px[k]
        p[0], p[1], p[2] = 0.0, h * r.u[k], 0.5 * h * h * o.u[S1, k]
        r.xt[k] = o.u[X + 2, k]
        r.ut[k] = r.u[k] + o.u[U + 2, k]
        q = r.pu[k]
        a0, a1, a2, a3 = h * r.a[k], h * o.u[RATE, k], h * o.u[RATE + 1, k], h * o.u[RATE + 2, k]
        q[0] = r.u[k]
        for j in range(4):
            q[j + 1] = CUBIC[j, 0] * a0 + CUBIC[j, 1] * a1 + CUBIC[j, 2] * a2 + CUBIC[j, 3] * a3
        for j in range(6, st.DEGREE):
            p[j] = 0.0
        for j in range(5, st.DEGREE):
            q[j] = 0.0
    chart.rate(m, r.xt, r.ut, o.u[S2])
    chart.acceleration(m, r.xt, o.u[S2], r.ut, o.u[RATE + 2], o.u[S1])
    for k in range(nu):
        p = r.px[k]
        # remaining powers 3, 4, 5 from value, slope and curvature at the end
        a = o.u[X + 2, k] - p[1] - p[2]
        b = h * o.u[S2, k] - p[1] - 2.0 * p[2]
        c = h * h * o.u[S1, k] - 2.0 * p[2]
        p[3] = 10.0 * a - 4.0 * b + 0.5 * c
        p[4] = -15.0 * a + 7.0 * b - c
        p[5] = 6.0 * a - 3.0 * b + 0.5 * c
    for k in range(nz):
        q = r.pz[k]
        a0, a1, a2, a3 = h * r.zdot[k], h * o.z[ZRATE, k], h * o.z[ZRATE + 1, k], h * o.z[ZRATE + 2, k]
        q[0] = r.z[k]
        for j in range(4):
            q[j + 1] = CUBIC[j, 0] * a0 + CUBIC[j, 1] * a1 + CUBIC[j, 2] * a2 + CUBIC[j, 3] * a3
        for j in range(5, st.DEGREE):
            q[j] = 0.0
    for k in range(ne):
        q = r.pw[k]
        a0 = h * r.power[k]
        a1 = AI[0, 0] * o.e[WORK, k] + AI[0, 1] * o.e[WORK + 1, k] + AI[0, 2] * o.e[WORK + 2, k]
        a2 = AI[1, 0] * o.e[WORK, k] + AI[1, 1] * o.e[WORK + 1, k] + AI[1, 2] * o.e[WORK + 2, k]
        a3 = AI[2, 0] * o.e[WORK, k] + AI[2, 1] * o.e[WORK + 1, k] + AI[2, 2] * o.e[WORK + 2, k]
        q[0] = r.w[k]
        for j in range(4):
            q[j + 1] = CUBIC[j, 0] * a0 + CUBIC[j, 1] * a1 + CUBIC[j, 2] * a2 + CUBIC[j, 3] * a3
        for j in range(5, st.DEGREE):
            q[j] = 0.0


@kernel
def stage_rates(m, r, o, h):
    """Accelerations of all stages."""
    for i in range(3):
        stages.rates(m, r, o, i, h)


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, INT)
def radau_run(ints, reals, work, run, state, count, stops, grid, out, budget):
    """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome.

    run, state, count hold everything that lives between calls; rows of ``out`` (q, u, z, w) are filled
    as their times in ``grid`` are passed.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    run_views, i = st.run_views(m, run, count)
    r = hold(run_views)
    k = st.INT_STATE + 2 + count[st.INT_STATE] * st.EVENT_INTS + count[st.INT_STATE + 1]
    o = hold(own_views(m, run, i, count, k))
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    if count[st.STEPS] == 0 and count[st.FRESH] == 0:
        outcome = st.restart(m, w, r, count, state)
        if outcome != st.DONE:
            return outcome
        if state[st.H] <= 0.0:
            state[st.H] = st.first_step(r, state, stops[stops.shape[0] // 2 - 1] - state[st.T], 5.0)
    independent = True
    for _ in range(budget):
        t = state[st.T]
        stop = stops[count[st.STOP]]
        left = stops[stops.shape[0] // 2 + count[st.STOP]]
        if state[st.H] < state[st.H_MIN]:
            return st.TOO_SMALL
        wanted = state[st.H]
        h = st.next_step(state, count, stops, wanted)
        if h != state[st.H_FACTORED]:
            count[st.FACTORED] = 0
            state[st.H_FACTORED] = h
        t1 = stop if h >= stop - t else t + h
        st.weights(r, state, o.u[WX], o.u[WU], o.z[WZ], o.e[WW])
        if st.grown(m, r, count, o.u[WX]):
            return st.GROWN
        if count[st.KEEP_JACOBIAN] == 0:
            independent = stages.middle_tangent(m, w, r, o, t, h)
            count[st.JACOBIANS] += 1
            count[st.KEEP_JACOBIAN] = 2  # 2: of this very step
            count[st.FACTORED] = 0
        if count[st.FACTORED] == 0:
            count[st.FACTORIZATIONS] += 1
            if not (independent and stages.factorize(m, r, o, h)):
                count[st.NEWTON_FAILURES] += 1
                state[st.H] = 0.5 * h
                count[st.KEEP_JACOBIAN] = 0
                continue
            count[st.FACTORED] = 1
        stages.predict(m, r, o, count[st.FRESH] == 1, h, state[st.H_OLD])
        before = count[st.NEWTON]
        converged, rate = stages.solve_stages(m, w, r, o, count, state, t, h, left)
        state[st.RATE] = rate
        if not converged:
            count[st.NEWTON_FAILURES] += 1
            count[st.BAD_DOF] = stages.worst_velocity(o)
            if count[st.KEEP_JACOBIAN] == 2:
                state[st.H] = 0.5 * h
            count[st.KEEP_JACOBIAN] = 0
            count[st.AFTER_REJECT] = 1
            continue
        if ne > 0:
            stages.work_stages(m, w, r, o, t, h, left)
        stiff_start = count[st.FRESH] == 1 or count[st.AFTER_REJECT] == 1
        for attempt in range(2):  # a variable: a literal would compile error_norm once for each value
            error, worst = error_norm(m, w, r, o, h, t, attempt)
            if not (error >= 1.0 and stiff_start):
                break
        if not math.isfinite(error):
            count[st.NEWTON_FAILURES] += 1
            count[st.BAD_DOF] = worst
            state[st.H] = 0.25 * h
            count[st.KEEP_JACOBIAN] = 0
            continue
        error = max(error, 1e-10)
        used = count[st.NEWTON] - before
        safety = 0.9 * (2 * MAX_NEWTON + 1) / (2 * MAX_NEWTON + used)
        factor = min(8.0, max(0.2, safety * error**-0.25))
        if error >= 1.0:
            count[st.REJECTED] += 1
            count[st.BAD_DOF] = worst
            count[st.AFTER_REJECT] = 1
            state[st.H] = 0.1 * h if count[st.STEPS] == 0 else factor * h
            if count[st.KEEP_JACOBIAN] == 1:
                count[st.KEEP_JACOBIAN] = 0
            continue
        if m.head[at.H_SWITCHES] > 0:
            stage_rates(m, r, o, h)
            fill_polynomials(m, w, r, o, h)
            if st.find_switch(m, w, r, count, state, t, h) < 1.0:
                continue
        switched = state[st.H_SWITCH] > 0.0
        state[st.H_SWITCH] = 0.0
        # accepted: the step by a digital filter (H211b of Soderlind, b = 4), then output, events and the new state
        cut = h < 0.9 * wanted  # to land on a stop: its error says little about the size to come
        if state[st.ERROR_OLD] > 0.0 and not cut:
            ratio = AIM / error * (AIM / state[st.ERROR_OLD])
            factor = min(8.0, max(0.2, ratio**0.0625 * (state[st.H_OLD] / h) ** 0.25))
        if count[st.AFTER_REJECT] == 1:
            factor = min(factor, 1.0)
        state[st.ERROR_OLD] = 0.0 if cut else max(error, 1e-4)
        state[st.H_OLD] = h
        count[st.AFTER_REJECT] = 0
        count[st.STEPS] += 1
        stage_rates(m, r, o, h)
        if r.events.shape[0] > 0 or (count[st.GRID] < grid.shape[0] and grid[count[st.GRID]] <= t1):
            fill_polynomials(m, w, r, o, h)
            if st.emit(m, w, r, count, state, grid, out, t, h, t1):
                return st.EVENT
        for k in range(nu):
            r.xt[k] = o.u[X + 2, k]
            r.u[k] = rows.flushed(r.u[k] + o.u[U + 2, k])
            r.a[k] = o.u[RATE + 2, k]
        st.copy(o.c[LAM + 2], r.lam)
        chart.retract(m, r.q, r.xt, r.qt)
        st.copy(r.qt, r.q)
        for k in range(nz):
            r.z[k] += o.z[Z + 2, k]
        for k in range(ne):
            r.w[k] += o.e[WORK + 2, k]
        st.copy_rows(o.u[X : X + 6], o.u[XO : XO + 6])
        st.copy_rows(o.z[Z : Z + 3], o.z[ZO : ZO + 3])
        st.copy_rows(o.c[LAM : LAM + 3], o.c[LO : LO + 3])
        state[st.T] = t1
        st.copy(r.lam, w.lam)
        dynamics.exert(m, w, t1 if t1 < left else np.nextafter(left, t), r.q, r.u, r.a, r.z)
        st.copy(w.zdot, r.zdot)
        st.copy(w.power, r.power)
        st.audit(m, w, r, count, state)
        count[st.FRESH] = 0
        if t1 >= stop:
            count[st.STOP] += 1
            if count[st.STOP] >= stops.shape[0] // 2:
                return st.DONE
            switched = True
        if switched:
            outcome = st.restart(m, w, r, count, state)
            if outcome != st.DONE:
                return outcome
        count[st.KEEP_JACOBIAN] = 1 if state[st.RATE] <= 1e-3 and count[st.FRESH] == 0 else 0
        if cut:
            state[st.H] = max(wanted, factor * h)
        elif count[st.KEEP_JACOBIAN] == 1 and 1.0 <= factor <= 1.2:
            state[st.H] = h
        else:
            state[st.H] = factor * h
        if count[st.EVENTS_FOUND] >= st.EVENTS_WAITING:
            return st.PAUSED
    return st.PAUSED
