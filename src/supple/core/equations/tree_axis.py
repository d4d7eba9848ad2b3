"""Joints of one column in Newton's matrix along the tree: most joints, whose blocks are numbers.

What ``tree_newton`` and ``tree_solve`` do at a joint, with E = 0, R = 0 and one own entry D to begin with, is written out here so that each
matrix is passed once, and the sum with the parent's is made on the way:

    v = A Z     e = v - cq adT(W) J     d = D + J^T v     r = J^T A / d     A_parent += A - e r^T

A of a node begins with its own matrix [I B K] when its first child or its own turn comes, and is needed no more when its parent has it: places
in p.A are taken again, so that those of a chain stay in the processor's nearest memory. While a factor is made, p.w[n, 0] is the place of a
node's matrix plus 1, or 0, p.w[:, 1] a stack of free places, p.t[FREE] their number and p.t[TAKEN] that of places ever taken.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.equations import tree_parts as tp
from supple.core.equations.tangents import dot6
from supple.core.equations.tree_parts import HALF, WIDE, J, dot, product
from supple.native.declare import kernel

FREE, TAKEN = 22, 23  # in p.t, behind what edges use of it


@kernel
def is_axis(m, n):
    """Whether a node is behind a joint of one column."""
    return m.node[n, at.COLUMNS] == 1 and m.node[n, at.MOTION] < at.ELASTIC_OUT


@kernel
def begin_nodes(p):
    """No node has begun."""
    for n in range(p.w.shape[0]):
        p.w[n, 0] = 0.0
    p.t[FREE], p.t[TAKEN] = 0.0, 0.0


@kernel
def begin_node(p, n, parts):
    """Place of A of a node, which begins with its own matrix, unless it has begun."""
    if p.w[n, 0] != 0.0:
        return int(p.w[n, 0]) - 1
    free = int(p.t[FREE])
    if free > 0:
        place = int(p.w[free - 1, 1])
        p.t[FREE] -= 1.0
    else:
        place = int(p.t[TAKEN])
        p.t[TAKEN] += 1.0
    p.w[n, 0] = place + 1.0
    a, x = p.A[place], p.matrix[n]
    for j in range(HALF):
        a[j] = x[j]
    if parts == 2:
        for j in range(HALF, 2 * HALF):
            a[j] = 0.0
    return place


@kernel
def end_node(p, place):
    """The place of a matrix that is needed no more."""
    p.w[int(p.t[FREE]), 1] = float(place)
    p.t[FREE] += 1.0


@kernel
def add_to_parent(p, place, before, parts):
    """A of a node to that of its parent."""
    a, b = p.A[place], p.A[begin_node(p, before, parts)]
    for j in range(HALF * parts):
        b[j] += a[j]


@kernel
def product_pair(a, b, z, y):
    """Real, then imaginary parts of the six products of rows of a + i b over X with z + i y."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    t0, t1, t2, t3, t4, t5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(WIDE):
        s0 += a[j] * z[j] - b[j] * y[j]
        t0 += a[j] * y[j] + b[j] * z[j]
        s1 += a[WIDE + j] * z[j] - b[WIDE + j] * y[j]
        t1 += a[WIDE + j] * y[j] + b[WIDE + j] * z[j]
        s2 += a[2 * WIDE + j] * z[j] - b[2 * WIDE + j] * y[j]
        t2 += a[2 * WIDE + j] * y[j] + b[2 * WIDE + j] * z[j]
        s3 += a[3 * WIDE + j] * z[j] - b[3 * WIDE + j] * y[j]
        t3 += a[3 * WIDE + j] * y[j] + b[3 * WIDE + j] * z[j]
        s4 += a[4 * WIDE + j] * z[j] - b[4 * WIDE + j] * y[j]
        t4 += a[4 * WIDE + j] * y[j] + b[4 * WIDE + j] * z[j]
        s5 += a[5 * WIDE + j] * z[j] - b[5 * WIDE + j] * y[j]
        t5 += a[5 * WIDE + j] * y[j] + b[5 * WIDE + j] * z[j]
    return s0, s1, s2, s3, s4, s5, t0, t1, t2, t3, t4, t5


@kernel
def fill_column(p, f, c, parts):
    """Column c of Z of a factor."""
    x = p.column[c]
    for i in range(parts):
        z, cq, cu, ca = p.Z[f, c, WIDE * i :], p.c[f, i, tp.CQ], p.c[f, i, tp.CU], p.c[f, i, tp.CA]
        for l in range(6):
            z[l] = cq * x[l] + cu * x[tp.AU + l] + ca * x[J + l]
        for l in range(6, 12):
            z[l] = cq * x[l] + cu * x[tp.AU + l]
        for l in range(12, WIDE):
            z[l] = cq * x[l]


@kernel
def spread_on(a, b, e, r):
    """b += a - e r^T for 6 x 18 matrices."""
    e0, e1, e2, e3, e4, e5 = e[0], e[1], e[2], e[3], e[4], e[5]
    for j in range(WIDE):
        x = r[j]
        b[j] += a[j] - e0 * x
        b[WIDE + j] += a[WIDE + j] - e1 * x
        b[2 * WIDE + j] += a[2 * WIDE + j] - e2 * x
        b[3 * WIDE + j] += a[3 * WIDE + j] - e3 * x
        b[4 * WIDE + j] += a[4 * WIDE + j] - e4 * x
        b[5 * WIDE + j] += a[5 * WIDE + j] - e5 * x


@kernel
def spread_two(a, b, e, r, s, g, q):
    """b += a - e r^T - s g q^T for 6 x 18 matrices."""
    e0, e1, e2, e3, e4, e5 = e[0], e[1], e[2], e[3], e[4], e[5]
    g0, g1, g2, g3, g4, g5 = s * g[0], s * g[1], s * g[2], s * g[3], s * g[4], s * g[5]
    for j in range(WIDE):
        x, y = r[j], q[j]
        b[j] += a[j] - e0 * x - g0 * y
        b[WIDE + j] += a[WIDE + j] - e1 * x - g1 * y
        b[2 * WIDE + j] += a[2 * WIDE + j] - e2 * x - g2 * y
        b[3 * WIDE + j] += a[3 * WIDE + j] - e3 * x - g3 * y
        b[4 * WIDE + j] += a[4 * WIDE + j] - e4 * x - g4 * y
        b[5 * WIDE + j] += a[5 * WIDE + j] - e5 * x - g5 * y


@kernel
def subtract_two(b, e, r, s, g, q):
    """b -= e r^T + s g q^T for a 6 x 18 matrix."""
    e0, e1, e2, e3, e4, e5 = e[0], e[1], e[2], e[3], e[4], e[5]
    g0, g1, g2, g3, g4, g5 = s * g[0], s * g[1], s * g[2], s * g[3], s * g[4], s * g[5]
    for j in range(WIDE):
        x, y = r[j], q[j]
        b[j] -= e0 * x + g0 * y
        b[WIDE + j] -= e1 * x + g1 * y
        b[2 * WIDE + j] -= e2 * x + g2 * y
        b[3 * WIDE + j] -= e3 * x + g3 * y
        b[4 * WIDE + j] -= e4 * x + g4 * y
        b[5 * WIDE + j] -= e5 * x + g5 * y


@kernel
def gather_row(a, y, r):
    """r = J^T A."""
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    for j in range(WIDE):
        r[j] = y0 * a[j] + y1 * a[WIDE + j] + y2 * a[2 * WIDE + j] + y3 * a[3 * WIDE + j] + y4 * a[4 * WIDE + j] + y5 * a[5 * WIDE + j]


@kernel
def eliminate_axis(m, p, f, n, place, parts):
    """Eliminate the velocity of node n's joint and add what is left to its parent's matrix; False if the pivot is zero or not finite."""
    c, k, before = m.node[n, at.COL0], m.node[n, at.U0], m.node[n, at.PARENT]
    a, z, j, e, r = p.A[place], p.Z[f, c], p.column[c, J:], p.E[f, k], p.R[f, k]
    t, cq = tp.turned(p.wrench[n], j), p.c[f, 0, tp.CQ]
    p.pivot[f, k] = 0
    if parts == 1:
        v = product(a, z)
        d = p.D[f, 0, k, 0]
        for l in range(6):
            d += j[l] * v[l]
            e[l] = v[l] - cq * t[l]
        if not (d * d > 0.0 and math.isfinite(d * d)):
            return False
        d = 1.0 / d
        p.D[f, 0, k, 0] = d
        gather_row(a, j, r)
        for i in range(WIDE):
            r[i] *= d
    else:
        pair = product_pair(a, a[HALF:], z, z[WIDE:])
        ci, d, g = p.c[f, 1, tp.CQ], p.D[f, 0, k, 0], p.D[f, 1, k, 0]
        for l in range(6):
            s, q = pair[l], pair[6 + l]
            d += j[l] * s
            g += j[l] * q
            e[l], e[6 + l] = s - cq * t[l], q - ci * t[l]
        big = d * d + g * g
        if not (big > 0.0 and math.isfinite(big)):
            return False
        d, g = d / big, -g / big
        p.D[f, 0, k, 0], p.D[f, 1, k, 0] = d, g
        ri = r[WIDE:]
        gather_row(a, j, r)
        gather_row(a[HALF:], j, ri)
        for i in range(WIDE):
            r[i], ri[i] = d * r[i] - g * ri[i], d * ri[i] + g * r[i]
    if before > 0:
        b = p.A[begin_node(p, before, parts)]
        if parts == 1:
            spread_on(a, b, e, r)
        else:
            spread_two(a, b, e, r, -1.0, e[6:], r[WIDE:])
            spread_two(a[HALF:], b[HALF:], e, r[WIDE:], 1.0, e[6:], r)
    return True


@kernel
def push_axis(m, p, f, n, parts):
    """D^-1 of the right side at node n's joint, and its wrench on to the parent."""
    k, w, below, j = m.node[n, at.U0], p.w[n], p.w[m.node[n, at.PARENT]], p.column[m.node[n, at.COL0], J:]
    e, d, s = p.E[f, k], p.D[f, 0, k, 0], p.y[0, k] - dot6(j, w)
    if parts == 1:
        s *= d
        p.y[0, k] = s
        for l in range(6):
            below[l] += w[l] + e[l] * s
        return
    g, r = p.D[f, 1, k, 0], p.y[1, k] - dot6(j, w[6:])
    s, r = d * s - g * r, d * r + g * s
    p.y[0, k], p.y[1, k] = s, r
    for l in range(6):
        below[l] += w[l] + e[l] * s - e[6 + l] * r
        below[6 + l] += w[6 + l] + e[l] * r + e[6 + l] * s


@kernel
def move_axis(m, p, f, n, parts):
    """The velocity of node n's joint from X of its parent, and X of the node."""
    c, k, x, before = m.node[n, at.COL0], m.node[n, at.U0], p.X[n], p.X[m.node[n, at.PARENT]]
    z, r = p.Z[f, c], p.R[f, k]
    s = p.y[0, k] - dot(r, before)
    if parts == 1:
        p.y[0, k] = s
        for i in range(WIDE):
            x[i] = before[i] + s * z[i]
        return
    s += dot(r[WIDE:], before[WIDE:])
    q = p.y[1, k] - dot(r, before[WIDE:]) - dot(r[WIDE:], before)
    p.y[0, k], p.y[1, k] = s, q
    for i in range(WIDE):
        x[i] = before[i] + s * z[i] - q * z[WIDE + i]
        x[WIDE + i] = before[WIDE + i] + q * z[i] + s * z[WIDE + i]
