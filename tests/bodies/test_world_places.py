"""Joints and frames by places in the world: the same system as by frames on its bodies."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given

import supple as sp
from models.random_models import Recipe, examples, flexible_recipes, recipes, written_in_world

BOX, STEEL = sp.Box(0.02, 0.02, 0.002), sp.Material(210e9, 81e9, 7850)


def same_motion(one: sp.Model, other: sp.Model) -> None:
    """All bodies begin alike to rounding and go the same way within the tolerance of the runs."""
    a, b = (sp.simulate(model, 0.02, output=3, tolerance="tight") for model in (one, other))
    for name in one.bodies:
        for quantity in ("position", "matrix", "velocity", "acceleration"):
            x, y = (np.asarray(getattr(r[name], quantity)) for r in (a, b))
            size = 1.0 + np.abs(x).max()
            assert np.abs(x - y)[0].max() <= 1e-9 * size, (name, quantity)
            assert np.abs(x - y).max() <= 1e-5 * size, (name, quantity)


@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Prismatic", "Cylindrical", "Universal",
                                  "Spherical", "Planar", "Free", "General"])  # fmt: skip
def test_each_kind_of_joint_has_a_place_in_the_world(kind) -> None:
    model = Recipe((kind, "Revolute", kind), 7, can_lock=False).model()
    same_motion(model, written_in_world(model))


@examples(8)
@given(recipes(forces="frames", can_lock=False, max_bodies=4))
def test_a_tree_by_frames_and_by_world_places_moves_alike(recipe) -> None:
    model = recipe.model()
    same_motion(model, written_in_world(model))


@examples(8)
@given(flexible_recipes(max_bodies=3, can_lock=False, forces="frames"))
@pytest.mark.slow
def test_beams_by_frames_and_by_world_places_move_alike(recipe) -> None:
    model = recipe.model()
    same_motion(model, written_in_world(model))


@examples(5)
@given(flexible_recipes(max_bodies=3, can_lock=False))
def test_loops_by_world_places_are_closed_as_they_are_written(recipe) -> None:
    model = written_in_world(recipe.model())
    for name, joint in model.joints.items():
        model.replace(name, initial=type(joint)(name, joint.A, joint.B, **_axes(joint)).initial)
        model.replace(name, initial_rate=np.zeros(joint.nu))
    # a ball between a place of the last body and the ground closes a loop
    body = list(model.bodies.values())[-1]
    x, y, z = body.position + body.rotation @ body.nearest(np.array([0.1, 0.2, 0.3]))
    model.add(sp.Spherical("close", body, model.ground, at=(x, y, z)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        start = sp.assemble(model)
    for joint in model.joints.values():
        zero = np.zeros(joint.nq)
        zero[:1] = joint.nq != joint.nu
        assert np.allclose(start.coordinates(joint.name), zero, atol=1e-9)


def _axes(joint: sp.joints.Joint) -> dict:
    return {key: getattr(joint, key) for key in ("axis", "axes", "normal") if hasattr(joint, key)}


# ------------------------------------------------------------------------------------- by hand


def four_bar(order: int = 1) -> sp.Model:
    """Crank, coupler and rocker in the plane z = 0, all joints at places in the world."""
    model = sp.Model(gravity=(0, -9.81, 0))
    turn = {"crank": 1.1, "coupler": 0.2, "rocker": -0.9}
    place = {"crank": (0, 0, 0), "coupler": (0.2, 0.5, 0), "rocker": (1.4, 0.7, 0)}
    bar = {
        name: model.add(
            sp.RigidBody(name, 1.0, (0.1, 0.2, 0), 0.05, position=place[name], rotation=(0, 0, a))
        )
        for name, a in turn.items()
    }
    for name, A, B, at in (
        ("a", model.ground, bar["crank"], (0, 0, 0)),
        ("b", bar["crank"], bar["coupler"], (0.2, 0.5, 0)),
        ("c", bar["coupler"], bar["rocker"], (1.4, 0.7, 0)),
        ("d", bar["rocker"], model.ground, (1.2, -0.1, 0)),
    ):
        ends = (A, B)[::order]
        model.add(sp.Revolute(name, *ends, at=at, axis=(0, 0, order)))
    return model


def test_a_loop_of_places_is_closed_as_it_is_written() -> None:
    model = four_bar()
    run = sp.simulate(model, 0.3, output=4)
    for name, body in model.bodies.items():
        assert np.allclose(run[name].position[0], body.position, atol=1e-12)
        assert np.allclose(run[name].matrix[0], body.rotation, atol=1e-12)
    for name in "abcd":
        assert abs(run[name].angle[0]) < 1e-12
    other = sp.simulate(four_bar(-1), 0.3, output=4)
    assert np.allclose(run["c"].angle, other["c"].angle, atol=1e-6)
    assert abs(run["c"].angle[-1]) > 0.01


def test_a_joint_at_a_place_is_an_ordinary_joint() -> None:
    model = four_bar()
    assert model.check() is None
    assert np.array_equal(model["b"].at, (0.2, 0.5, 0))
    c, s = np.cos(1.1), np.sin(1.1)
    assert np.allclose(model["b"].A.position, (0.2 * c + 0.5 * s, 0.5 * c - 0.2 * s, 0))
    assert len(model.graph().edges) == len(four_bar(-1).graph().edges)
    same = sp.simulate(model.copy(), 0.1, output=2)
    prepared = sp.prepare(model).simulate(0.1, output=2)
    assert np.allclose(same["a"].angle, prepared["a"].angle, atol=1e-12)


def test_replace_moves_the_place_or_the_body() -> None:
    model = sp.Model(gravity=(0, -9.81, 0))
    arm = model.add(sp.RigidBody("arm", 1.0, position=(2, 0, 0)))
    model.add(sp.Revolute("pin", model.ground, arm, at=(1, 0, 0)))
    model.add(sp.SpringDamper("spring", model.ground.at_world(0, 0, 0), arm.at_world(2, 1, 0), 1.0))
    model.replace("pin", at=(0.5, 0, 0))
    assert np.allclose(model["pin"].A.position, (0.5, 0, 0))
    assert np.allclose(model["pin"].B.position, (-1.5, 0, 0))
    # The arm goes elsewhere; what is at places in the world stays there.
    model.replace("arm", position=(2, -1, 0), rotation=(0, 0, np.pi / 2))
    assert np.allclose(model["pin"].B.position, (1, 1.5, 0))
    assert np.allclose(model["spring"].B.position, (2, 0, 0))
    run = sp.simulate(model, 0.01, output=2)
    assert np.allclose(run["arm"].position[0], (2, -1, 0))
    assert np.allclose(run[model["spring"].B].position[0], (2, 1, 0))
    model.replace("pin", A=model.ground.at(0.5, 0, 0))
    assert model["pin"].at is None


def test_initial_coordinates_lead_away_from_the_written_position() -> None:
    model = sp.Model()
    arm = model.add(sp.RigidBody("arm", 1.0, position=(1, 1, 0)))
    model.add(sp.Revolute("pin", model.ground, arm, at=(1, 0, 0), initial=np.pi / 2))
    run = sp.simulate(model, 0.01, output=2)
    assert np.allclose(run["arm"].position[0], (0, 0, 0), atol=1e-12)


def test_rounding_is_no_contradiction() -> None:
    """Bodies without size at the origin, where only frames have lengths."""
    for seed in range(20):
        turn, place = np.random.default_rng(seed).normal(size=(2, 3))
        model = sp.Model()
        body = model.add(sp.RigidBody("body", 1.0, rotation=turn))
        model.add(sp.Spherical("ball", model.ground, body, at=place))
        model.check()


def test_flexible_bodies_have_places_in_the_world() -> None:
    beam = sp.Beam("beam", 2.0, BOX, STEEL, position=(1, 1, 0), rotation=(0, 0, np.pi / 6))
    tip = beam.position + 1.5 * np.array([np.cos(np.pi / 6), 0.5, 0])
    assert np.allclose(beam.at_world(*np.round(tip, 7)).position, (1.5, 0, 0), atol=1e-7)
    assert beam.at_world(*tip).position[1] == 0.0
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0)}
    members = [sp.Member("a", "b", BOX, STEEL), sp.Member("b", "c", BOX, STEEL)]
    frame = sp.FrameStructure("frame", nodes, members, rotation=(0, 0, np.pi / 2))
    assert np.allclose(frame.at_world(-1, 1, 0).position, (1, 1, 0))
    solid = sp.MeshBody(
        "solid", sp.fem.block((1, 1, 1), (1, 1, 1), "hex8", STEEL), modes=0, reference="mean_axis",
        position=(5, 0, 0),
    )  # fmt: skip
    assert np.allclose(solid.at_world(6, 1, 0).position, (1, 1, 0))
    for body, where, sentence in (
        (beam, (0, 0, 0), "Beam 'beam': place in the world is (0, 0, 0), expected a place on it; "
                          "the nearest is (1, 1, 0), 1.41 m away"),
        (frame, (-1, 1.1, 0), "FrameStructure 'frame': place in the world is (-1, 1.1, 0), "
                              "expected a "
                              "place on it; the nearest is (-1, 1, 0), 0.1 m away"),
        (solid, (6, 1, 2), "MeshBody 'solid': place in the world is (6, 1, 2), expected a place on "
                           "it; the nearest is (6, 1, 1), 1 m away"),
    ):  # fmt: skip
        with pytest.raises(sp.ModelError) as caught:
            body.at_world(*where)
        assert str(caught.value) == sentence


def test_joints_by_frames_that_contradict_places_are_refused() -> None:
    def arm(position=(0, 0, 0), rotation=None, initial=0.0) -> sp.Model:
        model = sp.Model()
        one = model.add(sp.RigidBody("one", 1.0, position=position, rotation=rotation))
        two = model.add(sp.RigidBody("two", 1.0))
        pin = sp.Revolute("pin", model.ground.at(1, 0, 0), one.at(0, 0, 0), initial=initial)
        model.add(pin)
        model.add(sp.Revolute("elbow", one, two, at=(2, 0, 0)))
        return model

    arm((1, 0, 0)).check()
    arm((1, 0, 0), (0, 0, 0.3), 0.3).check()
    with pytest.raises(sp.ModelError) as caught:
        arm().check()
    assert str(caught.value) == (
        "RigidBody 'one': position is (0, 0, 0), expected (1, 0, 0), where its joints put it, or "
        "joints with at=(x, y, z)"
    )
    with pytest.raises(sp.ModelError, match=r"'one': rotation is .* expected the axes that its"):
        arm((1, 0, 0), initial=0.3).check()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda a, b: sp.Revolute("j", a.at(0, 0, 0), b, at=(0, 0, 0)),
            "Revolute 'j': A is Frame 'a@(0, 0, 0)', expected a body or the ground, because "
            "at=(x, y, z) gives the place",
        ),
        (
            lambda a, b: sp.Free("j", a, b, at=(0, 0)),
            "Free 'j': at is (0, 0), expected a point of the world, e.g. (1, 0, 0)",
        ),
        (
            lambda a, b: sp.Fixed("j", a, a, at=(0, 0, 0)),
            "Fixed 'j': B is Frame 'a@(0, 0, 0)', expected a frame on another body than A, which "
            "is Frame 'a@(0, 0, 0)'",
        ),
        (
            lambda a, b: sp.RigidBody("c", 1.0, position=(0, 0)),
            "RigidBody 'c': position is (0, 0), expected 3 finite numbers",
        ),
        (
            lambda a, b: a.at_world(0, "x"),
            "RigidBody 'a': y of at_world(x, y, z) is 'x', expected a finite number",
        ),
    ],
)
def test_sentences(make, sentence) -> None:
    bodies = [sp.RigidBody(name, 1.0) for name in "ab"]
    with pytest.raises(sp.ModelError) as caught:
        make(*bodies)
    assert str(caught.value) == sentence
