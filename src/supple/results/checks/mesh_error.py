"""Error of deflections by the mesh of a flexible body, whatever modes are made of it.

The work of all loads on the deflections by them is compared with that of a finer mesh
(`supple.reduction.mesh_flexibility`): for one force it is the error of the deflection where it
acts. Both are means over the run, so that neither what bends little counts, nor the instant of a
sudden load, when a body has not had time to follow it. Where loads would deflect it more at rest,
the error of that deflection is told if it is smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.foundation.errors import ModelError, label, percent
from supple.results.data.findings import Finding

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.reduction.mesh_flexibility import MeshFlexibility
    from supple.results.flexibility.truncation import Deflected, Truncation
    from supple.results.result import Result

Array = NDArray[np.float64]

MISSED, SERIOUS = 0.02, 0.25  # part of the deflections
SMALL = 1e-5  # deflections in lengths of the body, below which none is serious


@dataclass(frozen=True)
class MeshError:
    """Error of the deflections of a body by its mesh, over a run.

    Attributes
    ----------
    part : of the deflections by which it is too stiff, or, negative, too soft
    time : s, at which it does so first
    """

    part: float
    time: float


def mesh_works(body: Deflected) -> tuple[Array, Array] | None:
    """Works (k,) of loads, of a body's mesh and about exact ones; None where they are not known."""
    found = _flexibility(body)
    return None if found is None else found.works(body.right)


def _flexibility(body: Deflected) -> MeshFlexibility | None:
    record = body.record
    try:
        return record.body.mesh_flexibility(body.loads.places, record.point_masses)
    except (ModelError, np.linalg.LinAlgError):  # the finer mesh cannot be held so
        return None


def mesh_error(body: Deflected) -> MeshError | None:
    """Error by a body's mesh under its loads; None where it is not known."""
    found = _flexibility(body)
    if found is None:
        return None
    own, exact = found.works(body.right)
    weights = np.ones(len(body.t))
    if len(body.t) > 1 and body.t[-1] > body.t[0]:  # the trapezoidal rule
        weights = np.gradient(body.t)
        weights[[0, -1]] *= 0.5
    whole = float(np.average(exact, weights=weights))
    if not whole > 0.0:
        return None
    parts = (exact - own) / whole
    beyond = np.flatnonzero(np.abs(parts) > MISSED)
    part = float(np.average(parts, weights=weights))
    other = _of_applied(body, found, weights, whole)
    part = part if other is None or abs(part) < abs(other) else other
    return MeshError(part, float(body.t[beyond[0] if len(beyond) else 0]))


def _of_applied(
    body: Deflected, found: MeshFlexibility, weights: Array, whole: float
) -> float | None:
    """Error under the loads without the inertia of elastic coordinates; None if that is the load.

    Of a sudden load and the inertia that balances it little is left on the mesh itself, and more
    than that on a finer one, whose shapes of fast vibration are others.
    """
    applied = body.right.copy()
    applied[:, body.loads.factors.shape[1] :] = 0.0
    own, exact = (float(np.average(x, weights=weights)) for x in found.works(applied))
    return (exact - own) / exact if exact >= whole else None


def of_mesh(
    result: Result, body: FlexibleBody, found: Truncation | None, error: MeshError | None
) -> Iterator[Finding]:
    """A mesh that is too coarse for its loads, or made of elements that lock."""
    from supple.results.checks.mode_findings import attached

    if found is None or error is None or abs(error.part) <= MISSED:
        return
    value = abs(error.part)
    what = ("too stiff", "too small") if error.part > 0.0 else ("too soft", "too large")
    yield Finding(
        body.name,
        "mesh",
        value,
        MISSED,
        error.time,
        value > SERIOUS and found.size > SMALL,
        f"{label(body)}: its mesh is {what[0]} for its loads{attached(result, body)}, deflections "
        f"are about {percent(value)} {what[1]}, expected at most {percent(MISSED)}, from "
        f"t = {error.time:.4g} s on, whatever modes it has: {body.mesh_advice(error.part > 0.0)}",
    )
