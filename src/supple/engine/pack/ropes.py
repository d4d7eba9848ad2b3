"""Ropes as records of integers and reals for the kernels, and what is read from their scratch."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from supple.core.base import layout as at
from supple.core.equations import history as kernel
from supple.core.forces import rope as codes
from supple.forces.ropes import PARALLEL, Drum, Pulley, Rope, Station, frame_of
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label
from supple.foundation.poses import Pose, aligned
from supple.results.data.run_data import RopeHistory

if TYPE_CHECKING:
    from supple.engine.pack.builder import Builder
    from supple.joints import Joint

NO_DRUM = -1


def pack(b: Builder, rope: Rope) -> None:
    """Add the records of a rope."""
    nodes: list[int] = []
    numbers: list[float] = []
    for k, station in enumerate(rope.path):
        node, pose = b.place(frame_of(station))
        nodes.append(node)
        numbers += _numbers(b, rope, k, station, pose)
    joints = [_shaft(b, rope, rope.path[k]) for k in (0, -1)]
    ints = {
        at.KIND: codes.ROPE,
        codes.COUNT: len(nodes),
        codes.NODES: b.add_integers(nodes),
        codes.AT: b.add_numbers(numbers),
        codes.SCRATCH: b.flex_work,
        codes.DRUM_Q: [q for q, _ in joints],
        codes.DRUM_U: [u for _, u in joints],
    }
    b.flex_work += codes.scratch_size(len(nodes))
    reals = {codes.STIFFNESS: rope.stiffness, codes.LENGTH: rope.length}
    reals |= {codes.DAMPING: rope.damping, codes.TRANSITION: rope.transition}
    b.add_element(ints, reals, rope.name)
    b.wrenches += 1


def _numbers(b: Builder, rope: Rope, k: int, station: Station, pose: Pose) -> list[float]:
    """Numbers of a station: pose with the axis as the third, radius, friction, turns, sense."""
    more = [0.0] * 4
    if isinstance(station, Pulley):
        pose = Pose(pose.R @ aligned(station.axis)[0], pose.p)
        more = [station.radius, station.friction, float(station.turns), 1.0]
    elif isinstance(station, Drum):
        pose = Pose(pose.R @ station.axes, pose.p)
        joint = b.joints_by_name[station.joint]
        sense = _sense(f"{label(rope)}: path[{k}]", station, joint)
        more = [station.radius, 0.0, 0.0, sense]
    return [*pose.R.ravel().tolist(), *pose.p.tolist(), *more]


def _shaft(b: Builder, rope: Rope, station: Station) -> tuple[int, int]:
    """Places in q and u of the joint of a drum."""
    if not isinstance(station, Drum):
        return NO_DRUM, NO_DRUM
    q, u, _ = b.shaft(station.joint, 0, label(rope))
    return q, u


def _sense(owner: str, drum: Drum, joint: Joint) -> float:
    """1 if the joint's coordinate turns the drum in its positive sense, else -1."""
    if [motion.kind for motion in joint.motions] != ["rotate"]:
        raise ModelError(owner, "joint of the drum", joint, "a Revolute joint")
    carriers = {joint.A.body.name: (joint.A, 1.0), joint.B.body.name: (joint.B, -1.0)}
    frame, sense = carriers.get(drum.frame.body.name, (None, 0.0))
    if frame is None:
        expected = f"a frame on one of the bodies of {label(joint)}"
        raise ModelError(owner, "frame of the drum", drum.frame, expected)
    axis = np.asarray(joint.motions[0].axis)
    turn, own = frame.rotation @ axis, drum.frame.rotation @ drum.axis
    along = float(turn @ own)
    if abs(abs(along) - 1.0) > PARALLEL:
        raise ModelError(owner, "axis of the drum", drum.axis, f"that of {label(joint)}")
    arm = np.cross(drum.frame.position - frame.position, turn)
    if float(np.linalg.norm(arm)) > PARALLEL * drum.radius:
        expected = f"a point on the axis of {label(joint)}"
        raise ModelError(owner, "centre of the drum", drum.frame.position, expected)
    return sense if along > 0.0 else -sense


def rope_history(
    ints: np.ndarray, reals: np.ndarray, element: int, t: Array, q: Array, u: Array
) -> RopeHistory:
    """A rope, by the number of its element, at the states of a run, or at one (a row each)."""
    row = at.integers(ints, "element")[element]
    n, first, place = (int(row[k]) for k in (codes.COUNT, codes.SCRATCH, codes.AT))
    model, work = at.read_model(ints, reals), at.new_work(ints)
    views, nz = at.read_work(ints, work), int(ints[at.H_Z])
    out = [np.zeros((1, size)) for size in (1, int(ints[at.H_U]), 0)]
    nodes = model.program[int(row[codes.NODES]) :][:n]
    scratch = views.flex[first : first + codes.HEAD + n * codes.COLUMNS]
    rows, poses, origin = (
        np.zeros((len(t), len(scratch))), np.zeros((len(t), n, 12)), np.zeros((len(t), 3)),
    )  # fmt: skip
    nothing = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
    for k in range(len(t)):
        state = (np.array(x[k : k + 1], dtype=float) for x in (t, q, u))
        kernel.element_history(
            ints, reals, work, *state, np.zeros((1, nz)), element, element + 1, *nothing, *out
        )
        rows[k], origin[k] = scratch, views.origin  # what the kernel has left there
        poses[k] = views.node[nodes, : at.V]
    stations = model.data[place : place + n * codes.STATION].reshape(n, codes.STATION)
    return _history(rows, poses, origin, stations)


def _history(rows: Array, poses: Array, origin: Array, stations: Array) -> RopeHistory:
    """Histories from scratch (nt, ...), poses of nodes (nt, n, 12), reference points, stations."""
    nt, n = poses.shape[:2]
    x = rows[:, codes.HEAD :].reshape(nt, n, codes.COLUMNS)
    touches = x[:, :, codes.ACTIVE] > 0.5
    begins = touches & (np.arange(n) < n - 1)
    columns = (codes.TENSION, codes.SPAN, codes.ANGLE, codes.SLIP)
    tension, span, angle, slip = (np.where(begins, x[:, :, column], 0.0) for column in columns)
    turn = poses[:, :, :9].reshape(nt, n, 3, 3)
    axes = turn @ stations[:, :9].reshape(n, 3, 3)
    centre = poses[:, :, 9:] + np.einsum("tnij,nj->tni", turn, stations[:, at.POSE_P : at.POSE])
    begin, end, wrench = np.zeros_like(centre), np.zeros_like(centre), np.zeros((nt, n, 6))
    leaves, arrives = np.zeros((nt, n)), np.zeros((nt, n))
    for i in range(nt):
        path = np.flatnonzero(touches[i])
        for k, j in itertools.pairwise(path.tolist()):
            y, T = x[i, k, codes.Y : codes.Y + 6], x[i, k, codes.TENSION]
            leaves[i, k], arrives[i, j] = x[i, k, codes.LEAVES], x[i, k, codes.ARRIVES]
            for place, contact, to, sign in ((k, leaves, begin, 1.0), (j, arrives, end, -1.0)):
                c, s = np.cos(contact[i, place]), np.sin(contact[i, place])
                radius, arm = stations[place, codes.RADIUS], centre[i, place] - origin[i]
                to[i, place] = centre[i, place] + radius * axes[i, place] @ (c, s, 0.0)
                wrench[i, place, :3] += sign * T * (y[:3] - np.cross(arm, y[3:]))
                wrench[i, place, 3:] += sign * T * y[3:]
    total, rate = rows[:, codes.TOTAL], rows[:, codes.TOTAL_RATE]
    return RopeHistory(
        total, rate, tension, span, angle, slip, leaves, arrives, begin, end, wrench, touches
    )
