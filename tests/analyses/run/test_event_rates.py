"""Events on velocities of points and angular velocities of bodies."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

METHODS = (
    sp.Radau(),
    sp.DormandPrince(),
    sp.GeneralizedAlpha(max_step=1e-3),  # of order 2
    sp.BDF(),
    sp.EnergyScheme(step=1e-3),
)


def kind(method) -> str:
    return type(method).__name__


def pendulum() -> sp.Model:
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.RigidBody("rod", 1.0, (0.5, 0, 0), 0.05))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), initial=-0.3))
    return m


@pytest.mark.parametrize("method", METHODS[:-1], ids=kind)
def test_spin_of_a_pendulum_is_its_rate(method) -> None:
    m = pendulum()
    rod = m["rod"]
    watched = (
        sp.Event("rate", "pin", "rate", value=-1.0, terminal=False),
        sp.Event("wz", rod.at(0.3, 0.1), "wz", value=-1.0, terminal=False),
    )
    run = sp.simulate(m, 1.0, integrator=method, events=watched)
    times = {name: [e.t for e in run.events if e.name == name] for name in ("rate", "wz")}
    assert len(times["rate"]) == 2
    assert np.allclose(times["rate"], times["wz"], rtol=0, atol=1e-14)
    # watching changes nothing
    alone = sp.simulate(m, 1.0, integrator=method, events=watched[:1])
    assert np.array_equal(run["pin"].angle, alone["pin"].angle)
    assert run.verdict == alone.verdict


@pytest.mark.parametrize("method", METHODS, ids=kind)
def test_velocity_of_a_point_of_a_thrown_body(method) -> None:
    m = sp.Model(gravity=(0, -9.81, 0))
    stone = m.add(sp.RigidBody("stone", 1.0, inertia=(0.1, 0.1, 0.1)))
    rate = (0, 0, 3.0, 2.0, 4.0, 0)
    m.add(sp.Free("flight", m.ground.at(0), stone.at(0), initial_rate=rate))
    top = sp.Event("top", stone.at(0), "vy", direction=-1)
    run = sp.simulate(m, 1.0, integrator=method, events=top)
    tolerance = 1e-3 if isinstance(method, (sp.GeneralizedAlpha, sp.EnergyScheme)) else 1e-6
    assert run.t[-1] == pytest.approx(4.0 / 9.81, abs=tolerance)
    # of a point beside the centre: vx = 2 - 3 * 0.5 sin(3 t)
    beside = sp.Event("beside", stone.at(0.5), "vx", value=1.0, terminal=False)
    run = sp.simulate(m, 0.6, integrator=method, events=beside)
    assert run.events[0].t == pytest.approx(np.arcsin(2 / 3) / 3, abs=tolerance)


def test_spin_of_a_top_without_torque() -> None:
    """The angular velocity of a symmetric top turns about its angular momentum."""
    m = sp.Model()
    inertia, axial, w1, w3 = 0.2, 0.35, 1.0, 4.0
    top = m.add(sp.RigidBody("top", 1.0, inertia=(inertia, inertia, axial)))
    momentum = np.array([inertia * w1, 0.0, axial * w3])
    # its momentum along z of the world
    lean = np.arctan2(momentum[0], momentum[2])
    start = sp.Free(
        "free",
        m.ground.at(0),
        top.at(0),
        initial=[np.cos(-lean / 2), 0, np.sin(-lean / 2), 0, 0, 0, 0],
        initial_rate=(w1, 0, w3, 0, 0, 0),
    )
    m.add(start)
    turning = np.linalg.norm(momentum) / inertia
    watched = [sp.Event(f"w{a}", top.at(0.1), f"w{a}", terminal=False) for a in "xy"]
    run = sp.simulate(m, 2.0, events=watched)
    spin = run["top"].angular_velocity
    assert np.allclose(np.hypot(*spin[:, :2].T), np.hypot(*spin[0, :2]), rtol=1e-6)
    times = {a: [e.t for e in run.events if e.name == f"w{a}"] for a in "xy"}
    quarter = np.pi / 2 / turning
    assert np.allclose(times["x"], quarter * np.arange(1, 2 * len(times["x"]), 2), atol=1e-6)
    assert np.allclose(times["y"], 2 * quarter * np.arange(1, len(times["y"]) + 1), atol=1e-6)
    assert len(times["x"]) > 2


def test_a_section_of_a_beam_turns_with_its_deformation() -> None:
    m = sp.Model(gravity=(0, -9.81, 0))
    strip = sp.Rectangle(0.01, 0.02)
    beam = m.add(sp.Beam("beam", 1.0, strip, sp.Material(70e9, 26e9, 2700), modes=2))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    # clamped and let go: the end swings between zero and twice its sag, wz changes its sign there
    event = sp.Event("still", beam.at(1.0), "wz", direction=1)
    run = sp.simulate(m, 1.0, events=event)
    assert abs(run["beam"].at(1.0).angular_velocity[-1, 2]) < 1e-9
    assert run["beam"].at(1.0).deflection[-1, 1] < 0.0
    assert run.t[-1] > 0.01


def test_sentences() -> None:
    m = pendulum()
    with pytest.raises(sp.ModelError) as caught:
        sp.Event("e", m["rod"].at(0), "speed")
    assert str(caught.value) == (
        "Event 'e': quantity is 'speed', expected 'x' or 'y' or 'z' or 'vx' or 'vy' or 'vz' or "
        "'wx' or 'wy' or 'wz'"
    )
    with pytest.raises(sp.ModelError, match="expected a Frame"):
        sp.Event("e", "pin", "wz")
