"""simulate: where a run starts, what it refuses, how the command is reached."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import supple as sp


def pendulum() -> sp.Model:
    model = sp.Model(gravity=(0, 0, -9.81), name="pendulum")
    rod = model.add(sp.RigidBody("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1)))
    model.add(sp.Revolute("hinge", model.ground.at(0), rod.at(0), axis="y", initial=0.3))
    model.add(sp.PID("motor", "hinge", kp=5.0, ki=3.0, kd=1.0, target=sp.Sine(0.5, 1.0)))
    return model


def test_a_run_goes_on_from_a_result_or_a_state():
    model = pendulum()
    whole = sp.simulate(model, 2.0, tolerance="tight", output=20)
    half = sp.simulate(model, 1.0, tolerance="tight", output=10)
    for start in (half, half.state(), whole.state(10)):
        rest = sp.simulate(model, 2.0, tolerance="tight", output=10, start=start)
        assert rest.t[0] == 1.0
        assert rest["hinge"].angle[-1] == pytest.approx(whole["hinge"].angle[-1], abs=1e-9)
        assert rest.z[-1] == pytest.approx(whole.z[-1], abs=1e-9)
        assert rest.energy.level == "trusted"


def test_a_state_of_another_model_is_refused():
    other = sp.Model()
    body = other.add(sp.RigidBody("b", mass=1, inertia=1))
    other.add(sp.Free("float", other.ground.at(0), body.at(0)))
    state = sp.simulate(other, 0.1).state()
    with pytest.raises(sp.ModelError, match=r"start is .a state of a model without .*, expected"):
        sp.simulate(pendulum(), 1.0, start=state)
    by_hand = sp.State(state.t, state.q, state.u, state.z)
    with pytest.raises(sp.ModelError, match="start is '7 coordinates, 6 velocities and 0 contr"):
        sp.simulate(pendulum(), 1.0, start=by_hand)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"t_end": -1}, "t_end is -1, expected a time after the start at 0 s"),
        ({"t_end": "x"}, "t_end is 'x', expected a finite number of seconds"),
        ({"t_end": np.nan}, "t_end is nan, expected a finite number of seconds"),
        ({"tolerance": "fine"}, "tolerance is 'fine', expected 'loose', 'default', 'tight'"),
        ({"tolerance": 0.0}, "tolerance is 0.0, expected"),
        ({"output": 0}, "output is 0, expected a number of intervals"),
        ({"output": [0.5, 0.2]}, "expected a number of intervals, an interval in s, or increasing"),
        ({"output": "many"}, "output is 'many', expected"),
        ({"integrator": sp.Radau}, "expected an integrator, e.g. Radau()"),
        ({"events": ["hinge"]}, "expected objects of type Event"),
        ({"start": 3}, "start is 3, expected a State or a Result of this model"),
    ],
)
def test_wrong_arguments_get_one_sentence(options, sentence):
    with pytest.raises(sp.ModelError) as caught:
        sp.simulate(pendulum(), **{"t_end": 1.0, **options})
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_integrator_options_are_checked():
    with pytest.raises(sp.ModelError, match="Radau: max_step is -1, expected a positive number"):
        sp.Radau(max_step=-1)
    with pytest.raises(sp.ModelError, match="DormandPrince: max_steps is 0, expected"):
        sp.DormandPrince(max_steps=0)


def test_output_by_interval_and_by_times():
    model = pendulum()
    assert sp.simulate(model, 1.0, output=0.1).t == pytest.approx(np.linspace(0, 1, 11))
    times = [0.25, 0.5]
    assert sp.simulate(model, 1.0, output=times).t.tolist() == times


def test_a_joint_that_moves_no_mass_is_named():
    model = sp.Model()
    dot = model.add(sp.RigidBody("dot", mass=1.0))
    model.add(sp.Revolute("hinge", model.ground.at(0), dot.at(0)))
    with pytest.raises(sp.ModelError, match=r"Revolute 'hinge' \(angle of body 'dot'\) moves no m"):
        sp.simulate(model, 1.0)


def test_too_few_steps_keep_what_was_computed():
    with pytest.warns(sp.SuppleWarning, match="5 steps were not enough"):
        result = sp.simulate(pendulum(), 10.0, integrator=sp.Radau(max_steps=5))
    assert not result.success
    assert 0.0 < result.t[-1] < 10.0
    assert result.statistics["steps"] == 5
    assert np.all(np.isfinite(result["hinge"].angle))


def test_nothing_that_moves_is_no_error():
    model = sp.Model(gravity=(0, 0, -9.81))
    block = model.add(sp.RigidBody("block", mass=2.0))
    model.add(sp.Fixed("weld", model.ground.at(0), block.at(0)))
    for integrator in (sp.Radau(), sp.DormandPrince()):
        result = sp.simulate(model, 1.0, integrator=integrator, output=4)
        assert result.success
        weight = [0, 0, 0, 0, 0, 2.0 * 9.81]
        assert result["weld"].reaction == pytest.approx(np.tile(weight, (5, 1)))


def test_far_from_the_origin_nothing_is_lost():
    """A mechanism a thousand kilometres away moves as at home: twists are about a near point."""
    angles = []
    for far in (0.0, 1e6):
        model = sp.Model(gravity=(0, 0, -9.81))
        a = model.add(sp.RigidBody("a", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1)))
        b = model.add(sp.RigidBody("b", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1)))
        model.add(sp.Revolute("h", model.ground.at(far, far, 0), a.at(0), axis="y", initial=0.3))
        model.add(sp.Universal("g", a.at(1), b.at(0), axes=("y", "z"), initial=(0.5, 0.2)))
        angles.append(sp.simulate(model, 2.0, tolerance="tight", output=10)["h"].angle)
    assert angles[1] == pytest.approx(angles[0], abs=1e-9)


def test_python_m_supple_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "supple", "--version"], capture_output=True, text=True, check=True
    )
    assert sp.__version__ in done.stdout
