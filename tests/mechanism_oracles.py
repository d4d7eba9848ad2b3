"""Mechanisms in minimal coordinates with exact closure, in plain NumPy: nothing of Supple.

Each mechanism is a curve x(s) in the space of a few angles, given by its tangent dx/ds, and a list of
moving bodies as functions of x and dx/dt. With dx/dt = s' dx/ds twice the kinetic energy is m(x) s'^2,
and with p = m s'

    p' = 1/2 dm/ds s'^2 - dV/ds.

The derivatives along the curve are complex steps, so everything is analytic: no abs, no hypot,
no conjugate. The numbers of the mechanisms are written again here, from their sources: the builders
are not used.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

STEP = 1e-30
G = 9.81


class Moving(NamedTuple):
    """A body: mass, place and velocity of its centre of mass, inertia about it, turning; world."""

    mass: float
    place: np.ndarray
    velocity: np.ndarray
    inertia: np.ndarray
    spin: np.ndarray


def twice_kinetic(bodies):
    """Sum of m v^2 + w J w, J."""
    return sum(b.mass * (b.velocity @ b.velocity) + b.spin @ b.inertia @ b.spin for b in bodies)


class OneDegree:
    """A mechanism with one degree of freedom."""

    gravity = np.zeros(3)

    def tangent(self, x):
        """dx/ds."""
        return np.ones(1)

    def bodies(self, x, rates):
        """The moving bodies at x with dx/dt = rates."""
        raise NotImplementedError

    def stored(self, x):
        """Potential energy besides that of gravity, J."""
        return 0.0

    def height(self, x):
        """Potential energy of gravity, zero at the origin, J."""
        return -sum(b.mass * (b.place @ self.gravity) for b in self.bodies(x, self.tangent(x)))

    def inertia(self, x):
        """m(x) of the equation above."""
        return twice_kinetic(self.bodies(x, self.tangent(x)))

    def rhs(self, t, y):
        x, p = y[:-1], y[-1]
        along = self.tangent(x)
        speed = p / self.inertia(x)
        shifted = x + 1j * STEP * along
        slope = self.inertia(shifted).imag / STEP
        push = (self.height(shifted) + self.stored(shifted)).imag / STEP
        return np.append(speed * along, 0.5 * slope * speed**2 - push)

    def motion(self, times, tolerance=1e-13, method="DOP853"):
        """x and s' at the times, from `x0` and `speed0`."""
        y0 = np.append(self.x0, self.inertia(self.x0) * self.speed0)
        scale = np.append(np.ones(len(self.x0)), self.inertia(self.x0) * self.scale)
        run = solve_ivp(
            self.rhs,
            (0.0, times[-1]),
            y0,
            method,
            t_eval=times,
            rtol=tolerance,
            atol=tolerance * scale,
        )
        assert run.success
        x = run.y[:-1].T
        return x, np.array([p / self.inertia(row) for row, p in zip(x, run.y[-1], strict=True)])


# ------------------------------------------------------------------------------ plane mechanisms


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
    A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
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
        # along each bar and to its left; K3 and K7 are -y in the axes of the source: their x is left
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


def near(angle, target):
    """The angle changed by whole turns to be nearest to another."""
    return angle + 2.0 * pi * np.round((target - angle) / (2.0 * pi))


# ---------------------------------------------------------------------------- spatial mechanisms


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
    links = tuple((axis, end, 0.0, *slender(end, 1.0)) for axis, end in zip(axes, ends, strict=False))

    def tangent(self, x):
        a, b = x
        return np.array([np.cos(b) * (1 + np.sin(a)), -np.cos(a) * (1 + np.sin(b))])

    def chain(self, x, rates):
        return chain(self.links, np.tile(x, 3), np.tile(rates, 3))

    def bodies(self, x, rates):
        return self.chain(x, rates)[0]


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


# -------------------------------------------------------------------------------------- governors


class LinkedGovernor:
    """Angle of the rods below level; the shaft's momentum is constant, the slider follows."""

    rod, ball, slider, link, shaft = 0.3, 5.0, 3.0, 0.15, 0.3  # kg
    angle0, spin0 = pi / 6, 2 * pi

    def about_shaft(self, a):
        """Moment of inertia about the shaft of everything, kg m2."""
        s2, c2 = np.sin(a) ** 2, np.cos(a) ** 2
        total = self.shaft * 2e-4 / 12 + self.slider * 0.02 / 12
        total = total + 2 * self.rod * ((2e-4 * s2 + 1.0001 * c2) / 12 + (0.05 + 0.5 * np.cos(a)) ** 2)
        total = total + 2 * self.ball * (0.05 + np.cos(a)) ** 2
        return total + self.links_about_shaft(a, s2, c2)

    def links_about_shaft(self, a, s2, c2):
        along, side = 2e-4, 0.25 + 1e-4
        return 2 * self.link * ((along * s2 + side * c2) / 12 + (0.05 + 0.25 * np.cos(a)) ** 2)

    def inertia(self, a):
        """Of the angle: 2 T = inertia a'^2 besides the turning about the shaft."""
        rods = 2 * (self.rod * (1.0001 / 12 + 0.25) + self.ball)
        # link centre: outwards 0.05 + 0.25 cos a, up 1 - 0.75 sin a
        links = 2 * self.link * ((0.25 + 1e-4) / 12 + (0.25 * np.sin(a)) ** 2 + (0.75 * np.cos(a)) ** 2)
        return rods + links + self.slider * np.cos(a) ** 2

    def height(self, a):
        heavy = 2 * self.rod * (1 - 0.5 * np.sin(a)) + 2 * self.ball * (1 - np.sin(a))
        heavy = heavy + 2 * self.link * (1 - 0.75 * np.sin(a)) + self.slider * (1 - np.sin(a))
        return G * (heavy + self.shaft * 0.5)

    @property
    def momentum(self):
        return self.about_shaft(self.angle0) * self.spin0

    def rhs(self, t, y):
        a, p, _ = y
        z = a + 1j * STEP
        rate = p / self.inertia(a)
        spin = self.momentum / self.about_shaft(a)
        slope = (0.5 * self.inertia(z) * rate**2 + 0.5 * self.about_shaft(z) * spin**2).imag / STEP
        return [rate, slope - self.height(z).imag / STEP, spin]

    def motion(self, times, tolerance=1e-13, method="DOP853"):
        """Rows of angle, its rate, turn of the shaft and its rate."""
        y0 = [self.angle0, 0.0, 0.0]
        run = solve_ivp(
            self.rhs, (0, times[-1]), y0, method, t_eval=times, rtol=tolerance, atol=tolerance
        )
        a, p, turned = run.y
        return np.array([a, p / self.inertia(a), turned, self.momentum / self.about_shaft(a)])


class StiffGovernor(LinkedGovernor):
    """No links, but spring-dampers: angle and height of the slider are independent."""

    stiffness, damping, height0 = 8e5, 4e4, 0.5
    link = 0.0

    def rhs(self, t, y):
        a, s, va, vs, _, _ = y
        z = a + 1j * STEP
        spin = self.momentum / self.about_shaft(a)
        up = 1 - 0.5 * np.sin(a) - s
        d = np.sqrt(0.25 * np.cos(a) ** 2 + up * up)
        da, ds = (-0.25 * np.cos(a) * np.sin(a) - 0.5 * up * np.cos(a)) / d, -up / d
        rate = da * va + ds * vs
        pull = self.stiffness * (d - 0.5) + self.damping * rate
        rods = 2 * (self.rod * (1.0001 / 12 + 0.25) + self.ball)
        push = 0.5 * self.about_shaft(z).imag / STEP * spin**2
        push += 2 * G * (0.5 * self.rod + self.ball) * np.cos(a) - 2 * pull * da
        lost = 2 * self.damping * rate**2
        return [va, vs, push / rods, -G - 2 * pull * ds / self.slider, spin, lost]

    def motion(self, times, tolerance=1e-13, method="DOP853"):
        """Rows of angle, height, their rates, turn of the shaft, its rate, energy lost."""
        y0 = [self.angle0, self.height0, 0.0, 0.0, 0.0, 0.0]
        run = solve_ivp(
            self.rhs, (0, times[-1]), y0, method, t_eval=times, rtol=tolerance, atol=tolerance
        )
        a, s, va, vs, turned, lost = run.y
        return np.array([a, s, va, vs, turned, self.momentum / self.about_shaft(a), lost])


# ------------------------------------------------------------------------------------- windows


def windows(count, times):
    """Angle of the uprights from upright and its rate, by elliptic functions."""
    from scipy.special import ellipk, ellipkinc, ellipj

    k = G * (count + 0.5 * (count + 1)) / (count + (count + 1) / 3)  # f'' = k sin f
    fast = np.sqrt(1.0 + 4.0 * k)  # rad/s, at the lowest place
    m = 4.0 * k / fast**2
    # f = pi + 2 am(fast (t - t0)/2): the lowest place is reached at t0 = 2 K/fast
    argument = 0.5 * fast * np.asarray(times) - ellipk(m)
    _, _, dn, amplitude = ellipj(argument, m)
    assert np.allclose(ellipkinc(amplitude, m), argument, atol=1e-9)
    return pi + 2.0 * amplitude, fast * dn
