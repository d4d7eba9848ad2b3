"""Results for other programs: tables in CSV and Parquet, NetCDF, and a folder of VTK files.

The folder has one file a time for each of these that there is: frames of bodies, beams as lines,
meshes with displacement; `run.pvd` with all of them, which ParaView opens, and `names.csv` with the
bodies by their number.
"""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from xml.etree import ElementTree as Xml

import numpy as np

from supple.fem.drawn.surface import DrawnMesh, mean_radius
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices, Numbers
from supple.foundation.atomic_files import make_folder, write_whole
from supple.foundation.cached import cached_property
from supple.foundation.errors import FileError, ModelError, SuppleError
from supple.foundation.input_files import path_of
from supple.foundation.poses import quaternion_matrix
from supple.results.files.dataset import COMPONENTS, Track, values_of, write
from supple.results.views.ancf_views import ANCFView
from supple.results.views.flexible_views import BeamView, FlexibleView, PlaceView
from supple.results.views.segmented_views import SegmentedBeamView, SegmentedFrameView
from supple.results.views.views import BodyView

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam
    from supple.bodies.beam.segmented import SegmentedBeam
    from supple.bodies.structure.segmented_frame import SegmentedFrame
    from supple.results.result import Result
    from supple.results.saved import SavedResult

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
    attributes = {name: str(count) for name, count in counts.items()}
    return root, Xml.SubElement(Xml.SubElement(root, kind), "Piece", attributes)


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
    attributes = {"type": kind, "Name": name, "format": "binary"}
    if values.ndim > 1:
        attributes["NumberOfComponents"] = str(values.shape[1])
    Xml.SubElement(parent, "DataArray", attributes).text = base64.b64encode(size + content).decode()


def _text(root: Xml.Element) -> bytes:
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True))


STATIONS, STATIONS_OF_PART = 21, 5  # of a beam, and of each part of one


class Moved(NamedTuple):
    """Nodes at one time: places and elastic displacements (p, 3) in world axes, m."""

    places: Array
    displacement: Array


@dataclass(frozen=True, eq=False)
class DrawnBeam:
    """The axis of a beam: stations from its origin to its end."""

    name: str  # of the body
    radius: Array  # (p,) m, with which its section is drawn
    stations: Sequence[PlaceView]
    frame: BodyView

    @property
    def cells(self) -> Indices:
        """One line through all stations (1, p)."""
        return np.arange(len(self.stations))[None]

    @cached_property
    def _histories(self) -> tuple[Array, Array]:
        """Places and displacements (nt, p, 3)."""
        places = np.stack([s.position for s in self.stations], axis=1)
        moved = np.stack([s.deflection for s in self.stations], axis=1)
        return places, np.einsum("tij,tpj->tpi", self.frame.matrix, moved)

    def at(self, k: int) -> Moved:
        """The nodes at the k-th output time."""
        places, moved = self._histories
        return Moved(places[k], moved[k])


@dataclass(frozen=True, eq=False)
class DrawnCells:
    """Cells over points that move: lines with a radius, or a mesh."""

    name: str
    mesh: DrawnMesh

    @property
    def radius(self) -> Array:
        """Of lines at their points (p,), m; empty of a mesh."""
        return self.mesh.radius

    @property
    def cells(self) -> Indices:
        """Numbers of the points of all cells (e, k)."""
        return self.mesh.cells


@dataclass(frozen=True, eq=False)
class DrawnNodes(DrawnCells):
    """A body of nodes: a frame structure or a mesh."""

    view: FlexibleView

    def at(self, k: int) -> Moved:
        """The nodes at the k-th output time; displacements are of first order."""
        turn, moved = self.view.matrix[k], self.mesh.rows @ self.view.coordinates[k]
        places = self.view.position[k] + (self.mesh.nodes + moved) @ turn.T
        return Moved(places, moved @ turn.T)


@dataclass(frozen=True, eq=False)
class DrawnVectors(DrawnCells):
    """A body without a frame: a line through its axis, or a mesh."""

    places: Array  # (nt, p, 3) m
    start: Array  # (p, 3) m, without load

    def at(self, k: int) -> Moved:
        """The points at the k-th output time; displacements are from the start without load."""
        return Moved(self.places[k], self.places[k] - self.start)


Drawn = DrawnBeam | DrawnNodes | DrawnVectors


def drawn_bodies(result: Result) -> Iterator[Drawn]:
    """Flexible bodies of a result that have something to draw."""
    for name in result.bodies:
        whole = result[name]
        if isinstance(whole, SegmentedFrameView):
            yield from (_member(whole, k) for k in range(len(whole.members)))
            continue
        if isinstance(whole, ANCFView):
            shown, rows = whole.drawn()
            vectors = whole.vectors.reshape(len(result.t), -1, 3)
            places = np.array([rows @ e for e in vectors])
            yield DrawnVectors(name, shown, places, whole.placed(shown.nodes))
            continue
        for view in _whole(whole):
            if isinstance(view, BeamView):
                yield _beam(view)
                continue
            d = view._deformation
            mesh = d.body.drawn(d.point_masses)
            if mesh is not None:
                yield DrawnNodes(view.name, mesh, view)


def _whole(view: BodyView) -> tuple[FlexibleView, ...]:
    """A beam in parts is one line; other bodies of parts are drawn part by part."""
    return (view,) if isinstance(view, SegmentedBeamView) else view.deforming


def _beam(view: BeamView) -> DrawnBeam:
    beam = cast("Beam | SegmentedBeam", view._deformation.body)
    x = np.linspace(0.0, view.length, STATIONS)
    if isinstance(view, SegmentedBeamView):
        x = _stations(cast("SegmentedBeam", beam))
    return DrawnBeam(view.name, _radius(beam, x), [view.at(float(s)) for s in x], view)


def _member(view: SegmentedFrameView, member: int) -> DrawnBeam:
    """A member of a frame that is cut, as a line of its own."""
    beam = cast("SegmentedFrame", view._deformation.body).member_beams[member]
    x = _stations(beam)
    stations = [view.station(member, float(s)) for s in x]
    return DrawnBeam(view.name, _radius(beam, x), stations, view)


def _stations(beam: SegmentedBeam) -> Array:
    """Stations (m) of a beam in parts that are drawn."""
    each = [np.linspace(a, b, STATIONS_OF_PART)[:-1] for a, b in pairwise(beam.part_stations)]
    return np.append(np.concatenate(each), beam.length)


def _radius(beam: Beam | SegmentedBeam, x: Array) -> Array:
    sections = [beam.section.at(float(s) / beam.length) for s in x]
    return np.array([mean_radius(s.half_sizes, s.area) for s in sections])


INDEX, NAMES = "run.pvd", "names.csv"


class Part(NamedTuple):
    """Files of one kind: the beginning and ending of their names, and their content by time."""

    name: str
    ending: str
    content: Callable[[int], bytes]


def write_series(result: Result | SavedResult, folder: str | Path, every: int = 1) -> Path:
    """Write a result as VTK files into a folder; return the path of ``run.pvd``.

    ``every`` n-th output time is written, and the last one. A result that was loaded has no model:
    of it there are the frames of bodies only.
    """
    target = Path(folder)
    bodies = _Bodies.of(result)
    if not bodies.names:
        raise SuppleError("the result has no bodies with a frame, expected one to draw")
    parts = list(_parts(result, bodies))
    times = sorted({*range(0, len(result.t), every), len(result.t) - 1})
    make_folder(target)
    files, digits = [], len(str(len(times) - 1))
    for number, k in enumerate(times):
        for place, part in enumerate(parts):
            name = f"{part.name}_{number:0{digits}}.{part.ending}"
            write_whole(target / name, part.content(k))
            files.append((float(result.t[k]), place, name))
    rows = [f"{k},{_quoted(name)}" for k, name in enumerate(bodies.names)]
    write_whole(target / NAMES, "\n".join(["body,name", *rows, ""]).encode())
    return write_whole(target / INDEX, series(files))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"\n') else name


class _Bodies(NamedTuple):
    """Bodies by number, and those with a frame: places (nt, b, 3), axes (nt, b, 3, 3).

    Velocities (nt, b, 3); ``arms`` are places (nt, 3) of joints, with the row of their frame.
    """

    names: list[str]
    framed: list[int]
    places: Array
    axes: Array
    velocity: Array
    arms: list[tuple[int, Array]]

    @classmethod
    def of(cls, result: Result | SavedResult) -> _Bodies:
        if not result.has_model:
            return cls.of_track(result.track())
        names = list(result.bodies)
        views = {n: result[n] for n in names}
        framed = [k for k, n in enumerate(names) if isinstance(views[n], BodyView)]
        shown = [views[names[k]] for k in framed]
        rows = {names[k]: row for row, k in enumerate(framed)}
        ends = (end for joint in result.joints.values() for end in (joint.A, joint.B))
        arms = [
            (rows[end.body.name], result[end].position)
            for end in ends
            if end.body.name in rows and not result.bodies[end.body.name].deforms
        ]
        if not shown:
            return cls(names, [], *(np.zeros((len(result.t), 0, 3)),) * 3, [])
        places = np.stack([view.position for view in shown], axis=1)
        axes = np.stack([view.matrix for view in shown], axis=1)
        velocity = np.stack([view.velocity for view in shown], axis=1)
        return cls(names, framed, places, axes, velocity, arms)

    @classmethod
    def of_track(cls, data: Track) -> _Bodies:
        """Bodies that a file has: whatever has a place and an attitude."""
        names = [
            name.removesuffix(".rotation")
            for name, v in data.variables.items()
            if v.role == "rotation"
            and f"{name.removesuffix('.rotation')}.velocity" in data.variables
        ]

        def stacked(field: str) -> Array:
            return np.stack([data.variables[f"{n}.{field}"].values for n in names], axis=1)

        if not names:
            return cls([], [], *(np.zeros((len(data.t), 0, 3)),) * 3, [])
        turns = (data.variables[f"{n}.rotation"].values for n in names)
        axes = np.stack([[quaternion_matrix(q) for q in turn] for turn in turns], axis=1)
        numbers = list(range(len(names)))
        return cls(names, numbers, stacked("position"), axes, stacked("velocity"), [])


def _parts(result: Result | SavedResult, bodies: _Bodies) -> Iterator[Part]:
    if bodies.framed:
        yield Part("frames", "vtp", lambda k: _frames(bodies, k))
    if not result.has_model:
        return
    drawn = list(drawn_bodies(result))
    numbers = {name: k for k, name in enumerate(bodies.names)}
    number = [numbers[result.data.compiled.owners.get(d.name, d.name)] for d in drawn]
    lines = [(n, d) for n, d in zip(number, drawn, strict=True) if len(d.radius)]
    meshes = [
        (n, d)
        for n, d in zip(number, drawn, strict=True)
        if not isinstance(d, DrawnBeam) and not len(d.radius)
    ]
    if lines:
        yield Part("beams", "vtp", lambda k: _beams(lines, k))
    if meshes:
        yield Part("meshes", "vtu", lambda k: _meshes(meshes, k))


def _frames(bodies: _Bodies, k: int) -> bytes:
    """Origins of bodies with their axes and velocities, and lines to the joints of rigid ones."""
    origins, count = bodies.places[k], len(bodies.framed)
    arms = [history[k] for _, history in bodies.arms]
    points = np.concatenate([origins, np.array(arms).reshape(-1, 3)])
    row = [*range(count), *(row for row, _ in bodies.arms)]
    data = {
        "body": np.array(bodies.framed)[row],
        "frame": np.array([1] * count + [0] * len(arms)),
        **{f"axis_{a}": bodies.axes[k][row][:, :, j] for j, a in enumerate("xyz")},
        "velocity": bodies.velocity[k][row] * (np.arange(len(points)) < count)[:, None],
    }
    lines = [np.array([r, count + j]) for j, (r, _) in enumerate(bodies.arms)]
    return polydata(points, data, True, lines)


def _joined(
    bodies: Sequence[tuple[int, Drawn]], k: int
) -> tuple[Array, dict[str, Array], list[int]]:
    """Nodes of several bodies one after the other, their data, and the first node of each."""
    moved = [d.at(k) for _, d in bodies]
    sizes = [len(m.places) for m in moved]
    data = {
        "body": np.repeat([n for n, _ in bodies], sizes),
        "displacement": np.concatenate([m.displacement for m in moved]),
    }
    starts = [0, *np.cumsum(sizes)[:-1].tolist()]
    return np.concatenate([m.places for m in moved]), data, starts


def _beams(bodies: Sequence[tuple[int, Drawn]], k: int) -> bytes:
    points, data, starts = _joined(bodies, k)
    data["radius"] = np.concatenate([d.radius for _, d in bodies])
    lines = [c + a for a, (_, d) in zip(starts, bodies, strict=True) for c in d.cells]
    return polydata(points, data, False, lines)


def _meshes(bodies: Sequence[tuple[int, DrawnNodes | DrawnVectors]], k: int) -> bytes:
    points, data, starts = _joined(bodies, k)
    cells = [(d.mesh.kind, d.mesh.cells + a) for a, (_, d) in zip(starts, bodies, strict=True)]
    return mesh(points, data, cells)


class Column(NamedTuple):
    """One column: "link2.position.x", its units, and values (nt,)."""

    name: str
    units: str
    values: Array

    @property
    def title(self) -> str:
        """Name and units: "link2.position.x (m)"; a plain number has none."""
        return self.name if self.units in ("", "1") else f"{self.name} ({self.units})"


def columns(data: Track, names: Iterable[str] = ()) -> Iterator[Column]:
    """Time and variables by name, all of them without names, vectors component by component."""
    yield Column("time", "s", data.t)
    for name in names or data.variables:
        values, variable = values_of(data, name), data.variables[name]
        if not variable.dim:
            yield Column(name, variable.units, values)
            continue
        labels, units = COMPONENTS[variable.dim], variable.units.split(", ")
        share = len(labels) // len(units)  # a wrench has two units
        for k, label in enumerate(labels):
            yield Column(f"{name}.{label}", units[k // share], values[:, k])


def write_csv(data: Track, path: str | Path, names: Iterable[str] = ()) -> Path:
    """Write a CSV file: a header with names and units, then one row for each time."""
    table = list(columns(data, names))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.title for column in table])
    writer.writerows(np.column_stack([column.values for column in table]).tolist())
    return write_whole(path, text.getvalue().encode())


def parquet_library() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet, or one sentence on how to install them."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as reason:
        raise SuppleError(
            f"Parquet files need the package pyarrow ({reason}), install it with: "
            "pip install 'supple[parquet]'"
        ) from reason
    return pa, pq


def write_parquet(data: Track, path: str | Path, names: Iterable[str] = ()) -> Path:
    """Write a Parquet file; columns have their units as metadata ``units``."""
    pa, pq = parquet_library()
    table = list(columns(data, names))
    fields = [pa.field(c.name, pa.float64(), metadata={"units": c.units}) for c in table]
    about = {f"supple.{k}": str(data.attrs[k]) for k in ("model", "verdict") if k in data.attrs}
    arrays = [pa.array(np.ascontiguousarray(c.values)) for c in table]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, about)), buffer)
    return write_whole(path, buffer.getbuffer())


TABLES = (".csv", ".parquet")
FILES = (*TABLES, ".nc")


def export(
    result: Result | SavedResult, path: str | Path, names: Sequence[str] = (), every: int = 1
) -> Path:
    """Write a result as a table (.csv, .parquet), as NetCDF (.nc), or as VTK files into a folder.

    Parameters
    ----------
    path : a file with one of these endings, or a folder, which is made
    names : variables of a table; all of them without names
    every : of VTK files, every n-th output time and the last one

    Returns the path of the file, or of ``run.pvd`` in the folder.
    """
    target = path_of("export", "path", path)
    every = validate.count("export", "every", every, 1)
    ending = "" if target.is_dir() else target.suffix.lower()
    refuse_export(target, ending, names, every)
    if ending == ".csv":
        return write_csv(result.track(), target, names)
    if ending == ".parquet":
        return write_parquet(result.track(), target, names)
    if ending == ".nc":
        return write(result.dataset, target)
    return write_series(result, target, every)


def refuse_export(target: Path, ending: str, names: Sequence[str], every: int) -> None:
    """Refuse what cannot be written, before anything is computed for it."""
    if ending and ending not in FILES:
        known = f"{', '.join(FILES[:-1])} or {FILES[-1]}"
        raise FileError(f"export: the path {str(target)!r} has none of the endings {known}")
    if names and ending not in TABLES:
        listed = ", ".join(repr(name) for name in names)
        raise SuppleError(f"export: names are for tables, found {listed} with {str(target)!r}")
    if ending and every != 1:
        raise ModelError("export", "every", every, "1 with a file, which has all times")
    if ending == ".parquet":
        parquet_library()
