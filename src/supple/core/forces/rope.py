"""Ropes without mass over pulleys: geometry of the spans, tensions.

A span is straight from the circle where it leaves station A to the circle where it arrives at station B; both run around the third axis
of their station, a point has no radius. With unit vectors r from the centres to the points of contact, tau along the
circles and D from one point of contact to the other, D . r_A = D . r_B = 0 (in the plane of a pulley the span is a tangent;
it may leave that plane). The length that belongs to a span is

    l + R_A phi_A - R_B phi_B        l = |D|, phi the angle of r on its station

so that all of them together, with whole turns, are the length of the rope. Its rate is y . (V_B - V_A) about the reference point with

    y = [p_A x f + mu_A r_A x D; f]    f = D/l - mu_A r_A - mu_B r_B

The angles follow from D . r = 0, whose derivatives along them are the matrix K; K^T mu = [R_A (1 - D.tau_A/l), -R_B (1 - D.tau_B/l)], which
vanishes for spans in the plane.

Tensions: T = EA (L - L0)/L0 + damping L'/L0 where the rope is taut, as a mean over its length. Of a span T_i = T w_i/sum(share_j w_j), with
w_(i+1) = w_i exp(friction angle tanh(slip/transition)) over a pulley: sliding ropes obey the law of the capstan. A rope is
stretched evenly in ``slip``, so what friction takes, (T_(i+1) - T_i) slip, is never negative, and it is all that is lost but for the damper.

Tangents of ropes; see ``rope`` for the symbols.

Derivatives of y and of the angles of contact along displacements of B are those of ``span`` itself: it is
analytic, so a tiny imaginary displacement gives them exactly. Along displacements of both ends

    dy = -adT(y) s_A + dy/ds_B (s_B - s_A)

and lengths and angles depend on s_B - s_A alone. Tensions depend on length, angles and rate of every span; their changes
are found one after the other by ``change_tensions``.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, frame, last_column, scatter
from supple.native.declare import INT, MAT, REAL, VEC, block, kernel, shared

ROPE = 16
# Element integers: number of stations; places of their nodes in the programs, of their numbers in the data, of scratch in
# the flexible workspace; places in q and u of the joints of drums at both ends (-1: none). Reals: EA, length without
# tension, damping, transition
COUNT, NODES, AT, SCRATCH, DRUM_Q, DRUM_U = 1, 2, 3, 4, 5, 7
STIFFNESS, LENGTH, DAMPING, TRANSITION = range(4)
# Numbers of a station: pose, radius, friction, turns; of a drum 1 or -1, the sense of its joint. Angles of contact count
# from the first axis of the pose
_, RADIUS, FRICTION, TURNS, SENSE, STATION = starts(at.POSE, 1, 1, 1, 1)
# Head of the scratch: length, its rate, mean tension, power that is lost
TOTAL, TOTAL_RATE, MEAN, LOST, HEAD = range(5)
# Scratch of a station and of the span that begins there: 1 if the rope touches it, angle of contact, slip, what the angle
# adds to the logarithm of the tension; share of the length, weight, tension, rate, length, angles where it leaves and
# where it arrives, y; derivatives of the angles and of y along displacements of B; changes of length, angle, rate and tension
(
    ACTIVE, ANGLE, SLIP, EXPONENT, PART, WEIGHT, TENSION, RATE, SPAN, LEAVES, ARRIVES, Y, D_LEAVES, D_ARRIVES, D_Y, C_SPAN, C_ANGLE, C_RATE,
    C_TENSION, COLUMNS,
) = starts(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6, 6, 6, 36, 1, 1, 1, 1)
SCALARS = 4  # of a span that tensions depend on: length, both angles, rate
QUARTER, TURN = 0.5 * np.pi, 2.0 * np.pi
MARGIN = 0.1  # rad before the angle of contact would jump by a turn
ITERATIONS, CLOSE = 30, 1e-12
TINY = 1e-30  # of imaginary displacements
E_ROW, C_ROW, W_ROW = 5, 11, 17  # scratch rows, as in core/forces/constraint_rows.py
IN_SPAN, IN_LEAVES, IN_ARRIVES, IN_RATE = range(SCALARS)


def scratch_size(stations: int) -> int:
    """Numbers of scratch that a rope needs."""
    return HEAD + stations * COLUMNS + stations * (SCALARS * stations + 1)


@kernel
def dot(x, y):
    """Scalar product."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel
def circle(a, phi):
    """Unit vectors from the centre to the point at angle phi, and along the circle, of a station with the pose a."""
    c, s = np.cos(phi), np.sin(phi)
    return (
        (c * a[0] + s * a[1], c * a[3] + s * a[4], c * a[6] + s * a[7]),
        (c * a[1] - s * a[0], c * a[4] - s * a[3], c * a[7] - s * a[6]),
    )


@kernel
def between(a, ra, b, rb, alpha, beta):
    """Points of contact, D, unit vectors of both circles and K for given angles; a point has no equation."""
    (x, tx), (y, ty) = circle(a, alpha), circle(b, beta)
    pa = (a[9] + ra * x[0], a[10] + ra * x[1], a[11] + ra * x[2])
    d = (b[9] + rb * y[0] - pa[0], b[10] + rb * y[1] - pa[1], b[11] + rb * y[2] - pa[2])
    k11, k12, k21, k22 = dot(d, tx), rb * dot(ty, x), -ra * dot(tx, y), dot(d, ty)
    one, none = 1.0 + 0.0 * k11, 0.0 * k11
    if ra == 0.0:
        k11, k12 = one, none
    if rb == 0.0:
        k22, k21 = one, none
    return pa, d, x, tx, y, ty, (k11, k12, k21, k22)


@kernel
def first_angle(a, ra, b, rb, side):
    """Angle of contact at a of a span to b (side -1) or from it (1): exact where both circles are in a plane."""
    d = (b[9].real - a[9].real, b[10].real - a[10].real, b[11].real - a[11].real)
    x = d[0] * a[0].real + d[1] * a[3].real + d[2] * a[6].real
    y = d[0] * a[1].real + d[1] * a[4].real + d[2] * a[7].real
    along = a[2].real * b[2].real + a[5].real * b[5].real + a[8].real * b[8].real
    return np.arctan2(y, x) + side * np.arccos((ra - rb * along) / np.sqrt(x * x + y * y))


@kernel
def span(a, ra, b, rb):
    """Length of the span, angles where it leaves A and arrives at B, and y = [arm; f]; poses relative to the reference point."""
    zero = 0.0 * (a[9] + b[9])
    alpha, beta = zero, zero
    if ra > 0.0:
        alpha = alpha + first_angle(a, ra, b, rb, -1.0)
    if rb > 0.0:
        beta = beta + first_angle(b, rb, a, ra, 1.0)
    if ra > 0.0 or rb > 0.0:
        for i in range(ITERATIONS):
            _, d, x, _, y, _, (k11, k12, k21, k22) = between(a, ra, b, rb, alpha, beta)
            f, g = zero, zero
            if ra > 0.0:
                f = f - dot(d, x)
            if rb > 0.0:
                g = g - dot(d, y)
            det = k11 * k22 - k12 * k21
            da, db = (k22 * f - k12 * g) / det, (k11 * g - k21 * f) / det
            alpha, beta = alpha + da, beta + db
            if abs(da.real) + abs(db.real) < CLOSE:
                break
            if i == ITERATIONS - 1:
                alpha = alpha + np.nan
    pa, d, x, tx, y, ty, (k11, k12, k21, k22) = between(a, ra, b, rb, alpha, beta)
    length = np.sqrt(dot(d, d))
    t = (d[0] / length, d[1] / length, d[2] / length)
    m, n = ra * (1.0 - dot(t, tx)), -rb * (1.0 - dot(t, ty))
    det = k11 * k22 - k12 * k21
    mu, nu = (k22 * m - k21 * n) / det, (k11 * n - k12 * m) / det
    f = (t[0] - mu * x[0] - nu * y[0], t[1] - mu * x[1] - nu * y[1], t[2] - mu * x[2] - nu * y[2])
    arm, turn = cross(pa, f), cross(x, d)
    return length, alpha, beta, (arm[0] + mu * turn[0], arm[1] + mu * turn[1], arm[2] + mu * turn[2]), f


@kernel
def places(tree, work, e):
    """Number of stations, head of the scratch, and its rows of the stations."""
    n, first = tree.element[e, COUNT], tree.element[e, SCRATCH]
    return n, work.flex[first : first + HEAD], block(work.flex, first + HEAD, n, COLUMNS)


@kernel
def node_of(tree, e, k):
    """Node of station k."""
    return tree.program[tree.element[e, NODES] + k]


@kernel
def number(tree, e, k, which):
    """A number of station k: its radius, friction, ..."""
    return tree.data[tree.element[e, AT] + k * STATION + which]


@kernel
def pose(tree, work, e, k):
    """Pose of station k relative to the reference point."""
    return frame(work, node_of(tree, e, k), tree.data, tree.element[e, AT] + k * STATION)


@kernel
def following(x, k):
    """The next station after k that the rope touches."""
    k += 1
    while x[k, ACTIVE].real < 0.5:
        k += 1
    return k


@kernel
def lay(tree, work, e):
    """Spans between the stations that the rope touches; angles of contact. Returns the station that it has to leave, or 0."""
    n, _, x = places(tree, work, e)
    k, before, leaves, least = 0, 0.0 * work.origin[0], 0, 0.0
    while k < n - 1:
        j = following(x, k)
        r = x[k]
        r[SPAN], r[LEAVES], r[ARRIVES], arm, f = span(
            pose(tree, work, e, k), number(tree, e, k, RADIUS), pose(tree, work, e, j), number(tree, e, j, RADIUS)
        )
        for l in range(3):
            r[Y + l], r[Y + 3 + l] = arm[l], f[l]
        r[ANGLE] = 0.0
        if k > 0 and number(tree, e, k, RADIUS) > 0.0:
            angle = r[LEAVES] - before
            angle = angle - TURN * np.floor((angle.real + QUARTER) / TURN)
            turns = number(tree, e, k, TURNS)
            if angle.real < MARGIN - QUARTER or angle.real > TURN - QUARTER - MARGIN:
                angle = angle + np.nan
            if turns == 0.0 and angle.real < least:
                leaves, least = k, angle.real
            r[ANGLE] = angle + TURN * turns
        before = r[ARRIVES]
        k = j
    return leaves


@kernel
def wound(tree, e, x, k, angle, q):
    """Length at a drum k, an end of the rope, that its angle of contact and its joint add."""
    turn = angle - TURN * np.floor(angle.real / TURN + 0.5)
    if abs(turn.real) > 0.5 * TURN - MARGIN:
        turn = turn + np.nan
    end = 0 if k == 0 else 1
    drum = tree.element[e, DRUM_Q + end]
    if drum < 0:
        return 0.0 * turn
    sign = 1.0 - 2.0 * end
    return sign * number(tree, e, k, RADIUS) * (turn - number(tree, e, k, SENSE) * q[drum])


@shared(TREE, WORK, INT, VEC)
def geometry(tree, work, e, q):
    """Spans, angles and the length of a rope; a pulley that it does not touch is passed by."""
    n, head, x = places(tree, work, e)
    for k in range(n):
        x[k, ACTIVE] = 1.0
    for _ in range(n):
        leaves = lay(tree, work, e)
        if leaves == 0:
            break
        x[leaves, ACTIVE] = 0.0
    total, k = 0.0 * work.origin[0], 0
    while k < n - 1:
        total = total + x[k, SPAN] + number(tree, e, k, RADIUS) * x[k, ANGLE]
        j = following(x, k)
        if k == 0:
            total = total + wound(tree, e, x, k, x[k, LEAVES], q)
        if j == n - 1:
            total = total + wound(tree, e, x, j, x[k, ARRIVES], q)
        k = j
    head[TOTAL] = total


@kernel
def drum_ratio(tree, e, k, j, end):
    """Change of the length of the span from k to j with the drum at one end of the rope; 0 without one."""
    if tree.element[e, DRUM_U + end] < 0 or (end == 0 and k > 0) or (end == 1 and j < tree.element[e, COUNT] - 1):
        return 0.0
    drum = k if end == 0 else j
    return (2.0 * end - 1.0) * number(tree, e, drum, RADIUS) * number(tree, e, drum, SENSE)


@kernel
def pull(tree, work, e, u):
    """Rates, slips and tensions of a rope; needs ``geometry`` and velocities."""
    n, head, x = places(tree, work, e)
    c, total, rate, k = tree.coef[e], 0.0 * head[TOTAL], 0.0 * head[TOTAL], 0
    while k < n - 1:
        j = following(x, k)
        r = x[k]
        va, vb = work.node[node_of(tree, e, k)], work.node[node_of(tree, e, j)]
        r[RATE] = 0.0
        for l in range(6):
            r[RATE] += r[Y + l] * (vb[at.V + l] - va[at.V + l])
        for end in range(2):
            g = drum_ratio(tree, e, k, j, end)
            if g != 0.0:
                r[RATE] += g * u[tree.element[e, DRUM_U + end]]
        r[PART] = r[SPAN] + 0.5 * number(tree, e, k, RADIUS) * r[ANGLE]
        if j < n - 1:
            r[PART] += 0.5 * number(tree, e, j, RADIUS) * x[j, ANGLE]
        total, rate, k = total + r[PART], rate + r[RATE], j
    head[TOTAL_RATE] = rate
    strain, elastic = (head[TOTAL] - c[LENGTH]) / c[LENGTH], 0.0 * rate
    if strain.real > 0.0:
        elastic = c[STIFFNESS] * strain
    mean = elastic + c[DAMPING] * rate / c[LENGTH]
    if strain.real <= 0.0 or mean.real < 0.0:
        mean = 0.0 * mean
    head[MEAN], head[LOST] = mean, (mean - elastic) * rate
    part, way, log, weight, k = 0.0 * rate, 0.0 * rate, 0.0 * rate, 0.0 * rate, 0
    while k < n - 1:
        r = x[k]
        r[SLIP], r[EXPONENT] = part * rate - way, 0.0
        if number(tree, e, k, FRICTION) > 0.0:
            r[EXPONENT] = number(tree, e, k, FRICTION) * r[ANGLE] * np.tanh(r[SLIP] / c[TRANSITION])
        log = log + r[EXPONENT]
        r[PART] /= total
        r[WEIGHT] = np.exp(log)
        part, way, weight = part + r[PART], way + r[RATE], weight + r[PART] * r[WEIGHT]
        k = following(x, k)
    k, last = 0, 0.0 * rate
    while k < n - 1:
        r = x[k]
        r[TENSION] = mean * r[WEIGHT] / weight
        if k > 0:
            head[LOST] += (r[TENSION] - last) * r[SLIP]
        last = r[TENSION]
        k = following(x, k)


@shared(TREE, WORK, INT, VEC, VEC, gives=REAL)
def rope_apply(tree, work, e, q, u):
    """Subtract the wrenches of a rope from its nodes, add its efforts on drums, and return the power that is lost."""
    geometry(tree, work, e, q)
    pull(tree, work, e, u)
    n, head, x = places(tree, work, e)
    k = 0
    while k < n - 1:
        j = following(x, k)
        wa, wb, r = work.node[node_of(tree, e, k)], work.node[node_of(tree, e, j)], x[k]
        for l in range(6):
            f = r[TENSION] * r[Y + l]
            wa[at.W + l] -= f
            wb[at.W + l] += f
        for end in range(2):
            g = drum_ratio(tree, e, k, j, end)
            if g != 0.0:
                work.effort[tree.element[e, DRUM_U + end]] -= g * r[TENSION]
        k = j
    return head[LOST]


@shared(TREE, WORK, INT, VEC, gives=REAL)
def rope_stored(tree, work, e, q):
    """Energy of a rope (J) that is stretched evenly."""
    geometry(tree, work, e, q)
    c = tree.coef[e]
    stretch = work.flex[tree.element[e, SCRATCH] + TOTAL] - c[LENGTH]
    if stretch.real <= 0.0:
        return 0.0 * stretch
    return 0.5 * c[STIFFNESS] / c[LENGTH] * stretch * stretch


@shared(TREE, WORK, INT, VEC, VEC, gives=INT)
def rope_branch(tree, work, e, q, u):
    """Branch of a rope: taut or slack, and the stations that it touches."""
    geometry(tree, work, e, q)
    pull(tree, work, e, u)
    n, head, x = places(tree, work, e)
    code = 1 if head[MEAN].real > 0.0 else 0
    if head[TOTAL].real > tree.coef[e, LENGTH]:
        code += 2
    for k in range(1, n - 1):
        code = 3 * code + (1 if x[k, ACTIVE].real > 0.5 else 0)
    return code


@kernel
def turned(w, x):
    """x + i TINY w x x."""
    v = cross(w, x)
    return x[0] + 1j * TINY * v[0], x[1] + 1j * TINY * v[1], x[2] + 1j * TINY * v[2]


@kernel
def displaced(b, c):
    """Pose b after a tiny imaginary turn about axis c of the world through the reference point, or a shift along axis c - 3."""
    w = ((c == 0) * 1.0, (c == 1) * 1.0, (c == 2) * 1.0)
    x, y, z = turned(w, (b[0], b[3], b[6])), turned(w, (b[1], b[4], b[7])), turned(w, (b[2], b[5], b[8]))
    p = turned(w, (b[9], b[10], b[11]))
    return (
        x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2],
        p[0] + 1j * TINY * (c == 3), p[1] + 1j * TINY * (c == 4), p[2] + 1j * TINY * (c == 5),
    )


@kernel
def span_slopes(tree, work, e, k, j, r):
    """Derivatives of both angles and of y along displacements of station j, the end of the span from k with the scratch r."""
    a, b, ra, rb = pose(tree, work, e, k), pose(tree, work, e, j), number(tree, e, k, RADIUS), number(tree, e, j, RADIUS)
    for c in range(6):
        _, leaves, arrives, arm, f = span(a, ra, displaced(b, c), rb)
        r[D_LEAVES + c], r[D_ARRIVES + c] = leaves.imag / TINY, arrives.imag / TINY
        for l in range(3):
            r[D_Y + 6 * l + c], r[D_Y + 6 * (3 + l) + c] = arm[l].imag / TINY, f[l].imag / TINY


@kernel
def change_tensions(tree, e, head, x, stretch):
    """Changes of all tensions with those of lengths, angles and rates of spans, and of the length of the rope."""
    n, c, k = tree.element[e, COUNT], tree.coef[e], 0
    total, more, rate, faster, weight = 0.0, 0.0, head[TOTAL_RATE], 0.0, 0.0
    while k < n - 1:
        r, j = x[k], following(x, k)
        faster += r[C_RATE]
        total += r[SPAN] + number(tree, e, k, RADIUS) * r[ANGLE]
        more += r[C_SPAN] + number(tree, e, k, RADIUS) * r[C_ANGLE]
        weight += r[PART] * r[WEIGHT]
        k = j
    mean = 0.0
    if head[MEAN] > 0.0:
        mean = (c[STIFFNESS] * stretch + c[DAMPING] * faster) / c[LENGTH]
    part, change, way, log, heavier, k = 0.0, 0.0, 0.0, 0.0, 0.0, 0
    while k < n - 1:
        r, j = x[k], following(x, k)
        if number(tree, e, k, FRICTION) > 0.0:
            t = np.tanh(r[SLIP] / c[TRANSITION])
            slip = (change * rate + part * faster - way) / c[TRANSITION]
            log += number(tree, e, k, FRICTION) * (r[C_ANGLE] * t + r[ANGLE] * (1.0 - t * t) * slip)
        own = r[C_SPAN] + 0.5 * number(tree, e, k, RADIUS) * r[C_ANGLE]
        if j < n - 1:
            own += 0.5 * number(tree, e, j, RADIUS) * x[j, C_ANGLE]
        own = (own - r[PART] * more) / total
        r[C_TENSION] = log  # of its weight, for now
        heavier += (own + r[PART] * log) * r[WEIGHT]
        part, change, way, k = part + r[PART], change + own, way + r[C_RATE], j
    k = 0
    while k < n - 1:
        r = x[k]
        r[C_TENSION] = r[WEIGHT] / weight * (mean + head[MEAN] * (r[C_TENSION] - heavier / weight))
        k = following(x, k)


@kernel
def fill_table(tree, e, head, x, table):
    """Derivatives of the tension of each span (row) along the scalars of each span (columns), and along the length alone."""
    n, j = tree.element[e, COUNT], 0
    while j < n - 1:
        end = following(x, j)
        for s in range(SCALARS + 1 if j == 0 else SCALARS):
            for k in range(n):
                x[k, C_SPAN] = 0.0
                x[k, C_ANGLE] = 0.0
                x[k, C_RATE] = 0.0
            stretch, column = 0.0, SCALARS * j + s
            if s == IN_SPAN:
                x[j, C_SPAN], stretch = 1.0, 1.0
            elif s == IN_LEAVES:
                stretch = number(tree, e, j, RADIUS)
                x[j, C_ANGLE] = 1.0 if j > 0 else 0.0
            elif s == IN_ARRIVES:
                stretch = -number(tree, e, end, RADIUS)
                x[end, C_ANGLE] = -1.0 if end < n - 1 else 0.0
            elif s == IN_RATE:
                x[j, C_RATE] = 1.0
            else:
                stretch, column = 1.0, SCALARS * n
            change_tensions(tree, e, head, x, stretch)
            k = 0
            while k < n - 1:
                table[k, column] = x[k, C_TENSION]
                k = following(x, k)
        j = end


@kernel
def turn_spans(tree, work, e, x, Rq, Ru):
    """Add what the spans do by their tensions alone while y changes; leaves its derivatives in the scratch."""
    n, k, s = tree.element[e, COUNT], 0, work.scratch
    E, C, W = s[E_ROW : E_ROW + 6], s[C_ROW : C_ROW + 6], s[W_ROW]
    while k < n - 1:
        j, r = following(x, k), x[k]
        a, b = node_of(tree, e, k), node_of(tree, e, j)
        if a != b:
            span_slopes(tree, work, e, k, j, r)
            for l in range(6):
                W[l] = -r[TENSION] * r[Y + l]
                for c in range(6):
                    E[l, c], C[l, c] = -r[TENSION] * r[D_Y + 6 * l + c], 0.0
            scatter(tree, work, -1, a, b, E, C, W, Rq, Ru)
        k = j


@kernel
def product(x, first, y):
    """Scalar product of six numbers of x from ``first`` on with y (6)."""
    return x[first] * y[0] + x[first + 1] * y[1] + x[first + 2] * y[2] + x[first + 3] * y[3] + x[first + 4] * y[4] + x[first + 5] * y[5]


@kernel
def rate_slope(work, r, a, b, side, d):
    """Change of the rate of a span between nodes a and b along column d on the path to one of them; needs ``tangents.columns``."""
    J, dv, v = work.column[d, at.COL_J], work.column[d, at.COL_DV], work.node[b if side == 1 else a]
    va, vb = work.node[a], work.node[b]
    w = (vb[at.V] - va[at.V], vb[at.V + 1] - va[at.V + 1], vb[at.V + 2] - va[at.V + 2])
    p = (vb[at.V + 3] - va[at.V + 3], vb[at.V + 4] - va[at.V + 4], vb[at.V + 5] - va[at.V + 5])
    sign, t, s = 2.0 * side - 1.0, (J[0], J[1], J[2]), (J[3], J[4], J[5])
    vw, vp = (v[at.V], v[at.V + 1], v[at.V + 2]), (v[at.V + 3], v[at.V + 4], v[at.V + 5])
    spin, fall, sway = cross(vw, t), cross(vp, t), cross(vw, s)
    x = 0.0
    for l in range(3):  # sign y . (dV - ad(V) J) + sign dy/ds_B J . (V_B - V_A)
        x += sign * (r[Y + l] * (dv[l] - spin[l]) + r[Y + 3 + l] * (dv[3 + l] - fall[l] - sway[l]))
        x += sign * (product(r, D_Y + 6 * l, J) * w[l] + product(r, D_Y + 6 * (3 + l), J) * p[l])
    if side == 0:  # -adT(y) J . (V_B - V_A)
        spin, fall, sway = cross(t, w), cross(s, w), cross(t, p)
        for l in range(3):
            x -= r[Y + l] * spin[l] + r[Y + 3 + l] * (fall[l] + sway[l])
    return x


@kernel
def add_column(tree, work, e, x, table, j, along, leaves, arrives, rate, faster, wound, column, Rq, Ru):
    """Add the efforts of all spans by changes of the scalars of span j, of its rate with a velocity, and of the length alone."""
    n, k = tree.element[e, COUNT], 0
    while k < n - 1:
        end, r, t = following(x, k), x[k], table[k]
        first = SCALARS * j
        f = along * t[first + IN_SPAN] + leaves * t[first + IN_LEAVES] + arrives * t[first + IN_ARRIVES]
        f += rate * t[first + IN_RATE] + wound * t[SCALARS * n]
        g = faster * t[first + IN_RATE]
        a, b = node_of(tree, e, k), node_of(tree, e, end)
        for side in range(2 if a != b else 0):
            sign, d = 2.0 * side - 1.0, last_column(tree, b if side == 1 else a)
            while d >= 0:
                y, row = sign * product(r, Y, work.column[d, at.COL_J]), tree.column[d, at.VELOCITY]
                Rq[tree.row_of[row], column] += y * f
                Ru[tree.row_of[row], column] += y * g
                d = tree.column[d, at.BEFORE]
        for side in range(2):
            y = drum_ratio(tree, e, k, end, side)
            if y != 0.0:
                row = tree.row_of[tree.element[e, DRUM_U + side]]
                Rq[row, column] += y * f
                Ru[row, column] += y * g
        k = end


@shared(TREE, WORK, INT, VEC, VEC, MAT, MAT)
def rope_differentiate(tree, work, e, q, u, Rq, Ru):
    """Add the tangents of a rope: wrenches enter the node matrices, couplings and efforts Rq and Ru (nu, nu)."""
    geometry(tree, work, e, q)
    pull(tree, work, e, u)
    n, head, x = places(tree, work, e)
    if head[MEAN] == 0.0:
        return
    table = block(work.flex, tree.element[e, SCRATCH] + HEAD + n * COLUMNS, n, SCALARS * n + 1)
    turn_spans(tree, work, e, x, Rq, Ru)
    fill_table(tree, e, head, x, table)
    j = 0
    while j < n - 1:
        end, r = following(x, j), x[j]
        a, b = node_of(tree, e, j), node_of(tree, e, end)
        for side in range(2 if a != b else 0):
            sign, d = 2.0 * side - 1.0, last_column(tree, b if side == 1 else a)
            while d >= 0:
                J, column = work.column[d, at.COL_J], tree.column[d, at.VELOCITY]
                faster, leaves, arrives = sign * product(r, Y, J), sign * product(r, D_LEAVES, J), sign * product(r, D_ARRIVES, J)
                along = faster - number(tree, e, j, RADIUS) * leaves + number(tree, e, end, RADIUS) * arrives
                rate = rate_slope(work, r, a, b, side, d)
                add_column(tree, work, e, x, table, j, along, leaves, arrives, rate, faster, 0.0 * along, column, Rq, Ru)
                d = tree.column[d, at.BEFORE]
        for side in range(2):
            g = drum_ratio(tree, e, j, end, side)
            if g != 0.0:
                none = 0.0 * g
                add_column(tree, work, e, x, table, j, none, none, none, none, g, g, tree.element[e, DRUM_U + side], Rq, Ru)
        j = end
