"""Slaved shapes of flexible bodies: displacements of second order in the elastic coordinates.

A body with slaved shapes g has the field x + S q + g z with z_s = q . Gamma_s q / 2: a body of n + r shapes, the last
r of which follow the first n. With G = Gamma q its extended coordinates, rates and accelerations are

    (q, G q / 2)    (u, G u)    (a, G a + (Gamma u) u)

What the extended body resists with, Q (n + r), is felt by the coordinates through Y = [1; G]: Y^T Q. Its derivative
has the factors Y, Yu = [0; Gamma u] and Ya = [0; Gamma a], and the sum of Q_s Gamma_s, the geometric stiffness.
Most entries of the nine matrices D1 are zero: what is built from them runs over strips of those that are not.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.native.declare import block, kernel


@kernel
def places(tree, f):
    """Numbers n, r; places of Gamma in the flexible reals and of Gamma q in the workspace."""
    b = at.modal(tree, f)
    return tree.flex[f, at.FLEX_N], tree.flex[f, at.FLEX_R], b.Gamma, b.Gamma_q


@kernel
def add_times(factor, x, out):
    """out += factor x; blocks with indices from zero are what the compiler can vectorize."""
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
def dot_between(x, start, end):
    """Scalar product with the way from start to end."""
    s = 0.0 * end[0]
    for i in range(x.shape[0]):
        s += x[i] * (end[i] - start[i])
    return s


@kernel
def times_gamma(shape, gamma, n, r, x, out):
    """out = Gamma x (r n,) for the coordinates x (n,); Gamma (n, r, n), as its forms are symmetric."""
    forms = block(shape, gamma, n, r * n)
    for i in range(r * n):
        out[i] = 0.0
    for j in range(n):
        add_times(x[j], forms[j], out)


@kernel
def coordinates(tree, work, q):
    """Extended coordinates of all flexible bodies."""
    w = work.flex
    for f in range(tree.flex.shape[0]):
        n, r, gamma, g = places(tree, f)
        j, o = tree.flex[f, at.FLEX_Q0], tree.flex[f, at.FLEX_WORK] + at.FX_QE * (n + r)
        for i in range(n):
            w[o + i] = q[j + i]
        if r > 0:
            x, G = block(w, o, n), block(w, g, r, n)
            times_gamma(tree.flex_data, gamma, n, r, x, block(w, g, r * n))
            for s in range(r):
                w[o + n + s] = 0.5 * dot(G[s], x)


@kernel
def rates(tree, work, u, a):
    """Extended rates and accelerations of all flexible bodies; needs coordinates."""
    w = work.flex
    for f in range(tree.flex.shape[0]):
        n, r, gamma, g = places(tree, f)
        j, o = tree.flex[f, at.FLEX_U0], tree.flex[f, at.FLEX_WORK] + at.FX_UE * (n + r)
        p = o + n + r
        for i in range(n):
            w[o + i] = u[j + i]
            w[p + i] = a[j + i]
        if r > 0:
            h, x, y = at.modal(tree, f).Gamma_u, block(w, o, n), block(w, p, n)
            G, Gu = block(w, g, r, n), block(w, h, r, n)
            times_gamma(tree.flex_data, gamma, n, r, x, block(w, h, r * n))
            for s in range(r):
                w[o + n + s] = dot(G[s], x)
                w[p + n + s] = dot(G[s], y) + dot(Gu[s], x)


@kernel
def accelerations(tree, work, a):
    """Gamma a of all flexible bodies, which only tangents need."""
    for f in range(tree.flex.shape[0]):
        n, r, gamma, _ = places(tree, f)
        if r > 0:
            j, o = tree.flex[f, at.FLEX_U0], at.modal(tree, f).Gamma_a
            times_gamma(tree.flex_data, gamma, n, r, a[j : j + n], block(work.flex, o, r * n))


@kernel
def at_place(tree, work, f, k, e):
    """Fill [Phi; Psi] (6, n) of the attachment with constants at k and workspace at e, slaved shapes included."""
    n, g = tree.flex[f, at.FLEX_N], places(tree, f)[3]
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
        row = block(w, e + l * n, n)
        for i in range(n):
            row[i] = 0.0
        for s in range(r):
            c = tree.flex_data[k + at.ATTACH_PHI + 6 * n + l * r + s]
            if c != 0.0:
                add_times(c, block(w, g + s * n, n), row)


@kernel
def felt_row(given, w, g, n, r, out):
    """out (n,) = given Y for a row ``given`` (n + r,), with Gamma q at g in the workspace w; it may be the same row."""
    for i in range(n):
        out[i] = given[i]
    for s in range(r):
        c = given[n + s]
        if c != 0.0:  # many vanish: P of tilting sections, moments about the axis of shortening
            z = block(w, g + s * n, n)
            for i in range(n):
                out[i] += c * z[i]


@kernel
def sums(tree, work, f):
    """Rows D = D0 + D1 q, D1 u and D1 a over its first index, of the extended coordinates and rates.

    A strip may end behind the last column: there it adds zeros to the next numbers of the workspace.
    """
    m, shape, w = tree.flex[f, at.FLEX_N] + tree.flex[f, at.FLEX_R], tree.flex_data, work.flex
    start = tree.flex[f, at.FLEX_WORK]
    q, u, a = block(w, start + at.FX_QE * m, m), block(w, start + at.FX_UE * m, m), block(w, start + at.FX_AE * m, m)
    D, U, A = start + at.FX_D * m, start + at.FX_U2 * m, start + at.FX_A2 * m
    D0, Dq, Du, Da = block(shape, at.modal(tree, f).D0, 9 * m), block(w, D, 9 * m), block(w, U, 9 * m), block(w, A, 9 * m)
    for i in range(9 * m):
        Dq[i] = D0[i]
        Du[i] = 0.0
        Da[i] = 0.0
    zero, deformed = 0.0 * work.origin[0], float(tree.flex[f, at.FLEX_DEFORMED])
    k, first, o = tree.flex[f, at.FLEX_STRIP_ROW], tree.flex[f, at.FLEX_STRIP], tree.flex[f, at.FLEX_STRIP_AT]
    for s in range(first, first + tree.flex[f, at.FLEX_STRIPS]):
        strip = tree.strip[s]
        q0, q1, q2, q3, u0, u1, u2, u3, a0, a1, a2, a3 = zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero
        count = strip[at.STRIP_ROWS]
        rows = block(tree.strip_row, k, count)
        for j in range(count):
            l, e = rows[j], block(shape, o + 4 * j, 4)
            x, y, z = deformed * q[l], deformed * u[l], a[l]
            e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
            q0, q1, q2, q3 = q0 + e0 * x, q1 + e1 * x, q2 + e2 * x, q3 + e3 * x
            u0, u1, u2, u3 = u0 + e0 * y, u1 + e1 * y, u2 + e2 * y, u3 + e3 * y
            a0, a1, a2, a3 = a0 + e0 * z, a1 + e1 * z, a2 + e2 * z, a3 + e3 * z
        k, o = k + count, o + 4 * count
        c = strip[at.STRIP_PART] * m + strip[at.STRIP_FROM]
        add_four(block(w, D + c, 4), q0, q1, q2, q3)
        add_four(block(w, U + c, 4), u0, u1, u2, u3)
        add_four(block(w, A + c, 4), a0, a1, a2, a3)


@kernel
def add_four(out, x0, x1, x2, x3):
    """Add four numbers to four."""
    out[0] += x0
    out[1] += x1
    out[2] += x2
    out[3] += x3


@kernel
def matrices(tree, work, f, w0, w1, w2, b0, b1, b2):
    """Transposed dQ/dq and dQ/du (m, m) of the extended body's inertia forces, for its angular velocity and acceleration."""
    m, shape, w = tree.flex[f, at.FLEX_N] + tree.flex[f, at.FLEX_R], tree.flex_data, work.flex
    own = at.modal(tree, f)
    ww = w0 * w0 + w1 * w1 + w2 * w2
    for i in range(m * m):
        w[own.Qq + i] = 0.0
        w[own.Qu + i] = 0.0
    if tree.flex[f, at.FLEX_DEFORMED] == 0:
        return
    k, first, o = tree.flex[f, at.FLEX_STRIP_ROW], tree.flex[f, at.FLEX_STRIP], tree.flex[f, at.FLEX_STRIP_AT]
    for s in range(first, first + tree.flex[f, at.FLEX_STRIPS]):
        c, column = tree.strip[s, at.STRIP_PART], tree.strip[s, at.STRIP_FROM]
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
        for _ in range(tree.strip[s, at.STRIP_ROWS]):
            place, e = tree.strip_row[k] * m + column, block(shape, o, 4)
            e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
            add_four(block(w, own.Qq + place, 4), p * e0, p * e1, p * e2, p * e3)
            if i != j:
                add_four(block(w, own.Qu + place, 4), v * e0, v * e1, v * e2, v * e3)
            k, o = k + 1, o + 4


@kernel
def contract(tree, work, f, x, Rq, Ru, M):
    """Add the extended body's matrices to the tangents of its coordinates; x are its rows."""
    n, r, gamma, g = places(tree, f)
    m, shape, w, k0 = n + r, tree.flex_data, work.flex, tree.flex[f, at.FLEX_U0]
    own = at.modal(tree, f)
    A, U, gu, ga, mass, stiff, t = own.Qq, own.Qu, own.Gamma_u, own.Gamma_a, own.M, own.K, x[at.FX_A2]
    for k in range(n):
        qk, uk = block(w, A + k * m, m), block(w, U + k * m, m)
        for i in range(m):
            t[i] = shape[mass + k * m + i]
        for s in range(r):
            y, v, b, e = w[g + s * n + k], w[gu + s * n + k], w[ga + s * n + k], (n + s) * m
            qs, us, ms = block(w, A + e, m), block(w, U + e, m), block(shape, mass + e, m)
            for i in range(m):
                qk[i] += y * qs[i] + v * us[i] + b * ms[i]
                uk[i] += y * us[i] + 2.0 * v * ms[i]
                t[i] += y * ms[i]
        for s in range(r):
            z, form = block(w, g + s * n, n), block(shape, gamma + (k * r + s) * n, n)
            y, v, b, c = qk[n + s], uk[n + s], t[n + s], x[at.FX_Q, n + s]
            for i in range(n):
                qk[i] += y * z[i] + c * form[i]
                uk[i] += v * z[i]
                t[i] += b * z[i]
        for i in range(n):
            row = tree.row_of[k0 + i]
            Rq[row, k0 + k] += qk[i] + shape[stiff + i * n + k]
            Ru[row, k0 + k] += uk[i]
            M[row, k0 + k] += t[i]


@kernel
def add_mass(tree, work, f, x, mass, rows, k0):
    """Add Y^T M Y to a matrix, from row and column k0 on, whose rows are at ``rows``; x are the body's rows."""
    n, r, _, g = places(tree, f)
    m, shape, w = n + r, tree.flex_data, work.flex
    own, t = at.modal(tree, f).M, x[at.FX_A2]
    for k in range(n):
        for i in range(m):
            t[i] = shape[own + k * m + i]
        for s in range(r):
            e = own + (n + s) * m
            add_times(w[g + s * n + k], block(shape, e, m), t)
        for s in range(r):
            add_times(t[n + s], block(w, g + s * n, n), t[0:n])
        row = mass[rows[k0 + k]]
        for i in range(n):
            row[k0 + i] += t[i]


@kernel
def add_pull(tree, f, o, Rq, f0, f1, f2, m0, m1, m2):
    """Add the sum of c_s Gamma_s, c_s the work of a force and a moment on the slaved shapes (6, r) at o."""
    n, r, gamma, _ = places(tree, f)
    x, k = tree.flex_data, tree.flex[f, at.FLEX_U0]
    for s in range(r):
        c = x[o + s] * f0 + x[o + r + s] * f1 + x[o + 2 * r + s] * f2
        c += x[o + 3 * r + s] * m0 + x[o + 4 * r + s] * m1 + x[o + 5 * r + s] * m2
        for i in range(n):
            form = block(x, gamma + (i * r + s) * n, n)
            for j in range(n):  # no slice of Rq: see native/declare.py, skewed
                Rq[tree.row_of[k + i], k + j] += c * form[j]
