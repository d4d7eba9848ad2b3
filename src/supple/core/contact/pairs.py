"""Pairs of surfaces: gap, normal and point of contact, and how they change with the place of B relative to A.

A ball of B against a surface of A: with the centre c and the distance d of the surface there, the gap is d - radius and the normal n,
from A to B, the gradient of d. A ring of B against a plane of A: with the axis a and the centre c of the ring, e = n - (n.a) a leads
from its lowest point to its centre; the gap is n.c - R F(|e|) - radius with F(x) = x, but for x below FLAT, where F is even, so that the
lowest point goes through the centre of a ring that lies flat. A bar of B against a convex surface of A: the ball at the place t of its
line for which d + b t^2/2 is least, which is also added to the gap. The term, a crown of FLAT/2 of its half length, makes this place
unique where both are straight. Since it is the least one, the gap changes as if t were constant.

The point of contact is half way between both surfaces. The rate of the gap is n.v there, with the velocity v of B relative to A. Where a ball
is on a place that cannot turn, be it B or A's surface, both bodies are pushed and rubbed at its centre instead: of a couple nothing would be left
there, and angular momentum be lost. Two such balls cannot rub.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, frame, turned, turned_back
from supple.core.contact import fields, gears, surfaces
from supple.core.contact.record import (  # noqa: F401 (others read them here)
    ARM,
    AT,
    AXES,
    AXIS,
    CONTACT,
    DATA,
    FRICTION,
    GAP,
    HOLLOW,
    LARGE,
    LEVER,
    PAIR,
    PAIR_ROW,
    PAIR_SIZE,
    PART,
    PART_WAY,
    POSE_A,
    POSE_B,
    REST_WAY,
    SIZES,
    SMALL,
    STATE,
    SURFACE,
    TEETH,
    WITH_BALL,
    WITH_BAR,
    WITH_RING,
    WITH_TEETH,
    A,
    B,
    C,
    H,
    N,
    P,
    V,
    W,
    numbers,
)  # fmt: skip
from supple.native.declare import INT, kernel, shared

FLAT = 1e-3  # sine of the angle between a ring and a plane, and angle between straight lines, below which they are crowned
LOOKS, CLOSE = 100, 1e-13  # for the nearest place of a bar: most looks, and how exact it is in parts of its length


@kernel
def sticks(el):
    """True if the friction of a contact has states."""
    return el[STATE] >= 2


@kernel
def with_ball(tree, work, e, a, c, g):
    """A ball of B and a surface of A: fill gap, normal, point, and what their change needs."""
    el, x = tree.element[e], tree.data
    i = el[AT]
    size = x[i + SIZES : i + SMALL]
    place = turned_back(a, (c[0] - a[9], c[1] - a[10], c[2] - a[11]))
    if el[SURFACE] >= surfaces.CAM:
        s = fields.scratch(work)[0]
        s[0], s[1], s[2] = place
        fields.measure(tree, e, el[SURFACE], x[i + SMALL], s)
        (d, nx, ny, nz, xx, yy, zz, xy, xz, yz), part = (s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12]), int(s[13].real)
    else:
        (d, nx, ny, nz, xx, yy, zz, xy, xz, yz), part = surfaces.distance(el[SURFACE], size, place)
    if el[HOLLOW] == 1:
        d, nx, ny, nz, xx, yy, zz, xy, xz, yz = -d, -nx, -ny, -nz, -xx, -yy, -zz, -xy, -xz, -yz
    n = turned(a, (nx, ny, nz))
    lever = x[i + PART_WAY] * d + x[i + REST_WAY]
    g[GAP] = d - x[i + SMALL]
    g[LEVER], g[PART] = lever, part
    for k in range(3):
        g[N + k], g[P + k] = n[k], c[k] - lever * n[k]
    # H in world axes: A h A^T
    for k in range(3):
        r = (a[3 * k], a[3 * k + 1], a[3 * k + 2])
        h = (xx * r[0] + xy * r[1] + xz * r[2], xy * r[0] + yy * r[1] + yz * r[2], xz * r[0] + yz * r[1] + zz * r[2])
        h = turned(a, h)
        g[H + k] = h[k]
        if k == 0:
            g[H + 3], g[H + 4] = h[1], h[2]
        elif k == 1:
            g[H + 5] = h[2]


@kernel
def with_ring(tree, e, a, b, g):
    """A ring of B and a plane of A, the same."""
    x, i = tree.data, tree.element[e, AT]
    n, axis = (a[2], a[5], a[8]), (b[2], b[5], b[8])
    along = n[0] * axis[0] + n[1] * axis[1] + n[2] * axis[2]
    arm = (n[0] - along * axis[0], n[1] - along * axis[1], n[2] - along * axis[2])
    square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    height = n[0] * (b[9] - a[9]) + n[1] * (b[10] - a[10]) + n[2] * (b[11] - a[11])
    low, s, _ = lowest_of_ring(x[i + LARGE], square)
    gap = height - low - x[i + SMALL]
    g[GAP], g[LEVER], g[PART] = gap, x[i + SMALL] + 0.5 * gap, 0.0
    for k in range(3):
        g[N + k], g[P + k] = n[k], b[9 + k] - s * arm[k] - g[LEVER] * n[k]
        g[AXIS + k], g[ARM + k] = axis[k], arm[k]


@kernel
def lowest_of_ring(radius, square):
    """Way down from the centre of a ring to its lowest point, and the factor of e there and its change along e.de, at the square of |e|."""
    if square.real >= FLAT * FLAT:
        size = np.sqrt(square)
        return radius * size, radius / size, -radius / (size * square)
    t = square / (FLAT * FLAT)
    return (0.375 + 0.75 * t - 0.125 * t * t) * radius * FLAT, (1.5 - 0.5 * t) * radius / FLAT, -radius / FLAT**3 + 0.0 * t


@kernel
def nearest_of_bar(kind, size, y, v, half):
    """Place along a bar with the middle y and direction v (A's axes) that is nearest to a surface, and 1 if it is none of its ends.

    The slope of the distance grows along a bar, as the surface is convex: it is zero at most once.
    """
    crown, low, high, t = FLAT / half, -half, half, -half + 0.0 * y[0]
    for k in range(LOOKS):
        place = (y[0] + t * v[0], y[1] + t * v[1], y[2] + t * v[2])
        (_, nx, ny, nz, xx, yy, zz, xy, xz, yz), _ = surfaces.distance(kind, size, place)
        slope = nx * v[0] + ny * v[1] + nz * v[2] + crown * t
        if k < 2:  # first its ends
            if (k == 0 and slope.real >= 0.0) or (k == 1 and slope.real <= 0.0):
                return t, 0.0
            t = (half if k == 0 else 0.0) + 0.0 * y[0]
            continue
        if slope.real > 0.0:
            high = t.real
        else:
            low = t.real
        bend = crown + xx * v[0] * v[0] + yy * v[1] * v[1] + zz * v[2] * v[2] + 2.0 * (xy * v[0] * v[1] + xz * v[0] * v[2] + yz * v[1] * v[2])
        step = slope / bend
        inside = low <= (t - step).real <= high
        if inside and abs(step.real) <= CLOSE * half:
            return t - step, 1.0
        if high - low <= CLOSE * half:
            return t, 1.0
        t = t - step if inside and k % 4 > 0 else 0.5 * (low + high) + 0.0 * t
    return t, 1.0


@kernel
def with_bar(tree, work, e, a, b, g):
    """A bar of B and a convex surface of A, the same."""
    el, x = tree.element[e], tree.data
    i = el[AT]
    v, half = (b[2], b[5], b[8]), x[i + LARGE]
    y = turned_back(a, (b[9] - a[9], b[10] - a[10], b[11] - a[11]))
    t, free = nearest_of_bar(el[SURFACE], x[i + SIZES : i + SMALL], y, turned_back(a, v), half)
    with_ball(tree, work, e, a, (b[9] + t * v[0], b[10] + t * v[1], b[11] + t * v[2]), g)
    sunk = 0.5 * FLAT / half * t * t
    g[GAP] = g[GAP] + sunk
    g[LEVER] = g[LEVER] - 0.5 * sunk
    g[PART] = 2.0 * g[PART] + free
    for k in range(3):
        g[P + k] = g[P + k] + 0.5 * sunk * g[N + k]
        g[AXIS + k] = v[k]
    g[ARM], g[ARM + 1] = t, free


@shared(TREE, WORK, INT)
def locate(tree, work, e):
    """Fill the scratch of the pair of contact e: gap, normal, point of contact and relative motion there, about the reference point."""
    el, g = tree.element[e], numbers(work)[0]
    a, b = frame(work, el[A], tree.data, el[AT] + POSE_A), frame(work, el[B], tree.data, el[AT] + POSE_B)
    for k in range(9):
        g[AXES + k] = a[k]
    for k in range(3):
        g[C + k] = b[9 + k]
    if el[PAIR] == WITH_BALL:
        with_ball(tree, work, e, a, (b[9], b[10], b[11]), g)
    elif el[PAIR] == WITH_BAR:
        with_bar(tree, work, e, a, b, g)
    elif el[PAIR] == WITH_TEETH:
        gears.gear_teeth(tree, work, e)
    else:
        with_ring(tree, e, a, b, g)
    va, vb = work.node[el[A]], work.node[el[B]]
    w = (vb[at.V] - va[at.V], vb[at.V + 1] - va[at.V + 1], vb[at.V + 2] - va[at.V + 2])
    turn = cross(w, (g[P], g[P + 1], g[P + 2]))
    for k in range(3):
        g[W + k], g[V + k] = w[k], vb[at.V + 3 + k] - va[at.V + 3 + k] + turn[k]


@kernel
def rise(tree, work, e, g, way):
    """How far A's surface may come nearer to B than its tangent plane tells, if B goes ``way``, and the least gap to what is behind other normals.

    Convex surfaces lie behind their tangent planes. From within, a round one bends towards B, and the ends of a cylinder have normals of their
    own. Without such a bound the first is negative.
    """
    el, i, far = tree.element[e], tree.element[e, AT], 1e300
    if el[PAIR] == WITH_RING or (el[HOLLOW] == 0 and surfaces.is_convex(el[SURFACE])):
        return 0.0, far
    if el[HOLLOW] == 0 or (el[SURFACE] != surfaces.BALL and el[SURFACE] != surfaces.CYLINDER):
        return -1.0, far
    size, small = tree.data[i + SIZES], tree.data[i + SMALL]
    across, ends = size - g[GAP] - small, far  # from the centre or axis
    if el[SURFACE] == surfaces.CYLINDER:
        a = frame(work, el[A], tree.data, i + POSE_A)
        height = a[2] * (g[C] - a[9]) + a[5] * (g[C + 1] - a[10]) + a[8] * (g[C + 2] - a[11])
        ends = tree.data[i + SIZES + 1] - abs(height) - small
        if g[PART] != 0.0:
            return -1.0, far
    if across <= 2.0 * way:
        return -1.0, far
    return 0.5 * way * way / (across - way), ends


@kernel
def bent(g, d):
    """Change of the normal of A's surface as the place moves by d."""
    return (
        g[H] * d[0] + g[H + 3] * d[1] + g[H + 4] * d[2],
        g[H + 3] * d[0] + g[H + 1] * d[1] + g[H + 5] * d[2],
        g[H + 4] * d[0] + g[H + 5] * d[1] + g[H + 2] * d[2],
    )


@kernel
def slide(g, crown, n, th, d):
    """Way of the nearest place along a bar as its material moves there by d and turns by th."""
    v = (g[AXIS], g[AXIS + 1], g[AXIS + 2])
    h, turned_ = bent(g, v), cross(th, v)
    bend = crown + v[0] * h[0] + v[1] * h[1] + v[2] * h[2]
    tilt = n[0] * turned_[0] + n[1] * turned_[1] + n[2] * turned_[2]
    return -g[ARM + 1] * (h[0] * d[0] + h[1] * d[1] + h[2] * d[2] + tilt) / bend


@kernel
def change(tree, e, g, th, d):
    """Changes of normal and point along a displacement of B relative to A: turn th and translation d at the reference point."""
    el, data = tree.element[e], tree.data
    if el[PAIR] == WITH_TEETH:
        return gears.gear_change(g, th, d)
    n, c, axis = (g[N], g[N + 1], g[N + 2]), (g[C], g[C + 1], g[C + 2]), (g[AXIS], g[AXIS + 1], g[AXIS + 2])
    zero = 0.0 * d[0]
    if el[PAIR] == WITH_BAR:
        c = (c[0] + g[ARM] * axis[0], c[1] + g[ARM] * axis[1], c[2] + g[ARM] * axis[2])
    turn = cross(th, c)
    dc = (d[0] + turn[0], d[1] + turn[1], d[2] + turn[2])
    along = n[0] * dc[0] + n[1] * dc[1] + n[2] * dc[2]
    if el[PAIR] != WITH_RING:
        dt, crown = zero, zero
        if el[PAIR] == WITH_BAR:
            crown = FLAT / data[el[AT] + LARGE] + zero
            dt = slide(g, crown, n, th, dc)
            dc = (dc[0] + dt * axis[0], dc[1] + dt * axis[1], dc[2] + dt * axis[2])
        dn, s, sunk = bent(g, dc), g[LEVER], data[el[AT] + PART_WAY] * along
        if el[PAIR] == WITH_BAR:
            sunk = 0.5 * (along - 2.0 * crown * g[ARM] * dt)
        dp = (dc[0] - s * dn[0] - sunk * n[0], dc[1] - s * dn[1] - sunk * n[1], dc[2] - s * dn[2] - sunk * n[2])
        return dn, dp
    arm = (g[ARM], g[ARM + 1], g[ARM + 2])
    da = cross(th, axis)
    _, s, slope = lowest_of_ring(data[el[AT] + LARGE], arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2])
    across, turned_in = n[0] * axis[0] + n[1] * axis[1] + n[2] * axis[2], n[0] * da[0] + n[1] * da[1] + n[2] * da[2]
    de = (-turned_in * axis[0] - across * da[0], -turned_in * axis[1] - across * da[1], -turned_in * axis[2] - across * da[2])
    part = arm[0] * de[0] + arm[1] * de[1] + arm[2] * de[2]
    sunk, ds = 0.5 * (along - s * part), slope * part
    dp = (
        dc[0] - s * de[0] - ds * arm[0] - sunk * n[0],
        dc[1] - s * de[1] - ds * arm[1] - sunk * n[1],
        dc[2] - s * de[2] - ds * arm[2] - sunk * n[2],
    )
    return (zero, zero, zero), dp
