"""Where a point of a shell is: by place, by triangle and weights, or by node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.fem.shells.triangles import FROM, TO
from supple.foundation import validate
from supple.foundation.arrays import Array, Integers
from supple.foundation.errors import ModelError

if TYPE_CHECKING:
    from supple.fem.shells.shell import ShellMesh

# Weights of a point add up to one within this.
WEIGHT_TOLERANCE = 1e-9
# A place farther from the shell than this part of the nearest triangle's longest side is not on it.
NEAR = 0.5


def find(
    mesh: ShellMesh, place: Any, triangle: Any, weights: Any, node: Any
) -> tuple[Integers, Array, Array]:
    """Triangles (m,), weights (m, 3) of their corners and shares (m,) that add up to one.

    Exactly one of place, triangle and node is given. A node belongs to all triangles around it, in
    proportion to their areas.
    """
    given = {"place": place, "triangle": triangle, "node": node}
    names = tuple(name for name, value in given.items() if value is not None)
    if len(names) != 1:
        raise ModelError(mesh.label, "point", names, "one of place, triangle and node")
    if node is not None:
        n = _index(mesh.label, "node", node, len(mesh.nodes))
        around, corner = np.nonzero(mesh.triangles == n)
        areas = mesh.shape.areas[around]
        return around, np.eye(3)[corner], areas / areas.sum()
    if place is not None:
        t, w = _nearest(mesh, place)
    else:
        t = _index(mesh.label, "triangle", triangle, len(mesh.triangles))
        w = _weights(mesh.label, weights)
    return np.array([t]), np.array([w]), np.ones(1)


def _nearest(mesh: ShellMesh, place: Any) -> tuple[int, Array]:
    where = validate.vector(mesh.label, "place", place)
    t, weights, away = mesh.shape.nearest(where)
    corners = mesh.shape.places[t]
    side = float(np.max(np.linalg.norm(corners[TO] - corners[FROM], axis=1)))
    if away > NEAR * side:
        expected = f"a place on the shell, whose nearest point is {away:.3g} m away"
        raise ModelError(mesh.label, "place", where, expected)
    return t, weights


def _weights(owner: str, value: Any) -> Array:
    expected = "3 numbers from 0 to 1 that add up to 1"
    weights = validate.vector(owner, "weights", value, 3, expected)
    if np.any(weights < -WEIGHT_TOLERANCE) or abs(weights.sum() - 1.0) > WEIGHT_TOLERANCE:
        raise ModelError(owner, "weights", weights, expected)
    return weights


def _index(owner: str, field: str, value: Any, count: int) -> int:
    expected = f"a number from 0 to {count - 1}"
    found = validate.integer(owner, field, value, 0, expected)
    if found >= count:
        raise ModelError(owner, field, found, expected)
    return found
