"""Inner states: states that belong to one element between two nodes, such as the bristle of a contact.

With the displacement d and the twist v of node B relative to node A, in the symbols of ``tangents``,

    wrench on B += L^T z        z' = E d + C v + Z z

L, E, C (k, 6) and Z (k, k) of the k states of an element are rows of w.law, one for each state.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import last_column
from supple.core.contact.pairs import sticks
from supple.core.contact.record import STATE, is_contact
from supple.native.declare import MAT, kernel, shared

NODE_A, NODE_B = 1, 2  # of an element with inner states


@kernel
def inner_states(m, e):
    """First inner state of an element among all of them, and their number."""
    el = m.element[e]
    if is_contact(el[at.KIND]) and sticks(el):
        return el[STATE] - 2 - m.head[at.H_OUTER], 3
    return 0, 0


@kernel
def outer_column(m, a, b):
    """The last of two paths that end with the columns a and b: column, 1.0 on that of b, else -1.0, and both ends before it."""
    if b > a:
        return b, 1.0, a, m.column[b, at.BEFORE]
    return a, -1.0, m.column[a, at.BEFORE], b


@shared(TREE, WORK, MAT, MAT, MAT, MAT)
def spread(m, w, Rz, Gq, Gu, Gz):
    """Tangents of inner states into those of the residual along all states, and of all states' rates.

    Columns on the paths to both nodes move these together.
    """
    for e in range(m.element.shape[0]):
        first, count = inner_states(m, e)
        if count == 0:
            continue
        a, b = last_column(m, m.element[e, NODE_A]), last_column(m, m.element[e, NODE_B])
        s = m.head[at.H_OUTER] + first
        for i in range(count):
            for j in range(count):
                Gz[s + i, s + j] += w.law[first + i, at.LAW_OWN + j]
        while a != b:
            c, sign, a, b = outer_column(m, a, b)
            k, x, dv = m.column[c, at.VELOCITY], w.column[c, at.COL_J], w.column[c, at.COL_DV]
            for i in range(count):
                law = w.law[first + i]
                along, rate, load = 0.0, 0.0, 0.0
                for j in range(6):
                    along += law[at.LAW_PLACE + j] * x[j] + law[at.LAW_RATE + j] * dv[j]
                    rate += law[at.LAW_RATE + j] * x[j]
                    load += law[at.LAW_LOAD + j] * x[j]
                Gq[s + i, k] += sign * along
                Gu[s + i, k] += sign * rate
                Rz[k, s + i] -= sign * load
