"""Constraint rows in a step of the generalized-alpha method: Newton's border and right sides.

With the factors p = h^2 be and v = h ge of the end rates E in the increment and in the velocity, Newton's unknowns are
dE, dz', the multipliers dlam and, where velocities are held as well, dmu: the increment gets B mu p besides, with
B = s^2 G^T and the units s of the increments. Rows of positions are divided by p, those of velocities by v, so that
neither the matrix nor its condition depends on the step as it goes to zero:

    [ N             G^T   p Rq B      ]                              [ N   G^T ]
    [ G + (p/v) H   0     (p/v) H B   ]  rows of velocities          [ G   0   ]  positions alone
    [ G             0     G B         ]  rows of positions
"""

from __future__ import annotations

from supple.core.linalg import block_products
from supple.native.declare import kernel


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
    """What the constraint rows make of a change x of the rates, as right sides: y solves for x itself then."""
    nr = m.line_of.shape[0]
    both = y.shape[0] > n + nr
    for j in range(n, y.shape[0]):
        y[j] = 0.0
    block_products.add_rows(m, G, x, 1.0, y[n : n + nr])
    if both:
        block_products.add_rows(m, G, x, 1.0, y[n + nr :])
        block_products.add_rows(m, H, x, p / v, y[n : n + nr])


@kernel
def along(m, y, G, p, n, out):
    """out (nu): the increment B mu p of Newton's mu; zero where velocities are not held."""
    nr = m.line_of.shape[0]
    if y.shape[0] > n + nr:
        block_products.along(m, G, y[n + nr :], p, out)
    else:
        for k in range(out.shape[0]):
            out[k] = 0.0
