"""Cables and gradient beams that hang: they stretch by their weight and swing as chains do."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import jn_zeros

import supple as sp

E, AREA, DENSITY, LENGTH, G = 1e10, 1e-4, 8000.0, 10.0, 9.81
KINDS = ("mean", "two_points", "collocated")


def line(kind: str, EI: float, elements: int, turned: bool = True, **options: Any) -> sp.Model:
    """A line of 10 m, pinned at its upper end, along gravity as the model is written or turned."""
    m = sp.Model(gravity=(0, -G, 0) if turned else (G, 0, 0))
    section = sp.Section(AREA, EI / E, EI / E, 2 * EI / E, shear=(0.8, 0.8))
    kinds = sp.ANCFBeam if kind == "collocated" else sp.Cable
    material = sp.Material(E=E, G=E / 2, density=DENSITY)
    body = m.add(kinds("line", LENGTH, section, material, elements, kind, **options))
    down = (0, 0, -np.pi / 2) if turned else (0, 0, 0)
    m.add(sp.Spherical("pin", m.ground.at(0), body.at(0), initial=down))
    return m


def stretch(strain: Any) -> Any:
    """Elongation per length of Green's strain."""
    return np.sqrt(1.0 + 2.0 * np.asarray(strain)) - 1.0


@pytest.mark.parametrize("EI", [1e-6, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_it_stretches_by_its_weight(kind, EI):
    """E A e = rho A g (L - x) with Green's strain e: exact with any number of elements."""
    for elements in (1, 5, 16):
        result = sp.statics(line(kind, EI, elements))
        s = np.linspace(0.0, LENGTH, 2001)
        exact = np.trapezoid(stretch(DENSITY * G * (LENGTH - s) / E), s)
        fallen = -result["line"].at(LENGTH).position[0, 1] - LENGTH
        # the force is along a stretched line: second order in the strain of 8e-5
        assert fallen == pytest.approx(exact, rel=3e-4)
        for x in (0.0, 2.3, 5.0, LENGTH):
            strain = result["line"].at(x).axial_strain[0]
            assert strain == pytest.approx(DENSITY * G * (LENGTH - x) / E, abs=3e-4 * 8e-5)
        assert result.monitor.level == "valid"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("EI", [1e-6, 1.0])
def test_a_load_that_grows_along_it(kind, EI):
    """It makes slopes that are longer alike at all nodes, which two Gauss points do not see."""
    for elements in (5, 16):
        m = line(kind, EI, elements)
        m.gravity = (0, 0, 0)
        body = m["line"]
        m.add(sp.DistributedLoad("pull", body.at(0), force=(0, -10.0, 0), profile=(0, 1)))
        result = sp.statics(m)
        fallen = -result["line"].at(LENGTH).position[0, 1] - LENGTH
        assert fallen == pytest.approx(10.0 * LENGTH**2 / 3 / (E * AREA), rel=1e-4)
        for x in (0.0, 5.0, LENGTH):
            exact = 10.0 * (LENGTH**2 - x**2) / (2 * LENGTH) / (E * AREA)
            strain = result["line"].at(x).axial_strain[0]
            assert strain == pytest.approx(exact, abs=2e-3 * 5e-5)  # a parabola of each element
        assert result.monitor.level == "valid"


@pytest.mark.parametrize("turned", [True, False])
def test_a_chain_swings_with_the_zeros_of_bessel(turned):
    """Frequencies j/2 sqrt(g/L) with the zeros j of J_0; the stretch lowers them by 2e-5."""
    exact = jn_zeros(0, 3) / 2 * np.sqrt(G / LENGTH)
    errors = []
    for elements in (8, 16, 32, 64):
        m = line("mean", 1e-6, elements, turned)
        found = sp.linearize(m, sp.statics(m))
        assert not found.rigid_modes and found.monitor.level == "valid"
        pairs = np.sort(2 * np.pi * found.frequencies)[:6].reshape(3, 2)
        assert np.ptp(pairs, axis=1).max() < 1e-6
        errors.append(np.abs(pairs.mean(axis=1) / exact - 1.0))
    assert errors[-1].max() < 4e-5 and errors[-2].max() < 1.5e-4
    assert errors[0].max() < 4e-3 and errors[0][0] < 5e-5
    stretched = 2e-5
    for coarse, fine in pairwise(errors):
        assert fine[2] - stretched < (coarse[2] - stretched) / 3.5


def test_it_vibrates_along_itself_and_keeps_energy_and_momentum():
    """Let go without stretch, it oscillates about the stretched length with sqrt(E/rho)/(4 L)."""
    m = line("mean", 1e-6, 8)
    period = 4 * LENGTH / np.sqrt(E / DENSITY)
    run = sp.simulate(m, period, tolerance=1e-8, output=64)
    fallen = -run["line"].at(LENGTH).position[:, 1] - LENGTH
    still = DENSITY * G * LENGTH**2 / 2 / E
    assert fallen[32] == pytest.approx(2 * still, rel=0.02)
    assert abs(fallen[-1]) < 0.02 * still
    assert run.energy.record.max_error < 1e-5 * run.energy.strain.max()
    free = sp.Model()
    material = sp.Material(E=1e7, G=5e6, density=1000.0)
    rope = free.add(sp.Cable("rope", 2.0, sp.Circle(0.02), material, elements=6))
    free.add(sp.Free("free", free.ground.at(0), rope.at(0), initial_rate=(0.3, 1, 4, 1, 0, 2)))
    flown = sp.simulate(free, 0.5, tolerance=1e-8, output=20)
    assert max(momentum.ratio for momentum in flown.momentum) < 1e-6
    assert flown.energy.record.max_error < 1e-6 * flown.energy.record.kinetic_max


def test_a_catenary_of_few_elements():
    """Ends at 8 m of a line of 10 m; elements that turn by up to 0.6 rad are right to 0.1 %."""
    from scipy.optimize import brentq

    a = brentq(lambda a: 2 * a * np.sinh(4.0 / a) - LENGTH, 1.0, 50.0)
    for elements, level in ((4, "doubtful"), (8, "valid")):
        m = sp.Model(gravity=(0, -G, 0))
        section = sp.Section(AREA, 1e-13, 1e-13, 2e-13)
        material = sp.Material(E=E, G=E / 2, density=DENSITY)
        rope = m.add(sp.Cable("rope", LENGTH, section, material, elements))
        m.add(sp.Spherical("left", m.ground.at(0), rope.at(0)))
        m.add(sp.Spherical("right", m.ground.at(8.0), rope.at(LENGTH)))
        found = sp.statics(m)
        sag = -found["rope"].at(LENGTH / 2).position[0, 1] / (a * (np.cosh(4.0 / a) - 1)) - 1.0
        assert abs(sag) < (1e-3 if level == "valid" else 5e-3) and found.monitor.level == level


def test_a_tapered_line_stretches_exactly_under_a_force():
    """A force along the line: flexibilities of the section add up."""
    thick, thin = sp.Circle(0.02), sp.Circle(0.01)
    material = sp.Material(E=E, G=E / 2, density=DENSITY)
    for body in (sp.Cable, sp.ANCFBeam):
        m = sp.Model()
        rope = m.add(body("rope", 2.0, sp.TaperedSection(thick, thin), material, elements=2))
        m.add(sp.Spherical("pin", m.ground.at(0), rope.at(0)))
        m.add(sp.Force("pull", rope.at(2.0), (100.0, 0, 0)))
        found = sp.statics(m)["rope"].at(2.0).displacement[0, 0]
        exact = 100.0 * 2.0 / (E * np.pi / 4 * 0.02 * 0.01)  # of a cone
        assert found == pytest.approx(exact, rel=1e-3)
