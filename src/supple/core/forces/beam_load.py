"""Load spread along a flexible body: wrench on its frame and efforts on its elastic coordinates.

For a density p times a weight w(x) along the axis: l0 = int w, l1 = int w x, S = int w Phi (3, n) in the body's
axes. Force l0 p, moment (l1 + S q) x p about the body's origin, efforts S^T p. p is fixed in the world or turns
with the body. Slaved shapes (core/bodies/second_order_shapes.py) are further columns of S; with them efforts are Y^T S^T p.

Along a gradient body a density that is fixed in the world pulls at its nodal vectors with constant weights int w s_k.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import subtract_wrench_turn
from supple.core.bodies import flex_body
from supple.core.bodies import second_order_shapes as slaved
from supple.core.forces.signals import evaluate
from supple.native.declare import INT, MAT, REAL, VEC, kernel, shared

# Element integers: flexible body, 1 if p turns with it, place in the data, signals of p (3); data: l0, l1 (3), S (3, n)
BODY, FOLLOWS, AT, SIGNALS = 1, 2, 3, 4
L0, L1, SHAPES = starts(1, 3)
# Of a load along a gradient body the same integers; data: weights (n) of its nodal vectors


@kernel
def apply_to_vectors(tree, work, e, t, u):
    """Add the efforts of a load along a gradient body, return the power."""
    el, x, power = tree.element[e], tree.data, 0.0 * u[0]
    b = tree.gradient[el[BODY]]
    for l in range(3):
        p = evaluate(tree, work, el[SIGNALS + l], t)[0]
        for k in range(b[at.GRADIENT_N]):
            j, f = b[at.GRADIENT_U0] + 3 * k + l, x[el[AT] + k] * p
            work.effort[j] += f
            power += f * u[j]
    return power


@kernel
def density(tree, work, e, t):
    """p in world axes."""
    el = tree.element[e]
    r = work.node[tree.flex[el[BODY], at.FLEX_NODE]]
    one = 1.0 + 0.0 * r[0]
    x = evaluate(tree, work, el[SIGNALS], t)[0] * one
    y = evaluate(tree, work, el[SIGNALS + 1], t)[0] * one
    z = evaluate(tree, work, el[SIGNALS + 2], t)[0] * one
    if el[FOLLOWS] == 1:
        return r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z
    return x, y, z


@kernel
def shape(tree, work, e, i):
    """Column i of S in world axes."""
    el, x = tree.element[e], tree.data
    n, o = tree.flex[el[BODY], at.FLEX_N] + tree.flex[el[BODY], at.FLEX_R], el[AT] + SHAPES
    r = work.node[tree.flex[el[BODY], at.FLEX_NODE]]
    a, b, c = x[o + i], x[o + n + i], x[o + 2 * n + i]
    return r[0] * a + r[1] * b + r[2] * c, r[3] * a + r[4] * b + r[5] * c, r[6] * a + r[7] * b + r[8] * c


@kernel
def felt(tree, work, e, i):
    """Column i of S Y in world axes: what the coordinate i moves."""
    f = tree.element[e, BODY]
    n, r, _, g = slaved.places(tree, f)
    x, y, z = shape(tree, work, e, i)
    for s in range(r):
        c = work.flex[g + s * n + i]
        d = shape(tree, work, e, n + s)
        x, y, z = x + c * d[0], y + c * d[1], z + c * d[2]
    return x, y, z


@kernel
def moment(tree, work, e):
    """l0 (place of the body's origin from the reference point) + l1 + S q, world axes."""
    el, x = tree.element[e], tree.data
    f, o = tree.flex[el[BODY]], el[AT]
    r, g = work.node[f[at.FLEX_NODE]], work.origin
    l0, a, b, c = x[o + L0], x[o + L1], x[o + L1 + 1], x[o + L1 + 2]
    s0 = l0 * (r[at.P] - g[0]) + r[0] * a + r[1] * b + r[2] * c
    s1 = l0 * (r[at.P + 1] - g[1]) + r[3] * a + r[4] * b + r[5] * c
    s2 = l0 * (r[at.P + 2] - g[2]) + r[6] * a + r[7] * b + r[8] * c
    m = f[at.FLEX_N] + f[at.FLEX_R]
    k = f[at.FLEX_WORK] + at.FX_QE * m
    for i in range(m):
        d = shape(tree, work, e, i)
        s0 += d[0] * work.flex[k + i]
        s1 += d[1] * work.flex[k + i]
        s2 += d[2] * work.flex[k + i]
    return s0, s1, s2


@shared(TREE, WORK, INT, REAL, VEC, gives=REAL)
def apply(tree, work, e, t, u):
    """Subtract the wrench, add the efforts, return the power."""
    el = tree.element[e]
    f = tree.flex[el[BODY]]
    w, l0 = work.node[f[at.FLEX_NODE]], tree.data[el[AT] + L0]
    p0, p1, p2 = density(tree, work, e, t)
    s0, s1, s2 = moment(tree, work, e)
    m0, m1, m2 = s1 * p2 - s2 * p1, s2 * p0 - s0 * p2, s0 * p1 - s1 * p0
    w[at.W] -= m0
    w[at.W + 1] -= m1
    w[at.W + 2] -= m2
    w[at.W + 3] -= l0 * p0
    w[at.W + 4] -= l0 * p1
    w[at.W + 5] -= l0 * p2
    power = m0 * w[at.V] + m1 * w[at.V + 1] + m2 * w[at.V + 2] + l0 * (p0 * w[at.V + 3] + p1 * w[at.V + 4] + p2 * w[at.V + 5])
    for i in range(f[at.FLEX_N]):
        d = felt(tree, work, e, i)
        effort = d[0] * p0 + d[1] * p1 + d[2] * p2
        k = f[at.FLEX_U0] + i
        work.effort[k] += effort
        power += effort * u[k]
    return power


@shared(TREE, WORK, INT, REAL, MAT)
def differentiate(tree, work, e, t, Rq):
    """Tangents; a load that turns with the body pulls on the frame only, which makes Rq unsymmetric."""
    el = tree.element[e]
    f, l0 = tree.flex[el[BODY]], tree.data[el[AT] + L0]
    node = f[at.FLEX_NODE]
    p0, p1, p2 = density(tree, work, e, t)
    if el[FOLLOWS] == 0:  # D = [[p~ s~, -l0 p~], [0, 0]], p~ s~ = s p^T - (p.s) I
        s0, s1, s2 = moment(tree, work, e)
        k = work.matrices[node, at.NODE_K]
        dot = p0 * s0 + p1 * s1 + p2 * s2
        k[0, 0] -= s0 * p0 - dot
        k[0, 1] -= s0 * p1
        k[0, 2] -= s0 * p2
        k[1, 0] -= s1 * p0
        k[1, 1] -= s1 * p1 - dot
        k[1, 2] -= s1 * p2
        k[2, 0] -= s2 * p0
        k[2, 1] -= s2 * p1
        k[2, 2] -= s2 * p2 - dot
        k[0, 4] -= l0 * p2
        k[0, 5] += l0 * p1
        k[1, 3] += l0 * p2
        k[1, 5] -= l0 * p0
        k[2, 3] -= l0 * p1
        k[2, 4] += l0 * p0
        m0, m1, m2 = s1 * p2 - s2 * p1, s2 * p0 - s0 * p2, s0 * p1 - s1 * p0
        subtract_wrench_turn(k, m0, m1, m2, l0 * p0, l0 * p1, l0 * p2)
    y = flex_body.rows(tree, work, el[BODY])[0]
    for i in range(f[at.FLEX_N]):
        d = felt(tree, work, e, i)
        c = (d[1] * p2 - d[2] * p1, d[2] * p0 - d[0] * p2, d[0] * p1 - d[1] * p0)
        for l in range(3):
            y[at.FX_TQ + l, i] -= c[l]
            if el[FOLLOWS] == 0:
                y[at.FX_QT + l, i] -= c[l]
    n, r, gamma, _ = slaved.places(tree, el[BODY])
    for s in range(r):  # efforts of slaved shapes times Gamma
        d = shape(tree, work, e, n + s)
        c = d[0] * p0 + d[1] * p1 + d[2] * p2
        for i in range(n):
            for j in range(n):
                Rq[tree.row_of[f[at.FLEX_U0] + i], f[at.FLEX_U0] + j] -= c * tree.flex_data[gamma + (i * r + s) * n + j]
