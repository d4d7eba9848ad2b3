"""Base of constraints, which keep a relation between bodies or coordinates."""

from __future__ import annotations

from collections.abc import Mapping

from supple.constraints.smooth import refuse_jumps
from supple.foundation.errors import label
from supple.foundation.fields import declared, given
from supple.foundation.frames import Frame, expect_two_bodies
from supple.joints import Joint
from supple.joints.interactions import Element
from supple.signals import Signal


class Constraint(Element):
    """Base of all constraints and drivers: relations that hold whatever force it takes.

    How to add one is in CONTRIBUTING.md, "A constraint".
    """

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The signals it uses, by field."""
        return {}

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The signals it uses."""
        return tuple(self.signal_fields.values())

    def check_joints(self, joints: Mapping[str, Joint]) -> None:
        """Refuse joints of the model that do not fit; all ``targets`` are known to be there."""
        del joints

    def check_run(self, begin: float, end: float) -> None:
        """Refuse a motion that jumps within a run from ``begin`` to ``end`` (s)."""
        for field, signal in self.signal_fields.items():
            refuse_jumps(label(self), field, signal, begin, end)


@declared(init=False)
class FrameConstraint(Constraint):
    """Base of the constraints between two frames on different bodies; either may be the ground."""

    expected_without_axes = "a constraint of its place alone, e.g. Distance"
    A: Frame = given()
    B: Frame = given()

    @property
    def frames(self) -> dict[str, Frame]:
        """Both frames."""
        return {"A": self.A, "B": self.B}

    def _check(self, owner: str) -> None:
        expect_two_bodies(owner, self.A, self.B)
