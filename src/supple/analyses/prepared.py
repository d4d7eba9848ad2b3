"""prepare: a model ready to be simulated, as often as one likes.

One walk leads from a model to a result: check, spanning tree, compiled buffers, assembly, run,
result. All but the last two do not depend on the run. They are made here when they are first asked
for, and kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.arguments import expect, number, output_times, starting_state
from supple.analyses.reactions import Reactions
from supple.analyses.self_stress import SelfStress
from supple.analyses.statics import statics
from supple.core import dynamics, history
from supple.engine.builder import build, with_initial
from supple.engine.compiled import Compiled, FrameKey, frame_key
from supple.engine.histories import RunHistory
from supple.engine.loads import Loads
from supple.engine.symmetry import Symmetry, symmetries
from supple.errors import ModelError, SimulationError, SuppleWarning
from supple.events import Event
from supple.forces import ForceElement, Motor
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.frames import Frame
from supple.integrators.base import Integrator
from supple.integrators.driver import Problem, Progress, Solution, tolerances
from supple.integrators.image import image
from supple.integrators.radau import Radau
from supple.joints import Joint
from supple.loops.assembly import assembled, on_constraints, on_tree
from supple.loops.singular import passed, refuse_singular, violated
from supple.model import Model
from supple.native import library
from supple.results.result import Result, RunData
from supple.state import State

OWNER = "simulate"
DEFAULT = JointCoordinates()
# Kernels that a run and its result call, whatever the integrator
ALWAYS = (history.history, history.motion_history, dynamics.accelerate)
Start = State | Result | Literal["static"] | None


def prepare(model: Model) -> Prepared:
    """Check a model and keep what runs of it share: ``prepare(model).simulate(2.0)``.

    Later changes of the model do not matter to what was prepared.
    """
    expect("prepare", "model", model, Model, "a Model")
    model.check()
    return Prepared(model.copy())


@dataclass(frozen=True)
class _Choice:
    """Coordinates, and the watched frames on flexible bodies, which get nodes of their own."""

    formulation: Formulation
    frames: tuple[Frame, ...] = field(compare=False)
    keys: tuple[FrameKey, ...]


@dataclass(frozen=True)
class _Ready:
    """A compiled model on its constraints, and the momenta that it keeps."""

    model: Model
    compiled: Compiled

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        return symmetries(self.model, self.compiled)

    @cached_property
    def start(self) -> State:
        """The default start, which must not be a singular position."""
        c = self.compiled
        refuse_singular(c, 0.0, c.q0)
        return State(0.0, c.q0, c.u0, c.z0)


class Prepared:
    """A model that is checked and, after the first run, compiled and assembled; see `prepare`.

    Attributes
    ----------
    model : the model as it was prepared; it must not be changed
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._built: dict[_Choice, Compiled] = {}  # as written down
        self._ready: dict[_Choice, _Ready] = {}

    def simulate(
        self,
        t_end: float,
        *,
        start: Start = None,
        formulation: Formulation | None = None,
        integrator: Integrator | None = None,
        tolerance: str | float | Sequence[float] = "default",
        output: int | float | ArrayLike | None = None,
        events: Event | Sequence[Event] = (),
        progress: Progress | None = None,
    ) -> Result:
        """Simulate the model as `supple.simulate` does, with the same arguments and results."""
        result, doubts = self.run(
            t_end, start, formulation, integrator, tolerance, output, events, progress
        )
        for doubt in doubts:
            warnings.warn(doubt, SuppleWarning, stacklevel=2)
        return result

    def with_values(
        self, changes: Mapping[str, Mapping[str, Any]], gravity: ArrayLike | None = None
    ) -> Prepared:
        """The same model with other values of its items, prepared.

        Parameters
        ----------
        changes : mapping
            Fields to change by the name of the item, as for ``Model.replace``:
            ``{"elbow": {"initial": 0.3}, "link2": {"mass": 6.0}, "motor": {"signal": Sine(2.0)}}``.
        gravity : (3,) m/s2, optional
            Another acceleration of gravity.

        Its runs are those of a model that is written down with these values. What the change does
        not touch is kept: the spanning tree; with other initial values of joints the compiled
        buffers; with other values of forces the assembly.
        """
        expect("with_values", "changes", changes, Mapping, "a mapping of names to fields")
        model = self.model.copy()
        pairs = []
        for name, fields in changes.items():
            expect("with_values", f"changes[{name!r}]", fields, Mapping, "a mapping of fields")
            pairs.append((model[name], model.replace(name, **fields)))
        if gravity is not None:
            model.gravity = gravity
        model.check()
        other = Prepared(model)
        if gravity is None:
            self._hand_over(other, changes, pairs)
        return other

    def _hand_over(
        self, other: Prepared, changes: Mapping[str, Mapping[str, Any]], pairs: list[Any]
    ) -> None:
        """Give what stays valid to the same model with other values."""
        initial = all(
            isinstance(old, Joint) and set(changes[old.name]) <= {"initial", "initial_rate"}
            for old, _ in pairs
        )
        if initial and not self.model.constraints:  # these may hold what the joints begin with
            for choice, built in self._built.items():
                if not any(motor.own for motor in built.motors.values()):
                    other._built[choice] = with_initial(built, other.model)
        elif all(_same_places(old, new) for old, new in pairs):
            for choice, ready in self._ready.items():
                other._ready[choice] = _Ready(other.model, other._like(choice, ready.compiled))

    def _like(self, choice: _Choice, found: Compiled) -> Compiled:
        """The model compiled anew, with the start and the rows of another one."""
        used = [int(k) for k in np.flatnonzero(~found.left_out)]
        return replace(
            self._compiled(choice).with_rows(used),
            q0=found.q0,
            u0=found.u0,
            regular_value=found.regular_value,
            regular_positions=found.regular_positions,
        )

    def _compiled(self, choice: _Choice) -> Compiled:
        """The model as written down in some coordinates."""
        found = self._built.get(choice)
        if found is None:
            tree = choice.formulation.tree(self.model)
            found = self._built[choice] = build(self.model, choice.frames, tree)
        return found

    def _assembled(self, choice: _Choice) -> _Ready:
        """The model in some coordinates, on its constraints."""
        found = self._ready.get(choice)
        if found is None:
            compiled = self._compiled(choice)
            if choice.formulation != DEFAULT:
                first = self._assembled(replace(choice, formulation=DEFAULT))
                compiled = on_tree(first.compiled, compiled)
            elif compiled.nr:
                compiled = assembled(compiled)
            found = self._ready[choice] = _Ready(self.model, compiled)
        return found

    def run(
        self,
        t_end: float,
        start: Start,
        formulation: Formulation | None,
        integrator: Integrator | None,
        tolerance: str | float | Sequence[float],
        output: int | float | ArrayLike | None,
        events: Event | Sequence[Event],
        progress: Progress | None,
    ) -> tuple[Result, list[str]]:
        """A run, and what is to be doubted about it; the arguments are those of `simulate`."""
        integrator = Radau() if integrator is None else integrator
        events = self._checked(events)
        problem = self._problem(
            OWNER, integrator, t_end, start, formulation, tolerance, output, events, progress
        )
        return self._result(problem.equations.compiled, integrator.run(problem))

    def image(
        self,
        t_end: float,
        *,
        start: Start = None,
        formulation: Formulation | None = None,
        integrator: Integrator | None = None,
        tolerance: str | float | Sequence[float] = "default",
    ) -> bytes:
        """A run at its start, to be made by a C program; the arguments are those of `simulate`.

        The bytes are for ``supple_create`` of the header ``supple.h``. See the how-to "Models in C
        programs".
        """
        integrator = Radau() if integrator is None else integrator
        problem = self._problem(
            "image", integrator, t_end, start, formulation, tolerance, 1, (), None
        )
        return image(problem, integrator)

    def _problem(
        self,
        owner: str,
        integrator: Integrator,
        t_end: float,
        start: Start,
        formulation: Formulation | None,
        tolerance: str | float | Sequence[float],
        output: int | float | ArrayLike | None,
        events: tuple[Event, ...],
        progress: Progress | None,
    ) -> Problem:
        """What an integrator gets, and its kernels ready."""
        expect(owner, "integrator", integrator, Integrator, "an integrator, e.g. Radau()")
        expect(
            owner, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()"
        )
        formulation = DEFAULT if formulation is None else formulation
        ready = self._of(formulation, events)
        compiled = ready.compiled
        library.load((*integrator.entries, *ALWAYS))
        for callback in compiled.callbacks:
            callback.forget()
        rtol, atol = tolerances(tolerance)
        state = self._start(ready, start, formulation)
        begin, end = state.t, number(owner, "t_end", t_end)
        if not end > begin:
            raise ModelError(owner, "t_end", t_end, f"a time after the start at {begin:g} s")
        for constraint in self.model.constraints.values():
            constraint.check_run(begin, end)
        equations = Equations(compiled)
        if start is not None:
            refuse_singular(compiled, begin, state.q)
        equations.accelerate(begin, state.q, state.u, state.z)  # a massless joint is its fault
        return Problem(
            equations=equations,
            t_start=begin,
            t_end=end,
            grid=output_times(owner, begin, end, output),
            q=state.q,
            u=state.u,
            z=state.z,
            events=events,
            symmetries=ready.symmetries,
            rtol=rtol,
            atol=atol,
            progress=progress,
        )

    def _checked(self, events: Event | Sequence[Event]) -> tuple[Event, ...]:
        if isinstance(events, Event):
            events = (events,)
        expect(OWNER, "events", events, Iterable, "a sequence of Event")
        events = tuple(events)
        for event in events:
            expect(OWNER, "events", event, Event, "objects of type Event")
        self.model.check(events)
        return events

    def _of(self, formulation: Formulation, events: tuple[Event, ...]) -> _Ready:
        """What runs in these coordinates with these events share."""
        bodies = self.model.bodies
        watched = (f for event in events for f in event.frames.values())
        bending = tuple(f for f in watched if f.body.name in bodies and bodies[f.body.name].deforms)
        return self._assembled(_Choice(formulation, bending, tuple(map(frame_key, bending))))

    def _start(self, ready: _Ready, start: Start, formulation: Formulation) -> State:
        """Where a run starts, on the constraints."""
        if start is None:
            return ready.start
        if isinstance(start, str) and start == "static":
            start = self._equilibrium(formulation)
        return on_constraints(ready.compiled, starting_state(OWNER, start, ready.compiled))

    def _equilibrium(self, formulation: Formulation) -> State:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuppleWarning)
            found = statics(self.model, formulation=formulation)
        if not found.success:
            raise SimulationError(f"simulate: start is 'static', but {found.message}")
        return found.state()

    def _result(self, compiled: Compiled, solution: Solution) -> tuple[Result, list[str]]:
        """The result of a run, and what is to be doubted about it."""
        s = solution
        states = RunHistory(s.row_sets, s.t, s.q, s.u, s.z)
        result = Result(
            RunData(
                model=self.model.copy(),
                compiled=compiled,
                t=s.t,
                q=s.q,
                u=s.u,
                z=s.z,
                channels=s.channels,
                history=states,
                audit=s.audit,
                momentum=s.momentum,
                events=s.events,
                success=s.success,
                message=s.message,
                statistics=s.statistics,
                final=s.final,
                loads=Loads(states, dict(self.model.forces)),
                # a tree without constraints has no reactions that are not unique
                reactions=Reactions(self.model, states) if compiled.all_rows else None,
                self_stress=SelfStress(self.model) if compiled.all_rows else None,
            )
        )
        doubts = [
            passed(compiled, s.t, s.q, s.u) if s.success else s.message,
            violated(compiled, s.t, s.q),
        ]
        if compiled.flexible:
            doubts += [f.sentence for f in result.monitor.findings if f.serious]
        return result, [doubt for doubt in doubts if doubt]


def _same_places(old: Any, new: Any) -> bool:
    """Whether an item is a force that acts in the same places, and carries no inertia."""
    if not isinstance(old, ForceElement) or isinstance(old, Motor):
        return False
    frames = [[frame_key(frame) for frame in item.frames.values()] for item in (old, new)]
    return frames[0] == frames[1] and tuple(old.targets) == tuple(new.targets)
