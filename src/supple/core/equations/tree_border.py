"""Newton's matrix along the tree with a border: force elements that couple two paths of the tree, or several joints.

What a node or a velocity feels of motions elsewhere is a line of the border: an unknown number s that pushes, and is read from
the solution. With the matrix N0 of ``tree_newton``, which has all entries on paths, columns P of pushes and rows V of readings,

    N y = N0 y + P s = b        s = V y        (1 + V N0^-1 P) s = V N0^-1 b        y = N0^-1 b - (N0^-1 P) s

An element between two nodes has twelve lines, six for the wrench on each node A along x = X_B - (1 - t) X_A; the matrices of A in N0 have
the rest, along X_A alone. With t = 1 this is the stiffness at A as if B stood still. Then stiff elements seem to hold joints inboard of both, and
s has to take that away again, with the loss of as many digits as the stiffness has beyond the inertia. With t = 0 they seem to be
absent, and N0 is nearly singular where they hold what has little inertia. A small t, SHARE, loses four digits at most either way; what
is left is solved for again. An element on several velocities has a line for each, for what it feels of the others.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, TREE_WORDS, WORK_WORDS, tree_at, work_at
from supple.core.base.wrench import SHARE, SIDE, last_column
from supple.core.equations import inner_states as inner
from supple.core.equations import tree_parts as tp
from supple.core.equations import tree_solve
from supple.core.equations.tree_newton import factor_tree, times
from supple.core.equations.tree_parts import PARTS, WIDE, J
from supple.core.equations.tree_solve import solve_tree
from supple.core.forces import forces
from supple.core.forces.callback import COUNT, TERM
from supple.core.linalg import dense as linalg
from supple.native.declare import (
    INT,
    INTS,
    IVEC,
    MAT,
    REAL,
    REALS,
    TRUTH,
    VEC,
    entry,
    hold,
    kernel,
    reserve,
    shared,
)

REPEATS = 6
SMALL = 1e-12  # a correction below this part of the solution leaves rounding of it


@kernel
def lines_of(m, e):
    """Number of lines of the border that element e has, and whether they are of velocities."""
    el = m.element[e]
    if el[at.LINES] < 0:
        return 0, False
    if el[at.KIND] == forces.GEAR:
        return 2, True
    if el[at.KIND] == forces.JOINT_FUNCTION or el[at.KIND] == forces.LINEAR_CONTROL:
        return el[COUNT], True
    return 2 * SIDE, False


@kernel
def velocity(m, e, i):
    """Velocity number i of an element on several."""
    el = m.element[e]
    if el[at.KIND] == forces.GEAR:
        return el[forces.GEAR_U1 + 2 * i]
    return m.term[el[TERM] + i, at.TERM_U]


@kernel
def push(m, p, e, i, y):
    """Add to y (nu) what line i of element e does to the rows."""
    _, of_velocities = lines_of(m, e)
    if of_velocities:
        y[velocity(m, e, i)] += 1.0
        return
    c = last_column(m, m.element[e, 1 + i // SIDE])
    while c >= 0:
        y[m.column[c, at.VELOCITY]] += p.column[c, J + i % SIDE]
        c = m.column[c, at.BEFORE]


@kernel
def read(m, p, f, y, s):
    """s (parts, lines) from a solution y (parts, nu + nz) with the columns of factor f."""
    pair, c, x = y.shape[0] == 2, p.c[f], p.t
    for e in range(m.element.shape[0]):
        count, of_velocities = lines_of(m, e)
        first = m.element[e, at.LINES]
        for i in range(count):
            a, b, row = 0.0, 0.0, p.reading[first + i]
            for j in range(count if of_velocities else 0):
                k = velocity(m, e, j)
                g = row[2 * j] * c[0, tp.CQ] + row[2 * j + 1] * c[0, tp.CU]
                h = row[2 * j] * c[1, tp.CQ] + row[2 * j + 1] * c[1, tp.CU] if pair else 0.0
                d, g = times(g, h, y[0, k], y[1, k] if pair else 0.0)
                a, b = a + d, b + g
            if not of_velocities:
                if i % SIDE == 0:
                    relative(m, p, f, m.element[e, 1 + i // SIDE], m.element[e, 2 - i // SIDE], y, x)
                    feel(m, p, f, e, x)
                for l in range(12):
                    a += row[l] * x[l]
                    b += row[l] * x[12 + l]
                if m.head[at.H_INNER] > 0:
                    a, b = a + p.small[2, i % SIDE], b + p.small[2, SIDE + i % SIDE]
            s[0, first + i] = a
            if pair:
                s[1, first + i] = b


@kernel
def feel(m, p, f, e, x):
    """Load of the inner states of element e along a relative motion x (24), into row 2 of p.small."""
    if m.head[at.H_INNER] > 0:
        inner.clear(p.small[2])
        first, count = inner.couples(m, p, e)
        if count > 0:
            inner.response(p, f, first, count, x, p.small[2])


@kernel
def relative(m, p, f, node, other, y, x):
    """x (24) = twist and displacement that y gives another node, less (1 - SHARE) times its own; real, then imaginary parts."""
    for l in range(24):
        x[l] = 0.0
    a, b = last_column(m, node), last_column(m, other)
    while a >= 0 or b >= 0:  # columns are numbered outwards, those on both paths are the first
        c = max(a, b)
        sign = SHARE if a == b else (SHARE - 1.0 if a > b else 1.0)
        z, k = p.Z[f, c, 6:], m.column[c, at.VELOCITY]
        g = sign * y[0, k]
        for l in range(12):
            x[l] += g * z[l]
        if y.shape[0] == 2:
            h = sign * y[1, k]
            for l in range(12):
                x[l] -= h * z[WIDE + l]
                x[12 + l] += h * z[l] + g * z[WIDE + l]
        if a == c:
            a = m.column[a, at.BEFORE]
        if b == c:
            b = m.column[b, at.BEFORE]


@shared(TREE, PARTS, INT, INT, gives=TRUTH)
def factor_bordered(m, p, f, parts):
    """``factor_tree``, and the border of factor f; False if a matrix is singular."""
    if not factor_tree(m, p, f, parts):
        return False
    lines = p.reading.shape[0]
    if lines == 0:
        return True
    for e in range(m.element.shape[0]):
        for i in range(lines_of(m, e)[0]):
            k = m.element[e, at.LINES] + i
            y = p.Y[f, k, :parts]
            for part in range(parts):
                for j in range(y.shape[1]):
                    y[part, j] = 0.0
            push(m, p, e, i, y[0])
            solve_tree(m, p, f, y)
            read(m, p, f, y, p.s)
            for j in range(lines):
                for part in range(parts):
                    p.S[f, part, j, k] = p.s[part, j]
                if j == k:
                    p.S[f, 0, j, k] += 1.0
    if parts == 1:
        return linalg.lu(p.S[f, 0], p.order[f])
    return linalg.lu_complex(p.S[f, 0], p.S[f, 1], p.order[f])


@shared(TREE, PARTS, INT, MAT)
def solve_bordered(m, p, f, y):
    """Solve in place with factor number f: y (parts, nu + nz), velocities before controllers' states.

    With a border it is solved again for what is left, as a rule once: each time leaves the same part of an error.
    """
    if p.reading.shape[0] == 0:
        solve_tree(m, p, f, y)
        return
    parts, given, left = y.shape[0], p.given, p.left[: y.shape[0]]
    for part in range(parts):
        for k in range(y.shape[1]):
            given[part, k] = y[part, k]
    solve_once(m, p, f, y)
    before = math.inf
    for _ in range(REPEATS):
        remainder(m, p, f, y, given, left)
        solve_once(m, p, f, left)
        size, more = 0.0, 0.0
        for part in range(parts):
            for k in range(y.shape[1]):
                unit = m.unit[k] if k < m.unit.shape[0] else 1.0
                size, more = max(size, abs(y[part, k]) / unit), max(more, abs(left[part, k]) / unit)
        if not more < 0.5 * before:
            return  # the border is nearly singular here
        before = more
        for part in range(parts):
            for k in range(y.shape[1]):
                y[part, k] += left[part, k]
        if not more > SMALL * size:
            return


@kernel
def solve_once(m, p, f, y):
    """Solve in place by the factor along the tree and the border's."""
    lines, parts = p.reading.shape[0], y.shape[0]
    solve_tree(m, p, f, y)
    read(m, p, f, y, p.s)
    if parts == 1:
        linalg.lu_solve(p.S[f, 0], p.order[f], p.s[0])
    else:
        linalg.lu_complex_solve(p.S[f, 0], p.S[f, 1], p.order[f], p.s[0], p.s[1])
    for k in range(lines):
        x, a, b = p.Y[f, k], p.s[0, k], p.s[1, k]
        for j in range(y.shape[1]):
            y[0, j] -= a * x[0, j]
        if parts == 2:
            for j in range(y.shape[1]):
                y[0, j] += b * x[1, j]
                y[1, j] -= a * x[1, j] + b * x[0, j]


@kernel
def remainder(m, p, f, y, given, left):
    """left = given - N y (parts, nu + nz) with the coefficients of factor f."""
    parts, c, nu = y.shape[0], p.c[f], p.of.shape[0]
    for k in range(nu):
        a, b = y[0, k], y[1, k] if parts == 2 else 0.0
        for i in range(3):  # CQ, CU, CA
            g, h = times(c[0, i], c[1, i] if parts == 2 else 0.0, a, b)
            p.moved[i, 0, k], p.moved[i, 1, k] = g, h
    change(m, p, p.moved[0, :parts], p.moved[1, :parts], p.moved[2, :parts], left[:, :nu])
    for part in range(parts):
        for k in range(nu):
            left[part, k] = given[part, k] - left[part, k]
    if m.head[at.H_INNER] > 0:
        inner.add_loads(m, p, f, p.moved[0, :parts], p.moved[1, :parts], left)
    for s in range(p.owner.shape[0]):
        x, k = p.state[f, s], p.owner[s]
        for part in range(parts):  # of real factors imaginary parts are zero
            left[part, nu + s] = given[part, nu + s]
            other = parts - 1 - part
            for i in range(2 if parts == 2 else 1):
                j, sign = part if i == 0 else other, -1.0 if i == 1 and part == 0 else 1.0
                left[part, k] -= sign * x[tp.UP, i] * y[j, nu + s]
                left[part, nu + s] -= sign * (x[tp.PIVOT, i] * y[j, nu + s] - x[tp.DOWN, i] * y[j, k])


@shared(TREE, PARTS, MAT, MAT, MAT, MAT)
def change(m, p, yq, yu, ya, out):
    """out = Rq yq + Ru yu + M ya for up to VECTORS rows (nu); yu and ya may have no rows."""
    tp.begin_change(m, p, yq, yu, ya, out)
    for e in range(m.element.shape[0]):
        count, of_velocities = lines_of(m, e)
        first = m.element[e, at.LINES]
        for i in range(count):
            row = p.reading[first + i]
            for v in range(yq.shape[0]):
                s = 0.0
                if of_velocities:
                    for j in range(count):
                        k = velocity(m, e, j)
                        s += row[2 * j] * yq[v, k] + (row[2 * j + 1] * yu[v, k] if yu.shape[0] > 0 else 0.0)
                    out[v, velocity(m, e, i)] += s
                else:
                    a, b = m.element[e, 1 + i // SIDE], m.element[e, 2 - i // SIDE]
                    x, y = p.X[a, WIDE * v + 6 :], p.X[b, WIDE * v + 6 :]
                    for l in range(12):
                        s += row[l] * (y[l] - x[l] + SHARE * x[l])
                    p.w[a, 6 * v + i % SIDE] += s
    tp.end_change(m, p, yq, yu, ya, out)


@kernel
def solve_with_inner(m, p, y):
    """``solve_bordered`` with factor 0; inner states are behind all other unknowns in y."""
    parts, n = y.shape[0], p.whole.shape[1]
    whole, c = p.whole[:parts], p.c[0]
    for part in range(parts):
        for k in range(n):
            whole[part, k] = y[part, k]
        for i in range(p.side.shape[1]):
            p.side[part, i] = y[part, n + i]
    inner.follow(m, p, 1.0, whole, 0.0, whole, 0.0)
    inner.settle(m, p, 0, 0, parts)
    inner.push(m, p, c[0, tp.CZ], whole)
    solve_bordered(m, p, 0, whole)
    for part in range(parts):
        for k in range(n):
            y[part, k] = whole[part, k]
    for k in range(p.of.shape[0]):
        a, b = y[0, k], y[1, k] if parts == 2 else 0.0
        for i in range(2):  # CQ, CU
            g, h = times(c[0, i], c[1, i] if parts == 2 else 0.0, a, b)
            p.moved[i, 0, k], p.moved[i, 1, k] = g, h
    ratio = c[0, tp.DU] / c[0, tp.CU]
    inner.follow(m, p, 1.0, p.moved[0, :parts], ratio, p.moved[1, :parts], ratio)
    inner.settle(m, p, 0, 0, parts)
    for part in range(parts):
        for i in range(p.side.shape[1]):
            y[part, n + i] = p.rate[part, i]


@entry(INTS, REALS, VEC, VEC, IVEC, REAL, VEC, VEC, VEC, VEC, VEC, MAT, MAT)
def newton_along_tree(ints, reals, work, run, count, t, q, u, a, z, r, c, y):
    """Residual r at a state, and y (parts, nu + nz) solved for with the coefficients c (parts, ...); see ``factor_tree``.

    run and count are the buffers of one factor. Returns 1, or 0 if a block is singular; dq/cq = du/cu is real. Without rows of c: the tangents alone.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    parts_views, _, _ = tp.cut_parts(m.head, run, 0, count, 0, 1)
    p = hold(parts_views)
    tp.differentiate_tree(m, w, p, t, q, u, a, z, r)
    if c.shape[0] == 0:
        return 1
    for i in range(2):
        for k in range(c.shape[1]):
            p.c[0, i, k] = c[i, k] if i < c.shape[0] else 0.0
    if not factor_bordered(m, p, 0, c.shape[0]):
        return 0
    if m.head[at.H_INNER] > 0:
        solve_with_inner(m, p, y)
    else:
        solve_bordered(m, p, 0, y)
    return 1


@entry(INTS, REALS, VEC, VEC, IVEC, MAT, MAT, MAT, MAT)
def change_along_tree(ints, reals, work, run, count, yq, yu, ya, out):
    """out = Rq yq + Ru yu + M ya for up to three rows (nu) at the state of ``newton_along_tree``."""
    m = tree_at(ints, reals, reserve(TREE_WORDS))
    parts_views, _, _ = tp.cut_parts(m.head, run, 0, count, 0, 1)
    change(m, hold(parts_views), yq, yu, ya, out)


@entry(INTS, REALS, VEC, VEC, IVEC, MAT, VEC)
def downhill_along_tree(ints, reals, work, run, count, turn, y):
    """Solve in place for y (nu) with the real factor of ``newton_along_tree``, |D| in place of the symmetric pivot blocks D.

    turn (nu, largest block) has the rows of |D|^-1 D; there is no border, and controllers have no states.
    """
    m = tree_at(ints, reals, reserve(TREE_WORDS))
    parts_views, _, _ = tp.cut_parts(m.head, run, 0, count, 0, 1)
    p = hold(parts_views)
    tree_solve.begin(m, p, 0, y.reshape((1, y.shape[0])))
    for k in range(y.shape[0]):
        s = 0.0
        for j in range(p.of[k, tp.COUNT]):
            s += turn[k, j] * p.y[0, p.of[k, tp.FIRST] + j]
        y[k] = s
    for k in range(y.shape[0]):
        p.y[0, k] = y[k]
    tree_solve.outward(m, p, 0, 1)
    for k in range(y.shape[0]):
        y[k] = p.y[0, k]
