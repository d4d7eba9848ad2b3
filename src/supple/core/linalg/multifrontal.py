"""Newton's matrix of many bodies by a static plan: small dense matrices, eliminated one after the other.

For the unknowns w (velocities), z (controller states), lam and mu (rows), with B = s^2 G^T and the units s of the
increments, both implicit methods have to solve

    [M m + u Ru + q Rq] w + G^T lam - (m M + u Ru) B mu + r Rz z = ...         (motion)
    (k Gq + l Gu) w - l Gu B mu + (c + d Gz) z = ...                           (controllers)
    G w = ...                                                                   (positions)
    (G + e H) w - G B mu = ...                                                  (rates)

A row that holds a rate alone, A u + b = 0, is (a A + b K) w - A B mu = ..., with its lam at the place of mu, of which it has none.

with numbers m, u, q, ... of the method and its step, in Radau's complex matrix complex ones. ``engine/sparsity/block_plan.py`` says
where entries are and in which order they are eliminated. A front is the dense matrix of some pivots and of the unknowns
that these are coupled with then, its border. It is made on a stack: the entries that begin there, and what
its children left. Rows are exchanged between its own pivots only; what is left in the border stays on the stack for its
parent, the factors are kept. Chains and trees of free bodies cost as much as they have bodies.

Products with tangents and constraint rows visit only their entries. Solutions go front by front; factors lie in the order in which they are read: forward, and once more backward.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import COEFFICIENTS, TREE
from supple.core.linalg import dense as linalg
from supple.native.declare import INT, IVEC, MAT, VEC, Kind, block, kernel, shared

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
# controllers; controllers with velocities and with themselves; mu with itself, where rates of rows are not held; rows that hold
# rates alone over velocities, as ROWS
TANGENT, ROWS, PUSH, RATES, STATE_PUSH, STATE, STATE_OWN, OWN, ALONE = range(9)
# Numbers of a method: of M, Ru, Rq; of G in the motion and in positions; of G and H in rates; of B; of Rz, Gq and Gu; of z'
# itself and of Gz; of mu itself; how many pivots were replaced so far; and of G and H in rows that hold rates alone
(
    C_M, C_U, C_Q, C_POSITION, C_RATE, C_H, C_PUSH, C_RZ, C_GQ, C_GU, C_Z, C_GZ, C_OWN, C_REPLACED, C_ALONE, C_ALONE_H,
) = range(COEFFICIENTS)

MASS, RQ, RU = 0, 1, 2  # tangents
# ... of inner states, with their coefficients (core/equations/inner_states.py): whole, and of velocities alone, each real and imaginary
WHOLE, RATE, FURTHER = 3, 5, 4

CUBE = Kind("float64", 3)
SIX = 6  # velocities of a free body, or of a node of a cable


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


@shared(TREE, IVEC, MAT, MAT, VEC, MAT)
def enter_alone(m, r, G, H, c, f):
    """Add rows that hold rates alone to a front, and their columns."""
    for i in range(r[NROW]):
        k, lam = m.line_of[r[ROW] + i], r[AT_ROW] + i
        for j in range(r[NCOLUMN]):
            g, to = G[k, r[COLUMN] + j], r[AT_COLUMN] + j
            f[to, lam] += c[C_POSITION] * g
            f[lam, to] += c[C_ALONE] * g + c[C_ALONE_H] * H[k, r[COLUMN] + j]


@kernel
def enter(m, r, part, tangent, G, H, Rz, Gq, Gu, Gz, c, f, t):
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
            if tangent.shape[0] > WHOLE:
                own = block(tangent[WHOLE + part, k], d, n)
                for j in range(n):
                    to[j] += own[j]
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
            if tangent.shape[0] > WHOLE:
                push(m, m.row_of, tangent[RATE + part], tangent[RATE + part], c[C_PUSH], 0.0, G, r, f, t)
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
    elif code == ALONE:
        enter_alone(m, r, G, H, c, f)
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

    They lie as solutions read them (``core/linalg/multifrontal.py``): the first two forward, the last two backward. Diagonals of
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
                enter(m, records[e], part, tangent, G, H, Rz, Gq, Gu, Gz, c[part], f, t)
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


@kernel
def forward(front, border, factors, pivots, x):
    """Elimination of a front's pivots in a right side."""
    b, n, o = front[PIVOTS], front[SIZE], front[FIRST]
    below, own, _ = kept(front, factors)
    y = x[o : o + b]
    for i in range(b):
        k = pivots[o + i]
        if k != i:
            y[i], y[k] = y[k], y[i]
    for i in range(b):
        s = y[i]
        for j in range(i):
            s -= own[i, j] * y[j]
        y[i] = s
    for i in range(n - b):
        s = 0.0
        for j in range(b):
            s += below[i, j] * y[j]
        x[border[i]] -= s


@kernel
def backward(front, border, factors, x):
    """A front's unknowns from those in its border."""
    b, o = front[PIVOTS], front[FIRST]
    _, own, beside = kept(front, factors)
    y = x[o : o + b]
    for j in range(beside.shape[0]):
        s, column = x[border[j]], beside[j]
        for i in range(b):
            y[i] -= column[i] * s
    for k in range(b):
        i = b - 1 - k
        s, row = y[i], own[i]
        inner, known = row[i + 1 : b], y[i + 1 : b]  # slices: of places that count down loops are slow
        for j in range(k):
            s -= inner[j] * known[j]
        y[i] = s * own[i, i]


@kernel
def forward_complex(front, border, a, b, pivots, x, y):
    """``forward`` of x + i y with the factors a + i b."""
    m, n, o = front[PIVOTS], front[SIZE], front[FIRST]
    lr, ur, _ = kept(front, a)
    li, ui, _ = kept(front, b)
    v, w = x[o : o + m], y[o : o + m]
    for i in range(m):
        k = pivots[o + i]
        if k != i:
            v[i], v[k] = v[k], v[i]
            w[i], w[k] = w[k], w[i]
    for i in range(m):
        s, r = v[i], w[i]
        for j in range(i):
            s -= ur[i, j] * v[j] - ui[i, j] * w[j]
            r -= ur[i, j] * w[j] + ui[i, j] * v[j]
        v[i], w[i] = s, r
    for i in range(n - m):
        s, r = 0.0, 0.0
        for j in range(m):
            s += lr[i, j] * v[j] - li[i, j] * w[j]
            r += lr[i, j] * w[j] + li[i, j] * v[j]
        x[border[i]] -= s
        y[border[i]] -= r


@kernel
def backward_complex(front, border, a, b, x, y):
    """``backward`` of x + i y with the factors a + i b; their diagonals are not reciprocal."""
    m, o = front[PIVOTS], front[FIRST]
    _, ur, br = kept(front, a)
    _, ui, bi = kept(front, b)
    v, w = x[o : o + m], y[o : o + m]
    for j in range(br.shape[0]):
        t, u, p, q = x[border[j]], y[border[j]], br[j], bi[j]
        for i in range(m):
            v[i] -= p[i] * t - q[i] * u
            w[i] -= p[i] * u + q[i] * t
    for i in range(m - 1, -1, -1):
        s, r = v[i], w[i]
        for j in range(i + 1, m):
            s -= ur[i, j] * v[j] - ui[i, j] * w[j]
            r -= ur[i, j] * w[j] + ui[i, j] * v[j]
        d = 1.0 / (ur[i, i] * ur[i, i] + ui[i, i] * ui[i, i])
        v[i], w[i] = (s * ur[i, i] + r * ui[i, i]) * d, (r * ur[i, i] - s * ui[i, i]) * d


@kernel
def forward_all(p, table, factors, pivots, x):
    """Elimination of all pivots in a right side, front by front.

    Free bodies and nodes of cables have six unknowns each. Loops of unknown length over so few numbers take longer than the
    products in them, and so do calls: six pivots are written out here.
    """
    for k in range(table.shape[0]):
        front = table[k]
        c, o, start = front[SIZE] - front[PIVOTS], front[FIRST], front[FACTORS_AT]
        border = block(p, front[BORDER], c)
        if front[PIVOTS] != SIX:
            forward(front, border, factors, pivots, x)
            continue
        y, exchange, below, own = block(x, o, SIX), block(pivots, o, SIX), block(factors, start, SIX * c), start + SIX * c
        for i in range(SIX):
            j = exchange[i]
            if j != i:
                y[i], y[j] = y[j], y[i]
        a, b = block(factors, own + 6, 1), block(factors, own + 12, 2)
        d, e, f = block(factors, own + 18, 3), block(factors, own + 24, 4), block(factors, own + 30, 5)
        y0 = y[0]
        y1 = y[1] - a[0] * y0
        y2 = y[2] - b[0] * y0 - b[1] * y1
        y3 = y[3] - d[0] * y0 - d[1] * y1 - d[2] * y2
        y4 = y[4] - e[0] * y0 - e[1] * y1 - e[2] * y2 - e[3] * y3
        y5 = y[5] - f[0] * y0 - f[1] * y1 - f[2] * y2 - f[3] * y3 - f[4] * y4
        y[1], y[2], y[3], y[4], y[5] = y1, y2, y3, y4, y5
        for i in range(c):
            row, to = block(below, SIX * i, SIX), block(x, border[i], 1)
            to[0] -= row[0] * y0 + row[1] * y1 + row[2] * y2 + row[3] * y3 + row[4] * y4 + row[5] * y5


@kernel
def backward_all(p, table, factors, x):
    """All unknowns from those that were eliminated behind them, front by front."""
    for k in range(table.shape[0] - 1, -1, -1):
        front = table[k]
        c, start = front[SIZE] - front[PIVOTS], front[FACTORS_AT] + front[PIVOTS] * (front[SIZE] - front[PIVOTS])
        border = block(p, front[BORDER], c)
        if front[PIVOTS] != SIX:
            backward(front, border, factors, x)
            continue
        y, own, beside = block(x, front[FIRST], SIX), block(factors, start, 36), block(factors, start + 36, SIX * c)
        y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
        for j in range(c):
            s, column = block(x, border[j], 1)[0], block(beside, SIX * j, SIX)
            y0 -= column[0] * s
            y1 -= column[1] * s
            y2 -= column[2] * s
            y3 -= column[3] * s
            y4 -= column[4] * s
            y5 -= column[5] * s
        y5 = y5 * own[35]
        y4 = (y4 - own[29] * y5) * own[28]
        y3 = (y3 - own[23] * y5 - own[22] * y4) * own[21]
        y2 = (y2 - own[17] * y5 - own[16] * y4 - own[15] * y3) * own[14]
        y1 = (y1 - own[11] * y5 - own[10] * y4 - own[9] * y3 - own[8] * y2) * own[7]
        y0 = (y0 - own[5] * y5 - own[4] * y4 - own[3] * y3 - own[2] * y2 - own[1] * y1) * own[0]
        y[0], y[1], y[2], y[3], y[4], y[5] = y0, y1, y2, y3, y4, y5


@shared(TREE, VEC, IVEC, VEC)
def block_sweep(m, factors, pivots, x):
    """Solve in place for x, unknowns in the order of elimination, with the factors of a real matrix."""
    p = plan_of(m)[0]
    table = block(m.plan, m.plan[at.PLAN_NEWTON] + p[TABLE], p[FRONTS], FRONT_INTS)
    forward_all(p, table, factors, pivots, x)
    backward_all(p, table, factors, x)


@kernel
def sweep_complex(m, factors, pivots, scratch):
    """Like ``sweep`` for a complex matrix; real and imaginary parts are the two rows of ``scratch``."""
    p = plan_of(m)[0]
    table = block(m.plan, m.plan[at.PLAN_NEWTON] + p[TABLE], p[FRONTS], FRONT_INTS)
    for k in range(table.shape[0]):
        front = table[k]
        forward_complex(front, p[front[BORDER] :], factors[0], factors[1], pivots, scratch[0], scratch[1])
    for k in range(table.shape[0] - 1, -1, -1):
        front = table[k]
        border = p[front[BORDER] :]
        backward_complex(front, border, factors[0], factors[1], scratch[0], scratch[1])


@shared(TREE, MAT, IVEC, MAT, MAT)
def block_solve(m, factors, pivots, y, scratch):
    """Solve in place for y (1 or 2 rows: real, imaginary); ``scratch`` has as many, as long."""
    p = plan_of(m)[0]
    place, parts = p[p[PLACE] :], y.shape[0]
    for part in range(parts):
        for k in range(y.shape[1]):
            scratch[part, place[k]] = y[part, k]
    if parts == 1:
        block_sweep(m, factors[0], pivots, scratch[0])
    else:
        sweep_complex(m, factors, pivots, scratch)
    for part in range(parts):
        for k in range(y.shape[1]):
            y[part, k] = scratch[part, place[k]]


@kernel
def clear(m, Rq, Ru, M):
    """Zeros in tangents: by blocks only where there are entries."""
    if by_blocks(m):
        records = records_of(m)[0]
        for e in range(records.shape[0]):
            r = records[e]
            if r[CODE] == TANGENT:
                for i in range(r[ROW], r[ROW] + r[NROW]):
                    k = m.row_of[i]
                    for j in range(r[COLUMN], r[COLUMN] + r[NCOLUMN]):
                        Rq[k, j], M[k, j] = 0.0, 0.0
                    for j in range(r[COLUMN], r[COLUMN] + (r[NCOLUMN] if r[MORE] == 0 else 0)):
                        Ru[k, j] = 0.0
    else:
        for i in range(M.shape[0]):
            for j in range(M.shape[1]):
                Rq[i, j], Ru[i, j], M[i, j] = 0.0, 0.0, 0.0


@kernel
def add_product(m, matrix, x, c, y):
    """y += c matrix x for a tangent."""
    if by_blocks(m):
        records = records_of(m)[0]
        for e in range(records.shape[0]):
            r = records[e]
            if r[CODE] == TANGENT:
                own = x[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
                for i in range(r[ROW], r[ROW] + r[NROW]):
                    y[i] += c * dot(part(matrix[m.row_of[i]], r)[0], own)
    else:
        for i in range(matrix.shape[0]):
            y[i] += c * dot(matrix[i], x)


@kernel
def dot(x, y):
    """Scalar product; of six numbers, as most are, without a loop."""
    if x.shape[0] == SIX:
        return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]
    s = 0.0
    for k in range(x.shape[0]):
        s += x[k] * y[k]
    return s


@kernel
def part(row, r):
    """Entries of a stored row in the columns of a record."""
    return (block(row, r[COLUMN], r[NCOLUMN]),)


@kernel
def add_rows(m, G, x, c, y):
    """y += c G x for a matrix of constraint rows."""
    if by_blocks(m):
        records, links = records_of(m)[0], links_of(m)[0]
        for e in range(links.shape[0]):
            r = records[links[e]]
            own = x[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
            for i in range(r[ROW], r[ROW] + r[NROW]):
                y[i] += c * dot(part(G[m.line_of[i]], r)[0], own)
    else:
        for i in range(G.shape[0]):
            y[i] += c * dot(G[i], x)


@kernel
def add_columns(m, G, x, c, y):
    """y += c G^T x for a matrix of constraint rows."""
    if by_blocks(m):
        records, links = records_of(m)[0], links_of(m)[0]
        for e in range(links.shape[0]):
            r = records[links[e]]
            own = y[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
            for i in range(r[ROW], r[ROW] + r[NROW]):
                row, s = part(G[m.line_of[i]], r)[0], c * x[i]
                for j in range(own.shape[0]):
                    own[j] += row[j] * s
    else:
        for i in range(G.shape[0]):
            row, s = G[i], c * x[i]
            for j in range(y.shape[0]):
                y[j] += row[j] * s


@kernel
def along(m, G, mu, c, d):
    """d = c B mu, B = s^2 G^T."""
    for k in range(d.shape[0]):
        d[k] = 0.0
    if by_blocks(m):
        add_along(m, G, mu, c, d)
        return
    add_columns(m, G, mu, c, d)
    for k in range(d.shape[0]):
        d[k] *= m.unit[k] * m.unit[k]


@kernel
def add_along(m, G, mu, c, y):
    """y += c B mu by blocks, where rows have entries: these may be few."""
    records, links = records_of(m)[0], links_of(m)[0]
    for e in range(links.shape[0]):
        r = records[links[e]]
        own, unit = y[r[COLUMN] : r[COLUMN] + r[NCOLUMN]], m.unit[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
        for i in range(r[ROW], r[ROW] + r[NROW]):
            row, s = part(G[m.line_of[i]], r)[0], c * mu[i]
            for j in range(own.shape[0]):
                own[j] += unit[j] * unit[j] * row[j] * s
