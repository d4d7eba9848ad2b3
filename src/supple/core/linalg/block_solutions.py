"""Solutions with the factors of Newton's matrix by a static plan (``core/linalg/multifrontal.py``), front by front.

Factors lie in the order in which they are read: forward, and once more backward.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE
from supple.core.linalg.block_products import SIX
from supple.core.linalg.multifrontal import (
    BORDER,
    FACTORS_AT,
    FIRST,
    FRONT_INTS,
    FRONTS,
    PIVOTS,
    PLACE,
    SIZE,
    TABLE,
    kept,
    plan_of,
)
from supple.native.declare import IVEC, MAT, VEC, block, kernel, shared


@kernel
def forward(front, border, factors, pivots, x):
    """Elimination of a front's pivots in a right side."""
    b, n, o = front[PIVOTS], front[SIZE], front[FIRST]
    below, own, _ = kept(front, factors)
    y = x[o : o + b]
    for i in range(b):
        k = pivots[o + i]
        if k != i:
            y[i], y[k] = y[k], y[i]
    for i in range(b):
        s = y[i]
        for j in range(i):
            s -= own[i, j] * y[j]
        y[i] = s
    for i in range(n - b):
        s = 0.0
        for j in range(b):
            s += below[i, j] * y[j]
        x[border[i]] -= s


@kernel
def backward(front, border, factors, x):
    """A front's unknowns from those in its border."""
    b, o = front[PIVOTS], front[FIRST]
    _, own, beside = kept(front, factors)
    y = x[o : o + b]
    for j in range(beside.shape[0]):
        s, column = x[border[j]], beside[j]
        for i in range(b):
            y[i] -= column[i] * s
    for k in range(b):
        i = b - 1 - k
        s, row = y[i], own[i]
        inner, known = row[i + 1 : b], y[i + 1 : b]  # slices: of places that count down loops are slow
        for j in range(k):
            s -= inner[j] * known[j]
        y[i] = s * own[i, i]


@kernel
def forward_complex(front, border, a, b, pivots, x, y):
    """``forward`` of x + i y with the factors a + i b."""
    m, n, o = front[PIVOTS], front[SIZE], front[FIRST]
    lr, ur, _ = kept(front, a)
    li, ui, _ = kept(front, b)
    v, w = x[o : o + m], y[o : o + m]
    for i in range(m):
        k = pivots[o + i]
        if k != i:
            v[i], v[k] = v[k], v[i]
            w[i], w[k] = w[k], w[i]
    for i in range(m):
        s, r = v[i], w[i]
        for j in range(i):
            s -= ur[i, j] * v[j] - ui[i, j] * w[j]
            r -= ur[i, j] * w[j] + ui[i, j] * v[j]
        v[i], w[i] = s, r
    for i in range(n - m):
        s, r = 0.0, 0.0
        for j in range(m):
            s += lr[i, j] * v[j] - li[i, j] * w[j]
            r += lr[i, j] * w[j] + li[i, j] * v[j]
        x[border[i]] -= s
        y[border[i]] -= r


@kernel
def backward_complex(front, border, a, b, x, y):
    """``backward`` of x + i y with the factors a + i b; their diagonals are not reciprocal."""
    m, o = front[PIVOTS], front[FIRST]
    _, ur, br = kept(front, a)
    _, ui, bi = kept(front, b)
    v, w = x[o : o + m], y[o : o + m]
    for j in range(br.shape[0]):
        t, u, p, q = x[border[j]], y[border[j]], br[j], bi[j]
        for i in range(m):
            v[i] -= p[i] * t - q[i] * u
            w[i] -= p[i] * u + q[i] * t
    for i in range(m - 1, -1, -1):
        s, r = v[i], w[i]
        for j in range(i + 1, m):
            s -= ur[i, j] * v[j] - ui[i, j] * w[j]
            r -= ur[i, j] * w[j] + ui[i, j] * v[j]
        d = 1.0 / (ur[i, i] * ur[i, i] + ui[i, i] * ui[i, i])
        v[i], w[i] = (s * ur[i, i] + r * ui[i, i]) * d, (r * ur[i, i] - s * ui[i, i]) * d


@kernel
def forward_all(p, table, factors, pivots, x):
    """Elimination of all pivots in a right side, front by front.

    Free bodies and nodes of cables have six unknowns each. Loops of unknown length over so few numbers take longer than the
    products in them, and so do calls: six pivots are written out here.
    """
    for k in range(table.shape[0]):
        front = table[k]
        c, o, start = front[SIZE] - front[PIVOTS], front[FIRST], front[FACTORS_AT]
        border = block(p, front[BORDER], c)
        if front[PIVOTS] != SIX:
            forward(front, border, factors, pivots, x)
            continue
        y, exchange, below, own = block(x, o, SIX), block(pivots, o, SIX), block(factors, start, SIX * c), start + SIX * c
        for i in range(SIX):
            j = exchange[i]
            if j != i:
                y[i], y[j] = y[j], y[i]
        a, b = block(factors, own + 6, 1), block(factors, own + 12, 2)
        d, e, f = block(factors, own + 18, 3), block(factors, own + 24, 4), block(factors, own + 30, 5)
        y0 = y[0]
        y1 = y[1] - a[0] * y0
        y2 = y[2] - b[0] * y0 - b[1] * y1
        y3 = y[3] - d[0] * y0 - d[1] * y1 - d[2] * y2
        y4 = y[4] - e[0] * y0 - e[1] * y1 - e[2] * y2 - e[3] * y3
        y5 = y[5] - f[0] * y0 - f[1] * y1 - f[2] * y2 - f[3] * y3 - f[4] * y4
        y[1], y[2], y[3], y[4], y[5] = y1, y2, y3, y4, y5
        for i in range(c):
            row, to = block(below, SIX * i, SIX), block(x, border[i], 1)
            to[0] -= row[0] * y0 + row[1] * y1 + row[2] * y2 + row[3] * y3 + row[4] * y4 + row[5] * y5


@kernel
def backward_all(p, table, factors, x):
    """All unknowns from those that were eliminated behind them, front by front."""
    for k in range(table.shape[0] - 1, -1, -1):
        front = table[k]
        c, start = front[SIZE] - front[PIVOTS], front[FACTORS_AT] + front[PIVOTS] * (front[SIZE] - front[PIVOTS])
        border = block(p, front[BORDER], c)
        if front[PIVOTS] != SIX:
            backward(front, border, factors, x)
            continue
        y, own, beside = block(x, front[FIRST], SIX), block(factors, start, 36), block(factors, start + 36, SIX * c)
        y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
        for j in range(c):
            s, column = block(x, border[j], 1)[0], block(beside, SIX * j, SIX)
            y0 -= column[0] * s
            y1 -= column[1] * s
            y2 -= column[2] * s
            y3 -= column[3] * s
            y4 -= column[4] * s
            y5 -= column[5] * s
        y5 = y5 * own[35]
        y4 = (y4 - own[29] * y5) * own[28]
        y3 = (y3 - own[23] * y5 - own[22] * y4) * own[21]
        y2 = (y2 - own[17] * y5 - own[16] * y4 - own[15] * y3) * own[14]
        y1 = (y1 - own[11] * y5 - own[10] * y4 - own[9] * y3 - own[8] * y2) * own[7]
        y0 = (y0 - own[5] * y5 - own[4] * y4 - own[3] * y3 - own[2] * y2 - own[1] * y1) * own[0]
        y[0], y[1], y[2], y[3], y[4], y[5] = y0, y1, y2, y3, y4, y5


@shared(TREE, VEC, IVEC, VEC)
def block_sweep(m, factors, pivots, x):
    """Solve in place for x, unknowns in the order of elimination, with the factors of a real matrix."""
    p = plan_of(m)[0]
    table = block(m.plan, m.plan[at.PLAN_NEWTON] + p[TABLE], p[FRONTS], FRONT_INTS)
    forward_all(p, table, factors, pivots, x)
    backward_all(p, table, factors, x)


@kernel
def sweep_complex(m, factors, pivots, scratch):
    """Like ``sweep`` for a complex matrix; real and imaginary parts are the two rows of ``scratch``."""
    p = plan_of(m)[0]
    table = block(m.plan, m.plan[at.PLAN_NEWTON] + p[TABLE], p[FRONTS], FRONT_INTS)
    for k in range(table.shape[0]):
        front = table[k]
        forward_complex(front, p[front[BORDER] :], factors[0], factors[1], pivots, scratch[0], scratch[1])
    for k in range(table.shape[0] - 1, -1, -1):
        front = table[k]
        border = p[front[BORDER] :]
        backward_complex(front, border, factors[0], factors[1], scratch[0], scratch[1])


@shared(TREE, MAT, IVEC, MAT, MAT)
def block_solve(m, factors, pivots, y, scratch):
    """Solve in place for y (1 or 2 rows: real, imaginary); ``scratch`` has as many, as long."""
    p = plan_of(m)[0]
    place, parts = p[p[PLACE] :], y.shape[0]
    for part in range(parts):
        for k in range(y.shape[1]):
            scratch[part, place[k]] = y[part, k]
    if parts == 1:
        block_sweep(m, factors[0], pivots, scratch[0])
    else:
        sweep_complex(m, factors, pivots, scratch)
    for part in range(parts):
        for k in range(y.shape[1]):
            y[part, k] = scratch[part, place[k]]
