"""Distance of a number from its limit, from a few values from coarse to fine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SETTLES = 0.7  # largest ratio of changes from which the rest is a geometric series
SAFETY = 1.25  # for what the last value itself is wrong
UNSETTLED = 2.0  # changes that may follow where they do not decrease so
LOST = 0.1  # part of the range of a history: a last change beyond it tells nothing
NOISE = 3.0  # times the error of runs, below which changes mean nothing


@dataclass(frozen=True)
class Estimate:
    """An error, and what is known about it.

    Attributes
    ----------
    error : of the first value: its distance from the last, and what may follow after that;
        infinite if the values tell nothing
    rest : what may follow after the last value
    ratio : of the last change to the one before; NaN where it is not known
    settles : whether changes decrease, or are as small as the error of runs
    """

    error: float
    rest: float
    ratio: float
    settles: bool


def estimate(values: Sequence[float], noise: float, span: float, exact: bool = False) -> Estimate:
    """The error of the first of two or three values.

    ``noise`` is the error of each of them for other reasons, ``span`` the range of the history.
    ``exact``: the last one is the limit itself. Changes may have any signs: the first value may be
    right by chance, which the last change does not let pass.
    """
    last = abs(values[-1] - values[-2])
    distance = abs(values[0] - values[-1])
    if exact:
        return Estimate(distance + noise, noise, math.nan, True)
    distance *= SAFETY
    if last <= NOISE * noise:
        return Estimate(distance + noise, noise, math.nan, True)
    before = abs(values[-2] - values[-3]) if len(values) > 2 else 0.0
    ratio = last / before if before > 0.0 else math.inf
    if ratio < SETTLES:
        rest = last * ratio / (1.0 - ratio)
        return Estimate(distance + rest, rest, ratio, True)
    rest = UNSETTLED * last
    error = math.inf if last > LOST * span else distance + rest
    return Estimate(error, rest, ratio, False)


def observed_order(ratio: float, factor: float) -> float:
    """Order of convergence of a ratio of changes, if steps are divided by a factor."""
    return math.log(1.0 / ratio) / math.log(factor) if 0.0 < ratio < math.inf else math.nan
