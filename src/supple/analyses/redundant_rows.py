"""Whether rows that were redundant when a model was assembled still hold."""

from __future__ import annotations

import numpy as np

from supple.core.layout import new_work
from supple.engine.builder import Compiled
from supple.loops.assembly import row_sizes, rows_at
from supple.poses import Array

CONTRADICTION = 1e-8  # rad, or lengths of the model: how far a row that was left out may be off


def violated_row(compiled: Compiled, whole: Compiled, t: float, q: Array) -> str:
    """Name the most violated row of the whole model (all rows) at q, and by how much; or empty."""
    if whole.nr == compiled.nr:
        return ""
    gap = rows_at(whole, new_work(whole.ints), t, q, np.zeros(whole.nu)).violation
    sizes = row_sizes(whole)
    k = int(np.argmax(np.abs(gap) / sizes))
    if abs(gap[k]) <= CONTRADICTION * sizes[k]:
        return ""
    row = whole.rows[k]
    unit = "" if row.unit == "1" else f" {row.unit}"
    return f"{row.name} is off by {abs(gap[k]):.3g}{unit}"
