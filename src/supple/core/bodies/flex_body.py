"""Inertia of a flexible body: its terms at the current deformation, wrench, generalized force, tangents.

With x = a + w x v the acceleration of the body's origin and P = S1, D = D0 + D1 q, H_k = eps_kij D_ij,
E = E0 + sym(D0 q) + sym(q D1 q)/2, J = tr(E) I - E (sym(X) = X + X^T), all in body axes:

    f = m x + alpha x mc + w x (w x mc)   + P a + 2 w x P u
    t = mc x x + J alpha + w x J w        + H a + J' w + w x H u
    Q = P^T x + H^T alpha + M a + w_k eps_kij (D1_ijba - D1_ijab) u_b - (|w|^2 D_ii - w_i D_ij w_j) + K (q - rest)

The left parts are those of a rigid body with the current inertia and are computed with it (core/bodies/tree.py). Of a body
with the inertia of the undeformed one (``FLEX_DEFORMED`` is 0) places are those without deflection, D1 is left out of D
and no velocity of deformation is turned: 2 w x P u, J' w, w x H u and the term of D1 u are missing.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import second_order_shapes as slaved
from supple.native.declare import INT, MAT, VEC, block, kernel, shared


@kernel
def rows(tree, work, f):
    """Workspace rows (FLEX_ROWS, n + r) of flexible body f, in a tuple: an array alone cannot be returned."""
    n, i = tree.flex[f, at.FLEX_N] + tree.flex[f, at.FLEX_R], tree.flex[f, at.FLEX_WORK]
    return (block(work.flex, i, at.FLEX_ROWS, n),)


@kernel
def current_inertia(tree, work, f, q, u):
    """Fill D, D1 u and L in body axes; return m, mc (3) and J (xx yy zz xy xz yz) about the body's origin."""
    b, x, w, slaves = at.modal(tree, f), tree.flex_data, rows(tree, work, f)[0], tree.flex[f, at.FLEX_R]
    n, j, k = tree.flex[f, at.FLEX_N] + slaves, tree.flex[f, at.FLEX_Q0], tree.flex[f, at.FLEX_U0]
    s0, e0, s1, d0, d1, o = b.s0, b.E0, b.S1, b.D0, b.D1, tree.flex[f, at.FLEX_WORK]
    deformed = float(tree.flex[f, at.FLEX_DEFORMED])
    D, L = w[at.FX_D : at.FX_U2], w[at.FX_L : at.FX_LW]
    if slaves > 0:
        slaved.sums(tree, work, f)
    else:  # nine rows at once: D and D1 u lie one behind the other, as do the rows of D0 and of D1[b]
        sums, rates, at_rest = block(work.flex, o + at.FX_D * n, 9 * n), block(work.flex, o + at.FX_U2 * n, 9 * n), block(x, d0, 9 * n)
        for i in range(9 * n):
            sums[i] = at_rest[i]
            rates[i] = 0.0
        for l in range(n):
            y, v, own = q[j + l], u[k + l], block(x, d1 + 9 * l * n, 9 * n)
            for i in range(9 * n):
                sums[i] += own[i] * y
                rates[i] += own[i] * v
    for c in range(9):  # D1_ij[b, a] = D1_ji[a, b]
        t = 3 * (c % 3) + c // 3
        for i in range(n):
            w[at.FX_U1 + c, i] = w[at.FX_U2 + t, i]
    zero = 0.0 * work.origin[0]  # of the workspace's type; q[j] does not exist for a body without modes
    c0, c1, c2 = x[s0] + zero, x[s0 + 1] + zero, x[s0 + 2] + zero
    e00, e11, e22, e01, e02, e12 = x[e0] + zero, x[e0 + 4] + zero, x[e0 + 8] + zero, x[e0 + 1] + zero, x[e0 + 2] + zero, x[e0 + 5] + zero
    for i in range(n):
        y = deformed * w[at.FX_QE, i]
        p0, p1, p2 = x[s1 + i], x[s1 + n + i], x[s1 + 2 * n + i]
        c0 += p0 * y
        c1 += p1 * y
        c2 += p2 * y
        e00 += (x[d0 + i] + D[0, i]) * y
        e11 += (x[d0 + 4 * n + i] + D[4, i]) * y
        e22 += (x[d0 + 8 * n + i] + D[8, i]) * y
        e01 += 0.5 * (x[d0 + n + i] + D[1, i] + x[d0 + 3 * n + i] + D[3, i]) * y
        e02 += 0.5 * (x[d0 + 2 * n + i] + D[2, i] + x[d0 + 6 * n + i] + D[6, i]) * y
        e12 += 0.5 * (x[d0 + 5 * n + i] + D[5, i] + x[d0 + 7 * n + i] + D[7, i]) * y
        L[0, i] = D[5, i] - D[7, i]
        L[1, i] = D[6, i] - D[2, i]
        L[2, i] = D[1, i] - D[3, i]
        L[3, i] = p0 + 0.0 * y
        L[4, i] = p1 + 0.0 * y
        L[5, i] = p2 + 0.0 * y
    return x[b.mass], c0, c1, c2, e11 + e22, e00 + e22, e00 + e11, -e01, -e02, -e12


@kernel
def local_motion(work, n):
    """Angular and linear velocity and spatial acceleration of node n at its origin, in its own axes."""
    r, o = work.node[n], work.origin
    dx, dy, dz = r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]
    w0, w1, w2 = r[at.V], r[at.V + 1], r[at.V + 2]
    v0, v1, v2 = r[at.V + 3] + w1 * dz - w2 * dy, r[at.V + 4] + w2 * dx - w0 * dz, r[at.V + 5] + w0 * dy - w1 * dx
    b0, b1, b2 = r[at.A], r[at.A + 1], r[at.A + 2]
    a0, a1, a2 = r[at.A + 3] + b1 * dz - b2 * dy, r[at.A + 4] + b2 * dx - b0 * dz, r[at.A + 5] + b0 * dy - b1 * dx
    return (
        r[0] * w0 + r[3] * w1 + r[6] * w2, r[1] * w0 + r[4] * w1 + r[7] * w2, r[2] * w0 + r[5] * w1 + r[8] * w2,
        r[0] * v0 + r[3] * v1 + r[6] * v2, r[1] * v0 + r[4] * v1 + r[7] * v2, r[2] * v0 + r[5] * v1 + r[8] * v2,
        r[0] * b0 + r[3] * b1 + r[6] * b2, r[1] * b0 + r[4] * b1 + r[7] * b2, r[2] * b0 + r[5] * b1 + r[8] * b2,
        r[0] * a0 + r[3] * a1 + r[6] * a2, r[1] * a0 + r[4] * a1 + r[7] * a2, r[2] * a0 + r[5] * a1 + r[8] * a2,
    )


@kernel
def to_world(r, o, t0, t1, t2, f0, f1, f2):
    """A wrench at the origin of row r in its axes -> world axes about the reference point o."""
    x0, x1, x2 = r[0] * f0 + r[1] * f1 + r[2] * f2, r[3] * f0 + r[4] * f1 + r[5] * f2, r[6] * f0 + r[7] * f1 + r[8] * f2
    dx, dy, dz = r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]
    return (
        r[0] * t0 + r[1] * t1 + r[2] * t2 + dy * x2 - dz * x1,
        r[3] * t0 + r[4] * t1 + r[5] * t2 + dz * x0 - dx * x2,
        r[6] * t0 + r[7] * t1 + r[8] * t2 + dx * x1 - dy * x0,
        x0, x1, x2,
    )


@kernel
def add_deformation(tree, work, n):
    """Add what the deformation adds to the wrench W; fill the momentum E, L in world axes and Q."""
    r, o, shape = work.node[n], work.origin, tree.flex_data
    f = tree.node[n, at.FLEX]
    b = at.modal(tree, f)
    n_own, slaves, g = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_R], b.Gamma_q
    nf = n_own + slaves
    x = rows(tree, work, f)[0]
    D, U2, U1 = x[at.FX_D : at.FX_U2], x[at.FX_U2 : at.FX_U1], x[at.FX_U1 : at.FX_L]
    L, LW = x[at.FX_L : at.FX_LW], x[at.FX_LW : at.FX_FQ]
    w0, w1, w2, v0, v1, v2, b0, b1, b2, a0, a1, a2 = local_motion(work, n)
    zero = 0.0 * w0
    ha0, ha1, ha2, pa0, pa1, pa2 = zero, zero, zero, zero, zero, zero
    hu0, hu1, hu2, pu0, pu1, pu2 = zero, zero, zero, zero, zero, zero
    e00, e11, e22, e01, e02, e12 = zero, zero, zero, zero, zero, zero  # D u, symmetrised: half of E'
    for i in range(nf):
        y, s = x[at.FX_UE, i], x[at.FX_AE, i]
        l0, l1, l2, l3, l4, l5 = L[0, i], L[1, i], L[2, i], L[3, i], L[4, i], L[5, i]
        ha0 += l0 * s
        ha1 += l1 * s
        ha2 += l2 * s
        pa0 += l3 * s
        pa1 += l4 * s
        pa2 += l5 * s
        hu0 += l0 * y
        hu1 += l1 * y
        hu2 += l2 * y
        pu0 += l3 * y
        pu1 += l4 * y
        pu2 += l5 * y
        e00 += 2.0 * D[0, i] * y
        e11 += 2.0 * D[4, i] * y
        e22 += 2.0 * D[8, i] * y
        e01 += (D[1, i] + D[3, i]) * y
        e02 += (D[2, i] + D[6, i]) * y
        e12 += (D[5, i] + D[7, i]) * y
    for l in range(6):
        slaved.felt_row(L[l], work.flex, g, n_own, slaves, LW[l])
    for i in range(n_own):
        l0, l1, l2, l3, l4, l5 = LW[0, i], LW[1, i], LW[2, i], LW[3, i], LW[4, i], LW[5, i]
        LW[0, i], LW[1, i], LW[2, i], LW[3, i], LW[4, i], LW[5, i] = to_world(r, o, l0, l1, l2, l3, l4, l5)
    deformed = float(tree.flex[f, at.FLEX_DEFORMED])
    y0, y1, y2 = deformed * w0, deformed * w1, deformed * w2  # turns what deforms
    t0 = ha0 + (e11 + e22) * y0 - e01 * y1 - e02 * y2 + y1 * hu2 - y2 * hu1
    t1 = ha1 - e01 * y0 + (e00 + e22) * y1 - e12 * y2 + y2 * hu0 - y0 * hu2
    t2 = ha2 - e02 * y0 - e12 * y1 + (e00 + e11) * y2 + y0 * hu1 - y1 * hu0
    f0 = pa0 + 2.0 * (y1 * pu2 - y2 * pu1)
    f1 = pa1 + 2.0 * (y2 * pu0 - y0 * pu2)
    f2 = pa2 + 2.0 * (y0 * pu1 - y1 * pu0)
    t0, t1, t2, f0, f1, f2 = to_world(r, o, t0, t1, t2, f0, f1, f2)
    r[at.W] += t0
    r[at.W + 1] += t1
    r[at.W + 2] += t2
    r[at.W + 3] += f0
    r[at.W + 4] += f1
    r[at.W + 5] += f2
    r[at.E], r[at.E + 1], r[at.E + 2], r[at.E + 3], r[at.E + 4], r[at.E + 5] = to_world(r, o, hu0, hu1, hu2, pu0, pu1, pu2)
    x0, x1, x2 = a0 + w1 * v2 - w2 * v1, a1 + w2 * v0 - w0 * v2, a2 + w0 * v1 - w1 * v0
    ww = w0 * w0 + w1 * w1 + w2 * w2
    mass, stiff = b.M, b.K
    for i in range(nf):
        s = L[3, i] * x0 + L[4, i] * x1 + L[5, i] * x2 + L[0, i] * b0 + L[1, i] * b1 + L[2, i] * b2
        s += w0 * (U2[5, i] - U2[7, i] - U1[5, i] + U1[7, i])
        s += w1 * (U2[6, i] - U2[2, i] - U1[6, i] + U1[2, i])
        s += w2 * (U2[1, i] - U2[3, i] - U1[1, i] + U1[3, i])
        s -= ww * (D[0, i] + D[4, i] + D[8, i])
        s += w0 * (D[0, i] * w0 + D[1, i] * w1 + D[2, i] * w2)
        s += w1 * (D[3, i] * w0 + D[4, i] * w1 + D[5, i] * w2)
        s += w2 * (D[6, i] * w0 + D[7, i] * w1 + D[8, i] * w2)
        if slaves > 0:  # M is the sum of D1_ii
            s += x[at.FX_A2, i] + x[at.FX_A2 + 4, i] + x[at.FX_A2 + 8, i]
        for l in range(nf if slaves == 0 else 0):
            s += shape[mass + i * nf + l] * x[at.FX_AE, l]
        x[at.FX_Q, i] = s
    q, Q, K, rest = x[at.FX_QE], x[at.FX_Q], block(shape, stiff, n_own, n_own), block(shape, b.rest, n_own)
    for i in range(n_own):
        Q[i] += slaved.dot_between(K[i], rest, q)
    slaved.felt_row(Q, work.flex, g, n_own, slaves, Q)


@kernel
def kinetic(tree, work, f):
    """Kinetic energy of the deformation rates alone (J); needs motion."""
    n, x = tree.flex[f, at.FLEX_N] + tree.flex[f, at.FLEX_R], tree.flex_data
    u, mass = rows(tree, work, f)[0][at.FX_UE], at.modal(tree, f).M
    total = 0.0
    for i in range(n):
        for l in range(n):
            total += 0.5 * x[mass + i * n + l] * u[i] * u[l]
    return total


@kernel
def strain(tree, f, q):
    """Strain energy (J)."""
    n, j, x = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_Q0], tree.flex_data
    b = at.modal(tree, f)
    total = 0.0
    for i in range(n):
        for l in range(n):
            total += 0.5 * x[b.K + i * n + l] * (q[j + i] - x[b.rest + i]) * (q[j + l] - x[b.rest + l])
    return total


@kernel
def turn_times(d, y0, y1, y2, i):
    """(dJ/dq_i) y for the nine rows d: 2 D_ll y - D y - D^T y."""
    t = 2.0 * (d[0, i] + d[4, i] + d[8, i])
    return (
        t * y0 - 2.0 * d[0, i] * y0 - (d[1, i] + d[3, i]) * y1 - (d[2, i] + d[6, i]) * y2,
        t * y1 - (d[1, i] + d[3, i]) * y0 - 2.0 * d[4, i] * y1 - (d[5, i] + d[7, i]) * y2,
        t * y2 - (d[2, i] + d[6, i]) * y0 - (d[5, i] + d[7, i]) * y1 - 2.0 * d[8, i] * y2,
    )


@shared(TREE, WORK, INT, VEC, MAT, MAT, MAT)
def differentiate(tree, work, n, a, Rq, Ru, M):
    """Tangents of a flexible body: B gets J' - (H u)~ and -2 (P u)~; Fq, Fu, dQ/dw; own blocks of Rq, Ru, M."""
    r, o, shape = work.node[n], work.origin, tree.flex_data
    f = tree.node[n, at.FLEX]
    k, slaves = tree.flex[f, at.FLEX_U0], tree.flex[f, at.FLEX_R]
    nf = tree.flex[f, at.FLEX_N] + slaves
    x = rows(tree, work, f)[0]  # by row: with views of parts of x LLVM adds in another order
    w0, w1, w2, v0, v1, v2, b0, b1, b2, a0, a1, a2 = local_motion(work, n)
    x0, x1, x2 = a0 + w1 * v2 - w2 * v1, a1 + w2 * v0 - w0 * v2, a2 + w0 * v1 - w1 * v0
    d1, deformed = at.modal(tree, f).D1, float(tree.flex[f, at.FLEX_DEFORMED])
    # E' (from D u), H u and P u
    zero = 0.0 * w0
    e00, e11, e22, e01, e02, e12 = zero, zero, zero, zero, zero, zero
    h0, h1, h2, p0, p1, p2 = zero, zero, zero, zero, zero, zero
    for i in range(nf):
        y = deformed * x[at.FX_UE, i]
        e00 += 2.0 * x[at.FX_D, i] * y
        e11 += 2.0 * x[at.FX_D + 4, i] * y
        e22 += 2.0 * x[at.FX_D + 8, i] * y
        e01 += (x[at.FX_D + 1, i] + x[at.FX_D + 3, i]) * y
        e02 += (x[at.FX_D + 2, i] + x[at.FX_D + 6, i]) * y
        e12 += (x[at.FX_D + 5, i] + x[at.FX_D + 7, i]) * y
        h0 += x[at.FX_L, i] * y
        h1 += x[at.FX_L + 1, i] * y
        h2 += x[at.FX_L + 2, i] * y
        p0 += x[at.FX_L + 3, i] * y
        p1 += x[at.FX_L + 4, i] * y
        p2 += x[at.FX_L + 5, i] * y
    add_velocity_matrix(r, o, work.matrices[n, at.NODE_B], e00, e11, e22, e01, e02, e12, h0, h1, h2, p0, p1, p2)
    for i in range(nf):
        l0, l1, l2, l3, l4, l5 = x[at.FX_L, i], x[at.FX_L + 1, i], x[at.FX_L + 2, i], x[at.FX_L + 3, i], x[at.FX_L + 4, i], x[at.FX_L + 5, i]
        # Fu = [(dJ/dq) w + w x H + eps (D1u + D1u^T); 2 w x P]
        g0, g1, g2 = turn_times(x[at.FX_D : at.FX_U2], w0, w1, w2, i)
        t0 = g0 + w1 * l2 - w2 * l1 + x[at.FX_U2 + 5, i] - x[at.FX_U2 + 7, i] + x[at.FX_U1 + 5, i] - x[at.FX_U1 + 7, i]
        t1 = g1 + w2 * l0 - w0 * l2 + x[at.FX_U2 + 6, i] - x[at.FX_U2 + 2, i] + x[at.FX_U1 + 6, i] - x[at.FX_U1 + 2, i]
        t2 = g2 + w0 * l1 - w1 * l0 + x[at.FX_U2 + 1, i] - x[at.FX_U2 + 3, i] + x[at.FX_U1 + 1, i] - x[at.FX_U1 + 3, i]
        t0, t1, t2 = deformed * t0, deformed * t1, deformed * t2
        q0, q1, q2 = w1 * l5 - w2 * l4, w2 * l3 - w0 * l5, w0 * l4 - w1 * l3  # w x P
        q0, q1, q2 = deformed * q0, deformed * q1, deformed * q2
        if slaves > 0:
            x[at.FX_FU, i], x[at.FX_FU + 1, i], x[at.FX_FU + 2, i], x[at.FX_FU + 3, i], x[at.FX_FU + 4, i], x[at.FX_FU + 5, i] = t0, t1, t2, 2.0 * q0, 2.0 * q1, 2.0 * q2
        else:
            x[at.FX_FU, i], x[at.FX_FU + 1, i], x[at.FX_FU + 2, i], x[at.FX_FU + 3, i], x[at.FX_FU + 4, i], x[at.FX_FU + 5, i] = to_world(r, o, t0, t1, t2, 2.0 * q0, 2.0 * q1, 2.0 * q2)
        # dQ/dw = -2 P^T v~ + eps (D1u - D1u^T) - ((dJ/dq) w)^T - H^T w~, as rows over angular velocities
        c0 = 2.0 * (v1 * l5 - v2 * l4) + x[at.FX_U2 + 5, i] - x[at.FX_U2 + 7, i] - x[at.FX_U1 + 5, i] + x[at.FX_U1 + 7, i] - g0 + w1 * l2 - w2 * l1
        c1 = 2.0 * (v2 * l3 - v0 * l5) + x[at.FX_U2 + 6, i] - x[at.FX_U2 + 2, i] - x[at.FX_U1 + 6, i] + x[at.FX_U1 + 2, i] - g1 + w2 * l0 - w0 * l2
        c2 = 2.0 * (v0 * l4 - v1 * l3) + x[at.FX_U2 + 1, i] - x[at.FX_U2 + 3, i] - x[at.FX_U1 + 1, i] + x[at.FX_U1 + 3, i] - g2 + w0 * l1 - w1 * l0
        x[at.FX_QW, i] = r[0] * c0 + r[1] * c1 + r[2] * c2
        x[at.FX_QW + 1, i] = r[3] * c0 + r[4] * c1 + r[5] * c2
        x[at.FX_QW + 2, i] = r[6] * c0 + r[7] * c1 + r[8] * c2
        # Fq = [-x~ P + (dJ/dq) alpha + H1 a + (dJ'/dq) w + w x (dJ/dq) w + w x H1 u; alpha~ P + w~ w~ P]
        t0, t1, t2 = turn_times(x[at.FX_D : at.FX_U2], b0, b1, b2, i)
        s0, s1, s2 = turn_times(x[at.FX_U1 : at.FX_L], w0, w1, w2, i)
        t0 += s0 - (x1 * l5 - x2 * l4) + w1 * g2 - w2 * g1
        t1 += s1 - (x2 * l3 - x0 * l5) + w2 * g0 - w0 * g2
        t2 += s2 - (x0 * l4 - x1 * l3) + w0 * g1 - w1 * g0
        s0, s1, s2 = x[at.FX_U1 + 5, i] - x[at.FX_U1 + 7, i], x[at.FX_U1 + 6, i] - x[at.FX_U1 + 2, i], x[at.FX_U1 + 1, i] - x[at.FX_U1 + 3, i]  # H1 u
        t0 += w1 * s2 - w2 * s1
        t1 += w2 * s0 - w0 * s2
        t2 += w0 * s1 - w1 * s0
        if slaves > 0:  # H1 a: eps_kij D1_ij[i, l] a_l, rows of D1 a over the other index
            t0 += x[at.FX_A2 + 7, i] - x[at.FX_A2 + 5, i]
            t1 += x[at.FX_A2 + 2, i] - x[at.FX_A2 + 6, i]
            t2 += x[at.FX_A2 + 3, i] - x[at.FX_A2 + 1, i]
        for l in range(nf if slaves == 0 else 0):
            y = a[k + l]
            e = d1 + 9 * i * nf + l
            t0 += (shape[e + 5 * nf] - shape[e + 7 * nf]) * y
            t1 += (shape[e + 6 * nf] - shape[e + 2 * nf]) * y
            t2 += (shape[e + nf] - shape[e + 3 * nf]) * y
        f0 = b1 * l5 - b2 * l4 + w1 * q2 - w2 * q1
        f1 = b2 * l3 - b0 * l5 + w2 * q0 - w0 * q2
        f2 = b0 * l4 - b1 * l3 + w0 * q1 - w1 * q0
        t0, t1, t2, f0, f1, f2 = deformed * t0, deformed * t1, deformed * t2, deformed * f0, deformed * f1, deformed * f2
        if slaves > 0:
            x[at.FX_FQ, i], x[at.FX_FQ + 1, i], x[at.FX_FQ + 2, i], x[at.FX_FQ + 3, i], x[at.FX_FQ + 4, i], x[at.FX_FQ + 5, i] = t0, t1, t2, f0, f1, f2
        else:
            x[at.FX_FQ, i], x[at.FX_FQ + 1, i], x[at.FX_FQ + 2, i], x[at.FX_FQ + 3, i], x[at.FX_FQ + 4, i], x[at.FX_FQ + 5, i] = to_world(r, o, t0, t1, t2, f0, f1, f2)
    if slaves > 0:
        contract_wrenches(tree, work, f, r, x)
        slaved.matrices(tree, work, f, w0, w1, w2, b0, b1, b2)
        slaved.contract(tree, work, f, x, Rq, Ru, M)
        return
    add_own_blocks(tree, f, w0, w1, w2, b0, b1, b2, Rq, Ru, M)


@kernel
def add_own_blocks(tree, f, w0, w1, w2, b0, b1, b2, Rq, Ru, M):
    """Add Qq, Qu and the mass matrix of a body's own coordinates: row i (a), column l (b) with D1_ij[b, a]."""
    shape, k, nf = tree.flex_data, tree.flex[f, at.FLEX_U0], tree.flex[f, at.FLEX_N]
    own = at.modal(tree, f)
    d1, mass, stiff = own.D1, own.M, own.K
    ww = w0 * w0 + w1 * w1 + w2 * w2
    for i in range(nf):
        for l in range(nf):
            e = d1 + 9 * l * nf + i
            et = d1 + 9 * i * nf + l
            s = b0 * (shape[e + 5 * nf] - shape[e + 7 * nf])
            s += b1 * (shape[e + 6 * nf] - shape[e + 2 * nf])
            s += b2 * (shape[e + nf] - shape[e + 3 * nf])
            s += shape[stiff + i * nf + l]
            s -= ww * (shape[e] + shape[e + 4 * nf] + shape[e + 8 * nf])
            s += w0 * (shape[e] * w0 + shape[e + nf] * w1 + shape[e + 2 * nf] * w2)
            s += w1 * (shape[e + 3 * nf] * w0 + shape[e + 4 * nf] * w1 + shape[e + 5 * nf] * w2)
            s += w2 * (shape[e + 6 * nf] * w0 + shape[e + 7 * nf] * w1 + shape[e + 8 * nf] * w2)
            row = tree.row_of[k + i]
            Rq[row, k + l] += s
            s = w0 * (shape[e + 5 * nf] - shape[e + 7 * nf] - shape[et + 5 * nf] + shape[et + 7 * nf])
            s += w1 * (shape[e + 6 * nf] - shape[e + 2 * nf] - shape[et + 6 * nf] + shape[et + 2 * nf])
            s += w2 * (shape[e + nf] - shape[e + 3 * nf] - shape[et + nf] + shape[et + 3 * nf])
            Ru[row, k + l] += s
            M[row, k + l] += shape[mass + i * nf + l]


@kernel
def contract_wrenches(tree, work, f, r, x):
    """Fq, Fu, dQ/dw of the coordinates from those of the extended body, of which Fq and Fu are in body axes."""
    n, slaves, b = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_R], at.modal(tree, f)
    w, o = work.flex, work.origin
    L, FQ, FU = x[at.FX_L : at.FX_LW], x[at.FX_FQ : at.FX_FU], x[at.FX_FU : at.FX_QW]
    for s in range(slaves):  # before Fu becomes that of the coordinates
        gu, ga, m = b.Gamma_u + s * n, b.Gamma_a + s * n, n + s
        for l in range(6):
            slaved.add_times(FU[l, m], w[gu : gu + n], FQ[l, 0:n])
            slaved.add_times(L[l, m], w[ga : ga + n], FQ[l, 0:n])
            slaved.add_times(2.0 * L[l, m], w[gu : gu + n], FU[l, 0:n])
    for l in range(at.FX_FQ, at.FX_Q):
        slaved.felt_row(x[l], w, b.Gamma_q, n, slaves, x[l])
    for i in range(n):
        for j in range(at.FX_FQ, at.FX_QW, 6):
            x[j, i], x[j + 1, i], x[j + 2, i], x[j + 3, i], x[j + 4, i], x[j + 5, i] = to_world(
                r, o, x[j, i], x[j + 1, i], x[j + 2, i], x[j + 3, i], x[j + 4, i], x[j + 5, i]
            )


@kernel
def add_velocity_matrix(r, o, B, e00, e11, e22, e01, e02, e12, h0, h1, h2, p0, p1, p2):
    """B += [[J' - (H u)~ - 2 d~ (P u)~, 0], [-2 (P u)~, 0]] in world axes, d from the reference point."""
    h0, h1, h2 = r[0] * h0 + r[1] * h1 + r[2] * h2, r[3] * h0 + r[4] * h1 + r[5] * h2, r[6] * h0 + r[7] * h1 + r[8] * h2
    p0, p1, p2 = r[0] * p0 + r[1] * p1 + r[2] * p2, r[3] * p0 + r[4] * p1 + r[5] * p2, r[6] * p0 + r[7] * p1 + r[8] * p2
    d0, d1, d2 = r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]
    for i in range(3):
        # row i of R J', J' = tr(E') I - E'
        y0 = r[3 * i] * (e11 + e22) - r[3 * i + 1] * e01 - r[3 * i + 2] * e02
        y1 = -r[3 * i] * e01 + r[3 * i + 1] * (e00 + e22) - r[3 * i + 2] * e12
        y2 = -r[3 * i] * e02 - r[3 * i + 1] * e12 + r[3 * i + 2] * (e00 + e11)
        for j in range(3):
            B[i, j] += y0 * r[3 * j] + y1 * r[3 * j + 1] + y2 * r[3 * j + 2]
    B[0, 1] += h2
    B[0, 2] -= h1
    B[1, 0] -= h2
    B[1, 2] += h0
    B[2, 0] += h1
    B[2, 1] -= h0
    # d~ p~ = p d^T - (d.p) I
    dot = d0 * p0 + d1 * p1 + d2 * p2
    B[0, 0] -= 2.0 * (p0 * d0 - dot)
    B[0, 1] -= 2.0 * p0 * d1
    B[0, 2] -= 2.0 * p0 * d2
    B[1, 0] -= 2.0 * p1 * d0
    B[1, 1] -= 2.0 * (p1 * d1 - dot)
    B[1, 2] -= 2.0 * p1 * d2
    B[2, 0] -= 2.0 * p2 * d0
    B[2, 1] -= 2.0 * p2 * d1
    B[2, 2] -= 2.0 * (p2 * d2 - dot)
    B[3, 1] += 2.0 * p2
    B[3, 2] -= 2.0 * p1
    B[4, 0] -= 2.0 * p2
    B[4, 2] += 2.0 * p0
    B[5, 0] += 2.0 * p1
    B[5, 1] -= 2.0 * p0
