"""Cones, sharp or with a round tip."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from supple.bodies.shapes.shape import (
    TouchingBall,
    TouchingRing,
    TouchingSurface,
    expect_given,
)
from supple.bodies.shapes.solids import Round
from supple.fem.drawn.primitives import turned
from supple.fem.drawn.surface import Surface, moved
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, declared, not_negative, positive, unit_vector, vector
from supple.foundation.poses import Pose, aligned
from supple.foundation.validate import Axis

ROUND = 8  # points with which a round tip is drawn


@declared
class Cone(Round):
    """A solid cone with a sharp or round tip.

    It touches a plane by its tip and the edge of its base, and balls and solids of other bodies,
    but for cones, everywhere.

    Parameters
    ----------
    frame : Frame, optional
        On the body that carries it.
    radius, diameter : m
        Of its base, one of both.
    length : m
        From the base to where the sharp tip is, or would be.
    axis : (3,) or "x", "y", "z"
        From the base to the tip, in the axes of the frame.
    position : (3,) m
        Middle of the base, in the axes of the frame.
    tip : m
        Radius of the tip; zero: it is sharp.
    """

    length: float = positive("m", default=None)
    axis: Given[Axis, Vector] = unit_vector(default="z")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    tip: float = not_negative("m", default=0.0)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        expect_given(owner, "length", self.length, "a positive number in m")
        most = self.length * self._sine / (1.0 + self._sine)
        if not self.tip < most:
            expected = f"less than the ball that fits into the cone, {most:.6g} m"
            raise ModelError(owner, "tip", self.tip, expected)

    @property
    def _sine(self) -> float:
        """Sine of half the angle at the tip."""
        return self.radius / math.hypot(self.radius, self.length)

    @property
    def _top(self) -> float:
        """Height of the middle of the tip over the base."""
        return self.length - self.tip / self._sine

    @property
    def _pose(self) -> Pose:
        return Pose(aligned(self.axis)[0], self.position)

    @property
    def allowed_depth(self) -> float:
        """0.05 of the radius of its tip, or of its base if it is sharp."""
        return 0.05 * (min(self.tip, self.radius) or self.radius)

    def surface(self) -> Surface:
        """Base, side and tip."""
        profile: list[Any] = [[0.0, 0.0], [self.radius, 0.0]]
        begin = math.asin(self._sine)
        for k in range(ROUND if self.tip else 0):
            angle = begin + (0.5 * math.pi - begin) * k / ROUND
            up = self._top + self.tip * math.sin(angle)
            profile.append([self.tip * math.cos(angle), up])
        profile.append([0.0, self._top + self.tip])
        return moved(turned(profile), self._pose.R, self.position)

    @property
    def touching_surface(self) -> TouchingSurface:
        """Side, base, edge and tip."""
        return TouchingSurface("cone", (self.radius, self.length, self.tip), self._pose, False)

    @property
    def solid_surface(self) -> TouchingSurface:
        """The same."""
        return self.touching_surface

    @property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """Its tip."""
        return (TouchingBall(self.position + self._top * self.axis, self.tip),)

    @property
    def touching_rings(self) -> tuple[TouchingRing, ...]:
        """The edge of its base."""
        return (TouchingRing(self._pose, self.radius, 0.0),)
