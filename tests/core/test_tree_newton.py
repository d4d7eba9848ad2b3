"""Newton's matrix eliminated along the tree, against the whole one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis.errors import UnsatisfiedAssumption

import supple as sp
from models.coupled_chains import Tree, chain, coupled_chain
from models.random_models import KINDS, Recipe, State
from supple.core.base import layout as at
from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as parts
from supple.engine.sparsity import block_plan, solver_choice
from supple.formulations.equations import Equations, Tangents

# random states are drawn again where a tree is locked
pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")

RADAU = 3.6378342527444957, 2.6810828736277523 + 3.0504301992474105j  # eigenvalues of its matrix


def with_forces(model: sp.Model, rng: np.random.Generator) -> sp.Model:
    """Forces that act on one body or joint, or between neighbours."""
    ground, bodies = model.ground, list(model.bodies.values())
    for i, body in enumerate(bodies):
        frame = body.at(0.1)
        model.add(sp.Force(f"world{i}", frame, rng.normal(size=3), rng.normal(size=3), "world"))
        model.add(sp.Force(f"turning{i}", frame, rng.normal(size=3), rng.normal(size=3), "body"))
        if isinstance(body, sp.Beam):
            axes = ("world", "body", "section")[i % 3]
            model.add(sp.DistributedLoad(f"load{i}", body.at(0.0), rng.normal(size=3), axes=axes))
    near = ground.at(*rng.normal(size=3))
    model.add(sp.SpringDamper("line", near, bodies[-1].at(0.2), 3.0, 0.5))
    model.add(sp.Bushing("bushing", bodies[0].at(0.3), near, np.eye(6), 0.2 * np.eye(6)))
    model.add(sp.CartesianSpring("axes", near, bodies[-1].at(0.1), 2.0, 0.1))
    for i, joint in enumerate(list(model.joints.values())):
        rigid = not any(isinstance(end.body, sp.Beam) for end in (joint.A, joint.B))
        single = isinstance(joint, (sp.Revolute, sp.Prismatic, sp.Spherical, sp.Free))
        if rigid and single:  # one node alone between the two
            ends = joint.A.body.at(0.3, 0.2, 0.1), joint.B.body.at(0.1, 0.2, 0.3)
            model.add(sp.SpringDamper(f"rod{i}", *ends, 2.0, 0.3))
            K, C, load = 2.0 * np.eye(6), np.eye(6), rng.normal(size=6)
            model.add(sp.Bushing(f"between{i}", *ends[::-1], K, C, load))
    for name, joint in list(model.joints.items()):
        if joint.nq == joint.nu == 1:
            model.add(sp.JointSpring("s" + name, joint, 3.0, 0.5))
            model.add(sp.PID("p" + name, joint, 0.3, 2.0, 3.0, 0.5))
    return model


def with_far_forces(model: sp.Model, rng: np.random.Generator) -> sp.Model:
    """Forces of all kinds between any two bodies and on several joints."""
    bodies = list(model.bodies.values())

    def ends() -> list[sp.Frame]:
        two = rng.choice(len(bodies), 2, replace=False)
        return [bodies[k].at(0.3 * rng.random()) for k in two]

    def law(t, s):
        return -2.0 * s.position - 0.3 * s.velocity, np.cross(s.position, s.velocity)

    model.add(sp.SpringDamper("far line", *ends(), 20.0, 0.5, length=0.2))
    K = 10.0 ** rng.uniform(0.0, 3.0) * np.eye(6)
    model.add(sp.Bushing("far bushing", *ends(), K, 1e-3 * K, rng.normal(size=6)))
    model.add(sp.CartesianSpring("far axes", *ends(), 30.0, 0.4))
    model.add(sp.PairFunction("far law", *ends(), law))
    joints = [name for name, joint in model.joints.items() if joint.nq == joint.nu == 1]
    if len(joints) > 1:
        model.add(sp.CoordinateSpring("gear", joints[0], joints[-1], 1e9, 0.2, ratio=-1.5))
        A, B = rng.normal(size=(2, len(joints), len(joints)))
        function = sp.EffortFunction("several", joints, lambda t, q, u: A @ q + B @ u)
        model.add(function)
    return model


def systems(count: int, seed: int, far: bool = False):
    """Equations and states of random trees."""
    rng = np.random.default_rng(seed)
    while count:
        n = int(rng.integers(2, 8))
        names = tuple(str(k) for k in rng.choice(KINDS, n))
        beams = tuple(bool(b) for b in rng.random(n) < 0.5)
        number, floating, forces = int(rng.integers(2**31)), bool(rng.random() < 0.3), rng.random()
        recipe = Recipe(names, number, floating=floating, beams=beams)
        model = recipe.model()
        if not any(joint.nu for joint in model.joints.values()):
            continue
        model = with_forces(model, rng) if forces < 0.7 else model
        model = with_far_forces(model, rng) if far else model
        equations = sp.JointCoordinates().equations(model)
        try:
            state = recipe.state(equations)
        except UnsatisfiedAssumption:  # locked
            continue
        if far:
            equations = sp.JointCoordinates().equations(with_stiff_rods(model, equations, state))
        count -= 1
        yield equations, state, rng


def with_stiff_rods(model: sp.Model, equations, state) -> sp.Model:
    """Springs of 1e9 N/m, not stretched, between rigid bodies: what stiff springs are for."""
    poses = equations.body_states(state.t, state.q, state.u, state.z)[1]
    where = dict(zip(equations.compiled.body_names, poses.p[0], strict=True))
    rigid = [body for body in model.bodies.values() if not isinstance(body, sp.Beam)]
    for A, B in zip(rigid, rigid[2:], strict=False):
        way = float(np.linalg.norm(where[A.name] - where[B.name]))
        name = f"stiff {A.name} {B.name}"
        model.add(sp.SpringDamper(name, A.at(0), B.at(0), 1e9, length=way))
    return model




def largest(x: np.ndarray) -> float:
    """Largest magnitude."""
    return float(np.abs(x).max(initial=0.0))


def check(equations, state, rng, bound: float) -> None:
    """The residual that solutions leave is rounding of its terms, a part of the largest.

    A term is also the stiffness of an element at one end alone, which cancels that at the other for
    joints inboard of both.
    """
    found = equations.tangents(*state)
    nu, nz, tree = equations.nu, equations.nz, Tree(equations)
    lines = tree.fields.reading
    h = 10.0 ** rng.uniform(-3.0, -0.5)
    for g in RADAU:
        N = np.block(
            [
                [g * found.M + h * found.Ru + h * h / g * found.Rq, h * h * found.Rz],
                [-h / g * found.Gq - found.Gu, g * np.eye(nz) - h * found.Gz],
            ]
        )
        b = rng.normal(size=nu + nz) + (g.imag != 0) * 1j * rng.normal(size=nu + nz)
        b = b if g.imag else b.real
        b[:nu] *= np.sqrt(np.diag(found.M))
        y, r = tree.solve(state, np.array([h * h / g, h, g, h * h, h / g, 1.0, g, h]), b)
        ends = max(h * largest(lines[:, :6]), h * h / abs(g) * largest(lines))
        size = np.abs(N) @ np.abs(y) + np.abs(b) + ends * np.abs(y).max()
        assert np.abs(N @ y - b).max() <= bound * size.max()
        assert np.abs(r - found.r).max() <= 1e-12 * np.abs(found.r).max()
    yq, yu, ya = rng.normal(size=(3, 3, nu))
    for count in (3, 1):
        out, rest = np.zeros((count, nu)), count % 3
        border.change_along_tree(*tree.buffers, yq[:count], yu[:rest], ya[:rest], out)
        expected, size = yq[:count] @ found.Rq.T, np.abs(yq[:count]) @ np.abs(found.Rq).T
        if rest:
            expected += yu[:rest] @ found.Ru.T + ya[:rest] @ found.M.T
            size += np.abs(yu[:rest]) @ np.abs(found.Ru).T + np.abs(ya[:rest]) @ np.abs(found.M).T
        ends = largest(lines) * largest(tree.fields.X)
        assert np.abs(out - expected).max() <= bound * (size.max() + ends)
    step = int(tree.ints[at.H_BLOCK]) + 1
    diagonal = tree.fields.own[parts.WHOLE, : step * nu : step]
    np.testing.assert_allclose(diagonal, np.diag(found.M), atol=1e-13 * np.abs(found.M).max())


def test_random_trees():
    for equations, state, rng in systems(14, 1):
        check(equations, state, rng, 1e-14)


def test_random_trees_with_a_border():
    for equations, state, rng in systems(8, 3, far=True):
        check(equations, state, rng, 1e-14)


def test_trees_that_would_be_solved_by_blocks(monkeypatch):
    """Asked to go along the tree they store whole rows, not those of the plan of their blocks."""
    monkeypatch.setattr(block_plan, "SMALLEST", 0)
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    monkeypatch.setattr(solver_choice, "TREE_FROM", 10**9)
    model = sp.Model(gravity=(0, 0, -9.81))
    for k in range(2):
        body = model.add(sp.RigidBody(f"body{k}", 1.0, (0.1, 0, 0), (0.01, 0.02, 0.02)))
        model.add(sp.Revolute(f"joint{k}", model.ground.at(0, k, 0), body.at(0), "y"))
        model.add(sp.JointSpring(f"spring{k}", f"joint{k}", 3.0 + k, 0.5))
    equations = sp.JointCoordinates().equations(model)
    smallest = equations, State(0.0, np.zeros(2), np.ones(2), np.ones(2), np.zeros(0))
    cases = [(*smallest, np.random.default_rng(6)), *systems(3, 6), *systems(2, 7, far=True)]
    for equations, state, rng in cases:
        assert equations.compiled.ints[at.H_PLANNED] == 1
        check(equations, state, rng, 1e-14)


def check_whole(equations, state) -> None:
    """Matrices of a model that goes along the tree are those of one that does not."""
    tree = Tree(equations)
    made = Equations(dataclasses.replace(equations.compiled, ints=tree.ints))
    assert made.compiled.sizes["widest"] > 0
    found, expected = made.tangents(*state), equations.tangents(*state)
    for name, matrix, other in zip(Tangents._fields, found, expected, strict=True):
        assert largest(matrix - other) <= 1e-14 * largest(other), name


def test_whole_tangents_of_trees_with_a_border():
    borders = 0
    for equations, state, _ in systems(4, 5, far=True):
        assert equations.compiled.sizes["widest"] == 0
        check_whole(equations, state)
        borders += Tree(equations).ints[at.H_BORDER]
    assert borders > 50


def test_statics_and_the_linear_model_of_a_tree_with_a_border():
    """A gear between two distant joints: the model goes along the tree, its stiffness is whole."""
    model, count = sp.Model(gravity=(0, 0, -0.5)), 60
    last = model.ground.at(0)
    for k in range(count):
        body = model.add(sp.RigidBody(f"link{k}", 1.0, (0.1, 0, 0), (0.01, 0.02, 0.02)))
        model.add(sp.Revolute(f"joint{k}", last, body.at(0), "y"))
        model.add(sp.JointSpring(f"spring{k}", f"joint{k}", 2000.0, 0.01))
        last = body.at(0.2)
    model.add(sp.CoordinateSpring("belt", "joint3", f"joint{count - 5}", 5000.0, 0.1, ratio=-1.5))
    made = sp.JointCoordinates().equations(model).compiled
    assert made.sizes["widest"] == 1 and made.sizes["border"] == 2
    linear = sp.linearize(model)
    whole, still = sp.JointCoordinates("dense").equations(model), np.zeros(count)
    found = whole.tangents(0.0, linear.state.q, still, still)
    order = np.ix_(linear.places, linear.places)
    for matrix, expected in ((linear.K, found.Rq), (linear.C, found.Ru), (linear.M, found.M)):
        assert largest(matrix - expected[order]) <= 1e-14 * largest(expected)
    assert largest(found.r) <= 1e-9 * largest(linear.K @ np.ones(count))


@pytest.mark.slow
def test_many_random_trees():
    """Rounding grows a little in some: pivots are exchanged within blocks only, sums cancel."""
    for equations, state, rng in systems(500, 2):  # a real and a complex matrix each
        check(equations, state, rng, 1e-13)
    for equations, state, rng in systems(100, 4, far=True):
        check(equations, state, rng, 1e-13)






@pytest.mark.parametrize(
    ("make", "method", "count", "end"),
    [
        (chain, sp.Radau(), 8, 0.05),
        (coupled_chain, sp.Radau(), 16, 0.05),
        (chain, sp.GeneralizedAlpha(), 80, 0.05),
        pytest.param(coupled_chain, sp.GeneralizedAlpha(), 330, 0.005, marks=pytest.mark.slow),
    ],
    ids=["radau", "radau-border", "alpha", "alpha-border"],
)
def test_motion_is_that_of_the_whole_matrix(monkeypatch, make, method, count, end):
    """Newton stops at a part of the tolerance, whatever factors it uses."""
    tolerance, runs = 1e-6, []
    monkeypatch.setattr(solver_choice, "LINE", 0.0)
    for start in (1, 10**9):
        monkeypatch.setattr(solver_choice, "TREE_FROM", start)
        run = sp.simulate(make(count), end, integrator=method, tolerance=tolerance, output=6)
        assert run.statistics["newton"] == ("tree" if start == 1 else "dense")
        runs.append(run)
    tree, whole = (run["beam"].at(0.3).position for run in runs)
    assert np.abs(whole - whole[0]).max() > 1e-3
    assert np.abs(tree - whole).max() <= 10.0 * tolerance
    steps = [run.statistics["newton_iterations"] for run in runs]
    assert abs(steps[0] - steps[1]) <= 0.1 * steps[1]


def test_which_models_are_eliminated_along_the_tree():
    """By the number of velocities and of forces that couple two paths; then nothing is square."""

    def block(model: sp.Model) -> int:
        c = sp.JointCoordinates().equations(model).compiled
        return c.sizes["widest"]

    assert block(chain(8)) == 0
    assert block(chain(40)) == 6
    coupled = chain(120)
    names = [name for name in coupled.bodies if name != "beam"]
    for i in range(0, 70, 2):
        if i in (2, 20):
            assert block(coupled) == (6 if i == 2 else 0)
        ends = [coupled.bodies[name].at(0) for name in (names[i], names[i + 9])]
        coupled.add(sp.SpringDamper(f"between{i}", *ends, 1.0, 0.1))
    loop = chain(40)
    loop.add(sp.Distance("rod", loop.ground.at(1, 1, 1), loop.bodies["link9"].at(0), 1.5))
    assert block(loop) == 0
    models = [sp.JointCoordinates().equations(chain(n)).compiled for n in (100, 200)]
    for method in (sp.Radau(), sp.GeneralizedAlpha()):
        small, large = (method.own_size(c)[0] for c in models)
        assert large < 2.1 * small
