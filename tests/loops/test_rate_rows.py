"""Rows that hold rates alone on random models: their derivatives, tangents, every tree alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

import supple as sp
from models.random_loops import RATES, loop_recipes
from models.random_models import examples
from oracles.formulation_laws import check_alike
from oracles.loop_laws import check_tangents, state
from oracles.rate_laws import check_rows
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model


@examples(60)
@given(loop_recipes(max_closings=1, max_bodies=4, rates=RATES))
def test_rows_of_rates_and_their_derivatives(recipe):
    eq = Equations(build(recipe.model()))
    assume(np.any(eq.compiled.rate_rows))
    check_rows(eq, state(eq, recipe.tree.seed))


@examples(60)
@given(loop_recipes(max_closings=1, max_bodies=5, forces="all", rates=RATES))
def test_every_tree_of_a_model_with_rates_agrees(recipe):
    check_alike(recipe.model(), recipe.tree.seed)


@pytest.mark.slow
@examples(60)
@given(recipe=loop_recipes(max_closings=1, max_bodies=4, forces="all", rates=RATES))
def test_tangents_with_multipliers_equal_complex_steps(columns, recipe):
    check_tangents(columns, recipe)


@examples(6)
@given(loop_recipes(max_closings=1, max_bodies=3, rates=("Blade",)))
def test_runs_keep_their_energy_and_their_rows(recipe):
    """An edge does no work: the audit of energy is as good as the run."""
    model = recipe.model()
    try:
        c = compile_model(model)
    except sp.ModelError as error:  # a driver of something that cannot move
        assume("expected drivers that the constraints can follow" not in str(error))
        raise
    assume(np.any(c.rate_rows))
    ends = {}
    for method in (sp.Radau(), sp.DormandPrince()):
        for form in (sp.JointCoordinates(), sp.Absolute()):
            r = sp.simulate(
                model, 0.1, tolerance=1e-9, output=2, integrator=method, formulation=form
            )
            assume(r.success)
            ends[method, form] = np.stack([r[name].position[-1] for name in model.bodies])
            eq = form.equations(model)
            rows = eq.constraints(r.t[-1], r.q[-1], r.u[-1])
            assert np.abs(rows.rate).max() < 1e-10 * (1.0 + np.abs(r.u).max())
    first, *others = ends.values()
    for other in others:
        assert np.abs(other - first).max() < 1e-6 * (1.0 + np.abs(first).max())
