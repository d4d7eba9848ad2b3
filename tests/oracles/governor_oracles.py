"""Flyball governors in symmetric coordinates, and windows as a pendulum, in plain NumPy."""

from __future__ import annotations

from math import pi

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from models.one_degree import STEP, G


class LinkedGovernor:
    """Angle of the rods below level; the shaft's momentum is constant, the slider follows."""

    rod, ball, slider, link, shaft = 0.3, 5.0, 3.0, 0.15, 0.3  # kg
    angle0, spin0 = pi / 6, 2 * pi

    def about_shaft(self, a):
        """Moment of inertia about the shaft of everything, kg m2."""
        s2, c2 = np.sin(a) ** 2, np.cos(a) ** 2
        total = self.shaft * 2e-4 / 12 + self.slider * 0.02 / 12
        total = total + 2 * self.rod * (
            (2e-4 * s2 + 1.0001 * c2) / 12 + (0.05 + 0.5 * np.cos(a)) ** 2
        )
        total = total + 2 * self.ball * (0.05 + np.cos(a)) ** 2
        return total + self.links_about_shaft(a, s2, c2)

    def links_about_shaft(self, a, s2, c2):
        along, side = 2e-4, 0.25 + 1e-4
        return 2 * self.link * ((along * s2 + side * c2) / 12 + (0.05 + 0.25 * np.cos(a)) ** 2)

    def inertia(self, a):
        """Of the angle: 2 T = inertia a'^2 besides the turning about the shaft."""
        rods = 2 * (self.rod * (1.0001 / 12 + 0.25) + self.ball)
        # link centre: outwards 0.05 + 0.25 cos a, up 1 - 0.75 sin a
        links = (
            2 * self.link * ((0.25 + 1e-4) / 12 + (0.25 * np.sin(a)) ** 2 + (0.75 * np.cos(a)) ** 2)
        )
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

    @property
    def rods(self):
        """Twice the kinetic energy of both rods with their balls for the rate one."""
        return 2 * (self.rod * (1.0001 / 12 + 0.25) + self.ball)

    def distance(self, a, s):
        """Length of the spring-dampers."""
        return np.sqrt(0.25 * np.cos(a) ** 2 + (1 - 0.5 * np.sin(a) - s) ** 2)

    def kinetic(self, a, va, vs, spin):
        """Kinetic energy, J."""
        moved = self.rods * va**2 + self.slider * vs**2
        return 0.5 * (moved + self.about_shaft(a) * spin**2)

    def heights(self, a, s):
        """Potential energy of gravity, J."""
        rods = 2 * self.rod * (1 - 0.5 * np.sin(a)) + 2 * self.ball * (1 - np.sin(a))
        return G * (rods + self.slider * s + 0.5 * self.shaft)

    def rhs(self, t, y):
        a, s, va, vs, _, _ = y
        z = a + 1j * STEP
        spin = self.momentum / self.about_shaft(a)
        up = 1 - 0.5 * np.sin(a) - s
        d = self.distance(a, s)
        da, ds = (-0.25 * np.cos(a) * np.sin(a) - 0.5 * up * np.cos(a)) / d, -up / d
        rate = da * va + ds * vs
        pull = self.stiffness * (d - 0.5) + self.damping * rate
        push = 0.5 * self.about_shaft(z).imag / STEP * spin**2
        push += 2 * G * (0.5 * self.rod + self.ball) * np.cos(a) - 2 * pull * da
        lost = 2 * self.damping * rate**2
        return [va, vs, push / self.rods, -G - 2 * pull * ds / self.slider, spin, lost]

    def motion(self, times, tolerance=1e-13, method="DOP853"):
        """Rows of angle, height, their rates, turn of the shaft, its rate, energy lost."""
        y0 = [self.angle0, self.height0, 0.0, 0.0, 0.0, 0.0]
        run = solve_ivp(
            self.rhs, (0, times[-1]), y0, method, t_eval=times, rtol=tolerance, atol=tolerance
        )
        a, s, va, vs, turned, lost = run.y
        return np.array([a, s, va, vs, turned, self.momentum / self.about_shaft(a), lost])


def stiffness_of_windows(count):
    """k of f'' = k sin f for the angle f of the uprights from upright, 1/s2."""
    return G * (count + 0.5 * (count + 1)) / (count + (count + 1) / 3)


def windows(count, times):
    """Angle f of the uprights and its rate, by elliptic functions."""
    fast = np.sqrt(1.0 + 4.0 * stiffness_of_windows(count))  # rad/s, at the lowest place
    m = 1.0 - 1.0 / fast**2
    # f = pi + 2 am(fast (t - t0)/2): the lowest place is reached at t0 = 2 K/fast
    _, _, dn, amplitude = ellipj(0.5 * fast * np.asarray(times) - ellipk(m), m)
    return pi + 2.0 * amplitude, fast * dn


def falling(count, times, tolerance):
    """The same by integration."""
    k = stiffness_of_windows(count)
    run = solve_ivp(
        lambda t, y: [y[1], k * np.sin(y[0])],
        (0.0, times[-1]),
        [0.0, 1.0],
        "DOP853",
        t_eval=times,
        rtol=tolerance,
        atol=tolerance,
    )
    return run.y
