"""Which momenta a model's symmetries keep constant; the momentum audit watches them.

Energy is blind to terms that do no work, momentum is not. A tree hanging on the ground by one joint
can exchange momentum with the world only through that joint's constraint, through gravity and
through force elements that reach outside. For each motion direction of the joint that stays fixed
in the world (the first axis of a chain, all directions of a free or ball joint) the conjugate
momentum is conserved if gravity has no component on it and nothing else acts on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.elements import Element
from supple.engine.builder import Compiled
from supple.forces import Motor
from supple.graph.topology import Graph
from supple.joints import Joint
from supple.model import Model
from supple.poses import Array


@dataclass(frozen=True)
class Symmetry:
    """A conserved component: ``screw . [angular about the world's origin; linear momentum]``."""

    name: str
    root: int
    screw: Array
    unit: str


def symmetries(model: Model, compiled: Compiled) -> tuple[Symmetry, ...]:
    """All conserved momenta of a model that can be seen from its topology, gravity and forces."""
    graph = compiled.graph
    found: list[Symmetry] = []
    for edge in graph.tree:
        if edge.parent != graph.root:
            continue
        members = _below(graph, edge.child)
        joint = model.joints.get(edge.joint)
        if joint is None or _reached_from_outside(model, graph, members):
            continue
        if joint.nu == 0:
            continue
        root = _root_node(compiled, compiled.joints[joint.name].node)
        found.extend(_of_joint(model, joint, edge.reversed, root))
    return tuple(found)


def _root_node(compiled: Compiled, node: int) -> int:
    from supple.core import layout as at

    return int(at.integers(compiled.ints, "node")[node, at.ROOT])


def _below(graph: Graph, child: str) -> set[str]:
    members = {child}
    for edge in graph.tree:
        if edge.parent in members:
            members.add(edge.child)
    return members


def _reached_from_outside(model: Model, graph: Graph, members: set[str]) -> bool:
    used = [item.frames for item in (*model.forces.values(), *model.constraints.values())]
    used += [model.joints[name].frames for name in graph.chords]
    for frames in used:
        inside = {frame.body.name in members for frame in frames.values()}
        if inside == {True, False} or (inside == {True} and "B" not in frames):
            return True
    for constraint in model.constraints.values():  # of coordinates: it may connect two trees
        joints = [model.joints[name] for name, _ in constraint.targets]
        ends = [j.B if j.A.body.name not in members else j.A for j in joints]
        if {end.body.name in members for end in ends} == {True, False}:
            return True
    return False


def _of_joint(model: Model, joint: Joint, backwards: bool, root: int) -> list[Symmetry]:
    ground = joint.B if backwards else joint.A
    first = joint.motions[-1] if backwards else joint.motions[0]
    coordinate = joint.nu - 1 if backwards else 0
    for item in (*model.forces.values(), *model.constraints.values()):
        for name, place in _on_joints(model, item):
            if name == joint.name and joint.coordinate_index(place, item.name) == coordinate:
                return []
    point, gravity = ground.position, model.gravity
    out = []
    directions: list[tuple[bool, Array]] = []
    turns, slides = first.row.turns, first.row.slides
    if first.axis is not None:
        if not (turns and slides):  # a screw passes on a mixture of both
            directions.append((turns, ground.rotation @ first.axis))
    else:
        if turns:
            directions += [(True, d) for d in _across(gravity, along=True)]
        if slides:
            directions += [(False, d) for d in _across(gravity, along=False)]
            point = np.zeros(3)
    for turns, axis in directions:
        size = np.linalg.norm(gravity)
        part = np.linalg.norm(np.cross(axis, gravity)) if turns else abs(axis @ gravity)
        if part > 1e-12 * size:
            continue
        if turns:
            screw = np.concatenate([axis, np.cross(point, axis)])
            out.append(Symmetry(f"angular momentum about {_word(axis)}", root, screw, "kg m2/s"))
        else:
            screw = np.concatenate([np.zeros(3), axis])
            out.append(Symmetry(f"linear momentum along {_word(axis)}", root, screw, "kg m/s"))
    return [Symmetry(f"{s.name} ({joint.name})", s.root, s.screw, s.unit) for s in out]


def _on_joints(model: Model, item: Element) -> list[tuple[str, int | str]]:
    """Joint coordinates an element acts on; a motor's shaft stands for its joint."""
    out = []
    for name, place in item.targets:
        motor = model.forces.get(name)
        out.append((motor.joint, motor.coordinate) if isinstance(motor, Motor) else (name, place))
    return out


def _across(gravity: Array, along: bool) -> list[Array]:
    """Unit vectors along gravity, or across it; all three without gravity."""
    size = np.linalg.norm(gravity)
    if size == 0.0:
        return list(np.eye(3))
    down = gravity / size
    if along:
        return [down]
    side = np.cross(down, np.eye(3)[int(np.argmin(abs(down)))])
    side /= np.linalg.norm(side)
    return [side, np.cross(down, side)]


def _word(axis: Array) -> str:
    for name, e in zip("xyz", np.eye(3), strict=True):
        if np.allclose(axis, e, atol=1e-12):
            return name
        if np.allclose(axis, -e, atol=1e-12):
            return f"-{name}"
    return "(" + ", ".join(f"{x:.3g}" for x in axis) + ")"
