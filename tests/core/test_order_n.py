"""Accelerations by the recursion over the bodies, beside the whole mass matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis.errors import UnsatisfiedAssumption

import supple as sp
from models.chains import chain
from models.random_models import KINDS, Recipe, condition
from oracles.rounding import LEFT
from supple import cases
from supple.cases.arms import huang_order_n
from supple.core.base import layout as at
from supple.engine.sparsity.solver_choice import way_name
from supple.formulations.equations import Equations


def random_tree(seed: int) -> Recipe:
    """Up to twelve rigid bodies, or six with beams among them, with all forces or none."""
    rng = np.random.default_rng([seed, 7])
    flexible = seed % 3 > 0
    n = int(rng.integers(2, 7 if flexible else 13))
    kinds = tuple(str(kind) for kind in rng.choice(KINDS, n))
    beams = tuple(bool(x) for x in rng.random(n) < 0.6) if flexible else ()
    forces, floating = "all" if seed % 2 else "none", bool(rng.random() < 0.3)
    return Recipe(kinds, seed, forces=forces, floating=floating, beams=beams)


def left_over(eq: Equations, recipe: Recipe, seed: int) -> float:
    """Largest residual of the accelerations, of the largest sum of its terms' absolute values."""
    t, q, u, _, z = recipe.state(eq)
    extra = np.random.default_rng(seed).normal(size=eq.nu)
    a = eq.accelerate(t, q, u, z, extra)
    terms = np.abs(eq.mass_matrix(q)) @ np.abs(a) + np.abs(extra)
    terms += np.abs(eq.residual(t, q, u, np.zeros(eq.nu), z))
    left, unit = np.abs(eq.residual(t, q, u, a, z) - extra), eq.compiled.scale
    return float(np.max(left * unit) / np.max(terms * unit))


def check_trees(seeds: range) -> None:
    """Entries of the mass matrix are sums themselves, whose terms may be larger.

    Then the residual has more rounding than is counted, and Cholesky leaves it, too.
    """
    count, elastic = 0, 0
    for seed in seeds:
        recipe = random_tree(seed)
        if set(recipe.kinds) == {"Fixed"}:
            continue
        try:
            eq = sp.OrderN().equations(recipe.model())
            left = left_over(eq, recipe, seed)
        except UnsatisfiedAssumption:  # no state away from those that lock
            continue
        assert way_name(eq.compiled.ints) == "tree"
        if left > LEFT:
            whole = sp.JointCoordinates("dense").equations(recipe.model())
            assert left < min(left_over(whole, recipe, seed), 10.0 * LEFT), recipe
        count, elastic = count + 1, elastic + len(eq.compiled.flexible)
    assert count > 0.8 * len(seeds) and elastic > len(seeds)


def test_what_is_left_of_random_trees_is_rounding():
    """Any joints, several elastic edges, inverse edges, slaved shapes, motors, massless chains."""
    check_trees(range(24))


@pytest.mark.slow
def test_what_is_left_of_a_thousand_random_trees_is_rounding():
    check_trees(range(24, 1024))


def points_on_joints() -> sp.Model:
    """Two points without extension, each on the axis of its own joint and of the one before."""
    m = chain(2)
    end = m.bodies["link1"].at(0.5)
    for k in range(2):
        body = m.add(sp.RigidBody(f"point{k}", 1.0, inertia=(0, 0, 0)))
        m.add(sp.Revolute(f"idle{k}", end, body.at(0), axis="xy"[k]))
        end = body.at(0)
    return m


def axes_in_line() -> sp.Model:
    """The first and the last of three rotations about one line."""
    m = chain(1)
    body = m.add(sp.RigidBody("last", 1.0, (0.2, 0.1, 0.3), (0.1, 0.1, 0.1)))
    axes = [("rotate", (0, 0, 1)), ("rotate", (1, 0, 0)), ("rotate", (0, 0, 1))]
    m.add(sp.General("wrist", m.bodies["link0"].at(0.5), body.at(0), axes=axes))
    return m


def dust_on_a_beam() -> sp.Model:
    """A beam of no mass carries a joint along which its tip moves freely."""
    m = sp.Model()
    dust = sp.Material(2e11, 8e10, 1e-300)
    beam = m.add(sp.Beam("beam", 1.0, sp.Circle(0.02), dust, 1, rotary_inertia=False))
    m.add(sp.Fixed("root", m.ground.at(0), beam.at(0)))
    body = m.add(sp.RigidBody("slider", 1.0, inertia=(1, 1, 1)))
    m.add(sp.Prismatic("slide", beam.at(1.0), body.at(0), axis="y"))
    return m


@pytest.mark.parametrize("build", [points_on_joints, axes_in_line, dust_on_a_beam])
def test_a_velocity_that_moves_no_mass_is_named_as_by_the_whole_matrix(
    build: Callable[[], sp.Model],
):
    said = []
    for linear in ("dense", "tree"):
        eq = sp.JointCoordinates(linear).equations(build())
        with pytest.raises(sp.ModelError, match="moves no mass of its own") as caught:
            eq.accelerate(0.0, eq.q0, eq.u0)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_the_way_is_chosen_by_counting_and_told():
    """Long chains have no matrix of all velocities in their workspace."""
    words = []
    for links in (2, 64):
        eq = sp.JointCoordinates().equations(chain(links))
        words.append(way_name(eq.compiled.ints))
        assert at.read_work(eq.compiled.ints, eq.work).mass.size == (links**2 if links < 9 else 0)
    assert words == ["dense", "tree"]
    for formulation in (sp.JointCoordinates("tree"), sp.OrderN(), sp.JointCoordinates("dense")):
        result = sp.simulate(chain(2), 0.01, formulation=formulation)
        assert result.statistics["linear"] == (formulation.way() or "dense")
    with pytest.raises(sp.ModelError, match="JointCoordinates: linear is 'sparse', expected"):
        sp.JointCoordinates("sparse")  # type: ignore[arg-type]


def test_the_recursion_of_the_thesis_is_right_but_for_its_misprint():
    """Huang 1998, (5.10)-(5.18), with p and with P in (5.18), against both ways of the engine."""
    arm = huang_order_n.Arm()
    eq, rng = arm.equations, np.random.default_rng(3)
    q, u = eq.q0 + 1e-6 * rng.normal(size=8), rng.normal(size=8) * ([2, 2] + 6 * [1e-3])
    order = sp.OrderN().equations(cases.get("huang-order-n-misprint").build())
    a, size = eq.accelerate(0.0, q, u), np.sqrt(np.diag(eq.mass_matrix(q)))
    rounding = 8 * np.finfo(float).eps * condition(eq.mass_matrix(q))

    def off(found: np.ndarray) -> float:
        return float(np.linalg.norm(size * (found - a)) / np.linalg.norm(size * a))

    assert off(order.accelerate(0.0, q, u)) < rounding < 1e-10
    assert off(arm.accelerations(q, u)) < rounding
    assert off(arm.accelerations(q, u, printed=True)) > 1e-3


@pytest.mark.slow
def test_the_misprint_gives_the_figures_of_the_thesis():
    assert [q for q in cases.get("huang-order-n-misprint").run() if not q.passed] == []


@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince(), sp.BDF()])
def test_runs_do_not_depend_on_the_way(integrator: sp.Integrator):
    """Both ways differ by rounding alone, which the motion of one second magnifies little."""
    ends = []
    for linear in ("dense", "tree"):
        made = sp.JointCoordinates(linear)
        ends.append(sp.simulate(chain(3), 0.5, formulation=made, integrator=integrator).q[-1])
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-9)
