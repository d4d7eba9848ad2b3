"""Tangents of tyres, kernels as plain Python: every law, wheel and road."""

from __future__ import annotations

import numpy as np
import pytest

from models.tyre_models import LAWS, over_road
from oracles.complex_steps import compare
from supple.core.base.layout import KIND, new_work, read_model, read_work
from supple.core.contact import pairs, tyres
from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates


def branch(equations: Equations, q, u, a, z) -> int:
    """Branch of the tyre."""
    compiled = equations.compiled
    ints, reals, work = compiled.ints, compiled.reals, new_work(compiled.ints)
    dynamics.residual(ints, reals, work, 0.4, q, u, a, z, np.zeros(equations.nu))
    model, views = read_model(ints, reals), read_work(ints, work)
    (e,) = np.flatnonzero(model.element[:, KIND] == pairs.TYRE)
    return int(tyres.tyre_branch(model, views, int(e), z) % 4)


def state(equations: Equations, seed: int, size: float = 0.1) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(seed)
    q = equations.retract(equations.q0, 0.02 * random.standard_normal(equations.nu))
    u = equations.u0 + random.standard_normal(equations.nu)
    return q, u, random.standard_normal(equations.nu), size * random.standard_normal(equations.nz)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("kind", "road"), [("torus", "plane"), ("torus", "heights")])
def test_tangents_are_the_complex_step(law: str, kind: str, road: str) -> None:
    equations = JointCoordinates().equations(over_road(LAWS[law], kind, road))
    for seed in (1, 2):
        q, u, a, z = state(equations, seed)
        compare(equations, q, u, a, z)
        assert branch(equations, q, u, a, z) == (3 if "slides" in law else 2)


@pytest.mark.parametrize("kind", ["edge", "cylinder"])
def test_tangents_of_other_wheels(kind: str) -> None:
    equations = JointCoordinates().equations(over_road(LAWS["brush"], kind))
    compare(equations, *state(equations, 3))


def test_tangents_where_nothing_rolls_or_slips() -> None:
    """No speed, no deflection: nothing is divided by either."""
    equations = JointCoordinates().equations(over_road(LAWS["brush"]))
    q, u, a, z = state(equations, 1, 0.0)
    found = equations.tangents(0.0, q, 0.0 * u, a, z)
    for matrix in (found.Rq, found.Ru, found.Rz, found.Gq, found.Gu, found.Gz):
        assert np.isfinite(matrix).all()


def test_tangents_of_an_open_tyre_and_one_that_let_go() -> None:
    for depth, expected in ((-0.2, 0), (0.02, 1)):
        equations = JointCoordinates().equations(over_road(LAWS["linear"], depth=depth))
        q, u, a, z = state(equations, 1)
        u[equations.nu - 1] += 9.0 if expected == 1 else 0.0
        assert branch(equations, q, u, a, z) == expected
        compare(equations, q, u, a, z)
