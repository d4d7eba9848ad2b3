"""The linear graph of a model: frames are nodes, physical components are oriented edges.

After M. J. Richard, Simulation of Flexible Multibody Systems Using Linear Graph Theory (2012),
section 2. A spanning tree divides the edges into branches and chords. The matrices of the two
postulates follow from it:

    cutset = [1, D]     through-variables (forces, torques): cutset @ through = 0
    circuit = [E, 1]    across-variables (displacements, velocities): circuit @ across = 0
    E = -D^T            so that cutset @ circuit^T = 0; also incidence @ circuit^T = 0

Guarantees:

1. Columns of all three matrices are `edges`: first `tree`, then `cotree`, each in the order of the
   model. Rows of `incidence` are `nodes`, of `cutset` the edges of `tree`, of `circuit` those of
   `cotree`.
2. Every node is reached: an edge leads from the ground to each body. So there are as many branches
   as nodes without the ground.
3. Nothing changes after construction; matrices are read-only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.foundation.arrays import Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, suggestion
from supple.graph.topology import Graph, JointPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure
# Kinds of edges, with the classes N_1 to N_6 of Richard's order of tree components. A point of the
# ground is his position driver: a place given from the datum.
KINDS = {
    "arm": "N_1",
    "flexible arm": "N_1",
    "ground point": "N_2",
    "joint": "N_3 or N_4",
    "body": "N_5",
    "point mass": "N_5",
    "constraint": "N_6",
    "driver": "N_6",
    "force": "N_6",
}


class GraphEdge(NamedTuple):
    """A component between two frames, from the node `tail` to the node `head`.

    Its across-variable is the place of `head` seen from `tail`. `kind` is one of `KINDS`.
    """

    name: str
    kind: str
    tail: str
    head: str


@dataclass(frozen=True, repr=False)
class LinearGraph:
    """Linear graph of a model with one spanning tree; made by `Model.graph`.

    Attributes
    ----------
    title : name of the model
    nodes : (v) names of frames: each body's own frame and then the others on it, the places on the
        ground, and last the ground itself
    tree : (v - 1) edges of the spanning tree
    cotree : (e - v + 1) all other edges
    spanning : bodies and joints alone, the tree that the engine works on
    """

    title: str
    nodes: tuple[str, ...]
    tree: tuple[GraphEdge, ...]
    cotree: tuple[GraphEdge, ...]
    spanning: Graph

    @property
    def edges(self) -> tuple[GraphEdge, ...]:
        """All edges (e), columns of the matrices: those of the tree come first."""
        return self.tree + self.cotree

    @cached_property
    def incidence(self) -> Indices:
        """Incidence matrix (v, e): -1 where an edge leaves a node, +1 where it ends."""
        row = {node: i for i, node in enumerate(self.nodes)}
        kappa = np.zeros((len(row), len(self.edges)), dtype=np.int_)
        for j, edge in enumerate(self.edges):
            kappa[row[edge.tail], j], kappa[row[edge.head], j] = -1, 1
        return _frozen(kappa)

    @cached_property
    def cutset(self) -> Indices:
        """Matrix of fundamental cutsets [1, D], (v - 1, e), Richard2012 (2).

        The branch of a row parts the nodes in two; +1 are the edges that cross as it does, -1
        those that cross back.
        """
        paths = self._paths()
        ends = [(paths[edge.tail], paths[edge.head]) for edge in self.edges]
        columns = [head - tail for tail, head in ends]
        shape = (len(self.tree), len(self.edges))
        return _frozen(np.array(columns, dtype=np.int_).reshape(shape[::-1]).T)

    @cached_property
    def circuit(self) -> Indices:
        """Matrix of fundamental circuits [E, 1], (e - v + 1, e), Richard2012 (4).

        The chord of a row and the branches from its head back to its tail; -1 are those that the
        way crosses against their direction.
        """
        E = -self.D.T  # Richard2012 (3)
        return _frozen(np.hstack([E, np.eye(len(self.cotree), dtype=np.int_)]))

    @property
    def D(self) -> Indices:  # noqa: N802 - the symbol of the paper
        """Chords in the cutsets (v - 1, e - v + 1)."""
        return self.cutset[:, len(self.tree) :]

    @property
    def E(self) -> Indices:  # noqa: N802 - the symbol of the paper
        """Branches in the circuits (e - v + 1, v - 1)."""
        return self.circuit[:, : len(self.tree)]

    @property
    def pi(self) -> Indices:
        """Body-path matrix (n, n), rows and columns in `order`: 1 where j is on the path to i."""
        return self.spanning.pi

    @property
    def chi(self) -> Indices:
        """Joint-path matrix (n, number of `points`) of the bodies in `order`: +1, -1 and 0."""
        return self.spanning.chi

    @property
    def order(self) -> tuple[str, ...]:
        """Bodies with a path of joints to the ground, parents before children, depth first."""
        return self.spanning.order

    @property
    def points(self) -> tuple[JointPoint, ...]:
        """Joint definition points, columns of `chi`."""
        return self.spanning.points

    @property
    def chords(self) -> tuple[str, ...]:
        """Joints in the cotree: each closes a loop of joints."""
        return self.spanning.chords

    @property
    def unreached(self) -> tuple[str, ...]:
        """Bodies without a path of joints to the ground; body edges reach them here."""
        return self.spanning.unreached

    def equation(self, name: str) -> str:
        """Return the equation of an edge as text: its cutset if it is a branch, else its circuit.

        Each name stands for the edge's through-variable in a cutset, for its across-variable in a
        circuit.
        """
        names = [edge.name for edge in self.edges]
        if name not in names:
            raise ModelError.plain(
                f"graph of {self.title!r}: there is no edge {name!r}, {suggestion(name, names)}"
            )
        own = names.index(name)
        n = len(self.tree)
        row = self.cutset[own] if own < n else self.circuit[own - n]
        others = [j for j in np.flatnonzero(row) if j != own]
        text = "".join(f" {'+' if row[j] > 0 else '-'} {names[j]}" for j in others)
        return f"{name}{text} = 0"

    def draw(self, path: str | Path | None = None) -> Figure:
        """Draw the graph: nodes are frames, bold edges are the tree, colours tell kinds apart.

        ``path`` is a file to write, e.g. "graph.png" or "graph.pdf"; nothing is written without it.
        """
        from supple.graph.drawing import draw

        return draw(self, path)

    def __repr__(self) -> str:
        """Show the size of the graph and its tree."""
        tree = ", ".join(e.name for e in self.tree if e.kind in ("joint", "body")) or "none"
        return (
            f"<LinearGraph of {self.title!r}: {len(self.nodes)} nodes, {len(self.edges)} edges, "
            f"{len(self.cotree)} circuits; joints and bodies of the tree: {tree}>"
        )

    def _paths(self) -> dict[str, Indices]:
        """Path from the ground to each node (v - 1): +1 for a branch along its direction."""
        leaving: dict[str, list[tuple[int, int, str]]] = {node: [] for node in self.nodes}
        for i, edge in enumerate(self.tree):
            leaving[edge.tail].append((i, 1, edge.head))
            leaving[edge.head].append((i, -1, edge.tail))
        ground = self.nodes[-1]
        paths = {ground: np.zeros(len(self.tree), dtype=np.int_)}
        waiting = [ground]
        while waiting:
            node = waiting.pop()
            for i, sign, onward in leaving[node]:
                if onward not in paths:
                    paths[onward] = paths[node].copy()
                    paths[onward][i] = sign
                    waiting.append(onward)
        return paths


def _frozen(matrix: Indices) -> Indices:
    matrix.flags.writeable = False
    return matrix
