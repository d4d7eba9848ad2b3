"""Sets of contacts as records for the kernels, and what they do at states of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.base import layout as at
from supple.core.contact import contact, sets, surfaces
from supple.core.equations import history as kernel
from supple.engine.pack import contacts as pack_contacts
from supple.forces.contact_laws import Hertz, HuntCrossley
from supple.forces.contact_sets import Contacts, SetLayout, frame_of, is_ball
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label
from supple.foundation.poses import EYE, Pose
from supple.results.data.run_data import ContactHistory, SetHistory, TouchingPair

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled
    from supple.engine.pack.builder import Builder
    from supple.forces.contacts import Contact

MARGIN = 0.3  # of the mean radius: lists are made anew after half of it
ROW = re.compile(r"\[(\d+),(\d+)\]")  # of the name of a contact of a set: the numbers of its shapes


def pack(b: Builder, force: Contacts) -> None:
    """Add the records of a set: contacts of their own, and of what is found by cells."""
    layout = force.layout(b.joints_by_name, b.model.ground.name)
    for i, j in layout.single:
        pack_contacts.pack(b, force.contact(i, j))
    if layout.balls:
        force.expect_cells(layout)
        _pack_cells(b, force, layout)
    if not layout.single:
        b.switches -= 1  # steps do not end at touches of what is found by cells


def _pack_cells(b: Builder, force: Contacts, layout: SetLayout) -> None:
    names: dict[str, int] = {}
    for shape in force.shapes:
        names.setdefault(frame_of(shape).body.name, len(names))
    balls, walls = _balls(b, force, layout, names), _walls(b, force, layout, names)
    codes = sorted(
        min(pair) * 2**32 + max(pair)
        for pair in (
            [names[name] for name in apart] for apart in layout.apart if apart <= set(names)
        )
    )
    n, s, law = len(layout.balls), len(walls[0]) // sets.WALL_INTS, force.law
    ints: dict[int, Any] = {
        sets.BALLS: b.add_integers(balls[0]),
        sets.COUNT: n,
        sets.WALLS: s,
        sets.SURFACES: b.add_integers(walls[0]),
        sets.JOINED: b.add_integers(codes),
        sets.JOINTS: len(codes),
        sets.AT: b.add_numbers(balls[1]),
        sets.WALL_AT: b.add_numbers(walls[1]),
        sets.SCRATCH: b.flex_work,
        sets.FRICTION: int(force.friction is not None),
        sets.ROOM: sets.room_for(n, s),
    }
    b.flex_work += sets.scratch_size(n, s)
    stiffness, exponent = 0.0, 1.5
    if isinstance(law, HuntCrossley):
        stiffness, exponent = law.stiffness, law.exponent
    radii = [force.shapes[k].touching_balls[0].radius for k in layout.balls]
    reals: dict[int, Any] = {
        contact.STIFFNESS: law.stiffness(1.0) if isinstance(law, Hertz) else stiffness,
        contact.EXPONENT: exponent,
        contact.DAMPING: law.damping,
        contact.STATIC: 1.0,
        contact.MU: 1.0,
        contact.ACROSS: 1.0,
        contact.TURNING: 1.0,
        sets.ROUND: float(isinstance(law, Hertz)),
        sets.MARGIN: MARGIN * (float(np.mean(radii)) or 0.01 * b.length),
    }
    if force.friction is not None:
        reals |= pack_contacts.rubbing(force.friction)
    b.add_element({at.KIND: sets.CONTACT_SET, **ints}, reals, f"{force.name}.push")
    b.add_element({at.KIND: sets.SET_RUBBING, **ints}, reals, f"{force.name}.friction")
    b.wrenches += 1


Numbers = tuple[list[int], list[float]]


def _balls(b: Builder, force: Contacts, layout: SetLayout, names: dict[str, int]) -> Numbers:
    ints, reals = list[int](), list[float]()
    for k in layout.balls:
        shape = force.shapes[k]
        (ball,), frame = shape.touching_balls, frame_of(shape)
        node, pose = b.place(frame)
        ints += [node, names[frame.body.name]]
        reals += [*pose.then(Pose(EYE, ball.place)).p.tolist(), ball.radius]
    return ints, reals


def _walls(b: Builder, force: Contacts, layout: SetLayout, names: dict[str, int]) -> Numbers:
    ints, reals = list[int](), list[float]()
    for k in layout.surfaces:
        shape = force.shapes[k]
        found, frame = shape.touching_walls, frame_of(shape)
        if not found or any(surface.data is not None for surface in found):
            kind, expected = type(shape).__name__, "a Plane, Cuboid, Cylinder, Capsule or Torus"
            raise ModelError.plain(
                f"{label(force)}: shapes[{k}] is a {kind}, which balls whose pairs are found by "
                f"cells do not touch, expected {expected}, or cells=False"
            )
        node, pose = b.place(frame)
        for surface in found:
            placed, code = pose.then(surface.pose), pack_contacts.SURFACES[surface.kind]
            sizes = [*surface.sizes, *[0.0] * surfaces.SIZES][: surfaces.SIZES]
            ints += [node, names[frame.body.name], code, int(surface.inside)]
            reals += [*placed.R.ravel().tolist(), *placed.p.tolist(), *sizes]
            extent = 0.0 if surface.inside else _extent(surface.kind, surface.sizes)
            reals += [shape.curvature or 0.0, extent, shape.allowed_depth or 0.0]
    return ints, reals


def _extent(kind: str, sizes: tuple[float, ...]) -> float:
    """Radius about its place that holds all of a surface; 0 if there is none."""
    if kind == "box":  # the last is the rounding of its edges
        return math.hypot(*sizes[:3]) + sum(sizes[3:])
    if kind in ("ball", "cylinder"):
        return math.hypot(*sizes)
    return sum(sizes) if kind in ("bar", "ring") else 0.0


def _elements(c: Compiled, force: Contacts) -> list[int]:
    """Its elements that push."""
    return [k for k in c.channels(force.name) if c.force_names[k].endswith(".push")]


def set_history(c: Compiled, force: Contacts, q: Array, u: Array, z: Array) -> SetHistory:
    """What a set does at the states of a run."""
    rows = [np.require(x, dtype=float, requirements=["C", "W"]) for x in (q, u, z)]
    out = np.zeros((len(q), kernel.SET_COLUMNS))
    elements = np.array(_elements(c, force), dtype=np.int64)
    work = at.new_work(c.ints)
    kernel.set_history(c.ints, c.reals, work, *rows, elements, np.zeros(contact.SHOWN), out)

    def pairs(k: int) -> list[TouchingPair]:
        state = [x[k : k + 1] for x in rows]
        return sorted(_touching(c, force, state), key=lambda pair: pair.shapes)

    touching, depth, push, stored = out.T
    each = partial(_own_contacts, c, force, rows)
    return SetHistory(touching, depth, push, stored, pairs, each)


def _own_contacts(
    c: Compiled, force: Contacts, rows: list[Array]
) -> list[tuple[Contact, ContactHistory]]:
    return [(one, history) for _, _, one, history in _single(c, force, rows)]


def _single(
    c: Compiled, force: Contacts, rows: list[Array]
) -> Iterator[tuple[int, int, Contact, ContactHistory]]:
    """Contacts of their own of a set: numbers of the shapes, and what they do at states q, u, z."""
    seen = set[tuple[int, int]]()
    for name in c.force_names:
        numbers = ROW.match(name.removeprefix(force.name)) if name.startswith(force.name) else None
        if numbers is None or (key := (int(numbers[1]), int(numbers[2]))) in seen:
            continue
        seen.add(key)
        contact_ = force.contact(*key)
        yield *key, contact_, pack_contacts.contact_history(c, contact_, rows[0], rows[1], rows[2])


def _touching(c: Compiled, force: Contacts, state: list[Array]) -> list[TouchingPair]:
    found, kinds = list[TouchingPair](), at.integers(c.ints, "element")[:, at.KIND]
    for i, j, _, h in _single(c, force, state):
        for k in np.flatnonzero(h.gap[0] < 0.0).tolist():
            shown = -h.gap[0, k], h.normal[0, k], h.point[0, k], h.push[0, k], h.friction[0, k]
            found.append(_pair(force, i, j, *shown))
    for e in _elements(c, force):
        if kinds[e] == sets.CONTACT_SET:
            found += _by_cells(c, force, state[0][0], state[1][0], e)
    return found


def _by_cells(c: Compiled, force: Contacts, q: Array, u: Array, e: int) -> list[TouchingPair]:
    every = range(len(force.shapes))
    numbers = [k for k in every if is_ball(force.shapes[k])]
    others = (k for k in every if not is_ball(force.shapes[k]))
    numbers += [k for k in others for _ in force.shapes[k].touching_walls]
    work, out = at.new_work(c.ints), np.zeros((4 * len(numbers), sets.ROW))
    count = kernel.touching_pairs(c.ints, c.reals, work, q, u, e, out)
    if count > len(out):
        out = np.zeros((count, sets.ROW))
        kernel.touching_pairs(c.ints, c.reals, work, q, u, e, out)
    found = []
    for row in out[:count]:
        i, j = (numbers[int(row[k])] for k in (sets.FIRST, sets.SECOND))
        n, p, t = (row[k : k + 3] for k in (sets.N, sets.P, sets.RUB))
        found.append(_pair(force, i, j, -row[sets.GAP], n, p, row[sets.PUSH], t))
    return found


def _pair(
    force: Contacts, i: int, j: int, depth: float, n: Array, p: Array, push: float, t: Array
) -> TouchingPair:
    """A pair as its second shape feels it; the second is the one with the larger number."""
    if i > j:
        i, j, n, t = j, i, -n, -t
    bodies = tuple(frame_of(force.shapes[k]).body.name for k in (i, j))
    return TouchingPair((i, j), (bodies[0], bodies[1]), float(depth), n, p, float(push), t)
