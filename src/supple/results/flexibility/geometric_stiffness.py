"""Effect of loads on the stiffness of a flexible body that has no stiffening.

Stress under the present loads changes the stiffness K of the elastic coordinates to K + K0: tension
stiffens, pressure softens, and where K + K0 is singular the body buckles. Without stiffening K0 is
left out. These numbers say what that means.

K is that of the body in its frame. Joints that hold it at further places, by rigid bodies, make it
stiffer: where the numbers are not small, they are found again for shapes that these joints allow. A
frame that turns with such a shape counts as fixed, which makes the numbers too large rather than
too small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.foundation.errors import ModelError
from supple.results.flexibility.deformation import Extreme
from supple.results.flexibility.held_stretch import Holds, reduced_part, tension_stiffness
from supple.results.views.body_loads import at_times, body_loads

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.results.result import Result

Array = NDArray[np.float64]

# Output times that are looked at: of beams, and of meshes, where each takes an assembly.
SAMPLES, MESH_SAMPLES = 100, 8
# Deflections across an axis below this part of all displacements are none.
STRAIGHT = 1e-6
# Effects above this are found again with all that holds the body, at so many times.
SMALL, HELD_SAMPLES = 0.02, 4


@dataclass(frozen=True, eq=False)
class LoadEffect:
    """What loads would do to a body at some times.

    Attributes
    ----------
    buckling : part of the load under which the body buckles, if all loads grow together
    stiffness : largest relative change of the stiffness of a shape, by tension or pressure
    change : how much deflections would change, in parts of the largest deflection of the run
    stretch : how much smaller they would be by the stretch of a body that is held at several places
    """

    buckling: Extreme
    stiffness: Extreme
    change: Extreme
    stretch: Extreme


def load_effect(result: Result, record: FlexRecord) -> LoadEffect | None:
    """For a body without stiffening; None where its loads or its stress are not known."""
    body, masses, modal = record.body, record.point_masses, record.modal
    q = result.q[:, record.q]
    good = np.flatnonzero(np.all(np.isfinite(result.q) & (np.abs(result.q) < 1e100), axis=1))
    if not len(good):
        return None
    which = good[sampled(q[good], SAMPLES if body.axis is not None else MESH_SAMPLES)]
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
    if worst.max() > SMALL:
        few = np.unique([np.argsort(row)[-HELD_SAMPLES:] for row in found])  # of each effect
        parts = np.array([_held_part(result, record, K0, size, which, k, found) for k in few])
        found = found * parts.max(axis=0)[:, None]
    stretch = _stretches(result, record, size, which)
    return LoadEffect(*(Extreme(t, values) for values in (*found, stretch)))


def _stretches(result: Result, record: FlexRecord, q: Array, which: NDArray[np.int_]) -> Array:
    """Parts (k,) by which the stretch of a bent body makes its deflections smaller."""
    from supple.results.flexibility.chain_stretch import chain_stretch

    none = np.zeros(len(q))
    energies = np.einsum("ka,ab,kb->k", q, record.modal.K, q)
    k = int(np.argmax(energies))
    if not energies[k] > 0.0:
        return none
    holds = Holds(at_times(result, which[k : k + 1]), record)
    K0 = tension_stiffness(record, holds, q[k])
    shapes = holds.allowed()
    if K0 is None or not shapes.shape[1]:
        change = chain_stretch(result, int(which[k]))
    else:
        change = float(_effects(record, K0[None], q, shapes, k)[2, 0])
    return reduced_part(change * energies / energies[k])


def _held_part(
    result: Result,
    record: FlexRecord,
    K0: Array,
    q: Array,
    which: NDArray[np.int_],
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
    scale = 1.0 / np.sqrt(np.diag(K))
    root = np.linalg.cholesky(K * np.outer(scale, scale))
    inverse = np.linalg.solve(root, np.diag(scale)) @ shapes.T  # inverse K inverse^T = 1
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


def sampled(q: Array, count: int) -> NDArray[np.int_]:
    """Places of some times: evenly, and those with the largest elastic coordinates."""
    n = len(q)
    if n <= count:
        return np.arange(n)
    unit = np.abs(q).max(axis=0)
    size = np.abs(q) @ (1.0 / np.where(unit > 0.0, unit, 1.0))
    top = np.argsort(size)[-(count // 4) :]
    return np.unique(np.concatenate([top, np.linspace(0, n - 1, count - len(top)).astype(int)]))
