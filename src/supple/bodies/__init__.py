"""Bodies: objects with mass that carry frames.

What a user writes, checked when it is constructed, and frozen: forms in `shapes`, rigid bodies in
`base`, beams in `beam`, structures and meshes in `structure`, bodies over nodal vectors in `nodal`.
What the engine computes with is made from them by `reduction` and `fem`, which they import; they
know no model, joint or force.
"""

from __future__ import annotations

from supple.bodies.base.flexible import FlexibleBody
from supple.bodies.base.rigid import Ground, PointMass, RigidBody
from supple.bodies.beam.beam import Beam
from supple.bodies.shapes.mesh import MeshShape
from supple.bodies.shapes.solids import Cuboid, Cylinder, Sphere
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
