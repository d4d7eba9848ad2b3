"""Bounds of where two lines may begin to touch within a part of a step.

A ball goes no farther than the stations of its piece, and so does a place of the other line, but for the sum of magnitudes of their weights. Ways
are counted from the mean velocity of all stations. A piece whose balls touch already is not looked at: steps are short beside its contact.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.contact import lines
from supple.core.run import reach
from supple.core.run import step as st
from supple.native.declare import INT, REAL, TRUTH, kernel, shared


@kernel
def has_lines(m):
    """True if two lines of the model touch."""
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == lines.LINE_CONTACT:
            return True
    return False


@kernel
def noise_of(x, far):
    """Rounding of a gap, by the numbers it is made of."""
    return reach.ROUNDING * (abs(x[0, lines.P]) + abs(x[0, lines.P + 1]) + abs(x[0, lines.P + 2]) + far)


@kernel
def ways(m, w, r, e, half):
    """Write how far each piece goes at most within ``half`` of the middle of a part, whose state is in the workspace."""
    el = m.element[e]
    _, x, y, _, _ = lines.own(m, w, e)
    n, a, b, c = el[lines.COUNT], 0.0, 0.0, 0.0
    for j in range(n):
        a, b, c = a + x[j, lines.V] / n, b + x[j, lines.V + 1] / n, c + x[j, lines.V + 2] / n
    for j in range(n):
        s = x[j]
        bend = reach.bend_of_point(m, w, r, m.program[el[lines.NODES] + j], -1, s[lines.P], s[lines.P + 1], s[lines.P + 2], half)
        speed = math.sqrt((s[lines.V] - a) ** 2 + (s[lines.V + 1] - b) ** 2 + (s[lines.V + 2] - c) ** 2)
        s[lines.WAY] = speed * half + 0.5 * bend * half * half
    for k in range(el[lines.ALL]):
        p, far = lines.piece_of(m, el, k)[0], 0.0
        for j in range(4):
            far = max(far, x[p[j], lines.WAY])
        y[k, lines.SPENT] = lines.LEAN * far


@shared(TREE, WORK, st.RUN, INT, REAL, REAL, gives=TRUTH)
def line_is_quiet(m, w, r, e, half, mark):
    """True if no ball of the pieces with this mark begins to touch in a part of the step; else the least gap of those that may is left in LEAST."""
    lines.place_stations(m, w, e)
    ways(m, w, r, e, half)
    el = m.element[e]
    head, x, y, _, _ = lines.own(m, w, e)
    touch, quiet = m.data[el[lines.AT] + lines.REACH], True
    noise = noise_of(x, touch)
    head[lines.LEAST] = math.inf
    for i in range(el[lines.BALLS]):
        if y[i, lines.MARK] != mark:
            continue
        for k in range(el[lines.OTHER], el[lines.ALL]):
            near = touch + y[i, lines.SPENT] + y[k, lines.SPENT]
            if lines.away(y, k, lines.middle(y, i), y[i, lines.AROUND] + near + noise):
                continue
            for b in range(lines.piece_of(m, el, i)[0][lines.MANY]):
                ball, along = lines.ball_at(m, el, x, i, b)
                if lines.away(y, k, ball, near + noise):
                    continue
                gap = lines.least_on(m, el, x, k, ball, along)[0] - touch
                if gap < math.inf and (gap < -noise or not reach.apart(gap, near - touch, 0.0, noise / reach.ROUNDING, half)):
                    head[lines.LEAST], quiet = min(head[lines.LEAST], abs(gap)), False
    return quiet


@shared(TREE, WORK, INT, gives=TRUTH)
def mark_touching(m, w, e):
    """Mark pieces that touch at the state in the workspace with 1, others with 0; True if one does."""
    lines.line_note(m, w, e)
    y, some = lines.own(m, w, e)[2], False
    for i in range(m.element[e, lines.BALLS]):
        y[i, lines.MARK] = 1.0 if y[i, lines.GAP] < 0.0 else 0.0
        some = some or y[i, lines.GAP] < 0.0
    return some


@shared(TREE, WORK, INT)
def mark_open(m, w, e):
    """Mark pieces that are open with 2, those that touch and are closing with 1, others with 0."""
    lines.line_note(m, w, e)
    _, x, y, _, _ = lines.own(m, w, e)
    noise = noise_of(x, m.data[m.element[e, lines.AT] + lines.REACH])
    for i in range(m.element[e, lines.BALLS]):
        y[i, lines.MARK] = 2.0 if y[i, lines.GAP] > 4.0 * noise else (1.0 if y[i, lines.RATE] < 0.0 else 0.0)


@shared(TREE, WORK, INT, gives=TRUTH)
def line_left_behind(m, w, e):
    """True if a piece with the mark 1 is open at the state in the workspace."""
    lines.line_note(m, w, e)
    _, x, y, _, _ = lines.own(m, w, e)
    noise = noise_of(x, m.data[m.element[e, lines.AT] + lines.REACH])
    for i in range(m.element[e, lines.BALLS]):
        if y[i, lines.MARK] == 1.0 and y[i, lines.GAP] > 4.0 * noise:
            return True
    return False


@kernel
def at_touch(m, w, e):
    """True if the least gap that a search has left is within rounding."""
    head, x, _, _, _ = lines.own(m, w, e)
    return head[lines.LEAST] <= 2.0 * noise_of(x, m.data[m.element[e, lines.AT] + lines.REACH])
