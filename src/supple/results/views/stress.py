"""Stress of a whole body over time: where and when it is largest.

What is needed of a body is a set of `StressBlock`, rows of its elastic coordinates:
`supple.bodies.base.flexible.FlexibleBody.stress_blocks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from supple.fem.recovery.stress_points import StressBlock
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property

# Numbers that are in memory at once, for some of the points and times: 32 megabytes.
AT_ONCE = 4_000_000


@dataclass(frozen=True)
class LargestStress:
    """The largest equivalent stress of a body over a run."""

    value: float  # Pa, of von Mises
    time: float  # s
    place: tuple[float, float, float]  # (3,) m, in the undeformed body
    where: str  # text, e.g. "triangle 12, top"

    def __str__(self) -> str:
        x, y, z = self.place
        return (
            f"{self.value:.4g} Pa at t = {self.time:.6g} s in ({x:.4g}, {y:.4g}, {z:.4g}) m, "
            f"{self.where}"
        )


@dataclass(frozen=True, eq=False)
class StressEnvelope:
    """The largest equivalent stress of each point of a body over a run."""

    largest: Array  # (p,) Pa, of von Mises
    times: Array  # (p,) s, when
    places: Array  # (p, 3) m, in the undeformed body
    over_time: Array  # (nt,) Pa, the largest of all points at each time
    names: tuple[str, ...]  # p texts


class StressHistory:
    """Equivalent stress of von Mises of a body's points over time.

    Parameters
    ----------
    t : (nt,) s
    q : (nt, n) elastic coordinates
    blocks : makes the points, block by block
    """

    def __init__(self, t: Array, q: Array, blocks: Callable[[], Iterator[StressBlock]]) -> None:
        self._t, self._q, self._blocks = t, q, blocks

    def von_mises(self) -> Array:
        """(nt, p) Pa, all points at all times; large meshes fill the memory with it."""
        found = [
            np.concatenate([part for _, part in self._parts(block)], axis=1)
            for block in self._blocks()
        ]
        return np.concatenate(found).T

    @cached_property
    def envelope(self) -> StressEnvelope:
        """The largest stress of each point, and of all points at each time."""
        over_time = np.zeros(len(self._t))
        largest, when, places, names = [], [], [], []
        for block in self._blocks():
            peak, index = np.full(len(block.places), -1.0), np.zeros(len(block.places), dtype=int)
            for start, part in self._parts(block):
                first = np.argmax(part, axis=1)
                value = np.take_along_axis(part, first[:, None], axis=1)[:, 0]
                index = np.where(value > peak, start + first, index)
                peak = np.maximum(value, peak)
                here = slice(start, start + part.shape[1])
                over_time[here] = np.maximum(over_time[here], part.max(axis=0))
            largest.append(peak)
            when.append(self._t[index])
            places.append(block.places)
            names += [block.name(k) for k in range(len(block.places))]
        return StressEnvelope(
            np.concatenate(largest),
            np.concatenate(when),
            np.concatenate(places),
            over_time,
            tuple(names),
        )

    @property
    def largest(self) -> LargestStress:
        """The largest of all, its time and its place."""
        found = self.envelope
        k = int(np.argmax(found.largest))
        x, y, z = (float(c) for c in found.places[k])
        return LargestStress(
            float(found.largest[k]), float(found.times[k]), (x, y, z), found.names[k]
        )

    def _parts(self, block: StressBlock) -> Iterator[tuple[int, Array]]:
        """First time and stresses (m, times) of a block, some times at once."""
        m, k, n = block.stress.shape
        rows, at_once = block.stress.reshape(m * k, n), max(1, AT_ONCE // max(m * k, 1))
        for start in range(0, len(self._q), at_once):
            stress = (rows @ self._q[start : start + at_once].T).reshape(m, k, -1)
            yield start, block.von_mises(np.moveaxis(stress, 1, 2))
