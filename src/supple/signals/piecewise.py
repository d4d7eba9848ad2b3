"""Signals made of polynomial pieces."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from supple.core.base import opcodes as op
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import Vector, read_only, set_fields
from supple.signals.base import Combination, Packed, Signal

# Stands for an end at infinity: finite, so that kernels need no special case.
OPEN_END = 1e300


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

    def written_out(self) -> Combination:
        """Return its number."""
        return Combination(((op.NUMBER, self.value),), (), ())


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
