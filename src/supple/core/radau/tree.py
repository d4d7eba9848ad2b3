"""Radau's Newton iteration with matrices that are eliminated along the tree (``tree_newton``): factors 0 (real), 1 (complex)."""

from __future__ import annotations

from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as tp
from supple.core.radau.buffers import FA, FB, FD, FU, FX, MASS, Y1, Y2
from supple.core.radau.table import ALPHA, BETA, GAMMA
from supple.native.declare import kernel


@kernel
def factorize(m, p, h):
    """Both factors; False if one is singular."""
    s = ALPHA * ALPHA + BETA * BETA
    for f in range(2):
        c = p.c[f]
        for i in range(2):
            g = (BETA if i == 1 else ALPHA) if f == 1 else (GAMMA if i == 0 else 0.0)
            inverse = (-BETA / s if i == 1 else ALPHA / s) if f == 1 else (1.0 / GAMMA if i == 0 else 0.0)
            one = 1.0 if i == 0 else 0.0
            c[i, tp.CQ], c[i, tp.CU], c[i, tp.CA], c[i, tp.CZ] = h * h * inverse, h * one, g, h * h * one
            c[i, tp.DQ], c[i, tp.DU], c[i, tp.D0], c[i, tp.DZ] = h * inverse, one, g, h * one
        if not border.factor_bordered(m, p, f, f + 1):
            return False
    return True


@kernel
def solve(m, p, o):
    """Solve for the right sides of all stages in place."""
    border.solve_bordered(m, p, 0, o.y[Y1 : Y1 + 1])
    border.solve_bordered(m, p, 1, o.y[Y2 : Y2 + 2])


@kernel
def products(m, p, o):
    """Rq times the residuals of the chart of each stage, into the rows FD of o.f."""
    border.change(m, p, o.f[FX : FX + 3], o.f[FX:FX], o.f[FX:FX], o.f[FD : FD + 3])


@kernel
def error_sides(m, p, o, h):
    """M FA - h/gamma Rq FU into the row FD of o.f."""
    for k in range(o.f.shape[1]):
        o.f[FB, k] = -h / GAMMA * o.f[FU, k]
    border.change(m, p, o.f[FB : FB + 1], o.f[FB:FB], o.f[FA : FA + 1], o.f[FD : FD + 1])


@kernel
def state_slope(p, s, f):
    """Row s of Gq times f."""
    return p.slopes[s, 1] * f[p.owner[s]]


@kernel
def masses(m, p, o):
    """The mass matrix, of a tree its blocks, in a tuple: an array alone cannot be returned."""
    if tp.along_tree(m):
        return tp.own(p, tp.WHOLE)
    return (o.tangent[MASS],)
