"""Solution with the factors of a front of six pivots (``core/blocks.py``), written out.

Free bodies and nodes of cables have six unknowns each. Loops of unknown length over so few numbers take longer than the
products in them.
"""

from __future__ import annotations

from supple.native.declare import kernel

SIX = 6


@kernel
def forward_six(own, below, pivots, border, y, x):
    """Elimination of the pivots y (6) in the right side x, with the factors ``own`` (6, 6) and ``below`` (n - 6, 6)."""
    for i in range(SIX):
        k = pivots[i]
        if k != i:
            y[i], y[k] = y[k], y[i]
    a, b, c, d, e = own[1], own[2], own[3], own[4], own[5]
    y0 = y[0]
    y1 = y[1] - a[0] * y0
    y2 = y[2] - b[0] * y0 - b[1] * y1
    y3 = y[3] - c[0] * y0 - c[1] * y1 - c[2] * y2
    y4 = y[4] - d[0] * y0 - d[1] * y1 - d[2] * y2 - d[3] * y3
    y5 = y[5] - e[0] * y0 - e[1] * y1 - e[2] * y2 - e[3] * y3 - e[4] * y4
    y[1], y[2], y[3], y[4], y[5] = y1, y2, y3, y4, y5
    for i in range(below.shape[0]):
        row = below[i]
        x[border[i]] -= row[0] * y0 + row[1] * y1 + row[2] * y2 + row[3] * y3 + row[4] * y4 + row[5] * y5


@kernel
def backward_six(own, beside, border, y, x):
    """The pivots y (6) from the unknowns in the border of their front, with ``own`` (6, 6) and ``beside`` (6, n - 6).

    Diagonals are reciprocal.
    """
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    p, q, r, u, v, w = beside[0], beside[1], beside[2], beside[3], beside[4], beside[5]
    for j in range(beside.shape[1]):
        s = x[border[j]]
        y0 -= p[j] * s
        y1 -= q[j] * s
        y2 -= r[j] * s
        y3 -= u[j] * s
        y4 -= v[j] * s
        y5 -= w[j] * s
    a, b, c, d, e = own[0], own[1], own[2], own[3], own[4]
    y5 = y5 * own[5, 5]
    y4 = (y4 - e[5] * y5) * e[4]
    y3 = (y3 - d[5] * y5 - d[4] * y4) * d[3]
    y2 = (y2 - c[5] * y5 - c[4] * y4 - c[3] * y3) * c[2]
    y1 = (y1 - b[5] * y5 - b[4] * y4 - b[3] * y3 - b[2] * y2) * b[1]
    y0 = (y0 - a[5] * y5 - a[4] * y4 - a[3] * y3 - a[2] * y2 - a[1] * y1) * a[0]
    y[0], y[1], y[2], y[3], y[4], y[5] = y0, y1, y2, y3, y4, y5
