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
from supple.native.declare import kernel


@kernel
def places(tree, f):
    """Numbers n, r; places of Gamma and of the parts of D1 in the flexible reals, of Gamma q in the workspace."""
    b = at.modal(tree, f)
    return tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_R], b.Gamma, b.parts, b.Gamma_q


@kernel
def add_times(factor, x, out):
    """out += factor x; slices with indices from zero are what the compiler can vectorize."""
    for i in range(out.shape[0]):
        out[i] += factor * x[i]


@kernel
def dot(x, y):
    """Scalar product."""
    s = 0.0 * y[0]
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


@kernel
def times_gamma(shape, gamma, n, r, x, out):
    """out = Gamma x (r n,) for the coordinates x (n,)."""
    for i in range(r * n):
        out[i] = dot(shape[gamma + i * n : gamma + (i + 1) * n], x)


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
            x = w[o : o + n]
            times_gamma(tree.flex_data, gamma, n, r, x, w[g : g + r * n])
            for s in range(r):
                w[o + n + s] = 0.5 * dot(w[g + s * n : g + (s + 1) * n], x)


@kernel
def rates(tree, work, u, a):
    """Extended rates and accelerations of all flexible bodies; needs coordinates."""
    w = work.flex
    for f in range(tree.flex.shape[0]):
        n, r, gamma, _, g = places(tree, f)
        j, o = tree.flex[f, at.FLEX_U0], tree.flex[f, at.FLEX_WORK] + at.FX_UE * (n + r)
        p = o + n + r
        for i in range(n):
            w[o + i] = u[j + i]
            w[p + i] = a[j + i]
        if r > 0:
            h, x, y = at.modal(tree, f).Gamma_u, w[o : o + n], w[p : p + n]
            times_gamma(tree.flex_data, gamma, n, r, x, w[h : h + r * n])
            for s in range(r):
                z = w[g + s * n : g + (s + 1) * n]
                w[o + n + s] = dot(z, x)
                w[p + n + s] = dot(z, y) + dot(w[h + s * n : h + (s + 1) * n], x)


@kernel
def accelerations(tree, work, a):
    """Gamma a of all flexible bodies, which only tangents need."""
    for f in range(tree.flex.shape[0]):
        n, r, gamma, _, _ = places(tree, f)
        if r > 0:
            j, o = tree.flex[f, at.FLEX_U0], at.modal(tree, f).Gamma_a
            times_gamma(tree.flex_data, gamma, n, r, a[j : j + n], work.flex[o : o + r * n])


@kernel
def at_place(tree, work, f, k, e):
    """Fill [Phi; Psi] (6, n) of the attachment with constants at k and workspace at e, slaved shapes included."""
    n, g = tree.flex[f, at.FLEX_N], places(tree, f)[4]
    at_place_rate(tree, work, f, k, e, g)
    for i in range(6 * n):
        work.flex[e + i] += tree.flex_data[k + at.ATTACH_PHI + i]


@kernel
def at_place_rate(tree, work, f, k, e, g):
    """Fill the rate of [Phi; Psi] at e from Gamma u at g in the workspace; with Gamma a its second rate, apart from
    what rates of rates give.
    """
    n, r = tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_R]
    w = work.flex
    for l in range(6):
        row = w[e + l * n : e + (l + 1) * n]
        for i in range(n):
            row[i] = 0.0
        for s in range(r):
            c = tree.flex_data[k + at.ATTACH_PHI + 6 * n + l * r + s]
            if c != 0.0:
                add_times(c, w[g + s * n : g + (s + 1) * n], row)


@kernel
def felt_rows(x, w, g, n, r, row):
    """Row ``row`` of x as the coordinates feel it: x Y, with Gamma q at g in the workspace w."""
    for s in range(r):
        add_times(x[row, n + s], w[g + s * n : g + (s + 1) * n], x[row, 0:n])


@kernel
def sums(tree, x, f, row, out):
    """Rows out of x = D1 y over its first index, y the row ``row`` of x; parts of D1 that are zero are left out."""
    n, r, _, parts, _ = places(tree, f)
    m, shape = n + r, tree.flex_data
    d1 = at.modal(tree, f).D1
    for c in range(9):
        for i in range(m):
            x[out + c, i] = 0.0
        for b in range(2):
            for a in range(2):
                if shape[parts + 4 * c + 2 * b + a] == 0.0:
                    continue
                first, end = a * n, n + a * r
                for l in range(b * n, n + b * r):
                    o = d1 + (c * m + l) * m
                    add_times(x[row, l], shape[o + first : o + end], x[out + c, first:end])


@kernel
def matrices(tree, work, f, w0, w1, w2, b0, b1, b2):
    """Transposed dQ/dq and dQ/du (m, m) of the extended body's inertia forces, for its angular velocity and acceleration."""
    n, r, _, parts, _ = places(tree, f)
    m, shape, w = n + r, tree.flex_data, work.flex
    own = at.modal(tree, f)
    d1, A, U = own.D1, own.Qq, own.Qu
    ww = w0 * w0 + w1 * w1 + w2 * w2
    for i in range(m * m):
        w[A + i] = 0.0
        w[U + i] = 0.0
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
                first, end = a * n, n + a * r
                for l in range(b * n, n + b * r):
                    o, e = d1 + (c * m + l) * m, l * m
                    part = shape[o + first : o + end]
                    add_times(p, part, w[A + e + first : A + e + end])
                    if i != j:
                        add_times(v, part, w[U + e + first : U + e + end])


@kernel
def contract(tree, work, f, x, Rq, Ru, M):
    """Add the extended body's matrices to the tangents of its coordinates; x are its rows."""
    n, r, gamma, _, g = places(tree, f)
    m, shape, w, k0 = n + r, tree.flex_data, work.flex, tree.flex[f, at.FLEX_U0]
    own = at.modal(tree, f)
    A, U, gu, ga, mass, stiff, t = own.Qq, own.Qu, own.Gamma_u, own.Gamma_a, own.M, own.K, x[at.FX_A2]
    for k in range(n):
        qk, uk = w[A + k * m : A + (k + 1) * m], w[U + k * m : U + (k + 1) * m]
        for i in range(m):
            t[i] = shape[mass + k * m + i]
        for s in range(r):
            y, v, b, e = w[g + s * n + k], w[gu + s * n + k], w[ga + s * n + k], (n + s) * m
            qs, us, ms = w[A + e : A + e + m], w[U + e : U + e + m], shape[mass + e : mass + e + m]
            add_times(y, qs, qk)
            add_times(v, us, qk)
            add_times(b, ms, qk)
            add_times(y, us, uk)
            add_times(2.0 * v, ms, uk)
            add_times(y, ms, t)
        for s in range(r):
            z, e = w[g + s * n : g + (s + 1) * n], gamma + (s * n + k) * n
            add_times(qk[n + s], z, qk[0:n])
            add_times(x[at.FX_Q, n + s], shape[e : e + n], qk[0:n])
            add_times(uk[n + s], z, uk[0:n])
            add_times(t[n + s], z, t[0:n])
        for i in range(n):
            Rq[k0 + i, k0 + k] += qk[i] + shape[stiff + i * n + k]
            Ru[k0 + i, k0 + k] += uk[i]
            M[k0 + i, k0 + k] += t[i]


@kernel
def add_mass(tree, work, f, x, mass):
    """Add Y^T M Y to the mass matrix; x are the body's rows."""
    n, r, _, _, g = places(tree, f)
    m, shape, w, k0 = n + r, tree.flex_data, work.flex, tree.flex[f, at.FLEX_U0]
    own, t = at.modal(tree, f).M, x[at.FX_A2]
    for k in range(n):
        for i in range(m):
            t[i] = shape[own + k * m + i]
        for s in range(r):
            e = own + (n + s) * m
            add_times(w[g + s * n + k], shape[e : e + m], t)
        for s in range(r):
            add_times(t[n + s], w[g + s * n : g + (s + 1) * n], t[0:n])
        add_times(1.0 + 0.0 * t[0], t[0:n], mass[k0 + k, k0 : k0 + n])


@kernel
def add_pull(tree, f, o, Rq, f0, f1, f2, m0, m1, m2):
    """Add the sum of c_s Gamma_s, c_s the work of a force and a moment on the slaved shapes (6, r) at o."""
    n, r, gamma, _, _ = places(tree, f)
    x, k = tree.flex_data, tree.flex[f, at.FLEX_U0]
    for s in range(r):
        c = x[o + s] * f0 + x[o + r + s] * f1 + x[o + 2 * r + s] * f2
        c += x[o + 3 * r + s] * m0 + x[o + 4 * r + s] * m1 + x[o + 5 * r + s] * m2
        for i in range(n):
            e = gamma + (s * n + i) * n
            add_times(c, x[e : e + n], Rq[k + i, k : k + n])
