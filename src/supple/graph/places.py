"""Places of the bodies of a model in the position that it is written in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from supple.foundation.errors import ModelError, describe, label
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import IDENTITY, Pose
from supple.foundation.validate import ROTATION_TOLERANCE
from supple.graph.topology import Graph
from supple.joints import Joint

# How far joints given by frames may put a body beside its place, in the size of the model: wide
# enough for numbers typed with seven digits.
TOLERANCE = ROTATION_TOLERANCE


def written_poses(graph: Graph, joints: Mapping[str, Joint]) -> dict[str, Pose]:
    """Poses of the bodies in the world by the joints of the tree, undeformed.

    Joints with a place in the world have zero coordinates there, others their initial ones.
    """
    poses = {graph.root: IDENTITY}
    for edge in graph.tree:
        joint = joints[edge.joint]
        between = joint.pose(joint.initial) if joint.at is None else IDENTITY
        A, B = _on_body(joint.A), _on_body(joint.B)
        if edge.reversed:
            poses[edge.child] = poses[edge.parent].then(B).before(between).before(A)
        else:
            poses[edge.child] = poses[edge.parent].then(A).then(between).before(B)
    return poses


def check_places(
    graph: Graph,
    bodies: Mapping[str, Body],
    joints: Mapping[str, Joint],
    frames: Iterable[Frame],
) -> None:
    """Refuse a body that joints given by frames put elsewhere than its place in the world.

    ``frames`` are all frames of the model. Only bodies whose place matters are looked at: those
    with a place of their own, and those with a frame that was found by its place in the world.
    """
    used = {frame.body.name for frame in frames if frame.world is not None}
    used |= {name for name, body in bodies.items() if _is_placed(body)}
    if not used:
        return
    poses = written_poses(graph, joints)
    points = [pose.p for pose in poses.values()] + [body.position for body in bodies.values()]
    points += [frame.position for joint in joints.values() for frame in (joint.A, joint.B)]
    size = max(float(np.abs(points).max()), *(b.typical_length for b in bodies.values()))
    for name, pose in poses.items():
        if name not in used or name == graph.root:
            continue
        body = bodies[name]
        if float(np.linalg.norm(pose.p - body.position)) > TOLERANCE * size:
            put = ", ".join(f"{c + 0.0:.6g}" for c in pose.p)
            expected = f"({put}), where its joints put it, or joints with at=(x, y, z)"
            raise ModelError(label(body), "position", body.position, expected)
        if float(np.abs(pose.R - body.rotation).max()) > TOLERANCE:
            expected = f"the axes that its joints give it, {describe(pose.R)}"
            raise ModelError(label(body), "rotation", body.rotation, expected)


def _is_placed(body: Body) -> bool:
    """True if a body has a place other than the origin and the axes of the world."""
    if body.position.tolist() != [0.0, 0.0, 0.0]:  # by lists, quicker than NumPy for so few
        return True
    turn = body.rotation.item
    return bool(turn(0) + turn(4) + turn(8) != 3.0)


def _on_body(frame: Frame) -> Pose:
    return frame.body.rest_pose(frame.position).then(Pose(frame.rotation, np.zeros(3)))
