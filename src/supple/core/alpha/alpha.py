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

from supple.core.alpha import newton, rate_rows, stage
from supple.core.alpha.newton import MAX_NEWTON
from supple.core.base import layout as at
from supple.core.base.layout import TREE, TREE_WORDS, WORK, WORK_WORDS, tree_at, work_at
from supple.core.bodies import chart, tree
from supple.core.equations import dynamics
from supple.core.equations.tree_parts import PARTS, cut_parts
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces
from supple.core.linalg import multifrontal
from supple.core.run import acceptance, kinks, step_size, weights
from supple.core.run import step as st
from supple.core.run.acceptance import audit
from supple.core.run.step import free_velocities
from supple.native.declare import (
    INT,
    INTS,
    IVEC,
    MAT,
    REAL,
    REALS,
    TRUTH,
    VEC,
    entry,
    hold,
    kernel,
    reserve,
    shared,
)

GROWTH = 2.0  # of a step: the algorithmic acceleration is stretched by as much
SLOW = 0.05  # a contraction above it asks for a new tangent
LESS = 0.9  # a step that must be shorter is so much shorter at least, and keeps its factors for a while then


@shared(TREE, st.RUN, stage.OWN, PARTS, REAL, REAL, REAL, TRUTH)
def change(m, r, o, parts, h, be, ge, both):
    """Changes D, DZ of the rates over the step, filtered: N D = M (E - A0), in the axes of the end.

    Smooth motion passes the filter but for its next order. Of a mode much faster than the step, whose
    rates are large and mean nothing, there remains what its amplitude is worth. Along the normals of constraints D is
    the change itself, DT is zero: the rows leave no error there. Fixed steps need no DT, which only their error asks for.
    """
    nu, nz, nr = r.u.shape[0], m.head[at.H_OUTER], r.lam.shape[0]
    n = nu + nz + (2 * nr if both else nr)
    y = o.y[:n]
    for k in range(parts.side.shape[1]):
        parts.side[0, k] = o.z[stage.G, nz + k] - r.zdot[nz + k]
    for k in range(nu):
        o.u[stage.S1, k] = o.u[stage.E, k] - o.u[stage.A0, k]
    stage.turn(m, o.u[stage.XI], -1.0, o.u[stage.S1])
    if newton.along_tree(m):
        newton.push(m, parts, o, o.u[stage.S1], y)
    else:
        for k in range(nu):
            y[k] = 0.0
        multifrontal.add_product(m, o.tangent[stage.MASS], o.u[stage.S1], 1.0, y)
    parts_of_error = 2 if nr > 0 and o.c[stage.STEP] == 0.0 else 1
    for k in range(nu if parts_of_error == 2 else 0):
        o.u[stage.F, k] = y[k]
    for part in range(parts_of_error):
        for k in range(nu if part == 1 else 0):
            y[k] = o.u[stage.F, k]
        for k in range(nz):
            y[nu + k] = o.z[stage.G, k] - r.zdot[k]
        if part == 0:
            newton.images(m, y, o.rows[stage.G_ROW], o.rows[stage.H_ROW], o.u[stage.S1], h * h * be, h * ge, nu + nz)
            if m.head[at.H_RATES] > 0:
                rate_rows.rate_images(m, o, y, h * be / ge, nu + nz)
        else:
            for j in range(nu + nz, n):
                y[j] = 0.0
        if m.head[at.H_INNER] > 0:
            newton.inner_sides(m, o, parts, y)
        newton.solve(m, o, parts, y)
        if m.head[at.H_INNER] > 0 and part == 0:
            newton.along(m, y, o.rows[stage.G_ROW], h * h * be, nu + nz, o.u[stage.S1])
            newton.inner_rates(m, o, parts, y, h * h * be, h * ge)
            for k in range(parts.rate.shape[1]):
                o.z[stage.DZ, nz + k] = parts.rate[0, k]
        for k in range(nu if part == 0 else 0):
            o.u[stage.D, k] = y[k]
        for k in range(nu if o.c[stage.STEP] == 0.0 else 0):
            o.u[stage.DT, k] = y[k]
        if part == 0:
            for k in range(nz):
                o.z[stage.DZ, k] = y[nu + k]


@kernel
def middle_state(m, r, o, h):
    """State in the middle of the step into rows XM, UM, ZM; needs end_state. Powers and dense output ask for it.

    Cubic Hermite: of xi from increments and velocities, of u and z from these and the filtered change of
    their rates.
    """
    chart.rate(m, o.u[stage.XI], r.ut, o.u[stage.S1])
    st.copy(o.u[stage.D], o.u[stage.S2])
    stage.turn(m, o.u[stage.XI], 1.0, o.u[stage.S2])
    for k in range(r.u.shape[0]):
        o.u[stage.XM, k] = 0.5 * o.u[stage.XI, k] + 0.125 * h * (r.u[k] - o.u[stage.S1, k])
        o.u[stage.UM, k] = 0.5 * (r.u[k] + o.u[stage.UV, k]) - 0.125 * h * o.u[stage.S2, k]
    stage.turn(m, o.u[stage.XM], -1.0, o.u[stage.UM])
    for k in range(r.z.shape[0]):
        o.z[stage.ZM, k] = 0.5 * (r.z[k] + r.zt[k]) - 0.125 * h * o.z[stage.DZ, k]


@shared(TREE, st.RUN, stage.OWN, REAL, REAL, TRUTH, gives=REAL)
def error_norm(m, r, o, h, h_old, fresh):
    """Weighted norm of the local errors of xi, u, z and w; those of xi and u are left in the rows S2 and S1.

    xi: (beta + s/2 - 1/6) h^3 u'' - h^3/12 u x u' (of rotations, whose chart bends), u: (gamma + s - 1/2)
    h^2 u'' + (1/12 - s^2 - s/2 + alpha_m s) h^3 u''', with s = alpha_m - alpha_f; z like u. The third
    derivative is a difference of slopes of two steps; a fresh step, which has but one, takes h^2 u''
    instead. w: the difference of Simpson's and the trapezoidal rule. Of fixed steps only the last counts, if it is finite.
    """
    c = o.c
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    s, sz = c[stage.AM] - c[stage.AF], c[stage.DM] - c[stage.DF]
    cx = (c[stage.BETA] + 0.5 * s - 1.0 / 6.0) * h * h
    low, high = c[stage.GAMMA] + s - 0.5, 1.0 / 12.0 - s * s - 0.5 * s + c[stage.AM] * s
    low_z, high_z = c[stage.THETA] + sz - 0.5, 1.0 / 12.0 - sz * sz - 0.5 * sz + c[stage.DM] * sz
    f = 2.0 * h * h / (h + h_old) if not fresh else h
    back = h if not fresh else 0.0
    fixed = c[stage.STEP] > 0.0
    for k in range(0 if fixed else nu):
        o.u[stage.S1, k] = o.u[stage.TSLOPE, k]
        o.u[stage.S2, k] = cx * o.u[stage.DT, k]
    if not fixed:
        stage.turn(m, o.u[stage.XI], -1.0, o.u[stage.S1])
    for n in range(m.node.shape[0] if fixed else 1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            j, g = m.node[n, at.U0], h * h * h / 12.0
            o.u[stage.S2, j] -= g * (r.u[j + 1] * r.a[j + 2] - r.u[j + 2] * r.a[j + 1])
            o.u[stage.S2, j + 1] -= g * (r.u[j + 2] * r.a[j] - r.u[j] * r.a[j + 2])
            o.u[stage.S2, j + 2] -= g * (r.u[j] * r.a[j + 1] - r.u[j + 1] * r.a[j])
    total = 0.0
    for k in range(0 if fixed else nu):
        a = o.u[stage.S2, k] / o.u[stage.WX, k]
        b = (low * h * o.u[stage.DT, k] + high * f * (o.u[stage.DT, k] - back * o.u[stage.S1, k])) / o.u[stage.WU, k]
        o.u[stage.S2, k], o.u[stage.S1, k] = a, b
        total += a * a + b * b
    for k in range(nz):
        b = (low_z * h * o.z[stage.DZ, k] + high_z * f * (o.z[stage.DZ, k] - back * o.z[stage.ZSLOPE, k])) / o.z[stage.WZ, k]
        total += b * b
    for k in range(ne):
        b = h / 3.0 * (2.0 * o.e[stage.PM, k] - r.power[k] - o.e[stage.P1, k]) / o.e[stage.WW, k]
        total += b * b
    return math.sqrt(total / max(2 * nu + nz + ne, 1))


@kernel
def worst_error(o):
    """The velocity with the largest of the errors that ``error_norm`` left, or one that is not finite."""
    worst, found = 0.0, 0
    for k in range(o.u.shape[1]):
        size = o.u[stage.S2, k] * o.u[stage.S2, k] + o.u[stage.S1, k] * o.u[stage.S1, k]
        if not size <= worst:
            worst, found = size, k
    return found


@shared(TREE, WORK, st.RUN, stage.OWN, REAL, REAL, REAL)
def powers(m, w, r, o, t, h, t1):
    """Powers of the force elements in the middle and at the end of the step; kinematics and rates of rows at its end."""
    if forces.work_is_done(m):
        middle_state(m, r, o, h)
        chart.retract(m, r.q, o.u[stage.XM], r.qt)
        for j in range(r.lam.shape[0]):
            w.lam[j] = 0.5 * (r.lam[j] + o.row[stage.LAM, j])
        dynamics.powers_at(m, w, t + 0.5 * h, r.qt, o.u[stage.UM], o.u[stage.AT], o.z[stage.ZM])
        st.copy(w.power, o.e[stage.PM])
        chart.retract(m, r.q, o.u[stage.XI], r.qt)
        st.copy(o.row[stage.LAM], w.lam)
    dynamics.powers_at(m, w, t1, r.qt, r.ut, o.u[stage.AT], r.zt)  # also for the audit
    st.copy(w.power, o.e[stage.P1])
    if m.link.shape[0] > 0:
        links.refresh(m, w, t1, r.qt)
        links.rates(m, w, t1, r.ut, o.row[stage.RATE])


@shared(TREE, st.RUN, stage.OWN, REAL)
def fill_polynomials(m, r, o, h):
    """Dense output: cubic Hermite for xi, parabolas through both ends and the middle for u and z (places of free
    joints move by their cubics), and for w the integral of the parabola through the powers. Needs end_state and
    middle_state.
    """
    chart.rate(m, o.u[stage.XI], r.ut, o.u[stage.S1])
    for k in range(r.u.shape[0]):
        p, x, a, b = r.px[k], o.u[stage.XI, k], h * r.u[k], h * o.u[stage.S1, k]
        p[0], p[1], p[2], p[3] = 0.0, a, 3.0 * x - 2.0 * a - b, a + b - 2.0 * x
        parabola(r.u[k], o.u[stage.UM, k], r.ut[k], r.pu[k])
        for j in range(4, st.DEGREE):
            p[j] = 0.0
    free_velocities(m, r, h)
    for k in range(r.z.shape[0]):
        parabola(r.z[k], o.z[stage.ZM, k], r.zt[k], r.pz[k])
    for k in range(r.w.shape[0]):
        p = r.pw[k]
        parabola(r.power[k], o.e[stage.PM, k], o.e[stage.P1, k], p)
        p[3], p[2], p[1], p[0] = h * p[2] / 3.0, h * p[1] / 2.0, h * p[0], r.w[k]


@kernel
def parabola(a, b, c, p):
    """Coefficients of the parabola through a, b, c at s = 0, 1/2, 1."""
    p[0], p[1], p[2] = a, 4.0 * b - 3.0 * a - c, 2.0 * (a + c) - 4.0 * b
    for j in range(3, st.DEGREE):
        p[j] = 0.0


@kernel
def next_step(o, count, state, stops):
    """Size of the next step and the time at its end, of equal steps or by error control."""
    if o.c[stage.STEP] == 0.0:
        return step_size.next_step(state, count, stops)
    h = state[st.H]
    return h, stops[count[st.STOP]] if o.ints[stage.LEFT] == 1 else state[st.T] + h


@kernel
def solve_step(m, w, r, o, p, count, state, t, h, t1):
    """Solve for the step's end, where forces are taken at the time t1; then all that its error and its output need.

    Returns the outcome, and the factors of h^2 E, h E and h G at the end.
    """
    fresh = count[st.FRESH] == 1
    index3 = r.lam.shape[0] > 0 and o.c[stage.BOTH] == 0.0  # constraints on positions alone
    step_size.forget_factors(state, count, h)
    if index3:
        stage.velocity_offset(m, w, r, o, t, 0.0 if fresh else h / state[st.H_OLD])
    be, ge, te = stage.begin(m, w, r, o, h, state[st.H_OLD], fresh)
    both = fresh or not index3
    outcome = newton.solve_end(m, w, r, o, p, count, state, t1, h, be, ge, te, both)
    if outcome != st.DONE:
        count[st.BAD_DOF] = newton.worst_rate(o)
        return outcome, be, ge, te
    if index3 and fresh:
        stage.add_offset(r, o, h)
    stage.end_state(m, r, o, h, be, ge, te)
    change(m, r, o, p, h, be, ge, both)
    powers(m, w, r, o, t, h, t1)
    return outcome, be, ge, te


@kernel
def estimate(m, r, o, count, state, h):
    """Outcome and weighted error of a step that was solved for; the velocity with the largest error is noted."""
    error = error_norm(m, r, o, h, state[st.H_OLD], count[st.FRESH] == 1)
    if math.isfinite(error) and (error < 1.0 or o.c[stage.STEP] > 0.0):
        return st.DONE, error
    count[st.BAD_DOF] = worst_error(o)
    return st.DONE if math.isfinite(error) else st.NOT_FINITE, error


@kernel
def shorten(o, count, state, h, outcome):
    """After a failure, a new tangent or a smaller step; False if neither is possible."""
    count[st.NEWTON_FAILURES] += 1
    if count[st.KEEP_JACOBIAN] != 1:  # with a tangent of its own
        if o.c[stage.STEP] > 0.0:
            return False
        state[st.H] = 0.25 * h if outcome == st.NOT_FINITE else 0.5 * h
    o.ints[stage.TROUBLE] = outcome if outcome == st.NOT_FINITE else st.DONE
    step_size.give_up_tangents(count)
    count[st.AFTER_REJECT] = 1
    return True


@kernel
def safety_factor(iterations):
    """Factor of every new step size, careful where Newton needed many iterations."""
    return 0.9 * (2 * MAX_NEWTON + 1) / (2 * MAX_NEWTON + iterations)


@kernel
def error_exponent(o, fresh):
    """A third in steps of order 2, a half in fresh ones and where gamma damps."""
    smooth = abs(o.c[stage.GAMMA] + o.c[stage.AM] - o.c[stage.AF] - 0.5) < 1e-9
    return 1.0 / 3.0 if smooth and not fresh else 0.5


@kernel
def refuse(o, count, state, h, error, power, safety):
    """True if the error forbids the step; then the size of the next attempt. Fixed steps are taken as they are."""
    o.ints[stage.TROUBLE] = st.DONE
    if error < 1.0 or o.c[stage.STEP] > 0.0:
        return False
    acceptance.reject(count, state, max(0.1, safety * error**-power) * h, count[st.BAD_DOF])
    if count[st.KEEP_JACOBIAN] == 1:
        count[st.KEEP_JACOBIAN] = 0
    return True


@kernel
def move(m, w, r, o, h, h_old, fresh, be, ge, te, dense):
    """State, rates and multipliers at the end of the step, with its kinematics; what the next step begins from.

    Both are where ``powers`` left them, unless the step had to be ``dense``: output or events then left others.
    """
    if dense:
        stage.end_state(m, r, o, h, be, ge, te)
    stage.update_rates(m, r, o, h, h_old, fresh)
    stage.move(r, o, h)
    if dense:
        tree.poses(m, w, r.q)
        tree.motion(m, w, r.u, r.a)
        tree.inertias(m, w, r.q, r.u, r.a)


@kernel
def control(o, count, state, h, wanted, error, power, safety, fresh):
    """Size of the next step by proportional-integral control, and whether it keeps the tangents."""
    error = max(error, 1e-10)
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
    if fresh:
        count[st.FACTORED] = 0  # the next step has other factors
    step_size.keep_tangents(count, state[st.RATE] <= SLOW)
    if o.c[stage.STEP] > 0.0:
        o.ints[stage.LEFT] = 0 if count[st.FRESH] == 1 else o.ints[stage.LEFT] - 1
    elif cut:
        state[st.H] = max(wanted, factor * h)
    elif not 1.0 <= factor <= 1.2:
        state[st.H] = (factor if factor > 1.0 else min(factor, LESS)) * h


@kernel
def look_between(count, state):
    """A step from a kink to where that ends again ends half-way instead: forces are taken at its ends, where a stop does not push yet."""
    if count[st.SWITCHED] == 3:
        state[st.H], state[st.H_SWITCH], count[st.SWITCHED] = 0.5 * state[st.H_SWITCH], 0.0, 0


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, INT)
def alpha_run(ints, reals, work, run, state, count, stops, grid, out, budget):
    """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome.

    run, state, count hold everything that lives between calls; rows of ``out`` (q, u, z, w) are filled
    as their times in ``grid`` are passed.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    i, k = st.run_ends(m, count)
    own, i, k = stage.own_views(m, run, i, count, k)
    o, p = hold(own), hold(cut_parts(m.head, run, i, count, k, 1)[0])
    fixed = o.c[stage.STEP] > 0.0
    outcome = acceptance.start(m, w, r, count, state)
    if outcome != st.DONE:
        return outcome
    if not fixed:
        step_size.first_step(m, r, state, stops, 2.0)
    for _ in range(budget):
        if acceptance.events_wait(count):
            return st.PAUSED
        if fixed:
            o.ints[stage.LEFT] = step_size.equal_steps(state, count, stops, o.c[stage.STEP], o.ints[stage.LEFT])
            if o.ints[stage.LEFT] == 0:
                return st.TOO_SMALL
        else:
            state[st.H] = newton.longest_step(m, r, state[st.H])
        t, wanted, fresh = state[st.T], state[st.H], count[st.FRESH] == 1
        if wanted < state[st.H_MIN]:
            return o.ints[stage.TROUBLE] if o.ints[stage.TROUBLE] != st.DONE else st.TOO_SMALL
        h, t1 = next_step(o, count, state, stops)
        weights.weights(m, r, state, o.u[stage.WX], o.u[stage.WU], o.z[stage.WZ], o.e[stage.WW])
        if weights.grown(m, r, count):
            return st.GROWN
        before, error = count[st.NEWTON], 0.0
        end = step_size.left_of(t1, step_size.left_limit(count, stops), t)
        outcome, be, ge, te = solve_step(m, w, r, o, p, count, state, t, h, end)
        if outcome == st.DONE:
            outcome, error = estimate(m, r, o, count, state, h)
        if outcome != st.DONE:
            if not shorten(o, count, state, h, outcome):
                return outcome
            continue
        power, safety = error_exponent(o, fresh), safety_factor(count[st.NEWTON] - before)
        if refuse(o, count, state, h, error, power, safety):
            continue
        dense = acceptance.is_dense(m, r, count, grid, t1)
        if dense:
            if not forces.work_is_done(m):
                middle_state(m, r, o, h)
            fill_polynomials(m, r, o, h)
        if not fixed and kinks.find_switch(m, w, r, count, state, t, h):
            look_between(count, state)
            continue
        kink = acceptance.ends_on_kink(state)
        count[st.STEPS] += 1
        if acceptance.emit(m, w, r, count, state, grid, out, t, h, t1):
            return st.EVENT
        move(m, w, r, o, h, state[st.H_OLD], fresh, be, ge, te, dense)
        state[st.T] = t1
        audit(m, w, r, count, state)
        outcome = acceptance.land(m, w, r, count, state, stops, t1, kink)
        if outcome != st.PAUSED:
            return outcome
        control(o, count, state, h, wanted, error, power, safety, fresh)
    return st.PAUSED
