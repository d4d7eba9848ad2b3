"""Lines that touch each other, or themselves, added to other tests: two that cross, and a loop."""

from __future__ import annotations

import numpy as np

import supple as sp

SOFT = sp.Material(E=1e7, G=4e6, density=1000.0)
ROD = sp.Circle(0.1)
LAW = sp.HuntCrossley(stiffness=3e3, restitution=0.6, speed=1.0)


def rod(kind: str, name: str, elements: int = 1) -> sp.Cable | sp.Beam | sp.ANCFBeam:
    """A body of one metre with an axis."""
    if kind == "beam":
        return sp.Beam(name, 1.0, ROD, SOFT, parts=elements + 1, elements=2)
    cls = sp.Cable if kind == "cable" else sp.ANCFBeam
    return cls(name, 1.0, ROD, SOFT, elements=elements)


def crossing(
    kind: str = "cable",
    friction: sp.RoundedFriction | None = None,
    gap: float = -0.01,
    angle: float = 1.2,
    at: tuple[float, float] = (0.53, 0.41),
    elements: int = 1,
    other: str | None = None,
    law: sp.HuntCrossley = LAW,
) -> sp.Model:
    """Two rods that fly above each other, with their axes ``gap`` + 0.1 m apart."""
    m = sp.Model(gravity=(0, 0, 0))
    one, two = m.add(rod(kind, "one", elements)), m.add(rod(other or kind, "two", elements))
    rates = (0.2, 0.1, -0.3, 0.3, 0.1, 0.0), (-0.1, 0.3, 0.2, -0.4, 0.3, -1.0)
    m.add(sp.Free("fly 1", m.ground.at(0), one.at(0), initial_rate=rates[0]))
    way = at[1] * np.array((np.cos(angle), np.sin(angle), 0.0))
    place = m.ground.at(*(at[0] - way[0], -way[1], 0.1 + gap), rotation=(0, 0, angle))
    m.add(sp.Free("fly 2", place, two.at(0), initial_rate=rates[1]))
    lines = sp.Line(one, radius=0.05), sp.Line(two, radius=0.05)
    m.add(sp.Contact("touch", *lines, law, friction))
    return m


def loop(friction: sp.RoundedFriction | None = None, elements: int = 4) -> sp.Model:
    """A beam along a helix of one turn and a half, whose turns overlap."""
    m = sp.Model(gravity=(0, 0, 0))
    angle = np.linspace(0.0, 3.0 * np.pi, 40)
    helix = np.stack([0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.08 * angle / (2.0 * np.pi)], 1)
    beam = m.add(sp.ANCFBeam("one", None, ROD, SOFT, elements, centre_line=helix))
    rates = (0.0, 0.0, 0.0, 0.1, 0.3, -0.2)
    m.add(sp.Free("fly", m.ground.at(0), beam.at(0), initial_rate=rates))
    line = sp.Line(beam, radius=0.05)
    m.add(sp.Contact("touch", line, line, LAW, friction))
    return m
