"""prepare: a model ready to be simulated, as often as one likes.

One walk leads from a model to a result: check, spanning tree, compiled buffers, assembly, run,
result. All but the last two do not depend on the run. They are made here when they are first asked
for, and kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import (
    expect,
    line_or_call,
    number,
    output_times,
    starting_state,
)
from supple.analyses.equilibrium.statics import starting_equilibrium
from supple.analyses.run.change_checks import NO_CHANGES, changing, check_changes, tree_without
from supple.analyses.run.checkpointing import Arguments, Keeping, Kept
from supple.analyses.run.dense_retry import Examined, after, repeated
from supple.analyses.run.outcome import beyond_rounding, outcome
from supple.analyses.run.phases import integrated, phase_of, refuse_changes, starting_phase
from supple.analyses.run.prepared_state import Choice, Ready, same_places
from supple.analyses.run.probe import Probe
from supple.analyses.run.quasi_static import quasi_static
from supple.analyses.run.sampled_run import with_sampler
from supple.analyses.run.thin_bodies import refuse_thin
from supple.core.equations import dynamics, history
from supple.engine.base.compiled import Compiled, frame_key
from supple.engine.pack.builder import build, with_initial
from supple.engine.reading.phases import Phase, in_phase
from supple.events import Event
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.errors import ModelError, warn_caller
from supple.foundation.progress import told
from supple.integrators.methods.base import Integrator
from supple.integrators.methods.radau import Radau
from supple.integrators.methods.top_frequency import refuse_explicit
from supple.integrators.run.driver import Problem, Progress
from supple.integrators.run.interruption import Interruption
from supple.integrators.run.line_ends import line_ends
from supple.integrators.run.tolerances import tolerances
from supple.joints import Joint
from supple.loops.assembly import assembled, on_constraints, on_other
from supple.loops.singular import refuse_singular
from supple.model import Model
from supple.native import library
from supple.results.data.start_changes import StartChange, start_changes
from supple.results.result import Result
from supple.state import State

OWNER = "simulate"
DEFAULT = JointCoordinates()
# Kernels that a run and its result call, whatever the integrator
ALWAYS = (history.history, history.motion_history, dynamics.accelerate)
Start = State | Result | Literal["static", "quasi-static"] | None


def prepare(model: Model) -> Prepared:
    """Check a model and keep what runs of it share: ``prepare(model).simulate(2.0)``.

    Later changes of the model do not matter to what was prepared.
    """
    expect("prepare", "model", model, Model, "a Model")
    model.check()
    return Prepared(model.copy())


class Prepared:
    """A model that is checked and, after the first run, compiled and assembled; see `prepare`.

    Attributes
    ----------
    model : the model as it was prepared; it must not be changed
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._built: dict[Choice, Compiled] = {}  # as written down
        self._ready: dict[Choice, Ready] = {}
        self._others: dict[Formulation, Prepared] = {}  # with bodies that are written otherwise

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
        progress: bool | Progress | None = None,
        checkpoint: str | Path | None = None,
        every: float | None = None,
        interval: float | None = None,
        output_to: str | Path | None = None,
    ) -> Result:
        """Simulate the model as `supple.simulate` does, with the same arguments and results."""
        kept = Keeping.of(checkpoint, every, interval, output_to)
        given = start, formulation, integrator, tolerance, output, events, progress, kept
        result, doubts = self.run(Arguments(t_end, *given))
        for doubt in doubts:
            warn_caller(doubt)
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
                if not built.gradient and not any(motor.own for motor in built.motors.values()):
                    other._built[choice] = with_initial(built, other.model)
        elif all(same_places(old, new) for old, new in pairs):
            for choice, ready in self._ready.items():
                like = other._like(choice, ready.compiled)
                other._ready[choice] = Ready(other.model, like, other._compiled(choice))

    def _like(self, choice: Choice, found: Compiled) -> Compiled:
        """The model compiled anew, with the start and the rows of another one."""
        used = [int(k) for k in np.flatnonzero(~found.left_out)]
        return replace(
            self._compiled(choice).with_rows(used),
            q0=found.q0,
            u0=found.u0,
            regular_value=found.regular_value,
            regular_positions=found.regular_positions,
        )

    def _written(self, formulation: Any) -> Prepared | None:
        """The model as a formulation writes its bodies, prepared; None if that is no other."""
        if not isinstance(formulation, Formulation):
            return None
        if formulation not in self._others:
            model = formulation.written(self.model)
            if model is self.model:
                return None
            self._others[formulation] = Prepared(model)
        return self._others[formulation]

    def _compiled(self, choice: Choice) -> Compiled:
        """The model as written down in some coordinates."""
        found = self._built.get(choice)
        if found is None:
            usual = choice.formulation == DEFAULT and not choice.frames and not choice.changing.any
            found = self._built[choice] = self._usual() if usual else self._build(choice)
        return found

    def _build(self, choice: Choice) -> Compiled:
        released, held = choice.changing.released, choice.changing.held
        tree = tree_without(self.model, choice.formulation.tree(self.model), released)
        found = build(self.model, choice.frames, tree, held=held, linear=choice.formulation.way())
        return in_phase(found, Phase()) if choice.changing.any else found

    def _usual(self) -> Compiled:
        """The model in joint coordinates, from the run before if nothing has changed since then."""
        found: Compiled | None = self.model.built.get("joint coordinates")
        if found is None:
            found = build(self.model)
            if not found.callbacks:  # these keep what they were called with
                self.model.built["joint coordinates"] = found
        return found

    def _assembled(self, choice: Choice) -> Ready:
        """The model in some coordinates, on its constraints."""
        found = self._ready.get(choice)
        if found is None:
            compiled = self._compiled(choice)
            if choice.formulation != DEFAULT or choice.changing.released:
                own = replace(choice, formulation=DEFAULT, changing=NO_CHANGES)
                first = self._compiled(own), compiled
                compiled = on_other(*first, lambda: self._assembled(own).compiled)
            elif compiled.nr:
                compiled = assembled(compiled)
            found = self._ready[choice] = Ready(self.model, compiled, self._compiled(choice))
        return found

    def run(self, given: Arguments, kept: Kept | None = None) -> tuple[Result, list[str]]:
        """A run, and what is to be doubted about it; the arguments are those of `simulate`."""
        kept = Kept(self.model, given) if kept is None else kept
        other = self._written(given.formulation)
        if other is not None:
            return other.run(replace(given, formulation=given.formulation.coordinates()), kept)
        return repeated(partial(self._run, kept), given, self._run(kept, given))

    def _run(self, kept: Kept, given: Arguments, failed: Result | None = None) -> Examined:
        """A run, maybe of something that failed in another way before."""
        integrator = Radau() if given.integrator is None else given.integrator
        shown, call = line_or_call(OWNER, given.progress)
        with told("preparing the run", shown):
            _, problem, moved = self.problem(given, call)
            with Interruption() as ctrl_c:
                problem, moved = kept.equip(problem._replace(ctrl_c=ctrl_c), moved)
                solution, changes = integrated(self.model, problem, integrator)
                solution = after(failed, solution)
                kept.finish(solution, ctrl_c.requested() and not solution.success)
                with told("the run is done, its result is being examined"):
                    found = self.model, problem.equations.compiled, solution, changes, moved
                    probe = Probe.of(self.model, problem, integrator)
                    result, doubts = outcome(*found, given.monitored, problem.sampler, probe)
        if ctrl_c.requested() and solution.success:
            doubts.append("Ctrl-C came when the run had reached its end: its result is complete")
        limit = beyond_rounding(problem, solution.q)
        return result, doubts if limit is None else [limit, *doubts]

    def problem(
        self, given: Arguments, call: Progress | None = None
    ) -> tuple[Model, Problem, tuple[StartChange, ...]]:
        """The model as its formulation writes it, what an integrator gets, changes of the start."""
        other = self._written(given.formulation)
        if other is not None:
            return other.problem(replace(given, formulation=given.formulation.coordinates()), call)
        integrator = Radau() if given.integrator is None else given.integrator
        begin = given.t_end, given.start, given.formulation, given.tolerance, given.output
        events = self._checked(given.events)
        return self.model, *self._problem(OWNER, integrator, *begin, events, call)

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

        The bytes are for ``supple_create`` of ``supple.h``, see the how-to "Models in C programs".
        """
        from supple.integrators.methods.image import image

        other = self._written(formulation)
        if other is not None:
            own = cast("Formulation", formulation).coordinates()
            kept: dict[str, Any] = {"integrator": integrator, "tolerance": tolerance}
            return other.image(t_end, start=start, formulation=own, **kept)
        integrator = Radau() if integrator is None else integrator
        problem, _ = self._problem(
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
    ) -> tuple[Problem, tuple[StartChange, ...]]:
        """What an integrator gets, its kernels ready, and what constraints changed of its start."""
        expect(owner, "integrator", integrator, Integrator, "an integrator, e.g. Radau()")
        expect(
            owner, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()"
        )
        formulation = DEFAULT if formulation is None else formulation
        ready = self._of(formulation, events, start)
        refuse_changes(ready.compiled, integrator)
        refuse_explicit(ready.compiled, integrator)
        with told(""):  # it tells itself what it compiles
            library.load((*integrator.entries, *ALWAYS))
        for callback in ready.compiled.callbacks:
            callback.forget()
            callback.verify = True
        rtol, atol = tolerances(tolerance)
        compiled, state, changes = self._start(ready, start, formulation)
        begin, end = state.t, number(owner, "t_end", t_end)
        if not end > begin:
            raise ModelError(owner, "t_end", t_end, f"a time after the start at {begin:g} s")
        for constraint in self.model.constraints.values():
            constraint.check_run(begin, end)
        equations = Equations(compiled)
        if start is not None:
            refuse_singular(compiled, begin, state.q)
        refuse_thin(equations, begin, state.q)
        equations.accelerate(begin, state.q, state.u, state.z)  # a massless joint is its fault
        for callback in compiled.callbacks:
            if callback.noise:
                warn_caller(callback.noise)
        problem = Problem(
            equations=equations,
            t_start=begin,
            t_end=end,
            grid=output_times(owner, begin, end, output),
            q=state.q,
            u=state.u,
            z=state.z,
            events=(*events, *line_ends(self.model)),
            symmetries=ready.symmetries,
            rtol=rtol,
            atol=atol,
            progress=progress,
        )
        return with_sampler(self.model, problem), changes

    def _checked(self, events: Event | Sequence[Event]) -> tuple[Event, ...]:
        events = (events,) if isinstance(events, Event) else events
        events = tuple(validate.listed(OWNER, "events", events, "a sequence of Event"))
        for event in events:
            expect(OWNER, "events", event, Event, "objects of type Event")
        if events:  # without them the model was checked already
            self.model.check(events)
            check_changes(self.model, events)
        return events

    def _of(self, formulation: Formulation, events: tuple[Event, ...], start: Start) -> Ready:
        """What runs in these coordinates with these events share.

        A model that cannot be assembled at t = 0 s may be one that goes on from a later state.
        """
        bodies = self.model.bodies
        watched = (f for event in events for f in event.frames.values())
        bending = tuple(f for f in watched if f.body.name in bodies and bodies[f.body.name].deforms)
        changes = changing(self.model, [c for event in events for c in event.then], phase_of(start))
        choice = Choice(formulation, bending, tuple(map(frame_key, bending)), changes)
        try:
            return self._assembled(choice)
        except ModelError:
            if not isinstance(start, (State, Result)):
                raise
        compiled = self._compiled(choice)
        state = starting_state(OWNER, start, compiled)
        return Ready(self.model, assembled(compiled, state=state), compiled)

    def _start(
        self, ready: Ready, start: Start, formulation: Formulation
    ) -> tuple[Compiled, State, tuple[StartChange, ...]]:
        """Where a run starts, the model in the phase of that state, what constraints changed."""
        compiled = ready.compiled
        if start is None:
            return compiled, ready.start, ready.changes
        given = not isinstance(start, str)
        if isinstance(start, str) and start == "static":
            start = starting_equilibrium(self.model, formulation)
        elif isinstance(start, str) and start == "quasi-static":
            start = quasi_static(compiled, ready.start)
        phase = phase_of(start)
        asked = starting_state(OWNER, start, compiled)
        if phase is not None:
            compiled = starting_phase(compiled, phase, asked.q)
        found = on_constraints(compiled, asked)
        if found is asked or not given:
            return compiled, found, ()
        states = (asked.q, asked.u), (found.q, found.u)
        return compiled, found, start_changes(self.model.joints, compiled, *states, True)
