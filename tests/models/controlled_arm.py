"""An arm under a sampled controller."""

from __future__ import annotations

import supple as sp


def press():
    """A slider-crank that closes a loop; its crank is turned by a motor."""
    m = sp.Model(gravity=(0, -9.81, 0))
    arm = m.add(sp.RigidBody("arm", 1.5, com=(0.1, 0, 0), inertia=0.01))
    bar = m.add(sp.RigidBody("bar", 0.8, com=(0.25, 0, 0), inertia=0.02))
    ram = m.add(sp.RigidBody("ram", 2.0, inertia=0.01))
    m.add(sp.Revolute("shaft", m.ground.at(0), arm.at(0), initial=0.8))
    m.add(sp.Revolute("crankpin", arm.at(0.2), bar.at(0), initial=-1.1))
    m.add(sp.Prismatic("slide", m.ground.at(0), ram.at(0), axis="x", initial=0.6))
    m.add(sp.Revolute("wristpin", bar.at(0.5), ram.at(0), initial=0.3))
    m.add(sp.Motor("drive", "shaft", inertia=1e-4, ratio=-5.0))
    return m


def arm():
    """A flexible arm with a hub."""
    m = sp.Model(gravity=(0, 0, -9.81))
    steel = sp.Material(7e10, 2.7e10, 2700.0)
    beam = sp.Beam("beam", 0.8, sp.Rectangle(0.004, 0.03), steel, elements=4, modes=2,
                   damping=sp.Rayleigh(stiffness=2e-4))  # fmt: skip
    m.add(beam)
    m.add(sp.Revolute("hub", m.ground.at(0), beam.at(0), axis="z", initial=0.1))
    m.add(sp.PointMass("tip", beam.at(0.8), 0.1))
    return m
