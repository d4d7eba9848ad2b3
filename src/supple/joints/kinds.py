"""The joints: how a frame on one body may move relative to a frame on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, unit_vector
from supple.foundation.validate import Axis, read_only
from supple.joints.base import Joint, Motion
from supple.joints.motions import MOTIONS

_PARALLEL = 1e-9
# What the coordinate of a motion about or along an axis is called.
AXIS_COORDINATES = {kind.name: kind.coordinates[0] for kind in MOTIONS.values() if kind.axis}


@declared
class Fixed(Joint):
    """No relative motion: the frames coincide."""

    coordinate_names = ()

    initial: InitVar[ArrayLike] = given("rad or m", default=())
    initial_rate: InitVar[ArrayLike] = given("rad/s or m/s", default=())
    at: InitVar[ArrayLike | None] = given("m", default=None)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """None."""
        return ()


@declared
class Revolute(Joint):
    """Rotation by ``angle`` (rad) about ``axis``."""

    coordinate_names = MOTIONS["rotate"].coordinates

    axis: Given[Axis, Vector] = unit_vector(default="z")
    initial: InitVar[ArrayLike] = given("rad or m", default=0.0)
    initial_rate: InitVar[ArrayLike] = given("rad/s or m/s", default=0.0)
    at: InitVar[ArrayLike | None] = given("m", default=None)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """One rotation."""
        return (Motion("rotate", self.axis),)


@declared
class Prismatic(Joint):
    """Translation by ``displacement`` (m) along ``axis``."""

    coordinate_names = MOTIONS["translate"].coordinates

    axis: Given[Axis, Vector] = unit_vector(default="x")
    initial: InitVar[ArrayLike] = given("rad or m", default=0.0)
    initial_rate: InitVar[ArrayLike] = given("rad/s or m/s", default=0.0)
    at: InitVar[ArrayLike | None] = given("m", default=None)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """One translation."""
        return (Motion("translate", self.axis),)


@declared
class Cylindrical(Joint):
    """Translation by ``displacement`` (m) along ``axis``, then rotation by ``angle`` (rad)."""

    coordinate_names = ("displacement", "angle")

    axis: Given[Axis, Vector] = unit_vector(default="z")
    initial: InitVar[ArrayLike | None] = given("rad or m", default=None)
    initial_rate: InitVar[ArrayLike | None] = given("rad/s or m/s", default=None)
    at: InitVar[ArrayLike | None] = given("m", default=None)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """A translation and a rotation."""
        return (Motion("translate", self.axis), Motion("rotate", self.axis))


def _parallel(first: Vector, second: Vector) -> bool:
    return float(np.linalg.norm(np.cross(first, second))) < _PARALLEL


def _two_axes(owner: str, field: str, axes: Any) -> tuple[Vector, Vector]:
    expected = "2 axes, e.g. ('x', 'y')"
    if len(validate.listed(owner, field, axes, expected)) != 2:
        raise ModelError(owner, field, axes, expected)
    first, second = (validate.axis(owner, f"{field}[{i}]", axis) for i, axis in enumerate(axes))
    if _parallel(first, second):
        raise ModelError(owner, field, axes, "2 axes that are not parallel")
    return first, second


@declared
class Universal(Joint):
    """Rotation by ``angle_1`` about the first axis, then ``angle_2`` about the turned second."""

    coordinate_names = ("angle_1", "angle_2")

    axes: Given[Sequence[Axis], tuple[Vector, Vector]] = checked(_two_axes, default=("x", "y"))
    initial: InitVar[ArrayLike | None] = given("rad or m", default=None)
    initial_rate: InitVar[ArrayLike | None] = given("rad/s or m/s", default=None)
    at: InitVar[ArrayLike | None] = given("m", default=None)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """Two rotations."""
        return tuple(Motion("rotate", axis) for axis in self.axes)


@declared
class Planar(Joint):
    """Motion in the plane across ``normal``: two displacements (m), then the angle (rad).

    The in-plane axes e1, e2 and the normal are right-handed; e1 is the coordinate axis that
    follows the normal's largest component (z -> x, x -> y, y -> z), made orthogonal to it.
    """

    coordinate_names = ("displacement_1", "displacement_2", "angle")

    normal: Given[Axis, Vector] = unit_vector(default="z")
    initial: InitVar[ArrayLike | None] = given("rad or m", default=None)
    initial_rate: InitVar[ArrayLike | None] = given("rad/s or m/s", default=None)
    at: InitVar[ArrayLike | None] = given("m", default=None)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """Two translations and a rotation."""
        n = self.normal
        next_axis = np.eye(3)[(int(np.argmax(np.abs(n))) + 1) % 3]
        e1 = next_axis - np.dot(next_axis, n) * n
        e1 = e1 / np.linalg.norm(e1)
        e2 = np.cross(n, e1)
        return (
            Motion("translate", read_only(e1 + 0.0)),
            Motion("translate", read_only(e2 + 0.0)),
            Motion("rotate", n),
        )


@declared
class Spherical(Joint):
    """Free rotation about a common point; never locks.

    ``initial`` is a quaternion (w, x, y, z) or a rotation vector of 3 (rad); ``initial_rate``
    the angular velocity (3,) rad/s of B relative to A, in B's axes.
    """

    coordinate_names = MOTIONS["ball"].coordinates

    initial: InitVar[ArrayLike] = given("rad or m", default=(1.0, 0.0, 0.0, 0.0))
    initial_rate: InitVar[ArrayLike] = given("rad/s or m/s", default=(0.0, 0.0, 0.0))
    at: InitVar[ArrayLike | None] = given("m", default=None)

    def _coordinates(self, owner: str, initial: Any) -> Vector:
        return validate.unit_quaternion(
            owner,
            "initial",
            initial,
            "a quaternion (w, x, y, z) that is not zero or a rotation vector of 3 (rad)",
        )

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """One ball motion."""
        return (Motion("ball"),)


@declared
class Free(Joint):
    """All six motions; never locks.

    ``initial`` is (w, x, y, z, x, y, z), quaternion and position (m) of B in A's axes, or the
    position of 3 alone; ``initial_rate`` the twist (6,) [angular; linear] in rad/s and m/s of B
    relative to A, in B's axes at B's origin.
    """

    coordinate_names = MOTIONS["free"].coordinates

    initial: InitVar[ArrayLike] = given("rad or m", default=(0.0, 0.0, 0.0))
    initial_rate: InitVar[ArrayLike] = given("rad/s or m/s", default=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    at: InitVar[ArrayLike | None] = given("m", default=None)

    def _coordinates(self, owner: str, initial: Any) -> Vector:
        expected = "7 numbers (quaternion that is not zero, then position) or 3 (position)"
        given = validate.array(owner, "initial", initial, expected)
        if given.shape == (3,):
            return read_only([1.0, 0.0, 0.0, 0.0, *given])
        if given.shape != (7,) or not np.any(given[:4]):
            raise ModelError(owner, "initial", initial, expected)
        quaternion = validate.unit_quaternion(owner, "initial", given[:4], expected)
        return read_only([*quaternion, *given[4:]])

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """One free motion."""
        return (Motion("free"),)


def _pairs(owner: str, field: str, axes: Any) -> tuple[tuple[Any, Vector], ...]:
    expected = "1 to 6 pairs such as ('rotate', 'z') or ('translate', (1, 0, 0))"
    if not isinstance(axes, (tuple, list)) or not 1 <= len(axes) <= 6:
        raise ModelError(owner, field, axes, expected)
    pairs: list[tuple[Any, Vector]] = []
    for i, pair in enumerate(axes):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ModelError(owner, f"{field}[{i}]", pair, "a pair such as ('rotate', 'z')")
        kind = validate.choice(owner, f"kind of {field}[{i}]", pair[0], tuple(AXIS_COORDINATES))
        pairs.append((kind, validate.axis(owner, f"{field}[{i}]", pair[1])))
    for i, ((last_kind, last_axis), (kind, axis)) in enumerate(pairwise(pairs), 1):
        if last_kind == kind and _parallel(last_axis, axis):
            raise ModelError(
                owner,
                f"{field}[{i}]",
                axes[i],
                f"an axis that is not parallel to the {kind} before it",
            )
    if sum(kind == "translate" for kind, _ in pairs) > 3:
        raise ModelError(owner, field, axes, "not more than 3 translations")
    return tuple(pairs)


@declared
class General(Joint):
    """One to six rotations and translations composed in order.

    ``axes`` is a sequence of ``("rotate", axis)`` and ``("translate", axis)``. Coordinates are
    ``angle_i`` and ``displacement_i``, numbered by place from 1. Three rotations can lock; use
    ``Spherical`` or ``Free`` where that may happen.
    """

    axes: Given[
        Sequence[tuple[Literal["rotate", "translate"], Axis]],
        tuple[tuple[Literal["rotate", "translate"], Vector], ...],
    ] = checked(_pairs)
    initial: InitVar[ArrayLike | None] = given("rad or m", default=None)
    initial_rate: InitVar[ArrayLike | None] = given("rad/s or m/s", default=None)
    at: InitVar[ArrayLike | None] = given("m", default=None)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """The axes in order."""
        return tuple(Motion(kind, axis) for kind, axis in self.axes)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """For example ("angle_1", "displacement_2")."""
        return tuple(f"{AXIS_COORDINATES[kind]}_{i}" for i, (kind, _) in enumerate(self.axes, 1))
