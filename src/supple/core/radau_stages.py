"""The implicit stages of one Radau step: starting values, residuals, Newton's matrix and updates."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from supple.core import dynamics, forces, linalg, tree
from supple.core import layout as at
from supple.core import step as st
from supple.core.jit import kernel
from supple.core.radau_table import AA, AI, ALPHA, BETA, C1, C2, GAMMA, THROUGH, TI, TT

MAX_NEWTON = 10

Own = namedtuple(
    "Own",
    "x u z rate zrate power f1 f2 f3 Rq Ru M Rz Gq e1 er ei wx wu wz ww y1 y2 y3 v d xo uo zo piv1 piv2",
)


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k]."""
    nu, nz, ne = m.head[at.H_U], m.head[at.H_Z], m.head[at.H_ELEMENTS]
    n = nu + nz
    x = run[i : i + 3 * nu].reshape((3, nu))
    i += 3 * nu
    u = run[i : i + 3 * nu].reshape((3, nu))
    i += 3 * nu
    z = run[i : i + 3 * nz].reshape((3, nz))
    i += 3 * nz
    rate = run[i : i + 3 * nu].reshape((3, nu))
    i += 3 * nu
    zrate = run[i : i + 3 * nz].reshape((3, nz))
    i += 3 * nz
    power = run[i : i + 3 * ne].reshape((3, ne))
    i += 3 * ne
    f1 = run[i : i + 3 * nu].reshape((3, nu))
    i += 3 * nu
    f2 = run[i : i + 3 * nu].reshape((3, nu))
    i += 3 * nu
    f3 = run[i : i + 3 * nz].reshape((3, nz))
    i += 3 * nz
    Rq = run[i : i + nu * nu].reshape((nu, nu))
    i += nu * nu
    Ru = run[i : i + nu * nu].reshape((nu, nu))
    i += nu * nu
    M = run[i : i + nu * nu].reshape((nu, nu))
    i += nu * nu
    Rz = run[i : i + nu * nz].reshape((nu, nz))
    i += nu * nz
    Gq = run[i : i + nu * nz].reshape((nz, nu))
    i += nu * nz
    e1 = run[i : i + n * n].reshape((n, n))
    i += n * n
    er = run[i : i + n * n].reshape((n, n))
    i += n * n
    ei = run[i : i + n * n].reshape((n, n))
    i += n * n
    wx = run[i : i + nu]
    i += nu
    wu = run[i : i + nu]
    i += nu
    wz = run[i : i + nz]
    i += nz
    ww = run[i : i + ne]
    i += ne
    y1 = run[i : i + n]
    i += n
    y2 = run[i : i + n]
    i += n
    y3 = run[i : i + n]
    i += n
    v = run[i : i + nu]
    i += nu
    d = run[i : i + nu]
    i += nu
    xo = run[i : i + 3 * nu].reshape((3, nu))
    i += 3 * nu
    uo = run[i : i + 3 * nu].reshape((3, nu))
    i += 3 * nu
    zo = run[i : i + 3 * nz].reshape((3, nz))
    piv1 = ints[k : k + n]
    piv2 = ints[k + n : k + 2 * n]
    return Own(
        x, u, z, rate, zrate, power, f1, f2, f3, Rq, Ru, M, Rz, Gq, e1, er, ei, wx, wu, wz, ww,
        y1, y2, y3, v, d, xo, uo, zo, piv1, piv2,
    )


def own_size(nu: int, nz: int, ne: int) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer."""
    n = nu + nz
    vectors = 3 * (7 * nu + 4 * nz + ne) + 4 * nu + nz + ne + 3 * n
    return vectors + 3 * nu * nu + 2 * nu * nz + 3 * n * n, 2 * n


@kernel
def predict(m, r, o, fresh, h, h_old):
    """Starting values of the stages: the last step's polynomial, or the Taylor start."""
    for k in range(r.u.shape[0]):
        for i in range(3):
            c = C1 if i == 0 else (C2 if i == 1 else 1.0)
            if fresh:
                o.x[i, k] = c * h * (r.u[k] + 0.5 * c * h * r.a[k])
                o.u[i, k] = c * h * r.a[k]
            else:
                s = 1.0 + c * h / h_old
                o.x[i, k] = extrapolate(o.xo, k, s)
                o.u[i, k] = extrapolate(o.uo, k, s)
    for k in range(r.z.shape[0]):
        for i in range(3):
            c = C1 if i == 0 else (C2 if i == 1 else 1.0)
            o.z[i, k] = c * h * r.zdot[k] if fresh else extrapolate(o.zo, k, 1.0 + c * h / h_old)


@kernel
def extrapolate(y, k, s):
    """Value at s, relative to s = 1, of the polynomial through 0 at 0 and y[:, k] at c1, c2, 1."""
    total = -y[2, k]
    power = 1.0
    for j in range(3):
        power *= s
        total += power * (THROUGH[j][0] * y[0, k] + THROUGH[j][1] * y[1, k] + THROUGH[j][2] * y[2, k])
    return total


@kernel
def stage_time(t, h, i, stop):
    """Time of stage i, kept left of the next stop so that a jump there is not seen early."""
    s = t + (C1 if i == 0 else (C2 if i == 1 else 1.0)) * h
    return s if s < stop else np.nextafter(stop, t)


@kernel
def stage(m, w, r, o, i, t, h):
    """Residuals f1, f2, f3 of stage i."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    for k in range(nu):
        r.xt[k] = o.x[i, k]
        o.d[k] = (AI[i][0] * o.x[0, k] + AI[i][1] * o.x[1, k] + AI[i][2] * o.x[2, k]) / h
        r.ut[k] = r.u[k] + o.u[i, k]
        o.rate[i, k] = (AI[i][0] * o.u[0, k] + AI[i][1] * o.u[1, k] + AI[i][2] * o.u[2, k]) / h
    for k in range(nz):
        r.zt[k] = r.z[k] + o.z[i, k]
    tree.retract(m, r.q, r.xt, r.qt)
    tree.chart_rate(m, r.xt, r.ut, o.v)
    for k in range(nu):
        # not T xi' - u: there Newton's matrix would err by |xi|/2, here by |xi|/2 over its eigenvalue
        o.f1[i, k] = o.d[k] - o.v[k]
    dynamics.evaluate(m, w, t, r.qt, r.ut, o.rate[i], r.zt, o.f2[i])
    for k in range(nz):
        d = (AI[i][0] * o.z[0, k] + AI[i][1] * o.z[1, k] + AI[i][2] * o.z[2, k]) / h
        o.zrate[i, k] = w.zdot[k]
        o.f3[i, k] = d - w.zdot[k]


@kernel
def middle_tangent(m, w, r, o, t, h):
    """Tangents at the middle of the step, predicted by Taylor."""
    for k in range(r.u.shape[0]):
        r.xt[k] = 0.5 * h * (r.u[k] + 0.25 * h * r.a[k])
        r.ut[k] = r.u[k] + 0.5 * h * r.a[k]
    tree.retract(m, r.q, r.xt, r.qt)
    dynamics.differentiate(m, w, t + 0.5 * h, r.qt, r.ut, r.a, r.z, o.v, o.Rq, o.Ru, o.M, o.Rz, o.Gq)


@kernel
def factorize(r, o, h):
    """Newton matrices for the real and the complex eigenvalue; False if one is singular."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    # 1/(alpha + i beta)
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    for c in range(nu):
        for d in range(nu):
            stiff = h * h * o.Rq[c, d]
            o.e1[c, d] = GAMMA * o.M[c, d] + h * o.Ru[c, d] + stiff / GAMMA
            o.er[c, d] = ALPHA * o.M[c, d] + h * o.Ru[c, d] + stiff * gr
            o.ei[c, d] = BETA * o.M[c, d] + stiff * gi
        for d in range(nz):
            o.e1[c, nu + d] = h * h * o.Rz[c, d]
            o.er[c, nu + d] = h * h * o.Rz[c, d]
            o.ei[c, nu + d] = 0.0
            o.e1[nu + d, c] = -h / GAMMA * o.Gq[d, c]
            o.er[nu + d, c] = -h * gr * o.Gq[d, c]
            o.ei[nu + d, c] = -h * gi * o.Gq[d, c]
    for c in range(nz):
        for d in range(nz):
            o.e1[nu + c, nu + d] = GAMMA if c == d else 0.0
            o.er[nu + c, nu + d] = ALPHA if c == d else 0.0
            o.ei[nu + c, nu + d] = BETA if c == d else 0.0
    return linalg.lu(o.e1, o.piv1) and linalg.lu_complex(o.er, o.ei, o.piv2)


@kernel
def newton_update(r, o, h):
    """One simplified Newton update of all stages; returns its weighted norm."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    y1, y2, y3 = o.y1, o.y2, o.y3
    for k in range(nu):  # to the eigenbasis; the pair is the complex number w2 - i w3
        a, b, c = o.f1[0, k], o.f1[1, k], o.f1[2, k]
        o.f1[0, k] = TI[0][0] * a + TI[0][1] * b + TI[0][2] * c
        o.f1[1, k] = TI[1][0] * a + TI[1][1] * b + TI[1][2] * c
        o.f1[2, k] = -(TI[2][0] * a + TI[2][1] * b + TI[2][2] * c)
        a, b, c = o.f2[0, k], o.f2[1, k], o.f2[2, k]
        y1[k] = -h * h * (TI[0][0] * a + TI[0][1] * b + TI[0][2] * c)
        y2[k] = -h * h * (TI[1][0] * a + TI[1][1] * b + TI[1][2] * c)
        y3[k] = h * h * (TI[2][0] * a + TI[2][1] * b + TI[2][2] * c)
    for k in range(nz):
        a, b, c = o.f3[0, k], o.f3[1, k], o.f3[2, k]
        y1[nu + k] = -h * (TI[0][0] * a + TI[0][1] * b + TI[0][2] * c)
        y2[nu + k] = -h * (TI[1][0] * a + TI[1][1] * b + TI[1][2] * c)
        y3[nu + k] = h * (TI[2][0] * a + TI[2][1] * b + TI[2][2] * c)
    h3 = h * h * h
    for k in range(nu):
        s1, s2, s3 = 0.0, 0.0, 0.0
        for j in range(nu):
            x = o.Rq[k, j]
            s1 += x * o.f1[0, j]
            s2 += x * o.f1[1, j]
            s3 += x * o.f1[2, j]
        y1[k] += h3 / GAMMA * s1
        y2[k] += h3 * (gr * s2 - gi * s3)
        y3[k] += h3 * (gr * s3 + gi * s2)
    for k in range(nz):
        s1, s2, s3 = 0.0, 0.0, 0.0
        for j in range(nu):
            x = o.Gq[k, j]
            s1 += x * o.f1[0, j]
            s2 += x * o.f1[1, j]
            s3 += x * o.f1[2, j]
        y1[nu + k] -= h * h / GAMMA * s1
        y2[nu + k] -= h * h * (gr * s2 - gi * s3)
        y3[nu + k] -= h * h * (gr * s3 + gi * s2)
    linalg.lu_solve(o.e1, o.piv1, y1)
    linalg.lu_complex_solve(o.er, o.ei, o.piv2, y2, y3)
    total = 0.0
    for k in range(nu):
        # xi = (h du - h r1)/g in the eigenbasis
        a = (y1[k] - h * o.f1[0, k]) / GAMMA
        p, q = y2[k] - h * o.f1[1, k], y3[k] - h * o.f1[2, k]
        b, c = gr * p - gi * q, -(gr * q + gi * p)
        a2, b2, c2 = y1[k] / h, y2[k] / h, -y3[k] / h
        for i in range(3):
            dx = TT[i][0] * a + TT[i][1] * b + TT[i][2] * c
            du = TT[i][0] * a2 + TT[i][1] * b2 + TT[i][2] * c2
            o.x[i, k] += dx
            o.u[i, k] += du
            dx /= o.wx[k]
            du /= o.wu[k]
            total += dx * dx + du * du
    for k in range(nz):
        a, b, c = y1[nu + k], y2[nu + k], -y3[nu + k]
        for i in range(3):
            dz = TT[i][0] * a + TT[i][1] * b + TT[i][2] * c
            o.z[i, k] += dz
            dz /= o.wz[k]
            total += dz * dz
    return math.sqrt(total / max(3 * (2 * nu + nz), 1))


@kernel
def spin(m, r):
    """Largest angular velocity of ball and free joints: the chart's part of Newton's contraction.

    It is small next to the first corrections, so two norms of these do not show it.
    """
    node, largest = m.node, 0.0
    for n in range(1, node.shape[0]):
        if node[n, at.MOTION] == at.BALL or node[n, at.MOTION] == at.FREE:
            j = node[n, at.U0]
            largest = max(largest, r.u[j] * r.u[j] + r.u[j + 1] * r.u[j + 1] + r.u[j + 2] * r.u[j + 2])
    return math.sqrt(largest)


@kernel
def solve_stages(m, w, r, o, ints, reals, t, h, stop):
    """Simplified Newton; returns (converged, contraction rate)."""
    tolerance = max(10.0 * 2.2e-16 / reals[st.RTOL], min(0.03, math.sqrt(reals[st.RTOL])))
    floor = max(0.01, 0.25 * h * spin(m, r))
    rate, old = reals[st.RATE], 0.0
    for it in range(MAX_NEWTON):
        for i in range(3):
            stage(m, w, r, o, i, stage_time(t, h, i, stop), h)
        ints[st.EVALUATIONS] += 3
        norm = newton_update(r, o, h)
        ints[st.NEWTON] += 1
        if not math.isfinite(norm):
            return False, 2.0
        if it > 0:
            rate = norm / old if old > 0.0 else 0.0
            if rate >= 1.0:
                return False, rate
            safe = min(max(rate, floor), 0.9)
            eta = safe / (1.0 - safe)
            if eta * norm <= tolerance:
                return True, rate
            if it < MAX_NEWTON - 1 and eta * norm * rate ** (MAX_NEWTON - 2 - it) > tolerance:
                return False, rate
        elif norm <= 1e-2 * tolerance:
            return True, rate
        old = norm
    return False, rate


@kernel
def work_stages(m, w, r, o, t, h, stop):
    """Integrals of the power of every force element up to each stage: h A P."""
    nu, ne = r.u.shape[0], r.w.shape[0]
    for i in range(3):
        for k in range(nu):
            r.xt[k] = o.x[i, k]
            r.ut[k] = r.u[k] + o.u[i, k]
        for k in range(r.z.shape[0]):
            r.zt[k] = r.z[k] + o.z[i, k]
        tree.retract(m, r.q, r.xt, r.qt)
        tree.poses(m, w, r.qt)
        tree.motion(m, w, r.ut, o.rate[i])
        forces.apply(m, w, stage_time(t, h, i, stop), r.qt, r.ut, r.zt)
        for k in range(ne):
            o.power[i, k] = w.power[k]
        for k in range(r.z.shape[0]):
            o.zrate[i, k] = w.zdot[k]
    for k in range(ne):
        a, b, c = h * o.power[0, k], h * o.power[1, k], h * o.power[2, k]
        for i in range(3):
            o.power[i, k] = AA[i][0] * a + AA[i][1] * b + AA[i][2] * c
