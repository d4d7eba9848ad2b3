"""Checks that tables of gradient bodies keep within a model's buffers, and that scratch which is read as an index is nobody else's."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.bodies import ancf as gradient
from supple.core.bodies import line_shapes as ls
from supple.core.forces import rope
from supple.core.images import rules
from supple.core.images.rules import columns_fit, numbers_fit
from supple.core.images.tree import FLEX_SPAN, within
from supple.native.declare import kernel

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
def lines_are_apart(m):
    """True if no one else writes where sliding points keep the number of their element; needs all else to fit."""
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.LINE_EDGE and not line_is_apart(m, n, m.program[m.node[n, at.ATTACH] + ls.SCRATCH]):
            return False
    return True


@kernel
def line_is_apart(m, n, own):
    """True if no one else writes the scratch of one node, which begins at ``own``."""
    size = ls.SCRATCH_SIZE
    for k in range(1, n):
        if m.node[k, at.MOTION] == at.LINE_EDGE and not apart(own, size, m.program[m.node[k, at.ATTACH] + ls.SCRATCH], size):
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
    for g in range(m.gradient.shape[0]):
        b = m.gradient[g]
        for k in range(b[at.GRADIENT_ELEMENTS]):
            t = gradient.element_of(m, b, k)[0]
            h = m.gradient_int
            length = SCRATCH_SPAN(m.head, h[t + gradient.VECTORS], h[t + gradient.MOST_ROWS], h[t + gradient.MOST_STRAINS])[0]
            if not apart(own, size, b[at.GRADIENT_WORK], length):
                return False
    return True
