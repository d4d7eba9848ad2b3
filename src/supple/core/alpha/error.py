"""Local error of a step of the generalized-alpha method, from filtered changes of its rates; see ``alpha_stage``."""

from __future__ import annotations

import math

from supple.core.alpha import newton, rows
from supple.core.alpha import tree as alpha_tree
from supple.core.alpha.stage import (
    A0,
    AF,
    AM,
    AT,
    BETA,
    DF,
    DM,
    DT,
    DZ,
    G_ROW,
    GAMMA,
    H_ROW,
    LAM,
    MASS,
    P1,
    PM,
    RATE,
    S1,
    S2,
    STEP,
    THETA,
    TSLOPE,
    UM,
    UV,
    WU,
    WW,
    WX,
    WZ,
    XI,
    XM,
    ZM,
    ZSLOPE,
    D,
    E,
    F,
    G,
    turn,
)
from supple.core.base import layout as at
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces
from supple.core.linalg import block_products
from supple.core.run import step as st
from supple.native.declare import kernel


@kernel
def change(m, r, o, parts, h, be, ge, both):
    """Changes D, DZ of the rates over the step, filtered: N D = M (E - A0), in the axes of the end.

    Smooth motion passes the filter but for its next order. Of a mode much faster than the step, whose
    rates are large and mean nothing, there remains what its amplitude is worth. Along the normals of constraints D is
    the change itself, DT is zero: the rows leave no error there. Fixed steps need no DT, which only their error asks for.
    """
    nu, nz, nr = r.u.shape[0], r.z.shape[0], r.lam.shape[0]
    n = nu + nz + (2 * nr if both else nr)
    y = o.y[:n]
    for k in range(nu):
        o.u[S1, k] = o.u[E, k] - o.u[A0, k]
    turn(m, o.u[XI], -1.0, o.u[S1])
    if alpha_tree.along_tree(m):
        alpha_tree.push(m, parts, o, o.u[S1], y)
    else:
        for k in range(nu):
            y[k] = 0.0
        block_products.add_product(m, o.tangent[MASS], o.u[S1], 1.0, y)
    parts_of_error = 2 if nr > 0 and o.c[STEP] == 0.0 else 1
    for k in range(nu if parts_of_error == 2 else 0):
        o.u[F, k] = y[k]
    for part in range(parts_of_error):
        for k in range(nu if part == 1 else 0):
            y[k] = o.u[F, k]
        for k in range(nz):
            y[nu + k] = o.z[G, k] - r.zdot[k]
        if part == 0:
            rows.images(m, y, o.rows[G_ROW], o.rows[H_ROW], o.u[S1], h * h * be, h * ge, nu + nz)
        else:
            for j in range(nu + nz, n):
                y[j] = 0.0
        newton.solve(m, o, parts, y)
        for k in range(nu if part == 0 else 0):
            o.u[D, k] = y[k]
        for k in range(nu if o.c[STEP] == 0.0 else 0):
            o.u[DT, k] = y[k]
        if part == 0:
            for k in range(nz):
                o.z[DZ, k] = y[nu + k]


@kernel
def middle_state(m, r, o, h):
    """State in the middle of the step into rows XM, UM, ZM; needs end_state. Powers and dense output ask for it.

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
    """Weighted norm of the local errors of xi, u, z and w; those of xi and u are left in the rows S2 and S1.

    xi: (beta + s/2 - 1/6) h^3 u'' - h^3/12 u x u' (of rotations, whose chart bends), u: (gamma + s - 1/2)
    h^2 u'' + (1/12 - s^2 - s/2 + alpha_m s) h^3 u''', with s = alpha_m - alpha_f; z like u. The third
    derivative is a difference of slopes of two steps; a fresh step, which has but one, takes h^2 u''
    instead. w: the difference of Simpson's and the trapezoidal rule. Of fixed steps only the last counts, if it is finite.
    """
    c = o.c
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    s, sz = c[AM] - c[AF], c[DM] - c[DF]
    cx = (c[BETA] + 0.5 * s - 1.0 / 6.0) * h * h
    low, high = c[GAMMA] + s - 0.5, 1.0 / 12.0 - s * s - 0.5 * s + c[AM] * s
    low_z, high_z = c[THETA] + sz - 0.5, 1.0 / 12.0 - sz * sz - 0.5 * sz + c[DM] * sz
    f = 2.0 * h * h / (h + h_old) if not fresh else h
    back = h if not fresh else 0.0
    fixed = c[STEP] > 0.0
    for k in range(0 if fixed else nu):
        o.u[S1, k] = o.u[TSLOPE, k]
        o.u[S2, k] = cx * o.u[DT, k]
    if not fixed:
        turn(m, o.u[XI], -1.0, o.u[S1])
    for n in range(m.node.shape[0] if fixed else 1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            j, g = m.node[n, at.U0], h * h * h / 12.0
            o.u[S2, j] -= g * (r.u[j + 1] * r.a[j + 2] - r.u[j + 2] * r.a[j + 1])
            o.u[S2, j + 1] -= g * (r.u[j + 2] * r.a[j] - r.u[j] * r.a[j + 2])
            o.u[S2, j + 2] -= g * (r.u[j] * r.a[j + 1] - r.u[j + 1] * r.a[j])
    total = 0.0
    for k in range(0 if fixed else nu):
        a = o.u[S2, k] / o.u[WX, k]
        b = (low * h * o.u[DT, k] + high * f * (o.u[DT, k] - back * o.u[S1, k])) / o.u[WU, k]
        o.u[S2, k], o.u[S1, k] = a, b
        total += a * a + b * b
    for k in range(nz):
        b = (low_z * h * o.z[DZ, k] + high_z * f * (o.z[DZ, k] - back * o.z[ZSLOPE, k])) / o.z[WZ, k]
        total += b * b
    for k in range(ne):
        b = h / 3.0 * (2.0 * o.e[PM, k] - r.power[k] - o.e[P1, k]) / o.e[WW, k]
        total += b * b
    return math.sqrt(total / max(2 * nu + nz + ne, 1))


@kernel
def worst_error(o):
    """The velocity with the largest of the errors that ``error_norm`` left, or one that is not finite."""
    worst, found = 0.0, 0
    for k in range(o.u.shape[1]):
        size = o.u[S2, k] * o.u[S2, k] + o.u[S1, k] * o.u[S1, k]
        if not size <= worst:
            worst, found = size, k
    return found


@kernel
def powers(m, w, r, o, t, h, t1):
    """Powers of the force elements in the middle and at the end of the step; kinematics and rates of rows at its end."""
    if forces.work_is_done(m):
        middle_state(m, r, o, h)
        chart.retract(m, r.q, o.u[XM], r.qt)
        for j in range(r.lam.shape[0]):
            w.lam[j] = 0.5 * (r.lam[j] + o.row[LAM, j])
        dynamics.powers_at(m, w, t + 0.5 * h, r.qt, o.u[UM], o.u[AT], o.z[ZM])
        st.copy(w.power, o.e[PM])
        chart.retract(m, r.q, o.u[XI], r.qt)
        st.copy(o.row[LAM], w.lam)
    dynamics.powers_at(m, w, t1, r.qt, r.ut, o.u[AT], r.zt)  # also for the audit
    st.copy(w.power, o.e[P1])
    if m.link.shape[0] > 0:
        links.refresh(m, w, t1, r.qt)
    links.rates(m, w, t1, r.ut, o.row[RATE])
