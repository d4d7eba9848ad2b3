"""Signals given by a formula, and what may be written in place of a signal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from supple.core.base import opcodes as op
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.fields import declared, number
from supple.foundation.validate import read_only, set_fields
from supple.signals import derivatives, expressions
from supple.signals.base import EXPECTED, Combination, Packed, Signal, packed, parsed, shaped
from supple.signals.piecewise import Constant


@declared
class Sine(Signal):
    """``offset + amplitude sin(2 pi frequency t + phase)``; frequency in Hz, phase in rad."""

    amplitude: float = number("*")
    frequency: float = number("Hz")
    phase: float = number("rad", default=0.0)
    offset: float = number("*", default=0.0)

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Vector) -> Vector: ...
    def __call__(self, t: float | Vector) -> float | Vector:
        """Value at time t (s); an array of times gives an array of its shape."""
        angle = 2 * math.pi * self.frequency * np.asarray(t, dtype=np.float64) + self.phase
        value = self.offset + self.amplitude * np.sin(angle)
        return float(value) if value.ndim == 0 else np.asarray(value)

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

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Vector) -> Vector: ...
    def __call__(self, t: float | Vector) -> float | Vector:
        """Value at time t (s); an array of times gives an array of its shape."""
        return shaped(expressions.run(self._program.operations, np.asarray(t, dtype=np.float64)))

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s)."""
        return derivatives.run(self._program.operations, np.asarray(t, dtype=np.float64))

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
