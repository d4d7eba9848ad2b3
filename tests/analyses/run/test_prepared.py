"""Prepared models: the same numbers as `simulate`, with what stays valid kept."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import supple as sp
from models.linkages import parallelogram, slider_crank
from models.random_loops import flexible_loop
from supple.commands import demo


def driven_arm() -> sp.Model:
    """Two links with a spring, a motor on an elastic gear, a controller and a point mass."""
    m = sp.Model(gravity=(0, 0, -9.81))
    upper = m.add(sp.RigidBody("upper", 2.0, (0.25, 0, 0), (0.002, 0.05, 0.05)))
    lower = m.add(sp.RigidBody("lower", 1.0, (0.2, 0.01, 0), (0.001, 0.02, 0.02)))
    m.add(sp.Revolute("shoulder", m.ground.at(0), upper.at(0), axis="y", initial=0.3))
    m.add(sp.Universal("elbow", upper.at(0.5), lower.at(0), initial=(0.1, -0.2)))
    m.add(sp.JointSpring("spring", "shoulder", stiffness=4.0, damping=0.1))
    m.add(sp.JointEffort("push", "shoulder", sp.Sine(0.4, 3.0)))
    m.add(sp.Force("wind", lower.at(0.4), force=(0.0, 1.0, 0.0)))
    m.add(sp.PointMass("load", lower.at(0.4), 0.3))
    return m


def geared_arm() -> sp.Model:
    """The arm with a motor whose shaft has a coordinate of its own."""
    m = driven_arm()
    m.add(sp.Motor("motor", "shoulder", ratio=5.0, inertia=1e-3, stiffness=200.0))
    return m


def coupled_arm() -> sp.Model:
    """The arm with a constraint that holds what the joints begin with."""
    m = driven_arm()
    m.add(sp.Gear("belt", "shoulder", ("elbow", 0), ratio=2.0))
    return m


MODELS = {
    "arm": driven_arm,
    "geared": geared_arm,
    "coupled": coupled_arm,
    "loop": lambda: parallelogram(0.4, rate=1.0),
    "slider": lambda: slider_crank(0.5),
    "flexible": demo.arm,
    "random": lambda: flexible_loop(3).model(),
}
OPTIONS = {"tolerance": 1e-6, "output": 5}


def same(a: sp.results.Result, b: sp.results.Result) -> None:
    """All numbers are equal."""
    assert a.message == b.message
    for x, y in zip((a.t, a.q, a.u, a.z, a.a), (b.t, b.q, b.u, b.z, b.a), strict=True):
        assert np.array_equal(x, y)
    for name in ("R", "p", "V", "A", "wrench", "reaction", "effort", "energy", "momentum"):
        x, y = getattr(a.data.history, name), getattr(b.data.history, name)
        assert np.array_equal(x, y, equal_nan=True)
    assert np.array_equal(a.data.channels, b.data.channels)
    assert a.data.audit == b.data.audit and a.data.momentum == b.data.momentum
    counts = [{k: v for k, v in r.statistics.items() if k != "cpu_seconds"} for r in (a, b)]
    assert counts[0] == counts[1]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
@pytest.mark.parametrize("name", MODELS)
def test_prepared_runs_are_those_of_simulate(name, formulation):
    model = MODELS[name]()
    prepared = sp.prepare(model)
    fresh = sp.simulate(model, 0.02, formulation=formulation, **OPTIONS)
    for _ in range(2):
        same(prepared.simulate(0.02, formulation=formulation, **OPTIONS), fresh)


def test_compiled_models_are_kept():
    prepared = sp.prepare(driven_arm())
    first, second = (prepared.simulate(0.01, output=1) for _ in range(2))
    assert first.data.compiled is second.data.compiled
    free = [prepared.simulate(0.01, output=1, formulation=sp.Absolute()) for _ in range(2)]
    assert free[0].data.compiled is free[1].data.compiled is not first.data.compiled


def test_runs_continue_and_events_are_found():
    model = driven_arm()
    prepared = sp.prepare(model)
    stop = sp.Event("level", "shoulder", value=0.32, terminal=True)
    same(prepared.simulate(0.5, events=stop), sp.simulate(model, 0.5, events=stop))
    half = prepared.simulate(0.1, output=3)
    same(
        prepared.simulate(0.2, start=half, **OPTIONS),
        sp.simulate(model, 0.2, start=half, **OPTIONS),
    )


def test_watched_places_of_flexible_bodies_get_their_own_nodes():
    model = demo.arm()
    prepared = sp.prepare(model)
    plain = prepared.simulate(0.02, **OPTIONS)
    for x in (0.5, 0.9):
        event = sp.Event("low", of=model.bodies["link2"].at(x), quantity="y", value=-0.4)
        same(
            prepared.simulate(0.02, events=event, **OPTIONS),
            sp.simulate(model, 0.02, events=event, **OPTIONS),
        )
    same(prepared.simulate(0.02, **OPTIONS), plain)


CHANGES = {
    "initial": ("arm", {"shoulder": {"initial": 0.7}, "elbow": {"initial_rate": (0.5, -1.0)}}),
    "initial of a geared joint": ("geared", {"shoulder": {"initial": 0.7}}),
    "initial that a constraint holds": ("coupled", {"elbow": {"initial": (0.3, 0.1)}}),
    "initial of a loop": ("loop", {"A": {"initial": 0.7, "initial_rate": 0.3}}),
    "signal": ("arm", {"push": {"effort": sp.Constant(0.7)}}),
    "no signal": ("arm", {"push": {"effort": sp.Constant(0.0)}}),
    "stiffness": ("coupled", {"spring": {"stiffness": 9.0}, "push": {"effort": sp.Sine(1.0, 2.0)}}),
    "mass": ("arm", {"lower": {"mass": 2.5}, "load": {"mass": 0.1}}),
    "motor": ("geared", {"motor": {"inertia": 3e-3}}),
    "frame": ("arm", {"wind": {"force": (1.0, 0.0, 2.0)}}),
    "mass in a loop": ("slider", {"arm": {"mass": 3.0}}),
    "axis": ("arm", {"shoulder": {"axis": "x"}}),
    "damping": ("flexible", {"link2": {"damping": sp.Rayleigh(stiffness=1e-3)}}),
}


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
@pytest.mark.parametrize("name", CHANGES)
def test_other_values_are_those_of_the_changed_model(name, formulation):
    which, changes = CHANGES[name]
    model = MODELS[which]()
    prepared = sp.prepare(model)
    before = prepared.simulate(0.02, formulation=formulation, **OPTIONS)
    changed = model.copy()
    for item, fields in changes.items():
        changed.replace(item, **fields)
    other = prepared.with_values(changes)
    fresh = sp.simulate(changed, 0.02, formulation=formulation, **OPTIONS)
    same(other.simulate(0.02, formulation=formulation, **OPTIONS), fresh)
    assert not np.array_equal(fresh.q, before.q)
    same(prepared.simulate(0.02, formulation=formulation, **OPTIONS), before)


def test_other_gravity():
    model = driven_arm()
    other = sp.prepare(model).with_values({}, gravity=(0, 0, -1.62))
    model.gravity = (0, 0, -1.62)
    same(other.simulate(0.02, **OPTIONS), sp.simulate(model, 0.02, **OPTIONS))


def test_changes_of_the_model_do_not_matter_later():
    model = driven_arm()
    prepared = sp.prepare(model)
    before = sp.simulate(model, 0.02, **OPTIONS)
    model.replace("lower", mass=7.0)
    model.add(sp.JointSpring("more", "shoulder", stiffness=100.0))
    result = prepared.simulate(0.02, **OPTIONS)
    same(result, before)
    result.model.replace("lower", mass=9.0)
    same(prepared.simulate(0.02, **OPTIONS), before)


EDITS = {
    "a field": lambda m: m.replace("lower", mass=7.0),
    "initial values": lambda m: m.replace("shoulder", initial=0.5),
    "another item": lambda m: m.add(sp.JointSpring("more", "shoulder", stiffness=100.0)),
    "one item less": lambda m: m.remove("wind"),
    "gravity": lambda m: setattr(m, "gravity", (0, 0, -1.62)),
    "a name": lambda m: m.rename("lower", "forearm"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_model_is_compiled_again_only_when_it_has_changed(name):
    change = EDITS[name]
    model, fresh = driven_arm(), driven_arm()
    first = sp.simulate(model, 0.02, **OPTIONS)
    again = sp.simulate(model, 0.02, **OPTIONS)
    same(again, first)
    assert again.data.compiled is first.data.compiled
    other = model.copy()
    change(other)
    change(fresh)
    expected = sp.simulate(fresh, 0.02, **OPTIONS)
    same(sp.simulate(other, 0.02, **OPTIONS), expected)
    same(sp.simulate(model, 0.02, **OPTIONS), first)
    change(model)
    changed = sp.simulate(model, 0.02, **OPTIONS)
    same(changed, expected)
    assert changed.data.compiled.body_names == expected.data.compiled.body_names
    same(sp.simulate(pickle.loads(pickle.dumps(model)), 0.02, **OPTIONS), expected)


def test_functions_are_compiled_for_each_run():
    """What a function was called with belongs to one run."""
    model = driven_arm()
    model.add(sp.EffortFunction("law", "shoulder", lambda t, angle, rate: -angle))
    first, second = (sp.simulate(model, 0.01, output=1) for _ in range(2))
    assert first.data.compiled is not second.data.compiled


def test_what_is_kept_with_other_values():
    """Buffers with other initial values, the assembly with other forces."""
    prepared = sp.prepare(driven_arm())
    ints = prepared.simulate(0.01, output=1).data.compiled.ints
    other = prepared.with_values({"shoulder": {"initial": 0.9}})
    assert other.simulate(0.01, output=1).data.compiled.ints is ints
    coupled = sp.prepare(coupled_arm())
    start = coupled.simulate(0.01, output=1).data.compiled.q0
    other = coupled.with_values({"spring": {"stiffness": 7.0}})
    assert other.simulate(0.01, output=1).data.compiled.q0 is start


def test_histories_are_found_when_they_are_read():
    result = sp.simulate(driven_arm(), 0.02, **OPTIONS)
    found = vars(result.data.history)
    assert not {"a", "R", "energy", "wrench"} & set(found)
    assert result["lower"].position.shape == (6, 3)
    assert "R" in found and "a" not in found
    assert result.energy.level == "trusted" and "a" in found
    other = pickle.loads(pickle.dumps(result))
    same(other, result)


def test_wrong_arguments():
    with pytest.raises(sp.ModelError, match="prepare: model is 3, expected a Model"):
        sp.prepare(3)
    prepared = sp.prepare(driven_arm())
    with pytest.raises(sp.ModelError, match="with_values: changes is 3, expected a mapping"):
        prepared.with_values(3)
    with pytest.raises(
        sp.ModelError, match=r"with_values: changes\['lower'\] is 2, expected a map"
    ):
        prepared.with_values({"lower": 2})
    with pytest.raises(sp.ModelError, match="there is no item 'wrist'"):
        prepared.with_values({"wrist": {"mass": 1.0}})
    with pytest.raises(sp.ModelError, match=r"simulate: t_end is -1\.0, expected a time"):
        prepared.simulate(-1.0)


def test_a_doubt_is_a_warning_where_the_run_was_asked_for():
    prepared = sp.prepare(driven_arm())
    with pytest.warns(sp.SuppleWarning, match="steps were not enough") as caught:
        prepared.simulate(1.0, integrator=sp.Radau(max_steps=2))
    assert caught[0].filename == __file__


def test_trouble_in_a_function_is_forgotten_in_the_next_run():
    broken = [True]

    def law(t: float, angle: float, rate: float) -> float:
        if broken[0] and t > 0.01:
            raise ValueError("no")
        return -angle

    model = driven_arm()
    model.add(sp.EffortFunction("law", "shoulder", law))
    prepared = sp.prepare(model)
    assert "raised ValueError" in prepared.simulate(0.1).message
    broken[0] = False
    same(prepared.simulate(0.02, **OPTIONS), sp.simulate(model, 0.02, **OPTIONS))
    few = prepared.simulate(0.1, integrator=sp.Radau(max_steps=2))
    assert "steps were not enough" in few.message


def test_the_spanning_tree_is_kept_unless_joints_connect_otherwise():
    model = driven_arm()
    model.check()
    graph = model.spanning_tree()
    model.replace("lower", mass=3.0)
    model.replace("shoulder", initial=0.2)
    assert model.spanning_tree() is graph
    model.replace("elbow", A=model.ground.at(0.5))
    assert model.spanning_tree() is not graph
    assert model.spanning_tree().parent["lower"] == "ground"
