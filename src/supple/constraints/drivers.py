"""Drivers: coordinates and frames that follow given motions, whatever effort it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.constraints.base import FrameConstraint
from supple.constraints.couplings import CoordinateConstraint, Term
from supple.foundation import validate
from supple.foundation.errors import ModelError, describe, label
from supple.foundation.frames import Frame
from supple.foundation.validate import Axis, Vector, set_fields
from supple.joints import Joint, Motion
from supple.joints.interactions import check_joint_reference
from supple.signals import Signal, SignalLike

_ALONG = tuple(Motion("translate", validate.axis("Motion", "axis", axis)) for axis in "xyz")


@dataclass(frozen=True, eq=False, init=False)
class Driver(CoordinateConstraint):
    """A joint coordinate follows ``motion`` (rad or m): a number, an expression or a signal.

    ``joint`` is a joint or its name, ``coordinate`` the place or name of the coordinate. Value and
    rate of the motion must not jump.
    """

    joint: str
    motion: Signal
    coordinate: int | str

    def __init__(
        self, name: str, joint: Joint | str, motion: SignalLike, coordinate: int | str = 0
    ) -> None:
        owner = self._named(name)
        set_fields(
            self,
            joint=check_joint_reference(owner, "joint", joint, coordinate),
            motion=self._signal("motion", motion),
            coordinate=coordinate,
        )

    @property
    def terms(self) -> tuple[Term, ...]:
        """The coordinate alone."""
        return ((self.joint, self.coordinate, 1.0),)

    @property
    def value(self) -> Signal:
        """The motion."""
        return self.motion

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The motion."""
        return {"motion": self.motion}


@dataclass(frozen=True, eq=False, init=False)
class FrameDriver(FrameConstraint):
    """The frame B follows a given motion relative to the frame A.

    Parameters
    ----------
    x, y, z : m, optional
        Displacements of B's origin from A's origin along A's axes: numbers, expressions or signals.
        A direction that is not given is free.
    axis, angle : optional
        B's orientation is the rotation by ``angle`` (rad; number, expression or signal) about
        ``axis``, given in A's axes. Without them the orientation is free.

    At least one is given. Value and rate of the motions must not jump.
    """

    x: Signal | None
    y: Signal | None
    z: Signal | None
    axis: Vector | None
    angle: Signal | None

    def __init__(
        self,
        name: str,
        A: Frame,
        B: Frame,
        x: SignalLike | None = None,
        y: SignalLike | None = None,
        z: SignalLike | None = None,
        axis: Axis | None = None,
        angle: SignalLike | None = None,
    ) -> None:
        owner = self._connect(name, A, B)
        if axis is None and angle is not None:
            raise ModelError(owner, "axis", axis, "the axis of the angle, e.g. 'z'")
        if angle is None and axis is not None:
            raise ModelError(owner, "angle", angle, "a motion in rad about the axis")
        given = {"x": x, "y": y, "z": z, "angle": angle}
        if all(motion is None for motion in given.values()):
            raise ModelError.plain(
                f"{owner}: nothing is given, expected x, y or z, or axis and angle"
            )
        set_fields(
            self,
            axis=None if axis is None else validate.axis(owner, "axis", axis),
            **{f: None if m is None else self._signal(f, m) for f, m in given.items()},
        )

    def needs_axes(self, field: str) -> str:
        """Those of A; those of B if it gives an orientation."""
        return "" if field == "B" and self.axis is None else super().needs_axes(field)

    @property
    def motions(self) -> tuple[Motion, ...]:
        """The motions of B in A that it leaves or drives: x, y, z, then the rotation."""
        turn = Motion("ball") if self.axis is None else Motion("rotate", self.axis)
        return (*_ALONG, turn)

    @property
    def drives(self) -> tuple[tuple[int, Signal], ...]:
        """Place among the velocities of ``motions``, and signal, of each motion that is driven."""
        motions = (self.x, self.y, self.z, self.angle)
        return tuple((place, m) for place, m in enumerate(motions) if m is not None)

    @property
    def directions(self) -> dict[str, tuple[Any, ...]]:
        """What each motion that is given drives, by field; equal for two drivers of the same.

        The place of A does not matter to displacements, nor the axes of B; to the rotation both
        axes, but no place, unless a body deforms.
        """
        A, B = self.A, self.B
        from_a = (A.body.name, _exact(A.rotation), _section(A))
        keys: dict[str, tuple[Any, ...]] = {
            f: (from_a, B.body.name, _exact(B.position), f) for f in "xyz"
        }
        keys["angle"] = (from_a, B.body.name, _exact(B.rotation), _section(B), "angle")
        return {field: keys[field] for field in self.signal_fields}

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The motions that are given."""
        fields = {"x": self.x, "y": self.y, "z": self.z, "angle": self.angle}
        return {field: motion for field, motion in fields.items() if motion is not None}


def _exact(values: Vector) -> tuple[float, ...]:
    """Numbers that can be compared, but for rounding; -0.0 is 0.0."""
    return tuple(float(x) + 0.0 for x in np.round(np.ravel(values), 12))


def _section(frame: Frame) -> tuple[float, ...]:
    """Where a frame is on a body that deforms: its axes turn with the place."""
    return _exact(frame.position) if frame.body.deforms else ()


def check_drivers(drivers: Iterable[Driver | FrameDriver], joints: Mapping[str, Joint]) -> None:
    """Refuse a second driver of the same coordinate, or direction of the same frame."""
    first: dict[tuple[str, int], Driver] = {}
    frames: dict[tuple[Any, ...], FrameDriver] = {}
    for driver in drivers:
        if isinstance(driver, FrameDriver):
            for field, direction in driver.directions.items():
                before = frames.setdefault(direction, driver)
                if before is not driver:
                    raise ModelError.plain(
                        f"{label(driver)}: {field!r} of {describe(driver.B)} is driven by "
                        f"{label(before)} already, expected one driver for each direction"
                    )
            continue
        joint = joints[driver.joint]
        place = joint.coordinate_index(driver.coordinate, label(driver))
        other = first.setdefault((joint.name, place), driver)
        if other is not driver:
            raise ModelError.plain(
                f"{label(driver)}: {joint.coordinate_names[place]!r} of {describe(joint)} is "
                f"driven by {label(other)} already, expected one driver for each coordinate"
            )
