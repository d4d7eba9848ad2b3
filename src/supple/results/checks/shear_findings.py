"""Shells that are too thick for a theory without shear across them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.errors import label
from supple.results.data.findings import Finding
from supple.results.flexibility.geometric_stiffness import sampled

if TYPE_CHECKING:
    from supple.foundation.frames import Body
    from supple.results.result import Result

TIMES = 6  # that are looked at
LIMIT, SERIOUS = 0.02, 0.2  # energy of shear in parts of the largest strain energy of the run


def of_thickness(result: Result, body: Body) -> Iterator[Finding]:
    """A finding if shear that a body leaves out would add to its deflections."""
    record = result.data.compiled.flexible.get(body.name)
    if record is None or not record.modal.n:
        return
    q = result.q[:, record.q] - record.modal.rest_coordinates
    good = np.flatnonzero(np.all(np.isfinite(q), axis=1))
    if not len(good):
        return
    which = good[sampled(q[good], TIMES)]
    energy = 0.5 * np.einsum("ka,ab,kb->k", q[which], record.modal.K, q[which])
    largest = energy.max(initial=0.0)
    if not largest > 0.0:
        return
    left_out = record.body.shear_energies(q[which], record.point_masses)
    if left_out is None:
        return
    yield from of_shear_energy(body, float(left_out.max() / largest))


def of_shear_energy(body: Body, part: float) -> Iterator[Finding]:
    """A finding if shear that is left out would hold too large a part of the strain energy."""
    if part > LIMIT:
        yield Finding(
            body.name,
            "shear",
            part,
            LIMIT,
            None,
            part > SERIOUS,
            f"{label(body)}: it is thick for its deflections, which shear across the thickness "
            f"would increase by up to {100 * part:.2g} %, expected at most {100 * LIMIT:g} %: thin "
            "plates and shells have no shear; use solid elements",
        )
