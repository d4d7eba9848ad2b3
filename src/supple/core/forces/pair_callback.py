"""Forces between two frames computed by functions: called as in ``callback``, tangents by differences.

The function sees place, axes, velocity and angular velocity of B relative to A, in A's axes, and gives the force on B at
B's origin and the torque, in A's axes. The wrench on A is the opposite one. Places in the element and its data are those
of a bushing, and so is the way from derivatives in A's axes to tangents.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import add_wrench, cross, scatter_relative, turned, turned_back
from supple.core.forces.bushing import AT, A, B, relative
from supple.core.forces.callback import (
    AXES,
    COPY,
    FORCE,
    FRAME_BUFFER,
    FRAME_INPUTS,
    PLACE,
    SMALL,
    SPIN,
    TIME,
    TORQUE,
    VELOCITY,
    evaluate,
    flat,
)
from supple.native.declare import INT, MAT, REAL, kernel, shared

__all__ = ["ADDRESS", "AT", "A", "B", "apply", "differentiate"]

# Element integers: nodes of A and B and place of both poses in the data, as of bushings; then the address
ADDRESS = 4
# Scratch rows of the tangents, behind the buffer and its copy
E_ROW, C_ROW, W_ROW = 10, 16, 22


@kernel
def three(b, i):
    """Three numbers of a buffer."""
    return b[i], b[i + 1], b[i + 2]


@kernel
def call(tree, work, e, b, t):
    """Evaluate the function; returns A's axes, B's point (both world) and the relative angular velocity (world)."""
    a, c, p, d, drate, w = relative(tree, work, e)
    spin = turned_back(a, w)
    b[TIME] = t
    for i in range(3):
        b[PLACE + i], b[VELOCITY + i], b[SPIN + i] = d[i], drate[i], spin[i]
        for j in range(3):
            b[AXES + 3 * i + j] = a[i] * c[j] + a[3 + i] * c[3 + j] + a[6 + i] * c[6 + j]
    evaluate(tree.element[e, ADDRESS], b, FRAME_INPUTS, FRAME_BUFFER)
    return a, p, w


@shared(TREE, WORK, INT, REAL, gives=REAL)
def apply(tree, work, e, t):
    """Subtract the wrenches from both nodes and return the power."""
    el, b = tree.element[e], flat(work)[0]
    a, p, _ = call(tree, work, e, b, t)
    force, torque = turned(a, three(b, FORCE)), turned(a, three(b, TORQUE))
    add_wrench(work, el[B], p, force, torque, 1.0)
    add_wrench(work, el[A], p, force, torque, -1.0)
    power = 0.0 * b[TIME]
    for i in range(3):
        power += b[FORCE + i] * b[VELOCITY + i] + b[TORQUE + i] * b[SPIN + i]
    return power


@shared(TREE, WORK, INT, REAL, MAT, MAT)
def differentiate(tree, work, e, t, Rq, Ru):
    """Tangents by forward differences along displacement and twist of B relative to A."""
    el, b, s = tree.element[e], flat(work)[0], work.scratch
    a, p, w = call(tree, work, e, b, t)
    for i in range(FRAME_BUFFER):
        b[COPY + i] = b[i]  # the state itself
    force, torque = turned(a, three(b, FORCE)), turned(a, three(b, TORQUE))
    arm = cross(p, force)
    E, C, W = s[E_ROW : E_ROW + 6], s[C_ROW : C_ROW + 6], s[W_ROW]
    for j in range(3):
        W[j], W[3 + j] = torque[j] + arm[j], force[j]
    place, speed = 1.0, 1.0
    for i in range(3):
        place += abs(b[PLACE + i])
        speed += abs(b[VELOCITY + i]) + abs(b[SPIN + i])
    for c in range(6):
        th = ((c == 0) * 1.0, (c == 1) * 1.0, (c == 2) * 1.0)
        dp = cross(th, p)
        dp = (dp[0] + (c == 3), dp[1] + (c == 4), dp[2] + (c == 5))
        turn, dd = turned_back(a, th), turned_back(a, dp)
        for which in range(2):
            for i in range(FORCE):
                b[i] = b[COPY + i]
            h = SMALL * (place if which == 0 else speed)
            if which == 0:  # displaced, at fixed relative twist
                ddrate = turned_back(a, cross(w, dp))
                for i in range(3):
                    b[PLACE + i] += h * dd[i]
                    b[VELOCITY + i] += h * ddrate[i]
                for j in range(3):
                    axis = cross(turn, (b[COPY + AXES + j], b[COPY + AXES + 3 + j], b[COPY + AXES + 6 + j]))
                    for i in range(3):
                        b[AXES + 3 * i + j] += h * axis[i]
            else:
                for i in range(3):
                    b[VELOCITY + i] += h * dd[i]
                    b[SPIN + i] += h * turn[i]
            evaluate(el[ADDRESS], b, FRAME_INPUTS, FRAME_BUFFER)
            for i in range(FORCE, FRAME_BUFFER):
                b[i] = (b[i] - b[COPY + i]) / h
            g, k = turned(a, three(b, FORCE)), turned(a, three(b, TORQUE))
            lever, moved, out = cross(p, g), cross(dp, force), C
            if which == 0:
                out = E
            for i in range(3):
                out[i, c], out[3 + i, c] = k[i] + lever[i] + (1 - which) * moved[i], g[i]
    scatter_relative(tree, work, el[at.LINES], el[A], el[B], E, C, W, Rq, Ru)
