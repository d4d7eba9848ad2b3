"""Accelerations under constraints by blocks: the same as by the whole system."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import assume, example, given

import supple as sp
from models.chains import chain
from models.closed_loops import four_bar, spatial_loop
from models.random_loops import LoopRecipe, flexible_loop, loop_recipes
from models.random_models import Recipe, examples
from models.random_trees import condition
from supple.core.base import layout as at
from supple.core.equations import dynamics
from supple.engine.base.compiled import Compiled
from supple.engine.sparsity import block_plan
from supple.engine.sparsity.plan import with_plan
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model, transferred

BLOCKS, ADDED, ARTICULATED, FRONTS = 1.0, 2.0, 3.0, 4.0  # core/equations/kkt.py


def both_ways(c: Compiled) -> tuple[float, list[np.ndarray]]:
    """Factors used, and accelerations with multipliers by blocks and by the whole system.

    By fronts, too, if there is a plan of them. Where no row is in use, since all depend on others,
    the recursion over the bodies makes no factors.
    """
    fronts, whole = c.ints.copy(), c.ints.copy()
    at.integers(fronts, "plan")[at.PLAN_USABLE] = 0
    whole[at.H_ASKED] = at.DENSE
    whole = with_plan(whole, c.reals)
    found, used = [], []
    for ints in (c.ints, whole, *[fronts][: c.ints[at.H_PLANNED]]):
        work, a = at.new_work(ints), np.zeros(c.nu)
        state = c.q0.copy(), c.u0.copy(), c.z0.copy()
        bad = dynamics.accelerate(ints, c.reals, work, 0.0, *state, a)
        if bad != -1:  # something moves without mass, or rows depend on others
            assert not condition(Equations(c)) < 1e9
            assume(False)
        found.append(np.concatenate([a, at.read_work(ints, work).lam]))
        used.append(float(at.read_work(ints, work).factors[0]))
    recursion = c.nr == 0 and c.ints[at.H_WAY] == at.TREE_WAY
    assert used[1:] == [0.0, 0.0 if recursion else FRONTS][: len(found) - 1]
    return used[0], found


def backward_error(eq: Equations, solution: np.ndarray) -> float:
    """Largest residual of [M G'; G 0], in units of its largest term, scaled as in ``condition``.

    solution : accelerations, then multipliers
    """
    c = eq.compiled
    rows = eq.constraints(0.0, eq.q0, eq.u0)
    M = eq.mass_matrix(eq.q0) * np.outer(c.scale, c.scale)
    mean = np.mean(np.diag(M)) or 1.0
    row = 1.0 / np.maximum(np.linalg.norm(rows.G * c.scale, axis=1), 1e-300)
    G = rows.G * np.outer(row, c.scale)
    a, lam = solution[: c.nu] / c.scale, solution[c.nu :] / row / mean
    bias = eq.residual(0.0, eq.q0, eq.u0, np.zeros(c.nu), eq.z0) * c.scale / mean
    motion = np.hstack([M / mean * a, G.T * lam, bias[:, None]])
    held = np.hstack([G * a, (rows.acceleration * row)[:, None]])
    left = max(np.abs(part.sum(axis=1)).max(initial=0.0) for part in (motion, held))
    return left / max(np.abs(part).max(initial=0.0) for part in (motion, held))


def check(model: sp.Model, formulation: sp.JointCoordinates | sp.Absolute) -> float:
    """Both ways solve the equations to rounding; then they differ by rounding times condition."""
    c = compile_model(model, tree=formulation.tree(model), linear=formulation.way())
    used, found = both_ways(c)
    eq, whole = Equations(c), found[1]
    worst = condition(eq)
    assume(worst < 1e9)
    rounding = len(whole) * np.finfo(float).eps
    for solution in found:
        assert backward_error(eq, solution) < 10 * rounding
        for part in (slice(0, c.nu), slice(c.nu, None)):
            size = 1.0 + np.abs(whole[part]).max(initial=0.0)
            error = np.abs(solution[part] - whole[part]).max(initial=0.0)
            assert error < max(1e-10, 2 * rounding * worst) * size
    return used


# nothing can move: what rows leave must be rounding of the rows, not of the forces that cancel
HELD = Recipe(("Fixed",) * 3, 111, forces="all", beams=(False, True, False), second_order=True)
HELD_BY_JOINTS = Recipe(("Fixed", "Revolute", "Prismatic"), 1767276074, forces="all")
# all rows of the closing joint depend on others
NO_ROW = Recipe(("Cylindrical", *("Fixed",) * 3), 0, forces="all", beams=(True, False, True, True))


@examples(60)
@example(LoopRecipe(HELD, ("Fixed",)))
@example(LoopRecipe(NO_ROW, ("Fixed",)))
@given(loop_recipes(max_closings=2, flexible=True, forces="all"))
def test_blocks_give_what_the_whole_system_gives(recipe):
    """Closing joints of all kinds, couplings and drivers on their coordinates, flexible bodies."""
    ways = sp.JointCoordinates("blocks"), sp.JointCoordinates("tree"), sp.Absolute()
    try:
        used = [check(recipe.model(), f) for f in ways]
    except sp.ModelError:
        assume(False)  # a driver of something that cannot move
    assume(not any(u == 0.0 for u in used))


@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()])
@pytest.mark.parametrize("model", [four_bar, spatial_loop])
def test_closed_loops_use_blocks(model, formulation):
    assert check(model(), formulation) == BLOCKS


def closed_chain(links: int) -> sp.Model:
    """A chain whose last link is held by a ball joint where it is."""
    model = chain(links)
    last = model.bodies[f"link{links - 1}"]
    model.add(sp.Spherical("end", model.ground.at(0.5 * links), last.at(0.5)))
    return model


def test_long_loops_are_solved_in_order_n():
    model = closed_chain(24)
    assert check(model, sp.JointCoordinates()) == ARTICULATED
    model.replace("link11", inertia=(0, 0.02, 0.02))  # thin, but its neighbours move with it
    assert check(model, sp.JointCoordinates()) == ARTICULATED


def test_a_thin_body_in_a_loop_is_left_to_the_blocks():
    """Here the last one: a point on the axis on which it hangs."""
    model = four_bar()
    model.replace("rocker", com=(0.5, 0, 0), inertia=(0.08, 0.08, 0))
    used = [check(model, sp.JointCoordinates(linear)) for linear in ("tree", "blocks")]
    assert used == [ADDED, ADDED]


@pytest.mark.parametrize("about", [0.0, 1e-15])
def test_a_thin_rod_needs_inertia_that_is_added_and_taken_away(about):
    """It has none about its axis, or that of rounding; its joints hold it there."""
    model = four_bar()
    rod = {"mass": 1.5, "com": (0.4, 0, 0), "inertia": (about, 0.08, 0.08)}
    model.replace("coupler", **rod)
    assert check(model, sp.Absolute()) == ADDED


@pytest.mark.parametrize("mass", [1e-6, 1e-12])
def test_bodies_without_inertia_are_held_by_joints_that_are_eliminated_later(mass, monkeypatch):
    """Gimbals between links: three pins give their rings the motion of the links.

    Fronts of rings have next to no inertia; only together with the rows of all pins they do.
    """
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    model = sp.Model(gravity=(0, -3, -9.81))
    end = model.ground.at(0)
    for i in range(3):
        link = sp.RigidBody(f"link{i}", 1.0, (0.25, 0, 0), (4e-3, 0.02, 0.02))
        rings = [sp.RigidBody(f"{k}{i}", mass, (0, 0, 0), (1e-2 * mass,) * 3) for k in "ab"]
        for axis, body in zip("xyz", [*rings, link], strict=True):
            model.add(body)
            pin = f"{axis}{i}"
            model.add(sp.Revolute(pin, end, body.at(0), axis=axis, initial=0.2, initial_rate=0.1))
            end = body.at(0)
        end = link.at(0.5)
    c = compile_model(model, tree=sp.Absolute().tree(model))
    assert c.ints[at.H_PLANNED] == 1
    check(model, sp.Absolute())


POINTS = [
    LoopRecipe(
        Recipe(("Revolute", "Universal", "Spherical"), 2054679355, forces="all"),
        ("PointOnPlane", "General"),
    ),
    LoopRecipe(
        Recipe(
            ("Revolute", "Prismatic", "Cylindrical", "Cylindrical", "Prismatic"),
            1820740861,
            forces="all",
        ),
        ("Planar", "Prismatic", "Driver"),
    ),
]


@pytest.mark.parametrize("recipe", POINTS, ids=["closed by five rows", "of many joints"])
def test_points_that_joints_keep_from_turning(recipe, monkeypatch):
    """Every second body is a point: their fronts were singular, one after the other."""
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    model = recipe.model()
    for name in list(model.bodies)[::2]:
        model.replace(name, com=(0, 0, 0), inertia=(0, 0, 0))
    check(model, sp.Absolute())


def test_what_holds_everything_has_accelerations_by_fronts(monkeypatch):
    """Forces cancel; what is left of them is no reason to refuse the rows."""
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    check(LoopRecipe(HELD_BY_JOINTS, ("Fixed",)).model(), sp.Absolute())


def test_what_no_constraint_holds_is_still_named():
    """A thin rod on ball joints may spin without inertia: there is no acceleration."""
    model = spatial_loop()
    model.replace("rod", com=(0.4, 0, 0), inertia=(0, 0.05, 0.05))
    with pytest.raises(sp.ModelError, match=r"\(.* of body '.*'\) moves no mass of its own"):
        sp.simulate(model, 0.1, formulation=sp.Absolute(), integrator=sp.DormandPrince())




def test_a_chain_of_free_bodies_has_a_narrow_envelope():
    """Each of its five rows reaches those of the joint before it and no others."""
    c = compile_model(chain(12), tree=sp.Absolute().tree(chain(12)))
    plan = at.integers(c.ints, "plan")
    assert plan[at.PLAN_USABLE] == 1
    rows = 5 * 12
    low = plan[plan[at.PLAN_LOWS] :][:rows]
    assert np.array_equal(low, np.maximum(5 * (np.arange(rows) // 5 - 1), 0))
    first = plan[plan[at.PLAN_FIRST] :][: c.nu]
    assert np.array_equal(first[:72], 6 * (np.arange(72) // 6))
    assert np.all(first[72:] == -1)  # the joints' own coordinates


def test_a_line_that_begins_to_bend():
    """Its inertia about itself grows from nothing with the square of its deflection."""
    model = flexible_loop(19).model()
    line = model.bodies["body1"]
    assert isinstance(line, sp.Beam) and not line.rotary_inertia
    c = compile_model(model, tree=sp.Absolute().tree(model))
    record = c.flexible["body1"]
    way = np.random.default_rng(0).normal(size=record.modal.n) * c.scale[record.u]
    for size in np.logspace(-7, -2, 41):
        q = c.q0.copy()
        q[record.q] = size * way
        _, (blocks, whole, *_) = both_ways(dataclasses.replace(c, q0=q))
        for part in (slice(0, c.nu), slice(c.nu, None)):
            apart = np.abs(blocks[part] - whole[part]).max()
            assert apart < 1e-10 * np.abs(whole[part]).max(), size


def test_rows_hold_where_little_inertia_makes_them_nearly_dependent():
    """An end of a beam has a few millionths of its inertia left: one correction is not enough.

    By blocks rows were off by 5e-4 of their terms there; rounding over the smallest pivot that is
    accepted, squared, is 1e-10.
    """
    model = flexible_loop(27).model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)  # beams with few modes
        run = sp.simulate(model, 0.005, output=25, tolerance=1e-8)
    c = compile_model(model, tree=["free:body3", "free:body0", "joint3", "joint2"])
    eq = Equations(c)
    for t, q, u, z in zip(run.t, run.q, run.u, run.z, strict=True):
        state = transferred(run.data.compiled, q, u, c)
        a = eq.accelerate(t, *state, z)
        rows = eq.constraints(t, *state, a)
        assert np.abs(rows.acceleration).max() < 1e-9 * np.abs(rows.G * a).max(), t


@pytest.mark.parametrize("build", [lambda: chain(8), spatial_loop, four_bar])
@pytest.mark.parametrize("size", [1e-9, 1e-5])
def test_projection(build, size) -> None:
    """States are moved onto the constraints by blocks as they are by the whole system.

    What is left is rounding. Of larger violations rates keep as much as the rows turn on the way,
    squared: velocities are corrected twice.
    """
    model = build()
    c = compile_model(model, tree=sp.Absolute().tree(model))
    eq, rng = Equations(c), np.random.default_rng(5)
    whole = c.ints.copy()
    whole[at.H_ASKED] = at.DENSE
    d = size * rng.normal(size=(3, c.nu)) * c.scale
    q = np.array([eq.retract(c.q0, row) for row in d])
    u = rng.normal(size=(3, c.nu)) * c.rate_scale
    found = []
    for ints in (c.ints, with_plan(whole, c.reals)):
        places, rates = q.copy(), u.copy()
        scratch = at.new_work(ints), np.zeros(3), places, rates, np.zeros(c.nu), np.zeros(c.nq)
        left = dynamics.project(ints, c.reals, *scratch)
        assert left <= 1e-14 * max(c.length, np.abs(places).max())
        for row, rate in zip(places, rates, strict=True):
            rows = eq.constraints(0.0, row, rate)
            assert np.abs(rows.violation).max() <= left + 1e-15
            terms = np.abs(rows.G) @ np.abs(rate)
            assert np.all(np.abs(rows.rate) <= (1e-12 + 1e2 * size**2) * terms.max())
        found.append((places, rates))
    (q1, u1), (q2, u2) = found
    assert np.abs(u1 - u).max() > 1e-3  # something was to be done
    if size < 1e-6:
        assert np.abs(q1 - q2).max() <= 1e-13 * np.abs(q2).max()
        assert np.abs(u1 - u2).max() <= 1e-11 * np.abs(u2).max()
