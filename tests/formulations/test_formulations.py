"""One engine, any tree: joint, absolute and branch coordinates of the same model agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

import supple as sp
from models.random_loops import loop_recipes
from models.random_models import examples
from models.random_trees import WORST, condition, random_tree
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model, redundant, transferred


def compiled_alike(model: sp.Model, seed: int) -> list[Compiled]:
    """The model on four trees, all in the state of the first."""
    rng = np.random.default_rng(seed)
    try:
        first = compile_model(model)
    except sp.ModelError as error:  # a driver of something that cannot move
        assume("expected drivers that the constraints can follow" not in str(error))
        raise
    trees = [sp.Absolute().tree(model), random_tree(model, rng), random_tree(model, rng)]
    return [first, *(compile_model(model, tree=tree) for tree in trees)]


def check_alike(model: sp.Model, seed: int) -> None:
    """Accelerations and wrenches of all trees agree within 1e-9, times the condition above 1e6."""
    found = []
    worst = 1.0
    for compiled in compiled_alike(model, seed):
        eq = Equations(compiled)
        size = condition(eq)
        assume(size < WORST)
        worst = max(worst, size)
        try:
            found.append((compiled, eq.body_states(0.0, eq.q0, eq.u0)))
        except sp.ModelError:
            assume(False)  # the random model locks here
    tolerance = 1e-9 * max(worst / 1e6, 1.0)
    c, (a, first) = found[0]
    assume(np.all(np.isfinite(a)))
    unique = not redundant(c)
    sizes = {k: np.abs(getattr(first, k)).max() for k in ("A", "reaction", "wrench")}
    for other, (_, states) in found[1:]:
        bodies = [other.body_names.index(name) for name in c.body_names]
        joints = [other.joint_names.index(name) for name in c.joint_names]
        assert np.abs(states.p[:, bodies] - first.p).max() < 1e-9
        assert np.abs(states.V[:, bodies] - first.V).max() < 1e-9 * (1 + np.abs(first.V).max())
        difference = np.abs(states.A[:, bodies] - first.A).max()
        assert difference < tolerance * (1.0 + sizes["A"])
        if unique:
            for kind in ("reaction", "wrench"):
                change = getattr(states, kind)[:, joints] - getattr(first, kind)
                assert np.abs(change).max() < tolerance * (1.0 + sizes[kind] + sizes["A"])
        assert states.energy == pytest.approx(first.energy, rel=1e-9, abs=1e-9)


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
