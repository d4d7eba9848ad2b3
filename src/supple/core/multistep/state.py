"""Buffers and unknowns of the multistep methods; see ``multistep`` for the symbols."""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.buffers import Part, Record
from supple.core.run import step as st
from supple.native.declare import kernel

BDF, ADAMS = 0, 1

# Ends of steps that are remembered, the last one first; a row is t, q, u, a, z, z', w, w', Lambda, lam
REMEMBERED = 8

# Own reals: the time that evaluations must stay left of, the time and the size of the step that is tried
LEFT, TRIED, SIZE = 0, 1, 2
SCALARS = 3
# Own integers: method, attempts at this step, evaluations in this attempt, trouble, ends remembered
METHOD, ATTEMPTS, SWEEP, TROUBLE, ENDS = 0, 1, 2, 3, 4
OWN_INTS = 5
# Rows over velocities: accelerations, residual, weights of xi and u, two scratch rows, what moves q
ACC, F, WX, WU, S1, S2, V = 0, 1, 2, 3, 4, 5, 6
U_ROWS = 7
OWN_RECORD = Record(
    "Own", __name__,
    Part("run", "float64", {
        "scalar": SCALARS,
        "base": "nq",
        "qd": "nq",
        "u": (U_ROWS, "nu"),
        "z": "nz",
        "e": "elements",
        "ends": (REMEMBERED, "1 + nq + 2 * nu + 2 * nz + 2 * elements + 2 * nr"),
        "basis": (st.DEGREE, st.DEGREE),
        "nodes": (3, st.DEGREE),
        "B": ("nr", "nu"),
        "push": ("nr", st.DEGREE),
    }),
    Part("count", "int64", {"ints": OWN_INTS, "rows": st.DEGREE}),
    head=at.SIZES,
    follows=True,
)
Own, cut_own = OWN_RECORD.views, OWN_RECORD.cut


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k]."""
    return cut_own(m.head, run, i, ints, k)[0]


def own_size(nu: int, nz: int, ne: int, nr: int = 0) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer."""
    nq = 2 * nu  # at most: a ball joint has 4 for 3
    reals, ints = OWN_RECORD.lengths({"nq": nq, "nu": nu, "nz": nz, "elements": ne, "nr": nr})
    return reals, ints


@kernel
def unpack(m, r, o, y):
    """Coordinates with unit quaternions, velocities and controller states of y into qt, ut, zt."""
    nq, nu = r.q.shape[0], r.u.shape[0]
    for i in range(nq):
        r.qt[i] = o.base[i] + y[i]
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            i = m.node[n, at.Q0]
            s = 1.0 / math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1] + y[i + 2] * y[i + 2] + y[i + 3] * y[i + 3])
            for k in range(i, i + 4):
                r.qt[k] = s * y[k]
    for k in range(nu):
        r.ut[k] = y[nq + k]
    for k in range(r.z.shape[0]):
        r.zt[k] = y[nq + nu + k]
