"""Coordinate partitioning (Wehage and Haug): independent coordinates move, the constraints give the others.

As many velocities as there are rows are dependent: those with the largest pivots of G, all measured in the
increments' units. Newton solves for their increments, and then for their rates, with the others held.
"""

from __future__ import annotations

import math

from supple.core.base.layout import TREE, WORK
from supple.core.bodies import chart, tree
from supple.core.forces import constraint_rows as links
from supple.core.linalg import dense as linalg
from supple.native.declare import IVEC, MAT, REAL, TRUTH, VEC, kernel, shared

ITERATIONS = 20


@kernel
def choose(m, w, a, which):
    """Dependent velocities at the state whose links and columns are in the workspace; a (rows, nu) is scratch."""
    nr, nu = a.shape
    for i in range(nr):
        for k in range(nu):
            a[i, k] = 0.0
    links.jacobian(m, w, a, m.counting)
    for i in range(nr):
        for k in range(nu):
            a[i, k] *= m.unit[k]
    for i in range(nr):
        row, col, big = i, 0, -1.0
        for j in range(i, nr):
            for k in range(nu):
                if abs(a[j, k]) > big:
                    row, col, big = j, k, abs(a[j, k])
        which[i] = col
        for k in range(nu):
            a[i, k], a[row, k] = a[row, k], a[i, k]
        for j in range(i + 1, nr):
            f = a[j, col] / a[i, col]
            for k in range(nu):
                a[j, k] -= f * a[i, k]
            a[j, col] = 0.0


@kernel
def factor(m, w, which, a, s, pivots):
    """Factors of the columns of G of the dependent velocities; False if these are a poor choice here. a (rows, nu) is scratch."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            a[i, k] = 0.0
    links.jacobian(m, w, a, m.counting)
    for i in range(s.shape[0]):
        for j in range(s.shape[0]):
            s[i, j] = a[i, which[j]]
    return linalg.lu(s, pivots)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, IVEC, MAT, MAT, IVEC, gives=TRUTH)
def complete(m, w, t, q0, x, u, q, which, a, s, pivots):
    """Dependent increments in x and rates in u from the others; q (nq) = q0 moved by x. Returns whether they exist.

    The increments are those of the step's chart, along which G is taken as it is along q: a small error of
    Newton's matrix.
    """
    nr, size = s.shape[0], math.inf
    for _ in range(ITERATIONS):
        chart.retract(m, q0, x, q)
        tree.poses(m, w, q)
        tree.motion(m, w, u, u)
        links.refresh(m, w, t, q)
        links.violations(m, w, w.gap)
        largest = 0.0
        for i in range(nr):
            largest = max(largest, abs(w.gap[i]))
        if not factor(m, w, which, a, s, pivots):
            return False
        if largest <= 1e-15 * m.length or largest > 0.5 * size:
            break
        size = largest
        linalg.lu_solve(s, pivots, w.gap)
        for j in range(nr):
            x[which[j]] -= w.gap[j]
    links.rates(m, w, t, u, w.gap)
    linalg.lu_solve(s, pivots, w.gap)
    for j in range(nr):
        u[which[j]] -= w.gap[j]
    return largest < 1e-9 * m.length
