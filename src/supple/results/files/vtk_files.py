"""Files of VTK in XML, as ParaView reads them: points with lines, meshes, and series of times.

Numbers are little-endian and written in base64 behind their number of bytes, not compressed.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree as Xml

import numpy as np

from supple.foundation.arrays import Array, Indices, Numbers

# Kinds of cells by their numbers in VTK; nodes of ours are in the order of VTK.
CELLS = {
    "vertex": 1,
    "line": 3,
    "triangle": 5,
    "quad4": 9,
    "tet4": 10,
    "hex8": 12,
    "tet10": 24,
    "hex20": 25,
    "hex27": 29,
}
TYPES = {"f": ("Float64", "<f8"), "i": ("Int64", "<i8"), "u": ("UInt8", "|u1")}


def polydata(
    points: Array, data: Mapping[str, Array], vertices: bool, lines: Sequence[Indices]
) -> bytes:
    """A .vtp file: points (p, 3), a vertex at each of them if asked for, and lines through some.

    ``data`` are numbers (p,) or vectors (p, 3) at the points.
    """
    n = len(points) if vertices else 0
    root, piece = _file(
        "PolyData",
        NumberOfPoints=len(points),
        NumberOfVerts=n,
        NumberOfLines=len(lines),
        NumberOfStrips=0,
        NumberOfPolys=0,
    )
    _points(piece, points, data)
    _cells(Xml.SubElement(piece, "Verts"), [np.array([k]) for k in range(n)])
    _cells(Xml.SubElement(piece, "Lines"), lines)
    return _text(root)


def mesh(points: Array, data: Mapping[str, Array], cells: Sequence[tuple[str, Indices]]) -> bytes:
    """A .vtu file: points (p, 3) with ``data``, and cells: kinds with nodes (e, k) of each."""
    root, piece = _file(
        "UnstructuredGrid",
        NumberOfPoints=len(points),
        NumberOfCells=sum(len(numbers) for _, numbers in cells),
    )
    _points(piece, points, data)
    parent = Xml.SubElement(piece, "Cells")
    _cells(parent, [row for _, numbers in cells for row in numbers])
    kinds = np.concatenate([np.full(len(n), CELLS[kind], dtype=np.uint8) for kind, n in cells])
    _array(parent, "types", kinds)
    return _text(root)


def series(files: Iterable[tuple[float, int, str]]) -> bytes:
    """A .pvd file: time (s), number of the part and path of each file."""
    root = Xml.Element("VTKFile", type="Collection", version="1.0", byte_order="LittleEndian")
    collection = Xml.SubElement(root, "Collection")
    for t, part, path in files:
        Xml.SubElement(collection, "DataSet", timestep=repr(float(t)), part=str(part), file=path)
    return _text(root)


def _file(kind: str, **counts: int) -> tuple[Xml.Element, Xml.Element]:
    root = Xml.Element(
        "VTKFile", type=kind, version="1.0", byte_order="LittleEndian", header_type="UInt64"
    )
    given = {name: str(count) for name, count in counts.items()}
    return root, Xml.SubElement(Xml.SubElement(root, kind), "Piece", given)


def _points(piece: Xml.Element, points: Array, data: Mapping[str, Array]) -> None:
    parent = Xml.SubElement(piece, "PointData")
    for name, values in data.items():
        _array(parent, name, values)
    _array(Xml.SubElement(piece, "Points"), "Points", points)


def _cells(parent: Xml.Element, cells: Sequence[Indices]) -> None:
    """Nodes of cells of any length, one after the other, and where each ends."""
    nodes = np.concatenate(cells) if cells else np.zeros(0, dtype=np.int64)
    ends = np.cumsum([len(cell) for cell in cells], dtype=np.int64)
    _array(parent, "connectivity", nodes.astype(np.int64))
    _array(parent, "offsets", ends)


def _array(parent: Xml.Element, name: str, values: Numbers) -> None:
    kind, code = TYPES[values.dtype.kind]
    content = np.ascontiguousarray(values, dtype=code).tobytes()
    size = np.array(len(content), dtype="<u8").tobytes()
    given = {"type": kind, "Name": name, "format": "binary"}
    if values.ndim > 1:
        given["NumberOfComponents"] = str(values.shape[1])
    Xml.SubElement(parent, "DataArray", given).text = base64.b64encode(size + content).decode()


def _text(root: Xml.Element) -> bytes:
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True))
