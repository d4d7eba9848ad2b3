"""Springs and dampers along the world's axes between two points: forces and tangents.

With d the way from A to B in world axes, f = K (d - rest) + C d' pulls A at its point and B, the other way, at its own; K and
C are diagonal. The energy (d - rest).K (d - rest)/2 does not change when both points move together, so linear momentum is
kept; it does when everything turns, so angular momentum is not.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import SIDE, add_wrench, couple, cross, point, subtract_wrench_turn
from supple.native.declare import INT, MAT, REAL, kernel, shared

# Element integers: nodes of A and B; reals: the points on them, stiffness, damping, rest
A, B = 1, 2
POINT_A, POINT_B, STIFFNESS, DAMPING, REST, _ = starts(3, 3, 3, 3, 3)
E_ROW, C_ROW = 5, 11  # scratch rows of the tangents


@kernel
def state(tree, work, e):
    """Points of A and B, their velocities, d - rest, d' and the force, all in world axes."""
    el, c = tree.element[e], tree.coef[e]
    ax, ay, az, au, av, aw = point(work, el[A], c[POINT_A], c[POINT_A + 1], c[POINT_A + 2])
    bx, by, bz, bu, bv, bw = point(work, el[B], c[POINT_B], c[POINT_B + 1], c[POINT_B + 2])
    k, s, r = c[STIFFNESS:], c[DAMPING:], c[REST:]
    d, v = (bx - ax - r[0], by - ay - r[1], bz - az - r[2]), (bu - au, bv - av, bw - aw)
    f = (k[0] * d[0] + s[0] * v[0], k[1] * d[1] + s[1] * v[1], k[2] * d[2] + s[2] * v[2])
    return (ax, ay, az), (bx, by, bz), (au, av, aw), (bu, bv, bw), d, v, f


@shared(TREE, WORK, INT, gives=REAL)
def apply(tree, work, e):
    """Subtract the wrenches from both nodes and return the dissipated power."""
    el, c = tree.element[e], tree.coef[e]
    pa, pb, _, _, _, v, f = state(tree, work, e)
    none = (0.0 * f[0], 0.0 * f[0], 0.0 * f[0])
    add_wrench(work, el[A], pa, f, none, 1.0)
    add_wrench(work, el[B], pb, f, none, -1.0)
    return c[DAMPING] * v[0] * v[0] + c[DAMPING + 1] * v[1] * v[1] + c[DAMPING + 2] * v[2] * v[2]


@kernel
def stored(tree, work, e):
    """Stored energy (J)."""
    c = tree.coef[e]
    _, _, _, _, d, _, _ = state(tree, work, e)
    return 0.5 * (c[STIFFNESS] * d[0] * d[0] + c[STIFFNESS + 1] * d[1] * d[1] + c[STIFFNESS + 2] * d[2] * d[2])


@shared(TREE, WORK, INT, MAT, MAT)
def differentiate(tree, work, e, Rq, Ru):
    """Tangents: into the node matrices, and between the two nodes into Rq and Ru.

    E and C are derivatives of the wrench on one end along displacement (at fixed body-axes twist) and twist of an end,
    with the sign of the residual.
    """
    el, coef = tree.element[e], tree.coef[e]
    pa, pb, va, vb, _, _, f = state(tree, work, e)
    k, s = coef[STIFFNESS:], coef[DAMPING:]
    E, C = work.scratch[E_ROW : E_ROW + 6], work.scratch[C_ROW : C_ROW + 6]
    for own in range(2):  # the end that the wrench is on
        p, sign = pa, -1.0
        if own == 1:
            p, sign = pb, 1.0
        for end in range(2):  # the end that moves
            x, v, way = pa, va, -sign
            if end == 1:
                x, v, way = pb, vb, sign
            for c in range(6):
                th = ((c == 0) * 1.0, (c == 1) * 1.0, (c == 2) * 1.0)
                d, turn = cross(th, x), cross(th, v)  # of the end; its velocity turns
                d = (d[0] + (c == 3), d[1] + (c == 4), d[2] + (c == 5))
                g = (way * s[0] * d[0], way * s[1] * d[1], way * s[2] * d[2])
                h = (way * (k[0] * d[0] + s[0] * turn[0]), way * (k[1] * d[1] + s[1] * turn[1]), way * (k[2] * d[2] + s[2] * turn[2]))
                slow, arm, moved = cross(p, g), cross(p, h), cross(d, f)
                for i in range(3):
                    C[i, c], C[3 + i, c] = slow[i], g[i]
                    E[i, c], E[3 + i, c] = arm[i], h[i]
                    if own == end:  # its arm moves
                        E[i, c] += sign * moved[i]
            if own != end:
                line = el[at.LINES] + SIDE * own if el[at.LINES] >= 0 else -1
                couple(tree, work, line, el[A + own], el[A + end], E, C, Rq, Ru)
                continue
            stiff, damp = work.matrices[el[A + own], at.NODE_K], work.matrices[el[A + own], at.NODE_B]
            for i in range(6):
                for j in range(6):
                    stiff[i, j] += E[i, j]
                    damp[i, j] += C[i, j]
            t = cross(p, f)
            subtract_wrench_turn(stiff, -sign * t[0], -sign * t[1], -sign * t[2], -sign * f[0], -sign * f[1], -sign * f[2])
