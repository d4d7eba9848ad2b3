"""Deflections of a finer mesh, found with the help of a coarser one instead of by its own factors.

Conjugate gradients, all loads at once. What is left of a load is smoothed on the finer mesh, by
Jacobi's steps before and after, and the rest is left to the coarser one: a few steps give what both
differ by.
Factors of a finer mesh of a solid would take some ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.foundation.validate import Vector

MOST = 80  # steps; thin tetrahedra need many
SETTLED, NOTHING, LAST = 0.02, 2e-4, 6  # change of the work that is found over some steps
POWER = 12  # steps for the largest eigenvalue
SAFE = 1.2  # above the one that is found


def refined_deflections(K: Any, P: Any, solve: Callable[[Vector], Vector], loads: Vector) -> Vector:
    """Coordinates (n, m) under loads (n, m) with the stiffness K (n, n), sparse.

    ``P`` (n, k) takes coordinates of the coarser mesh to the finer one, ``solve`` gives those of
    the coarser one under loads (k, m).
    """
    own = np.einsum("ij,ij->j", loads, loads) > 0.0
    found = np.zeros(loads.shape)
    unit = np.linalg.norm(loads[:, own], axis=0)
    found[:, own] = unit * _solved(K, P, solve, loads[:, own] / unit)
    return found


def _solved(K: Any, P: Any, solve: Callable[[Vector], Vector], loads: Vector) -> Vector:
    smooth = _smoothing(K)

    def correct(r: Vector) -> Vector:
        z = smooth * r
        z = z + P @ solve(P.T @ (r - K @ z))
        return np.asarray(z + smooth * (r - K @ z))

    x = P @ solve(P.T @ loads)
    r = loads - K @ x
    begun = np.einsum("ij,ij->j", loads, x)
    z = correct(r)
    p, rz = z, np.einsum("ij,ij->j", r, z)
    changes: list[Vector] = []
    for _ in range(MOST):
        moved = K @ p
        curvature = np.einsum("ij,ij->j", p, moved)
        step = np.where(curvature > 0.0, rz / np.where(curvature > 0.0, curvature, 1.0), 0.0)
        changes.append(step * rz)
        x, r = x + step * p, r - step * moved
        last, total = np.sum(changes[-LAST:], axis=0), np.sum(changes, axis=0)
        if len(changes) >= LAST and np.all(last <= SETTLED * total + NOTHING * np.abs(begun)):
            break
        z = correct(r)
        old, rz = rz, np.einsum("ij,ij->j", r, z)
        p = z + np.where(old > 0.0, rz / np.where(old > 0.0, old, 1.0), 0.0) * p
    return np.asarray(x)


def _smoothing(K: Any) -> Vector:
    """Factors (n, 1) of a step of Jacobi that makes nothing larger."""
    inverse = 1.0 / np.asarray(K.diagonal())
    x = np.random.default_rng(0).standard_normal(len(inverse))
    largest = 1.0
    for _ in range(POWER):
        x = inverse * (K @ x)
        largest = float(np.linalg.norm(x))
        x /= largest
    return np.asarray(inverse[:, None] / (SAFE * largest))
