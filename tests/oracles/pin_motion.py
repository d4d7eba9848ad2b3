"""Motion of a pin in closed form."""

from __future__ import annotations

import numpy as np

import supple as sp

STEP = 1e-30


def pin(angle):
    """Place (2,) of the pin between coupler and rocker, in the plane; analytic in the angle."""
    x, z = 0.4 * np.cos(angle), 0.4 * np.sin(angle)
    dx, dz = 1.0 - x, -z
    d2 = dx * dx + dz * dz
    along = (d2 + 1.1**2 - 0.9**2) / (2.0 * d2)
    across = np.sqrt(1.1**2 / d2 - along * along)
    return np.array([x + along * dx - across * dz, z + along * dz + across * dx])


def pin_rate(angle, rate):
    """Velocity (2,) of the pin: across the rocker, and with the crank's along the coupler."""
    p = pin(angle)
    arm = np.array([0.4 * np.cos(angle), 0.4 * np.sin(angle)])
    speed = rate * np.array([-0.4 * np.sin(angle), 0.4 * np.cos(angle)])
    rows = np.array([p - arm, p - np.array([1.0, 0.0])])
    return np.linalg.solve(rows, [(p - arm) @ speed, 0.0 * rate])


def arm() -> sp.Model:
    model = sp.Model(gravity=(0, -9.81, 0), name="arm")
    link1 = model.add(sp.RigidBody("link1", 2.0, com=(0.25, 0, 0), inertia=(1e-3, 0.04, 0.04)))
    link2 = model.add(sp.RigidBody("link2", 1.0, com=(0.2, 0.1, 0), inertia=(5e-4, 0.014, 0.014)))
    model.add(sp.Revolute("shoulder", model.ground.at(0), link1.at(0), axis="y", initial_rate=1.0))
    model.add(sp.Universal("wrist", link1.at(0.5), link2.at(0), initial=(-1.0, 0.3)))
    return model
