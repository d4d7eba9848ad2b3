"""Tangents of the elements of gradient bodies; see ``gradient`` for the symbols."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import ancf as gradient
from supple.core.bodies.ancf import (
    DAMPED,
    P_ENTRY,
    P_ROW,
    P_ROWS,
    P_STRAINS,
    P_TERM,
    POINTS,
    TERM_A,
    TERM_B,
    TERM_STRAIN,
    clear,
)
from supple.native.declare import INT, MAT, VEC, block, kernel, shared


@kernel
def slopes(terms, factors, r, B):
    """B (strains, 3 rows) = d eps/d r at r; it is linear in r, so that at r' it is its rate."""
    clear(B)
    for t in range(terms.shape[0]):
        i, a, b, c = terms[t, TERM_STRAIN], terms[t, TERM_A], terms[t, TERM_B], factors[t]
        for l in range(3):
            B[i, 3 * a + l] += c * r[b, l]
            B[i, 3 * b + l] += c * r[a, l]


@kernel
def add_products(D, B, C, H):
    """H += B^T D C."""
    for i in range(D.shape[0]):
        for j in range(D.shape[0]):
            if D[i, j] != 0.0:
                for a in range(H.shape[0]):
                    s, row, own = D[i, j] * B[i, a], H[a], C[j]
                    for b in range(H.shape[1]):
                        row[b] += s * own[b]


@kernel
def add_to_vectors(S, H, half, K):
    """K += S^T H S, each entry of S times the unit matrix (3, 3); ``half`` is scratch."""
    n, k = S.shape
    for a in range(3 * n):
        row, own = half[a], H[a]
        for l in range(k):
            x, y, z = 0.0 * own[0], 0.0 * own[0], 0.0 * own[0]
            for b in range(n):
                s = S[b, l]
                x += s * own[3 * b]
                y += s * own[3 * b + 1]
                z += s * own[3 * b + 2]
            row[3 * l], row[3 * l + 1], row[3 * l + 2] = x, y, z
    for a in range(n):
        for l in range(k):
            s = S[a, l]
            if s != 0.0:
                for i in range(3):
                    row, own = K[3 * l + i], half[3 * a + i]
                    for j in range(3 * k):
                        row[j] += s * own[j]


@kernel
def point_tangent(m, s, table, K, p, terms, damped, w):
    """Add the tangents of a point to those of its element, from what ``point_stress`` left."""
    x, n, N = m.flex_data, p[P_ROWS], p[P_STRAINS]
    S = block(x, table.rows + K * p[P_ROW], n, K)
    factors = x[table.factors + p[P_TERM] : table.factors + p[P_TERM] + terms.shape[0]]
    B, H, half = block(w, s.B, N, 3 * n), block(w, s.H, 3 * n, 3 * n), block(w, s.half, 3 * n, 3 * K)
    slopes(terms, factors, block(w, s.r, n, 3), B)
    clear(H)
    for t in range(terms.shape[0]):
        a, b, c = terms[t, TERM_A], terms[t, TERM_B], factors[t] * w[s.sigma + terms[t, TERM_STRAIN]]
        for i in range(3):
            H[3 * a + i, 3 * b + i] += c
            H[3 * b + i, 3 * a + i] += c
    add_products(block(x, table.elasticity + p[P_ENTRY], N, N), B, B, H)
    if damped:
        C, D = block(w, s.B_rate, N, 3 * n), block(x, table.viscosity + p[P_ENTRY], N, N)
        slopes(terms, factors, block(w, s.r_rate, n, 3), C)
        add_products(D, B, C, H)
        G = block(w, s.H_rate, 3 * n, 3 * n)
        clear(G)
        add_products(D, B, B, G)
        add_to_vectors(S, G, half, block(w, s.K_rate, 3 * K, 3 * K))
    add_to_vectors(S, H, half, block(w, s.K, 3 * K, 3 * K))


@kernel
def spread(m, vectors, first, own, R):
    """Add a matrix (3 K, 3 K) of an element to R (nu, nu)."""
    n = own.shape[0] // 3
    for k in range(n):
        i = first + 3 * m.gradient_int[vectors + k]
        for l in range(n):
            j = first + 3 * m.gradient_int[vectors + l]
            for a in range(3):
                row, mine = R[m.row_of[i + a]], own[3 * k + a]
                for b in range(3):
                    row[j + b] += mine[3 * l + b]


@shared(TREE, WORK, INT, VEC, VEC, MAT, MAT)
def gradient_differentiate(m, w, g, q, u, Rq, Ru):
    """Add the tangents of elastic and viscous forces of gradient body g to Rq and Ru (nu, nu)."""
    b, y = m.gradient[g], w.flex
    for k in range(b[at.GRADIENT_ELEMENTS]):
        t, data, vectors = gradient.element_of(m, b, k)
        table, K, R, N = gradient.table_of(m, t, data)
        s = gradient.locate_scratch(b[at.GRADIENT_WORK], K, R, N)
        damped = m.gradient_int[t + DAMPED] == 1
        gradient.gather(m, vectors, K, q, b[at.GRADIENT_Q0], block(y, s.e, K, 3))
        own, rate = block(y, s.K, 3 * K, 3 * K), block(y, s.K_rate, 3 * K, 3 * K)
        clear(own)
        if damped:
            gradient.gather(m, vectors, K, u, b[at.GRADIENT_U0], block(y, s.rate, K, 3))
            clear(rate)
        for c in range(K):
            for d in range(K):
                for i in range(3):
                    own[3 * c + i, 3 * d + i] += m.flex_data[table.stiffness + c * K + d]
        for p in range(m.gradient_int[t + POINTS]):
            point, terms = gradient.point_of(m, t, table.points, table.terms, p)
            gradient.point_stress(m, s, table, K, point, terms, damped, y)
            point_tangent(m, s, table, K, point, terms, damped, y)
        spread(m, vectors, b[at.GRADIENT_U0], own, Rq)
        if damped:
            spread(m, vectors, b[at.GRADIENT_U0], rate, Ru)
