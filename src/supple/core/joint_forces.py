"""Elements that act on one joint coordinate, through a gear: effort, power, controller rate and slopes.

The element sees x = g q and v = g u for the gear ratio g; its effort f acts on the coordinate as g f.
"""

from __future__ import annotations

import numpy as np

from supple.core.signals import evaluate
from supple.native.declare import kernel

JOINT_SPRING, JOINT_EFFORT, PID, JOINT_FRICTION, JOINT_STOP = 20, 21, 22, 23, 24
RATIO = 27  # place of g in the reals of every such element


@kernel
def effort(tree, work, e, t, x, v, z):
    """Effort on the geared coordinate, power (dissipated, or work of actuators) and controller rate."""
    el, c = tree.element[e], tree.coef[e]
    kind = el[0]
    f, rate = 0.0 * x, 0.0 * x
    if kind == JOINT_SPRING:
        d = x - c[2]
        f = -d * (c[0] + c[3] * d * d) - c[1] * v
        return f, c[1] * v * v, rate
    if kind == JOINT_FRICTION:
        f = -friction(c, v)[0]
        return f, -f * v, rate
    if kind == JOINT_STOP:
        side, _, push, elastic = stop(c, x, v)
        return -side * push, (push - elastic) * side * v, rate
    if kind == JOINT_EFFORT:
        f = f + evaluate(tree, work, el[3], t)[0]
        return f, f * v, rate
    # PID; beyond its limit the integral follows what was really applied
    target, target_rate, _ = evaluate(tree, work, el[3], t)
    i = z[el[4]]
    raw = c[0] * (target - x) + c[1] * i + c[2] * (target_rate - v)
    f = raw
    if raw.real > c[3]:
        f = c[3] + 0.0 * raw
    elif raw.real < -c[3]:
        f = -c[3] + 0.0 * raw
    return f, f * v, target - x + c[4] * (f - raw)


@kernel
def slopes(tree, work, e, t, x, v, z):
    """Derivatives of the effort along x, v and the controller state, and of the controller rate."""
    el, c = tree.element[e], tree.coef[e]
    kind = el[0]
    if kind == JOINT_SPRING:
        d = x - c[2]
        return -c[0] - 3.0 * c[3] * d * d, -c[1], 0.0, 0.0, 0.0, 0.0
    if kind == JOINT_FRICTION:
        return 0.0, -friction(c, v)[1], 0.0, 0.0, 0.0, 0.0
    if kind == JOINT_STOP:
        _, p, push, elastic = stop(c, x, v)
        if push <= 0.0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        return -c[4] * push / p, -elastic * c[3], 0.0, 0.0, 0.0, 0.0
    if kind == PID:
        target, target_rate, _ = evaluate(tree, work, el[3], t)
        raw = c[0] * (target - x) + c[1] * z[el[4]] + c[2] * (target_rate - v)
        if abs(raw) > c[3]:
            return 0.0, 0.0, 0.0, c[4] * c[0] - 1.0, c[4] * c[2], -c[4] * c[1]
        return -c[0], -c[2], c[1], -1.0, 0.0, 0.0
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@kernel
def friction(c, v):
    """Resisting effort at speed v and its slope: Coulomb (c0) with breakaway (c2), rounded at c3, plus viscous.

    (c0 + (c2 - c0) exp(-(v/c4)^2)) tanh(v/c3) + c1 v
    """
    bump = (c[2] - c[0]) * np.exp(-(v / c[4]) * (v / c[4]))
    turn = np.tanh(v / c[3])
    level = c[0] + bump
    slope = level * (1.0 - turn * turn) / c[3] - 2.0 * v / (c[4] * c[4]) * bump * turn + c[1]
    return level * turn + c[1] * v, slope


@kernel
def stop(c, x, v):
    """Side (1 upper, -1 lower), depth, push and its elastic part k p^n; zero push where nothing touches."""
    side, p = 1.0, 0.0 * x
    if x.real > c[1]:
        p = x - c[1]
    elif x.real < c[0]:
        side, p = -1.0, c[0] - x
    else:
        return side, p, p, p
    elastic = c[2] * p
    if c[4] != 1.0:
        elastic = c[2] * p ** c[4]
    push = elastic * (1.0 + c[3] * side * v)
    if push.real < 0.0:  # it pushes only
        push = 0.0 * push
    return side, p, push, elastic


@kernel
def stored(tree, e, x):
    """Energy stored in a spring or a stop (J)."""
    el, c = tree.element[e], tree.coef[e]
    if el[0] == JOINT_SPRING:
        d = x - c[2]
        return d * d * (0.5 * c[0] + 0.25 * c[3] * d * d)
    if el[0] == JOINT_STOP:
        _, p, _, elastic = stop(c, x, 0.0)
        return elastic * p / (c[4] + 1.0)
    return 0.0


@kernel
def branch(tree, work, e, t, x, v, z):
    """Branch of the law of a stop (free, upper, lower, let go) or a controller (within, above, below its limit)."""
    el, c = tree.element[e], tree.coef[e]
    if el[0] == JOINT_STOP:
        side, p, push, _ = stop(c, x, v)
        if p <= 0.0:
            return 0
        if push <= 0.0:
            return 3
        return 1 if side > 0.0 else 2
    target, target_rate, _ = evaluate(tree, work, el[3], t)
    raw = c[0] * (target - x) + c[1] * z[el[4]] + c[2] * (target_rate - v)
    if raw > c[3]:
        return 1
    return 2 if raw < -c[3] else 0
