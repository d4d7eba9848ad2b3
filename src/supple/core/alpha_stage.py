"""One implicit step of the generalized-alpha method: end state, Newton's matrix, error, dense output.

The unknowns are the rates E at the step's end: of the velocities u, and G of the controller states z.
Rates and velocities of the places of free joints are in the axes of the step's start, y' = exp(x) v, so
that a place moves by p + R y as in the plain method; all others are u and u' themselves. Newton's
increments, errors and carried differences are in the axes of the step's end, which the tangents use.

Constraint rows (core/alpha_rows.py) bring multipliers lam at the step's end. Held are positions g = 0 (index 3), or
positions and velocities G u + g_t = 0; then the increment gets a further part P along the rows' normals.

Positions alone leave velocities that are off the constraints by (1/6 - beta - s/2) h^2 u'' along the normals. A
velocity that is not off by that much, at the start or where the step changes, makes the rates and multipliers swing
with an error of order 1. So fresh steps hold both: their P/h is just this offset. Where the step changes, the offset
changes with its square.
"""

from __future__ import annotations

import math
from collections import namedtuple

from supple.core import alpha_rows as rows
from supple.core import chart, dynamics, linalg, links, so3
from supple.core import layout as at
from supple.core import step as st
from supple.core.radau_stages import spin
from supple.native.declare import block, kernel

MAX_NEWTON = 10

# The method's parameters, first in its part of the buffer: alpha_m, alpha_f, beta, gamma; the same of the
# controller states delta_m, delta_f, theta; fixed step in s (0: error control); whether velocities are held on the
# constraints as well as positions (1: yes)
AM, AF, BETA, GAMMA, DM, DF, THETA, STEP, BOTH = 0, 1, 2, 3, 4, 5, 6, 7, 8
PARAMETERS = 9

# Rows over constraints: largest rates at ends of steps so far, multipliers at the end, their slope in the last step,
# violations and their rates
LARGEST, LAM, LSLOPE, GAP, RATE = range(5)
ROWS = 5

# Rows over velocities: rates at the end and the start, algorithmic rate, filtered slope of the last step's
# rates, known parts of increment and velocity, these at the end and in the middle, body rate at the end,
# residual, filtered change of rates, weights, scratch; change and slope along the constraints only, part of the
# increment along the constraints' normals, what is added to the velocity at the start where the step changes
E, A0, AL, SLOPE, XB, UB, XI, UV, XM, UM, AT, F, D, WX, WU, S1, S2, DT, TSLOPE, P, OFF = range(21)
U_ROWS = 21
# ... over controller states: rate at the end, algorithmic rate, slope, known part, middle, change, weights
G, ZAL, ZSLOPE, ZB, ZM, DZ, WZ = range(7)
Z_ROWS = 7
# ... over force elements: power in the middle and at the end, weights
PM, P1, WW = range(3)
E_ROWS = 3
RQ, RU, MASS = 0, 1, 2
# Over constraint rows and velocities: G, derivative H of the rates along q
G_ROW, H_ROW = 0, 1
# Integers: why the last attempt failed (DONE: it did not, or by its error), steps left to the stop
TROUBLE, LEFT = 0, 1
OWN_INTS = 2

Own = namedtuple("Own", "c row u z e y tangent Rz Gq Gu Gz rows newton pivots ints")


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k]."""
    nu, nz, ne, nr = m.head[at.H_U], m.head[at.H_Z], m.head[at.H_ELEMENTS], m.head[at.H_ROWS]
    n = nu + nz + 2 * nr
    c = block(run, i, PARAMETERS)
    i += PARAMETERS
    row = block(run, i, ROWS, nr)
    i += ROWS * nr
    u = block(run, i, U_ROWS, nu)
    i += U_ROWS * nu
    z = block(run, i, Z_ROWS, nz)
    i += Z_ROWS * nz
    e = block(run, i, E_ROWS, ne)
    i += E_ROWS * ne
    y = block(run, i, n)
    i += n
    tangent = block(run, i, 3, nu, nu)
    i += 3 * nu * nu
    Rz = block(run, i, nu, nz)
    i += nu * nz
    Gq = block(run, i, nz, nu)
    i += nu * nz
    Gu = block(run, i, nz, nu)
    i += nu * nz
    Gz = block(run, i, nz, nz)
    i += nz * nz
    links_rows = block(run, i, 2, nr, nu)
    i += 2 * nr * nu
    newton = block(run, i, n * n)
    pivots = ints[k + OWN_INTS : k + OWN_INTS + n]
    return Own(c, row, u, z, e, y, tangent, Rz, Gq, Gu, Gz, links_rows, newton, pivots, block(ints, k, OWN_INTS))


def own_size(nu: int, nz: int, ne: int, nr: int) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer."""
    n = nu + nz + 2 * nr
    vectors = PARAMETERS + ROWS * nr + U_ROWS * nu + Z_ROWS * nz + E_ROWS * ne + n
    return vectors + 3 * nu * nu + 3 * nu * nz + nz * nz + 2 * nr * nu + n * n, OWN_INTS + n


@kernel
def turn(m, x, sign, y):
    """y = exp(sign x) y for the places of free joints: -1 to the axes at the increment x, +1 back."""
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            y[j + 3], y[j + 4], y[j + 5] = so3.rotate(
                sign * x[j], sign * x[j + 1], sign * x[j + 2], y[j + 3], y[j + 4], y[j + 5]
            )


@kernel
def offset(m, w, r, o, t, ratio):
    """What the start's velocity lacks for a step of another size (ratio new/old; 0: a fresh one) into row OFF."""
    st.copy(r.q, r.qt)
    st.copy(r.u, r.ut)
    if ratio != 1.0:
        dynamics.satisfy(m, w, t, r.qt, r.ut, r.xt, r.qs)
    for k in range(r.u.shape[0]):
        o.u[OFF, k] = (ratio * ratio - 1.0) * (r.u[k] - r.ut[k])


@kernel
def begin(m, w, r, o, h, h_old, fresh):
    """Known parts of the step and starting values; returns the factors of h^2 E, h E and h G at its end.

    A fresh step takes the algorithmic rate at its start from the two true ones, A0 + s (E - A0) with
    s = alpha_m - alpha_f: it is a Newmark step with gamma = 1/2 and beta = (1 + s^2)/4. Otherwise that
    rate, which belongs to s h after the instant, is moved to the new step.
    """
    c = o.c
    nu, nz = r.u.shape[0], r.z.shape[0]
    for j in range(r.lam.shape[0]):
        o.row[LAM, j] = r.lam[j] if fresh else r.lam[j] + h * o.row[LSLOPE, j]
    st.copy(o.row[LAM], w.lam)
    for k in range(nu):
        r.xt[k] = 0.0
        o.u[P, k] = 0.0
    chart.acceleration(m, r.xt, r.u, r.u, r.a, o.u[A0])
    if fresh:
        s, sz = c[AM] - c[AF], c[DM] - c[DF]
        be, ge, te = c[BETA] + 0.5 * s, c[GAMMA] + s, c[THETA] + sz
        for k in range(nu):
            u = r.u[k] + o.u[OFF, k]
            o.u[E, k] = o.u[A0, k]
            o.u[XB, k] = h * u + h * h * (0.5 - be) * o.u[A0, k]
            o.u[UB, k] = u + h * (1.0 - ge) * o.u[A0, k]
        for k in range(nz):
            o.z[G, k] = r.zdot[k]
            o.z[ZB, k] = r.z[k] + h * (1.0 - te) * r.zdot[k]
        return be, ge, te
    ratio = h / h_old
    f = 1.0 / (1.0 - c[AM])
    for k in range(nu):
        a = o.u[A0, k]
        x = a + ratio * (o.u[AL, k] - a)
        y = f * (c[AF] * a - c[AM] * x)  # the known part of the algorithmic rate at the end
        u = r.u[k] + o.u[OFF, k]
        o.u[E, k] = a + h * o.u[SLOPE, k]
        o.u[XB, k] = h * u + h * h * ((0.5 - c[BETA]) * x + c[BETA] * y)
        o.u[UB, k] = u + h * ((1.0 - c[GAMMA]) * x + c[GAMMA] * y)
    g = 1.0 / (1.0 - c[DM])
    for k in range(nz):
        a = r.zdot[k]
        x = a + ratio * (o.z[ZAL, k] - a)
        o.z[G, k] = a + h * o.z[ZSLOPE, k]
        o.z[ZB, k] = r.z[k] + h * ((1.0 - c[THETA]) * x + c[THETA] * g * (c[DF] * a - c[DM] * x))
    f *= 1.0 - c[AF]
    return c[BETA] * f, c[GAMMA] * f, c[THETA] * g * (1.0 - c[DF])


@kernel
def carry(m, r, o, h, h_old, fresh):
    """Algorithmic rates and slopes for the next step, in the axes of its start."""
    c = o.c
    s, sz = c[AM] - c[AF], c[DM] - c[DF]
    for k in range(r.u.shape[0]):
        a, e = o.u[A0, k], o.u[E, k]
        x = a + h / h_old * (o.u[AL, k] - a) if not fresh else 0.0
        o.u[AL, k] = a + (1.0 + s) * (e - a) if fresh else ((1.0 - c[AF]) * e + c[AF] * a - c[AM] * x) / (1.0 - c[AM])
        o.u[SLOPE, k] = o.u[D, k] / h
        o.u[TSLOPE, k] = o.u[DT, k] / h
    turn(m, o.u[XI], -1.0, o.u[AL])
    for j in range(r.lam.shape[0]):
        o.row[LSLOPE, j] = (o.row[LAM, j] - r.lam[j]) / h
        o.row[LARGEST, j] = max(o.row[LARGEST, j], abs(o.row[RATE, j]))
    for k in range(r.z.shape[0]):
        a, e = r.zdot[k], o.z[G, k]
        x = a + h / h_old * (o.z[ZAL, k] - a) if not fresh else 0.0
        o.z[ZAL, k] = a + (1.0 + sz) * (e - a) if fresh else ((1.0 - c[DF]) * e + c[DF] * a - c[DM] * x) / (1.0 - c[DM])
        o.z[ZSLOPE, k] = o.z[DZ, k] / h


@kernel
def accept(r, o, h):
    """Move the state to the step's end, which is in qt, ut, zt; work by Simpson's rule."""
    for k in range(r.w.shape[0]):
        r.w[k] += h / 6.0 * (r.power[k] + 4.0 * o.e[PM, k] + o.e[P1, k])
    st.copy(r.qt, r.q)
    st.copy(r.ut, r.u)
    st.copy(o.u[AT], r.a)
    st.copy(r.zt, r.z)
    st.copy(o.z[G], r.zdot)
    st.copy(o.e[P1], r.power)
    st.copy(o.row[LAM], r.lam)


@kernel
def end_state(m, r, o, h, be, ge, te):
    """State at the step's end into qt, ut, zt and its body rates into row AT."""
    for k in range(r.u.shape[0]):
        o.u[XI, k] = o.u[XB, k] + h * h * be * o.u[E, k] + o.u[P, k]
        o.u[UV, k] = o.u[UB, k] + h * ge * o.u[E, k]
        r.ut[k] = o.u[UV, k]
        o.u[AT, k] = o.u[E, k]
    for k in range(r.z.shape[0]):
        r.zt[k] = o.z[ZB, k] + h * te * o.z[G, k]
    turn(m, o.u[XI], -1.0, r.ut)
    turn(m, o.u[XI], -1.0, o.u[AT])
    a, u = o.u[AT], r.ut
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:  # v' = y'' - w x v
            j = m.node[n, at.U0]
            a[j + 3] -= u[j + 1] * u[j + 5] - u[j + 2] * u[j + 4]
            a[j + 4] -= u[j + 2] * u[j + 3] - u[j] * u[j + 5]
            a[j + 5] -= u[j] * u[j + 4] - u[j + 1] * u[j + 3]
    chart.retract(m, r.q, o.u[XI], r.qt)


@kernel
def tangent_rows(m, w, r, o, both):
    """What the tangents of ``dynamics.differentiate`` lack: those of the rows, and the turning axes of free joints.

    dv = h ge dE + v x dtheta,  dv' = dE + (v' + w x v) x dtheta + v x dw - w x dv for a free joint's place.
    """
    if r.lam.shape[0] > 0:
        links.jacobian(m, w, o.rows[G_ROW])
        if both:
            links.rate_tangent(m, w, o.rows[H_ROW])
    a, u = o.u[AT], r.ut
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            w0, w1, w2, v0, v1, v2 = u[j], u[j + 1], u[j + 2], u[j + 3], u[j + 4], u[j + 5]
            b = (a[j + 3] + w1 * v2 - w2 * v1, a[j + 4] + w2 * v0 - w0 * v2, a[j + 5] + w0 * v1 - w1 * v0)
            for c in range(u.shape[0]):
                M, Ru, Rq = o.tangent[MASS, c], o.tangent[RU, c], o.tangent[RQ, c]
                lever(M, Rq, j, b[0], b[1], b[2])
                Ru[j + 3] -= M[j + 4] * w2 - M[j + 5] * w1
                Ru[j + 4] -= M[j + 5] * w0 - M[j + 3] * w2
                Ru[j + 5] -= M[j + 3] * w1 - M[j + 4] * w0
                lever(Ru, Rq, j, v0, v1, v2)
                lever(M, Ru, j, v0, v1, v2)
            for c in range(r.z.shape[0]):
                lever(o.Gu[c], o.Gq[c], j, v0, v1, v2)
            if both:
                for c in range(r.lam.shape[0]):
                    lever(o.rows[G_ROW, c], o.rows[H_ROW, c], j, v0, v1, v2)


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
def newton_update(m, w, r, o, n, t, h, be, ge, te):
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
    linalg.lu_solve(o.newton[: n * n].reshape((n, n)), o.pivots, y)
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
def rounding(m, r, o, n, h, be, ge):
    """Weighted norm of what the rounding of violations does to an update by positions alone; it grows with 1/h."""
    nu, nz, y = r.u.shape[0], r.z.shape[0], o.y[:n]
    p, v = h * h * be, h * ge
    for k in range(nu + nz):
        y[k] = 0.0
    for j in range(r.lam.shape[0]):
        size = 0.0
        for k in range(nu):
            size = max(size, abs(o.rows[G_ROW, j, k]) * m.unit[k])
        y[nu + nz + j] = 1e-15 * size / p
    linalg.lu_solve(o.newton[: n * n].reshape((n, n)), o.pivots, y)
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
    if it == 0:  # by the rate of the last step, if its tangent is still in use
        return st.DONE if ints[st.KEEP_JACOBIAN] == 1 and left <= 0.1 * tolerance else st.PAUSED, rate
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
def change(m, r, o, n, h, be, ge):
    """Changes D, DZ of the rates over the step, filtered: N D = M (E - A0), in the axes of the end.

    Smooth motion passes the filter but for its next order. Of a mode much faster than the step, whose
    rates are large and mean nothing, there remains what its amplitude is worth. Along the normals of constraints D is
    the change itself, DT is zero: the rows leave no error there.
    """
    nu, nz, nr, y = r.u.shape[0], r.z.shape[0], r.lam.shape[0], o.y[:n]
    for k in range(nu):
        o.u[S1, k] = o.u[E, k] - o.u[A0, k]
    turn(m, o.u[XI], -1.0, o.u[S1])
    for part in range(2 if nr > 0 else 1):
        for k in range(nu):
            y[k] = rows.dot(o.tangent[MASS, k], o.u[S1])
        for k in range(nz):
            y[nu + k] = o.z[G, k] - r.zdot[k]
        if part == 0:
            rows.images(y, o.rows[G_ROW], o.rows[H_ROW], o.u[S1], h * h * be, h * ge, nu + nz)
        else:
            for j in range(nu + nz, n):
                y[j] = 0.0
        linalg.lu_solve(o.newton[: n * n].reshape((n, n)), o.pivots, y)
        for k in range(nu):
            o.u[DT, k] = y[k]
            if part == 0:
                o.u[D, k] = y[k]
        if part == 0:
            for k in range(nz):
                o.z[DZ, k] = y[nu + k]


@kernel
def lean(r, o, h):
    """After a fresh step that held velocities, but from which positions alone are held: their offset, P/h."""
    for k in range(r.u.shape[0]):
        o.u[UB, k] += o.u[P, k] / h


@kernel
def middle_state(m, r, o, h):
    """State in the middle of the step into rows XM, UM, ZM; needs end_state.

    Cubic Hermite: of xi from increments and velocities, of u and z from these and the filtered change of
    their rates.
    """
    chart.rate(m, o.u[XI], r.ut, o.u[S1])
    st.copy(o.u[D], o.u[S2])
    turn(m, o.u[XI], 1.0, o.u[S2])
    for k in range(r.u.shape[0]):
        o.u[XM, k] = 0.5 * o.u[XI, k] + 0.125 * h * (r.u[k] - o.u[S1, k])
        o.u[UM, k] = 0.5 * (r.u[k] + o.u[UV, k]) - 0.125 * h * o.u[S2, k]
    turn(m, o.u[XM], -1.0, o.u[UM])
    for k in range(r.z.shape[0]):
        o.z[ZM, k] = 0.5 * (r.z[k] + r.zt[k]) - 0.125 * h * o.z[DZ, k]


@kernel
def error_norm(m, r, o, h, h_old, fresh):
    """Weighted norm of the local errors of xi, u, z and w, and the worst velocity.

    xi: (beta + s/2 - 1/6) h^3 u'' - h^3/12 u x u' (of rotations, whose chart bends), u: (gamma + s - 1/2)
    h^2 u'' + (1/12 - s^2 - s/2 + alpha_m s) h^3 u''', with s = alpha_m - alpha_f; z like u. The third
    derivative is a difference of slopes of two steps; a fresh step, which has but one, takes h^2 u''
    instead. w: the difference of Simpson's and the trapezoidal rule.
    """
    c = o.c
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    s, sz = c[AM] - c[AF], c[DM] - c[DF]
    cx = (c[BETA] + 0.5 * s - 1.0 / 6.0) * h * h
    low, high = c[GAMMA] + s - 0.5, 1.0 / 12.0 - s * s - 0.5 * s + c[AM] * s
    low_z, high_z = c[THETA] + sz - 0.5, 1.0 / 12.0 - sz * sz - 0.5 * sz + c[DM] * sz
    f = 2.0 * h * h / (h + h_old) if not fresh else h
    back = h if not fresh else 0.0
    for k in range(nu):
        o.u[S1, k] = o.u[TSLOPE, k]
        o.u[S2, k] = cx * o.u[DT, k]
    turn(m, o.u[XI], -1.0, o.u[S1])
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            j, g = m.node[n, at.U0], h * h * h / 12.0
            o.u[S2, j] -= g * (r.u[j + 1] * r.a[j + 2] - r.u[j + 2] * r.a[j + 1])
            o.u[S2, j + 1] -= g * (r.u[j + 2] * r.a[j] - r.u[j] * r.a[j + 2])
            o.u[S2, j + 2] -= g * (r.u[j] * r.a[j + 1] - r.u[j + 1] * r.a[j])
    total, worst, found = 0.0, 0.0, 0
    for k in range(nu):
        a = o.u[S2, k] / o.u[WX, k]
        b = (low * h * o.u[DT, k] + high * f * (o.u[DT, k] - back * o.u[S1, k])) / o.u[WU, k]
        total += a * a + b * b
        if not a * a + b * b <= worst:  # also finds what is not finite
            worst, found = a * a + b * b, k
    for k in range(nz):
        b = (low_z * h * o.z[DZ, k] + high_z * f * (o.z[DZ, k] - back * o.z[ZSLOPE, k])) / o.z[WZ, k]
        total += b * b
    for k in range(ne):
        b = h / 3.0 * (2.0 * o.e[PM, k] - r.power[k] - o.e[P1, k]) / o.e[WW, k]
        total += b * b
    return math.sqrt(total / max(2 * nu + nz + ne, 1)), found


@kernel
def fill_polynomials(m, r, o, h):
    """Dense output: cubic Hermite for xi, parabolas through both ends and the middle for u and z, and for
    w the integral of the parabola through the powers. Needs end_state and middle_state.
    """
    chart.rate(m, o.u[XI], r.ut, o.u[S1])
    for k in range(r.u.shape[0]):
        p, x, a, b = r.px[k], o.u[XI, k], h * r.u[k], h * o.u[S1, k]
        p[0], p[1], p[2], p[3] = 0.0, a, 3.0 * x - 2.0 * a - b, a + b - 2.0 * x
        parabola(r.u[k], o.u[UM, k], r.ut[k], r.pu[k])
        for j in range(4, st.DEGREE):
            p[j] = 0.0
    for k in range(r.z.shape[0]):
        parabola(r.z[k], o.z[ZM, k], r.zt[k], r.pz[k])
    for k in range(r.w.shape[0]):
        p = r.pw[k]
        parabola(r.power[k], o.e[PM, k], o.e[P1, k], p)
        p[3], p[2], p[1], p[0] = h * p[2] / 3.0, h * p[1] / 2.0, h * p[0], r.w[k]


@kernel
def parabola(a, b, c, p):
    """Coefficients of the parabola through a, b, c at s = 0, 1/2, 1."""
    p[0], p[1], p[2] = a, 4.0 * b - 3.0 * a - c, 2.0 * (a + c) - 4.0 * b
    for j in range(3, st.DEGREE):
        p[j] = 0.0
