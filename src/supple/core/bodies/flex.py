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
from supple.core.bodies import second_order_shapes as slaved
from supple.native.declare import kernel


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


@kernel
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
