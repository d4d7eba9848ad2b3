"""Surfaces that are given by data: closed curves with a width, heights over a grid, and grids of distances.

The nearest point of a curve is where c - r(s) is across it: the nearest of its knots is where the search begins. A grid has a function f by
cubic splines, which is zero on the surface: f = z - height, or nearly the distance. The nearest point x of the surface f = 0
obeys x - c + k f'(x) = 0, from which n = f'/|f'|, the distance n.(c - x), and with S = P f'' P, P = 1 - n n^T, H = S (1 + k S)^-1/|f'|. So the distance
is exact for the surface of the splines, and n its gradient. Far away the distance is a bound that is not more than it.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base.buffers import starts
from supple.core.base.layout import TREE
from supple.core.contact.surfaces import CAM, FIELD
from supple.native.declare import INT, REAL, VEC, kernel, shared

# Element integers: place of the numbers in the data, and of three counts in the programs: pieces of a curve; knots of a grid along x, y, z
FORM, COUNTS = 9, 10
# Numbers of a curve: half of its width; then of each piece the coefficients of x and y. Of a grid: origin, spacing, largest slope; then of each knot,
# with one more row at both sides, the coefficient of its spline
HALF, CURVE = starts(1)
ORIGIN, SPACING, STEEP, SPLINES = starts(3, 3, 1)
PIECE = 8
# Scratch of one place: itself, in the surface's axes, distance, n, H (xx yy zz xy xz yz), number of the nearest part
SCRATCH_ROW, PLACE, D, SIZE = 25, 0, 3, 14
LOOKS, CLOSE, STRIDE = 60, 1e-10, 0.5  # steps of Newton's method; of the last one, and of the first ones, which are halved where they turn back, the length in cells
LEAST = 1e-6  # determinant
NEAR = 2.0  # cells, besides the radius of a ball, within which distances are exact


@kernel
def scratch(work):
    """The scratch of one place as a row, the only entry of a tuple."""
    return (work.scratch[SCRATCH_ROW : SCRATCH_ROW + 3].reshape(18),)


@kernel
def cell_size(tree, e):
    """Least side of the cells of a ground or grid."""
    d, at = tree.data, tree.element[e, FORM]
    return min(d[at + SPACING], d[at + SPACING + 1])


@kernel
def numbers_of(kind, n, m, k):
    """How many numbers a surface has, by its counts."""
    if kind == CAM:
        return CURVE + PIECE * n
    if kind == FIELD:
        return SPLINES + (n + 2) * (m + 2)
    return SPLINES + (n + 2) * (m + 2) * (k + 2)


@kernel
def cubic(t):
    """Four cubic splines at the place t within a cell, their slopes and second derivatives."""
    u = 1.0 - t
    return (
        (u * u * u / 6.0, (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0, (4.0 - 6.0 * u * u + 3.0 * u * u * u) / 6.0, t * t * t / 6.0),
        (-0.5 * u * u, 1.5 * t * t - 2.0 * t, 2.0 * u - 1.5 * u * u, 0.5 * t * t),
        (u, 3.0 * t - 2.0, 3.0 * u - 2.0, t),
    )


@kernel
def cell(x, origin, step, count):
    """Number of the cell of a grid, and the place in it."""
    u = (x - origin) / step
    i = max(0, min(count - 2, math.floor(u.real)))
    return i, u - i


@kernel
def heights(d, at, nx, ny, x):
    """f = z - height with its derivatives (f' and f'' as of distances), at the place x."""
    hx, hy = d[at + SPACING], d[at + SPACING + 1]
    i, s = cell(x[0], d[at + ORIGIN], hx, nx)
    j, t = cell(x[1], d[at + ORIGIN + 1], hy, ny)
    a, b = cubic(s), cubic(t)
    zero = 0.0 * (x[0] + x[1] + x[2])
    f, fx, fy, fxx, fyy, fxy = zero, zero, zero, zero, zero, zero
    for k in range(4):
        row = at + SPLINES + (i + k) * (ny + 2) + j
        g, gy, gyy = zero, zero, zero
        for l in range(4):
            c = d[row + l]
            g, gy, gyy = g + c * b[0][l], gy + c * b[1][l], gyy + c * b[2][l]
        f, fx, fxx = f + a[0][k] * g, fx + a[1][k] * g, fxx + a[2][k] * g
        fy, fyy, fxy = fy + a[0][k] * gy, fyy + a[0][k] * gyy, fxy + a[1][k] * gy
    return x[2] - f, -fx / hx, -fy / hy, zero + 1.0, -fxx / (hx * hx), -fyy / (hy * hy), zero, -fxy / (hx * hy), zero, zero


@kernel
def distances(d, at, nx, ny, nz, x):
    """f of a grid with its derivatives."""
    h = d[at + SPACING]
    i, s = cell(x[0], d[at + ORIGIN], h, nx)
    j, t = cell(x[1], d[at + ORIGIN + 1], h, ny)
    k, r = cell(x[2], d[at + ORIGIN + 2], h, nz)
    a, b, c = cubic(s), cubic(t), cubic(r)
    zero = 0.0 * (x[0] + x[1] + x[2])
    f, fx, fy, fz, fxx, fyy, fzz, fxy, fxz, fyz = zero, zero, zero, zero, zero, zero, zero, zero, zero, zero
    for p in range(4):
        g, gy, gz, gyy, gzz, gyz = zero, zero, zero, zero, zero, zero
        for q in range(4):
            row = at + SPLINES + ((i + p) * (ny + 2) + j + q) * (nz + 2) + k
            e, ez, ezz = zero, zero, zero
            for l in range(4):
                v = d[row + l]
                e, ez, ezz = e + v * c[0][l], ez + v * c[1][l], ezz + v * c[2][l]
            g, gy, gyy = g + b[0][q] * e, gy + b[1][q] * e, gyy + b[2][q] * e
            gz, gzz, gyz = gz + b[0][q] * ez, gzz + b[0][q] * ezz, gyz + b[1][q] * ez
        f, fx, fxx = f + a[0][p] * g, fx + a[1][p] * g, fxx + a[2][p] * g
        fy, fyy, fxy = fy + a[0][p] * gy, fyy + a[0][p] * gyy, fxy + a[1][p] * gy
        fz, fzz, fxz, fyz = fz + a[0][p] * gz, fzz + a[0][p] * gzz, fxz + a[1][p] * gz, fyz + a[0][p] * gyz
    one, two = 1.0 / h, 1.0 / (h * h)
    return f, fx * one, fy * one, fz * one, fxx * two, fyy * two, fzz * two, fxy * two, fxz * two, fyz * two


@kernel
def symmetric(m, v):
    """m v of a symmetric matrix (xx yy zz xy xz yz)."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[3] * v[0] + m[1] * v[1] + m[5] * v[2],
        m[4] * v[0] + m[5] * v[1] + m[2] * v[2],
    )


@kernel
def inverse(m):
    """Inverse of a symmetric matrix."""
    a, b, c = m[1] * m[2] - m[5] * m[5], m[4] * m[5] - m[3] * m[2], m[3] * m[5] - m[4] * m[1]
    s = 1.0 / (m[0] * a + m[3] * b + m[4] * c)
    return (
        a * s, (m[0] * m[2] - m[4] * m[4]) * s, (m[0] * m[1] - m[3] * m[3]) * s,
        b * s, c * s, (m[3] * m[4] - m[0] * m[5]) * s,
    )  # fmt: skip


@kernel
def scalar(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def write(out, d, n, h, part):
    """Fill the scratch of a place."""
    out[D], out[SIZE - 1] = d, part
    for k in range(3):
        out[D + 1 + k] = n[k]
    for k in range(6):
        out[D + 4 + k] = h[k]


@shared(TREE, INT, INT, REAL, VEC)
def measure(tree, e, kind, radius, out):
    """Distance of a place from the surface of element e, with n and H; ``radius`` is that of the ball there."""
    el, d = tree.element[e], tree.data
    at, counts = el[FORM], tree.program[el[COUNTS] : el[COUNTS] + 3]
    c = (out[PLACE], out[PLACE + 1], out[PLACE + 2])
    if kind == CAM:
        along_curve(d, at, counts[0], c, out)
        return
    step = cell_size(tree, e)
    near, flat = radius + NEAR * step, kind == FIELD
    # begin at the place of the grid that is nearest, or under the place
    x, away = c, 0.0 * c[0]
    if not flat:
        x = inside(d, at, counts, c)
        w = (c[0] - x[0], c[1] - x[1], c[2] - x[2])
        square = scalar(w, w)
        if square.real > 0.0:
            away = np.sqrt(square)
            if away.real > radius:
                zero = 0.0 * away
                write(out, away, (w[0] / away, w[1] / away, w[2] / away), (zero, zero, zero, zero, zero, zero), 0.0)
                return
    k, done = 0.0 * c[0], False
    g, h = (k, k, k), (k, k, k, k, k, k)
    bound, first, last, stride = k, g, (0.0, 0.0, 0.0), STRIDE * step
    for look in range(LOOKS):
        if flat:
            f, gx, gy, gz, xx, yy, zz, xy, xz, yz = heights(d, at, counts[0], counts[1], x)
        else:
            f, gx, gy, gz, xx, yy, zz, xy, xz, yz = distances(d, at, counts[0], counts[1], counts[2], x)
        g, h = (gx, gy, gz), (xx, yy, zz, xy, xz, yz)
        square = scalar(g, g)
        if look == 0:
            bound, first = f / d[at + STEEP] - away, g
            if bound.real > near:
                break
            x = (x[0] - f / square * gx, x[1] - f / square * gy, x[2] - f / square * gz)
            continue
        if done:
            break
        k = ((c[0] - x[0]) * gx + (c[1] - x[1]) * gy + (c[2] - x[2]) * gz) / square
        a = symmetric(inverse(bowl(k, along(g, h))), (x[0] - c[0] + k * gx, x[1] - c[1] + k * gy, x[2] - c[2] + k * gz))
        way = (a[0] + f / square * gx, a[1] + f / square * gy, a[2] + f / square * gz)
        long = math.sqrt(way[0].real * way[0].real + way[1].real * way[1].real + way[2].real * way[2].real)
        if way[0].real * last[0] + way[1].real * last[1] + way[2].real * last[2] < 0.0:
            stride *= 0.5
        last = (way[0].real, way[1].real, way[2].real)
        part = min(1.0, stride / long) if long > 0.0 else 1.0
        x = (x[0] - part * way[0], x[1] - part * way[1], x[2] - part * way[2])
        if not math.isfinite(long):
            break
        done = long < CLOSE * step
    if not done:
        size = np.sqrt(scalar(first, first))
        zero = 0.0 * size
        write(out, bound, (first[0] / size, first[1] / size, first[2] / size), (zero, zero, zero, zero, zero, zero), 0.0)
        return
    k = ((c[0] - x[0]) * g[0] + (c[1] - x[1]) * g[1] + (c[2] - x[2]) * g[2]) / scalar(g, g)
    bend(c, x, k, g, h, out)


@kernel
def bowl(k, h):
    """1 + k h of a symmetric matrix h, or 1 where that is not positive: then the surface is bent around the place."""
    a, b, c = 1.0 + k * h[0], 1.0 + k * h[1], 1.0 + k * h[2]
    p, q, r = k * h[3], k * h[4], k * h[5]
    two = a * b - p * p
    three = two * c - a * r * r - b * q * q + 2.0 * p * q * r
    if a.real > 0.0 and two.real > 0.0 and three.real > LEAST:
        return a, b, c, p, q, r
    one = 1.0 + 0.0 * a
    return one, one, one, 0.0 * a, 0.0 * a, 0.0 * a


@kernel
def inside(d, at, counts, c):
    """The place of a grid that is nearest to c."""
    h = d[at + SPACING]
    x, y, z = c
    if ((c[0] - d[at + ORIGIN]) / h).real < 0.0:
        x = d[at + ORIGIN] + 0.0 * x
    elif ((c[0] - d[at + ORIGIN]) / h).real > counts[0] - 1:
        x = d[at + ORIGIN] + h * (counts[0] - 1) + 0.0 * x
    if ((c[1] - d[at + ORIGIN + 1]) / h).real < 0.0:
        y = d[at + ORIGIN + 1] + 0.0 * y
    elif ((c[1] - d[at + ORIGIN + 1]) / h).real > counts[1] - 1:
        y = d[at + ORIGIN + 1] + h * (counts[1] - 1) + 0.0 * y
    if ((c[2] - d[at + ORIGIN + 2]) / h).real < 0.0:
        z = d[at + ORIGIN + 2] + 0.0 * z
    elif ((c[2] - d[at + ORIGIN + 2]) / h).real > counts[2] - 1:
        z = d[at + ORIGIN + 2] + h * (counts[2] - 1) + 0.0 * z
    return x, y, z


@kernel
def bend(c, x, k, g, h, out):
    """Fill the scratch of the place c, whose nearest point is x."""
    size, t = np.sqrt(scalar(g, g)), along(g, h)
    n = (g[0] / size, g[1] / size, g[2] / size)
    m = inverse((1.0 + k * t[0], 1.0 + k * t[1], 1.0 + k * t[2], k * t[3], k * t[4], k * t[5]))
    one, two, three = symmetric(t, (m[0], m[3], m[4])), symmetric(t, (m[3], m[1], m[5])), symmetric(t, (m[4], m[5], m[2]))
    far = (c[0] - x[0]) * n[0] + (c[1] - x[1]) * n[1] + (c[2] - x[2]) * n[2]
    write(out, far, n, (one[0] / size, two[1] / size, three[2] / size, two[0] / size, three[0] / size, three[1] / size), 0.0)


@kernel
def along(g, h):
    """Part of a symmetric matrix across the vector g on both sides: P h P."""
    s = 1.0 / scalar(g, g)
    w = symmetric(h, g)
    q = 0.5 * s * scalar(g, w)
    w = (s * (w[0] - q * g[0]), s * (w[1] - q * g[1]), s * (w[2] - q * g[2]))
    return (
        h[0] - 2.0 * w[0] * g[0], h[1] - 2.0 * w[1] * g[1], h[2] - 2.0 * w[2] * g[2],
        h[3] - w[0] * g[1] - w[1] * g[0], h[4] - w[0] * g[2] - w[2] * g[0], h[5] - w[1] * g[2] - w[2] * g[1],
    )  # fmt: skip


@kernel
def on_curve(d, at, count, s):
    """Point of a curve at s (pieces), with its first and second derivatives along s."""
    i = math.floor(s.real)
    t, row = s - i, at + CURVE + PIECE * (i % count)
    a, b, c, e = d[row], d[row + 1], d[row + 2], d[row + 3]
    p, q, r, u = d[row + 4], d[row + 5], d[row + 6], d[row + 7]
    return (
        a + t * (b + t * (c + t * e)), p + t * (q + t * (r + t * u)),
        b + t * (2.0 * c + 3.0 * t * e), q + t * (2.0 * r + 3.0 * t * u),
        2.0 * c + 6.0 * t * e, 2.0 * r + 6.0 * t * u,
    )  # fmt: skip


@kernel
def place_on_curve(d, at, count, cx, cy, near):
    """Place s of a curve (pieces) that is nearest to a point, or with ``near`` 0 instead of 1 the farthest one in a direction."""
    best, least = 0, math.inf
    for k in range(count):
        row = at + CURVE + PIECE * k
        x, y = d[row], d[row + 4]
        far = near * (x * x + y * y) - 2.0 * (cx.real * x + cy.real * y)
        if far < least:
            best, least = k, far
    low, high, s = best - 1.0, best + 1.0, best + 0.0 * cx
    for k in range(60):
        x, y, dx, dy, ddx, ddy = on_curve(d, at, count, s)
        x, y = cx - near * x, cy - near * y
        f = x * dx + y * dy
        if f.real > 0.0:
            low = s.real
        else:
            high = s.real
        slope = x * ddx + y * ddy - near * (dx * dx + dy * dy)
        ds = -f / slope if slope.real < 0.0 else 2.0 + 0.0 * f
        if low <= (s + ds).real <= high and abs(ds.real) < 1e-13:
            return s + ds
        s = s + ds if low <= (s + ds).real <= high and k < 30 else 0.5 * (low + high) + 0.0 * s
    return s


@kernel
def along_curve(d, at, count, c, out):
    """Distance from a solid with a closed curve as its section across z."""
    s = place_on_curve(d, at, count, c[0], c[1], 1.0)
    x, y, dx, dy, ddx, ddy = on_curve(d, at, count, s)
    speed = np.sqrt(dx * dx + dy * dy)
    nx, ny, zero = dy / speed, -dx / speed, 0.0 * speed
    far = (c[0] - x) * nx + (c[1] - y) * ny
    kappa = (dx * ddy - dy * ddx) / (speed * speed * speed)
    kappa = kappa / (1.0 + kappa * far)
    up = 1.0 if c[2].real >= 0.0 else -1.0
    over = up * c[2] - d[at + HALF]
    if far.real > 0.0 and over.real > 0.0:  # its edge
        r = np.sqrt(far * far + over * over)
        a, b = far / r, over / r  # of n and z
        p, q = b * b / r, a * kappa
        write(
            out, r, (a * nx, a * ny, b * up),
            (p * nx * nx + q * ny * ny, p * ny * ny + q * nx * nx, a * a / r, (p - q) * nx * ny, -a * b / r * nx * up, -a * b / r * ny * up),
            3.0 + up,
        )  # fmt: skip
    elif over.real > far.real:
        write(out, over, (zero, zero, up + zero), (zero, zero, zero, zero, zero, zero), 2.5 + 0.5 * up + 4.0)
    else:
        write(out, far, (nx, ny, zero), (kappa * ny * ny, kappa * nx * nx, zero, -kappa * nx * ny, zero, zero), 0.0)
