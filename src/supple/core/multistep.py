"""What the multistep methods of SUNDIALS need: residual, Jacobian, rates, and what follows a step.

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

which have index 1 in these unknowns; B = s^2 G^T with the units s of the increments, kept at the place of the
Jacobian. Adams has accelerations that satisfy the rows' second derivatives; what is left of g is pulled back by
g'' = -2 p g' - p^2 g (Baumgarte), where p is the root mean square of u in those units: as fast as the motion itself. A
pull that is faster in terms of steps makes Adams' formulas of high order unstable, which are iterated only once.

Between steps the solution is the Hermite polynomial of values and rates at the ends of the last two
(BDF) or three (Adams) steps. The work of force elements is the integral of their power along it, by the
rule of Lobatto with five points.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from supple.core import chart, dynamics, kkt, links, so3, tree
from supple.core import layout as at
from supple.core import step as st
from supple.core.layout import views
from supple.native.declare import INT, INTS, IVEC, MAT, REAL, REALS, VEC, block, entry, hold, kernel

BDF, ADAMS = 0, 1
MAX_ITERATIONS = (4, 3)  # of one attempt, in IDA and in CVODE

# Ends of steps that are remembered, the last one first; a row is t, q, u, a, z, z', w, w', Lambda, lam
REMEMBERED = 8
NEAREST, FARTHEST = 0.4, 20.0  # distance of nodes, in steps: nearer ones amplify noise, farther ones say little

# Points behind the start and weights of the rule of Lobatto of degree 7
LOBATTO_END = 1.0 / 20.0
LOBATTO = np.array([0.5 - 0.5 * math.sqrt(3.0 / 7.0), 0.5, 0.5 + 0.5 * math.sqrt(3.0 / 7.0), 1.0])
LOBATTO_WEIGHTS = np.array([49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, LOBATTO_END])

# Own reals: the time that evaluations must stay left of, the time and the size of the step that is tried
LEFT, TRIED, SIZE = 0, 1, 2
SCALARS = 3
# Own integers: method, attempts at this step, evaluations in this attempt, trouble, ends remembered
METHOD, ATTEMPTS, SWEEP, TROUBLE, ENDS = 0, 1, 2, 3, 4
OWN_INTS = 5
# Rows over velocities: accelerations, residual, weights of xi and u, two scratch rows, what moves q
ACC, F, WX, WU, S1, S2, V = 0, 1, 2, 3, 4, 5, 6
U_ROWS = 7
# What multistep_accept is called for: start or restart, after a step, after a failure
BEGIN, ACCEPT, FAILED = 0, 1, 2

Own = namedtuple("Own", "scalar base qd u z e ends basis nodes B push ints")


@kernel
def own_views(m, run, i, ints):
    """The method's own part of the buffers."""
    nq, nu, nz, ne = m.head[at.H_Q], m.head[at.H_U], m.head[at.H_Z], m.head[at.H_ELEMENTS]
    nr = m.head[at.H_ROWS]
    scalar = block(run, i, SCALARS)
    i += SCALARS
    base = block(run, i, nq)
    i += nq
    qd = block(run, i, nq)
    i += nq
    u = block(run, i, U_ROWS, nu)
    i += U_ROWS * nu
    z = block(run, i, nz)
    i += nz
    e = block(run, i, ne)
    i += ne
    size = 1 + nq + 2 * nu + 2 * nz + 2 * ne + 2 * nr
    ends = block(run, i, REMEMBERED, size)
    i += REMEMBERED * size
    basis = block(run, i, st.DEGREE, st.DEGREE)
    i += st.DEGREE * st.DEGREE
    nodes = block(run, i, 4, st.DEGREE)
    i += 4 * st.DEGREE
    B = block(run, i, nr, nu)
    i += nr * nu
    push = block(run, i, nr, st.DEGREE)
    k = st.INT_STATE + 2 + ints[st.INT_STATE] * st.EVENT_INTS + ints[st.INT_STATE + 1]
    return Own(scalar, base, qd, u, z, e, ends, basis, nodes, B, push, block(ints, k, OWN_INTS))


def own_size(nu: int, nz: int, ne: int, nr: int = 0) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer."""
    nq = 2 * nu  # at most: a ball joint has 4 for 3
    vectors = SCALARS + 2 * nq + U_ROWS * nu + nz + ne + st.DEGREE * (st.DEGREE + 4)
    ends = REMEMBERED * (1 + nq + 2 * nu + 2 * nz + 2 * ne + 2 * nr)
    return vectors + ends + nr * (nu + st.DEGREE), OWN_INTS


@kernel
def unpack(m, r, o, y):
    """Coordinates with unit quaternions, velocities and controller states of y into qt, ut, zt."""
    nq, nu = r.q.shape[0], r.u.shape[0]
    for i in range(nq):
        r.qt[i] = o.base[i] + y[i]
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            i = m.node[n, at.Q0]
            s = 1.0 / math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1] + y[i + 2] * y[i + 2] + y[i + 3] * y[i + 3])
            for k in range(i, i + 4):
                r.qt[k] = s * y[k]
    for k in range(nu):
        r.ut[k] = y[nq + k]
    for k in range(r.z.shape[0]):
        r.zt[k] = y[nq + nu + k]


@kernel
def watch(o, ints, reals, t, counted):
    """Follow the solver's attempts at a step by the times it asks for; returns the time to evaluate at.

    Another time within one step means that the last attempt was given up: to a quarter after all
    iterations if these did not converge, otherwise because of its error. Times stay left of the next
    stop, so that a jump there is not seen early.
    """
    if counted and t != o.scalar[TRIED]:
        size = t - reals[st.T]
        if o.ints[ATTEMPTS] > 0:
            quarter = abs(size - 0.25 * o.scalar[SIZE]) < 1e-6 * size
            if quarter and o.ints[SWEEP] >= MAX_ITERATIONS[o.ints[METHOD]]:
                ints[st.NEWTON_FAILURES] += 1
            else:
                ints[st.REJECTED] += 1
        o.scalar[TRIED] = t
        o.scalar[SIZE] = size
        o.ints[ATTEMPTS] += 1
        o.ints[SWEEP] = 0
    o.ints[SWEEP] += 1
    ints[st.EVALUATIONS] += 1
    left = o.scalar[LEFT]
    return t if t < left else np.nextafter(left, reals[st.T])


@kernel
def pull_back(m, w, time, u, a, d, g):
    """Adams: Baumgarte's pull with the mean rate of the motion; d (nu) and g (rows) are scratch."""
    p = 0.0
    for k in range(u.shape[0]):
        p += u[k] * u[k] / (m.unit[k] * m.unit[k])
    kkt.pull(m, w, time, u, a, math.sqrt(p / u.shape[0]), d, g)


@kernel
def keep_columns(m, rows, B):
    """B (rows, nu) = s^2 G: each row is a column of the matrix B of the equations."""
    for i in range(B.shape[0]):
        for k in range(B.shape[1]):
            B[i, k] = m.unit[k] * m.unit[k] * rows[i, k]


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REAL, REALS, REALS, VEC)
def multistep_rates(ints, reals, work, run, state, count, t, y, yp, out):
    """BDF: out = [q' - q'(q, u, mu), R + G^T lam, z' - z'(t, q, u, z), g, G u + g_t, padding'] for the rates yp.

    Adams, and BDF at the start of a step: out = [q', u', z', lam, 0]; not a number where accelerations do not
    exist, so that the step is repeated.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    run_views, i = st.run_views(m, run, count)
    r = hold(run_views)
    o = hold(own_views(m, run, i, count))
    nq, nu, nz, nr = r.q.shape[0], r.u.shape[0], r.z.shape[0], w.lam.shape[0]
    first = nq + nu + nz  # of the multipliers
    implicit = o.ints[METHOD] == BDF and t > state[st.T]
    # CVODE looks for its first step by trials that are no attempts
    attempt = t > state[st.T] and (implicit or count[st.FRESH] == 0 or state[st.H] > 0.0)
    time = watch(o, count, state, t, attempt)
    unpack(m, r, o, y)
    acc, f, v = o.u[ACC], o.u[F], o.u[V]
    for k in range(nu):
        acc[k] = yp[nq + k] if implicit else 0.0
        v[k] = r.ut[k]
    for i in range(nr):
        w.lam[i] = yp[first + i] if implicit else 0.0
    dynamics.residual_at(m, w, time, r.qt, r.ut, acc, r.zt, f)
    o.ints[TROUBLE] = st.DONE
    if implicit:
        count[st.NEWTON] += 1
        for k in range(nu):
            if not math.isfinite(f[k]):
                o.ints[TROUBLE] = st.NOT_FINITE
                count[st.BAD_DOF] = k
            for i in range(nr):
                v[k] += o.B[i, k] * yp[first + nr + i]
        if nr > 0:
            links.violations(m, w, out[first : first + nr])
            links.rates(m, w, time, r.ut, out[first + nr : first + 2 * nr])
    else:
        for k in range(nu):
            f[k] = -f[k]
        bad = dynamics.solve_motion(m, w, time, r.ut, r.zt, f)
        if bad >= 0:  # a state that is not finite fails the pivot test, too
            count[st.BAD_DOF] = bad
            finite = bad >= nu or math.isfinite(w.mass[bad, bad])
            o.ints[TROUBLE] = st.LOCKED if finite else st.NOT_FINITE
            for k in range(nu):
                f[k] = math.nan
        elif nr > 0:
            keep_columns(m, w.rows, o.B)
            if o.ints[METHOD] == ADAMS:
                pull_back(m, w, time, r.ut, f, o.u[S1], out[first + nr : first + 2 * nr])
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


@kernel
def along_coordinates(m, y, q, R, sign, J, row):
    """Rows of J from ``row`` on, over q: sign times R, whose columns are along ``retract``.

    A change dq of a quaternion is the increment 2/|q| Q(q/|q|)^T dq, with Q v the product of the quaternions
    q/|q| and (0, v); a change dp of a free joint's place is the increment R^T dp.
    """
    node = m.node
    for c in range(R.shape[0]):
        a, out = R[c], J[row + c]
        for f in range(m.flex.shape[0]):
            i, j = m.flex[f, at.FLEX_Q0], m.flex[f, at.FLEX_U0]
            for k in range(m.flex[f, at.FLEX_N]):
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
    for f in range(m.flex.shape[0]):
        i, j = m.flex[f, at.FLEX_Q0], m.flex[f, at.FLEX_U0]
        for k in range(m.flex[f, at.FLEX_N]):
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


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REAL, REALS, REALS, VEC, VEC, VEC, VEC)
def bdf_point(ints, reals, work, run, state, count, t, y, yp, q, u, a, z):
    """The state q, u, a, z of y, y' at which IDA wants a Jacobian; returns the time to take.

    The tangents are those of ``dynamics.tangent``, which need not be compiled a second time: Jacobians are rare.
    Multipliers wait in the workspace, lam for the tangents and mu for ``bdf_jacobian``; B is renewed.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    run_views, i = st.run_views(m, run, count)
    r = hold(run_views)
    o = hold(own_views(m, run, i, count))
    count[st.JACOBIANS] += 1
    count[st.FACTORIZATIONS] += 1  # IDA factorizes each matrix once
    if o.ints[SWEEP] > 1:  # asked for in the middle: the iteration with the old matrix did not converge
        count[st.NEWTON_FAILURES] += 1
        o.ints[SWEEP] = 1
    unpack(m, r, o, y)
    st.copy(r.qt, q)
    st.copy(r.ut, u)
    st.copy(r.zt, z)
    for k in range(a.shape[0]):
        a[k] = yp[q.shape[0] + k]
    time = t if t < o.scalar[LEFT] else np.nextafter(o.scalar[LEFT], state[st.T])
    nr, first = w.lam.shape[0], q.shape[0] + u.shape[0] + z.shape[0]
    if nr > 0:
        tree.poses(m, w, q)
        tree.motion(m, w, u, a)
        links.refresh(m, w, time, q)
        links.jacobian(m, w, w.rows)
        keep_columns(m, w.rows, o.B)
    for i in range(nr):
        w.lam[i] = yp[first + i]
        w.gap[i] = yp[first + nr + i]
    return time


@entry(INTS, REALS, VEC, REALS, VEC, VEC, REAL, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def bdf_jacobian(ints, reals, work, y, q, u, c, Rq, Ru, M, Rz, Gq, Gu, Gz, J):
    """J = derivative of the residual with respect to y, plus c times that with respect to y'.

    Needs the workspace as ``bdf_point`` and then ``dynamics.tangent`` leave it.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    nq, nu, nz, nr = q.shape[0], u.shape[0], Gz.shape[0], w.lam.shape[0]
    v = w.force
    st.copy(u, v)
    if nr > 0:
        links.jacobian(m, w, w.rows)
        links.rate_tangent(m, w, w.solved)
        for i in range(nr):
            for k in range(nu):
                v[k] += m.unit[k] * m.unit[k] * w.rows[i, k] * w.gap[i]
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
        constraint_border(m, w, y, q, c, J)
    for k in range(nq + nu + nz + 2 * nr, J.shape[0]):
        J[k, k] = c


@kernel
def constraint_border(m, w, y, q, c, J):
    """Rows of J for g and G u + g_t and columns for Lambda and Mu; G is in w.rows, H in w.solved."""
    nr, nu, nq = w.rows.shape[0], w.rows.shape[1], q.shape[0]
    lam = nq + nu + m.head[at.H_Z]
    mu = lam + nr
    along_coordinates(m, y, q, w.rows, 1.0, J, lam)
    along_coordinates(m, y, q, w.solved, 1.0, J, mu)
    for i in range(nr):
        for k in range(nu):
            g = w.rows[i, k]
            J[mu + i, nq + k] = g
            J[nq + k, lam + i] = c * g
            if g != 0.0:
                b = c * m.unit[k] * m.unit[k] * g
                for l in range(nq):  # q' depends on mu as on u, through B
                    J[l, mu + i] += b * J[l, nq + k]


@kernel
def fit(o, n, h, value, rate, p):
    """p = polynomial through column ``value`` of the ends with column ``rate`` as its slopes."""
    for j in range(st.DEGREE):
        p[j] = 0.0
    for k in range(n):
        end = o.ends[int(o.nodes[1, k])]
        a, b = end[value], h * end[rate]
        for j in range(2 * n):
            p[j] += o.basis[2 * k, j] * a + o.basis[2 * k + 1, j] * b


@kernel
def fill_polynomials(m, r, o, t, h):
    """Dense output of the last step for xi, u, z and Lambda from the remembered ends; returns the number of nodes.

    Nodes are chosen first: their places go to nodes[0] (1 and 0 are the ends of this step), their rows in the ends
    to nodes[1]. Then come the monomials, in the rows of basis, of the polynomials that are 1 in one value (row 2 k for
    node k) or in one rate (row 2 k + 1) and 0 in the others: divided differences of unit data.
    """
    nq, nu, nz = r.q.shape[0], r.u.shape[0], r.z.shape[0]
    s, rows, d, p = o.nodes[0], o.nodes[1], o.nodes[2], o.nodes[3]
    s[0], rows[0] = 1.0, 0.0
    s[1], rows[1] = 0.0, 1.0
    n, most = 2, 3 if o.ints[METHOD] == BDF else 4
    for k in range(2, o.ints[ENDS]):
        place = (o.ends[k, 0] - t) / h
        if n < most and place > -FARTHEST and s[n - 1] - place >= NEAREST:
            s[n], rows[n] = place, k
            n += 1
    for data in range(2 * n):
        for j in range(2 * n):  # values, every node twice
            d[j] = 1.0 if data == 2 * (j // 2) else 0.0
        for order in range(1, 2 * n):
            for j in range(2 * n - 1, order - 1, -1):
                if order == 1 and j % 2 == 1:
                    d[j] = 1.0 if data == j else 0.0
                else:
                    d[j] = (d[j] - d[j - 1]) / (s[j // 2] - s[(j - order) // 2])
        for j in range(st.DEGREE):
            p[j] = 0.0
        for j in range(2 * n - 1, -1, -1):  # Horner: p = p (x - s_j) + d_j
            for k in range(2 * n - 1, 0, -1):
                p[k] = p[k - 1] - s[j // 2] * p[k]
            p[0] = d[j] - s[j // 2] * p[0]
        for j in range(st.DEGREE):
            o.basis[data, j] = p[j]
    for k in range(nu):
        for j in range(st.DEGREE):
            r.px[k, j] = 0.0
        fit(o, n, h, 1 + nq + k, 1 + nq + nu + k, r.pu[k])
    for k in range(nz):
        fit(o, n, h, 1 + nq + 2 * nu + k, 1 + nq + 2 * nu + nz + k, r.pz[k])
    nr, k0 = o.push.shape[0], 1 + nq + 2 * nu + 2 * nz + 2 * r.w.shape[0]
    for k in range(nr):
        fit(o, n, h, k0 + k, k0 + nr + k, o.push[k])
    x, rate = o.u[S1], o.u[S2]
    for i in range(n):
        end = o.ends[int(rows[i])]
        chart.increment(m, r.q, end[1 : 1 + nq], x)
        chart.rate(m, x, end[1 + nq : 1 + nq + nu], rate)
        for k in range(nu):
            for j in range(2 * n):
                r.px[k, j] += o.basis[2 * i, j] * x[k] + o.basis[2 * i + 1, j] * h * rate[k]
    return n


@kernel
def slope(p, s):
    """Derivative of sum p[k] s^k."""
    y = 0.0
    for k in range(st.DEGREE - 1, 0, -1):
        y = y * s + k * p[k]
    return y


@kernel
def add_work(m, w, r, o, t, h):
    """Power at the end of the step, and the work up to there: the integral along the polynomials."""
    nq, nu, nz, ne = r.q.shape[0], r.u.shape[0], r.z.shape[0], r.w.shape[0]
    k0 = 1 + nq + 2 * nu + 2 * nz
    end, left = o.ends[0], o.scalar[LEFT]
    for k in range(ne):
        end[k0 + k] = r.w[k] + h * LOBATTO_END * r.power[k]
    for i in range(LOBATTO.shape[0]):
        st.state_at(m, r, LOBATTO[i])
        for k in range(w.lam.shape[0]):
            w.lam[k] = slope(o.push[k], LOBATTO[i]) / h
        time = t + LOBATTO[i] * h
        dynamics.exert(m, w, time if time < left else np.nextafter(left, t), r.qt, r.ut, r.a, r.zt)
        for k in range(ne):
            end[k0 + k] += h * LOBATTO_WEIGHTS[i] * w.power[k]
    for k in range(ne):
        end[k0 + ne + k] = w.power[k]


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, REALS, REALS, REAL, INT)
def multistep_accept(ints, reals, work, run, state, count, stops, grid, out, y, yp, t1, what):
    """What surrounds the steps of the solver; returns an outcome.

    ACCEPT: the solver found y, y' at t1. PAUSED: go on; then FRESH says whether t1 is a stop, where
    the solver must begin again. BEGIN: the run starts or goes on behind a stop with the rates in yp, and
    those of controllers and force elements in the workspace. FAILED: look for the velocity to blame.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    run_views, i = st.run_views(m, run, count)
    r = hold(run_views)
    o = hold(own_views(m, run, i, count))
    nq, nu, nz, ne = r.q.shape[0], r.u.shape[0], r.z.shape[0], r.w.shape[0]
    t, h, half = state[st.T], t1 - state[st.T], stops.shape[0] // 2
    end, first = o.ends[0], state[st.E_MAX] < 0.0
    if what == FAILED:
        state[st.H_MIN] = max(state[st.H_MIN], o.scalar[SIZE])  # for the message
        worst = 0.0
        for k in range(nu):  # the velocity that changed most in the last attempt; not finite ones first
            size = abs(r.ut[k] - r.u[k]) / o.u[WU, k]
            if o.ints[TROUBLE] == st.DONE and not size <= worst:
                worst = size if math.isfinite(size) else np.inf
                count[st.BAD_DOF] = k
        return o.ints[TROUBLE] if o.ints[TROUBLE] != st.DONE else st.NOT_CONVERGED
    if what == ACCEPT:
        last = min(o.ints[ENDS], REMEMBERED - 1)
        for k in range(last, 0, -1):
            st.copy(o.ends[k - 1], o.ends[k])
        o.ints[ENDS] = last + 1
        o.ints[ATTEMPTS] = 0
        unpack(m, r, o, y)
    else:
        o.ints[ENDS] = 1
        o.ints[ATTEMPTS] = 0
        o.scalar[LEFT] = stops[half + count[st.STOP]]
        o.scalar[TRIED] = t
        o.scalar[SIZE] = 0.0
        st.copy(r.q, r.qt)
        st.copy(r.u, r.ut)
        st.copy(r.z, r.zt)
        st.copy(w.power, r.power)
    # the new end, with the rates of the method: where the equations are stiff, theirs are noisy
    end[0] = t1
    for k in range(nq):
        end[1 + k] = r.qt[k]
    for k in range(nu):
        end[1 + nq + k] = r.ut[k]
        end[1 + nq + nu + k] = yp[nq + k]
    k0 = 1 + nq + 2 * nu
    for k in range(nz):
        end[k0 + k] = r.zt[k]
        end[k0 + nz + k] = yp[nq + nu + k]
    k0 += 2 * nz
    for k in range(ne):
        end[k0 + k] = r.w[k]
        end[k0 + ne + k] = r.power[k]
    nr = w.lam.shape[0]
    for k in range(nr):
        end[k0 + 2 * ne + k] = y[nq + nu + nz + k]
        end[k0 + 2 * ne + nr + k] = yp[nq + nu + nz + k]
    wanted = r.events.shape[0] > 0 or (count[st.GRID] < grid.shape[0] and grid[count[st.GRID]] <= t1)
    if what == ACCEPT and (wanted or ne > 0):
        n = fill_polynomials(m, r, o, t, h)
        if ne > 0:
            add_work(m, w, r, o, t, h)
        if wanted:
            for k in range(ne):
                fit(o, n, h, k0 + k, k0 + ne + k, r.pw[k])
            if st.emit(m, w, r, count, state, grid, out, t, h, t1):
                count[st.STEPS] += 1
                return st.EVENT
    k = 1
    for x in (r.q, r.u, r.a, r.z, r.zdot, r.w, r.power):
        for l in range(x.shape[0]):
            x[l] = end[k]
            k += 1
    state[st.T] = t1
    if what == ACCEPT or first:
        tree.poses(m, w, r.q)
        tree.motion(m, w, r.u, r.a)
        tree.inertias(m, w, r.q, r.u, r.a)
        st.audit(m, w, r, count, state)
    if first:
        st.start_events(m, w, r)
    st.weights(r, state, o.u[WX], o.u[WU], o.z, o.e)
    if what == BEGIN:
        count[st.FRESH] = 1
        return st.PAUSED
    count[st.STEPS] += 1
    count[st.FRESH] = 0
    if st.grown(m, r, count, o.u[WX]):
        return st.GROWN
    if t1 >= stops[count[st.STOP]]:
        count[st.STOP] += 1
        count[st.FRESH] = 1
    return st.PAUSED if count[st.STOP] < half else st.DONE
