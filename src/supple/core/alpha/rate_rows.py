"""Rows that hold rates alone, A u + b = 0, in a step of the generalized-alpha method.

They are rows of velocities, [A + (p/v) K] dE = -r/v with K = d(A u)/dq, whether positions are held alone or velocities as well. Of mu
they have none: it is zero by a row of its own in whole matrices, and by blocks the place of mu is that of lam. Each kernel here is called
for models that have such rows, after what is done for all rows.
"""

from __future__ import annotations

from supple.core.alpha import stage
from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.forces import constraint_rows as links
from supple.core.linalg import multifrontal as blocks
from supple.core.linalg.multifrontal import by_blocks
from supple.core.run import step as st
from supple.native.declare import INT, MAT, REAL, TRUTH, VEC, kernel, shared


@shared(TREE, WORK, st.RUN, stage.OWN, TRUTH)
def rate_tangents(m, w, r, o, both):
    """Note which rows hold rates alone; K, where H is not made for all rows, and the turning axes of free joints in it."""
    links.number_rates(m, o.rated)
    if not both:
        links.rate_tangent(m, w, o.rows[stage.H_ROW], m.line_of)
    if by_blocks(m):
        if blocks.has_turns(m):
            turn_alone(m, r, o)
        return
    for n in range(1, m.node.shape[0] if not both else 1):
        if m.node[n, at.MOTION] == at.FREE:
            turn_rows(m, r, o, m.node[n, at.U0], 0, r.lam.shape[0])


@kernel
def turn_alone(m, r, o):
    """The turning axes of all free joints, where rows that hold rates alone have entries."""
    p, records = blocks.plan_of(m)[0], blocks.records_of(m)[0]
    turns = p[p[blocks.TURNS] + 1 :]
    for e in range(records.shape[0]):
        x = records[e]
        if x[blocks.CODE] == blocks.ALONE:
            for j in range(x[blocks.COLUMN], x[blocks.COLUMN] + x[blocks.NCOLUMN]):
                if turns[j] == 1:
                    turn_rows(m, r, o, j, x[blocks.ROW], x[blocks.ROW] + x[blocks.NROW])


@kernel
def turn_rows(m, r, o, j, first, end):
    """Turn the columns of the free joint with the velocities from j on in some rows: its place moves by v x dtheta besides."""
    v0, v1, v2 = r.ut[j + 3], r.ut[j + 4], r.ut[j + 5]
    for k in range(first, end):
        x, y = o.rows[stage.G_ROW, m.line_of[k]], o.rows[stage.H_ROW, m.line_of[k]]
        y[j] += x[j + 4] * v2 - x[j + 5] * v1
        y[j + 1] += x[j + 5] * v0 - x[j + 3] * v2
        y[j + 2] += x[j + 3] * v1 - x[j + 4] * v0


@shared(TREE, stage.OWN, MAT, REAL)
def rate_border(m, o, N, f):
    """Rows of velocities in a whole matrix N, with f = p/v; where there is mu, ones on its diagonal."""
    nr, nu = o.rated.shape[0], o.u.shape[1]
    lam = nu + o.Gz.shape[0]
    mu = lam + nr
    both = N.shape[0] > mu
    for j in range(nr):
        if o.rated[j] == 1:
            for k in range(nu):
                N[lam + j, k] = o.rows[stage.G_ROW, j, k] + f * o.rows[stage.H_ROW, j, k]
            if both:
                for k in range(N.shape[0]):
                    N[mu + j, k] = 0.0
                    N[k, mu + j] = 0.0
                N[mu + j, mu + j] = 1.0


@shared(stage.OWN, VEC, REAL, INT)
def rate_sides(o, y, v, n):
    """Right sides of the rows, behind n entries of the motion."""
    nr = o.rated.shape[0]
    for j in range(nr):
        if o.rated[j] == 1:
            y[n + j] = -o.row[stage.RATE, j] / v
            if y.shape[0] > n + nr:
                y[n + nr + j] = 0.0


@shared(TREE, stage.OWN, VEC, REAL, INT)
def rate_images(m, o, y, f, n):
    """Images of the change of the rates in the row S1, with f = p/v, where they have been made for all rows."""
    nr, x = o.rated.shape[0], o.u[stage.S1]
    if y.shape[0] > n + nr:
        for j in range(nr):
            if o.rated[j] == 1:
                y[n + nr + j] = 0.0
        return
    if not by_blocks(m):
        for j in range(nr):
            if o.rated[j] == 1:
                for k in range(x.shape[0]):
                    y[n + j] += f * o.rows[stage.H_ROW, j, k] * x[k]
        return
    records = blocks.records_of(m)[0]
    for e in range(records.shape[0]):
        r = records[e]
        if r[blocks.CODE] == blocks.ALONE:
            for i in range(r[blocks.ROW], r[blocks.ROW] + r[blocks.NROW]):
                row = o.rows[stage.H_ROW, m.line_of[i]]
                for k in range(r[blocks.COLUMN], r[blocks.COLUMN] + r[blocks.NCOLUMN]):
                    y[n + i] += f * row[k] * x[k]


@shared(stage.OWN, REAL, REAL, REAL)
def alone(o, h, be, ge):
    """Numbers of rows that hold rates alone, by blocks: (A + (p/v) K) dE."""
    o.coefficients[0, blocks.C_ALONE], o.coefficients[0, blocks.C_ALONE_H] = 1.0, h * be / ge


@shared(TREE, stage.OWN, VEC)
def solve_blocks(m, o, y):
    """Solve in place by blocks, as where all rows hold positions; of the others lam and mu have one place, and there is no mu."""
    p, nr, x = blocks.plan_of(m)[0], o.row.shape[1], o.sides
    place, lam = p[p[blocks.PLACE] :], x.shape[0] - 2 * nr
    mu = lam + nr
    both = y.shape[0] == x.shape[0]
    for k in range(lam):
        x[place[k]] = y[k]
    for j in range(nr):  # rows of positions belong to lam here, those of velocities to mu
        x[place[lam + j]] = y[mu + j] if both else y[lam + j]
        x[place[mu + j]] = y[lam + j] if both or o.rated[j] == 1 else 0.0
    blocks.block_sweep(m, o.factors[0], o.pivots, x)
    for k in range(y.shape[0]):
        y[k] = x[place[k]]
    if both:
        for j in range(nr):
            if o.rated[j] == 1:
                y[mu + j] = 0.0
        blocks.add_along(m, o.rows[stage.G_ROW], y[mu:], -1.0, y)


@shared(stage.OWN, VEC)
def forget_rates(o, y):
    """Zeros in the first right sides of rows: rates are not divided by the square of the step."""
    for j in range(o.rated.shape[0]):
        if o.rated[j] == 1:
            y[j] = 0.0
