"""Newton's matrix of the generalized-alpha method by blocks (``core/linalg/multifrontal.py``); symbols as in ``alpha_rows``.

The unknowns are E + B mu instead of E, z', lam and mu. Where velocities are not held, mu is zero by rows of its own.
"""

from __future__ import annotations

from supple.core.alpha.stage import G_ROW, H_ROW
from supple.core.linalg import block_products, block_solutions
from supple.core.linalg import multifrontal as blocks
from supple.native.declare import kernel


@kernel
def factorize(m, o, h, be, ge, te, both):
    """Factors of Newton's matrix; False if it is singular."""
    c, p, v, s = o.coefficients[0], h * h * be, h * ge, h * te
    one = 1.0 if both else 0.0
    c[blocks.C_M], c[blocks.C_U], c[blocks.C_Q], c[blocks.C_POSITION] = 1.0, v, p, 1.0
    c[blocks.C_RATE], c[blocks.C_H], c[blocks.C_PUSH], c[blocks.C_OWN] = one, one * p / v, one, 1.0 - one
    c[blocks.C_RZ], c[blocks.C_GQ], c[blocks.C_GU], c[blocks.C_Z], c[blocks.C_GZ] = s, -p, -v, 1.0, -s
    return blocks.block_factors(
        m, o.tangent, o.rows[G_ROW], o.rows[H_ROW], o.Rz, o.Gq, o.Gu, o.Gz, o.coefficients, o.stack, o.factors, o.pivots
    ) < 0


@kernel
def solve(m, o, y):
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
    block_solutions.block_sweep(m, o.factors[0], o.pivots, x)
    for k in range(y.shape[0]):
        y[k] = x[place[k]]
    if both:
        block_products.add_along(m, o.rows[G_ROW], y[mu:], -1.0, y)
