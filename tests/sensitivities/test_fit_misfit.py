"""A fit whose run does not follow the records says so, and looks from other starts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.sensitivities.fit import misfit, noise


def swing(length: float = 1.0, damping: float = 0.0, drag: float = 0.0) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    bob = m.add(sp.RigidBody("bob", 1.0, com=(0, 0, -length), inertia=1e-3))
    m.add(sp.Revolute("pin", m.ground.at(0), bob.at(0), "y", initial=0.5))
    m.add(sp.JointSpring("oil", "pin", damping=damping))
    m.add(sp.JointFriction("rub", "pin", coulomb=drag, transition=0.05))
    return m


T = np.linspace(0.0, 8.0, 160)
QUICK: dict[str, Any] = {"tolerance": "default"}


@pytest.fixture(scope="module")
def angle() -> np.ndarray:
    return np.asarray(sp.simulate(swing(), 8.0, output=T)["pin"].angle)


def test_a_local_minimum_is_told_and_left(angle: np.ndarray) -> None:
    """Twice the length is out of step: from there the search ends far from one metre."""
    start = {"length": 2.5}
    stuck = sp.fit(swing, start, {"pin.angle": (T, angle)}, starts=1, **QUICK)
    assert abs(stuck.values["length"] - 1.0) > 0.5 and stuck.searches == 1
    assert "local minimum" in stuck.doubts[0] and "no interval" in stuck.doubts[0]
    assert np.isinf(stuck.intervals["length"]) and "no interval" in str(stuck)
    found = sp.fit(swing, start, {"pin.angle": (T, angle)}, **QUICK)
    assert found.values["length"] == pytest.approx(1.0, rel=1e-4)  # 1e-5 of angles is the tolerance
    assert not found.doubts and found.searches > 1


def test_noise_is_no_misfit_and_costs_no_other_starts(angle: np.ndarray) -> None:
    for seed in range(3):
        record = angle + 0.1 * np.random.default_rng(seed).normal(size=T.size)
        found = sp.fit(swing, {"length": 1.05}, {"pin.angle": (T, record)}, **QUICK)
        assert not found.doubts and found.searches == 1
        assert abs(found.values["length"] - 1.0) < 2.0 * found.intervals["length"]


def test_a_model_that_lacks_friction_is_told() -> None:
    record = sp.simulate(swing(1.0, 0.05, 0.15), 8.0, output=T)["pin"].angle
    record = record + 0.002 * np.random.default_rng(1).normal(size=T.size)
    start = {"length": 1.1, "damping": (0.1, 0.001, 5.0)}
    found = sp.fit(swing, start, {"pin.angle": (T, record)}, **QUICK)
    assert "follow each other" in found.doubts[0] and "widened" in found.doubts[0]
    right = sp.fit(swing, start | {"drag": (0.1, 0.0, 1.0)}, {"pin.angle": (T, record)}, **QUICK)
    assert not any("misses" in doubt for doubt in right.doubts)
    assert abs(right.values["drag"] - 0.15) < 2.0 * right.intervals["drag"]


def test_deviations_that_are_too_small_are_told(angle: np.ndarray) -> None:
    record = angle + 0.02 * np.random.default_rng(2).normal(size=T.size)
    given = {"length": 1.05}, {"pin.angle": (T, record)}
    small = sp.fit(swing, *given, deviations={"pin.angle": 0.005}, **QUICK)
    assert "times the deviation that was given" in small.doubts[0]
    right = sp.fit(swing, *given, deviations={"pin.angle": 0.02}, **QUICK)
    assert not right.doubts
    # an interval follows what is left, not a deviation that cannot be true
    assert small.intervals["length"] == pytest.approx(right.intervals["length"], rel=0.2)


def test_residuals_that_follow_each_other() -> None:
    """Waves of any length are seen; independent errors, few samples and rounding are not."""
    rng, t = np.random.default_rng(3), np.linspace(0.0, 1.0, 101)
    record = np.sin(9.0 * t)
    waves = [0.02 * np.sin(2.0 * np.pi * n * t + 0.3) for n in (1, 7, 20, 49)]
    assert all(misfit("y", t, record, wave, None).serial for wave in waves)
    white = [misfit("y", t, record, rng.normal(size=101), None) for _ in range(200)]
    assert not any(m.serial for m in white)
    assert misfit("y", t, record, 1e-4 * waves[0], None).doubts() == []
    assert not misfit("y", t[:8], record[:8], waves[0][:8], None).serial
    # errors of a first-order filter of 0.8 are worth 9 independent ones
    slow = rng.normal(size=4000)
    for k in range(1, len(slow)):
        slow[k] += 0.8 * slow[k - 1]
    long = np.linspace(0.0, 1.0, 4000)
    assert misfit("y", long, np.sin(long), slow, None).length == pytest.approx(9.0, rel=0.3)


def test_the_noise_of_a_record_is_seen_in_itself() -> None:
    rng, t = np.random.default_rng(4), np.sort(np.random.default_rng(5).uniform(0.0, 5.0, 2000))
    y = np.sin(3.0 * t)
    assert noise(t, y + 0.01 * rng.normal(size=t.size)) == pytest.approx(0.01, rel=0.1)
    assert noise(t, y) < 1e-4
