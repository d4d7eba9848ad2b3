"""Balls that touch each other on places with and without axes: momentum and energy."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.foundation.errors import ModelError

STEEL = sp.Material(E=1e9, G=4e8, density=1000.0)


def hit(first: bool, second: bool, friction: sp.forces.ContactFriction | None) -> sp.Model:
    """Two balls that fly against each other; each is in the middle of a cable, or of a body."""
    m, balls = sp.Model(gravity=(0, 0, 0)), []
    for name, axes, z, v in (("a", first, 0.0, 0.5), ("b", second, 0.151, -2.0)):
        rates = (0.0, 0.0, 0.0, 0.4, 0.2 * z, v)
        if axes:
            body = m.add(sp.RigidBody(name, 0.3, inertia=1e-3))
            start, at = m.ground.at(0.5, 0, z), body.at(0)
            rates = (5.0, -7.0, 3.0, *rates[3:])
        else:
            body = m.add(sp.Cable(name, 1.0, sp.Circle(0.02), STEEL, elements=2))
            start, at = m.ground.at(0, 0, z), body.at(0)
        m.add(sp.Free(f"fly {name}", start, at, initial_rate=rates))
        place = body.at(0) if axes else body.at(0.5)
        size, more = (0.1, (0, 0, 0)) if name == "a" else (0.05, (0, 0, 0))
        balls.append(sp.Sphere(place, radius=size, position=more))
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.7, speed=2.0)
    m.add(sp.Contact("hit", *balls, law, friction))
    return m


@pytest.mark.parametrize("rubs", ["none", "bristle", "rounded"])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_balls_on_places_keep_momentum(first: bool, second: bool, rubs: str) -> None:
    """A force that acts on a place without axes beside its middle would lose its couple."""
    laws = {"none": None, "bristle": sp.Friction(0.4)}
    friction = laws.get(rubs, sp.RoundedFriction(0.4, transition=0.05))
    m = hit(first, second, friction)
    if friction is not None and not first and not second:
        with pytest.raises(ModelError, match=r"friction is .* on places without axes that turn"):
            sp.simulate(m, 0.01)
        return
    r = sp.simulate(m, 0.01, tolerance=1e-8)
    assert r["hit"].normal_force.max() > 10.0
    assert rubs == "none" or r["hit"].lost_by_friction[-1] > 1e-4
    for name in ("linear", "angular"):
        momentum = r.dataset[f"momentum.{name}"].values
        assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.abs(momentum[0]).max()
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic[0]
