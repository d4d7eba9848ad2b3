"""A component given by matrices: nodes, mass and stiffness from another program.

Integrals of inertia from a mass matrix alone.

Where nodes have translations only, the displacement field is ``sum N_k u_k`` with shape functions
N_k that nobody needs to know: they reproduce 1 and x, so that nodal values of the fields ``e_j``
and ``x_i e_j`` are those of the nodes, and the mass matrix has the integrals of N_k N_l in its
blocks. All integrals of products of 1, x and displacements follow exactly.

With rotations see `lumped_inertia`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import (
    Component,
    coordinate_name,
    describe_mesh,
    rigid_modes,
    typical_length,
)
from supple.fem.base.inertia import InertiaIntegrals, moment_points
from supple.fem.base.lumped_inertia import lumped_integrals
from supple.fem.base.matrix_check import refuse_negative_diagonal, refuse_separate_parts, symmetric
from supple.fem.base.mesh_check import node_places, owner_label
from supple.fem.base.node_groups import NodeGroups, node_groups
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.foundation.validate import set_fields

# Blocks of a mass matrix may differ by this fraction of its largest entry: digits of files.
ISOTROPY = 1e-6


def matrix_integrals(component: Component, basis: Array) -> InertiaIntegrals:
    """Integrals of inertia for displacements ``basis @ q`` with basis (size, n)."""
    if component.node_size == 3:
        return _by_translations(component, basis)
    return lumped_integrals(component, basis)


def _by_translations(component: Component, basis: Array) -> InertiaIntegrals:
    """All integrals, exactly, from the mass matrix of one direction."""
    n, nodes = basis.shape[1], len(component.nodes)
    # Nodal values of 1, x, y, z and of the x-, y- and z-displacements of the shapes.
    shapes = basis.reshape(nodes, 3, n).transpose(1, 0, 2)
    fields = np.column_stack([np.ones(nodes), component.nodes, *shapes])
    G = fields.T @ (scalar_mass(component) @ fields)
    return InertiaIntegrals.of_moments(0.5 * (G + G.T), n)


def scalar_mass(component: Component) -> sparse.csc_array:
    """Mass matrix (N, N) of one direction; refused if the directions differ or are coupled."""
    M = component.mass_matrix
    found = [sparse.csc_array(M[i::3, i::3]) for i in range(3)]
    mean = sparse.csc_array((found[0] + found[1] + found[2]) / 3.0)
    even = sparse.coo_array(M - sparse.kron(mean, sparse.eye_array(3)))
    size = np.abs(mean.data).max()
    if even.nnz and np.abs(even.data).max() > ISOTROPY * size:
        worst = int(np.argmax(np.abs(even.data)))
        pair = " and ".join(coordinate_name(component, int(i[worst])) for i in (even.row, even.col))
        raise ModelError.plain(
            f"component: the mass matrix between {pair} differs from an equal mass in all "
            f"directions by {abs(even.data[worst]) / size:.2g} of its largest entry, "
            "expected the same in x, y and z"
        )
    return mean


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
