"""Motion under constraint rows by fronts (``core/blocks.py``): M a + G^T lam = f, G a = c.

It serves where the mass matrix and the rows cannot be eliminated one after the other (``core/elimination.py``): a body without
inertia of its own, a closing joint whose rows do not give its coordinates. It is Newton's matrix of a step of no length: mu and
the states of controllers stand alone, by ones on the diagonal.
"""

from __future__ import annotations

from supple.core import block_products, block_solutions, blocks
from supple.core import layout as at
from supple.native.declare import block, integers, kernel

REPEATS = 4
ENOUGH = 1e-13  # of the largest terms: what is left after the last solution
RIGHT = 1e-7  # ... above which it is none
LARGEST = 1e12  # accelerations and multipliers, in units and mean inertias, for forces and rows of one: above they are not determined


@kernel
def factorize(m, w):
    """Factors from w.mass and w.rows. Returns -1; or a velocity without inertia; or nu plus a row that depends on others."""
    c, M, nothing = w.numbers[0], w.mass, block(w.force, 0, 0, 0)
    for k in range(blocks.COEFFICIENTS):
        c[k] = 0.0
    c[blocks.C_M], c[blocks.C_POSITION], c[blocks.C_Z], c[blocks.C_OWN] = 1.0, 1.0, 1.0, 1.0
    bad = blocks.block_factors(
        m, M, w.rows, w.rows, nothing, nothing, nothing, nothing, w.numbers, w.front_stack, w.front_factors, pivots(w)[0]
    )
    if bad >= 0:
        return blamed(m, w, bad)
    return undetermined(m, w)


@kernel
def undetermined(m, w):
    """What the equations leave open, like ``factorize``; -1 if all is determined.

    Along what is open, forces and rows without order have no solution, or one that is far too large: next to no inertia, and
    pivots that are rounding or what stands for them, are no reason to trust it.
    """
    f, c, n, mean = w.force, w.weight, w.force.shape[0], 0.0
    for k in range(n):
        mean += w.mass[0, m.row_of[k], k] * m.unit[k] * m.unit[k] / n
    mean = mean if mean > 0.0 else 1.0
    for k in range(n):
        f[k] = mean * (1.0 + (0.618 * k) % 1.0) / m.unit[k]
    for i in range(c.shape[0]):
        c[i] = 1.0 + (0.618 * i) % 1.0
    solved, worst, found = solve(m, w, f, c) < 0, 0.0, 0
    for k in range(n):
        if not abs(f[k]) / m.unit[k] <= worst:
            worst, found = abs(f[k]) / m.unit[k], k
    for i in range(c.shape[0]):
        if not abs(c[i]) / mean <= worst:
            worst, found = abs(c[i]) / mean, n + i
    return -1 if solved and worst < LARGEST else found


@kernel
def pivots(w):
    """Exchanges of rows, integers in the workspace."""
    return (integers(w.pivots),)


@kernel
def blamed(m, w, front):
    """What fails in a front: the first of its velocities without inertia, or nu plus the last of its rows."""
    p = blocks.plan_of(m)[0]
    row = block(m.plan, m.plan[at.PLAN_NEWTON] + p[blocks.TABLE] + front * blocks.FRONT_INTS, blocks.FRONT_INTS)
    place, first, end = p[p[blocks.PLACE] :], row[blocks.FIRST], row[blocks.FIRST] + row[blocks.PIVOTS]
    nu, nz, found = w.force.shape[0], w.zdot.shape[0], 0
    for k in range(nu):
        if first <= place[k] and place[k] < end:
            if not w.mass[0, m.row_of[k], k] > 0.0:
                return k
            found = k
    for i in range(w.lam.shape[0]):
        k = place[nu + nz + i]
        if first <= k and k < end:
            found = nu + i
    return found


@kernel
def solve(m, w, f, c):
    """Solve in place: f (nu) becomes a, c (rows) becomes lam; needs ``factorize``. Returns like it.

    Rows are exchanged within fronts only, so a solution may lack digits: what is left of the right sides is solved for again.
    """
    n, nr, d, e, given = f.shape[0], c.shape[0], w.rest_force, w.rest_gap, w.given_force
    for k in range(n):
        given[k] = f[k]
        f[k] = 0.0
    for i in range(nr):
        w.given_gap[i] = c[i]
        c[i] = 0.0
    for it in range(REPEATS):
        left = remainder(m, w, f, c, d, e)
        if it > 0 and left <= ENOUGH:
            return -1
        solve_once(m, w, d, e)
        for k in range(n):
            f[k] += d[k]
        for i in range(nr):
            c[i] += e[i]
    if remainder(m, w, f, c, d, e) <= RIGHT:
        return -1
    worst, found = 0.0, 0
    for i in range(nr):
        if not abs(e[i]) <= worst:
            worst, found = abs(e[i]), n + i
    return found


@kernel
def remainder(m, w, f, c, d, e):
    """d = given force - M f - G^T c, e = given gap - G f; returns the larger of both, each as a part of its largest terms."""
    n, push, pull, missing, turn = f.shape[0], 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        d[k] = w.given_force[k]
        push, turn = max(push, abs(d[k]) * m.unit[k]), max(turn, abs(f[k]) / m.unit[k])
    turn *= max(1.0, m.length)  # rows are angles or lengths
    for i in range(c.shape[0]):
        e[i] = w.given_gap[i]
        turn = max(turn, abs(e[i]))
    block_products.add_columns(m, w.rows, c, -1.0, d)
    for k in range(n):
        push = max(push, abs(d[k]) * m.unit[k])
    block_products.add_product(m, w.mass[0], f, -1.0, d)
    block_products.add_rows(m, w.rows, f, -1.0, e)
    for k in range(n):
        pull = max(pull, abs(d[k]) * m.unit[k])
    for i in range(c.shape[0]):
        missing = max(missing, abs(e[i]))
    return max(pull / push if push > 0.0 else pull, missing / turn if turn > 0.0 else missing)


@kernel
def solve_once(m, w, f, c):
    """Solve in place with the factors."""
    x, nu, nz, nr = w.sides[0], f.shape[0], w.zdot.shape[0], c.shape[0]
    for k in range(x.shape[0]):
        x[k] = 0.0
    for k in range(nu):
        x[k] = f[k]
    for i in range(nr):
        x[nu + nz + i] = c[i]
    block_solutions.block_solve(m, w.front_factors, pivots(w)[0], w.sides[0:1], w.sides[1:3])
    for k in range(nu):
        f[k] = x[k]
    for i in range(nr):
        c[i] = x[nu + nz + i]
