"""An elimination order with little fill: nested dissection by the places of the nodes.

The mesh is cut in two at the middle of its longest direction; nodes at the cut come last, and both
halves are treated the same way. Three-dimensional meshes factorise two to four times faster in
this order than by minimum degree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.foundation.arrays import Array, Indices

# A part with no more nodes than this is not cut any more.
SMALLEST_PART = 60


def nested_dissection(places: Array, graph: Any) -> Indices:
    """Order (N,) in which nodes at places (N, 3) are eliminated.

    ``graph`` is a sparse (N, N) matrix in row form with an entry for each pair of nodes that share
    an element.
    """
    order: list[Indices] = []
    # Parts are finished in the reverse order: the cut is put down before its two halves.
    waiting = [np.arange(len(places))]
    mark = np.zeros(len(places))
    while waiting:
        part = waiting.pop()
        halves = _halves(places, part) if len(part) > SMALLEST_PART else None
        if halves is None:
            order.append(part)
            continue
        sides = (halves, halves[::-1])
        cut = min((_touching(graph, a, b, mark) for a, b in sides), key=len)
        order.append(cut)
        waiting += [np.setdiff1d(half, cut, assume_unique=True) for half in halves]
    return np.concatenate(order[::-1])


def _halves(places: Array, part: Indices) -> tuple[Indices, Indices] | None:
    """Two halves of a part along its longest direction; None if it cannot be cut."""
    x = places[part]
    along = x[:, int(np.argmax(np.ptp(x, axis=0)))]
    middle = np.median(along)
    below = along < middle
    if not below.any():
        below = along <= middle
    if below.all():
        return None
    return part[below], part[~below]


def _touching(graph: Any, these: Indices, others: Indices, mark: Array) -> Indices:
    """Those of the first nodes that share an element with one of the others."""
    mark[others] = 1.0
    touching: Indices = these[(graph[these] @ mark) > 0.0]
    mark[others] = 0.0
    return touching
