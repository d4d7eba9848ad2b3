"""Contact of many bodies: balls among each other and with surfaces, pairs that are near found by cells.

The list of pairs holds all whose surfaces are nearer than a margin. It serves as long as no ball has gone farther than half of that from where it was
when the list was made; each evaluation looks at that first. Pairs are taken in the order of their numbers, and those that do not touch add
nothing: forces have the same bits whatever margin and age the list has. It is kept in the workspace and is no part of the state. Surfaces
that rest are in the list where they are near, those that move always. A list that is longer than its room is not used: all pairs are
looked at then.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import add_wrench, cross, frame, last_column, turned, turned_back
from supple.core.contact import contact, surfaces
from supple.core.contact.contact import dot, plus, scaled
from supple.native.declare import INT, MAT, REAL, kernel, shared

CONTACT_SET, SET_RUBBING = 22, 23  # the push of a set, and behind it the channel of what friction takes
# Element integers: integers of balls and of surfaces in the programs with their numbers, pairs of groups that do not touch, numbers of both
# in the data, scratch in the flexible workspace, 1 with friction, pairs that the list has room for
BALLS, COUNT, WALLS, SURFACES, JOINED, JOINTS, AT, WALL_AT, SCRATCH, FRICTION, ROOM = range(1, 12)
# Element reals beside those of single contacts: 1 if the stiffness is that of Hertz for a curvature of 1/m, the margin of the list
ROUND, MARGIN = 26, 27
# A ball: node, and number of its body; place, radius. A surface the same, kind, 1 if it is turned inside out; pose, sizes, curvature,
# radius about its place that holds all of it (0: none), allowed depth (0: none). A ball is allowed to overlap by a part of its radius
NODE, GROUP, BALL_INTS = range(3)
KIND, HOLLOW, WALL_INTS = range(2, 5)
PLACE, RADIUS, BALL_REALS = starts(3, 1)
POSE, SIZES, CURVATURE, EXTENT, ALLOWED, WALL_REALS = starts(at.POSE, surfaces.SIZES, 1, 1, 1)
ALLOWED_PART = 0.05
# Scratch: margin of the list (0: there is none), sum of the radii that it was made for, 1 if it is used, what friction takes; touching pairs,
# largest depth, and over what is allowed, sum of pushes, stored energy; the sizes of a ball about another; then lists, each behind the one before
MADE, SUM, USED, LOST, TOUCHING, DEEPEST, OVER, PUSHED, STORED, BOTH, HEAD = starts(1, 1, 1, 1, 1, 1, 1, 1, 1, surfaces.SIZES)
MOTION = 18  # numbers of the motion of a surface: axes and place, angular velocity, velocity of the place
BALL_SCRATCH, WALL_SCRATCH = 25, 2 * MOTION  # numbers of scratch for each, beside head, list and one more first pair
PER_BALL = 24  # pairs of a ball that there is room for
FAR = 2.0**30  # cells from the first ball beyond which all have the same number
# What is shown of a touching pair: numbers of ball and of the other ball, or of balls plus surface; gap, normal, point, push, friction on the second
FIRST, SECOND, GAP, N, P, PUSH, RUB, ROW = starts(1, 1, 1, 3, 3, 1, 3)


def room_for(balls: int, walls: int) -> int:
    """Pairs that the list has room for."""
    return balls * (PER_BALL + walls)


def scratch_size(balls: int, walls: int) -> int:
    """Numbers of scratch of a set."""
    return HEAD + BALL_SCRATCH * balls + 1 + WALL_SCRATCH * walls + room_for(balls, walls)


@kernel
def own(tree, work, e):
    """Scratch of a set: head, places, places of the list, first pairs, cells, next of a cell, first of a cell, motions, poses, the list."""
    el = tree.element[e]
    n, s, i = el[COUNT], el[WALLS], el[SCRATCH]
    f = work.flex
    a = i + HEAD
    return (
        f[i:a], f[a : a + 3 * n], f[a + 3 * n : a + 6 * n], f[a + 6 * n : a + 7 * n + 1], f[a + 7 * n + 1 : a + 10 * n + 1],
        f[a + 10 * n + 1 : a + 11 * n + 1], f[a + 11 * n + 1 : a + 13 * n + 1], f[a + 13 * n + 1 : a + 25 * n + 1],
        f[a + 25 * n + 1 : a + 25 * n + 1 + 2 * MOTION * s], f[a + 25 * n + 1 + 2 * MOTION * s : a + 25 * n + 1 + 2 * MOTION * s + el[ROOM]],
    )  # fmt: skip


@kernel
def kept_apart(tree, el, a, b):
    """True if bodies with these numbers do not touch: they are one, or in the ordered list."""
    if a == b:
        return True
    low, high = (a, b) if a < b else (b, a)
    code, first, end = low * 4294967296 + high, 0, el[JOINTS]
    while first < end:
        middle = (first + end) // 2
        if tree.program[el[JOINED] + middle] < code:
            first = middle + 1
        else:
            end = middle
    return first < el[JOINTS] and tree.program[el[JOINED] + first] == code


@kernel
def group(tree, el, i):
    """Number of the body of a ball, or behind balls of a surface."""
    if i < el[COUNT]:
        return tree.program[el[BALLS] + BALL_INTS * i + GROUP]
    return tree.program[el[SURFACES] + WALL_INTS * (i - el[COUNT]) + GROUP]


@kernel
def node_of(tree, el, i):
    """Node of a ball, or behind balls of a surface."""
    if i < el[COUNT]:
        return tree.program[el[BALLS] + BALL_INTS * i + NODE]
    return tree.program[el[SURFACES] + WALL_INTS * (i - el[COUNT]) + NODE]


@kernel
def radius(tree, el, i):
    """Radius of a ball."""
    return tree.data[el[AT] + BALL_REALS * i + RADIUS]


@kernel
def put(tree, work, el, i, x):
    """Write the place of ball i, world axes, to x[3 i]."""
    r, k = work.node[node_of(tree, el, i)], el[AT] + BALL_REALS * i
    a, b, c = tree.data[k], tree.data[k + 1], tree.data[k + 2]
    x[3 * i] = r[at.P] + r[0] * a + r[1] * b + r[2] * c
    x[3 * i + 1] = r[at.P + 1] + r[3] * a + r[4] * b + r[5] * c
    x[3 * i + 2] = r[at.P + 2] + r[6] * a + r[7] * b + r[8] * c


@kernel
def put_wall(tree, work, el, s, g):
    """Write axes and place, world axes, of surface s to g[MOTION s]."""
    k, o = MOTION * s, work.origin
    a = frame(work, node_of(tree, el, el[COUNT] + s), tree.data, el[WALL_AT] + WALL_REALS * s + POSE)
    g[k], g[k + 1], g[k + 2], g[k + 3], g[k + 4], g[k + 5], g[k + 6], g[k + 7], g[k + 8] = a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]
    g[k + 9], g[k + 10], g[k + 11] = a[9] + o[0], a[10] + o[1], a[11] + o[2]


@kernel
def within(tree, el, s, g, x, i):
    """Place of ball i in the axes of surface s, and these axes."""
    k = MOTION * s
    a = (g[k], g[k + 1], g[k + 2], g[k + 3], g[k + 4], g[k + 5], g[k + 6], g[k + 7], g[k + 8])
    return turned_back(a, (x[3 * i] - g[k + 9], x[3 * i + 1] - g[k + 10], x[3 * i + 2] - g[k + 11])), a


@kernel
def wall_distance(tree, el, s, y):
    """Signed distance of the place y (in its axes) from surface s, and its gradient."""
    j, k = el[SURFACES] + WALL_INTS * s, el[WALL_AT] + WALL_REALS * s
    (d, nx, ny, nz, _, _, _, _, _, _), _ = surfaces.distance(tree.program[j + KIND], tree.data[k + SIZES : k + CURVATURE], y)
    if tree.program[j + HOLLOW] == 1:
        return -d, -nx, -ny, -nz
    return d, nx, ny, nz


@kernel
def rests(tree, el, s):
    """True if surface s does not move."""
    return last_column(tree, node_of(tree, el, el[COUNT] + s)) < 0


@kernel
def cell_of(x, first, size):
    """Number of the cell of a place along one axis."""
    return int(min(max(math.floor(((x - first) / size).real), -FAR), FAR))


@kernel
def bucket_of(a, b, c, mask):
    """Where the balls of a cell are found, and those of others with the same last bits."""
    return ((a * 73856093) ^ (b * 19349663) ^ (c * 83492791)) & mask


@kernel
def buckets_for(n):
    """A power of two, between n and 2 n."""
    buckets = 1
    while buckets < n:
        buckets *= 2
    return buckets


@kernel
def fill_cells(tree, el, ref, cell, following, bucket, size):
    """Sort balls into cells of this size."""
    mask = buckets_for(el[COUNT]) - 1
    for k in range(mask + 1):
        bucket[k] = 0.0
    for i in range(el[COUNT]):
        a, b, c = cell_of(ref[3 * i], ref[0], size), cell_of(ref[3 * i + 1], ref[1], size), cell_of(ref[3 * i + 2], ref[2], size)
        k = bucket_of(a, b, c, mask)
        cell[3 * i], cell[3 * i + 1], cell[3 * i + 2] = a, b, c
        following[i] = bucket[k]
        bucket[k] = i + 1.0


@kernel
def put_in_order(list_, first, end):
    """Sort a part of a list."""
    for k in range(first + 1, end):
        x, l = list_[k], k
        while l > first and list_[l - 1].real > x.real:
            list_[l] = list_[l - 1]
            l -= 1
        list_[l] = x


@shared(TREE, WORK, INT, REAL)
def set_list(tree, work, e, margin):
    """Make the list of pairs that are nearer than the margin where the balls are at the places of the list; motions of surfaces are known."""
    el = tree.element[e]
    head, _, ref, first, cell, following, bucket, _, walls, pairs = own(tree, work, e)
    n, widest = el[COUNT], 0.0
    for i in range(n):
        widest = max(widest, radius(tree, el, i))
    head[MADE], head[USED] = margin, 1.0
    fill_cells(tree, el, ref, cell, following, bucket, 2.0 * widest + margin)
    found, mask = 0, buckets_for(n) - 1
    for i in range(n):
        first[i] = found
        a, b, c = int(cell[3 * i].real), int(cell[3 * i + 1].real), int(cell[3 * i + 2].real)
        mine, body, begin = radius(tree, el, i), group(tree, el, i), found
        for m in range(27):
            u, v, w = a + m % 3 - 1, b + (m // 3) % 3 - 1, c + m // 9 - 1
            j = int(bucket[bucket_of(u, v, w, mask)].real) - 1
            while j >= 0:
                if j > i and cell[3 * j].real == u and cell[3 * j + 1].real == v and cell[3 * j + 2].real == w:
                    x, y, z = ref[3 * j] - ref[3 * i], ref[3 * j + 1] - ref[3 * i + 1], ref[3 * j + 2] - ref[3 * i + 2]
                    near = mine + radius(tree, el, j) + margin
                    if (x * x + y * y + z * z).real < near * near and not kept_apart(tree, el, body, group(tree, el, j)):
                        if found >= el[ROOM]:
                            head[USED] = 0.0
                            return
                        pairs[found] = j
                        found += 1
                j = int(following[j].real) - 1
        put_in_order(pairs, begin, found)
        for s in range(el[WALLS]):
            if kept_apart(tree, el, body, group(tree, el, n + s)):
                continue
            if not rests(tree, el, s) or wall_distance(tree, el, s, within(tree, el, s, walls, ref, i)[0])[0].real < mine + 0.5 * margin:
                if found >= el[ROOM]:
                    head[USED] = 0.0
                    return
                pairs[found] = n + s
                found += 1
    first[n] = found


@kernel
def is_finite(x, count):
    """True if numbers are finite."""
    total = 0.0
    for k in range(count):
        total += 0.0 * x[k].real
    return total == 0.0


@shared(TREE, WORK, INT)
def set_near(tree, work, e):
    """Places of balls and motions of surfaces at the state in the workspace; a new list if the old one may lack a pair."""
    el, c = tree.element[e], tree.coef[e]
    head, x, ref, _, _, _, _, _, walls, _ = own(tree, work, e)
    n, total, farthest = el[COUNT], 0.0, 0.0
    for s in range(el[WALLS]):
        put_wall(tree, work, el, s, walls)
    for i in range(n):
        put(tree, work, el, i, x)
        a, b, d = (x[3 * i] - ref[3 * i]).real, (x[3 * i + 1] - ref[3 * i + 1]).real, (x[3 * i + 2] - ref[3 * i + 2]).real
        farthest, total = max(farthest, a * a + b * b + d * d), total + radius(tree, el, i)
    if head[MADE].real > 0.0 and head[SUM].real == total and farthest < 0.25 * head[MADE].real * head[MADE].real:
        return
    if not is_finite(x, 3 * n):  # the state fails for itself
        head[MADE], head[USED] = 0.0, 0.0
        return
    for k in range(3 * n):
        ref[k] = x[k]
    set_list(tree, work, e, c[MARGIN])
    head[SUM] = total  # by these operations: others may round it otherwise


@kernel
def may_touch(tree, el, x, walls, i, j, listed):
    """True if ball i is not surely apart from ball j, or surface j less the number of balls, by bounds; without a list also by their bodies."""
    if j < el[COUNT]:
        a, b, c = x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]
        near = radius(tree, el, i) + radius(tree, el, j)
        if not (a * a + b * b + c * c).real < near * near:
            return False
    else:
        s = j - el[COUNT]
        extent, k = tree.data[el[WALL_AT] + WALL_REALS * s + EXTENT], MOTION * s + 9
        if extent > 0.0:
            a, b, c = x[3 * i] - walls[k], x[3 * i + 1] - walls[k + 1], x[3 * i + 2] - walls[k + 2]
            near = extent + radius(tree, el, i)
            if not (a * a + b * b + c * c).real < near * near:
                return False
    return listed or not kept_apart(tree, el, group(tree, el, i), group(tree, el, j))


@kernel
def met(tree, work, el, x, walls, i, j):
    """Gap of a pair, its normal, the point of contact from the reference point, the sum of curvatures, allowed depth; A is ball i, or the surface."""
    o, mine = work.origin, radius(tree, el, i)
    if j < el[COUNT]:
        d = (x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2])
        other, length = radius(tree, el, j), np.sqrt(dot(d, d))
        n = (0.0 * length, 0.0 * length, 1.0 + 0.0 * length)
        if length.real > 0.0:
            n = scaled(1.0 / length, d)
        p = plus((x[3 * i] - o[0], x[3 * i + 1] - o[1], x[3 * i + 2] - o[2]), 0.5 * (length + mine - other), n)
        return length - mine - other, n, p, curved(mine) + curved(other), ALLOWED_PART * min(mine, other)
    s = j - el[COUNT]
    y, a = within(tree, el, s, walls, x, i)
    d, nx, ny, nz = wall_distance(tree, el, s, y)
    n, k = turned(a, (nx, ny, nz)), el[WALL_AT] + WALL_REALS * s
    p = plus((x[3 * i] - o[0], x[3 * i + 1] - o[1], x[3 * i + 2] - o[2]), -0.5 * (mine + d), n)
    allowed = ALLOWED_PART * mine
    if tree.data[k + ALLOWED] > 0.0:
        allowed = min(allowed, tree.data[k + ALLOWED])
    return d - mine, n, p, curved(mine) + tree.data[k + CURVATURE], allowed


@kernel
def curved(radius_):
    """Curvature of a ball; of a point, whose stiffness does not depend on it, zero."""
    return 1.0 / radius_ if radius_ > 0.0 else 0.0


@kernel
def pushed(c, curvature, p, rate):
    """Push at the depth p above zero, and its elastic part."""
    k = c[contact.STIFFNESS]
    if c[ROUND] == 1.0:
        k = k / math.sqrt(curvature)
    elastic = k * p
    if c[contact.EXPONENT] == 1.5:
        elastic = elastic * np.sqrt(p)
    elif c[contact.EXPONENT] != 1.0:
        elastic = k * p ** c[contact.EXPONENT]
    n = elastic * (1.0 + c[contact.DAMPING] * rate)
    if n.real < 0.0:
        n = 0.0 * n
    return n, elastic


@kernel
def seen(work, a, b, p):
    """Velocity and angular velocity of node b as seen from node a at the point p."""
    va, vb = work.node[a], work.node[b]
    w = (vb[at.V] - va[at.V], vb[at.V + 1] - va[at.V + 1], vb[at.V + 2] - va[at.V + 2])
    turn = cross(w, p)
    return (vb[at.V + 3] - va[at.V + 3] + turn[0], vb[at.V + 4] - va[at.V + 4] + turn[1], vb[at.V + 5] - va[at.V + 5] + turn[2]), w


@kernel
def rubbed(c, el, n, force, v, w):
    """Friction t, torque of resistance, and what is lost."""
    zero = 0.0 * force
    t, torque, lost = (zero, zero, zero), (zero, zero, zero), zero
    if el[FRICTION] == 1:
        t = contact.rounded(c, n, n, force, v)  # with one coefficient, so that no axis counts
        lost = lost + dot(t, v)
        if c[contact.ROLLING] > 0.0 or c[contact.SPINNING] > 0.0:
            torque = contact.resistance(c, n, force, w)
            lost = lost + dot(torque, w)
    return t, torque, lost


@shared(TREE, WORK, INT, INT, MAT, gives=REAL)
def set_touch(tree, work, e, acts, out):
    """Power that the pushes of set e take, by the pairs that touch; the first of them fill rows of out (m, ROW).

    In its scratch: their number, what friction takes, largest depth, and over what is allowed, sum of pushes, stored energy. With ``acts`` 1
    wrenches act on the nodes.
    """
    set_near(tree, work, e)
    el, c = tree.element[e], tree.coef[e]
    head, x, _, first, _, _, _, _, walls, list_ = own(tree, work, e)
    lost, rubs, stored, pushes, o = 0.0 * x[0], 0.0 * x[0], 0.0 * x[0], 0.0 * x[0], work.origin
    found, deepest, over, listed = 0, 0.0, 0.0, head[USED].real == 1.0
    for i in range(el[COUNT]):
        begin, end = i + 1, el[COUNT] + el[WALLS]
        if listed:
            begin, end = int(first[i].real), int(first[i + 1].real)
        for k in range(begin, end):
            j = int(list_[k].real) if listed else k
            if not may_touch(tree, el, x, walls, i, j, listed):
                continue
            gap, n, p, curvature, allowed = met(tree, work, el, x, walls, i, j)
            if gap.real >= 0.0:
                continue
            a, b = (i, j) if j < el[COUNT] else (j, i)
            one, two = node_of(tree, el, a), node_of(tree, el, b)
            v, w = seen(work, one, two, p)
            rate = -dot(n, v)
            force, elastic = pushed(c, curvature, -gap, rate)
            t, torque, taken = rubbed(c, el, n, force, plus(v, rate, n), w)
            lost, rubs = lost + (force - elastic) * rate, rubs + taken
            stored, pushes = stored - elastic * gap / (c[contact.EXPONENT] + 1.0), pushes + force
            deepest = max(deepest, -gap.real)
            if allowed > 0.0:
                over = max(over, -gap.real / allowed)
            if acts == 1:
                f = plus(scaled(force, n), -1.0, t)
                add_wrench(work, two, p, f, scaled(-1.0, torque), 1.0)
                add_wrench(work, one, p, f, scaled(-1.0, torque), -1.0)
            if found < out.shape[0]:
                row = out[found]
                row[FIRST], row[SECOND], row[GAP], row[PUSH] = a, b, gap, force
                for l in range(3):
                    row[N + l], row[P + l], row[RUB + l] = n[l], p[l] + o[l], -t[l]
            found += 1
    head[TOUCHING], head[LOST], head[DEEPEST], head[OVER], head[PUSHED], head[STORED] = found, rubs, deepest, over, pushes, stored
    return lost


@kernel
def set_apply(tree, work, e):
    """Apply the wrenches of set e to the nodes, and return the power that the pushes take."""
    return set_touch(tree, work, e, 1, work.scratch[0:0])


@kernel
def set_rubs(tree, work, e):
    """Power that the friction of a set takes; e is its channel, which has the same integers and numbers.

    Behind the element of the set it is known.
    """
    if e == 0 or tree.element[e - 1, at.KIND] != CONTACT_SET or tree.element[e - 1, SCRATCH] != tree.element[e, SCRATCH]:
        set_touch(tree, work, e, 0, work.scratch[0:0])
    return own(tree, work, e)[0][LOST]


@kernel
def set_sums(tree, work, e):
    """Stored energy (J) of set e."""
    set_touch(tree, work, e, 0, work.scratch[0:0])
    return own(tree, work, e)[0][STORED]


@kernel
def set_pairs(tree, work, e, out):
    """Fill rows of out (m, ROW) with the pairs of set e that touch; returns their number, which may be larger than m."""
    set_touch(tree, work, e, 0, out)
    return int(own(tree, work, e)[0][TOUCHING].real)
