"""Membranes of a flexible body: what the slopes of a deflection do to its extension, and that to bending.

A membrane has the strain e = l + b, l = a.q linear in the elastic coordinates, b = 1/2 sum_p (s_p.q)^2 of the slopes, and
the stiffness k (N m). The energy k l^2/2 is in the body's stiffness matrix already. With h = sum_p (s_p.q) s_p, the gradient
of b, the laws of a membrane add to the generalized force of the body

    AXIAL             k l h              no energy belongs to it: Huang1998 (6.27), K_ga
    AXIAL_QUADRATIC   k e h              k b h has the energy k b^2/2, k l h has none: Huang1998 (6.27), K_ga and K_gf
    VON_KARMAN        k (e h + b a)      the gradient of k (e^2 - l^2)/2

The power of what has no energy, -k l h.u, goes to the element's channel. Constants of a membrane in
the flexible data: k, a (n), s (p, n).
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.bodies import flex_body
from supple.native.declare import kernel

AXIAL, AXIAL_QUADRATIC, VON_KARMAN = 0, 1, 2
# Element integers: flexible body, place of the first membrane's constants, number of membranes, rows of slopes of each,
# law, the first membrane
BODY, AT, COUNT, SLOPES, LAW, FIRST = 1, 2, 3, 4, 5, 6
HEAD = 1  # a begins behind k
# The row of the body's workspace for h; tangents of the body are written to it later
ROW = at.FX_FQ


@kernel
def stretch(x, o, lo, hi, n, p, q, j, h):
    """Linear strain l and quadratic strain b of the membrane at o; fills its range, from lo to hi, of h (n)."""
    l, b = 0.0, 0.0
    for i in range(lo, hi):
        h[i] = 0.0
        l = l + x[o + HEAD + i] * q[j + i]
    for r in range(1, p + 1):
        s, y = o + HEAD + r * n, 0.0
        for i in range(lo, hi):
            y = y + x[s + i] * q[j + i]
        for i in range(lo, hi):
            h[i] += x[s + i] * y
        b = b + 0.5 * y * y
    return l, b


@kernel
def apply(tree, work, e, q, u):
    """Subtract the forces of element e from the efforts; returns the power of those without energy."""
    el, x = tree.element[e], tree.flex_data
    f, o, p, law = el[BODY], el[AT], el[SLOPES], el[LAW]
    n, j, k = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_Q0], tree.flex[f, at.FLEX_U0]
    h, effort = flex_body.rows(tree, work, f)[0][ROW], work.effort
    power = 0.0
    for which in range(el[FIRST], el[FIRST] + el[COUNT]):
        lo, hi = tree.membrane[which, at.MEMBRANE_FROM], tree.membrane[which, at.MEMBRANE_END]
        l, b = stretch(x, o, lo, hi, n, p, q, j, h)
        tension = x[o] * l if law == AXIAL else x[o] * (l + b)
        for i in range(lo, hi):
            effort[k + i] -= tension * h[i]
            if law == VON_KARMAN:
                effort[k + i] -= x[o] * b * x[o + HEAD + i]
            else:
                power = power - x[o] * l * h[i] * u[k + i]
        o += HEAD + (p + 1) * n
    return power


@kernel
def differentiate(tree, work, e, q, Rq):
    """Add the derivative of the forces of element e along the elastic coordinates."""
    el, x = tree.element[e], tree.flex_data
    f, o, p, law = el[BODY], el[AT], el[SLOPES], el[LAW]
    n, j, k = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_Q0], tree.flex[f, at.FLEX_U0]
    h = flex_body.rows(tree, work, f)[0][ROW]
    for which in range(el[FIRST], el[FIRST] + el[COUNT]):
        lo, hi = tree.membrane[which, at.MEMBRANE_FROM], tree.membrane[which, at.MEMBRANE_END]
        l, b = stretch(x, o, lo, hi, n, p, q, j, h)
        a = o + HEAD
        both = 0.0 if law == AXIAL else x[o]
        back = x[o] if law == VON_KARMAN else 0.0
        tension = x[o] * l + both * b
        for i in range(lo, hi):
            for c in range(lo, hi):
                y = (x[o] * x[a + c] + both * h[c]) * h[i] + back * x[a + i] * h[c]
                for r in range(1, p + 1):
                    y += tension * x[a + r * n + i] * x[a + r * n + c]
                Rq[tree.row_of[k + i], k + c] += y
        o += HEAD + (p + 1) * n


@kernel
def energy(tree, e, q):
    """Energy (J) that the membranes of element e add to that of the stiffness matrix."""
    el, x = tree.element[e], tree.flex_data
    f, o, p, law = el[BODY], el[AT], el[SLOPES], el[LAW]
    n, j = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_Q0]
    total = 0.0
    for which in range(el[FIRST], el[FIRST] + el[COUNT]):
        lo, hi = tree.membrane[which, at.MEMBRANE_FROM], tree.membrane[which, at.MEMBRANE_END]
        l, b = 0.0, 0.0
        for r in range(p + 1):
            s, y = o + HEAD + r * n, 0.0
            for i in range(lo, hi):
                y = y + x[s + i] * q[j + i]
            if r == 0:
                l = l + y
            else:
                b = b + 0.5 * y * y
        if law == VON_KARMAN:
            total = total + x[o] * b * (l + 0.5 * b)
        elif law == AXIAL_QUADRATIC:
            total = total + 0.5 * x[o] * b * b
        o += HEAD + (p + 1) * n
    return total
