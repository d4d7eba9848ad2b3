"""Constraints between joint coordinates: a sum of them equals a value; gears, screws, racks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from supple.constraints.base import Constraint
from supple.constraints.smooth import smooth_signal
from supple.foundation import validate
from supple.foundation.errors import ModelError, describe, label
from supple.foundation.fields import Given, checked, declared, given, not_zero, stored
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Target, check_joint_reference
from supple.signals import Signal, SignalLike

Term = tuple[str, int | str, float]
GivenTerm = tuple[Joint | str, float] | tuple[Joint | str, int | str, float]


class OneCoordinate:
    """A constraint of one joint coordinate, that of its ``joint`` and ``coordinate``."""

    if TYPE_CHECKING:

        @property
        def joint(self) -> Any:
            """Name of the joint."""

        @property
        def coordinate(self) -> Any:
            """Place or name of its coordinate."""

    def _check(self, owner: str) -> None:
        set_fields(self, joint=check_joint_reference(owner, "joint", self.joint, self.coordinate))

    @property
    def terms(self) -> tuple[Term, ...]:
        """The coordinate alone."""
        return ((self.joint, self.coordinate, 1.0),)


class CoordinateConstraint(Constraint):
    """Base of the constraints that a sum of ``coefficient * coordinate`` equals a value.

    Each has ``terms``, tuples (name of the joint, coordinate, coefficient), and ``value``, what
    their sum equals: a signal, or None for what it is with the joints' initial coordinates.
    """

    if TYPE_CHECKING:  # fields of some, properties of others: at run time neither can be here

        @property
        def terms(self) -> tuple[Term, ...]:
            """Joint, coordinate and coefficient of each term."""

        @property
        def value(self) -> Signal | None:
            """Value of the sum."""

    @property
    def units(self) -> tuple[str | None, ...]:
        """The unit "rad" or "m" that each term's coordinate must have, None for either."""
        return (None,) * len(self.terms)

    @property
    def targets(self) -> tuple[Target, ...]:
        """Joint and coordinate of each term."""
        return tuple((joint, coordinate) for joint, coordinate, _ in self.terms)

    def check_joints(self, joints: Mapping[str, Joint]) -> None:
        """Refuse coordinates of another unit, and a coordinate that occurs twice."""
        owner, seen = label(self), set[tuple[str, int]]()
        for (name, coordinate), unit in zip(self.targets, self.units, strict=True):
            joint = joints[name]
            place = joint.coordinate_index(coordinate, owner)
            words = f"{joint.coordinate_names[place]!r} of {describe(joint)}"
            if unit is not None and joint.units[place] != unit:
                kind = "an angle" if unit == "rad" else "a displacement"
                raise ModelError.plain(f"{owner}: coordinate is {words}, expected {kind}")
            if (name, place) in seen:
                raise ModelError.plain(
                    f"{owner}: coordinate {words} occurs twice, expected different coordinates"
                )
            seen.add((name, place))


def joint_target(owner: str, field: str, value: Any) -> Target:
    """Return name and coordinate of a joint, of its name, or of a pair with the coordinate."""
    pair = isinstance(value, (tuple, list))
    if pair and len(value) != 2:
        raise ModelError(owner, field, value, "a joint or a pair (joint, coordinate)")
    joint, coordinate = value if pair else (value, 0)
    return check_joint_reference(owner, field, joint, coordinate), coordinate


def _term(owner: str, field: str, value: Any) -> Term:
    if not isinstance(value, (tuple, list)) or len(value) not in (2, 3):
        expected = "(joint, coefficient) or (joint, coordinate, coefficient)"
        raise ModelError(owner, field, value, expected)
    joint, coordinate = joint_target(
        owner, field, tuple(value[:-1]) if len(value) == 3 else value[0]
    )
    return joint, coordinate, validate.not_zero(owner, f"coefficient of {field}", value[-1])


def joint_terms(owner: str, field: str, value: Any) -> tuple[Term, ...]:
    """Return the terms of a sum over joint coordinates."""
    if not isinstance(value, (tuple, list)) or not value:
        raise ModelError(owner, field, value, "a list of terms such as ('elbow', 2.0)")
    return tuple(_term(owner, f"{field}[{i}]", term) for i, term in enumerate(value))


@declared
class Coupling(CoordinateConstraint):
    """A sum of ``coefficient * coordinate`` equals ``value``.

    Parameters
    ----------
    terms : sequence
        Entries (joint, coefficient) or (joint, coordinate, coefficient): a joint or its name, the
        place or name of its coordinate (0 by default), and a number that is not zero.
    value : number, expression or signal
        In the unit of the sum.
    """

    terms: Given[Sequence[GivenTerm], tuple[Term, ...]] = checked(joint_terms)
    value: Given[SignalLike, Signal] = checked(smooth_signal, "rad or m", default=0.0)

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The value."""
        return {"value": self.value}


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
