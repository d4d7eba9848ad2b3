"""Bodies: what has mass and carries frames."""

from __future__ import annotations

from supple.bodies.rigid import Ground, PointMass, RigidBody
from supple.frames import Body

__all__ = ["Body", "Ground", "PointMass", "RigidBody"]
