"""Regulators and observers: closed forms, poles of the closed loop, cost, sentences."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate

import supple as sp
from models.controlled_arm import arm, press

MASS = 2.0


def cart(stiffness=0.0, **start):
    m = sp.Model()
    body = m.add(sp.RigidBody("cart", MASS, inertia=0.1))
    m.add(sp.Prismatic("rail", m.ground.at(0), body.at(0), axis="x", **start))
    if stiffness:
        m.add(sp.JointSpring("spring", "rail", stiffness=stiffness, damping=0.3))
    return m


def test_regulator_of_a_mass_has_a_closed_form():
    q1, q2, r = 30.0, 2.0, 0.1
    found = sp.lqr(cart(), "rail", Q=[q1, q2], R=r)
    first = np.sqrt(q1 / r)
    assert np.allclose(found.K, [[first, np.sqrt(q2 / r + 2.0 * MASS * first)]])
    assert found.inputs == ("rail.displacement",) and found.input_units == ("N",)
    named = {"rail.displacement": q1, "rail.displacement.rate": q2}
    assert np.allclose(sp.lqr(cart(), "rail", Q=named, R={"rail.displacement": r}).K, found.K)


@pytest.mark.parametrize(
    "build",
    [press, pytest.param(arm, marks=pytest.mark.slow)],
    ids=["closed loop", "flexible arm"],
)
def test_poles_of_the_model_are_those_of_the_design(build):
    m, joint = build(), {"press": "drive", "arm": "hub"}[build.__name__]
    if joint == "drive":
        m.add(sp.JointSpring("coil", "shaft", stiffness=8.0, damping=0.1))
    found = sp.lqr(m, joint, Q=10.0, R=0.5)
    controlled = m.copy()
    controlled.add(found.controller("servo"))
    linear = sp.linearize(controlled)
    order = lambda x: x[np.lexsort((x.imag.round(6), x.real.round(6)))]  # noqa: E731
    assert np.allclose(order(linear.eigenvalues), order(found.poles), rtol=1e-6, atol=1e-6)
    outputs = {"drive": "shaft.angle", "hub": "hub.angle"}[joint]
    filtered = sp.observer(m, joint, outputs, process=10.0, measurement=1e-4)
    watched = m.copy()
    watched.add(found.controller("servo", observer=filtered))
    both = np.concatenate([found.poles, filtered.poles])
    eigenvalues = sp.linearize(watched).eigenvalues
    assert np.allclose(order(eigenvalues), order(both), rtol=1e-5, atol=1e-5)


def test_sampled_regulator_and_its_cost():
    m, period = cart(30.0, initial=0.4, initial_rate=-0.3), 0.05
    Q, R = np.diag([50.0, 1.0]), 0.2
    found = sp.lqr(m, "rail", Q=Q, R=R, period=period)
    m.add(found.controller("servo"))
    result = sp.simulate(m, 5.0, output=2000, tolerance=1e-9)
    samples = result["servo"].samples
    x = np.array([0.4, -0.3])
    for row in samples.measured[:40]:
        assert np.allclose(row, x, atol=1e-7)
        x = (found.A - found.B @ found.K) @ x
    # the cost of the motion is that which the design promises; its rest after 5 s is nothing
    start = np.array([0.4, -0.3])
    rail, u = result["rail"], result["servo"].effort
    states = np.stack([rail.displacement, rail.displacement_rate])
    rate = np.einsum("it,ij,jt->t", states, Q, states) + R * u**2
    total = 0.0
    for k in range(0, 2000, 20):  # between samples, where the effort is constant
        last = states[:, k + 20]
        values = np.append(rate[k : k + 20], last @ Q @ last + R * u[k] ** 2)
        total += scipy.integrate.simpson(values, dx=period / 20)
    end = states[:, -1]  # what is left to come
    total += end @ found.cost @ end
    assert total == pytest.approx(start @ found.cost @ start, rel=1e-6)


def test_sampled_observer_brings_the_cart_home():
    m, period = cart(-8.0 + 8.0, initial=0.4), 0.05
    law = sp.lqr(m, "rail", Q=[50.0, 1.0], R=0.2, period=period)
    seen = sp.observer(m, "rail", "rail", process=1.0, measurement=1e-6, period=period)
    m.add(law.controller("servo", observer=seen, target=[0.0]))
    result = sp.simulate(m, 4.0, tolerance=1e-9)
    samples = result["servo"].samples
    # discrete motion of mass and estimate together, exactly
    whole = np.block(
        [
            [law.A, -law.B @ law.K],
            [seen.L @ seen.C, law.A - law.B @ law.K - seen.L @ seen.C],
        ]
    )
    x = np.array([0.4, 0.0, 0.0, 0.0])
    for row, estimate in zip(samples.measured[:60], samples.states[:60], strict=True):
        assert np.allclose(row, x[:2], atol=1e-7) and np.allclose(estimate, x[2:], atol=1e-7)
        x = whole @ x
    assert abs(result["rail"].displacement[-1]) < 1e-3
    assert np.max(np.abs(seen.poles)) < 1.0


def two_carts():
    m = cart()
    other = m.add(sp.RigidBody("other", 1.0, inertia=0.1))
    m.add(sp.Prismatic("track", m.ground.at(0, 1), other.at(0), axis="x"))
    return m


def test_sentences():
    with pytest.raises(sp.ModelError, match=r"lqr: inputs is .* reach the mode 0 1/s of track\."):
        sp.lqr(two_carts(), "rail")
    with pytest.raises(sp.ModelError, match=r"lqr: Q is .* sees the mode 0 1/s of track\."):
        sp.lqr(two_carts(), ["rail", "track"], Q={"rail.displacement": 1.0})
    with pytest.raises(sp.ModelError, match=r"observer: outputs is .* show the mode 0 1/s of"):
        sp.observer(two_carts(), ["rail", "track"], "rail")
    with pytest.raises(sp.ModelError, match=r"R is 0\.0, expected positive weights"):
        sp.lqr(cart(), "rail", R=0.0)
    with pytest.raises(sp.ModelError, match=r"Q is .*none of them negative"):
        sp.lqr(cart(), "rail", Q=[1.0, -1.0])
    with pytest.raises(sp.ModelError, match=r"Q is 'rail', expected one of rail.displacement"):
        sp.lqr(cart(), "rail", Q={"rail": 1.0})
    m = cart()
    with pytest.raises(sp.ModelError, match="expected joints, coordinates or motors"):
        sp.lqr(m, (m["cart"].at(0), "x"))
    with pytest.raises(sp.ModelError, match="expected a Model or what linearize returned"):
        sp.lqr(3, "rail")
    with pytest.raises(sp.ModelError, match="a model linearized at rest"):
        sp.lqr(sp.linearize(cart(initial_rate=1.0), "initial"), "rail")
    one = sp.lqr(m, "rail")
    with pytest.raises(sp.ModelError, match=r"delay is 0\.1, expected none of a continuous"):
        one.controller("servo", delay=0.1)
    seen = sp.observer(m, "rail", "rail", period=0.1)
    with pytest.raises(sp.ModelError, match="the same model and period"):
        one.controller("servo", observer=seen)


@pytest.mark.slow
def test_eight_links_come_to_their_target():
    """Huang's PD stays off by the weight over its gain; the regulator ends on its target."""
    found = runpy.run_path(str(Path(__file__).parents[2] / "examples/gallery/eight_links.py"))
    before, now = np.abs(found["missed"])
    assert before.max() > 0.03 and now.max() < 1e-3
    result = found["result"]
    assert result.energy.level == result.momentum.level == "trusted"
    assert result.verdict.startswith("balanced")  # sampled controllers are not called again
