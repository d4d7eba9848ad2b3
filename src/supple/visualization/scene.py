"""Scene of a result: things with vertices that move and deform, as plain arrays.

A vertex of a thing is, at each time, at

    p + R (stretch * (point + sum of amplitude * field))

with the pose ``R, p`` of the thing, the fields of its elastic coordinates and their amplitudes.
Size grows with the number of fields, not with that of times. Displacements of second order are no
sum of few fields by nature: of beams they are sampled at all drawn times, exactly, and written as
the few fields that they are made of (singular vectors, to `SAMPLED` of the body's size); of meshes
and structures they are the slaved shapes that the equations of motion have. Plates and solids
without a frame are sampled as a whole, with their stress: its fields come first and move nothing.

Of mode shapes, small motion about a state, each vertex moves along a line or an ellipse, by the
real part of its displacement times exp(2 pi i phase). Displacements are those of first order, so
that what is joined stays joined at any amplitude, and a thing that turns far looks too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from supple.fem.drawn.surface import MOST_STRESS, Surface
from supple.foundation.arrays import Array, Indices
from supple.foundation.palette import COLOURS

if TYPE_CHECKING:
    from supple.results.result import Result

# Cosine of the angle between two triangles above which the edge between them is smooth.
SMOOTH = 0.76  # 40 degrees
# Corners that meet at one vertex: of more, all count as smooth, since their pairs are too many.
MOST_PAIRS = 4_000_000


class Shaded(NamedTuple):
    """A surface whose vertices have one normal each."""

    source: Indices  # (v,) the vertex of the given surface that each is
    normals: Array  # (v, 3) unit vectors
    triangles: Indices  # (t, 3)
    edges: Indices  # (e, 2) lines where the surface has an edge or ends


def shaded(points: Array, triangles: Indices) -> Shaded:
    """Split the vertices of a surface where it has edges."""
    flat = _normals(points, triangles)
    area = np.linalg.norm(flat, axis=1, keepdims=True)
    unit = flat / np.where(area > 0.0, area, 1.0)
    corners, owner = triangles.ravel(), np.repeat(np.arange(len(triangles)), 3)
    mean = _corner_normals(corners, owner, flat, unit, len(points))
    size = np.linalg.norm(mean, axis=1, keepdims=True)
    mean = np.where(size > 0.0, mean / np.where(size > 0.0, size, 1.0), unit[owner])
    keys = np.column_stack([corners, np.rint(mean * 512.0).astype(np.int64)])
    kept, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = where.reshape(-1, 3).astype(np.intp)
    lone = np.setdiff1d(np.arange(len(points)), corners)  # of lines only
    source = np.concatenate([kept[:, 0], lone]).astype(np.intp)
    normals = np.concatenate([mean[first], np.zeros((len(lone), 3))])
    return Shaded(source, normals, faces, _edges(triangles, faces, unit))


def _normals(points: Array, triangles: Indices) -> Array:
    """Normals (t, 3) of triangles, as long as twice their area."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _corner_normals(corners: Indices, owner: Indices, flat: Array, unit: Array, size: int) -> Array:
    """For each corner the sum of normals of the triangles around it that join it smoothly."""
    count = np.bincount(corners, minlength=size)
    if not len(corners) or int((count.astype(np.int64) ** 2).sum()) > MOST_PAIRS:
        total = np.zeros((size, 3))
        np.add.at(total, corners, flat[owner])
        return np.asarray(total[corners])
    order = np.argsort(corners, kind="stable")
    start = np.concatenate([[0], np.cumsum(count)])[:-1]
    # all pairs of corners at one vertex
    mine = np.repeat(np.arange(len(corners)), count[corners])
    offset = np.arange(len(mine)) - np.repeat(
        np.cumsum(count[corners]) - count[corners], count[corners]
    )
    other = order[start[corners[mine]] + offset]
    near = np.einsum("pi,pi->p", unit[owner[mine]], unit[owner[other]]) > SMOOTH
    total = np.zeros((len(corners), 3))
    for k in range(3):
        total[:, k] = np.bincount(
            mine[near], weights=flat[owner[other[near]], k], minlength=len(corners)
        )
    return total


def _edges(triangles: Indices, faces: Indices, unit: Array) -> Indices:
    """Pairs of vertices where two triangles meet at an angle, or one ends."""
    if not len(triangles):
        return np.zeros((0, 2), dtype=np.intp)
    sides = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    shown = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    owner = np.tile(np.arange(len(triangles)), 3)
    key = np.sort(sides, axis=1)
    order = np.lexsort((key[:, 1], key[:, 0]))
    key, shown, owner = key[order], shown[order], owner[order]
    same = np.all(key[1:] == key[:-1], axis=1)
    begins = np.concatenate([[True], ~same])
    first = np.flatnonzero(begins)
    last = np.concatenate([first[1:], [len(key)]]) - 1
    angle = np.einsum("ei,ei->e", unit[owner[first]], unit[owner[last]])
    drawn = (last == first) | (angle < SMOOTH)
    return np.asarray(shown[first[drawn]], dtype=np.intp)


Kind = Literal["bodies", "joints", "forces", "constraints", "reactions", "marks"]
# How exact sampled displacements of second order are, in sizes of the body.
SAMPLED = 1e-7
SAMPLED_STRESS = 1e-3  # of the largest stress


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that is drawn."""

    # name, kind, colour: as the viewer shows them; colour is "#rrggbb"
    name: str
    kind: Kind
    colour: str
    # points, normals: (v, 3) m and unit vectors, in its own axes
    points: Array
    normals: Array
    # triangles, lines, edges: (t, 3), (l, 2) and (e, 2) numbers of vertices Edges are lines where
    # the surface has an edge.
    triangles: Indices
    lines: Indices
    edges: Indices
    # R, p: (nt, 3, 3), (nt, 3) m, its pose in the world
    R: Array
    p: Array
    fields: Array  # (k, v, 3) m for an amplitude of one
    amplitudes: Array  # (nt, k)
    still: Array  # (k,) amplitudes where it is not deformed
    # (k, v, c) Pa, of the first amplitudes less those of ``still``; the norm of their sum is the
    # equivalent stress of von Mises (`sides`); (0, v, 3) where it is not known
    stress: Array
    # (v,) Pa, Young's modulus, by which the stress is divided for an equivalent strain; empty where
    # stress is not known
    modulus: Array
    # (nt, 3) factors along its own axes, or None; zero where it is not there
    stretch: Array | None = None
    # whether its deformation can be magnified: not that of parts, which would gape
    magnified: bool = True
    opacity: float = 1.0  # 0 to 1

    def vertices(self, k: int, magnification: float = 1.0) -> Array:
        """Places (v, 3) of the vertices in the world at the time of number k, m."""
        size = magnification if self.magnified else 1.0
        amplitude = self.still + size * (self.amplitudes[k] - self.still)
        place = self.points + np.einsum("k,kvi->vi", amplitude, self.fields)
        if self.stretch is not None:
            place = place * self.stretch[k]
        return np.asarray(self.p[k] + place @ self.R[k].T)

    def von_mises(self, k: int) -> Array:
        """Equivalent stress (v,) Pa of the vertices at the time of number k; zero if not known.

        Of a shell it is that of the side with the larger one.
        """
        away = (self.amplitudes[k] - self.still)[: len(self.stress)]
        values = np.einsum("k,kvc->vc", away, self.stress)
        return np.asarray(np.max([np.linalg.norm(v, axis=-1) for v in sides(values)], axis=0))


@dataclass(frozen=True, eq=False)
class Chapter:
    """A part of a scene that is played on its own: a mode, or the whole run."""

    title: str  # one line
    # begin, end: s, or cycles of a mode
    begin: float
    end: float


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of a point: its name, places (nt, 3) m in the world, and a colour."""

    name: str
    places: Array
    colour: str


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is drawn."""

    name: str  # of the model
    t: Array  # (nt,) s
    things: list[Thing] = field(default_factory=list)  # bodies first
    # (3,) against gravity; z without any
    up: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    # low, high: (3,) m, the box around all bodies at all times
    low: Array = field(default_factory=lambda: -np.ones(3))
    high: Array = field(default_factory=lambda: np.ones(3))
    chapters: list[Chapter] = field(default_factory=list)  # modes; none of a run
    traces: list[Trace] = field(default_factory=list)  # paths of points

    @property
    def size(self) -> float:
        """Diagonal of the box around everything, m."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0


def thing(
    surface: Surface,
    name: str,
    kind: Kind,
    colour: str,
    pose: tuple[Array, Array],
    q: Array | None = None,
    still: Array | None = None,
    stretch: Array | None = None,
    magnified: bool = True,
    opacity: float = 1.0,
) -> Thing:
    """A surface with a pose (nt, 3, 3), (nt, 3), which deforms with coordinates (nt, n)."""
    R, p = pose
    fields, amplitudes = np.zeros((0, len(surface.points), 3)), np.zeros((len(p), 0))
    rest = np.zeros(0)
    if q is not None and q.shape[1]:
        fields, amplitudes, rest = _deformed(surface, q, still)
    mesh = shaded(surface.points, surface.triangles)
    stress = _stress(surface)
    if surface.stress_at is not None and q is not None:
        stress, strength = _sampled_stress(surface.stress_at(q))
        fields = np.concatenate([np.zeros((len(stress), *fields.shape[1:])), fields])
        amplitudes = np.hstack([strength, amplitudes])
        rest = np.concatenate([np.zeros(len(stress)), rest])
    number = np.zeros(len(surface.points), dtype=np.intp)
    number[mesh.source] = np.arange(len(mesh.source))
    return Thing(
        name=name,
        kind=kind,
        colour=colour,
        points=surface.points[mesh.source],
        normals=mesh.normals,
        triangles=mesh.triangles,
        lines=number[surface.lines],
        edges=mesh.edges,
        R=R,
        p=p,
        fields=fields[:, mesh.source],
        amplitudes=amplitudes,
        still=rest,
        stress=stress[:, mesh.source],
        modulus=surface.modulus[mesh.source] if len(stress) else np.zeros(0),
        stretch=stretch,
        magnified=magnified,
        opacity=opacity,
    )


def _deformed(surface: Surface, q: Array, still: Array | None) -> tuple[Array, Array, Array]:
    """Fields, amplitudes and those without deformation of a surface with coordinates."""
    rest = np.zeros(q.shape[1]) if still is None else still
    fields = [surface.fields(surface.rows), surface.fields(surface.slaved)]
    both = surface.amplitudes(np.vstack([q, rest]))
    if surface.second is not None:
        more, follow = _sampled(surface.second(np.vstack([q, rest])), surface.points)
        fields.append(surface.fields(more))
        both = np.hstack([both, follow])
    return np.concatenate(fields), both[:-1], both[-1]


def sides(values: Array) -> list[Array]:
    """Values (..., c) of stress of each side of a surface: shells have two of six each."""
    return np.split(values, 2, axis=-1) if values.shape[-1] == 12 else [values]


def _stress(surface: Surface) -> Array:
    """Rows (n, v, c) of stress, unless they are too many for a page."""
    if not len(surface.stress) or surface.stress.size > MOST_STRESS:
        return np.zeros((0, len(surface.points), 3))
    return np.moveaxis(surface.stress, 2, 0)


def _sampled(motion: Array, points: Array) -> tuple[Array, Array]:
    """Motions (places, 6, k) and amplitudes (nt, k) that make up a history (nt, places, 6)."""
    size = float(np.ptp(points, axis=0).max()) or 1.0
    table = motion.reshape(len(motion), -1) * np.tile([1, 1, 1, size, size, size], motion.shape[1])
    # numbers of runs that failed may be none
    left, values, right = np.linalg.svd(np.nan_to_num(table), full_matrices=False)
    kept = values > SAMPLED * size
    shapes = right[kept].reshape(-1, motion.shape[1], 6) / [1, 1, 1, size, size, size]
    return np.moveaxis(shapes, 0, 2), left[:, kept] * values[kept]


def _sampled_stress(values: Array) -> tuple[Array, Array]:
    """Fields (k, v, c) and amplitudes (nt, k) that make up a history (nt, v, c) of stress."""
    left, sizes, right = np.linalg.svd(
        np.nan_to_num(values.reshape(len(values), -1)), full_matrices=False
    )
    kept = sizes > SAMPLED_STRESS * sizes.max(initial=0.0)
    kept[MOST_STRESS // max(values[0].size, 1) :] = False
    return right[kept].reshape(-1, *values.shape[1:]), left[:, kept] * sizes[kept]


def bounds(things: list[Thing], count: int) -> tuple[Array, Array]:
    """The box (3,), (3,) around things at some of ``count`` times."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for k in np.unique(np.linspace(0, count - 1, 25).astype(int)):
        for one in things:
            where = one.vertices(int(k))
            if len(where) and np.all(np.isfinite(where)):
                low, high = np.minimum(low, where.min(axis=0)), np.maximum(high, where.max(axis=0))
    if not np.all(np.isfinite(low)):
        return -np.ones(3), np.ones(3)
    return low, high


def _of_vectors(result: Result, name: str, colour: str) -> list[Thing]:
    """A gradient body: its material moves linearly with nodal vectors, in axes that stand still."""
    record = result.data.compiled.gradient[name]
    surface = record.body.surface()
    if surface is None:
        return []
    q = result.q[:, record.q] - record.mesh.rest.ravel()
    still = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    return [thing(surface, name, "bodies", colour, still, q, magnified=False)]


def body_things(result: Result) -> list[Thing]:
    """All bodies of a result as they were simulated."""
    compiled, history = result.data.compiled, result.data.history
    names = list(compiled.body_names)
    things = []
    for number, name in enumerate(result.bodies):
        colour = COLOURS[number % len(COLOURS)]
        parts = compiled.bodies[name].parts
        if name in compiled.gradient:
            things += _of_vectors(result, name, colour)
            continue
        for part in parts:
            record = compiled.flexible.get(part.name)
            surface = part.surface(() if record is None else record.point_masses)
            if surface is None:
                continue
            k = names.index(part.name)
            q = None if record is None else result.q[:, record.q]
            rest = None if record is None else record.modal.rest
            things.append(
                thing(
                    surface,
                    name,
                    "bodies",
                    colour,
                    (history.R[:, k], history.p[:, k]),
                    q,
                    None if rest is None else np.asarray(rest),
                    magnified=len(parts) == 1,
                    opacity=1.0 if surface.hub is None else 0.35,
                )
            )
    return things


PHASES = 33  # of a cycle, the first and the last being the same
REACH = 0.08  # largest displacement of a body, in sizes of the scene
# What is smaller, in parts of the largest displacement of a mode, is rounding.
NOTHING = 1e-6
TURNED = 0.01  # rad: by a small step nothing turns that far


def nearest(t: Array, count: int) -> Indices:
    """Numbers (count,) of the times t that are next to ``count`` times evenly over their span."""
    wanted = np.linspace(t[0], t[-1], count)
    after = np.clip(np.searchsorted(t, wanted), 1, len(t) - 1)
    return np.where(wanted - t[after - 1] < t[after] - wanted, after - 1, after)


def vibrating(scene: Scene, titles: Sequence[str], step: float) -> Scene:
    """A scene of modes, from one drawn at a state and at neighbours of it.

    ``scene`` has 1 + 4 n times: the state, then for each of n modes the state moved by ``step``
    times the real part of its shape, against it, and the same with the imaginary part.
    """
    count = len(titles)
    moves = [_moves(one, count, step) for one in scene.things]
    sizes = np.zeros(count)
    for one, (fields, _) in zip(scene.things, moves, strict=True):
        if one.kind == "bodies" and len(one.points):
            squares = (fields**2).sum(axis=(1, 3))  # (n, v)
            sizes = np.maximum(sizes, np.sqrt(squares.max(axis=1)))
    sizes[~(sizes > 0.0)] = 1.0
    factors = REACH * scene.size / sizes
    phase = np.linspace(0.0, 1.0, PHASES)
    waves = np.stack([np.cos(2.0 * np.pi * phase), -np.sin(2.0 * np.pi * phase)], axis=1)
    times = (2.0 * np.arange(count)[:, None] + phase).ravel()
    things = [
        _waving(one, factors, waves, *own) for one, own in zip(scene.things, moves, strict=True)
    ]
    chapters = [Chapter(title, 2.0 * k, 2.0 * k + 1.0) for k, title in enumerate(titles)]
    return replace(scene, t=times, things=things, chapters=chapters)


def _moves(one: Thing, count: int, step: float) -> tuple[Array, Array]:
    """Displacements (n, 2, v, 3) in its own axes and stress (n, 2, v, c) of a thing in n modes."""
    fields = np.zeros((count, 2, len(one.points), 3))
    stress = np.zeros((count, 2, *one.stress.shape[1:]))
    for mode in range(count):
        for part in range(2):
            k = 1 + 4 * mode + 2 * part
            if np.abs(one.R[k] - one.R[k + 1]).max() > TURNED:  # of no length, without direction
                way = np.broadcast_to(one.p[k] - one.p[k + 1], one.points.shape) / (2.0 * step)
            else:
                way = (one.vertices(k) - one.vertices(k + 1)) / (2.0 * step)
            fields[mode, part] = np.nan_to_num(way) @ one.R[0]
            change = (one.amplitudes[k] - one.amplitudes[k + 1]) / (2.0 * step)
            stress[mode, part] = np.tensordot(change[: len(one.stress)], one.stress, axes=1)
    return fields, stress


def _waving(one: Thing, factors: Array, waves: Array, fields: Array, stress: Array) -> Thing:
    """A thing at rest in the first of its times, which moves by fields (n, 2, v, 3) of n modes."""
    stretch = 1.0 if one.stretch is None else one.stretch[0]
    rest = stretch * (one.points + np.einsum("k,kvi->vi", one.amplitudes[0], one.fields))
    count, times = len(factors), len(factors) * len(waves)
    fields = factors[:, None, None, None] * fields
    most = np.abs(fields).max(axis=(1, 2, 3), initial=0.0)
    parts = np.abs(fields).max(axis=(2, 3), initial=0.0)
    kept = [
        (mode, part)
        for mode in range(count)
        for part in range(2)
        if parts[mode, part] > NOTHING * most[mode]
    ]
    amplitudes = np.zeros((times, len(kept)))
    for k, (mode, part) in enumerate(kept):
        amplitudes[mode * len(waves) : (mode + 1) * len(waves), k] = waves[:, part]
    stresses = [factors[mode] * stress[mode, part] for mode, part in kept]
    known = len(one.stress) and kept
    return replace(
        one,
        points=rest,
        fields=np.stack([fields[m, p] for m, p in kept]) if kept else one.fields[:0],
        amplitudes=amplitudes,
        still=np.zeros(len(kept)),
        stress=np.stack(stresses) if known else one.stress[:0],
        modulus=one.modulus if known else one.modulus[:0],
        R=np.broadcast_to(one.R[0], (times, 3, 3)),
        p=np.broadcast_to(one.p[0], (times, 3)),
        stretch=None,
        magnified=True,
    )
