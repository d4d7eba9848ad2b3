"""Checks of the changes of a run: joints that may be held, and joints that may let go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from supple.constraints import FrameDriver
from supple.constraints.topology_changes import Change, Lock, Release
from supple.engine.reading.phases import Phase
from supple.events import Event
from supple.forces import Motor
from supple.foundation.errors import ModelError, describe, label, suggestion
from supple.graph.topology import FREE, Graph
from supple.graph.tree_choice import Tree
from supple.joints import Free
from supple.model import Model


@dataclass(frozen=True)
class Changing:
    """Joints that may be held in a run, joints among them that may let go, and whether any does."""

    held: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    any: bool = False


NO_CHANGES = Changing()


def changing(model: Model, changes: Iterable[Change], phase: Phase | None) -> Changing:
    """What the changes of a run, and the phase that it starts in, ask of the compiled model."""
    names = {change.name for change in changes}
    gone = {change.name for change in changes if isinstance(change, Release)}
    if phase is not None:
        names |= {name for name, _ in phase.locked} | phase.released
        gone |= phase.released
    held = tuple(name for name in model.joints if name in names)
    return Changing(held, tuple(name for name in held if name in gone), bool(names))


def check_changes(model: Model, events: Sequence[Event]) -> None:
    """Refuse changes of what the model does not have, or of what cannot change so."""
    for event in events:
        for change in event.then:
            _check(model, label(event), change)
        if sum(other.name == event.name for other in events) > 1:
            raise ModelError(label(event), "name", event.name, "a name that no other event has")


def _check(model: Model, owner: str, change: Change) -> None:
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


def tree_without(model: Model, tree: Tree | None, released: Sequence[str]) -> Tree | None:
    """The spanning tree of a run in which joints may let go, none of which is in it."""
    if not released:
        return tree
    if tree is not None:
        for name in tree:
            if name in released:
                expected = f"a tree without it, since an event releases {name!r}"
                raise ModelError("simulate", "formulation", name, expected)
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
