"""A machine with bodies over nodal vectors."""

from __future__ import annotations

import numpy as np

import supple as sp
from supple.formulations.equations import Equations

RUBBER = sp.Material(E=1e6, G=4e5, density=1000.0)


PLASTIC = sp.Material(E=1e9, G=4e8, density=1000.0)


GRAVITY = np.array([0.3, -9.81, 1.0])


def beam(**options) -> sp.ANCFBeam:
    given = {"material": RUBBER, "elements": 2, **options}
    return sp.ANCFBeam("arm", 1.0, sp.Rectangle(0.02, 0.04), **given)


def machine(**options) -> sp.Model:
    """A beam on a hinge that carries a link on a universal joint, a mass, a force and a spring."""
    model = sp.Model(gravity=GRAVITY)
    arm = model.add(beam(material=PLASTIC, **options))
    link = model.add(sp.RigidBody("link", 0.3, (0.1, 0.05, 0), (0.02, 0.03, 0.04)))
    ground = model.ground
    model.add(sp.Revolute("hinge", ground.at(0.1), arm.at(0), "z", 0.3, 0.7))
    tip = arm.at(1.0, rotation=(0.2, 0.1, 0.3))
    axes = (1, 0, 0), (0, 1, 0)
    model.add(sp.Universal("wrist", tip, link.at(0.1), axes, (0.1, 0.2), (1, 0.5)))
    model.add(sp.SpringDamper("spring", ground.at(1, 1), link.at(0.1, 0.2), 30, 2, 0.5))
    model.add(sp.PointMass("bob", arm.at(0.4), 0.2))
    model.add(sp.Force("push", arm.at(1.0), (1, 2, 3), (0.1, 0.2, 0.3)))
    return model


def moved(eq: Equations, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = eq.retract(eq.q0, 0.1 * rng.normal(size=eq.nu))
    return q, rng.normal(size=eq.nu), rng.normal(size=eq.nu)
