"""Constraints on the origins of two frames: a distance, a line, a plane, a beam."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from supple.constraints.base import FrameConstraint
from supple.constraints.smooth import lowest, smooth_signal
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, choice, declared, unit_vector
from supple.foundation.validate import Axis
from supple.joints.interactions import Shaft
from supple.signals import Constant, Signal, SignalLike

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine


def _length(owner: str, field: str, value: Any) -> Signal:
    signal = smooth_signal(owner, field, value)
    if isinstance(signal, Constant):
        validate.positive(owner, field, signal.value)
    return signal


@declared
class Distance(FrameConstraint):
    """The distance of the origins of A and B is ``length`` (m): a rod without mass.

    ``length`` is a positive number, or an expression or a signal that stays positive.
    """

    expected_without_axes = ""  # it is between two places
    length: Given[SignalLike, Signal] = checked(_length, "m")

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The length."""
        return {"length": self.length}

    def check_run(self, begin: float, end: float) -> None:
        """Refuse a length that jumps, or is not positive, between ``begin`` and ``end`` (s)."""
        super().check_run(begin, end)
        time, value = lowest(self.length, begin, end)
        if not value > 0.0:
            field, found = f"length at {time:g} s", float(f"{value:.6g}")
            expected = f"a positive one from {begin:g} to {end:g} s"
            raise ModelError(label(self), field, found, expected)


@declared
class PointOnLine(FrameConstraint):
    """B's origin stays on the line through A's origin along ``axis``, given in A's axes.

    B slides and turns freely.
    """

    axis: Given[Axis, Vector] = unit_vector(default="x")

    def needs_axes(self, field: str) -> str:
        """Expected instead at A, along whose axes it is."""
        return "" if field == "B" else super().needs_axes(field)


@declared
class PointOnPlane(FrameConstraint):
    """B's origin stays in the plane through A's origin across ``normal``, given in A's axes.

    B slides and turns freely.
    """

    normal: Given[Axis, Vector] = unit_vector(default="z")

    def needs_axes(self, field: str) -> str:
        """Expected instead at A, along whose axes it is."""
        return "" if field == "B" else super().needs_axes(field)


Follows = Literal["point", "tangent", "section"]


@declared
class SlidingJoint(FrameConstraint, Shaft):
    """The origin of B slides along the axis of the cable or gradient beam that A is on.

    Parameters
    ----------
    name : str
        Unique in its model.
    A : Frame
        Where it begins, on a `Cable` or an `ANCFBeam`; it passes from element to element.
    B : Frame
        On another body.
    follows : "point", "tangent" or "section"
        B turns freely about the point; B's axes follow the tangent of the line and turn freely
        about it, as on a round rod; or they follow the section of an `ANCFBeam` wherever they
        are, as those of a sleeve on a square one. They are those of A, apart from that.

    Its coordinate is the station on the line, m: springs, efforts, friction, stops and controllers
    act on it as on that of a joint. The bodies have joints beside it: a trolley on a cable alone
    has a `Free` one. Where it comes to an end of the line, a run ends with a sentence.
    """

    follows: Follows = choice(default="point")

    def _check(self, owner: str) -> None:
        super()._check(owner)
        body, chosen = self.A.body, self.follows
        if not body.along_line or cast("ANCFLine", body).closed:
            expected = "a frame on a Cable or an ANCFBeam with two ends"
            raise ModelError(owner, "A", self.A, f"{expected}, not on {label(body)}")
        if chosen == "section" and not cast("ANCFLine", body).turns:
            expected = f"'point' or 'tangent' on {label(body)}, which has no sections that turn"
            raise ModelError(owner, "follows", chosen, expected)
        if chosen != "point" and cast("ANCFLine", body).frame_axes == "section":
            expected = (
                f"'point', because {label(body)} turns with sections that shear against its axis; "
                "or give it another element or axes='tangent'"
            )
            raise ModelError(owner, "follows", chosen, expected)

    def needs_axes(self, field: str) -> str:
        """Expected instead at B unless it follows the point alone; A's line need not have axes."""
        return "" if field == "A" or self.follows == "point" else super().needs_axes(field)
