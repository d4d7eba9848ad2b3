"""Contact of cylinders, wheels, boxes and cones: with each other, cams, grounds, hollow walls."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple as sp
from oracles.solid_distance import separation
from supple.bodies.shapes.shape import Shape

G = 9.81
Made = Callable[[sp.Frame], Shape]
SOLIDS: dict[str, Made] = {
    "capsule": lambda f: sp.Capsule(f, radius=0.1, length=0.4, axis=(0.2, 1, 0.1)),
    "box": lambda f: sp.Cuboid(f, (0.3, 0.4, 0.2), rotation=(0.1, 0.2, 0.3)),
    "cylinder": lambda f: sp.Cylinder(f, radius=0.15, length=0.4, axis=(0.3, 0.2, 1)),
    "coin": lambda f: sp.Cylinder(f, radius=0.2, length=0.05, axis=(1, 0.2, 0.1), rounding=0.015),
    "wheel": lambda f: sp.Torus(f, radius=0.2, section=0.05, axis=(0.1, 1, 0.2)),
    "cone": lambda f: sp.Cone(f, radius=0.2, length=0.4, axis=(0, 0.2, 1), position=(0, 0, -0.1)),
}
OLD = {("capsule", "capsule"), ("capsule", "box"), ("box", "box"), ("cone", "cone")}
PAIRS = [p for p in itertools.combinations_with_replacement(SOLIDS, 2) if p not in OLD]
FEW = [("cylinder", "cylinder"), ("box", "cylinder"), ("box", "wheel"), ("cylinder", "cone")]
QUICK = [
    pytest.param(*p, marks=() if p in FEW else pytest.mark.slow, id=" ".join(p)) for p in PAIRS
]
ORIGIN = np.eye(3), np.zeros(3)
LAW = sp.HuntCrossley(stiffness=1e6, restitution=1.0, exponent=1)


def two(one: Made, other: Made, place, turn=(0, 0, 0), rates=None, law=LAW, friction=None):
    """Two bodies in space with a shape each, and their contact."""
    m = sp.Model(gravity=(0, 0, 0))
    a = m.add(sp.RigidBody("a", 1.0, (0.01, 0, 0.02), (0.01, 0.02, 0.03)))
    b = m.add(sp.RigidBody("b", 2.0, (0, 0.03, 0), (0.03, 0.02, 0.04)))
    first, second = rates or ((0,) * 6, (0,) * 6)
    m.add(sp.Free("fa", m.ground.at(0), a.at(0), initial_rate=first))
    m.add(sp.Free("fb", m.ground.at(*place), b.at(0), initial_rate=second))
    m.add(sp.Contact("hit", one(a.at(0)), other(b.at(0, rotation=turn)), law, friction))
    return m


# ------------------------------------------------------------------------------------------- gaps


def slack(shape: Shape) -> tuple[float, float]:
    """By how much the rounding of edges, and the crown, may take the surface back or forward."""
    core = shape.touching_core
    if core is None:  # a sharp cone
        return 0.0, 0.0
    crown = 5e-4 * sum(core.half)
    return (math.sqrt(3.0) - 1.0) * getattr(shape, "edge_radius", 0.0) + crown, crown


@pytest.mark.parametrize(("one", "other"), QUICK)
def test_gap_is_that_of_planes_between_solids(one: str, other: str) -> None:
    """At random places, with parallel axes, and beside each other; apart and within rounding."""
    rng = np.random.default_rng(3)
    for k in range(5):
        way = rng.normal(size=3) if k != 3 else np.eye(3)[rng.integers(3)]
        way /= np.linalg.norm(way)
        turn = 1e-5 * rng.normal(size=3) if k in (2, 3) else rng.normal(size=3)
        if k == 4:
            turn = np.zeros(3)
        first, second = (SOLIDS[name](sp.Model().ground.at(0)) for name in (one, other))
        pose = Rotation.from_rotvec(turn).as_matrix()
        low, high = 0.0, 1.2
        for _ in range(14):
            s = 0.5 * (low + high)
            apart = separation(first, second, ORIGIN, (pose, s * way), search=False) > 0.0
            low, high = (low, s) if apart else (s, high)
        place = (high + (0.05 if k % 2 else -0.001)) * way
        wanted = separation(first, second, ORIGIN, (pose, place))
        back, ahead = np.add(slack(first), slack(second))
        gap = sp.simulate(two(SOLIDS[one], SOLIDS[other], place, turn), 1e-9)["hit"].gap[0]
        assert -ahead - 1e-6 <= gap - wanted <= back + 1e-6


# ------------------------------------------------------------------------------- energy, momentum


def meeting(one: str, other: str, seed: int, speed: float = 1.1, **more) -> sp.Model:
    """Two solids that turn and fly against each other's middle."""
    rng = np.random.default_rng(seed)
    place = rng.normal(size=3)
    place *= 0.75 / np.linalg.norm(place)
    first, second = rng.normal(size=(2, 3))
    rates = (*first, 0, 0, 0), (*second, *(-speed / 0.75 * place))
    return two(SOLIDS[one], SOLIDS[other], place, rng.normal(size=3), rates, **more)


@pytest.mark.parametrize(("one", "other"), QUICK)
def test_collisions_without_losses(one: str, other: str) -> None:
    """What is stored is a function of the place: energy, and both momenta, are kept."""
    touched = 0
    for seed, exponent, k in ((1, 1.0, 1e5), (2, 1.5, 3e6)):
        law = sp.HuntCrossley(stiffness=k, restitution=1.0, exponent=exponent)
        r = sp.simulate(meeting(one, other, seed, law=law), 0.6, tolerance=1e-9)
        assert r.success, r.message
        touched += len(r["hit"].touches)
        # a point that runs along what is flat, within 1e-3 rad, costs ten times the tolerance
        assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic[0]
        for name in ("linear", "angular"):
            momentum = r.dataset[f"momentum.{name}"].values
            assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum[0]).max()
    assert touched >= 2


@pytest.mark.parametrize(("one", "other"), QUICK)
def test_shapes_in_either_order(one: str, other: str) -> None:
    """The same motion, with friction; forces are those on B."""
    law = sp.HuntCrossley(stiffness=3e5, restitution=0.6, speed=1.0, exponent=1)
    m = meeting(one, other, 3, law=law, friction=sp.RoundedFriction(0.3))
    r = sp.simulate(m, 0.6, tolerance=1e-6)
    m.replace("hit", A=m["hit"].B, B=m["hit"].A)
    again = sp.simulate(m, 0.6, tolerance=1e-6)
    assert len(r["hit"].touches) > 0 and r["hit"].lost_by_friction[-1] > 0.0
    # of boxes and capsules the order of the points differs: rounding, which a collision enlarges
    np.testing.assert_allclose(again["b"].position, r["b"].position, atol=1e-8)
    np.testing.assert_allclose(again["hit"].force, -r["hit"].force, atol=1e-4)
    momentum = r.dataset["momentum.angular"].values
    assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.abs(momentum[0]).max()


def test_a_cylinder_rolls_over_the_edge_of_a_box() -> None:
    """The point of contact runs along both as they tilt over each other, without a loss."""
    law = sp.HuntCrossley(stiffness=1e6, exponent=1.5)
    rates = ((0,) * 6, (0.02, 0.3, 0.01, 0.0, 0.0, -0.05))
    m = two(
        lambda f: sp.Cuboid(f, (0.9, 0.4, 0.2)),
        lambda f: sp.Cylinder(f, radius=0.1, length=0.8, axis="x"),
        (0.05, 0.0, 0.222),
        (0.0, -0.05, 0.0),
        rates,
        law,
    )
    r = sp.simulate(m, 1.0, tolerance=1e-7)
    assert np.ptp(r["hit"].point[r["hit"].touching, 0]) > 0.5
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic.max()


ANGLES = 2.0 * np.pi * np.arange(128) / 128
UNIT = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
THIN: dict[str, tuple[Made, Made]] = {  # what lies below, and what flies down to it
    "rods": (
        lambda f: sp.Cylinder(f, radius=5e-4, length=1.0, axis="x"),
        lambda f: sp.Cylinder(f, radius=5e-4, length=1.0, axis="y"),
    ),
    "discs": (
        lambda f: sp.Cylinder(f, radius=0.3, length=1e-3, axis=(0.1, 0.2, 1)),
        lambda f: sp.Cuboid(f, (0.4, 0.4, 1e-3), rotation=(0.3, 0.2, 0)),
    ),
    "wheel": (
        lambda f: sp.HeightField(f, np.zeros((20, 20)), 0.2, position=(-1.9, -1.9, 0)),
        lambda f: sp.Torus(f, radius=0.2, section=5e-4, axis="x"),
    ),
    "box": (
        lambda f: sp.Cam(f, points=5e-4 * UNIT, width=0.5, rotation=(1.5, 0, 0)),
        lambda f: sp.Cuboid(f, (0.5, 0.4, 1e-3), rotation=(0.1, 0.2, 0), rounding=4e-4),
    ),
    "plane": (
        lambda f: sp.Plane(f, (0, 0.1, 1)),
        lambda f: sp.Cam(f, points=0.1 * UNIT, width=1e-3, rotation=(1, 0, 0)),
    ),
}


@pytest.mark.parametrize("kind", THIN)
def test_thin_and_quick_bodies_are_never_missed(kind: str) -> None:
    """At 30 m/s, while they turn: steps are free, but none passes."""
    law = sp.HuntCrossley(stiffness=1e12, restitution=0.9, speed=30.0, exponent=1)
    for tolerance, swapped in ((1e-3, False), (1e-6, True)):
        rates = ((0,) * 6, (0.5, 0.2, 3.0, 0, 0, -30.0))
        m = two(*THIN[kind], (0.05, 0.1, 1.3), (0, 0, 0.1), rates, law)
        if swapped:
            m.replace("hit", A=m["hit"].B, B=m["hit"].A)
        r = sp.simulate(m, 0.05, tolerance=tolerance)
        assert r.statistics["depth of hit"] > 0.0
        assert r["b"].velocity[-1, 2] > -25.0


def test_rollers_that_fly_within_a_hollow_cylinder_are_never_missed() -> None:
    """To and fro through the middle, 0.3 m at 30.3 m/s, at whatever tolerance resolves a touch."""
    law = sp.HuntCrossley(stiffness=1e9, restitution=1.0, exponent=1)
    for tolerance in (1e-4, 1e-6):
        m = sp.Model(gravity=(0, 0, 0))
        b = m.add(sp.RigidBody("b", 1.0, inertia=(1e-3, 1e-3, 1e-3)))
        m.add(sp.Planar("way", m.ground.at(0), b.at(0), initial_rate=(30.0, 4.0, 200.0)))
        roller = sp.Cylinder(b.at(0), radius=0.05, length=0.1)
        ring = sp.Cylinder(m.ground.at(0), radius=0.2, length=0.3, inside=True)
        m.add(sp.Contact("hit", ring, roller, law))
        r = sp.simulate(m, 0.2, tolerance=tolerance)
        # half an oscillation of 1 kg on both ends, 2e9 N/m, and 0.3 m there and back
        period = math.pi / math.sqrt(2e9) + 0.3 / math.hypot(30.0, 4.0)
        times = np.arange(20) * period + 0.15 / math.hypot(30.0, 4.0)
        np.testing.assert_allclose(r["hit"].touches[:20, 0], times, rtol=1e-3)


# -------------------------------------------------------------------------------- rolling, bearings


@pytest.mark.parametrize("ground", ["box", "heights", "mesh"])
@pytest.mark.parametrize("shape", ["cylinder", "wheel", "capsule"])
def test_rolling_down(ground: str, shape: str, tmp_path) -> None:
    """At g sin(slope)/(1 + I/(m r^2)), with friction that holds."""
    slope, mass, inertia, radius = 0.2, 2.0, 0.01, 0.1
    m = sp.Model(gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    body = m.add(sp.RigidBody("body", mass, inertia=(inertia,) * 3))
    m.add(sp.Free("air", m.ground.at(0.001, 0.002, radius - 1e-5), body.at(0)))
    if ground == "box":
        floor: Shape = sp.Cuboid(m.ground.at(0.8, 0, -0.5), (3, 1, 1))
    elif ground == "heights":
        floor = sp.HeightField(m.ground.at(0), np.zeros((30, 12)), 0.1, position=(-0.5, -0.55, 0))
    else:
        path = tmp_path / "floor.stl"
        stl(path, sp.Cuboid(size=(3, 1, 1)).surface())
        floor = sp.MeshShape(path, frame=m.ground.at(0.8, 0, -0.5))
    moving = {
        "cylinder": sp.Cylinder(body.at(0), radius=radius, length=0.3, axis="y"),
        "wheel": sp.Torus(body.at(0), radius=0.08, section=0.02, axis="y"),
        "capsule": sp.Capsule(body.at(0), radius=radius, length=0.3, axis="y"),
    }[shape]
    law = sp.HuntCrossley(restitution=0.3, speed=0.05, stiffness=1e6, exponent=1)
    m.add(sp.Contact("on", moving, floor, law, sp.Friction(0.5)))
    r = sp.simulate(m, 0.8, tolerance=1e-6)
    way = 0.5 * G * np.sin(slope) / (1.0 + inertia / (mass * radius**2)) * 0.8**2
    # the bristle is drawn, and the depth settles, within 1e-4 m; the crown is 5e-4 of the length
    np.testing.assert_allclose(r["body"].position[-1, :2], (0.001 + way, 0.002), atol=3e-4)
    total = r["on"].force[-1]
    assert abs(abs(total[2]) - mass * G * np.cos(slope)) < 1e-2 * mass * G
    assert r.motion.findings == ()


def stl(path, surface) -> None:
    """A file with the triangles of a surface."""
    rows = ["solid s"]
    for corners in surface.points[surface.triangles]:
        rows += ["facet normal 0 0 0", "outer loop"]
        rows += [f"vertex {x:.9g} {y:.9g} {z:.9g}" for x, y, z in corners]
        rows += ["endloop", "endfacet"]
    path.write_text("\n".join([*rows, "endsolid s"]))


def test_a_roller_bearing() -> None:
    """The cage goes with w r/(2 (r + rho)), and pushes carry the load on the shaft."""
    inner, radius, play, load, speed, count = 0.03, 0.005, -2e-6, 500.0, 50.0, 6
    m = sp.Model(gravity=(0, 0, 0))
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=(5e-4,) * 3))
    m.add(sp.Planar("axle", m.ground.at(0), shaft.at(0), initial_rate=(0, 0, speed)))
    m.add(sp.Force("load", shaft.at(0), (0, -load, 0)))
    law = sp.HuntCrossley(0.5, 0.05, 1e8, 1)
    ring = sp.Cylinder(shaft.at(0), radius=inner, length=0.012)
    outer = inner + 2 * radius + play
    house = sp.Cylinder(m.ground.at(0), radius=outer, length=0.0122, inside=True)
    cage = speed * inner / (2 * (inner + radius))
    for k in range(count):
        a = 2 * np.pi * (k + 0.3) / count
        c = (inner + radius + play / 2) * np.array([np.cos(a), np.sin(a), 0])
        spin = -cage * (outer - radius) / radius
        roller = m.add(sp.RigidBody(f"roller {k}", 0.005, inertia=(1.2e-7, 1.2e-7, 6e-8)))
        rates = (-cage * c[1], cage * c[0], spin)
        m.add(sp.Planar(f"way {k}", m.ground.at(*c), roller.at(0), initial_rate=rates))
        shape = sp.Cylinder(roller.at(0), radius=radius, length=0.01)
        for name, other in (("in", ring), ("out", house)):
            rubs = sp.RoundedFriction(0.1, transition=1e-3)
            m.add(sp.Contact(f"{name} {k}", shape, other, law, rubs))
    r = sp.simulate(m, 0.03, tolerance=1e-5)
    angle = np.unwrap(np.arctan2(*r["roller 0"].position[:, 1::-1].T))
    half = len(angle) // 2
    rate = (angle[-1] - angle[half]) / (r.t[-1] - r.t[half])
    # radii are those of surfaces that overlap by some 1e-5 m; it creeps below 1e-3 m/s
    assert rate == pytest.approx(cage, rel=2e-3)
    pushed = sum(r[f"in {k}"].force for k in range(count))[half:].mean(axis=0)
    np.testing.assert_allclose(pushed, (0, load, 0), atol=0.02 * load)
    assert np.abs(r.energy.error).max() < 1e-4 * r.energy.kinetic.max()


# ------------------------------------------------------------------------------------------ cams

FOLLOWERS: dict[str, Callable[[sp.Frame], Shape]] = {
    "plane": lambda f: sp.Plane(f, (0, -1, 0)),
    "tappet": lambda f: sp.Cylinder(f, radius=0.03, length=0.02, axis="y", position=(0, 0.01, 0)),
    "box": lambda f: sp.Cuboid(f, (0.07, 0.02, 0.04), (0, 0.01, 0)),
    "roller": lambda f: sp.Cylinder(f, radius=0.03, length=0.03, position=(0, 0.03, 0)),
    "wheel": lambda f: sp.Torus(f, radius=0.02, section=0.01, position=(0, 0.03, 0)),
}


@pytest.mark.parametrize("kind", FOLLOWERS)
def test_the_lift_of_an_eccentric_cam(kind: str) -> None:
    """A circle about a point beside its axle, and what it lifts."""
    e, R, rho = 0.02, 0.08, 0.03
    m = sp.Model(gravity=(0, 0, 0))
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=1e-2))
    m.add(sp.Revolute("axle", m.ground.at(0), shaft.at(0), "z", 0.0, 5.0))
    m.add(sp.Driver("motor", "axle", "5*t"))
    follower = m.add(sp.RigidBody("follower", 0.1, inertia=1e-5))
    m.add(sp.Prismatic("lift", m.ground.at(0), follower.at(0), "y", R + e))
    m.add(sp.JointSpring("spring", "lift", stiffness=2000.0))
    cam = sp.Cam(shaft.at(0), points=R * UNIT + [0.0, e], width=0.02)
    law = sp.HuntCrossley(stiffness=1e8, restitution=0.3, speed=0.1, exponent=1)
    m.add(sp.Contact("roll", FOLLOWERS[kind](follower.at(0)), cam, law))
    r = sp.simulate(m, 1.5, tolerance=1e-6)
    a = r["axle"].coordinates[:, 0]
    exact = R + e * np.cos(a)
    if kind in ("roller", "wheel"):
        exact = e * np.cos(a) + np.sqrt((R + rho) ** 2 - (e * np.sin(a)) ** 2) - rho
    # overlap of 200 N at 1e8 N/m; the crown of what is flat, 5e-4 of half its sizes
    bound = 3e-6 if kind == "plane" else 3e-6 + 5e-4 * rho
    np.testing.assert_allclose(r["lift"].coordinates[:, 0], exact, atol=bound)


def test_a_plane_on_a_cam_of_harmonic_lift() -> None:
    """Lift r + h (1 - cos 2 a)/2: the cam is the envelope of its tangents."""
    base, h, n = 0.05, 0.004, 200
    a = 2.0 * np.pi * np.arange(n) / n
    s, slope = base + 0.5 * h * (1.0 - np.cos(2 * a)), h * np.sin(2 * a)
    points = np.stack([s * np.cos(a) - slope * np.sin(a), s * np.sin(a) + slope * np.cos(a)], 1)
    m = sp.Model(gravity=(0, 0, 0))
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=1e-2))
    m.add(sp.Revolute("axle", m.ground.at(0), shaft.at(0), "z", 0.3))
    follower = m.add(sp.RigidBody("follower", 0.1, inertia=1e-5))
    m.add(sp.Prismatic("lift", m.ground.at(0), follower.at(0), "x", 0.06))
    cam = sp.Cam(shaft.at(0), points=points, width=0.02)
    assert cam.hollow is None
    m.add(sp.Contact("on", cam, sp.Plane(follower.at(0), (-1, 0, 0)), LAW))
    for angle in np.linspace(-3.0, 3.0, 13):
        m.replace("axle", initial=float(angle))
        gap = sp.simulate(m, 1e-9)["on"].gap[0]
        exact = base + 0.5 * h * (1.0 - np.cos(2 * angle))
        # a spline through points 1.6 mm apart: 5/384 d^4 of a fourth derivative of 4 h s^-4
        assert gap == pytest.approx(0.06 - exact, abs=1e-8)


# -------------------------------------------------------------------------------------- sentences


def test_sentences() -> None:
    m = sp.Model()
    a, b = (m.add(sp.RigidBody(name, 1.0, inertia=1.0)) for name in "ab")
    cones = [sp.Cone(body.at(0), radius=0.1, length=0.2) for body in (a, b)]
    ring = sp.Torus(a.at(0), radius=0.1)
    waves = sp.Cam(a.at(0), radii=0.2 + 0.03 * np.cos(4.0 * ANGLES), width=0.2)
    can = sp.Cylinder(b.at(0), radius=0.1, length=0.2)
    bowl = sp.Sphere(a.at(0), radius=1.0, inside=True)
    hills = sp.HeightField(a.at(0), np.zeros((5, 5)), 0.1)
    for one, other in ((cones[0], cones[1]), (ring, can), (bowl, can), (hills, cones[1])):
        names = f"{type(one).__name__} and {type(other).__name__}"
        with pytest.raises(sp.ModelError, match=rf"A and B is '{names}', expected a plane and"):
            sp.Contact("c", one, other, LAW)
    for flat in (sp.Plane(b.at(0)), sp.Cuboid(b.at(0), (1, 1, 1))):
        with pytest.raises(sp.ModelError, match=r"A is 'a Cam with hollows of .* touches a cam"):
            sp.Contact("c", waves, flat, LAW)
        with pytest.raises(sp.ModelError, match=r"B is 'a Cam with hollows of .* touches a cam"):
            sp.Contact("c", flat, waves, LAW)
    with pytest.raises(sp.ModelError, match=r"Cylinder: rounding is 0.1, expected less than half"):
        sp.Cylinder(radius=0.2, length=0.2, rounding=0.1)
    with pytest.raises(sp.ModelError, match=r"Cylinder: rounding is 0.01, expected none of a hol"):
        sp.Cylinder(radius=0.2, length=0.2, rounding=0.01, inside=True)
