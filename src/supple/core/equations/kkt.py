"""Motion under constraint rows: M a + G^T lam = f, G a = c, by two Cholesky factorizations.

The closing joints of loops bring coordinates without mass, so M alone may be singular. M + G^T W G is positive
definite wherever the constrained motion has mass, and leaves the solution as it is:

    (M + G^T W G) a + G^T lam' = f + G^T W c      lam = lam' + W (G a - c) = lam'

The weights make each row's term as large as the mean of M, all measured in the increments' units.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import chart, tree
from supple.core.equations import elimination, kkt_fronts
from supple.core.forces import constraint_rows as links
from supple.core.linalg import dense as linalg
from supple.core.linalg.multifrontal import by_blocks
from supple.native.declare import INT, VEC, kernel, shared

# What the factors are of: all together, blocks, blocks with inertia added, blocks in order N, fronts
DENSE, BLOCKS, ADDED, ARTICULATED, FRONTS = 0.0, 1.0, 2.0, 3.0, 4.0
REPEATS, CORRECTIONS = 8, 3
ROUNDING = 4e-15  # more than sums over few terms have: where solutions are repeated or not by chance, they are noise to a method


@kernel
def weight(m, w, i):
    """W of row i: the mean of M over the row's own square."""
    mean, square = 0.0, 0.0
    n = m.unit.shape[0]
    for k in range(n):
        s = m.unit[k] * m.unit[k]
        mean += w.mass[0, k, k] * s
        square += w.rows[i, k] * w.rows[i, k] * s
    if mean == 0.0:  # nothing that can move has mass
        mean = 1.0
    return mean / (n * square) if square > 0.0 else 0.0


@shared(TREE, WORK, gives=INT)
def factorize(m, w):
    """Factors for ``solve`` from inertias and w.rows, by blocks if they allow it.

    Returns -1; or the velocity whose pivot fails: it moves no mass; or nu plus the row that depends on others.
    """
    w.factors[0] = DENSE
    usable = m.plan[at.PLAN_USABLE] == 1 and m.head[at.H_WAY] != at.DENSE
    if usable and m.head[at.H_WAY] == at.TREE_WAY and elimination.factorize(m, w, True) == -1:
        w.factors[0] = ARTICULATED
        return -1
    tree.composite(m, w, w.mass[0])
    if usable:
        bad = elimination.factorize(m, w, False)
        if bad == -3 and held(m, w):
            w.factors[0] = ADDED
            return -1
        if bad > -2:
            w.factors[0] = BLOCKS
            return bad
    return factorize_otherwise(m, w)


@shared(TREE, WORK, gives=INT)
def factorize_otherwise(m, w):
    """Factors where the plan of the elimination does not serve: by fronts, or of all together."""
    if not by_blocks(m):
        w.factors[0] = DENSE
        return factorize_dense(m, w)
    w.factors[0] = FRONTS
    return kkt_fronts.factorize(m, w)


@kernel
def held(m, w):
    """True if constraints hold every coordinate that inertia was added to.

    Then a force of the size of the added inertia, which would accelerate the free coordinate by 1, gives much less.
    """
    n, nr = w.added.shape[0], w.gap.shape[0]
    d, e = w.given_force, w.given_gap
    for k in range(n):
        d[k] = w.added[k]
    for i in range(nr):
        e[i] = 0.0
    elimination.solve(m, w, d, e, False)
    for k in range(n):
        if w.added[k] > 0.0 and not abs(d[k]) < 0.1:
            return False
    return True


@kernel
def factorize_dense(m, w):
    """Factors of M + G^T W G, in w.lower, and of the Schur complement."""
    n, nr, M = w.mass.shape[1], w.rows.shape[0], w.mass[0]
    for i in range(nr):
        w.weight[i] = weight(m, w, i)
    for k in range(n):
        for j in range(k + 1):
            w.lower[k, j] = M[k, j]
    for i in range(nr):
        for k in range(n):
            x = w.weight[i] * w.rows[i, k]
            if x != 0.0:
                for j in range(k + 1):
                    w.lower[k, j] += x * w.rows[i, j]
    bad = linalg.cholesky(w.lower, w.lower)
    if bad >= 0:
        return bad
    for i in range(nr):  # rows of L^-1 G^T
        y = w.solved[i]
        for k in range(n):
            s = w.rows[i, k]
            for j in range(k):
                s -= w.lower[k, j] * y[j]
            y[k] = s * w.lower[k, k]
    return schur(w)


@kernel
def schur(w):
    """Factorize the Schur complement in place; returns -1, or nu plus the first dependent row."""
    n, nr = w.mass.shape[1], w.rows.shape[0]
    a = w.schur
    for i in range(nr):
        for j in range(i + 1):
            s = 0.0
            for k in range(n):
                s += w.solved[i, k] * w.solved[j, k]
            a[i, j] = s
    bad = factor_in_place(a)
    return n + bad if bad >= 0 else -1


@kernel
def factor_in_place(a):
    """Cholesky factor of the lower triangle, reciprocal diagonal; returns -1, or the first row that depends on others."""
    for i in range(a.shape[0]):
        full = a[i, i]
        for j in range(i):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s * a[j, j]
        s = full
        for k in range(i):
            s -= a[i, k] * a[i, k]
        if not s > 1e-14 * full:
            return i
        a[i, i] = 1.0 / math.sqrt(s)
    return -1


@shared(TREE, WORK, VEC, VEC, gives=INT)
def solve(m, w, f, c):
    """Solve in place: f (nu) becomes a, c (rows) becomes lam; needs ``factorize``. Returns like it.

    With added inertia the solution is not that of M, and rounding is large where it was added. What it lacks is a
    right side of the same system; it falls off quickly where constraints hold what has no inertia of its own.
    """
    if w.factors[0] == DENSE:
        solve_dense(w, f, c)
        return -1
    if w.factors[0] == FRONTS:
        return kkt_fronts.solve(m, w, f, c)
    if w.factors[0] == BLOCKS or w.factors[0] == ARTICULATED:
        solve_exactly(m, w, f, c)
        return -1
    n, nr = f.shape[0], c.shape[0]
    f0, c0, d, e = w.given_force, w.given_gap, w.rest_force, w.rest_gap
    for k in range(n):
        f0[k] = f[k]
        d[k] = f[k]
        f[k] = 0.0
    for i in range(nr):
        c0[i] = c[i]
        e[i] = c[i]
        c[i] = 0.0
    largest, old = 0.0, math.inf
    for _ in range(REPEATS):
        elimination.solve(m, w, d, e, False)
        size = 0.0
        for k in range(n):
            f[k] += d[k]
            size = max(size, abs(d[k]) / m.unit[k])
        for i in range(nr):
            c[i] += e[i]
        largest = max(largest, size)
        if size <= 1e-12 * largest:
            return -1
        if not size < 0.1 * old:
            break
        old = size
        elimination.remainder(m, w, f0, c0, f, c, d, e)
    if size <= 1e-9 * largest:  # rounding
        return -1
    for k in range(n):
        f[k] = f0[k]
    for i in range(nr):
        c[i] = c0[i]
    bad = factorize_otherwise(m, w)
    if bad >= 0:
        return bad
    if w.factors[0] == FRONTS:
        return kkt_fronts.solve(m, w, f, c)
    solve_dense(w, f, c)
    return -1


@kernel
def solve_exactly(m, w, f, c):
    """Solve in place by blocks, and again for what rows miss by more than rounding of their own terms, while that falls off.

    Accelerations are differences of what forces and what multipliers do. Where constraints leave little motion, or a body is
    light, both are larger, and so is the rounding that is left in the rows.
    """
    by_tree, c0, d, e = w.factors[0] == ARTICULATED, w.given_gap, w.rest_force, w.rest_gap
    for i in range(c.shape[0]):
        c0[i] = c[i]
    elimination.solve(m, w, f, c, by_tree)
    old = math.inf
    for _ in range(CORRECTIONS):
        largest, missed = elimination.row_remainder(m, w, c0, f, e), 0.0
        for i in range(e.shape[0]):
            missed = max(missed, abs(e[i]))
        if not missed > ROUNDING * largest or not missed < 0.1 * old:
            break
        old = missed
        for k in range(d.shape[0]):
            d[k] = 0.0
        elimination.solve(m, w, d, e, by_tree)
        for k in range(d.shape[0]):
            f[k] += d[k]
        for i in range(e.shape[0]):
            c[i] += e[i]


@kernel
def solve_dense(w, f, c):
    """``solve`` with the factors of ``factorize_dense``."""
    n, nr = f.shape[0], c.shape[0]
    for i in range(nr):
        s = w.weight[i] * c[i]
        for k in range(n):
            f[k] += s * w.rows[i, k]
    linalg.cholesky_solve(w.lower, f)
    for i in range(nr):
        s = -c[i]
        for k in range(n):
            s += w.rows[i, k] * f[k]
        c[i] = s
    linalg.cholesky_solve(w.schur, c)
    for k in range(n):
        s = 0.0
        for i in range(nr):
            s += w.solved[i, k] * c[i]
        w.force[k] = s
    for k in range(n - 1, -1, -1):  # L^T x = w.force, subtracted
        y = w.force[k] * w.lower[k, k]
        f[k] -= y
        for j in range(k):
            w.force[j] -= w.lower[k, j] * y


@kernel
def solve_once(m, w, f, c):
    """``solve`` for an iteration, whose next step mends what rounding leaves in the rows."""
    if w.factors[0] == BLOCKS or w.factors[0] == ARTICULATED:
        elimination.solve(m, w, f, c, w.factors[0] == ARTICULATED)
        return -1
    return solve(m, w, f, c)


@kernel
def positions(m, w, t, q, u, d, place):
    """Move q onto the constraints, as little as possible in the norm of M; d (nu), place (nq) are scratch.

    Leaves links and factors for ``velocities``. Returns the largest violation (rad, or m), or infinity where rows
    depend on each other.
    """
    nr = w.gap.shape[0]
    if nr == 0:
        return 0.0
    size = math.inf
    for it in range(8):
        tree.poses(m, w, q)
        tree.motion(m, w, u, u)
        links.refresh(m, w, t, q)
        links.violations(m, w, w.gap)
        largest = 0.0
        for i in range(nr):
            largest = max(largest, abs(w.gap[i]))
        small = not largest > 1e-15 * m.length or largest > 0.5 * size
        size = largest
        if it > 0 and small:
            break
        if it == 0 or it == 3:  # in between, the factors of the start converge well enough
            tree.inertias(m, w, q, u, u)
            links.jacobian(m, w, w.rows, m.line_of)
            if factorize(m, w) >= 0:
                return math.inf
        if small:
            break
        for k in range(d.shape[0]):
            d[k] = 0.0
        for i in range(nr):
            w.gap[i] = -w.gap[i]
        if solve_once(m, w, d, w.gap) >= 0:
            return math.inf
        chart.retract(m, q, d, place)
        for k in range(q.shape[0]):
            q[k] = place[k]
    return size


@kernel
def velocities(m, w, t, u, d):
    """Change u as little as possible so that it satisfies the rows; needs ``positions``."""
    for it in range(2):
        tree.motion(m, w, u, u)
        links.rates(m, w, t, u, w.gap)
        for k in range(d.shape[0]):
            d[k] = 0.0
        for i in range(w.gap.shape[0]):
            w.gap[i] = -w.gap[i]
        if it == 0:
            solve_once(m, w, d, w.gap)
        else:
            solve(m, w, d, w.gap)
        for k in range(u.shape[0]):
            u[k] += d[k]


@kernel
def pull(m, w, t, u, a, p, d, g):
    """Change the accelerations a so that g'' = -2 p g' - p^2 g (Baumgarte), as little as possible in the norm of M.

    Needs the factors of the state, w.lam takes part; d (nu) and g (rows) are scratch.
    """
    links.violations(m, w, g)
    links.rates(m, w, t, u, w.gap)
    for i in range(g.shape[0]):
        w.gap[i] = -p * (2.0 * w.gap[i] + p * g[i])
    for k in range(d.shape[0]):
        d[k] = 0.0
    solve(m, w, d, w.gap)
    for k in range(d.shape[0]):
        a[k] += d[k]
