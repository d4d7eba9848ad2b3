"""Contacts in pictures: their shapes, where they touch, and forces while they do."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.drawn_models import page_of
from supple.results import pictures
from supple.visualization.contacts import LONGEST, PUSH, TOUCH
from supple.visualization.drawing import draw
from supple.visualization.scene import Scene, Thing

LAW = sp.HuntCrossley(0.3, 1.0, stiffness=1e5)
HEIGHT = 0.3


def falling(turn: float = 0.0, first: bool = False, **body: object) -> sp.Model:
    """A ball that falls on a plane, whose frame is far away. The ball is B, or A (`first`)."""
    m = sp.Model(gravity=(0, 0, -9.81))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=(0.004, 0.004, 0.004), **body))
    m.add(sp.Free("air", m.ground.at(0, 0, HEIGHT), ball.at(0), initial_rate=(0, 0, 0, 0.5, 0, 0)))
    floor = sp.Plane(m.ground.at(300, -200, 0, rotation=(0, 0, turn)))
    pair = (floor, sp.Sphere(ball.at(0), radius=0.1))
    m.add(sp.Contact("hit", *(pair[::-1] if first else pair), LAW, sp.RoundedFriction(0.5)))
    return m


@pytest.fixture(scope="module")
def run() -> sp.results.Result:
    return sp.simulate(falling(), 0.6)


def of(scene: Scene, name: str, kind: str) -> list[Thing]:
    return [one for one in scene.things if one.name == name and one.kind == kind]


def test_the_ball_and_a_slab_under_its_way_are_drawn(run: sp.results.Result) -> None:
    """The body has no form of its own: the ball is drawn with the box of its inertia."""
    scene = draw(run, len(run.t))
    *_, ball = of(scene, "ball", "bodies")
    (slab,) = of(scene, "ground", "bodies")
    for k, place in enumerate(run["ball"].position):
        away = np.linalg.norm(ball.vertices(k) - place, axis=1)
        np.testing.assert_allclose(away, 0.1, rtol=0, atol=1e-12)
    where = slab.vertices(0)
    np.testing.assert_array_equal(where, slab.vertices(len(run.t) - 1))
    assert where[:, 2].max() == pytest.approx(0.0, abs=1e-9)  # frames are some hundred m away
    low, high = run["ball"].position.min(axis=0), run["ball"].position.max(axis=0)
    assert np.all(where.min(axis=0)[:2] <= low[:2] - 0.1)
    assert np.all(where.max(axis=0)[:2] >= high[:2] + 0.1)
    a, b, c = (slab.points[slab.triangles[:, k]] for k in range(3))
    volume = float(np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0)  # closed, seen from outside
    assert volume == pytest.approx(np.prod(np.ptp(slab.points, axis=0)), rel=1e-9)
    assert scene.size < 2.0 and np.ptp(where, axis=0).max() < 2.0


def test_points_and_forces_are_those_of_the_result(run: sp.results.Result) -> None:
    scene, view = draw(run, len(run.t)), run["hit"]
    dot, tip = of(scene, "hit", "forces")
    assert (dot.colour, tip.colour) == (TOUCH, PUSH)
    force = np.linalg.norm(view.force, axis=1)
    assert view.touching.any() and not view.touching.all()
    lengths = []
    for k, touching in enumerate(view.touching):
        for one in (dot, tip):
            assert bool(np.ptp(one.vertices(k), axis=0).any()) == touching
        if touching:
            np.testing.assert_allclose(dot.vertices(k).mean(axis=0), view.point[k], atol=1e-3)
            along = (tip.vertices(k) - view.point[k]) @ view.force[k] / force[k]
            lengths.append(along.max())
    longest = max(lengths)
    reach = float(np.linalg.norm(scene.high - scene.low))
    assert longest == pytest.approx(LONGEST * reach, rel=1e-9)
    # in proportion, but for those of hits, which are cut
    values = force[view.touching]
    below = np.array(lengths) < 0.999 * longest
    ratio = np.array(lengths)[below] / values[below]
    assert below.sum() > 3
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    assert np.all(values[~below] * ratio[0] >= 0.999 * longest)


def test_forces_are_those_on_the_body_that_is_not_the_ground() -> None:
    result = sp.simulate(falling(first=True), 0.6)
    tip, view = of(draw(result, len(result.t)), "hit", "forces")[1], result["hit"]
    k = int(np.argmax(view.normal_force))
    assert view.force[k, 2] < 0.0  # on B, the ground
    assert np.ptp(tip.vertices(k)[:, 2]) > 0.01
    assert tip.vertices(k)[:, 2].min() > view.point[k, 2] - 1e-3  # drawn on the ball, upwards


def test_what_is_drawn_already_is_not_drawn_again() -> None:
    """The form of a body, a shape of two contacts, and one plane that is written twice."""
    m = falling(shape=sp.Sphere(radius=0.1))
    ball = m["ball"]
    knob = sp.Sphere(ball.at(0, 0, 0.15), radius=0.05)
    m.add(sp.Contact("knob", sp.Plane(m.ground.at(0, 0, 0, rotation=(0, 0, 1))), knob, LAW))
    m.add(sp.Contact("wall", sp.Plane(m.ground.at(2, 0, 0), "x"), knob, LAW))
    scene = draw(sp.simulate(m, 0.1))
    assert len(of(scene, "ball", "bodies")) == 2  # its form, and the knob
    assert len(of(scene, "ground", "bodies")) == 2  # floor and wall


def test_a_hollow_ball_can_be_seen_through() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=(1, 1, 1)))
    m.add(sp.Free("air", m.ground.at(0), ball.at(0)))
    bowl = sp.Sphere(m.ground.at(0), radius=0.5, inside=True)
    m.add(sp.Contact("in", bowl, sp.Sphere(ball.at(0), radius=0.1), LAW))
    scene = draw(sp.simulate(m, 0.1))
    assert [one.opacity for one in of(scene, "ground", "bodies")] == [0.3]


def test_pages_and_gltf_have_contacts(run: sp.results.Result, tmp_path: Path) -> None:
    names = [(one["name"], one["kind"]) for one in page_of(pictures.page_of(run))[0]["things"]]
    assert ("hit", "forces") in names and ("ground", "bodies") in names
    content = run.to_gltf(tmp_path / "a.glb").read_bytes()
    size = struct.unpack("<I", content[12:16])[0]
    nodes = [node["name"] for node in json.loads(content[20 : 20 + size])["nodes"]]
    assert sum("hit" in name for name in nodes) >= 2
    run.picture(0.3, tmp_path / "a.png")
