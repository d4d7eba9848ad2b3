"""Bodies: what has mass and carries frames."""

from __future__ import annotations

from supple.bodies.beam import Beam
from supple.bodies.flexible import FlexibleBody
from supple.bodies.frame import FrameBody
from supple.bodies.rigid import Ground, PointMass, RigidBody
from supple.bodies.shape import Cuboid, Cylinder, MeshFile, Sphere
from supple.bodies.sid import SIDBody, write_sid
from supple.frames import Body

__all__ = [
    "Beam",
    "Body",
    "Cuboid",
    "Cylinder",
    "FlexibleBody",
    "FrameBody",
    "Ground",
    "MeshFile",
    "PointMass",
    "RigidBody",
    "SIDBody",
    "Sphere",
    "write_sid",
]
