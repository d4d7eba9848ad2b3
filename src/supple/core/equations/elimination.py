"""Motion under constraint rows where the mass matrix falls into blocks: M a + G^T lam = f, G a = c.

Three things keep the systems small, however many bodies and loops there are:

- the coordinates of a closing joint have no mass and appear in its own rows only. Row operations T turn the rows
  of a joint with k coordinates e into k that give these coordinates, e + N a = c', and the rest without them;
- M is factorized block by block: a block is a part of the tree that moves on its own, such as a free body; or in
  order N (``core/equations/articulated_body.py``), where blocks are large and rows few;
- the complement S = Y Y^T, Y^T = L^-1 G^T, couples rows that act on a common block. It is factorized within its
  envelope, rows in an order that keeps it narrow.

A body may have no inertia about an axis (a thin rod), if constraints hold it there. Then a little is added; what the
solution lacks is solved for again, see ``kkt.solve``.

So chains and trees of free bodies cost as much as they have bodies. What belongs to what is in the plan
(``engine/sparsity/plan.py``): only its entries are touched, and by blocks only these are stored (``core/base/layout.py``).

Cholesky factors of the mass matrix, block by block.

A block is a part of the tree that moves on its own, such as a free body; the plan (``engine/sparsity/plan.py``) has the first
velocity of each one's block, -1 for velocities of closing joints, which are left out. Diagonals are reciprocal. A row
begins at the first velocity that it is coupled with: those of the elements of gradient bodies are short.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.equations import articulated_body as articulated
from supple.core.forces.constraint_rows import LINEAR
from supple.core.linalg import multifrontal
from supple.core.linalg.multifrontal import (
    CODE,
    COLUMN,
    NCOLUMN,
    NROW,
    ROW,
    TANGENT,
    by_blocks,
    records_of,
)
from supple.native.declare import INT, TRUTH, VEC, kernel, shared

# Of a velocity's inertia: a pivot below which some is added, and how much; of the block's mean inertia: what counts as none
# (a little more would be counted, and cost as many digits of the complement S). Slopes of nodal vectors have inertia, however
# short elements are beside the model
THIN, ADDED, NONE = 1e-6, 1e-5, 1e-8
# Pivots of rows, of their own squares: those of rows that depend on others; and those that few corrections of the solution
# can do with, each of which leaves rounding over the pivot. With added inertia corrections are repeated.
DEPENDENT, CLOSE = 1e-14, 1e-10
SMALL = 1e-6  # rows that hold a joint's frames together have unit axes: below it they do not give a coordinate


@kernel
def load(m, w):
    """Rows of w.mass into w.lower, from the first velocity that each reaches.

    Of what is stored by the plan only its entries count: between them are numbers of other rows, where a body hangs on a
    node of a gradient body, or the nodes of an element are not one behind the other.
    """
    L, M, reach = w.lower, w.mass[0], m.plan[m.plan[at.PLAN_REACH] :]
    planned = by_blocks(m)
    for i in range(m.unit.shape[0]):
        if reach[i] >= 0:
            a, l = M[m.row_of[i]], L[m.lower_of[i]]
            for j in range(reach[i], i + 1):
                l[j] = 0.0 if planned else a[j]
    if planned:
        records = records_of(m)[0]
        for e in range(records.shape[0]):
            r = records[e]
            if r[CODE] == TANGENT:
                for i in range(r[ROW], r[ROW] + r[NROW]):
                    if reach[i] >= 0:
                        a, l = M[m.row_of[i]], L[m.lower_of[i]]
                        for j in range(max(r[COLUMN], reach[i]), min(r[COLUMN] + r[NCOLUMN], i + 1)):
                            l[j] = a[j]


@kernel
def factor(m, w):
    """Factors in w.lower of w.mass. Returns -1; or -2 where nothing has inertia; or -3 where some was added."""
    L, M, nu = w.lower, w.mass[0], m.unit.shape[0]
    first, reach = m.plan[m.plan[at.PLAN_FIRST] :], m.plan[m.plan[at.PLAN_REACH] :]
    result, mean, g = -1, 0.0, 0
    load(m, w)
    for i in range(nu):
        while g < m.gradient.shape[0] and i >= m.gradient[g, at.GRADIENT_U0] + 3 * m.gradient[g, at.GRADIENT_N]:
            g += 1
        vector = g < m.gradient.shape[0] and i >= m.gradient[g, at.GRADIENT_U0]
        b = first[i]
        if b < 0:
            continue
        if b == i:
            mean, n = 0.0, i
            while n < nu and first[n] == b:
                mean += M[m.row_of[n], n] * m.unit[n] * m.unit[n]
                n += 1
            mean /= n - b
        l = L[m.lower_of[i]]
        own = l[i]
        for j in range(reach[i], i):
            x, before = l[j], L[m.lower_of[j]]
            for k in range(max(reach[i], reach[j]), j):
                x -= l[k] * before[k]
            l[j] = x * before[j]
        x = own
        for k in range(reach[i], i):
            x -= l[k] * l[k]
        w.added[i] = 0.0
        unit = m.unit[i] * m.unit[i]
        enough = own > 0.0 if vector else own * unit > NONE * mean
        if not x > THIN * own or not enough:
            if not mean > 0.0:
                return -2
            w.added[i] = ADDED * (own if enough else mean / unit)
            x = max(x, 0.0) + w.added[i]
            result = -3
        l[i] = 1.0 / math.sqrt(x)
    return result


@kernel
def inward(m, w, f, begin, end):
    """Forces f (nu) become L^-1 f for the velocities of one or more blocks."""
    L, first, reach = w.lower, m.plan[m.plan[at.PLAN_FIRST] :], m.plan[m.plan[at.PLAN_REACH] :]
    for i in range(begin, end):
        if first[i] >= 0:
            s, l = f[i], L[m.lower_of[i]]
            for k in range(reach[i], i):
                s -= l[k] * f[k]
            f[i] = s * l[i]


@kernel
def outward(m, w, f):
    """f (nu) becomes L^-T f."""
    L, first, reach = w.lower, m.plan[m.plan[at.PLAN_FIRST] :], m.plan[m.plan[at.PLAN_REACH] :]
    for i in range(f.shape[0] - 1, -1, -1):
        if first[i] >= 0:
            l = L[m.lower_of[i]]
            s = f[i] * l[i]
            f[i] = s
            for k in range(reach[i], i):
                f[k] -= l[k] * s


@kernel
def combine(m, w, c):
    """Row operations of link c into w.operations[c] (6, 6), by elimination with pivots of its own coordinates.

    The last k of them give the coordinates, the first ones are free of them. False if they are not independent.
    """
    rec, t, y = m.plan[record(m, c) :], w.operations[c], w.scratch
    k = rec[at.PLAN_K]
    n = 0
    for i in range(6):
        row = m.link[c, at.LINK_ROW + i]
        if row >= 0:
            for j in range(6):
                t[n, j] = 0.0
            t[n, n] = 1.0
            for j in range(k):
                y[n, j] = w.rows[m.line_of[row], rec[at.PLAN_E + j]]
            n += 1
    for j in range(k - 1, -1, -1):
        at_row = n - k + j  # which gives coordinate j
        best, big = 0, 0.0
        for i in range(at_row + 1):
            if abs(y[i, j]) > big:
                best, big = i, abs(y[i, j])
        if not big > SMALL:
            return False
        for l in range(k):
            y[best, l], y[at_row, l] = y[at_row, l], y[best, l]
        for l in range(n):
            t[best, l], t[at_row, l] = t[at_row, l], t[best, l]
        s = 1.0 / y[at_row, j]
        for l in range(k):
            y[at_row, l] *= s
        for l in range(n):
            t[at_row, l] *= s
        for i in range(n):
            f = y[i, j]
            if i != at_row and f != 0.0:
                for l in range(k):
                    y[i, l] -= f * y[at_row, l]
                for l in range(n):
                    t[i, l] -= f * t[at_row, l]
    return True


@kernel
def record(m, c):
    """Place of link c in the plan."""
    return m.plan[at.PLAN_LINKS] + c * at.PLAN_INTS


@kernel
def coupled(m, e):
    """The closing joint that owns velocity e, and the row that gives it; -1 if it is a body's."""
    owner = m.plan[m.plan[at.PLAN_OWNER] + e]
    if owner < 0:
        return -1, -1
    rec = m.plan[record(m, owner // 8) :]
    return owner // 8, rec[at.PLAN_ROW + rec[at.PLAN_FREE] + owner % 8]


@kernel
def clear_ranges(m, rec, y):
    """Zeros in a row of a link over the blocks that it acts on."""
    for k in range(rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES], 2):
        for e in range(m.plan[k], m.plan[k + 1]):
            y[e] = 0.0


@kernel
def turn_rows(m, w):
    """Rows T G of all links into w.solved, within their ranges; False if a joint's own rows fail."""
    plan, G, Y = m.plan, w.rows, w.solved
    for c in range(m.link.shape[0]):
        rec = m.plan[record(m, c) :]
        n = rec[at.PLAN_FREE] + rec[at.PLAN_K]
        first, ends = rec[at.PLAN_ENTRIES], rec[at.PLAN_ENTRIES] + 2 * rec[at.PLAN_NENTRIES]
        if rec[at.PLAN_K] > 0:
            if not combine(m, w, c):
                return False
            for i in range(n):
                y = Y[m.solved_of[rec[at.PLAN_ROW + i]]]
                clear_ranges(m, rec, y)
                for j in range(n):
                    f, g = w.operations[c, i, j], G[m.line_of[rec[at.PLAN_ROW + j]]]
                    if f != 0.0:
                        for k in range(first, ends, 2):
                            for e in range(plan[k], plan[k + 1]):
                                y[e] += f * g[e]
        else:
            for i in range(n):
                row = rec[at.PLAN_ROW + i]
                y, g = Y[m.solved_of[row]], G[m.line_of[row]]
                clear_ranges(m, rec, y)
                for k in range(first, ends, 2):
                    for e in range(plan[k], plan[k + 1]):
                        y[e] = g[e]
    for c in range(m.link.shape[0]):  # coordinates of closing joints in rows of couplings and drivers
        if m.link[c, at.LINK_KIND] == LINEAR and m.link[c, at.LINK_ROW] >= 0:
            row = m.link[c, at.LINK_ROW]
            for j in range(m.link[c, at.LINK_TERM], m.link[c, at.LINK_TERM] + m.link[c, at.LINK_COUNT]):
                joint, given = coupled(m, m.term[j, at.TERM_U])
                if joint >= 0:
                    rec, y, own = m.plan[record(m, joint) :], Y[m.solved_of[given]], Y[m.solved_of[row]]
                    for k in range(rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES], 2):
                        for e in range(plan[k], plan[k + 1]):
                            own[e] -= m.factor[j] * y[e]
    return True


@shared(TREE, WORK, TRUTH, gives=INT)
def factorize(m, w, by_tree):
    """Factors from w.rows within the plan, and from w.mass, or from inertias by the recursion (``by_tree``).

    Returns -1; or -2 where a joint's own rows fail, a state is not finite, or rows seem to depend on others, which
    little inertia may feign: then another way may still exist; or -3 where inertia was added.
    """
    plan, Y, S = m.plan, w.solved, w.schur
    order, low = m.plan[m.plan[at.PLAN_ORDER] :], m.plan[m.plan[at.PLAN_LOWS] :]
    if by_tree:
        result = -2 if articulated.articulate(m, w, w.force, articulated.CONSTRAINED) >= 0 else -1
    else:
        result = factor(m, w)
    if result == -2 or not turn_rows(m, w):
        return -2
    for c in range(m.link.shape[0]):  # Y^T = L^-1 G^T for the rows that are left
        rec = m.plan[record(m, c) :]
        for s in range(rec[at.PLAN_FREE]):
            y = Y[m.solved_of[rec[at.PLAN_ROW + s]]]
            if by_tree:
                solve_row(m, w, rec, y)
                continue
            for k in range(rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES], 2):
                inward(m, w, y, plan[k], plan[k + 1])
    for o in range(m.link.shape[0]):
        c = order[o]
        rec = m.plan[record(m, c) :]
        p0 = rec[at.PLAN_POS]
        for s in range(rec[at.PLAN_FREE]):
            row = S[m.schur_of[p0 + s]]
            for j in range(rec[at.PLAN_LOW], p0 + s + 1):
                row[j] = 0.0
        for k in range(rec[at.PLAN_PAIRS], rec[at.PLAN_PAIRS] + 3 * rec[at.PLAN_NPAIRS], 3):
            d = plan[k]
            other = m.plan[record(m, d) :]
            for s in range(rec[at.PLAN_FREE]):
                y, row = Y[m.solved_of[rec[at.PLAN_ROW + s]]], S[m.schur_of[p0 + s]]
                for r in range(s + 1 if d == c else other[at.PLAN_FREE]):
                    z = Y[m.solved_of[other[at.PLAN_ROW + r]]]
                    x = 0.0
                    for e in range(plan[k + 1], plan[k + 2]):
                        x += y[e] * z[e]
                    row[other[at.PLAN_POS] + r] += x
        for s in range(rec[at.PLAN_FREE]):
            i = p0 + s
            row = S[m.schur_of[i]]
            full = row[i]
            for j in range(rec[at.PLAN_LOW], i):
                x, before = row[j], S[m.schur_of[j]]
                for k in range(max(rec[at.PLAN_LOW], low[j]), j):
                    x -= row[k] * before[k]
                row[j] = x * before[j]
            x = full
            for k in range(rec[at.PLAN_LOW], i):
                x -= row[k] * row[k]
            if not x > (DEPENDENT if result == -3 else CLOSE) * full:
                return -2
            row[i] = 1.0 / math.sqrt(x)
    return result


@kernel
def solve_row(m, w, rec, y):
    """The sweep to the root for one row y (nu) of a link, whose record is rec; only its ranges of velocities count."""
    f, begin, end = w.force, rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES]
    for e in range(f.shape[0]):
        f[e] = 0.0
    for k in range(begin, end, 2):
        for e in range(m.plan[k], m.plan[k + 1]):
            f[e] = y[e]
    articulated.inward(m, w, f)
    for k in range(begin, end, 2):
        for e in range(m.plan[k], m.plan[k + 1]):
            y[e] = f[e]


@shared(TREE, WORK, VEC, VEC, TRUTH)
def solve(m, w, f, c, by_tree):
    """Solve in place: f (nu) becomes a, c (rows) becomes lam; needs ``factorize``."""
    plan, Y, S, x = m.plan, w.solved, w.schur, w.weight
    nl, ns, low = m.link.shape[0], 0, m.plan[m.plan[at.PLAN_LOWS] :]
    turn_sides(m, w, c)
    for l in range(nl):
        rec = m.plan[record(m, l) :]
        ns += rec[at.PLAN_FREE]
        for j in range(rec[at.PLAN_K]):  # what acts on a joint's own coordinates acts on the bodies
            y, push = Y[m.solved_of[rec[at.PLAN_ROW + rec[at.PLAN_FREE] + j]]], f[rec[at.PLAN_E + j]]
            for k in range(rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES], 2):
                for e in range(plan[k], plan[k + 1]):
                    f[e] -= push * y[e]
    if by_tree:
        articulated.inward(m, w, f)
    else:
        inward(m, w, f, 0, f.shape[0])
    for l in range(nl):
        rec = m.plan[record(m, l) :]
        for j in range(rec[at.PLAN_FREE]):
            row = rec[at.PLAN_ROW + j]
            s, y = -c[row], Y[m.solved_of[row]]
            for k in range(rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES], 2):
                for e in range(plan[k], plan[k + 1]):
                    s += y[e] * f[e]
            x[rec[at.PLAN_POS] + j] = s
    for i in range(ns):
        s, row = x[i], S[m.schur_of[i]]
        for k in range(low[i], i):
            s -= row[k] * x[k]
        x[i] = s * row[i]
    for i in range(ns - 1, -1, -1):
        row = S[m.schur_of[i]]
        s = x[i] * row[i]
        x[i] = s
        for k in range(low[i], i):
            x[k] -= row[k] * s
    for l in range(nl):
        rec = m.plan[record(m, l) :]
        for j in range(rec[at.PLAN_FREE]):
            y, s = Y[m.solved_of[rec[at.PLAN_ROW + j]]], x[rec[at.PLAN_POS] + j]
            for k in range(rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES], 2):
                for e in range(plan[k], plan[k + 1]):
                    f[e] -= s * y[e]
    if by_tree:
        articulated.outward(m, w, f)
    else:
        outward(m, w, f)
    turn_back(m, w, f, c)


@kernel
def turn_sides(m, w, c):
    """c = T c."""
    for l in range(m.link.shape[0]):
        rec = m.plan[record(m, l) :]
        if rec[at.PLAN_K] > 0:
            n = rec[at.PLAN_FREE] + rec[at.PLAN_K]
            for i in range(n):
                s = 0.0
                for j in range(n):
                    s += w.operations[l, i, j] * c[rec[at.PLAN_ROW + j]]
                w.scratch[0, i] = s
            for i in range(n):
                c[rec[at.PLAN_ROW + i]] = w.scratch[0, i]
    for l in range(m.link.shape[0]):
        row = m.link[l, at.LINK_ROW]
        if m.link[l, at.LINK_KIND] == LINEAR and row >= 0:
            for j in range(m.link[l, at.LINK_TERM], m.link[l, at.LINK_TERM] + m.link[l, at.LINK_COUNT]):
                joint, given = coupled(m, m.term[j, at.TERM_U])
                if joint >= 0:
                    c[row] -= m.factor[j] * c[given]


@kernel
def turn_back(m, w, f, c):
    """Accelerations of the joints' own coordinates into f; lam = T^T lam' from w.weight and what acts on them."""
    plan = m.plan
    for l in range(m.link.shape[0]):
        rec = m.plan[record(m, l) :]
        for j in range(rec[at.PLAN_K]):
            e0, row = rec[at.PLAN_E + j], rec[at.PLAN_ROW + rec[at.PLAN_FREE] + j]
            push = f[e0]
            s, y = c[row], w.solved[m.solved_of[row]]
            for k in range(rec[at.PLAN_RANGES], rec[at.PLAN_RANGES] + 2 * rec[at.PLAN_NRANGES], 2):
                for e in range(plan[k], plan[k + 1]):
                    s -= y[e] * f[e]
            f[e0] = s
            c[row] = push
        for j in range(rec[at.PLAN_FREE]):
            c[rec[at.PLAN_ROW + j]] = w.weight[rec[at.PLAN_POS] + j]
    for l in range(m.link.shape[0]):
        row = m.link[l, at.LINK_ROW]
        if m.link[l, at.LINK_KIND] == LINEAR and row >= 0:
            for j in range(m.link[l, at.LINK_TERM], m.link[l, at.LINK_TERM] + m.link[l, at.LINK_COUNT]):
                joint, given = coupled(m, m.term[j, at.TERM_U])
                if joint >= 0:
                    c[given] -= m.factor[j] * c[row]
    for l in range(m.link.shape[0]):
        rec = m.plan[record(m, l) :]
        if rec[at.PLAN_K] > 0:
            n = rec[at.PLAN_FREE] + rec[at.PLAN_K]
            for j in range(n):
                s = 0.0
                for i in range(n):
                    s += w.operations[l, i, j] * c[rec[at.PLAN_ROW + i]]
                w.scratch[0, j] = s
            for j in range(n):
                c[rec[at.PLAN_ROW + j]] = w.scratch[0, j]


@kernel
def remainder(m, w, f, c, a, lam, rf, rc):
    """rf (nu) = f - M a - G^T lam and rc (rows) = c - G a, within the plan."""
    plan, G, nu = m.plan, w.rows, f.shape[0]
    first = m.plan[m.plan[at.PLAN_FIRST] :]
    row_remainder(m, w, c, a, rc)
    for i in range(nu):
        rf[i] = f[i]
    if by_blocks(m):
        multifrontal.add_product(m, w.mass[0], a, -1.0, rf)
    else:
        for i in range(nu):
            j = first[i]
            if j >= 0:
                while j < nu and first[j] == first[i]:
                    rf[i] -= w.mass[0, i, j] * a[j]
                    j += 1
    for l in range(m.link.shape[0]):
        rec = m.plan[record(m, l) :]
        if m.link[l, at.LINK_KIND] == LINEAR:
            row = m.link[l, at.LINK_ROW]
            if row >= 0:
                for j in range(m.link[l, at.LINK_TERM], m.link[l, at.LINK_TERM] + m.link[l, at.LINK_COUNT]):
                    rf[m.term[j, at.TERM_U]] -= m.factor[j] * lam[row]
            continue
        for i in range(rec[at.PLAN_FREE] + rec[at.PLAN_K]):
            row = rec[at.PLAN_ROW + i]
            push, g = lam[row], G[m.line_of[row]]
            for k in range(rec[at.PLAN_ENTRIES], rec[at.PLAN_ENTRIES] + 2 * rec[at.PLAN_NENTRIES], 2):
                for e in range(plan[k], plan[k + 1]):
                    rf[e] -= g[e] * push
            for k in range(rec[at.PLAN_K]):
                e = rec[at.PLAN_E + k]
                rf[e] -= g[e] * push


@kernel
def row_remainder(m, w, c, a, rc):
    """rc (rows) = c - G a, within the plan; returns the largest of all terms."""
    plan, G, largest = m.plan, w.rows, 0.0
    for l in range(m.link.shape[0]):
        rec = m.plan[record(m, l) :]
        if m.link[l, at.LINK_KIND] == LINEAR:
            row = m.link[l, at.LINK_ROW]
            if row >= 0:
                s = c[row]
                largest = max(largest, abs(s))
                for j in range(m.link[l, at.LINK_TERM], m.link[l, at.LINK_TERM] + m.link[l, at.LINK_COUNT]):
                    x = m.factor[j] * a[m.term[j, at.TERM_U]]
                    largest = max(largest, abs(x))
                    s -= x
                rc[row] = s
            continue
        for i in range(rec[at.PLAN_FREE] + rec[at.PLAN_K]):
            row = rec[at.PLAN_ROW + i]
            s, g = c[row], G[m.line_of[row]]
            largest = max(largest, abs(s))
            for k in range(rec[at.PLAN_ENTRIES], rec[at.PLAN_ENTRIES] + 2 * rec[at.PLAN_NENTRIES], 2):
                for e in range(plan[k], plan[k + 1]):
                    x = g[e] * a[e]
                    largest = max(largest, abs(x))
                    s -= x
            for k in range(rec[at.PLAN_K]):
                x = g[rec[at.PLAN_E + k]] * a[rec[at.PLAN_E + k]]
                largest = max(largest, abs(x))
                s -= x
            rc[row] = s
    return largest
