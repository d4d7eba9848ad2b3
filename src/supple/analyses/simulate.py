"""simulate: from a model to a result."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.arguments import expect, number, output_times, starting_state
from supple.analyses.reactions import Reactions
from supple.analyses.statics import statics
from supple.core import dynamics, history
from supple.engine.builder import Compiled
from supple.engine.loads import Loads
from supple.engine.symmetry import symmetries
from supple.errors import ModelError, SimulationError, SuppleWarning
from supple.events import Event
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.integrators.base import Integrator
from supple.integrators.driver import Problem, Progress, Solution, tolerances
from supple.integrators.radau import Radau
from supple.loops.assembly import compile_model, on_constraints
from supple.loops.singular import passed, refuse_singular, violated
from supple.model import Model
from supple.native import library
from supple.poses import Array
from supple.results.result import History, Result, RunData
from supple.state import State

OWNER = "simulate"


def simulate(
    model: Model,
    t_end: float,
    *,
    start: State | Result | Literal["static"] | None = None,
    formulation: Formulation | None = None,
    integrator: Integrator | None = None,
    tolerance: str | float | Sequence[float] = "default",
    output: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    progress: Progress | None = None,
) -> Result:
    """Simulate a model from its initial coordinates to ``t_end`` (s).

    Parameters
    ----------
    start : State, Result or "static", optional
        Where the run starts: ``result.state(k)``, the last instant of a result of the same model,
        in any formulation, or what `assemble` returns; "static": at rest in the equilibrium that
        `statics` finds at t = 0 s. By default t = 0 s and the joints' initial coordinates and
        rates.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates: another spanning tree of the same model.
    integrator : Radau, DormandPrince, BDF, Adams, GeneralizedAlpha, HHT, Newmark or EnergyScheme
        The method and its options; Radau by default.
    tolerance : "loose", "default", "tight", rtol, or (rtol, atol)
        Error per step, relative to 1 rad, to the model's length and to the rates.
    output : int, float or array, optional
        Number of equal intervals (500 by default), their length in s (a float), or the times (s).
    events : Event or sequence of Event
        Instants to be found; a terminal one ends the run.
    progress : callable, optional
        Called with the time reached, some thirty times a second.

    A run that fails returns what it has, with ``success`` False, a ``message`` and a warning.
    """
    expect(OWNER, "model", model, Model, "a Model")
    expect(OWNER, "integrator", integrator, Integrator | None, "an integrator, e.g. Radau()")
    expect(OWNER, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()")
    if isinstance(events, Event):
        events = (events,)
    expect(OWNER, "events", events, Iterable, "a sequence of Event")
    events = tuple(events)
    for event in events:
        expect(OWNER, "events", event, Event, "objects of type Event")
    model.check(events)
    integrator = Radau() if integrator is None else integrator
    formulation = JointCoordinates() if formulation is None else formulation
    watched = [f for e in events for f in e.frames.values()]
    compiled = compile_model(model, watched, formulation.tree(model))
    library.load((*integrator.entries, history.history, dynamics.accelerate))
    equations = Equations(compiled)
    rtol, atol = tolerances(tolerance)
    if isinstance(start, str) and start == "static":
        start = _equilibrium(model, formulation)
    state = on_constraints(compiled, starting_state(OWNER, start, compiled))
    begin, end = state.t, number(OWNER, "t_end", t_end)
    if not end > begin:
        raise ModelError("simulate", "t_end", t_end, f"a time after the start at {begin:g} s")
    for constraint in model.constraints.values():
        constraint.check_run(begin, end)
    problem = Problem(
        equations=equations,
        t_start=begin,
        t_end=end,
        grid=output_times(OWNER, begin, end, output),
        q=state.q,
        u=state.u,
        z=state.z,
        events=events,
        symmetries=symmetries(model, compiled),
        rtol=rtol,
        atol=atol,
        progress=progress,
    )
    refuse_singular(compiled, begin, state.q)
    equations.accelerate(begin, state.q, state.u, state.z)  # a massless joint is the model's fault
    solution = integrator.run(problem)
    if not solution.success:
        warnings.warn(solution.message, SuppleWarning, stacklevel=2)
    for doubt in (
        passed(compiled, solution.t, solution.q, solution.u) if solution.success else "",
        violated(compiled, solution.t, solution.q),
    ):
        if doubt:
            warnings.warn(doubt, SuppleWarning, stacklevel=2)
    a, states = _histories(solution)
    result = Result(
        RunData(
            model,
            compiled,
            solution.t,
            solution.q,
            solution.u,
            a,
            solution.z,
            solution.channels,
            states,
            solution.audit,
            solution.momentum,
            solution.events,
            solution.success,
            solution.message,
            solution.statistics,
            solution.final,
            Loads(
                compiled,
                dict(model.forces),
                solution.t,
                solution.q,
                solution.u,
                solution.z,
                tuple(solution.row_sets),
            ),
            _reactions(model, compiled, solution, states),
        )
    )
    for finding in result.monitor.findings:
        if finding.serious:
            warnings.warn(finding.sentence, SuppleWarning, stacklevel=2)
    return result


def _histories(solution: Solution) -> tuple[Array, History]:
    """Accelerations and histories at the output times, with the rows in use at each of them."""
    s = solution
    begins = [t for t, _ in s.row_sets]
    which = np.maximum(np.searchsorted(begins, s.t, side="right") - 1, 0)
    parts = []
    for k, (_, compiled) in enumerate(s.row_sets):
        mine = which == k
        if np.any(mine) or len(s.row_sets) == 1:
            parts.append(Equations(compiled).history(s.t[mine], s.q[mine], s.u[mine], s.z[mine]))
    if len(parts) == 1:
        return parts[0]
    names = [field.name for field in dataclasses.fields(History)]
    joined = {n: np.concatenate([getattr(h, n) for _, h in parts]) for n in names}
    return np.concatenate([a for a, _ in parts]), History(**joined)


def _reactions(
    model: Model, compiled: Compiled, solution: Solution, states: History
) -> Reactions | None:
    """Source of the smallest reactions where they are not unique; None without constraint rows."""
    if not compiled.all_rows:
        return None
    s = solution
    return Reactions(model.copy(), s.row_sets, s.t, s.q, s.u, s.z, states)


def _equilibrium(model: Model, formulation: Formulation) -> State:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        found = statics(model, formulation=formulation)
    if not found.success:
        raise SimulationError(f"simulate: start is 'static', but {found.message}")
    return found.state()
