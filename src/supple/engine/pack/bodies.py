"""Bodies as rows for the kernels: inertias, elastic coordinates and edges, and welded parts.

A body of the model is one or more bodies of the engine
(`supple.foundation.frames.Body.part_bodies`). The part that its inboard joint holds comes first;
the others follow from weld to weld.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from supple.core.base import layout as at
from supple.core.bodies import membrane as membrane_codes
from supple.core.forces import forces as force_codes
from supple.engine.base.body_records import FlexRecord
from supple.engine.base.compiled import BodyRecord, JointRecord, frame_key, place_of
from supple.engine.pack import ancf as gradient_rows
from supple.engine.pack.attachments import attached_masses
from supple.engine.pack.buffers import NO_SHIFT, RigidInertia, row_of
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import IDENTITY, Pose
from supple.joints.motions import MOTIONS
from supple.reduction.modal import Attachment, ModalBody, Strips
from supple.reduction.second_order.slaved import with_watched

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.bodies.base.rigid import RigidBody
    from supple.engine.pack.builder import Builder
    from supple.model import Model

_MEMBRANES = {
    "axial": membrane_codes.AXIAL,
    "axial_quadratic": membrane_codes.AXIAL_QUADRATIC,
    "von_karman": membrane_codes.VON_KARMAN,
}


def point_masses(model: Model) -> dict[str, list[tuple[Frame, float]]]:
    """Frames and masses (kg) of the point masses on each body of the engine that has some."""
    by_body: dict[str, list[tuple[Frame, float]]] = {}
    bodies = model.bodies
    for point in model.point_masses.values():
        frame = bodies[point.frame.body.name].on_part(point.frame)
        by_body.setdefault(frame.body.name, []).append((frame, point.mass))
    return by_body


def hang(b: Builder, body: Body, node: int, current: Pose, outer: Frame | None) -> None:
    """Hang a body by its frame ``outer``, which is at ``current`` in the node's axes.

    None is the body's own frame, or that of its first part if it has no frame of reference.
    """
    parts = body.part_bodies
    b.bodies[body.name] = BodyRecord(body, parts)
    if body.discretisation != "segments":
        _hang_part(b, body, node, current, None if outer is None else body.on_part(outer))
        return
    by_name = {part.name: part for part in parts}
    taken = next((name for name in by_name if name in b.model), None)
    if taken is not None:
        raise ModelError.plain(
            f"{label(b.model[taken])}: its name is that of a part of {label(body)}, expected "
            "another"
        )
    held = body.own_frame if outer is None else body.on_part(outer)
    first = parts[0] if held is None else by_name[held.body.name]
    _hang_part(b, first, node, current, held)
    hung, welds = {first.name}, body.welds
    for _ in parts[1:]:
        weld = next((w for w in welds if len({f.body.name for f in w} & hung) == 1), None)
        if weld is None or len(welds) != len(parts) - 1:
            raise ModelError.plain(
                f"{label(body)}: its welds ({len(welds)}) do not join its parts ({len(parts)}) to "
                "a tree, expected one weld less than parts"
            )
        near, far = weld if weld[0].body.name in hung else weld[::-1]
        node, current = place(b, near)
        b.owner = label(body)
        joint = b.add_node(node, "fixed", current)
        _hang_part(b, by_name[far.body.name], joint, IDENTITY, far)
        hung.add(far.body.name)
    if body.own_frame is not None:
        b.own_frames[body.name] = place(b, body.own_frame)


def hang_free(b: Builder, body: Body, name: str) -> None:
    """Hang a body by its own frame on a free joint of that name from the ground.

    A body without a frame of reference moves by that of its first part, a gradient body by its
    nodal vectors.
    """
    if body.discretisation == "nodal_vectors":
        gradient_rows.add_body(b, body)
        return
    b.owner = f"{label(body)} (free)"
    q, u = b.nq, b.nu
    node = b.add_node(0, "free", IDENTITY)
    own = slice(q, b.nq), slice(u, b.nu)
    names = MOTIONS["free"].coordinates
    framed = body.discretisation != "segments" or body.own_frame is not None
    moved = body.name if framed else body.part_bodies[0].name
    record = JointRecord(name, "free", b.owner, moved, names, False, *own, node, node, np.zeros(3))
    b.extra[name] = record
    b.q0.extend([1.0, *np.zeros(6)])
    b.u0.extend(np.zeros(6))
    hang(b, body, node, IDENTITY, None)


def place(b: Builder, frame: Frame) -> tuple[int, Pose]:
    """Node and pose of a frame of a part; on a flexible one it gets an elastic edge of its own."""
    name = frame.body.name
    if name in b.gradient:
        return gradient_rows.place(b, frame)
    if name not in b.flexible:
        return place_of(b.own_frames, frame)
    key = frame_key(frame)
    if key not in b.places:
        record = b.flexible[name]
        where = record.attachment(frame)
        node = b.own_frames[name][0]
        if not where.fixed:
            node = add_elastic(b, node, "elastic_out", IDENTITY, record, where)
            b.places[key] = node, IDENTITY
        else:
            b.places[key] = node, Pose(where.R0, where.p0)
    return b.places[key]


def _hang_part(b: Builder, part: Body, node: int, current: Pose, outer: Frame | None) -> None:
    if part.discretisation == "rigid":
        _add_rigid(b, cast("RigidBody", part), node, current, outer)
    elif part.discretisation == "floating_frame":
        _add_flexible(b, cast("FlexibleBody", part), node, current, outer)
    else:
        raise ModelError.plain(
            f"{label(part)}: the engine does not know what it is made of, expected a rigid or a "
            "flexible body"
        )


def _add_rigid(b: Builder, body: RigidBody, node: int, current: Pose, outer: Frame | None) -> None:
    pose = current
    if outer is not None:
        pose = current.before(Pose(outer.rotation, outer.position))
    b.own_frames[body.name] = node, pose
    shift = body.parallel_axes if body.inertia_about == "com" else NO_SHIFT
    points = [(frame.position, m) for frame, m in b.point_masses.get(body.name, ())]
    if not body.mass and not points:  # a node of a frame structure in parts
        return
    b.inertias[node] = RigidInertia(pose, body.mass, body.com, body.inertia, shift, points)
    b.node_ints[node][at.HEAVY] = at.RIGID


def _add_flexible(
    b: Builder, body: FlexibleBody, node: int, current: Pose, outer: Frame | None
) -> None:
    masses = attached_masses(b.model, body)
    modal, watched = _watched(b, body, masses)
    n = modal.n
    here = slice(b.nq, b.nq + n), slice(b.nu, b.nu + n)
    index = len(b.flexible)
    record = FlexRecord(body, index, *here, modal, masses, watched)
    b.flexible[body.name] = record
    r, of = modal.r, modal.slaves or modal
    row = {at.FLEX_N: n, at.FLEX_R: r, at.FLEX_Q0: b.nq, at.FLEX_U0: b.nu}
    row |= {at.FLEX_AT: b.flex_size, at.FLEX_WORK: b.flex_work}
    row |= {at.FLEX_DEFORMED: int(modal.deformed)}
    b.flex_ints.append(row_of(at.FLEX_INTS, row))
    b.flex_work += at.FLEX_RECORD.lengths({"n": n, "r": r})[1]
    b.add_flex(np.array([modal.mass]), modal.s0, modal.E0, of.S1, of.D0)
    if modal.slaves is None:
        moments = modal.D1 if modal.deformed else np.zeros_like(modal.D1)
        b.add_flex(moments.transpose(2, 0, 1, 3))
    rest = modal.rest_coordinates
    b.add_flex(of.M, modal.K, modal.C, rest)
    if modal.slaves is not None:
        b.add_flex(modal.slaves.Gamma.transpose(1, 0, 2))
        _add_strips(b, b.flex_ints[index], modal.slaves.strips)
    # A tolerance is an energy: coordinates by the root of stiffness, rates by that of mass.
    scales: tuple[Vector, Vector] = (np.zeros(0), np.zeros(0))
    if n:
        slow = 2.0 * np.pi * modal.frequencies[0] * body.typical_length * np.sqrt(modal.mass)
        scales = slow / np.sqrt(np.diag(modal.K)), slow / np.sqrt(np.diag(modal.M))
    b.add_plain(rest.tolist(), *(scale.tolist() for scale in scales))
    where = None if outer is None else record.attachment(outer)
    b.owner = label(body)
    if where is None:
        node = b.add_node(node, "fixed", current)
    elif not where.fixed:
        node = add_elastic(b, node, "elastic_in", current, record, where)
    else:
        pose = current.before(Pose(where.R0, where.p0))
        node = b.add_node(node, "fixed", pose)
    b.flex_ints[index][at.FLEX_NODE] = node
    b.node_ints[node][at.HEAVY], b.node_ints[node][at.FLEX] = at.FLEXIBLE, index
    b.own_frames[body.name] = node, IDENTITY


def _add_strips(b: Builder, row: list[int], strips: Strips) -> None:
    """Add the inertia integrals D1 of a body with slaved shapes."""
    row[at.FLEX_STRIP], row[at.FLEX_STRIPS] = len(b.strips), len(strips.strips)
    row[at.FLEX_STRIP_ROW], row[at.FLEX_STRIP_AT] = len(b.strip_rows), b.flex_size
    b.strips.extend(strips.strips.tolist())
    b.strip_rows.extend(strips.rows.tolist())
    b.add_flex(strips.values)


def _watched(
    b: Builder, body: FlexibleBody, masses: tuple[tuple[float, float], ...]
) -> tuple[ModalBody, dict[float, Vector]]:
    """The body with amplitudes of places that are only looked at, and rows (6, r) of these."""
    modal = body.modal(masses)
    shown: dict[float, Attachment] = {}
    if modal.slaves is not None:
        known = {place for place, _ in masses}
        owned = [f for f in b.watched_frames if f.body.name in b.bodies_by_name]
        frames = [b.bodies_by_name[f.body.name].on_part(f) for f in owned]
        mine = {body.station(f): f for f in frames if f.body.name == body.name}
        shown = {x: body.shown(f, masses) for x, f in mine.items() if x not in known}
    forms = [where.Gamma for where in shown.values() if where.Gamma is not None]
    whole = with_watched(modal, np.concatenate(forms)) if forms else modal
    rows, first = {}, modal.r
    for place, where in shown.items():
        if where.slaved is not None:
            rows[place] = np.zeros((6, whole.r))
            rows[place][:, first : first + where.slaved.shape[1]] = where.slaved
            first += where.slaved.shape[1]
    return whole, rows


def add_elastic(
    b: Builder, parent: int, motion: str, pose: Pose, record: FlexRecord, where: Attachment
) -> int:
    """Add a node behind an elastic edge, whose columns are the body's elastic velocities."""
    n, size = b.append_node(parent, motion, pose, record.modal.n), record.modal.n
    b.node_ints[n][at.FLEX], b.node_ints[n][at.ATTACH] = record.index, len(b.attach_ints)
    row = [0] * at.ATTACH_INTS
    row[at.ATTACH_BODY], row[at.ATTACH_AT], row[at.ATTACH_WORK] = record.index, b.flex_size, -1
    b.attach_ints.append(row)
    b.add_flex(where.p0, where.R0, where.Phi, where.Psi)
    if where.slaved is not None:
        b.add_flex(where.slaved)
        row[at.ATTACH_WORK] = b.flex_work
        b.flex_work += at.ATTACH_ROWS * size
    for k in range(size):
        b.add_column(n, k, record.u.start + k)
    return n


def add_damping(b: Builder, record: FlexRecord) -> None:
    """Add the damping of a flexible body as a force element."""
    if np.any(record.modal.C):
        ints = {at.KIND: force_codes.BODY_DAMPING, force_codes.BODY: record.index}
        b.owner = record.label
        b.add_element(ints, {}, f"{record.name}.damping")


def add_membranes(b: Builder, record: FlexRecord) -> None:
    """Add the geometric stiffening of a body: its membranes, and a channel for its work."""
    membranes = record.modal.membranes
    if membranes is None:
        return
    m, p, _ = membranes.slopes.shape
    law = _MEMBRANES[membranes.law]
    ints = {
        at.KIND: force_codes.MEMBRANE,
        membrane_codes.BODY: record.index,
        membrane_codes.AT: b.flex_size,
        membrane_codes.COUNT: m,
        membrane_codes.SLOPES: p,
        membrane_codes.LAW: law,
        membrane_codes.FIRST: len(b.membranes),
    }
    for k, a, s in zip(membranes.stiffness, membranes.axial, membranes.slopes, strict=True):
        moving = np.flatnonzero(np.any(s, axis=0) | (a != 0.0))
        ends = (moving[0], moving[-1] + 1) if len(moving) else (0, 0)
        ranges = {at.MEMBRANE_FROM: ends[0], at.MEMBRANE_END: ends[1]}
        b.membranes.append(row_of(at.MEMBRANE_INTS, ranges))
        b.add_flex(np.array([k]), a, s)
    name = f"{record.name}.stiffening"
    b.owner = record.label
    b.add_element(ints, {}, name)
    if law != membrane_codes.VON_KARMAN:
        b.energy_creating.append(name)
