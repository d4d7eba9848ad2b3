"""Tangents of controllers with states, by complex steps; efforts that are cut and that are not."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.core.base.layout import new_work, read_work
from supple.core.equations import dynamics
from supple.formulations.trees import JointCoordinates

STEP = 1e-30


def arm(limit) -> sp.Model:
    model = sp.Model(gravity=(0, -9.81, 0))
    one = model.add(sp.RigidBody("one", 2.0, (0.25, 0, 0), (1e-3, 0.04, 0.04)))
    two = model.add(sp.RigidBody("two", 1.0, (0.2, 0, 0), (5e-4, 0.014, 0.014)))
    model.add(sp.Revolute("shoulder", model.ground.at(0), one.at(0), "y", 0.3, 1.0))
    model.add(sp.Revolute("elbow", two.at(0), one.at(0.5), "z", -1.0, 0.5))
    model.add(sp.Motor("motor", "elbow", 1e-3, ratio=-7.0))
    rng = np.random.default_rng(3)
    shapes = {"D": (2, 4), "A": (3, 3), "B": (3, 4), "C": (2, 3), "back": (3, 2)}
    law = sp.ControlLaw(**{name: rng.normal(size=shape) for name, shape in shapes.items()})
    more = {"target": ["sin(3*t)", 0.2], "feedforward": [1.0, "t"], "limit": limit}
    model.add(
        sp.StateSpaceController("c", ["motor", "shoulder"], law, ["elbow", "shoulder"], **more)
    )
    return model


def evaluated(equations, q, u, a, z) -> tuple[np.ndarray, np.ndarray]:
    """Residual and rates of the states of complex numbers."""
    c = equations.compiled
    work, r = new_work(c.ints, complex), np.zeros(len(u), complex)
    given = [np.asarray(x, dtype=complex) for x in (q, u, a, z)]
    dynamics.residual(c.ints, c.reals, work, 0.4, *given, r)
    return r, read_work(c.ints, work).zdot.copy()


@pytest.mark.parametrize("limit", [np.inf, [1e-3, np.inf], 1e-3], ids=["free", "one", "both"])
def test_tangents_of_states(limit) -> None:
    equations = JointCoordinates().equations(arm(limit))
    rng = np.random.default_rng(5)
    q, u, a = (rng.normal(size=2) for _ in range(3))
    z = rng.normal(size=3)
    found = equations.tangents(0.4, q, u, a, z)
    pairs = (0, found.Rq, found.Gq), (1, found.Ru, found.Gu), (3, found.Rz, found.Gz)
    for given, of_r, of_z in pairs:
        for k in range(of_r.shape[1]):
            state = [np.array(x, dtype=complex) for x in (q, u, a, z)]
            state[given][k] += 1j * STEP
            r, zdot = evaluated(equations, *state)
            np.testing.assert_allclose(of_r[:, k], r.imag / STEP, atol=1e-12)
            np.testing.assert_allclose(of_z[:, k], zdot.imag / STEP, atol=1e-12)
    assert np.any(found.Rz != 0.0) == (np.size(limit) == 2 or limit == np.inf)
