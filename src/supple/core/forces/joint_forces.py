"""Elements that act on one joint coordinate, through a gear: effort, power, controller rate and slopes.

The element sees x = g q and v = g u for the gear ratio g; its effort f acts on the coordinate as g f.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.forces import laws
from supple.core.forces.signals import evaluate
from supple.native.declare import kernel

JOINT_SPRING, JOINT_EFFORT, PID, JOINT_FRICTION, JOINT_STOP, JOINT_LAW = 40, 41, 42, 43, 44, 45
# Element integers: places in q and u, signal (-1: none), controller state, and of JOINT_LAW, a spring with more than
# linear and cubic terms, its laws (core/forces/laws.py)
Q, U, SIGNAL, STATE, SPRING, DAMPER = 1, 2, 3, 4, 5, 6
# Reals of springs; of friction; of stops; of controllers; and of every such element the gear ratio g
STIFFNESS, DAMPING, REST, CUBIC = range(4)
COULOMB, VISCOUS, STATIC, TRANSITION, STRIBECK = range(5)
LOWER, UPPER, STOP_STIFFNESS, STOP_DAMPING, EXPONENT = range(5)
KP, KI, KD, LIMIT, BACK = range(5)
RATIO = 27


@kernel
def effort(tree, work, e, t, x, v, z):
    """Effort on the geared coordinate, power (dissipated, or work of actuators) and controller rate."""
    el, c = tree.element[e], tree.coef[e]
    kind = el[at.KIND]
    f, rate = 0.0 * x, 0.0 * x
    if kind == JOINT_SPRING or kind == JOINT_LAW:
        d = x - c[REST]
        f = -d * (c[STIFFNESS] + c[CUBIC] * d * d) - c[DAMPING] * v
        lost = c[DAMPING] * v * v
        if kind == JOINT_LAW:
            elastic, damping, _, _, _ = laws.force(tree, work, el[SPRING], el[DAMPER], d, v)
            f = f - elastic - damping
            lost = lost + damping * v
        return f, lost, rate
    if kind == JOINT_FRICTION:
        f = -friction(c, v)[0]
        return f, -f * v, rate
    if kind == JOINT_STOP:
        side, _, push, elastic = stop(c, x, v)
        return -side * push, (push - elastic) * side * v, rate
    if kind == JOINT_EFFORT:
        f = f + evaluate(tree, work, el[SIGNAL], t)[0]
        return f, f * v, rate
    # PID; beyond its limit the integral follows what was really applied
    target, target_rate, _ = evaluate(tree, work, el[SIGNAL], t)
    i = z[el[STATE]]
    raw = c[KP] * (target - x) + c[KI] * i + c[KD] * (target_rate - v)
    f = raw
    if raw.real > c[LIMIT]:
        f = c[LIMIT] + 0.0 * raw
    elif raw.real < -c[LIMIT]:
        f = -c[LIMIT] + 0.0 * raw
    return f, f * v, target - x + c[BACK] * (f - raw)


@kernel
def slopes(tree, work, e, t, x, v, z):
    """Derivatives of the effort along x, v and the controller state, and of the controller rate."""
    el, c = tree.element[e], tree.coef[e]
    kind = el[at.KIND]
    if kind == JOINT_SPRING or kind == JOINT_LAW:
        d = x - c[REST]
        fx, fv = -c[STIFFNESS] - 3.0 * c[CUBIC] * d * d, -c[DAMPING] + 0.0 * v
        if kind == JOINT_LAW:
            _, _, along, slope, _ = laws.force(tree, work, el[SPRING], el[DAMPER], d, v)
            fx, fv = fx - along, fv - slope
        return fx, fv, 0.0, 0.0, 0.0, 0.0
    if kind == JOINT_FRICTION:
        return 0.0, -friction(c, v)[1], 0.0, 0.0, 0.0, 0.0
    if kind == JOINT_STOP:
        _, p, push, elastic = stop(c, x, v)
        if push <= 0.0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        return -c[EXPONENT] * push / p, -elastic * c[STOP_DAMPING], 0.0, 0.0, 0.0, 0.0
    if kind == PID:
        target, target_rate, _ = evaluate(tree, work, el[SIGNAL], t)
        raw = c[KP] * (target - x) + c[KI] * z[el[STATE]] + c[KD] * (target_rate - v)
        if abs(raw) > c[LIMIT]:
            return 0.0, 0.0, 0.0, c[BACK] * c[KP] - 1.0, c[BACK] * c[KD], -c[BACK] * c[KI]
        return -c[KP], -c[KD], c[KI], -1.0, 0.0, 0.0
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@kernel
def friction(c, v):
    """Resisting effort at speed v and its slope: Coulomb with breakaway, rounded where it changes sign, plus viscous.

    (coulomb + (static - coulomb) exp(-(v/stribeck)^2)) tanh(v/transition) + viscous v
    """
    bump = (c[STATIC] - c[COULOMB]) * np.exp(-(v / c[STRIBECK]) * (v / c[STRIBECK]))
    turn = np.tanh(v / c[TRANSITION])
    level = c[COULOMB] + bump
    slope = level * (1.0 - turn * turn) / c[TRANSITION] - 2.0 * v / (c[STRIBECK] * c[STRIBECK]) * bump * turn + c[VISCOUS]
    return level * turn + c[VISCOUS] * v, slope


@kernel
def stop(c, x, v):
    """Side (1 upper, -1 lower), depth, push and its elastic part k p^n; zero push where nothing touches."""
    side, p = 1.0, 0.0 * x
    if x.real > c[UPPER]:
        p = x - c[UPPER]
    elif x.real < c[LOWER]:
        side, p = -1.0, c[LOWER] - x
    else:
        return side, p, p, p
    elastic = c[STOP_STIFFNESS] * p
    if c[EXPONENT] != 1.0:
        elastic = c[STOP_STIFFNESS] * p ** c[EXPONENT]
    push = elastic * (1.0 + c[STOP_DAMPING] * side * v)
    if push.real < 0.0:  # it pushes only
        push = 0.0 * push
    return side, p, push, elastic


@kernel
def stored(tree, work, e, x):
    """Energy stored in a spring or a stop (J)."""
    el, c = tree.element[e], tree.coef[e]
    if el[at.KIND] == JOINT_SPRING or el[at.KIND] == JOINT_LAW:
        d = x - c[REST]
        energy = d * d * (0.5 * c[STIFFNESS] + 0.25 * c[CUBIC] * d * d)
        if el[at.KIND] == JOINT_LAW:
            energy = energy + laws.stored(tree, work, el[SPRING], d)
        return energy
    if el[at.KIND] == JOINT_STOP:
        _, p, _, elastic = stop(c, x, 0.0)
        return elastic * p / (c[EXPONENT] + 1.0)
    return 0.0


@kernel
def branch(tree, work, e, t, x, v, z):
    """Branch of the law of a stop (free, upper, lower, let go), a controller (within, above, below its limit) or a spring."""
    el, c = tree.element[e], tree.coef[e]
    if el[at.KIND] == JOINT_LAW:
        return laws.force(tree, work, el[SPRING], el[DAMPER], x - c[REST], v)[4]
    if el[at.KIND] == JOINT_STOP:
        side, p, push, _ = stop(c, x, v)
        if p <= 0.0:
            return 0
        if push <= 0.0:
            return 3
        return 1 if side > 0.0 else 2
    target, target_rate, _ = evaluate(tree, work, el[SIGNAL], t)
    raw = c[KP] * (target - x) + c[KI] * z[el[STATE]] + c[KD] * (target_rate - v)
    if raw > c[LIMIT]:
        return 1
    return 2 if raw < -c[LIMIT] else 0
