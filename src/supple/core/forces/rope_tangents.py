"""Tangents of ropes; see ``rope`` for the symbols.

Derivatives of y and of the angles of contact along displacements of B are those of ``span`` itself: it is
analytic, so a tiny imaginary displacement gives them exactly. Along displacements of both ends

    dy = -adT(y) s_A + dy/ds_B (s_B - s_A)

and lengths and angles depend on s_B - s_A alone. Tensions depend on length, angles and rate of every span; their changes
are found one after the other by ``change_tensions``.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, last_column, scatter
from supple.core.forces.rope import (
    ANGLE,
    C_ANGLE,
    C_RATE,
    C_SPAN,
    C_TENSION,
    COLUMNS,
    COUNT,
    D_ARRIVES,
    D_LEAVES,
    D_Y,
    DAMPING,
    DRUM_U,
    FRICTION,
    HEAD,
    LENGTH,
    MEAN,
    PART,
    RADIUS,
    SCALARS,
    SCRATCH,
    SLIP,
    SPAN,
    STIFFNESS,
    TENSION,
    TOTAL_RATE,
    TRANSITION,
    WEIGHT,
    Y,
    drum_ratio,
    following,
    geometry,
    node_of,
    number,
    places,
    pose,
    pull,
    span,
)
from supple.native.declare import INT, MAT, VEC, block, kernel, shared

TINY = 1e-30  # of imaginary displacements
E_ROW, C_ROW, W_ROW = 5, 11, 17  # scratch rows, as in core/forces/constraint_rows.py
IN_SPAN, IN_LEAVES, IN_ARRIVES, IN_RATE = range(SCALARS)


@kernel
def turned(w, x):
    """x + i TINY w x x."""
    v = cross(w, x)
    return x[0] + 1j * TINY * v[0], x[1] + 1j * TINY * v[1], x[2] + 1j * TINY * v[2]


@kernel
def displaced(b, c):
    """Pose b after a tiny imaginary turn about axis c of the world through the reference point, or a shift along axis c - 3."""
    w = ((c == 0) * 1.0, (c == 1) * 1.0, (c == 2) * 1.0)
    x, y, z = turned(w, (b[0], b[3], b[6])), turned(w, (b[1], b[4], b[7])), turned(w, (b[2], b[5], b[8]))
    p = turned(w, (b[9], b[10], b[11]))
    return (
        x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2],
        p[0] + 1j * TINY * (c == 3), p[1] + 1j * TINY * (c == 4), p[2] + 1j * TINY * (c == 5),
    )


@kernel
def span_slopes(tree, work, e, k, j, r):
    """Derivatives of both angles and of y along displacements of station j, the end of the span from k with the scratch r."""
    a, b, ra, rb = pose(tree, work, e, k), pose(tree, work, e, j), number(tree, e, k, RADIUS), number(tree, e, j, RADIUS)
    for c in range(6):
        _, leaves, arrives, arm, f = span(a, ra, displaced(b, c), rb)
        r[D_LEAVES + c], r[D_ARRIVES + c] = leaves.imag / TINY, arrives.imag / TINY
        for l in range(3):
            r[D_Y + 6 * l + c], r[D_Y + 6 * (3 + l) + c] = arm[l].imag / TINY, f[l].imag / TINY


@kernel
def change_tensions(tree, e, head, x, stretch):
    """Changes of all tensions with those of lengths, angles and rates of spans, and of the length of the rope."""
    n, c, k = tree.element[e, COUNT], tree.coef[e], 0
    total, more, rate, faster, weight = 0.0, 0.0, head[TOTAL_RATE], 0.0, 0.0
    while k < n - 1:
        r, j = x[k], following(x, k)
        faster += r[C_RATE]
        total += r[SPAN] + number(tree, e, k, RADIUS) * r[ANGLE]
        more += r[C_SPAN] + number(tree, e, k, RADIUS) * r[C_ANGLE]
        weight += r[PART] * r[WEIGHT]
        k = j
    mean = 0.0
    if head[MEAN] > 0.0:
        mean = (c[STIFFNESS] * stretch + c[DAMPING] * faster) / c[LENGTH]
    part, change, way, log, heavier, k = 0.0, 0.0, 0.0, 0.0, 0.0, 0
    while k < n - 1:
        r, j = x[k], following(x, k)
        if number(tree, e, k, FRICTION) > 0.0:
            t = np.tanh(r[SLIP] / c[TRANSITION])
            slip = (change * rate + part * faster - way) / c[TRANSITION]
            log += number(tree, e, k, FRICTION) * (r[C_ANGLE] * t + r[ANGLE] * (1.0 - t * t) * slip)
        own = r[C_SPAN] + 0.5 * number(tree, e, k, RADIUS) * r[C_ANGLE]
        if j < n - 1:
            own += 0.5 * number(tree, e, j, RADIUS) * x[j, C_ANGLE]
        own = (own - r[PART] * more) / total
        r[C_TENSION] = log  # of its weight, for now
        heavier += (own + r[PART] * log) * r[WEIGHT]
        part, change, way, k = part + r[PART], change + own, way + r[C_RATE], j
    k = 0
    while k < n - 1:
        r = x[k]
        r[C_TENSION] = r[WEIGHT] / weight * (mean + head[MEAN] * (r[C_TENSION] - heavier / weight))
        k = following(x, k)


@kernel
def fill_table(tree, e, head, x, table):
    """Derivatives of the tension of each span (row) along the scalars of each span (columns), and along the length alone."""
    n, j = tree.element[e, COUNT], 0
    while j < n - 1:
        end = following(x, j)
        for s in range(SCALARS + 1 if j == 0 else SCALARS):
            for k in range(n):
                x[k, C_SPAN] = 0.0
                x[k, C_ANGLE] = 0.0
                x[k, C_RATE] = 0.0
            stretch, column = 0.0, SCALARS * j + s
            if s == IN_SPAN:
                x[j, C_SPAN], stretch = 1.0, 1.0
            elif s == IN_LEAVES:
                stretch = number(tree, e, j, RADIUS)
                x[j, C_ANGLE] = 1.0 if j > 0 else 0.0
            elif s == IN_ARRIVES:
                stretch = -number(tree, e, end, RADIUS)
                x[end, C_ANGLE] = -1.0 if end < n - 1 else 0.0
            elif s == IN_RATE:
                x[j, C_RATE] = 1.0
            else:
                stretch, column = 1.0, SCALARS * n
            change_tensions(tree, e, head, x, stretch)
            k = 0
            while k < n - 1:
                table[k, column] = x[k, C_TENSION]
                k = following(x, k)
        j = end


@kernel
def turn_spans(tree, work, e, x, Rq, Ru):
    """Add what the spans do by their tensions alone while y changes; leaves its derivatives in the scratch."""
    n, k, s = tree.element[e, COUNT], 0, work.scratch
    E, C, W = s[E_ROW : E_ROW + 6], s[C_ROW : C_ROW + 6], s[W_ROW]
    while k < n - 1:
        j, r = following(x, k), x[k]
        a, b = node_of(tree, e, k), node_of(tree, e, j)
        if a != b:
            span_slopes(tree, work, e, k, j, r)
            for l in range(6):
                W[l] = -r[TENSION] * r[Y + l]
                for c in range(6):
                    E[l, c], C[l, c] = -r[TENSION] * r[D_Y + 6 * l + c], 0.0
            scatter(tree, work, -1, a, b, E, C, W, Rq, Ru)
        k = j


@kernel
def product(x, first, y):
    """Scalar product of six numbers of x from ``first`` on with y (6)."""
    return x[first] * y[0] + x[first + 1] * y[1] + x[first + 2] * y[2] + x[first + 3] * y[3] + x[first + 4] * y[4] + x[first + 5] * y[5]


@kernel
def rate_slope(work, r, a, b, side, d):
    """Change of the rate of a span between nodes a and b along column d on the path to one of them; needs ``tangents.columns``."""
    J, dv, v = work.column[d, at.COL_J], work.column[d, at.COL_DV], work.node[b if side == 1 else a]
    va, vb = work.node[a], work.node[b]
    w = (vb[at.V] - va[at.V], vb[at.V + 1] - va[at.V + 1], vb[at.V + 2] - va[at.V + 2])
    p = (vb[at.V + 3] - va[at.V + 3], vb[at.V + 4] - va[at.V + 4], vb[at.V + 5] - va[at.V + 5])
    sign, t, s = 2.0 * side - 1.0, (J[0], J[1], J[2]), (J[3], J[4], J[5])
    vw, vp = (v[at.V], v[at.V + 1], v[at.V + 2]), (v[at.V + 3], v[at.V + 4], v[at.V + 5])
    spin, fall, sway = cross(vw, t), cross(vp, t), cross(vw, s)
    x = 0.0
    for l in range(3):  # sign y . (dV - ad(V) J) + sign dy/ds_B J . (V_B - V_A)
        x += sign * (r[Y + l] * (dv[l] - spin[l]) + r[Y + 3 + l] * (dv[3 + l] - fall[l] - sway[l]))
        x += sign * (product(r, D_Y + 6 * l, J) * w[l] + product(r, D_Y + 6 * (3 + l), J) * p[l])
    if side == 0:  # -adT(y) J . (V_B - V_A)
        spin, fall, sway = cross(t, w), cross(s, w), cross(t, p)
        for l in range(3):
            x -= r[Y + l] * spin[l] + r[Y + 3 + l] * (fall[l] + sway[l])
    return x


@kernel
def add_column(tree, work, e, x, table, j, along, leaves, arrives, rate, faster, wound, column, Rq, Ru):
    """Add the efforts of all spans by changes of the scalars of span j, of its rate with a velocity, and of the length alone."""
    n, k = tree.element[e, COUNT], 0
    while k < n - 1:
        end, r, t = following(x, k), x[k], table[k]
        first = SCALARS * j
        f = along * t[first + IN_SPAN] + leaves * t[first + IN_LEAVES] + arrives * t[first + IN_ARRIVES]
        f += rate * t[first + IN_RATE] + wound * t[SCALARS * n]
        g = faster * t[first + IN_RATE]
        a, b = node_of(tree, e, k), node_of(tree, e, end)
        for side in range(2 if a != b else 0):
            sign, d = 2.0 * side - 1.0, last_column(tree, b if side == 1 else a)
            while d >= 0:
                y, row = sign * product(r, Y, work.column[d, at.COL_J]), tree.column[d, at.VELOCITY]
                Rq[tree.row_of[row], column] += y * f
                Ru[tree.row_of[row], column] += y * g
                d = tree.column[d, at.BEFORE]
        for side in range(2):
            y = drum_ratio(tree, e, k, end, side)
            if y != 0.0:
                row = tree.row_of[tree.element[e, DRUM_U + side]]
                Rq[row, column] += y * f
                Ru[row, column] += y * g
        k = end


@shared(TREE, WORK, INT, VEC, VEC, MAT, MAT)
def rope_differentiate(tree, work, e, q, u, Rq, Ru):
    """Add the tangents of a rope: wrenches enter the node matrices, couplings and efforts Rq and Ru (nu, nu)."""
    geometry(tree, work, e, q)
    pull(tree, work, e, u)
    n, head, x = places(tree, work, e)
    if head[MEAN] == 0.0:
        return
    table = block(work.flex, tree.element[e, SCRATCH] + HEAD + n * COLUMNS, n, SCALARS * n + 1)
    turn_spans(tree, work, e, x, Rq, Ru)
    fill_table(tree, e, head, x, table)
    j = 0
    while j < n - 1:
        end, r = following(x, j), x[j]
        a, b = node_of(tree, e, j), node_of(tree, e, end)
        for side in range(2 if a != b else 0):
            sign, d = 2.0 * side - 1.0, last_column(tree, b if side == 1 else a)
            while d >= 0:
                J, column = work.column[d, at.COL_J], tree.column[d, at.VELOCITY]
                faster, leaves, arrives = sign * product(r, Y, J), sign * product(r, D_LEAVES, J), sign * product(r, D_ARRIVES, J)
                along = faster - number(tree, e, j, RADIUS) * leaves + number(tree, e, end, RADIUS) * arrives
                rate = rate_slope(work, r, a, b, side, d)
                add_column(tree, work, e, x, table, j, along, leaves, arrives, rate, faster, 0.0 * along, column, Rq, Ru)
                d = tree.column[d, at.BEFORE]
        for side in range(2):
            g = drum_ratio(tree, e, j, end, side)
            if g != 0.0:
                none = 0.0 * g
                add_column(tree, work, e, x, table, j, none, none, none, none, g, g, tree.element[e, DRUM_U + side], Rq, Ru)
        j = end
