"""statics: the configuration in which a model stays at rest, or a path of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, overload

from supple.analyses.base.arguments import expect, number, starting_state
from supple.analyses.equilibrium.balance import AtRest, Equilibrium
from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.equilibrium.path import EquilibriumPath, followed, path_end
from supple.analyses.equilibrium.sparse_balance import TOO_LARGE, SparseAtRest
from supple.analyses.equilibrium.spin import Spin
from supple.analyses.equilibrium.static_result import StaticResult as StaticResult
from supple.analyses.equilibrium.static_result import static_result
from supple.analyses.equilibrium.tree_balance import TreeAtRest
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation.errors import SimulationError, SuppleWarning, warn_caller
from supple.foundation.progress import told
from supple.loops.assembly import compile_model
from supple.model import Model
from supple.results.result import Result
from supple.state import State

OWNER = "statics"


@overload
def statics(
    model: Model,
    *,
    t: float = ...,
    start: State | Result | None = ...,
    formulation: Formulation | None = ...,
    spin: Mapping[Any, float] | None = ...,
    steps: None = ...,
    follow: None = ...,
) -> StaticResult: ...
@overload
def statics(
    model: Model,
    *,
    t: float = ...,
    start: State | Result | None = ...,
    formulation: Formulation | None = ...,
    spin: Mapping[Any, float] | None = ...,
    steps: int | Sequence[float],
    follow: str | Sequence[str] | None = ...,
    until: float = ...,
    points: int = ...,
) -> EquilibriumPath: ...
@overload
def statics(
    model: Model,
    *,
    t: float = ...,
    start: State | Result | None = ...,
    formulation: Formulation | None = ...,
    spin: Mapping[Any, float] | None = ...,
    steps: None = ...,
    follow: str | Sequence[str],
    until: float = ...,
    points: int = ...,
) -> EquilibriumPath: ...
def statics(
    model: Model,
    *,
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
    spin: Mapping[Any, float] | None = None,
    steps: int | Sequence[float] | None = None,
    follow: str | Sequence[str] | None = None,
    until: float = 1.0,
    points: int = 400,
) -> StaticResult | EquilibriumPath:
    """Find an equilibrium of a model near its initial coordinates, or near ``start``.

    With ``steps`` or ``follow`` its loads grow from zero, and the answer is the path of equilibria.

    Parameters
    ----------
    t : s
        Signals stand still at their values at this time: applied forces, targets of controllers and
        the motions of drivers.
    start : State or Result, optional
        Where the search begins; by default at the joints' initial coordinates.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates.
    spin : mapping, optional
        Constant rates (rad/s) by joint, ``{"shaft": 12.0}``, or by (joint, coordinate): the model
        turns as a whole, and what is found is the equilibrium in that rotation. ``result.drive``
        has what keeps these rates. Loads must turn along: gravity is along the axis, or absent.
    steps : int or sequence of float, optional
        Load steps: equilibria at so many equal parts of ``until``, or at these load factors, up to
        the first limit point.
    follow : str or sequence of str, optional
        What a load factor multiplies: "loads" (all forces, efforts, loads along beams and gravity;
        the usual choice with ``steps``), "gravity", "spin", or names of forces, efforts,
        controllers (their targets) and drivers (their motions). Everything else acts from the
        beginning. Without ``steps`` the path is followed by its arc length, through limit points.
    until : load factor at which a path ends; 1 is the model as it is
    points : most points of a path by arc length, or between two load steps

    The search goes downhill, so it ends in a stable equilibrium unless it starts in an unstable
    one. Velocities are zero: dampers and friction do nothing. A controller that integrates is
    settled: its coordinate is on the target and its integral carries the load, up to its limit;
    without ``ki`` its integral is left as it is at the start. A search that fails returns where it
    ended, with ``success`` False, a ``message`` and a warning.
    """
    expect(OWNER, "model", model, Model, "a Model")
    expect(OWNER, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()")
    time = number(OWNER, "t", t)
    end = path_end(until, points)
    formulation = JointCoordinates() if formulation is None else formulation
    model = formulation.written(model)
    if steps is not None or follow is not None:
        given = "loads" if follow is None else follow
        path = followed(model, time, start, formulation, spin, given, steps, *end)
        for doubt in path.doubts:
            warn_caller(doubt)
        return path
    compiled = compile_model(model, (), formulation.tree(model), time, formulation.way())
    equations = Equations(compiled)
    state = starting_state(OWNER, start, compiled)
    equations.accelerate(time, compiled.q0, 0.0 * compiled.u0)  # a massless joint is its fault
    turning = None if spin is None else Spin(model, equations, time, spin)
    rest = AtRest(equations, time, turning)
    with told("statics: the equilibrium is searched"):
        found, newton = _searched(rest, state)
    result = static_result(model, rest, found, turning, newton)
    doubts = [f.sentence for f in result.monitor.findings if f.serious]
    for doubt in doubts if result.success else [result.message, *doubts]:
        warn_caller(doubt)
    return result


def _searched(rest: AtRest, state: State) -> tuple[Equilibrium, str]:
    """Equilibrium, and the solver that found it: whole matrices where others cannot tell."""
    equations, still = rest.equations, rest.spin is None
    if still and TreeAtRest.fits(equations):
        found = Search(TreeAtRest(equations, rest.t)).run(state.q, state.z)
        if not found.unclear:
            return found, TreeAtRest.name
    elif still and SparseAtRest.fits(equations):
        found = Search(SparseAtRest(equations, rest.t)).run(state.q, state.z)
        if not found.unclear or equations.nu >= TOO_LARGE:
            return found, SparseAtRest.name
    return Search(rest).run(state.q, state.z), rest.name


def starting_equilibrium(model: Model, formulation: Formulation) -> State:
    """The equilibrium in which a run starts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        found = statics(model, formulation=formulation)
    if not found.success:
        raise SimulationError(f"simulate: start is 'static', but {found.message}")
    return found.state()
