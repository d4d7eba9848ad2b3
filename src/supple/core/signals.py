"""Signals of time evaluated inside compiled loops: piecewise polynomials and sines."""

from __future__ import annotations

import math

from supple.core.jit import kernel

PIECEWISE, SINE = 0, 1


@kernel
def evaluate(tree, k, t):
    """Value and time derivative of signal k; k < 0 is the zero signal."""
    if k < 0:
        return 0.0, 0.0
    x = tree.curve
    i = tree.signal[k, 1]
    if tree.signal[k, 0] == SINE:
        phase = x[i + 1] * t + x[i + 2]
        return x[i + 3] + x[i] * math.sin(phase), x[i] * x[i + 1] * math.cos(phase)
    # n pieces of k coefficients: [n, k, breaks (n + 1), origins (n), coefficients (n k)]
    n, m = int(x[i]), int(x[i + 1])
    low, high = x[i + 2], x[i + 2 + n]
    held = t < low or t >= high
    t = min(max(t, low), high)
    first, last = 0, n - 1
    while first < last:  # the piece whose break is the last one not after t
        middle = (first + last + 1) // 2
        if x[i + 2 + middle] <= t:
            first = middle
        else:
            last = middle - 1
    s = t - x[i + 3 + n + first]
    c = i + 3 + 2 * n + first * m
    value, rate = 0.0, 0.0
    for j in range(m - 1, -1, -1):
        rate = rate * s + value
        value = value * s + x[c + j]
    return value, 0.0 if held else rate
