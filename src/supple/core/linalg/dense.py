"""Dense solvers for small systems: Cholesky, LU with pivoting, and LU of split complex matrices.

Rows are contiguous, so the inner loops are vectorised. LAPACK would win above about 160 unknowns.
"""

from __future__ import annotations

import math

from supple.native.declare import IVEC, MAT, TRUTH, block, kernel, shared

ROUNDING = 1e-14  # of a column's entries: a pivot below is none
LITTLE = 1e-8  # ... and what stands for it: half of the digits are left


@kernel
def cholesky(a, l):
    """Lower factor of a symmetric matrix; returns -1, or the first row whose pivot fails.

    A pivot below 1e-13 of its diagonal entry means that the row's coordinate moves no mass of its own.
    """
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            l[i, j] = s * l[j, j]
        s = a[i, i]
        for k in range(i):
            s -= l[i, k] * l[i, k]
        if not s > 1e-13 * a[i, i]:
            return i
        l[i, i] = 1.0 / math.sqrt(s)  # the reciprocal: one division per row
    return -1


@kernel
def cholesky_solve(l, x):
    """Solve in place with the factor of ``cholesky``."""
    n = x.shape[0]
    for i in range(n):
        s = x[i]
        for k in range(i):
            s -= l[i, k] * x[k]
        x[i] = s * l[i, i]
    for i in range(n - 1, -1, -1):
        y = x[i] * l[i, i]
        x[i] = y
        for k in range(i):
            x[k] -= l[i, k] * y


@shared(MAT, IVEC, gives=TRUTH)
def lu(a, piv):
    """Factorise in place with partial pivoting; returns False for a singular or non-finite matrix."""
    return lu_of(a, piv, a.shape[0], block(a, 0, 0)) >= 0


@kernel
def column_sizes(a, size):
    """Largest entries of the first columns of a matrix, in rows or below."""
    for k in range(size.shape[0]):
        size[k] = 0.0
    for i in range(a.shape[0]):
        for k in range(size.shape[0]):
            size[k] = max(size[k], abs(a[i, k]))


@kernel
def replaced(a, k, b, big, size):
    """Substitute for the pivot of column k if ``big``, the largest that is left of it, is rounding; 0 if it is none.

    Rounding is little of what the column had, and of the terms that were added to it.
    """
    if k >= size.shape[0] or big > ROUNDING * size[k]:
        return 0.0
    terms = 0.0
    for i in range(k, b):
        s = 0.0
        for j in range(k):
            s += abs(a[i, j] * a[j, k])
        terms = max(terms, s)
    return 0.0 if big > 10.0 * ROUNDING * terms else LITTLE * size[k]


@kernel
def lu_of(a, piv, b, size):
    """Eliminate the first b unknowns in place, with rows exchanged among the first b.

    Four columns at a time: the rest of the matrix is read and written once for the four. ``size`` has the sizes of these
    columns (``column_sizes``), or nothing; with them, pivots that are rounding are replaced. Returns how many are, or -1 for a
    singular or non-finite matrix.
    """
    n, count = a.shape[0], 0
    for k0 in range(0, b, 4):
        k1 = min(k0 + 4, b)
        for k in range(k0, k1):
            p, big = k, abs(a[k, k])
            for i in range(k + 1, b):
                if abs(a[i, k]) > big:
                    p, big = i, abs(a[i, k])
            other = replaced(a, k, b, big, size)
            if other > 0.0 and math.isfinite(big):
                a[p, k], big, count = other, other, count + 1
            if not (big > 0.0 and math.isfinite(big)):
                return -1
            piv[k] = p
            if p != k:
                for j in range(n):
                    a[k, j], a[p, j] = a[p, j], a[k, j]
            d = 1.0 / a[k, k]
            for i in range(k + 1, n):
                f = a[i, k] * d
                a[i, k] = f
                for j in range(k + 1, k1):
                    a[i, j] -= f * a[k, j]
        for k in range(k0 + 1, k1):  # the four rows behind their columns
            for m in range(k0, k):
                f = a[k, m]
                for j in range(k1, n):
                    a[k, j] -= f * a[m, j]
        if k1 - k0 == 4:
            for i in range(k1, n):
                f0, f1, f2, f3 = a[i, k0], a[i, k0 + 1], a[i, k0 + 2], a[i, k0 + 3]
                if f0 == 0.0 and f1 == 0.0 and f2 == 0.0 and f3 == 0.0:
                    continue
                for j in range(k1, n):
                    a[i, j] -= f0 * a[k0, j] + f1 * a[k0 + 1, j] + f2 * a[k0 + 2, j] + f3 * a[k0 + 3, j]
        else:
            for i in range(k1, n):
                for m in range(k0, k1):
                    f = a[i, m]
                    for j in range(k1, n):
                        a[i, j] -= f * a[m, j]
    return count


@kernel
def lu_solve(a, piv, x):
    """Solve in place with the factors of ``lu``."""
    n = x.shape[0]
    for k in range(n):
        p = piv[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
    for i in range(n):
        s = x[i]
        for k in range(i):
            s -= a[i, k] * x[k]
        x[i] = s
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= a[i, k] * x[k]
        x[i] = s / a[i, i]


@kernel
def lu_complex(a, b, piv):
    """Factorise a + i b in place with partial pivoting, real and imaginary parts apart."""
    return lu_complex_of(a, b, piv, a.shape[0], block(a, 0, 0)) >= 0


@kernel
def lu_complex_of(a, b, piv, count, size):
    """Eliminate the first unknowns of a + i b in place, with rows exchanged among these; two columns at a time.

    See ``lu_of``; the sizes are those of the real part.
    """
    n, replacements = a.shape[0], 0
    for k0 in range(0, count, 2):
        k1 = min(k0 + 2, count)
        for k in range(k0, k1):
            p, big = k, a[k, k] * a[k, k] + b[k, k] * b[k, k]
            for i in range(k + 1, count):
                s = a[i, k] * a[i, k] + b[i, k] * b[i, k]
                if s > big:
                    p, big = i, s
            other = replaced(a, k, count, math.sqrt(big), size)
            if other > 0.0 and math.isfinite(big):
                a[p, k], b[p, k], big, replacements = other, 0.0, other * other, replacements + 1
            if not (big > 0.0 and math.isfinite(big)):
                return -1
            piv[k] = p
            if p != k:
                for j in range(n):
                    a[k, j], a[p, j] = a[p, j], a[k, j]
                    b[k, j], b[p, j] = b[p, j], b[k, j]
            dr, di = a[k, k] / big, -b[k, k] / big
            for i in range(k + 1, n):
                fr, fi = a[i, k] * dr - b[i, k] * di, a[i, k] * di + b[i, k] * dr
                a[i, k], b[i, k] = fr, fi
                for j in range(k + 1, k1):
                    a[i, j] -= fr * a[k, j] - fi * b[k, j]
                    b[i, j] -= fr * b[k, j] + fi * a[k, j]
        m = k1 - 1
        if m > k0:
            fr, fi = a[m, k0], b[m, k0]
            for j in range(k1, n):
                a[m, j] -= fr * a[k0, j] - fi * b[k0, j]
                b[m, j] -= fr * b[k0, j] + fi * a[k0, j]
        for i in range(k1, n):
            fr, fi, gr, gi = a[i, k0], b[i, k0], a[i, m], b[i, m]
            if m == k0:
                gr, gi = 0.0, 0.0
            if fr == 0.0 and fi == 0.0 and gr == 0.0 and gi == 0.0:
                continue
            for j in range(k1, n):
                a[i, j] -= fr * a[k0, j] - fi * b[k0, j] + gr * a[m, j] - gi * b[m, j]
                b[i, j] -= fr * b[k0, j] + fi * a[k0, j] + gr * b[m, j] + gi * a[m, j]
    return replacements


@kernel
def lu_complex_solve(a, b, piv, x, y):
    """Solve (a + i b)(x + i y) = x + i y in place."""
    n = x.shape[0]
    for k in range(n):
        p = piv[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
            y[k], y[p] = y[p], y[k]
    for i in range(n):
        s, r = x[i], y[i]
        for k in range(i):
            s -= a[i, k] * x[k] - b[i, k] * y[k]
            r -= a[i, k] * y[k] + b[i, k] * x[k]
        x[i], y[i] = s, r
    for i in range(n - 1, -1, -1):
        s, r = x[i], y[i]
        for k in range(i + 1, n):
            s -= a[i, k] * x[k] - b[i, k] * y[k]
            r -= a[i, k] * y[k] + b[i, k] * x[k]
        d = 1.0 / (a[i, i] * a[i, i] + b[i, i] * b[i, i])
        x[i], y[i] = (s * a[i, i] + r * b[i, i]) * d, (r * a[i, i] - s * b[i, i]) * d
