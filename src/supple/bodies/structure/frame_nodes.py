"""Checks of the nodes of a frame structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supple.fem.beams.member import Node
from supple.foundation import validate
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.validate import Vector


def known_node(owner: str, field: str, node: Any, nodes: Mapping[Node, Vector]) -> Node:
    """A node by its name or number; refuse others."""
    if isinstance(node, (str, int, np.integer)) and not isinstance(node, bool) and node in nodes:
        return node if isinstance(node, str) else int(node)
    names = [str(n) for n in nodes]
    raise ModelError(owner, field, node, f"a node; {suggestion(node, names)}")


def node_places(owner: str, nodes: Any) -> dict[Node, Vector]:
    """Places of nodes by name, all of them different."""
    if isinstance(nodes, Mapping):
        named = dict(nodes)
    elif isinstance(nodes, (Sequence, np.ndarray)) and not isinstance(nodes, str):
        expected = "names with places, or a sequence of places"
        named = dict(enumerate(validate.listed(owner, "nodes", nodes, expected)))
    else:
        raise ModelError(owner, "nodes", nodes, "names with places, or a sequence of places")
    if len(named) < 2:
        raise ModelError(owner, "nodes", nodes, "at least two nodes")
    places: dict[Node, Vector] = {}
    for node, place in named.items():
        validate.written(owner, "name of a node", str(node))
        places[node] = validate.vector(owner, f"place of node {node!r}", place)
    points = np.array(list(places.values()))
    for k in range(len(points)):
        same = np.flatnonzero(np.all(points[:k] == points[k], axis=1))
        if len(same):
            names = list(places)
            expected = f"another place than that of node {names[int(same[0])]!r}"
            raise ModelError(owner, f"place of node {names[k]!r}", points[k], expected)
    return places
