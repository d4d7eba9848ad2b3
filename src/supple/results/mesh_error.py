"""How much the mesh of a flexible body itself gets wrong, whatever modes are made of it.

The work of all loads on the deflections by them is compared with that of a finer mesh
(`supple.reduction.mesh_flexibility`): for one force it is the error of the deflection where it
acts. It is told in parts of the largest work of the run, so that what bends little does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import ModelError, label
from supple.results.deformation import Extreme

if TYPE_CHECKING:
    from supple.bodies.flexible import FlexibleBody
    from supple.results.monitor import Finding
    from supple.results.result import Result
    from supple.results.truncation import Deflected, Truncation

Array = NDArray[np.float64]

MISSED, SERIOUS = 0.02, 0.25  # part of the deflections
SMALL = 1e-5  # deflections in lengths of the body, below which none is serious


def mesh_works(body: Deflected, factors: Array) -> tuple[Array, Array] | None:
    """Works (k,) of loads, of a body's mesh and about exact ones; None where they are not known."""
    record = body.record
    try:
        found = record.body.mesh_flexibility(body.loads.places, record.point_masses)
    except ModelError:
        return None
    return None if found is None else found.works(factors)


def mesh_error(body: Deflected) -> Extreme | None:
    """Part of its deflections by which a body's mesh is too stiff, or, negative, too soft."""
    works = mesh_works(body, body.right)
    if works is None:
        return None
    own, exact = works
    largest = float(np.max(exact, initial=0.0))
    return Extreme(body.t, (exact - own) / largest) if largest > 0.0 else None


def of_mesh(
    result: Result, body: FlexibleBody, found: Truncation | None, error: Extreme | None
) -> Iterator[Finding]:
    """A mesh that is too coarse for its loads, or made of elements that lock."""
    from supple.results.mode_findings import attached
    from supple.results.monitor import Finding

    if found is None or error is None:
        return
    size = Extreme(error.t, np.abs(error.values))
    passed = size.passes(MISSED)
    if passed is None:
        return
    value = size.largest
    stiff = error.values[int(np.argmax(size.values))] > 0.0
    what = ("too stiff", "too small") if stiff else ("too soft", "too large")
    yield Finding(
        body.name,
        "mesh",
        value,
        MISSED,
        passed,
        value > SERIOUS and found.size > SMALL,
        f"{label(body)}: its mesh is {what[0]} for its loads{attached(result, body)}, deflections "
        f"are about {percent(value)} {what[1]}, expected at most {MISSED:.0%}, from "
        f"t = {passed:.4g} s on, whatever modes it has: {body.mesh_advice}",
    )


def percent(part: float) -> str:
    """A part in percent with two digits."""
    return f"{float(f'{100.0 * part:.2g}'):g} %"
