"""Stretching of a flat triangle in its plane, with drilling rotations: the optimal triangle (OPT).

Felippa, Comput. Methods Appl. Mech. Eng. 192 (2003) 2125-2168. The strain is the mean strain that
the displacements of the sides give, plus a part that is linear in the plane and has no mean. The
latter comes from the drilling rotations tz against the rotation of the triangle as a whole. The
free numbers are those for which a rectangle of two triangles bends exactly in its plane, whatever
its aspect ratio. All rows act on the 18 corner coordinates u v w tx ty tz of a triangle, in its
own axes.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from supple.fem.shells.triangles import FROM, TO, Triangles
from supple.foundation.arrays import Array

U, V, TZ = (np.arange(3) * 6 + place for place in (0, 1, 5))
# alpha_b: how strongly drilling rotations bend the sides, for the mean strain.
ALPHA = 1.5
# beta_1 ... beta_9: strains along the sides (rows) at the first corner for the drilling rotations
# of the corners (columns). Rows and columns of the other corners follow by moving on to the next.
BETA = np.array([[1.0, 2.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -1.0, -2.0]])
# Felippa's lower bound of beta_0: without it a Poisson ratio of 1/2 has motions without energy.
LEAST_BETA_0 = 0.01


def beta_0(poisson: float) -> float:
    """Factor of the energy of the linear strains, for an isotropic material."""
    return max(0.5 * (1.0 - 4.0 * poisson**2), LEAST_BETA_0)


def strains(shape: Triangles, weights: Array, poisson: float) -> Array:
    """Rows (t, 3, 18) of e_xx, e_yy and 2 e_xy at the weights (3,)."""
    return _mean_strains(shape) + sqrt(beta_0(poisson)) * _linear_strains(shape, weights)


def displacements(shape: Triangles, weights: Array) -> Array:
    """Rows (t, 2, 18) of u and v at the weights (3,), for the inertia.

    Linear, plus a cubic deflection of each side across itself, which has at its ends the drilling
    rotations against the rotation of the triangle. Fields of constant strain are met exactly, and
    no motion of the corners is without mass.
    """
    rows = np.zeros((len(shape.places), 2, 18))
    rows[:, 0, U] = rows[:, 1, V] = weights
    spins = _spins(shape)
    left = np.stack([-shape.sides[..., 1], shape.sides[..., 0]], axis=-1)
    for side, (i, j) in enumerate(zip(FROM, TO, strict=True)):
        even, odd = 0.5 * (spins[:, i] - spins[:, j]), 0.5 * (spins[:, i] + spins[:, j])
        bow = weights[i] * weights[j] * (even + (weights[i] - weights[j]) * odd)
        rows += left[:, side, :, None] * bow[:, None, :]
    return rows


def gradients(shape: Triangles, weights: Array) -> Array:
    """Rows (t, 2, 2, 18) of u,x u,y and v,x v,y of `displacements`: component, then direction."""
    g = shape.gradients
    rows = np.zeros((len(g), 2, 2, 18))
    rows[:, 0, :, U] = rows[:, 1, :, V] = g.transpose(1, 0, 2)
    spins = _spins(shape)
    left = np.stack([-shape.sides[..., 1], shape.sides[..., 0]], axis=-1)
    for side, (i, j) in enumerate(zip(FROM, TO, strict=True)):
        even, odd = 0.5 * (spins[:, i] - spins[:, j]), 0.5 * (spins[:, i] + spins[:, j])
        product, difference = weights[i] * weights[j], weights[i] - weights[j]
        of_product = weights[j] * g[:, i] + weights[i] * g[:, j]  # gradients (t, 2)
        of_odd = difference * of_product + product * (g[:, i] - g[:, j])
        slope = of_product[:, :, None] * even[:, None] + of_odd[:, :, None] * odd[:, None]
        rows += left[:, side, :, None, None] * slope[:, None]
    return rows


def _spins(shape: Triangles) -> Array:
    """Rows (t, corner, 18) of the drilling rotations against the rotation of the triangle, rad."""
    rows = np.zeros((len(shape.places), 3, 18))
    rows[:, :, U] = 0.5 * shape.gradients[:, None, :, 1]
    rows[:, :, V] = -0.5 * shape.gradients[:, None, :, 0]
    for i in range(3):
        rows[:, i, TZ[i]] = 1.0
    return rows


def _mean_strains(shape: Triangles) -> Array:
    """Rows (t, 3, 18): the integral of displacement times outward normal over the sides, by A."""
    g = shape.gradients
    rows = np.zeros((len(g), 3, 18))
    rows[:, 0, U] = rows[:, 2, V] = g[..., 0]
    rows[:, 1, V] = rows[:, 2, U] = g[..., 1]
    # A side (x, y) that turns by tz_i and tz_j at its ends bows to its left, (-y, x), by the area
    # l^2 (tz_i - tz_j) / 12; its outward normal is (y, -x) / l.
    x, y = shape.sides[..., 0], shape.sides[..., 1]
    bows = np.stack([-y * y, -x * x, 2.0 * x * y], axis=1) * (ALPHA / 12.0)
    bows /= shape.areas[:, None, None]
    for side, (i, j) in enumerate(zip(FROM, TO, strict=True)):
        rows[:, :, TZ[i]] += bows[:, :, side]
        rows[:, :, TZ[j]] -= bows[:, :, side]
    return rows


def _linear_strains(shape: Triangles, weights: Array) -> Array:
    """Rows (t, 3, 18) of the strains without mean, before the factor sqrt(beta_0)."""
    # Q of Felippa without its factors, which partly cancel against those of T_e.
    q = sum(weights[k] * np.roll(BETA, k, axis=(0, 1)) for k in range(3))
    natural = np.einsum("si,tin->tsn", q, _spins(shape))
    # A side that stretches by e (times l^2) strains the plane by -e sym(grad zeta_i grad zeta_j).
    a, b = shape.gradients[:, FROM], shape.gradients[:, TO]
    mixed = a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]
    planes = -np.stack([a[..., 0] * b[..., 0], a[..., 1] * b[..., 1], mixed], axis=1)
    return np.asarray(shape.areas[:, None, None] * np.einsum("tks,tsn->tkn", planes, natural))
