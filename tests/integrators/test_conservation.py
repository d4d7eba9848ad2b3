"""Short runs: energy and momentum are kept as well as the tolerance promises; the audit sees it."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from models.random_models import KINDS, Recipe
from supple.cases.arms import huang

ROUNDING = 1e-12  # of the largest energy


def recipe(seed: int, **options) -> Recipe:
    """A tree of two to six bodies whose joints cannot lock on the way."""
    rng = np.random.default_rng([seed, 2])
    kinds = rng.choice(KINDS, size=rng.integers(2, 7)).tolist()
    if set(kinds) == {"Fixed"}:
        kinds[0] = "Revolute"
    return Recipe(tuple(kinds), seed, can_lock=False, **options)


def run(
    model: supple.Model, tolerance, t_end: float = 0.7, output: int = 10
) -> supple.results.Result:
    result = supple.simulate(model, t_end, tolerance=tolerance, output=output)
    assert result.success, result.message
    return result


@pytest.mark.parametrize("seed", range(10))
def test_energy_balance_with_forces_of_all_kinds(seed):
    model = recipe(seed, forces="all").model()
    errors = []
    for tolerance, limit in (("default", 1e-7), ("tight", 1e-10)):
        energy = run(model, tolerance).energy
        assert energy.level == "trusted"
        record = energy.record
        # Work and dissipation are a part of the balance; they really flow in these models.
        assert np.ptp(energy.work) > 1e-3 * record.max_energy
        assert energy.dissipated[-1] > 0.0
        assert record.max_error < limit * record.max_energy  # at the steps
        assert np.abs(energy.error).max() < limit * record.max_energy  # and between them
        errors.append(record.max_error / record.max_energy)
    default, tight = errors
    assert tight < max(0.05 * default, ROUNDING)


@pytest.mark.parametrize("gravity", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_momentum_of_floating_models(seed, gravity):
    model = recipe(seed, forces="internal", floating=True, gravity=gravity).model()
    result = run(model, "tight")
    # About three axes and along three; with gravity about its direction and across it.
    assert len(result.momentum) == (3 if gravity else 6)
    for record in result.momentum:
        assert record.max_error < 1e-9 * record.scale
    assert result.momentum.level == "trusted"
    weight = model.gravity * sum(
        item.mass for item in (*model.bodies.values(), *model.point_masses.values())
    )
    history = result.data.history.momentum
    expected = history[0, 3:] + np.outer(result.t - result.t[0], weight)
    size = np.abs(history[:, 3:]).max() + max(r.scale for r in result.momentum)
    assert np.abs(history[:, 3:] - expected).max() < 1e-9 * size


def test_every_momentum_that_the_audit_watches_is_conserved():
    """Trees on the ground with forces inside: a false symmetry would drift at once."""
    watched = 0
    for seed in range(10, 22):
        model = recipe(seed, forces="internal", gravity=False).model()
        for record in run(model, "default", 0.4).momentum:
            assert record.max_error < 1e-6 * record.scale
            watched += 1
    assert watched > 12


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", ["Revolute", "Universal", "Cylindrical", "Planar", "Spherical"])
def test_gravity_along_the_first_axis_keeps_its_momentum(kind, backwards):
    """The base joint sits away from the origin; what is behind it is driven."""
    axis = np.array([0.36, 0.48, 0.8])
    place = (0.5, -0.3, 0.2)
    model = supple.Model(gravity=9.0 * axis)
    base = model.add(supple.RigidBody("base", 1.0, (0.3, 0.1, 0.0), (0.2, 0.3, 0.4)))
    arm = model.add(supple.RigidBody("arm", 0.7, (0.4, 0.0, 0.1), (0.1, 0.2, 0.2)))
    ends = [model.ground.at(*place), base.at(0.1, 0.0, 0.2)]
    options = {
        "Revolute": {"axis": axis},
        "Universal": {"axes": [axis, (1, 0, 0)]},
        "Cylindrical": {"axis": axis},
        "Planar": {"normal": axis},
        "Spherical": {},
    }[kind]
    if backwards:
        ends.reverse()
        if kind == "Universal":
            options["axes"].reverse()
    joint = getattr(supple, kind)("root", *ends, **options)
    joint = type(joint)("root", *ends, **options, initial_rate=np.linspace(1.0, 2.0, joint.nu))
    model.add(joint)
    elbow = model.add(supple.Revolute("elbow", base.at(0.5), arm.at(0), axis="y", initial_rate=2.0))
    model.add(supple.JointEffort("motor", elbow, supple.Sine(2.0, 1.0)))
    result = run(model, "tight")
    # The first motion after the ground: a turn about gravity keeps its momentum, and so does a
    # translation across it, but a translation along it falls.
    slides_along = kind == "Cylindrical" and not backwards
    assert len(result.momentum) == (0 if slides_along else 1)
    for record in result.momentum:
        assert record.max_error < 1e-9 * record.scale


@pytest.mark.parametrize("driven", [0, 1])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_driven_coordinate_next_to_the_ground_ends_its_symmetry(backwards, driven):
    """A force on the coordinate behind it is internal."""
    model = supple.Model()
    body = model.add(supple.RigidBody("body", 1.0, (0.3, 0.1, 0.0), (0.2, 0.3, 0.4)))
    ends = [model.ground.at(0.2, 0.1, 0.0), body.at(0.1, 0.0, 0.2)]
    if backwards:
        ends.reverse()
    root = model.add(supple.Universal("root", *ends, initial=(0.3, 0.4), initial_rate=(2.0, 1.0)))
    model.add(supple.JointSpring("spring", root, stiffness=5.0, damping=0.5, coordinate=driven))
    result = run(model, "tight")
    assert len(result.momentum) == (0 if driven == int(backwards) else 1)
    for record in result.momentum:
        assert record.max_error < 1e-9 * record.scale


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_cyclic_momentum_of_the_rigid_arm():
    result = run(huang.two_link_arm(), "tight", 5.0)
    (record,) = result.momentum
    assert record.name.startswith("angular momentum about y")
    assert record.initial == 0.0
    assert record.max_error < 1e-9
    assert result.energy.ratio < 1e-9


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("seed", [None, 3, 4])
def test_verdict_does_not_depend_on_the_output_grid(seed):
    """Audits are taken at the steps of the integrator."""
    build = huang.two_link_arm if seed is None else recipe(seed, forces="all").model
    fine, coarse = (run(build(), "default", 1.0, output) for output in (200, 20))
    assert fine.verdict == coarse.verdict
    assert fine.energy.record == coarse.energy.record
    assert fine.momentum.verdict == coarse.momentum.verdict
    assert fine.statistics["steps"] == coarse.statistics["steps"]


def test_a_run_into_a_lock_returns_what_it_has():
    """The rotation brings both translations in line after half a second."""
    model = supple.Model()
    body = model.add(supple.RigidBody("body", 1.0, (0.1, 0.2, 0.0), inertia=0.3))
    axes = [("translate", "x"), ("rotate", "z"), ("translate", "x")]
    ends = (model.ground.at(0), body.at(0))
    model.add(supple.General("slide", *ends, axes, (0.0, -0.5, 0.0), (0.0, 1.0, 0.3)))
    with pytest.warns(supple.SuppleWarning, match="stopped at t = 0.4"):
        result = supple.simulate(model, 1.0)
    assert not result.success
    assert 0.4 < result.t[-1] < 0.5
    kept = result.t < 0.3
    for values in (result.u, result.a, result["body"].position):
        assert np.all(np.isfinite(values[kept]))
