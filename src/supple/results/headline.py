"""The verdict on a whole run: the worst of what is known about its numbers and its model."""

from __future__ import annotations

from supple.results.audit import LEVELS, EnergyAudit, MomentumAudit
from supple.results.monitor import VALIDITY, Monitor


def headline(energy: EnergyAudit, momentum: MomentumAudit, monitor: Monitor) -> str:
    """The worst of three verdicts in one line; that on energy if all of them are good.

    Of equally bad ones that on the model counts first: a body outside of its assumptions is often
    the cause of the others.
    """
    parts = [
        (VALIDITY.index(monitor.level), monitor.verdict),
        (LEVELS.index(energy.level), energy.verdict),
        (LEVELS.index(momentum.level), momentum.verdict),
    ]
    worst, sentence = max(parts, key=lambda part: part[0])
    if worst == 0 or sentence == energy.verdict:
        return energy.verdict
    return sentence if energy.complete else f"{energy.ending}; {sentence}"
