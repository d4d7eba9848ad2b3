"""BDF and Adams: errors against tolerances, Jacobian, events, kinks, audit, failures."""

from __future__ import annotations

import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

import supple as sp
from models.integrator_problems import (
    middle_axis_body,
    plane_pendulum,
    pushed,
    quarter_period,
    sliding_mass,
    spatial_pendulum,
    tethered_body,
    turning_body,
)
from models.points import Point
from models.random_models import Recipe, examples, flexible_recipes, recipes
from oracles.tolerance_study import exponent
from supple import cases
from supple.core.run import step as st
from supple.formulations.trees import JointCoordinates
from supple.integrators.methods import sundials
from supple.integrators.methods.sundials import coordinate_scales

METHODS = [sp.BDF, sp.Adams]
both_methods = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.__name__)


def tumbling_body() -> sp.Model:
    """A free body that turns about all its axes and flies."""
    model = sp.Model(gravity=(0, 0, -9.81))
    body = model.add(sp.RigidBody("body", 2.0, (0.1, 0.02, -0.05), (0.3, 0.5, 0.7)))
    rates = (1.0, 3.0, -2.0, 0.5, 0.2, 4.0)
    model.add(sp.Free("free", model.ground.at(0), body.at(0), (0, 0, 0), rates))
    return model


def controlled_arm() -> sp.Model:
    """A pendulum led by a controller along a smooth target."""
    model = sp.Model(gravity=(0, -9.81, 0))
    arm = model.add(sp.RigidBody("arm", 2.0, (0.3, 0, 0), (0.01, 0.05, 0.05)))
    model.add(sp.Revolute("hinge", model.ground.at(0), arm.at(0), "z"))
    motor = sp.PID("motor", "hinge", kp=60, ki=80, kd=12, target=sp.Sine(0.8, 0.7))
    model.add(motor)
    return model


def flexible_arm() -> sp.Model:
    """Huang's two-link arm with a damped flexible beam."""
    return cases.get("huang-two-link-damped").build()


SMOOTH = [plane_pendulum, tumbling_body, spatial_pendulum, controlled_arm, flexible_arm]
TIMES = np.linspace(0.0, 1.0, 98)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)


@cache
def reference(build) -> sp.results.Result:
    return sp.simulate(build(), 1.0, tolerance=(1e-12, 1e-13), output=TIMES)


def run_and_error(build, method, tolerance: float) -> tuple[sp.results.Result, float]:
    """A run and its largest error, also between steps, in the units of the tolerance.

    These are the weights of docs/integrators.md, with the largest velocities, states and energies.
    """
    exact = reference(build)
    found = sp.simulate(build(), 1.0, tolerance=tolerance, output=TIMES, integrator=method())
    assert found.success, found.message
    c = found.data.compiled
    energy = exact.energy.record.kinetic_max + exact.energy.record.max_elastic
    channels = exact.data.channels
    pairs = (
        (found.q, exact.q, coordinate_scales(c)[0]),
        (found.u, exact.u, 0.01 * c.rate_scale + np.abs(exact.u).max(axis=0)),
        (found.z, exact.z, 0.01 + np.abs(exact.z).max(axis=0)),
        (found.data.channels, channels, 0.01 + energy + np.abs(channels).max(axis=0)),
    )
    return found, max(float((np.abs(a - b) / s).max()) for a, b, s in pairs if a.size)


# The global error of a formula of order k falls with tolerance^(k/(k + 1)), with the exponent 1/2
# at least, and 0.75 and more at the orders that are used here. It is fitted over six decades: two
# errors alone say less, since much of each cancels, another share at every tolerance
# (tolerance_study.py: 0.48 decades, which is 0.1 in the exponent of the four). The error is less
# than the sum of those of all steps, each below the tolerance, since neighbouring motions do not
# part in these runs.
@both_methods
@pytest.mark.parametrize(
    "build",
    [*SMOOTH[:-1], pytest.param(flexible_arm, marks=pytest.mark.slow)],
    ids=lambda f: f.__name__,
)
def test_errors_fall_with_the_tolerance(build, method) -> None:
    runs = [run_and_error(build, method, tolerance) for tolerance in TOLERANCES]
    worst = np.array([error for _, error in runs])
    bounds = np.array([r.statistics["steps"] for r, _ in runs]) * TOLERANCES
    assert exponent(np.array(TOLERANCES), worst) > 0.5, worst
    assert np.all(worst < bounds), (worst, bounds)


def check_jacobian(recipe: Recipe) -> None:
    """Differences of order 4: their error is about 1e-10 of the largest entries around them.

    Two more unknowns than the model has are padding. Quaternions are away from unit length.
    """
    equations = JointCoordinates().equations(recipe.model())
    t, q, u, a, z = recipe.state(equations)
    rng = np.random.default_rng(recipe.seed)
    for joint in equations.compiled.joints.values():
        if joint.kind != "axes":
            q[joint.q.start : joint.q.start + 4] *= rng.uniform(0.9, 1.1)
    y = np.concatenate([q, u, z, rng.normal(size=2)])
    yp = np.concatenate([rng.normal(size=len(q)), a, rng.normal(size=len(z) + 2)])
    point, c, h = Point(equations), rng.uniform(0.5, 20.0), 1e-4
    found, expected = point.jacobian(t, y, yp, c), np.empty((len(y), len(y)))
    for k, d in enumerate(h * np.eye(len(y))):
        f = {s: point.residual(t, y + s * d, yp + s * c * d) for s in (-2, -1, 1, 2)}
        expected[:, k] = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * h)
    scale = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1.0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-7)


@examples(25)
@given(recipes(forces="all", max_bodies=6))
def test_jacobian_is_the_derivative_of_the_residual(recipe) -> None:
    check_jacobian(recipe)


@examples(10)
@given(flexible_recipes(forces="all"))
def test_jacobian_with_beams_is_the_derivative_of_the_residual(recipe) -> None:
    check_jacobian(recipe)


@both_methods
def test_pendulum_passes_its_lowest_place(method) -> None:
    quarter = quarter_period()
    for direction, expected in ((0, (1, 3, 5, 7)), (1, (3, 7)), (-1, (1, 5))):
        low = sp.Event("low", "hinge", direction=direction, terminal=False)
        result = sp.simulate(
            plane_pendulum(), 8 * quarter, tolerance="tight", events=[low], integrator=method()
        )
        assert result.t[-1] == 8 * quarter
        times = [event.t for event in result.events]
        np.testing.assert_allclose(times, quarter * np.array(expected), rtol=0, atol=1e-7)


@both_methods
def test_runs_go_on_behind_terminal_events(method) -> None:
    low = sp.Event("low", "hinge")
    result, times = None, []
    for _ in range(3):
        result = sp.simulate(
            plane_pendulum(), 50.0, start=result, events=low, tolerance=1e-9, integrator=method()
        )
        assert result.success and "'low'" in result.message
        assert result["hinge"].angle[-1] == pytest.approx(0.0, abs=1e-12)
        times.append(result.t[-1])
    np.testing.assert_allclose(times, quarter_period() * np.array([1, 3, 5]), rtol=0, atol=1e-6)


@both_methods
def test_middle_axis_flips_keep_time(method) -> None:
    model, half = middle_axis_body()
    flip = sp.Event("flip", model["body"].at(0, 1, 0), "z", terminal=False)
    result = sp.simulate(
        model, 6.9 * half, tolerance="tight", events=[flip], output=10, integrator=method()
    )
    times = np.array([event.t for event in result.events])
    assert len(times) == 7
    np.testing.assert_allclose(np.diff(times), half, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(result.q, axis=1), 1.0, rtol=0, atol=4e-16)


@both_methods
def test_quaternions_keep_their_norm_in_the_solver(method) -> None:
    """Over thousands of steps the solver's own quaternion stays where the tolerance counts."""
    model = tumbling_body()
    seen = []

    class Watched(method):
        def loop(self, problem):
            loop = super().loop(problem)
            return lambda *buffers: (loop(*buffers), seen.append(loop.y.copy()))[0]

    assert sp.simulate(model, 60.0, tolerance=1e-5, integrator=Watched(), output=10).success
    norms = np.linalg.norm(np.array(seen)[:, :4], axis=1)
    np.testing.assert_allclose(norms, 1.0, rtol=0, atol=1e-3)


@both_methods
@pytest.mark.parametrize("width", [1e-13, 0.0], ids=["steep", "next number"])
def test_jumps_are_landed_on(method, width) -> None:
    after = [t + width if width else np.nextafter(t, 2.0) for t in (0.5, 1.0)]
    jumps = sp.Table((0, 0.5, after[0], 1.0, after[1]), (3, 3, -4, -4, 0))
    result = sp.simulate(sliding_mass(jumps), 1.5, output=30, integrator=method(), tolerance=1e-9)
    assert result.success, result.message
    np.testing.assert_allclose(result["rail"].displacement, pushed(result.t), rtol=0, atol=1e-7)
    # work of the push is the kinetic energy: 2 kg with 0.25 m/s, backwards
    assert result["push"].work[-1] == pytest.approx(0.0625, abs=1e-7)
    assert result.energy.level == "trusted"


@both_methods
def test_a_sharp_jump_of_a_target_with_a_rate_gain(method):
    """Between two neighbouring numbers the slope is 1e16: no evaluation may look there."""
    model = sp.Model()
    wheel = model.add(sp.RigidBody("wheel", mass=1.0, inertia=1.0))
    model.add(sp.Revolute("axle", model.ground.at(0), wheel.at(0)))
    jump = sp.Table((0, 0.5, np.nextafter(0.5, 1), 2), (0, 0, 1, 1))
    model.add(sp.PID("motor", "axle", kp=10.0, kd=5.0, target=jump))
    result = sp.simulate(model, 2.0, integrator=method())
    assert result.success
    assert result.energy.level == "trusted"


@both_methods
@pytest.mark.parametrize("build", [tethered_body, controlled_arm, flexible_arm])
def test_audit_balances_dissipation_whatever_the_output(build, method) -> None:
    times = np.linspace(0.0, 1.0, 301)
    fine, coarse = (
        sp.simulate(build(), 1.0, output=t, integrator=method()) for t in (times, times[::10])
    )
    assert fine.energy.level == "trusted"
    assert fine.energy.record == coarse.energy.record
    assert fine.momentum.records == coarse.momentum.records
    np.testing.assert_array_equal(fine.q[::10], coarse.q)
    lost = fine.energy.dissipated[-1] - fine.energy.work[-1]
    assert abs(lost) > 1e-4
    balance = fine.energy.total[0] - fine.energy.total[-1]
    assert balance == pytest.approx(lost, abs=1e-5 * max(1.0, abs(lost)))


@both_methods
def test_statistics_have_the_same_keys(method) -> None:
    runs = [
        sp.simulate(spatial_pendulum(), 2.0, integrator=m()).statistics for m in (sp.Radau, method)
    ]
    assert list(runs[0]) == list(runs[1])
    s = runs[1]
    assert s["evaluations"] > s["steps"] > 100
    if method is sp.BDF:
        assert s["newton_iterations"] == s["evaluations"] - 1
        assert s["jacobians"] == s["factorizations"] < s["steps"]
    else:
        assert s["newton_iterations"] == s["jacobians"] == s["factorizations"] == 0


@both_methods
def test_first_step_far_too_long_is_reduced(method) -> None:
    result = sp.simulate(spatial_pendulum(), 5.0, integrator=method(first_step=5.0))
    assert result.success and result.energy.level == "trusted"
    assert result.statistics["rejected"] + result.statistics["newton_failures"] > 0


@both_methods
def test_steps_and_orders_can_be_limited(method) -> None:
    long, short, low = (
        sp.simulate(plane_pendulum(), 1.0, tolerance=1e-5, integrator=method(**options))
        for options in ({}, {"max_step": 1e-3}, {"max_order": 1})
    )
    assert short.statistics["steps"] >= 1000 > long.statistics["steps"]
    assert low.statistics["steps"] > 3 * long.statistics["steps"]


@both_methods
@pytest.mark.parametrize("wrong", [0, 13, 2.5, "high"])
def test_wrong_orders_are_refused(method, wrong) -> None:
    with pytest.raises(sp.ModelError, match="max_order"):
        method(max_order=wrong)


@both_methods
def test_gimbal_lock_is_named(method) -> None:
    with pytest.warns(sp.SuppleWarning):
        result = sp.simulate(turning_body("three axes"), 2.0, integrator=method())
    assert not result.success
    assert result.t[-1] == pytest.approx(1.0, abs=1e-5)
    assert "General 'gimbal'" in result.message


@both_methods
def test_ball_joint_does_not_lock(method) -> None:
    result = sp.simulate(turning_body("ball"), 2.0, integrator=method(), tolerance=1e-9)
    assert result.success
    angle = np.pi / 2 + 1.0
    axis = result["body"].matrix[-1] @ (0, 0, 1)
    np.testing.assert_allclose(axis, (np.sin(angle), 0, np.cos(angle)), rtol=0, atol=1e-6)


@both_methods
def test_infinite_acceleration_stops_with_a_message(method) -> None:
    model = spatial_pendulum()
    model.replace("hinge", initial_rate=1e200)
    with pytest.warns(sp.SuppleWarning, match="stopped at t = 0 s"):
        result = sp.simulate(model, 1.0, integrator=method())
    assert not result.success
    assert "Spherical 'ball'" in result.message and "not finite" in result.message


@both_methods
def test_a_hopeless_step_stops_with_a_message(method, capsys) -> None:
    model = spatial_pendulum()
    model.replace("hinge", initial_rate=1e30)
    with pytest.warns(sp.SuppleWarning, match="stopped at t = 0 s: the iteration for a step of 1"):
        result = sp.simulate(model, 1.0, integrator=method())
    assert not result.success
    assert "Spherical 'ball'" in result.message
    assert capsys.readouterr().out == ""  # nothing of the solver's own messages


@both_methods
def test_numbers_that_overflow_on_the_way_stop_with_a_message(method) -> None:
    model = spatial_pendulum()
    model.replace("hinge", initial_rate=1e152)
    with pytest.warns(sp.SuppleWarning, match="stopped at t = 0 s: the acceleration of"):
        result = sp.simulate(model, 1.0, integrator=method())
    assert not result.success and "is not finite" in result.message


@both_methods
def test_an_error_test_that_never_passes_stops_with_a_message(method, monkeypatch) -> None:
    """The solver is told to fail after its tenth step."""
    step, steps = sundials._Loop._step, []

    def failing(self):
        steps.append(1)
        if len(steps) == 10:
            answer = SimpleNamespace(success=False, status=-3, t=self.state[st.T])
            self.solver = SimpleNamespace(step=lambda *_: answer, init_step=lambda *_: None)
        return step(self)

    monkeypatch.setattr(sundials._Loop, "_step", failing)
    with pytest.warns(sp.SuppleWarning, match="step fell below .* the largest error was in"):
        result = sp.simulate(spatial_pendulum(), 1.0, integrator=method())
    assert not result.success
    assert result.statistics["steps"] == 9
    assert 0.0 < result.t[-1] < 1.0  # what was computed is kept


@pytest.mark.parametrize("tolerance", [1e-12, 1e-13])
@both_methods
def test_a_kink_behind_a_long_step_is_passed(method, tolerance) -> None:
    """In free fall BDF takes steps of 0.04 s without an error, then meets a spring.

    IDA gives up after ten steps that are too long, the last ones of order 1; a start from there
    goes on.
    """
    case = cases.get("contact-drop")
    result = case.simulate(integrator=method(), tolerance=tolerance)
    assert result.success, result.message
    assert [q for q in case.measure(result) if not q.passed] == []


@both_methods
def test_a_force_that_is_not_a_number_stops_with_a_message(method) -> None:
    model = plane_pendulum()
    model.add(sp.EffortFunction("push", "hinge", lambda t, q, u: np.nan if t > 0.5 else -q))
    with pytest.warns(sp.SuppleWarning, match="'push'.* returned nan"):
        result = sp.simulate(model, 1.0, integrator=method(), output=10)
    assert not result.success
    assert 0.4 < result.t[-1] <= 0.5


@both_methods
def test_too_many_steps_stop_with_a_message(method) -> None:
    with pytest.warns(sp.SuppleWarning, match="max_steps"):
        result = sp.simulate(spatial_pendulum(), 10.0, integrator=method(max_steps=7))
    assert not result.success
    assert result.statistics["steps"] == 7
    assert result.t[-1] > 0.0


@both_methods
def test_a_motion_without_bound_stops_with_a_message(method) -> None:
    model = sp.Model()
    wheel = model.add(sp.RigidBody("wheel", mass=1.0, inertia=1.0))
    model.add(sp.Revolute("axle", model.ground.at(0), wheel.at(0), initial=0.1))
    model.add(sp.JointEffort("push", "axle", 1e9))
    with pytest.warns(sp.SuppleWarning, match="'wheel'.* has grown so far that rounding"):
        result = sp.simulate(model, 1e3, integrator=method())
    assert not result.success


@both_methods
def test_a_model_that_cannot_move(method) -> None:
    model = sp.Model()
    block = model.add(sp.RigidBody("block", 1.0))
    model.add(sp.Fixed("weld", model.ground.at(0), block.at(0)))
    result = sp.simulate(model, 1.0, integrator=method(), output=4)
    assert result.success and len(result.t) == 5


@both_methods
def test_progress_and_interruption(method) -> None:
    times = []

    def stop(t: float) -> None:
        times.append(t)
        if t > 1.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.simulate(spatial_pendulum(), 100.0, integrator=method(), progress=stop)
    assert times == sorted(times) and 1.0 < times[-1] < 90.0


@both_methods
def test_without_scikit_sundae_there_is_a_sentence(method, monkeypatch) -> None:
    for name in ("sksundae.ida", "sksundae.cvode"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(sp.SimulationError, match="need the package scikit-sundae"):
        sp.simulate(plane_pendulum(), 1.0, integrator=method())


def test_fewer_steps_than_the_thesis() -> None:
    """Huang 1998 took about 4000 steps of a BDF code for the damped two-link arm over 5 s."""
    case = cases.get("huang-two-link-damped")
    result = case.simulate(tolerance=(1e-4, 1e-7), integrator=sp.BDF())
    assert result.success
    assert result.statistics["steps"] < 4000


@both_methods
def test_start_where_nothing_moves_yet(method) -> None:
    """At rest, without acceleration: the rates say nothing about the first step."""
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=(1, 1, 1)))
    m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), axis="x"))
    m.add(sp.JointEffort("push", "rail", "10*sin(t)"))
    result = sp.simulate(m, 20.0, integrator=method(), tolerance=1e-12)
    assert result.success, result.message
    wanted = 10.0 * (result.t - np.sin(result.t))
    np.testing.assert_allclose(result["rail"].displacement, wanted, rtol=1e-8, atol=1e-8)
