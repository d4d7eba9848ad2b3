"""Bodies that roll on each other without slipping: a gap of zero, and no velocity between them."""

from __future__ import annotations

from supple.bodies.shapes.meetings import Pair, expect_shape, pair_of
from supple.bodies.shapes.shape import Shape, TouchingRing
from supple.constraints.base import Constraint
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, declared, not_negative
from supple.foundation.frames import Body, Frame, expect_two_bodies

PAIRS = (
    "a Sphere, or a Torus, on a Plane, or a Sphere on a HeightField, Sphere, Cylinder or Capsule, "
    "or in a hollow Sphere or Cylinder"
)
ROUND = ("plane", "ball", "cylinder", "bar", "field")  # surfaces that balls roll on


@declared
class Rolling(Constraint):
    """Two bodies roll on each other: they touch at one point, and do not slip there.

    The gap of their shapes stays zero, and so does the velocity of B's material relative to A's at
    the point of contact. Along the tangent plane that holds velocities alone: the point of contact
    goes where rolling leads. Nothing lets them part or slip: with ``friction`` a result tells where
    wheels would.

    Parameters
    ----------
    name : str
        Unique in its model.
    A, B : Shape
        On two bodies, or a body and the ground: a ``Torus(wheel.at(0), radius=0.35, section=0)`` or
        a `Sphere` on a `Plane`, which may move, or a `Sphere` on a `HeightField`, `Sphere`,
        `Cylinder` or `Capsule`, or in a hollow `Sphere` or `Cylinder`; or a body with one
        ``shape``.
    friction : float, optional
        Coefficient, by which the verdict of a run tells where the wheel would slip.
    """

    A: Given[Shape | Body, Shape] = checked(expect_shape)
    B: Given[Shape | Body, Shape] = checked(expect_shape)
    friction: float | None = not_negative("1", default=None)

    expected_without_axes = "a body with axes, which its rolling turns"

    def _check(self, owner: str) -> None:
        expect_two_bodies(owner, self.A.frame, self.B.frame)
        _ = self.pair

    @property
    def frames(self) -> dict[str, Frame]:
        """Frames of both shapes."""
        assert self.A.frame is not None and self.B.frame is not None
        return {"A": self.A.frame, "B": self.B.frame}

    @property
    def pair(self) -> Pair:
        """The ball or ring that rolls, and the surface on which it does."""
        for one, other, swapped in ((self.A, self.B, False), (self.B, self.A, True)):
            walls = [wall for wall in one.touching_walls if wall.kind in ROUND]
            balls, rings = other.touching_balls, other.touching_rings
            if not walls:
                continue
            wall = next((w for w in walls if w.kind != "plane"), walls[0])
            if len(rings) == 1 and wall.kind == "plane":
                return pair_of(one, wall, other, rings[0], swapped)
            if len(balls) == 1 and other.is_balls and balls[0].radius > 0.0:
                return pair_of(one, wall, other, balls[0], swapped)
        kinds = f"{type(self.A).__name__} and {type(self.B).__name__}"
        raise ModelError(label(self), "A and B", kinds, PAIRS)

    @property
    def radius(self) -> float:
        """Radius of what rolls, m."""
        other = self.pair.other
        if isinstance(other, TouchingRing):
            return other.large + other.small
        return float(getattr(other, "radius", 0.0))
