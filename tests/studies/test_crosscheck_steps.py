"""Errors of methods with equal steps: never less than they are, also of vibration that is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import supple as sp
from supple.analyses.run.options import RunOptions
from supple.formulations.trees import JointCoordinates
from supple.studies.crosscheck.runs import judge, run_measured, step_errors, tight

FAST = 2200.0  # rad/s, of the spring


def spring_pendulum() -> sp.Model:
    """A bob on a stiff spring that is not stretched at the start: a small vibration in a swing."""
    m = sp.Model(gravity=(0, -9.81, 0), name="spring pendulum")
    rod = m.add(sp.RigidBody("rod", 1.0, com=(0.5, 0, 0), inertia=(1e-3, 0.1, 0.1)))
    bob = m.add(sp.RigidBody("bob", 1.0, inertia=0.01))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), "z", initial=-1.0))
    m.add(sp.Prismatic("slide", rod.at(1), bob.at(0), "x"))
    m.add(sp.JointSpring("spring", "slide", stiffness=FAST**2))
    return m


@dataclass(frozen=True, kw_only=True)
class Drifting(sp.GeneralizedAlpha):
    """A method that is wrong by the same, whatever its step is."""

    def run(self, problem):
        """Add what does not belong there."""
        found = super().run(problem)
        found.q[:] += 1e-3 * found.t[:, None]
        return found


def judged(method: sp.GeneralizedAlpha):
    prepared = sp.prepare(spring_pendulum())
    given = RunOptions(0.2, formulation=JointCoordinates(), tolerance=(1e-6, 1e-9), output=200)
    methods = sp.DormandPrince(), method
    exact, run = (run_measured(prepared, replace(given, integrator=m)) for m in methods)
    return judge(exact, run, 1.0, tight(given).tolerances[0]), run


METHODS = {
    "alpha": sp.GeneralizedAlpha(),
    "alpha, no damping": sp.GeneralizedAlpha(rho=1.0),
    "alpha, most damping": sp.GeneralizedAlpha(rho=0.0),
    "HHT": sp.HHT(alpha=-0.1),
    "Newmark of order 1": sp.Newmark(gamma=0.6, beta=0.3025),
}
QUICK = [("alpha", 0.05), ("alpha", 5.0), ("alpha, no damping", 5.0), ("alpha, no damping", 60.0)]
ALL = [(name, phase) for name in METHODS for phase in (0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0, 60.0)]


def check_step(name, phase):
    found, run = judged(replace(METHODS[name], step=phase / FAST))
    assert found.parting is None, (found.parting, found.difference, found.error)
    if phase < 0.1 and METHODS[name].fixed_order == 2:
        assert found.unknown is None and all(known.all() for known in run.known.values())


@pytest.mark.parametrize(("name", "phase"), QUICK)
def test_no_step_is_taken_for_exact(name, phase):
    """``phase`` is the angle of the vibration in a step; from about one on it is not resolved."""
    check_step(name, phase)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "phase"), [pair for pair in ALL if pair not in QUICK])
def test_no_step_of_any_method_is_taken_for_exact(name, phase):
    check_step(name, phase)


@pytest.mark.parametrize("phase", [0.05, 1.0])
def test_a_method_that_is_wrong_is_found_where_its_error_is_known(phase):
    found, _ = judged(Drifting(step=phase / FAST))
    assert found.parting is not None or found.unknown is not None
    if phase < 0.1:
        assert found.parting is not None
        assert found.parting.name.split(".")[0] in ("pin", "rod", "bob")


@pytest.mark.parametrize(
    ("method", "phase", "state", "words"),
    [
        (sp.GeneralizedAlpha, 0.03, "agree", "agree to"),
        (sp.GeneralizedAlpha, 5.0, "undecided", "not resolved, the error of slide.displacement"),
        (Drifting, 0.03, "differ", "differs: "),
    ],
    ids=["short steps", "long steps", "wrong"],
)
def test_equal_steps_that_are_too_long_are_told(method, phase, state, words):
    """They neither agree nor differ; a wrong method differs, and is told as such."""
    given = {"integrator": method(step=phase / FAST), "formulations": [sp.Absolute()]}
    check = sp.crosscheck(spring_pendulum(), 0.02, output=50, **given)
    assert check.state == state and words in check.verdict, check
    if state == "undecided":
        assert "equal steps are too long" in check.verdict


T = np.arange(100.0)
D2 = np.where(T < 50.0, 0.0, 1e-3 * (1.0 + 0.01 * T))


@pytest.mark.parametrize("order", [1, 2])
def test_differences_that_fall_give_the_error(order):
    errors = step_errors(T, 2.0**order * D2, D2, 1.0, order, 1e-12)
    left = np.maximum.accumulate(D2) / (2.0**order - 1.0)
    assert errors.known.all() and np.all(errors.values >= left)
    assert np.all(errors.values <= 4.0 * D2.max())


@pytest.mark.parametrize("order", [1, 2])
def test_differences_that_do_not_fall_are_no_estimate(order):
    for ratio in (0.0, 0.5, 1.0, 0.7 * 2.0**order):
        errors = step_errors(T, ratio * D2, D2, 1.0, order, 1e-12)
        assert np.array_equal(errors.known, T < 45.0)  # a while before
    rounding = step_errors(T, D2, D2, 1.0, order, 1e-2)
    assert rounding.known.all()


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("share", np.geomspace(1e-3, 1e3, 13))
def test_what_damping_hides_beside_a_motion_is_never_taken_for_known(order, share):
    """A vibration decays like x^4, x^2 and x with ever shorter steps; the true one does not."""
    x, amplitude = np.exp(-0.2 * T), share * 1e-3
    smooth = [1e-3 * T / T[-1] * h**order for h in (4.0, 2.0, 1.0)]
    runs = [s + amplitude * x**n for s, n in zip(smooth, (4, 2, 1), strict=True)]
    first, second = (np.abs(runs[k] - runs[k + 1]) for k in (0, 1))
    errors = step_errors(T, first, second, 1.0, order, 1e-12)
    wrong = np.abs(runs[2] - amplitude)  # the true vibration at its largest, and no other motion
    assert np.all((wrong <= errors.values) | ~errors.known)
