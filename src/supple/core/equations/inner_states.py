"""Inner states (``core/forces/inner_laws.py``) in Newton's matrix: eliminated within their elements, one small inverse for each.

With the coefficients of ``tree_newton.factor_tree`` and the symbols of ``inner_laws``, an element has in the rows of Newton's matrix

    - cz D^T L^T z            motion, D y = y_B - y_A the motion of B relative to A
    (d0 - dz Z) z - dq E d - du C v = side        states

where a change y of the velocities gives the displacement d = D y and the twist v, along coordinates and velocities. As dq/cq = du/cu = r,
eliminating z leaves the matrix of a stiffness and a damping between both nodes, complex for a complex eigenvalue:

    load(x) = cz r L^T (d0 - dz Z)^-1 (C x_v + E x_d)        x = (x_v, x_d) = (cq dV + cu J, cq J) for each column
    N -= D^T load        right side += cz D^T L^T (d0 - dz Z)^-1 side'

where side' is the side with the rates that a solution y = 0 leaves. Relative motions of all elements are differences of sums
over paths (``travel``), loads are gathered from the tips to the root (``push``): as much work as columns and elements.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE
from supple.core.base.wrench import SHARE, joint_between, last_column
from supple.core.equations import tree_parts as tp
from supple.core.equations.tangents import dot6
from supple.core.equations.tree_parts import FIRST, PARTS, TWELVE
from supple.core.forces.inner_laws import NODE_A, NODE_B, inner_states, outer_column
from supple.core.linalg import multifrontal as blocks
from supple.core.linalg.multifrontal import CUBE
from supple.native.declare import INT, MAT, REAL, TRUTH, kernel, shared

K = at.INNER_STATES


@kernel
def has_inner(m):
    """True if there are inner states."""
    return m.head[at.H_INNER] > 0


@shared(TREE, PARTS, INT, INT, gives=TRUTH)
def invert(m, p, f, parts):
    """(d0 - dz Z)^-1 of all elements for the coefficients of factor f; False if one is singular. Real ones have imaginary parts of zero."""
    d0, dz, e0, ez = p.c[f, 0, tp.D0], p.c[f, 0, tp.DZ], p.c[f, 1, tp.D0], p.c[f, 1, tp.DZ]
    if parts == 1:
        e0, ez = 0.0, 0.0
    for e in range(m.element.shape[0]):
        first, count = inner_states(m, e)
        for i in range(count):
            own, row, imaginary = p.law[first + i, at.LAW_OWN :], p.small[i], p.small[K + i]
            inverse = p.inverse[f, first + i]
            for j in range(count):
                row[j], imaginary[j] = -dz * own[j], -ez * own[j]
                inverse[j], inverse[K + j] = 0.0, 0.0
            row[i], imaginary[i], inverse[i] = row[i] + d0, imaginary[i] + e0, 1.0
        if not invert_one(p.small, p.inverse[f, first : first + count], count):
            return False
    return True


@kernel
def invert_one(a, x, n):
    """x = a^-1 x by rows of complex numbers: imaginary parts of a in rows from K on, of x in columns from K on; False if a is singular."""
    for k in range(n):
        best, big = k, -1.0
        for i in range(k, n):
            size = a[i, k] * a[i, k] + a[K + i, k] * a[K + i, k]
            if not size <= big:
                best, big = i, size
        if not (big > 0.0 and math.isfinite(big)):
            return False
        for j in range(n if best != k else 0):
            a[k, j], a[best, j] = a[best, j], a[k, j]
            a[K + k, j], a[K + best, j] = a[K + best, j], a[K + k, j]
            x[k, j], x[best, j] = x[best, j], x[k, j]
            x[k, K + j], x[best, K + j] = x[best, K + j], x[k, K + j]
        s, t = a[k, k] / big, -a[K + k, k] / big
        for j in range(n):
            a[k, j], a[K + k, j] = s * a[k, j] - t * a[K + k, j], s * a[K + k, j] + t * a[k, j]
            x[k, j], x[k, K + j] = s * x[k, j] - t * x[k, K + j], s * x[k, K + j] + t * x[k, j]
        for i in range(n):
            s, t = a[i, k], a[K + i, k]
            for j in range(n if i != k else 0):
                a[i, j] -= s * a[k, j] - t * a[K + k, j]
                a[K + i, j] -= s * a[K + k, j] + t * a[k, j]
                x[i, j] -= s * x[k, j] - t * x[k, K + j]
                x[i, K + j] -= s * x[k, K + j] + t * x[k, j]
    return True


@kernel
def couples(m, p, e):
    """First inner state of element e and their number; 0 if it does nothing to the nodes, as what touches nothing."""
    first, count = inner_states(m, e)
    for i in range(count):
        for j in range(6):
            if p.law[first + i, at.LAW_LOAD + j] != 0.0:
                return first, count
    return first, 0


@kernel
def times_inverse(p, f, first, count, a, b):
    """(d0 - dz Z)^-1 times a + i b of an element, into row 2 of p.mix: real, then imaginary parts."""
    out = p.mix[2]
    for i in range(count):
        inverse, s, t = p.inverse[f, first + i], 0.0, 0.0
        for j in range(count):
            s += inverse[j] * a[j] - inverse[K + j] * b[j]
            t += inverse[j] * b[j] + inverse[K + j] * a[j]
        out[i], out[K + i] = s, t


@kernel
def response(p, f, first, count, x, out):
    """out (12): load of an element along the relative motion x (24), real, then imaginary parts."""
    scale = p.c[f, 0, tp.CZ] * p.c[f, 0, tp.DU] / p.c[f, 0, tp.CU]
    a, b = p.mix[0], p.mix[1]
    for i in range(count):
        law = p.law[first + i]
        s, t = 0.0, 0.0
        for l in range(6):
            s += law[at.LAW_RATE + l] * x[l] + law[at.LAW_PLACE + l] * x[6 + l]
            t += law[at.LAW_RATE + l] * x[12 + l] + law[at.LAW_PLACE + l] * x[18 + l]
        a[i], b[i] = s, t
    times_inverse(p, f, first, count, a, b)
    z = p.mix[2]
    for l in range(12):
        out[l] = 0.0
    for i in range(count):
        law, s, t = p.law[first + i], scale * z[i], scale * z[K + i]
        for l in range(6):
            out[l] += law[at.LAW_LOAD + l] * s
            out[6 + l] += law[at.LAW_LOAD + l] * t


@kernel
def moved_by(p, f, c, sign, place, rate, turn, x):
    """x += sign times the motion of column c: its place times ``place``, its velocity times ``rate``, and by the coefficient of places ``turn``."""
    way = p.way[c]
    for part in range(2):
        cq, cu, y = sign * p.c[f, part, tp.CQ], sign * p.c[f, part, tp.CU], x[12 * part :]
        cu = rate * cu + turn * cq
        cq *= place
        for l in range(6):
            y[l] += cq * way[l] + cu * way[6 + l]
            y[6 + l] += cq * way[6 + l]


@kernel
def clear(x):
    """Zeros."""
    for l in range(x.shape[0]):
        x[l] = 0.0


# ----------------------------------------------------------------------------------------------
# Right sides and solutions


@shared(TREE, PARTS, REAL, MAT, REAL, MAT, REAL)
def follow(m, p, own, yq, sq, yu, su):
    """p.rate (rows, inner) = own p.side + E d + C v for changes sq yq of coordinates and su yu of velocities, over those Newton solves for."""
    rows = yq.shape[0]
    clear(p.travel[0])
    for n in range(1, m.node.shape[0]):
        t, before = p.travel[n], p.travel[m.node[n, at.PARENT]]
        for l in range(TWELVE * rows):
            t[l] = before[l]
        for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
            k, way = p.place[m.column[c, at.VELOCITY]] - 1, p.way[c]
            for v in range(rows if k >= 0 else 0):
                a, b, x = sq * yq[v, k], su * yu[v, k], t[TWELVE * v :]
                for l in range(6):
                    x[l] += a * way[l] + b * way[6 + l]
                    x[6 + l] += a * way[6 + l]
    for e in range(m.element.shape[0]):
        first, count = inner_states(m, e)
        if count == 0:
            continue
        one, two = p.travel[m.element[e, NODE_A]], p.travel[m.element[e, NODE_B]]
        for i in range(count):
            law = p.law[first + i]
            for v in range(rows):
                x, y, s = one[TWELVE * v :], two[TWELVE * v :], own * p.side[v, first + i]
                for l in range(6):
                    s += law[at.LAW_RATE + l] * (y[l] - x[l]) + law[at.LAW_PLACE + l] * (y[6 + l] - x[6 + l])
                p.rate[v, first + i] = s


@shared(TREE, PARTS, INT, INT, INT)
def settle(m, p, f, row, parts):
    """(d0 - dz Z)^-1 times p.rate in place, from a row on: one real row, or two of a complex number."""
    for e in range(m.element.shape[0]):
        first, count = inner_states(m, e)
        a, b, z = p.mix[0], p.mix[1], p.mix[2]
        for i in range(count):
            a[i], b[i] = p.rate[row, first + i], p.rate[row + 1, first + i] if parts == 2 else 0.0
        times_inverse(p, f, first, count, a, b)
        for i in range(count):
            p.rate[row, first + i] = z[i]
            if parts == 2:
                p.rate[row + 1, first + i] = z[K + i]


@shared(TREE, PARTS, REAL, MAT)
def push(m, p, scale, y):
    """y (rows, ...) += scale D^T L^T z for the states z in p.rate."""
    rows = y.shape[0]
    for n in range(m.node.shape[0]):
        clear(p.travel[n])
    for e in range(m.element.shape[0]):
        first, count = inner_states(m, e)
        if count == 0:
            continue
        one, two = p.travel[m.element[e, NODE_A]], p.travel[m.element[e, NODE_B]]
        for i in range(count):
            law = p.law[first + i]
            for v in range(rows):
                s = scale * p.rate[v, first + i]
                for l in range(6):
                    one[6 * v + l] -= s * law[at.LAW_LOAD + l]
                    two[6 * v + l] += s * law[at.LAW_LOAD + l]
    for n in range(m.node.shape[0] - 1, 0, -1):
        t, below = p.travel[n], p.travel[m.node[n, at.PARENT]]
        for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
            k = p.place[m.column[c, at.VELOCITY]] - 1
            for v in range(rows if k >= 0 else 0):
                y[v, k] += dot6(p.way[c, 6:], t[6 * v :])
        for l in range(6 * rows):
            below[l] += t[l]


@shared(TREE, PARTS, INT, MAT, MAT, MAT)
def add_loads(m, p, f, yq, yu, left):
    """left += D^T load along changes that are multiplied by cq and cu of factor f."""
    ratio = p.c[f, 0, tp.DU] / p.c[f, 0, tp.CU]
    follow(m, p, 0.0, yq, ratio, yu, ratio)
    settle(m, p, f, 0, yq.shape[0])
    push(m, p, p.c[f, 0, tp.CZ], left)


# ----------------------------------------------------------------------------------------------
# In whole matrices


@kernel
def scatter(m, p, e, load, column, N, NI, parts):
    """N -= D^T load in one column."""
    a, b = last_column(m, m.element[e, NODE_A]), last_column(m, m.element[e, NODE_B])
    while a != b:
        c, sign, a, b = outer_column(m, a, b)
        k = p.place[m.column[c, at.VELOCITY]] - 1
        if k >= 0:
            N[k, column] -= sign * dot6(p.way[c, 6:], load)
            if parts == 2:
                NI[k, column] -= sign * dot6(p.way[c, 6:], load[6:])


@shared(TREE, PARTS, INT, INT, MAT, MAT, MAT)
def add_whole(m, p, f, parts, P, N, NI):
    """Add what factor f has of all elements to a whole matrix N + i NI. Places change velocities by -P, too; P may have no rows."""
    for e in range(m.element.shape[0]):
        first, count = couples(m, p, e)
        if count == 0:
            continue
        x, load = p.small[0], p.small[1]
        a, b = last_column(m, m.element[e, NODE_A]), last_column(m, m.element[e, NODE_B])
        while a != b:
            c, sign, a, b = outer_column(m, a, b)
            k = p.place[m.column[c, at.VELOCITY]] - 1
            if k >= 0:
                clear(x)
                moved_by(p, f, c, sign, 1.0, 1.0, 0.0, x)
                response(p, f, first, count, x, load)
                scatter(m, p, e, load, k, N, NI, parts)
        for j in range(P.shape[1] if P.shape[0] > 0 else 0):
            turned_by(m, p, f, e, P, j, x)
            response(p, f, first, count, x, load)
            scatter(m, p, e, load, j, N, NI, parts)


@kernel
def turned_by(m, p, f, e, P, j, x):
    """x = relative motion of element e for the velocities -P[:, j]."""
    clear(x)
    a, b = last_column(m, m.element[e, NODE_A]), last_column(m, m.element[e, NODE_B])
    while a != b:
        c, sign, a, b = outer_column(m, a, b)
        k = p.place[m.column[c, at.VELOCITY]] - 1
        if k >= 0 and P[k, j] != 0.0:
            moved_by(p, f, c, -sign * P[k, j], 0.0, 0.0, 1.0, x)


@shared(TREE, PARTS, INT, MAT, INT, MAT)
def add_along_rows(m, p, f, G, begin, N):
    """Add to the columns of N for mu, from ``begin`` on, what the places s^2 G^T mu do; with a real factor f."""
    for e in range(m.element.shape[0]):
        first, count = couples(m, p, e)
        parts = 1
        for j in range(G.shape[0] if count > 0 else 0):
            x, load = p.small[0], p.small[1]
            clear(x)
            a, b = last_column(m, m.element[e, NODE_A]), last_column(m, m.element[e, NODE_B])
            while a != b:
                c, sign, a, b = outer_column(m, a, b)
                k = m.column[c, at.VELOCITY]
                moved_by(p, f, c, sign * m.unit[k] * m.unit[k] * G[j, k], 1.0, 0.0, 0.0, x)
            response(p, f, first, count, x, load)
            scatter(m, p, e, load, begin + j, N, N, parts)


# ----------------------------------------------------------------------------------------------
# By blocks, and along the tree


@shared(TREE, PARTS, INT, INT, CUBE)
def fill_blocks(m, p, f, parts, tangent):
    """Add what factor f has of all elements as further tangents (``core/linalg/multifrontal.py``)."""
    for part in range(parts):
        blocks.clear(m, tangent[blocks.WHOLE + part], tangent[blocks.RATE + part], tangent[blocks.WHOLE + part])
    x, load = p.small[0], p.small[1]
    for e in range(m.element.shape[0]):
        first, count = couples(m, p, e)
        for along in range(2 if count > 0 else 0):
            a, b = last_column(m, m.element[e, NODE_A]), last_column(m, m.element[e, NODE_B])
            while a != b:
                c, sign, a, b = outer_column(m, a, b)
                clear(x)
                moved_by(p, f, c, sign, 1.0 * along, 1.0, 0.0, x)
                response(p, f, first, count, x, load)
                whole = blocks.WHOLE if along == 1 else blocks.RATE
                enter(m, p, e, load, m.column[c, at.VELOCITY], tangent[whole], tangent[whole + 1], parts)


@kernel
def enter(m, p, e, load, column, T, TI, parts):
    """``scatter`` into a stored tangent."""
    a, b = last_column(m, m.element[e, NODE_A]), last_column(m, m.element[e, NODE_B])
    while a != b:
        c, sign, a, b = outer_column(m, a, b)
        k = m.row_of[m.column[c, at.VELOCITY]]
        T[k, column] -= sign * dot6(p.way[c, 6:], load)
        if parts == 2:
            TI[k, column] -= sign * dot6(p.way[c, 6:], load[6:])


@shared(TREE, PARTS, INT, INT)
def bend_nodes(m, p, f, parts):
    """Add what factor f has of all elements to the matrices of nodes, p.bend, and between neighbours to entries of their own.

    As ``scatter`` and ``couple`` of ``core/base/wrench.py`` place stiffness and damping.
    """
    x, load = p.small[0], p.small[1]
    for n in range(p.bend.shape[0]):
        clear(p.bend[n])
    for e in range(m.element.shape[0]):
        first, count = couples(m, p, e)
        if count == 0:
            continue
        a, b = m.element[e, NODE_A], m.element[e, NODE_B]
        n = max(joint_between(m, b, a), joint_between(m, a, b))
        if n > 0:
            c0, end = m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]
            for d in range(c0, end):
                clear(x)
                moved_by(p, f, d, 1.0, 1.0, 1.0, 0.0, x)
                response(p, f, first, count, x, load)
                for c in range(c0, end):
                    k = m.column[c, at.VELOCITY]
                    j = m.column[d, at.VELOCITY] - p.of[k, FIRST]
                    for part in range(parts):
                        p.D[f, part, k, j] -= dot6(p.way[c, 6:], load[6 * part :])
            continue
        share = SHARE if m.element[e, at.LINES] >= 0 else 1.0
        for j in range(TWELVE):
            clear(x)
            x[j] = 1.0
            response(p, f, first, count, x, load)
            for l in range(12):
                p.bend[a, 12 * l + j] -= share * load[l]
                p.bend[b, 12 * l + j] -= share * load[l]


@kernel
def bend(p, n, a, parts):
    """Add to the matrix over X of a node what elements have in it."""
    extra = p.bend[n]
    for l in range(6):
        for j in range(TWELVE):
            a[tp.WIDE * l + 6 + j] += extra[12 * l + j]
            if parts == 2:
                a[tp.HALF + tp.WIDE * l + 6 + j] += extra[12 * (6 + l) + j]
