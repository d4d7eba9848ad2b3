"""Touches of sets of bodies that a step has passed over.

Steps do not end where a pair of a set begins to touch: there are too many, and error control sees a touch that lasts. It sees nothing of one that
begins and ends within a step. The way of a ball in a step is taken as the cubic through its places and velocities at both ends, as seen
from what it may touch. The cubic lies within the hull of its four control points, and so does each part of it; distances of convex bodies
are above those of their tangent planes, distances within hollow ones above the least at the control points. Parts that these bounds do not show to be
free are halved. Bodies that carry balls beside their joint, and surfaces that move, turn little in a step, so that cubics serve.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import turned, turned_back
from supple.core.bodies import chart, tree
from supple.core.contact import sets, surfaces
from supple.core.run import step as st
from supple.native.declare import INT, REAL, VEC, kernel, shared

TURN = 0.25  # rad in a step: the cubic of what turns so far is off by TURN^4/384 of its arm
LEAST, COARSE, MOST = 2.0**-40, 2.0**-10, 400  # shortest part of a step, and behind so many looks
ROUNDING = 8 * 2.2e-16


@kernel
def has_sets(m):
    """True if the model has sets of bodies whose pairs are found by cells."""
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == sets.CONTACT_SET:
            return True
    return False


@kernel
def flies(m, el, i):
    """True if ball i is in the middle of a body that hangs on nothing, or on what slides: turns do not move it."""
    n, k = sets.node_of(m, el, i), el[sets.AT] + sets.BALL_REALS * i
    if m.data[k] != 0.0 or m.data[k + 1] != 0.0 or m.data[k + 2] != 0.0:
        return False
    return m.node[n, at.PARENT] <= 0 and (m.node[n, at.MOTION] == at.FREE or m.node[n, at.MOTION] == at.PRISMATIC)


@kernel
def note_motions(m, w, e, h, end):
    """Write places and ways of balls, and motions of surfaces, at the start (``end`` 0) or end of a step; returns the largest turn."""
    el, o = m.element[e], w.origin
    ways, walls = sets.own(m, w, e)[7], sets.own(m, w, e)[8]
    n, most = el[sets.COUNT], 0.0
    x, v = ways[6 * n * end :], ways[6 * n * end + 3 * n :]
    for i in range(n):
        sets.put(m, w, el, i, x)
        r = w.node[sets.node_of(m, el, i)]
        a, b, c = x[3 * i] - o[0], x[3 * i + 1] - o[1], x[3 * i + 2] - o[2]
        v[3 * i] = h * (r[at.V + 3] + r[at.V + 1] * c - r[at.V + 2] * b)
        v[3 * i + 1] = h * (r[at.V + 4] + r[at.V + 2] * a - r[at.V] * c)
        v[3 * i + 2] = h * (r[at.V + 5] + r[at.V] * b - r[at.V + 1] * a)
        if not flies(m, el, i):
            most = max(most, h * math.sqrt(r[at.V] ** 2 + r[at.V + 1] ** 2 + r[at.V + 2] ** 2))
    g = walls[sets.MOTION * el[sets.WALLS] * end :]
    for s in range(el[sets.WALLS]):
        sets.put_wall(m, w, el, s, g)
        r, k = w.node[sets.node_of(m, el, n + s)], sets.MOTION * s
        a, b, c = g[k + 9] - o[0], g[k + 10] - o[1], g[k + 11] - o[2]
        g[k + 12], g[k + 13], g[k + 14] = h * r[at.V], h * r[at.V + 1], h * r[at.V + 2]
        g[k + 15] = h * (r[at.V + 3] + r[at.V + 1] * c - r[at.V + 2] * b)
        g[k + 16] = h * (r[at.V + 4] + r[at.V + 2] * a - r[at.V] * c)
        g[k + 17] = h * (r[at.V + 5] + r[at.V] * b - r[at.V + 1] * a)
        most = max(most, h * math.sqrt(r[at.V] ** 2 + r[at.V + 1] ** 2 + r[at.V + 2] ** 2))
    return most


@kernel
def near_in_step(m, w, e):
    """Make the list of pairs serve for the whole ways of the balls."""
    el = m.element[e]
    head, _, ref, _, _, _, _, ways, _, _ = sets.own(m, w, e)
    n, far, way = el[sets.COUNT], 0.0, 0.0
    for i in range(3 * n):
        a, b = ways[i], ways[6 * n + i]
        c, d, x = a + ways[3 * n + i] / 3.0, b - ways[9 * n + i] / 3.0, 0.5 * (a + b)
        far = max(far, max(max(abs(a - ref[i]), abs(b - ref[i])), max(abs(c - ref[i]), abs(d - ref[i]))))
        way = max(way, max(abs(a - x), max(abs(c - x), abs(d - x))))
    root = math.sqrt(3.0)  # of lengths along three axes
    if head[sets.MADE] > 0.0 and root * far < 0.5 * head[sets.MADE]:
        return
    if not sets.is_finite(ways, 12 * n):
        head[sets.MADE], head[sets.USED] = 0.0, 0.0
        return
    for i in range(3 * n):
        ref[i] = 0.5 * (ways[i] + ways[6 * n + i])
    sets.set_list(m, w, e, max(m.coef[e, sets.MARGIN], 2.1 * root * way))


@kernel
def mixed(a, b, s):
    """Point between two, as tuples."""
    return a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])


@kernel
def blossom(b, r, s, t):
    """Polar form of a cubic with the control points b."""
    p, q, u = mixed(b[0], b[1], r), mixed(b[1], b[2], r), mixed(b[2], b[3], r)
    p, q = mixed(p, q, s), mixed(q, u, s)
    return mixed(p, q, t)


@kernel
def gap_to(kind, hollow, size, y, ball):
    """Gap of a ball at the place y to a surface, and the gradient."""
    (d, nx, ny, nz, _, _, _, _, _, _), _ = surfaces.distance(kind, size, y)
    if hollow == 1:
        return -d - ball, (-nx, -ny, -nz)
    return d - ball, (nx, ny, nz)


@kernel
def least_gap(kind, hollow, size, ball, y, p):
    """Gap at the place y, the middle of a part of a way, and a bound of all within the hull of the control points p."""
    gap, n = gap_to(kind, hollow, size, y, ball)
    if not surfaces.is_convex(kind):
        far = 0.0
        for k in range(4):
            far = max(far, (p[k][0] - y[0]) ** 2 + (p[k][1] - y[1]) ** 2 + (p[k][2] - y[2]) ** 2)
        return gap, gap - math.sqrt(far)
    least = math.inf
    for k in range(4):
        if hollow == 1:
            least = min(least, gap_to(kind, hollow, size, p[k], ball)[0])
        else:
            least = min(least, gap + n[0] * (p[k][0] - y[0]) + n[1] * (p[k][1] - y[1]) + n[2] * (p[k][2] - y[2]))
    return gap, least


@shared(INT, INT, VEC, REAL, VEC, REAL, gives=REAL)
def missed_on(kind, hollow, size, ball, way, noise):
    """Fraction of a step at which a ball touches a surface, if it does not touch it at both ends; above 1 if at none.

    ``way`` (12) has the control points in the axes of the surface. A ball that touches at an end, and is on the other side at the other, gives a half.
    """
    b = (
        (way[0], way[1], way[2]), (way[3], way[4], way[5]), (way[6], way[7], way[8]), (way[9], way[10], way[11]),
    )  # fmt: skip
    begin, n = gap_to(kind, hollow, size, b[0], ball)
    end, after = gap_to(kind, hollow, size, b[3], ball)
    if end < 0.0 or begin < 0.0:  # a step that leads to the other side shows nothing of what is between
        return 0.5 if n[0] * after[0] + n[1] * after[1] + n[2] * after[2] < 0.0 else 2.0
    a, width, looks = 0.0, 1.0, 0
    while a < 1.0:
        looks += 1
        width = min(width, 1.0 - a)
        c, z = a + 0.5 * width, a + width
        y = blossom(b, c, c, c)
        p = (blossom(b, a, a, a), blossom(b, a, a, z), blossom(b, a, z, z), blossom(b, z, z, z))
        gap, least = least_gap(kind, hollow, size, ball, y, p)
        if gap < -noise:
            return c
        if least >= -noise or width <= (LEAST if looks < MOST else COARSE):
            a, width = z, 2.0 * width
        else:
            width *= 0.5
    return 2.0


@kernel
def ball_way(m, el, ways, i, j, way):
    """Write control points of ball j as seen from ball i; True if a plane shows that they do not touch in the step."""
    n, near = el[sets.COUNT], sets.radius(m, el, i) + sets.radius(m, el, j)
    for k in range(3):
        a, b = ways[3 * j + k] - ways[3 * i + k], ways[6 * n + 3 * j + k] - ways[6 * n + 3 * i + k]
        u, v = ways[3 * n + 3 * j + k] - ways[3 * n + 3 * i + k], ways[9 * n + 3 * j + k] - ways[9 * n + 3 * i + k]
        way[k], way[3 + k], way[6 + k], way[9 + k] = a, a + u / 3.0, b - v / 3.0, b
    x, y, z = way[0] + way[9], way[1] + way[10], way[2] + way[11]
    near *= math.sqrt(x * x + y * y + z * z)
    for k in range(4):
        if not x * way[3 * k] + y * way[3 * k + 1] + z * way[3 * k + 2] > near:
            return False
    return True


@kernel
def wall_way(m, el, walls, ways, i, s, way):
    """Write control points of ball i as seen from surface s."""
    n, many = el[sets.COUNT], sets.MOTION * el[sets.WALLS]
    for end in range(2):
        g, x = walls[many * end :], ways[6 * n * end :]
        y, a = sets.within(m, el, s, g, x, i)
        k, arm = sets.MOTION * s, turned(a, y)
        w, v = (g[k + 12], g[k + 13], g[k + 14]), x[3 * n + 3 * i : 3 * n + 3 * i + 3]
        u = (
            v[0] - g[k + 15] - (w[1] * arm[2] - w[2] * arm[1]),
            v[1] - g[k + 16] - (w[2] * arm[0] - w[0] * arm[2]),
            v[2] - g[k + 17] - (w[0] * arm[1] - w[1] * arm[0]),
        )
        u, sign = turned_back(a, u), 1.0 - 2.0 * end
        for l in range(3):
            way[9 * end + l], way[3 + 3 * end + l] = y[l], y[l] + sign * u[l] / 3.0


@kernel
def too_far(m, el, s, way, ball):
    """True if a ball is surely apart from surface s all along its way."""
    extent = m.data[el[sets.WALL_AT] + sets.WALL_REALS * s + sets.EXTENT]
    x, y, z = way[0] + way[9], way[1] + way[10], way[2] + way[11]
    near = (extent + ball) * math.sqrt(x * x + y * y + z * z)
    for k in range(4):
        if not x * way[3 * k] + y * way[3 * k + 1] + z * way[3 * k + 2] > near:
            return False
    return extent > 0.0


@kernel
def missed_in_set(m, w, e, way):
    """Fraction of the step at which a pair of set e touches that does not at both ends; above 1 if none does."""
    el, found = m.element[e], 2.0
    head, _, _, first, _, _, _, ways, walls, list_ = sets.own(m, w, e)
    n, size, listed = el[sets.COUNT], head[sets.BOTH : sets.HEAD], head[sets.USED] == 1.0
    for i in range(n):
        begin, end, mine = i + 1, n + el[sets.WALLS], sets.radius(m, el, i)
        if listed:
            begin, end = int(first[i]), int(first[i + 1])
        for k in range(begin, end):
            j = int(list_[k]) if listed else k
            if not listed and sets.kept_apart(m, el, sets.group(m, el, i), sets.group(m, el, j)):
                continue
            noise = ROUNDING * (abs(ways[3 * i]) + abs(ways[3 * i + 1]) + abs(ways[3 * i + 2]) + mine)
            if j < n:
                if not ball_way(m, el, ways, i, j, way):
                    size[0] = mine + sets.radius(m, el, j)
                    found = min(found, missed_on(surfaces.BALL, 0, size, 0.0, way, noise))
                continue
            s = j - n
            wall_way(m, el, walls, ways, i, s, way)
            if not too_far(m, el, s, way, mine):
                row, at_ = el[sets.SURFACES] + sets.WALL_INTS * s, el[sets.WALL_AT] + sets.WALL_REALS * s
                numbers = m.data[at_ + sets.SIZES : at_ + sets.CURVATURE]
                for l in range(surfaces.SIZES):
                    size[l] = numbers[l]
                found = min(found, missed_on(m.program[row + sets.KIND], m.program[row + sets.HOLLOW], size, mine, way, noise))
    return found


@shared(TREE, WORK, st.RUN, VEC, REAL, gives=REAL)
def missed_touch(m, w, r, y, h):
    """Fraction of a step of size h at which a pair of a set touches that does not at both ends, or up to which bodies turn little; above 1 if there is none.

    ``y`` are increments of coordinates and velocities at its end. No matter how the lists of pairs are, it is the same.
    """
    nu, found, most = r.u.shape[0], 2.0, 0.0
    tree.poses(m, w, r.q)
    tree.motion(m, w, r.u, r.u)  # accelerations do not enter
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == sets.CONTACT_SET:
            most = max(most, note_motions(m, w, e, h, 0))
    for k in range(nu):
        r.xt[k], r.ut[k] = y[k], r.u[k] + y[nu + k]
    chart.retract(m, r.q, r.xt, r.qt)
    tree.poses(m, w, r.qt)
    tree.motion(m, w, r.ut, r.ut)
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == sets.CONTACT_SET:
            most = max(most, note_motions(m, w, e, h, 1))
    if most > 1.01 * TURN:
        return TURN / most
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == sets.CONTACT_SET:
            near_in_step(m, w, e)
            found = min(found, missed_in_set(m, w, e, w.scratch[0:2].reshape(12)))
    return found
