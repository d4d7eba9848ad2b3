"""Maps from the frames of interfaces to coordinates of a component."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from scipy import sparse

from supple.fem.base.component import Component
from supple.fem.ties.interface import Interface
from supple.fem.ties.tied import TiedComponent
from supple.fem.ties.ties import tie
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, label

# Motions of nodes determine those of a frame worse than this, relative: they do not.
DETERMINED = 1e-8


def tied_component(
    component: Component, interfaces: Sequence[Interface], held: Collection[str] = ()
) -> TiedComponent:
    """Tie interfaces to a component.

    The frames of rigid interfaces are coordinates always; those of averaging ones if their names
    are in ``held``.
    """
    ties = tie(component, interfaces)
    nodes, size = len(component.nodes), component.node_size
    rigid = [k for k, i in enumerate(interfaces) if i.kind == "rigid"]
    places = np.concatenate([np.repeat(nodes + np.array(rigid, dtype=int), 6), ties.free // size])
    kinds = np.concatenate([np.tile(np.arange(6), len(rigid)), ties.free % size])
    T, full = ties.T, [np.zeros(0, dtype=np.intp)]
    for k, interface in enumerate(interfaces):
        if interface.kind == "average" and interface.name in held:
            rows = (interface.averaging(component) @ T).toarray()
            free = np.flatnonzero((places < nodes) & np.any(rows != 0.0, axis=0))
            chosen = _dependent(interface, rows, free, kinds, component.length)
            T = sparse.csc_array(T @ _follow(rows, chosen))
            others = np.setdiff1d(np.arange(len(places)), chosen)
            places = np.concatenate([np.full(6, nodes + k), places[others]])
            kinds = np.concatenate([np.arange(6), kinds[others]])
            full.append(interface.nodes)
    K, M = (_symmetric(T.T @ X @ T) for X in (component.stiffness_matrix, component.mass_matrix))
    dense = np.unique(np.concatenate(full))
    return TiedComponent(component, tuple(interfaces), T, places, kinds, dense, K, M)


def _dependent(
    interface: Interface, rows: Array, free: Indices, kinds: Indices, length: float
) -> Indices:
    """Six of the coordinates ``free`` that the frame and the others determine best.

    ``rows`` (6, m) give the frame's motion; rotations count by the body's length.
    """
    from scipy.linalg import qr

    unit = np.where(np.arange(6) < 3, 1.0, length)
    scaled = unit[:, None] * rows[:, free] / np.where(kinds[free] < 3, 1.0, length)
    if len(free) >= 6:
        _, R, order = qr(scaled, mode="economic", pivoting=True)
        size = np.abs(np.diag(R))
        if size[-1] > DETERMINED * size[0]:
            return np.asarray(free[order[:6]])
    raise ModelError.plain(
        f"{label(interface)}: its nodes are held by rigid interfaces or other averaging ones, "
        "expected enough nodes of its own to carry a frame"
    )


def _follow(rows: Array, chosen: Indices) -> sparse.csc_array:
    """Old coordinates (m, m) from the six of a frame, then the old ones without ``chosen``.

    The frame y = rows z determines z[chosen] = A^-1 (y - B z[others]).
    """
    m = rows.shape[1]
    others = np.setdiff1d(np.arange(m), chosen)
    inverse = np.linalg.inv(rows[:, chosen])
    block = sparse.coo_array(np.hstack([inverse, -inverse @ rows[:, others]]))
    row = np.concatenate([chosen[block.row], others])
    column = np.concatenate([block.col, 6 + np.arange(len(others))])
    data = np.concatenate([block.data, np.ones(len(others))])
    return sparse.csc_array(sparse.coo_array((data, (row, column)), (m, m)))


def _symmetric(X: sparse.csc_array) -> sparse.csc_array:
    return sparse.csc_array(0.5 * (X + X.T))
