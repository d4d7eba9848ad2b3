"""Checks that signals and force elements keep within a model's buffers: programs of signals, laws, lists of ropes and loads."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base import opcodes as op
from supple.core.base.wrench import SIDE
from supple.core.bodies import membrane
from supple.core.forces import (
    beam_load as load,
)
from supple.core.forces import (
    control,
    forces,
    pressure,
    rope,
    section_load,
)
from supple.core.forces import joint_forces as joint
from supple.core.forces import (
    point_spring as line,
)
from supple.core.forces import signals as sg
from supple.core.images import rules
from supple.core.images.rules import columns_fit, elements_fit, numbers_fit
from supple.core.images.tree import within
from supple.native.declare import kernel


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


@kernel
def forces_fit(m):
    """True if all force elements keep within the buffers; needs signals that do."""
    if not elements_fit(m.element, rules.ELEMENT, m.head):
        return False
    states = 0  # of controllers, in the order of elements
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
        elif kind == rope.ROPE and not rope_fits(m, el):
            return False
        elif kind == forces.MEMBRANE and not membrane_fits(m, el):
            return False
        elif not load_fits(m, el, kind):
            return False
        if not lines_fit(m, el, kind):
            return False
    return states == m.head[at.H_Z]


@kernel
def lines_fit(m, el, kind):
    """True if the lines of an element are in the border of Newton's matrix along the tree."""
    border, reading, first = m.head[at.H_BORDER], m.head[at.H_READING], el[at.LINES]
    if m.head[at.H_BLOCK] == 0:
        return first == -1
    several = kind == forces.GEAR or kind == control.LINEAR_CONTROL
    count = 2 * SIDE if not several else (2 if kind == forces.GEAR else el[control.COUNT])
    if kind == rope.ROPE or (kind == control.LINEAR_CONTROL and el[control.STATES] > 0):
        return False
    if first < 0:
        return not several or count < 2
    between = kind == line.SPRING_DAMPER or kind == line.LINE_LAW or kind == forces.BUSHING or kind == forces.CARTESIAN
    if not several and not between:
        return False
    return within(first, count, border) and (2 * count if several else 2 * SIDE) <= reading


@kernel
def control_fits(m, el):
    """True if terms, states, matrices and signals of a linear controller are there."""
    count, acted, measured, states = el[control.COUNT], el[control.EFFORTS], el[control.MEASURED], el[control.STATES]
    if measured > count or measured + acted > control.MOST or not within(el[control.TERM], count, m.term.shape[0]):
        return False
    if not within(el[control.STATE], states, m.head[at.H_Z]):
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
