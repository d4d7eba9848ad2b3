"""Tangents of a flexible body's own inertia, stiffness and wrench; see ``flex_body`` for the symbols."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.bodies import second_order_shapes as slaved
from supple.core.bodies.flex_body import local_motion, rows, to_world, turn_times
from supple.native.declare import kernel


@kernel
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
