"""Events within an accepted step, located on the step's polynomials.

A step is searched from its start in parts. In a part with bounds of ``reach`` that keep a quantity from its value nothing
happens; where its slope keeps its sign it passes the value once or not at all; other parts are halved. So no crossing is
missed, however short it is, and little is evaluated where the value is far away.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import tree
from supple.core.run import gaps, reach
from supple.core.run import step as st
from supple.native.declare import INT, IVEC, REAL, kernel, shared

NONE = 2.0  # a fraction of the step beyond its end: nothing was found
LEAST = 2.0**-40  # fraction of a step, the shortest part that is halved
COARSE, MOST = 2.0**-6, 4000  # ... behind so many looks: a quantity that stays close to its value
PASSED = 16.0  # times rounding, within which a value is that which was passed
ROUNDING = 64 * 2.2e-16  # of states that rest: Newton's iteration and projections leave some tens of units in the last place


@kernel
def point_along(f, x, axis):
    """World coordinate of the point of an event's row of reals x on the node f."""
    k = 3 * axis
    return f[at.P + axis] + f[k] * x[st.EVENT_PLACE] + f[k + 1] * x[st.EVENT_PLACE + 1] + f[k + 2] * x[st.EVENT_PLACE + 2]


@kernel
def point_velocity(f, axis, x, y, z):
    """World component of the velocity of the point at x, y, z from the reference point, on the node f."""
    if axis == 0:
        return f[at.V + 3] + f[at.V + 1] * z - f[at.V + 2] * y
    if axis == 1:
        return f[at.V + 4] + f[at.V + 2] * x - f[at.V] * z
    return f[at.V + 5] + f[at.V] * y - f[at.V + 1] * x


@kernel
def point_acceleration(m, f, axis, x, y, z):
    """World component of the acceleration of the point at x, y, z from the reference point, on the node f."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    p = (x, y, z)
    turned = f[at.A + j] * p[k] - f[at.A + k] * p[j]
    v, u = point_velocity(f, k, x, y, z), point_velocity(f, j, x, y, z)
    return f[at.A + 3 + axis] + m.gravity[axis] + turned + f[at.V + j] * v - f[at.V + k] * u


@kernel
def event_value(m, w, r, e):
    """Distance of event e from its value at the state qt, ut."""
    ev, x = r.events[e], r.event_reals[e]
    if ev[st.EVENT_KIND] == st.ON_COORDINATE:
        return r.qt[ev[st.EVENT_INDEX]] - x[st.EVENT_VALUE]
    if ev[st.EVENT_KIND] == st.ON_RATE:
        return r.ut[ev[st.EVENT_INDEX]] - x[st.EVENT_VALUE]
    tree.poses(m, w, r.qt)
    if ev[st.EVENT_KIND] == st.ON_GAP:
        return gaps.gap_now(m, w, r, ev[st.EVENT_INDEX], ev[st.EVENT_AXIS]) - x[st.EVENT_VALUE]
    f, axis = w.node[ev[st.EVENT_INDEX]], ev[st.EVENT_AXIS]
    if ev[st.EVENT_KIND] == st.ON_PLACE:
        return point_along(f, x, axis) - x[st.EVENT_VALUE]
    tree.motion(m, w, r.ut, r.ut)  # accelerations do not enter
    if ev[st.EVENT_KIND] == st.ON_SPIN:
        return f[at.V + axis] - x[st.EVENT_VALUE]
    px, py, pz = point_along(f, x, 0), point_along(f, x, 1), point_along(f, x, 2)
    return point_velocity(f, axis, px - w.origin[0], py - w.origin[1], pz - w.origin[2]) - x[st.EVENT_VALUE]


@kernel
def start_events(m, w, r):
    """Remember every event's value at the state r.q, r.u; a run that starts at the value, but for rounding, has not passed it."""
    st.copy(r.q, r.qt)
    st.copy(r.u, r.ut)
    length = 0.0
    for k in range(r.u.shape[0]):
        if r.vector[k] >= 0:
            length = max(length, r.scale[k])
    for e in range(r.events.shape[0]):
        ev, x = r.events[e], r.event_reals[e]
        value, size, n = event_value(m, w, r, e), abs(x[st.EVENT_VALUE]), ev[st.EVENT_INDEX]
        if ev[st.EVENT_KIND] == st.ON_COORDINATE:
            size += r.scale[ev[st.EVENT_AXIS]]
        elif ev[st.EVENT_KIND] == st.ON_RATE:
            size += r.rate_scale[n]
        elif ev[st.EVENT_KIND] == st.ON_GAP:
            size += length + r.about[0]
        else:
            px, py, pz = point_along(w.node[n], x, 0), point_along(w.node[n], x, 1), point_along(w.node[n], x, 2)
            if ev[st.EVENT_KIND] == st.ON_PLACE:
                size += length + abs(px) + abs(py) + abs(pz)
            else:
                spins, o = 1 if ev[st.EVENT_KIND] == st.ON_SPIN else 0, w.origin
                size += reach.moved_by(m, w, r.rate_scale, n, spins, px - o[0], py - o[1], pz - o[2])
        r.last[e] = value if abs(value) > ROUNDING * size else 0.0


@kernel
def crosses(before, after, direction):
    """True if a value passes zero in the given direction (0: both); touching from zero is no crossing."""
    rising = before < 0.0 and after >= 0.0
    falling = before > 0.0 and after <= 0.0
    return (rising and direction >= 0) or (falling and direction <= 0)


@kernel
def value_at(m, w, r, e, s):
    """Distance of event e from its value at the fraction s of the step."""
    ev, x = r.events[e], r.event_reals[e]
    if ev[st.EVENT_KIND] == st.ON_COORDINATE:
        return r.q[ev[st.EVENT_INDEX]] - x[st.EVENT_VALUE] + st.polynomial(r.px[ev[st.EVENT_AXIS]], s)
    if ev[st.EVENT_KIND] == st.ON_RATE:
        return st.polynomial(r.pu[ev[st.EVENT_INDEX]], s) - x[st.EVENT_VALUE]
    st.state_at(m, r, s)
    return event_value(m, w, r, e)


@kernel
def locate(m, w, r, e, low, high, before, after):
    """Fraction of the step where event e passes zero between two fractions, by the Illinois method.

    The far end of the last bracket: a run that starts there does not find the event again.
    """
    a, b, fa, fb, side = low, high, before, after, 0
    if after == 0.0:  # the sample is the root
        a = b
    for _ in range(80):
        if b - a < 4e-16:
            break
        c = (a * fb - b * fa) / (fb - fa) if fb != fa else 0.5 * (a + b)
        if not (a < c < b):
            c = 0.5 * (a + b)
        fc = value_at(m, w, r, e, c)
        if fc == 0.0:
            a, b = c, c
        elif (fc < 0.0) == (before < 0.0):
            a, fa = c, fc
            if side == -1:
                fb *= 0.5
            side = -1
        else:
            b, fb = c, fc
            if side == 1:
                fa *= 0.5
            side = 1
    return b


@kernel
def look(m, w, r, e, h, c, half):
    """Value of event e in the middle of a part, its slope there, bounds of what is added to both within the part, and rounding."""
    ev, x = r.events[e], r.event_reals[e]
    if ev[st.EVENT_KIND] <= st.ON_RATE:
        start, p = 0.0, r.pu[ev[st.EVENT_INDEX]] if ev[st.EVENT_KIND] == st.ON_RATE else r.px[ev[st.EVENT_AXIS]]
        if ev[st.EVENT_KIND] == st.ON_COORDINATE:
            start = r.q[ev[st.EVENT_INDEX]]
        d = r.about
        reach.write_about(p, c, d)
        size = abs(start) + abs(p[0]) + abs(d[0]) + abs(x[st.EVENT_VALUE])
        if ev[st.EVENT_KIND] == st.ON_RATE:  # of the increments that rates are made of
            size += r.scale[ev[st.EVENT_INDEX]] / h
        else:
            size += r.scale[ev[st.EVENT_AXIS]]
        more = reach.spread(d, half) - abs(d[1]) * half
        return start - x[st.EVENT_VALUE] + d[0], d[1], more, reach.bent(d, half) * half, ROUNDING * size
    n, axis = ev[st.EVENT_INDEX], ev[st.EVENT_AXIS]
    if ev[st.EVENT_KIND] == st.ON_GAP:  # whose slope may jump
        gaps.gap_about(m, w, r, n, axis, c, half)
        d, value = r.about, x[st.EVENT_VALUE]
        more = d[0] - d[1] if d[0] > value else d[2] - d[0]
        return d[0] - value, 0.0 * more, more, math.inf + 0.0 * more, ROUNDING * (d[3] + abs(d[0]) + abs(value))
    reach.go_along(m, w, r, c, half)
    f, ground = w.node[n], -1
    px, py, pz = point_along(f, x, 0), point_along(f, x, 1), point_along(f, x, 2)
    far = abs(px) + abs(py) + abs(pz)
    px, py, pz = px - w.origin[0], py - w.origin[1], pz - w.origin[2]
    spins = 1 if ev[st.EVENT_KIND] == st.ON_SPIN else 0
    moved = reach.moved_by(m, w, r.scale, n, spins, px, py, pz)
    if ev[st.EVENT_KIND] == st.ON_PLACE:
        size = ROUNDING * (far + moved + abs(x[st.EVENT_VALUE]))
        bend = reach.bend_of_point(m, w, r, n, ground, px, py, pz, half)
        velocity = point_velocity(f, axis, px, py, pz)
        return point_along(f, x, axis) - x[st.EVENT_VALUE], velocity, 0.5 * bend * half * half, bend * half, size
    bend = reach.bend_of_velocity(m, w, r, n, spins, px, py, pz, c, half)
    for k in range(r.u.shape[0]):
        r.ut[k], r.vt[k] = st.polynomial(r.pu[k], c), st.slope(r.pu[k], c) / h
    tree.motion(m, w, r.ut, r.vt)
    value, velocity = f[at.V + axis], f[at.A + axis]
    if spins == 0:
        value, velocity = point_velocity(f, axis, px, py, pz), point_acceleration(m, f, axis, px, py, pz)
    size = ROUNDING * (abs(x[st.EVENT_VALUE]) + abs(value) + moved / h)
    return value - x[st.EVENT_VALUE], h * velocity, 0.5 * bend * half * half, bend * half, size


@kernel
def add_found(r, ints, e, time):
    """Append an event to the list of those found."""
    k = ints[st.EVENTS_FOUND]
    r.found_event[k] = e
    r.found_time[k] = time
    ints[st.EVENTS_FOUND] += 1


@kernel
def drop_later(r, ints, first, end):
    """Keep the events up to the time ``end`` of those from number ``first`` on."""
    kept = first
    for k in range(first, ints[st.EVENTS_FOUND]):
        if r.found_time[k] <= end:
            r.found_event[kept], r.found_time[kept] = r.found_event[k], r.found_time[k]
            kept += 1
    ints[st.EVENTS_FOUND] = kept


@shared(TREE, WORK, st.RUN, IVEC, INT, REAL, REAL, REAL, REAL, gives=REAL)
def search(m, w, r, ints, e, t0, h, t1, keep):
    """Find event e in the step up to the fraction ``keep``; returns it, or the fraction of the event if that is terminal.

    The value in ``last`` has the sign with which the step before ended: the start may be moved a little, onto constraints.
    """
    ev = r.events[e]
    direction = ev[st.EVENT_DIRECTION]
    before, a, width, looks, found = r.last[e], 0.0, 1.0, 0, 0
    while a < 1.0 and a <= keep and found < st.PER_STEP:
        looks += 1
        width = min(width, 1.0 - a)
        half = 0.5 * width
        after, rate, more, turn, noise = look(m, w, r, e, h, a + half, half)
        size, b = abs(rate) * half + more, min(a + width, 1.0)
        if abs(after) <= size + noise:
            if abs(rate) <= turn and width > (LEAST if looks < MOST else COARSE) and abs(after) + size > noise:
                width = half
                continue
            after = value_at(m, w, r, e, b)
        # what rests at its value has arrived there once, and passes nothing; what has passed it is behind it where rounding does not reach
        if abs(after) <= noise or (abs(after) <= PASSED * noise and before * after <= 0.0):
            after = 0.0
        if crosses(before, after, direction):
            start, s = value_at(m, w, r, e, a), a
            if crosses(start, after, direction):
                s = locate(m, w, r, e, a, b, start, after)
            if s <= keep:
                add_found(r, ints, e, t0 + s * h if s < 1.0 else t1)
                found, looks = found + 1, 0
                if ev[st.EVENT_TERMINAL] == 1:
                    keep = s
                    ints[st.TERMINAL] = e
        before, a, width = after, b, 2.0 * width
    r.last[e] = before
    return keep


@kernel
def find_events(m, w, r, ints, t0, h, t1):
    """Find events in the step from t0 to t1; returns the fraction to keep, above 1 if none is terminal."""
    keep, first = NONE, ints[st.EVENTS_FOUND]
    for e in range(r.events.shape[0]):
        keep = search(m, w, r, ints, e, t0, h, t1, keep)
    if keep <= 1.0:  # what was found behind a terminal event does not happen
        drop_later(r, ints, first, t0 + keep * h if keep < 1.0 else t1)
    return keep
