"""Accelerations in order N: what hangs on a node is replaced by the inertia with which it gives way.

World axes about one point, so that inertias and wrenches are passed on by addition. From the tips to the root, with
the inertia I and the wrench p of a node, which begin as its own:

    column J of a joint, force f           U = I J   D = J.U + rotor   g = (f - J.p)/sqrt(D)   I -= U U^T/D   p += U g/sqrt(D)
    outward elastic edge J of a body b     L_b += I J   M_b += J^T I J   f_b -= J^T p;   then I_b += I, p_b += p
    elastic body, at its node              inward edge: M_b += J^T L_b + L_b^T J + J^T I J   L_b += I J   f_b -= J^T p
                                           M_b = R R^T   L = L_b R^-T   g = R^-1 f_b   I -= L L^T   p += L g

From the root to the tips a = (g - U.A/sqrt(D))/sqrt(D), A += J a, and a = R^-T (g - L^T A) of elastic coordinates. The first
sweep is a multiplication by the inverse of a factor of the mass matrix, M = F F^T, the second one by that of F^T.
Columns are eliminated one after the other, the last first; a velocity of a closing joint, which moves no mass, is left out.

Inertias in world axes about one point, as ``core/equations/articulated_body.py`` uses them: products, and sizes to compare with.

The 21 numbers of an inertia that gives way are in the order of ``layout.AI``.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import flex_body
from supple.core.bodies import second_order_shapes as slaved
from supple.native.declare import INT, VEC, block, kernel, shared

THIN = 1e-6  # of what a body without a thin direction would have: under constraints a pivot below it needs care
NONE = 1e-13  # of the inertia that a velocity moves: a pivot below it is none
NO_WRENCHES, WRENCHES, CONSTRAINED = 0, 1, 2  # what ``articulate`` begins with


@kernel
def times(i, y, out):
    """out = I y, with the 21 numbers of an inertia."""
    w0, w1, w2, v0, v1, v2 = y[0], y[1], y[2], y[3], y[4], y[5]
    out[0] = i[0] * w0 + i[3] * w1 + i[4] * w2 + i[6] * v0 + i[7] * v1 + i[8] * v2
    out[1] = i[3] * w0 + i[1] * w1 + i[5] * w2 + i[9] * v0 + i[10] * v1 + i[11] * v2
    out[2] = i[4] * w0 + i[5] * w1 + i[2] * w2 + i[12] * v0 + i[13] * v1 + i[14] * v2
    out[3] = i[6] * w0 + i[9] * w1 + i[12] * w2 + i[15] * v0 + i[18] * v1 + i[19] * v2
    out[4] = i[7] * w0 + i[10] * w1 + i[13] * w2 + i[18] * v0 + i[16] * v1 + i[20] * v2
    out[5] = i[8] * w0 + i[11] * w1 + i[14] * w2 + i[19] * v0 + i[20] * v1 + i[17] * v2


@kernel
def give_way(i, u, r):
    """I -= r u u^T."""
    u0, u1, u2, u3, u4, u5 = u[0], u[1], u[2], u[3], u[4], u[5]
    a0, a1, a2, a3, a4, a5 = r * u0, r * u1, r * u2, r * u3, r * u4, r * u5
    i[0] -= a0 * u0
    i[1] -= a1 * u1
    i[2] -= a2 * u2
    i[3] -= a0 * u1
    i[4] -= a0 * u2
    i[5] -= a1 * u2
    i[6] -= a0 * u3
    i[7] -= a0 * u4
    i[8] -= a0 * u5
    i[9] -= a1 * u3
    i[10] -= a1 * u4
    i[11] -= a1 * u5
    i[12] -= a2 * u3
    i[13] -= a2 * u4
    i[14] -= a2 * u5
    i[15] -= a3 * u3
    i[16] -= a4 * u4
    i[17] -= a5 * u5
    i[18] -= a3 * u4
    i[19] -= a3 * u5
    i[20] -= a4 * u5


@kernel
def dot(x, y):
    """Product of two spatial vectors."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@kernel
def moved(i, j):
    """J.I J with the composite inertia of a node's row i: what a velocity moves where nothing gives way."""
    m, c0, c1, c2 = i[at.CM], i[at.CC], i[at.CC + 1], i[at.CC + 2]
    w0, w1, w2, v0, v1, v2 = j[0], j[1], j[2], j[3], j[4], j[5]
    turning = i[at.CJ] * w0 * w0 + i[at.CJ + 1] * w1 * w1 + i[at.CJ + 2] * w2 * w2
    turning += 2.0 * (i[at.CJ + 3] * w0 * w1 + i[at.CJ + 4] * w0 * w2 + i[at.CJ + 5] * w1 * w2)
    both = w0 * (c1 * v2 - c2 * v1) + w1 * (c2 * v0 - c0 * v2) + w2 * (c0 * v1 - c1 * v0)
    return turning + 2.0 * both + m * (v0 * v0 + v1 * v1 + v2 * v2)


@kernel
def most(j, mass, turning):
    """A bound of the inertia that a column moves."""
    return turning * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) + 2.0 * mass * (j[3] * j[3] + j[4] * j[4] + j[5] * j[5])


@kernel
def thin(m, w, n, j):
    """A pivot too small for the body that hangs on the joint of node n, moved by its column j alone."""
    while m.node[n, at.HEAVY] == 0:  # the joint's further axes
        n += 1
        if n == m.node.shape[0] or m.node[n, at.PARENT] != n - 1:
            return 0.0
    r = w.node[n]
    mass, turning = r[at.M], r[at.J] + r[at.J + 1] + r[at.J + 2]
    if not mass > 0.0:
        return 0.0
    c0, c1, c2 = r[at.C] / mass, r[at.C + 1] / mass, r[at.C + 2] / mass
    turning -= 2.0 * mass * (c0 * c0 + c1 * c1 + c2 * c2)  # about the centre of mass
    v0, v1, v2 = j[3] + j[1] * c2 - j[2] * c1, j[4] + j[2] * c0 - j[0] * c2, j[5] + j[0] * c1 - j[1] * c0
    return THIN * (turning * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) + mass * (v0 * v0 + v1 * v1 + v2 * v2))


@kernel
def begin(m, w, with_wrenches):
    """Inertias of nodes and flexible bodies alone, and wrenches of the nodes, or none.

    Returns the mass of everything, and the sum of its three moments of inertia: no velocity moves more.
    """
    mass, turning = 0.0, 0.0
    for n in range(m.node.shape[0]):
        r, i = w.node[n], w.articulated[n]
        m0, c0, c1, c2 = r[at.M], r[at.C], r[at.C + 1], r[at.C + 2]
        mass += m0
        turning += r[at.J] + r[at.J + 1] + r[at.J + 2]
        for k in range(6):
            i[k] = r[at.J + k]
            i[at.AP + k] = r[at.W + k] if with_wrenches else 0.0
        i[6], i[7], i[8] = 0.0, -c2, c1
        i[9], i[10], i[11] = c2, 0.0, -c0
        i[12], i[13], i[14] = -c1, c0, 0.0
        i[15], i[16], i[17], i[18], i[19], i[20] = m0, m0, m0, 0.0, 0.0, 0.0
    for f in range(m.flex.shape[0]):
        nf, own = m.flex[f, at.FLEX_N], at.modal(m, f)
        y, F, L = flex_body.rows(m, w, f)[0], block(w.flex, own.factor, nf, nf), block(w.flex, own.coupling, nf, 6)
        whole, bound = block(w.flex, own.whole, nf), block(w.flex, own.bound, nf)
        if m.flex[f, at.FLEX_R] > 0:
            for i in range(nf):
                for l in range(nf):
                    F[i, l] = 0.0
            slaved.add_mass(m, w, f, y, F, m.counting, 0)
        else:
            M = block(m.flex_data, own.M, nf, nf)
            for i in range(nf):
                for l in range(nf):
                    F[i, l] = M[i, l]
        for i in range(nf):
            whole[i], bound[i] = F[i, i], F[i, i]
            for l in range(6):
                L[i, l] = y[at.FX_LW + l, i]
    return mass, turning


@kernel
def composites(m, w):
    """Composite inertias of nodes, and what elastic coordinates move where nothing gives way."""
    for n in range(m.node.shape[0]):
        for k in range(at.INERTIA):
            w.node[n, at.CM + k] = w.node[n, at.M + k]
    for n in range(m.node.shape[0] - 1, 0, -1):
        r, p = w.node[n], w.node[m.node[n, at.PARENT]]
        if m.node[n, at.MOTION] >= at.ELASTIC_OUT:
            f = m.node[n, at.FLEX]
            whole = block(w.flex, at.modal(m, f).whole, m.flex[f, at.FLEX_N])
            for i in range(whole.shape[0]):
                whole[i] += moved(r, w.column[m.node[n, at.COL0] + i, at.COL_J])
        for k in range(at.CM, at.E):
            p[k] += r[k]


@kernel
def carry(m, w, n, mass, turning):
    """Inertia outboard of an elastic edge of node n, in the coordinates of its body.

    Behind an inward edge this is the body itself, with everything that it carries.
    """
    f, c0 = m.node[n, at.FLEX], m.node[n, at.COL0]
    nf, own, u = m.flex[f, at.FLEX_N], at.modal(m, f), w.scratch[0]
    F, L, bound = block(w.flex, own.factor, nf, nf), block(w.flex, own.coupling, nf, 6), block(w.flex, own.bound, nf)
    if m.node[n, at.MOTION] == at.ELASTIC_IN:
        for i in range(nf):
            j = w.column[c0 + i, at.COL_J]
            for k in range(nf):
                s = dot(j, L[k])
                F[max(i, k), min(i, k)] += s if i != k else 2.0 * s
    for i in range(nf):
        j = w.column[c0 + i, at.COL_J]
        times(w.articulated[n], j, u)
        for l in range(6):
            L[i, l] += u[l]
        for k in range(i + 1):
            F[i, k] += dot(u, w.column[c0 + k, at.COL_J])
        bound[i] += most(j, mass, turning)


@kernel
def eliminate(m, w, n, failed):
    """Factors of the elastic coordinates of the body at node n, which then give way.

    ``failed`` is the number of velocities without a pivot before, -1: composite inertias are not known. Returns the new one.
    """
    f, inertia = m.node[n, at.FLEX], w.articulated[n]
    nf, own = m.flex[f, at.FLEX_N], at.modal(m, f)
    F, L = block(w.flex, own.factor, nf, nf), block(w.flex, own.coupling, nf, 6)
    whole, bound = block(w.flex, own.whole, nf), block(w.flex, own.bound, nf)
    for i in range(nf):
        a, l = F[i], L[i]
        for j in range(i):
            b, other = F[j], L[j]
            s = a[j]
            for k in range(j):
                s -= a[k] * b[k]
            s *= b[j]
            a[j] = s
            for k in range(6):
                l[k] -= s * other[k]
        s = a[i]
        for k in range(i):
            s -= a[k] * a[k]
        if not s > NONE * bound[i]:
            if failed < 0:
                composites(m, w)
                failed = 0
            if not s > NONE * whole[i]:
                w.failed[0] = whole[i]
                s, failed = math.inf, failed + 1
        s = 1.0 / math.sqrt(s)
        a[i] = s
        for k in range(6):
            l[k] *= s
        give_way(inertia, l, 1.0)
    return failed


@kernel
def pull_elastic(m, w, n, f):
    """The sweep to the root for the elastic coordinates of the body at node n."""
    b, p = m.node[n, at.FLEX], w.articulated[n, at.AP : at.AA]
    nf, k0, own = m.flex[b, at.FLEX_N], m.flex[b, at.FLEX_U0], at.modal(m, b)
    F, L, g = block(w.flex, own.factor, nf, nf), block(w.flex, own.coupling, nf, 6), f[k0 : k0 + nf]
    for i in range(nf):
        s, a, l = g[i], F[i], L[i]
        for j in range(i):
            s -= a[j] * g[j]
        if a[i] != 0.0:
            s *= a[i]
        g[i] = s
        for j in range(6):
            p[j] += l[j] * s


@kernel
def pull_edge(m, w, n, f):
    """Generalized force of the wrench behind an elastic edge on its body's coordinates."""
    p, first, k0 = w.articulated[n, at.AP : at.AA], m.node[n, at.COL0], m.flex[m.node[n, at.FLEX], at.FLEX_U0]
    for i in range(m.node[n, at.COLUMNS]):
        f[k0 + i] -= dot(w.column[first + i, at.COL_J], p)


@kernel
def pull_column(m, w, c, p, f):
    """The sweep to the root for one column of a joint, and the wrench p there."""
    u, k = w.pivot[c], m.column[c, at.VELOCITY]
    s = u[at.PIVOT_S]
    if s != 0.0:
        s *= f[k] - dot(w.column[c, at.COL_J], p)
        f[k] = s
        for l in range(6):
            p[l] += u[l] * s


@shared(TREE, WORK, VEC, INT, gives=INT)
def articulate(m, w, f, given):
    """Factors from motions and inertias, and the sweep to the root, by which forces f (nu) become g.

    ``given``: with the wrenches at nodes or without them; CONSTRAINED is without, and velocities of closing joints, which
    their own rows give, are held. Returns -1, or the velocity that moves no mass, or little under constraints.
    """
    node, failed, constrained = m.node, -1, given == CONSTRAINED
    mass, turning = begin(m, w, given == WRENCHES)
    own = m.plan[m.plan[at.PLAN_FIRST] :] if constrained else m.plan
    for n in range(node.shape[0] - 1, 0, -1):
        inertia, p, kind, parent = w.articulated[n], w.articulated[n, at.AP : at.AA], node[n, at.MOTION], node[n, at.PARENT]
        if kind >= at.ELASTIC_OUT:
            carry(m, w, n, mass, turning)
            pull_edge(m, w, n, f)
        if node[n, at.HEAVY] == at.FLEXIBLE:
            failed = eliminate(m, w, n, failed)
            pull_elastic(m, w, n, f)
        first = node[n, at.COL0]
        for c in range(first + node[n, at.COLUMNS] - 1 if kind < at.ELASTIC_OUT else first - 1, first - 1, -1):
            j, u, k = w.column[c, at.COL_J], w.pivot[c], m.column[c, at.VELOCITY]
            if constrained and own[k] < 0:
                u[at.PIVOT_S] = 0.0
                continue
            times(inertia, j, u)
            d = dot(j, u) + m.rotor[k]
            if constrained and not d > thin(m, w, n, j):
                return k
            if not d > NONE * (most(j, mass, turning) + m.rotor[k]):
                if failed < 0:
                    composites(m, w)
                    failed = 0
                full = moved(w.node[n], j) + m.rotor[k]
                if not d > NONE * full:
                    w.failed[0] = full
                    d, failed = math.inf, failed + 1
            d = 1.0 / d
            give_way(inertia, u, d)
            d = math.sqrt(d)
            u[at.PIVOT_S] = d
            for l in range(6):
                u[l] *= d
            pull_column(m, w, c, p, f)
        if parent > 0:
            to = w.articulated[parent]
            for l in range(at.AA):
                to[l] += inertia[l]
    if failed <= 0:
        return -1
    return 0 if constrained else massless(m, w)


@kernel
def massless(m, w):
    """The velocity to name where pivots of ``articulate`` fail: the first by which the mass matrix is singular.

    A velocity without a pivot moves with those outboard of it, without kinetic energy. A Cholesky factorization
    from the root meets this at the last velocity that takes part.
    """
    finite, found = math.isfinite(w.failed[0]), m.unit.shape[0]
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] < at.ELASTIC_OUT:
            for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
                if not w.pivot[c, at.PIVOT_S] > 0.0:
                    k = m.column[c, at.VELOCITY]
                    found = min(found, last_of(m, w, k) if finite else k)
        if m.node[n, at.HEAVY] == at.FLEXIBLE:
            f = m.node[n, at.FLEX]
            nf, k0 = m.flex[f, at.FLEX_N], m.flex[f, at.FLEX_U0]
            F = block(w.flex, at.modal(m, f).factor, nf, nf)
            for i in range(nf):
                if not F[i, i] > 0.0:
                    found = min(found, last_of(m, w, k0 + i) if finite else k0 + i)
    return found


@kernel
def last_of(m, w, k):
    """The last velocity that takes part in the motion without kinetic energy that begins at velocity k."""
    v = w.force
    for i in range(v.shape[0]):
        v[i] = 0.0
    v[k] = 1.0
    outward(m, w, v)
    last, size = k, 1e-6 * abs(v[k]) / m.unit[k]
    for i in range(k + 1, v.shape[0]):
        if abs(v[i]) > size * m.unit[i]:
            last = i
    return last


@shared(TREE, WORK, VEC)
def inward(m, w, f):
    """Forces f (nu) become g as in ``articulate``, whose factors are there, without wrenches. What is held keeps its force."""
    node = m.node
    for n in range(node.shape[0]):
        for l in range(at.AP, at.AA):
            w.articulated[n, l] = 0.0
    for n in range(node.shape[0] - 1, 0, -1):
        p, kind = w.articulated[n, at.AP : at.AA], node[n, at.MOTION]
        if kind >= at.ELASTIC_OUT:
            pull_edge(m, w, n, f)
        if node[n, at.HEAVY] == at.FLEXIBLE:
            pull_elastic(m, w, n, f)
        if kind < at.ELASTIC_OUT:
            for c in range(node[n, at.COL0] + node[n, at.COLUMNS] - 1, node[n, at.COL0] - 1, -1):
                pull_column(m, w, c, p, f)
        if node[n, at.PARENT] > 0:
            to = w.articulated[node[n, at.PARENT], at.AP : at.AA]
            for l in range(6):
                to[l] += p[l]


@shared(TREE, WORK, VEC)
def outward(m, w, f):
    """g of ``articulate`` become accelerations. What is held moves as f says."""
    node = m.node
    for l in range(at.AA, at.ARTICULATED):
        w.articulated[0, l] = 0.0
    for n in range(1, node.shape[0]):
        A, before = w.articulated[n, at.AA : at.ARTICULATED], w.articulated[node[n, at.PARENT], at.AA : at.ARTICULATED]
        for l in range(6):
            A[l] = before[l]
        kind, first = node[n, at.MOTION], node[n, at.COL0]
        if kind < at.ELASTIC_OUT:
            for c in range(first, first + node[n, at.COLUMNS]):
                j, u, k = w.column[c, at.COL_J], w.pivot[c], m.column[c, at.VELOCITY]
                y, s = f[k], u[at.PIVOT_S]
                if s != 0.0:
                    y = s * (y - dot(u, A))
                    f[k] = y
                for l in range(6):
                    A[l] += j[l] * y
        if node[n, at.HEAVY] == at.FLEXIBLE:
            b = node[n, at.FLEX]
            nf, k0, own = m.flex[b, at.FLEX_N], m.flex[b, at.FLEX_U0], at.modal(m, b)
            F, L, a = block(w.flex, own.factor, nf, nf), block(w.flex, own.coupling, nf, 6), f[k0 : k0 + nf]
            for i in range(nf):
                a[i] -= dot(L[i], A)
            for i in range(nf - 1, -1, -1):
                e, y = F[i], a[i]
                if e[i] != 0.0:
                    y *= e[i]
                    a[i] = y
                for k in range(i):
                    a[k] -= e[k] * y
        if kind >= at.ELASTIC_OUT:
            k0 = m.flex[node[n, at.FLEX], at.FLEX_U0]
            for i in range(node[n, at.COLUMNS]):
                j, y = w.column[first + i, at.COL_J], f[k0 + i]
                for l in range(6):
                    A[l] += j[l] * y


@kernel
def accelerate(m, w, f):
    """Further forces f (nu) become accelerations, from motions, inertias and wrenches at a = 0. Returns like ``articulate``."""
    for k in range(f.shape[0]):
        f[k] += w.effort[k]
    for b in range(m.flex.shape[0]):
        y, k = flex_body.rows(m, w, b)[0], m.flex[b, at.FLEX_U0]
        for i in range(m.flex[b, at.FLEX_N]):
            f[k + i] -= y[at.FX_Q, i]
    return solve(m, w, f, WRENCHES)


@kernel
def solve(m, w, f, given):
    """Forces f (nu) become accelerations, with the wrenches at nodes or without. Returns like ``articulate``."""
    bad = articulate(m, w, f, given)
    if bad < 0:
        outward(m, w, f)
    return bad
