"""Rates of increments as plain Python: the kernels of charts against differences of each other."""

from __future__ import annotations

import numpy as np
import pytest

from models.plain_models import every_kind, second_order
from supple.core.base.layout import new_work, views
from supple.core.bodies import chart
from supple.formulations.trees import JointCoordinates

STEP = 1e-3  # s; differences of order six err by STEP^6/140 of the seventh derivative
POINTS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / (60.0 * STEP)


def derivative(function) -> np.ndarray:
    return np.tensordot(WEIGHTS, [function(k * STEP) for k in POINTS], axes=1)


@pytest.mark.parametrize("build", [every_kind, second_order])
def test_rates_of_increments(build) -> None:
    """A way with velocity u and acceleration a, seen from where it was an increment xi before."""
    equations = JointCoordinates().equations(build())
    c = equations.compiled
    tree, _ = views(c.ints, c.reals, new_work(c.ints))
    u, a, xi = np.random.default_rng(3).normal(size=(3, equations.nu)) * [[1.0], [2.0], [0.6]]
    q = equations.retract(equations.q0, xi)

    def moved(t: float) -> np.ndarray:
        return equations.increment(equations.q0, equations.retract(q, u * t))

    def rate(t: float) -> np.ndarray:
        out = np.empty(equations.nu)
        chart.rate(tree, xi + first * t, u + a * t, out)
        return out

    first, again, second = (np.empty(equations.nu) for _ in range(3))
    chart.rate(tree, xi, u, first)
    np.testing.assert_allclose(derivative(moved), first, atol=1e-10)
    chart.velocity(tree, xi, first, again)
    np.testing.assert_allclose(again, u, atol=1e-14)
    chart.acceleration(tree, xi, first, u, a, second)
    np.testing.assert_allclose(derivative(rate), second, atol=1e-10)
    along = derivative(lambda t: equations.retract(q, u * t))
    np.testing.assert_allclose(equations.qdot(q, u), along, atol=1e-10)


def test_increments_from_a_start_that_moved_on() -> None:
    """Increments x + d of one start lead where those of the start at x lead."""
    equations = JointCoordinates().equations(every_kind())
    c = equations.compiled
    tree, _ = views(c.ints, c.reals, new_work(c.ints))
    x, d = np.random.default_rng(4).normal(size=(2, equations.nu))
    turned = d.copy()
    chart.turn_on(tree, x, turned)
    there = equations.retract(equations.q0, x + d)
    again = equations.retract(equations.retract(equations.q0, x), turned)
    np.testing.assert_allclose(equations.increment(there, again), 0.0, atol=1e-13)
    assert np.abs(turned - d).max() > 0.1  # of a free joint
    chart.turn_on(tree, x, nothing := np.zeros(equations.nu))
    np.testing.assert_allclose(nothing, 0.0, atol=1e-15)
