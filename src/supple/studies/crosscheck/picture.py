"""Picture of a cross-check: differences to the reference over time, with their errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.atomic_files import save_figure
from supple.foundation.palette import COLOURS, INK
from supple.results.plot import DASHES, WIDTH, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.studies.crosscheck.result import CrossCheck

SMALLEST = 1e-16  # what is drawn for no difference at all


def draw(check: CrossCheck, path: str | Path | None = None) -> Figure:
    """Draw the largest difference of each row, and as broken lines the errors of both runs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    ax = figure.subplots()
    rows = [row for row in check.rows if len(row.t)]
    for k, row in enumerate(rows):
        colour = COLOURS[k % len(COLOURS)]
        label = row.integrator if row.name == check.rows[0].name else row.name
        ax.plot(row.t, np.maximum(row.apart, SMALLEST), lw=1.3, color=colour, label=label)
        if len(row.errors):
            errors = np.maximum(row.errors, SMALLEST)
            ax.plot(row.t, errors, lw=0.9, ls=DASHES[0], color=colour)
    if np.isfinite(check.until):
        ax.axvline(check.until, lw=0.9, color=INK, ls=":")
    ax.set_yscale("log")
    ax.set_xlim(check.reference.t[0], check.reference.t[-1])
    ax.set_xlabel("time (s)", color=INK)
    ax.set_ylabel("difference / range (broken: errors)", color=INK)
    ax.set_title(check.state, loc="left", size=10, color=INK)
    dress(ax)
    save_figure(figure, path)
    return figure
