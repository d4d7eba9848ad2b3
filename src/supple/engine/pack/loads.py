"""Loads along beams and on surfaces as records of integers and reals for the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.nodal.line_sections import SECTION_POINTS, weighted_sections
from supple.core.base import layout as at
from supple.core.forces import beam_load as load
from supple.core.forces import forces as codes
from supple.core.forces import pressure, section_load
from supple.engine.pack.buffers import Columns
from supple.forces import DistributedLoad, ForceElement, Pressure, SurfaceLoad
from supple.signals import Constant, Signal

if TYPE_CHECKING:
    from supple.engine.base.body_records import ANCFRecord
    from supple.engine.pack.builder import Builder


def add(
    b: Builder, force: ForceElement, kind: int, ints: Columns, reals: Columns, name: str = ""
) -> None:
    """Add an element; ``name`` for those that are a part of another."""
    b.add_element({at.KIND: kind, **ints}, reals, name or force.name)


def along_beam(b: Builder, force: DistributedLoad) -> None:
    """Add a force per length."""
    for part in force.on_parts(b.bodies_by_name[force.frame.body.name]):
        _load_on(b, part)


def _load_on(b: Builder, force: DistributedLoad) -> None:
    """Add a load along a beam that is one body of the engine."""
    if force.frame.body.name in b.gradient:
        _load_on_vectors(b, force)
        return
    record = b.flexible[force.frame.body.name]
    beam: Any = record.body
    turn = force.frame.rotation
    if force.axes == "section":  # each point of a quadrature follows its own section
        signals = [b.add_signal(s) for s in force.force]
        for k, (x, weight) in enumerate(force.points(beam, 3)):
            node, pose = b.place(beam.at(x, rotation=turn))
            ints = {codes.NODE: node, codes.FOLLOWS: 1, codes.SIGNALS: [*signals, -1, -1, -1]}
            reals = {at.POSE_R: weight * pose.R, at.POSE_P: pose.p}
            add(b, force, codes.FORCE, ints, reals, f"{force.name}[{k}]")
        b.wrenches += 1
        return
    l0, l1, S = 0.0, np.zeros(3), np.zeros((3, record.modal.n + record.modal.r))
    for x, weight in force.points(beam, 4):
        where = beam.attachment(beam.at(x), record.point_masses)
        moves = where.Phi if where.slaved is None else np.hstack([where.Phi, where.slaved[:3]])
        l0, l1 = l0 + weight, l1 + weight * where.p0
        S[:, : moves.shape[1]] += weight * moves  # amplitudes of watched places follow
    components = list(force.force)
    if force.axes == "body" and not np.array_equal(turn, np.eye(3)):
        components = [_along(turn[i], force.force) for i in range(3)]
    signals = [b.add_signal(s) for s in components]
    offset = b.add_numbers([l0, *l1, *S.ravel()])
    ints = {
        load.BODY: record.index,
        load.FOLLOWS: int(force.axes == "body"),
        load.AT: offset,
        load.SIGNALS: signals,
    }
    add(b, force, codes.LOAD, ints, {})
    b.wrenches += 1


def _load_on_vectors(b: Builder, force: DistributedLoad) -> None:
    """Add a load along a body without a frame: constant weights of its nodal vectors."""
    record = b.gradient[force.frame.body.name]
    body: Any = record.body
    if force.axes == "section":
        _load_on_sections(b, force, record)
        return
    weights = np.zeros(record.mesh.size // 3)
    for x, weight in force.points(body, 4):
        vectors, rows = body.shown_vectors(body.at(x))
        weights[vectors] += weight * rows[0]
    ints = {load.BODY: record.index, load.AT: b.add_numbers(weights.tolist())}
    signals = [b.add_signal(s) for s in force.force]
    add(b, force, codes.VECTOR_LOAD, {**ints, load.SIGNALS: signals}, {})


def _load_on_sections(b: Builder, force: DistributedLoad, record: ANCFRecord) -> None:
    """Add a load that turns with sections: weighted axes and rows at points of each element."""
    body: Any = record.body
    points, integers = force.points(body, SECTION_POINTS), [0]
    for piece in weighted_sections(body, points, force.frame.rotation):
        used = np.any([section.rows.any(axis=0) for section in piece], axis=0)
        vectors, place = piece[0].vectors[used], len(b.data)
        for section in piece:
            b.add_numbers((section.weight * section.turn).ravel().tolist())
            b.add_numbers(section.rows[:, used].ravel().tolist())
        integers += [len(vectors), len(piece), place, *vectors.tolist()]
        integers[0] += 1
    ints = {
        section_load.BODY: record.index,
        section_load.TURNS: int(body.turns),
        section_load.PIECES: b.add_integers(integers),
        section_load.SIGNALS: [b.add_signal(s) for s in force.force],
    }
    add(b, force, codes.SECTION_LOAD, ints, {})


def on_surface(b: Builder, force: SurfaceLoad) -> None:
    """Add a load per area at rest: constant weights of nodal vectors."""
    record = b.gradient[force.frame.body.name]
    rest = record.mesh.rest.reshape(-1, 3)
    weights = np.zeros(len(rest))
    for face in force.faces:
        weights[face.vectors] += face.areas(rest) @ face.shapes[0]
    ints = {load.BODY: record.index, load.AT: b.add_numbers(weights.tolist())}
    signals = [b.add_signal(s) for s in force.force]
    add(b, force, codes.VECTOR_LOAD, {**ints, load.SIGNALS: signals}, {})


def pressed(b: Builder, force: Pressure) -> None:
    """Add a load that follows its surface: rows of each face at the points of its rule."""
    faces, data = force.faces, {}
    integers = [len(faces)]
    for face in faces:
        if id(face.shapes) not in data:
            rows = face.shapes.transpose(1, 0, 2).copy()
            rows[:, 0] *= face.weights[:, None]
            data[id(face.shapes)] = b.add_numbers(rows.ravel().tolist())
        count, place = len(face.vectors), data[id(face.shapes)]
        integers += [count, len(face.weights), place, *face.vectors.tolist()]
    ints = {
        pressure.BODY: b.gradient[force.frame.body.name].index,
        pressure.FACES: b.add_integers(integers),
        pressure.SIGNAL: b.add_signal(force.pressure),
    }
    add(b, force, codes.PRESSURE, ints, {})


def _along(direction: Any, components: tuple[Signal, ...]) -> Signal:
    total: Signal = Constant(0.0)
    for factor, component in zip(direction, components, strict=True):
        if factor != 0.0:
            total = total + float(factor) * component
    return total
