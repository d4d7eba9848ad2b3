"""Grounds that are given by heights over a grid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.shapes.shape import (
    Shape,
    SurfaceData,
    TouchingSurface,
    expect_given,
)
from supple.bodies.shapes.splines import FAR, grid_splines, steepness
from supple.fem.drawn.surface import Surface, moved
from supple.foundation import validate
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, vector
from supple.foundation.poses import Pose
from supple.foundation.validate import read_only, set_fields

HEIGHTS = "heights (nx, ny) in m, each at least 4"
SPACING = "a positive number in m, or two"
MOST = 4096  # knots along one direction


def _heights(owner: str, field: str, value: Any) -> Vector:
    heights = validate.array(owner, field, value, HEIGHTS)
    if heights.ndim != 2 or min(heights.shape) < 4 or max(heights.shape) > MOST:
        raise ModelError(owner, field, value, HEIGHTS)
    return heights


def _spacing(owner: str, field: str, value: Any) -> Vector:
    if isinstance(value, (int, float)):
        value = (value, value)
    spacing = validate.vector(owner, field, value, 2, SPACING)
    if not np.all(spacing > 0.0):
        raise ModelError(owner, field, value, SPACING)
    return spacing


@declared
class HeightField(Shape):
    """A ground with heights over a grid, smooth between them; all below is solid.

    Balls, wheels, and balls or discs of bars, cylinders and boxes touch it. Heights between the
    knots are those of cubic splines, and the nearest point of that surface is exact. Outside of the
    grid the splines of its border go on; runs tell where a contact is there.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it, e.g. ``model.ground.at(0)``.
    heights : (nx, ny) m
        Along z, at the knots ``(i, j)`` times the spacing.
    spacing : m
        Between knots, along x and y if there are two.
    position : (3,) m
        Of the knot (0, 0) at the height zero, in the axes of the frame.
    rotation : (3, 3), (4,) or (3,), optional
        Its axes in those of the frame: matrix, quaternion or rotation vector (rad).
    """

    heights: Given[Sequence[ArrayLike] | None, Vector] = checked(_heights, "m", default=None)
    spacing: Given[ArrayLike | None, Vector] = checked(_spacing, "m", default=None)
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    rotation: Given[ArrayLike | None, Vector] = given("rad", default=None)

    def _check(self, owner: str) -> None:
        expect_given(owner, "heights", self.heights, HEIGHTS)
        expect_given(owner, "spacing", self.spacing, SPACING)
        set_fields(self, rotation=validate.rotation(owner, "rotation", self.rotation))

    @cached_property
    def _splines(self) -> Array:
        return grid_splines(self.heights)

    @cached_property
    def _bends(self) -> tuple[float, float]:
        """Least and largest curvature at the knots, 1/m, positive where it is a hump."""
        c, (h, k) = self._splines, self.spacing
        ends, slope, bend = np.array([1, 4, 1]) / 6, np.array([-1, 0, 1]) / 2, np.array([1, -2, 1])

        def at(a: Array, b: Array) -> Array:
            n, m = self.heights.shape
            parts = [a[i] * b[j] * c[i : i + n, j : j + m] for i in range(3) for j in range(3)]
            found: Array = np.sum(parts, axis=0)
            return found

        x, y = at(slope, ends) / h, at(ends, slope) / k
        xx, yy, xy = at(bend, ends) / h**2, at(ends, bend) / k**2, at(slope, slope) / (h * k)
        w = np.sqrt(1.0 + x**2 + y**2)
        mean = -0.5 * ((1 + y**2) * xx - 2 * x * y * xy + (1 + x**2) * yy) / w**3
        root = np.sqrt(np.maximum(mean**2 - (xx * yy - xy**2) / w**4, 0.0))
        return float((mean - root).min()), float((mean + root).max())

    @property
    def hollow(self) -> float | None:
        """Least radius of its hollows at the knots, m; None without."""
        least = self._bends[0]
        return -1.0 / least if least < 0.0 else None

    @property
    def allowed_depth(self) -> float | None:
        """0.05 of the least radius of its humps; None without."""
        most = self._bends[1]
        return 0.05 / most if most > 0.0 else None

    def surface(self) -> Surface:
        """Two triangles of each cell."""
        n, m = self.heights.shape
        x, y = (self.spacing[k] * np.arange(self.heights.shape[k]) for k in range(2))
        places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        points = np.column_stack([places, self.heights.ravel()])
        a = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).ravel()
        faces = [(a, a + m, a + m + 1), (a, a + m + 1, a + 1)]
        drawn = Surface(read_only(points), np.concatenate([np.stack(f, axis=1) for f in faces]))
        return moved(drawn, self.rotation, self.position)

    @property
    def touching_surface(self) -> TouchingSurface:
        """The ground."""
        c, (h, k) = self._splines, self.spacing
        steep = float(np.hypot(1.0, steepness(c, self.spacing)))
        numbers = np.concatenate([[0.0, 0.0, 0.0, h, k, h, steep], c.ravel()])
        data = SurfaceData((*self.heights.shape, 1), numbers)
        # radius of balls that fit it from outside, which is that of its hollows; half of what the
        # knots say, for places between them
        reach = FAR if self.hollow is None else 0.5 * self.hollow
        return TouchingSurface("field", (reach,), Pose(self.rotation, self.position), False, data)
