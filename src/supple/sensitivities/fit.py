"""fit: values of parameters with which a run follows measured records best, by least squares.

Oscillations that run out of step make local minima. Two ways lead out of one:

- the beginning of the records first, then more and more of them, from the given start: early on, a
  wrong frequency costs phase in proportion to time, and there is one minimum only;
- places spread over the ranges of the parameters, where a few runs say which are good to start
  from.

Errors of measurement are as a rule independent from sample to sample, a run that misses the record
is not: its residuals follow each other (`Misfit`). The test is that of Ljung and Box over some
lags, which sees waves of any length. A record's own noise is estimated from how far samples lie
beside the straight line between their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array, Booleans
from supple.foundation.errors import ModelError, SuppleError
from supple.foundation.progress import told
from supple.foundation.reports import Report
from supple.integrators.methods.base import Integrator
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.results.result import Result
from supple.results.summary import grade
from supple.sensitivities.evaluations import Evaluations, Ranges, named_functions
from supple.sensitivities.sensitivity import OnRun, subject_for, worse
from supple.sweeps.readings import Reading, readings

FEWEST_RESIDUALS = 12  # samples that tell whether they follow each other
LAGS = 10
CHANCE = 1e-4  # that independent errors are taken for dependent ones
SMALL_PART = 1e-3  # of a record's deviation: residuals that may be errors of the run itself
GROSS = 0.1  # of a record's deviation: residuals that follow each other and make it no fit
FAR = 0.3  # from which on nothing can be said about how exact the parameters are
BEYOND = 4.0  # deviations of a mean square, from which on it is not chance


class Misfit(NamedTuple):
    """Statistics of the residuals of one record."""

    name: str  # of the record
    rms: float  # root mean square of the residuals, in the record's unit
    part: float  # of the record's own deviation from its mean
    noise: float  # of the record, estimated from itself, in its unit
    correlation: float  # of neighbouring residuals
    serial: bool  # whether residuals follow each other more than independent errors do
    length: float  # number of samples in which one independent error is, at least one
    excess: float  # root mean square in units of the deviations that were given; zero without them

    @property
    def is_small(self) -> bool:
        """Residuals are of the size of errors of the run itself."""
        return self.part < SMALL_PART

    @property
    def is_gross(self) -> bool:
        """The run does not follow the record: another minimum may be better."""
        return self.part > GROSS and self.serial

    @property
    def hides(self) -> bool:
        """The run misses so much of the record that no interval can be given."""
        return self.part > FAR and self.serial

    def doubts(self) -> list[str]:
        """Sentences, none if residuals may be errors of the record."""
        if self.excess > 0.0:
            return [
                f"the run misses {self.name!r} by {self.excess:.2g} times the deviation that was "
                "given: another minimum, a model that lacks something, or a deviation too small"
            ]
        if self.is_small or not self.serial:
            return []
        told = (
            f"the run misses {self.name!r} by {self.rms:.2g} rms, {self.part:.0%} of its deviation"
        )
        if self.hides:
            return [
                f"{told}, where its own noise is about {self.noise:.1g}: the search ended in a "
                "local minimum or the model is wrong, and no interval can be given; try other "
                "starts or narrower ranges"
            ]
        return [
            f"{told}, and residuals follow each other (correlation {self.correlation:.2f}; noise "
            f"of the record about {self.noise:.1g}): the model lacks something or errors are not "
            f"independent; intervals are widened {self.length**0.5:.2g} times"
        ]


def misfit(name: str, t: Array, record: Array, left: Array, deviation: float | None) -> Misfit:
    """Look at the residuals ``left`` (m,) of a record (m,) at times (m,), with its deviation."""
    rms = float(np.sqrt(np.mean(left * left)))
    size = float(np.std(record))
    m = len(left)
    part = rms / size if size > 0.0 else np.inf if rms > 0.0 else 0.0
    excess = 0.0
    if deviation is not None and rms**2 > deviation**2 * (1.0 + BEYOND * (2.0 / m) ** 0.5):
        excess = rms / deviation
    correlations = _correlations(left, m - 1)
    first = float(correlations[0]) if len(correlations) else 0.0
    serial = _is_serial(correlations, m)
    length = _length(correlations) if serial else 1.0
    return Misfit(name, rms, part, noise(t, record), first, serial, length, excess)


def noise(t: Array, record: Array) -> float:
    """Standard deviation of the independent errors of a record (m,), estimated from itself."""
    if len(t) < 3:
        return 0.0
    w = (t[2:] - t[1:-1]) / (t[2:] - t[:-2])  # of the sample before
    beside = record[1:-1] - w * record[:-2] - (1.0 - w) * record[2:]
    scale = np.sqrt(1.0 + w * w + (1.0 - w) ** 2)
    return float(np.median(np.abs(beside) / scale) / 0.6745)  # of a normal distribution


def _correlations(left: Array, lags: int) -> Array:
    """Autocorrelations of residuals (m,) from the first lag on."""
    m, square = len(left), float(left @ left)
    if square == 0.0 or m < FEWEST_RESIDUALS:
        return np.zeros(0)
    spectrum = np.abs(np.fft.rfft(left, 2 * m)) ** 2
    return np.asarray(np.fft.irfft(spectrum)[1 : lags + 1] / square)


def _is_serial(correlations: Array, m: int) -> bool:
    """The test of Ljung and Box."""
    from scipy.stats import chi2

    if not len(correlations):
        return False
    lags = min(LAGS, m // 4)
    k = np.arange(1, lags + 1)
    q = m * (m + 2.0) * float(np.sum(correlations[:lags] ** 2 / (m - k)))
    return bool(chi2.sf(q, lags) < CHANCE)


def _length(correlations: Array) -> float:
    """Sum of the autocorrelations up to the first that is negative, on both sides."""
    ends = np.flatnonzero(correlations < 0.0)
    upto = int(ends[0]) if len(ends) else len(correlations)
    return 1.0 + 2.0 * float(np.sum(correlations[:upto]))


@dataclass(frozen=True, eq=False)
class Fit(OnRun):
    """Result of `fit`.

    Attributes
    ----------
    values : of the parameters by name, SI units
    intervals : half widths by parameter of the intervals that hold the true values with
        ``confidence``, if the model is right; wider where residuals follow each other, infinite
        where the records tell nothing or the run does not follow them
    covariance, correlation : (n, n)
    doubts : sentences about parameters that the records do not tell, and about records that the run
        does not follow
    deviation : root mean square of what is left, in units of the records' deviations if these were
        given, or by record in its own unit
    residuals : by record, (nt,) values of the run less those of the record
    success, message : how the search ended
    runs : number of runs with derivatives that were made now
    searches : number of starts that were searched from
    result : the run with these values
    verdict, trusted : of that run
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
    searches: int
    result: Result

    def _report(self) -> Report:
        rows = [(n, f"{x:.6g} {self._interval(n)}") for n, x in self.values.items()]
        rows += [(f"left of {name}", f"{x:.3g} rms") for name, x in self.deviation.items()]
        rows += [("doubt", sentence) for sentence in self.doubts]
        rows.append(("run", self.verdict))
        title = f"Fit after {self.runs} runs, intervals of {self.confidence:.0%}; {self.message}"
        level = "bad" if not self.success else "doubtful" if self.doubts else "good"
        return Report(title, rows, worse(level, grade(self.result)))

    def _interval(self, name: str) -> str:
        half = self.intervals[name]
        return f"+- {half:.2g}" if np.isfinite(half) else "(no interval)"


PARTS = (0.1, 0.25, 0.5)  # of the time span, one after the other
FEWEST = 4  # samples for each parameter in the beginning of the records
WIDE = 4.0  # times, up and down from its start, that a parameter without a range is looked for
SPREAD = 12  # places for each start


def places(ranges: Ranges, count: int) -> Array:
    """Places (count, n) spread over the ranges, in units of ``ranges.sizes``."""
    n = len(ranges.names)
    # Multiples of powers of one irrational number: evenly spread in any dimension
    root = 2.0
    for _ in range(30):
        root = (1.0 + root) ** (1.0 / (n + 1.0))
    steps = root ** -np.arange(1.0, n + 1.0)
    share = (0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0
    low, high, start = ranges.low, ranges.high, ranges.start
    bounded = np.isfinite(low) & np.isfinite(high)
    positive = bounded & (low > 0.0) & (high > WIDE * np.where(low > 0.0, low, 1.0))
    out = np.empty((count, n))
    for i in range(n):
        if positive[i]:  # over several sizes
            out[:, i] = low[i] * (high[i] / low[i]) ** share[:, i]
        elif bounded[i]:
            out[:, i] = low[i] + (high[i] - low[i]) * share[:, i]
        elif start[i] == 0.0:
            out[:, i] = 2.0 * share[:, i] - 1.0
        else:
            out[:, i] = start[i] * WIDE ** (2.0 * share[:, i] - 1.0)
    return np.clip(out, low, high) / ranges.sizes


def other_starts(
    ranges: Ranges,
    start: Array,
    fractions: Array,
    count: int,
    searched: Callable[[Array, Booleans], Array | None],
    cost: Callable[[Array], float],
) -> Iterator[Array]:
    """At most ``count`` places (n,) to start from, made when they are asked for.

    ``fractions`` (m,) are times of all samples in parts of the span; ``searched`` finds the best
    place for some of them from a place, ``cost`` is the sum of squares there, infinite if no run
    is possible.
    """
    if count < 1:
        return
    x: Array | None = start
    for part in PARTS:
        mine = fractions <= part
        if x is not None and np.count_nonzero(mine) >= FEWEST * len(start):
            x = searched(x, mine)
    if x is not None:
        yield x
    if count < 2:
        return
    spread = places(ranges, SPREAD * (count - 1))
    costs = np.array([cost(place) for place in spread])
    for k in np.argsort(costs, kind="stable")[: count - 1]:
        if np.isfinite(costs[k]):
            yield spread[k]


ALIKE = 0.995  # correlation of two parameters from which on data do not tell them apart
UNKNOWN = 1.0  # half width of an interval, in parts of the value, from which on data tell nothing
SEEN = 1e-8  # singular value, in parts of the largest, below which nothing is seen of a direction


@dataclass
class Problem:
    """Least squares over all records, in units of the ranges and of the records' sizes."""

    evaluations: Evaluations
    asked: tuple[Reading, ...]
    times: list[Array]
    places: list[Any]
    data: list[Array]
    sizes: list[float]
    known: bool  # whether the sizes are deviations that were given

    @property
    def ranges(self) -> Ranges:
        """Parameters that are searched."""
        return self.evaluations.ranges

    def _at(self, x: Array) -> dict[str, Any]:
        evaluation = self.evaluations.at(x)
        if "failed" in evaluation:
            raise SuppleError(f"fit: a run fails: {evaluation['failed']}")
        return evaluation

    def left(self, x: Array) -> Array:
        """Residuals (m,) of all records, run less record, in units of the records' sizes."""
        evaluation = self._at(x)
        rows = zip(self.asked, self.places, self.data, self.sizes, strict=True)
        parts = [(np.array(evaluation[r.name][0])[at] - y) / size for r, at, y, size in rows]
        return np.concatenate(parts)

    def tried(self, x: Array) -> Array:
        """Residuals, infinite where no run is possible: the method then makes a shorter step."""
        if "failed" in self.evaluations.at(x):
            return np.full(sum(map(len, self.data)), np.inf)
        return self.left(x)

    def slopes(self, x: Array) -> Array:
        """Derivatives (m, n) of the residuals."""
        evaluation = self._at(x)
        rows = zip(self.asked, self.places, self.sizes, strict=True)
        parts = [np.array(evaluation[r.name][1])[:, at].T / size for r, at, size in rows]
        return np.concatenate(parts) * self.ranges.sizes

    def misfits(self, x: Array) -> list[Misfit]:
        """Statistics of the residuals of each record."""
        parts = np.split(self.left(x), np.cumsum([len(y) for y in self.data])[:-1])
        rows = zip(self.asked, self.times, self.data, parts, self.sizes, strict=True)
        return [
            misfit(r.name, t, y, part * size, size if self.known else None)
            for r, t, y, part, size in rows
        ]

    def searched(self, start: Array, most: int, mine: Booleans | None = None) -> Any:
        """Result of `least_squares` from a start, for all samples or for some of them (m,)."""
        from scipy.optimize import least_squares

        which = slice(None) if mine is None else mine
        sizes = self.ranges.sizes
        box = self.ranges.low / sizes, self.ranges.high / sizes
        return least_squares(
            lambda x: self.tried(x)[which],
            np.clip(start, *box),
            lambda x: self.slopes(x)[which],
            bounds=box,
            x_scale="jac",
            max_nfev=most,
        )

    def best(self, most: int, starts: int) -> tuple[Any, int]:
        """The best of some searches, and how many were made.

        One is enough if the run follows the records then.
        """
        start = self.ranges.start / self.ranges.sizes
        self._at(start)  # which must be possible
        search, made = self.searched(start, most), 1
        if not self._is_missed(search.x):
            return search, made
        spans = np.concatenate(self.times)
        fractions = (spans - spans.min()) / np.ptp(spans)

        def cost(x: Array) -> float:
            left = self.tried(x)
            return float(left @ left)

        def searched(x: Array, mine: Booleans) -> Array | None:
            return None if np.isinf(cost(x)) else np.asarray(self.searched(x, most, mine).x)

        for x in other_starts(self.ranges, start, fractions, starts - 1, searched, cost):
            if np.isinf(cost(x)):
                continue
            other, made = self.searched(x, most), made + 1
            search = other if other.cost < search.cost else search
            if not self._is_missed(search.x):
                break
        return search, made

    def _is_missed(self, x: Array) -> bool:
        return any(m.is_gross or (m.excess > 0.0 and m.serial) for m in self.misfits(x))

    def solved(self, confidence: float, most: int, starts: int) -> Fit:
        """Solve it."""
        from scipy.stats import t as student

        sizes = self.ranges.sizes
        search, searches = self.best(most, starts)
        x, left, J = search.x, self.left(search.x), self.slopes(search.x)
        m, n = J.shape
        free = max(m - n, 1)
        scatter = float(left @ left) / free
        misfits = self.misfits(x)
        if self.known and not any(m.excess for m in misfits):
            scatter = 1.0
        _, s, V = np.linalg.svd(J, full_matrices=False)
        seen = s > SEEN * s[0] if s[0] > 0.0 else np.zeros(len(s), dtype=bool)
        length = max(m.length for m in misfits)  # samples that count as one
        covariance = (V[seen].T / s[seen] ** 2) @ V[seen] * scatter * length
        hidden = np.sum(V[~seen] ** 2, axis=0) > 1e-6  # parameters in directions that are not seen
        factor = float(student.ppf(0.5 + 0.5 * confidence, free))
        spread = np.sqrt(np.diag(covariance))
        half = np.where(hidden, np.inf, factor * spread) * sizes
        with np.errstate(all="ignore"):
            correlation = covariance / np.outer(spread, spread)
        values = self.ranges.values(x)
        doubts = self._doubts(values, half, correlation, hidden, x)
        missed = [doubt for m in misfits for doubt in m.doubts()]
        if missed and searches > 1:
            missed.append(f"the best of {searches} starts ended here")
        if any(m.hides for m in misfits):
            half = np.full(n, np.inf)
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
            (*missed, *doubts),
            {name: float(np.sqrt(np.mean(y * y))) for name, y in residuals.items()},
            residuals,
            bool(search.success),
            str(search.message),
            self.evaluations.made,
            searches,
            self.evaluations.result(values),
        )

    def _doubts(
        self,
        values: dict[str, float],
        half: Array,
        correlation: Array,
        hidden: Array,
        x: Array,
    ) -> list[str]:
        """Sentences about parameters that the records do not tell."""
        names, out, sizes = list(values), [], self.ranges.sizes
        low, high = self.ranges.low / sizes, self.ranges.high / sizes
        unseen = [repr(name) for name, no in zip(names, hidden, strict=True) if no]
        if len(unseen) == 1:
            out.append(f"the records do not depend on {unseen[0]}")
        elif unseen:
            out.append(f"the records cannot tell {' and '.join(unseen)} apart: only a combination")
        for i, name in enumerate(names):
            if not hidden[i] and half[i] > UNKNOWN * abs(values[name]):
                out.append(f"{name!r} is not known from these records: +- {half[i]:.2g}")
            if x[i] <= low[i] or x[i] >= high[i]:
                out.append(f"{name!r} is at a limit of its range")
            for j in range(i):
                if not (hidden[i] or hidden[j]) and abs(correlation[i, j]) > ALIKE:
                    out.append(
                        f"the records hardly tell {names[j]!r} and {name!r} apart: "
                        f"correlation {correlation[i, j]:+.4f}"
                    )
        return out


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
    evaluations = Evaluations.of(subject, parameters, asked, "forward", file)
    places = [np.searchsorted(grid, t) for t in times]
    problem = Problem(evaluations, asked, times, places, data, sizes, deviations is not None)
    with told(lambda: f"fit: {evaluations.made} runs"):
        return problem.solved(level, most, starts)


@dataclass(frozen=True)
class Recorded(Reading):
    """A history that a function returns."""

    @property
    def is_history(self) -> bool:
        """True: it is kept at all output times."""
        return True

    def read(self, subject: Any, views: dict[str, Any] | None = None) -> Array:
        """The history (nt,)."""
        assert self.function is not None
        values = np.asarray(self.function(subject), dtype=float)
        if values.shape != subject.t.shape or not np.all(np.isfinite(values)):
            expected = f"{len(subject.t)} finite numbers, one at each output time"
            raise ModelError(OWNER, f"functions, {self.name}", values.shape, expected)
        return values


def _records(
    records: Any, functions: Mapping[str, Any]
) -> tuple[tuple[Reading, ...], list[Array], list[Array]]:
    if not isinstance(records, Mapping) or not records:
        raise ModelError(OWNER, "records", records, RECORDS)
    asked = tuple(
        Recorded(str(name), function=functions[name])
        if name in functions
        else readings({str(name): str(name)}, OWNER)[0]
        for name in records
    )
    times, data = [], []
    for reading, pair in zip(asked, records.values(), strict=True):
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


def _sizes(asked: tuple[Reading, ...], data: list[Array], deviations: Any) -> list[float]:
    """Units of the errors of each record: deviations, or the scatter of the record itself."""
    if deviations is None:
        return [float(np.std(y)) or 1.0 for y in data]
    if not isinstance(deviations, Mapping) or set(deviations) != {r.name for r in asked}:
        raise ModelError(
            OWNER, "deviations", deviations, "a positive number for each of the records"
        )
    return [validate.positive(OWNER, f"deviations, {r.name}", deviations[r.name]) for r in asked]
