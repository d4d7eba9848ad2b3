"""Contact: restitution, friction, momentum, thin bodies, against closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import supple as sp
from supple.forces.contact_laws import damping_of

G = 9.81


def ball(
    v: tuple[float, float, float],
    height: float = 0.06,
    gravity: float = 0.0,
    friction: sp.forces.ContactFriction | None = None,
    **law,
) -> sp.Model:
    """A ball of 1 kg and a radius of 5 cm above a floor."""
    m = sp.Model(gravity=(0, 0, -gravity))
    body = m.add(sp.RigidBody("ball", 1.0, inertia=0.4 * 0.05**2))
    m.add(sp.Free("air", m.ground.at(0, 0, height), body.at(0), initial_rate=(0, 0, 0, *v)))
    law = sp.HuntCrossley(**{"stiffness": 1e7, "restitution": 0.7, **law})
    floor = sp.Plane(m.ground.at(0), "z")
    m.add(sp.Contact("heel", sp.Sphere(body.at(0), radius=0.05), floor, law, friction))
    return m


def block(friction: sp.forces.ContactFriction, angle: float = 0.0, v: float = 0.0) -> sp.Model:
    """A block of 1 kg that does not turn, on a slope (deg), pressed in by its weight."""
    a = math.radians(angle)
    m = sp.Model(gravity=(G * math.sin(a), 0, -G * math.cos(a)))
    body = m.add(sp.RigidBody("block", 1.0, inertia=0.01))
    ways = [("translate", axis) for axis in "xyz"]
    rest = m.ground.at(0, 0, -G * math.cos(a) / 1e6)
    m.add(sp.General("ways", rest, body.at(0), ways, initial_rate=(v, 0, 0)))
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.2, speed=0.1, exponent=1)
    m.add(sp.Contact("sole", sp.Point(body.at(0)), sp.Plane(m.ground.at(0)), law, friction))
    return m


# ------------------------------------------------------------------------------------------- push


def test_damping_for_a_restitution() -> None:
    """x (1 + e) = ln((1 + x)/(1 - e x)), solved with 30 digits."""
    known = {0.9: 0.166481950685, 0.5: 1.432750533271, 0.1: 9.998159397496}
    for e, x in known.items():
        assert damping_of(e) == pytest.approx(x, abs=1e-12)
    assert damping_of(1.0) == 0.0
    assert damping_of(0.01) == pytest.approx(100.0, rel=1e-12)


@pytest.mark.parametrize("e", [0.95, 0.5, 0.1])
def test_restitution_is_the_one_that_was_asked_for(e: float) -> None:
    """At the speed named, for any speed, stiffness and exponent; the error is the run's."""
    for v, k, exponent in ((0.01, 1e5, 1.0), (1.0, 1e7, 1.5), (100.0, 1e9, 2.0)):
        law = {"restitution": e, "speed": v, "stiffness": k, "exponent": exponent}
        r = sp.simulate(ball((0, 0, -v), 0.05 + 0.01 * v, **law), 0.3, tolerance=1e-6)
        assert r["ball"].velocity[-1, 2] / v == pytest.approx(e, abs=1e-6)
        lost = 0.5 * v**2 * (1.0 - e**2)
        assert r["heel"].lost_by_push[-1] == pytest.approx(lost, rel=3e-6)
        assert np.abs(r.energy.error).max() < 2e-6 * 0.5 * v**2


def test_restitution_at_other_speeds() -> None:
    """With z = a v the law gives (1 + z)/(1 - e z) = exp(z (1 + e)): 0.5 at 1 m/s becomes these."""
    for v, e in ((2.0, 0.318100), (0.5, 0.673402)):
        r = sp.simulate(ball((0, 0, -v), restitution=0.5), 0.05, tolerance=1e-8)
        assert r["ball"].velocity[-1, 2] / v == pytest.approx(e, abs=1e-6)


def test_hardness_costs_no_steps() -> None:
    steps = [
        sp.simulate(ball((0, 0, -1), stiffness=k), 0.05, tolerance=1e-6).statistics["steps"]
        for k in (1e5, 1e8, 1e11)
    ]
    assert max(steps) < 110
    assert max(steps) < 1.3 * min(steps)


def test_thin_walls_are_never_passed_through() -> None:
    """A point at 3 m/s and walls down to 0.1 mm, at any tolerance, in steps of half a second."""
    for thickness, tolerance in itertools.product((0.1, 1e-3, 1e-4), (1e-2, 1e-5, 1e-8)):
        m = sp.Model(gravity=(0, 0, 0))
        body = m.add(sp.RigidBody("shot", 1.0, inertia=1e-3))
        rates = (0, 0, 0, 3.0, 0.01, 0)
        m.add(sp.Free("air", m.ground.at(-1.5), body.at(0), initial_rate=rates))
        wall = sp.Cuboid(m.ground.at(0), (thickness, 2, 2))
        law = sp.HuntCrossley(stiffness=1e13, restitution=0.9, speed=3.0)
        m.add(sp.Contact("hit", sp.Point(body.at(0)), wall, law))
        r = sp.simulate(m, 2.0, tolerance=tolerance)
        assert r["shot"].velocity[-1, 0] == pytest.approx(-2.7, abs=max(3.0 * tolerance, 1e-7))


def test_depth_of_hertz() -> None:
    """At rest m g = 4/3 E* sqrt(R) p^1.5, of a ball in a hollow ball too."""
    E, nu, r, R = 2e9, 0.3, 0.05, 0.2
    for curvature, shape in (
        (1.0 / r, lambda frame: sp.Plane(frame)),
        (
            1.0 / r - 1.0 / R,
            lambda frame: sp.Sphere(frame, radius=R, position=(0, 0, R), inside=True),
        ),
        (1.0 / r + 1.0 / R, lambda frame: sp.Sphere(frame, radius=R, position=(0, 0, -R))),
    ):
        m = sp.Model(gravity=(0, 0, -G))
        body = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
        m.add(sp.Prismatic("up", m.ground.at(0, 0, r), body.at(0), "z"))
        law = sp.Hertz(E=E, nu=nu, restitution=0.1, speed=0.01)
        pair = sp.Sphere(body.at(0), radius=r), shape(m.ground.at(0))
        m.add(sp.Contact("heel", *pair, law))
        result = sp.simulate(m, 1.0, tolerance=1e-8)
        k = 4.0 / 3.0 * E / (2.0 * (1.0 - nu**2)) / math.sqrt(curvature)
        assert result["heel"].depth[-1] == pytest.approx((G / k) ** (2.0 / 3.0), rel=1e-5)
        assert result["heel"].normal_force[-1] == pytest.approx(G, rel=1e-5)


@pytest.mark.parametrize(
    ("exponent", "after"),
    [
        (1.0, (-0.1302617, 0.1502296, 0.9800321)),
        (1.5, (-0.0709524, 0.0764030, 0.9945493)),
    ],
)
def test_cradle_of_three(exponent: float, after: tuple[float, ...]) -> None:
    """One ball hits two that touch. Velocities of three masses on two springs that only push."""
    m = sp.Model(gravity=(0, 0, 0))
    balls = []
    for k in range(3):
        body = m.add(sp.RigidBody(f"b{k}", 1.0, inertia=1e-3))
        place = m.ground.at(0.1 * k - (1e-3 if k == 0 else 0.0))
        m.add(sp.Prismatic(f"x{k}", place, body.at(0), "x", 0.0, 1.0 if k == 0 else 0.0))
        balls.append(sp.Sphere(body.at(0), radius=0.05))
    law = sp.HuntCrossley(stiffness=1e6, exponent=exponent)
    for k in range(2):
        m.add(sp.Contact(f"c{k}", balls[k], balls[k + 1], law))
    r = sp.simulate(m, 0.1, tolerance=1e-9)
    found = [r[f"b{k}"].velocity[-1, 0] for k in range(3)]
    np.testing.assert_allclose(found, after, atol=2e-7)


# --------------------------------------------------------------------------------------- friction


def test_a_block_on_a_slope_does_not_creep() -> None:
    r = sp.simulate(block(sp.Friction(0.5, stiffness=1e6), 10.0), 10.0, tolerance=1e-7)
    x = r["block"].position[:, 0]
    assert np.ptp(x[r.t > 1.0]) < 1e-12
    assert x[-1] == pytest.approx(G * math.sin(math.radians(10.0)) / 1e6, rel=1e-9)


def test_rounded_friction_creeps_as_its_law_says() -> None:
    """mu N v/sqrt(v^2 + v0^2) carries the weight along the slope at one speed."""
    r = sp.simulate(block(sp.RoundedFriction(0.5), 10.0), 10.0, tolerance=1e-7)
    f = math.tan(math.radians(10.0)) / 0.5
    speed = 1e-3 * f / math.sqrt(1.0 - f**2)
    assert r["block"].velocity[-1, 0] == pytest.approx(speed, rel=1e-6)


def test_way_of_braking() -> None:
    """v^2/(2 mu g) less what the bristle springs back, mu N/k."""
    r = sp.simulate(block(sp.Friction(0.5, stiffness=1e6), v=2.0), 1.0, tolerance=1e-8)
    way = 4.0 / G - 0.5 * G / 1e6
    assert r["block"].position[-1, 0] == pytest.approx(way, abs=1e-8)
    assert r["sole"].lost_by_friction[-1] == pytest.approx(2.0, rel=1e-6)


def test_a_slope_that_is_too_steep() -> None:
    """The block slides with g (sin - mu cos); along an axis and across it mu differs."""
    a = math.radians(40.0)
    for axis, mu in (("x", 0.3), ("y", 0.5)):
        law = sp.Friction((0.3, 0.5), axis=axis)
        r = sp.simulate(block(law, 40.0), 1.0, tolerance=1e-7, output=2)
        v = r["block"].velocity[:, 0]  # the bristle is strained first: compare from 0.5 s on
        speed = 0.5 * G * (math.sin(a) - mu * math.cos(a))
        assert v[2] - v[1] == pytest.approx(speed, rel=1e-6)


def test_breakaway_above_sliding_friction() -> None:
    """tan 28 deg = 0.53 is between both coefficients: it holds; with a push it slides on."""
    a, law = math.radians(28.0), sp.Friction(0.4, static=0.6, stribeck=1e-2)
    still = sp.simulate(block(law, 28.0), 2.0, tolerance=1e-7)
    assert abs(still["block"].velocity[-1, 0]) < 1e-10
    pushed = sp.simulate(block(law, 28.0, v=0.5), 1.0, tolerance=1e-7)
    speed = 0.5 + G * (math.sin(a) - 0.4 * math.cos(a))
    assert pushed["block"].velocity[-1, 0] == pytest.approx(speed, rel=1e-4)


def test_a_ball_slides_then_rolls() -> None:
    """With the arm b = r - p/2 of the contact: v = v0 b^2/(0.4 r^2 + b^2)."""
    p = (G / 1e7) ** (2.0 / 3.0)
    m = ball((2, 0, 0), 0.05 - p, G, sp.Friction(0.3), restitution=0.3)
    r = sp.simulate(m, 1.0, tolerance=1e-8)
    b = 0.05 - 0.5 * p
    assert r["ball"].velocity[-1, 0] == pytest.approx(2 * b**2 / (0.4 * 0.05**2 + b**2), rel=1e-7)


def test_oblique_bounce() -> None:
    """It slides all the time: the impulses are (1 + e) v_n and mu times that."""
    m = ball((3, 0, -2), friction=sp.Friction(0.1), restitution=0.8, speed=2.0)
    r = sp.simulate(m, 0.02, tolerance=1e-8)
    np.testing.assert_allclose(r["ball"].velocity[-1], (2.64, 0.0, 1.6), atol=1e-6)


def test_spinning_and_rolling_resistance() -> None:
    """A ball on the spot: spin falls by sigma N/I, and stops; rolling is braked by rho N/r."""
    inertia = 0.4 * 0.05**2
    p = (G / 1e7) ** (2.0 / 3.0)
    m = ball((0, 0, 0), 0.05 - p, G, sp.Friction(0.3, spinning=1e-5, turning=1e-3))
    m.replace("air", initial_rate=(0, 0, 2.0, 0, 0, 0))
    r = sp.simulate(m, 0.1, tolerance=1e-8)
    assert r["ball"].angular_velocity[-1, 2] == pytest.approx(
        2.0 - 0.1 * 1e-5 * G / inertia, rel=1e-4
    )


# -------------------------------------------------------------------------- momentum, formulations


def collision(friction: sp.forces.ContactFriction | None) -> sp.Model:
    """Two bodies in space that turn and hit each other beside their centres."""
    m = sp.Model(gravity=(0, 0, 0))
    one = m.add(sp.RigidBody("one", 1.0, (0.01, 0, 0.02), (0.01, 0.02, 0.03)))
    two = m.add(sp.RigidBody("two", 2.0, (0, 0.03, 0), (0.03, 0.02, 0.04)))
    m.add(sp.Free("f1", m.ground.at(0), one.at(0), initial_rate=(1, 2, 3, 1.0, 0.1, 0)))
    m.add(sp.Free("f2", m.ground.at(0.6, 0.03, 0.05), two.at(0), initial_rate=(3, -1, 2, -1, 0, 0)))
    bar = sp.Capsule(two.at(0, 0.02, 0), radius=0.15, length=0.3, axis=(0.2, 1, 0))
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.6, speed=2.0)
    m.add(sp.Contact("hit", sp.Sphere(one.at(0.02, 0, 0), radius=0.2), bar, law, friction))
    return m


@pytest.mark.parametrize(
    "friction",
    [None, sp.Friction(0.4), sp.Friction((0.1, 0.5)), sp.RoundedFriction(0.3, rolling=1e-3)],
    ids=["smooth", "bristle", "two coefficients", "rounded"],
)
def test_momentum_and_energy_of_a_collision(friction) -> None:
    r = sp.simulate(collision(friction), 0.6, tolerance=1e-8)
    assert r["hit"].normal_force.max() > 1.0 or r["hit"].lost_by_push[-1] > 0.01
    for name in ("linear", "angular"):
        momentum = r.dataset[f"momentum.{name}"].values
        assert np.abs(momentum - momentum[0]).max() < 1e-7 * np.abs(momentum[0]).max()
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic[0]
    assert r["hit"].lost_by_push[-1] > 0.0
    if friction is not None:
        assert r["hit"].lost_by_friction[-1] > 0.0


def test_formulations_and_methods_agree() -> None:
    m = collision(sp.Friction(0.4))
    exact = sp.simulate(m, 0.6, tolerance=1e-10)["one"].velocity[-1]
    for formulation in (sp.OrderN(), sp.Absolute()):
        found = sp.simulate(m, 0.6, tolerance=1e-8, formulation=formulation)
        np.testing.assert_allclose(found["one"].velocity[-1], exact, atol=2e-6)
    for method in (sp.DormandPrince(), sp.BDF()):
        found = sp.simulate(m, 0.6, tolerance=1e-7, integrator=method)
        np.testing.assert_allclose(found["one"].velocity[-1], exact, atol=1e-4)


def test_either_order_of_shapes_is_the_same() -> None:
    m = ball((1, 0, -1), friction=sp.Friction(0.3, stiffness=1e6))
    turned = sp.Model(gravity=(0, 0, 0))
    for item in (*m.bodies.values(), *m.joints.values()):
        turned.add(item)
    heel = m["heel"]
    turned.add(sp.Contact("heel", heel.B, heel.A, heel.law, heel.friction))
    one, two = (sp.simulate(model, 0.05, tolerance=1e-7) for model in (m, turned))
    np.testing.assert_array_equal(one.q, two.q)
    for quantity in ("force", "friction_force", "normals", "slips"):
        a, b = (getattr(r["heel"], quantity) for r in (one, two))
        np.testing.assert_array_equal(a, -b)
    for quantity in ("gap", "normal_force", "point", "energy", "slip"):
        a, b = (getattr(r["heel"], quantity) for r in (one, two))
        np.testing.assert_array_equal(a, b)


def test_what_is_shown_is_what_acts() -> None:
    """Mass times acceleration of a ball is the force of its floor, and the audit's energies fit."""
    r = sp.simulate(ball((3, 0, -2), friction=sp.Friction(0.1)), 0.02, tolerance=1e-7)
    force = -r["heel"].force  # on the ball, which is A
    np.testing.assert_allclose(force, r["ball"].acceleration, atol=1e-8 * np.abs(force).max())
    np.testing.assert_allclose(r["heel"].energy, r.energy.elastic, atol=1e-12)
    assert r["heel"].touching.any() and not r["heel"].touching.all()
    assert r["heel"].depth.max() == -r["heel"].gap.min()


# ----------------------------------------------------------------------------------------- shapes


def test_ring_on_a_plane() -> None:
    """Its gap is that of its lowest point, found among many."""
    rng = np.random.default_rng(3)
    angle = np.linspace(0.0, 2.0 * np.pi, 200_001)
    for _ in range(5):
        m = sp.Model(gravity=(0, 0, 0))
        wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=0.01))
        m.add(sp.Free("air", m.ground.at(0, 0, 0.3), wheel.at(0), initial=rng.normal(size=3)))
        tyre = sp.Torus(wheel.at(0, 0.1, 0), radius=0.2, section=0.05, axis=rng.normal(size=3))
        law = sp.HuntCrossley(stiffness=1e3)
        m.add(sp.Contact("roll", tyre, sp.Plane(m.ground.at(0)), law))
        r = sp.simulate(m, 1e-6)
        turn, place = r["wheel"].matrix[0], r["wheel"].position[0]
        across = np.linalg.svd(tyre.axis[None])[2][1:]
        rim = 0.2 * (np.cos(angle)[:, None] * across[0] + np.sin(angle)[:, None] * across[1])
        low = (place + (rim + np.array([0, 0.1, 0])) @ turn.T)[:, 2].min() - 0.05
        assert r["roll"].gap[0] == pytest.approx(low, abs=1e-9)


def test_a_ball_in_a_bowl_swings_like_a_pendulum() -> None:
    """A point without friction in a hollow ball: a pendulum of its radius, but for depth."""
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("bead", 1.0, inertia=1e-4))
    a = 0.5
    k, R = 1e9, 0.7
    start = m.ground.at(R * math.sin(a), 0, -R * math.cos(a))
    m.add(sp.Free("air", start, body.at(0)))
    bowl = sp.Sphere(m.ground.at(0), radius=R, inside=True)
    m.add(sp.Contact("bowl", sp.Point(body.at(0)), bowl, sp.HuntCrossley(0.2, 0.01, k, 1)))
    r = sp.simulate(m, 1.5, tolerance=1e-8)
    p = sp.Model(gravity=(0, 0, -G))
    bob = p.add(sp.RigidBody("bob", 1.0, (0, 0, -R), 1e-12))
    p.add(sp.Revolute("hinge", p.ground.at(0), bob.at(0), "y", -a))
    exact = sp.simulate(p, 1.5, tolerance=1e-10)
    np.testing.assert_allclose(
        r["bead"].position[-1], exact["bob"].at(0, 0, -R).position[-1], atol=2e-6
    )


def test_a_box_rests_on_four_corners() -> None:
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(
        sp.RigidBody("box", 2.0, inertia=(0.01, 0.02, 0.03), shape=sp.Cuboid(size=(0.4, 0.3, 0.2)))
    )
    m.add(sp.Free("air", m.ground.at(0, 0, 0.12), body.at(0), initial=(0.1, 0.05, 0)))
    law = sp.HuntCrossley(stiffness=1e5, restitution=0.2, speed=0.5, exponent=1)
    m.add(sp.Contact("foot", body, sp.Plane(m.ground.at(0)), law, sp.Friction(0.4)))
    r = sp.simulate(m, 3.0, tolerance=1e-6)
    push = np.sort(r["foot"].normal_forces[-1])
    np.testing.assert_allclose(push[4:], 0.25 * 2.0 * G, rtol=1e-3)
    assert np.all(push[:4] == 0.0)
    np.testing.assert_allclose(r["foot"].point[-1, :2], r["box"].position[-1, :2], atol=1e-5)


# ---------------------------------------------------------------------------------------- sentences


def test_sentences() -> None:
    m = sp.Model()
    a, b = (m.add(sp.RigidBody(name, 1.0, inertia=1.0)) for name in "ab")
    law, ball_a = sp.HuntCrossley(stiffness=1e6), sp.Sphere(a.at(0), radius=0.1)
    with pytest.raises(sp.ModelError, match=r"Sphere: frame is 0.1, expected a size by its name"):
        sp.Sphere(0.1)
    with pytest.raises(sp.ModelError, match=r"radius and diameter are both given"):
        sp.Sphere(radius=0.1, diameter=0.2)
    with pytest.raises(sp.ModelError, match=r"radius and diameter are both missing"):
        sp.Torus()
    with pytest.raises(sp.ModelError, match=r"length is missing"):
        sp.Capsule(radius=0.1)
    with pytest.raises(sp.ModelError, match=r"size is missing"):
        sp.Cuboid()
    with pytest.raises(sp.ModelError, match=r"less than its radius"):
        sp.Torus(radius=0.1, section=0.2)
    with pytest.raises(sp.ModelError, match=r"A is .*expected a shape with a frame"):
        sp.Contact("c", sp.Sphere(radius=0.1), ball_a, law)
    with pytest.raises(sp.ModelError, match=r"B is .*expected a shape with a frame"):
        sp.Contact("c", ball_a, b, law)
    with pytest.raises(sp.ModelError, match=r"law is 3, expected a law"):
        sp.Contact("c", ball_a, sp.Sphere(b.at(0), radius=0.1), 3)
    with pytest.raises(
        sp.ModelError, match=r"friction is 0.5, expected None, or a law of friction"
    ):
        sp.Contact("c", ball_a, sp.Sphere(b.at(0), radius=0.1), law, 0.5)
    boxes = [sp.Cuboid(body.at(0), (1, 1, 1)) for body in (a, b)]
    planes = [sp.Plane(body.at(0)) for body in (a, b)]
    with pytest.raises(sp.ModelError, match=r"A and B is 'Plane and Plane', expected a plane and"):
        sp.Contact("c", *planes, law)
    with pytest.raises(sp.ModelError, match=r"for Hertz's law balls, or a ball and a plane"):
        sp.Contact("c", ball_a, boxes[1], sp.Hertz(E=2e11))
    with pytest.raises(
        sp.ModelError, match=r"restitution is 0.0, expected a number from 0.001 to 1"
    ):
        sp.HuntCrossley(stiffness=1e6, restitution=0.0)
    with pytest.raises(sp.ModelError, match=r"stiffness is missing"):
        sp.HuntCrossley()
    with pytest.raises(sp.ModelError, match=r"E is missing"):
        sp.Hertz()
    with pytest.raises(sp.ModelError, match=r"nu is 0.6"):
        sp.Hertz(E=1e9, nu=0.6)
    with pytest.raises(sp.ModelError, match=r"exponent is 0.5, expected a number from 1 to 5"):
        sp.HuntCrossley(stiffness=1e6, exponent=0.5)
    with pytest.raises(sp.ModelError, match=r"mu is .*expected a positive number"):
        sp.Friction(0)
    with pytest.raises(sp.ModelError, match=r"static is 0.2, expected a number not below mu, 0.3"):
        sp.Friction(0.3, static=0.2)


def test_a_body_touches_by_its_own_shape() -> None:
    m = sp.Model()
    body = m.add(sp.RigidBody("ball", 1.0, inertia=1.0, shape=sp.Sphere(radius=0.1)))
    law = sp.HuntCrossley(stiffness=1e6)
    contact = sp.Contact("c", body, sp.Plane(m.ground.at(0)), law)
    assert contact.A.radius == 0.1
    assert contact.frames["A"].body is body


def test_a_replaced_body_keeps_its_contact() -> None:
    m = ball((0, 0, -1))
    m.replace("ball", mass=2.0)
    r = sp.simulate(m, 0.05, tolerance=1e-6)
    assert r["ball"].velocity[-1, 2] == pytest.approx(0.7, abs=1e-6)


def test_a_model_file_has_contacts(tmp_path) -> None:
    m = ball((1, 0, -1), friction=sp.Friction(0.3, static=0.4))
    path = tmp_path / "ball.yaml"
    sp.files.write_model(m, path)
    again = sp.files.read_model(path)
    one, two = (sp.simulate(model, 0.05, tolerance=1e-6) for model in (m, again))
    np.testing.assert_array_equal(one.q, two.q)


# --------------------------------------------------------------------------------------- analyses


def test_equilibrium_in_contact() -> None:
    """From above, from within and from the equilibrium itself: m g = k p^1.5."""
    p = (G / 1e7) ** (2.0 / 3.0)
    for height in (0.06, 0.05 - 0.5 * p, 0.05 - p):
        at_rest = sp.statics(ball((0, 0, 0), height, G))
        assert at_rest.success
        assert at_rest["ball"].position[0, 2] == pytest.approx(0.05 - p, abs=1e-12)


@pytest.mark.parametrize(("angle", "holds"), [(25.0, True), (28.0, False)])
def test_equilibrium_on_a_slope(angle: float, holds: bool) -> None:
    """mu = 0.5 holds up to 26.57 degrees."""
    model = block(sp.Friction(0.5, stiffness=1e6), angle)
    if holds:
        assert sp.statics(model).success
        return
    with pytest.warns(sp.SuppleWarning, match=r"is pushed with 0.275 N and nothing holds it"):
        assert not sp.statics(model).success


def test_frequency_of_a_ball_on_a_floor() -> None:
    """The slope of the push is 1.5 m g/p."""
    p = (G / 1e7) ** (2.0 / 3.0)
    found = sp.linearize(ball((0, 0, 0), 0.05 - p, G)).frequencies
    np.testing.assert_allclose(found, [math.sqrt(1.5 * G / p) / (2.0 * math.pi)], rtol=1e-9)


def test_a_run_begins_in_contact() -> None:
    r = sp.simulate(ball((0, 0, 0), 0.06, G), 0.5, start="static")
    assert np.ptp(r["ball"].position[:, 2]) < 1e-9


# ---------------------------------------------------------------------------------------- verdicts


def test_a_depth_that_is_too_large_is_told_and_ends_as_advised() -> None:
    """A ball of 5 cm may overlap by 2.5 mm; the stiffness of the sentence is enough."""
    soft = sp.simulate(ball((0, 0, -1), stiffness=2e6), 0.05)
    (finding,) = soft.motion.findings
    depth = soft.statistics["depth of heel"]
    assert finding.what == "depth" and not finding.serious
    assert finding.value == depth == pytest.approx(soft["heel"].depth.max(), rel=0.02)
    advised = float(finding.sentence.rsplit(" ", 1)[1])
    hard = sp.simulate(ball((0, 0, -1), stiffness=advised), 0.05)
    assert hard.motion.findings == () and hard.motion.level == "trusted"
    assert sp.simulate(ball((0, 0, -1), stiffness=1e4), 0.05).motion.level == "not trusted"


def test_a_depth_between_output_times_is_told() -> None:
    soft = sp.simulate(ball((0, 0, -1), stiffness=2e6), 0.05, output=2)
    assert soft["heel"].depth.max() == 0.0
    assert [f.what for f in soft.motion.findings if f.what == "depth"] == ["depth"]


def test_rounded_friction_that_creeps_is_told() -> None:
    """A block that hangs on a slope is told, one that is held or slides down is not."""
    creeps = sp.simulate(block(sp.RoundedFriction(0.5), 10.0), 10.0)
    (finding,) = creeps.motion.findings
    assert finding.what == "creep" and "use Friction, which sticks" in finding.sentence
    assert finding.value * creeps.data.compiled.length == pytest.approx(3.77e-3, rel=0.01)
    for quiet in (block(sp.Friction(0.5), 10.0), block(sp.RoundedFriction(0.1), 10.0)):
        assert sp.simulate(quiet, 2.0).motion.findings == ()
