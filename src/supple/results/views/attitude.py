"""Attitudes over time in other forms than matrices: Euler angles and rotation vectors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError

SEQUENCES = tuple(
    "".join(axes)
    for axes in itertools.product("xyz", repeat=3)
    if axes[0] != axes[1] and axes[1] != axes[2]
)
# Sine of the angle between the first and the last axis below which only their sum is known.
LOCK = 1e-10


def euler_angles(R: Array, sequence: Any) -> Array:
    """Angles (nt, 3) rad of rotations R (nt, 3, 3) about three axes, each turned by those before.

    R is the product of the rotations about ``sequence[0]``, ``sequence[1]`` and ``sequence[2]``.
    The second angle is from -pi/2 to pi/2, or with the same first and last axis from 0 to pi; the
    others go on without jumps of a turn. Where first and last axis are in line, the third is zero.
    """
    if not isinstance(sequence, str) or sequence not in SEQUENCES:
        raise SuppleError(
            f"euler: the sequence is {sequence!r}, expected three of x, y, z, e.g. 'zyx' or 'zxz', "
            "with no axis twice in succession"
        )
    i, j, last = ("xyz".index(axis) for axis in sequence)
    k = 3 - i - j
    sign = 1.0 if (i + 1) % 3 == j else -1.0
    if last == i:
        across = np.hypot(R[:, i, j], R[:, i, k])
        second = np.arctan2(across, R[:, i, i])
        first = np.arctan2(R[:, j, i], -sign * R[:, k, i])
        third = np.arctan2(R[:, i, j], sign * R[:, i, k])
    else:
        across = np.hypot(R[:, i, i], R[:, i, j])
        second = np.arctan2(sign * R[:, i, k], across)
        first = np.arctan2(-sign * R[:, j, k], R[:, k, k])
        third = np.arctan2(-sign * R[:, i, j], R[:, i, i])
    locked = across < LOCK
    first = np.where(locked, np.arctan2(sign * R[:, k, j], R[:, j, j]), first)
    third = np.where(locked, 0.0, third)
    return np.stack([np.unwrap(first), second, np.unwrap(third)], axis=1)


def rotation_vectors(quaternions: Array) -> Array:
    """Rotation vectors (nt, 3) rad, not longer than pi, of unit quaternions (nt, 4)."""
    q = np.where(quaternions[:, :1] < 0.0, -quaternions, quaternions)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    half = np.arctan2(sine, q[:, :1])
    scale = np.divide(2.0 * half, sine, out=np.full_like(sine, 2.0), where=sine > 0.0)
    found: Array = scale * q[:, 1:]
    return found
