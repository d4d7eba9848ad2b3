"""Joints: how a frame on one body may move relative to a frame on another."""

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
