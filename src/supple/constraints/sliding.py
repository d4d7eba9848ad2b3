"""Points that slide along bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from supple.constraints.base import FrameConstraint
from supple.foundation import validate
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame
from supple.foundation.validate import set_fields
from supple.joints.interactions import Shaft

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine

Follows = Literal["point", "tangent", "section"]


@dataclass(frozen=True, eq=False, init=False)
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

    follows: Follows

    def __init__(self, name: str, A: Frame, B: Frame, follows: Follows = "point") -> None:
        owner = self._connect(name, A, B)
        body = self.A.body
        if not body.along_line:
            expected = "a frame on a Cable or an ANCFBeam"
            raise ModelError(owner, "A", self.A, f"{expected}, not on {label(body)}")
        known = ("point", "tangent", "section")
        chosen = validate.choice(owner, "follows", follows, known)
        if chosen == "section" and not cast("ANCFLine", body).turns:
            expected = f"'point' or 'tangent' on {label(body)}, which has no sections that turn"
            raise ModelError(owner, "follows", follows, expected)
        if chosen != "point" and cast("ANCFLine", body).frame_axes == "section":
            expected = (
                f"'point', because {label(body)} turns with sections that shear against its axis; "
                "or give it another element or axes='tangent'"
            )
            raise ModelError(owner, "follows", follows, expected)
        set_fields(self, follows=chosen)

    def needs_axes(self, field: str) -> str:
        """Those of B unless it follows the point alone; of A's line it takes what that has."""
        return "" if field == "A" or self.follows == "point" else super().needs_axes(field)
