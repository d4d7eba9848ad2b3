"""Figures of a sweep: main effects, scatter, percentile bands."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import ModelError, SuppleError
from supple.results.plot import COLOURS, INK, WIDTH, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from supple.sweeps.study import Sweep

Array = NDArray[np.float64]

LEVELS = 12  # values of a parameter up to which each is a level
BINS = 8  # parts of its range otherwise, with equal numbers of runs
ACROSS = 3  # panels
FAILED = COLOURS[3]


def effects(sweep: Sweep, output: str, path: str | Path | None) -> Figure:
    """Mean of an output over each value of each parameter, and the middle half of the runs."""
    figure, panels, values = _panels(sweep, output)
    done = np.isfinite(values)
    for name, ax in panels.items():
        x, labels = _positions(sweep[name])
        groups = _groups(x[done], values[done])
        place = [g[0] for g in groups]
        quarters = np.array([np.percentile(g[1], (25.0, 75.0)) for g in groups])
        ax.fill_between(place, quarters[:, 0], quarters[:, 1], color=COLOURS[0], alpha=0.2, lw=0)
        ax.plot(place, [g[1].mean() for g in groups], "o-", color=COLOURS[0], lw=1.5, ms=4)
        ax.axhline(values[done].mean(), color=INK, lw=0.8, ls=":")
        _label(ax, name, labels)
    note = "mean, middle half of the runs; dotted: mean of all"
    return _finish(figure, f"Main effects on {output}: {note}", path)


def scatter(sweep: Sweep, output: str, path: str | Path | None) -> Figure:
    """Dots of all runs; those that failed are crosses at the lower edge."""
    figure, panels, values = _panels(sweep, output)
    done = np.isfinite(values)
    low, high = values[done].min(), values[done].max()
    margin = 0.06 * (high - low or abs(high) or 1.0)
    for name, ax in panels.items():
        x, labels = _positions(sweep[name])
        ax.plot(x[done], values[done], "o", ms=3, alpha=0.6, color=COLOURS[0], mec="none")
        lost = ~done & np.isfinite(x)
        ax.plot(x[lost], np.full(lost.sum(), low - margin), "x", ms=5, color=FAILED)
        _label(ax, name, labels)
    count = int((~done).sum())
    note = f"; {count} runs that failed are crosses" if count else ""
    return _finish(figure, f"{output}, {int(done.sum())} runs{note}", path)


def bands(
    sweep: Sweep, output: str, percentiles: tuple[float, ...], path: str | Path | None
) -> Figure:
    """Percentiles of a history over time, in pairs about the middle."""
    from matplotlib.figure import Figure

    levels = _levels(percentiles)
    t, values = sweep.history(output)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # times that no run has reached
        lines = np.nanpercentile(values, levels, axis=0)
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    ax = figure.subplots()
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
    ax.set_xlabel("time (s)", color=INK)
    ax.set_ylabel(output, color=INK)
    dress(ax)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    return _finish(figure, f"{output}, percentiles of {int(sweep.done.sum())} runs", path)


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
    from matplotlib.figure import Figure

    values = np.asarray(sweep[output], dtype=float)
    if not np.any(np.isfinite(values)):
        raise SuppleError(f"no run has the output {output!r}: all of them failed")
    names = sweep.varied
    across = min(ACROSS, len(names))
    down = -(-len(names) // across)
    figure = Figure(figsize=(WIDTH, 2.6 * down + 0.5), layout="constrained")
    grid = figure.subplots(down, across, sharey=True, squeeze=False)
    axes = list(grid.ravel())
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    for row in grid:
        row[0].set_ylabel(output, color=INK)
    return figure, dict(zip(names, axes, strict=False)), values


def _positions(values: Any) -> tuple[Array, list[str]]:
    """Where the values of a parameter are drawn; texts have their names there."""
    if values.dtype.kind in "iuf":
        return values.astype(float), []
    texts = [str(value) for value in values.tolist()]
    labels = list(dict.fromkeys(texts))
    return np.array([labels.index(text) for text in texts], dtype=float), labels


def _groups(x: Array, y: Array) -> list[tuple[float, Array]]:
    """Levels of a parameter, or parts of its range, each with the values there."""
    levels = np.unique(x)
    if len(levels) <= LEVELS:
        return [(float(level), y[x == level]) for level in levels]
    parts = np.array_split(np.argsort(x, kind="stable"), BINS)
    return [(float(x[part].mean()), y[part]) for part in parts]


def _label(ax: Axes, name: str, labels: list[str]) -> None:
    ax.set_xlabel(name, color=INK)
    if labels:
        ax.set_xticks(range(len(labels)), labels)
    dress(ax, legend=False)


def _finish(figure: Figure, title: str, path: str | Path | None) -> Figure:
    figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
    save_figure(figure, path)
    return figure
