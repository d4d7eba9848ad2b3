"""Watches over the constraint rows in use along a run; see ``constraint_rows``."""

from __future__ import annotations

import numpy as np

from supple.constraint_rows import better_rows, row_sizes, rows_at
from supple.core.layout import new_work
from supple.poses import Array
from supple.records import Compiled

APART = 0.05  # rad, or lengths of the model, between two looks
# In lengths of the model and radians: rows that are left out are as exact as the others, but for
# the nearness of these to dependence.
HELD = 1e-6


class RowWatch:
    """Says after how many steps to look again, and which rows to use from then on."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.active = compiled.every is not None
        self.work = new_work(compiled.every.ints) if compiled.every is not None else None
        self.trouble = ""
        self.step = 0.0  # s, of the last look that found the rows well

    def steps(self, u: Array, h: float) -> int:
        """Steps of h (s) until the model has moved by ``APART``."""
        if not self.active:
            return 2**62
        self.step = max(h, self.step)
        moved = h * float(np.max(np.abs(u) / self.compiled.scale, initial=0.0))
        return int(np.clip(APART / max(moved, 1e-12), 1, 1000))

    def look(self, t: float, q: Array, u: Array) -> Compiled | None:
        """The model with better rows, or None; ``trouble`` is a sentence if a row does not hold."""
        every = self.compiled.every
        assert every is not None and self.work is not None
        violation = rows_at(every, self.work, t, q, u).violation / row_sizes(every)
        k = int(np.argmax(np.abs(violation)))
        if abs(violation[k]) > HELD:
            row = every.rows[k]
            value = violation[k] * row_sizes(every)[k]
            unit = "" if row.unit == "1" else f" {row.unit}"
            self.trouble = (
                f"the {row.part} of {row.label} followed from the other constraints, but is now "
                f"{value:.3g}{unit} off: the mechanism has come through a position where it can "
                "branch"
            )
            return None
        other = better_rows(self.compiled, self.work, t, q, u)
        if other is not None:
            self.compiled = other
        return other
