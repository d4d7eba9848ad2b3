"""Flat triangles in space: their axes, sides and areas, and points to integrate over them.

Arrays run over all triangles at once. A place in a triangle is given by its three weights
(barycentric coordinates), which add up to one: it is the sum of weights times corners.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation.arrays import Array, Integers
from supple.foundation.cached import cached_property

# Corners where the sides of a triangle begin and end: each runs on to the next corner.
FROM, TO = np.array([0, 1, 2]), np.array([1, 2, 0])
# A triangle is seen edge on, and has no first axis along x, if its normal is this near to x.
EDGE_ON = 0.999
# Mid-sides with equal shares: exact for products of two linear fields (degree 2).
MIDSIDES = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
# D. A. Dunavant, Int. J. Numer. Meth. Eng. 21 (1985) 1129-1148, 12 points, exact for products of
# two cubics (degree 6): share of one point, and its weights up to their order.
_ORBITS = (
    (0.116786275726379, (0.501426509658179, 0.249286745170910, 0.249286745170910)),
    (0.050844906370207, (0.873821971016996, 0.063089014491502, 0.063089014491502)),
    (0.082851075618374, (0.053145049844817, 0.310352451033784, 0.636502499121399)),
)


def mass_points() -> tuple[Array, Array]:
    """Shares (12,) of the area and weights (12, 3) of points exact for products of two cubics."""
    shares, weights = [], []
    for share, (a, b, c) in _ORBITS:
        places = sorted({(a, b, c), (b, c, a), (c, a, b), (a, c, b), (c, b, a), (b, a, c)})
        shares += [share] * len(places)
        weights += places
    # The digits of the table are cut: together the shares are one to rounding.
    return np.array(shares) / np.sum(shares), np.array(weights)


@dataclass(frozen=True, eq=False)
class Triangles:
    """Triangles between points of space."""

    places: Array  # (t, 3, 3) m Corners of each triangle.

    @classmethod
    def of(cls, nodes: Array, corners: Integers) -> Triangles:
        """Triangles of the nodes (N, 3) in m, with the corner numbers (t, 3)."""
        return cls(nodes[corners])

    @cached_property
    def normals(self) -> Array:
        """Normals (t, 3) as long as twice the area, m2; right-handed in the order of corners."""
        p = self.places
        return np.asarray(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]))

    @cached_property
    def areas(self) -> Array:
        """Areas (t,), m2."""
        return np.asarray(0.5 * np.linalg.norm(self.normals, axis=1))

    @cached_property
    def axes(self) -> Array:
        """Axes of each triangle as rows (t, 3, 3): e1, e2 in its plane, e3 its normal.

        e1 is x projected into the plane, or y where the plane is normal to x.
        """
        e3 = self.normals / (2.0 * self.areas)[:, None]
        guide = np.where((np.abs(e3[:, 0]) < EDGE_ON)[:, None], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        e1 = guide - np.sum(guide * e3, axis=1)[:, None] * e3
        e1 /= np.linalg.norm(e1, axis=1)[:, None]
        return np.stack([e1, np.cross(e3, e1), e3], axis=1)

    @cached_property
    def corners(self) -> Array:
        """Corners (t, 3, 2) in the axes e1, e2 of their triangle, from its centre, m."""
        away = self.places - self.places.mean(axis=1, keepdims=True)
        return np.asarray(np.einsum("tkj,tij->tki", away, self.axes[:, :2]))

    @cached_property
    def sides(self) -> Array:
        """Vectors (t, 3, 2) from each corner to the next one, in the axes e1, e2, m."""
        return np.asarray(self.corners[:, TO] - self.corners[:, FROM])

    @cached_property
    def gradients(self) -> Array:
        """Gradients (t, 3, 2) of the three weights, in the axes e1, e2, 1/m."""
        opposite = self.sides[:, [1, 2, 0]]  # the side that a corner does not touch
        turned = np.stack([-opposite[..., 1], opposite[..., 0]], axis=-1)
        return np.asarray(turned / (2.0 * self.areas)[:, None, None])

    def to_body(self, rows: Array) -> Array:
        """Rows (t, k, 18) of corner coordinates in triangle axes, as rows of those in body axes."""
        count, k, _ = rows.shape
        split = rows.reshape(count, k, 6, 3)
        return np.asarray(np.einsum("tkbi,tij->tkbj", split, self.axes)).reshape(count, k, 18)

    def subset(self, which: Any) -> Triangles:
        """Some of the triangles."""
        return Triangles(self.places[which])

    def nearest(self, place: Array) -> tuple[int, Array, float]:
        """Triangle nearest to a place (3,) in m, weights (3,) of its nearest point, distance."""
        p = self.places
        foot = (
            place
            - np.einsum("tj,tj->t", place - p[:, 0], self.axes[:, 2])[:, None] * self.axes[:, 2]
        )
        flat = np.einsum("tj,tij->ti", foot - p.mean(axis=1), self.axes[:, :2])
        within = 1.0 / 3.0 + np.einsum("tij,tj->ti", self.gradients, flat)
        best = np.where(np.all(within >= 0.0, axis=1)[:, None], within, np.nan)
        choices = [best]
        for i, j in zip(FROM, TO, strict=True):
            side = p[:, j] - p[:, i]
            part = np.sum((place - p[:, i]) * side, axis=1) / np.sum(side**2, axis=1)
            part = np.clip(part, 0.0, 1.0)
            weights = np.zeros((len(p), 3))
            weights[:, i], weights[:, j] = 1.0 - part, part
            choices.append(weights)
        weights = np.stack(choices)  # (4, t, 3)
        away = np.linalg.norm(np.einsum("cti,tij->ctj", weights, p) - place, axis=2)
        choice, triangle = np.unravel_index(int(np.nanargmin(away)), away.shape)
        return int(triangle), weights[choice, triangle], float(away[choice, triangle])
