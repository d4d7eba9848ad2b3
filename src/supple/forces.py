"""Force elements: what pushes, pulls, turns and drives."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from supple import validate
from supple.errors import ModelError, label
from supple.frames import Frame, expect_body_frame, expect_two_bodies
from supple.joints import Joint
from supple.signals import Signal, as_signal
from supple.validate import set_fields

SignalLike = float | Signal
SignalTriple = tuple[Signal, Signal, Signal]


@dataclass(frozen=True, eq=False, init=False)
class ForceElement(ABC):
    """Base of all force elements.

    To add one:

    1. Derive a frozen dataclass here: from ``JointForce`` if it acts on a joint's coordinate,
       otherwise from ``ForceElement`` with ``frames``. Its ``__init__`` validates, stores by
       ``set_fields``, and takes every field by its name so that ``Model.replace`` can rebuild it.
    2. Return its signals from ``signals``, so that their breakpoints are known.
    3. Give ``core/forces.py`` a branch with a new integer code: wrench or effort and power in
       ``apply``, stored energy (if any) in ``energy``, derivatives in ``differentiate``.
    4. Pack its numbers in ``compiled.py``, say there whether its power is dissipation or work,
       and how many states of its own it has.
    5. Export it in ``supple/__init__.py``; test its sign on a single body against a closed form,
       the energy audit of a run with it, and the tangent against differences.
    """

    name: str

    @property
    def frames(self) -> dict[str, Frame]:
        """The frames it uses, by field."""
        return {}

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The signals it uses."""
        return ()

    def _named(self, name: str) -> str:
        set_fields(self, name=validate.name(type(self).__name__, name))
        return label(self)


@dataclass(frozen=True, eq=False, init=False)
class Force(ForceElement):
    """A force (N) and a torque (N m) on a body, applied at a frame.

    Each of the three components is a number or a signal; stored as signals. ``axes`` says whether
    they are along the world's axes or turn with the body ("body": the axes of the frame).
    """

    frame: Frame
    force: SignalTriple
    torque: SignalTriple
    axes: Literal["world", "body"]

    def __init__(
        self,
        name: str,
        frame: Frame,
        force: Sequence[SignalLike] = (0.0, 0.0, 0.0),
        torque: Sequence[SignalLike] = (0.0, 0.0, 0.0),
        axes: Literal["world", "body"] = "world",
    ) -> None:
        owner = self._named(name)
        set_fields(
            self,
            frame=expect_body_frame(owner, "frame", frame),
            force=_three_signals(owner, "force", force),
            torque=_three_signals(owner, "torque", torque),
            axes=validate.choice(owner, "axes", axes, ("world", "body")),
        )

    @property
    def frames(self) -> dict[str, Frame]:
        """The frame of attack."""
        return {"frame": self.frame}

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Force components, then torque components."""
        return self.force + self.torque


@dataclass(frozen=True, eq=False, init=False)
class SpringDamper(ForceElement):
    """A spring and damper along the line between two frame origins.

    ``stiffness`` N/m, ``damping`` N s/m and the free ``length`` m are zero or positive. It pulls
    the two together with ``stiffness (distance - length) + damping distance'``.
    """

    A: Frame
    B: Frame
    stiffness: float
    damping: float
    length: float

    def __init__(
        self,
        name: str,
        A: Frame,
        B: Frame,
        stiffness: float = 0.0,
        damping: float = 0.0,
        length: float = 0.0,
    ) -> None:
        owner = self._named(name)
        frame_a, frame_b = expect_two_bodies(owner, A, B)
        set_fields(
            self,
            A=frame_a,
            B=frame_b,
            stiffness=validate.not_negative(owner, "stiffness", stiffness),
            damping=validate.not_negative(owner, "damping", damping),
            length=validate.not_negative(owner, "length", length),
        )

    @property
    def frames(self) -> dict[str, Frame]:
        """Both ends."""
        return {"A": self.A, "B": self.B}


@dataclass(frozen=True, eq=False, init=False)
class JointForce(ForceElement):
    """Base of the elements that act on one scalar coordinate of a joint.

    ``joint`` is a joint or its name (stored as the name), ``coordinate`` its place or its name.
    """

    joint: str
    coordinate: int | str

    def _act_on(self, name: str, joint: Joint | str, coordinate: int | str) -> str:
        owner = self._named(name)
        joint_name = check_joint_reference(owner, "joint", joint, coordinate)
        set_fields(self, joint=joint_name, coordinate=coordinate)
        return owner


@dataclass(frozen=True, eq=False, init=False)
class JointSpring(JointForce):
    """Effort ``-stiffness (q - rest) - damping q'`` on a joint coordinate.

    Units follow the coordinate: N m/rad and N m s/rad, or N/m and N s/m; zero or positive.
    """

    stiffness: float
    damping: float
    rest: float

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float = 0.0,
        coordinate: int | str = 0,
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        set_fields(
            self,
            stiffness=validate.not_negative(owner, "stiffness", stiffness),
            damping=validate.not_negative(owner, "damping", damping),
            rest=validate.number(owner, "rest", rest),
        )


@dataclass(frozen=True, eq=False, init=False)
class JointEffort(JointForce):
    """A given effort on a joint coordinate (N m or N): a number or a signal."""

    effort: Signal

    def __init__(
        self, name: str, joint: Joint | str, effort: SignalLike, coordinate: int | str = 0
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        set_fields(self, effort=as_signal(effort, owner, "effort"))

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The effort."""
        return (self.effort,)


@dataclass(frozen=True, eq=False, init=False)
class PID(JointForce):
    """A controller: effort ``kp (target - q) + ki z + kd (target' - q')``, ``z' = target - q``.

    ``target`` (rad or m) is a number or a signal; gains in N m/rad, N m/(rad s), N m s/rad, or
    the same with N and m.
    """

    kp: float
    ki: float
    kd: float
    target: Signal

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        kp: float = 0.0,
        ki: float = 0.0,
        kd: float = 0.0,
        target: SignalLike = 0.0,
        coordinate: int | str = 0,
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        set_fields(
            self,
            kp=validate.number(owner, "kp", kp),
            ki=validate.number(owner, "ki", ki),
            kd=validate.number(owner, "kd", kd),
            target=as_signal(target, owner, "target"),
        )

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The target."""
        return (self.target,)


def check_joint_reference(owner: str, field: str, joint: Any, coordinate: Any) -> str:
    """Return the joint's name; with the joint itself at hand its coordinate is checked too."""
    if isinstance(joint, Joint):
        joint.coordinate_index(coordinate, owner)
        return joint.name
    if not isinstance(joint, str):
        raise ModelError(owner, field, joint, "a joint or the name of a joint")
    return joint


def _three_signals(owner: str, field: str, value: Any) -> SignalTriple:
    if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != 3:
        raise ModelError(owner, field, value, "3 numbers or signals")
    x, y, z = (as_signal(entry, owner, f"{field}[{i}]") for i, entry in enumerate(value))
    return x, y, z
