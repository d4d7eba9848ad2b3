"""Bodies on ball and free joints without inertia about an axis: thin rods whose spin is free."""

from __future__ import annotations

import numpy as np

from supple.engine.base.compiled import Compiled, JointRecord
from supple.engine.reading.rows import own_mass, rows_at
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError
from supple.foundation.poses import Array

# Inertia about an axis, part of the largest of the joint, that is rounding of the tensor
ROUNDING = 1e-14
HELD = 1e-6  # part of a row along the axis from which on it holds the spin


def refuse_thin(equations: Equations, t: float, q: Array) -> None:
    """Raise if a ball or free joint can spin about an axis without moving any mass."""
    c = equations.compiled
    turning = [j for j in c.joints.values() if j.chart.quaternion]
    if not turning:
        return
    M = own_mass(c, equations.work, q)
    for joint in turning:
        axis = _without_inertia(M(slice(joint.u.start, joint.u.stop)))
        if axis is None or _is_held(equations, t, q, joint, axis):
            continue
        axis = axis * (1.0 if axis[np.argmax(np.abs(axis))] > 0.0 else -1.0)
        along = ", ".join(f"{x:.4g}" for x in np.where(np.abs(axis) < 1e-9, 0.0, axis))
        raise ModelError.plain(
            f"{joint.label}: body {joint.child!r} has no inertia about the axis ({along}) of the "
            "joint's frame on it, and nothing hangs on it that has some, expected an inertia about "
            "that axis, or a joint that does not turn about it, e.g. Universal"
        )


def _without_inertia(M: Array) -> Array | None:
    """Axis (3,), in the joint's frame on the child, about which nothing has inertia, or None.

    M is the mass matrix of the joint's velocities.
    """
    turn, rest = np.arange(3), np.arange(3, len(M))
    inertia = M[np.ix_(turn, turn)]
    about = inertia
    if len(rest):  # about the centre of mass, where the body flies
        coupled, mass = M[np.ix_(rest, turn)], M[np.ix_(rest, rest)]
        if not np.linalg.cond(mass) < 1e12:
            return None
        about = inertia - coupled.T @ np.linalg.solve(mass, coupled)
    if not (np.all(np.isfinite(about)) and np.any(inertia)):
        return None
    sizes, axes = np.linalg.eigh(0.5 * (about + about.T))
    thin = sizes[0] < ROUNDING * float(np.max(np.diag(inertia))) and sizes[1] > 1e-9 * sizes[2]
    return axes[:, 0] if thin else None


def _is_held(equations: Equations, t: float, q: Array, joint: JointRecord, axis: Array) -> bool:
    """Whether constraint rows see a spin about the axis."""
    c: Compiled = equations.compiled
    if not c.nr:
        return False
    spin = np.zeros(c.nu)
    spin[joint.u.start : joint.u.start + 3] = axis
    G = rows_at(c, equations.work, t, q, np.zeros(c.nu)).sparse
    return bool(np.max(np.abs(G @ spin)) > HELD * max(float(abs(G).max()), 1e-300))
