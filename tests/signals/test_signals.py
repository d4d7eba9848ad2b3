"""Signals: values, programs for the kernel, break points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

import supple as sp
from models.signal_samples import SIGNALS
from supple.signals import OPEN_END, as_signal


def run_program(code: int, sizes: tuple[int, ...], params: np.ndarray, t: float) -> float:
    """Evaluate a program by the words of its definition, one number at a time."""
    if code == 1:
        amplitude, omega, phase, offset = params
        return float(offset + amplitude * np.sin(omega * t + phase))
    n, k = sizes
    breaks = params[: n + 1]
    origins = params[n + 1 : 2 * n + 1]
    coefficients = params[2 * n + 1 :]
    assert len(coefficients) == n * k
    t = min(max(t, breaks[0]), breaks[n])
    piece = 0
    while piece < n - 1 and t >= breaks[piece + 1]:
        piece += 1
    s = t - origins[piece]
    return float(sum(coefficients[piece * k + i] * s**i for i in range(k)))


@pytest.mark.parametrize("name", SIGNALS)
def test_program_gives_the_value(name: str) -> None:
    signal = SIGNALS[name]
    code, sizes, params = signal.program()
    assert params.dtype == np.float64
    assert params.ndim == 1
    for t in np.linspace(-1, 6, 101):
        assert_allclose(run_program(code, sizes, params, t), signal(t), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SIGNALS)
def test_calls_are_vectorised(name: str) -> None:
    signal = SIGNALS[name]
    assert isinstance(signal(0.3), float)
    t = np.linspace(-1, 6, 12).reshape(3, 4)
    values = signal(t)
    assert values.shape == (3, 4)
    assert_allclose(values.ravel(), [signal(float(x)) for x in t.ravel()], rtol=1e-15)


def test_closed_forms() -> None:
    t = np.linspace(-1, 6, 57)
    assert_array_equal(SIGNALS["constant"](t), 2.5)
    s = t - 0.7
    cubic = 1 - 2 * s + 0.5 * s**2 + 3 * s**3
    # The value passes zero, where the rounding of its terms, of order one, remains.
    assert_allclose(SIGNALS["polynomial"](t), cubic, rtol=1e-13, atol=1e-14)
    assert_allclose(SIGNALS["linear"](t), np.interp(t, (0, 1, 2.5, 3), (1, 3, -2, -2)), atol=1e-14)
    assert_allclose(SIGNALS["sine"](t), 2 * np.sin(2 * np.pi * 0.7 * t + 0.3) - 1, atol=1e-14)
    spline = CubicSpline((0, 1, 2.5, 3, 4.5), (1, 3, -2, -2, 0))
    assert_allclose(SIGNALS["cubic"](t), spline(np.clip(t, 0, 4.5)), atol=1e-13)


def test_cubic_table_reproduces_a_cubic_polynomial() -> None:
    times = np.array([0.0, 0.4, 1.0, 1.7, 2.0])
    t = np.linspace(0, 2, 41)
    table = sp.Table(times, 1 - times + 2 * times**3, interpolation="cubic")
    assert_allclose(table(t), 1 - t + 2 * t**3, atol=1e-13)


def test_two_points_make_a_line() -> None:
    assert_allclose(sp.Table((1, 3), (0, 4), interpolation="cubic")(2.0), 2.0, atol=1e-15)


def test_smooth_step_has_two_continuous_derivatives() -> None:
    step = SIGNALS["step"]
    assert (step(0.0), step(0.5), step(2.0), step(9.0)) == (-1.0, -1.0, 3.0, 3.0)
    assert_allclose(step(1.25), 1.0, atol=1e-14)
    h = 1e-4
    for t in (0.5, 2.0):
        slope = (step(t + h) - step(t - h)) / (2 * h)
        curvature = (step(t + h) - 2 * step(t) + step(t - h)) / h**2
        assert abs(slope) < 1e-6
        assert abs(curvature) < 1e-2  # of order h: the third derivative jumps by 71


@given(st.floats(-5, 5), st.floats(0.1, 5), st.floats(-3, 3), st.floats(-3, 3))
def test_smooth_step_stays_between_its_ends(
    start: float, duration: float, before: float, after: float
) -> None:
    step = sp.SmoothStep(start, start + duration, before, after)
    values = step(np.linspace(start - 1, start + duration + 1, 50))
    assert values.min() >= min(before, after) - 1e-12
    assert values.max() <= max(before, after) + 1e-12


def test_break_points() -> None:
    assert SIGNALS["constant"].breakpoints() == ()
    assert SIGNALS["polynomial"].breakpoints() == ()
    assert SIGNALS["sine"].breakpoints() == ()
    assert SIGNALS["linear"].breakpoints() == (0.0, 1.0, 2.5)  # flat at the end: no jump at 3
    assert SIGNALS["cubic"].breakpoints() == (0.0, 4.5)
    assert SIGNALS["step"].breakpoints() == (0.5, 2.0)
    assert sp.SmoothStep(0, 1, 2, 2).breakpoints() == ()
    assert sp.Table((0, 0.1, 0.3, 1), (0, 0.1, 0.3, 1)).breakpoints() == (0.0, 1.0)
    assert sp.Table((0, 1), (0, 0)).breakpoints() == ()


def test_open_ends() -> None:
    code, sizes, params = sp.Constant(7).program()
    assert code == 0 and sizes == (1, 1)
    assert_array_equal(params, [-OPEN_END, OPEN_END, 0, 7])


def test_as_signal() -> None:
    sine = SIGNALS["sine"]
    assert as_signal(sine) is sine
    assert as_signal(np.float64(3.0))(1.0) == 3.0
    assert as_signal("3")(1.0) == 3.0
    with pytest.raises(sp.ModelError, match="expected a finite number, a signal"):
        as_signal([3])
