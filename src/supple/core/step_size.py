"""Sizes of steps: weights of errors, the first step, steps that land on stops, equal steps between them."""

from __future__ import annotations

import math

import numpy as np

from supple.core import chart
from supple.core import layout as at
from supple.core.step import (
    AGE,
    ATOL,
    BAD_DOF,
    E_ELASTIC,
    FACTORED,
    FRESH,
    H_FACTORED,
    H_MAX,
    H_MIN,
    H_SWITCH,
    K_MAX,
    KEEP_JACOBIAN,
    PART,
    RATE_PART,
    REACH,
    RENEW,
    RTOL,
    SPEED,
    STOP,
    H,
    T,
)
from supple.native.declare import block, kernel

LEAST = 1e-4  # part of the units below which all motion is rest
RENEWED = 10  # steps with tangents of their own after tangents that did not last a step
ROUNDING = 16 * 2.2e-16  # of a coordinate, the smallest weight


@kernel
def moved(m, r, reals):
    """Largest increment from where the run began, and velocity, so far or in the step to come; each at least LEAST, at most 1.

    In units of the model, ten times as much: a motion of a tenth of a radian or a length has the whole unit.
    """
    h = min(reals[H], reals[H_MAX])
    chart.increment(m, r.first, r.q, r.xt)
    far, fast, reach, speed = 0.0, 0.0, reals[REACH], reals[SPEED]
    for k in range(r.u.shape[0]):
        reach = max(reach, abs(r.xt[k]) / r.scale[k])
        speed = max(speed, abs(r.u[k]) / r.rate_scale[k])
        far = max(far, h * (abs(r.u[k]) + 0.5 * h * abs(r.a[k])) / r.scale[k])
        fast = max(fast, h * abs(r.a[k]) / r.rate_scale[k])
    reals[REACH], reals[SPEED] = reach, speed
    reals[PART] = min(1.0, max(10.0 * max(reach, far), LEAST))
    reals[RATE_PART] = min(1.0, max(10.0 * max(speed, fast), LEAST))


@kernel
def above_rounding(m, r, wx):
    """No weight of an increment is less than the rounding of its coordinate allows."""
    for n in range(1, m.node.shape[0]):
        kind, i, j = m.node[n, at.MOTION], m.node[n, at.Q0], m.node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            wx[j] = max(wx[j], ROUNDING * abs(r.q[i]))
        elif kind == at.FREE:
            e = ROUNDING * (abs(r.q[i + 4]) + abs(r.q[i + 5]) + abs(r.q[i + 6]))
            for k in range(j + 3, j + 6):
                wx[k] = max(wx[k], e)


@kernel
def vector_rates(m, reals, wx, wu):
    """Weights of the rates of nodal vectors: an error counts by the way that it makes in the step (docs/theory.md)."""
    h = min(reals[H], reals[H_MAX])
    if h <= 0.0:
        return
    for g in range(m.gradient.shape[0]):
        j, n = m.gradient[g, at.GRADIENT_U0], 3 * m.gradient[g, at.GRADIENT_N]
        x, y = block(wx, j, n), block(wu, j, n)
        for k in range(n):
            y[k] = x[k] / h


@kernel
def weights(m, r, reals, wx, wu, wz, ww):
    """Error weights: rad and model lengths for increments, their rates, controller states, energies."""
    rtol, atol = reals[RTOL], reals[ATOL]
    moved(m, r, reals)
    for k in range(r.u.shape[0]):
        wx[k] = (atol + rtol) * reals[PART] * r.scale[k]
        wu[k] = atol * reals[RATE_PART] * r.rate_scale[k] + rtol * abs(r.u[k])
    above_rounding(m, r, wx)
    vector_rates(m, reals, wx, wu)
    for k in range(r.z.shape[0]):
        wz[k] = atol + rtol * abs(r.z[k])
    for k in range(r.w.shape[0]):
        ww[k] = atol + rtol * (abs(r.w[k]) + reals[K_MAX] + reals[E_ELASTIC])


@kernel
def grown(m, r, ints, reals):
    """Whether a coordinate has gone so far that its rounding exceeds its weight: a motion without bound.

    ``weights`` has left the way from where the run began in xt.
    """
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            if 1e-15 * abs(r.xt[j]) > (reals[ATOL] + reals[RTOL]) * r.scale[j]:
                ints[BAD_DOF] = j
                return True
    return False


@kernel
def first_step(r, reals, stops, order):
    """A careful first step from the sizes of velocities and accelerations, unless the size is given."""
    if reals[H] > 0.0:
        return
    span, rate = stops[stops.shape[0] // 2 - 1] - reals[T], 0.0
    for k in range(r.u.shape[0]):
        rate = max(rate, abs(r.u[k]) / r.scale[k])
        rate = max(rate, np.sqrt(abs(r.a[k]) / r.scale[k]))
    h = 0.1 * span if rate == 0.0 else 0.5 * reals[RTOL] ** (1.0 / order) / rate
    reals[H] = min(h, 0.1 * span, reals[H_MAX])


@kernel
def next_step(reals, ints, stops):
    """Size of the next step and the time at its end: it lands on the next stop without leaving a sliver."""
    stop = stops[ints[STOP]]
    rest, h = stop - reals[T], min(reals[H], reals[H_MAX])
    if reals[H_SWITCH] > 0.0:
        h = min(h, reals[H_SWITCH], rest)
    elif h >= rest * (1.0 - 1e-10):
        h = rest
    elif h > 0.5 * rest:
        h = 0.5 * rest
    return h, stop if h >= rest else reals[T] + h


@kernel
def equal_steps(reals, ints, stops, step, left):
    """Number of equal steps to the next stop, at most ``step`` long, into H their size; 0 if they are too small.

    Steps under way, of which there are ``left``, go on.
    """
    if left > 0 and reals[H] > 0.0:
        return left
    limit = min(step, reals[H_MAX])
    if limit < reals[H_MIN]:
        return 0
    rest = stops[ints[STOP]] - reals[T]
    left = max(1, math.ceil(rest / limit * (1.0 - 1e-12)))
    reals[H] = rest / left
    return left


@kernel
def left_limit(ints, stops):
    """The earliest time that is the same instant as the next stop: evaluations before a stop stay left of it."""
    return stops[stops.shape[0] // 2 + ints[STOP]]


@kernel
def left_of(time, limit, t):
    """The time to evaluate at in a step from t, so that a jump at the stop is not seen early."""
    return time if time < limit else np.nextafter(limit, t)


@kernel
def give_up_tangents(ints):
    """Tangents of an earlier step are of no use; where not even the next step could keep them, some to come do not try."""
    if ints[KEEP_JACOBIAN] == 1 and ints[AGE] <= 1:
        ints[RENEW] = RENEWED
    ints[KEEP_JACOBIAN] = 0


@kernel
def keep_tangents(ints, good):
    """After a step: whether the next one keeps the tangents, if they are good."""
    ints[AGE] += 1
    ints[KEEP_JACOBIAN] = 1 if good and ints[FRESH] == 0 and ints[RENEW] == 0 else 0
    ints[RENEW] = max(ints[RENEW] - 1, 0)


@kernel
def forget_factors(reals, ints, h):
    """Factors of Newton's matrix belong to a size of the step: those of another one are of no use."""
    if h != reals[H_FACTORED]:
        ints[FACTORED] = 0
        reals[H_FACTORED] = h
