"""Radau IIA of order 5 with error control, the whole step loop compiled.

Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8, with these changes:

- each step has its own chart: the unknown is the increment xi from the step's start, xi' = T(xi)^-1 u, so
  that quaternions need no constraint and no singular configuration exists;
- the equations of motion stay implicit, R(q, u, u') = 0: stage accelerations are A^-1 Z / h and the mass
  matrix is never inverted;
- Newton's matrix is taken at the middle of the step, with analytic tangents, and reduced to velocities
  and controller states: [g M + h Ru + h^2/g Rq] for g the eigenvalues of A^-1;
- dense output of order 5: quintic Hermite for xi, integrals of the cubic through the four known rates for
  u, z and the work channels (the Radau points integrate it exactly to the step's end).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from supple.core import dynamics, forces, linalg, tree
from supple.core import layout as at
from supple.core import step as st
from supple.core.jit import INT, INTS, IVEC, MAT, REALS, VEC, entry, kernel
from supple.core.layout import views

_s6 = math.sqrt(6.0)
C1, C2 = (4.0 - _s6) / 10.0, (4.0 + _s6) / 10.0
_A = np.array(
    [
        [(88 - 7 * _s6) / 360, (296 - 169 * _s6) / 1800, (-2 + 3 * _s6) / 225],
        [(296 + 169 * _s6) / 1800, (88 + 7 * _s6) / 360, (-2 - 3 * _s6) / 225],
        [(16 - _s6) / 36, (16 + _s6) / 36, 1 / 9],
    ]
)


def _transform():
    """A^-1 = T L T^-1, L = [[g, 0, 0], [0, a, b], [0, -b, a]] by its eigenvectors."""
    inverse = np.linalg.inv(_A)
    values, vectors = np.linalg.eig(inverse)
    real = int(np.argmin(abs(values.imag)))
    pair = int(np.argmax(values.imag))
    t = np.column_stack([vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag])
    return inverse, values[real].real, values[pair].real, values[pair].imag, t, np.linalg.inv(t)


_INVERSE, GAMMA, ALPHA, BETA, _T, _TI = _transform()
AI, TT, TI = tuple(map(tuple, _INVERSE.tolist())), tuple(map(tuple, _T.tolist())), tuple(map(tuple, _TI.tolist()))
AA = tuple(map(tuple, _A.tolist()))
E1, E2, E3 = -(13.0 + 7.0 * _s6) / 3.0, (-13.0 + 7.0 * _s6) / 3.0, -1.0 / 3.0
MAX_NEWTON = 10


def _rate_cubic():
    """Monomial coefficients of the integral of the cubic through rates at 0, c1, c2, 1."""
    nodes = np.array([0.0, C1, C2, 1.0])
    cubic = np.linalg.inv(np.vander(nodes, 4, increasing=True))  # rates -> coefficients
    return cubic / np.arange(1, 5)[:, None]


CUBIC = tuple(map(tuple, _rate_cubic().tolist()))
# Extrapolation of the collocation polynomial through 0, c1, c2, 1
_NODES = np.array([C1, C2, 1.0])
_through = np.linalg.inv(np.column_stack([_NODES, _NODES**2, _NODES**3]))
THROUGH = tuple(map(tuple, _through.tolist()))

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
def error_norm(m, w, r, o, h, t, second):
    """Embedded error estimate, weighted; ``second`` filters it once more (stiff starts)."""
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    y = o.y1
    for k in range(nu):
        o.v[k] = (E1 * o.u[0, k] + E2 * o.u[1, k] + E3 * o.u[2, k]) / h + r.a[k]
        o.d[k] = (E1 * o.x[0, k] + E2 * o.x[1, k] + E3 * o.x[2, k]) / h + r.u[k]
    if second:  # the right side at the state moved by the first estimate, left in xt, ut
        for k in range(nu):
            o.d[k] += r.ut[k]
            r.ut[k] += r.u[k]
        for k in range(nz):
            r.zt[k] = r.z[k]
        tree.retract(m, r.q, r.xt, r.qt)
        dynamics.evaluate(m, w, t, r.qt, r.ut, r.a, r.zt, o.f2[0])
    for k in range(nu):
        s = 0.0
        for j in range(nu):
            s += o.M[k, j] * o.v[j] - h / GAMMA * o.Rq[k, j] * o.d[j]
        y[k] = h * h * s
        if second:
            y[k] -= h * h * o.f2[0, k]
    for k in range(nz):
        f = (E1 * o.z[0, k] + E2 * o.z[1, k] + E3 * o.z[2, k]) / h + r.zdot[k]
        s = 0.0
        for j in range(nu):
            s += o.Gq[k, j] * o.d[j]
        y[nu + k] = h * (f + h / GAMMA * s)
    linalg.lu_solve(o.e1, o.piv1, y)
    total = 0.0
    worst, worst_k = 0.0, 0
    for k in range(nu):
        r.ut[k] = y[k] / h
        r.xt[k] = (y[k] + h * o.d[k]) / GAMMA
        a, b = r.xt[k] / o.wx[k], r.ut[k] / o.wu[k]
        total += a * a + b * b
        if a * a + b * b > worst:
            worst, worst_k = a * a + b * b, k
    for k in range(nz):
        a = y[nu + k] / o.wz[k]
        total += a * a
    for k in range(ne):
        a = (E1 * o.power[0, k] + E2 * o.power[1, k] + E3 * o.power[2, k]) / h + r.power[k]
        a *= h / GAMMA / o.ww[k]
        total += a * a
    return math.sqrt(total / max(2 * nu + nz + ne, 1)), worst_k


@kernel
def fill_polynomials(m, w, r, o, h):
    """Dense output of the converged step; o.rate, o.zrate, o.power hold the stage rates.

    power holds the integrals of the stage powers here: its rates are recovered by A^-1.
    """
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    # chart rates at both ends; at the start T = I and xi'' = a, plus w x v for the places of free joints
    for k in range(nu):
        r.xt[k] = 0.0
    tree.chart_acceleration(m, r.xt, r.u, r.u, r.a, o.v)
    for k in range(nu):
        p = r.px[k]
        p[0], p[1], p[2] = 0.0, h * r.u[k], 0.5 * h * h * o.v[k]
        r.xt[k] = o.x[2, k]
        r.ut[k] = r.u[k] + o.u[2, k]
        q = r.pu[k]
        a0, a1, a2, a3 = h * r.a[k], h * o.rate[0, k], h * o.rate[1, k], h * o.rate[2, k]
        q[0] = r.u[k]
        for j in range(4):
            q[j + 1] = CUBIC[j][0] * a0 + CUBIC[j][1] * a1 + CUBIC[j][2] * a2 + CUBIC[j][3] * a3
        for j in range(6, st.DEGREE):
            p[j] = 0.0
        for j in range(5, st.DEGREE):
            q[j] = 0.0
    tree.chart_rate(m, r.xt, r.ut, o.d)
    tree.chart_acceleration(m, r.xt, o.d, r.ut, o.rate[2], o.v)
    for k in range(nu):
        p = r.px[k]
        # remaining powers 3, 4, 5 from value, slope and curvature at the end
        a = o.x[2, k] - p[1] - p[2]
        b = h * o.d[k] - p[1] - 2.0 * p[2]
        c = h * h * o.v[k] - 2.0 * p[2]
        p[3] = 10.0 * a - 4.0 * b + 0.5 * c
        p[4] = -15.0 * a + 7.0 * b - c
        p[5] = 6.0 * a - 3.0 * b + 0.5 * c
    for k in range(nz):
        q = r.pz[k]
        a0, a1, a2, a3 = h * r.zdot[k], h * o.zrate[0, k], h * o.zrate[1, k], h * o.zrate[2, k]
        q[0] = r.z[k]
        for j in range(4):
            q[j + 1] = CUBIC[j][0] * a0 + CUBIC[j][1] * a1 + CUBIC[j][2] * a2 + CUBIC[j][3] * a3
        for j in range(5, st.DEGREE):
            q[j] = 0.0
    for k in range(ne):
        q = r.pw[k]
        a0 = h * r.power[k]
        a1 = AI[0][0] * o.power[0, k] + AI[0][1] * o.power[1, k] + AI[0][2] * o.power[2, k]
        a2 = AI[1][0] * o.power[0, k] + AI[1][1] * o.power[1, k] + AI[1][2] * o.power[2, k]
        a3 = AI[2][0] * o.power[0, k] + AI[2][1] * o.power[1, k] + AI[2][2] * o.power[2, k]
        q[0] = r.w[k]
        for j in range(4):
            q[j + 1] = CUBIC[j][0] * a0 + CUBIC[j][1] * a1 + CUBIC[j][2] * a2 + CUBIC[j][3] * a3
        for j in range(5, st.DEGREE):
            q[j] = 0.0


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


@kernel
def restart(m, w, r, ints, reals, first):
    """Accelerations, rates and audit at a start or after a kink; returns the outcome so far."""
    bad = dynamics.forward(m, w, reals[st.T], r.q, r.u, r.z, r.a)
    ints[st.EVALUATIONS] += 1
    if bad >= 0:
        ints[st.BAD_DOF] = bad
        return st.LOCKED
    for k in range(r.a.shape[0]):
        if not math.isfinite(r.a[k]):
            ints[st.BAD_DOF] = k
            return st.NOT_FINITE
    st.copy(w.zdot, r.zdot)
    st.copy(w.power, r.power)
    if first:
        st.audit(m, w, r, reals, True)
        st.start_events(m, w, r)
    ints[st.FRESH] = 1
    ints[st.KEEP_JACOBIAN] = 0
    return st.DONE


@kernel
def middle_tangent(m, w, r, o, t, h):
    """Tangents at the middle of the step, predicted by Taylor."""
    for k in range(r.u.shape[0]):
        r.xt[k] = 0.5 * h * (r.u[k] + 0.25 * h * r.a[k])
        r.ut[k] = r.u[k] + 0.5 * h * r.a[k]
    tree.retract(m, r.q, r.xt, r.qt)
    dynamics.differentiate(m, w, t + 0.5 * h, r.qt, r.ut, r.a, r.z, o.v, o.Rq, o.Ru, o.M, o.Rz, o.Gq)


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


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, INT)
def radau_run(ints, reals, work, run, state, count, stops, grid, out, budget):
    """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome.

    run, state, count hold everything that lives between calls; rows of ``out`` (q, u, z, w) are filled
    as their times in ``grid`` are passed.
    """
    m, w = views(ints, reals, work)
    r, i = st.run_views(m, run, count)
    k = st.INT_STATE + 2 + count[st.INT_STATE] * st.EVENT_INTS + count[st.INT_STATE + 1]
    o = own_views(m, run, i, count, k)
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    if count[st.STEPS] == 0 and count[st.FRESH] == 0:
        outcome = restart(m, w, r, count, state, True)
        if outcome != st.DONE:
            return outcome
        if state[st.H] <= 0.0:
            state[st.H] = st.first_step(r, state, stops[stops.shape[0] - 1] - state[st.T], 5.0)
    for _ in range(budget):
        t = state[st.T]
        stop = stops[count[st.STOP]]
        h = st.next_step(state, count, stops, state[st.H])
        if h < state[st.H_MIN]:
            return st.TOO_SMALL
        if h != state[st.H]:
            count[st.FACTORED] = 0
            state[st.H] = h
        t1 = stop if h >= stop - t else t + h
        st.weights(r, state, o.wx, o.wu, o.wz, o.ww)
        if count[st.KEEP_JACOBIAN] == 0:
            middle_tangent(m, w, r, o, t, h)
            count[st.JACOBIANS] += 1
            count[st.KEEP_JACOBIAN] = 2  # 2: of this very step
            count[st.FACTORED] = 0
        if count[st.FACTORED] == 0:
            count[st.FACTORIZATIONS] += 1
            if not factorize(r, o, h):
                count[st.NEWTON_FAILURES] += 1
                state[st.H] = 0.5 * h
                count[st.KEEP_JACOBIAN] = 0
                continue
            count[st.FACTORED] = 1
        predict(m, r, o, count[st.FRESH] == 1, h, state[st.H_OLD])
        before = count[st.NEWTON]
        converged, rate = solve_stages(m, w, r, o, count, state, t, h, stop)
        state[st.RATE] = rate
        if not converged:
            count[st.NEWTON_FAILURES] += 1
            if count[st.KEEP_JACOBIAN] == 2:
                state[st.H] = 0.5 * h
            count[st.KEEP_JACOBIAN] = 0
            count[st.AFTER_REJECT] = 1
            continue
        if ne > 0:
            work_stages(m, w, r, o, t, h, stop)
        error, worst = error_norm(m, w, r, o, h, t, False)
        if error >= 1.0 and (count[st.FRESH] == 1 or count[st.AFTER_REJECT] == 1):
            error, worst = error_norm(m, w, r, o, h, t, True)
        if not math.isfinite(error):
            count[st.NEWTON_FAILURES] += 1
            count[st.BAD_DOF] = worst
            state[st.H] = 0.25 * h
            count[st.KEEP_JACOBIAN] = 0
            continue
        error = max(error, 1e-10)
        used = count[st.NEWTON] - before
        safety = 0.9 * (2 * MAX_NEWTON + 1) / (2 * MAX_NEWTON + used)
        factor = min(8.0, max(0.2, safety * error**-0.25))
        if error >= 1.0:
            count[st.REJECTED] += 1
            count[st.BAD_DOF] = worst
            count[st.AFTER_REJECT] = 1
            state[st.H] = 0.1 * h if count[st.STEPS] == 0 else factor * h
            count[st.FACTORED] = 0
            if count[st.KEEP_JACOBIAN] == 1:
                count[st.KEEP_JACOBIAN] = 0
            continue
        # accepted: predictive control (Gustafsson), then output, events and the new state
        if count[st.STEPS] > 0 and state[st.ERROR_OLD] > 0.0:
            predicted = 0.9 * h / state[st.H_OLD] * (state[st.ERROR_OLD] / (error * error)) ** 0.25
            factor = min(factor, min(8.0, max(0.2, predicted)))
        if count[st.AFTER_REJECT] == 1:
            factor = min(factor, 1.0)
        state[st.ERROR_OLD] = max(error, 1e-2)
        state[st.H_OLD] = h
        count[st.AFTER_REJECT] = 0
        count[st.STEPS] += 1
        for i in range(3):
            for k in range(nu):
                o.rate[i, k] = (AI[i][0] * o.u[0, k] + AI[i][1] * o.u[1, k] + AI[i][2] * o.u[2, k]) / h
        if r.events.shape[0] > 0 or (count[st.GRID] < grid.shape[0] and grid[count[st.GRID]] <= t1):
            fill_polynomials(m, w, r, o, h)
            if st.emit(m, w, r, count, state, grid, out, t, h, t1):
                return st.EVENT
        for k in range(nu):
            r.xt[k] = o.x[2, k]
            r.u[k] += o.u[2, k]
            r.a[k] = o.rate[2, k]
        tree.retract(m, r.q, r.xt, r.qt)
        st.copy(r.qt, r.q)
        for k in range(nz):
            r.z[k] += o.z[2, k]
        for k in range(ne):
            r.w[k] += o.power[2, k]
        st.copy_rows(o.x, o.xo)
        st.copy_rows(o.u, o.uo)
        st.copy_rows(o.z, o.zo)
        state[st.T] = t1
        tree.poses(m, w, r.q)
        tree.motion(m, w, r.u, r.a)
        tree.inertias(m, w)
        forces.apply(m, w, t1 if t1 < stop else np.nextafter(stop, t), r.q, r.u, r.z)
        st.copy(w.zdot, r.zdot)
        st.copy(w.power, r.power)
        st.audit(m, w, r, state, False)
        count[st.FRESH] = 0
        if t1 >= stop:
            count[st.STOP] += 1
            if count[st.STOP] >= stops.shape[0]:
                return st.DONE
            outcome = restart(m, w, r, count, state, False)
            if outcome != st.DONE:
                return outcome
        count[st.KEEP_JACOBIAN] = 1 if state[st.RATE] <= 1e-3 and count[st.FRESH] == 0 else 0
        if not (count[st.KEEP_JACOBIAN] == 1 and 1.0 <= factor <= 1.2):
            state[st.H] = factor * h
            count[st.FACTORED] = 0
        if count[st.EVENTS_FOUND] >= st.EVENT_CAPACITY // 2:
            return st.PAUSED
    return st.PAUSED
