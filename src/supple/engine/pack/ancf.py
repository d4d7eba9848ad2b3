"""Gradient bodies as rows for the kernels: nodal vectors, elements, and edges to their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from supple.core.base import layout as at
from supple.core.bodies import ancf as kernel
from supple.core.bodies import line_edge as line
from supple.core.forces import forces as force_codes
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import BodyRecord, frame_key
from supple.engine.pack.attachments import refuse_axes
from supple.engine.pack.buffers import RigidInertia, row_of
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.foundation.poses import IDENTITY, Pose

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_body import ANCFBody
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.engine.pack.builder import Builder
    from supple.foundation.frames import Body, Frame

# Weights of rates have a hundredth of their unit besides their own size. Components of a vector are
# small by its direction alone: theirs have the whole unit, where `core/run/step_size.py` does not
# know the step (methods of several steps).
RATE = 100.0
LEVEL = 1e-3  # sine of the angle between a line and gravity, to tell what is horizontal
ZERO = np.zeros(3)
PLACE = 3  # columns of a vector


def add_body(b: Builder, body: Body) -> None:
    """Add the coordinates of a gradient body, its elements and what is attached to its nodes."""
    mesh, motion = cast("ANCFBody", body).mesh, b.starts[body.name]
    record = ANCFRecord(
        body,
        len(b.gradient),
        slice(b.nq, b.nq + mesh.size),
        slice(b.nu, b.nu + mesh.size),
        mesh,
        *motion[:2],
    )
    b.bodies[body.name] = BodyRecord(body, (body,))
    b.gradient[body.name] = record
    refuse_axes(b, body)
    b.owner = label(body)
    tables = []
    for table in mesh.tables:
        tables.append((len(b.gradient_ints), b.flex_size))
        b.gradient_ints.extend(table.integers.tolist())
        b.add_flex(table.reals)
    elements = []
    for kind, vectors in zip(mesh.kinds, mesh.vectors, strict=True):
        elements.append((*tables[kind], len(b.gradient_ints)))
        b.gradient_ints.extend(vectors.tolist())
    row = {at.GRADIENT_Q0: b.nq, at.GRADIENT_U0: b.nu, at.GRADIENT_N: mesh.size // 3}
    row |= {at.GRADIENT_ELEMENTS: len(elements), at.GRADIENT_AT: len(b.gradient_ints)}
    row |= {at.GRADIENT_WORK: b.flex_work}
    b.gradient_rows.append(row_of(at.GRADIENT_INTS, row))
    for integers in elements:
        b.gradient_ints.extend(integers)
    b.flex_work += max(
        kernel.SCRATCH_RECORD.lengths({"K": t.vectors, "R": t.most_rows, "N": t.most_strains})[0]
        for t in mesh.tables
    )
    # Errors of places are lengths, those of gradients parts of their size: one over an angle has
    # that of a radius. Stiffness says nothing about them.
    sizes = np.linalg.norm(mesh.rest, axis=2).max(axis=0)
    sizes = np.broadcast_to(np.where(sizes > 0.0, sizes, 1.0), mesh.places.shape)
    scale = np.repeat(np.where(mesh.places, b.length, sizes).ravel(), 3).tolist()
    q, u = record.moved(*motion)
    b.add_plain(q.tolist(), scale, [RATE * size for size in scale])
    b.u0[record.u] = u.tolist()
    ints = {at.KIND: force_codes.GRADIENT, force_codes.BODY: record.index}
    ints[force_codes.VISCOUS] = int(any(t.integers[kernel.DAMPED] for t in mesh.tables))
    b.add_element(ints, {}, f"{body.name}.damping")
    for frame, mass in b.point_masses.get(body.name, ()):
        node, pose = place(b, frame)
        _add_mass(b, node, pose, mass)


def place(b: Builder, frame: Frame) -> tuple[int, Pose]:
    """Node and pose of a frame of a gradient body."""
    key = frame_key(frame)
    if key not in b.places:
        record = b.gradient[frame.body.name]
        at_node = cast("ANCFBody", record.body).node(frame)
        pose = record.pose(frame, at_node)
        if not record.mesh.turns(at_node):  # axes that do not turn, as they are at the start
            pose = Pose(record.start @ pose.R, record.start @ pose.p)
        b.places[key] = _edge(b, record, at_node), pose
    return b.places[key]


def _edge(b: Builder, record: ANCFRecord, at_node: int) -> int:
    """The node of the engine behind an edge to a node of the mesh, made once."""
    known = b.gradient_nodes.get((record.name, at_node))
    if known is not None:
        return known
    asking, b.owner = b.owner, record.label
    # a node with axes has the columns of its vectors up to the two gradients that these are made of
    columns = PLACE * (2 + record.mesh.axes_from) if record.mesh.turns(at_node) else PLACE
    n = b.append_node(0, "gradient", IDENTITY, columns)
    first = 3 * record.mesh.node_vectors * at_node
    b.node_ints[n][at.Q0] = record.q.start + first
    b.node_ints[n][at.U0] = record.u.start + first
    for k in range(columns):
        b.add_column(n, k, record.u.start + first + k)
    b.gradient_nodes[record.name, at_node] = n
    b.owner = asking
    return n


def point(b: Builder, frame: Frame) -> int:
    """The node of the engine at a point in an element of a gradient body, made once.

    It has no axes and no inertia; the mesh stays as it is.
    """
    key = frame_key(frame)
    known = b.points.get(key)
    if known is not None:
        return known
    record = b.gradient[frame.body.name]
    vectors, rows = cast("ANCFBody", record.body).shown_vectors(frame)
    asking, b.owner = b.owner, record.label
    count = len(vectors)
    n = b.append_node(0, "point", IDENTITY, PLACE * count)
    row = b.node_ints[n]
    row[at.Q0], row[at.U0] = record.q.start, record.u.start
    numbers = [int(k) for k in vectors]
    row[at.ATTACH] = b.add_integers([count, b.add_numbers(rows[0].tolist()), *numbers])
    for k, number in enumerate(numbers):
        for i in range(PLACE):
            b.add_column(n, PLACE * k + i, record.u.start + PLACE * number + i)
    b.points[key], b.owner = n, asking
    return n


def add_slider(b: Builder, frame: Frame, axes: int) -> tuple[int, Pose]:
    """A node without mass that slides along the line of a body, from the station of a frame on.

    ``axes`` are those that it has (`core/bodies/line_edge.py`). Returned is also the pose of the
    frame in it.
    """
    record = b.gradient[frame.body.name]
    body = cast("ANCFLine", record.body)
    stations, vectors, own = body.stations, record.mesh.node_vectors, line.OWN[axes]
    pose = IDENTITY if axes == line.NO_AXES else Pose(record.pose(frame, body.node(frame)).R, ZERO)
    direction = -1
    if axes == line.TANGENT:  # a cable, which is straight at the start
        at_start = _across(b, record.start)
        direction = b.add_numbers(at_start[:, 1].tolist())
        pose = Pose(at_start.T @ record.start @ pose.R, ZERO)
    integers = {
        line.S_Q: b.nq,
        line.S_U: b.nu,
        line.NODES: len(stations),
        line.VECTORS: vectors,
        line.STATIONS: b.add_numbers(stations.tolist()),
        line.SCRATCH: b.flex_work,
        line.AXES: axes,
        line.DIRECTION: direction,
    }
    b.add_node(0, "translate", IDENTITY)  # only its coordinate is used
    b.q0.append(body.station(frame))
    b.u0.append(0.0)
    b.flex_work += line.SCRATCH_SIZE
    n = b.append_node(0, "line", IDENTITY, 1 + own * len(stations))
    row = b.node_ints[n]
    row[at.Q0], row[at.U0] = record.q.start, record.u.start
    row[at.ATTACH] = b.add_integers(row_of(line.EDGE_INTS, integers))
    b.add_column(n, 0, integers[line.S_U])
    for k in range(own * len(stations)):
        node, component = divmod(k, own)  # of a place, then of gradients
        b.add_column(n, 1 + k, record.u.start + 3 * vectors * node + component)
    return n, pose


def _across(b: Builder, start: Array) -> Array:
    """Axes (3, 3) of the tangent of a cable at the start, the second one horizontal if it can be.

    Cables swing in the vertical plane rather than out of it: their tangent is then never along it.
    """
    x = start[:, 0]
    level = np.cross(b.model.gravity, x)
    size = float(np.linalg.norm(level))
    steep = size <= LEVEL * float(np.linalg.norm(b.model.gravity))
    y = start[:, 1] if steep else level / size
    return np.column_stack([x, y, np.cross(x, y)])


def _add_mass(b: Builder, node: int, pose: Pose, mass: float) -> None:
    """Add a point mass at the origin of a pose on a node."""
    here, still = (pose.p, mass), np.zeros((3, 3))
    points = [*b.inertias[node].points, here]
    b.inertias[node] = RigidInertia(IDENTITY, 0.0, np.zeros(3), still, still, points)
    b.node_ints[node][at.HEAVY] = at.RIGID
