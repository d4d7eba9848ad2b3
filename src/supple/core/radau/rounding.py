"""What rounding leaves in the corrections and velocities of a Radau step."""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.radau.buffers import RATE, WU, WX, U
from supple.core.radau.tree import masses
from supple.native.declare import kernel

NOISE = 0.05  # largest correction that may be rounding
MOMENTS = 6.0  # units of rounding in a moment: the sum of those of gravity, inertia and spin about three axes


@kernel
def resolution(r, o):
    """Smallest weighted correction that means something: ten units of rounding of an increment or a velocity."""
    largest = 0.0
    for k in range(r.u.shape[0]):
        largest = max(largest, r.scale[k] / o.u[WX, k], abs(r.u[k]) / o.u[WU, k])
    return 10.0 * 2.2e-16 * largest


@kernel
def rounding(r, o):
    """Weighted norm of what rounding leaves in velocities: rows and joints tie slow ones to the fastest one."""
    fastest, total, n = 0.0, 0.0, r.u.shape[0]
    for k in range(n):
        fastest = max(fastest, abs(r.u[k] + o.u[U + 2, k]) / r.rate_scale[k])
    for k in range(n):
        x = r.rate_scale[k] / o.u[WU, k]
        total += x * x
    return 10.0 * 2.2e-16 * fastest * math.sqrt(total / max(n, 1))


@kernel
def largest_effort(m, r, o, M):
    """Largest product of inertia and acceleration along a velocity, in units of work for its unit of motion."""
    push = 0.0
    for k in range(o.f.shape[1]):
        l = o.free[k]
        push = max(push, abs(M[m.row_of[k], k]) * max(abs(r.a[l]), abs(o.u[RATE + 2, l])) * r.scale[l])
    return push


@kernel
def mobility(m, M, j, i):
    """Angular acceleration about axis i for a unit moment about it, of the ball whose velocities begin at j."""
    a, b, k = j + (i + 1) % 3, j + (i + 2) % 3, j + i
    p, q, s = m.row_of[a], m.row_of[b], m.row_of[k]
    minor = M[p, a] * M[q, b] - M[p, b] * M[p, b]
    first, second = M[p, k] * M[q, b] - M[q, k] * M[p, b], M[p, k] * M[p, b] - M[q, k] * M[p, a]
    whole = M[s, k] * minor - M[s, a] * first + M[s, b] * second
    return minor / whole if whole > 0.0 and minor > 0.0 else 0.0


@kernel
def above_noise(m, r, o, p, h):
    """No weight of an angular velocity is less than rounding of the moments allows: thin rods about their axis.

    Their axis need not be one of the body's axes, so that no entry of the mass matrix is small.
    """
    if o.f.shape[1] < r.u.shape[0]:  # drivers give some of them
        return
    M = masses(m, p, o)[0]
    least = MOMENTS * 2.2e-16 / NOISE * h * largest_effort(m, r, o, M)
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            for i in range(3):
                o.u[WU, j + i] = max(o.u[WU, j + i], least * mobility(m, M, j, i))


@kernel
def noise(m, r, o, p, h):
    """Weighted norm of what rounding of the efforts leaves in velocities, many where they move little mass."""
    M = masses(m, p, o)[0]
    push, total, n = largest_effort(m, r, o, M), 0.0, o.f.shape[1]
    for k in range(n):
        l = o.free[k]
        mass = M[m.row_of[k], k] * r.scale[l] * o.u[WU, l]
        x = push / mass if mass > 0.0 else 0.0
        total += x * x
    if n == r.u.shape[0]:
        for b in range(1, m.node.shape[0]):
            if m.node[b, at.MOTION] == at.BALL or m.node[b, at.MOTION] == at.FREE:
                j = m.node[b, at.U0]
                for i in range(3):
                    x = MOMENTS * push * mobility(m, M, j, i) / o.u[WU, j + i]
                    total += x * x
    return max(rounding(r, o), 2.2e-16 * h * math.sqrt(total / max(n, 1)))
