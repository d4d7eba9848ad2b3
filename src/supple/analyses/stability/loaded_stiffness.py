"""Change of the stiffness of a frame by loads, where bodies have no stiffening.

Flexible bodies without stiffening have the same stiffness under any load. The question is asked
once more of the model whose bodies have displacements of second order, in the same equilibrium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from supple.bodies.base.refinement import beyond_linear
from supple.foundation.errors import percent
from supple.foundation.poses import Array
from supple.model import Model
from supple.results.checks.load_findings import LOAD, SERIOUS_LOAD
from supple.results.data.findings import Finding, Monitor

NONE = 1e-9  # of the largest compliance: rounding
TOLD = ("load", "buckling", "stretch")  # findings that say so already


def unloaded_stiffness(model: Model, monitor: Monitor) -> Model | None:
    """A copy with second order where loads change a stiffness that is left out; None if none do."""
    if any(f.what in TOLD for f in monitor.findings):
        return None
    names = [
        name
        for name, seen in monitor.bodies.items()
        if seen.load_stiffness > LOAD and _can(model, name)
    ]
    if not names:
        return None
    found = model.copy()
    for name in names:
        found.replace(name, stiffening="second_order")
    return found


def _can(model: Model, name: str) -> bool:
    fields = beyond_linear(model.bodies[name]) if name in model.bodies else None
    return bool(fields) and "stiffening" in (fields or {})


def with_loads(
    monitor: Monitor, directions: Sequence[str], given: Array, right: Array | None
) -> Monitor:
    """A monitor with a finding, if compliances (n,) are not those under the loads, (n, n)."""
    loads = {name: seen.load_stiffness for name, seen in monitor.bodies.items()}
    name = max(loads, key=lambda key: np.nan_to_num(loads[key]))
    if right is None:
        part, how = 1.0, "leave none of its stiffness"
    else:
        true = np.diag(right)
        size = float(np.abs(true).max(initial=0.0))
        off = np.where(np.abs(true) > NONE * size, given / np.where(true != 0.0, true, 1.0), 1.0)
        k = int(np.argmax(np.abs(np.log(np.maximum(off, 1e-12)))))
        if not abs(off[k] - 1.0) > LOAD:
            return monitor
        # the stiffness that is given is 1/off of the true one
        part = float(abs(1.0 / off[k] - 1.0))
        which = "small" if off[k] > 1.0 else "large"
        how = f"make its stiffness along {directions[k]!r} {percent(part)} too {which}"
    sentence = (
        f"flexible body '{name}': tension or pressure by its loads, which are left out without "
        f"stiffening, {how}, expected at most {percent(LOAD)}: use stiffening='second_order'"
    )
    finding = Finding(name, "load", part, LOAD, None, part > SERIOUS_LOAD, sentence)
    first = monitor.bodies[name]
    found = replace(first, findings=(*first.findings, finding))
    return Monitor({**monitor.bodies, name: found})
