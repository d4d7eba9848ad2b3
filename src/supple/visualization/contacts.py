"""What is drawn of contacts: their shapes, the points where they touch, and the forces there.

A shape that draws its body is not drawn again. A plane has no end: it is drawn as a thin slab as
large as what moves over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.bodies.shapes.shape import Shape
from supple.bodies.shapes.solids import Plane
from supple.fem.drawn.primitives import arrow, sphere
from supple.fem.drawn.surface import Surface, moved
from supple.forces.contacts import Contact
from supple.forces.tyres import Tyre
from supple.foundation.arrays import Array, Booleans
from supple.foundation.errors import SuppleError
from supple.foundation.frames import Frame
from supple.foundation.palette import COLOURS
from supple.foundation.poses import aligned
from supple.visualization.scene import Thing, thing

if TYPE_CHECKING:
    from supple.visualization.drawing import Signs

FLOOR, TOUCH, PUSH = "#b9bec4", "#1d1f23", "#c8382f"
LONGEST = 0.22  # of arrows, in sizes of the scene
MOST_POINTS = 40  # of a contact: those with the largest forces
SAME = 1e-9  # m and parts of a size, below which two surfaces are one
HOLLOW = 0.3  # opacity of what is touched from within
EDGE, THICK = 0.03, 0.006  # margin and thickness of a plane, in sizes of the scene
TILES = 16  # along the longer side of a plane
# Longest force that is drawn as long as it is, in usual ones (the median while it touches): hits
# would make the forces of everything that lies or rolls too short to be seen.
USUAL = 4.0


class _Slab(NamedTuple):
    """A plane that is drawn: its shape, and frames with sizes (m) of what moves over it."""

    plane: Plane
    over: list[tuple[Frame, float]]


def contact_things(signs: Signs) -> Iterator[Thing]:
    """Shapes, points and forces of all contacts and tyres of a result."""
    contacts = {n: f for n, f in signs.result.forces.items() if isinstance(f, (Contact, Tyre))}
    yield from _shapes(signs, contacts.values())
    yield from _forces(signs, contacts)


def _shapes(signs: Signs, contacts: Any) -> Iterator[Thing]:
    """Each shape once, and slabs for planes."""
    seen: list[tuple[str, Array]] = []
    slabs: dict[tuple[Any, ...], _Slab] = {}
    for contact in contacts:
        sides = list(zip(contact.shapes, contact.frames.values(), strict=True))
        for (shape, frame), (other, apart) in zip(sides, sides[::-1], strict=True):
            if isinstance(shape, Plane):
                slab = slabs.setdefault(_plane_of(shape, frame), _Slab(shape, []))
                slab.over.append((apart, _extent(other)))
                continue
            surface = _on_body(shape.surface(), frame)
            if len(surface.points) and not _drawn(signs, frame, surface, seen):
                seen.append((frame.body.name, surface.points))
                clear = HOLLOW if getattr(shape, "inside", False) else 1.0
                yield _of_body(signs, shape.surface(), frame, clear)
    for slab in slabs.values():
        frame = slab.plane.frame
        assert frame is not None
        yield _of_body(signs, _slab_surface(signs, slab), frame)


def _plane_of(plane: Plane, frame: Frame) -> tuple[Any, ...]:
    """What two shapes have in common that are the same plane of a body."""
    normal = frame.rotation @ plane.normal
    height = normal @ (frame.position + frame.rotation @ plane.position)
    return frame.body.name, *np.round([*normal, height], 9).tolist()


def _of_body(signs: Signs, surface: Surface, frame: Frame, opacity: float = 1.0) -> Thing:
    """A surface on a frame, in the colour of its body and hidden with it."""
    name, names = frame.body.name, list(signs.result.bodies)
    colour = COLOURS[names.index(name) % len(COLOURS)] if name in names else FLOOR
    return thing(surface, name, "bodies", colour, signs.pose(frame), opacity=opacity)


def _on_body(surface: Surface, frame: Frame) -> Surface:
    return moved(surface, frame.rotation, frame.position)


def _extent(shape: Shape) -> float:
    """Largest distance of a shape's points from the origin of its frame, m."""
    points = shape.surface().points
    return float(np.linalg.norm(points, axis=1).max(initial=0.0))


def _drawn(signs: Signs, frame: Frame, surface: Surface, seen: list[tuple[str, Array]]) -> bool:
    """True if the shape is one of those that draw its body, or has been drawn."""
    name = frame.body.name
    known = [points for other, points in seen if other == name]
    if name in signs.result.bodies:
        own = signs.result.bodies[name].surface()
        if own is not None and own.hub is None:
            known.append(own.points)
    return any(_within(surface.points, points) for points in known)


def _within(points: Array, every: Array) -> bool:
    """True if points (n, 3) stand one after the other among others."""
    size = SAME * (1.0 + float(np.abs(points).max()))
    first = np.flatnonzero(np.abs(every - points[0]).max(axis=1, initial=0.0) < size)
    parts = (every[k : k + len(points)] for k in first)
    return any(
        part.shape == points.shape and bool(np.abs(part - points).max() < size) for part in parts
    )


def _slab_surface(signs: Signs, slab: _Slab) -> Surface:
    """A thin slab behind a plane, in the axes of its frame, under all that moves over it."""
    plane, low, high = slab.plane, np.full(2, np.inf), np.full(2, -np.inf)
    assert plane.frame is not None
    turn = aligned(plane.normal)[0]
    R, p = signs.pose(plane.frame)
    for frame, extent in slab.over:
        there = signs.pose(frame)[1]
        local = (np.einsum("tji,tj->ti", R, there - p) - plane.position) @ turn
        local = local[np.all(np.isfinite(local), axis=1), :2]
        if len(local):
            low = np.minimum(low, local.min(axis=0) - extent)
            high = np.maximum(high, local.max(axis=0) + extent)
    if not np.all(np.isfinite(low)):
        low, high = -np.ones(2), np.ones(2)
    margin, thick = EDGE * signs.reach, THICK * signs.reach
    tiles = _tiled(low - margin, high + margin, thick)
    return moved(tiles, turn, plane.position)


def _tiled(low: Array, high: Array, thick: float) -> Surface:
    """A box from z = -thick to 0 with grids above and below: small faces are sorted rightly."""
    across = high - low
    count = np.maximum(np.ceil(TILES * across / across.max()).astype(int), 1)
    x, y = (np.linspace(low[k], high[k], count[k] + 1) for k in range(2))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    number = np.arange(len(grid)).reshape(len(x), len(y))
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    top = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    round_ = [*number[:, 0], *number[-1, 1:], *number[-2::-1, -1], *number[0, -2:0:-1]]
    one, two = np.array(round_), np.roll(round_, -1)
    below = len(grid)
    sides = np.concatenate(
        [
            np.stack([one, one + below, two + below], axis=1),
            np.stack([one, two + below, two], axis=1),
        ]
    )
    points = np.concatenate([np.column_stack([grid, np.full(below, z)]) for z in (0.0, -thick)])
    return Surface(points, np.concatenate([top, top[:, ::-1] + below, sides]).astype(np.intp))


def _forces(signs: Signs, contacts: Mapping[str, Contact | Tyre]) -> Iterator[Thing]:
    """A dot where each contact touches, and an arrow of the force on B, or on A if B is ground.

    All have one scale. Arrows of hits that are longer than `LONGEST` are cut there.
    """
    found: list[tuple[str, Array, Array, Booleans]] = []
    for name, contact in contacts.items():
        view = signs.result[name]
        turned = not isinstance(contact, Tyre)  # whose forces are those on the wheel
        turned &= list(contact.frames.values())[1].body.name == "ground"
        side = -1.0 if turned else 1.0
        try:
            push, points = np.nan_to_num(view.normal_forces), np.nan_to_num(view.points)
            force = side * np.nan_to_num(view.point_forces)
        except (AttributeError, SuppleError):  # loads are not in every result
            continue
        touching = view.gaps < 0.0
        largest = np.where(touching.any(axis=0), push.max(axis=0, initial=0.0), -1.0)
        chosen = np.argsort(-largest, kind="stable")[:MOST_POINTS]
        found += [
            (name, points[:, k], force[:, k], touching[:, k]) for k in chosen if largest[k] >= 0.0
        ]
    sizes: list[Array] = [np.linalg.norm(force, axis=1) for _, _, force, _ in found]
    longest = max((float(size.max()) for size in sizes), default=0.0)
    usual = [float(np.median(size[on])) for size, (_, _, _, on) in zip(sizes, found, strict=True)]
    scale = min(longest, USUAL * max(usual, default=0.0)) or longest
    dot, tip = sphere(0.55 * signs.unit), arrow(0.25, 0.4 * signs.unit)
    still = np.broadcast_to(np.eye(3), (signs.count, 3, 3))
    for (name, place, force, touching), size in zip(found, sizes, strict=True):
        there = np.repeat(np.where(touching, 1.0, 0.0)[:, None], 3, axis=1)
        yield thing(dot, name, "forces", TOUCH, (still, place), stretch=there)
        if scale > 0.0:
            cut = np.minimum(size, scale) / np.where(size > 0.0, size, 1.0)
            way = force * (cut * LONGEST * signs.reach / scale)[:, None]
            yield signs.along(tip, name, "forces", PUSH, place, way)
