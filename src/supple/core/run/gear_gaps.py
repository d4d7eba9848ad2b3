"""Bounds that hold of the gap of a pair of teeth within a part of a step.

The gap of flanks is the distance along the line of action. Beyond a tip the gap is that of the tip's edge from the other flank, a curve with the radius t of
curvature there: its rate is n.v with the velocity v of the edge as seen from the flank, its second derivative n.a + (u.v)^2/t. That holds as long as
the flanks cross the line of action beyond the tip; there the gap is never below that distance.
"""

from __future__ import annotations

import math

from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import frame
from supple.core.contact import gears, pairs
from supple.core.run import reach
from supple.core.run import step as st
from supple.native.declare import INT, REAL, TRUTH, kernel, shared

RESERVE = 2.0  # for what changes within the part: directions, and lengths of tangents
TURNED = 0.5  # rad that gears turn in a part: more is halved


@kernel
def velocity_between(m, w, r, e, i, x, y, z):
    """Velocity of the point of B at x, y, z from the reference point, as seen from A."""
    a, b, c = reach.velocity_behind(m, w, r, m.element[e, pairs.A], i, x, y, z)
    u, v, s = reach.velocity_behind(m, w, r, m.element[e, pairs.B], i, x, y, z)
    return u - a, v - b, s - c


@kernel
def bend_between(m, w, r, e, i, x, y, z, half):
    """Sum of the largest accelerations of the points of A and B at x, y, z."""
    el = m.element[e]
    return reach.bend_of_point(m, w, r, el[pairs.A], i, x, y, z, half) + reach.bend_of_point(m, w, r, el[pairs.B], i, x, y, z, half)


@kernel
def fall_of_flanks(m, w, r, e, i, half, p):
    """How far the distance of the flanks may change; A turns with p at most.

    Its rate is n.v with the velocity v, as seen from A, of B's point where the line of action touches the base circle. Its second derivative is n.a
    and what n turns by, (u.v_C)(u.v)/l with the velocity v_C of B's centre.
    """
    g, d = pairs.numbers(w)[0], m.data[m.element[e, pairs.AT] + pairs.TEETH :]
    x, y, z = g[pairs.C], g[pairs.C + 1], g[pairs.C + 2]
    u, v, s = velocity_between(m, w, r, e, i, x, y, z)
    middle, rb = math.sqrt(u * u + v * v + s * s), d[gears.RADIUS_B]
    x, y, z = x - rb * g[pairs.ARM], y - rb * g[pairs.ARM + 1], z - rb * g[pairs.ARM + 2]
    u, v, s = velocity_between(m, w, r, e, i, x, y, z)
    rate = abs(g[gears.ALONG] * u + g[gears.ALONG + 1] * v + g[gears.ALONG + 2] * s)
    bend = bend_between(m, w, r, e, i, x, y, z, half)
    speed = math.sqrt(u * u + v * v + s * s) + bend * half
    bend += 2.0 * p * speed + (middle + bend * half) * speed / abs(g[gears.LENGTH])
    return rate * half + RESERVE * 0.5 * bend * half * half


@kernel
def fall_of_edge(m, w, r, e, i, half, turns):
    """How far the distance of a tip's edge from the other flank may change; both gears together turn with ``turns`` at most. Negative without a bound."""
    g = pairs.numbers(w)[0]
    x, y, z = g[pairs.P], g[pairs.P + 1], g[pairs.P + 2]
    u, v, s = velocity_between(m, w, r, e, i, x, y, z)
    rate, bend = abs(g[pairs.N] * u + g[pairs.N + 1] * v + g[pairs.N + 2] * s), bend_between(m, w, r, e, i, x, y, z, half)
    # between the edge and the point half-way to the flank the velocity differs by what the turn gives to half of the gap
    speed = math.sqrt(u * u + v * v + s * s) + bend * half + turns * abs(g[pairs.GAP])
    tangent = 1.0 / abs(g[gears.BEND]) - speed * half
    if tangent * abs(g[gears.BEND]) < 0.5:
        return -1.0
    bend += 2.0 * turns * speed + speed * speed / tangent
    return rate * half + RESERVE * 0.5 * bend * half * half


@kernel
def way_of_crossing(m, w, r, e, i, half):
    """How far the place may go along the line of action at which the flank of either gear crosses it.

    It is the arc r psi that its involute unwinds. The line turns by psi with the centre c of B as seen from A: u.c is constant.
    """
    el, g = m.element[e], pairs.numbers(w)[0]
    d = m.data[el[pairs.AT] + pairs.TEETH :]
    a = frame(w, el[pairs.A], m.data, el[pairs.AT] + pairs.POSE_A)
    x, y, z = g[pairs.C], g[pairs.C + 1], g[pairs.C + 2]
    u, v, s = velocity_between(m, w, r, e, i, x, y, z)
    cx, cy, cz = x - a[9], y - a[10], z - a[11]
    up = cx * a[2] + cy * a[5] + cz * a[8]
    cx, cy, cz, both = cx - up * a[2], cy - up * a[5], cz - up * a[8], abs(d[gears.RADIUS_A] + d[gears.RADIUS_B])
    centre = math.sqrt(cx * cx + cy * cy + cz * cz)
    away = abs(cx * u + cy * v + cz * s) / centre
    across = math.sqrt(max(u * u + v * v + s * s - away * away, 0.0))
    more, steep = bend_between(m, w, r, e, i, x, y, z, half) * half, both / abs(g[gears.LENGTH])
    turn = (across + more + (away + more) * steep) / centre  # of the line, as seen from A
    length = (away + more) * centre / abs(g[gears.LENGTH])  # change of l
    return RESERVE * (d[gears.RADIUS_A] * turn + length) * half


@shared(TREE, WORK, st.RUN, INT, INT, REAL, REAL, gives=TRUTH)
def teeth_stay_apart(m, w, r, e, i, half, noise):
    """True if a pair of teeth that is open does not begin to touch in a part of the step. ``i`` is the last column that moves both gears."""
    el, g = m.element[e], pairs.numbers(w)[0]
    d = m.data[el[pairs.AT] + pairs.TEETH :]
    p, q = reach.turned_by(m, w, r, el[pairs.A], i)[0], reach.turned_by(m, w, r, el[pairs.B], i)[0]
    if (p + q) * half > TURNED:
        return False
    flank, fall = g[gears.FLANK], fall_of_flanks(m, w, r, e, i, half, p)
    if flank + fall >= d[gears.PITCH] - 0.5 * d[gears.FAR] or flank - fall <= -0.5 * d[gears.FAR]:
        return False  # another pair of teeth may be meant
    if flank > fall + noise:
        return True  # the gap of teeth is never below that of their flanks
    if g[pairs.PART] == gears.FLANKS or way_of_crossing(m, w, r, e, i, half) + fall > g[gears.BEYOND]:
        return False
    fall = fall_of_edge(m, w, r, e, i, half, p + q)
    return fall >= 0.0 and g[pairs.GAP] > fall + noise
