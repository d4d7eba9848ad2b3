"""Supports of a body by joints, as if everything else were rigid, or by rigid bodies.

Each joint of a body leads to another one, and from there, by other joints, to the ground or not. If
it does, the place can move as all joints on the way allow together, but for coordinates that are
driven or locked; what they do not allow is held. A joint that leads to nothing but free bodies, or
has let go, holds nothing, and a force element, a spring, does not either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.constraints import Driver
from supple.foundation.arrays import Array
from supple.foundation.frames import Touched
from supple.results.views.body_loads import INERTIA

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.foundation.frames import Body, Frame
    from supple.joints import Joint
    from supple.results.result import Result
    from supple.results.views.views import BodyView


GROUND = "ground"
# Directions that differ by less are one: axes that would be parallel but for small deflections.
ALIKE = 1e-2
HOLDS = 1e-6  # rows on elastic coordinates below this part of the largest entry hold nothing


def touched(result: Result, body: Body) -> Touched:
    """Frames of a body at which something acts."""
    grounded: list[Frame] = []
    joined: list[Frame] = []
    holding = [item.frames for item in result.joints.values()]
    holding += [item.frames for item in result.constraints.values()]
    for frames in holding:
        ground = any(frame.body.name == "ground" for frame in frames.values())
        mine = [frame for frame in frames.values() if frame.body.name == body.name]
        (grounded if ground else joined).extend(mine)
    acting = [item.frames for item in result.forces.values()]
    acting += [item.frames for item in result.point_masses.values()]
    loaded = [f for frames in acting for f in frames.values() if f.body.name == body.name]
    return Touched(grounded, joined, loaded)


def held_directions(
    result: Result, name: str, length: float, around: Collection[str] = ()
) -> list[tuple[Frame, Array]]:
    """Frames of a body that are held at the one time of a result, and how.

    Rows (c, 6) in body axes are of the displacement and of ``length`` times the rotation of the
    frame: orthonormal directions in which it does not move. ``around`` names bodies that hold
    nothing, those that are flexible themselves.
    """
    held = []
    axes = cast("BodyView", result[name]).matrix[0]
    turn = np.kron(np.eye(2), axes)
    for mine, way in _ways(_joints(result), name, around):
        place = result[mine].position[0]
        moves = [m for joint in way for m in _freedoms(result, joint, place)]
        table = np.array(moves).reshape(-1, 6) * np.repeat([1.0, length], 3)
        rows = _complement(table) @ turn
        if len(rows):
            held.append((mine, rows))
    return held


def held_at_places(result: Result, name: str) -> bool:
    """True if joints may hold a body at several places at some time of a result."""
    ways = _ways(list(result.joints.values()), name, _flexible(result, name))
    return len(list(ways)) > 1


def free_turns(result: Result, joint: Joint, mine: Frame, around: Collection[str]) -> Array | None:
    """Axes (k, 3) in the world about which a joint and those behind it let a frame of theirs turn.

    They are those of the first time of a result; None if it leads to no ground. ``around`` names
    bodies that hold nothing.
    """
    other = joint.B if mine is joint.A else joint.A
    way = _way(_joints(result), other.body.name, {mine.body.name, *around})
    if way is None:
        return None
    place = result[mine].position[0]
    moves = [move[3:] for j in (joint, *way) for move in _freedoms(result, j, place)]
    return np.array([axis for axis in moves if axis.any()]).reshape(-1, 3)


def _complement(table: Array) -> Array:
    """Orthonormal rows (c, 6) across all rows of a table (k, 6)."""
    if not len(table):
        return np.eye(6)
    size = np.linalg.norm(table, axis=1, keepdims=True)
    _, values, rows = np.linalg.svd(table / np.where(size > 0.0, size, 1.0))
    return np.asarray(rows[int(np.sum(values > ALIKE)) :])


def _joints(result: Result) -> list[Joint]:
    """Joints that have not let go at the time of a result."""
    return [j for j in result.joints.values() if not result.data.without(j.name)[0]]


def _flexible(result: Result, name: str) -> set[str]:
    """Names of all flexible bodies but one."""
    compiled = result.data.compiled
    deforming = (*compiled.flexible, *compiled.gradient)
    return {compiled.owners.get(each, each) for each in deforming} - {name}


def _ways(
    joints: Sequence[Joint], name: str, around: Collection[str]
) -> Iterator[tuple[Frame, Sequence[Joint]]]:
    """Frames of a body at joints that lead to the ground, and all joints of the way."""
    for joint in joints:
        for mine, other in ((joint.A, joint.B), (joint.B, joint.A)):
            if mine.body.name == name:
                way = _way(joints, other.body.name, {name, *around})
                if way is not None:
                    yield mine, (joint, *way)


def _way(joints: Sequence[Joint], start: str, without: Collection[str]) -> Sequence[Joint] | None:
    """Joints from a body to the ground, the fewest, without passing some; None if none do."""
    if start in without:
        return None
    ways: dict[str, list[Joint]] = {start: []}
    waiting = [start]
    while waiting:
        here = waiting.pop(0)
        if here == GROUND:
            return ways[here]
        for joint in joints:
            ends = joint.A.body.name, joint.B.body.name
            if here not in ends:
                continue
            there = ends[1] if ends[0] == here else ends[0]
            if there not in ways and there not in without:
                ways[there] = [*ways[here], joint]
                waiting.append(there)
    return None


def _driven(result: Result, joint: Joint) -> set[int]:
    """Places of coordinates of a joint that are driven or locked."""
    phase, names = result.data.compiled_at(float(result.t[0])).phase, joint.coordinate_names
    driven = set() if phase is None else {k for name, k in phase.locked if name == joint.name}
    for driver in result.constraints.values():
        gone = phase is not None and driver.name in phase.released
        if isinstance(driver, Driver) and driver.joint == joint.name and not gone:
            which = driver.coordinate
            driven.add(names.index(which) if isinstance(which, str) else int(which))
    return driven


def _freedoms(result: Result, joint: Joint, place: Array) -> Iterator[Array]:
    """Motions [displacement; rotation] (6,) of a place that a joint allows, world axes.

    Axes between the first and the last rotation of a joint are not looked up: all turns are then
    allowed, or all displacements.
    """
    A, B = result[joint.A], result[joint.B]
    driven, motions = _driven(result, joint), joint.motions
    turning = [k for k, motion in enumerate(motions) if motion.kind != "translate"]
    every = np.eye(3)
    at = 0
    for k, motion in enumerate(motions):
        coordinate, at = at, at + motion.nq
        if motion.nq == 1 and coordinate in driven:
            continue
        before, after = (any(i < k for i in turning), any(i > k for i in turning))
        if motion.axis is None or (before and after):
            axes = every
        else:
            axes = np.array([(B if before else A).matrix[0] @ motion.axis])
        if motion.kind != "rotate" and motion.kind != "ball":
            for axis in every if motion.kind == "free" else axes:
                yield np.concatenate([axis, np.zeros(3)])
        if motion.kind != "translate":
            slid = any(motions[i].kind == "translate" for i in range(k))
            arm = place - (B if slid else A).position[0]
            for axis in axes:
                yield np.concatenate([np.cross(axis, arm), axis])


class Holds:
    """Supports of a flexible body at one time: joints that lead to the ground by rigid bodies."""

    def __init__(self, result: Result, record: FlexRecord) -> None:
        body, masses = record.body, record.point_masses
        length, flexible = body.typical_length, _flexible(result, body.name)
        unit = np.repeat([1.0, length], 3)[:, None]
        elastic, rigid = [np.zeros((0, record.modal.n))], [np.zeros((0, 6))]
        self.stations: list[float] = []
        self.wrenches: list[Array] = []  # (c, 6) forces and torques of the rows of each station
        for frame, held in held_directions(result, body.name, length, flexible):
            place = body.attachment(frame, masses)
            moves = np.eye(6)
            moves[:3, 3:] = np.cross(np.eye(3), place.p0).T
            elastic.append(held @ (unit * np.vstack([place.Phi, place.Psi])))
            rigid.append(held @ (unit * moves / unit.T))
            self.stations.append(float(body.station(frame)))
            self.wrenches.append(held * unit.T)
        rows, frames = np.vstack(elastic), np.vstack(rigid)
        self.scale = 1.0 / np.sqrt(np.diag(record.modal.K))
        self.least = HOLDS * np.abs(rows * self.scale).max(initial=0.0)
        left, values, _ = np.linalg.svd(frames)
        # sets of reactions that balance each other: what the frame cannot give way to
        self.sets = left[:, int(np.sum(values > ALIKE)) :].T
        self.rows = self.sets @ rows

    def allowed(self) -> Array:
        """Shapes (n, m) of the elastic coordinates that joints allow."""
        n = len(self.scale)
        if not len(self.rows):
            return np.eye(n)
        _, values, ways = np.linalg.svd(self.rows * self.scale)
        held_by = int(np.sum(values > self.least))
        return np.asarray(self.scale[:, None] * ways[held_by:].T)

    def factors(self, places: tuple[float, ...]) -> Array:
        """Factors (sets, 12 + 6 places) of the loads of each set, see `BodyLoads`."""
        factors = np.zeros((len(self.sets), INERTIA + 6 * len(places)))
        first = 0
        for station, wrench in zip(self.stations, self.wrenches, strict=True):
            at = INERTIA + 6 * places.index(station)
            factors[:, at : at + 6] += self.sets[:, first : first + len(wrench)] @ wrench
            first += len(wrench)
        return factors
