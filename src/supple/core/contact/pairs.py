"""Pairs of surfaces: gap, normal and point of contact, and how they change with the place of B relative to A.

A ball of B against a surface of A: with the centre c and the distance d of the surface there, the gap is d - radius and the normal n,
from A to B, the gradient of d. A core of B: the same ball at the place of the core for which d and a crown are least (cores.py). A ring of B against
a plane of A: with the axis a and the centre c of the ring, e = n - (n.a) a leads from its lowest point to its centre; the gap is n.c - R F(|e|) - radius
with F(x) = x, but for x below FLAT, where F is even, so that the lowest point goes through the centre of a ring that lies flat. A cam of B against a plane
of A: its lowest point (fields.py).

The nearest place x of B moves by -Z (H dc - th x n) if B's material there goes dc and turns by th: what changes the slope of d along the core. The point of
contact is half way between both surfaces. The rate of the gap is n.v there, with the velocity v of B relative to A. Where a ball
is on a place that cannot turn, be it B or A's surface, both bodies are pushed and rubbed at its centre instead: of a couple nothing would be left
there, and angular momentum be lost. Two such balls cannot rub.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, frame, turned, turned_back
from supple.core.contact import cores, fields, gears, surfaces
from supple.core.contact.cores import FLAT, seen
from supple.core.contact.record import (  # noqa: F401 (others read them here)
    ARM,
    AT,
    AXES,
    AXIS,
    CONTACT,
    CORE,
    DATA,
    FRICTION,
    GAP,
    HOLLOW,
    LARGE,
    LEVER,
    ONE_OF_MANY,
    PAIR,
    PAIR_ROW,
    PAIR_SIZE,
    PART,
    PART_WAY,
    POSE_A,
    POSE_B,
    REST_WAY,
    SIZES,
    SLIDE,
    SMALL,
    STATE,
    SURFACE,
    TEETH,
    TYRE,
    TYRE_SLIP,
    WHEEL,
    WITH_BALL,
    WITH_CAM,
    WITH_CORE,
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
    is_contact,
    numbers,
)  # fmt: skip
from supple.native.declare import INT, kernel, shared

SHALLOW = 1e-6  # in radii of a ball
ALONG = 1e-6  # rad between a cam and a core that lies along it


@kernel
def shallow(tree, e):
    """Depth (m) up to which a ball of a line or surface counts as open where steps are looked through for touches, zero of other shapes."""
    el = tree.element[e]
    return SHALLOW * tree.data[el[AT] + SMALL] if el[ONE_OF_MANY] == 1 else 0.0


@kernel
def sticks(el):
    """True if the friction of a contact has states."""
    return el[STATE] >= 2


@kernel
def with_ball(tree, work, e, a, c, sunk, g):
    """A ball of B, less what it is crowned by, and a surface of A: fill gap, normal, point, and what their change needs."""
    x, i = tree.data, tree.element[e, AT]
    place = turned_back(a, (c[0] - a[9], c[1] - a[10], c[2] - a[11]))
    (d, nx, ny, nz, xx, yy, zz, xy, xz, yz), part = seen(tree, work, e, place)
    n = turned(a, (nx, ny, nz))
    lever = x[i + PART_WAY] * (d - sunk) + x[i + REST_WAY]
    g[GAP] = d + sunk - x[i + SMALL]
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


@shared(TREE, WORK, INT)
def locate(tree, work, e):
    """Fill the scratch of the pair of contact e: gap, normal, point of contact and relative motion there, about the reference point."""
    el, g = tree.element[e], numbers(work)[0]
    a, b = frame(work, el[A], tree.data, el[AT] + POSE_A), frame(work, el[B], tree.data, el[AT] + POSE_B)
    for k in range(9):
        g[AXES + k] = a[k]
    for k in range(3):
        g[C + k] = b[9 + k]
    if el[PAIR] == WITH_RING:
        with_ring(tree, e, a, b, g)
    elif el[PAIR] == WITH_TEETH:
        gears.gear_teeth(tree, work, e)
    else:
        sunk, fixed = 0.0 * b[9], 0.0 * b[9]
        if el[PAIR] != WITH_BALL:
            sunk = cores.nearest_of_core(tree, work, e) if el[PAIR] == WITH_CORE else cores.lowest_of_cam(tree, work, e)
            fixed = fields.scratch(work)[0][0]
        else:
            for k in range(3):
                g[ARM + k] = sunk
            for k in range(6):
                g[SLIDE + k] = sunk
        with_ball(tree, work, e, a, (b[9] + g[ARM], b[10] + g[ARM + 1], b[11] + g[ARM + 2]), sunk, g)
        if el[PAIR] != WITH_BALL:
            g[PART] = cores.FIXED * g[PART] + fixed
    va, vb = work.node[el[A]], work.node[el[B]]
    w = (vb[at.V] - va[at.V], vb[at.V + 1] - va[at.V + 1], vb[at.V + 2] - va[at.V + 2])
    turn = cross(w, (g[P], g[P + 1], g[P + 2]))
    for k in range(3):
        g[W + k], g[V + k] = w[k], vb[at.V + 3 + k] - va[at.V + 3 + k] + turn[k]


@kernel
def is_round(tree, el):
    """True if a ring or core is round about its third axis."""
    return el[PAIR] == WITH_RING or (el[PAIR] == WITH_CORE and tree.data[el[AT] + CORE + cores.SQUARE] == 0.0)


@kernel
def rise_by_reach(tree, work, e, g, way):
    """How far a cam, ground or ring may come nearer to a ball, or a cam to a round core along it, than its tangent plane tells; negative without a bound.

    Balls of the surface's reach fit it from outside wherever they touch it. With the distance d of a point of B, which was d n from its foot and goes w,
    the distance from the middle of such a ball is sqrt((reach - d)^2 - 2 (reach - d) n.w + w^2), at most reach - d - n.w + w^2/2(reach - d). A core that is tilted by
    an angle comes nearer by as much times its length, and normals along it differ by the angle times its length over its radius. Distances from a ground are exact
    near it only.
    """
    el, i = tree.element[e], tree.element[e, AT]
    reach, radius, ahead = tree.data[i + SIZES], tree.data[i + SMALL], 0.0
    if el[SURFACE] == surfaces.RING:
        reach -= tree.data[i + SIZES + 1]
    elif el[SURFACE] == surfaces.FIELD and g[GAP] > fields.NEAR * fields.cell_size(tree, e):
        return -1.0
    if el[PAIR] == WITH_CORE:
        a, b = frame(work, el[A], tree.data, i + POSE_A), frame(work, el[B], tree.data, i + POSE_B)
        x, y, z = cross((a[2], a[5], a[8]), (b[2], b[5], b[8]))
        sine, height = np.sqrt(x * x + y * y + z * z), a[2] * (g[C] - a[9]) + a[5] * (g[C + 1] - a[10]) + a[8] * (g[C + 2] - a[11])
        if el[SURFACE] != surfaces.CAM or tree.data[i + CORE + cores.SQUARE] == 1.0:
            return -1.0
        if sine > ALONG or abs(height) > tree.data[el[fields.FORM] + fields.HALF]:
            return -1.0
        radius += tree.data[i + CORE + cores.HALF]
        ahead = 2.0 * sine * tree.data[i + LARGE] * (1.0 + way / radius)
    room = reach - g[GAP] - radius - ahead
    return ahead + 0.5 * way * way / room if room > 0.0 else -1.0


@kernel
def rise(tree, work, e, g, way):
    """How far A's surface may come nearer to B than its tangent plane tells, if B goes ``way``, and the least gap to what is behind other normals.

    Convex surfaces lie behind their tangent planes. From within, a round one bends towards B, and the ends of a cylinder have normals of their
    own. Without such a bound the first is negative.
    """
    el, i, far = tree.element[e], tree.element[e, AT], 1e300
    if el[SURFACE] == surfaces.CAM or el[SURFACE] == surfaces.FIELD or el[SURFACE] == surfaces.RING:
        return rise_by_reach(tree, work, e, g, way), far
    if el[PAIR] == WITH_RING or (el[HOLLOW] == 0 and surfaces.is_convex(el[SURFACE])):
        return 0.0, far
    if el[PAIR] != WITH_BALL or el[HOLLOW] == 0 or (el[SURFACE] != surfaces.BALL and el[SURFACE] != surfaces.CYLINDER):
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
def bent(g, i, d):
    """A symmetric matrix of the scratch of a pair times d: second derivatives of the distance, or how the nearest place moves."""
    return (
        g[i] * d[0] + g[i + 3] * d[1] + g[i + 4] * d[2],
        g[i + 3] * d[0] + g[i + 1] * d[1] + g[i + 5] * d[2],
        g[i + 4] * d[0] + g[i + 5] * d[1] + g[i + 2] * d[2],
    )


@kernel
def change(tree, e, g, th, d):
    """Changes of normal and point along a displacement of B relative to A: turn th and translation d at the reference point."""
    el, data = tree.element[e], tree.data
    if el[PAIR] == WITH_TEETH:
        return gears.gear_change(g, th, d)
    n, axis = (g[N], g[N + 1], g[N + 2]), (g[AXIS], g[AXIS + 1], g[AXIS + 2])
    zero = 0.0 * d[0]
    if el[PAIR] != WITH_RING:
        turn = cross(th, (g[C] + g[ARM], g[C + 1] + g[ARM + 1], g[C + 2] + g[ARM + 2]))
        dc = (d[0] + turn[0], d[1] + turn[1], d[2] + turn[2])
        along = n[0] * dc[0] + n[1] * dc[1] + n[2] * dc[2]
        h, turn = bent(g, H, dc), cross(th, n)
        x = bent(g, SLIDE, (turn[0] - h[0], turn[1] - h[1], turn[2] - h[2]))
        dc = (dc[0] + x[0], dc[1] + x[1], dc[2] + x[2])
        dn, s = bent(g, H, dc), g[LEVER]
        sunk = data[el[AT] + PART_WAY] * (along + 2.0 * (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]))
        dp = (dc[0] - s * dn[0] - sunk * n[0], dc[1] - s * dn[1] - sunk * n[1], dc[2] - s * dn[2] - sunk * n[2])
        return dn, dp
    turn = cross(th, (g[C], g[C + 1], g[C + 2]))
    dc = (d[0] + turn[0], d[1] + turn[1], d[2] + turn[2])
    along = n[0] * dc[0] + n[1] * dc[1] + n[2] * dc[2]
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
