"""Lyapunov exponents that are known: closed forms, and the variational equation by other means."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.studies.lyapunov import Lyapunov, _estimate


def pendulum(damping=0.0, drive=0.0, start=0.2, frequency=2.0 / 3.0 / (2.0 * np.pi)):
    """x'' + damping x' + sin x = drive cos(w t): mass 1 kg, length 1 m, gravity 1 m/s2."""
    m = sp.Model(gravity=(0, -1, 0))
    rod = m.add(sp.RigidBody("rod", 1.0, com=(0.8, 0, 0), inertia=0.16))  # 0.64 + 0.16 = 0.8 x 1
    m.add(sp.Revolute("hinge", m.ground.at(0), rod.at(0), initial=start - np.pi / 2))
    if damping:
        m.add(sp.JointSpring("oil", "hinge", damping=0.8 * damping))
    if drive:
        signal = sp.Sine(0.8 * drive, frequency=frequency, phase=np.pi / 2)
        m.add(sp.JointEffort("drive", "hinge", effort=signal))
    return m


def reference(damping, drive, t_end, start=0.2, w=2.0 / 3.0):
    """The exponent by the linearised equation, integrated by SciPy and rescaled each second."""
    from scipy.integrate import solve_ivp

    def slope(t, y):
        x, v, dx, dv = y
        force = drive * np.cos(w * t)
        return v, force - damping * v - np.sin(x), dv, -damping * dv - np.cos(x) * dx

    y, total, skip = np.array([start, 0.0, 1.0, 0.3]), 0.0, t_end // 5
    for k in range(int(t_end)):
        y = solve_ivp(slope, (k, k + 1), y, method="DOP853", rtol=1e-9, atol=1e-9).y[:, -1]
        size = np.hypot(y[2], y[3])
        total += np.log(size) if k >= skip else 0.0
        y[2:] /= size
    return total / (t_end - skip)


def test_damped_pendulum_comes_to_rest():
    """Both exponents are minus half the damping."""
    found = sp.lyapunov(pendulum(damping=0.4), 60.0)
    assert found.exponent == pytest.approx(-0.2, abs=2 * found.error)
    assert found.error < 0.025
    assert (found.sign, found.chaotic) == (-1, False)
    assert found.verdict.startswith("not chaotic: neighbours approach; largest Lyapunov exponent")


@pytest.mark.parametrize("start", [0.2, 2.0])
def test_free_pendulum_has_no_exponent(start):
    """Distances swing, and at large amplitude they grow in proportion to time: no chaos."""
    found = sp.lyapunov(pendulum(start=start), 100.0)
    assert found.sign == 0
    assert abs(found.exponent) < 2.0 / 80.0
    assert "no exponential growth" in found.verdict


def test_harmonic_oscillator_has_no_exponent():
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), initial=0.3))
    m.add(sp.JointSpring("spring", "rail", stiffness=3.0))
    found = sp.lyapunov(m, 100.0)
    assert found.sign == 0 and abs(found.exponent) < 0.02


def test_driven_pendulum_in_step_with_its_drive():
    """Damping 1/2, drive 0.9: periodic; the two exponents are equal and sum to -1/2."""
    found = sp.lyapunov(pendulum(0.5, 0.9), 120.0)
    assert found.exponent == pytest.approx(-0.25, abs=2 * found.error)
    assert found.sign == -1


@pytest.mark.slow
def test_driven_pendulum_in_chaos():
    """Damping 1/2, drive 1.5, w = 2/3, a textbook case (Baker and Gollub, Chaotic Dynamics)."""
    found = sp.lyapunov(pendulum(0.5, 1.5), 600.0, interval=2.0)
    expected = reference(0.5, 1.5, 2000.0)
    assert 0.1 < expected < 0.2
    assert found.chaotic
    assert found.exponent == pytest.approx(expected, abs=3 * found.error)
    assert found.error < 0.05


def test_a_short_chaotic_run():
    found = sp.lyapunov(pendulum(0.5, 1.5), 240.0, interval=2.0)
    assert found.chaotic and 0.05 < found.exponent < 0.25


def test_a_tumbling_body_and_a_controller():
    """Quaternions and controller states: a free top has no exponent, a controlled joint falls."""
    m = sp.Model()
    top = m.add(sp.RigidBody("top", 1.0, inertia=(1.0, 2.0, 2.5)))
    m.add(sp.Spherical("ball", m.ground.at(0), top.at(0), initial_rate=(1.0, 0.2, 0.1)))
    assert sp.lyapunov(m, 40.0, interval=0.5).sign == 0
    m = pendulum()
    m.add(sp.PID("motor", "hinge", kp=4.0, ki=1.0, kd=2.0, target=-np.pi / 2))
    found = sp.lyapunov(m, 30.0)
    # 0.8 x''' + 2 x'' + (4 + 0.8) x' + x = 0 for small swings
    slowest = np.roots([0.8, 2.0, 4.8, 1.0]).real.max()
    assert found.exponent == pytest.approx(slowest, abs=2 * found.error)
    assert found.sign == -1


def test_efforts_that_are_held_are_no_states():
    m = pendulum()
    m.add(sp.SampledController("servo", "hinge", sp.ControlLaw(D=[[-2.0, -1.0]]), period=0.1))
    with pytest.raises(sp.ModelError, match="without a SampledController"):
        sp.lyapunov(m, 30.0)


def test_estimate_of_rates_that_are_known():
    """White noise about 0.5: the standard error of the mean."""
    t = np.arange(1.0, 4001.0)
    rates = 0.5 + np.random.default_rng(1).normal(size=4000)
    found = _estimate(t, rates)
    assert found.exponent == rates.mean()
    assert 0.5 / 4000**0.5 < found.error < 2.0 / 4000**0.5
    assert found.sign == 1 and np.allclose(found.running[-1], found.exponent)
    assert _estimate(t, rates - found.exponent).sign == 0
    assert _estimate(t[:10], 0.02 + np.zeros(10)).sign == 0  # 10 s are too short to tell


def test_start_and_plot(tmp_path):
    m = pendulum(damping=0.4)
    first = sp.simulate(m, 5.0)
    found = sp.lyapunov(m, 35.0, start=first, interval=0.5)
    assert found.t[-1] == pytest.approx(35.0) and found.sign == -1
    figure = found.plot(tmp_path / "l.png")
    assert figure.axes[0].get_ylabel() == "Lyapunov exponent (1/s)"
    assert repr(found).startswith("<Lyapunov: not chaotic")
    assert isinstance(found, Lyapunov)


def test_sentences():
    m = pendulum()
    with pytest.raises(sp.ModelError, match=r"interval is 1\.0, expected a positive time, at most"):
        sp.lyapunov(m, 10.0, interval=1.0)
    with pytest.raises(sp.ModelError, match="t_end is 0, expected a time after the start"):
        sp.lyapunov(m, 0)
    with pytest.raises(sp.ModelError, match="model is 3, expected a Model"):
        sp.lyapunov(3, 1.0)
    still = sp.Model()
    body = still.add(sp.RigidBody("body", 1.0))
    still.add(sp.Fixed("weld", still.ground.at(0), body.at(0)))
    with pytest.raises(sp.SuppleError, match="nothing that moves"):
        sp.lyapunov(still, 1.0)
    quick = pendulum(damping=20.0)
    quick.add(sp.JointSpring("spring", "hinge", stiffness=1000.0))
    with pytest.raises(sp.SuppleError, match=r"by a factor of .*e-.*: choose a shorter interval"):
        sp.lyapunov(quick, 100.0, interval=2.5)
    with pytest.raises(sp.SuppleError, match="lyapunov: the run stopped at"):
        sp.lyapunov(m, 10.0, integrator=sp.Radau(max_steps=5))
