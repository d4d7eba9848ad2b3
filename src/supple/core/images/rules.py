"""Tables of what each integer of a model points into, and the kernels that hold integers against them.

An image of a model (``integrators/methods/image.py``) may come from anywhere. Kernels look up nothing twice and check no index, so an
image is looked at once, when it is loaded (``core/images/image.py``). A rule says of one column of a field: the least number, the
size in the head that ends it (-1: none), and how many numbers are used from there on: x + room <= size, or x <= room without a
size. Where the least number is negative, a number below zero means "none".
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.bodies import membrane
from supple.core.contact import contact, lines, pairs, sets, surfaces, tyres
from supple.core.forces import beam_load as load
from supple.core.forces import (
    bushing,
    cartesian,
    control,
    forces,
    pressure,
    rope,
    section_load,
)
from supple.core.forces import constraint_rows as lk
from supple.core.forces import joint_forces as joint
from supple.core.forces import point_spring as line
from supple.native.declare import kernel

MOST = 2**27  # of a size: products of two are far from overflow
MOST_SHAPES = 2**15  # of one body: products of three are
MOST_NUMBERS = 2**20  # of one table


def table(*rules):
    """Rules as integers: (column, least, size or None, room), with a kind of element before them or not."""
    rows = [(*rule[:-2], at.SIZES[rule[-2]] if rule[-2] else -1, rule[-1]) for rule in rules]
    return np.array(rows, dtype=np.int64)


NODE = table(
    (at.PARENT, -1, "nodes", 1), (at.MOTION, 0, None, at.POINT_EDGE), (at.COLUMNS, 0, "columns", 0), (at.COL0, 0, "columns", 0),
    (at.LAST, -1, "columns", 1), (at.HEAVY, 0, None, at.FLEXIBLE), (at.ROOT, 0, "nodes", 1),
)
COLUMN = table((at.BEFORE, -1, "columns", 1), (at.OWNER, 0, "nodes", 1), (at.VELOCITY, 0, "nu", 1))
FLEX = table(
    (at.FLEX_N, 0, None, MOST_SHAPES), (at.FLEX_R, 0, None, MOST_SHAPES), (at.FLEX_Q0, 0, "nq", 0), (at.FLEX_U0, 0, "nu", 0),
    (at.FLEX_NODE, 0, "nodes", 1), (at.FLEX_AT, 0, "flex_data", 0), (at.FLEX_WORK, 0, "flex_work", 0),
    (at.FLEX_STRIP, 0, "strips", 0), (at.FLEX_STRIPS, 0, "strips", 0), (at.FLEX_STRIP_ROW, 0, "strip_rows", 0),
    (at.FLEX_STRIP_AT, 0, "flex_data", 0), (at.FLEX_DEFORMED, 0, None, 1),
)
ATTACH = table((at.ATTACH_BODY, 0, "bodies", 1), (at.ATTACH_AT, 0, "flex_data", 0), (at.ATTACH_WORK, -1, "flex_work", 0))
LINK = table(
    (at.LINK_KIND, 0, None, lk.ROLL), (at.LINK_SIGNAL, -1, "signals", 1), (at.LINK_AT, 0, "data", 1),
    (at.LINK_RATES, 0, None, 63), (at.LINK_ELEMENT, -1, "elements", 1),
    *((at.LINK_ROW + k, -1, "nr", 1) for k in range(6)),
)
TERM = table((at.TERM_Q, 0, "nq", 1), (at.TERM_U, 0, "nu", 1))
STRIP = table((at.STRIP_PART, 0, None, 8), (at.STRIP_FROM, 0, None, 2 * MOST_SHAPES), (at.STRIP_ROWS, 0, "strip_rows", 0))
PLAIN = table((at.PLAIN_Q0, 0, "nq", 0), (at.PLAIN_U0, 0, "nu", 0), (at.PLAIN_N, 0, "nq", 0))
SIGNAL = table((at.SIGNAL_CODE, 0, None, 2), (at.SIGNAL_AT, 0, "data", 1), (at.SIGNAL_PROGRAM, 0, "programs", 0))
GRADIENT = table(
    (at.GRADIENT_Q0, 0, "nq", 0), (at.GRADIENT_U0, 0, "nu", 0), (at.GRADIENT_N, 0, "nq", 0),
    (at.GRADIENT_ELEMENTS, 0, "gradient_ints", 0), (at.GRADIENT_AT, 0, "gradient_ints", 0), (at.GRADIENT_WORK, 0, "flex_work", 0),
)


def _signals(kind, first, count):
    return [(kind, first + k, -1, "signals", 1) for k in range(count)]


SET_LISTS = sets.BALLS, sets.WALLS, sets.SURFACES, sets.JOINED, sets.JOINTS
# Elements, by kind. Functions, whose integers are addresses of code, are not among them: no image may have such
ELEMENT = table(
    (forces.FORCE, forces.NODE, 0, "nodes", 1), *_signals(forces.FORCE, forces.SIGNALS, 6),
    *((kind, column, 0, "nodes", 1)
      for kind, a, b in ((line.SPRING_DAMPER, line.A, line.B), (line.LINE_LAW, line.A, line.B),
                         (forces.BUSHING, bushing.A, bushing.B), (forces.CARTESIAN, cartesian.A, cartesian.B))
      for column in (a, b)),
    *((kind, column, 0, "signals", 0)
      for kind, columns in ((line.LINE_LAW, (line.SPRING, line.DAMPER)), (joint.JOINT_LAW, (joint.SPRING, joint.DAMPER)))
      for column in columns),
    (forces.BUSHING, bushing.AT, 0, "data", bushing.PRELOAD + 6),
    *((kind, *rule)
      for kind in (pairs.CONTACT, contact.RUBBING, forces.SHAPES)
      for rule in ((pairs.A, 0, "nodes", 1), (pairs.B, 0, "nodes", 1), (pairs.AT, 0, "data", pairs.DATA),
                   (pairs.PAIR, 0, None, pairs.WITH_TEETH), (pairs.SURFACE, 0, None, surfaces.LAST), (pairs.STATE, -1, "nz", 1),
                   (pairs.FRICTION, 0, None, contact.ROUNDED), (pairs.HOLLOW, 0, None, 1), (pairs.WHEEL, 0, None, 1),
                   (pairs.ONE_OF_MANY, 0, None, 1))),
    *((kind, *rule)
      for kind in (pairs.TYRE, pairs.TYRE_SLIP)
      for rule in ((pairs.A, 0, "nodes", 1), (pairs.B, 0, "nodes", 1), (pairs.AT, 0, "data", pairs.DATA + tyres.NUMBERS),
                   (pairs.PAIR, pairs.WITH_RING, None, pairs.WITH_CORE), (pairs.SURFACE, 0, None, surfaces.LAST), (pairs.STATE, 2, "nz", 1),
                   (pairs.FRICTION, 0, None, tyres.MAGIC), (pairs.HOLLOW, 0, None, 0), (pairs.WHEEL, 0, None, 0), (pairs.ONE_OF_MANY, 0, None, 0))),
    *((kind, *rule)
      for kind in (sets.CONTACT_SET, sets.SET_RUBBING)
      for rule in ((sets.COUNT, 1, "programs", 0), *((column, 0, "programs", 0) for column in SET_LISTS),
                   (sets.AT, 0, "data", 0), (sets.WALL_AT, 0, "data", 0), (sets.SCRATCH, 0, "flex_work", 0),
                   (sets.ROOM, 0, "flex_work", 0), (sets.FRICTION, 0, None, 1))),
    *((kind, *rule)
      for kind in (lines.LINE_CONTACT, lines.LINE_RUBBING)
      for rule in ((lines.COUNT, 2, "programs", 0), (lines.NODES, 0, "programs", 0), (lines.PIECES, 0, "programs", 0),
                   (lines.BALLS, 1, "programs", 0), (lines.OTHER, 0, "programs", 0), (lines.ALL, 1, "programs", 0),
                   (lines.AT, 0, "data", lines.STATIONS), (lines.SCRATCH, 0, "flex_work", 0), (lines.FRICTION, 0, None, 1))),
    (forces.BODY_DAMPING, forces.BODY, 0, "bodies", 1),
    (forces.LOAD, load.BODY, 0, "bodies", 1), (forces.LOAD, load.AT, 0, "data", 0), *_signals(forces.LOAD, load.SIGNALS, 3),
    (forces.VECTOR_LOAD, load.BODY, 0, "gradients", 1), (forces.VECTOR_LOAD, load.AT, 0, "data", 0),
    *_signals(forces.VECTOR_LOAD, load.SIGNALS, 3),
    (forces.DRIVE, forces.LINK, 0, "links", 1),
    (forces.MEMBRANE, membrane.BODY, 0, "bodies", 1), (forces.MEMBRANE, membrane.AT, 0, "flex_data", 0),
    (forces.MEMBRANE, membrane.COUNT, 0, "membranes", 0), (forces.MEMBRANE, membrane.SLOPES, 0, None, MOST_SHAPES),
    (forces.MEMBRANE, membrane.LAW, 0, None, membrane.VON_KARMAN), (forces.MEMBRANE, membrane.FIRST, 0, "membranes", 0),
    (forces.GRADIENT, forces.BODY, 0, "gradients", 1),
    (forces.PRESSURE, pressure.BODY, 0, "gradients", 1), (forces.PRESSURE, pressure.FACES, 0, "programs", 1),
    *_signals(forces.PRESSURE, pressure.SIGNAL, 1),
    (forces.SECTION_LOAD, section_load.BODY, 0, "gradients", 1), (forces.SECTION_LOAD, section_load.TURNS, 0, None, 1),
    (forces.SECTION_LOAD, section_load.PIECES, 0, "programs", 1), *_signals(forces.SECTION_LOAD, section_load.SIGNALS, 3),
    (rope.ROPE, rope.COUNT, 2, "programs", 0), (rope.ROPE, rope.NODES, 0, "programs", 0), (rope.ROPE, rope.AT, 0, "data", 0),
    (rope.ROPE, rope.SCRATCH, 0, "flex_work", 0),
    *((rope.ROPE, rope.DRUM_Q + k, -1, "nq", 1) for k in range(2)), *((rope.ROPE, rope.DRUM_U + k, -1, "nu", 1) for k in range(2)),
    (control.LINEAR_CONTROL, control.COUNT, 0, "terms", 0), (control.LINEAR_CONTROL, control.EFFORTS, 0, "terms", 0),
    (control.LINEAR_CONTROL, control.TERM, 0, "terms", 0), (control.LINEAR_CONTROL, control.STATE, 0, "outer", 0),
    (control.LINEAR_CONTROL, control.STATES, 0, "outer", 0), (control.LINEAR_CONTROL, control.MEASURED, 0, "terms", 0),
    (control.LINEAR_CONTROL, control.DATA, 0, "data", 0), (control.LINEAR_CONTROL, control.PROGRAM, 0, "programs", 0),
    *((forces.GEAR, column, 0, "nq", 1) for column in (forces.GEAR_Q1, forces.GEAR_Q2)),
    *((forces.GEAR, column, 0, "nu", 1) for column in (forces.GEAR_U1, forces.GEAR_U2)),
    *((kind, column, 0, size, 1)
      for kind in (joint.JOINT_SPRING, joint.JOINT_EFFORT, joint.PID, joint.JOINT_FRICTION, joint.JOINT_STOP, joint.JOINT_LAW)
      for column, size in ((joint.Q, "nq"), (joint.U, "nu"))),
    *((kind, joint.SIGNAL, -1, "signals", 1) for kind in (joint.JOINT_EFFORT, joint.PID)),
    (joint.PID, joint.STATE, 0, "outer", 1),
)  # fmt: skip


@kernel
def fits(x, least, size, room, head):
    """True if a number keeps to a rule."""
    if size < 0:
        return least <= x and x <= room
    return least <= x and x <= head[size] - room


@kernel
def columns_fit(rows, rules, head):
    """True if all rows of a field keep to its rules."""
    for k in range(rules.shape[0]):
        for i in range(rows.shape[0]):
            if not fits(rows[i, rules[k, 0]], rules[k, 1], rules[k, 2], rules[k, 3], head):
                return False
    return True


@kernel
def elements_fit(element, rules, head):
    """True if the kind of every element is one of the rules, and its integers keep to them."""
    for e in range(element.shape[0]):
        known = False
        for k in range(rules.shape[0]):
            if rules[k, 0] == element[e, at.KIND]:
                known = True
                if not fits(element[e, rules[k, 1]], rules[k, 2], rules[k, 3], rules[k, 4], head):
                    return False
        if not known:
            return False
    return True


@kernel
def ranges_fit(list_, first, count, step, end):
    """True if ``count`` ranges, the last two of ``step`` numbers each, lie in a list, and within 0 to ``end``."""
    if first < 0 or count < 0 or count > list_.shape[0] or first + step * count > list_.shape[0]:
        return False
    for k in range(first + step - 2, first + step * count, step):
        if list_[k] < 0 or list_[k + 1] < list_[k] or list_[k + 1] > end:
            return False
    return True


@kernel
def numbers_fit(list_, first, count, least, end):
    """True if ``count`` numbers lie in a list, each from ``least`` to ``end`` - 1."""
    if first < 0 or count < 0 or first > list_.shape[0] or count > list_.shape[0] - first:
        return False
    for k in range(first, first + count):
        if list_[k] < least or list_[k] >= end:
            return False
    return True
