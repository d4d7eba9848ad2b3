"""Force elements: wrenches on nodes and efforts on joint velocities, with their tangents.

To add one: a new kind below, a branch in ``apply`` (wrench or effort, power, controller rate), in
``energy`` if it stores energy, and in ``differentiate``. The complex-step property test covers it as
soon as the random models contain it.

A wrench on a node is subtracted from the node's inertia wrench W. Its derivative with respect to the
node's world twist, at fixed body-axes twist, is called D; composites need K = D + adT(W) because W
itself is already carried along by the sweep (docs/theory.md).
"""

from __future__ import annotations

import numpy as np

from supple.core import layout as at
from supple.core.jit import kernel
from supple.core.signals import evaluate

FORCE, SPRING_DAMPER, JOINT_SPRING, JOINT_EFFORT, PID, BODY_DAMPING = 1, 2, 3, 4, 5, 6


@kernel
def point(work, node, x, y, z):
    """World place of a point of a node relative to the reference point, and its velocity."""
    r, o = work.node[node], work.origin
    px = r[9] - o[0] + r[0] * x + r[1] * y + r[2] * z
    py = r[10] - o[1] + r[3] * x + r[4] * y + r[5] * z
    pz = r[11] - o[2] + r[6] * x + r[7] * y + r[8] * z
    return (
        px, py, pz,
        r[15] + r[13] * pz - r[14] * py,
        r[16] + r[14] * px - r[12] * pz,
        r[17] + r[12] * py - r[13] * px,
    )


@kernel
def applied(tree, work, e, t):
    """Force element e of kind FORCE: world force and torque, and the point where it acts."""
    el, c = tree.element[e], tree.coef[e]
    f0, f1, f2 = evaluate(tree, el[3], t)[0], evaluate(tree, el[4], t)[0], evaluate(tree, el[5], t)[0]
    m0, m1, m2 = evaluate(tree, el[6], t)[0], evaluate(tree, el[7], t)[0], evaluate(tree, el[8], t)[0]
    r = work.node[el[1]]
    one = 1.0 + 0.0 * r[0]  # gives both branches the workspace's type
    fx, fy, fz, mx, my, mz = f0 * one, f1 * one, f2 * one, m0 * one, m1 * one, m2 * one
    if el[2] == 1:  # frame axes to node axes to world
        x, y, z = c[0] * f0 + c[1] * f1 + c[2] * f2, c[3] * f0 + c[4] * f1 + c[5] * f2, c[6] * f0 + c[7] * f1 + c[8] * f2
        fx, fy, fz = r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z
        x, y, z = c[0] * m0 + c[1] * m1 + c[2] * m2, c[3] * m0 + c[4] * m1 + c[5] * m2, c[6] * m0 + c[7] * m1 + c[8] * m2
        mx, my, mz = r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z
    px, py, pz, vx, vy, vz = point(work, el[1], c[9], c[10], c[11])
    return fx, fy, fz, mx, my, mz, px, py, pz, vx, vy, vz


@kernel
def line(tree, work, e):
    """Spring-damper e: direction n, length, rate of length, tension and the point on A.

    A spring without free length pulls with k d, smooth even at zero distance; its direction is then
    undefined and taken as zero.
    """
    el, c = tree.element[e], tree.coef[e]
    ax, ay, az, au, av, aw = point(work, el[1], c[0], c[1], c[2])
    bx, by, bz, bu, bv, bw = point(work, el[2], c[3], c[4], c[5])
    dx, dy, dz = bx - ax, by - ay, bz - az
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    s = 1.0 / length if length.real > 0.0 else 0.0 * length
    nx, ny, nz = dx * s, dy * s, dz * s
    rate = nx * (bu - au) + ny * (bv - av) + nz * (bw - aw)
    tension = c[6] * (length - c[8]) + c[7] * rate
    return nx, ny, nz, length, rate, tension, ax, ay, az, bu - au, bv - av, bw - aw


@kernel
def damping_place(tree, f):
    """Where the damping matrix C of flexible body f begins in the flexible reals."""
    n = tree.flex[f, at.FLEX_N]
    return tree.flex[f, at.FLEX_AT] + 13 + 12 * n + 11 * n * n


@kernel
def body_damping(tree, f, u, effort):
    """Subtract C u from the efforts of flexible body f and return the power u C u."""
    n, o, j = tree.flex[f, at.FLEX_N], damping_place(tree, f), tree.flex[f, at.FLEX_U0]
    power = 0.0
    for i in range(n):
        s = 0.0
        for k in range(n):
            s = s + tree.shape[o + i * n + k] * u[j + k]
        effort[j + i] -= s
        power = power + s * u[j + i]
    return power


@kernel
def apply(tree, work, t, q, u, z):
    """Subtract wrenches from W, collect efforts, powers (nf) and controller rates (nz)."""
    effort, power, zdot, x = work.effort, work.power, work.zdot, work.node
    for k in range(effort.shape[0]):
        effort[k] = 0.0
    for e in range(tree.element.shape[0]):
        el, c = tree.element[e], tree.coef[e]
        kind = el[0]
        if kind == FORCE:
            fx, fy, fz, mx, my, mz, px, py, pz, vx, vy, vz = applied(tree, work, e, t)
            w = x[el[1]]
            power[e] = fx * vx + fy * vy + fz * vz + mx * w[12] + my * w[13] + mz * w[14]
            w[34] -= mx + py * fz - pz * fy
            w[35] -= my + pz * fx - px * fz
            w[36] -= mz + px * fy - py * fx
            w[37] -= fx
            w[38] -= fy
            w[39] -= fz
        elif kind == SPRING_DAMPER:
            nx, ny, nz, _, rate, f, px, py, pz, _, _, _ = line(tree, work, e)
            power[e] = c[7] * rate * rate
            gx, gy, gz = py * nz - pz * ny, pz * nx - px * nz, px * ny - py * nx
            w = x[el[1]]
            w[34] -= f * gx
            w[35] -= f * gy
            w[36] -= f * gz
            w[37] -= f * nx
            w[38] -= f * ny
            w[39] -= f * nz
            w = x[el[2]]
            w[34] += f * gx
            w[35] += f * gy
            w[36] += f * gz
            w[37] += f * nx
            w[38] += f * ny
            w[39] += f * nz
        elif kind == JOINT_SPRING:
            j, k = el[1], el[2]
            effort[k] -= c[0] * (q[j] - c[2]) + c[1] * u[k]
            power[e] = c[1] * u[k] * u[k]
        elif kind == JOINT_EFFORT:
            k = el[2]
            f = evaluate(tree, el[3], t)[0]
            effort[k] += f
            power[e] = f * u[k]
        elif kind == BODY_DAMPING:  # of flexible body el[1]: effort -C u
            power[e] = body_damping(tree, el[1], u, effort)
        else:  # PID
            j, k, s = el[1], el[2], el[4]
            target, target_rate = evaluate(tree, el[3], t)
            f = c[0] * (target - q[j]) + c[1] * z[s] + c[2] * (target_rate - u[k])
            effort[k] += f
            power[e] = f * u[k]
            zdot[s] = target - q[j]


@kernel
def energy(tree, work, q):
    """Energy stored in springs (J)."""
    total = 0.0
    for e in range(tree.element.shape[0]):
        el, c = tree.element[e], tree.coef[e]
        if el[0] == SPRING_DAMPER:
            stretch = line(tree, work, e)[3] - c[8]
            total += 0.5 * c[6] * stretch * stretch
        elif el[0] == JOINT_SPRING:
            stretch = q[el[1]] - c[2]
            total += 0.5 * c[0] * stretch * stretch
    return total


@kernel
def differentiate(tree, work, t, q, u, z, Rq, Ru, Rz, Gq, Gu, Gz):
    """Add the force elements' tangents.

    Rq, Ru (nu, nu) of the residual, Rz (nu, nz), Gq, Gu (nz, nu) and Gz (nz, nz) of the controller rates;
    wrenches enter the node matrices B and K, couplings between two moving nodes go straight into Rq, Ru.
    """
    for e in range(tree.element.shape[0]):
        el, c = tree.element[e], tree.coef[e]
        kind = el[0]
        if kind == FORCE:
            if el[2] == 0:  # constant in the world: dW = [(dv + dw x p) x f; 0]
                fx, fy, fz, mx, my, mz, px, py, pz, _, _, _ = applied(tree, work, e, t)
                k = work.matrices[el[1], at.NODE_K]
                force_stiffness(k, fx, fy, fz, mx, my, mz, px, py, pz)
        elif kind == SPRING_DAMPER:
            spring_tangent(tree, work, e, Rq, Ru)
        elif kind == JOINT_SPRING:
            Rq[el[2], el[2]] += c[0]
            Ru[el[2], el[2]] += c[1]
        elif kind == BODY_DAMPING:
            n, o, j = tree.flex[el[1], at.FLEX_N], damping_place(tree, el[1]), tree.flex[el[1], at.FLEX_U0]
            for i in range(n):
                for k in range(n):
                    Ru[j + i, j + k] += tree.shape[o + i * n + k]
        elif kind == PID:
            Rq[el[2], el[2]] += c[0]
            Ru[el[2], el[2]] += c[2]
            Rz[el[2], el[4]] -= c[1]
            Gq[el[4], el[2]] -= 1.0


@kernel
def subtract_wrench_turn(k, t0, t1, t2, f0, f1, f2):
    """K -= adT(W) = [[t~, f~], [f~, 0]] for the wrench W = (t, f)."""
    k[0, 1] += t2
    k[0, 2] -= t1
    k[1, 0] -= t2
    k[1, 2] += t0
    k[2, 0] += t1
    k[2, 1] -= t0
    k[0, 4] += f2
    k[0, 5] -= f1
    k[1, 3] -= f2
    k[1, 5] += f0
    k[2, 3] += f1
    k[2, 4] -= f0
    k[3, 1] += f2
    k[3, 2] -= f1
    k[4, 0] -= f2
    k[4, 2] += f0
    k[5, 0] += f1
    k[5, 1] -= f0


@kernel
def force_stiffness(k, fx, fy, fz, mx, my, mz, px, py, pz):
    """Subtract K = D + adT(W) of a wrench that is constant in the world.

    D = [[f~ p~, -f~], [0, 0]] with f~ p~ = p f^T - (f.p) I, and W = (m + p x f, f).
    """
    dot = fx * px + fy * py + fz * pz
    k[0, 0] -= px * fx - dot
    k[0, 1] -= px * fy
    k[0, 2] -= px * fz
    k[1, 0] -= py * fx
    k[1, 1] -= py * fy - dot
    k[1, 2] -= py * fz
    k[2, 0] -= pz * fx
    k[2, 1] -= pz * fy
    k[2, 2] -= pz * fz - dot
    k[0, 4] -= fz
    k[0, 5] += fy
    k[1, 3] += fz
    k[1, 5] -= fx
    k[2, 3] -= fy
    k[2, 4] += fx
    tx, ty, tz = mx + py * fz - pz * fy, my + pz * fx - px * fz, mz + px * fy - py * fx
    subtract_wrench_turn(k, tx, ty, tz, fx, fy, fz)


@kernel
def spring_tangent(tree, work, e, Rq, Ru):
    """Tangents of a line force between two nodes.

    With g = [p x n; n], W_A = f g and W_B = -f g about the reference point. The derivative of f g with
    respect to a world twist of either end, at fixed body twists, is computed column by column.
    """
    el, c = tree.element[e], tree.coef[e]
    nx, ny, nz, length, _, f, px, py, pz, vx, vy, vz = line(tree, work, e)
    inverse = 1.0 / length if length > 0.0 else 0.0  # at zero length only the force k d is defined
    g = work.scratch[5]
    g[0], g[1], g[2] = py * nz - pz * ny, pz * nx - px * nz, px * ny - py * nx
    g[3], g[4], g[5] = nx, ny, nz
    D = work.scratch[6:18].reshape((6, 12))
    for side in range(2):
        sign = -1.0 if side == 0 else 1.0
        x, y, z, u0, u1, u2 = point(work, el[1 + side], c[3 * side], c[3 * side + 1], c[3 * side + 2])
        for k in range(6):
            w0, w1, w2 = (k == 0) * 1.0, (k == 1) * 1.0, (k == 2) * 1.0
            d0 = (k == 3) + w1 * z - w2 * y  # displacement of the end
            d1 = (k == 4) + w2 * x - w0 * z
            d2 = (k == 5) + w0 * y - w1 * x
            dl = sign * (nx * d0 + ny * d1 + nz * d2)
            n0, n1, n2 = inverse * (sign * d0 - nx * dl), inverse * (sign * d1 - ny * dl), inverse * (sign * d2 - nz * dl)
            e0, e1, e2 = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0  # the end's velocity turns
            drate = n0 * vx + n1 * vy + n2 * vz + sign * (nx * e0 + ny * e1 + nz * e2)
            df = c[6] * dl + c[7] * drate
            f0, f1, f2 = df * nx + f * n0, df * ny + f * n1, df * nz + f * n2
            if inverse == 0.0:
                f0, f1, f2 = c[6] * sign * d0, c[6] * sign * d1, c[6] * sign * d2
            col = 6 * side + k
            D[0, col] = py * f2 - pz * f1
            D[1, col] = pz * f0 - px * f2
            D[2, col] = px * f1 - py * f0
            if side == 0:  # the point on A itself moves
                D[0, col] += f * (d1 * nz - d2 * ny)
                D[1, col] += f * (d2 * nx - d0 * nz)
                D[2, col] += f * (d0 * ny - d1 * nx)
            D[3, col], D[4, col], D[5, col] = f0, f1, f2
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0  # W = sign f g on this end; it is subtracted from the residual
        stiff, damp = work.matrices[el[1 + side], at.NODE_K], work.matrices[el[1 + side], at.NODE_B]
        for i in range(6):
            for j in range(6):
                stiff[i, j] -= sign * D[i, 6 * side + j]
                damp[i, j] += c[7] * g[i] * g[j]
        f0 = sign * f
        subtract_wrench_turn(stiff, f0 * g[0], f0 * g[1], f0 * g[2], f0 * nx, f0 * ny, f0 * nz)
    for side in range(2):  # rows of this end, columns of the other
        sign = 1.0 if side == 0 else -1.0
        row = last_column(tree, el[1 + side])
        while row >= 0:
            y = work.dof[row, at.DOF_J]
            gy = y[0] * g[0] + y[1] * g[1] + y[2] * g[2] + y[3] * g[3] + y[4] * g[4] + y[5] * g[5]
            col = last_column(tree, el[2 - side])
            while col >= 0:
                s, dv = work.dof[col, at.DOF_J], work.dof[col, at.DOF_DV]
                gs, gd, sd = 0.0, 0.0, 0.0
                for i in range(6):
                    gs += g[i] * s[i]
                    gd += g[i] * dv[i]
                    di = 0.0
                    for j in range(6):
                        di += D[i, 6 * (1 - side) + j] * s[j]
                    sd += y[i] * di
                i, j = tree.dof[row, at.DOF], tree.dof[col, at.DOF]
                Rq[i, j] -= sign * sd + c[7] * gy * gd
                Ru[i, j] -= c[7] * gy * gs
                col = tree.dof[col, at.BEFORE]
            row = tree.dof[row, at.BEFORE]


@kernel
def last_column(tree, node):
    """Last column on the path from the ground to a node (-1: none)."""
    n = tree.node[node, at.NDOF]
    return tree.node[node, at.COL0] + n - 1 if n > 0 else tree.node[node, at.LAST]
