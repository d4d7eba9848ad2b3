"""Contact of capsules and boxes with each other, and of what stands or lies flat on a plane."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

import supple as sp
from supple.bodies.shapes.shape import Shape

G = 9.81
Made = Callable[[sp.Frame], Shape]


def two(one: Made, other: Made, place, turn=(0, 0, 0), rates=None, law=None) -> sp.Model:
    """Two bodies in space with a shape each, and their contact."""
    m = sp.Model(gravity=(0, 0, 0))
    a = m.add(sp.RigidBody("a", 1.0, (0.01, 0, 0.02), (0.01, 0.02, 0.03)))
    b = m.add(sp.RigidBody("b", 2.0, (0, 0.03, 0), (0.03, 0.02, 0.04)))
    first, second = rates or ((0,) * 6, (0,) * 6)
    m.add(sp.Free("fa", m.ground.at(0), a.at(0), initial_rate=first))
    m.add(sp.Free("fb", m.ground.at(*place, rotation=turn), b.at(0), initial_rate=second))
    law = law or sp.HuntCrossley(stiffness=1e6, restitution=0.6, speed=2.0)
    friction = sp.Friction(0.3, stiffness=1e5) if rates else None
    m.add(sp.Contact("hit", one(a.at(0)), other(b.at(0)), law, friction))
    return m


# ------------------------------------------------------------------------------------------- gaps


def bar_ends(r: sp.Result, body: str, shape: sp.Capsule) -> list[np.ndarray]:
    turn, place = r[body].matrix[0], r[body].position[0]
    return [place + turn @ (s * shape.length * shape.axis) for s in (-0.5, 0.5)]


def test_gap_of_capsules_is_that_of_many_points() -> None:
    """But for the crown, at most 5e-4 of the half length."""
    rng, s = np.random.default_rng(1), np.linspace(0.0, 1.0, 801)[:, None]
    for _ in range(4):
        place, turn = 0.3 * rng.normal(size=3), rng.normal(size=3)
        m = two(
            lambda f: sp.Capsule(f, radius=0.05, length=0.5, axis="y"),
            lambda f: sp.Capsule(f, radius=0.07, length=0.4, axis="z"),
            place,
            turn,
        )
        r = sp.simulate(m, 1e-9)
        a, b = (bar_ends(r, name, m["hit"].__dict__[k]) for name, k in (("a", "A"), ("b", "B")))
        x, y = (p + (q - p) * s for p, q in (a, b))
        far = np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)).min() - 0.12
        assert -1e-6 <= r["hit"].gap[0] - far <= 5e-4 * 0.25 + 1e-6


def surface_points(size, rounding: float, n: int = 25) -> np.ndarray:
    """Points of the edges of a box whose edges are round: middle lines."""
    half, found = 0.5 * np.asarray(size) - rounding, []
    for k in range(3):
        for signs in itertools.product((-1.0, 1.0), repeat=2):
            line = np.zeros((n, 3))
            line[:, k] = np.linspace(-half[k], half[k], n)
            others = [i for i in range(3) if i != k]
            line[:, others] = np.array(signs) * half[others]
            found.append(line)
    return np.concatenate(found)


def test_gap_of_boxes_is_that_of_many_points() -> None:
    """Distances of points of all edges of each from the other; boxes that are apart."""
    rng = np.random.default_rng(2)
    one, other = (0.3, 0.2, 0.4), (0.2, 0.5, 0.1)
    for _ in range(4):
        place, turn = rng.normal(size=3), rng.normal(size=3)
        place *= 0.7 / np.linalg.norm(place)
        m = two(
            lambda f: sp.Cuboid(f, one, rounding=0.02),
            lambda f: sp.Cuboid(f, other, rounding=0.03),
            place,
            turn,
        )
        r = sp.simulate(m, 1e-9)
        R, p = r["b"].matrix[0], r["b"].position[0]
        least = np.inf
        for points, size, rounding in (
            (surface_points(other, 0.03, 2001) @ R.T + p, one, 0.02),
            ((surface_points(one, 0.02, 2001) - p) @ R, other, 0.03),
        ):
            out = np.maximum(np.abs(points) - (0.5 * np.asarray(size) - rounding), 0.0)
            least = min(least, float(np.linalg.norm(out, axis=1).min()))
        assert -1e-6 <= r["hit"].gap[0] - (least - 0.05) <= 5e-4 * 0.25 + 1e-6


# ------------------------------------------------------------------------------ momentum, energy

SOLIDS: dict[str, Made] = {
    "capsule": lambda f: sp.Capsule(f, radius=0.1, length=0.4, axis=(0.2, 1, 0.1)),
    "box": lambda f: sp.Cuboid(f, (0.3, 0.4, 0.2), rotation=(0.1, 0.2, 0.3)),
    "cylinder": lambda f: sp.Cylinder(f, radius=0.15, length=0.4, axis=(0.3, 0.2, 1)),
}
HITS = [("capsule", "capsule"), ("capsule", "box"), ("box", "box"), ("cylinder", "capsule")]


@pytest.mark.parametrize(("one", "other"), HITS)
def test_momentum_and_energy_of_collisions(one: str, other: str) -> None:
    """Both turn, and hit each other beside their centres, with friction."""
    rates = (1, 2, 3, 1.0, 0.1, 0), (3, -1, 2, -1, 0, 0)
    r = sp.simulate(
        two(SOLIDS[one], SOLIDS[other], (0.6, 0.03, 0.05), (0.3, 0.2, 0.1), rates),
        0.4,
        tolerance=1e-7,
    )
    assert r["hit"].lost_by_push[-1] > 0.01 and r["hit"].lost_by_friction[-1] > 0.0
    for name in ("linear", "angular"):
        momentum = r.dataset[f"momentum.{name}"].values
        assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.abs(momentum[0]).max()
    assert np.abs(r.energy.error).max() < 1e-5 * r.energy.kinetic[0]


def test_capsules_roll_over_parallel_and_past_the_end() -> None:
    """The place of contact runs from one end to the other as two bars on each other tilt.

    Without damping energy is stored and given back; a force that jumped would change it.
    """
    law = sp.HuntCrossley(stiffness=1e4, exponent=1.5)
    rates = ((0,) * 6, (0.02, 0.3, 0.01, 0.0, 0.0, -0.05))
    m = two(
        lambda f: sp.Capsule(f, radius=0.1, length=1.0, axis="x"),
        lambda f: sp.Capsule(f, radius=0.1, length=0.8, axis="x"),
        (0.05, 0.0, 0.201),
        (0.0, -0.05, 0.0),
        rates,
        law,
    )
    m.replace("hit", friction=None)
    r = sp.simulate(m, 1.0, tolerance=1e-7)
    assert np.ptp(r["hit"].point[r["hit"].touching, 0]) > 0.5
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic.max()


# ------------------------------------------------------------------------------------------ at rest


@pytest.mark.parametrize("turn", [0.0, 0.6, math.pi / 4], ids=["along", "turned", "crosswise"])
def test_a_box_rests_on_a_box(turn: float) -> None:
    """Equal boxes, however the upper one is turned: no corner of it may be over the lower one."""
    m = sp.Model(gravity=(0, 0, -G))
    upper = m.add(sp.RigidBody("upper", 2.0, inertia=(0.01, 0.01, 0.01)))
    start = m.ground.at(0.002, 0.001, 0.1999, rotation=(0, 0, turn))
    m.add(sp.Free("air", start, upper.at(0)))
    size = (0.2, 0.2, 0.2)
    law = sp.HuntCrossley(stiffness=1e5, restitution=0.2, speed=0.1, exponent=1)
    boxes = sp.Cuboid(upper.at(0), size), sp.Cuboid(m.ground.at(0), size)
    m.add(sp.Contact("on", *boxes, law, sp.RoundedFriction(0.4)))
    r = sp.simulate(m, 1.0, tolerance=1e-5)
    assert r["on"].normal_force[-1] == pytest.approx(2.0 * G, rel=1e-3)
    assert np.count_nonzero(r["on"].normal_forces[-1] > 0.1) >= 3
    np.testing.assert_allclose(r["upper"].position[-1], (0.002, 0.001, 0.2), atol=2e-3)
    assert r["upper"].matrix[-1, 2, 2] > 1.0 - 1e-5
    assert np.linalg.norm(r["upper"].velocity[-1]) < 1e-3
    push = -r["on"].force[-1]
    np.testing.assert_allclose(push, (0, 0, 2.0 * G), atol=0.02)


# ----------------------------------------------------------------------------- what stands or lies


def test_a_cylinder_stands_and_tips() -> None:
    """A force F at the height h over the ground tips it where F h > m g R."""
    R, length, mass = 0.05, 0.3, 2.0
    for part, stands in ((0.9, True), (1.1, False)):
        m = sp.Model(gravity=(0, 0, -G))
        can = m.add(sp.RigidBody("can", mass, inertia=(0.016, 0.016, 0.0025)))
        m.add(sp.Free("air", m.ground.at(0, 0, 0.5 * length + 2e-5), can.at(0)))
        law = sp.HuntCrossley(stiffness=1e6, restitution=0.1, speed=0.05, exponent=1)
        can_shape = sp.Cylinder(can.at(0), radius=R, length=length)
        floor = sp.Plane(m.ground.at(0))
        m.add(sp.Contact("foot", can_shape, floor, law, sp.Friction(0.8)))
        force = part * mass * G * R / (0.5 * length)
        pull = sp.SmoothStep(0.2, 0.8, 0.0, force)
        m.add(sp.Force("pull", can.at(0), (pull, 0, 0)))
        r = sp.simulate(m, 2.0, tolerance=1e-6, formulation=sp.JointCoordinates())
        upright = r["can"].matrix[-1, 2, 2]
        assert (upright > 1.0 - 1e-5) == stands
        if stands:
            arm = r["foot"].point[-1, 0] - r["can"].position[-1, 0]
            assert arm == pytest.approx(0.9 * R, rel=1e-3)


def test_a_disc_that_wobbles_down_keeps_its_energy() -> None:
    """Without losses, through the place where it lies flat; no number is silent nonsense."""
    m = sp.Model(gravity=(0, 0, -G))
    disc = m.add(sp.RigidBody("disc", 0.4, inertia=(2.5e-4, 2.5e-4, 5e-4)))
    start = m.ground.at(0, 0, 0.0008, rotation=(0.01, 0, 0))
    m.add(sp.Free("air", start, disc.at(0), initial_rate=(0.3, 0.0, 0.0, 0, 0, 0)))
    law = sp.HuntCrossley(stiffness=1e6, restitution=1.0, exponent=1)
    rim = sp.Torus(disc.at(0), radius=0.05)
    m.add(sp.Contact("rim", rim, sp.Plane(m.ground.at(0)), law))
    r = sp.simulate(m, 0.3, tolerance=1e-9, integrator=sp.DormandPrince())
    tilt = np.hypot(r["disc"].matrix[:, 0, 2], r["disc"].matrix[:, 1, 2])
    assert tilt.min() < 1e-3 < tilt.max()
    assert np.all(np.isfinite(r["disc"].position))
    kinetic = r.energy.kinetic[0] + 0.4 * G * 0.0008
    assert np.abs(r.energy.error).max() < 1e-5 * kinetic


def test_thin_and_quick_bars_are_never_missed() -> None:
    """A rod of 1 mm at 30 m/s, which turns, against another one, and a thin box: free steps."""
    law = sp.HuntCrossley(stiffness=1e9, restitution=0.9, speed=30.0, exponent=1)

    def rod(f: sp.Frame) -> Shape:
        return sp.Capsule(f, radius=5e-4, length=1.0, axis="y")

    for other in (
        lambda f: sp.Capsule(f, radius=5e-4, length=1.0, axis="x"),
        lambda f: sp.Cuboid(f, (0.4, 0.4, 1e-3)),
    ):
        for tolerance in (1e-2, 1e-7):
            m = two(rod, other, (0.05, 0.1, 1.3), (0, 0, 0.1), None, law)
            m.replace("fb", initial_rate=(0, 0, 3.0, 0, 0, -30.0))
            r = sp.simulate(m, 0.2, tolerance=tolerance)
            assert r.statistics["depth of hit"] > 0.0
            assert r["b"].velocity[-1, 2] > -25.0
