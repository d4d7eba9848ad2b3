"""Shaped signals: what they leave of a vibration, and that they are signals like others."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

FREQUENCY, DAMPING = 1.3, 0.06  # Hz, as if undamped


def left(signal, frequency=FREQUENCY, damping=DAMPING):
    """Amplitude that a mass on a spring is left with, whose other end follows a signal."""
    omega = 2.0 * np.pi * frequency
    m = sp.Model()
    base = m.add(sp.RigidBody("base", 1.0, inertia=0.1))
    mass = m.add(sp.RigidBody("mass", 1.0, inertia=0.1))
    m.add(sp.Prismatic("move", m.ground.at(0), base.at(0), axis="x"))
    m.add(sp.Prismatic("swing", base.at(0), mass.at(0), axis="x"))
    m.add(sp.JointSpring("spring", "swing", stiffness=omega**2, damping=2.0 * damping * omega))
    m.add(sp.Driver("drive", "move", motion=signal))
    end = max(signal.breakpoints())
    result = sp.simulate(m, end + 0.01, output=[end], tolerance=1e-10)
    x, v = result["swing"].displacement[-1], result["swing"].displacement_rate[-1]
    return np.hypot(x, (v + damping * omega * x) / (omega * np.sqrt(1.0 - damping**2)))


STEP = sp.SmoothStep(0.0, 0.2, after=1.0)


def test_nothing_is_left():
    whole = left(STEP)
    assert whole > 0.1
    for kind in ("ZV", "ZVD", "ZVDD"):
        assert (
            left(sp.shape_signal(STEP, FREQUENCY, DAMPING, kind)) < 1e-8
        )  # tolerance 1e-10 a step
    two = sp.shape_signal(STEP, [FREQUENCY, 3.1], [DAMPING, 0.0])
    assert left(two) < 1e-8 and left(two, 3.1, 0.0) < 1e-8


@pytest.mark.slow
def test_orders_of_insensitivity():
    """ZV leaves a part proportional to the error of the frequency, ZVD to its square, and so on."""
    orders = []
    for kind in ("ZV", "ZVD", "ZVDD"):
        made = sp.shape_signal(STEP, FREQUENCY, 0.0, kind)
        one, two = (left(made, FREQUENCY * (1.0 + e), 0.0) for e in (0.02, 0.04))
        orders.append(np.log2(two / one))
    assert np.allclose(orders, [1.0, 2.0, 3.0], atol=0.1)


def test_extra_insensitive_leaves_what_it_is_told():
    impulse = sp.shape_signal(STEP, FREQUENCY, 0.0, "EI", residual=0.05)
    later = left(impulse, FREQUENCY, 0.0) / left(STEP, FREQUENCY, 0.0)
    assert later == pytest.approx(0.05, abs=1e-5)


@pytest.mark.parametrize(
    "signal",
    [
        STEP,
        sp.Sine(0.3, 2.0, 0.4, 0.1),
        sp.Table([0.0, 0.3, 0.5], [0.0, 1.0, 0.2], "cubic"),
        sp.Expression("sin(3*t)*exp(-t) + abs(t - 0.4)"),
        2.0 * STEP - "0.3*t" * sp.Sine(1.0, 0.7),
    ],
    ids=lambda s: type(s).__name__,
)
def test_it_is_the_sum_of_delayed_signals(signal, tmp_path):
    made = sp.shape_signal(signal, [2.0, 5.0], 0.1, "ZVD")
    t = np.linspace(-0.5, 2.0, 60)
    pairs = list(zip(made.amplitudes, made.delays, strict=True))
    assert sum(a for a, _ in pairs) == pytest.approx(1.0)
    assert np.allclose(made(t), sum(a * signal(t - d) for a, d in pairs), atol=1e-13)
    assert np.allclose(made.rate(t), sum(a * signal.rate(t - d) for a, d in pairs), atol=1e-11)
    twice = sp.shape_signal(made, 3.0)
    assert np.allclose(twice(t), 0.5 * made(t) + 0.5 * made(t - 1.0 / 6.0), atol=1e-12)
    m = sp.Model()
    body = m.add(sp.RigidBody("b", 1.0, inertia=0.1))
    m.add(sp.Prismatic("rail", m.ground.at(0), body.at(0), axis="x"))
    m.add(sp.JointEffort("push", "rail", made))
    result = sp.simulate(m, 1.0)
    assert np.allclose(result["push"].effort, made(result.t), atol=1e-12)
    sp.files.write_model(m, tmp_path / "m.yaml")
    read = sp.files.read_model(tmp_path / "m.yaml").forces["push"].effort
    assert np.allclose(read(t), made(t), atol=1e-12)


def test_shaped_by_a_linear_model():
    m = sp.Model()
    body = m.add(sp.RigidBody("b", 2.0, inertia=0.1))
    m.add(sp.Prismatic("rail", m.ground.at(0), body.at(0), axis="x"))
    m.add(sp.JointSpring("spring", "rail", stiffness=80.0, damping=3.0))
    made = sp.linearize(m).shape_signal(STEP, kind="ZVD")
    omega = np.sqrt(40.0)
    same = sp.shape_signal(STEP, omega / (2 * np.pi), 3.0 / (4.0 * omega), "ZVD")
    assert np.allclose(made.delays, same.delays) and np.allclose(made.amplitudes, same.amplitudes)
    with pytest.raises(sp.ModelError, match="count is 2, expected at most 1"):
        sp.linearize(m).shape_signal(STEP, 2)


def test_sentences():
    with pytest.raises(sp.ModelError, match=r"frequencies is 0\.0"):
        sp.shape_signal(1.0, 0.0)
    with pytest.raises(sp.ModelError, match=r"damping is 1\.0"):
        sp.shape_signal(1.0, 2.0, 1.0)
    with pytest.raises(sp.ModelError, match="kind is 'XY'"):
        sp.shape_signal(1.0, 2.0, kind="XY")
    with pytest.raises(sp.ModelError, match=r"delays is .*zero or later"):
        sp.ShapedSignal(1.0, [0.5, 0.5], [0.0, -1.0])
