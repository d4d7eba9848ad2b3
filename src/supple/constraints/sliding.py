"""Points that slide along bodies."""

from __future__ import annotations

from dataclasses import dataclass

from supple.constraints.base import FrameConstraint
from supple.elements import Shaft
from supple.errors import ModelError, label
from supple.frames import Frame


@dataclass(frozen=True, eq=False, init=False)
class SlidingJoint(FrameConstraint, Shaft):
    """The origin of B slides along the axis of the cable or gradient beam that A is on.

    Parameters
    ----------
    name : str
        Unique in its model.
    A : Frame
        Where it begins, on a `Cable` or a `GradientBeam`; it passes from element to element.
    B : Frame
        On another body, which may turn and spin freely about the point.

    Its coordinate is the station on the line, m: springs, efforts, friction, stops and controllers
    act on it as on that of a joint. The bodies have joints beside it: a trolley on a cable alone
    has a `Free` one. Where it comes to an end of the line, a run ends with a sentence.
    """

    def __init__(self, name: str, A: Frame, B: Frame) -> None:
        owner = self._connect(name, A, B)
        if not self.A.body.along_line:
            expected = "a frame on a Cable or a GradientBeam"
            raise ModelError(owner, "A", self.A, f"{expected}, not on {label(self.A.body)}")
