"""From a model and the options of a run to the problem that an integrator solves.

The model is compiled and assembled in the coordinates that its runs ask for, in each once.

What cannot be run is a list of refusals that the preparation of every run walks. Each entry says
what it needs: the model and the options alone, the compiled model, or the state on its constraints.
It raises one sentence, or lets the run pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.base.arguments import expect, number, output_times, starting_state
from supple.analyses.base.snapshot_result import InstantOutputs
from supple.analyses.equilibrium.statics import starting_equilibrium
from supple.analyses.run.options import OWNER, RunOptions, event_tuple
from supple.analyses.run.phases import phase_of, starting_phase
from supple.analyses.run.quasi_static import quasi_static
from supple.constraints import FrameDriver
from supple.constraints.topology_changes import Change, Lock, Release
from supple.core.equations import dynamics, history
from supple.engine.base.compiled import Compiled, FrameKey, JointRecord, frame_key
from supple.engine.pack.builder import build, with_initial
from supple.engine.pack.kinds import refuse_cells, refuse_rates
from supple.engine.reading.phases import Phase, in_phase
from supple.engine.reading.rows import own_mass, rows_at
from supple.engine.reading.symmetry import Symmetry, symmetries
from supple.events import Event
from supple.forces import ForceElement, Motor, SampledController
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import (
    ModelError,
    SuppleError,
    describe,
    label,
    suggestion,
    warn_caller,
)
from supple.foundation.frames import Frame
from supple.foundation.progress import told
from supple.graph.topology import FREE, Graph
from supple.graph.tree_choice import Tree
from supple.integrators.methods.explicit import DormandPrince, refuse_explicit
from supple.integrators.run.driver import Problem, Progress
from supple.integrators.run.line_ends import line_ends
from supple.integrators.run.sampling import Sampler
from supple.joints import Free, Joint
from supple.loops.assembly import assembled, on_constraints, on_other
from supple.loops.singular import refuse_singular
from supple.native import library
from supple.results.data.run_data import StartChange, start_changes
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun
    from supple.model import Model

# Inertia about an axis, part of the largest of the joint, that is rounding of the tensor
ROUNDING = 1e-14
HELD = 1e-6  # part of a row along the axis from which on it holds the spin
# Kernels that a run and its result call, whatever the integrator
ALWAYS = (history.history, history.motion_history, dynamics.accelerate)
DEFAULT = JointCoordinates()


@dataclass(frozen=True)
class Asked:
    """A run that is asked for: the model, its options and events."""

    model: Model
    options: RunOptions
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Built(Asked):
    """A run whose model is compiled."""

    compiled: Compiled


@dataclass(frozen=True)
class Placed(Built):
    """A run at its start, a state on the constraints."""

    equations: Equations
    state: State
    t_end: float


def refuse(run: Asked) -> None:
    """Raise if something refuses a run, by all entries that need what is known of it now."""
    for needs, check in REFUSALS:
        if type(run) is needs:
            check(run)


def other_events(run: Asked) -> None:
    """Refuse what is no event, and events of what the model does not have."""
    for event in run.events:
        expect(run.options.owner, "events", event, Event, "objects of type Event")
    if run.events:  # without them the model was checked already
        run.model.check(run.events)


def other_changes(run: Asked) -> None:
    """Refuse changes of what the model does not have, or of what cannot change so."""
    for event in run.events:
        for change in event.then:
            _check_change(run.model, label(event), change)
        if sum(other.name == event.name for other in run.events) > 1:
            raise ModelError(label(event), "name", event.name, "a name that no other event has")


def _check_change(model: Model, owner: str, change: Change) -> None:
    known = list(model.joints)
    if isinstance(change, Release):
        known += list(model.constraints)
    if change.name not in known:
        kinds = "a joint or constraint" if isinstance(change, Release) else "a joint"
        hint = suggestion(change.name, known)
        expected = f"the name of {kinds} of {label(model)}, {hint}"
        raise ModelError(owner, f"then={type(change).__name__}", change.name, expected)
    joint = model.joints.get(change.name)
    if joint is None:
        if isinstance(model.constraints[change.name], FrameDriver):
            raise ModelError(owner, "then", model.constraints[change.name], "another constraint")
    elif isinstance(change, Release):
        if isinstance(joint, Free):
            raise ModelError(owner, "then=Release", joint, "a joint that holds something")
        for force in model.forces.values():
            if isinstance(force, Motor) and force.joint == joint.name:
                raise ModelError.plain(
                    f"{owner}: then releases {describe(joint)}, on which {label(force)} acts, "
                    "expected a joint without a rotor"
                )
    elif joint.nu == 0:
        raise ModelError(owner, f"then={type(change).__name__}", joint, "a joint that moves")
    elif isinstance(change, Lock) and change.coordinate is not None:
        joint.coordinate_index(change.coordinate, owner)


def other_method(run: Asked) -> None:
    """Refuse what is no integrator, or no formulation."""
    run.options.expect_method(run.options.owner)
    run.options.expect_formulation(run.options.owner)


def held_joints(run: Built) -> None:
    """Refuse a method that does not hold coordinates in a run that may lock or release joints."""
    method = run.options.method
    if run.compiled.holds and method.method == "energy":
        names = ", ".join(map(repr, run.compiled.holds))
        raise ModelError.plain(
            f"{type(method).__name__}: {names} lock or let go in the run, which it does not "
            "treat, expected another integrator, e.g. Radau()"
        )


def fast_sections(run: Built) -> None:
    """Refuse explicit methods for sections that vibrate far too fast."""
    refuse_explicit(run.compiled, run.options.method)


def implicit_sets(run: Built) -> None:
    """Refuse methods with Newton's matrix for sets whose pairs are found by cells."""
    method = run.options.method
    if not isinstance(method, DormandPrince):
        refuse_cells(run.compiled, type(method).__name__, "DormandPrince(), ")
    elif method.constraints == "partitioning":
        refuse_rates(run.compiled, "DormandPrince(constraints='partitioning')")


def early_end(run: Placed) -> None:
    """Refuse an end that is not behind the start."""
    begin = run.state.t
    if not run.t_end > begin:
        expected = f"a time after the start at {begin:g} s"
        raise ModelError(run.options.owner, "t_end", run.options.t_end, expected)


def undefined_motions(run: Placed) -> None:
    """Refuse constraints that are not defined all the time."""
    for constraint in run.model.constraints.values():
        constraint.check_run(run.state.t, run.t_end)


def singular_start(run: Placed) -> None:
    """Refuse a start in a singular position; the model's own start was looked at before."""
    if run.options.start is not None:
        refuse_singular(run.compiled, run.state.t, run.state.q)


def thin_bodies(run: Placed) -> None:
    """Refuse a ball or free joint that can spin about an axis without moving any mass."""
    equations, c, t, q = run.equations, run.compiled, run.state.t, run.state.q
    turning = [j for j in c.joints.values() if j.chart.quaternion]
    if not turning:
        return
    M = own_mass(c, equations.work, q)
    for joint in turning:
        axis = _without_inertia(M(slice(joint.u.start, joint.u.stop)))
        if axis is None or _is_held(equations, t, q, joint, axis):
            continue
        axis = axis * (1.0 if axis[np.argmax(np.abs(axis))] > 0.0 else -1.0)
        along = ", ".join(f"{x:.4g}" for x in np.where(np.abs(axis) < 1e-9, 0.0, axis))
        raise ModelError.plain(
            f"{joint.label}: body {joint.child!r} has no inertia about the axis ({along}) of the "
            "joint's frame on it, and nothing hangs on it that has some, expected an inertia about "
            "that axis, or a joint that does not turn about it, e.g. Universal"
        )


def massless_joints(run: Placed) -> None:
    """Refuse joints that move nothing, whose accelerations are not defined."""
    s = run.state
    run.equations.accelerate(s.t, s.q, s.u, s.z)


# What a check needs, and the check, in their order
REFUSALS: tuple[tuple[type[Asked], Callable[[Any], None]], ...] = (
    (Asked, other_events),
    (Asked, other_changes),
    (Asked, other_method),
    (Built, held_joints),
    (Built, fast_sections),
    (Built, implicit_sets),
    (Placed, early_end),
    (Placed, undefined_motions),
    (Placed, singular_start),
    (Placed, thin_bodies),
    (Placed, massless_joints),
)


def _without_inertia(M: Array) -> Array | None:
    """Axis (3,), in the joint's frame on the child, about which nothing has inertia, or None.

    M is the mass matrix of the joint's velocities.
    """
    turn, rest = np.arange(3), np.arange(3, len(M))
    inertia = M[np.ix_(turn, turn)]
    about = inertia
    if len(rest):  # about the centre of mass, where the body flies
        coupled, mass = M[np.ix_(rest, turn)], M[np.ix_(rest, rest)]
        if not np.linalg.cond(mass) < 1e12:
            return None
        about = inertia - coupled.T @ np.linalg.solve(mass, coupled)
    if not (np.all(np.isfinite(about)) and np.any(inertia)):
        return None
    sizes, axes = np.linalg.eigh(0.5 * (about + about.T))
    thin = sizes[0] < ROUNDING * float(np.max(np.diag(inertia))) and sizes[1] > 1e-9 * sizes[2]
    return axes[:, 0] if thin else None


def _is_held(equations: Equations, t: float, q: Array, joint: JointRecord, axis: Array) -> bool:
    """True if constraint rows see a spin about the axis."""
    c: Compiled = equations.compiled
    if not c.nr:
        return False
    spin = np.zeros(c.nu)
    spin[joint.u.start : joint.u.start + 3] = axis
    G = rows_at(c, equations.work, t, q, np.zeros(c.nu)).sparse
    return bool(np.max(np.abs(G @ spin)) > HELD * max(float(abs(G).max()), 1e-300))


@dataclass(frozen=True)
class Changing:
    """Joints that may be held in a run, joints among them that may let go, and whether any does."""

    held: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    any: bool = False


NO_CHANGES = Changing()


def changing(model: Model, changes: Iterable[Change], phase: Phase | None) -> Changing:
    """Demands of a run's changes, and of the phase that it starts in, on the compiled model."""
    names = {change.name for change in changes}
    gone = {change.name for change in changes if isinstance(change, Release)}
    if phase is not None:
        names |= {name for name, _ in phase.locked} | phase.released
        gone |= phase.released
    held = tuple(name for name in model.joints if name in names)
    return Changing(held, tuple(name for name in held if name in gone), bool(names))


@dataclass(frozen=True)
class Choice:
    """Coordinates, watched frames on flexible bodies, which get nodes of their own, and changes."""

    formulation: Formulation
    frames: tuple[Frame, ...] = field(compare=False)
    keys: tuple[FrameKey, ...]
    changing: Changing = NO_CHANGES

    @classmethod
    def of(cls, model: Model, options: RunOptions, events: Sequence[Event]) -> Choice:
        """Coordinates and frames of a run with these events."""
        bodies = model.bodies
        watched = (f for event in events for f in event.frames.values())
        bending = tuple(f for f in watched if f.body.name in bodies and bodies[f.body.name].deforms)
        changes = [change for event in events for change in event.then]
        held = changing(model, changes, phase_of(options.start))
        return cls(options.coordinates, bending, tuple(map(frame_key, bending)), held)


@dataclass(frozen=True)
class Ready:
    """A compiled model on its constraints, as it was written down, and the momenta it keeps."""

    model: Model
    compiled: Compiled
    written: Compiled

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Momenta that stay constant."""
        return symmetries(self.model, self.compiled)

    @cached_property
    def start(self) -> State:
        """The default start, which must not be a singular position."""
        c = self.compiled
        refuse_singular(c, 0.0, c.q0)
        return State(0.0, c.q0, c.u0, c.z0)

    @cached_property
    def changes(self) -> tuple[StartChange, ...]:
        """Changes of the default start by constraints."""
        a, b = self.written, self.compiled
        if not b.all_rows:
            return ()
        return start_changes(self.model.joints, b, (a.q0, a.u0), (b.q0, b.u0), False)


class Compilation:
    """A model with what was compiled and assembled of it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._built: dict[Choice, Compiled] = {}  # as written down
        self._ready: dict[Choice, Ready] = {}

    def ready(self, options: RunOptions, events: Sequence[Event]) -> Ready:
        """Return the compiled model that runs with these options and events share.

        A model that cannot be assembled at t = 0 s may be one that goes on from a later state.
        """
        choice = Choice.of(self.model, options, events)
        try:
            return self._assembled(choice)
        except ModelError:
            if not isinstance(options.start, (State, Result)):
                raise
        compiled = self._compiled(choice)
        state = starting_state(OWNER, options.start, compiled)
        return Ready(self.model, assembled(compiled, state=state), compiled)

    def hand_over(
        self, other: Compilation, changes: Mapping[str, Mapping[str, Any]], pairs: list[Any]
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

    def _like(self, choice: Choice, other: Compiled) -> Compiled:
        """The model compiled anew, with the start and the rows of another one."""
        used = [int(k) for k in np.flatnonzero(~other.left_out)]
        return replace(
            self._compiled(choice).with_rows(used),
            q0=other.q0,
            u0=other.u0,
            regular_value=other.regular_value,
            regular_positions=other.regular_positions,
        )

    def _compiled(self, choice: Choice) -> Compiled:
        """The model as written down in some coordinates."""
        compiled = self._built.get(choice)
        if compiled is None:
            usual = choice.formulation == DEFAULT and not choice.frames and not choice.changing.any
            compiled = self._built[choice] = self._usual() if usual else self._build(choice)
        return compiled

    def _build(self, choice: Choice) -> Compiled:
        released, held = choice.changing.released, choice.changing.held
        tree = tree_without(self.model, choice.formulation.tree(self.model), released)
        compiled = build(
            self.model, choice.frames, tree, held=held, linear=choice.formulation.way()
        )
        return in_phase(compiled, Phase()) if choice.changing.any else compiled

    def _usual(self) -> Compiled:
        """The model in joint coordinates, from the run before if nothing has changed since then."""
        compiled: Compiled | None = self.model.built.get("joint coordinates")
        if compiled is None:
            compiled = build(self.model)
            if not compiled.callbacks:  # these keep what they were called with
                self.model.built["joint coordinates"] = compiled
        return compiled

    def _assembled(self, choice: Choice) -> Ready:
        """The model in some coordinates, on its constraints."""
        ready = self._ready.get(choice)
        if ready is None:
            compiled = self._compiled(choice)
            if choice.formulation != DEFAULT or choice.changing.released:
                own = replace(choice, formulation=DEFAULT, changing=NO_CHANGES)
                first = self._compiled(own), compiled
                compiled = on_other(*first, lambda: self._assembled(own).compiled)
            elif compiled.nr:
                compiled = assembled(compiled)
            ready = self._ready[choice] = Ready(self.model, compiled, self._compiled(choice))
        return ready


def same_places(old: Any, new: Any) -> bool:
    """True if an item is a force that acts in the same places, and carries no inertia."""
    if not isinstance(old, ForceElement) or isinstance(old, Motor):
        return False
    frames = [[frame_key(frame) for frame in item.frames.values()] for item in (old, new)]
    return frames[0] == frames[1] and tuple(old.targets) == tuple(new.targets)


def tree_without(model: Model, tree: Tree | None, released: Sequence[str]) -> Tree | None:
    """The spanning tree of a run in which joints may let go, none of which is in it."""
    if not released:
        return tree
    if tree is not None:
        for name in tree:
            if name in released:
                expected = f"a tree without it, since an event releases {name!r}"
                raise ModelError(OWNER, "formulation", name, expected)
        return tree
    root, joints = model.ground.name, model.joints
    kept = {name: joint for name, joint in joints.items() if name not in released}
    edges = [(name, j.A.body.name, j.B.body.name) for name, j in kept.items()]
    cost = {name: joint.nu for name, joint in kept.items()}
    near = {f.body.name for name in released for f in joints[name].frames.values()}
    while (graph := Graph.build(list(model.bodies), edges, root, cost=cost)).unreached:
        body = next((b for b in graph.unreached if b in near), graph.unreached[0])
        edges.append((FREE + body, root, body))
        cost[FREE + body] = 6
    return [edge.joint for edge in graph.tree]


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
    library.expect(["events"] if events else [])
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
    """Model in the phase of the start, that state, and what constraints changed of it."""
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
    moved = on_constraints(compiled, asked)
    if moved is asked or not given:
        return compiled, moved, ()
    states = (asked.q, asked.u), (moved.q, moved.u)
    return compiled, moved, start_changes(ready.model.joints, compiled, *states, True)


def with_sampler(model: Model, problem: Problem, endless: bool = False) -> Problem:
    """The problem of a run with the sampled controllers of its model, and room for their efforts.

    The numbers of its model are its own then.
    """
    controllers = [f for f in model.forces.values() if isinstance(f, SampledController)]
    if not controllers:
        return problem
    compiled = problem.equations.compiled
    state = State(problem.t_start, problem.q, problem.u, problem.z, compiled=compiled)
    read = _Sensors(model, compiled, state, controllers)
    sampler = Sampler(controllers, compiled, problem.t_start, read, endless)
    end = math.inf if endless else problem.t_end
    own = sampler.roomy(compiled, end)
    return problem._replace(equations=Equations(own), sampler=sampler)


class _Sensors:
    """Reads the texts of sensors at the present state of a run."""

    def __init__(
        self, model: Model, compiled: Compiled, state: State, controllers: list[SampledController]
    ) -> None:
        self.outputs: dict[tuple[str, ...], InstantOutputs] = {}
        equations = Equations(compiled)
        for controller in controllers:
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
