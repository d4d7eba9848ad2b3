"""The place of a core that is nearest to a surface.

The core of a solid is what is left of it without its rounding: a segment of a capsule, a disc of a wheel, a cylinder, a box. With half sizes h along its axes (of a
round one h_1 = h_2, its radius) its nearest place x is where d(c + x) + Q(x) is least, with the signed distance d of A's surface and a crown, Q = sum b_k x_k^2/2 - Q_0,
b_k = FLAT/h_k. The distance from a convex solid is a convex function and Q strictly so: there is one such place, and it moves continuously, also where both are flat or
straight. Since it is the least, the gap changes as if x were constant.

Newton's method on what is free, M = H + b, of a place on the rim of a round core also the curvature of the rim; each step is projected into the core and
shortened until d + Q decreases and its slope, too. Where the surface is not convex, it leads to the place of the core that is lowest along the normal. In hollow surfaces the rim is sampled first.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import frame, turned, turned_back
from supple.core.contact import fields, surfaces
from supple.core.contact.record import (
    ARM,
    AT,
    CORE,
    HOLLOW,
    POSE_A,
    POSE_B,
    SIZES,
    SLIDE,
    SMALL,
    SURFACE,
    A,
    B,
    numbers,
)
from supple.native.declare import INT, REAL, kernel, shared

# Numbers of a core in the data: half sizes, 1 if it is a box, 0 if it is round about its third axis, Q_0, its largest distance from its middle
HALF, SQUARE, TOP, REACH = 0, 3, 4, 5
FLAT = 1e-3  # angle between straight lines, or planes, below which the nearest place leaves the ends
LOOKS, CLOSE, NEAR = 300, 1e-13, 1e-9  # most looks, and how exact the place is in parts of the core's size, and at least where rounding moves it
SAMPLES = 12  # on the rim of a core in a hollow surface
ENOUGH, NOISE, SHORTEST, LONGEST = 1e-4, 1e-15, 1e-12, 4.0  # of the decrease that is expected, rounding; part of a step, and length in parts of the core's size
FIXED = 8  # numbers of what is fixed: 1, 2, 4 for the axes of the core


@kernel
def seen(tree, work, e, place):
    """Distance of a place in A's axes, n and H (xx yy zz xy xz yz) of A's surface, which may be hollow, and the number of its nearest part."""
    el, i = tree.element[e], tree.element[e, AT]
    if el[SURFACE] >= surfaces.CAM:
        s = fields.scratch(work)[0]
        s[0], s[1], s[2] = place
        fields.measure(tree, e, el[SURFACE], tree.data[i + SMALL], s)
        x, part = (s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12]), int(s[13].real)
    else:
        x, part = surfaces.distance(el[SURFACE], tree.data[i + SIZES : i + SMALL], place)
    if el[HOLLOW] == 1:
        x = (-x[0], -x[1], -x[2], -x[3], -x[4], -x[5], -x[6], -x[7], -x[8], -x[9])
    return x, part


@kernel
def dot(a, b):
    """Scalar product of tuples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def joined(x, a, y, b, z, c):
    """x a + y b + z c of tuples."""
    return x * a[0] + y * b[0] + z * c[0], x * a[1] + y * b[1] + z * c[1], x * a[2] + y * b[2] + z * c[2]


@kernel
def clipped(x, half):
    """A coordinate within both bounds."""
    if x.real > half:
        return half + 0.0 * x
    if x.real < -half:
        return -half + 0.0 * x
    return x


@kernel
def into_core(s, x, y, z):
    """The place of the core that is nearest to another one."""
    z = clipped(z, s[2])
    if s[SQUARE] == 1.0:
        return clipped(x, s[0]), clipped(y, s[1]), z
    square = x * x + y * y
    if square.real > s[0] * s[0]:
        k = s[0] / np.sqrt(square)
        return k * x, k * y, z
    return x, y, z


@kernel
def is_fixed(x, half, slope):
    """True if a coordinate is at its bound, and the slope presses it there."""
    return half == 0.0 or (abs(x.real) >= half * (1.0 - CLOSE) and (x * slope).real < 0.0)


@kernel
def crown(s, k):
    """Second derivative of the crown along an axis of the core."""
    return FLAT / s[k] if s[k] > 0.0 else 1.0


@kernel
def height(s, x):
    """Q at a place of the core."""
    return 0.5 * (crown(s, 0) * x[0] * x[0] + crown(s, 1) * x[1] * x[1] + crown(s, 2) * x[2] * x[2]) - s[TOP]


@kernel
def basis(s, x):
    """Cosine and sine of the first of the axes that serve at a place: radial ones of a round core."""
    if s[SQUARE] == 0.0 and s[0] > 0.0:
        r = np.sqrt(x[0] * x[0] + x[1] * x[1])
        if r.real > CLOSE * s[0]:
            return x[0] / r, x[1] / r, r
    one = 1.0 + 0.0 * x[0]
    return one, 0.0 * x[0], x[0]


@kernel
def step_of(h, u, v, w, s, x, g, rounds):
    """Newton's step along the axes u, v, w with the slopes g from the place x, with M^-1 on what is free, zero elsewhere, and the number of what is fixed.

    What it would lead beyond a bound goes there, with the others free, in as many rounds as there are: they depend on each other. Of a round core x is the distance from its axis first.
    """
    round_ = s[SQUARE] == 0.0
    i = is_fixed(x[0], s[0], g[0])
    j = s[0] == 0.0 if round_ else is_fixed(x[1], s[1], g[1])
    k = is_fixed(x[2], s[2], g[2])
    one, zero, c = 1.0 + 0.0 * g[0], 0.0 * g[0], fields.symmetric(h, w)
    zz = dot(w, c) + crown(s, 2)
    if i and j:  # a bar or an edge
        z = zero if k else one / zz
        return (zero, zero, -z * g[2]), (zero, zero, z, zero, zero, zero), 3 + 4 * k
    a, b = fields.symmetric(h, u), fields.symmetric(h, v)
    xx, yy, xy, xz, yz = dot(u, a) + crown(s, 0), dot(v, b) + crown(s, 1), dot(u, b), dot(u, c), dot(v, c)
    d, m, z = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    for _ in range(rounds):
        rim = g[0] / s[0] if round_ and i and g[0].real < 0.0 else zero
        j = j or (rim.real != 0.0 and abs((yy - rim).real) <= CLOSE * abs(rim.real))  # in the middle of a hollow cylinder all of the rim is alike
        z = fields.inverse((
            one if i else xx, one if j else yy - rim, one if k else zz,
            zero if i or j else xy, zero if i or k else xz, zero if j or k else yz,
        ))  # fmt: skip
        z = (zero if i else z[0], zero if j else z[1], zero if k else z[2], z[3], z[4], z[5])
        r = (g[0] + xy * d[1] + xz * d[2], g[1] + xy * d[0] + yz * d[2], g[2] + xz * d[0] + yz * d[1])
        m = fields.symmetric(z, r)
        m = (d[0] - m[0], d[1] - m[1], d[2] - m[2])
        over = x[0] + m[0]
        first = not i and (over.real > s[0] and x[0].real > 0.5 * s[0] if round_ else abs(over.real) > s[0])
        second = not j and not round_ and abs((x[1] + m[1]).real) > s[1]
        third = not k and abs((x[2] + m[2]).real) > s[2]
        if not (first or second or third):
            break
        d = (
            clipped(over, s[0]) - x[0] if first else d[0],
            clipped(x[1] + m[1], s[1]) - x[1] if second else d[1],
            clipped(x[2] + m[2], s[2]) - x[2] if third else d[2],
        )
        i, j, k = i or first, j or second, k or third
    return m, z, 1 * i + 2 * j + 4 * k


@shared(TREE, WORK, INT, gives=REAL)
def nearest_of_core(tree, work, e):
    """Fill the way from the middle of B's core to its place that is nearest to A's surface, and how it moves; return Q there.

    The scratch gets the way in world axes in ARM, and in SLIDE the symmetric matrix Z by which the place moves by -Z f if f is added to the slope of d;
    the row of fields.py gets the number of what is fixed. Far from a ground the way is zero and Q lets all of the core be within the gap.
    """
    el, i, g = tree.element[e], tree.element[e, AT], numbers(work)[0]
    s = tree.data[i + CORE : i + CORE + REACH + 1]
    a, b = frame(work, el[A], tree.data, i + POSE_A), frame(work, el[B], tree.data, i + POSE_B)
    c = turned_back(a, (b[9] - a[9], b[10] - a[10], b[11] - a[11]))
    u, v, w = turned_back(a, (b[0], b[3], b[6])), turned_back(a, (b[1], b[4], b[7])), turned_back(a, (b[2], b[5], b[8]))
    zero = 0.0 * c[0]
    p, way, z, q = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero, zero, zero, zero), (u, v, w)
    samples = SAMPLES if el[HOLLOW] == 1 else 0
    part, least, last, before, fixed, start, taken = 1.0, math.inf, math.inf, (zero, zero, zero), 0, samples, 1
    for look in range(LOOKS):
        x = into_core(s, p[0] + part * way[0], p[1] + part * way[1], p[2] + part * way[2])
        if look < samples:
            angle = 2.0 * math.pi * look / samples
            x = (zero + s[0] * math.cos(angle), zero + s[0] * math.sin(angle), zero)
        y = joined(x[0], u, x[1], v, x[2], w)
        (d, nx, ny, nz, xx, yy, zz, xy, xz, yz), _ = seen(tree, work, e, (c[0] + y[0], c[1] + y[1], c[2] + y[2]))
        f = (d + height(s, x)).real
        if look < samples:
            if f < least:
                p, least = x, f
            continue
        if look == 0 and el[SURFACE] > surfaces.CAM and d.real > s[REACH] + tree.data[i + SMALL] + fields.NEAR * fields.cell_size(tree, e):
            fields.scratch(work)[0][0] = zero
            fill(g, a, (zero, zero, zero), z, q)
            return zero - s[REACH]
        n = (nx * u[0] + ny * u[1] + nz * u[2], nx * v[0] + ny * v[1] + nz * v[2], nx * w[0] + ny * w[1] + nz * w[2])
        t = (n[0] + crown(s, 0) * x[0], n[1] + crown(s, 1) * x[1], n[2] + crown(s, 2) * x[2])
        gone, noise = (x[0] - p[0], x[1] - p[1], x[2] - p[2]), NOISE * (abs(f) + s[REACH])
        hoped, ahead = dot(before, gone).real, dot(t, gone).real
        if look > start and part > SHORTEST and (f > least + ENOUGH * hoped + noise or ahead > noise - 0.5 * hoped):
            part *= max(0.1, min(0.6, hoped / (hoped - ahead))) if hoped < 0.0 < ahead else 0.25
            continue
        p, least, part = x, f, 1.0
        cs, sn, r = basis(s, p)
        q = (joined(cs, u, sn, v, zero, w), joined(-sn, u, cs, v, zero, w), w)
        slopes = (cs * t[0] + sn * t[1], cs * t[1] - sn * t[0], t[2])
        m, z, fixed = step_of((xx, yy, zz, xy, xz, yz), q[0], q[1], q[2], s, (r, p[1], p[2]), slopes, 1 + 2 * (taken % 2))
        taken += 1
        before, way = t, (cs * m[0] - sn * m[1], sn * m[0] + cs * m[1], m[2])
        if dot(t, way).real > 0.0:  # not convex
            x = into_core(s, -n[0] / crown(s, 0), -n[1] / crown(s, 1), -n[2] / crown(s, 2))
            way = (x[0] - p[0], x[1] - p[1], x[2] - p[2])
        x = into_core(s, p[0] + way[0], p[1] + way[1], p[2] + way[2])
        far = math.sqrt((x[0] - p[0]).real ** 2 + (x[1] - p[1]).real ** 2 + (x[2] - p[2]).real ** 2)
        if far <= CLOSE * s[REACH] or (far <= NEAR * s[REACH] and far > 0.5 * last):
            p = x
            break
        last = far
        long = math.sqrt(way[0].real ** 2 + way[1].real ** 2 + way[2].real ** 2)
        part = min(1.0, LONGEST * s[REACH] / long) if long > 0.0 else 1.0
    fields.scratch(work)[0][0] = fixed
    fill(g, a, joined(p[0], u, p[1], v, p[2], w), z, q)
    return height(s, p)


@shared(TREE, WORK, INT, gives=REAL)
def lowest_of_cam(tree, work, e):
    """The same of a convex cam of B above a plane of A: its lowest point, and the crown of its width there."""
    el, i, g = tree.element[e], tree.element[e, AT], numbers(work)[0]
    a, b = frame(work, el[A], tree.data, i + POSE_A), frame(work, el[B], tree.data, i + POSE_B)
    n = turned_back(b, (a[2], a[5], a[8]))
    at, count, half = el[fields.FORM], tree.program[el[fields.COUNTS]], tree.data[el[fields.FORM] + fields.HALF]
    s = fields.place_on_curve(tree.data, at, count, -n[0], -n[1], 0.0)
    x, y, dx, dy, ddx, ddy = fields.on_curve(tree.data, at, count, s)
    zero, bend = 0.0 * x, n[0] * ddx + n[1] * ddy
    k, up = (1.0 / bend if bend.real > 0.0 else zero), clipped(-n[2] * half / FLAT, half)
    free = abs(up.real) < half
    z = (k * dx * dx, k * dy * dy, zero + half / FLAT if free else zero, k * dx * dy, zero, zero)
    one = 1.0 + zero
    fields.scratch(work)[0][0] = zero if free else 4.0 * one
    fill(g, b, (x, y, up), z, ((one, zero, zero), (zero, one, zero), (zero, zero, one)))
    return 0.5 * FLAT / half * up * up


@kernel
def fill(g, a, way, z, q):
    """Fill the way and the matrix Z, which is z along the axes q, with all of them in the axes a, in world axes."""
    way, e1, e2, e3 = turned(a, way), turned(a, q[0]), turned(a, q[1]), turned(a, q[2])
    for k in range(3):
        g[ARM + k] = way[k]
    for k in range(6):
        i, j = (k, k) if k < 3 else ((0, k - 2) if k < 5 else (1, 2))
        one, two, three = z[0] * e1[j] + z[3] * e2[j] + z[4] * e3[j], z[3] * e1[j] + z[1] * e2[j] + z[5] * e3[j], z[4] * e1[j] + z[5] * e2[j] + z[2] * e3[j]
        g[SLIDE + k] = e1[i] * one + e2[i] * two + e3[i] * three
