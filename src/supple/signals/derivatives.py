"""Value, rate and curvature of programs: the kernels' stack machine on triples, in NumPy.

The rules are those of ``core/forces/signals.py``: exact derivatives, to the right where there is a
kink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from supple.core.base import opcodes as op
from supple.foundation.arrays import Array
from supple.signals.expressions import Operation

Triple = tuple[Any, Any, Any]


def run(operations: Sequence[Operation], t: Array, parts: Sequence[Triple] = ()) -> Triple:
    """Value and first two derivatives at the times t; ``parts`` are those of signals it uses."""
    zero, stack = np.zeros_like(t), list[Triple]()
    with np.errstate(all="ignore"):
        for code, argument in operations:
            if code == op.NUMBER:
                stack.append((np.full_like(t, argument), zero, zero))
            elif code == op.TIME:
                stack.append((t, np.ones_like(t), zero))
            elif code == op.SIGNAL:
                stack.append(parts[int(argument)])
            elif code <= op.MAXIMUM:
                second = stack.pop()
                stack.append(_binary(code, stack.pop(), second))
            else:
                v, d, c = stack.pop()
                y, s, r = _power(v, argument) if code == op.RAISE else _UNARY[code](v)
                if code == op.ABSOLUTE:  # where it is zero, as it is right of there
                    falling = (d < 0.0) | ((d == 0.0) & (c < 0.0))
                    s = np.where((v == 0.0) & falling, -1.0, s)
                stack.append((y, s * d, s * c + r * d * d))
    return stack.pop()


def _binary(code: int, a: Triple, b: Triple) -> Triple:
    (v, d, c), (w, e, g) = a, b
    if code == op.ADD:
        return v + w, d + e, c + g
    if code == op.SUBTRACT:
        return v - w, d - e, c - g
    if code == op.MULTIPLY:
        return v * w, d * w + v * e, c * w + 2.0 * d * e + v * g
    if code == op.DIVIDE:
        y = v / w
        r = (d - y * e) / w
        return y, r, (c - 2.0 * r * e - y * g) / w
    if code == op.POWER:  # v > 0: exp(w log v)
        y, log = v**w, np.log(v)
        r = e * log + w * d / v
        return y, y * r, y * (r * r + g * log + 2.0 * e * d / v + w * (c / v - d * d / (v * v)))
    # where both are equal, the one that is the lesser, or the larger, right of it
    more = np.where(w != v, w - v, np.where(e != d, e - d, g - c))
    second = more < 0.0 if code == op.MINIMUM else more > 0.0
    return np.where(second, w, v), np.where(second, e, d), np.where(second, g, c)


def _power(v: Any, n: float) -> Triple:
    # Powers below zero of v = 0 are infinite; their factor, which is zero, must win.
    slope = n * v ** (n - 1.0) if n != 0.0 else 0.0 * v
    bend = n * (n - 1.0) * v ** (n - 2.0) if n not in (0.0, 1.0) else 0.0 * v
    return v**n, slope, bend


def _tangent(v: Any) -> Triple:
    y = np.tan(v)
    return y, 1.0 + y * y, 2.0 * y * (1.0 + y * y)


def _tanh(v: Any) -> Triple:
    y = np.tanh(v)
    return y, 1.0 - y * y, -2.0 * y * (1.0 - y * y)


def _arcsine(v: Any) -> Triple:
    s = 1.0 / np.sqrt(1.0 - v * v)
    return np.arcsin(v), s, v * s**3


def _arccosine(v: Any) -> Triple:
    s = 1.0 / np.sqrt(1.0 - v * v)
    return np.arccos(v), -s, -v * s**3


def _arctangent(v: Any) -> Triple:
    s = 1.0 / (1.0 + v * v)
    return np.arctan(v), s, -2.0 * v * s * s


def _root(v: Any) -> Triple:
    y = np.sqrt(v)
    return y, 0.5 / y, -0.25 / (y * v)


# operation: its value and its first two derivatives with respect to its argument
_UNARY: dict[int, Callable[[Any], Triple]] = {
    op.NEGATE: lambda v: (-v, -1.0, 0.0),
    op.SINE_OF: lambda v: (np.sin(v), np.cos(v), -np.sin(v)),
    op.COSINE_OF: lambda v: (np.cos(v), -np.sin(v), -np.cos(v)),
    op.TANGENT_OF: _tangent,
    op.ARCSINE_OF: _arcsine,
    op.ARCCOSINE_OF: _arccosine,
    op.ARCTANGENT_OF: _arctangent,
    op.TANH_OF: _tanh,
    op.EXP_OF: lambda v: (np.exp(v), np.exp(v), np.exp(v)),
    op.LOG_OF: lambda v: (np.log(v), 1.0 / v, -1.0 / (v * v)),
    op.ROOT_OF: _root,
    op.ABSOLUTE: lambda v: (np.abs(v), np.where(v < 0.0, -1.0, 1.0), 0.0),
    op.SIGN: lambda v: (np.sign(v), 0.0, 0.0),
    op.STEP: lambda v: (np.where(v >= 0.0, 1.0, 0.0), 0.0, 0.0),
}
