"""Base of signals, and sums, products and quotients of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from supple.core.base import opcodes as op
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.validate import read_only
from supple.signals import expressions

EXPECTED = "a finite number, a signal, e.g. SmoothStep(0, 1), or an expression, e.g. 'sin(2*t)'"


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
    def __call__(self, t: float | Vector) -> float | Vector:
        """Value at time t (s); an array of times gives an array of its shape."""
        return shaped(self._value(np.asarray(t, dtype=np.float64)))

    def _value(self, t: Vector) -> Any:
        """Values at the times t (s), of any shape."""
        return self.derivatives(t)[0]

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
        return shaped(self.derivatives(t)[1])

    @overload
    def curvature(self, t: float) -> float: ...
    @overload
    def curvature(self, t: Vector) -> Vector: ...
    def curvature(self, t: float | Vector) -> float | Vector:
        """Second time derivative at t (s), in units/s2; at a jump the one to the right."""
        return shaped(self.derivatives(t)[2])

    @abstractmethod
    def program(self) -> Packed:
        """Return what the kernel evaluates (``core/forces/signals.py``)."""

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

    def written_out(self) -> Combination:
        """Return its operations: a formula's own, otherwise one that refers to the signal."""
        return Combination(((op.SIGNAL, 0.0),), (self,), ())

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
        return Combination((*made.operations, (op.RAISE, number)), made.signals, made.kinks)

    def __neg__(self) -> Signal:
        """The opposite."""
        return _combined(op.MULTIPLY, -1.0, self)


@dataclass(frozen=True, eq=False, repr=False)
class Combination(Signal):
    """Sums, products and quotients of signals; what ``a + 2 * b`` makes."""

    operations: tuple[expressions.Operation, ...]
    signals: tuple[Signal, ...]
    kinks: tuple[float, ...]

    def __repr__(self) -> str:
        """Operations and signals that it is made of."""
        return f"Combination of {', '.join(map(repr, self.signals)) or 'expressions'}"

    def _value(self, t: Vector) -> Any:
        return expressions.run(self.operations, t, [np.asarray(s(t)) for s in self.signals])

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s)."""
        times = np.asarray(t, dtype=np.float64)
        return expressions.run_derivatives(
            self.operations, times, [s.derivatives(times) for s in self.signals]
        )

    def program(self) -> Packed:
        """The operations; SIGNAL refers to ``parts`` by place."""
        return packed(self.operations)

    def written_out(self) -> Combination:
        """Return itself."""
        return self

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


def parsed(
    owner: str,
    field: str,
    text: Any,
    variables: Mapping[str, int] = expressions.IN_TIME,
    expected: str = "an expression in t, e.g. '215*sin(2*pi*t)**3 + 62'",
) -> expressions.Program:
    """Return a formula as operations; a sentence says what is wrong with a field that is none."""
    if not isinstance(text, str):
        raise ModelError(owner, field, text, expected)
    try:
        return expressions.parse(text, variables)
    except expressions.ExpressionError as error:
        raise ModelError(owner, field, text, f"{expected} ({error})") from None


def packed(operations: tuple[expressions.Operation, ...]) -> Packed:
    """Return operations for the kernels."""
    integers = [len(operations)]
    for code, argument in operations:
        integers += [code, int(argument) if code == op.SIGNAL else -1]
    return Packed(op.PROGRAM, tuple(integers), read_only([x for _, x in operations]))


def shaped(value: Any) -> float | Vector:
    """Return a number for one time, otherwise an array."""
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def _combined(code: int, a: SignalLike, b: SignalLike) -> Combination:
    operations: list[expressions.Operation] = []
    signals: list[Signal] = []
    kinks: list[float] = []
    for value in (a, b):
        term, shift = _term(value), len(signals)
        operations.extend((c, x + shift if c == op.SIGNAL else x) for c, x in term.operations)
        signals.extend(term.signals)
        kinks.extend(term.kinks)
    operations.append((code, 0.0))
    made = Combination(tuple(operations), tuple(signals), tuple(kinks))
    if expressions.Program(made.operations).depth > op.STACK:
        raise ModelError.plain("Signal: too many nested terms, expected fewer brackets")
    return made


def _term(value: Any) -> Combination:
    if isinstance(value, Signal):
        return value.written_out()
    if isinstance(value, str):
        program = parsed("Signal", "term", value)
        return Combination(program.operations, (), program.breakpoints)
    number = validate.number("Signal", "term", value, EXPECTED)
    return Combination(((op.NUMBER, number),), (), ())
