"""Solutions with factors of Newton's matrix along the tree; see ``tree_newton`` for the symbols."""

from __future__ import annotations

from supple.core import layout as at
from supple.core import tree_parts as tp
from supple.core.layout import TREE, views
from supple.core.tree_newton import factor_tree, over, subtract_rows, times
from supple.core.tree_parts import ALONE, PAIR, PARTS, WIDE, J
from supple.native.declare import (
    INT,
    INTS,
    IVEC,
    MAT,
    REAL,
    REALS,
    VEC,
    entry,
    hold,
    kernel,
    shared,
)


@kernel
def push_back(m, p, f, n, w, y):
    """b -= J^T w for the edge of node n, w its wrench so far."""
    for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
        k, j = m.column[c, at.VELOCITY], p.column[c, J]
        for i in range(y.shape[0]):
            s = w[6 * i :]
            y[i, k] -= j[0] * s[0] + j[1] * s[1] + j[2] * s[2] + j[3] * s[3] + j[4] * s[4] + j[5] * s[5]


@kernel
def solve_block(p, f, u0, k, y):
    """y = D^-1 y for the k velocities from u0 on."""
    a, b, pair = p.D[f, 0, u0:], p.D[f, 1, u0:], y.shape[0] == 2
    for j in range(k):
        q = p.pivot[f, u0 + j]
        if q != j:
            for i in range(y.shape[0]):
                y[i, u0 + j], y[i, u0 + q] = y[i, u0 + q], y[i, u0 + j]
    for step in range(2 * k):
        i = step if step < k else 2 * k - 1 - step
        first, end = (0, i) if step < k else (i + 1, k)
        s, r = y[0, u0 + i], y[1, u0 + i] if pair else 0.0
        for j in range(first, end):
            s -= a[i, j] * y[0, u0 + j]
            if pair:
                s += b[i, j] * y[1, u0 + j]
                r -= a[i, j] * y[1, u0 + j] + b[i, j] * y[0, u0 + j]
        if step >= k:
            s, r = times(s, r, a[i, i], b[i, i] if pair else 0.0)
        y[0, u0 + i] = s
        if pair:
            y[1, u0 + i] = r


@kernel
def pull_on(p, f, u0, k, w, y):
    """w += E y for the k velocities from u0 on."""
    for i in range(u0, u0 + k):
        for c in range(y.shape[0]):
            e, s = p.E[f, i, 6 * c :], y[0, i]
            for l in range(6):
                w[6 * c + l] += e[l] * s
            if y.shape[0] == 2:
                g = y[1, i] if c == 0 else -y[1, i]
                for l in range(6):
                    w[6 * (1 - c) + l] += e[l] * g


@kernel
def subtract_felt(p, f, u0, k, x, y):
    """y -= R x for the k velocities from u0 on."""
    for i in range(u0, u0 + k):
        for c in range(y.shape[0]):
            for d in range(y.shape[0]):
                s = tp.dot(p.R[f, i, WIDE * c :], x[WIDE * d :])
                y[(c + d) % 2, i] -= -s if c + d == 2 else s


@kernel
def move_on(m, p, f, n, x, y):
    """x += Z y for the edge of node n."""
    for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
        k = m.column[c, at.VELOCITY]
        subtract_rows(-y[0, k], -y[1, k] if y.shape[0] == 2 else 0.0, p.Z[f, c], x, y.shape[0])


@kernel
def sides_of_states(p, f, y):
    """What the elimination of controllers' states does to the right sides; their own come behind those of velocities."""
    nu = p.of.shape[0]
    for s in range(p.owner.shape[0]):
        x, k = p.state[f, s], nu + s
        a, b = over(y[0, k], y[1, k] if y.shape[0] == 2 else 0.0, x[tp.PIVOT, 0], x[tp.PIVOT, 1])
        y[0, k] = a
        if y.shape[0] == 2:
            y[1, k] = b
        a, b = times(a, b, x[tp.UP, 0], x[tp.UP, 1])
        y[0, p.owner[s]] -= a
        if y.shape[0] == 2:
            y[1, p.owner[s]] -= b


@kernel
def solve_states(p, f, y):
    """Controllers' states from the velocities."""
    nu = p.of.shape[0]
    for s in range(p.owner.shape[0]):
        x, k = p.state[f, s], p.owner[s]
        a, b = times(y[0, k], y[1, k] if y.shape[0] == 2 else 0.0, x[tp.DOWN, 0], x[tp.DOWN, 1])
        a, b = over(a, b, x[tp.PIVOT, 0], x[tp.PIVOT, 1])
        y[0, nu + s] += a
        if y.shape[0] == 2:
            y[1, nu + s] += b


@shared(TREE, PARTS, INT, MAT)
def solve_tree(m, p, f, y):
    """Solve in place with factor number f: y (parts, nu + nz), velocities before controllers' states."""
    node = m.node
    sides_of_states(p, f, y)
    for k in range(p.of.shape[0]):
        if p.of[k, ALONE] == 1:
            solve_block(p, f, k, 1, y)
    for n in range(node.shape[0]):
        for l in range(12):
            p.w[n, l] = 0.0
    for n in range(node.shape[0] - 1, 0, -1):
        w, motion = p.w[n], node[n, at.MOTION]
        flexible = node[n, at.HEAVY] == at.FLEXIBLE
        edges = 2 if flexible and motion != at.ELASTIC_IN else 1
        for which in range(edges):
            u0, k = node[n, at.U0], node[n, at.COLUMNS]
            if motion == at.ELASTIC_IN or edges - which == 2:
                u0, k = m.flex[node[n, at.FLEX], at.FLEX_U0], m.flex[node[n, at.FLEX], at.FLEX_N]
            if edges - which == 1:
                push_back(m, p, f, n, w, y)
            if motion != at.ELASTIC_OUT:
                solve_block(p, f, u0, k, y)
                pull_on(p, f, u0, k, w, y)
        for l in range(12):
            p.w[node[n, at.PARENT], l] += w[l]
    for j in range(PAIR):
        p.X[0, j] = 0.0
    for n in range(1, node.shape[0]):
        x, before, motion = p.X[n], p.X[node[n, at.PARENT]], node[n, at.MOTION]
        for j in range(PAIR):
            x[j] = before[j]
        if motion != at.ELASTIC_OUT and motion != at.ELASTIC_IN:
            subtract_felt(p, f, node[n, at.U0], node[n, at.COLUMNS], x, y)
            move_on(m, p, f, n, x, y)
        if node[n, at.HEAVY] == at.FLEXIBLE:
            b = m.flex[node[n, at.FLEX]]
            subtract_felt(p, f, b[at.FLEX_U0], b[at.FLEX_N], x, y)
        if motion == at.ELASTIC_OUT or motion == at.ELASTIC_IN:
            move_on(m, p, f, n, x, y)
    solve_states(p, f, y)


@entry(INTS, REALS, VEC, VEC, IVEC, REAL, VEC, VEC, VEC, VEC, VEC, MAT, MAT)
def newton_along_tree(ints, reals, work, run, count, t, q, u, a, z, r, c, y):
    """Residual r at a state, and y (parts, nu + nz) solved for with the coefficients c (parts, ...); see ``factor_tree``.

    run and count are the buffers of one factor. Returns 1, or 0 if a block is singular.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    parts_views, _, _ = tp.cut_parts(m.head, run, 0, count, 0, 1)
    p = hold(parts_views)
    tp.differentiate_tree(m, w, p, t, q, u, a, z, r)
    for i in range(c.shape[0]):
        for k in range(c.shape[1]):
            p.c[0, i, k] = c[i, k]
    if not factor_tree(m, p, 0, c.shape[0]):
        return 0
    solve_tree(m, p, 0, y)
    return 1


@entry(INTS, REALS, VEC, VEC, IVEC, VEC, VEC, VEC, VEC)
def change_along_tree(ints, reals, work, run, count, yq, yu, ya, out):
    """out (nu) = Rq yq + Ru yu + M ya at the state of ``newton_along_tree``."""
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    parts_views, _, _ = tp.cut_parts(m.head, run, 0, count, 0, 1)
    tp.tree_change(m, hold(parts_views), yq, yu, ya, out)
