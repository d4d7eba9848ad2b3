"""Checks that the buffers of a run fit its model and its method, and that its numbers let it go on."""

from __future__ import annotations

import math

from supple.core.alpha import stage as alpha_stage
from supple.core.base import layout as at
from supple.core.bodies import ancf as gradient
from supple.core.dop853 import dop853
from supple.core.energy import forms as form
from supple.core.energy import state as es
from supple.core.energy import vectors as ev
from supple.core.equations.tree_parts import PARTS_RECORD
from supple.core.forces import forces
from supple.core.forces.joint_forces import JOINT_EFFORT, JOINT_FRICTION, JOINT_SPRING
from supple.core.forces.point_spring import SPRING_DAMPER
from supple.core.images.rules import MOST_NUMBERS, numbers_fit
from supple.core.images.tree import within
from supple.core.linalg.multifrontal import by_blocks, room
from supple.core.radau import buffers as radau_views
from supple.core.run import step as st
from supple.native.declare import kernel

RADAU, DOP853, ALPHA, ENERGY = range(4)
MOST_EVENTS = 2**16
RUN_SPAN, PARTS_SPAN = st.RUN_RECORD.span, PARTS_RECORD.span
CHOICE_SPAN, RADAU_SPAN = radau_views.CHOICE_RECORD.span, radau_views.OWN_RECORD.span
ALPHA_SPAN, DOP853_SPAN = alpha_stage.OWN_RECORD.span, dop853.OWN_RECORD.span
ENERGY_SPAN, INTERVAL_SPAN = es.OWN_RECORD.span, ev.SPAN_RECORD.span


@kernel
def run_fits(m, run, state, count, method):
    """True if the buffers are long enough for the method, and the integers in them within what they count."""
    if state.shape[0] != st.REAL_STATE or count.shape[0] < st.INT_STATE:
        return False
    events, screws = count[st.N_EVENTS], count[st.N_SCREWS]
    if events < 0 or events > MOST_EVENTS or screws < 0 or screws > 6 * m.node.shape[0]:
        return False
    i, k = RUN_SPAN(m.head, events, screws)
    if i > run.shape[0] or k > count.shape[0] or not events_fit(m, run, count):
        return False
    if method == RADAU:
        return radau_fits(m, run, count, i, k)
    if method == ALPHA:
        stack, factors = room(m)
        i, k = ALPHA_SPAN(m.head, i, k, 1 if by_blocks(m) else 0, stack, factors)
        i, k = PARTS_SPAN(m.head, i, k, 1)
        return i <= run.shape[0] and k <= count.shape[0]
    if method == DOP853:
        if i + dop853.PARAMETERS > run.shape[0]:
            return False
        i, k = DOP853_SPAN(m.head, i, k, 1 if run[i + dop853.KEEP] == dop853.PARTITION else 0)
        return i <= run.shape[0] and k <= count.shape[0]
    return method == ENERGY and energy_fits(m, run, count, i, k)


@kernel
def events_fit(m, run, count):
    """True if events watch coordinates, velocities and nodes that there are, and counters are not negative."""
    r, _, _ = st.run_views(m, run, count)
    if not within(count[st.GRID], 0, 0 * count[st.GRID]) or not within(count[st.EVENTS_FOUND], 0, st.EVENTS_WAITING + 0 * count[st.GRID]):
        return False
    for e in range(r.events.shape[0]):
        kind, index, axis = r.events[e, st.EVENT_KIND], r.events[e, st.EVENT_INDEX], r.events[e, st.EVENT_AXIS]
        if kind < st.ON_COORDINATE or kind > st.ON_SPIN or (kind >= st.ON_PLACE and (axis < 0 or axis > 2)):
            return False
        end = m.head[at.H_Q] if kind == st.ON_COORDINATE else (m.head[at.H_U] if kind == st.ON_RATE else m.head[at.H_NODES])
        if not within(index, 1, end) or (kind == st.ON_COORDINATE and not within(axis, 1, m.head[at.H_U])):
            return False
    for k in range(r.vector.shape[0]):
        if r.vector[k] < -1 or r.vector[k] >= m.head[at.H_U]:
            return False
    return True


@kernel
def radau_fits(m, run, count, i, k):
    """True if the buffers have room for Radau's own part, whose sizes follow from the drivers."""
    if CHOICE_SPAN(m.head, k)[0] > count.shape[0]:
        return False
    choice = radau_views.cut_choice(m.head, count, k)[0]
    nf, nk = radau_views.choose(m, choice.free, choice.kept, choice.pin)
    apart, ruled, blocks = 1 if nf < choice.free.shape[0] else 0, 1 if choice.pin.shape[0] > 0 else 0, 1 if by_blocks(m) else 0
    stack, factors = room(m)
    i, k = RADAU_SPAN(m.head, i, k, nf, nk, blocks, apart, ruled, stack, factors)
    i, k = PARTS_SPAN(m.head, i, k, radau_views.FACTORS)
    return i <= run.shape[0] and k <= count.shape[0]


@kernel
def energy_fits(m, run, count, i, k):
    """True if the tables of the energy scheme name bodies, coordinates, forms and elements that there are."""
    nq, nu, nodes = m.head[at.H_Q], m.head[at.H_U], m.head[at.H_NODES]
    if not numbers_fit(count, k, es.LEFT + 0 * nq, 0, MOST_NUMBERS):
        return False
    own = count[k:]
    if own[es.JUMP] > 1 or own[es.RANK] > own[es.ROWS] or own[es.ROWS] > own[es.FORMS]:
        return False
    end, last = ENERGY_SPAN(own, i, k, nu)
    if end > run.shape[0] or last > count.shape[0]:
        return False
    o = es.own_views(run, i, count, k, nu)
    if (o.scalar[es.DECAY] > 0.0) != (own[es.JUMP] == 1):
        return False
    moving = own[es.BODIES] + own[es.VECTORS]
    for n in range(o.body_ints.shape[0]):
        if not within(o.body_ints[n, es.B_Q], 7, nq) or not within(o.body_ints[n, es.B_U], 6, nu):
            return False
    for n in range(o.vector_ints.shape[0]):
        x = o.vector_ints[n]
        if not within(x[es.V_Q], 3, nq) or not within(x[es.V_U], 9 if x[es.V_NODE] >= 0 else 3, nu) or x[es.V_NODE] >= nodes:
            return False
        if x[es.V_NODE] >= 0 and m.node[x[es.V_NODE], at.MOTION] != at.GRADIENT_EDGE:
            return False
    for n in range(o.form_ints.shape[0]):
        x = o.form_ints[n]
        if not within(x[form.KIND], 1, form.VECTOR + 1) or not within(x[form.A], 0, moving) or not within(x[form.B], 0, moving):
            return False
    for n in range(o.coordinate.shape[0]):
        x = o.coordinate[n]
        if not within(x[es.C_KIND], 1, es.LENGTH + 1) or not within(x[es.C_FORM], 1, own[es.FORMS]):
            return False
        if x[es.C_KIND] != es.LENGTH and not (within(x[es.C_Q], 1, nq) and within(x[es.C_U], 1, nu)):
            return False
        if x[es.C_KIND] == es.TURN and not within(x[es.C_COSINE], 1, own[es.FORMS]):
            return False
    for n in range(o.ball_ints.shape[0]):
        x = o.ball_ints[n]
        more = 3 if x[es.Q_FREE] == 1 else 0
        if not within(x[es.Q_Q], 4 + more, nq) or not within(x[es.Q_U], 3 + more, nu):
            return False
        if not within(x[es.Q_A], 0, moving) or not within(x[es.Q_B], 0, moving):
            return False
    return numbers_fit(o.sel, 0 * nq, o.sel.shape[0], 0, max(own[es.ROWS], 1)) and targets_fit(m, o, own)


@kernel
def targets_fit(m, o, own):
    """True if the elements of the energy scheme act on coordinates, bodies and vectors that there are."""
    for i in range(o.element.shape[0]):
        if not within(o.element[i, es.E_NUMBER], 1, m.element.shape[0]):
            return False
        el, target = m.element[o.element[i, es.E_NUMBER]], o.element[i, es.E_TARGET]
        kind = el[at.KIND]
        if kind == forces.FORCE:
            if not within(target - 1, 1, own[es.BODIES] + own[es.VECTORS]):
                return False
        elif kind == forces.GRADIENT or kind == forces.VECTOR_LOAD:
            b = m.gradient[el[forces.BODY]]
            if target < own[es.BODIES] or not within(target, b[at.GRADIENT_N], own[es.BODIES] + own[es.VECTORS]):
                return False
            for k in range(b[at.GRADIENT_ELEMENTS]):
                t, h = gradient.element_of(m, b, k)[0], m.gradient_int
                length = INTERVAL_SPAN(m.head, h[t + gradient.VECTORS], h[t + gradient.MOST_ROWS], h[t + gradient.MOST_STRAINS])[0]
                if length > own[es.SPAN]:
                    return False
        elif kind != JOINT_SPRING and kind != JOINT_EFFORT and kind != JOINT_FRICTION and kind != SPRING_DAMPER:
            return False
        elif not within(target, 1, own[es.COORDINATES]):
            return False
    return True


@kernel
def numbers_are_sound(state, stops, limits):
    """True if time, tolerances, sizes of steps and stops are numbers that a run can use."""
    half = stops.shape[0] // 2
    if half < 1 or stops.shape[0] != 2 * half or limits.shape[0] != 2 or not math.isfinite(state[st.T]):
        return False
    for k in range(2):
        if not (limits[k] >= 0.0 and math.isfinite(limits[k])):
            return False
    if not (state[st.RTOL] > 0.0 and state[st.RTOL] <= 1.0 and state[st.ATOL] > 0.0 and math.isfinite(state[st.ATOL])):
        return False
    if not (state[st.H] >= 0.0 and math.isfinite(state[st.H]) and state[st.H_MAX] > 0.0):
        return False
    if not (state[st.H_MIN] > 0.0 and math.isfinite(state[st.H_MIN])):
        return False
    for k in range(half):
        if not (math.isfinite(stops[k]) and stops[half + k] <= stops[k]):
            return False
        if k > 0 and not stops[k] > stops[k - 1]:
            return False
    return True
