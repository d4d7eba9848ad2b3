"""A result on one screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from supple.results.start_changes import told

if TYPE_CHECKING:
    from supple.results.result import Result

MOST = 6  # names in a line


def summary(result: Result) -> str:
    """The text of ``print(result)``: the verdict first, on one screen."""
    end = f"{result.t[0]:g} to {result.t[-1]:g} s" if len(result.t) else "no output"
    state = "completed" if result.success else "STOPPED" if result.stopped else "FAILED"
    count = result.statistics
    lines = [
        f"Result of model '{result.model.name}': {end}, {len(result.t)} output times, {state}",
        f"  verdict   {result.verdict}",
        f"  energy    {result.energy.verdict}",
        f"  momentum  {result.momentum.verdict}",
        f"  steps     {count.get('steps', 0)} ({count.get('rejected', 0)} rejected), "
        f"{count.get('evaluations', 0)} evaluations, {count.get('cpu_seconds', 0.0):.3g} s",
        f"  message   {result.message}",
    ]
    if result.data.compiled.deforming:
        lines.insert(4, f"  validity  {result.monitor.verdict}")
    if result.start_changes:
        lines.append(f"  start     {told(result.start_changes)}")
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
    lines += [f"  {title:<9} {_shortened(names)}" for title, names in groups.items() if names]
    return "\n".join(lines)


def _shortened(names: Iterable[str]) -> str:
    names = list(names)
    more = f", ... ({len(names)} in all)" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more
