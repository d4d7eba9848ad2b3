"""Effect of loads on the stiffness of flexible bodies that have no stiffening.

Stress under the present loads changes the stiffness K of the elastic coordinates to K + K0: tension
stiffens, pressure softens, and where K + K0 is singular the body buckles. Without stiffening K0 is
left out. These numbers say what that means.

K is that of the body in its frame. Joints that hold it at further places, by rigid bodies, make it
stiffer: where the numbers are not small, they are found again for shapes that these joints allow. A
frame that turns with such a shape counts as fixed, which makes the numbers too large rather than
too small.

Linear shapes that bend do not shorten. A body that is held at several places then has no tension,
though its bent axis is longer than the distance of these places. A self-balanced set r of forces
there, of the amount s, adds s K_r to the stiffness, so that bending moves the places along the set
by the second-order displacement -q.K_r q/2. With the flexibility C of the whole mesh for all sets

    C s = q.K_r q/2,    K_0 = sum_r s_r K_r

is the tension, and what it adds to the stiffness. A deflection that K_0 changes by the part a to
first order becomes smaller by the factor x, x + a x^3 = 1: the tension grows with the square of x.

Of bodies in a row, or in a loop, between places that cannot come nearer, sets of reactions balance
each other over several bodies: what all bodies without stiffening shorten by, in the flexibility of
all of them. The part is that of energies, b = sum q.K_0 q / sum q.K q. These sets are those of the
model where it is: as far as joints are deflected, tension straightens it, and makes it softer along
itself by about the part b. So a = b/(1 - b) belongs to the model before its deflection, 0.52 told
of 0.55 for a strip of two bodies between clamps that is bent by three thicknesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.results.data.findings import Extreme
from supple.results.flexibility.deformation import STRAIGHT, usable_times, whitening
from supple.results.flexibility.supports import Holds, held_at_places
from supple.results.flexibility.truncation import Deflected, act_on_parts, deflected, unit_reactions
from supple.results.views.body_loads import INERTIA, at_times, body_loads

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.results.result import Result


# Output times that are looked at: of beams, and of meshes, where each takes an assembly.
SAMPLES, MESH_SAMPLES = 100, 8
# Effects above this are found again with all that holds the body, at so many times.
SMALL, HELD_SAMPLES = 0.02, 4
RIGID = 1e-11  # sets that stretch less than this part of the softest carry no tension
MOST = 0.9  # of the part b of several bodies, beyond which a is not extrapolated


@dataclass(frozen=True, eq=False)
class LoadEffect:
    """Effects of loads on the stiffness of a body at some times."""

    buckling: Extreme  # part of the load under which the body buckles, if all loads grow together
    # largest relative change of the stiffness of a shape, by tension or pressure
    stiffness: Extreme
    # how much deflections would change, in parts of the largest deflection of the run
    change: Extreme
    # how much smaller they would be by the stretch of a body that is held at several places
    stretch: Extreme


def load_effect(result: Result, record: FlexRecord) -> LoadEffect | None:
    """For a body without stiffening; None where its loads or its stress are not known."""
    body, masses, modal = record.body, record.point_masses, record.modal
    q = result.q[:, record.q]
    count = SAMPLES if body.axis is not None else MESH_SAMPLES
    which = usable_times(result.q, q, count)
    if not len(which):
        return None
    try:
        loads = body_loads(at_times(result, which), record)
        if loads is None or not np.all(np.isfinite(loads.factors)):
            return None
        K0 = body.load_stiffness(loads.places, loads.factors, masses)
    except ModelError:  # a component of matrices only
        return None
    t, size = result.t[which], q[which]
    found = _effects(record, K0, size, np.eye(modal.n))
    worst = found.max(axis=0)
    held = held_at_places(result, body.name)  # at one place, its frame gives way
    if held and worst.max() > SMALL:
        few = np.unique([np.argsort(row)[-HELD_SAMPLES:] for row in found])  # of each effect
        parts = np.array([_held_part(result, record, K0, size, which, k, found) for k in few])
        found = found * parts.max(axis=0)[:, None]
    stretch = _stretches(result, record, size, which, held)
    return LoadEffect(*(Extreme(t, values) for values in (*found, stretch)))


def _stretches(result: Result, record: FlexRecord, q: Array, which: Indices, held: bool) -> Array:
    """Parts (k,) by which the stretch of a bent body makes its deflections smaller.

    ``held``: joints may hold it at several places, by rigid bodies.
    """
    none = np.zeros(len(q))
    energies = np.einsum("ka,ab,kb->k", q, record.modal.K, q)
    k = int(np.argmax(energies))
    if not energies[k] > 0.0:
        return none
    change = _own_stretch(result, record, q, which, k) if held else None
    if change is None:
        change = chain_stretch(result, int(which[k]))
    return reduced_part(change * energies / energies[k])


def _own_stretch(
    result: Result, record: FlexRecord, q: Array, which: Indices, k: int
) -> float | None:
    """Part a of one body between its supports at one time; None if they hold no stretch."""
    holds = Holds(at_times(result, which[k : k + 1]), record)
    K0 = tension_stiffness(record, holds, q[k])
    shapes = holds.allowed()
    if K0 is None or not shapes.shape[1]:
        return None
    return float(_effects(record, K0[None], q, shapes, k)[2, 0])


def _held_part(
    result: Result,
    record: FlexRecord,
    K0: Array,
    q: Array,
    which: Indices,
    k: int,
    found: Array,
) -> Array:
    """Parts (3,) of the effects at one time that are left for shapes that joints allow."""
    shapes = Holds(at_times(result, which[k : k + 1]), record).allowed()
    if shapes.shape[1] == record.modal.n:
        return np.ones(3)
    held = _effects(record, K0[k : k + 1], q, shapes, k)[:, 0]
    return np.asarray(np.minimum(held / np.maximum(found[:, k], 1e-300), 1.0))


def _effects(
    record: FlexRecord, K0: Array, q: Array, shapes: Array, only: int | None = None
) -> Array:
    """Buckling, stiffness and change (3, k) of K0 (k, n, n) within shapes (n, m)."""
    if not shapes.shape[1]:
        return np.zeros((3, len(K0)))
    K = shapes.T @ record.modal.K @ shapes
    inverse = whitening(K) @ shapes.T
    relative = inverse @ (0.5 * (K0 + np.swapaxes(K0, 1, 2))) @ inverse.T
    values = np.linalg.eigvalsh(relative)
    changes = _changes(record, inverse, K0, q, only)
    return np.array([np.maximum(-values[:, 0], 0.0), np.abs(values).max(axis=1), changes])


def _changes(
    record: FlexRecord, inverse: Array, K0: Array, q: Array, only: int | None = None
) -> Array:
    """Largest change (k,) of deflections by K0, relative to the largest of all q (times, n).

    ``only`` is the place of the one time that K0 belongs to; otherwise it belongs to all of them.
    """
    rows = record.body.moving_rows(record.point_masses)[0]
    whole = np.einsum("pin,kn->kpi", rows, q)
    now = q if only is None else q[only : only + 1]
    changed = np.einsum("kbc,kc->kb", K0, now) @ inverse.T @ inverse
    moved = np.einsum("pin,kn->kpi", rows, changed)
    size = np.linalg.norm(whole, axis=2).max(initial=0.0)
    if (axis := record.body.axis) is not None:  # deflections are across it
        whole, moved = (x - np.multiply.outer(x @ axis, axis) for x in (whole, moved))
    deflected = np.linalg.norm(whole, axis=2).max(initial=0.0)
    if not deflected > STRAIGHT * size:
        return np.zeros(len(now))
    return np.asarray(np.linalg.norm(moved, axis=2).max(axis=1, initial=0.0) / deflected)


def tension_stiffness(record: FlexRecord, holds: Holds, q: Array) -> Array | None:
    """Stiffness (n, n) that tension adds to a body with elastic coordinates q; None without one."""
    if not len(holds.sets):
        return None
    body, masses = record.body, record.point_masses
    places = tuple(sorted(set(holds.stations)))
    factors = holds.factors(places)
    unit = body.load_stiffness(places, factors, masses)
    work = body.static_response(places, masses).work[: factors.shape[1], : factors.shape[1]]
    flexibility = factors @ work @ factors.T
    if not np.trace(flexibility) > 0.0:
        return None
    amounts = np.linalg.pinv(flexibility, rcond=RIGID, hermitian=True) @ _shortened(unit, q)
    return np.asarray(np.einsum("r,rab->ab", amounts, unit))


def _shortened(unit: Array, q: Array) -> Array:
    """Second-order displacements (s,) along sets of forces with the stiffness ``unit`` each."""
    return np.asarray(0.5 * np.einsum("a,rab,b->r", q, unit, q))


def reduced_part(change: Array) -> Array:
    """Parts (k,) by which deflections become smaller, 1 - x of x + a x^3 = 1."""
    a = np.maximum(change, 0.0)
    x = np.ones_like(a)
    for _ in range(60):  # Newton, from the right of a root of a convex function
        before, x = x, x - (x + a * x**3 - 1.0) / (1.0 + 3.0 * a * x**2)
        if np.array_equal(before, x):
            break
    return np.asarray(1.0 - x)


def chain_stretch(result: Result, at: int) -> float:
    """Part a of the bodies of a result at one output time; zero where none hold each other."""
    known: dict[int, float] = result.__dict__.setdefault("_chain_stretch", {})
    if at not in known:
        try:
            known[at] = _of_chain(result, at)
        except ModelError:  # a body made of matrices only
            known[at] = 0.0
    return known[at]


def _of_chain(result: Result, at: int) -> float:
    compiled, stress = result.data.compiled, result.data.self_stress
    records = {name: r for name, r in compiled.flexible.items() if r.modal.n}
    soft = [name for name, r in records.items() if not r.body.stiffened]
    if stress is None or len(records) < 2 or not soft:
        return 0.0
    which = np.array([at])
    bodies = deflected(result, records, which)
    held = stress(result.data.history.at(which))[0]
    if len(bodies) < len(records) or act_on_parts([held], compiled):
        return 0.0
    unit = {n: unit_reactions(b, held[n]) for n, b in bodies.items() if held.get(n)}
    if not unit or not next(iter(unit.values())).shape[1]:
        return 0.0
    forms = {n: _forms(bodies[n], u) for n, u in unit.items() if n in soft}
    q = {name: result.q[at, records[name].q] for name in records}
    works = (u.T @ bodies[n].response.work @ u for n, u in unit.items())
    shortened = sum((_shortened(K, q[n]) for n, K in forms.items()), np.zeros(1))
    amounts = np.linalg.pinv(sum(works), rcond=RIGID, hermitian=True) @ shortened
    energy = sum(float(q[n] @ r.modal.K @ q[n]) for n, r in records.items())
    gained = sum(float(q[n] @ np.tensordot(amounts, K, 1) @ q[n]) for n, K in forms.items())
    part = float(np.clip(gained / energy, 0.0, MOST)) if energy > 0.0 else 0.0
    return part / (1.0 - part)


def _forms(body: Deflected, unit: Array) -> Array:
    """Geometric stiffness (s, n, n) of a body under sets of reactions (m, s)."""
    loads, record = body.loads, body.record
    factors = unit[: INERTIA + 6 * len(loads.places)].T
    return record.body.load_stiffness(loads.places, factors, record.point_masses)
