"""Increments and retractions: each undoes the other, for all joints in both directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import supple as sp
from models.random_loops import loop_recipes
from models.random_models import examples, flexible_recipes, recipes
from oracles.residual_laws import equations
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations
from supple.loops.closing import Assembler
from supple.state import State
from supple.studies.lyapunov import _Metric


def turns(eq: Equations) -> list[slice]:
    """Places in u of the rotations that are quaternions in q."""
    c = eq.compiled
    records = (*c.joints.values(), *c.extra.values())
    starts = [r.u.start for r in records if r.chart.quaternion]
    return [slice(k, k + 3) for k in starts]


def random_increment(eq: Equations, seed: int, largest: float) -> np.ndarray:
    """Numbers of order one, rotations of random size up to ``largest`` (rad)."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=eq.nu)
    for part in turns(eq):
        d[part] *= rng.uniform(0.0, largest) / np.linalg.norm(d[part])
    return d


def check_increment(eq: Equations, q: np.ndarray, seed: int) -> None:
    d = random_increment(eq, seed, 0.99 * np.pi)
    moved = eq.retract(q, d)
    found = eq.increment(q, moved)
    size = max(1.0, np.abs(q).max(initial=0.0), np.abs(moved).max(initial=0.0))
    # near half a turn the angle is known as well as near none: both from the arc tangent
    np.testing.assert_allclose(found, d, atol=1e-13 * size)
    np.testing.assert_allclose(eq.increment(q, q), 0.0, atol=1e-15)
    np.testing.assert_allclose(Assembler(eq.compiled).increment(q, moved), found, atol=0.0)
    other = moved.copy()  # a quaternion and its negative are the same rotation
    for record in (*eq.compiled.joints.values(), *eq.compiled.extra.values()):
        if record.chart.quaternion:
            other[record.q.start : record.q.start + 4] *= -1.0
    np.testing.assert_allclose(eq.increment(q, other), found, atol=1e-13 * size)


@examples(30)
@given(recipes(forces="all", max_bodies=5))
def test_increments_are_inverse_to_retraction(recipe):
    eq = equations(recipe.model())
    check_increment(eq, recipe.state(eq).q, recipe.seed)


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@examples(15)
@given(flexible_recipes())
def test_increments_of_flexible_trees(recipe):
    eq = equations(recipe.model())
    check_increment(eq, recipe.state(eq).q, recipe.seed)


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@examples(10)
@given(loop_recipes(max_bodies=4))
def test_increments_of_loops_in_absolute_coordinates(recipe):
    """Free bodies and frame drivers have coordinates that belong to no joint of the model."""
    model = recipe.model()
    eq = Equations(build(model, tree=sp.Absolute().tree(model)))  # its start need not close
    check_increment(eq, eq.q0, recipe.tree.seed)


@examples(15)
@given(recipes(max_bodies=4))
def test_beyond_half_a_turn_the_shorter_way_is_found(recipe):
    eq = equations(recipe.model())
    q = recipe.state(eq).q
    d = random_increment(eq, recipe.seed, 1.0)
    expected = d.copy()
    for part in turns(eq):
        unit = d[part] / np.linalg.norm(d[part])
        size = np.random.default_rng(recipe.seed).uniform(1.01 * np.pi, 2.99 * np.pi)
        d[part], expected[part] = size * unit, (size - 2.0 * np.pi) * unit
    angle = d.copy()
    for joint in eq.compiled.joints.values():
        if not joint.chart.quaternion:
            angle[joint.u] += 7.0 * np.pi  # angles of one axis are not wound back
    expected += angle - d
    found = eq.increment(q, eq.retract(q, angle))
    np.testing.assert_allclose(found, expected, atol=1e-12 * max(1.0, np.abs(q).max()))


def test_half_a_turn_is_one_of_both_ways():
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 1.0, inertia=1.0))
    model.add(sp.Spherical("ball", model.ground.at(0), body.at(0)))
    eq = equations(model)
    d = np.pi * np.array([2.0, -1.0, 2.0]) / 3.0
    found = eq.increment(eq.q0, eq.retract(eq.q0, d))
    np.testing.assert_allclose(np.abs(found), np.abs(d), atol=1e-14)
    moved, again = eq.retract(eq.q0, d), eq.retract(eq.q0, found)
    np.testing.assert_allclose(abs(moved @ again), 1.0, atol=1e-15)


def geared() -> sp.Model:
    """A rod whose motor has a shaft of its own, behind an elastic gear."""
    model = sp.Model(gravity=(0, 0, -9.81))
    rod = model.add(sp.RigidBody("rod", 1.0, com=(0.3, 0, 0), inertia=np.diag([0.01, 0.02, 0.02])))
    joint = model.add(sp.Revolute("joint", model.ground.at(0), rod.at(0), axis="y"))
    model.add(sp.Motor("motor", joint, inertia=1e-3, ratio=10.0, stiffness=50.0))
    return model


def test_the_shaft_of_a_motor_counts_in_increments():
    eq = equations(geared())
    d = np.array([0.1, 0.7])
    np.testing.assert_allclose(eq.increment(eq.q0, eq.retract(eq.q0, d)), d, atol=1e-15)


def test_distances_of_neighbouring_motions_see_the_shaft_of_a_motor():
    eq = equations(geared())
    metric = _Metric(eq)
    state = State(0.0, eq.q0, eq.u0, eq.z0)
    shift = np.array([1e-5, -2e-5, 3e-5, 4e-5])
    found = metric.between(state, metric.moved(state, shift))
    np.testing.assert_allclose(found, shift, atol=1e-18)


def test_vectors_of_wrong_length_are_refused():
    eq = equations(geared())
    two, three = np.zeros(2), np.zeros(3)
    for call in (
        lambda: eq.retract(two, three),
        lambda: eq.increment(two, three),
        lambda: eq.increment(three, two),
        lambda: eq.qdot(two, three),
        lambda: eq.drift(three),
    ):
        with pytest.raises(sp.ModelError, match="has 3 entries, expected 2"):
            call()
