"""A result on one screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from supple.foundation.reports import Report
from supple.results.data.audit import LEVELS
from supple.results.data.findings import VALIDITY
from supple.results.data.run_data import told_changes

if TYPE_CHECKING:
    from supple.results.result import Result

MOST = 6  # names in a line
WIDTH = 9  # of the words before the lines


def grade(result: Result) -> str:
    """The worst of energy, momentum, motion and validity: "good", "doubtful" or "bad"."""
    worst = max(
        LEVELS.index(result.energy.level),
        LEVELS.index(result.momentum.level),
        LEVELS.index(result.motion.level) if result.motion.findings else 0,
        VALIDITY.index(result.monitor.level),
        0 if result.success else 2,
    )
    return ("good", "doubtful", "bad")[worst]


def summary(result: Result) -> Report:
    """Report that ``print(result)`` shows: the verdict first, on one screen."""
    end = f"{result.t[0]:g} to {result.t[-1]:g} s" if len(result.t) else "no output"
    state = "completed" if result.success else "STOPPED" if result.stopped else "FAILED"
    count = result.statistics
    title = f"Result of model '{result.model.name}': {end}, {len(result.t)} output times, {state}"
    steps = f"{count.get('steps', 0)} ({count.get('rejected', 0)} rejected)"
    work = f"{count.get('evaluations', 0)} evaluations, {count.get('cpu_seconds', 0.0):.3g} s"
    rows = [
        ("verdict", result.verdict),
        ("energy", result.energy.verdict),
        ("momentum", result.momentum.verdict),
        ("steps", f"{steps}, {work}"),
        ("message", result.message),
    ]
    if result.motion.findings or result.motion.unjudged:
        rows.insert(3, ("motion", result.motion.verdict))
    if result.data.compiled.deforming:
        rows.insert(3, ("validity", result.monitor.verdict))
    if result.start_changes:
        rows.append(("start", told_changes(result.start_changes)))
    happened = [f"{e.name} at {e.t:.6g} s" for e in result.events]
    changed = [f"{' '.join(c.changes)} at {c.t:.6g} s" for c in result.changes]
    groups: dict[str, Iterable[str]] = {
        "joints": result.joints,
        "bodies": result.bodies,
        "points": result.point_masses,
        "forces": result.forces,
        "relations": result.constraints,
        "events": happened,
        "changes": changed,
    }
    rows += [(word, _shortened(names)) for word, names in groups.items() if names]
    return Report(title, rows, grade(result))


def _shortened(names: Iterable[str]) -> str:
    names = list(names)
    more = f", ... ({len(names)} in all)" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more
