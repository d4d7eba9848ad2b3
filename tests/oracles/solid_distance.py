"""Distance of two convex solids from planes between them, without distances of surfaces.

It is the largest ``min n.b - max n.a`` over unit vectors n, positive of solids that are apart; of
those that overlap a little it is the least way, negative, by which one must be moved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import supple as sp

Array = NDArray[np.float64]
Pose = tuple[Array, Array]

_LOOK = np.random.default_rng(0).normal(size=(400, 3))
DIRECTIONS = np.concatenate([_LOOK, np.eye(3), -np.eye(3)])
BEST = 4  # directions from which a search begins


def highest(shape: sp.forces.Shape, n: Array) -> Array:
    """Largest n.x of places x of a solid with sharp edges, in its frame, for n (k, 3)."""
    middle = n @ np.asarray(shape.position)
    if isinstance(shape, sp.Sphere):
        return middle + shape.radius * np.linalg.norm(n, axis=1)
    if isinstance(shape, sp.Cuboid):
        return middle + 0.5 * np.abs(n @ shape.rotation) @ shape.size
    along = n @ shape.axis
    across = np.linalg.norm(n - along[:, None] * shape.axis, axis=1)
    if isinstance(shape, sp.Capsule):
        ends = shape.radius * np.linalg.norm(n, axis=1)
        return middle + 0.5 * shape.length * np.abs(along) + ends
    if isinstance(shape, sp.Torus):  # without its hole
        return middle + shape.radius * across + shape.section * np.linalg.norm(n, axis=1)
    if isinstance(shape, sp.Cone):
        return middle + np.maximum(shape.radius * across, shape.length * along)
    assert isinstance(shape, sp.Cylinder)
    return middle + shape.radius * across + 0.5 * shape.length * np.abs(along)


def separation(
    one: sp.forces.Shape, other: sp.forces.Shape, a: Pose, b: Pose, search: bool = True
) -> float:
    """Distance of two convex solids whose frames have the poses a and b (R, p), m.

    Without a search it is that along the best of some directions, which is below it.
    """
    (first, p), (second, q) = a, b

    def minus(n: Array) -> Array:
        n = n / np.linalg.norm(n, axis=1)[:, None]
        return highest(one, n @ first) + highest(other, -n @ second) - n @ (q - p)

    values = minus(DIRECTIONS)
    found = float(values.min())
    if not search:
        return -found
    for k in np.argsort(values)[:BEST]:
        n = DIRECTIONS[k] / np.linalg.norm(DIRECTIONS[k])
        for _ in range(2):
            low = minimize(
                lambda x: float(minus(x[None])[0]),
                n,
                method="Nelder-Mead",
                options={"xatol": 1e-9, "fatol": 1e-12, "initial_simplex": n + 0.1 * CORNERS},
            )
            n = low.x / np.linalg.norm(low.x)
        found = min(found, float(low.fun))
    return -found


CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
