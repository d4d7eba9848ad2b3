"""A soft pendulum in a plane as a chain of mass points: axial and angular springs, nothing else.

Points are half a segment's mass to either side; axial springs act on the stretch of a segment,
angular ones on the angle between two. This is a rod that stretches and bends, of second order in
the length of the segments. Nothing of the package is in it.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp


def pendulum_tip(
    segments: int,
    times: np.ndarray,
    length: float,
    axial: float,
    bending: float,
    line_mass: float,
    gravity: float = 9.81,
) -> np.ndarray:
    """Places (times, 2) m of the tip; the chain begins along x, at rest, its origin on a pin.

    ``axial`` is E A (N), ``bending`` E I (N m2), ``line_mass`` in kg/m.
    """
    step = length / segments
    mass = np.full((segments, 1), line_mass * step)
    mass[-1] *= 0.5

    def accelerations(r: np.ndarray) -> np.ndarray:
        d = np.diff(np.vstack([np.zeros(2), r]), axis=0)
        size = np.linalg.norm(d, axis=1)[:, None]
        t = d / size
        across = np.stack([-t[:, 1], t[:, 0]], axis=1) / size  # slope of a segment's angle
        sine = t[:-1, 0] * t[1:, 1] - t[:-1, 1] * t[1:, 0]
        turned = np.arctan2(sine, np.sum(t[:-1] * t[1:], axis=1))
        moment = np.zeros((segments + 1, 1))  # between segments; none at the ends
        moment[1:-1, 0] = bending / step * turned
        # slope of the energy by the vector along each segment
        slope = axial * (size / step - 1.0) * t + (moment[:-1] - moment[1:]) * across
        force = -slope
        force[:-1] += slope[1:]
        found: np.ndarray = force / mass - [0.0, gravity]
        return found

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        r, v = y.reshape(2, segments, 2)
        return np.concatenate([v.ravel(), accelerations(r).ravel()])

    start = np.zeros((2, segments, 2))
    start[0, :, 0] = step * np.arange(1, segments + 1)
    way = solve_ivp(rates, (0, times[-1]), start.ravel(), "DOP853", times, rtol=1e-9, atol=1e-11)
    found: np.ndarray = way.y.reshape(2, segments, 2, -1)[0, -1].T
    return found
