"""Slopes of weighted residuals along numbers of the compiled model, against differences of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from scipy.spatial.transform import Rotation

from models.random_models import examples, flexible_recipes, recipes
from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.equations import trajectory_tangents as along
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations


def weighted(compiled, reals, state, weights) -> float:
    t, q, u, a, z = state
    out = np.zeros((1, compiled.nu + compiled.nz))
    rows = q[None], u[None], a[None], z[None], np.zeros((1, 0))
    time = np.array([t])
    along.residuals(compiled.ints, reals, new_work(compiled.ints), time, *rows, out)
    return float(weights @ out[0, : compiled.nu])


def changes(reals, compiled, node: int, rng) -> tuple:
    """Reals displaced to both sides in one number of a node, and its place among the slopes."""
    k = int(rng.integers(along.NODE_SLOPES))
    ends = []
    for by in (1e-5, -1e-5):
        moved = reals.copy()
        body = at.read_model(compiled.ints, moved).body[node]
        if k < along.MASS:
            turn, shift = np.zeros(3), np.zeros(3)
            (turn if k < 3 else shift)[k % 3] = by
            R = Rotation.from_rotvec(turn).as_matrix()
            body[:9] = (R @ body[:9].reshape(3, 3)).ravel()
            body[9:12] = R @ body[9:12] + shift
        else:
            body[at.BODY_M + k - along.MASS] += by
        ends.append(moved)
    return k, *ends


def check(recipe) -> None:
    compiled = build(recipe.model())
    equations = Equations(compiled)
    state = recipe.state(equations)
    rng = np.random.default_rng(recipe.seed)
    weights = rng.normal(size=(1, compiled.nu))
    nodes = at.read_model(compiled.ints, compiled.reals).node
    out = np.zeros((len(nodes), along.NODE_SLOPES))
    t, q, u, a, z = state
    n = compiled.nu
    scratch = [np.zeros((n, n)) for _ in range(3)]
    rows = q[None], u[None], a[None], z[None]
    work = new_work(compiled.ints)
    given = compiled.ints, compiled.reals, work, np.array([t]), *rows, weights, 1
    along.node_slopes(*given, *scratch, out)
    here = weighted(compiled, compiled.reals, state, np.abs(weights[0]))
    for node in rng.integers(1, len(nodes), size=4):
        k, first, second = changes(compiled.reals, compiled, node, rng)
        rigid = nodes[node, at.HEAVY] == at.RIGID
        if k >= along.MASS and not rigid:
            continue
        if k < along.MASS and nodes[node, at.MOTION] == at.ELASTIC_OUT:
            continue  # it begins at the frame of its body, always
        ends = [weighted(compiled, x, state, weights[0]) for x in (first, second)]
        slope = (ends[0] - ends[1]) / 2e-5
        # of order 2 over 1e-5, and rounding of the residual
        size = np.max(np.abs(out[node])) + abs(here)
        assert abs(slope - out[node, k]) <= 1e-7 * size, (recipe, node, k, slope, out[node, k])


@examples(60)
@given(recipes(max_bodies=6))
def test_slopes_along_frames_and_inertias_of_rigid_trees(recipe) -> None:
    check(recipe)


@examples(60)
@given(flexible_recipes())
def test_slopes_along_frames_and_inertias_of_flexible_trees(recipe) -> None:
    check(recipe)
