"""Poses (rotation and place) outside kernels: compose, invert, convert."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Array

EYE: Array = np.eye(3)
EYE.flags.writeable = False


def cross(a: Array, b: Array) -> Array:
    """Cross products (..., 3); for arrays of vectors several times faster than NumPy's."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        out[..., k] = a[..., i] * b[..., j] - a[..., j] * b[..., i]
    return out


class Pose(NamedTuple):
    """Rotation R (3, 3) and place p (3,) of one frame in another."""

    R: Array
    p: Array

    def then(self, other: Pose) -> Pose:
        """Pose of a frame that is at ``other`` in this one."""
        if self.R is EYE:
            return Pose(np.ascontiguousarray(other.R), self.p + other.p)
        # For such small products the method is three times as quick as the operator.
        R = np.ascontiguousarray(self.R) if other.R is EYE else self.R.dot(other.R)
        return Pose(R, self.p + self.R.dot(other.p))

    def before(self, other: Pose) -> Pose:
        """Pose of the frame in which a frame is at ``other`` that has this pose."""
        if other.R is EYE:
            R = EYE if self.R is EYE else self.R.copy()
            return Pose(R, self.p - self.R.dot(other.p))
        back = other.R.T
        return Pose(self.R.dot(back), self.p - self.R.dot(back.dot(other.p)))


IDENTITY = Pose(EYE, np.zeros(3))
IDENTITY.p.flags.writeable = False


def aligned(axis: Array) -> tuple[Array, Pose]:
    """Rotation (3, 3) whose third column is the unit vector ``axis``, and the pose that turns back.

    Both are read-only.
    """
    return _aligned(*axis.tolist())


@lru_cache(maxsize=1024)  # most axes of a model are those of a few frames
def _aligned(x: float, y: float, z: float) -> tuple[Array, Pose]:
    if z < 0.0:  # 1 + z would cancel: turn -z into the axis instead, after a half turn about x
        found: Array = _aligned(-x, -y, -z)[0] @ np.diag([1.0, -1.0, -1.0])
    else:
        c = 1.0 / (1.0 + z)
        found = np.array(
            [[1.0 - x * x * c, -x * y * c, x], [-x * y * c, 1.0 - y * y * c, y], [-x, -y, z]]
        )
    origin = np.zeros(3)
    found.flags.writeable = origin.flags.writeable = False
    return found, Pose(found.T, origin)


def quaternion_matrix(q: Array) -> Array:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(r, axis=-1) for r in rows], axis=-2)


def matrix_quaternion(R: Array) -> Array:
    """Unit quaternion (4,) with w >= 0 of a rotation matrix (3, 3), by its largest part."""
    # 4 times the products of the quaternion's parts
    s = R[[2, 0, 1], [1, 2, 0]] - R[[1, 2, 0], [2, 0, 1]]
    K = R + R.T
    table = np.empty((4, 4))
    table[0, 0] = 1.0 + np.trace(R)
    table[0, 1:] = table[1:, 0] = s
    table[1:, 1:] = K + (1.0 - np.trace(R)) * np.eye(3)
    row = table[int(np.argmax(np.diag(table)))]
    q: Array = row / np.linalg.norm(row)
    return -q if q[0] < 0.0 else q


def quaternions(R: Array) -> Array:
    """Return unit quaternions (w, x, y, z) of rotation matrices (nt, 3, 3), without jumps of sign.

    The first has w >= 0. The largest of the four components is found first and divides the others,
    which is safe at every attitude.
    """
    d = np.einsum("tii->ti", R)
    trace = d.sum(axis=1, keepdims=True)
    squares = np.hstack([1.0 + trace, 1.0 + 2.0 * d - trace])  # 4 w2, 4 x2, 4 y2, 4 z2
    twist = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1)
    table = np.empty((len(R), 4, 4))  # 4 q_i q_j
    table[:, 0, 1:] = table[:, 1:, 0] = twist
    table[:, 1:, 1:] = R + np.swapaxes(R, 1, 2)
    table[:, range(4), range(4)] = squares
    rows = table[np.arange(len(R)), squares.argmax(axis=1)]
    q: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    if len(q):
        q[0] *= -1.0 if q[0, 0] < 0.0 else 1.0
        flips = np.where(np.einsum("ti,ti->t", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
        q[1:] *= np.cumprod(flips)[:, None]
    return q


def skew(v: Array) -> Array:
    """Cross-product matrix (3, 3)."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
