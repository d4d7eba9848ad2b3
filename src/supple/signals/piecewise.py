"""Signals made of polynomial pieces."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.core.base import opcodes as op
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, choice, declared, given, number
from supple.foundation.validate import read_only, set_fields
from supple.signals.base import Combination, Packed, Signal

# Stands for an end at infinity: finite, so that kernels need no special case.
OPEN_END = 1e300


def row(owner: str, field: str, value: Any, least: int, expected: str) -> Vector:
    """Return finite numbers in a row, ``least`` or more."""
    found = validate.array(owner, field, value, expected)
    if found.ndim != 1 or found.size < least:
        raise ModelError(owner, field, value, expected)
    return found


class Piecewise(Signal):
    """A signal made of polynomial pieces, held constant before the first and after the last."""

    @abstractmethod
    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """Return breaks (n + 1,), origins (n,) and coefficients (n, k), powers of t - origin."""

    @cached_property
    def _arrays(self) -> tuple[Vector, Vector, Vector]:
        breaks, origins, coefficients = self.pieces()
        return read_only(breaks), read_only(origins), read_only(coefficients)

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


@declared
class Constant(Piecewise):
    """One value at all times."""

    value: float = number("*")

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """One piece with one coefficient."""
        return (-OPEN_END, OPEN_END), (0.0,), ((self.value,),)

    def written_out(self) -> Combination:
        """Return its number."""
        return Combination(((op.NUMBER, self.value),), (), ())


@declared
class Polynomial(Piecewise):
    """Sum of ``coefficients[k] (t - start)**k``, at all times."""

    coefficients: Given[ArrayLike, Vector] = checked(
        row, least=1, expected="one or more finite numbers, the constant first"
    )
    start: float = number("s", default=0.0)

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """One piece that never ends."""
        return (-OPEN_END, OPEN_END), (self.start,), self.coefficients[None, :]


@declared
class Table(Piecewise):
    """Values between given times (s), held constant outside them.

    ``interpolation`` is "linear", or "cubic" for the not-a-knot spline, whose first two
    derivatives are continuous between the first and the last time.
    """

    times: Given[ArrayLike, Vector] = checked(
        row, "s", least=2, expected="a row of 2 or more finite numbers"
    )
    values: Given[ArrayLike, Vector] = given("*")
    interpolation: Literal["linear", "cubic"] = choice(default="linear")

    def _check(self, owner: str) -> None:
        not_later = np.flatnonzero(np.diff(self.times) <= 0.0)
        if not_later.size:
            place = int(not_later[0]) + 1
            time, before = float(self.times[place]), float(self.times[place - 1])
            expected = f"a time after times[{place - 1}], which is {before!r}"
            raise ModelError(owner, f"times[{place}]", time, expected)
        count = self.times.size
        expected = f"{count} finite numbers, as in times"
        set_fields(self, values=validate.vector(owner, "values", self.values, count, expected))

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


@declared
class SmoothStep(Piecewise):
    """From ``before`` to ``after`` between the times ``start`` and ``end`` (s).

    A polynomial of fifth degree; value, slope and curvature are continuous at both ends.
    """

    start: float = number("s")
    end: float = number("s")
    before: float = number("*", default=0.0)
    after: float = number("*", default=1.0)

    def _check(self, owner: str) -> None:
        if self.end <= self.start:
            expected = f"a time after start, which is {self.start!r}"
            raise ModelError(owner, "end", self.end, expected)

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """One piece of fifth degree."""
        d = self.end - self.start
        rise = self.after - self.before
        row = (self.before, 0.0, 0.0, 10 * rise / d**3, -15 * rise / d**4, 6 * rise / d**5)
        return (self.start, self.end), (self.start,), (row,)

    def breakpoints(self) -> tuple[float, ...]:
        """Both ends: the third derivative jumps there, and a short step is not missed."""
        return (self.start, self.end) if self.before != self.after else ()
