"""The motion audit: what else than balances can be said against the numbers of a run.

Output times that do not show the motion, errors that grow, friction that creeps, unstable
equilibria that are followed. It is made when it is first read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.reports import Report
from supple.results.data.audit import LEVELS, graded
from supple.results.data.findings import RunFinding
from supple.results.motion.creep import creep_findings
from supple.results.motion.error_growth import NotJudgedError, growth_findings, is_long, periods
from supple.results.motion.output_findings import output_findings
from supple.results.motion.unstable_motion import unstable_findings

if TYPE_CHECKING:
    from supple.results.result import Result

NOT_JUDGED = "not judged"  # a level: nothing was found, and growth of errors is not known
GOOD = "trusted: outputs show the motion, and nothing says that it is not the true one"


class MotionAudit:
    """Findings about the motion of a run (iterable), and the verdict on it.

    Attributes
    ----------
    findings : `RunFinding`, serious ones first
    unjudged : a sentence why the growth of errors of a long run is not known; empty if it is
    """

    def __init__(self, findings: tuple[RunFinding, ...] = (), unjudged: str = "") -> None:
        late = np.inf
        self.unjudged = unjudged
        self.findings = tuple(
            sorted(findings, key=lambda f: (not f.serious, late if f.time is None else f.time))
        )

    @property
    def level(self) -> str:
        """``"trusted"``, ``"not judged"``, ``"doubtful"`` or ``"not trusted"``."""
        if any(f.serious for f in self.findings):
            return LEVELS[2]
        if self.findings:
            return LEVELS[1]
        return NOT_JUDGED if self.unjudged else LEVELS[0]

    @property
    def verdict(self) -> str:
        """One line: the level, and the first finding."""
        if not self.findings:
            return f"{NOT_JUDGED}: {self.unjudged}" if self.unjudged else GOOD
        more = len(self.findings) - 1
        others = f" (and {more} more, see result.motion)" if more else ""
        return f"{self.level}: {self.findings[0]}{others}"

    def __iter__(self) -> Iterator[RunFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        more = [self.unjudged] if self.unjudged and self.findings else []
        return "\n".join([self.verdict, *(f"- {x}" for x in (*self.findings[1:], *more))])

    def __repr__(self) -> str:
        return f"<MotionAudit {self.verdict}>"

    def _repr_html_(self) -> str:
        """The verdict and all findings, for notebooks."""
        rows = [(f.what, f.where, f.sentence) for f in self.findings]
        level = LEVELS[1] if self.level == NOT_JUDGED else self.level
        return Report(self.verdict, rows, graded(level)).html()


def motion_audit(result: Result, again: bool = True) -> MotionAudit:
    """Look at the motion of a run; ``again``: also by making it again."""
    if result.data.probe is None:
        return MotionAudit()
    with np.errstate(all="ignore"):  # a run that diverged has numbers of any size
        hidden, unstable = [*output_findings(result)], [*unstable_findings(result, again)]
        growing: list[RunFinding] = []
        unjudged = ""
        try:
            if again and not unstable:
                growing = [*growth_findings(result, bool(hidden))]
        except NotJudgedError as reason:
            unjudged = not_judged(result, str(reason))
        return MotionAudit((*hidden, *unstable, *growing, *creep_findings(result)), unjudged)


def not_judged(result: Result, reason: str) -> str:
    """A sentence that errors of a long run are not known, and why; empty of a short one."""
    if not is_long(result):
        return ""
    return (
        f"growth of errors over about {periods(result):.0f} periods is not judged, as {reason}: "
        "compare with a run of a tenth of the tolerance"
    )
