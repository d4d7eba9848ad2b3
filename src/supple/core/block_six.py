"""Solution with the factors of a front of six pivots (``core/blocks.py``), written out.

Free bodies and nodes of cables have six unknowns each. Loops of unknown length over so few numbers take longer than the
products in them.
"""

from __future__ import annotations

from supple.native.declare import block, kernel

SIX = 6


@kernel
def forward_six(upper, lower, pivots, border, y, x):
    """Elimination of the pivots y (6) in the right side x, with the factors ``upper`` (6, n) and ``lower`` (n - 6, 6)."""
    for i in range(SIX):
        k = pivots[i]
        if k != i:
            y[i], y[k] = y[k], y[i]
    a, b, c, d, e = upper[1], upper[2], upper[3], upper[4], upper[5]
    y0 = y[0]
    y1 = y[1] - a[0] * y0
    y2 = y[2] - b[0] * y0 - b[1] * y1
    y3 = y[3] - c[0] * y0 - c[1] * y1 - c[2] * y2
    y4 = y[4] - d[0] * y0 - d[1] * y1 - d[2] * y2 - d[3] * y3
    y5 = y[5] - e[0] * y0 - e[1] * y1 - e[2] * y2 - e[3] * y3 - e[4] * y4
    y[1], y[2], y[3], y[4], y[5] = y1, y2, y3, y4, y5
    for i in range(lower.shape[0]):
        row = lower[i]
        x[border[i]] -= row[0] * y0 + row[1] * y1 + row[2] * y2 + row[3] * y3 + row[4] * y4 + row[5] * y5


@kernel
def backward_six(factors, start, n, border, y, x, t):
    """The pivots y (6) from the unknowns in the border of their front, whose factors (6, n) begin at ``start``; t is scratch."""
    a, b, c = block(factors, start, n), block(factors, start + n, n), block(factors, start + 2 * n, n)
    d, e, f = block(factors, start + 3 * n, n), block(factors, start + 4 * n, n), block(factors, start + 5 * n, n)
    # first, and kept, so that none of these divisions waits for another
    t[0], t[1], t[2], t[3], t[4], t[5] = 1.0 / a[0], 1.0 / b[1], 1.0 / c[2], 1.0 / d[3], 1.0 / e[4], 1.0 / f[5]
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    m = n - SIX
    p, q, r = block(factors, start + SIX, m), block(factors, start + n + SIX, m), block(factors, start + 2 * n + SIX, m)
    u, v = block(factors, start + 3 * n + SIX, m), block(factors, start + 4 * n + SIX, m)
    w = block(factors, start + 5 * n + SIX, m)
    for j in range(m):
        s = x[border[j]]
        y0 -= p[j] * s
        y1 -= q[j] * s
        y2 -= r[j] * s
        y3 -= u[j] * s
        y4 -= v[j] * s
        y5 -= w[j] * s
    y5 = y5 * t[5]
    y4 = (y4 - e[5] * y5) * t[4]
    y3 = (y3 - d[5] * y5 - d[4] * y4) * t[3]
    y2 = (y2 - c[5] * y5 - c[4] * y4 - c[3] * y3) * t[2]
    y1 = (y1 - b[5] * y5 - b[4] * y4 - b[3] * y3 - b[2] * y2) * t[1]
    y0 = (y0 - a[5] * y5 - a[4] * y4 - a[3] * y3 - a[2] * y2 - a[1] * y1) * t[0]
    y[0], y[1], y[2], y[3], y[4], y[5] = y0, y1, y2, y3, y4, y5
