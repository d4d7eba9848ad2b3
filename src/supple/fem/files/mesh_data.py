"""Meshes as arrays, read from files by meshlane, or made of geometry (STEP, IGES, BREP) by gmsh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.fem.base.component import describe_mesh
from supple.fem.base.material import Material
from supple.fem.base.mesh_check import cell_numbers, node_places, owner_label
from supple.fem.base.node_groups import node_groups
from supple.fem.base.solid_kinds import KINDS
from supple.fem.solids.solid import SolidMesh
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, describe, need
from supple.foundation.input_files import contained, existing, path_of
from supple.foundation.validate import set_fields, text, whole_numbers

# Nodes of a hexahedron with 27 of them from here on are numbered differently by programs.
FACES_FROM = 20
# Names of kinds in meshlane. Others (points, lines, wedges) are passed over.
FILE_KINDS = {
    "tetra": "tet4", "tetra10": "tet10", "hexahedron": "hex8", "hexahedron20": "hex20",
    "hexahedron27": "hex27", "triangle": "tri3", "triangle6": "tri6", "quad": "quad4",
    "quad8": "quad8", "quad9": "quad9",
}  # fmt: skip
# Endings (Tecplot, Kratos, TetGen) whose readers loop for ever at the end of a file cut off.
ENDLESS = {".dat", ".tec", ".mdpa", ".node", ".ele"}
GMSH_HEADER = b"$MeshFormat"
# Solids whose nodes have no place in a component.
UNUSABLE = {"wedge", "wedge15", "wedge18", "pyramid", "pyramid13", "pyramid14"}
# Endings of files that hold shapes and nothing that can be run, and gmsh's names of the formats.
SHAPES = {".step": "step", ".stp": "step", ".iges": "iges", ".igs": "iges", ".brep": "brep"}
# Numbers of kinds in gmsh, and its order of nodes where this is not that of VTK.
GMSH_KINDS = {
    4: "tet4", 11: "tet10", 5: "hex8", 17: "hex20", 12: "hex27", 2: "tri3", 9: "tri6", 3: "quad4",
    16: "quad8", 10: "quad9",
}  # fmt: skip
_GMSH_EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15]
GMSH_ORDERS = {
    "tet10": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    "hex20": _GMSH_EDGES,
    "hex27": [*_GMSH_EDGES, *range(20, 27)],  # the last are sorted by their places
}


@dataclass(frozen=True, eq=False)
class MeshData:
    """Content of a mesh file.

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
        places = node_places(owner, "nodes", self.nodes)
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


def read_mesh(path: str | Path, scale: float = 1.0) -> MeshData:
    """Read a mesh file of any format that meshlane knows (gmsh, VTK, Abaqus, Nastran, ...).

    ``scale`` takes the file's lengths to metres: 1e-3 for millimetres. Physical groups, cell sets
    and point sets become groups of nodes.
    """
    source = path_of("read_mesh", "path", path)
    name = source.name
    factor = validate.positive(name, "scale", scale)
    expected = "a mesh"
    existing(source, expected)
    known = _format(source)
    meshlane = need("meshlane", "meshlane", "mesh", "Mesh files")
    with contained(name, f"{expected} of a format that meshlane knows by its ending"):
        mesh = meshlane.read(source, known)
        return _file_data(source, mesh, factor)


def _format(source: Path) -> str | None:
    """Name of the format where the ending has several; refuse readers that may not come back."""
    if source.suffix.lower() in ENDLESS:
        raise ModelError.plain(
            f"{source.name}: the reader of {source.suffix} files does not end when one is cut off, "
            "expected another format, such as .msh of gmsh or .vtk"
        )
    if source.suffix.lower() != ".msh":
        return None
    with source.open("rb") as file:
        if GMSH_HEADER in file.read(4096):
            return "gmsh"
    raise ModelError.plain(
        f"{source.name}: it does not begin with {GMSH_HEADER.decode()}, expected a mesh of gmsh"
    )


def _file_data(source: Path, mesh: Any, factor: float) -> MeshData:
    """Nodes, elements and groups of what meshlane read."""
    name = source.name
    places = np.zeros((len(mesh.points), 3))
    places[:, : mesh.points.shape[1]] = factor * mesh.points
    if not np.all(np.isfinite(places)):
        raise ModelError.plain(f"{name}: a place of a node is not finite, expected numbers")
    cells: dict[str, list[Indices]] = {}
    for block in mesh.cells:
        if block.type in UNUSABLE:
            raise ModelError.plain(
                f"{name}: it has elements of type {block.type!r}, expected tetrahedra or hexahedra"
            )
        if block.type in FILE_KINDS:
            cells.setdefault(FILE_KINDS[block.type], []).append(np.asarray(block.data, int))
    groups = {n: np.unique(np.asarray(m, dtype=np.intp)) for n, m in mesh.point_sets.items()}
    groups |= _cell_groups(mesh) | _physical_groups(mesh)
    joined = {kind: np.concatenate(parts) for kind, parts in cells.items()}
    for kind, members in joined.items():
        if members.size and (members.min() < 0 or members.max() >= len(places)):
            raise ModelError.plain(
                f"{name}: an element of kind {kind!r} refers to node {members.max()}, expected one "
                f"of {len(places)} nodes"
            )
    return MeshData(places, joined, groups, source.stem)


def _cell_groups(mesh: Any) -> dict[str, Indices]:
    """Nodes of named sets of elements."""
    groups = {}
    for name, blocks in mesh.cell_sets.items():
        if name.startswith("gmsh:"):
            continue
        parts = [
            mesh.cells[k].data[np.asarray(members, dtype=np.intp)].ravel()
            for k, members in enumerate(blocks)
            if members is not None and len(members)
        ]
        if parts:
            groups[name] = np.unique(np.concatenate(parts))
    return groups


def _physical_groups(mesh: Any) -> dict[str, Indices]:
    """Nodes of gmsh's physical groups."""
    groups = {}
    for name, (number, _) in mesh.field_data.items():
        marks = mesh.cell_data.get("gmsh:physical", [])
        parts = [
            block.data[np.asarray(mark) == number].ravel()
            for block, mark in zip(mesh.cells, marks, strict=False)
        ]
        parts = [part for part in parts if len(part)]
        if parts:
            groups[name] = np.unique(np.concatenate(parts))
    return groups


def mesh_geometry(
    path: str | Path,
    element_size: float,
    degree: int = 2,
    scale: float = 1.0,
    surface: bool = False,
    allow_scripts: bool = False,
) -> MeshData:
    """Mesh a geometry by gmsh: STEP, BREP, IGES or, if allowed, a script such as ``.geo``.

    Parameters
    ----------
    path : file
        STEP and IGES files know their unit and are converted to metres.
    element_size : m
    degree : 1 or 2
        2 has nodes in the middle of the edges, on curved faces if the geometry has them.
    scale : factor from the lengths of a ``.geo`` or BREP file to metres
    surface : bool
        Mesh the surfaces with triangles instead of the volumes with tetrahedra.
    allow_scripts : bool
        Open files of any other ending, too. gmsh runs them as scripts, which may call the shell:
        only for files that you trust.

    Physical groups become groups of nodes. Without any, each face is a group: "face_1", "face_2".
    """
    owner = "mesh_geometry"
    source = path_of(owner, "path", path)
    name = source.name
    size = validate.positive(name, "element_size", element_size)
    factor = validate.positive(name, "scale", scale)
    validate.choice(name, "degree", degree, (1, 2))
    for field, value in (("surface", surface), ("allow_scripts", allow_scripts)):
        validate.flag(owner, field, value)
    kind = _kind(source, allow_scripts)
    existing(source, "a geometry")
    gmsh = need("gmsh", "gmsh", "gmsh", "Meshes of geometry")
    if gmsh.isInitialized():
        raise ModelError.plain("gmsh is in use in this process, expected gmsh.finalize() before")
    # No options of the user's folder: the same file gives the same mesh everywhere.
    gmsh.initialize(readConfigFiles=False, interruptible=False)
    try:
        with contained(name, "a geometry that gmsh can mesh"):
            gmsh.option.setNumber("General.Terminal", 0)
            gmsh.option.setString("Geometry.OCCTargetUnit", "M")
            if kind is None:
                gmsh.open(str(source))
            else:
                # gmsh.open would also run the commands of a file of options beside the geometry.
                gmsh.model.occ.importShapes(str(source), highestDimOnly=False, format=kind)
                gmsh.model.occ.synchronize()
            for bound in ("MeshSizeMin", "MeshSizeMax"):
                gmsh.option.setNumber(f"Mesh.{bound}", size / factor)
            gmsh.model.mesh.generate(2 if surface else 3)
            gmsh.model.mesh.setOrder(degree)
            return _gmsh_data(gmsh, source.stem, factor)
    finally:
        gmsh.finalize()


def solid(mesh: MeshData, material: Material) -> SolidMesh:
    """The solid elements of a mesh as a component, for model files: ``mesh.solid(material)``."""
    return mesh.solid(material)


def _kind(source: Path, allow_scripts: bool) -> str | None:
    """Kind of file for gmsh; None for its own scripts."""
    kind = SHAPES.get(source.suffix.lower())
    if kind is None and not allow_scripts:
        raise ModelError.plain(
            f"{source.name}: gmsh would run the commands of a {source.suffix or 'nameless'} file, "
            "also those of the shell, expected STEP, IGES or BREP (.step, .stp, .iges, .igs, "
            ".brep), or allow_scripts=True for a file that you trust"
        )
    return kind


def _gmsh_data(gmsh: Any, name: str, factor: float) -> MeshData:
    """Nodes, elements and groups of gmsh's current model."""
    tags, places, _ = gmsh.model.mesh.getNodes()
    order = np.argsort(tags)
    tags = tags[order]
    cells = {}
    for number, _, members in zip(*gmsh.model.mesh.getElements(), strict=True):
        if number not in GMSH_KINDS:
            continue
        kind = GMSH_KINDS[number]
        width = int(gmsh.model.mesh.getElementProperties(number)[3])
        found = np.searchsorted(tags, members).reshape(-1, width)
        cells[kind] = found[:, GMSH_ORDERS[kind]] if kind in GMSH_ORDERS else found
    named = {}
    for d, t in gmsh.model.getPhysicalGroups():
        title = gmsh.model.getPhysicalName(d, t) or f"group_{t}"
        named[title] = gmsh.model.mesh.getNodesForPhysicalGroup(d, t)[0]
    if not named:
        named = {
            f"face_{t}": gmsh.model.mesh.getNodes(d, t, includeBoundary=True)[0]
            for d, t in gmsh.model.getEntities(2)
        }
    groups = {key: np.unique(np.searchsorted(tags, m)) for key, m in named.items()}
    return MeshData(factor * places.reshape(-1, 3)[order], cells, groups, name)
