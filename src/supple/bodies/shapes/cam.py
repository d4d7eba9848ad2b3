"""Cams: solids with a closed smooth curve as their section."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.shapes.shape import (
    Shape,
    SurfaceData,
    TouchingCurve,
    TouchingSurface,
    expect_given,
)
from supple.bodies.shapes.splines import closed_curve, curvatures, reach_outside
from supple.fem.drawn.surface import Surface, moved
from supple.foundation import validate
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, positive, vector
from supple.foundation.poses import Pose
from supple.foundation.validate import read_only, set_fields

RADII = "at least 8 positive numbers in m, over even angles"
POINTS = "at least 8 points (n, 2) in m that follow each other around the cam"
MOST = 4096  # points


def _radii(owner: str, field: str, value: Any) -> Vector:
    radii = validate.array(owner, field, value, RADII)
    if radii.ndim != 1 or not 8 <= len(radii) <= MOST or not np.all(radii > 0.0):
        raise ModelError(owner, field, value, RADII)
    return radii


def _points(owner: str, field: str, value: Any) -> Vector:
    points = validate.array(owner, field, value, POINTS)
    if points.ndim != 2 or points.shape[1] != 2 or not 8 <= len(points) <= MOST:
        raise ModelError(owner, field, value, POINTS)
    if not np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1).all():
        raise ModelError(owner, field, value, POINTS + ", no two at the same place")
    return points


@declared
class Cam(Shape):
    """A solid whose section is a closed smooth curve in x and y: rollers and followers touch it.

    The curve is a cubic spline through radii over even angles, or through points.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it.
    radii : (n,) m
        Over the angles 0, 2 pi/n, ... from x to y; or ``points``.
    points : (n, 2) m
        That follow each other around the cam, in either sense.
    width : m
        Along z.
    position : (3,) m
        Its middle, in the axes of the frame.
    rotation : (3, 3), (4,) or (3,), optional
        Its axes in those of the frame: matrix, quaternion or rotation vector (rad).
    """

    radii: Given[ArrayLike | None, Vector | None] = checked(_radii, "m", default=None)
    points: Given[Sequence[ArrayLike] | None, Vector | None] = checked(_points, "m", default=None)
    width: float = positive("m", default=None)
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    rotation: Given[ArrayLike | None, Vector] = given("rad", default=None)

    def _check(self, owner: str) -> None:
        if (self.radii is None) == (self.points is None):
            both = "missing" if self.radii is None else "given"
            raise ModelError.plain(f"{owner}: radii and points are both {both}, expected one")
        expect_given(owner, "width", self.width, "a positive number in m")
        set_fields(self, rotation=validate.rotation(owner, "rotation", self.rotation))

    @cached_property
    def _curve(self) -> Array:
        """Coefficients (pieces, 2, 4), counterclockwise."""
        if self.radii is not None:
            angle = 2.0 * np.pi * np.arange(len(self.radii)) / len(self.radii)
            points: Array = self.radii[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        else:
            assert self.points is not None
            points = self.points
        x, y = points.T
        if np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) < 0.0:
            points = points[::-1]
        return closed_curve(points)

    @property
    def hollow(self) -> float | None:
        """Least radius of its hollows, m; None of a convex cam."""
        least = float(curvatures(self._curve).min())
        return -1.0 / least if least < 0.0 else None

    @property
    def allowed_depth(self) -> float:
        """0.05 of the least radius of curvature where it is convex, or 0.1 of its width."""
        return min(0.05 / float(curvatures(self._curve).max()), 0.1 * self.width)

    def surface(self) -> Surface:
        """The side and both ends."""
        line = self._curve[:: max(1, len(self._curve) // 128), :, 0]
        n, middle = len(line), line.mean(axis=0)
        rings = [np.column_stack([line, np.full(n, z)]) for z in (-0.5, 0.5)]
        ends = [[*middle, -0.5], [*middle, 0.5]]
        k = np.arange(n)
        j = np.roll(k, -1)
        low, high = np.full(n, 2 * n), np.full(n, 2 * n + 1)
        faces = [(k, j, n + j), (k, n + j, n + k), (low, j, k), (high, n + k, n + j)]
        points = np.concatenate([*rings, ends]) * [1.0, 1.0, self.width]
        drawn = Surface(read_only(points), np.concatenate([np.stack(f, axis=1) for f in faces]))
        return moved(drawn, self.rotation, self.position)

    @cached_property
    def _reach(self) -> float:
        return reach_outside(self._curve)

    @property
    def _data(self) -> SurfaceData:
        numbers = np.concatenate([[0.5 * self.width], self._curve.ravel()])
        return SurfaceData((len(self._curve), 1, 1), numbers)

    @property
    def touching_surface(self) -> TouchingSurface:
        """Side, ends and edges."""
        pose = Pose(self.rotation, self.position)
        return TouchingSurface("cam", (self._reach,), pose, False, self._data)

    @property
    def touching_curve(self) -> TouchingCurve:
        """The side."""
        lengths = np.abs(self._curve).sum(axis=2)  # a piece is within the sum of its coefficients
        reach = float(np.hypot(np.linalg.norm(lengths, axis=1).max(), 0.5 * self.width))
        return TouchingCurve(Pose(self.rotation, self.position), self._data, reach)
