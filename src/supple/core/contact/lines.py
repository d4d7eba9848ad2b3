"""Contact of two lines, the axes of slender bodies with a radius each, or of a line with itself.

Through the stations of a line, points of its body, goes a curve of cubic pieces with a tangent that is continuous. Balls are spread along the first
line, many in each piece; each touches the second one at every place where its distance from that is least, so that

    D = sum s_j p_j      T = sum w_j' p_j      D.T = 0      d = |D|      n = D/d      depth  R - d      rate  -n.(sum s_j v_j)

with the stations p_j of both lines and their velocities, s_j the weights of the ball's place less those w_j(t) of the nearest place, T the tangent there.
At an end of the line t is constant instead. The push N s_j n at each station is minus the gradient of what is stored, whatever t does. It is
continuous where t goes from one piece to the next.

Stations have no axes, and a force at each is all that acts: forces that are gradients of scalars that do not change when all turns together
keep angular momentum. Friction is that of two such scalars, the ways along both lines, with the tangent S of the ball's line and its weights b_j':

    a = (D.T)'/|T|      b = (D.S)'/|S|      c = T.S/(|T| |S|)      r = b - c a      g = mu N/sqrt(a^2 + (1 - c^2) r^2 + v0^2)
    lost  g (a^2 + (1 - c^2) r^2)

where ' on D.T and D.S is the rate with constant weights. Lines do not resist turning about their own axes: parallel ones roll on each other, and
those that cross do so by the square of the cosine of their angle. The force at a station is

    F_j = s_j (N n - x T - y S) - (w_j' x + b_j' y) D      x = g (a - c (1 - c^2) r)/|T|      y = g (1 - c^2) r/|S|
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, point
from supple.core.contact import contact
from supple.core.contact.contact import dot, plus, scaled
from supple.native.declare import INT, MAT, REAL, block, kernel, shared

LINE_CONTACT, LINE_RUBBING = 24, 25  # the push of two lines, and behind it the channel of what friction takes
# Element integers: number of stations, of their nodes in the programs (places as of ropes); pieces in the programs, the number with balls, which are
# the first, the first piece of the other line, and all; numbers in the data, scratch in the flexible workspace, 1 with friction
COUNT, NODES, PIECES, BALLS, OTHER, ALL, AT, SCRATCH, FRICTION = range(1, 10)
# Integers of a piece: its four stations, number of balls
MANY, PIECE_INTS = 4, 5
# Data: sum of radii, radius of the balls, length along a line within which it does not touch itself (0: two lines); then of each station its place in
# the node's axes; then of each piece cubics of the weights of its four stations, where it begins along its line, its length, length of each ball
REACH, RADIUS, APART, STATIONS = range(4)
START, LENGTH, SHARE, PIECE_REALS = 16, 17, 18, 19
# Scratch: what friction takes, largest depth, balls that touch, sum of pushes, least gap of a search, weights of a ball; then of each station place, velocity, force, way; of each piece
# its middle, the radius about it, least gap, its rate, mark; tangents of a pair of pieces
LOST, DEEPEST, TOUCHING, PUSHED, LEAST, BALL, HEAD = starts(1, 1, 1, 1, 1, 32)
P, V, F, WAY, STATION = starts(3, 3, 3, 1)
MIDDLE, AROUND, GAP, RATE, MARK, SPENT, PIECE = starts(3, 1, 1, 1, 1, 1)
SIZE = 24  # three directions of the stations of two pieces
LOOKS, CLOSE = 60, 1e-13
CLEAR = 1e-3  # gap, in sums of radii, above which bounds will do
LEAN = 1.25  # no sum of magnitudes of the weights of a curve is larger


def scratch_size(stations: int, pieces: int) -> int:
    """Numbers of scratch that two lines need."""
    return HEAD + STATION * stations + PIECE * pieces + 2 * SIZE * SIZE


@kernel
def own(tree, work, e):
    """Scratch of an element: head, stations, pieces, and stiffness and damping of a pair of pieces."""
    el, f = tree.element[e], work.flex
    a = el[SCRATCH] + HEAD
    b = a + STATION * el[COUNT]
    c = b + PIECE * el[ALL]
    d = c + SIZE * SIZE
    return (
        f[el[SCRATCH] : a], f[a:b].reshape(el[COUNT], STATION), f[b:c].reshape(el[ALL], PIECE), block(f, c, SIZE, SIZE), block(f, d, SIZE, SIZE),
    )  # fmt: skip


@kernel
def piece_of(tree, el, k):
    """Integers and numbers of piece k."""
    i, j = el[PIECES] + PIECE_INTS * k, el[AT] + STATIONS + 3 * el[COUNT] + PIECE_REALS * k
    return tree.program[i : i + PIECE_INTS], tree.data[j : j + PIECE_REALS]


@kernel
def weights(c, j, t):
    """Weight of station j of a piece with the numbers c at its place t, and its first two derivatives."""
    a, b, d = c[4 * j + 1], c[4 * j + 2], c[4 * j + 3]
    return c[4 * j] + t * (a + t * (b + t * d)), a + t * (2.0 * b + 3.0 * t * d), 2.0 * b + 6.0 * t * d


@kernel
def curve(x, p, c, t):
    """Point of a piece at its place t, and its first two derivatives."""
    zero = 0.0 * t
    a, b, d = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero)
    for j in range(4):
        w, u, v = weights(c, j, t)
        q = (x[p[j], P], x[p[j], P + 1], x[p[j], P + 2])
        a, b, d = plus(a, w, q), plus(b, u, q), plus(d, v, q)
    return a, b, d


@kernel
def minus(a, b):
    """a - b of tuples."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def slope_at(tree, el, x, k, t, ball):
    """(ball - x).x' at the place t of piece k: positive where the nearest place lies behind."""
    p, c = piece_of(tree, el, k)
    a, b, _ = curve(x, p, c, t + 0.0 * ball[0])
    return dot(minus(ball, a), b)


@kernel
def root(x, p, c, ball, low, high, t):
    """Place of a piece between two others at which the slope falls through zero; the search begins at t."""
    for k in range(LOOKS):
        a, b, d = curve(x, p, c, t)
        w = minus(ball, a)
        slope, fall = dot(w, b), dot(b, b) - dot(w, d)
        if slope.real > 0.0:
            low = t.real
        else:
            high = t.real
        step = slope / fall if fall.real > 0.0 else 2.0 + 0.0 * slope
        inside = low <= (t + step).real <= high
        if inside and abs(step.real) <= CLOSE:
            return t + step
        if high - low <= CLOSE:
            return t
        t = t + step if inside and k % 4 < 3 else 0.5 * (low + high) + 0.0 * t
    return t


@kernel
def meets(tree, el, x, k, ball, along):
    """1 if the distance of a ball is least within piece k, 2 if at an end of the line, else 0; and the place there.

    Slopes at stations are those of the piece behind: a place is of one piece, or of none, whatever rounding does. ``along`` is the place of the
    ball along its own line.
    """
    zero, found = 0.0 * ball[0], 1
    t, after = zero, zero
    first = slope_at(tree, el, x, k, 0.0, ball)
    if first.real <= 0.0:
        if k > el[OTHER]:
            return 0, zero
        found = 2
    else:
        last = k + 1 == el[ALL]
        after = slope_at(tree, el, x, k, 1.0, ball) if last else slope_at(tree, el, x, k + 1, 0.0, ball)
        if after.real > 0.0:
            if not last:
                return 0, zero
            found, t = 2, 1.0 + zero
    p, c = piece_of(tree, el, k)
    if found == 1:
        t = root(x, p, c, ball, 0.0, 1.0, zero + (first / (first - after)).real)
    if abs(along - (c[START] + c[LENGTH] * t.real)) < tree.data[el[AT] + APART]:
        return 0, zero
    return found, t


@kernel
def least_on(tree, el, x, k, ball, along):
    """Least distance of a ball from piece k, its place there, but for what is too near along the same line; infinite if nothing is left."""
    p, c = piece_of(tree, el, k)
    apart, best, place = tree.data[el[AT] + APART], math.inf, 0.0
    for side in range(2 if apart > 0.0 else 1):  # what lies ahead of the ball, and behind it
        low, high = 0.0, 1.0
        if apart > 0.0 and side == 0:
            low = max(0.0, (along + apart - c[START]) / c[LENGTH])
        elif apart > 0.0:
            high = min(1.0, (along - apart - c[START]) / c[LENGTH])
        if low > high:
            continue
        inside = slope_at(tree, el, x, k, low, ball) > 0.0 and slope_at(tree, el, x, k, high, ball) < 0.0
        for i in range(1 if inside else 2):
            t = root(x, p, c, ball, low, high, 0.5 * (low + high)) if inside else (low if i == 0 else high)
            w = minus(ball, curve(x, p, c, t)[0])
            d = math.sqrt(dot(w, w))
            if d < best:
                best, place = d, t
    return best, place


@kernel
def place_stations(tree, work, e):
    """Places and velocities of the stations, and balls around the pieces: through their ends and Bezier's points between."""
    el = tree.element[e]
    _, x, y, _, _ = own(tree, work, e)
    for j in range(el[COUNT]):
        i, s = el[AT] + STATIONS + 3 * j, x[j]
        s[P], s[P + 1], s[P + 2], s[V], s[V + 1], s[V + 2] = point(
            work, tree.program[el[NODES] + j], tree.data[i], tree.data[i + 1], tree.data[i + 2]
        )
        s[F], s[F + 1], s[F + 2] = 0.0 * s[P], 0.0 * s[P], 0.0 * s[P]
    for k in range(el[ALL]):
        p, c = piece_of(tree, el, k)
        zero = 0.0 * x[0, P]
        (a, u, _), (b, v, _) = curve(x, p, c, zero), curve(x, p, c, 1.0 + zero)
        m = scaled(0.5, plus(a, 1.0, b))
        w, f, g = minus(a, m), minus(plus(a, 1.0 / 3.0, u), m), minus(plus(b, -1.0 / 3.0, v), m)
        y[k, MIDDLE], y[k, MIDDLE + 1], y[k, MIDDLE + 2] = m
        y[k, AROUND] = math.sqrt(max(dot(w, w).real, dot(f, f).real, dot(g, g).real))


@kernel
def away(y, k, m, more):
    """True if the middle m of something is farther from piece k than what is around both."""
    a, b, c = (y[k, MIDDLE] - m[0]).real, (y[k, MIDDLE + 1] - m[1]).real, (y[k, MIDDLE + 2] - m[2]).real
    far = y[k, AROUND].real + more
    return a * a + b * b + c * c > far * far


@kernel
def middle(y, k):
    """Middle of a piece."""
    return y[k, MIDDLE], y[k, MIDDLE + 1], y[k, MIDDLE + 2]


@kernel
def ball_at(tree, el, x, i, b):
    """Place of ball number b of piece i, and its place along its line."""
    p, c = piece_of(tree, el, i)
    t = (b + 0.5) / p[MANY]
    return curve(x, p, c, t + 0.0 * x[0, P])[0], c[START] + c[LENGTH] * t


@kernel
def fill(tree, el, i, b, k, t, g):
    """Write, of the stations of pieces i and k, s, w', w'' and b' for ball number b at the place t of piece k."""
    p, c = piece_of(tree, el, i)
    _, d = piece_of(tree, el, k)
    for j in range(4):
        w, u, _ = weights(c, j, (b + 0.5) / p[MANY])
        g[j], g[8 + j], g[16 + j], g[24 + j] = w, 0.0, 0.0, u
        w, u, v = weights(d, j, t)
        g[4 + j], g[12 + j], g[20 + j], g[28 + j] = -w, u, v, 0.0


@kernel
def station_of(p, q, j):
    """Number of station j of the eight of two pieces."""
    return p[j] if j < 4 else q[j - 4]


@kernel
def sums(x, p, q, g):
    """Sums over the stations of two pieces: D, T, the change of T along the curve, S, and their rates at constant weights."""
    zero = 0.0 * x[0, P]
    none = (zero, zero, zero)
    D, T, X, S, v, U, Z, R = none, none, none, none, none, none, none, none
    for j in range(8):
        y = x[station_of(p, q, j)]
        place, speed = (y[P], y[P + 1], y[P + 2]), (y[V], y[V + 1], y[V + 2])
        D, T, X, S = plus(D, g[j], place), plus(T, g[8 + j], place), plus(X, g[16 + j], place), plus(S, g[24 + j], place)
        v, U, Z, R = plus(v, g[j], speed), plus(U, g[8 + j], speed), plus(Z, g[16 + j], speed), plus(R, g[24 + j], speed)
    return D, T, X, S, v, U, Z, R


@kernel
def pressed(tree, e, D, v, share):
    """Of a ball that touches: n, depth, its rate, push and elastic push."""
    d = np.sqrt(dot(D, D))
    n = scaled(1.0 / d, D)
    depth, rate = tree.data[tree.element[e, AT] + REACH] - d, -dot(n, v)
    force, elastic = contact.push(tree.coef[e], depth, rate)
    return n, depth, rate, share * force, share * elastic


@kernel
def slid(D, v, T, U):
    """Length of the tangent T, and the rate of the way along it."""
    size = np.sqrt(dot(T, T))
    return size, (dot(v, T) + dot(D, U)) / size


@kernel
def rubbed(c, force, a, b, cosine):
    """g, x |T| and y |S| of the module's equations."""
    across, r = 1.0 - cosine * cosine, b - cosine * a
    square = a * a + across * r * r
    g = c[contact.MU] * force * contact.level(c, square)[0] / np.sqrt(square + c[contact.SPEED] * c[contact.SPEED])
    y = g * across * r
    return g, g * a - cosine * y, y


@kernel
def touches(tree, el, x, y, i, b, k):
    """1 or 2 if ball number b of piece i touches piece k (``meets``), else 0; and the place there."""
    ball, along = ball_at(tree, el, x, i, b)
    if away(y, k, ball, tree.data[el[AT] + REACH]):
        return 0, 0.0 * ball[0]
    found, t = meets(tree, el, x, k, ball, along)
    if found > 0:
        p, c = piece_of(tree, el, k)
        w = minus(ball, curve(x, p, c, t)[0])
        reach, square = tree.data[el[AT] + REACH], dot(w, w).real
        if not 0.0 < square < reach * reach:
            return 0, t
    return found, t


@shared(TREE, WORK, INT, gives=REAL)
def line_forces(tree, work, e):
    """Forces on the stations of two lines to their scratch, with what friction takes and sums; returns what the push loses."""
    place_stations(tree, work, e)
    el, c = tree.element[e], tree.coef[e]
    head, x, y, _, _ = own(tree, work, e)
    g, reach = head[BALL:HEAD], tree.data[el[AT] + REACH]
    lost, rubs, pushed, some = 0.0 * x[0, P], 0.0 * x[0, P], 0.0 * x[0, P], 0
    for i in range(el[BALLS]):
        p, s = piece_of(tree, el, i)
        for k in range(el[OTHER], el[ALL]):
            if away(y, k, middle(y, i), y[i, AROUND].real + reach):
                continue
            q, _ = piece_of(tree, el, k)
            for b in range(p[MANY]):
                found, t = touches(tree, el, x, y, i, b, k)
                if found == 0:
                    continue
                fill(tree, el, i, b, k, t, g)
                D, T, _, S, v, U, _, R = sums(x, p, q, g)
                n, _, rate, force, elastic = pressed(tree, e, D, v, s[SHARE])
                lost, pushed, some = lost + (force - elastic) * rate, pushed + force, some + 1
                f, one, other = scaled(force, n), 0.0 * force, 0.0 * force
                if el[FRICTION] == 1:
                    (size, a), (long, w) = slid(D, v, T, U), slid(D, v, S, R)
                    _, one, other = rubbed(c, force, a, w, dot(T, S) / (size * long))
                    rubs = rubs + one * a + other * w
                    one, other = one / size, other / long
                    f = plus(plus(f, -one, T), -other, S)
                for j in range(8):
                    r, h = station_of(p, q, j), g[8 + j] * one + g[24 + j] * other
                    for l in range(3):
                        x[r, F + l] += g[j] * f[l] - h * D[l]
    head[LOST], head[PUSHED], head[TOUCHING] = rubs, pushed, some
    return lost


@shared(TREE, WORK, INT, gives=REAL)
def line_apply(tree, work, e):
    """Apply the forces of two lines; returns what their push loses."""
    lost = line_forces(tree, work, e)
    el, x = tree.element[e], own(tree, work, e)[1]
    for j in range(el[COUNT]):
        w, f = work.node[tree.program[el[NODES] + j]], (x[j, F], x[j, F + 1], x[j, F + 2])
        arm = cross((x[j, P], x[j, P + 1], x[j, P + 2]), f)
        for l in range(3):
            w[at.W + l] -= arm[l]
            w[at.W + 3 + l] -= f[l]
    return lost


@shared(TREE, WORK, INT, gives=REAL)
def line_rubs(tree, work, e):
    """Power that the friction of two lines takes; e is its channel, which has the same integers and numbers. Behind the push it is known."""
    if e == 0 or tree.element[e - 1, at.KIND] != LINE_CONTACT or tree.element[e - 1, SCRATCH] != tree.element[e, SCRATCH]:
        line_forces(tree, work, e)
    return own(tree, work, e)[0][LOST]


@shared(TREE, WORK, INT, gives=REAL)
def line_stored(tree, work, e):
    """Stored energy (J) of two lines; in their scratch the largest depth."""
    place_stations(tree, work, e)
    el, c = tree.element[e], tree.coef[e]
    head, x, y, _, _ = own(tree, work, e)
    reach, stored, deepest = tree.data[el[AT] + REACH], 0.0 * x[0, P], 0.0
    for i in range(el[BALLS]):
        p, s = piece_of(tree, el, i)
        for k in range(el[OTHER], el[ALL]):
            if away(y, k, middle(y, i), y[i, AROUND].real + reach):
                continue
            q, d = piece_of(tree, el, k)
            for b in range(p[MANY]):
                found, t = touches(tree, el, x, y, i, b, k)
                if found > 0:
                    w = minus(ball_at(tree, el, x, i, b)[0], curve(x, q, d, t)[0])
                    depth = reach - np.sqrt(dot(w, w))
                    _, elastic = contact.push(c, depth, 0.0 * depth)
                    stored = stored + s[SHARE] * elastic * depth / (c[contact.EXPONENT] + 1.0)
                    deepest = max(deepest, depth.real)
    head[DEEPEST] = deepest
    return stored


@kernel
def nearest(tree, el, x, y, i, enough):
    """Least gap of the balls of piece i, or a bound of it that is ``enough`` or more; number of that ball, piece and place that it is nearest to."""
    p, _ = piece_of(tree, el, i)
    reach, gap, found, ball, place = tree.data[el[AT] + REACH], math.inf, -1, 0, 0.0
    for k in range(el[OTHER], el[ALL]):
        a, b = middle(y, i), middle(y, k)
        w = minus(a, b)
        bound = math.sqrt(dot(w, w)) - y[i, AROUND] - y[k, AROUND] - reach
        if bound > min(enough, gap):
            gap = min(gap, bound) if found < 0 else gap
            continue
        for j in range(p[MANY]):
            c, along = ball_at(tree, el, x, i, j)
            if away(y, k, c, max(0.0, reach + min(enough, gap))):
                gap = min(gap, enough) if found < 0 else gap
                continue
            d, t = least_on(tree, el, x, k, c, along)
            if d - reach < gap:
                gap, found, ball, place = d - reach, k, j, t
    return gap, ball, found, place


@shared(TREE, WORK, INT)
def line_note(tree, work, e):
    """Write of each piece with balls their least gap, or a bound where it is open, and its rate where it touches."""
    place_stations(tree, work, e)
    el = tree.element[e]
    head, x, y, _, _ = own(tree, work, e)
    g = head[BALL:HEAD]
    for i in range(el[BALLS]):
        y[i, GAP], b, k, t = nearest(tree, el, x, y, i, CLEAR * tree.data[el[AT] + REACH])
        y[i, RATE] = 0.0
        if y[i, GAP] < 0.0:
            fill(tree, el, i, b, k, t, g)
            D, _, _, _, v, _, _, _ = sums(x, piece_of(tree, el, i)[0], piece_of(tree, el, k)[0], g)
            y[i, RATE] = dot(D, v)


@shared(TREE, WORK, INT, gives=INT)
def line_branch(tree, work, e):
    """A number that changes when a piece with balls begins or ceases to touch."""
    line_note(tree, work, e)
    code, y = 0, own(tree, work, e)[2]
    for i in range(tree.element[e, BALLS]):
        code = 3 * code + (1 if y[i, GAP] < 0.0 else 0)
    return code


@shared(TREE, WORK, INT, MAT)
def line_shown(tree, work, e, out):
    """Fill rows of out (contact.SHOWN), one for each piece with balls: sums of what these do, means of normal and point by their pushes.

    Of a piece that does not touch gap, normal and point are those of the ball that is nearest.
    """
    place_stations(tree, work, e)
    el, c = tree.element[e], tree.coef[e]
    head, x, y, _, _ = own(tree, work, e)
    g, reach, radius = head[BALL:HEAD], tree.data[el[AT] + REACH], tree.data[el[AT] + RADIUS]
    for i in range(el[BALLS]):
        (p, s), row = piece_of(tree, el, i), out[i]
        for l in range(contact.SHOWN):
            row[l] = 0.0
        gap, b, k, t = nearest(tree, el, x, y, i, math.inf)
        row[contact.SHOWN_GAP] = gap
        if k >= 0:
            fill(tree, el, i, b, k, t, g)
            D, _, _, _, v, _, _, _ = sums(x, p, piece_of(tree, el, k)[0], g)
            n, middle_ = scaled(1.0 / (gap + reach), D), ball_at(tree, el, x, i, b)[0]
            row[contact.SHOWN_RATE] = dot(n, v)
            for l in range(3):
                row[contact.SHOWN_N + l], row[contact.SHOWN_P + l] = n[l], middle_[l] - (radius + 0.5 * gap) * n[l] + work.origin[l]
        some = 0.0
        for k in range(el[OTHER] if gap < 0.0 else el[ALL], el[ALL]):
            q, _ = piece_of(tree, el, k)
            for b in range(0 if away(y, k, middle(y, i), y[i, AROUND] + reach) else p[MANY]):
                found, t = touches(tree, el, x, y, i, b, k)
                if found == 0:
                    continue
                fill(tree, el, i, b, k, t, g)
                D, T, _, S, v, U, _, R = sums(x, p, q, g)
                n, depth, _, force, elastic = pressed(tree, e, D, v, s[SHARE])
                if some == 0.0:
                    for l in range(6):
                        row[contact.SHOWN_N + l] = 0.0
                some += force
                row[contact.SHOWN_PUSH] += force
                row[contact.SHOWN_STORED] += elastic * depth / (c[contact.EXPONENT] + 1.0)
                centre, f, slip = ball_at(tree, el, x, i, b)[0], scaled(0.0, D), scaled(0.0, D)
                if el[FRICTION] == 1:
                    (size, a), (long, w) = slid(D, v, T, U), slid(D, v, S, R)
                    cosine = dot(T, S) / (size * long)
                    _, one, other = rubbed(c, force, a, w, cosine)
                    f = plus(scaled(-one / size, T), -other / long, S)
                    slip = plus(scaled((a - cosine * (w - cosine * a)) / size, T), (w - cosine * a) / long, S)
                for l in range(3):
                    row[contact.SHOWN_N + l] += force * n[l]
                    row[contact.SHOWN_P + l] += force * (centre[l] - (radius - 0.5 * depth) * n[l] + work.origin[l])
                    row[contact.SHOWN_FRICTION + l] += f[l]
                    row[contact.SHOWN_SLIP + l] += force * slip[l]
        if some > 0.0:
            for l in range(3):
                row[contact.SHOWN_N + l], row[contact.SHOWN_P + l] = row[contact.SHOWN_N + l] / some, row[contact.SHOWN_P + l] / some
                row[contact.SHOWN_SLIP + l] = row[contact.SHOWN_SLIP + l] / some
