"""Errors of a method with equal steps: what it finds with a step, half of it and a quarter.

No tolerance controls such a method, and one difference of two runs proves little: both may have
lost the same vibration, or follow it with the wrong frequency. Three runs show more. With d1 the
difference of the first two and d2 that of the last two, r = d1 / d2 is 2^p for a method of order p,
and what is left beyond the last run is d2 / (r - 1). Vibration that steps are too long for does not
fall like this. It is out of phase or lost in each run in another way, so that r is about 1, and d2
about its amplitude A. A quantity may show it beside a motion that is resolved. If damping takes it
from the first run, then from the second and from the third, both differences are at least A / 4 at
some time (the largest of x - x^2), besides those of the motion, 2^p d and d. Then

    r >= 1 + 2 (2^p - 1) / 3    means    d >= A / 2,

and the error, d / (2^p - 1) + A, is at most 3 d, which is less than 3 d2. So four times d2 is the
estimate where r is as large; one for what cancels. Elsewhere the error is not known; A is up to 4
d2 then, and belongs to errors from there on, whatever the motion does to r later.

At one time all of this can be otherwise by luck: differences are the largest so far and of a while
to come.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

HALVINGS = 2  # of the step
FALLS = 2.0 / 3.0  # of 2^p - 1: differences that fall less say nothing of the error
TIMES = 4.0  # d2: the error of what falls
LOST = 4.0  # d2: the error of what does not
PART, STEPS = 0.05, 4.0  # of the run, and of the longest steps: the while to come, the longer one


class StepErrors(NamedTuple):
    """Errors of the run with the shortest steps.

    Attributes
    ----------
    values : (nt,) largest error so far
    known : (nt,) whether differences fell with the step up to then, so that the error is known
    """

    values: Array
    known: NDArray[np.bool_]


def step_errors(
    t: Array, first: Array, second: Array, step: float, order: int, rounding: float
) -> StepErrors:
    """Errors of the last of three runs by their differences (nt,), each with half the step.

    ``step`` is that of the first run, s, ``order`` that of the method. Differences up to
    ``rounding`` mean nothing.
    """
    later = max(PART * float(t[-1] - t[0]), STEPS * step)
    ahead = np.minimum(np.searchsorted(t, t + later), len(t) - 1)
    d1, d2 = (np.maximum.accumulate(d)[ahead] for d in (first, second))
    least = 1.0 + FALLS * (2.0**order - 1.0)
    known = (d1 >= least * d2) | (d2 <= rounding)
    lost = np.maximum.accumulate(np.where(known, 0.0, d2))
    return StepErrors(TIMES * d2 + LOST * lost, known)
