"""Gears, screws and racks: two coordinates in a fixed ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass

from supple.constraints.couplings import CoordinateConstraint, Term, joint_target
from supple.foundation import validate
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Target, check_joint_reference
from supple.signals import Signal, SignalLike

JointLike = Joint | str | tuple[Joint | str, int | str]


@dataclass(frozen=True, eq=False, init=False)
class _Transmission(CoordinateConstraint):
    """Base of gears, screws and racks, whose ``offset`` may be left to the initial coordinates."""

    offset: Signal | None

    @property
    def value(self) -> Signal | None:
        """The offset."""
        return self.offset

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The offset, if it is given."""
        return {} if self.offset is None else {"offset": self.offset}

    def _set_offset(self, offset: SignalLike | None) -> None:
        set_fields(self, offset=None if offset is None else self._signal("offset", offset))


@dataclass(frozen=True, eq=False, init=False)
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

    first: Target
    second: Target
    ratio: float

    def __init__(
        self,
        name: str,
        first: JointLike,
        second: JointLike,
        ratio: float,
        offset: SignalLike | None = None,
    ) -> None:
        owner = self._named(name)
        set_fields(
            self,
            first=joint_target(owner, "first", first),
            second=joint_target(owner, "second", second),
            ratio=validate.not_zero(owner, "ratio", ratio),
        )
        self._set_offset(offset)

    @property
    def terms(self) -> tuple[Term, ...]:
        """``first - ratio * second``."""
        return (*self.first, 1.0), (*self.second, -self.ratio)


@dataclass(frozen=True, eq=False, init=False)
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

    joint: str
    pitch: float
    displacement: int | str
    angle: int | str

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        pitch: float,
        offset: SignalLike | None = None,
        displacement: int | str = "displacement",
        angle: int | str = "angle",
    ) -> None:
        owner = self._named(name)
        for coordinate in (displacement, angle):
            joint_name = check_joint_reference(owner, "joint", joint, coordinate)
        set_fields(
            self,
            joint=joint_name,
            pitch=validate.not_zero(owner, "pitch", pitch),
            displacement=displacement,
            angle=angle,
        )
        self._set_offset(offset)

    @property
    def terms(self) -> tuple[Term, ...]:
        """``displacement - pitch/(2 pi) * angle``."""
        lead = self.pitch / (2.0 * math.pi)
        return (self.joint, self.displacement, 1.0), (self.joint, self.angle, -lead)

    @property
    def units(self) -> tuple[str | None, ...]:
        """A displacement and an angle."""
        return "m", "rad"


@dataclass(frozen=True, eq=False, init=False)
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

    rack: Target
    pinion: Target
    radius: float

    def __init__(
        self,
        name: str,
        rack: JointLike,
        pinion: JointLike,
        radius: float,
        offset: SignalLike | None = None,
    ) -> None:
        owner = self._named(name)
        set_fields(
            self,
            rack=joint_target(owner, "rack", rack),
            pinion=joint_target(owner, "pinion", pinion),
            radius=validate.not_zero(owner, "radius", radius),
        )
        self._set_offset(offset)

    @property
    def terms(self) -> tuple[Term, ...]:
        """``rack - radius * pinion``."""
        return (*self.rack, 1.0), (*self.pinion, -self.radius)

    @property
    def units(self) -> tuple[str | None, ...]:
        """A displacement and an angle."""
        return "m", "rad"
