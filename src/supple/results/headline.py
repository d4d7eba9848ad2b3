"""The verdict on a whole run: the worst of what is known about its numbers and its model."""

from __future__ import annotations

from supple.results.audit import LEVELS, EnergyAudit, MomentumAudit
from supple.results.monitor import VALIDITY, Monitor

NOT_MONITORED = "flexible bodies were not monitored"


def headline(energy: EnergyAudit, momentum: MomentumAudit, monitor: Monitor | None) -> str:
    """The worst of three verdicts in one line; that on energy if all of them are good.

    Of equally bad ones that on the model counts first: a body outside of its assumptions is often
    the cause of the others. Without a monitor the line tells so.
    """
    parts = [
        (LEVELS.index(energy.level), energy.verdict),
        (LEVELS.index(momentum.level), momentum.verdict),
    ]
    if monitor is not None:
        parts.insert(0, (VALIDITY.index(monitor.level), monitor.verdict))
    worst, sentence = max(parts, key=lambda part: part[0])
    if worst == 0 or sentence == energy.verdict:
        sentence = energy.verdict
    elif not energy.complete:
        sentence = f"{energy.ending}; {sentence}"
    return sentence if monitor is not None else f"{sentence}; {NOT_MONITORED}"
