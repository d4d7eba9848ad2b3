"""Tyres: wheels that roll on roads, with forces by slip."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.bodies.shapes.height_field import HeightField
from supple.bodies.shapes.meetings import Pair
from supple.bodies.shapes.shape import (
    Shape,
    TouchingCore,
    TouchingRing,
    TouchingSurface,
)
from supple.bodies.shapes.solids import Cylinder, Plane, Torus
from supple.forces.base import ForceElement
from supple.forces.contact_laws import ContactLaw, HuntCrossley
from supple.forces.contacts import checked_law
from supple.forces.tyre_laws import TyreLaw
from supple.foundation.errors import ModelError
from supple.foundation.fields import checked, declared, not_negative, positive
from supple.foundation.frames import Frame, expect_two_bodies
from supple.foundation.poses import Pose

WHEEL = "a Torus or Cylinder with a frame, e.g. Torus(hub.at(0), radius=0.25, section=0.05)"
ROAD = "a Plane or HeightField with a frame, e.g. Plane(model.ground.at(0))"
LAW = "a law of a tyre, e.g. LinearTyre(cornering=80e3)"
ROUND_EDGE = "a wheel with a round edge on a HeightField, e.g. a Torus with a section"
PUSH = "stiffness in N/m or push, e.g. stiffness=200e3, and not both"


def _wheel(owner: str, field: str, value: Any) -> Shape:
    if not isinstance(value, (Torus, Cylinder)) or value.frame is None:
        raise ModelError(owner, field, value, WHEEL)
    if isinstance(value, Cylinder) and value.inside:
        raise ModelError(owner, field, value, WHEEL)
    return value


def _road(owner: str, field: str, value: Any) -> Shape:
    if not isinstance(value, (Plane, HeightField)) or value.frame is None:
        raise ModelError(owner, field, value, ROAD)
    return value


def _law(owner: str, field: str, value: Any) -> TyreLaw:
    if not isinstance(value, TyreLaw):
        raise ModelError(owner, field, value, LAW)
    return value


@declared
class Tyre(ForceElement):
    """A tyre between a wheel and a road: a push along the normal, and forces by slip.

    Axes are those of ISO 8855: z is the normal of the road, y the axle of the wheel in the plane
    of the road, to the left if the axis of the wheel's shape points to the left, x the heading.
    The wheel rolls ahead where it turns positively about that axis.

    Parameters
    ----------
    name : str
        Unique in its model.
    wheel : Torus or Cylinder
        On the body that turns about the axis of this shape. A cylinder touches by the circle half
        way between its ends.
    road : Plane or HeightField
        On the ground or a body.
    law : LinearTyre or BrushTyre
        Of the forces along the road.
    stiffness : N/m, optional
        Of the push, over the depth of the wheel in the road.
    damping : N s/m
        Of the push, over the rate of the depth. The push is never negative.
    push : HuntCrossley, optional
        In place of stiffness.
    """

    wheel: Shape = checked(_wheel)
    road: Shape = checked(_road)
    law: TyreLaw = checked(_law)
    stiffness: float | None = positive("N/m", default=None)
    damping: float = not_negative("N s/m", default=0.0)
    push: ContactLaw | None = checked(checked_law, default=None)

    def _check(self, owner: str) -> None:
        expect_two_bodies(owner, self.wheel.frame, self.road.frame)
        if (self.stiffness is None) == (self.push is None):
            raise ModelError.plain(f"{owner}: stiffness is {self.stiffness}, expected {PUSH}")
        if self.push is not None and not isinstance(self.push, HuntCrossley):
            expected = "a HuntCrossley, e.g. HuntCrossley(stiffness=2e5, exponent=1)"
            raise ModelError(owner, "push", self.push, expected)
        if not isinstance(self.road, Plane) and not self.ring.small > 0.0:
            raise ModelError(owner, "wheel", self.wheel, ROUND_EDGE)

    @property
    def shapes(self) -> tuple[Shape, Shape]:
        """Wheel and road."""
        return self.wheel, self.road

    @property
    def frames(self) -> dict[str, Frame]:
        """Frames of both shapes."""
        assert self.wheel.frame is not None and self.road.frame is not None
        return {"wheel": self.wheel.frame, "road": self.road.frame}

    def needs_axes(self, field: str) -> str:
        """Expected instead of a place without axes."""
        return "a place on a body with axes"

    @property
    def ring(self) -> TouchingRing:
        """The circle by which the wheel touches, with its section."""
        rings = self.wheel.touching_rings
        middle = np.mean([ring.pose.p for ring in rings], axis=0)
        return rings[0]._replace(pose=Pose(rings[0].pose.R, middle))

    @property
    def radius(self) -> float:
        """Outer radius of the wheel, m."""
        return self.ring.large + self.ring.small

    def pairs(self) -> tuple[Pair, ...]:
        """The road, and the ring or disc that rolls on it."""
        surface, ring = self.road.touching_surface, self.ring
        assert surface is not None and self.wheel.frame is not None and self.road.frame is not None
        other: TouchingRing | TouchingCore = ring
        if surface.kind != "plane":
            other = TouchingCore(ring.pose, (ring.large, ring.large, 0.0), ring.small)
        return (Pair(surface, other, False, (self.road.frame, self.wheel.frame)),)

    @property
    def surface(self) -> TouchingSurface:
        """The surface of the road."""
        return self.pairs()[0].surface

    @property
    def allowed_depth(self) -> float:
        """Depth up to which a stiff wheel stands for a tyre, a fifth of its radius, m."""
        return 0.2 * self.radius

    def normal_law(self) -> tuple[float, float, float]:
        """Stiffness (N/m^m), exponent m, and damping a (s/m) of the push."""
        if isinstance(self.push, HuntCrossley):
            return self.push.stiffness, self.push.exponent, self.push.damping
        assert self.stiffness is not None
        return self.stiffness, 1.0, 0.0
