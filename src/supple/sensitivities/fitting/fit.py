"""fit: values of parameters with which a run follows measured records best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of
from supple.foundation.progress import told
from supple.integrators.methods.base import Integrator
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.results.result import Result
from supple.sensitivities.evaluations import Evaluations, Ranges, named_functions
from supple.sensitivities.fitting.fit_result import Fit
from supple.sensitivities.fitting.problem import Problem
from supple.sensitivities.sensitivity import derivatives, own_value, subject_for
from supple.sweeps.identity import digest
from supple.sweeps.readings import Reading, readings

OWNER = "fit"
RECORDS = "a mapping of histories, e.g. 'elbow.angle', to (times, values)"


def fit(
    model: Model | ModelFile | str | Path | Callable[..., Model],
    parameters: Mapping[str, float | Sequence[float]],
    records: Mapping[str, tuple[Any, Any]],
    *,
    functions: Mapping[str, Callable[[Result], Array]] | None = None,
    deviations: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    t_end: float | None = None,
    most: int = 100,
    starts: int = 4,
    file: str | Path | None = None,
    integrator: Integrator | None = None,
    **options: Any,
) -> Fit:
    """Fit parameters to measured records by least squares, with derivatives of `sensitivity`.

    Parameters
    ----------
    model : as for `sensitivity`
    parameters : mapping
        By name a start, (low, high) with the model's own value as start, or (start, low, high).
    records : mapping
        By history ("elbow.angle", "beam.at(0.3).strain") its times (s) and values, SI units.
    functions : mapping, optional
        Functions of the result that return histories (nt,), by the names that ``records`` uses.
    deviations : mapping, optional
        By history the standard deviation of its errors; without them all records of one fit are
        taken as equally good in parts of their own size, and the scatter is found from the fit.
    confidence : float
        Of the intervals.
    t_end : float, optional
        End of the run, s; by default the last time of the records.
    most : int
        Steps of the method at most, from each start.
    starts : int
        Starts at most. Others than the given one are searched from only where the run does not
        follow the records with what was found from it.
    file, integrator, options : as for `optimize`

    The intervals are those of the linear theory about the best values, wider where residuals
    follow each other.
    """
    asked, times, data = _records(records, named_functions(OWNER, functions))
    sizes = _sizes(asked, data, deviations)
    level = validate.number(OWNER, "confidence", confidence)
    if not 0.0 < level < 1.0:
        raise ModelError(OWNER, "confidence", confidence, "a number between 0 and 1")
    for field, count in (("most", most), ("starts", starts)):
        validate.integer(OWNER, field, count, 1, "a positive whole number")
    grid = np.unique(np.concatenate([*times, [0.0]]))
    end = float(grid[-1]) if t_end is None else validate.number(OWNER, "t_end", t_end)
    if grid[0] < 0.0 or grid[-1] > end:
        raise ModelError(OWNER, "records", float(grid[-1]), f"times between 0 s and {end:g} s")
    subject = subject_for(OWNER, model, end, grid, (), integrator, options)
    ranges = Ranges.of(OWNER, parameters, lambda name: own_value(subject, name))
    start = dict(zip(ranges.names, map(float, ranges.start), strict=True))
    subject.expect(ranges.names)
    subject.expect_outputs([dict(start)], asked)
    evaluations = Evaluations(
        lambda values: derivatives(subject, asked, values, "forward"),
        tuple(r.name for r in asked),
        digest("fit", subject.identity(), asked),
        None if file is None else path_of(OWNER, "file", file),
    )
    places = [np.searchsorted(grid, t) for t in times]
    problem = Problem(
        evaluations, ranges, asked, times, places, data, sizes, deviations is not None
    )
    with told(lambda: f"fit: {evaluations.made} runs"):
        return problem.solved(level, most, starts)


@dataclass(frozen=True)
class Recorded(Reading):
    """A history that a function returns."""

    @property
    def is_history(self) -> bool:
        """It is kept at all output times."""
        return True

    def read(self, subject: Any, views: dict[str, Any] | None = None) -> Array:
        """The history (nt,)."""
        assert self.function is not None
        found = np.asarray(self.function(subject), dtype=float)
        if found.shape != subject.t.shape or not np.all(np.isfinite(found)):
            expected = f"{len(subject.t)} finite numbers, one at each output time"
            raise ModelError(OWNER, f"functions, {self.name}", found.shape, expected)
        return found


def _records(
    given: Any, functions: Mapping[str, Any]
) -> tuple[tuple[Reading, ...], list[Array], list[Array]]:
    if not isinstance(given, Mapping) or not given:
        raise ModelError(OWNER, "records", given, RECORDS)
    asked = tuple(
        Recorded(str(name), function=functions[name])
        if name in functions
        else readings({str(name): str(name)}, OWNER)[0]
        for name in given
    )
    times, data = [], []
    for reading, pair in zip(asked, given.values(), strict=True):
        where = f"records, {reading.name}"
        if not reading.is_history or not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ModelError(OWNER, where, pair, RECORDS)
        t = validate.array(OWNER, where, pair[0], "times, a row of numbers")
        if t.ndim != 1 or t.size < 2 or np.any(np.diff(t) <= 0.0):
            raise ModelError(OWNER, where, pair[0], "two or more increasing times")
        values = f"{t.size} finite values, one at each time"
        data.append(validate.vector(OWNER, where, pair[1], t.size, values))
        times.append(t)
    return asked, times, data


def _sizes(asked: tuple[Reading, ...], data: list[Array], given: Any) -> list[float]:
    """What errors of each record are measured by."""
    if given is None:
        return [float(np.std(y)) or 1.0 for y in data]
    if not isinstance(given, Mapping) or set(given) != {r.name for r in asked}:
        raise ModelError(OWNER, "deviations", given, "a positive number for each of the records")
    return [validate.positive(OWNER, f"deviations, {r.name}", given[r.name]) for r in asked]
