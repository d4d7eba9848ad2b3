"""Rotors with known limits of stability."""

from __future__ import annotations

import supple as sp


def jeffcott(inner: float = 2.0, outer: float = 1.0, driven: bool = True) -> sp.Model:
    """A disc of 1 kg on a shaft of 1e4 N/m that turns along, with damping of shaft and air."""
    m = sp.Model(name="rotor")
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=(1.0, 1.0, 1.0)))
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add(sp.Revolute("turn", m.ground.at(0), shaft.at(0), axis="z"))
    m.add(sp.Planar("bend", shaft.at(0), disc.at(0)))
    for k in (0, 1):
        m.add(sp.JointSpring(f"k{k}", "bend", 1e4, damping=inner, coordinate=k))
    m.add(sp.JointSpring("level", "bend", 1e3, damping=1.0, coordinate="angle"))
    m.add(sp.CartesianSpring("air", m.ground.at(0), disc.at(0), damping=outer))
    if driven:
        m.add(sp.Driver("motor", "turn", 0.0))
    else:  # a bearing brakes, and a constant effort keeps the speed
        m.add(sp.JointSpring("bearing", "turn", damping=50.0))
    return m
