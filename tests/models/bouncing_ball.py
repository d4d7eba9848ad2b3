"""A bouncing ball and the methods that find its instants."""

from __future__ import annotations

import numpy as np

import supple as sp

G = 9.81


METHODS = {
    "Radau": sp.Radau(),
    "DormandPrince": sp.DormandPrince(),
    "GeneralizedAlpha": sp.GeneralizedAlpha(),
    "BDF": sp.BDF(),
}


def ball(z: float = 1.0, vz: float = 0.0, joint: str = "Prismatic") -> sp.Model:
    """A ball that flies up and down."""
    m = sp.Model(gravity=(0, 0, -G))
    b = m.add(sp.RigidBody("ball", 1.0, com=(0, 0, 0), inertia=(1e-2,) * 3))
    ends = m.ground.at(0), b.at(0)
    if joint == "Prismatic":
        m.add(sp.Prismatic("z", *ends, axis="z", initial=z, initial_rate=vz))
    else:
        m.add(sp.Free("z", *ends, initial=(0, 0, z), initial_rate=(0, 0, 0, 0, 0, vz)))
    return m


def times(result: sp.results.Result, name: str) -> np.ndarray:
    return np.array([e.t for e in result.events if e.name == name])
