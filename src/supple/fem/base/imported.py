"""A component given by matrices: nodes, mass and stiffness from another program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import describe_mesh, rigid_modes, typical_length
from supple.fem.base.inertia import InertiaIntegrals, moment_points
from supple.fem.base.matrix_check import refuse_negative_diagonal, refuse_separate_parts, symmetric
from supple.fem.base.matrix_inertia import matrix_integrals
from supple.fem.base.mesh_check import node_places, owner_label
from supple.fem.base.node_groups import NodeGroups, node_groups
from supple.fem.base.solid_kinds import Array, Indices
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import set_fields

# Eigenvalues of the scaled moments below this are not rounding.
NOT_POINTS = -1e-9


@dataclass(frozen=True, eq=False, init=False)
class ImportedComponent(NodeGroups):
    """Nodes and matrices of a free body, in SI units.

    Parameters
    ----------
    nodes : (N, 3) m
    node_size : 3 or 6
        Coordinates for each node: u, v, w, or u, v, w, tx, ty, tz (m, rad).
    mass_matrix, stiffness_matrix : (size, size), sparse or dense
        Both with the coordinates of the first node first.
    groups : name to node numbers, optional
    labels : (N,) integers, optional
        Numbers of the nodes in the other program.
    name : str, optional
        For messages only.
    """

    nodes: Array
    node_size: int
    mass_matrix: sparse.csc_array
    stiffness_matrix: sparse.csc_array
    groups: Mapping[str, Indices]
    labels: Indices
    name: str

    def __repr__(self) -> str:
        """Show the size of the component; its matrices would hide it."""
        return describe_mesh(self, self.name, f"{self.node_size} coordinates each")

    def __init__(
        self,
        nodes: ArrayLike,
        node_size: int,
        mass_matrix: Any,
        stiffness_matrix: Any,
        groups: Mapping[str, ArrayLike] | None = None,
        labels: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        owner = owner_label("ImportedComponent", name)
        places = node_places(owner, nodes)
        validate.choice(owner, "node_size", node_size, (3, 6))
        wanted = f"{len(places)} node numbers"
        numbers = np.arange(len(places))
        if labels is not None:
            numbers = validate.whole_numbers(owner, "labels", labels, wanted)
        if numbers.shape != (len(places),):
            raise ModelError(owner, "labels", labels, wanted)
        set_fields(self, nodes=places, node_size=node_size, name=name, labels=numbers)
        mass = symmetric(owner, "mass_matrix", self, mass_matrix)
        stiffness = symmetric(owner, "stiffness_matrix", self, stiffness_matrix)
        refuse_negative_diagonal(owner, "mass_matrix", self, mass)
        refuse_negative_diagonal(owner, "stiffness_matrix", self, stiffness)
        refuse_separate_parts(owner, self, stiffness)
        set_fields(
            self,
            mass_matrix=mass,
            stiffness_matrix=stiffness,
            groups=node_groups(owner, {} if groups is None else groups, len(places)),
        )
        total = rigid_modes(self)[:, 0] @ (mass @ rigid_modes(self)[:, 0])
        if not total > 0.0:
            raise ModelError(owner, "mass_matrix", total, "a positive mass in kg of the whole body")

    @property
    def size(self) -> int:
        """Number of nodal coordinates."""
        return self.node_size * len(self.nodes)

    @property
    def length(self) -> float:
        """Diagonal of the box around the nodes, m."""
        return typical_length(self.nodes)

    def inertia_integrals(self, basis: Array) -> InertiaIntegrals:
        """Integrals of mass, place and the displacements ``basis @ q`` with basis (size, n).

        Without rotations they are exact. With rotations, all that is linear in the displacements
        and seen by rigid motions is exact; the rest is taken from lumped masses, and ``defect``
        says how much of the kinetic energy they miss.
        """
        return matrix_integrals(self, basis)

    def material_points(self, basis: Array) -> tuple[Array, Array, Array]:
        """Mass (k,), place (k, 3), shape (k, 3, n) of points with the same integrals.

        They have no places in the body that mean something, only the right sums; there are
        ``4 + 3 n`` of them.
        """
        moments = self.inertia_integrals(basis).moments
        unit = np.sqrt(np.abs(np.diag(moments)))
        unit[unit == 0.0] = 1.0
        lowest = float(np.linalg.eigvalsh(moments / np.outer(unit, unit))[0])
        if lowest < NOT_POINTS:
            raise ModelError.plain(
                f"{self._owner}: the moments of mass have the eigenvalue {lowest:.3g}, expected "
                "none below zero for material points; use inertia_integrals"
            )
        return moment_points(moments)
