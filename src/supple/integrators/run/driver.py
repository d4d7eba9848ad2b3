"""Runs a step loop from Python: buffers, stops, events, progress and what went wrong.

A loop, compiled or not, is called with these buffers and a number of steps. It returns here every
few hundredths of a second, so that Ctrl-C and progress work.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.base.layout import KIND, integers, read_model
from supple.core.contact.contact import ALLOWED
from supple.core.contact.lines import LINE_CONTACT
from supple.core.contact.record import CONTACT, TYRE
from supple.core.contact.sets import CONTACT_SET
from supple.core.run import step as st
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.reading.symmetry import Symmetry
from supple.events import Event
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label
from supple.foundation.progress import told
from supple.integrators.passage.passage import Passage
from supple.integrators.run.interruption import Interruption
from supple.integrators.run.line_ends import LineEnd
from supple.integrators.run.newton_places import Places
from supple.integrators.run.outcomes import (
    ENDLESS,
    INTERRUPTED,
    UNBOUNDED,
    Growth,
    audit_record,
    message,
)
from supple.integrators.run.output_rows import Rows
from supple.integrators.run.place_vectors import place_vectors
from supple.integrators.run.progress import Pace
from supple.integrators.run.sampling import Sampler, pass_by
from supple.integrators.run.thread_lock import FIRST_BUDGET, in_turn, turns_of_batch
from supple.loops.singular import Watch
from supple.results.data.audit import AuditRecord, MomentumRecord
from supple.results.data.run_data import (
    EventRecord,
    TouchRecord,
    depth_of,
    jump_of,
    passages_of,
    share_of,
)
from supple.results.files.state_file import OutputFile
from supple.signals.formulas import pulse_times
from supple.state import State

if TYPE_CHECKING:
    from supple.integrators.run.checkpoints import Checkpoints

# What a letter before the axis asks of a frame
LAST_OF_TOUCH = [*range(st.TOUCH_DEPTH, st.TOUCH)]
FRAME_EVENTS = {"": st.ON_PLACE, "v": st.ON_VELOCITY, "w": st.ON_SPIN}
PAUSE = 0.03  # s between returns of a loop to Python
# Between checks of the rows in use: motion (rad, or lengths of the model), and number of steps.
FAR, LONGEST = 0.1, 1000
COUNTS = (
    *("steps", "rejected", "newton_failures"),
    *("evaluations", "jacobians", "factorizations", "newton_iterations"),
)
Progress = Callable[[float], None]
# (ints, reals, work, run, state, count, stops, grid, out, steps) -> outcome; see ``radau_run``
Loop = Callable[..., int]


def event_tables(c: Compiled, events: Sequence[Event]) -> tuple[np.ndarray, Array]:
    """Integers and reals of events, a row for each, as ``core/run/events.py`` reads them."""
    ints = np.zeros((len(events), st.EVENT_INTS), dtype=np.int64)
    reals = np.zeros((len(events), st.EVENT_REALS))
    for row, x, event in zip(ints, reals, events, strict=True):
        x[st.EVENT_VALUE] = event.value
        row[st.EVENT_TERMINAL], row[st.EVENT_DIRECTION] = event.stops, event.direction
        what = [st.EVENT_KIND, st.EVENT_INDEX]
        if isinstance(event, LineEnd):
            q, u = event.place(c)
            row[what], row[st.EVENT_AXIS] = (st.ON_COORDINATE, q), u
        elif event.joint is not None:
            record = c.joints[event.joint]
            k = event.coordinate
            k = record.coordinate_names.index(k) if isinstance(k, str) else int(k)
            q, u = c.coordinate(event.joint, k)
            of_q = event.quantity == "coordinate"
            row[what] = (st.ON_COORDINATE, q) if of_q else (st.ON_RATE, u)
            row[st.EVENT_AXIS] = u
        elif event.contact is not None:
            pushes = [k for k in c.channels(event.contact) if c.force_names[k].endswith(".push")]
            row[what], row[st.EVENT_AXIS] = (st.ON_GAP, pushes[0]), pushes[-1]
        else:
            frame = event.frames["of"]
            node, pose = c.place(frame)
            kind = FRAME_EVENTS[event.quantity[:-1]]
            vectors = c.gradient.get(frame.body.name)
            if kind == st.ON_SPIN and vectors is not None and not vectors.turns(frame):
                expected = f"a place or velocity, because nothing turns with {vectors.label}"
                raise ModelError(label(event), "quantity", event.quantity, expected)
            row[what], row[st.EVENT_AXIS] = (kind, node), "xyz".index(event.quantity[-1])
            x[st.EVENT_PLACE :] = pose.p
    return ints, reals


def least_motion(compiled: Compiled, q: Array, tolerance: float) -> float:
    """Motion below which weights of errors do not follow it (``step_size.py``), at most 0.1.

    The rounding of places is multiplied by how nearly rows depend on each other, with the square of
    the length of a chain: what is smaller than that is not found by Newton's iterations, which ask
    for a hundredth of the tolerance.
    """
    if not compiled.nr or not compiled.regular_value > 0.0:
        return 0.0
    far = float(np.max(np.abs(q), initial=0.0)) / compiled.length
    noise = float(np.finfo(float).eps) * far / compiled.regular_value
    return min(0.1, 10.0 * noise / tolerance)


class Problem(NamedTuple):
    """A problem to be integrated: equations, start, output times, events, tolerances."""

    equations: Equations
    t_start: float
    t_end: float
    grid: Array
    q: Array
    u: Array
    z: Array
    events: tuple[Event, ...]
    symmetries: tuple[Symmetry, ...]
    rtol: float
    atol: float
    progress: Progress | None = None
    ctrl_c: Interruption = Interruption()
    checkpoints: Checkpoints | None = None
    output_file: OutputFile | None = None  # where rows of output go, instead of to memory
    steps: list[float] | None = None  # times (s) at which steps end are added to it, if it is there
    sampler: Sampler | None = None
    explained: bool = True  # False: nobody reads why the run ended


class Solution(NamedTuple):
    """States at the output times that were reached, and how the run went."""

    t: Array
    q: Array
    u: Array
    z: Array
    channels: Array
    audit: AuditRecord
    momentum: tuple[MomentumRecord, ...]
    events: tuple[EventRecord, ...]
    success: bool
    message: str
    statistics: dict[str, int | float | str]
    final: State
    row_sets: RowSets  # constraint rows in use
    passed: str = ""  # the first singular position that was stepped over
    touches: tuple[TouchRecord, ...] = ()  # of contacts


def _no_more(own: Array) -> dict[str, float | str]:
    return {}


class LoopOptions(NamedTuple):
    """Options that every loop understands."""

    first_step: float
    max_step: float
    max_steps: int
    parameters: Sequence[float] | Array = ()  # of the method, at the beginning of its own reals
    # What the method tells besides, from its own reals
    statistics: Callable[[Array], dict[str, float | str]] = _no_more
    # Output that is not moved onto the constraints: (model, t, q, u) -> which of the rows
    keeps: Callable[[Compiled, Array, Array, Array], np.ndarray] | None = None
    integers: Sequence[int] | np.ndarray = ()  # of the method, at the beginning of its own integers
    counted: Sequence[int] = ()  # places among these that the loop changes
    fixed_step: bool = False
    passes: bool = False  # singular positions by itself
    stability_limit: float = 0.0  # step times fastest rate at which stability limits steps, if any
    places: Callable[[Compiled], Places] | None = None  # among its own integers
    forgets: bool = False  # whether the loop has memory outside of the buffers: see checkpoints


class LoopRun:
    """A problem in the buffers of a loop; ``own_size`` are the lengths of the method's own ones.

    ``run_buffer``, ``state``, ``count`` hold all that changes; ``fields`` are views of them.
    ``out`` (nt, q u z and work channels) are the rows of output as the loop writes them.
    """

    def __init__(
        self, problem: Problem, loop: Loop, own_size: tuple[int, int], options: LoopOptions
    ) -> None:
        self.problem, self.options = problem, options
        self.compiled = c = problem.equations.compiled
        self.sampler, self.unsampled, self.span_steps, self.span_refused = problem.sampler, "", 0, 0
        self.loop = in_turn(loop, bool(options.forgets or c.callbacks))
        self.row_sets = RowSets.of(c, problem.t_start)
        self.steps_before = 0  # those made with other rows
        # rows can be exchanged where some were left out
        self.watch = None if c.all_ints is None else Watch(c)
        self.growth = Growth(c) if c.flexible else None
        self.look = self.until = 1  # steps between looks at the rows, and until the next one
        self.looked = problem.t_start  # when they were last
        sizes = c.sizes | {"events": len(problem.events), "screws": len(problem.symmetries)}
        reals, integers = st.RUN_RECORD.lengths(sizes)
        self.run_buffer = np.zeros(reals + own_size[0])
        self.state = np.zeros(st.REAL_STATE)
        self.count = np.zeros(integers + own_size[1], dtype=np.int64)
        self.fields = st.RUN_RECORD.fields(sizes, self.run_buffer, self.count)
        self.run_reals = reals
        self.own, self.own_integers = self.run_buffer[reals:], own_size[1]
        self.count[integers : integers + len(options.integers)] = options.integers
        self._fill()
        width = c.nq + c.nu + c.nz + len(c.force_names)
        self.rows = Rows(self, width)
        self.out = self.rows.out
        self.events: list[EventRecord] = []
        self.touches: list[TouchRecord] = []
        self.passage = Passage(self)
        self.goes_on = False  # from a checkpoint
        self.cpu = 0.0  # s of the processor, before it

    def _fill(self) -> None:
        """Initial state, scales, events and conserved momenta."""
        c, p, r = self.compiled, self.problem, self.fields
        r.q[:], r.u[:], r.z[:], r.scale[:], r.rate_scale[:] = p.q, p.u, p.z, c.scale, c.rate_scale
        r.vector[:] = place_vectors(c)
        if c.force_dissipates:
            r.sign[:] = [-1.0 if dissipates else 1.0 for dissipates in c.force_dissipates]
        r.state[st.N_EVENTS], r.state[st.N_SCREWS] = len(p.events), len(p.symmetries)
        if p.events:
            r.events[:], r.event_reals[:] = event_tables(c, p.events)
        for k, symmetry in enumerate(p.symmetries):
            r.screws[k], r.roots[k] = symmetry.screw, symmetry.root
        self.own[: len(self.options.parameters)] = self.options.parameters
        self.state[[st.H, st.RTOL, st.ATOL]] = self.options.first_step, p.rtol, p.atol
        self.state[[st.REACH, st.SPEED]] = least_motion(c, p.q, p.rtol + p.atol)
        self.state[st.E_MAX] = -1.0  # no audit yet
        if self.sampler is not None:
            self.sampler.attach(c)
        self.pulses = {x for _, s in c.signals for x in pulse_times(s, p.t_start, p.t_end)}
        self.aim(p.t_start, p.t_end)

    def aim(self, begin: float, end: float) -> None:
        """Let the loop go on, land on kinks, and come back when a sampled controller acts."""
        self.goal = end
        if self.sampler is not None:
            end = self.sampler.next(begin, end)
            self.span_steps, self.span_refused = self.steps, int(self.count[st.REJECTED])
        breaks = self.pulses.union(self.problem.equations.breakpoints())
        apart = 1e-14 * max(abs(begin), abs(end))  # 0.3 and 0.1 + 0.2 are one instant
        times, left, now = [end], [end], begin
        for t in sorted(breaks, reverse=True) if breaks else ():
            if begin + apart < t < times[-1] - apart:
                times.append(t)
                left.append(t)
            elif begin + apart < t < times[-1]:
                left[-1] = t  # the jump's other side
            elif begin <= t <= begin + apart:
                now = max(now, t)
        # Times to land on, then for each the earliest time that is the same instant: stages before
        # a stop stay left of both, between them is a jump.
        self.stops = np.array([*times[::-1], *left[::-1]])
        self.stops.flags.writeable = False
        self.count[st.STOP] = 0
        self.state[st.T] = now
        self.state[st.H_MAX] = min(self.options.max_step, end - begin)
        self.state[st.H_MIN] = 1e-15 * max(end - begin, abs(end), abs(begin))
        self.apart, self.began = apart, begin

    def run(self) -> Solution:
        """Integrate to the end, a terminal event, a failure, or until the user stops it."""
        callbacks = self.compiled.callbacks
        for callback in callbacks:  # functions that take long are not called any more at last
            callback.stop = self.problem.ctrl_c.overdue
        try:
            with told(lambda: self.pace.text()):
                return self._run()
        finally:
            for callback in callbacks:
                callback.stop = None

    def _run(self) -> Solution:
        p, c = self.problem, self.compiled
        start = time.thread_time() - self.cpu
        if not self.goes_on:
            self._begin()
        turns, outcome = turns_of_batch(), st.PAUSED
        budget = FIRST_BUDGET if turns is None else turns.budget
        self.pace = Pace(self)
        while outcome == st.PAUSED and self.steps < self.options.max_steps:
            clock, before = time.perf_counter(), self.steps
            budget = min(budget, self.options.max_steps - before)
            outcome = self.advance(budget)
            c.raise_interrupt()
            self.events.extend(self._take_events())
            seconds = time.perf_counter() - clock
            if turns is not None:
                turns.learn(self.steps - before, seconds, PAUSE)
            budget = int(min(max(budget * PAUSE / max(seconds, 1e-6), 1), 4 * budget + 1))
            if p.progress is not None:
                p.progress(float(self.state[st.T]))
            if outcome == st.PAUSED and not self.pace.look():
                outcome = ENDLESS if self.pace.endless else int(st.TOO_SMALL)
            if p.ctrl_c.requested() and outcome not in (st.DONE, st.EVENT):
                outcome = INTERRUPTED
            self.cpu = time.thread_time() - start
            if outcome in (st.PAUSED, INTERRUPTED, ENDLESS):
                self.rows.settle()
                if p.checkpoints is not None:
                    p.checkpoints.look(self, at_once=outcome != st.PAUSED)
        return self._solution(outcome)

    def _begin(self) -> None:
        """The row of output at the start, and constraint rows that are good there."""
        p, c = self.problem, self.compiled
        if len(p.grid) and p.grid[0] == p.t_start:
            row, (nq, nu) = self.out[0], (c.nq, c.nu)  # no work is done yet
            row[:nq], row[nq : nq + nu], row[nq + nu : nq + nu + c.nz] = p.q, p.u, p.z
            self.count[st.GRID] = 1
        self.change_rows()

    @property
    def steps(self) -> int:
        """Accepted steps."""
        return self.steps_before + int(self.count[st.STEPS])

    @property
    def lasting(self) -> int:
        """Numbers at the beginning of the run's buffer that a new start needs.

        They are the state, and of the method its parameters and what it counts; neither stages nor
        matrices.
        """
        return self.run_reals + len(self.options.parameters) + max(self.compiled.nr, 3)

    def advance(self, budget: int) -> int:
        """Make steps; where rows were left out, check those in use at intervals."""
        p, left, outcome = self.problem, budget, int(st.PAUSED)
        if self.sampler is not None and self.sampler.is_due(float(self.state[st.T])):
            outcome = pass_by(self, begins=True)
        while left > 0 and outcome == st.PAUSED:
            c = self.compiled
            # counted over all calls: how far these reach depends on the machine's clock
            count = left if c.all_ints is None else min(left, self.until)
            count = count if self.growth is None else min(count, self.growth.until)
            count = min(count, self.passage.until) if self.passage.possible else count
            count = 1 if self._is_watched or p.steps is not None else count
            buffers = c.ints, c.reals, p.equations.work, self.run_buffer, self.state, self.count
            outcome = self.loop(*buffers, self.stops, p.grid, self.out, count)
            left -= count
            self.touches.extend(self._take_touches())
            if outcome == st.DONE and self.sampler is not None:
                outcome = pass_by(self)
            if p.steps is not None:
                p.steps.append(float(self.state[st.T]))
            self.until -= count
            self.passage.until -= count
            due = self.until <= 0 or outcome != st.PAUSED
            if outcome not in (st.DONE, st.EVENT) and due and self.change_rows():
                outcome = st.PAUSED
                self.passage.take_rows()
            elif self.passage.until <= 0 or outcome != st.PAUSED:
                outcome = self.passage.after(outcome)
            if self.growth is not None and self.growth.is_unbounded(count, self.fields.q):
                outcome = UNBOUNDED if outcome == st.PAUSED else outcome
            if self.count[st.EVENTS_FOUND] >= st.EVENTS_WAITING or self._is_due:
                break
        return outcome

    @property
    def _is_watched(self) -> bool:
        """True if checkpoints change the run: their places must not depend on the clock."""
        checkpoints = self.problem.checkpoints
        return self.options.forgets and checkpoints is not None and checkpoints.interval > 0.0

    @property
    def _is_due(self) -> bool:
        checkpoints = self.problem.checkpoints
        return checkpoints is not None and self._is_watched and checkpoints.is_passed(self)

    def change_rows(self) -> bool:
        """Take other constraint rows where those in use nearly depend on each other."""
        if self.watch is None:
            return False
        t, q = float(self.state[st.T]), self.fields.q
        quality, other = self.watch.choice(t, q)
        # Good rows stay good while nothing moves far: radians, or lengths of the model.
        rate = float(np.max(np.abs(self.fields.u) / self.compiled.scale, initial=0.0))
        moved = rate * (t - self.looked)
        far = FAR if quality > 0.3 else 0.2 * FAR
        longest = min(4 * self.look, LONGEST)
        self.look = int(np.clip(self.look * far / max(moved, 1e-3 * far), 1, longest))
        self.looked, self.until = t, self.look
        if other is None:
            return False
        self.row_sets = self.row_sets.then(t, other)
        self.take(other)
        return True

    def take(self, other: Compiled) -> None:
        """Go on with other constraint rows."""
        self.compiled = other
        self.watch = None if other.all_ints is None else Watch(other)
        # Matrices are written only where rows have entries: those of other rows must not stay.
        self.problem.equations.work[:] = 0.0
        self.run_buffer[self.lasting :] = 0.0
        self.begin_anew()  # multipliers belong to rows

    def begin_anew(self) -> None:
        """Let the loop begin with its state as at the start of a run."""
        self.steps_before = self.steps
        self.count[[st.STEPS, st.FRESH, st.AFTER_REJECT, st.FACTORED]] = 0
        self.state[[st.H, st.ERROR_OLD, st.H_SWITCH]] = 0.0

    def forget_events(self, t: float) -> None:
        """Drop events behind a time to which the run goes back."""
        self.events = [e for e in self.events if e.t <= t]
        self.touches = [one for one in self.touches if one.end <= t]
        self.rows.unsettle()

    def _take_events(self) -> list[EventRecord]:
        n = int(self.count[st.EVENTS_FOUND])
        if n == 0:
            return []
        self.count[st.EVENTS_FOUND] = 0
        happened = zip(self.fields.found_event[:n], self.fields.found_time[:n], strict=True)
        return [EventRecord(self.problem.events[k].name, float(t)) for k, t in happened]

    def _take_touches(self) -> list[TouchRecord]:
        """Touches that have ended."""
        n = int(self.count[st.TOUCHES_FOUND])
        self.count[st.TOUCHES_FOUND] = 0
        return [self._touch(row, int(row[-1]), row[-2]) for row in self.fields.found_touch[:n]]

    def _touch(self, row: Array, element: int, end: float) -> TouchRecord:
        name = re.sub(r"\.push$", "", self.compiled.force_names[element])
        x, y, z = row[st.TOUCH_RUB : st.TOUCH_RUB + 3].tolist()
        begin, push, *rest = row[[st.TOUCH_BEGIN, st.TOUCH_PUSH, *LAST_OF_TOUCH]].tolist()
        return TouchRecord(name, begin, float(end), push, (x, y, z), *rest)

    def _all_touches(self) -> tuple[TouchRecord, ...]:
        """Touches in their order, with those that last to the end of the run."""
        last, now = self.fields.touch, float(self.state[st.T])
        held = np.flatnonzero(last[:, st.TOUCH_IS] == 2.0).tolist() if len(last) else []
        found = [*self.touches, *(self._touch(last[e], e, now) for e in held)]
        return tuple(sorted(found, key=lambda one: one.begin))

    @property
    def momentum(self) -> tuple[MomentumRecord, ...]:
        """Conserved momenta, and how far they have changed so far."""
        if not self.problem.symmetries:
            return ()
        r = self.fields
        sizes = r.momentum, r.screw_error, r.screw_size
        return tuple(
            MomentumRecord(m.name, float(initial), float(error), m.unit, float(size))
            for m, initial, error, size in zip(self.problem.symmetries, *sizes, strict=True)
        )

    def _at_line_end(self, outcome: int) -> bool:
        """True if a run ends because something has slid to the end of its line."""
        at_end = self.problem.events[int(self.count[st.TERMINAL])] if outcome == st.EVENT else None
        return isinstance(at_end, LineEnd)

    def _message(self, outcome: int) -> str:
        """Why the run ended; Python functions are asked in any case: they may not be functions."""
        read = self.problem.explained or self.compiled.callbacks
        return message(self, outcome) if read else ""

    def _depths(self) -> dict[str, float]:
        """Largest overlap of each contact, m, by the words of `depth_of`."""
        c, found = self.compiled, dict[str, float]()
        every = (CONTACT, TYRE, CONTACT_SET, LINE_CONTACT)
        if not c.kinds.keys() & {("element", kind) for kind in every}:
            return found
        kinds = integers(c.ints, "element")[:, KIND]
        coef = read_model(c.ints, c.reals).coef
        for e in np.flatnonzero(np.isin(kinds, every)).tolist():
            name, part = re.sub(r"(\[\d+\])?\.push$", "", c.force_names[e]), ""
            deepest = float(self.fields.deepest[e])
            if kinds[e] == CONTACT_SET:
                part, over = name, float(self.fields.deepest[e + 1])
            elif (of_set := re.fullmatch(r"(.*)\[\d+,\d+\]", name)) is not None:
                part, allowed = of_set[1], float(coef[e, ALLOWED])
                over = deepest / allowed if allowed > 0.0 else 0.0
            word = depth_of(part or name)
            found[word] = max(found.get(word, 0.0), deepest)
            jump, through = float(self.fields.jump[e]), float(self.fields.through[e])
            if jump > coef[e, ALLOWED] > 0.0:
                found[jump_of(part or name)] = max(found.get(jump_of(part or name), 0.0), jump)
            if through > 0.0:
                found[passages_of(part or name)] = through
            if part:
                found[share_of(part)] = max(found.get(share_of(part), 0.0), over)
        return found

    def _solution(self, outcome: int) -> Solution:
        s, count, r = self.state, self.count, self.fields
        t, (q, u, z, channels) = self.rows.finish(outcome != st.DONE)
        statistics: dict[str, int | float | str] = dict(zip(COUNTS, map(int, count), strict=False))
        statistics["steps"] = self.steps
        statistics["equal_steps"] = self.steps if self.options.fixed_step else 0
        statistics["cpu_seconds"] = self.cpu
        statistics.update(self.options.statistics(self.own))
        statistics.update(self._depths())
        return Solution(
            t=t,
            q=q,
            u=u,
            z=z,
            channels=channels,
            audit=audit_record(s),
            momentum=self.momentum,
            events=tuple(sorted(self.events, key=lambda e: e.t)),
            touches=self._all_touches(),
            success=outcome in (st.DONE, st.EVENT) and not self._at_line_end(outcome),
            message=self._message(outcome),
            statistics=statistics,
            final=State(float(s[st.T]), *(x.copy() for x in (r.q, r.u, r.z))),
            row_sets=self.row_sets,
            passed=self.passage.sentence,
        )
