"""Cars on tyres beside closed forms that are not those of the cases."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple import cases
from supple.cases import vehicles as v


def test_the_critical_speed_is_that_of_the_closed_form() -> None:
    assert all(q.passed for q in cases.get("tyre-critical-speed").run())


def bicycle(speed: float, rear: float, sigma: float, tau: float = 1e-3) -> np.ndarray:
    """Eigenvalues of sideslip velocity, yaw rate and both tyre deflections, written by hand."""
    m, I, a, b = v.MASS, v.INERTIA, v.AHEAD, v.BEHIND
    A = np.zeros((4, 4))
    for k, (x, C) in enumerate(((a, v.FRONT), (-b, rear))):
        K, whole = C / sigma, 1.0 + tau * speed / sigma
        # lateral velocity of the patch: vy + x r; force -(K s + tau K s')
        rate = np.array([1.0, x, 0.0, 0.0]) / whole
        rate[2 + k] = -speed / sigma / whole
        force = -K * tau * rate
        force[2 + k] -= K
        A[2 + k] = rate
        A[0] += force / m
        A[1] += x * force / I
    A[0, 1] -= speed
    return np.linalg.eigvals(A)


@pytest.mark.parametrize(
    ("speed", "rear", "sigma"), [(20.0, 90e3, 0.3), (20.0, 90e3, 1e-3), (35.0, 50e3, 0.5)]
)
def test_small_motion_is_that_of_the_single_track(speed: float, rear: float, sigma: float) -> None:
    """With relaxation; without it the textbook's -6.01033333 +- 3.80366839 i at 20 m/s."""
    found = sp.linearize(v.single_track(speed, 0.0, rear, sigma), "initial").eigenvalues
    for wanted in bicycle(speed, rear, sigma):
        assert np.abs(found - wanted).min() < 1e-6 * np.abs(wanted)
    if sigma < 0.01:
        slow = bicycle(speed, rear, 1e-9, 0.0)
        slow = slow[np.abs(slow) < 100.0]
        assert np.allclose(
            np.sort_complex(slow), [-6.01033333 - 3.80366839j, -6.01033333 + 3.80366839j]
        )
