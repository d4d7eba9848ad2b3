"""Beams cut into parts against Jonker's element, his examples, and exact frequencies."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.jonker_mechanisms import Shaft, SliderCrank
from supple import cases
from supple.cases.case import references
from supple.cases.linkages import jonker, spacar

# v/l of independent programs every 30 degrees, two nonlinear elements in the plane; 2e-4 their own
PUBLISHED = (0.0, 0.00968, 0.01175, 0.00575, 0.00395, -0.00084, 0.00298, -0.00468, 0.00021,
             -0.00790, -0.01095, -0.01032, 0.00093)  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(case.name, marks=[pytest.mark.slow] if "four" in case.name else [])
        for case in cases.all()
        if case.name.startswith("spacar-slider")
    ],
)
def test_the_slider_crank_holds(name):
    case = cases.get(name)
    result = case.simulate()
    assert result.success and result.energy.level == result.momentum.level == "trusted"
    found = case.measure(result)
    assert [q for q in found if not q.passed] == [] and len(found) == 76
    if name == "spacar-slider-crank":
        signed = jonker.deflections(result)["vxy"]
        assert signed[:361:30] == pytest.approx(PUBLISHED, abs=2e-4)
        # extremes over two revolutions, of the same programs
        assert (signed.max(), signed.min()) == pytest.approx((0.01535, -0.01550), abs=2e-4)


@pytest.mark.slow
def test_the_reference_is_what_the_element_does():
    """The stored numbers up to 30 degrees; the element is run again at a looser tolerance."""
    times = np.array([0.0, np.pi / 6 / 150.0])
    for name, tilt, linear in (
        ("spacar-slider-crank", 0.0, False),
        ("spacar-slider-crank-spatial-linear", jonker.TILT, True),
    ):
        m = SliderCrank(2, tilt, not linear)
        found = m.vectors(m.run(*m.start(), times, 1e-6)[0])
        assert found == pytest.approx(np.array(references("spacar")[name]["v"][:2]), abs=1e-7)


def test_bounds_can_fail():
    """Neither the other law of elongation nor rigid parts would pass for the model."""
    stored = {n: np.array(references("spacar")[f"spacar-slider-crank{n}"]["v"]) for n in
              ("", "-linear", "-spatial", "-spatial-linear")}  # fmt: skip
    assert np.abs(stored[""] - stored["-linear"]).max() > 4 * spacar.PLANE
    assert np.abs(stored["-spatial"]).max() > 30 * spacar.SPACE


@pytest.mark.slow
def test_growth_rates_of_the_shaft():
    found = cases.get("spacar-shaft").run()
    assert [q for q in found if not q.passed] == [] and len(found) == 8


def test_small_terms_decide_the_limit():
    """The engine has the terms linear in the deformations: without them 900 rad/s is stable."""
    simple = Shaft(2, 900.0, inertia="none").eigenvalues().real.max()
    assert simple == pytest.approx(-0.05912189917992309, rel=1e-8)
    assert spacar.growth(900.0) == pytest.approx(0.17840152675025714, rel=1e-8)


def test_the_run_up_starts_as_linear_theory():
    """The first tenth of a second: the whirl against the rotation and the one with it."""
    case = cases.get("spacar-shaft-run-up")
    output = np.linspace(0.0, 0.1, 101)
    model = case.build()
    options = {"start": spacar.bent(model), "formulation": spacar.bending(), "tolerance": 1e-9}
    run = sp.simulate(model, 0.1, output=output, **options)
    place = run["rod"].at(jonker.ROD / 2).position
    v = (place[:, 1] + 1j * place[:, 2]) / (spacar.DEFLECTION * jonker.ROD)
    # v'' + c (v' - i W v) + w0^2 v = 0 with W = 820 + t, v' = i 820 v at the start
    from scipy.integrate import solve_ivp

    w0 = references("spacar")["spacar-shaft"]["limit_two"]
    c = spacar.VISCOSITY / 200e9 * w0**2

    def slope(t, y):
        return [y[1], -c * (y[1] - 1j * (820.0 + t) * y[0]) - w0**2 * y[0]]

    start = np.array([v[0], 820j * v[0]])
    exact = solve_ivp(slope, (0, 0.1), start, "DOP853", output, rtol=1e-11, atol=1e-12).y[0]
    # tolerance 1e-9 a step over some 500 steps of a rotating vector; slopes squared 1e-7 a radian
    assert v == pytest.approx(exact, abs=2e-5)


@pytest.mark.slow
def test_the_run_up_goes_as_linear_theory():
    case = cases.get("spacar-shaft-run-up")
    result = case.simulate()
    assert result.success and result.energy.level == "trusted"
    assert [q for q in case.measure(result) if not q.passed] == []
