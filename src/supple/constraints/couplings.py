"""Constraints between joint coordinates: any sum, gears, screws, racks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple import validate
from supple.constraints.base import Constraint
from supple.elements import Target, check_joint_reference
from supple.errors import ModelError, describe, label
from supple.joints import Joint
from supple.signals import Signal, SignalLike
from supple.validate import set_fields

Term = tuple[str, int | str, float]
JointLike = Joint | str | tuple[Joint | str, int | str]


@dataclass(frozen=True, eq=False, init=False)
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
            """What the sum equals."""

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


@dataclass(frozen=True, eq=False, init=False)
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

    terms: tuple[Term, ...]
    value: Signal

    def __init__(self, name: str, terms: Sequence[Any], value: SignalLike = 0.0) -> None:
        owner = self._named(name)
        if not isinstance(terms, (tuple, list)) or not terms:
            raise ModelError(owner, "terms", terms, "a list of terms such as ('elbow', 2.0)")
        set_fields(
            self,
            terms=tuple(_term(owner, f"terms[{i}]", term) for i, term in enumerate(terms)),
            value=self._signal("value", value),
        )

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The value."""
        return {"value": self.value}


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
            first=_target(owner, "first", first),
            second=_target(owner, "second", second),
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
            rack=_target(owner, "rack", rack),
            pinion=_target(owner, "pinion", pinion),
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


def _target(owner: str, field: str, value: Any) -> Target:
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
    joint, coordinate = _target(owner, field, tuple(value[:-1]) if len(value) == 3 else value[0])
    return joint, coordinate, validate.not_zero(owner, f"coefficient of {field}", value[-1])
