"""Component whose interfaces are tied to frames: maps from frames to its coordinates."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from supple.fem.base.component import Component, expect_component, rigid_motion
from supple.fem.ties.interface import Interface
from supple.fem.ties.tied import TiedComponent
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, label


@dataclass(frozen=True, eq=False)
class Ties:
    """Maps between nodal coordinates x (size,), retained ones z (m,) and frames y (6 f,).

    Attributes
    ----------
    interfaces : tuple of Interface
    T : sparse (size, m)
        ``x = T @ z``. Retained are the six coordinates of each rigid interface, in their order, and
        then the coordinates ``free`` of all nodes that no rigid interface holds.
    free : (m - 6 r,) integers
        Nodal coordinates that are retained themselves.
    B : sparse (6 f, m)
        ``y = B @ z``: the six coordinates of each interface, in the order of ``interfaces``;
        loads on the frames act as ``B.T @ load`` on the retained coordinates.
    """

    interfaces: tuple[Interface, ...]
    T: sparse.csc_array
    free: Indices
    B: sparse.csc_array

    def reduce(self, matrix: Any) -> sparse.csc_array:
        """A mass or stiffness matrix (size, size) in the retained coordinates (m, m)."""
        found = sparse.csc_array(self.T.T @ matrix @ self.T)
        return sparse.csc_array(0.5 * (found + found.T))

    def rigid_motions(self, rigid: Array) -> Array:
        """Retained coordinates (m, 6) of the component's rigid motions ``rigid`` (size, 6).

        Columns are along x, y, z and about x, y, z through the origin.
        """
        held = [i for i in self.interfaces if i.kind == "rigid"]
        blocks = [_frame_motion(i.place) for i in held]
        return np.vstack([*blocks, rigid[self.free]])


def tie(component: Component, interfaces: Sequence[Interface]) -> Ties:
    """Tie frames to a component; a node may be in one rigid interface only."""
    expect_component("tie", component)
    expected = "a sequence of Interface"
    interfaces = validate.listed("tie", "interfaces", interfaces, expected)
    for interface in interfaces:
        if not isinstance(interface, Interface):
            raise ModelError("tie", "interfaces", interface, expected)
    size = component.node_size
    holder = np.full(len(component.nodes), -1)
    for number, interface in enumerate(interfaces):
        interface.coordinates(component)
        interface.refuse_line(component)
        if interface.kind != "rigid":
            continue
        taken = interface.nodes[holder[interface.nodes] >= 0]
        if len(taken):
            other = interfaces[int(holder[taken[0]])]
            raise ModelError.plain(
                f"{label(interface)}: node {int(taken[0])} is held by {label(other)}, too, "
                "expected each node in one rigid interface"
            )
        holder[interface.nodes] = number
    names = [i.name for i in interfaces]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise ModelError.plain(
            f"tie: two interfaces are called {twice!r}, expected different names"
        )
    free = np.flatnonzero(np.repeat(holder < 0, size))
    T = _transformation(component, interfaces, free)
    rows, at = [], 0
    for interface in interfaces:
        if interface.kind == "rigid":
            rows.append(sparse.eye_array(6, T.shape[1], k=at))
            at += 6
        else:
            rows.append(interface.averaging(component) @ T)
    B = sparse.vstack(rows) if rows else sparse.csc_array((0, T.shape[1]))
    return Ties(tuple(interfaces), T, free, sparse.csc_array(B))


def _transformation(
    component: Component, interfaces: Sequence[Interface], free: Indices
) -> sparse.csc_array:
    """The matrix T (size, m) of `Ties`."""
    rows, columns, entries, at = [], [], [], 0
    for interface in interfaces:
        if interface.kind != "rigid":
            continue
        motion = interface.spreading(component)
        row, column = np.indices(motion.shape)
        rows.append(interface.coordinates(component)[row.ravel()])
        columns.append(at + column.ravel())
        entries.append(motion.ravel())
        at += 6
    rows.append(free)
    columns.append(at + np.arange(len(free)))
    entries.append(np.ones(len(free)))
    places = (np.concatenate(rows), np.concatenate(columns))
    found = sparse.csc_array(
        sparse.coo_array((np.concatenate(entries), places), (component.size, at + len(free)))
    )
    found.eliminate_zeros()
    return found


def _frame_motion(place: Array) -> Array:
    """Coordinates (6, 6) of a frame at a place when the body moves rigidly."""
    return rigid_motion(place[None], 6)


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
