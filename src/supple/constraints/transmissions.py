"""Gears, screws and racks: two coordinates in a fixed ratio."""

from __future__ import annotations

import math

from supple.constraints.couplings import CoordinateConstraint, Term, joint_target
from supple.constraints.smooth import smooth_signal
from supple.foundation.fields import Given, checked, declared, given, not_zero, stored
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Target, check_joint_reference
from supple.signals import Signal, SignalLike

JointLike = Joint | str | tuple[Joint | str, int | str]


@stored
class _Transmission(CoordinateConstraint):
    """Base of gears, screws and racks, whose ``offset`` may be left to the initial coordinates."""

    offset: Given[SignalLike | None, Signal | None]

    @property
    def value(self) -> Signal | None:
        """The offset."""
        return self.offset

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The offset, if it is given."""
        return {} if self.offset is None else {"offset": self.offset}


@declared
class Gear(_Transmission):
    """Two coordinates in a fixed ratio: ``first - ratio * second = offset``.

    Parameters
    ----------
    first, second : joint or its name
        A pair (joint, coordinate) for joints with several coordinates; stored as pairs of names.
    ratio : float
        Not zero. Wheels on one carrier that touch outside turn opposite ways: minus the radius (or
        the teeth) of the second over that of the first.
    offset : number, expression or signal, optional
        In the unit of the first coordinate; by default what the initial coordinates give.
    """

    first: Given[JointLike, Target] = checked(joint_target)
    second: Given[JointLike, Target] = checked(joint_target)
    ratio: float = not_zero()
    offset: Given[SignalLike | None, Signal | None] = checked(
        smooth_signal, "rad or m", default=None
    )

    @property
    def terms(self) -> tuple[Term, ...]:
        """``first - ratio * second``."""
        return (*self.first, 1.0), (*self.second, -self.ratio)


@declared
class Screw(_Transmission):
    """A thread on one joint: ``displacement - pitch/(2 pi) * angle = offset``.

    Parameters
    ----------
    joint : joint or its name
        With a displacement and an angle about the same axis: a Cylindrical joint.
    pitch : m
        Advance for a whole turn; negative for a left-hand thread, not zero.
    offset : m, optional
        A number, expression or signal; by default what the initial coordinates give.
    displacement, angle : int or str
        Places or names of the two coordinates, for other joints than Cylindrical.
    """

    joint: Given[Joint | str, str] = given()
    pitch: float = not_zero("m")
    offset: Given[SignalLike | None, Signal | None] = checked(smooth_signal, "m", default=None)
    displacement: int | str = given(default="displacement")
    angle: int | str = given(default="angle")

    def _check(self, owner: str) -> None:
        for coordinate in (self.displacement, self.angle):
            name = check_joint_reference(owner, "joint", self.joint, coordinate)
        set_fields(self, joint=name)

    @property
    def terms(self) -> tuple[Term, ...]:
        """``displacement - pitch/(2 pi) * angle``."""
        lead = self.pitch / (2.0 * math.pi)
        return (self.joint, self.displacement, 1.0), (self.joint, self.angle, -lead)

    @property
    def units(self) -> tuple[str | None, ...]:
        """A displacement and an angle."""
        return "m", "rad"


@declared
class Rack(_Transmission):
    """A rack and its pinion: ``displacement of the rack - radius * angle of the pinion = offset``.

    Parameters
    ----------
    rack, pinion : joint or its name
        A pair (joint, coordinate) for joints with several coordinates; stored as pairs of names.
    radius : m
        Of the pinion; negative if the rack moves the other way, not zero.
    offset : m, optional
        A number, expression or signal; by default what the initial coordinates give.
    """

    rack: Given[JointLike, Target] = checked(joint_target)
    pinion: Given[JointLike, Target] = checked(joint_target)
    radius: float = not_zero("m")
    offset: Given[SignalLike | None, Signal | None] = checked(smooth_signal, "m", default=None)

    @property
    def terms(self) -> tuple[Term, ...]:
        """``rack - radius * pinion``."""
        return (*self.rack, 1.0), (*self.pinion, -self.radius)

    @property
    def units(self) -> tuple[str | None, ...]:
        """A displacement and an angle."""
        return "m", "rad"
