"""Touches of contacts along the accepted steps of a run: when each begins and ends, its impulses, and what the monitor asks for.

Instants are where the gap of the step's polynomials passes zero. Impulses are integrals over the steps, by Gauss's rule with three points.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import tree
from supple.core.contact import contact, pairs, tyres
from supple.core.run import step as st
from supple.native.declare import INT, IVEC, REAL, TRUTH, kernel, shared

FIRST, WEIGHT, MIDDLE = 0.1127016653792583, 5.0 / 18.0, 8.0 / 18.0  # of Gauss's rule with three points
HALVINGS = 52


@kernel
def has_contacts(m):
    """True if the model has contacts."""
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]):
            return True
    return False


@kernel
def state_of(m, w, r, s):
    """The state at the fraction s of the step, with its poses and velocities."""
    st.state_at(m, r, s)
    tree.poses(m, w, r.qt)
    tree.motion(m, w, r.ut, r.ut)  # accelerations do not enter


@kernel
def touches_at(m, w, r, e, s):
    """True if contact e touches at the fraction s of the step."""
    state_of(m, w, r, s)
    pairs.locate(m, w, e)
    return pairs.numbers(w)[0][pairs.GAP] < 0.0


@shared(TREE, WORK, st.RUN, INT, REAL, TRUTH, gives=REAL)
def contact_change(m, w, r, e, last, after):
    """First fraction of the step, up to ``last``, from which on contact e touches or does not, as ``after`` says."""
    a, b = 0.0, last
    for _ in range(HALVINGS):
        c = 0.5 * (a + b)
        if touches_at(m, w, r, e, c) == after:
            b = c
        else:
            a = c
    return b


@kernel
def rubbed(m, r, e, g, weight):
    """Add what friction with a state takes from bodies that touch, or gives back to them."""
    el, c, x, y = m.element[e], m.coef[e], r.touch[e], r.shown
    n, v, s = contact.vector(g, pairs.N), contact.vector(y, contact.SHOWN_SLIP), contact.held(r.zt, el, contact.axes_of(g))
    star, ratio, _ = contact.bristle(c, contact.axis_of(c, el, g, n), n, y[contact.SHOWN_PUSH], v, s)
    power = ratio * contact.dot(star, v)
    x[st.TOUCH_TAKEN] += weight * max(power, 0.0)
    x[st.TOUCH_BACK] += weight * max(-power, 0.0)


@shared(TREE, WORK, st.RUN, INT, REAL)
def contact_gather(m, w, r, e, weight):
    """Add to the touch of contact e what it does at the state in the workspace, over ``weight`` seconds."""
    x, y = r.touch[e], r.shown
    if m.element[e, at.KIND] == pairs.TYRE:
        tyres.tyre_shown(m, w, e, r.zt, y)
    else:
        contact.contact_shown(m, w, e, r.zt, y)
    push = y[contact.SHOWN_PUSH]
    x[st.TOUCH_PUSH] += weight * push
    for k in range(3):
        x[st.TOUCH_RUB + k] += weight * y[contact.SHOWN_FRICTION + k]
    x[st.TOUCH_DEPTH] = max(x[st.TOUCH_DEPTH], -y[contact.SHOWN_GAP])
    if push == 0.0:
        x[st.TOUCH_IDLE] += weight
    elif m.element[e, at.KIND] == pairs.CONTACT and contact.sticks(m.element[e]):
        rubbed(m, r, e, pairs.numbers(w)[0], weight)


@kernel
def begin(m, w, r, e, t):
    """Begin a touch of contact e at the time t, with the state in the workspace."""
    x = r.touch[e]
    for k in range(st.TOUCH):
        x[k] = 0.0
    pairs.locate(m, w, e)
    g = pairs.numbers(w)[0]
    closing = -(g[pairs.N] * g[pairs.V] + g[pairs.N + 1] * g[pairs.V + 1] + g[pairs.N + 2] * g[pairs.V + 2])
    x[st.TOUCH_IS], x[st.TOUCH_BEGIN], x[st.TOUCH_SPEED] = 2.0, t, max(closing, 0.0)


@kernel
def end(r, ints, e, t):
    """End the touch of contact e at the time t, and hand it over."""
    k = ints[st.TOUCHES_FOUND]
    st.copy(r.touch[e], r.found_touch[k])
    r.found_touch[k, st.TOUCH], r.found_touch[k, st.TOUCH + 1] = t, e
    ints[st.TOUCHES_FOUND] += 1
    r.touch[e, st.TOUCH_IS] = 1.0


@kernel
def node_of(k):
    """Node and weight number k of Gauss's rule on 0 to 1."""
    if k == 1:
        return 0.5, MIDDLE
    return FIRST if k == 0 else 1.0 - FIRST, WEIGHT


@kernel
def start_touches(m, w, r, t0):
    """Begin the touches of contacts that no step has looked at yet: those of the start of a run."""
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]) and r.touch[e, st.TOUCH_IS] == 0.0:
            r.touch[e, st.TOUCH_IS] = 1.0
            if touches_at(m, w, r, e, 0.0):
                begin(m, w, r, e, t0)
            keep_normal(r, e, pairs.numbers(w)[0])


@kernel
def keep_normal(r, e, g):
    """Remember the normal of the pair in the scratch."""
    for k in range(3):
        r.normal[e, k] = g[pairs.N + k]


@kernel
def turned_over(r, e, g):
    """True if the normal of the pair in the scratch is opposite to the one that was remembered."""
    return r.normal[e, 0] * g[pairs.N] + r.normal[e, 1] * g[pairs.N + 1] + r.normal[e, 2] * g[pairs.N + 2] < 0.0


@shared(TREE, WORK, st.RUN, INT, REAL, gives=TRUTH)
def contact_passes(m, w, r, e, last):
    """True if contact e, open at both ends of the step with opposite normals, overlaps where the normal turns over: it was passed through.

    What goes around a body has it turn over outside. This knows nothing of the search for touches (``kinks``).
    """
    a, b, least = 0.0, last, 0.0
    for _ in range(HALVINGS):
        c = 0.5 * (a + b)
        state_of(m, w, r, c)
        pairs.locate(m, w, e)
        g = pairs.numbers(w)[0]
        least = min(least, g[pairs.GAP])
        if turned_over(r, e, g):
            b = c
        else:
            a = c
    return least < 0.0


@kernel
def turn_over(m, w, r, ints, e, t0, h, last):
    """Follow contact e through a step in which it begins or ceases to touch."""
    after = r.touch[e, st.TOUCH_AFTER] == 1.0
    s = contact_change(m, w, r, e, last, after)
    a, b = (s, last) if after else (0.0, s)
    if after:
        state_of(m, w, r, s)
        begin(m, w, r, e, t0 + s * h)
    for k in range(3):
        part, weight = node_of(k)
        state_of(m, w, r, a + part * (b - a))
        contact_gather(m, w, r, e, weight * (b - a) * h)
    r.touch[e, st.TOUCH_STEPS] += 1.0
    if not after:
        end(r, ints, e, t0 + s * h)


@kernel
def look_between(m, w, r, last):
    """Count what was passed through in the step, of contacts whose normal has turned over."""
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]) and r.touch[e, st.TOUCH_IS] == 1.0 and r.touch[e, st.TOUCH_AFTER] == 0.0:
            state_of(m, w, r, last)
            pairs.locate(m, w, e)
            if turned_over(r, e, pairs.numbers(w)[0]):
                r.through[e] += 1.0 if contact_passes(m, w, r, e, last) else 0.0
                state_of(m, w, r, last)
                pairs.locate(m, w, e)
                keep_normal(r, e, pairs.numbers(w)[0])


@shared(TREE, WORK, st.RUN, IVEC, REAL, REAL, REAL)
def contact_follow(m, w, r, ints, t0, h, last):
    """Follow all touches through the step that is accepted up to its fraction ``last``."""
    start_touches(m, w, r, t0)
    state_of(m, w, r, last)
    some, over = False, False
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]):
            pairs.locate(m, w, e)
            g = pairs.numbers(w)[0]
            after = g[pairs.GAP] < 0.0
            r.touch[e, st.TOUCH_AFTER] = 1.0 if after else 0.0
            some = some or (after and r.touch[e, st.TOUCH_IS] == 2.0)
            if after and r.touch[e, st.TOUCH_IS] == 1.0:
                r.jump[e] = max(r.jump[e], -g[pairs.GAP])
            if not after and r.touch[e, st.TOUCH_IS] == 1.0 and turned_over(r, e, g):
                over = True
            else:
                keep_normal(r, e, g)
    for k in range(3 if some else 0):  # those that touch all the time
        s, weight = node_of(k)
        state_of(m, w, r, s * last)
        for e in range(m.element.shape[0]):
            if pairs.is_contact(m.element[e, at.KIND]) and r.touch[e, st.TOUCH_IS] == 2.0 and r.touch[e, st.TOUCH_AFTER] == 1.0:
                contact_gather(m, w, r, e, weight * last * h)
                r.touch[e, st.TOUCH_STEPS] += 1.0 if k == 1 else 0.0
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]):
            if (r.touch[e, st.TOUCH_IS] == 2.0) != (r.touch[e, st.TOUCH_AFTER] == 1.0):
                turn_over(m, w, r, ints, e, t0, h, last)
    if over:
        look_between(m, w, r, last)
