"""Where and when a quantity that colours show is largest, over all vertices and drawn times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.visualization.scene import Thing, sides

Array = NDArray[np.float64]
Shown = Literal["displacement", "strain", "stress"]
SHOWN: tuple[Shown, ...] = ("displacement", "strain", "stress")
# Numbers in memory at once: 32 megabytes.
AT_ONCE = 4_000_000
# Strains, and displacements in sizes of a body, below which there is rounding and nothing else: of
# runs, and of modes, which are difference quotients of displacements of some per cent.
ROUNDING, ROUNDING_OF_MODES = 1e-14, 1e-8


class Peak(NamedTuple):
    """The largest value (m, 1 or Pa), its time, and the name of its body; 0 if there is none."""

    value: float
    t: float
    name: str


def peaks(
    things: Iterable[Thing], t: Array, which: slice = slice(None), rounding: float = ROUNDING
) -> dict[Shown, Peak]:
    """The largest elastic displacement, equivalent strain and stress at some of the times t.

    Zero if there is ``rounding`` only.
    """
    found = dict.fromkeys(SHOWN, Peak(0.0, float(t[which][0]), ""))
    for one in (each for each in things if each.kind == "bodies"):
        for what, (value, k) in _of(one, which, rounding).items():
            if value > found[what].value and np.isfinite(value):
                found[what] = Peak(value, float(t[which][k]), one.name)
    return found


def _of(one: Thing, which: slice, rounding: float) -> dict[Shown, tuple[float, int]]:
    if not len(one.points):
        return {}
    away = (one.amplitudes - one.still)[which]
    found: dict[Shown, tuple[float, int]] = {}
    if len(one.fields):
        moved, when = _largest(away, one.fields, None)
        if moved > rounding * float(np.ptp(one.points, axis=0).max()):
            found["displacement"] = moved, when
    if len(one.stress):
        own = away[:, : len(one.stress)]
        strain, when = _largest(own, one.stress, one.modulus)
        if strain > rounding:
            found["strain"] = strain, when
            found["stress"] = _largest(own, one.stress, None)
    return found


def _largest(away: Array, fields: Array, modulus: Array | None) -> tuple[float, int]:
    """Largest norm of amplitudes (nt, k) times fields (k, v, c) over the modulus, and its time."""
    _, vertices, parts = fields.shape
    some = max(1, AT_ONCE // (vertices * parts))
    best, when = 0.0, 0
    for first in range(0, len(away), some):
        moved = np.tensordot(away[first : first + some], fields, axes=1)
        for side in sides(moved):
            size = np.linalg.norm(side, axis=2)
            size = size if modulus is None else size / modulus
            most = np.where(np.isfinite(size), size, 0.0).max(axis=1)
            if most.max() > best:
                best, when = float(most.max()), first + int(most.argmax())
    return best, when
