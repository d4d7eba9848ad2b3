"""Flexible bodies (floating frame, modal coordinates) and their elastic edges.

A body's frame is a node; its deformation enters in two places. Inertia uses the displacement field itself,
through integrals computed once (docs/theory.md). Attach frames turn by the finite rotation exp(Psi q), whose
angular velocity needs the tangent operator T: an elastic edge from the body's frame to an attach frame
(ELASTIC_OUT), or from the attach frame at which the body hangs to its own frame (ELASTIC_IN), the inverse pose.
The same elastic velocity has a column on each elastic edge of its body.

With slaved shapes (core/bodies/second_order_shapes.py) Phi and Psi depend on q and have rates of their own, kept in the workspace.

Rates of columns: JD is the rate of J seen from the child node, so that dJ/dt = JD + ad(V_child) J.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base import so3
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import second_order_shapes as slaved
from supple.native.declare import INT, MAT, VEC, kernel, shared

# Rows of the scratch: motion of the child relative to its parent and its rate, four more
Z_ROW, ZD_ROW, G_ROW, JD_ROW, J1_ROW, T_ROW = range(6, 12)


@kernel
def spatial_cross(x, y, out):
    """out = ad(x) y for spatial vectors; out may be neither x nor y."""
    w0, w1, w2, v0, v1, v2 = x[0], x[1], x[2], x[3], x[4], x[5]
    out[0] = w1 * y[2] - w2 * y[1]
    out[1] = w2 * y[0] - w0 * y[2]
    out[2] = w0 * y[1] - w1 * y[0]
    out[3] = v1 * y[2] - v2 * y[1] + w1 * y[5] - w2 * y[4]
    out[4] = v2 * y[0] - v0 * y[2] + w2 * y[3] - w0 * y[5]
    out[5] = v0 * y[1] - v1 * y[0] + w0 * y[4] - w1 * y[3]


@kernel
def edge_pose(tree, work, q, n, r, a0, a1, a2, a3, a4, a5, a6, a7, a8, px, py, pz):
    """Pose of node n behind an elastic edge that begins at the frame (a, p); fills its row r."""
    f = tree.node[n, at.FLEX]
    k = tree.attach[tree.node[n, at.ATTACH], at.ATTACH_AT]
    nf, j, x = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_Q0], tree.flex_data
    zero = 0.0 * px
    d0, d1, d2, t0, t1, t2 = x[k] + zero, x[k + 1] + zero, x[k + 2] + zero, zero, zero, zero
    for i in range(nf):
        y = q[j + i]
        d0 += x[k + at.ATTACH_PHI + i] * y
        d1 += x[k + at.ATTACH_PHI + nf + i] * y
        d2 += x[k + at.ATTACH_PHI + 2 * nf + i] * y
        t0 += x[k + at.ATTACH_PHI + 3 * nf + i] * y
        t1 += x[k + at.ATTACH_PHI + 4 * nf + i] * y
        t2 += x[k + at.ATTACH_PHI + 5 * nf + i] * y
    e = tree.attach[tree.node[n, at.ATTACH], at.ATTACH_WORK]
    if e >= 0:
        slaved.at_place(tree, work, f, k, e)
        z = tree.flex[f, at.FLEX_R]
        o, z0 = k + at.ATTACH_PHI + 6 * nf, tree.flex[f, at.FLEX_WORK] + at.FX_QE * (nf + z) + nf
        for i in range(z):
            y = work.flex[z0 + i]
            d0 += x[o + i] * y
            d1 += x[o + z + i] * y
            d2 += x[o + 2 * z + i] * y
            t0 += x[o + 3 * z + i] * y
            t1 += x[o + 4 * z + i] * y
            t2 += x[o + 5 * z + i] * y
    r[at.TH], r[at.TH + 1], r[at.TH + 2] = t0, t1, t2
    inward = tree.node[n, at.MOTION] == at.ELASTIC_IN
    o = k + at.ATTACH_R
    ta, _, tc = so3.abc(t0 * t0 + t1 * t1 + t2 * t2)
    turn = so3.series(t0, t1, t2, -tc, ta)  # exp(theta)
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.product(
        turn, (x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5], x[o + 6], x[o + 7], x[o + 8])
    )
    if inward:
        m1, m2, m3, m5, m6, m7 = m3, m6, m1, m7, m2, m5
    r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8] = so3.product(
        (a0, a1, a2, a3, a4, a5, a6, a7, a8), (m0, m1, m2, m3, m4, m5, m6, m7, m8)
    )
    if inward:
        r[at.PA], r[at.PA + 1], r[at.PA + 2] = px, py, pz
        r[at.P] = px - (r[0] * d0 + r[1] * d1 + r[2] * d2)
        r[at.P + 1] = py - (r[3] * d0 + r[4] * d1 + r[5] * d2)
        r[at.P + 2] = pz - (r[6] * d0 + r[7] * d1 + r[8] * d2)
    else:
        r[at.P] = px + a0 * d0 + a1 * d1 + a2 * d2
        r[at.P + 1] = py + a3 * d0 + a4 * d1 + a5 * d2
        r[at.P + 2] = pz + a6 * d0 + a7 * d1 + a8 * d2
        r[at.PA], r[at.PA + 1], r[at.PA + 2] = r[at.P], r[at.P + 1], r[at.P + 2]


@kernel
def axes(b):
    """Rotation matrix of the node whose row is b, nine numbers."""
    return b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8]


@kernel
def spin_matrix(b, t0, t1, t2, ta, tb):
    """R exp(theta) T(theta) = R T(-theta): world angular velocity for theta', R the axes of the body whose row is b."""
    return so3.product(axes(b), so3.series(t0, t1, t2, -ta, tb))


@kernel
def turned_axes(b, t0, t1, t2, ta, tc):
    """R exp(theta): axes of the attach frame before its constant rotation."""
    return so3.product(axes(b), so3.series(t0, t1, t2, -tc, ta))


@kernel
def tangent_rate(t0, t1, t2, x0, x1, x2, ta, tb, da, db):
    """Rate of T(theta) for theta' = x and rates da, db of its factors: nine numbers."""
    s, p = t0 * t0 + t1 * t1 + t2 * t2, 2.0 * (t0 * x0 + t1 * x1 + t2 * x2)
    d = -db * s - tb * p
    return so3.without_skew(
        da * t0 + ta * x0, da * t1 + ta * x1, da * t2 + ta * x2,
        d + db * t0 * t0 + 2.0 * tb * x0 * t0,
        d + db * t1 * t1 + 2.0 * tb * x1 * t1,
        d + db * t2 * t2 + 2.0 * tb * x2 * t2,
        db * t0 * t1 + tb * (x0 * t1 + t0 * x1),
        db * t0 * t2 + tb * (x0 * t2 + t0 * x2),
        db * t1 * t2 + tb * (x1 * t2 + t1 * x2),
    )


@kernel
def displacement(shape, flex, k, e, n, i):
    """Column i of Phi: constants at k, or with slaved shapes at e in the workspace."""
    if e < 0:
        return shape[k + at.ATTACH_PHI + i], shape[k + at.ATTACH_PHI + n + i], shape[k + at.ATTACH_PHI + 2 * n + i]
    return flex[e + i], flex[e + n + i], flex[e + 2 * n + i]


@kernel
def rotation(shape, flex, k, e, n, i):
    """Column i of Psi, likewise."""
    if e < 0:
        return shape[k + at.ATTACH_PHI + 3 * n + i], shape[k + at.ATTACH_PHI + 4 * n + i], shape[k + at.ATTACH_PHI + 5 * n + i]
    return flex[e + 3 * n + i], flex[e + 4 * n + i], flex[e + 5 * n + i]


@kernel
def rates_of_theta(tree, work, n, u, a):
    """First and second derivative of an attach frame's rotation vector."""
    f = tree.node[n, at.FLEX]
    k = tree.attach[tree.node[n, at.ATTACH], at.ATTACH_AT]
    e = tree.attach[tree.node[n, at.ATTACH], at.ATTACH_WORK]
    nf, j, x, w = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_U0], tree.flex_data, work.flex
    zero = 0.0 * u[j]
    x0, x1, x2, y0, y1, y2 = zero, zero, zero, 0.0 * a[j], 0.0 * a[j], 0.0 * a[j]
    for i in range(nf):
        p0, p1, p2 = rotation(x, w, k, e, nf, i)
        x0 += p0 * u[j + i]
        x1 += p1 * u[j + i]
        x2 += p2 * u[j + i]
        y0 += p0 * a[j + i]
        y1 += p1 * a[j + i]
        y2 += p2 * a[j + i]
    if e >= 0:  # Psi itself changes
        o = e + 9 * nf
        for i in range(nf):
            y0 += w[o + i] * u[j + i]
            y1 += w[o + nf + i] * u[j + i]
            y2 += w[o + 2 * nf + i] * u[j + i]
    return x0, x1, x2, y0, y1, y2


@shared(TREE, WORK, INT, VEC, VEC)
def edge_motion(tree, work, n, u, a):
    """Columns J, JD of an elastic edge; scratch rows 0 and 1 get z = J u and J a + JD u."""
    r, o, shape = work.node[n], work.origin, tree.flex_data
    inward = tree.node[n, at.MOTION] == at.ELASTIC_IN
    b = r if inward else work.node[tree.node[n, at.PARENT]]
    f = tree.node[n, at.FLEX]
    k = tree.attach[tree.node[n, at.ATTACH], at.ATTACH_AT]
    nf, j = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_U0]
    t0, t1, t2 = r[at.TH], r[at.TH + 1], r[at.TH + 2]
    d0, d1, d2 = r[at.PA] - o[0], r[at.PA + 1] - o[1], r[at.PA + 2] - o[2]
    w, e = work.flex, tree.attach[tree.node[n, at.ATTACH], at.ATTACH_WORK]
    if e >= 0:
        slaved.at_place_rate(tree, work, f, k, e + 6 * nf, at.modal(tree, f).Gamma_u)
    x0, x1, x2, _, _, _ = rates_of_theta(tree, work, n, u, a)
    s = t0 * t0 + t1 * t1 + t2 * t2
    ta, tb, tc = so3.abc(s)
    da, db = so3.ab_slopes(s)
    rate = 2.0 * (t0 * x0 + t1 * x1 + t2 * x2)
    B, S = axes(b), spin_matrix(b, t0, t1, t2, ta, tb)
    SD = so3.product(turned_axes(b, t0, t1, t2, ta, tc), tangent_rate(t0, t1, t2, x0, x1, x2, ta, tb, da * rate, db * rate))
    w0, w1, w2 = so3.times(S, x0, x1, x2)  # relative angular velocity, world
    z, y = work.scratch[0], work.scratch[1]
    for i in range(6):
        z[i] = 0.0
        y[i] = 0.0
    for i in range(nf):
        c = work.column[tree.node[n, at.COL0] + i]
        J, JD = c[at.COL_J], c[at.COL_JD]
        p0, p1, p2 = rotation(shape, w, k, e, nf, i)
        e0, e1, e2 = so3.times(S, p0, p1, p2)
        m0, m1, m2 = so3.times(SD, p0, p1, p2)
        p0, p1, p2 = displacement(shape, w, k, e, nf, i)
        f0, f1, f2 = so3.times(B, p0, p1, p2)
        J[0], J[1], J[2] = e0, e1, e2
        J[3] = f0 + d1 * e2 - d2 * e1
        J[4] = f1 + d2 * e0 - d0 * e2
        J[5] = f2 + d0 * e1 - d1 * e0
        c0, c1, c2 = 0.0 * f0, 0.0 * f1, 0.0 * f2
        if e >= 0:  # Phi and Psi change, too
            p0, p1, p2 = displacement(shape, w, k, e + 6 * nf, nf, i)
            c0, c1, c2 = so3.times(B, p0, p1, p2)
            p0, p1, p2 = rotation(shape, w, k, e + 6 * nf, nf, i)
            p0, p1, p2 = so3.times(S, p0, p1, p2)
            m0, m1, m2 = m0 + p0, m1 + p1, m2 + p2
        JD[0], JD[1], JD[2] = m0, m1, m2
        JD[3] = d1 * m2 - d2 * m1 - (w1 * f2 - w2 * f1) + c0
        JD[4] = d2 * m0 - d0 * m2 - (w2 * f0 - w0 * f2) + c1
        JD[5] = d0 * m1 - d1 * m0 - (w0 * f1 - w1 * f0) + c2
        for l in range(6):
            z[l] += J[l] * u[j + i]
            y[l] += J[l] * a[j + i] + JD[l] * u[j + i]
    if inward:  # the inverse motion: J -> -J, JD -> -(JD + ad(z) J)
        t = work.scratch[2]
        for i in range(nf):
            c = work.column[tree.node[n, at.COL0] + i]
            spatial_cross(z, c[at.COL_J], t)
            for l in range(6):
                c[at.COL_JD, l] = -(c[at.COL_JD, l] + t[l])
                c[at.COL_J, l] = -c[at.COL_J, l]
        for l in range(6):
            z[l] = -z[l]
            y[l] = -y[l]


@shared(TREE, WORK, INT, VEC, VEC)
def edge_columns(tree, work, n, u, a):
    """Tangent columns dV, psi_q, psi_u of an elastic edge; needs motion."""
    r, o, shape, s = work.node[n], work.origin, tree.flex_data, work.scratch
    parent = tree.node[n, at.PARENT]
    inward = tree.node[n, at.MOTION] == at.ELASTIC_IN
    b = r if inward else work.node[parent]
    f = tree.node[n, at.FLEX]
    k = tree.attach[tree.node[n, at.ATTACH], at.ATTACH_AT]
    nf, j = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_U0]
    t0, t1, t2 = r[at.TH], r[at.TH + 1], r[at.TH + 2]
    d0, d1, d2 = r[at.PA] - o[0], r[at.PA + 1] - o[1], r[at.PA + 2] - o[2]
    w, e = work.flex, tree.attach[tree.node[n, at.ATTACH], at.ATTACH_WORK]
    if e >= 0:
        slaved.at_place_rate(tree, work, f, k, e + 12 * nf, at.modal(tree, f).Gamma_a)
    x0, x1, x2, y0, y1, y2 = rates_of_theta(tree, work, n, u, a)
    ss = t0 * t0 + t1 * t1 + t2 * t2
    ta, tb, tc = so3.abc(ss)
    a1, b1 = so3.ab_slopes(ss)
    a2, b2 = so3.ab_curvatures(ss)
    s1 = 2.0 * (t0 * x0 + t1 * x1 + t2 * x2)
    s2 = 2.0 * (x0 * x0 + x1 * x1 + x2 * x2 + t0 * y0 + t1 * y1 + t2 * y2)
    a2, b2 = a2 * s1 * s1 + a1 * s2, b2 * s1 * s1 + b1 * s2
    a1, b1 = a1 * s1, b1 * s1
    B, Q, S = axes(b), turned_axes(b, t0, t1, t2, ta, tc), spin_matrix(b, t0, t1, t2, ta, tb)
    SD = so3.product(Q, tangent_rate(t0, t1, t2, x0, x1, x2, ta, tb, a1, b1))
    SDD = so3.product(Q, tangent_second_rate(t0, t1, t2, x0, x1, x2, y0, y1, y2, ta, tb, a1, b1, a2, b2))
    w0, w1, w2 = so3.times(S, x0, x1, x2)
    v0, v1, v2 = so3.times(S, y0, y1, y2)
    q0, q1, q2 = so3.times(SD, x0, x1, x2)
    l0, l1, l2 = v0 + q0, v1 + q1, v2 + q2  # rate of w in the attach frame's axes
    z, zd = s[Z_ROW], s[ZD_ROW]
    for i in range(6):  # z and zd of the child relative to its parent
        z[i] = 0.0
        zd[i] = 0.0
    for i in range(nf):
        c = work.column[tree.node[n, at.COL0] + i]
        for l in range(6):
            z[l] += c[at.COL_J, l] * u[j + i]
            zd[l] += c[at.COL_J, l] * a[j + i] + c[at.COL_JD, l] * u[j + i]
    parent_a = work.node[parent, at.A : at.A + 6]
    V = r[at.V : at.V + 6]
    for i in range(nf):
        c = work.column[tree.node[n, at.COL0] + i]
        JDD = c[at.COL_JDD]
        p0, p1, p2 = rotation(shape, w, k, e, nf, i)
        h0, h1, h2 = so3.times(SDD, p0, p1, p2)
        if e >= 0:  # 2 T' Psi' + T Psi''
            p0, p1, p2 = rotation(shape, w, k, e + 6 * nf, nf, i)
            q0, q1, q2 = so3.times(SD, p0, p1, p2)
            p0, p1, p2 = rotation(shape, w, k, e + 12 * nf, nf, i)
            e0, e1, e2 = so3.times(S, p0, p1, p2)
            h0, h1, h2 = h0 + 2.0 * q0 + e0, h1 + 2.0 * q1 + e1, h2 + 2.0 * q2 + e2
        p0, p1, p2 = displacement(shape, w, k, e, nf, i)
        f0, f1, f2 = so3.times(B, p0, p1, p2)
        g0, g1, g2 = w1 * f2 - w2 * f1, w2 * f0 - w0 * f2, w0 * f1 - w1 * f0
        JDD[0], JDD[1], JDD[2] = h0, h1, h2
        JDD[3] = d1 * h2 - d2 * h1 + w1 * g2 - w2 * g1 - (l1 * f2 - l2 * f1)
        JDD[4] = d2 * h0 - d0 * h2 + w2 * g0 - w0 * g2 - (l2 * f0 - l0 * f2)
        JDD[5] = d0 * h1 - d1 * h0 + w0 * g1 - w1 * g0 - (l0 * f1 - l1 * f0)
        if e >= 0:  # Phi'' - 2 w x Phi'
            p0, p1, p2 = displacement(shape, w, k, e + 12 * nf, nf, i)
            e0, e1, e2 = so3.times(B, p0, p1, p2)
            p0, p1, p2 = displacement(shape, w, k, e + 6 * nf, nf, i)
            f0, f1, f2 = so3.times(B, p0, p1, p2)
            JDD[3], JDD[4], JDD[5] = JDD[3] + e0, JDD[4] + e1, JDD[5] + e2
            JDD[3] -= 2.0 * (w1 * f2 - w2 * f1)
            JDD[4] -= 2.0 * (w2 * f0 - w0 * f2)
            JDD[5] -= 2.0 * (w0 * f1 - w1 * f0)
        if inward:
            invert_second_rate(c, z, zd, s)
        tangent_columns(c, z, zd, V, parent_a, s)


@kernel
def tangent_second_rate(t0, t1, t2, x0, x1, x2, y0, y1, y2, ta, tb, a1, b1, a2, b2):
    """Second derivative of T(theta) for theta' = x, theta'' = y, and those of its factors: nine numbers."""
    s, p = t0 * t0 + t1 * t1 + t2 * t2, 2.0 * (t0 * x0 + t1 * x1 + t2 * x2)
    r = 2.0 * (t0 * y0 + t1 * y1 + t2 * y2 + x0 * x0 + x1 * x1 + x2 * x2)
    d = -b2 * s - 2.0 * b1 * p - tb * r
    return so3.without_skew(
        a2 * t0 + 2.0 * a1 * x0 + ta * y0,
        a2 * t1 + 2.0 * a1 * x1 + ta * y1,
        a2 * t2 + 2.0 * a1 * x2 + ta * y2,
        d + b2 * t0 * t0 + 4.0 * b1 * x0 * t0 + 2.0 * tb * (y0 * t0 + x0 * x0),
        d + b2 * t1 * t1 + 4.0 * b1 * x1 * t1 + 2.0 * tb * (y1 * t1 + x1 * x1),
        d + b2 * t2 * t2 + 4.0 * b1 * x2 * t2 + 2.0 * tb * (y2 * t2 + x2 * x2),
        b2 * t0 * t1 + 2.0 * b1 * (x0 * t1 + t0 * x1) + tb * (y0 * t1 + t0 * y1 + 2.0 * x0 * x1),
        b2 * t0 * t2 + 2.0 * b1 * (x0 * t2 + t0 * x2) + tb * (y0 * t2 + t0 * y2 + 2.0 * x0 * x2),
        b2 * t1 * t2 + 2.0 * b1 * (x1 * t2 + t1 * x2) + tb * (y1 * t2 + t1 * y2 + 2.0 * x1 * x2),
    )


@kernel
def invert_second_rate(c, z, zd, s):
    """Second rate JDD of a column c where the edge leads into the body, the inverse motion of the attach frame's.

    -(ad(Z)(ad(Z) G + JD) + ad(Zd) G + ad(Z) JD + JDD), with Z = -z and G = -J of the attach frame.
    """
    J, JDc, JDD = c[at.COL_J], c[at.COL_JD], c[at.COL_JDD]
    G, JD, J1, t = s[G_ROW], s[JD_ROW], s[J1_ROW], s[T_ROW]
    spatial_cross(z, J, t)  # = ad(Z) G
    for l in range(6):
        G[l] = -J[l]
        JD[l] = -JDc[l] - t[l]
        J1[l] = -JDc[l]  # ad(Z) G + JD
    spatial_cross(z, J1, t)
    for l in range(6):
        JDD[l] = -JDD[l] + t[l]
    spatial_cross(z, JD, t)
    for l in range(6):
        JDD[l] += t[l]
    spatial_cross(zd, G, t)
    for l in range(6):
        JDD[l] += t[l]


@kernel
def tangent_columns(c, z, zd, V, parent_a, s):
    """dV, psi_q, psi_u of a column c from J, JD, JDD: zq = JD + ad(z) J; dV = ad(V) J + JD."""
    J, dv, psi_q, psi_u, JDc, JDD = c[at.COL_J], c[at.COL_DV], c[at.COL_PSI_Q], c[at.COL_PSI_U], c[at.COL_JD], c[at.COL_JDD]
    G, JD, J1, t = s[G_ROW], s[JD_ROW], s[J1_ROW], s[T_ROW]
    spatial_cross(z, J, t)
    spatial_cross(V, J, dv)
    for l in range(6):
        J1[l] = JDc[l] + t[l]
        psi_u[l] = 2.0 * (JDc[l] + dv[l])
        dv[l] += JDc[l]
        G[l] = parent_a[l] + zd[l]
        JD[l] = JDc[l] - dv[l]
        psi_q[l] = JDD[l]
    spatial_cross(G, J, t)
    for l in range(6):
        psi_q[l] += t[l]
        J1[l] += dv[l]
    spatial_cross(z, JD, t)
    for l in range(6):
        psi_q[l] += t[l]
    spatial_cross(V, J1, t)
    for l in range(6):
        psi_q[l] += t[l]


@shared(TREE, WORK, INT, MAT)
def edge_stiffness(tree, work, n, Rq):
    """Add d(Z^T W)/dq at a fixed wrench W in the child's axes; W of node n is the subtree's wrench."""
    r, o, shape = work.node[n], work.origin, tree.flex_data
    inward = tree.node[n, at.MOTION] == at.ELASTIC_IN
    b = r if inward else work.node[tree.node[n, at.PARENT]]
    f = tree.node[n, at.FLEX]
    k = tree.attach[tree.node[n, at.ATTACH], at.ATTACH_AT]
    nf, u0, col = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_U0], tree.node[n, at.COL0]
    t0, t1, t2 = r[at.TH], r[at.TH + 1], r[at.TH + 2]
    d0, d1, d2 = r[at.PA] - o[0], r[at.PA + 1] - o[1], r[at.PA + 2] - o[2]
    sign = -1.0 if inward else 1.0
    f0, f1, f2 = sign * r[at.W + 3], sign * r[at.W + 4], sign * r[at.W + 5]
    m0 = sign * r[at.W] - (d1 * f2 - d2 * f1)  # torque about the attach point
    m1 = sign * r[at.W + 1] - (d2 * f0 - d0 * f2)
    m2 = sign * r[at.W + 2] - (d0 * f1 - d1 * f0)
    # torque in axes turned by theta from the body
    x, y, z = b[0] * m0 + b[3] * m1 + b[6] * m2, b[1] * m0 + b[4] * m1 + b[7] * m2, b[2] * m0 + b[5] * m1 + b[8] * m2
    m0, m1, m2 = so3.rotate(-t0, -t1, -t2, x, y, z)
    s = t0 * t0 + t1 * t1 + t2 * t2
    ta, tb, _ = so3.abc(s)
    da, db = so3.ab_slopes(s)
    # T^T m = m + a theta x m + b theta x (theta x m): its derivative along psi, column by column
    g0, g1, g2 = t1 * m2 - t2 * m1, t2 * m0 - t0 * m2, t0 * m1 - t1 * m0
    h0, h1, h2 = t1 * g2 - t2 * g1, t2 * g0 - t0 * g2, t0 * g1 - t1 * g0
    w, e = work.flex, tree.attach[tree.node[n, at.ATTACH], at.ATTACH_WORK]
    if e >= 0:  # Phi and Psi change: the work of the force and of T^T m on the slaved shapes times Gamma
        p0, p1, p2 = b[0] * f0 + b[3] * f1 + b[6] * f2, b[1] * f0 + b[4] * f1 + b[7] * f2, b[2] * f0 + b[5] * f1 + b[8] * f2
        slaved.add_pull(
            tree, f, k + at.ATTACH_PHI + 6 * nf, Rq, p0, p1, p2,
            m0 + ta * g0 + tb * h0, m1 + ta * g1 + tb * h1, m2 + ta * g2 + tb * h2,
        )
    for i in range(nf):
        p0, p1, p2 = rotation(shape, w, k, e, nf, i)
        rate = 2.0 * (t0 * p0 + t1 * p1 + t2 * p2)
        q0, q1, q2 = p1 * m2 - p2 * m1, p2 * m0 - p0 * m2, p0 * m1 - p1 * m0
        e0 = da * rate * g0 + ta * q0 + db * rate * h0 + tb * (p1 * g2 - p2 * g1 + t1 * q2 - t2 * q1)
        e1 = da * rate * g1 + ta * q1 + db * rate * h1 + tb * (p2 * g0 - p0 * g2 + t2 * q0 - t0 * q2)
        e2 = da * rate * g2 + ta * q2 + db * rate * h2 + tb * (p0 * g1 - p1 * g0 + t0 * q1 - t1 * q0)
        c = work.column[col + i, at.COL_J]
        # angular part of the attach frame's own column
        w0, w1, w2 = sign * c[0], sign * c[1], sign * c[2]
        v0, v1, v2 = f1 * w2 - f2 * w1, f2 * w0 - f0 * w2, f0 * w1 - f1 * w0
        for j in range(nf):
            p0, p1, p2 = rotation(shape, w, k, e, nf, j)
            x = p0 * e0 + p1 * e1 + p2 * e2
            p0, p1, p2 = displacement(shape, w, k, e, nf, j)
            x -= v0 * (b[0] * p0 + b[1] * p1 + b[2] * p2)
            x -= v1 * (b[3] * p0 + b[4] * p1 + b[5] * p2)
            x -= v2 * (b[6] * p0 + b[7] * p1 + b[8] * p2)
            Rq[tree.row_of[u0 + j], u0 + i] += x
    if inward:  # + G^T adT(-W) G = -(ad(G_i) G_j) . W, the same for J = -G
        t, W = work.scratch[11], r[at.W : at.W + 6]
        for i in range(nf):
            for j in range(nf):
                spatial_cross(work.column[col + i, at.COL_J], work.column[col + j, at.COL_J], t)
                x = 0.0
                for l in range(6):
                    x += t[l] * W[l]
                Rq[tree.row_of[u0 + j], u0 + i] -= x
