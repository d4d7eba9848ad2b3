"""A component given by matrices: nodes, mass and stiffness from another program.

Its integrals of inertia follow from the mass matrix. Where nodes have translations only, the
displacement field is ``sum N_k u_k`` with shape functions N_k that nobody needs to know: they
reproduce 1 and x, so that nodal values of the fields ``e_j`` and ``x_i e_j`` are those of the
nodes, and the mass matrix has the integrals of N_k N_l in its blocks. All integrals of products of
1, x and displacements follow exactly.

Where nodes have rotations, too: rigid motions are exact in every sound model, so that mass, centre,
inertia, and linear and angular momentum of the shapes follow exactly from the matrix; so does the
kinetic energy of the shapes. The other integrals, the symmetric part of ``x_i S_j`` and the single
products ``S_i S_j``, depend on shape functions that nobody tells. They are taken from small rigid
bodies at the nodes, with lumped masses and moments of inertia, which are moved and whose shapes are
stretched a little until everything that is known is right. The result belongs to a set of mass
points, so that no motion has a negative kinetic energy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import (
    Component,
    coordinate_name,
    describe_mesh,
    rigid_modes,
)
from supple.fem.base.inertia import InertiaIntegrals, moment_points
from supple.fem.base.mesh_check import (
    node_places,
    refuse_negative_diagonal,
    refuse_separate_parts,
    symmetric,
)
from supple.fem.base.node_groups import NodeGroups, node_groups
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, named
from supple.foundation.validate import set_fields

# Energies below this fraction of the largest are none.
SMALLEST = 1e-10
# What may be missing of the energy in the end, relative.
MISSING = 1e-6
# Blocks of a mass matrix may differ by this fraction of its largest entry: digits of files.
ISOTROPY = 1e-6
# Eigenvalues of the scaled moments below this are not rounding.
NOT_POINTS = -1e-9


def lumped_integrals(component: Component, basis: Array) -> InertiaIntegrals:
    """Integrals for displacements ``basis @ q`` with basis (size, n), six coordinates a node."""
    n, nodes = basis.shape[1], len(component.nodes)
    R = rigid_modes(component)
    MR = component.mass_matrix @ R
    rigid, momentum = 0.5 * (R.T @ MR + MR.T @ R), MR.T @ basis
    _refuse_direction(rigid)
    root, spread = np.sqrt(lumped_masses(component)), lumped_spreads(component)
    S = basis.reshape(nodes, 6, n)
    # Mass points, each row times the square root of its mass: the nodes, and what is around them.
    one = np.concatenate([root, np.zeros(3 * nodes)])
    place = np.vstack([root[:, None] * component.nodes, spread.transpose(0, 2, 1).reshape(-1, 3)])
    around = _turned(S[:, 3:], spread).transpose(0, 2, 1, 3).reshape(3 * nodes, 3, n)
    shape = np.concatenate([root[:, None, None] * S[:, :3], around])

    place = _with_moments(one, place, rigid)
    moved = np.concatenate([one[:, None, None] * np.eye(3), _rotations(place)], axis=2)
    lumped = np.einsum("kir,kia->ra", moved, shape)
    inverse = _inverse(rigid)
    elastic = shape - moved @ (inverse @ lumped)
    known = inverse @ momentum
    energy = basis.T @ (component.mass_matrix @ basis)
    wanted = 0.5 * (energy + energy.T) - known.T @ rigid @ known
    found = np.einsum("kib,kia->ba", elastic, elastic)
    shape = elastic @ _stretch(found, wanted, np.abs(energy).max(initial=0.0)) + moved @ known

    fields = np.column_stack([one, place, shape.reshape(len(one), 3 * n)])
    defect = float(np.abs(wanted - found).max() / np.abs(energy).max()) if n else 0.0
    return InertiaIntegrals.of_moments(fields.T @ fields, n, defect)


def _refuse_direction(rigid: Array) -> None:
    """Refuse a body whose mass is not the same in all directions."""
    masses = rigid[:3, :3]
    if np.abs(masses - masses[0, 0] * np.eye(3)).max() > MISSING * np.abs(masses).max():
        x, y, z = np.diag(masses)
        raise ModelError.plain(
            f"component: its mass is {x:.6g} kg along x, {y:.6g} kg along y and {z:.6g} kg along "
            "z, expected the same in all directions"
        )


def _inverse(rigid: Array) -> Array:
    """Inverse (6, 6) of the rigid inertia; zero for a rotation that has none.

    A straight line of masses does not resist a rotation about itself.
    """
    scale = np.sqrt(np.diag(rigid))
    scale[scale == 0.0] = 1.0
    unit = np.outer(scale, scale)
    return np.asarray(np.linalg.pinv(rigid / unit, rcond=SMALLEST, hermitian=True) / unit)


def _with_moments(one: Array, place: Array, rigid: Array) -> Array:
    """Points moved so that their first and second moments are those of the rigid motions (6, 6)."""
    mass = rigid[0, 0]
    # Translation e_i with rotation e_j: integral of rho e_i . (e_j x x) = (e_j x s0)_i.
    cross = rigid[:3, 3:]
    s0 = np.array([cross[1, 2], cross[2, 0], cross[0, 1]])
    second = 0.5 * np.trace(rigid[3:, 3:]) * np.eye(3) - rigid[3:, 3:]
    centred = place - np.outer(one, (one @ place) / mass)
    wanted = second - np.outer(s0, s0) / mass
    stretch = _stretch(centred.T @ centred, wanted, np.abs(wanted).max())
    return np.asarray(centred @ stretch + np.outer(one, s0 / mass))


def _stretch(found: Array, wanted: Array, scale: float) -> Array:
    """Symmetric A (n, n), nearest to the identity, with ``A @ found @ A == wanted``."""
    values, vectors = np.linalg.eigh(found)
    kept = values > SMALLEST * scale
    values, vectors = values[kept], vectors[:, kept]
    inner = (vectors * np.sqrt(values)).T @ wanted @ (vectors * np.sqrt(values))
    middle, turned = np.linalg.eigh(inner)
    half = (vectors / np.sqrt(values)) @ turned
    A = np.asarray((half * np.sqrt(np.maximum(middle, 0.0))) @ half.T)
    if np.abs(A @ found @ A - wanted).max(initial=0.0) > MISSING * scale:
        raise ModelError.plain(
            "component: lumped masses give no kinetic energy to a motion that has some, "
            "expected a mass matrix with translations of all nodes that move"
        )
    return A


def _rotations(place: Array) -> Array:
    """Displacements (k, 3, 3) of points (k, 3) by unit rotations about x, y, z."""
    return np.stack([np.cross(axis, place) for axis in np.eye(3)], axis=2)


def _turned(rotations: Array, spread: Array) -> Array:
    """Displacements (N, 3, 3, n) of the columns of ``spread`` by rotations (N, 3, n)."""
    x, y, z = (rotations[:, i, None, :] for i in range(3))
    a, b, c = (spread[:, i, :, None] for i in range(3))
    return np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=1)


def lumped_spreads(component: Component) -> Array:
    """Root (N, 3, 3) of each node's second moments of mass, from its inertia against rotation.

    A node with rotations is a small rigid body; ``root @ root.T`` is the integral of rho r r^T
    over it. Row sums of the rotations' part of the mass matrix are its tensor of inertia.
    """
    around = np.zeros((component.size, 3))
    for i in range(3):
        around[3 + i :: 6, i] = 1.0
    inertia = (component.mass_matrix @ around).reshape(-1, 6, 3)[:, 3:]
    inertia = 0.5 * (inertia + inertia.transpose(0, 2, 1))
    second = 0.5 * np.trace(inertia, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertia
    values, vectors = np.linalg.eigh(second)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])


def lumped_masses(component: Component) -> Array:
    """One mass (N,) for each node, kg, with the right sum.

    Row sums, which are right to first order; where one is negative, shares of the diagonal.
    """
    M = component.mass_matrix
    size = component.node_size
    along = np.zeros((component.size, 3))
    for i in range(3):
        along[i::size, i] = 1.0
    sums = (M @ along).reshape(-1, size, 3)
    lumped = np.einsum("kii->k", sums[:, :3]) / 3.0
    if lumped.min() >= 0.0:
        return np.asarray(lumped)
    diagonal = M.diagonal().reshape(-1, size)[:, :3].sum(axis=1)
    return np.asarray(diagonal * (lumped.sum() / diagonal.sum()))


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


@declared
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

    nodes: Given[ArrayLike, Array] = checked(node_places, "m")
    node_size: int = checked(validate.choice, options=(3, 6))
    mass_matrix: Given[Any, sparse.csc_array] = given()
    stiffness_matrix: Given[Any, sparse.csc_array] = given()
    groups: Given[Mapping[str, ArrayLike] | None, Mapping[str, Indices]] = given(default=None)
    labels: Given[ArrayLike | None, Indices] = given(default=None)
    name: str = named(default="")

    def __repr__(self) -> str:
        """Show the size of the component; its matrices would hide it."""
        return describe_mesh(self, self.name, f"{self.node_size} coordinates each")

    def _check(self, owner: str) -> None:
        labels = cast("ArrayLike | None", self.labels)
        wanted, numbers = f"{len(self.nodes)} node numbers", np.arange(len(self.nodes))
        if labels is not None:
            numbers = validate.whole_numbers(owner, "labels", labels, wanted)
        if numbers.shape != (len(self.nodes),):
            raise ModelError(owner, "labels", labels, wanted)
        matrices = {
            field: symmetric(owner, field, self, getattr(self, field))
            for field in ("mass_matrix", "stiffness_matrix")
        }
        for field, matrix in matrices.items():
            refuse_negative_diagonal(owner, field, self, matrix)
        refuse_separate_parts(owner, self, matrices["stiffness_matrix"])
        chosen = {} if self.groups is None else self.groups
        groups = node_groups(owner, chosen, len(self.nodes))
        set_fields(self, labels=numbers, groups=groups, **matrices)
        total = rigid_modes(self)[:, 0] @ (self.mass_matrix @ rigid_modes(self)[:, 0])
        if not total > 0.0:
            raise ModelError(owner, "mass_matrix", total, "a positive mass in kg of the whole body")

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
