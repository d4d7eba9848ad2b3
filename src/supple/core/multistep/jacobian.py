"""Blocks of the Jacobian that IDA asks for; see ``multistep`` for the equations."""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base import so3
from supple.native.declare import kernel


@kernel
def along_coordinates(m, y, q, R, sign, J, row):
    """Rows of J from ``row`` on, over q: sign times R, whose columns are along ``retract``.

    A change dq of a quaternion is the increment 2/|q| Q(q/|q|)^T dq, with Q v the product of the quaternions
    q/|q| and (0, v); a change dp of a free joint's place is the increment R^T dp.
    """
    node = m.node
    for c in range(R.shape[0]):
        a, out = R[c], J[row + c]
        for f in range(m.plain.shape[0]):
            i, j = m.plain[f, at.PLAIN_Q0], m.plain[f, at.PLAIN_U0]
            for k in range(m.plain[f, at.PLAIN_N]):
                out[i + k] = sign * a[j + k]
        for n in range(1, node.shape[0]):
            kind, i, j = node[n, at.MOTION], node[n, at.Q0], node[n, at.U0]
            if kind == at.REVOLUTE or kind == at.PRISMATIC:
                out[i] = sign * a[j]
            elif kind == at.BALL or kind == at.FREE:
                g = 2.0 * sign / math.sqrt(
                    y[i] * y[i] + y[i + 1] * y[i + 1] + y[i + 2] * y[i + 2] + y[i + 3] * y[i + 3]
                )
                e0, e1, e2, e3 = q[i], q[i + 1], q[i + 2], q[i + 3]
                x0, x1, x2 = g * a[j], g * a[j + 1], g * a[j + 2]
                out[i] = -e1 * x0 - e2 * x1 - e3 * x2
                out[i + 1] = e0 * x0 - e3 * x1 + e2 * x2
                out[i + 2] = e3 * x0 + e0 * x1 - e1 * x2
                out[i + 3] = -e2 * x0 + e1 * x1 + e0 * x2
                if kind == at.FREE:
                    m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(e0, e1, e2, e3)
                    x0, x1, x2 = sign * a[j + 3], sign * a[j + 4], sign * a[j + 5]
                    out[i + 4] = m0 * x0 + m1 * x1 + m2 * x2
                    out[i + 5] = m3 * x0 + m4 * x1 + m5 * x2
                    out[i + 6] = m6 * x0 + m7 * x1 + m8 * x2


@kernel
def coordinate_rows(m, y, q, u, c, J):
    """Rows of J for q' - q'(q, u), over q and u; c is the derivative of y' with respect to y."""
    node, nq = m.node, m.head[at.H_Q]
    for f in range(m.plain.shape[0]):
        i, j = m.plain[f, at.PLAIN_Q0], m.plain[f, at.PLAIN_U0]
        for k in range(m.plain[f, at.PLAIN_N]):
            J[i + k, i + k] = c
            J[i + k, nq + j + k] = -1.0
    for n in range(1, node.shape[0]):
        kind, i, j = node[n, at.MOTION], node[n, at.Q0], nq + node[n, at.U0]
        if kind == at.REVOLUTE or kind == at.PRISMATIC:
            J[i, i] = c
            J[i, j] = -1.0
        elif kind == at.BALL or kind == at.FREE:
            e0, e1, e2, e3 = y[i], y[i + 1], y[i + 2], y[i + 3]
            w0, w1, w2 = 0.5 * u[j - nq], 0.5 * u[j - nq + 1], 0.5 * u[j - nq + 2]
            spin = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
            gap = 1.0 - e0 * e0 - e1 * e1 - e2 * e2 - e3 * e3
            for k in range(4):
                for l in range(4):
                    J[i + k, i + l] = 2.0 * spin * y[i + k] * y[i + l]
                J[i + k, i + k] += c - spin * gap
                s = -0.5 * gap * y[i + k] / spin if spin > 0.0 else 0.0
                J[i + k, j], J[i + k, j + 1], J[i + k, j + 2] = s * w0, s * w1, s * w2
            J[i, i + 1] += w0
            J[i, i + 2] += w1
            J[i, i + 3] += w2
            J[i + 1, i] -= w0
            J[i + 1, i + 2] -= w2
            J[i + 1, i + 3] += w1
            J[i + 2, i] -= w1
            J[i + 2, i + 1] += w2
            J[i + 2, i + 3] -= w0
            J[i + 3, i] -= w2
            J[i + 3, i + 1] -= w1
            J[i + 3, i + 2] += w0
            J[i, j] += 0.5 * e1
            J[i, j + 1] += 0.5 * e2
            J[i, j + 2] += 0.5 * e3
            J[i + 1, j] -= 0.5 * e0
            J[i + 1, j + 1] += 0.5 * e3
            J[i + 1, j + 2] -= 0.5 * e2
            J[i + 2, j] -= 0.5 * e3
            J[i + 2, j + 1] -= 0.5 * e0
            J[i + 2, j + 2] += 0.5 * e1
            J[i + 3, j] += 0.5 * e2
            J[i + 3, j + 1] -= 0.5 * e1
            J[i + 3, j + 2] -= 0.5 * e0
            if kind == at.FREE:
                place_rows(y, q, u, i, j, j - nq, c, J)


@kernel
def place_rows(y, q, u, i, j, k, c, J):
    """Rows of J for the place of a free joint: p' - R v, with R (x cross v) for the increment x."""
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = so3.matrix(q[i], q[i + 1], q[i + 2], q[i + 3])
    v0, v1, v2 = u[k + 3], u[k + 4], u[k + 5]
    g = 2.0 / math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1] + y[i + 2] * y[i + 2] + y[i + 3] * y[i + 3])
    e0, e1, e2, e3 = g * q[i], g * q[i + 1], g * q[i + 2], g * q[i + 3]
    for row in range(3):
        out = J[i + 4 + row]
        if row == 0:
            a, b, d = m0, m1, m2
        elif row == 1:
            a, b, d = m3, m4, m5
        else:
            a, b, d = m6, m7, m8
        out[i + 4 + row] = c
        out[j + 3], out[j + 4], out[j + 5] = -a, -b, -d
        # -R (x cross v) = x0 (b v2 - d v1) + x1 (d v0 - a v2) + x2 (a v1 - b v0)
        x0, x1, x2 = b * v2 - d * v1, d * v0 - a * v2, a * v1 - b * v0
        out[i] = -e1 * x0 - e2 * x1 - e3 * x2
        out[i + 1] = e0 * x0 - e3 * x1 + e2 * x2
        out[i + 2] = e3 * x0 + e0 * x1 - e1 * x2
        out[i + 3] = -e2 * x0 + e1 * x1 + e0 * x2


@kernel
def constraint_border(m, G, H, y, q, c, J):
    """Rows of J for g and G u + g_t and columns for Lambda and Mu."""
    nr, nu, nq = G.shape[0], G.shape[1], q.shape[0]
    lam = nq + nu + m.head[at.H_Z]
    mu = lam + nr
    along_coordinates(m, y, q, G, 1.0, J, lam)
    along_coordinates(m, y, q, H, 1.0, J, mu)
    for i in range(nr):
        for k in range(nu):
            g = G[i, k]
            J[mu + i, nq + k] = g
            J[nq + k, lam + i] = c * g
            if g != 0.0:
                b = c * m.unit[k] * m.unit[k] * g
                for l in range(nq):  # q' depends on mu as on u, through B
                    J[l, mu + i] += b * J[l, nq + k]
