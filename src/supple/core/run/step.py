"""Record of every compiled integrator between its steps: numbers of the run, state, dense output.

An accepted step is described by polynomials in s = (t - t0)/h, eight coefficients for each increment
xi, velocity u, controller state z and work channel w, whatever the method. Output on the requested grid
and events are read from them; the energy audit is taken at the steps themselves, so its verdict does
not depend on the grid.

What is done with it: ``step_size`` (choice of steps), ``events``, ``audit``, and ``acceptance``, which puts
them together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.base import so3
from supple.core.base.buffers import Part, Record, starts
from supple.core.base.layout import TREE
from supple.core.bodies import chart
from supple.core.contact.contact import SHOWN
from supple.native.declare import INT, IVEC, VEC, hold_at, kernel, shared

# Integer state of a run
STEPS, REJECTED, NEWTON_FAILURES, EVALUATIONS, JACOBIANS, FACTORIZATIONS, NEWTON = range(7)
GRID, STOP, FRESH, AFTER_REJECT, EVENTS_FOUND, BAD_DOF, KEEP_JACOBIAN, FACTORED, TERMINAL, SWITCHED = range(7, 17)
N_EVENTS, N_SCREWS = 17, 18  # events that are looked for, screws along which momentum is kept
AGE, RENEW = 19, 20  # steps since the tangents were made; steps to come in which they are not kept
TOUCHES_FOUND = 21  # touches of contacts that have ended and wait to be handed over
BRANCH, KINKS, BENT = 22, 23, 24  # of force laws, number before the kink on which the last step ended; steps cut at kinks, element of the last one
CROWDED = 25  # kinks on which steps have ended of late, in units of steps
INT_STATE = 26

# Real state of a run
T, H, H_OLD, ERROR_OLD, RATE, RTOL, ATOL, H_MAX, H_MIN, E_START, E_ERROR, E_ELASTIC = range(12)
K_MIN, K_MAX, E_MAX, H_FACTORED, OTHER_MIN, OTHER_MAX, E_STRAIN, H_SWITCH = range(12, 20)
REACH, SPEED, PART, RATE_PART = range(20, 24)  # largest increment and velocity so far, parts of the units in weights
LANDED = 24  # size of the last step that was cut at a kink
REAL_STATE = 25

# Outcomes
DONE, PAUSED, EVENT, TOO_SMALL, NOT_CONVERGED, LOCKED, NOT_FINITE, GROWN = range(8)

DEGREE = 8  # coefficients per polynomial

# Events: kind, index (q, u, node or first element of a contact), terminal, direction, axis of a place, u of a coordinate or last element; reals: value, place (3)
EVENT_KIND, EVENT_INDEX, EVENT_TERMINAL, EVENT_DIRECTION, EVENT_AXIS, EVENT_INTS = range(6)
EVENT_VALUE, EVENT_PLACE, EVENT_REALS = starts(1, 3)
# Those from ON_PLACE on turn with the body: x, y, z of a point, of its velocity, of the angular velocity; least gap of a contact
ON_COORDINATE, ON_RATE, ON_PLACE, ON_VELOCITY, ON_SPIN, ON_GAP = range(6)
EVENTS_WAITING = 32  # a loop returns to Python when so many wait
PER_STEP = 256  # crossings of one event in one step that can be told apart
EVENT_ROOM = f"{EVENTS_WAITING} + {PER_STEP} * events"

# Touches of contacts: 0 if not looked at yet, 1 open, 2 touching; whether it touches after the step; when it began; impulses of push, and of
# friction on B; largest depth; speed of approach where it began; time without push, steps; energy that friction with a state took and gave back
TOUCH_IS, TOUCH_AFTER, TOUCH_BEGIN, TOUCH_PUSH, TOUCH_RUB, TOUCH_DEPTH, TOUCH_SPEED, TOUCH_IDLE, TOUCH_STEPS, TOUCH_TAKEN, TOUCH_BACK, TOUCH = starts(
    1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1
)
TOUCHES_WAITING = 32  # a loop returns to Python when so many wait

# What every method keeps in the run's buffers; its own fields follow
RUN_RECORD = Record(
    "Run", __name__,
    Part("run", "float64", {
        "q": "nq",
        "u": "nu",
        "a": "nu",
        "z": "nz",
        "w": "elements",  # work
        "zdot": "nz",
        "power": "elements",
        "scale": "nu",
        "rate_scale": "nu",
        "way": "nu",  # largest way from the start and largest velocity so far of the place whose first velocity it is
        "pace": "nu",
        "sign": "elements",  # of the work in the balance of energy
        "deepest": "elements",  # of contacts and sets, largest overlap where a step ended; of friction of a set the largest over what is allowed
        "touch": ("elements", TOUCH),
        "found_touch": (f"{TOUCHES_WAITING} + elements", TOUCH + 2),  # and when it ended, and of which element it is
        "normal": ("elements", 3),  # of contacts, where the step before ended
        "jump": "elements",  # largest overlap at the end of a step in which a contact began to touch
        "through": "elements",  # steps in which bodies passed through each other
        "shown": SHOWN,
        # polynomials of the accepted step
        "px": ("nu", DEGREE),
        "pu": ("nu", DEGREE),
        "pz": ("nz", DEGREE),
        "pw": ("elements", DEGREE),
        # the state at an instant within it
        "qt": "nq",
        "ut": "nu",
        "zt": "nz",
        "wt": "elements",
        "xt": "nu",
        "vt": "nu",
        "about": DEGREE,  # a polynomial about another place
        "event_reals": ("events", EVENT_REALS),
        "last": "events",  # values at the step's start
        "found_time": EVENT_ROOM,
        # momenta that are kept: screw, value at the start, largest error, size
        "screws": ("screws", 6),
        "momentum": "screws",
        "screw_error": "screws",
        "screw_size": "screws",
        "lam": "nr",
        "first": "nq",  # where the run began
        "qs": "nq",  # scratch
    }),
    Part("count", "int64", {
        "state": INT_STATE,
        "events": ("events", EVENT_INTS),
        "found_event": EVENT_ROOM,
        "roots": "screws",  # of the trees whose momentum is kept
        "vector": "nu",  # of a place: the first velocity of its vector; -1 of others
    }),
    head=at.SIZES,
    given=("events", "screws"),
)
Run, RUN, cut_run, span_run = RUN_RECORD.views, RUN_RECORD.kind, RUN_RECORD.cut, RUN_RECORD.span
RUN_WORDS = RUN_RECORD.words
# Fractions of a step at which velocities are taken, and the matrix from values there to coefficients of powers
NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(DEGREE) / (DEGREE - 1))
COEFFICIENTS = np.linalg.inv(np.vander(NODES, increasing=True))


@kernel
def run_views(m, run, count):
    """Cut the run's buffers; returns the views, and where the method's own reals and integers begin."""
    return cut_run(m.head, run, count, count[N_EVENTS], count[N_SCREWS])


@shared(TREE, VEC, IVEC, INT, gives=RUN)
def run_at(m, run, count, place):
    """The views of a run's buffers, in the room for RUN_WORDS at that place."""
    return hold_at(place, run_views(m, run, count)[0])


@kernel
def run_ends(m, count):
    """Where the method's own reals and integers begin."""
    return span_run(m.head, count[N_EVENTS], count[N_SCREWS])


def read_run(ints: np.ndarray, run: np.ndarray, count: np.ndarray) -> Any:
    """Fields of a run's buffers by name, as NumPy views; ``ints`` are the model's integers."""
    given = {"events": int(count[N_EVENTS]), "screws": int(count[N_SCREWS])}
    return RUN_RECORD.read(at.sizes(ints) | given, run, count)


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
def begin_here(r):
    """Count ways from the state r.q on: a run begins."""
    copy(r.q, r.first)
    for k in range(r.u.shape[0]):
        r.way[k], r.pace[k] = 0.0, 0.0


@kernel
def polynomial(c, s):
    """Value of sum c[k] s^k."""
    y = c[DEGREE - 1]
    for k in range(DEGREE - 2, -1, -1):
        y = y * s + c[k]
    return y


@kernel
def slope(p, s):
    """Derivative of sum p[k] s^k."""
    y = 0.0
    for k in range(DEGREE - 1, 0, -1):
        y = y * s + k * p[k]
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
            for i in range(DEGREE):
                s = NODES[i]
                a, b, c = polynomial(r.px[j], s), polynomial(r.px[j + 1], s), polynomial(r.px[j + 2], s)
                x, y, z = slope(r.px[j + 3], s) / h, slope(r.px[j + 4], s) / h, slope(r.px[j + 5], s) / h
                x, y, z = so3.rotate(-a, -b, -c, x, y, z)
                x, y, z = x - p0 - s * (p1 + s * p2), y - q0 - s * (q1 + s * q2), z - d0 - s * (d1 + s * d2)
                for k in range(DEGREE):
                    f = COEFFICIENTS[k, i]
                    p[k] += f * x
                    q[k] += f * y
                    d[k] += f * z
