"""All integrators on all cases: they agree, and the better the tighter their tolerance.

`tolerance_study` says what theory expects and why exponents are fitted.
"""

from __future__ import annotations

import numpy as np
import pytest

from models.closed_cases import closed
from oracles.tolerance_study import (
    EXPLICIT,
    LOOP_METHODS,
    METHODS,
    SECOND_ORDER,
    beyond_by_luck,
    disagreement,
    pairs,
    study,
)
from supple import cases

# Bodies without a frame vibrate with megahertz, which few methods follow.
KNOWN = [case for case in cases.all() if case.times and not case.name.startswith("ancf")]
ALL = [case.name for case in KNOWN if not closed(case)]
# Forty windows take a minute and say no more than three; panels begin to move so slowly that a
# short run says nothing, as does a beam that is brought to speed; a rod of second order or of parts
# closes the same loop.
LEFT_OUT = ("n-four-bar-40", "richard-panels", "spin-up", "spacar")
CLOSED = [c.name for c in KNOWN if not c.name.startswith(LEFT_OUT) and closed(c)]
CLOSED = [name for name in CLOSED if not name.endswith("second-order")]
# The lowest order that any method uses is 1, with an estimate of order h^2: a tenth of the
# tolerance makes the error sqrt(10) times smaller, and a run that changes by c by that is off by
# c / (1 - 1/sqrt(10)).
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
# The same on closed loops.
SMOOTH_LOOPS = {
    "four-bar": 2.0,
    "andrews-squeezer": 0.03,
    "bricard": 5.0,
    "bennett": 2.0,
    "governor-links": 5.0,
    "jonker-slider-crank": 0.03,
}
# Explicit methods are bound to the fastest mode: as much as they can do in reasonable time, s.
BOUND = {"huang-five-elements": 0.002, "huang-eight-link": 0.1}
UNDAMPED = "huang-five-elements-undamped"
# Order 2 loses the phase of fast undamped modes; chaotic motion no method follows for long. s
LOST = {"huang-two-link": 0.05, UNDAMPED: 0.005, "huang-two-rigid-zz": 2.0, "duffing-chaotic": 20.0}
# Undamped vibration up to 0.07, 0.7 and 3 kHz: a few periods, s. `test_cases` follows it further.
VIBRATING = {
    "zhao-cantilever": 0.005,
    "zhao-one-sine": 0.02,
    "zhao-three-sines": 0.005,
    "zhao-elements": 0.002,
}
# An axial mode rings at 1e-8 of the motion: methods come no nearer until they resolve it.
AXIAL = ("nada-arm", "nada-arm-undamped", "nada-arm-nine-modes")


def short(case: str) -> float:
    """A piece of a run that every method can follow, s."""
    if case in VIBRATING:
        return VIBRATING[case]
    if case.startswith("duffing"):
        return 1.0
    if case == "spin-up":  # which begins without any acceleration
        return 4.0
    if case.startswith(("huang-five-elements", "jonker", "richard", "andrews")):
        return 0.002
    return 0.02 if case in ("huang-two-link", "huang-two-modes") else 0.2


def whole(case: str, method: str) -> float:
    """The run of the case, or as much of it as the method can follow in reasonable time, s."""
    if case in LOST and (method in SECOND_ORDER or case == "duffing-chaotic"):
        return LOST[case]
    if case == UNDAMPED:
        return 0.005 if method in EXPLICIT else 0.05
    if method in EXPLICIT:
        for name, until in BOUND.items():
            if case.startswith(name):
                return until
    if case == "huang-two-link" and method in ("bdf", "adams"):
        return 0.5
    return cases.get(case).times[-1]


def surplus(studies: list) -> tuple[float, float]:
    """Median of what exponents exceed their theory by, and its standard deviation by luck."""
    excess = [s.error_exponent - s.expected for s in studies]
    # the median of n normal variables scatters by 1.25/sqrt(n) of one
    luck = 1.25 / np.sqrt(len(studies)) * np.sqrt(np.mean([s.luck**2 for s in studies]))
    return float(np.median(excess)), float(luck)


# One case of each kind; the others are long studies.
KINDS = (
    "huang-rigid",
    "huang-two-modes",
    "zhao-rigid",
    "duffing-regular",
    "flyball-governor",
    "nada-arm-linear",
)
LOOP_KINDS = ("four-bar", "bricard", "jonker-slider-crank", "n-four-bar")


def some(names: list[str], quick: tuple[str, ...]) -> list:
    """Names as parameters: those that are not among the quick ones are long studies."""
    assert set(quick) <= set(names)
    return [n if n in quick else pytest.param(n, marks=pytest.mark.slow) for n in names]


@pytest.mark.parametrize("case", some(ALL, KINDS))
def test_every_integrator_runs_every_case_and_all_agree(case):
    """Their distance is what a tighter tolerance changes in each; twice tightened against luck."""
    for a, b in pairs(list(METHODS)):
        _, found = disagreement(case, a, b, 1e-4, short(case))
        assert found < FACTOR, (a, b)


@pytest.mark.parametrize("case", some(CLOSED, LOOP_KINDS))
def test_all_integrators_agree_on_closed_loops(case):
    """As on trees, at two tolerances and in both forms of generalized-alpha."""
    for a, b in pairs(list(LOOP_METHODS)):
        for tolerance in (1e-4, 1e-5):
            _, found = disagreement(case, a, b, tolerance, short(case))
            assert found < FACTOR, (a, b, tolerance)


# Of variable order and of order 2 one each; the others are long studies.
@pytest.mark.parametrize("method", some(list(METHODS), ("radau", "dormand-prince", "adams", "hht")))
def test_error_falls_as_theory_says(method):
    studies = [study(case, method, until) for case, until in SMOOTH.items()]
    for s in studies:
        assert s.error_exponent > LOWEST
    median, luck = surplus(studies)
    assert median > -3.0 * luck


@pytest.mark.slow
@pytest.mark.parametrize("method", LOOP_METHODS)
def test_error_falls_as_theory_says_on_closed_loops(method):
    """The exponents of trees: constraints cost no order, in the error nor in the steps."""
    studies = [study(case, method, until) for case, until in SMOOTH_LOOPS.items()]
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
def test_agreement_at_one_decade():
    """At equal tolerance methods differ by what a tenth of it changes in each, but for luck."""
    found = [
        disagreement(case, a, b, tolerance, until)[0]
        for case, until in SMOOTH.items()
        for a, b in pairs(list(METHODS))
        for tolerance in (1e-4, 1e-5)
    ]
    order_two = 10.0 ** (2 / 3)
    assert np.mean(np.array(found) > FACTOR) < beyond_by_luck(FACTOR, order_two)


# "huang-order-n" is the motion of "huang-two-link" once more, by another elimination.
TWICE = ("huang-order-n",)
# Polynomials of time, which methods give exactly; a block that rests; walls for Radau alone
EXACT = ("capstan", "block-and-tackle", "contact-driven-ball", "contact-slope", "contact-thin-wall")


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in ALL if case not in (*VIBRATING, *AXIAL, *TWICE, *EXACT)]
)
def test_whole_runs(case):
    """Errors as theory says, and agreement of all methods that were followed as far."""
    studies = [study(case, m, whole(case, m)) for m in METHODS]
    free = [s for s in studies if not s.bound]
    assert len(free) >= 4  # all implicit methods
    for s in free:
        assert s.told.sum() >= 4  # over a decade and a half
        assert s.error_exponent > LOWEST
    median, luck = surplus(free)
    assert median > -3.0 * luck
    for a, b in pairs(list(METHODS)):
        until = whole(case, a)
        if whole(case, b) == until:
            order_two = SECOND_ORDER & {a, b}
            for tolerance in (1e-4, 1e-5) if order_two else (1e-4, 1e-5, 1e-6, 1e-7):
                _, found = disagreement(case, a, b, tolerance, until)
                assert found < FACTOR, (a, b, tolerance)
