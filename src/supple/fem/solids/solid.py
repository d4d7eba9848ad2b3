"""Solid bodies: tetrahedra and hexahedra with straight or curved edges.

Each node has the three displacements u, v, w along x, y, z. Strains and stresses are in the order
xx, yy, zz, xy, xz, yz; shear strains are angles (engineering strains, twice those of the tensor).
`block` makes the mesh of a box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import describe_mesh
from supple.fem.base.inertia import InertiaIntegrals, point_integrals
from supple.fem.base.material import Material
from supple.fem.base.mesh_check import (
    MOST_ELEMENTS,
    cell_numbers,
    node_places,
    owner_label,
    refuse_loose_nodes,
    refuse_parts,
)
from supple.fem.base.node_groups import NodeGroups, node_groups
from supple.fem.base.solid_kinds import HEXAHEDRON, KINDS, shapes
from supple.fem.solids.geometry import locate, refuse_bad_volume, slopes_in_space
from supple.fem.solids.matrices import (
    MassRule,
    assemble,
    displacement_rows,
    isotropic_law,
    mass_matrices,
    mass_rule,
    rotation_rows,
    stiffness_matrices,
    strains_at,
    stress_matrices,
)
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, named
from supple.foundation.validate import set_fields

# Rows of one element (k, 3) at a place (3,) of its reference cell.
Rows = Callable[[Array, Array], Array]
# Six tetrahedra of equal volume around the diagonal from corner 0 to corner 6 of a box; boxes
# divided like this fit to each other.
DIVIDED = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


@declared
class SolidMesh(NodeGroups):
    """A solid body of one material and one kind of element, free in space.

    Parameters
    ----------
    nodes : (N, 3) m
    cells : (e, k) integers
        Nodes of each element, counted from 0, in the order of VTK, CalculiX and Abaqus.
    kind : "tet4", "tet10", "hex8", "hex20" or "hex27"
        The number is that of the nodes. A tet4 is much too stiff in bending; a hex8 has strains of
        its own by which it bends.
    material : Material
        Isotropic: ``E = 2 G (1 + nu)`` with nu between -1 and 0.5.
    groups : name to node numbers, optional
        Sets of nodes, for example faces where something is joined.
    name : str, optional
        For messages only.
    """

    nodes: Given[ArrayLike, Array] = checked(node_places, "m")
    cells: Given[ArrayLike, Indices] = given()
    kind: str = checked(validate.choice, options=tuple(KINDS))
    material: Material = given()
    groups: Given[Mapping[str, ArrayLike] | None, Mapping[str, Indices]] = given(default=None)
    name: str = named(default="")
    node_size: ClassVar[int] = 3

    def __repr__(self) -> str:
        """Show the size of the mesh; its arrays would hide it."""
        return describe_mesh(self, self.name, f"{len(self.cells)} {self.kind}")

    def _check(self, owner: str) -> None:
        numbers = cell_numbers(owner, self.cells, KINDS[self.kind].size, len(self.nodes))
        if not isinstance(self.material, Material):
            raise ModelError(owner, "material", self.material, "a Material")
        isotropic_law(owner, self.material)
        refuse_loose_nodes(owner, numbers, len(self.nodes))
        refuse_bad_volume(owner, KINDS[self.kind], numbers, self.nodes[numbers])
        refuse_parts(owner, numbers, len(self.nodes))
        chosen = {} if self.groups is None else self.groups
        groups = node_groups(owner, chosen, len(self.nodes))
        set_fields(self, cells=numbers, groups=groups)

    @cached_property
    def mass_matrix(self) -> sparse.csc_array:
        """Consistent mass matrix (size, size)."""
        scalar = assemble(mass_matrices(self._mass_rule), self.cells, len(self.nodes))
        # The same in all three directions.
        return sparse.csc_array(sparse.kron(scalar, sparse.eye_array(3), format="csc"))

    @cached_property
    def stiffness_matrix(self) -> sparse.csc_array:
        """Stiffness matrix (size, size)."""
        matrices = stiffness_matrices(self.kind, self.nodes[self.cells], self.law)
        return assemble(matrices, self._coordinates, self.size)

    def geometric_stiffness(self, displacement: ArrayLike) -> sparse.csc_array:
        """Geometric stiffness (size, size) of the stresses of a linear state.

        ``displacement`` (size,) are the nodal coordinates of that state. The energy of its
        stresses on the quadratic Green strain of a further displacement u is
        ``u @ K_G @ u / 2``: tension stiffens.
        """
        expected = f"{self.size} finite numbers, one for each nodal coordinate"
        q = validate.vector(self._owner, "displacement", displacement, self.size, expected)
        moved = q.reshape(-1, 3)[self.cells]
        matrices = stress_matrices(self.kind, self.nodes[self.cells], self.law, moved)
        scalar = assemble(matrices, self.cells, len(self.nodes))
        return sparse.csc_array(sparse.kron(scalar, sparse.eye_array(3), format="csc"))

    @cached_property
    def law(self) -> Array:
        """Matrix (6, 6) from strains to stresses, Pa."""
        return isotropic_law(self._owner, self.material)

    def material_points(self, basis: Array) -> tuple[Array, Array, Array]:
        """Body as finitely many mass points, for displacements ``basis @ q`` with basis (size, n).

        Returns mass (k,), place (k, 3) and shape (k, 3, n): a point is at ``place + shape @ q``.
        Sums over the points equal the integrals over the body of everything that is at most
        quadratic in place and displacement.
        """
        points, n = self._mass_rule, basis.shape[1]
        field = np.hstack([self.nodes, basis.reshape(len(self.nodes), 3 * n)])
        at_points = np.concatenate([points.values @ field[cell] for cell in self.cells])
        shape = at_points[:, 3:].reshape(len(at_points), 3, n)
        return points.mass.ravel(), at_points[:, :3], shape

    def inertia_integrals(self, basis: Array) -> InertiaIntegrals:
        """Integrals of mass, place and the displacements ``basis @ q``, exact."""
        return point_integrals(self.material_points(basis))

    def displacement(self, point: ArrayLike) -> sparse.csr_array:
        """Rows (3, size) of the displacement of a material point, m."""
        return self._rows(point, lambda _, xi: displacement_rows(shapes(self.kind, xi[None])[0][0]))

    def rotation(self, point: ArrayLike) -> sparse.csr_array:
        """Rows (3, size) of the small rotation of a material point, half the curl, rad."""
        return self._rows(
            point,
            lambda corners, xi: rotation_rows(
                slopes_in_space(shapes(self.kind, xi[None])[1], corners[None])[1][0, 0]
            ),
        )

    def strain(self, point: ArrayLike) -> sparse.csr_array:
        """Rows (6, size) of the strains xx, yy, zz, xy, xz, yz of a material point.

        They jump between elements: on a face, edge or corner it is the mean of all sides.
        """
        return self._rows(
            point,
            lambda corners, xi: strains_at(self.kind, corners[None], self.law, xi[None])[1][0, 0],
        )

    def stress(self, point: ArrayLike) -> sparse.csr_array:
        """Rows (6, size) of the stresses xx, yy, zz, xy, xz, yz of a material point, Pa."""
        return sparse.csr_array(sparse.csr_array(self.law) @ self.strain(point))

    def _rows(self, point: ArrayLike, of: Rows) -> sparse.csr_array:
        """Rows (k, size) at a point; ``of`` gives (k, coordinates of an element) of an element."""
        place = validate.vector(self._owner, "point", point)
        found = locate(self.kind, self.nodes[self.cells], place)
        if not found:
            raise ModelError(self._owner, "point", point, "a place within the mesh")
        columns, rows = [], []
        for element, xi in found:
            rows.append(of(self.nodes[self.cells[element]], xi) / len(found))
            columns.append(self._coordinates[element])
        entries, places = np.hstack(rows), np.concatenate(columns)
        row, column = np.indices(entries.shape)
        return sparse.csr_array(
            (entries.ravel(), (row.ravel(), places[column.ravel()])), (len(entries), self.size)
        )

    @cached_property
    def _coordinates(self) -> Indices:
        """Coordinates (e, 3 k) of each element."""
        spread = 3 * self.cells[:, :, None] + np.arange(3)
        return spread.reshape(len(self.cells), -1)

    @cached_property
    def _mass_rule(self) -> MassRule:
        return mass_rule(self.kind, self.nodes[self.cells], self.material.density)


def block(
    size: ArrayLike,
    divisions: Sequence[int],
    kind: str,
    material: Material,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    name: str = "",
) -> SolidMesh:
    """Box along x, y, z with a regular mesh.

    Parameters
    ----------
    size : (3,) m
    divisions : three integers
        Hexahedra along x, y, z; each becomes six tetrahedra if these are asked for.
    kind : "tet4", "tet10", "hex8", "hex20" or "hex27"
    material : Material
    origin : (3,) m
        Place of the corner with the smallest x, y, z.

    The faces are groups of nodes: "x_min", "x_max", "y_min", "y_max", "z_min", "z_max".
    """
    owner = owner_label("block", name)
    lengths = validate.vector(owner, "size", size, expected="3 positive numbers")
    if lengths.min() <= 0.0:
        raise ModelError(owner, "size", size, "3 positive numbers")
    wanted = "3 positive integers"
    given = validate.listed(owner, "divisions", divisions, wanted)
    if len(given) != 3:
        raise ModelError(owner, "divisions", divisions, wanted)
    counts = [validate.integer(owner, "divisions", n, 1, wanted) for n in given]
    if math.prod(counts) > MOST_ELEMENTS:
        expected = f"{wanted} and no more than {MOST_ELEMENTS} elements"
        raise ModelError(owner, "divisions", divisions, expected)
    validate.choice(owner, "kind", kind, tuple(KINDS))
    degree = KINDS[kind].degree
    lattice, cells = _lattice_cells(kind, counts, [degree * n + 1 for n in counts])
    used, cells = np.unique(cells, return_inverse=True)
    steps = lattice[used]
    places = steps / (degree * np.array(counts)) * lengths + validate.vector(
        owner, "origin", origin
    )
    groups = {}
    for axis, letter in enumerate("xyz"):
        groups[f"{letter}_min"] = np.flatnonzero(steps[:, axis] == 0)
        groups[f"{letter}_max"] = np.flatnonzero(steps[:, axis] == degree * counts[axis])
    return SolidMesh(places, cells.reshape(-1, KINDS[kind].size), kind, material, groups, name)


def _lattice_cells(kind: str, counts: list[int], points: list[int]) -> tuple[Indices, Indices]:
    """Lattice steps (points, 3) and the lattice points of each element.

    x runs slowest, so that the numbers of a slender block along x have a narrow band.
    """
    described = KINDS[kind]
    grid = [np.arange(n) for n in points]
    lattice = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 3)
    boxes = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1)
    corners = described.degree * boxes.reshape(-1, 1, 3)
    if described.simplex:
        tetrahedra = np.array(HEXAHEDRON)[np.array(DIVIDED)]  # (6, 4, 3)
        middles = [tetrahedra[:, list(c)].mean(axis=1) for c in described.averaged]
        local = np.concatenate([tetrahedra, np.array(middles).reshape(-1, 6, 3).swapaxes(0, 1)], 1)
        steps = np.rint(described.degree * local).astype(np.intp).reshape(-1, 3)
    else:
        steps = np.rint(described.degree * described.places).astype(np.intp)
    nodes = corners + steps
    cells = (nodes[..., 0] * points[1] + nodes[..., 1]) * points[2] + nodes[..., 2]
    return lattice, cells.reshape(-1, described.size)
