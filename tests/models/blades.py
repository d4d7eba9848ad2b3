"""A blade that turns."""

from __future__ import annotations

import supple as sp


def blade(stiffening: str = "none", modes: object = 4) -> sp.Model:
    """A blade that is spun up beyond its lowest frequency within a second."""
    m = sp.Model(gravity=(0, 0, 0))
    hub = m.add(sp.RigidBody("hub", 1.0, inertia=1.0))
    alloy = sp.Material(70e9, 26e9, 2700)
    section = sp.Rectangle(0.01, 0.05)
    b = m.add(sp.Beam("blade", 2.0, section, alloy, elements=6, modes=modes, stiffening=stiffening))
    m.add(sp.Revolute("shaft", m.ground.at(0), hub.at(0)))
    m.add(sp.Fixed("root", hub.at(0), b.at(0)))
    m.add(sp.Driver("engine", "shaft", motion="20*(t - 0.5*(1 - exp(-t/0.5)))"))
    return m
