"""Functions for the multistep methods of SUNDIALS: residual, Jacobian, rates, and what follows a step.

The loop is that of SUNDIALS, called from Python; everything a step costs is compiled here. Unknowns are
y = [q, u, z] and possibly a padding, with q in the following sense: a quaternion is itself, every other
coordinate is counted from its value at the last restart, because the solver weights it by its size. The
history of a multistep method spans steps, so quaternions cannot live in the chart of one step: they are
integrated as four numbers with

    q' = q w / 2 + |w| (1 - q.q) q / 2

which pulls the norm back in the time of one radian, and used in the equations as q/|q|.

With constraint rows y = [q, u, z, Lambda, Mu]: the multipliers are the rates of unknowns that are in no error test,
lam = Lambda' and mu = Mu'. BDF solves the equations of Gear, Gupta and Leimkuhler

    q' = N(q) (u + B mu)      R(t, q, u, u', z) + G^T lam = 0      g(q, t) = 0      G u + g_t = 0

which have index 1 in these unknowns; rows that hold rates alone have Mu' = 0 in the place of their violation, and no part in B; B = s^2 G^T with the units s of the increments, kept at the place of the
Jacobian. Adams has accelerations that satisfy the rows' second derivatives; what is left of g is pulled back by
g'' = -2 p g' - p^2 g (Baumgarte), where p is the root mean square of u in those units: as fast as the motion itself. A
pull that is faster in terms of steps makes Adams' formulas of high order unstable, which are iterated only once.

Between steps the solution is the Hermite polynomial of values and rates at the ends of the last two
(BDF) or three (Adams) steps. The work of force elements is the integral of their power along it, by the
rule of Lobatto with five points.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.base import so3
from supple.core.base.layout import TREE_WORDS, WORK_WORDS, tree_at, work_at
from supple.core.bodies import chart, tree
from supple.core.equations import dynamics, kkt
from supple.core.forces import constraint_rows as links
from supple.core.multistep import ends
from supple.core.run import acceptance, events, kinks, step_size, weights
from supple.core.run import step as st
from supple.core.run.acceptance import audit_state
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
)

MAX_ITERATIONS = (4, 3)  # of one attempt, in IDA and in CVODE
# What multistep_accept is called for: start or restart, after a step, after a failure
BEGIN, ACCEPT, FAILED = 0, 1, 2


@kernel
def along_coordinates(m, y, q, R, sign, J, row):
    """Rows of J from ``row`` on, over q: sign times R, whose columns are along ``retract``.

    A change dq of a quaternion is the increment 2/|q| Q(q/|q|)^T dq, with Q v the product of the quaternions
    q/|q| and (0, v); a change dp of a free joint's place is the increment R^T dp.
    """
    node = m.node
    for c in range(R.shape[0]):
        a, out = R[c], J[row + c]
        for f in range(m.plain.shape[0]):
            i, j = m.plain[f, at.PLAIN_Q0], m.plain[f, at.PLAIN_U0]
            for k in range(m.plain[f, at.PLAIN_N]):
                out[i + k] = sign * a[j + k]
        for n in range(1, node.shape[0]):
            kind, i, j = node[n, at.MOTION], node[n, at.Q0], node[n, at.U0]
            if kind == at.REVOLUTE or kind == at.PRISMATIC:
                out[i] = sign * a[j]
            elif kind == at.BALL or kind == at.FREE:
                g = 2.0 * sign / math.sqrt(
                    y[i] * y[i] + y[i + 1] * y[i + 1] + y[i + 2] * y[i + 2] + y[i + 3] * y[i + 3]
                )
                e0, e1, e2, e3 = q[i], q[i + 1], q[i + 2], q[i + 3]
                x0, x1, x2 = g * a[j], g * a[j + 1], g * a[j + 2]
                out[i] = -e1 * x0 - e2 * x1 - e3 * x2
                out[i + 1] = e0 * x0 - e3 * x1 + e2 * x2
                out[i + 2] = e3 * x0 + e0 * x1 - e1 * x2
                out[i + 3] = -e2 * x0 + e1 * x1 + e0 * x2
                if kind == at.FREE:
                    m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(e0, e1, e2, e3)
                    x0, x1, x2 = sign * a[j + 3], sign * a[j + 4], sign * a[j + 5]
                    out[i + 4] = m0 * x0 + m1 * x1 + m2 * x2
                    out[i + 5] = m3 * x0 + m4 * x1 + m5 * x2
                    out[i + 6] = m6 * x0 + m7 * x1 + m8 * x2


@kernel
def coordinate_rows(m, y, q, u, c, J):
    """Rows of J for q' - q'(q, u), over q and u; c is the derivative of y' with respect to y."""
    node, nq = m.node, m.head[at.H_Q]
    for f in range(m.plain.shape[0]):
        i, j = m.plain[f, at.PLAIN_Q0], m.plain[f, at.PLAIN_U0]
        for k in range(m.plain[f, at.PLAIN_N]):
            J[i + k, i + k] = c
            J[i + k, nq + j + k] = -1.0
    for n in range(1, node.shape[0]):
        kind, i, j = node[n, at.MOTION], node[n, at.Q0], nq + node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            J[i, i] = c
            J[i, j] = -1.0
        elif kind == at.BALL or kind == at.FREE:
            e0, e1, e2, e3 = y[i], y[i + 1], y[i + 2], y[i + 3]
            w0, w1, w2 = 0.5 * u[j - nq], 0.5 * u[j - nq + 1], 0.5 * u[j - nq + 2]
            spin = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
            gap = 1.0 - e0 * e0 - e1 * e1 - e2 * e2 - e3 * e3
            for k in range(4):
                for l in range(4):
                    J[i + k, i + l] = 2.0 * spin * y[i + k] * y[i + l]
                J[i + k, i + k] += c - spin * gap
                s = -0.5 * gap * y[i + k] / spin if spin > 0.0 else 0.0
                J[i + k, j], J[i + k, j + 1], J[i + k, j + 2] = s * w0, s * w1, s * w2
            J[i, i + 1] += w0
            J[i, i + 2] += w1
            J[i, i + 3] += w2
            J[i + 1, i] -= w0
            J[i + 1, i + 2] -= w2
            J[i + 1, i + 3] += w1
            J[i + 2, i] -= w1
            J[i + 2, i + 1] += w2
            J[i + 2, i + 3] -= w0
            J[i + 3, i] -= w2
            J[i + 3, i + 1] -= w1
            J[i + 3, i + 2] += w0
            J[i, j] += 0.5 * e1
            J[i, j + 1] += 0.5 * e2
            J[i, j + 2] += 0.5 * e3
            J[i + 1, j] -= 0.5 * e0
            J[i + 1, j + 1] += 0.5 * e3
            J[i + 1, j + 2] -= 0.5 * e2
            J[i + 2, j] -= 0.5 * e3
            J[i + 2, j + 1] -= 0.5 * e0
            J[i + 2, j + 2] += 0.5 * e1
            J[i + 3, j] += 0.5 * e2
            J[i + 3, j + 1] -= 0.5 * e1
            J[i + 3, j + 2] -= 0.5 * e0
            if kind == at.FREE:
                place_rows(y, q, u, i, j, j - nq, c, J)


@kernel
def place_rows(y, q, u, i, j, k, c, J):
    """Rows of J for the place of a free joint: p' - R v, with R (x cross v) for the increment x."""
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(q[i], q[i + 1], q[i + 2], q[i + 3])
    v0, v1, v2 = u[k + 3], u[k + 4], u[k + 5]
    g = 2.0 / math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1] + y[i + 2] * y[i + 2] + y[i + 3] * y[i + 3])
    e0, e1, e2, e3 = g * q[i], g * q[i + 1], g * q[i + 2], g * q[i + 3]
    for row in range(3):
        out = J[i + 4 + row]
        if row == 0:
            a, b, d = m0, m1, m2
        elif row == 1:
            a, b, d = m3, m4, m5
        else:
            a, b, d = m6, m7, m8
        out[i + 4 + row] = c
        out[j + 3], out[j + 4], out[j + 5] = -a, -b, -d
        # -R (x cross v) = x0 (b v2 - d v1) + x1 (d v0 - a v2) + x2 (a v1 - b v0)
        x0, x1, x2 = b * v2 - d * v1, d * v0 - a * v2, a * v1 - b * v0
        out[i] = -e1 * x0 - e2 * x1 - e3 * x2
        out[i + 1] = e0 * x0 - e3 * x1 + e2 * x2
        out[i + 2] = e3 * x0 + e0 * x1 - e1 * x2
        out[i + 3] = -e2 * x0 + e1 * x1 + e0 * x2


@kernel
def constraint_border(m, G, H, y, q, c, J):
    """Rows of J for g and G u + g_t and columns for Lambda and Mu."""
    nr, nu, nq = G.shape[0], G.shape[1], q.shape[0]
    lam = nq + nu + m.head[at.H_Z]
    mu = lam + nr
    along_coordinates(m, y, q, G, 1.0, J, lam)
    along_coordinates(m, y, q, H, 1.0, J, mu)
    for i in range(nr):
        for k in range(nu):
            g = G[i, k]
            J[mu + i, nq + k] = g
            J[nq + k, lam + i] = c * g
            if g != 0.0:
                b = c * m.unit[k] * m.unit[k] * g
                for l in range(nq):  # q' depends on mu as on u, through B
                    J[l, mu + i] += b * J[l, nq + k]
    if m.head[at.H_RATES] > 0:
        for k in range(m.link.shape[0]):
            for j in range(6):
                i = m.link[k, at.LINK_ROW + j]
                if i >= 0 and links.holds_rate(m.link[k], j):
                    for l in range(J.shape[0]):
                        J[lam + i, l] = 0.0
                    for l in range(nq):
                        J[l, mu + i] = 0.0
                    J[lam + i, mu + i] = c


@kernel
def rate_rows(m, rate, out):
    """out = rate, that of Mu, in rows that hold rates alone: these have no violation."""
    for c in range(m.link.shape[0]):
        for i in range(6):
            row = m.link[c, at.LINK_ROW + i]
            if row >= 0 and links.holds_rate(m.link[c], i):
                out[row] = rate[row]


@kernel
def watch(o, ints, reals, t, counted):
    """Follow the solver's attempts at a step by the times it asks for; returns the time to evaluate at.

    Another time within one step means that the last attempt was given up: to a quarter after all
    iterations if these did not converge, otherwise because of its error. Times stay left of the next
    stop, so that a jump there is not seen early.
    """
    if counted and t != o.scalar[ends.TRIED]:
        size = t - reals[st.T]
        if o.ints[ends.ATTEMPTS] > 0:
            quarter = abs(size - 0.25 * o.scalar[ends.SIZE]) < 1e-6 * size
            if quarter and o.ints[ends.SWEEP] >= MAX_ITERATIONS[o.ints[ends.METHOD]]:
                ints[st.NEWTON_FAILURES] += 1
            else:
                ints[st.REJECTED] += 1
        o.scalar[ends.TRIED] = t
        o.scalar[ends.SIZE] = size
        o.ints[ends.ATTEMPTS] += 1
        o.ints[ends.SWEEP] = 0
    o.ints[ends.SWEEP] += 1
    ints[st.EVALUATIONS] += 1
    return step_size.left_of(t, o.scalar[ends.LEFT], reals[st.T])


@kernel
def pull_back(m, w, time, u, a, d, g):
    """Adams: Baumgarte's pull with the mean rate of the motion; d (nu) and g (rows) are scratch."""
    p = 0.0
    for k in range(u.shape[0]):
        p += u[k] * u[k] / (m.unit[k] * m.unit[k])
    kkt.pull(m, w, time, u, a, math.sqrt(p / u.shape[0]), d, g)


@kernel
def keep_columns(m, w, B):
    """B (rows, nu) = s^2 G from the refreshed links: each row is a column of the matrix B of the equations."""
    for i in range(B.shape[0]):
        for k in range(B.shape[1]):
            B[i, k] = 0.0
    links.jacobian(m, w, B, m.counting)
    for i in range(B.shape[0]):
        for k in range(B.shape[1]):
            B[i, k] *= m.unit[k] * m.unit[k]
    for c in range(m.link.shape[0] if m.head[at.H_RATES] > 0 else 0):
        for i in range(6):
            row = m.link[c, at.LINK_ROW + i]
            if row >= 0 and links.holds_rate(m.link[c], i):
                for k in range(B.shape[1]):
                    B[row, k] = 0.0


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REAL, REALS, REALS, VEC)
def multistep_rates(ints, reals, work, run, state, count, t, y, yp, out):
    """BDF: out = [q' - q'(q, u, mu), R + G^T lam, z' - z'(t, q, u, z), g, G u + g_t, padding'] for the rates yp.

    Adams, and BDF at the start of a step: out = [q', u', z', lam, 0]; not a number where accelerations do not
    exist, so that the step is repeated.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    i, k = st.run_ends(m, count)
    o = hold(ends.own_views(m, run, i, count, k))
    nq, nu, nz, nr = r.q.shape[0], r.u.shape[0], r.z.shape[0], w.lam.shape[0]
    first = nq + nu + nz  # of the multipliers
    implicit = o.ints[ends.METHOD] == ends.BDF and t > state[st.T]
    # CVODE looks for its first step by trials that are no attempts
    attempt = t > state[st.T] and (implicit or count[st.FRESH] == 0 or state[st.H] > 0.0)
    time = watch(o, count, state, t, attempt)
    ends.unpack(m, r, o, y)
    acc, f, v = o.u[ends.ACC], o.u[ends.F], o.u[ends.V]
    for k in range(nu):
        acc[k] = yp[nq + k] if implicit else 0.0
        v[k] = r.ut[k]
    for i in range(nr):
        w.lam[i] = yp[first + i] if implicit else 0.0
    dynamics.residual_at(m, w, time, r.qt, r.ut, acc, r.zt, f)
    o.ints[ends.TROUBLE] = st.DONE
    if implicit:
        count[st.NEWTON] += 1
        for k in range(nu):
            if not math.isfinite(f[k]):
                o.ints[ends.TROUBLE] = st.NOT_FINITE
                count[st.BAD_DOF] = k
            for i in range(nr):
                v[k] += o.B[i, k] * yp[first + nr + i]
        if nr > 0:
            links.violations(m, w, out[first : first + nr])
            if m.head[at.H_RATES] > 0:
                rate_rows(m, yp[first + nr : first + 2 * nr], out[first : first + nr])
            links.rates(m, w, time, r.ut, out[first + nr : first + 2 * nr])
    else:
        for k in range(nu):
            f[k] = -f[k]
        bad = dynamics.solve_motion(m, w, time, r.ut, r.zt, f)
        if bad >= 0:  # a state that is not finite fails the pivot test, too
            count[st.BAD_DOF] = bad
            finite = bad >= nu or math.isfinite(w.failed[0])
            o.ints[ends.TROUBLE] = st.LOCKED if finite else st.NOT_FINITE
            for k in range(nu):
                f[k] = math.nan
        elif nr > 0:
            keep_columns(m, w, o.B)
            if o.ints[ends.METHOD] == ends.ADAMS:
                pull_back(m, w, time, r.ut, f, o.u[ends.S1], out[first + nr : first + 2 * nr])
        for i in range(nr):
            out[first + i] = w.lam[i]
            out[first + nr + i] = 0.0
    chart.coordinate_rates(m, y, r.qt, v, o.qd)
    for k in range(nq):
        out[k] = (yp[k] - o.qd[k]) if implicit else o.qd[k]
    for k in range(nu):
        out[nq + k] = f[k]
    for k in range(nz):
        out[nq + nu + k] = (yp[nq + nu + k] - w.zdot[k]) if implicit else w.zdot[k]
    for k in range(first + 2 * nr, out.shape[0]):
        out[k] = yp[k] if implicit else 0.0


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REAL, REALS, REALS, VEC, VEC, VEC, VEC)
def bdf_point(ints, reals, work, run, state, count, t, y, yp, q, u, a, z):
    """The state q, u, a, z of y, y' at which IDA wants a Jacobian; returns the time to take.

    The tangents are those of ``dynamics.tangent``, which need not be compiled a second time: Jacobians are rare.
    Multipliers wait in the workspace, lam for the tangents and mu for ``bdf_jacobian``; B is renewed.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    i, k = st.run_ends(m, count)
    o = hold(ends.own_views(m, run, i, count, k))
    count[st.JACOBIANS] += 1
    count[st.FACTORIZATIONS] += 1  # IDA factorizes each matrix once
    if o.ints[ends.SWEEP] > 1:  # asked for in the middle: the iteration with the old matrix did not converge
        count[st.NEWTON_FAILURES] += 1
        o.ints[ends.SWEEP] = 1
    ends.unpack(m, r, o, y)
    st.copy(r.qt, q)
    st.copy(r.ut, u)
    st.copy(r.zt, z)
    for k in range(a.shape[0]):
        a[k] = yp[q.shape[0] + k]
    time = step_size.left_of(t, o.scalar[ends.LEFT], state[st.T])
    nr, first = w.lam.shape[0], q.shape[0] + u.shape[0] + z.shape[0]
    if nr > 0:
        tree.poses(m, w, q)
        tree.motion(m, w, u, a)
        links.refresh(m, w, time, q)
        keep_columns(m, w, o.B)
    for i in range(nr):
        w.lam[i] = yp[first + i]
        w.gap[i] = yp[first + nr + i]
    return time


@entry(INTS, REALS, VEC, REALS, VEC, VEC, REAL, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def bdf_jacobian(ints, reals, work, y, q, u, c, Rq, Ru, M, Rz, Gq, Gu, Gz, G, H, J):
    """J = derivative of the residual with respect to y, plus c times that with respect to y'.

    Needs the workspace as ``bdf_point`` and then ``dynamics.tangent`` leave it; G and H (rows, nu) are scratch.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    nq, nu, nz, nr = q.shape[0], u.shape[0], Gz.shape[0], w.lam.shape[0]
    v = w.force
    st.copy(u, v)
    if nr > 0:
        for i in range(nr):  # other rows may have been in use
            for k in range(nu):
                G[i, k], H[i, k] = 0.0, 0.0
        links.jacobian(m, w, G, m.counting)
        links.rate_tangent(m, w, H, m.counting)
        for i in range(nr):
            for k in range(nu):
                v[k] += m.unit[k] * m.unit[k] * G[i, k] * w.gap[i]
    for k in range(J.shape[0]):
        for l in range(J.shape[0]):
            J[k, l] = 0.0
    coordinate_rows(m, y, q, v, c, J)
    along_coordinates(m, y, q, Rq, 1.0, J, nq)
    along_coordinates(m, y, q, Gq, -1.0, J, nq + nu)
    for k in range(nu):
        for l in range(nu):
            J[nq + k, nq + l] = Ru[k, l] + c * M[k, l]
        for l in range(nz):
            J[nq + k, nq + nu + l] = Rz[k, l]
    for k in range(nz):
        for l in range(nu):
            J[nq + nu + k, nq + l] = -Gu[k, l]
        for l in range(nz):
            J[nq + nu + k, nq + nu + l] = -Gz[k, l]
        J[nq + nu + k, nq + nu + k] += c
    if nr > 0:
        constraint_border(m, G, H, y, q, c, J)
    for k in range(nq + nu + nz + 2 * nr, J.shape[0]):
        J[k, k] = c


@kernel
def blame(r, o, count, state):
    """Outcome of a failed step, and the velocity that changed most in the last attempt; not finite ones first."""
    state[st.H_MIN] = max(state[st.H_MIN], o.scalar[ends.SIZE])  # for the message
    worst = 0.0
    for k in range(r.u.shape[0]):
        size = abs(r.ut[k] - r.u[k]) / o.u[ends.WU, k]
        if o.ints[ends.TROUBLE] == st.DONE and not size <= worst:
            worst = size if math.isfinite(size) else np.inf
            count[st.BAD_DOF] = k
    return o.ints[ends.TROUBLE] if o.ints[ends.TROUBLE] != st.DONE else st.NOT_CONVERGED


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, REALS, REALS, REAL, INT)
def multistep_accept(ints, reals, work, run, state, count, stops, grid, out, y, yp, t1, what):
    """Accept a step of the solver: output, events, stops; returns an outcome.

    ACCEPT: the solver found y, y' at t1. PAUSED: go on; then FRESH says whether t1 is a stop, where
    the solver must begin again, or the state is that of a kink before t1, behind which it comes back. BEGIN: the run starts or goes on behind a stop with the rates in yp, and
    those of controllers and force elements in the workspace. FAILED: look for the velocity to blame.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    i, k = st.run_ends(m, count)
    o = hold(ends.own_views(m, run, i, count, k))
    t, h, first, kink = state[st.T], t1 - state[st.T], state[st.E_MAX] < 0.0, 2.0
    if what == FAILED:
        return blame(r, o, count, state)
    o.ints[ends.ATTEMPTS] = 0
    if what == ACCEPT:
        ends.make_room(o)
        ends.unpack(m, r, o, y)
    else:
        ends.begin(w, r, o, t, step_size.left_limit(count, stops))
    ends.write_end(w, r, o, y, yp, t1)
    if what == ACCEPT:
        count[st.STEPS] += 1
        if r.w.shape[0] > 0 or acceptance.is_dense(m, r, count, grid, t1):
            ends.fill_dense(m, w, r, o, t, h)
            kink = kinks.first_unseen(m, w, r, count, t, h)
        if kink < 1.0:
            kinks.shorten_step(r, kink)
            h *= kink
            t1 = t + h
        if acceptance.emit(m, w, r, count, state, grid, out, t, h, t1):
            return st.EVENT
    if kink < 1.0:
        st.state_at(m, r, 1.0)  # before r.q moves
    ends.move(r, o)
    if kink < 1.0:
        st.copy(r.qt, r.q)
        st.copy(r.ut, r.u)
        st.copy(r.zt, r.z)
        st.copy(r.wt, r.w)
    state[st.T] = t1
    if first:
        st.begin_here(r)
        events.start_events(m, w, r)
    if what == ACCEPT or first:
        audit_state(m, w, r, count, state)
    weights.weights(m, r, state, o.u[ends.WX], o.u[ends.WU], o.z, o.e)
    if what == BEGIN:
        count[st.FRESH] = 1
        return st.PAUSED
    count[st.FRESH] = 0
    if weights.grown(m, r, count):
        return st.GROWN
    if kink < 1.0 or acceptance.reaches_stop(count, stops, t1):
        count[st.FRESH] = 1
    return st.DONE if acceptance.is_finished(count, stops) else st.PAUSED
