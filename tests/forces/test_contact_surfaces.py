"""Contact with cones, cams, grounds of heights and meshes: closed forms, energy, sentences."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.bodies.shapes.shape import Shape
from supple.bodies.shapes.splines import FAR, closed_curve, reach_outside
from supple.fem.drawn.surface import Surface

G = 9.81
LAW = sp.HuntCrossley(stiffness=1e6, restitution=1.0, exponent=1)


def stl(path: Path, surface: Surface) -> Path:
    """A file with the triangles of a surface."""
    rows = ["solid s"]
    for a, b, c in surface.points[surface.triangles]:
        rows += ["facet normal 0 0 0", "outer loop"]
        rows += [f"vertex {x:.9g} {y:.9g} {z:.9g}" for x, y, z in (a, b, c)]
        rows += ["endloop", "endfacet"]
    path.write_text("\n".join([*rows, "endsolid s"]))
    return path


def flight(carried, place, rate, law: sp.HuntCrossley = LAW, gravity: float = 0.0) -> sp.Model:
    """A ball of 1 kg and 5 cm that flies against a shape of a body that turns."""
    m = sp.Model(gravity=(0, 0, -gravity))
    body = m.add(sp.RigidBody("body", 3.0, inertia=(0.1, 0.12, 0.15)))
    rates = (0.3, -0.2, 0.5, 0, 0, 0) if gravity == 0.0 else (0,) * 6
    if gravity == 0.0:
        m.add(sp.Free("floats", m.ground.at(0), body.at(0), initial_rate=rates))
    else:
        m.add(sp.Fixed("fixed", m.ground.at(0), body.at(0)))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    m.add(sp.Free("air", m.ground.at(*place), ball.at(0), initial_rate=(0, 0, 0, *rate)))
    m.add(sp.Contact("hit", carried(body.at(0)), sp.Sphere(ball.at(0), radius=0.05), law))
    return m


def wavy_ground(frame: sp.Frame) -> Shape:
    x = np.arange(12) * 0.1
    heights = 0.03 * np.sin(5.0 * x)[:, None] * np.cos(4.0 * x)[None]
    return sp.HeightField(frame, heights, 0.1, position=(-0.55, -0.55, 0.0))


def wavy_cam(frame: sp.Frame) -> Shape:
    angle = 2.0 * np.pi * np.arange(64) / 64
    return sp.Cam(frame, radii=0.2 + 0.03 * np.cos(2.0 * angle), width=0.2)


def check_hit(m: sp.Model, t_end: float = 0.3) -> sp.Result:
    """A hit with all momenta and the energy."""
    r = sp.simulate(m, t_end, tolerance=1e-8)
    assert r["hit"].gap.min() < 0.0 or r.statistics["depth of hit"] > 1e-5
    for name in ("linear", "angular"):
        momentum = r.dataset[f"momentum.{name}"].values
        assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.abs(momentum).max()
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic.max()
    return r


@pytest.mark.parametrize(
    ("carried", "place", "rate"),
    [
        (lambda f: sp.Cone(f, radius=0.2, length=0.4), (0.4, 0.05, 0.1), (-2, 0, 0)),
        (lambda f: sp.Cone(f, radius=0.2, length=0.4, tip=0.03), (0.01, 0.02, 0.6), (0, 0, -2)),
        (wavy_cam, (0.4, 0.05, 0.03), (-2, 0, 0)),
        (wavy_cam, (0.4, 0.05, 0.13), (-2, 0, 0)),
        (wavy_ground, (0.05, 0.1, 0.3), (0.2, -0.4, -2)),
    ],
    ids=["side of a cone", "tip of a cone", "side of a cam", "edge of a cam", "ground"],
)
def test_momentum_and_energy_of_hits(carried, place, rate) -> None:
    check_hit(flight(carried, place, rate))


def test_momentum_and_energy_of_a_hit_on_a_mesh(tmp_path: Path) -> None:
    """Energy is that of a function of the place, also where the grid rounds an edge."""
    drawn = sp.Cuboid(size=(0.4, 0.3, 0.2)).surface()
    path = stl(tmp_path / "box.stl", drawn)
    m = flight(lambda f: sp.MeshShape(path, frame=f, cells=32), (0.23, 0.02, 0.4), (-0.1, 0, -2))
    assert check_hit(m).motion.findings == ()
    m.replace("hit", A=sp.MeshShape(path, frame=m["body"].at(0), cells=16))
    assert [f.what for f in sp.simulate(m, 0.3).motion.findings] == ["grid"]


def test_a_ball_bounces_on_a_mesh_as_on_its_plane(tmp_path: Path) -> None:
    path = stl(tmp_path / "box.stl", sp.Cuboid(size=(1.0, 1.0, 0.6)).surface())
    law = sp.HuntCrossley(stiffness=1e7, restitution=0.7, speed=math.sqrt(2.0 * G * 0.2))
    shapes = {
        "mesh": lambda f: sp.MeshShape(path, frame=f, cells=32),
        "plane": lambda f: sp.Plane(f, position=(0, 0, 0.3)),
    }
    up = {
        name: sp.simulate(flight(shape, (0.03, 0.05, 0.55), (0, 0, 0), law, G), 0.3, tolerance=1e-8)
        for name, shape in shapes.items()
    }
    heights = [r["ball"].position[-1, 2] for r in up.values()]
    assert heights[0] == pytest.approx(heights[1], abs=1e-4)


def test_a_ball_slides_down_an_inclined_ground() -> None:
    """Heights that are linear: a/g = sin of the slope, without friction."""
    slope, x = 0.25, np.arange(10) * 0.2
    m = sp.Model(gravity=(0, 0, -G))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    n = np.array([-slope, 0.0, 1.0]) / math.hypot(1.0, slope)
    depth = G * n[2] / 1e6
    place = np.array([1.6, 0.9, 0.25 * 1.6]) + (0.05 - depth) * n
    m.add(sp.Free("air", m.ground.at(*place), ball.at(0)))
    ground = sp.HeightField(m.ground.at(0), np.repeat(slope * x[:, None], 10, axis=1), 0.2)
    m.add(sp.Contact("slide", ground, sp.Sphere(ball.at(0), radius=0.05), LAW))
    r = sp.simulate(m, 0.5, tolerance=1e-7)
    way = 0.5 * G * slope * n[2] * 0.25
    assert np.linalg.norm(r["ball"].position[-1] - place) == pytest.approx(way, rel=1e-5)
    assert r.motion.findings == ()
    away = sp.simulate(m, 1.6, tolerance=1e-6)
    (finding,) = away.motion.findings
    assert finding.what == "border" and "outside of the grid" in finding.sentence


SOLIDS = {
    "cylinder": lambda f: sp.Cylinder(f, radius=0.05, length=0.3, rounding=0.01),
    "disc": lambda f: sp.Cylinder(f, radius=0.15, length=0.02, rounding=0.005),
    "capsule": lambda f: sp.Capsule(f, radius=0.05, length=0.3),
    "wheel": lambda f: sp.Torus(f, radius=0.1, section=0.03, axis="y"),
    "box": lambda f: sp.Cuboid(f, (0.2, 0.15, 0.1)),
}


@pytest.mark.parametrize("kind", SOLIDS)
def test_solids_that_tumble_over_hills_keep_their_energy(kind: str) -> None:
    """By laws that lose nothing; what is flat or straight meets hollows at several places."""
    x = np.arange(-3.0, 6.0, 0.1)
    hills = 0.1 * np.sin(2.0 * x)[:, None] * np.cos(1.5 * x)[None]
    for seed in (1, 6):
        rng = np.random.default_rng(seed)
        m = sp.Model(gravity=(0, 0, -G))
        body = m.add(sp.RigidBody("body", 1.0, inertia=(4e-3, 5e-3, 3e-3)))
        place = m.ground.at(0, 0, 0.5, rotation=rng.normal(size=3))
        rate = (*3.0 * rng.normal(size=3), 1.0, 0.3, 0.0)
        m.add(sp.Free("air", place, body.at(0), initial_rate=rate))
        ground = sp.HeightField(m.ground.at(-3, -3), hills, 0.1)
        law = sp.HuntCrossley(1.0, 3.0, 3e6, 1)
        m.add(sp.Contact("hits", SOLIDS[kind](body.at(0)), ground, law))
        r = sp.simulate(m, 1.5, output=20)
        assert len(r["hits"].touches) > 3
        assert np.abs(r.energy.error).max() < 1e-6 * r.energy.record.max_energy


def test_a_box_that_tumbles_and_rubs_over_hills_is_balanced() -> None:
    x = np.arange(-3.0, 6.0, 0.1)
    hills = 0.1 * np.sin(2.0 * x)[:, None] * np.cos(1.5 * x)[None]
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("body", 1.0, inertia=4e-3))
    m.add(sp.Free("air", m.ground.at(0, 0, 1), body.at(0), initial_rate=(0, 0, 0, 1, 0.3, 0)))
    ground = sp.HeightField(m.ground.at(-3, -3), hills, 0.1)
    box = sp.Cuboid(body.at(0), (0.2, 0.15, 0.1))
    m.add(sp.Contact("hits", box, ground, sp.HuntCrossley(0.7, 3.0, 1e7), sp.Friction(0.5)))
    r = sp.simulate(m, 1.8, output=20)
    assert np.abs(r.energy.error).max() < 1e-5 * r.energy.record.max_energy


@pytest.mark.parametrize("ground", ["flat", "ring"])
def test_a_ball_that_flies_by_closely_costs_a_few_steps(ground: str) -> None:
    m = sp.Model(gravity=(0, 0, 0))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=4e-3))
    if ground == "flat":
        start = m.ground.at(0, 0, 0.05 + 1e-5)
        m.add(sp.Free("air", start, ball.at(0), initial_rate=(0, 0, 0, 10.0, 0, 0)))
        shape: Shape = sp.HeightField(m.ground.at(-1, -1), np.zeros((80, 20)), 0.1)
    else:  # along its inner side
        arm = ball.at(-(0.5 - 0.1 - 0.05 - 1e-5), 0, 0)
        m.add(sp.Revolute("air", m.ground.at(0), arm, "z", initial_rate=30.0))
        shape = sp.Torus(m.ground.at(0), radius=0.5, section=0.1, axis="z")
    m.add(sp.Contact("hit", sp.Sphere(ball.at(0), radius=0.05), shape, LAW))
    r = sp.simulate(m, 0.5)
    assert r.statistics["steps"] < 30 and len(r["hit"].touches) == 0
    assert r["hit"].gap.min() == pytest.approx(1e-5, rel=1e-6)


def test_no_touch_of_hills_is_missed() -> None:
    """Touches of a ball that is thrown along hills are those that gaps at many instants show."""
    x = np.arange(-1.0, 12.0, 0.1)
    hills = 0.04 * np.sin(3.0 * x)[:, None] * np.ones(12)
    for rate in (3.0, 9.0):
        m = sp.Model(gravity=(0, 0, -G))
        ball = m.add(sp.RigidBody("ball", 1.0, inertia=4e-3))
        start = m.ground.at(0, 0, 0.15)
        m.add(sp.Free("air", start, ball.at(0), initial_rate=(0, 0, 0, rate, 0, 0)))
        field = sp.HeightField(m.ground.at(-1, -0.55), hills, 0.1)
        law = sp.HuntCrossley(0.6, 1.0, 1e7, 1)
        m.add(sp.Contact("hit", sp.Sphere(ball.at(0), radius=0.05), field, law))
        output = np.linspace(0.0, 1.0, 4001)[1:]
        r = sp.simulate(m, 1.0, output=output, tolerance=1e-5)
        touching, seen = r["hit"].gaps[:, 0] < 0.0, np.zeros(len(r.t), dtype=bool)
        for begin, end in r["hit"].touches:
            seen |= (begin <= r.t) & (r.t <= end)
        assert touching.any() and not touching.all()
        assert not (touching & ~seen).any()


def test_the_lift_of_an_eccentric_cam() -> None:
    """A circle about a point beside its axle: e cos + sqrt((R + r)^2 - e^2 sin^2)."""
    e, R, radius = 0.02, 0.08, 0.03
    angle = 2.0 * np.pi * np.arange(128) / 128
    circle = np.stack([R * np.cos(angle), R * np.sin(angle) + e], axis=1)
    m = sp.Model(gravity=(0, 0, 0))
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=1e-2))
    m.add(sp.Revolute("axle", m.ground.at(0), shaft.at(0), "z", 0.0, 5.0))
    follower = m.add(sp.RigidBody("follower", 0.1, inertia=1e-5))
    m.add(sp.Prismatic("lift", m.ground.at(0), follower.at(0), "y", R + radius + e))
    m.add(sp.JointSpring("spring", "lift", stiffness=2000.0))
    m.add(sp.Driver("motor", "axle", "5*t"))
    cam = sp.Cam(shaft.at(0), points=circle, width=0.02)
    law = sp.HuntCrossley(stiffness=1e8, restitution=0.3, speed=0.1, exponent=1)
    roller = sp.Sphere(follower.at(0), radius=radius)
    m.add(sp.Contact("roll", cam, roller, law))
    r = sp.simulate(m, 1.5, tolerance=1e-6)
    a = r["axle"].coordinates[:, 0]
    exact = e * np.cos(a) + np.sqrt((R + radius) ** 2 - (e * np.sin(a)) ** 2)
    np.testing.assert_allclose(r["lift"].coordinates[:, 0], exact, atol=1e-5)


def slot(width: float, count: int = 200) -> np.ndarray:
    """Points of a square with a slot from one side to its middle."""
    side, deep = 0.5, 0.25
    corners = [(-side, -side), (side, -side), (side, side), (width, side), (width, deep)]
    corners += [(-width, deep), (-width, side), (-side, side)]
    closed = np.array([*corners, corners[0]])
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.linspace(0.0, s[-1], count, endpoint=False)
    return np.stack([np.interp(at, s, closed[:, k]) for k in range(2)], axis=1)


def test_balls_that_fit_a_curve_from_outside() -> None:
    """Half of their radius is known: the least radius of hollows, or half of the least gap."""
    angle = 2.0 * np.pi * np.arange(240) / 240
    circle = 0.3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert reach_outside(closed_curve(circle)) == FAR
    waves = sp.Cam(radii=0.05 + 0.004 * np.cos(8.0 * angle), width=0.1)
    assert waves.hollow is not None
    reach = reach_outside(closed_curve(circle * ((waves.radii / 0.3)[:, None])))
    assert reach == pytest.approx(0.5 * waves.hollow, rel=1e-3)
    for width in (0.02, 0.05):  # half of the slot, or of its corners
        assert 0.0 < reach_outside(closed_curve(slot(width))) <= 0.5 * width


@pytest.mark.parametrize("follower", ["ball", "cylinder", "capsule"])
def test_a_roller_that_is_thrown_off_is_found_at_the_cost_of_a_few_steps(follower: str) -> None:
    """Touches are those that gaps at many instants show."""
    angle = 2.0 * np.pi * np.arange(120) / 120
    m = sp.Model(gravity=(0, 0, 0))
    shaft, lever = (m.add(sp.RigidBody(name, 0.1, inertia=1e-3)) for name in ("shaft", "lever"))
    m.add(sp.Revolute("axle", m.ground.at(0), shaft.at(0), "z"))
    m.add(sp.Driver("motor", "axle", "400*t"))
    m.add(sp.Prismatic("guide", m.ground.at(0), lever.at(0), "y", 0.0901))
    m.add(sp.JointSpring("spring", "guide", stiffness=4000.0))
    cam = sp.Cam(shaft.at(0), radii=0.06 - 0.01 * np.cos(2.0 * angle), width=0.02)
    roller = {
        "ball": lambda f: sp.Sphere(f, radius=0.02),
        "cylinder": lambda f: sp.Cylinder(f, radius=0.02, length=0.03, axis="z"),
        "capsule": lambda f: sp.Capsule(f, radius=0.02, length=0.03, axis="z"),
    }[follower](lever.at(0))
    m.add(sp.Contact("roll", cam, roller, sp.HuntCrossley(0.3, 1.0, 1e8, 1)))
    output = np.linspace(0.0, 0.03, 1501)[1:]
    r = sp.simulate(m, 0.03, output=output, tolerance=1e-6)
    assert r.success and r.statistics["steps"] < 2000
    touching, seen = r["roll"].gaps[:, 0] < 0.0, np.zeros(len(r.t), dtype=bool)
    for begin, end in r["roll"].touches:
        seen |= (begin <= r.t) & (r.t <= end)
    assert touching.any() and not touching.all()
    assert not (touching & ~seen).any()


def test_a_hollow_that_is_too_narrow_is_told() -> None:
    angle = 2.0 * np.pi * np.arange(180) / 180
    told = {}
    for radius in (0.05, 0.02):
        m = sp.Model(gravity=(0, 0, 0))
        shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=1e-2))
        m.add(sp.Revolute("axle", m.ground.at(0), shaft.at(0), "z", 0.3))
        ball = m.add(sp.RigidBody("ball", 0.1, inertia=1e-4))
        m.add(sp.Prismatic("in", m.ground.at(0), ball.at(0), "y", 0.25, -1.0))
        cam = sp.Cam(shaft.at(0), radii=0.15 + 0.01 * np.cos(9.0 * angle), width=0.1)
        m.add(
            sp.Contact(
                "c", cam, sp.Sphere(ball.at(0), radius=radius), sp.HuntCrossley(0.5, 1.0, 1e8)
            )
        )
        told[radius] = [f.what for f in sp.simulate(m, 0.2).motion.findings]
        assert 0.02 < cam.hollow < 0.05
    assert told == {0.05: ["hollow"], 0.02: []}


def test_a_cone_stands_on_its_base_and_lies_on_its_side() -> None:
    for turn, lies in ((0.0, False), (2.2, True)):
        m = sp.Model(gravity=(0, 0, -G))
        body = m.add(sp.RigidBody("cone", 1.0, (0, 0, 0.05), (2e-3, 2e-3, 1e-3)))
        place = m.ground.at(0, 0, 0.001 + 0.2 * lies, rotation=(turn, 0, 0))
        m.add(sp.Free("air", place, body.at(0)))
        cone = sp.Cone(body.at(0), radius=0.06, length=0.2)
        law = sp.HuntCrossley(stiffness=1e5, restitution=0.1, speed=0.2, exponent=1)
        m.add(
            sp.Contact(
                "foot", cone, sp.Plane(m.ground.at(0)), law, sp.RoundedFriction(0.5, rolling=1e-3)
            )
        )
        r = sp.simulate(m, 2.0, tolerance=1e-5)
        up = r["cone"].matrix[-1, 2, 2]
        half = math.atan2(0.06, 0.2)  # lying, the axis goes down to the tip by half its angle
        assert up == pytest.approx(-math.sin(half) if lies else 1.0, abs=2e-3)
        assert r["foot"].normal_force[-1] == pytest.approx(G, rel=1e-2)


def test_sentences() -> None:
    m = sp.Model()
    a, b = (m.add(sp.RigidBody(name, 1.0, inertia=1.0)) for name in "ab")
    with pytest.raises(sp.ModelError, match=r"Cone: tip is 0.1, expected less than the ball that"):
        sp.Cone(radius=0.1, length=0.2, tip=0.1)
    with pytest.raises(sp.ModelError, match=r"Cone: length is missing"):
        sp.Cone(radius=0.1)
    with pytest.raises(sp.ModelError, match=r"Cam: radii and points are both missing"):
        sp.Cam(width=0.1)
    with pytest.raises(sp.ModelError, match=r"Cam: width is missing"):
        sp.Cam(radii=np.ones(8))
    with pytest.raises(sp.ModelError, match=r"Cam: radii is .*at least 8 positive numbers"):
        sp.Cam(radii=[1, 2, 3], width=0.1)
    with pytest.raises(sp.ModelError, match=r"Cam: points is .*no two at the same place"):
        sp.Cam(points=np.ones((9, 2)), width=0.1)
    with pytest.raises(sp.ModelError, match=r"Cam: points is .*at least 8 points"):
        sp.Cam(points=np.ones((9, 3)), width=0.1)
    with pytest.raises(sp.ModelError, match=r"HeightField: heights is missing"):
        sp.HeightField(spacing=0.1)
    with pytest.raises(sp.ModelError, match=r"HeightField: heights is .*each at least 4"):
        sp.HeightField(heights=np.ones((3, 9)), spacing=0.1)
    with pytest.raises(sp.ModelError, match=r"HeightField: spacing is .*a positive number in m"):
        sp.HeightField(heights=np.ones((4, 9)), spacing=(0.1, 0.0))
    with pytest.raises(sp.ModelError, match=r"HeightField: spacing is missing"):
        sp.HeightField(heights=np.ones((4, 9)))
    with pytest.raises(sp.ModelError, match=r"Cuboid: rounding is 0.1, expected less than half"):
        sp.Cuboid(size=(1, 1, 0.2), rounding=0.1)
    with pytest.raises(sp.ModelError, match=r"Cuboid: rounding is 0.01, expected none of a hollow"):
        sp.Cuboid(size=(1, 1, 0.2), rounding=0.01, inside=True)
    with pytest.raises(sp.ModelError, match=r"A and B is 'HeightField and Cam', expected a plane"):
        sp.Contact("c", wavy_ground(a.at(0)), wavy_cam(b.at(0)), LAW)
