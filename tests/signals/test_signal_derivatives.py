"""Rates and curvatures of signals: complex steps, closed forms, and the rules of the kernels."""

from __future__ import annotations

import dis
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import supple as sp
from models.formulas import FORMULAS, one_slider
from models.signal_samples import SIGNALS
from supple.core.base import opcodes as op
from supple.core.forces import signals as kernels
from supple.native.declare import Kernel
from supple.signals import expressions

STEP = 1e-30
SMOOTH = list(FORMULAS)[:6]
MIXED = 3 - (SIGNALS["sine"] + 2) * SIGNALS["cubic"] / 4 + sp.Expression("t**2") - SIGNALS["step"]


def python(kernel):
    """The kernel as a Python function with those it calls, whether or not they are compiled."""
    function = getattr(kernel, "function", kernel)
    used = {step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}
    names = dict(function.__globals__)
    names |= {name: python(names[name]) for name in used if isinstance(names.get(name), Kernel)}
    return FunctionType(function.__code__, names)


@pytest.mark.parametrize("text", SMOOTH)
def test_derivatives_of_formulas_against_complex_steps(text):
    operations = expressions.parse(text).operations
    t = np.linspace(0.1, 2.9, 29)
    shifted = t + 1j * STEP
    value, rate, curvature = sp.Expression(text).derivatives(t)
    assert_array_equal(value, sp.Expression(text)(t))
    # Rounding of terms up to a few thousand (the second derivative of 215 sin**3).
    assert_allclose(rate, expressions.run(operations, shifted).imag / STEP, rtol=1e-12, atol=1e-11)
    wanted = expressions.run_derivatives(operations, shifted)[1].imag / STEP
    assert_allclose(curvature, wanted, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("signal", [*SIGNALS.values(), MIXED, -MIXED, SIGNALS["step"] ** 3])
def test_derivatives_of_signals_against_differences(signal):
    """Fourth order: h**4/30 times the sixth derivative is 2e-8 for the cube of the step."""
    t = np.linspace(-0.97, 5.61, 48)
    h = 1e-3
    far = np.all([abs(t - b) > 3 * h for b in (*signal.breakpoints(), 0, 1, 2.5, 3)], axis=0)
    t = t[far]
    for of, found in ((signal, signal.rate(t)), (signal.rate, signal.curvature(t))):
        slope = (8 * (of(t + h) - of(t - h)) - (of(t + 2 * h) - of(t - 2 * h))) / (12 * h)
        assert_allclose(found, slope, rtol=1e-7, atol=1e-7)


def test_closed_forms_of_derivatives():
    t = np.linspace(-1, 3, 9).reshape(3, 3)
    s = t - 0.7
    polynomial = SIGNALS["polynomial"]  # 1 - 2 s + s**2/2 + 3 s**3
    assert_allclose(polynomial.rate(t), -2 + s + 9 * s**2, rtol=1e-13, atol=1e-13)
    assert_allclose(polynomial.curvature(t), 1 + 18 * s, rtol=1e-13, atol=1e-13)
    w = 2 * np.pi * 0.7
    sine = SIGNALS["sine"]
    assert_allclose(sine.rate(t), 2 * w * np.cos(w * t + 0.3), atol=1e-13)
    assert_allclose(sine.curvature(t), -2 * w**2 * np.sin(w * t + 0.3), atol=1e-12)
    step = sp.SmoothStep(0, 2, before=1, after=5)
    assert_allclose(step.rate(1.0), 4 * 15 / 16, rtol=1e-14)  # 15/8 rise/duration in the middle
    assert_allclose(step.curvature(0.5), 4 * 45 / 32, rtol=1e-14)  # 60 (s - 3 s^2 + 2 s^3), s = 1/4
    assert isinstance(step.rate(1.0), float)
    assert isinstance(step.curvature(1), float)
    assert sp.Constant(3).rate(7.0) == sp.Expression("3").curvature(7.0) == 0.0


def test_derivatives_are_those_to_the_right():
    table = sp.Table((0, 1, 2), (0, 3, -1))
    assert_array_equal(table.rate(np.array([-0.1, 0, 0.5, 1, 1.5, 2, 9])), [0, 3, 3, -4, -4, 0, 0])
    spline = SIGNALS["cubic"]
    assert spline.rate(0.0) != 0.0
    assert spline.rate(4.5) == spline.curvature(4.5) == 0.0
    kinked = sp.Expression("abs(t - 1) + 2*max(0, 1 - t) + step(t)")
    assert_array_equal(kinked.rate(np.array([-1.0, 0.0, 1.0, 2.0])), [-3, -3, 1, 1])
    assert_array_equal(sp.Expression("t**1 + t**2").curvature(np.zeros(2)), [2, 2])


def test_ends_of_recorded_data():
    spline = SIGNALS["cubic"]
    assert spline.ends() == (0.0, 4.5)
    assert (2 * spline + SIGNALS["step"]).ends() == (0.0, 4.5)
    assert SIGNALS["linear"].ends() == SIGNALS["step"].ends() == SIGNALS["sine"].ends() == ()


@pytest.mark.parametrize("name", SIGNALS)
def test_kernel_of_signals_has_the_same_derivatives(name):
    signal = SIGNALS[name]
    code, integers, numbers = signal.program()
    program = np.array(integers, dtype=int)
    tree = SimpleNamespace(signal=np.array([[code, 0, 0]]), data=numbers, program=program)
    for t in (*np.linspace(-1, 6, 57), *signal.breakpoints()):
        found = python(kernels.plain)(tree, 0, float(t))
        assert_allclose(found, signal.derivatives(t), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("code", range(op.ADD, op.STEP + 1))
def test_kernel_of_operations_has_the_same_rules(code):
    rng = np.random.default_rng(code)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3))
        a[0] = rng.uniform(0.05, 0.95)  # where all of them have a value
        argument = float(rng.choice([-1, 0, 1, 2, 2.5]))
        push = [(op.SIGNAL, 0.0), (op.SIGNAL, 1.0)]
        if code <= op.MAXIMUM:
            cell = a.copy()
            python(kernels.binary)(cell, b, code)
            found = expressions.run_derivatives(
                [*push, (code, 0.0)], np.zeros(()), [tuple(a), tuple(b)]
            )
        else:
            if code in (op.NEGATE, op.ABSOLUTE, op.SIGN, op.STEP, op.SINE_OF):
                a[0] *= rng.choice([-1, 1])
            cell = a.copy()
            python(kernels.unary)(cell, code, argument)
            found = expressions.run_derivatives(
                [push[0], (code, argument)], np.zeros(()), [tuple(a)]
            )
        assert_allclose(found, cell, rtol=1e-12, atol=1e-12)


def test_a_run_sees_the_same_rate():
    """The rate of a target enters the effort of a controller with kd alone."""
    eq = one_slider(sp.PID("pid", "rail", kd=1.0, target=MIXED))
    for t in (*np.linspace(-0.5, 5, 23), *MIXED.breakpoints()):
        found = -eq.residual(t, eq.q0, eq.u0, np.zeros(1), eq.z0)[0]
        assert_allclose(found, MIXED.rate(t), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("text", ["3 + min(t, 1) + max(t - 1, 0)", "abs(1 - t) - 2*max(0, 1 - t)"])
def test_one_side_of_a_kink(text: str) -> None:
    """Where parts have kinks at one time, all of them give their slope right of it."""
    assert sp.Expression(text).derivatives(np.array(1.0))[1] == 1.0
    model = sp.Model()
    block = model.add(sp.RigidBody("block", 2.0, inertia=(1, 1, 1)))
    rail = model.add(sp.Prismatic("rail", model.ground.at(0), block.at(0), axis="x"))
    model.add(sp.Driver("driver", rail, sp.Expression(text)))
    rates = sp.kinematics(model, 1.5, output=0.5)["rail"].rates
    assert_allclose(rates, 1.0, atol=1e-12)
