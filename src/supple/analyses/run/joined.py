"""Phases of a run joined into one solution: states, work, audit, momenta and events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.engine.base.compiled import Compiled
from supple.engine.base.row_sets import RowSets
from supple.events import Event
from supple.integrators.run.driver import Problem, Solution
from supple.loops.impact import Impact
from supple.results.data.audit import AuditRecord, MomentumRecord
from supple.results.data.run_data import ChangeRecord, EventRecord


@dataclass
class Piece:
    """One phase of a run, and the change at its end.

    Attributes
    ----------
    solution : None where no time passes between two changes
    events : beside those that the solution found
    failure : why the change at its end cannot be made
    problem : what was integrated, where time passes
    fired : events that made the change
    """

    compiled: Compiled
    solution: Solution | None
    events: tuple[EventRecord, ...] = ()
    change: ChangeRecord | None = None
    impact: Impact | None = None
    after: Compiled | None = None
    failure: str = ""
    problem: Problem | None = None
    fired: tuple[Event, ...] = ()


def joined(problem: Problem, pieces: Sequence[Piece]) -> tuple[Solution, tuple[ChangeRecord, ...]]:
    """The solution of a whole run, and its changes.

    An output time at the instant of a change shows the state behind it.
    """
    c = problem.equations.compiled
    signs = np.array([-1.0 if takes else 1.0 for takes in c.force_dissipates])
    base, lost = np.zeros(len(c.force_names)), 0.0
    parts: list[Solution] = []
    balances: list[float] = []
    row_sets: RowSets | None = None
    changes: list[ChangeRecord] = []
    for k, piece in enumerate(pieces):
        s = piece.solution
        if s is not None:
            shown = np.ones(len(s.t), dtype=bool)
            if any(later.solution is not None for later in pieces[k + 1 :]):
                shown = s.t < s.final.t
            parts.append(
                s._replace(
                    t=s.t[shown], q=s.q[shown], u=s.u[shown], z=s.z[shown],
                    channels=s.channels[shown] + base,
                )
            )  # fmt: skip
            balances.append(s.audit.initial_energy - float(signs @ base) + lost)
            row_sets = s.row_sets if row_sets is None else _then(row_sets, s.row_sets)
            if len(s.t):  # a phase with another behind it ends with an output time
                base = base + s.channels[-1]
        if piece.change is not None and piece.impact is not None and piece.after is not None:
            changes.append(piece.change)
            lost += piece.impact.lost
            for name, work in piece.impact.work.items():
                base[c.force_names.index(name)] += work
            here = RowSets.of(piece.after, piece.change.t)
            row_sets = here if row_sets is None else _then(row_sets, here)
    assert row_sets is not None
    whole = _one(problem, pieces, parts, balances, row_sets, changes)
    if len(whole.t) and changes and whole.t[-1] == changes[-1].t:
        whole.channels[-1] = base  # the run ends with a change
    return whole, tuple(changes)


def _then(before: RowSets, after: RowSets) -> RowSets:
    """Sets of rows one after the other; of those from one instant on the last one counts."""
    kept = [k for k, begin in enumerate(before.begins) if begin < after.begins[0]]
    begins = (*(before.begins[k] for k in kept), *after.begins)
    return RowSets(begins, (*(before.models[k] for k in kept), *after.models))


def _one(
    problem: Problem,
    pieces: Sequence[Piece],
    parts: Sequence[Solution],
    balances: Sequence[float],
    row_sets: RowSets,
    changes: Sequence[ChangeRecord],
) -> Solution:
    """Phases in one solution; ``balances`` (J) are what the audit counts where they begin."""
    last, end = parts[-1], pieces[-1]
    found = [e for s in parts for e in s.events] + [e for p in pieces for e in p.events]
    final, message = last.final, last.message
    arrays = ("t", "q", "u", "z", "channels")
    t, q, u, z, w = (np.concatenate([getattr(s, name) for s in parts]) for name in arrays)
    if end.events and not end.failure:
        message = f"event {end.events[0].name!r} at t = {final.t:.9g} s"
    if end.change is not None:  # the run ends with a change: its last state is the one behind it
        final = replace(end.change.after, compiled=None)
        if len(t) and t[-1] == final.t:
            q[-1], u[-1] = final.q, final.u
    names = dict.fromkeys(name for s in parts for name in s.statistics)
    statistics = {name: _total(name, [s.statistics.get(name, 0) for s in parts]) for name in names}
    return last._replace(
        t=t, q=q, u=u, z=z, channels=w,
        audit=_audit([s.audit for s in parts], balances, sum(c.lost for c in changes)),
        momentum=_momentum([s.momentum for s in parts]),
        events=tuple(sorted(found, key=lambda e: e.t)),
        success=last.success and not end.failure,
        message=end.failure or message,
        statistics=statistics,
        final=final,
        row_sets=row_sets,
        passed=next((s.passed for s in parts if s.passed), ""),
    )  # fmt: skip


def _total(name: str, values: Sequence[int | float | str]) -> int | float | str:
    """Counts and times are added; of measures the largest is told, of words the last."""
    words = [value for value in values if isinstance(value, str)]
    if words:
        return words[-1]
    numbers = [value for value in values if not isinstance(value, str)]
    counted = all(isinstance(value, int) for value in numbers) or name == "cpu_seconds"
    return sum(numbers) if counted else max(numbers)


def _audit(records: Sequence[AuditRecord], balances: Sequence[float], lost: float) -> AuditRecord:
    """Extremes of all phases; errors add up from phase to phase."""
    start = balances[0]
    errors = [r.max_error + abs(b - start) for r, b in zip(records, balances, strict=True)]
    return AuditRecord(
        max_error=float(np.max(errors)),  # not a number if one is none
        max_elastic=max(r.max_elastic for r in records),
        kinetic_min=min(r.kinetic_min for r in records),
        kinetic_max=max(r.kinetic_max for r in records),
        max_energy=max(r.max_energy for r in records),
        initial_energy=start,
        exchanged=sum(r.exchanged for r in records) + abs(lost),
        max_strain=max(r.max_strain for r in records),
    )


def _momentum(records: Sequence[tuple[MomentumRecord, ...]]) -> tuple[MomentumRecord, ...]:
    """Conserved momenta over all phases, compared with their values at the start of the run."""
    return tuple(
        replace(
            each[0],
            max_error=max(r.max_error + abs(r.initial - each[0].initial) for r in each),
            scale=max(r.scale for r in each),
        )
        for each in zip(*records, strict=True)
    )
