"""Materials, sections and small models of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp

ALLOY = sp.Material(E=70e9, G=26e9, density=2700)
STEEL = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7800)
STRIP = sp.Rectangle(0.01, 0.02)  # 10 mm along y
EI = ALLOY.E * 0.02 * 0.01**3 / 12  # of the strip, bent in the plane x y
MASS = ALLOY.density * STRIP.area  # kg/m


def cantilever(
    force: tuple[float, float, float] = (0.0, 1.0, 0.0), at: float | None = None, **fields: Any
) -> sp.Model:
    """A strip of 1 m that is clamped at its origin, with a force at its end or at a station."""
    given: dict[str, Any] = {"length": 1.0, "section": STRIP, "material": ALLOY} | fields
    m = sp.Model()
    rod = m.add(sp.Beam("rod", **given))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    if any(force):
        m.add(sp.Force("load", rod.at(given["length"] if at is None else at), force))
    return m


def bridge(load: float = 10.0, **fields: Any) -> sp.Model:
    """A strip of 1 m on two hinges, of which one slides, with a force at its middle."""
    given: dict[str, Any] = {"length": 1.0, "section": STRIP, "material": ALLOY} | fields
    m = sp.Model()
    rod = m.add(sp.Beam("rod", **given))
    end = m.add(sp.RigidBody("end", 1e-3, inertia=1e-6))
    m.add(sp.Revolute("left", m.ground.at(0), rod.at(0)))
    m.add(sp.Prismatic("slide", m.ground.at(1), end.at(0), axis="x"))
    m.add(sp.Revolute("right", rod.at(1.0), end.at(0)))
    if load:
        m.add(sp.Force("load", rod.at(0.5), (0, load, 0)))
    return m


def tip(result: Any, axis: int = 1, name: str = "rod", place: float = 1.0) -> float:
    """Deflection of the end of a beam at the last time, m."""
    return float(result[name].at(place).deflection[-1][axis])


# Roots of cos x cosh x = -1 and = 1, squared: clamped and free beams (Euler and Bernoulli)
CLAMPED = np.array([3.516015269, 22.03449156, 61.69721441])
FREE = np.array([22.37328545, 61.67282286])


def frequency(coefficient: float, length: float = 1.0) -> float:
    """Frequency of bending in Hz, from the square of the wave number times the length."""
    return float(coefficient * np.sqrt(EI / MASS) / length**2 / (2 * np.pi))
