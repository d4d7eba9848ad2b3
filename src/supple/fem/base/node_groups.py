"""Sets of nodes: named groups, and nodes on a plane, in a box or near a point."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.base.component import Nodal
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, describe, label, suggestion

# Nodes this near to a plane or box, in sizes of the body, are on it: file formats write 6 digits.
NEAR = 1e-6


class NodeGroups(Nodal):
    """Ways to choose nodes of a component that has ``groups`` and a ``name``."""

    groups: Mapping[str, Indices]
    name: str

    @property
    def _owner(self) -> str:
        return label(self) if self.name else type(self).__name__

    def group(self, name: str) -> Indices:
        """Node numbers of a named group."""
        if not isinstance(name, str) or name not in self.groups:
            near = suggestion(name, list(self.groups))
            raise ModelError.plain(f"{self._owner}: there is no group {describe(name)}, {near}")
        return self.groups[name]

    def nodes_on_plane(
        self, normal: validate.Axis, at: float | ArrayLike, tolerance: float | None = None
    ) -> Indices:
        """Nodes on a plane: ``normal`` is "x", "y", "z" or a vector.

        ``at`` is a point of the plane (3,), or its distance from the origin along the normal, m.
        ``tolerance`` is in m; by default a millionth of the body's size.
        """
        axis = validate.axis(self._owner, "normal", normal)
        expected = "a distance from the origin, or a point (3,) of the plane, m"
        place = validate.array(self._owner, "at", at, expected)
        if place.shape not in ((), (3,)):
            raise ModelError(self._owner, "at", at, expected)
        height = float(place) if place.ndim == 0 else float(axis @ place)
        return self._chosen(np.abs(self.nodes @ axis - height) <= self._near(tolerance), "plane")

    def nodes_in_box(
        self, lower: ArrayLike, upper: ArrayLike, tolerance: float | None = None
    ) -> Indices:
        """Nodes in a box between two corners (3,), m; infinite entries are allowed."""
        low, high = self._corner("lower", lower), self._corner("upper", upper)
        near = self._near(tolerance)
        inside = (self.nodes >= low - near) & (self.nodes <= high + near)
        return self._chosen(inside.all(axis=1), "box")

    def nodes_near(self, point: ArrayLike, radius: float) -> Indices:
        """Nodes within a radius (m) of a point (3,)."""
        middle = validate.vector(self._owner, "point", point)
        distance = np.linalg.norm(self.nodes - middle, axis=1)
        within = validate.not_negative(self._owner, "radius", radius)
        return self._chosen(distance <= within, "sphere")

    def _corner(self, field: str, value: Any) -> Array:
        """Three numbers that may be infinite."""
        expected = "3 numbers, which may be infinite, m"
        try:
            found = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            found = np.empty(0)
        if found.shape != (3,) or np.isnan(found).any():
            raise ModelError(self._owner, field, value, expected)
        return found

    def _near(self, tolerance: float | None) -> float:
        if tolerance is not None:
            return validate.not_negative(self._owner, "tolerance", tolerance)
        return NEAR * self.length

    def _chosen(self, mask: Any, what: str) -> Indices:
        found = np.flatnonzero(mask)
        if not len(found):
            raise ModelError.plain(f"{self._owner}: the {what} has no nodes, expected at least one")
        return found


def node_groups(owner: str, groups: Mapping[str, ArrayLike], nodes: int) -> Mapping[str, Indices]:
    """Return groups of node numbers, sorted, each once, read-only."""
    result = {}
    if not isinstance(groups, Mapping):
        raise ModelError(owner, "groups", groups, "names with node numbers")
    for name, members in groups.items():
        validate.written(owner, "name of a group", str(name))
        field = f"group {name!r}"
        numbers = np.unique(validate.whole_numbers(owner, field, members, "node numbers"))
        if numbers.size and (numbers[0] < 0 or numbers[-1] >= nodes):
            wrong = int(numbers[0] if numbers[0] < 0 else numbers[-1])
            raise ModelError.plain(
                f"{owner}: group {name!r} has node {wrong}, expected numbers from 0 to {nodes - 1}"
            )
        numbers = numbers.astype(np.intp)
        numbers.setflags(write=False)
        result[name] = numbers
    return MappingProxyType(result)
