"""Cubic splines of surfaces given by numbers: closed curves, and grids in several directions."""

from __future__ import annotations

import numpy as np

from supple.foundation.arrays import Array

PIECES = 8  # of a closed curve for each of its points
LEAST = 256  # pieces of a closed curve
FAR = 1e12  # m, reach of what is convex


def closed_curve(points: Array) -> Array:
    """Coefficients (pieces, 2, 4) of x and y of a curve through points (n, 2), from 1 to t^3.

    Pieces are of equal length along the polygon of the points; the curve has no kinks.
    """
    from scipy.interpolate import CubicSpline

    closed = np.concatenate([points, points[:1]])
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    pieces = max(LEAST, PIECES * len(points))
    even = np.linspace(0.0, s[-1], pieces + 1)
    through = CubicSpline(s, closed, bc_type="periodic")(even)
    through[-1] = through[0]
    fine = CubicSpline(np.arange(pieces + 1), through, bc_type="periodic")
    found: Array = fine.c[::-1].transpose(1, 2, 0)
    return found


def curvatures(curve: Array) -> Array:
    """Curvature (pieces,) at the begins of the pieces, positive where it is convex, 1/m."""
    d, c = curve[:, :, 1], 2.0 * curve[:, :, 2]
    found: Array = (d[:, 0] * c[:, 1] - d[:, 1] * c[:, 0]) / np.linalg.norm(d, axis=1) ** 3
    return found


def reach_outside(curve: Array, points: int = 512) -> float:
    """Radius of balls that fit a closed curve from outside wherever they touch it, m.

    The least of ``|b - a|^2/(2 n.(b - a))`` over places a, b of the curve with the normal n in a
    (Federer), which is that of its hollows where b comes near to a. Half of what some places
    say, for those between them.
    """
    share = max(1, -(-points // len(curve)))
    t = np.arange(share) / share
    powers, slopes = t[:, None] ** np.arange(4), np.arange(4) * t[:, None] ** [0, 0, 1, 2]
    place = np.einsum("pik,tk->pti", curve, powers).reshape(-1, 2)
    along = np.einsum("pik,tk->pti", curve, slopes).reshape(-1, 2)
    normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    least = max(0.0, -float(curvatures(curve).min()))
    for a, n in zip(place, normal, strict=True):
        way = place - a
        square = np.einsum("ij,ij->i", way, way)
        square[square == 0.0] = np.inf
        least = max(least, float((2.0 * (way @ n) / square).max()))
    return 0.5 / least if least > 1e-12 else FAR


def grid_splines(values: Array) -> Array:
    """Coefficients of cubic splines through values on a grid, with one more at all sides.

    Third derivatives do not jump at the knots next to the ends: cubic polynomials are exact.
    """
    found = np.asarray(values, dtype=float)
    for direction in range(found.ndim):
        n = found.shape[direction]
        rows = np.zeros((n + 2, n + 2))
        for k in range(n):
            rows[k + 1, k : k + 3] = np.array([1.0, 4.0, 1.0]) / 6.0
        rows[0, :5] = rows[-1, -5:] = 1.0, -4.0, 6.0, -4.0, 1.0
        along = np.moveaxis(found, direction, 0)
        given = np.zeros((n + 2, along[0].size))
        given[1:-1] = along.reshape(n, -1)
        solved = np.linalg.solve(rows, given).reshape(n + 2, *along.shape[1:])
        found = np.moveaxis(solved, 0, direction)
    return np.ascontiguousarray(found)


def steepness(coefficients: Array, spacing: Array) -> float:
    """Bound of the length of the gradient of cubic splines with these coefficients."""
    slopes = [
        np.abs(np.diff(coefficients, axis=k)).max() / spacing[k] for k in range(coefficients.ndim)
    ]
    return float(np.linalg.norm(slopes))
