"""Tangents of the contact of two lines; for the symbols see ``lines``.

Of a ball the derivatives of the forces at eight stations, along places and velocities of these, are found direction by direction. Along a place the
nearest place t of the other line moves, too:

    dt = (s_l T + w_l' D).dp_l/(T.T - D.T')        ds_j = -w_j' dt        dD = s_l dp_l - T dt

Matrices of all balls of two pieces together go to the columns of the paths to their stations. Forces that stay as they are enter by themselves.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, force_stiffness, last_column
from supple.core.contact import contact
from supple.core.contact.contact import dot, plus, scaled
from supple.core.contact.lines import (
    ALL,
    AROUND,
    AT,
    BALL,
    BALLS,
    COUNT,
    FRICTION,
    HEAD,
    MANY,
    NODES,
    OTHER,
    REACH,
    SHARE,
    SIZE,
    F,
    P,
    away,
    fill,
    line_forces,
    middle,
    minus,
    own,
    piece_of,
    pressed,
    rubbed,
    slid,
    station_of,
    sums,
    touches,
)
from supple.native.declare import INT, MAT, VEC, kernel, shared


@kernel
def push_slopes(c, n, d, depth, v, force, elastic, dD, dv):
    """Changes of n and of the push with those of D and of the velocity."""
    away_ = dot(n, dD)
    dn = scaled(1.0 / d, plus(dD, -away_, n))
    df = 0.0 * force
    if force > 0.0:
        df = -c[contact.EXPONENT] * force / depth * away_ - elastic * c[contact.DAMPING] * (dot(dn, v) + dot(n, dv))
    return dn, df


@kernel
def slid_slopes(D, v, T, U, size, a, dD, dv, dT, dU):
    """Changes of the length of a tangent and of the rate of the way along it."""
    ds = dot(T, dT) / size
    return ds, (dot(dv, T) + dot(v, dT) + dot(dD, U) + dot(D, dU)) / size - a * ds / size


@kernel
def rub_slopes(c, force, a, b, cosine, df, da, db, dc):
    """Changes of x |T| and y |S|."""
    across, r = 1.0 - cosine * cosine, b - cosine * a
    more, dr = -2.0 * cosine * dc, db - dc * a - cosine * da
    square = a * a + across * r * r
    change = 2.0 * a * da + more * r * r + 2.0 * across * r * dr
    root_ = square + c[contact.SPEED] * c[contact.SPEED]
    scale, slope = contact.level(c, square)
    g = c[contact.MU] * force * scale / np.sqrt(root_)
    dg = c[contact.MU] * (df * scale + force * slope * change) / np.sqrt(root_) - 0.5 * g * change / root_
    y = g * across * r
    dy = dg * across * r + g * more * r + g * across * dr
    return dg * a + g * da - dc * y - cosine * dy, dy


@shared(TREE, WORK, INT, INT, INT, VEC, INT)
def ball_slopes(tree, work, e, i, k, g, found):
    """Add the derivatives of the forces of a ball, minus those, to the matrices of pieces i and k; ``g`` from ``fill``."""
    el, c = tree.element[e], tree.coef[e]
    _, x, _, K, C = own(tree, work, e)
    (p, s), (q, _) = piece_of(tree, el, i), piece_of(tree, el, k)
    D, T, X, S, v, U, Z, R = sums(x, p, q, g)
    n, depth, _, force, elastic = pressed(tree, e, D, v, s[SHARE])
    (size, a), (long, w) = slid(D, v, T, U), slid(D, v, S, R)
    d = tree.data[el[AT] + REACH] - depth
    fall, cosine = dot(T, T) - dot(D, X), dot(T, S) / (size * long)
    one, other = 0.0, 0.0
    if el[FRICTION] == 1:
        _, one, other = rubbed(c, force, a, w, cosine)
    f = plus(plus(scaled(force, n), -one / size, T), -other / long, S)
    for m in range(2 * SIZE):
        l, r = (m % SIZE) // 3, m % 3
        u = ((r == 0) * 1.0, (r == 1) * 1.0, (r == 2) * 1.0)
        dt, none = 0.0, (0.0, 0.0, 0.0)
        dD, dT, dS, dU, dR, dv = none, none, none, none, none, none
        if m < SIZE:  # of places
            if found == 1:
                dt = (g[l] * T[r] + g[8 + l] * D[r]) / fall
            dD, dT, dS = plus(scaled(g[l], u), -dt, T), plus(scaled(g[8 + l], u), dt, X), scaled(g[24 + l], u)
            dv, dU = scaled(-dt, U), scaled(dt, Z)
        else:
            dv, dU, dR = scaled(g[l], u), scaled(g[8 + l], u), scaled(g[24 + l], u)
        dn, df = push_slopes(c, n, d, depth, v, force, elastic, dD, dv)
        dforce, dx, dy = plus(scaled(df, n), force, dn), 0.0, 0.0
        if el[FRICTION] == 1:
            ds, da = slid_slopes(D, v, T, U, size, a, dD, dv, dT, dU)
            dl, dw = slid_slopes(D, v, S, R, long, w, dD, dv, dS, dR)
            dc = (dot(dT, S) + dot(T, dS)) / (size * long) - cosine * (ds / size + dl / long)
            dx, dy = rub_slopes(c, force, a, w, cosine, df, da, dw, dc)
            dx, dy = (dx - one * ds / size) / size, (dy - other * dl / long) / long
            dforce = plus(plus(plus(plus(dforce, -dx, T), -one / size, dT), -dy, S), -other / long, dS)
        for j in range(8):
            h, dh = g[8 + j] * one / size + g[24 + j] * other / long, g[16 + j] * dt * one / size + g[8 + j] * dx + g[24 + j] * dy
            for o in range(3):
                y = g[j] * dforce[o] - g[8 + j] * dt * f[o] - dh * D[o] - h * dD[o]
                if m < SIZE:
                    K[3 * j + o, m] -= y
                else:
                    C[3 * j + o, m - SIZE] -= y


@kernel
def arm_of(work, d, s):
    """Displacement of a station with the scratch s along column d, and the change of its velocity."""
    J, dv = work.column[d, at.COL_J], work.column[d, at.COL_DV]
    p = (s[P], s[P + 1], s[P + 2])
    return plus((J[3], J[4], J[5]), 1.0, cross((J[0], J[1], J[2]), p)), plus((dv[3], dv[4], dv[5]), 1.0, cross((dv[0], dv[1], dv[2]), p))


@kernel
def column_change(tree, work, node, d, s):
    """Displacement of a station along column d of its path, and the change of its velocity, which its displacement changes, too."""
    a, b = arm_of(work, d, s)
    J, v = work.column[d, at.COL_J], work.node[node]
    w, t, u = (v[at.V], v[at.V + 1], v[at.V + 2]), (J[0], J[1], J[2]), (v[at.V + 3], v[at.V + 4], v[at.V + 5])
    p = (s[P], s[P + 1], s[P + 2])
    # - ad(V) J at the point, and w x a
    spin, fall, sway = cross(w, t), cross(u, t), cross(w, (J[3], J[4], J[5]))
    b = minus(minus(minus(b, cross(spin, p)), fall), sway)
    return a, plus(b, 1.0, cross(w, a))


@shared(TREE, WORK, INT, INT, INT, MAT, MAT)
def add_pieces(tree, work, e, i, k, Rq, Ru):
    """Add the matrices of pieces i and k to the tangents, along the columns of the paths to their stations."""
    el = tree.element[e]
    _, x, _, K, C = own(tree, work, e)
    p, q = piece_of(tree, el, i)[0], piece_of(tree, el, k)[0]
    for l in range(8):
        s = station_of(p, q, l)
        node = tree.program[el[NODES] + s]
        d = last_column(tree, node)
        while d >= 0:
            a, b = column_change(tree, work, node, d, x[s])
            column = tree.column[d, at.VELOCITY]
            for j in range(8):
                r = station_of(p, q, j)
                y0, y1, y2, z0, z1, z2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                for o in range(3):
                    y0 += K[3 * j, 3 * l + o] * a[o] + C[3 * j, 3 * l + o] * b[o]
                    y1 += K[3 * j + 1, 3 * l + o] * a[o] + C[3 * j + 1, 3 * l + o] * b[o]
                    y2 += K[3 * j + 2, 3 * l + o] * a[o] + C[3 * j + 2, 3 * l + o] * b[o]
                    z0 += C[3 * j, 3 * l + o] * a[o]
                    z1 += C[3 * j + 1, 3 * l + o] * a[o]
                    z2 += C[3 * j + 2, 3 * l + o] * a[o]
                c = last_column(tree, tree.program[el[NODES] + r])
                while c >= 0:
                    h, row = arm_of(work, c, x[r])[0], tree.row_of[tree.column[c, at.VELOCITY]]
                    Rq[row, column] += h[0] * y0 + h[1] * y1 + h[2] * y2
                    Ru[row, column] += h[0] * z0 + h[1] * z1 + h[2] * z2
                    c = tree.column[c, at.BEFORE]
            d = tree.column[d, at.BEFORE]


@shared(TREE, WORK, INT, MAT, MAT)
def line_differentiate(tree, work, e, Rq, Ru):
    """Add the tangents of two lines."""
    line_forces(tree, work, e)
    el = tree.element[e]
    head, x, y, K, C = own(tree, work, e)
    for j in range(el[COUNT]):  # of constant forces
        s, zero = x[j], 0.0 * x[j, F]
        if s[F] != 0.0 or s[F + 1] != 0.0 or s[F + 2] != 0.0:
            k = work.matrices[tree.program[el[NODES] + j], at.NODE_K]
            force_stiffness(k, s[F], s[F + 1], s[F + 2], zero, zero, zero, s[P], s[P + 1], s[P + 2])
    g, reach = head[BALL:HEAD], tree.data[el[AT] + REACH]
    for i in range(el[BALLS]):
        p, _ = piece_of(tree, el, i)
        for k in range(el[OTHER], el[ALL]):
            if away(y, k, middle(y, i), y[i, AROUND] + reach):
                continue
            some = False
            for b in range(p[MANY]):
                found, t = touches(tree, el, x, y, i, b, k)
                if found == 0:
                    continue
                if not some:
                    for r in range(SIZE):
                        for s in range(SIZE):
                            K[r, s], C[r, s] = 0.0, 0.0
                some = True
                fill(tree, el, i, b, k, t, g)
                ball_slopes(tree, work, e, i, k, g, found)
            if some:
                add_pieces(tree, work, e, i, k, Rq, Ru)
