"""Nodal vectors in a step of the energy scheme; see ``energy_step`` and ``gradient`` for the symbols.

Strains are sums of products of two vectors r = S e, so that over a step, with the mean r_m of both ends,

    eps_1 - eps_0 = B(r_m) (r_1 - r_0)

exactly, and a force S^T B(r_m)^T sigma does the work sigma . (eps_0 - eps_1); its sum and its moment vanish (J. C. Simo and
N. Tarnow, Z. angew. Math. Phys. 43 (1992) 757). Between j and f, and between i and j, stresses are

    sigma_g = D (eps_j + eps_f)/2 + D' (eps_f - eps_i)/h
    sigma_h = D eps_j             + D' ((eps_f - eps_i)/h + (eps_j - eps_i)/P)

and the force C e of the constant stiffness is that of (e_j + e_f)/2 and of e_j. Elastic energy is kept between j and f; between
i and j, where it is convex in strains, it falls. Damping takes h |eps_f - eps_i|^2/h^2 + P |eps_j - eps_i|^2/P^2, both by D'.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import Part, Record
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import ancf as gradient
from supple.core.bodies import ancf_edge as gradient_edge
from supple.core.bodies.ancf import (
    DAMPED,
    P_ENTRY,
    P_ROW,
    P_ROWS,
    P_STRAIN,
    P_STRAINS,
    P_TERM,
    P_TERMS,
    POINTS,
    TERM_A,
    TERM_B,
    TERM_STRAIN,
)
from supple.core.energy.state import E_NUMBER, E_TARGET, MASS, OWN, V_NODE, V_Q, V_U, first_motion
from supple.core.forces import beam_load as load
from supple.core.forces.forces import BODY
from supple.core.forces.signals import evaluate
from supple.native.declare import INT, REAL, block, kernel, shared

I, J, F, STATES = range(4)
# Scratch of an element with K vectors and of its points with R rows and N strains, at the states i, j, f
SPAN_RECORD = Record(
    "Span", __name__,
    Part("span", "float64", {"e": (STATES, "K", 3), "r": (STATES, "R", 3), "eps": (STATES, "N")}),
    head={},
    given=("K", "R", "N"),
)
Span, locate_span = SPAN_RECORD.views, SPAN_RECORD.locate


@kernel
def gather(m, vectors, K, poses, first, out):
    """Nodal vectors (K, 3) of an element from the poses of a state; ``first`` is the row of its body's first vector."""
    for k in range(K):
        x = poses[first + m.gradient_int[vectors + k]]
        out[k, 0], out[k, 1], out[k, 2] = x[0], x[1], x[2]


@kernel
def read_point(m, table, K, p, terms, s, y):
    """Vectors and strains of a point at the three states."""
    x, n, N = m.flex_data, p[P_ROWS], p[P_STRAINS]
    S = block(x, table.rows + K * p[P_ROW], n, K)
    factors = x[table.factors + p[P_TERM] : table.factors + p[P_TERM] + p[P_TERMS]]
    rest = x[table.rest + p[P_STRAIN] : table.rest + p[P_STRAIN] + N]
    for state in range(STATES):
        r, eps = block(y, s.r + 3 * n * state, n, 3), y[s.eps + N * state : s.eps + N * state + N]
        gradient.vectors_at(S, block(y, s.e + 3 * K * state, K, 3), r)
        gradient.strains_at(terms, factors, rest, r, eps)


@kernel
def mean_of(y, place, n, part, out):
    """Mean of n numbers at both ends of an interval: 0 from j to f, 1 from i to j; they stand at ``place`` for each state."""
    first = place + (J - part) * n
    for k in range(n):
        out[k] = 0.5 * (y[first + k] + y[first + n + k])


@kernel
def interval_stress(m, table, p, s, t, part, h, P, damped, y, w):
    """Mean vectors and the stress of an interval into the scratch; returns what damping takes of it."""
    x, N = m.flex_data, p[P_STRAINS]
    eps, sigma, rate = w[t.eps : t.eps + N], w[t.sigma : t.sigma + N], w[t.eps_rate : t.eps_rate + N]
    mean_of(y, s.r, 3 * p[P_ROWS], part, w[t.r : t.r + 3 * p[P_ROWS]])
    if part == 0:
        mean_of(y, s.eps, N, part, eps)
    for i in range(N):
        sigma[i] = 0.0
        rate[i] = (y[s.eps + F * N + i] - y[s.eps + i]) / h
        if part == 1:
            eps[i] = y[s.eps + N + i]
    gradient.stresses(block(x, table.elasticity + p[P_ENTRY], N, N), eps, sigma)
    if not damped:
        return 0.0
    D = block(x, table.viscosity + p[P_ENTRY], N, N)
    lost = h * gradient.stresses(D, rate, sigma)
    if part == 1:
        for i in range(N):
            rate[i] = (y[s.eps + N + i] - y[s.eps + i]) / P
        lost = P * gradient.stresses(D, rate, sigma)
    return lost


@kernel
def interval_tangent(m, table, K, p, terms, s, t, part, end, h, P, damped, y, w):
    """Add derivatives of a point's force in an interval along the vectors at j or f, from what ``interval_stress`` left."""
    x, n, N = m.flex_data, p[P_ROWS], p[P_STRAINS]
    S = block(x, table.rows + K * p[P_ROW], n, K)
    factors = x[table.factors + p[P_TERM] : table.factors + p[P_TERM] + terms.shape[0]]
    B, C, H = block(w, t.B, N, 3 * n), block(w, t.B_rate, N, 3 * n), block(w, t.H, 3 * n, 3 * n)
    gradient.clear(H)
    gradient.slopes(terms, factors, block(w, t.r, n, 3), B)
    gradient.slopes(terms, factors, block(y, s.r + 3 * n * end, n, 3), C)
    elastic, viscous = 0.5, 0.0  # how the stress changes with strains there, of D and D'
    if end == F:
        viscous = 1.0 / h
    if part == 1:
        elastic = 0.0
        if end == J:
            elastic, viscous = 1.0, 1.0 / P
    if part == 0 or end == J:
        for k in range(terms.shape[0]):
            a, b = terms[k, TERM_A], terms[k, TERM_B]
            c = 0.5 * factors[k] * w[t.sigma + terms[k, TERM_STRAIN]]
            for i in range(3):
                H[3 * a + i, 3 * b + i] += c
                H[3 * b + i, 3 * a + i] += c
        scaled(C, elastic)
        gradient.add_products(block(x, table.elasticity + p[P_ENTRY], N, N), B, C, H)
        scaled(C, 1.0 / elastic)
    if damped and viscous > 0.0:
        scaled(C, viscous)
        gradient.add_products(block(x, table.viscosity + p[P_ENTRY], N, N), B, C, H)
    gradient.add_to_vectors(S, H, block(w, t.half, 3 * n, 3 * K), block(w, t.K, 3 * K, 3 * K))


@kernel
def scaled(x, s):
    """x *= s for a matrix."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] *= s


@kernel
def constant_part(m, table, K, s, t, part, end, y, w):
    """Begin force and derivatives of an element in an interval with those of its constant stiffness."""
    e, f, own = block(w, t.e, K, 3), block(w, t.f, K, 3), block(w, t.K, 3 * K, 3 * K)
    gradient.clear(f)
    gradient.clear(own)
    factor = 0.5
    mean_of(y, s.e, 3 * K, part, w[t.e : t.e + 3 * K])
    if part == 1:
        factor = 1.0 if end == J else 0.0
        for k in range(K):
            for i in range(3):
                e[k, i] = y[s.e + 3 * (K + k) + i]
    gradient.constant_force(m, table.stiffness, e, f)
    for c in range(K):
        for d in range(K):
            for i in range(3):
                own[3 * c + i, 3 * d + i] += factor * m.flex_data[table.stiffness + c * K + d]


@kernel
def deform_element(m, w, o, b, k, first, part, end, h, P):
    """Force and derivatives at one end of element k of body row b in an interval; returns what damping takes of it."""
    t, data, vectors = gradient.element_of(m, b, k)
    table, K, R, N = gradient.table_of(m, t, data)
    s, own, y, x = locate_span(0, K, R, N), gradient.locate_scratch(b[at.GRADIENT_WORK], K, R, N), o.span, w.flex
    damped, lost = m.gradient_int[t + DAMPED] == 1, 0.0
    gather(m, vectors, K, o.ci, first + 1, block(y, s.e, K, 3))
    gather(m, vectors, K, o.cj, first + 1, block(y, s.e + 3 * K, K, 3))
    gather(m, vectors, K, o.cf, first + 1, block(y, s.e + 6 * K, K, 3))
    constant_part(m, table, K, s, own, part, end, y, x)
    for p in range(m.gradient_int[t + POINTS]):
        point, terms = gradient.point_of(m, t, table.points, table.terms, p)
        read_point(m, table, K, point, terms, s, y)
        lost += interval_stress(m, table, point, s, own, part, h, P, damped, y, x)
        interval_tangent(m, table, K, point, terms, s, own, part, end, h, P, damped, y, x)
        gradient.point_force(m, own, table, K, point, terms, x)
    force, matrix, f, D = o.fg, o.kg, block(x, own.f, K, 3), block(x, own.K, 3 * K, 3 * K)
    if part == 1:
        force, matrix = o.fh, o.kh
    shift = 0 if end == F else o.unit.shape[0]
    for c in range(K):
        n = first + m.gradient_int[vectors + c]
        i = first_motion(o, n)
        for l in range(3):
            if end == J - part + 1:  # the force itself once
                force[n, l] -= f[c, l]
            for d in range(K):
                j = shift + first_motion(o, first + m.gradient_int[vectors + d])
                for a in range(3):
                    matrix[i + l, j + a] -= D[3 * c + l, 3 * d + a]
    return lost


@shared(TREE, WORK, OWN, INT, REAL, REAL, gives=REAL)
def deform(m, w, o, i, h, P):
    """Forces of the gradient body of element i and their derivatives; returns what damping takes over the step."""
    first, lost = o.element[i, E_TARGET], 0.0
    b = m.gradient[m.element[o.element[i, E_NUMBER], BODY]]
    for part in range(2 if P > 0.0 else 1):
        for end in range(J if P > 0.0 else F, STATES):
            for k in range(b[at.GRADIENT_ELEMENTS]):
                taken = deform_element(m, w, o, b, k, first, part, end, h, P)
                if end == F:
                    lost += taken
    return lost


@kernel
def spread_load(m, w, o, i, t, before, after, force):
    """A given load along a gradient body between two states; returns its work."""
    first, el, work = o.element[i, E_TARGET], m.element[o.element[i, E_NUMBER]], 0.0
    for l in range(3):
        p = evaluate(m, w, el[load.SIGNALS + l], t)[0]
        for k in range(m.gradient[el[load.BODY], at.GRADIENT_N]):
            n, f = first + k, m.data[el[load.AT] + k] * p
            force[n, l] += f
            work += f * (after[n + 1, l] - before[n + 1, l])
    return work


@kernel
def equations(o, h, P):
    """Equations of the vectors: M (v_f - v_i) = h F_g, and with a jump M (v_j - v_i) = -P (F_g - F_h)."""
    nb, motions, mat, rhs, jump = o.body.shape[0], o.unit.shape[0], o.mat, o.rhs, P > 0.0
    for a in range(o.weight.shape[0]):
        for k in range(3):
            i = first_motion(o, nb + a) + k
            rhs[i] = -h * o.fg[nb + a, k]
            for l in range(o.kg.shape[1]):
                mat[i, l] = -h * o.kg[i, l]
            if jump:
                rhs[motions + i] = P * (o.fg[nb + a, k] - o.fh[nb + a, k])
                for l in range(o.kg.shape[1]):
                    mat[motions + i, l] = P * (o.kg[i, l] - o.kh[i, l])
            for b in range(o.weight.shape[0]):
                x, n = o.mass[a, b], nb + b
                j = first_motion(o, n) + k
                rhs[i] += x * (o.vf[n, k] - o.vi[n, k])
                if jump:
                    mat[i, j] += x / h
                    mat[i, motions + j] -= x / P
                    rhs[motions + i] += x * (o.vj[n, k] - o.vi[n, k])
                    mat[motions + i, j] += x / h
                    mat[motions + i, motions + j] += x / P
                else:
                    mat[i, j] += 2.0 * x / h


@kernel
def inertia(o, length):
    """Mass matrix of the vectors in units of the mean mass into o.mat."""
    nb = o.body.shape[0]
    for a in range(o.weight.shape[0]):
        for b in range(o.weight.shape[0]):
            i, j = first_motion(o, nb + a), first_motion(o, nb + b)
            x = o.mass[a, b] * o.unit[i] * o.unit[j] / (o.scalar[MASS] * length * length)
            for k in range(3):
                o.mat[i + k, j + k] = x


@kernel
def write(m, w, r, o):
    """The engine's nodal vectors at the end of the step into qt, ut; axes and angular velocities of nodes beside their places."""
    nb = o.body.shape[0]
    for n in range(o.vector_ints.shape[0]):
        of, c, v = o.vector_ints[n], o.cf[nb + n + 1], o.vf[nb + n]
        for k in range(3):
            r.qt[of[V_Q] + k], r.ut[of[V_U] + k] = c[k], v[k]
    for n in range(o.vector_ints.shape[0]):
        of, c, v = o.vector_ints[n], o.cf[nb + n + 1], o.vf[nb + n]
        if of[V_NODE] >= 0:
            row, s, u = w.node[of[V_NODE]], w.scratch, of[V_U] + m.node[of[V_NODE], at.COLUMNS] - gradient_edge.TWO
            gradient_edge.edge_pose(m, r.qt, of[V_NODE], row)
            e = gradient_edge.axes(row)
            g1, g2 = gradient_edge.gradients(row, e)
            O, OD = s[gradient_edge.O_ROW : gradient_edge.O_ROW + 3], s[gradient_edge.OD_ROW : gradient_edge.OD_ROW + 3]
            spin, _, _, _, _ = gradient_edge.turning(
                e, g1, g2, gradient_edge.vector(r.ut, u), gradient_edge.vector(r.ut, u + 3), O, OD
            )
            for k in range(3):
                c[3 + 3 * k], c[4 + 3 * k], c[5 + 3 * k] = row[3 * k], row[3 * k + 1], row[3 * k + 2]
            v[3] = gradient_edge.dot(e[0], spin)
            v[4] = gradient_edge.dot(e[1], spin)
            v[5] = gradient_edge.dot(e[2], spin)
