"""Equations of motion of a tree: residual, accelerations, mass matrix, tangents, energies.

The residual is R(t, q, u, a, z) = M(q) a + h(q, u) - applied forces. Its tangents are analytic: in world
axes, with V_p and A_p of the parent node, a dof with column J contributes (docs/theory.md)

    dV = ad(V_p) J      psi_q = ad(A_p) J + ad(V_p) dV      psi_u = dV + ad(V) J

and composites of inertia I, of B = dF/dV - I ad(V), of applied stiffness K and of the wrench W are plain
sums over the subtree.
"""

from __future__ import annotations

import math

from supple.core import flex, flex_body, forces, kkt, linalg, links, membrane, slaved, tree
from supple.core import layout as at
from supple.core.layout import TREE, WORK, views
from supple.native.declare import INT, INTS, MAT, REAL, REALS, VEC, entry, hold, kernel, shared


@kernel
def turn_rotors(m, w, a):
    """Subtract from the efforts what accelerates the rotors of motors."""
    for k in range(a.shape[0]):
        w.effort[k] -= m.rotor[k] * a[k]


@kernel
def evaluate(m, w, t, q, u, a, z, r):
    """Residual r (nu) with kinematics, wrenches, efforts and powers left in the workspace.

    Constraint rows push with the multipliers w.lam.
    """
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    tree.inertias(m, w, q, u, a)
    forces.apply(m, w, t, q, u, z)
    turn_rotors(m, w, a)
    if m.link.shape[0] > 0:
        links.refresh(m, w, t, q)
        links.apply(m, w)
    tree.gather(m, w, r)


@kernel
def columns(m, w, u, a):
    """World columns dV, psi_q, psi_u of every dof; needs motion."""
    node, x, s = m.node, w.node, w.scratch[0]
    slaved.accelerations(m, w, a)
    for n in range(1, node.shape[0]):
        if node[n, at.MOTION] == at.ELASTIC_OUT or node[n, at.MOTION] == at.ELASTIC_IN:
            flex.edge_columns(m, w, n, u, a)
            continue
        p = node[n, at.PARENT]
        parent_v, parent_a = x[p, at.V : at.V + 6], x[p, at.A : at.A + 6]
        for d in range(node[n, at.COL0], node[n, at.COL0] + node[n, at.NDOF]):
            c = w.dof[d]
            j, dv, psi_q, psi_u = c[at.DOF_J], c[at.DOF_DV], c[at.DOF_PSI_Q], c[at.DOF_PSI_U]
            flex.spatial_cross(parent_v, j, dv)
            flex.spatial_cross(parent_v, dv, s)
            flex.spatial_cross(parent_a, j, psi_q)
            flex.spatial_cross(x[n, at.V : at.V + 6], j, psi_u)
            for k in range(6):
                psi_q[k] += s[k]
                psi_u[k] += dv[k]


@kernel
def velocity_matrices(m, w):
    """B of every node and K = 0. For a rigid body B = [[w~J - Jw~ - v~c~ - c~v~ - t~, 0], [-2 f~, 0]]

    with its momentum (t, f) about the reference point; the right half vanishes (Galilei).
    """
    node, x, mat = m.node, w.node, w.matrices
    for n in range(node.shape[0]):
        for i in range(6):
            for k in range(6):
                mat[n, at.NODE_B, i, k] = 0.0
                mat[n, at.NODE_K, i, k] = 0.0
        if node[n, at.HEAVY] == 0:
            continue
        b = mat[n, at.NODE_B]
        r = x[n]
        mass, cx, cy, cz = r[24], r[25], r[26], r[27]
        xx, yy, zz, xy, xz, yz = r[28], r[29], r[30], r[31], r[32], r[33]
        w0, w1, w2, v0, v1, v2 = r[12], r[13], r[14], r[15], r[16], r[17]
        t0 = xx * w0 + xy * w1 + xz * w2 + cy * v2 - cz * v1
        t1 = xy * w0 + yy * w1 + yz * w2 + cz * v0 - cx * v2
        t2 = xz * w0 + yz * w1 + zz * w2 + cx * v1 - cy * v0
        f0 = mass * v0 + w1 * cz - w2 * cy
        f1 = mass * v1 + w2 * cx - w0 * cz
        f2 = mass * v2 + w0 * cy - w1 * cx
        # S = w~J, then S + S^T = w~J - Jw~; v~c~ + c~v~ = c v^T + v c^T - 2 (v.c) I
        s00, s01, s02 = w1 * xz - w2 * xy, w1 * yz - w2 * yy, w1 * zz - w2 * yz
        s10, s11, s12 = w2 * xx - w0 * xz, w2 * xy - w0 * yz, w2 * xz - w0 * zz
        s20, s21, s22 = w0 * xy - w1 * xx, w0 * yy - w1 * xy, w0 * yz - w1 * xz
        dot = 2.0 * (v0 * cx + v1 * cy + v2 * cz)
        b[0, 0] = 2.0 * s00 - 2.0 * cx * v0 + dot
        b[1, 1] = 2.0 * s11 - 2.0 * cy * v1 + dot
        b[2, 2] = 2.0 * s22 - 2.0 * cz * v2 + dot
        o01, o02, o12 = s01 + s10 - cx * v1 - cy * v0, s02 + s20 - cx * v2 - cz * v0, s12 + s21 - cy * v2 - cz * v1
        b[0, 1], b[1, 0] = o01 + t2, o01 - t2
        b[0, 2], b[2, 0] = o02 - t1, o02 + t1
        b[1, 2], b[2, 1] = o12 + t0, o12 - t0
        b[3, 1], b[3, 2] = 2.0 * f2, -2.0 * f1
        b[4, 0], b[4, 2] = -2.0 * f2, 2.0 * f0
        b[5, 0], b[5, 1] = 2.0 * f1, -2.0 * f0


@kernel
def dot6(x, y):
    """Scalar product of spatial vectors."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@kernel
def inertia_times(i, y, out):
    """out = I y with the composite inertia of node row i."""
    w0, w1, w2, v0, v1, v2 = y[0], y[1], y[2], y[3], y[4], y[5]
    out[0] = i[44] * w0 + i[47] * w1 + i[48] * w2 + i[42] * v2 - i[43] * v1
    out[1] = i[47] * w0 + i[45] * w1 + i[49] * w2 + i[43] * v0 - i[41] * v2
    out[2] = i[48] * w0 + i[49] * w1 + i[46] * w2 + i[41] * v1 - i[42] * v0
    out[3] = i[40] * v0 + w1 * i[43] - w2 * i[42]
    out[4] = i[40] * v1 + w2 * i[41] - w0 * i[43]
    out[5] = i[40] * v2 + w0 * i[42] - w1 * i[41]


@kernel
def row_times(y, b, out):
    """out = y^T B for a 6x6 matrix."""
    for j in range(6):
        s = 0.0
        for i in range(6):
            s += y[i] * b[i, j]
        out[j] = s


# Scratch rows of one dof: J^T I, J^T B, J^T K and the change of the subtree's wrench along q and u
YI, YB, YK, DQ, DU = 0, 1, 2, 3, 4


@kernel
def dof_rows(m, w, n, c):
    """Fill the scratch rows for dof c of node n: rows J^T(I, B, K), columns dq, du."""
    i, b, col, s = w.node[n], w.matrices[n, at.NODE_B], w.dof[c], w.scratch
    j, dq, du = col[at.DOF_J], s[DQ], s[DU]
    inertia_times(i, j, s[YI])
    row_times(j, b, s[YB])
    inertia_times(i, col[at.DOF_PSI_Q], dq)
    inertia_times(i, col[at.DOF_PSI_U], du)
    for k in range(6):  # B dV and B J
        dq[k] += dot6(b[k], col[at.DOF_DV])
        du[k] += dot6(b[k], j)
    # - adT(W) J = -[t x Jw + f x Jv; f x Jw]
    t0, t1, t2, f0, f1, f2 = i[34], i[35], i[36], i[37], i[38], i[39]
    dq[0] -= t1 * j[2] - t2 * j[1] + f1 * j[5] - f2 * j[4]
    dq[1] -= t2 * j[0] - t0 * j[2] + f2 * j[3] - f0 * j[5]
    dq[2] -= t0 * j[1] - t1 * j[0] + f0 * j[4] - f1 * j[3]
    dq[3] -= f1 * j[2] - f2 * j[1]
    dq[4] -= f2 * j[0] - f0 * j[2]
    dq[5] -= f0 * j[1] - f1 * j[0]
    if m.head[at.H_WRENCHES] > 0:
        stiff = w.matrices[n, at.NODE_K]
        row_times(j, stiff, s[YK])
        for k in range(6):
            dq[k] += dot6(stiff[k], j)
    else:
        for k in range(6):
            s[YK, k] = 0.0


@kernel
def differentiate(m, w, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz):
    """Residual r and its tangents Rq, Ru, M (nu, nu), Rz (nu, nz); of controller rates Gq, Gu (nz, nu), Gz (nz, nz).

    The derivative with respect to q is taken along ``chart.retract``.
    """
    node, dof, x, col, mat, s = m.node, m.dof, w.node, w.dof, w.matrices, w.scratch
    nu, nz = r.shape[0], z.shape[0]
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    tree.inertias(m, w, q, u, a)
    columns(m, w, u, a)
    velocity_matrices(m, w)
    for c in range(nu):
        for d in range(nu):
            Rq[c, d] = 0.0
            Ru[c, d] = 0.0
            M[c, d] = 0.0
        for d in range(nz):
            Rz[c, d] = 0.0
            Gq[d, c] = 0.0
            Gu[d, c] = 0.0
    for c in range(nz):
        for d in range(nz):
            Gz[c, d] = 0.0
    forces.apply(m, w, t, q, u, z)
    turn_rotors(m, w, a)
    for k in range(nu):
        M[k, k] = m.rotor[k]
    forces.differentiate(m, w, t, q, u, z, Rq, Ru, Rz, Gq, Gu, Gz)
    if m.link.shape[0] > 0:
        links.refresh(m, w, t, q)
        links.apply(m, w)
        links.differentiate(m, w, Rq, Ru)
    for n in range(node.shape[0]):
        for k in range(10):
            x[n, 40 + k] = x[n, 24 + k]
    for n in range(node.shape[0] - 1, 0, -1):
        first = node[n, at.COL0]
        end = first + node[n, at.NDOF]
        if node[n, at.HEAVY] == at.FLEXIBLE:
            flex_body.differentiate(m, w, n, a, Rq, Ru, M)
            couple(m, w, n, Rq, Ru, M)
        for c in range(first, end):
            dof_rows(m, w, n, c)
            row = dof[c, at.DOF]
            d = end - 1
            while d >= 0:
                j, dv, psi_q, psi_u = col[d, 0], col[d, 1], col[d, 2], col[d, 3]
                e = dof[d, at.DOF]
                mass = dot6(s[YI], j)
                Rq[row, e] += dot6(s[YI], psi_q) + dot6(s[YB], dv) + dot6(s[YK], j)
                Ru[row, e] += dot6(s[YI], psi_u) + dot6(s[YB], j)
                M[row, e] += mass
                if d < first:
                    Rq[e, row] += dot6(j, s[DQ])
                    Ru[e, row] += dot6(j, s[DU])
                    M[e, row] += mass
                d = dof[d, at.BEFORE]
        if node[n, at.MOTION] == at.ELASTIC_OUT or node[n, at.MOTION] == at.ELASTIC_IN:
            flex.edge_stiffness(m, w, n, Rq)
        p = node[n, at.PARENT]
        for k in range(34, 50):
            x[p, k] += x[n, k]
        for i in range(6):
            for k in range(6):
                mat[p, at.NODE_B, i, k] += mat[n, at.NODE_B, i, k]
                mat[p, at.NODE_K, i, k] += mat[n, at.NODE_K, i, k]
    residual_of_sums(m, w, r)


@kernel
def residual_of_sums(m, w, r):
    """r = J^T W + Q - effort from wrenches that are summed over subtrees already."""
    for k in range(r.shape[0]):
        r[k] = -w.effort[k]
    for f in range(m.flex.shape[0]):
        y, k = flex_body.rows(m, w, f)[0], m.flex[f, at.FLEX_U0]
        for i in range(m.flex[f, at.FLEX_N]):
            r[k + i] += y[at.FX_Q, i]
    for c in range(m.dof.shape[0]):
        r[m.dof[c, at.DOF]] += dot6(w.dof[c, at.DOF_J], w.node[m.dof[c, at.OWNER], at.W : at.W + 6])


@kernel
def couple(m, w, n, Rq, Ru, M):
    """Tangents between a flexible body's own coordinates and the columns on the path to it."""
    f, dof, node = m.node[n, at.FLEX], m.dof, m.node
    k = m.flex[f, at.FLEX_U0]
    y = flex_body.rows(m, w, f)[0]
    d = node[n, at.COL0] + node[n, at.NDOF] - 1 if node[n, at.NDOF] > 0 else node[n, at.LAST]
    while d >= 0:
        j, dv, psi_q, psi_u = w.dof[d, 0], w.dof[d, 1], w.dof[d, 2], w.dof[d, 3]
        e = dof[d, at.DOF]
        for i in range(m.flex[f, at.FLEX_N]):
            mass, a, b = 0.0, 0.0, 0.0
            fq, fu = 0.0, 0.0
            for l in range(6):
                mass += y[at.FX_LW + l, i] * j[l]
                a += y[at.FX_LW + l, i] * psi_q[l]
                b += y[at.FX_LW + l, i] * psi_u[l]
                fq += y[at.FX_FQ + l, i] * j[l]
                fu += y[at.FX_FU + l, i] * j[l]
            for l in range(3):
                a += y[at.FX_QW + l, i] * dv[l]
                b += y[at.FX_QW + l, i] * j[l]
            Rq[k + i, e] += a
            Ru[k + i, e] += b
            M[k + i, e] += mass
            Rq[e, k + i] += fq
            Ru[e, k + i] += fu
            M[e, k + i] += mass
        d = dof[d, at.BEFORE]


@kernel
def kinetic(m, w, q, u):
    """Kinetic energy (J); needs motion and inertias."""
    total = 0.0
    for k in range(u.shape[0]):
        total += 0.5 * m.rotor[k] * u[k] * u[k]
    for f in range(m.flex.shape[0]):
        total += flex_body.kinetic(m, w, f)
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.HEAVY]:
            r = w.node[n]
            w0, w1, w2, v0, v1, v2 = r[12], r[13], r[14], r[15], r[16], r[17]
            total += 0.5 * (
                r[24] * (v0 * v0 + v1 * v1 + v2 * v2)
                + r[28] * w0 * w0 + r[29] * w1 * w1 + r[30] * w2 * w2
            )
            total += r[31] * w0 * w1 + r[32] * w0 * w2 + r[33] * w1 * w2
            total += (
                v0 * (w1 * r[27] - w2 * r[26]) + v1 * (w2 * r[25] - w0 * r[27])
                + v2 * (w0 * r[26] - w1 * r[25])
            )
            total += w0 * r[50] + w1 * r[51] + w2 * r[52] + v0 * r[53] + v1 * r[54] + v2 * r[55]
    return total


@kernel
def strain(m, q, u):
    """Strain energy of flexible bodies (J)."""
    total = 0.0
    for f in range(m.flex.shape[0]):
        total += flex_body.strain(m, f, q)
    for e in range(m.element.shape[0]):
        if m.element[e, 0] == forces.MEMBRANE:
            total += membrane.energy(m, e, q)
    return total


@kernel
def potential(m, w):
    """Gravity potential (J), zero at the world's origin; needs inertias."""
    g, o, total = m.gravity, w.origin, 0.0
    for n in range(1, m.node.shape[0]):
        r = w.node[n]
        for k in range(3):
            total -= g[k] * (r[25 + k] + r[24] * o[k])
    return total


@kernel
def node_momentum(r):
    """Momentum [angular about the reference point; linear] of the node with workspace row r."""
    mass, cx, cy, cz = r[24], r[25], r[26], r[27]
    w0, w1, w2, v0, v1, v2 = r[12], r[13], r[14], r[15], r[16], r[17]
    return (
        r[28] * w0 + r[31] * w1 + r[32] * w2 + cy * v2 - cz * v1 + r[50],
        r[31] * w0 + r[29] * w1 + r[33] * w2 + cz * v0 - cx * v2 + r[51],
        r[32] * w0 + r[33] * w1 + r[30] * w2 + cx * v1 - cy * v0 + r[52],
        mass * v0 + w1 * cz - w2 * cy + r[53],
        mass * v1 + w2 * cx - w0 * cz + r[54],
        mass * v2 + w0 * cy - w1 * cx + r[55],
    )


@kernel
def momentum(m, w, out):
    """Momentum (6) [angular about the world's origin; linear] of the whole model; needs inertias."""
    o = w.origin
    for k in range(6):
        out[k] = 0.0
    for n in range(1, m.node.shape[0]):
        h = node_momentum(w.node[n])
        for k in range(6):
            out[k] += h[k]
    out[0] += o[1] * out[5] - o[2] * out[4]
    out[1] += o[2] * out[3] - o[0] * out[5]
    out[2] += o[0] * out[4] - o[1] * out[3]


@kernel
def momentum_along(m, w, root, s):
    """Momentum on the screw s (6, about the world's origin) of the nodes below a root, and a size for its
    errors: the bodies' whole momenta, since a component may vanish by its direction.
    """
    o = w.origin
    s3 = s[3] + s[1] * o[2] - s[2] * o[1]
    s4 = s[4] + s[2] * o[0] - s[0] * o[2]
    s5 = s[5] + s[0] * o[1] - s[1] * o[0]
    turn = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    slide = math.sqrt(s3 * s3 + s4 * s4 + s5 * s5)
    total, size = 0.0, 0.0
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.ROOT] == root:
            h = node_momentum(w.node[n])
            total += s[0] * h[0] + s[1] * h[1] + s[2] * h[2] + s3 * h[3] + s4 * h[4] + s5 * h[5]
            size += turn * math.sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
            size += slide * math.sqrt(h[3] * h[3] + h[4] * h[4] + h[5] * h[5])
    return total, size


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, VEC)
def residual_at(m, w, t, q, u, a, z, r):
    """``evaluate``, shared by entries and loops."""
    evaluate(m, w, t, q, u, a, z, r)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, VEC, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def tangent_at(m, w, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz):
    """``differentiate``, shared by entries and loops."""
    differentiate(m, w, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, gives=INT)
def solve_motion(m, w, t, u, z, f):
    """Generalized forces f (nu) become accelerations, w.lam the multipliers; needs ``evaluate`` at a = 0, lam = 0.

    Returns -1, or the velocity whose pivot fails, or nu plus a constraint row that depends on others.
    """
    tree.composite(m, w, w.mass)
    if w.lam.shape[0] == 0:
        bad = linalg.cholesky(w.mass, w.lower)
        if bad < 0:
            linalg.cholesky_solve(w.lower, f)
        return bad
    for k in range(f.shape[0]):
        w.force[k] = 0.0
    links.accelerations(m, w, t, w.force, w.lam)
    for i in range(w.lam.shape[0]):
        w.lam[i] = -w.lam[i]
    links.jacobian(m, w, w.rows)
    bad = kkt.factorize(m, w)
    if bad < 0:
        bad = kkt.solve(m, w, f, w.lam)
    if bad < 0:
        forces.drive(m, w, t)
    return bad


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, gives=INT)
def forward(m, w, t, q, u, z, a):
    """Accelerations a (nu) and multipliers w.lam; returns -1 or what fails, see ``solve_motion``."""
    for k in range(a.shape[0]):
        a[k] = 0.0
    for i in range(w.lam.shape[0]):
        w.lam[i] = 0.0
    residual_at(m, w, t, q, u, a, z, a)  # gather writes r[k] after the last use of a[k]
    for k in range(a.shape[0]):
        a[k] = -a[k]
    return solve_motion(m, w, t, u, z, a)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC)
def exert(m, w, t, q, u, a, z):
    """Kinematics, inertias, and what force elements do: efforts, wrenches, powers and controllers' rates."""
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    tree.inertias(m, w, q, u, a)
    forces.apply(m, w, t, q, u, z)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, gives=REAL)
def satisfy(m, w, t, q, u, d, place):
    """Move q and u onto the constraints; see ``kkt.positions``. Returns the violation that is left."""
    left = kkt.positions(m, w, t, q, u, d, place)
    if math.isfinite(left):
        kkt.velocities(m, w, t, u, d)
    return left


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC, VEC)
def residual(ints, reals, work, t, q, u, a, z, r):
    """r (nu) = M a + h - applied forces."""
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    residual_at(m, w, t, q, u, a, z, r)


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC)
def accelerate(ints, reals, work, t, q, u, z, a):
    """Forward dynamics: a holds extra generalized forces on entry and accelerations on return.

    Returns -1, or the velocity whose pivot fails (no inertia, or a joint that locks), or nu plus a dependent row.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    n = a.shape[0]
    h = w.lower[0] if n > 0 else a
    for k in range(n):
        h[k] = 0.0
    for i in range(w.lam.shape[0]):
        w.lam[i] = 0.0
    residual_at(m, w, t, q, u, h, z, h)
    for k in range(n):
        a[k] -= h[k]
    return solve_motion(m, w, t, u, z, a)


@entry(INTS, REALS, VEC, VEC, MAT)
def mass_matrix(ints, reals, work, q, M):
    """M (nu, nu)."""
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    h = w.force
    for k in range(M.shape[0]):
        h[k] = 0.0
    tree.poses(m, w, q)
    tree.motion(m, w, h, h)
    tree.inertias(m, w, q, h, h)
    tree.composite(m, w, M)


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC, VEC, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def tangent(ints, reals, work, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz):
    """Residual and tangents; see ``differentiate``."""
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    tangent_at(m, w, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz)


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC, VEC, VEC, MAT, MAT)
def constrain(ints, reals, work, t, q, u, a, g, gu, ga, G, H):
    """Constraint rows at a state: violations g, their rates gu and second derivatives ga (rows), Jacobian G (rows, nu)

    and the derivative H (rows, nu) of the rates along q.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    columns(m, w, u, a)
    links.refresh(m, w, t, q)
    links.violations(m, w, g)
    links.rates(m, w, t, u, gu)
    links.accelerations(m, w, t, a, ga)
    links.jacobian(m, w, G)
    links.rate_tangent(m, w, H)


@entry(INTS, REALS, VEC, REALS, MAT, MAT, VEC, VEC)
def project(ints, reals, work, time, q, u, d, place):
    """Move the rows of q (nt, nq) and u (nt, nu) onto the constraints; d (nu), place (nq) are scratch.

    Output is interpolated between steps. Returns the largest violation that is left (rad, or m), infinity if rows
    depend on each other somewhere; the state there stays as it is.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    worst = 0.0
    for i in range(time.shape[0]):
        left = satisfy(m, w, time[i], q[i], u[i], d, place)
        worst = left if not left <= worst else worst
    return worst
