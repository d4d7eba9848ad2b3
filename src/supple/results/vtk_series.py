"""A result as a series of VTK files: frames of bodies, beams as lines, meshes with displacement.

The folder has one file a time for each of these that there is, ``run.pvd`` with all of them, which
ParaView opens, and ``names.csv`` with the bodies by their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import make_folder, write_whole
from supple.foundation.errors import SuppleError
from supple.foundation.poses import quaternion_matrix
from supple.results.files.dataset import Track
from supple.results.files.drawn_bodies import (
    Drawn,
    DrawnBeam,
    DrawnNodes,
    DrawnVectors,
    drawn_bodies,
)
from supple.results.files.saved import SavedResult
from supple.results.files.vtk_files import mesh, polydata, series
from supple.results.result import Result
from supple.results.views.views import BodyView

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
        if isinstance(result, SavedResult):
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
    if isinstance(result, SavedResult):
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
