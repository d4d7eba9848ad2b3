"""One implicit step of the generalized-alpha method: its buffers, its beginning and its end.

The unknowns are the rates E at the step's end: of the velocities u, and G of the controller states z.
Rates and velocities of the places of free joints are in the axes of the step's start, y' = exp(x) v, so
that a place moves by p + R y as in the plain method; all others are u and u' themselves. Newton's
increments, errors and carried differences are in the axes of the step's end, which the tangents use.

Constraint rows (core/alpha/newton.py) bring multipliers lam at the step's end. Held are positions g = 0 (index 3), or
positions and velocities G u + g_t = 0; then the increment gets a further part P along the rows' normals.

Rows that hold rates alone hold them at the end of each step, as they are.

Constraints on positions alone leave velocities that violate theirs by (1/6 - beta - s/2) h^2 u'' along the normals. A
velocity without just this offset, at the start or where the step changes, makes the rates and multipliers oscillate
with an error of order 1. So fresh steps hold both: their P/h is the offset. Where the step changes, the offset
changes with its square.
"""

from __future__ import annotations

from collections.abc import Mapping

from supple.core.base import layout as at
from supple.core.base import so3
from supple.core.base.buffers import Part, Record
from supple.core.base.layout import TREE
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.equations.tree_parts import PARTS_RECORD
from supple.core.linalg.multifrontal import COEFFICIENTS, FURTHER, by_blocks, room
from supple.core.run import step as st
from supple.native.declare import REAL, TRUTH, kernel, shared

# The method's parameters, first in its part of the buffer: alpha_m, alpha_f, beta, gamma; the same of the
# controller states delta_m, delta_f, theta; fixed step in s (0: error control); whether velocities are held on the
# constraints as well as positions (1: yes)
AM, AF, BETA, GAMMA, DM, DF, THETA, STEP, BOTH = 0, 1, 2, 3, 4, 5, 6, 7, 8
PARAMETERS = 9

# Rows over constraints: largest rates at ends of steps so far, multipliers at the end, their slope in the last step,
# violations and their rates
LARGEST, LAM, LSLOPE, GAP, RATE = range(5)
ROWS = 5

# Rows over velocities: rates at the end and the start, algorithmic rate, filtered slope of the last step's
# rates, known parts of increment and velocity, these at the end and in the middle, body rate at the end,
# residual, filtered change of rates, weights, scratch; change and slope along the constraints only, part of the
# increment along the constraints' normals, offset that is added to the velocity at the start where the step changes
E, A0, AL, SLOPE, XB, UB, XI, UV, XM, UM, AT, F, D, WX, WU, S1, S2, DT, TSLOPE, P, DU0 = range(21)
U_ROWS = 21
# ... over controller states: rate at the end, algorithmic rate, slope, known part, middle, change, weights
G, ZAL, ZSLOPE, ZB, ZM, DZ, WZ = range(7)
Z_ROWS = 7
# ... over force elements: power in the middle and at the end, weights
PM, P1, WW = range(3)
E_ROWS = 3
MASS, RQ, RU = 0, 1, 2
# Over constraint rows and velocities: G, derivative H of the rates along q
G_ROW, H_ROW = 0, 1
# Integers: why the last attempt failed (DONE: it did not, or by its error), steps left to the stop, steps since Newton's
# contraction was measured
TROUBLE, LEFT, UNSEEN = 0, 1, 2
OWN_INTS = 3

N = "nu + outer + 2 * nr"  # Newton's unknowns
# From as many velocities on Newton's matrix is eliminated along the tree, where the model allows that (core/alpha/newton.py):
# a step factors it seldom, and solutions with a whole one are quick; from more on with a border, and for each of its lines
TREE_FROM, BORDER, LINE = 100, 180, 4
WHOLE = f"(widest == 0 or nu < {TREE_FROM} + (border > 0) * ({BORDER} + {LINE} * border))"
NU, NZ = f"{WHOLE} * nu", f"{WHOLE} * outer"
OWN_RECORD = Record(
    "Own", __name__,
    Part("run", "float64", stored=("tangent", "rows"), fields={
        "c": PARAMETERS,
        "row": (ROWS, "nr"),
        "u": (U_ROWS, "nu"),
        "z": (Z_ROWS, "nz"),
        "e": (E_ROWS, "elements"),
        "y": N,
        "tangent": (f"3 + {FURTHER} * (inner > 0) * planned", f"planned * tall + (planned == 0) * {NU}", f"planned + (planned == 0) * {NU}"),
        "Rz": (NU, NZ),
        "Gq": (NZ, NU),
        "Gu": (NZ, NU),
        "Gz": (NZ, NZ),
        "rows": (2, "lines", at.WIDE),
        "newton": f"(blocks == 0) * {WHOLE} * ({N}) * ({N})",  # of a size that changes
        # by blocks (core/linalg/multifrontal.py): numbers of the method, right side, fronts and their factors
        "coefficients": ("blocks", COEFFICIENTS),
        "sides": f"blocks * ({N})",
        "stack": (1, "stack"),
        "factors": (1, "factors"),
    }),
    Part("count", "int64", {"pivots": N, "ints": OWN_INTS, "rated": "nr"}),  # rated: 1 for rows that hold rates alone
    head=at.SIZES,
    given=("blocks", "stack", "factors"),  # 1 or 0; numbers of the stack and of factors
    follows=True,
)
Own, OWN, cut_own = OWN_RECORD.views, OWN_RECORD.kind, OWN_RECORD.cut


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k], and where it ends."""
    stack, factors = room(m)
    return cut_own(m.head, run, i, ints, k, 1 if by_blocks(m) else 0, stack, factors)


def own_size(sizes: Mapping[str, int], fronts: tuple[int, int]) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer; ``fronts`` from ``blocks.lengths``."""
    reals, ints = OWN_RECORD.lengths({**sizes, "stack": fronts[0], "factors": fronts[1], "blocks": int(fronts[0] > 0)})
    more_reals, more_ints = PARTS_RECORD.lengths({**sizes, "factors": 1})
    return reals + more_reals, ints + more_ints


@kernel
def turn(m, x, sign, y):
    """y = exp(sign x) y for the places of free joints: -1 to the axes at the increment x, +1 back."""
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            y[j + 3], y[j + 4], y[j + 5] = so3.rotate(
                sign * x[j], sign * x[j + 1], sign * x[j + 2], y[j + 3], y[j + 4], y[j + 5]
            )


@kernel
def velocity_offset(m, w, r, o, t, ratio):
    """Index 3: change DU0 of the velocity at the start for a step of another size (ratio new/old; 0: a fresh one)."""
    st.copy(r.q, r.qt)
    st.copy(r.u, r.ut)
    if ratio != 1.0:
        dynamics.satisfy(m, w, t, r.qt, r.ut, r.xt, r.qs)
    for k in range(r.u.shape[0]):
        o.u[DU0, k] = (ratio * ratio - 1.0) * (r.u[k] - r.ut[k])


@kernel
def add_offset(r, o, h):
    """Index 3, after a fresh step, which held velocities too: they get the offset P/h of steps that hold positions only."""
    for k in range(r.u.shape[0]):
        o.u[UB, k] += o.u[P, k] / h


@kernel
def begin(m, w, r, o, h, h_old, fresh):
    """Known parts of the step and starting values; returns the factors of h^2 E, h E and h G at its end.

    A fresh step takes the algorithmic rate at its start from the two true ones, A0 + s (E - A0) with
    s = alpha_m - alpha_f: it is a Newmark step with gamma = 1/2 and beta = (1 + s^2)/4. Otherwise that
    rate, which belongs to s h after the instant, is moved to the new step.
    """
    c = o.c
    nu, nz = r.u.shape[0], r.z.shape[0]
    for j in range(r.lam.shape[0]):
        o.row[LAM, j] = r.lam[j] if fresh else r.lam[j] + h * o.row[LSLOPE, j]
    st.copy(o.row[LAM], w.lam)
    for k in range(nu):
        o.u[P, k] = 0.0
    chart.acceleration(m, o.u[P], r.u, r.u, r.a, o.u[A0])  # no increment yet
    if fresh:
        s, sz = c[AM] - c[AF], c[DM] - c[DF]
        be, ge, te = c[BETA] + 0.5 * s, c[GAMMA] + s, c[THETA] + sz
        for k in range(nu):
            u = r.u[k] + o.u[DU0, k]
            o.u[E, k] = o.u[A0, k]
            o.u[XB, k] = h * u + h * h * (0.5 - be) * o.u[A0, k]
            o.u[UB, k] = u + h * (1.0 - ge) * o.u[A0, k]
        for k in range(nz):
            o.z[G, k] = r.zdot[k]
            o.z[ZB, k] = r.z[k] + h * (1.0 - te) * r.zdot[k]
        return be, ge, te
    ratio = h / h_old
    f = 1.0 / (1.0 - c[AM])
    for k in range(nu):
        a = o.u[A0, k]
        x = a + ratio * (o.u[AL, k] - a)
        y = f * (c[AF] * a - c[AM] * x)  # the known part of the algorithmic rate at the end
        u = r.u[k] + o.u[DU0, k]
        o.u[E, k] = a + h * o.u[SLOPE, k]
        o.u[XB, k] = h * u + h * h * ((0.5 - c[BETA]) * x + c[BETA] * y)
        o.u[UB, k] = u + h * ((1.0 - c[GAMMA]) * x + c[GAMMA] * y)
    g = 1.0 / (1.0 - c[DM])
    for k in range(nz):
        a = r.zdot[k]
        x = a + ratio * (o.z[ZAL, k] - a)
        o.z[G, k] = a + h * o.z[ZSLOPE, k]
        o.z[ZB, k] = r.z[k] + h * ((1.0 - c[THETA]) * x + c[THETA] * g * (c[DF] * a - c[DM] * x))
    f *= 1.0 - c[AF]
    return c[BETA] * f, c[GAMMA] * f, c[THETA] * g * (1.0 - c[DF])


@shared(TREE, st.RUN, OWN, REAL, REAL, REAL, REAL)
def end_state(m, r, o, h, be, ge, te):
    """State at the step's end into qt, ut, zt and its body rates into row AT."""
    for k in range(r.u.shape[0]):
        o.u[XI, k] = o.u[XB, k] + h * h * be * o.u[E, k] + o.u[P, k]
        o.u[UV, k] = o.u[UB, k] + h * ge * o.u[E, k]
        r.ut[k] = o.u[UV, k]
        o.u[AT, k] = o.u[E, k]
    for k in range(r.z.shape[0]):
        r.zt[k] = o.z[ZB, k] + h * te * o.z[G, k]
    turn(m, o.u[XI], -1.0, r.ut)
    turn(m, o.u[XI], -1.0, o.u[AT])
    a, u = o.u[AT], r.ut
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.FREE:  # v' = y'' - w x v
            j = m.node[n, at.U0]
            a[j + 3] -= u[j + 1] * u[j + 5] - u[j + 2] * u[j + 4]
            a[j + 4] -= u[j + 2] * u[j + 3] - u[j] * u[j + 5]
            a[j + 5] -= u[j] * u[j + 4] - u[j + 1] * u[j + 3]
    chart.retract(m, r.q, o.u[XI], r.qt)


@shared(TREE, st.RUN, OWN, REAL, REAL, TRUTH)
def update_rates(m, r, o, h, h_old, fresh):
    """Algorithmic rates and slopes for the next step, in the axes of its start."""
    c = o.c
    s, sz = c[AM] - c[AF], c[DM] - c[DF]
    for k in range(r.u.shape[0]):
        a, e = o.u[A0, k], o.u[E, k]
        x = a + h / h_old * (o.u[AL, k] - a) if not fresh else 0.0
        o.u[AL, k] = a + (1.0 + s) * (e - a) if fresh else ((1.0 - c[AF]) * e + c[AF] * a - c[AM] * x) / (1.0 - c[AM])
        o.u[AL, k] = st.flushed(o.u[AL, k])
        o.u[SLOPE, k] = st.flushed(o.u[D, k] / h)
    for k in range(r.u.shape[0] if c[STEP] == 0.0 else 0):
        o.u[TSLOPE, k] = st.flushed(o.u[DT, k] / h)
    turn(m, o.u[XI], -1.0, o.u[AL])
    for j in range(r.lam.shape[0]):
        o.row[LSLOPE, j] = (o.row[LAM, j] - r.lam[j]) / h
        o.row[LARGEST, j] = max(o.row[LARGEST, j], abs(o.row[RATE, j]))
    for k in range(r.z.shape[0]):
        a, e = r.zdot[k], o.z[G, k]
        x = a + h / h_old * (o.z[ZAL, k] - a) if not fresh else 0.0
        o.z[ZAL, k] = a + (1.0 + sz) * (e - a) if fresh else ((1.0 - c[DF]) * e + c[DF] * a - c[DM] * x) / (1.0 - c[DM])
        o.z[ZSLOPE, k] = o.z[DZ, k] / h


@kernel
def move(r, o, h):
    """Move the state to the step's end, which is in qt, ut, zt; work by Simpson's rule."""
    for k in range(r.w.shape[0]):
        r.w[k] += h / 6.0 * (r.power[k] + 4.0 * o.e[PM, k] + o.e[P1, k])
    st.copy(r.qt, r.q)
    st.copy(r.ut, r.u)
    for k in range(r.a.shape[0]):
        r.a[k] = st.flushed(o.u[AT, k])
    st.copy(r.zt, r.z)
    st.copy(o.z[G], r.zdot)
    st.copy(o.e[P1], r.power)
    st.copy(o.row[LAM], r.lam)
