"""Trusses, links and arches with exact paths of equilibria."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp

STEEL = sp.Material(E=200e9, G=80e9, density=7800)


def welded(m: sp.Model, count: int, section: Any, **given: Any) -> list[sp.Beam]:
    """Beams along x of 1 m in all, welded one behind the other."""
    length = 1.0 / count
    parts = [m.add(sp.Beam(f"part{k}", length, section, STEEL, 1, **given)) for k in range(count)]
    for k in range(1, count):
        m.add(sp.Fixed(f"weld{k}", parts[k - 1].at(length), parts[k].at(0)))
    return parts


def truss(load: float = 1.0, height: float = 0.2, stiffness: float = 100.0) -> sp.Model:
    """Von Mises' truss: two springs from supports at x = -1 and 1 m to a node that can fall."""
    m = sp.Model(name="truss")
    node = m.add(sp.RigidBody("node", 1.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Prismatic("fall", m.ground.at(0), node.at(0), axis="y", initial=height))
    for name, x in (("left", -1.0), ("right", 1.0)):
        length = np.hypot(1.0, height)
        m.add(sp.SpringDamper(name, m.ground.at(x), node.at(0), stiffness, length=length))
    m.add(sp.Force("push", node.at(0), force=(0, -load, 0)))
    return m


def pressed(y: Any, height: float = 0.2, stiffness: float = 100.0) -> Any:
    """Load at the height y of the node."""
    return 2.0 * stiffness * (np.hypot(1.0, height) / np.hypot(1.0, y) - 1.0) * y


def highest(height: float = 0.2) -> float:
    """Height of the node at the limit load: l^3 = L b^2."""
    return float(np.sqrt(np.hypot(1.0, height) ** (2.0 / 3.0) - 1.0))


def link(tilt: float = 0.0) -> sp.Model:
    """A rigid link of 1 m on a rotational spring of 3 N m, pressed by 1 N along it."""
    m = sp.Model(name="link")
    bar = m.add(sp.RigidBody("bar", 1.0, (0, 0.5, 0), 0.1))
    m.add(sp.Revolute("foot", m.ground.at(0), bar.at(0), axis="z"))
    m.add(sp.JointSpring("coil", "foot", stiffness=3.0, rest=tilt))
    m.add(sp.Force("press", bar.at(0, 1), force=(0, -1.0, 0)))
    return m
