"""Newton's iteration for the end of a step of the generalized-alpha method; see ``alpha_stage`` for the symbols.

Newton's matrix of the generalized-alpha method by blocks (``core/linalg/multifrontal.py``); symbols as in ``alpha_rows``.

The unknowns are E + B mu instead of E, z', lam and mu. Where velocities are not held, mu is zero by rows of its own.

Constraint rows in a step of the generalized-alpha method: Newton's border and right sides.

With the factors p = h^2 be and v = h ge of the end rates E in the increment and in the velocity, Newton's unknowns are
dE, dz', the multipliers dlam and, where velocities are held as well, dmu: the increment gets B mu p besides, with
B = s^2 G^T and the units s of the increments. Rows of positions are divided by p, those of velocities by v, so that
neither the matrix nor its condition depends on the step as it goes to zero:

    [ N             G^T   p Rq B      ]                              [ N   G^T ]
    [ G + (p/v) H   0     (p/v) H B   ]  rows of velocities          [ G   0   ]  positions alone
    [ G             0     G B         ]  rows of positions

Rows that hold rates alone (core/alpha/rate_rows.py) are rows of velocities in both cases, and have no mu.
"""

from __future__ import annotations

import math

from supple.core.alpha import rate_rows, stage
from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.equations import dynamics, tree_border
from supple.core.equations import inner_states as inner
from supple.core.equations import tree_parts as tp
from supple.core.equations.tree_parts import PARTS, J
from supple.core.forces import constraint_rows as links
from supple.core.linalg import dense as linalg
from supple.core.linalg import multifrontal as blocks
from supple.core.linalg.multifrontal import by_blocks
from supple.core.linalg.row_sizes import row_sizes
from supple.core.radau.newton import spin
from supple.core.run import step as st
from supple.native.declare import INT, IVEC, REAL, TRUTH, VEC, kernel, shared

MAX_NEWTON = 10
BLIND = 5  # steps of one iteration in a row: the contraction changes as the tangent ages
FARTHEST = 1.0  # rad that a ball or free joint may turn in a step whose size is chosen: output between steps follows it


@kernel
def along_tree(m):
    """True if Newton's matrix is eliminated along the tree."""
    lines = m.head[at.H_BORDER]
    return tp.along_tree(m) and m.head[at.H_U] >= stage.TREE_FROM + (stage.BORDER + stage.LINE * lines if lines > 0 else 0)


@kernel
def differentiate_tree(m, w, r, o, p, t):
    """Residual and parts of its tangents at the step's end."""
    tp.differentiate_tree(m, w, p, t, r.qt, r.ut, o.u[stage.AT], r.zt, o.u[stage.F])
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            turn_columns(p.column[m.node[n, at.COL0] :], o.u[stage.AT], r.ut, m.node[n, at.U0])
    if m.head[at.H_INNER] > 0:
        turn_ways(m, r, p)


@kernel
def turn_ways(m, r, p):
    """Turn the columns of free joints that inner states are differentiated by."""
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j, x = m.node[n, at.U0], p.way[m.node[n, at.COL0] :]
            for l in range(6):
                y0, y1, y2 = x[3, 6 + l], x[4, 6 + l], x[5, 6 + l]
                x[0, l] += y1 * r.ut[j + 5] - y2 * r.ut[j + 4]
                x[1, l] += y2 * r.ut[j + 3] - y0 * r.ut[j + 5]
                x[2, l] += y0 * r.ut[j + 4] - y1 * r.ut[j + 3]


@kernel
def turn_columns(x, a, u, j):
    """Turn the columns of a free joint, whose velocities begin at j, as ``tangent_rows`` does."""
    w0, w1, w2, v0, v1, v2 = u[j], u[j + 1], u[j + 2], u[j + 3], u[j + 4], u[j + 5]
    b0, b1, b2 = a[j + 3] + w1 * v2 - w2 * v1, a[j + 4] + w2 * v0 - w0 * v2, a[j + 5] + w0 * v1 - w1 * v0
    for l in range(6):
        column_lever(x, J, tp.AQ, l, b0, b1, b2)
        y0, y1, y2 = x[3, J + l], x[4, J + l], x[5, J + l]
        x[3, tp.AU + l] -= y1 * w2 - y2 * w1
        x[4, tp.AU + l] -= y2 * w0 - y0 * w2
        x[5, tp.AU + l] -= y0 * w1 - y1 * w0
        column_lever(x, tp.AU, tp.AQ, l, v0, v1, v2)
        column_lever(x, tp.VU, tp.VQ, l, v0, v1, v2)
        column_lever(x, J, tp.AU, l, v0, v1, v2)


@kernel
def column_lever(x, of, to, l, v0, v1, v2):
    """Add to the vectors of the rotation those of the place times v x dtheta."""
    y0, y1, y2 = x[3, of + l], x[4, of + l], x[5, of + l]
    x[0, to + l] += y1 * v2 - y2 * v1
    x[1, to + l] += y2 * v0 - y0 * v2
    x[2, to + l] += y0 * v1 - y1 * v0


@kernel
def coefficients(p, h, be, ge, te):
    """Coefficients of the factor, see ``tree_newton.factor_tree``; with imaginary parts of zero."""
    for k in range(tp.COEFFICIENTS):
        p.c[0, 1, k] = 0.0
    c = p.c[0, 0]
    c[tp.CQ], c[tp.CU], c[tp.CA], c[tp.CZ] = h * h * be, h * ge, 1.0, h * te
    c[tp.DQ], c[tp.DU], c[tp.D0], c[tp.DZ] = h * h * be, h * ge, 1.0, h * te


@kernel
def factorize_tree(m, p, h, be, ge, te):
    """The factor of M + h ge Ru + h^2 be Rq with controllers' states; False if it is singular."""
    coefficients(p, h, be, ge, te)
    return tree_border.factor_bordered(m, p, 0, 1)


@kernel
def solve_tree(m, p, y):
    """Solve in place for velocities and controllers' states."""
    tree_border.solve_bordered(m, p, 0, y.reshape((1, y.shape[0])))


@kernel
def push(m, p, o, x, y):
    """y = M x."""
    zero, nu = o.u[stage.S2 : stage.S2 + 1], x.shape[0]
    for k in range(nu):
        zero[0, k] = 0.0
    tree_border.change(m, p, zero, zero[:0], x.reshape((1, nu)), y[:nu].reshape((1, nu)))


@kernel
def product(m, x, y):
    """x s^2 y: what a change of the increment along B does to the row x."""
    s = 0.0
    for k in range(x.shape[0]):
        s += m.unit[k] * m.unit[k] * x[k] * y[k]
    return s


@kernel
def border(m, N, G, H, Rq, Gq, p, v):
    """Fill the rows and columns of the constraints; the size of N says whether velocities are held as well."""
    nr, nu, nz = G.shape[0], G.shape[1], Gq.shape[0]
    lam, mu, f = nu + nz, nu + nz + nr, p / v
    both = N.shape[0] > mu
    for j in range(nr):
        for k in range(N.shape[0]):
            N[lam + j, k] = 0.0
            N[k, lam + j] = 0.0
            if both:
                N[mu + j, k] = 0.0
        for k in range(nu):
            N[k, lam + j] = G[j, k]
            N[lam + j, k] = G[j, k]
            if both:
                N[mu + j, k] = G[j, k]
                N[lam + j, k] += f * H[j, k]
    if not both:
        return
    for j in range(nr):
        for k in range(nu):
            N[k, mu + j] = p * product(m, Rq[k], G[j])
        for k in range(nz):
            N[nu + k, mu + j] = -p * product(m, Gq[k], G[j])
        for k in range(nr):
            N[lam + k, mu + j] = f * product(m, H[k], G[j])
            N[mu + k, mu + j] = product(m, G[k], G[j])


@kernel
def sides(y, gap, rate, p, v, n):
    """Right sides of the constraint rows, behind the n entries of the motion."""
    nr = gap.shape[0]
    both = y.shape[0] > n + nr
    for j in range(nr):
        y[n + j] = -gap[j] / p
        if both:
            y[n + nr + j] = y[n + j]
            y[n + j] = -rate[j] / v


@kernel
def images(m, y, G, H, x, p, v, n):
    """Images of a change x of the rates in the constraint rows, as right sides: y solves for x itself then."""
    nr = m.line_of.shape[0]
    both = y.shape[0] > n + nr
    for j in range(n, y.shape[0]):
        y[j] = 0.0
    blocks.add_rows(m, G, x, 1.0, y[n : n + nr])
    if both:
        blocks.add_rows(m, G, x, 1.0, y[n + nr :])
        blocks.add_rows(m, H, x, p / v, y[n : n + nr])


@kernel
def along(m, y, G, p, n, out):
    """out (nu): the increment B mu p of Newton's mu; zero where velocities are not held."""
    nr = m.line_of.shape[0]
    if y.shape[0] > n + nr:
        blocks.along(m, G, y[n + nr :], p, out)
    else:
        for k in range(out.shape[0]):
            out[k] = 0.0


@kernel
def factorize_blocks(m, o, h, be, ge, te, both):
    """Factors of Newton's matrix; False if it is singular."""
    c, p, v, s = o.coefficients[0], h * h * be, h * ge, h * te
    one = 1.0 if both else 0.0
    c[blocks.C_M], c[blocks.C_U], c[blocks.C_Q], c[blocks.C_POSITION] = 1.0, v, p, 1.0
    c[blocks.C_RATE], c[blocks.C_H], c[blocks.C_PUSH], c[blocks.C_OWN] = one, one * p / v, one, 1.0 - one
    c[blocks.C_RZ], c[blocks.C_GQ], c[blocks.C_GU], c[blocks.C_Z], c[blocks.C_GZ] = s, -p, -v, 1.0, -s
    if m.head[at.H_RATES] > 0:
        rate_rows.alone(o, h, be, ge)
    return blocks.block_factors(
        m, o.tangent, o.rows[stage.G_ROW], o.rows[stage.H_ROW], o.Rz, o.Gq, o.Gu, o.Gz, o.coefficients, o.stack, o.factors, o.pivots
    ) < 0


@kernel
def solve_blocks(m, o, y):
    """Solve in place; y is ordered as in ``alpha_rows``, with or without mu."""
    p, nr, x = blocks.plan_of(m)[0], o.row.shape[1], o.sides
    place, lam = p[p[blocks.PLACE] :], x.shape[0] - 2 * nr
    mu = lam + nr
    both = y.shape[0] == x.shape[0]
    for k in range(lam):
        x[place[k]] = y[k]
    for j in range(nr):  # rows of positions belong to lam here, those of velocities to mu
        x[place[lam + j]] = y[mu + j] if both else y[lam + j]
        x[place[mu + j]] = y[lam + j] if both else 0.0
    blocks.block_sweep(m, o.factors[0], o.pivots, x)
    for k in range(y.shape[0]):
        y[k] = x[place[k]]
    if both:
        blocks.add_along(m, o.rows[stage.G_ROW], y[mu:], -1.0, y)


@kernel
def longest_step(m, r, h):
    """The step h, or less where a joint would turn too far."""
    rate = spin(m, r)
    return h if h * rate <= FARTHEST else FARTHEST / rate


@shared(TREE, WORK, st.RUN, stage.OWN, TRUTH)
def tangent_rows(m, w, r, o, both):
    """Complete the tangents of ``tangents.differentiate``: those of the rows, and the turning axes of free joints.

    dv = h ge dE + v x dtheta,  dv' = dE + (v' + w x v) x dtheta + v x dw - w x dv for a free joint's place.
    """
    if r.lam.shape[0] > 0:
        links.jacobian(m, w, o.rows[stage.G_ROW], m.line_of)
        if both:
            links.rate_tangent(m, w, o.rows[stage.H_ROW], m.line_of)
    if m.head[at.H_RATES] > 0:
        rate_rows.rate_tangents(m, w, r, o, both)
    if by_blocks(m):
        if blocks.has_turns(m):
            turn_blocks(m, r, o, both)
        return
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            turn_motion(m, r, o, j, 0, r.u.shape[0])
            for c in range(o.Gu.shape[0]):
                lever(o.Gu[c], o.Gq[c], j, r.ut[j + 3], r.ut[j + 4], r.ut[j + 5])
            if both:
                turn_rows(m, r, o, j, 0, r.lam.shape[0])


@kernel
def turn_motion(m, r, o, j, first, end):
    """The turning axes of the free joint with the velocities from j on, in some rows of the tangents."""
    a, u = o.u[stage.AT], r.ut
    w0, w1, w2, v0, v1, v2 = u[j], u[j + 1], u[j + 2], u[j + 3], u[j + 4], u[j + 5]
    b = (a[j + 3] + w1 * v2 - w2 * v1, a[j + 4] + w2 * v0 - w0 * v2, a[j + 5] + w0 * v1 - w1 * v0)
    for k in range(first, end):
        c = m.row_of[k]
        M, Ru, Rq = o.tangent[stage.MASS, c], o.tangent[stage.RU, c], o.tangent[stage.RQ, c]
        lever(M, Rq, j, b[0], b[1], b[2])
        Ru[j + 3] -= M[j + 4] * w2 - M[j + 5] * w1
        Ru[j + 4] -= M[j + 5] * w0 - M[j + 3] * w2
        Ru[j + 5] -= M[j + 3] * w1 - M[j + 4] * w0
        lever(Ru, Rq, j, v0, v1, v2)
        lever(M, Ru, j, v0, v1, v2)


@kernel
def turn_rows(m, r, o, j, first, end):
    """Turn the columns of free joints in some constraint rows."""
    for k in range(first, end):
        c = m.line_of[k]
        lever(o.rows[stage.G_ROW, c], o.rows[stage.H_ROW, c], j, r.ut[j + 3], r.ut[j + 4], r.ut[j + 5])


@kernel
def turn_blocks(m, r, o, both):
    """The turning axes of all free joints, where there are entries."""
    p, records = blocks.plan_of(m)[0], blocks.records_of(m)[0]
    turns = p[p[blocks.TURNS] + 1 :]
    for e in range(records.shape[0]):
        x = records[e]
        code, first, end = x[blocks.CODE], x[blocks.ROW], x[blocks.ROW] + x[blocks.NROW]
        for j in range(x[blocks.COLUMN], x[blocks.COLUMN] + x[blocks.NCOLUMN]):
            if code == blocks.TANGENT and turns[j] == 1:
                turn_motion(m, r, o, j, first, end)
            elif code == blocks.ROWS and both and turns[j] == 1:
                turn_rows(m, r, o, j, first, end)
            elif code == blocks.STATE and turns[j] == 1:
                lever(o.Gu[first], o.Gq[first], j, r.ut[j + 3], r.ut[j + 4], r.ut[j + 5])


@kernel
def lever(x, y, j, v0, v1, v2):
    """Add x_v . (v x dtheta) to the row y over a free joint's rotation, from the row x over its place."""
    y[j] += x[j + 4] * v2 - x[j + 5] * v1
    y[j + 1] += x[j + 5] * v0 - x[j + 3] * v2
    y[j + 2] += x[j + 3] * v1 - x[j + 4] * v0


@shared(TREE, st.RUN, stage.OWN, PARTS, INT, REAL, REAL, REAL, REAL, gives=TRUTH)
def factorize(m, r, o, parts, n, h, be, ge, te):
    """Newton's matrix M + h ge Ru + h^2 be Rq with controller states and rows, n in all; False if it is singular."""
    nu, nz = r.u.shape[0], m.head[at.H_OUTER]
    if m.head[at.H_INNER] > 0:
        coefficients(parts, h, be, ge, te)
        if not inner.invert(m, parts, 0, 1):
            return False
    if by_blocks(m):
        if m.head[at.H_INNER] > 0:
            inner.fill_blocks(m, parts, 0, 1, o.tangent)
        return factorize_blocks(m, o, h, be, ge, te, n > nu + nz + r.lam.shape[0])
    p, v, s, N = h * h * be, h * ge, h * te, o.newton[: n * n].reshape((n, n))
    for c in range(nu):
        for d in range(nu):
            N[c, d] = o.tangent[stage.MASS, c, d] + v * o.tangent[stage.RU, c, d] + p * o.tangent[stage.RQ, c, d]
        for d in range(nz):
            N[c, nu + d] = s * o.Rz[c, d]
            N[nu + d, c] = -p * o.Gq[d, c] - v * o.Gu[d, c]
    for c in range(nz):
        for d in range(nz):
            N[nu + c, nu + d] = (1.0 if c == d else 0.0) - s * o.Gz[c, d]
    if m.head[at.H_INNER] > 0:
        inner.add_whole(m, parts, 0, 1, o.u[:0], N, N)
    if r.lam.shape[0] > 0:
        border(m, N, o.rows[stage.G_ROW], o.rows[stage.H_ROW], o.tangent[stage.RQ], o.Gq, p, v)
        if m.head[at.H_INNER] > 0 and n > nu + nz + r.lam.shape[0]:
            inner.add_along_rows(m, parts, 0, o.rows[stage.G_ROW], nu + nz + r.lam.shape[0], N)
        if m.head[at.H_RATES] > 0:
            rate_rows.rate_border(m, o, N, p / v)
    return linalg.lu(N, o.pivots)


@shared(TREE, stage.OWN, PARTS, VEC)
def solve(m, o, parts, y):
    """Solve in place with the factors."""
    if along_tree(m):
        solve_tree(m, parts, y)
    elif by_blocks(m) and m.head[at.H_RATES] > 0:
        rate_rows.solve_blocks(m, o, y)
    elif by_blocks(m):
        solve_blocks(m, o, y)
    else:
        n = y.shape[0]
        linalg.lu_solve(o.newton[: n * n].reshape((n, n)), o.pivots, y)


@shared(TREE, stage.OWN, PARTS, VEC)
def inner_sides(m, o, parts, y):
    """Add to the right sides of the motion what those of inner states, parts.side, leave there."""
    nothing = o.u[:1]
    inner.follow(m, parts, 1.0, nothing, 0.0, nothing, 0.0)
    inner.settle(m, parts, 0, 0, 1)
    inner.push(m, parts, parts.c[0, 0, tp.CZ], y.reshape((1, y.shape[0])))


@shared(TREE, stage.OWN, PARTS, VEC, REAL, REAL)
def inner_rates(m, o, parts, y, p, v):
    """Inner states in parts.rate from a solution y, with B mu p in the row S1 of o.u."""
    x = o.u[stage.S2 : stage.S2 + 1]
    for k in range(x.shape[1]):
        x[0, k] = p * y[k] + o.u[stage.S1, k]
    inner.follow(m, parts, 1.0, x, 1.0, y.reshape((1, y.shape[0])), v)
    inner.settle(m, parts, 0, 0, 1)


@kernel
def newton_update(m, w, r, o, parts, n, t, h, be, ge, te):
    """One Newton update of the rates at the end.

    Returns the weighted norm of what it does to the state, and the largest change of a multiplier over the largest one.
    """
    nu, nz, nr, y = r.u.shape[0], m.head[at.H_OUTER], r.lam.shape[0], o.y[:n]
    p, v = h * h * be, h * ge
    for k in range(nu):
        y[k] = -o.u[stage.F, k]
    for k in range(nz):
        y[nu + k] = w.zdot[k] - o.z[stage.G, k]
    if nr > 0:
        links.violations(m, w, o.row[stage.GAP])
        links.rates(m, w, t, r.ut, o.row[stage.RATE])
        sides(y, o.row[stage.GAP], o.row[stage.RATE], p, v, nu + nz)
        if m.head[at.H_RATES] > 0:
            rate_rows.rate_sides(o, y, v, nu + nz)
    for k in range(parts.side.shape[1]):
        parts.side[0, k] = w.zdot[nz + k] - o.z[stage.G, nz + k]
    if m.head[at.H_INNER] > 0:
        inner_sides(m, o, parts, y)
    solve(m, o, parts, y)
    along(m, y, o.rows[stage.G_ROW], p, nu + nz, o.u[stage.S1])
    if m.head[at.H_INNER] > 0:
        inner_rates(m, o, parts, y, p, v)
    total = 0.0
    for k in range(nu):
        a, b = (p * y[k] + o.u[stage.S1, k]) / o.u[stage.WX, k], v * y[k] / o.u[stage.WU, k]
        total += a * a + b * b
    stage.turn(m, o.u[stage.XI], 1.0, y)
    stage.turn(m, o.u[stage.XI], 1.0, o.u[stage.S1])
    for k in range(nu):
        o.u[stage.E, k] += y[k]
        o.u[stage.P, k] += o.u[stage.S1, k]
    for k in range(nz):
        a = h * te * y[nu + k] / o.z[stage.WZ, k]
        total += a * a
        o.z[stage.G, k] += y[nu + k]
    for k in range(parts.rate.shape[1]):
        a = h * te * parts.rate[0, k] / o.z[stage.WZ, nz + k]
        total += a * a
        o.z[stage.G, nz + k] += parts.rate[0, k]
    push, size = 0.0, 1e-300
    for j in range(nr):
        o.row[stage.LAM, j] += y[nu + nz + j]
        w.lam[j] = o.row[stage.LAM, j]
        push, size = max(push, abs(y[nu + nz + j])), max(size, abs(w.lam[j]))
    return math.sqrt(total / max(2 * nu + r.z.shape[0], 1)), push / size


@shared(TREE, st.RUN, stage.OWN, PARTS, INT, REAL, REAL, REAL, gives=REAL)
def rounding(m, r, o, parts, n, h, be, ge):
    """Weighted norm of what the rounding of violations does to an update by positions alone; it grows with 1/h."""
    nu, nz, y = r.u.shape[0], m.head[at.H_OUTER], o.y[:n]
    p, v = h * h * be, h * ge
    if r.lam.shape[0] == 0:
        return 0.0
    for k in range(nu + nz):
        y[k] = 0.0
    row_sizes(m, o.rows[stage.G_ROW], y[nu + nz :])
    for j in range(nu + nz, n):
        y[j] *= 1e-15 / p
    if m.head[at.H_RATES] > 0:
        rate_rows.forget_rates(o, y[nu + nz :])
    solve(m, o, parts, y)
    total = 0.0
    for k in range(nu):
        a, b = p * y[k] / o.u[stage.WX, k], v * y[k] / o.u[stage.WU, k]
        total += a * a + b * b
    return math.sqrt(total / max(2 * nu + nz, 1))


@kernel
def judge(m, r, o, ints, reals, h, it, norm, old, floor):
    """Judge the norm of Newton's update number ``it``; returns (outcome, contraction rate).

    PAUSED means one more. A fixed step cannot be shortened: where Newton is slow it takes a new tangent in
    every iteration. An update below ``floor`` is rounding.
    """
    fixed = o.c[stage.STEP] > 0.0
    tolerance = max(10.0 * 2.2e-16 / reals[st.RTOL], min(0.03, math.sqrt(reals[st.RTOL])))
    rate = reals[st.RATE]
    if not math.isfinite(norm):
        return st.NOT_FINITE, 2.0
    # multipliers are not in the norm: the first correction of the motion may be smaller than the second, which they
    # cause; their ratio says nothing then
    if it == 1 and r.lam.shape[0] > 0 and norm > 0.5 * old:
        return st.DONE if norm <= max(1e-2 * tolerance, floor) else st.PAUSED, rate
    if it > 0:
        rate = norm / old if old > 0.0 else 0.0
    safe = min(max(rate, max(0.01, 0.25 * h * spin(m, r))), 0.9)
    left = safe / (1.0 - safe) * norm
    if norm <= max(1e-2 * tolerance, floor):
        return st.DONE, rate
    if it == 0:  # by the rate that was measured a few steps ago, if its tangent is still in use
        good = ints[st.KEEP_JACOBIAN] == 1 and left <= 0.1 * tolerance and o.ints[stage.UNSEEN] < BLIND
        return st.DONE if good else st.PAUSED, rate
    o.ints[stage.UNSEEN] = 0
    if rate < 1.0 and left <= tolerance:
        return st.DONE, rate
    if rate > 0.3 and norm <= max(1.0 if fixed else 0.03, 10.0 * floor) and ints[st.KEEP_JACOBIAN] == 2:
        return st.DONE, rate  # small, and no better with a new tangent: rounding
    if fixed:
        if rate > 0.3:
            ints[st.KEEP_JACOBIAN] = 0
        return st.PAUSED if it < 3 * MAX_NEWTON else st.NOT_CONVERGED, rate
    slow = rate >= 1.0 or left * rate ** (MAX_NEWTON - 2 - it) > tolerance
    return st.NOT_CONVERGED if slow or it >= MAX_NEWTON - 1 else st.PAUSED, rate


@kernel
def finite(x):
    """True if all entries are finite."""
    for k in range(x.shape[0]):
        if not math.isfinite(x[k]):
            return False
    return True


@kernel
def worst_rate(o):
    """The velocity whose rate is largest in units of its weight; one that is not finite first."""
    worst, found = 0.0, 0
    for k in range(o.u.shape[1]):
        size = abs(o.u[stage.E, k]) / o.u[stage.WU, k]
        if not math.isfinite(size):
            return k
        if size > worst:
            worst, found = size, k
    return found


@kernel
def solve_end(m, w, r, o, parts, count, state, t, h, be, ge, te, both):
    """Iterate for the rates at the step's end, where forces are taken at the time t; returns the outcome.

    With ``both`` rows of positions and velocities are held.
    """
    nr = r.lam.shape[0]
    n = r.u.shape[0] + m.head[at.H_OUTER] + (2 * nr if both else nr)
    first = count[st.NEWTON]
    outcome, rate, old = st.PAUSED, state[st.RATE], 0.0
    floor, pushed = 0.0, 0.0
    while outcome == st.PAUSED:
        stage.end_state(m, r, o, h, be, ge, te)
        evaluate_end(m, w, r, o, parts, count, t, both)
        if count[st.FACTORED] == 0:
            count[st.FACTORIZATIONS] += 1
            if along_tree(m):
                made = factorize_tree(m, parts, h, be, ge, te)
            else:
                made = factorize(m, r, o, parts, n, h, be, ge, te)
            if not made:
                outcome = st.NOT_CONVERGED if finite(o.u[stage.F]) else st.NOT_FINITE
                break
            count[st.FACTORED] = 1
        if not both and old == 0.0:
            floor = rounding(m, r, o, parts, n, h, be, ge)
        norm, push = newton_update(m, w, r, o, parts, n, t, h, be, ge, te)
        outcome, rate = judge(m, r, o, count, state, h, count[st.NEWTON] - first, norm, old, floor)
        if outcome == st.DONE and count[st.KEEP_JACOBIAN] == 1 and push > 1e-6:
            # near dependent rows an old tangent lets multipliers run away that hardly move anything
            if old > 0.0 and push > pushed:
                count[st.KEEP_JACOBIAN] = 0
            if count[st.KEEP_JACOBIAN] == 0 or (old == 0.0 and push > 1e-2):
                outcome = st.PAUSED
        count[st.NEWTON] += 1
        old, pushed = norm, push
    o.ints[stage.UNSEEN] += 1
    state[st.RATE] = rate
    return outcome


@shared(TREE, WORK, st.RUN, stage.OWN, PARTS, IVEC, REAL, TRUTH)
def evaluate_end(m, w, r, o, parts, count, t, both):
    """Residual of the equations of motion at the step's end, with the tangents if those at hand are of no use."""
    if count[st.KEEP_JACOBIAN] == 0:
        if along_tree(m):
            differentiate_tree(m, w, r, o, parts, t)
        else:
            dynamics.tangent_at(
                m, w, t, r.qt, r.ut, o.u[stage.AT], r.zt, o.u[stage.F], o.tangent[stage.RQ], o.tangent[stage.RU], o.tangent[stage.MASS],
                o.Rz, o.Gq, o.Gu, o.Gz,
            )
            tangent_rows(m, w, r, o, both)
            if m.head[at.H_INNER] > 0:
                tp.keep_inner(m, w, parts)
                turn_ways(m, r, parts)
        count[st.JACOBIANS] += 1
        count[st.KEEP_JACOBIAN], count[st.AGE] = 2, 0  # 2: of this very step
        count[st.FACTORED] = 0
    else:
        dynamics.residual_at(m, w, t, r.qt, r.ut, o.u[stage.AT], r.zt, o.u[stage.F])
    count[st.EVALUATIONS] += 1
