"""Beams with shear and beams whose section changes: exact statics and exact frequencies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import iv, jv, kv, yv

from supple.bodies.beam.beam import Beam
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.sections.sections import Box, Circle, ISection, Rectangle, Section, TaperedSection
from supple.reduction.modes import rigid_motions

STEEL = Material(E=210e9, G=81e9, density=7850)
L = 1.2
DEEP = Rectangle(0.15, 0.3)
TAPER = TaperedSection(Rectangle(0.04, 0.10), Rectangle(0.03, 0.05))


def mesh(section: Any = DEEP, elements: int = 3, **options: Any) -> BeamMesh:
    options.setdefault("theory", "timoshenko")
    options = {"material": STEEL, "length": L} | options
    return BeamMesh(section=section, elements=elements, **options)


def shear_stiffness(section: Any) -> tuple[float, float]:
    y, z = section.shear_coefficients(STEEL.poisson)
    return y * STEEL.G * section.area, z * STEEL.G * section.area


@pytest.mark.parametrize("elements", [1, 4])
@pytest.mark.parametrize("roll", [0.0, 0.5])
def test_tip_flexibility_is_exact(elements: int, roll: float) -> None:
    tip = np.linalg.inv(mesh(elements=elements, roll=roll).stiffness_matrix[6:, 6:])[-6:, -6:]
    y, z = STEEL.E * DEEP.I_z, STEEL.E * DEEP.I_y
    along_y, along_z = shear_stiffness(DEEP)
    bent = L**3 / (3 * y) + L / along_y, L**3 / (3 * z) + L / along_z
    stretch, twist = L / (STEEL.E * DEEP.area), L / (STEEL.G * DEEP.J)
    exact = np.diag([stretch, *bent, twist, L / z, L / y])
    exact[1, 5] = exact[5, 1] = L**2 / (2 * y)
    exact[2, 4] = exact[4, 2] = -(L**2) / (2 * z)
    c, s = math.cos(roll), math.sin(roll)
    turn = np.kron(np.eye(2), [[1.0, 0, 0], [0, c, -s], [0, s, c]])
    np.testing.assert_allclose(tip, turn @ exact @ turn.T, atol=1e-10 * np.abs(tip).max())


def test_stiffness_is_the_classical_one() -> None:
    # E I / (L^3 (1 + p)) [12, 6 L; 6 L, (4 + p) L^2], (2 - p) L^2: Przemieniecki.
    K = mesh(elements=1).stiffness_matrix
    for plane, second, stiff in (
        ([1, 5, 7, 11], DEEP.I_z, shear_stiffness(DEEP)[0]),
        ([2, 4, 8, 10], DEEP.I_y, shear_stiffness(DEEP)[1]),
    ):
        p = 12 * STEEL.E * second / (stiff * L**2)
        pattern = np.array(
            [[12, 6 * L, -12, 6 * L], [6 * L, (4 + p) * L**2, -6 * L, (2 - p) * L**2],
             [-12, -6 * L, 12, -6 * L], [6 * L, (2 - p) * L**2, -6 * L, (4 + p) * L**2]]
        )  # fmt: skip
        sign = np.array([1, 1, 1, 1] if plane[1] == 5 else [1, -1, 1, -1])
        exact = STEEL.E * second / (L**3 * (1 + p)) * pattern * np.outer(sign, sign)
        np.testing.assert_allclose(K[np.ix_(plane, plane)], exact, rtol=1e-11)


def exact_simply_supported(section: Any, second: float, shear: float, k: float) -> float:
    """Lower angular frequency of the wave number k of a Timoshenko beam on two pins."""
    rho, A = STEEL.density, section.area
    a = rho * A * rho * second / shear
    b = rho * A + (rho * second + STEEL.E * second * rho * A / shear) * k**2
    c = STEEL.E * second * k**4
    return math.sqrt(2 * c / (b + math.sqrt(b * b - 4 * a * c)))


def test_simply_supported_frequencies_converge_to_the_closed_form() -> None:
    errors = []
    for elements in (12, 24):
        beam = Beam("b", L, DEEP, STEEL, elements, reference="chord", theory="timoshenko")
        w = 2 * math.pi * beam.modal().frequencies
        row = []
        for n in (1, 2, 3):
            for second, shear in zip((DEEP.I_z, DEEP.I_y), shear_stiffness(DEEP), strict=True):
                exact = exact_simply_supported(DEEP, second, shear, n * math.pi / L)
                row.append(np.abs(w**2 / exact**2 - 1.0).min())
        errors.append(row)
    coarse, fine = np.array(errors)
    # The shear strain is constant in each element, so its energy errs with the square of the size.
    np.testing.assert_allclose(np.log2(coarse / fine), 2.0, atol=0.1)
    # What is left after extrapolation is of order 4: (k h)^4 with k h = 3 pi / 24 at most.
    assert np.abs(4 * fine - coarse).max() / 3 < (3 * math.pi / 24) ** 4 / 100
    assert exact_simply_supported(DEEP, DEEP.I_y, shear_stiffness(DEEP)[1], 3 * math.pi / L) < (
        0.7 * math.sqrt(STEEL.E * DEEP.I_y / (STEEL.density * DEEP.area)) * (3 * math.pi / L) ** 2
    ), "shear and rotary inertia matter here"


def test_slender_beams_do_not_lock() -> None:
    # The shear ratio 12 E I / (k G A h^2) is 5e-12 here: beams of both theories are the same.
    thin = Rectangle(1e-6, 1e-6)
    for name in ("stiffness_matrix", "mass_matrix"):
        with_shear, without = (
            getattr(mesh(thin, 2, theory=t), name) for t in ("timoshenko", "euler_bernoulli")
        )
        scale = np.sqrt(np.outer(np.diag(without), np.diag(without)))
        assert np.abs((with_shear - without) / scale).max() < 1e-9
    frequencies = [
        Beam("b", L, thin, STEEL, 4, modes=6, theory=t).modal().frequencies
        for t in ("timoshenko", "euler_bernoulli")
    ]
    np.testing.assert_allclose(frequencies[0], frequencies[1], rtol=1e-9)


@pytest.mark.parametrize("theory", ["timoshenko", "euler_bernoulli"])
@pytest.mark.parametrize("section", [DEEP, TAPER], ids=["uniform", "tapered"])
def test_rigid_motions_and_patch(theory: Any, section: Any) -> None:
    beam = mesh(section, theory=theory, roll=0.4, point_masses=((0.31, 2.0),))
    K, M = beam.stiffness_matrix, beam.mass_matrix
    rigid = rigid_motions(beam.nodes)
    assert np.abs(K @ rigid).max() < 1e-11 * np.abs(K).max()
    basis = np.random.default_rng(3).normal(size=(beam.size, 5))
    mass, place, shape = beam.material_points(np.hstack([rigid, basis]))
    np.testing.assert_allclose(
        np.einsum("k,kib,kia->ba", mass, shape, shape),
        np.hstack([rigid, basis]).T @ M @ np.hstack([rigid, basis]),
        rtol=1e-12, atol=1e-12 * mass.sum(),
    )  # fmt: skip
    for axis in range(3):
        np.testing.assert_allclose(
            shape[:, :, 3 + axis], np.cross(np.eye(3)[axis], place), atol=1e-13
        )
    for x in (0.0, 0.2, 0.55, L):
        np.testing.assert_allclose(beam.rotation(x) @ rigid, np.eye(6)[3:], atol=1e-13)
        assert np.abs(beam.strain(x) @ rigid).max() < 1e-12
        assert np.abs(beam.shear(x) @ rigid).max() < 1e-12
    if section is TAPER:
        return
    # Bending with constant moment has no shear strain, in any axes of the section.
    x = beam.nodes[:, 0]
    kv_, kw, e, kt = 2e-2, -3e-2, 1e-3, 4e-2
    nodal = np.stack([e * x, kv_ * x**2 / 2, kw * x**2 / 2, kt * x, -kw * x, kv_ * x], 1).ravel()
    for station in (0.0, 0.17, 0.6, L):
        np.testing.assert_allclose(beam.strain(station) @ nodal, [e, kv_, kw, kt], rtol=1e-9)
        np.testing.assert_allclose(beam.shear(station) @ nodal, 0.0, atol=1e-15)


def test_shear_strain_of_a_tip_load() -> None:
    beam = mesh(roll=0.3)
    load = np.array([0.0, 2e4, -3e4])
    q = np.zeros(beam.size)
    q[6:] = np.linalg.solve(beam.stiffness_matrix[6:, 6:], np.r_[np.zeros(12), load, 0, 0, 0])
    c, s = math.cos(0.3), math.sin(0.3)
    turn = np.array([[c, -s], [s, c]])
    exact = turn @ (turn.T @ load[1:] / shear_stiffness(DEEP))
    moment = turn @ (turn.T @ load[1:] / (STEEL.E * np.array([DEEP.I_z, DEEP.I_y])))
    for x in (0.1, 0.7, 1.1):
        np.testing.assert_allclose(beam.shear(x) @ q, exact, rtol=1e-9)
        np.testing.assert_allclose((beam.strain(x) @ q)[1:3], (L - x) * moment, rtol=1e-9)


# ---------------------------------------------------------------------------- changing sections


def test_mass_of_a_tapered_beam_is_that_of_a_pyramid() -> None:
    # Rectangles shrink to nothing in both directions: a frustum of a pyramid.
    a, b = Rectangle(0.08, 0.06), Rectangle(0.04, 0.03)
    beam = Beam("p", L, TaperedSection(a, b), STEEL, elements=3)
    volume = L / 3 * (a.area + b.area + math.sqrt(a.area * b.area))
    assert beam.mass == pytest.approx(STEEL.density * volume, rel=1e-13)
    body = beam.modal()
    assert body.mass == pytest.approx(beam.mass, rel=1e-13)
    first = quad(lambda x: x * a.area * (1 - 0.5 * x / L) ** 2, 0, L)[0]
    assert body.s0[0] == pytest.approx(STEEL.density * first, rel=1e-12)
    spread = quad(lambda x: a.I_z * (1 - 0.5 * x / L) ** 4, 0, L)[0]
    assert body.E0[1, 1] == pytest.approx(STEEL.density * spread, rel=1e-12)


@pytest.mark.parametrize("theory", ["timoshenko", "euler_bernoulli"])
def test_tapered_statics_are_exact(theory: Any) -> None:
    # Tip deflection under a tip force: the integral of M^2 / (E I) and of V^2 / (k G A). Rounding
    # is that of stiff elements in a chain, the fourth power of their number.
    load = 1e3

    def rate(x: float) -> float:
        section = TAPER.at(x / L)
        bending = (L - x) ** 2 / (STEEL.E * section.I_z)
        return bending + (theory == "timoshenko") / shear_stiffness(section)[0]

    exact = load * quad(rate, 0, L, epsabs=0, epsrel=1e-12)[0]
    for elements in (4, 8):
        K = mesh(TAPER, elements, theory=theory).stiffness_matrix
        found = np.linalg.inv(K[6:, 6:])[-5, -5] * load
        assert found == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("elements", [1, 3])
def test_tapered_beams_stretch_and_twist_exactly(elements: int) -> None:
    sections = Rectangle(0.01, 0.015), Rectangle(0.04, 0.04), Rectangle(0.03, 0.01)
    taper = TaperedSection(*sections, stations=(0, 0.4, 1))
    K = mesh(taper, elements).stiffness_matrix
    soft = np.linalg.inv(K[6:, 6:])
    for place, stiff in ((-6, lambda s: STEEL.E * s.area), (-3, lambda s: STEEL.G * s.J)):
        options = {"points": [0.4 * L], "epsabs": 0, "epsrel": 1e-12}
        exact = quad(lambda x, stiff=stiff: 1.0 / stiff(taper.at(x / L)), 0, L, **options)[0]
        assert soft[place, place] == pytest.approx(exact, rel=1e-9)


def wedge_roots(cut: float, count: int) -> list[float]:
    """Roots w L^2 sqrt(rho A / (E I)) of a wedge of Euler and Bernoulli, clamped where it is thick.

    The height is proportional to the distance x from the edge, from ``cut`` (free) to 1. Solutions
    are x^(-1/2) C_1(2 p sqrt(x)) with Bessel functions C; p^4 is the squared frequency.
    """

    def rows(p: float) -> np.ndarray:
        near, far = 2 * p * math.sqrt(cut), 2 * p
        value = [jv(1, far), yv(1, far), iv(1, far), kv(1, far)]
        slope = [-jv(2, far), -yv(2, far), iv(2, far), -kv(2, far)]
        moment = [jv(3, near), yv(3, near), iv(3, near), kv(3, near)]
        force = [jv(2, near), yv(2, near), iv(2, near), -kv(2, near)]
        matrix = np.array([value, slope, moment, force])
        return matrix / np.abs(matrix).max(axis=0)

    grid = np.linspace(0.8, 12.0, 800)
    values = [np.linalg.det(rows(p)) for p in grid]
    pairs = zip(grid, grid[1:], values, values[1:], strict=False)
    roots = [brentq(lambda p: np.linalg.det(rows(p)), a, b, xtol=1e-13)
             for a, b, fa, fb in pairs if fa * fb < 0]  # fmt: skip
    return [p**2 for p in roots[:count]]


@pytest.mark.parametrize("cut", [0.5, 0.1])
def test_truncated_wedge_against_bessel_functions(cut: float) -> None:
    thick = Rectangle(0.02, 0.05)
    thin = Rectangle(0.02 * cut, 0.05)
    length = 1.0 - cut
    # p^4 counts from the edge of the whole wedge, whose length is 1.
    scale = math.sqrt(STEEL.E * thick.I_z / (STEEL.density * thick.area))
    exact = np.array(wedge_roots(cut, 2)) * scale / (2 * math.pi)
    assert len(exact) == 2
    errors = []
    for elements in (8, 16):
        beam = Beam("w", length, TaperedSection(thick, thin), STEEL, elements, rotary_inertia=False)
        f = beam.modal().frequencies
        errors.append([np.abs(f / e - 1.0).min() for e in exact])
    assert np.max(errors[1]) < 1.5e-5
    if cut == 0.5:  # near an edge the asymptotic order needs finer meshes
        np.testing.assert_allclose(np.log2(np.array(errors[0]) / errors[1]), 4.0, atol=0.2)


def test_whole_wedge_against_published_values() -> None:
    # Cranch and Adler 1956, Mabie and Rogers 1964: w L^2 sqrt(rho A / (E I)) = 5.3151, 15.2072,
    # 30.0198. An edge at 1/10000 of the height changes them by about 1e-5.
    thick, thin = Rectangle(0.02, 0.05), Rectangle(0.000002, 0.05)
    beam = Beam("w", L, TaperedSection(thick, thin), STEEL, 40, rotary_inertia=False)
    scale = math.sqrt(STEEL.E * thick.I_z / (STEEL.density * thick.area)) / (2 * math.pi * L**2)
    scale *= (1.0 - 0.0001) ** 2  # the whole wedge is longer
    f = beam.modal().frequencies / scale
    for published in (5.3151, 15.2072, 30.0198):
        assert np.abs(f - published).min() < 5e-5 * published


def test_sections_at_stations() -> None:
    # A kink inside an element is integrated exactly: mass, and stiffness of a uniform force.
    profile = TaperedSection(Circle(0.05), Circle(0.03), Circle(0.03), stations=(0, 0.37, 1))
    beam = mesh(profile, 2)
    rigid = rigid_motions(beam.nodes)
    area = quad(lambda s: profile.at(s).area, 0, 1, points=[0.37], epsabs=0)[0]
    assert profile.mean_area == pytest.approx(area, rel=1e-12)
    mass = rigid[:, 0] @ beam.mass_matrix @ rigid[:, 0]
    assert mass == pytest.approx(STEEL.density * area * L, rel=1e-12)
    places, force = beam.nodes[:, 0] / L, 1e4
    options = {"points": [0.37], "epsabs": 0}
    soft = [quad(lambda s: 1.0 / profile.at(s).area, 0, x, **options)[0] for x in places]
    stretch = np.zeros(beam.size)
    stretch[::6] = force * L / STEEL.E * np.array(soft)
    loads = (beam.stiffness_matrix @ stretch)[::6]
    np.testing.assert_allclose(loads, [-force, 0.0, force], atol=1e-9 * force)


def test_strain_gauge_uses_the_section_at_its_station() -> None:
    beam = Beam("t", L, TAPER, STEEL, elements=4)
    tip = beam.attachment(beam.at(L))
    q = np.linalg.solve(beam.modal().K, tip.Phi.T @ [0.0, 1e3, 0.0])
    section = TAPER.at(0.5)
    exact = -section.half_sizes[0] * 1e3 * L / 2 / (STEEL.E * section.I_z)
    # A station inside an element: the sections of the ends would differ by more than a tenth.
    assert beam.strain_gauge(L / 2, "y") @ q == pytest.approx(exact, rel=5e-3)


def test_every_section_has_shear_coefficients() -> None:
    general = Section(1e-3, 1e-7, 1e-7, 2e-7, shear=(0.5, 0.6))
    for section in (DEEP, Box(0.1, 0.2, 0.005), Circle(0.1), ISection(0.2, 0.1, 0.006, 0.009),
                    general):  # fmt: skip
        assert mesh(section).stiffness_matrix.shape == (24, 24)
        y, z = section.shear_coefficients(0.3)
        assert 0.2 < y < 1.0
        assert 0.2 < z < 1.0
