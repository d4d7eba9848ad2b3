"""Buffers and unknowns of the multistep methods, and the ends of steps of which their dense output is made.

See ``multistep`` for the symbols.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import Part, Record
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.run import step as st
from supple.core.run.step_size import left_of
from supple.native.declare import REAL, kernel, shared

BDF, ADAMS = 0, 1

# Ends of steps that are remembered, the last one first; a row is t, q, u, a, z, z', w, w', Lambda, lam
REMEMBERED = 8

# Own reals: the time that evaluations must stay left of, the time and the size of the step that is tried
LEFT, TRIED, SIZE = 0, 1, 2
SCALARS = 3
# Own integers: method, attempts at this step, evaluations in this attempt, trouble, ends remembered
METHOD, ATTEMPTS, SWEEP, TROUBLE, ENDS = 0, 1, 2, 3, 4
OWN_INTS = 5
# Rows over velocities: accelerations, residual, weights of xi and u, two scratch rows, what moves q
ACC, F, WX, WU, S1, S2, V = 0, 1, 2, 3, 4, 5, 6
U_ROWS = 7
OWN_RECORD = Record(
    "Own", __name__,
    Part("run", "float64", {
        "scalar": SCALARS,
        "base": "nq",
        "qd": "nq",
        "u": (U_ROWS, "nu"),
        "z": "nz",
        "e": "elements",
        "ends": (REMEMBERED, "1 + nq + 2 * nu + 2 * nz + 2 * elements + 2 * nr"),
        "basis": (st.DEGREE, st.DEGREE),
        "nodes": (3, st.DEGREE),
        "B": ("nr", "nu"),
        "push": ("nr", st.DEGREE),
    }),
    Part("count", "int64", {"ints": OWN_INTS, "rows": st.DEGREE}),
    head=at.SIZES,
    follows=True,
)
Own, OWN, cut_own = OWN_RECORD.views, OWN_RECORD.kind, OWN_RECORD.cut
NEAREST, FARTHEST = 0.4, 20.0  # distance of nodes, in steps: nearer ones amplify noise, farther ones say little
# Points behind the start and weights of the rule of Lobatto of degree 7
LOBATTO_END = 1.0 / 20.0
LOBATTO = np.array([0.5 - 0.5 * math.sqrt(3.0 / 7.0), 0.5, 0.5 + 0.5 * math.sqrt(3.0 / 7.0), 1.0])
LOBATTO_WEIGHTS = np.array([49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, LOBATTO_END])


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k]."""
    return cut_own(m.head, run, i, ints, k)[0]


def own_size(nu: int, nz: int, ne: int, nr: int = 0) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer."""
    nq = 2 * nu  # at most: a ball joint has 4 for 3
    reals, ints = OWN_RECORD.lengths({"nq": nq, "nu": nu, "nz": nz, "elements": ne, "nr": nr})
    return reals, ints


@kernel
def unpack(m, r, o, y):
    """Coordinates with unit quaternions, velocities and controller states of y into qt, ut, zt."""
    nq, nu = r.q.shape[0], r.u.shape[0]
    for i in range(nq):
        r.qt[i] = o.base[i] + y[i]
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            i = m.node[n, at.Q0]
            s = 1.0 / math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1] + y[i + 2] * y[i + 2] + y[i + 3] * y[i + 3])
            for k in range(i, i + 4):
                r.qt[k] = s * y[k]
    for k in range(nu):
        r.ut[k] = y[nq + k]
    for k in range(r.z.shape[0]):
        r.zt[k] = y[nq + nu + k]


@kernel
def fit(o, n, h, value, rate, p):
    """p = polynomial through column ``value`` of the ends with column ``rate`` as its slopes."""
    for j in range(st.DEGREE):
        p[j] = 0.0
    for k in range(n):
        end = o.ends[o.rows[k]]
        a, b = end[value], h * end[rate]
        for j in range(2 * n):
            p[j] += o.basis[2 * k, j] * a + o.basis[2 * k + 1, j] * b


@kernel
def fill_polynomials(m, r, o, t, h):
    """Dense output of the last step for xi, u, z and Lambda from the remembered ends; returns the number of nodes.

    Nodes are chosen first: their places go to nodes[0] (1 and 0 are the ends of this step), their rows in the ends
    to rows. Then come the monomials, in the rows of basis, of the polynomials that are 1 in one value (row 2 k for
    node k) or in one rate (row 2 k + 1) and 0 in the others: divided differences of unit data.
    """
    nq, nu, nz = r.q.shape[0], r.u.shape[0], r.z.shape[0]
    s, d, p, rows = o.nodes[0], o.nodes[1], o.nodes[2], o.rows
    s[0], rows[0] = 1.0, 0
    s[1], rows[1] = 0.0, 1
    n, most = 2, 3 if o.ints[METHOD] == BDF else 4
    for k in range(2, o.ints[ENDS]):
        place = (o.ends[k, 0] - t) / h
        if n < most and place > -FARTHEST and s[n - 1] - place >= NEAREST:
            s[n], rows[n] = place, k
            n += 1
    for data in range(2 * n):
        for j in range(2 * n):  # values, every node twice
            d[j] = 1.0 if data == 2 * (j // 2) else 0.0
        for order in range(1, 2 * n):
            for j in range(2 * n - 1, order - 1, -1):
                if order == 1 and j % 2 == 1:
                    d[j] = 1.0 if data == j else 0.0
                else:
                    d[j] = (d[j] - d[j - 1]) / (s[j // 2] - s[(j - order) // 2])
        for j in range(st.DEGREE):
            p[j] = 0.0
        for j in range(2 * n - 1, -1, -1):  # Horner: p = p (x - s_j) + d_j
            for k in range(2 * n - 1, 0, -1):
                p[k] = p[k - 1] - s[j // 2] * p[k]
            p[0] = d[j] - s[j // 2] * p[0]
        for j in range(st.DEGREE):
            o.basis[data, j] = p[j]
    for k in range(nu):
        for j in range(st.DEGREE):
            r.px[k, j] = 0.0
        fit(o, n, h, 1 + nq + k, 1 + nq + nu + k, r.pu[k])
    for k in range(nz):
        fit(o, n, h, 1 + nq + 2 * nu + k, 1 + nq + 2 * nu + nz + k, r.pz[k])
    nr, k0 = o.push.shape[0], 1 + nq + 2 * nu + 2 * nz + 2 * r.w.shape[0]
    for k in range(nr):
        fit(o, n, h, k0 + k, k0 + nr + k, o.push[k])
    x, rate = o.u[S1], o.u[S2]
    for i in range(n):
        end = o.ends[rows[i]]
        chart.increment(m, r.q, end[1 : 1 + nq], x)
        chart.rate(m, x, end[1 + nq : 1 + nq + nu], rate)
        for k in range(nu):
            for j in range(2 * n):
                r.px[k, j] += o.basis[2 * i, j] * x[k] + o.basis[2 * i + 1, j] * h * rate[k]
    return n


@kernel
def add_work(m, w, r, o, t, h):
    """Power at the end of the step, and the work up to there: the integral along the polynomials."""
    nq, nu, nz, ne = r.q.shape[0], r.u.shape[0], r.z.shape[0], r.w.shape[0]
    k0 = 1 + nq + 2 * nu + 2 * nz
    end, left = o.ends[0], o.scalar[LEFT]
    for k in range(ne):
        end[k0 + k] = r.w[k] + h * LOBATTO_END * r.power[k]
    for i in range(LOBATTO.shape[0]):
        st.state_at(m, r, LOBATTO[i])
        for k in range(w.lam.shape[0]):
            w.lam[k] = st.slope(o.push[k], LOBATTO[i]) / h
        dynamics.powers_at(m, w, left_of(t + LOBATTO[i] * h, left, t), r.qt, r.ut, r.a, r.zt)
        for k in range(ne):
            end[k0 + k] += h * LOBATTO_WEIGHTS[i] * w.power[k]
    for k in range(ne):
        end[k0 + ne + k] = w.power[k]


@kernel
def begin(w, r, o, t, left):
    """Forget the ends of earlier steps; the state at the start of the run, or behind a stop, into qt, ut, zt."""
    o.ints[ENDS] = 1
    o.scalar[LEFT] = left
    o.scalar[TRIED] = t
    o.scalar[SIZE] = 0.0
    st.copy(r.q, r.qt)
    st.copy(r.u, r.ut)
    st.copy(r.z, r.zt)
    st.copy(w.power, r.power)


@kernel
def make_room(o):
    """Move the ends of earlier steps by one row, the oldest out."""
    last = min(o.ints[ENDS], REMEMBERED - 1)
    for k in range(last, 0, -1):
        st.copy(o.ends[k - 1], o.ends[k])
    o.ints[ENDS] = last + 1


@kernel
def write_end(w, r, o, y, yp, t1):
    """The new end from qt, ut, zt, with the rates of the method: where the equations are stiff, theirs are noisy.

    Work and power are those of the step's start.
    """
    nq, nu, nz, ne, nr = r.q.shape[0], r.u.shape[0], r.z.shape[0], r.w.shape[0], w.lam.shape[0]
    end = o.ends[0]
    end[0] = t1
    for k in range(nq):
        end[1 + k] = r.qt[k]
    for k in range(nu):
        end[1 + nq + k] = r.ut[k]
        end[1 + nq + nu + k] = yp[nq + k]
    k0 = 1 + nq + 2 * nu
    for k in range(nz):
        end[k0 + k] = r.zt[k]
        end[k0 + nz + k] = yp[nq + nu + k]
    k0 += 2 * nz
    for k in range(ne):
        end[k0 + k] = r.w[k]
        end[k0 + ne + k] = r.power[k]
    k0 += 2 * ne
    for k in range(nr):
        end[k0 + k] = y[nq + nu + nz + k]
        end[k0 + nr + k] = yp[nq + nu + nz + k]


@shared(TREE, WORK, st.RUN, OWN, REAL, REAL)
def fill_dense(m, w, r, o, t, h):
    """Polynomials of the last step, and the work of the force elements in it."""
    ne, k0 = r.w.shape[0], 1 + r.q.shape[0] + 2 * r.u.shape[0] + 2 * r.z.shape[0]
    n = fill_polynomials(m, r, o, t, h)
    if ne > 0:
        add_work(m, w, r, o, t, h)
    for k in range(ne):
        fit(o, n, h, k0 + k, k0 + ne + k, r.pw[k])


@kernel
def move(r, o):
    """State, rates, work and power of the new end."""
    k = 1
    for x in (r.q, r.u, r.a, r.z, r.zdot, r.w, r.power):
        for l in range(x.shape[0]):
            x[l] = o.ends[0, k]
            k += 1
