"""Displacement, strain and stress of a point of a shell or solid over time.

The body moves by ``basis @ q`` with elastic coordinates q (nt, n): strains come from the
deformation only, and not from the motion of the body's frame, however large. All arrays have time
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.fem.recovery.stress_points import SHEAR, von_mises
from supple.fem.shells.points import ShellPoint, plane_von_mises
from supple.fem.shells.shell import ShellMesh
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.foundation.validate import Axis

if TYPE_CHECKING:
    from supple.fem.solids.solid import SolidMesh


class ShellPointHistory:
    """A point of a shell over time; axes and surfaces are those of `ShellPoint`."""

    def __init__(self, point: ShellPoint, basis: Array, q: Array) -> None:
        self.point = point
        """The point: its place, its axes, its rows."""
        self._basis, self._q = basis, q

    @property
    def deflection(self) -> Array:
        """(nt, 3) elastic displacement of the middle surface in body axes, m."""
        return self._history(self.point.displacement)

    @property
    def rotation(self) -> Array:
        """(nt, 3) elastic rotation of the surface in body axes, rad."""
        return self._history(self.point.rotation)

    def strain(self, surface: str = "top", along: Axis | None = None) -> Array:
        """(nt, 3) e_xx, e_yy, 2 e_xy on the "top", "middle" or "bottom"."""
        return self._history(self.point.strain(surface, along))

    def stress(self, surface: str = "top", along: Axis | None = None) -> Array:
        """(nt, 3) s_xx, s_yy, s_xy on the "top", "middle" or "bottom", Pa."""
        return self._history(self.point.stress(surface, along))

    def von_mises(self, surface: str = "top") -> Array:
        """(nt,) equivalent stress on the "top", "middle" or "bottom", Pa."""
        return plane_von_mises(self.stress(surface))

    def membrane_force(self, along: Axis | None = None) -> Array:
        """(nt, 3) n_xx, n_yy, n_xy: integrals of stress over the thickness, N/m."""
        return self._history(self.point.membrane_force(along))

    def moment(self, along: Axis | None = None) -> Array:
        """(nt, 3) m_xx, m_yy, m_xy: integrals of height times stress, N m/m."""
        return self._history(self.point.moment(along))

    def gauge(self, along: Axis, surface: str = "top") -> Array:
        """(nt,) reading of a strain gauge on a surface, in the direction ``along``, projected."""
        return self._history(self.point.gauge(along, surface)[None])[:, 0]

    def rosette(
        self,
        along: Axis,
        angles: Sequence[float] = (0.0, pi / 4.0, pi / 2.0),
        surface: str = "top",
    ) -> Array:
        """(nt, k) readings of gauges turned from ``along`` by the angles (k,) in rad."""
        return self._history(self.point.rosette(along, angles, surface))

    def _history(self, rows: Array) -> Array:
        return np.asarray(self._q @ (rows @ self._basis).T)


class SolidPointHistory:
    """A material point of a solid over time; strains and stresses are xx, yy, zz, xy, xz, yz."""

    def __init__(self, mesh: SolidMesh, place: Any, basis: Array, q: Array) -> None:
        self.place = validate.vector("SolidMesh", "point", place)
        """(3,) in the undeformed body, m"""
        self._mesh, self._basis, self._q = mesh, basis, q

    @property
    def deflection(self) -> Array:
        """(nt, 3) elastic displacement in body axes, m."""
        return self._history(self._mesh.displacement(self.place))

    @property
    def rotation(self) -> Array:
        """(nt, 3) elastic rotation in body axes, half the curl, rad."""
        return self._history(self._mesh.rotation(self.place))

    @property
    def strain(self) -> Array:
        """(nt, 6) strains; shear strains are angles."""
        return self._history(self._mesh.strain(self.place))

    @property
    def stress(self) -> Array:
        """(nt, 6) stresses, Pa."""
        return self._history(self._mesh.stress(self.place))

    @property
    def von_mises(self) -> Array:
        """(nt,) equivalent stress, Pa."""
        return von_mises(self.stress)

    def gauge(self, along: Axis) -> Array:
        """(nt,) strain of a fibre in the direction ``along`` of the body's axes."""
        n = validate.axis("SolidMesh", "along", along)
        row = np.concatenate([n**2, [n[i] * n[j] for i, j in SHEAR]])
        return np.asarray(self.strain @ row)

    def _history(self, rows: Any) -> Array:
        return np.asarray(self._q @ (rows @ self._basis).T)


def point_history(
    component: Any, basis: Array, q: Array, *place: Any, **where: Any
) -> ShellPointHistory | SolidPointHistory:
    """A point of a shell (place, triangle and weights, or node) or of a solid (place or node).

    ``basis`` is (size, n), ``q`` (nt, n).
    """
    from supple.fem.solids.solid import SolidMesh

    if isinstance(component, ShellMesh):
        return ShellPointHistory(component.at(*place, **where), basis, q)
    if not isinstance(component, SolidMesh):
        expected = "a component with elements: a ShellMesh or a SolidMesh"
        raise ModelError(type(component).__name__, "point", None, expected)
    if set(where) == {"node"} and not place:
        expected = f"a number from 0 to {len(component.nodes) - 1}"
        node = validate.integer("SolidMesh", "node", where["node"], 0, expected)
        if node >= len(component.nodes):
            raise ModelError("SolidMesh", "node", node, expected)
        return SolidPointHistory(component, component.nodes[node], basis, q)
    if where or len(place) != 1:
        raise ModelError("SolidMesh", "point", (*place, *where), "a place (3,) or node=...")
    return SolidPointHistory(component, place[0], basis, q)
