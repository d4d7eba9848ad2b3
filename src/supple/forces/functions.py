"""Forces given by Python functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from supple import validate
from supple.elements import Shaft, Target, check_joint_reference
from supple.errors import ModelError
from supple.forces.base import ForceElement
from supple.frames import Frame, expect_body_frame
from supple.joints import Joint
from supple.validate import Vector, set_fields

MOST_COORDINATES = 24


class FrameState(NamedTuple):
    """Where a frame is and how it moves, all in world axes.

    position (3,) m, rotation (3, 3) from frame to world axes, velocity (3,) m/s,
    angular_velocity (3,) rad/s.
    """

    position: Vector
    rotation: Vector
    velocity: Vector
    angular_velocity: Vector


@dataclass(frozen=True, eq=False, init=False)
class ForceFunction(ForceElement):
    """A force and torque on a body, computed by a Python function.

    Parameters
    ----------
    frame : Frame
        Where the force acts.
    function : callable
        ``function(t, state) -> force`` or ``-> (force, torque)`` in world axes (3,), N and N m,
        with t in s and ``state`` a ``FrameState``. It should be smooth and depend on nothing else.
    kinks : s
        Times at which it is not smooth; integrators land on them.

    It is called from the compiled loop at every evaluation, and thirteen times for every tangent
    (differences): slower than any other element.
    """

    frame: Frame
    function: Callable[[float, FrameState], Any]
    kinks: tuple[float, ...]

    def __init__(
        self,
        name: str,
        frame: Frame,
        function: Callable[[float, FrameState], Any],
        kinks: ArrayLike = (),
    ) -> None:
        owner = self._named(name)
        set_fields(
            self,
            frame=expect_body_frame(owner, "frame", frame),
            function=_callable(owner, function, "function(t, state) -> force"),
            kinks=_times(owner, kinks),
        )

    @property
    def frames(self) -> dict[str, Frame]:
        """The frame of attack."""
        return {"frame": self.frame}

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """The times that were given."""
        return self.kinks


@dataclass(frozen=True, eq=False, init=False)
class EffortFunction(ForceElement):
    """Efforts on one or several joint coordinates, computed by a Python function.

    Parameters
    ----------
    joints : joint, motor or name, or a list of them
        An entry may be a pair (joint, coordinate) for joints with several coordinates.
    function : callable
        ``function(t, q, u) -> efforts``: q and u are arrays over the entries (n,), in rad or m and
        their rates; the result has n numbers (N m or N). For a single entry that is no list, q, u
        and the result are numbers.
    kinks : s
        Times at which it is not smooth; integrators land on them.
    """

    joints: tuple[Target, ...]
    function: Callable[[float, Any, Any], Any]
    kinks: tuple[float, ...]
    single: bool

    def __init__(
        self,
        name: str,
        joints: Any,
        function: Callable[[float, Any, Any], Any],
        kinks: ArrayLike = (),
        single: bool | None = None,
    ) -> None:
        owner = self._named(name)
        alone = isinstance(joints, (str, Joint, Shaft))
        entries = [joints] if alone else joints
        if not isinstance(entries, Sequence) or not 0 < len(entries) <= MOST_COORDINATES:
            expected = f"a joint or a list of 1 to {MOST_COORDINATES} joints"
            raise ModelError(owner, "joints", joints, expected)
        targets = []
        for i, entry in enumerate(entries):
            joint, coordinate = entry if isinstance(entry, tuple) else (entry, 0)
            found = check_joint_reference(owner, f"joints[{i}]", joint, coordinate, shafts=True)
            targets.append((found, coordinate))
        set_fields(
            self,
            joints=tuple(targets),
            function=_callable(owner, function, "function(t, q, u) -> efforts"),
            kinks=_times(owner, kinks),
            single=alone if single is None else validate.flag(owner, "single", single),
        )

    @property
    def targets(self) -> tuple[Target, ...]:
        """Joints and their coordinates."""
        return self.joints

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """The times that were given."""
        return self.kinks


def _callable(owner: str, value: Any, expected: str) -> Any:
    if not callable(value):
        raise ModelError(owner, "function", value, f"a function, {expected}")
    return value


def _times(owner: str, value: ArrayLike) -> tuple[float, ...]:
    times = validate.array(owner, "kinks", value, "finite times in s")
    return tuple(sorted(float(t) for t in times.reshape(-1)))
