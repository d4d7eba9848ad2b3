"""Spring and damper along the line between two points: force and tangents."""

from __future__ import annotations

import numpy as np

from supple.core import layout as at
from supple.core.buffers import starts
from supple.core.wrench import last_column, point, subtract_wrench_turn
from supple.native.declare import kernel

# Element integers: nodes of A and B; reals: the points on them, stiffness, damping, free length
A, B = 1, 2
POINT_A, POINT_B, STIFFNESS, DAMPING, LENGTH, _ = starts(3, 3, 1, 1, 1)


@kernel
def line(tree, work, e):
    """Spring-damper e: direction n, length, rate of length, tension and the point on A.

    A spring without free length pulls with k d, smooth even at zero distance; its direction is then
    undefined and taken as zero.
    """
    el, c = tree.element[e], tree.coef[e]
    ax, ay, az, au, av, aw = point(work, el[A], c[POINT_A], c[POINT_A + 1], c[POINT_A + 2])
    bx, by, bz, bu, bv, bw = point(work, el[B], c[POINT_B], c[POINT_B + 1], c[POINT_B + 2])
    dx, dy, dz = bx - ax, by - ay, bz - az
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    s = 1.0 / length if length.real > 0.0 else 0.0 * length
    nx, ny, nz = dx * s, dy * s, dz * s
    rate = nx * (bu - au) + ny * (bv - av) + nz * (bw - aw)
    tension = c[STIFFNESS] * (length - c[LENGTH]) + c[DAMPING] * rate
    return nx, ny, nz, length, rate, tension, ax, ay, az, bu - au, bv - av, bw - aw


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
        x, y, z, u0, u1, u2 = point(work, el[A + side], c[3 * side], c[3 * side + 1], c[3 * side + 2])
        for k in range(6):
            w0, w1, w2 = (k == 0) * 1.0, (k == 1) * 1.0, (k == 2) * 1.0
            d0 = (k == 3) + w1 * z - w2 * y  # displacement of the end
            d1 = (k == 4) + w2 * x - w0 * z
            d2 = (k == 5) + w0 * y - w1 * x
            dl = sign * (nx * d0 + ny * d1 + nz * d2)
            n0, n1, n2 = inverse * (sign * d0 - nx * dl), inverse * (sign * d1 - ny * dl), inverse * (sign * d2 - nz * dl)
            e0, e1, e2 = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0  # the end's velocity turns
            drate = n0 * vx + n1 * vy + n2 * vz + sign * (nx * e0 + ny * e1 + nz * e2)
            df = c[STIFFNESS] * dl + c[DAMPING] * drate
            f0, f1, f2 = df * nx + f * n0, df * ny + f * n1, df * nz + f * n2
            if inverse == 0.0:
                f0, f1, f2 = c[STIFFNESS] * sign * d0, c[STIFFNESS] * sign * d1, c[STIFFNESS] * sign * d2
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
        stiff, damp = work.matrices[el[A + side], at.NODE_K], work.matrices[el[A + side], at.NODE_B]
        for i in range(6):
            for j in range(6):
                stiff[i, j] -= sign * D[i, 6 * side + j]
                damp[i, j] += c[DAMPING] * g[i] * g[j]
        f0 = sign * f
        subtract_wrench_turn(stiff, f0 * g[0], f0 * g[1], f0 * g[2], f0 * nx, f0 * ny, f0 * nz)
    for side in range(2):  # rows of this end, columns of the other
        sign = 1.0 if side == 0 else -1.0
        row = last_column(tree, el[A + side])
        while row >= 0:
            y = work.column[row, at.COL_J]
            gy = y[0] * g[0] + y[1] * g[1] + y[2] * g[2] + y[3] * g[3] + y[4] * g[4] + y[5] * g[5]
            col = last_column(tree, el[B - side])
            while col >= 0:
                s, dv = work.column[col, at.COL_J], work.column[col, at.COL_DV]
                gs, gd, sd = 0.0, 0.0, 0.0
                for i in range(6):
                    gs += g[i] * s[i]
                    gd += g[i] * dv[i]
                    di = 0.0
                    for j in range(6):
                        di += D[i, 6 * (1 - side) + j] * s[j]
                    sd += y[i] * di
                i, j = tree.column[row, at.VELOCITY], tree.column[col, at.VELOCITY]
                Rq[i, j] -= sign * sd + c[DAMPING] * gy * gd
                Ru[i, j] -= c[DAMPING] * gy * gs
                col = tree.column[col, at.BEFORE]
            row = tree.column[row, at.BEFORE]
