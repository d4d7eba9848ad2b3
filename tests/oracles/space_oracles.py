"""Mechanisms in space with exact closure: Bricard's and Bennett's, in plain NumPy."""

from __future__ import annotations

from math import pi

import numpy as np

from models.one_degree import G, Moving, OneDegree, near


def tilde(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def turn(axis, angle):
    """Rotation about a unit axis."""
    K = tilde(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def chain(links, q, u):
    """Bodies of an open chain of revolute joints, and pose and twist of its end.

    A link is (axis, end, twist about x at the end, mass, centre, inertia about the centre).
    """
    R, p, w, v = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    bodies = []
    for (axis, end, twist, mass, centre, inertia), angle, rate in zip(links, q, u, strict=False):
        w = w + rate * (R @ axis)
        R = R @ turn(axis, angle)
        c = R @ centre
        bodies.append(Moving(mass, p + c, v + np.cross(w, c), R @ inertia @ R.T, w))
        arm = R @ end
        p, v = p + arm, v + np.cross(w, arm)
        R = R @ turn(np.eye(3)[0], twist)
    return bodies, (R, p, w, v)


def slender(end, mass):
    end = np.array(end, dtype=float)
    return mass, end / 2, mass / 12 * (end @ end * np.eye(3) - np.outer(end, end))


class Bricard(OneDegree):
    """x = (a, b), the angles of every second joint, on the curve (1 + sin a) (1 + sin b) = 1."""

    gravity = np.array([0.0, -G, 0.0])
    x0, speed0, scale = np.zeros(2), 0.0, 5.0
    axes = np.eye(3)[[1, 2, 0, 1, 2, 0]]
    ends = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0]], dtype=float)
    links = tuple(
        (axis, end, 0.0, *slender(end, 1.0)) for axis, end in zip(axes, ends, strict=False)
    )

    def tangent(self, x):
        a, b = x
        return np.array([np.cos(b) * (1 + np.sin(a)), -np.cos(a) * (1 + np.sin(b))])

    def chain(self, x, rates):
        return chain(self.links, np.tile(x, 3), np.tile(rates, 3))

    def bodies(self, x, rates):
        return self.chain(x, rates)[0]

    def end(self, x, count):
        """Place of the end of so many rods of the chain."""
        return chain(self.links[:count], np.tile(x, 3), np.zeros(6))[1][1]


class Bennett(OneDegree):
    """x is the angle of the first joint."""

    gravity = np.array([0.0, 0.0, -G])
    alpha, beta = pi / 6, 70 * pi / 180
    a, b = 0.5, 0.5 * np.sin(70 * pi / 180) / np.sin(pi / 6)
    ratio = np.sin(0.5 * (alpha + beta)) / np.sin(0.5 * (beta - alpha))
    x0, speed0, scale = np.array([1.0]), 5.0, 5.0

    def __init__(self):
        self.links = []
        for length, twist in ((self.a, self.alpha), (self.b, self.beta), (self.a, self.alpha)):
            mass, half = 2.0 * length, np.array([length / 2, 0.0, 0.0])
            side = mass * length**2 / 12 + 0.001
            inertia = np.diag([0.002, side, side])
            self.links.append((np.eye(3)[2], 2 * half, twist, mass, half, inertia))

    def joints(self, x, rates):
        """Four angles and their rates; the second is continuous in the first."""
        half = 0.5 * x[0]
        c, s = self.ratio * np.cos(half), np.sin(half)
        slope = -self.ratio / (c * c + s * s)
        # atan2 that counts turns, and its complex step by the slope
        second = pi - 2.0 * near(np.arctan2(s.real, c.real), half.real)
        if np.iscomplexobj(x):
            second = second + 1j * slope.real * x[0].imag
        q = np.array([x[0], second, -x[0], -second])
        return q, rates[0] * np.array([1.0, slope, -1.0, -slope])

    def chain(self, x, rates):
        q, u = self.joints(x, rates)
        return chain(self.links, q[:3], u[:3])

    def bodies(self, x, rates):
        return self.chain(x, rates)[0]

    def tip(self, x):
        """Place of the end of the second link."""
        q, u = self.joints(x, np.zeros(1))
        return chain(self.links[:2], q[:2], u[:2])[1][1]
