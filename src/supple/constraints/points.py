"""Constraints on the origins of two frames: a distance, a line, a plane."""

from __future__ import annotations

from dataclasses import dataclass

from supple.constraints.base import FrameConstraint
from supple.constraints.smooth import lowest
from supple.foundation import validate
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame
from supple.foundation.validate import Axis, Vector, set_fields
from supple.signals import Constant, Signal, SignalLike


@dataclass(frozen=True, eq=False, init=False)
class Distance(FrameConstraint):
    """The distance of the origins of A and B is ``length`` (m): a rod without mass.

    ``length`` is a positive number, or an expression or a signal that stays positive.
    """

    length: Signal

    def __init__(self, name: str, A: Frame, B: Frame, length: SignalLike) -> None:
        owner = self._connect(name, A, B)
        signal = self._signal("length", length)
        if isinstance(signal, Constant):
            validate.positive(owner, "length", signal.value)
        set_fields(self, length=signal)

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


@dataclass(frozen=True, eq=False, init=False)
class PointOnLine(FrameConstraint):
    """B's origin stays on the line through A's origin along ``axis``, given in A's axes.

    B slides and turns freely.
    """

    axis: Vector

    def __init__(self, name: str, A: Frame, B: Frame, axis: Axis = "x") -> None:
        owner = self._connect(name, A, B)
        set_fields(self, axis=validate.axis(owner, "axis", axis))

    def needs_axes(self, field: str) -> str:
        """Those of A, along which it is."""
        return "" if field == "B" else super().needs_axes(field)


@dataclass(frozen=True, eq=False, init=False)
class PointOnPlane(FrameConstraint):
    """B's origin stays in the plane through A's origin across ``normal``, given in A's axes.

    B slides and turns freely.
    """

    normal: Vector

    def __init__(self, name: str, A: Frame, B: Frame, normal: Axis = "z") -> None:
        owner = self._connect(name, A, B)
        set_fields(self, normal=validate.axis(owner, "normal", normal))

    def needs_axes(self, field: str) -> str:
        """Those of A, along which it is."""
        return "" if field == "B" else super().needs_axes(field)
