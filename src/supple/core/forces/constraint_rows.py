"""Constraint rows: violation, Jacobian, their rates, reaction wrenches and tangents.

A link holds up to six rows. These kinds serve all constraints:

- JOIN: B's frame relative to A's: its place d in A's axes and its rotation vector f = log(R_A^T R_B), each
  component a row or not. A closing joint is a chain of massless nodes with its own coordinates, joined at its end;
- DISTANCE of two points;
- LINEAR: sum of c q over joint coordinates minus a number and a signal: couplings and drivers;
- BLADE: the velocity of B's point relative to A along an axis of B;
- ROLL: the gap of two shapes, and the velocities of their material along the plane between them (core/contact/rolling.py).

A row may hold a rate alone (``holds_rate``): A(q) u + b(t) = 0 without a violation, which is zero then. A LINEAR row that
does is the sum of c u minus its number and its signal; the row of BLADE always does, and the last two of ROLL.

Each row of a link between frames is a function of B's pose relative to A's. About the reference point its rate is
y . (V_B - V_A); y is kept in the workspace. Along displacements s_A, s_B of the two nodes y changes by
``change``, linear in both: with V_A and V_B it gives the row's second derivative, with columns J the derivative of
its rate along q, and with unit twists of B the stiffness of the wrench -sum(lam y) on B.

The rotation vector is zero only where the frames coincide: flipped assemblies are no solutions.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import (
    cross,
    frame,
    last_column,
    point,
    scatter,
    turned,
    turned_back,
)
from supple.core.contact import rolling
from supple.core.forces.bushing import inverse_tangent, operator, operator_change, rotation_vector
from supple.core.forces.signals import evaluate
from supple.native.declare import INT, INTS, MAT, REAL, VEC, kernel, shared

JOIN, DISTANCE, LINEAR, BLADE, ROLL = 0, 1, 2, 3, 4
# Data of JOIN: poses of both frames in their nodes; of DISTANCE: points of both nodes, length; of LINEAR: the number; of BLADE:
# pose of B's frame in its node, whose z axis is the row's
POSE_A, POSE_B, _ = starts(at.POSE, at.POSE)
POINT_A, POINT_B, LENGTH, _ = starts(3, 3, 1)
NUMBER = 0
# Rows of the scratch for tangents: as in core/forces/bushing.py
E_ROW, C_ROW, W_ROW = 5, 11, 17


@kernel
def holds_rate(link, i):
    """True if the row of direction i of a link holds a rate alone."""
    return (link[at.LINK_RATES] >> i) & 1 == 1


@kernel
def number_rates(m, rated):
    """rated (rows) = 1 for rows that hold rates alone, 0 for others."""
    for c in range(m.link.shape[0]):
        for i in range(6):
            row = m.link[c, at.LINK_ROW + i]
            if row >= 0:
                rated[row] = 1 if holds_rate(m.link[c], i) else 0


@kernel
def ends(m, w, c):
    """Points of A and B of a DISTANCE (world, about the reference point), their unit direction and distance."""
    k = m.link[c, at.LINK_AT]
    x, y = m.data[k + POINT_A : k + POINT_B], m.data[k + POINT_B : k + LENGTH]
    a = point(w, m.link[c, at.LINK_A], x[0], x[1], x[2])
    b = point(w, m.link[c, at.LINK_B], y[0], y[1], y[2])
    d0, d1, d2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    length = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    return (a[0], a[1], a[2]), (b[0], b[1], b[2]), (d0 / length, d1 / length, d2 / length), length


@shared(TREE, WORK, REAL, VEC)
def refresh(m, w, t, q):
    """Wrenches and violations of all links; needs poses, and the reference point set by motion."""
    for c in range(m.link.shape[0]):
        link, out = m.link[c], w.link[c]
        k = link[at.LINK_AT]
        if link[at.LINK_KIND] == JOIN:
            a, b = frame(w, link[at.LINK_A], m.data, k + POSE_A), frame(w, link[at.LINK_B], m.data, k + POSE_B)
            p = (b[9], b[10], b[11])
            d = turned_back(a, (p[0] - a[9], p[1] - a[10], p[2] - a[11]))
            f = rotation_vector(a, b)
            slope = inverse_tangent(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])[0]
            for i in range(3):
                y = out[i]
                axis = (a[i], a[3 + i], a[6 + i])
                arm = cross(p, axis)
                turn = turned(a, operator(f, -1.0, slope, ((i == 0) * 1.0, (i == 1) * 1.0, (i == 2) * 1.0)))
                z = out[3 + i]
                for j in range(3):
                    y[j], y[3 + j] = arm[j], axis[j]
                    z[j], z[3 + j] = turn[j], 0.0
                y[at.LINK_GAP], z[at.LINK_GAP] = d[i], f[i]
        elif link[at.LINK_KIND] == DISTANCE:
            _, p, n, length = ends(m, w, c)
            arm = cross(p, n)
            y = out[0]
            for j in range(3):
                y[j], y[3 + j] = arm[j], n[j]
            y[at.LINK_GAP] = length - m.data[k + LENGTH] - evaluate(m, w, link[at.LINK_SIGNAL], t)[0]
        elif link[at.LINK_KIND] == ROLL:
            rolling.rolling_refresh(m, w, link[at.LINK_ELEMENT], out)
        elif link[at.LINK_KIND] == BLADE:
            b = frame(w, link[at.LINK_B], m.data, k)
            axis = (b[2], b[5], b[8])
            arm = cross((b[9], b[10], b[11]), axis)
            y = out[0]
            for j in range(3):
                y[j], y[3 + j] = arm[j], axis[j]
            y[at.LINK_GAP] = 0.0 * arm[0]
        else:
            s = -m.data[k + NUMBER] - evaluate(m, w, link[at.LINK_SIGNAL], t)[0]
            for j in range(link[at.LINK_TERM], link[at.LINK_TERM] + link[at.LINK_COUNT]):
                s = s + m.factor[j] * q[m.term[j, at.TERM_Q]]
            out[0, at.LINK_GAP] = s if link[at.LINK_RATES] == 0 else 0.0 * s


@shared(TREE, WORK, INT, VEC, VEC, MAT)
def change(m, w, c, sa, sb, out):
    """Changes of the wrenches y (rows of out) along displacements sa, sb (6) of the nodes of A and B."""
    link = m.link[c]
    ta, tb = (sa[0], sa[1], sa[2]), (sb[0], sb[1], sb[2])
    if link[at.LINK_KIND] == JOIN:
        k = link[at.LINK_AT]
        a, b = frame(w, link[at.LINK_A], m.data, k + POSE_A), frame(w, link[at.LINK_B], m.data, k + POSE_B)
        p = (b[9], b[10], b[11])
        f = rotation_vector(a, b)
        d, slope = inverse_tangent(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])
        df = operator(f, 1.0, d, turned_back(a, (tb[0] - ta[0], tb[1] - ta[1], tb[2] - ta[2])))
        dp = cross(tb, p)
        dp = (dp[0] + sb[3], dp[1] + sb[4], dp[2] + sb[5])
        for i in range(3):
            axis = (a[i], a[3 + i], a[6 + i])
            daxis = cross(ta, axis)
            arm, lever = cross(dp, axis), cross(p, daxis)
            e = ((i == 0) * 1.0, (i == 1) * 1.0, (i == 2) * 1.0)
            turn = turned(a, operator_change(f, df, -1.0, d, slope, e))
            y = w.link[c, 3 + i]
            swing = cross(ta, (y[0], y[1], y[2]))
            for j in range(3):
                out[i, j], out[i, 3 + j] = arm[j] + lever[j], daxis[j]
                out[3 + i, j], out[3 + i, 3 + j] = turn[j] + swing[j], 0.0 * turn[j]
        return
    if link[at.LINK_KIND] == ROLL:
        rolling.rolling_change(m, w, link[at.LINK_ELEMENT], sa, sb, out)
        return
    if link[at.LINK_KIND] == BLADE:
        y, b = w.link[c, 0], frame(w, link[at.LINK_B], m.data, link[at.LINK_AT])
        axis, p = (y[3], y[4], y[5]), (b[9], b[10], b[11])
        dp, daxis = cross(tb, p), cross(tb, axis)
        arm, lever = cross((dp[0] + sb[3], dp[1] + sb[4], dp[2] + sb[5]), axis), cross(p, daxis)
        for j in range(3):
            out[0, j], out[0, 3 + j] = arm[j] + lever[j], daxis[j]
        return
    pa, p, n, length = ends(m, w, c)
    da, dp = cross(ta, pa), cross(tb, p)
    dp = (dp[0] + sb[3], dp[1] + sb[4], dp[2] + sb[5])
    g = (dp[0] - da[0] - sa[3], dp[1] - da[1] - sa[4], dp[2] - da[2] - sa[5])
    along = n[0] * g[0] + n[1] * g[1] + n[2] * g[2]
    dn = ((g[0] - along * n[0]) / length, (g[1] - along * n[1]) / length, (g[2] - along * n[2]) / length)
    arm, lever = cross(dp, n), cross(p, dn)
    for j in range(3):
        out[0, j], out[0, 3 + j] = arm[j] + lever[j], dn[j]


@kernel
def violations(m, w, g):
    """g (rows) from the refreshed links; zero in rows that hold rates alone."""
    for c in range(m.link.shape[0]):
        for i in range(6):
            row = m.link[c, at.LINK_ROW + i]
            if row >= 0:
                g[row] = w.link[c, i, at.LINK_GAP]


@kernel
def clear(m, G, place):
    """Zeros at the entries of a Jacobian, whose rows are at ``place``: the paths to both ends of each link."""
    for c in range(m.link.shape[0]):
        link = m.link[c]
        if link[at.LINK_KIND] == LINEAR:
            if link[at.LINK_ROW] >= 0:
                for j in range(link[at.LINK_TERM], link[at.LINK_TERM] + link[at.LINK_COUNT]):
                    G[place[link[at.LINK_ROW]], m.term[j, at.TERM_U]] = 0.0
            continue
        for side in range(2):
            d = last_column(m, link[at.LINK_A + side])
            while d >= 0:
                for i in range(6):
                    if link[at.LINK_ROW + i] >= 0:
                        G[place[link[at.LINK_ROW + i]], m.column[d, at.VELOCITY]] = 0.0
                d = m.column[d, at.BEFORE]


@shared(TREE, WORK, MAT, INTS)
def jacobian(m, w, G, place):
    """G (rows, nu) from the refreshed links; needs the columns of motion. Only entries on the paths to links are written.

    ``place`` says where its rows are: m.line_of, or m.counting of a whole matrix.
    """
    clear(m, G, place)
    for c in range(m.link.shape[0]):
        link = m.link[c]
        if link[at.LINK_KIND] == LINEAR:
            row = link[at.LINK_ROW]
            if row >= 0:
                for j in range(link[at.LINK_TERM], link[at.LINK_TERM] + link[at.LINK_COUNT]):
                    G[place[row], m.term[j, at.TERM_U]] += m.factor[j]
            continue
        for side in range(2):
            sign = 2.0 * side - 1.0
            d = last_column(m, link[at.LINK_A + side])
            while d >= 0:
                e, k = w.column[d, at.COL_J], m.column[d, at.VELOCITY]
                for i in range(6):
                    row = link[at.LINK_ROW + i]
                    if row >= 0:
                        y = w.link[c, i]
                        G[place[row], k] += sign * (
                            y[0] * e[0] + y[1] * e[1] + y[2] * e[2] + y[3] * e[3] + y[4] * e[4] + y[5] * e[5]
                        )
                d = m.column[d, at.BEFORE]


@shared(TREE, WORK, REAL, VEC, VEC)
def rates(m, w, t, u, out):
    """Rates of the rows (rows): G u + g_t, from the twists of motion."""
    for c in range(m.link.shape[0]):
        link = m.link[c]
        signal = evaluate(m, w, link[at.LINK_SIGNAL], t)
        rate = signal[1]
        if link[at.LINK_KIND] == LINEAR:
            if link[at.LINK_ROW] >= 0:
                if link[at.LINK_RATES] != 0:
                    rate = m.data[link[at.LINK_AT] + NUMBER] + signal[0]
                s = 0.0 * u[0] - rate
                for j in range(link[at.LINK_TERM], link[at.LINK_TERM] + link[at.LINK_COUNT]):
                    s = s + m.factor[j] * u[m.term[j, at.TERM_U]]
                out[link[at.LINK_ROW]] = s
            continue
        va, vb = w.node[link[at.LINK_A]], w.node[link[at.LINK_B]]
        for i in range(6):
            row = link[at.LINK_ROW + i]
            if row >= 0:
                s = 0.0 * va[at.V] - rate
                for j in range(6):
                    s = s + w.link[c, i, j] * (vb[at.V + j] - va[at.V + j])
                out[row] = s


@shared(TREE, WORK, REAL, VEC, VEC)
def accelerations(m, w, t, a, out):
    """Second derivatives of the rows (rows), from the twists and accelerations of motion with the rates a."""
    for c in range(m.link.shape[0]):
        link = m.link[c]
        signal = evaluate(m, w, link[at.LINK_SIGNAL], t)
        curve = signal[2]
        if link[at.LINK_KIND] == LINEAR:
            if link[at.LINK_ROW] >= 0:
                if link[at.LINK_RATES] != 0:
                    curve = signal[1]
                s = 0.0 * a[0] - curve
                for j in range(link[at.LINK_TERM], link[at.LINK_TERM] + link[at.LINK_COUNT]):
                    s = s + m.factor[j] * a[m.term[j, at.TERM_U]]
                out[link[at.LINK_ROW]] = s
            continue
        va, vb = w.node[link[at.LINK_A]], w.node[link[at.LINK_B]]
        change(m, w, c, va[at.V : at.V + 6], vb[at.V : at.V + 6], w.change)
        for i in range(6):
            row = link[at.LINK_ROW + i]
            if row >= 0:
                s = 0.0 * va[at.V] - curve
                for j in range(6):
                    s = s + w.link[c, i, j] * (vb[at.A + j] - va[at.A + j])
                    s = s + w.change[i, j] * (vb[at.V + j] - va[at.V + j])
                out[row] = s


@shared(TREE, WORK, MAT, INTS)
def rate_tangent(m, w, H, place):
    """H (rows, nu): derivative of the rows' rates along q; needs the columns of ``tangents.columns``. See ``jacobian``."""
    clear(m, H, place)
    s = w.scratch
    for k in range(6):
        s[1, k] = 0.0
    for c in range(m.link.shape[0]):
        link = m.link[c]
        if link[at.LINK_KIND] == LINEAR:
            continue
        va, vb = w.node[link[at.LINK_A]], w.node[link[at.LINK_B]]
        for side in range(2):
            sign = 2.0 * side - 1.0
            v = w.node[link[at.LINK_A + side]]
            d = last_column(m, link[at.LINK_A + side])
            while d >= 0:
                e, dv, k = w.column[d, at.COL_J], w.column[d, at.COL_DV], m.column[d, at.VELOCITY]
                if side == 0:
                    change(m, w, c, e, s[1], w.change)
                else:
                    change(m, w, c, s[1], e, w.change)
                spin = cross((v[at.V], v[at.V + 1], v[at.V + 2]), (e[0], e[1], e[2]))
                fall = cross((v[at.V + 3], v[at.V + 4], v[at.V + 5]), (e[0], e[1], e[2]))
                sway = cross((v[at.V], v[at.V + 1], v[at.V + 2]), (e[3], e[4], e[5]))
                for i in range(6):
                    row = link[at.LINK_ROW + i]
                    if row >= 0:
                        y = w.link[c, i]
                        x = 0.0 * e[0]
                        for j in range(3):  # sign y . (dV - ad(V) J) + dy . (V_B - V_A)
                            x = x + sign * (y[j] * (dv[j] - spin[j]) + y[3 + j] * (dv[3 + j] - fall[j] - sway[j]))
                        for j in range(6):
                            x = x + w.change[i, j] * (vb[at.V + j] - va[at.V + j])
                        H[place[row], k] += x
                d = m.column[d, at.BEFORE]


@kernel
def apply(m, w):
    """Add G^T lam to the residual: wrenches lam y at B, the opposite at A, and efforts of linear rows."""
    for c in range(m.link.shape[0]):
        link = m.link[c]
        if link[at.LINK_KIND] == LINEAR:
            if link[at.LINK_ROW] >= 0:
                for j in range(link[at.LINK_TERM], link[at.LINK_TERM] + link[at.LINK_COUNT]):
                    w.effort[m.term[j, at.TERM_U]] -= m.factor[j] * w.lam[link[at.LINK_ROW]]
            continue
        na, nb = w.node[link[at.LINK_A]], w.node[link[at.LINK_B]]
        for i in range(6):
            row = link[at.LINK_ROW + i]
            if row >= 0:
                for j in range(6):
                    x = w.lam[row] * w.link[c, i, j]
                    nb[at.W + j] += x
                    na[at.W + j] -= x


@shared(TREE, WORK, MAT, MAT)
def differentiate(m, w, Rq, Ru):
    """Add the derivative of G^T lam along q; wrenches enter the node matrices, couplings go straight into Rq."""
    s = w.scratch
    E, C, W = s[E_ROW : E_ROW + 6], s[C_ROW : C_ROW + 6], s[W_ROW]
    for i in range(6):
        for j in range(6):
            C[i, j] = 0.0
    for c in range(m.link.shape[0]):
        link = m.link[c]
        if link[at.LINK_KIND] == LINEAR:
            continue
        for j in range(6):
            W[j] = 0.0
            for i in range(6):
                row = link[at.LINK_ROW + i]
                if row >= 0:
                    W[j] -= w.lam[row] * w.link[c, i, j]
        for k in range(6):
            for j in range(6):
                s[1, j] = 0.0
                s[2, j] = 0.0
                E[j, k] = 0.0
            s[2, k] = 1.0
            change(m, w, c, s[1], s[2], w.change)
            for i in range(6):
                row = link[at.LINK_ROW + i]
                if row >= 0:
                    for j in range(6):
                        E[j, k] -= w.lam[row] * w.change[i, j]
        scatter(m, w, link[at.LINK_LINES], link[at.LINK_A], link[at.LINK_B], E, C, W, Rq, Ru)


@kernel
def drive_power(m, w, t, c):
    """Power of what moves link c in time, on the system: -lam times the rate of its signal, or times the rate that it gives."""
    row, signal = m.link[c, at.LINK_ROW], evaluate(m, w, m.link[c, at.LINK_SIGNAL], t)
    rate = signal[1] if m.link[c, at.LINK_RATES] == 0 else signal[0]
    return -w.lam[row] * rate if row >= 0 else 0.0 * w.origin[0]
