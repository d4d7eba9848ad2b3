"""Formulas of signals and a slider that follows one."""

from __future__ import annotations

import numpy as np

import supple as sp

FORMULAS = {
    "215*sin(2*pi*t)**3 + 62": lambda t: 215 * np.sin(2 * np.pi * t) ** 3 + 62,
    "-t**2 + 3*t - 1": lambda t: -(t**2) + 3 * t - 1,
    "exp(-t)*cos(5*t) / (1 + t**2)": lambda t: np.exp(-t) * np.cos(5 * t) / (1 + t**2),
    "sqrt(1 + t) + log(2 + t) - tan(t/4)": lambda t: np.sqrt(1 + t) + np.log(2 + t) - np.tan(t / 4),
    "atan(t) + asin(t/4) * acos(t/4) + tanh(t - 1)": lambda t: (
        np.arctan(t) + np.arcsin(t / 4) * np.arccos(t / 4) + np.tanh(t - 1)
    ),
    "(1 + t)**(0.5*t) + 2**t": lambda t: (1 + t) ** (0.5 * t) + 2**t,
    "min(t, 2, 3 - t) + max(0, t - 1)*step(t - 0.7)": lambda t: (
        np.minimum(np.minimum(t, 2), 3 - t) + np.maximum(0, t - 1) * (t >= 0.7)
    ),
    "abs(t - 1.3) + sign(2*t - 3) + tau*e": lambda t: (
        np.abs(t - 1.3) + np.sign(2 * t - 3) + 2 * np.pi * np.e
    ),
}


def one_slider(*forces: sp.forces.ForceElement):
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 2.0, inertia=(1, 1, 1)))
    m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), axis="x"))
    for force in forces:
        m.add(force)
    return sp.JointCoordinates().equations(m)
