"""The least squares of a fit: residuals over all records, searches, intervals and doubts.

Other starts of a fit whose first search ended where the run does not follow the records.

Oscillations that run out of step make local minima. Two ways lead out of one:

- the beginning of the records first, then more and more of them, from the given start: early on, a
  wrong frequency costs phase in proportion to time, and there is one minimum only;
- places spread over the ranges of the parameters, where a few runs say which are good to start
  from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation.arrays import Array, Booleans
from supple.foundation.errors import SuppleError
from supple.sensitivities.evaluations import Evaluations, Ranges
from supple.sensitivities.fitting.fit_result import Fit
from supple.sensitivities.fitting.misfit import Misfit, misfit
from supple.sweeps.readings import Reading

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
    searched: Callable[[Array, Booleans], Array | None],
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


ALIKE = 0.995  # correlation of two parameters from which on data do not tell them apart
UNKNOWN = 1.0  # half width of an interval, in parts of the value, from which on data tell nothing
SEEN = 1e-8  # singular value, in parts of the largest, below which nothing is seen of a direction


@dataclass
class Problem:
    """Least squares over all records, in units of the ranges and of the records' sizes."""

    evaluations: Evaluations
    ranges: Ranges
    asked: tuple[Reading, ...]
    times: list[Array]
    places: list[Any]
    data: list[Array]
    sizes: list[float]
    known: bool  # whether the sizes are deviations that were given

    def _at(self, x: Array) -> dict[str, Any]:
        found = self.evaluations.at(self.ranges.values(x))
        if "failed" in found:
            raise SuppleError(f"fit: a run fails: {found['failed']}")
        return found

    def left(self, x: Array) -> Array:
        """Residuals (m,) of all records, run less record, in units of the records' sizes."""
        found = self._at(x)
        rows = zip(self.asked, self.places, self.data, self.sizes, strict=True)
        parts = [(np.array(found[r.name][0])[at] - y) / size for r, at, y, size in rows]
        return np.concatenate(parts)

    def tried(self, x: Array) -> Array:
        """The same; infinite where no run is possible: the method then makes a shorter step."""
        if "failed" in self.evaluations.at(self.ranges.values(x)):
            return np.full(sum(map(len, self.data)), np.inf)
        return self.left(x)

    def slopes(self, x: Array) -> Array:
        """Its derivatives (m, n)."""
        found = self._at(x)
        rows = zip(self.asked, self.places, self.sizes, strict=True)
        parts = [np.array(found[r.name][1])[:, at].T / size for r, at, size in rows]
        return np.concatenate(parts) * self.ranges.sizes

    def misfits(self, x: Array) -> list[Misfit]:
        """Statistics of the residuals of each record."""
        parts = np.split(self.left(x), np.cumsum([len(y) for y in self.data])[:-1])
        rows = zip(self.asked, self.times, self.data, parts, self.sizes, strict=True)
        return [
            misfit(r.name, t, y, part * size, size if self.known else None)
            for r, t, y, part, size in rows
        ]

    def searched(self, start: Array, most: int, mine: Booleans | None = None) -> Any:
        """Result of `least_squares` from a start, for all samples or for some of them (m,)."""
        from scipy.optimize import least_squares

        which = slice(None) if mine is None else mine
        sizes = self.ranges.sizes
        box = self.ranges.low / sizes, self.ranges.high / sizes
        return least_squares(
            lambda x: self.tried(x)[which],
            np.clip(start, *box),
            lambda x: self.slopes(x)[which],
            bounds=box,
            x_scale="jac",
            max_nfev=most,
        )

    def best(self, most: int, starts: int) -> tuple[Any, int]:
        """The best of some searches, and how many were made.

        One is enough if the run follows the records then.
        """
        start = self.ranges.start / self.ranges.sizes
        self._at(start)  # which must be possible
        found, made = self.searched(start, most), 1
        if not self._is_missed(found.x):
            return found, made
        spans = np.concatenate(self.times)
        fractions = (spans - spans.min()) / np.ptp(spans)

        def cost(x: Array) -> float:
            left = self.tried(x)
            return float(left @ left)

        def searched(x: Array, mine: Booleans) -> Array | None:
            return None if np.isinf(cost(x)) else np.asarray(self.searched(x, most, mine).x)

        for x in other_starts(self.ranges, start, fractions, starts - 1, searched, cost):
            if np.isinf(cost(x)):
                continue
            other, made = self.searched(x, most), made + 1
            found = other if other.cost < found.cost else found
            if not self._is_missed(found.x):
                break
        return found, made

    def _is_missed(self, x: Array) -> bool:
        return any(m.is_gross or (m.excess > 0.0 and m.serial) for m in self.misfits(x))

    def solved(self, confidence: float, most: int, starts: int) -> Fit:
        """Solve it."""
        from scipy.stats import t as student

        sizes = self.ranges.sizes
        found, searches = self.best(most, starts)
        x, left, J = found.x, self.left(found.x), self.slopes(found.x)
        m, n = J.shape
        free = max(m - n, 1)
        scatter = float(left @ left) / free
        misfits = self.misfits(x)
        if self.known and not any(m.excess for m in misfits):
            scatter = 1.0
        _, s, V = np.linalg.svd(J, full_matrices=False)
        seen = s > SEEN * s[0] if s[0] > 0.0 else np.zeros(len(s), dtype=bool)
        length = max(m.length for m in misfits)  # samples that count as one
        covariance = (V[seen].T / s[seen] ** 2) @ V[seen] * scatter * length
        hidden = np.sum(V[~seen] ** 2, axis=0) > 1e-6  # parameters in directions that are not seen
        factor = float(student.ppf(0.5 + 0.5 * confidence, free))
        spread = np.sqrt(np.diag(covariance))
        half = np.where(hidden, np.inf, factor * spread) * sizes
        with np.errstate(all="ignore"):
            correlation = covariance / np.outer(spread, spread)
        values = self.ranges.values(x)
        doubts = self._doubts(values, half, correlation, hidden, x)
        missed = [doubt for m in misfits for doubt in m.doubts()]
        if missed and searches > 1:
            missed.append(f"the best of {searches} starts ended here")
        if any(m.hides for m in misfits):
            half = np.full(n, np.inf)
        last = self.evaluations.last
        if last is None or dict(last.parameters) != values:
            last = self.evaluations.run(values)
        parts = np.split(left, np.cumsum([len(y) for y in self.data])[:-1])
        residuals = {
            r.name: part * size for r, part, size in zip(self.asked, parts, self.sizes, strict=True)
        }
        return Fit(
            values,
            dict(zip(values, map(float, half), strict=True)),
            confidence,
            covariance * np.outer(sizes, sizes),
            correlation,
            (*missed, *doubts),
            {name: float(np.sqrt(np.mean(y * y))) for name, y in residuals.items()},
            residuals,
            bool(found.success),
            str(found.message),
            self.evaluations.made,
            searches,
            last.result,
        )

    def _doubts(
        self,
        values: dict[str, float],
        half: Array,
        correlation: Array,
        hidden: Array,
        x: Array,
    ) -> list[str]:
        """Sentences about parameters that the records do not tell."""
        names, out, sizes = list(values), [], self.ranges.sizes
        low, high = self.ranges.low / sizes, self.ranges.high / sizes
        unseen = [repr(name) for name, no in zip(names, hidden, strict=True) if no]
        if len(unseen) == 1:
            out.append(f"the records do not depend on {unseen[0]}")
        elif unseen:
            out.append(f"the records cannot tell {' and '.join(unseen)} apart: only a combination")
        for i, name in enumerate(names):
            if not hidden[i] and half[i] > UNKNOWN * abs(values[name]):
                out.append(f"{name!r} is not known from these records: +- {half[i]:.2g}")
            if x[i] <= low[i] or x[i] >= high[i]:
                out.append(f"{name!r} is at a limit of its range")
            for j in range(i):
                if not (hidden[i] or hidden[j]) and abs(correlation[i, j]) > ALIKE:
                    out.append(
                        f"the records hardly tell {names[j]!r} and {name!r} apart: "
                        f"correlation {correlation[i, j]:+.4f}"
                    )
        return out
