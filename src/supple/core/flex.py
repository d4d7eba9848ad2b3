"""Flexible bodies (floating frame, modal coordinates) and their elastic edges.

A body's frame is a node; its deformation enters in two places. Inertia uses the displacement field itself,
through integrals computed once (docs/theory.md). Attach frames turn by the finite rotation exp(Psi q), whose
angular velocity needs the tangent operator T: an elastic edge from the body's frame to an attach frame
(ELASTIC_OUT), or from the attach frame at which the body hangs to its own frame (ELASTIC_IN), the inverse pose.
The same elastic velocity has a column on each elastic edge of its body.

With slaved shapes (core/slaved.py) Phi and Psi depend on q and have rates of their own, kept in the workspace.

Rates of columns: JD is the rate of J seen from the child node, so that dJ/dt = JD + ad(V_child) J.
"""

from __future__ import annotations

from supple.core import layout as at
from supple.core import slaved, so3
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
    for i in range(3):  # columns of exp(theta) R0, then a times them, or a times their transpose
        m0, m1, m2 = so3.rotate(t0, t1, t2, x[o + i] + zero, x[o + 3 + i] + zero, x[o + 6 + i] + zero)
        if inward:
            b0, b3, b6 = (a0, a3, a6) if i == 0 else ((a1, a4, a7) if i == 1 else (a2, a5, a8))
            if i == 0:
                for c in range(9):
                    r[c] = 0.0
            r[0] += b0 * m0
            r[1] += b0 * m1
            r[2] += b0 * m2
            r[3] += b3 * m0
            r[4] += b3 * m1
            r[5] += b3 * m2
            r[6] += b6 * m0
            r[7] += b6 * m1
            r[8] += b6 * m2
        else:
            r[i] = a0 * m0 + a1 * m1 + a2 * m2
            r[3 + i] = a3 * m0 + a4 * m1 + a5 * m2
            r[6 + i] = a6 * m0 + a7 * m1 + a8 * m2
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
def turned(b, t0, t1, t2, x, y, z):
    """World vector of a vector in axes turned by theta from the body whose row is b."""
    x, y, z = so3.rotate(t0, t1, t2, x, y, z)
    return (
        b[0] * x + b[1] * y + b[2] * z,
        b[3] * x + b[4] * y + b[5] * z,
        b[6] * x + b[7] * y + b[8] * z,
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
    ta, tb, _ = so3.abc(s)
    da, db = so3.ab_slopes(s)
    rate = 2.0 * (t0 * x0 + t1 * x1 + t2 * x2)
    da, db = da * rate, db * rate
    v0, v1, v2 = so3.tangent_times(t0, t1, t2, x0, x1, x2)
    w0, w1, w2 = turned(b, t0, t1, t2, v0, v1, v2)  # relative angular velocity, world
    z, y = work.scratch[0], work.scratch[1]
    for i in range(6):
        z[i] = 0.0
        y[i] = 0.0
    for i in range(nf):
        c = work.column[tree.node[n, at.COL0] + i]
        J, JD = c[at.COL_J], c[at.COL_JD]
        p0, p1, p2 = rotation(shape, w, k, e, nf, i)
        g0, g1, g2 = t1 * p2 - t2 * p1, t2 * p0 - t0 * p2, t0 * p1 - t1 * p0  # theta x psi
        h0, h1, h2 = t1 * g2 - t2 * g1, t2 * g0 - t0 * g2, t0 * g1 - t1 * g0
        e0, e1, e2 = turned(b, t0, t1, t2, p0 - ta * g0 + tb * h0, p1 - ta * g1 + tb * h1, p2 - ta * g2 + tb * h2)
        q0, q1, q2 = x1 * p2 - x2 * p1, x2 * p0 - x0 * p2, x0 * p1 - x1 * p0  # theta' x psi
        k0 = x1 * g2 - x2 * g1 + t1 * q2 - t2 * q1
        k1 = x2 * g0 - x0 * g2 + t2 * q0 - t0 * q2
        k2 = x0 * g1 - x1 * g0 + t0 * q1 - t1 * q0
        m0, m1, m2 = turned(
            b, t0, t1, t2,
            -da * g0 - ta * q0 + db * h0 + tb * k0,
            -da * g1 - ta * q1 + db * h1 + tb * k1,
            -da * g2 - ta * q2 + db * h2 + tb * k2,
        )
        p0, p1, p2 = displacement(shape, w, k, e, nf, i)
        f0, f1, f2 = b[0] * p0 + b[1] * p1 + b[2] * p2, b[3] * p0 + b[4] * p1 + b[5] * p2, b[6] * p0 + b[7] * p1 + b[8] * p2
        J[0], J[1], J[2] = e0, e1, e2
        J[3] = f0 + d1 * e2 - d2 * e1
        J[4] = f1 + d2 * e0 - d0 * e2
        J[5] = f2 + d0 * e1 - d1 * e0
        c0, c1, c2 = 0.0 * f0, 0.0 * f1, 0.0 * f2
        if e >= 0:  # Phi and Psi change, too
            p0, p1, p2 = displacement(shape, w, k, e + 6 * nf, nf, i)
            c0, c1, c2 = b[0] * p0 + b[1] * p1 + b[2] * p2, b[3] * p0 + b[4] * p1 + b[5] * p2, b[6] * p0 + b[7] * p1 + b[8] * p2
            p0, p1, p2 = rotation(shape, w, k, e + 6 * nf, nf, i)
            g0, g1, g2 = t1 * p2 - t2 * p1, t2 * p0 - t0 * p2, t0 * p1 - t1 * p0
            p0 += -ta * g0 + tb * (t1 * g2 - t2 * g1)
            p1 += -ta * g1 + tb * (t2 * g0 - t0 * g2)
            p2 += -ta * g2 + tb * (t0 * g1 - t1 * g0)
            p0, p1, p2 = turned(b, t0, t1, t2, p0, p1, p2)
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
