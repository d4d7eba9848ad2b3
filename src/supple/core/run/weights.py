"""Weights of errors: what the tolerances mean for increments, rates, controller states and work.

The unit of an increment is a radian or the length of the model; in small motion a part of it. In motion far beyond the length of the
model, as of bodies in orbit, the floor of the weight follows the motion: ``atol`` of the largest way so far, of a place in space of the
way of the whole vector, so that a component that passes zero counts like the others.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE
from supple.core.bodies import chart
from supple.core.run import step as st
from supple.native.declare import VEC, block, kernel, shared

LEAST, LEAST_RATE = 1e-6, 1e-4  # parts of the units of increments and rates below which all motion is rest
UNIT = 2.2e-16  # rounding of a number
ROUNDING = 16 * UNIT  # of a coordinate, the smallest weight
FAR = 1e3  # lengths of the model from the origin
# Way from the start of a run at which nothing is left of its details: in rad, and in lengths of the model and of the start
MANY_TURNS, VERY_FAR = 1e12, 1e15


@kernel
def moved(m, r, reals):
    """Largest increment from where the run began, and velocity, so far or in the step to come; at least LEAST, at most 1.

    In units of the model, ten times as much: a motion of a tenth of a radian or a length has the whole unit. The way from
    where the run began is left in xt.
    """
    h = min(reals[st.H], reals[st.H_MAX])
    chart.increment(m, r.first, r.q, r.xt)
    far, fast, reach, speed = 0.0, 0.0, reals[st.REACH], reals[st.SPEED]
    for k in range(r.u.shape[0]):
        reach = max(reach, abs(r.xt[k]) / r.scale[k])
        speed = max(speed, abs(r.u[k]) / r.rate_scale[k])
        far = max(far, h * (abs(r.u[k]) + 0.5 * h * abs(r.a[k])) / r.scale[k])
        fast = max(fast, h * abs(r.a[k]) / r.rate_scale[k])
    reals[st.REACH], reals[st.SPEED] = reach, speed
    reals[st.PART] = min(1.0, max(10.0 * max(reach, far), LEAST))
    reals[st.RATE_PART] = min(1.0, max(10.0 * max(speed, fast), LEAST_RATE))


@kernel
def follow(r, x, largest):
    """Largest size so far of x (nu), of places as vectors; others are left at zero. ``r.ut`` is scratch."""
    for k in range(x.shape[0]):
        r.ut[k] = 0.0
    for k in range(x.shape[0]):
        v = r.vector[k]
        if v >= 0:
            r.ut[v] += x[k] * x[k]
    for k in range(x.shape[0]):
        if r.vector[k] == k:
            largest[k] = max(largest[k], math.sqrt(r.ut[k]))


@kernel
def above_rounding(m, r, h, wx, wu):
    """Raise weights of increments to the rounding of their coordinate, or of its vector. ``r.ut`` is scratch.

    Far from the origin no weight of a rate is less than what moves the place by its rounding in the step.
    """
    for k in range(r.u.shape[0]):
        r.ut[k] = 0.0
    for n in range(1, m.node.shape[0]):
        kind, i, j = m.node[n, at.MOTION], m.node[n, at.Q0], m.node[n, at.U0]
        if kind == at.REVOLUTE:
            r.ut[j] = r.q[i] * r.q[i]
        elif kind == at.PRISMATIC:
            r.ut[max(r.vector[j], 0)] += r.q[i] * r.q[i]
        elif kind == at.FREE:
            r.ut[j + 3] = r.q[i + 4] * r.q[i + 4] + r.q[i + 5] * r.q[i + 5] + r.q[i + 6] * r.q[i + 6]
    for g in range(m.gradient.shape[0]):
        i, j, n = m.gradient[g, at.GRADIENT_Q0], m.gradient[g, at.GRADIENT_U0], 3 * m.gradient[g, at.GRADIENT_N]
        for k in range(n):
            r.ut[j + k - k % 3] += r.q[i + k] * r.q[i + k]
    for k in range(r.u.shape[0]):
        v = r.vector[k]
        far = math.sqrt(r.ut[v if v >= 0 else k])
        wx[k] = max(wx[k], ROUNDING * far)
        if h > 0.0 and v >= 0 and far > FAR * r.scale[k]:
            wu[k] = max(wu[k], UNIT * far / h)


@kernel
def vector_rates(m, reals, wx, wu):
    """Weights of the rates of nodal vectors: an error counts by the way that it makes in the step (docs/theory.md)."""
    h = min(reals[st.H], reals[st.H_MAX])
    if h <= 0.0:
        return
    for g in range(m.gradient.shape[0]):
        j, n = m.gradient[g, at.GRADIENT_U0], 3 * m.gradient[g, at.GRADIENT_N]
        x, y = block(wx, j, n), block(wu, j, n)
        for k in range(n):
            y[k] = x[k] / h


@shared(TREE, st.RUN, VEC, VEC, VEC, VEC, VEC)
def weights(m, r, reals, wx, wu, wz, ww):
    """Error weights: rad and model lengths for increments, their rates, controller states, energies."""
    rtol, atol, h = reals[st.RTOL], reals[st.ATOL], min(reals[st.H], reals[st.H_MAX])
    moved(m, r, reals)
    follow(r, r.xt, r.way)
    follow(r, r.u, r.pace)
    for k in range(r.u.shape[0]):
        wx[k] = (atol + rtol) * reals[st.PART] * r.scale[k]
        floor, v = reals[st.RATE_PART] * r.rate_scale[k], r.vector[k]
        if v >= 0:
            wx[k] = max(wx[k], atol * r.way[v])
            floor = max(floor, r.pace[v])
        floor *= atol
        if h > 0.0:  # in long steps a small rate makes a long way
            floor = min(floor, wx[k] / h)
        wu[k] = floor + rtol * abs(r.u[k])
    above_rounding(m, r, h, wx, wu)
    vector_rates(m, reals, wx, wu)
    for k in range(r.z.shape[0]):
        wz[k] = atol + rtol * abs(r.z[k])
    for k in range(r.w.shape[0]):
        ww[k] = atol + rtol * (abs(r.w[k]) + reals[st.K_MAX] + reals[st.E_ELASTIC])


@kernel
def grown(m, r, ints):
    """True if a coordinate has gone so far that rounding leaves nothing of its details: a motion without bound.

    ``weights`` has left the way from where the run began in xt.
    """
    for n in range(1, m.node.shape[0]):
        kind, i, j = m.node[n, at.MOTION], m.node[n, at.Q0], m.node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            far = MANY_TURNS if kind == at.REVOLUTE else VERY_FAR * (r.scale[j] + abs(r.first[i]))
            if abs(r.xt[j]) > far:
                ints[st.BAD_DOF] = j
                return True
    return False
