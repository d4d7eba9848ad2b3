"""Meshes from files by meshlane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from supple.fem.base.extras import need
from supple.fem.files.mesh_data import MeshData
from supple.foundation import validate
from supple.foundation.arrays import Indices
from supple.foundation.errors import ModelError
from supple.foundation.input_files import contained, existing, path_of

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
