"""Laws of springs and dampers: forces over a deflection and its rate, by tables and formulas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.core.base import opcodes as op
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.validate import read_only, set_fields
from supple.signals import expressions
from supple.signals.base import Packed, packed, parsed
from supple.signals.piecewise import OPEN_END

OF_A_SPRING = {"x": expressions.OF_A_LAW["x"]}
PAIRS = "pairs such as [(0, 0), (0.1, 500)] or a TableLaw"


class Law(ABC):
    """A force over a deflection x and its rate v: of springs over x, of dampers over both."""

    @abstractmethod
    def __call__(self, x: ArrayLike) -> Vector:
        """Force (N or N m) at the deflections x, of their shape, at rest."""

    @property
    @abstractmethod
    def kinked(self) -> bool:
        """True if its slope jumps somewhere: steps end there."""

    @abstractmethod
    def spring(self) -> Packed:
        """Numbers by which kernels evaluate it as a spring (``core/forces/laws.py``)."""

    @abstractmethod
    def damper(self) -> Packed:
        """Numbers by which kernels evaluate it as a damper (``core/forces/laws.py``)."""


@dataclass(frozen=True, eq=False, init=False)
class TableLaw(Law):
    """A force between given points.

    Parameters
    ----------
    points : (n, 2)
        Pairs of deflection (m or rad; of a damper: rate, m/s or rad/s) and force (N or N m), two or
        more, in ascending order of the deflection.
    interpolation : "linear" or "cubic"
        Straight lines, or a cubic curve with continuous slope that rises and falls only where the
        points do.
    beyond : "slope" or "hold"
        Outside the points the force goes on with its last slope, or keeps its last value.
    """

    points: Vector
    interpolation: Literal["linear", "cubic"]
    beyond: Literal["slope", "hold"]

    def __init__(
        self,
        points: ArrayLike,
        interpolation: Literal["linear", "cubic"] = "linear",
        beyond: Literal["slope", "hold"] = "slope",
    ) -> None:
        self._store("TableLaw", "points", points, interpolation, beyond)

    @classmethod
    def of(cls, owner: str, field: str, points: Any) -> TableLaw:
        """A table of straight lines in the field of another object, which its sentences name."""
        made = cls.__new__(cls)
        made._store(owner, field, points, "linear", "slope")
        return made

    def _store(self, owner: str, field: str, points: Any, between: Any, beyond: Any) -> None:
        expected = "two or more pairs of finite numbers, e.g. [(0, 0), (0.1, 500)]"
        given = validate.array(owner, field, points, expected)
        if given.ndim != 2 or given.shape[0] < 2 or given.shape[1] != 2:
            raise ModelError(owner, field, points, expected)
        back = np.flatnonzero(np.diff(given[:, 0]) <= 0.0)
        if back.size:
            k = int(back[0]) + 1
            found, before = float(given[k, 0]), float(given[k - 1, 0])
            raise ModelError(owner, f"{field}[{k}]", found, f"a deflection beyond {before!r}")
        set_fields(
            self,
            points=given,
            interpolation=validate.choice(owner, "interpolation", between, ("linear", "cubic")),
            beyond=validate.choice(owner, "beyond", beyond, ("slope", "hold")),
        )

    @property
    def kinked(self) -> bool:
        """Straight lines of different slopes meet, or a curve ends."""
        if self.interpolation == "cubic":
            return self.beyond == "hold"
        return len(self._pieces[1]) > 1

    @cached_property
    def _pieces(self) -> tuple[Vector, Vector, Vector]:
        """Breaks (n + 1,), origins (n,) and coefficients (n, k) of the force, without ends."""
        x, f = self.points.T
        if self.interpolation == "linear":
            c = np.column_stack([f[:-1], np.diff(f) / np.diff(x)])
        else:
            from scipy.interpolate import PchipInterpolator

            c = np.ascontiguousarray(PchipInterpolator(x, f).c[::-1].T)
        h = x[-1] - x[-2]
        last = sum(k * c[-1, k] * h ** (k - 1) for k in range(1, c.shape[1]))
        slopes = (c[0, 1], last) if self.beyond == "slope" else (0.0, 0.0)
        ends = np.zeros((2, c.shape[1]))
        ends[:, 0], ends[:, 1] = f[[0, -1]], slopes
        rows, origins = np.vstack([ends[:1], c, ends[1:]]), np.concatenate([x[:1], x])
        breaks = np.concatenate([[-OPEN_END], x, [OPEN_END]])
        if self.interpolation == "cubic":
            return breaks, origins, rows
        # lines that go on need no kink between them
        size = np.abs(rows[:, 1]).max()
        turns = np.flatnonzero(np.abs(np.diff(rows[:, 1])) > 1e-12 * size)
        kept = np.concatenate([[0], turns + 1])
        breaks = np.concatenate([[-OPEN_END], breaks[turns + 1], [OPEN_END]])
        return breaks, origins[kept], rows[kept]

    def __call__(self, x: ArrayLike) -> Vector:
        """Force (N or N m) at the deflections x, of their shape."""
        breaks, origins, c = self._pieces
        return np.asarray(_value(breaks, origins, c, np.asarray(x, dtype=np.float64)))

    def energy(self, x: ArrayLike) -> Vector:
        """Energy (J) of a spring at the deflections x, zero at x = 0."""
        return np.asarray(_value(*self._energies, np.asarray(x, dtype=np.float64)))

    @cached_property
    def _energies(self) -> tuple[Vector, Vector, Vector]:
        breaks, origins, c = self._pieces
        rows = np.hstack([np.zeros((len(c), 1)), c / np.arange(1, c.shape[1] + 1)])
        for k in range(1, len(rows)):  # continuous at the breaks
            before = _polynomial(rows[k - 1], breaks[k] - origins[k - 1])
            rows[k, 0] = before - _polynomial(rows[k], breaks[k] - origins[k])
        rows[:, 0] -= _value(breaks, origins, rows, np.zeros(()))
        return breaks, origins, rows

    def spring(self) -> Packed:
        """Pieces of its energy."""
        return _table(*self._energies)

    def damper(self) -> Packed:
        """Pieces of its force."""
        return _table(*self._pieces)


@dataclass(frozen=True, eq=False, init=False)
class FormulaLaw(Law):
    """A force (N or N m) as a formula in the deflection ``x`` and its rate ``v``.

    Allowed is what an ``Expression`` allows, with x (m or rad) and v (m/s or rad/s) in place of t.
    Where abs, sign, step, min and max change sides, steps end.
    """

    text: str
    _program: expressions.Program

    def __init__(self, text: str) -> None:
        self._store("FormulaLaw", "text", text, expressions.OF_A_LAW)

    @classmethod
    def of(cls, owner: str, field: str, text: Any, variables: Mapping[str, int]) -> FormulaLaw:
        """A formula in the field of another object, which its sentences name."""
        made = cls.__new__(cls)
        made._store(owner, field, text, variables)
        return made

    def _store(self, owner: str, field: str, text: Any, variables: Mapping[str, int]) -> None:
        names = " and ".join(variables)
        example = "2e3*x + 5e5*x**3" if len(variables) == 1 else "40*v*abs(v)"
        expected = f"an expression in {names}, e.g. {example!r}"
        set_fields(self, text=text, _program=parsed(owner, field, text, variables, expected))

    @property
    def uses_rate(self) -> bool:
        """True if v occurs in it."""
        return any(code == op.RATE for code, _ in self._program.operations)

    @property
    def kinked(self) -> bool:
        """True if it chooses between sides."""
        return any(code in expressions.CHOICES for code, _ in self._program.operations)

    def __call__(self, x: ArrayLike, v: ArrayLike = 0.0) -> Vector:
        """Force (N or N m) at deflections x and rates v of one shape."""
        places, rates = np.broadcast_arrays(*(np.asarray(y, dtype=np.float64) for y in (x, v)))
        return np.asarray(expressions.run(self._program.operations, places, (), rates))

    def damper(self) -> Packed:
        """Operations, then kinks in x."""
        code, integers, numbers = packed(self._program.operations)
        kinks = self._program.breakpoints
        return Packed(code, (*integers, len(kinks)), read_only([*numbers, *kinks]))

    spring = damper


LawLike = Law | str | ArrayLike


def spring_law(owner: str, field: str, value: LawLike | None) -> Law | None:
    """The elastic law of an element: a function of x that is finite where its energy is zero."""
    law = _law(owner, field, value, OF_A_SPRING)
    if isinstance(law, FormulaLaw):
        if law.uses_rate:
            expected = "a formula in x; what depends on v is a damper"
            raise ModelError(owner, field, law.text, expected)
        if not np.isfinite(law(0.0)):
            expected = "a formula that is finite at x = 0, where its energy is zero"
            raise ModelError(owner, field, law.text, expected)
    return law


def damper_law(owner: str, field: str, value: LawLike | None) -> Law | None:
    """The law of a damper: a table over v, or a formula in x and v."""
    return _law(owner, field, value, expressions.OF_A_LAW)


def _law(owner: str, field: str, value: LawLike | None, variables: Mapping[str, int]) -> Law | None:
    if value is None or isinstance(value, Law):
        return value
    if isinstance(value, str):
        return FormulaLaw.of(owner, field, value, variables)
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise ModelError(owner, field, value, f"a formula or {PAIRS}")
    return TableLaw.of(owner, field, value)


def _table(breaks: Vector, origins: Vector, coefficients: Vector) -> Packed:
    numbers = np.concatenate([breaks, origins, coefficients.ravel()])
    return Packed(op.PIECEWISE, coefficients.shape, read_only(numbers))


def _value(breaks: Vector, origins: Vector, coefficients: Vector, x: Vector) -> Any:
    piece = np.clip(np.searchsorted(breaks, x, side="right") - 1, 0, len(origins) - 1)
    return _polynomial(coefficients[piece], x - origins[piece])


def _polynomial(coefficients: Vector, s: Any) -> Any:
    value = 0.0 * s
    for k in reversed(range(coefficients.shape[-1])):
        value = value * s + coefficients[..., k]
    return value
