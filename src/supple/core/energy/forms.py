"""Quadratic forms of two bodies, and their exact increments over a step.

A body has the place x of its mass centre and the rotation R. With the Cayley vector theta of a step,
R1 - R0 = [theta] (R0 + R1)/2, so that a form that is quadratic in (x, columns of R) changes over a step by exactly
``row . (dx_A, theta_A, dx_B, theta_B)``, the row being taken with the means of all vectors at the two ends. Used as a constraint's
direction of force, the row makes a force that does no work and keeps momentum; used with a spring, one that does the work that
the spring gives up.

Vectors of a form: a fixed to A, b fixed to B, arms pA and pB from the mass centres, and d = x_B + pB - x_A - pA.

    POINT    e . d      with a direction e fixed in the world
    DOT      a . b
    LINE_A   a . d
    LINE_B   b . d
    LENGTH   d . d / 2
    VECTOR   a . g      with the nodal vector g in the place of x_B; there are no arms
"""

from __future__ import annotations

import math

from supple.core.base.buffers import starts
from supple.native.declare import kernel

POINT, DOT, LINE_A, LINE_B, LENGTH, VECTOR = 0, 1, 2, 3, 4, 5
# Integers of a form: kind, bodies A and B (0: the ground); reals: a, b, pA, pB in the axes of their nodes, value, unit
KIND, A, B, FORM_INTS = 0, 1, 2, 3
VECTOR_A, VECTOR_B, ARM_A, ARM_B, VALUE, UNIT, FORM = starts(3, 3, 3, 3, 1, 1)
# Places in the vectors of a form (15), and in a row (12)
X_A, X_B, X_PA, X_PB, X_D = 0, 3, 6, 9, 12
VECTORS = 15
ROW = 12


@kernel
def cross(x, y, s, out):
    """out += s x x y, for the first three numbers of each."""
    out[0] += s * (x[1] * y[2] - x[2] * y[1])
    out[1] += s * (x[2] * y[0] - x[0] * y[2])
    out[2] += s * (x[0] * y[1] - x[1] * y[0])


@kernel
def dot(x, y):
    """Scalar product of the first three numbers."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel
def turned(pose, x, out):
    """out = R x for a pose (x, R by rows)."""
    for n in range(3):
        out[n] = pose[3 + 3 * n] * x[0] + pose[4 + 3 * n] * x[1] + pose[5 + 3 * n] * x[2]


@kernel
def vectors(of, f, c, out):
    """Vectors of a form, its integers ``of`` and reals f, at the poses c (bodies, 12)."""
    pa, pb = c[of[A]], c[of[B]]
    turned(pa, f[VECTOR_A:], out[X_A:])
    turned(pb, f[VECTOR_B:], out[X_B:])
    turned(pa, f[ARM_A:], out[X_PA:])
    turned(pb, f[ARM_B:], out[X_PB:])
    for k in range(3):
        out[X_D + k] = pb[k] + out[X_PB + k] - pa[k] - out[X_PA + k]
        if of[KIND] == POINT:
            out[X_A + k] = f[VECTOR_A + k]
        elif of[KIND] == VECTOR:
            out[X_D + k] = pb[k]


@kernel
def mean(x, y, out):
    """Means of the vectors at two ends."""
    for k in range(VECTORS):
        out[k] = 0.5 * (x[k] + y[k])


@kernel
def value(of, f, x):
    """Excess of the form over its prescribed value."""
    kind = of[KIND]
    if kind == DOT:
        return dot(x[X_A:], x[X_B:]) - f[VALUE]
    if kind == LINE_B:
        return dot(x[X_B:], x[X_D:]) - f[VALUE]
    if kind == LENGTH:
        return 0.5 * dot(x[X_D:], x[X_D:]) - f[VALUE]
    return dot(x[X_A:], x[X_D:]) - f[VALUE]


@kernel
def row(of, x, out):
    """The row (12) of a form with the vectors x: along x_A, rotation of A, x_B, rotation of B."""
    kind = of[KIND]
    for k in range(ROW):
        out[k] = 0.0
    if kind == DOT:
        cross(x[X_A:], x[X_B:], 1.0, out[3:])
        cross(x[X_B:], x[X_A:], 1.0, out[9:])
        return
    push = X_A
    if kind == LINE_B:
        push = X_B
    elif kind == LENGTH:
        push = X_D
    for k in range(3):
        out[k] = -x[push + k] if kind != VECTOR else 0.0
        out[6 + k] = x[push + k]
    cross(x[X_PA:], x[push:], -1.0, out[3:])
    cross(x[X_PB:], x[push:], 1.0, out[9:])
    if kind == LINE_A or kind == VECTOR:
        cross(x[X_A:], x[X_D:], 1.0, out[3:])
    elif kind == LINE_B:
        cross(x[X_B:], x[X_D:], 1.0, out[9:])


@kernel
def row_change(of, x, y, out):
    """Change of the row (12) when its vectors x change by y."""
    kind = of[KIND]
    for k in range(ROW):
        out[k] = 0.0
    if kind == DOT:
        cross(y[X_A:], x[X_B:], 1.0, out[3:])
        cross(x[X_A:], y[X_B:], 1.0, out[3:])
        cross(y[X_B:], x[X_A:], 1.0, out[9:])
        cross(x[X_B:], y[X_A:], 1.0, out[9:])
        return
    push = X_A
    if kind == LINE_B:
        push = X_B
    elif kind == LENGTH:
        push = X_D
    for k in range(3):
        out[k] = -y[push + k] if kind != VECTOR else 0.0
        out[6 + k] = y[push + k]
    cross(y[X_PA:], x[push:], -1.0, out[3:])
    cross(x[X_PA:], y[push:], -1.0, out[3:])
    cross(y[X_PB:], x[push:], 1.0, out[9:])
    cross(x[X_PB:], y[push:], 1.0, out[9:])
    if kind == LINE_A or kind == VECTOR:
        cross(y[X_A:], x[X_D:], 1.0, out[3:])
        cross(x[X_A:], y[X_D:], 1.0, out[3:])
    elif kind == LINE_B:
        cross(y[X_B:], x[X_D:], 1.0, out[9:])
        cross(x[X_B:], y[X_D:], 1.0, out[9:])


@kernel
def moved(of, x, k, unit, out):
    """Half the change of the vectors x at one end for the unit motion k (as in a row) there: that of their means."""
    for n in range(VECTORS):
        out[n] = 0.0
    side = k // 6
    sign = 2.0 * side - 1.0
    k = k % 6
    if k < 3:
        if side == 1 or of[KIND] != VECTOR:
            out[X_D + k] = 0.5 * sign
        return
    for n in range(3):
        unit[n] = 0.0
    unit[k - 3] = 1.0
    if side == 1 or of[KIND] != POINT:
        cross(unit, x[X_A + 3 * side :], 0.5, out[X_A + 3 * side :])
    cross(unit, x[X_PA + 3 * side :], 0.5, out[X_PA + 3 * side :])
    cross(unit, x[X_PA + 3 * side :], 0.5 * sign, out[X_D:])


@kernel
def angle(e, g):
    """atan2(e, g), its quotient by e, and the derivatives of the quotient along e and g."""
    a = math.atan2(e, g)
    if g > 0.0 and abs(e) < 0.1 * g:
        t = e / g
        s = t * t
        f, df = 0.0, 0.0  # sum (-s)^k/(2k + 1), and its derivative with s
        for k in range(9, -1, -1):
            f = 1.0 / (2 * k + 1) - s * f
            df = -(k + 1) / (2.0 * k + 3.0) - s * df
        return a, f / g, 2.0 * df * t / (g * g), -f / (g * g) - 2.0 * df * s / (g * g)
    r = e * e + g * g
    return a, a / e, (g / r - a / e) / e, -1.0 / r
