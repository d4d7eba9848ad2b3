"""Columns that buckle."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp
from models.trusses import STEEL, welded


def column(ends: str, count: int = 4, axes: Any = "world", stiffening: Any = "second_order") -> Any:
    """A column of 1 m pressed by its Euler load pi^2 E I / L^2, twice as high as thick."""
    m = sp.Model(name=ends)
    parts = welded(m, count, sp.Rectangle(0.01, 0.02), stiffening=stiffening)
    foot, top = parts[0].at(0), parts[-1].at(1.0 / count)
    if ends == "pinned":
        m.add(sp.Revolute("foot", m.ground.at(0), foot))
    else:
        m.add(sp.Fixed("foot", m.ground.at(0), foot))
    if ends in ("pinned", "propped"):
        shoe = m.add(sp.RigidBody("shoe", 1e-3, inertia=(1e-6, 1e-6, 1e-6)))
        m.add(sp.Prismatic("rail", m.ground.at(0), shoe.at(0), axis="x", initial=1.0))
        m.add(sp.Revolute("head", top, shoe.at(0)))
    elif ends == "clamped":
        m.add(sp.Prismatic("rail", m.ground.at(0), top, axis="x", initial=1.0))
    euler = np.pi**2 * STEEL.E * 0.02 * 0.01**3 / 12.0
    m.add(sp.Force("press", top, force=(-euler, 0, 0), axes=axes))
    return m
