"""Mechanisms in minimal coordinates with exact closure, in plain NumPy: nothing of Supple.

Each mechanism is a curve x(s) in the space of a few angles, given by its tangent dx/ds, and a list
of moving bodies as functions of x and dx/dt. With dx/dt = s' dx/ds twice the kinetic energy is
m(x) s'^2, and with p = m s'

    p' = 1/2 dm/ds s'^2 - dV/ds.

The derivatives along the curve are complex steps, so everything is analytic: no abs, no hypot,
no conjugate. The numbers of the mechanisms are written again here, from their sources: the builders
are not used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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


class OneDegree(ABC):
    """A mechanism with one degree of freedom."""

    gravity = np.zeros(3)

    def tangent(self, x):
        """dx/ds."""
        return np.ones(1)

    @abstractmethod
    def bodies(self, x, rates):
        """The moving bodies at x with dx/dt = rates."""

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
        return np.append(speed * along, self.push(x, speed))

    def push(self, x, speed):
        """dp/dt."""
        shifted = x + 1j * STEP * self.tangent(x)
        slope = self.inertia(shifted).imag / STEP
        push = (self.height(shifted) + self.stored(shifted)).imag / STEP
        return 0.5 * slope * speed**2 - push

    def accelerated(self, x, speed):
        """Accelerations of the centres of mass (n, 3) and of the turning (n, 3) of all bodies."""
        along, m = self.tangent(x), self.inertia(x)
        shifted = x + 1j * STEP * speed * along
        slope = self.inertia(shifted).imag / STEP  # dm/dt
        faster = speed + 1j * STEP * (self.push(x, speed) - slope * speed) / m
        bodies = self.bodies(shifted, faster * self.tangent(shifted))
        return np.array([[b.velocity, b.spin] for b in bodies]).imag.swapaxes(0, 1) / STEP

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


def near(angle, target):
    """The angle changed by whole turns to be nearest to another."""
    return angle + 2.0 * pi * np.round((target - angle) / (2.0 * pi))
