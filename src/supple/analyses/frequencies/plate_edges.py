"""Joints of new nodes at the edges of plates with smaller elements.

A clamped edge is a row of joints, one at each node. Where neighbouring nodes are both held on the
same body by joints of one kind, so is the new node between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from supple.bodies.nodal.ancf_plate import GradientPlate
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame
from supple.foundation.poses import Pose
from supple.joints import Joint
from supple.model import Model


class Held(NamedTuple):
    """A joint that holds a node: its frame on the plate, and the other one."""

    joint: Joint
    own: Frame
    other: Frame


class Between(NamedTuple):
    """Two neighbouring nodes that are held alike."""

    first: Held
    second: Held


def held_edges(model: Model, plate: GradientPlate) -> Iterator[Between]:
    """Neighbouring nodes at the edges of a plate that are held on the same body."""
    n, m = plate.elements
    held = {}
    for joint in model.joints.values():
        for own, other in ((joint.A, joint.B), (joint.B, joint.A)):
            if own.body.name == plate.name:
                held[plate.node(own)] = Held(joint, own, other)
    grid = np.arange((n + 1) * (m + 1)).reshape(n + 1, m + 1)
    for line in (grid[0], grid[-1], grid[:, 0], grid[:, -1]):
        for a, b in zip(line[:-1].tolist(), line[1:].tolist(), strict=True):
            if a in held and b in held and _alike(held[a], held[b]):
                yield Between(held[a], held[b])


def hold_between(made: Model, plate: GradientPlate, between: Between, number: int) -> None:
    """Hold the new node between two nodes, in a model with smaller elements of the plate."""
    (joint, own, other), (_, after, beyond) = between
    there = made[plate.name]
    assert isinstance(there, GradientPlate)
    x, y, _ = 0.5 * (own.position + after.position)
    new = Frame(there, there.at(float(x), float(y)).position, own.rotation)
    body: Any = made[other.body.name]
    if isinstance(other.body, GradientPlate):
        if own is joint.B:
            return  # that plate does it
        x, y, _ = 0.5 * (other.position + beyond.position)
        outer = Frame(body, body.at(float(x), float(y)).position, other.rotation)
    elif other.body is made.ground or not other.body.deforms:
        step = _moved(_pose(plate, own), _pose(there, new))
        at = Pose(other.rotation, other.position).then(step)
        outer = Frame(body, at.p, at.R)
    else:
        raise ModelError(label(joint), "other body", other.body.name, "a body that is rigid")
    name = f"{joint.name} of {plate.name} beside {number} of {len(plate.coordinates)}"
    ends = {"A": new, "B": outer} if own is joint.A else {"A": outer, "B": new}
    made.add(replace(cast("Any", joint), name=name, **ends))


def _alike(a: Held, b: Held) -> bool:
    """True if two nodes are held in the same way."""
    same = type(a.joint) is type(b.joint) and a.other.body.name == b.other.body.name
    return same and (a.own is a.joint.A) == (b.own is b.joint.A)


def _pose(plate: GradientPlate, frame: Frame) -> Pose:
    """Pose of a frame at rest, on the axes of the plate."""
    rest = plate.rest_pose(frame.position)
    return Pose(rest.R @ frame.rotation, rest.p)


def _moved(first: Pose, second: Pose) -> Pose:
    """Pose of the second frame in the first one."""
    return Pose(first.R.T @ second.R, first.R.T @ (second.p - first.p))
