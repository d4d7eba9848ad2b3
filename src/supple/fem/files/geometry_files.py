"""Meshes of geometry (STEP, IGES, BREP) by gmsh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from supple.fem.files.mesh_data import MeshData
from supple.foundation import validate
from supple.foundation.errors import ModelError, need
from supple.foundation.input_files import contained, existing, path_of

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


def _kind(source: Path, allow_scripts: bool) -> str | None:
    """What gmsh shall take a file for; None for its own scripts."""
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
