"""Belts: the closed curve, its tension as laid, equilibrium on pulleys, friction that drives."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

RUBBER = sp.Material(E=1e9, G=4e8, density=1000.0)
THIN = 0.002  # m
AREA = 0.25 * np.pi * THIN**2
RADIUS, DISTANCE, TENSION, STIFFNESS = 0.1, 0.4, 30.0, 1e6


def belt(elements: int = 24, tension: float = TENSION, pulleys: object = None) -> sp.Belt:
    """A belt that is as deep in its pulleys as its tension presses it."""
    r = RADIUS + 0.5 * THIN - tension / (RADIUS * STIFFNESS)
    around = [(0, 0, r), (DISTANCE, 0, r)] if pulleys is None else pulleys
    damping = sp.Rayleigh(stiffness=1e-3)
    return sp.Belt("belt", around, sp.Circle(THIN), RUBBER, elements, tension, damping=damping)


def drive(elements: int = 24, friction: sp.forces.ContactFriction | None = None) -> sp.Model:
    """Two pulleys and a belt around them."""
    m = sp.Model(gravity=(0, 0, 0))
    band = m.add(belt(elements))
    m.add(sp.Free("air", m.ground.at(*band.begin), band.at(0)))
    law = sp.HuntCrossley(stiffness=STIFFNESS, exponent=1, restitution=0.5, speed=0.1)
    line = sp.Line(band, radius=0.5 * THIN)
    for k in range(2):
        wheel = m.add(sp.RigidBody(f"wheel{k}", 1.0, inertia=1e-3))
        m.add(sp.Revolute(f"axle{k}", m.ground.at(k * DISTANCE, 0, 0), wheel.at(0), "z"))
        side = sp.Cylinder(wheel.at(0), radius=RADIUS, length=0.5, axis="z")
        m.add(sp.Contact(f"grip{k}", line, side, law, friction))
    return m


def test_length_around_pulleys_open_and_crossed() -> None:
    r, R, d = 0.1, 0.15, 0.5
    tilt = np.arcsin((R - r) / d)
    open_length = 2 * d * np.cos(tilt) + np.pi * (R + r) + 2 * (R - r) * tilt
    assert belt(pulleys=[(0, 0, r), (d, 0, R)]).laid_length == pytest.approx(open_length, rel=1e-14)
    tilt = np.arcsin((R + r) / d)
    crossed = 2 * d * np.cos(tilt) + (R + r) * (np.pi + 2 * tilt)
    assert belt(pulleys=[(0, 0, r), (d, 0, -R)]).laid_length == pytest.approx(crossed, rel=1e-14)


def test_every_place_is_on_the_curve_and_found_again() -> None:
    band = belt(pulleys=[(0, 0, 0.1), (0.3, 0.2, -0.04), (0.6, 0, 0.12)])
    before = None
    for x in np.linspace(0.0, band.length, 201):
        place = band.rest_pose(np.array([x, 0, 0])).p
        if before is not None:  # a chord is not longer than its arc
            assert np.linalg.norm(place - before) <= band.laid_length / 200 * (1 + 1e-12)
        before = place
        away = band.nearest(place)[0] - x
        assert abs((away + 0.5 * band.length) % band.length - 0.5 * band.length) < 1e-6


def test_tension_as_laid() -> None:
    """In the straight parts the section force is the tension; there is none with no tension."""
    for tension in (0.0, 100.0):
        band = belt(tension=tension, elements=48)
        strain = 0.5 * (np.sum(band.mesh.rest[:, 1] ** 2, axis=1) - 1.0)
        force = RUBBER.E * AREA * strain * np.sqrt(1.0 + 2.0 * strain)
        assert force == pytest.approx(tension, rel=1e-9, abs=1e-9)


def test_pulleys_press_with_twice_the_tension() -> None:
    """The cut through both straight parts; belts are stiff against bending by 1e-3 of it."""
    s = sp.statics(drive(48))
    strain = s["belt"].axial_strain[0]
    nodes = s["belt"].nodes[0]
    straight = np.abs(nodes[:, 0] - 0.5 * DISTANCE) < 0.3 * DISTANCE
    pull = (RUBBER.E * AREA * strain * np.sqrt(1.0 + 2.0 * strain))[straight].mean()
    assert pull == pytest.approx(TENSION, rel=0.01)
    for k in range(2):
        force = abs(s[f"axle{k}"].force[0, 0])
        assert force == pytest.approx(2.0 * pull, rel=2e-3)
        assert s[f"grip{k}"].normal_force[0] == pytest.approx(np.pi * pull, rel=0.02)


@pytest.mark.slow
def test_a_pulley_drives_the_other() -> None:
    """The belt takes the second pulley along: angular momentum is that of the torque."""
    m = drive(24, sp.RoundedFriction(0.3, transition=1e-2))
    m.add(sp.JointEffort("motor", "axle0", 1.0))
    r = sp.simulate(m, 0.02, tolerance=1e-3)
    one, two = (r[f"axle{k}"].angle_rate[-1] for k in range(2))
    belt_mass = RUBBER.density * AREA * m["belt"].length
    whole = 2e-3 + belt_mass * RADIUS**2
    # sum of the moments of both pulleys about their axles, in which pulls of the spans cancel
    assert 0.5 * (one + two) * whole == pytest.approx(1.0 * 0.02, rel=0.03)
    assert two > 0.8 * one


def test_sentences() -> None:
    for wrong in ([(0, 0, 0.1)], [(0, 0, 0.1), (0.05, 0, 0.3)], [(0, 0, 0.1), (1, 0, 0.0)], "two"):
        with pytest.raises(sp.ModelError, match="pulleys"):
            belt(pulleys=wrong)
    with pytest.raises(sp.ModelError, match="tension"):
        belt(tension=-1.0)
    tapered = sp.TaperedSection(sp.Circle(0.01), sp.Circle(0.02))
    with pytest.raises(sp.ModelError, match="the same all along"):
        sp.Belt("belt", [(0, 0, 0.1), (0.5, 0, 0.1)], tapered, RUBBER)
    m = sp.Model()
    band = m.add(belt())
    car = m.add(sp.RigidBody("car", 1.0, inertia=1.0))
    with pytest.raises(sp.ModelError, match="with two ends"):
        sp.SlidingJoint("slide", band.at(0.1), car.at(0))
