"""Newton's matrix N = ca M + cu Ru + cq Rq of a tree, real or complex, factored and solved along the tree, never formed.

In the symbols of ``tree_parts`` with y = yq/cq = yu/cu = ya/ca, a column has Z = cq [psi_q; dV; J] + cu [psi_u; J; 0] +
ca [J; 0; 0] and T = cq adT(W) J. From the tips on each node keeps dW = A X + w with one 6 x 18 matrix A, which begins as
[I B K]. A block with E = dW/dy, rows R over X and its own entries D is a flexible body's (E = cq Fq + cu Fu + ca L, R = [L^T Qw
Qt]) or a joint's (E = 0, R = 0). Its edges add to it, then it is eliminated:

    outward edge, node k:    D += J^T A_k Z                  E += A_k Z - T   R += J^T A_k   b -= J^T w_k
    inward edge, or joint:   D += R Z + J^T (A Z + E)        E += A Z - T     R += J^T A     b -= J^T w
    then                     A -= E D^-1 R    w += E D^-1 b    and from the root on    y = D^-1 (b - R X_before)

and A, w are added to those of the parent. Rows over X have the imaginary part behind the real one. A controller's state is
eliminated with the velocity that it acts on. The solution is in ``tree_solve``.

Joints of one column in Newton's matrix along the tree: most joints, whose blocks are numbers.

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
from supple.core.base.layout import TREE
from supple.core.equations import inner_states as inner
from supple.core.equations import tree_parts as tp
from supple.core.equations.tangents import dot6
from supple.core.equations.tree_parts import (
    ALONE,
    COUNT,
    FIRST,
    HALF,
    PAIR,
    PARTS,
    WIDE,
    J,
    dot,
    product,
)
from supple.native.declare import INT, TRUTH, kernel, shared

FREE, TAKEN = 22, 23  # in p.t, behind what edges use of it


@kernel
def is_axis(m, n):
    """True if a node is behind a joint of one column."""
    return m.node[n, at.COLUMNS] == 1 and m.node[n, at.MOTION] < at.ELASTIC_OUT


@kernel
def begin_nodes(p):
    """No node has begun."""
    for n in range(p.w.shape[0]):
        p.w[n, 0] = 0.0
    p.t[FREE], p.t[TAKEN] = 0.0, 0.0


@kernel
def begin_node(m, p, n, parts):
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
    if m.head[at.H_INNER] > 0:
        inner.bend(p, n, a, parts)
    return place


@kernel
def end_node(p, place):
    """The place of a matrix that is needed no more."""
    p.w[int(p.t[FREE]), 1] = float(place)
    p.t[FREE] += 1.0


@kernel
def add_to_parent(m, p, place, before, parts):
    """A of a node to that of its parent."""
    a, b = p.A[place], p.A[begin_node(m, p, before, parts)]
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
        b = p.A[begin_node(m, p, before, parts)]
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


@kernel
def gather(a, y, r):
    """r += J^T A."""
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    for j in range(WIDE):
        r[j] += y0 * a[j] + y1 * a[WIDE + j] + y2 * a[2 * WIDE + j] + y3 * a[3 * WIDE + j] + y4 * a[4 * WIDE + j] + y5 * a[5 * WIDE + j]


@kernel
def spread(a, s, e, r):
    """A += s e r^T."""
    e0, e1, e2, e3, e4, e5 = s * e[0], s * e[1], s * e[2], s * e[3], s * e[4], s * e[5]
    for j in range(WIDE):
        x = r[j]
        a[j] += e0 * x
        a[WIDE + j] += e1 * x
        a[2 * WIDE + j] += e2 * x
        a[3 * WIDE + j] += e3 * x
        a[4 * WIDE + j] += e4 * x
        a[5 * WIDE + j] += e5 * x


@kernel
def subtract_row(s, x, y):
    """y -= s x for rows over X."""
    for j in range(WIDE):
        y[j] -= s * x[j]


@kernel
def subtract_pair(s, r, x, y):
    """y -= (s + i r) x for rows over X with imaginary parts."""
    for j in range(WIDE):
        y[j] -= s * x[j] - r * x[WIDE + j]
        y[WIDE + j] -= s * x[WIDE + j] + r * x[j]


@kernel
def times(a, b, c, d):
    """(a + i b)(c + i d)."""
    return a * c - b * d, a * d + b * c


@kernel
def over(a, b, c, d):
    """(a + i b)/(c + i d)."""
    s = 1.0 / (c * c + d * d)
    return (a * c + b * d) * s, (b * c - a * d) * s


@kernel
def fill_own(p, f, parts):
    """Own entries of the blocks of a factor."""
    for i in range(parts):
        c, D = p.c[f, i], p.D[f, i]
        Rq, Ru, M = tp.own(p, tp.RQ)[0], tp.own(p, tp.RU)[0], tp.own(p, tp.MASS)[0]
        for k in range(p.of.shape[0]):
            first, row = p.of[k, FIRST], D[k]
            for j in range(p.of[k, COUNT]):
                row[j] = c[tp.CQ] * Rq[k, first + j] + c[tp.CU] * Ru[k, first + j] + c[tp.CA] * M[k, first + j]


@kernel
def fill_block(p, f, u0, n, parts):
    """E and R of the n velocities from u0 on."""
    for k in range(u0, u0 + n):
        e, r, pull = p.E[f, k], p.R[f, k], p.pull[k]
        for i in range(parts):
            cq, cu, ca = p.c[f, i, tp.CQ], p.c[f, i, tp.CU], p.c[f, i, tp.CA]
            for l in range(6):
                e[6 * i + l] = cq * pull[tp.FQ, l] + cu * pull[tp.FU, l] + ca * pull[tp.FA, l]
            for l in range(WIDE):
                r[WIDE * i + l] = p.felt[k, l] if i == 0 else 0.0


@kernel
def factor_states(p, f, parts):
    """Controllers' states: rows, columns and pivots; what their elimination does to the own entries of velocities."""
    c = p.c[f]
    for s in range(p.owner.shape[0]):
        x, k = p.state[f, s], p.owner[s]
        for i in range(2):
            x[tp.UP, i] = c[i, tp.CZ] * p.slopes[s, 0]
            x[tp.DOWN, i] = c[i, tp.DQ] * p.slopes[s, 1] + c[i, tp.DU] * p.slopes[s, 2]
            x[tp.PIVOT, i] = c[i, tp.D0] - c[i, tp.DZ] * p.slopes[s, 3]
        a, b = times(x[tp.UP, 0], x[tp.UP, 1], x[tp.DOWN, 0], x[tp.DOWN, 1])
        a, b = over(a, b, x[tp.PIVOT, 0], x[tp.PIVOT, 1])
        j = k - p.of[k, FIRST]
        p.D[f, 0, k, j] += a
        if parts == 2:
            p.D[f, 1, k, j] += b


@kernel
def add_edge(m, p, f, n, place, u0, parts):
    """Add the edge of node n, whose matrix is in a place of p.A, to the block of velocities that begins at u0."""
    c0, k, inward = m.node[n, at.COL0], m.node[n, at.COLUMNS], m.node[n, at.MOTION] == at.ELASTIC_IN
    E, R, D, Z, v = p.E[f], p.R[f], p.D[f], p.Z[f], p.t
    A = p.A[place]
    for i in range(k):
        if parts == 2:
            pair = product_pair(A, A[HALF:], Z[c0 + i], Z[c0 + i, WIDE:])
            for l in range(12):
                v[l] = pair[l]
        else:
            s = tp.product(A, Z[c0 + i])
            for l in range(6):
                v[l] = s[l]
        e, t = E[u0 + i], tp.turned(p.wrench[n], p.column[c0 + i, J:])
        for c in range(parts):
            for j in range(k):
                y, g = p.column[c0 + j, J:], 0.0
                for l in range(6):
                    g += y[l] * (v[6 * c + l] + (e[6 * c + l] if inward else 0.0))
                D[c, u0 + j, i] += g
        if inward:
            for j in range(k):
                for c in range(parts):
                    for d in range(parts):
                        g = tp.dot(R[u0 + j, WIDE * c :], Z[c0 + i, WIDE * d :])
                        D[(c + d) % 2, u0 + j, i] += -g if c + d == 2 else g
        for c in range(parts):
            for l in range(6):
                e[6 * c + l] += v[6 * c + l] - p.c[f, c, tp.CQ] * t[l]
    for i in range(k):
        for c in range(parts):
            gather(A[HALF * c :], p.column[c0 + i, J:], R[u0 + i, WIDE * c :])


@kernel
def pivot_block(p, f, u0, n, parts):
    """LU of the block of n velocities from u0 on, with reciprocals on the diagonal; False if it is singular or not finite."""
    a, b, piv = p.D[f, 0, u0:], p.D[f, 1, u0:], p.pivot[f, u0:]
    for k in range(n):
        q, big = k, -1.0
        for i in range(k, n):
            s = a[i, k] * a[i, k] + (b[i, k] * b[i, k] if parts == 2 else 0.0)
            if not s <= big:
                q, big = i, s
        if not (big > 0.0 and math.isfinite(big)):
            return False
        piv[k] = q
        if q != k:
            for j in range(n):
                a[k, j], a[q, j] = a[q, j], a[k, j]
                b[k, j], b[q, j] = b[q, j], b[k, j]
        a[k, k] = a[k, k] / big
        if parts == 1:
            for i in range(k + 1, n):
                x, y, s = a[i], a[k], a[i, k] * a[k, k]
                x[k] = s
                for j in range(k + 1, n):
                    x[j] -= s * y[j]
            continue
        b[k, k] = -b[k, k] / big
        for i in range(k + 1, n):
            s, r = times(a[i, k], b[i, k], a[k, k], b[k, k])
            a[i, k], b[i, k] = s, r
            x, y, xi, yi = a[i], a[k], b[i], b[k]
            for j in range(k + 1, n):
                x[j] -= s * y[j] - r * yi[j]
                xi[j] -= s * yi[j] + r * y[j]
    return True


@kernel
def solve_rows(p, f, u0, n, parts):
    """Rows R of the n velocities from u0 on become D^-1 R."""
    a, b, R = p.D[f, 0, u0:], p.D[f, 1, u0:], p.R[f, u0:]
    for k in range(n):
        q = p.pivot[f, u0 + k]
        if q != k:
            for j in range(PAIR):
                R[k, j], R[q, j] = R[q, j], R[k, j]
    for step in range(2 * n):  # down, then up
        i = step if step < n else 2 * n - 1 - step
        first, end = (0, i) if step < n else (i + 1, n)
        for k in range(first, end):
            if parts == 1:
                subtract_row(a[i, k], R[k], R[i])
            else:
                subtract_pair(a[i, k], b[i, k], R[k], R[i])
        if step >= n:
            x, s = R[i], a[i, i]
            if parts == 1:
                for j in range(WIDE):
                    x[j] *= s
            else:
                r, y = b[i, i], R[i, WIDE:]
                for j in range(WIDE):
                    x[j], y[j] = s * x[j] - r * y[j], s * y[j] + r * x[j]


@kernel
def eliminate(p, f, place, u0, k, parts):
    """Eliminate the k velocities from u0 on, with the matrix in a place of p.A; False if that cannot be done."""
    if not pivot_block(p, f, u0, k, parts):
        return False
    solve_rows(p, f, u0, k, parts)
    A = p.A[place]
    for i in range(u0, u0 + k):
        e, r = p.E[f, i], p.R[f, i]
        if parts == 1:
            spread(A, -1.0, e, r)
        else:
            subtract_two(A, e, r, -1.0, e[6:], r[WIDE:])
            subtract_two(A[HALF:], e, r[WIDE:], 1.0, e[6:], r)
    return True


@shared(TREE, PARTS, INT, INT, gives=TRUTH)
def factor_tree(m, p, f, parts):
    """Factor number f for the coefficients p.c[f], real (1 part) or complex (2); False if a block is singular.

    The matrix of velocities and controllers' states is [[cq Rq + cu Ru + ca M, cz Rz], [-dq Gq - du Gu, d0 - dz Gz]].
    """
    node = m.node
    fill_own(p, f, parts)
    if m.head[at.H_INNER] > 0:
        if not inner.invert(m, p, f, parts):
            return False
        inner.bend_nodes(m, p, f, parts)
    factor_states(p, f, parts)
    for k in range(p.of.shape[0]):
        if p.of[k, ALONE] == 1:
            count = p.of[k, COUNT]
            fill_block(p, f, k, count, parts)
            if not pivot_block(p, f, k, count, parts):
                return False
    for b in range(m.flex.shape[0]):
        fill_block(p, f, m.flex[b, at.FLEX_U0], m.flex[b, at.FLEX_N], parts)
    begin_nodes(p)
    for n in range(node.shape[0] - 1, 0, -1):
        motion, before = node[n, at.MOTION], node[n, at.PARENT]
        flexible = node[n, at.HEAVY] == at.FLEXIBLE
        place = begin_node(m, p, n, parts)
        for c in range(node[n, at.COL0], node[n, at.COL0] + node[n, at.COLUMNS]):
            fill_column(p, f, c, parts)
        edges = 2 if flexible and motion != at.ELASTIC_IN else 1
        for which in range(edges):  # a flexible body's coordinates before those of the joint that it is on
            body = motion == at.ELASTIC_OUT or motion == at.ELASTIC_IN or edges - which == 2
            u0, k = node[n, at.U0], node[n, at.COLUMNS]
            if body:
                u0, k = m.flex[node[n, at.FLEX], at.FLEX_U0], m.flex[node[n, at.FLEX], at.FLEX_N]
            elif is_axis(m, n):
                if not eliminate_axis(m, p, f, n, place, parts):
                    return False
                continue
            else:
                fill_block(p, f, u0, k, parts)
            if edges - which == 1:
                add_edge(m, p, f, n, place, u0, parts)
            if motion != at.ELASTIC_OUT and not eliminate(p, f, place, u0, k, parts):
                return False
        if before > 0 and not is_axis(m, n):
            add_to_parent(m, p, place, before, parts)
        end_node(p, place)
    return True
