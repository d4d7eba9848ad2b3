"""Other starts of a fit whose first search ended where the run does not follow the records.

Oscillations that run out of step make local minima. Two ways lead out of one:

- the beginning of the records first, then more and more of them, from the given start: early on, a
  wrong frequency costs phase in proportion to time, and there is one minimum only;
- places spread over the ranges of the parameters, where a few runs say which are good to start
  from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from supple.foundation.poses import Array
from supple.sensitivities.evaluations import Ranges

PARTS = (0.1, 0.25, 0.5)  # of the time span, one after the other
FEWEST = 4  # samples for each parameter in the beginning of the records
WIDE = 4.0  # times, up and down from its start, that a parameter without a range is looked for
SPREAD = 12  # places for each start


def places(ranges: Ranges, count: int) -> Array:
    """Places (count, n) spread over the ranges, in units of ``ranges.sizes``."""
    n = len(ranges.names)
    # Multiples of powers of one irrational number: evenly spread in any dimension
    root = 2.0
    for _ in range(30):
        root = (1.0 + root) ** (1.0 / (n + 1.0))
    steps = root ** -np.arange(1.0, n + 1.0)
    share = (0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0
    low, high, start = ranges.low, ranges.high, ranges.start
    bounded = np.isfinite(low) & np.isfinite(high)
    positive = bounded & (low > 0.0) & (high > WIDE * np.where(low > 0.0, low, 1.0))
    out = np.empty((count, n))
    for i in range(n):
        if positive[i]:  # over several sizes
            out[:, i] = low[i] * (high[i] / low[i]) ** share[:, i]
        elif bounded[i]:
            out[:, i] = low[i] + (high[i] - low[i]) * share[:, i]
        elif start[i] == 0.0:
            out[:, i] = 2.0 * share[:, i] - 1.0
        else:
            out[:, i] = start[i] * WIDE ** (2.0 * share[:, i] - 1.0)
    return np.clip(out, low, high) / ranges.sizes


def other_starts(
    ranges: Ranges,
    start: Array,
    fractions: Array,
    count: int,
    searched: Callable[[Array, NDArray[np.bool_]], Array | None],
    cost: Callable[[Array], float],
) -> Iterator[Array]:
    """At most ``count`` places (n,) to start from, made when they are asked for.

    ``fractions`` (m,) are times of all samples in parts of the span; ``searched`` finds the best
    place for some of them from a place, ``cost`` is the sum of squares there, infinite if no run
    is possible.
    """
    if count < 1:
        return
    x: Array | None = start
    for part in PARTS:
        mine = fractions <= part
        if x is not None and np.count_nonzero(mine) >= FEWEST * len(start):
            x = searched(x, mine)
    if x is not None:
        yield x
    if count < 2:
        return
    found = places(ranges, SPREAD * (count - 1))
    costs = np.array([cost(place) for place in found])
    for k in np.argsort(costs, kind="stable")[: count - 1]:
        if np.isfinite(costs[k]):
            yield found[k]
