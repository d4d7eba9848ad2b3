"""Bases of force elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, declared, given, stored
from supple.foundation.frames import Frame, expect_two_bodies
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Element, Shaft, Target, check_joint_reference
from supple.signals import Signal, as_signal

SignalTriple = tuple[Signal, Signal, Signal]


class ForceElement(Element):
    """Base of all force elements.

    How to add one is in CONTRIBUTING.md, "A force element".
    """

    @property
    def inner_frames(self) -> tuple[Frame, ...]:
        """Places beside ``frames`` at which it acts, and which make no nodes of meshes."""
        return ()


@stored
class JointForce(ForceElement):
    """Base of the elements that act on one scalar coordinate of a joint, or on a motor's shaft.

    ``joint`` is a joint or a motor, or its name (stored as the name), ``coordinate`` the place or
    name of the joint's coordinate.
    """

    joint: Given[Joint | Shaft | str, str]
    coordinate: int | str

    @property
    def targets(self) -> tuple[Target, ...]:
        """The joint and its coordinate."""
        return ((self.joint, self.coordinate),)

    def _check(self, owner: str) -> None:
        joint = check_joint_reference(owner, "joint", self.joint, self.coordinate, shafts=True)
        set_fields(self, joint=joint)


@stored
class FrameForce(ForceElement):
    """Base of the elements that act on one body; ``frame`` is on it."""

    frame: Frame

    @property
    def frames(self) -> dict[str, Frame]:
        """The frame on the body."""
        return {"frame": self.frame}


def three_signals(owner: str, field: str, value: Any) -> SignalTriple:
    """Return three numbers, expressions or signals as signals."""
    expected = "3 numbers, expressions or signals"
    known = isinstance(value, (tuple, list, np.ndarray))
    if not known or len(validate.listed(owner, field, value, expected)) != 3:
        raise ModelError(owner, field, value, expected)
    x, y, z = (as_signal(entry, owner, f"{field}[{i}]") for i, entry in enumerate(value))
    return x, y, z


@declared(init=False)
class PairForce(ForceElement):
    """Base of what acts between frames A and B on two bodies, or on a body and the ground."""

    A: Frame = given()
    B: Frame = given()

    def _check(self, owner: str) -> None:
        expect_two_bodies(owner, self.A, self.B)

    @property
    def frames(self) -> dict[str, Frame]:
        """Both ends."""
        return {"A": self.A, "B": self.B}
