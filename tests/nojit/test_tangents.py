"""Analytic tangents against complex steps through the very same kernels, as plain Python.

A few random models of each kind; `make test-slow` draws many, with kernels compiled for complex
numbers.
"""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings

from models.random_loops import RATES, loop_recipes
from models.random_models import flexible_recipes, recipes
from models.rolling_bodies import ROLLING
from oracles import flexible_laws, loop_laws, residual_laws
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations

ONCE = (Phase.generate,)  # a failure is not made smaller: that takes hours in plain Python


@settings(max_examples=8, phases=ONCE)
@given(recipe=recipes(forces="all"))
def test_rigid_trees(columns, recipe):
    residual_laws.check_tangents(columns, recipe)


@settings(max_examples=3, phases=ONCE)
@given(recipe=flexible_recipes(max_bodies=2, forces="all"))
def test_flexible_trees(columns, recipe):
    flexible_laws.check_tangents(columns, recipe)


@settings(max_examples=20, phases=ONCE)
@given(recipe=loop_recipes(max_closings=2, max_bodies=3, forces="all"))
def test_loops_with_multipliers(columns, recipe):
    loop_laws.check_tangents(columns, recipe)


@settings(max_examples=8, phases=ONCE)
@given(recipe=loop_recipes(max_closings=1, max_bodies=2, flexible=True))
def test_flexible_loops(columns, recipe):
    loop_laws.check_tangents(columns, recipe)


@settings(max_examples=12, phases=ONCE)
@given(recipe=loop_recipes(max_closings=1, max_bodies=3, forces="all", rates=RATES))
def test_rows_that_hold_rates_alone(columns, recipe):
    loop_laws.check_tangents(columns, recipe)


@pytest.mark.parametrize("name", ROLLING)
def test_bodies_that_roll(columns, name: str) -> None:
    loop_laws.check_tangents_of(columns, Equations(build(ROLLING[name]())), 4)
