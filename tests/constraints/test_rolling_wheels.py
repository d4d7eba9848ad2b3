"""Bodies that roll on each other: closed forms, published numbers, and what a verdict tells."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk

import supple as sp
from models.rolling_bodies import (
    CAPSIZE,
    EIGENVALUES,
    GRAVITY,
    ROLLING,
    WEAVE,
    ball,
    ball_in_bowl,
    ball_on_ball,
    bicycle,
    disc,
    steady_spin,
    upright,
)
from oracles.loop_laws import state
from oracles.rate_laws import check_rows
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations

SIXTY, PRECESSION = np.radians(60.0), 8.0
METHODS = {
    "Radau": (sp.Radau(), 1e-9, 1e-7),
    "DormandPrince": (sp.DormandPrince(), 1e-9, 1e-7),
    "BDF": (sp.BDF(), 1e-9, 1e-5),
    "Adams": (sp.Adams(), 1e-9, 1e-5),
    "GeneralizedAlpha": (sp.GeneralizedAlpha(step=1e-3), 1e-9, 2e-4),
    "index 3": (sp.GeneralizedAlpha(step=1e-3, constraints="index3"), 1e-9, 2e-4),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_disc_rolls_along_a_circle(method: str) -> None:
    """Tilt, precession and loads of steady motion stay: the contact point moves on a circle."""
    spin = steady_spin(SIXTY, PRECESSION)
    assert spin == pytest.approx(-4.053171783959, abs=1e-12)
    integrator, tolerance, bound = METHODS[method]
    model = disc(SIXTY, PRECESSION, 0.0, spin)
    r = sp.simulate(model, 1.0, integrator=integrator, tolerance=tolerance, output=8)
    assert r.success, r.message
    rolls, body = r["rolls"], r["disc"]
    assert_allclose(rolls.normal_force, GRAVITY, atol=bound * 100)
    lateral = np.linalg.norm(rolls.friction_force, axis=1)
    assert_allclose(lateral, 3.242537427167, atol=bound * 100)
    assert_allclose(body.matrix[:, 2, 2], np.cos(SIXTY), atol=bound)
    assert_allclose(rolls.gap, 0.0, atol=1e-12)
    # the centre of mass goes around with the precession
    a = body.matrix[:, :2, 2] / np.sin(SIXTY)
    way = 0.1 * abs(spin) / PRECESSION
    assert way == pytest.approx(0.050664647299, abs=1e-12)
    assert_allclose(np.ptp(body.position[:, :2] - way * a, axis=0), 0.0, atol=bound)
    material = body.velocity + np.cross(body.angular_velocity, rolls.point - body.position)
    assert np.abs(material).max() < 1e-11


def test_the_coin_of_rill_and_schaeffer() -> None:
    """A coin upright within a degree, spinning on its edge: converged numbers."""
    tilt, rate = np.radians(89.0), 10 * np.pi
    model = disc(tilt, rate, 0.0, rate * np.cos(tilt), radius=0.01, turned=-np.pi / 2)
    start = sp.simulate(model, 1e-3, output=1)["rolls"].point[0]
    r = sp.simulate(model, 0.5, tolerance=1e-10, output=1000)
    rolls = r["rolls"]
    # the disc of the benchmark begins beside the origin
    moved = rolls.point[-1, :2] - start[:2]
    assert_allclose(moved, [0.002004947021, 0.002596923104], atol=2e-9)
    cosine = r["disc"].matrix[:, 2, 2]
    assert np.arccos(cosine[-1]) == pytest.approx(1.351668371642, abs=1e-8)
    assert rolls.normal_force[-1] == pytest.approx(9.835519807, abs=2e-6)
    assert np.linalg.norm(rolls.friction_force[-1]) == pytest.approx(
        np.hypot(-0.807813489, -0.634913785), abs=2e-6
    )
    assert np.degrees(np.arccos(cosine.max())) == pytest.approx(75.067932325, abs=1e-4)


def test_a_wheel_that_rolls_upright_wobbles() -> None:
    """Small motion of an upright disc, and the speed from which on it does not fall."""
    linear = sp.linearize(upright(20.0), "initial")
    found = linear.eigenvalues
    wobble = found[np.abs(found.imag) > 1.0]
    assert_allclose(np.sort(wobble.imag), [-29.690402490, 29.690402490], atol=1e-8)
    assert_allclose(wobble.real, 0.0, atol=1e-9)
    least = np.sqrt(GRAVITY * 0.1 / 3.0)
    assert least == pytest.approx(0.571839138220, abs=1e-12)
    for part, stable in ((0.99, False), (1.01, True)):
        values = sp.linearize(upright(part * least / 0.1), "initial").eigenvalues
        assert (values.real.max() < 1e-6) == stable
    assert (len(linear.M), len(linear.further)) == (3, 2)


def test_a_disc_has_three_freedoms_of_velocities_and_five_of_places() -> None:
    found = disc(1.2).doctor()
    assert (found.freedom, found.place_freedom) == (3, 5)


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_the_bicycle_of_the_benchmark(speed: float) -> None:
    linear = sp.linearize(bicycle(speed), "initial")
    expected = [x for v in EIGENVALUES[speed] for x in ({v, np.conj(v)} if np.imag(v) else {v})]
    found = linear.eigenvalues[linear.zeros :]
    assert_allclose(
        np.sort_complex(found), np.sort_complex(np.array(expected, dtype=complex)), atol=1e-6
    )
    assert len(linear.M) == 3 and len(linear.further) == 4 and linear.unsteady < 1e-9


def test_axes_that_spin_with_the_wheels_are_told() -> None:
    """In absolute coordinates wheels have axes of their own, in which the ride is not steady."""
    linear = sp.linearize(bicycle(5.0), "initial", formulation=sp.Absolute())
    assert linear.unsteady > 10.0 and "not a steady state" in repr(linear)


def growth(speed: float, oscillates: bool) -> float:
    """Largest real part of motions that oscillate, or of the others."""
    linear = sp.linearize(bicycle(speed), "initial")
    values = linear.eigenvalues[linear.zeros :]
    own = values[(np.abs(values.imag) > 1e-6) == oscillates]
    return float(own.real.max())


def test_weave_and_capsize_speeds_of_the_bicycle() -> None:
    for speed, oscillates in ((WEAVE, True), (CAPSIZE, False)):
        low, high = (growth(speed + d, oscillates) for d in (-1e-4, 1e-4))
        crossing = speed - 1e-4 - low * 2e-4 / (high - low)
        assert crossing == pytest.approx(speed, abs=1e-8)


def test_a_bicycle_that_is_pushed_keeps_its_energy_and_comes_upright() -> None:
    r = sp.simulate(bicycle(5.0, 0.2), 15.0, tolerance=1e-8, output=200)
    assert r.success and np.ptp(r.energy.total) < 1e-5 * r.energy.kinetic[0]
    lean = np.abs(np.arcsin(r["frame"].matrix[:, 2, 1]))
    assert lean.max() > 0.01 > 10.0 * lean[-1]
    assert sum(r[f"{x} wheel rolls"].normal_force[0] for x in ("rear", "front")) > 900.0


@pytest.mark.parametrize("form", [sp.JointCoordinates(), sp.Absolute()], ids=["joint", "absolute"])
def test_a_ball_in_a_bowl_is_a_pendulum(form) -> None:
    """Rolling of a solid ball: a pendulum of 7/5 of the way, with the period of an ellipse."""
    angle = 1.0
    period = 4.0 * np.sqrt(1.4 * 0.4 / GRAVITY) * ellipk(np.sin(0.5 * angle) ** 2)
    r = sp.simulate(ball_in_bowl(angle), period, formulation=form, tolerance=1e-10, output=4)
    x = r["ball"].position
    assert_allclose(x[[0, -1]], [[0.4 * np.sin(1.0), 0, -0.4 * np.cos(1.0)]] * 2, atol=1e-8)
    assert_allclose(x[[1, 3]], [[0, 0, -0.4]] * 2, atol=1e-8)
    assert np.ptp(r.energy.total) < 1e-9
    # normal force at the bottom: weight and m v^2/R
    v = np.sum(r["ball"].velocity[1] ** 2)
    assert r["rolls"].normal_force[1] == pytest.approx(GRAVITY + v / 0.4, rel=1e-8)
    assert_allclose(r["rolls"].normal[1], [0, 0, 1], atol=1e-8)


def test_a_verdict_tells_where_a_ball_slips_and_lifts() -> None:
    """From rest at the angle a: N = m g (17 cos - 10 cos a)/7 and T = 2/7 m g sin."""
    angle, mu = 0.05, 0.4
    r = sp.simulate(ball_on_ball(angle, friction=mu), 1.6, tolerance=1e-10, output=3200)
    x = r["ball"].position
    turned = np.arctan2(x[:, 0], x[:, 2])
    push = GRAVITY * (17.0 * np.cos(turned) - 10.0 * np.cos(angle)) / 7.0
    rolls = r["rolls"]
    assert_allclose(rolls.normal_force, push, atol=1e-6)
    assert_allclose(
        np.linalg.norm(rolls.friction_force, axis=1), 2 / 7 * GRAVITY * np.abs(np.sin(turned)),
        atol=1e-6,
    )  # fmt: skip
    told = {f.what: f for f in r.motion.findings}
    assert told["lifts"].serious and told["slips"].serious
    first = r.t[int(np.argmax(push < 0.0))]
    assert told["lifts"].time == pytest.approx(first, abs=1e-3)
    needed = 2.0 * np.sin(turned) > mu * (17.0 * np.cos(turned) - 10.0 * np.cos(angle))
    assert told["slips"].time == pytest.approx(r.t[int(np.argmax(needed))], abs=1e-3)
    assert "Rolling 'rolls' lifts: from t = " in told["lifts"].sentence
    assert "needs more friction than 0.4" in told["slips"].sentence
    early = sp.simulate(ball_on_ball(angle, friction=mu), 0.3, output=50)
    assert not {"lifts", "slips"} & {f.what for f in early.motion.findings}


def test_a_ball_on_a_turntable_goes_around_at_two_sevenths_of_its_rate() -> None:
    """Material velocities of a plane that is driven: circles, whatever the place."""
    m, turning = sp.Model(gravity=(0, 0, -GRAVITY)), 3.0
    table = m.add(sp.RigidBody("table", 1.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Revolute("pivot", m.ground.at(0), table.at(0), "z", initial_rate=turning))
    m.add(sp.SpeedDriver("motor", "pivot", turning))
    body = ball("ball", m, 0.1, (0.4, 0.1, 0.1))
    shape = sp.Sphere(body.at(0), radius=0.1)
    m.add(sp.Rolling("rolls", sp.Plane(table.at(0)), shape))
    # a ball that begins without velocity of its centre turns as the table moves below it
    whole = 2.0 * np.pi / (2.0 / 7.0 * turning)
    r = sp.simulate(m, whole, tolerance=1e-10, output=8)
    x, v = r["ball"].position, r["ball"].velocity
    assert_allclose(x[-1], x[0], atol=1e-7)
    turned = 2.0 / 7.0 * turning * r.t
    expected = np.stack([np.cos(turned) * v[0, 0] - np.sin(turned) * v[0, 1],
                         np.sin(turned) * v[0, 0] + np.cos(turned) * v[0, 1]], axis=1)  # fmt: skip
    assert np.linalg.norm(v[0]) > 0.1
    assert_allclose(v[:, :2], expected, atol=1e-7)
    assert_allclose(r["rolls"].normal_force, GRAVITY, atol=1e-7)


def test_a_ball_in_an_upright_pipe_goes_up_and_down() -> None:
    """It does not fall: it swings along the pipe with sqrt(2/7) of the rate of going around."""
    m, pipe, radius = sp.Model(gravity=(0, 0, -GRAVITY)), 0.5, 0.1
    way, around = pipe - radius, 6.0
    spin = -way * around / radius
    body = ball("ball", m, radius, (way, 0, 0), (0, 0, spin, 0, way * around, 0))
    hollow = sp.Cylinder(m.ground.at(0), radius=pipe, length=10.0, inside=True)
    m.add(sp.Rolling("rolls", hollow, sp.Sphere(body.at(0), radius=radius)))
    rate = np.sqrt(2.0 / 7.0) * around
    r = sp.simulate(m, 4.0 * np.pi / rate, tolerance=1e-10, output=40)
    depth = 5.0 / 7.0 * GRAVITY / rate**2
    assert_allclose(r["ball"].position[:, 2], depth * (np.cos(rate * r.t) - 1.0), atol=1e-7)
    assert_allclose(np.linalg.norm(r["ball"].position[:, :2], axis=1), way, atol=1e-10)
    assert np.ptp(r.energy.total) < 1e-8


def test_both_bodies_may_move() -> None:
    """A ball on a cart that is free to slide: momentum is kept, and its centre moves by 2/7."""
    m = sp.Model(gravity=(0, 0, -GRAVITY))
    cart = m.add(sp.RigidBody("cart", 3.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Prismatic("rail", m.ground.at(0), cart.at(0), "x", initial=0.1))
    m.add(sp.JointSpring("spring", "rail", stiffness=40.0, damping=0.0))
    body = ball("ball", m, 0.1, (0, 0, 0.1), (0, 7.0, 0, 0.7, 0, 0))
    m.add(sp.Rolling("rolls", sp.Sphere(body.at(0), radius=0.1), sp.Plane(cart.at(0))))
    r = sp.simulate(m, 2.0, tolerance=1e-10, output=50)
    assert np.ptp(r.energy.total) < 1e-8
    # m a = f and 2/5 m r^2 w' = .. : the ball's velocity changes by 2/7 of that of the cart
    v, c = r["ball"].velocity[:, 0], r["cart"].velocity[:, 0]
    assert np.ptp(c) > 0.1
    assert_allclose(v - v[0], 2.0 / 7.0 * (c - c[0]), atol=1e-8)
    assert_allclose(r["rolls"].normal[:, 2], -1.0, atol=1e-12)  # from the ball to the cart
    assert np.all(r["rolls"].normal_force > 9.0)


@pytest.mark.parametrize("name", ROLLING)
def test_rows_and_their_derivatives(name: str) -> None:
    eq = Equations(build(ROLLING[name]()))
    check_rows(eq, state(eq, 3, far=0.1), 1e-7)


def test_shapes_that_cannot_roll_are_refused() -> None:
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=1.0))
    floor = sp.Plane(m.ground.at(0))
    with pytest.raises(sp.ModelError) as caught:
        sp.Rolling("rolls", floor, sp.Cuboid(body.at(0), size=(1, 1, 1)))
    assert str(caught.value).startswith(
        "Rolling 'rolls': A and B is 'Plane and Cuboid', expected a Sphere, or a Torus, on a Plane"
    )
    with pytest.raises(sp.ModelError, match=r"Rolling .rolls.: friction is -1\.0"):
        sp.Rolling("rolls", floor, sp.Sphere(body.at(0), radius=0.1), friction=-1.0)


def axle() -> sp.Model:
    """A body hung between two wheels on one axle, which are driven round a circle."""
    m = sp.Model(gravity=(0, 0, -GRAVITY))
    body = m.add(sp.RigidBody("body", 8.0, com=(0, 0, -0.05), inertia=(0.1, 0.1, 0.1)))
    axes = [*(("translate", a) for a in "xyz"), *(("rotate", a) for a in "zxy")]
    rates = (0.65, 0, 0, 0.75, 0, 0)
    m.add(sp.General("way", m.ground.at(0, 0, 0.1), body.at(0), axes=axes, initial_rate=rates))
    for name, y, rate, mu in (("left", 0.2, 5.0, 0.045), ("right", -0.2, 8.0, 0.055)):
        wheel = m.add(sp.RigidBody(f"{name} wheel", 1.0, inertia=(3e-3, 5e-3, 3e-3)))
        m.add(sp.Revolute(name, body.at(0, y), wheel.at(0), axis="y", initial_rate=rate))
        edge = sp.Torus(wheel.at(0), radius=0.1, section=0.0, axis="y")
        floor = sp.Plane(m.ground.at(0))
        m.add(sp.Rolling(f"{name} rolls", floor, edge, friction=mu))
        m.add(sp.SpeedDriver(f"{name} motor", name, rate))
    return m


def test_wheels_on_one_axle_share_its_force() -> None:
    """Which wheel holds the axle against the side is open: shown are the smallest forces.

    They balance each body, are the same in every formulation, and go around with the axle whichever
    rows a run uses. Forces of the wheels differ by less than the forces that accelerate these.
    """
    v, w, mass, shares = 0.65, 0.75, 10.0, []
    for form in (None, sp.Absolute()):
        r = sp.simulate(axle(), 2 * np.pi / w, formulation=form, tolerance=1e-9, output=200)
        assert r.success, r.message
        side, sides, pushes = r["body"].matrix[:, :, 1], [], []
        for name in ("left", "right"):
            rolls, wheel = r[f"{name} rolls"], r[f"{name} wheel"]
            sides.append(np.einsum("ti,ti->t", rolls.friction_force, side))
            pushes.append(rolls.normal_force)
            assert_allclose(rolls.friction_force, sides[-1][:, None] * side, atol=1e-6)
            assert_allclose(rolls.needed_friction, sides[-1] / rolls.normal_force, rtol=1e-6)
            force = r[name].reaction[:, 3:] + rolls.force + [0, 0, -GRAVITY]
            assert_allclose(force, wheel.acceleration, atol=1e-6)  # 1 kg
        assert_allclose(sum(pushes), mass * GRAVITY, rtol=1e-9)
        assert_allclose(sum(sides), mass * v * w, rtol=1e-6)
        assert np.abs(sides[0] - sides[1]).max() < (0.8 - 0.5) * w
        assert_allclose(sides, np.mean(sides, axis=1, keepdims=True) * np.ones(len(r.t)), rtol=1e-6)
        shares.append(np.mean(sides, axis=1))
        # one wheel has less friction than it needs, 0.05, the other more
        told = {f.where for f in r.motion.findings if f.what == "slips"}
        assert told == {"left rolls"}
    assert_allclose(*shares, rtol=1e-6)


def test_four_wheels_stand_as_a_table_does() -> None:
    """The smallest normal forces are those of four equal springs."""
    m = sp.Model(gravity=(0, 0, -GRAVITY))
    base = m.add(sp.RigidBody("base", 20.0, com=(0.05, 0, 0.1), inertia=1.0))
    start = {"initial_rate": (0, 0, 0, 1.0, 0, 0)}
    m.add(sp.Free("way", m.ground.at(0, 0, 0.1), base.at(0), **start))
    for name, x, y in (("fl", 1, 1), ("fr", 1, -1), ("rl", -1, 1), ("rr", -1, -1)):
        wheel = m.add(sp.RigidBody(f"{name} wheel", 1.0, inertia=(3e-3, 5e-3, 3e-3)))
        place = base.at(0.3 * x, 0.2 * y)
        m.add(sp.Revolute(f"{name} axle", place, wheel.at(0), axis="y", initial_rate=10.0))
        edge = sp.Torus(wheel.at(0), radius=0.1, section=0.0, axis="y")
        m.add(sp.Rolling(name, sp.Plane(m.ground.at(0)), edge, friction=0.5))
    assert len(m.doctor().redundant) == 3
    r = sp.simulate(m, 1.0, output=10)
    assert r.motion.level == "trusted", r.verdict
    mean, more = 24.0 * GRAVITY / 4.0, 20.0 * GRAVITY * 0.05 / (4 * 0.3)
    data = r.dataset
    for name, push in (("fl", mean + more), ("fr", mean + more), ("rl", mean - more)):
        assert_allclose(r[name].normal_force, push, rtol=1e-9)
        assert_allclose(data[f"{name}.normal_force"], push, rtol=1e-9)
        assert_allclose(r[name].friction_force, 0.0, atol=1e-9)


def test_a_regulator_of_what_rolls_is_refused_by_name() -> None:
    with pytest.raises(sp.ModelError, match=r"Rolling 'left rolls' holds a velocity and no .* lqr"):
        sp.lqr(sp.linearize(axle(), "initial"), "left")
