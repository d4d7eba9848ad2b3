"""Newton's iteration of Radau where bodies are many and most couple with few others: ``core/linalg/multifrontal.py``.

In the dense form mu is eliminated through (G B)^-1 (``radau_rows``), which couples everything with everything. Here
it stays among the unknowns w = h u + B nu, z, h^2 lam and nu = h mu; for an eigenvalue g of the stages

    [g M + h Ru + h^2/g Rq] w - (g M + h Ru) B nu + h^2 Rz z + G^T h^2 lam = - h^2 f2 + h^3/g Rq f1
    - (h/g Gq + Gu) w + Gu B nu + (g - h Gz) z = - h f3 - h^2/g Gq f1
    G w = - g f4 + h G f1
    (G + h/g H) w - G B nu = - h f5 + h^2/g H f1

Of a row that holds a rate alone, A u + b = 0, there is no nu, and its multiplier is at the place of that:

    (A + h/g K) w - A B nu = - h r + h^2/g K f1        with K = d(A u)/dq

The front of a body without inertia is singular as long as the rows that hold it are still to come. Where pivots were rounding,
the next tangents have springs along the constraints: Rq + G^T W G for Rq, and f2 + G^T W f4 for f2. In the first row that is
h^2/g G^T W times the third one, so the solution stays the same, whatever the weights W are.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.equations import inner_states as inner
from supple.core.equations import kkt_fronts
from supple.core.forces.constraint_rows import LINEAR
from supple.core.linalg import multifrontal as blocks
from supple.core.linalg.row_sizes import row_sizes
from supple.core.radau import buffers as rb
from supple.core.radau.stages import ALPHA, BETA, GAMMA, TI
from supple.native.declare import kernel


@kernel
def coefficients(c, g, stiff, h, one):
    """Numbers of ``blocks`` for g and stiff = 1/g, or for the imaginary parts of these with one = 0."""
    c[blocks.C_M], c[blocks.C_U], c[blocks.C_Q] = g, one * h, h * h * stiff
    c[blocks.C_POSITION], c[blocks.C_RATE], c[blocks.C_H], c[blocks.C_PUSH] = one, one, h * stiff, 1.0
    c[blocks.C_RZ], c[blocks.C_GQ], c[blocks.C_GU] = one * h * h, -h * stiff, -one
    c[blocks.C_Z], c[blocks.C_GZ], c[blocks.C_OWN] = g, -one * h, 0.0
    c[blocks.C_ALONE], c[blocks.C_ALONE_H] = one, h * stiff


@kernel
def factorize(m, o, p, h):
    """Factors of both matrices; False if one is singular."""
    s, c, one = ALPHA * ALPHA + BETA * BETA, o.coefficients, 1.0
    coefficients(c[rb.E1], GAMMA, 1.0 / GAMMA, h, one)
    coefficients(c[rb.ER], ALPHA, ALPHA / s, h, one)
    coefficients(c[rb.EI], BETA, -BETA / s, h, one - 1.0)
    tangents = o.tangent
    if m.head[at.H_INNER] > 0:
        inner.fill_blocks(m, p, 0, 1, tangents)
    if blocks.block_factors(
        m, tangents, o.G, o.H, o.Rz, o.Gq, o.Gu, o.Gz, c[rb.E1 : rb.E1 + 1], o.stack, o.factors[rb.E1 : rb.E1 + 1], o.pivots[0]
    ) >= 0:
        return False
    if m.head[at.H_INNER] > 0:
        inner.fill_blocks(m, p, 1, 2, tangents)
    return blocks.block_factors(
        m, tangents, o.G, o.H, o.Rz, o.Gq, o.Gu, o.Gz, c[rb.ER : rb.EI + 1], o.stack, o.factors[rb.ER : rb.EI + 1], o.pivots[1]
    ) < 0


@kernel
def weights(m, o, held, out):
    """W of the rows: ``held`` over the squares of their sizes."""
    row_sizes(m, o.G, out)
    for j in range(o.c.shape[1]):
        out[j] = held / (out[j] * out[j]) if out[j] > 0.0 else 0.0


@kernel
def weigh_rows(m, w, o, h):
    """Add G^T W G to Rq if pivots were rounding, of the size that the mean inertia has in a step h."""
    c, n, mean, M = o.coefficients, m.unit.shape[0], 0.0, o.tangent[rb.MASS]
    o.held[0] = 0.0
    if c[rb.E1, blocks.C_REPLACED] + c[rb.ER, blocks.C_REPLACED] > 0.0:
        for k in range(n):
            mean += M[m.row_of[k], k] * m.unit[k] * m.unit[k] / n
        o.held[0] = mean / (h * h)
        weights(m, o, o.held[0], o.y[rb.P1, : o.c.shape[1]])
        for j in range(o.c.shape[1] if m.head[at.H_RATES] > 0 else 0):
            if o.rated[j] == 1:
                o.y[rb.P1, j] = 0.0
        kkt_fronts.weigh(m, w, o.tangent[rb.RQ], o.y[rb.P1], 1.0)


@kernel
def held_sides(m, o, h):
    """Add - h^2 G^T W f4 to the right sides, if rows are held."""
    held, nr = o.held[0], o.c.shape[1]
    if not held > 0.0:
        return
    weight = o.y[rb.P1 + 1, :nr]
    weights(m, o, held, weight)
    for k in range(m.link.shape[0]):  # not held: ``weigh``
        if m.link[k, at.LINK_KIND] == LINEAR and m.link[k, at.LINK_ROW] >= 0:
            weight[m.link[k, at.LINK_ROW]] = 0.0
    for i in range(3):
        sign = -1.0 if i == 2 else 1.0
        for j in range(nr):
            f = TI[i, 0] * o.c[rb.F4, j] + TI[i, 1] * o.c[rb.F4 + 1, j] + TI[i, 2] * o.c[rb.F4 + 2, j]
            o.y[rb.P1, j] = sign * weight[j] * f
        blocks.add_columns(m, o.G, o.y[rb.P1], -h * h, o.y[rb.Y1 + i])


@kernel
def solve_real(m, o):
    """Solve in place for the first right side."""
    blocks.block_solve(m, o.factors[rb.E1 : rb.E1 + 1], o.pivots[0], o.y[rb.Y1 : rb.Y1 + 1], o.y[rb.P1 : rb.P1 + 2])
    without_mu(m, o, rb.Y1)


@kernel
def solve(m, o):
    """Solve in place for all right sides."""
    solve_real(m, o)
    blocks.block_solve(m, o.factors[rb.ER : rb.EI + 1], o.pivots[1], o.y[rb.Y2 : rb.Y3 + 1], o.y[rb.P1 : rb.P1 + 4])
    without_mu(m, o, rb.Y2)
    without_mu(m, o, rb.Y3)


@kernel
def as_one(m, o, i):
    """Row i of o.y: rows that hold rates alone have their right side at the places of lam and of mu, which are one."""
    nr, n = o.c.shape[1], o.y.shape[1] - 2 * o.c.shape[1]
    for j in range(nr if m.head[at.H_RATES] > 0 else 0):
        if o.rated[j] == 1:
            o.y[i, n + j] = o.y[i, n + nr + j]


@kernel
def without_mu(m, o, i):
    """Row i of o.y: rows that hold rates alone have no mu."""
    nr, n = o.c.shape[1], o.y.shape[1] - 2 * o.c.shape[1]
    for j in range(nr if m.head[at.H_RATES] > 0 else 0):
        if o.rated[j] == 1:
            o.y[i, n + nr + j] = 0.0


@kernel
def add_stiffness(m, o, h):
    """Add h^3/g Rq f1 to the right sides; f1 is in the eigenbasis already."""
    s, h3 = ALPHA * ALPHA + BETA * BETA, h * h * h
    gr, gi = ALPHA / s, -BETA / s
    Rq = o.tangent[rb.RQ]
    blocks.add_product(m, Rq, o.f[rb.FX], h3 / GAMMA, o.y[rb.Y1])
    blocks.add_product(m, Rq, o.f[rb.FX + 1], h3 * gr, o.y[rb.Y2])
    blocks.add_product(m, Rq, o.f[rb.FX + 2], -h3 * gi, o.y[rb.Y2])
    blocks.add_product(m, Rq, o.f[rb.FX + 2], h3 * gr, o.y[rb.Y3])
    blocks.add_product(m, Rq, o.f[rb.FX + 1], h3 * gi, o.y[rb.Y3])


@kernel
def add_error(m, o, h):
    """Add h^2 (M a - h/gamma Rq u) of the error's two rates to the first right side."""
    blocks.add_product(m, o.tangent[rb.MASS], o.f[rb.FA], h * h, o.y[rb.Y1])
    blocks.add_product(m, o.tangent[rb.RQ], o.f[rb.FU], -h * h * h / GAMMA, o.y[rb.Y1])


@kernel
def sides(m, r, o, h):
    """Right sides of the constraints; F1 is in the eigenbasis already."""
    n, nr = r.u.shape[0] + m.head[at.H_OUTER], o.c.shape[1]
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    held_sides(m, o, h)
    y1, y2, y3 = o.y[rb.Y1, n : n + nr], o.y[rb.Y2, n : n + nr], o.y[rb.Y3, n : n + nr]
    z1, z2, z3 = o.y[rb.Y1, n + nr :], o.y[rb.Y2, n + nr :], o.y[rb.Y3, n + nr :]
    for j in range(nr):
        a, b, c = o.c[rb.F4, j], o.c[rb.F4 + 1, j], o.c[rb.F4 + 2, j]
        w1 = TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c
        w2 = TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c
        w3 = -(TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
        y1[j], y2[j], y3[j] = -GAMMA * w1, -(ALPHA * w2 - BETA * w3), -(ALPHA * w3 + BETA * w2)
        a, b, c = o.c[rb.F5, j], o.c[rb.F5 + 1, j], o.c[rb.F5 + 2, j]
        z1[j] = -h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
        z2[j] = -h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
        z3[j] = h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
    for i in range(3):
        blocks.add_rows(m, o.G, o.f[rb.FX + i], h, o.y[rb.Y1 + i, n : n + nr])
    blocks.add_rows(m, o.H, o.f[rb.FX], h * h / GAMMA, z1)
    blocks.add_rows(m, o.H, o.f[rb.FX + 1], h * h * gr, z2)
    blocks.add_rows(m, o.H, o.f[rb.FX + 2], -h * h * gi, z2)
    blocks.add_rows(m, o.H, o.f[rb.FX + 2], h * h * gr, z3)
    blocks.add_rows(m, o.H, o.f[rb.FX + 1], h * h * gi, z3)
    for i in range(3):
        as_one(m, o, rb.Y1 + i)


@kernel
def error_sides(m, r, o, h):
    """Right sides of the constraints for the error estimate, whose f1 is -FU: G xi = 0 and G u = 0."""
    n, nr = r.u.shape[0] + m.head[at.H_OUTER], o.c.shape[1]
    for j in range(2 * nr):
        o.y[rb.Y1, n + j] = 0.0
    blocks.add_rows(m, o.G, o.f[rb.FU], -h, o.y[rb.Y1, n : n + nr])
    blocks.add_rows(m, o.H, o.f[rb.FU], -h * h / GAMMA, o.y[rb.Y1, n + nr :])
    as_one(m, o, rb.Y1)


@kernel
def pushed(m, r, o, i):
    """B nu of the solution in row i of o.y, into row FD + i of o.f."""
    blocks.along(m, o.G, o.y[rb.Y1 + i, r.u.shape[0] + m.head[at.H_OUTER] + o.c.shape[1] :], 1.0, o.f[rb.FD + i])
