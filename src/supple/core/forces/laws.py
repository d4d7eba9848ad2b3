"""Laws of springs and dampers given by tables and formulas: forces over a deflection x and its rate v, with slopes.

A law is a row among the signals, evaluated at x and v in place of the time. Elements know it by its number plus one, zero
is none. The table of a spring holds the pieces of its energy, so that one evaluation gives energy, force and slope; the
table of a damper holds its force over v. A formula is a program on cells of value, slope along x, slope along v; its
integers end with the number of its kinks in x, its numbers with these kinks.

A branch is a number that changes where a law has a kink: a piece of a table of straight lines, the sides that abs, sign,
step, min and max of a formula take.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base import opcodes as op
from supple.core.forces.signals import (
    COEFFICIENTS,
    COUNT,
    OPERATIONS,
    PIECES,
    elementary,
    piece,
    polynomial,
)
from supple.native.declare import kernel

SIDES = 3  # of a choice; odd, so that no choice is lost where the number of a branch overflows
STRAIGHT = 3  # coefficients, at most, of pieces with kinks between them: of a force, and of the energy of one
WHOLE = 16.0  # powers up to it are products
PANELS = 64  # of an integral, at most
ENOUGH = 1e-13  # an integral's change in proportion to that of the magnitude, when its panels are halved
# Gauss-Legendre on (0, 1): distances of points from the middle, on both sides of it, and weights
POINTS = (0.09171732124782490, 0.26276620495816449, 0.39833323870681336, 0.48014492824876812)
WEIGHTS = (0.18134189168918099, 0.15685332293894364, 0.11119051722668723, 0.05061426814518813)


@kernel
def force(tree, work, spring, damper, x, v):
    """Elastic force, damping force, slopes of their sum along x and v, and the branch."""
    elastic, damping, along, rate, branch = 0.0 * x, 0.0 * x, 0.0 * x, 0.0 * x, 0
    if spring > 0:
        k = spring - 1
        if tree.signal[k, at.SIGNAL_CODE] == op.PROGRAM:
            elastic, along, _, branch = formula(tree, work.stack, k, x, 0.0 * x)
        else:
            _, elastic, along, branch = table(tree, k, x)
    if damper > 0:
        k, side = damper - 1, 0
        if tree.signal[k, at.SIGNAL_CODE] == op.PROGRAM:
            damping, slope, rate, side = formula(tree, work.stack, k, x, v)
            along = along + slope
        else:
            damping, rate, _, side = table(tree, k, v)
        branch = 1000003 * branch + side
    return elastic, damping, along, rate, branch


@kernel
def table(tree, k, x):
    """Value of a table at x, its first two derivatives, and the branch."""
    numbers, sizes = tree.data[tree.signal[k, at.SIGNAL_AT] :], tree.program[tree.signal[k, at.SIGNAL_PROGRAM] :]
    n, m = sizes[PIECES], sizes[COEFFICIENTS]
    first = piece(numbers, n, x.real)
    value, slope, curve = polynomial(numbers[2 * n + 1 + first * m :], m, x - numbers[n + 1 + first])
    branch = first
    if m > STRAIGHT:  # kinks at its ends only
        branch = (1 if first > 0 else 0) + (1 if first == n - 1 else 0)
    return value, slope, curve, branch


@kernel
def formula(tree, stack, k, x, v):
    """Value of a formula, its slopes along x and v, and the branch."""
    arguments, top, branch = tree.data[tree.signal[k, at.SIGNAL_AT] :], -1, 0
    integers = tree.program[tree.signal[k, at.SIGNAL_PROGRAM] :]
    for step in range(integers[COUNT]):
        code, argument = integers[OPERATIONS + 2 * step], arguments[step]
        if code <= op.SIGNAL:
            top += 1
            cell = stack[top]
            cell[0], cell[1], cell[2] = argument, 0.0, 0.0
            if code == op.TIME:
                cell[0], cell[1] = x, 1.0
            elif code == op.RATE:
                cell[0], cell[2] = v, 1.0
            continue
        if code <= op.MAXIMUM:
            top -= 1
            branch = SIDES * branch + pair(stack[top], stack[top + 1], code)
        else:
            branch = SIDES * branch + single(stack[top], code, argument)
    return stack[0, 0], stack[0, 1], stack[0, 2], branch


@kernel
def pair(a, b, code):
    """a = a (operation) b; the side of a choice."""
    v, d, c = a[0], a[1], a[2]
    w, e, g = b[0], b[1], b[2]
    if code == op.ADD:
        a[0], a[1], a[2] = v + w, d + e, c + g
    elif code == op.SUBTRACT:
        a[0], a[1], a[2] = v - w, d - e, c - g
    elif code == op.MULTIPLY:
        a[0], a[1], a[2] = v * w, d * w + v * e, c * w + v * g
    elif code == op.DIVIDE:
        y = v / w
        a[0], a[1], a[2] = y, (d - y * e) / w, (c - y * g) / w
    elif code == op.POWER:  # v > 0: exp(w log v)
        y, l = v**w, np.log(v)
        a[0], a[1], a[2] = y, y * (e * l + w * d / v), y * (g * l + w * c / v)
    elif (code == op.MINIMUM and w.real < v.real) or (code == op.MAXIMUM and w.real > v.real):
        a[0], a[1], a[2] = w, e, g
        return 1
    return 0


@kernel
def single(a, code, argument):
    """a = operation(a); the side of a choice. A part that does not change has no slope, even where the operation's is infinite."""
    v, d, c = a[0], a[1], a[2]
    if code == op.RAISE:
        y, slope = power(v, argument), 0.0 * v
        if argument != 0.0:
            slope = argument * power(v, argument - 1.0)
    else:
        y, slope, _ = elementary(v, code, argument)
    a[0] = y
    a[1] = slope * d if d != 0.0 else d
    a[2] = slope * c if c != 0.0 else c
    if code == op.ABSOLUTE or code == op.SIGN or code == op.STEP:
        if v.real > 0.0 or (v.real == 0.0 and code == op.STEP):
            return 1
        return 2 if v.real < 0.0 else 0
    return 0


@kernel
def power(v, n):
    """v to the power of n; small whole ones are products, which are analytic for negative v too."""
    if n < 0.0 or n > WHOLE or n != np.floor(n):
        return v**n
    y = 1.0 + 0.0 * v
    for _ in range(int(n)):
        y = y * v
    return y


@kernel
def stored(tree, work, spring, x):
    """Energy of a spring at x (J), zero at x = 0: from its table, or an integral of its formula between its kinks."""
    k = spring - 1
    if spring == 0:
        return 0.0
    if tree.signal[k, at.SIGNAL_CODE] != op.PROGRAM:
        return table(tree, k, x.real)[0]
    integers = tree.program[tree.signal[k, at.SIGNAL_PROGRAM] :]
    count = integers[COUNT]
    kinks, many = tree.data[tree.signal[k, at.SIGNAL_AT] + count :], integers[OPERATIONS + 2 * count]
    low, high, total = min(0.0, x.real), max(0.0, x.real), 0.0
    for i in range(many):
        if low < kinks[i] < high:
            total += integral(tree, work.stack, k, low, kinks[i])
            low = kinks[i]
    total += integral(tree, work.stack, k, low, high)
    return total if x.real > 0.0 else -total


@kernel
def integral(tree, stack, k, low, high):
    """Integral of a formula of x alone; panels are halved until it no longer changes.

    Over s with x = low + (high - low) (3 s^2 - 2 s^3): roots of the distance from either end, where kinks are, are
    smooth in s.
    """
    last, panels = 0.0, 1
    if low == high:
        return last
    while True:
        h, total, size = 1.0 / panels, 0.0, 0.0
        for i in range(panels):
            for j in range(8):
                side = 1.0 if j < 4 else -1.0
                s = h * (i + 0.5 + side * POINTS[j % 4])
                x, weight = low + (high - low) * s * s * (3.0 - 2.0 * s), 6.0 * (high - low) * s * (1.0 - s)
                f = h * WEIGHTS[j % 4] * weight * formula(tree, stack, k, x, 0.0)[0].real
                total += f
                size += abs(f)
        if panels >= PANELS or (panels > 1 and abs(total - last) <= ENOUGH * size):
            return total
        last = total
        panels *= 2
