"""A point of a shell: what it shows of the nodal coordinates, as rows.

Strains and curvatures are in the triangle's axes e1, e2 (x of the body projected into the plane of
the triangle, or y where that plane is normal to x) or, with ``along``, in axes whose first is that
direction, projected. Their order is xx, yy and twice xy; stresses, forces and moments have xy once.
At the height z the strain is ``membrane_strain + z curvature``, z towards the normal e3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.fem.shells import bending, membrane
from supple.fem.shells.triangles import Triangles
from supple.foundation import validate
from supple.foundation.arrays import Array, Integers
from supple.foundation.errors import ModelError
from supple.foundation.validate import Axis

if TYPE_CHECKING:
    from supple.fem.shells.shell import ShellMesh

# Height of a surface over the middle, in thicknesses.
SURFACES = {"top": 0.5, "middle": 0.0, "bottom": -0.5}
# A direction whose sine with the normal is smaller has no projection.
NO_PROJECTION = 1e-6
# Triangles around a node whose normals differ by more than acos of this (30 degrees) are a fold.
SMOOTH = 0.866


def surface_height(surface: Any) -> float:
    """Height of "top", "middle" or "bottom" over the middle surface, in thicknesses."""
    return SURFACES[validate.choice("ShellMesh", "surface", surface, tuple(SURFACES))]


def plane_von_mises(stress: Any) -> Array:
    """Equivalent stress of von Mises (...) of plane stresses (..., 3) s_xx, s_yy, s_xy."""
    expected = "numbers of the shape (..., 3): s_xx, s_yy, s_xy"
    s = validate.array("plane_von_mises", "stress", stress, expected)
    if s.ndim == 0 or s.shape[-1] != 3:
        raise ModelError("plane_von_mises", "stress", stress, expected)
    xx, yy, xy = s[..., 0], s[..., 1], s[..., 2]
    return np.asarray(np.sqrt(xx**2 - xx * yy + yy**2 + 3.0 * xy**2))


@dataclass(frozen=True, eq=False)
class ShellPoint:
    """A point of a shell, made by ``ShellMesh.at``; its rows are (k, size), for ``rows @ q``."""

    mesh: ShellMesh
    triangles: Integers  # (m,) The triangle it lies in, or all those around a node.
    weights: Array  # (m, 3) Weights of their corners.
    shares: Array  # (m,) Part of each triangle in the rows; they add up to one.

    @property
    def place(self) -> Array:
        """Place (3,) of the point in the undeformed middle surface, m."""
        corners = self.mesh.shape.places[self.triangles[0]]
        return np.asarray(self.weights[0] @ corners)

    def axes(self, along: Axis | None = None) -> Array:
        """Rows (3, 3) e1, e2, e3 of the axes of the strains; at a node those of one triangle."""
        axes = self.mesh.shape.axes[self.triangles[0]]
        c, s = (1.0, 0.0) if along is None else self._turn(self.triangles[0], along)
        return np.asarray(np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ axes)

    @property
    def displacement(self) -> Array:
        """Rows (3, size) of the displacement of the middle surface, in the axes of the body, m."""
        return self._moving(
            lambda shape, w: np.concatenate(
                [membrane.displacements(shape, w), bending.deflection(shape, w)[:, None]], axis=1
            )
        )

    @property
    def rotation(self) -> Array:
        """Rows (3, size) of the rotation of the surface, in the axes of the body, rad.

        About axes in the plane it is that of the slopes, about the normal the drilling rotation.
        """
        return self._moving(_rotations)

    def membrane_strain(self, along: Axis | None = None) -> Array:
        """Rows (3, size) of e_xx, e_yy, 2 e_xy of the middle surface."""
        return self._plane(self._stretch, along, power=0)

    def curvature(self, along: Axis | None = None) -> Array:
        """Rows (3, size) of -w,xx, -w,yy, -2 w,xy, 1/m; positive ones stretch the top."""
        return self._plane(bending.curvatures, along, power=0)

    def membrane_force(self, along: Axis | None = None) -> Array:
        """Rows (3, size) of n_xx, n_yy, n_xy: integrals of stress over the thickness, N/m."""
        return self.mesh.law @ self._plane(self._stretch, along, power=1)

    def moment(self, along: Axis | None = None) -> Array:
        """Rows (3, size) of m_xx, m_yy, m_xy: integrals of z times stress, N m/m."""
        return self.mesh.law @ self._plane(bending.curvatures, along, power=3) / 12.0

    def strain(self, surface: str = "top", along: Axis | None = None) -> Array:
        """Rows (3, size) of e_xx, e_yy, 2 e_xy on the "top", "middle" or "bottom"."""
        bent = self._plane(bending.curvatures, along, power=1)
        return self._plane(self._stretch, along, power=0) + surface_height(surface) * bent

    def stress(self, surface: str = "top", along: Axis | None = None) -> Array:
        """Rows (3, size) of s_xx, s_yy, s_xy on the "top", "middle" or "bottom", Pa."""
        return self.mesh.law @ self.strain(surface, along)

    def gauge(self, along: Axis, surface: str = "top") -> Array:
        """Row (size,) of a strain gauge on a surface, in the direction ``along``, projected."""
        return np.asarray(self.strain(surface, along)[0])

    def rosette(
        self,
        along: Axis,
        angles: Sequence[float] = (0.0, pi / 4.0, pi / 2.0),
        surface: str = "top",
    ) -> Array:
        """Rows (k, size) of gauges turned from ``along`` by the angles (k,) in rad about e3."""
        e1, e2, _ = self.axes(along)
        turned = [np.cos(angle) * e1 + np.sin(angle) * e2 for angle in angles]
        return np.array([self.gauge(direction, surface) for direction in turned])

    def _stretch(self, shape: Triangles, weights: Array) -> Array:
        return membrane.strains(shape, weights, self.mesh.poisson)

    def _turn(self, triangle: Any, along: Axis) -> tuple[float, float]:
        """Cosine and sine of the angle from e1 of a triangle to a direction, projected."""
        direction = validate.axis(self.mesh.label, "along", along)
        c, s, _ = self.mesh.shape.axes[triangle] @ direction
        length = float(np.hypot(c, s))
        if length < NO_PROJECTION:
            expected = f"a direction that is not normal to triangle {triangle}"
            raise ModelError(self.mesh.label, "along", direction, expected)
        return float(c) / length, float(s) / length

    def _plane(
        self, part: Callable[[Triangles, Array], Array], along: Axis | None, power: int
    ) -> Array:
        """Rows (3, size) of plane strains times a power of the thickness, in the asked axes."""
        self._smooth()
        if along is None and len(self.triangles) > 1:
            along = self.axes()[0]  # common to all triangles around a node
        total = np.zeros((3, self.mesh.size))
        for t, weights, share in zip(self.triangles, self.weights, self.shares, strict=True):
            shape = self.mesh.shape.subset([t])
            rows = part(shape, weights)
            if along is not None:
                c, s = self._turn(t, along)
                rows = (
                    np.array(
                        [
                            [c * c, s * s, c * s],
                            [s * s, c * c, -c * s],
                            [-2.0 * c * s, 2.0 * c * s, c * c - s * s],
                        ]
                    )
                    @ rows
                )
            factor = share * self.mesh.thicknesses[t] ** power
            total[:, self.mesh.coordinates[t]] += factor * shape.to_body(rows)[0]
        return total

    def _moving(self, part: Callable[[Triangles, Array], Array]) -> Array:
        """Rows (3, size) of a vector that a function gives in the axes of a triangle."""
        t, weights = self.triangles[0], self.weights[0]
        shape = self.mesh.shape.subset([t])
        total = np.zeros((3, self.mesh.size))
        rows = shape.to_body(part(shape, weights))[0]
        total[:, self.mesh.coordinates[t]] = shape.axes[0].T @ rows
        return total

    def _smooth(self) -> None:
        normals = self.mesh.shape.axes[self.triangles, 2]
        if np.min(normals @ normals[0]) < SMOOTH:
            n = int(self.mesh.triangles[self.triangles[0]] @ self.weights[0])
            expected = "a node of a smooth shell: strains at a fold belong to one triangle"
            raise ModelError(self.mesh.label, "node", n, expected)


def _rotations(shape: Triangles, weights: Array) -> Array:
    """Rows (t, 3, 18) of the rotations w,y, -w,x and tz."""
    slopes = bending.slopes(shape, weights)
    drilling = np.zeros((len(slopes), 18))
    drilling[:, membrane.TZ] = weights
    return np.stack([slopes[:, 1], -slopes[:, 0], drilling], axis=1)
