"""Checks of an image of a model (``integrators/methods/image.py``), once, when it is loaded: all that kernels take for granted.

An image may come from anywhere, and kernels check no index. What is looked at: lengths against sizes, each integer against what
it points into (``check_rules``), the order of the tree, the plans, the buffers of the run; and numbers without which a loop would
not end.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.alpha import stage as alpha_stage
from supple.core.base import layout as at
from supple.core.base.layout import TREE_WORDS, tree_at
from supple.core.bodies import ancf as gradient
from supple.core.dop853 import dop853
from supple.core.energy import forms as form
from supple.core.energy import state as es
from supple.core.energy import vectors as ev
from supple.core.equations.tree_parts import PARTS_RECORD
from supple.core.forces import forces
from supple.core.forces.joint_forces import JOINT_EFFORT, JOINT_FRICTION, JOINT_SPRING
from supple.core.forces.point_spring import SPRING_DAMPER
from supple.core.images import forces as check_forces
from supple.core.images import forces as check_gradient
from supple.core.images import rules
from supple.core.images import tree as check_tree
from supple.core.images.rules import MOST_NUMBERS, numbers_fit, ranges_fit
from supple.core.images.tree import within
from supple.core.linalg import multifrontal as bl
from supple.core.linalg.multifrontal import by_blocks, room
from supple.core.radau import buffers as radau_views
from supple.core.run import step as st
from supple.native.declare import INT, INTS, IVEC, REALS, TRUTH, VEC, entry, kernel, reserve, shared

RADAU, DOP853, ALPHA, ENERGY = range(4)
MOST_EVENTS = 2**16
RUN_SPAN, PARTS_SPAN = st.RUN_RECORD.span, PARTS_RECORD.span
CHOICE_SPAN, RADAU_SPAN = radau_views.CHOICE_RECORD.span, radau_views.OWN_RECORD.span
ALPHA_SPAN, DOP853_SPAN = alpha_stage.OWN_RECORD.span, dop853.OWN_RECORD.span
ENERGY_SPAN, INTERVAL_SPAN = es.OWN_RECORD.span, ev.SPAN_RECORD.span
# The header of an image after the sizes of the model and the places of its state: where things are in the state of a run, each
# with its number, in the order of ``struct header`` in native/model.h
PLACES = {
    "at_time": st.T, "at_size": st.H, "at_energy": st.E_MAX, "at_error": st.ERROR_OLD, "at_switch": st.H_SWITCH,
    "at_least": st.H_MIN, "at_rtol": st.RTOL, "at_atol": st.ATOL, "at_stop": st.STOP, "at_steps": st.STEPS, "at_fresh": st.FRESH,
    "at_rejected": st.AFTER_REJECT, "at_factored": st.FACTORED, "at_refused": st.REJECTED, "at_events": st.EVENTS_FOUND,
    "at_touches": st.TOUCHES_FOUND, "done": st.DONE, "paused": st.PAUSED,
}  # fmt: skip
# Sizes before them, and numbers behind them
SIZES = "nodes", "nq", "nu", "nz", "nr", "all_nr", "at_q", "at_u", "at_z", "at_zdot"
REST = "max_steps", "fixed_step", "work", "all_work"
NAMES = (*SIZES, *PLACES, *REST)
(
    A_NODES, A_NQ, A_NU, A_NZ, A_NR, A_ALL_NR, A_Q, A_U, A_Z, A_ZDOT, A_STEPS, A_FIXED, A_WORK, A_ALL_WORK,
) = (NAMES.index(name) for name in (*SIZES, *REST))  # fmt: skip
A_PLACES, PLACE_NUMBERS, HEADER_LENGTH = len(SIZES), np.array(list(PLACES.values())), len(NAMES)
WORK_SPAN = at.WORK_RECORD.span
Q_PLACE, U_PLACE, Z_PLACE = (st.RUN_RECORD.begin(field) for field in ("q", "u", "z"))
ZDOT_PLACE = at.WORK_RECORD.begin("zdot")
# What is wrong, by what it is in
FINE, HEADER, TREE, BODIES, LINKS, ROWS, SIGNALS, GRADIENTS, FORCES, PLAN, FRONTS, RUN, NUMBERS = range(13)


@shared(at.TREE, VEC, VEC, IVEC, INT, gives=TRUTH)
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
    if not within(count[st.TOUCHES_FOUND], 0, st.TOUCHES_WAITING + 0 * count[st.GRID]):
        return False
    for e in range(r.events.shape[0]):
        kind, index, axis = r.events[e, st.EVENT_KIND], r.events[e, st.EVENT_INDEX], r.events[e, st.EVENT_AXIS]
        if kind == st.ON_GAP:
            if index < 0 or not within(axis, 1, m.element.shape[0]):
                return False
            continue
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


@shared(at.TREE, VEC, IVEC, INT, INT, gives=TRUTH)
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


@kernel
def plan_fits(m):
    """True if the plan of accelerations (``core/equations/elimination.py``) names links, rows and velocities that there are."""
    plan, nu, nr, links = m.plan, m.head[at.H_U], m.head[at.H_ROWS], m.link.shape[0]
    if (plan[at.PLAN_USABLE] != 0 and plan[at.PLAN_USABLE] != 1) or (plan[at.PLAN_NEWTON] > 0) != (m.head[at.H_PLANNED] == 1):
        return False
    if plan[at.PLAN_USABLE] == 0:
        return m.head[at.H_ROWS] == 0 or m.head[at.H_WAY] == at.DENSE
    if not within(plan[at.PLAN_LINKS], links * at.PLAN_INTS, plan.shape[0]):
        return False
    free = 0
    for c in range(links):
        rec = plan[plan[at.PLAN_LINKS] + c * at.PLAN_INTS :]
        if not record_fits(m, c, rec):
            return False
        free += rec[at.PLAN_FREE]
    first, reach, low, owner = plan[at.PLAN_FIRST], plan[at.PLAN_REACH], plan[at.PLAN_LOWS], plan[at.PLAN_OWNER]
    if free > nr or not numbers_fit(plan, first, nu, -1, nu) or not numbers_fit(plan, reach, nu, -1, nu):
        return False
    if not numbers_fit(plan, low, nr, 0, nr + 1) or not numbers_fit(plan, owner, nu, -1, 8 * links):
        return False
    for k in range(nu):
        if plan[first + k] > k or plan[reach + k] > k or (plan[first + k] >= 0 and plan[reach + k] < 0):
            return False
        if plan[owner + k] >= 0:
            rec = plan[plan[at.PLAN_LINKS] + (plan[owner + k] // 8) * at.PLAN_INTS :]
            if plan[owner + k] % 8 >= rec[at.PLAN_K]:
                return False
    for k in range(free):
        if plan[low + k] > k:
            return False
    return numbers_fit(plan, plan[at.PLAN_ORDER], links, 0, links)


@kernel
def record_fits(m, c, rec):
    """True if the record of one link keeps within rows, velocities and lists."""
    nu, nr, rows = m.head[at.H_U], m.head[at.H_ROWS], 0
    for i in range(6):
        rows += 1 if m.link[c, at.LINK_ROW + i] >= 0 else 0
    free, own = rec[at.PLAN_FREE], rec[at.PLAN_K]
    if free < 0 or own < 0 or free + own != rows or not within(rec[at.PLAN_POS], free, nr) or not within(rec[at.PLAN_LOW], 0, rec[at.PLAN_POS]):
        return False
    if not numbers_fit(rec, at.PLAN_ROW + 0 * free, rows, 0, nr) or not numbers_fit(rec, at.PLAN_E + 0 * free, own, 0, nu):
        return False
    if not ranges_fit(m.plan, rec[at.PLAN_RANGES], rec[at.PLAN_NRANGES], 2 + 0 * free, nu):
        return False
    if not ranges_fit(m.plan, rec[at.PLAN_ENTRIES], rec[at.PLAN_NENTRIES], 2 + 0 * free, nu):
        return False
    if not ranges_fit(m.plan, rec[at.PLAN_PAIRS], rec[at.PLAN_NPAIRS], 3 + 0 * free, nu):
        return False
    for k in range(rec[at.PLAN_PAIRS], rec[at.PLAN_PAIRS] + 3 * rec[at.PLAN_NPAIRS], 3):
        if not within(m.plan[k], 1, m.link.shape[0]):
            return False
    return True


@shared(at.TREE, gives=TRUTH)
def fronts_fit(m):
    """True if the plan of Newton's matrix (``core/linalg/multifrontal.py``) keeps within its unknowns, stack and factors."""
    begin, nu, nr, nz = m.plan[at.PLAN_NEWTON], m.head[at.H_U], m.head[at.H_ROWS], m.head[at.H_OUTER]
    unknowns = nu + nz + 2 * nr
    if begin == 0:
        return True
    if not within(begin, bl.HEAD, m.plan.shape[0]) or begin < at.PLAN_HEAD:
        return False
    p = m.plan[begin:]
    if p[bl.STACK] != m.head[at.H_STACK] or p[bl.FACTORS] != m.head[at.H_FACTORS] or not within(p[bl.SCRATCH], 0, p[bl.STACK]):
        return False
    fronts, records = p[bl.FRONTS], p[bl.COUNT]
    if fronts < 0 or fronts > rules.MOST or not within(p[bl.TABLE], fronts * bl.FRONT_INTS, p.shape[0]):
        return False
    if records < 0 or records > rules.MOST or not within(p[bl.RECORDS], records * bl.RECORD_INTS, p.shape[0]):
        return False
    if not numbers_fit(p, p[bl.PLACE], unknowns, 0, unknowns) or not within(p[bl.TURNS], 1, p.shape[0]):
        return False
    if p[p[bl.TURNS]] > 0:
        if not within(p[bl.TURNS] + 1, nu, p.shape[0]):
            return False
        for j in range(nu):
            if p[p[bl.TURNS] + 1 + j] == 1 and j + 6 > nu:
                return False
    for e in range(records):
        if not entry_fits(m, p, p[p[bl.RECORDS] + e * bl.RECORD_INTS :]):
            return False
    if not numbers_fit(p, p[bl.LINKED], p[bl.LINKS], 0, records):
        return False
    for k in range(p[bl.LINKED], p[bl.LINKED] + p[bl.LINKS]):
        code = p[p[bl.RECORDS] + p[k] * bl.RECORD_INTS + bl.CODE]
        if code != bl.ROWS and code != bl.ALONE:
            return False
    for k in range(fronts):
        if not front_fits(p, p[p[bl.TABLE] + k * bl.FRONT_INTS :], unknowns):
            return False
    for k in range(fronts):
        if not children_fit(p, k, p[p[bl.TABLE] + k * bl.FRONT_INTS :]):
            return False
    return True


@kernel
def entry_fits(m, p, r):
    """True if a record of entries names velocities, rows and states that there are."""
    nu, nr, nz, code = m.head[at.H_U], m.head[at.H_ROWS], m.head[at.H_OUTER], r[bl.CODE]
    if code < 0 or code > bl.ALONE:
        return False
    for k in range(bl.ROW, bl.MORE):
        if r[k] < 0 or r[k] > rules.MOST:
            return False
    if code == bl.OWN:
        return True
    row_end = nu if code == bl.TANGENT or code == bl.PUSH else (nr if code == bl.ROWS or code == bl.RATES or code == bl.ALONE else nz)
    pushes = code == bl.PUSH or code == bl.RATES or code == bl.STATE_PUSH
    if not within(r[bl.ROW], max(r[bl.NROW], 1), row_end):
        return False
    if code == bl.STATE_OWN:
        return True
    if not within(r[bl.COLUMN], r[bl.NCOLUMN], nr if pushes else nu):
        return False
    if not pushes:
        return True
    return within(r[bl.INNER], r[bl.NINNER], nu) and within(p[bl.SCRATCH], r[bl.NINNER] * r[bl.NCOLUMN], p[bl.STACK])


@kernel
def front_fits(p, front, unknowns):
    """True if a front has room for itself, what it leaves and its factors, and its entries lie in it."""
    b, n = front[bl.PIVOTS], front[bl.SIZE]
    c = n - b
    if b < 1 or c < 0 or n > unknowns or not within(front[bl.FIRST], b, unknowns):
        return False
    if not within(front[bl.FACTORS_AT], b * b + 2 * b * c, p[bl.FACTORS]):
        return False
    if not within(front[bl.FRONT_AT], n * n, p[bl.STACK]) or not within(front[bl.LEFT_AT], c * c, p[bl.STACK]):
        return False
    if not numbers_fit(p, front[bl.BORDER], c, 0, unknowns) or not numbers_fit(p, front[bl.PARENT], c, 0, unknowns):
        return False
    if not within(front[bl.ENTRY], front[bl.ENTRIES], p[bl.COUNT]) or front[bl.ENTRIES] < 0:
        return False
    for e in range(front[bl.ENTRY], front[bl.ENTRY] + front[bl.ENTRIES]):
        r = p[p[bl.RECORDS] + e * bl.RECORD_INTS :]
        rows, columns, code = r[bl.NROW], r[bl.NCOLUMN], r[bl.CODE]
        if code == bl.OWN or code == bl.STATE_OWN:
            columns = 0 * columns
        if code == bl.STATE or code == bl.STATE_OWN:
            rows = max(rows, 1)
        if not within(r[bl.AT_ROW], rows, n) or not within(r[bl.AT_COLUMN], columns, n):
            return False
        if code == bl.ROWS and not within(r[bl.AT_ROW] + r[bl.MORE], rows, n):
            return False
    return True


@kernel
def children_fit(p, k, front):
    """True if the children of front k come before it, and what they leave belongs to it."""
    count = front[bl.CHILDREN]
    if not numbers_fit(p, front[bl.CHILD], count, 0, k):
        return False
    for l in range(front[bl.CHILD], front[bl.CHILD] + count):
        child = p[p[bl.TABLE] + p[l] * bl.FRONT_INTS :]
        if not numbers_fit(p, child[bl.PARENT], child[bl.SIZE] - child[bl.PIVOTS], 0, front[bl.SIZE]):
            return False
    return True


@shared(at.TREE, gives=INT)
def model_fault(m):
    """The fault of a model whose head fits its buffers, FINE if it has none."""
    if not check_tree.nodes_fit(m):
        return TREE
    if not check_tree.bodies_fit(m):
        return BODIES
    if not check_tree.links_fit(m):
        return LINKS
    if not check_tree.rows_fit(m):
        return ROWS
    if not check_forces.signals_fit(m):
        return SIGNALS
    if not check_gradient.gradients_fit(m):
        return GRADIENTS
    if not check_forces.forces_fit(m) or not check_gradient.lists_are_apart(m):
        return FORCES
    if not plan_fits(m):
        return PLAN
    return FINE if fronts_fit(m) else FRONTS


@kernel
def header_fits(header, ints, count):
    """True if the header says what the model's integers and the kernels say."""
    if header.shape[0] != HEADER_LENGTH or count.shape[0] < st.INT_STATE:
        return False
    for k in range(len(PLACE_NUMBERS)):
        if header[A_PLACES + k] != PLACE_NUMBERS[k]:
            return False
    events, screws = count[st.N_EVENTS], count[st.N_SCREWS]
    if header[A_NQ] != ints[at.H_Q] or header[A_NU] != ints[at.H_U] or header[A_NZ] != ints[at.H_Z]:
        return False
    if header[A_NR] != ints[at.H_ROWS] or header[A_NODES] != ints[at.H_NODES]:
        return False
    if header[A_Q] != Q_PLACE(ints, events, screws) or header[A_U] != U_PLACE(ints, events, screws):
        return False
    if header[A_Z] != Z_PLACE(ints, events, screws) or header[A_ZDOT] != ZDOT_PLACE(ints):
        return False
    return header[A_STEPS] >= 1 and (header[A_FIXED] == 0 or header[A_FIXED] == 1) and header[A_WORK] == WORK_SPAN(ints)[0]


@kernel
def whole_fits(header, ints, whole, reals, row_sizes):
    """True if the integers of all rows, where some are left out, are of the same model."""
    if whole.shape[0] == 0:
        return header[A_ALL_NR] == 0 and row_sizes.shape[0] == 0 and header[A_ALL_WORK] == header[A_WORK]
    if not check_tree.head_fits(whole, reals):
        return False
    if whole[at.H_Q] != ints[at.H_Q] or whole[at.H_U] != ints[at.H_U] or whole[at.H_Z] != ints[at.H_Z]:
        return False
    rows = whole[at.H_ROWS]
    return header[A_ALL_NR] == rows and row_sizes.shape[0] == rows and header[A_ALL_WORK] == WORK_SPAN(whole)[0]


@entry(INTS, INTS, INTS, REALS, VEC, VEC, IVEC, REALS, REALS, REALS, INT)
def check_image(header, ints, whole, reals, run, state, count, stops, row_sizes, limits, method):
    """The fault of an image, FINE if it has none; ``whole`` are the integers with all rows, none if no row is left out.

    ``method`` is a number of ``check_run``. Nothing is changed but choices that a loop makes anew when it begins.
    """
    if not check_tree.head_fits(ints, reals) or not header_fits(header, ints, count):
        return HEADER
    if not whole_fits(header, ints, whole, reals, row_sizes):
        return HEADER
    m = tree_at(ints, reals, reserve(TREE_WORDS))
    fault = model_fault(m)
    if fault != FINE:
        return fault
    if whole.shape[0] > 0:
        fault = model_fault(tree_at(whole, reals, reserve(TREE_WORDS)))
        if fault != FINE:
            return fault
    if not run_fits(m, run, state, count, method):
        return RUN
    return FINE if numbers_are_sound(state, stops, limits) else NUMBERS
