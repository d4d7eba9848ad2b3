"""From a model to its linear graph: which frames are nodes and which components are edges.

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

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation.frames import Body, Frame
from supple.graph.linear_graph import GraphEdge, LinearGraph
from supple.graph.topology import FREE, Components, Graph

if TYPE_CHECKING:
    from supple.model import Model

# m, and entries of a rotation: `at(0.1 + 0.2)` and `at(0.3)` are one node.
DECIMALS = 12
Key = tuple[str, tuple[float, ...], tuple[Any, ...]]
_ORIGIN = ((0.0,) * 3, tuple(np.eye(3).ravel().tolist()))


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
        while (found := name if k == 1 else f"{name}#{k}") in taken:
            k += 1
        return found

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
