"""Accepted steps of every method: start, output, landing on stops, new starts, audit."""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import tree
from supple.core.contact import lines, pairs, sets
from supple.core.equations import dynamics, energies
from supple.core.forces import forces
from supple.core.run import step as st
from supple.core.run.events import NONE, find_events, start_events
from supple.core.run.touches import contact_follow, has_contacts
from supple.native.declare import INT, IVEC, MAT, REAL, REALS, TRUTH, VEC, kernel, shared


@shared(TREE, WORK, st.RUN, IVEC, VEC)
def audit(m, w, r, ints, reals):
    """Energy balance and conserved momenta at the state whose kinematics are in the workspace.

    The first call, with E_MAX still negative, sets what later ones are compared with.
    """
    first = reals[st.E_MAX] < 0.0
    energies.sum_vectors(m, w, r.q, r.u)
    kinetic = energies.kinetic(m, w, r.u)
    strain = energies.strain(m, w, r.q)
    elastic = forces.energy(m, w, r.q, r.z) + strain
    total = kinetic + energies.potential(m, w) + elastic
    for e in range(r.w.shape[0]):
        total -= r.sign[e] * r.w[e]
    if first:
        reals[st.E_START] = total
        reals[st.E_ERROR] = 0.0
        reals[st.E_ELASTIC] = elastic
        reals[st.E_STRAIN] = strain
        reals[st.K_MIN] = kinetic
        reals[st.K_MAX] = kinetic
        reals[st.E_MAX] = abs(total)
        reals[st.OTHER_MIN] = total - kinetic
        reals[st.OTHER_MAX] = total - kinetic
    reals[st.OTHER_MIN] = min(reals[st.OTHER_MIN], total - kinetic)
    reals[st.OTHER_MAX] = max(reals[st.OTHER_MAX], total - kinetic)
    reals[st.E_ERROR] = max(reals[st.E_ERROR], abs(total - reals[st.E_START]))
    reals[st.E_ELASTIC] = max(reals[st.E_ELASTIC], elastic)
    reals[st.E_STRAIN] = max(reals[st.E_STRAIN], strain)
    reals[st.K_MIN] = min(reals[st.K_MIN], kinetic)
    reals[st.K_MAX] = max(reals[st.K_MAX], kinetic)
    reals[st.E_MAX] = max(reals[st.E_MAX], max(abs(total), kinetic))
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]):
            pairs.locate(m, w, e)
            r.deepest[e] = max(r.deepest[e], -pairs.numbers(w)[0][pairs.GAP])
        elif m.element[e, at.KIND] == sets.CONTACT_SET:  # its sums are those of the energy
            i = m.element[e, sets.SCRATCH]
            r.deepest[e] = max(r.deepest[e], w.flex[i + sets.DEEPEST])
            r.deepest[e + 1] = max(r.deepest[e + 1], w.flex[i + sets.OVER])
        elif m.element[e, at.KIND] == lines.LINE_CONTACT:  # the same
            r.deepest[e] = max(r.deepest[e], w.flex[m.element[e, lines.SCRATCH] + lines.DEEPEST])
    for s in range(r.roots.shape[0]):
        p, size = energies.momentum_along(m, w, r.roots[s], r.screws[s])
        if first:
            r.momentum[s] = p
            r.screw_error[s] = 0.0
            r.screw_size[s] = 0.0
        r.screw_error[s] = max(r.screw_error[s], abs(p - r.momentum[s]))
        r.screw_size[s] = max(r.screw_size[s], size)


@kernel
def audit_state(m, w, r, ints, reals):
    """Kinematics of the state r.q, r.u, r.a, and its audit."""
    tree.poses(m, w, r.q)
    tree.motion(m, w, r.u, r.a)
    tree.inertias(m, w, r.q, r.u, r.a)
    audit(m, w, r, ints, reals)


@shared(TREE, WORK, st.RUN, IVEC, VEC, gives=INT)
def restart(m, w, r, ints, reals):
    """Accelerations and rates at the start (with the first audit) or after a kink; returns the outcome."""
    if reals[st.E_MAX] < 0.0:
        start_events(m, w, r)  # first: it leaves its own motions in the workspace
    bad = dynamics.forward(m, w, reals[st.T], r.q, r.u, r.z, r.a)
    ints[st.EVALUATIONS] += 1
    if bad >= 0:
        ints[st.BAD_DOF] = bad
        return st.LOCKED
    for k in range(r.a.shape[0]):
        if not math.isfinite(r.a[k]):
            ints[st.BAD_DOF] = k
            return st.NOT_FINITE
    st.copy(w.zdot, r.zdot)
    st.copy(w.power, r.power)
    st.copy(w.lam, r.lam)
    if reals[st.E_MAX] < 0.0:
        st.begin_here(r)
        audit(m, w, r, ints, reals)
    ints[st.FRESH] = 1
    ints[st.KEEP_JACOBIAN] = 0
    return st.DONE


@kernel
def start(m, w, r, ints, reals):
    """``restart`` if this call of the loop begins a run, or goes on with other constraint rows; returns the outcome."""
    if ints[st.STEPS] == 0 and ints[st.FRESH] == 0:
        return restart(m, w, r, ints, reals)
    return st.DONE


@kernel
def events_wait(ints):
    """True if so many events or touches were found that the loop must hand them over first."""
    return ints[st.EVENTS_FOUND] >= st.EVENTS_WAITING or ints[st.TOUCHES_FOUND] >= st.TOUCHES_WAITING


@kernel
def reject(ints, reals, h, worst):
    """Repeat a step, whose error was largest in the velocity ``worst``, with another size."""
    ints[st.REJECTED] += 1
    ints[st.AFTER_REJECT] = 1
    ints[st.BAD_DOF] = worst
    reals[st.H] = h


@kernel
def has_output(r, ints, grid, t1):
    """True if the step that ends at t1 may hold an event, or holds a time of the output."""
    return r.events.shape[0] > 0 or (ints[st.GRID] < grid.shape[0] and grid[ints[st.GRID]] <= t1)


@kernel
def is_dense(m, r, ints, grid, t1):
    """True if the polynomials of the step are needed: for output, for events or for kinks of force laws."""
    return m.head[at.H_SWITCHES] > 0 or has_output(r, ints, grid, t1)


@kernel
def ends_on_kink(reals):
    """True if the accepted step was cut at a kink of a force law; the next one is not."""
    kink = reals[st.H_SWITCH] > 0.0
    reals[st.H_SWITCH] = 0.0
    return kink


@shared(TREE, WORK, st.RUN, IVEC, VEC, REALS, MAT, REAL, REAL, REAL, gives=TRUTH)
def emit(m, w, r, ints, reals, grid, out, t0, h, t1):
    """Events and output rows of one accepted step from t0 to t1; True if a terminal event ends the run.

    On return of True the state is that of the event.
    """
    keep = NONE
    if r.events.shape[0] > 0:
        keep = find_events(m, w, r, ints, t0, h, t1)
    end = t1 if keep >= 1.0 else t0 + keep * h
    if m.head[at.H_SWITCHES] > 0 and has_contacts(m):
        contact_follow(m, w, r, ints, t0, h, min(keep, 1.0))
    while ints[st.GRID] < grid.shape[0] and grid[ints[st.GRID]] <= end:
        s = min(max((grid[ints[st.GRID]] - t0) / h, 0.0), 1.0)
        st.state_at(m, r, s)
        st.write_row(r, out[ints[st.GRID]])
        ints[st.GRID] += 1
    if keep <= 1.0:
        st.state_at(m, r, keep)
        st.copy(r.qt, r.q)
        st.copy(r.ut, r.u)
        st.copy(r.zt, r.z)
        st.copy(r.wt, r.w)
        reals[st.T] = end
        audit_state(m, w, r, ints, reals)
        return True
    return False


@kernel
def reaches_stop(ints, stops, t1):
    """True if the step that ends at t1 lands on the next stop, which is counted then."""
    if t1 < stops[ints[st.STOP]]:
        return False
    ints[st.STOP] += 1
    return True


@kernel
def is_finished(ints, stops):
    """True if the last stop, the end of the run, is reached."""
    return ints[st.STOP] >= stops.shape[0] // 2


@kernel
def land(m, w, r, ints, reals, stops, t1, kink):
    """End of an accepted step at t1: behind a stop or a kink the method starts anew.

    Returns PAUSED if the run goes on, DONE at its end, or why it cannot go on.
    """
    ints[st.FRESH] = 0
    stop = reaches_stop(ints, stops, t1)
    if is_finished(ints, stops):
        return st.DONE
    if stop or kink:
        outcome = restart(m, w, r, ints, reals)
        if outcome != st.DONE:
            return outcome
    return st.PAUSED
