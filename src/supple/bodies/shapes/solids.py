"""Solids, planes and points as shapes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.shapes.shape import (
    Shape,
    TouchingBall,
    TouchingCore,
    TouchingRing,
    TouchingSurface,
    expect_given,
)
from supple.fem.drawn.primitives import cuboid, cylinder, sphere, torus
from supple.fem.drawn.surface import Surface, joined, moved
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import (
    Given,
    checked,
    declared,
    given,
    not_negative,
    positive,
    unit_vector,
    vector,
)
from supple.foundation.poses import EYE, Pose, aligned
from supple.foundation.validate import Axis, set_fields

ENDLESS = 1e12  # m, half the length of a side whose ends are walls of their own
SHARP = 0.02  # of the least size of a solid: radius of sharp edges towards other solids


def _sizes(owner: str, field: str, value: Any) -> Vector:
    expected = "3 positive numbers in m"
    sizes = validate.vector(owner, field, value, 3, expected)
    if not np.all(sizes > 0.0):
        raise ModelError(owner, field, value, expected)
    return sizes


def _expect_rounding(owner: str, rounding: float | None, least: float, inside: bool) -> None:
    """Refuse edges that are rounder than a solid of that least size, and those of hollow ones."""
    if rounding is not None and not rounding < 0.5 * least:
        expected = f"less than half of its least size, {0.5 * least:g} m"
        raise ModelError(owner, "rounding", rounding, expected)
    if rounding and inside:
        expected = "none of a hollow body: its edges are never touched"
        raise ModelError(owner, "rounding", rounding, expected)


def _wall(outward: Vector, way: float, middle: Vector) -> TouchingSurface:
    """The inner side of a flat wall at a way (m) from the middle."""
    pose = Pose(aligned(-outward)[0], middle + way * outward)
    return TouchingSurface("plane", (), pose, False)


@declared
class Point(Shape):
    """A point that touches surfaces, at ``position`` (3,) m in the axes of its frame."""

    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))

    @property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """A ball without size."""
        return (TouchingBall(self.position, 0.0),)


@declared
class Plane(Shape):
    """A plane without end; all of its other side is solid.

    Parameters
    ----------
    frame : Frame
        On the body that carries it, e.g. ``model.ground.at(0)``.
    normal : (3,) or "x", "y", "z"
        Direction out of the solid side, in the axes of the frame.
    position : (3,) m
        A point of it, in the axes of the frame.
    """

    normal: Given[Axis, Vector] = unit_vector(default="z")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))

    @property
    def touching_surface(self) -> TouchingSurface:
        """The plane z = 0 of axes with z along its normal."""
        pose = Pose(aligned(self.normal)[0], self.position)
        return TouchingSurface("plane", (), pose, False)

    @property
    def curvature(self) -> float:
        """Zero."""
        return 0.0


@declared
class Cuboid(Shape):
    """A box.

    It touches a plane, and hollow bodies from within, by its eight corners, other boxes by the
    twelve edges of each, which are round there, and balls and other solids everywhere.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it.
    size : (3,) m
        Whole lengths of its edges along x, y, z.
    position : (3,) m
        Its middle, in the axes of the frame.
    rotation : (3, 3), (4,) or (3,), optional
        Its axes in those of the frame: matrix, quaternion or rotation vector (rad).
    inside : bool
        True for a hollow box, which bodies touch from within.
    rounding : m, optional
        Radius of its edges and corners, below half of its least size. If it is not given they are
        sharp, but 0.02 of its least size towards other solids.
    """

    size: Given[ArrayLike | None, Vector] = checked(_sizes, "m", default=None)
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    rotation: Given[ArrayLike | None, Vector] = given("rad", default=None)
    inside: bool = checked(validate.flag, default=False)
    rounding: float | None = not_negative("m", default=None)

    def _check(self, owner: str) -> None:
        expect_given(owner, "size", self.size, "3 positive numbers in m")
        set_fields(self, rotation=validate.rotation(owner, "rotation", self.rotation))
        _expect_rounding(owner, self.rounding, float(self.size.min()), self.inside)

    @property
    def edge_radius(self) -> float:
        """Radius of its edges towards other solids, m."""
        return self.rounding or SHARP * float(self.size.min())

    def _rounded(self, radius: float) -> TouchingSurface:
        half = [float(0.5 * x - radius) for x in self.size]
        pose = Pose(self.rotation, self.position)
        return TouchingSurface("box", (*half, radius), pose, self.inside)

    def _corners(self, radius: float) -> list[tuple[Vector, Vector]]:
        signs = [np.array(s) for s in itertools.product((-1.0, 1.0), repeat=3)]
        half = 0.5 * self.size - radius
        return [(s, self.position + self.rotation @ (s * half)) for s in signs]

    @property
    def allowed_depth(self) -> float:
        """A tenth of its least size."""
        return 0.1 * float(self.size.min())

    def surface(self) -> Surface:
        """The six faces."""
        return moved(cuboid(self.size), self.rotation, self.position)

    @property
    def touching_surface(self) -> TouchingSurface:
        """Faces, edges and corners."""
        return self._rounded(self.rounding or 0.0)

    @property
    def touching_walls(self) -> tuple[TouchingSurface, ...]:
        """Itself, or, if it is hollow, its six walls: in a corner three of them push."""
        if not self.inside:
            return super().touching_walls
        outward = [(k, s) for k in range(3) for s in (-1.0, 1.0)]
        return tuple(
            _wall(s * self.rotation[:, k], 0.5 * self.size[k], self.position) for k, s in outward
        )

    @property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """Its corners."""
        radius = self.rounding or 0.0
        return tuple(TouchingBall(place, radius) for _, place in self._corners(radius))

    @property
    def touching_core(self) -> TouchingCore | None:
        """Its faces, edges and corners."""
        if self.inside:
            return None
        half = [float(0.5 * x - self.edge_radius) for x in self.size]
        pose = Pose(self.rotation, self.position)
        return TouchingCore(pose, (half[0], half[1], half[2]), self.edge_radius, True)

    @property
    def touching_bars(self) -> tuple[TouchingCore, ...]:
        """Its edges."""
        radius, bars = self.edge_radius, []
        for k in range(3):
            half = float(0.5 * self.size[k] - radius)
            turn = self.rotation @ aligned(EYE[k])[0]
            for sign, place in self._corners(radius):
                if sign[k] < 0.0:
                    pose = Pose(turn, place + half * self.rotation[:, k])
                    bars.append(TouchingCore(pose, (0.0, 0.0, half), radius))
        return tuple(bars)

    @property
    def solid_surface(self) -> TouchingSurface | None:
        """Faces, and edges and corners that are round."""
        return None if self.inside else self._rounded(self.edge_radius)


@declared(init=False)
class Round(Shape):
    """Base of round forms; a ``diameter`` is stored as their ``radius``, m."""

    radius: float = positive("m", default=None)
    diameter: Given[float | None, None] = positive("m", default=None, repr=False)

    def _check(self, owner: str) -> None:
        radius, diameter = (self.__dict__[field] for field in ("radius", "diameter"))
        if (radius is None) == (diameter is None):
            both = "missing" if radius is None else "given"
            raise ModelError.plain(f"{owner}: radius and diameter are both {both}, expected one")
        if diameter is not None:
            set_fields(self, radius=0.5 * diameter, diameter=None)

    @property
    def allowed_depth(self) -> float:
        """0.05 of its radius."""
        return 0.05 * self.radius


@declared
class Cylinder(Round):
    """A round bar with flat ends.

    It touches planes and hollow cylinders by the edges of both ends, and balls and solids of other
    bodies everywhere. Where it stands on an end, within 1e-3 rad, the lowest point of the edge
    goes through the middle of the end, which is crowned by 4e-4 of the radius.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it.
    radius, diameter : m
        One of both.
    length : m
    axis : (3,) or "x", "y", "z"
        Direction of its length, in the axes of the frame.
    position : (3,) m
        Its middle, in the axes of the frame.
    inside : bool
        True for a hollow cylinder, which bodies touch from within.
    rounding : m, optional
        Radius of its edges. If it is not given they are sharp, but 0.02 of its least size towards
        other solids.
    """

    length: float = positive("m", default=None)
    axis: Given[Axis, Vector] = unit_vector(default="z")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    inside: bool = checked(validate.flag, default=False)
    rounding: float | None = not_negative("m", default=None)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        expect_given(owner, "length", self.length, "a positive number in m")
        _expect_rounding(owner, self.rounding, self._least, self.inside)

    @property
    def _least(self) -> float:
        return min(2.0 * self.radius, self.length)

    def _rounded(self, radius: float) -> TouchingSurface:
        pose = Pose(aligned(self.axis)[0], self.position)
        sizes = (self.radius - radius, 0.5 * self.length - radius, radius)
        return TouchingSurface("cylinder", sizes, pose, self.inside)

    def surface(self) -> Surface:
        """The side and both ends."""
        return moved(cylinder(self.radius, self.length), aligned(self.axis)[0], self.position)

    @property
    def touching_surface(self) -> TouchingSurface:
        """Side, ends and edges."""
        return self._rounded(self.rounding or 0.0)

    @property
    def edge_radius(self) -> float:
        """Radius of its edges towards other solids, m."""
        return self.rounding or SHARP * self._least

    @property
    def solid_surface(self) -> TouchingSurface | None:
        """Side, ends, and edges that are round."""
        return None if self.inside else self._rounded(self.edge_radius)

    @property
    def touching_core(self) -> TouchingCore | None:
        """The same."""
        if self.inside:
            return None
        surface = self._rounded(self.edge_radius)
        radius, half, rounding = surface.sizes
        return TouchingCore(surface.pose, (radius, radius, half), rounding)

    @property
    def touching_walls(self) -> tuple[TouchingSurface, ...]:
        """Itself, or, if it is hollow, its side and both ends: in a corner two of them push."""
        if not self.inside:
            return super().touching_walls
        pose = Pose(aligned(self.axis)[0], self.position)
        ends = [_wall(s * self.axis, 0.5 * self.length, self.position) for s in (-1.0, 1.0)]
        return (TouchingSurface("cylinder", (self.radius, ENDLESS), pose, True), *ends)

    @property
    def touching_rings(self) -> tuple[TouchingRing, ...]:
        """Edges of both ends."""
        turn, (radius, half, rounding) = aligned(self.axis)[0], self.touching_surface.sizes
        ends = [self.position + s * half * self.axis for s in (-1.0, 1.0)]
        return tuple(TouchingRing(Pose(turn, p), radius, rounding) for p in ends)


@declared
class Capsule(Round):
    """A round bar with ends like half balls.

    It touches a plane, and hollow bodies from within, by the balls of both ends, and balls and
    solids of other bodies everywhere.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it.
    radius, diameter : m
        One of both.
    length : m
        Of its middle line, from the centre of one end to that of the other.
    axis : (3,) or "x", "y", "z"
        Direction of its length, in the axes of the frame.
    position : (3,) m
        Its middle, in the axes of the frame.
    """

    length: float = positive("m", default=None)
    axis: Given[Axis, Vector] = unit_vector(default="z")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))

    def _check(self, owner: str) -> None:
        super()._check(owner)
        expect_given(owner, "length", self.length, "a positive number in m")

    def surface(self) -> Surface:
        """The side and both ends."""
        bar = cylinder(self.radius, self.length)
        ends = [moved(sphere(self.radius), EYE, s * self.length * EYE[2]) for s in (-0.5, 0.5)]
        return moved(joined([bar, *ends]), aligned(self.axis)[0], self.position)

    @property
    def touching_surface(self) -> TouchingSurface:
        """Side and ends."""
        pose = Pose(aligned(self.axis)[0], self.position)
        return TouchingSurface("bar", (self.radius, 0.5 * self.length), pose, False)

    @property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """Both ends."""
        ends = [self.position + s * self.length * self.axis for s in (-0.5, 0.5)]
        return tuple(TouchingBall(place, self.radius) for place in ends)

    @property
    def touching_core(self) -> TouchingCore:
        """Itself."""
        pose = Pose(aligned(self.axis)[0], self.position)
        return TouchingCore(pose, (0.0, 0.0, 0.5 * self.length), self.radius)

    @property
    def touching_bars(self) -> tuple[TouchingCore, ...]:
        """The same."""
        return (self.touching_core,)

    @property
    def solid_surface(self) -> TouchingSurface:
        """Side and ends."""
        return self.touching_surface


@declared
class Torus(Round):
    """A ring: a tyre, a wheel with a rounded edge, or, with ``section`` 0, the edge of a disc.

    It touches a plane by its lowest point, balls of other bodies everywhere, and solids and
    grounds as a disc with a round edge, without the hole. Where it lies flat, within 1e-3 rad, its
    lowest point goes through its middle.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it.
    radius, diameter : m
        Of its middle line, one of both: the outer radius is ``radius + section``.
    section : m
        Radius of its section, zero or positive.
    axis : (3,) or "x", "y", "z"
        About which it is round, in the axes of the frame.
    position : (3,) m
        Its middle, in the axes of the frame.
    """

    section: float = not_negative("m", default=0.0)
    axis: Given[Axis, Vector] = unit_vector(default="z")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))

    def _check(self, owner: str) -> None:
        super()._check(owner)
        if not self.section < self.radius:
            expected = f"less than its radius, {self.radius} m"
            raise ModelError(owner, "section", self.section, expected)

    @property
    def allowed_depth(self) -> float:
        """0.05 of its section; of the edge of a disc of its radius."""
        return 0.05 * (self.section or self.radius)

    def surface(self) -> Surface:
        """Triangles of the ring."""
        drawn = torus(self.radius, max(self.section, 0.01 * self.radius))
        return moved(drawn, aligned(self.axis)[0], self.position)

    @property
    def touching_surface(self) -> TouchingSurface | None:
        """The ring, if its section has a size."""
        if self.section == 0.0:
            return None
        pose = Pose(aligned(self.axis)[0], self.position)
        return TouchingSurface("ring", (self.radius, self.section), pose, False)

    @property
    def touching_rings(self) -> tuple[TouchingRing, ...]:
        """Itself."""
        pose = Pose(aligned(self.axis)[0], self.position)
        return (TouchingRing(pose, self.radius, self.section),)

    @property
    def touching_core(self) -> TouchingCore | None:
        """A disc with a round edge, without the hole."""
        if self.section == 0.0:
            return None
        pose = Pose(aligned(self.axis)[0], self.position)
        return TouchingCore(pose, (self.radius, self.radius, 0.0), self.section)

    @property
    def solid_surface(self) -> TouchingSurface | None:
        """The same."""
        if self.section == 0.0:
            return None
        pose = Pose(aligned(self.axis)[0], self.position)
        return TouchingSurface("cylinder", (self.radius, 0.0, self.section), pose, False)


@declared
class Sphere(Round):
    """A ball.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it.
    radius, diameter : m
        One of both.
    position : (3,) m
        Its centre, in the axes of the frame.
    inside : bool
        True for a hollow ball, which bodies touch from within.
    """

    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    inside: bool = checked(validate.flag, default=False)

    def surface(self) -> Surface:
        """Triangles of the ball."""
        return moved(sphere(self.radius), EYE, self.position)

    @property
    def touching_surface(self) -> TouchingSurface:
        """The ball."""
        return TouchingSurface("ball", (self.radius,), Pose(EYE, self.position), self.inside)

    @property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """Itself, unless it is hollow."""
        return () if self.inside else (TouchingBall(self.position, self.radius),)

    @property
    def curvature(self) -> float:
        """Negative from within."""
        return -1.0 / self.radius if self.inside else 1.0 / self.radius
