"""Certificate: a number of a run, its error bar, and what the bar is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from supple.foundation.atomic_files import save_figure
from supple.foundation.reports import Report
from supple.results.plot import COLOURS, INK, WIDTH, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADER = ("contribution", "error", "reason")
GRADES = {"certified": "good", "widened": "doubtful", "incomplete": "doubtful"}


@dataclass(frozen=True)
class Contribution:
    """One reason why a number may be wrong.

    Attributes
    ----------
    name : "integration", "sampling", "modes", "mesh", "formulation", "validity" or "verification"
    error : how much it may be wrong, in the units of the output; infinite if nothing can be said
    reason : how that was found, in a sentence
    unknown : what it does not contain, in a sentence; empty if it contains all
    """

    name: str
    error: float
    reason: str
    unknown: str = ""


@dataclass(frozen=True)
class Certificate:
    """A number with an error bar: the exact answer to the model lies within value +- bar.

    It is an estimate that was checked, no proof: see the how-to "Error bars".

    Attributes
    ----------
    output : what it is
    value : in the run with the settings that were given
    bar : sum of all contributions; infinite where one of them cannot be estimated
    best : value of the finest run of all together; NaN if that failed
    contributions : see `Contribution`
    verified : whether the finest run lies within the bar as it was before that run was made
    within : the bar that was asked for; None if none was
    remarks : sentences about what the bar does not tell
    runs : how many runs were made
    """

    output: str
    value: float
    bar: float
    best: float
    contributions: tuple[Contribution, ...]
    verified: bool
    within: float | None
    remarks: tuple[str, ...]
    runs: int

    @property
    def level(self) -> str:
        """``"certified"``, ``"widened"``, ``"incomplete"`` or ``"not certified"``.

        A bar is widened where the finest run was outside of it. It is incomplete where something
        is not contained in it, or no finest run could be made.
        """
        if not math.isfinite(self.bar):
            return "not certified"
        if math.isnan(self.best) or any(c.unknown for c in self.contributions):
            return "incomplete"
        return "certified" if self.verified else "widened"

    @property
    def passed(self) -> bool:
        """True if it is certified, or widened, with a bar as small as was asked for."""
        small = self.within is None or self.bar <= self.within
        return self.level in ("certified", "widened") and small

    @property
    def verdict(self) -> str:
        """One line: the level, and the number with its bar."""
        number = f"{self.output} = {_with_bar(self.value, self.bar)}"
        if self.within is not None and math.isfinite(self.bar):
            word = "within" if self.bar <= self.within else "which is more than"
            number += f", {word} {self.within:g}"
        reason = ""
        if self.level != "certified":
            worst = max(
                self.contributions, key=lambda c: (math.isinf(c.error), bool(c.unknown), c.error)
            )
            reason = f": {worst.unknown or worst.reason}"
        return f"{self.level}: {number}{reason}"

    def __getitem__(self, name: str) -> Contribution:
        return next(c for c in self.contributions if c.name == name)

    def __str__(self) -> str:
        lines = [self.verdict]
        for c in self.contributions:
            lines.append(f"  {c.name:<13} {c.error:9.2e}  {c.reason}")
            lines += [f"  {'':<13} {'':9}  not contained: {c.unknown}"] if c.unknown else []
        lines += [f"  - {remark}" for remark in self.remarks]
        best = "failed" if math.isnan(self.best) else f"{self.best:.10g}"
        return "\n".join([*lines, f"  finest of {self.runs} runs: {best}"])

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the contributions and their sum; those without a bar are marked by a word."""
        from matplotlib.figure import Figure

        rows = [(c.name, c.error) for c in self.contributions if c.error > 0.0]
        rows.append(("bar", self.bar))
        finite = [error for _, error in rows if math.isfinite(error)]
        low, high = min(finite, default=1.0), max(finite, default=1.0)
        figure = Figure(figsize=(WIDTH, 0.9 + 0.35 * len(rows)), layout="constrained")
        ax = figure.subplots()
        for k, (name, error) in enumerate(rows):
            known = math.isfinite(error)
            ax.barh(k, error if known else high, color=COLOURS[1 if name == "bar" else 0])
            if not known:
                ax.text(low, k, " no bar", va="center", color=INK)
        ax.set_yticks(range(len(rows)), [name for name, _ in rows])
        ax.invert_yaxis()
        ax.set_xscale("log")
        ax.set_xlim(max(0.5 * low, 1e-6 * high), 2.0 * high)
        ax.set_xlabel(f"error of {self.output}", color=INK)
        ax.set_title(_with_bar(self.value, self.bar), loc="left", size=10, color=INK)
        dress(ax)
        save_figure(figure, path)
        return figure

    def __repr__(self) -> str:
        return f"<Certificate {self.verdict}>"

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        rows = [(c.name, f"{c.error:.2e}", f"{c.reason} {c.unknown}") for c in self.contributions]
        rows += [("", "", remark) for remark in self.remarks]
        return Report(self.verdict, rows, GRADES.get(self.level, "bad"), HEADER).html()


def _with_bar(value: float, bar: float) -> str:
    """A number with the digits that its bar leaves."""
    if not math.isfinite(bar):
        return f"{value:.6g} without a bar"
    size = max(abs(value), bar)
    digits = 12 if bar <= 0.0 else math.ceil(math.log10(size / bar)) + 2 if size > 0.0 else 3
    return f"{value:.{min(max(digits, 3), 14)}g} +- {bar:.2g}"
