"""References of machines in contact once more, by equations written by hand and SciPy's DOP853.

Nothing here is shared with Supple but the numbers of the models. Where another program has another
law of friction, the same equations with that law give its number, which it printed at its finest
step.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from supple.cases import contact_machines as machines

G = 9.81
pytestmark = pytest.mark.slow


def solved(rhs, y0, times, longest=1e-4):
    """States at the times; steps so short that no touch is missed."""
    from scipy.integrate import solve_ivp

    run = solve_ivp(
        rhs, (0.0, times[-1]), y0, method="DOP853", t_eval=times, rtol=1e-11, atol=1e-13,
        max_step=longest,
    )  # fmt: skip
    assert run.success
    return run.y.T


def axes(p):
    """Rotation matrix of a quaternion."""
    w, x, y, z = p / np.linalg.norm(p)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turning(p, w):
    """Rate of a quaternion at an angular velocity in world axes."""
    return 0.5 * np.array([-p[1:] @ w, *(p[0] * w + np.cross(w, p[1:]))])


def test_drop():
    k, m = machines.DROP_HARD, machines.DROP_MASS

    def rhs(t, y):
        return [y[1], max(-k * y[0], 0.0) / m - G]

    found = solved(rhs, [machines.DROP, 0.0], machines.DROP_TIMES)
    expected = [machines.dropped(t) for t in machines.DROP_TIMES]
    np.testing.assert_allclose(found, expected, atol=1e-8)
    # Exudyn at a step of 2e-6 s
    exudyn = (0.0999546487518, 0.0891836173816, 0.0845731577508)
    np.testing.assert_allclose(found[:, 0] + 0.05, exudyn, atol=5e-9)


def test_cam_follower():
    def rhs(t, y):
        x = y[0] + sum(machines.CAM_DISCS[1])
        force = -1000.0 * (y[0] + 0.02) - 20.0 * y[1]
        for arm, r in machines.CAM_DISCS:
            force += machines.CAM_HARD * max(arm * math.cos(machines.CAM_SPEED * t) + r - x, 0.0)
        return [y[1], force / machines.CAM_MASS]

    found = solved(rhs, [0.0, 0.0], machines.CAM_TIMES)
    np.testing.assert_allclose(found[:, 0] + 0.1, machines.CAM_PLACES, atol=5e-9)
    np.testing.assert_allclose(found[:, 1], machines.CAM_RATES, atol=5e-7)


def test_lever():
    m, inertia, r = machines.LEVER_MASS, machines.LEVER_INERTIA, machines.PIN

    def rhs(t, y):
        x, z, angle = y[:3]
        cos, sin = math.cos(angle), math.sin(angle)
        up = machines.FLOOR_HARD * max(r - z - sin, 0.0)
        aside = machines.WALL_HARD * max(r - 1.0 - x - cos, 0.0)
        return [*y[3:], aside / m, up / m - G, (cos * up - sin * aside) / inertia]

    depth = machines.LEVER_LOAD / machines.FLOOR_HARD
    (found,) = solved(rhs, [-1.8, r - depth, 0, 0, 0, 0], [machines.LEVER_END], 2e-5)
    expected = machines.LEVER_AFTER
    np.testing.assert_allclose(found[:2], expected["position"][:2], atol=1e-8)
    np.testing.assert_allclose(found[3:5], expected["velocity"][:2], atol=1e-8)
    np.testing.assert_allclose(found[5], expected["angular_velocity"][2], atol=1e-8)


def rollers(end, friction):
    """Angular velocities of the rollers and of the shaft, place and velocity of the first one."""
    n, k, mu, r, a = 8, 1e8, 0.2, 0.1 * machines.FIT, 2 * np.pi * np.arange(8) / 8
    m, inner = machines.ROLLER_MASS, machines.INNER_MASS

    def rhs(t, y):
        (x, z, vx, vz, w), shaft = y[:-1].reshape(5, n), y[-1]
        out = np.hypot(x, z)
        ex, ez = x / out, z / out
        along = -vx * ez + vz * ex
        p, q = np.maximum(out + r - 0.6, 0), np.maximum(r + 0.4 - out, 0)
        outer = -mu * k * p * friction(along + (r - p / 2) * w)
        arm = 0.4 - q / 2
        rubs = -mu * k * q * friction(along - (r - q / 2) * w - arm * shaft)
        push, drag = k * (q - p), outer + rubs
        spin_up = ((r - p / 2) * outer - (r - q / 2) * rubs) / (0.5 * m * 0.1**2)
        turned = -np.sum(arm * rubs) / (0.5 * inner * 0.4**2)
        ax, az = (push * ex - drag * ez) / m, (push * ez + drag * ex) / m - 10.0
        return np.concatenate([vx, vz, ax, az, spin_up, [turned]])

    y0 = np.concatenate([0.5 * np.cos(a), 0.5 * np.sin(a), np.zeros(3 * n), [4 * np.pi]])
    (y,) = solved(rhs, y0, [end], 1e-5)
    return y[4 * n : 5 * n], y[-1], y[[0, n]], y[[2 * n, 3 * n]]


def test_rollers():
    spins, shaft, place, velocity = rollers(
        machines.BEARING_END, lambda v: v / np.sqrt(v * v + 1e-4)
    )
    np.testing.assert_allclose(spins, machines.BEARING_SPINS, atol=1e-9)
    assert shaft == pytest.approx(machines.BEARING_SPEED, abs=1e-9)
    np.testing.assert_allclose(place, machines.BEARING_PLACE[:2], atol=1e-9)
    np.testing.assert_allclose(velocity, machines.BEARING_RATE[:2], atol=1e-9)


def test_rollers_by_exudyn():
    """Its friction; its numbers at a step of 1e-6 s."""
    spins, shaft, place, _ = rollers(0.005, lambda v: np.clip(v / 1e-3, -1.0, 1.0))
    assert shaft == pytest.approx(11.7164564545, abs=1e-9)
    np.testing.assert_allclose(spins[:2], (-4.2021328255, -4.3452229451), atol=1e-7)
    np.testing.assert_allclose(place, (0.4999989465, 0.0010498757), atol=1e-9)


def platform(others):
    """Place and velocity of the platform, rates of its wheels; by Exudyn's friction and motors."""
    r, half, k, zone = machines.MECANUM_WHEEL, machines.MECANUM_HALF, machines.MECANUM_HARD, 0.1
    m, car = machines.MECANUM_MASS, machines.MECANUM_CAR
    axial, across = 0.5 * m * r**2, m * (3 * r**2 + 0.2**2) / 12
    arms = np.array([[-half, -half, 0], [half, -half, 0], [-half, half, 0], [half, half, 0]])
    inertia = np.diag([9 + r * r, 9 + r * r, 18]) * car / 12
    for d in arms:
        inertia += np.diag([axial, across, across]) + m * (d @ d * np.eye(3) - np.outer(d, d))
    whole = np.zeros((7, 7))  # of the body with its rotors: rates of its twist, then of their spins
    whole[:3, :3], whole[3:, 3:] = inertia, axial * np.eye(4)
    whole[0, 3:] = whole[3:, 0] = axial
    mass, n = car + 4 * m, np.array([0, 0, 1.0])
    angles, targets = np.array([-1, 1, 1, -1]) * np.pi / 4, np.array([1, -1, -1, 1]) / r

    def rhs(t, y):
        x, p, v, w, spins = y[:3], y[3:7], y[7:10], y[10:13], y[13:]
        turn = axes(p)
        world, axle = turn @ w, turn[:, 0]
        down = n - (n @ axle) * axle
        lateral = axle - (axle @ n) * n
        force, torque, motors = np.array([0, 0, -mass * G]), np.zeros(3), np.zeros(4)
        for i, (d, angle) in enumerate(zip(arms, angles, strict=True)):
            motors[i] = 500 * (targets[i] - spins[i] - (w[0] if others else 0.0))
            if others:
                torque[0] += motors[i]  # on the wheel, from outside, about a fixed axis
                motors[i] *= axle[0]
            arm = turn @ d
            point = arm - r * down / np.linalg.norm(down)
            depth = -(x + point)[2]
            if depth <= 0:
                continue
            if not others:
                point = point + 0.5 * depth * n
            slip = v + np.cross(world, point) + spins[i] * np.cross(axle, point - arm)
            e = lateral / np.linalg.norm(lateral)
            e = math.cos(angle) * e + math.sin(angle) * np.cross(n, e)
            one, size = slip @ e, math.hypot(*slip[:2])
            drag = one / max(size, zone) if others else one / math.hypot(one, zone)
            f = k * depth * (n - drag * e)
            force, torque = force + f, torque + np.cross(point, f)
            motors[i] += np.cross(point - arm, f) @ axle
        momentum = inertia @ w
        momentum[0] += axial * spins.sum()
        right = np.concatenate([turn.T @ torque - np.cross(w, momentum), motors])
        return np.concatenate([v, turning(p, world), force / mass, np.linalg.solve(whole, right)])

    y0 = np.zeros(17)
    y0[2], y0[3] = r - machines.MECANUM_LOAD / k, 1.0
    (y,) = solved(rhs, y0, [machines.MECANUM_END], 1e-3)
    return y[0], y[7], y[13], y[14]


def test_mecanum():
    np.testing.assert_allclose(platform(False), machines.MECANUM_AFTER, atol=1e-9)


def test_mecanum_by_exudyn():
    """Its numbers at a step of 2e-4 s; at 5e-4 s they are six times as far away."""
    assert platform(True)[:2] == pytest.approx((0.2836385322, 0.8378886352), abs=2e-6)


def damped(e, speed):
    """Factor of the rate in the push, for a restitution at a speed."""
    from scipy.optimize import brentq

    def missing(x):
        return x * (1 + e) - math.log((1 + x) / (1 - e * x))

    return brentq(missing, 0.1, (1 - 1e-13) / e) / speed


def test_cube():
    m, size, k, mu = machines.CUBE_MASS, machines.CUBE, machines.CUBE_HARD, 0.3
    a = damped(0.4, 3.0)
    corners = 0.5 * size * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    n = np.array([0, 1.0, 0])

    def rhs(t, y):
        x, p, v, w = y[:3], y[3:7], y[7:10], y[10:]
        force, torque, places = np.array([0, -m * G, 0]), np.zeros(3), corners @ axes(p).T
        for arm in places:
            depth = -(x + arm)[1]
            if depth <= 0:
                continue
            point = arm + 0.5 * depth * n
            velocity = v + np.cross(w, point)
            push = max(k * depth * (1 - a * velocity[1]), 0.0)
            slip = velocity - velocity[1] * n
            f = push * (n - mu * slip / math.sqrt(slip @ slip + 1e-4))
            force, torque = force + f, torque + np.cross(point, f)
        return np.concatenate([v, turning(p, w), force / m, 6 * torque / (m * size**2)])

    y0 = (0, 0.6, 0, 1, 0, 0, 0, 2, 0, 1, 3, 2, -1)
    (y,) = solved(rhs, y0, [machines.CUBE_END], 1e-3)
    parts = {"position": y[:3], "velocity": y[7:10], "angular_velocity": y[10:]}
    for what, numbers in machines.CUBE_AFTER.items():
        np.testing.assert_allclose(parts[what], numbers, atol=1e-6)  # kinks cost it some digits


def drawn(creeps):
    """Places and velocities of the block; by the law of LuGre, whose bristle creeps, if asked."""
    k = machines.DRAWN_HARD
    c = math.sqrt(k)

    def rhs(t, y):
        x, v, s = y
        limit = 1.0 + 0.5 * math.exp(-((v / 1e-3) ** 2))
        slides = 0.0
        if creeps:
            slides = s * abs(v) * k / limit
        elif abs(k * s + c * v) > limit:
            slides = (k * s + c * v - math.copysign(limit, k * s + c * v)) / c
        rubs = k * s + c * (v - slides)
        return [v, machines.DRAWN_SPRING * (0.1 * t - x) - rubs - 0.4 * v, v - slides]

    return solved(rhs, [0, 0, 0], machines.DRAWN_TIMES, 3e-4)


def test_stick_slip():
    found = drawn(False)
    np.testing.assert_allclose(found[:, 0], machines.DRAWN_PLACES, atol=1e-8)
    np.testing.assert_allclose(found[:, 1], machines.DRAWN_RATES, atol=1e-8)


def test_creeping_bristles_slip_earlier():
    """The law of Exudyn's model: the next slips come earlier, ways differ by up to 8 per cent."""
    found = drawn(True)[:, 0]
    np.testing.assert_allclose(found[1:], machines.DRAWN_BY_LUGRE, atol=1e-4)
    np.testing.assert_allclose(found[2:], machines.DRAWN_PLACES[2:], rtol=0.09)


def test_parabola():
    k, a = machines.HILL_HARD, damped(0.1, 4.0)

    def rhs(t, y):
        x, z, vx, vz = y
        s = x  # of the nearest point (s, -s^2/2)
        for _ in range(20):
            s -= (s - x + 0.5 * s**3 + z * s) / (1 + 1.5 * s**2 + z)
        size = math.hypot(1, s)
        nx, nz = s / size, 1 / size
        depth = -((x - s) * nx + (z + 0.5 * s**2) * nz)
        fx, fz = 0.0, -machines.HILL_GRAVITY
        if depth > 0:
            push = max(k * depth * (1 - a * (vx * nx + vz * nz)), 0.0)
            slip = vx * nz - vz * nx
            drag = 0.3 * push * slip / math.hypot(slip, 1e-2)
            fx, fz = fx + push * nx - drag * nz, fz + push * nz + drag * nx
        return [vx, vz, fx, fz]

    found = solved(rhs, [1, 1, 0.1, 0], machines.HILL_TIMES, 2e-5)
    np.testing.assert_allclose(found[:, 0], machines.HILL_X, atol=1e-8)
    np.testing.assert_allclose(found[:, 1], machines.HILL_Z, atol=1e-8)
