"""Models with rows that hold rates alone, and exact answers."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import supple as sp

MASS, INERTIA, ARM, SPEED = 1.0, 0.5, 0.4, 1.5  # kg, kg m2, m from the edge to the mass centre, m/s


def sleigh(x: float = 0.0) -> sp.Model:
    """Chaplygin's sleigh: a body on a plane with an edge behind its mass centre; no gravity."""
    m = sp.Model(gravity=(0, 0, 0))
    add_sleigh(m, "sleigh", 0.0)
    return m


def add_sleigh(m: sp.Model, name: str, y: float) -> None:
    """A sleigh that begins at (0, y), turning, with its edge at rest in its own direction."""
    body = m.add(sp.RigidBody(name, MASS, inertia=(0.3, 0.4, INERTIA)))
    w = SPEED / np.sqrt((INERTIA + MASS * ARM**2) / MASS)
    ice = m.ground.at(0, y)
    rates = (0.0, ARM * w, w)
    m.add(sp.Planar(f"{name} ice", ice, body.at(0), initial=(ARM, 0, 0), initial_rate=rates))
    m.add(sp.Blade(f"{name} edge", m.ground.at(0), body.at(-ARM), axis="y"))


def sleigh_at(t: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Place (x, y, angle), rates and lateral force of the sleigh at a time: closed form.

    The edge moves at V tanh(c t) along itself, the body turns at V/(b cosh(c t)).
    """
    b = np.sqrt((INERTIA + MASS * ARM**2) / MASS)
    c = ARM * SPEED / b**2

    def angle(s: float) -> float:
        return float(b / ARM * 2.0 * np.arctan(np.tanh(0.5 * c * s)))

    def way(s: float, _: np.ndarray) -> np.ndarray:
        return SPEED * np.tanh(c * s) * np.array([np.cos(angle(s)), np.sin(angle(s))])

    edge = np.zeros(2)
    if t > 0.0:
        options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
        edge = solve_ivp(way, (0.0, t), np.zeros(2), **options).y[:, -1]
    phi, v, w = angle(t), SPEED * np.tanh(c * t), SPEED / b / np.cosh(c * t)
    along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    place = np.array([*(edge + ARM * along), phi])
    rates = np.array([*(v * along + ARM * w * across), w])
    turning = -ARM / b**2 * v * w
    return place, rates, float(MASS * (v * w + ARM * turning))


def train(cars: int) -> sp.Model:
    """Carts on a plane, hinged to each other, each with an edge under its middle, and a spring."""
    m = sp.Model(gravity=(0, 0, 0))
    before = None
    for k in range(cars):
        body = m.add(sp.RigidBody(f"car{k}", 1.0 + 0.1 * k, inertia=(0.2, 0.2, 0.1)))
        if before is None:
            rates = (1.0, 0.0, 0.3)
            m.add(sp.Planar("road", m.ground.at(0), body.at(0), initial_rate=rates))
        else:
            bend = 0.3 * (-1) ** k
            hinge = sp.Revolute(f"hinge{k}", before.at(-0.5), body.at(0.5), "z", initial=bend)
            m.add(hinge)
            m.add(sp.JointSpring(f"spring{k}", hinge, stiffness=2.0, damping=0.0))
        m.add(sp.Blade(f"edge{k}", m.ground.at(0), body.at(-0.1), axis="y"))
        before = body
    return m


def differential() -> sp.Model:
    """Two wheels whose mean rate is that of a third one, as a differential has it, with springs."""
    m = sp.Model(gravity=(0, 0, 0))
    for k, name in enumerate(("left", "right", "ring")):
        wheel = m.add(sp.RigidBody(name, 1.0, inertia=(0.1 + 0.05 * k,) * 3))
        rate = (1.0, 3.0, 2.0)[k]
        joint = sp.Revolute(f"{name} axle", m.ground.at(k), wheel.at(0), "x", initial_rate=rate)
        m.add(joint)
        m.add(sp.JointSpring(f"{name} spring", joint, stiffness=0.4 + k, damping=0.0))
    terms = [("left axle", 0.5), ("right axle", 0.5), ("ring axle", -1.0)]
    m.add(sp.RateCoupling("differential", terms))
    return m
