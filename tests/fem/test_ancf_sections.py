"""Section forces and stress of beams and cables over nodal vectors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import supple as sp
from supple.fem.nodal.ancf_beam import BEAM_ELEMENTS

STEEL = sp.Material(E=210e9, G=80e9, density=7800.0)
SECTION = sp.Rectangle(0.02, 0.03)
LOAD, TORQUE = np.array([30.0, 400.0, -200.0]), np.array([20.0, 0.0, 0.0])


def clamped(element: str = "collocated", elements: int = 4, **loads) -> sp.Model:
    m = sp.Model(gravity=loads.get("gravity", (0, 0, 0)))
    arm = m.add(sp.ANCFBeam("arm", 1.0, SECTION, STEEL, elements, element=element))
    m.add(sp.Fixed("clamp", m.ground.at(0), arm.at(0)))
    if "force" in loads:
        m.add(sp.Force("tip", arm.at(1.0), loads["force"], loads.get("torque", (0, 0, 0))))
    return m


@pytest.mark.parametrize("element", BEAM_ELEMENTS)
@pytest.mark.parametrize("x", [0.0, 0.25, 0.6, 1.0])
def test_force_and_torque_at_the_end(element, x):
    """At any place what is beyond it holds: force, and moment about the deflected place."""
    found = sp.statics(clamped(element, force=LOAD, torque=TORQUE))
    view = found["arm"].at(x)
    arm = found["arm"].at(1.0).position[0] - view.position[0]
    R, moment = view.matrix[0], TORQUE + np.cross(arm, LOAD)
    forces = view.section_forces()
    expected = np.concatenate([R.T @ LOAD, R.T @ moment])
    assert np.abs(forces.values[0, :3] - expected[:3]).max() < 1e-8 * np.abs(LOAD).max()
    # between nodes the cubic of the moment follows the deflected axis to order 4
    bound = 1e-8 if x in (0.0, 0.25, 1.0) else 1e-6
    assert np.abs(forces.values[0, 3:] - expected[3:]).max() < bound * np.abs(LOAD).max()


def test_signs_are_those_of_a_beam():
    """The same loads on a Beam, at small deflections; and its stress."""
    m = sp.Model()
    rod = m.add(sp.Beam("rod", 1.0, SECTION, STEEL, elements=4))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("tip", rod.at(1.0), 1e-3 * LOAD, 1e-3 * TORQUE))
    expected = sp.statics(m)["rod"].at(0.25)
    found = sp.statics(clamped(force=1e-3 * LOAD, torque=1e-3 * TORQUE))["arm"].at(0.25)
    size = np.abs(expected.section_forces().values).max()
    gap = found.section_forces().values - expected.section_forces().values
    assert np.abs(gap).max() < 1e-4 * size  # the slope of 2e-5 turns the load against the section
    stress = expected.stress(0.01, -0.015)
    assert np.abs(found.stress(0.01, -0.015) - stress).max() < 1e-4 * np.abs(stress).max()
    assert found.von_mises() == pytest.approx(expected.von_mises(), rel=1e-4)


def test_weight_and_a_load_along_it():
    """Shear and moment of p per length, p (L - x) and p (L - x)^2/2, between nodes too."""
    p = 2.0
    m = clamped(gravity=(0, -9.81, 0))
    m.add(sp.DistributedLoad("snow", m.bodies["arm"].at(0), (0, -p, 0)))
    total = p + 9.81 * STEEL.density * 0.02 * 0.03
    result = sp.statics(m)
    for x in (0.0, 0.1, 0.5, 0.85):
        forces = result["arm"].at(x).section_forces()
        assert forces.Vy[0] == pytest.approx(-total * (1 - x), rel=1e-5)
        assert forces.Mz[0] == pytest.approx(-total * (1 - x) ** 2 / 2, rel=1e-4)
    again = pickle.loads(pickle.dumps(result["arm"].at(0.1)))
    assert again.section_forces().Mz[0] == result["arm"].at(0.1).section_forces().Mz[0]


def test_inertia_is_in_the_balance():
    """A run: what the hinge exerts is the section force at the place that hangs on it."""
    rubber = sp.Material(E=1e7, G=4e6, density=1000.0)
    m = sp.Model(gravity=(0, -9.81, 0))
    rope = m.add(sp.Cable("rope", 1.0, sp.Circle(0.02), rubber, elements=4))
    m.add(sp.Spherical("hinge", m.ground.at(0), rope.at(0)))
    m.add(sp.PointMass("bob", rope.at(1.0), 0.1))
    result = sp.simulate(m, 0.1, output=0.02, tolerance="loose")
    view = result["rope"].at(0.0)
    forces = view.section_forces()
    held = result["hinge"].force  # by the ground on the rope
    size = np.abs(held).max()
    strength = np.linalg.norm(forces.values[:, :3], axis=1)
    assert np.abs(np.linalg.norm(held, axis=1) - strength).max() < 1e-9 * size
    assert np.abs(forces.values[:, 3:]).max() < 1e-9 * size  # no moment at a ball joint
    tip = result["rope"].at(1.0)
    pull = 0.1 * (np.array([0, -9.81, 0]) - tip.acceleration)
    ends = tip.section_forces()
    assert np.linalg.norm(pull, axis=1) == pytest.approx(
        np.linalg.norm(ends.values[:, :3], axis=1), abs=1e-9 * size
    )
