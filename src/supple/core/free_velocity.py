"""Dense output of free joints: their velocities are in axes that turn, their places are not."""

from __future__ import annotations

import numpy as np

from supple.core import layout as at
from supple.core import so3
from supple.core import step as st
from supple.native.declare import kernel

# Fractions of a step at which velocities are taken, and the matrix from values there to coefficients of powers
NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(st.DEGREE) / (st.DEGREE - 1))
COEFFICIENTS = np.linalg.inv(np.vander(NODES, increasing=True))


@kernel
def free_velocities(m, r, h):
    """Polynomials r.pu of the velocities of free joints' places, from those of the increments r.px.

    The rate of a place is smooth in the axes of the step's start. In the body's axes it turns with the body, which no
    parabola follows: v = exp(x)^T y', taken at as many places as a polynomial has coefficients.
    """
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            for k in range(j + 3, j + 6):
                for i in range(st.DEGREE):
                    r.pu[k, i] = 0.0
            for i in range(st.DEGREE):
                s = NODES[i]
                a, b, c = st.polynomial(r.px[j], s), st.polynomial(r.px[j + 1], s), st.polynomial(r.px[j + 2], s)
                x, y, z = st.slope(r.px[j + 3], s) / h, st.slope(r.px[j + 4], s) / h, st.slope(r.px[j + 5], s) / h
                x, y, z = so3.rotate(-a, -b, -c, x, y, z)
                for k in range(st.DEGREE):
                    f = COEFFICIENTS[k, i]
                    r.pu[j + 3, k] += f * x
                    r.pu[j + 4, k] += f * y
                    r.pu[j + 5, k] += f * z
