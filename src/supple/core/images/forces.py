"""Checks that signals and force elements keep within a model's buffers: programs of signals, laws, lists of ropes and loads."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base import opcodes as op
from supple.core.base.layout import TREE
from supple.core.base.wrench import SIDE
from supple.core.bodies import ancf as gradient
from supple.core.bodies import line_edge as ls
from supple.core.bodies import membrane
from supple.core.contact import contact, fields, lines, pairs, sets, surfaces
from supple.core.forces import beam_load as load
from supple.core.forces import control, forces, pressure, rope, section_load
from supple.core.forces import joint_forces as joint
from supple.core.forces import point_spring as line
from supple.core.forces import signals as sg
from supple.core.images import rules
from supple.core.images.rules import columns_fit, elements_fit, numbers_fit
from supple.core.images.tree import FLEX_SPAN, within
from supple.native.declare import TRUTH, kernel, shared

TABLE_SPAN, SCRATCH_SPAN = gradient.TABLE_RECORD.span, gradient.SCRATCH_RECORD.span


@kernel
def gradients_fit(m):
    """True if all gradient bodies keep within the buffers."""
    if not columns_fit(m.gradient, rules.GRADIENT, m.head):
        return False
    for g in range(m.gradient.shape[0]):
        b = m.gradient[g]
        n, count = b[at.GRADIENT_N], b[at.GRADIENT_ELEMENTS]
        if not within(b[at.GRADIENT_Q0], 3 * n, m.head[at.H_Q]) or not within(b[at.GRADIENT_U0], 3 * n, m.head[at.H_U]):
            return False
        if not within(b[at.GRADIENT_AT], at.GRADIENT_ELEMENT * count, m.gradient_int.shape[0]):
            return False
        last, last_data = -1, -1  # neighbours mostly have the same table
        for k in range(count):
            t, data, vectors = gradient.element_of(m, b, k)
            if (t != last or data != last_data) and not table_fits(m, t, data, b[at.GRADIENT_WORK]):
                return False
            last, last_data = t, data
            if not numbers_fit(m.gradient_int, vectors, m.gradient_int[t + gradient.VECTORS], 0, n):
                return False
    return True


@kernel
def table_fits(m, t, data, work):
    """True if a table whose integers begin at t and its reals at ``data`` is consistent, and its scratch there."""
    h = m.gradient_int
    if not numbers_fit(h, t, gradient.TABLE_HEAD, 0, rules.MOST_NUMBERS):
        return False
    K, P, R, T = h[t + gradient.VECTORS], h[t + gradient.POINTS], h[t + gradient.ROWS], h[t + gradient.TERMS]
    N, Q, rows, strains = h[t + gradient.STRAINS], h[t + gradient.ENTRIES], h[t + gradient.MOST_ROWS], h[t + gradient.MOST_STRAINS]
    ends, scratch = TABLE_SPAN(m.head, K, P, R, T, N, Q), SCRATCH_SPAN(m.head, K, rows, strains)
    if K < 1 or not within(t, ends[0], h.shape[0]) or not within(data, ends[1], m.flex_data.shape[0]):
        return False
    if not within(work, scratch[0], m.head[at.H_FLEX_WORK]):
        return False
    first = t + gradient.TABLE_HEAD
    for p in range(P):
        x = h[first + p * gradient.POINT_INTS :]
        if not point_fits(x, R, T, N, Q, rows, strains):
            return False
        for k in range(x[gradient.P_TERMS]):
            term = h[first + P * gradient.POINT_INTS + (x[gradient.P_TERM] + k) * gradient.GRADIENT_TERM :]
            if not within(term[gradient.TERM_STRAIN], 1, x[gradient.P_STRAINS]):
                return False
            if not within(term[gradient.TERM_A], 1, x[gradient.P_ROWS]) or not within(term[gradient.TERM_B], 1, x[gradient.P_ROWS]):
                return False
    return True


@kernel
def point_fits(x, R, T, N, Q, rows, strains):
    """True if a point's rows, terms, strains and stiffnesses are those of its table."""
    n = x[gradient.P_STRAINS]
    if x[gradient.P_ROWS] < 1 or x[gradient.P_ROWS] > rows or not within(x[gradient.P_ROW], x[gradient.P_ROWS], R):
        return False
    if x[gradient.P_TERMS] < 0 or not within(x[gradient.P_TERM], x[gradient.P_TERMS], T):
        return False
    return n >= 1 and n <= strains and within(x[gradient.P_STRAIN], n, N) and within(x[gradient.P_ENTRY], n * n, Q)


@kernel
def apart(first, length, other, more):
    """True if two pieces of a buffer do not meet."""
    return first + length <= other or other + more <= first or length == 0 or more == 0


@kernel
def lists_are_apart(m):
    """True if no one else writes where sliding points keep the number of their element, and sets of bodies their lists; needs all else to fit."""
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.LINE_EDGE and not is_apart(m, m.program[m.node[n, at.ATTACH] + ls.SCRATCH], ls.SCRATCH_SIZE + 0 * n, n, -1):
            return False
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == sets.CONTACT_SET and not is_apart(m, m.element[e, sets.SCRATCH], room_of_set(m.element[e]), -1, e):
            return False
    return True


@kernel
def is_apart(m, own, size, node, element):
    """True if no one else writes the scratch of one node or element, ``size`` numbers from ``own`` on."""
    for k in range(1, m.node.shape[0]):
        if k != node and m.node[k, at.MOTION] == at.LINE_EDGE and not apart(own, size, m.program[m.node[k, at.ATTACH] + ls.SCRATCH], ls.SCRATCH_SIZE):
            return False
    for f in range(m.flex.shape[0]):
        length = FLEX_SPAN(m.head, m.flex[f, at.FLEX_N], m.flex[f, at.FLEX_R])[1]
        if not apart(own, size, m.flex[f, at.FLEX_WORK], length):
            return False
    for a in range(m.attach.shape[0]):
        length = at.ATTACH_ROWS * m.flex[m.attach[a, at.ATTACH_BODY], at.FLEX_N]
        if m.attach[a, at.ATTACH_WORK] >= 0 and not apart(own, size, m.attach[a, at.ATTACH_WORK], length):
            return False
    for e in range(m.element.shape[0]):
        el = m.element[e]
        if el[at.KIND] == rope.ROPE:
            count = el[rope.COUNT]
            length = rope.HEAD + count * rope.COLUMNS + count * (rope.SCALARS * count + 1)
            if not apart(own, size, el[rope.SCRATCH], length):
                return False
        if el[at.KIND] == sets.CONTACT_SET and e != element and not apart(own, size, el[sets.SCRATCH], room_of_set(el)):
            return False
        if el[at.KIND] == lines.LINE_CONTACT and not apart(own, size, el[lines.SCRATCH], line_scratch(el)):
            return False
    for g in range(m.gradient.shape[0]):
        b = m.gradient[g]
        for k in range(b[at.GRADIENT_ELEMENTS]):
            t = gradient.element_of(m, b, k)[0]
            h = m.gradient_int
            length = SCRATCH_SPAN(m.head, h[t + gradient.VECTORS], h[t + gradient.MOST_ROWS], h[t + gradient.MOST_STRAINS])[0]
            if not apart(own, size, b[at.GRADIENT_WORK], length):
                return False
    return True


@kernel
def signals_fit(m):
    """True if all signals have their numbers, and programs keep to the stack."""
    if not columns_fit(m.signal, rules.SIGNAL, m.head):
        return False
    for k in range(m.signal.shape[0]):
        code, first, place = m.signal[k, at.SIGNAL_CODE], m.signal[k, at.SIGNAL_AT], m.signal[k, at.SIGNAL_PROGRAM]
        if code == op.SINE:
            if not within(first, 4, m.data.shape[0]):
                return False
            continue
        if not within(place, 2, m.program.shape[0]):
            return False
        if code == op.PROGRAM:
            if not program_fits(m, m.program[place], place, first):
                return False
            continue
        pieces, many = m.program[place + sg.PIECES], m.program[place + sg.COEFFICIENTS]
        if pieces < 1 or many < 1 or pieces > rules.MOST or many > rules.MOST:
            return False
        if not within(first, 2 * pieces + 1 + pieces * many, m.data.shape[0]):
            return False
    return True


@kernel
def program_fits(m, count, place, first):
    """True if a program of ``count`` operations leaves one cell on the stack, and never too many or none."""
    top = -1
    if count < 1 or count > rules.MOST or not within(place, sg.OPERATIONS + 2 * count, m.program.shape[0]):
        return False
    if not within(first, count, m.data.shape[0]):
        return False
    for step in range(place + sg.OPERATIONS, place + sg.OPERATIONS + 2 * count, 2):
        code, other = m.program[step], m.program[step + 1]
        if code < 0 or code > op.STEP:
            return False
        if code <= op.SIGNAL:
            top += 1
            if code == op.SIGNAL and (not within(other, 1, m.signal.shape[0]) or m.signal[other, at.SIGNAL_CODE] == op.PROGRAM):
                return False
        elif code <= op.MAXIMUM:
            top -= 1
        if top < 0 or top >= op.STACK:
            return False
    return top == 0


@kernel
def law_fits(m, number):
    """True if a law, known by its number plus one, is a table or a formula with its kinks."""
    if number == 0:
        return True
    code, first, place = m.signal[number - 1, at.SIGNAL_CODE], m.signal[number - 1, at.SIGNAL_AT], m.signal[number - 1, at.SIGNAL_PROGRAM]
    if code != op.PROGRAM:
        return code == op.PIECEWISE
    count = m.program[place]
    behind = place + sg.OPERATIONS + 2 * count
    if not within(behind, 1, m.program.shape[0]):
        return False
    kinks = m.program[behind]
    return kinks >= 0 and kinks <= rules.MOST and within(first, count + kinks, m.data.shape[0])


@shared(TREE, gives=TRUTH)
def forces_fit(m):
    """True if all force elements keep within the buffers; needs signals that do."""
    if not elements_fit(m.element, rules.ELEMENT, m.head):
        return False
    states, inner = 0, m.head[at.H_OUTER]  # in the order of elements
    for e in range(m.element.shape[0]):
        el = m.element[e]
        kind = el[at.KIND]
        if kind == line.LINE_LAW and not (law_fits(m, el[line.SPRING]) and law_fits(m, el[line.DAMPER])):
            return False
        if kind == joint.JOINT_LAW and not (law_fits(m, el[joint.SPRING]) and law_fits(m, el[joint.DAMPER])):
            return False
        if kind == joint.PID:
            if el[joint.STATE] != states:
                return False
            states += 1
        elif kind == control.LINEAR_CONTROL:
            if (el[control.STATES] > 0 and el[control.STATE] != states) or not control_fits(m, el):
                return False
            states += el[control.STATES]
        elif (pairs.is_contact(kind) or kind == contact.RUBBING or kind == pairs.TYRE_SLIP or kind == forces.SHAPES) and not form_fits(m, el):
            return False
        elif (kind == sets.CONTACT_SET or kind == sets.SET_RUBBING) and not set_fits(m, e):
            return False
        elif pairs.is_contact(kind) and pairs.sticks(el):
            inner += 3
            if el[pairs.STATE] != inner - 1:
                return False
        elif kind == rope.ROPE and not rope_fits(m, el):
            return False
        elif (kind == lines.LINE_CONTACT or kind == lines.LINE_RUBBING) and not curves_fit(m, el):
            return False
        elif kind == forces.MEMBRANE and not membrane_fits(m, el):
            return False
        elif not load_fits(m, el, kind):
            return False
        if not lines_fit(m, el, kind):
            return False
    return states == m.head[at.H_OUTER] and inner == m.head[at.H_Z] and inner - states == m.head[at.H_INNER]


@kernel
def form_fits(m, el):
    """True if the numbers of the surface of a contact are there, or those of a cam that touches a plane."""
    kind, at, counts = el[pairs.SURFACE], el[fields.FORM], el[fields.COUNTS]
    if el[pairs.PAIR] == pairs.WITH_CAM:
        if kind != surfaces.PLANE:
            return False
        kind = surfaces.CAM
    if kind < surfaces.CAM:
        return True
    if not within(counts, 3, m.program.shape[0]):
        return False
    least = 1 if kind == surfaces.CAM else 2
    for k in range(3):
        n = m.program[counts + k]
        if n > rules.MOST_NUMBERS or n < (least if k < 2 or kind == surfaces.GRID else 1):
            return False
    many = fields.numbers_of(kind, m.program[counts], m.program[counts + 1], m.program[counts + 2])
    return many <= rules.MOST and within(at, many, m.data.shape[0])


@kernel
def room_of_set(el):
    """Length of the scratch of a set of bodies."""
    return sets.HEAD + sets.BALL_SCRATCH * el[sets.COUNT] + 1 + sets.WALL_SCRATCH * el[sets.WALLS] + el[sets.ROOM]


@kernel
def set_fits(m, e):
    """True if balls, surfaces, lists and scratch of a set of bodies are there, and its push and its friction, one behind the other, have the same."""
    el, n, s = m.element[e], m.element[e, sets.COUNT], m.element[e, sets.WALLS]
    other = e + 1 if el[at.KIND] == sets.CONTACT_SET else e - 1
    if not within(other, 1, m.element.shape[0]) or m.element[other, at.KIND] + el[at.KIND] != sets.CONTACT_SET + sets.SET_RUBBING:
        return False
    for k in range(sets.BALLS, sets.ROOM + 1):
        if m.element[other, k] != el[k]:
            return False
    if not within(el[sets.BALLS], sets.BALL_INTS * n, m.program.shape[0]) or not within(el[sets.SURFACES], sets.WALL_INTS * s, m.program.shape[0]):
        return False
    if not within(el[sets.AT], sets.BALL_REALS * n, m.data.shape[0]) or not within(el[sets.WALL_AT], sets.WALL_REALS * s, m.data.shape[0]):
        return False
    if not within(el[sets.JOINED], el[sets.JOINTS], m.program.shape[0]) or not within(el[sets.SCRATCH], room_of_set(el), m.head[at.H_FLEX_WORK]):
        return False
    for i in range(n + s):
        if not within(sets.node_of(m, el, i), 1, m.node.shape[0]):
            return False
    for i in range(s):
        row = m.program[el[sets.SURFACES] + sets.WALL_INTS * i :]
        if not within(row[sets.KIND], 1, surfaces.CAM) or not within(row[sets.HOLLOW], 1, 2 + 0 * s):
            return False
    return True


@kernel
def lines_fit(m, el, kind):
    """True if the lines of an element are in the border of Newton's matrix along the tree."""
    border, reading, first = m.head[at.H_BORDER], m.head[at.H_READING], el[at.LINES]
    if m.head[at.H_BLOCK] == 0:
        return first == -1
    several = kind == forces.GEAR or kind == control.LINEAR_CONTROL
    count = 2 * SIDE if not several else (2 if kind == forces.GEAR else el[control.COUNT])
    if kind == rope.ROPE or kind == lines.LINE_CONTACT or (kind == control.LINEAR_CONTROL and el[control.STATES] > 0):
        return False
    if first < 0:
        return not several or count < 2
    between = kind == line.SPRING_DAMPER or kind == line.LINE_LAW or kind == forces.BUSHING or kind == forces.CARTESIAN or pairs.is_contact(kind)
    if not several and not between:
        return False
    return within(first, count, border) and (2 * count if several else 2 * SIDE) <= reading


@kernel
def control_fits(m, el):
    """True if terms, states, matrices and signals of a linear controller are there."""
    count, acted, measured, states = el[control.COUNT], el[control.EFFORTS], el[control.MEASURED], el[control.STATES]
    if measured > count or measured + acted > control.MOST or not within(el[control.TERM], count, m.term.shape[0]):
        return False
    if not within(el[control.STATE], states, m.head[at.H_OUTER]):
        return False
    numbers = (2 * measured + states) * acted + (2 * measured + states + acted) * states + acted
    if not within(el[control.DATA], numbers, m.data.shape[0]):
        return False
    place = el[control.PROGRAM]
    if not numbers_fit(m.program, place, acted, 0, count):
        return False
    return numbers_fit(m.program, place + acted, measured + acted, -1, m.signal.shape[0])


@kernel
def rope_fits(m, el):
    """True if stations and scratch of a rope are there."""
    n = el[rope.COUNT]
    if not numbers_fit(m.program, el[rope.NODES], n, 0, m.node.shape[0]):
        return False
    scratch = rope.HEAD + n * rope.COLUMNS + n * (rope.SCALARS * n + 1)
    return within(el[rope.AT], n * rope.STATION, m.data.shape[0]) and within(el[rope.SCRATCH], scratch, m.head[at.H_FLEX_WORK])


@kernel
def line_scratch(el):
    """Numbers of scratch of two lines."""
    return lines.HEAD + lines.STATION * el[lines.COUNT] + lines.PIECE * el[lines.ALL] + 2 * lines.SIZE * lines.SIZE


@kernel
def curves_fit(m, el):
    """True if stations, pieces and scratch of two lines are there."""
    n, pieces, place = el[lines.COUNT], el[lines.ALL], el[lines.PIECES]
    if not numbers_fit(m.program, el[lines.NODES], n, 0, m.node.shape[0]) or pieces > rules.MOST_NUMBERS or n > rules.MOST_NUMBERS:
        return False
    if el[lines.BALLS] > pieces or el[lines.OTHER] >= pieces or not within(place, lines.PIECE_INTS * pieces, m.program.shape[0]):
        return False
    for k in range(place, place + lines.PIECE_INTS * pieces, lines.PIECE_INTS):
        if not numbers_fit(m.program, k, 4 + 0 * n, 0, n) or m.program[k + lines.MANY] < 1 or m.program[k + lines.MANY] > rules.MOST_NUMBERS:
            return False
    if not within(el[lines.AT], lines.STATIONS + 3 * n + lines.PIECE_REALS * pieces, m.data.shape[0]):
        return False
    return within(el[lines.SCRATCH], line_scratch(el), m.head[at.H_FLEX_WORK])


@kernel
def membrane_fits(m, el):
    """True if the membranes of a flexible body have their numbers."""
    n, count = m.flex[el[membrane.BODY], at.FLEX_N], el[membrane.COUNT]
    if not within(el[membrane.FIRST], count, m.membrane.shape[0]):
        return False
    for k in range(el[membrane.FIRST], el[membrane.FIRST] + count):
        first, end = m.membrane[k, at.MEMBRANE_FROM], m.membrane[k, at.MEMBRANE_END]
        if first < 0 or end < first or end > n:
            return False
    return within(el[membrane.AT], count * (membrane.HEAD + (el[membrane.SLOPES] + 1) * n), m.flex_data.shape[0])


@kernel
def load_fits(m, el, kind):
    """True if a load along or on a body has its numbers; true for other elements."""
    numbers = m.data.shape[0]
    if kind == forces.LOAD:
        b = m.flex[el[load.BODY]]
        return within(el[load.AT], load.SHAPES + 3 * (b[at.FLEX_N] + b[at.FLEX_R]), numbers)
    if kind == forces.VECTOR_LOAD:
        return within(el[load.AT], m.gradient[el[load.BODY], at.GRADIENT_N], numbers)
    if kind == forces.PRESSURE:
        return lists_fit(m, el[pressure.FACES], m.gradient[el[pressure.BODY], at.GRADIENT_N], 0 * kind, 3 + 0 * kind)
    if kind == forces.SECTION_LOAD:
        each = 2 + el[section_load.TURNS]
        return lists_fit(m, el[section_load.PIECES], m.gradient[el[section_load.BODY], at.GRADIENT_N], section_load.TURN + 0 * kind, each)
    return True


@kernel
def lists_fit(m, place, vectors, plain, each):
    """True if faces or pieces of a load name vectors of their body, and have their data: plain + each times the vectors at a point."""
    count = m.program[place]
    place += 1
    for _ in range(min(count, m.program.shape[0])):
        if not within(place, pressure.LIST, m.program.shape[0]):
            return False
        K, points, data = m.program[place + pressure.VECTORS], m.program[place + pressure.POINTS], m.program[place + pressure.DATA]
        if K < 0 or points < 0 or points > rules.MOST or not numbers_fit(m.program, place + pressure.LIST, K, 0, vectors):
            return False
        if not within(data, points * (plain + each * K), m.data.shape[0]):
            return False
        place += pressure.LIST + K
    return count >= 0 and count <= m.program.shape[0]
