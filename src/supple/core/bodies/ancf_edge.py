"""Frames on the nodes of gradient bodies: a node without mass behind an edge from the ground.

Its columns are the velocities of the nodal vectors r, g1 = r_x and g2 = r_y; its axes are those gradients made orthonormal,

    e1 = g1/a    e2 = (g2 - (g2.e1) e1)/b    e3 = e1 x e2    with a = e1.g1, b = e2.g2, c = e1.g2/b

and its angular velocity has the components O g' in them,

    w1 = (e3.g2')/b - (c/a) e3.g1'    w2 = -(e3.g1')/a    w3 = (e2.g1')/a

The last six columns are those of g1 and g2. Where sections shear, a node has columns of r, r_x, g1 = r_y and g2 = r_z, those of r_x are zero:
its axes are y, z and x of the section. A node with r alone (of a cable) has three columns and axes that do not turn. As for elastic edges, columns J come with
rates JD, JDD seen from the node, so that dJ/dt = JD + ad(V) J: [m; d x m] with m = R O' for a gradient, and
[0; -w x e_j] for the place; d is the node's place from the reference point.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross
from supple.core.bodies.flex import Z_ROW, ZD_ROW, tangent_columns
from supple.native.declare import INT, VEC, kernel, shared

PLACE, TWO = 3, 6  # columns of a node without axes, and of the two gradients of one with axes
# Rows of the scratch: O, its rate and second rate (3, 6)
O_ROW, OD_ROW, ODD_ROW = 12, 15, 18


@kernel
def dot(x, y):
    """Scalar product."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel
def combined(p, x, q, y):
    """p x + q y."""
    return p * x[0] + q * y[0], p * x[1] + q * y[1], p * x[2] + q * y[2]


@kernel
def vector(x, k):
    """Three numbers from place k on."""
    return x[k], x[k + 1], x[k + 2]


@kernel
def axes(r):
    """The axes of the node whose row is r, one after the other."""
    return (r[0], r[3], r[6]), (r[1], r[4], r[7]), (r[2], r[5], r[8])


@kernel
def edge_pose(tree, q, n, r):
    """Pose of node n behind a gradient edge; fills its row r."""
    j = tree.node[n, at.Q0]
    r[at.P], r[at.P + 1], r[at.P + 2] = q[j], q[j + 1], q[j + 2]
    if tree.node[n, at.COLUMNS] == PLACE:
        for k in range(9):
            r[k] = 0.0
        r[0], r[4], r[8] = 1.0, 1.0, 1.0
        return
    j += tree.node[n, at.COLUMNS] - TWO
    g1, g2 = vector(q, j), vector(q, j + 3)
    a = np.sqrt(dot(g1, g1))
    e1 = (g1[0] / a, g1[1] / a, g1[2] / a)
    along = dot(g2, e1)
    h = combined(1.0, g2, -along, e1)
    b = np.sqrt(dot(h, h))
    e2 = (h[0] / b, h[1] / b, h[2] / b)
    e3 = cross(e1, e2)
    r[at.TH], r[at.TH + 1], r[at.TH + 2] = a, b, along
    for k in range(3):
        r[3 * k], r[3 * k + 1], r[3 * k + 2] = e1[k], e2[k], e3[k]


@kernel
def gradients(r, e):
    """g1 and g2 of the node whose row is r, from its axes and what its pose left."""
    a, b, along = r[at.TH], r[at.TH + 1], r[at.TH + 2]
    return (a * e[0][0], a * e[0][1], a * e[0][2]), combined(along, e[0], b, e[1])


@kernel
def fill(O, k, ia, ib, e2, e3):
    """The matrix O (3, 6) from the factors c/a, 1/a, 1/b and the axes; of its rates from theirs, one product at a time."""
    for i in range(3):
        O[0, i] += -k * e3[i]
        O[0, 3 + i] += ib * e3[i]
        O[1, i] += -ia * e3[i]
        O[2, i] += ia * e2[i]


@kernel
def clear(O):
    """Zeros in a matrix (3, 6)."""
    for i in range(3):
        for j in range(6):
            O[i, j] = 0.0


@kernel
def spin(O, v1, v2):
    """O g' in the node's axes."""
    w0 = O[0, 0] * v1[0] + O[0, 1] * v1[1] + O[0, 2] * v1[2] + O[0, 3] * v2[0] + O[0, 4] * v2[1] + O[0, 5] * v2[2]
    w1 = O[1, 0] * v1[0] + O[1, 1] * v1[1] + O[1, 2] * v1[2]
    w2 = O[2, 0] * v1[0] + O[2, 1] * v1[1] + O[2, 2] * v1[2]
    return w0, w1, w2


@kernel
def turned(e, x):
    """World components of x, which is along the axes e."""
    return (
        e[0][0] * x[0] + e[1][0] * x[1] + e[2][0] * x[2],
        e[0][1] * x[0] + e[1][1] * x[1] + e[2][1] * x[2],
        e[0][2] * x[0] + e[1][2] * x[1] + e[2][2] * x[2],
    )


@kernel
def turning(e, g1, g2, v1, v2, O, OD):
    """O and its rate for g' = v; returns the angular velocity (world), rates of the axes, and of a, b, c with both others."""
    ia, b = 1.0 / dot(e[0], g1), dot(e[1], g2)
    ib = 1.0 / b
    c = dot(e[0], g2) * ib
    clear(O)
    fill(O, c * ia, ia, ib, e[1], e[2])
    w = turned(e, spin(O, v1, v2))
    d = cross(w, e[0]), cross(w, e[1]), cross(w, e[2])
    ad, bd = dot(e[0], v1), dot(d[1], g2) + dot(e[1], v2)
    cd = (dot(d[0], g2) + dot(e[0], v2) - c * bd) * ib
    iad, ibd = -ad * ia * ia, -bd * ib * ib
    clear(OD)
    fill(OD, cd * ia + c * iad, iad, ibd, e[1], e[2])
    fill(OD, c * ia, ia, ib, d[1], d[2])
    return w, d, (ia, ib, c), (ad, bd, cd), (iad, ibd)


@kernel
def turning_rate(e, d, w, l, g1, g2, v1, v2, a1, a2, now, first, inverse, ODD):
    """Second rate of O for g'' = a and the angular acceleration l (world), from what ``turning`` returns."""
    ia, ib, c = now
    ad, bd, cd = first
    iad, ibd = inverse
    x0 = combined(1.0, cross(l, e[0]), 1.0, cross(w, d[0]))
    x1 = combined(1.0, cross(l, e[1]), 1.0, cross(w, d[1]))
    x2 = combined(1.0, cross(l, e[2]), 1.0, cross(w, d[2]))
    add = dot(x0, g1) + 2.0 * dot(d[0], v1) + dot(e[0], a1)
    bdd = dot(x1, g2) + 2.0 * dot(d[1], v2) + dot(e[1], a2)
    cdd = (dot(x0, g2) + 2.0 * dot(d[0], v2) + dot(e[0], a2) - 2.0 * cd * bd - c * bdd) * ib
    iadd, ibdd = -(2.0 * iad * ad + ia * add) * ia, -(2.0 * ibd * bd + ib * bdd) * ib
    clear(ODD)
    fill(ODD, cdd * ia + 2.0 * cd * iad + c * iadd, iadd, ibdd, e[1], e[2])
    fill(ODD, 2.0 * (cd * ia + c * iad), 2.0 * iad, 2.0 * ibd, d[1], d[2])
    fill(ODD, c * ia, ia, ib, x1, x2)


@kernel
def along_axes(e, O, k):
    """World vector of column k of a matrix (3, 6) along the axes e."""
    return turned(e, (O[0, k], O[1, k], O[2, k]))


@kernel
def put(c, which, m, d):
    """A column [m; d x m]."""
    x = cross(d, m)
    for l in range(3):
        c[which, l], c[which, 3 + l] = m[l], x[l]


@shared(TREE, WORK, INT, VEC, VEC)
def edge_motion(tree, work, n, u, a):
    """Columns J, JD of a gradient edge; scratch rows 0 and 1 get z = J u and J a + JD u."""
    r, o, s = work.node[n], work.origin, work.scratch
    first, count, k = tree.node[n, at.COL0], tree.node[n, at.COLUMNS], tree.node[n, at.U0]
    d = (r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2])
    w = (0.0 * d[0], 0.0 * d[0], 0.0 * d[0])
    if count > PLACE:
        e, O, OD = axes(r), s[O_ROW : O_ROW + 3], s[OD_ROW : OD_ROW + 3]
        g1, g2 = gradients(r, e)
        own = count - TWO
        w, _, _, _, _ = turning(e, g1, g2, vector(u, k + own), vector(u, k + own + 3), O, OD)
        for i in range(TWO):
            c = work.column[first + own + i]
            put(c, at.COL_J, along_axes(e, O, i), d)
            put(c, at.COL_JD, along_axes(e, OD, i), d)
    for i in range(max(PLACE, count - TWO)):
        c = work.column[first + i]
        for l in range(6):
            c[at.COL_J, l] = 0.0
            c[at.COL_JD, l] = 0.0
    for i in range(PLACE):  # - w x e_i
        x, y = (i + 1) % 3, (i + 2) % 3
        work.column[first + i, at.COL_J, 3 + i] = 1.0
        c = work.column[first + i, at.COL_JD]
        c[3 + x], c[3 + y] = -w[y], w[x]
    for l in range(6):
        s[0, l] = 0.0
        s[1, l] = 0.0
    for i in range(count):
        c = work.column[first + i]
        for l in range(6):
            s[0, l] += c[at.COL_J, l] * u[k + i]
            s[1, l] += c[at.COL_J, l] * a[k + i] + c[at.COL_JD, l] * u[k + i]


@shared(TREE, WORK, INT, VEC, VEC)
def edge_columns(tree, work, n, u, a):
    """Tangent columns dV, psi_q, psi_u of a gradient edge; needs motion."""
    r, o, s = work.node[n], work.origin, work.scratch
    first, count, k = tree.node[n, at.COL0], tree.node[n, at.COLUMNS], tree.node[n, at.U0]
    d = (r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2])
    w = (0.0 * d[0], 0.0 * d[0], 0.0 * d[0])
    l = w
    if count > PLACE:
        e, O, OD, ODD = axes(r), s[O_ROW : O_ROW + 3], s[OD_ROW : OD_ROW + 3], s[ODD_ROW : ODD_ROW + 3]
        g1, g2 = gradients(r, e)
        own = k + count - TWO
        v1, v2, a1, a2 = vector(u, own), vector(u, own + 3), vector(a, own), vector(a, own + 3)
        w, rates, now, slopes, inverse = turning(e, g1, g2, v1, v2, O, OD)
        l = turned(e, combined(1.0, spin(O, a1, a2), 1.0, spin(OD, v1, v2)))
        turning_rate(e, rates, w, l, g1, g2, v1, v2, a1, a2, now, slopes, inverse, ODD)
        for i in range(TWO):
            put(work.column[first + count - TWO + i], at.COL_JDD, along_axes(e, ODD, i), d)
        for i in range(PLACE, count - TWO):
            for b in range(6):
                work.column[first + i, at.COL_JDD, b] = 0.0
    for i in range(PLACE):  # w x (w x e_i) - w' x e_i
        axis = ((i == 0) * 1.0, (i == 1) * 1.0, (i == 2) * 1.0)
        x = combined(1.0, cross(w, cross(w, axis)), -1.0, cross(l, axis))
        c = work.column[first + i, at.COL_JDD]
        for b in range(3):
            c[b], c[3 + b] = 0.0, x[b]
    z, zd = s[Z_ROW], s[ZD_ROW]
    for b in range(6):
        z[b] = 0.0
        zd[b] = 0.0
    for i in range(count):
        c = work.column[first + i]
        for b in range(6):
            z[b] += c[at.COL_J, b] * u[k + i]
            zd[b] += c[at.COL_J, b] * a[k + i] + c[at.COL_JD, b] * u[k + i]
    parent_a = work.node[tree.node[n, at.PARENT], at.A : at.A + 6]
    for i in range(count):
        tangent_columns(work.column[first + i], z, zd, r[at.V : at.V + 6], parent_a, s)


@kernel
def edge_stiffness(tree, work, n, Rq):
    """Add d(J^T W)/dq at a fixed wrench W in the node's axes; W of node n is the subtree's wrench."""
    if tree.node[n, at.COLUMNS] == PLACE:
        return
    r, o, s = work.node[n], work.origin, work.scratch
    k, own = tree.node[n, at.U0], tree.node[n, at.U0] + tree.node[n, at.COLUMNS] - TWO
    e, O, OD = axes(r), s[O_ROW : O_ROW + 3], s[OD_ROW : OD_ROW + 3]
    (g1, g2), f = gradients(r, e), vector(r, at.W + 3)
    arm = cross((r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]), f)
    t = (r[at.W] - arm[0], r[at.W + 1] - arm[1], r[at.W + 2] - arm[2])  # torque about the node
    t0, t1, t2 = dot(e[0], t), dot(e[1], t), dot(e[2], t)
    for i in range(TWO):
        v1 = ((i == 0) * 1.0, (i == 1) * 1.0, (i == 2) * 1.0)
        v2 = ((i == 3) * 1.0, (i == 4) * 1.0, (i == 5) * 1.0)
        w, _, _, _, _ = turning(e, g1, g2, v1, v2, O, OD)
        push = cross(f, w)
        for b in range(PLACE):
            Rq[tree.row_of[k + b], own + i] -= push[b]
        for b in range(TWO):
            Rq[tree.row_of[own + b], own + i] += t0 * OD[0, b] + t1 * OD[1, b] + t2 * OD[2, b]
