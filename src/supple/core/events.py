"""Events within an accepted step, and changes of branch of force laws, located on the step's polynomials."""

from __future__ import annotations

import math

from supple.core import forces, tree
from supple.core import layout as at
from supple.core.layout import TREE, WORK
from supple.core.step import (
    EVENT_AXIS,
    EVENT_DIRECTION,
    EVENT_INDEX,
    EVENT_KIND,
    EVENT_PLACE,
    EVENT_TERMINAL,
    EVENT_VALUE,
    EVENTS_FOUND,
    H_MIN,
    H_SWITCH,
    ON_COORDINATE,
    ON_PLACE,
    ON_RATE,
    ON_SPIN,
    PER_STEP,
    RUN,
    SWITCHED,
    TERMINAL,
    copy,
    polynomial,
    state_at,
)
from supple.native.declare import IVEC, REAL, TRUTH, VEC, kernel, shared

NONE = 2.0  # a fraction of the step beyond its end: nothing was found


@kernel
def point_along(f, x, axis):
    """World coordinate of the point of an event's row of reals x on the node f."""
    k = 3 * axis
    return f[at.P + axis] + f[k] * x[EVENT_PLACE] + f[k + 1] * x[EVENT_PLACE + 1] + f[k + 2] * x[EVENT_PLACE + 2]


@kernel
def event_value(m, w, r, e):
    """Distance of event e from its value at the state qt, ut."""
    ev, x = r.events[e], r.event_reals[e]
    if ev[EVENT_KIND] == ON_COORDINATE:
        return r.qt[ev[EVENT_INDEX]] - x[EVENT_VALUE]
    if ev[EVENT_KIND] == ON_RATE:
        return r.ut[ev[EVENT_INDEX]] - x[EVENT_VALUE]
    tree.poses(m, w, r.qt)
    f, axis = w.node[ev[EVENT_INDEX]], ev[EVENT_AXIS]
    if ev[EVENT_KIND] == ON_PLACE:
        return point_along(f, x, axis) - x[EVENT_VALUE]
    tree.motion(m, w, r.ut, r.ut)  # accelerations do not enter
    if ev[EVENT_KIND] == ON_SPIN:
        return f[at.V + axis] - x[EVENT_VALUE]
    j, k = (axis + 1) % 3, (axis + 2) % 3
    b, c = point_along(f, x, j) - w.origin[j], point_along(f, x, k) - w.origin[k]
    return f[at.V + 3 + axis] + f[at.V + j] * c - f[at.V + k] * b - x[EVENT_VALUE]


@kernel
def start_events(m, w, r):
    """Remember every event's value at the state r.q, r.u."""
    copy(r.q, r.qt)
    copy(r.u, r.ut)
    for e in range(r.events.shape[0]):
        r.last[e] = event_value(m, w, r, e)


@kernel
def crosses(before, after, direction):
    """Whether a value passes zero in the given direction (0: both); touching from zero is no crossing."""
    rising = before < 0.0 and after >= 0.0
    falling = before > 0.0 and after <= 0.0
    return (rising and direction >= 0) or (falling and direction <= 0)


@kernel
def rotation_of_step(m, r):
    """Sum of the magnitudes of all rotations in the step (rad)."""
    angle = 0.0
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if kind == at.REVOLUTE:
            angle += abs(polynomial(r.px[j], 1.0))
        elif kind == at.BALL or kind == at.FREE:
            for k in range(j, j + 3):
                angle += abs(polynomial(r.px[k], 1.0))
    return angle


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
        state_at(m, r, c)
        fc = event_value(m, w, r, e)
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
def add_found(r, ints, e, time):
    """Append an event to the list of those found."""
    k = ints[EVENTS_FOUND]
    r.found_event[k] = e
    r.found_time[k] = time
    ints[EVENTS_FOUND] += 1


@kernel
def drop_later(r, ints, first, end):
    """Of the events found from number ``first`` on, keep those up to the time ``end``."""
    kept = first
    for k in range(first, ints[EVENTS_FOUND]):
        if r.found_time[k] <= end:
            r.found_event[kept], r.found_time[kept] = r.found_event[k], r.found_time[k]
            kept += 1
    ints[EVENTS_FOUND] = kept


@kernel
def find_events(m, w, r, ints, t0, h, t1):
    """Find events in the step from t0 to t1; returns the fraction to keep, above 1 if none is terminal.

    A step is searched in quarters, so that a double crossing is not missed; for points and bodies, in parts of half a
    radian of all rotations together.
    """
    keep, angle, first = NONE, rotation_of_step(m, r), ints[EVENTS_FOUND]
    for e in range(r.events.shape[0]):
        before, low = r.last[e], 0.0
        parts = 4
        if r.events[e, EVENT_KIND] >= ON_PLACE:
            parts = int(min(max(4.0, math.ceil(angle / 0.5)), 1.0 * PER_STEP))
        for part in range(1, parts + 1):
            high = part / parts
            if low >= keep:
                break
            state_at(m, r, high)
            after = event_value(m, w, r, e)
            if crosses(before, after, r.events[e, EVENT_DIRECTION]):
                s = locate(m, w, r, e, low, high, before, after)
                if s <= keep:
                    add_found(r, ints, e, t0 + s * h if s < 1.0 else t1)
                    if r.events[e, EVENT_TERMINAL] == 1:
                        keep = s
                        ints[TERMINAL] = e
            before, low = after, high
        r.last[e] = before
    if keep <= 1.0:  # what was found behind a terminal event does not happen
        drop_later(r, ints, first, t0 + keep * h if keep < 1.0 else t1)
    return keep


@kernel
def branches_at(m, w, r, t0, h, s):
    """Number of the branches of force laws at the fraction s of the step."""
    state_at(m, r, s)
    if forces.branches_move(m):
        tree.poses(m, w, r.qt)
        tree.motion(m, w, r.ut, r.ut)  # accelerations do not enter
    return forces.branches(m, w, t0 + s * h, r.qt, r.ut, r.zt)


@shared(TREE, WORK, RUN, IVEC, VEC, REAL, REAL, gives=TRUTH)
def find_switch(m, w, r, ints, reals, t0, h):
    """Whether a force law changes its branch within the step: then it is to be repeated with the size in H_SWITCH.

    Laws have branches: a stop touches or not, a controller saturates or not. A step over such a kink would
    lose the method's order, so it is repeated up to the kink, and the repeated step is taken as it is. What
    happens in the first ten-thousandth of a step belongs to the landing before it: a state that rests on a kink
    cannot stall the run.
    """
    if m.head[at.H_SWITCHES] == 0:
        return False
    if ints[SWITCHED] == 1:
        ints[SWITCHED] = 0
        return False
    low = 1e-4
    before = branches_at(m, w, r, t0, h, low)
    for part in range(1, 5):
        high = 0.25 * part
        if branches_at(m, w, r, t0, h, high) != before:
            for _ in range(48):
                middle = 0.5 * (low + high)
                if branches_at(m, w, r, t0, h, middle) == before:
                    low = middle
                else:
                    high = middle
            if high > 0.999999:
                return False
            ints[SWITCHED] = 1
            reals[H_SWITCH] = max(high * h, 2.0 * reals[H_MIN])
            return True
        low = high
    return False
