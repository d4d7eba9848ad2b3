"""All integrators on all cases: they agree, and the better the tighter their tolerance."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import supple as sp
from supple import cases
from test_cases import closed

# How the error falls when the tolerance is a hundredth. The tolerance bounds an estimate of order
# h^(p+1) and the error is of order h^p: 100^(p/(p+1)), less where a run is short.
METHODS = {
    "radau": (sp.Radau, 25.0),
    "dormand-prince": (sp.DormandPrince, 10.0),  # its loose runs are better than asked
    "bdf": (sp.BDF, 10.0),
    "adams": (sp.Adams, 5.0),  # its order changes on the way
    "generalized-alpha": (sp.GeneralizedAlpha, 10.0),  # 100^(2/3) = 21.5
    "hht": (sp.HHT, 10.0),
}
# Long enough to see the motion, short enough for methods of order 2: s
SHORT, DUFFING = 0.2, 1.0
# Explicit methods are bound to the fastest mode of nodal coordinates.
STIFF = {"huang-five-elements", "huang-five-elements-undamped"}
EXPLICIT, MOMENT = {"dormand-prince", "adams"}, 2e-3
LARGE = {"n-four-bar-40"}  # the small one has the same equations
ALL = {case.name: case for case in cases.all() if case.times and case.name not in LARGE}
CLOSED = {name for name, case in ALL.items() if closed(case)}


def duration(name: str, method: str) -> float:
    """Length of the run, s."""
    if name in STIFF and method in EXPLICIT:
        return MOMENT
    if name == "huang-five-elements-undamped":
        return 10.0 * MOMENT
    return DUFFING if name.startswith("duffing") else min(SHORT, 0.2 * ALL[name].times[-1])


@functools.cache
def path(name: str, method: str, t_end: float, tolerance: float) -> np.ndarray:
    """Coordinates along a run (10, nq)."""
    model, make = cases.get(name).build(), METHODS[method][0]
    r = sp.simulate(model, t_end, integrator=make(), tolerance=tolerance, output=10)
    assert r.success, r.message
    return r.q


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ALL)
def test_every_integrator_runs_every_case(name, method):
    if name in CLOSED and not METHODS[method][0].loops:
        pytest.skip("the method has no constraints")
    t_end = duration(name, method)
    # rounding in velocities that are tied to each other is above an implicit method's 1e-12
    exact = path(name, "dormand-prince" if name in CLOSED else "radau", t_end, 1e-12)
    size = np.abs(exact).max() if t_end != DUFFING else 1.0
    errors = []
    for tolerance in (1e-4, 1e-6):
        found = path(name, method, t_end, tolerance)
        errors.append(float(np.abs(found - exact).max()) / size)
    assert errors[0] < 1e-2 and errors[1] < 1e-3
    # one that is better than its tolerance by far need not become better still
    assert errors[1] < max(errors[0] / METHODS[method][1], 1e-7)
