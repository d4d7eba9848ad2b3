"""The buffers of the energy scheme, and the way from the engine's state to mass centres and back."""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import so3
from supple.core.base.buffers import Part, Record, starts
from supple.core.energy import forms as form
from supple.core.run import step as st
from supple.native.declare import kernel, shared

# Own reals: how much energy decays, the step asked for, mean mass of a body, largest rate of a row
DECAY, STEP, MASS, RATE, SCALARS = range(5)
# Own integers: sizes of the tables, 1 if states jump at the start of a step, equal steps left to the next stop
BODIES, FORMS, ROWS, RANK, COORDINATES, BALLS, ELEMENTS, JUMP, VECTORS, SPAN, LEFT, OWN_INTS = range(12)
# A body: first q and u, and 1 if its inertia is positive about all axes, otherwise its rotation does not jump; mass,
# mass centre (3), inertia (9) about it, the pose of its free joint's inner frame
B_Q, B_U, B_SOLID, BODY_INTS = range(4)
B_MASS, B_COM, B_J, B_TURN, B_PLACE, BODY = starts(1, 3, 9, 9, 3)
# A nodal vector of a body without a frame: first q and u, and of a place whose axes are read the engine's node, otherwise -1.
# It is numbered behind the bodies, as one that does not turn: the axes in its pose at f are for coordinates of joints only
V_Q, V_U, V_NODE, VECTOR_INTS = range(4)
# A coordinate: kind, place in q and u, its form (of an angle the sine), cosine. A length between points has no q
C_KIND, C_Q, C_U, C_FORM, C_COSINE, COORDINATE = range(6)
LINE, TURN, LENGTH = 0, 1, 2
# A ball or free joint that is no branch: place in q and u, 1 if it is free, bodies; frames on them
Q_Q, Q_U, Q_FREE, Q_A, Q_B, BALL_INTS = range(6)
Q_TURN_A, Q_ARM_A, Q_TURN_B, Q_ARM_B, BALL = starts(9, 3, 9, 3)
# An element: its number, coordinate or body; its arm from the mass centre
E_NUMBER, E_TARGET, ELEMENT = range(3)
MOTIONS = "6 * bodies + 3 * vectors"  # displacements and rotations of all bodies and vectors
N = "(1 + jump) * (6 * bodies + 3 * vectors) + rank"  # unknowns of a step

OWN_RECORD = Record(
    "Own", __name__,
    Part("run", "float64", {
        "scalar": SCALARS,
        "body": ("bodies", BODY),
        "form": ("forms", form.FORM),
        "ball": ("balls", BALL),
        "arm": ("elements", 3),
        "unit": MOTIONS,  # of displacements: a length, or 1
        "weight": "vectors",  # mass that gravity pulls at
        "mass": ("vectors", "vectors"),
        # behind the tables: quaternions, poses (12) and velocities (6) at i, j, f, the ground among the poses
        "turn": ("bodies", 3, 4),
        "ci": ("bodies + vectors + 1", 12),
        "cj": ("bodies + vectors + 1", 12),
        "cf": ("bodies + vectors + 1", 12),
        "vi": ("bodies + vectors", 6),
        "vj": ("bodies + vectors", 6),
        "vf": ("bodies + vectors", 6),
        "tj": ("bodies + vectors", 3),  # Cayley vectors
        "tf": ("bodies + vectors", 3),
        "fg": ("bodies + vectors", 6),  # forces and their derivatives
        "fh": ("bodies + vectors", 6),
        "lam": "rows",
        "kg": (MOTIONS, N),
        "kh": (MOTIONS, N),
        "mat": (N, N),
        "rhs": N,
        "basis": ("rows", MOTIONS),
        "buf": (32, 16),  # scratch
        "bj": ("bodies", 9),
        "bf": ("bodies", 9),
        "work": "elements",
        "middle": "nu",
        "span": "span",  # scratch of an element over nodal vectors
    }),
    Part("count", "int64", {
        "ints": OWN_INTS,
        "body_ints": ("bodies", BODY_INTS),
        "vector_ints": ("vectors", VECTOR_INTS),
        "form_ints": ("forms", form.FORM_INTS),
        "coordinate": ("coordinates", COORDINATE),
        "ball_ints": ("balls", BALL_INTS),
        "element": ("elements", ELEMENT),
        "sel": "rank",  # rows in use
        "piv": N,
    }),
    head={
        "bodies": BODIES,
        "forms": FORMS,
        "rows": ROWS,
        "rank": RANK,
        "coordinates": COORDINATES,
        "balls": BALLS,
        "elements": ELEMENTS,
        "jump": JUMP,
        "vectors": VECTORS,
        "span": SPAN,
    },
    given=("nu",),
    follows=True,
)
Own, OWN, cut_own = OWN_RECORD.views, OWN_RECORD.kind, OWN_RECORD.cut


@kernel
def own_views(run, i, ints, k, nu):
    """The method's own part of the buffers, from run[i] and ints[k], whose head has its sizes."""
    return cut_own(ints[k:], run, i, ints, k, nu)[0]


@kernel
def first_motion(o, n):
    """First row or column of body or vector n, which count from zero."""
    nb = o.body.shape[0]
    return 6 * n if n < nb else 3 * (n + nb)


@kernel
def motions_of(o, n):
    """Number of rows of body or vector n."""
    return 6 if n < o.body.shape[0] else 3


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
    """Poses and velocities of the mass centres and vectors at i from the engine's q, u; those of the ground at all three states."""
    nb = o.body.shape[0]
    for poses in (o.ci, o.cj, o.cf):
        for n in range(poses.shape[0]):
            if n == 0 or n > nb:
                for k in range(12):
                    poses[n, k] = 1.0 if k == 3 or k == 7 or k == 11 else 0.0
    for n in range(o.vector_ints.shape[0]):
        q, u = o.vector_ints[n, V_Q], o.vector_ints[n, V_U]
        for k in range(3):
            o.ci[nb + n + 1, k], o.vi[nb + n, k] = r.q[q + k], r.u[u + k]
    for n in range(o.body.shape[0]):
        b, c, v = o.body[n], o.ci[n + 1], o.vi[n]
        q, u = o.body_ints[n, B_Q], o.body_ints[n, B_U]
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
    for n in range(o.vi.shape[0]):
        for k in range(12):
            o.ci[n + 1, k] = o.cf[n + 1, k]
        for k in range(6):
            o.vi[n, k] = o.vf[n, k]
    for n in range(o.body.shape[0]):
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


@shared(st.RUN, OWN)
def write_state(r, o):
    """The engine's state at the end of the step into qt, ut, from poses and velocities f."""
    p = o.buf[0]
    for n in range(o.body.shape[0]):
        b, c, v = o.body[n], o.cf[n + 1], o.vf[n]
        q, u = o.body_ints[n, B_Q], o.body_ints[n, B_U]
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
        write_ball(r, o, o.ball_ints[n], o.ball[n])


@kernel
def rate_along(o, of, row):
    """Rate of a form with these integers and this row at the end of the step."""
    s = 0.0
    for side in range(2):
        n = of[form.A + side] - 1
        if n >= 0:
            v, c, k = o.vf[n], o.cf[n + 1], 6 * side
            s += form.dot(row[k:], v)
            for i in range(3):
                s += row[k + 3 + i] * form.dot(c[3 + 3 * i :], v[3:])
    return s


@kernel
def write_coordinate(r, o, c):
    """A joint's own coordinate and its rate at the end of the step; angles go on from turn to turn."""
    of, f = o.form_ints[c[C_FORM]], o.form[c[C_FORM]]
    x, row = o.buf[2], o.buf[3]
    form.vectors(of, f, o.cf, x)
    form.row(of, x, row)
    q, u = c[C_Q], c[C_U]
    s, rate = form.value(of, f, x), rate_along(o, of, row)
    if c[C_KIND] == LENGTH:
        return
    if c[C_KIND] == LINE:
        r.qt[q], r.ut[u] = s, rate
        return
    of, f = o.form_ints[c[C_COSINE]], o.form[c[C_COSINE]]
    form.vectors(of, f, o.cf, x)
    form.row(of, x, row)
    e = form.value(of, f, x)
    angle = math.atan2(s, e)
    r.ut[u] = (e * rate - s * rate_along(o, of, row)) / (s * s + e * e)
    r.qt[q] = angle + 2.0 * math.pi * np.rint((r.q[q] - angle) / (2.0 * math.pi))  # within half a turn of the last one


@kernel
def write_ball(r, o, of, b):
    """Quaternion, place and rates of a ball or free joint that is no branch, at the end of the step."""
    q, u, na, nb = of[Q_Q], of[Q_U], of[Q_A], of[Q_B]
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
        if of[Q_FREE] == 1:
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
