"""Bodies without a frame: nodal vectors in world axes, elements that are data.

A material point is at r = sum_k s_k e_k with the nodal vectors e_k (places and gradients) of its element and constant
shapes. So the mass matrix is constant, gravity a constant vector, and nothing else depends on velocities but damping.
What an element is made of is in its table (``fem/nodal/ancf_table.py``): at a point rows S give vectors r_a = S_a e, and

    eps_i = sum c (r_a . r_b) - rest_i     B = d eps/d r     sigma = D eps + D' B r'
    f = S^T B^T sigma + C e                energy = 1/2 eps . D eps + 1/2 e . C e
    Kq = S^T (sum_i sigma_i d2 eps_i + B^T (D B + D' B(r'))) S + C     Ku = S^T B^T D' B S

One kernel serves all of them, cables, beams, plates and solids; it allocates nothing and works in its body's scratch.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import Part, Record
from supple.core.base.layout import TREE, WORK
from supple.native.declare import INT, MAT, REAL, VEC, block, kernel, shared

# Head of a table: numbers of nodal vectors, points, rows, terms, strains, entries of D; most rows and strains of a point;
# 1 if rates of strain have stresses
VECTORS, POINTS, ROWS, TERMS, STRAINS, ENTRIES, MOST_ROWS, MOST_STRAINS, DAMPED, TABLE_HEAD = range(10)
# A point: first row, rows, first term, terms, first strain, strains, first entry of D
P_ROW, P_ROWS, P_TERM, P_TERMS, P_STRAIN, P_STRAINS, P_ENTRY, POINT_INTS = range(8)
TERM_STRAIN, TERM_A, TERM_B, GRADIENT_TERM = range(4)

TABLE_RECORD = Record(
    "Table", __name__,
    Part("ints", "int64", {"head": TABLE_HEAD, "points": ("P", POINT_INTS), "terms": ("T", GRADIENT_TERM)}),
    Part("reals", "float64", {
        "rows": ("R", "K"),
        "factors": "T",
        "rest": "N",
        "elasticity": "Q",
        "viscosity": "Q",
        "mass": ("K", "K"),
        "stiffness": ("K", "K"),
        "weight": "K",
    }),
    head={},
    given=("K", "P", "R", "T", "N", "Q"),
)
Table, locate_table = TABLE_RECORD.views, TABLE_RECORD.locate
# Scratch of one element with K vectors and of its points with R rows and N strains
SCRATCH_RECORD = Record(
    "Scratch", __name__,
    Part("work", "float64", {
        "e": ("K", 3),
        "rate": ("K", 3),
        "f": ("K", 3),
        "r": ("R", 3),
        "r_rate": ("R", 3),
        "g": ("R", 3),
        "eps": "N",
        "eps_rate": "N",
        "sigma": "N",
        "B": ("N", "3 * R"),  # d eps/d r
        "B_rate": ("N", "3 * R"),
        "H": ("3 * R", "3 * R"),  # d (B^T sigma)/d r
        "H_rate": ("3 * R", "3 * R"),
        "half": ("3 * R", "3 * K"),  # H S
        "K": ("3 * K", "3 * K"),
        "K_rate": ("3 * K", "3 * K"),
    }),
    head={},
    given=("K", "R", "N"),
)
Scratch, locate_scratch = SCRATCH_RECORD.views, SCRATCH_RECORD.locate
# Sums over gradient bodies: kinetic energy, potential of gravity, momentum [angular about the world's origin; linear]
SUM_KINETIC, SUM_POTENTIAL, SUM_MOMENTUM, SUMS = 0, 1, 2, at.SUMS


@kernel
def element_of(m, b, k):
    """Integers of element k of body row b."""
    e = b[at.GRADIENT_AT] + k * at.GRADIENT_ELEMENT
    return m.gradient_int[e], m.gradient_int[e + 1], m.gradient_int[e + 2]


@kernel
def table_of(m, t, data):
    """Places of what a table has, whose integers begin at t and its reals at ``data``; numbers of vectors, rows, strains."""
    h = m.gradient_int
    K, R, N = h[t + VECTORS], h[t + MOST_ROWS], h[t + MOST_STRAINS]
    return locate_table(t, data, K, h[t + POINTS], h[t + ROWS], h[t + TERMS], h[t + STRAINS], h[t + ENTRIES]), K, R, N


@kernel
def places_of(m, b, k):
    """Table of element k of body row b: where its integers begin, places of what it has, vectors, places of the scratch.

    Neighbours mostly have the same one, with which they share all of these.
    """
    t, data, _ = element_of(m, b, k)
    table, K, R, N = table_of(m, t, data)
    return t, table, K, locate_scratch(b[at.GRADIENT_WORK], K, R, N)


@kernel
def gather(m, vectors, K, x, first, out):
    """Nodal vectors (K, 3) of an element from all coordinates, or rates, of the model."""
    own = block(m.gradient_int, vectors, K)
    for k in range(K):
        v = block(x, first + 3 * own[k], 3)
        out[k, 0], out[k, 1], out[k, 2] = v[0], v[1], v[2]


@kernel
def take_from_efforts(m, w, vectors, first, f):
    """Subtract f (K, 3) of an element from the efforts."""
    own = block(m.gradient_int, vectors, f.shape[0])
    for k in range(f.shape[0]):
        v = block(w.effort, first + 3 * own[k], 3)
        for i in range(3):
            v[i] -= f[k, i]


@kernel
def vectors_at(S, e, r):
    """r = S e for the rows of a point."""
    for a in range(S.shape[0]):
        x, y, z = 0.0 * e[0, 0], 0.0 * e[0, 0], 0.0 * e[0, 0]
        for k in range(S.shape[1]):
            s = S[a, k]
            x += s * e[k, 0]
            y += s * e[k, 1]
            z += s * e[k, 2]
        r[a, 0], r[a, 1], r[a, 2] = x, y, z


@kernel
def strains_at(terms, factors, rest, r, eps):
    """eps = sum of c (r_a . r_b) - rest."""
    for i in range(rest.shape[0]):
        eps[i] = -rest[i]
    for t in range(terms.shape[0]):
        x, y = r[terms[t, TERM_A]], r[terms[t, TERM_B]]
        eps[terms[t, TERM_STRAIN]] += factors[t] * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2])


@kernel
def strain_rates_at(terms, factors, r, v, eps):
    """Rates of the strains, v the rates of r."""
    for i in range(eps.shape[0]):
        eps[i] = 0.0
    for t in range(terms.shape[0]):
        a, b = terms[t, TERM_A], terms[t, TERM_B]
        s = r[a, 0] * v[b, 0] + r[a, 1] * v[b, 1] + r[a, 2] * v[b, 2]
        s += v[a, 0] * r[b, 0] + v[a, 1] * r[b, 1] + v[a, 2] * r[b, 2]
        eps[terms[t, TERM_STRAIN]] += factors[t] * s


@kernel
def stresses(D, eps, sigma):
    """sigma += D eps; returns eps . D eps."""
    total = 0.0 * eps[0]
    for i in range(D.shape[0]):
        s = 0.0 * eps[0]
        for j in range(D.shape[0]):
            s += D[i, j] * eps[j]
        sigma[i] += s
        total += s * eps[i]
    return total


@kernel
def clear(x):
    """Zeros in a matrix."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = 0.0


@kernel
def constant_force(m, C, e, f):
    """f += C e for the constant stiffness of a table at C; returns e . C e."""
    K, total = f.shape[0], 0.0 * e[0, 0]
    matrix = block(m.flex_data, C, K, K)
    for k in range(K):
        x, y, z, row = 0.0 * e[0, 0], 0.0 * e[0, 0], 0.0 * e[0, 0], matrix[k]
        for l in range(K):
            x += row[l] * e[l, 0]
            y += row[l] * e[l, 1]
            z += row[l] * e[l, 2]
        f[k, 0] += x
        f[k, 1] += y
        f[k, 2] += z
        total += x * e[k, 0] + y * e[k, 1] + z * e[k, 2]
    return total


@kernel
def point_of(m, t, at_points, at_terms, p):
    """Integers of point p of a table, and its terms."""
    x = block(m.gradient_int, at_points + p * POINT_INTS, POINT_INTS)
    return x, block(m.gradient_int, at_terms + GRADIENT_TERM * x[P_TERM], x[P_TERMS], GRADIENT_TERM)


@kernel
def point_stress(m, s, table, K, p, terms, damped, w):
    """Vectors, strains and stresses of a point into the scratch; returns twice its energy, and what damping takes."""
    x, n = m.flex_data, p[P_STRAINS]
    S = block(x, table.rows + K * p[P_ROW], p[P_ROWS], K)
    r, v, e = block(w, s.r, p[P_ROWS], 3), block(w, s.r_rate, p[P_ROWS], 3), block(w, s.e, K, 3)
    eps, rates, sigma = block(w, s.eps, n), block(w, s.eps_rate, n), block(w, s.sigma, n)
    factors = block(x, table.factors + p[P_TERM], p[P_TERMS])
    vectors_at(S, e, r)
    strains_at(terms, factors, block(x, table.rest + p[P_STRAIN], n), r, eps)
    for i in range(n):
        sigma[i] = 0.0
    energy, lost = stresses(block(x, table.elasticity + p[P_ENTRY], n, n), eps, sigma), 0.0 * e[0, 0]
    if damped:
        vectors_at(S, block(w, s.rate, K, 3), v)
        strain_rates_at(terms, factors, r, v, rates)
        lost = stresses(block(x, table.viscosity + p[P_ENTRY], n, n), rates, sigma)
    return energy, lost


@kernel
def point_force(m, s, table, K, p, terms, w):
    """f += S^T B^T sigma of a point, from what ``point_stress`` left."""
    x, n = m.flex_data, p[P_ROWS]
    S = block(x, table.rows + K * p[P_ROW], n, K)
    r, g, f = block(w, s.r, n, 3), block(w, s.g, n, 3), block(w, s.f, K, 3)
    factors, sigma = block(x, table.factors + p[P_TERM], terms.shape[0]), block(w, s.sigma, p[P_STRAINS])
    clear(g)
    for t in range(terms.shape[0]):
        ga, gb, ra, rb = g[terms[t, TERM_A]], g[terms[t, TERM_B]], r[terms[t, TERM_A]], r[terms[t, TERM_B]]
        c = factors[t] * sigma[terms[t, TERM_STRAIN]]
        for i in range(3):
            ga[i] += c * rb[i]
            gb[i] += c * ra[i]
    for k in range(K):
        u, v, y = f[k, 0], f[k, 1], f[k, 2]
        for a in range(n):
            u += S[a, k] * g[a, 0]
            v += S[a, k] * g[a, 1]
            y += S[a, k] * g[a, 2]
        f[k, 0], f[k, 1], f[k, 2] = u, v, y


@kernel
def element_forces(m, w, b, t, table, K, s, vectors, q, u):
    """Elastic and viscous forces of an element of body row b into its scratch s; what damping takes."""
    y, damped = w.flex, m.gradient_int[t + DAMPED] == 1
    e, f = block(y, s.e, K, 3), block(y, s.f, K, 3)
    gather(m, vectors, K, q, b[at.GRADIENT_Q0], e)
    if damped:
        gather(m, vectors, K, u, b[at.GRADIENT_U0], block(y, s.rate, K, 3))
    clear(f)
    constant_force(m, table.stiffness, e, f)
    lost = 0.0 * q[0]
    for p in range(m.gradient_int[t + POINTS]):
        point, terms = point_of(m, t, table.points, table.terms, p)
        lost = lost + point_stress(m, s, table, K, point, terms, damped, y)[1]
        point_force(m, s, table, K, point, terms, y)
    return lost


@kernel
def element_energy(m, w, b, t, table, K, s, vectors, q):
    """Strain energy of an element of body row b."""
    y, damped = w.flex, K < 0  # no: a literal would compile the callee again
    e, f = block(y, s.e, K, 3), block(y, s.f, K, 3)
    gather(m, vectors, K, q, b[at.GRADIENT_Q0], e)
    energy = constant_force(m, table.stiffness, e, f)
    for p in range(m.gradient_int[t + POINTS]):
        point, terms = point_of(m, t, table.points, table.terms, p)
        energy = energy + point_stress(m, s, table, K, point, terms, damped, y)[0]
    return 0.5 * energy


@shared(TREE, WORK, INT, VEC, VEC, gives=REAL)
def gradient_apply(m, w, g, q, u):
    """Subtract from the efforts the elastic and viscous forces of gradient body g, add its weight.

    Returns the power that damping takes.
    """
    b, lost = m.gradient[g], 0.0 * q[0]
    known, table, K, s = places_of(m, b, 0)
    for k in range(b[at.GRADIENT_ELEMENTS]):
        t, _, vectors = element_of(m, b, k)
        if t != known:
            known, table, K, s = places_of(m, b, k)
        lost = lost + element_forces(m, w, b, t, table, K, s, vectors, q, u)
        f = block(w.flex, s.f, K, 3)
        weight = block(m.flex_data, table.weight, K)
        for l in range(K):
            for i in range(3):
                f[l, i] -= weight[l] * m.gravity[i]
        take_from_efforts(m, w, vectors, b[at.GRADIENT_U0], f)
    return lost


@shared(TREE, WORK, VEC, gives=REAL)
def gradient_strain(m, w, q):
    """Strain energy of all gradient bodies (J)."""
    total = 0.0 * q[0]
    for g in range(m.gradient.shape[0]):
        b = m.gradient[g]
        known, table, K, s = places_of(m, b, 0)
        for k in range(b[at.GRADIENT_ELEMENTS]):
            t, _, vectors = element_of(m, b, k)
            if t != known:
                known, table, K, s = places_of(m, b, k)
            total = total + element_energy(m, w, b, t, table, K, s, vectors, q)
    return total


@shared(TREE, WORK, VEC)
def gradient_inertia(m, w, a):
    """Subtract M a of all gradient bodies from the efforts."""
    for g in range(m.gradient.shape[0]):
        b = m.gradient[g]
        known, table, K, s = places_of(m, b, 0)
        for k in range(b[at.GRADIENT_ELEMENTS]):
            t, _, vectors = element_of(m, b, k)
            if t != known:
                known, table, K, s = places_of(m, b, k)
            rates, f = block(w.flex, s.rate, K, 3), block(w.flex, s.f, K, 3)
            gather(m, vectors, K, a, b[at.GRADIENT_U0], rates)
            vectors_at(block(m.flex_data, table.mass, K, K), rates, f)
            take_from_efforts(m, w, vectors, b[at.GRADIENT_U0], f)


@shared(TREE, MAT)
def gradient_mass(m, M):
    """Add the mass of gradient bodies to M (nu, nu)."""
    for g in range(m.gradient.shape[0]):
        b = m.gradient[g]
        for k in range(b[at.GRADIENT_ELEMENTS]):
            t, data, vectors = element_of(m, b, k)
            table, K, _, _ = table_of(m, t, data)
            for c in range(K):
                i = b[at.GRADIENT_U0] + 3 * m.gradient_int[vectors + c]
                rows = m.row_of[i : i + 3]
                for d in range(K):
                    j, x = b[at.GRADIENT_U0] + 3 * m.gradient_int[vectors + d], m.flex_data[table.mass + c * K + d]
                    for l in range(3):
                        M[rows[l], j + l] += x


@shared(TREE, MAT)
def gradient_clear(m, M):
    """Zeros where elements of gradient bodies couple velocities."""
    for g in range(m.gradient.shape[0]):
        b = m.gradient[g]
        for k in range(b[at.GRADIENT_ELEMENTS]):
            t, _, vectors = element_of(m, b, k)
            K = m.gradient_int[t + VECTORS]
            for c in range(K):
                i = b[at.GRADIENT_U0] + 3 * m.gradient_int[vectors + c]
                for d in range(K):
                    j = b[at.GRADIENT_U0] + 3 * m.gradient_int[vectors + d]
                    for l in range(3):
                        for n in range(3):
                            M[m.row_of[i + l], j + n] = 0.0


@shared(TREE, WORK, VEC, VEC)
def gradient_sums(m, w, q, u):
    """Sums over all gradient bodies into the workspace (SUMS)."""
    out = w.sums
    for l in range(SUMS):
        out[l] = 0.0
    for g in range(m.gradient.shape[0]):
        b, z = m.gradient[g], w.flex
        known, table, K, s = places_of(m, b, 0)
        for k in range(b[at.GRADIENT_ELEMENTS]):
            t, _, vectors = element_of(m, b, k)
            if t != known:
                known, table, K, s = places_of(m, b, k)
            e, rates, f = block(z, s.e, K, 3), block(z, s.rate, K, 3), block(z, s.f, K, 3)
            gather(m, vectors, K, q, b[at.GRADIENT_Q0], e)
            gather(m, vectors, K, u, b[at.GRADIENT_U0], rates)
            vectors_at(block(m.flex_data, table.mass, K, K), rates, f)
            for c in range(K):
                x, v, p0, p1, p2 = e[c], rates[c], f[c, 0], f[c, 1], f[c, 2]
                weight = m.flex_data[table.weight + c]
                out[SUM_KINETIC] += 0.5 * (v[0] * p0 + v[1] * p1 + v[2] * p2)
                out[SUM_POTENTIAL] -= weight * (m.gravity[0] * x[0] + m.gravity[1] * x[1] + m.gravity[2] * x[2])
                out[SUM_MOMENTUM] += x[1] * p2 - x[2] * p1
                out[SUM_MOMENTUM + 1] += x[2] * p0 - x[0] * p2
                out[SUM_MOMENTUM + 2] += x[0] * p1 - x[1] * p0
                for l in range(3):
                    out[SUM_MOMENTUM + 3 + l] += weight * v[l]


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
        t, data, vectors = element_of(m, b, k)
        table, K, R, N = table_of(m, t, data)
        s = locate_scratch(b[at.GRADIENT_WORK], K, R, N)
        damped = m.gradient_int[t + DAMPED] == 1
        gather(m, vectors, K, q, b[at.GRADIENT_Q0], block(y, s.e, K, 3))
        own, rate = block(y, s.K, 3 * K, 3 * K), block(y, s.K_rate, 3 * K, 3 * K)
        clear(own)
        if damped:
            gather(m, vectors, K, u, b[at.GRADIENT_U0], block(y, s.rate, K, 3))
            clear(rate)
        for c in range(K):
            for d in range(K):
                for i in range(3):
                    own[3 * c + i, 3 * d + i] += m.flex_data[table.stiffness + c * K + d]
        for p in range(m.gradient_int[t + POINTS]):
            point, terms = point_of(m, t, table.points, table.terms, p)
            point_stress(m, s, table, K, point, terms, damped, y)
            point_tangent(m, s, table, K, point, terms, damped, y)
        spread(m, vectors, b[at.GRADIENT_U0], own, Rq)
        if damped:
            spread(m, vectors, b[at.GRADIENT_U0], rate, Ru)
