"""Strain gauges on a surface: from the readings of a rosette to the plane strain behind them."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError

DIRECTIONS = "three or more angles (rad), at least three of them different directions"


def rosette_strain(
    readings: ArrayLike, angles: Sequence[float] = (0.0, pi / 4.0, pi / 2.0)
) -> Array:
    """Plane strain (..., 3) e_xx, e_yy, 2 e_xy from readings (..., k) of gauges at angles (k,).

    Angles are in rad from the axis x of the strain towards y. With more than three gauges it is
    the strain that fits them best.
    """
    at = validate.array("rosette_strain", "angles", angles, DIRECTIONS)
    if at.ndim != 1 or len(at) < 3:
        raise ModelError("rosette_strain", "angles", angles, DIRECTIONS)
    c, s = np.cos(at), np.sin(at)
    rows = np.stack([c * c, s * s, c * s], axis=1)
    if np.linalg.matrix_rank(rows, tol=1e-6) < 3:
        raise ModelError("rosette_strain", "angles", angles, DIRECTIONS)
    given = validate.array("rosette_strain", "readings", readings, "numbers")
    if given.ndim == 0 or given.shape[-1] != len(at):
        expected = f"{len(at)} numbers in the last direction, one for each angle"
        raise ModelError("rosette_strain", "shape of readings", given.shape, expected)
    return np.asarray(given @ np.linalg.pinv(rows).T)


def principal_strains(strain: Any) -> Array:
    """Principal strains and their direction (..., 3) of plane strains (..., 3) e_xx, e_yy, 2 e_xy.

    The last index is: the larger one, the smaller one, and the angle (rad) from x to the direction
    of the larger one, between -pi/2 and pi/2.
    """
    expected = "numbers of the shape (..., 3): e_xx, e_yy, 2 e_xy"
    e = validate.array("principal_strains", "strain", strain, expected)
    if e.ndim == 0 or e.shape[-1] != 3:
        raise ModelError("principal_strains", "strain", strain, expected)
    mean, half = 0.5 * (e[..., 0] + e[..., 1]), 0.5 * (e[..., 0] - e[..., 1])
    radius = np.hypot(half, 0.5 * e[..., 2])
    angle = 0.5 * np.arctan2(0.5 * e[..., 2], half)
    return np.stack([mean + radius, mean - radius, angle], axis=-1)
