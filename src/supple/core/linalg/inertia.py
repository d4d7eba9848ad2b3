"""Inertias in world axes about one point, as ``core/equations/articulated_body.py`` uses them: products, and sizes to compare with.

The 21 numbers of an inertia that gives way are in the order of ``layout.AI``.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.native.declare import kernel

THIN = 1e-6  # of what a body without a thin direction would have: under constraints a pivot below it needs care


@kernel
def times(i, y, out):
    """out = I y, with the 21 numbers of an inertia."""
    w0, w1, w2, v0, v1, v2 = y[0], y[1], y[2], y[3], y[4], y[5]
    out[0] = i[0] * w0 + i[3] * w1 + i[4] * w2 + i[6] * v0 + i[7] * v1 + i[8] * v2
    out[1] = i[3] * w0 + i[1] * w1 + i[5] * w2 + i[9] * v0 + i[10] * v1 + i[11] * v2
    out[2] = i[4] * w0 + i[5] * w1 + i[2] * w2 + i[12] * v0 + i[13] * v1 + i[14] * v2
    out[3] = i[6] * w0 + i[9] * w1 + i[12] * w2 + i[15] * v0 + i[18] * v1 + i[19] * v2
    out[4] = i[7] * w0 + i[10] * w1 + i[13] * w2 + i[18] * v0 + i[16] * v1 + i[20] * v2
    out[5] = i[8] * w0 + i[11] * w1 + i[14] * w2 + i[19] * v0 + i[20] * v1 + i[17] * v2


@kernel
def give_way(i, u, r):
    """I -= r u u^T."""
    u0, u1, u2, u3, u4, u5 = u[0], u[1], u[2], u[3], u[4], u[5]
    a0, a1, a2, a3, a4, a5 = r * u0, r * u1, r * u2, r * u3, r * u4, r * u5
    i[0] -= a0 * u0
    i[1] -= a1 * u1
    i[2] -= a2 * u2
    i[3] -= a0 * u1
    i[4] -= a0 * u2
    i[5] -= a1 * u2
    i[6] -= a0 * u3
    i[7] -= a0 * u4
    i[8] -= a0 * u5
    i[9] -= a1 * u3
    i[10] -= a1 * u4
    i[11] -= a1 * u5
    i[12] -= a2 * u3
    i[13] -= a2 * u4
    i[14] -= a2 * u5
    i[15] -= a3 * u3
    i[16] -= a4 * u4
    i[17] -= a5 * u5
    i[18] -= a3 * u4
    i[19] -= a3 * u5
    i[20] -= a4 * u5


@kernel
def dot(x, y):
    """Product of two spatial vectors."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@kernel
def moved(i, j):
    """J.I J with the composite inertia of a node's row i: what a velocity moves where nothing gives way."""
    m, c0, c1, c2 = i[at.CM], i[at.CC], i[at.CC + 1], i[at.CC + 2]
    w0, w1, w2, v0, v1, v2 = j[0], j[1], j[2], j[3], j[4], j[5]
    turning = i[at.CJ] * w0 * w0 + i[at.CJ + 1] * w1 * w1 + i[at.CJ + 2] * w2 * w2
    turning += 2.0 * (i[at.CJ + 3] * w0 * w1 + i[at.CJ + 4] * w0 * w2 + i[at.CJ + 5] * w1 * w2)
    both = w0 * (c1 * v2 - c2 * v1) + w1 * (c2 * v0 - c0 * v2) + w2 * (c0 * v1 - c1 * v0)
    return turning + 2.0 * both + m * (v0 * v0 + v1 * v1 + v2 * v2)


@kernel
def most(j, mass, turning):
    """A bound of the inertia that a column moves."""
    return turning * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) + 2.0 * mass * (j[3] * j[3] + j[4] * j[4] + j[5] * j[5])


@kernel
def thin(m, w, n, j):
    """A pivot too small for the body that hangs on the joint of node n, moved by its column j alone."""
    while m.node[n, at.HEAVY] == 0:  # the joint's further axes
        n += 1
        if n == m.node.shape[0] or m.node[n, at.PARENT] != n - 1:
            return 0.0
    r = w.node[n]
    mass, turning = r[at.M], r[at.J] + r[at.J + 1] + r[at.J + 2]
    if not mass > 0.0:
        return 0.0
    c0, c1, c2 = r[at.C] / mass, r[at.C + 1] / mass, r[at.C + 2] / mass
    turning -= 2.0 * mass * (c0 * c0 + c1 * c1 + c2 * c2)  # about the centre of mass
    v0, v1, v2 = j[3] + j[1] * c2 - j[2] * c1, j[4] + j[2] * c0 - j[0] * c2, j[5] + j[0] * c1 - j[1] * c0
    return THIN * (turning * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) + mass * (v0 * v0 + v1 * v1 + v2 * v2))
