"""First guesses for the spin of what slides along a line and turns freely about its tangent.

A joint has an initial coordinate for that, a sliding joint none: bodies say how they are turned.
Assembly would move them a little, too, as its coordinates without mass resist their first guess.
"""

from __future__ import annotations

import numpy as np

from supple.core.base.layout import new_work
from supple.engine.base.compiled import SLIDER, SPIN, Compiled
from supple.engine.reading.rows import rows_at
from supple.foundation.arrays import Array

STEPS = 3  # one is exact if nothing but the spin is off


def spun(compiled: Compiled, q: Array) -> Array:
    """Coordinates with the spin of sliding joints turned to where their bodies are."""
    records = [
        record
        for name, record in compiled.extra.items()
        if name.endswith((SLIDER, SPIN)) and record.coordinate_names[-1] == "angle"
    ]
    if not records:
        return q
    out, u = np.array(q, dtype=float), np.zeros(compiled.nu)
    work = new_work(compiled.ints)
    for _ in range(STEPS):
        rows = rows_at(compiled, work, 0.0, out, u)
        for record in records:
            own = [
                k
                for k, row in enumerate(compiled.rows)
                if row.label == record.label and row.part.startswith("rotation")
            ]
            slope = rows.G[own, record.u.stop - 1]
            size = float(slope @ slope)
            if size > 0.0:
                out[record.q.stop - 1] -= float(slope @ rows.violation[own]) / size
    return out
