"""The axis of a beam, cable or frame structure as a shape that touches others."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.bodies.shapes.shape import TouchingBall
from supple.bodies.shapes.solids import Round
from supple.foundation import validate
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, declared
from supple.foundation.frames import Body, Frame, TouchingPlace

MOST_POINTS = 10_000
SMOOTH = 0.95  # least cosine of the angle between ways to neighbouring stations
ON_AXIS = "a Beam, Cable, ANCFBeam or FrameStructure, or a frame on one"


def _on_axis(owner: str, field: str, value: Any) -> Frame:
    """A frame on a body with an axis; of a body itself its first place."""
    body = value.body if isinstance(value, Frame) else value
    if not isinstance(body, Body) or not body.touching_line(None):
        raise ModelError(owner, field, value, ON_AXIS)
    return value if isinstance(value, Frame) else Frame(body, body.touching_line(None)[0].place)


def _points(owner: str, field: str, value: Any) -> int | None:
    expected = f"an integer from 2 to {MOST_POINTS}"
    count = None if value is None else validate.integer(owner, field, value, 2, expected)
    if count is not None and count > MOST_POINTS:
        raise ModelError(owner, field, value, expected)
    return count


@declared
class Line(Round):
    """The axis of a flexible body with a radius around it: it touches surfaces by balls along it.

    Another line, or itself, it touches by the curve through these places. Stiffnesses of laws of
    contact are per length: the push of each ball is that of the law times the length (m) it stands
    for. On a `Cable` or `ANCFBeam` forces act on the axis, at points within the elements, whose
    number does not change the mesh; on others half way between the surfaces.

    Parameters
    ----------
    frame : Beam, Cable, ANCFBeam or FrameStructure, or a frame on one
    radius, diameter : m
        One of both; half the thickness of the body.
    points : integer
        Number of balls, at equal distances from end to end; by default two for each element, and
        one. A FrameStructure has one at each of its nodes.
    """

    frame: Given[Frame | Body, Frame] = checked(_on_axis)
    points: int | None = checked(_points, default=None)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        if self.points is not None and len(self._places) != self.points:
            expected = f"None: {label(self.frame.body)} is touched at its {len(self._places)} nodes"
            raise ModelError(owner, "points", self.points, expected)

    @property
    def _places(self) -> tuple[TouchingPlace, ...]:
        assert self.frame is not None
        return self.frame.body.touching_line(self.points)

    @cached_property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """Balls along the axis; their weights are lengths, m."""
        assert self.frame is not None
        return place_balls(self.frame.body, self._places, self.radius)

    @cached_property
    def stations(self) -> tuple[Frame, ...]:
        """Places along the axis, through which goes the curve by which it touches other lines."""
        assert self.frame is not None
        return tuple(Frame(self.frame.body, p.place) for p in self._places)

    @cached_property
    def steps(self) -> tuple[float, ...] | None:
        """Distances of stations, m; None if these are not one smooth line, as in a truss."""
        places = self._places
        ways = np.diff([p.place for p in places], axis=0)
        steps = np.linalg.norm(ways, axis=1)
        shares = 0.5 * np.append(steps, 0.0) + 0.5 * np.append(0.0, steps)
        if not np.allclose(shares, [p.share for p in places], rtol=1e-6):
            return None
        straight = np.sum(ways[1:] * ways[:-1], axis=1) > SMOOTH * steps[1:] * steps[:-1]
        return tuple(steps.tolist()) if straight.all() else None

    @property
    def ball_distance(self) -> float:
        """Distance of neighbouring balls, m."""
        shares = [place.share for place in self._places]
        return max(*shares, sum(shares) / (len(shares) - 1))

    @property
    def is_balls(self) -> bool:
        """True."""
        return True

    @property
    def uses_axes(self) -> bool:
        """False: its balls are on the axis."""
        return False


def place_balls(
    body: Body, places: tuple[TouchingPlace, ...], radius: float
) -> tuple[TouchingBall, ...]:
    """Balls of one radius (m) at places of a body."""
    origin = np.zeros(3)
    return tuple(TouchingBall(origin, radius, Frame(body, p.place), p.share) for p in places)
