"""Rotations: exponential, tangent operator, quaternions (scalar first).

``T(theta)`` is the right tangent operator: for R = exp(theta) the body angular velocity is
``T(theta) theta'``, with T = I - a [theta] + b [theta]^2 and, for s = theta.theta,
a = (1 - cos)/s, b = (1 - c)/s, c = sin/|theta|. Series below s = 1, closed form above.
Every function takes and returns scalars, so nothing is allocated and complex numbers pass through.
"""

from __future__ import annotations

import numpy as np

from supple.native.declare import kernel


@kernel
def abc(s):
    """a = (1 - cos f)/f^2, b = (f - sin f)/f^3, c = sin f / f as functions of s = f^2."""
    if s.real > 1.0:
        f = np.sqrt(s)
        c = np.sin(f) / f
        return (1.0 - np.cos(f)) / s, (1.0 - c) / s, c
    a = 0.0 * s
    b = 0.0 * s
    c = 0.0 * s
    for k in range(10, -1, -1):  # Horner on sum (-s)^k / (2k + 1, 2, 3)!
        a = 1.0 - a * s / ((2 * k + 3) * (2 * k + 4))
        b = 1.0 - b * s / ((2 * k + 4) * (2 * k + 5))
        c = 1.0 - c * s / ((2 * k + 2) * (2 * k + 3))
    return a / 2.0, b / 6.0, c


@kernel
def tangent_times(x, y, z, vx, vy, vz):
    """T(theta) v for theta = (x, y, z)."""
    a, b, _ = abc(x * x + y * y + z * z)
    cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    return (
        vx - a * cx + b * (y * cz - z * cy),
        vy - a * cy + b * (z * cx - x * cz),
        vz - a * cz + b * (x * cy - y * cx),
    )


@kernel
def tangent_solve(x, y, z, vx, vy, vz):
    """T(theta)^-1 v = v + theta x v / 2 + d theta x (theta x v), d = (1 - a/(2 b'))/s."""
    s = x * x + y * y + z * z
    a, _, c = abc(s)
    if s.real > 1e-2:  # (1 - f/2 cot(f/2))/s with cot(f/2) = sin f/(1 - cos f) = c/(a f)
        d = (1.0 - 0.5 * c / a) / s
    else:
        d = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s * (1.0 / 1209600.0)))
    cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    return (
        vx + 0.5 * cx + d * (y * cz - z * cy),
        vy + 0.5 * cy + d * (z * cx - x * cz),
        vz + 0.5 * cz + d * (x * cy - y * cx),
    )


@kernel
def ab_slopes(s):
    """Derivatives of a and b with respect to s: a' = (c - 2a)/2s, b' = (a - 3b)/2s."""
    if s.real > 1.0:
        a, b, c = abc(s)
        return (c - 2.0 * a) / (2.0 * s), (a - 3.0 * b) / (2.0 * s)
    a = 0.0 * s
    b = 0.0 * s
    for k in range(10, -1, -1):  # sum -(k + 1) (-s)^k / (2k + 4, 2k + 5)!
        a = 1.0 - a * s * (k + 2) / ((k + 1) * (2 * k + 5) * (2 * k + 6))
        b = 1.0 - b * s * (k + 2) / ((k + 1) * (2 * k + 6) * (2 * k + 7))
    return -a / 24.0, -b / 120.0


@kernel
def ab_curvatures(s):
    """Second derivatives of a and b with respect to s."""
    if s.real > 1.0:
        a, b, _ = abc(s)
        da, db = ab_slopes(s)
        dc = 0.5 * (b - a)
        return (dc - 4.0 * da) / (2.0 * s), (da - 5.0 * db) / (2.0 * s)
    a = 0.0 * s
    b = 0.0 * s
    for k in range(10, -1, -1):  # sum (k + 1)(k + 2) (-s)^k / (2k + 6, 2k + 7)!
        a = 1.0 - a * s * (k + 3) / ((k + 1) * (2 * k + 7) * (2 * k + 8))
        b = 1.0 - b * s * (k + 3) / ((k + 1) * (2 * k + 8) * (2 * k + 9))
    return a / 360.0, b / 2520.0


@kernel
def tangent_rate_times(x, y, z, vx, vy, vz):
    """(d/dt T(theta)) theta' for theta = (x, y, z) and theta' = v."""
    s = x * x + y * y + z * z
    _, b, _ = abc(s)
    da, db = ab_slopes(s)
    sd = 2.0 * (x * vx + y * vy + z * vz)
    cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    return (
        -da * sd * cx + db * sd * (y * cz - z * cy) + b * (vy * cz - vz * cy),
        -da * sd * cy + db * sd * (z * cx - x * cz) + b * (vz * cx - vx * cz),
        -da * sd * cz + db * sd * (x * cy - y * cx) + b * (vx * cy - vy * cx),
    )


@kernel
def rotate(x, y, z, vx, vy, vz):
    """exp(theta) v."""
    a, _, c = abc(x * x + y * y + z * z)
    cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    return (
        vx + c * cx + a * (y * cz - z * cy),
        vy + c * cy + a * (z * cx - x * cz),
        vz + c * cz + a * (x * cy - y * cx),
    )


@kernel
def without_skew(v0, v1, v2, xx, yy, zz, xy, xz, yz):
    """Matrix S - [v] of a symmetric S, row by row."""
    return xx, xy + v2, xz - v1, xy - v2, yy, yz + v0, xz + v1, yz - v0, zz


@kernel
def series(x, y, z, a, b):
    """Matrix 1 - a [theta] + b [theta]^2, row by row: T(theta), T(-theta) with -a, exp(theta) with a = -c, b = a."""
    d = 1.0 - b * (x * x + y * y + z * z)
    return without_skew(a * x, a * y, a * z, d + b * x * x, d + b * y * y, d + b * z * z, b * x * y, b * x * z, b * y * z)


@kernel
def product(a, b):
    """Product of two matrices of nine numbers, row by row."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6], a[0] * b[1] + a[1] * b[4] + a[2] * b[7], a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6], a[3] * b[1] + a[4] * b[4] + a[5] * b[7], a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6], a[6] * b[1] + a[7] * b[4] + a[8] * b[7], a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@kernel
def times(a, x, y, z):
    """A matrix of nine numbers times a vector."""
    return a[0] * x + a[1] * y + a[2] * z, a[3] * x + a[4] * y + a[5] * z, a[6] * x + a[7] * y + a[8] * z


@kernel
def between(x, y, z, dx, dy, dz):
    """Rotation vector of exp(theta)^T exp(theta + d) for theta = (x, y, z); the turn is below pi."""
    ex, ey, ez = x + dx, y + dy, z + dz
    s, t = 0.25 * (x * x + y * y + z * z), 0.25 * (ex * ex + ey * ey + ez * ez)
    a, _, c = abc(s)
    b, _, e = abc(t)
    p, q, c, e = 1.0 - a * s, 1.0 - b * t, 0.5 * c, 0.5 * e
    w = p * q + c * e * (x * ex + y * ey + z * ez)
    i = p * e * ex - q * c * x - c * e * (y * ez - z * ey)
    j = p * e * ey - q * c * y - c * e * (z * ex - x * ez)
    k = p * e * ez - q * c * z - c * e * (x * ey - y * ex)
    s = np.sqrt(i * i + j * j + k * k)
    s = 2.0 * np.arctan2(s, w) / s if s > 1e-150 else 2.0
    return s * i, s * j, s * k


@kernel
def quaternion_step(w, i, j, k, x, y, z):
    """Quaternion times exp(theta/2), normalised."""
    a, _, c = abc(0.25 * (x * x + y * y + z * z))
    e = 1.0 - a * 0.25 * (x * x + y * y + z * z)
    f = 0.5 * c
    x, y, z = f * x, f * y, f * z
    qw = w * e - i * x - j * y - k * z
    qi = w * x + i * e + j * z - k * y
    qj = w * y - i * z + j * e + k * x
    qk = w * z + i * y - j * x + k * e
    n = 1.0 / np.sqrt(qw * qw + qi * qi + qj * qj + qk * qk)
    return qw * n, qi * n, qj * n, qk * n


@kernel
def matrix(w, i, j, k):
    """Rotation matrix of a unit quaternion, row by row."""
    return (
        w * w + i * i - j * j - k * k, 2.0 * (i * j - w * k), 2.0 * (i * k + w * j),
        2.0 * (i * j + w * k), w * w - i * i + j * j - k * k, 2.0 * (j * k - w * i),
        2.0 * (i * k - w * j), 2.0 * (j * k + w * i), w * w - i * i - j * j + k * k,
    )
