"""Solution with the factors of a front of six pivots (``core/blocks.py``), written out.

Free bodies and nodes of cables have six unknowns each. Loops of unknown length over so few numbers take longer than the
products in them.
"""

from __future__ import annotations

from supple.native.declare import kernel

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
def backward_six(upper, border, y, x):
    """The pivots y (6) from the unknowns in the border of their front."""
    a, b, c, d, e, f = upper[0], upper[1], upper[2], upper[3], upper[4], upper[5]
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    # first, because none of these divisions waits for another
    p0, p1, p2, p3, p4, p5 = 1.0 / a[0], 1.0 / b[1], 1.0 / c[2], 1.0 / d[3], 1.0 / e[4], 1.0 / f[5]
    for j in range(SIX, upper.shape[1]):
        t = x[border[j - SIX]]
        y0 -= a[j] * t
        y1 -= b[j] * t
        y2 -= c[j] * t
        y3 -= d[j] * t
        y4 -= e[j] * t
        y5 -= f[j] * t
    y5 = y5 * p5
    y4 = (y4 - e[5] * y5) * p4
    y3 = (y3 - d[5] * y5 - d[4] * y4) * p3
    y2 = (y2 - c[5] * y5 - c[4] * y4 - c[3] * y3) * p2
    y1 = (y1 - b[5] * y5 - b[4] * y4 - b[3] * y3 - b[2] * y2) * p1
    y0 = (y0 - a[5] * y5 - a[4] * y4 - a[3] * y3 - a[2] * y2 - a[1] * y1) * p0
    y[0], y[1], y[2], y[3], y[4], y[5] = y0, y1, y2, y3, y4, y5
