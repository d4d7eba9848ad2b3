"""Dense output of free joints: their velocities are in axes that turn, their places are not."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base import so3
from supple.core.run import step as st
from supple.native.declare import kernel

# Fractions of a step at which velocities are taken, and the matrix from values there to coefficients of powers
NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(st.DEGREE) / (st.DEGREE - 1))
COEFFICIENTS = np.linalg.inv(np.vander(NODES, increasing=True))


@kernel
def free_velocities(m, r, h):
    """Add to the parabolas r.pu[:, :3] of the velocities of free joints' places what turns in them, from r.px.

    The rate of a place is smooth in the axes of the step's start. In the body's axes it turns with the body, which no
    parabola follows: v = exp(x)^T y', taken at as many places as a polynomial has coefficients. It is the difference to
    the parabola that is added, so that rounding is a part of what turns.
    """
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            p, q, d = r.pu[j + 3], r.pu[j + 4], r.pu[j + 5]
            p0, p1, p2, q0, q1, q2, d0, d1, d2 = p[0], p[1], p[2], q[0], q[1], q[2], d[0], d[1], d[2]
            for i in range(st.DEGREE):
                s = NODES[i]
                a, b, c = st.polynomial(r.px[j], s), st.polynomial(r.px[j + 1], s), st.polynomial(r.px[j + 2], s)
                x, y, z = st.slope(r.px[j + 3], s) / h, st.slope(r.px[j + 4], s) / h, st.slope(r.px[j + 5], s) / h
                x, y, z = so3.rotate(-a, -b, -c, x, y, z)
                x, y, z = x - p0 - s * (p1 + s * p2), y - q0 - s * (q1 + s * q2), z - d0 - s * (d1 + s * d2)
                for k in range(st.DEGREE):
                    f = COEFFICIENTS[k, i]
                    p[k] += f * x
                    q[k] += f * y
                    d[k] += f * z
