"""A rod in space by its differential equations, for rotations of any size.

Sections stay normal to the axis, which may stretch. With the axes R of a section, the moment m and
the force f that it bears, material curvature k = k0 + D^-1 R^T m and tension N = e1 . R^T f,

    R' = R k~,    x' = (1 + N / EA) R e1,    m' = -x' x f

Loads keep their direction. The moment at the clamped end is found by shooting, so that the tip
bears the given one. Nothing of the package is in it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import root

Array = NDArray[np.float64]
EYE = np.eye(3)
ZERO = (0.0, 0.0, 0.0)
EYE = np.eye(3)


def rod_tip(
    length: float,
    stiffness: ArrayLike,
    force: ArrayLike = ZERO,
    torque: ArrayLike = ZERO,
    weight: ArrayLike = ZERO,
    curvature: Callable[[float], ArrayLike] = lambda s: ZERO,
    axes: ArrayLike = EYE,
    steps: int = 2,
) -> Array:
    """Place (3,) of the tip of a rod that is clamped at the origin with the axes (3, 3).

    ``stiffness`` (4,) is EA, GJ and those of bending about y and z, ``curvature`` gives twist and
    curvatures (3,) without load in the axes of the section, ``weight`` is a force per length. The
    load grows in ``steps``.
    """
    force, torque, weight = (np.asarray(x, dtype=float) for x in (force, torque, weight))
    axial, *bending = np.asarray(stiffness, dtype=float)
    start = np.concatenate([np.asarray(axes, dtype=float).ravel(), ZERO])

    def slope(s: float, y: Array, share: float) -> Array:
        R, m = y[:9].reshape(3, 3), y[12:]
        f = share * (force + (length - s) * weight)
        a, b, c = curvature(s) + (R.T @ m) / bending
        along = (1.0 + R[:, 0] @ f / axial) * R[:, 0]
        turn = R @ np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
        return np.concatenate([turn.ravel(), along, -np.cross(along, f)])

    def end(m0: Array, share: float) -> Array:
        y = np.concatenate([start, m0])
        options = {"rtol": 1e-11, "atol": 1e-13, "args": (share,)}
        return solve_ivp(slope, (0.0, length), y, "DOP853", **options).y[:, -1]

    size = sum(np.linalg.norm(x) for x in (torque, length * force, length**2 * weight))
    found = np.zeros(3)
    for share in np.linspace(0.0, 1.0, steps + 1)[1:]:

        def miss(m: Array, share: float = share) -> Array:
            return (end(m * size, share)[12:] - share * torque) / size

        answer = root(miss, found, tol=1e-12)
        found = answer.x
        assert np.linalg.norm(answer.fun) < 1e-9, answer.message
    return end(found * size, 1.0)[9:12]
