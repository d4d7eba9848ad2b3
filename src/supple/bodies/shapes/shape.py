"""Forms of bodies, by which these are drawn and touch each other: what all of them have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from supple.fem.drawn.primitives import cuboid
from supple.fem.drawn.surface import Surface, joined, moved
from supple.foundation import validate
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import (
    checked,
    declared,
)
from supple.foundation.frames import Frame, expect_frame
from supple.foundation.poses import Pose

SHAPE = "a Cuboid, Cylinder, Capsule, Torus, Sphere or MeshShape, or a sequence of them"
MOST = 6  # distances of balls, or of discs, along a side
SIZE = "a size by its name, e.g. radius=0.05: the first argument is a frame of a body"


class SurfaceData(NamedTuple):
    """Numbers of a surface that has more than a few: core/contact/fields.py."""

    counts: tuple[int, int, int]
    numbers: Vector


class TouchingSurface(NamedTuple):
    """A surface that balls of other bodies touch: its kind, sizes, and its pose.

    A ``frame`` is on the body of the shape; None is the frame of the shape.
    """

    kind: Literal[
        "plane", "ball", "bar", "cylinder", "ring", "box", "cone", "cam", "field", "grid", "teeth"
    ]  # core/contact/surfaces.py; gears.py
    sizes: tuple[float, ...]
    pose: Pose  # in the axes of the frame
    inside: bool
    data: SurfaceData | None = None
    frame: Frame | None = None

    @property
    def rounding(self) -> float:
        """Radius of the edges of a solid, m."""
        place = {"bar": 0, "cylinder": 2, "box": 3}.get(self.kind, len(self.sizes))
        return sum(self.sizes[place : place + 1])


class TouchingBall(NamedTuple):
    """A ball that touches surfaces: its place in the axes of the frame, and its radius.

    A ``frame`` is on the body of the shape; None is the frame of the shape. Stiffnesses of laws
    are multiplied by the ``weight``: 1, or the length (m) or area (m2) that a ball stands for,
    where they are those per length or area.
    """

    place: Vector
    radius: float
    frame: Frame | None = None
    weight: float = 1.0


class TouchingCore(NamedTuple):
    """What is left of a solid without its rounding: a segment, disc, cylinder or box."""

    pose: Pose  # in the axes of the shape's frame; round ones are round about z
    half: tuple[float, float, float]  # half sizes; of round ones the radius twice, half length
    radius: float  # of the rounding
    is_box: bool = False
    frame: Frame | None = None

    @property
    def reach(self) -> float:
        """Largest distance of its places from its middle, m."""
        return math.hypot(*self.half) if self.is_box else math.hypot(*self.half[1:])

    def depths(self, places: Array) -> Array:
        """Depths of places (n, 3) in its axes below its surface, m; negative outside."""
        out = np.abs(places) - np.array(self.half)
        if not self.is_box:
            across = np.hypot(places[:, 0], places[:, 1]) - self.half[0]
            out = np.column_stack([across, out[:, 2]])
        apart = np.linalg.norm(np.maximum(out, 0.0), axis=1)
        found: Array = self.radius - apart - np.minimum(out.max(axis=1), 0.0)
        return found

    def spread(self, longest: float) -> list[TouchingBall | TouchingCore]:
        """Balls over a box or along a segment, or discs along a cylinder.

        They are no farther apart than a length (m), or `MOST` of them between both ends of a side:
        where a surface has hollows, what is flat or straight touches at several places.
        """
        sides = [
            np.linspace(-half, half, min(MOST, math.ceil(2.0 * half / longest)) + 1)
            if half > 0.0
            else np.zeros(1)
            for half in (self.half if self.is_box else (0.0, 0.0, self.half[2]))
        ]
        found: list[TouchingBall | TouchingCore] = []
        for k in np.ndindex(*map(len, sides)):
            outside = [i in (0, len(side) - 1) for i, side in zip(k, sides, strict=True)]
            way = np.array([side[i] for i, side in zip(k, sides, strict=True)])
            place = self.pose.p + self.pose.R @ way
            if not self.is_box and self.half[0] > 0.0:
                half = self.half[0], self.half[1], 0.0
                found.append(self._replace(pose=Pose(self.pose.R, place), half=half))
            elif any(outside):
                found.append(TouchingBall(place, self.radius, self.frame))
        return found


class TouchingCurve(NamedTuple):
    """A cam that touches planes: its pose, with its curve in x and y, and its curve and width."""

    pose: Pose
    data: SurfaceData
    reach: float  # largest distance from the origin of its pose, m
    frame: Frame | None = None


class TouchingRing(NamedTuple):
    """A ring that rolls on planes: pose with z along its axis, radii of middle line and section.

    A ``frame`` is on the body of the shape; None is the frame of the shape.
    """

    pose: Pose
    large: float
    small: float
    frame: Frame | None = None


def _frame_of_shape(owner: str, field: str, value: Any) -> Frame:
    if isinstance(value, (int, float)):
        raise ModelError(owner, field, value, SIZE)
    return expect_frame(owner, field, value)


@declared(init=False)
class Shape:
    """Base of forms; ``position`` (3,) m is along the axes of its frame, or of the body it draws.

    A shape with a ``frame`` is what a `Contact` touches with; without one it is the ``shape`` of a
    rigid body, by which that is drawn. No mass follows from it.
    """

    frame: Frame | None = checked(_frame_of_shape, default=None)

    if TYPE_CHECKING:

        @property
        def position(self) -> Any:
            """Its place, (3,) m."""

    def surface(self) -> Surface:
        """Points and triangles in the axes of its frame; nothing of a point."""
        return Surface(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.intp))

    @property
    def touching_surface(self) -> TouchingSurface | None:
        """The surface that balls of other bodies touch, if it has one."""
        return None

    @property
    def touching_walls(self) -> tuple[TouchingSurface, ...]:
        """Surfaces that each touch for themselves; several of what is hollow and has corners."""
        surface = self.touching_surface
        return () if surface is None else (surface,)

    @property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """Balls by which it touches planes and hollow surfaces, or any, if ``is_balls``."""
        return ()

    @property
    def is_balls(self) -> bool:
        """True if its balls are all of it, so that they touch any surface as it does."""
        return len(self.touching_balls) == 1

    @property
    def uses_axes(self) -> bool:
        """True if what it is depends on the axes of its frame."""
        return len(self.touching_balls) != 1 or bool(self.position.any())

    @property
    def touching_rings(self) -> tuple[TouchingRing, ...]:
        """Rings by which it touches a plane."""
        return ()

    @property
    def touching_bars(self) -> tuple[TouchingCore, ...]:
        """Straight parts by which it touches boxes and capsules."""
        return ()

    @property
    def touching_curve(self) -> TouchingCurve | None:
        """The curve by which it touches planes, if it is one."""
        return None

    @property
    def touching_core(self) -> TouchingCore | None:
        """All of it as a core with a rounding, if it is one."""
        return None

    @property
    def solid_surface(self) -> TouchingSurface | None:
        """The surface that cores of other bodies touch, if it is convex."""
        return None

    @property
    def curvature(self) -> float | None:
        """One over its radius where it touches, 1/m, if that is the same in all directions."""
        return None

    @property
    def hollow(self) -> float | None:
        """Least radius of its hollows, m: larger balls touch them at two places; None without."""
        return None

    @property
    def ball_distance(self) -> float | None:
        """Largest distance of neighbouring balls that stand for what is between them, m."""
        return None

    @property
    def allowed_depth(self) -> float | None:
        """Overlap up to which laws of contact hold, m; None of what has no size.

        0.05 of a radius, where the circle of contact has 0.22 of it, or 0.1 of a thickness.
        """
        return None


def expect_given(owner: str, field: str, value: Any, expected: str) -> None:
    """Refuse None."""
    if value is None:
        raise ModelError.plain(f"{owner}: {field} is missing, expected {expected}")


def given_shape(owner: str, value: Any) -> Shape | tuple[Shape, ...] | None:
    """Return the form of a body, several of them, or None."""
    if value is None or isinstance(value, Shape):
        return value
    several = validate.listed(owner, "shape", value, SHAPE)
    if not several or not all(isinstance(one, Shape) for one in several):
        raise ModelError(owner, "shape", value, SHAPE)
    return tuple(several)


def shape_surface(shape: Shape | Sequence[Shape]) -> Surface:
    """Surface of one or several forms."""
    every = [shape] if isinstance(shape, Shape) else shape
    return joined(one.surface() for one in every)


def inertia_box(mass: float, inertia: Vector, com: Vector) -> Surface:
    """The box of even density that has a mass (kg) and an inertia (3, 3) about its middle.

    Where there is no such box its edge is a small part of the longest one.
    """
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes = -axes
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
    longest = math.sqrt(max(float(squares.max()), 0.0))
    sizes = np.sqrt(np.maximum(squares, (0.06 * longest) ** 2))
    return moved(cuboid(sizes), axes, com)
