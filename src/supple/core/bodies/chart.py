"""Charts of the configuration: moving by an increment, the increment between two configurations, and rates.

The configuration q (nq) is moved by an increment xi (nu), q = retract(q0, xi). Coordinates of one axis and those of deformation
are added. A ball joint's quaternion is multiplied by exp(xi); a free joint has xi = (x, y): quaternion times exp(x),
place p + R y with the rotation R at q0. ``increment`` is the inverse: of rotations the shorter way, so that it returns xi
for turns below pi and xi less a whole turn about the same axis from there on; angles of one axis are not wound back.

A motion of joint that is not named here has no chart: see the table in ``joints/motions.py``.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base import so3
from supple.core.base.layout import TREE, TREE_WORDS, tree_at
from supple.native.declare import INTS, MAT, REALS, VEC, block, entry, kernel, reserve, shared


@shared(TREE, REALS, VEC, VEC)
def retract(m, q, d, out):
    """Move the configuration q by the increment d (nu): out (nq) = q "+" d."""
    node = m.node
    for f in range(m.plain.shape[0]):
        i, j, count = m.plain[f, at.PLAIN_Q0], m.plain[f, at.PLAIN_U0], m.plain[f, at.PLAIN_N]
        x, y, z = block(q, i, count), block(d, j, count), block(out, i, count)
        for k in range(count):
            z[k] = x[k] + y[k]
    for n in range(1, node.shape[0]):
        kind, i, j = node[n, at.MOTION], node[n, at.Q0], node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            out[i] = q[i] + d[j]
        elif kind == at.BALL or kind == at.FREE:
            w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
            if kind == at.FREE:
                m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(w, x, y, z)
                e0, e1, e2 = d[j + 3], d[j + 4], d[j + 5]
                out[i + 4] = q[i + 4] + m0 * e0 + m1 * e1 + m2 * e2
                out[i + 5] = q[i + 5] + m3 * e0 + m4 * e1 + m5 * e2
                out[i + 6] = q[i + 6] + m6 * e0 + m7 * e1 + m8 * e2
            out[i], out[i + 1], out[i + 2], out[i + 3] = so3.quaternion_step(w, x, y, z, d[j], d[j + 1], d[j + 2])


@shared(TREE, REALS, REALS, VEC)
def increment(m, q0, q1, out):
    """The increment out (nu) that moves q0 to q1; of rotations the shorter way."""
    node = m.node
    for f in range(m.plain.shape[0]):
        i, j, count = m.plain[f, at.PLAIN_Q0], m.plain[f, at.PLAIN_U0], m.plain[f, at.PLAIN_N]
        y0, y1, y2 = block(q0, i, count), block(q1, i, count), block(out, j, count)
        for k in range(count):
            y2[k] = y1[k] - y0[k]
    for n in range(1, node.shape[0]):
        kind, i, j = node[n, at.MOTION], node[n, at.Q0], node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            out[j] = q1[i] - q0[i]
        elif kind == at.BALL or kind == at.FREE:
            a, b, c, d = q0[i], q0[i + 1], q0[i + 2], q0[i + 3]
            e, f0, g, h = q1[i], q1[i + 1], q1[i + 2], q1[i + 3]
            w = a * e + b * f0 + c * g + d * h
            x = a * f0 - b * e - c * h + d * g
            y = a * g + b * h - c * e - d * f0
            z = a * h - b * g + c * f0 - d * e
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            s = math.sqrt(x * x + y * y + z * z)
            s = 2.0 * math.atan2(s, w) / s if s > 1e-150 else 2.0
            out[j], out[j + 1], out[j + 2] = s * x, s * y, s * z
            if kind == at.FREE:
                m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(a, b, c, d)
                e0, e1, e2 = q1[i + 4] - q0[i + 4], q1[i + 5] - q0[i + 5], q1[i + 6] - q0[i + 6]
                out[j + 3] = m0 * e0 + m3 * e1 + m6 * e2
                out[j + 4] = m1 * e0 + m4 * e1 + m7 * e2
                out[j + 5] = m2 * e0 + m5 * e1 + m8 * e2


@kernel
def turn_on(m, x, d):
    """Increments x + d (nu) of one start become, in d, those of the start that is x further."""
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if kind == at.BALL or kind == at.FREE:
            a, b, c = x[j], x[j + 1], x[j + 2]
            d[j], d[j + 1], d[j + 2] = so3.between(a, b, c, d[j], d[j + 1], d[j + 2])
            if kind == at.FREE:
                d[j + 3], d[j + 4], d[j + 5] = so3.rotate(-a, -b, -c, d[j + 3], d[j + 4], d[j + 5])


@kernel
def copy_plain(m, x, out):
    """out = x for the velocities of flexible and gradient bodies, which need no chart."""
    for f in range(m.plain.shape[0]):
        j, count = m.plain[f, at.PLAIN_U0], m.plain[f, at.PLAIN_N]
        given, taken = block(x, j, count), block(out, j, count)
        for k in range(count):
            taken[k] = given[k]


@shared(TREE, VEC, VEC, VEC)
def rate(m, xi, u, out):
    """Rate xi' of the increment whose retraction moves with velocity u: T(xi) xi' = u."""
    node = m.node
    copy_plain(m, u, out)
    for n in range(1, node.shape[0]):
        kind, j = node[n, at.MOTION], node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            out[j] = u[j]
        elif kind == at.BALL or kind == at.FREE:
            x, y, z = xi[j], xi[j + 1], xi[j + 2]
            out[j], out[j + 1], out[j + 2] = so3.tangent_solve(x, y, z, u[j], u[j + 1], u[j + 2])
            if kind == at.FREE:
                out[j + 3], out[j + 4], out[j + 5] = so3.rotate(x, y, z, u[j + 3], u[j + 4], u[j + 5])


@kernel
def velocity(m, xi, xidot, out):
    """Velocities out (nu) of the increment xi that moves with the rate xi', the inverse of ``rate``."""
    copy_plain(m, xidot, out)
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            out[j] = xidot[j]
        elif kind == at.BALL or kind == at.FREE:
            x, y, z = xi[j], xi[j + 1], xi[j + 2]
            out[j], out[j + 1], out[j + 2] = so3.tangent_times(x, y, z, xidot[j], xidot[j + 1], xidot[j + 2])
            if kind == at.FREE:
                out[j + 3], out[j + 4], out[j + 5] = so3.rotate(-x, -y, -z, xidot[j + 3], xidot[j + 4], xidot[j + 5])


@shared(TREE, VEC, VEC, VEC, VEC, VEC)
def acceleration(m, xi, xidot, u, a, out):
    """Second derivative xi'' of the increment whose retraction moves with velocity u and rate a."""
    node = m.node
    copy_plain(m, a, out)
    for n in range(1, node.shape[0]):
        kind, j = node[n, at.MOTION], node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            out[j] = a[j]
        elif kind == at.BALL or kind == at.FREE:
            x, y, z = xi[j], xi[j + 1], xi[j + 2]
            e0, e1, e2 = so3.tangent_rate_times(x, y, z, xidot[j], xidot[j + 1], xidot[j + 2])
            out[j], out[j + 1], out[j + 2] = so3.tangent_solve(x, y, z, a[j] - e0, a[j + 1] - e1, a[j + 2] - e2)
            if kind == at.FREE:
                w0, w1, w2, v0, v1, v2 = u[j], u[j + 1], u[j + 2], u[j + 3], u[j + 4], u[j + 5]
                out[j + 3], out[j + 4], out[j + 5] = so3.rotate(
                    x, y, z, a[j + 3] + w1 * v2 - w2 * v1, a[j + 4] + w2 * v0 - w0 * v2, a[j + 5] + w0 * v1 - w1 * v0
                )


@kernel
def coordinate_rates(m, y, q, u, out):
    """out (nq) = q' of the coordinates y, with a pull on the norm of quaternions; q are y with unit quaternions."""
    node = m.node
    for f in range(m.plain.shape[0]):
        i, j = m.plain[f, at.PLAIN_Q0], m.plain[f, at.PLAIN_U0]
        for k in range(m.plain[f, at.PLAIN_N]):
            out[i + k] = u[j + k]
    for n in range(1, node.shape[0]):
        kind, i, j = node[n, at.MOTION], node[n, at.Q0], node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            out[i] = u[j]
        elif kind == at.BALL or kind == at.FREE:
            a, b, c, d = y[i], y[i + 1], y[i + 2], y[i + 3]
            w0, w1, w2 = 0.5 * u[j], 0.5 * u[j + 1], 0.5 * u[j + 2]
            s = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2) * (1.0 - a * a - b * b - c * c - d * d)
            out[i] = s * a - b * w0 - c * w1 - d * w2
            out[i + 1] = s * b + a * w0 + c * w2 - d * w1
            out[i + 2] = s * c + a * w1 - b * w2 + d * w0
            out[i + 3] = s * d + a * w2 + b * w1 - c * w0
            if kind == at.FREE:
                m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(q[i], q[i + 1], q[i + 2], q[i + 3])
                v0, v1, v2 = u[j + 3], u[j + 4], u[j + 5]
                out[i + 4] = m0 * v0 + m1 * v1 + m2 * v2
                out[i + 5] = m3 * v0 + m4 * v1 + m5 * v2
                out[i + 6] = m6 * v0 + m7 * v1 + m8 * v2


@kernel
def skew(L, i, j, x, y, z):
    """L[i + 3, j + 3] = the matrix of the cross product with (x, y, z)."""
    L[i, j + 1], L[i, j + 2] = -z, y
    L[i + 1, j], L[i + 1, j + 2] = z, -x
    L[i + 2, j], L[i + 2, j + 1] = -y, x


@entry(INTS, REALS, VEC, VEC, VEC, VEC)
def move(ints, reals, work, q, d, out):
    """out (nq) = q moved by the increment d (nu)."""
    m = tree_at(ints, reals, reserve(TREE_WORDS))
    retract(m, q, d, out)


@entry(INTS, REALS, VEC, VEC, VEC, VEC)
def difference(ints, reals, work, q, target, out):
    """out (nu) = the increment that moves q to the target (nq); of rotations the shorter way."""
    m = tree_at(ints, reals, reserve(TREE_WORDS))
    increment(m, q, target, out)


@entry(INTS, REALS, VEC, VEC, VEC, VEC)
def qdot(ints, reals, work, q, u, out):
    """out (nq) = the time derivative of the coordinates q, with unit quaternions, at the velocities u."""
    m = tree_at(ints, reals, reserve(TREE_WORDS))
    coordinate_rates(m, q, q, u, out)


@kernel
def write_drift(m, u, L):
    """L (nu, nu) of x' = v - L x: x is the increment to a neighbour with velocity u + v; axes turn with their body."""
    for i in range(L.shape[0]):
        for j in range(L.shape[1]):
            L[i, j] = 0.0
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if kind == at.BALL or kind == at.FREE:
            skew(L, j, j, u[j], u[j + 1], u[j + 2])
            if kind == at.FREE:
                skew(L, j + 3, j + 3, u[j], u[j + 1], u[j + 2])
                skew(L, j + 3, j, u[j + 3], u[j + 4], u[j + 5])


@entry(INTS, REALS, VEC, VEC, MAT)
def drift(ints, reals, work, u, L):
    """``write_drift``."""
    m = tree_at(ints, reals, reserve(TREE_WORDS))
    write_drift(m, u, L)
