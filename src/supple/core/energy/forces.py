"""Forces of a step of the energy scheme, and their derivatives; see ``energy_step`` for the symbols.

They are gathered in world axes; columns are displacements of the mass centres and rotations of the bodies at f and at j.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.energy import forms as form
from supple.core.energy import state as es
from supple.core.energy import vectors
from supple.core.forces import joint_forces
from supple.core.forces import point_spring as line
from supple.core.forces.forces import FOLLOWS, FORCE, GRADIENT, SIGNALS, SPRING_DAMPER, VECTOR_LOAD
from supple.core.forces.joint_forces import JOINT_EFFORT, JOINT_FRICTION
from supple.core.forces.signals import evaluate
from supple.core.run import step as st
from supple.native.declare import INT, REAL, kernel, shared

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
    return 1e-9 * math.sqrt(o.form[c[es.C_FORM], form.UNIT])


@kernel
def increment(o, c, before, after, b):
    """Increment of a coordinate between two states, exactly row . motion, and what its derivatives need.

    The row is left in the scratch b at MEAN. Returned: the increment; the factor of its row, and of an angle the derivatives of
    that factor with the sine and the cosine of the increment; values at both ends: sines and cosines, or lengths.
    """
    s0, s1 = one_form(o, c[es.C_FORM], before, after, b)
    line = b[MEAN]
    if c[es.C_KIND] == es.TURN:
        c0, c1 = one_form(o, c[es.C_COSINE], before, after, b[COSINE:])
        delta, factor, along_e, along_g = form.angle(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1)
        sm, cm = 0.5 * (s0 + s1), 0.5 * (c0 + c1)
        for i in range(form.ROW):
            line[i] = factor * (cm * b[5, i] - sm * b[COSINE + 5, i])
        return delta, factor, along_e, along_g, s0, s1, c0, c1
    factor, delta = 1.0, s1 - s0
    if c[es.C_KIND] != es.LINE:  # s is half the square of a length
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
    of = o.form_ints[c[es.C_FORM]]
    form.moved(of, b[end], n, unit, y)
    form.row_change(of, b[2], y, out)
    ds = b[3 + end, n]
    if c[es.C_KIND] == es.TURN:
        of = o.form_ints[c[es.C_COSINE]]
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
    if c[es.C_KIND] == es.LINE:
        return sign * ds
    dl = ds / max(s1 if end == 1 else s0, shortest(o, c))
    for i in range(form.ROW):
        out[i] = factor * (out[i] - 0.5 * factor * dl * b[5, i])
    return sign * dl


@kernel
def spread(o, table, of, x, column, s):
    """Add s times a row (12) of a form to a column of a table (motions, n)."""
    for side in range(2):
        n = of[form.A + side] - 1
        if n >= 0:
            first = es.first_motion(o, n)
            for i in range(es.motions_of(o, n)):
                table[first + i, column] += s * x[6 * side + i]


@kernel
def push(force, of, x, s):
    """Add s times a row (12) of a form to the forces (bodies and vectors, 6)."""
    for side in range(2):
        n = of[form.A + side] - 1
        if n >= 0:
            for i in range(6):
                force[n, i] += s * x[6 * side + i]


@kernel
def column_of(o, of, k):
    """Column of the motion k (of 12) of a form's bodies; negative on the ground, and for rotations of vectors."""
    n = of[form.A + k // 6] - 1
    return es.first_motion(o, n) + k % 6 if n >= 0 and k % 6 < es.motions_of(o, n) else -1


@kernel
def constrain(o, number, before, after, force, table, first, last, column):
    """Force of a constraint, the form of that number, between two states and its derivatives; first < 0: the state before is given."""
    of, f, lam = o.form_ints[number], o.form[number], o.lam[number]
    x0, x1, x, y = o.buf[0], o.buf[1], o.buf[2], o.buf[3]
    line, change, unit = o.buf[4], o.buf[5], o.buf[6]
    form.vectors(of, f, before, x0)
    form.vectors(of, f, after, x1)
    form.mean(x0, x1, x)
    form.row(of, x, line)
    push(force, of, line, lam)
    spread(o, table, of, line, column, 1.0)
    for k in range(form.ROW):
        c = column_of(o, of, k)
        if c >= 0:
            form.moved(of, x1, k, unit, y)
            form.row_change(of, x, y, change)
            spread(o, table, of, change, last + c, lam)
            if first >= 0:
                form.moved(of, x0, k, unit, y)
                form.row_change(of, x, y, change)
                spread(o, table, of, change, first + c, lam)


@kernel
def spring_part(k, cubic, d0, d1):
    """Mean force of a spring between two stretches, its energy's difference quotient, and its derivatives."""
    a, b = 0.5 * (d0 + d1), k + 0.5 * cubic * (d0 * d0 + d1 * d1)
    return a * b, 0.5 * b + a * cubic * d0, 0.5 * b + a * cubic * d1


@kernel
def law(m, w, e, t, di, dj, df, rate, jump):
    """Effort of an element on its coordinate and its derivatives along the coordinate at j, at f, and along the rate.

    di, dj, df: coordinates at the three states; ``jump`` 1 asks for the effort at j that belongs to the jump, 0 for the one
    between j and f. The last number is the effort of dampers or actuators, whose work is counted.
    """
    el, c = m.element[e], m.coef[e]
    kind = el[at.KIND]
    if kind == JOINT_EFFORT:
        f = evaluate(m, w, el[joint_forces.SIGNAL], t)[0]
        return f, 0.0, 0.0, 0.0, f
    if kind == JOINT_FRICTION:
        f, slope = joint_forces.friction(c, rate)
        return -f, 0.0, 0.0, -slope, -f
    k, damping = c[joint_forces.STIFFNESS], c[joint_forces.DAMPING]
    rest, cubic = c[joint_forces.REST], c[joint_forces.CUBIC]
    if kind == SPRING_DAMPER:
        k, damping, rest, cubic = c[line.STIFFNESS], c[line.DAMPING], c[line.LENGTH], 0.0
    if jump == 0:
        f, fj, ff = spring_part(k, cubic, dj - rest, df - rest)
        return -f - damping * rate, -fj, -ff, -damping, -damping * rate
    if k < 0.0:  # not convex: the jump takes nothing from it
        f, _, fj = spring_part(k, cubic, di - rest, dj - rest)
        return -f - damping * rate, -fj, 0.0, -damping, -damping * rate
    d = dj - rest
    return -d * (k + cubic * d * d) - damping * rate, -k - 3.0 * cubic * d * d, 0.0, -damping, -damping * rate


@shared(TREE, WORK, st.RUN, es.OWN, INT, REAL, REAL, REAL)
def act(m, w, r, o, i, t, h, P):
    """Forces of element i on its coordinate and their derivatives; its work over the step into o.work."""
    e = o.element[i, es.E_NUMBER]
    c = o.coordinate[o.element[i, es.E_TARGET]]
    of, motions = o.form_ints[c[es.C_FORM]], o.unit.shape[0]
    later, sooner = o.buf[0:BETWEEN], o.buf[BETWEEN : 2 * BETWEEN]
    g = increment(o, c, o.cj, o.cf, later)
    d = increment(o, c, o.ci, o.cj, sooner)
    qi = d[4]
    if c[es.C_KIND] == es.LINE or c[es.C_KIND] == es.TURN:
        qi = r.q[c[es.C_Q]]
    qj = qi + d[0]
    qf = qj + g[0]
    rate = (g[0] + d[0]) / h
    work = 0.0
    fg, gj, gf, gr, fh, hj, hr = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for part in range(2 if P > 0.0 else 1):
        if part == 0:
            fg, gj, gf, gr, counted = law(m, w, e, t + 0.5 * h, qi, qj, qf, rate, part)
            push(o.fg, of, later[MEAN], fg)
            work += counted * g[0]
        else:
            fh, hj, _, hr, counted = law(m, w, e, t, qi, qj, qf, rate + d[0] / P, part)
            push(o.fh, of, sooner[MEAN], fh)
            work += counted * d[0]
    o.work[i] = work if m.element[e, at.KIND] == JOINT_EFFORT else -work
    for k in range(form.ROW):
        n = column_of(o, of, k)
        if n < 0:
            continue
        for end in range(2):  # poses at j, the end of the first interval; poses at f
            if end == 0 and P == 0.0:
                continue
            column = n if end == 1 else n + motions
            dg, dh = increment_change(o, c, later, k, end, g), 0.0
            spread(o, o.kg, of, o.buf[CHANGE], column, fg)
            if end == 0:
                dh = increment_change(o, c, sooner, k, 1 - end, d)
                spread(o, o.kh, of, o.buf[CHANGE], column, fh)
            spread(o, o.kg, of, later[MEAN], column, gj * dh + gf * (dh + dg) + gr * (dg + dh) / h)
            if P > 0.0:
                spread(o, o.kh, of, sooner[MEAN], column, hj * dh + hr * ((dg + dh) / h + dh / P))


@kernel
def load(m, w, o, i, t, before, after, turn, force, table, first, last):
    """A given force and torque on a body between two states, and its derivatives; returns its work."""
    e, n = o.element[i, es.E_NUMBER], o.element[i, es.E_TARGET] - 1
    el, c = m.element[e], m.coef[e]
    f, x, y, d = o.buf[0], o.buf[1], o.buf[2], o.buf[3]
    for k in range(6):
        f[k] = evaluate(m, w, el[SIGNALS + k], t)[0]
    p0, p1 = before[n + 1], after[n + 1]
    if el[FOLLOWS] == 1:  # along the axes of its frame: to node axes
        for k in range(3):
            x[k] = c[3 * k] * f[0] + c[3 * k + 1] * f[1] + c[3 * k + 2] * f[2]
            x[3 + k] = c[3 * k] * f[3] + c[3 * k + 1] * f[4] + c[3 * k + 2] * f[5]
        for k in range(0, 6, 3):
            form.turned(p0, x[k:], y[k:])
            form.turned(p1, x[k:], y[k + 6 :])
        for k in range(6):
            f[k] = 0.5 * (y[k] + y[k + 6])
    arm0, arm1, arm = o.buf[4], o.buf[5], o.buf[6]
    form.turned(p0, o.arm[i], arm0)
    form.turned(p1, o.arm[i], arm1)
    work = 0.0
    for k in range(3):
        arm[k] = 0.5 * (arm0[k] + arm1[k])
        force[n, k] += f[k]
        force[n, 3 + k] += f[3 + k]
        d[k] = 0.0
        # the Cayley vector is in the axes of the body, and the same in all between
        work += f[k] * (p1[k] + arm1[k] - p0[k] - arm0[k]) + f[3 + k] * form.dot(p0[3 + 3 * k :], turn[n])
    form.cross(arm, f, 1.0, d)
    for k in range(3):
        force[n, 3 + k] += d[k]
    unit, change = o.buf[7], o.buf[8]
    for end in range(2):
        column = last if end == 1 else first
        if column < 0 or es.motions_of(o, n) == 3:
            continue
        for k in range(3):
            for j in range(3):
                unit[j], change[j], change[3 + j], d[j] = 0.0, 0.0, 0.0, 0.0
            unit[k] = 1.0
            if end == 1:
                form.cross(unit, arm1, 0.5, d)
            else:
                form.cross(unit, arm0, 0.5, d)
            form.cross(d, f, 1.0, change[3:])
            if el[FOLLOWS] == 1:
                form.cross(unit, y[6 * end :], 0.5, change)
                form.cross(unit, y[6 * end + 3 :], 0.5, change[3:])
                form.cross(arm, change, 1.0, change[3:])
            for j in range(6):
                table[6 * n + j, column + 6 * n + 3 + k] += change[j]
    return work


@shared(TREE, WORK, st.RUN, es.OWN, REAL, REAL, REAL)
def forces(m, w, r, o, t, h, P):
    """All forces g and h, their derivatives along poses at f and j, and the work of the elements."""
    nb, motions = o.body.shape[0], o.unit.shape[0]
    jump = P > 0.0
    for i in range(motions):
        for k in range(o.kg.shape[1]):
            o.kg[i, k] = 0.0
            o.kh[i, k] = 0.0
    for n in range(o.vi.shape[0]):
        for k in range(3):
            o.fg[n, k] = (o.body[n, es.B_MASS] if n < nb else o.weight[n - nb]) * m.gravity[k]
            o.fh[n, k] = o.fg[n, k]
            o.fg[n, 3 + k], o.fh[n, 3 + k] = 0.0, 0.0
    for i in range(o.element.shape[0]):
        o.work[i] = 0.0
    before, after, force, table, turn = o.cj, o.cf, o.fg, o.kg, o.tf
    first, last, time = (motions if jump else -1), 0, t + 0.5 * h
    for part in range(2 if jump else 1):
        if part == 1:
            before, after, force, table, turn = o.ci, o.cj, o.fh, o.kh, o.tj
            first, last, time = -1, motions, t
        for k in range(o.sel.shape[0]):
            i = o.sel[k]
            column = (2 * motions if jump else motions) + k
            constrain(o, i, before, after, force, table, first, last, column)
        for i in range(o.element.shape[0]):
            kind = m.element[o.element[i, es.E_NUMBER], at.KIND]
            if kind == FORCE:
                o.work[i] += load(m, w, o, i, time, before, after, turn, force, table, first, last)
            elif kind == VECTOR_LOAD:
                o.work[i] += vectors.spread_load(m, w, o, i, time, before, after, force)
    for i in range(o.element.shape[0]):
        kind = m.element[o.element[i, es.E_NUMBER], at.KIND]
        if kind == GRADIENT:
            o.work[i] = vectors.deform(m, w, o, i, h, P)
        elif kind != FORCE and kind != VECTOR_LOAD:
            act(m, w, r, o, i, t, h, P)
