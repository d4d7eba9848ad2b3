"""CrossCheck: one model by several formulations and integrators, as a table and a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import SuppleError, suggestion
from supple.foundation.palette import COLOURS, INK
from supple.foundation.reports import Report
from supple.results.plot import DASHES, blank_figure, dress
from supple.results.result import Result
from supple.studies.crosscheck.states import StateFinding

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SMALLEST = 1e-16  # what is drawn for no difference at all
RowState = Literal[
    "reference",
    "rounding",
    "tolerance",
    "discretisation",
    "until",
    "undecided",
    "differs",
    "failed",
    "not applicable",
]
State = Literal["agree", "agree until", "undecided", "differ"]
AGREES = ("reference", "rounding", "tolerance", "discretisation")
COLUMNS = ("state", "integrator", "difference", "error", "quantity", "at", "order", "seconds")


def draw(check: CrossCheck, path: str | Path | None = None) -> Figure:
    """Draw the largest difference of each row, and as broken lines the errors of both runs."""
    figure, ax = blank_figure(4.2)
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
    dress(ax, "time (s)", "difference / range (broken: errors)", check.state)
    return save_figure(figure, path)


@dataclass(frozen=True, eq=False)
class Row:
    """One formulation by one integrator, beside the reference."""

    # name, integrator: what was run, and by which method
    name: str
    integrator: str
    # "reference", "rounding", "tolerance" or "discretisation" (it agrees to that), "until" (it
    # agrees until both are chaotic), "undecided", "differs", "failed", "not applicable"
    state: RowState
    text: str  # the same in a sentence, with the object and the time
    # difference, error: largest difference to the reference and largest sum of the estimated errors
    # of both, over the range of the quantity; NaN where there is none
    difference: float = math.nan
    error: float = math.nan
    # quantity, at: that with the largest difference, or the first that differs, and its time in s
    quantity: str = ""
    at: float = math.nan
    # s, from where on errors are too large to tell; infinite if they never are
    until: float = math.inf
    order: float = math.nan  # of convergence, where elements are others than the model's; else NaN
    findings: tuple[StateFinding, ...] = ()  # what differs at the same state
    # t, apart, errors: (nt,) s, difference and errors over time, over the ranges
    t: Array = field(default_factory=lambda: np.zeros(0))
    apart: Array = field(default_factory=lambda: np.zeros(0))
    errors: Array = field(default_factory=lambda: np.zeros(0))
    family: frozenset[str] = frozenset()  # rows of the same are the same equations
    seconds: float = 0.0  # processor time

    @property
    def agrees(self) -> bool:
        """True if it agrees with the reference all along."""
        return self.state in AGREES


@dataclass(frozen=True, eq=False)
class CrossCheck:
    """Agreement of several formulations and integrators on one model; it prints as a table.

    Attributes
    ----------
    state : "agree", "agree until", "undecided" or "differ"
    verdict : the same in a sentence
    ok : whether all agree, and enough of them are independent
    until : s, up to where all agree; infinite if nothing limits it
    rows : the reference first; ``check["absolute"]`` is one of them
    reference : the result that all others are compared with
    """

    rows: tuple[Row, ...]
    state: State
    verdict: str
    until: float
    reference: Result

    @property
    def ok(self) -> bool:
        """True if all agree, and enough of them are independent."""
        return self.state == "agree"

    def __getitem__(self, name: str) -> Row:
        """A row by the name of its formulation; that of the second integrator by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        for row in self.rows[1:]:
            if row.integrator == name and row.name == self.rows[0].name:
                return row
        near = suggestion(name, [row.name for row in self.rows])
        raise SuppleError(f"the cross-check has no row {name!r}, {near}")

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row for each way."""
        import pandas as pd

        rows = [[getattr(row, column) for column in (*COLUMNS, "text")] for row in self.rows]
        index = pd.Index([row.name for row in self.rows], name="way")
        return pd.DataFrame(rows, columns=[*COLUMNS, "text"], index=index)

    def answer(self) -> dict[str, Any]:
        """Numbers and texts for JSON."""
        rows = [
            {
                "name": row.name,
                **{column: getattr(row, column) for column in COLUMNS},
                "text": row.text,
                "same_state": [finding.sentence for finding in row.findings],
            }
            for row in self.rows
        ]
        return {
            "passed": self.ok,
            "state": self.state,
            "verdict": self.verdict,
            "until": self.until,
            "run": self.reference.verdict,
            "rows": rows,
        }

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw differences to the reference over time on a logarithmic axis, and their errors."""
        return draw(self, path)

    def __repr__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        method = max(len(row.integrator) for row in self.rows)
        lines = [f"{self.state if self.ok else self.state.upper()}: {self.verdict}"]
        for row in self.rows:
            lines.append(f"  {row.name:<{width}}  {row.integrator:<{method}}  {row.text}")
            indent = " " * (width + method + 6)
            lines += [f"{indent}{finding.sentence}" for finding in row.findings[1:4]]
        return "\n".join([*lines, f"  the run itself: {self.reference.verdict}"])

    def _repr_html_(self) -> str:
        """A table for notebooks, with the picture."""
        grades = {"agree": "good", "differ": "bad"}
        rows = [
            (row.name, row.integrator, _number(row.difference), _number(row.error), row.text)
            for row in self.rows
        ]
        header = ("formulation", "integrator", "difference", "errors", "")
        report = Report(self.verdict, rows, grades.get(self.state, "doubtful"), header)
        drawn = any(len(row.t) for row in self.rows)
        return report.html(self.plot() if drawn else None)


def _number(value: float) -> str:
    return f"{value:.1e}" if math.isfinite(value) else ""
