"""Bodies that roll on each other: rows of a link whose shapes are those of the element SHAPES.

The first row is the gap, which is kept at zero; the others are the velocities of B's material relative to A's at the point of
contact, along two axes a of the tangent plane. About the reference point y = [p x a; a] of each, with the normal n for the gap, whose rate
is n.v as well. Along displacements of A and B, with th and d those of B relative to A,

    dn = H (..) + t_A x n      dp = .. + t_A x p + d_A      da = (da/dn) dn + t_A x a      dy = [dp x a + p x da; da]

The axes of the plane are those of a frame of A turned the shortest way from its z axis to n: they go on smoothly unless the normal comes near
the opposite of that axis, which is told when the model is made.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, turned, turned_back
from supple.core.contact.contact import axes_of, plus, vector
from supple.core.contact.pairs import GAP, N, P, change, locate, numbers
from supple.native.declare import INT, MAT, VEC, kernel, shared

# Element reals of SHAPES: axes (9) in A's axes whose z axis is the middle of all normals
MIDDLE = 0
# What is shown: gap, normal, point, axes of the tangent plane
SHOWN_GAP, SHOWN_N, SHOWN_P, SHOWN_AXES, SHOWN = 0, 1, 4, 7, 13


@kernel
def tangents(n):
    """Two axes across the unit vector n: x and y turned the shortest way from z to n."""
    c = 1.0 / (1.0 + n[2])
    both = -n[0] * n[1] * c
    return (1.0 - n[0] * n[0] * c, both, -n[0]), (both, 1.0 - n[1] * n[1] * c, -n[1])


@kernel
def tangents_turned(n, d):
    """Changes of ``tangents`` along a change d of n."""
    c = 1.0 / (1.0 + n[2])
    dc = -c * c * d[2]
    both = -(d[0] * n[1] + n[0] * d[1]) * c - n[0] * n[1] * dc
    return (
        (-2.0 * n[0] * d[0] * c - n[0] * n[0] * dc, both, -d[0]),
        (both, -2.0 * n[1] * d[1] * c - n[1] * n[1] * dc, -d[1]),
    )


@kernel
def middle_of(c, g):
    """Axes (9) of the world in which the axes of the plane are taken."""
    a, m = axes_of(g), (c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])
    x, y, z = turned(a, (m[0], m[3], m[6])), turned(a, (m[1], m[4], m[7])), turned(a, (m[2], m[5], m[8]))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@shared(TREE, WORK, INT, MAT)
def rolling_refresh(m, w, e, out):
    """Rows of ``out``: wrenches of gap and rates about the reference point, and the gap; those of rates have none."""
    locate(m, w, e)
    g = numbers(w)[0]
    n, p, middle = vector(g, N), vector(g, P), middle_of(m.coef[e], g)
    x, y = tangents(turned_back(middle, n))
    write(out[0], n, cross(p, n), g[GAP])
    first, second = turned(middle, x), turned(middle, y)
    write(out[1], first, cross(p, first), 0.0 * g[GAP])
    write(out[2], second, cross(p, second), 0.0 * g[GAP])


@kernel
def write(row, a, arm, gap):
    """A row of a link."""
    for j in range(3):
        row[j], row[3 + j] = arm[j], a[j]
    row[at.LINK_GAP] = gap


@shared(TREE, WORK, INT, VEC, VEC, MAT)
def rolling_change(m, w, e, sa, sb, out):
    """Changes of the wrenches along displacements sa, sb (6) of A and B."""
    locate(m, w, e)
    g = numbers(w)[0]
    n, p, middle = vector(g, N), vector(g, P), middle_of(m.coef[e], g)
    ta = (sa[0], sa[1], sa[2])
    th, d = (sb[0] - sa[0], sb[1] - sa[1], sb[2] - sa[2]), (sb[3] - sa[3], sb[4] - sa[4], sb[5] - sa[5])
    dn, dp = change(m, e, g, th, d)
    swing = cross(ta, p)
    dp = (dp[0] + swing[0] + sa[3], dp[1] + swing[1] + sa[4], dp[2] + swing[2] + sa[5])
    own = turned_back(middle, n)
    x, y = tangents(own)
    dx, dy = tangents_turned(own, turned_back(middle, dn))
    turn(out[0], ta, p, dp, n, dn)
    turn(out[1], ta, p, dp, turned(middle, x), turned(middle, dx))
    turn(out[2], ta, p, dp, turned(middle, y), turned(middle, dy))


@kernel
def turn(row, ta, p, dp, a, da):
    """Change of [p x a; a] as p goes dp, and a changes by da as seen from A, which turns by ta."""
    da = plus(da, 1.0, cross(ta, a))
    arm, lever = cross(dp, a), cross(p, da)
    for j in range(3):
        row[j], row[3 + j] = arm[j] + lever[j], da[j]


@shared(TREE, WORK, INT, VEC)
def rolling_shown(m, w, e, out):
    """Gap, normal, point and axes of the tangent plane, world axes."""
    locate(m, w, e)
    g = numbers(w)[0]
    n, p, middle = vector(g, N), vector(g, P), middle_of(m.coef[e], g)
    x, y = tangents(turned_back(middle, n))
    first, second = turned(middle, x), turned(middle, y)
    out[SHOWN_GAP] = g[GAP]
    for k in range(3):
        out[SHOWN_N + k], out[SHOWN_P + k] = n[k], p[k] + w.origin[k]
        out[SHOWN_AXES + k], out[SHOWN_AXES + 3 + k] = first[k], second[k]
