"""Pairs of what touches on two bodies: surfaces, and balls, rings, cores, cams, teeth."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from supple.bodies.shapes.gears import ToothSlot
from supple.bodies.shapes.shape import (
    Shape,
    TouchingBall,
    TouchingCore,
    TouchingCurve,
    TouchingRing,
    TouchingSurface,
)
from supple.foundation.errors import ModelError
from supple.foundation.frames import Body, Frame

SHAPES = "a shape with a frame, e.g. Sphere(body.at(0), radius=0.05), or a body with one shape"
Touching: TypeAlias = TouchingBall | TouchingRing | TouchingCore | TouchingCurve | ToothSlot


class Pair(NamedTuple):
    """A surface on one frame, and a ball, ring, core or cam on another that touches it; or gears.

    ``swapped`` says that the surface, or the gear that is no ring, is that of the element's B.
    """

    surface: TouchingSurface
    other: Touching
    swapped: bool
    frames: tuple[Frame, Frame]  # of the surface, of what touches it

    @property
    def weight(self) -> float:
        """Factor of the stiffnesses of the laws."""
        return self.other.weight if isinstance(self.other, TouchingBall) else 1.0


def pair_of(
    one: Shape, surface: TouchingSurface, other: Shape, each: Touching, swapped: bool
) -> Pair:
    """The surface of one shape and what of the other touches it, on their frames."""
    first, second = surface.frame or one.frame, each.frame or other.frame
    assert first is not None and second is not None
    return Pair(surface, each, swapped, (first, second))


def expect_shape(owner: str, field: str, value: Any) -> Shape:
    """Return a shape with a frame, that of a body if a body is given."""
    if isinstance(value, Body):
        shapes = getattr(value, "shape", None)
        if isinstance(shapes, Shape):
            from dataclasses import replace

            return replace(shapes, frame=value.at(0.0))
    if not isinstance(value, Shape) or value.frame is None:
        raise ModelError(owner, field, value, SHAPES)
    return value
