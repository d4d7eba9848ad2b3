"""One engine, any tree: joint, absolute and branch coordinates of the same model agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

import supple as sp
from models.random_loops import loop_recipes
from models.random_models import examples
from models.random_trees import condition, random_tree
from oracles.formulation_laws import check_alike, compiled_alike
from supple.formulations.equations import Equations
from supple.loops.assembly import transferred


@examples(100)
@given(loop_recipes(max_closings=2, max_bodies=5, forces="all"))
def test_every_tree_of_a_looped_model_agrees(recipe):
    check_alike(recipe.model(), recipe.tree.seed)


@examples(60)
@given(loop_recipes(max_closings=2, flexible=True, forces="all"))
def test_every_tree_of_a_flexible_loop_agrees(recipe):
    check_alike(recipe.model(), recipe.tree.seed)


def path(model: sp.Model, formulation, tolerance: float) -> np.ndarray:
    """Places of all bodies along a short run (nt, bodies, 3)."""
    r = sp.simulate(model, 0.2, formulation=formulation, tolerance=tolerance, output=5)
    assert r.success, r.message
    return np.stack([r[name].position for name in model.bodies], axis=1)


@examples(8)
@given(loop_recipes(max_closings=1, max_bodies=4, joints_only=True))
def test_runs_of_all_trees_agree_within_their_own_errors(recipe):
    """They differ by at most ten times what each changes when its tolerance is a tenth."""
    model = recipe.model()
    eqs = [Equations(c) for c in compiled_alike(model, recipe.tree.seed)]
    assume(max(condition(eq) for eq in eqs) < 1e6)
    rng = np.random.default_rng(recipe.tree.seed)
    forms = [sp.JointCoordinates(), sp.Absolute(), sp.Branch(random_tree(model, rng))]
    try:
        runs = [[path(model, f, tolerance) for tolerance in (1e-6, 1e-7)] for f in forms]
    except AssertionError as error:  # a random mechanism that runs into a singular position
        assume("step fell below" not in str(error) and "singular" not in str(error))
        raise
    size = 1.0 + np.abs(runs[0][1]).max()
    changes = [np.abs(loose - tight).max() for loose, tight in runs]
    for (loose, _), change in zip(runs[1:], changes[1:], strict=True):
        apart = np.abs(loose - runs[0][0]).max()
        assert apart <= 10.0 * max(change, changes[0], 1e-9 * size)


@examples(20)
@given(loop_recipes(max_closings=1, max_bodies=4))
def test_states_travel_between_trees_and_back(recipe):
    first, *others = compiled_alike(recipe.model(), recipe.tree.seed)
    for other in others:
        q, u = transferred(other, other.q0, other.u0, first)
        joints = first.joints.values()
        for record in joints:
            x, rate = record.to_user(q, u)
            y, expected = record.to_user(first.q0, first.u0)
            same = np.allclose(x, y, atol=1e-9)
            turned = record.kind != "axes" and np.allclose(x[:4], -y[:4], atol=1e-9)
            assert same or turned
            assert rate == pytest.approx(expected, abs=1e-8)
