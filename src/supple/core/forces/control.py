"""Linear controllers with states: efforts on joint coordinates from coordinates, rates and states.

The errors of n measured coordinates are e = x - r and their rates e' = v - r', with the targets r(t). Then

    f = w(t) + Kq e + Kv e' + C z, cut to plus and minus its limits: g
    z' = Bq e + Bv e' + A z + E (g - f)

Terms are the coordinates with their factors, the measured ones first.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import enter
from supple.core.forces.callback import flat
from supple.core.forces.signals import evaluate
from supple.native.declare import INT, REAL, VEC, kernel, shared

LINEAR_CONTROL = 17
# Element integers: numbers of terms and of efforts, the first term, the first state and their number, measured terms, place of
# the matrices in the data, and in the programs: the term of each effort, signals of targets, signals added to efforts
COUNT, EFFORTS, TERM, STATE, STATES, MEASURED, DATA, PROGRAM = range(1, 9)
MOST = 72  # measured coordinates and efforts whose numbers fit the scratch rows


@kernel
def places(el):
    """Places in the data of the matrices Kq, Kv, C, Bq, Bv, A, E and of the limits."""
    n, m, k = el[MEASURED], el[EFFORTS], el[STATES]
    kv = el[DATA] + m * n
    c = kv + m * n
    bq = c + m * k
    bv = bq + k * n
    a = bv + k * n
    e = a + k * k
    return el[DATA], kv, c, bq, bv, a, e, e + k * m


@shared(TREE, WORK, INT, REAL, VEC, VEC, VEC, VEC)
def efforts(tree, work, e, t, q, u, z, b):
    """Fill b with errors (n), their rates (n), wanted efforts f (m) and those that act, g (m)."""
    el, term, factor, d = tree.element[e], tree.term, tree.factor, tree.data
    n, m, o, s = el[MEASURED], el[EFFORTS], el[TERM], el[PROGRAM]
    kq, kv, c, _, _, _, _, limit = places(el)
    for j in range(n):
        target, rate, _ = evaluate(tree, work, tree.program[s + m + j], t)
        b[j] = factor[o + j] * q[term[o + j, at.TERM_Q]] - target
        b[n + j] = factor[o + j] * u[term[o + j, at.TERM_U]] - rate
    for i in range(m):
        f = 0.0 * u[0] + evaluate(tree, work, tree.program[s + m + n + i], t)[0]
        for j in range(n):
            f = f + d[kq + i * n + j] * b[j] + d[kv + i * n + j] * b[n + j]
        for l in range(el[STATES]):
            f = f + d[c + i * el[STATES] + l] * z[el[STATE] + l]
        b[2 * n + i] = f
        g = f
        if f.real > d[limit + i]:
            g = d[limit + i] + 0.0 * f
        elif f.real < -d[limit + i]:
            g = -d[limit + i] + 0.0 * f
        b[2 * n + m + i] = g


@kernel
def control_apply(tree, work, e, t, q, u, z):
    """Add the efforts of a controller, set the rates of its states, and return its power."""
    el, term, factor, d, b = tree.element[e], tree.term, tree.factor, tree.data, flat(work)[0]
    n, m, o, k = el[MEASURED], el[EFFORTS], el[TERM], el[STATES]
    efforts(tree, work, e, t, q, u, z, b)
    power = 0.0 * u[0]
    for i in range(m):
        own = o + tree.program[el[PROGRAM] + i]
        push = factor[own] * b[2 * n + m + i]
        work.effort[term[own, at.TERM_U]] += push
        power = power + push * u[term[own, at.TERM_U]]
    _, _, _, bq, bv, a, back, _ = places(el)
    for l in range(k):
        rate = 0.0 * u[0]
        for j in range(n):
            rate = rate + d[bq + l * n + j] * b[j] + d[bv + l * n + j] * b[n + j]
        for j in range(k):
            rate = rate + d[a + l * k + j] * z[el[STATE] + j]
        for i in range(m):
            rate = rate + d[back + l * m + i] * (b[2 * n + m + i] - b[2 * n + i])
        work.zdot[el[STATE] + l] = rate
    return power


@kernel
def control_branch(tree, work, e, t, q, u, z):
    """A number that tells which efforts are cut, above or below."""
    el, b, code = tree.element[e], flat(work)[0], 0
    efforts(tree, work, e, t, q, u, z, b)
    n, m = el[MEASURED], el[EFFORTS]
    for i in range(m):
        x, y = b[2 * n + i].real, b[2 * n + m + i].real
        code = 3 * code + (1 if x > y else (2 if x < y else 0))
    return code


@kernel
def control_tangent(tree, work, e, t, q, u, z, Rq, Ru):
    """Tangents of the efforts along coordinates and velocities."""
    el, term, factor, d, b = tree.element[e], tree.term, tree.factor, tree.data, flat(work)[0]
    n, m, o = el[MEASURED], el[EFFORTS], el[TERM]
    efforts(tree, work, e, t, q, u, z, b)
    kq, kv, _, _, _, _, _, _ = places(el)
    for i in range(m):
        if b[2 * n + i].real != b[2 * n + m + i].real:
            continue
        own = tree.program[el[PROGRAM] + i]
        row = term[o + own, at.TERM_U]
        for j in range(n):
            g = -factor[o + own] * factor[o + j]
            along, rate = g * d[kq + i * n + j], g * d[kv + i * n + j]
            enter(tree, work, el[at.LINES], own, j, row, term[o + j, at.TERM_U], along, rate, Rq, Ru)


@kernel
def control_states(tree, work, e, t, q, u, z, Rz, Gq, Gu, Gz):
    """Tangents of the efforts along the states, and of the rates of the states."""
    el, term, factor, d, b = tree.element[e], tree.term, tree.factor, tree.data, flat(work)[0]
    n, m, o, k, s = el[MEASURED], el[EFFORTS], el[TERM], el[STATES], el[STATE]
    if k == 0:
        return
    efforts(tree, work, e, t, q, u, z, b)
    kq, kv, c, bq, bv, a, back, _ = places(el)
    for l in range(k):
        for j in range(n):
            column = term[o + j, at.TERM_U]
            Gq[s + l, column] += factor[o + j] * d[bq + l * n + j]
            Gu[s + l, column] += factor[o + j] * d[bv + l * n + j]
        for j in range(k):
            Gz[s + l, s + j] += d[a + l * k + j]
    for i in range(m):
        own = o + tree.program[el[PROGRAM] + i]
        if b[2 * n + i].real == b[2 * n + m + i].real:
            for l in range(k):
                Rz[term[own, at.TERM_U], s + l] -= factor[own] * d[c + i * k + l]
            continue
        for l in range(k):  # what is cut off draws the states back
            x = d[back + l * m + i]
            for j in range(n):
                column = term[o + j, at.TERM_U]
                Gq[s + l, column] -= x * factor[o + j] * d[kq + i * n + j]
                Gu[s + l, column] -= x * factor[o + j] * d[kv + i * n + j]
            for j in range(k):
                Gz[s + l, s + j] -= x * d[c + i * k + j]
