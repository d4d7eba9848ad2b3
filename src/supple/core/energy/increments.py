"""Increments of joint coordinates and lengths over a step of the energy scheme, exactly row . motion; see ``energy_step``."""

from __future__ import annotations

import math

from supple.core.energy import forms as form
from supple.core.energy.state import C_COSINE, C_FORM, C_KIND, LINE, TURN
from supple.native.declare import kernel

COSINE, MEAN, BETWEEN = 6, 12, 13  # rows of the scratch: see ``increment``
VECTOR, CHANGE, UNITS, OTHER = 26, 27, 28, 29


@kernel
def one_form(o, i, before, after, b):
    """Vectors of form i at both ends and in the mean, rows there, into six rows of scratch; returns both values."""
    of, f = o.form_ints[i], o.form[i]
    form.vectors(of, f, before, b[0])
    form.vectors(of, f, after, b[1])
    form.mean(b[0], b[1], b[2])
    for k in range(3):
        form.row(of, b[k], b[3 + k])
    return form.value(of, f, b[0]), form.value(of, f, b[1])


@kernel
def shortest(o, c):
    """A length that is rounding: the direction of a spring means nothing below it."""
    return 1e-9 * math.sqrt(o.form[c[C_FORM], form.UNIT])


@kernel
def increment(o, c, before, after, b):
    """Increment of a coordinate between two states, exactly row . motion, and what its derivatives need.

    The row is left in the scratch b at MEAN. Returned: the increment; the factor of its row, and of an angle the derivatives of
    that factor with the sine and the cosine of the increment; values at both ends: sines and cosines, or lengths.
    """
    s0, s1 = one_form(o, c[C_FORM], before, after, b)
    line = b[MEAN]
    if c[C_KIND] == TURN:
        c0, c1 = one_form(o, c[C_COSINE], before, after, b[COSINE:])
        delta, factor, along_e, along_g = form.angle(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1)
        sm, cm = 0.5 * (s0 + s1), 0.5 * (c0 + c1)
        for i in range(form.ROW):
            line[i] = factor * (cm * b[5, i] - sm * b[COSINE + 5, i])
        return delta, factor, along_e, along_g, s0, s1, c0, c1
    factor, delta = 1.0, s1 - s0
    if c[C_KIND] != LINE:  # s is half the square of a length
        s0, s1 = math.sqrt(2.0 * s0), math.sqrt(2.0 * s1)
        factor, delta = 2.0 / max(s0 + s1, shortest(o, c)), s1 - s0
    for i in range(form.ROW):
        line[i] = factor * b[5, i]
    return delta, factor, 0.0, 0.0, s0, s1, 0.0, 0.0


@kernel
def increment_change(o, c, b, n, end, found):
    """Change of an increment and, into the scratch at CHANGE, of its row for the unit motion n at one end (0 or 1)."""
    _, factor, along_e, along_g, s0, s1, c0, c1 = found
    y, out, other, unit = o.buf[VECTOR], o.buf[CHANGE], o.buf[OTHER], o.buf[UNITS]
    of = o.form_ints[c[C_FORM]]
    form.moved(of, b[end], n, unit, y)
    form.row_change(of, b[2], y, out)
    ds = b[3 + end, n]
    if c[C_KIND] == TURN:
        of = o.form_ints[c[C_COSINE]]
        form.moved(of, b[COSINE + end], n, unit, y)
        form.row_change(of, b[COSINE + 2], y, other)
        dc = b[COSINE + 3 + end, n]
        de, dg = c0 * ds - s0 * dc, c0 * dc + s0 * ds
        if end == 0:
            de, dg = dc * s1 - ds * c1, dc * c1 + ds * s1
        e, g = c0 * s1 - s0 * c1, c0 * c1 + s0 * s1
        sm, cm, df = 0.5 * (s0 + s1), 0.5 * (c0 + c1), along_e * de + along_g * dg
        for i in range(form.ROW):
            sine, cosine = b[5, i], b[COSINE + 5, i]
            out[i] = factor * (cm * out[i] - sm * other[i] + 0.5 * (dc * sine - ds * cosine)) + df * (cm * sine - sm * cosine)
        return (g * de - e * dg) / (e * e + g * g)
    sign = 2.0 * end - 1.0
    if c[C_KIND] == LINE:
        return sign * ds
    dl = ds / max(s1 if end == 1 else s0, shortest(o, c))
    for i in range(form.ROW):
        out[i] = factor * (out[i] - 0.5 * factor * dl * b[5, i])
    return sign * dl
