"""StaticResult: an equilibrium as a result with one time, and the sentence about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.base.snapshot_result import instant
from supple.analyses.equilibrium.balance import AtRest, Equilibrium, Spin, turned
from supple.engine.base.compiled import Compiled
from supple.forces import ForceElement, StateSpaceController
from supple.forces.kinds import force_kind
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array, Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.loops.singular import violated_row
from supple.results.data.findings import Finding, Monitor, RunFinding
from supple.results.data.run_data import RunData
from supple.results.flexibility.line_bending import line_turns
from supple.results.motion.motion_audit import MotionAudit
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

# An unstable motion is one of a body's deformation if that is this part of its largest coordinate
DEFORMS = 0.1
MOST = 3  # unstable motions that are named
MISSED = 1e-6  # rad or m: a coordinate farther from its target has not settled
# A model in steady rotation is in balance after these turns, rad, but for this part of its loads
TURNED, UNSTEADY = (0.4, 1.3), 1e-6
# rad from one end of an element to the other. A line with a kink at a node turns by half of it, so
# by less than pi/2, on either side; what turns farther than this lies back on itself.
FOLDED = 0.75 * np.pi


class StaticResult(Result):
    """An equilibrium: a result with one time, in which nothing moves.

    ``result["elbow"].angle[0]``, reactions, loads and energies are read as those of a run, and
    ``simulate(..., start=result)`` begins here.

    Attributes
    ----------
    iterations : steps of Newton's method
    stable : whether all motions have a positive stiffness, and no flexible body without stiffening
        carries more than its buckling load, nor a straight beam without twist of second order more
        than that under which it buckles to the side: controllers count as holding their targets;
        with loads that follow the motion, whether it neither leaves nor flutters, with 0.1 % of
        critical damping: see `stability`
    buckled : names of such bodies
    free : motions that nothing holds, in words
    multipliers : (nr,) of the constraint rows in use
    drive : by joint, efforts (n,) that keep the given rates of a steady rotation, N m or N
    """

    def __init__(self, data: RunData, found: Equilibrium, turned: tuple[str, ...] = ()) -> None:
        super().__init__(data)
        self.equilibrium = found
        self.iterations = found.iterations
        self.multipliers = found.lam
        effort = data.compiled.effort_to_user
        self.drive = {name: effort(name, found.drive) for name in turned}
        self.free = _words(data.compiled, found, found.free)

    @cached_property
    def stable(self) -> bool:
        """True if it is a stable equilibrium, see above."""
        found = self.equilibrium
        held = self.success and not len(found.free) and not len(found.unstable)
        return held and not self.buckled

    @property
    def buckled(self) -> tuple[str, ...]:
        """Flexible bodies that carry more than their buckling load, which they do not see."""
        return tuple(dict.fromkeys(f.body for f in self.monitor.findings if f.what == "buckling"))

    @cached_property
    def monitor(self) -> Monitor:
        """Monitor as of a run, and bodies whose deformation is in an unstable equilibrium."""
        seen, compiled = super().monitor, self.data.compiled
        bodies = dict(seen.bodies)
        for name, k in _deforming(compiled, self.equilibrium).items():
            if name in bodies:
                where = _words(compiled, self.equilibrium, np.array([k]))[0]
                sentence = (
                    f"{label(compiled.bodies[name].body)}: its equilibrium is unstable, first "
                    f"along {where}: it buckles or snaps to another one; statics with follow= has "
                    "the path, and a small load to the side the state that it leaves to"
                )
                finding = Finding(name, "stability", 1.0, 0.0, float(self.t[0]), False, sentence)
                told = (*bodies[name].findings, finding)
                bodies[name] = replace(bodies[name], findings=told)
        return Monitor(bodies)

    @cached_property
    def motion(self) -> MotionAudit:
        """An equilibrium that is left by the smallest disturbance is told, with where to."""
        found = self.equilibrium
        if not self.success or not len(found.unstable):
            return MotionAudit()
        where = ", ".join(_words(self.data.compiled, found, found.unstable)[:MOST])
        sentence = (
            f"the equilibrium is unstable along {where}: the smallest disturbance leaves it; begin "
            "beside it (start=) to find where it goes"
        )
        time = float(self.t[0])
        return MotionAudit((RunFinding(where, "unstable", 1.0, 0.0, time, False, sentence),))

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


def _deforming(compiled: Compiled, found: Equilibrium) -> dict[str, int]:
    """Flexible bodies that deform along an unstable motion, and its place; not those that turn."""
    where: dict[str, int] = {}
    for k in found.unstable:
        motion = np.abs(found.motions[:, k])
        for name, record in compiled.flexible.items():
            if motion[record.u].max(initial=0.0) > DEFORMS * motion.max():
                where.setdefault(compiled.owners[name], int(k))
    return where


def static_result(
    model: Model,
    rest: AtRest,
    found: Equilibrium,
    turning: Spin | None,
    newton: str = "dense",
) -> StaticResult:
    """Result of a search, with the sentence about it; signals stand still at its time.

    ``newton`` is how Newton's matrix was solved.
    """
    compiled, equations, time = rest.compiled, rest.equations, rest.t
    success, message = _verdict(model, compiled, found)
    if success:
        broken = violated_row(compiled, time, found.q)
        if not broken and turning is not None:
            broken = turning.moves(found.q) or _unsteady(rest, found)
        broken = broken or _locked(equations, time, found) or folded(compiled, found.q)
        success = not broken
        message = message if success else f"no equilibrium: {broken}"
    state = State(time, found.q, found.u, found.z)
    counts: dict[str, int | float | str] = {"iterations": found.iterations, "newton": newton}
    data = instant(model, equations, state, success, message, counts)
    return StaticResult(data, found, () if turning is None else turning.joints)


def _unsteady(rest: AtRest, found: Equilibrium) -> str:
    """Say that loads change while the model turns; empty if they turn along."""
    scale = rest.compiled.scale
    fastest = float(np.max(np.abs(found.u) / scale, initial=0.0))
    # what centrifugal loads balance
    still = rest.equations.residual(rest.t, found.q, rest.still, rest.still, found.z, found.lam)
    stiffness = float(np.median(np.abs(found.stiffness))) if len(found.stiffness) else 0.0
    size = max(float(np.max(np.abs(scale * still), initial=0.0)), stiffness)
    for angle in TURNED if fastest > 0.0 else ():
        q = turned(rest.equations, found.q, angle / fastest * found.u)
        left = rest.balance(q, found.z).load
        if np.max(np.abs(left), initial=0.0) > UNSTEADY * size:
            dof = int(np.argmax(np.abs(left)))
            return (
                f"loads change while the model turns, first at {rest.compiled.dof_label(dof)}, "
                "expected gravity along the axis and forces that turn along"
            )
    return ""


def _locked(equations: Equations, t: float, found: Equilibrium) -> str:
    """Say what is singular at the configuration that was found; empty if nothing is."""
    try:
        equations.accelerate(t, found.q, np.zeros(equations.nu), found.z)
    except ModelError as error:
        return str(error)
    return ""


def folded(compiled: Compiled, q: Array) -> str:
    """Say which cable or beam has an element that is folded; empty if none has."""
    for record in compiled.gradient.values():
        if not record.body.along_line:
            continue
        mesh = record.mesh
        turns = line_turns(q[record.q].reshape(1, *mesh.rest.shape), mesh)[0]
        rest = line_turns(mesh.rest[None], mesh)[0]
        k = int(np.argmax(turns))
        if turns[k] > FOLDED and rest[k] < 0.5 * FOLDED:
            return (
                f"{record.label}: its element {k} is folded, it turns by {turns[k]:.3g} rad from "
                "one end to the other, expected a start that is nearer to the equilibrium, loads "
                "that grow in steps, or more elements"
            )
    return ""


def _verdict(model: Model, compiled: Compiled, found: Equilibrium) -> tuple[bool, str]:
    """True if it is an equilibrium, and one sentence about it."""
    if not found.found:
        return False, _failure(model, compiled, found)
    message = f"equilibrium found in {found.iterations} steps"
    for kind, places in (("indifferent", found.free), ("unstable", found.unstable)):
        if len(places):
            message += f"; {kind} along {_words(compiled, found, places)[0]}"
    if np.any(compiled.rate_rows):
        row = compiled.rows[int(np.argmax(compiled.rate_rows))]
        message += f"; one of many: {row.label} holds a velocity and no place"
    return True, message


def _states(force: ForceElement) -> int:
    """Number of controller states of a force element."""
    if isinstance(force, StateSpaceController):
        return force.law.states
    return force_kind(force).states


def _failure(model: Model, compiled: Compiled, found: Equilibrium) -> str:
    if np.max(np.abs(found.missed), initial=0.0) > MISSED:
        controllers = [f for f in model.forces.values() for _ in range(_states(f))]
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
        f"{compiled.dof_label(dof)}{_advice(compiled, found)}"
    )


def _advice(compiled: Compiled, found: Equilibrium) -> str:
    """Advice by the end of a search."""
    where = ""
    if len(found.unstable):
        where = f"; where it ended is unstable along {_words(compiled, found, found.unstable)[0]}"
    return f"{where}; statics(..., follow='loads') tells how far the loads can grow"


def _unit(compiled: Compiled, dof: int) -> str:
    joint = compiled.joint_of(dof)
    if joint is None:
        return "(generalized)"
    part = compiled.dof_label(dof)
    slides = "displacement" in part or "motion along" in part
    return "N" if slides else "N m"


def _words(compiled: Compiled, found: Equilibrium, places: Indices) -> tuple[str, ...]:
    motions = (np.abs(found.motions[:, k]) for k in places)
    return tuple(compiled.dof_label(int(np.argmax(motion))) for motion in motions)
