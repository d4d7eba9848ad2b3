"""Momenta that the symmetries of a model keep constant, for the momentum audit.

Energy is blind to terms that do no work, momentum is not. A tree hanging on the ground by one joint
can exchange momentum with the world only through that joint's constraint, through gravity and
through force elements that reach outside or know the world's axes. For each motion direction of
the joint that stays fixed in the world (the first axis of a chain, all directions of a free or ball
joint) the conjugate momentum is conserved if gravity has no component on it and nothing else acts
on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.core.base import layout as at
from supple.engine.base.compiled import Compiled
from supple.forces import CartesianSpring, Motor
from supple.foundation.arrays import Array
from supple.graph.topology import Graph
from supple.joints import Joint

if TYPE_CHECKING:
    from supple.model import Model

ANGULAR = "kg m2/s"


@dataclass(frozen=True)
class Symmetry:
    """A conserved component: ``screw . [angular about the world's origin; linear momentum]``.

    ``root`` is the first node of the tree that has it, -1 for the whole model.
    """

    name: str
    root: int
    screw: Array
    unit: str


def symmetries(model: Model, compiled: Compiled) -> tuple[Symmetry, ...]:
    """All conserved momenta of a model that can be seen from its topology, gravity and forces.

    In a run that may release joints a body may hang on a free joint of its own: the momentum of
    all bodies is watched, if they are one tree while the joints are whole.
    """
    joints = model.joints
    split = bool(compiled.gradient)  # whose joints are no roots of trees
    split |= any(name in compiled.graph.chords for name in compiled.holds)
    graph = model.spanning_tree() if split else compiled.graph
    roots = [edge for edge in graph.tree if edge.parent == graph.root and edge.joint in joints]
    if split and sum(edge.parent == graph.root for edge in graph.tree) > 1:
        return ()
    tree = _child_of_root(graph)
    reached = _reached_from_outside(model, graph, tree)
    springs = [item for item in model.forces.values() if isinstance(item, CartesianSpring)]
    turned = {tree.get(frame.body.name) for item in springs for frame in item.frames.values()}
    acted = _on_joints(model)
    symmetries: list[Symmetry] = []
    for edge in roots:
        joint = joints[edge.joint]
        if edge.child in reached or joint.nu == 0 or joint.name in compiled.holds:
            continue
        coordinate = joint.nu - 1 if edge.reversed else 0
        on_it = acted.get(joint.name, ())
        if any(joint.coordinate_index(place, who) == coordinate for who, place in on_it):
            continue
        kept = _of_joint(model, joint, edge.reversed)
        if edge.child in turned:
            kept = [momentum for momentum in kept if momentum[2] != ANGULAR]
        if kept:
            root = -1
            if not split:
                node = compiled.joints[joint.name].node
                nodes = at.TREE_RECORD.view("node", compiled.sizes, compiled.ints)
                root = int(nodes[node, at.ROOT])
            symmetries += [Symmetry(name, root, screw, unit) for name, screw, unit in kept]
    return tuple(symmetries)


def _child_of_root(graph: Graph) -> dict[str, str]:
    """The child of the root that each body hangs on."""
    tree: dict[str, str] = {}
    for edge in graph.tree:
        tree[edge.child] = edge.child if edge.parent == graph.root else tree[edge.parent]
    return tree


def _reached_from_outside(model: Model, graph: Graph, tree: Mapping[str, str]) -> set[str | None]:
    """Children of the root whose trees something connects with the rest of the world."""
    joints, constraints = model.joints, model.constraints.values()
    used = [item.frames for item in (*model.forces.values(), *constraints)]
    used += [joints[name].frames for name in graph.chords]
    reached: set[str | None] = set()
    for frames in used:
        ends = {tree.get(frame.body.name) for frame in frames.values()}
        if len(ends) > 1 or not frames.keys() & {"B", "road"}:  # what has two ends
            reached |= ends
    for constraint in constraints:  # of coordinates: it may connect two trees
        count: dict[str | None, int] = {}
        for name, _ in constraint.targets:
            for end in {tree.get(frame.body.name) for frame in joints[name].frames.values()}:
                count[end] = count.get(end, 0) + 1
        reached |= {end for end, n in count.items() if n < len(constraint.targets)}
    return reached


def _on_joints(model: Model) -> dict[str, list[tuple[str, int | str]]]:
    """Elements and the coordinates they act on, by joint; a motor's shaft stands for its joint."""
    by_joint: dict[str, list[tuple[str, int | str]]] = {}
    for item in (*model.forces.values(), *model.constraints.values()):
        for name, place in item.targets:
            motor = model.forces.get(name)
            if isinstance(motor, Motor):
                name, place = motor.joint, motor.coordinate
            by_joint.setdefault(name, []).append((item.name, place))
    return by_joint


def _of_joint(model: Model, joint: Joint, backwards: bool) -> list[tuple[str, Array, str]]:
    """Name, screw and unit of the momenta that a joint to the ground leaves constant."""
    ground = joint.B if backwards else joint.A
    first = joint.motions[-1] if backwards else joint.motions[0]
    point, gravity = ground.position, model.gravity
    out = []
    directions: list[tuple[bool, Array]] = []
    turns, slides = first.row.turns, first.row.slides
    if first.axis is not None:
        if not (turns and slides):  # a screw passes on a mixture of both
            directions.append((turns, ground.rotation.dot(first.axis)))
    else:
        if turns:
            directions += [(True, d) for d in _across(gravity, along=True)]
        if slides:
            directions += [(False, d) for d in _across(gravity, along=False)]
            point = np.zeros(3)
    size = math.sqrt(gravity.dot(gravity))
    for turns, axis in directions:
        across = _cross(axis, gravity)
        part = math.sqrt(across.dot(across)) if turns else abs(axis.dot(gravity))
        if part > 1e-12 * size:
            continue
        if turns:
            screw = np.concatenate([axis, _cross(point, axis)])
            name, unit = f"angular momentum about {_word(axis)}", ANGULAR
        else:
            screw = np.concatenate([np.zeros(3), axis])
            name, unit = f"linear momentum along {_word(axis)}", "kg m/s"
        out.append((f"{name} ({joint.name})", screw, unit))
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


def _cross(a: Array, b: Array) -> Array:
    """Cross product (3,), without NumPy's care for all shapes."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def _word(axis: Array) -> str:
    values = axis.tolist()
    for k, name in enumerate("xyz"):
        if max(abs(x) for i, x in enumerate(values) if i != k) <= 1e-12:
            return name if values[k] > 0.0 else f"-{name}"
    return "(" + ", ".join(f"{x:.3g}" for x in values) + ")"
