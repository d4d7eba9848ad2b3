"""Short pulses of formulas: times on which an integrator must land, lest it steps over them.

A formula is known where it is asked. A step that begins and ends far from a short pulse, with all
its stages, never sees it, and neither error control nor the energy audit misses anything. So
formulas are sampled over a run: where all of the change is in a small part of it, integrators land
before, in and behind that part. What is shorter than a sample needs `Expression(..., kinks=...)`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from supple.signals.base import Combination, Signal
from supple.signals.formulas import Expression

SAMPLES = 2**14
LIVELY = 0.05  # of the largest change from sample to sample: less is quiet
SHORT = 0.1  # part of the samples that pulses take at most
ROUNDING = 1e-9  # of the largest value: changes below are none
JOINED, COARSE, MOST = 8, 8, 100  # samples between pulses, and of one; pulses
ROUNDS, DEPTH = 3, 3  # how often smaller pulses are looked for, and how often one is looked into


def pulse_times(signal: Signal, begin: float, end: float) -> tuple[float, ...]:
    """Times (s) before, in and behind each short pulse between two times, ascending."""
    formula = isinstance(signal, (Expression, Combination))
    if not formula or not np.isfinite(end - begin) or end <= begin:
        return ()
    return _times(signal, float(begin), float(end), DEPTH)


@lru_cache(maxsize=256)
def _times(signal: Signal, begin: float, end: float, depth: int) -> tuple[float, ...]:
    t = np.linspace(begin, end, SAMPLES + 1)
    with np.errstate(all="ignore"):
        values = np.asarray(signal(t))
    if not np.all(np.isfinite(values)):
        return ()
    change, found = np.abs(np.diff(values)), set[float]()
    known = np.array(signal.breakpoints())
    for at in np.searchsorted(t, known[(known >= begin) & (known <= end)]).tolist():
        change[max(at - 2, 0) : at + 1] = 0.0  # integrators land there anyway
    for _ in range(ROUNDS):
        top = change.max()
        lively = np.flatnonzero(change > LIVELY * top)
        if top <= ROUNDING * np.abs(values).max() or len(lively) > SHORT * SAMPLES:
            break
        clusters = np.split(lively, np.flatnonzero(np.diff(lively) > JOINED) + 1)
        if len(clusters) > MOST:
            break
        for cluster in clusters:
            first, last = max(int(cluster[0]) - 1, 0), min(int(cluster[-1]) + 2, SAMPLES)
            a, b = float(t[first]), float(t[last])
            inner: tuple[float, ...] = ()
            if last - first <= COARSE + 3 and depth:
                inner = _times(signal, a, b, depth - 1)
            found |= {a, b, *(inner or (0.5 * (a + b),))}
            change[first:last] = 0.0
    return tuple(sorted(x for x in found if begin < x < end))
