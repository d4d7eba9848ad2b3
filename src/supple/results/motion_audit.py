"""The motion audit: what else than balances can be said against the numbers of a run.

Output times that do not show the motion, errors that grow, friction that creeps, unstable
equilibria that are followed. It is made when it is first read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.reports import Report
from supple.results.audit import LEVELS, graded
from supple.results.creep import creep_findings
from supple.results.error_growth import growth_findings
from supple.results.output_findings import output_findings
from supple.results.run_finding import RunFinding
from supple.results.unstable_motion import unstable_findings

if TYPE_CHECKING:
    from supple.results.result import Result

GOOD = "trusted: outputs show the motion, and nothing says that it is not the true one"


class MotionAudit:
    """Findings about the motion of a run (iterable), and the verdict on it.

    Attributes
    ----------
    findings : `RunFinding`, serious ones first
    """

    def __init__(self, findings: tuple[RunFinding, ...] = ()) -> None:
        late = np.inf
        self.findings = tuple(
            sorted(findings, key=lambda f: (not f.serious, late if f.time is None else f.time))
        )

    @property
    def level(self) -> str:
        """``"trusted"``, ``"doubtful"`` or ``"not trusted"``."""
        if any(f.serious for f in self.findings):
            return LEVELS[2]
        return LEVELS[1] if self.findings else LEVELS[0]

    @property
    def verdict(self) -> str:
        """One line: the level, and the first finding."""
        if not self.findings:
            return GOOD
        more = len(self.findings) - 1
        others = f" (and {more} more, see result.motion)" if more else ""
        return f"{self.level}: {self.findings[0]}{others}"

    def __iter__(self) -> Iterator[RunFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        return "\n".join([self.verdict, *(f"- {f}" for f in self.findings[1:])])

    def __repr__(self) -> str:
        return f"<MotionAudit {self.verdict}>"

    def _repr_html_(self) -> str:
        """The verdict and all findings, for notebooks."""
        rows = [(f.what, f.where, f.sentence) for f in self.findings]
        return Report(self.verdict, rows, graded(self.level)).html()


def motion_audit(result: Result, again: bool = True) -> MotionAudit:
    """Look at the motion of a run; ``again``: also by making it again."""
    if result.data.probe is None:
        return MotionAudit()
    with np.errstate(all="ignore"):  # a run that diverged has numbers of any size
        hidden, unstable = [*output_findings(result)], [*unstable_findings(result, again)]
        growing = [] if unstable or not again else [*growth_findings(result, bool(hidden))]
        return MotionAudit((*hidden, *unstable, *growing, *creep_findings(result)))
