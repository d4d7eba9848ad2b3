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

from supple.core.base import layout as at
from supple.core.base.layout import TREE, TREE_WORDS, WORK, WORK_WORDS, tree_at, work_at
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.equations import inner_states as inner
from supple.core.equations.tree_parts import PARTS, along_tree, cut_parts
from supple.core.equations.tree_solve import solve_tree
from supple.core.forces import forces
from supple.core.linalg import dense as linalg
from supple.core.linalg.multifrontal import by_blocks
from supple.core.radau import blocks as radau_blocks
from supple.core.radau import buffers as rb
from supple.core.radau import newton, rows, stages
from supple.core.radau.newton import MAX_NEWTON, above_noise
from supple.core.radau.stages import AI, CUBIC, EST1, EST2, EST3, GAMMA
from supple.core.run import acceptance, kinks, step_size, weights
from supple.core.run import step as st
from supple.core.run.acceptance import audit
from supple.native.declare import (
    INT,
    INTS,
    IVEC,
    MAT,
    REAL,
    REALS,
    VEC,
    entry,
    hold,
    kernel,
    reserve,
    shared,
)

AIM = 0.25  # weighted error of a step that the controller aims at


@shared(TREE, WORK, st.RUN, rb.OWN, REAL)
def fill_polynomials(m, w, r, o, h):
    """Dense output of the converged step; o.rate, o.zrate, o.power hold the stage rates.

    power holds the integrals of the stage powers here: its rates are recovered by A^-1.
    """
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    # chart rates at both ends; at the start T = I and xi'' = a, plus w x v for the places of free joints
    for k in range(nu):
        r.xt[k] = 0.0
    chart.acceleration(m, r.xt, r.u, r.u, r.a, o.u[rb.S1])
    for k in range(nu):
        p = r.px[k]
        p[0], p[1], p[2] = 0.0, h * r.u[k], 0.5 * h * h * o.u[rb.S1, k]
        r.xt[k] = o.u[rb.X + 2, k]
        r.ut[k] = r.u[k] + o.u[rb.U + 2, k]
        q = r.pu[k]
        a0, a1, a2, a3 = h * r.a[k], h * o.u[rb.RATE, k], h * o.u[rb.RATE + 1, k], h * o.u[rb.RATE + 2, k]
        q[0] = r.u[k]
        for j in range(4):
            q[j + 1] = CUBIC[j, 0] * a0 + CUBIC[j, 1] * a1 + CUBIC[j, 2] * a2 + CUBIC[j, 3] * a3
        for j in range(6, st.DEGREE):
            p[j] = 0.0
        for j in range(5, st.DEGREE):
            q[j] = 0.0
    chart.rate(m, r.xt, r.ut, o.u[rb.S2])
    chart.acceleration(m, r.xt, o.u[rb.S2], r.ut, o.u[rb.RATE + 2], o.u[rb.S1])
    for k in range(nu):
        p = r.px[k]
        # remaining powers 3, 4, 5 from value, slope and curvature at the end
        a = o.u[rb.X + 2, k] - p[1] - p[2]
        b = h * o.u[rb.S2, k] - p[1] - 2.0 * p[2]
        c = h * h * o.u[rb.S1, k] - 2.0 * p[2]
        p[3] = 10.0 * a - 4.0 * b + 0.5 * c
        p[4] = -15.0 * a + 7.0 * b - c
        p[5] = 6.0 * a - 3.0 * b + 0.5 * c
    for k in range(nz):
        q = r.pz[k]
        a0, a1, a2, a3 = h * r.zdot[k], h * o.z[rb.ZRATE, k], h * o.z[rb.ZRATE + 1, k], h * o.z[rb.ZRATE + 2, k]
        q[0] = r.z[k]
        for j in range(4):
            q[j + 1] = CUBIC[j, 0] * a0 + CUBIC[j, 1] * a1 + CUBIC[j, 2] * a2 + CUBIC[j, 3] * a3
        for j in range(5, st.DEGREE):
            q[j] = 0.0
    for k in range(ne):
        q = r.pw[k]
        a0 = h * r.power[k]
        a1 = AI[0, 0] * o.e[rb.WORK, k] + AI[0, 1] * o.e[rb.WORK + 1, k] + AI[0, 2] * o.e[rb.WORK + 2, k]
        a2 = AI[1, 0] * o.e[rb.WORK, k] + AI[1, 1] * o.e[rb.WORK + 1, k] + AI[1, 2] * o.e[rb.WORK + 2, k]
        a3 = AI[2, 0] * o.e[rb.WORK, k] + AI[2, 1] * o.e[rb.WORK + 1, k] + AI[2, 2] * o.e[rb.WORK + 2, k]
        q[0] = r.w[k]
        for j in range(4):
            q[j + 1] = CUBIC[j, 0] * a0 + CUBIC[j, 1] * a1 + CUBIC[j, 2] * a2 + CUBIC[j, 3] * a3
        for j in range(5, st.DEGREE):
            q[j] = 0.0


@shared(TREE, st.RUN, rb.OWN, PARTS, REAL)
def inner_error(m, r, o, p, h):
    """Right sides of inner states for the error estimate, and what they leave in those of the motion."""
    first = m.head[at.H_OUTER]
    for k in range(p.side.shape[1]):
        s = first + k
        p.side[0, k] = EST1 * o.z[rb.Z, s] + EST2 * o.z[rb.Z + 1, s] + EST3 * o.z[rb.Z + 2, s] + h * r.zdot[s]
    for k in range(o.f.shape[1]):
        o.f[rb.DX, k] = h * h / GAMMA * o.f[rb.FU, k]
    newton.without_change(m, o, 0, 1)
    inner.follow(m, p, 1.0, o.f[rb.DX : rb.DX + 1], 1.0, o.f[rb.DU : rb.DU + 1], 1.0)
    inner.settle(m, p, 0, 0, 1)
    inner.push(m, p, h * h, o.y[rb.Y1 : rb.Y1 + 1])


@shared(TREE, rb.OWN, PARTS, REAL, gives=REAL)
def inner_errors(m, o, p, h):
    """Sum of squares of the errors of inner states, from xi in the row FU and h u in the solution."""
    total = 0.0
    inner.follow(m, p, 1.0, o.f[rb.FU : rb.FU + 1], h, o.y[rb.Y1 : rb.Y1 + 1], 1.0)
    inner.settle(m, p, 0, 0, 1)
    for k in range(p.rate.shape[1]):
        a = p.rate[0, k] / o.z[rb.WZ, m.head[at.H_OUTER] + k]
        total += a * a
    return total


@shared(TREE, WORK, st.RUN, rb.OWN, PARTS, IVEC, REAL, REAL, INT, gives=REAL)
def error_norm(m, w, r, o, p, ints, h, t, attempt):
    """Embedded error estimate, weighted; the second attempt filters it once more (stiff starts).

    The velocity with the largest error is noted.
    """
    second = attempt == 1
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    y, blocked = o.y[rb.Y1], by_blocks(m)
    for k in range(nu):
        o.u[rb.S1, k] = (EST1 * o.u[rb.U, k] + EST2 * o.u[rb.U + 1, k] + EST3 * o.u[rb.U + 2, k]) / h + r.a[k]
        o.u[rb.S2, k] = (EST1 * o.u[rb.X, k] + EST2 * o.u[rb.X + 1, k] + EST3 * o.u[rb.X + 2, k]) / h + r.u[k]
    if second:  # the right side at the state moved by the first estimate, left in xt, ut
        for k in range(nu):
            o.u[rb.S2, k] += r.ut[k]
            r.ut[k] += r.u[k]
        for k in range(nz):
            r.zt[k] = r.z[k]
        chart.retract(m, r.q, r.xt, r.qt)
        dynamics.residual_at(m, w, t, r.qt, r.ut, r.a, r.zt, o.u[rb.F2])
    n, free = o.f.shape[1], o.free
    for i in range(n):
        o.f[rb.FA, i], o.f[rb.FU, i] = o.u[rb.S1, free[i]], o.u[rb.S2, free[i]]
    tree = along_tree(m)
    if tree:
        newton.error_sides(m, p, o, h)
    for k in range(n):
        y[k] = -h * h * o.u[rb.F2, free[k]] if second else 0.0
        if tree:
            y[k] += h * h * o.f[rb.FD, k]
        elif not blocked:
            s = 0.0
            for j in range(n):
                s += o.tangent[rb.MASS, k, j] * o.f[rb.FA, j] - h / GAMMA * o.tangent[rb.RQ, k, j] * o.f[rb.FU, j]
            y[k] += h * h * s
    if blocked:
        radau_blocks.add_error(m, o, h)
    for k in range(m.head[at.H_OUTER]):
        f = (EST1 * o.z[rb.Z, k] + EST2 * o.z[rb.Z + 1, k] + EST3 * o.z[rb.Z + 2, k]) / h + r.zdot[k]
        s = 0.0
        if tree:
            s = newton.state_slope(p, k, o.f[rb.FU])
        for j in range(o.Gq.shape[1]):
            s += o.Gq[k, j] * o.f[rb.FU, j]
        y[n + k] = h * (f + h / GAMMA * s)
    if o.G.shape[0] > 0:
        rows.error_sides(m, r, o, h)
    if m.head[at.H_INNER] > 0:
        inner_error(m, r, o, p, h)
    if blocked:
        radau_blocks.solve_real(m, o)
    elif tree:
        solve_tree(m, p, 0, o.y[rb.Y1 : rb.Y1 + 1])
    else:
        linalg.lu_solve(o.newton[rb.E1], o.pivots[0], y)
    for k in range(n):  # xi, in place of its rate
        o.f[rb.FU, k] = (y[k] + h * o.f[rb.FU, k]) / GAMMA
    if o.G.shape[0] > 0:
        rows.error_update(m, r, o, h)
    total = 0.0
    worst, worst_k = 0.0, 0
    for k in range(nu):  # what drivers give has no error
        r.xt[k], r.ut[k] = 0.0, 0.0
    for i in range(n):
        k = free[i]
        r.ut[k] = y[i] / h
        r.xt[k] = o.f[rb.FU, i]
        a, b = r.xt[k] / o.u[rb.WX, k], r.ut[k] / o.u[rb.WU, k]
        total += a * a + b * b
        if a * a + b * b > worst:
            worst, worst_k = a * a + b * b, k
    ints[st.BAD_DOF] = worst_k
    for k in range(m.head[at.H_OUTER]):
        a = y[n + k] / o.z[rb.WZ, k]
        total += a * a
    if m.head[at.H_INNER] > 0:
        total += inner_errors(m, o, p, h)
    for k in range(ne):
        a = (EST1 * o.e[rb.WORK, k] + EST2 * o.e[rb.WORK + 1, k] + EST3 * o.e[rb.WORK + 2, k]) / h + r.power[k]
        a *= h / GAMMA / o.e[rb.WW, k]
        total += a * a
    return math.sqrt(total / max(2 * n + nz + ne, 1))


@kernel
def estimate(m, w, r, o, p, ints, t, h):
    """Weighted error of the step; at the start or after a rejection filtered again."""
    stiff_start = ints[st.FRESH] == 1 or ints[st.AFTER_REJECT] == 1
    for attempt in range(2):  # a variable: a literal would compile error_norm once for each value
        error = error_norm(m, w, r, o, p, ints, h, t, attempt)
        if not (error >= 1.0 and stiff_start):
            break
    return error


@kernel
def newton_factors(m, w, r, o, p, count, state, t, h):
    """Tangents and Newton's matrices where those at hand are of no use; False if a matrix is singular."""
    step_size.forget_factors(state, count, h)
    independent = True
    if count[st.KEEP_JACOBIAN] == 0:
        independent = newton.middle_tangent(m, w, r, o, p, t, h)
        count[st.JACOBIANS] += 1
        count[st.KEEP_JACOBIAN], count[st.AGE] = 2, 0  # 2: of this very step
        count[st.FACTORED] = 0
    if count[st.FACTORED] == 0:
        count[st.FACTORIZATIONS] += 1
        if not (independent and newton.factorize(m, r, o, p, h)):
            return False
        count[st.FACTORED] = 1
    return True


@kernel
def solve_step(m, w, r, o, p, count, state, t, h, left):
    """Solve for the stages; False if that fails, with a smaller step or a new tangent for the next attempt."""
    if not newton_factors(m, w, r, o, p, count, state, t, h):
        count[st.NEWTON_FAILURES] += 1
        state[st.H] = 0.5 * h
        count[st.KEEP_JACOBIAN] = 0
        return False
    above_noise(m, r, o, p, h)
    stages.predict(m, r, o, count[st.FRESH] == 1, h, state[st.H_OLD])
    converged, rate = newton.solve_stages(m, w, r, o, p, count, state, t, h, left)
    state[st.RATE] = rate
    if not converged:
        count[st.NEWTON_FAILURES] += 1
        count[st.BAD_DOF] = newton.worst_velocity(o)
        if count[st.KEEP_JACOBIAN] == 2:
            state[st.H] = 0.5 * h
        step_size.give_up_tangents(count)
        count[st.AFTER_REJECT] = 1
        return False
    if forces.work_is_done(m):
        stages.work_stages(m, w, r, o, t, h, left)
    return True


@kernel
def error_factor(error, iterations):
    """Change of the step by its own error, careful where Newton needed many iterations."""
    safety = 0.9 * (2 * MAX_NEWTON + 1) / (2 * MAX_NEWTON + iterations)
    return min(8.0, max(0.2, safety * error**-0.25))


@kernel
def refuse(count, state, h, error, iterations):
    """True if the error forbids the step; then the size of the next attempt."""
    if not math.isfinite(error):
        count[st.NEWTON_FAILURES] += 1
        state[st.H] = 0.25 * h
        count[st.KEEP_JACOBIAN] = 0
        return True
    if error < 1.0:
        return False
    factor = 0.1 if count[st.STEPS] == 0 else error_factor(error, iterations)
    acceptance.reject(count, state, factor * h, count[st.BAD_DOF])
    if count[st.KEEP_JACOBIAN] == 1:
        count[st.KEEP_JACOBIAN] = 0
    return True


@shared(TREE, WORK, st.RUN, rb.OWN, REAL, REAL, REAL)
def move(m, w, r, o, t, t1, left):
    """State, rates and multipliers at the end of the step, and the stages that the next step begins from."""
    for k in range(r.u.shape[0]):
        r.xt[k] = o.u[rb.X + 2, k]
        r.u[k] = st.flushed(r.u[k] + o.u[rb.U + 2, k])
        r.a[k] = o.u[rb.RATE + 2, k]
    st.copy(o.c[rb.LAM + 2], r.lam)
    chart.retract(m, r.q, r.xt, r.qt)
    st.copy(r.qt, r.q)
    for k in range(r.z.shape[0]):
        r.z[k] += o.z[rb.Z + 2, k]
    for k in range(r.w.shape[0]):
        r.w[k] += o.e[rb.WORK + 2, k]
    st.copy_rows(o.u[rb.X : rb.X + 6], o.u[rb.XO : rb.XO + 6])
    st.copy_rows(o.z[rb.Z : rb.Z + 3], o.z[rb.ZO : rb.ZO + 3])
    st.copy_rows(o.c[rb.LAM : rb.LAM + 3], o.c[rb.LO : rb.LO + 3])
    st.copy(r.lam, w.lam)
    dynamics.powers_at(m, w, step_size.left_of(t1, left, t), r.q, r.u, r.a, r.z)
    st.copy(w.zdot, r.zdot)
    st.copy(w.power, r.power)


@kernel
def control(count, state, h, wanted, error, iterations):
    """Size of the next step by a digital filter (H211b of Soderlind, b = 4), and whether it keeps the tangents."""
    error = max(error, 1e-10)
    factor = error_factor(error, iterations)
    cut = h < 0.9 * wanted  # to land on a stop: its error says little about the size to come
    if state[st.ERROR_OLD] > 0.0 and not cut:
        ratio = AIM / error * (AIM / state[st.ERROR_OLD])
        factor = min(8.0, max(0.2, ratio**0.0625 * (state[st.H_OLD] / h) ** 0.25))
    if count[st.AFTER_REJECT] == 1:
        factor = min(factor, 1.0)
    state[st.ERROR_OLD] = 0.0 if cut else max(error, 1e-4)
    state[st.H_OLD] = h
    count[st.AFTER_REJECT] = 0
    step_size.keep_tangents(count, state[st.RATE] <= 1e-3)
    if cut:
        state[st.H] = max(wanted, factor * h)
    elif count[st.KEEP_JACOBIAN] == 1 and 1.0 <= factor <= 1.2:
        state[st.H] = h
    else:
        state[st.H] = factor * h


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, INT)
def radau_run(ints, reals, work, run, state, count, stops, grid, out, budget):
    """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome.

    run, state, count hold everything that lives between calls; rows of ``out`` (q, u, z, w) are filled
    as their times in ``grid`` are passed.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    i, k = st.run_ends(m, count)
    own, i, k = rb.own_views(m, run, i, count, k)
    o, p = hold(own), hold(cut_parts(m.head, run, i, count, k, rb.FACTORS)[0])
    rb.fill_units(m, o)
    outcome = acceptance.start(m, w, r, count, state)
    if outcome != st.DONE:
        return outcome
    step_size.first_step(m, r, state, stops, 5.0)
    for _ in range(budget):
        if acceptance.events_wait(count):
            return st.PAUSED
        state[st.H] = newton.longest_step(m, r, state[st.H])
        t, wanted, left = state[st.T], state[st.H], step_size.left_limit(count, stops)
        if wanted < state[st.H_MIN]:
            return st.TOO_SMALL
        h, t1 = step_size.next_step(state, count, stops)
        weights.weights(m, r, state, o.u[rb.WX], o.u[rb.WU], o.z[rb.WZ], o.e[rb.WW])
        if weights.grown(m, r, count):
            return st.GROWN
        before = count[st.NEWTON]
        if not solve_step(m, w, r, o, p, count, state, t, h, left):
            continue
        iterations = count[st.NEWTON] - before
        error = estimate(m, w, r, o, p, count, t, h)
        if refuse(count, state, h, error, iterations):
            continue
        stages.stage_rates(m, r, o, h)
        if acceptance.is_dense(m, r, count, grid, t1):
            fill_polynomials(m, w, r, o, h)
        if kinks.find_switch(m, w, r, count, state, t, h):
            continue
        kink = acceptance.ends_on_kink(state)
        count[st.STEPS] += 1
        if acceptance.emit(m, w, r, count, state, grid, out, t, h, t1):
            return st.EVENT
        move(m, w, r, o, t, t1, left)
        state[st.T] = t1
        audit(m, w, r, count, state)
        outcome = acceptance.land(m, w, r, count, state, stops, t1, kink)
        if outcome != st.PAUSED:
            return outcome
        control(count, state, h, wanted, error, iterations)
    return st.PAUSED
