"""Signed distances of surfaces, with their gradients and second derivatives.

A surface is fixed to the axes of its frame. Its signed distance d(x) is positive outside; n is the gradient, a unit vector, and
H the second derivatives, so that n changes by H dx. Around a point, a line or a circle at the distance r, H = (Q - n n^T)/r with the
directions Q in which the place counts. Surfaces turned inside out have the opposite of all three.
"""

from __future__ import annotations

import math

import numpy as np

from supple.native.declare import kernel

# Kinds of surfaces, and their sizes: a plane z = 0; a ball (radius); a bar with round ends along z (radius, half length); a solid
# cylinder along z (radius, half length, both without the rounding of its edges, and that); a ring about z (radius of its middle line, of its section); a box (half sizes along x, y, z without
# the rounding of its edges, and that)
PLANE, BALL, BAR, CYLINDER, RING, BOX = 0, 1, 2, 3, 4, 5
# A solid cone about z, z = 0 its base (radius, height of its tip were it sharp, radius of the tip); in fields.py closed curves, heights, grids
CONE, CAM, FIELD, GRID = 6, 7, 8, 9
SIZES = 4  # numbers of a surface
LAST = GRID


@kernel
def is_convex(kind):
    """True if a surface, seen from outside, lies behind each of its tangent planes."""
    return kind != RING and kind < CAM


@kernel
def flat(x, nx, ny, nz, level):
    """Distance from a plane with a normal along one of the axes."""
    zero = 0.0 * (x[0] + x[1] + x[2])
    distance = nx * x[0] + ny * x[1] + nz * x[2] - level
    return distance, nx + zero, ny + zero, nz + zero, zero, zero, zero, zero, zero, zero


@kernel
def around(y, qx, qy, qz, radius):
    """Distance from what is ``radius`` around a point, line or plane: y is the way from there, q are ones where the place counts."""
    r = np.sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2])
    if r.real == 0.0:  # in the middle no direction is better than another
        zero = 0.0 * r
        return r - radius, zero, zero, zero + 1.0, zero, zero, zero, zero, zero, zero
    s = 1.0 / r
    nx, ny, nz = y[0] * s, y[1] * s, y[2] * s
    return (
        r - radius, nx, ny, nz,
        (qx - nx * nx) * s, (qy - ny * ny) * s, (qz - nz * nz) * s, -nx * ny * s, -nx * nz * s, -ny * nz * s,
    )  # fmt: skip


@kernel
def circle(x, large, small, level):
    """Distance from what is ``small`` around a circle of the radius ``large`` about z, at the height ``level``."""
    across = np.sqrt(x[0] * x[0] + x[1] * x[1])
    if across.real == 0.0:  # on the axis all points of the circle are equally far
        return around((large + 0.0 * x[0], 0.0 * x[1], x[2] - level), 1.0, 1.0, 1.0, small)
    ex, ey = x[0] / across, x[1] / across
    d, nx, ny, nz, xx, yy, zz, xy, xz, yz = around((x[0] - large * ex, x[1] - large * ey, x[2] - level), 1.0, 1.0, 1.0, small)
    bend = -large / (across * (d + small)) if (d + small).real != 0.0 else 0.0 * d
    return d, nx, ny, nz, xx + bend * ey * ey, yy + bend * ex * ex, zz, xy - bend * ex * ey, xz, yz


@kernel
def bar(x, radius, half):
    """Distance from a bar along z with round ends, and which of its parts is nearest."""
    if x[2].real > half:
        return around((x[0], x[1], x[2] - half), 1.0, 1.0, 1.0, radius), 1
    if x[2].real < -half:
        return around((x[0], x[1], x[2] + half), 1.0, 1.0, 1.0, radius), 2
    return around((x[0], x[1], 0.0 * x[2]), 1.0, 1.0, 0.0, radius), 0


@kernel
def cylinder(x, radius, half, rounding):
    """Distance from what is ``rounding`` around a solid cylinder along z, and which of its parts is nearest: side, end or edge."""
    across = np.sqrt(x[0] * x[0] + x[1] * x[1])
    side = 1.0 if x[2].real >= 0.0 else -1.0
    out, over = across.real - radius, side * x[2].real - half
    if out > 0.0 and over > 0.0:
        return circle(x, radius, rounding, side * half), 3 if side > 0.0 else 4
    if over > out:
        return flat(x, 0.0, 0.0, side, half + rounding), 1 if side > 0.0 else 2
    return around((x[0], x[1], 0.0 * x[2]), 1.0, 1.0, 0.0, radius + rounding), 0


@kernel
def cone(x, radius, height, tip):
    """Distance from a solid cone with a round tip, and which of its parts is nearest: side, base, edge or tip."""
    slant = math.sqrt(radius * radius + height * height)
    c, s = height / slant, radius / slant  # of half the angle at the tip
    r = np.sqrt(x[0] * x[0] + x[1] * x[1])
    top = height - tip / s  # centre of the tip
    side, up = c * r + s * (x[2] - height), c * x[2] - s * (r - radius)
    if up.real > s * radius + c * top:
        return around((x[0], x[1], x[2] - top), 1.0, 1.0, 1.0, tip), 3
    if r.real > radius and up.real < 0.0:
        return circle(x, radius, 0.0, 0.0), 2
    if -x[2].real > side.real:
        return flat(x, 0.0, 0.0, -1.0, 0.0), 1
    if r.real == 0.0:  # inside, where all directions are equal
        return flat(x, c, 0.0, s, s * height), 0
    ex, ey, zero = x[0] / r, x[1] / r, 0.0 * r
    bend = c / r
    return (
        side, c * ex, c * ey, s + zero, bend * ey * ey, bend * ex * ex, zero, -bend * ex * ey, zero, zero,
    ), 0  # fmt: skip


@kernel
def box(x, a, b, c, rounding):
    """Distance from what is ``rounding`` around a box, and which of its parts is nearest."""
    u, v, w = x[0], x[1], x[2]
    su, sv, sw = 1.0 if u.real >= 0.0 else -1.0, 1.0 if v.real >= 0.0 else -1.0, 1.0 if w.real >= 0.0 else -1.0
    p, q, r = su * u.real - a, sv * v.real - b, sw * w.real - c
    if p <= 0.0 and q <= 0.0 and r <= 0.0:  # inside: the nearest face
        if p >= q and p >= r:
            return flat(x, su, 0.0, 0.0, a + rounding), 16 + int(2.0 + su)
        if q >= r:
            return flat(x, 0.0, sv, 0.0, b + rounding), 16 + int(4.0 * (2.0 + sv))
        return flat(x, 0.0, 0.0, sw, c + rounding), 16 + int(16.0 * (2.0 + sw))
    i, j, k = 1.0 if p > 0.0 else 0.0, 1.0 if q > 0.0 else 0.0, 1.0 if r > 0.0 else 0.0
    near = around((i * (u - su * a), j * (v - sv * b), k * (w - sw * c)), i, j, k, rounding)
    return near, 16 + int(i * (2.0 + su) + 4.0 * j * (2.0 + sv) + 16.0 * k * (2.0 + sw))


@kernel
def distance(kind, s, x):
    """Signed distance d of the place x (tuple, in the surface's axes), n, H (xx yy zz xy xz yz), and the number of its nearest part."""
    if kind == PLANE:
        return flat(x, 0.0, 0.0, 1.0, 0.0), 0
    if kind == BALL:
        return around(x, 1.0, 1.0, 1.0, s[0]), 0
    if kind == BAR:
        return bar(x, s[0], s[1])
    if kind == CYLINDER:
        return cylinder(x, s[0], s[1], s[2])
    if kind == RING:
        return circle(x, s[0], s[1], 0.0), 0
    if kind == CONE:
        return cone(x, s[0], s[1], s[2])
    return box(x, s[0], s[1], s[2], s[3])
