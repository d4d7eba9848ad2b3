"""Loads along bodies over nodal vectors."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from oracles.energy_errors import energy_error, run
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations

SOFT = sp.Material(E=1e6, G=4e5, density=1000.0)
SECTION = sp.Rectangle(0.03, 0.03)
WEIGHT = np.array([0.3, -9.81, 1.0]) * SOFT.density * 0.03**2  # N/m
BODIES = {
    "cable": lambda: sp.Cable("arm", 2.0, SECTION, SOFT, 3),
    "beam": lambda: sp.ANCFBeam("arm", 2.0, SECTION, SOFT, 3),
}


def hung(make, gravity=(0, 0, 0)) -> sp.Model:
    m = sp.Model(gravity=gravity)
    arm = m.add(make())
    m.add(sp.Spherical("ball", m.ground.at(0), arm.at(0), (0.3, 0.2, 0.1), (1, 2, 3)))
    m.add(sp.Force("mark", arm.at(0.7), (0, 0, 0)))  # a node in all models
    return m


def residual(m: sp.Model) -> np.ndarray:
    eq = Equations(build(m))
    rng = np.random.default_rng(0)
    q, u = eq.retract(eq.q0, 0.1 * rng.normal(size=eq.nu)), rng.normal(size=eq.nu)
    return eq.residual(0.0, q, u, np.zeros(eq.nu))


@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
def test_a_load_like_weight_is_weight(make):
    """Spread over two loads, it enters the equations as gravity does."""
    heavy, loaded = hung(make, WEIGHT / (SOFT.density * 0.03**2)), hung(make)
    arm = loaded.bodies["arm"]
    loaded.add(sp.DistributedLoad("first", arm.at(0), WEIGHT, end=0.7))
    loaded.add(sp.DistributedLoad("second", arm.at(0.7), WEIGHT))
    expected, bare = residual(heavy), residual(hung(make))
    assert np.abs(expected - bare).max() > 0.1
    assert np.abs(residual(loaded) - expected).max() < 1e-13 * np.abs(expected).max()


def test_force_and_moment_of_a_triangle():
    """What a clamp holds of p (x - a)/(b - a) between a and b."""
    a, b, p = 0.3, 1.7, 1e-5
    m = sp.Model()
    arm = m.add(sp.ANCFBeam("arm", 2.0, SECTION, SOFT, 3))
    m.add(sp.Fixed("clamp", m.ground.at(0), arm.at(0)))
    m.add(sp.DistributedLoad("rain", arm.at(a), (0, p, 0), end=b, profile=(0, 1)))
    held = sp.statics(m)["clamp"]
    total = 0.5 * p * (b - a)
    assert held.force[0] == pytest.approx([0, -total, 0], rel=1e-6, abs=1e-6 * total)
    moment = total * (a + 2.0 * (b - a) / 3.0)
    assert held.torque[0] == pytest.approx([0, 0, -moment], rel=1e-6, abs=1e-6 * total)


@pytest.mark.filterwarnings("ignore:(Cable|ANCFBeam) 'arm'. (its strain|an element)")
@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
def test_work_of_a_load_is_counted(make):
    """A load that changes in time, over large steps of the energy scheme."""
    m = hung(make)
    m.add(sp.DistributedLoad("wind", m.bodies["arm"].at(0.7), ("3*t", 2.0, "sin(30*t)"), 1.6))
    result = run(m, 0.1, 0.01, output=0.01)
    assert abs(result.energy.work[-1]) > 1e-3 * result.energy.record.kinetic_max
    assert energy_error(result) < 1e-12
    assert np.diff(run(m, 0.1, 0.01, 1.0, output=0.01).energy.error).max() < 0.0


def test_a_force_that_turns_with_the_last_section():
    """Across the tip of a cantilever, k E I / L^2: the elastica is integrated from the tip on.

    In the axes of the tip the force is known and the moment is F times the distance along it, so
    that the clamp follows without shooting. Elements err by the square of their length, so that 16
    err by a quarter of what 8 do, and what is left beside this is of a higher order.
    """
    from scipy.integrate import solve_ivp

    k, E, side = 2.0, 2e11, 1e-3

    def backwards(s, y):
        return -np.cos(y[2]), -np.sin(y[2]), k * y[0]

    bent = solve_ivp(backwards, (0, 1), (0, 0, 0), rtol=1e-11, atol=1e-12).y[:, -1]
    c, s = np.cos(bent[2]), np.sin(bent[2])
    exact = np.array([[c, s], [-s, c]]) @ -bent[:2]
    errors = []
    for elements in (8, 16):
        m = sp.Model()
        material = sp.Material(E=E, G=E / 2.6, density=7800.0)
        rod = m.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(side, side), material, elements))
        m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
        m.add(sp.Force("tip", rod.at(1.0), (0, k * E * side**4 / 12, 0), axes="body"))
        found = sp.statics(m)
        assert found.success
        errors.append(found["rod"].at(1.0).position[0, :2] - exact)
    first, second = np.linalg.norm(errors, axis=1)
    assert first / second == pytest.approx(4.0, rel=0.3)
    assert np.linalg.norm(4.0 * errors[1] - errors[0]) / 3.0 < 0.1 * second
