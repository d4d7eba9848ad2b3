"""Refusals: what cannot be run, as a list that the preparation of every run walks.

Each entry says what it needs: the model and the options alone, the compiled model, or the state on
its constraints. An entry raises one sentence, or lets the run pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.analyses.base.arguments import expect
from supple.analyses.run.options import RunOptions
from supple.constraints import FrameDriver
from supple.constraints.topology_changes import Change, Lock, Release
from supple.engine.base.compiled import Compiled, JointRecord
from supple.engine.reading.rows import own_mass, rows_at
from supple.events import Event
from supple.forces import Motor
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, describe, label, suggestion
from supple.integrators.methods.top_frequency import refuse_explicit
from supple.joints import Free
from supple.loops.singular import refuse_singular
from supple.model import Model
from supple.state import State

# Inertia about an axis, part of the largest of the joint, that is rounding of the tensor
ROUNDING = 1e-14
HELD = 1e-6  # part of a row along the axis from which on it holds the spin


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
