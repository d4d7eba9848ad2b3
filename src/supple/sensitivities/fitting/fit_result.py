"""Fit: parameters that were found from records, with intervals and doubts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.reports import Report
from supple.model import Model
from supple.results.result import Result
from supple.results.summary import grade
from supple.sensitivities.standing import OnRun, worse


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

    @property
    def model(self) -> Model:
        """The model with these values."""
        return self.result.model

    def _report(self) -> Report:
        rows = [(n, f"{x:.6g} {self._interval(n)}") for n, x in self.values.items()]
        rows += [(f"left of {name}", f"{x:.3g} rms") for name, x in self.deviation.items()]
        rows += [("doubt", sentence) for sentence in self.doubts]
        rows.append(("run", self.verdict))
        title = f"Fit after {self.runs} runs, intervals of {self.confidence:.0%}; {self.message}"
        found = "bad" if not self.success else "doubtful" if self.doubts else "good"
        return Report(title, rows, worse(found, grade(self.result)))

    def _interval(self, name: str) -> str:
        half = self.intervals[name]
        return f"+- {half:.2g}" if np.isfinite(half) else "(no interval)"

    def __str__(self) -> str:
        report = self._report()
        return report.text(max(len(row[0]) for row in report.rows))

    def _repr_html_(self) -> str:
        return self._report().html()
