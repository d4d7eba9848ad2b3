"""What every compiled integrator does around its steps: state, dense output, events, audit.

An accepted step is described by polynomials in s = (t - t0)/h, eight coefficients for each increment
xi, velocity u, controller state z and work channel w, whatever the method. Output on the requested grid
and events are read from them; the energy audit is taken at the steps themselves, so its verdict does
not depend on the grid.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from supple.core import chart, dynamics, forces, tree
from supple.core import layout as at
from supple.core.layout import TREE, WORK
from supple.native.declare import (
    INT,
    IVEC,
    MAT,
    REAL,
    REALS,
    TRUTH,
    VEC,
    block,
    kernel,
    shared,
    tuple_type,
)

# Integer state of a run
STEPS, REJECTED, NEWTON_FAILURES, EVALUATIONS, JACOBIANS, FACTORIZATIONS, NEWTON = range(7)
GRID, STOP, FRESH, AFTER_REJECT, EVENTS_FOUND, BAD_DOF, KEEP_JACOBIAN, FACTORED, TERMINAL, SWITCHED = range(7, 17)
INT_STATE = 17

# Real state of a run
T, H, H_OLD, ERROR_OLD, RATE, RTOL, ATOL, H_MAX, H_MIN, E_START, E_ERROR, E_ELASTIC = range(12)
K_MIN, K_MAX, E_MAX, H_FACTORED, OTHER_MIN, OTHER_MAX, E_STRAIN, H_SWITCH = range(12, 20)
REAL_STATE = 20

# Outcomes
DONE, PAUSED, EVENT, TOO_SMALL, NOT_CONVERGED, LOCKED, NOT_FINITE, GROWN = range(8)

DEGREE = 8  # coefficients per polynomial

# Events: kind, index (q, u or node), terminal, direction; reals: value, place (3), axis number
EVENT_INTS, EVENT_REALS = 5, 4
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
    """Cut the run buffer; returns the views and the place where the method's own part begins."""
    nq, nu, nz, ne = m.head[at.H_Q], m.head[at.H_U], m.head[at.H_Z], m.head[at.H_ELEMENTS]
    nv, ns = ints[INT_STATE], ints[INT_STATE + 1]
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
    k = INT_STATE + 2
    events = block(ints, k, nv, EVENT_INTS)
    k += nv * EVENT_INTS
    roots = block(ints, k, ns)
    return Run(
        q, u, a, z, w, zdot, power, scale, rate_scale, sign, px, pu, pz, pw, qt, ut, zt, wt, xt, events,
        event_reals, last, found, roots, screws, momentum, screw_error, screw_size, lam, qs,
    ), i


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
def event_value(m, w, r, e):
    """Distance of event e from its value at the state qt, ut."""
    ev, x = r.events[e], r.event_reals[e]
    if ev[0] == ON_COORDINATE:
        return r.qt[ev[1]] - x[0]
    if ev[0] == ON_RATE:
        return r.ut[ev[1]] - x[0]
    tree.poses(m, w, r.qt)
    f, k = w.node[ev[1]], 3 * ev[4]
    return f[9 + ev[4]] + f[k] * x[1] + f[k + 1] * x[2] + f[k + 2] * x[3] - x[0]


@kernel
def start_events(m, w, r):
    """Remember every event's value at the state r.q, r.u."""
    copy(r.q, r.qt)
    copy(r.u, r.ut)
    for e in range(r.events.shape[0]):
        r.last[e] = event_value(m, w, r, e)


@kernel
def crosses(before, after, direction):
    """Whether a value passes zero in the given direction (0: both); touching from zero is no crossing."""
    rising = before < 0.0 and after >= 0.0
    falling = before > 0.0 and after <= 0.0
    return (rising and direction >= 0) or (falling and direction <= 0)


@kernel
def find_events(m, w, r, ints, t0, h, t1):
    """Find events in the step from t0 to t1; returns the fraction to keep, above 1 if none is terminal.

    A step is searched in quarters, so that a double crossing is not missed; for places, in parts of half a
    radian of all rotations together. A crossing is placed on its far side, so that a run that starts there
    does not find it again.
    """
    keep = 2.0
    turn = 0.0
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if kind == at.REVOLUTE:
            turn += abs(polynomial(r.px[j], 1.0))
        elif kind == at.BALL or kind == at.FREE:
            for k in range(j, j + 3):
                turn += abs(polynomial(r.px[k], 1.0))
    before_step = ints[EVENTS_FOUND]
    for e in range(r.events.shape[0]):
        direction = r.events[e, 3]
        before, low = r.last[e], 0.0
        parts = 4
        if r.events[e, 0] == ON_PLACE:
            parts = int(min(max(4.0, math.ceil(turn / 0.5)), 1.0 * PER_STEP))
        for part in range(1, parts + 1):
            high = part / parts
            if low >= keep:
                break
            state_at(m, r, high)
            after = event_value(m, w, r, e)
            if crosses(before, after, direction):
                a, b, fa, fb, side = low, high, before, after, 0
                if after == 0.0:  # the sample is the root
                    a = b
                for _ in range(80):  # Illinois
                    if b - a < 4e-16:
                        break
                    c = (a * fb - b * fa) / (fb - fa) if fb != fa else 0.5 * (a + b)
                    if not (a < c < b):
                        c = 0.5 * (a + b)
                    state_at(m, r, c)
                    fc = event_value(m, w, r, e)
                    if fc == 0.0:
                        a, b = c, c
                    elif (fc < 0.0) == (before < 0.0):
                        a, fa = c, fc
                        if side == -1:
                            fb *= 0.5
                        side = -1
                    else:
                        b, fb = c, fc
                        if side == 1:
                            fa *= 0.5
                        side = 1
                s = b
                if s <= keep:
                    k = ints[EVENTS_FOUND]
                    r.found[k, 0] = e
                    r.found[k, 1] = t0 + s * h if s < 1.0 else t1
                    ints[EVENTS_FOUND] += 1
                    if r.events[e, 2] == 1:
                        keep = s
                        ints[TERMINAL] = e
            before, low = after, high
        r.last[e] = before
    if keep <= 1.0:  # what was found behind a terminal event does not happen
        kept = before_step
        for k in range(before_step, ints[EVENTS_FOUND]):
            if r.found[k, 1] <= (t0 + keep * h if keep < 1.0 else t1):
                r.found[kept, 0], r.found[kept, 1] = r.found[k, 0], r.found[k, 1]
                kept += 1
        ints[EVENTS_FOUND] = kept
    return keep


@kernel
def weights(r, reals, wx, wu, wz, ww):
    """Error weights: rad and model lengths for increments, their rates, controller states, energies."""
    rtol, atol = reals[RTOL], reals[ATOL]
    for k in range(r.u.shape[0]):
        wx[k] = (atol + rtol) * r.scale[k]
        wu[k] = atol * r.rate_scale[k] + rtol * abs(r.u[k])
    for k in range(r.z.shape[0]):
        wz[k] = atol + rtol * abs(r.z[k])
    for k in range(r.w.shape[0]):
        ww[k] = atol + rtol * (abs(r.w[k]) + reals[K_MAX] + reals[E_ELASTIC])


@kernel
def grown(m, r, ints, wx):
    """Whether a coordinate is so large that its rounding exceeds its weight: a motion without bound."""
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if (kind == at.REVOLUTE or kind == at.PRISMATIC) and 1e-15 * abs(r.q[m.node[n, at.Q0]]) > wx[j]:
            ints[BAD_DOF] = j
            return True
    return False


@kernel
def first_step(r, reals, span, order):
    """A careful first step from the sizes of velocities and accelerations."""
    rate = 0.0
    for k in range(r.u.shape[0]):
        rate = max(rate, abs(r.u[k]) / r.scale[k])
        rate = max(rate, np.sqrt(abs(r.a[k]) / r.scale[k]))
    h = 0.1 * span if rate == 0.0 else 0.5 * reals[RTOL] ** (1.0 / order) / rate
    return min(h, 0.1 * span, reals[H_MAX])


@kernel
def next_step(reals, ints, stops, h):
    """Step size that lands on the next stop without leaving a sliver."""
    rest = stops[ints[STOP]] - reals[T]
    h = min(h, reals[H_MAX])
    if reals[H_SWITCH] > 0.0:
        h = min(h, reals[H_SWITCH])
        return h if h < rest else rest
    if h >= rest * (1.0 - 1e-10):
        return rest
    return 0.5 * rest if h > 0.5 * rest else h


@shared(TREE, WORK, RUN, IVEC, VEC)
def audit(m, w, r, ints, reals):
    """Energy balance and conserved momenta at the state whose kinematics are in the workspace.

    The first call, with E_MAX still negative, sets what later ones are compared with.
    """
    first = reals[E_MAX] < 0.0
    kinetic = dynamics.kinetic(m, w, r.q, r.u)
    strain = dynamics.strain(m, r.q, r.u)
    elastic = forces.energy(m, w, r.q) + strain
    total = kinetic + dynamics.potential(m, w) + elastic
    for e in range(r.w.shape[0]):
        total -= r.sign[e] * r.w[e]
    if first:
        reals[E_START] = total
        reals[E_ERROR] = 0.0
        reals[E_ELASTIC] = elastic
        reals[E_STRAIN] = strain
        reals[K_MIN] = kinetic
        reals[K_MAX] = kinetic
        reals[E_MAX] = abs(total)
        reals[OTHER_MIN] = total - kinetic
        reals[OTHER_MAX] = total - kinetic
    reals[OTHER_MIN] = min(reals[OTHER_MIN], total - kinetic)
    reals[OTHER_MAX] = max(reals[OTHER_MAX], total - kinetic)
    reals[E_ERROR] = max(reals[E_ERROR], abs(total - reals[E_START]))
    reals[E_ELASTIC] = max(reals[E_ELASTIC], elastic)
    reals[E_STRAIN] = max(reals[E_STRAIN], strain)
    reals[K_MIN] = min(reals[K_MIN], kinetic)
    reals[K_MAX] = max(reals[K_MAX], kinetic)
    reals[E_MAX] = max(reals[E_MAX], max(abs(total), kinetic))
    for s in range(r.roots.shape[0]):
        p, size = dynamics.momentum_along(m, w, r.roots[s], r.screws[s])
        if first:
            r.momentum[s] = p
            r.screw_error[s] = 0.0
            r.screw_size[s] = 0.0
        r.screw_error[s] = max(r.screw_error[s], abs(p - r.momentum[s]))
        r.screw_size[s] = max(r.screw_size[s], size)



@shared(TREE, WORK, RUN, IVEC, VEC, REAL, REAL, gives=REAL)
def find_switch(m, w, r, ints, reals, t0, h):
    """Fraction of the step behind which a force law changes its branch, above 1 if none does.

    Laws have branches: a stop touches or not, a controller saturates or not. A step over such a kink would
    lose the method's order, so it is repeated up to the kink, and the repeated step is taken as it is. What
    happens in the first ten-thousandth of a step belongs to the landing before it: a state that rests on a kink
    cannot stall the run.
    """
    if ints[SWITCHED] == 1:
        ints[SWITCHED] = 0
        return 2.0
    low = 1e-4
    state_at(m, r, low)
    before = forces.branches(m, w, t0 + low * h, r.qt, r.ut, r.zt)
    for part in range(1, 5):
        high = 0.25 * part
        state_at(m, r, high)
        if forces.branches(m, w, t0 + high * h, r.qt, r.ut, r.zt) != before:
            for _ in range(48):
                middle = 0.5 * (low + high)
                state_at(m, r, middle)
                if forces.branches(m, w, t0 + middle * h, r.qt, r.ut, r.zt) == before:
                    low = middle
                else:
                    high = middle
            if high > 0.999999:
                return 2.0
            ints[SWITCHED] = 1
            reals[H_SWITCH] = max(high * h, 2.0 * reals[H_MIN])
            return high
        low = high
    return 2.0



@shared(TREE, WORK, RUN, IVEC, VEC, REALS, MAT, REAL, REAL, REAL, gives=TRUTH)
def emit(m, w, r, ints, reals, grid, out, t0, h, t1):
    """Events and output rows of one accepted step from t0 to t1; True if a terminal event ends the run.

    On return of True the state is that of the event.
    """
    keep = 2.0
    if r.events.shape[0] > 0:
        keep = find_events(m, w, r, ints, t0, h, t1)
    end = t1 if keep >= 1.0 else t0 + keep * h
    while ints[GRID] < grid.shape[0] and grid[ints[GRID]] <= end:
        s = min(max((grid[ints[GRID]] - t0) / h, 0.0), 1.0)
        state_at(m, r, s)
        write_row(r, out[ints[GRID]])
        ints[GRID] += 1
    if keep <= 1.0:
        state_at(m, r, keep)
        copy(r.qt, r.q)
        copy(r.ut, r.u)
        copy(r.zt, r.z)
        copy(r.wt, r.w)
        reals[T] = end
        tree.poses(m, w, r.q)
        tree.motion(m, w, r.u, r.a)
        tree.inertias(m, w, r.q, r.u, r.a)
        audit(m, w, r, ints, reals)
        return True
    return False



@shared(TREE, WORK, RUN, IVEC, VEC, gives=INT)
def restart(m, w, r, ints, reals):
    """Accelerations and rates at the start (with the first audit) or after a kink; returns the outcome."""
    bad = dynamics.forward(m, w, reals[T], r.q, r.u, r.z, r.a)
    ints[EVALUATIONS] += 1
    if bad >= 0:
        ints[BAD_DOF] = bad
        return LOCKED
    for k in range(r.a.shape[0]):
        if not math.isfinite(r.a[k]):
            ints[BAD_DOF] = k
            return NOT_FINITE
    copy(w.zdot, r.zdot)
    copy(w.power, r.power)
    copy(w.lam, r.lam)
    if reals[E_MAX] < 0.0:
        audit(m, w, r, ints, reals)
        start_events(m, w, r)
    ints[FRESH] = 1
    ints[KEEP_JACOBIAN] = 0
    return DONE
