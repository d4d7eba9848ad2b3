"""Ropes over pulleys: a force element along a path of points, pulleys and drums."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.forces.base import ForceElement
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, not_negative, positive, unit_vector
from supple.foundation.frames import Frame, expect_frame
from supple.foundation.validate import Axis, read_only, set_fields
from supple.joints import Joint
from supple.joints.interactions import Target, check_joint_reference

MOST_STATIONS = 64
MOST_TURNS = 1000
PARALLEL = 1e-9  # of unit vectors
SAME_PLANE = 1e-6  # of the sum of two radii


def _turns(owner: str, field: str, value: Any) -> int:
    expected = f"an integer from 0 to {MOST_TURNS}"
    turns = validate.integer(owner, field, value, 0, expected)
    if turns > MOST_TURNS:
        raise ModelError(owner, field, value, expected)
    return turns


@declared
class Pulley:
    """A circle that a rope runs around, in the positive sense about its axis.

    The rope slides on it: with ``friction`` the tensions on both sides obey the law of the capstan,
    without it they are equal, as over a light wheel on a good bearing.

    Parameters
    ----------
    frame : Frame
        Its centre, on the body that carries it.
    radius : m
        Of the rope's centre line.
    axis : (3,) or "x", "y", "z"
        Along the axes of the frame; seen against it, the rope runs counter-clockwise.
    friction : 1
        Coefficient between rope and pulley, zero or positive.
    turns : integer
        Whole turns around it, beside the angle from one span to the next.
    """

    frame: Frame = checked(expect_frame)
    radius: float = positive("m")
    axis: Given[Axis, Vector] = unit_vector(default="z")
    friction: float = not_negative(default=0.0)
    turns: int = checked(_turns, default=0)


@declared
class Drum:
    """An end of a rope that is wound on a drum, without sliding, as a revolute joint turns it.

    Parameters
    ----------
    frame : Frame
        Its centre, on the body that carries the drum: one of the two that the joint connects.
    joint : Revolute or its name
        Turns the drum, the other body, about the axis through the centre.
    radius : m
        Of the rope's centre line.
    axis : (3,) or "x", "y", "z"
        Along the joint's axis in one of its two senses, on the axes of the frame. From the first
        to the last place of its path the rope runs around it in the positive sense.
    contact : (3,) or "x", "y", "z"
        From the centre to about where the rope touches the drum, on the axes of the frame; along x
        if it is not given, or along y if x is the axis. The length of the rope counts from there,
        and the rope must touch the drum within 174 degrees of it.
    """

    frame: Frame = checked(expect_frame)
    joint: Given[Joint | str, str] = checked(check_joint_reference, coordinate=0)
    radius: float = positive("m")
    axis: Given[Axis, Vector] = unit_vector(default="z")
    contact: Given[Axis | None, Vector] = unit_vector(default=None)

    def _check(self, owner: str) -> None:
        contact: Vector | None = self.contact
        if contact is None:
            other = "y" if abs(self.axis[0]) > 1.0 - PARALLEL else "x"
            set_fields(self, contact=validate.axis(owner, "contact", other))
        if abs(float(self.axis @ self.contact)) > 1.0 - PARALLEL:
            raise ModelError(owner, "contact", contact, "a direction across the axis")

    @property
    def axes(self) -> Vector:
        """Rotation (3, 3) to axes with the contact across the third, which is its axis."""
        x = self.contact - (self.contact @ self.axis) * self.axis
        x = x / np.linalg.norm(x)
        return read_only(np.column_stack([x, np.cross(self.axis, x), self.axis]))


Station = Frame | Pulley | Drum


def frame_of(station: Station) -> Frame:
    """The frame of a place of a path."""
    return station if isinstance(station, Frame) else station.frame


def checked_path(owner: str, field: str, path: Sequence[Station]) -> tuple[Station, ...]:
    """The places of a rope: points or drums at the ends, points or pulleys between them."""
    expected = f"a list of 2 to {MOST_STATIONS} frames, pulleys and drums"
    stations = validate.listed(owner, field, path, expected)
    if not 2 <= len(stations) <= MOST_STATIONS:
        raise ModelError(owner, "number of places in path", len(stations), expected)
    for k, station in enumerate(stations):
        end, field = k in (0, len(stations) - 1), f"path[{k}]"
        if end and not isinstance(station, (Frame, Drum)):
            expected = "a frame or a Drum, because the rope ends there"
            raise ModelError(owner, field, station, expected)
        if not end and not isinstance(station, (Frame, Pulley)):
            expected = "a frame or a Pulley, because the rope goes on behind it"
            raise ModelError(owner, field, station, expected)
    if len({frame_of(station).body.name for station in stations}) < 2:
        body = frame_of(stations[0]).body.name
        expected = "places on two bodies at least, or on a body and the ground"
        raise ModelError(owner, "body of all places in path", body, expected)
    for k, (one, other) in enumerate(itertools.pairwise(stations)):
        if isinstance(one, Frame) or isinstance(other, Frame):
            if isinstance(one, Frame) and isinstance(other, Frame) and _same_point(one, other):
                expected = "another point than the one before it"
                raise ModelError(owner, f"path[{k + 1}]", other, expected)
        else:
            _refuse_overlap(owner, k, one, other)
    return tuple(stations)


def _refuse_overlap(owner: str, k: int, one: Pulley | Drum, other: Pulley | Drum) -> None:
    """Refuse circles of one body and in one plane that the rope cannot go between."""
    body = one.frame.body
    if body.name != other.frame.body.name:
        return
    poses = [body.rest_pose(station.frame.position) for station in (one, other)]
    axes = [
        pose.R @ station.frame.rotation @ station.axis
        for pose, station in zip(poses, (one, other), strict=True)
    ]
    apart, both = poses[1].p - poses[0].p, one.radius + other.radius
    along = float(apart @ axes[0])
    parallel = abs(float(axes[0] @ axes[1])) > 1.0 - PARALLEL
    distance = float(np.linalg.norm(apart - along * axes[0]))
    if parallel and abs(along) <= SAME_PLANE * both and distance < (1.0 - PARALLEL) * both:
        raise ModelError(
            owner,
            f"distance of path[{k}] and path[{k + 1}]",
            distance,
            f"at least {both:g} m, the sum of their radii: they overlap",
        )


def _same_point(one: Frame, other: Frame) -> bool:
    same: bool = one.body.name == other.body.name
    return same and one.position.tolist() == other.position.tolist()


@declared
class Rope(ForceElement):
    """A rope without mass along a path of points, pulleys and drums; it pulls and never pushes.

    Its mean tension is ``stiffness e + damping e'`` with the strain ``e = (L - length)/length`` of
    its length L along the path, while that is more than without tension; it is never negative.
    Where it slides with friction over a pulley by the angle a, the tensions on both sides have the
    ratio ``exp(friction a tanh(slip/transition))``, the larger one where the rope goes to; points
    and pulleys without friction leave the tension as it is. A pulley that the straight rope does
    not reach is passed by.

    Parameters
    ----------
    name : str
        Unique in its model.
    path : sequence of Frame, Pulley and Drum
        From the first end to the last, at least two. A frame is a point: an end where the rope is
        fixed, or an eye that it slides through without friction. Pulleys are between the ends,
        drums at the ends.
    stiffness : N
        E A, force per strain.
    length : m
        Without tension. Of ropes on drums it counts from the point of the drum that is at
        ``contact`` where the joint's coordinate is zero. ``model.rope_length(path)`` measures a
        path in the same way.
    damping : N s
        Force per rate of strain.
    transition : m/s
        Slip below which friction grows in proportion; a rope at rest creeps at such speeds.
    """

    path: Given[Sequence[Frame | Pulley | Drum], tuple[Station, ...]] = checked(checked_path)
    stiffness: float = positive("N")
    length: float = positive("m")
    damping: float = not_negative("N s", default=0.0)
    transition: float = positive("m/s", default=1e-3)

    @property
    def frames(self) -> dict[str, Frame]:
        """Places of the rope, from the first to the last."""
        return {f"path[{k}]": frame_of(station) for k, station in enumerate(self.path)}

    def needs_axes(self, field: str) -> str:
        """Expected instead at a pulley or drum; points need no axes."""
        station = dict(zip(self.frames, self.path, strict=True))[field]
        return "a point, which needs no axes" if isinstance(station, (Pulley, Drum)) else ""

    @property
    def targets(self) -> tuple[Target, ...]:
        """The joints of its drums."""
        return tuple((station.joint, 0) for station in self.path if isinstance(station, Drum))

    @property
    def slides(self) -> bool:
        """True if it rubs on a pulley."""
        return any(isinstance(station, Pulley) and station.friction > 0.0 for station in self.path)
