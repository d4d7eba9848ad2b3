"""Runs that would not end, or in numbers without meaning: they say so and keep what they have."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest

import supple as sp
from models.blades import blade
from models.pendulums import pendulum
from supple.analyses.run.options import RunOptions
from supple.core.run import step as st
from supple.integrators.run import outcomes, progress


@pytest.fixture
def short_window(monkeypatch) -> None:
    """Look at the last 0.1 s instead of the last 5 s."""
    monkeypatch.setattr(progress, "WINDOW", 0.1)


def soft(load: float) -> sp.Model:
    """A beam of rubber with a load at its tip that grows to 2 ``load`` (N) within 2 s."""
    m = sp.Model()
    rubber = sp.Material(1e6, 4e5, 1000)
    b = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), rubber, elements=6, modes=4))
    m.add(sp.Fixed("root", m.ground.at(0), b.at(0)))
    m.add(sp.Force("ramp", b.at(1.0), force=(0, sp.Table([0, 2], [0, 2 * load]), 0)))
    return m


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize(
    "integrator",
    [sp.Radau(), sp.DormandPrince(), sp.BDF(), sp.GeneralizedAlpha(), sp.HHT(step=1e-3)],
    ids=lambda integrator: type(integrator).__name__,
)
def test_a_blade_beyond_its_speed(integrator) -> None:
    """Its deflection grows as exp(k t); at 1e16 J it had taken half a million steps."""
    result = sp.simulate(blade(), 3.0, integrator=integrator)
    assert not result.success
    assert "Beam 'blade' deforms without bound" in result.message
    assert "a spin beyond its lowest frequency" in result.message
    assert 0.52 < result.t[-1] < 2.0  # the lowest frequency is passed at 0.52 s
    assert result.statistics["steps"] < 20_000
    assert result.monitor["blade"].rotation > outcomes.ROTATION or (
        result.monitor["blade"].deflection > outcomes.DEFLECTION
    )
    assert {"stability"} <= {f.what for f in result.monitor.findings}


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_large_deformations_are_left_alone() -> None:
    """What is beyond the range of a model is the monitor's business, as long as it is bounded."""
    result = sp.simulate(blade("second_order"), 1.0)
    assert result.success and 0.3 < result.monitor["blade"].rotation < 1.0


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_an_absurd_load() -> None:
    result = sp.simulate(soft(1e9), 2.0)
    assert not result.success and "loads that are far too large" in result.message
    assert result.t[-1] < 0.1 and np.all(np.isfinite(result.q))


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_the_time_of_the_stop_is_no_matter_of_the_clock() -> None:
    first, *others = (sp.simulate(blade(), 3.0, output=n).t[-1] for n in (5, 500, 50))
    assert others == [first, first]


def test_bounds_are_those_of_the_whole_field() -> None:
    """A look that is cheap must not overlook anything: it compares an upper bound."""
    equations = sp.simulate(soft(0.0), 0.1).data.compiled
    (body,) = outcomes._bodies(equations)
    rng = np.random.default_rng(3)
    for q in rng.normal(size=(50, body.rows[0].shape[2])):
        for rows, bound in zip(body.rows, body.bounds, strict=True):
            assert np.linalg.norm(rows @ q, axis=1).max() <= bound @ np.abs(q) * (1 + 1e-12)


def noisy(seed: int = 1, since: float = 0.0) -> sp.Model:
    """A pendulum in a wind of random numbers."""
    rng, m = np.random.default_rng(seed), pendulum()
    m.add(sp.EffortFunction("wind", "pin", lambda t, q, u: rng.normal() if t >= since else 0.0))
    return m


@pytest.mark.parametrize(
    "integrator",
    [sp.Radau(), sp.DormandPrince(), sp.GeneralizedAlpha(), sp.BDF()],
    ids=lambda integrator: type(integrator).__name__,
)
def test_a_function_that_is_none(integrator, short_window) -> None:
    sentence = "EffortFunction 'wind': its function is no function of its arguments: called twice"
    with pytest.warns(sp.SuppleWarning, match=sentence) as told:
        result = sp.simulate(noisy(), 10.0, integrator=integrator)
    assert "at t = 0 s, it returned" in str(told[0].message)  # before the run
    assert told[0].filename == __file__
    assert not result.success and sentence in result.message


def test_noise_that_comes_later(short_window) -> None:
    with pytest.warns(sp.SuppleWarning, match="no function of its arguments") as told:
        result = sp.simulate(noisy(since=0.5), 10.0)
    assert [str(w.message) for w in told] == [result.message]
    assert 0.3 < result.t[-1] < 0.6


def test_noise_under_fixed_steps_is_told_and_run() -> None:
    with pytest.warns(sp.SuppleWarning, match="no function of its arguments"):
        result = sp.simulate(noisy(), 0.1, integrator=sp.GeneralizedAlpha(step=1e-2), tolerance=0.1)
    assert result.success


def test_functions_are_called_once_more_and_not_blamed(recwarn) -> None:
    m, calls = pendulum(), []
    m.add(sp.EffortFunction("brake", "pin", lambda t, q, u: calls.append(t) or -0.1 * u))
    assert sp.simulate(m, 0.1).success and not recwarn.list
    assert calls[:2] == [0.0, 0.0]


def stiff() -> sp.Model:
    m = pendulum()
    m.add(sp.JointSpring("damper", "pin", stiffness=0.0, damping=1e6))
    return m


@pytest.mark.parametrize(
    "integrator",
    [sp.DormandPrince(max_steps=150_000), sp.Adams(max_steps=15_000)],
    ids=lambda integrator: type(integrator).__name__,
)
@pytest.mark.slow
def test_a_stiff_model_under_an_explicit_method(integrator, short_window) -> None:
    """The rate of the damper is damping over inertia, 1e6/(0.1 + 0.5^2) 1/s."""
    with pytest.warns(sp.SuppleWarning) as told:
        result = sp.simulate(stiff(), 1e4, integrator=integrator)
    early, late = (str(w.message) for w in told)
    why = "stiff: Revolute 'pin' (angle of body 'link') can move with a rate of 2.9e+06 1/s"
    assert "of 10000 s with steps of " in early and "the run will take another " in early
    assert "more than max_steps allows" in early and early.endswith("Ctrl-C keeps what there is")
    assert "were not enough (max_steps)" in late and late == result.message
    assert all(why in sentence and "use Radau()" in sentence for sentence in (early, late))
    assert told[0].filename == __file__


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_a_stiff_loop(formulation) -> None:
    """The rate of the damper is that of its coordinate, whatever the coordinates of the run are."""
    m = stiff()
    bar = m.add(sp.RigidBody("bar", 1e-3, (0.5, 0, 0), (1e-5, 1e-5, 1e-5)))
    m.add(sp.Revolute("elbow", m["link"].at(1), bar.at(0), "y", 0.5))
    m.add(sp.PointOnLine("rail", m.ground.at(0), bar.at(1), axis="x"))
    method = sp.DormandPrince(max_steps=2_000)
    with pytest.warns(sp.SuppleWarning, match=r"stiff: .* can move with a rate of 2\.8e\+06 1/s"):
        sp.simulate(m, 1e4, integrator=method, formulation=formulation)


def test_what_is_not_stiff_is_not_called_so(short_window) -> None:
    """A pendulum for a year: long, but not for want of another method."""
    with pytest.warns(sp.SuppleWarning) as told:
        result = sp.simulate(pendulum(), 3e7, integrator=sp.DormandPrince(max_steps=100_000))
    assert "stiff" not in result.message and "stiff" not in str(told[0].message)
    assert "the run will take another" in str(told[0].message)


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_a_rod_with_hardly_any_inertia() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    b = m.add(sp.RigidBody("bob", 1.0, com=(0, 0, -1), inertia=1e-8))
    start = {"initial": (0, -np.pi / 3, 0), "initial_rate": (1.732, 0, 0)}
    m.add(sp.Spherical("pivot", m.ground.at(0), b.at(0), **start))
    result = sp.simulate(m, 1000.0, integrator=sp.Radau(max_steps=3000))
    assert "3000 steps were not enough" in result.message
    assert "Spherical 'pivot'" in result.message or "nothing special" in result.message


def test_a_vibration_that_is_followed(short_window) -> None:
    """A stiff spring without damping: 1e6 rad/s."""
    m = sp.Model()
    b = m.add(sp.RigidBody("mass", 1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), b.at(0), axis="x", initial=0.1))
    m.add(sp.JointSpring("spring", "slide", stiffness=1e12))
    with pytest.warns(sp.SuppleWarning) as told:
        result = sp.simulate(m, 1e3, integrator=sp.Radau(max_steps=30_000))
    assert "can vibrate with 1.59e+05 Hz and is followed step by step" in str(told[0].message)
    assert "can vibrate with 1.59e+05 Hz" in result.message


def test_a_run_that_does_not_move(monkeypatch) -> None:
    """The clock goes on and the run does not: there is no end, and no number is made of it."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    _, problem, _ = sp.prepare(pendulum()).problem(RunOptions(1.0, output=10))
    run = sp.Radau().begin(problem)
    run.pace = progress.Pace(run)
    assert run.pace.text() == "t = 0 of 1 s (0%)"
    with pytest.warns(sp.SuppleWarning, match=r"at t = 0 of 1 s the run does not go on: ") as told:
        for k in range(100):
            clock[0] = 0.1 * k
            assert run.pace.look()
    assert len(told) == 1 and run.pace.seconds_left() == np.inf
    run.state[st.T] = 0.25  # 0.25 s of motion within the last 5 s: 15 s more
    clock[0] += 0.3
    run.pace.look()
    assert run.pace.text().startswith("t = 0.25 of 1 s (25%), step 2e-01 s, ~15 s left")
    run.state[[st.E_MAX, st.K_MAX, st.E_ERROR]] = 200.0, 200.0, 1e-4  # J, from rest
    assert ", energy error 5e-07, ~15 s left" in run.pace.text()


@pytest.mark.parametrize("method", [sp.Radau, sp.DormandPrince])
def test_a_bounce_that_never_ends(method) -> None:
    """A hard ball that loses nothing and rises by 1e-7 m: 7000 bounces/s."""
    m = sp.Model(gravity=(0, 0, -9.81))
    b = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    m.add(sp.Prismatic("way", m.ground.at(0, 0, 1e-7), b.at(0), "z"))
    law = sp.HuntCrossley(restitution=1.0, speed=1.0, stiffness=1e10, exponent=1)
    m.add(sp.Contact("bounce", sp.Plane(m.ground.at(0)), sp.Point(b.at(0)), law))
    with pytest.warns(sp.SuppleWarning, match="2000 steps were not enough") as told:
        sp.simulate(m, 100.0, integrator=method(max_steps=2000), tolerance=1e-4)
    words = r"% of the steps end where a force law changes its branch, .* that of 'bounce'"
    assert re.search(words, str(told[0].message))


@pytest.mark.parametrize(
    ("integrator", "why"),
    [
        (sp.GeneralizedAlpha(step=1e-3, max_steps=1000), "its steps are fixed"),
        (sp.Radau(max_step=1e-3, max_steps=1000), "steps are not longer than max_step, 0.001 s"),
    ],
)
def test_steps_that_were_asked_for(integrator, why) -> None:
    with pytest.warns(sp.SuppleWarning, match=rf"1000 steps were not enough \(max_steps\); {why}"):
        sp.simulate(pendulum(), 1e4, integrator=integrator)


def test_models_too_large_for_eigenvalues(monkeypatch) -> None:
    monkeypatch.setattr(progress, "MOST_VELOCITIES", 0)
    with pytest.warns(sp.SuppleWarning, match=r"the model may be stiff, .* try Radau"):
        sp.simulate(stiff(), 1e4, integrator=sp.DormandPrince(max_steps=1_000))


def test_short_runs_say_nothing(short_window, recwarn) -> None:
    assert sp.simulate(pendulum(), 1.0).success
    assert not recwarn.list


def test_few_steps_are_no_reason() -> None:
    with pytest.warns(sp.SuppleWarning, match=r"10 steps were not enough \(max_steps\)$"):
        sp.simulate(pendulum(), 10.0, integrator=sp.Radau(max_steps=10))


@pytest.fixture
def impatient(monkeypatch) -> None:
    """Judge a run after a third of a second."""
    for name, value in (("WINDOW", 0.1), ("PATIENCE", 0.3), ("WORKED", 0.1)):
        monkeypatch.setattr(progress, name, value)


def buzzing(frequency: float = 1e9) -> sp.Model:
    m = pendulum()
    m.add(sp.JointEffort("drive", "pin", sp.Sine(1.0, frequency)))
    return m


def fixed_steps() -> sp.Integrator:
    return sp.GeneralizedAlpha(step=1e-7)


@pytest.mark.parametrize(
    ("model", "t_end", "integrator", "why"),
    [
        (buzzing, 1e3, sp.Radau(), r"a signal of JointEffort 'drive' varies with some 1e\+09 Hz"),
        (pendulum, 1e9, sp.Radau(), "periods to the end of the run: a shorter run"),
        (stiff, 1e4, sp.DormandPrince(), "the model is stiff: Revolute 'pin'"),
        (pendulum, 1e6, fixed_steps(), "its steps are fixed: a longer step"),
    ],
    ids=["signal", "long", "stiff", "fixed"],
)
def test_runs_that_cannot_end(model, t_end, integrator, why, impatient) -> None:
    """They need more steps than they may make: what there is, the cause, and how to go on."""
    with pytest.warns(sp.SuppleWarning) as told:
        result = sp.simulate(model(), t_end, integrator=integrator)
    assert not result.success and result.t[-1] < t_end
    assert str(told[-1].message) == result.message
    assert "more than max_steps allows" in result.message and "lets it go on" in result.message
    assert re.search(why, result.message)
    assert result.statistics["steps"] < 10_000_000


def test_more_steps_may_be_allowed(impatient) -> None:
    """A run that its user wants goes on as long as it is allowed to."""
    patient = sp.DormandPrince(max_steps=10**12)
    options = RunOptions(1e6, integrator=patient, output=10)
    _, problem, _ = sp.prepare(pendulum()).problem(options)
    run = patient.begin(problem)
    run.pace = progress.Pace(run)
    begin, outcome = time.monotonic(), int(st.PAUSED)
    while time.monotonic() < begin + 1.0:
        outcome = run.advance(100)
        assert outcome == st.PAUSED and run.pace.look()
    assert not run.pace.endless


def test_a_step_of_a_stepper_that_cannot_end(impatient) -> None:
    stepper = sp.Stepper(buzzing(), "pin", dt=1e3)
    with pytest.raises(sp.SimulationError, match=r"'drive' varies with .* lets it go on"):
        stepper.step(inputs=[0.0])
    assert stepper.time == 0.0


def test_many_runs_at_once_end(impatient) -> None:
    """In a batch each run is judged on its own; a certificate is refused with the same words."""
    made = sp.batch(buzzing, {"frequency": [1e9, 1e-3]}, outputs="pin.angle @ end", t_end=50.0)
    assert len(made.failed) == 1 and made.done.tolist() == [False, True]
    assert "'drive' varies with some 1e+09 Hz" in str(made)
    with pytest.raises(sp.SimulationError, match=r"certify: the run stopped .* lets it go on"):
        sp.certify(buzzing(), 50.0, {"angle": lambda r: r["pin"].angle[-1]})
