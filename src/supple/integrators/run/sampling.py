"""Sampled controllers during a run: when they measure, what they compute, when it acts.

A run pauses at every instant at which a controller samples or its efforts change, and begins anew
there. Efforts are pieces of signals in the numbers of the compiled model; a run that knows its end
has one piece for each change, so that its result can evaluate the efforts at all times. A model is
compiled with one constant piece for each held effort; the run replaces it by as many pieces as
there may be changes, behind all other data, and nothing else moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.base import layout as at
from supple.core.forces import signals as kernel
from supple.core.run import step as st
from supple.engine.base.compiled import Compiled
from supple.forces.controllers import ControlLaw, SampledController
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label
from supple.integrators.passage.passage import Passage
from supple.integrators.run.outcomes import UNSAMPLED
from supple.results.data.run_data import SampleRecord
from supple.signals.piecewise import OPEN_END

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

Rooms = Mapping[int, int]  # pieces by number of the signal
ULPS = 16.0  # distance of two instants that are one
MOST = 10_000_000  # samples of a run
Data = dict[str, Any]
# (run, texts) -> values of sensors at the present state of the run
Sensors = Callable[["LoopRun", tuple[str, ...]], Array]


def with_rooms(compiled: Compiled, rooms: Rooms) -> Compiled:
    """The model with so many pieces of some signals, and reals of its own that can be written."""
    reals: dict[int, Array] = {}  # one array for all that share it
    return _widened(compiled, rooms, reals)


def _widened(c: Compiled, rooms: Rooms, known: dict[int, Array]) -> Compiled:
    if id(c.reals) not in known:
        known[id(c.reals)] = _with_numbers(c, rooms)
    return replace(
        c,
        ints=_with_sizes(c.ints, rooms),
        all_ints=None if c.all_ints is None else _with_sizes(c.all_ints, rooms),
        reals=known[id(c.reals)],
        whole=None if c.whole is None else _widened(c.whole, rooms, known),
    )


def length(pieces: int) -> int:
    """Numbers of a signal: breaks, origins, and one coefficient for each piece."""
    return 3 * pieces + 1


def _with_sizes(whole: np.ndarray, rooms: Rooms) -> np.ndarray:
    ints = whole.copy()
    place = int(ints[at.SIZES["data"]])
    table, programs = at.integers(ints, "signal"), at.integers(ints, "program")
    for number, pieces in rooms.items():
        table[number, at.SIGNAL_AT] = place
        sizes = programs[table[number, at.SIGNAL_PROGRAM] :]
        sizes[kernel.PIECES], sizes[kernel.COEFFICIENTS] = pieces, 1
        place += length(pieces)
    ints[at.SIZES["data"]] = place
    ints.flags.writeable = False
    return ints


def _with_numbers(c: Compiled, rooms: Rooms) -> Array:
    """Reals with pieces of zeros behind the other data."""
    begin, shape = at.TREE_RECORD.places(c.sizes)["data"]
    end = begin + shape[0]
    added = [np.zeros(length(pieces)) for pieces in rooms.values()]
    for numbers, pieces in zip(added, rooms.values(), strict=True):
        numbers[0], numbers[1 : pieces + 1] = -OPEN_END, OPEN_END
    return np.concatenate([c.reals[:end], *added, c.reals[end:]])


def pieces_of(c: Compiled, number: int) -> tuple[Array, Array]:
    """Breaks (n + 1,) and values (n,) of a signal with rooms, views that can be written."""
    c.reals.flags.writeable = True
    model = at.read_model(c.ints, c.reals)
    x = model.data[model.signal[number, at.SIGNAL_AT] :]
    n = int(model.program[model.signal[number, at.SIGNAL_PROGRAM] + kernel.PIECES])
    return x[: n + 1], x[2 * n + 1 : 3 * n + 1]


class SamplingError(Exception):
    """A sentence about something that a controller cannot go on with."""


def near(t: float) -> float:
    """Distance (s) of two instants near t that are one."""
    return ULPS * float(np.spacing(max(abs(t), 1e-300)))


class Loop:
    """One controller in a run: its state, what it holds, and what is still on its way."""

    def __init__(
        self, controller: SampledController, signals: Sequence[int], measured: Sequence[Any]
    ) -> None:
        self.controller, self.signals, self.measured = controller, signals, measured
        self.keeps = True  # all that it measures and does
        self.count = 0  # number of the next sample
        self.state = np.array(controller.initial)
        self.held = np.zeros(len(signals))
        self.waiting: list[tuple[float, Array]] = []  # when efforts will act, ascending
        self.changes: list[tuple[float, Array]] = []  # when they began to act
        self.rows: list[tuple[float, Array, Array, Array]] = []  # t, measured, efforts, state

    def sample_time(self) -> float:
        """Instant of the next sample, s."""
        c = self.controller
        return c.offset + self.count * c.period

    def next_time(self) -> float:
        """The next instant at which something happens, s."""
        return min(self.sample_time(), self.waiting[0][0] if self.waiting else math.inf)

    def begin(self, t: float) -> None:
        """Leave out samples before the start of a run."""
        c = self.controller
        self.count = max(0, math.ceil((t - near(t) - c.offset) / c.period))
        while self.sample_time() < t - near(t):  # by rounding
            self.count += 1

    def changes_until(self, end: float) -> int:
        """Largest number of changes of the efforts until the end of a run."""
        c = self.controller
        last = (end + near(end) - c.offset - c.delay) / c.period
        return max(0, math.floor(last) + 2 - self.count)

    def sample(self, t: float, q: Array, u: Array, sensors: Array) -> None:
        """Measure, and compute efforts that will act."""
        c = self.controller
        x = [g * q[i] for i, _, g in self.measured] + [g * u[k] for _, k, g in self.measured]
        read = np.concatenate([np.array(x, dtype=float), sensors])
        read = np.clip(read, -c.measured_limit, c.measured_limit)
        read = _rounded(read, c.measured_step)
        wanted = np.array([s.derivatives(t)[:2] for s in c.target], dtype=float).reshape(-1, 2).T
        errors = read.copy()
        errors[: wanted.size] -= wanted.ravel()
        ahead = np.array([s(t) for s in c.feedforward])
        before = self.state
        effort, after = self._law(t, errors, before, ahead)
        if self.keeps:
            self.rows.append((t, read, effort, before))
        self.state, self.count = after, self.count + 1
        self.waiting.append((t + c.delay, effort))

    def _law(self, t: float, e: Array, z: Array, ahead: Array) -> tuple[Array, Array]:
        """Efforts as they act, and the next state."""
        c, law = self.controller, self.controller.law
        if isinstance(law, ControlLaw):
            raw, after = law.C @ z + law.D @ e + ahead, law.A @ z + law.B @ e
            cut = _rounded(np.clip(raw, -c.limit, c.limit), c.effort_step)
            return cut, after + law.back @ (cut - raw)
        try:
            answer = law(t, e.copy(), z.copy())
        except Exception as error:
            told = f"raised {type(error).__name__}: {error}"
            raise SamplingError(f"{label(c)}: its law {told} at t = {t:.9g} s") from error
        raw, after = self._answer(t, answer)
        return _rounded(np.clip(raw + ahead, -c.limit, c.limit), c.effort_step), after

    def _answer(self, t: float, answer: Any) -> tuple[Array, Array]:
        """Numbers that a function returned."""
        m, n = len(self.held), len(self.state)
        expected = f"{m} efforts and {n} states, all finite"
        try:
            efforts, after = answer
            values = [np.array(x, dtype=float).reshape(-1) for x in (efforts, after)]
        except (TypeError, ValueError):
            values = []
        if [len(x) for x in values] != [m, n] or not all(np.isfinite(x).all() for x in values):
            what = f"its law returned {answer!r} at t = {t:.9g} s, expected {expected}"
            raise SamplingError(f"{label(self.controller)}: {what}")
        return values[0], values[1]

    def write(self, c: Compiled, early: bool = False) -> None:
        """Put what acts and acted into the numbers of a model.

        With ``early`` changes are so much earlier that output times which are the same instants by
        all but rounding are behind them.
        """
        for k, number in enumerate(self.signals):
            breaks, values = pieces_of(c, number)
            if len(values) == 1:
                values[0] = self.held[k]
                continue
            n = len(self.changes)
            breaks[1 : n + 1] = [t - near(t) * early for t, _ in self.changes]
            values[1 : n + 1] = [effort[k] for _, effort in self.changes]

    def act(self, t: float, c: Compiled) -> bool:
        """Let efforts act whose time has come; whether there were any."""
        done = False
        while self.waiting and self.waiting[0][0] <= t + near(t):
            self.held, done = self.waiting.pop(0)[1], True
        if not done:
            return False
        if self.keeps:
            self.changes.append((t, self.held))
        n = len(self.changes)
        for k, number in enumerate(self.signals):
            breaks, values = pieces_of(c, number)
            if len(values) == 1:
                values[0] = self.held[k]
            else:
                breaks[n], values[n] = t, self.held[k]
        return True

    def data(self) -> Data:
        """All of it as numbers and arrays."""
        rows = [list(row) for row in self.rows]
        return {
            "count": self.count,
            "state": self.state,
            "held": self.held,
            "waiting": [list(pair) for pair in self.waiting],
            "changes": [list(pair) for pair in self.changes],
            "rows": rows,
        }

    def restore(self, data: Data) -> None:
        """Take up what another run left."""
        self.count, self.state = int(data["count"]), np.array(data["state"])
        self.held = np.array(data["held"])
        pairs = [[(float(t), np.array(x)) for t, x in data[k]] for k in ("waiting", "changes")]
        self.waiting, self.changes = pairs
        self.rows = [
            (float(t), np.array(y), np.array(f), np.array(z)) for t, y, f, z in data["rows"]
        ]

    def record(self) -> SampleRecord:
        """Record of what it measured and computed."""
        t = np.array([row[0] for row in self.rows])
        c, m, n = self.controller, len(self.held), len(self.state)
        p = 2 * len(self.measured) + len(c.sensors)
        seen, efforts, states = (
            np.array([row[k] for row in self.rows], dtype=float).reshape(len(t), size)
            for k, size in ((1, p), (2, m), (3, n))
        )
        return SampleRecord(t, seen, efforts, states, t + c.delay)


def _rounded(x: Array, step: Array) -> Array:
    """The nearest multiples of steps; what has none stays."""
    safe = np.where(step > 0.0, step, 1.0)
    return np.where(step > 0.0, safe * np.rint(x / safe), x)


class Sampler:
    """All sampled controllers of a run.

    Parameters
    ----------
    controllers : of the model
    compiled : where they are in it
    t_start : s
    sensors : what reads texts, None if there are none
    """

    def __init__(
        self,
        controllers: Sequence[SampledController],
        compiled: Compiled,
        t_start: float,
        sensors: Sensors | None = None,
        endless: bool = False,
    ) -> None:
        self.loops = [Loop(c, *compiled.sampled[c.name]) for c in controllers]
        self.sensors, self.endless = sensors, endless
        for loop in self.loops:
            loop.keeps = not endless
            loop.begin(t_start)

    def roomy(self, compiled: Compiled, end: float) -> Compiled:
        """The model with room for all changes of efforts until the end of a run."""
        rooms: dict[int, int] = {}
        for loop in self.loops:
            pieces = 1 if self.endless else 1 + loop.changes_until(end)
            if pieces > MOST:
                expected = f"a period with at most {MOST} samples in the run"
                raise ModelError(label(loop.controller), "period", loop.controller.period, expected)
            rooms |= dict.fromkeys(loop.signals, pieces)
        return with_rooms(compiled, rooms)

    def attach(self, compiled: Compiled, early: bool = False) -> None:
        """Put efforts that are known into the numbers of the model that a run goes on with."""
        for loop in self.loops:
            loop.write(compiled, early)

    def next(self, t: float, end: float) -> float:
        """The next instant behind t at which a run pauses, at most its end."""
        first = min((x.next_time() for x in self.loops if x.next_time() > t + near(t)), default=end)
        return end if first >= end - near(end) else first

    def is_due(self, t: float) -> bool:
        """True if something happens now."""
        return any(loop.next_time() <= t + near(t) for loop in self.loops)

    def pass_by(self, run: LoopRun, t: float) -> None:
        """Sample, and change efforts, as far as it is time to."""
        r = run.fields
        for loop in self.loops:
            if loop.sample_time() <= t + near(t):
                texts = loop.controller.sensors
                assert self.sensors is not None or not texts
                read = self.sensors(run, texts) if texts and self.sensors else np.zeros(0)
                loop.sample(t, r.q, r.u, read)
        for loop in self.loops:
            loop.act(t, run.compiled)

    def data(self) -> list[Data]:
        """All of it as numbers and arrays."""
        return [loop.data() for loop in self.loops]

    def restore(self, data: list[Data], compiled: Compiled) -> None:
        """Take up what another run left."""
        for loop, mine in zip(self.loops, data, strict=True):
            loop.restore(mine)
        self.attach(compiled)

    def records(self) -> dict[str, SampleRecord]:
        """Records of what each controller measured and computed."""
        return {loop.controller.name: loop.record() for loop in self.loops}


def pass_by(run: LoopRun, begins: bool = False) -> int:
    """Let the controllers of a run sample and act, and aim at what is next; returns the outcome.

    Where nothing was integrated yet the run ``begins``; later on its loop begins anew, with the
    size of its last step.
    """
    t, sampler = float(run.state[st.T]), run.sampler
    assert sampler is not None
    try:
        sampler.pass_by(run, t)
    except SamplingError as error:
        run.unsampled = str(error)
        return UNSAMPLED
    if t >= run.goal:
        return int(st.DONE)
    size = float(run.state[st.H])
    # The size of the last step was not looked at if it was cut, or the only one.
    if run.steps - run.span_steps == 1 and run.count[st.REJECTED] == run.span_refused:
        size = 2.0 * (t - run.began)
    if not begins:
        run.begin_anew()
    run.aim(t, run.goal)
    if not begins and not run.options.fixed_step:
        run.state[st.H] = size
    if run.passage.possible:
        sentence = run.passage.sentence
        run.passage = Passage(run)
        run.passage.sentence = sentence
    return int(st.PAUSED)
