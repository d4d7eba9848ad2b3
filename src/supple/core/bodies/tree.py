"""Sweeps over the kinematic tree, in world axes about one reference point.

In world axes the columns of the Jacobian are constant along a path and composite inertias are plain
sums, so nothing is transformed from body to body: twist V_i = V_parent + J u, acceleration
A_i = A_parent + J a + ad(V_i) J u, wrench W_parent += W_i. The root has A = (0, -g), which carries
gravity exactly. The reference point is the mean of the node origins at the moment of evaluation: world
axes about a distant origin would lose digits with the square of the distance.

Spatial vectors are [angular; linear].
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base import so3
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import ancf as gradient
from supple.core.bodies import ancf_edge as gradient_edge
from supple.core.bodies import (
    flex,
    flex_body,
    line_edge,
    point_edge,
)
from supple.core.bodies import second_order_shapes as slaved
from supple.native.declare import MAT, VEC, kernel, shared


@shared(TREE, WORK, VEC)
def poses(tree, work, q):
    """World rotation and origin of every node."""
    node, body, x = tree.node, tree.body, work.node
    g = x[0]
    for k in range(at.R, at.V):
        g[k] = 0.0
    g[0], g[4], g[8] = 1.0, 1.0, 1.0
    slaved.coordinates(tree, work, q)
    for n in range(1, node.shape[0]):
        p = x[node[n, at.PARENT]]
        b = body[n]
        r = x[n]
        a0, a1, a2 = p[0] * b[0] + p[1] * b[3] + p[2] * b[6], p[0] * b[1] + p[1] * b[4] + p[2] * b[7], p[0] * b[2] + p[1] * b[5] + p[2] * b[8]
        a3, a4, a5 = p[3] * b[0] + p[4] * b[3] + p[5] * b[6], p[3] * b[1] + p[4] * b[4] + p[5] * b[7], p[3] * b[2] + p[4] * b[5] + p[5] * b[8]
        a6, a7, a8 = p[6] * b[0] + p[7] * b[3] + p[8] * b[6], p[6] * b[1] + p[7] * b[4] + p[8] * b[7], p[6] * b[2] + p[7] * b[5] + p[8] * b[8]
        px = p[at.P] + p[0] * b[at.BODY_P] + p[1] * b[at.BODY_P + 1] + p[2] * b[at.BODY_P + 2]
        py = p[at.P + 1] + p[3] * b[at.BODY_P] + p[4] * b[at.BODY_P + 1] + p[5] * b[at.BODY_P + 2]
        pz = p[at.P + 2] + p[6] * b[at.BODY_P] + p[7] * b[at.BODY_P + 1] + p[8] * b[at.BODY_P + 2]
        motion = node[n, at.MOTION]
        j = node[n, at.Q0]
        if motion == at.REVOLUTE:
            s, c = np.sin(q[j]), np.cos(q[j])
            r[0], r[1], r[2] = a0 * c + a1 * s, a1 * c - a0 * s, a2
            r[3], r[4], r[5] = a3 * c + a4 * s, a4 * c - a3 * s, a5
            r[6], r[7], r[8] = a6 * c + a7 * s, a7 * c - a6 * s, a8
        elif motion == at.BALL or motion == at.FREE:
            if motion == at.FREE:
                dx, dy, dz = q[j + 4], q[j + 5], q[j + 6]
                px += a0 * dx + a1 * dy + a2 * dz
                py += a3 * dx + a4 * dy + a5 * dz
                pz += a6 * dx + a7 * dy + a8 * dz
            m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(q[j], q[j + 1], q[j + 2], q[j + 3])
            r[0], r[1], r[2] = a0 * m0 + a1 * m3 + a2 * m6, a0 * m1 + a1 * m4 + a2 * m7, a0 * m2 + a1 * m5 + a2 * m8
            r[3], r[4], r[5] = a3 * m0 + a4 * m3 + a5 * m6, a3 * m1 + a4 * m4 + a5 * m7, a3 * m2 + a4 * m5 + a5 * m8
            r[6], r[7], r[8] = a6 * m0 + a7 * m3 + a8 * m6, a6 * m1 + a7 * m4 + a8 * m7, a6 * m2 + a7 * m5 + a8 * m8
        elif motion == at.ELASTIC_OUT or motion == at.ELASTIC_IN:
            flex.edge_pose(tree, work, q, n, r, a0, a1, a2, a3, a4, a5, a6, a7, a8, px, py, pz)
            continue
        elif motion == at.GRADIENT_EDGE:
            gradient_edge.edge_pose(tree, q, n, r)
            continue
        elif motion == at.LINE_EDGE:
            line_edge.edge_pose(tree, work, q, n, r)
            continue
        elif motion == at.POINT_EDGE:
            point_edge.edge_pose(tree, q, n, r)
            continue
        else:
            if motion == at.PRISMATIC:
                px += a2 * q[j]
                py += a5 * q[j]
                pz += a8 * q[j]
            r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8] = a0, a1, a2, a3, a4, a5, a6, a7, a8
        r[at.P], r[at.P + 1], r[at.P + 2] = px, py, pz


@shared(TREE, WORK, VEC, VEC)
def motion(tree, work, u, a):
    """Jacobian columns, twists and accelerations of every node; needs poses."""
    node, x, col, o = tree.node, work.node, work.column, work.origin
    nn = node.shape[0]
    o[0], o[1], o[2] = 0.0, 0.0, 0.0
    for n in range(1, nn):
        o[0] += x[n, at.P]
        o[1] += x[n, at.P + 1]
        o[2] += x[n, at.P + 2]
    o[0] /= max(nn - 1, 1)
    o[1] /= max(nn - 1, 1)
    o[2] /= max(nn - 1, 1)
    g = x[0]
    for k in range(at.V, at.M):
        g[k] = 0.0
    slaved.rates(tree, work, u, a)
    g[at.A + 3], g[at.A + 4], g[at.A + 5] = -tree.gravity[0], -tree.gravity[1], -tree.gravity[2]
    for n in range(1, nn):
        p = x[node[n, at.PARENT]]
        r = x[n]
        kind = node[n, at.MOTION]
        d, first = node[n, at.U0], node[n, at.COL0]
        dx, dy, dz = r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]
        zero = 0.0 * dx
        z0, z1, z2, z3, z4, z5 = zero, zero, zero, zero, zero, zero  # J u
        y0, y1, y2, y3, y4, y5 = zero, zero, zero, zero, zero, zero  # J a
        elastic = kind == at.ELASTIC_OUT or kind == at.ELASTIC_IN or kind == at.GRADIENT_EDGE or kind == at.LINE_EDGE or kind == at.POINT_EDGE
        if elastic:
            if kind == at.GRADIENT_EDGE:
                gradient_edge.edge_motion(tree, work, n, u, a)
            elif kind == at.LINE_EDGE:
                line_edge.edge_motion(tree, work, n, u, a)
            elif kind == at.POINT_EDGE:
                point_edge.edge_motion(tree, work, n, u, a)
            else:
                flex.edge_motion(tree, work, n, u, a)
            z, y = work.scratch[0], work.scratch[1]
            z0, z1, z2, z3, z4, z5 = z[0], z[1], z[2], z[3], z[4], z[5]
            y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
        for k in range(0 if elastic else node[n, at.COLUMNS]):
            c = col[first + k, at.COL_J]
            axis = 2 if kind == at.REVOLUTE or kind == at.PRISMATIC else k % 3
            ex, ey, ez = r[axis], r[axis + 3], r[axis + 6]
            if kind == at.PRISMATIC or k > 2:
                c[0], c[1], c[2] = 0.0, 0.0, 0.0
                c[3], c[4], c[5] = ex, ey, ez
            else:
                c[0], c[1], c[2] = ex, ey, ez
                c[3], c[4], c[5] = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
            ud, ad = u[d + k], a[d + k]
            z0 += c[0] * ud
            z1 += c[1] * ud
            z2 += c[2] * ud
            z3 += c[3] * ud
            z4 += c[4] * ud
            z5 += c[5] * ud
            y0 += c[0] * ad
            y1 += c[1] * ad
            y2 += c[2] * ad
            y3 += c[3] * ad
            y4 += c[4] * ad
            y5 += c[5] * ad
        w0, w1, w2 = p[at.V] + z0, p[at.V + 1] + z1, p[at.V + 2] + z2
        v0, v1, v2 = p[at.V + 3] + z3, p[at.V + 4] + z4, p[at.V + 5] + z5
        r[at.V], r[at.V + 1], r[at.V + 2], r[at.V + 3], r[at.V + 4], r[at.V + 5] = w0, w1, w2, v0, v1, v2
        r[at.A] = p[at.A] + y0 + w1 * z2 - w2 * z1
        r[at.A + 1] = p[at.A + 1] + y1 + w2 * z0 - w0 * z2
        r[at.A + 2] = p[at.A + 2] + y2 + w0 * z1 - w1 * z0
        r[at.A + 3] = p[at.A + 3] + y3 + v1 * z2 - v2 * z1 + w1 * z5 - w2 * z4
        r[at.A + 4] = p[at.A + 4] + y4 + v2 * z0 - v0 * z2 + w2 * z3 - w0 * z5
        r[at.A + 5] = p[at.A + 5] + y5 + v0 * z1 - v1 * z0 + w0 * z4 - w1 * z3


@shared(TREE, WORK, VEC, VEC, VEC)
def inertias(tree, work, q, u, a):
    """World inertia of every node about the reference point, and its inertia wrench W.

    Flexible bodies also get the momentum of their deformation and their generalized force Q.
    """
    node, body, x, o = tree.node, tree.body, work.node, work.origin
    for n in range(node.shape[0]):
        r = x[n]
        if node[n, at.HEAVY] == 0:
            for k in range(at.M, at.CM):
                r[k] = 0.0
            for k in range(at.E, at.E + 6):
                r[k] = 0.0
            continue
        b = body[n]
        zero = 0.0 * r[0]
        m = b[at.BODY_M]
        lx, ly, lz = b[at.BODY_C] + zero, b[at.BODY_C + 1] + zero, b[at.BODY_C + 2] + zero
        xx, yy, zz, xy, xz, yz = b[at.BODY_J] + zero, b[at.BODY_J + 1] + zero, b[at.BODY_J + 2] + zero, b[at.BODY_J + 3] + zero, b[at.BODY_J + 4] + zero, b[at.BODY_J + 5] + zero
        if node[n, at.HEAVY] == at.FLEXIBLE:
            m, lx, ly, lz, xx, yy, zz, xy, xz, yz = flex_body.current_inertia(tree, work, node[n, at.FLEX], q, u)
        cx = r[0] * lx + r[1] * ly + r[2] * lz
        cy = r[3] * lx + r[4] * ly + r[5] * lz
        cz = r[6] * lx + r[7] * ly + r[8] * lz
        t0, t1, t2 = r[0] * xx + r[1] * xy + r[2] * xz, r[0] * xy + r[1] * yy + r[2] * yz, r[0] * xz + r[1] * yz + r[2] * zz
        t3, t4, t5 = r[3] * xx + r[4] * xy + r[5] * xz, r[3] * xy + r[4] * yy + r[5] * yz, r[3] * xz + r[4] * yz + r[5] * zz
        t6, t7, t8 = r[6] * xx + r[7] * xy + r[8] * xz, r[6] * xy + r[7] * yy + r[8] * yz, r[6] * xz + r[7] * yz + r[8] * zz
        xx = t0 * r[0] + t1 * r[1] + t2 * r[2]
        xy = t0 * r[3] + t1 * r[4] + t2 * r[5]
        xz = t0 * r[6] + t1 * r[7] + t2 * r[8]
        yy = t3 * r[3] + t4 * r[4] + t5 * r[5]
        yz = t3 * r[6] + t4 * r[7] + t5 * r[8]
        zz = t6 * r[6] + t7 * r[7] + t8 * r[8]
        dx, dy, dz = r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]
        mx, my, mz = m * dx + 2.0 * cx, m * dy + 2.0 * cy, m * dz + 2.0 * cz  # shift of a second moment
        sx, sy, sz = dx * mx, dy * my, dz * mz
        xx += sy + sz
        yy += sx + sz
        zz += sx + sy
        xy -= m * dx * dy + cx * dy + cy * dx
        xz -= m * dx * dz + cx * dz + cz * dx
        yz -= m * dy * dz + cy * dz + cz * dy
        cx += m * dx
        cy += m * dy
        cz += m * dz
        r[at.M], r[at.C], r[at.C + 1], r[at.C + 2] = m, cx, cy, cz
        r[at.J], r[at.J + 1], r[at.J + 2], r[at.J + 3], r[at.J + 4], r[at.J + 5] = xx, yy, zz, xy, xz, yz
        w0, w1, w2, v0, v1, v2 = r[at.V], r[at.V + 1], r[at.V + 2], r[at.V + 3], r[at.V + 4], r[at.V + 5]
        # momentum h = I V, then F = I A - ad(V)^T h
        h0 = xx * w0 + xy * w1 + xz * w2 + cy * v2 - cz * v1
        h1 = xy * w0 + yy * w1 + yz * w2 + cz * v0 - cx * v2
        h2 = xz * w0 + yz * w1 + zz * w2 + cx * v1 - cy * v0
        h3 = m * v0 + w1 * cz - w2 * cy
        h4 = m * v1 + w2 * cx - w0 * cz
        h5 = m * v2 + w0 * cy - w1 * cx
        b0, b1, b2, a0, a1, a2 = r[at.A], r[at.A + 1], r[at.A + 2], r[at.A + 3], r[at.A + 4], r[at.A + 5]
        r[at.W] = xx * b0 + xy * b1 + xz * b2 + cy * a2 - cz * a1 + w1 * h2 - w2 * h1 + v1 * h5 - v2 * h4
        r[at.W + 1] = xy * b0 + yy * b1 + yz * b2 + cz * a0 - cx * a2 + w2 * h0 - w0 * h2 + v2 * h3 - v0 * h5
        r[at.W + 2] = xz * b0 + yz * b1 + zz * b2 + cx * a1 - cy * a0 + w0 * h1 - w1 * h0 + v0 * h4 - v1 * h3
        r[at.W + 3] = m * a0 + b1 * cz - b2 * cy + w1 * h5 - w2 * h4
        r[at.W + 4] = m * a1 + b2 * cx - b0 * cz + w2 * h3 - w0 * h5
        r[at.W + 5] = m * a2 + b0 * cy - b1 * cx + w0 * h4 - w1 * h3
        if node[n, at.HEAVY] == at.FLEXIBLE:
            flex_body.add_deformation(tree, work, n)
        else:
            for k in range(at.E, at.E + 6):
                r[k] = 0.0


@kernel
def gather(tree, work, r):
    """Sum wrenches from the tips to the root; r = J^T W + Q - effort."""
    node, column, x, col, effort = tree.node, tree.column, work.node, work.column, work.effort
    for k in range(r.shape[0]):
        r[k] = -effort[k]
    for f in range(tree.flex.shape[0]):
        y, k = flex_body.rows(tree, work, f)[0], tree.flex[f, at.FLEX_U0]
        for i in range(tree.flex[f, at.FLEX_N]):
            r[k + i] += y[at.FX_Q, i]
    for n in range(node.shape[0] - 1, 0, -1):
        f = x[n]
        d = node[n, at.COL0]
        for k in range(d, d + node[n, at.COLUMNS]):
            c = col[k, at.COL_J]
            r[column[k, at.VELOCITY]] += c[0] * f[at.W] + c[1] * f[at.W + 1] + c[2] * f[at.W + 2] + c[3] * f[at.W + 3] + c[4] * f[at.W + 4] + c[5] * f[at.W + 5]
        p = x[node[n, at.PARENT]]
        for k in range(at.W, at.CM):
            p[k] += f[k]


@kernel
def clear(tree, mass):
    """Zeros where bodies couple velocities: those of a node with all on the path to the ground, and with its own
    elastic ones. The rest of a matrix is never written.
    """
    node, column = tree.node, tree.column
    for n in range(1, node.shape[0]):
        flexible = node[n, at.HEAVY] == at.FLEXIBLE
        f, k = 0, 0
        if flexible:
            f, k = tree.flex[node[n, at.FLEX], at.FLEX_N], tree.flex[node[n, at.FLEX], at.FLEX_U0]
            for i in range(k, k + f):
                for j in range(k, k + f):
                    mass[tree.row_of[i], j] = 0.0
        first = node[n, at.COL0]
        end = first + node[n, at.COLUMNS]
        if flexible:
            d = end - 1 if end > first else node[n, at.LAST]
            while d >= 0:
                e = column[d, at.VELOCITY]
                for i in range(k, k + f):
                    mass[tree.row_of[i], e] = 0.0
                    mass[tree.row_of[e], i] = 0.0
                d = column[d, at.BEFORE]
        for c in range(first, end):
            row = column[c, at.VELOCITY]
            d = c
            while d >= 0:
                mass[tree.row_of[row], column[d, at.VELOCITY]] = 0.0
                mass[tree.row_of[column[d, at.VELOCITY]], row] = 0.0
                d = column[d, at.BEFORE]


@shared(TREE, WORK, MAT)
def composite(tree, work, mass):
    """Mass matrix (nu, nu) from composite inertias; needs motion and inertias."""
    node, column, x, col = tree.node, tree.column, work.node, work.column
    for n in range(node.shape[0]):
        for k in range(at.INERTIA):
            x[n, at.CM + k] = x[n, at.M + k]
    clear(tree, mass)
    gradient.gradient_clear(tree, mass)
    for c in range(tree.rotor.shape[0]):
        mass[tree.row_of[c], c] = tree.rotor[c]
    gradient.gradient_mass(tree, mass)
    for n in range(node.shape[0] - 1, 0, -1):
        i = x[n]
        last = node[n, at.COL0] + node[n, at.COLUMNS] - 1
        if node[n, at.HEAVY] == at.FLEXIBLE:
            elastic_mass(tree, work, n, mass)
        for c in range(last, last - node[n, at.COLUMNS], -1):
            j = col[c, at.COL_J]
            f0 = i[at.CJ] * j[0] + i[at.CJ + 3] * j[1] + i[at.CJ + 4] * j[2] + i[at.CC + 1] * j[5] - i[at.CC + 2] * j[4]
            f1 = i[at.CJ + 3] * j[0] + i[at.CJ + 1] * j[1] + i[at.CJ + 5] * j[2] + i[at.CC + 2] * j[3] - i[at.CC] * j[5]
            f2 = i[at.CJ + 4] * j[0] + i[at.CJ + 5] * j[1] + i[at.CJ + 2] * j[2] + i[at.CC] * j[4] - i[at.CC + 1] * j[3]
            f3 = i[at.CM] * j[3] + j[1] * i[at.CC + 2] - j[2] * i[at.CC + 1]
            f4 = i[at.CM] * j[4] + j[2] * i[at.CC] - j[0] * i[at.CC + 2]
            f5 = i[at.CM] * j[5] + j[0] * i[at.CC + 1] - j[1] * i[at.CC]
            own = tree.row_of[column[c, at.VELOCITY]]
            d = c
            while d >= 0:
                e = col[d, at.COL_J]
                y = e[0] * f0 + e[1] * f1 + e[2] * f2 + e[3] * f3 + e[4] * f4 + e[5] * f5
                mass[own, column[d, at.VELOCITY]] += y
                if d != c:
                    mass[tree.row_of[column[d, at.VELOCITY]], column[c, at.VELOCITY]] += y
                d = column[d, at.BEFORE]
        p = x[node[n, at.PARENT]]
        for k in range(at.CM, at.E):
            p[k] += i[k]


@kernel
def elastic_mass(tree, work, n, mass):
    """Add the mass of a flexible body's own coordinates, and their coupling to the columns before it."""
    f, column = tree.node[n, at.FLEX], tree.column
    nf, k = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_U0]
    y = flex_body.rows(tree, work, f)[0]
    m = at.modal(tree, f).M
    if tree.flex[f, at.FLEX_R] > 0:
        slaved.add_mass(tree, work, f, y, mass, tree.row_of, k)
    else:
        for i in range(nf):
            for l in range(nf):
                mass[tree.row_of[k + i], k + l] += tree.flex_data[m + i * nf + l]
    d = tree.node[n, at.COL0] + tree.node[n, at.COLUMNS] - 1 if tree.node[n, at.COLUMNS] > 0 else tree.node[n, at.LAST]
    while d >= 0:
        e, j = work.column[d, at.COL_J], column[d, at.VELOCITY]
        for i in range(nf):
            s = y[at.FX_LW, i] * e[0] + y[at.FX_LW + 1, i] * e[1] + y[at.FX_LW + 2, i] * e[2] + y[at.FX_LW + 3, i] * e[3] + y[at.FX_LW + 4, i] * e[4] + y[at.FX_LW + 5, i] * e[5]
            mass[tree.row_of[k + i], j] += s
            mass[tree.row_of[j], k + i] += s
        d = column[d, at.BEFORE]
