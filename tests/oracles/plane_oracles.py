"""Plane mechanisms with exact closure: the four-bar linkage and Andrews' squeezer, plain NumPy."""

from __future__ import annotations

from math import pi

import numpy as np

from models.one_degree import G, Moving, OneDegree, near


def polar(r, angle):
    """Point at a distance and angle."""
    return r * np.array([np.cos(angle), np.sin(angle)])


def across(v):
    """The vector turned by a quarter turn: velocity of a point at v for the rate one."""
    return np.array([-v[1], v[0]])


def meet(p, q, rp, rq, side):
    """Point at the distances rp from p and rq from q, left of the way from p to q for side 1."""
    d = q - p
    square = d @ d
    along = 0.5 * (square + rp**2 - rq**2) / square
    return p + along * d + side * np.sqrt(rp**2 / square - along**2) * across(d)


def follow(x, p, q, vp, vq):
    """Velocity of x that keeps its distances from p and q, which move with vp and vq."""
    f, g = x - p, x - q
    a, b = f @ vp, g @ vq
    return np.array([a * g[1] - b * f[1], b * f[0] - a * g[0]]) / (f[0] * g[1] - f[1] * g[0])


def bearing(p, q):
    """Angle of the way from p to q, real."""
    return np.arctan2(*(q - p)[::-1])


class Bar:
    """A plane body that carries a point with a velocity, and an angle through a second one."""

    def __init__(self, origin, velocity, end, end_velocity):
        arm = end - origin
        self.origin, self.velocity = origin, velocity
        self.unit = arm / np.sqrt(arm @ arm)
        self.rate = (across(arm) @ (end_velocity - velocity)) / (arm @ arm)

    def place(self, along, left):
        """Point of the body: so far along its line and to the left of it."""
        return self.origin + along * self.unit + left * across(self.unit)

    def moving(self, along, left):
        """Velocity of that point."""
        return self.velocity + self.rate * across(self.place(along, left) - self.origin)


def flat(bar, mass, inertia, along, left, frame):
    """The body in space; frame (3, 2) are the plane's axes, its turning is about their cross."""
    axis = np.cross(frame[:, 0], frame[:, 1])
    return Moving(
        mass,
        frame @ bar.place(along, left),
        frame @ bar.moving(along, left),
        inertia * np.eye(3),
        bar.rate * axis,
    )


class FourBar(OneDegree):
    """Crank 0.4 m, coupler 1.1 m, rocker 0.9 m, ground 1 m, in the plane of x and z."""

    gravity = np.array([0.0, 0.0, -G])
    frame = np.eye(3)[:, [0, 2]]
    x0, speed0, scale = np.array([0.7]), 6.0, 10.0

    def bars(self, x, rates):
        o, c = np.zeros(2), np.array([1.0, 0.0])
        e = polar(0.4, x[0])
        ve = rates[0] * across(e)
        pin = meet(e, c, 1.1, 0.9, 1.0)
        vp = follow(pin, e, c, ve, o)
        return Bar(o, o, e, ve), Bar(e, ve, pin, vp), Bar(c, o, pin, vp)

    def bodies(self, x, rates):
        crank, coupler, rocker = self.bars(x, rates)
        return [
            flat(crank, 0.8, 0.8 * 0.4**2 / 12, 0.2, 0.0, self.frame),
            flat(coupler, 2.2, 0.25, 0.5, 0.1, self.frame),
            flat(rocker, 1.8, 1.8 * 0.9**2 / 12, 0.45, 0.0, self.frame),
        ]


class Andrews(OneDegree):
    """The squeezer; x is beta. Signs of the circles' intersections are those of the start."""

    frame = np.eye(3)[:, [0, 1]]
    A, B, C = (
        np.array([-0.06934, -0.00227]),
        np.array([-0.03635, 0.03273]),
        np.array([0.014, 0.072]),
    )
    x0, speed0, scale = np.array([-0.0617138900142764496358948458001]), 0.0, 1000.0

    def bars(self, x, rates):
        o = np.zeros(2)
        F = polar(0.007, x[0])
        vF = rates[0] * across(F)
        E = meet(F, self.B, 0.028, 0.035, 1.0)
        vE = follow(E, F, self.B, vF, o)
        Gp = meet(self.A, E, 0.04, 0.02, 1.0)
        H = meet(self.A, E, 0.04, 0.02, -1.0)
        vG, vH = follow(Gp, self.A, E, o, vE), follow(H, self.A, E, o, vE)
        return {
            "K1": Bar(o, o, F, vF),
            "K2": Bar(F, vF, E, vE),
            "K3": Bar(self.B, o, E, vE),
            "K4": Bar(Gp, vG, E, vE),
            "K5": Bar(self.A, o, Gp, vG),
            "K6": Bar(H, vH, E, vE),
            "K7": Bar(self.A, o, H, vH),
        }

    def bodies(self, x, rates):
        bars = self.bars(x, rates)
        # along each bar and to its left; for bars along -y of the source its x is to the left
        rows = {
            "K1": (0.04325, 2.194e-6, 0.00092, 0.0),
            "K2": (0.00365, 4.410e-7, 0.0115, 0.0),
            "K3": (0.02373, 5.255e-6, 0.01874, 0.01043),
            "K4": (0.00706, 5.667e-7, 0.02 - 0.01421, 0.0),
            "K5": (0.07050, 1.169e-5, 0.02308, 0.00916),
            "K6": (0.00706, 5.667e-7, 0.02 - 0.01421, 0.0),
            "K7": (0.05498, 1.912e-5, 0.01228, -0.00449),
        }
        return [flat(bars[name], *row, self.frame) for name, row in rows.items()]

    def stretch(self, x):
        D = self.bars(x, self.tangent(x))["K3"].place(0.018, 0.02)
        return np.sqrt((D - self.C) @ (D - self.C)) - 0.07785

    def stored(self, x):
        return 0.5 * 4530.0 * self.stretch(x) ** 2 - 0.033 * x[0]

    def angles(self, x):
        """The seven angles of the source, between -pi and pi but for those of beta and theta."""
        bars = self.bars(x, self.tangent(x))
        turn = {name: np.arctan2(bar.unit[1], bar.unit[0]) for name, bar in bars.items()}
        gamma, delta = turn["K3"] + pi / 2, turn["K5"]
        epsilon, phi = turn["K7"] + pi / 2, turn["K4"] + pi / 2 - turn["K5"]
        omega = turn["K6"] - epsilon
        theta = near(turn["K2"] - pi - x[0], -x[0])  # the coupler only swings
        rest = (near(v, 0.0) for v in (gamma, phi, delta, omega, epsilon))
        g, f, d, o, e = rest
        return np.array([x[0], theta, g, f, d, o, e])

    def rates(self, x, speed):
        """Their rates."""
        w = {name: bar.rate for name, bar in self.bars(x, np.array([speed])).items()}
        inner = (w["K2"] - w["K1"], w["K4"] - w["K5"], w["K6"] - w["K7"])
        return np.array([speed, inner[0], w["K3"], inner[1], w["K5"], inner[2], w["K7"]])
