"""Bending of a flat triangle: the discrete Kirchhoff triangle (DKT).

Batoz, Bathe, Ho, Int. J. Numer. Meth. Eng. 15 (1980) 1771-1812. The slopes s = (w,x, w,y) are
quadratic. At the corners they are s = (-ty, tx). Along each side the slope across it is linear,
and the slope along it is at mid-side that of the cubic w with the values and slopes of both ends.
With the side vector r from corner i to corner j, and what a straight side lacks

    d = r . (s_i + s_j) / 2 - (w_j - w_i)

this is s = sum_i zeta_i s_i - sum_sides 6 zeta_i zeta_j d r / |r|^2, and the deflection

    w = sum_i zeta_i w_i + sum_sides zeta_i zeta_j (r . (s_i - s_j) / 2 + (zeta_i - zeta_j) d)

is the same cubic along the sides and complete to second order within (Bazeley, Cheung, Irons,
Zienkiewicz 1965). Stiffness needs s only; inertia needs w too. All rows act on the 18 corner
coordinates u v w tx ty tz of a triangle, in its own axes.

Energy of shear that thin shells leave out. A shell of Kirchhoff's theory does not shear across its
thickness. Shear forces follow from the balance of moments, Q_x = M_xx,x + M_xy,y and Q_y = M_xy,x +
M_yy,y, and would store the energy Q^2 / (5/6 G h) / 2 per area (Reissner). Relative to the strain
energy that is, for small values, how much further the loads would move their places.

Moments at nodes are means over the triangles around them, by area, as tensors in space: gradients
of the moments of a single triangle are too rough. Where Poisson's ratio is not zero, layers along
free edges make the energy up to three times too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.fem.shells import bending
from supple.fem.shells.triangles import FROM, TO, Triangles
from supple.foundation.arrays import Array

if TYPE_CHECKING:
    from supple.fem.shells.shell import ShellMesh


W, TX, TY = (np.arange(3) * 6 + place for place in (2, 3, 4))
REISSNER = 5.0 / 6.0  # of the thickness that resists shear


def _corner_slopes(count: int) -> Array:
    """Rows (t, corner, 2, 18) of the slopes w,x = -ty and w,y = tx."""
    rows = np.zeros((count, 3, 2, 18))
    for i in range(3):
        rows[:, i, 0, TY[i]] = -1.0
        rows[:, i, 1, TX[i]] = 1.0
    return rows


def _lacks(shape: Triangles) -> Array:
    """Rows (t, side, 18) of d, by which the mean slope of a side exceeds that of its chord, m."""
    slopes = _corner_slopes(len(shape.places))
    rows = np.einsum("tsi,tsin->tsn", shape.sides, 0.5 * (slopes[:, FROM] + slopes[:, TO]))
    for side in range(3):
        rows[:, side, W[TO[side]]] -= 1.0
        rows[:, side, W[FROM[side]]] += 1.0
    return np.asarray(rows)


def _bends(shape: Triangles) -> Array:
    """Directions r / |r|^2 of the sides times d: rows (t, side, 2, 18)."""
    along = shape.sides / np.sum(shape.sides**2, axis=-1, keepdims=True)
    return np.asarray(np.einsum("tsi,tsn->tsin", along, _lacks(shape)))


def slopes(shape: Triangles, weights: Array) -> Array:
    """Rows (t, 2, 18) of the slopes w,x and w,y at the weights (3,)."""
    products = weights[FROM] * weights[TO]
    rows = np.einsum("i,tikn->tkn", weights, _corner_slopes(len(shape.places)))
    return np.asarray(rows - 6.0 * np.einsum("s,tskn->tkn", products, _bends(shape)))


def curvatures(shape: Triangles, weights: Array) -> Array:
    """Rows (t, 3, 18) of -w,xx, -w,yy and -2 w,xy, 1/m: times z they are the strains at z."""
    g = shape.gradients
    products = weights[FROM, None] * g[:, TO] + weights[TO, None] * g[:, FROM]  # (t, side, 2)
    gradient = np.einsum("tij,tikn->tkjn", g, _corner_slopes(len(g)))  # of slope k along j
    gradient = gradient - 6.0 * np.einsum("tsj,tskn->tkjn", products, _bends(shape))
    mixed = gradient[:, 0, 1] + gradient[:, 1, 0]
    return -np.stack([gradient[:, 0, 0], gradient[:, 1, 1], mixed], axis=1)


def deflection(shape: Triangles, weights: Array) -> Array:
    """Rows (t, 18) of w at the weights (3,)."""
    corner = _corner_slopes(len(shape.places))
    halves = 0.5 * np.einsum("tsi,tsin->tsn", shape.sides, corner[:, FROM] - corner[:, TO])
    products, differences = weights[FROM] * weights[TO], weights[FROM] - weights[TO]
    rows = np.einsum("s,tsn->tn", products, halves)
    rows = rows + np.einsum("s,tsn->tn", products * differences, _lacks(shape))
    rows[:, W] += weights
    return np.asarray(rows)


def shear_energies(mesh: ShellMesh, displacements: Array) -> Array:
    """Energies (k,) of the shear left out, J, for nodal displacements (k, size)."""
    shape, h = mesh.shape, mesh.thicknesses
    local = displacements[:, mesh.coordinates]  # (k, t, 18)
    law = mesh.law * (h**3 / 12.0)[:, None, None]
    corners = np.stack(
        [
            np.einsum("tij,tjn,ktn->kti", law, shape.to_body(bending.curvatures(shape, w)), local)
            for w in np.eye(3)
        ],
        axis=2,
    )  # (k, t, corner, 3)
    tensors = _in_space(corners, shape.axes)
    weights = np.zeros(len(mesh.nodes))
    nodal = np.zeros((len(mesh.nodes), len(displacements), 3, 3))
    for corner in range(3):
        at = mesh.triangles[:, corner]
        np.add.at(weights, at, shape.areas)
        part = shape.areas[:, None, None] * tensors[:, :, corner]
        np.add.at(nodal, at, np.moveaxis(part, 1, 0))
    nodal /= weights[:, None, None, None]
    across = shape.axes[:, :2]  # rows e1, e2 in the plane of each triangle
    smooth = np.einsum("tai,tckij,tbj->ktcab", across, nodal[mesh.triangles], across)
    force = np.einsum("tcb,ktcab->kta", shape.gradients, smooth)  # (k, t, 2)
    area = shape.areas / (REISSNER * mesh.material.G * h)
    return np.asarray(0.5 * np.einsum("t,kta->k", area, force**2))


def _in_space(moments: Array, axes: Array) -> Array:
    """Tensors (k, t, c, 3, 3) of moments xx, yy, xy (k, t, c, 3) in the axes of triangles."""
    xx, yy, xy = np.moveaxis(moments, -1, 0)
    plane = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2)
    e = axes[:, :2]
    return np.asarray(np.einsum("tai,ktcab,tbj->ktcij", e, plane, e))
