"""Checks of nodes and elements before anything is computed from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError

MOST_ELEMENTS = 10_000_000


def owner_label(kind: str, name: Any) -> str:
    """Kind and name of a component for messages; the name may be empty."""
    if not isinstance(name, str):
        raise ModelError(kind, "name", name, "a text")
    validate.written(kind, "name", name)
    return f"{kind} {name!r}" if name else kind


def node_places(owner: str, nodes: Any) -> Array:
    """Return places (N, 3), read-only."""
    expected = "finite numbers of shape (N, 3), m"
    places = validate.array(owner, "nodes", nodes, expected)
    if places.ndim != 2 or places.shape[1] != 3 or len(places) == 0:
        raise ModelError.plain(f"{owner}: nodes have the shape {places.shape}, expected {expected}")
    return places


def cell_numbers(owner: str, cells: Any, size: int, nodes: int) -> Indices:
    """Return node numbers (e, size) of elements, read-only."""
    try:
        found = np.array(cells)
    except ValueError:  # rows of different length
        found = np.empty(0)
    if found.ndim != 2 or found.shape[1] != size or found.dtype.kind not in "iu" or not len(found):
        raise ModelError.plain(
            f"{owner}: cells are {found.dtype} of the shape {found.shape}, "
            f"expected integers of the shape (elements, {size})"
        )
    wrong = np.argwhere((found < 0) | (found >= nodes))
    if len(wrong):
        e, k = wrong[0]
        raise ModelError.plain(
            f"{owner}: element {e} refers to node {found[e, k]}, "
            f"expected a number from 0 to {nodes - 1}"
        )
    result = found.astype(np.intp)
    result.setflags(write=False)
    return result


def refuse_loose_nodes(owner: str, cells: Indices, nodes: int) -> None:
    """Refuse nodes that belong to no element: nothing holds them."""
    used = np.zeros(nodes, dtype=bool)
    used[cells] = True
    if not used.all():
        loose = np.flatnonzero(~used)
        raise ModelError.plain(
            f"{owner}: {len(loose)} of {nodes} nodes belong to no element, the first is node "
            f"{loose[0]}, expected none"
        )


def refuse_parts(owner: str, cells: Indices, nodes: int) -> None:
    """Refuse a mesh whose elements do not hang together."""
    first = np.repeat(cells[:, 0], cells.shape[1])
    graph = sparse.coo_array((np.ones(cells.size), (first, cells.ravel())), (nodes, nodes))
    refuse_graph_parts(owner, graph)


def refuse_graph_parts(owner: str, graph: Any) -> None:
    """Refuse a graph of nodes (N, N) that is not connected."""
    count, part = connected_components(graph, directed=False)
    if count > 1:
        second = int(np.flatnonzero(part != part[0])[0])
        raise ModelError.plain(
            f"{owner}: the mesh has {count} parts that share no nodes, node {second} is not in the "
            "part of node 0, expected one part (merge nodes that are in the same place)"
        )
