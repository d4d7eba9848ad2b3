"""Stretch of shells that is linear over them."""

from __future__ import annotations

import numpy as np


def linear_stretch(nodes: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """Nodal coordinates of (u, v) = grad (x, y), in the plane z = 0."""
    q = np.zeros((len(nodes), 6))
    q[:, :2] = nodes[:, :2] @ grad.T
    q[:, 5] = 0.5 * (grad[1, 0] - grad[0, 1])
    return q.ravel()
