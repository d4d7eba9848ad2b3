"""Bases of force elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.frames import Frame, expect_two_bodies
from supple.foundation.validate import set_fields
from supple.joints.interactions import Element, Target, check_joint_reference
from supple.signals import Signal, as_signal

SignalTriple = tuple[Signal, Signal, Signal]


@dataclass(frozen=True, eq=False, init=False)
class ForceElement(Element):
    """Base of all force elements.

    How to add one is in CONTRIBUTING.md, "A force element".
    """


@dataclass(frozen=True, eq=False, init=False)
class JointForce(ForceElement):
    """Base of the elements that act on one scalar coordinate of a joint, or on a motor's shaft.

    ``joint`` is a joint or a motor, or its name (stored as the name), ``coordinate`` the place or
    name of the joint's coordinate.
    """

    joint: str
    coordinate: int | str

    @property
    def targets(self) -> tuple[Target, ...]:
        """The joint and its coordinate."""
        return ((self.joint, self.coordinate),)

    def _act_on(self, name: str, joint: Any, coordinate: int | str) -> str:
        owner = self._named(name)
        joint_name = check_joint_reference(owner, "joint", joint, coordinate, shafts=True)
        set_fields(self, joint=joint_name, coordinate=coordinate)
        return owner


def three_signals(owner: str, field: str, value: Any) -> SignalTriple:
    """Return three numbers, expressions or signals as signals."""
    expected = "3 numbers, expressions or signals"
    known = isinstance(value, (tuple, list, np.ndarray))
    if not known or len(validate.listed(owner, field, value, expected)) != 3:
        raise ModelError(owner, field, value, expected)
    x, y, z = (as_signal(entry, owner, f"{field}[{i}]") for i, entry in enumerate(value))
    return x, y, z


@dataclass(frozen=True, eq=False, init=False)
class PairForce(ForceElement):
    """Base of what acts between frames A and B on two bodies, or on a body and the ground."""

    A: Frame
    B: Frame

    def _between(self, name: str, A: Frame, B: Frame) -> str:
        """Store name and frames, and return how sentences call it."""
        owner = self._named(name)
        frame_a, frame_b = expect_two_bodies(owner, A, B)
        set_fields(self, A=frame_a, B=frame_b)
        return owner

    @property
    def frames(self) -> dict[str, Frame]:
        """Both ends."""
        return {"A": self.A, "B": self.B}
