"""How weighted sums of residuals along stored states change with numbers of the model.

With weights y (nu) for the residual R = J^T W + Q - efforts of one instant, the sum y R is that of Y W over all nodes and of y Q,
where Y is the twist that the velocities y would give. So all its slopes along numbers of nodes follow from one sweep, however
many parameters there are. A node whose inboard frame moves by a twist J, and everything behind it with it, changes the sum by

    psi_q P + dV D + J E - Y_p adT(W) J,   P = sum I Y,  D = sum B^T Y,  E = sum K^T Y over what is behind it,

with dV = ad(V_p) J and psi_q = ad(A_p) J + ad(V_p) dV as of a joint that is there and stands still (core/equations/tangents.py). Flexible
bodies add the coupling of their own coordinates to P, D and E. The sum is linear in the inertia of a rigid body.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.bodies import flex_body
from supple.core.equations import tangents
from supple.native.declare import kernel

# Slopes of a node: along a twist of its inboard frame in the axes of its parent about the parent's origin (6), along its mass,
# first moment (3) and second moments (xx yy zz xy xz yz)
TWIST, MASS, FIRST, SECOND, NODE_SLOPES = starts(6, 1, 3, 6)
# Rows of a node in the workspace of articulated bodies, which is free here
P, D, E, Y, _ROWS = starts(6, 6, 6, 6)


@kernel
def twists(m, w, weights, posed):
    """Y of every node, and its own part of P, D and E; needs ``tangent_parts`` if frames are ``posed``, else motion."""
    node, rows = m.node, w.articulated
    for k in range(Y + 6):
        rows[0, k] = 0.0
    for n in range(1, node.shape[0]):
        y, i = rows[n], w.node[n]
        for k in range(6):
            y[Y + k] = rows[node[n, at.PARENT], Y + k]
        for d in range(node[n, at.COL0], node[n, at.COL0] + node[n, at.COLUMNS]):
            c, x = w.column[d, at.COL_J], weights[m.column[d, at.VELOCITY]]
            for k in range(6):
                y[Y + k] += c[k] * x
        if posed == 0:
            continue
        w0, w1, w2, v0, v1, v2 = y[Y], y[Y + 1], y[Y + 2], y[Y + 3], y[Y + 4], y[Y + 5]
        y[P] = i[at.J] * w0 + i[at.J + 3] * w1 + i[at.J + 4] * w2 + i[at.C + 1] * v2 - i[at.C + 2] * v1
        y[P + 1] = i[at.J + 3] * w0 + i[at.J + 1] * w1 + i[at.J + 5] * w2 + i[at.C + 2] * v0 - i[at.C] * v2
        y[P + 2] = i[at.J + 4] * w0 + i[at.J + 5] * w1 + i[at.J + 2] * w2 + i[at.C] * v1 - i[at.C + 1] * v0
        y[P + 3] = i[at.M] * v0 + w1 * i[at.C + 2] - w2 * i[at.C + 1]
        y[P + 4] = i[at.M] * v1 + w2 * i[at.C] - w0 * i[at.C + 2]
        y[P + 5] = i[at.M] * v2 + w0 * i[at.C + 1] - w1 * i[at.C]
        tangents.row_times(y[Y : Y + 6], w.matrices[n, at.NODE_B], y[D : D + 6])
        tangents.row_times(y[Y : Y + 6], w.matrices[n, at.NODE_K], y[E : E + 6])
        if node[n, at.HEAVY] == at.FLEXIBLE:
            f = node[n, at.FLEX]
            r, first = flex_body.rows(m, w, f)[0], m.flex[f, at.FLEX_U0]
            for l in range(m.flex[f, at.FLEX_N]):
                x = weights[first + l]
                for k in range(6):
                    y[P + k] += r[at.FX_LW + k, l] * x
                for k in range(3):
                    y[D + k] += r[at.FX_QW + k, l] * x
                    y[E + k] += r[at.FX_QT + k, l] * x


@kernel
def add_crossed(V, X, out):
    """out += ad(V)^T X = [Xw x w + Xv x v; Xv x w]."""
    w0, w1, w2, v0, v1, v2 = V[0], V[1], V[2], V[3], V[4], V[5]
    out[0] += X[1] * w2 - X[2] * w1 + X[4] * v2 - X[5] * v1
    out[1] += X[2] * w0 - X[0] * w2 + X[5] * v0 - X[3] * v2
    out[2] += X[0] * w1 - X[1] * w0 + X[3] * v1 - X[4] * v0
    out[3] += X[4] * w2 - X[5] * w1
    out[4] += X[5] * w0 - X[3] * w2
    out[5] += X[3] * w1 - X[4] * w0


@kernel
def add_frames(m, w, out):
    """Add the slopes along twists of inboard frames."""
    node, x, rows, o, s = m.node, w.node, w.articulated, w.origin, w.scratch
    g, h = s[0], s[1]
    for n in range(node.shape[0] - 1, 0, -1):
        p = node[n, at.PARENT]
        y, parent, r = rows[n], rows[p], x[p]
        for k in range(6):
            g[k] = y[E + k]
            h[k] = y[D + k]
        V = r[at.V : at.V + 6]
        add_crossed(V, y[P : P + 6], h)
        add_crossed(V, h, g)
        add_crossed(r[at.A : at.A + 6], y[P : P + 6], g)
        # - adT(W)^T Y = -[Yw x t + Yv x f; Yw x f]
        t0, t1, t2, f0, f1, f2 = x[n, at.W], x[n, at.W + 1], x[n, at.W + 2], x[n, at.W + 3], x[n, at.W + 4], x[n, at.W + 5]
        w0, w1, w2, v0, v1, v2 = parent[Y], parent[Y + 1], parent[Y + 2], parent[Y + 3], parent[Y + 4], parent[Y + 5]
        g[0] -= w1 * t2 - w2 * t1 + v1 * f2 - v2 * f1
        g[1] -= w2 * t0 - w0 * t2 + v2 * f0 - v0 * f2
        g[2] -= w0 * t1 - w1 * t0 + v0 * f1 - v1 * f0
        g[3] -= w1 * f2 - w2 * f1
        g[4] -= w2 * f0 - w0 * f2
        g[5] -= w0 * f1 - w1 * f0
        # about the parent's origin, then in its axes
        d0, d1, d2 = o[0] - r[at.P], o[1] - r[at.P + 1], o[2] - r[at.P + 2]
        a0, a1, a2 = g[0] + d1 * g[5] - d2 * g[4], g[1] + d2 * g[3] - d0 * g[5], g[2] + d0 * g[4] - d1 * g[3]
        for k in range(3):
            out[n, TWIST + k] += r[k] * a0 + r[3 + k] * a1 + r[6 + k] * a2
            out[n, TWIST + 3 + k] += r[k] * g[3] + r[3 + k] * g[4] + r[6 + k] * g[5]
        for k in range(Y):
            parent[k] += y[k]


@kernel
def local(r, o, x):
    """A spatial vector about the reference point, about the origin of a node and in its axes."""
    d0, d1, d2 = r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]
    w0, w1, w2 = x[0], x[1], x[2]
    v0, v1, v2 = x[3] + w1 * d2 - w2 * d1, x[4] + w2 * d0 - w0 * d2, x[5] + w0 * d1 - w1 * d0
    return (
        r[0] * w0 + r[3] * w1 + r[6] * w2, r[1] * w0 + r[4] * w1 + r[7] * w2, r[2] * w0 + r[5] * w1 + r[8] * w2,
        r[0] * v0 + r[3] * v1 + r[6] * v2, r[1] * v0 + r[4] * v1 + r[7] * v2, r[2] * v0 + r[5] * v1 + r[8] * v2,
    )  # fmt: skip


@kernel
def add_inertias(m, w, out):
    """Add the slopes along masses, first and second moments of rigid bodies.

    Y F = y (J alpha + c x a + w x (J w + c x v) + v x (w x c)) + x (m a + alpha x c + w x (m v + w x c)).
    """
    node, o = m.node, w.origin
    for n in range(1, node.shape[0]):
        if node[n, at.HEAVY] != at.RIGID:
            continue
        r, g = w.node[n], out[n]
        w0, w1, w2, v0, v1, v2 = local(r, o, r[at.V : at.V + 6])
        b0, b1, b2, a0, a1, a2 = local(r, o, r[at.A : at.A + 6])
        y0, y1, y2, x0, x1, x2 = local(r, o, w.articulated[n, Y : Y + 6])
        g[MASS] += x0 * (a0 + w1 * v2 - w2 * v1) + x1 * (a1 + w2 * v0 - w0 * v2) + x2 * (a2 + w0 * v1 - w1 * v0)
        z0, z1, z2 = y1 * w2 - y2 * w1, y2 * w0 - y0 * w2, y0 * w1 - y1 * w0  # y x w
        s0, s1, s2 = y1 * v2 - y2 * v1 + x1 * w2 - x2 * w1, y2 * v0 - y0 * v2 + x2 * w0 - x0 * w2, y0 * v1 - y1 * v0 + x0 * w1 - x1 * w0
        # a x y + x x alpha + v x (y x w) + (y x v + x x w) x w
        g[FIRST] += a1 * y2 - a2 * y1 + x1 * b2 - x2 * b1 + v1 * z2 - v2 * z1 + s1 * w2 - s2 * w1
        g[FIRST + 1] += a2 * y0 - a0 * y2 + x2 * b0 - x0 * b2 + v2 * z0 - v0 * z2 + s2 * w0 - s0 * w2
        g[FIRST + 2] += a0 * y1 - a1 * y0 + x0 * b1 - x1 * b0 + v0 * z1 - v1 * z0 + s0 * w1 - s1 * w0
        g[SECOND] += y0 * b0 + z0 * w0
        g[SECOND + 1] += y1 * b1 + z1 * w1
        g[SECOND + 2] += y2 * b2 + z2 * w2
        g[SECOND + 3] += y0 * b1 + y1 * b0 + z0 * w1 + z1 * w0
        g[SECOND + 4] += y0 * b2 + y2 * b0 + z0 * w2 + z2 * w0
        g[SECOND + 5] += y1 * b2 + y2 * b1 + z1 * w2 + z2 * w1
