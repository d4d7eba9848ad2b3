"""A beam that bends in a plane and keeps its length, without any restriction of its slopes.

The tangent's angle against the hub is theta(s, t) = sum_j a_j psi_j(s) with polynomials psi_j that
vanish at the hub. Places are integrals of cosine and sine of the whole angle; the equations of
motion are those of Lagrange for a ~ a_j at a given hub angle. No frame of reference, no small
angle and no geometric stiffness is in it: stiffening follows from the kept length alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Legendre
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]


class SpinningElastica:
    """A beam on a hub whose angle, rate and acceleration are given functions of time.

    length : m, ``bending``: EI in N m2, ``line_mass``: kg/m, ``terms``: number of polynomials
    """

    def __init__(
        self,
        length: float,
        bending: float,
        line_mass: float,
        hub: Callable[[float], tuple[float, float, float]],
        terms: int = 5,
        points: int = 24,
    ) -> None:
        self.hub, self.terms = hub, terms
        x, w = np.polynomial.legendre.leggauss(points)
        s, self.weights = 0.5 * length * (x + 1.0), 0.5 * length * w * line_mass
        # psi_j' are Legendre polynomials: the stiffness is a diagonal.
        rates = [Legendre.basis(j, domain=[0.0, length]) for j in range(terms)]
        shapes = [p.integ(lbnd=0.0) for p in rates]
        self.psi = np.array([p(s) for p in shapes])  # (terms, points)
        self.K = np.array([bending * (p * p).integ(lbnd=0.0)(length) for p in rates])
        # Integrals from the hub to each point, and to the tip, of what is known at the points.
        lagrange = np.linalg.inv(np.polynomial.legendre.legvander(x, points - 1))
        integrals = [Legendre.basis(k, domain=[0.0, length]).integ(lbnd=0.0) for k in range(points)]
        self.sum = np.array([p(s) for p in integrals]).T @ lagrange  # (points, points)
        self.whole = np.array([p(length) for p in integrals]) @ lagrange

    def acceleration(self, t: float, a: Array, rate: Array) -> Array:
        """Second derivative (terms,) of the amplitudes."""
        angle, speed, change = self.hub(t)
        theta = angle + a @ self.psi
        c, s = np.cos(theta), np.sin(theta)
        spin = speed + rate @ self.psi
        # d(x, y)/da_j, and what accelerates at a'' = 0
        jx, jy = self.sum @ (-s * self.psi).T, self.sum @ (c * self.psi).T
        ax = self.sum @ (-c * spin**2 - s * change)
        ay = self.sum @ (-s * spin**2 + c * change)
        M = (jx.T * self.weights) @ jx + (jy.T * self.weights) @ jy
        force = jx.T @ (self.weights * ax) + jy.T @ (self.weights * ay) + self.K * a
        return np.linalg.solve(M, -force)

    def tip(self, a: Array) -> Array:
        """Place (2,) of the tip along and across the hub's direction, m."""
        theta = a @ self.psi
        return np.array([self.whole @ np.cos(theta), self.whole @ np.sin(theta)])

    def run(self, times: Array, tolerance: float = 1e-10) -> Array:
        """Tip (times, 2) in the hub's axes, from rest."""

        def slope(t: float, y: Array) -> Array:
            a, rate = np.split(y, 2)
            return np.concatenate([rate, self.acceleration(t, a, rate)])

        found = solve_ivp(
            slope, (0.0, times[-1]), np.zeros(2 * self.terms), "DOP853", times,
            rtol=tolerance, atol=1e-3 * tolerance,
        )  # fmt: skip
        assert found.success
        return np.array([self.tip(a) for a in found.y[: self.terms].T])


def spin_up(rate: float, duration: float) -> Callable[[float], tuple[float, float, float]]:
    """Angle, rate, acceleration of a hub that reaches ``rate`` (rad/s) after ``duration`` (s)."""
    k = 2.0 * np.pi / duration

    def hub(t: float) -> tuple[float, float, float]:
        if t >= duration:
            return rate * (t - 0.5 * duration), rate, 0.0
        angle = rate / duration * (0.5 * t * t + (np.cos(k * t) - 1.0) / k**2)
        return (
            angle,
            rate / duration * (t - np.sin(k * t) / k),
            rate / duration * (1 - np.cos(k * t)),
        )

    return hub
