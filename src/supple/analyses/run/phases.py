"""Runs whose model changes at events: one phase after the other, joined into one solution.

Coordinates are the same in all phases (``engine/reading/phases.py``), so a phase is a run of its
own with other constraint rows, from the state behind the change before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.constraints.topology_changes import Lock, Release, Unlock
from supple.core.base import layout as at
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.reading.phases import Held, Phase, held_here, in_phase, joint_impulses
from supple.events import Event
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import SimulationError, describe, label
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import Problem, Solution
from supple.loops.closing import Impact, impact
from supple.loops.ranks import analyse
from supple.results.data.audit import AuditRecord, MomentumRecord
from supple.results.data.run_data import ChangeRecord, EventRecord
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

SAME = 10.0  # tolerances within which a state that passes a value is the same as before


@dataclass
class Piece:
    """One phase of a run, and the change at its end."""

    compiled: Compiled
    solution: Solution | None  # None where no time passes between two changes
    events: tuple[EventRecord, ...] = ()  # beside those that the solution found
    change: ChangeRecord | None = None
    impact: Impact | None = None
    after: Compiled | None = None
    failure: str = ""  # why the change at its end cannot be made
    problem: Problem | None = None  # what was integrated, where time passes
    fired: tuple[Event, ...] = ()  # events that made the change


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
        touches=tuple(one for s in parts for one in s.touches),
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


class _ContradictionError(Exception):
    """A change that cannot be made."""


class _Step(NamedTuple):
    """A model behind a change, the state there, and what the change did."""

    compiled: Compiled
    state: State
    done: Impact
    record: ChangeRecord


def phase_model(compiled: Compiled, phase: Phase, newly: Iterable[Held], q: Array) -> Compiled:
    """The model in a phase, with independent rows; ``newly`` held coordinates stay as they are."""
    assert compiled.whole is not None
    part = in_phase(held_here(compiled.whole, newly, q), phase)
    if not part.nr:
        return part
    ranks = analyse(part, q)
    kept = part.with_rows(ranks.kept)
    value, places = ranks.regular_value, ranks.places[1:]
    return replace(kept, regular_value=value, regular_positions=places)


def phase_of(start: object) -> Phase | None:
    """The phase of the state that a run starts from; None where nothing has changed."""
    state = start.state() if isinstance(start, Result) else start
    phase = state.compiled.phase if isinstance(state, State) and state.compiled else None
    return phase if phase is not None and (phase.locked or phase.released) else None


def phases_of(compiled: Compiled, changes: Sequence[ChangeRecord]) -> tuple[Compiled, ...]:
    """The model from the start of a run and from each change on; empty without changes."""
    if not changes:
        return () if compiled.whole is None else (compiled,)
    return compiled, *(c.after.compiled for c in changes if c.after.compiled is not None)


def starting_phase(compiled: Compiled, phase: Phase, q: Array) -> Compiled:
    """The model in the phase of a state from which a run starts."""
    assert compiled.whole is not None
    holds = compiled.whole.holds
    held = [(name, k) for name in holds for k in range(len(holds[name])) if phase.holds(name, k)]
    return phase_model(compiled, phase, held, q)


def in_phases(problem: Problem) -> bool:
    """True if events of a run divide it: they change the model, or their instants are given."""
    return any(event.then or event.at is not None for event in problem.events)


def integrated(
    model: Model, problem: Problem, integrator: Integrator
) -> tuple[Solution, tuple[ChangeRecord, ...]]:
    """The solution of a problem, and what its events changed of the model."""
    if in_phases(problem):
        return joined(problem, pieces_of(model, problem, integrator))
    return integrator.run(problem), ()


def pieces_of(model: Model, problem: Problem, integrator: Integrator) -> list[Piece]:
    """The phases of such a run, one after the other."""
    compiled = problem.equations.compiled
    state = State(problem.t_start, problem.q, problem.u, problem.z)
    timed = _timed(problem)
    pieces: list[Piece] = []
    left = integrator.max_steps
    last: list[Event] = []  # that ended the phase before
    while True:
        before = state
        due = timed[0].at if timed else None
        end = problem.t_end if due is None else due
        passed = 0.0 < end - state.t  # else another change at the same instant
        solution, part = None, None
        if passed:
            part = _part(problem, compiled, state, end)
            solution = replace(integrator, max_steps=max(left, 1)).run(part)
            left -= int(solution.statistics["steps"])
            state = solution.final
        fired = [] if solution is None else _fired(problem.events, solution)
        again = _again(problem, compiled, before, state, [e for e in fired if e in last])
        if solution is not None and again:
            solution = _without(solution, again)
            fired = [event for event in fired if event not in again]
        last = fired + again
        on_time = [] if fired or state.t < end else [e for e in timed if e.at == due]
        piece = Piece(compiled, solution, tuple(EventRecord(e.name, state.t) for e in on_time))
        piece.problem = part
        pieces.append(piece)
        timed = [e for e in timed if e not in on_time]
        over = solution is not None and not solution.success
        if over or not (fired or on_time or again):
            break
        fired += on_time
        if not any(event.then for event in fired):
            if any(event.terminal for event in fired):
                break
            continue
        together = _together(problem, compiled, state, fired)
        fired += together
        piece.events += tuple(EventRecord(e.name, state.t) for e in together)
        try:
            step = _change(model, compiled, state, fired)
        except _ContradictionError as reason:
            if not any(p.solution for p in pieces):
                raise SimulationError(f"simulate: at the start {reason}") from None
            piece.failure = f"stopped at t = {state.t:.9g} s: {reason}"
            break
        piece.fired = tuple(fired)
        compiled, state = step.compiled, step.state
        piece.change, piece.impact, piece.after = step.record, step.done, compiled
        if any(event.terminal for event in fired) or state.t >= problem.t_end:
            break
    return pieces


def _again(
    problem: Problem, compiled: Compiled, before: State, state: State, events: Sequence[Event]
) -> list[Event]:
    """Events that a phase found at its very start, where they ended the phase before it.

    A start is moved onto the constraints, as far as the tolerance allows a state to be off them:
    what has just passed its value may have to pass it again.
    """
    if not events:
        return []
    moved = Equations(compiled).increment(before.q, state.q) / compiled.scale
    far = float(np.max(np.abs(moved), initial=0.0))
    return list(events) if far <= SAME * (problem.rtol + problem.atol) else []


def _without(solution: Solution, events: Sequence[Event]) -> Solution:
    """A solution whose last events are not counted."""
    names, end = {event.name for event in events}, solution.final.t
    kept = tuple(e for e in solution.events if e.t < end or e.name not in names)
    return solution._replace(events=kept)


def _timed(problem: Problem) -> list[Event]:
    """Events of the run whose instants are given, in order; none ends a run where it starts."""
    timed = [(e.at, k, e) for k, e in enumerate(problem.events) if e.at is not None]
    inside = [e for e in sorted(timed) if problem.t_start <= e[0] <= problem.t_end]
    return [e for t, _, e in inside if t > problem.t_start or not e.terminal]


def _part(problem: Problem, compiled: Compiled, state: State, end: float) -> Problem:
    """The problem of one phase; what is held passes no value."""
    last = end >= problem.t_end
    grid = problem.grid[(problem.grid >= state.t) & ((problem.grid < end) | last)]
    if not last:  # where work is read off
        grid = np.append(grid, end)
    events = tuple(e for e in problem.events if e.at is None and not _still(compiled, e))
    return problem._replace(
        equations=Equations(compiled),
        t_start=state.t,
        t_end=end,
        grid=np.ascontiguousarray(grid),
        q=state.q,
        u=state.u,
        z=state.z,
        events=events,
    )


def _still(compiled: Compiled, event: Event, phase: Phase | None = None) -> bool:
    """True if an event watches a coordinate that is held."""
    phase = compiled.phase if phase is None else phase
    if event.joint is None or phase is None:
        return False
    names = compiled.joints[event.joint].coordinate_names
    k = event.coordinate
    return phase.holds(event.joint, names.index(k) if isinstance(k, str) else int(k))


def _fired(events: Sequence[Event], solution: Solution) -> list[Event]:
    """Events at which a phase ended."""
    here = {e.name for e in solution.events if e.t == solution.final.t}
    return [event for event in events if event.name in here and event.stops]


def _together(
    problem: Problem, compiled: Compiled, state: State, fired: Sequence[Event]
) -> list[Event]:
    """Further events at the same instant, within the tolerance of the run, of joints they lock.

    An impact would turn them away, though nothing says which of them was first.
    """
    together = []
    for event in problem.events:
        if event in fired or event.joint is None or event.quantity != "coordinate":
            continue
        own = [c for c in event.then if isinstance(c, Lock) and c.name == event.joint]
        if not own or _still(compiled, event):
            continue
        k = compiled.joints[event.joint].coordinate_names
        place = k.index(event.coordinate) if isinstance(event.coordinate, str) else event.coordinate
        q, u = compiled.coordinate(event.joint, int(place))
        gap, rate = state.q[q] - event.value, state.u[u]
        near = abs(gap) <= problem.atol * compiled.scale[u]
        if near and gap * rate <= 0.0 and rate * event.direction >= 0.0:
            together.append(event)
    return together


def _after(model: Model, phase: Phase, events: Sequence[Event]) -> Phase:
    """The phase behind events; what lets go does so before anything locks."""
    changes = [change for event in events for change in event.then]
    locked, released = set(phase.locked), set(phase.released)
    for change in changes:
        if isinstance(change, Release):
            released.add(change.name)
            for item in model.constraints.values():
                if change.name in {name for name, _ in item.targets}:
                    released.add(item.name)
        if isinstance(change, (Release, Unlock)):
            locked = {(name, k) for name, k in locked if name != change.name}
    for change in changes:
        if isinstance(change, Lock):
            joint = model.joints[change.name]
            if change.name in released:
                raise _ContradictionError(
                    f"{change} is to lock {describe(joint)}, which has let go"
                )
            if not joint.chart.axes:
                places = [0]
            elif change.coordinate is None:
                places = list(range(joint.nu))
            else:
                places = [joint.coordinate_index(change.coordinate, str(change))]
            locked |= {(change.name, k) for k in places}
    return Phase(frozenset(locked), frozenset(released))


def _change(model: Model, compiled: Compiled, state: State, events: Sequence[Event]) -> _Step:
    """Change the model at events; velocities jump."""
    old = compiled.phase or Phase()
    new = _after(model, old, events)
    holds = compiled.holds
    every = [(name, k) for name in holds for k in range(len(holds[name]))]
    newly = [held for held in every if new.holds(*held) and not old.holds(*held)]
    for driver in model.drivers.values():
        for name, coordinate in driver.targets:
            held = name, model.joints[name].coordinate_index(coordinate, label(driver))
            if held in new.locked and driver.name not in new.released:
                raise _ContradictionError(
                    f"{label(driver)} moves a coordinate of {name!r} that locks"
                )
    model_after = phase_model(compiled, new, newly, state.q)
    done = impact(model_after, state.t, state.q, state.u)
    if done.contradiction:
        words = ", ".join(str(change) for event in events for change in event.then)
        raise _ContradictionError(f"{done.contradiction} cannot be followed after {words}")
    after = State(state.t, state.q.copy(), done.u, state.z.copy())
    record = ChangeRecord(
        t=state.t,
        events=tuple(event.name for event in events),
        changes=tuple(str(change) for event in events for change in event.then),
        impulses=_impulses(model_after, new, done.impulses),
        wrenches=joint_impulses(model_after, state.q, done.u - state.u, done.impulses),
        lost=done.lost,
        before=replace(state, compiled=compiled),
        after=replace(after, compiled=model_after),
    )
    return _Step(model_after, after, done, record)


def _impulses(compiled: Compiled, phase: Phase, impulses: Array) -> dict[str, Array]:
    """Impulses of locked joints along their coordinates; of a whole pose [angular; linear]."""
    table = at.integers(compiled.ints, "link")
    by_joint: dict[str, Array] = {}
    for name in dict.fromkeys(name for name, _ in sorted(phase.locked)):
        own = [table[number, at.LINK_ROW :] for number in compiled.holds[name]]
        value = [float(impulses[row]) if row >= 0 else 0.0 for rows in own for row in rows]
        if len(own) == 1 and not compiled.joints[name].chart.axes:
            turns = compiled.joints[name].u
            value = value[3:] + (value[:3] if turns.stop - turns.start == 6 else [])
        else:
            value = value[::6]
        by_joint[name] = np.array(value)
    return by_joint
