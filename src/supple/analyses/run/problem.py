"""From a compiled model and the options of a run to the problem that an integrator solves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.base.arguments import number, output_times, starting_state
from supple.analyses.base.snapshot_outputs import InstantOutputs
from supple.analyses.equilibrium.statics import starting_equilibrium
from supple.analyses.run.compilation import Compilation, Ready
from supple.analyses.run.options import OWNER, RunOptions, event_tuple
from supple.analyses.run.phases import phase_of, starting_phase
from supple.analyses.run.quasi_static import quasi_static
from supple.analyses.run.refusals import Asked, Built, Placed, refuse
from supple.core.equations import dynamics, history
from supple.engine.base.compiled import Compiled
from supple.forces import SampledController
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError, label, warn_caller
from supple.foundation.progress import told
from supple.integrators.run.driver import Problem, Progress
from supple.integrators.run.line_ends import line_ends
from supple.integrators.run.sampling import Sampler
from supple.loops.assembly import on_constraints
from supple.model import Model
from supple.native import library
from supple.results.data.start_changes import StartChange, start_changes
from supple.state import State

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

# Kernels that a run and its result call, whatever the integrator
ALWAYS = (history.history, history.motion_history, dynamics.accelerate)


def problem_of(
    compilation: Compilation, options: RunOptions, progress: Progress | None = None
) -> tuple[Problem, tuple[StartChange, ...]]:
    """Problem of a run, its kernels ready, and changes of its start by constraints.

    Whatever cannot be run is refused on the way.
    """
    model, events = compilation.model, event_tuple(options.owner, options.events)
    refuse(Asked(model, options, events))
    ready = compilation.ready(options, events)
    refuse(Built(model, options, events, ready.compiled))
    with told(""):  # it tells itself what it compiles
        library.load((*options.method.entries, *ALWAYS))
    for callback in ready.compiled.callbacks:
        callback.forget()
        callback.verify = True
    rtol, atol = options.tolerances
    compiled, state, changes = _start(ready, options)
    equations, end = Equations(compiled), number(options.owner, "t_end", options.t_end)
    refuse(Placed(model, options, events, compiled, equations, state, end))
    for callback in compiled.callbacks:
        if callback.noise:
            warn_caller(callback.noise)
    problem = Problem(
        equations=equations,
        t_start=state.t,
        t_end=end,
        grid=output_times(options.owner, state.t, end, options.output),
        q=state.q,
        u=state.u,
        z=state.z,
        events=(*events, *line_ends(model)),
        symmetries=ready.symmetries,
        rtol=rtol,
        atol=atol,
        progress=progress,
    )
    return with_sampler(model, problem), changes


def _start(ready: Ready, options: RunOptions) -> tuple[Compiled, State, tuple[StartChange, ...]]:
    """Where a run starts, the model in the phase of that state, what constraints changed."""
    compiled, start = ready.compiled, options.start
    if start is None:
        return compiled, ready.start, ready.changes
    given = not isinstance(start, str)
    if isinstance(start, str) and start == "static":
        start = starting_equilibrium(ready.model, options.coordinates)
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
    return compiled, found, start_changes(ready.model.joints, compiled, *states, True)


def with_sampler(model: Model, problem: Problem, endless: bool = False) -> Problem:
    """The problem of a run with the sampled controllers of its model, and room for their efforts.

    The numbers of its model are its own then.
    """
    found = [f for f in model.forces.values() if isinstance(f, SampledController)]
    if not found:
        return problem
    compiled = problem.equations.compiled
    state = State(problem.t_start, problem.q, problem.u, problem.z, compiled=compiled)
    read = _Sensors(model, compiled, state, found)
    sampler = Sampler(found, compiled, problem.t_start, read, endless)
    end = math.inf if endless else problem.t_end
    own = sampler.roomy(compiled, end)
    return problem._replace(equations=Equations(own), sampler=sampler)


class _Sensors:
    """Reads the texts of sensors at the present state of a run."""

    def __init__(
        self, model: Model, compiled: Compiled, state: State, found: list[SampledController]
    ) -> None:
        self.outputs: dict[tuple[str, ...], InstantOutputs] = {}
        equations = Equations(compiled)
        for controller in found:
            texts = controller.sensors
            if not texts or texts in self.outputs:
                continue
            try:
                outputs = InstantOutputs(model, equations, state, texts)
            except SuppleError as error:
                expected = f"quantities of the model that are numbers: {error}"
                raise ModelError(label(controller), "sensors", list(texts), expected) from None
            for text, value in outputs.named.items():
                if np.ndim(value):
                    expected = "a number, e.g. a component 'tip.position.z'"
                    raise ModelError(label(controller), "sensors", text, expected)
            self.outputs[texts] = outputs

    def __call__(self, run: LoopRun, texts: tuple[str, ...]) -> Array:
        """Values (n,) of the texts."""
        c, r = run.compiled, run.fields
        outputs = self.outputs[texts]
        state = State(float(run.state[0]), r.q.copy(), r.u.copy(), r.z.copy(), compiled=c)
        outputs.read(Equations(c), state)
        return outputs.values.copy()
