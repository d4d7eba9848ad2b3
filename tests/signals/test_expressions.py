"""Expression signals: what is accepted, values, kernels, kinks, sums of signals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from models.formulas import FORMULAS, one_slider
from supple.signals import expressions


@pytest.mark.parametrize("text", FORMULAS)
def test_values_in_python_and_in_the_kernel(text):
    t = np.linspace(0.01, 2.93, 37)
    signal = sp.Expression(text)
    assert_allclose(signal(t), FORMULAS[text](t), rtol=1e-13, atol=1e-13)
    assert isinstance(signal(0.5), float)
    eq = one_slider(sp.JointEffort("effort", "rail", text))
    found = [-eq.residual(s, eq.q0, eq.u0, np.zeros(1))[0] for s in t]
    assert_allclose(found, FORMULAS[text](t), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("text", list(FORMULAS)[:6])
def test_rates_in_the_kernel(text):
    """The derivative of a target enters the effort of a controller with kd alone."""
    eq = one_slider(sp.PID("pid", "rail", kd=1.0, target=text))
    h = 1e-5
    for t in np.linspace(0.1, 2.7, 9):
        found = -eq.residual(t, eq.q0, eq.u0, np.zeros(1), eq.z0)[0]
        slope = (FORMULAS[text](t + h) - FORMULAS[text](t - h)) / (2 * h)
        assert_allclose(found, slope, rtol=1e-7, atol=1e-6)


def test_kinks_are_found():
    assert sp.Expression("step(t - 1) + abs(3 - 2*t)").breakpoints() == (1.0, 1.5)
    assert sp.Expression("max(t/2, 1)").breakpoints() == (2.0,)
    assert sp.Expression("sin(t)").breakpoints() == ()
    assert sp.Expression("abs(sin(pi*t))", kinks=[2, 1]).breakpoints() == (1.0, 2.0)
    assert (2 * sp.Expression("step(t - 1)") + sp.SmoothStep(0, 3)).breakpoints() == (0, 1, 3)


def test_a_jump_in_an_expression_is_landed_on():
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 2.0, inertia=(1, 1, 1)))
    m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), axis="x"))
    m.add(sp.JointEffort("push", "rail", "3*step(t - 0.37)"))
    for integrator in (sp.Radau(), sp.DormandPrince()):
        r = sp.simulate(m, t_end=1.0, integrator=integrator)
        assert_allclose(r["rail"].displacement[-1], 0.75 * 0.63**2, rtol=1e-12)
        assert r.statistics["rejected"] == 0


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("__import__('os').system('ls')", "is not a call of a known function"),
        ("t.real", "'t.real' is not allowed"),
        ("sin(t", "no expression"),
        ("sinn(t)", "did you mean 'sin'"),
        ("(lambda: 1)()", "is not a call of a known function"),
        ("1e999", "too large"),
        ("9**9**9", "not a finite number"),
        ("t if t else 2", "is not allowed"),
        ("x + 1", "unknown name 'x', known are t, pi, tau, e"),
        ("sin(t, 2)", "sin has 2 arguments, expected 1"),
        ("max(t)", "expected 2 or more"),
        ("True", "True is not a number"),
        ("", "no expression"),
        ("(" * 60 + "t" + ")" * 60 + "+" * 3000, "at most 2000"),
        ("1+(" * 40 + "t" + ")" * 40, "too deeply nested"),
    ],
)
def test_everything_else_is_refused_in_one_sentence(text, part):
    with pytest.raises(sp.ModelError) as caught:
        sp.JointEffort("push", "rail", text)
    message = str(caught.value)
    assert part in message
    assert message.startswith("JointEffort 'push': effort is ")
    assert "\n" not in message


def test_sums_and_products_of_signals():
    a, b = sp.Sine(2, 0.5), sp.Table((0, 1, 2), (1, 3, -2))
    t = np.linspace(-0.5, 2.5, 31)
    mixed = 3 - (a + 2) * b / 4 + np.float64(2) * sp.Expression("t**2") - b + "t"
    wanted = 3 - (a(t) + 2) * b(t) / 4 + 2 * t**2 - b(t) + t
    assert_allclose(mixed(t), wanted, atol=1e-13)
    assert_allclose((-a)(t), -a(t))
    eq = one_slider(sp.JointEffort("effort", "rail", mixed), sp.JointEffort("b", "rail", b))
    found = [-eq.residual(s, eq.q0, eq.u0, np.zeros(1))[0] for s in t]
    assert_allclose(found, wanted + b(t), atol=1e-12)
    assert mixed.breakpoints() == b.breakpoints()


def test_depth_counts_open_terms():
    assert expressions.parse("t + 1").depth == 2
    assert expressions.parse("1 + 2 + 3").depth == 1  # folded
    assert expressions.parse("t*(t + t*(t - t))").depth == 5
