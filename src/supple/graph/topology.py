"""Topology: the linear graph of a model, its spanning tree and its path matrices.

Bodies are the nodes of the graph and joints are its edges. Nothing here knows about physics; a
graph is built from names only. Guarantees:

1. Joints are taken in the order of their cost (the velocities they bring), then as listed, and a
   joint is a chord exactly when those before it already connect its two bodies. So the tree has
   as few velocities as possible, of equal joints the one added last closes a loop, and the number
   of chords is joints - nodes + connected parts. A tree chosen by the caller is taken as it is.
2. `order` holds every body that has a path to the root, parents before children, depth first;
   children of one parent follow the order in which bodies were listed. When there are no chords,
   `order` and the matrices depend neither on the order of the joints nor on their direction.
3. `tree` has one edge for each body of `order` except a root that is itself a listed body, in the
   order of `order`. `reversed` is true when the child is on the joint's A side.
4. A root that is not a listed body (the ground) is a place, not a body: it is missing in `order`,
   has no row or column in `pi`, and its joint definition points have no column in `chi`.
5. `unreached` holds the bodies without a path to the root, in the order in which they were listed.
   They are in none of the other fields.
6. A chosen tree may contain ``free:<body>``: the body hangs on a free joint of its own from the
   root, which is no joint of the model and connects nothing else.
7. Nothing changes after `Graph.build`; matrices are read-only.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError

FREE = "free:"  # before the name of a body: its own free joint from the root


class TreeEdge(NamedTuple):
    """A joint of the spanning tree, seen from the root.

    `reversed` is true when the path from the root crosses the joint from its B side to its A side.
    """

    joint: str
    parent: str
    child: str
    reversed: bool


class JointPoint(NamedTuple):
    """A joint definition point: the end of a joint that lies on `body` (a column of `chi`)."""

    joint: str
    body: str


@dataclass(frozen=True)
class Graph:
    """Linear graph of a model with one spanning tree; made by `Graph.build`."""

    root: str  # name of the node where every path begins
    order: tuple[str, ...]  # bodies with a path to the root, parents before children, depth first
    tree: tuple[TreeEdge, ...]  # edges of the spanning tree, in the order of `order`
    # names of the joints that close loops, in the order in which they were listed
    chords: tuple[str, ...]
    unreached: tuple[str, ...]  # bodies without a path to the root

    @classmethod
    def build(
        cls,
        bodies: Sequence[str],
        edges: Sequence[tuple[str, str, str]],
        root: str = "ground",
        tree: Sequence[str] | None = None,
        cost: Mapping[str, int] | None = None,
    ) -> Graph:
        """Build the graph of `bodies` and `edges`, each edge (joint, body of A, body of B).

        `tree` names the joints, or ``free:<body>``, of a spanning tree; by default it is the one
        of the smallest `cost`, summed over its joints.
        """
        nodes = (root, *(b for b in bodies if b != root))
        _check(bodies, edges, nodes)
        if tree is None:
            branches, chords = _split(nodes, edges, cost or {})
        else:
            branches, chords = _chosen(edges, tree, root)
        walk = _walk(root, nodes, branches)
        reached = (root, *[edge.child for edge in walk])
        return cls(
            root=root,
            order=reached if root in bodies else reached[1:],
            tree=walk,
            chords=chords,
            unreached=() if len(reached) == len(nodes) else _others(nodes, reached),
        )

    @cached_property
    def parent(self) -> dict[str, str]:
        """Parent of every body that has one."""
        return {edge.child: edge.parent for edge in self.tree}

    def path(self, a: str, b: str) -> tuple[str, ...]:
        """Joints of the tree on the way from node `a` to node `b`, both reached."""
        inward = {edge.child: edge for edge in self.tree}
        ways: list[list[str]] = []
        for node in (a, b):
            way = []
            while node in inward:
                way.append(inward[node].joint)
                node = inward[node].parent
            ways.append(way)
        there, back = ways
        while there and back and there[-1] == back[-1]:  # the common way to the root
            there.pop()
            back.pop()
        return (*there, *reversed(back))

    @cached_property
    def points(self) -> tuple[JointPoint, ...]:
        """Joint definition points from root to leaves, inboard then outboard for each joint."""
        rooted = self.root in self.order
        ends = (JointPoint(e.joint, body) for e in self.tree for body in (e.parent, e.child))
        return tuple(point for point in ends if rooted or point.body != self.root)

    @cached_property
    def pi(self) -> Indices:
        """Body-path matrix (n, n): 1 where body j lies on the path from the root to body i."""
        row = {body: i for i, body in enumerate(self.order)}
        pi = np.eye(len(row), dtype=np.int_)
        for edge in self.tree:  # parents come first, so their rows are complete
            if edge.parent in row:
                pi[row[edge.child]] |= pi[row[edge.parent]]  # Huang1998 (2.1)
        pi.flags.writeable = False
        return pi

    @cached_property
    def chi(self) -> Indices:
        """Joint-path matrix (n, number of points), entries +1, -1 and 0.

        Point k is on the path to body i when its whole joint is. There it counts +1 when it leads
        to the higher numbered body (it lies on the joint's inboard body) and -1 when it leads back
        to the lower numbered body (it lies on the outboard one).
        """
        row = {body: i for i, body in enumerate(self.order)}
        child = {edge.joint: edge.child for edge in self.tree}
        chi = np.zeros((len(row), len(self.points)), dtype=np.int_)
        for k, point in enumerate(self.points):
            outboard = child[point.joint]
            sign = -1 if point.body == outboard else 1
            chi[:, k] = sign * self.pi[:, row[outboard]]  # Huang1998 (2.2)
        chi.flags.writeable = False
        return chi


def _check(
    bodies: Sequence[str], edges: Sequence[tuple[str, str, str]], nodes: Sequence[str]
) -> None:
    """Refuse names that are used twice, edges to unknown bodies and edges from a body to itself."""
    joints = [joint for joint, _, _ in edges]
    for kind, names in (("body", list(bodies)), ("joint", joints)):
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ModelError.plain(
                f"Graph: {kind} '{twice}' is listed twice, expected unique names"
            )
    known = set(nodes)
    for joint, a, b in edges:
        for body in (a, b):
            if body not in known:
                raise ModelError.plain(
                    f"Graph: joint '{joint}' ends on '{body}', expected one of the listed bodies"
                )
        if a == b:
            raise ModelError.plain(
                f"Graph: joint '{joint}' has both ends on '{a}', expected two different bodies"
            )


def _others(nodes: Sequence[str], reached: Sequence[str]) -> tuple[str, ...]:
    """The nodes that were not reached, in their order."""
    known = set(reached)
    return tuple(node for node in nodes if node not in known)


def _split(
    nodes: Sequence[str], edges: Sequence[tuple[str, str, str]], cost: Mapping[str, int]
) -> tuple[list[tuple[str, str, str]], tuple[str, ...]]:
    """Divide the edges into branches of a spanning forest and chords (guarantee 1)."""
    parts = Components(nodes)
    order = sorted(edges, key=lambda e: cost.get(e[0], 0))
    closing = {joint for joint, a, b in order if not parts.join(a, b)}
    if not closing:
        return list(edges), ()
    chords = tuple(joint for joint, _, _ in edges if joint in closing)
    return [edge for edge in edges if edge[0] not in closing], chords


def _chosen(
    edges: Sequence[tuple[str, str, str]], tree: Sequence[str], root: str
) -> tuple[list[tuple[str, str, str]], tuple[str, ...]]:
    """Take the named edges as branches; the caller has checked that they form a tree."""
    known = {edge[0]: edge for edge in edges}
    branches = [known.get(name, (name, root, name.removeprefix(FREE))) for name in tree]
    return branches, tuple(edge[0] for edge in edges if edge[0] not in set(tree))


class Components:
    """Sets of nodes that are connected so far."""

    def __init__(self, nodes: Iterable[Hashable]) -> None:
        self._leader = {node: node for node in nodes}

    def join(self, a: Hashable, b: Hashable) -> bool:
        """Connect two nodes; False if they already are, so that an edge closes a loop."""
        first, second = self._find(a), self._find(b)
        self._leader[first] = second
        return first != second

    def connected(self, a: Hashable, b: Hashable) -> bool:
        """True if there is a path between two nodes."""
        return self._find(a) == self._find(b)

    def _find(self, node: Hashable) -> Hashable:
        leader = self._leader
        while leader[node] != node:
            leader[node] = leader[leader[node]]  # halve the path: long chains stay quick
            node = leader[node]
        return node


def _walk(
    root: str, nodes: Sequence[str], branches: Sequence[tuple[str, str, str]]
) -> tuple[TreeEdge, ...]:
    """Visit the tree depth first from the root; an explicit stack, so depth is not limited."""
    place = {node: i for i, node in enumerate(nodes)}
    leaving: dict[str, list[tuple[str, str, bool]]] = {node: [] for node in nodes}
    for joint, a, b in branches:
        leaving[a].append((joint, b, False))
        leaving[b].append((joint, a, True))

    def onward(node: str, parent: str | None) -> list[TreeEdge]:
        ways = leaving[node]
        edges = [TreeEdge(j, node, to, back) for j, to, back in ways if to != parent]
        if len(edges) > 1:  # the child listed first is popped first
            edges.sort(key=lambda edge: place[edge.child], reverse=True)
        return edges

    tree = []
    stack = onward(root, None)
    while stack:
        edge = stack.pop()
        tree.append(edge)
        stack += onward(edge.child, edge.parent)
    return tuple(tree)
