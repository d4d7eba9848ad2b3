"""One engine, any tree: what is the same in joint, absolute and branch coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume

import supple as sp
from models.random_trees import WORST, condition, random_tree
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model, redundant


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
