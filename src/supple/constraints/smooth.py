"""Motions that a mechanism can follow: no jump of value or rate, which would be an impact."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from supple.foundation.errors import ModelError
from supple.signals import Signal, as_signal

# A jump counts if it exceeds this part of the largest value or rate near it: far above rounding
# and the error of the limits below, far below what a run would notice.
SMALLEST_JUMP = 1e-7
# Distance at which one-sided limits are taken, as a part of the way to the next breakpoint. Their
# error is of third order in it for rates, of fourth order for values.
NEARNESS = 1e-8


class Jump(NamedTuple):
    """A jump of a signal's "value" or "rate" by ``size`` at ``time`` (s)."""

    what: str
    time: float
    size: float


def jumps(signal: Signal) -> Iterator[Jump]:
    """Find the jumps of value and rate at the breakpoints, the value's before the rate's."""
    times = signal.breakpoints()
    for i, time in enumerate(times):
        # Signals without other breakpoints change within a second, as far as is known.
        before = min(1.0, time - times[i - 1]) if i > 0 else 1.0
        after = min(1.0, times[i + 1] - time) if i + 1 < len(times) else 1.0
        left, right = _limits(signal, time, -before), _limits(signal, time, after)
        scale = max(left[2], right[2]), max(left[3], right[3])
        for k, what in enumerate(("value", "rate")):
            size = right[k] - left[k]
            if abs(size) > SMALLEST_JUMP * scale[k]:
                yield Jump(what, time, size)


def _limits(signal: Signal, time: float, reach: float) -> tuple[float, float, float, float]:
    """Value and rate approached from the side of ``reach`` (s), and how large they are there."""
    # Taylor's formula back from nearby times: on a kink rounding decides which side is taken.
    # A few rounding units of the time itself are the least that can be told apart.
    step = math.copysign(max(NEARNESS * abs(reach), 4.0 * math.ulp(time)), reach)
    near, far = time + step, time + 2.0 * step
    h = near - time
    value, rate, curvature = (float(x) for x in signal.derivatives(near))
    third = (float(signal.derivatives(far)[2]) - curvature) / (far - near)
    samples = time + reach * np.array([1 / 16, 1 / 4, 1 / 2, 7 / 8])
    values, rates, _ = signal.derivatives(samples)
    largest_rate = float(np.max(np.abs([rate, *rates])))
    largest = float(np.max(np.abs([value, *values]))) + largest_rate * abs(reach)
    rate_limit = rate - h * (curvature - 0.5 * h * third)
    value_limit = value - h * (rate - 0.5 * h * (curvature - h * third / 3.0))
    return value_limit, rate_limit, largest, largest_rate


def smooth_signal(owner: str, field: str, value: Any) -> Signal:
    """Return a number, expression or signal as a signal without jumps of value or rate.

    Jumps at the ends of recorded data are left to ``refuse_jumps``: a run may stay between them.
    """
    signal = as_signal(value, owner, field)
    ends = signal.ends()
    expected = (
        "none, because no body can follow it, e.g. a SmoothStep or a Table with cubic interpolation"
    )
    _refuse(owner, field, (jump for jump in jumps(signal) if jump.time not in ends), expected)
    return signal


def steady_signal(owner: str, field: str, value: Any) -> Signal:
    """Return a number, expression or signal as a signal whose value does not jump; its rate may."""
    signal = as_signal(value, owner, field)
    ends = signal.ends()
    found = (jump for jump in jumps(signal) if jump.what == "value" and jump.time not in ends)
    expected = "none, because no body can follow it, e.g. a SmoothStep or a Table"
    _refuse(owner, field, found, expected)
    return signal


def refuse_jumps(
    owner: str,
    field: str,
    signal: Signal,
    begin: float,
    end: float,
    of: tuple[str, ...] = ("value", "rate"),
) -> None:
    """Refuse a signal whose value or rate jumps within a run from ``begin`` to ``end`` (s)."""
    expected = f"none between {begin:g} and {end:g} s, because no body can follow it"
    found = (jump for jump in jumps(signal) if jump.what in of and begin < jump.time < end)
    _refuse(owner, field, found, expected)


def _refuse(owner: str, field: str, found: Iterator[Jump], expected: str) -> None:
    for what, time, size in found:
        if what == "rate":
            field = f"the rate of {field}"
        raise ModelError(owner, f"jump of {field} at {time:g} s", float(f"{size:.6g}"), expected)


def lowest(signal: Signal, begin: float, end: float) -> tuple[float, float]:
    """Time (s) and value of the lowest value between two times, from samples of each smooth piece.

    A dip that is shorter than a two-hundredth of a piece may be missed.
    """
    edges = [begin, *(t for t in signal.breakpoints() if begin < t < end), end]
    count = int(np.clip(20_000 // len(edges), 8, 200))
    pieces = [np.linspace(a, b, count) for a, b in itertools.pairwise(edges)]
    times = np.concatenate(pieces)
    k = int(np.argmin(signal(times)))
    low, high = float(times[max(k - 1, 0)]), float(times[min(k + 1, len(times) - 1)])
    for _ in range(40):  # thirds: a signal has one lowest value between neighbours
        left, right = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (low, right) if signal(left) < signal(right) else (left, high)
    found = [float(times[k]), 0.5 * (low + high)]
    return min(((t, float(signal(t))) for t in found), key=lambda pair: pair[1])
