"""The implicit stages of one Radau step: starting values, residuals, Newton's matrix and updates.

With constraint rows the equations are those of Gear, Gupta and Leimkuhler: in the step's chart

    xi' = T(xi)^-1 u + B mu      R(q, u, u') + G^T lam = 0      g(q, t) = 0      G u + g_t = 0

B = s^2 G^T with the units s of the increments, kept at the place of the tangents: mu vanishes with the error of the
step and only carries q back to the constraints. Newton's unknowns are w = h u + B h mu, z and h^2 lam; the
increment is eliminated, xi = (w - h F1)/gamma. The rows of violations give G w, those of rates G h u + h H xi with
H = d(G u)/dq, so G B h mu is the difference: with d = B (G B)^-1 (G w - G h u - h H xi) and P = B (G B)^-1 H

    h u = w - d - h P xi

and mu needs no place in the matrix. P enters through Ru - M P, Rq - Ru P and Gq - Gu P, in place of Ru, Rq, Gq.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core import chart, dynamics, linalg, links, radau_wide
from supple.core import layout as at
from supple.core import radau_rows as rows
from supple.core import step as st
from supple.core.radau_rows import flushed
from supple.core.radau_table import AI, ALPHA, BETA, GAMMA, THROUGH, TI, TT, A, C
from supple.core.radau_views import (
    BMU,
    DU,
    DX,
    E1,
    EI,
    ER,
    F1,
    F2,
    F3,
    F4,
    F5,
    FX,
    GIVEN,
    LAM,
    LO,
    MASS,
    RATE,
    RQ,
    RU,
    S1,
    S2,
    UO,
    WORK,
    WU,
    WX,
    WZ,
    XO,
    Y1,
    Y2,
    Y3,
    ZO,
    ZRATE,
    U,
    X,
    Z,
    is_wide,
)
from supple.core.signals import evaluate
from supple.native.declare import kernel

MAX_NEWTON = 10


@kernel
def predict(m, r, o, fresh, h, h_old):
    """Starting values of the stages: the last step's polynomial, or the Taylor start."""
    for k in range(r.u.shape[0]):
        r.xt[k] = 0.0
    chart.acceleration(m, r.xt, r.u, r.u, r.a, o.u[S1])
    for k in range(r.u.shape[0]):
        for i in range(3):
            c = C[i]
            o.u[BMU + i, k] = 0.0
            if fresh:
                o.u[X + i, k] = c * h * (r.u[k] + 0.5 * c * h * o.u[S1, k])
                o.u[U + i, k] = c * h * r.a[k]
            else:
                s = 1.0 + c * h / h_old
                o.u[X + i, k] = extrapolate(o.u[XO : XO + 3], k, s)
                o.u[U + i, k] = extrapolate(o.u[UO : UO + 3], k, s)
    for k in range(r.z.shape[0]):
        for i in range(3):
            c = C[i]
            o.z[Z + i, k] = c * h * r.zdot[k] if fresh else extrapolate(o.z[ZO : ZO + 3], k, 1.0 + c * h / h_old)
    for i in range(3):
        s = 1.0 + C[i] * h / h_old if not fresh else 1.0
        a = (s - C[1]) * (s - C[2]) / ((C[0] - C[1]) * (C[0] - C[2]))
        b = (s - C[0]) * (s - C[2]) / ((C[1] - C[0]) * (C[1] - C[2]))
        c = (s - C[0]) * (s - C[1]) / ((C[2] - C[0]) * (C[2] - C[1]))
        for k in range(o.c.shape[1]):
            o.c[LAM + i, k] = r.lam[k] if fresh else a * o.c[LO, k] + b * o.c[LO + 1, k] + c * o.c[LO + 2, k]


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
def stage_time(t, h, i, stop):
    """Time of stage i, kept left of the next stop so that a jump there is not seen early."""
    s = t + C[i] * h
    return s if s < stop else np.nextafter(stop, t)


@kernel
def stage(m, w, r, o, i, t, h):
    """Residuals f1, f2, f3 of stage i."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    for k in range(nu):
        r.xt[k] = o.u[X + i, k]
        o.u[S2, k] = (AI[i, 0] * o.u[X, k] + AI[i, 1] * o.u[X + 1, k] + AI[i, 2] * o.u[X + 2, k]) / h
        r.ut[k] = r.u[k] + o.u[U + i, k]
    rates(m, r, o, i, h)
    for k in range(nz):
        r.zt[k] = r.z[k] + o.z[Z + i, k]
    chart.retract(m, r.q, r.xt, r.qt)
    chart.rate(m, r.xt, r.ut, o.u[S1])
    if o.c.shape[1] > 0:
        st.copy(o.c[LAM + i], w.lam)
        for k in range(nu):
            o.u[S1, k] += o.u[BMU + i, k]
    for k in range(nu):
        # not T xi' - u: there Newton's matrix would err by |xi|/2, here by |xi|/2 over its eigenvalue
        o.u[F1 + i, k] = o.u[S2, k] - o.u[S1, k]
    dynamics.residual_at(m, w, t, r.qt, r.ut, o.u[RATE + i], r.zt, o.u[F2 + i])
    balance(m, o, i)
    for k in range(nz):
        d = (AI[i, 0] * o.z[Z, k] + AI[i, 1] * o.z[Z + 1, k] + AI[i, 2] * o.z[Z + 2, k]) / h
        o.z[ZRATE + i, k] = w.zdot[k]
        o.z[F3 + i, k] = d - w.zdot[k]
    if o.G.shape[0] > 0:
        links.violations(m, w, o.c[F4 + i])
        links.rates(m, w, t, r.ut, o.c[F5 + i])


@kernel
def middle_tangent(m, w, r, o, t, h):
    """Tangents at the middle of the step, predicted by Taylor; False where constraint rows depend on others."""
    for k in range(r.u.shape[0]):
        r.xt[k] = 0.5 * h * (r.u[k] + 0.25 * h * r.a[k])
        r.ut[k] = r.u[k] + 0.5 * h * r.a[k]
    chart.retract(m, r.q, r.xt, r.qt)
    st.copy(r.lam, w.lam)
    full = o.full
    dynamics.tangent_at(
        m, w, t + 0.5 * h, r.qt, r.ut, r.a, r.z, o.u[S1], full.tangent[RQ], full.tangent[RU], full.tangent[MASS],
        full.Rz, full.Gq, full.Gu, o.Gz,
    )
    if o.c.shape[1] > 0:
        links.rate_tangent(m, w, full.G)
        st.copy_rows(full.G, w.solved)  # H: factors of accelerations are not needed now
        links.jacobian(m, w, full.G)
    if o.free.shape[0] < r.u.shape[0]:
        leave_out(o)
    return rows.prepare(m, w, r, o) if o.G.shape[0] > 0 else True


@kernel
def leave_out(o):
    """The parts of the tangents and of G that Newton solves for."""
    full, free = o.full, o.free
    for i in range(free.shape[0]):
        for j in range(free.shape[0]):
            for l in range(3):
                o.tangent[l, i, j] = full.tangent[l, free[i], free[j]]
        for j in range(o.Gz.shape[0]):
            o.Rz[i, j], o.Gq[j, i], o.Gu[j, i] = full.Rz[free[i], j], full.Gq[j, free[i]], full.Gu[j, free[i]]
        for j in range(o.kept.shape[0]):
            o.G[j, i] = full.G[o.kept[j], free[i]]


@kernel
def prescribe(m, w, r, o, i, t):
    """Increments and velocities of stage i that drivers give."""
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            link = m.link[o.pin[j]]
            x = m.curve[link[at.LINK_AT] : link[at.LINK_AT] + 4]
            value = evaluate(m, w, link[at.LINK_SIGNAL], t)
            q, u = int(x[0]), int(x[1])
            o.u[X + i, u] = (x[3] + value[0]) / x[2] - r.q[q]
            o.u[U + i, u] = value[1] / x[2] - r.u[u]
            o.u[GIVEN + i, u] = value[2] / x[2]


@kernel
def rates(m, r, o, i, h):
    """Accelerations of stage i from the stages' velocities, or as drivers give them."""
    for k in range(r.u.shape[0]):
        o.u[RATE + i, k] = (AI[i, 0] * o.u[U, k] + AI[i, 1] * o.u[U + 1, k] + AI[i, 2] * o.u[U + 2, k]) / h
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            k = int(m.curve[m.link[o.pin[j], at.LINK_AT] + 1])
            o.u[RATE + i, k] = o.u[GIVEN + i, k]


@kernel
def balance(m, o, i):
    """Multipliers of drivers from the residual of stage i: they balance the motion along what they drive."""
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            k = m.link[o.pin[j], at.LINK_AT]
            o.c[LAM + i, j] -= o.u[F2 + i, int(m.curve[k + 1])] / m.curve[k + 2]


@kernel
def balance_update(m, o, h):
    """What Newton's changes of the stages do to the multipliers of drivers."""
    full, free = o.full, o.free
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            k = m.link[o.pin[j], at.LINK_AT]
            c = int(m.curve[k + 1])
            Rq, Ru, M = full.tangent[RQ, c], full.tangent[RU, c], full.tangent[MASS, c]
            for i in range(3):
                s = 0.0
                for l in range(free.shape[0]):
                    rate = (AI[i, 0] * o.f[DU, l] + AI[i, 1] * o.f[DU + 1, l] + AI[i, 2] * o.f[DU + 2, l]) / h
                    s += Rq[free[l]] * o.f[DX + i, l] + Ru[free[l]] * o.f[DU + i, l] + M[free[l]] * rate
                for l in range(o.kept.shape[0]):
                    s += full.G[o.kept[l], c] * o.d[i, l]
                o.c[LAM + i, j] -= s / m.curve[k + 2]


@kernel
def factorize(m, r, o, h):
    """Newton matrices for the real and the complex eigenvalue; False if one is singular."""
    if is_wide(m):
        return radau_wide.factorize(m, r, o, h)
    nu, nz = o.f.shape[1], r.z.shape[0]
    # 1/(alpha + i beta)
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    for c in range(nu):
        for d in range(nu):
            stiff = h * h * o.tangent[RQ, c, d]
            o.newton[E1, c, d] = GAMMA * o.tangent[MASS, c, d] + h * o.tangent[RU, c, d] + stiff / GAMMA
            o.newton[ER, c, d] = ALPHA * o.tangent[MASS, c, d] + h * o.tangent[RU, c, d] + stiff * gr
            o.newton[EI, c, d] = BETA * o.tangent[MASS, c, d] + stiff * gi
        for d in range(nz):
            o.newton[E1, c, nu + d] = h * h * o.Rz[c, d]
            o.newton[ER, c, nu + d] = h * h * o.Rz[c, d]
            o.newton[EI, c, nu + d] = 0.0
            o.newton[E1, nu + d, c] = -h / GAMMA * o.Gq[d, c] - o.Gu[d, c]
            o.newton[ER, nu + d, c] = -h * gr * o.Gq[d, c] - o.Gu[d, c]
            o.newton[EI, nu + d, c] = -h * gi * o.Gq[d, c]
    for c in range(nz):
        for d in range(nz):
            o.newton[E1, nu + c, nu + d] = (GAMMA if c == d else 0.0) - h * o.Gz[c, d]
            o.newton[ER, nu + c, nu + d] = (ALPHA if c == d else 0.0) - h * o.Gz[c, d]
            o.newton[EI, nu + c, nu + d] = BETA if c == d else 0.0
    if o.G.shape[0] > 0:
        rows.border(r, o)
    return linalg.lu(o.newton[E1], o.pivots[0]) and linalg.lu_complex(o.newton[ER], o.newton[EI], o.pivots[1])


@kernel
def newton_update(m, r, o, h):
    """One simplified Newton update of all stages; returns its weighted norm."""
    nu, nz, wide, free = o.f.shape[1], r.z.shape[0], is_wide(m), o.free
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    y1, y2, y3 = o.y[Y1], o.y[Y2], o.y[Y3]
    for k in range(nu):  # to the eigenbasis; the pair is the complex number w2 - i w3
        l = free[k]
        a, b, c = o.u[F1, l], o.u[F1 + 1, l], o.u[F1 + 2, l]
        o.f[FX, k] = TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c
        o.f[FX + 1, k] = TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c
        o.f[FX + 2, k] = -(TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
        a, b, c = o.u[F2, l], o.u[F2 + 1, l], o.u[F2 + 2, l]
        y1[k] = -h * h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
        y2[k] = -h * h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
        y3[k] = h * h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
    for k in range(nz):
        a, b, c = o.z[F3, k], o.z[F3 + 1, k], o.z[F3 + 2, k]
        y1[nu + k] = -h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
        y2[nu + k] = -h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
        y3[nu + k] = h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
    h3 = h * h * h
    for k in range(nu):
        s1, s2, s3 = 0.0, 0.0, 0.0
        if wide:
            near = o.lists.near[k]
            for i in range(1, near[0] + 1):
                j = near[i]
                x = o.tangent[RQ, k, j]
                s1 += x * o.f[FX, j]
                s2 += x * o.f[FX + 1, j]
                s3 += x * o.f[FX + 2, j]
        else:
            for j in range(nu):
                x = o.tangent[RQ, k, j]
                s1 += x * o.f[FX, j]
                s2 += x * o.f[FX + 1, j]
                s3 += x * o.f[FX + 2, j]
        y1[k] += h3 / GAMMA * s1
        y2[k] += h3 * (gr * s2 - gi * s3)
        y3[k] += h3 * (gr * s3 + gi * s2)
    for k in range(nz):
        s1, s2, s3 = 0.0, 0.0, 0.0
        for j in range(nu):
            x = o.Gq[k, j]
            s1 += x * o.f[FX, j]
            s2 += x * o.f[FX + 1, j]
            s3 += x * o.f[FX + 2, j]
        y1[nu + k] -= h * h / GAMMA * s1
        y2[nu + k] -= h * h * (gr * s2 - gi * s3)
        y3[nu + k] -= h * h * (gr * s3 + gi * s2)
    if o.G.shape[0] > 0:
        rows.constraint_sides(m, r, o, h)
    if wide:
        radau_wide.solve(m, o)
    else:
        linalg.lu_solve(o.newton[E1], o.pivots[0], y1)
        linalg.lu_complex_solve(o.newton[ER], o.newton[EI], o.pivots[1], y2, y3)
    if o.G.shape[0] > 0:
        rows.constraint_update(r, o, h)
    for k in range(nu):  # xi = (w - h r1)/g in the eigenbasis, in place of f1
        a = (y1[k] - h * o.f[FX, k]) / GAMMA
        p, q = y2[k] - h * o.f[FX + 1, k], y3[k] - h * o.f[FX + 2, k]
        o.f[FX, k], o.f[FX + 1, k], o.f[FX + 2, k] = a, gr * p - gi * q, gr * q + gi * p
    if o.G.shape[0] > 0:
        rows.velocity_update(m, r, o, h)
    total = 0.0
    for k in range(nu):
        a, b, c = o.f[FX, k], o.f[FX + 1, k], -o.f[FX + 2, k]
        a2, b2, c2 = y1[k] / h, y2[k] / h, -y3[k] / h
        l = free[k]
        for i in range(3):
            dx = TT[i, 0] * a + TT[i, 1] * b + TT[i, 2] * c
            du = TT[i, 0] * a2 + TT[i, 1] * b2 + TT[i, 2] * c2
            o.f[DX + i, k], o.f[DU + i, k] = dx, du
            o.u[X + i, l] = flushed(o.u[X + i, l] + dx)
            o.u[U + i, l] = flushed(o.u[U + i, l] + du)
            dx /= o.u[WX, l]
            du /= o.u[WU, l]
            total += dx * dx + du * du
    balance_update(m, o, h)
    for k in range(nz):
        a, b, c = y1[nu + k], y2[nu + k], -y3[nu + k]
        for i in range(3):
            dz = TT[i, 0] * a + TT[i, 1] * b + TT[i, 2] * c
            o.z[Z + i, k] += dz
            dz /= o.z[WZ, k]
            total += dz * dz
    return math.sqrt(total / max(3 * (2 * nu + nz), 1))


@kernel
def worst_velocity(o):
    """The velocity that changed most in the step, in units of its weight; one that is not finite first."""
    worst, found = 0.0, 0
    for k in range(o.u.shape[1]):
        size = abs(o.u[U + 2, k]) / o.u[WU, k]
        if not math.isfinite(size):
            return k
        if size > worst:
            worst, found = size, k
    return found


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
def rounding(r, o):
    """Weighted norm of what rounding leaves in the rows' rates: each ties slow velocities to the fastest one."""
    fastest, total, n = 0.0, 0.0, r.u.shape[0]
    for k in range(n):
        fastest = max(fastest, abs(r.u[k] + o.u[U + 2, k]) / r.rate_scale[k])
    for k in range(n):
        x = r.rate_scale[k] / o.u[WU, k]
        total += x * x
    return 10.0 * 2.2e-16 * fastest * math.sqrt(total / max(n, 1))


@kernel
def solve_stages(m, w, r, o, ints, reals, t, h, stop):
    """Simplified Newton; returns (converged, contraction rate)."""
    tolerance = max(10.0 * 2.2e-16 / reals[st.RTOL], min(0.003, math.sqrt(reals[st.RTOL])))
    if o.G.shape[0] > 0:
        tolerance = max(tolerance, min(rounding(r, o), 0.1))
    floor = max(0.01, 0.25 * h * spin(m, r))
    rate, old = reals[st.RATE], 0.0
    for i in range(3):
        prescribe(m, w, r, o, i, stage_time(t, h, i, stop))
    for it in range(MAX_NEWTON):
        for i in range(3):
            stage(m, w, r, o, i, stage_time(t, h, i, stop), h)
        ints[st.EVALUATIONS] += 3
        norm = newton_update(m, r, o, h)
        ints[st.NEWTON] += 1
        if not math.isfinite(norm):
            return False, 2.0
        # multipliers are not in the norm: the first correction of the motion may be smaller than the second, which
        # they cause
        if it == 1 and o.G.shape[0] > 0 and norm > 0.5 * old:
            if norm <= 1e-2 * tolerance:
                return True, rate
        elif it > 0:
            rate = norm / old if old > 0.0 else 0.0
            if o.G.shape[0] > 0 and max(norm, old) <= tolerance:
                return True, min(rate, 0.5)
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
            r.xt[k] = o.u[X + i, k]
            r.ut[k] = r.u[k] + o.u[U + i, k]
        for k in range(r.z.shape[0]):
            r.zt[k] = r.z[k] + o.z[Z + i, k]
        chart.retract(m, r.q, r.xt, r.qt)
        st.copy(o.c[LAM + i], w.lam)
        dynamics.exert(m, w, stage_time(t, h, i, stop), r.qt, r.ut, o.u[RATE + i], r.zt)
        for k in range(ne):
            o.e[WORK + i, k] = w.power[k]
        for k in range(r.z.shape[0]):
            o.z[ZRATE + i, k] = w.zdot[k]
    for k in range(ne):
        a, b, c = h * o.e[WORK, k], h * o.e[WORK + 1, k], h * o.e[WORK + 2, k]
        for i in range(3):
            o.e[WORK + i, k] = A[i, 0] * a + A[i, 1] * b + A[i, 2] * c
