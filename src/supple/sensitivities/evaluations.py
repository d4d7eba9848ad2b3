"""Evaluations: outputs and derivatives at values of parameters, none of them made twice."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import check_target, write_whole
from supple.foundation.check_sums import sum_of
from supple.foundation.errors import ModelError, SuppleError, SuppleWarning, warn_caller
from supple.foundation.input_files import path_of
from supple.results.result import Result
from supple.sensitivities.sensitivity import Sensitivity, derivatives, own_value
from supple.sweeps.identity import digest
from supple.sweeps.readings import Reading
from supple.sweeps.subjects import Subject

RANGE = "a start, (low, high), or (start, low, high)"


@dataclass(frozen=True)
class Ranges:
    """Parameters of a search: names, and starts, lower and upper limits (n,) in SI units."""

    names: tuple[str, ...]
    start: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, owner: str, ranges: Any, own: Callable[[str], Any]) -> Ranges:
        """As they are written; ``own`` gives the value that a model has."""
        if not isinstance(ranges, Mapping) or not ranges:
            raise ModelError(owner, "parameters", ranges, f"a mapping of names to {RANGE}")
        rows = [_range(owner, str(name), value, own) for name, value in ranges.items()]
        return cls(tuple(map(str, ranges)), *np.array(rows, dtype=float).T)

    @property
    def sizes(self) -> Array:
        """Units (n,) in which parameters are searched: their range, or their start."""
        wide = np.isfinite(self.high - self.low)
        start = np.where(self.start == 0.0, 1.0, np.abs(self.start))
        return np.where(wide, np.where(wide, self.high - self.low, 1.0), start)

    def values(self, x: Array) -> dict[str, float]:
        """Parameters by name, of a place in units of ``sizes``."""
        p = np.clip(x * self.sizes, self.low, self.high)
        return {name: float(value) for name, value in zip(self.names, p, strict=True)}


def named_functions(owner: str, functions: Any) -> dict[str, Callable[[Any], Any]]:
    """Functions of a result by name, as they are given; none without any."""
    expected = "a mapping of names to functions of the result"
    if functions is None:
        return {}
    if not isinstance(functions, Mapping) or not all(
        isinstance(name, str) and callable(function) for name, function in functions.items()
    ):
        raise ModelError(owner, "functions", functions, expected)
    return dict(functions)


def _range(owner: str, name: str, value: Any, own: Callable[[str], Any]) -> tuple[float, ...]:
    where = f"parameters, {name}"
    if isinstance(value, (tuple, list, np.ndarray)):
        numbers = [validate.limit(owner, where, x) for x in value]
        if len(numbers) == 2:
            numbers = [min(max(float(own(name)), numbers[0]), numbers[1]), *numbers]
        if len(numbers) != 3:
            raise ModelError(owner, where, value, RANGE)
    else:
        numbers = [validate.number(owner, where, value), -np.inf, np.inf]
    start, low, high = numbers
    if not (low < high and low <= start <= high and np.isfinite(start)):
        raise ModelError(owner, where, value, f"{RANGE} with low < high and the start between them")
    return start, low, high


@dataclass
class Evaluations:
    """Calls of `sensitivity`, each kept in memory and, with a file, for a later search."""

    ranges: Ranges  # of the parameters
    run: Callable[[dict[str, float]], Sensitivity]  # from values by name to derivatives
    outputs: tuple[str, ...]
    identity: str  # of model, settings and outputs: a file of others is refused
    file: Path | None = None
    made: int = 0  # number of calls that were made
    kept: list[dict[str, Any]] = field(default_factory=list)
    last: Sensitivity | None = None

    @classmethod
    def of(
        cls,
        subject: Subject,
        parameters: Any,
        asked: tuple[Reading, ...],
        method: str | None,
        file: str | Path | None,
    ) -> Evaluations:
        """Evaluations of what is read of a subject; parameters and outputs are checked."""
        owner = subject.owner
        ranges = Ranges.of(owner, parameters, lambda name: own_value(subject, name))
        subject.expect(ranges.names)
        start = dict(zip(ranges.names, map(float, ranges.start), strict=True))
        subject.expect_outputs([dict(start)], asked)
        return cls(
            ranges,
            lambda values: derivatives(subject, asked, values, method),
            tuple(r.name for r in asked),
            digest(owner, subject.identity(), asked),
            None if file is None else path_of(owner, "file", file),
        )

    def __post_init__(self) -> None:
        """Read what an earlier search has kept."""
        if self.file is None:
            return
        check_target(self.file)
        if not self.file.exists():
            return
        try:
            content = json.loads(self.file.read_text(encoding="utf-8"))
            known = content["identity"] == self.identity
            self.kept = list(content["evaluations"])
            kept = content.get("check_sum")
        except (OSError, ValueError, KeyError, TypeError) as reason:
            raise SuppleError(f"{self.file.name}: no file of a search ({reason})") from None
        if kept is None:
            warn_caller(f"{self.file.name}: it has no check sum, as files of earlier versions")
        elif kept != sum_of(content["identity"], self.kept):
            raise SuppleError(
                f"{self.file.name}: it is damaged, its content is not that of its check sum, "
                "expected the file as it was written, or a new name"
            )
        if not known:
            expected = "one of the same model, settings and outputs, or a new name"
            raise ModelError("search", "file", self.file.name, expected)

    def result(self, values: dict[str, float]) -> Result:
        """The run with these values: the last one, or made again."""
        last = self.last
        if last is None or dict(last.parameters) != values:
            last = self.run(values)
        return last.result

    def at(self, x: Array) -> dict[str, Any]:
        """Outputs and derivatives by name at a place, or the reason why there are none."""
        values = self.ranges.values(x)
        for known in self.kept:
            if known["values"] == values:
                return known
        record: dict[str, Any] = {"values": values}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SuppleWarning)
                self.last = derivative = self.run(values)
            for output in self.outputs:
                slopes = derivative.gradient(output)
                record[output] = [np.asarray(derivative.values[output]).tolist(), slopes.tolist()]
        except SuppleError as error:
            record["failed"] = str(error)
        self.made += 1
        self.kept.append(record)
        if self.file is not None:
            content = {"identity": self.identity, "evaluations": self.kept}
            total = sum_of(self.identity, json.loads(json.dumps(self.kept)))
            write_whole(self.file, json.dumps(content | {"check_sum": total}).encode())
        return record
