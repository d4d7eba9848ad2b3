"""Checkpoints of a run: when they are due, and what a run that goes on has of them already.

A run is made of parts, one for each phase of its model. Parts that are over are kept as solutions;
the one under way is kept where its loop pauses. A run that goes on is made as from its start: parts
that were over are answered by their solutions, and the next one begins where it was.

A checkpoint changes nothing in a run whose method has all its memory in the run's buffers. The
memory of a multistep method is in a library: it begins anew at every checkpoint, in the run that
goes on and in the one that was never stopped.

Parts are kept as plain data, which are numbers, texts, arrays, and lists and mappings of these.
Where a loop pauses, all that a run is made of lies in a few buffers and counts, so a run that gets
them back goes on with the same numbers, to the last bit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.run import step as st
from supple.engine.base.compiled import Compiled, RowSets
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError
from supple.foundation.input_files import contained
from supple.integrators.run.driver import Solution
from supple.integrators.run.output_rows import rows_of
from supple.loops.singular import Watch
from supple.results.data.audit import AuditRecord, MomentumRecord
from supple.results.data.run_data import EventRecord, TouchRecord
from supple.state import State

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun, Problem

Data = dict[str, Any]

OF_RUN = (
    *("steps_before", "look", "until", "looked", "cpu"),
    *("span_steps", "span_refused", "began"),
)
OF_PASSAGE = (
    *("sentence", "stop", "next_look", "beaten", "checked", "level", "backs", "until", "look"),
    *("each", "reference", "kept_steps"),
)
MOST = 2**62  # of counts
SAME = 1e-9  # relative difference of accelerations of one function
ARRAYS = ("t", "q", "u", "z", "channels")
EXPECTED = "a checkpoint of simulate(..., checkpoint=path)"
# What is kept: solutions of parts, and a part at a pause or None
Save = Callable[[list[Data], Data | None], None]


def snapshot(run: LoopRun) -> Data:
    """A run where its loop pauses; what was found of events is in ``run.events``."""
    p, n = run.passage, int(run.count[st.GRID])
    data: Data = {name: getattr(run, name) for name in OF_RUN}
    data |= {
        "buffers": [*_buffers(run), run.problem.equations.work],
        "stops": run.stops,
        "rows": run.out[:n] if run.problem.output_file is None else None,
        "row_sum": _row_sum(run),
        "events": [[e.name, e.t] for e in run.events],
        "touches": [_of_touch(one) for one in run.touches],
        "row_sets": _of_row_sets(run.row_sets),
        "growth": None if run.growth is None else run.growth.until,
    }
    if run.sampler is not None:
        data["sampled"] = run.sampler.data()
    if run.compiled.callbacks:
        data["accelerations"] = _accelerations(run)
    if p.possible:
        kept: Data = {name: getattr(p, name) for name in OF_PASSAGE}
        data["passage"] = kept | {"kept": [*p.kept, p.equations.work]}
    return data


def restore(run: LoopRun, data: Data) -> None:
    """Put a run at its start where another was when the data were taken."""
    run.row_sets = _row_sets(data["row_sets"], run.compiled)
    run.compiled = run.row_sets.models[-1]
    run.watch = None if run.compiled.all_ints is None else Watch(run.compiled)
    start = run.count.copy()
    _fill([*_buffers(run), run.problem.equations.work], data["buffers"])
    if isinstance(run.options.parameters, tuple):  # lengths of buffers depend on them
        run.own[: len(run.options.parameters)] = run.options.parameters
    run.stops = np.array(data["stops"])
    run.stops.flags.writeable = False
    if run.stops.ndim != 1 or run.stops.dtype != run.state.dtype or len(run.stops) % 2:
        raise _another_model()
    _check_counts(run, run.count, start, waiting=0)
    n = int(run.count[st.GRID])
    if run.problem.output_file is None:
        _fill([run.out[:n]], [data["rows"]])
    elif data["row_sum"] != _row_sum(run):
        raise ModelError.plain(
            "resume: the file of the states is damaged: they are not those of their check sum, "
            "expected the file that the checkpoint was written with"
        )
    run.rows.settled = n
    run.events = [EventRecord(_alike(name, ""), _alike(t, 0.0)) for name, t in data["events"]]
    run.touches = [_touch(row) for row in data["touches"]]
    for name in OF_RUN:
        setattr(run, name, _alike(data[name], getattr(run, name)))
    if run.growth is not None:
        run.growth.until = _alike(data["growth"], 0)
    run.passage.take_rows()
    if run.passage.possible:
        passage, kept = run.passage, data["passage"]
        for name in OF_PASSAGE:
            setattr(passage, name, _alike(kept[name], getattr(passage, name)))
        _fill([*passage.kept, passage.equations.work], kept["kept"])
        _check_counts(run, passage.kept[2], start, waiting=len(run.fields.found_event))
        if any(passage.kept[2][k] > run.count[k] for k in (st.GRID, st.STOP)):
            raise _another_model()
    run.goes_on = True
    if run.sampler is not None:
        run.sampler.restore(data["sampled"], run.compiled)
    if run.compiled.callbacks:
        before, now = np.asarray(data["accelerations"]), _accelerations(run)
        size = np.max(np.abs(before), initial=0.0)
        if not np.allclose(before, now, rtol=0.0, atol=SAME * size, equal_nan=True):
            names = ", ".join(callback.owner for callback in run.compiled.callbacks)
            raise ModelError.plain(
                f"resume: with the functions of {names} accelerations are others than those of the "
                "checkpoint, expected the functions that it was written with"
            )


def _row_sum(run: LoopRun) -> int | None:
    """The check sum of rows that are in a file."""
    file = run.problem.output_file
    return None if file is None else file.sum(int(run.count[st.GRID]))


def _accelerations(run: LoopRun) -> np.ndarray:
    """Accelerations (nu,) at a pause, by which functions in Python are known again."""
    f = run.fields
    return Equations(run.compiled).accelerate(float(run.state[st.T]), f.q, f.u, f.z)


def _buffers(run: LoopRun) -> list[np.ndarray]:
    return [run.run_buffer, run.state, run.count]


def _fill(targets: list[np.ndarray], sources: list[Any]) -> None:
    """Copy arrays into buffers, which must be of their kind."""
    for target, source in zip(targets, sources, strict=True):
        source = np.asarray(source)
        if source.shape != target.shape or source.dtype != target.dtype:
            raise _another_model()
        target[:] = source


def _check_counts(run: LoopRun, count: np.ndarray, start: np.ndarray, waiting: int) -> None:
    """Kernels trust the places that they count: none may be outside of its buffer.

    ``start`` are the integers of a run at its start, ``waiting`` the most events that may wait.
    """
    p, c = run.problem, run.compiled
    most = {
        st.GRID: len(p.grid),
        st.STOP: len(run.stops) // 2 - 1,
        st.EVENTS_FOUND: waiting,
        st.TOUCHES_FOUND: 0,  # they are handed over at each pause
        st.TERMINAL: max(len(p.events) - 1, 0),
        st.BAD_DOF: c.nu + c.nr,
    }
    inside = all(0 <= count[k] <= top for k, top in most.items())
    sizes = c.sizes | {"events": len(p.events), "screws": len(p.symmetries)}
    now, then = (st.RUN_RECORD.read(sizes, run.run_buffer, x) for x in (count, start))
    events = now.found_event[: count[st.EVENTS_FOUND]] if inside else start
    inside = inside and bool(np.all((events >= 0) & (events < max(len(p.events), 1))))
    tables = ((getattr(x, name) for x in (now, then)) for name in ("events", "roots", "vector"))
    same = all(np.array_equal(*pair) for pair in tables)
    same = same and all(count[k] == start[k] for k in (st.N_EVENTS, st.N_SCREWS))
    own, made = (x[len(x) - run.own_integers :] for x in (count, np.array(start)))
    length = len(run.options.integers)
    changed = set(np.flatnonzero(own[:length] != made[:length]).tolist())
    same = same and changed <= set(run.options.counted)
    settled = run.options.places is None or run.options.places(c).settle(own)
    if not (inside and same and settled):
        raise _another_model()


def _alike(value: Any, known: Any) -> Any:
    """A number or text of the kind of another one."""
    kind = (int, float) if isinstance(known, float) else type(known)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, kind) or (whole and abs(value) > MOST):
        raise _another_model()
    return value


def _another_model() -> ModelError:
    return ModelError.plain("a checkpoint of another model or of another run, expected this one")


def _of_row_sets(row_sets: RowSets) -> Data:
    used = [np.flatnonzero(~c.left_out) for c in row_sets.models]
    return {"begins": list(row_sets.begins), "used": used}


def _row_sets(data: Data, first: Compiled) -> RowSets:
    """Sets of rows of a model that begins with the rows it has."""
    begins, used = data["begins"], [np.asarray(rows) for rows in data["used"]]
    whole = first.complete
    sound = len(begins) == len(used) > 0
    sound = sound and np.array_equal(used[0], np.flatnonzero(~first.left_out))
    for rows in used if sound else ():
        sound = sound and len(rows) == first.nr and rows.dtype.kind == "i"
        sound = sound and bool(np.all((rows >= 0) & (rows < whole.nr)))
    if not sound:
        raise _another_model()
    others = [whole.with_rows([int(k) for k in rows]) for rows in used[1:]]
    return RowSets(tuple(_alike(t, 0.0) for t in begins), (first, *others))


def _of_touch(touch: TouchRecord) -> list[Any]:
    """A touch as data: its element and its numbers."""
    one = astuple(touch)
    return [*one[:4], *one[4], *one[5:]]


def _touch(row: list[Any]) -> TouchRecord:
    """The touch that data stand for."""
    if len(row) != len(fields(TouchRecord)) + 2:
        raise _another_model()
    name = _alike(row[0], "")
    begin, end, push, x, y, z, *rest = (_alike(number, 0.0) for number in row[1:])
    return TouchRecord(name, begin, end, push, (x, y, z), *rest)


def of_solution(solution: Solution, rows: bool = True) -> Data:
    """A solution as data; without its rows where a file has them."""
    s = solution
    return {
        "rows": [getattr(s, name) for name in ARRAYS] if rows else None,
        "audit": list(s.audit),
        "momentum": [[m.name, m.initial, m.max_error, m.unit, m.scale] for m in s.momentum],
        "events": [[e.name, e.t] for e in s.events],
        "touches": [_of_touch(one) for one in s.touches],
        "success": s.success,
        "message": s.message,
        "statistics": s.statistics,
        "final": [s.final.t, s.final.q, s.final.u, s.final.z],
        "row_sets": _of_row_sets(s.row_sets),
        "passed": s.passed,
    }


def solution_of(data: Data, compiled: Compiled, rows: list[Any] | None = None) -> Solution:
    """The solution that data stand for; ``compiled`` is the model that its run began with."""
    t, q, u, z, channels = data["rows"] if rows is None else rows
    widths = [compiled.nq, compiled.nu, compiled.nz, len(compiled.force_names)]
    final = State(_alike(data["final"][0], 0.0), *data["final"][1:])
    arrays, shapes = [t, q, u, z, channels], [(len(t),), *((len(t), n) for n in widths)]
    arrays += [final.q, final.u, final.z]
    shapes += [(n,) for n in widths[:3]]
    if [(x.shape, x.dtype) for x in arrays] != [(shape, np.dtype(float)) for shape in shapes]:
        raise _another_model()
    return Solution(
        t=t,
        q=q,
        u=u,
        z=z,
        channels=channels,
        audit=AuditRecord(*data["audit"]),
        momentum=tuple(MomentumRecord(*m) for m in data["momentum"]),
        events=tuple(EventRecord(name, time) for name, time in data["events"]),
        touches=tuple(_touch(row) for row in data["touches"]),
        success=data["success"],
        message=data["message"],
        statistics=data["statistics"],
        final=final,
        row_sets=_row_sets(data["row_sets"], compiled),
        passed=data["passed"],
    )


class Checkpoints:
    """Keeps a run at intervals.

    Parameters
    ----------
    save : writes what it is given
    every : s of the clock between checkpoints; infinite for none
    interval : s of simulated time between them; 0 for none
    finished, pending : of an earlier checkpoint that the run goes on from
    """

    def __init__(
        self,
        save: Save,
        every: float,
        interval: float,
        finished: list[Data] | None = None,
        pending: Data | None = None,
    ) -> None:
        self.save, self.every, self.interval = save, every, interval
        self.finished, self.pending = list(finished or ()), pending
        self._part = 0
        self._clock, self._next = time.monotonic(), -math.inf

    def run(self, begin: Callable[[Problem], LoopRun], problem: Problem) -> Solution:
        """The solution of the next part of the run, of which some may be known."""
        number, self._part = self._part, self._part + 1
        stored = problem.output_file is None
        if number < len(self.finished):
            rows = None if stored else rows_of(problem)
            with contained("checkpoint", EXPECTED):
                if problem.sampler is not None:
                    sampled = self.finished[number]["sampled"]
                    problem.sampler.restore(sampled, problem.equations.compiled)
                return solution_of(self.finished[number], problem.equations.compiled, rows)
        part = begin(problem)
        if self.pending is not None:
            with contained("checkpoint", EXPECTED):
                restore(part, self.pending)
            self.pending = None
        self._schedule(part)
        solution = part.run()
        if not problem.ctrl_c.requested() or solution.success:
            part_data = of_solution(solution, rows=stored)
            if problem.sampler is not None:
                part_data["sampled"] = problem.sampler.data()
            self.finished.append(part_data)
            self.save(self.finished, None)
        return solution

    def is_passed(self, run: LoopRun) -> bool:
        """True if the run has come to the simulated time of the next checkpoint."""
        return bool(run.state[st.T] >= self._next)

    def look(self, run: LoopRun, at_once: bool = False) -> None:
        """Save a run at a pause if that is due, or at once."""
        late = time.monotonic() - self._clock >= self.every
        if not (late or at_once or self.is_passed(run)):
            return
        if run.options.forgets:
            run.begin_anew()
        if run.problem.output_file is not None:
            run.problem.output_file.sync()
        self.save(self.finished, snapshot(run))
        self._schedule(run)

    def _schedule(self, run: LoopRun) -> None:
        self._clock, self._next = time.monotonic(), math.inf
        if self.interval > 0.0:
            begin = run.problem.t_start
            passed = math.floor((float(run.state[st.T]) - begin) / self.interval)
            self._next = begin + (passed + 1) * self.interval
            if self._next <= run.state[st.T]:  # by rounding
                self._next += self.interval
