"""Shells whose surface stretches as they bend, because their edges hold it.

Strains of second order have the membrane energy V x^4 in a deflection of x times the linear one,
beside its strain energy U x^2, as far as displacements in the surface do not relieve them. So it is
x of itself, x + a x^3 = 1 with a = 2 V/U. Neither linear shapes nor displacements of second order
of the places of a body have that tension: only between several interfaces second order sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation.errors import label
from supple.results.checks.load_findings import LOAD, SERIOUS_LOAD
from supple.results.data.findings import Finding
from supple.results.flexibility.deformation import states
from supple.results.flexibility.held_stretch import reduced_part

if TYPE_CHECKING:
    from supple.results.result import Result

KEPT = 0.05  # of the stretch: a surface that keeps less is developable but for its triangles


def of_surface(result: Result, body: Any) -> Iterator[Finding]:
    """A finding if a shell would be stiffer by the stretch of its surface."""
    record = result.data.compiled.flexible.get(body.name)
    if record is None:
        return
    t, q = states(result, record)
    energies = 0.5 * np.einsum("ka,ab,kb->k", q, record.modal.K, q)
    good = np.isfinite(energies) & (energies < 1e100)
    energies = np.where(good, energies, 0.0)
    k = int(np.argmax(energies)) if len(energies) else 0
    if not energies.max(initial=0.0) > 0.0:
        return
    found = record.body.stretch_energies(q[k], record.point_masses)
    if found is None or not found[1] > KEPT * found[0]:
        return
    parts = reduced_part(2.0 * found[1] / energies[k] * energies / energies[k])
    above = np.flatnonzero(parts > LOAD)
    if not len(above):
        return
    value, first = float(parts.max()), float(t[above[0]])
    yield Finding(
        body.name,
        "stretch",
        value,
        LOAD,
        first,
        value > SERIOUS_LOAD,
        f"{label(body)}: its surface stretches as it bends, and tension by that would make its "
        f"deflections {value:.2g} of themselves smaller, more than {LOAD:g} from t = {first:.4g} s "
        "on, which bodies in a frame leave out: use an ANCFPlate",
    )
