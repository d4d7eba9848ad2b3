"""Slaved shapes of flexible bodies: displacements of second order in the elastic coordinates.

A body with slaved shapes g has the field x + S q + g z with z_s = q . Gamma_s q / 2: a body of n + r shapes, the last
r of which follow the first n. With G = Gamma q its extended coordinates, rates and accelerations are

    (q, G q / 2)    (u, G u)    (a, G a + (Gamma u) u)

What the extended body resists with, Q (n + r), is felt by the coordinates through Y = [1; G]: Y^T Q. Its derivative
has the factors Y, Yu = [0; Gamma u] and Ya = [0; Gamma a], and the sum of Q_s Gamma_s, the geometric stiffness.
Matrices of the extended body are built from the parts of D1 that are not zero.
"""

from __future__ import annotations

from supple.core import layout as at
from supple.core.jit import kernel


@kernel
def places(tree, f):
    """Numbers n, r; places of Gamma and of the parts of D1 in the flexible reals, of Gamma q in the workspace."""
    n, r = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_R]
    m = n + r
    gamma = tree.flex[f, at.FLEX_AT] + 13 + 12 * m + 10 * m * m + 2 * n * n
    return n, r, gamma, gamma + r * n * n, tree.flex[f, at.FLEX_WORK] + at.FLEX_ROWS * m


@kernel
def times_gamma(shape, gamma, n, r, x, j, out, g):
    """out[g:] = Gamma x (r, n) for the coordinates that begin at x[j]."""
    for i in range(r * n):
        s = 0.0 * x[j]
        for l in range(n):
            s += shape[gamma + i * n + l] * x[j + l]
        out[g + i] = s


@kernel
def coordinates(tree, work, q):
    """Extended coordinates of all flexible bodies."""
    w = work.flex
    for f in range(tree.flex.shape[0]):
        n, r, gamma, _, g = places(tree, f)
        j, o = tree.flex[f, at.FLEX_Q0], tree.flex[f, at.FLEX_WORK] + at.FX_QE * (n + r)
        for i in range(n):
            w[o + i] = q[j + i]
        if r > 0:
            times_gamma(tree.shape, gamma, n, r, q, j, w, g)
            for s in range(r):
                y = 0.0 * q[j]
                for i in range(n):
                    y += w[g + s * n + i] * q[j + i]
                w[o + n + s] = 0.5 * y


@kernel
def rates(tree, work, u, a):
    """Extended rates and accelerations of all flexible bodies; needs coordinates."""
    w = work.flex
    for f in range(tree.flex.shape[0]):
        n, r, gamma, _, g = places(tree, f)
        j, o = tree.flex[f, at.FLEX_U0], tree.flex[f, at.FLEX_WORK] + at.FX_UE * (n + r)
        for i in range(n):
            w[o + i] = u[j + i]
            w[o + n + r + i] = a[j + i]
        if r > 0:
            h = g + r * n
            times_gamma(tree.shape, gamma, n, r, u, j, w, h)
            for s in range(r):
                y, v = 0.0 * u[j], 0.0 * u[j] + 0.0 * a[j]
                for i in range(n):
                    y += w[g + s * n + i] * u[j + i]
                    v += w[g + s * n + i] * a[j + i] + w[h + s * n + i] * u[j + i]
                w[o + n + s] = y
                w[o + n + r + n + s] = v


@kernel
def accelerations(tree, work, a):
    """Gamma a of all flexible bodies, which only tangents need."""
    for f in range(tree.flex.shape[0]):
        n, r, gamma, _, g = places(tree, f)
        if r > 0:
            times_gamma(tree.shape, gamma, n, r, a, tree.flex[f, at.FLEX_U0], work.flex, g + 2 * r * n)


@kernel
def at_place(tree, work, f, k, e):
    """Fill [Phi; Psi] (6, n) of the attachment with constants at k and workspace at e, slaved shapes included."""
    n, r, _, _, g = places(tree, f)
    shape, w = tree.shape, work.flex
    for l in range(6):
        for i in range(n):
            w[e + l * n + i] = shape[k + 12 + l * n + i]
        for s in range(r):
            c = shape[k + 12 + 6 * n + l * r + s]
            if c != 0.0:
                for i in range(n):
                    w[e + l * n + i] += c * w[g + s * n + i]


@kernel
def at_place_rate(tree, work, f, k, e, g):
    """Fill the rate of [Phi; Psi] at e from Gamma u at g in the workspace; with Gamma a its second rate, apart from
    what rates of rates give.
    """
    n, r = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_R]
    shape, w = tree.shape, work.flex
    for l in range(6):
        for i in range(n):
            w[e + l * n + i] = 0.0
        for s in range(r):
            c = shape[k + 12 + 6 * n + l * r + s]
            if c != 0.0:
                for i in range(n):
                    w[e + l * n + i] += c * w[g + s * n + i]


@kernel
def sums(tree, x, f, row, out):
    """Rows out of x = D1 y over its first index, y the row ``row`` of x; parts of D1 that are zero are left out."""
    n, r, _, parts, _ = places(tree, f)
    m, shape = n + r, tree.shape
    d1 = tree.flex[f, at.FLEX_AT] + 13 + 12 * m
    for c in range(9):
        for i in range(m):
            x[out + c, i] = 0.0
        for b in range(2):
            for a in range(2):
                if shape[parts + 4 * c + 2 * b + a] == 0.0:
                    continue
                for l in range(b * n, n + b * r):
                    y, o = x[row, l], d1 + (c * m + l) * m
                    for i in range(a * n, n + a * r):
                        x[out + c, i] += shape[o + i] * y


@kernel
def matrices(tree, work, f, w0, w1, w2, b0, b1, b2):
    """Transposed dQ/dq and dQ/du (m, m) of the extended body's inertia forces, for its angular velocity and acceleration."""
    n, r, _, parts, g = places(tree, f)
    m, shape, w = n + r, tree.shape, work.flex
    d1, A = tree.flex[f, at.FLEX_AT] + 13 + 12 * m, g + 3 * r * n
    U = A + m * m
    ww = w0 * w0 + w1 * w1 + w2 * w2
    for i in range(2 * m * m):
        w[A + i] = 0.0
    for c in range(9):
        i, j = c // 3, c % 3
        x = w0 if i == 0 else (w1 if i == 1 else w2)
        y = w0 if j == 0 else (w1 if j == 1 else w2)
        p, v = x * y, 0.0 * w0
        if i == j:
            p -= ww
        elif c == 1 or c == 3:
            p, v = (p + b2, 2.0 * w2) if c == 1 else (p - b2, -2.0 * w2)
        elif c == 2 or c == 6:
            p, v = (p - b1, -2.0 * w1) if c == 2 else (p + b1, 2.0 * w1)
        else:
            p, v = (p + b0, 2.0 * w0) if c == 5 else (p - b0, -2.0 * w0)
        for b in range(2):
            for a in range(2):
                if shape[parts + 4 * c + 2 * b + a] == 0.0:
                    continue
                for l in range(b * n, n + b * r):
                    o, e = d1 + (c * m + l) * m, l * m
                    for k in range(a * n, n + a * r):
                        w[A + e + k] += shape[o + k] * p
                        w[U + e + k] += shape[o + k] * v


@kernel
def contract(tree, work, f, x, Rq, Ru, M):
    """Add the extended body's matrices to the tangents of its coordinates; x are its rows."""
    n, r, gamma, _, g = places(tree, f)
    m, shape, w, k0 = n + r, tree.shape, work.flex, tree.flex[f, at.FLEX_U0]
    A = g + 3 * r * n
    U, gu, ga = A + m * m, g + r * n, g + 2 * r * n
    mass = tree.flex[f, at.FLEX_AT] + 13 + 12 * m + 9 * m * m
    stiff, t = mass + m * m, x[at.FX_A2]
    for k in range(n):
        for i in range(m):
            t[i] = shape[mass + k * m + i]
        for s in range(r):
            y, v, b = w[g + s * n + k], w[gu + s * n + k], w[ga + s * n + k]
            for i in range(m):
                e = (n + s) * m + i
                w[A + k * m + i] += y * w[A + e] + v * w[U + e] + b * shape[mass + e]
                w[U + k * m + i] += y * w[U + e] + 2.0 * v * shape[mass + e]
                t[i] += y * shape[mass + e]
        for s in range(r):
            y, v, b, h = w[A + k * m + n + s], w[U + k * m + n + s], t[n + s], x[at.FX_Q, n + s]
            for i in range(n):
                e = w[g + s * n + i]
                w[A + k * m + i] += e * y + h * shape[gamma + (s * n + k) * n + i]
                w[U + k * m + i] += e * v
                t[i] += e * b
        for i in range(n):
            Rq[k0 + i, k0 + k] += w[A + k * m + i] + shape[stiff + i * n + k]
            Ru[k0 + i, k0 + k] += w[U + k * m + i]
            M[k0 + i, k0 + k] += t[i]


@kernel
def add_mass(tree, work, f, x, mass):
    """Add Y^T M Y to the mass matrix; x are the body's rows."""
    n, r, _, _, g = places(tree, f)
    m, shape, w, k0 = n + r, tree.shape, work.flex, tree.flex[f, at.FLEX_U0]
    own, t = tree.flex[f, at.FLEX_AT] + 13 + 12 * m + 9 * m * m, x[at.FX_A2]
    for k in range(n):
        for i in range(m):
            t[i] = shape[own + k * m + i]
        for s in range(r):
            y = w[g + s * n + k]
            for i in range(m):
                t[i] += y * shape[own + (n + s) * m + i]
        for i in range(n):
            y = t[i]
            for s in range(r):
                y += w[g + s * n + i] * t[n + s]
            mass[k0 + i, k0 + k] += y


@kernel
def add_pull(tree, f, o, Rq, f0, f1, f2, m0, m1, m2):
    """Add the sum of c_s Gamma_s, c_s the work of a force and a moment on the slaved shapes (6, r) at o."""
    n, r, gamma, _, _ = places(tree, f)
    x, k = tree.shape, tree.flex[f, at.FLEX_U0]
    for s in range(r):
        c = x[o + s] * f0 + x[o + r + s] * f1 + x[o + 2 * r + s] * f2
        c += x[o + 3 * r + s] * m0 + x[o + 4 * r + s] * m1 + x[o + 5 * r + s] * m2
        for i in range(n):
            for j in range(n):
                Rq[k + i, k + j] += c * x[gamma + (s * n + i) * n + j]
