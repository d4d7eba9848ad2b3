"""The finer mesh of a `MeshBody`: its interfaces, its loads, and what its own mesh gets wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np
from scipy import sparse

from supple.bodies.base.reduced import Masses
from supple.fem.base.component import Component
from supple.fem.checks.component import NEARLY_INCOMPRESSIBLE, continuous_energy, poisson
from supple.fem.drawn.boundary import area_weights
from supple.fem.refinement.meshes import Finer, finer
from supple.fem.solids.solid import SolidMesh
from supple.fem.ties.interface import Interface
from supple.fem.ties.tied import TiedComponent, tied_component
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.foundation.validate import set_fields
from supple.reduction.mesh_flexibility import (
    MeshFlexibility,
    mesh_flexibility,
    recovered_flexibility,
)
from supple.reduction.tied_problem import TiedProblem

MANY = 600  # tetrahedra, from which on a finer mesh takes long to solve
SMALLEST = 1e-3  # weight of a node of an averaging interface, at least, in the mean of all


@dataclass(frozen=True, eq=False)
class FinerMesh:
    """A finer mesh with the interfaces of a body."""

    own: TiedComponent  # the body's own mesh with its interfaces
    found: Finer  # the finer mesh
    tied: TiedComponent  # it with its interfaces

    @classmethod
    def of(cls, own: TiedComponent, held: set[str]) -> FinerMesh | None:
        """The finer mesh; None if it would be too large, or where elements are not known."""
        try:
            found = finer(own.component)
            if found is None:
                return None
            interfaces = [finer_interface(found, i) for i in own.interfaces]
            return cls(own, found, tied_component(found.component, interfaces, held))
        except ModelError:  # nodes that only the coarse mesh can tie
            return None

    def place(self, place: int) -> int:
        """Number there of a node or an interface here."""
        here, there = len(self.own.nodes), len(self.tied.nodes)
        return int(self.found.same[place]) if place < here else place - here + there

    def problem(self, own: TiedProblem, masses: Masses) -> TiedProblem:
        """The problem of the finer mesh, held as the body's own."""
        moved = tuple((self.place(place), m) for place, m in masses)
        clamp = own.clamp_node
        return replace(
            own,
            mesh=self.tied.with_masses(moved),
            clamp_node=clamp if clamp < 0 else self.place(clamp),
        )

    def flexibility(
        self, own: TiedProblem, masses: Masses, basis: Vector, places: Sequence[int]
    ) -> MeshFlexibility:
        """Both meshes under unit loads, those at places and of the elastic coordinates included."""
        there = self.problem(own, masses)
        P, rows = self.moved, [self._rows(place) for place in places]
        loads = []
        for k, (problem, moved) in enumerate(((own, basis), (there, P @ basis))):
            attached = [both[k].toarray().T for both in rows]
            inertia = problem.mesh.mass_matrix @ moved
            loads.append(np.hstack([problem.mesh.inertia_loads(), *attached, inertia]))
        nested = P if self.found.nested else None
        return mesh_flexibility(own, loads[0], there, loads[1], nested, self.found.rest)

    @cached_property
    def moved(self) -> sparse.csr_array:
        """Retained coordinates (size there, size here) of a displacement that is given here."""
        tied, size = self.tied, self.found.component.node_size
        nodal = sparse.csr_array(self.found.P @ self.own.T)
        inner = tied.places < len(tied.nodes)
        rows = nodal[np.where(inner, size * tied.places + tied.kinds, 0)]
        found = sparse.csr_array(sparse.diags_array(inner.astype(float)) @ rows)
        for k in range(len(tied.interfaces)):
            frame = np.flatnonzero(tied.places == len(tied.nodes) + k)
            own = np.flatnonzero(self.own.places == len(self.own.nodes) + k)
            unit = (np.ones(len(frame)), (frame, own))
            found = found + sparse.csr_array(unit, shape=(tied.size, self.own.size))
        return sparse.csr_array(found)

    def _rows(self, place: int) -> tuple[Any, Any]:
        """Rows (6, size here) and (6, size there) of the motion of a place.

        A free node is where its neighbours are, in the mean.
        """
        if place >= len(self.own.nodes) or self.own.holder(place) != place:
            return self.own.rows(place), self.tied.rows(self.place(place))
        at, weights = self.found.around(place)
        near = Interface("loaded", self.own.point(place), at, "average", weights)
        rows = near.averaging(self.found.component)
        return rows @ self.found.P @ self.own.T, rows @ self.tied.T


def finer_interface(found: Finer, interface: Interface) -> Interface:
    """Interface of the finer mesh with all nodes between its own; of a face it follows the mean."""
    nodes = found.within(interface.nodes)
    given = np.zeros(found.weights.shape[1])
    given[interface.nodes] = interface.weights
    least = SMALLEST * float(interface.weights.mean())
    weights = np.maximum((found.weights @ given)[nodes], least)
    made = Interface(interface.name, interface.place, nodes, interface.kind, weights)
    if interface.kind == "average" and isinstance(found.component, SolidMesh):
        areas = area_weights(found.component, nodes)
        if areas is not None:  # some of them may be negative
            set_fields(made, weights=areas)
    return made


def interface_advice(
    component: Component, interfaces: Sequence[Interface], stiff: bool
) -> str | None:
    """Advice that improves interfaces if they cause the error of a mesh; None if they do not.

    At single nodes of a solid a support sinks in the more the finer the mesh is.
    """
    if not stiff and any(i.kind == "average" for i in interfaces):
        return (
            "give its averaging interfaces the areas around their nodes as weights, make them "
            "rigid, or use smaller elements"
        )
    if isinstance(component, SolidMesh):
        for interface in interfaces:
            if area_weights(component, interface.nodes) is None:
                return (
                    f"give {label(interface)} all nodes of one or more faces, because at single "
                    "ones the body gives way the more the finer its mesh is"
                )
    return None


def recovers(component: Component) -> TypeGuard[SolidMesh]:
    """True if strains tell the error of a mesh: many tet4 elements, which lock in bending."""
    if not isinstance(component, SolidMesh) or component.kind != "tet4":
        return False
    return len(component.cells) > MANY and poisson(component) < NEARLY_INCOMPRESSIBLE


def recovered(
    own: TiedProblem, component: SolidMesh, basis: Vector, attached: Sequence[Vector]
) -> MeshFlexibility:
    """A large mesh of tet4, of which a finer one would take long, under unit loads.

    ``attached`` are rows (6, size) of places where something is attached.
    """
    inertia = own.mesh.mass_matrix @ basis
    loads = np.hstack([own.mesh.inertia_loads(), *(rows.T for rows in attached), inertia])
    return recovered_flexibility(
        own, loads, lambda moved: continuous_energy(component, own.mesh.T @ moved)
    )
