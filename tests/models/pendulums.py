"""A pendulum that swings for long, and the methods that run it."""

from __future__ import annotations

import supple as sp


def pendulum(initial: float = 2.0) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    link = m.add(sp.RigidBody("link", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)))
    m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), "y", initial))
    return m
