"""Bounds that hold of the gaps of contacts within a part of a step, by the ways of points (``reach``)."""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, frame
from supple.core.contact import pairs, surfaces
from supple.core.run import reach
from supple.core.run import step as st
from supple.core.run.gear_gaps import teeth_stay_apart
from supple.core.run.reach import ROUNDING, apart
from supple.native.declare import INT, REAL, TRUTH, kernel, shared

FAR = 1e300


@kernel
def extent(m, w, e):
    """Size of the numbers that the gap of the pair in the scratch is made of: places of both bodies about the reference point."""
    el, g, total = m.element[e], pairs.numbers(w)[0], 0.0
    for k in range(3):
        total += abs(g[pairs.C + k]) + abs(w.node[el[pairs.A], at.P + k] - w.origin[k]) + abs(m.data[el[pairs.AT] + pairs.POSE_A + at.POSE_P + k])
    return total


@kernel
def place_noise(m, w, e):
    """Rounding of the gap of the pair in the scratch."""
    return ROUNDING * extent(m, w, e)


@kernel
def disc_in_hollow(m, w, e, way, tilt):
    """How far a disc comes nearer to the hollow cylinder around it than along its normal, if it goes ``way`` and its axis tilts, and the part of its tilt that counts.

    Across A's axis its rim reaches M = max (e.c + R s), over unit vectors e, from the middle c, with s = sqrt(1 - (e.a)^2) and the axis a. M is convex in c, and
    bends no more than 1/(e.c - R s'') there; e.c is above M - R. s changes by no more than its slope along the tilt. Without such a bound the first is negative.
    """
    el, i, g = m.element[e], m.element[e, pairs.AT], pairs.numbers(w)[0]
    a, b = frame(w, el[pairs.A], m.data, i + pairs.POSE_A), frame(w, el[pairs.B], m.data, i + pairs.POSE_B)
    x, y, z = cross((a[2], a[5], a[8]), (b[2], b[5], b[8]))
    sine, radius = math.sqrt(x * x + y * y + z * z) + tilt, m.data[i + pairs.LARGE]
    if sine > 0.5:
        return -1.0, 1.0
    share = sine / math.sqrt(1.0 - sine * sine)
    room = m.data[i + pairs.SIZES] - g[pairs.GAP] - m.data[i + pairs.SMALL] - radius * (1.0 + sine * share) - way
    if room <= 0.0:
        return -1.0, 1.0
    return 0.5 * way * way / room, share


@kernel
def ways_of_gap(m, w, r, e, i, half):
    """How far the gap of a contact may fall, and how far it may rise, within a part of the step; the workspace has its middle, and the pair there.

    It changes no more than the point of B is moved as seen from A. Above convex surfaces, and from within round ones, the way along the
    normal decides how far it falls, and what a surface rises along the way beside it; of a plane also how far it rises. ``i`` is the last
    column that moves both.
    """
    el, g = m.element[e], pairs.numbers(w)[0]
    first, second = el[pairs.A], el[pairs.B]
    # any point of B serves, as long as A's point is the same and no point of B's surface moves farther
    x, y, z = g[pairs.C], g[pairs.C + 1], g[pairs.C + 2]
    bend = reach.bend_of_point(m, w, r, first, i, x, y, z, half) + reach.bend_of_point(m, w, r, second, i, x, y, z, half)
    au, av, aw = reach.velocity_behind(m, w, r, first, i, x, y, z)
    bu, bv, bw = reach.velocity_behind(m, w, r, second, i, x, y, z)
    u, v, s = bu - au, bv - av, bw - aw
    bent, (turns, faster) = 0.5 * bend * half * half, reach.turned_by(m, w, r, first, i)
    way = math.sqrt(u * u + v * v + s * s) * half + bent
    if el[pairs.PAIR] == pairs.WITH_TEETH:  # which turn about B's centre, too
        turned = (turns + reach.turned_by(m, w, r, second, i)[0]) * half
        way += m.data[el[pairs.AT] + pairs.LARGE] * min(2.0, turned)
        return way, way
    tilt, share = 0.0, 1.0
    if el[pairs.PAIR] != pairs.WITH_BALL:  # which turns, too; what is round only with its axis
        p, q = reach.turned_by(m, w, r, second, i)
        turn, more = turns + p, faster + q
        tilt = turn * half
        if pairs.is_round(m, el):
            b = frame(w, second, m.data, el[pairs.AT] + pairs.POSE_B)
            tx, ty, tz = cross((g[pairs.W], g[pairs.W + 1], g[pairs.W + 2]), (b[2], b[5], b[8]))
            tilt = min(tilt, math.sqrt(tx * tx + ty * ty + tz * tz) * half + (0.5 * more + turn * turn) * half * half)
    rise, beside = pairs.rise(m, w, e, g, way)
    if el[pairs.PAIR] == pairs.WITH_CORE and el[pairs.HOLLOW] == 1:
        rise, share = disc_in_hollow(m, w, e, way, tilt)
    falls = way
    if rise >= 0.0 and beside > way:
        along = abs(g[pairs.N] * u + g[pairs.N + 1] * v + g[pairs.N + 2] * s)
        falls = min(way, along * half + bent + turns * half * way + rise)
    swing = m.data[el[pairs.AT] + pairs.LARGE] * min(2.0, share * tilt)
    return falls + swing, (falls if el[pairs.SURFACE] == surfaces.PLANE else way) + swing


@shared(TREE, WORK, st.RUN, INT, REAL, gives=TRUTH)
def contact_is_quiet(m, w, r, e, half):
    """True if a contact that is open does not begin to touch; the workspace has the middle of the part."""
    el = m.element[e]
    pairs.locate(m, w, e)
    g = pairs.numbers(w)[0]
    gap, i = g[pairs.GAP] + pairs.shallow(m, e), reach.common_column(m, el[pairs.A], el[pairs.B])  # what moves both does not change it
    if gap < -place_noise(m, w, e):
        return False
    if el[pairs.PAIR] == pairs.WITH_TEETH and teeth_stay_apart(m, w, r, e, i, half, place_noise(m, w, e)):
        return True
    size = extent(m, w, e)
    return apart(gap, ways_of_gap(m, w, r, e, i, half)[0], 0.0, size, half)


@shared(TREE, WORK, st.RUN, INT, INT, gives=REAL)
def gap_now(m, w, r, first, last):
    """Least gap of the contacts among elements ``first`` to ``last`` at the poses in the workspace; the size of its numbers is left in ``about``."""
    gap, size = FAR, 0.0
    for e in range(first, last + 1):
        if pairs.is_contact(m.element[e, at.KIND]):
            pairs.locate(m, w, e)
            g = pairs.numbers(w)[0]
            gap, size = min(gap, g[pairs.GAP]), max(size, extent(m, w, e))
    r.about[0] = size
    return gap


@shared(TREE, WORK, st.RUN, INT, INT, REAL, REAL)
def gap_about(m, w, r, first, last, c, half):
    """Write to ``about`` the least gap of these contacts in the middle of a part of the step, its bounds within it, and the size of its numbers."""
    gap, low, high, size = FAR, FAR, FAR, 0.0
    reach.go_along(m, w, r, c, half)
    for e in range(first, last + 1):
        if pairs.is_contact(m.element[e, at.KIND]):
            pairs.locate(m, w, e)
            g = pairs.numbers(w)[0]
            here, i = g[pairs.GAP], reach.common_column(m, m.element[e, pairs.A], m.element[e, pairs.B])
            size = max(size, extent(m, w, e))
            falls, rises = ways_of_gap(m, w, r, e, i, half)
            gap, low, high = min(gap, here), min(low, here - falls), min(high, here + rises)
    r.about[0], r.about[1], r.about[2], r.about[3] = gap, low, high, size
