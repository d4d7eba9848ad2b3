"""Tangents of the equations of motion of a tree, analytic.

In world axes, with V_p and A_p of the parent node, a column with column J contributes (docs/theory.md)

    dV = ad(V_p) J      psi_q = ad(A_p) J + ad(V_p) dV      psi_u = dV + ad(V) J

and composites of inertia I, of B = dF/dV - I ad(V), of applied stiffness K and of the wrench W are plain
sums over the subtree.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import ancf as gradient
from supple.core.bodies import ancf_edge as gradient_edge
from supple.core.bodies import flex, flex_body, line_edge, point_edge, tree
from supple.core.bodies import second_order_shapes as slaved
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces, inner_laws, joint_forces
from supple.core.forces.control import LINEAR_CONTROL, control_states
from supple.core.linalg import multifrontal
from supple.native.declare import MAT, REAL, VEC, kernel, shared

# Scratch rows of one column: J^T I, J^T B, J^T K and the change of the subtree's wrench along q and u
YI, YB, YK, DQ, DU = 0, 1, 2, 3, 4


@shared(TREE, WORK, VEC, VEC)
def columns(m, w, u, a):
    """World columns dV, psi_q, psi_u of every column; needs motion."""
    node, x, s = m.node, w.node, w.scratch[0]
    slaved.accelerations(m, w, a)
    for n in range(1, node.shape[0]):
        if node[n, at.MOTION] == at.ELASTIC_OUT or node[n, at.MOTION] == at.ELASTIC_IN:
            flex.edge_columns(m, w, n, u, a)
            continue
        if node[n, at.MOTION] == at.GRADIENT_EDGE:
            gradient_edge.edge_columns(m, w, n, u, a)
            continue
        if node[n, at.MOTION] == at.LINE_EDGE:
            line_edge.edge_columns(m, w, n)
            continue
        if node[n, at.MOTION] == at.POINT_EDGE:
            point_edge.edge_columns(m, w, n)
            continue
        p = node[n, at.PARENT]
        parent_v, parent_a = x[p, at.V : at.V + 6], x[p, at.A : at.A + 6]
        for d in range(node[n, at.COL0], node[n, at.COL0] + node[n, at.COLUMNS]):
            c = w.column[d]
            j, dv, psi_q, psi_u = c[at.COL_J], c[at.COL_DV], c[at.COL_PSI_Q], c[at.COL_PSI_U]
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
        b, stiff, r = mat[n, at.NODE_B], mat[n, at.NODE_K], x[n]
        for i in range(6):
            for k in range(6):
                stiff[i, k] = 0.0
        if node[n, at.HEAVY] == 0:
            for i in range(6):
                for k in range(6):
                    b[i, k] = 0.0
            continue
        mass, cx, cy, cz = r[at.M], r[at.C], r[at.C + 1], r[at.C + 2]
        xx, yy, zz, xy, xz, yz = r[at.J], r[at.J + 1], r[at.J + 2], r[at.J + 3], r[at.J + 4], r[at.J + 5]
        w0, w1, w2, v0, v1, v2 = r[at.V], r[at.V + 1], r[at.V + 2], r[at.V + 3], r[at.V + 4], r[at.V + 5]
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
        o01, o02, o12 = s01 + s10 - cx * v1 - cy * v0, s02 + s20 - cx * v2 - cz * v0, s12 + s21 - cy * v2 - cz * v1
        o00, o11, o22 = 2.0 * s00 - 2.0 * cx * v0 + dot, 2.0 * s11 - 2.0 * cy * v1 + dot, 2.0 * s22 - 2.0 * cz * v2 + dot
        f0, f1, f2 = 2.0 * f0, 2.0 * f1, 2.0 * f2
        b[0, 0], b[0, 1], b[0, 2], b[0, 3], b[0, 4], b[0, 5] = o00, o01 + t2, o02 - t1, 0.0, 0.0, 0.0
        b[1, 0], b[1, 1], b[1, 2], b[1, 3], b[1, 4], b[1, 5] = o01 - t2, o11, o12 + t0, 0.0, 0.0, 0.0
        b[2, 0], b[2, 1], b[2, 2], b[2, 3], b[2, 4], b[2, 5] = o02 + t1, o12 - t0, o22, 0.0, 0.0, 0.0
        b[3, 0], b[3, 1], b[3, 2], b[3, 3], b[3, 4], b[3, 5] = 0.0, f2, -f1, 0.0, 0.0, 0.0
        b[4, 0], b[4, 1], b[4, 2], b[4, 3], b[4, 4], b[4, 5] = -f2, 0.0, f0, 0.0, 0.0, 0.0
        b[5, 0], b[5, 1], b[5, 2], b[5, 3], b[5, 4], b[5, 5] = f1, -f0, 0.0, 0.0, 0.0, 0.0


@kernel
def dot6(x, y):
    """Scalar product of spatial vectors."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@kernel
def inertia_times(i, y, out):
    """out = I y with the composite inertia of node row i."""
    w0, w1, w2, v0, v1, v2 = y[0], y[1], y[2], y[3], y[4], y[5]
    out[0] = i[at.CJ] * w0 + i[at.CJ + 3] * w1 + i[at.CJ + 4] * w2 + i[at.CC + 1] * v2 - i[at.CC + 2] * v1
    out[1] = i[at.CJ + 3] * w0 + i[at.CJ + 1] * w1 + i[at.CJ + 5] * w2 + i[at.CC + 2] * v0 - i[at.CC] * v2
    out[2] = i[at.CJ + 4] * w0 + i[at.CJ + 5] * w1 + i[at.CJ + 2] * w2 + i[at.CC] * v1 - i[at.CC + 1] * v0
    out[3] = i[at.CM] * v0 + w1 * i[at.CC + 2] - w2 * i[at.CC + 1]
    out[4] = i[at.CM] * v1 + w2 * i[at.CC] - w0 * i[at.CC + 2]
    out[5] = i[at.CM] * v2 + w0 * i[at.CC + 1] - w1 * i[at.CC]


@kernel
def row_times(y, b, out):
    """out = y^T B for a 6x6 matrix."""
    for j in range(6):
        s = 0.0
        for i in range(6):
            s += y[i] * b[i, j]
        out[j] = s


@kernel
def column_rows(m, w, n, c):
    """Fill the scratch rows for column c of node n: rows J^T(I, B, K), columns dq, du."""
    i, b, col, s = w.node[n], w.matrices[n, at.NODE_B], w.column[c], w.scratch
    j, dq, du = col[at.COL_J], s[DQ], s[DU]
    inertia_times(i, j, s[YI])
    row_times(j, b, s[YB])
    inertia_times(i, col[at.COL_PSI_Q], dq)
    inertia_times(i, col[at.COL_PSI_U], du)
    for k in range(6):  # B dV and B J
        dq[k] += dot6(b[k], col[at.COL_DV])
        du[k] += dot6(b[k], j)
    # - adT(W) J = -[t x Jw + f x Jv; f x Jw]
    y = w.inner[n]
    t0, t1, t2 = i[at.W] + y[0], i[at.W + 1] + y[1], i[at.W + 2] + y[2]
    f0, f1, f2 = i[at.W + 3] + y[3], i[at.W + 4] + y[4], i[at.W + 5] + y[5]
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


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, MAT, MAT, MAT)
def tangent_parts(m, w, t, q, u, a, z, Rq, Ru, M):
    """Parts of the tangents, in the workspace: columns, matrices B and K of the nodes, rows of flexible bodies, slopes

    of controllers, wrenches summed over subtrees. What belongs to the coordinates of one joint or one flexible body,
    and what couples two moving nodes, is added to Rq, Ru, M (nu, nu); if w.lined is 1 such couplings are left in w.reading.
    """
    node, x = m.node, w.node
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    tree.inertias(m, w, q, u, a)
    columns(m, w, u, a)
    velocity_matrices(m, w)
    for f in range(m.flex.shape[0]):
        y = flex_body.rows(m, w, f)[0]
        for l in range(at.FX_TQ, at.FLEX_ROWS):
            for i in range(m.flex[f, at.FLEX_N]):
                y[l, i] = 0.0
    for n in range(node.shape[0]):
        for k in range(6):
            w.inner[n, k] = 0.0
    for i in range(w.reading.shape[0]):
        for l in range(w.reading.shape[1]):
            w.reading[i, l] = 0.0
    forces.apply(m, w, t, q, u, z)
    forces.turn_rotors(m, w, a)
    for k in range(u.shape[0]):
        M[m.row_of[k], k] += m.rotor[k]
    gradient.gradient_mass(m, M)
    forces.differentiate(m, w, t, q, u, z, Rq, Ru)
    if m.link.shape[0] > 0:
        links.refresh(m, w, t, q)
        links.apply(m, w)
        links.differentiate(m, w, Rq, Ru)
    for n in range(node.shape[0] - 1, 0, -1):
        if node[n, at.HEAVY] == at.FLEXIBLE:
            flex_body.differentiate(m, w, n, a, Rq, Ru, M)
        if node[n, at.MOTION] == at.ELASTIC_OUT or node[n, at.MOTION] == at.ELASTIC_IN:
            flex.edge_stiffness(m, w, n, Rq)
        elif node[n, at.MOTION] == at.GRADIENT_EDGE:
            gradient_edge.edge_stiffness(m, w, n, Rq)
        elif node[n, at.MOTION] == at.LINE_EDGE:
            line_edge.edge_stiffness(m, w, n, Rq)
        for k in range(at.W, at.CM):
            x[node[n, at.PARENT], k] += x[n, k]


@kernel
def differentiate(m, w, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz):
    """Residual r and its tangents Rq, Ru, M (nu, nu), Rz (nu, nz); of controller rates Gq, Gu (nz, nu), Gz (nz, nz).

    With matrices over the states of controllers alone, the tangents of inner states are left in w.law. The derivative with respect to q is taken along ``chart.retract``.
    """
    node, column, x, col, mat, s = m.node, m.column, w.node, w.column, w.matrices, w.scratch
    multifrontal.clear(m, Rq, Ru, M)
    for matrix in (Rz, Gq, Gu, Gz):
        clear(matrix)
    w.lined[0] = 0.0
    tangent_parts(m, w, t, q, u, a, z, Rq, Ru, M)
    residual_of_sums(m, w, r)
    spread_slopes(m, w, t, q, u, z, Rz, Gq, Gu, Gz)
    for n in range(node.shape[0]):
        for k in range(at.INERTIA):
            x[n, at.CM + k] = x[n, at.M + k]
    for n in range(node.shape[0] - 1, 0, -1):
        first = node[n, at.COL0]
        end = first + node[n, at.COLUMNS]
        if node[n, at.HEAVY] == at.FLEXIBLE:
            couple(m, w, n, Rq, Ru, M)
        for c in range(first, end):
            column_rows(m, w, n, c)
            row = column[c, at.VELOCITY]
            own = m.row_of[row]
            d = end - 1
            while d >= 0:
                j, dv, psi_q, psi_u = col[d, at.COL_J], col[d, at.COL_DV], col[d, at.COL_PSI_Q], col[d, at.COL_PSI_U]
                e = column[d, at.VELOCITY]
                mass = dot6(s[YI], j)
                Rq[own, e] += dot6(s[YI], psi_q) + dot6(s[YB], dv) + dot6(s[YK], j)
                Ru[own, e] += dot6(s[YI], psi_u) + dot6(s[YB], j)
                M[own, e] += mass
                if d < first:
                    l = m.row_of[e]
                    Rq[l, row] += dot6(j, s[DQ])
                    Ru[l, row] += dot6(j, s[DU])
                    M[l, row] += mass
                d = column[d, at.BEFORE]
        p = node[n, at.PARENT]
        for k in range(at.CM, at.E):
            x[p, k] += x[n, k]
        for i in range(6):
            for k in range(6):
                mat[p, at.NODE_B, i, k] += mat[n, at.NODE_B, i, k]
                mat[p, at.NODE_K, i, k] += mat[n, at.NODE_K, i, k]


@kernel
def clear(matrix):
    """Zeros in all entries."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = 0.0


@kernel
def spread_slopes(m, w, t, q, u, z, Rz, Gq, Gu, Gz):
    """Slopes of controllers into the tangents of efforts and rates."""
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == joint_forces.PID:
            k, s = m.element[e, joint_forces.U], m.element[e, joint_forces.STATE]
            Rz[k, s], Gq[s, k], Gu[s, k], Gz[s, s] = w.slopes[s, 0], w.slopes[s, 1], w.slopes[s, 2], w.slopes[s, 3]
        elif m.element[e, at.KIND] == LINEAR_CONTROL:
            control_states(m, w, e, t, q, u, z, Rz, Gq, Gu, Gz)
    if Gz.shape[0] > m.head[at.H_OUTER]:  # of all states
        inner_laws.spread(m, w, Rz, Gq, Gu, Gz)


@kernel
def residual_of_sums(m, w, r):
    """r = J^T W + Q - effort from wrenches that are summed over subtrees already."""
    for k in range(r.shape[0]):
        r[k] = -w.effort[k]
    for f in range(m.flex.shape[0]):
        y, k = flex_body.rows(m, w, f)[0], m.flex[f, at.FLEX_U0]
        for i in range(m.flex[f, at.FLEX_N]):
            r[k + i] += y[at.FX_Q, i]
    for c in range(m.column.shape[0]):
        r[m.column[c, at.VELOCITY]] += dot6(w.column[c, at.COL_J], w.node[m.column[c, at.OWNER], at.W : at.W + 6])


@kernel
def couple(m, w, n, Rq, Ru, M):
    """Tangents between a flexible body's own coordinates and the columns on the path to it."""
    f, column, node = m.node[n, at.FLEX], m.column, m.node
    k = m.flex[f, at.FLEX_U0]
    y = flex_body.rows(m, w, f)[0]
    d = node[n, at.COL0] + node[n, at.COLUMNS] - 1 if node[n, at.COLUMNS] > 0 else node[n, at.LAST]
    while d >= 0:
        c = w.column[d]
        j, dv, psi_q, psi_u = c[at.COL_J], c[at.COL_DV], c[at.COL_PSI_Q], c[at.COL_PSI_U]
        e = column[d, at.VELOCITY]
        row = m.row_of[e]
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
                a += y[at.FX_QW + l, i] * dv[l] + y[at.FX_QT + l, i] * j[l]
                b += y[at.FX_QW + l, i] * j[l]
                fq += y[at.FX_TQ + l, i] * j[l]
            own = m.row_of[k + i]
            Rq[own, e] += a
            Ru[own, e] += b
            M[own, e] += mass
            Rq[row, k + i] += fq
            Ru[row, k + i] += fu
            M[row, k + i] += mass
        d = column[d, at.BEFORE]
