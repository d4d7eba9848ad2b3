"""LU factors of large matrices with few entries, rows and columns in an order that keeps these near the diagonal.

The matrix is stored whole, but only what lies between the first and the last entry of rows and columns is read:
``end`` (n) is one more than a row's last column, ``down`` (n) is the last row that a column or one before it reaches.
With partial pivoting rows change places, and ``end`` grows; ``down`` holds for all of elimination.
"""

from __future__ import annotations

import math

from supple.native.declare import kernel


@kernel
def lu(a, piv, end, down):
    """Factorize in place; returns False for a singular or non-finite matrix.

    Rows are exchanged from the pivot's column on: multipliers stay where they were found.
    """
    n = a.shape[0]
    for k in range(n):
        last = down[k]
        p, big = k, abs(a[k, k])
        for i in range(k + 1, last + 1):
            if abs(a[i, k]) > big:
                p, big = i, abs(a[i, k])
        if not (big > 0.0 and math.isfinite(big)):
            return False
        piv[k] = p
        if p != k:
            e = max(end[k], end[p])
            for j in range(k, e):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            end[k], end[p] = end[p], end[k]
        row, e = a[k], end[k]
        d = 1.0 / row[k]
        for i in range(k + 1, last + 1):
            x = a[i]
            f = x[k]
            if f != 0.0:
                f *= d
                x[k] = f
                for j in range(k + 1, e):
                    x[j] -= f * row[j]
                if e > end[i]:
                    end[i] = e
    return True


@kernel
def solve(a, piv, end, down, x):
    """Solve in place with the factors of ``lu``."""
    n = x.shape[0]
    for k in range(n):
        p = piv[k]
        y = x[p]
        if p != k:
            x[p] = x[k]
            x[k] = y
        if y != 0.0:
            for i in range(k + 1, down[k] + 1):
                x[i] -= a[i, k] * y
    for k in range(n - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, end[k]):
            s -= a[k, j] * x[j]
        x[k] = s / a[k, k]


@kernel
def lu_complex(a, b, piv, end, down):
    """``lu`` of a + i b, real and imaginary parts apart."""
    n = a.shape[0]
    for k in range(n):
        last = down[k]
        p, big = k, a[k, k] * a[k, k] + b[k, k] * b[k, k]
        for i in range(k + 1, last + 1):
            s = a[i, k] * a[i, k] + b[i, k] * b[i, k]
            if s > big:
                p, big = i, s
        if not (big > 0.0 and math.isfinite(big)):
            return False
        piv[k] = p
        if p != k:
            e = max(end[k], end[p])
            for j in range(k, e):
                a[k, j], a[p, j] = a[p, j], a[k, j]
                b[k, j], b[p, j] = b[p, j], b[k, j]
            end[k], end[p] = end[p], end[k]
        x, y, e = a[k], b[k], end[k]
        dr, di = x[k] / big, -y[k] / big
        for i in range(k + 1, last + 1):
            u, v = a[i], b[i]
            if u[k] != 0.0 or v[k] != 0.0:
                fr, fi = u[k] * dr - v[k] * di, u[k] * di + v[k] * dr
                u[k], v[k] = fr, fi
                for j in range(k + 1, e):
                    u[j] -= fr * x[j] - fi * y[j]
                    v[j] -= fr * y[j] + fi * x[j]
                if e > end[i]:
                    end[i] = e
    return True


@kernel
def solve_complex(a, b, piv, end, down, x, y):
    """Solve (a + i b)(x + i y) = x + i y in place with the factors of ``lu_complex``."""
    n = x.shape[0]
    for k in range(n):
        p = piv[k]
        s, r = x[p], y[p]
        if p != k:
            x[p], y[p] = x[k], y[k]
            x[k], y[k] = s, r
        if s != 0.0 or r != 0.0:
            for i in range(k + 1, down[k] + 1):
                x[i] -= a[i, k] * s - b[i, k] * r
                y[i] -= a[i, k] * r + b[i, k] * s
    for k in range(n - 1, -1, -1):
        s, r = x[k], y[k]
        for j in range(k + 1, end[k]):
            s -= a[k, j] * x[j] - b[k, j] * y[j]
            r -= a[k, j] * y[j] + b[k, j] * x[j]
        d = 1.0 / (a[k, k] * a[k, k] + b[k, k] * b[k, k])
        x[k], y[k] = (s * a[k, k] + r * b[k, k]) * d, (r * a[k, k] - s * b[k, k]) * d
