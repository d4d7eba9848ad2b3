"""From a model to its linear graph, and the places of its bodies as they are written.

Nodes: the ground's origin (the datum), the own frame of each body, and every other frame that an
item uses. Frames at the same place with the same axes are one node.

Edges, in this order:

- for each body, from the ground to its own frame; then its arms, from there to its other frames;
- points of the ground, from the ground to its other frames;
- point masses, from the ground to their frame (their inertia acts there as a body's does);
- joints and what constrains or drives motion, from A to B;
- force elements: from A to B; from the ground to the frame where there is only one; between the
  frames of the joint for those on joint coordinates and motor shafts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation.errors import ModelError, describe, label
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import EYE, IDENTITY, Pose
from supple.foundation.validate import ROTATION_TOLERANCE
from supple.graph.linear_graph import GraphEdge, LinearGraph
from supple.graph.topology import FREE, Components, Graph
from supple.joints import Joint

if TYPE_CHECKING:
    from supple.model import Model

# How far joints given by frames may put a body beside its place, in the size of the model: wide
# enough for numbers typed with seven digits.
TOLERANCE = ROTATION_TOLERANCE
# m, and entries of a rotation: `at(0.1 + 0.2)` and `at(0.3)` are one node.
DECIMALS = 12
Key = tuple[str, tuple[float, ...], tuple[Any, ...]]
_ORIGIN = ((0.0,) * 3, tuple(np.eye(3).ravel().tolist()))


def written_poses(graph: Graph, joints: Mapping[str, Joint]) -> dict[str, Pose]:
    """Poses of the bodies in the world by the joints of the tree, undeformed.

    Joints with a place in the world have zero coordinates there, others their initial ones.
    """
    poses = {graph.root: IDENTITY}
    for edge in graph.tree:
        joint = joints[edge.joint]
        between = joint.pose(joint.initial) if joint.at is None else IDENTITY
        A, B = _on_body(joint.A), _on_body(joint.B)
        if edge.reversed:
            poses[edge.child] = poses[edge.parent].then(B).before(between).before(A)
        else:
            poses[edge.child] = poses[edge.parent].then(A).then(between).before(B)
    return poses


def check_places(
    graph: Graph,
    bodies: Mapping[str, Body],
    joints: Mapping[str, Joint],
    frames: Iterable[Frame],
) -> None:
    """Refuse a body that joints given by frames put elsewhere than its place in the world.

    ``frames`` are all frames of the model. Only bodies whose place matters are looked at: those
    with a place of their own, and those with a frame that was found by its place in the world.
    """
    used = {frame.body.name for frame in frames if frame.world is not None}
    used |= {name for name, body in bodies.items() if _is_placed(body)}
    if not used:
        return
    poses = written_poses(graph, joints)
    points = [pose.p for pose in poses.values()] + [body.position for body in bodies.values()]
    points += [frame.position for joint in joints.values() for frame in (joint.A, joint.B)]
    size = max(float(np.abs(points).max()), *(b.typical_length for b in bodies.values()))
    for name, pose in poses.items():
        if name not in used or name == graph.root:
            continue
        body = bodies[name]
        if float(np.linalg.norm(pose.p - body.position)) > TOLERANCE * size:
            put = ", ".join(f"{c + 0.0:.6g}" for c in pose.p)
            expected = f"({put}), where its joints put it, or joints with at=(x, y, z)"
            raise ModelError(label(body), "position", body.position, expected)
        if float(np.abs(pose.R - body.rotation).max()) > TOLERANCE:
            expected = f"the axes that its joints give it, {describe(pose.R)}"
            raise ModelError(label(body), "rotation", body.rotation, expected)


def _is_placed(body: Body) -> bool:
    """True if a body has a place other than the origin and the axes of the world."""
    if body.position.tolist() != [0.0, 0.0, 0.0]:  # by lists, quicker than NumPy for so few
        return True
    if body.rotation is EYE:  # not given
        return False
    turn = body.rotation.item
    return bool(turn(0) + turn(4) + turn(8) != 3.0)


def _on_body(frame: Frame) -> Pose:
    return frame.body.rest_pose(frame.position).then(Pose(frame.rotation, np.zeros(3)))


def linear_graph(model: Model, spanning: Graph) -> LinearGraph:
    """Build the linear graph of a model with the tree that contains the joints of `spanning`."""
    reader = _Reader(model)
    edges = list(reader.edges())
    nodes = tuple(reader.names.values())
    branches = _branches(nodes, edges, spanning)
    tree = tuple(edge for i, edge in enumerate(edges) if i in branches)
    cotree = tuple(edge for i, edge in enumerate(edges) if i not in branches)
    return LinearGraph(model.name, nodes, tree, cotree, spanning)


def _branches(nodes: Iterable[str], edges: list[GraphEdge], spanning: Graph) -> set[int]:
    """Places of the edges of the tree, taken in Richard's order of components.

    Arms and ground points, then the joints of the engine's tree (and, in parts that it does not
    reach, other joints that close no loop), then bodies. These span the graph, so nothing else is
    ever a branch.
    """
    chosen = {edge.joint for edge in spanning.tree}
    joints = chosen & {edge.name for edge in edges if edge.kind == "joint"}
    free = {name.removeprefix(FREE) for name in chosen - joints}
    chords = set(spanning.chords)

    def rank(edge: GraphEdge) -> int:
        if edge.kind in ("arm", "flexible arm", "ground point"):
            return 0
        if edge.kind == "joint":
            return 1 if edge.name in joints else 4 if edge.name in chords else 2
        if edge.kind == "body":
            return 1 if edge.name in free else 3
        return 4

    parts = Components(nodes)
    taken = sorted(range(len(edges)), key=lambda i: rank(edges[i]))
    return {i for i in taken if parts.join(edges[i].tail, edges[i].head)}


class _Reader:
    """Names of the frames of a model, and its components as edges between them."""

    def __init__(self, model: Model) -> None:
        self.ground = model.ground.name
        self.bodies: dict[str, Body] = {**model.bodies, self.ground: model.ground}  # ground last
        self.joints, self.forces = dict(model.joints), dict(model.forces)
        self.masses = dict(model.point_masses)
        self.constraints: dict[str, Any] = dict(getattr(model, "constraints", {}))
        self.names: dict[Key, str] = {}  # of nodes, in their order
        self.arms: dict[str, list[Key]] = {}  # frames of each body beside its own
        used: dict[str, dict[Key, Frame]] = {}
        for frame in self._frames():
            used.setdefault(frame.body.name, {}).setdefault(self.key(frame), frame)
        for body in self.bodies:
            own = (body, *_ORIGIN)
            there = used.get(body, {})
            self.arms[body] = sorted(key for key in there if key != own)
            if body != self.ground:
                self.names[own] = body
            for key in self.arms[body]:
                self.names[key] = self._unused(there[key].name)
        self.names[self.ground, *_ORIGIN] = self.ground  # the datum is last

    def _frames(self) -> Iterator[Frame]:
        for items in (self.masses, self.joints, self.constraints, self.forces):
            for item in items.values():
                yield from item.frames.values()

    def _unused(self, name: str) -> str:
        """Frames with other axes, or closer than names can tell, are numbered."""
        taken, k = set(self.names.values()), 1
        while (free := name if k == 1 else f"{name}#{k}") in taken:
            k += 1
        return free

    def key(self, frame: Frame) -> Key:
        """Body, place and axes, by which a frame is a node."""
        place, axes = (
            tuple((np.round(x, DECIMALS) + 0.0).ravel().tolist())  # adding zero turns -0.0 into 0.0
            for x in (frame.position, frame.rotation)
        )
        body = frame.body.name
        if (place, axes) == _ORIGIN and not self.bodies[body].carries_own_frame:
            # It sits at the origin and still moves against the body's own frame.
            return body, place, (*axes, "moves")
        return body, place, axes

    def node(self, frame: Frame) -> str:
        """Name of the node of a frame."""
        return self.names[self.key(frame)]

    def edges(self) -> Iterator[GraphEdge]:
        """All edges in the order of the module's text."""
        ground = self.ground
        for name, body in self.bodies.items():
            if name == ground:
                continue
            yield GraphEdge(name, "body", ground, name)
            kind = "flexible arm" if body.deforms else "arm"
            yield from (GraphEdge(n, kind, name, n) for n in self._arms(name))
        yield from (GraphEdge(n, "ground point", ground, n) for n in self._arms(ground))
        for point in self.masses.values():
            yield GraphEdge(point.name, "point mass", ground, self.node(point.frame))
        for joint in self.joints.values():
            yield GraphEdge(joint.name, "joint", self.node(joint.A), self.node(joint.B))
        for item in self.constraints.values():
            # A constraint with a function of time drives.
            yield from self._between(
                item, "driver" if getattr(item, "signals", ()) else "constraint"
            )
        for force in self.forces.values():
            yield from self._between(force, "force")

    def _arms(self, body: str) -> list[str]:
        return [self.names[key] for key in self.arms[body]]

    def _between(self, item: Any, kind: str) -> list[GraphEdge]:
        """Edges of an item, one for each pair of frames; several are named after their ends."""
        frames = {field: self.node(frame) for field, frame in item.frames.items()}
        ends: dict[str, tuple[str, str]] = {}
        if len(frames) == 1:
            ends = {field: (self.ground, node) for field, node in frames.items()}
        elif frames:
            first = next(iter(frames))
            ends = {f: (frames[first], node) for f, node in frames.items() if f != first}
        else:
            for name, _ in item.targets:
                joint = self._joint(name)
                ends[joint.name] = self.node(joint.A), self.node(joint.B)
        alone = len(ends) == 1
        return [
            GraphEdge(item.name if alone else f"{item.name}:{which}", kind, *pair)
            for which, pair in ends.items()
        ]

    def _joint(self, name: str) -> Any:
        """The joint of that name, the one that the motor of that name drives, or what slides."""
        if name in self.constraints:
            return self.constraints[name]
        if name not in self.joints:
            ((name, _),) = self.forces[name].targets
        return self.joints[name]
