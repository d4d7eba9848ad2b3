"""Newton's matrix of many bodies by a static plan: small dense matrices, eliminated one after the other.

For the unknowns w (velocities), z (controller states), lam and mu (rows), with B = s^2 G^T and the units s of the
increments, both implicit methods have to solve

    [M m + u Ru + q Rq] w + G^T lam - (m M + u Ru) B mu + r Rz z = ...         (motion)
    (k Gq + l Gu) w - l Gu B mu + (c + d Gz) z = ...                           (controllers)
    G w = ...                                                                   (positions)
    (G + e H) w - G B mu = ...                                                  (rates)

with numbers m, u, q, ... of the method and its step, in Radau's complex matrix complex ones. ``engine/sparsity/block_plan.py`` says
where entries are and in which order they are eliminated. A front is the dense matrix of some pivots and of the unknowns
that these are coupled with then, its border. It is made on a stack: the entries that begin there, and what
its children left. Rows are exchanged between its own pivots only; what is left in the border stays on the stack for its
parent, the factors are kept. Chains and trees of free bodies cost as much as they have bodies.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import COEFFICIENTS, TREE
from supple.core.linalg import dense as linalg
from supple.native.declare import INT, IVEC, MAT, Kind, block, kernel, shared

# Head of the plan: number of fronts; places of their table and of the list of places of unknowns; numbers of reals that
# factors and stack need, and where there is scratch on the stack; place and number of the records of entries; place of the
# number of free joints, behind which is, if there are any, the list of velocities with which those of one begin (1); place and
# length of the list of records of constraint rows, of which there may be few among many
FRONTS, TABLE, PLACE, FACTORS, STACK, SCRATCH, RECORDS, COUNT, TURNS, LINKED, LINKS, HEAD = range(12)
# A front: number of pivots, size, first pivot among the unknowns; where its factors are, where it is made on the stack, and
# where it leaves the rest; places of the lists of unknowns in its border and of their places in the parent's front; number
# and list of children; first record of its entries, and their number
(
    PIVOTS, SIZE, FIRST, FACTORS_AT, FRONT_AT, LEFT_AT, BORDER, PARENT, CHILDREN, CHILD, ENTRY, ENTRIES, FRONT_INTS,
) = range(13)
# Records of entries: code; first and number of rows, of columns, and of velocities in between; place of rows and columns in
# the front; of rows of links how far mu is behind lam, of tangents 1 if nothing there depends on velocities: Ru has no entries
CODE, ROW, NROW, COLUMN, NCOLUMN, INNER, NINNER, AT_ROW, AT_COLUMN, MORE, RECORD_INTS = range(11)
# Codes: entries over velocities; rows of links over velocities; what mu does to the motion, to rates of rows and to
# controllers; controllers with velocities and with themselves; mu with itself, where rates of rows are not held
TANGENT, ROWS, PUSH, RATES, STATE_PUSH, STATE, STATE_OWN, OWN = range(8)
# Numbers of a method: of M, Ru, Rq; of G in the motion and in positions; of G and H in rates; of B; of Rz, Gq and Gu; of z'
# itself and of Gz; of mu itself; and how many pivots were replaced so far
(
    C_M, C_U, C_Q, C_POSITION, C_RATE, C_H, C_PUSH, C_RZ, C_GQ, C_GU, C_Z, C_GZ, C_OWN, C_REPLACED,
) = range(COEFFICIENTS)

MASS, RQ, RU = 0, 1, 2  # tangents

CUBE = Kind("float64", 3)


@kernel
def by_blocks(m):
    """True if Newton's matrix is eliminated by blocks."""
    return m.plan[at.PLAN_NEWTON] > 0


@kernel
def room(m):
    """Numbers of reals that the stack and the factors of a real matrix need."""
    if not by_blocks(m):
        return 0, 0
    p = plan_of(m)[0]
    return p[STACK], p[FACTORS]


def lengths(ints: np.ndarray) -> tuple[int, int]:
    """Numbers of reals that the stack and the factors of a real matrix need; zeros for whole matrices."""
    plan = at.integers(ints, "plan")
    here = int(plan[at.PLAN_NEWTON])
    return (int(plan[here + STACK]), int(plan[here + FACTORS])) if here else (0, 0)


@kernel
def plan_of(m):
    """The plan of Newton's matrix."""
    return (m.plan[m.plan[at.PLAN_NEWTON] :],)


@kernel
def records_of(m):
    """Records of all entries."""
    p = plan_of(m)[0]
    return (block(m.plan, m.plan[at.PLAN_NEWTON] + p[RECORDS], p[COUNT], RECORD_INTS),)


@kernel
def links_of(m):
    """Numbers of the records of constraint rows."""
    p = plan_of(m)[0]
    return (p[p[LINKED] : p[LINKED] + p[LINKS]],)


@kernel
def has_turns(m):
    """True if there are free joints."""
    p = plan_of(m)[0]
    return p[p[TURNS]] > 0


@kernel
def push(m, place, x, y, cx, cy, G, r, f, t):
    """Subtract (cx x + cy y) B from a front, over the velocities in between of a record; t is scratch.

    Rows of x and y are at ``place``.
    """
    n, d0, unit = r[NCOLUMN], r[INNER], m.unit
    for j in range(n):
        g = G[m.line_of[r[COLUMN] + j]]
        for d in range(r[NINNER]):
            t[d * n + j] = -unit[d0 + d] * unit[d0 + d] * g[d0 + d]
    for i in range(r[NROW]):
        k, to = place[r[ROW] + i], f[r[AT_ROW] + i, r[AT_COLUMN] : r[AT_COLUMN] + n]
        for d in range(r[NINNER]):
            s, own = cx * x[k, d0 + d] + cy * y[k, d0 + d], t[d * n : d * n + n]
            for j in range(n):
                to[j] += s * own[j]


@kernel
def enter(m, r, tangent, G, H, Rz, Gq, Gu, Gz, c, f, t):
    """Add the entries of one record to a front; t is scratch."""
    code, i0, j0 = r[CODE], r[AT_ROW], r[AT_COLUMN]
    if code == TANGENT:
        d, n = r[COLUMN], r[NCOLUMN]
        for i in range(r[NROW]):
            k, to = m.row_of[r[ROW] + i], f[i0 + i, j0 : j0 + n]
            M = block(tangent[MASS, k], d, n)
            for j in range(n):
                to[j] += c[C_M] * M[j]
            if tangent.shape[0] > 1:
                Rq = block(tangent[RQ, k], d, n)
                for j in range(n):
                    to[j] += c[C_Q] * Rq[j]
                if r[MORE] == 0:
                    Ru = block(tangent[RU, k], d, n)
                    for j in range(n):
                        to[j] += c[C_U] * Ru[j]
    elif code == ROWS:
        for i in range(r[NROW]):
            k, lam, mu = m.line_of[r[ROW] + i], i0 + i, i0 + i + r[MORE]
            for j in range(r[NCOLUMN]):
                g = G[k, r[COLUMN] + j]
                f[j0 + j, lam] += c[C_POSITION] * g
                f[lam, j0 + j] += c[C_POSITION] * g
                f[mu, j0 + j] += c[C_RATE] * g + c[C_H] * H[k, r[COLUMN] + j]
    elif code == PUSH:
        if c[C_PUSH] != 0.0:
            push(m, m.row_of, tangent[MASS], tangent[RU], c[C_PUSH] * c[C_M], c[C_PUSH] * c[C_U], G, r, f, t)
    elif code == RATES:
        if c[C_RATE] != 0.0:
            push(m, m.line_of, G, G, c[C_PUSH] * c[C_RATE], 0.0, G, r, f, t)
    elif code == STATE_PUSH:
        if c[C_PUSH] != 0.0:
            push(m, m.counting, Gu, Gu, c[C_PUSH] * c[C_GU], 0.0, G, r, f, t)
    elif code == STATE:
        for j in range(r[NCOLUMN] if Gz.shape[0] > 0 else 0):
            s, k = r[ROW], r[COLUMN] + j
            f[j0 + j, i0] += c[C_RZ] * Rz[k, s]
            f[i0, j0 + j] += c[C_GQ] * Gq[s, k] + c[C_GU] * Gu[s, k]
    elif code == STATE_OWN:
        f[i0, i0] += c[C_Z]
        if Gz.shape[0] > 0:
            f[i0, i0] += c[C_GZ] * Gz[r[ROW], r[ROW]]
    else:
        for i in range(r[NROW]):
            f[i0 + i, i0 + i] += c[C_OWN]


@kernel
def inherit(p, table, k, stack, f):
    """Add what the children of front k left on the stack."""
    for l in range(table[k, CHILDREN]):
        child = table[p[table[k, CHILD] + l]]
        n = child[SIZE] - child[PIVOTS]
        g = block(stack, child[LEFT_AT], n, n)
        to = p[child[PARENT] : child[PARENT] + n]
        for i in range(n):
            row, own = f[to[i]], g[i]
            for j in range(n):
                row[to[j]] += own[j]


@kernel
def kept(front, factors):
    """Factors of a front with b pivots and c unknowns in its border: below (c, b), own (b, b) and beside, transposed (c, b).

    They lie as solutions read them (``core/linalg/block_solutions.py``): the first two forward, the last two backward. Diagonals of
    real ones are reciprocal.
    """
    b, c = front[PIVOTS], front[SIZE] - front[PIVOTS]
    below, own = front[FACTORS_AT], front[FACTORS_AT] + c * b
    return block(factors, below, c, b), block(factors, own, b, b), block(factors, own + b * b, c, b)


@kernel
def keep(front, f, stack, factors):
    """Copy the factors of a front, and move what is left of it down the stack."""
    b, n = front[PIVOTS], front[SIZE]
    c = n - b
    below, own, beside = kept(front, factors)
    for i in range(c):
        for j in range(b):
            below[i, j] = f[b + i, j]
    for i in range(b):
        for j in range(b):
            own[i, j] = f[i, j]
    for j in range(c):
        for i in range(b):
            beside[j, i] = f[i, b + j]
    left = block(stack, front[LEFT_AT], c, c)
    for i in range(c):
        for j in range(c):
            left[i, j] = f[b + i, b + j]


@shared(TREE, CUBE, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, IVEC, gives=INT)
def block_factors(m, tangent, G, H, Rz, Gq, Gu, Gz, c, stack, factors, pivots):
    """Factors of a real (c, stack and factors have one row) or complex matrix (two).

    The matrix of accelerations has no tangents but M, and no controllers: ``tangent`` is one matrix then, Gz has no rows.
    Rows are not exchanged between fronts: where pivots of a front are rounding, a little stands for them, and what that does to
    solutions is left to Newton's iterations. It is counted. Returns -1, or the number of a front that is singular or not finite.
    """
    p, records = plan_of(m)[0], records_of(m)[0]
    table = block(m.plan, m.plan[at.PLAN_NEWTON] + p[TABLE], p[FRONTS], FRONT_INTS)
    parts = c.shape[0]
    for k in range(table.shape[0]):
        front = table[k]
        b, n = front[PIVOTS], front[SIZE]
        for part in range(parts):
            f = block(stack[part], front[FRONT_AT], n, n)
            for i in range(n):
                for j in range(n):
                    f[i, j] = 0.0
            t = stack[part, p[SCRATCH] :]
            for e in range(front[ENTRY], front[ENTRY] + front[ENTRIES]):
                enter(m, records[e], tangent, G, H, Rz, Gq, Gu, Gz, c[part], f, t)
            inherit(p, table, k, stack[part], f)
        mine = pivots[front[FIRST] : front[FIRST] + b]
        real, size = block(stack[0], front[FRONT_AT], n, n), block(factors[0], front[FACTORS_AT], b)
        linalg.column_sizes(real, size)
        if parts == 1:
            replaced = linalg.lu_of(real, mine, b, size)
        else:
            replaced = linalg.lu_complex_of(real, block(stack[1], front[FRONT_AT], n, n), mine, b, size)
        if replaced < 0:
            return k
        c[0, C_REPLACED] += replaced
        for part in range(parts):
            keep(front, block(stack[part], front[FRONT_AT], n, n), stack[part], factors[part])
        if parts == 1:  # solutions divide by diagonals many times
            own = kept(front, factors[0])[1]
            for i in range(b):
                own[i, i] = 1.0 / own[i, i]
    return -1
