"""Newton's matrix of Radau where bodies are many and most couple with few others.

In the dense form mu is eliminated through (G B)^-1 (``radau_rows``), which couples everything with everything. Here
it stays among the unknowns w = h u + B nu, z, h^2 lam and nu = h mu; for an eigenvalue g of the stages

    [g M + h Ru + h^2/g Rq] w - (g M + h Ru) B nu + h^2 Rz z + G^T h^2 lam = - h^2 f2 + h^3/g Rq f1
    - (h/g Gq + Gu) w + Gu B nu + (g - h Gz) z = - h f3 - h^2/g Gq f1
    G w = - g f4 + h G f1
    (G + h/g H) w - G B nu = - h f5 + h^2/g H f1

and unknowns are numbered so that entries stay near the diagonal (``engine/plan.py``). So chains and trees of
free bodies cost as much as they have bodies.
"""

from __future__ import annotations

from supple.core import envelope
from supple.core import layout as at
from supple.core.radau_table import ALPHA, BETA, GAMMA, TI
from supple.core.radau_views import (
    DOWN,
    E1,
    EI,
    END,
    ENDC,
    ER,
    F4,
    F5,
    FD,
    FU,
    FW,
    FX,
    HX,
    LEFT,
    MASS,
    MB,
    P1,
    P2,
    RB,
    RQ,
    RU,
    Y1,
    Y2,
    Y3,
)
from supple.native.declare import kernel


@kernel
def append(row, k):
    """Append k to a list."""
    row[0] += 1
    row[row[0]] = k


@kernel
def prepare(w, o):
    """Lists of entries, and products with B, from the tangents, G in o.G and H in w.solved."""
    Rq, Ru, M, G, H = o.tangent[RQ], o.tangent[RU], o.tangent[MASS], o.G, o.wide[HX]
    nu, nr, nz = Rq.shape[0], o.c.shape[1], o.Gu.shape[0]
    for j in range(nr):
        for i in range(1, o.MB_columns[j, 0] + 1):
            o.wide[MB, j, o.MB_columns[j, i]] = 0.0
            o.wide[RB, j, o.MB_columns[j, i]] = 0.0
        for i in range(1, o.GB_rows[j, 0] + 1):
            o.GB[o.GB_rows[j, i], j] = 0.0
        o.G_columns[j, 0], o.MB_columns[j, 0], o.GB_rows[j, 0] = 0, 0, 0
    for k in range(nu):
        o.R_columns[k, 0], o.R_rows[k, 0], o.G_rows[k, 0] = 0, 0, 0
    for k in range(nu):
        for j in range(nu):
            if M[k, j] != 0.0 or Ru[k, j] != 0.0 or Rq[k, j] != 0.0:
                append(o.R_columns[k], j)
                append(o.R_rows[j], k)
    for j in range(nr):
        for k in range(nu):
            H[j, k] = w.solved[j, k]
            if G[j, k] != 0.0 or H[j, k] != 0.0:
                append(o.G_columns[j], k)
                append(o.G_rows[k], j)
    for j in range(nr):
        for l in range(1, o.G_columns[j, 0] + 1):
            d = o.G_columns[j, l]
            b = o.f[FW, d] * G[j, d]
            for i in range(1, o.R_rows[d, 0] + 1):
                c = o.R_rows[d, i]
                if o.wide[MB, j, c] == 0.0 and o.wide[RB, j, c] == 0.0:
                    append_once(o.MB_columns[j], c)
                o.wide[MB, j, c] += M[c, d] * b
                o.wide[RB, j, c] += Ru[c, d] * b
            for i in range(1, o.G_rows[d, 0] + 1):
                c = o.G_rows[d, i]
                if o.GB[c, j] == 0.0:
                    append_once(o.GB_rows[j], c)
                o.GB[c, j] += G[c, d] * b
        for k in range(nz):
            o.GuB[k, j] = 0.0
            for l in range(1, o.G_columns[j, 0] + 1):
                d = o.G_columns[j, l]
                o.GuB[k, j] += o.Gu[k, d] * o.f[FW, d] * G[j, d]


@kernel
def append_once(row, k):
    """Append k to a list unless it is there: a sum may have come back to zero."""
    for i in range(1, row[0] + 1):
        if row[i] == k:
            return
    append(row, k)


@kernel
def dot(x, y, where):
    """Scalar product of two vectors over a list of entries."""
    s = 0.0
    for i in range(1, where[0] + 1):
        s += x[where[i]] * y[where[i]]
    return s


@kernel
def put(o, i, j, x, y, z):
    """An entry of the real and of the complex matrix."""
    if x == 0.0 and y == 0.0 and z == 0.0:
        return
    o.newton[E1, i, j], o.newton[ER, i, j], o.newton[EI, i, j] = x, y, z
    if j >= o.band[END, i]:
        o.band[END, i] = j + 1
    if i > o.band[DOWN, j]:
        o.band[DOWN, j] = i


@kernel
def clear(o):
    """Zeros where the last factors were."""
    n = o.pivots.shape[1]
    for i in range(n):
        for j in range(o.band[LEFT, i], min(n, o.band[END, i])):
            o.newton[E1, i, j] = 0.0
        for j in range(o.band[LEFT, i], min(n, o.band[ENDC, i])):
            o.newton[ER, i, j] = 0.0
            o.newton[EI, i, j] = 0.0
        o.band[END, i] = i + 1
        o.band[DOWN, i] = i


@kernel
def assemble(m, r, o, h):
    """Entries of Newton's matrices, and where rows and columns end."""
    place = m.plan[m.plan[at.PLAN_NEWTON] :]
    nu, nz, nr = r.u.shape[0], r.z.shape[0], o.c.shape[1]
    n = nu + nz
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    Rq, Ru, M = o.tangent[RQ], o.tangent[RU], o.tangent[MASS]
    clear(o)
    for c in range(nu):
        i = place[c]
        for l in range(1, o.R_columns[c, 0] + 1):
            d = o.R_columns[c, l]
            x, y, z = M[c, d], h * Ru[c, d], h * h * Rq[c, d]
            put(o, i, place[d], GAMMA * x + y + z / GAMMA, ALPHA * x + y + z * gr, BETA * x + z * gi)
        for d in range(nz):
            x, y, z = h * h * o.Rz[c, d], h * o.Gq[d, c], o.Gu[d, c]
            put(o, i, place[nu + d], x, x, 0.0)
            put(o, place[nu + d], i, -y / GAMMA - z, -gr * y - z, -gi * y)
    for c in range(nz):
        for d in range(nz):
            x, y = -h * o.Gz[c, d], (1.0 if c == d else 0.0)
            put(o, place[nu + c], place[nu + d], GAMMA * y + x, ALPHA * y + x, BETA * y)
    for j in range(nr):
        lam, mu = place[n + j], place[n + nr + j]
        for l in range(1, o.G_columns[j, 0] + 1):
            c = o.G_columns[j, l]
            i, x, y = place[c], o.G[j, c], h * o.wide[HX, j, c]
            put(o, i, lam, x, x, 0.0)
            put(o, lam, i, x, x, 0.0)
            put(o, mu, i, x + y / GAMMA, x + gr * y, gi * y)
        for l in range(1, o.MB_columns[j, 0] + 1):
            c = o.MB_columns[j, l]
            x, y = o.wide[MB, j, c], h * o.wide[RB, j, c]
            put(o, place[c], mu, -GAMMA * x - y, -ALPHA * x - y, -BETA * x)
        for l in range(1, o.GB_rows[j, 0] + 1):
            i = o.GB_rows[j, l]
            x = -o.GB[i, j]
            put(o, place[n + nr + i], mu, x, x, 0.0)
        for k in range(nz):
            x = o.GuB[k, j]
            put(o, place[nu + k], mu, x, x, 0.0)
    first = 0  # rows reached by the columns so far have none before these
    for k in range(n + 2 * nr):
        if k > 0 and o.band[DOWN, k - 1] > o.band[DOWN, k]:
            o.band[DOWN, k] = o.band[DOWN, k - 1]
        while first <= o.band[DOWN, k]:
            o.band[LEFT, first] = k
            first += 1
        o.band[ENDC, k] = o.band[END, k]


@kernel
def factorize(m, r, o, h):
    """Factors of both matrices; False if one is singular."""
    assemble(m, r, o, h)
    if not envelope.lu(o.newton[E1], o.pivots[0], o.band[END], o.band[DOWN]):
        return False
    return envelope.lu_complex(o.newton[ER], o.newton[EI], o.pivots[1], o.band[ENDC], o.band[DOWN])


@kernel
def solve_real(m, o):
    """Solve in place for the first right side."""
    place, p, y = m.plan[m.plan[at.PLAN_NEWTON] :], o.y[P1], o.y[Y1]
    for k in range(y.shape[0]):
        p[place[k]] = y[k]
    envelope.solve(o.newton[E1], o.pivots[0], o.band[END], o.band[DOWN], p)
    for k in range(y.shape[0]):
        y[k] = p[place[k]]


@kernel
def solve(m, o):
    """Solve in place for all right sides."""
    solve_real(m, o)
    place, p, q = m.plan[m.plan[at.PLAN_NEWTON] :], o.y[P1], o.y[P2]
    for k in range(p.shape[0]):
        p[place[k]], q[place[k]] = o.y[Y2, k], o.y[Y3, k]
    envelope.solve_complex(o.newton[ER], o.newton[EI], o.pivots[1], o.band[ENDC], o.band[DOWN], p, q)
    for k in range(p.shape[0]):
        o.y[Y2, k], o.y[Y3, k] = p[place[k]], q[place[k]]


@kernel
def sides(r, o, h):
    """Right sides of the constraints; F1 is in the eigenbasis already."""
    n, nr = r.u.shape[0] + r.z.shape[0], o.c.shape[1]
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    y1, y2, y3 = o.y[Y1], o.y[Y2], o.y[Y3]
    for j in range(nr):
        G, H, of = o.G[j], o.wide[HX, j], o.G_columns[j]
        a, b, c = o.c[F4, j], o.c[F4 + 1, j], o.c[F4 + 2, j]
        w1 = TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c
        w2 = TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c
        w3 = -(TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
        y1[n + j] = -GAMMA * w1 + h * dot(G, o.f[FX], of)
        y2[n + j] = -(ALPHA * w2 - BETA * w3) + h * dot(G, o.f[FX + 1], of)
        y3[n + j] = -(ALPHA * w3 + BETA * w2) + h * dot(G, o.f[FX + 2], of)
        a, b, c = o.c[F5, j], o.c[F5 + 1, j], o.c[F5 + 2, j]
        x1, x2, x3 = dot(H, o.f[FX], of), dot(H, o.f[FX + 1], of), dot(H, o.f[FX + 2], of)
        i = n + nr + j
        y1[i] = -h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c) + h * h / GAMMA * x1
        y2[i] = -h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c) + h * h * (gr * x2 - gi * x3)
        y3[i] = h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c) + h * h * (gr * x3 + gi * x2)


@kernel
def error_sides(r, o, h):
    """Right sides of the constraints for the error estimate, whose f1 is -FU: G xi = 0 and G u = 0."""
    n, nr = r.u.shape[0] + r.z.shape[0], o.c.shape[1]
    for j in range(nr):
        of = o.G_columns[j]
        o.y[Y1, n + j] = -h * dot(o.G[j], o.f[FU], of)
        o.y[Y1, n + nr + j] = -h * h / GAMMA * dot(o.wide[HX, j], o.f[FU], of)


@kernel
def pushed(r, o, i):
    """B nu of the solution in row i of o.y, into row FD + i of o.f."""
    nu, nr = r.u.shape[0], o.c.shape[1]
    n = nu + r.z.shape[0] + nr
    d, y = o.f[FD + i], o.y[Y1 + i]
    for k in range(nu):
        d[k] = 0.0
    for j in range(nr):
        x = y[n + j]
        for l in range(1, o.G_columns[j, 0] + 1):
            k = o.G_columns[j, l]
            d[k] += o.G[j, k] * x
    for k in range(nu):
        d[k] *= o.f[FW, k]
