"""Sizes of steps: the first step, steps that land on stops, equal steps between them."""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.run import step as st
from supple.native.declare import kernel

SMALL_PART = 1e-6  # of a place: a first step is not shorter than such a motion needs
RENEWED = 10  # steps with tangents of their own after tangents that did not last a step


@kernel
def farthest(m, r):
    """Largest coordinate of a place (m)."""
    far = 0.0
    for n in range(1, m.node.shape[0]):
        i = m.node[n, at.Q0]
        if m.node[n, at.MOTION] == at.PRISMATIC:
            far = max(far, abs(r.q[i]))
        elif m.node[n, at.MOTION] == at.FREE:
            far = max(far, abs(r.q[i + 4]), abs(r.q[i + 5]), abs(r.q[i + 6]))
    return far


@kernel
def first_step(m, r, reals, stops, order):
    """A careful first step from the sizes of velocities and accelerations, unless the size is given."""
    if reals[st.H] > 0.0:
        return
    span, rate, far = stops[stops.shape[0] // 2 - 1] - reals[st.T], 0.0, SMALL_PART * farthest(m, r)
    for k in range(r.u.shape[0]):
        size = r.scale[k] + far if r.vector[k] >= 0 else r.scale[k]
        rate = max(rate, abs(r.u[k]) / size)
        rate = max(rate, np.sqrt(abs(r.a[k]) / size))
    h = 0.1 * span if rate == 0.0 else 0.5 * reals[st.RTOL] ** (1.0 / order) / rate
    reals[st.H] = min(h, 0.1 * span, reals[st.H_MAX])


@kernel
def next_step(reals, ints, stops):
    """Size of the next step and the time at its end: it lands on the next stop without leaving a sliver."""
    stop = stops[ints[st.STOP]]
    rest, h = stop - reals[st.T], min(reals[st.H], reals[st.H_MAX])
    if reals[st.H_SWITCH] > 0.0:
        h = min(h, reals[st.H_SWITCH], rest)
    elif h >= rest * (1.0 - 1e-10):
        h = rest
    elif h > 0.5 * rest:
        h = 0.5 * rest
    return h, stop if h >= rest else reals[st.T] + h


@kernel
def equal_steps(reals, ints, stops, step, left):
    """Number of equal steps to the next stop, at most ``step`` long, into H their size; 0 if they are too small.

    Steps under way, of which there are ``left``, go on.
    """
    if left > 0 and reals[st.H] > 0.0:
        return left
    limit = min(step, reals[st.H_MAX])
    if limit < reals[st.H_MIN]:
        return 0
    rest = stops[ints[st.STOP]] - reals[st.T]
    left = max(1, math.ceil(rest / limit * (1.0 - 1e-12)))
    reals[st.H] = rest / left
    return left


@kernel
def left_limit(ints, stops):
    """The earliest time that is the same instant as the next stop: evaluations before a stop stay left of it."""
    return stops[stops.shape[0] // 2 + ints[st.STOP]]


@kernel
def left_of(time, limit, t):
    """The time to evaluate at in a step from t, so that a jump at the stop is not seen early."""
    return time if time < limit else np.nextafter(limit, t)


@kernel
def give_up_tangents(ints):
    """Tangents of an earlier step are of no use; where not even the next step could keep them, some to come do not try."""
    if ints[st.KEEP_JACOBIAN] == 1 and ints[st.AGE] <= 1:
        ints[st.RENEW] = RENEWED
    ints[st.KEEP_JACOBIAN] = 0


@kernel
def keep_tangents(ints, good):
    """After a step: whether the next one keeps the tangents, if they are good."""
    ints[st.AGE] += 1
    ints[st.KEEP_JACOBIAN] = 1 if good and ints[st.FRESH] == 0 and ints[st.RENEW] == 0 else 0
    ints[st.RENEW] = max(ints[st.RENEW] - 1, 0)


@kernel
def forget_factors(reals, ints, h):
    """Factors of Newton's matrix belong to a size of the step: those of another one are of no use."""
    if h != reals[st.H_FACTORED]:
        ints[st.FACTORED] = 0
        reals[st.H_FACTORED] = h
