"""Solutions with factors of Newton's matrix along the tree; see ``tree_newton`` for the symbols."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE
from supple.core.equations import tree_newton as axis
from supple.core.equations import tree_parts as tp
from supple.core.equations.tangents import dot6
from supple.core.equations.tree_newton import over, times
from supple.core.equations.tree_parts import ALONE, PAIR, PARTS, WIDE, J, dot
from supple.native.declare import INT, MAT, kernel, shared


@kernel
def push_back(m, p, n, parts):
    """b -= J^T w for the edge of node n, w its wrench so far."""
    w, y = p.w[n], p.y
    for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
        k, j = m.column[c, at.VELOCITY], p.column[c, J:]
        y[0, k] -= dot6(j, w)
        if parts == 2:
            y[1, k] -= dot6(j, w[6:])


@kernel
def solve_block(p, f, u0, k, n, parts):
    """y = D^-1 y for the k velocities from u0 on; then w += E y at node n."""
    a, b, y, pair = p.D[f, 0, u0:], p.D[f, 1, u0:], p.y, parts == 2
    for j in range(k):
        q = p.pivot[f, u0 + j]
        if q != j:
            for i in range(parts):
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
    w = p.w[n]
    for i in range(u0, u0 + k):
        e, s = p.E[f, i], y[0, i]
        for l in range(6):
            w[l] += e[l] * s
        if pair:
            r = y[1, i]
            for l in range(6):
                w[l] -= e[6 + l] * r
                w[6 + l] += e[l] * r + e[6 + l] * s


@kernel
def subtract_felt(p, f, u0, k, n, parts):
    """y -= R X for the k velocities from u0 on, with X of node n."""
    x, y = p.X[n], p.y
    for i in range(u0, u0 + k):
        r = p.R[f, i]
        s = dot(r, x)
        if parts == 2:
            s -= dot(r[WIDE:], x[WIDE:])
            y[1, i] -= dot(r, x[WIDE:]) + dot(r[WIDE:], x)
        y[0, i] -= s


@kernel
def move_on(m, p, f, n, parts):
    """X += Z y for the edge of node n."""
    x = p.X[n]
    for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
        k, z = m.column[c, at.VELOCITY], p.Z[f, c]
        s = p.y[0, k]
        if parts == 1:
            for j in range(WIDE):
                x[j] += s * z[j]
        else:
            r = p.y[1, k]
            for j in range(WIDE):
                x[j] += s * z[j] - r * z[WIDE + j]
                x[WIDE + j] += r * z[j] + s * z[WIDE + j]


@kernel
def sides_of_states(p, f):
    """Eliminate controllers' states from the right sides; their own come behind those of velocities."""
    y, nu = p.y, p.of.shape[0]
    for s in range(p.owner.shape[0]):
        x, k = p.state[f, s], p.owner[s]
        a, b = over(y[0, nu + s], y[1, nu + s], x[tp.PIVOT, 0], x[tp.PIVOT, 1])
        y[0, nu + s], y[1, nu + s] = a, b
        a, b = times(a, b, x[tp.UP, 0], x[tp.UP, 1])
        y[0, k] -= a
        y[1, k] -= b


@kernel
def solve_states(p, f):
    """Controllers' states from the velocities."""
    y, nu = p.y, p.of.shape[0]
    for s in range(p.owner.shape[0]):
        x, k = p.state[f, s], p.owner[s]
        a, b = times(y[0, k], y[1, k], x[tp.DOWN, 0], x[tp.DOWN, 1])
        a, b = over(a, b, x[tp.PIVOT, 0], x[tp.PIVOT, 1])
        y[0, nu + s] += a
        y[1, nu + s] += b


@shared(TREE, PARTS, INT, MAT)
def solve_tree(m, p, f, y):
    """Solve in place with factor number f: y (parts, nu + nz), velocities before controllers' states."""
    parts = y.shape[0]
    begin(m, p, f, y)
    outward(m, p, f, parts)
    solve_states(p, f)
    for i in range(parts):
        for k in range(p.y.shape[1]):
            y[i, k] = p.y[i, k]


@kernel
def begin(m, p, f, y):
    """D^-1 of the right sides y (parts, nu + nz) in p.y, and of what they do to blocks inboard."""
    parts = y.shape[0]
    for k in range(p.y.shape[1]):
        p.y[0, k], p.y[1, k] = y[0, k], y[1, k] if parts == 2 else 0.0
    sides_of_states(p, f)
    for k in range(p.of.shape[0]):
        if p.of[k, ALONE] == 1:
            solve_block(p, f, k, 1, 0, parts)
    inward(m, p, f, parts)


@kernel
def inward(m, p, f, parts):
    """From the tips to the root: D^-1 of the right sides, wrenches w."""
    node = m.node
    for n in range(node.shape[0]):
        for l in range(12):
            p.w[n, l] = 0.0
    for n in range(node.shape[0] - 1, 0, -1):
        motion = node[n, at.MOTION]
        if node[n, at.HEAVY] == at.FLEXIBLE:
            if motion == at.ELASTIC_IN:
                push_back(m, p, n, parts)
            b = m.flex[node[n, at.FLEX]]
            solve_block(p, f, b[at.FLEX_U0], b[at.FLEX_N], n, parts)
        if axis.is_axis(m, n):
            axis.push_axis(m, p, f, n, parts)
            continue
        if motion != at.ELASTIC_IN:
            push_back(m, p, n, parts)
            if motion != at.ELASTIC_OUT:
                solve_block(p, f, node[n, at.U0], node[n, at.COLUMNS], n, parts)
        w, below = p.w[n], p.w[node[n, at.PARENT]]
        for l in range(6 * parts):
            below[l] += w[l]


@kernel
def outward(m, p, f, parts):
    """From the root to the tips: what the motion of parents does."""
    node = m.node
    for j in range(PAIR):
        p.X[0, j] = 0.0
    for n in range(1, node.shape[0]):
        x, before, motion = p.X[n], p.X[node[n, at.PARENT]], node[n, at.MOTION]
        if axis.is_axis(m, n):
            axis.move_axis(m, p, f, n, parts)
        else:
            for j in range(WIDE * parts):
                x[j] = before[j]
            if motion < at.ELASTIC_OUT:
                subtract_felt(p, f, node[n, at.U0], node[n, at.COLUMNS], n, parts)
                move_on(m, p, f, n, parts)
        if node[n, at.HEAVY] == at.FLEXIBLE:
            b = m.flex[node[n, at.FLEX]]
            subtract_felt(p, f, b[at.FLEX_U0], b[at.FLEX_N], n, parts)
        if motion >= at.ELASTIC_OUT:
            move_on(m, p, f, n, parts)
