"""Constraints as rows for the kernels: see ``constraint_rows.py`` for their kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.constraints import (
    Blade,
    Constraint,
    CoordinateConstraint,
    Distance,
    Driver,
    FrameConstraint,
    FrameDriver,
    PointOnLine,
    PointOnPlane,
    RateConstraint,
    Rolling,
    SlidingJoint,
    SpeedDriver,
)
from supple.constraints.kinds import constraint_kind
from supple.core.base import layout as at
from supple.core.bodies import line_edge
from supple.core.contact import record, rolling
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces as force_codes
from supple.engine.base.compiled import HELD, SLIDER, SPIN, JointRecord
from supple.engine.pack import ancf as pack_gradient
from supple.engine.pack import bodies as body_rows
from supple.engine.pack.contacts import shapes
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.foundation.frames import Body
from supple.foundation.poses import IDENTITY, Pose, aligned
from supple.joints import Joint, Motion
from supple.joints.motions import MOTIONS
from supple.signals import Constant, Signal

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.engine.pack.builder import Builder

PLACES = tuple(f"place along {axis}" for axis in "xyz")
TURNS = tuple(f"rotation about {axis}" for axis in "xyz")
Term = tuple[int, int, float]  # place in q, place in u, coefficient


def join(b: Builder, joint: Joint, node: int, end: Pose) -> None:
    """Join the end of a closing joint's chain to its frame B: three places, three rotations."""
    _join(b, joint, (node, end), b.place(joint.B), PLACES + TURNS)


def close(b: Builder, body: Body) -> None:
    """Weld parts of a body that make loops."""
    for place, *pair in body.loop_welds:
        b.owner = label(body)
        first, second = (body_rows.place(b, frame) for frame in pair)
        _join(b, body, first, second, [f"{part} of {place}" for part in PLACES + TURNS])


def hold(b: Builder, joint: Joint) -> tuple[int, ...]:
    """Rows that can hold a joint's coordinates; returns their links, one for each coordinate.

    Of a spherical or free joint one link holds the whole pose.
    """
    first = len(b.link_ints)
    if joint.chart.axes:
        for k, (name, unit) in enumerate(zip(joint.coordinate_names, joint.units, strict=True)):
            q, u, _ = b.shaft(joint.name, k, label(joint))
            row = b.add_row(joint, f"{name}{HELD}", unit)
            terms = b.add_terms([(q, u, 1.0)])
            b.add_link(links.LINEAR, (1, terms), b.add_numbers([0.0]), -1, [row])
    else:
        slides = any(motion.row.slides for motion in joint.motions)
        parts = [p + HELD if slides else "" for p in PLACES] + [t + HELD for t in TURNS]
        end = b.chain_ends.get(joint.name) or b.place(joint.B)
        _join(b, joint, b.place(joint.A), end, parts)
    return tuple(range(first, len(b.link_ints)))


def pack(b: Builder, item: Constraint) -> None:
    """Add the rows of a constraint or driver."""
    PACKERS[constraint_kind(item).cls](b, item)


def _coordinates(b: Builder, item: CoordinateConstraint) -> None:
    terms = []
    for name, coordinate, factor in item.terms:
        q, u, ratio = b.shaft(name, coordinate, item.name)
        terms.append((q, u, factor * ratio))
    value = item.value
    if value is None:  # what the initial coordinates give
        value = Constant(sum(factor * b.q0[q] for q, _, factor in terms))
    _linear(b, item, terms, value, item.name)


def _rates(b: Builder, item: RateConstraint) -> None:
    """One row without a position: the sum of factor * rate equals the given one."""
    terms = []
    for name, coordinate, factor in item.terms:
        q, u, ratio = b.shaft(name, coordinate, item.name)
        terms.append((q, u, factor * ratio))
    signal = b.add_signal(item.rate)
    row = b.add_row(item, item.name, "1")
    sum_of = len(terms), b.add_terms(terms)
    b.add_link(links.LINEAR, sum_of, b.add_numbers([0.0]), signal, [row], rates=1)
    _channel(b, item.name, signal)


def _blade(b: Builder, item: Blade) -> None:
    node, pose = b.place(item.B)
    turned = Pose(pose.R @ aligned(item.axis)[0], pose.p)
    place = b.add_numbers([*turned.R.ravel(), *turned.p])
    row = b.add_row(item, "velocity", "m")
    b.add_link(links.BLADE, (b.place(item.A)[0], node), place, -1, [row], rates=1)
    b.wrenches += 1


def _roll(b: Builder, item: Rolling) -> None:
    """The gap of two shapes, and velocities along the plane between them."""
    pair = item.pair
    ints, _ = shapes(b, pair, lambda radius, _: (0.5, 0.5 * radius))
    element = len(b.element_ints)
    b.add_element(
        {at.KIND: force_codes.SHAPES, **ints}, {rolling.MIDDLE: _middle(b, item)}, item.name
    )
    rows = [b.add_row(item, part, "m") for part in ("gap", "slip along x", "slip along y")]
    ends = ints[record.A], ints[record.B]
    b.add_link(links.ROLL, ends, 0, -1, rows, rates=6, element=element)
    b.wrenches += 1


def _middle(b: Builder, item: Rolling) -> Array:
    """Axes (9) of a surface on the ground whose z axis is up, of others its own axes.

    Those of the plane of contact are turned the shortest way from there to the normal, which must
    not become the opposite of that z axis.
    """
    pair, up = item.pair, -np.asarray(b.model.gravity)
    still = pair.frames[0].body.name == b.model.ground.name
    if pair.surface.kind == "plane" or not still or not np.any(up):
        return np.eye(3).ravel()
    R = pair.frames[0].rotation @ pair.surface.pose.R
    return np.asarray(aligned(R.T @ up / np.linalg.norm(up))[0]).ravel()


def _distance(b: Builder, item: Distance) -> None:
    (node_a, a), (node_b, c) = b.place(item.A), b.place(item.B)
    fixed, signal = _value(b, item.length)
    place = b.add_numbers([*a.p, *c.p, fixed])
    row = b.add_row(item, "distance", "m")
    b.add_link(links.DISTANCE, (node_a, node_b), place, signal, [row])
    b.wrenches += 1
    _channel(b, item.name, signal)


def _on_line(b: Builder, item: PointOnLine) -> None:
    _across(b, item, item.axis, ("distance along x", "distance along y", ""))


def _on_plane(b: Builder, item: PointOnPlane) -> None:
    _across(b, item, item.normal, ("", "", "distance"))


def _across(b: Builder, item: FrameConstraint, axis: Array, parts: tuple[str, ...]) -> None:
    """Rows for parts of the place of B in A's axes, turned so that ``axis`` is z."""
    node, pose = b.place(item.A)
    first = node, Pose(pose.R @ aligned(axis)[0], pose.p)
    _join(b, item, first, b.place(item.B), (*parts, "", "", ""))


def _slide(b: Builder, item: SlidingJoint) -> None:
    """A node that slides along the line of A, joined to B.

    While bodies without a frame are rigid, which says where they start, it is on the tangent.
    """
    last, turns = b.place(item.B), TURNS if item.follows != "point" else ("", "", "")
    if item.name in b.chain_ends:
        _join(b, item, b.chain_ends[item.name], last, (*PLACES, *turns))
        return
    line = cast("ANCFLine", item.A.body)
    first = b.place(line.at(line.station(item.A)))
    _join(b, item, first, last, ("", *PLACES[1:], "", "", ""))
    if item.follows == "point":
        return
    if item.follows == "tangent":
        q, u = b.nq, b.nu
        node, end = _spin(b, *first)
        b.extra[f"{item.name}{SPIN}"] = JointRecord(
            f"{item.name}{SPIN}", "axes", label(item), item.B.body.name, ("angle",), False,
            slice(q, b.nq), slice(u, b.nu), node, node, np.zeros(3),
        )  # fmt: skip
        first = node, end
    node, pose = first
    _join(b, item, (node, Pose(pose.R @ item.A.rotation, pose.p)), last, ("", "", "", *TURNS))


def _spin(b: Builder, node: int, pose: Pose) -> tuple[int, Pose]:
    """A node that turns about the x axis of a frame, and the frame's pose in it."""
    end = b.add_motions(node, pose, (Motion("rotate", np.array([1.0, 0.0, 0.0])),))
    b.q0.append(0.0)
    b.u0.append(0.0)
    return end


def add_slider(b: Builder, item: Constraint) -> None:
    """The node of a sliding joint and its coordinates, before forces act on them."""
    if not isinstance(item, SlidingJoint) or item.A.body.name not in b.gradient:
        return
    q, u = b.nq, b.nu
    axes = line_edge.NO_AXES
    if item.follows != "point":
        turns = cast("ANCFLine", item.A.body).turns
        axes = line_edge.SECTION if turns else line_edge.TANGENT
    node, pose = pack_gradient.add_slider(b, item.A, axes)
    coordinates: tuple[str, ...] = ("displacement",)
    if item.follows == "tangent":
        node, end = _spin(b, node, IDENTITY)
        pose, coordinates = Pose(end.R @ pose.R, end.p), ("displacement", "angle")
    record = JointRecord(
        f"{item.name}{SLIDER}", "axes", label(item), item.B.body.name, coordinates, False,
        slice(q, b.nq), slice(u, b.nu), node, node, np.zeros(3),
    )  # fmt: skip
    b.extra[record.name] = record
    b.chain_ends[item.name] = node, pose


def _drive_frame(b: Builder, item: FrameDriver) -> None:
    """A chain of the driver's motions from A, joined to B, some of its coordinates driven."""
    q, u = b.nq, b.nu
    node, end = b.add_motions(*b.place(item.A), item.motions)
    names = ("x", "y", "z", "angle")
    turns = item.axis is None
    axes = 3 if turns else 4
    parts = [("axes", names[:axes], slice(q, q + axes), slice(u, u + axes))]
    if turns:
        ball = MOTIONS["ball"].coordinates
        parts.append(("ball", ball, slice(q + 3, b.nq), slice(u + 3, b.nu)))
    for kind, coordinates, at_q, at_u in parts:
        record = JointRecord(
            f"{item.name}.{kind}", kind, label(item), item.B.body.name, coordinates, False,
            at_q, at_u, node, node, end.p,
        )  # fmt: skip
        b.extra[record.name] = record
    start = np.zeros(b.nq - q)
    if turns:
        start[3] = 1.0  # quaternion
    for k, signal in item.drives:
        start[k] = signal(0.0)
    b.q0.extend(start)
    b.u0.extend(np.zeros(b.nu - u))
    _join(b, item, (node, end), b.place(item.B), PLACES + TURNS)
    for k, signal in item.drives:
        _linear(b, item, [(q + k, u + k, 1.0)], signal, f"{item.name}.{names[k]}")


def _join(
    b: Builder,
    owner: Joint | Constraint | Body,
    first: tuple[int, Pose],
    second: tuple[int, Pose],
    parts: Sequence[str],
) -> None:
    """Rows for the named parts of the second frame's pose in the first; others stay free."""
    (node_a, a), (node_b, c) = first, second
    place = b.add_numbers([*a.R.ravel(), *a.p, *c.R.ravel(), *c.p])
    units = ("m", "m", "m", "rad", "rad", "rad")
    rows = [b.add_row(owner, p, unit) if p else -1 for p, unit in zip(parts, units, strict=True)]
    b.add_link(links.JOIN, (node_a, node_b), place, -1, rows)
    b.wrenches += 1


def _linear(
    b: Builder, owner: Constraint, terms: Sequence[Term], value: Signal, channel: str
) -> None:
    """One row: the sum of factor * coordinate equals the value."""
    fixed, signal = _value(b, value)
    row = b.add_row(owner, channel, "1")
    sum_of = len(terms), b.add_terms(terms)
    b.add_link(links.LINEAR, sum_of, b.add_numbers([fixed]), signal, [row])
    _channel(b, channel, signal)


def _value(b: Builder, value: Signal) -> tuple[float, int]:
    """A number and a signal whose sum is the value."""
    if isinstance(value, Constant):
        return value.value, -1
    return 0.0, b.add_signal(value)


def _channel(b: Builder, name: str, signal: int) -> None:
    """Count the work of a row that moves in time."""
    if signal >= 0:
        ints = {at.KIND: force_codes.DRIVE, force_codes.LINK: len(b.link_ints) - 1}
        b.add_element(ints, {}, name)


PACKERS: dict[type[Constraint], Callable[..., None]] = {
    CoordinateConstraint: _coordinates,
    Driver: _coordinates,
    RateConstraint: _rates,
    SpeedDriver: _rates,
    Blade: _blade,
    Rolling: _roll,
    Distance: _distance,
    PointOnLine: _on_line,
    PointOnPlane: _on_plane,
    SlidingJoint: _slide,
    FrameDriver: _drive_frame,
}
