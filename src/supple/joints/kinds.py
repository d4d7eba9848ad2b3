"""The joints: how a frame on one body may move relative to a frame on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import Axis, Vector, read_only, set_fields
from supple.joints.base import Joint, Motion
from supple.joints.motions import MOTIONS

_PARALLEL = 1e-9


@dataclass(frozen=True, eq=False, init=False)
class Fixed(Joint):
    """No relative motion: the frames coincide."""

    coordinate_names = ()

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        initial: ArrayLike = (),
        initial_rate: ArrayLike = (),
        at: ArrayLike | None = None,
    ) -> None:
        self._connect(name, A, B, at)
        self._start(initial, initial_rate)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """None."""
        return ()


@dataclass(frozen=True, eq=False, init=False)
class _OneAxis(Joint):
    """A joint described by one axis, given in A's axes."""

    axis: Vector

    def _set_axis(self, name: str, A: Any, B: Any, at: ArrayLike | None, axis: Axis) -> None:
        owner = self._connect(name, A, B, at)
        set_fields(self, axis=validate.axis(owner, "axis", axis))


@dataclass(frozen=True, eq=False, init=False)
class Revolute(_OneAxis):
    """Rotation by ``angle`` (rad) about ``axis``."""

    coordinate_names = MOTIONS["rotate"].coordinates

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        axis: Axis = "z",
        initial: ArrayLike = 0.0,
        initial_rate: ArrayLike = 0.0,
        at: ArrayLike | None = None,
    ) -> None:
        self._set_axis(name, A, B, at, axis)
        self._start(initial, initial_rate)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """One rotation."""
        return (Motion("rotate", self.axis),)


@dataclass(frozen=True, eq=False, init=False)
class Prismatic(_OneAxis):
    """Translation by ``displacement`` (m) along ``axis``."""

    coordinate_names = MOTIONS["translate"].coordinates

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        axis: Axis = "x",
        initial: ArrayLike = 0.0,
        initial_rate: ArrayLike = 0.0,
        at: ArrayLike | None = None,
    ) -> None:
        self._set_axis(name, A, B, at, axis)
        self._start(initial, initial_rate)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """One translation."""
        return (Motion("translate", self.axis),)


@dataclass(frozen=True, eq=False, init=False)
class Cylindrical(_OneAxis):
    """Translation by ``displacement`` (m) along ``axis``, then rotation by ``angle`` (rad)."""

    coordinate_names = ("displacement", "angle")

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        axis: Axis = "z",
        initial: ArrayLike | None = None,
        initial_rate: ArrayLike | None = None,
        at: ArrayLike | None = None,
    ) -> None:
        self._set_axis(name, A, B, at, axis)
        self._start(initial, initial_rate)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """A translation and a rotation."""
        return (Motion("translate", self.axis), Motion("rotate", self.axis))


@dataclass(frozen=True, eq=False, init=False)
class Universal(Joint):
    """Rotation by ``angle_1`` about the first axis, then ``angle_2`` about the turned second."""

    coordinate_names = ("angle_1", "angle_2")

    axes: tuple[Vector, Vector]

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        axes: Sequence[Axis] = ("x", "y"),
        initial: ArrayLike | None = None,
        initial_rate: ArrayLike | None = None,
        at: ArrayLike | None = None,
    ) -> None:
        owner = self._connect(name, A, B, at)
        expected = "2 axes, e.g. ('x', 'y')"
        if len(validate.listed(owner, "axes", axes, expected)) != 2:
            raise ModelError(owner, "axes", axes, expected)
        first, second = (validate.axis(owner, f"axes[{i}]", axis) for i, axis in enumerate(axes))
        if _parallel(first, second):
            raise ModelError(owner, "axes", axes, "2 axes that are not parallel")
        set_fields(self, axes=(first, second))
        self._start(initial, initial_rate)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """Two rotations."""
        return tuple(Motion("rotate", axis) for axis in self.axes)


@dataclass(frozen=True, eq=False, init=False)
class Planar(Joint):
    """Motion in the plane across ``normal``: two displacements (m), then the angle (rad).

    The in-plane axes e1, e2 and the normal are right-handed; e1 is the coordinate axis that
    follows the normal's largest component (z -> x, x -> y, y -> z), made orthogonal to it.
    """

    coordinate_names = ("displacement_1", "displacement_2", "angle")

    normal: Vector

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        normal: Axis = "z",
        initial: ArrayLike | None = None,
        initial_rate: ArrayLike | None = None,
        at: ArrayLike | None = None,
    ) -> None:
        owner = self._connect(name, A, B, at)
        set_fields(self, normal=validate.axis(owner, "normal", normal))
        self._start(initial, initial_rate)

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


@dataclass(frozen=True, eq=False, init=False)
class Spherical(Joint):
    """Free rotation about a common point; never locks.

    ``initial`` is a quaternion (w, x, y, z) or a rotation vector of 3 (rad); ``initial_rate``
    the angular velocity (3,) rad/s of B relative to A, in B's axes.
    """

    coordinate_names = MOTIONS["ball"].coordinates

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        initial: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        initial_rate: ArrayLike = (0.0, 0.0, 0.0),
        at: ArrayLike | None = None,
    ) -> None:
        self._connect(name, A, B, at)
        self._start(initial, initial_rate)

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


@dataclass(frozen=True, eq=False, init=False)
class Free(Joint):
    """All six motions; never locks.

    ``initial`` is (w, x, y, z, x, y, z), quaternion and position (m) of B in A's axes, or the
    position of 3 alone; ``initial_rate`` the twist (6,) [angular; linear] in rad/s and m/s of B
    relative to A, in B's axes at B's origin.
    """

    coordinate_names = MOTIONS["free"].coordinates

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        initial: ArrayLike = (0.0, 0.0, 0.0),
        initial_rate: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        at: ArrayLike | None = None,
    ) -> None:
        self._connect(name, A, B, at)
        self._start(initial, initial_rate)

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


@dataclass(frozen=True, eq=False, init=False)
class General(Joint):
    """One to six rotations and translations composed in order.

    ``axes`` is a sequence of ``("rotate", axis)`` and ``("translate", axis)``. Coordinates are
    ``angle_i`` and ``displacement_i``, numbered by place from 1. Three rotations can lock; use
    ``Spherical`` or ``Free`` where that may happen.
    """

    axes: tuple[tuple[Literal["rotate", "translate"], Vector], ...]

    NAMES: ClassVar[dict[str, str]] = {k.name: k.coordinates[0] for k in MOTIONS.values() if k.axis}

    def __init__(
        self,
        name: str,
        A: Frame | Body,
        B: Frame | Body,
        axes: Sequence[tuple[Literal["rotate", "translate"], Axis]],
        initial: ArrayLike | None = None,
        initial_rate: ArrayLike | None = None,
        at: ArrayLike | None = None,
    ) -> None:
        owner = self._connect(name, A, B, at)
        set_fields(self, axes=self._checked(owner, axes))
        self._start(initial, initial_rate)

    def _checked(self, owner: str, axes: Any) -> tuple[tuple[Any, Vector], ...]:
        expected = "1 to 6 pairs such as ('rotate', 'z') or ('translate', (1, 0, 0))"
        if not isinstance(axes, (tuple, list)) or not 1 <= len(axes) <= 6:
            raise ModelError(owner, "axes", axes, expected)
        pairs: list[tuple[Any, Vector]] = []
        for i, pair in enumerate(axes):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise ModelError(owner, f"axes[{i}]", pair, "a pair such as ('rotate', 'z')")
            kind = validate.choice(owner, f"kind of axes[{i}]", pair[0], tuple(self.NAMES))
            pairs.append((kind, validate.axis(owner, f"axes[{i}]", pair[1])))
        for i, ((last_kind, last_axis), (kind, axis)) in enumerate(pairwise(pairs), 1):
            if last_kind == kind and _parallel(last_axis, axis):
                raise ModelError(
                    owner,
                    f"axes[{i}]",
                    axes[i],
                    f"an axis that is not parallel to the {kind} before it",
                )
        if sum(kind == "translate" for kind, _ in pairs) > 3:
            raise ModelError(owner, "axes", axes, "not more than 3 translations")
        return tuple(pairs)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """The axes in order."""
        return tuple(Motion(kind, axis) for kind, axis in self.axes)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """For example ("angle_1", "displacement_2")."""
        return tuple(f"{self.NAMES[kind]}_{i}" for i, (kind, _) in enumerate(self.axes, 1))


def _parallel(first: Vector, second: Vector) -> bool:
    return float(np.linalg.norm(np.cross(first, second))) < _PARALLEL
