"""Limp cables that hang with a free end: stable, stretched exactly, and swinging as chains do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import jn_zeros

import supple as sp
from supple.fem import stretch
from supple.fem.stretch import stretch_terms

E, AREA, DENSITY, LENGTH, G = 1e10, 1e-4, 8000.0, 10.0, 9.81
WEIGHT = DENSITY * AREA * G
STILL = WEIGHT * LENGTH**2 / 2 / (E * AREA)
MIDDLE, FIRST, LAST, ONE = (0.25, 0.5), (0.0, 0.5), (0.5, 1.0), (0.0, 1.0)


def line(EI: float, elements: int, kind: str = "mean") -> sp.Model:
    """A line of 10 m that hangs down from a pin; twist of a beam is stiff."""
    m = sp.Model(gravity=(G, 0, 0))
    section = sp.Section(AREA, EI / E, EI / E, 1e-8, shear=(0.8, 0.8))
    material = sp.Material(E=E, G=E / 2, density=DENSITY)
    cable = kind != "collocated"
    body = m.add((sp.Cable if cable else sp.GradientBeam)("line", LENGTH, section, material))
    m.replace("line", elements=elements, element=kind)
    m.add((sp.Spherical if cable else sp.Revolute)("pin", m.ground.at(0), body.at(0)))
    return m


# --------------------------------------------------------------------------- of one element


def on_slopes(tension: tuple[float, ...], ends: tuple[float, float]) -> np.ndarray:
    """Matrix (3, 3) of twice the energy per length that a tension has on d, c, b across the line.

    The tension has factors of Legendre's polynomials; means of their squares are 1, 1/3 and 1/5.
    """
    found = np.zeros((3, 3))
    for force, share, terms in zip(tension, (1, 1 / 3, 1 / 5), stretch_terms(ends), strict=False):
        for factor, a, b in terms:
            found[a, b] += force * share * factor
            found[b, a] += force * share * factor
    return found


def test_why_the_free_end_gave_way(monkeypatch):
    """With the mean strain the slope of the free end alone has the stiffness -w l^2/60."""
    monkeypatch.setattr(stretch, "BENT", 1 / 5)
    monkeypatch.setattr(stretch, "END", 0.0)
    own = on_slopes((1.0, -1.0), LAST)
    slope = stretch.stretch_rows(1.0)[:, 3]
    assert slope @ own @ slope == pytest.approx(-1 / 30)  # N0 = w l/2, and the energy has half
    # bending has 4 E I/l: what holds it up to E I = w l^3/240
    for factor, stable in ((0.5, False), (2.0, True)):
        m = line(factor * WEIGHT * (LENGTH / 4) ** 3 / 240, 4)
        assert sp.statics(m).stable is stable


@pytest.mark.parametrize("ends", [MIDDLE, FIRST, LAST, ONE])
def test_tension_holds_every_shape(ends):
    """Whatever the linear tension is, if it is nowhere negative: slopes have positive energy."""
    for change in np.linspace(-1.0, 1.0, 21):
        assert np.linalg.eigvalsh(on_slopes((1.0, change), ends))[0] > 0.02


def test_at_free_ends_the_energy_is_that_of_the_tension():
    """Of N (1 - x) r_x . r_x / 2 all products of d, c and b but b . b, which is larger."""
    x, w = np.polynomial.legendre.leggauss(6)
    rows = np.array([np.ones(6), x, 0.5 * (3 * x * x - 1)])
    for change, ends in ((-1.0, LAST), (-1.0, ONE), (1.0, FIRST), (1.0, ONE)):
        exact = 0.5 * (rows * w * (1 + change * x)) @ rows.T
        found = on_slopes((1.0, change), ends)
        np.testing.assert_allclose(found - exact, np.diag([0, 0, 2 / 5]), atol=1e-14)


@pytest.mark.parametrize("ends", [MIDDLE, FIRST, LAST, ONE])
def test_strain_is_exact_on_a_straight_element(ends):
    """To first order in the strain, and none if the element turns."""
    rng = np.random.default_rng(2)
    strain = rng.normal(size=3) * 1e-6
    parts = np.array([1.0 + strain[0], strain[1], strain[2]])
    found = [sum(f * parts[a] * parts[b] for f, a, b in terms) for terms in stretch_terms(ends)]
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


@pytest.mark.parametrize("elements", [1, 4, 8])
@pytest.mark.parametrize("place", [6.0, 9.0, 9.9])
def test_elements_of_unlike_length(elements, place):
    """A node near the free end: the element above it is longer, with the load of its weight."""
    m = line(1e-8, elements)
    m.add(sp.Force("speck", m["line"].at(place), (1e-6, 0, 0)))
    found = sp.statics(m)
    assert found.stable
    assert found["line"].at(LENGTH).position[0, 0] - LENGTH == pytest.approx(STILL, rel=3e-4)


# Errors of the first three frequencies; the third mode of few elements is beyond them.
BESSEL = {1: (1e-4, 0.09), 2: (5e-5, 7e-3), 4: (6e-5, 8e-4, 9e-3), 16: (3e-5, 5e-5, 3e-4)}


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
