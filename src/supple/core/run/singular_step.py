"""One long step over a singular position: rates at its stages, and its output.

The method and why no stage may lie close to the singular position: ``integrators/passage/passage.py``.
"""

from __future__ import annotations

import math

from supple.core.base.layout import TREE_WORDS, WORK_WORDS, tree_at, work_at
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.run import acceptance
from supple.core.run import step as st
from supple.native.declare import INT, INTS, IVEC, MAT, REAL, REALS, VEC, entry, reserve

GOOD = -1


@entry(INTS, REALS, VEC, REALS, REALS, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, VEC)
def passage_rates(ints, reals, work, time, start, x, u, z, q, xdot, udot, zdot, power, d):
    """Rates of increments x (stages, nu) of the configuration ``start`` (nq), of u, z and of the work at their times.

    Increments and velocities are moved onto the constraints first. q (stages + 1, nq) takes the configurations, its last
    row and d (nu) are scratch. Returns -1, or the first stage where rows depend on each other or nothing moves.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    n = time.shape[0]
    for i in range(n):
        chart.retract(m, start, x[i], q[i])
        if not math.isfinite(dynamics.satisfy(m, w, time[i], q[i], u[i], d, q[n])):
            return i
        chart.increment(m, start, q[i], x[i])
        chart.rate(m, x[i], u[i], xdot[i])
        if dynamics.forward(m, w, time[i], q[i], u[i], z[i], udot[i]) >= 0:
            return i
        st.copy(w.zdot, zdot[i])
        st.copy(w.power, power[i])
    return GOOD


@entry(INTS, REALS, VEC, VEC, VEC, IVEC, REALS, MAT, REAL, REAL, INT)
def passage_output(ints, reals, work, run, state, count, grid, out, begin, end, last):
    """Events and output of a part of a step, whose polynomials are in ``run``; returns an outcome.

    EVENT: the state is that of a terminal event. PAUSED: behind the last part the state is that at its end.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    r = st.run_at(m, run, count, reserve(st.RUN_WORDS))
    if acceptance.emit(m, w, r, count, state, grid, out, begin, end - begin, end):
        return st.EVENT
    if last == 1:
        st.state_at(m, r, 1.0)
        st.copy(r.qt, r.q)
        st.copy(r.ut, r.u)
        st.copy(r.zt, r.z)
        st.copy(r.wt, r.w)
        state[st.T] = end
    return st.PAUSED
