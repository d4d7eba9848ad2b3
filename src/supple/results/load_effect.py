"""What loads do to the stiffness of a flexible body that has no stiffening.

Stress under the present loads changes the stiffness K of the elastic coordinates to K + K0: tension
stiffens, pressure softens, and where K + K0 is singular the body buckles. Without stiffening K0 is
left out. These numbers say what that means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import ModelError
from supple.results.body_loads import at_times, body_loads
from supple.results.deformation import Extreme

if TYPE_CHECKING:
    from supple.engine.body_records import FlexRecord
    from supple.results.result import Result

Array = NDArray[np.float64]

# Output times that are looked at: of beams, and of meshes, where each takes an assembly.
SAMPLES, MESH_SAMPLES = 100, 8
# Deflections across an axis below this part of all displacements are none.
STRAIGHT = 1e-6


@dataclass(frozen=True, eq=False)
class LoadEffect:
    """What loads would do to a body at some times.

    Attributes
    ----------
    buckling : part of the load under which the body buckles, if all loads grow together
    stiffness : largest relative change of the stiffness of a shape, by tension or pressure
    change : how much deflections would change, in parts of the largest deflection of the run
    """

    buckling: Extreme
    stiffness: Extreme
    change: Extreme


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
    scale = 1.0 / np.sqrt(np.diag(modal.K))
    root = np.linalg.cholesky(modal.K * np.outer(scale, scale))
    inverse = np.linalg.solve(root, np.diag(scale))  # inverse K inverse^T = 1
    relative = inverse @ (0.5 * (K0 + np.swapaxes(K0, 1, 2))) @ inverse.T
    values = np.linalg.eigvalsh(relative)
    t = result.t[which]
    return LoadEffect(
        Extreme(t, np.maximum(-values[:, 0], 0.0)),
        Extreme(t, np.abs(values).max(axis=1)),
        Extreme(t, _changes(record, inverse, K0, q[which])),
    )


def _changes(record: FlexRecord, inverse: Array, K0: Array, q: Array) -> Array:
    """Largest change (k,) of deflections by K0, relative to the largest of them."""
    rows = record.body.moving_rows(record.point_masses)[0]
    whole = np.einsum("pin,kn->kpi", rows, q)
    changed = np.einsum("kbc,kc->kb", K0, q) @ inverse.T @ inverse
    moved = np.einsum("pin,kn->kpi", rows, changed)
    size = np.linalg.norm(whole, axis=2).max(initial=0.0)
    if (axis := record.body.axis) is not None:  # deflections are across it
        whole, moved = (x - np.multiply.outer(x @ axis, axis) for x in (whole, moved))
    deflected = np.linalg.norm(whole, axis=2).max(initial=0.0)
    if not deflected > STRAIGHT * size:
        return np.zeros(len(q))
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
