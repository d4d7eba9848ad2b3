"""Signals of time evaluated inside compiled loops: piecewise polynomials, sines and expressions.

Every signal gives its value and its first two time derivatives. Expressions are programs for a stack machine whose
cells are such triples, kept in the workspace.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.base import opcodes as op
from supple.core.base.layout import TREE, WORK
from supple.native.declare import INT, REAL, kernel, shared

# Numbers of a sine; of pieces, behind their n + 1 breaks: origins (n), coefficients (n, k), and the integers n, k;
# of a program: arguments of its operations, and the integers: their count, then code and signal of each
AMPLITUDE, OMEGA, PHASE, OFFSET = range(4)
PIECES, COEFFICIENTS = range(2)
COUNT, OPERATIONS = range(2)


@kernel
def evaluate(tree, work, k, t):
    """Value and first two time derivatives of signal k; k < 0 is the zero signal."""
    if k < 0:
        return 0.0, 0.0, 0.0
    fill(tree, work, k, t)
    cell = work.stack[0]
    return cell[0].real, cell[1].real, cell[2].real


@shared(TREE, WORK, INT, REAL)
def fill(tree, work, k, t):
    """Value and first two time derivatives of signal k into the first cell of the stack."""
    if tree.signal[k, at.SIGNAL_CODE] == op.PROGRAM:
        program(tree, work.stack, k, t)
    else:
        cell = work.stack[0]
        cell[0], cell[1], cell[2] = plain(tree, k, t)


@kernel
def plain(tree, k, t):
    """A signal that is no program."""
    x = tree.data[tree.signal[k, at.SIGNAL_AT] :]
    if tree.signal[k, at.SIGNAL_CODE] == op.SINE:
        phase = x[OMEGA] * t + x[PHASE]
        wave = x[AMPLITUDE] * math.sin(phase)
        return x[OFFSET] + wave, x[AMPLITUDE] * x[OMEGA] * math.cos(phase), -x[OMEGA] * x[OMEGA] * wave
    sizes = tree.program[tree.signal[k, at.SIGNAL_PROGRAM] :]
    n, m = sizes[PIECES], sizes[COEFFICIENTS]
    origins, coefficients = x[n + 1 :], x[2 * n + 1 :]
    low, high = x[0], x[n]
    held = t < low or t >= high
    t = min(max(t, low), high)
    first = piece(x, n, t)
    value, rate, curve = polynomial(coefficients[first * m :], m, t - origins[first])
    if held:
        return value, 0.0, 0.0
    return value, rate, curve


@kernel
def piece(breaks, n, t):
    """The piece of n whose break is the last one not after t."""
    first, last = 0, n - 1
    while first < last:
        middle = (first + last + 1) // 2
        if breaks[middle] <= t:
            first = middle
        else:
            last = middle - 1
    return first


@kernel
def polynomial(coefficients, m, s):
    """Value and first two derivatives of a polynomial with m coefficients at s."""
    value, rate, curve = 0.0 * s, 0.0 * s, 0.0 * s
    for j in range(m - 1, -1, -1):
        curve = curve * s + 2.0 * rate
        rate = rate * s + value
        value = value * s + coefficients[j]
    return value, rate, curve


@kernel
def program(tree, stack, k, t):
    """Run a program; the stack's cells are rows of value, rate, curvature, the first one is the answer."""
    arguments, top = tree.data[tree.signal[k, at.SIGNAL_AT] :], -1
    integers = tree.program[tree.signal[k, at.SIGNAL_PROGRAM] :]
    for step in range(integers[COUNT]):
        code, argument = integers[OPERATIONS + 2 * step], arguments[step]
        if code <= op.SIGNAL:
            top += 1
            cell = stack[top]
            cell[0], cell[1], cell[2] = argument, 0.0, 0.0
            if code == op.TIME:
                cell[0], cell[1] = t, 1.0
            elif code == op.SIGNAL:
                cell[0], cell[1], cell[2] = plain(tree, integers[OPERATIONS + 2 * step + 1], t)
            continue
        if code <= op.MAXIMUM:
            top -= 1
            binary(stack[top], stack[top + 1], code)
        else:
            unary(stack[top], code, argument)


@kernel
def binary(a, b, code):
    """a = a (operation) b."""
    v, d, c = a[0].real, a[1].real, a[2].real
    w, e, g = b[0].real, b[1].real, b[2].real
    if code == op.ADD:
        a[0], a[1], a[2] = v + w, d + e, c + g
    elif code == op.SUBTRACT:
        a[0], a[1], a[2] = v - w, d - e, c - g
    elif code == op.MULTIPLY:
        a[0], a[1], a[2] = v * w, d * w + v * e, c * w + 2.0 * d * e + v * g
    elif code == op.DIVIDE:
        y = v / w
        r = (d - y * e) / w
        a[0], a[1], a[2] = y, r, (c - 2.0 * r * e - y * g) / w
    elif code == op.POWER:  # v > 0: exp(w log v)
        y, l = v**w, math.log(v)
        r = e * l + w * d / v
        a[0], a[1] = y, y * r
        a[2] = y * (r * r + g * l + 2.0 * e * d / v + w * (c / v - d * d / (v * v)))
    else:  # where both are equal, the one that is the lesser, or the larger, right of it
        x, y = (e - d if e != d else g - c) if w == v else w - v, 1.0 if code == op.MAXIMUM else -1.0
        if x * y > 0.0:
            a[0], a[1], a[2] = w, e, g


@kernel
def unary(a, code, argument):
    """a = operation(a), by the chain rule."""
    v, d, c = a[0].real, a[1].real, a[2].real
    y, s, r = elementary(v, code, argument)
    if code == op.ABSOLUTE and v == 0.0 and (d if d != 0.0 else c) < 0.0:  # as it is right of there
        s = -1.0
    a[0], a[1], a[2] = y, s * d, s * c + r * d * d


@kernel
def elementary(v, code, argument):
    """Value y of an operation and its first two derivatives, of real or complex numbers."""
    y, s, r = v, 1.0, 0.0
    if code == op.NEGATE:
        y, s = -v, -s
    elif code == op.SINE_OF:
        y, s, r = np.sin(v), np.cos(v), -np.sin(v)
    elif code == op.COSINE_OF:
        y, s, r = np.cos(v), -np.sin(v), -np.cos(v)
    elif code == op.TANGENT_OF:
        y = np.tan(v)
        s = 1.0 + y * y
        r = 2.0 * y * s
    elif code == op.EXP_OF:
        y = np.exp(v)
        s, r = y, y
    elif code == op.LOG_OF:
        y, s, r = np.log(v), 1.0 / v, -1.0 / (v * v)
    elif code == op.ROOT_OF:
        y = np.sqrt(v)
        s = 0.5 / y
        r = -0.5 * s / v
    elif code == op.ABSOLUTE:
        if v.real < 0.0:
            y, s = -v, -s
    elif code == op.SIGN:
        y, s = (1.0 if v.real > 0.0 else 0.0) - (1.0 if v.real < 0.0 else 0.0), 0.0
    elif code == op.STEP:
        y, s = 1.0 if v.real >= 0.0 else 0.0, 0.0
    elif code == op.ARCTANGENT_OF:
        y, s = np.arctan(v), 1.0 / (1.0 + v * v)
        r = -2.0 * v * s * s
    elif code == op.ARCSINE_OF or code == op.ARCCOSINE_OF:
        s = 1.0 / np.sqrt(1.0 - v * v)
        r = v * s * s * s
        y = np.arcsin(v)
        if code == op.ARCCOSINE_OF:
            y, s, r = np.arccos(v), -s, -r
    elif code == op.TANH_OF:
        y = np.tanh(v)
        s = 1.0 - y * y
        r = -2.0 * y * s
    elif code == op.RAISE:  # to a given power
        y = v**argument
        s = argument * v ** (argument - 1.0) if argument != 0.0 else 0.0
        r = argument * (argument - 1.0) * v ** (argument - 2.0) if argument != 0.0 and argument != 1.0 else 0.0
    return y, s, r
