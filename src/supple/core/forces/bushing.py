"""Six-direction bushing between two frames: wrench and tangents.

With d the place of B in A's axes, f = log(R_A^T R_B) and x = [d; f], the energy is x.K x/2 - P.x and the dissipation
x'.C x', with matrices K and C (6, 6) and a preload P. With [g; m] = K x + C x' - P the force on B in A's axes is -g at
B's origin and the torque -L^T m, where f' = L(f) w, L the inverse tangent operator for the relative angular velocity w
in A's axes. The wrench on A is the opposite one.

The wrench is a function of B's pose and twist relative to A, turned with A. About the reference point, for
its derivative E along a relative displacement and C along the relative twist, E' = E - C ad(V_B) and
dW_B = -adT(W_B) dA + E' (dB - dA).
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import add_wrench, cross, frame, scatter_relative, turned, turned_back
from supple.native.declare import INT, MAT, REAL, kernel, shared

# Element integers: nodes of A and B, place in the data, 1 if the matrices are more than diagonals
A, B, AT, FULL = 1, 2, 3, 4
# Data: pose of A's frame in node A, the same for B; stiffness and damping (6, 6: places, rotations), preload (6)
POSE_A, POSE_B, STIFFNESS, DAMPING, PRELOAD, _ = starts(at.POSE, at.POSE, 36, 36, 6)
# Scratch rows of the tangents
E_ROW, C_ROW, W_ROW = 5, 11, 17


@kernel
def rotation_vector(a, b):
    """log(A^T B) of two rotation matrices (tuples of 9), below half a turn."""
    m00, m11, m22 = a[0] * b[0] + a[3] * b[3] + a[6] * b[6], a[1] * b[1] + a[4] * b[4] + a[7] * b[7], a[2] * b[2] + a[5] * b[5] + a[8] * b[8]
    m01, m10 = a[0] * b[1] + a[3] * b[4] + a[6] * b[7], a[1] * b[0] + a[4] * b[3] + a[7] * b[6]
    m02, m20 = a[0] * b[2] + a[3] * b[5] + a[6] * b[8], a[2] * b[0] + a[5] * b[3] + a[8] * b[6]
    m12, m21 = a[1] * b[2] + a[4] * b[5] + a[7] * b[8], a[2] * b[1] + a[5] * b[4] + a[8] * b[7]
    # unit quaternion by its largest part
    ww, xx, yy, zz = 1.0 + m00 + m11 + m22, 1.0 + m00 - m11 - m22, 1.0 - m00 + m11 - m22, 1.0 - m00 - m11 + m22
    if ww.real >= xx.real and ww.real >= yy.real and ww.real >= zz.real:
        s = 0.5 / np.sqrt(ww)
        w, x, y, z = s * ww, s * (m21 - m12), s * (m02 - m20), s * (m10 - m01)
    elif xx.real >= yy.real and xx.real >= zz.real:
        s = 0.5 / np.sqrt(xx)
        w, x, y, z = s * (m21 - m12), s * xx, s * (m01 + m10), s * (m02 + m20)
    elif yy.real >= zz.real:
        s = 0.5 / np.sqrt(yy)
        w, x, y, z = s * (m02 - m20), s * (m01 + m10), s * yy, s * (m12 + m21)
    else:
        s = 0.5 / np.sqrt(zz)
        w, x, y, z = s * (m10 - m01), s * (m02 + m20), s * (m12 + m21), s * zz
    if w.real < 0.0:
        w, x, y, z = -w, -x, -y, -z
    # angle/2 = 2 atan(tan(angle/4)); atan(p)/p by its series near zero, where its root has no derivative
    p = (x * x + y * y + z * z) / ((1.0 + w) * (1.0 + w))
    if p.real > 1e-3:
        root = np.sqrt(p)
        g = np.arctan(root) / root
    else:
        g = 1.0 + p * (-1.0 / 3.0 + p * (1.0 / 5.0 + p * (-1.0 / 7.0 + p * (1.0 / 9.0 - p / 11.0))))
    g = 4.0 * g / (1.0 + w)
    return g * x, g * y, g * z


@kernel
def inverse_tangent(s):
    """d of L = I - f~/2 + d f~^2 and its derivative with respect to s = f.f."""
    if s.real > 0.05:
        f = np.sqrt(s)
        half = 0.5 * f
        cot = np.cos(half) / np.sin(half)
        d = (1.0 - half * cot) / s
        # d(half cot)/df = (cot - half/sin^2)/2, df/ds = 1/(2 f)
        sine = np.sin(half)
        return d, (-(0.25 / f) * (cot - half / (sine * sine)) - d) / s
    d = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s * (1.0 / 1209600.0 + s / 47900160.0)))
    return d, 1.0 / 720.0 + s * (2.0 / 30240.0 + s * (3.0 / 1209600.0 + s * (4.0 / 47900160.0)))


@kernel
def operator(f, sign, d, v):
    """L v = v - f x v/2 + d f x (f x v) for sign 1, its transpose for sign -1."""
    c = cross(f, v)
    e = cross(f, c)
    h = 0.5 * sign
    return v[0] - h * c[0] + d * e[0], v[1] - h * c[1] + d * e[1], v[2] - h * c[2] + d * e[2]


@kernel
def operator_change(f, df, sign, d, slope, v):
    """The derivative of L v (sign 1) or L^T v (sign -1) along df."""
    c, dc = cross(f, v), cross(df, v)
    e, e1, e2 = cross(f, c), cross(df, c), cross(f, dc)
    h = 0.5 * sign
    k = 2.0 * slope * (f[0] * df[0] + f[1] * df[1] + f[2] * df[2])
    return (
        -h * dc[0] + k * e[0] + d * (e1[0] + e2[0]),
        -h * dc[1] + k * e[1] + d * (e1[1] + e2[1]),
        -h * dc[2] + k * e[2] + d * (e1[2] + e2[2]),
    )


@kernel
def relative(tree, work, e):
    """Axes of both frames and point of B (world), place of B in A's axes and its rate, relative angular velocity (world)."""
    el = tree.element[e]
    x, i = tree.data, el[AT]
    a, b = frame(work, el[A], x, i + POSE_A), frame(work, el[B], x, i + POSE_B)
    p = (b[9], b[10], b[11])
    va, vb = work.node[el[A]], work.node[el[B]]
    w = (vb[at.V] - va[at.V], vb[at.V + 1] - va[at.V + 1], vb[at.V + 2] - va[at.V + 2])
    turn = cross(w, p)
    d = turned_back(a, (p[0] - a[9], p[1] - a[10], p[2] - a[11]))
    drate = turned_back(a, (vb[at.V + 3] - va[at.V + 3] + turn[0], vb[at.V + 4] - va[at.V + 4] + turn[1], vb[at.V + 5] - va[at.V + 5] + turn[2]))
    return a, b, p, d, drate, w


@kernel
def state(tree, work, e):
    """Axes of A, point of B (both world), d, f, their rates, relative twist, d of L and its slope."""
    a, b, p, d, drate, w = relative(tree, work, e)
    f = rotation_vector(a, b)
    k, slope = inverse_tangent(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])
    frate = operator(f, 1.0, k, turned_back(a, w))
    return a, p, d, drate, f, frate, w, k, slope


@kernel
def row(x, i, d, f):
    """Row of a matrix (6, 6) at place i times [d; f]."""
    return x[i] * d[0] + x[i + 1] * d[1] + x[i + 2] * d[2] + x[i + 3] * f[0] + x[i + 4] * f[1] + x[i + 5] * f[2]


@kernel
def product(x, i, full, d, f):
    """A matrix (6, 6) at place i, full or diagonal, times [d; f]: both halves."""
    if full == 0:
        return (x[i] * d[0], x[i + 7] * d[1], x[i + 14] * d[2]), (x[i + 21] * f[0], x[i + 28] * f[1], x[i + 35] * f[2])
    first = (row(x, i, d, f), row(x, i + 6, d, f), row(x, i + 12, d, f))
    return first, (row(x, i + 18, d, f), row(x, i + 24, d, f), row(x, i + 30, d, f))


@kernel
def both(tree, e, d, f, drate, frate):
    """K [d; f] + C [d'; f'], in halves."""
    x, i, full = tree.data, tree.element[e, AT], tree.element[e, FULL]
    g, m = product(x, i + STIFFNESS, full, d, f)
    h, n = product(x, i + DAMPING, full, drate, frate)
    return (g[0] + h[0], g[1] + h[1], g[2] + h[2]), (m[0] + n[0], m[1] + n[1], m[2] + n[2])


@kernel
def load(tree, e, d, f, drate, frate):
    """K [d; f] + C [d'; f'] - P, in halves."""
    g, m = both(tree, e, d, f, drate, frate)
    p = tree.data[tree.element[e, AT] + PRELOAD :]
    return (g[0] - p[0], g[1] - p[1], g[2] - p[2]), (m[0] - p[3], m[1] - p[4], m[2] - p[5])


@shared(TREE, WORK, INT, gives=REAL)
def apply(tree, work, e):
    """Subtract the wrenches from both nodes and return the dissipated power."""
    el = tree.element[e]
    a, p, d, drate, f, frate, _, k, _ = state(tree, work, e)
    g, m = load(tree, e, d, f, drate, frate)
    force, torque = turned(a, g), turned(a, operator(f, -1.0, k, m))
    add_wrench(work, el[B], p, force, torque, -1.0)
    add_wrench(work, el[A], p, force, torque, 1.0)
    h, n = product(tree.data, el[AT] + DAMPING, el[FULL], drate, frate)
    return h[0] * drate[0] + h[1] * drate[1] + h[2] * drate[2] + n[0] * frate[0] + n[1] * frate[1] + n[2] * frate[2]


@shared(TREE, WORK, INT, gives=REAL)
def stored(tree, work, e):
    """Stored energy (J)."""
    _, _, d, _, f, _, _, _, _ = state(tree, work, e)
    i = tree.element[e, AT]
    g, m = product(tree.data, i + STIFFNESS, tree.element[e, FULL], d, f)
    p = tree.data[i + PRELOAD :]
    total = 0.0 * d[0]
    for j in range(3):
        total += (0.5 * g[j] - p[j]) * d[j] + (0.5 * m[j] - p[3 + j]) * f[j]
    return total


@shared(TREE, WORK, INT, MAT, MAT)
def differentiate(tree, work, e, Rq, Ru):
    """Tangents: into the node matrices, and between the two nodes into Rq and Ru."""
    el = tree.element[e]
    a, p, d, drate, f, frate, w, k, slope = state(tree, work, e)
    w_a = turned_back(a, w)
    g, m = load(tree, e, d, f, drate, frate)
    force, torque = turned(a, g), turned(a, operator(f, -1.0, k, m))
    arm = cross(p, force)
    E, C, W = work.scratch[E_ROW : E_ROW + 6], work.scratch[C_ROW : C_ROW + 6], work.scratch[W_ROW]
    for j in range(3):
        W[j], W[3 + j] = -torque[j] - arm[j], -force[j]
    for c in range(6):
        th = ((c == 0) * 1.0, (c == 1) * 1.0, (c == 2) * 1.0)
        dp = cross(th, p)
        dp = (dp[0] + (c == 3), dp[1] + (c == 4), dp[2] + (c == 5))
        turn_a, dd = turned_back(a, th), turned_back(a, dp)
        # along the twist: place rate dd, rotation-vector rate df
        df = operator(f, 1.0, k, turn_a)
        dg, dm = product(tree.data, el[AT] + DAMPING, el[FULL], dd, df)
        h, mu = turned(a, dg), turned(a, operator(f, -1.0, k, dm))
        lever = cross(p, h)
        for j in range(3):
            C[j, c], C[3 + j, c] = -mu[j] - lever[j], -h[j]
        # along the displacement, at fixed relative twist
        ddrate = turned_back(a, cross(w, dp))
        dfrate = operator_change(f, df, 1.0, k, slope, w_a)
        dg, dm = both(tree, e, dd, df, ddrate, dfrate)
        first, second = operator(f, -1.0, k, dm), operator_change(f, df, -1.0, k, slope, m)
        h, mu = turned(a, dg), turned(a, (first[0] + second[0], first[1] + second[1], first[2] + second[2]))
        lever, moved = cross(p, h), cross(dp, force)
        for j in range(3):
            E[j, c], E[3 + j, c] = -mu[j] - lever[j] - moved[j], -h[j]
    scatter_relative(tree, work, el[at.LINES], el[A], el[B], E, C, W, Rq, Ru)
