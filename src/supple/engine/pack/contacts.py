"""Contacts as records of integers and reals for the kernels: one for each of their points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from supple.bodies.shapes.gears import ToothSlot
from supple.bodies.shapes.meetings import Pair
from supple.bodies.shapes.shape import (
    SurfaceData,
    TouchingBall,
    TouchingCore,
    TouchingCurve,
    TouchingSurface,
)
from supple.core.base import layout as at
from supple.core.contact import contact, cores, fields, record, rolling, surfaces
from supple.core.equations import history as kernel
from supple.engine.pack import lines
from supple.forces.contact_laws import ContactFriction, RoundedFriction
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label
from supple.foundation.poses import EYE, Pose
from supple.results.data.run_data import ContactHistory, RollingHistory

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled
    from supple.engine.pack.builder import Builder
    from supple.forces.contacts import Contact

SURFACES = {
    "plane": surfaces.PLANE,
    "ball": surfaces.BALL,
    "bar": surfaces.BAR,
    "cylinder": surfaces.CYLINDER,
    "ring": surfaces.RING,
    "box": surfaces.BOX,
    "cone": surfaces.CONE,
    "cam": surfaces.CAM,
    "field": surfaces.FIELD,
    "grid": surfaces.GRID,
    "teeth": surfaces.PLANE,  # teeth find their distance themselves
}
Way: TypeAlias = tuple[float, float]  # factor of a distance, and a constant
OWN = record.DATA - record.TEETH  # room for numbers of gears and cores
# Columns of what is shown, and those that have the opposite sign as seen from the other body
COLUMNS = (
    contact.SHOWN_GAP, contact.SHOWN_RATE, contact.SHOWN_N, contact.SHOWN_P,
    contact.SHOWN_PUSH, contact.SHOWN_FRICTION, contact.SHOWN_TORQUE, contact.SHOWN_SLIP,
    contact.SHOWN_STORED, contact.SHOWN,
)  # fmt: skip
TURNED = (
    (contact.SHOWN_N, contact.SHOWN_P),
    (contact.SHOWN_FRICTION, contact.SHOWN_STORED),
)


def pack(b: Builder, force: Contact) -> None:
    """Add the records of a contact: push, and what friction takes, of each of its pairs."""
    stiffness, exponent = force.push()
    reals: dict[int, Any] = {
        contact.EXPONENT: exponent,
        contact.DAMPING: force.law.damping,
        contact.STATIC: 1.0,
        contact.MU: 1.0,
        contact.ACROSS: 1.0,
        contact.TURNING: 1.0,
    }
    known = [s.allowed_depth for s in (force.A, force.B) if s.allowed_depth is not None]
    reals[contact.ALLOWED] = min(known, default=0.0)
    if force.friction is not None:
        reals |= rubbing(force.friction)
    if force.lines is not None:
        lines.pack(b, force, {**reals, contact.STIFFNESS: stiffness})
        return
    hold = force.bristle(b.bodies_by_name)
    found = force.pairs()
    for k, touch in enumerate(found):
        surface, other, swapped = touch.surface, touch.other, touch.swapped

        def acts(radius: float, turns: tuple[bool, bool], own: TouchingSurface = surface) -> Way:
            return _way(force, own, radius, turns)

        shape_ints, moved = shapes(b, touch, acts)
        reals[contact.STIFFNESS] = stiffness * touch.weight
        if hold is not None:
            reals[contact.HOLD] = hold[0] * touch.weight
            reals[contact.HOLD_DAMPING] = hold[1] * touch.weight
        ints: dict[int, Any] = {
            **shape_ints,
            record.FRICTION: int(isinstance(force.friction, RoundedFriction)),
            record.ONE_OF_MANY: int(isinstance(other, TouchingBall) and other.frame is not None),
        }
        if hold is not None:
            ints[record.STATE] = b.add_inner_states(3) + 2
        if force.friction is not None:  # its axis, in the axes of the surface
            axis, angle = force.friction.axis, force.friction.axle_angle
            across = surface.pose if not swapped else Pose(EYE, moved.p)
            reals[contact.AXIS] = across.R.T @ axis
            if angle is not None:
                ints[record.WHEEL] = 1
                reals[contact.AXIS] = np.array([math.cos(angle), math.sin(angle), 0.0])
        name = f"{force.name}[{k}]" if len(found) > 1 else force.name
        b.add_element({at.KIND: record.CONTACT, **ints}, reals, f"{name}.push")
        if force.friction is not None:
            b.add_element({at.KIND: contact.RUBBING, **ints}, reals, f"{name}.friction")
    b.wrenches += 1


def shapes(
    b: Builder, touch: Pair, acts: Callable[[float, tuple[bool, bool]], Way]
) -> tuple[dict[int, Any], Pose]:
    """Integers of the geometry of a pair, and the pose in its node of what touches.

    ``acts`` says where forces of a ball with a radius (m) act, if surface and ball turn or not.
    """
    surface, other, (first, second) = touch.surface, touch.other, touch.frames
    node_a, a = b.place(first) if surface.frame is None else b.place_inside(first)
    node_b, c = b.place(second) if other.frame is None else b.place_inside(second)
    if isinstance(other, TouchingBall):
        pair, there, radii = record.WITH_BALL, Pose(EYE, other.place), [other.radius, 0.0]
    elif isinstance(other, TouchingCore):
        pair, there, radii = record.WITH_CORE, other.pose, [other.radius, other.reach]
    elif isinstance(other, TouchingCurve):
        pair, there, radii = record.WITH_CAM, other.pose, [0.0, other.reach]
    elif isinstance(other, ToothSlot):
        pair, there, radii = record.WITH_TEETH, other.pose, [0.0, other.reach]
    else:
        pair, there, radii = record.WITH_RING, other.pose, [other.small, other.large]
    sizes = [*surface.sizes, *[0.0] * surfaces.SIZES][: surfaces.SIZES]
    turned, moved = a.then(surface.pose), c.then(there)
    data = [*turned.R.ravel(), *turned.p, *moved.R.ravel(), *moved.p, *sizes, *radii]
    data += acts(radii[0], (b.node_turns(node_a), b.node_turns(node_b)))
    own = other.numbers if isinstance(other, ToothSlot) else ()
    if isinstance(other, TouchingCore):
        least = min(other.half) if other.is_box else other.half[0]
        own = (*other.half, float(other.is_box), 0.5 * cores.FLAT * least, other.reach)
    data += [*own, *[0.0] * (OWN - len(own))]
    ints: dict[int, Any] = {
        record.A: node_a,
        record.B: node_b,
        record.AT: b.add_numbers(data),
        record.PAIR: pair,
        record.SURFACE: SURFACES[surface.kind],
        record.STATE: -1,
        record.HOLLOW: int(surface.inside),
    }
    form = other.data if isinstance(other, TouchingCurve) else surface.data
    if form is not None:
        ints |= _form(b, form)
    return ints, moved


def _way(force: Contact, surface: TouchingSurface, radius: float, turns: tuple[bool, bool]) -> Way:
    """Where forces of a ball with a radius (m) act: factor of the distance, and a constant.

    ``turns`` says whether the places of surface and ball have axes: half way between both
    surfaces, or in the middle of what has none.
    """
    if not any(turns) and force.friction is not None:
        expected = "None: friction of two balls on places without axes that turn is a couple"
        raise ModelError(label(force), "friction", force.friction, expected)
    if not turns[1]:
        return 0.0, 0.0
    middle = surface.sizes[0] if not turns[0] else 0.0
    return (0.5, 0.5 * radius) if turns[0] else (1.0, -middle if surface.inside else middle)


def _form(b: Builder, data: SurfaceData) -> dict[int, int]:
    """Places of the numbers and counts of a surface."""
    return {fields.FORM: b.add_numbers(data.numbers), fields.COUNTS: b.add_integers(data.counts)}


def rubbing(friction: ContactFriction) -> dict[int, float]:
    """Reals of a law of friction."""
    along, across = friction.mu
    found = {contact.MU: along, contact.ACROSS: across, contact.STATIC: friction.static_ratio}
    found |= {contact.STRIBECK: friction.stribeck, contact.TURNING: friction.turning}
    found |= {contact.ROLLING: friction.rolling, contact.SPINNING: friction.spinning}
    if isinstance(friction, RoundedFriction):
        found[contact.SPEED] = friction.transition
    return found


def kind_of(c: Compiled, name: str) -> int:
    """Code of the force element with a work channel of this name."""
    return int(at.integers(c.ints, "element")[c.force_names.index(name), at.KIND])


def rolling_history(c: Compiled, name: str, q: Array, u: Array) -> RollingHistory:
    """Where bodies touch that roll on each other, at the states of a run."""
    rows = [np.require(x, dtype=float, requirements=["C", "W"]) for x in (q, u)]
    out, work = np.zeros((len(q), rolling.SHOWN)), at.new_work(c.ints)
    kernel.rolling_history(c.ints, c.reals, work, *rows, c.force_names.index(name), out)
    return RollingHistory(
        out[:, rolling.SHOWN_GAP],
        out[:, rolling.SHOWN_N : rolling.SHOWN_P],
        out[:, rolling.SHOWN_P : rolling.SHOWN_AXES],
        out[:, rolling.SHOWN_AXES :].reshape(-1, 2, 3),
    )


def contact_history(c: Compiled, force: Contact, q: Array, u: Array, z: Array) -> ContactHistory:
    """What a contact does at the states of a run, at each of its points."""
    names = list(c.force_names)
    rows = [np.require(x, dtype=float, requirements=["C", "W"]) for x in (q, u, z)]
    work, found = at.new_work(c.ints), list[Array]()
    if force.lines is not None:
        found = lines.line_history(c, force, rows[0], rows[1])
    for k, pair in enumerate(force.pairs()):
        name = force.name if f"{force.name}.push" in names else f"{force.name}[{k}]"
        out = np.zeros((len(q), contact.SHOWN))
        kernel.contact_history(c.ints, c.reals, work, *rows, names.index(f"{name}.push"), out)
        if pair.swapped:  # the kernels' B is A of the user
            for first, after in TURNED:
                out[:, first:after] *= -1.0
        found.append(out)
    x = np.stack(found, axis=1)
    shown = [x[..., a:b] if b - a > 1 else x[..., a] for a, b in itertools.pairwise(COLUMNS)]
    return ContactHistory(*shown)
