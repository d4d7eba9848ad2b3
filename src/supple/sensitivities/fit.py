"""fit: values of parameters with which a run follows measured records best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple import validate
from supple.errors import ModelError, SuppleError
from supple.files import path_of
from supple.integrators.base import Integrator
from supple.model import Model
from supple.modelfiles.model_file import ModelFile
from supple.poses import Array
from supple.reports import Report
from supple.results.result import Result
from supple.sensitivities.evaluations import Evaluations, Ranges, named_functions
from supple.sensitivities.sensitivity import derivatives, own_value, subject_for
from supple.sweeps.identity import digest
from supple.sweeps.readings import Reading, readings
from supple.waiting import told

OWNER = "fit"
RECORDS = "a mapping of histories, e.g. 'elbow.angle', to (times, values)"
ALIKE = 0.995  # correlation of two parameters from which on data do not tell them apart
UNKNOWN = 1.0  # half width of an interval, in parts of the value, from which on data tell nothing
SEEN = 1e-8  # singular value, in parts of the largest, below which nothing is seen of a direction


@dataclass(frozen=True, eq=False)
class Fit:
    """What `fit` has found.

    Attributes
    ----------
    values : of the parameters by name, SI units
    intervals : half widths by parameter of the intervals that hold the true values with
        ``confidence``, if errors of the records are independent and the model is right; infinite
        where the records tell nothing
    covariance, correlation : (n, n)
    doubts : sentences about parameters that the records do not tell
    deviation : root mean square of what is left, in units of the records' deviations if these were
        given, or by record in its own unit
    residuals : by record, (nt,) values of the run less those of the record
    success, message : how the search ended
    runs : number of runs with derivatives that were made now
    result : the run with these values
    """

    values: dict[str, float]
    intervals: dict[str, float]
    confidence: float
    covariance: Array
    correlation: Array
    doubts: tuple[str, ...]
    deviation: dict[str, float]
    residuals: dict[str, Array]
    success: bool
    message: str
    runs: int
    result: Result

    @property
    def model(self) -> Model:
        """The model with these values."""
        return self.result.model

    def _report(self) -> Report:
        rows = [(n, f"{x:.6g} +- {self.intervals[n]:.2g}") for n, x in self.values.items()]
        rows += [(f"left of {name}", f"{x:.3g} rms") for name, x in self.deviation.items()]
        rows += [("doubt", sentence) for sentence in self.doubts]
        title = f"Fit after {self.runs} runs, intervals of {self.confidence:.0%}; {self.message}"
        grade = "bad" if not self.success else "doubtful" if self.doubts else "good"
        return Report(title, rows, grade)

    def __str__(self) -> str:
        report = self._report()
        return report.text(max(len(row[0]) for row in report.rows))

    def _repr_html_(self) -> str:
        return self._report().html()


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
        Steps of the method at most.
    file, integrator, options : as for `optimize`

    The intervals are those of the linear theory about the best values.
    """
    asked, times, data = _records(records, named_functions(OWNER, functions))
    sizes = _sizes(asked, data, deviations)
    level = validate.number(OWNER, "confidence", confidence)
    if not 0.0 < level < 1.0:
        raise ModelError(OWNER, "confidence", confidence, "a number between 0 and 1")
    validate.integer(OWNER, "most", most, 1, "a positive whole number")
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
    problem = Problem(evaluations, ranges, asked, places, data, sizes)
    with told(lambda: f"fit: {evaluations.made} runs"):
        return problem.solved(level, deviations is not None, most)


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


@dataclass
class Problem:
    """Least squares over all records, in units of the ranges and of the records' sizes."""

    evaluations: Evaluations
    ranges: Ranges
    asked: tuple[Reading, ...]
    places: list[Any]
    data: list[Array]
    sizes: list[float]

    def _at(self, x: Array) -> dict[str, Any]:
        found = self.evaluations.at(self.ranges.values(x))
        if "failed" in found:
            raise SuppleError(f"fit: a run fails: {found['failed']}")
        return found

    def left(self, x: Array) -> Array:
        """What is left of all records (m,)."""
        found = self._at(x)
        rows = zip(self.asked, self.places, self.data, self.sizes, strict=True)
        parts = [(np.array(found[r.name][0])[at] - y) / size for r, at, y, size in rows]
        return np.concatenate(parts)

    def tried(self, x: Array) -> Array:
        """The same; infinite where no run is possible: the method then makes a shorter step."""
        if "failed" in self.evaluations.at(self.ranges.values(x)):
            return np.full(sum(map(len, self.data)), np.inf)
        return self.left(x)

    def slopes(self, x: Array) -> Array:
        """Its derivatives (m, n)."""
        found = self._at(x)
        rows = zip(self.asked, self.places, self.sizes, strict=True)
        parts = [np.array(found[r.name][1])[:, at].T / size for r, at, size in rows]
        return np.concatenate(parts) * self.ranges.sizes

    def solved(self, confidence: float, known: bool, most: int) -> Fit:
        """Solve it."""
        from scipy.optimize import least_squares
        from scipy.stats import t as student

        sizes = self.ranges.sizes
        box = self.ranges.low / sizes, self.ranges.high / sizes
        start = np.clip(self.ranges.start / sizes, *box)
        options: dict[str, Any] = {"bounds": box, "x_scale": "jac", "max_nfev": most}
        self._at(start)  # which must be possible
        found = least_squares(self.tried, start, self.slopes, **options)
        x, left, J = found.x, self.left(found.x), self.slopes(found.x)
        m, n = J.shape
        free = max(m - n, 1)
        scatter = 1.0 if known else float(left @ left) / free
        _, s, V = np.linalg.svd(J, full_matrices=False)
        seen = s > SEEN * s[0] if s[0] > 0.0 else np.zeros(len(s), dtype=bool)
        covariance = (V[seen].T / s[seen] ** 2) @ V[seen] * scatter
        hidden = np.sum(V[~seen] ** 2, axis=0) > 1e-6  # parameters in directions that are not seen
        factor = float(student.ppf(0.5 + 0.5 * confidence, free))
        spread = np.sqrt(np.diag(covariance))
        half = np.where(hidden, np.inf, factor * spread) * sizes
        with np.errstate(all="ignore"):
            correlation = covariance / np.outer(spread, spread)
        values = self.ranges.values(x)
        last = self.evaluations.last
        if last is None or dict(last.parameters) != values:
            last = self.evaluations.run(values)
        parts = np.split(left, np.cumsum([len(y) for y in self.data])[:-1])
        residuals = {
            r.name: part * size for r, part, size in zip(self.asked, parts, self.sizes, strict=True)
        }
        return Fit(
            values,
            dict(zip(values, map(float, half), strict=True)),
            confidence,
            covariance * np.outer(sizes, sizes),
            correlation,
            tuple(self._doubts(values, half, correlation, hidden, x, box)),
            {name: float(np.sqrt(np.mean(y * y))) for name, y in residuals.items()},
            residuals,
            bool(found.success),
            str(found.message),
            self.evaluations.made,
            last.result,
        )

    def _doubts(
        self,
        values: dict[str, float],
        half: Array,
        correlation: Array,
        hidden: Array,
        x: Array,
        box: tuple[Array, Array],
    ) -> list[str]:
        """Sentences about parameters that the records do not tell."""
        names, out = list(values), []
        unseen = [repr(name) for name, no in zip(names, hidden, strict=True) if no]
        if len(unseen) == 1:
            out.append(f"the records do not depend on {unseen[0]}")
        elif unseen:
            out.append(f"the records cannot tell {' and '.join(unseen)} apart: only a combination")
        for i, name in enumerate(names):
            if not hidden[i] and half[i] > UNKNOWN * abs(values[name]):
                out.append(f"{name!r} is not known from these records: +- {half[i]:.2g}")
            if x[i] <= box[0][i] or x[i] >= box[1][i]:
                out.append(f"{name!r} is at a limit of its range")
            for j in range(i):
                if not (hidden[i] or hidden[j]) and abs(correlation[i, j]) > ALIKE:
                    out.append(
                        f"the records hardly tell {names[j]!r} and {name!r} apart: "
                        f"correlation {correlation[i, j]:+.4f}"
                    )
        return out
