"""Equations of one step of the energy scheme, and their derivatives; see ``energy_step`` for the symbols.

Forces and their derivatives are gathered in world axes, columns being displacements of the mass centres and rotations of
the bodies at f and at j; at the end rows are turned into the bodies' axes and columns into Cayley vectors.
"""

from __future__ import annotations

import math

from supple.core import energy_forms as form
from supple.core import joint_forces
from supple.core.energy_state import (
    B_J,
    B_MASS,
    B_SOLID,
    C_COSINE,
    C_FORM,
    C_KIND,
    C_Q,
    E_ARM,
    E_NUMBER,
    E_TARGET,
    LINE,
    MASS,
    TURN,
)
from supple.core.forces import FORCE, SPRING_DAMPER
from supple.core.joint_forces import JOINT_EFFORT, JOINT_FRICTION
from supple.core.signals import evaluate
from supple.native.declare import kernel

COSINE, MEAN, BETWEEN = 6, 12, 13  # rows of the scratch: see ``increment``
VECTOR, CHANGE, UNITS, OTHER = 26, 27, 28, 29


@kernel
def spread(table, f, x, column, s):
    """Add s times a row (12) of a form to a column of a table (6 bodies, n)."""
    for side in range(2):
        n = int(f[form.A + side]) - 1
        if n >= 0:
            for i in range(6):
                table[6 * n + i, column] += s * x[6 * side + i]


@kernel
def push(force, f, x, s):
    """Add s times a row (12) of a form to the forces (bodies, 6)."""
    for side in range(2):
        n = int(f[form.A + side]) - 1
        if n >= 0:
            for i in range(6):
                force[n, i] += s * x[6 * side + i]


@kernel
def column_of(f, k):
    """Column of the motion k (of 12) of a form's bodies; negative on the ground."""
    n = int(f[form.A + k // 6]) - 1
    return 6 * n + k % 6 if n >= 0 else -1


@kernel
def constrain(o, f, before, after, lam, force, table, first, last, column):
    """Force of a constraint between two states and its derivatives; first < 0: the state before is given."""
    x0, x1, x, y = o.buf[0], o.buf[1], o.buf[2], o.buf[3]
    line, change, unit = o.buf[4], o.buf[5], o.buf[6]
    form.vectors(f, before, x0)
    form.vectors(f, after, x1)
    form.mean(x0, x1, x)
    form.row(f, x, line)
    push(force, f, line, lam)
    spread(table, f, line, column, 1.0)
    for k in range(form.ROW):
        c = column_of(f, k)
        if c >= 0:
            form.moved(f, x1, k, unit, y)
            form.row_change(f, x, y, change)
            spread(table, f, change, last + c, lam)
            if first >= 0:
                form.moved(f, x0, k, unit, y)
                form.row_change(f, x, y, change)
                spread(table, f, change, first + c, lam)


@kernel
def close(o, f, poses, i, columns, unit):
    """Equation i: a form has its value at the given poses, whose columns begin at ``columns``."""
    x, line = o.buf[0], o.buf[1]
    form.vectors(f, poses, x)
    form.row(f, x, line)
    o.rhs[i] = form.value(f, x) / unit
    for k in range(form.ROW):
        c = column_of(f, k)
        if c >= 0:
            o.mat[i, columns + c] += line[k] / unit


# ---------------------------------------------------------------------------------- increments of coordinates over a step


@kernel
def one_form(f, before, after, b):
    """Vectors at both ends and in the mean, rows there, into six rows of scratch; returns both values."""
    form.vectors(f, before, b[0])
    form.vectors(f, after, b[1])
    form.mean(b[0], b[1], b[2])
    for k in range(3):
        form.row(f, b[k], b[3 + k])
    return form.value(f, b[0]), form.value(f, b[1])


@kernel
def shortest(o, c):
    """A length that is rounding: the direction of a spring means nothing below it."""
    return 1e-9 * math.sqrt(o.form[int(c[C_FORM]), form.UNIT])


@kernel
def increment(o, c, before, after, b):
    """Increment of a coordinate between two states, exactly row . motion, and what its derivatives need.

    The row is left in the scratch b at MEAN. Returned: the increment; the factor of its row, and of an angle the derivatives of
    that factor with the sine and the cosine of the increment; values at both ends: sines and cosines, or lengths.
    """
    s0, s1 = one_form(o.form[int(c[C_FORM])], before, after, b)
    line = b[MEAN]
    if c[C_KIND] == TURN:
        c0, c1 = one_form(o.form[int(c[C_COSINE])], before, after, b[COSINE:])
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
    f = o.form[int(c[C_FORM])]
    form.moved(f, b[end], n, unit, y)
    form.row_change(f, b[2], y, out)
    ds = b[3 + end, n]
    if c[C_KIND] == TURN:
        f = o.form[int(c[C_COSINE])]
        form.moved(f, b[COSINE + end], n, unit, y)
        form.row_change(f, b[COSINE + 2], y, other)
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


# ------------------------------------------------------------------------------------------------------ force elements


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
    kind = el[0]
    if kind == JOINT_EFFORT:
        f = evaluate(m, w, el[3], t)[0]
        return f, 0.0, 0.0, 0.0, f
    if kind == JOINT_FRICTION:
        f, slope = joint_forces.friction(c, rate)
        return -f, 0.0, 0.0, -slope, -f
    k, damping, rest, cubic = c[0], c[1], c[2], c[3]
    if kind == SPRING_DAMPER:
        k, damping, rest, cubic = c[6], c[7], c[8], 0.0
    if jump == 0:
        f, fj, ff = spring_part(k, cubic, dj - rest, df - rest)
        return -f - damping * rate, -fj, -ff, -damping, -damping * rate
    if k < 0.0:  # not convex: the jump takes nothing from it
        f, _, fj = spring_part(k, cubic, di - rest, dj - rest)
        return -f - damping * rate, -fj, 0.0, -damping, -damping * rate
    d = dj - rest
    return -d * (k + cubic * d * d) - damping * rate, -k - 3.0 * cubic * d * d, 0.0, -damping, -damping * rate


@kernel
def act(m, w, r, o, i, t, h, P):
    """Forces of element i on its coordinate and their derivatives; its work over the step into o.work."""
    e = int(o.element[i, E_NUMBER])
    c = o.coordinate[int(o.element[i, E_TARGET])]
    f = o.form[int(c[C_FORM])]
    nb = o.body.shape[0]
    later, sooner = o.buf[0:BETWEEN], o.buf[BETWEEN : 2 * BETWEEN]
    g = increment(o, c, o.cj, o.cf, later)
    d = increment(o, c, o.ci, o.cj, sooner)
    qi = d[4]
    if c[C_KIND] == LINE or c[C_KIND] == TURN:
        qi = r.q[int(c[C_Q])]
    qj = qi + d[0]
    qf = qj + g[0]
    rate = (g[0] + d[0]) / h
    work = 0.0
    fg, gj, gf, gr, fh, hj, hr = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for part in range(2 if P > 0.0 else 1):
        if part == 0:
            fg, gj, gf, gr, counted = law(m, w, e, t + 0.5 * h, qi, qj, qf, rate, part)
            push(o.fg, f, later[MEAN], fg)
            work += counted * g[0]
        else:
            fh, hj, _, hr, counted = law(m, w, e, t, qi, qj, qf, rate + d[0] / P, part)
            push(o.fh, f, sooner[MEAN], fh)
            work += counted * d[0]
    o.work[i] = work if m.element[e, 0] == JOINT_EFFORT else -work
    for k in range(form.ROW):
        n = column_of(f, k)
        if n < 0:
            continue
        for end in range(2):  # poses at j, the end of the first interval; poses at f
            if end == 0 and P == 0.0:
                continue
            column = n if end == 1 else n + 6 * nb
            dg, dh = increment_change(o, c, later, k, end, g), 0.0
            spread(o.kg, f, o.buf[CHANGE], column, fg)
            if end == 0:
                dh = increment_change(o, c, sooner, k, 1 - end, d)
                spread(o.kh, f, o.buf[CHANGE], column, fh)
            spread(o.kg, f, later[MEAN], column, gj * dh + gf * (dh + dg) + gr * (dg + dh) / h)
            if P > 0.0:
                spread(o.kh, f, sooner[MEAN], column, hj * dh + hr * ((dg + dh) / h + dh / P))


@kernel
def load(m, w, o, i, t, before, after, turn, force, table, first, last):
    """A given force and torque on a body between two states, and its derivatives; returns its work."""
    e, n = int(o.element[i, E_NUMBER]), int(o.element[i, E_TARGET]) - 1
    el, c = m.element[e], m.coef[e]
    f, x, y, d = o.buf[0], o.buf[1], o.buf[2], o.buf[3]
    for k in range(6):
        f[k] = evaluate(m, w, el[3 + k], t)[0]
    p0, p1 = before[n + 1], after[n + 1]
    if el[2] == 1:  # along the axes of its frame: to node axes
        for k in range(3):
            x[k] = c[3 * k] * f[0] + c[3 * k + 1] * f[1] + c[3 * k + 2] * f[2]
            x[3 + k] = c[3 * k] * f[3] + c[3 * k + 1] * f[4] + c[3 * k + 2] * f[5]
        for k in range(0, 6, 3):
            form.turned(p0, x[k:], y[k:])
            form.turned(p1, x[k:], y[k + 6 :])
        for k in range(6):
            f[k] = 0.5 * (y[k] + y[k + 6])
    arm0, arm1, arm = o.buf[4], o.buf[5], o.buf[6]
    form.turned(p0, o.element[i][E_ARM:], arm0)
    form.turned(p1, o.element[i][E_ARM:], arm1)
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
        if column < 0:
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
            if el[2] == 1:
                form.cross(unit, y[6 * end :], 0.5, change)
                form.cross(unit, y[6 * end + 3 :], 0.5, change[3:])
                form.cross(arm, change, 1.0, change[3:])
            for j in range(6):
                table[6 * n + j, column + 6 * n + 3 + k] += change[j]
    return work


@kernel
def forces(m, w, r, o, t, h, P):
    """All forces g and h, their derivatives along poses at f and j, and the work of the elements."""
    nb = o.body.shape[0]
    jump = P > 0.0
    for i in range(6 * nb):
        for k in range(o.kg.shape[1]):
            o.kg[i, k] = 0.0
            o.kh[i, k] = 0.0
    for n in range(nb):
        for k in range(3):
            o.fg[n, k] = o.body[n, B_MASS] * m.gravity[k]
            o.fh[n, k] = o.fg[n, k]
            o.fg[n, 3 + k], o.fh[n, 3 + k] = 0.0, 0.0
    for i in range(o.element.shape[0]):
        o.work[i] = 0.0
    before, after, force, table, turn = o.cj, o.cf, o.fg, o.kg, o.tf
    first, last, time = (6 * nb if jump else -1), 0, t + 0.5 * h
    for part in range(2 if jump else 1):
        if part == 1:
            before, after, force, table, turn = o.ci, o.cj, o.fh, o.kh, o.tj
            first, last, time = -1, 6 * nb, t
        for k in range(o.sel.shape[0]):
            i = o.sel[k]
            column = (12 * nb if jump else 6 * nb) + k
            constrain(o, o.form[i], before, after, o.lam[i], force, table, first, last, column)
        for i in range(o.element.shape[0]):
            if m.element[int(o.element[i, E_NUMBER]), 0] == FORCE:
                o.work[i] += load(m, w, o, i, time, before, after, turn, force, table, first, last)
    for i in range(o.element.shape[0]):
        if m.element[int(o.element[i, E_NUMBER]), 0] != FORCE:
            act(m, w, r, o, i, t, h, P)


# ---------------------------------------------------------------------------------------------------------- equations


@kernel
def moment(J, W, out):
    """out = J W."""
    for i in range(3):
        out[i] = J[3 * i] * W[0] + J[3 * i + 1] * W[1] + J[3 * i + 2] * W[2]


@kernel
def turn_columns(table, rows, first, b, out):
    """Columns of rotations times b (9), into the columns ``out``; three columns, in place if they are the same."""
    for i in range(rows):
        x, y, z = table[i, first], table[i, first + 1], table[i, first + 2]
        for k in range(3):
            table[i, out + k] = x * b[k] + y * b[3 + k] + z * b[6 + k]


@kernel
def cayley_columns(o, table, rows, jump):
    """Columns of rotations into columns of Cayley vectors: d phi_j = B_j dZ, d phi_f = B_j dZ + B_f dY."""
    nb = o.body.shape[0]
    for n in range(nb):
        f, j = 6 * n + 3, 6 * nb + 6 * n + 3
        if jump:
            for i in range(rows):
                for k in range(3):
                    table[i, j + k] += table[i, f + k]
            turn_columns(table, rows, j, o.bj[n], j)
        turn_columns(table, rows, f, o.bf[n], f)


@kernel
def add_skew(table, i, k, x, s):
    """Add s [x] to the block at (i, k)."""
    table[i, k + 1] -= s * x[2]
    table[i, k + 2] += s * x[1]
    table[i + 1, k] += s * x[2]
    table[i + 1, k + 2] -= s * x[0]
    table[i + 2, k] -= s * x[1]
    table[i + 2, k + 1] += s * x[0]


@kernel
def add_skew_inertia(table, i, k, x, J, s):
    """Add s [x] J to the block at (i, k)."""
    for n in range(3):
        a, b, c = J[n], J[3 + n], J[6 + n]
        table[i, k + n] += s * (x[1] * c - x[2] * b)
        table[i + 1, k + n] += s * (x[2] * a - x[0] * c)
        table[i + 2, k + n] += s * (x[0] * b - x[1] * a)


@kernel
def add_inertia(table, i, k, J, s):
    """Add s J to the block at (i, k)."""
    for n in range(3):
        for l in range(3):
            table[i + n, k + l] += s * J[3 * n + l]


@kernel
def into_axes(table, i, columns, p):
    """Rows i, i + 1, i + 2 of a table into the axes of a pose: R^T times them."""
    for k in range(columns):
        x, y, z = table[i, k], table[i + 1, k], table[i + 2, k]
        for n in range(3):
            table[i + n, k] = p[3 + n] * x + p[6 + n] * y + p[9 + n] * z


@kernel
def half_turn(table, i, columns, y):
    """Rows i, i + 1, i + 2 of a table times 1 - [y]/2."""
    for k in range(columns):
        a, b, c = table[i, k], table[i + 1, k], table[i + 2, k]
        table[i, k] -= 0.5 * (y[1] * c - y[2] * b)
        table[i + 1, k] -= 0.5 * (y[2] * a - y[0] * c)
        table[i + 2, k] -= 0.5 * (y[0] * b - y[1] * a)


@kernel
def axes_moment(p, force, out):
    """out = R^T M for a force (F, M)."""
    for n in range(3):
        out[n] = p[3 + n] * force[3] + p[6 + n] * force[4] + p[9 + n] * force[5]


@kernel
def assemble(m, r, o, h, P):
    """Residual of all equations into rhs and its derivatives into mat, both scaled; needs ``forces``."""
    nb, rank, n = o.body.shape[0], o.sel.shape[0], o.rhs.shape[0]
    jump = P > 0.0
    count, columns = (12 * nb if jump else 6 * nb), o.kg.shape[1]
    mat, rhs, kg, kh = o.mat, o.rhs, o.kg, o.kh
    length, mass = m.length, o.head[MASS]
    for i in range(n):
        rhs[i] = 0.0
        for k in range(n):
            mat[i, k] = 0.0
    for k in range(rank):
        f = o.form[o.sel[k]]
        close(o, f, o.cf, count + k, 0, f[form.UNIT])
    cayley_columns(o, mat, n, jump)
    cayley_columns(o, kg, 6 * nb, jump)
    if jump:
        cayley_columns(o, kh, 6 * nb, jump)
    li, lj, lf, ng, nh = o.buf[0], o.buf[1], o.buf[2], o.buf[3], o.buf[4]
    gg, gh, lm, tall = o.buf[5], o.buf[6], o.buf[7], o.buf[8]
    for b in range(nb):
        body, vi, vj, vf, Y, Z = o.body[b], o.vi[b], o.vj[b], o.vf[b], o.tf[b], o.tj[b]
        J = body[B_J : B_J + 9]
        moment(J, vi[3:6], li)
        moment(J, vj[3:6], lj)
        moment(J, vf[3:6], lf)
        p = o.cj[b + 1]
        i, x, a = 6 * b, 6 * b, 6 * b + 3  # equations, columns of place and rotation at f
        xj, aj = 6 * nb + x, 6 * nb + a
        # N_g = (1 - [Y]/2) R_j^T M_g
        axes_moment(p, o.fg[b], tall)
        into_axes(kg, a, columns, p)
        if jump:  # R_j^T (M x B_j dZ)
            turn_moment(kg, a, aj, p, o.fg[b], o.bj[b])
        half_turn(kg, a, columns, Y)
        add_skew(kg, a, a, tall, 0.5)
        for k in range(3):
            ng[k] = tall[k]
            gg[k], gh[k], nh[k] = 0.0, 0.0, 0.0
            lm[k] = 0.5 * (lf[k] + lj[k])
        form.cross(Y, tall, -0.5, ng)
        form.cross(Y, lm, 1.0, gg)
        form.cross(Z, lj, 1.0, gg)  # h G_g
        for k in range(3):
            rhs[i + k] = body[B_MASS] * (vf[k] - vi[k]) - h * o.fg[b, k]
            rhs[i + 3 + k] = lf[k] - li[k] + gg[k] - h * ng[k]
            for l in range(columns):
                mat[i + k, l] = -h * kg[i + k, l]
                mat[i + 3 + k, l] = -h * kg[i + 3 + k, l]
        steady = not jump or body[B_SOLID] == 0.0  # rotation without a jump
        if steady:
            add_inertia(mat, i + 3, a, J, 2.0 / h)
            add_skew_inertia(mat, i + 3, a, Y, J, 1.0 / h)
            add_skew(mat, i + 3, a, lm, -1.0)
        if not jump:
            for k in range(3):
                mat[i + k, x + k] += 2.0 * body[B_MASS] / h
            continue
        for k in range(3):
            mat[i + k, x + k] += body[B_MASS] / h
            mat[i + k, xj + k] -= body[B_MASS] / P
        if not steady:
            add_inertia(mat, i + 3, a, J, 1.0 / h)
            add_inertia(mat, i + 3, aj, J, 1.0 / h - 1.0 / P)
            gyroscopic(mat, i + 3, a, aj, Y, Z, J, lm, lj, h, P, 1.0)
        # the jump
        axes_moment(p, o.fh[b], nh)
        into_axes(kh, a, columns, p)
        turn_moment(kh, a, aj, p, o.fh[b], o.bj[b])
        form.cross(vj[3:], lj, 1.0, gh)
        i += 6 * nb
        for k in range(3):
            rhs[i + k] = body[B_MASS] * (vj[k] - vi[k]) + P * (o.fg[b, k] - o.fh[b, k])
            rhs[i + 3 + k] = lj[k] - li[k] + P * (ng[k] - gg[k] / h - nh[k] + gh[k])
            for l in range(columns):
                mat[i + k, l] = P * (kg[x + k, l] - kh[x + k, l])
                mat[i + 3 + k, l] = P * (kg[a + k, l] - kh[a + k, l])
        for k in range(3):
            mat[i + k, x + k] += body[B_MASS] / h
            mat[i + k, xj + k] += body[B_MASS] / P
        if steady:
            for k in range(3):
                rhs[i + 3 + k] = 0.0
                for l in range(columns):
                    mat[i + 3 + k, l] = 0.0
                mat[i + 3 + k, aj + k] = mass * length * length / h  # Z = 0
            continue
        add_inertia(mat, i + 3, a, J, 1.0 / h)
        add_inertia(mat, i + 3, aj, J, 1.0 / h + 1.0 / P)
        gyroscopic(mat, i + 3, a, aj, Y, Z, J, lm, lj, h, P, -P / h)
        add_skew(mat, i + 3, a, lj, -P / h)
        add_skew(mat, i + 3, aj, lj, -P * (1.0 / h + 1.0 / P))
        add_skew_inertia(mat, i + 3, a, vj[3:6], J, P / h)
        add_skew_inertia(mat, i + 3, aj, vj[3:6], J, P * (1.0 / h + 1.0 / P))
    # units: rows of forces by mass length / h, moments by mass length^2 / h; columns of places by length
    for i in range(n):
        s = 1.0
        if i < count:
            s = h / (mass * length) if i % 6 < 3 else h / (mass * length * length)
        rhs[i] *= s
        for k in range(count):
            mat[i, k] *= s * length if k % 6 < 3 else s
        for k in range(count, n):
            mat[i, k] *= s * mass * length * length / (h * h * o.form[o.sel[k - count], form.UNIT])


@kernel
def gyroscopic(mat, i, a, aj, Y, Z, J, lm, lj, h, P, s):
    """Add s times the derivatives of h G_g = Y x (L_f + L_j)/2 + Z x L_j along Y and Z."""
    add_skew(mat, i, a, lm, -s)
    add_skew_inertia(mat, i, a, Y, J, s / h)
    add_skew_inertia(mat, i, a, Z, J, s / h)
    add_skew_inertia(mat, i, aj, Y, J, s / h)
    add_skew(mat, i, aj, lj, -s)
    add_skew_inertia(mat, i, aj, Z, J, s * (1.0 / h + 1.0 / P))


@kernel
def turn_moment(table, i, column, p, force, b):
    """Add R^T [M] B to the block at (i, column), for a force (F, M): a moment fixed in the world seen by a turned body."""
    for k in range(3):
        x = force[4] * b[6 + k] - force[5] * b[3 + k]
        y = force[5] * b[k] - force[3] * b[6 + k]
        z = force[3] * b[3 + k] - force[4] * b[k]
        for n in range(3):
            table[i + n, column + k] += p[3 + n] * x + p[6 + n] * y + p[9 + n] * z
