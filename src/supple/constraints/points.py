"""Constraints on the origins of two frames: a distance, a line, a plane."""

from __future__ import annotations

from typing import Any

from supple.constraints.base import FrameConstraint
from supple.constraints.smooth import lowest, smooth_signal
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, declared, unit_vector
from supple.foundation.validate import Axis
from supple.signals import Constant, Signal, SignalLike


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

    length: Given[SignalLike, Signal] = checked(_length, "m")

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The length."""
        return {"length": self.length}

    def needs_axes(self, field: str) -> str:
        """Nothing: it is between two places."""
        del field
        return ""

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
        """Those of A, along which it is."""
        return "" if field == "B" else super().needs_axes(field)


@declared
class PointOnPlane(FrameConstraint):
    """B's origin stays in the plane through A's origin across ``normal``, given in A's axes.

    B slides and turns freely.
    """

    normal: Given[Axis, Vector] = unit_vector(default="z")

    def needs_axes(self, field: str) -> str:
        """Those of A, along which it is."""
        return "" if field == "B" else super().needs_axes(field)
