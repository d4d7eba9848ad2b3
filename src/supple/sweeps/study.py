"""Sweep: the runs of a study as a table, with figures and sensitivities.

Sobol indices say which part of the variance of an output each parameter makes. Estimators for runs
at points A, B and A with one coordinate of B (Saltelli et al., Computer Physics Communications 181,
2010): of first order by the mean of f(B) (f(AB) - f(A)), in total by half the mean square of f(A) -
f(AB), both over the variance.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array, Booleans, Numbers
from supple.foundation.atomic_files import save_figure
from supple.foundation.calls import public
from supple.foundation.errors import ModelError, SuppleError, suggestion
from supple.results.data.audit import LEVELS
from supple.results.plot import COLOURS, INK, blank_figure, dress
from supple.sweeps.designs import Row
from supple.sweeps.readings import Reading
from supple.sweeps.subjects import Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW_VALUES = 12  # values of a parameter up to which each is a level
BINS = 8  # parts of its range otherwise, with equal numbers of runs
ACROSS = 3  # panels
FAILED = COLOURS[3]
RESAMPLED = 500
FEWEST = 8  # base points
CONFIDENCE = 1.959963984540054  # standard errors on either side of 95 %
SHOWN = 5  # reasons of failed runs that are told
PERCENTILES = (5.0, 25.0, 50.0, 75.0, 95.0)


@public
@dataclass(frozen=True, eq=False)
class SobolIndices:
    """Parts of the variance of an output; it prints as a table."""

    # output, parameters: names
    output: str
    parameters: tuple[str, ...]
    first: Array  # (d,) part of the variance that each parameter makes alone
    total: Array  # (d,) the same with all that it makes together with others
    # first_error, total_error: (d,) half widths of 95 % intervals, by resampling of base points
    first_error: Array
    total_error: Array
    points: int  # base points that count; those with a run that failed do not

    def __repr__(self) -> str:
        width = max(9, *map(len, self.parameters))
        lines = [
            f"Sobol indices of {self.output}, {self.points} base points",
            f"  {'parameter':<{width}}  {'first order':>16}  {'total':>16}",
        ]
        rows = zip(
            self.parameters, self.first, self.first_error, self.total, self.total_error, strict=True
        )
        for name, s, ds, t, dt in rows:
            lines.append(f"  {name:<{width}}  {s:7.3f} +- {ds:5.3f}  {t:7.3f} +- {dt:5.3f}")
        return "\n".join(lines)


def sobol_indices(
    values: Array, parameters: tuple[str, ...], output: str, seed: int
) -> SobolIndices:
    """Indices from values (n (d + 2),) in the order of a "saltelli" design."""
    validate.integer("indices", "seed", seed, 0, "zero or a positive integer")
    rows = values.reshape(-1, len(parameters) + 2)
    rows = rows[np.all(np.isfinite(rows), axis=1)]
    if len(rows) < FEWEST:
        raise SuppleError(
            f"the Sobol indices of {output!r} have {len(rows)} base points without failed runs, "
            f"expected at least {FEWEST}"
        )
    spread = float(np.ptp(rows))
    if not spread > 0.0:
        raise SuppleError(
            f"the output {output!r} is the same in all runs, expected one that varies"
        )
    rows = (rows - rows.mean()) / spread  # the estimators are for any shift, this one is the best
    first, total = _estimates(rows)
    rng = np.random.default_rng(seed)
    chosen = rng.integers(len(rows), size=(RESAMPLED, len(rows)))
    found = np.array([_estimates(rows[some]) for some in chosen])
    errors = CONFIDENCE * found.std(axis=0, ddof=1)
    return SobolIndices(output, parameters, first, total, errors[0], errors[1], len(rows))


def _estimates(rows: Array) -> tuple[Array, Array]:
    a, mixed, b = rows[:, :1], rows[:, 1:-1], rows[:, -1:]
    variance = float(np.var(np.concatenate([a, b])))
    first = np.mean(b * (mixed - a), axis=0) / variance
    total = 0.5 * np.mean((a - mixed) ** 2, axis=0) / variance
    return first, total


class Sweep:
    """Runs of a sweep: ``sweep["elbow.angle @ max"]`` is a column; it prints a summary.

    Attributes
    ----------
    name : of the model, model file or function
    design, seed : as they were asked for
    parameters : n mappings of names to values, one for each run
    records : n `Record`: state, reason, verdict, seconds, outputs, time
    outputs, histories : names of all outputs, and of those that are kept at all output times
    folder : where the table is, or None
    made : runs that were made now; the others were in the table already, or are the same
    """

    def __init__(
        self,
        name: str,
        design: str,
        seed: int,
        parameters: list[Row],
        records: list[Record],
        asked: tuple[Reading, ...],
        folder: Path | None,
        made: int,
    ) -> None:
        self.name, self.design, self.seed = name, design, seed
        self.parameters, self.records = parameters, records
        self.outputs = tuple(r.name for r in asked)
        self.histories = tuple(r.name for r in asked if r.is_history)
        self.folder, self.made = folder, made

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.records)

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self.parameters[0])

    @property
    def done(self) -> Booleans:
        """(n,) whether each run has reached its end."""
        return np.array([record.state == "done" for record in self.records])

    @property
    def failed(self) -> list[tuple[Row, str]]:
        """Parameters and reason of each run that failed."""
        pairs = zip(self.parameters, self.records, strict=True)
        return [(row, record.reason) for row, record in pairs if record.state == "failed"]

    @property
    def doubtful(self) -> list[tuple[Row, str]]:
        """Parameters and verdict of each run that reached its end and is not trusted."""
        pairs = zip(self.parameters, self.records, strict=True)
        return [
            (row, record.verdict)
            for row, record in pairs
            if record.verdict and not record.verdict.startswith(LEVELS[0])
        ]

    def __getitem__(self, name: str) -> Numbers:
        """(n,) values of a parameter, or of an output, NaN where a run failed."""
        if name in self.varied:
            return np.array([row[name] for row in self.parameters])
        if name in self.histories:
            raise SuppleError(f"the output {name!r} is a history, expected sweep.history({name!r})")
        self._expect(name, self.outputs)
        return np.array([record.outputs.get(name, np.nan) for record in self.records], dtype=float)

    def history(self, name: str) -> tuple[Array, Array]:
        """Times (nt,) in s and values (n, nt) of an output that is a history.

        The times are those of the longest run; values of others are interpolated between theirs,
        and NaN after their end and where a run failed.
        """
        self._expect(name, self.histories)
        times = [record.time for record in self.records if record.time is not None]
        if not times:
            raise SuppleError(f"no run has the history {name!r}: all of them failed")
        t = max(times, key=lambda each: (each[-1], len(each)))
        values = np.full((len(self), len(t)), np.nan)
        for row, record in zip(values, self.records, strict=True):
            if record.time is not None:
                own = record.outputs[name]
                same = np.array_equal(record.time, t)
                row[:] = own if same else np.interp(t, record.time, own, right=np.nan)
        return t, values

    def _expect(self, name: str, known: tuple[str, ...]) -> None:
        if name not in known:
            every = [*self.varied, *known] if known is self.outputs else list(known)
            raise SuppleError(f"the sweep has no {name!r}, {suggestion(name, every)}")

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row for each run: parameters, outputs, state, reason, verdict."""
        import pandas as pd

        columns: dict[str, Any] = {name: self[name] for name in self.varied}
        columns |= {name: self[name] for name in self.outputs if name not in self.histories}
        for field in ("state", "reason", "verdict", "seconds"):
            columns[field] = [getattr(record, field) for record in self.records]
        return pd.DataFrame(columns)

    def indices(self, output: str, seed: int = 0) -> SobolIndices:
        """Return first-order and total Sobol indices of an output, of a "saltelli" design."""
        if self.design != "saltelli":
            raise SuppleError(
                f"the design is {self.design!r}, expected design='saltelli' for Sobol indices"
            )
        return sobol_indices(self[output], self.varied, output, seed)

    def plot_effects(self, output: str, path: str | Path | None = None) -> Figure:
        """Draw main effects: the mean of an output over each value, or part of the range."""
        figure, panels, values = _panels(self, output)
        done = np.isfinite(values)
        for name, ax in panels.items():
            x, labels = _positions(self[name])
            groups = _groups(x[done], values[done])
            place = [g[0] for g in groups]
            quarters = np.array([np.percentile(g[1], (25.0, 75.0)) for g in groups])
            ax.fill_between(
                place, quarters[:, 0], quarters[:, 1], color=COLOURS[0], alpha=0.2, lw=0
            )
            ax.plot(place, [g[1].mean() for g in groups], "o-", color=COLOURS[0], lw=1.5, ms=4)
            ax.axhline(values[done].mean(), color=INK, lw=0.8, ls=":")
            _label(ax, name, labels)
        note = "mean, middle half of the runs; dotted: mean of all"
        return _finish(figure, f"Main effects on {output}: {note}", path)

    def plot_scatter(self, output: str, path: str | Path | None = None) -> Figure:
        """Draw an output over each parameter, a dot for each run; those that failed below."""
        figure, panels, values = _panels(self, output)
        done = np.isfinite(values)
        low, high = values[done].min(), values[done].max()
        margin = 0.06 * (high - low or abs(high) or 1.0)
        for name, ax in panels.items():
            x, labels = _positions(self[name])
            ax.plot(x[done], values[done], "o", ms=3, alpha=0.6, color=COLOURS[0], mec="none")
            lost = ~done & np.isfinite(x)
            ax.plot(x[lost], np.full(lost.sum(), low - margin), "x", ms=5, color=FAILED)
            _label(ax, name, labels)
        count = int((~done).sum())
        note = f"; {count} runs that failed are crosses" if count else ""
        return _finish(figure, f"{output}, {int(done.sum())} runs{note}", path)

    def plot_bands(
        self,
        output: str,
        path: str | Path | None = None,
        percentiles: tuple[float, ...] = PERCENTILES,
    ) -> Figure:
        """Draw percentiles of a history over time."""
        levels = _levels(percentiles)
        t, values = self.history(output)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # times that no run has reached
            lines = np.nanpercentile(values, levels, axis=0)
        figure, ax = blank_figure(3.6)
        for k in range(len(levels) // 2):
            label = f"{levels[k]:g} to {levels[-1 - k]:g} %"
            shade = 0.15 + 0.2 * k
            ax.fill_between(
                t, lines[k], lines[-1 - k], color=COLOURS[0], alpha=shade, lw=0, label=label
            )
        if len(levels) % 2:
            middle = len(levels) // 2
            ax.plot(t, lines[middle], color=COLOURS[0], lw=1.5, label=f"{levels[middle]:g} %")
        if len(t) > 1:
            ax.set_xlim(t[0], t[-1])
        dress(ax, "time (s)", output, legend=False)
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
        return _finish(figure, f"{output}, percentiles of {int(self.done.sum())} runs", path)

    def __repr__(self) -> str:
        done = int(self.done.sum())
        lines = [
            f"Sweep of {self.name}: {len(self)} runs ({self.design}), {done} done, "
            f"{len(self) - done} failed; {self.made} made now"
        ]
        numbers = [name for name in self.outputs if name not in self.histories]
        width = max([6, *map(len, numbers)])
        if numbers and done:
            lines.append(f"  {'output':<{width}}  {'min':>11}  {'median':>11}  {'max':>11}")
            for name in numbers:
                values = self[name][self.done]
                cells = (values.min(), float(np.median(values)), values.max())
                lines.append(f"  {name:<{width}}  " + "  ".join(f"{c:11.4g}" for c in cells))
        if self.doubtful:
            verdict = self.doubtful[0][1]
            lines.append(f"  {len(self.doubtful)} done but not trusted, see .doubtful: {verdict}")
        reasons = Counter(reason for _, reason in self.failed)
        lines += [f"  {count} failed: {why}" for why, count in reasons.most_common(SHOWN)]
        if len(reasons) > SHOWN:
            lines.append(f"  ... {len(reasons) - SHOWN} more reasons, see .failed")
        return "\n".join(lines)


def _levels(percentiles: Any) -> Array:
    expected = "numbers from 0 to 100"
    try:
        found = np.sort(np.asarray(percentiles, dtype=float).ravel())
    except (TypeError, ValueError):
        raise ModelError("plot_bands", "percentiles", percentiles, expected) from None
    if not len(found) or not (found[0] >= 0.0 and found[-1] <= 100.0):
        raise ModelError("plot_bands", "percentiles", percentiles, expected)
    return found


def _panels(sweep: Sweep, output: str) -> tuple[Figure, dict[str, Axes], Array]:
    """A figure with a panel for each parameter, and the values of the output."""
    values = np.asarray(sweep[output], dtype=float)
    if not np.any(np.isfinite(values)):
        raise SuppleError(f"no run has the output {output!r}: all of them failed")
    names = sweep.varied
    across = min(ACROSS, len(names))
    down = -(-len(names) // across)
    figure, grid = blank_figure(2.6 * down + 0.5, down, across, sharey=True, squeeze=False)
    axes = list(grid.ravel())
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    for row in grid:
        row[0].set_ylabel(output, color=INK)
    return figure, dict(zip(names, axes, strict=False)), values


def _positions(values: Any) -> tuple[Array, list[str]]:
    """Places at which the values of a parameter are drawn; texts have their names there."""
    if values.dtype.kind in "iuf":
        return values.astype(float), []
    texts = [str(value) for value in values.tolist()]
    labels = list(dict.fromkeys(texts))
    return np.array([labels.index(text) for text in texts], dtype=float), labels


def _groups(x: Array, y: Array) -> list[tuple[float, Array]]:
    """Levels of a parameter, or parts of its range, each with the values there."""
    levels = np.unique(x)
    if len(levels) <= FEW_VALUES:
        return [(float(level), y[x == level]) for level in levels]
    parts = np.array_split(np.argsort(x, kind="stable"), BINS)
    return [(float(x[part].mean()), y[part]) for part in parts]


def _label(ax: Axes, name: str, labels: list[str]) -> None:
    if labels:
        ax.set_xticks(range(len(labels)), labels)
    dress(ax, name, legend=False)


def _finish(figure: Figure, title: str, path: str | Path | None) -> Figure:
    figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
    return save_figure(figure, path)
