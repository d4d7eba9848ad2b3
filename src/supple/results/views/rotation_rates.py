"""Rotations by rotation vectors that change with time: their matrices, spin and its change."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.poses import cross

TERMS = 9  # of the series: the next one is below rounding for s < 0.25


class Turn:
    """Rotations by vectors theta (nt, 3) that change with rates (nt, 3), as matrices and spin.

    With s = theta^2 the matrix is 1 + c theta~ + a theta~^2, and the spin, in the axes before the
    rotation, is theta' + a theta x theta' + b theta x (theta x theta'). Near s = 0 the functions
    c, a, b are summed as series, where quotients would cancel.
    """

    def __init__(self, theta: Array, rate: Array) -> None:
        self.theta, self.rate = theta, rate
        s = np.einsum("ti,ti->t", theta, theta)
        self._s = s
        f = np.sqrt(s)
        c = np.sinc(f / np.pi)
        a = 0.5 * np.sinc(f / (2.0 * np.pi)) ** 2  # (1 - cos f) / f^2 without cancellation
        small = s < 0.25
        far = np.where(small, 1.0, s)
        b = np.where(small, _series(s, 3), (1.0 - c) / far)
        self._c, self._a, self._b = (x[:, None] for x in (c, a, b))

    @cached_property
    def _slopes(self) -> tuple[Array, Array]:
        """Derivatives of a and b with respect to s, (nt, 1)."""
        s, c, a, b = self._s, self._c[:, 0], self._a[:, 0], self._b[:, 0]
        small = s < 0.25
        far = np.where(small, 1.0, s)
        da = np.where(small, _series_slope(s, 2), (c - 2.0 * a) / (2.0 * far))
        db = np.where(small, _series_slope(s, 3), (a - 3.0 * b) / (2.0 * far))
        return da[:, None], db[:, None]

    @property
    def matrix(self) -> Array:
        """(nt, 3, 3) exp(~theta)."""
        x, y, z = self.theta.T
        o = np.zeros_like(x)
        skew = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)
        matrix: Array = np.eye(3) + self._c[..., None] * skew + self._a[..., None] * (skew @ skew)
        return matrix

    @property
    def spin(self) -> Array:
        """(nt, 3) angular velocity in the axes before the rotation: exp' exp^T = ~spin."""
        return self._operate(self.rate)

    def change(self, acceleration: Array) -> Array:
        """(nt, 3) time derivative of the spin when theta'' is the given acceleration (nt, 3)."""
        theta, rate = self.theta, self.rate
        once = cross(theta, rate)
        twice = cross(theta, once)
        ds = 2.0 * np.einsum("ti,ti->t", theta, rate)[:, None]
        da, db = self._slopes
        moved: Array = da * ds * once + db * ds * twice
        return moved + self._b * cross(rate, once) + self._operate(acceleration)

    def _operate(self, x: Array) -> Array:
        once = cross(self.theta, x)
        turned: Array = x + self._a * once + self._b * cross(self.theta, once)
        return turned


def _series(s: Array, first: int) -> Array:
    """Sum of (-s)^k / (2 k + first)!."""
    return _polynomial(-s, [1.0 / math.factorial(2 * k + first) for k in range(TERMS)])


def _series_slope(s: Array, first: int) -> Array:
    """Derivative of `_series` with respect to s."""
    return _polynomial(-s, [-k / math.factorial(2 * k + first) for k in range(1, TERMS)])


def _polynomial(x: Array, factors: list[float]) -> Array:
    """Sum of factors[k] x^k."""
    found = np.full_like(x, factors[-1])
    for factor in factors[-2::-1]:
        found *= x
        found += factor
    return found
