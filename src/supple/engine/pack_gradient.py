"""Gradient bodies as rows for the kernels: nodal vectors, elements, and edges to their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from supple.core import forces as force_codes
from supple.core import gradient as kernel
from supple.core import layout as at
from supple.engine.axisless import refuse_axes
from supple.engine.body_records import GradientRecord
from supple.engine.buffers import RigidInertia, row_of
from supple.engine.compiled import BodyRecord, frame_key
from supple.errors import ModelError, label
from supple.poses import IDENTITY, Pose

if TYPE_CHECKING:
    from supple.bodies.gradient import GradientBody
    from supple.engine.builder import Builder
    from supple.frames import Body, Frame

# Weights of rates have a hundredth of their unit besides their own size. Components of a vector are
# small by its direction alone: theirs have the whole unit.
RATE = 100.0
PLACE, AXES = 3, 9  # columns of an edge to a node without axes, and to one with them


def add_body(b: Builder, body: Body) -> None:
    """Add the coordinates of a gradient body, its elements and what is attached to its nodes."""
    mesh, motion = cast("GradientBody", body).mesh, b.starts[body.name]
    if mesh.dimension != 3:
        raise ModelError.plain(
            f"{label(body)}: plane is True, expected False in a model: motion in a plane is left "
            "to the joints and loads"
        )
    if not cast("GradientBody", body).turns:
        refuse_axes(b.model, body)
    record = GradientRecord(
        body,
        len(b.gradient),
        slice(b.nq, b.nq + mesh.size),
        slice(b.nu, b.nu + mesh.size),
        mesh,
        motion[0],
    )
    b.bodies[body.name] = BodyRecord(body, (body,))
    b.gradient[body.name] = record
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
    # Errors of places are lengths, those of gradients numbers: stiffness says nothing about them.
    scale = ([b.length] * 3 + [1.0] * (3 * mesh.node_vectors - 3)) * len(mesh.rest)
    q, u = record.moved(*motion)
    b.add_plain(q.tolist(), scale, [RATE * b.length / arm for arm in np.repeat(mesh.arms, 3)])
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
        at_node = cast("GradientBody", record.body).node(frame)
        pose = record.pose(frame, at_node)
        if not record.turns:  # axes that do not turn, as they are at the start
            pose = Pose(record.start @ pose.R, record.start @ pose.p)
        b.places[key] = _edge(b, record, at_node), pose
    return b.places[key]


def _edge(b: Builder, record: GradientRecord, at_node: int) -> int:
    """The node of the engine behind an edge to a node of the mesh, made once."""
    known = b.gradient_nodes.get((record.name, at_node))
    if known is not None:
        return known
    asking, b.owner = b.owner, record.label
    columns = AXES if record.turns else PLACE
    n = b.append_node(0, "gradient", IDENTITY, columns)
    first = 3 * record.mesh.node_vectors * at_node
    b.node_ints[n][at.Q0] = record.q.start + first
    b.node_ints[n][at.U0] = record.u.start + first
    for k in range(columns):
        b.add_column(n, k, record.u.start + first + k)
    b.gradient_nodes[record.name, at_node] = n
    b.owner = asking
    return n


def _add_mass(b: Builder, node: int, pose: Pose, mass: float) -> None:
    """Add a point mass at the origin of a pose on a node."""
    here, still = (pose.p, mass), np.zeros((3, 3))
    points = [*b.inertias[node].points, here]
    b.inertias[node] = RigidInertia(IDENTITY, 0.0, np.zeros(3), still, still, points)
    b.node_ints[node][at.HEAVY] = at.RIGID
