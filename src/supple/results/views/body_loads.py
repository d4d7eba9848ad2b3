"""All loads on a flexible body at some times of a run, in its own axes.

Loads are factors of unit loads: the body forces rho e_d and rho x_i e_d of its inertia and weight
(12), then a force and a torque along each axis at every place where something is attached (6 each).
Elastic accelerations have factors of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.forces import DistributedLoad
from supple.foundation.arrays import Array, Indices
from supple.foundation.cached import cached_property
from supple.foundation.poses import cross

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.foundation.frames import Frame
    from supple.results.data.run_data import HeldLoads, LoadSource
    from supple.results.result import Result


INERTIA = 12  # unit loads of inertia and weight
LINE_POINTS = 8  # places to which a load along a beam is moved


@dataclass(frozen=True, eq=False)
class BodyLoads:
    """Loads on a body."""

    # stations or nodes where something is attached, see ``FlexibleBody.station``
    places: tuple[float, ...]
    factors: Array  # (k, 12 + 6 places), N, N m, m/s2, 1/s2
    elastic: Array  # (k, n), of the inertia of elastic accelerations
    held: tuple[float, ...]  # places of joints and constraints


@dataclass(frozen=True, eq=False)
class _Wrench:
    """A load at a place, in body axes: force and torque (k, 3), about the point (k, 3)."""

    station: float
    point: Array
    force: Array
    torque: Array


def at_times(result: Result, which: Indices) -> Result:
    """Result at some of its output times, for the loads on several bodies.

    Different questions are asked at the same times: the last answer is kept.
    """
    if len(which) == len(result.t):
        return result
    known: tuple[bytes, Result] | None = result.__dict__.get("_at_times")
    if known is None or known[0] != which.tobytes():
        known = result.__dict__["_at_times"] = which.tobytes(), result._at(which)
    return known[1]


def body_loads(result: Result, record: FlexRecord) -> BodyLoads | None:
    """Loads at the times of a result (`at_times`), found once; None where they are not known."""
    known: dict[str, BodyLoads | None] = result.__dict__.setdefault("_loads_of_bodies", {})
    if record.name not in known:
        known[record.name] = _found(result, record)
    return known[record.name]


def _found(result: Result, record: FlexRecord) -> BodyLoads | None:
    data = result.data
    if data.loads is None:
        return None
    if record.body.name not in result.bodies:
        return _along_part(result, record)
    motion = _Motion(result, record)
    joints, unknown = list(motion.joints()), motion.constrained()
    found = [*joints, *motion.forces()]
    held = {w.station for w in joints} | {float(record.body.station(f)) for f in unknown}
    inertia, elastic = motion.inertia(), -motion.elastic()
    if len(unknown) == 1:
        found.append(motion.rest(unknown[0], found, inertia, elastic))
    elif unknown:
        if data.self_stress is None:
            return None
        found += motion.constraints(data.self_stress.constraints(data.history))
    return _collected(found, inertia, elastic, tuple(sorted(held)))


def _along_part(result: Result, record: FlexRecord) -> BodyLoads | None:
    """Loads along a part of a beam that is cut, between its ends; None of other parts.

    The shapes of a part describe what its ends do to it.
    """
    compiled = result.data.compiled
    owner = compiled.bodies[compiled.owners[record.name]].body
    if not owner.divides:
        return None
    motion = _Motion(result, record)
    lines = [
        load
        for force in result.forces.values()
        if isinstance(force, DistributedLoad) and force.frame.body.name == owner.name
        for load in force.on_parts(owner)
        if load.frame.body.name == record.name
    ]
    found = [wrench for load in lines for wrench in motion.line(load)]
    return _collected(found, motion.inertia(), -motion.elastic(), ())


def _collected(
    found: list[_Wrench], inertia: Array, elastic: Array, held: tuple[float, ...]
) -> BodyLoads:
    """Loads at places with those of inertia and weight."""
    places = tuple(sorted({w.station for w in found}))
    factors = np.zeros((len(inertia), INERTIA + 6 * len(places)))
    factors[:, :INERTIA] = inertia
    for w in found:
        start = INERTIA + 6 * places.index(w.station)
        factors[:, start : start + 3] += w.force
        factors[:, start + 3 : start + 6] += w.torque
    return BodyLoads(places, factors, elastic, held)


class _Motion:
    """The motion of a body's frame at some times, and what acts on the body."""

    def __init__(self, result: Result, record: FlexRecord) -> None:
        self.result, self.body, self.modal = result, record.body, record.modal
        self.compiled, h = result.data.compiled, result.data.history
        k = self.compiled.body_names.index(self.body.name)
        self.R, self.p = h.R[:, k], h.p[:, k]
        self.V, self.A = h.V[:, k], h.A[:, k]
        self.columns, self.places = record.u, record.q
        self._places: dict[tuple[object, ...], Array] = {}  # those that were asked for

    def own(self, vectors: Array) -> Array:
        """Vectors (k, 3) in body axes."""
        return np.asarray(np.einsum("tij,ti->tj", self.R, vectors))

    def inertia(self) -> Array:
        """Factors (k, 12) of the body forces."""
        a = self.own(self.A[:, 3:] - self.compiled.gravity)
        return -np.hstack([a, np.swapaxes(self.turning[1], 1, 2).reshape(len(a), 9)])

    @cached_property
    def turning(self) -> tuple[Array, Array]:
        """Matrices (k, 3, 3): velocity per place, and acceleration per place."""
        w, dw = self.own(self.V[:, :3]), self.own(self.A[:, :3])
        return _skew(w), _skew(dw) + _skew(w) @ _skew(w)

    def elastic(self) -> Array:
        """Accelerations (k, n) of the elastic coordinates with the inertia of their displacements.

        Displacements have Coriolis and centrifugal accelerations in a frame that turns. They count
        as far as they are fields of the body's own shapes.
        """
        a = self.result.data.history.a[:, self.columns]
        m, (spin, field) = self.modal, self.turning
        q, v = self.result.q[:, self.places], self.result.u[:, self.columns]
        if not m.n or not m.deformed or not spin.any():
            return a
        path = _path("tab,abij,tj->ti", field.shape, m.D1.shape, q.shape)
        loads = np.einsum("tab,abij,tj->ti", field, m.D1, q, optimize=path)
        loads += 2.0 * np.einsum("tab,abij,tj->ti", spin, m.D1, v, optimize=path)
        return np.asarray(a + np.linalg.solve(m.M, loads.T).T)

    def mine(self, frame: Frame) -> Frame | None:
        """The frame as one of this body, if it is one."""
        part = self.compiled.on_part(frame)
        return part if part.body.name == self.body.name else None

    def at(self, frame: Frame) -> Array:
        """Position (k, 3) of a frame, in body axes from the body's own frame."""
        key = frame.body.name, *map(float, frame.position)
        if key not in self._places:
            self._places[key] = self.own(self.result[frame].position - self.p)
        return self._places[key]

    def wrench(self, frame: Frame, point: Array, wrench: Array) -> _Wrench:
        """A wrench (k, 6) in world axes about a point (k, 3), moved to a frame of this body."""
        force, torque = self.own(wrench[:, 3:]), self.own(wrench[:, :3])
        place = self.at(frame)
        torque = torque + cross(point - place, force)
        return _Wrench(float(self.body.station(frame)), place, force, torque)

    def joints(self) -> Iterator[_Wrench]:
        """Wrenches of joints."""
        wrenches = self.result.data.history.wrench
        for k, name in enumerate(self.compiled.joint_names):
            joint = self.result.joints[name]
            for frame, sign in ((joint.A, -1.0), (joint.B, 1.0)):
                if (part := self.mine(frame)) is not None:
                    yield self.wrench(part, self.at(joint.B), sign * wrenches[:, k])

    def forces(self) -> Iterator[_Wrench]:
        """Wrenches of force elements."""
        evaluate = cast("LoadSource", self.result.data.loads)
        for name, force in self.result.forces.items():
            frames = list(force.frames.values())
            parts = [self.mine(frame) for frame in frames]
            if all(part is None for part in parts):
                continue
            if isinstance(force, DistributedLoad):
                yield from self.line(force)
                continue
            wrenches = evaluate(name).wrenches
            for k, part in enumerate(parts):
                if part is not None:
                    yield self.wrench(part, self.at(part), wrenches[:, k])

    def line(self, load: DistributedLoad) -> Iterator[_Wrench]:
        """A load along a beam, moved to a few places."""
        values = np.array([[float(s(t)) for s in load.force] for t in self.result.t])
        if load.axes == "world":
            values = self.own(values)
        else:  # the axes of sections differ from those of the body by their small rotation
            values = values @ load.frame.rotation.T
        begin = float(self.body.station(load.frame))
        s, weights = np.polynomial.legendre.leggauss(LINE_POINTS)
        for part, weight in zip(0.5 * (1.0 + s), 0.5 * weights, strict=True):
            factor = load.profile[0] * (1.0 - part) + load.profile[1] * part
            station = begin + part * (load.end - begin)
            force = weight * factor * (load.end - begin) * values
            place = np.tile([station, 0.0, 0.0], (len(values), 1))
            yield _Wrench(station, place, force, np.zeros_like(force))

    def constrained(self) -> list[Frame]:
        """Frames of this body that constraints act on."""
        frames = (f for c in self.result.constraints.values() for f in c.frames.values())
        return [part for frame in frames if (part := self.mine(frame)) is not None]

    def constraints(self, exerted: list[HeldLoads]) -> Iterator[_Wrench]:
        """Wrenches of constraints; ``exerted`` has one entry for each time."""
        mine = [held[self.body.name] for held in exerted]
        for k, (frame, _) in enumerate(mine[0]):
            wrenches = np.array([held[k][1][:, 0] for held in mine])
            place, force = self.at(frame), wrenches[:, 3:]
            torque = wrenches[:, :3] - cross(place, force)
            yield _Wrench(float(self.body.station(frame)), place, force, torque)

    def rest(self, frame: Frame, found: list[_Wrench], inertia: Array, elastic: Array) -> _Wrench:
        """Wrench of a constraint at a frame, so that all loads balance the inertia.

        Moments are those of the deflected body: a stretched one has longer arms.
        """
        place, m = self.at(frame), self.modal
        q = self.result.q[:, self.places]
        first = m.s0 + q @ m.S1.T
        second = m.E0 + np.einsum(
            "jin,tn->tij", m.D0, q
        )  # i of the deflected place, j of the field
        moved = np.einsum("ijn,tn->tij", m.D0, elastic)
        if m.deformed:
            moved += np.einsum("ijmn,tm,tn->tij", m.D1, q, elastic, optimize=True)
        force = -sum((w.force for w in found), m.mass * inertia[:, :3] + elastic @ m.S1.T)
        field = inertia[:, 3:].reshape(-1, 3, 3)  # i, d
        force -= np.einsum("i,tid->td", m.s0, field)
        # moments about the body's own origin
        turning = cross(first, inertia[:, :3])
        turning += cross(np.eye(3)[None], np.einsum("tij,tjd->tid", second, field)).sum(axis=1)
        turning += cross(np.eye(3)[None], moved).sum(axis=1)
        torque = -sum((w.torque + cross(w.point, w.force) for w in found), turning)
        return _Wrench(float(self.body.station(frame)), place, force, torque - cross(place, force))


@lru_cache(maxsize=64)
def _path(subscripts: str, *shapes: tuple[int, ...]) -> list[Any]:
    """The order in which arrays of some shapes are multiplied."""
    arrays = [np.broadcast_to(0.0, shape) for shape in shapes]
    found: list[Any] = np.einsum_path(subscripts, *arrays, optimize=True)[0]
    return found


def _skew(v: Array) -> Array:
    """Matrices (k, 3, 3) of the products v x."""
    zero = np.zeros(len(v))
    x, y, z = v.T
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
