"""Limp cables that hang with a free end: stable, stretched exactly, and swinging as chains do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import jn_zeros

import supple as sp
from supple.fem.nodal import stretch
from supple.fem.nodal.stretch import Beside, stretch_terms

E, AREA, DENSITY, LENGTH, G = 1e10, 1e-4, 8000.0, 10.0, 9.81
WEIGHT = DENSITY * AREA * G
STILL = WEIGHT * LENGTH**2 / 2 / (E * AREA)
MIDDLE, SHORT = Beside(False, False, False), Beside(False, False, True)
FIRST, LAST, ONE = (Beside(*at, False) for at in ((True, False), (False, True), (True, True)))


def line(EI: float, elements: int, kind: str = "mean") -> sp.Model:
    """A line of 10 m that hangs down from a pin; twist of a beam is stiff."""
    m = sp.Model(gravity=(G, 0, 0))
    section = sp.Section(AREA, EI / E, EI / E, 1e-8, shear=(0.8, 0.8))
    material = sp.Material(E=E, G=E / 2, density=DENSITY)
    cable = kind != "collocated"
    body = m.add((sp.Cable if cable else sp.ANCFBeam)("line", LENGTH, section, material))
    m.replace("line", elements=elements, element=kind)
    m.add((sp.Spherical if cable else sp.Revolute)("pin", m.ground.at(0), body.at(0)))
    return m


# --------------------------------------------------------------------------- of one element


def on_slopes(tension: tuple[float, ...], beside: Beside) -> np.ndarray:
    """Matrix (3, 3) of twice the energy per length that a tension has on d, c, b across the line.

    The tension has factors of Legendre's polynomials; means of their squares are 1, 1/3 and 1/5.
    """
    found = np.zeros((3, 3))
    for force, share, terms in zip(tension, (1, 1 / 3, 1 / 5), stretch_terms(beside), strict=False):
        for factor, a, b in terms:
            found[a, b] += force * share * factor
            found[b, a] += force * share * factor
    return found


def test_why_the_free_end_gave_way(monkeypatch):
    """With the mean strain the slope of the free end alone has the stiffness -w l^2/60."""
    monkeypatch.setattr(stretch, "END", 0.0)
    own = on_slopes((1.0, -1.0), LAST)
    slope = stretch.stretch_rows(1.0)[:, 3]
    assert slope @ own @ slope == pytest.approx(-1 / 30)  # N0 = w l/2, and the energy has half
    # bending has 4 E I/l: what holds it up to E I = w l^3/240
    for factor, stable in ((0.5, False), (2.0, True)):
        m = line(factor * WEIGHT * (LENGTH / 4) ** 3 / 240, 4)
        assert sp.statics(m).stable is stable


@pytest.mark.parametrize(
    ("beside", "least", "most"),
    [(MIDDLE, -0.7, 0.7), (SHORT, -1, 1), (FIRST, -0.7, 1), (LAST, -1, 0.7), (ONE, -1, 1)],
)
def test_tension_holds_every_shape(beside, least, most):
    """If a linear tension is nowhere negative, and falls to nothing at ends of the line only."""
    for change in np.linspace(least, most, 21):
        assert np.linalg.eigvalsh(on_slopes((1.0, change), beside))[0] > 1e-3
    if beside is MIDDLE:
        assert np.linalg.eigvalsh(on_slopes((1.0, 0.72), beside))[0] < 0.0


def test_at_free_ends_the_energy_is_that_of_the_tension():
    """The mean of N (1 - x) r_x . r_x."""
    x, w = np.polynomial.legendre.leggauss(6)
    rows = np.array([np.ones(6), x, 0.5 * (3 * x * x - 1)])
    for change, beside in ((-1.0, LAST), (-1.0, ONE), (1.0, FIRST), (1.0, ONE)):
        exact = 0.5 * (rows * w * (1 + change * x)) @ rows.T
        np.testing.assert_allclose(on_slopes((1.0, change), beside), exact, atol=1e-14)


@pytest.mark.parametrize("beside", [MIDDLE, SHORT, FIRST, LAST, ONE])
def test_strain_is_exact_on_a_straight_element(beside):
    """To first order in the strain."""
    rng = np.random.default_rng(2)
    strain = rng.normal(size=3) * 1e-6
    parts = np.array([1.0 + strain[0], strain[1], strain[2]])
    found = [sum(f * parts[a] * parts[b] for f, a, b in terms) for terms in stretch_terms(beside)]
    np.testing.assert_allclose(np.array(found) - [0.5, 0, 0], strain, atol=1e-11)


# ------------------------------------------------------------------------------- hanging down


@pytest.mark.parametrize("kind", ["mean", "collocated"])
@pytest.mark.parametrize("EI", [1e-9, 1e-6, 1e-4, 1e-2, 1.0])
def test_it_hangs_straight(kind, EI):
    for elements in (1, 2, 3, 5, 8, 16):
        found = sp.statics(line(EI, elements, kind))
        assert found.stable and found.message.startswith("equilibrium found"), found.message
        place = found["line"].at(LENGTH).position[0]
        assert place[0] - LENGTH == pytest.approx(STILL, rel=3e-4)
        assert np.abs(place[1:]).max() < 1e-9
        assert found.monitor.level == "valid"


@pytest.mark.parametrize("EI", [1e-6, 1e-3])
def test_it_comes_to_hang_from_the_side(EI):
    """Statics that begins far from the vertical finds the line straight, not with a folded end."""
    for elements in (1, 2, 4, 8):
        m = line(EI, elements)
        m.replace("pin", initial=(0, 0, 1.2))
        found = sp.statics(m)
        assert found.success and found.stable, found.message
        place = found["line"].at(LENGTH).position[0]
        np.testing.assert_allclose(place, [LENGTH + STILL, 0, 0], atol=1e-6)


@pytest.mark.parametrize("elements", [1, 4, 8])
@pytest.mark.parametrize("place", [6.0, 9.0, 9.9])
def test_elements_of_unlike_length(elements, place):
    """A node near the free end: the element above it is longer, with the load of its weight."""
    m = line(1e-8, elements)
    m.add(sp.Force("speck", m["line"].at(place), (1e-6, 0, 0)))
    found = sp.statics(m)
    assert found.stable
    assert found["line"].at(LENGTH).position[0, 0] - LENGTH == pytest.approx(STILL, rel=3e-4)


@pytest.mark.parametrize("elements", [1, 2, 3, 4, 8])
def test_lines_that_taper(elements):
    """To a tenth of the diameter: little weight is below the last elements but one."""
    m = line(1.0, elements)
    m.replace("line", section=sp.TaperedSection(sp.Circle(0.01), sp.Circle(0.001)))
    found = sp.statics(m)
    assert found.stable and found.message.startswith("equilibrium found"), found.message


# Errors of the first three frequencies; the third mode of few elements is beyond them.
BESSEL = {1: (3e-5, 4e-3), 2: (3e-5, 2e-4, 0.011), 4: (8e-5, 4e-3, 5e-3), 16: (3e-5, 2e-4, 1e-3)}


@pytest.mark.parametrize("EI", [1e-9, 1e-6])
@pytest.mark.parametrize("elements", BESSEL)
def test_it_swings_as_a_chain(elements, EI):
    """j/2 sqrt(g/L) with the zeros j of J_0; the stretch lowers them by 2e-5."""
    m = line(EI, elements)
    found = np.sort(2 * np.pi * sp.linearize(m, sp.statics(m)).frequencies)
    limits = BESSEL[elements]
    exact = jn_zeros(0, len(limits)) / 2 * np.sqrt(G / LENGTH)
    for k in (0, 1):  # in two planes
        error = np.abs(found[k : 2 * len(limits) : 2] / exact - 1.0)
        assert np.all(error < limits)


def spun(EI: float, elements: int) -> Any:
    """A line that turns about its pinned end with 3 rad/s; a tap to the side at the free end."""
    m = line(EI, elements)
    m.gravity = (0, 0, 0)
    m.replace("pin", initial_rate=(0, 0, 3.0))
    m.add(sp.Force("tap", m["line"].at(LENGTH), (0, 0, "1e-4 * exp(-10 * t)")))
    return sp.simulate(m, 6.0, output=60)


def test_a_limp_line_that_spins_stays_straight():
    """What the spin stretches, holds the free end, too; a slope that gives way would fold it."""
    run = spun(1e-6, 3)
    x, y, z = run["line"].at(LENGTH).position.T
    np.testing.assert_allclose(np.hypot(x, y), LENGTH, rtol=2e-3)
    assert np.abs(z).max() < 1e-3
    ends = np.linalg.norm(run["line"].vectors[:, -1, 1], axis=1)
    np.testing.assert_allclose(ends, 1.0, atol=2e-3)
