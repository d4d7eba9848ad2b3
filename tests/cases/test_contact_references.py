"""References of compared contacts once more, by equations written by hand and SciPy's DOP853.

Nothing here is shared with Supple but the numbers of the models.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from supple.cases import contacts_compared as compared

G = 9.81
pytestmark = pytest.mark.slow


def solved(rhs, y0, end, longest=np.inf):
    from scipy.integrate import solve_ivp

    run = solve_ivp(rhs, (0.0, end), y0, method="DOP853", rtol=1e-11, atol=1e-13, max_step=longest)
    assert run.success
    return run.y[:, -1]


def rubbed(v, transition):
    """Direction of friction, rounded."""
    return v / np.sqrt(v @ v + transition**2)


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


def body_on_balls(mass, inertia, place, v, w, balls, k, mu, transition, end, hollow=None):
    """A body with balls (place, radius) that touch the plane z = 0 or a hollow ball about zero."""
    inertia = np.asarray(inertia)

    def rhs(t, y):
        x, p, v, w = y[:3], y[3:7], y[7:10], y[10:]
        turn, force, torque = axes(p), np.array([0.0, 0.0, -mass * G]), np.zeros(3)
        for local, radius in balls:
            arm = turn @ local
            centre = x + arm
            if hollow is None:
                n, depth = np.array([0.0, 0.0, 1.0]), radius - centre[2]
            else:
                out = np.linalg.norm(centre)
                n, depth = -centre / out, out + radius - hollow
            if depth <= 0.0:
                continue
            point = arm - (radius - 0.5 * depth) * n
            slip = v + np.cross(w, point)
            slip = slip - (slip @ n) * n
            f = k * depth * (n - mu * rubbed(slip, transition))
            force, torque = force + f, torque + np.cross(point, f)
        local_w = turn.T @ w
        spin_up = turn @ ((turn.T @ torque - np.cross(local_w, inertia * local_w)) / inertia)
        rate = 0.5 * np.array([-w @ p[1:], *(p[0] * w + np.cross(w, p[1:]))])
        return np.concatenate([v, rate, force / mass, spin_up])

    y = solved(rhs, np.concatenate([place, [1, 0, 0, 0], v, w]), end)
    return {"position": y[:3], "velocity": y[7:10], "angular_velocity": y[10:]}


def test_bowl():
    r, arm, angle = 0.1, 0.4, math.radians(40.0)
    place = (arm * math.sin(angle), 0, -arm * math.cos(angle))
    inertia = 0.4 * r**2 * np.ones(3)
    ball = [(np.zeros(3), r)]
    found = body_on_balls(
        1.0, inertia, place, (0, 0.8, 0), (0, 0, 0), ball, 1e5, 0.3, 1e-2, 1.0, hollow=0.5
    )
    for what, numbers in compared.BOWL.items():
        np.testing.assert_allclose(found[what], numbers, atol=1e-7)


def test_tippe_top():
    mass, r = 0.01, 0.2
    height, below, small = 2.4 * r, 0.04, 0.2 * r
    across = mass * ((2 * r) ** 2 + height**2) / 12
    inertia = (across, across, mass * (2 * r) ** 2 / 6)
    balls = [(np.array([0, 0, below]), r), (np.array([0, 0, height - r - small + below]), small)]
    place = (0, 0, r - below - mass * G / 1e3)
    found = body_on_balls(
        mass, inertia, place, (0, 0, 0), (0, 4.0, 200.0), balls, 1e3, 0.4, 1e-3, 0.5
    )
    for what, numbers in compared.TOP.items():
        np.testing.assert_allclose(found[what], numbers, rtol=1e-9, atol=1e-8)


def test_collision():
    r, mass, k, mu, transition = 0.1, (1.0, 2.0), 1e5, 0.2, 1e-2

    def rhs(t, y):
        d, v, w = y[3:6] - y[:3], y[6:12].reshape(2, 3), y[12:].reshape(2, 3)
        out = np.linalg.norm(d)
        n, depth, dy = d / out, 2 * r - out, np.concatenate([y[6:12], np.zeros(12)])
        if depth > 0.0:
            arm = (r - 0.5 * depth) * n
            slip = v[1] - np.cross(w[1], arm) - v[0] - np.cross(w[0], arm)
            slip = slip - (slip @ n) * n
            f = k * depth * (n - mu * rubbed(slip, transition))
            dy[6:12] = np.concatenate([-f / mass[0], f / mass[1]])
            turned = [np.cross(arm, -f) / (0.4 * m * r**2) for m in mass]
            dy[12:] = np.concatenate(turned)
        return dy

    y0 = (-0.3, 0, 0, 0, 0.06, 0.03, 1, 0.1, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0)
    y = solved(rhs, y0, compared.COLLISION_END, 1e-3)
    for k_, name in enumerate(("one", "two")):
        for j, what in enumerate(("position", "velocity", "angular_velocity")):
            part = y[6 * j + 3 * k_ : 6 * j + 3 * k_ + 3]
            np.testing.assert_allclose(part, compared.COLLISION[name][what], atol=1e-8)


def test_pool():
    """Rigid balls: times of touch from quadratic equations, equal masses swap normal speeds."""
    x = np.array(compared.POOL, dtype=float)
    v, now = np.zeros((3, 3)), 0.0
    v[0, 0] = 2.0
    for a, b in ((0, 1), (1, 2)):
        d, u = x[b] - x[a], v[b] - v[a]
        c = (u @ u, 2 * d @ u, d @ d - 0.1**2)
        wait = (-c[1] - math.sqrt(c[1] ** 2 - 4 * c[0] * c[2])) / (2 * c[0])
        x, now = x + wait * v, now + wait
        n = (x[b] - x[a]) / 0.1
        swap = ((v[b] - v[a]) @ n) * n
        v[a] += swap
        v[b] -= swap
    x = x + (compared.POOL_END - now) * v
    for k, (place, velocity) in enumerate(compared.POOL_AFTER):
        np.testing.assert_allclose(x[k], place, atol=1e-11)
        np.testing.assert_allclose(v[k], velocity, atol=1e-11)
