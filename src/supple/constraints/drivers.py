"""Drivers: coordinates and frames that follow given motions, whatever effort it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from supple.constraints.base import FrameConstraint
from supple.constraints.couplings import CoordinateConstraint, OneCoordinate
from supple.constraints.rates import SpeedDriver
from supple.constraints.smooth import smooth_signal
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, describe, label
from supple.foundation.fields import Given, checked, declared, given, unit_vector
from supple.foundation.frames import Frame
from supple.foundation.validate import Axis
from supple.joints import Joint, Motion
from supple.signals import Signal, SignalLike

_ALONG = tuple(Motion("translate", validate.axis("Motion", "axis", axis)) for axis in "xyz")


@declared
class Driver(OneCoordinate, CoordinateConstraint):
    """A joint coordinate follows ``motion`` (rad or m): a number, an expression or a signal.

    ``joint`` is a joint or its name, ``coordinate`` the place or name of the coordinate. Value and
    rate of the motion must not jump.
    """

    joint: Given[Joint | str, str] = given()
    motion: Given[SignalLike, Signal] = checked(smooth_signal, "rad or m")
    coordinate: int | str = given(default=0)

    @property
    def value(self) -> Signal:
        """The motion."""
        return self.motion

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The motion."""
        return {"motion": self.motion}


@declared
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

    x: Given[SignalLike | None, Signal | None] = checked(smooth_signal, "m", default=None)
    y: Given[SignalLike | None, Signal | None] = checked(smooth_signal, "m", default=None)
    z: Given[SignalLike | None, Signal | None] = checked(smooth_signal, "m", default=None)
    axis: Given[Axis | None, Vector | None] = unit_vector(default=None)
    angle: Given[SignalLike | None, Signal | None] = checked(smooth_signal, "rad", default=None)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        if self.axis is None and self.angle is not None:
            raise ModelError(owner, "axis", None, "the axis of the angle, e.g. 'z'")
        if self.angle is None and self.axis is not None:
            raise ModelError(owner, "angle", None, "a motion in rad about the axis")
        if not self.signal_fields:
            raise ModelError.plain(
                f"{owner}: nothing is given, expected x, y or z, or axis and angle"
            )

    def needs_axes(self, field: str) -> str:
        """Expected instead at A, and at B if it gives an orientation."""
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
        """Directions that the motions drive, by field; equal for two drivers of the same.

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
    """Place of a frame on a body that deforms: its axes turn with the place."""
    return _exact(frame.position) if frame.body.deforms else ()


def check_drivers(
    drivers: Iterable[Driver | FrameDriver | SpeedDriver], joints: Mapping[str, Joint]
) -> None:
    """Refuse a second driver of the same coordinate, or direction of the same frame."""
    first: dict[tuple[str, int], Driver | SpeedDriver] = {}
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
