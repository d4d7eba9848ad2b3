"""What every compiled integrator keeps between its steps: numbers of the run, state, dense output.

An accepted step is described by polynomials in s = (t - t0)/h, eight coefficients for each increment
xi, velocity u, controller state z and work channel w, whatever the method. Output on the requested grid
and events are read from them; the energy audit is taken at the steps themselves, so its verdict does
not depend on the grid.

What is done with it: ``step_size`` (choice of steps), ``events``, ``audit``, and ``acceptance``, which puts
them together.
"""

from __future__ import annotations

from collections import namedtuple

from supple.core import chart
from supple.core import layout as at
from supple.native.declare import block, kernel, tuple_type

# Integer state of a run
STEPS, REJECTED, NEWTON_FAILURES, EVALUATIONS, JACOBIANS, FACTORIZATIONS, NEWTON = range(7)
GRID, STOP, FRESH, AFTER_REJECT, EVENTS_FOUND, BAD_DOF, KEEP_JACOBIAN, FACTORED, TERMINAL, SWITCHED = range(7, 17)
N_EVENTS, N_SCREWS = 17, 18  # events that are looked for, screws along which momentum is kept
INT_STATE = 19

# Real state of a run
T, H, H_OLD, ERROR_OLD, RATE, RTOL, ATOL, H_MAX, H_MIN, E_START, E_ERROR, E_ELASTIC = range(12)
K_MIN, K_MAX, E_MAX, H_FACTORED, OTHER_MIN, OTHER_MAX, E_STRAIN, H_SWITCH = range(12, 20)
REAL_STATE = 20

# Outcomes
DONE, PAUSED, EVENT, TOO_SMALL, NOT_CONVERGED, LOCKED, NOT_FINITE, GROWN = range(8)

DEGREE = 8  # coefficients per polynomial

# Events: kind, index (q, u or node), terminal, direction, axis of a place; reals: value, place (3)
EVENT_KIND, EVENT_INDEX, EVENT_TERMINAL, EVENT_DIRECTION, EVENT_AXIS, EVENT_INTS = range(6)
EVENT_VALUE, EVENT_PLACE, EVENT_REALS = 0, 1, 4
ON_COORDINATE, ON_RATE, ON_PLACE = 0, 1, 2
EVENTS_WAITING = 32  # a loop returns to Python when so many wait
PER_STEP = 256  # crossings of one event in one step that can be told apart

Run = namedtuple(
    "Run",
    "q u a z w zdot power scale rate_scale sign px pu pz pw qt ut zt wt xt events event_reals last found "
    "roots screws momentum screw_error screw_size lam qs",
)

RUN = tuple_type(
    Run,
    reals={
        "q": 1, "u": 1, "a": 1, "z": 1, "w": 1, "zdot": 1, "power": 1, "scale": 1, "rate_scale": 1, "sign": 1, "px": 2,
        "pu": 2, "pz": 2, "pw": 2, "qt": 1, "ut": 1, "zt": 1, "wt": 1, "xt": 1, "event_reals": 2, "last": 1, "found": 2,
        "screws": 2, "momentum": 1, "screw_error": 1, "screw_size": 1, "lam": 1, "qs": 1,
    },
    counts={"events": 2, "roots": 1},
)


@kernel
def run_views(m, run, ints):
    """Cut the run's buffers; returns the views, and where the method's own reals and integers begin."""
    nq, nu, nz, ne = m.head[at.H_Q], m.head[at.H_U], m.head[at.H_Z], m.head[at.H_ELEMENTS]
    nv, ns = ints[N_EVENTS], ints[N_SCREWS]
    i = 0
    q = block(run, i, nq)
    i += nq
    u = block(run, i, nu)
    i += nu
    a = block(run, i, nu)
    i += nu
    z = block(run, i, nz)
    i += nz
    w = block(run, i, ne)
    i += ne
    zdot = block(run, i, nz)
    i += nz
    power = block(run, i, ne)
    i += ne
    scale = block(run, i, nu)
    i += nu
    rate_scale = block(run, i, nu)
    i += nu
    sign = block(run, i, ne)
    i += ne
    px = block(run, i, nu, DEGREE)
    i += nu * DEGREE
    pu = block(run, i, nu, DEGREE)
    i += nu * DEGREE
    pz = block(run, i, nz, DEGREE)
    i += nz * DEGREE
    pw = block(run, i, ne, DEGREE)
    i += ne * DEGREE
    qt = block(run, i, nq)
    i += nq
    ut = block(run, i, nu)
    i += nu
    zt = block(run, i, nz)
    i += nz
    wt = block(run, i, ne)
    i += ne
    xt = block(run, i, nu)
    i += nu
    event_reals = block(run, i, nv, EVENT_REALS)
    i += nv * EVENT_REALS
    last = block(run, i, nv)
    i += nv
    room = EVENTS_WAITING + PER_STEP * nv
    found = block(run, i, room, 2)
    i += 2 * room
    screws = block(run, i, ns, 6)
    i += ns * 6
    momentum = block(run, i, ns)
    i += ns
    screw_error = block(run, i, ns)
    i += ns
    screw_size = block(run, i, ns)
    i += ns
    lam = run[i : i + m.head[at.H_ROWS]]
    i += m.head[at.H_ROWS]
    qs = block(run, i, nq)
    i += nq
    k = INT_STATE
    events = block(ints, k, nv, EVENT_INTS)
    k += nv * EVENT_INTS
    roots = block(ints, k, ns)
    k += ns
    return Run(
        q, u, a, z, w, zdot, power, scale, rate_scale, sign, px, pu, pz, pw, qt, ut, zt, wt, xt, events,
        event_reals, last, found, roots, screws, momentum, screw_error, screw_size, lam, qs,
    ), i, k


def event_room(nv: int) -> int:
    """Number of found events that the run buffer can hold for nv events."""
    return EVENTS_WAITING + PER_STEP * nv


def run_size(nq: int, nu: int, nz: int, ne: int, nv: int, ns: int, nr: int) -> int:
    """Length of the part of the run buffer that all methods share."""
    state = 2 * nq + 6 * nu + 3 * nz + 4 * ne + DEGREE * (2 * nu + nz + ne)
    return state + nv * (EVENT_REALS + 1) + 2 * event_room(nv) + 9 * ns + nr + nq


@kernel
def copy(x, y):
    """y = x; a loop, because slice assignment would need Numba's reference counting."""
    for k in range(x.shape[0]):
        y[k] = x[k]


@kernel
def copy_rows(x, y):
    """y = x for matrices."""
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            y[i, k] = x[i, k]


@kernel
def polynomial(c, s):
    """Value of sum c[k] s^k."""
    y = c[DEGREE - 1]
    for k in range(DEGREE - 2, -1, -1):
        y = y * s + c[k]
    return y


@kernel
def state_at(m, r, s):
    """State at the fraction s of the step into qt, ut, zt, wt; r.q still holds the step's start."""
    for k in range(r.u.shape[0]):
        r.xt[k] = polynomial(r.px[k], s)
        r.ut[k] = polynomial(r.pu[k], s)
    chart.retract(m, r.q, r.xt, r.qt)
    for k in range(r.z.shape[0]):
        r.zt[k] = polynomial(r.pz[k], s)
    for k in range(r.w.shape[0]):
        r.wt[k] = polynomial(r.pw[k], s)


@kernel
def write_row(r, row):
    """Store qt, ut, zt, wt in one row of the output."""
    i = 0
    for x in (r.qt, r.ut, r.zt, r.wt):
        for k in range(x.shape[0]):
            row[i] = x[k]
            i += 1


@kernel
def flushed(x):
    """Zero instead of what decays towards the smallest numbers, with which processors are ten times slower.

    Motion across the plane of a plane mechanism does so: nothing excites it, and the method damps it.
    """
    return x if abs(x) > 1e-60 else 0.0
