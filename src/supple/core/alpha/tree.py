"""Newton's matrix of the generalized-alpha method eliminated along the tree (``tree_newton``)."""

from __future__ import annotations

from supple.core.alpha.stage import AT, BORDER, LINE, S2, TREE_FROM, F
from supple.core.base import layout as at
from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as tp
from supple.core.equations.tree_parts import J
from supple.native.declare import kernel


@kernel
def along_tree(m):
    """Whether Newton's matrix is eliminated along the tree."""
    lines = m.head[at.H_BORDER]
    return tp.along_tree(m) and m.head[at.H_U] >= TREE_FROM + (BORDER + LINE * lines if lines > 0 else 0)


@kernel
def differentiate(m, w, r, o, p, t):
    """Residual and parts of its tangents at the step's end."""
    tp.differentiate_tree(m, w, p, t, r.qt, r.ut, o.u[AT], r.zt, o.u[F])
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            turn_columns(p.column[m.node[n, at.COL0] :], o.u[AT], r.ut, m.node[n, at.U0])


@kernel
def turn_columns(x, a, u, j):
    """What ``alpha_newton.tangent_rows`` does to the columns of a free joint, whose velocities begin at j."""
    w0, w1, w2, v0, v1, v2 = u[j], u[j + 1], u[j + 2], u[j + 3], u[j + 4], u[j + 5]
    b0, b1, b2 = a[j + 3] + w1 * v2 - w2 * v1, a[j + 4] + w2 * v0 - w0 * v2, a[j + 5] + w0 * v1 - w1 * v0
    for l in range(6):
        lever(x, J, tp.AQ, l, b0, b1, b2)
        y0, y1, y2 = x[3, J + l], x[4, J + l], x[5, J + l]
        x[3, tp.AU + l] -= y1 * w2 - y2 * w1
        x[4, tp.AU + l] -= y2 * w0 - y0 * w2
        x[5, tp.AU + l] -= y0 * w1 - y1 * w0
        lever(x, tp.AU, tp.AQ, l, v0, v1, v2)
        lever(x, tp.VU, tp.VQ, l, v0, v1, v2)
        lever(x, J, tp.AU, l, v0, v1, v2)


@kernel
def lever(x, of, to, l, v0, v1, v2):
    """Add to the vectors of the rotation those of the place times v x dtheta."""
    y0, y1, y2 = x[3, of + l], x[4, of + l], x[5, of + l]
    x[0, to + l] += y1 * v2 - y2 * v1
    x[1, to + l] += y2 * v0 - y0 * v2
    x[2, to + l] += y0 * v1 - y1 * v0


@kernel
def factorize(m, p, h, be, ge, te):
    """The factor of M + h ge Ru + h^2 be Rq with controllers' states; False if it is singular."""
    c = p.c[0, 0]
    c[tp.CQ], c[tp.CU], c[tp.CA], c[tp.CZ] = h * h * be, h * ge, 1.0, h * te
    c[tp.DQ], c[tp.DU], c[tp.D0], c[tp.DZ] = h * h * be, h * ge, 1.0, h * te
    return border.factor_bordered(m, p, 0, 1)


@kernel
def solve(m, p, y):
    """Solve in place for velocities and controllers' states."""
    border.solve_bordered(m, p, 0, y.reshape((1, y.shape[0])))


@kernel
def push(m, p, o, x, y):
    """y = M x."""
    zero, nu = o.u[S2 : S2 + 1], x.shape[0]
    for k in range(nu):
        zero[0, k] = 0.0
    border.change(m, p, zero, zero[:0], x.reshape((1, nu)), y[:nu].reshape((1, nu)))
