"""Dense output of a Radau step."""

from __future__ import annotations

from supple.core.bodies import chart
from supple.core.radau.buffers import RATE, S1, S2, WORK, ZRATE, U, X
from supple.core.radau.table import AI, CUBIC
from supple.core.run import step as st
from supple.native.declare import kernel


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
