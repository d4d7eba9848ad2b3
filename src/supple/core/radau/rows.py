"""Constraint rows in Radau's Newton iteration, mu eliminated: see ``radau_stages``.

Rows that hold rates alone, A u + b = 0, have no mu. Their residual r follows u and the place, K = d(A u)/dq, so that for an
eigenvalue g, with K' = K - A P,

    (A + h/g K') w = -h r + A d + h^2/g K' f1

while their multipliers act through A^T: such a row of Newton's matrix is not the transpose of its column. In G B, over which mu is
eliminated, they have ones on the diagonal and nothing else. The error of a step is along A u + K xi = 0.

Large models take ``radau_blocks`` instead.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE
from supple.core.equations import kkt
from supple.core.linalg import dense as linalg
from supple.core.linalg.multifrontal import by_blocks
from supple.core.radau import blocks as radau_blocks
from supple.core.radau import buffers as rb
from supple.core.radau.stages import ALPHA, BETA, GAMMA, TI, TT
from supple.core.run import step as st
from supple.core.run.step import flushed
from supple.native.declare import REAL, kernel, shared


@kernel
def prepare(m, w, r, o):
    """Parts of Newton's matrix from G in o.G and H in w.solved; False where rows depend on others."""
    nu, nr = o.f.shape[1], o.G.shape[0]
    if by_blocks(m):
        return True
    b = o.f[rb.FB]
    for j in range(nr):
        for k in range(nu):
            b[k] = o.f[rb.FW, k] * o.G[j, k]
        for i in range(j, nr):
            o.GB[i, j] = dot(o.G[i], b)
    if m.head[at.H_RATES] > 0:
        leave_rates(o)
    if kkt.factor_in_place(o.GB) >= 0:
        return False
    turn_tangents(w, o)
    if m.head[at.H_RATES] > 0:
        turn_rates(w, o)
    return True


@kernel
def leave_rates(o):
    """Ones on the diagonal of G B, and nothing beside them, for rows that hold rates alone."""
    nr = o.GB.shape[0]
    for j in range(nr):
        if o.rated[o.kept[j]] == 1:
            for i in range(nr):
                o.GB[i, j], o.GB[j, i] = 0.0, 0.0
            o.GB[j, j] = 1.0


@kernel
def turn_rates(w, o):
    """K' = K - A P of rows that hold rates alone, from K in w.solved."""
    nu = o.f.shape[1]
    P = o.tangent[rb.PX]
    for j in range(o.K.shape[0]):
        l = o.kept[j]
        for k in range(nu):
            o.K[j, k] = 0.0
        if o.rated[l] == 1:
            for k in range(nu):
                o.K[j, k] = w.solved[l, o.free[k]]
            for i in range(nu):
                x = o.G[j, i]
                if x != 0.0:
                    for k in range(nu):
                        o.K[j, k] -= x * P[i, k]


@kernel
def rate_sides(o, h):
    """Right sides of rows that hold rates alone; F1 is in the eigenbasis already, and d in the rows FD of o.f."""
    n, s = o.f.shape[1] + o.Gz.shape[0], ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    y1, y2, y3, h2 = o.y[rb.Y1], o.y[rb.Y2], o.y[rb.Y3], h * h
    for j in range(o.K.shape[0]):
        l = o.kept[j]
        if o.rated[l] == 1:
            a, b, c = o.c[rb.F5, l], o.c[rb.F5 + 1, l], o.c[rb.F5 + 2, l]
            k1, k2, k3 = dot(o.K[j], o.f[rb.FX]), dot(o.K[j], o.f[rb.FX + 1]), dot(o.K[j], o.f[rb.FX + 2])
            y1[n + j] = h2 / GAMMA * k1 + dot(o.G[j], o.f[rb.FD]) - h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
            y2[n + j] = h2 * (gr * k2 - gi * k3) + dot(o.G[j], o.f[rb.FD + 1]) - h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
            y3[n + j] = h2 * (gr * k3 + gi * k2) + dot(o.G[j], o.f[rb.FD + 2]) + h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)


@kernel
def turn_tangents(w, o):
    """P = B (G B)^-1 H from H in w.solved; then Ru - M P, Rq - Ru P and Gq - Gu P in place of the tangents."""
    nu, nr = o.f.shape[1], o.G.shape[0]
    P, Rq, Ru, M, kept = o.tangent[rb.PX], o.tangent[rb.RQ], o.tangent[rb.RU], o.tangent[rb.MASS], o.tangent[rb.RU0]
    x = o.d[0]
    for k in range(nu):
        for j in range(nr):
            x[j] = w.solved[o.kept[j], o.free[k]] if o.rated[o.kept[j]] == 0 else 0.0
        linalg.cholesky_solve(o.GB, x)
        for i in range(nu):
            P[i, k] = 0.0
        for j in range(nr):
            for i in range(nu):
                P[i, k] += o.G[j, i] * x[j]
        for i in range(nu):
            P[i, k] *= o.f[rb.FW, i]
    st.copy_rows(Ru, kept)
    subtract_product(kept, P, Rq)
    subtract_product(M, P, Ru)
    subtract_product(o.Gu, P, o.Gq)


@kernel
def subtract_product(a, b, c):
    """c -= a b for matrices."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            x = a[i, j]
            if x != 0.0:
                for k in range(b.shape[1]):
                    c[i, k] -= x * b[j, k]


@kernel
def dot(x, y):
    """Scalar product."""
    s = 0.0
    for k in range(x.shape[0]):
        s += x[k] * y[k]
    return s


@kernel
def border(r, o, h):
    """Newton's rows and columns of the constraints."""
    nu, nz, nr = o.f.shape[1], o.Gz.shape[0], o.G.shape[0]
    n = nu + nz
    e, x, y = o.newton[rb.E1], o.newton[rb.ER], o.newton[rb.EI]
    for j in range(nr):
        for k in range(nu):
            g = o.G[j, k]
            e[k, n + j], x[k, n + j], y[k, n + j] = g, g, 0.0
            e[n + j, k], x[n + j, k], y[n + j, k] = g, g, 0.0
        for k in range(nz):
            i = nu + k
            e[i, n + j], x[i, n + j], y[i, n + j] = 0.0, 0.0, 0.0
            e[n + j, i], x[n + j, i], y[n + j, i] = 0.0, 0.0, 0.0
        for k in range(nr):
            e[n + j, n + k], x[n + j, n + k], y[n + j, n + k] = 0.0, 0.0, 0.0
    s = ALPHA * ALPHA + BETA * BETA
    for j in range(o.K.shape[0]):  # none where all rows have positions
        for k in range(nu):
            g = h * o.K[j, k]
            e[n + j, k] += g / GAMMA
            x[n + j, k] += g * ALPHA / s
            y[n + j, k] -= g * BETA / s


@kernel
def stabilize(r, o, h, mu, y, d):
    """mu (rows) holds G w - G h u - h H xi; d = B (G B)^-1 mu, and the rows of y take the damping part h Ru d.

    What d does through M is left to the caller: its factor is the eigenvalue.
    """
    nu, nz = o.f.shape[1], o.Gz.shape[0]
    linalg.cholesky_solve(o.GB, mu)
    for k in range(nu):
        d[k] = 0.0
    for j in range(mu.shape[0]):
        for k in range(nu):
            d[k] += o.G[j, k] * mu[j]
    for k in range(nu):
        d[k] *= o.f[rb.FW, k]
    for k in range(nu):
        y[k] += h * dot(o.tangent[rb.RU0, k], d)
    for k in range(nz):
        y[nu + k] -= dot(o.Gu[k], d)


@kernel
def difference(o, k, f):
    """Row k of -M P, which is the change of Ru, times f."""
    s = 0.0
    for j in range(f.shape[0]):
        s += (o.tangent[rb.RU, k, j] - o.tangent[rb.RU0, k, j]) * f[j]
    return s


@shared(TREE, st.RUN, rb.OWN, REAL)
def constraint_sides(m, r, o, h):
    """Right sides with constraints; F1 is in the eigenbasis already. Leaves d in the rows FD of o.f."""
    if by_blocks(m):
        radau_blocks.sides(m, r, o, h)
        return
    nu, n, nr = o.f.shape[1], o.f.shape[1] + o.Gz.shape[0], o.G.shape[0]
    y1, y2, y3 = o.y[rb.Y1], o.y[rb.Y2], o.y[rb.Y3]
    for j in range(nr):
        l = o.kept[j]
        a, b, c = o.c[rb.F4, l], o.c[rb.F4 + 1, l], o.c[rb.F4 + 2, l]
        w1 = TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c
        w2 = TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c
        w3 = -(TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
        # g' xi = -g: G w = -gamma g + h G F1
        y1[n + j] = -GAMMA * w1 + h * dot(o.G[j], o.f[rb.FX])
        y2[n + j] = -(ALPHA * w2 - BETA * w3) + h * dot(o.G[j], o.f[rb.FX + 1])
        y3[n + j] = -(ALPHA * w3 + BETA * w2) + h * dot(o.G[j], o.f[rb.FX + 2])
        # and h mu from G h u = -h (G u + g_t)
        a, b, c = o.c[rb.F5, l], o.c[rb.F5 + 1, l], o.c[rb.F5 + 2, l]
        o.d[0, j] = y1[n + j] + h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
        o.d[1, j] = y2[n + j] + h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
        o.d[2, j] = y3[n + j] - h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
    for j in range(o.K.shape[0]):
        if o.rated[o.kept[j]] == 1:
            o.d[0, j], o.d[1, j], o.d[2, j] = 0.0, 0.0, 0.0
    for i in range(3):
        stabilize(r, o, h, o.d[i], o.y[rb.Y1 + i], o.f[rb.FD + i])
    if o.K.shape[0] > 0:
        rate_sides(o, h)
    for k in range(nu):
        a, b, c = dot(o.tangent[rb.MASS, k], o.f[rb.FD]), dot(o.tangent[rb.MASS, k], o.f[rb.FD + 1]), dot(o.tangent[rb.MASS, k], o.f[rb.FD + 2])
        y1[k] += GAMMA * a + h * h * difference(o, k, o.f[rb.FX])
        y2[k] += ALPHA * b - BETA * c + h * h * difference(o, k, o.f[rb.FX + 1])
        y3[k] += ALPHA * c + BETA * b + h * h * difference(o, k, o.f[rb.FX + 2])


@kernel
def constraint_update(r, o, h):
    """Add Newton's multipliers to the stages."""
    n = o.f.shape[1] + o.Gz.shape[0]
    y1, y2, y3 = o.y[rb.Y1], o.y[rb.Y2], o.y[rb.Y3]
    for j in range(o.d.shape[1]):
        for i in range(3):
            d, lam = TT[i, 0] * y1[n + j] + TT[i, 1] * y2[n + j] - TT[i, 2] * y3[n + j], o.c[rb.LAM + i]
            o.d[i, j] = d / (h * h)
            lam[o.kept[j]] = flushed(lam[o.kept[j]] + o.d[i, j])


@kernel
def velocity_update(m, r, o, h):
    """h u from the solutions w, with xi in FX, and B mu of the stages."""
    blocked = by_blocks(m)
    for i in range(3):
        if blocked:
            radau_blocks.pushed(m, r, o, i)
    for k in range(o.f.shape[1]):
        for i in range(3):
            if not blocked:
                o.f[rb.FD + i, k] += h * dot(o.tangent[rb.PX, k], o.f[rb.FX + i])
            o.y[rb.Y1 + i, k] -= o.f[rb.FD + i, k]
        for i in range(3):
            d = TT[i, 0] * o.f[rb.FD, k] + TT[i, 1] * o.f[rb.FD + 1, k] - TT[i, 2] * o.f[rb.FD + 2, k]
            mu = o.u[rb.BMU + i]
            mu[o.free[k]] = flushed(mu[o.free[k]] + d / h)


@kernel
def error_sides(m, r, o, h):
    """Right sides for the error estimate: no error along the constraints' normals, G xi = 0 and G u = 0."""
    if by_blocks(m):
        radau_blocks.error_sides(m, r, o, h)
        return
    nu, n, y = o.f.shape[1], o.f.shape[1] + o.Gz.shape[0], o.y[rb.Y1]
    for j in range(o.G.shape[0]):
        y[n + j] = -h * dot(o.G[j], o.f[rb.FU])
        o.d[0, j] = y[n + j]
    for j in range(o.K.shape[0]):
        if o.rated[o.kept[j]] == 1:
            o.d[0, j] = 0.0
    stabilize(r, o, h, o.d[0], y, o.f[rb.FD])
    for j in range(o.K.shape[0]):
        if o.rated[o.kept[j]] == 1:
            y[n + j] = dot(o.G[j], o.f[rb.FD]) - h * h / GAMMA * dot(o.K[j], o.f[rb.FU])
    for k in range(nu):
        y[k] += GAMMA * dot(o.tangent[rb.MASS, k], o.f[rb.FD]) - h * h * difference(o, k, o.f[rb.FU])


@kernel
def error_update(m, r, o, h):
    """h u from the solution w, with xi in FU."""
    blocked = by_blocks(m)
    if blocked:
        radau_blocks.pushed(m, r, o, 0)
    for k in range(o.f.shape[1]):
        if not blocked:
            o.f[rb.FD, k] += h * dot(o.tangent[rb.PX, k], o.f[rb.FU])
        o.y[rb.Y1, k] -= o.f[rb.FD, k]
