"""Contact of flexible bodies along their axes and faces: momentum, energy, closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

STEEL = sp.Material(E=1e9, G=4e8, density=1000.0)
ROD = sp.Circle(0.02)
BODIES = {
    "Cable": lambda: sp.Cable("rod", 1.0, ROD, STEEL, elements=4),
    "ANCFBeam": lambda: sp.ANCFBeam("rod", 1.0, ROD, STEEL, elements=3),
    "Beam": lambda: sp.Beam("rod", 1.0, ROD, STEEL, modes=6),
    "Beam in parts": lambda: sp.Beam("rod", 1.0, ROD, STEEL, parts=3),
    "FrameStructure": lambda: sp.FrameStructure(
        "rod",
        {0: (0, 0, 0), 1: (0.45, 0, 0), 2: (0.65, 0, 0), 3: (1, 0, 0)},
        [sp.Member(k, k + 1, ROD, STEEL, elements=2) for k in range(3)],
    ),
    "ANCFPlate": lambda: sp.ANCFPlate("rod", (1.0, 0.2), 0.01, STEEL, elements=(4, 1)),
}


def collision(kind: str, friction: sp.forces.ContactFriction | None) -> sp.Model:
    """A ball that turns and hits a flexible body which flies."""
    m = sp.Model(gravity=(0, 0, 0))
    rod = m.add(BODIES[kind]())
    held = rod.at(0, 0, 0)
    m.add(sp.Free("flight", m.ground.at(0), held, initial_rate=(0, 0, 0, 0, 0.1, 0.2)))
    ball = m.add(sp.RigidBody("ball", 0.3, inertia=0.4 * 0.3 * 0.15**2))
    rates = (3, 20, 5, 0.3, 0.4, -3.0)
    m.add(sp.Free("air", m.ground.at(0.57, 0.03, 0.165), ball.at(0), initial_rate=rates))
    line = sp.Surface(rod, radius=0.01) if kind == "ANCFPlate" else sp.Line(rod, radius=0.01)
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.7, speed=3.0)
    m.add(sp.Contact("hit", line, sp.Sphere(ball.at(0), radius=0.15), law, friction))
    return m


@pytest.mark.parametrize("kind", BODIES)
def test_momentum_and_energy_of_a_collision(kind: str) -> None:
    rounded = sp.RoundedFriction(0.4, transition=0.05)
    friction = sp.Friction(0.4) if kind in ("Cable", "Beam") else rounded
    r = sp.simulate(collision(kind, friction), 0.01, tolerance=1e-8)
    hit = r["hit"]
    assert hit.normal_force.max() > 1.0 and hit.lost_by_push[-1] > 1e-3
    assert hit.lost_by_friction[-1] > 1e-3
    for name in ("linear", "angular"):
        momentum = r.dataset[f"momentum.{name}"].values
        assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.abs(momentum[0]).max()
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic[0]
