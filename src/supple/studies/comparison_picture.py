"""Picture of a comparison: histories of both runs, and below each what they differ by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.atomic_files import save_figure
from supple.foundation.palette import COLOURS, INK
from supple.results.files.dataset import Track
from supple.results.plot import DASHES, WIDTH, dress, named
from supple.studies.comparison import Comparison
from supple.studies.interpolation import interpolants

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 4  # quantities in one picture
SMALLEST = 1e-16  # of the range: what is drawn for no difference at all


def draw(
    found: Comparison,
    names: Sequence[str],
    tolerance: float,
    labels: tuple[str, str],
    path: str | Path | None = None,
) -> Figure:
    """Draw the first few of ``names`` for both runs, with the difference over the range.

    A dotted line is the ``tolerance``.
    """
    from matplotlib.figure import Figure

    chosen = [found[name] for name in names[:MOST]]
    figure = Figure(figsize=(WIDTH, 3.4 * len(chosen) + 0.4), layout="constrained")
    rows = figure.subplots(
        2 * len(chosen), 1, sharex=True, squeeze=False, height_ratios=[1.6, 1.0] * len(chosen)
    )[:, 0]
    tracks = [result.track() for result in found.runs]
    for place, d in enumerate(chosen):
        values, residual = rows[2 * place], rows[2 * place + 1]
        for k, (track, label) in enumerate(zip(tracks, labels, strict=True)):
            _histories(values, track, d.name, label, broken=k == 1)
        values.set_ylabel(named(d.name, d.units), color=INK)
        parts = np.maximum(d.values / (d.range or 1.0), SMALLEST)
        residual.plot(found.t, parts, lw=1.2, color=COLOURS[3], label="difference")
        residual.set_yscale("log")
        if tolerance > 0.0:
            residual.axhline(tolerance, color=COLOURS[2], lw=1.0, ls=":", label="tolerance")
        residual.set_ylabel("difference / range", color=INK)
        for ax in (values, residual):
            dress(ax)
    rows[-1].set_xlabel("time (s)", color=INK)
    rows[-1].set_xlim(found.t[0], found.t[-1])
    figure.align_ylabels(rows)
    save_figure(figure, path)
    return figure


def _histories(ax: Axes, track: Track, name: str, label: str, broken: bool) -> None:
    """Components of one quantity of a run; those of the second run are broken lines on top."""
    source = next(entry for entry in interpolants(track) if entry.name == name)
    columns = source.derivatives[source.order]
    for k, column in enumerate(columns.T):
        colour = INK if broken else COLOURS[k % len(COLOURS)]
        style = {"ls": DASHES[0], "lw": 0.9} if broken else {"lw": 1.6}
        ax.plot(source.t, column, color=colour, label=label if k == 0 else None, **style)
