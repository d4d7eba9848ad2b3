"""kinematics and inverse dynamics: exact closure, power and energy, efforts of known motions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from oracles.pin_motion import STEP, arm, pin, pin_rate
from supple.analyses.kinematics.kinematics import Recorded
from supple.cases.linkages import four_bar as numbers

ANGLE = "0.7 + 6*t + 2*t**2"


def driven(motion=ANGLE) -> sp.Model:
    model = numbers.four_bar()
    model.add(sp.Driver("motor", "drive", motion))
    return model


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_a_four_bar_closes_exactly(formulation):
    result = sp.kinematics(driven(), 2.0, output=80, formulation=formulation)
    assert result.success and result.energy.level == "trusted"
    tip = result["coupler"].at(1.1)
    for k, t in enumerate(result.t):
        angle, rate, push = 0.7 + 6 * t + 2 * t * t, 6 + 4 * t, 4.0
        assert tip.position[k, ::2] == pytest.approx(pin(angle), abs=1e-12)
        assert tip.velocity[k, ::2] == pytest.approx(pin_rate(angle, rate), abs=1e-11)
        along = pin_rate(angle + 1j * STEP * rate, rate + 1j * STEP * push).imag / STEP
        assert tip.acceleration[k, ::2] == pytest.approx(along, abs=1e-10)
    assert result["drive"].angle[-1] == pytest.approx(0.7 + 12 + 8, abs=1e-12)


@pytest.mark.slow
def test_power_is_the_rate_of_energy():
    """Five Gauss points on pieces of 0.3 rad leave 1e-10 of the energy that goes in and out."""
    model = driven()
    model.add(sp.JointSpring("coil", "bearing", stiffness=20.0, damping=0.7, rest=1.0))
    result = sp.kinematics(model, 2.0, output=[0.3, 1.1, 2.0])
    assert np.abs(result.energy.error).max() < 1e-8 * np.ptp(result.energy.kinetic)
    assert abs(result["motor"].work[-1]) > 1.0 and result["coil"].dissipated[-1] > 1.0
    fine = sp.kinematics(model, 2.0, output=2000)
    total, h = fine.energy.total, fine.t[1]
    rate = (8 * (total[3:-1] - total[1:-3]) - total[4:] + total[:-4]) / (12 * h)
    power = (fine["motor"].power - fine["coil"].power)[2:-2]
    # the power changes as sin(60 t) at its peaks: differences err by (60 h)^4/30
    assert rate == pytest.approx(power, abs=1e-6 * np.abs(power).max())
    assert fine["motor"].power == pytest.approx(
        fine["motor"].effort * fine["drive"].angle_rate, rel=1e-12
    )


def test_loads_are_those_of_a_run():
    """The integrator adds its drift only; its tolerance is 1e-9 (tight)."""
    model = driven()
    run = sp.simulate(model, 1.0, tolerance="tight", output=50)
    result = sp.inverse_dynamics(model, 1.0, output=50)
    effort = np.abs(run["motor"].effort).max()
    assert np.abs(result["motor"].effort - run["motor"].effort).max() < 1e-9 * effort
    assert result["motor"].work == pytest.approx(run["motor"].work, abs=1e-7)
    for joint in ("drive", "knee", "bearing", "pin"):
        assert result[joint].reaction == pytest.approx(run[joint].reaction, abs=1e-8 * effort)
    assert result["drive"].effort[:, 0] == pytest.approx(result["motor"].effort)
    data = result.dataset
    assert data["motor.effort"].attrs["units"] == "N m" and "motor.work" in data


def test_a_driver_at_rest_carries_the_weight():
    """The sign of an effort: what holds a bar up acts against its weight."""
    model = sp.Model(gravity=(0, -9.81, 0))
    bar = model.add(sp.RigidBody("bar", 2.0, com=(0.5, 0, 0), inertia=0.1))
    model.add(sp.Revolute("hinge", model.ground.at(0), bar.at(0)))
    model.add(sp.Driver("hold", "hinge", 0.3))
    result = sp.kinematics(model, 1.0, output=2)
    assert result["hold"].effort == pytest.approx(np.full(3, 9.81 * np.cos(0.3)), rel=1e-12)
    assert np.all(result["hold"].power == 0.0)


def test_a_driven_distance_pulls():
    """A winch lifts a mass: tension m (g + a), work the gain of energy."""
    model = sp.Model(gravity=(0, 0, -9.81))
    load = model.add(sp.RigidBody("load", 3.0, inertia=0.1))
    model.add(sp.Prismatic("rail", model.ground.at(0), load.at(0), axis="z", initial=-2.0))
    model.add(sp.Distance("winch", model.ground.at(0), load.at(0), length="2 - 0.5*t**2"))
    result = sp.kinematics(model, 1.0, output=4)
    assert result["winch"].tension == pytest.approx(np.full(5, 3.0 * 10.81), rel=1e-12)
    assert result["winch"].effort == pytest.approx(np.full(5, -3.0 * 10.81), rel=1e-12)
    gain = 3.0 * 9.81 * 0.5 + 0.5 * 3.0
    assert result["winch"].work[-1] == pytest.approx(gain, rel=1e-12)
    assert sp.simulate(model, 1.0)["winch"].power[-1] == pytest.approx(3.0 * 10.81, rel=1e-9)


def test_freedom_that_is_left_is_named():
    with pytest.raises(sp.ModelError) as caught:
        sp.kinematics(numbers.four_bar(), 1.0)
    assert "kinematics: 1 degree of freedom is left by the drivers" in str(caught.value)
    assert "expected drivers for all, e.g. one of Revolute 'knee'" in str(caught.value)
    model = sp.Model()
    body = model.add(sp.RigidBody("b", 1.0, inertia=1.0))
    model.add(sp.Free("flight", model.ground.at(0), body.at(0)))
    with pytest.raises(sp.ModelError, match="6 degrees of freedom are left"):
        sp.kinematics(model, 1.0)


def test_a_position_out_of_reach_stops():
    """The rocker cannot pass the place where crank and coupler are in line."""
    model = numbers.four_bar()
    start = model["bearing"].initial[0]
    model.add(sp.Driver("motor", "bearing", f"{start:.17g} + t"))
    with pytest.warns(sp.SuppleWarning, match="out of reach or singular, Revolute 'pin'"):
        result = sp.kinematics(model, 3.0, output=300)
    assert not result.success and result.message.startswith("stopped at t = 1.067")
    # dead point: crank and coupler fold, 1.1 - 0.4 away from the crank's bearing
    limit = np.pi - np.arccos((1.0 + 0.9**2 - (1.1 - 0.4) ** 2) / (2 * 0.9))
    stretched = np.pi - np.arccos((1.0 + 0.9**2 - (1.1 + 0.4) ** 2) / (2 * 0.9))
    times = sorted(x - start for x in (limit, stretched) if x > start)
    assert times and result.t[-1] == pytest.approx(times[0], abs=0.011)
    assert np.all(np.isfinite(result["drive"].angle))


def test_drivers_that_disagree_later_are_found():
    """Both drive the same freedom and agree at the start, so one of the rows is left out."""
    model = driven("0.7 + 6*t")
    bearing, rate = model["bearing"].initial[0], model["bearing"].initial_rate[0]
    model.add(sp.Driver("other", "bearing", f"{bearing:.17g} + {rate:.17g}*t"))
    with pytest.warns(sp.SuppleWarning, match="expected motions of the drivers that agree"):
        result = sp.kinematics(model, 1.0, output=100)
    assert not result.success and len(result.t) == 1
    left_out = {"motor", "other"} - {row.owner for row in result.data.compiled.rows}
    if left_out:
        with pytest.raises(sp.SuppleError, match="follows from other constraints, so its load"):
            _ = result[left_out.pop()].effort


def test_beams_are_rigid():
    model = sp.Model(gravity=(0, -9.81, 0))
    material = sp.Material(E=70e9, G=26e9, density=2700)
    rod = model.add(sp.Beam("rod", 1.0, sp.Rectangle(0.02, 0.01), material, modes=4))
    model.add(sp.Revolute("hinge", model.ground.at(0), rod.at(0)))
    model.add(sp.Driver("motor", "hinge", "t**2"))
    with pytest.raises(sp.ModelError, match=r"Beam 'rod' deforms, expected bodies='rigid'"):
        sp.kinematics(model, 1.0)
    result = sp.kinematics(model, 1.0, output=4, bodies="rigid")
    mass = 2700 * 2e-4
    inertia = mass / 3 + 2700 * (0.01 * 0.02**3 / 12)  # with that of the section about z
    expected = 2.0 * inertia + 0.5 * mass * 9.81 * np.cos(result.t**2)
    assert result["motor"].effort == pytest.approx(expected, rel=1e-11)
    assert result["rod"].at(1.0).position[-1] == pytest.approx([np.cos(1), np.sin(1), 0])


def test_efforts_of_a_recorded_motion_are_those_that_made_it():
    """A controlled run, then the efforts of its motion without the controllers."""
    model = arm()
    model.add(sp.PID("first", "wrist", kp=40, ki=30, kd=4, target=-0.5, coordinate="angle_1"))
    model.add(sp.PID("second", "wrist", kp=40, ki=0, kd=4, target="0.2*t", coordinate="angle_2"))
    run = sp.simulate(model, 1.0, tolerance="tight", output=50)
    for start in (run, sp.simulate(model, 1.0, tolerance="tight", output=20, start=run.state(25))):
        result = sp.inverse_dynamics(arm(), motion=start)
        assert result.t == pytest.approx(start.t) and result.energy.level == "trusted"
        for drive, motor in (("angle_1", "first"), ("angle_2", "second")):
            effort = result[f"drive wrist {drive}"].effort
            assert effort == pytest.approx(start[motor].effort, abs=1e-10)
        assert result["drive shoulder"].effort == pytest.approx(0.0, abs=1e-10)
        for joint in ("shoulder", "wrist"):
            assert result[joint].reaction == pytest.approx(start[joint].reaction, abs=1e-9)


def test_efforts_of_given_motions_are_the_residual():
    motion = {"shoulder": "0.3*sin(2*t)", ("wrist", 0): sp.SmoothStep(0, 1), ("wrist", 1): "0.1*t"}
    result = sp.inverse_dynamics(arm(), 1.5, output=30, motion=motion)
    equations = sp.JointCoordinates().equations(arm())
    names = ("drive shoulder", "drive wrist angle_1", "drive wrist angle_2")
    for k, t in enumerate(result.t):
        wanted = equations.residual(t, result.q[k], result.u[k], result.a[k])
        assert [result[n].effort[k] for n in names] == pytest.approx(wanted, abs=1e-11)


def test_a_loop_follows_a_recorded_motion_of_its_crank():
    """A free-running linkage needs no effort to go on as it goes."""
    run = sp.simulate(numbers.four_bar(), 0.5, tolerance="tight", output=40)
    result = sp.inverse_dynamics(numbers.four_bar(), motion=run, actuated=["drive"])
    weight = 4.8 * 9.81
    assert np.abs(result["drive drive"].effort).max() < 1e-8 * weight
    assert result["bearing"].angle == pytest.approx(run["bearing"].angle, abs=1e-8)


def test_recorded_motion_meets_its_numbers():
    t = np.array([0.0, 0.5, 1.3])
    x, v, a = np.random.default_rng(1).normal(size=(3, 3))
    signal = Recorded(t, x, v, a)
    found = signal.derivatives(t)
    for want, have in zip((x, v, a), found, strict=True):
        assert have == pytest.approx(want, abs=1e-12)
    before = signal.derivatives(t[1] - 1e-12)
    assert [float(y) for y in before] == pytest.approx([x[1], v[1], a[1]], abs=1e-9)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m: sp.kinematics(m, -1.0), "kinematics: t_end is -1.0, expected a time after 0 s"),
        (lambda m: sp.kinematics(m, 1.0, output=0), "kinematics: output is 0, expected"),
        (lambda m: sp.kinematics("m", 1.0), "kinematics: model is 'm', expected a Model"),
        (
            lambda m: sp.kinematics(m, 1.0, formulation=2),
            "kinematics: formulation is 2, expected a formulation, e.g. Abs",
        ),
        (lambda m: sp.inverse_dynamics(m), "t_end is None, expected the end of the motion in s"),
        (lambda m: sp.inverse_dynamics(m, -2.0), "t_end is -2.0, expected a time after 0 s"),
        (lambda m: sp.inverse_dynamics(m, 1.0, motion=3), "motion is 3, expected motions by joint"),
        (
            lambda m: sp.inverse_dynamics(m, 1.0, motion={"knie": 1.0}),
            "motion is 'knie', expected the name of a joint: 'drive', 'knee'",
        ),
        (
            lambda m: sp.inverse_dynamics(m, 1.0, actuated=["drive"]),
            "actuated is ('drive'), expected None without a recorded motion",
        ),
        (
            lambda m: sp.inverse_dynamics(m, motion=sp.kinematics(m, 1.0, output=[1.0])),
            "expected a Result with at least two output times",
        ),
        (
            lambda m: sp.inverse_dynamics(arm(), motion=sp.kinematics(m, 1.0)),
            "motion has no joint 'shoulder' like that of the model, expected a Result with the",
        ),
    ],
)
def test_wrong_arguments_get_one_sentence(call, sentence):
    with pytest.raises(sp.ModelError) as caught:
        call(driven())
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_views_of_constraints():
    result = sp.kinematics(driven(), 0.1, output=2)
    view = result["motor"]
    assert view.parts == ("effort",) and "motor" in result.names and "motor" in repr(view)
    with pytest.raises(sp.SuppleError, match="Driver 'motor' has no part 'x', known: 'effort'"):
        view.load("x")
    with pytest.raises(AttributeError, match=r"'motor' is no distance: see its \.effort"):
        _ = view.tension
    model = sp.Model()
    body = model.add(sp.RigidBody("b", 2.0, inertia=0.1))
    model.add(sp.Planar("float", model.ground.at(0), body.at(0)))
    drives = {"x": "t**2", "y": "3*t", "axis": "z", "angle": "0.5*t**2"}
    model.add(sp.FrameDriver("hand", model.ground.at(0), body.at(0), **drives))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moved = sp.kinematics(model, 1.0, output=2)
    assert {"x", "y", "angle"} <= set(moved["hand"].parts)
    assert moved["hand"].load("x") == pytest.approx(np.full(3, 4.0))
    assert moved["hand"].load("angle") == pytest.approx(np.full(3, 0.1))
    with pytest.raises(AttributeError, match="'hand' has 9 parts"):
        _ = moved["hand"].effort
    assert moved["hand"].work[-1] == pytest.approx(0.5 * 2.0 * 4.0 + 0.5 * 0.1)


def test_flexible_bodies_are_rigid_and_it_is_told():
    """Their strain is not zero but not known; loads in sections follow from balance."""
    m = sp.Model(gravity=(0, -9.81, 0))
    alloy = sp.Material(E=70e9, G=26e9, density=2700)
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), alloy, elements=2))
    m.add(sp.Revolute("hub", m.ground.at(0), rod.at(0)))
    m.add(sp.Driver("motor", "hub", "t"))
    r = sp.kinematics(m, 1.0, output=4, bodies="rigid")
    assert r.message == "reached t = 1 s with 'rod' taken as rigid"
    assert r.monitor.verdict == "no flexible bodies"
    root = r["rod"].at(0.0)
    for question in (r["rod"].largest_stress, root.section_forces, root.strain):
        with pytest.raises(sp.SuppleError, match=r"Beam 'rod': it is rigid in this result and its"):
            question()
    weight = 2700 * 2e-4 * 9.81  # horizontal at the start
    assert root.section_forces("balance").Mz[0] == pytest.approx(-0.5 * weight, rel=1e-9)
