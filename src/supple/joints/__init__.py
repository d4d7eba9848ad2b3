"""Joints: how a frame on one body may move relative to a frame on another.

A joint is a sequence of elementary motions, written once: in the spanning tree it gives
coordinates, as a chord constraint rows. `motions` says everything but the kernels' part about each
motion. It imports foundation and signals, and no bodies.
"""

from supple.joints.base import Joint, Motion
from supple.joints.kinds import (
    Cylindrical,
    Fixed,
    Free,
    General,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "General",
    "Joint",
    "Motion",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
]
