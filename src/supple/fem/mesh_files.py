"""Meshes from files by meshio, and from geometry and STEP by gmsh."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np

from supple import validate
from supple.errors import ModelError
from supple.fem.extras import need
from supple.fem.mesh_data import MeshData
from supple.fem.solid_kinds import Indices

# Names of kinds in meshio. Others (points, lines, wedges) are passed over.
MESHIO_KINDS = {
    "tetra": "tet4", "tetra10": "tet10", "hexahedron": "hex8", "hexahedron20": "hex20",
    "hexahedron27": "hex27", "triangle": "tri3", "triangle6": "tri6", "quad": "quad4",
    "quad8": "quad8", "quad9": "quad9",
}  # fmt: skip
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
# Solids whose nodes have no place in a component.
UNUSABLE = {"wedge", "wedge15", "wedge18", "pyramid", "pyramid13", "pyramid14"}


def read_mesh(path: str | Path, scale: float = 1.0) -> MeshData:
    """Read a mesh file of any format that meshio knows (gmsh, VTK, Abaqus, Nastran, ...).

    ``scale`` takes the file's lengths to metres: 1e-3 for millimetres. Physical groups, cell sets
    and point sets become groups of nodes.
    """
    meshio = need("meshio", "meshio", "mesh", "Mesh files")
    name = Path(path).name
    factor = validate.positive(name, "scale", scale)
    if not Path(path).is_file():
        raise ModelError.plain(f"{name}: there is no such file, expected a mesh")
    with contextlib.redirect_stdout(io.StringIO()):  # meshio prints empty lines
        mesh = meshio.read(path)
    cells: dict[str, list[Indices]] = {}
    for block in mesh.cells:
        if block.type in UNUSABLE:
            raise ModelError.plain(
                f"{name}: it has elements of type {block.type!r}, expected tetrahedra or hexahedra"
            )
        if block.type in MESHIO_KINDS:
            cells.setdefault(MESHIO_KINDS[block.type], []).append(np.asarray(block.data))
    groups = {n: np.unique(np.asarray(m, dtype=np.intp)) for n, m in mesh.point_sets.items()}
    groups |= _cell_groups(mesh) | _physical_groups(mesh)
    places = np.zeros((len(mesh.points), 3))
    places[:, : mesh.points.shape[1]] = factor * mesh.points
    joined = {kind: np.concatenate(parts) for kind, parts in cells.items()}
    return MeshData(places, joined, groups, Path(path).stem)


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
) -> MeshData:
    """Mesh a geometry by gmsh: STEP, BREP, IGES, or gmsh's own ``.geo``.

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

    Physical groups become groups of nodes. Without any, each face is a group: "face_1", "face_2".
    """
    gmsh = need("gmsh", "gmsh", "gmsh", "Meshes of geometry")
    name = Path(path).name
    size = validate.positive(name, "element_size", element_size)
    factor = validate.positive(name, "scale", scale)
    validate.choice(name, "degree", degree, (1, 2))
    if not Path(path).is_file():
        raise ModelError.plain(f"{name}: there is no such file, expected a geometry")
    if gmsh.isInitialized():
        raise ModelError.plain("gmsh is in use in this process, expected gmsh.finalize() before")
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setString("Geometry.OCCTargetUnit", "M")
        gmsh.open(str(path))
        for bound in ("MeshSizeMin", "MeshSizeMax"):
            gmsh.option.setNumber(f"Mesh.{bound}", size / factor)
        gmsh.model.mesh.generate(2 if surface else 3)
        gmsh.model.mesh.setOrder(degree)
        return _gmsh_data(gmsh, Path(path).stem, factor)
    finally:
        gmsh.finalize()


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
