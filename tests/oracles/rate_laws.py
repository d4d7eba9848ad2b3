"""Rows that hold rates alone beside differences: what is the derivative of what."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from models.random_models import State
from oracles.residual_laws import close
from supple.core.base import layout as at
from supple.formulations.equations import Equations

STEP = 1e-3
STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}  # fourth order


def difference(f) -> np.ndarray:
    """Derivative of f at 0 by a central difference of fourth order."""
    return sum(w * np.asarray(f(k * STEP)) for k, w in STENCIL.items()) / STEP


def check_rows(eq: Equations, s: State, accuracy: float = 1e-9) -> None:
    """The rate is A u + b; H is its derivative along increments, the acceleration along motion."""
    rated = eq.compiled.rate_rows
    assert eq.compiled.ints[at.H_RATES] == np.count_nonzero(rated) > 0
    found = eq.constraints(s.t, s.q, s.u, s.a)
    assert_array_equal(found.violation[rated], 0.0)
    size = 10.0 * (1.0 + np.abs(found.G).max() + np.abs(found.H).max())
    for k, unit in enumerate(np.eye(eq.nu)):

        def moved(x: float, d=unit):
            return eq.constraints(s.t, eq.retract(s.q, x * d), s.u)

        def faster(x: float, d=unit):
            return eq.constraints(s.t, s.q, s.u + x * d).rate

        gap = difference(lambda x, f=moved: f(x).violation)
        close(found.G[~rated, k], gap[~rated], accuracy, size)
        close(found.H[:, k], difference(lambda x, f=moved: f(x).rate), accuracy, size)
        close(found.G[:, k], difference(faster), accuracy, size)
    speed = difference(lambda x: eq.constraints(s.t + x, s.q, s.u).rate)
    close(found.acceleration, found.G @ s.a + found.H @ s.u + speed, 10.0 * accuracy, size)
