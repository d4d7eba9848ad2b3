"""Signals given by a formula, and what may be written in place of a signal.

Short pulses of formulas: times on which an integrator must land, lest it steps over them. A formula
is known where it is asked. A step that begins and ends far from a short pulse, with all its stages,
never sees it, and neither error control nor the energy audit misses anything. So formulas are
sampled over a run: where all of the change is in a small part of it, integrators land before, in
and behind that part. What is shorter than a sample needs `Expression(..., kinks=...)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.base import opcodes as op
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.fields import declared, number
from supple.foundation.validate import read_only, set_fields
from supple.signals import expressions
from supple.signals.base import EXPECTED, Combination, Packed, Signal, packed, parsed
from supple.signals.piecewise import Constant

SAMPLES = 2**14
LIVELY = 0.05  # of the largest change from sample to sample: less is quiet
SHORT = 0.1  # part of the samples that pulses take at most
ROUNDING = 1e-9  # of the largest value: changes below are none
JOINED, COARSE, MOST = 8, 8, 100  # samples between pulses, and of one; pulses
ROUNDS, DEPTH = 3, 3  # how often smaller pulses are looked for, and how often one is looked into


@declared
class Sine(Signal):
    """``offset + amplitude sin(2 pi frequency t + phase)``; frequency in Hz, phase in rad."""

    amplitude: float = number("*")
    frequency: float = number("Hz")
    phase: float = number("rad", default=0.0)
    offset: float = number("*", default=0.0)

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s)."""
        omega = 2 * math.pi * self.frequency
        angle = omega * np.asarray(t, dtype=np.float64) + self.phase
        wave = self.amplitude * np.sin(angle)
        return self.offset + wave, self.amplitude * omega * np.cos(angle), -(omega**2) * wave

    def program(self) -> Packed:
        """Amplitude, omega in rad/s, phase, offset."""
        omega = 2 * math.pi * self.frequency
        return Packed(op.SINE, (), read_only([self.amplitude, omega, self.phase, self.offset]))


@dataclass(frozen=True, eq=False, init=False)
class Expression(Signal):
    """A formula in the time t (s), for example ``"215*sin(2*pi*t)**3 + 62"``.

    Allowed are numbers, ``t``, ``pi``, ``tau``, ``e``, ``+ - * / **``, the functions sin, cos, tan,
    asin, acos, atan, tanh, exp, log, sqrt, abs, sign, step (0 before zero, then 1), and min, max of
    several terms. Kinks and jumps of abs, sign, step, min and max of terms linear in t are found;
    give other times at which the signal is not smooth in ``kinks`` (s). Short pulses are found by
    sampling a run at 16384 times: give the place of shorter ones in ``kinks``, too.
    """

    text: str
    kinks: tuple[float, ...]
    _program: expressions.Program

    def __init__(self, text: str, kinks: ArrayLike = ()) -> None:
        set_fields(
            self,
            text=text,
            kinks=_times("Expression", "kinks", kinks),
            _program=parsed("Expression", "text", text),
        )

    def _value(self, t: Vector) -> Any:
        return expressions.run(self._program.operations, t)

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s)."""
        return expressions.run_derivatives(
            self._program.operations, np.asarray(t, dtype=np.float64)
        )

    def program(self) -> Packed:
        """The operations of the formula."""
        return packed(self._program.operations)

    def written_out(self) -> Combination:
        """Return its formula."""
        return Combination(self._program.operations, (), self.breakpoints())

    def breakpoints(self) -> tuple[float, ...]:
        """Return the times that were found and those that were given."""
        return tuple(sorted({*self._program.breakpoints, *self.kinks}))


def as_signal(value: Any, owner: str = "Signal", field: str = "value") -> Signal:
    """Return a signal as it is, a number as a ``Constant`` and a text as an ``Expression``."""
    if isinstance(value, Signal):
        return value
    if isinstance(value, str):
        parsed(owner, field, value)
        return Expression(value)
    return Constant(validate.number(owner, field, value, EXPECTED))


def to_signal(owner: str, field: str, value: Any) -> Signal:
    """Return what `as_signal` does: the check of a declared field."""
    return as_signal(value, owner, field)


def _times(owner: str, field: str, value: ArrayLike) -> tuple[float, ...]:
    times = validate.array(owner, field, value, "finite times in s")
    return tuple(sorted(float(t) for t in np.ravel(times)))


def pulse_times(signal: Signal, begin: float, end: float) -> tuple[float, ...]:
    """Times (s) before, in and behind each short pulse between two times, ascending."""
    formula = isinstance(signal, (Expression, Combination))
    if not formula or not np.isfinite(end - begin) or end <= begin:
        return ()
    return _pulse_edges(signal, float(begin), float(end), DEPTH)


@lru_cache(maxsize=256)
def _pulse_edges(signal: Signal, begin: float, end: float, depth: int) -> tuple[float, ...]:
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
                inner = _pulse_edges(signal, a, b, depth - 1)
            found |= {a, b, *(inner or (0.5 * (a + b),))}
            change[first:last] = 0.0
    return tuple(sorted(x for x in found if begin < x < end))
