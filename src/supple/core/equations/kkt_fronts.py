"""Motion under constraint rows by fronts (``core/linalg/multifrontal.py``): M a + G^T lam = f, G a = c.

It serves where the mass matrix and the rows cannot be eliminated one after the other (``core/equations/elimination.py``): a body without
inertia of its own, a closing joint whose rows do not give its coordinates. It is Newton's matrix of a step of no length: mu and
the states of controllers stand alone, by ones on the diagonal. Fronts of bodies without inertia would be singular, so M has the
terms of ``core/equations/kkt.py`` in the factors, which leave the solution as it is:

    (M + G^T W G) a + G^T lam = f + G^T W c
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import last_column
from supple.core.bodies import tree
from supple.core.forces.constraint_rows import LINEAR, holds_rate
from supple.core.linalg import multifrontal as blocks
from supple.core.linalg.row_sizes import row_sizes
from supple.native.declare import INT, VEC, block, integers, kernel, shared

REPEATS = 12
ENOUGH = 4e-15  # of the largest terms: what is left after the last solution, more than sums over few terms have
RIGHT = 1e-10  # ... above which it is none, where repeated solutions leave no less
LARGEST = 1e12  # accelerations and multipliers, in units and mean inertias, for forces and rows of one: above they are not determined


@shared(TREE, WORK, gives=INT)
def factorize(m, w):
    """Factors from w.mass and w.rows. Returns -1; or a velocity without inertia; or nu plus a row that depends on others.

    Inertias are measured by their mean, so that pivots of inertias and of rows can be compared. While M has the terms of
    ``weigh``, what has no inertia of its own is held by rows, even if these are eliminated later.
    """
    c, M, nothing = w.numbers[0], w.mass, block(w.force, 0, 0, 0)
    for k in range(blocks.COEFFICIENTS):
        c[k] = 0.0
    mean = mean_inertia(m, w)
    c[blocks.C_M], c[blocks.C_POSITION], c[blocks.C_Z], c[blocks.C_OWN], c[blocks.C_ALONE] = 1.0 / mean, 1.0, 1.0, 1.0, 1.0
    row_sizes(m, w.rows, w.weight)
    for i in range(w.weight.shape[0]):
        w.weight[i] = mean / (w.weight[i] * w.weight[i]) if w.weight[i] > 0.0 else 0.0
    weigh(m, w, M[0], w.weight, 1.0)
    bad = blocks.block_factors(
        m, M, w.rows, w.rows, nothing, nothing, nothing, nothing, w.numbers, w.front_stack, w.front_factors, pivots(w)[0]
    )
    weigh(m, w, M[0], w.weight, 0.0)
    tree.composite(m, w, M[0])
    if bad >= 0:
        return blamed(m, w, bad)
    probe(m, w, w.force, w.probe)
    solved = solve(m, w, w.force, w.probe) < 0
    worst, found = largest(m, w, w.force, w.probe)
    return -1 if solved and worst < LARGEST else found


@kernel
def weigh(m, w, M, weight, keep):
    """M = keep M + G^T W G at the entries of links of frames, with W = keep weight; zeros if ``keep`` is zero.

    Couplings and drivers are left out: what they couple need not be stored. Their weights become zero.
    """
    for c in range(m.link.shape[0]):
        link = m.link[c]
        if link[at.LINK_KIND] == LINEAR:
            if link[at.LINK_ROW] >= 0:
                weight[link[at.LINK_ROW]] = 0.0
            continue
        for side in range(4):
            first = last_column(m, link[at.LINK_A + side // 2])
            second = last_column(m, link[at.LINK_A + side % 2])
            sign = keep if side == 0 or side == 3 else -keep
            d = first
            while d >= 0:
                x, row = w.column[d, at.COL_J], m.row_of[m.column[d, at.VELOCITY]]
                e = second
                while e >= 0:
                    y, s = w.column[e, at.COL_J], 0.0
                    for i in range(6):
                        if link[at.LINK_ROW + i] >= 0:
                            g = w.link[c, i]
                            p, q = 0.0, 0.0
                            for k in range(6):
                                p += g[k] * x[k]
                                q += g[k] * y[k]
                            s += weight[link[at.LINK_ROW + i]] * p * q
                    k = m.column[e, at.VELOCITY]
                    M[row, k] = M[row, k] + sign * s if keep > 0.0 else 0.0
                    e = m.column[e, at.BEFORE]
                d = m.column[d, at.BEFORE]


@kernel
def mean_inertia(m, w):
    """Mean of the diagonal of M in units of the increments; one if there is no inertia."""
    n, mean = m.unit.shape[0], 0.0
    for k in range(n):
        mean += w.mass[0, m.row_of[k], k] * m.unit[k] * m.unit[k] / n
    return mean if mean > 0.0 else 1.0


@kernel
def probe(m, w, f, c):
    """Forces f (nu) and rows c without order, of the size of mean inertias and of one.

    Along what the equations leave open they have no solution, or one that is far too large (``largest``).
    """
    mean = mean_inertia(m, w)
    for k in range(f.shape[0]):
        f[k] = mean * (1.0 + (0.618 * k) % 1.0) / m.unit[k]
    for i in range(c.shape[0]):
        c[i] = 1.0 + (0.618 * i) % 1.0


@kernel
def largest(m, w, f, c):
    """The largest of accelerations f (nu) and multipliers c for ``probe``, and its place: a velocity, or nu plus a row."""
    mean, worst, found = mean_inertia(m, w), 0.0, 0
    for k in range(f.shape[0]):
        if not abs(f[k]) / m.unit[k] <= worst:
            worst, found = abs(f[k]) / m.unit[k], k
    for i in range(c.shape[0]):
        if not abs(c[i]) / mean <= worst:
            worst, found = abs(c[i]) / mean, f.shape[0] + i
    return worst, found


@kernel
def pivots(w):
    """Exchanges of rows, integers in the workspace."""
    return (integers(w.pivots),)


@kernel
def blamed(m, w, front):
    """Place of a failure in a front: the first of its velocities without inertia, or nu plus the last of its rows."""
    p = blocks.plan_of(m)[0]
    row = block(m.plan, m.plan[at.PLAN_NEWTON] + p[blocks.TABLE] + front * blocks.FRONT_INTS, blocks.FRONT_INTS)
    place, first, end = p[p[blocks.PLACE] :], row[blocks.FIRST], row[blocks.FIRST] + row[blocks.PIVOTS]
    nu, nz, found = w.force.shape[0], m.head[at.H_OUTER], 0
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


@shared(TREE, WORK, VEC, VEC, gives=INT)
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
    left, whole, old = 0.0, 0.0, math.inf
    for it in range(REPEATS + 1):
        left, whole = remainder(m, w, f, c, d, e)
        if it > 0 and left <= ENOUGH:
            return -1
        if it == REPEATS or (it > 1 and not left < 0.5 * old):  # rounding; or there is no solution
            break
        old = left
        solve_once(m, w, d, e)
        for k in range(n):
            f[k] += d[k]
        for i in range(nr):
            c[i] += e[i]
    if whole <= RIGHT:
        return -1
    worst, found = 0.0, 0
    for i in range(nr):
        if not abs(e[i]) <= worst:
            worst, found = abs(e[i]), n + i
    return found


@kernel
def remainder(m, w, f, c, d, e):
    """d = given force - M f - G^T c, e = given gap - G f; returns how large they are, as parts of their largest terms.

    First the larger part, each of its own terms; then the same with rows as a part of what forces would accelerate, too. Where
    rows hold everything, forces cancel and accelerations are their rounding: then rows as a part of their own terms are noise.
    """
    n, push, pull, missing, turn = f.shape[0], 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        d[k] = w.given_force[k]
        push, turn = max(push, abs(d[k]) * m.unit[k]), max(turn, abs(f[k]) / m.unit[k])
    for i in range(c.shape[0]):
        e[i] = w.given_gap[i]
    blocks.add_columns(m, w.rows, c, -1.0, d)
    for k in range(n):
        push = max(push, max(abs(d[k]), abs(w.mass[0, m.row_of[k], k] * f[k])) * m.unit[k])
    blocks.add_product(m, w.mass[0], f, -1.0, d)
    blocks.add_rows(m, w.rows, f, -1.0, e)
    for k in range(n):
        pull = max(pull, abs(d[k]) * m.unit[k])
    size = max(1.0, m.length)  # rows are angles or lengths
    whole = size * max(turn, push * w.numbers[0, blocks.C_M])
    turn *= size
    for i in range(c.shape[0]):
        missing = max(missing, abs(e[i]))
        turn, whole = max(turn, abs(w.given_gap[i])), max(whole, abs(w.given_gap[i]))
    pull = pull / push if push > 0.0 else pull
    return max(pull, missing / turn if turn > 0.0 else missing), max(pull, missing / whole if whole > 0.0 else missing)


@kernel
def as_one(m, c, mu):
    """mu = c in rows that hold rates alone: the places of lam and of mu are one there."""
    for k in range(m.link.shape[0]):
        for i in range(6):
            row = m.link[k, at.LINK_ROW + i]
            if row >= 0 and holds_rate(m.link[k], i):
                mu[row] = c[row]


@kernel
def solve_once(m, w, f, c):
    """Solve in place with the factors: those of M + G^T W G, with f + G^T W c, measured by the mean inertia."""
    x, nu, nz, nr, mean = w.sides[0], f.shape[0], m.head[at.H_OUTER], c.shape[0], 1.0 / w.numbers[0, blocks.C_M]
    for k in range(x.shape[0]):
        x[k] = 0.0
    for i in range(nr):
        w.sides[1, i] = w.weight[i] * c[i]
    blocks.add_columns(m, w.rows, w.sides[1], 1.0, f)
    for k in range(nu):
        x[k] = f[k] / mean
    for i in range(nr):
        x[nu + nz + i] = c[i]
    if m.head[at.H_RATES] > 0:
        as_one(m, c, x[nu + nz + nr :])
    blocks.block_solve(m, w.front_factors, pivots(w)[0], w.sides[0:1], w.sides[1:3])
    for k in range(nu):
        f[k] = x[k]
    for i in range(nr):
        c[i] = mean * x[nu + nz + i]
