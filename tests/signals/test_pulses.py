"""Pulses of formulas that are shorter than any step: seen, and by every method."""

import numpy as np
import pytest

import supple as sp
from supple.signals.formulas import pulse_times


def struck(formula: str, x0: float = 0.1, stiffness: float = 1.0) -> sp.Model:
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=1e-3))
    m.add(sp.Prismatic("slide", m.ground.at(0), body.at(0), axis="x", initial=x0))
    m.add(sp.JointSpring("spring", "slide", stiffness=stiffness))
    m.add(sp.Force("blow", body.at(0), force=(formula, 0, 0)))
    return m


@pytest.mark.parametrize("x0", [0.0, 0.1])
@pytest.mark.parametrize("width", [3e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("method", [sp.Radau(), sp.DormandPrince()])
def test_a_blow_is_not_stepped_over(method, width, x0):
    """A bell in time, 1 N s at 4.31 s: a jump of the velocity as far as an oscillator can tell."""
    size = float(1.0 / (width * np.sqrt(np.pi)))
    m = struck(f"{size!r}*exp(-((t - 4.31)/{width!r})**2)", x0)
    found = sp.simulate(m, 10.0, integrator=method)["slide"].displacement[-1]
    blow = np.exp(-0.25 * width**2)  # the transform of a bell
    assert found == pytest.approx(x0 * np.cos(10.0) + blow * np.sin(10.0 - 4.31), abs=1e-4)


def test_times_are_before_in_and_behind_a_pulse():
    formula = "exp(-((t - 3)/1e-3)**2) + 0.01*exp(-((t - 7)/1e-3)**2)"
    times = pulse_times(sp.Expression(formula), 0, 10)
    for centre in (3.0, 7.0):
        assert min(abs(t - centre) for t in times) < 3e-3
        assert any(centre - 0.02 < t < centre for t in times)
        assert any(centre < t < centre + 0.02 for t in times)


@pytest.mark.parametrize(
    "formula", ["3.0", "sin(20*t)", "t**3 - t", "exp(-t)", "step(t - 0.3)", "max(0, t - 0.2)"]
)
def test_signals_that_change_all_along_or_where_it_is_known_have_none(formula):
    assert pulse_times(sp.Expression(formula), 0.0, 1.0) == ()
