"""A mesh as arrays: nodes, elements by kind, named groups; the way from a file to a component."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from supple.fem.base.component import describe_mesh
from supple.fem.base.material import Material
from supple.fem.base.mesh_check import cell_numbers, node_places, owner_label
from supple.fem.base.node_groups import node_groups
from supple.fem.base.solid_kinds import KINDS
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, describe
from supple.foundation.validate import set_fields, text, whole_numbers

# Nodes of a hexahedron with 27 of them from here on are numbered differently by programs.
FACES_FROM = 20


@dataclass(frozen=True, eq=False)
class MeshData:
    """What a mesh file holds.

    Attributes
    ----------
    nodes : (N, 3) m
    cells : kind to (e, k) integers
        Kinds of solids ("tet4", "tet10", "hex8", "hex20", "hex27") and of surfaces ("tri3", "tri6",
        "quad4", "quad8", "quad9"), nodes in the order of VTK.
    groups : name to node numbers
        Physical groups and node sets.
    name : str
    """

    nodes: Array
    cells: Mapping[str, Indices]
    groups: Mapping[str, Indices]
    name: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no mesh; store read-only arrays."""
        owner = owner_label("MeshData", self.name)
        places = node_places(owner, self.nodes)
        expected = "kinds of elements with node numbers (elements, nodes of each)"
        if not isinstance(self.cells, Mapping):
            raise ModelError(owner, "cells", self.cells, expected)
        cells = {}
        for kind, members in self.cells.items():
            text(owner, "kind of cells", kind, "a text such as 'tet10'")
            found = whole_numbers(owner, f"cells of {kind!r}", members, expected)
            width = found.shape[1] if found.ndim == 2 else 0
            cells[kind] = cell_numbers(owner, found, width, len(places))
        groups = node_groups(owner, self.groups, len(places))
        set_fields(self, nodes=places, cells=cells, groups=groups)

    def __repr__(self) -> str:
        """Show the size of the mesh; its arrays would hide it."""
        cells = ", ".join(f"{len(found)} {kind}" for kind, found in self.cells.items())
        return describe_mesh(self, self.name, cells or "no cells")

    def solid(self, material: Material) -> SolidMesh:
        """The solid elements as a component; nodes that are in none of them are left out."""
        kinds = [kind for kind in self.cells if kind in KINDS]
        owner = owner_label("MeshData", self.name)
        if len(kinds) != 1:
            found = ", ".join(kinds) if kinds else "none"
            raise ModelError.plain(
                f"{owner}: its kinds of solid elements are {found}, expected one of "
                f"{', '.join(KINDS)}"
            )
        kind = kinds[0]
        nodes, cells, groups = self.used(kind)
        cells = _sorted_faces(kind, nodes, cells)
        return SolidMesh(nodes, cells, kind, material, groups, self.name)

    def used(self, kind: str) -> tuple[Array, Indices, dict[str, Indices]]:
        """Nodes (n, 3), elements (e, k) and groups of one kind, counted without other nodes."""
        if not isinstance(kind, str) or kind not in self.cells:
            owner = owner_label("MeshData", self.name)
            raise ModelError.plain(
                f"{owner}: there are no elements of kind {describe(kind)}, "
                f"expected one of {', '.join(self.cells)}"
            )
        old, cells = np.unique(self.cells[kind], return_inverse=True)
        groups = {}
        for name, members in self.groups.items():
            kept = np.intersect1d(members, old)
            if len(kept):
                groups[name] = np.searchsorted(old, kept)
        return self.nodes[old], cells.reshape(self.cells[kind].shape), groups


def _sorted_faces(kind: str, nodes: Array, cells: Indices) -> Indices:
    """Elements with the nodes of faces and centre in our order, whatever that of the file is."""
    if kind != "hex27":
        return cells
    result = cells.copy()
    described = KINDS[kind]
    wanted = np.stack([nodes[cells[:, list(c)]].mean(axis=1) for c in described.averaged[12:]], 1)
    inner = cells[:, FACES_FROM:]
    distance = np.linalg.norm(wanted[:, :, None] - nodes[inner][:, None], axis=3)
    result[:, FACES_FROM:] = np.take_along_axis(inner, np.argmin(distance, axis=2), axis=1)
    return result
