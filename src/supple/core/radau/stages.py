"""The implicit stages of one Radau step: starting values, residuals, what drivers prescribe.

With constraint rows the equations are those of Gear, Gupta and Leimkuhler: in the step's chart

    xi' = T(xi)^-1 u + B mu      R(q, u, u') + G^T lam = 0      g(q, t) = 0      G u + g_t = 0

B = s^2 G^T with the units s of the increments, kept at the place of the tangents: mu vanishes with the error of the
step and only carries q back to the constraints. Newton's unknowns are w = h u + B h mu, z and h^2 lam; the
increment is eliminated, xi = (w - h F1)/gamma. The rows of violations give G w, those of rates G h u + h H xi with
H = d(G u)/dq, so G B h mu is the difference: with d = B (G B)^-1 (G w - G h u - h H xi) and P = B (G B)^-1 H

    h u = w - d - h P xi

and mu needs no place in the matrix. P enters through Ru - M P, Rq - Ru P and Gq - Gu P, in place of Ru, Rq, Gq.

The coefficients of Radau IIA of order 5 (Hairer and Wanner II, section IV.8) are derived from its matrix A. They are
arrays, not tuples: a tuple indexed by a variable becomes a chain of branches when compiled.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.forces import constraint_rows as links
from supple.core.forces.signals import evaluate
from supple.core.radau import buffers as rb
from supple.core.run import step as st
from supple.core.run.step_size import left_of
from supple.native.declare import INT, REAL, TRUTH, kernel, shared

_S6 = math.sqrt(6.0)
C1, C2 = (4.0 - _S6) / 10.0, (4.0 + _S6) / 10.0
C = np.array([C1, C2, 1.0])
A = np.array(
    [
        [(88 - 7 * _S6) / 360, (296 - 169 * _S6) / 1800, (-2 + 3 * _S6) / 225],
        [(296 + 169 * _S6) / 1800, (88 + 7 * _S6) / 360, (-2 - 3 * _S6) / 225],
        [(16 - _S6) / 36, (16 + _S6) / 36, 1 / 9],
    ]
)
AI = np.linalg.inv(A)

# AI = TT L TI with L = [[GAMMA, 0, 0], [0, ALPHA, BETA], [0, -BETA, ALPHA]], by eigenvectors
_values, _vectors = np.linalg.eig(AI)
_real, _pair = int(np.argmin(abs(_values.imag))), int(np.argmax(_values.imag))
GAMMA = float(_values[_real].real)
ALPHA, BETA = float(_values[_pair].real), float(_values[_pair].imag)
TT = np.column_stack([_vectors[:, _real].real, _vectors[:, _pair].real, _vectors[:, _pair].imag])
TI = np.linalg.inv(TT)

# Weights of the embedded error estimate
EST1, EST2, EST3 = -(13.0 + 7.0 * _S6) / 3.0, (-13.0 + 7.0 * _S6) / 3.0, -1.0 / 3.0

# Rates at 0, c1, c2, 1 -> coefficients of s, s^2, s^3, s^4 of the integral of the cubic through them
CUBIC = np.linalg.inv(np.vander([0.0, C1, C2, 1.0], 4, increasing=True)) / np.arange(1, 5)[:, None]

# Values at c1, c2, 1 -> coefficients of s, s^2, s^3 of the polynomial through them and zero at 0
THROUGH = np.linalg.inv(np.column_stack([C, C**2, C**3]))


@shared(TREE, st.RUN, rb.OWN, TRUTH, REAL, REAL)
def predict(m, r, o, fresh, h, h_old):
    """Starting values of the stages: the last step's polynomial, or the Taylor start."""
    for k in range(r.u.shape[0]):
        r.xt[k] = 0.0
    chart.acceleration(m, r.xt, r.u, r.u, r.a, o.u[rb.S1])
    for k in range(r.u.shape[0]):
        for i in range(3):
            c = C[i]
            o.u[rb.BMU + i, k] = 0.0
            if fresh:
                o.u[rb.X + i, k] = c * h * (r.u[k] + 0.5 * c * h * o.u[rb.S1, k])
                o.u[rb.U + i, k] = c * h * r.a[k]
            else:
                s = 1.0 + c * h / h_old
                o.u[rb.X + i, k] = extrapolate(o.u[rb.XO : rb.XO + 3], k, s)
                o.u[rb.U + i, k] = extrapolate(o.u[rb.UO : rb.UO + 3], k, s)
    if not fresh:  # the last step's increments are in the axes of its start
        for i in range(3):
            chart.turn_on(m, o.u[rb.XO + 2], o.u[rb.X + i])
    for k in range(r.z.shape[0]):
        for i in range(3):
            c = C[i]
            o.z[rb.Z + i, k] = c * h * r.zdot[k] if fresh else extrapolate(o.z[rb.ZO : rb.ZO + 3], k, 1.0 + c * h / h_old)
    for i in range(3):
        s = 1.0 + C[i] * h / h_old if not fresh else 1.0
        a = (s - C[1]) * (s - C[2]) / ((C[0] - C[1]) * (C[0] - C[2]))
        b = (s - C[0]) * (s - C[2]) / ((C[1] - C[0]) * (C[1] - C[2]))
        c = (s - C[0]) * (s - C[1]) / ((C[2] - C[0]) * (C[2] - C[1]))
        for k in range(o.c.shape[1]):
            o.c[rb.LAM + i, k] = r.lam[k] if fresh else a * o.c[rb.LO, k] + b * o.c[rb.LO + 1, k] + c * o.c[rb.LO + 2, k]


@kernel
def extrapolate(y, k, s):
    """Value at s, relative to s = 1, of the polynomial through 0 at 0 and y[:, k] at c1, c2, 1."""
    total = -y[2, k]
    power = 1.0
    for j in range(3):
        power *= s
        total += power * (THROUGH[j, 0] * y[0, k] + THROUGH[j, 1] * y[1, k] + THROUGH[j, 2] * y[2, k])
    return total


@kernel
def stage_time(t, h, i, left):
    """Time of stage i, left of the time ``left`` of a possible jump."""
    return left_of(t + C[i] * h, left, t)


@shared(TREE, WORK, st.RUN, rb.OWN, INT, REAL)
def prescribe(m, w, r, o, i, t):
    """Increments and velocities of stage i that drivers give."""
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            link = m.link[o.pin[j]]
            value, k = evaluate(m, w, link[at.LINK_SIGNAL], t), link[at.LINK_TERM]
            q, u, factor = m.term[k, at.TERM_Q], m.term[k, at.TERM_U], m.factor[k]
            o.u[rb.X + i, u] = (m.data[link[at.LINK_AT] + links.NUMBER] + value[0]) / factor - r.q[q]
            o.u[rb.U + i, u] = value[1] / factor - r.u[u]
            o.u[rb.GIVEN + i, u] = value[2] / factor


@kernel
def rates(m, r, o, i, h):
    """Accelerations of stage i from the stages' velocities, or as drivers give them."""
    for k in range(r.u.shape[0]):
        o.u[rb.RATE + i, k] = (AI[i, 0] * o.u[rb.U, k] + AI[i, 1] * o.u[rb.U + 1, k] + AI[i, 2] * o.u[rb.U + 2, k]) / h
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            k = m.term[m.link[o.pin[j], at.LINK_TERM], at.TERM_U]
            o.u[rb.RATE + i, k] = o.u[rb.GIVEN + i, k]


@kernel
def stage_rates(m, r, o, h):
    """Accelerations of all stages."""
    for i in range(3):
        rates(m, r, o, i, h)


@shared(TREE, WORK, st.RUN, rb.OWN, INT, REAL, REAL)
def stage(m, w, r, o, i, t, h):
    """Residuals f1, f2, f3 of stage i."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    for k in range(nu):
        r.xt[k] = o.u[rb.X + i, k]
        o.u[rb.S2, k] = (AI[i, 0] * o.u[rb.X, k] + AI[i, 1] * o.u[rb.X + 1, k] + AI[i, 2] * o.u[rb.X + 2, k]) / h
        r.ut[k] = r.u[k] + o.u[rb.U + i, k]
    rates(m, r, o, i, h)
    for k in range(nz):
        r.zt[k] = r.z[k] + o.z[rb.Z + i, k]
    chart.retract(m, r.q, r.xt, r.qt)
    chart.rate(m, r.xt, r.ut, o.u[rb.S1])
    if o.c.shape[1] > 0:
        st.copy(o.c[rb.LAM + i], w.lam)
        for k in range(nu):
            o.u[rb.S1, k] += o.u[rb.BMU + i, k]
    for k in range(nu):
        # not T xi' - u: there Newton's matrix would err by |xi|/2, here by |xi|/2 over its eigenvalue
        o.u[rb.F1 + i, k] = o.u[rb.S2, k] - o.u[rb.S1, k]
    dynamics.residual_at(m, w, t, r.qt, r.ut, o.u[rb.RATE + i], r.zt, o.u[rb.F2 + i])
    balance(m, o, i)
    for k in range(nz):
        d = (AI[i, 0] * o.z[rb.Z, k] + AI[i, 1] * o.z[rb.Z + 1, k] + AI[i, 2] * o.z[rb.Z + 2, k]) / h
        o.z[rb.ZRATE + i, k] = w.zdot[k]
        o.z[rb.F3 + i, k] = d - w.zdot[k]
    if o.G.shape[0] > 0:
        links.violations(m, w, o.c[rb.F4 + i])
        links.rates(m, w, t, r.ut, o.c[rb.F5 + i])


@kernel
def balance(m, o, i):
    """Multipliers of drivers from the residual of stage i: they balance the motion along what they drive."""
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            k = m.link[o.pin[j], at.LINK_TERM]
            o.c[rb.LAM + i, j] -= o.u[rb.F2 + i, m.term[k, at.TERM_U]] / m.factor[k]


@shared(TREE, WORK, st.RUN, rb.OWN, REAL, REAL, REAL)
def work_stages(m, w, r, o, t, h, left):
    """Integrals of the power of every force element up to each stage: h A P."""
    nu, ne = r.u.shape[0], r.w.shape[0]
    for i in range(3):
        for k in range(nu):
            r.xt[k] = o.u[rb.X + i, k]
            r.ut[k] = r.u[k] + o.u[rb.U + i, k]
        for k in range(r.z.shape[0]):
            r.zt[k] = r.z[k] + o.z[rb.Z + i, k]
        chart.retract(m, r.q, r.xt, r.qt)
        st.copy(o.c[rb.LAM + i], w.lam)
        dynamics.powers_at(m, w, stage_time(t, h, i, left), r.qt, r.ut, o.u[rb.RATE + i], r.zt)
        for k in range(ne):
            o.e[rb.WORK + i, k] = w.power[k]
        for k in range(r.z.shape[0]):
            o.z[rb.ZRATE + i, k] = w.zdot[k]
    for k in range(ne):
        a, b, c = h * o.e[rb.WORK, k], h * o.e[rb.WORK + 1, k], h * o.e[rb.WORK + 2, k]
        for i in range(3):
            o.e[rb.WORK + i, k] = A[i, 0] * a + A[i, 1] * b + A[i, 2] * c
