"""Rolling on a hard plane: Radau predicts the contact within a step, however fast it turns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple as sp

RING, SECTION, MASS, G = 0.3, 0.02, 1.0, 9.81


def wheel(
    friction: sp.Friction | sp.RoundedFriction | None,
    tilt: float,
    turning: tuple[float, float, float],
    along: float = 0.0,
) -> sp.Model:
    """A ring that rolls without slip, or with the speed ``along`` (m/s) more, and wobbles."""
    m = sp.Model(gravity=(0, 0, -G))
    inertia = MASS * RING**2 * np.array([0.25, 0.25, 0.5])
    b = m.add(sp.RigidBody("wheel", MASS, inertia=inertia))
    R = Rotation.from_rotvec((np.pi / 2 - tilt, 0, 0)).as_matrix()
    law = sp.HuntCrossley(0.5, 0.1, stiffness=1e8)
    lowest = -RING * np.array([0, np.sin(tilt), np.cos(tilt)]) - (0, 0, SECTION)
    height = -lowest[2] - (MASS * G / law.stiffness) ** (2 / 3)
    speed = R.T @ (along, 0, 0) - np.cross(turning, R.T @ lowest)
    place = m.ground.at(0, 0, height, rotation=(np.pi / 2 - tilt, 0, 0))
    m.add(sp.Free("air", place, b.at(0), initial_rate=(*turning, *speed)))
    ring = sp.Torus(b.at(0), radius=RING, section=SECTION, axis="z")
    m.add(sp.Contact("patch", ring, sp.Plane(m.ground.at(0)), law, friction))
    return m


def run(m: sp.Model, tolerance: float = 1e-4, **more) -> sp.results.Result:
    r = sp.simulate(m, 1.0, tolerance=tolerance, output=5, **more)
    assert r.success, r.message
    return r


RUBS = {"bristle": sp.Friction(0.5), "rounded": sp.RoundedFriction(0.5, transition=1e-2)}


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
@pytest.mark.parametrize("friction", RUBS)
def test_a_wheel_rolls_and_wobbles(friction: str, tolerance: float) -> None:
    """Newton's iteration converges in the steps that the error allows."""
    m = wheel(RUBS[friction], 0.2, (1.0, 0.0, 20.0))
    r, other = run(m, tolerance), run(m, tolerance, integrator=sp.DormandPrince())
    counts = r.statistics
    assert counts["newton_failures"] < 0.25 * counts["steps"]
    assert counts["steps"] < 600
    assert np.abs(r["wheel"].position[-1] - other["wheel"].position[-1]).max() < 10 * tolerance


def test_a_uniform_velocity_costs_no_steps() -> None:
    """A wheel that turns without friction, on the spot and moved along: one motion but for that."""
    steps = []
    for along in (0.0, 20.0 * (RING + SECTION)):
        r = run(wheel(None, 0.0, (0.0, 0.0, 20.0), along))
        steps.append(r.statistics["steps"] + r.statistics["newton_failures"])
        ahead = along - 20.0 * (RING + SECTION)
        assert r["wheel"].position[-1, 0] == pytest.approx(ahead, abs=1e-3)
    assert max(steps) < 2 * min(steps)
