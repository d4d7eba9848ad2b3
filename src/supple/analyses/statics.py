"""statics: the configuration in which a model stays at rest."""

from __future__ import annotations

import warnings

import numpy as np

from supple.analyses.arguments import expect, number, starting_state
from supple.analyses.equilibrium import Equilibrium, Places, Search
from supple.analyses.instant import instant
from supple.engine.builder import Compiled
from supple.errors import ModelError, SuppleWarning, label
from supple.forces.kinds import force_kind
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.loops.assembly import compile_model
from supple.loops.singular import violated_row
from supple.model import Model
from supple.results.result import Result, RunData
from supple.state import State
from supple.waiting import told

OWNER = "statics"
MISSED = 1e-6  # rad or m: a coordinate farther from its target has not settled


class StaticResult(Result):
    """An equilibrium: a result with one time, in which nothing moves.

    ``result["elbow"].angle[0]``, reactions, loads and energies are read as those of a run, and
    ``simulate(..., start=result)`` begins here.

    Attributes
    ----------
    iterations : steps of Newton's method
    stable : whether all motions have a positive stiffness, and no flexible body without stiffening
        carries more than its buckling load: controllers count as holding their targets; for forces
        that follow a motion, see the eigenvalues of `linearize`
    buckled : names of such bodies
    free : motions that nothing holds, in words
    multipliers : (nr,) of the constraint rows in use
    """

    def __init__(self, data: RunData, found: Equilibrium) -> None:
        super().__init__(data)
        self.equilibrium = found
        self.iterations = found.iterations
        self.multipliers = found.lam
        held = data.success and not len(found.free) and not len(found.unstable)
        self.stable = held and not self.buckled
        self.free = _words(data.compiled, found, found.free)

    @property
    def buckled(self) -> tuple[str, ...]:
        """Flexible bodies without stiffening that carry more than their buckling load."""
        return tuple(f.body for f in self.monitor.findings if f.what == "buckling")

    def __repr__(self) -> str:
        state = "equilibrium" if self.success else "NO EQUILIBRIUM"
        gravity, elastic = self.energy.gravity[0], self.energy.elastic[0]
        lines = [
            f"Statics of model '{self.model.name}' at {self.t[0]:g} s: {state}",
            f"  energy    gravity {gravity:.6g} J, elastic {elastic:.6g} J",
            f"  validity  {self.monitor.verdict}",
            f"  message   {self.message}",
        ]
        return "\n".join(lines)


def statics(
    model: Model,
    *,
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
) -> StaticResult:
    """Find an equilibrium of a model near its initial coordinates, or near ``start``.

    Parameters
    ----------
    t : s
        Signals stand still at their values at this time: applied forces, targets of controllers and
        the motions of drivers.
    start : State or Result, optional
        Where the search begins; by default at the joints' initial coordinates.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates.

    The search goes downhill, so it ends in a stable equilibrium unless it starts in an unstable
    one. Velocities are zero: dampers and friction do nothing. A controller that integrates is
    settled: its coordinate is on the target and its integral carries the load, up to its limit;
    without ``ki`` its integral is left as it is at the start. A search that fails returns where it
    ended, with ``success`` False, a ``message`` and a warning.
    """
    expect(OWNER, "model", model, Model, "a Model")
    expect(OWNER, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()")
    time = number(OWNER, "t", t)
    formulation = JointCoordinates() if formulation is None else formulation
    compiled = compile_model(model, (), formulation.tree(model), time)
    equations = Equations(compiled)
    state = starting_state(OWNER, start, compiled)
    equations.accelerate(time, compiled.q0, 0.0 * compiled.u0)  # a massless joint is its fault
    with told("statics: the equilibrium is searched"):
        found = Search(equations, time).run(state.q, state.z)
    success, message = _verdict(model, compiled, found)
    if success:
        broken = violated_row(compiled, time, found.q)
        success = not broken and not (broken := _locked(equations, time, found))
        message = message if success else f"no equilibrium: {broken}"
    rest = State(time, found.q, np.zeros(compiled.nu), found.z)
    counts = {"iterations": found.iterations}
    result = StaticResult(instant(model, equations, rest, success, message, counts), found)
    doubts = [f.sentence for f in result.monitor.findings if f.serious]
    for doubt in doubts if success else [message, *doubts]:
        warnings.warn(doubt, SuppleWarning, stacklevel=2)
    return result


def _locked(equations: Equations, t: float, found: Equilibrium) -> str:
    """Say what is singular at the configuration that was found; empty if nothing is."""
    try:
        equations.accelerate(t, found.q, np.zeros(equations.nu), found.z)
    except ModelError as error:
        return str(error)
    return ""


def _verdict(model: Model, compiled: Compiled, found: Equilibrium) -> tuple[bool, str]:
    """Whether it is an equilibrium, and one sentence about it."""
    if not found.found:
        return False, _failure(model, compiled, found)
    message = f"equilibrium found in {found.iterations} steps"
    for kind, places in (("indifferent", found.free), ("unstable", found.unstable)):
        if len(places):
            message += f"; {kind} along {_words(compiled, found, places)[0]}"
    return True, message


def _failure(model: Model, compiled: Compiled, found: Equilibrium) -> str:
    if np.max(np.abs(found.missed), initial=0.0) > MISSED:
        controllers = [f for f in model.forces.values() if force_kind(f).states]
        k = int(np.argmax(np.abs(found.missed)))
        return (
            f"{label(controllers[k])}: its coordinate stays {abs(found.missed[k]):.3g} away from "
            "its target, expected one that the mechanism can reach beside its other constraints"
        )
    along = found.motions.T @ found.load
    free = [k for k in found.free if along[k] != 0.0]
    place = max(free, key=lambda k: abs(along[k]), default=None)
    if place is not None:
        dof = int(np.argmax(np.abs(found.motions[:, place])))
        push = found.load[dof] / compiled.scale[dof]
        return (
            f"{compiled.dof_label(dof)} is pushed with {abs(push):.3g} {_unit(compiled, dof)} and "
            "nothing holds it, expected a spring, a stop, a controller or a driver on that motion"
        )
    dof = int(np.argmax(np.abs(found.load)))
    return (
        f"no equilibrium found in {found.iterations} steps; the largest load out of balance is "
        f"{abs(found.load[dof]) / compiled.scale[dof]:.3g} {_unit(compiled, dof)} at "
        f"{compiled.dof_label(dof)}"
    )


def _unit(compiled: Compiled, dof: int) -> str:
    joint = compiled.joint_of(dof)
    if joint is None:
        return "(generalized)"
    part = compiled.dof_label(dof)
    slides = "displacement" in part or "motion along" in part
    return "N" if slides else "N m"


def _words(compiled: Compiled, found: Equilibrium, places: Places) -> tuple[str, ...]:
    motions = (np.abs(found.motions[:, k]) for k in places)
    return tuple(compiled.dof_label(int(np.argmax(motion))) for motion in motions)
