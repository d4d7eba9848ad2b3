"""Cholesky factors of the mass matrix, block by block.

A block is a part of the tree that moves on its own, such as a free body; the plan (``engine/sparsity/plan.py``) has the first
velocity of each one's block, -1 for velocities of closing joints, which are left out. Diagonals are reciprocal. A row
begins at the first velocity that it is coupled with: those of the elements of gradient bodies are short.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
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
from supple.native.declare import kernel

# Of a velocity's inertia: a pivot below which some is added, and how much; of the block's mean inertia: what counts as none
# (a little more would be counted, and cost as many digits of the complement S). Slopes of nodal vectors have inertia, however
# short elements are beside the model
THIN, ADDED, NONE = 1e-6, 1e-5, 1e-8


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
