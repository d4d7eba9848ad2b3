"""Cubic curves by the places and slopes of their ends."""

from __future__ import annotations

import numpy as np

from supple.foundation.arrays import Array

# Ascending powers of xi of the four shapes, which belong to place and slope at 0 and at 1.
CUBICS = np.array(
    [[1.0, 0.0, -3.0, 2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, 3.0, -2.0], [0.0, 0.0, -1.0, 1.0]]
)


def hermite_rows(xi: float, lengths: Array, derivative: int = 0) -> Array:
    """Rows (n, 4) of `hermite` for curves of these lengths (n,)."""
    rows: Array = np.tile(hermite(xi, 1.0, derivative), (len(lengths), 1))
    rows[:, 1::2] *= lengths[:, None]
    return rows / lengths[:, None] ** derivative


def hermite(xi: float, length: float, derivative: int = 0) -> Array:
    """Row (4,) over place and slope at both ends, of a derivative by x = xi length in 0..length."""
    powers = np.zeros(4)
    for n in range(derivative, 4):
        powers[n] = np.prod(np.arange(n, n - derivative, -1.0)) * xi ** (n - derivative)
    return CUBICS @ powers * [1.0, length, 1.0, length] / length**derivative
