"""Beams in parts that bend about both axes and twist, against a rod by differential equations."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import supple as sp
from oracles.rod_oracle import rod_tip
from supple.bodies.discretisation import divided
from supple.foundation.poses import skew

STEEL = sp.Material(E=2.1e11, G=0.8e11, density=7800.0)
STRIP = sp.Rectangle(5e-3, 1e-3)
SQUARE = sp.Rectangle(1e-3, 1e-3)
TWIST = sp.reduction.SecondOrder(twist=True)
ROLL, RADIUS, RISE = 0.4, 0.5, 0.3
SLANT = np.hypot(RADIUS, RISE)


def helix(s):
    a = s / SLANT
    return np.array([RADIUS * np.sin(a), RADIUS * (1 - np.cos(a)), RISE * a])


def helix_curvature(s):
    """In sections that turn about the line by ROLL + 0.8 s^2: Frenet's normal turns by torsion."""
    a = RISE / SLANT**2 * s - ROLL - 0.8 * s**2
    bent = RADIUS / SLANT**2
    return 1.6 * s, -bent * np.sin(a), bent * np.cos(a)


def turned(angle):
    c, d = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -d], [0.0, d, c]])


def arc(s):
    return np.array([np.sin(s), 1 - np.cos(s), 0.0])


def stiffness(section):
    E, G = STEEL.E, STEEL.G
    return np.array([E * section.area, G * section.J, E * section.I_y, E * section.I_z])


# Length, section, force and torque at the tip, force per length, all in EI of the smaller side;
# options of the beam, curvature of the rod without load and its first axes.
CASES = {
    "helix": (1.0, STRIP, (1.5, 2.0, 3.0), (0, 0, 0), (0, 0, 0),
              {"centre_line": helix, "twist": lambda s: 0.8 * s**2, "roll": ROLL},
              helix_curvature, turned(ROLL)),
    "strip": (1.0, STRIP, (0, 8.0, 3.0), (0, 0, 0), (0, 0, 0),
              {"stiffening": TWIST}, lambda s: (0, 0, 0), np.eye(3)),
    "square": (1.0, SQUARE, (0, 3.0, 4.0), (1.0, 2.0, 0), (0, 0, 0),
               {"stiffening": TWIST}, lambda s: (0, 0, 0), np.eye(3)),
    "weight": (1.0, STRIP, (0, 0, 0), (0, 0, 0), (0, 10.0, 5.0),
               {"stiffening": TWIST}, lambda s: (0, 0, 0), np.eye(3)),
    "twisted": (1.0, STRIP, (0, 8.0, 4.0), (0, 0, 0), (0, 0, 0),
                {"twist": 0.5 * np.pi}, lambda s: (0.5 * np.pi, 0, 0), np.eye(3)),
    "curved": (0.5 * np.pi, STRIP, (0, 0, 4.0), (0, 0, 0), (0, 0, 0),
               {"centre_line": arc}, lambda s: (0, 0, 1.0), np.eye(3)),
}  # fmt: skip


def errors(case, numbers, **changes):
    """Distances of the tip from that of the rod, in lengths, and how far it has moved."""
    length, section, *loads, options, curvature, axes = CASES[case]
    unit = STEEL.E * min(section.I_y, section.I_z)
    force, torque, weight = (unit * np.array(x, dtype=float) for x in loads)
    beside = {"curvature": curvature, "axes": axes}
    exact = rod_tip(length, stiffness(section), force, torque, weight, **beside)
    found = []
    for parts in numbers:
        m = sp.Model()
        given = {"parts": parts} | options | changes
        beam = m.add(sp.Beam("beam", length, section, STEEL, **given))
        m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
        m.add(sp.Force("tip", beam.at(length), force, torque=torque))
        if np.any(weight):
            m.add(sp.DistributedLoad("weight", beam.at(0), weight))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            tip = sp.statics(m)["beam"].at(length)
            found.append(np.linalg.norm(tip.position[0] - exact) / length)
    return np.array(found), np.linalg.norm(tip.deflection[0]) / length


def test_the_order_is_four():
    """A helix of a strip, pre-twisted unevenly and rolled, far beyond small deflections."""
    found, moved = errors("helix", (4, 8))
    assert moved > 0.25
    assert found[0] < 1e-4
    assert np.log2(found[0] / found[1]) > 3.7


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_order_is_four_for_any_line_section_and_load(case):
    found, moved = errors(case, (4, 8, 16, 32))
    assert moved > 0.25
    assert found[0] < 2e-3
    assert np.all(np.log2(found[:-1] / found[1:]) > 3.7)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["strip", "curved"])
def test_the_order_is_two_without_twist_of_second_order(case):
    found, _ = errors(case, (8, 16), stiffening="second_order")
    assert np.log2(found[0] / found[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("roll", [0.0, 0.7])
def test_ends_of_a_part_are_right_to_the_fifth_power_of_its_length(roll):
    """Twist and curvatures k0 + k1 s, of any direction: its ends against each other."""
    k0, k1 = np.array([1.1, -0.7, 0.9]), np.array([0.8, 1.3, -0.6])

    def exact(length):
        def rate(s, y):
            R, (a, b, c) = y[:9].reshape(3, 3), k0 + k1 * (s - 0.5 * length)
            turn = R @ np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
            return np.concatenate([turn.ravel(), R[:, 0]])

        start = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
        y = solve_ivp(rate, (0, length), start, "DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
        return y[:9].reshape(3, 3), y[9:]

    def miss(length):
        options = {"parts": 1, "stiffening": TWIST, "roll": roll}
        beam = sp.Beam("beam", length, STRIP, STEEL, **options)
        part = divided(beam).part_bodies[0]
        stations = np.linspace(0.0, length, 4)
        field = part._reduced(())
        rows = np.concatenate([field.strain(x) for x in stations])
        k = [k0 + k1 * (x - 0.5 * length) for x in stations]
        strain = np.concatenate([(0.0, c, -b, a) for a, b, c in k])
        q = np.linalg.lstsq(rows, strain, rcond=None)[0]
        np.testing.assert_allclose(rows @ q, strain, atol=1e-12)
        places = [part.shown(part.at(x)) for x in (0.0, length)]
        moved = [place.motion(q, q, q)[0] for place in places]
        R = [expm(skew(x[3:])) for x in moved]
        arm = places[1].p0 - places[0].p0 + moved[1][:3] - moved[0][:3]
        turn, place = exact(length)
        return np.array([np.abs(R[0].T @ R[1] - turn).max(), np.abs(R[0].T @ arm - place).max()])

    coarse, fine = miss(0.2), miss(0.1)
    assert np.all(np.log2(coarse / fine) > 4.7)


def test_torsion_has_the_moment_of_statics_along_a_part():
    """A bent strip: the torque of the tip's force about the axis, at quarters of parts."""
    m = sp.Model()
    unit = STEEL.E * STRIP.I_y
    beam = m.add(sp.Beam("beam", 1.0, STRIP, STEEL, parts=8, stiffening=TWIST))
    m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
    force = unit * np.array([0.0, 8.0, 3.0])
    m.add(sp.Force("tip", beam.at(1.0), force))
    view = sp.statics(m)["beam"]
    tip = view.at(1.0).position[0]
    found, expected = [], []
    for x in (np.arange(32) + 0.5) / 32:
        here = view.at(x)
        found.append(here.section_forces().T[0])
        expected.append(here.matrix[0][:, 0] @ np.cross(tip - here.position[0], force))
    np.testing.assert_allclose(found, expected, atol=5e-3 * np.abs(expected).max())


def test_torsional_vibration_converges_with_the_fourth_power():
    """A shaft that is clamped at one end: the middle sections of parts have inertia."""
    shaft, length = sp.Circle(0.1), 1.0
    exact = 0.25 / length * np.sqrt(STEEL.G / STEEL.density)
    missed = []
    for parts in (1, 2):
        m = sp.Model()
        beam = m.add(sp.Beam("shaft", length, shaft, STEEL, parts=parts, stiffening=TWIST))
        m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
        missed.append(np.abs(sp.linearize(m).frequencies / exact - 1.0).min())
    assert np.log2(missed[0] / missed[1]) == pytest.approx(4.0, abs=0.3)


def test_middle_sections_of_an_unevenly_twisted_beam_at_rest():
    """Their axes as the part has them: a parabola of twist between its ends."""
    given = {"centre_line": helix, "twist": lambda s: 0.8 * s**2}
    missed = []
    for parts in (4, 8):
        beam = sp.Beam("beam", 1.0, STRIP, STEEL, parts=parts, **given)
        middle = 0.5 / parts
        on_line = beam.rest_pose(np.array([middle, 0.0, 0.0])).R
        missed.append(np.abs((on_line.T @ divided(beam).seen_rest(middle).R)[1, 2]))
    assert np.log2(missed[0] / missed[1]) > 2.7


def across(parts, aside, **options):
    """A strip bent in a plane, with a small force on edge: place of its tip there, what is told."""
    m = sp.Model()
    beam = m.add(sp.Beam("beam", 1.0, STRIP, STEEL, parts=parts, **options))
    m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
    m.add(sp.Force("tip", beam.at(1.0), STEEL.E * STRIP.I_y * np.array([0.0, aside, 3.0])))
    result = sp.statics(m)
    return result["beam"].at(1.0).position[0, 1], result.monitor


@pytest.mark.parametrize("parts", [2, 4, 8])
def test_a_free_end_is_told_to_be_too_stiff_across_the_plane_of_its_bending(parts):
    """However small the force: by 15 % with two parts, and the monitor's number is about that."""
    aside = 1e-3
    force = STEEL.E * STRIP.I_y * np.array([0.0, aside, 3.0])
    exact = rod_tip(1.0, stiffness(STRIP), force)[1]
    place, told = across(parts, aside)
    error, lost = exact / place - 1.0, [f.value for f in told.findings if f.what == "parts"]
    assert (error < 0.05) or told.level != "valid"
    if parts == 2:
        assert error > 0.15
        assert lost == [pytest.approx(error, rel=0.5)]
        assert "a free end across the plane of its bending" in told.verdict
        assert "or stiffening=SecondOrder(twist=True)" in told.verdict
    assert (told.level == "valid") == (parts == 8)


def test_a_free_end_that_stays_in_a_plane_or_twists_is_as_it_should_be():
    assert across(2, 0.0)[1].level == "valid"
    place, told = across(2, 1e-3, stiffening=TWIST)
    exact = rod_tip(1.0, stiffness(STRIP), STEEL.E * STRIP.I_y * np.array([0.0, 1e-3, 3.0]))[1]
    assert place == pytest.approx(exact, rel=0.05)
    assert told.level == "valid"
