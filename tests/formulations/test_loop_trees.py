"""Many flexible loops on four trees: equal at a moved state, and equal runs but for their errors.

Models are numbered, so that they can be counted. A model is left out for a number that was computed
only, and each test says how many it needs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import supple as sp
from models.random_loops import flexible_loop
from models.random_trees import WORST, condition, random_tree
from supple.core.base.layout import new_work
from supple.engine.base.compiled import Compiled
from supple.engine.pack.builder import build
from supple.engine.reading.rows import rows_at, scaled_rows
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model, on_constraints, redundant, transferred
from supple.results.data.run_data import History
from supple.state import State

# The first numbers in every run, the others in the long one: at least a hundred models.
QUICK, ALL = range(2), range(2, 130)
some_and_many = pytest.mark.parametrize(
    "numbers", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)], ids=["some", "many"]
)


def needed(numbers: range) -> int:
    """How many of the models must be fit for a test: one in eight may be left out."""
    return len(numbers) * 7 // 8


class UnfitError(Exception):
    """A model that says nothing, with the number that says so."""


def looped(number: int) -> tuple[sp.Model, Compiled]:
    """A model with flexible bodies, assembled, that has constraints and can move."""
    model = flexible_loop(number).model()
    try:
        compiled = compile_model(model)
    except sp.ModelError as error:
        # the rate of a driver's row that no velocity can change
        if "expected drivers that the constraints can follow" not in str(error):
            raise
        raise UnfitError(str(error)) from error
    if not 0 < compiled.nr < compiled.nu:
        raise UnfitError(f"{compiled.nr} rows for {compiled.nu} velocities")
    return model, compiled


def trees(model: sp.Model, number: int) -> list[sp.Formulation]:
    """Joint and absolute coordinates, and two other trees."""
    rng = np.random.default_rng(number)
    branches = [sp.Branch(random_tree(model, rng)) for _ in range(2)]
    return [sp.JointCoordinates(), sp.Absolute(), *branches]


def moved(compiled: Compiled, number: int) -> State:
    """A state away from the start, closed again at 0.3 s, with random velocities and controllers.

    The largest coordinate has gone some 0.3 rad, or as much of the model's length.
    """
    rng = np.random.default_rng([number, 5])
    eq = Equations(compiled)
    table = scaled_rows(compiled, eq.constraints(0.0, eq.q0, eq.u0).G)
    free = np.linalg.svd(table)[2][compiled.nr :].T
    way = free @ rng.normal(size=free.shape[1])
    q = eq.retract(eq.q0, 0.3 * way / np.abs(way).max() * compiled.scale)
    u, z = rng.normal(size=compiled.nu) * compiled.scale, rng.normal(size=compiled.nz)
    try:
        return on_constraints(compiled, State(0.3, q, u, z))
    except sp.ModelError as error:  # a driver has gone out of reach by then, and how far
        assert "stays" in str(error)
        raise UnfitError(str(error)) from error


def at_one_state(number: int) -> tuple[float, list[tuple[Compiled, History]]]:
    """The worst condition, and what all trees of a model say about its moved state."""
    model, first = looped(number)
    there = moved(first, number)
    worst, found = 1.0, []
    for form in trees(model, number):
        compiled = compile_model(model, tree=form.tree(model))
        q, u = transferred(first, there.q, there.u, compiled)
        state = on_constraints(compiled, State(there.t, q, u, there.z))
        eq = Equations(compiled)
        worst = max(worst, condition(eq, state.t, state.q))
        if worst > WORST:
            raise UnfitError(f"condition {worst:.1e}")
        found.append((compiled, eq.body_states(state.t, state.q, state.u, state.z)[1]))
    return worst, found


def kept(numbers: range, compute) -> Iterator:
    """What a function finds for each number that is not left out."""
    count = 0
    for number in numbers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)  # beams with half of a pair of modes
            try:
                found = compute(number)
            except UnfitError:
                continue
        count += 1
        yield number, found
    assert count >= needed(numbers)


@some_and_many
def test_every_tree_agrees_at_a_moved_state(numbers):
    """Accelerations and unique reactions to 1e-9, times the condition above 1e6."""
    unique = 0
    for number, (worst, found) in kept(numbers, at_one_state):
        tolerance = 1e-9 * max(worst / 1e6, 1.0)
        c, first = found[0]
        sizes = {k: np.abs(getattr(first, k)).max() for k in ("V", "A", "reaction", "wrench")}
        shared = bool(redundant(c))
        unique += not shared
        for other, states in found[1:]:
            bodies = [other.body_names.index(name) for name in c.body_names]
            joints = [other.joint_names.index(name) for name in c.joint_names]
            assert np.abs(states.p[:, bodies] - first.p).max() < 1e-9, number
            assert np.abs(states.V[:, bodies] - first.V).max() < 1e-9 * (1 + sizes["V"]), number
            apart = np.abs(states.A[:, bodies] - first.A).max()
            assert apart < tolerance * (1.0 + sizes["A"]), number
            for kind in () if shared else ("reaction", "wrench"):
                apart = np.abs(getattr(states, kind)[:, joints] - getattr(first, kind)).max()
                assert apart < tolerance * (1.0 + sizes[kind] + sizes["A"]), (number, kind)
            assert states.energy == pytest.approx(first.energy, rel=1e-9, abs=1e-9), number
    assert unique >= len(numbers) // 2


SPAN = 0.02  # s: some 40 steps of models with beams
TOLERANCE = 1e-5
NEWTON = 0.003  # part of the tolerance at which the iterations of a step stop
ROUNDING = 1e-12  # of singular values: a hundred times that of rows of a few terms


def run(model: sp.Model, form: sp.Formulation, tolerance: float) -> tuple[np.ndarray, int]:
    """Poses of all bodies and elastic coordinates along a short run (nt, n), and its steps."""
    r = sp.simulate(model, SPAN, formulation=form, tolerance=tolerance, output=8)
    assert r.success, r.message
    c, h = r.data.compiled, r.data.history
    bodies = [c.body_names.index(name) for name in model.bodies]
    elastic = [r.q[:, c.flexible[name].q] for name in sorted(c.flexible)]
    columns = [h.p[:, bodies].reshape(len(r.t), -1), h.R[:, bodies].reshape(len(r.t), -1)]
    return np.hstack([*columns, *elastic]), r.statistics["steps"]


def left_out(model: sp.Model, form: sp.Formulation, compiled: Compiled) -> float:
    """Largest singular value, of the largest, by which rows that are left out are independent.

    Trees leave out different ones. Two joints at neighbouring places of a beam are an example: the
    beam between them is nearly rigid.
    """
    whole = build(model, (), form.tree(model))
    rows = rows_at(whole, new_work(whole.ints), 0.0, compiled.q0, np.zeros(compiled.nu))
    values = np.linalg.svd(scaled_rows(whole, rows.G), compute_uv=False)
    return float(values[compiled.nr] / values[0]) if len(values) > compiled.nr else 0.0


def runs(number: int) -> list[tuple[np.ndarray, float]]:
    """The path of each tree, and what it changes with a tenth of the tolerance."""
    model, _ = looped(number)
    forms = trees(model, number)
    for form in forms:
        compiled = compile_model(model, tree=form.tree(model))
        worst = condition(Equations(compiled))
        if worst > WORST:
            raise UnfitError(f"condition {worst:.1e}")
        rest = left_out(model, form, compiled)
        if rest > ROUNDING:
            raise UnfitError(f"rows that are left out are independent by {rest:.1e}")
    found = []
    for form in forms:
        (path, steps), (tight, more) = (run(model, form, t) for t in (TOLERANCE, TOLERANCE / 10))
        change = float(np.abs(path - tight).max())
        if steps == more:  # break points set the steps: what is seen is what Newton leaves
            change = max(change, NEWTON * TOLERANCE * steps)
        found.append((path, change))
    return found


@some_and_many
@pytest.mark.slow
def test_runs_of_all_trees_agree_within_their_own_errors(numbers):
    """They differ by at most ten times what each changes when its tolerance is a tenth."""
    for number, found in kept(numbers, runs):
        for k, (path, change) in enumerate(found):
            for other, its in found[:k]:
                apart = float(np.abs(path - other).max())
                # rounding of places that condition and steps multiply is far below
                assert apart <= 10.0 * max(change, its, 1e-13), (number, apart, change, its)
