"""certify: an error bar on a number of a run, and what the bar is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from supple.analyses.run.options import StudyOptions, takes
from supple.certificates.contributions import (
    ESTIMATORS,
    ROUNDING,
    Contribution,
    Evidence,
    Question,
    usable,
)
from supple.certificates.mode_selection import choose_modes, left_open
from supple.certificates.runs import CONSTANT, INTERVALS, Runs, expect_outputs, runs_of
from supple.foundation import validate
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import ModelError, SimulationError, label
from supple.foundation.progress import told
from supple.foundation.reports import Report
from supple.model import Model
from supple.results.plot import COLOURS, INK, blank_figure, dress
from supple.sweeps.readings import AT, Outputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADER = ("contribution", "error", "reason")
GRADES = {"certified": "good", "widened": "doubtful", "incomplete": "doubtful"}


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
        rows = [(c.name, c.error) for c in self.contributions if c.error > 0.0]
        rows.append(("bar", self.bar))
        finite = [error for _, error in rows if math.isfinite(error)]
        low, high = min(finite, default=1.0), max(finite, default=1.0)
        figure, ax = blank_figure(0.9 + 0.35 * len(rows))
        for k, (name, error) in enumerate(rows):
            known = math.isfinite(error)
            ax.barh(k, error if known else high, color=COLOURS[1 if name == "bar" else 0])
            if not known:
                ax.text(low, k, " no bar", va="center", color=INK)
        ax.set_yticks(range(len(rows)), [name for name, _ in rows])
        ax.invert_yaxis()
        ax.set_xscale("log")
        ax.set_xlim(max(0.5 * low, 1e-6 * high), 2.0 * high)
        dress(ax, x=f"error of {self.output}", title=_with_bar(self.value, self.bar))
        return save_figure(figure, path)

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


OWNER = "certify"
CONTRIBUTIONS = tuple(ESTIMATORS)
MODES = 0.25  # of the bar that is asked for, where modes are chosen
SMALL = 0.01  # part of a sum that does not count
WIDER = 2.0  # times the distance to the finest run, where that is outside of the bar


@takes(StudyOptions)
def certify(
    model: Model,
    t_end: float,
    outputs: Outputs,
    *,
    within: float | None = None,
    contributions: Sequence[str] = CONTRIBUTIONS,
    intervals: int = INTERVALS,
    **options: Unpack[StudyOptions],
) -> Any:
    """Estimate the errors of a number that a run gives, and check their sum by a finer run.

    Parameters
    ----------
    t_end : end of the run, s
    outputs : text, function, a list of these, or a mapping of names to these
        "elbow.angle @ max" is a number, as for `sweep`; so is "elbow.angle @ 0.5 s". A function of
        the result returns a number.
    within : float, optional
        The bar that is asked for, in the units of the output; ``passed`` compares with it.
    contributions : of "integration", "sampling", "modes", "mesh", "formulation", "validity"
        What the bar contains. Without "modes" and "mesh" it is an error bar for the bodies as they
        are discretised, without "validity" one for linear deflections where they are linear.
    intervals : int
        Output times of the runs, between which extrema and means are found.
    start, formulation, integrator, tolerance, events, progress : as for `simulate`
        A start is None, "static" or "quasi-static" where bodies are refined.

    Returns a `Certificate`, or a mapping of names to certificates where several outputs are given.
    The runs are shared by all of them.
    """
    alone = isinstance(outputs, str) or callable(outputs)
    if within is not None:
        within = validate.positive(OWNER, "within", within)
    runs = runs_of(OWNER, model, t_end, outputs, options, intervals)
    asked = _contributions(contributions)
    progress = runs.options.expect_line(OWNER)
    runs = _with_modes(runs, within)
    expect_outputs(runs)
    evidence = Evidence(runs, asked)
    with told(lambda: f"certify: {evidence.count} runs", progress):
        if evidence.base.failed:
            raise SimulationError(f"certify: {evidence.base.reason}")
        questions = {r.name: Question(r.name, evidence) for r in runs.readings}
        rows = {n: [ESTIMATORS[x](q) for x in asked] for n, q in questions.items()}
        evidence.tightest = any(_by_tolerance(certificates) for certificates in rows.values())
        certificates = {n: _certificate(q, rows[n], within) for n, q in questions.items()}
    return next(iter(certificates.values())) if alone else certificates


def _contributions(contributions: Any) -> tuple[str, ...]:
    expected = f"some of {', '.join(map(repr, CONTRIBUTIONS))}"
    listed = validate.listed(OWNER, "contributions", contributions, expected)
    if not listed or any(not isinstance(name, str) or name not in CONTRIBUTIONS for name in listed):
        raise ModelError(OWNER, "contributions", contributions, expected)
    return tuple(name for name in CONTRIBUTIONS if name in listed)


def _with_modes(runs: Runs, within: float | None) -> Runs:
    """Runs with modes that were left open chosen, for a part of the bar that is asked for."""
    names = left_open(runs)
    if not names:
        return runs
    if within is None:
        expected = "a number, or within=... of certify, by which modes are chosen"
        raise ModelError(label(runs.model[names[0]]), "modes", "auto", expected)
    if any(r.function is not None for r in runs.readings):
        expected = "texts, because modes are chosen by them"
        raise ModelError(OWNER, "outputs", "a function", expected)
    outputs = {f"{r.quantity}{AT}{r.statistic}": MODES * within for r in runs.readings}
    chosen = choose_modes(
        runs.model, runs.t_end, outputs, intervals=runs.intervals, **runs.options.of_study
    )
    return replace(runs, model=chosen.model)


def _by_tolerance(rows: Sequence[Contribution]) -> bool:
    """True if the tolerance has a part in the sum: then the finest run has a smaller one."""
    total = math.fsum(row.error for row in rows)
    parts = [row.error for row in rows if row.name == "integration"]
    return not parts or not parts[0] <= SMALL * total


def _certificate(question: Question, rows: list[Contribution], within: float | None) -> Certificate:
    evidence = question.evidence
    base, finest = evidence.base, evidence.finest
    value, bar = question.value(base), math.fsum(row.error for row in rows)
    wrong = usable("verification", base, (finest,))
    best, verified = math.nan, False
    if wrong is not None:
        rows.append(Contribution("verification", 0.0, "no finer run", wrong.reason))
    else:
        best = question.value(finest)
        away = abs(best - value)
        verified = away <= bar
        reason = f"everything finer together changes it by {away:.1e}"
        more = 0.0 if verified else WIDER * away - bar
        if math.isfinite(bar):
            reason += ", within the sum" if verified else ", outside of the sum, which is widened"
        rows.append(Contribution("verification", more, reason))
    total = math.fsum(row.error for row in rows)
    remarks = _remarks(question)
    return Certificate(
        question.output, value, total, best, tuple(rows), verified, within, remarks, evidence.count
    )


def _remarks(question: Question) -> tuple[str, ...]:
    """Remarks about what a bar does not tell."""
    base, said = question.of(question.evidence.base), []
    finest = question.evidence.finest.samples.get(question.output, base)
    if all(
        abs(x.value) <= ROUNDING * x.size and x.span <= CONSTANT * x.size for x in (base, finest)
    ):
        said.append(
            "it is zero at all times, by a symmetry that nothing real has exactly: disturb the "
            "model to see whether it stays small"
        )
    if base.at_end:
        said.append("the extremum is at the end of the run: a longer run may go beyond")
    return tuple(said)
