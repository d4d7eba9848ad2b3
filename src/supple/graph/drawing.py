"""Picture of a linear graph: boxes are frames, lines are components, bold lines are the tree.

Frames of one body are close to each other and have one colour. Arms and bodies bear no label: their
names are in the boxes at their ends.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.palette import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from supple.graph.linear_graph import GraphEdge, LinearGraph


COLOUR = {
    "arm": "#222222",
    "flexible arm": COLOURS[1],
    "ground point": COLOURS[5],
    "joint": COLOURS[0],
    "body": "#9a9a9a",
    "point mass": "#c4a484",
    "constraint": COLOURS[4],
    "driver": COLOURS[3],
    "force": COLOURS[2],
}
UNLABELLED = ("arm", "flexible arm", "ground point", "body")
# Lengths that the layout tries to give: bodies are clusters, the ground keeps away from them.
LENGTH = {"arm": 1.0, "flexible arm": 1.0, "ground point": 1.0, "joint": 1.1, "body": 2.2}
OTHERS = 1.6
BEND = 0.16  # of the distance of two nodes: how far parallel edges are apart
BASES = (
    0.0,
    0.1,
    -0.1,
    0.2,
    -0.2,
    0.3,
    -0.3,
    0.45,
    -0.45,
    0.6,
    -0.6,
)  # bends that an edge tries, the first is preferred
BOX = np.array([0.55, 0.3])  # half of a node's box with some air around it
POINTS = 41
LABELS_AT = (0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.3, 0.75, 0.25)  # 0.7 is the arrow's
DASHES = (0, (5, 2))
TINTS = ("#e3eefa", "#fdeedd", "#e0f3ec", "#f7e3ee", "#ece6f6", "#f3ecdc", "#dcf2f5", "#ebebeb")
GROUND = "#d0d0d0"


def draw(graph: LinearGraph, path: str | Path | None = None) -> Figure:
    """Draw a linear graph, and write it to a file if there is a path."""
    from matplotlib.figure import Figure

    places = layout(graph)
    xy = np.array(list(places.values()))
    span = np.ptp(xy, axis=0)
    figure = Figure(figsize=tuple(np.maximum(span * 1.25 + (3.2, 1.8), (6.0, 4.0))))
    ax = figure.add_axes((0.0, 0.0, 1.0, 0.93))
    taken = list(xy)
    for edge, line in edge_lines(graph, places):
        bold = edge in graph.tree
        _draw_edge(ax, edge, line, bold)
        if edge.kind not in UNLABELLED:
            taken.append(_free_place(line, np.array(taken)))
            _label(ax, edge, taken[-1], bold)
    _draw_nodes(ax, graph, places)
    ax.set_xlim(xy[:, 0].min() - 0.9, xy[:, 0].max() + 0.9)
    ax.set_ylim(xy[:, 1].min() - 0.6, xy[:, 1].max() + 0.6)
    ax.set_axis_off()
    _legend(ax, graph)
    count = f"{len(graph.nodes)} nodes, {len(graph.tree)} branches, {len(graph.cotree)} chords"
    figure.suptitle(f"{graph.title}: {count}", x=0.01, ha="left", size=10, color=INK)
    save_figure(figure, path, bbox_inches="tight", pad_inches=0.15)
    return figure


def layout(graph: LinearGraph) -> dict[str, Array]:
    """Places of the nodes in the plane (2,): lengths of short paths are kept (Kamada, Kawai)."""
    import networkx as nx

    net = nx.Graph()
    net.add_nodes_from(graph.nodes)
    for edge in graph.edges:
        length = LENGTH.get(edge.kind, OTHERS)
        if net.has_edge(edge.tail, edge.head):
            length = min(length, net.edges[edge.tail, edge.head]["length"])
        net.add_edge(edge.tail, edge.head, length=length)
    if len(net) == 1:
        return {graph.nodes[0]: np.zeros(2)}
    places = nx.kamada_kawai_layout(net, weight="length")
    sizes = [np.linalg.norm(places[a] - places[b]) / d for a, b, d in net.edges(data="length")]
    # Between the shortest and the typical edge: no label without room, no lost space.
    scale = 1.0 / max(0.5 * (min(sizes) + float(np.median(sizes))), 1e-3)
    return {node: scale * np.asarray(place) for node, place in places.items()}


def edge_lines(graph: LinearGraph, places: dict[str, Array]) -> list[tuple[GraphEdge, Array]]:
    """Each edge with its line (POINTS, 2): parallel ones side by side, all around other boxes."""
    groups = defaultdict(list)
    for edge in graph.edges:
        groups[frozenset((edge.tail, edge.head))].append(edge)
    found = []
    for edges in groups.values():
        a, b = places[edges[0].tail], places[edges[0].head]
        others = np.array([p for n, p in places.items() if n not in edges[0][2:]]).reshape(-1, 2)
        apart = BEND * (2 * np.arange(len(edges)) - len(edges) + 1)
        tries = [[_arc(a, b, base + x) for x in apart] for base in BASES]
        lines = max(tries, key=lambda lines: min(_clearance(line, others) for line in lines))
        for edge, line in zip(edges, lines, strict=True):
            found.append((edge, line if edge.tail == edges[0].tail else line[::-1]))
    return found


def _arc(a: Array, b: Array, bend: float) -> Array:
    """Points (POINTS, 2) of a parabola from a to b, bent aside by a part of its length."""
    s = np.linspace(0.0, 1.0, POINTS)[:, None]
    middle = 0.5 * (a + b) + bend * np.array([a[1] - b[1], b[0] - a[0]])
    return np.asarray((1 - s) ** 2 * a + 2 * s * (1 - s) * middle + s**2 * b)


def _clearance(line: Array, others: Array) -> float:
    """Least distance to the boxes of other nodes, in box sizes; 1 is enough."""
    away = (line[:, None] - others) / BOX
    return min(float(np.hypot(*np.moveaxis(away, -1, 0)).min(initial=1.0)), 1.0)


def _draw_edge(ax: Axes, edge: GraphEdge, line: Array, bold: bool) -> None:
    colour = COLOUR[edge.kind]
    style: dict[str, Any] = {"lw": 3.2} if bold else {"lw": 1.2, "ls": DASHES}
    ax.plot(*line.T, color=colour, solid_capstyle="round", zorder=1 + bold, **style)
    size = 17 if bold else 12
    arrow = {"arrowstyle": "-|>", "color": colour, "lw": 0.0, "mutation_scale": size, "shrinkA": 0}
    here, before = line[7 * POINTS // 10], line[7 * POINTS // 10 - 1]
    ax.annotate("", xy=here, xytext=before, zorder=3, arrowprops=arrow)


def _free_place(line: Array, taken: Array) -> Array:
    """Point of a line for its label, away from boxes and earlier labels; the middle if it is."""
    tries = [line[round(s * (POINTS - 1))] for s in LABELS_AT]
    return max(tries, key=lambda place: _clearance(place[None], taken))


def _label(ax: Axes, edge: GraphEdge, place: Array, bold: bool) -> None:
    box = {"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.85}
    weight = "bold" if bold else "normal"
    _text(ax, place, edge.name, color=COLOUR[edge.kind], size=8, weight=weight, bbox=box, zorder=4)


def _draw_nodes(ax: Axes, graph: LinearGraph, places: dict[str, Array]) -> None:
    tints: dict[str, str] = {graph.nodes[-1]: GROUND}
    for node, place in places.items():
        body, at, point = node.partition("@")
        tint = tints.setdefault(body, TINTS[(len(tints) - 1) % len(TINTS)])
        box = {"boxstyle": "round,pad=0.3", "fc": tint, "ec": INK, "lw": 0.7 if at else 1.4}
        style = {"size": 7, "weight": "normal"} if at else {"size": 9, "weight": "bold"}
        _text(ax, place, f"{body}\n{point}" if at else body, color=INK, bbox=box, zorder=5, **style)


def _text(ax: Axes, place: Array, text: str, **style: Any) -> None:
    # A dollar sign in a name is no formula.
    ax.text(place[0], place[1], text, ha="center", va="center", parse_math=False, **style)


def _legend(ax: Axes, graph: LinearGraph) -> None:
    from matplotlib.lines import Line2D

    kinds = {edge.kind for edge in graph.edges}
    lines = [Line2D([], [], color=c, lw=2.2, label=k) for k, c in COLOUR.items() if k in kinds]
    lines += [
        Line2D([], [], color=INK, lw=3.2, label="tree"),
        Line2D([], [], color=INK, lw=1.2, ls=DASHES, label="cotree"),
    ]
    ax.legend(
        handles=lines,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        fontsize=9,
        labelcolor=INK,
    )
