"""Readings: the numbers and histories that a sweep keeps of each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError, suggestion
from supple.results.files.dataset import quantity
from supple.results.result import Result
from supple.sweeps.designs import OWNER

Output = str | Callable[[Any], Any]
Outputs = Output | Sequence[Output] | Mapping[str, Output]

AT = " @ "
# Rows of several numbers that have no length, even if they are three.
NO_VECTORS = ("coordinates", "rates", "accelerations")
SAME_TIME = 1e-9  # of the run: an output time that is meant
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
    quantity, statistic : of a text; without a statistic the history is kept; a statistic may be a
        time, "0.35 s", at which there is an output
    function : of the result (or of the model, where nothing is simulated)
    """

    name: str
    quantity: str = ""
    statistic: str = ""
    function: Callable[[Any], Any] | None = None

    @property
    def is_history(self) -> bool:
        """True if it is kept at all output times."""
        return self.function is None and not self.statistic

    def read(self, subject: Any, views: dict[str, Any] | None = None) -> float | Array:
        """The number, or the history (nt,), of a result; it is finite. ``views``: `quantity`."""
        value = self._number(subject) if self.function else self.of_text(subject, views)
        if not np.all(np.isfinite(value)):
            raise SuppleError(f"the output {self.name!r} is not finite")
        return value

    def _number(self, subject: Any) -> float:
        assert self.function is not None
        try:
            value = np.asarray(self.function(subject), dtype=float)
        except SuppleError:
            raise
        except Exception as reason:  # whatever a user's function does is the reason of a row
            kind = type(reason).__name__
            raise SuppleError(f"the output {self.name!r} fails ({kind}: {reason})") from reason
        if value.size != 1:
            raise SuppleError(
                f"the output {self.name!r} has the shape {value.shape}, expected one number"
            )
        return float(value.reshape(()))

    def of_text(self, result: Result, views: dict[str, Any] | None = None) -> float | Array:
        """Quantity that a text names; unknown names are refused."""
        series = self.series(result, views)
        if self.is_history:
            return series
        if self.time is not None:
            return self._at_time(result.t, series, self.time)
        return STATISTICS[self.statistic](result.t, series)

    def series(self, result: Result, views: dict[str, Any] | None = None) -> Array:
        """The history (nt,) that a text names; for a statistic, of a vector its length."""
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

    @property
    def time(self) -> float | None:
        """The time (s) of a statistic such as "0.35 s"; None of the others."""
        return _seconds(self.statistic)

    def _at_time(self, t: Array, y: Array, time: float) -> float:
        k = int(np.argmin(np.abs(t - time)))
        if abs(t[k] - time) > SAME_TIME * max(abs(time), float(t[-1] - t[0])):
            raise SuppleError(
                f"the output {self.name!r} is between output times, expected one at {time:g} s "
                "among them"
            )
        return float(y[k])


def _seconds(statistic: str) -> float | None:
    """The number of a text such as "0.35 s"; None of other texts."""
    number, unit = statistic[:-1], statistic[-1:]
    try:
        seconds = float(number) if unit == "s" else np.nan
    except ValueError:
        return None
    return seconds if np.isfinite(seconds) else None


def readings(outputs: Any, owner: str = OWNER) -> tuple[Reading, ...]:
    """The outputs of a sweep, or of another ``owner``, each with a name of its own."""
    if isinstance(outputs, str) or callable(outputs):
        outputs = [outputs]
    if isinstance(outputs, Mapping):
        named = [(validate.text(owner, "outputs", k, EXPECTED), v) for k, v in outputs.items()]
    else:
        listed = validate.listed(owner, "outputs", outputs, EXPECTED)
        named = [(_name(output, owner), output) for output in listed]
    if not named:
        raise ModelError(owner, "outputs", outputs, EXPECTED)
    names = [name for name, _ in named]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        expected = "names that differ: outputs={'name': ..., ...}"
        raise ModelError(owner, "outputs", twice, expected)
    return tuple(_reading(name, output, owner) for name, output in named)


def _name(output: Any, owner: str) -> str:
    if isinstance(output, str):
        return validate.text(owner, "outputs", " ".join(output.split()), EXPECTED)
    return str(getattr(output, "__name__", "output")).replace("<lambda>", "output")


def _reading(name: str, output: Any, owner: str) -> Reading:
    if isinstance(output, str):
        what, at, statistic = " ".join(output.split()).rpartition(AT)
        if not at:
            return Reading(name, quantity=validate.text(owner, "outputs", statistic, EXPECTED))
        if statistic not in STATISTICS and _seconds(statistic) is None:
            near = suggestion(statistic, list(STATISTICS))
            raise ModelError(
                owner, "outputs", output, f"another word after @ ({near}), or a time ('0.5 s')"
            )
        return Reading(name, quantity=what, statistic=statistic)
    if not callable(output) or isinstance(output, type):
        raise ModelError(owner, "outputs", output, EXPECTED)
    return Reading(name, function=output)
