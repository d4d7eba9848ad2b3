"""Integrators: measured orders, dense output, events, kinks and failures of both methods."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

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

METHODS = [sp.Radau, sp.DormandPrince]
both_methods = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.__name__)












AT_STEPS = np.arange(1, 17) / 16  # steps end there when their number is a multiple of 16
BETWEEN = (np.arange(97) + 0.5) / 97
TIMES = np.union1d(AT_STEPS, BETWEEN)


@cache
def reference(build) -> sp.results.Result:
    return sp.simulate(
        build(), 1.0, tolerance=(1e-13, 1e-13), output=TIMES, integrator=sp.DormandPrince()
    )


def fixed_steps(build, method, n: int, tolerance) -> sp.results.Result:
    """n equal steps over 1 s: the tolerance lets them pass, max_step keeps them from growing."""
    integrator = method(first_step=1 / n, max_step=1 / n)
    result = sp.simulate(build(), 1.0, tolerance=tolerance, output=TIMES, integrator=integrator)
    assert result.statistics["steps"] == n
    assert result.statistics["rejected"] == result.statistics["newton_failures"] == 0
    return result


def errors(build, result: sp.results.Result) -> np.ndarray:
    """Largest errors (4,): coordinates and velocities, where steps end and between steps."""
    exact, at_steps = reference(build), np.isin(TIMES, AT_STEPS)
    gaps = np.abs(result.q - exact.q).max(axis=1), np.abs(result.u - exact.u).max(axis=1)
    return np.array([gap[where].max() for where in (at_steps, ~at_steps) for gap in gaps])


def slopes(build, method, counts, tolerance) -> np.ndarray:
    """Measured orders (4,) between the largest and the smallest number of steps."""
    table = np.array([errors(build, fixed_steps(build, method, n, tolerance(n))) for n in counts])
    assert np.all(np.diff(table, axis=0) < 0)
    return np.log(table[0] / table[-1]) / np.log(counts[-1] / counts[0])


# Radau's Newton iteration stops at a fraction of the tolerance, so for it the tolerance follows its
# error estimate down; a small rtol makes that fraction small.
@pytest.mark.parametrize(
    ("build", "loosest"), [(spatial_pendulum, 0.06), (tethered_body, 0.012)], ids=["ball", "free"]
)
def test_radau_has_order_five(build, loosest) -> None:
    found = slopes(build, sp.Radau, (16, 32, 64, 128), lambda n: (1e-13, loosest * (16 / n) ** 4))
    assert np.all((found > 4.7) & (found < 5.6)), found


@pytest.mark.parametrize("build", [spatial_pendulum, tethered_body], ids=["ball", "free"])
def test_dormand_prince_has_order_eight(build) -> None:
    found = slopes(build, sp.DormandPrince, (16, 32), lambda n: (0.1, 0.1))
    assert np.all(found[:2] > 7.5), found
    assert np.all(found[2:] > 6.8), found  # the dense output is of order 7


@pytest.mark.parametrize("build", [spatial_pendulum, tethered_body], ids=["ball", "free"])
def test_methods_agree_the_better_the_tighter(build) -> None:
    gaps = []
    for tolerance in (1e-5, 1e-7, 1e-9, 1e-11):
        pair = [sp.simulate(build(), 1.0, tolerance=tolerance, integrator=m()) for m in METHODS]
        assert all(result.success for result in pair)
        gaps.append(max(np.abs(pair[0].q - pair[1].q).max(), np.abs(pair[0].u - pair[1].u).max()))
    assert np.all(np.diff(np.log10(gaps)) < -1), gaps
    assert gaps[-1] < 1e-9


@both_methods
@pytest.mark.parametrize("build", [spatial_pendulum, tethered_body], ids=["ball", "free"])
def test_audit_does_not_depend_on_the_output(build, method) -> None:
    times = np.linspace(0.0, 2.0, 301)
    fine, coarse = (
        sp.simulate(build(), 2.0, output=t, integrator=method()) for t in (times, times[::10])
    )
    assert fine.energy.record == coarse.energy.record
    assert fine.momentum.records == coarse.momentum.records
    assert fine.verdict == coarse.verdict
    np.testing.assert_array_equal(fine.q[::10], coarse.q)


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
        np.testing.assert_allclose(times, quarter * np.array(expected), rtol=0, atol=1e-10)


@both_methods
def test_terminal_event_ends_the_run(method) -> None:
    quarter = quarter_period()
    low = sp.Event("low", "hinge", direction=1)
    result = sp.simulate(
        plane_pendulum(), 8.0, tolerance="tight", events=[low], integrator=method()
    )
    assert result.success and "'low'" in result.message
    assert [event.name for event in result.events] == ["low"]
    assert result.t[-1] == pytest.approx(3 * quarter, abs=1e-10)
    assert result.t[-1] == result.events[0].t
    assert result["hinge"].angle[-1] == pytest.approx(0.0, abs=1e-12)


@both_methods
def test_several_events_in_one_step(method) -> None:
    # x = t - t^2: up through 0.21 at 0.3 s, back at 0.7 s, turning at 0.5 s
    model = sliding_mass(-4.0, initial_rate=1.0)
    events = [
        sp.Event("pass", "rail", value=0.21, terminal=False),
        sp.Event("turn", "rail", "rate", terminal=False),
    ]
    result = sp.simulate(
        model, 1.0, events=events, integrator=method(first_step=1.0), tolerance=(1e-7, 0.1)
    )
    assert result.statistics["steps"] == 1
    assert [event.name for event in result.events] == ["pass", "turn", "pass"]
    times = [event.t for event in result.events]
    np.testing.assert_allclose(times, (0.3, 0.5, 0.7), rtol=0, atol=1e-12)


@both_methods
def test_nothing_happens_after_a_terminal_event(method) -> None:
    model = sliding_mass(-4.0, initial_rate=1.0)
    events = [
        sp.Event("later", "rail", value=0.21, terminal=False),
        sp.Event("latest", "rail", "rate", value=-0.8),
        sp.Event("end", "rail", "rate"),
    ]
    result = sp.simulate(
        model, 1.0, events=events, integrator=method(first_step=1.0), tolerance=(1e-7, 0.1)
    )
    assert "'end'" in result.message
    assert [event.name for event in result.events] == ["later", "end"]


@both_methods
def test_height_of_a_frame_is_an_event(method) -> None:
    model = plane_pendulum()
    bob = model["bob"].at(0, -1, 0)
    events = [
        sp.Event("height", bob, "y", value=-np.cos(0.4), terminal=False),
        sp.Event("side", bob, "x", value=-0.2, direction=-1, terminal=False),
        sp.Event("angle", "hinge", value=0.4, terminal=False),
        sp.Event("other", "hinge", value=-0.4, terminal=False),
        sp.Event("sine", "hinge", value=-np.arcsin(0.2), direction=-1, terminal=False),
    ]
    result = sp.simulate(model, 1.9, events=events, integrator=method())
    times = {e.name: [x.t for x in result.events if x.name == e.name] for e in events}
    assert len(times["height"]) == 4
    crossings = sorted(times["angle"] + times["other"])
    np.testing.assert_allclose(times["height"], crossings, rtol=0, atol=1e-10)
    np.testing.assert_allclose(times["side"], times["sine"], rtol=0, atol=1e-10)




@both_methods
@pytest.mark.parametrize("width", [1e-13, 0.0], ids=["steep", "next number"])
def test_jumps_are_landed_on(method, width) -> None:
    after = [t + width if width else np.nextafter(t, 2.0) for t in (0.5, 1.0)]
    jumps = sp.Table((0, 0.5, after[0], 1.0, after[1]), (3, 3, -4, -4, 0))
    result = sp.simulate(sliding_mass(jumps), 1.5, output=30, integrator=method())
    assert result.success, result.message
    np.testing.assert_allclose(result["rail"].displacement, pushed(result.t), rtol=0, atol=1e-12)


@both_methods
def test_controller_holds_a_pendulum(method) -> None:
    model = sp.Model(gravity=(0, -9.81, 0))
    arm = model.add(sp.RigidBody("arm", 2.0, (0.3, 0, 0), (0.01, 0.05, 0.05)))
    model.add(sp.Revolute("hinge", model.ground.at(0), arm.at(0), "z"))
    target = sp.SmoothStep(0.2, 1.0, 0.0, 0.8)
    model.add(sp.PID("motor", "hinge", kp=60, ki=80, kd=12, target=target))
    result = sp.simulate(model, 8.0, integrator=method())
    assert result["hinge"].angle[-1] == pytest.approx(0.8, abs=1e-6)
    # at rest the integral alone carries the weight
    assert 80 * result.z[-1, 0] == pytest.approx(2.0 * 9.81 * 0.3 * np.cos(0.8), rel=1e-6)
    assert result.energy.level == "trusted"
    assert np.abs(result.energy.error).max() < 1e-7
    assert result["motor"].work[-1] == pytest.approx(2.0 * 9.81 * 0.3 * np.sin(0.8), abs=1e-6)


@both_methods
def test_three_turns_are_six_pi(method) -> None:
    model = sp.Model()
    disc = model.add(sp.RigidBody("disc", 2.0, (0.3, 0, 0), (0.01, 0.05, 0.05)))
    model.add(sp.Revolute("hinge", model.ground.at(0), disc.at(0), "z", 0.0, 2 * np.pi))
    angle = sp.simulate(model, 3.0, integrator=method())["hinge"].angle
    assert angle[-1] == pytest.approx(6 * np.pi, abs=1e-12)
    np.testing.assert_allclose(np.diff(angle), 6 * np.pi / 500, rtol=0, atol=1e-12)


@both_methods
def test_quaternion_of_a_fast_body_keeps_its_norm(method) -> None:
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 2.0, (0, 0, 0), (0.01, 0.02, 0.025)))
    rates = (300, 500, 200, 1, 2, 3)
    model.add(sp.Free("free", model.ground.at(0), body.at(0), (0, 0, 0), rates))
    result = sp.simulate(model, 1.0, integrator=method())
    np.testing.assert_allclose(np.linalg.norm(result.q[:, :4], axis=1), 1.0, rtol=0, atol=4e-16)
    assert result.energy.level == result.momentum.level == "trusted"
    np.testing.assert_allclose(result["body"].position[-1], (1, 2, 3), rtol=0, atol=1e-4)




@both_methods
def test_middle_axis_flips_keep_time(method) -> None:
    model, half = middle_axis_body()
    flip = sp.Event("flip", model["body"].at(0, 1, 0), "z", terminal=False)
    result = sp.simulate(
        model, 20.9 * half, tolerance="tight", events=[flip], output=10, integrator=method()
    )
    times = np.array([event.t for event in result.events])
    assert len(times) == 21
    np.testing.assert_allclose(np.diff(times), half, rtol=1e-8)
    np.testing.assert_allclose(times - times[0], half * np.arange(21), rtol=1e-8)




@both_methods
def test_gimbal_lock_is_named(method) -> None:
    with pytest.warns(sp.SuppleWarning):
        result = sp.simulate(turning_body("three axes"), 2.0, integrator=method())
    assert not result.success
    assert result.t[-1] == pytest.approx(1.0, abs=1e-5)
    assert "General 'gimbal'" in result.message and "Spherical" in result.message


@both_methods
def test_ball_joint_does_not_lock(method) -> None:
    result = sp.simulate(turning_body("ball"), 2.0, integrator=method())
    assert result.success
    angle = np.pi / 2 + 1.0
    axis = result["body"].matrix[-1] @ (0, 0, 1)
    np.testing.assert_allclose(axis, (np.sin(angle), 0, np.cos(angle)), rtol=0, atol=1e-9)


@both_methods
def test_first_step_far_too_long_is_reduced(method) -> None:
    # its stages run away to infinity
    result = sp.simulate(spatial_pendulum(), 50.0, integrator=method(first_step=50.0))
    assert result.success and result.energy.level == "trusted"
    assert result.statistics["rejected"] + result.statistics["newton_failures"] > 0


@both_methods
def test_infinite_acceleration_stops_with_a_message(method) -> None:
    model = spatial_pendulum()
    model.replace("hinge", initial_rate=1e200)
    with pytest.warns(sp.SuppleWarning, match="stopped at t = 0 s"):
        result = sp.simulate(model, 1.0, integrator=method())
    assert not result.success
    assert "Spherical 'ball'" in result.message and "not finite" in result.message


@both_methods
def test_step_below_the_clock_stops_with_a_message(method) -> None:
    model = plane_pendulum()
    model.replace("hinge", initial_rate=1e16)
    with pytest.warns(sp.SuppleWarning, match="the step fell below"):
        result = sp.simulate(model, 1.0, integrator=method())
    assert not result.success
    assert "Revolute 'hinge'" in result.message


@both_methods
def test_too_many_steps_stop_with_a_message(method) -> None:
    with pytest.warns(sp.SuppleWarning, match="max_steps"):
        result = sp.simulate(spatial_pendulum(), 10.0, integrator=method(max_steps=7))
    assert not result.success
    assert result.statistics["steps"] == 7


@pytest.mark.parametrize(
    ("integrator", "value"), [(sp.Radau(first_step=1.0), 0.5), (sp.DormandPrince(), 0.0)]
)
def test_an_event_on_a_sample_point_has_its_own_time(integrator, value):
    """A falling value that is exactly zero where the step is sampled: its middle, or its end."""
    model = sp.Model()
    cart = model.add(sp.RigidBody("cart", mass=1.0))
    rail = sp.Prismatic("rail", model.ground.at(0), cart.at(0), initial=1.0, initial_rate=-1.0)
    model.add(rail)
    event = sp.Event("there", rail, value=value)
    result = sp.simulate(model, 1.0, events=event, integrator=integrator)
    assert result.events[0].t == pytest.approx(1.0 - value, abs=1e-12)
    assert result["rail"].displacement[-1] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince()], ids=["R", "DP"])
def test_a_run_goes_on_behind_its_terminal_event(integrator):
    model = sp.Model(gravity=(0, 0, -9.81))
    rod = model.add(sp.RigidBody("rod", mass=1.0, com=(0.5, 0, 0), inertia=0.1))
    hinge = sp.Revolute("hinge", model.ground.at(0), rod.at(0), axis="y", initial=1.0)
    model.add(hinge)
    low = sp.Event("low", hinge, value=np.pi / 2)
    result, times = None, []
    for _ in range(4):
        result = sp.simulate(model, 50.0, start=result, events=[low], integrator=integrator)
        times.append(result.t[-1])
    gaps = np.diff(times)
    assert gaps == pytest.approx(gaps[0], rel=1e-6)
    assert gaps[0] > 0.5


@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince()], ids=["R", "DP"])
def test_places_are_not_missed_in_long_steps(integrator):
    model = sp.Model()
    disc = model.add(sp.RigidBody("disc", mass=1.0, inertia=1.0))
    model.add(sp.Revolute("axle", model.ground.at(0), disc.at(0), initial_rate=2 * np.pi))
    rim = sp.Event("rim", disc.at(1.0), quantity="y", terminal=False)
    result = sp.simulate(model, 9.9, events=[rim], integrator=integrator)
    assert [e.t for e in result.events] == pytest.approx(np.arange(1, 20) * 0.5, abs=1e-9)


@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince()], ids=["R", "DP"])
def test_a_sharp_jump_of_a_target_with_a_rate_gain(integrator):
    """Between two neighbouring numbers the slope is 1e16: no stage may look there."""
    model = sp.Model()
    wheel = model.add(sp.RigidBody("wheel", mass=1.0, inertia=1.0))
    model.add(sp.Revolute("axle", model.ground.at(0), wheel.at(0)))
    jump = sp.Table((0, 0.5, np.nextafter(0.5, 1), 2), (0, 0, 1, 1))
    model.add(sp.PID("motor", "axle", kp=10.0, kd=5.0, target=jump))
    result = sp.simulate(model, 2.0, integrator=integrator)
    assert result.success
    assert result.energy.level == "trusted"


def test_a_motion_without_bound_stops_with_a_message():
    model = sp.Model()
    wheel = model.add(sp.RigidBody("wheel", mass=1.0, inertia=1.0))
    model.add(sp.Revolute("axle", model.ground.at(0), wheel.at(0), initial=0.1))
    model.add(sp.JointEffort("push", "axle", 1e9))
    for integrator in (sp.Radau(), sp.DormandPrince()):
        with pytest.warns(sp.SuppleWarning, match="'wheel'.* has grown so far that rounding"):
            result = sp.simulate(model, 1e3, integrator=integrator)
        assert not result.success
        assert result.energy.verdict.startswith("run failed; until then")
