"""Velocities that are components of one vector: places, whose errors are weighed together."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array


def place_vectors(c: Compiled) -> np.ndarray:
    """The first velocity (nu,) of the vector that each belongs to; -1 of what is no place.

    Vectors are places of free joints, translations of one joint along several axes, and vectors of
    nodes.
    """
    firsts = np.full(c.nu, -1, dtype=np.int64)
    node = at.TREE_RECORD.view("node", c.sizes, c.ints)
    for n, kind in enumerate(node[:, at.MOTION].tolist()):
        if kind == at.PRISMATIC:
            row, before = node[n], node[node[n, at.PARENT]]
            j, goes_on = row[at.U0], before[at.MOTION] == kind and before[at.HEAVY] == 0
            firsts[j] = firsts[before[at.U0]] if goes_on else j
        elif kind == at.FREE:
            j = node[n, at.U0] + 3
            firsts[j : j + 3] = j
    for body in c.gradient.values():
        k = np.arange(body.u.stop - body.u.start)
        firsts[body.u] = body.u.start + k - k % 3
    return firsts


def coordinate_scales(c: Compiled, of: Array | None = None) -> tuple[Array, np.ndarray]:
    """Scales (nq,) of the coordinates, and which of them are no quaternions.

    ``of`` are others (nu,) than those of the model. A rotation by x changes a quaternion by x/2.
    """
    x = c.scale if of is None else of
    size, plain = np.zeros(c.nq), np.ones(c.nq, dtype=bool)
    for body in c.deforming.values():
        size[body.q] = x[body.u]
    for motor in c.motors.values():
        if motor.own:
            size[motor.q] = x[motor.u]
    for joint in (*c.joints.values(), *c.extra.values()):
        if joint.chart.quaternion:
            quaternion = slice(joint.q.start, joint.q.start + 4)
            size[quaternion], plain[quaternion] = 0.5 * x[joint.u.start], False
            size[quaternion.stop : joint.q.stop] = x[joint.u][3:]
        else:
            size[joint.q] = x[joint.u]
    return size, plain


def largest_motion(c: Compiled, way: Array, pace: Array) -> tuple[Array, Array]:
    """Largest ways so far, over coordinates (nq,), and velocities (nu,) of places; zero of others.

    Both are given at the first velocity of each vector.
    """
    v = place_vectors(c)
    far, fast = (np.where(v >= 0, x[np.maximum(v, 0)], 0.0) for x in (way, pace))
    return coordinate_scales(c, far)[0], fast
