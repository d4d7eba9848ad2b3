"""The generalized-alpha method with fixed steps or error control, the whole step loop compiled.

Chung and Hulbert, J. Appl. Mech. 60 (1993) 371; on Lie groups Bruls, Cardona and Arnold, Mech. Mach. Theory
48 (2012) 121; controller states as Jansen, Whiting and Hulbert, CMAME 190 (2000) 305. In a step of size h

    q1 = retract(q0, h u0 + h^2 ((1/2 - beta) a0 + beta a1)),   u1 = u0 + h ((1 - gamma) a0 + gamma a1)
    (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) u1' + alpha_f u0',   R(t1, q1, u1, u1', z1) = 0

with an algorithmic acceleration a, which approximates u' at alpha_m - alpha_f steps after the instant. The
equations of motion hold at the end of every step; no force is taken in between.

- Where the step changes, a is moved to the new step by its difference from u': order 2 needs that.
- At the start and after a stop a0 follows from u0' and u1': a Newmark step without damping (alpha_stage).
- The place of a free joint is integrated in axes that do not turn with the body (alpha_stage).
- Constraint rows hold at the ends of steps, R + G^T lam = 0: g = 0 (index 3; Arnold and Bruls, Multibody Syst. Dyn. 18
  (2007) 185), or g = 0 and G u + g_t = 0 (Gear, Gupta, Leimkuhler; Arnold, Bruls and Cardona, Numer. Math. 129 (2015) 149).
"""

from __future__ import annotations

import math

import numpy as np

from supple.core import alpha_stage as stage
from supple.core import chart, dynamics, links, tree
from supple.core import layout as at
from supple.core import step as st
from supple.core.alpha_stage import (
    AF,
    AM,
    AT,
    BOTH,
    GAMMA,
    LAM,
    LEFT,
    MASS,
    MAX_NEWTON,
    P1,
    PM,
    RATE,
    RQ,
    RU,
    STEP,
    TROUBLE,
    UM,
    WU,
    WW,
    WX,
    WZ,
    XI,
    XM,
    ZM,
    F,
    own_size,
)
from supple.core.layout import views
from supple.native.declare import INT, INTS, IVEC, MAT, REALS, VEC, entry, hold

__all__ = ["alpha_run", "own_size"]

GROWTH = 2.0  # of a step: the algorithmic acceleration is stretched by as much
SLOW = 0.05  # a contraction above it asks for a new tangent


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, INT)
def alpha_run(ints, reals, work, run, state, count, stops, grid, out, budget):
    """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome.

    run, state, count hold everything that lives between calls; rows of ``out`` (q, u, z, w) are filled
    as their times in ``grid`` are passed.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    run_views, i = st.run_views(m, run, count)
    r = hold(run_views)
    k = st.INT_STATE + 2 + count[st.INT_STATE] * st.EVENT_INTS + count[st.INT_STATE + 1]
    o = hold(stage.own_views(m, run, i, count, k))
    nu, nz, nr = r.u.shape[0], r.z.shape[0], r.lam.shape[0]
    fixed = o.c[STEP] > 0.0
    leaning = nr > 0 and o.c[BOTH] == 0.0  # velocities are not held
    smooth = abs(o.c[GAMMA] + o.c[AM] - o.c[AF] - 0.5) < 1e-9  # of order 2
    if count[st.STEPS] == 0 and count[st.FRESH] == 0:
        outcome = st.restart(m, w, r, count, state)
        if outcome != st.DONE:
            return outcome
        if state[st.H] <= 0.0:
            state[st.H] = st.first_step(r, state, stops[stops.shape[0] // 2 - 1] - state[st.T], 2.0)
    for _ in range(budget):
        t = state[st.T]
        stop = stops[count[st.STOP]]
        left = stops[stops.shape[0] // 2 + count[st.STOP]]
        if fixed and o.ints[LEFT] == 0:  # equal steps to the next stop
            limit = min(o.c[STEP], state[st.H_MAX])
            if limit < state[st.H_MIN]:
                return st.TOO_SMALL
            o.ints[LEFT] = max(1, math.ceil((stop - t) / limit * (1.0 - 1e-12)))
            state[st.H] = (stop - t) / o.ints[LEFT]
        wanted = state[st.H]
        if wanted < state[st.H_MIN]:
            return o.ints[TROUBLE] if o.ints[TROUBLE] != st.DONE else st.TOO_SMALL
        h = wanted if fixed else st.next_step(state, count, stops, wanted)
        if h != state[st.H_FACTORED]:
            count[st.FACTORED] = 0
            state[st.H_FACTORED] = h
        t1 = t + h
        if (fixed and o.ints[LEFT] == 1) or (not fixed and h >= stop - t):
            t1 = stop
        before = t1 if t1 < left else np.nextafter(left, t)  # a jump at the stop is not seen early
        st.weights(r, state, o.u[WX], o.u[WU], o.z[WZ], o.e[WW])
        if st.grown(m, r, count, o.u[WX]):
            return st.GROWN
        fresh = count[st.FRESH] == 1
        both = fresh or not leaning
        n = nu + nz + (2 * nr if both else nr)
        h_old = state[st.H_OLD]
        if leaning:
            stage.offset(m, w, r, o, t, 0.0 if fresh else h / h_old)
        be, ge, te = stage.begin(m, w, r, o, h, h_old, fresh)
        used = count[st.NEWTON]
        # Newton, and below what needs the kinematics, is written out here: a layer less to compile
        outcome, rate, old = st.PAUSED, state[st.RATE], 0.0
        floor, pushed = 0.0, 0.0
        while outcome == st.PAUSED:
            stage.end_state(m, r, o, h, be, ge, te)
            if count[st.KEEP_JACOBIAN] == 0:
                dynamics.tangent_at(
                    m, w, before, r.qt, r.ut, o.u[AT], r.zt, o.u[F], o.tangent[RQ], o.tangent[RU], o.tangent[MASS],
                    o.Rz, o.Gq, o.Gu, o.Gz,
                )
                stage.tangent_rows(m, w, r, o, both)
                count[st.JACOBIANS] += 1
                count[st.KEEP_JACOBIAN] = 2  # 2: of this very step
                count[st.FACTORED] = 0
            else:
                dynamics.residual_at(m, w, before, r.qt, r.ut, o.u[AT], r.zt, o.u[F])
            count[st.EVALUATIONS] += 1
            if count[st.FACTORED] == 0:
                count[st.FACTORIZATIONS] += 1
                if not stage.factorize(m, r, o, n, h, be, ge, te):
                    outcome = st.NOT_CONVERGED if stage.finite(o.u[F]) else st.NOT_FINITE
                    break
                count[st.FACTORED] = 1
            if not both and old == 0.0:
                floor = stage.rounding(m, r, o, n, h, be, ge)
            norm, push = stage.newton_update(m, w, r, o, n, before, h, be, ge, te)
            outcome, rate = stage.judge(m, r, o, count, state, h, count[st.NEWTON] - used, norm, old, floor)
            if outcome == st.DONE and count[st.KEEP_JACOBIAN] == 1 and push > 1e-6:
                # near dependent rows an old tangent lets multipliers run away that hardly move anything
                if old > 0.0 and push > pushed:
                    count[st.KEEP_JACOBIAN] = 0
                if count[st.KEEP_JACOBIAN] == 0 or (old == 0.0 and push > 1e-2):
                    outcome = st.PAUSED
            count[st.NEWTON] += 1
            old, pushed = norm, push
        used = count[st.NEWTON] - used
        state[st.RATE] = rate
        error, worst = 0.0, 0
        if outcome == st.DONE:
            if leaning and fresh:
                stage.lean(r, o, h)
            stage.end_state(m, r, o, h, be, ge, te)
            stage.change(m, r, o, n, h, be, ge)
            stage.middle_state(m, r, o, h)
            if r.w.shape[0] > 0:
                chart.retract(m, r.q, o.u[XM], r.qt)
                for j in range(nr):
                    w.lam[j] = 0.5 * (r.lam[j] + o.row[LAM, j])
                dynamics.residual_at(m, w, t + 0.5 * h, r.qt, o.u[UM], o.u[AT], o.z[ZM], o.u[F])
                st.copy(w.power, o.e[PM])
                chart.retract(m, r.q, o.u[XI], r.qt)
                st.copy(o.row[LAM], w.lam)
            dynamics.residual_at(m, w, before, r.qt, r.ut, o.u[AT], r.zt, o.u[F])  # also for the audit
            st.copy(w.power, o.e[P1])
            links.rates(m, w, before, r.ut, o.row[RATE])
            error, worst = stage.error_norm(m, r, o, h, h_old, fresh)
            if not math.isfinite(error):
                outcome = st.NOT_FINITE
                count[st.BAD_DOF] = worst
        else:
            count[st.BAD_DOF] = stage.worst_rate(o)
        if outcome != st.DONE:
            count[st.NEWTON_FAILURES] += 1
            if count[st.KEEP_JACOBIAN] != 1:  # with a tangent of its own
                if fixed:
                    return outcome
                state[st.H] = 0.25 * h if outcome == st.NOT_FINITE else 0.5 * h
            o.ints[TROUBLE] = outcome if outcome == st.NOT_FINITE else st.DONE
            count[st.KEEP_JACOBIAN] = 0
            count[st.AFTER_REJECT] = 1
            continue
        o.ints[TROUBLE] = st.DONE
        error = max(error, 1e-10)
        power = 1.0 / 3.0 if smooth and not fresh else 0.5
        safety = 0.9 * (2 * MAX_NEWTON + 1) / (2 * MAX_NEWTON + used)
        if error >= 1.0 and not fixed:
            count[st.REJECTED] += 1
            count[st.BAD_DOF] = worst
            count[st.AFTER_REJECT] = 1
            state[st.H] = max(0.1, safety * error**-power) * h
            if count[st.KEEP_JACOBIAN] == 1:
                count[st.KEEP_JACOBIAN] = 0
            continue
        if m.head[at.H_SWITCHES] > 0 and not fixed:
            stage.fill_polynomials(m, r, o, h)
            if st.find_switch(m, w, r, count, state, t, h) < 1.0:
                continue
        switched = state[st.H_SWITCH] > 0.0
        state[st.H_SWITCH] = 0.0
        count[st.STEPS] += 1
        if r.events.shape[0] > 0 or (count[st.GRID] < grid.shape[0] and grid[count[st.GRID]] <= t1):
            stage.fill_polynomials(m, r, o, h)
            if st.emit(m, w, r, count, state, grid, out, t, h, t1):
                return st.EVENT
        stage.end_state(m, r, o, h, be, ge, te)
        stage.carry(m, r, o, h, h_old, fresh)
        stage.accept(r, o, h)
        tree.poses(m, w, r.q)  # output may have left others
        if nr > 0:  # ... and have moved them onto the constraints
            tree.motion(m, w, r.u, r.a)
            tree.inertias(m, w, r.q, r.u, r.a)
        state[st.T] = t1
        st.audit(m, w, r, count, state)
        if fresh:
            count[st.FACTORED] = 0  # the next step has other factors
        count[st.FRESH] = 0
        o.ints[LEFT] -= 1
        # proportional-integral control
        cut = h < 0.9 * wanted  # to land on a stop: its error says little about the size to come
        factor = safety * error**-power
        if state[st.ERROR_OLD] > 0.0 and not cut and not fresh:
            factor = safety * error ** (-0.7 * power) * state[st.ERROR_OLD] ** (0.4 * power)
        factor = min(GROWTH, max(0.2, factor))
        if count[st.AFTER_REJECT] == 1:
            factor = min(factor, 1.0)
        count[st.AFTER_REJECT] = 0
        state[st.ERROR_OLD] = 0.0 if cut else max(error, 1e-2)
        state[st.H_OLD] = h
        if t1 >= stop:
            o.ints[LEFT] = 0
            count[st.STOP] += 1
            if count[st.STOP] >= stops.shape[0] // 2:
                return st.DONE
            switched = True
        if switched:
            outcome = st.restart(m, w, r, count, state)
            if outcome != st.DONE:
                return outcome
        count[st.KEEP_JACOBIAN] = 1 if rate <= SLOW and count[st.FRESH] == 0 else 0
        if not fixed:
            if cut:
                state[st.H] = max(wanted, factor * h)
            elif not 1.0 <= factor <= 1.2:
                state[st.H] = factor * h
        if count[st.EVENTS_FOUND] >= st.EVENTS_WAITING:
            return st.PAUSED
    return st.PAUSED
