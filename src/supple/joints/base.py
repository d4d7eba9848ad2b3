"""Joint: the base of all joints, and the elementary motions they are made of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import InitVar, dataclass
from functools import cache
from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, describe, label
from supple.foundation.fields import declared, given, named, stored
from supple.foundation.frames import Body, Frame, expect_two_bodies
from supple.foundation.poses import EYE, IDENTITY, Pose, quaternion_matrix
from supple.foundation.validate import read_only, rotation_vector_quaternion, set_fields
from supple.joints.motions import MOTIONS, Chart, MotionKind, MotionName


@dataclass(frozen=True, eq=False)
class Motion:
    """One elementary motion of a joint.

    ``axis`` is the unit vector (3,) of a "rotate" or "translate" in the axes of the intermediate
    frame before it, which are A's axes while the earlier coordinates are zero; None for "ball"
    (unit quaternion) and "free" (unit quaternion, then position in A's axes).
    """

    kind: MotionName
    axis: Vector | None = None

    @cached_property
    def row(self) -> MotionKind:
        """Row of its kind in the table of motions."""
        found = MOTIONS.get(self.kind)
        if found is None or found.chart is None:
            known = [kind.name for kind in MOTIONS.values() if kind.chart is not None]
            raise ModelError("Motion", "kind", self.kind, f"one of {', '.join(known)}")
        if found.axis != (self.axis is not None):
            expected = "an axis (3,)" if found.axis else f"none for {self.kind!r}"
            raise ModelError("Motion", "axis", self.axis, expected)
        return found

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.row.units)

    @property
    def nu(self) -> int:
        """Number of velocities."""
        return len(self.row.directions)

    def pose(self, x: Vector) -> Pose:
        """Pose of the frame after it in the frame before it, at the coordinates (nq,)."""
        if self.kind == "rotate" and self.axis is not None:
            turn = rotation_vector_quaternion(float(x[0]) * self.axis)
            return Pose(quaternion_matrix(turn), IDENTITY.p)
        if self.kind == "translate" and self.axis is not None:
            return Pose(EYE, x[0] * self.axis)
        if self.row.chart is None or not self.row.chart.quaternion:
            expected = "rotate, translate or a motion with a quaternion"
            raise ModelError("Motion", "kind", self.kind, expected)
        return Pose(quaternion_matrix(x[:4]), x[4:] if self.nq == 7 else IDENTITY.p)


@stored
class _JointFields:
    """Fields that each joint has: name, both frames, coordinates and velocities at the start."""

    name: str
    A: Frame
    B: Frame
    initial: Vector
    initial_rate: Vector


@declared(init=False)
class Joint(_JointFields, ABC):
    """Base of all joints: the coordinates are the pose of B in A, zero where they coincide.

    Parameters
    ----------
    name : str
        Unique in its model.
    A, B : Frame, or with ``at`` a body or the ground
        Frames on two different bodies; either may be on the ground.
    initial : number or sequence
        Coordinates at the start, shape (nq,), rad and m. A plain number for a single coordinate.
    initial_rate : number or sequence
        Velocities at the start, shape (nu,), rad/s and m/s.
    at : (3,) m, optional
        The joint's point in the world, where the bodies are in the position that the model is
        written in (their ``position`` and ``rotation``). A and B are the frames there, along
        the world's axes: so are the axes of the joint, and its coordinates are zero there.

    The pose of B in A is ``motion_1(q_1) motion_2(q_2) ...`` in the order of ``motions``. A joint
    means the same whichever side is nearer to the ground.

    How to add one is in CONTRIBUTING.md, "A joint".
    """

    name: str = named()
    A: InitVar[Frame | Body] = given()
    B: InitVar[Frame | Body] = given()

    @property
    @abstractmethod
    def motions(self) -> tuple[Motion, ...]:
        """The elementary motions in order, what the compiler reads."""

    def needs_axes(self, field: str) -> str:
        """Joint that is expected instead where that frame has no axes; empty if it needs none."""
        del field
        charts = [motion.row.chart for motion in self.motions]
        if charts and all(chart is not None and chart.quaternion for chart in charts):
            return ""
        return "a joint that leaves all rotations free, e.g. Spherical"

    @property
    @abstractmethod
    def coordinate_names(self) -> tuple[str, ...]:
        """One name for each coordinate."""

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(motion.nq for motion in self.motions)

    @cached_property
    def nu(self) -> int:
        """Number of velocities, the degrees of freedom."""
        return sum(motion.nu for motion in self.motions)

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each coordinate: "rad", "m" or "1"."""
        return tuple(unit for motion in self.motions for unit in motion.row.units)

    @property
    def chart(self) -> Chart:
        """Relation of its coordinates to its motion; of a chain, that of axes."""
        motions = self.motions
        first = motions[0].row.chart if motions else MOTIONS["fixed"].chart
        chain = len(motions) > 1
        alike = not chain or all(motion.row.chart is first for motion in motions)
        if first is None or not alike or (chain and not first.axes):
            found = tuple(motion.kind for motion in motions)
            expected = "motions about and along axes, or a single other motion"
            raise ModelError(label(self), "motions", found, expected)
        return first

    @property
    def frames(self) -> dict[str, Frame]:
        """The frames it uses, by field."""
        return {"A": self.A, "B": self.B}

    @property
    def at(self) -> Vector | None:
        """Place (3,) in the world at which both frames were asked for, m; None if by frames."""
        a, b = self.A.world, self.B.world
        if a is None or b is None or not (np.array_equal(a.p, b.p) and np.array_equal(a.R, b.R)):
            return None
        return read_only(a.p)

    def pose(self, coordinates: Vector) -> Pose:
        """Pose of B in A at the coordinates (nq,), rad and m."""
        found, first = IDENTITY, 0
        for motion in self.motions:
            found = found.then(motion.pose(coordinates[first : first + motion.nq]))
            first += motion.nq
        return found

    def coordinate_index(self, coordinate: int | str, owner: str) -> int:
        """Return the place of a scalar coordinate given by place or name, for ``owner``."""
        if self.nq != self.nu:
            raise ModelError(
                owner, "joint", self, "a joint with scalar coordinates, not with a quaternion"
            )
        names = self.coordinate_names
        if not names:
            raise ModelError(owner, "joint", self, "a joint with at least one coordinate")
        if isinstance(coordinate, str) and coordinate in names:
            return names.index(coordinate)
        whole = isinstance(coordinate, (int, np.integer)) and not isinstance(coordinate, bool)
        if whole and 0 <= int(coordinate) < len(names):
            return int(coordinate)
        places = "0" if len(names) == 1 else f"0 to {len(names) - 1}"
        shown = ", ".join(repr(n) for n in names)
        raise ModelError(
            owner, "coordinate", coordinate, f"{places} or {shown} of {describe(self)}"
        )

    def _check(
        self, owner: str, A: Any, B: Any, initial: Any, initial_rate: Any, at: Any = None
    ) -> None:
        frame_a, frame_b = expect_two_bodies(owner, A, B, at, ", or at=(x, y, z)")
        set_fields(self, A=frame_a, B=frame_b)
        set_fields(
            self,
            initial=self._coordinates(owner, initial),
            initial_rate=_numbers(owner, "initial_rate", initial_rate, self.nu, "velocity"),
        )

    def _coordinates(self, owner: str, initial: Any) -> Vector:
        return _numbers(owner, "initial", initial, self.nq, "coordinate")


@cache
def _zeros(size: int) -> Vector:
    return read_only(np.zeros(size))


def _numbers(owner: str, field: str, value: Any, size: int, what: str) -> Vector:
    """Return ``size`` numbers; None means zeros, and one number may stand alone."""
    if value is None:
        return _zeros(size)
    if size == 1 and type(value) is float and math.isfinite(value):
        return read_only((value,))
    expected = {
        0: f"nothing, because the joint has no {what}",
        1: "a finite number",
    }.get(size, f"{size} finite numbers, one for each {what}")
    given = validate.array(owner, field, value, expected)
    if size == 1 and given.shape == ():
        given = read_only(given.reshape(1))
    if given.shape != (size,):
        raise ModelError(owner, field, value, expected)
    return given
