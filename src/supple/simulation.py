"""simulate: from a model to a result."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.assembly import compile_model, on_constraints, transferred
from supple.compiled import Compiled
from supple.core import dynamics, history, jit
from supple.errors import ModelError, SuppleWarning
from supple.events import Event
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.integrators.base import Integrator
from supple.integrators.driver import Problem, Progress, Solution, tolerances
from supple.integrators.radau import Radau
from supple.loads import Loads
from supple.model import Model
from supple.poses import Array
from supple.reactions import Reactions
from supple.result import History, Result, RunData
from supple.singular import passed, refuse_singular, violated
from supple.state import State, mismatch, same_parts
from supple.symmetry import symmetries

DEFAULT_OUTPUT = 500  # intervals


def simulate(
    model: Model,
    t_end: float,
    *,
    start: State | Result | None = None,
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
    start : State or Result, optional
        Where the run starts: ``result.state(k)``, the last instant of a result of the same model,
        in any formulation, or what `assemble` returns. By default t = 0 s and the joints' initial
        coordinates and rates.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates: another spanning tree of the same model.
    integrator : Radau, DormandPrince, BDF, Adams, GeneralizedAlpha, HHT or Newmark, optional
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
    _expect("model", model, Model, "a Model")
    _expect("integrator", integrator, Integrator | None, "an integrator, e.g. Radau()")
    _expect("formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()")
    if isinstance(events, Event):
        events = (events,)
    _expect("events", events, Iterable, "a sequence of Event")
    events = tuple(events)
    for event in events:
        _expect("events", event, Event, "objects of type Event")
    model.check(events)
    integrator = Radau() if integrator is None else integrator
    formulation = JointCoordinates() if formulation is None else formulation
    watched = [f for e in events for f in e.frames.values()]
    compiled = compile_model(model, watched, formulation.tree(model))
    jit.prepare(*integrator.entries, history.history, dynamics.accelerate)
    equations = Equations(compiled)
    rtol, atol = tolerances(tolerance)
    state = on_constraints(compiled, _state(start, compiled))
    begin, end = state.t, _number("t_end", t_end)
    if not end > begin:
        raise ModelError("simulate", "t_end", t_end, f"a time after the start at {begin:g} s")
    for constraint in model.constraints.values():
        constraint.check_run(begin, end)
    problem = Problem(
        equations=equations,
        t_start=begin,
        t_end=end,
        grid=_grid(begin, end, output),
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
    return Result(
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
                tuple(solution.rows),
            ),
            _reactions(model, compiled, solution, states),
        )
    )


def _histories(solution: Solution) -> tuple[Array, History]:
    """Everything at the output times, each with the constraint rows that were in use."""
    s = solution
    begins = [t for t, _ in s.rows]
    which = np.maximum(np.searchsorted(begins, s.t, side="right") - 1, 0)
    parts = []
    for k, (_, compiled) in enumerate(s.rows):
        mine = which == k
        if np.any(mine) or len(s.rows) == 1:
            parts.append(Equations(compiled).history(s.t[mine], s.q[mine], s.u[mine], s.z[mine]))
    if len(parts) == 1:
        return parts[0]
    names = [field.name for field in dataclasses.fields(History)]
    joined = {n: np.concatenate([getattr(h, n) for _, h in parts]) for n in names}
    return np.concatenate([a for a, _ in parts]), History(**joined)


def _reactions(
    model: Model, compiled: Compiled, solution: Solution, states: History
) -> Reactions | None:
    """Who knows the reactions that are not unique; a tree without constraints has none."""
    if not compiled.all_rows:
        return None
    s = solution
    return Reactions(model.copy(), s.rows, s.t, s.q, s.u, s.z, states)


def _expect(field: str, value: Any, kind: Any, expected: str) -> None:
    if not isinstance(value, kind):
        raise ModelError("simulate", field, value, expected)


def _state(start: State | Result | None, compiled: Compiled) -> State:
    if start is None:
        return State(0.0, compiled.q0.copy(), compiled.u0.copy(), compiled.z0.copy())
    state = start.state() if isinstance(start, Result) else start
    if not isinstance(state, State):
        raise ModelError("simulate", "start", start, "a State or a Result of this model")
    wrong = mismatch(state, compiled)
    if wrong and state.compiled is not None and same_parts(state.compiled, compiled):
        q, u = transferred(state.compiled, state.q, state.u, compiled)  # of another formulation
        state = dataclasses.replace(state, q=q, u=u, compiled=None)
    elif wrong:
        raise ModelError("simulate", "start", wrong, "a State or a Result of this model")
    arrays = [np.array(x, dtype=float) for x in (state.q, state.u, state.z)]
    found, expected = [len(x) for x in arrays], [compiled.nq, compiled.nu, compiled.nz]
    if found != expected or not all(np.all(np.isfinite(x)) for x in arrays):
        sizes = "{} coordinates, {} velocities and {} controller states"
        raise ModelError(
            "simulate", "start", sizes.format(*found), f"finite {sizes.format(*expected)}"
        )
    return State(float(state.t), *arrays)


def _number(field: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise ModelError("simulate", field, value, "a finite number of seconds")
    return number


def _grid(begin: float, end: float, output: Any) -> Array:
    expected = "a number of intervals, an interval in s, or increasing times in the run"
    times: Array
    if output is None:
        output = DEFAULT_OUTPUT
    if isinstance(output, bool) or isinstance(output, str):
        raise ModelError("simulate", "output", output, expected)
    if isinstance(output, (int, np.integer)):
        if output < 1:
            raise ModelError("simulate", "output", output, expected)
        times = np.linspace(begin, end, int(output) + 1)
    elif isinstance(output, float):
        if not 0.0 < output <= end - begin:
            raise ModelError("simulate", "output", output, expected)
        count = int(np.floor((end - begin) / output * (1 + 1e-12)))
        times = np.array([min(begin + output * k, end) for k in range(count + 1)])
    else:
        try:
            times = np.asarray(output, dtype=float)
        except (TypeError, ValueError):
            times = np.zeros((0, 0))
        if (
            times.ndim != 1
            or len(times) == 0
            or not np.all(np.isfinite(times))
            or np.any(np.diff(times) <= 0.0)
            or times[0] < begin
            or times[-1] > end
        ):
            raise ModelError("simulate", "output", output, expected)
    times = np.array(times)
    times.flags.writeable = False
    return times
