"""Stepper: a model that is moved step by step from outside, for controllers and learning.

Inputs are efforts, forces and accelerations of driven motions, in the words of
`supple.analyses.linear.state_space`. An input is a polynomial of time in a force element or driver
of a copy of the model; the stepper writes its numbers where the compiled model has them.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.base.snapshot_result import InstantOutputs
from supple.analyses.linear.state_space import AXES, EFFORTS, EXPECTED
from supple.analyses.run.options import MethodOptions, RunOptions, Start, takes
from supple.analyses.run.problem import with_sampler
from supple.analyses.run.simulate import prepare
from supple.constraints.couplings import joint_target
from supple.constraints.drivers import Driver
from supple.core.base.layout import new_work
from supple.core.equations import dynamics
from supple.core.run import step as st
from supple.engine.base.compiled import Compiled, RowSets
from supple.forces import Force, JointEffort, Motor
from supple.formulations.equations import Equations
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SimulationError, suggestion
from supple.foundation.frames import Body, Frame, System
from supple.foundation.validate import listed
from supple.integrators.passage.passage import Passage
from supple.integrators.run.checkpoints import Data, restore, snapshot
from supple.integrators.run.driver import LoopRun, Problem
from supple.integrators.run.outcomes import ENDLESS, audit_record, message
from supple.integrators.run.progress import Pace
from supple.joints import Joint
from supple.loops.singular import violated
from supple.results.data.audit import LEVELS, EnergyAudit, MomentumAudit
from supple.results.data.findings import Monitor
from supple.results.monitor.monitor import headline
from supple.results.result import Result
from supple.signals.piecewise import Polynomial
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

MARK = 1.6180339887498949e-210  # s; instants that are zero, and by which polynomials are found
OWNER = "Stepper"
BUDGET = 200  # steps of the integrator after which rows and deformations are looked at


class HeldInput(NamedTuple):
    """An input: its name and unit, the instant that marks its polynomial, whether it is driven."""

    name: str
    unit: str
    mark: float
    driven: bool = False


class Inputs:
    """Adds inputs to a copy of a model.

    Attributes
    ----------
    model : the copy
    held : the inputs in the order in which they were asked for
    """

    def __init__(self, owner: str, model: Model, given: Any, t: float) -> None:
        self.owner, self.model, self.t = owner, model.copy(), t
        self.held: list[HeldInput] = []
        # a list of two is two inputs: a pair (joint, coordinate) by itself is a tuple
        one = isinstance(given, (str, Joint, Body, Frame))
        one = one or (isinstance(given, tuple) and _is_pair(given))
        for item in [given] if one else listed(owner, "inputs", given, EXPECTED):
            self._add(item)

    def _add(self, item: Any) -> None:
        if isinstance(item, (Body, Frame)):
            self._at_frame(item, AXES)
        elif _is_pair(item) and isinstance(item[0], (Body, Frame)):
            if item[1] not in AXES:
                expected = f"a frame with one of {', '.join(map(repr, AXES))}"
                raise ModelError(self.owner, "inputs", tuple(item), expected)
            self._at_frame(item[0], (item[1],))
        elif isinstance(item, str) and item in self.model.forces:
            self._in_element(item)
        elif isinstance(item, str) and item in self.model.drivers:
            self._in_driver(item)
        else:
            for joint, index in self._coordinates(item):
                name = f"{joint.name}.{joint.coordinate_names[index]}"
                signal = self._held(name, EFFORTS[joint.units[index]])
                self._put(JointEffort(f"input {name.replace('.', ' ')}", joint, signal, index))

    def _held(self, name: str, unit: str, motion: Sequence[float] = ()) -> Polynomial:
        """The polynomial of the next input: zero, or with the value and rate of a motion."""
        if any(name == held.name for held in self.held):
            raise ModelError(self.owner, "inputs", name, "each of them once")
        mark = (1 + len(self.held)) * MARK
        self.held.append(HeldInput(name, unit, mark, bool(motion)))
        value, rate = motion or (0.0, 0.0)
        return Polynomial([value - rate * self.t, rate, 0.0], start=mark)

    def _put(self, item: Any) -> None:
        if item.name in self.model:
            expected = "an input that no item of the model has the name of"
            raise ModelError(self.owner, "inputs", item.name, expected)
        self.model.add(item)

    def _at_frame(self, item: Body | Frame, axes: Sequence[str]) -> None:
        body = item.body if isinstance(item, Frame) else item
        known = self.model[body.name] if body.name in self.model else None
        if known is not body:
            expected = "a body of the model, or a frame on one"
            raise ModelError(self.owner, "inputs", item, expected)
        frame = item if isinstance(item, Frame) else item.at(0.0)
        units = dict(zip(AXES, ("N",) * 3 + ("N m",) * 3, strict=True))
        parts = {a: self._held(f"{frame.name}.{a}", units[a]) for a in axes}
        six: list[Any] = [parts.get(axis, 0.0) for axis in AXES]
        name = f"input {len(self.held)} at {body.name}"
        self._put(Force(name, frame, force=six[:3], torque=six[3:]))

    def _in_element(self, name: str) -> None:
        force = self.model.forces[name]
        if not isinstance(force, (JointEffort, Motor)):
            expected = "a JointEffort or a Motor; of other forces, the frame that they act at"
            raise ModelError(self.owner, "inputs", name, expected)
        joint, coordinate = self.model.joints.get(force.joint), force.coordinate
        motor = self.model.forces.get(force.joint)
        if isinstance(motor, Motor):
            joint, coordinate = self.model.joints[motor.joint], motor.coordinate
        unit = EFFORTS["m"]  # of what slides along a line
        if joint is not None:
            unit = EFFORTS[joint.units[joint.coordinate_index(coordinate, self.owner)]]
        signal = self._held(name, unit)
        if isinstance(force, Motor):
            self._put(JointEffort(f"input {name}", name, signal))
        else:
            self.model.replace(name, effort=signal)

    def _in_driver(self, name: str) -> None:
        driver = self.model.drivers[name]
        if not isinstance(driver, Driver):
            expected = "a Driver of a joint coordinate; it is the only constraint that may be one"
            raise ModelError(self.owner, "inputs", name, expected)
        joint = self.model.joints[driver.joint]
        unit = joint.units[joint.coordinate_index(driver.coordinate, self.owner)]
        value, rate, _ = (float(x) for x in driver.motion.derivatives(self.t))
        signal = self._held(f"{name}.acceleration", f"{unit}/s2", (value, rate))
        self.model.replace(name, motion=signal)

    def _coordinates(self, item: Any) -> Iterator[tuple[Joint, int]]:
        """Scalar coordinates of joints that an item means."""
        joints = self.model.joints
        coordinate: int | str | None
        if isinstance(item, str):
            name, _, word = item.partition(".")
            coordinate = word or None
        elif isinstance(item, Joint) or _is_pair(item):
            target = item if isinstance(item, Joint) else tuple(item)
            name, place = joint_target(self.owner, "inputs", target)
            coordinate = None if isinstance(item, Joint) else place
        else:
            raise ModelError(self.owner, "inputs", item, EXPECTED)
        if name not in joints:
            known = [*joints, *self.model.forces, *self.model.drivers]
            hint = suggestion(name, known)
            raise ModelError(self.owner, "inputs", name, f"{EXPECTED}; {hint}")
        joint = joints[name]
        if joint.nq != joint.nu or not joint.nu:
            expected = "a joint with angles or displacements; of others, the frame B"
            raise ModelError(self.owner, "inputs", name, expected)
        if coordinate is None:
            yield from ((joint, k) for k in range(joint.nu))
        else:
            yield joint, joint.coordinate_index(coordinate, self.owner)

    def places(self, compiled: Compiled) -> Array:
        """Places (n,) of the polynomials' instants among the reals; value and rates are behind."""
        every = [np.flatnonzero(compiled.reals == held.mark) for held in self.held]
        assert all(len(places) == 1 for places in every)
        return np.array([places[0] for places in every], dtype=np.int64)


def _is_pair(item: Any) -> bool:
    pair = isinstance(item, (tuple, list)) and len(item) == 2 and isinstance(item[1], (str, int))
    return pair and isinstance(item[0], (Joint, Body, Frame))


class Begun(NamedTuple):
    """Begin of a stepper: a word that tells starts apart, and the start."""

    key: str
    start: Start


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A stepper at some time; ``stepper.restore`` puts it, or a copy of it, there to the last bit.

    It can be pickled.

    Attributes
    ----------
    time : s
    """

    time: float
    _data: Data
    _held: Array
    _motion: Array
    _size: float
    _begun: Begun
    _identity: str
    _problem: Problem | None
    _stepper: Stepper | None

    def __deepcopy__(self, memo: Any) -> Snapshot:
        """The snapshot itself, which nothing changes."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the problem, which a copy of the stepper has, or makes from its start."""
        kept = self.time, self._data, self._held, self._motion, self._size
        return Snapshot, (*kept, self._begun, self._identity, None, None)


class Stepper:
    """A model that is moved step by step, with inputs that are held constant over each step.

    Parameters
    ----------
    inputs : joints, coordinates, frames, efforts, motors or drivers, or a list of these
        As for ``LinearModel.state_space``: the effort on "elbow.angle", forces and torques in world
        axes at a frame, or one of them as (frame, "z"); the effort of a `JointEffort` by its name,
        which replaces its signal; that on the shaft of a `Motor`; the acceleration of a `Driver`.
    outputs : texts, optional
        "elbow.angle", "tip.position", "link2.at(0.5).strain" and so on, as for `sweep`; by default
        coordinates and rates of all joints. Those, and places and velocities of points, are quick.
    dt : float
        Length of a step, s, unless ``step`` is given another one.
    start, formulation, integrator, tolerance : as for `simulate`

    Attributes
    ----------
    inputs, input_units : names and units of the inputs
    outputs : values by text, arrays that every step fills anew
    values : (m,) all outputs in one array
    time : s
    """

    @takes(MethodOptions)
    def __init__(
        self,
        model: Model,
        inputs: Any = (),
        outputs: str | Sequence[str] | None = None,
        *,
        dt: float = 1e-3,
        **options: Unpack[MethodOptions],
    ) -> None:
        expect(OWNER, "model", model, System, "a Model")
        asked = RunOptions(None, **options, output=1, progress=False)
        self._integrator = asked.expect_method(OWNER)
        if self._integrator.python_loop:
            expected = "one whose steps are compiled, e.g. Radau()"
            raise ModelError(OWNER, "integrator", self._integrator, expected)
        self.dt = validate.positive(OWNER, "dt", dt)
        model.check()
        inputs = list(inputs) if isinstance(inputs, Iterator) else inputs
        given = model.copy(), inputs, outputs  # for copies
        added = Inputs(OWNER, model, inputs, asked.begin)
        self.inputs = tuple(held.name for held in added.held)
        self.input_units = tuple(held.unit for held in added.held)
        self._prepared, self._options = prepare(added.model), asked
        self._begun, self._identity = Begun(uuid.uuid4().hex, asked.state), uuid.uuid4().hex
        self._given = given
        self._model, self._problem = self._started(asked.start)
        self._places = added.places(self._problem.equations.compiled)
        self._moved = np.array([k for k, held in enumerate(added.held) if held.driven], dtype=int)
        self._begin()
        texts = output_texts(OWNER, self._model, outputs)
        self._outputs = InstantOutputs(self._model, self._problem.equations, self.state, texts)
        self.outputs: Mapping[str, Array] = self._outputs.named
        self.values = self._outputs.values
        self._first = self.snapshot()

    def _started(self, start: Start) -> tuple[Model, Problem]:
        """The model as its formulation writes it, and a problem with numbers of its own."""
        asked = replace(self._options, start=start)
        model, problem, _ = self._prepared.problem(replace(asked, t_end=asked.begin + self.dt))
        c = problem.equations.compiled
        own = Equations(replace(c, reals=c.reals.copy()))
        problem = problem._replace(equations=own, grid=np.zeros(0), sampler=None)
        return model, with_sampler(model, problem, endless=True)

    def _begin(self) -> None:
        """Put the loop at the start of the problem."""
        p = self._problem
        self._run: LoopRun = self._integrator.begin(p)
        self._run.pace = Pace(self._run)
        self._run.change_rows()
        self._reals = p.equations.compiled.reals
        self._rows_first = p.equations.compiled
        self.time = p.t_start
        self._held = np.zeros(len(self.inputs))
        value, rate = self._reals[self._places + 1], self._reals[self._places + 2]
        self._motion = np.array([value + rate * self.time, rate])  # of drivers
        self._size = self._integrator.first_step  # s, next; the integrator chooses where zero

    @property
    def state(self) -> State:
        """The present state, on the constraints; a copy."""
        r, c = self._run.fields, self._run.compiled
        q, u, z = r.q.copy(), r.u.copy(), r.z.copy()
        if c.nr:
            t, rows = np.array([self.time]), (q[None].copy(), u[None].copy())
            scratch = np.zeros(c.nu), np.zeros(c.nq)
            dynamics.project(c.ints, c.reals, new_work(c.ints), t, *rows, *scratch)
            q, u = rows[0][0], rows[1][0]
        return State(self.time, q, u, z, compiled=c)

    def step(
        self, dt: float | None = None, inputs: ArrayLike | Mapping[str, float] | None = None
    ) -> Mapping[str, Array]:
        """Go on by ``dt`` s under inputs that stay constant meanwhile; returns ``outputs``.

        ``inputs`` are values in the order of ``stepper.inputs``, or some of them by name; those
        that are not given keep their values, zero at first. A step that fails raises
        `SimulationError`, and the stepper stays where it was.
        """
        span = self.dt if dt is None else validate.positive(OWNER, "dt", dt)
        held = self._held if inputs is None else self._values(inputs)
        begin, end = self.time, self.time + span
        if not end > begin:
            raise ModelError(OWNER, "dt", span, f"a step that is not lost beside {begin:g} s")
        undo = self._undo()
        self._hold(held, begin)
        try:
            outcome = self._advance(begin, end)
            if outcome != st.DONE or self._run.state[st.T] != end:
                sentence = message(self._run, outcome)
                raise SimulationError(f"{OWNER}: the step from t = {begin:g} s {sentence}")
        except BaseException:  # Ctrl-C, too
            undo()
            self._hold(self._held, begin)
            raise
        if len(self._moved):
            k, rate = self._moved, self._motion[1].copy()
            self._motion[:, k] += span * (rate + 0.5 * span * held)[k], span * held[k]
        self._held, self.time = held, end
        if len(self._moved):
            self._hold(held, end)  # as after `restore`: outputs are the same to the last bit
        self._read()
        return self.outputs

    def _undo(self) -> Callable[[], None]:
        """Return a function that puts the run back to where it is now."""
        run = self._run
        buffers = run.run_buffer[: run.lasting], run.state, run.count  # every step begins anew
        before = [x.copy() for x in buffers]
        rows, row_sets, steps, size = run.compiled, run.row_sets, run.steps_before, self._size
        sampled = None if run.sampler is None else run.sampler.data()

        def undo() -> None:
            if run.compiled is not rows:
                run.take(rows)
            for x, old in zip(buffers, before, strict=True):
                x[:] = old
            run.row_sets, run.steps_before, self._size = row_sets, steps, size
            if run.sampler is not None and sampled is not None:
                run.sampler.restore(sampled, run.compiled)

        return undo

    def _advance(self, begin: float, end: float) -> int:
        """Make the steps of the integrator; returns their outcome."""
        run = self._run
        run.begin_anew()
        run.aim(begin, end)
        if not run.options.fixed_step:
            run.state[st.H] = self._size
        if run.passage.possible:
            sentence = run.passage.sentence
            run.passage = Passage(run)
            run.passage.sentence = sentence
        steps, refused = run.steps, int(run.count[st.REJECTED])
        for callback in run.compiled.callbacks:
            callback.forget()
        outcome, pace = int(st.PAUSED), None
        while outcome == st.PAUSED and run.steps - steps < run.options.max_steps:
            outcome = run.advance(min(BUDGET, run.options.max_steps))
            run.compiled.raise_interrupt()
            run.touches.clear()
            if outcome == st.PAUSED:
                pace = run.pace = pace or Pace(run, OWNER, end, steps + run.options.max_steps)
                if not pace.look():
                    outcome = ENDLESS if pace.endless else int(st.TOO_SMALL)
        # The size of the last one was not looked at: it was cut, or the only one.
        single = run.steps - steps == 1 and run.count[st.REJECTED] == refused
        self._size = 2.0 * (end - begin) if single else float(run.state[st.H])
        if run.compiled is not self._rows_first:
            run.row_sets = RowSets.of(self._rows_first, begin).then(end, run.compiled)
        return outcome

    def _values(self, given: Any) -> Array:
        """All inputs (n,), finite."""
        if isinstance(given, Mapping):
            held = self._held.copy()
            for name, value in given.items():
                if name not in self.inputs:
                    near = suggestion(name, list(self.inputs))
                    raise ModelError(OWNER, "inputs", name, f"the name of an input, {near}")
                number = validate.number(OWNER, f"inputs[{name!r}]", value, "a finite number")
                held[self.inputs.index(name)] = number
            return held
        n = len(self.inputs)
        try:
            held = np.array(given, dtype=float)
        except (TypeError, ValueError, OverflowError):
            held = np.full(1 + n, np.nan)
        if held.shape != (n,) or not np.all(np.isfinite(held)):
            expected = f"{n} finite numbers, one for each input"
            raise ModelError(OWNER, "inputs", given, expected)
        return held

    def _hold(self, held: Array, t: float) -> None:
        """Write inputs into the numbers of the model."""
        if len(held):
            self._reals[self._places + 1] = held
        if len(self._moved):
            at, k = self._places[self._moved], self._moved
            self._reals[at], self._reals[at + 3] = t, 0.5 * held[k]
            self._reals[at + 1], self._reals[at + 2] = self._motion[:, k]

    def _read(self) -> None:
        compiled = self._run.compiled
        equations = self._problem.equations
        if equations.compiled is not compiled:
            equations = Equations(compiled)
        self._outputs.read(equations, self.state)

    def reset(self, state: State | Result | None = None) -> Mapping[str, Array]:
        """Go back to the start, or begin at another state of the model; returns ``outputs``.

        Inputs are zero again.
        """
        if state is None:
            self.restore(self._first)
        else:
            _, self._problem = self._started(state)
            begin = replace(self._options, start=state).state
            self._begun = Begun(uuid.uuid4().hex, begin)
            self._begin()
            self._read()
        return self.outputs

    def snapshot(self) -> Snapshot:
        """The stepper as it is now."""
        self._run.count[st.STOP] = 0  # the end of the last step is behind it
        data = copy.deepcopy(snapshot(self._run))
        own = self._held.copy(), self._motion.copy(), self._size
        return Snapshot(self.time, data, *own, self._begun, self._identity, self._problem, self)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot; what follows is the same, to the last bit."""
        expect(OWNER, "snapshot", snapshot, Snapshot, "what stepper.snapshot() returned")
        if snapshot._identity != self._identity:
            expected = "one of this stepper, or of a copy of it"
            raise ModelError(OWNER, "snapshot", "one of another stepper", expected)
        if snapshot._begun.key != self._begun.key:
            if snapshot._stepper is self and snapshot._problem is not None:
                self._problem = snapshot._problem
            else:
                _, self._problem = self._started(snapshot._begun.start)
            self._begun = snapshot._begun
            self._begin()
        run = self._run
        if run.compiled is not self._rows_first:
            run.take(self._rows_first)
        restore(run, snapshot._data)
        self.time, self._size = snapshot.time, snapshot._size
        self._held, self._motion = snapshot._held.copy(), snapshot._motion.copy()
        self._hold(self._held, self.time)
        self._read()

    def __copy__(self) -> Stepper:
        """A stepper of its own at the same place: what follows is the same, to the last bit."""
        make, given = self.__reduce__()
        twin: Stepper = make(*given)
        return twin

    def __deepcopy__(self, memo: Any) -> Stepper:
        """Return a copy that shares nothing that changes."""
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Return a function and arguments that make a copy, in another process too."""
        first = self._first._begun
        options = {name: getattr(self._options, name) for name in MethodOptions.__annotations__}
        options["start"] = first.start
        return _copied, (self._given, self.dt, options, first.key, self.snapshot())

    @property
    def verdict(self) -> str:
        """The verdict on energy and momentum of all steps since the start, one line.

        It is doubtful if a singular position was passed, or constraints contradict each other now.
        """
        run, none = self._run, np.zeros(0)
        if run.state[st.E_MAX] < 0.0:
            return "no step was made yet"
        record, c = audit_record(run.state), run.compiled
        energy = EnergyAudit(np.zeros((0, 3)), none, none, record, weight=c.weight)
        momentum = MomentumAudit(run.momentum)
        verdict = headline(energy, momentum, None if c.deforming else Monitor({}))
        q = self.state.q[None]
        doubt = run.passage.sentence or violated(c, np.array([self.time]), q)
        return f"{LEVELS[1]}: {doubt}" if doubt and verdict.startswith(LEVELS[0]) else verdict

    def __repr__(self) -> str:
        inputs = ", ".join(f"{n} ({u})" for n, u in zip(self.inputs, self.input_units, strict=True))
        lines = [f"Stepper of {self._model.name} at t = {self.time:g} s"]
        lines.append(f"  inputs   {inputs or 'none'}")
        lines.append(f"  outputs  {', '.join(self.outputs) or 'none'}")
        return "\n".join(lines)


def _copied(
    given: tuple[Any, ...], dt: float, options: MethodOptions, key: str, at: Snapshot
) -> Stepper:
    """A stepper that is made anew, and put where another one was."""
    twin = Stepper(*given, dt=dt, **options)
    twin._identity, twin._begun = at._identity, Begun(key, options["start"])
    twin._first = twin.snapshot()
    twin.restore(at)
    return twin


def output_texts(owner: str, model: Model, outputs: Any) -> list[str]:
    """Texts of outputs, each once; by default coordinates and rates of all joints."""
    if outputs is None:
        texts_of_joints = []
        for name, joint in model.joints.items():
            if joint.nq == joint.nu:
                words = joint.coordinate_names
                texts_of_joints += [f"{name}.{w}{what}" for what in ("", "_rate") for w in words]
        return texts_of_joints
    given = [outputs] if isinstance(outputs, str) else outputs
    expected = "texts such as 'elbow.angle'"
    texts = [
        validate.text(owner, "outputs", text, expected)
        for text in validate.listed(owner, "outputs", given, expected)
    ]
    for text in texts:
        if texts.count(text) > 1:
            raise ModelError(owner, "outputs", text, "each of them once")
    return texts
