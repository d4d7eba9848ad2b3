"""A component in the coordinates that a reduction works with: frames first, then nodes.

Nodes of a rigid interface are no coordinates any more: the six of its frame move them. The frame of
an averaging interface is a coordinate where it has to be held; then six coordinates of its nodes
follow from the others. Both are changes of coordinates ``x = T z``: mass, stiffness and material
points belong to the same body. Point masses sit at nodes or frames.

A place is a number: that of a node, or the number of nodes plus that of an interface.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from supple.fem.base.component import (
    COORDINATES,
    Component,
    expect_component,
    rigid_modes,
    rigid_motion,
)
from supple.fem.base.inertia import InertiaIntegrals, point_integrals, point_loads
from supple.fem.base.vibration import nested_dissection
from supple.fem.beams.element import arm_stiffness
from supple.fem.ties.interface import Interface
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label

PointMasses = tuple[tuple[int, float], ...]
# Motions of nodes determine those of a frame worse than this, relative: they do not.
DETERMINED = 1e-8


@dataclass(frozen=True, eq=False)
class TiedComponent:
    """A component with interface frames; made by `tied_component`."""

    component: Component
    interfaces: tuple[Interface, ...]  # tuple of Interface
    T: Any  # sparse (component.size, size) Nodal coordinates from those retained here.
    places: Indices  # (size,) integers The node or interface that a retained coordinate belongs to.
    kinds: Indices  # (size,) integers What it is: 0 to 5 for u, v, w, tx, ty, tz.
    # places Nodes of averaging interfaces that are retained: their matrices are full.
    dense: Indices
    # stiffness_matrix, own_mass: sparse (size, size), without point masses
    stiffness_matrix: Any
    own_mass: Any
    point_masses: PointMasses = ()  # ((place, kg), ...)

    def with_masses(self, point_masses: PointMasses) -> TiedComponent:
        """Return the component with these point masses, ((place, kg), ...)."""
        return replace(self, point_masses=tuple(point_masses))

    @property
    def size(self) -> int:
        """Number of retained coordinates."""
        return len(self.places)

    @property
    def nodes(self) -> Array:
        """Places (N, 3) of the nodes, m."""
        return self.component.nodes

    @property
    def length(self) -> float:
        """A typical length of the body, m."""
        return self.component.length

    @cached_property
    def mass_matrix(self) -> Any:
        """Mass matrix (size, size) with point masses, sparse."""
        found = self.own_mass
        for place, m in self.point_masses:
            rows = self.rows(place)[:3]
            found = found + m * (rows.T @ rows)
        return sparse.csc_array(found)

    @cached_property
    def rigid(self) -> Array:
        """Small rigid motions (size, 6): along x, y, z and about x, y, z through the origin."""
        own = rigid_modes(self.component)
        result = np.empty((self.size, 6))
        nodal = self.places < len(self.nodes)
        result[nodal] = own[self.component.node_size * self.places[nodal] + self.kinds[nodal]]
        for k, interface in enumerate(self.interfaces):
            here = self.places == len(self.nodes) + k
            result[here] = rigid_motion(interface.place[None], 6)[self.kinds[here]]
        return result

    def point(self, place: int) -> Array:
        """Position of a place (3,), m."""
        nodes = len(self.nodes)
        found = self.nodes[place] if place < nodes else self.interfaces[place - nodes].place
        return np.asarray(found)

    def holder(self, place: int) -> int:
        """The rigid interface that holds a node, as a place; the same place if there is none."""
        for k, interface in enumerate(self.interfaces):
            if interface.kind == "rigid" and place in interface.nodes:
                return len(self.nodes) + k
        return place

    def coordinates(self, place: int) -> Indices:
        """Retained coordinates that hold a place when they are held."""
        return np.flatnonzero(self.places == self.holder(place))

    def rows(self, place: int) -> Any:
        """Sparse rows (6, size) of displacement and rotation at a place.

        A node without rotations turns as the nodes around it do, which share its elements.
        """
        nodes, size = len(self.nodes), self.component.node_size
        if place >= nodes:
            own = np.flatnonzero(self.places == place)
            if len(own):
                return _unit_rows(own, self.size)
            return sparse.csr_array(
                self.interfaces[place - nodes].averaging(self.component) @ self.T
            )
        moved = sparse.csr_array(self.T.tocsr()[size * place : size * place + size])
        if size == 6:
            return moved
        holder = self.holder(place)
        if holder != place:
            turned = _unit_rows(np.flatnonzero(self.places == holder), self.size)[3:]
        else:
            turned = self._around(place).averaging(self.component)[3:] @ self.T
        return sparse.csr_array(sparse.vstack([moved, turned]))

    def viscous_matrix(self, factors: Callable[[float, float], tuple[float, float]]) -> Any:
        """Damping matrix (size, size) of a material whose viscosity is like its elasticity.

        ``factors`` gives the ratio (s) of viscosity to elasticity from E and G.
        """
        material = self.component.material  # type: ignore[attr-defined]
        return factors(material.E, material.G)[0] * self.stiffness_matrix

    def inertia_integrals(self, basis: Array) -> InertiaIntegrals:
        """Integrals of inertia for displacements ``basis @ q`` with basis (size, n)."""
        nodal = self.T @ basis
        if hasattr(self.component, "inertia_integrals"):
            found: InertiaIntegrals = self.component.inertia_integrals(nodal)
        else:
            found = point_integrals(self.component.material_points(nodal))
        if not self.point_masses:
            return found
        G = found.moments
        for place, m in self.point_masses:
            field = np.concatenate(
                [[1.0], self.point(place), (self.rows(place)[:3] @ basis).ravel()]
            )
            G = G + m * np.outer(field, field)
        return InertiaIntegrals.of_moments(G, basis.shape[1], found.defect)

    def material_points(self, basis: Array) -> tuple[Array, Array, Array]:
        """Mass (k,), place (k, 3), shape (k, 3, n) for displacements ``basis @ q``."""
        mass, place, shape = self.component.material_points(self.T @ basis)
        if not self.point_masses:
            return mass, place, shape
        at = [number for number, _ in self.point_masses]
        return (
            np.concatenate([mass, [m for _, m in self.point_masses]]),
            np.concatenate([place, [self.point(p) for p in at]]),
            np.concatenate([shape, [self.rows(p)[:3] @ basis for p in at]]),
        )

    def geometric_stiffness(self, displacement: Array) -> Any:
        """Geometric stiffness (size, size), sparse, of the stress under displacements (size,).

        Nodes of a rigid interface move of second order, too, when it turns.
        """
        moved = self.T @ displacement
        own = self.component.geometric_stiffness(moved)  # type: ignore[attr-defined]
        found = self.T.T @ own @ self.T
        forces = self._forces(self.component.stiffness_matrix @ moved)
        for k, interface in enumerate(self.interfaces):
            if interface.kind == "rigid":
                turn = _unit_rows(np.flatnonzero(self.places == len(self.nodes) + k), self.size)[3:]
                found = found + turn.T @ self._arms(forces, interface, interface.nodes) @ turn
        return sparse.csc_array(found)

    def spread_stiffness(self, place: int, basis: Array) -> Array:
        """Geometric stiffness by spreading a load at a place over nodes, (6, n, n).

        Of unit forces and torques, for displacements ``basis @ q``: when the nodes turn about the
        place they move of second order, too, which is no displacement or rotation of the place.
        """
        found = np.zeros((6, basis.shape[1], basis.shape[1]))
        frame = self._averaged(place)
        if frame is None:
            return found
        turn = self.rows(place)[3:] @ basis
        rows = frame.averaging(self.component).toarray()
        if place < len(self.nodes):
            rows[:3] = 0.0  # a node is moved by itself
        for k, row in enumerate(rows):
            forces = self._forces(row)
            found[k] = turn.T @ self._arms(forces, frame, frame.nodes) @ turn
            for number, other in enumerate(self.interfaces):
                shared = np.intersect1d(frame.nodes, other.nodes)
                if other.kind == "rigid" and len(shared):  # they do move with that interface
                    own = basis[self.places == len(self.nodes) + number][3:]
                    found[k] -= own.T @ self._arms(forces, other, shared) @ own
        return found

    def _forces(self, nodal: Array) -> Array:
        """Forces (nodes, 3) among loads (component.size,)."""
        return np.asarray(nodal.reshape(-1, self.component.node_size)[:, :3])

    def _arms(self, forces: Array, interface: Interface, nodes: Indices) -> Array:
        """Matrix (3, 3) of forces (all nodes, 3) at nodes that turn about an interface's place."""
        arms = zip(forces[nodes], self.nodes[nodes] - interface.place, strict=True)
        return np.asarray(np.sum([arm_stiffness(force, arm) for force, arm in arms], axis=0))

    def _averaged(self, place: int) -> Interface | None:
        """The nodes whose mean motion is that of a place, or None if it has a rotation itself."""
        nodes = len(self.nodes)
        if place >= nodes:
            found = self.interfaces[place - nodes]
            return found if found.kind == "average" else None
        alone = self.component.node_size == 3 and self.holder(place) == place
        return self._around(place) if alone else None

    def inertia_loads(self) -> Array:
        """Forces (size, 12) of the body forces rho e_d and rho x_i e_d, point masses included."""
        component = self.component
        if component.node_size == 3:  # such displacements are among the elements' own
            fields = np.zeros((component.size, 12))
            for d in range(3):
                fields[d::3, d] = 1.0
                for i in range(3):
                    fields[d::3, 3 + 3 * i + d] = component.nodes[:, i]
            loads = component.mass_matrix @ fields
        elif hasattr(component, "body_loads"):
            loads = component.body_loads()
        else:
            loads = point_loads(component)
        found = np.array(self.T.T @ loads)
        for place, m in self.point_masses:
            rows, x = self.rows(place)[:3].toarray(), self.point(place)
            found[:, :3] += m * rows.T
            for i in range(3):
                found[:, 3 + 3 * i : 6 + 3 * i] += m * x[i] * rows.T
        return found

    def order(self, kept: Indices) -> Indices:
        """The coordinates ``kept`` in an order of elimination with little fill.

        Frames reach many nodes, so they come last, as do nodes with full matrices.
        """
        nodes = len(self.nodes)
        found = sparse.coo_array(self.stiffness_matrix)
        pairs = self.places[found.row], self.places[found.col]
        total = nodes + len(self.interfaces)
        graph = sparse.coo_array((np.ones(found.nnz), pairs), (total, total)).tocsr()
        late = np.union1d(self.dense, np.arange(nodes, total))
        early = np.setdiff1d(np.arange(nodes), late)
        first = early[nested_dissection(self.nodes[early], graph[early][:, early].tocsr())]
        rank = np.empty(total, dtype=np.intp)
        rank[np.concatenate([first, late])] = np.arange(total)
        return np.asarray(kept[np.argsort(rank[self.places[kept]], kind="stable")])

    def name(self, coordinate: int) -> str:
        """Text such as ``w_12`` by node, or ``w_tip`` by interface."""
        place = int(self.places[coordinate])
        nodes = len(self.nodes)
        owner = place if place < nodes else self.interfaces[place - nodes].name
        return f"{COORDINATES[self.kinds[coordinate]]}_{owner}"

    def _around(self, node: int) -> Interface:
        """The nodes that share an element with a node, as a frame that follows their mean."""
        size = self.component.node_size
        columns = sparse.csc_array(self.component.stiffness_matrix)[
            :, size * node : size * node + 3
        ]
        near = np.unique(columns.indices // size)
        return Interface(f"around node {node}", self.nodes[node], near, "average")


def _unit_rows(columns: Indices, size: int) -> Any:
    ones = np.ones(len(columns))
    return sparse.csr_array((ones, (np.arange(len(columns)), columns)), (len(columns), size))


def refuse_incomplete(owner: str, field: str, given: Any, tied: TiedComponent, place: int) -> None:
    """Refuse a node some of whose coordinates follow from an averaging interface."""
    if place < len(tied.nodes) and tied.holder(place) == place:
        complete = len(tied.coordinates(place)) == tied.component.node_size
        if not complete:
            other = next(i for i in tied.interfaces if i.kind == "average" and place in i.nodes)
            raise ModelError(owner, field, given, f"a node that {label(other)} does not move")


@dataclass(frozen=True, eq=False)
class Ties:
    """Maps between nodal coordinates x (size,), retained ones z (m,) and frames y (6 f,)."""

    interfaces: tuple[Interface, ...]  # tuple of Interface
    # sparse (size, m) ``x = T @ z``. Retained are the six coordinates of each rigid interface, in
    # their order, and then the coordinates ``free`` of all nodes that no rigid interface holds.
    T: sparse.csc_array
    free: Indices  # (m - 6 r,) integers Nodal coordinates that are retained themselves.
    # sparse (6 f, m) ``y = B @ z``: the six coordinates of each interface, in the order of
    # ``interfaces``; loads on the frames act as ``B.T @ load`` on the retained coordinates.
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
