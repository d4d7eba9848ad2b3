"""Equations of one step of the energy scheme, and their derivatives; see ``energy_step`` for the symbols.

Rows of forces (``energy_forces``) are turned from world axes into the bodies' axes, columns of rotations into Cayley vectors.
"""

from __future__ import annotations

from supple.core.base.layout import TREE
from supple.core.energy import forms as form
from supple.core.energy import vectors
from supple.core.energy.forces import column_of
from supple.core.energy.state import B_J, B_MASS, B_SOLID, MASS, OWN
from supple.core.run import step as st
from supple.native.declare import INT, REAL, kernel, shared

# Rows of the scratch: angular momenta at i, j, f and their mean between j and f, N_g, N_h, h G_g, G_h, R_j^T M_g
L_I, L_J, L_F, N_G, N_H, G_G, G_H, L_MEAN, MOMENT = range(9)


@kernel
def close(o, number, i):
    """Equation i: the form of that number has its value at the end of the step."""
    x, line, of, f = o.buf[0], o.buf[1], o.form_ints[number], o.form[number]
    unit = f[form.UNIT]
    form.vectors(of, f, o.cf, x)
    form.row(of, x, line)
    o.rhs[i] = form.value(of, f, x) / unit
    for k in range(form.ROW):
        c = column_of(o, of, k)
        if c >= 0:
            o.mat[i, c] += line[k] / unit


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
    for n in range(o.body.shape[0]):
        f, j = 6 * n + 3, o.unit.shape[0] + 6 * n + 3
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


@shared(TREE, st.RUN, OWN, REAL, REAL)
def assemble(m, r, o, h, P):
    """Residual of all equations into rhs and its derivatives into mat, both scaled; needs ``forces``."""
    nb, rank, n, motions = o.body.shape[0], o.sel.shape[0], o.rhs.shape[0], o.unit.shape[0]
    jump = P > 0.0
    count = 2 * motions if jump else motions
    for i in range(n):
        o.rhs[i] = 0.0
        for k in range(n):
            o.mat[i, k] = 0.0
    for k in range(rank):
        close(o, o.sel[k], count + k)
    cayley_columns(o, o.mat, n, jump)
    cayley_columns(o, o.kg, motions, jump)
    if jump:
        cayley_columns(o, o.kh, motions, jump)
    for b in range(nb):
        body_moments(o, b, jump)
        end_equations(o, b, h, P)
        if jump:
            jump_equations(m, o, b, h, P)
    vectors.equations(o, h, P)
    scale(m, o, h, count)


@kernel
def body_moments(o, b, jump):
    """N_g, G_g and angular momenta of body b, and the derivatives of N_g in the rows of kg."""
    li, lj, lf, ng, tall = o.buf[L_I], o.buf[L_J], o.buf[L_F], o.buf[N_G], o.buf[MOMENT]
    gg, lm, Y, p, a = o.buf[G_G], o.buf[L_MEAN], o.tf[b], o.cj[b + 1], 6 * b + 3
    J, columns = o.body[b, B_J : B_J + 9], o.kg.shape[1]
    moment(J, o.vi[b, 3:6], li)
    moment(J, o.vj[b, 3:6], lj)
    moment(J, o.vf[b, 3:6], lf)
    # N_g = (1 - [Y]/2) R_j^T M_g
    axes_moment(p, o.fg[b], tall)
    into_axes(o.kg, a, columns, p)
    if jump:  # R_j^T (M x B_j dZ)
        turn_moment(o.kg, a, o.unit.shape[0] + a, p, o.fg[b], o.bj[b])
    half_turn(o.kg, a, columns, Y)
    add_skew(o.kg, a, a, tall, 0.5)
    for k in range(3):
        ng[k] = tall[k]
        gg[k] = 0.0
        lm[k] = 0.5 * (lf[k] + lj[k])
    form.cross(Y, tall, -0.5, ng)
    form.cross(Y, lm, 1.0, gg)
    form.cross(o.tj[b], lj, 1.0, gg)  # h G_g


@kernel
def is_steady(o, b, jump):
    """True if the rotation of body b does not jump."""
    return not jump or o.body_ints[b, B_SOLID] == 0


@kernel
def end_equations(o, b, h, P):
    """Equations of body b from i to f: momentum and angular momentum; needs ``body_moments``."""
    mat, rhs, kg, jump = o.mat, o.rhs, o.kg, P > 0.0
    body, vi, vf, Y, Z = o.body[b], o.vi[b], o.vf[b], o.tf[b], o.tj[b]
    li, lj, lf, ng, gg, lm = o.buf[L_I], o.buf[L_J], o.buf[L_F], o.buf[N_G], o.buf[G_G], o.buf[L_MEAN]
    J, i, x, a = body[B_J : B_J + 9], 6 * b, 6 * b, 6 * b + 3  # equations, columns of place and rotation at f
    xj, aj = o.unit.shape[0] + x, o.unit.shape[0] + a
    for k in range(3):
        rhs[i + k] = body[B_MASS] * (vf[k] - vi[k]) - h * o.fg[b, k]
        rhs[i + 3 + k] = lf[k] - li[k] + gg[k] - h * ng[k]
        for l in range(kg.shape[1]):
            mat[i + k, l] = -h * kg[i + k, l]
            mat[i + 3 + k, l] = -h * kg[i + 3 + k, l]
        if jump:
            mat[i + k, x + k] += body[B_MASS] / h
            mat[i + k, xj + k] -= body[B_MASS] / P
        else:
            mat[i + k, x + k] += 2.0 * body[B_MASS] / h
    if is_steady(o, b, jump):
        add_inertia(mat, i + 3, a, J, 2.0 / h)
        add_skew_inertia(mat, i + 3, a, Y, J, 1.0 / h)
        add_skew(mat, i + 3, a, lm, -1.0)
    else:
        add_inertia(mat, i + 3, a, J, 1.0 / h)
        add_inertia(mat, i + 3, aj, J, 1.0 / h - 1.0 / P)
        gyroscopic(mat, i + 3, a, aj, Y, Z, J, lm, lj, h, P, 1.0)


@shared(TREE, OWN, INT, REAL, REAL)
def jump_equations(m, o, b, h, P):
    """Equations of body b from i to j; needs ``body_moments``. Columns of the rotation there are Z = 0 if it is steady."""
    mat, rhs, kg, kh = o.mat, o.rhs, o.kg, o.kh
    body, vi, vj, Y, Z = o.body[b], o.vi[b], o.vj[b], o.tf[b], o.tj[b]
    li, lj, ng, gg, lm = o.buf[L_I], o.buf[L_J], o.buf[N_G], o.buf[G_G], o.buf[L_MEAN]
    nh, gh, p, columns = o.buf[N_H], o.buf[G_H], o.cj[b + 1], o.kg.shape[1]
    J, x, a = body[B_J : B_J + 9], 6 * b, 6 * b + 3
    i = o.unit.shape[0] + x
    xj, aj = i, i + 3
    axes_moment(p, o.fh[b], nh)
    into_axes(kh, a, columns, p)
    turn_moment(kh, a, aj, p, o.fh[b], o.bj[b])
    for k in range(3):
        gh[k] = 0.0
    form.cross(vj[3:], lj, 1.0, gh)
    for k in range(3):
        rhs[i + k] = body[B_MASS] * (vj[k] - vi[k]) + P * (o.fg[b, k] - o.fh[b, k])
        rhs[i + 3 + k] = lj[k] - li[k] + P * (ng[k] - gg[k] / h - nh[k] + gh[k])
        for l in range(columns):
            mat[i + k, l] = P * (kg[x + k, l] - kh[x + k, l])
            mat[i + 3 + k, l] = P * (kg[a + k, l] - kh[a + k, l])
        mat[i + k, x + k] += body[B_MASS] / h
        mat[i + k, xj + k] += body[B_MASS] / P
    if o.body_ints[b, B_SOLID] == 0:
        for k in range(3):
            rhs[i + 3 + k] = 0.0
            for l in range(columns):
                mat[i + 3 + k, l] = 0.0
            mat[i + 3 + k, aj + k] = o.scalar[MASS] * m.length * m.length / h
        return
    add_inertia(mat, i + 3, a, J, 1.0 / h)
    add_inertia(mat, i + 3, aj, J, 1.0 / h + 1.0 / P)
    gyroscopic(mat, i + 3, a, aj, Y, Z, J, lm, lj, h, P, -P / h)
    add_skew(mat, i + 3, a, lj, -P / h)
    add_skew(mat, i + 3, aj, lj, -P * (1.0 / h + 1.0 / P))
    add_skew_inertia(mat, i + 3, a, vj[3:6], J, P / h)
    add_skew_inertia(mat, i + 3, aj, vj[3:6], J, P * (1.0 / h + 1.0 / P))


@kernel
def scale(m, o, h, count):
    """Units: columns by those of displacements, rows of momenta by mass length^2 / h over these."""
    mat, rhs, length, mass, n = o.mat, o.rhs, m.length, o.scalar[MASS], o.rhs.shape[0]
    motions = o.unit.shape[0]
    for i in range(n):
        s = 1.0
        if i < count:
            s = h * o.unit[i % motions] / (mass * length * length)
        rhs[i] *= s
        for k in range(count):
            mat[i, k] *= s * o.unit[k % motions]
        for k in range(count, n):
            mat[i, k] *= s * mass * length * length / (h * h * o.form[o.sel[k - count], form.UNIT])
