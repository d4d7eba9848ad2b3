"""Sobol indices: which part of the variance of an output each parameter makes.

Estimators for runs at points A, B and A with one coordinate of B (Saltelli et al., Computer Physics
Communications 181, 2010): of first order by the mean of f(B) (f(AB) - f(A)), in total by half the
mean square of f(A) - f(AB), both over the variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.foundation import validate
from supple.foundation.calls import public
from supple.foundation.errors import SuppleError

Array = NDArray[np.float64]
RESAMPLED = 500
FEWEST = 8  # base points
CONFIDENCE = 1.959963984540054  # standard errors on either side of 95 %


@public
@dataclass(frozen=True, eq=False)
class SobolIndices:
    """Parts of the variance of an output; it prints as a table.

    Attributes
    ----------
    output, parameters : names
    first : (d,) part of the variance that each parameter makes alone
    total : (d,) the same with all that it makes together with others
    first_error, total_error : (d,) half widths of 95 % intervals, by resampling of base points
    points : base points that count; those with a run that failed do not
    """

    output: str
    parameters: tuple[str, ...]
    first: Array
    total: Array
    first_error: Array
    total_error: Array
    points: int

    def __repr__(self) -> str:
        width = max(9, *map(len, self.parameters))
        lines = [
            f"Sobol indices of {self.output}, {self.points} base points",
            f"  {'parameter':<{width}}  {'first order':>16}  {'total':>16}",
        ]
        rows = zip(
            self.parameters, self.first, self.first_error, self.total, self.total_error, strict=True
        )
        for name, s, ds, t, dt in rows:
            lines.append(f"  {name:<{width}}  {s:7.3f} +- {ds:5.3f}  {t:7.3f} +- {dt:5.3f}")
        return "\n".join(lines)


def sobol_indices(
    values: Array, parameters: tuple[str, ...], output: str, seed: int
) -> SobolIndices:
    """Indices from values (n (d + 2),) in the order of a "saltelli" design."""
    validate.integer("indices", "seed", seed, 0, "zero or a positive integer")
    rows = values.reshape(-1, len(parameters) + 2)
    rows = rows[np.all(np.isfinite(rows), axis=1)]
    if len(rows) < FEWEST:
        raise SuppleError(
            f"the Sobol indices of {output!r} have {len(rows)} base points without failed runs, "
            f"expected at least {FEWEST}"
        )
    spread = float(np.ptp(rows))
    if not spread > 0.0:
        raise SuppleError(
            f"the output {output!r} is the same in all runs, expected one that varies"
        )
    rows = (rows - rows.mean()) / spread  # the estimators are for any shift, this one is the best
    first, total = _estimates(rows)
    rng = np.random.default_rng(seed)
    chosen = rng.integers(len(rows), size=(RESAMPLED, len(rows)))
    found = np.array([_estimates(rows[some]) for some in chosen])
    errors = CONFIDENCE * found.std(axis=0, ddof=1)
    return SobolIndices(output, parameters, first, total, errors[0], errors[1], len(rows))


def _estimates(rows: Array) -> tuple[Array, Array]:
    a, mixed, b = rows[:, :1], rows[:, 1:-1], rows[:, -1:]
    variance = float(np.var(np.concatenate([a, b])))
    first = np.mean(b * (mixed - a), axis=0) / variance
    total = 0.5 * np.mean((a - mixed) ** 2, axis=0) / variance
    return first, total
