"""All integrators on all cases: they agree, and the better the tighter their tolerance.

`tolerance_study` says what theory expects and why exponents are fitted.
"""

from __future__ import annotations

import numpy as np
import pytest
from tolerance_study import (
    EXPLICIT,
    METHODS,
    SECOND_ORDER,
    disagreement,
    pairs,
    reference,
    run,
    study,
)

from supple import cases

ALL = cases.names()
# The lowest order that any method uses is 1, with an estimate of order h^2. Ten times the tolerance is
# then at least sqrt(10) times the error, and a run that changes by c is off by c / (1 - 1/sqrt(10)).
LOWEST = 1 / 2
FACTOR = 1.0 / (1.0 - 10.0**-LOWEST)

# Smooth motion in a few coordinates; s, short enough for order 2 to follow the loosest run.
SMOOTH = {
    "huang-rigid": 5.0,
    "huang-two-rigid-zz": 2.0,
    "huang-two-rigid-zy": 5.0,
    "zhao-rigid": 2.0,
    "duffing-regular": 30.0,
    "duffing-chaotic": 20.0,
}
# Explicit methods are bound to the fastest mode; here a step is some 20 nanoseconds to microseconds.
STIFF = ("huang-five-elements", "huang-eight-link")
UNDAMPED = "huang-five-elements-undamped"
# Where the fastest modes swing undamped, order 2 loses their phase; where motion is chaotic, itself.
LOST = {"huang-two-link": 0.05, UNDAMPED: 0.005, "huang-two-rigid-zz": 2.0, "duffing-chaotic": 20.0}


def short(case: str) -> float:
    """A piece of a run that every method can follow, s."""
    if case.startswith("duffing"):
        return 1.0
    if case.startswith("huang-five-elements"):
        return 0.002
    return 0.02 if case in ("huang-two-link", "huang-two-modes") else 0.2


def whole(case: str, method: str) -> float:
    """The run of the case, or as much of it as the method can follow in reasonable time, s."""
    if case in LOST and (method in SECOND_ORDER or case == "duffing-chaotic"):
        return LOST[case]
    if case == UNDAMPED:
        return 0.05 if method not in EXPLICIT else 0.005
    if method in EXPLICIT and case.startswith(STIFF):
        return 0.002 if case.startswith("huang-five") else 0.1
    if case == "huang-two-link" and method in ("bdf", "adams"):
        return 0.5
    return cases.get(case).times[-1]


def surplus(studies: list) -> tuple[float, float]:
    """Median of what exponents exceed their theory by, and its standard deviation by luck."""
    excess = [s.error_exponent - s.expected for s in studies]
    # the median of n normal variables scatters by 1.25/sqrt(n) of one
    luck = 1.25 / np.sqrt(len(studies)) * np.sqrt(np.mean([s.luck**2 for s in studies]))
    return float(np.median(excess)), float(luck)


@pytest.mark.parametrize("case", ALL)
def test_every_integrator_runs_every_case_and_all_agree(case):
    """Their distance is what a tighter tolerance changes in each; twice tightened against luck."""
    for a, b in pairs(list(METHODS)):
        _, found = disagreement(case, a, b, 1e-4, short(case))
        assert found < FACTOR, (a, b)


@pytest.mark.parametrize("method", METHODS)
def test_error_falls_as_theory_says(method):
    studies = [study(case, method, until) for case, until in SMOOTH.items()]
    for s in studies:
        assert s.error_exponent > LOWEST
    median, luck = surplus(studies)
    assert median > -3.0 * luck


@pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m].order is not None])
def test_steps_shrink_with_the_order_of_the_estimate(method):
    """An estimate of another order would be off by one in 3 to 8; half of that is allowed."""
    found = [study(case, method, until).step_exponent for case, until in SMOOTH.items()]
    order = METHODS[method].estimate
    assert 1.0 / np.median(found) == pytest.approx(order, abs=0.5 if order < 8 else 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL)
def test_whole_runs(case):
    studies = {m: study(case, m, whole(case, m)) for m in METHODS}
    for s in studies.values():
        assert s.error_exponent > LOWEST
    median, luck = surplus(list(studies.values()))
    assert median > -3.0 * luck
