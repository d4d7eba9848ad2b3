"""A four-bar linkage on springs, and its small motion in closed form."""

from __future__ import annotations

import numpy as np

import supple as sp
from models.one_degree import STEP, Moving, OneDegree
from supple.cases.linkages import four_bar as numbers

G = 9.81


class FourBar(OneDegree):
    """The linkage of `cases.linkages.four_bar` on its exact closure; x: crank, coupler, rocker."""

    gravity = np.array([0.0, 0.0, -G])

    def tangent(self, x):
        crank, coupler, rocker = x
        across = np.sin(coupler - rocker)
        return np.array(
            [
                1.0 + 0.0 * crank,
                -0.4 * np.sin(crank - rocker) / (1.1 * across),
                0.4 * np.sin(coupler - crank) / (0.9 * across),
            ]
        )

    def bodies(self, x, rates):
        def place(angle, along, left=0.0):
            c, s = np.cos(angle), np.sin(angle)
            return np.array([along * c - left * s, 0.0 * c, along * s + left * c])

        def speed(angle, rate, along, left=0.0):
            return rate * place(angle + np.pi / 2, along, left)

        (a, b, c), (u, v, w) = x, rates
        ends = (
            (0.8, place(a, 0.2), speed(a, u, 0.2), 0.8 * 0.4**2 / 12, u),
            (
                2.2,
                place(a, 0.4) + place(b, 0.5, 0.1),
                speed(a, u, 0.4) + speed(b, v, 0.5, 0.1),
                0.25,
                v,
            ),
            (1.8, np.array([1.0, 0, 0]) + place(c, 0.45), speed(c, w, 0.45), 1.8 * 0.9**2 / 12, w),
        )
        zero = 0.0 * a
        return [
            Moving(m, p, s, inertia * np.eye(3), np.array([zero, rate, zero]))
            for m, p, s, inertia, rate in ends
        ]

    def stored(self, x):
        return 25.0 * (x[2] - 1.2) ** 2

    def slope(self, x):
        shifted = x + 1j * STEP * self.tangent(x)
        return (self.height(shifted) + self.stored(shifted)).imag / STEP


def sprung_four_bar() -> sp.Model:
    model = numbers.four_bar()
    for name in ("drive", "knee", "bearing", "pin"):
        model.replace(name, initial_rate=0.0)
    model.add(sp.JointSpring("coil", "bearing", stiffness=50.0, rest=1.2))
    return model
