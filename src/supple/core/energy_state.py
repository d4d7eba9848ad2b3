"""The buffers of the energy scheme, and the way from the engine's state to mass centres and back."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from supple.core import energy_forms as form
from supple.core import so3
from supple.native.declare import block, kernel

# Head of the method's own reals
BODIES, FORMS, ROWS, RANK, COORDINATES, BALLS, ELEMENTS, DECAY, STEP, MASS, RATE = range(11)
HEAD = 11
# A body: first q and u, mass, mass centre (3), inertia (9) about it, the pose of its free joint's inner frame, and 1 if
# its inertia is positive about all axes: otherwise its rotation does not jump
B_Q, B_U, B_MASS, B_COM, B_J, B_TURN, B_PLACE, B_SOLID = 0, 1, 2, 3, 6, 15, 24, 27
BODY = 28
# A coordinate: kind, place in q and u, its form (of an angle the sine), cosine. A length between points has no q
C_KIND, C_Q, C_U, C_FORM, C_COSINE = 0, 1, 2, 3, 4
LINE, TURN, LENGTH = 0, 1, 2
COORDINATE = 5
# A ball or free joint that is no branch: place in q and u, free or not, bodies, frames on them
Q_Q, Q_U, Q_FREE, Q_A, Q_B, Q_TURN_A, Q_ARM_A, Q_TURN_B, Q_ARM_B = 0, 1, 2, 3, 4, 5, 14, 17, 26
BALL = 29
# An element: its number, its form, coordinate or body, its arm from the mass centre
E_NUMBER, E_TARGET, E_ARM = 0, 1, 2
ELEMENT = 5
# Own integers: equal steps left to the next stop, then rows in use and pivots
LEFT = 0
OWN_INTS = 1

Own = namedtuple(
    "Own",
    "head body form coordinate ball element turn ci cj cf vi vj vf tj tf fg fh lam kg kh mat rhs basis buf bj bf work middle ints sel piv",
)


def own_size(
    bodies: int, forms: int, rows: int, rank: int, coordinates: int, balls: int, elements: int, jump: bool, nu: int
) -> tuple[int, int]:
    """Lengths of the method's own reals, its tables first, and of its own integers, for nu velocities."""
    n = (12 if jump else 6) * bodies + rank
    size = HEAD + bodies * BODY + forms * form.FORM + coordinates * COORDINATE + balls * BALL + elements * ELEMENT
    size += 12 * bodies + 36 * (bodies + 1) + 18 * bodies + 6 * bodies + 12 * bodies + rows
    size += 12 * bodies * n + n * n + n + 6 * rows * bodies + 32 * 16 + 18 * bodies + elements + nu
    return size, OWN_INTS + rank + n


@kernel
def own_views(run, i, ints, k, nu):
    """Cut the method's own buffers."""
    head = block(run, i, HEAD)
    nb, nf, nr, rank = int(head[BODIES]), int(head[FORMS]), int(head[ROWS]), int(head[RANK])
    nc, nq, ne = int(head[COORDINATES]), int(head[BALLS]), int(head[ELEMENTS])
    n = 6 * nb + rank
    if head[DECAY] > 0.0:
        n += 6 * nb
    i += HEAD
    body = block(run, i, nb, BODY)
    i += nb * BODY
    forms = block(run, i, nf, form.FORM)
    i += nf * form.FORM
    coordinate = block(run, i, nc, COORDINATE)
    i += nc * COORDINATE
    ball = block(run, i, nq, BALL)
    i += nq * BALL
    element = block(run, i, ne, ELEMENT)
    i += ne * ELEMENT
    turn = block(run, i, nb, 3, 4)
    i += 12 * nb
    c = (nb + 1) * 12
    ci = block(run, i, nb + 1, 12)
    cj = block(run, i + c, nb + 1, 12)
    cf = block(run, i + 2 * c, nb + 1, 12)
    i += 3 * c
    vi = block(run, i, nb, 6)
    vj = block(run, i + 6 * nb, nb, 6)
    vf = block(run, i + 12 * nb, nb, 6)
    i += 18 * nb
    tj = block(run, i, nb, 3)
    tf = block(run, i + 3 * nb, nb, 3)
    i += 6 * nb
    fg = block(run, i, nb, 6)
    fh = block(run, i + 6 * nb, nb, 6)
    i += 12 * nb
    lam = block(run, i, nr)
    i += nr
    kg = block(run, i, 6 * nb, n)
    i += 6 * nb * n
    kh = block(run, i, 6 * nb, n)
    i += 6 * nb * n
    mat = block(run, i, n, n)
    i += n * n
    rhs = block(run, i, n)
    i += n
    basis = block(run, i, nr, 6 * nb)
    i += 6 * nb * nr
    buf = block(run, i, 32, 16)
    i += 32 * 16
    bj = block(run, i, nb, 9)
    bf = block(run, i + 9 * nb, nb, 9)
    i += 18 * nb
    work = block(run, i, ne)
    i += ne
    middle = block(run, i, nu)
    own = ints[k:]
    return Own(
        head, body, forms, coordinate, ball, element, turn, ci, cj, cf, vi, vj, vf, tj, tf, fg, fh, lam, kg, kh, mat, rhs, basis,
        buf, bj, bf, work, middle, own, own[OWN_INTS : OWN_INTS + rank], own[OWN_INTS + rank : OWN_INTS + rank + n],
    )


@kernel
def turned_pose(b, q, c):
    """Rotation of a body's pose c, by rows, from the quaternion of its free joint."""
    m = so3.matrix(q[0], q[1], q[2], q[3])
    for i in range(3):
        x, y, z = b[B_TURN + 3 * i], b[B_TURN + 3 * i + 1], b[B_TURN + 3 * i + 2]
        c[3 + 3 * i] = x * m[0] + y * m[3] + z * m[6]
        c[4 + 3 * i] = x * m[1] + y * m[4] + z * m[7]
        c[5 + 3 * i] = x * m[2] + y * m[5] + z * m[8]


@kernel
def read_state(r, o):
    """Poses and velocities of the mass centres at i from the engine's q, u; those of the ground at all three states."""
    for c in (o.ci[0], o.cj[0], o.cf[0]):
        for k in range(12):
            c[k] = 1.0 if k == 3 or k == 7 or k == 11 else 0.0
    for n in range(o.body.shape[0]):
        b, c, v = o.body[n], o.ci[n + 1], o.vi[n]
        q, u = int(b[B_Q]), int(b[B_U])
        for k in range(4):
            o.turn[n, 0, k] = r.q[q + k]
        turned_pose(b, o.turn[n, 0], c)
        for i in range(3):
            place = b[B_PLACE + i]
            for k in range(3):
                place += b[B_TURN + 3 * i + k] * r.q[q + 4 + k]
            c[i] = place + form.dot(c[3 + 3 * i :], b[B_COM:])
            v[3 + i] = r.u[u + i]
        x, y, z = b[B_COM], b[B_COM + 1], b[B_COM + 2]
        e0 = r.u[u + 3] + v[4] * z - v[5] * y
        e1 = r.u[u + 4] + v[5] * x - v[3] * z
        e2 = r.u[u + 5] + v[3] * y - v[4] * x
        for i in range(3):
            v[i] = c[3 + 3 * i] * e0 + c[4 + 3 * i] * e1 + c[5 + 3 * i] * e2


@kernel
def continue_from_end(o):
    """The state f of the last step as i of the next, bit by bit: what is read back from q and u has other rounding.

    With other rounding, rows would be closed a little differently at the end of a step and at the start of the next, and
    the large forces of constraints would do work there, always of the same sign.
    """
    for n in range(o.body.shape[0]):
        for k in range(12):
            o.ci[n + 1, k] = o.cf[n + 1, k]
        for k in range(6):
            o.vi[n, k] = o.vf[n, k]
        for k in range(4):
            o.turn[n, 0, k] = o.turn[n, 2, k]


@kernel
def turn_on(p, y, out):
    """out = p cay(y) for quaternions, normalised; y is a Cayley vector."""
    e = 1.0 / math.sqrt(1.0 + 0.25 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]))
    w, a, b, c = p[0], p[1], p[2], p[3]
    i, j, k = 0.5 * e * y[0], 0.5 * e * y[1], 0.5 * e * y[2]
    out[0] = w * e - a * i - b * j - c * k
    out[1] = w * i + a * e + b * k - c * j
    out[2] = w * j - a * k + b * e + c * i
    out[3] = w * k + a * j - b * i + c * e
    n = 1.0 / math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3])
    for l in range(4):
        out[l] *= n


@kernel
def world_turn(p, y, out):
    """out = R (1 + [y]/2)/(1 + y.y/4), by rows: the rotation in the world for a change of the Cayley vector y behind R."""
    s = 1.0 / (1.0 + 0.25 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]))
    for i in range(3):
        a, b, c = p[3 + 3 * i], p[4 + 3 * i], p[5 + 3 * i]
        out[3 * i] = s * (a + 0.5 * (b * y[2] - c * y[1]))
        out[3 * i + 1] = s * (b + 0.5 * (c * y[0] - a * y[2]))
        out[3 * i + 2] = s * (c + 0.5 * (a * y[1] - b * y[0]))


@kernel
def write_state(r, o):
    """The engine's state at the end of the step into qt, ut, from poses and velocities f."""
    p = o.buf[0]
    for n in range(o.body.shape[0]):
        b, c, v = o.body[n], o.cf[n + 1], o.vf[n]
        q, u = int(b[B_Q]), int(b[B_U])
        for k in range(4):
            r.qt[q + k] = o.turn[n, 2, k]
        x, y, z = b[B_COM], b[B_COM + 1], b[B_COM + 2]
        for k in range(3):
            p[k] = c[k] - form.dot(c[3 + 3 * k :], b[B_COM:]) - b[B_PLACE + k]
        t = b[B_TURN : B_TURN + 9]
        for k in range(3):
            r.qt[q + 4 + k] = t[k] * p[0] + t[3 + k] * p[1] + t[6 + k] * p[2]
            r.ut[u + k] = v[3 + k]
            r.ut[u + 3 + k] = c[3 + k] * v[0] + c[6 + k] * v[1] + c[9 + k] * v[2]
        r.ut[u + 3] -= v[4] * z - v[5] * y
        r.ut[u + 4] -= v[5] * x - v[3] * z
        r.ut[u + 5] -= v[3] * y - v[4] * x
    for n in range(o.coordinate.shape[0]):
        write_coordinate(r, o, o.coordinate[n])
    for n in range(o.ball.shape[0]):
        write_ball(r, o, o.ball[n])


@kernel
def rate_along(o, f, row):
    """Rate of a form with this row at the end of the step."""
    s = 0.0
    for side in range(2):
        n = int(f[form.A + side]) - 1
        if n >= 0:
            v, c, k = o.vf[n], o.cf[n + 1], 6 * side
            s += form.dot(row[k:], v)
            for i in range(3):
                s += row[k + 3 + i] * form.dot(c[3 + 3 * i :], v[3:])
    return s


@kernel
def write_coordinate(r, o, c):
    """A joint's own coordinate and its rate at the end of the step; angles go on from turn to turn."""
    f = o.form[int(c[C_FORM])]
    x, row = o.buf[2], o.buf[3]
    form.vectors(f, o.cf, x)
    form.row(f, x, row)
    q, u = int(c[C_Q]), int(c[C_U])
    s, rate = form.value(f, x), rate_along(o, f, row)
    if c[C_KIND] == LENGTH:
        return
    if c[C_KIND] == LINE:
        r.qt[q], r.ut[u] = s, rate
        return
    f = o.form[int(c[C_COSINE])]
    form.vectors(f, o.cf, x)
    form.row(f, x, row)
    e = form.value(f, x)
    angle = math.atan2(s, e)
    r.ut[u] = (e * rate - s * rate_along(o, f, row)) / (s * s + e * e)
    r.qt[q] = angle + 2.0 * math.pi * np.rint((r.q[q] - angle) / (2.0 * math.pi))  # within half a turn of the last one


@kernel
def write_ball(r, o, b):
    """Quaternion, place and rates of a ball or free joint that is no branch, at the end of the step."""
    q, u, na, nb = int(b[Q_Q]), int(b[Q_U]), int(b[Q_A]), int(b[Q_B])
    pa, pb = o.cf[na], o.cf[nb]
    ta, tb = o.buf[2], o.buf[3]  # frames in the world, by rows
    x, y = o.buf[4], o.buf[5]
    for i in range(3):
        for j in range(3):
            ta[3 * i + j] = pa[3 + 3 * i] * b[Q_TURN_A + j] + pa[4 + 3 * i] * b[Q_TURN_A + 3 + j] + pa[5 + 3 * i] * b[Q_TURN_A + 6 + j]
            tb[3 * i + j] = pb[3 + 3 * i] * b[Q_TURN_B + j] + pb[4 + 3 * i] * b[Q_TURN_B + 3 + j] + pb[5 + 3 * i] * b[Q_TURN_B + 6 + j]
    m = o.buf[6]
    for i in range(3):
        for j in range(3):
            m[3 * i + j] = ta[i] * tb[j] + ta[3 + i] * tb[3 + j] + ta[6 + i] * tb[6 + j]
    # the unit quaternion that is nearest to the last one: four candidates, the one with the largest component
    four = o.buf[7]
    four[0] = 1.0 + m[0] + m[4] + m[8]
    four[1] = 1.0 + m[0] - m[4] - m[8]
    four[2] = 1.0 - m[0] + m[4] - m[8]
    four[3] = 1.0 - m[0] - m[4] + m[8]
    k = 0
    for i in range(1, 4):
        if four[i] > four[k]:
            k = i
    big = math.sqrt(four[k])
    s = 0.5 / big
    p = o.buf[8]
    if k == 0:
        p[0], p[1], p[2], p[3] = 0.5 * big, s * (m[7] - m[5]), s * (m[2] - m[6]), s * (m[3] - m[1])
    elif k == 1:
        p[0], p[1], p[2], p[3] = s * (m[7] - m[5]), 0.5 * big, s * (m[1] + m[3]), s * (m[2] + m[6])
    elif k == 2:
        p[0], p[1], p[2], p[3] = s * (m[2] - m[6]), s * (m[1] + m[3]), 0.5 * big, s * (m[5] + m[7])
    else:
        p[0], p[1], p[2], p[3] = s * (m[3] - m[1]), s * (m[2] + m[6]), s * (m[5] + m[7]), 0.5 * big
    same = p[0] * r.q[q] + p[1] * r.q[q + 1] + p[2] * r.q[q + 2] + p[3] * r.q[q + 3]
    n = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    if same < 0.0:
        n = -n
    for i in range(4):
        r.qt[q + i] = n * p[i]
    wa, wb, va, vb = o.buf[9], o.buf[10], o.buf[11], o.buf[12]
    point_motion(o, na, b[Q_ARM_A:], x, wa, va)
    point_motion(o, nb, b[Q_ARM_B:], y, wb, vb)
    for i in range(3):
        wb[i] -= wa[i]
        vb[i] -= va[i]
        y[i] -= x[i]
    form.cross(wa, y, -1.0, vb)  # relative to A's axes
    for i in range(3):
        r.ut[u + i] = tb[i] * wb[0] + tb[3 + i] * wb[1] + tb[6 + i] * wb[2]
        if b[Q_FREE] == 1.0:
            r.qt[q + 4 + i] = ta[i] * y[0] + ta[3 + i] * y[1] + ta[6 + i] * y[2]
            r.ut[u + 3 + i] = tb[i] * vb[0] + tb[3 + i] * vb[1] + tb[6 + i] * vb[2]


@kernel
def point_motion(o, n, arm, x, w, v):
    """Place x, angular velocity w and velocity v of a point of body n at the end of the step."""
    c = o.cf[n]
    form.turned(c, arm, x)
    for i in range(3):
        w[i], v[i] = 0.0, 0.0
    if n > 0:
        for i in range(3):
            w[i] = form.dot(c[3 + 3 * i :], o.vf[n - 1][3:])
            v[i] = o.vf[n - 1, i]
        form.cross(w, x, 1.0, v)
    for i in range(3):
        x[i] += c[i]
