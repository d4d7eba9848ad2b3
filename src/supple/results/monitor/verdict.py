"""The verdict on a whole run: the worst of what is known about its numbers and its model."""

from __future__ import annotations

from supple.results.data.audit import LEVELS, EnergyAudit, MomentumAudit
from supple.results.data.findings import VALIDITY, Monitor
from supple.results.motion.motion_audit import MotionAudit

NOT_MONITORED = "flexible bodies were not monitored"
BALANCED = "balanced"  # instead of "trusted" where nothing but the balances is known


def headline(
    energy: EnergyAudit,
    momentum: MomentumAudit,
    monitor: Monitor | None,
    equal_steps: int = 0,
    motion: MotionAudit | None = None,
) -> str:
    """The worst of four verdicts in one line; that on energy if all of them are good.

    Where ``equal_steps`` were made, nobody has judged their error: a method may keep energy and
    momentum, and be late or early. So such a run is balanced, not trusted, and so is one of many
    periods whose errors may have grown as nobody knows.

    Of equally bad ones that on the model counts first: a body outside of its assumptions is often
    the cause of the others. Without a monitor the line tells so.
    """
    parts = [
        (LEVELS.index(energy.level), energy.verdict),
        (LEVELS.index(momentum.level), momentum.verdict),
    ]
    if motion is not None and motion.findings:
        parts.append((LEVELS.index(motion.level), motion.verdict))
    if monitor is not None:
        parts.insert(0, (VALIDITY.index(monitor.level), monitor.verdict))
    worst, sentence = max(parts, key=lambda part: part[0])
    if worst == 0 or sentence == energy.verdict:
        sentence = energy.verdict
    elif not energy.complete:
        sentence = f"{energy.ending}; {sentence}"
    unjudged = "" if motion is None else motion.unjudged
    if equal_steps:
        unjudged = f"errors of its {equal_steps} equal steps are not judged: try half steps"
    if unjudged and worst == 0 and energy.complete:
        sentence = f"{sentence.replace(LEVELS[0], BALANCED, 1)}; {unjudged}"
    return sentence if monitor is not None else f"{sentence}; {NOT_MONITORED}"
