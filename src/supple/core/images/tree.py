"""Checks that the integers of a model's tree keep within its buffers: head, nodes, columns, flexible bodies, links, stored rows."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.bodies import line_edge as ls
from supple.core.bodies import point_edge as pt
from supple.core.bodies.ancf_edge import PLACE
from supple.core.contact.record import A, B
from supple.core.forces import constraint_rows as lk
from supple.core.forces.forces import SHAPES
from supple.core.images import rules
from supple.core.images.rules import columns_fit
from supple.native.declare import kernel

SIZE_PLACES = np.array(sorted(at.SIZES.values()))
AXES = 9  # columns of a gradient node with axes
# Of a joint by its motion, fixed to free: coordinates, velocities
COORDINATES, VELOCITIES = np.array([0, 1, 1, 4, 7]), np.array([0, 1, 1, 3, 6])
OWN = np.array(ls.OWN)
TREE_SPAN, FLEX_SPAN = at.TREE_RECORD.span, at.FLEX_RECORD.span


@kernel
def head_fits(ints, reals):
    """True if the sizes in the head fit the buffers of integers and reals, and each other."""
    if ints.shape[0] < at.HEADER:
        return False
    for k in range(SIZE_PLACES.shape[0]):
        if ints[SIZE_PLACES[k]] < 0 or ints[SIZE_PLACES[k]] > rules.MOST:
            return False
    nu, nr, planned, widest = ints[at.H_U], ints[at.H_ROWS], ints[at.H_PLANNED], ints[at.H_BLOCK]
    if ints[at.H_NODES] < 1 or ints[at.H_PLAN] < at.PLAN_HEAD or planned > 1 or ints[at.H_SWITCHES] < 0:
        return False
    ends = TREE_SPAN(ints)
    if ends[0] != ints.shape[0] or ends[1] != reals.shape[0] or ints[at.H_LISTED] != nu or ints[at.H_LISTED_ROWS] != nr:
        return False
    way = ints[at.H_WAY]
    if way < 0 or way > at.BLOCKS or ints[at.H_DENSE] != (0 if way == at.TREE_WAY and nr == 0 else nu):
        return False
    if planned == 0:
        whole = ints[at.H_TALL] == nu and ints[at.H_DEEP] == nu and ints[at.H_STACK] == 0 and ints[at.H_FACTORS] == 0
        if not whole or ints[at.H_LINES] != nr or ints[at.H_SOLVED] != nr or ints[at.H_ENVELOPE] != nr:
            return False
    # along the tree there are neither constraints nor bodies without a frame
    if widest > 0 and (planned == 1 or nr > 0 or ints[at.H_LINKS] > 0 or ints[at.H_GRADIENTS] > 0 or widest > nu + 1):
        return False
    if ints[at.H_GRADIENTS] > 0 and way == at.TREE_WAY:
        return False
    border, reading = ints[at.H_BORDER], ints[at.H_READING]
    return border == 0 if widest == 0 else border <= 12 * ints[at.H_ELEMENTS] + ints[at.H_TERMS] and reading <= 12 + 2 * ints[at.H_TERMS]


@kernel
def nodes_fit(m):
    """True if parents come before their children, and columns, coordinates and bodies of nodes are where they should be."""
    head, first, widest = m.head, 0, m.head[at.H_BLOCK]
    if not columns_fit(m.node, rules.NODE, head) or not columns_fit(m.column, rules.COLUMN, head):
        return False
    for n in range(m.node.shape[0]):
        node = m.node[n]
        motion, count = node[at.MOTION], node[at.COLUMNS]
        if (n > 0 and (node[at.PARENT] < 0 or node[at.PARENT] >= n)) or (n == 0 and (motion != at.FIXED or node[at.LAST] != -1)):
            return False
        if node[at.COL0] != first or node[at.LAST] >= first:  # columns are numbered outwards
            return False
        first += count
        if first > m.column.shape[0]:
            return False
        if node[at.HEAVY] == at.FLEXIBLE and (node[at.FLEX] < 0 or node[at.FLEX] >= m.flex.shape[0]):
            return False
        if not edge_fits(m, node, motion, count):
            return False
        if widest > 0 and count > widest:
            return False
        plain = motion < at.ELASTIC_OUT or motion == at.GRADIENT_EDGE
        for c in range(first - count, first):
            own = node[at.U0] + c - first + count
            if m.column[c, at.OWNER] != n or m.column[c, at.BEFORE] >= c or (plain and m.column[c, at.VELOCITY] != own):
                return False
    return first == m.column.shape[0]


@kernel
def edge_fits(m, node, motion, count):
    """True if the coordinates and columns of one node are those of its motion."""
    nq, nu = m.head[at.H_Q], m.head[at.H_U]
    if motion <= at.FREE:
        need, own = COORDINATES[motion], VELOCITIES[motion]
        return count == own and (own == 0 or (within(node[at.Q0], need, nq) and within(node[at.U0], own, nu)))
    if motion == at.ELASTIC_OUT or motion == at.ELASTIC_IN:
        f, a = node[at.FLEX], node[at.ATTACH]
        if f < 0 or f >= m.flex.shape[0] or a < 0 or a >= m.attach.shape[0] or m.attach[a, at.ATTACH_BODY] != f:
            return False
        if count != m.flex[f, at.FLEX_N]:
            return False
        for k in range(count):
            if m.column[node[at.COL0] + k, at.VELOCITY] != m.flex[f, at.FLEX_U0] + k:
                return False
        return True
    if m.gradient.shape[0] == 0:
        return False
    if motion == at.GRADIENT_EDGE:
        return (count == PLACE or count == AXES) and within(node[at.Q0], count, nq) and within(node[at.U0], count, nu)
    if motion == at.POINT_EDGE:
        return point_edge_fits(m, node, count)
    return line_edge_fits(m, node, count)


@kernel
def point_edge_fits(m, node, count):
    """True if the integers of a point in an element keep within the buffers."""
    nq, nu = m.head[at.H_Q], m.head[at.H_U]
    if not within(node[at.ATTACH], pt.VECTORS, m.program.shape[0]):
        return False
    p = m.program[node[at.ATTACH] :]
    vectors = p[pt.COUNT]
    if vectors < 1 or vectors > nu or count != 3 * vectors or not within(node[at.ATTACH] + pt.VECTORS, vectors, m.program.shape[0]):
        return False
    if not within(p[pt.WEIGHTS], vectors, m.data.shape[0]):
        return False
    for k in range(vectors):
        j = 3 * p[pt.VECTORS + k]
        if p[pt.VECTORS + k] < 0 or p[pt.VECTORS + k] > nu or not within(node[at.Q0] + j, 3, nq) or not within(node[at.U0] + j, 3, nu):
            return False
        for i in range(3):
            if m.column[node[at.COL0] + 3 * k + i, at.VELOCITY] != node[at.U0] + j + i:
                return False
    return True


@kernel
def line_edge_fits(m, node, count):
    """True if the integers of a point that slides along a line keep within the buffers."""
    nq, nu = m.head[at.H_Q], m.head[at.H_U]
    if not within(node[at.ATTACH], ls.EDGE_INTS, m.program.shape[0]):
        return False
    p = m.program[node[at.ATTACH] :]
    axes, nodes, vectors = p[ls.AXES], p[ls.NODES], p[ls.VECTORS]
    if axes < 0 or axes > ls.TANGENT or nodes < 2 or nodes > nu or vectors < (3 if axes == ls.SECTION else 2) or vectors > nu:
        return False
    if count != 1 + OWN[axes] * nodes or not within(p[ls.S_Q], 1, nq) or not within(p[ls.S_U], 1, nu):
        return False
    if not within(node[at.Q0], 3 * nodes * vectors, nq) or not within(node[at.U0], 3 * nodes * vectors, nu):
        return False
    if axes == ls.TANGENT and not within(p[ls.DIRECTION], 3, m.data.shape[0]):
        return False
    return within(p[ls.STATIONS], nodes, m.data.shape[0]) and within(p[ls.SCRATCH], ls.SCRATCH_SIZE, m.head[at.H_FLEX_WORK])


@kernel
def within(x, room, end):
    """True if ``room`` numbers from x on end before ``end``."""
    return x >= 0 and x <= end - room


@kernel
def bodies_fit(m):
    """True if constants, workspaces and strips of flexible bodies, attachments and plain coordinates are in the buffers."""
    head, work = m.head, m.head[at.H_FLEX_WORK]
    if not columns_fit(m.flex, rules.FLEX, head) or not columns_fit(m.attach, rules.ATTACH, head):
        return False
    if not columns_fit(m.strip, rules.STRIP, head) or not columns_fit(m.plain, rules.PLAIN, head):
        return False
    for f in range(m.flex.shape[0]):
        b = m.flex[f]
        n, r = b[at.FLEX_N], b[at.FLEX_R]
        ends = FLEX_SPAN(head, n, r)
        if not within(b[at.FLEX_AT], ends[0], m.flex_data.shape[0]) or not within(b[at.FLEX_WORK], ends[1], work):
            return False
        if not within(b[at.FLEX_Q0], n, head[at.H_Q]) or not within(b[at.FLEX_U0], n, head[at.H_U]):
            return False
        if (head[at.H_BLOCK] > 0 and n > head[at.H_BLOCK]) or not strips_fit(m, b, n + r):
            return False
    for a in range(m.attach.shape[0]):
        b = m.flex[m.attach[a, at.ATTACH_BODY]]
        n, r, scratch = b[at.FLEX_N], b[at.FLEX_R], m.attach[a, at.ATTACH_WORK]
        if not within(m.attach[a, at.ATTACH_AT], at.ATTACH_PHI + 6 * (n + r), m.flex_data.shape[0]):
            return False
        if scratch >= 0 and not within(scratch, at.ATTACH_ROWS * n, work):
            return False
    for k in range(m.plain.shape[0]):
        q, u, n = m.plain[k, at.PLAIN_Q0], m.plain[k, at.PLAIN_U0], m.plain[k, at.PLAIN_N]
        if not within(q, n, head[at.H_Q]) or not within(u, n, head[at.H_U]):
            return False
    return True


@kernel
def strips_fit(m, b, shapes):
    """True if the strips of a body with slaved shapes name rows and columns that it has."""
    row, place, end = b[at.FLEX_STRIP_ROW], b[at.FLEX_STRIP_AT], b[at.FLEX_STRIP] + b[at.FLEX_STRIPS]
    if b[at.FLEX_R] == 0:
        return True
    if end > m.strip.shape[0]:
        return False
    for s in range(b[at.FLEX_STRIP], end):
        count = m.strip[s, at.STRIP_ROWS]
        if m.strip[s, at.STRIP_FROM] >= shapes or not rules.numbers_fit(m.strip_row, row, count, 0, shapes):
            return False
        if not within(place, 4 * count, m.flex_data.shape[0]):
            return False
        row, place = row + count, place + 4 * count
    return True


@kernel
def links_fit(m):
    """True if constraints name nodes, terms and data that there are, and rows are numbered in their order, each once."""
    rows, rated = 0, 0
    if not columns_fit(m.link, rules.LINK, m.head) or not columns_fit(m.term, rules.TERM, m.head):
        return False
    for c in range(m.link.shape[0]):
        link = m.link[c]
        for i in range(6):
            if link[at.LINK_ROW + i] >= 0:
                if link[at.LINK_ROW + i] != rows:
                    return False
                rows += 1
                rated += 1 if lk.holds_rate(link, i) else 0
        if link[at.LINK_KIND] == lk.LINEAR:
            if not within(link[at.LINK_TERM], link[at.LINK_COUNT], m.term.shape[0]) or link[at.LINK_COUNT] < 0:
                return False
            continue
        nodes = m.node.shape[0]
        if not within(link[at.LINK_A], 1, nodes) or not within(link[at.LINK_B], 1, nodes):
            return False
        if link[at.LINK_KIND] == lk.ROLL:
            e = link[at.LINK_ELEMENT]
            if e < 0 or m.element[e, at.KIND] != SHAPES or m.element[e, A] != link[at.LINK_A] or m.element[e, B] != link[at.LINK_B]:
                return False
            continue
        numbers = 2 * at.POSE if link[at.LINK_KIND] == lk.JOIN else (at.POSE if link[at.LINK_KIND] == lk.BLADE else lk.LENGTH + 1)
        if not within(link[at.LINK_AT], numbers, m.data.shape[0]):
            return False
    return rows == m.head[at.H_ROWS] and rated == m.head[at.H_RATES]


@kernel
def rows_fit(m):
    """True if rows of matrices begin where they are stored; behind the last there is room for a whole one (``native/model.c``)."""
    head, nu, nr = m.head, m.head[at.H_U], m.head[at.H_ROWS]
    for k in range(nu + nr):
        if m.counting[k] != k:
            return False
    for k in range(nu):
        if head[at.H_PLANNED] == 0 and (m.row_of[k] != k or m.lower_of[k] != k):
            return False
        if not within(m.row_of[k], 0, head[at.H_TALL]) or not within(m.lower_of[k], 0, head[at.H_DEEP]):
            return False
    for k in range(nr):
        if head[at.H_PLANNED] == 0 and (m.line_of[k] != k or m.solved_of[k] != k or m.schur_of[k] != k):
            return False
        if not within(m.line_of[k], 0, head[at.H_LINES]) or not within(m.solved_of[k], 0, head[at.H_SOLVED]):
            return False
        if not within(m.schur_of[k], 0, head[at.H_ENVELOPE]):
            return False
    return True
