"""Stops a run whose deformation diverges.

Shapes of a flexible body are linear in its coordinates; results are off by 1 % where it turns by
0.15 rad (``results/monitor/monitor.py``). Where a part of it has turned by a whole turn, or moved
by ten lengths of the body, they have no meaning whatever the loads are. A body that loses its
stiffness, by spin or pressure without stiffening, goes there exponentially, in ever shorter steps.

It is looked for after a fixed number of attempted steps, so that a run ends at the same time on
every machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from supple.engine.base.compiled import Compiled
from supple.foundation.errors import label
from supple.foundation.poses import Array
from supple.results.flexibility.deformation import kept_rows

ROTATION = 2.0 * math.pi  # rad
DEFLECTION = 10.0  # lengths of the body
LOOK = 128  # attempted steps between looks


class _Body(NamedTuple):
    """Rows (p, 3, n) of displacement and rotation, and bounds (n,) of both for each coordinate."""

    name: str
    q: slice
    length: float
    rows: tuple[Array, Array]
    bounds: tuple[Array, Array]


class Growth:
    """Looks at the flexible bodies of a model now and then."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.until = LOOK
        self.sentence = ""
        self._bodies: list[_Body] | None = None

    def is_unbounded(self, attempts: int, q: Array) -> bool:
        """Whether, after so many more steps, a look was due and found a body beyond all bounds."""
        self.until -= attempts
        if self.until > 0:
            return False
        self.until = LOOK
        if self._bodies is None:
            self._bodies = [*_bodies(self.compiled)]
        return any(self._beyond(body, q[body.q]) for body in self._bodies)

    def _beyond(self, body: _Body, q: Array) -> bool:
        limits = DEFLECTION * body.length, ROTATION
        for k, (rows, bound, limit) in enumerate(zip(body.rows, body.bounds, limits, strict=True)):
            if not len(rows) or float(bound @ np.abs(q)) <= limit:
                continue
            largest = float(np.sqrt(((rows @ q) ** 2).sum(axis=1).max()))
            if largest <= limit:
                continue
            found = f"moved by {largest / body.length:.3g} of its lengths"
            if k == 1:
                found = f"turned by {largest:.3g} rad"
            self.sentence = (
                f"{body.name} deforms without bound, a part of it has {found}, and linear shapes "
                "mean nothing there; without stiffening a spin beyond its lowest frequency or a "
                "pressure beyond its buckling load does that, or loads that are far too large: "
                "see result.monitor"
            )
            return True
        return False


def _bodies(compiled: Compiled) -> list[_Body]:
    found = []
    for record in compiled.flexible.values():
        if record.modal.n:
            rows = kept_rows(record.body, record.point_masses)
            bounds = tuple(np.sqrt((r**2).sum(axis=1)).max(axis=0, initial=0.0) for r in rows)
            name, length = label(record.body), float(record.body.typical_length)
            found.append(_Body(name, record.q, length, rows, (bounds[0], bounds[1])))
    return found
