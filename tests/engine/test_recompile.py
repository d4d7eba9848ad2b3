"""Models beside a compiled one have the buffers of the same models compiled whole, to the bit."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import supple as sp
from models import random_gradient, random_loops
from models.random_models import examples, flexible_recipes, recipes
from models.rolling_bodies import ROLLING
from supple.engine.base.compiled import Compiled
from supple.engine.pack.builder import build
from supple.engine.reading.recompile import Beside

STEP = 3e-5
FIELDS = ("ints", "reals", "q0", "u0", "z0", "scale", "rate_scale", "gravity")


def numbers(value: Any, path: str, depth: int = 3) -> list[str]:
    """Paths to all numbers in a value."""
    if isinstance(value, float):
        return [path] if np.isfinite(value) else []
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return [f"{path}.{'.'.join(map(str, k))}" for k in np.ndindex(value.shape)]
    if depth and isinstance(value, tuple):
        return [n for k, x in enumerate(value) for n in numbers(x, f"{path}.{k}", depth - 1)]
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    if depth and not isinstance(value, (type, sp.bodies.Body)):
        return [
            name
            for f in fields
            if f.init
            for name in numbers(getattr(value, f.name), f"{path}.{f.name}", depth - 1)
        ]
    return []


def parameters(model: sp.Model) -> list[str]:
    """Paths to all numbers of all items of a model."""
    found = []
    for name in model:
        item = model[name]
        for f in dataclasses.fields(item):
            if f.init:
                found += numbers(getattr(item, f.name), f"{name}.{f.name}")
    return found


def expect_same(one: Compiled, two: Compiled, path: str) -> None:
    for field in FIELDS:
        a, b = getattr(one, field), getattr(two, field)
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), (path, field)
    for field in ("length", "breakpoints", "rows", "kinds", "force_names", "energy_creating"):
        assert getattr(one, field) == getattr(two, field), (path, field)
    assert [label for label, _ in one.signals] == [label for label, _ in two.signals]
    for name, body in two.bodies.items():
        for f in dataclasses.fields(body.body):
            pair = (getattr(x.bodies[name].body, f.name) for x in (one, two))
            assert _alike(*pair), (path, name, f.name)
    for name, (node, pose) in two.own_frames.items():
        assert one.own_frames[name][0] == node and np.array_equal(one.own_frames[name][1].p, pose.p)
    for name, record in two.joints.items():
        assert np.array_equal(one.joints[name].place, record.place), (path, name)


def _alike(a: Any, b: Any) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else (a is b or a == b)


def check(model: sp.Model, seed: int, count: int = 12) -> None:
    """Displace some numbers of a model, of all kinds of items."""
    base = build(model)
    beside = Beside(model, base)
    rng = np.random.default_rng(seed)
    names = parameters(model)
    tried = 0
    for path in rng.permutation(names)[: 2 * count]:
        other, (item, _, field) = model.copy(), str(path).partition(".")
        value = sp.modelling.replacement.value_at(model[item], field)
        by = STEP * (abs(float(value)) or 1.0) * (1 if rng.random() < 0.5 else -1)
        try:
            new = other.replace(item, **{field: float(value) + by})
            whole = build(other)
        except sp.ModelError:
            continue  # no model has this number: half of a symmetric matrix, a place off a body
        expect_same(beside.of(other, model[item], new), whole, str(path))
        tried += 1
        if tried == count:
            return


@examples(40)
@given(recipes(forces="all", max_bodies=5))
def test_random_trees(recipe) -> None:
    check(recipe.model(), recipe.seed)


@examples(20)
@given(flexible_recipes(forces="all", max_bodies=3))
def test_random_flexible_trees(recipe) -> None:
    check(recipe.model(), recipe.seed, 6)


@examples(20)
@given(random_loops.loop_recipes(forces="all", max_bodies=4))
def test_random_loops(recipe) -> None:
    check(recipe.model(), recipe.tree.seed, 6)


@examples(10)
@given(random_loops.loop_recipes(forces="all", max_bodies=4, rates=random_loops.RATES))
def test_random_models_with_rows_of_rates(recipe) -> None:
    check(recipe.model(), recipe.tree.seed, 6)


@pytest.mark.parametrize("name", ROLLING)
def test_bodies_that_roll(name: str) -> None:
    check(ROLLING[name](), 1, 12)


@pytest.mark.parametrize("number", range(3))
def test_random_models_with_bodies_without_a_frame(number: int) -> None:
    check(random_gradient.mixed(number).model(), number, 4)


@examples(20)
@given(flexible_recipes(forces="none", max_bodies=3))
def test_random_trees_on_which_no_force_acts(recipe) -> None:
    check(recipe.model(), recipe.seed, 6)
