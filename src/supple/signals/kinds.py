"""Signals: numbers that depend on time and are evaluated inside the compiled step loop."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from supple import validate
from supple.core import opcodes as op
from supple.errors import ModelError
from supple.signals import derivatives, expressions
from supple.validate import Vector, read_only, set_fields

# Stands for an end at infinity: finite, so that kernels need no special case.
OPEN_END = 1e300


class Packed(NamedTuple):
    """A signal for the kernels: its code, its integers and its numbers (1-D)."""

    code: int
    integers: tuple[int, ...]
    numbers: Vector


class Signal(ABC):
    """Base of all signals.

    How to add one is in CONTRIBUTING.md, "A signal".
    """

    __array_ufunc__ = None  # numbers of NumPy leave sums and products to the signal

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Vector) -> Vector: ...
    @abstractmethod
    def __call__(self, t: float | Vector) -> float | Vector:
        """Value at time t (s); an array of times gives an array of its shape."""

    @abstractmethod
    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s), each of the shape of t.

        Rate and curvature are the exact first and second derivative; where they jump, those to the
        right.
        """

    @overload
    def rate(self, t: float) -> float: ...
    @overload
    def rate(self, t: Vector) -> Vector: ...
    def rate(self, t: float | Vector) -> float | Vector:
        """First time derivative at t (s), in units/s; at a jump the one to the right."""
        return _shaped(self.derivatives(t)[1])

    @overload
    def curvature(self, t: float) -> float: ...
    @overload
    def curvature(self, t: Vector) -> Vector: ...
    def curvature(self, t: float | Vector) -> float | Vector:
        """Second time derivative at t (s), in units/s2; at a jump the one to the right."""
        return _shaped(self.derivatives(t)[2])

    @abstractmethod
    def program(self) -> Packed:
        """Return what the kernel evaluates (``core/signals.py``)."""

    def breakpoints(self) -> tuple[float, ...]:
        """Return the times (s), ascending, on which an integrator should land."""
        return ()

    def ends(self) -> tuple[float, ...]:
        """Return those breakpoints (s) at which recorded data begin or end."""
        return ()

    @property
    def parts(self) -> tuple[Signal, ...]:
        """The signals that its program refers to by their place here."""
        return ()

    def __add__(self, other: SignalLike) -> Signal:
        """Sum with a signal, a number or an expression."""
        return _combined(op.ADD, self, other)

    def __radd__(self, other: SignalLike) -> Signal:
        """Sum with a number or an expression."""
        return _combined(op.ADD, other, self)

    def __sub__(self, other: SignalLike) -> Signal:
        """Difference."""
        return _combined(op.SUBTRACT, self, other)

    def __rsub__(self, other: SignalLike) -> Signal:
        """Difference."""
        return _combined(op.SUBTRACT, other, self)

    def __mul__(self, other: SignalLike) -> Signal:
        """Product with a signal, a number or an expression."""
        return _combined(op.MULTIPLY, self, other)

    def __rmul__(self, other: SignalLike) -> Signal:
        """Product with a number or an expression."""
        return _combined(op.MULTIPLY, other, self)

    def __truediv__(self, other: SignalLike) -> Signal:
        """Quotient."""
        return _combined(op.DIVIDE, self, other)

    def __rtruediv__(self, other: SignalLike) -> Signal:
        """Quotient."""
        return _combined(op.DIVIDE, other, self)

    def __pow__(self, exponent: float) -> Signal:
        """A power with a number as exponent."""
        number = validate.number("Signal", "exponent", exponent)
        made = _combined(op.ADD, self, 0.0)
        assert isinstance(made, Combination)
        return Combination((*made.operations, (op.RAISE, number)), made.signals, made.kinks)

    def __neg__(self) -> Signal:
        """The opposite."""
        return _combined(op.MULTIPLY, -1.0, self)


class Piecewise(Signal):
    """A signal made of polynomial pieces, held constant before the first and after the last."""

    @abstractmethod
    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """Return breaks (n + 1,), origins (n,) and coefficients (n, k), powers of t - origin."""

    @cached_property
    def _arrays(self) -> tuple[Vector, Vector, Vector]:
        breaks, origins, coefficients = self.pieces()
        return read_only(breaks), read_only(origins), read_only(coefficients)

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Vector) -> Vector: ...
    def __call__(self, t: float | Vector) -> float | Vector:
        """Value at time t (s); an array of times gives an array of its shape."""
        breaks, origins, coefficients = self._arrays
        inside = np.clip(np.asarray(t, dtype=np.float64), breaks[0], breaks[-1])
        piece = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(origins) - 1)
        s = inside - origins[piece]
        value = np.zeros_like(s)
        for k in reversed(range(coefficients.shape[1])):
            value = value * s + coefficients[piece, k]
        return float(value) if value.ndim == 0 else value

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s); nothing moves outside the pieces."""
        breaks, origins, coefficients = self._arrays
        times = np.asarray(t, dtype=np.float64)
        inside = np.clip(times, breaks[0], breaks[-1])
        piece = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(origins) - 1)
        s = inside - origins[piece]
        value, rate, curvature = np.zeros_like(s), np.zeros_like(s), np.zeros_like(s)
        for k in reversed(range(coefficients.shape[1])):
            curvature = curvature * s + 2.0 * rate
            rate = rate * s + value
            value = value * s + coefficients[piece, k]
        moves = (breaks[0] <= times) & (times < breaks[-1])
        return value, np.where(moves, rate, 0.0), np.where(moves, curvature, 0.0)

    def program(self) -> Packed:
        """Numbers of pieces and coefficients; breaks, origins, coefficients piece after piece."""
        breaks, origins, coefficients = self._arrays
        numbers = np.concatenate([breaks, origins, coefficients.ravel()])
        return Packed(op.PIECEWISE, coefficients.shape, read_only(numbers))


@dataclass(frozen=True, eq=False, init=False)
class Constant(Piecewise):
    """The same value at all times."""

    value: float

    def __init__(self, value: float) -> None:
        set_fields(self, value=validate.number("Constant", "value", value))

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """One piece with one coefficient."""
        return (-OPEN_END, OPEN_END), (0.0,), ((self.value,),)


@dataclass(frozen=True, eq=False, init=False)
class Polynomial(Piecewise):
    """Sum of ``coefficients[k] (t - start)**k``, at all times."""

    coefficients: Vector
    start: float

    def __init__(self, coefficients: ArrayLike, start: float = 0.0) -> None:
        expected = "one or more finite numbers, the constant first"
        given = validate.array("Polynomial", "coefficients", coefficients, expected)
        if given.ndim != 1 or given.size == 0:
            raise ModelError("Polynomial", "coefficients", coefficients, expected)
        set_fields(self, coefficients=given, start=validate.number("Polynomial", "start", start))

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """One piece that never ends."""
        return (-OPEN_END, OPEN_END), (self.start,), self.coefficients[None, :]


@dataclass(frozen=True, eq=False, init=False)
class Table(Piecewise):
    """Values between given times (s), held constant outside them.

    ``interpolation`` is "linear", or "cubic" for the not-a-knot spline, whose first two
    derivatives are continuous between the first and the last time.
    """

    times: Vector
    values: Vector
    interpolation: Literal["linear", "cubic"]

    def __init__(
        self,
        times: ArrayLike,
        values: ArrayLike,
        interpolation: Literal["linear", "cubic"] = "linear",
    ) -> None:
        expected = "a row of 2 or more finite numbers"
        given = validate.array("Table", "times", times, expected)
        if given.ndim != 1 or given.size < 2:
            raise ModelError("Table", "times", times, expected)
        not_later = np.flatnonzero(np.diff(given) <= 0.0)
        if not_later.size:
            place = int(not_later[0]) + 1
            raise ModelError(
                "Table",
                f"times[{place}]",
                float(given[place]),
                f"a time after times[{place - 1}], which is {float(given[place - 1])!r}",
            )
        set_fields(
            self,
            times=given,
            values=validate.vector(
                "Table", "values", values, given.size, f"{given.size} finite numbers, as in times"
            ),
            interpolation=validate.choice(
                "Table", "interpolation", interpolation, ("linear", "cubic")
            ),
        )

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """One piece between each pair of times."""
        t, y = self.times, self.values
        if self.interpolation == "linear":
            return t, t[:-1], np.column_stack([y[:-1], np.diff(y) / np.diff(t)])
        from scipy.interpolate import CubicSpline

        return t, t[:-1], CubicSpline(t, y, bc_type="not-a-knot").c[::-1].T

    def breakpoints(self) -> tuple[float, ...]:
        """Return the times where the slope jumps; for a spline its two ends."""
        if self.interpolation == "cubic":
            return float(self.times[0]), float(self.times[-1])
        slopes = np.concatenate([[0.0], np.diff(self.values) / np.diff(self.times), [0.0]])
        # Equal slopes differ by rounding only; landing there would waste steps.
        jumps = np.abs(np.diff(slopes)) > 1e-12 * np.abs(slopes).max()
        return tuple(float(t) for t in self.times[jumps])

    def ends(self) -> tuple[float, ...]:
        """Both ends of a spline, beyond which its last value is held."""
        return self.breakpoints() if self.interpolation == "cubic" else ()


@dataclass(frozen=True, eq=False, init=False)
class SmoothStep(Piecewise):
    """From ``before`` to ``after`` between the times ``start`` and ``end`` (s).

    A polynomial of fifth degree; value, slope and curvature are continuous at both ends.
    """

    start: float
    end: float
    before: float
    after: float

    def __init__(self, start: float, end: float, before: float = 0.0, after: float = 1.0) -> None:
        fields = {"start": start, "end": end, "before": before, "after": after}
        numbers = {f: validate.number("SmoothStep", f, value) for f, value in fields.items()}
        if numbers["end"] <= numbers["start"]:
            raise ModelError(
                "SmoothStep",
                "end",
                numbers["end"],
                f"a time after start, which is {numbers['start']!r}",
            )
        set_fields(self, **numbers)

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """One piece of fifth degree."""
        d = self.end - self.start
        rise = self.after - self.before
        row = (self.before, 0.0, 0.0, 10 * rise / d**3, -15 * rise / d**4, 6 * rise / d**5)
        return (self.start, self.end), (self.start,), (row,)

    def breakpoints(self) -> tuple[float, ...]:
        """Both ends: the third derivative jumps there, and a short step is not missed."""
        return (self.start, self.end) if self.before != self.after else ()


@dataclass(frozen=True, eq=False, init=False)
class Sine(Signal):
    """``offset + amplitude sin(2 pi frequency t + phase)``; frequency in Hz, phase in rad."""

    amplitude: float
    frequency: float
    phase: float
    offset: float

    def __init__(
        self, amplitude: float, frequency: float, phase: float = 0.0, offset: float = 0.0
    ) -> None:
        fields = {"amplitude": amplitude, "frequency": frequency, "phase": phase, "offset": offset}
        set_fields(self, **{f: validate.number("Sine", f, value) for f, value in fields.items()})

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
    give other times at which the signal is not smooth in ``kinks`` (s).
    """

    text: str
    kinks: tuple[float, ...]
    _program: expressions.Program

    def __init__(self, text: str, kinks: ArrayLike = ()) -> None:
        set_fields(
            self,
            text=text,
            kinks=_times("Expression", "kinks", kinks),
            _program=_parsed("Expression", "text", text),
        )

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Vector) -> Vector: ...
    def __call__(self, t: float | Vector) -> float | Vector:
        """Value at time t (s); an array of times gives an array of its shape."""
        return _shaped(expressions.run(self._program.operations, np.asarray(t, dtype=np.float64)))

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s)."""
        return derivatives.run(self._program.operations, np.asarray(t, dtype=np.float64))

    def program(self) -> Packed:
        """The operations of the formula."""
        return _packed(self._program.operations)

    def breakpoints(self) -> tuple[float, ...]:
        """Return the times that were found and those that were given."""
        return tuple(sorted({*self._program.breakpoints, *self.kinks}))


@dataclass(frozen=True, eq=False, repr=False)
class Combination(Signal):
    """Sums, products and quotients of signals; what ``a + 2 * b`` makes."""

    operations: tuple[expressions.Operation, ...]
    signals: tuple[Signal, ...]
    kinks: tuple[float, ...]

    def __repr__(self) -> str:
        """What it is made of."""
        return f"Combination of {', '.join(map(repr, self.signals)) or 'expressions'}"

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Vector) -> Vector: ...
    def __call__(self, t: float | Vector) -> float | Vector:
        """Value at time t (s); an array of times gives an array of its shape."""
        times = np.asarray(t, dtype=np.float64)
        parts = [np.asarray(s(times)) for s in self.signals]
        return _shaped(expressions.run(self.operations, times, parts))

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s)."""
        times = np.asarray(t, dtype=np.float64)
        return derivatives.run(self.operations, times, [s.derivatives(times) for s in self.signals])

    def program(self) -> Packed:
        """The operations; SIGNAL refers to ``parts`` by place."""
        return _packed(self.operations)

    @property
    def parts(self) -> tuple[Signal, ...]:
        """The signals it is made of."""
        return self.signals

    def breakpoints(self) -> tuple[float, ...]:
        """Return those of all parts."""
        return tuple(sorted({*self.kinks, *(t for s in self.signals for t in s.breakpoints())}))

    def ends(self) -> tuple[float, ...]:
        """Return those of all parts."""
        return tuple(sorted({t for s in self.signals for t in s.ends()}))


SignalLike = float | str | Signal


def as_signal(value: Any, owner: str = "Signal", field: str = "value") -> Signal:
    """Return a signal as it is, a number as a ``Constant`` and a text as an ``Expression``."""
    if isinstance(value, Signal):
        return value
    if isinstance(value, str):
        _parsed(owner, field, value)
        return Expression(value)
    expected = "a finite number, a signal, e.g. SmoothStep(0, 1), or an expression, e.g. 'sin(2*t)'"
    return Constant(validate.number(owner, field, value, expected))


def _parsed(owner: str, field: str, text: Any) -> expressions.Program:
    expected = "an expression in t, e.g. '215*sin(2*pi*t)**3 + 62'"
    if not isinstance(text, str):
        raise ModelError(owner, field, text, expected)
    try:
        return expressions.parse(text)
    except expressions.ExpressionError as error:
        raise ModelError(owner, field, text, f"{expected} ({error})") from None


def _times(owner: str, field: str, value: ArrayLike) -> tuple[float, ...]:
    times = validate.array(owner, field, value, "finite times in s")
    return tuple(sorted(float(t) for t in np.ravel(times)))


def _packed(operations: tuple[expressions.Operation, ...]) -> Packed:
    integers = [len(operations)]
    for code, argument in operations:
        integers += [code, int(argument) if code == op.SIGNAL else -1]
    return Packed(op.PROGRAM, tuple(integers), read_only([x for _, x in operations]))


def _shaped(value: Any) -> float | Vector:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def _combined(code: int, a: SignalLike, b: SignalLike) -> Signal:
    operations: list[expressions.Operation] = []
    signals: list[Signal] = []
    kinks: list[float] = []
    for value in (a, b):
        signal = as_signal(value, "Signal", "term")
        if isinstance(signal, Constant):
            operations.append((op.NUMBER, signal.value))
        elif isinstance(signal, Expression):
            operations.extend(signal._program.operations)
            kinks.extend(signal.breakpoints())
        elif isinstance(signal, Combination):
            shift = len(signals)
            operations.extend((c, x + shift if c == op.SIGNAL else x) for c, x in signal.operations)
            signals.extend(signal.signals)
            kinks.extend(signal.kinks)
        else:
            operations.append((op.SIGNAL, float(len(signals))))
            signals.append(signal)
    operations.append((code, 0.0))
    made = Combination(tuple(operations), tuple(signals), tuple(kinks))
    if expressions.Program(made.operations).depth > op.STACK:
        raise ModelError.plain("Signal: too many nested terms, expected fewer brackets")
    return made
