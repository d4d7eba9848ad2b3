"""Coordinates that drivers give are no unknowns of Radau: the motion is that of constraint rows."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

MOTION = "0.4 + 0.3*sin(2*t) + 0.1*t**2"


def motion(t):
    """Value, rate and second derivative of the driven coordinate."""
    t = np.asarray(t)
    return (
        0.4 + 0.3 * np.sin(2 * t) + 0.1 * t**2,
        0.6 * np.cos(2 * t) + 0.2 * t,
        -1.2 * np.sin(2 * t) + 0.2,
    )


def arm(driven: tuple[int, ...], flexible: bool = False) -> sp.Model:
    """Three links in space; the joints in ``driven`` follow a motion."""
    m = sp.Model(gravity=(0, -9.81, -2.0))
    end = m.ground.at(0)
    for i in range(3):
        start = 0.4 if i in driven else 0.2 * i
        if flexible and i == 1:
            material = sp.Material(E=7e10, G=2.6e10, density=2700)
            body = m.add(
                sp.Beam(f"link{i}", 0.5, sp.Tube(0.02, 0.002), material, elements=2, modes=3)
            )
        else:
            body = m.add(sp.RigidBody(f"link{i}", 1.0, (0.25, 0, 0), (1e-3, 0.02, 0.02)))
        m.add(
            sp.Revolute(
                f"joint{i}",
                end,
                body.at(0),
                axis="zyz"[i],
                initial=start,
                initial_rate=0.6 if i in driven else 0.0,
            )
        )
        if i in driven:
            m.add(sp.Driver(f"driver{i}", f"joint{i}", motion=MOTION))
        end = body.at(0.5)
    return m


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "flexible"])
@pytest.mark.parametrize("driven", [(0,), (1,), (0, 2)])
def test_motion_and_effort_are_those_of_an_explicit_method(driven, flexible):
    """Dormand-Prince keeps drivers as constraint rows."""
    model = arm(driven, flexible)
    options = {"output": np.linspace(0.0, 0.5, 6), "tolerance": 1e-9}
    implicit = sp.simulate(model, 0.5, **options)
    explicit = sp.simulate(model, 0.5, integrator=sp.DormandPrince(), **options)
    # a tolerance of 1e-9 for each of some hundred steps
    assert np.abs(implicit.q - explicit.q).max() < 1e-7 * (1.0 + np.abs(explicit.q).max())
    assert np.abs(implicit.u - explicit.u).max() < 1e-6 * (1.0 + np.abs(explicit.u).max())
    for k in driven:
        x, y = (run[f"driver{k}"].effort for run in (implicit, explicit))
        assert np.abs(x - y).max() < 1e-5 * np.abs(y).max()
        x, y = (run[f"driver{k}"].work for run in (implicit, explicit))
        assert np.abs(x - y).max() < 1e-7 * np.abs(y).max()
    assert "trusted" in str(implicit)


def test_steps_end_on_the_driven_motion():
    """Not only output, which is moved onto the constraints: the state where the run ends, too."""
    result = sp.simulate(arm((0, 2)), 0.37, output=3)
    state = result.state()
    value = motion(state.t)[0]
    for joint in ("joint0", "joint2"):
        assert state.coordinates(joint)[0] == pytest.approx(value, abs=1e-14)


def test_everything_driven():
    """No unknown is left: the inverse dynamics of a moving arm, its work by integration."""
    model = arm((0, 1, 2))
    result = sp.simulate(model, 1.0, output=20)
    value, rate, _ = motion(result.t)
    for i in range(3):
        assert np.abs(result[f"joint{i}"].angle - value).max() < 1e-13
        assert np.abs(result[f"joint{i}"].angle_rate - rate).max() < 1e-12
    power = [result[f"driver{i}"].effort * rate for i in range(3)]
    for i in range(3):
        assert np.abs(result[f"driver{i}"].power - power[i]).max() < 1e-9 * np.abs(power[i]).max()
    assert result.success and "trusted" in str(result)


def test_a_driver_and_constraints_on_other_coordinates():
    """The other joints are coupled: a row that remains."""
    model = arm((0,))
    model.add(sp.Coupling("geared", [("joint1", 1.0), ("joint2", -2.0)], value=-0.6))
    options = {"output": 5, "tolerance": 1e-9}
    implicit = sp.simulate(model, 0.4, **options)
    explicit = sp.simulate(model, 0.4, integrator=sp.DormandPrince(), **options)
    assert np.abs(implicit.q - explicit.q).max() < 1e-7
    assert np.abs(implicit["geared"].effort - explicit["geared"].effort).max() < 1e-4
