"""Bauchau's energy-preserving and energy-decaying scheme for rigid bodies in absolute coordinates, and nodal vectors.

O. A. Bauchau and N. J. Theron, Comput. Methods Appl. Mech. Eng. 134 (1996) 37; O. A. Bauchau and C. L. Bottasso, ibid. 169 (1999)
61. With places x and velocities v of the mass centres, rotations R, angular velocities W and momenta L = J W in the bodies' axes, a
step of size h from state i to state f, with a state j behind a jump at its start, is

    x_f - x_i = h (v_f + v_j)/2,    x_j - x_i = -(P/2) (v_f - v_j),     P = decay h/3
    Y + Z = h (W_f + W_j)/2,        Z = -(P/2) (W_f - W_j),             R_j = R_i cay(Z),  R_f = R_j cay(Y)
    m (v_f - v_i) = h F_g,          m (v_j - v_i) = -P (F_g - F_h)
    L_f - L_i = h (N_g - G_g),      L_j - L_i = -P (N_g - G_g - N_h + G_h)
    h G_g = Y x (L_f + L_j)/2 + Z x L_j,    G_h = W_j x L_j,    N_g = (1 - [Y]/2) R_j^T M_g,    N_h = R_j^T M_h

where the forces F_g, moments M_g are those between j and f, F_h, M_h those between i and j, both by the exact increments
of ``energy_forms``. Constraint rows hold at f; one multiplier of each serves both. Without decay j is i. With decay the velocities
at f are moved onto the constraints, which takes energy too. The energy never grows (docs/theory.md). Nodal vectors of bodies
without a frame have the equations of places with a mass matrix (``energy_vectors``).
"""

from __future__ import annotations

import math

from supple.core.base.layout import TREE, TREE_WORDS, WORK_WORDS, tree_at, work_at
from supple.core.bodies import chart
from supple.core.energy import balance, vectors
from supple.core.energy import forms as form
from supple.core.energy import state as es
from supple.core.energy.forces import column_of, forces
from supple.core.linalg.dense import lu, lu_solve
from supple.core.run import acceptance, step_size
from supple.core.run import step as st
from supple.core.run.acceptance import audit_state
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

MAX_NEWTON = 40
SMALL = 1e-9  # rad, or lengths of the model: below it corrections that fall no more are rounding
ROUNDING = 1e-15
SAME = 1e-9  # of a step: times that are one instant


@kernel
def choose_rows(m, o):
    """Independent rows at the start of the step: those with the largest rests, one after the other."""
    rank, rows, n = o.sel.shape[0], o.ints[es.ROWS], o.unit.shape[0]
    if rank == rows:
        for k in range(rank):
            o.sel[k] = k
        return
    x, line = o.buf[0], o.buf[1]
    for i in range(rows):
        of, f, b = o.form_ints[i], o.form[i], o.basis[i]
        form.vectors(of, f, o.ci, x)
        form.row(of, x, line)
        for k in range(n):
            b[k] = 0.0
        for k in range(form.ROW):
            c = column_of(o, of, k)
            if c >= 0:
                b[c] += line[k] / f[form.UNIT] * o.unit[c]
    for k in range(rank):
        best, big = -1, -1.0
        for i in range(rows):
            s = 0.0
            for j in range(n):
                s += o.basis[i, j] * o.basis[i, j]
            if s > big:
                best, big = i, s
        o.sel[k] = best
        pivot = o.basis[best]
        for i in range(rows):
            if i != best:
                s = 0.0
                for j in range(n):
                    s += o.basis[i, j] * pivot[j]
                s /= big
                for j in range(n):
                    o.basis[i, j] -= s * pivot[j]
        for j in range(n):
            pivot[j] = 0.0


@kernel
def kinematics(o, h, P):
    """Places, Cayley vectors and rotations at j and f from the velocities there.

    Velocities are the unknowns: the other way round they would carry the rounding of places divided by h.
    """
    for n in range(o.vi.shape[0]):
        ci, cj, cf, vj, vf = o.ci[n + 1], o.cj[n + 1], o.cf[n + 1], o.vj[n], o.vf[n]
        for k in range(3):
            cj[k] = ci[k] - 0.5 * P * (vf[k] - vj[k])
            cf[k] = ci[k] + 0.5 * h * (vf[k] + vj[k])
    for n in range(o.body.shape[0]):
        ci, cj, cf, vj, vf = o.ci[n + 1], o.cj[n + 1], o.cf[n + 1], o.vj[n], o.vf[n]
        for k in range(3):
            o.tj[n, k] = -0.5 * P * (vf[3 + k] - vj[3 + k]) if o.body_ints[n, es.B_SOLID] == 1 else 0.0
            o.tf[n, k] = 0.5 * h * (vf[3 + k] + vj[3 + k]) - o.tj[n, k]
        es.turn_on(o.turn[n, 0], o.tj[n], o.turn[n, 1])
        es.turn_on(o.turn[n, 1], o.tf[n], o.turn[n, 2])
        es.turned_pose(o.body[n], o.turn[n, 1], cj)
        es.turned_pose(o.body[n], o.turn[n, 2], cf)
        es.world_turn(ci, o.tj[n], o.bj[n])
        es.world_turn(cj, o.tf[n], o.bf[n])


@kernel
def correct(m, o, h, P):
    """Take the solution of the linear equations from the unknowns; returns its largest part (rad, lengths)."""
    nb, rank, motions = o.body.shape[0], o.sel.shape[0], o.unit.shape[0]
    count = 2 * motions if P > 0.0 else motions
    size = 0.0
    for i in range(count):
        if not math.isfinite(o.rhs[i]):
            return math.inf
        size = max(size, abs(o.rhs[i]))
    for n in range(o.vi.shape[0]):
        first = es.first_motion(o, n)
        for k in range(es.motions_of(o, n)):
            unit = o.unit[first + k]
            d = unit * o.rhs[first + k]
            if P > 0.0 and (n >= nb or k < 3 or o.body_ints[n, es.B_SOLID] == 1):
                z = unit * o.rhs[motions + first + k]
                s = d if k < 3 else d + z  # places are from i, Y begins at j
                o.vf[n, k] -= s / h - z / P
                o.vj[n, k] -= s / h + z / P
            else:
                o.vf[n, k] -= 2.0 * d / h
    for k in range(rank):
        unit = o.scalar[es.MASS] * m.length * m.length / (h * h * o.form[o.sel[k], form.UNIT])
        o.lam[o.sel[k]] -= unit * o.rhs[count + k]
    return size


@kernel
def solve(m, w, r, o, count, t, h, P):
    """Newton's iteration for one step, to rounding; returns the outcome."""
    if count[st.FRESH] == 1:
        es.read_state(r, o)
    else:
        es.continue_from_end(o)
    choose_rows(m, o)
    for i in range(o.ints[es.ROWS]):  # multipliers of rows that are not in use begin at zero when they are
        used = False
        for k in range(o.sel.shape[0]):
            used = used or o.sel[k] == i
        if not used:
            o.lam[i] = 0.0
    for n in range(o.vi.shape[0]):
        for k in range(6):
            o.vj[n, k], o.vf[n, k] = o.vi[n, k], o.vi[n, k]
    old = math.inf
    for i in range(MAX_NEWTON):
        kinematics(o, h, P)
        forces(m, w, r, o, t, h, P)
        balance.assemble(m, r, o, h, P)
        count[st.NEWTON] += 1
        count[st.EVALUATIONS] += 1
        count[st.JACOBIANS] += 1
        count[st.FACTORIZATIONS] += 1
        if not lu(o.mat, o.piv):
            return st.NOT_CONVERGED
        lu_solve(o.mat, o.piv, o.rhs)
        size = correct(m, o, h, P)
        if not math.isfinite(size):
            return st.NOT_FINITE
        if size < ROUNDING or (size < SMALL and size > 0.1 * old):
            kinematics(o, h, P)
            return st.DONE
        if i > 8 and size > old and size > 1.0:
            return st.NOT_CONVERGED
        old = size
    return st.NOT_CONVERGED


@shared(TREE, es.OWN, gives=TRUTH)
def project(m, o):
    """Take from the velocities at f what is not along the constraints, the least in kinetic energy, which falls.

    Returns False if the rows depend on each other there.
    """
    nb, rank, motions = o.body.shape[0], o.sel.shape[0], o.unit.shape[0]
    n, x, line = motions + rank, o.buf[0], o.buf[1]
    mat, piv, rhs, length = o.mat, o.piv, o.rhs, m.length
    for i in range(n):
        rhs[i] = 0.0
        for k in range(n):
            mat[i, k] = 0.0
    for b in range(nb):
        for k in range(3):
            mat[6 * b + k, 6 * b + k] = o.body[b, es.B_MASS] / o.scalar[es.MASS]
            for i in range(3):
                mat[6 * b + 3 + k, 6 * b + 3 + i] = o.body[b, es.B_J + 3 * k + i] / (o.scalar[es.MASS] * length * length)
    vectors.inertia(o, length)
    for k in range(rank):
        of, f = o.form_ints[o.sel[k]], o.form[o.sel[k]]
        form.vectors(of, f, o.cf, x)
        form.row(of, x, line)
        rhs[motions + k] = es.rate_along(o, of, line) / f[form.UNIT]
        for side in range(2):
            b = of[form.A + side] - 1
            if b >= 0:
                c, first = o.cf[b + 1], es.first_motion(o, b)
                for i in range(3):
                    mat[motions + k, first + i] += line[6 * side + i] * o.unit[first + i] / f[form.UNIT]
                    if b < nb:
                        moment = c[3 + i] * line[6 * side + 3] + c[6 + i] * line[6 * side + 4] + c[9 + i] * line[6 * side + 5]
                        mat[motions + k, first + 3 + i] += moment / f[form.UNIT]
        for i in range(motions):
            mat[i, motions + k] = mat[motions + k, i]
    # the unused rest of a larger system
    for i in range(n, rhs.shape[0]):
        rhs[i] = 0.0
        for k in range(rhs.shape[0]):
            mat[i, k], mat[k, i] = 0.0, 0.0
        mat[i, i] = 1.0
    if not lu(mat, piv):
        return False
    lu_solve(mat, piv, rhs)
    for b in range(o.vi.shape[0]):
        first = es.first_motion(o, b)
        for k in range(es.motions_of(o, b)):
            o.vf[b, k] -= o.unit[first + k] * rhs[first + k]
    return True


@shared(TREE, st.RUN, es.OWN, REAL)
def fill_polynomials(m, r, o, h):
    """Cubics for increments, parabolas for velocities, lines for work, from r.q, r.u to r.qt, r.ut.

    In the middle velocities are those of the cubics.
    """
    chart.increment(m, r.q, r.qt, r.xt)
    chart.rate(m, r.xt, r.ut, r.a)  # r.a is free: accelerations are not used
    for k in range(r.u.shape[0]):
        a, b, d = h * r.u[k], h * r.a[k], r.xt[k]
        for i in range(st.DEGREE):
            r.px[k, i], r.pu[k, i] = 0.0, 0.0
        r.px[k, 1], r.px[k, 2], r.px[k, 3] = a, 3.0 * d - 2.0 * a - b, a + b - 2.0 * d
        r.xt[k] = st.polynomial(r.px[k], 0.5)
        r.a[k] = (1.5 * d - 0.25 * (a + b)) / h
        r.pu[k, 0] = r.u[k]
    chart.velocity(m, r.xt, r.a, o.middle)
    for k in range(r.u.shape[0]):
        a, b, c = r.u[k], o.middle[k], r.ut[k]
        r.pu[k, 1], r.pu[k, 2] = 4.0 * b - 3.0 * a - c, 2.0 * (a + c) - 4.0 * b
    free_velocities(m, r, h)
    for e in range(r.w.shape[0]):
        for i in range(st.DEGREE):
            r.pw[e, i] = 0.0
        r.pw[e, 0] = r.w[e]
    for i in range(o.element.shape[0]):
        r.pw[o.element[i, es.E_NUMBER], 1] = o.work[i]


@kernel
def end_of_step(stop, left, h, grid, k):
    """Time at the end of a step when ``left`` are left, or the output time that is the same instant.

    Counted from the stop, so that rounding does not add up.
    """
    t = stop - (left - 1) * h
    while k < grid.shape[0] and grid[k] < t - SAME * h:
        k += 1
    if left > 1 and k < grid.shape[0] and grid[k] < t + SAME * h:
        return grid[k]
    return t


@kernel
def largest_rate(o):
    """Largest rate of a row in use at the end of the step, in its unit: rows are held, their rates are not."""
    x, line, rate = o.buf[0], o.buf[1], 0.0
    for k in range(o.sel.shape[0]):
        of, f = o.form_ints[o.sel[k]], o.form[o.sel[k]]
        form.vectors(of, f, o.cf, x)
        form.row(of, x, line)
        rate = max(rate, abs(es.rate_along(o, of, line)) / f[form.UNIT])
    return rate


@kernel
def move(r, o):
    """The engine's state at the end of the step, which waits in qs and a: output may have left another in qt, ut."""
    st.copy(r.qs, r.q)
    st.copy(r.a, r.u)
    for e in range(o.element.shape[0]):
        r.w[o.element[e, es.E_NUMBER]] += o.work[e]


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, INT)
def energy_run(ints, reals, work, run, state, count, stops, grid, out, budget):
    """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome.

    run, state, count hold everything that lives between calls; rows of ``out`` (q, u, z, w) are filled
    as their times in ``grid`` are passed.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    i, k = st.run_ends(m, count)
    o = hold(es.own_views(run, i, count, k, r.u.shape[0]))
    outcome = acceptance.start(m, w, r, count, state)
    if outcome != st.DONE:
        return outcome
    for _ in range(budget):
        if acceptance.events_wait(count):
            return st.PAUSED
        o.ints[es.LEFT] = step_size.equal_steps(state, count, stops, o.scalar[es.STEP], o.ints[es.LEFT])
        if o.ints[es.LEFT] == 0:
            return st.TOO_SMALL
        t, h = state[st.T], state[st.H]
        t1 = end_of_step(stops[count[st.STOP]], o.ints[es.LEFT], h, grid, count[st.GRID])
        outcome = solve(m, w, r, o, count, t, h, o.scalar[es.DECAY] * h / 3.0)
        if outcome != st.DONE:
            count[st.NEWTON_FAILURES] += 1
            return outcome
        if o.scalar[es.DECAY] > 0.0 and o.sel.shape[0] > 0 and not project(m, o):
            return st.NOT_CONVERGED
        count[st.STEPS] += 1
        o.scalar[es.RATE] = max(o.scalar[es.RATE], largest_rate(o))
        vectors.write(m, w, r, o)
        es.write_state(r, o)
        fill_polynomials(m, r, o, h)
        st.copy(r.ut, r.a)
        st.copy(r.qt, r.qs)
        if acceptance.emit(m, w, r, count, state, grid, out, t, t1 - t, t1):
            return st.EVENT
        move(r, o)
        state[st.T] = t1
        audit_state(m, w, r, count, state)
        count[st.FRESH] = 0
        o.ints[es.LEFT] = 0 if acceptance.reaches_stop(count, stops, t1) else o.ints[es.LEFT] - 1
        if acceptance.is_finished(count, stops):
            return st.DONE
    return st.PAUSED
