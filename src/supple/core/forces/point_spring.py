"""Spring and damper along the line between two points: force and tangents."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import (
    SIDE,
    add_between,
    couple,
    joint_between,
    point,
    subtract_wrench_turn,
)
from supple.core.forces import laws
from supple.native.declare import INT, MAT, REAL, kernel, shared

SPRING_DAMPER, LINE_LAW = 2, 11
# Element integers: nodes of A and B, of LINE_LAW its laws (core/forces/laws.py); reals: the points on them, stiffness, damping,
# free length
A, B, SPRING, DAMPER = 1, 2, 3, 4
POINT_A, POINT_B, STIFFNESS, DAMPING, LENGTH, _ = starts(3, 3, 1, 1, 1)


@kernel
def line(tree, work, e):
    """Spring-damper e: direction n, length, rate of length, tension, the point on A, the relative velocity, what is lost.

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
    tension, lost = c[STIFFNESS] * (length - c[LENGTH]) + c[DAMPING] * rate, c[DAMPING] * rate * rate
    if el[at.KIND] == LINE_LAW:
        elastic, damping, _, _, _ = laws.force(tree, work, el[SPRING], el[DAMPER], length - c[LENGTH], rate)
        tension = tension + elastic + damping
        lost = lost + damping * rate
    return nx, ny, nz, length, rate, tension, ax, ay, az, bu - au, bv - av, bw - aw, lost


@shared(TREE, WORK, INT, gives=REAL)
def apply(tree, work, e):
    """Subtract the wrenches from both nodes; returns the dissipated power."""
    el = tree.element[e]
    nx, ny, nz, _, _, f, px, py, pz, _, _, _, lost = line(tree, work, e)
    gx, gy, gz = py * nz - pz * ny, pz * nx - px * nz, px * ny - py * nx
    w = work.node[el[A]]
    w[at.W] -= f * gx
    w[at.W + 1] -= f * gy
    w[at.W + 2] -= f * gz
    w[at.W + 3] -= f * nx
    w[at.W + 4] -= f * ny
    w[at.W + 5] -= f * nz
    w = work.node[el[B]]
    w[at.W] += f * gx
    w[at.W + 1] += f * gy
    w[at.W + 2] += f * gz
    w[at.W + 3] += f * nx
    w[at.W + 4] += f * ny
    w[at.W + 5] += f * nz
    return lost


@kernel
def slopes(tree, work, e, length, rate):
    """Derivatives of the tension along length and rate."""
    el, c = tree.element[e], tree.coef[e]
    along, slope = c[STIFFNESS] + 0.0 * length, c[DAMPING] + 0.0 * rate
    if el[at.KIND] == LINE_LAW:
        _, _, more, faster, _ = laws.force(tree, work, el[SPRING], el[DAMPER], length - c[LENGTH], rate)
        along, slope = along + more, slope + faster
    return along, slope


@kernel
def stored(tree, work, e):
    """Energy stored (J)."""
    el, c = tree.element[e], tree.coef[e]
    stretch = line(tree, work, e)[3] - c[LENGTH]
    energy = 0.5 * c[STIFFNESS] * stretch * stretch
    if el[at.KIND] == LINE_LAW:
        energy = energy + laws.stored(tree, work, el[SPRING], stretch)
    return energy


@kernel
def branch(tree, work, e):
    """Branch of the laws."""
    el, c = tree.element[e], tree.coef[e]
    _, _, _, length, rate, _, _, _, _, _, _, _, _ = line(tree, work, e)
    return laws.force(tree, work, el[SPRING], el[DAMPER], length - c[LENGTH], rate)[4]


@shared(TREE, WORK, INT, MAT, MAT)
def spring_tangent(tree, work, e, Rq, Ru):
    """Tangents of a line force between two nodes.

    With g = [p x n; n], W_A = f g and W_B = -f g about the reference point. The derivative of f g with
    respect to a world twist of either end, at fixed body twists, is computed column by column.
    """
    el, c = tree.element[e], tree.coef[e]
    nx, ny, nz, length, rate, f, px, py, pz, vx, vy, vz, _ = line(tree, work, e)
    stiffness, damping = slopes(tree, work, e, length, rate)
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
            df = stiffness * dl + damping * drate
            f0, f1, f2 = df * nx + f * n0, df * ny + f * n1, df * nz + f * n2
            if inverse == 0.0:
                f0, f1, f2 = stiffness * sign * d0, stiffness * sign * d1, stiffness * sign * d2
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
        n = joint_between(tree, el[B - side], el[A + side])
        if n > 0:  # neighbours
            sign, stiff, damp = 1.0 - 2.0 * side, work.between[0], work.between[1]
            for i in range(6):
                for j in range(6):
                    stiff[i, j], damp[i, j] = -sign * D[i, 6 * side + j], damping * g[i] * g[j]
            f0 = sign * f
            subtract_wrench_turn(stiff, f0 * g[0], f0 * g[1], f0 * g[2], f0 * nx, f0 * ny, f0 * nz)
            add_between(tree, work, n, stiff, damp, g, f0, Rq, Ru)
            return
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0  # W = sign f g on this end; it is subtracted from the residual
        stiff, damp = work.matrices[el[A + side], at.NODE_K], work.matrices[el[A + side], at.NODE_B]
        for i in range(6):
            for j in range(6):
                stiff[i, j] -= sign * D[i, 6 * side + j]
                damp[i, j] += damping * g[i] * g[j]
        f0 = sign * f
        subtract_wrench_turn(stiff, f0 * g[0], f0 * g[1], f0 * g[2], f0 * nx, f0 * ny, f0 * nz)
    E, C = work.between[0], work.between[1]
    for side in range(2):  # rows of this end, columns of the other
        sign = 1.0 if side == 0 else -1.0
        for i in range(6):
            for j in range(6):
                E[i, j], C[i, j] = -sign * D[i, 6 * (1 - side) + j], -damping * g[i] * g[j]
        first = el[at.LINES] + SIDE * side if el[at.LINES] >= 0 else -1
        couple(tree, work, first, el[A + side], el[B - side], E, C, Rq, Ru)
