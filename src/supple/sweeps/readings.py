"""Readings: the numbers and histories that a sweep keeps of each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import validate
from supple.errors import ModelError, SuppleError, suggestion
from supple.results.quantities import quantity
from supple.results.result import Result
from supple.sweeps.designs import OWNER

Array = NDArray[np.float64]
Output = str | Callable[[Any], Any]
Outputs = Output | Sequence[Output] | Mapping[str, Output]

AT = " @ "
# Rows of several numbers that have no length, even if they are three.
NO_VECTORS = ("coordinates", "rates", "accelerations")
EXPECTED = "texts such as 'elbow.angle @ max', or functions"


def _mean(t: Array, y: Array) -> float:
    """Mean over time, which does not depend on how output times are spaced."""
    return float(np.trapezoid(y, t) / (t[-1] - t[0])) if t[-1] > t[0] else float(y[-1])


STATISTICS: dict[str, Callable[[Array, Array], float]] = {
    "max": lambda t, y: float(y.max()),
    "min": lambda t, y: float(y.min()),
    "abs max": lambda t, y: float(np.abs(y).max()),
    "range": lambda t, y: float(np.ptp(y)),
    "start": lambda t, y: float(y[0]),
    "end": lambda t, y: float(y[-1]),
    "mean": _mean,
    "rms": lambda t, y: _mean(t, y * y) ** 0.5,
    "time of max": lambda t, y: float(t[np.argmax(y)]),
    "time of min": lambda t, y: float(t[np.argmin(y)]),
}


@dataclass(frozen=True)
class Reading:
    """One output of a sweep.

    name : of its column
    quantity, statistic : of a text; without a statistic the history is kept
    function : of the result (or of the model, where nothing is simulated)
    """

    name: str
    quantity: str = ""
    statistic: str = ""
    function: Callable[[Any], Any] | None = None

    @property
    def is_history(self) -> bool:
        """Whether it is kept at all output times."""
        return self.function is None and not self.statistic

    def read(self, subject: Any, views: dict[str, Any] | None = None) -> float | Array:
        """The number, or the history (nt,), of a result; it is finite. ``views``: `quantity`."""
        found = self._number(subject) if self.function else self.of_text(subject, views)
        if not np.all(np.isfinite(found)):
            raise SuppleError(f"the output {self.name!r} is not finite")
        return found

    def _number(self, subject: Any) -> float:
        assert self.function is not None
        try:
            found = np.asarray(self.function(subject), dtype=float)
        except SuppleError:
            raise
        except Exception as reason:  # whatever a user's function does is the reason of a row
            kind = type(reason).__name__
            raise SuppleError(f"the output {self.name!r} fails ({kind}: {reason})") from reason
        if found.size != 1:
            raise SuppleError(
                f"the output {self.name!r} has the shape {found.shape}, expected one number"
            )
        return float(found.reshape(()))

    def of_text(self, result: Result, views: dict[str, Any] | None = None) -> float | Array:
        """What a text names; unknown names are refused."""
        series = self.series(result, views)
        return series if self.is_history else STATISTICS[self.statistic](result.t, series)

    def series(self, result: Result, views: dict[str, Any] | None = None) -> Array:
        """The history (nt,) that a text names, or that its statistic is of."""
        values = quantity(result, self.quantity, views)
        if self.is_history:
            if values.ndim != 1:
                raise SuppleError(
                    f"the output {self.name!r} is no single history, expected a component "
                    f"({self.quantity}.x) or a statistic ({self.quantity}{AT}max)"
                )
            return values
        plain = self.quantity.rpartition(".")[2] not in NO_VECTORS
        if plain and values.ndim == 2 and values.shape[1] == 3:
            values = np.linalg.norm(values, axis=1)
        if values.ndim != 1 or not len(values):  # of a wrench there is no length
            raise SuppleError(
                f"the output {self.name!r} has the shape {values.shape}, expected a number or a "
                "vector of 3 at each time, or a function"
            )
        return values


def readings(outputs: Any) -> tuple[Reading, ...]:
    """The outputs of a sweep, each with a name of its own."""
    if isinstance(outputs, str) or callable(outputs):
        outputs = [outputs]
    if isinstance(outputs, Mapping):
        named = [(validate.text(OWNER, "outputs", k, EXPECTED), v) for k, v in outputs.items()]
    else:
        listed = validate.listed(OWNER, "outputs", outputs, EXPECTED)
        named = [(_name(output), output) for output in listed]
    if not named:
        raise ModelError(OWNER, "outputs", outputs, EXPECTED)
    names = [name for name, _ in named]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        expected = "names that differ: outputs={'name': ..., ...}"
        raise ModelError(OWNER, "outputs", twice, expected)
    return tuple(_reading(name, output) for name, output in named)


def _name(output: Any) -> str:
    if isinstance(output, str):
        return validate.text(OWNER, "outputs", " ".join(output.split()), EXPECTED)
    return str(getattr(output, "__name__", "output")).replace("<lambda>", "output")


def _reading(name: str, output: Any) -> Reading:
    if isinstance(output, str):
        what, at, statistic = " ".join(output.split()).rpartition(AT)
        if not at:
            return Reading(name, quantity=validate.text(OWNER, "outputs", statistic, EXPECTED))
        if statistic not in STATISTICS:
            near = suggestion(statistic, list(STATISTICS))
            raise ModelError(OWNER, "outputs", output, f"another word after @ ({near})")
        return Reading(name, quantity=what, statistic=statistic)
    if not callable(output) or isinstance(output, type):
        raise ModelError(OWNER, "outputs", output, EXPECTED)
    return Reading(name, function=output)
