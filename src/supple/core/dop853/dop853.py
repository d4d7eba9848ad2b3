"""Dormand-Prince 8(5,3) with error control, the whole step loop compiled.

Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.10, with one change:
each step has its own chart. The unknown is the increment xi from the step's start, xi' = T(xi)^-1 u, so
that quaternions keep their norm and no configuration is singular. Increments of xi, u, controller states
z and work channels w lie one after the other in one vector y, and all of them are in the error test.

The dense output of order 7 costs three more evaluations, which are spent only on steps that hold an
output time or that are searched for events.

Constraints are kept by moving each step's end back onto them, as little as possible in the norm of the mass matrix;
or, for comparison, by Baumgarte's pull in the accelerations, or by partitioning the coordinates (``partition``).
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import Part, Record
from supple.core.base.layout import TREE, TREE_WORDS, WORK, WORK_WORDS, tree_at, work_at
from supple.core.bodies import chart, tree
from supple.core.dop853 import table
from supple.core.equations import dynamics, kkt, partition
from supple.core.forces import constraint_rows as links
from supple.core.run import acceptance, kinks, step_size, sweeps, weights
from supple.core.run import step as st
from supple.core.run.acceptance import audit_state
from supple.native.declare import (
    INT,
    INTS,
    IVEC,
    MAT,
    REAL,
    REALS,
    VEC,
    entry,
    hold,
    kernel,
    reserve,
    shared,
)

END, STAGES = 12, 16  # the stage at the step's end, all stages
EXPONENT, BETA = -1.0 / 8.0, 0.04

# Arrays, not tuples: a tuple indexed by a variable becomes a chain of branches when compiled.
C = np.array(table.C)
A = np.array([row + (0.0,) * (STAGES - len(row)) for row in table.A])
D = np.array(table.D)
E5, E3 = np.array(table.E5), np.array(table.E3)
# Which stages, as arrays: a plain number in a call makes Numba compile the callee for that number.
STEP_STAGES, DENSE_STAGES = np.arange(1, END + 1), np.arange(END + 1, STAGES)
# Numbers of the method: how constraints are kept, rate of Baumgarte's pull (1/s), largest violation at the ends of steps
KEEP, PULL, WORST = 0, 1, 2
PARAMETERS = 3
PROJECTION, BAUMGARTE, PARTITION = 0.0, 1.0, 2.0
N = "2 * nu + nz + elements"  # increments, velocities, controller states, work
OWN_RECORD = Record(
    "Own", __name__,
    Part("run", "float64", {
        "c": PARAMETERS,
        "k": (STAGES, N),  # rates
        "y": N,  # increments
        "d": N,
        "f": (7, N),  # dense output
        "weight": N,
        # scratch for constraints
        "rows": ("parted * nr", "nu"),
        "square": ("parted * nr", "nr"),
    }),
    Part("count", "int64", {
        "trouble": 1,  # why the last attempt failed (DONE: it did not, or only its error did)
        "which": "nr",
        "pivots": "nr",
    }),
    head=at.SIZES,
    given=("parted",),  # 1 if constraints are kept by partitioning, else 0
    follows=True,
)
Own, OWN, cut_own = OWN_RECORD.views, OWN_RECORD.kind, OWN_RECORD.cut


def _monomials():
    """Coefficients of s^j, j = 1 to 7, from the seven coefficients of the dense output.

    It is a sum of f0 s, f1 s (1-s), f2 s^2 (1-s), f3 s^2 (1-s)^2 ... : s and 1-s in turn.
    """
    basis, product = np.zeros((7, 7)), np.array([1.0])
    for i in range(7):
        product = np.convolve(product, (0.0, 1.0) if i % 2 == 0 else (1.0, -1.0))
        basis[: len(product) - 1, i] = product[1:]
    return basis


MONOMIALS = _monomials()


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k]."""
    return cut_own(m.head, run, i, ints, k, 1 if run[i + KEEP] == PARTITION else 0)[0]


def own_size(nu: int, nz: int, ne: int, nr: int, parted: bool) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer; ``parted`` if it keeps constraints by partitioning."""
    reals, ints = OWN_RECORD.lengths({"nu": nu, "nz": nz, "elements": ne, "nr": nr, "parted": int(parted)})
    return reals, ints


@kernel
def combine(k, row, h, out):
    """out = h times the sum of row[j] k[j]."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    for j in range(row.shape[0]):
        c = h * row[j]
        if c != 0.0:
            x = k[j]
            for i in range(out.shape[0]):
                out[i] += c * x[i]


@kernel
def first_rates(r, x):
    """Rates x at the step's start, where T = I."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    for i in range(nu):
        x[i] = r.u[i]
        x[nu + i] = r.a[i]
    for i in range(nz):
        x[2 * nu + i] = r.zdot[i]
    for i in range(r.w.shape[0]):
        x[2 * nu + nz + i] = r.power[i]


@kernel
def stages(m, w, r, o, ints, which, t, h, left, y):
    """Rates k of some stages; y is left at the last one's increment. Returns an outcome."""
    nu, nz, ne = r.u.shape[0], r.z.shape[0], r.w.shape[0]
    for s in which:
        combine(o.k, A[s][:s], h, y)
        time = step_size.left_of(t + C[s] * h, left, t)
        for i in range(nu):
            r.xt[i] = y[i]
            r.ut[i] = r.u[i] + y[nu + i]
        for i in range(nz):
            r.zt[i] = r.z[i] + y[2 * nu + i]
        chart.retract(m, r.q, r.xt, r.qt)
        x = o.k[s]
        if o.which.shape[0] > 0 and o.c[KEEP] == PARTITION:
            if not partition.complete(m, w, time, r.q, r.xt, r.ut, r.qt, o.which, o.rows, o.square, o.pivots):
                return st.LOCKED
        bad = dynamics.forward(m, w, time, r.qt, r.ut, r.zt, x[nu : 2 * nu])
        ints[st.EVALUATIONS] += 1
        if bad >= 0:  # a state that is not finite fails the pivot test, too
            ints[st.BAD_DOF] = bad
            finite = bad >= nu or math.isfinite(w.failed[0])
            return st.LOCKED if finite else st.NOT_FINITE
        chart.rate(m, r.xt, r.ut, x[0:nu])
        if o.which.shape[0] > 0 and o.c[KEEP] == BAUMGARTE:
            kkt.pull(m, w, time, r.ut, x[nu : 2 * nu], o.c[PULL], r.xt, r.lam)
        for i in range(nz):
            x[2 * nu + i] = w.zdot[i]
        for i in range(ne):
            x[2 * nu + nz + i] = w.power[i]
    return st.DONE


@kernel
def error_norm(o, nu, h):
    """Weighted norm of the estimate of order 5, damped by that of order 3; and the worst velocity."""
    n = o.y.shape[0]
    combine(o.k, E5, h, o.f[0])
    combine(o.k, E3, h, o.f[1])
    five, three, worst, worst_i = 0.0, 0.0, 0.0, 0
    for i in range(n):
        a, b = o.f[0, i] / o.weight[i], o.f[1, i] / o.weight[i]
        five += a * a
        three += b * b
        if i < 2 * nu and not a * a <= worst:  # also finds what is not finite
            worst, worst_i = a * a, i
    below = five + 0.01 * three
    error = five / math.sqrt(below * n) if below != 0.0 else 0.0
    return error, worst_i - nu if worst_i >= nu else worst_i


@kernel
def polynomial(f, i, start, p):
    """Monomial coefficients p (8) of unknown i, which begins the step at ``start``."""
    p[0] = start
    for j in range(7):
        s = 0.0
        for c in range(7):
            s += MONOMIALS[j, c] * f[c, i]
        p[j + 1] = s


@kernel
def fill_polynomials(r, o, h):
    """Dense output of the step whose 16 rates are in k and whose increment is y."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    f, first, last = o.f, o.k[0], o.k[END]
    for i in range(o.y.shape[0]):
        f[0, i] = o.y[i]
        f[1, i] = h * first[i] - o.y[i]
        f[2, i] = 2.0 * o.y[i] - h * (first[i] + last[i])
    for j in range(4):
        combine(o.k, D[j], h, f[3 + j])
    for i in range(nu):
        polynomial(f, i, 0.0, r.px[i])
        polynomial(f, nu + i, r.u[i], r.pu[i])
    for i in range(nz):
        polynomial(f, 2 * nu + i, r.z[i], r.pz[i])
    for i in range(r.w.shape[0]):
        polynomial(f, 2 * nu + nz + i, r.w[i], r.pw[i])


@shared(TREE, WORK, st.RUN, OWN, REAL, gives=INT)
def move(m, w, r, o, t):
    """Move the state to the step's end, with the rates that were found there; back onto the constraints.

    Returns an outcome: there may be no way back.
    """
    nu, nz = r.u.shape[0], r.z.shape[0]
    x = o.k[END]
    for i in range(nu):
        r.xt[i] = o.y[i]
        r.u[i] += o.y[nu + i]
        r.a[i] = x[nu + i]
    if w.lam.shape[0] > 0 and o.c[KEEP] == PARTITION:
        if not partition.complete(m, w, t, r.q, r.xt, r.u, r.qt, o.which, o.rows, o.square, o.pivots):
            return st.LOCKED
    else:
        chart.retract(m, r.q, r.xt, r.qt)
    st.copy(r.qt, r.q)
    for i in range(nz):
        r.z[i] += o.y[2 * nu + i]
        r.zdot[i] = x[2 * nu + i]
    for i in range(r.w.shape[0]):
        r.w[i] += o.y[2 * nu + nz + i]
        r.power[i] = x[2 * nu + nz + i]
    if w.lam.shape[0] > 0:
        if o.c[KEEP] == PROJECTION and not math.isfinite(dynamics.satisfy(m, w, t, r.q, r.u, r.xt, r.qs)):
            return st.LOCKED
        bad = dynamics.forward(m, w, t, r.q, r.u, r.z, r.a)
        if bad >= 0:
            return st.LOCKED
        if o.c[KEEP] == BAUMGARTE:
            kkt.pull(m, w, t, r.u, r.a, o.c[PULL], r.xt, r.lam)
        if o.c[KEEP] != PROJECTION:
            links.violations(m, w, w.gap)
            for i in range(w.gap.shape[0]):
                o.c[WORST] = max(o.c[WORST], abs(w.gap[i]))
        st.copy(w.zdot, r.zdot)
        st.copy(w.power, r.power)
        st.copy(w.lam, r.lam)
    return st.DONE


@kernel
def step_weights(m, r, state, e):
    """Error weights e of the unknowns xi, u, z, w."""
    nu, nz = r.u.shape[0], r.z.shape[0]
    weights.weights(m, r, state, e[0:nu], e[nu : 2 * nu], e[2 * nu : 2 * nu + nz], e[2 * nu + nz :])


@kernel
def choose_dependent(m, w, r, o, t):
    """Partitioning: the dependent velocities of this step, by the constraints at its start."""
    if o.which.shape[0] > 0 and o.c[KEEP] == PARTITION:
        tree.poses(m, w, r.q)
        tree.motion(m, w, r.u, r.u)
        links.refresh(m, w, t, r.q)
        partition.choose(m, w, o.rows, o.which)


@kernel
def try_step(m, w, r, o, count, t, h, left):
    """All stages of the step; returns the outcome, the weighted error and the velocity with the largest one."""
    first_rates(r, o.k[0])
    choose_dependent(m, w, r, o, t)
    outcome = stages(m, w, r, o, count, STEP_STAGES, t, h, left, o.y)
    error, worst = error_norm(o, r.u.shape[0], h)
    if outcome == st.DONE and not math.isfinite(error):
        outcome = st.NOT_FINITE
        count[st.BAD_DOF] = worst
    return outcome, error, worst


@kernel
def refuse(count, state, h, outcome, error, worst):
    """True if the step cannot be taken; then the size of the next attempt."""
    if outcome != st.DONE:  # the stages know the velocity to blame
        acceptance.reject(count, state, 0.25 * h, count[st.BAD_DOF])
        return True
    if error < 1.0:
        return False
    acceptance.reject(count, state, max(1.0 / 3.0, 0.9 * error**EXPONENT) * h, worst)
    return True


@kernel
def control(count, state, h, wanted, error):
    """Size of the next step by proportional-integral control (section II.4)."""
    error = max(error, 1e-4)
    factor = 0.9 * error ** (EXPONENT + 0.2 * BETA) * max(state[st.ERROR_OLD], 1e-4) ** BETA
    factor = min(6.0, max(1.0 / 3.0, factor))
    if count[st.AFTER_REJECT] == 1:
        factor = min(factor, 1.0)
    count[st.AFTER_REJECT] = 0
    state[st.ERROR_OLD] = error
    state[st.H] = factor * h
    if factor >= 1.0:  # a step cut short by a stop says nothing against the one that was wanted
        state[st.H] = max(factor * h, wanted)


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, REALS, MAT, INT)
def dop853_run(ints, reals, work, run, state, count, stops, grid, out, budget):
    """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome.

    run, state, count hold everything that lives between calls; rows of ``out`` (q, u, z, w) are filled
    as their times in ``grid`` are passed.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    # the method's own integer: why the last attempt failed (DONE: it did not, or only its error did)
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    i, trouble = st.run_ends(m, count)
    o = hold(own_views(m, run, i, count, trouble))
    outcome = acceptance.start(m, w, r, count, state)
    if outcome != st.DONE:
        return outcome
    step_size.first_step(m, r, state, stops, 8.0)
    for _ in range(budget):
        if acceptance.events_wait(count):
            return st.PAUSED
        t, wanted, left = state[st.T], state[st.H], step_size.left_limit(count, stops)
        if wanted < state[st.H_MIN]:  # a short way to the next stop is no failure
            return count[trouble] if count[trouble] != st.DONE else st.TOO_SMALL
        h, t1 = step_size.next_step(state, count, stops)
        step_weights(m, r, state, o.weight)
        if weights.grown(m, r, count):
            return st.GROWN
        outcome, error, worst = try_step(m, w, r, o, count, t, h, left)
        count[trouble] = outcome
        if refuse(count, state, h, outcome, error, worst):
            continue
        if sweeps.has_sets(m):
            s = sweeps.missed_touch(m, w, r, o.y, h)
            if s < 1.0 and s * h > 4.0 * state[st.H_MIN]:
                acceptance.reject(count, state, s * h, worst)
                continue
        if acceptance.is_dense(m, r, count, grid, t1):
            outcome = stages(m, w, r, o, count, DENSE_STAGES, t, h, left, o.d)
            count[trouble] = outcome
            if refuse(count, state, h, outcome, error, worst):
                continue
            fill_polynomials(r, o, h)
        if kinks.find_switch(m, w, r, count, state, t, h):
            continue
        kink = acceptance.ends_on_kink(state)
        count[st.STEPS] += 1
        if acceptance.emit(m, w, r, count, state, grid, out, t, h, t1):
            return st.EVENT
        outcome = move(m, w, r, o, step_size.left_of(t1, left, t))
        state[st.T] = t1
        if outcome != st.DONE:
            return outcome
        audit_state(m, w, r, count, state)  # in every step: the same operations with output and without
        control(count, state, h, wanted, error)
        outcome = acceptance.land(m, w, r, count, state, stops, t1, kink)
        if outcome != st.PAUSED:
            return outcome
    return st.PAUSED
