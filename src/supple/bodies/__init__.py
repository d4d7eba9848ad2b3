"""Bodies: what has mass and carries frames."""

from __future__ import annotations

from supple.bodies.base.flexible import FlexibleBody
from supple.bodies.base.rigid import Ground, PointMass, RigidBody
from supple.bodies.base.shape import Cuboid, Cylinder, MeshShape, Sphere
from supple.bodies.beam.beam import Beam
from supple.bodies.structure.frame import FrameStructure
from supple.bodies.structure.sid import SIDBody, write_sid
from supple.foundation.frames import Body

__all__ = [
    "Beam",
    "Body",
    "Cuboid",
    "Cylinder",
    "FlexibleBody",
    "FrameStructure",
    "Ground",
    "MeshShape",
    "PointMass",
    "RigidBody",
    "SIDBody",
    "Sphere",
    "write_sid",
]
