"""Sections: their numbers against integrals and handbooks, materials, and error sentences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from supple.bodies import Beam
from supple.fem.base.damping import Rayleigh
from supple.fem.base.material import Material
from supple.fem.sections import shear
from supple.fem.sections.sections import (
    Box,
    Circle,
    CrossSection,
    ISection,
    Rectangle,
    Section,
    TaperedSection,
    Tube,
    _torsion_of_rectangle,
    torsion_of_corner,
)
from supple.foundation.errors import ModelError

NAN = float("nan")


def strips(width: Callable[[np.ndarray], np.ndarray], half: float) -> tuple[float, float]:
    """Area and integral of s squared of a section with this width across the direction s.

    The map s = half sin(t) removes the vertical tangents of round sections.
    """
    t, weight = np.polynomial.legendre.leggauss(60)
    t, weight = 0.5 * math.pi * t, 0.5 * math.pi * weight
    s = half * np.sin(t)
    inside = width(s) * half * np.cos(t) * weight
    return float(inside.sum()), float(inside @ s**2)


def test_rectangle_against_strips() -> None:
    section = Rectangle(0.03, 0.07)
    area, about_z = strips(lambda s: np.full_like(s, 0.07), 0.015)
    _, about_y = strips(lambda s: np.full_like(s, 0.03), 0.035)
    assert section.area == pytest.approx(area, rel=1e-13)
    assert section.I_z == pytest.approx(about_z, rel=1e-13)
    assert section.I_y == pytest.approx(about_y, rel=1e-13)
    assert section.I_p == section.I_y + section.I_z
    assert section.half_sizes == (0.015, 0.035)


def test_circle_against_strips() -> None:
    section = Circle(0.04)
    area, second = strips(lambda s: 2.0 * np.sqrt(0.02**2 - s**2), 0.02)
    assert section.area == pytest.approx(area, rel=1e-13)
    assert section.I_y == section.I_z == pytest.approx(second, rel=1e-13)
    assert section.J == pytest.approx(2.0 * second, rel=1e-13)
    assert section.half_sizes == (0.02, 0.02)


@pytest.mark.parametrize(
    ("hollow", "outer", "hole"),
    [
        (Box(0.03, 0.05, 0.004), Rectangle(0.03, 0.05), Rectangle(0.022, 0.042)),
        (Tube(0.05, 0.003), Circle(0.05), Circle(0.044)),
    ],
)
def test_hollow_is_outer_less_hole(
    hollow: CrossSection, outer: CrossSection, hole: CrossSection
) -> None:
    for number in ("area", "I_y", "I_z", "I_p"):
        expected = getattr(outer, number) - getattr(hole, number)
        assert getattr(hollow, number) == pytest.approx(expected, rel=1e-12)
    assert hollow.half_sizes == outer.half_sizes


def test_huang_tube() -> None:
    # Huang1998, section 3: A = 7.104e-5 m2, I = 1.48912e-9 m4.
    section = Box(0.0127, 0.0127, wall=0.0016)
    assert section.area == pytest.approx(7.104e-5, rel=1e-12)
    assert section.I_y == pytest.approx(1.4891168e-9, rel=1e-12)
    assert section.I_z == section.I_y


def test_torsion_of_rectangles() -> None:
    # J / (a b^3), the classical coefficients of Saint-Venant (Timoshenko and Goodier, table).
    for ratio, coefficient in ((1.0, 0.1406), (2.0, 0.229), (5.0, 0.291), (10.0, 0.312)):
        assert Rectangle(ratio, 1.0).J / ratio == pytest.approx(coefficient, abs=6e-4)
    assert Rectangle(1e4, 1.0).J / 1e4 == pytest.approx(1.0 / 3.0, rel=1e-4)
    assert Rectangle(2.0, 3.0).J == Rectangle(3.0, 2.0).J
    # The series may be written along either side: two different sums for one number.
    for a, b in ((1.0, 1.0), (1.7, 0.6), (3.0, 1.0)):
        assert _torsion_of_rectangle(a, b) == pytest.approx(_torsion_of_rectangle(b, a), rel=1e-11)


def test_torsion_of_thin_walls() -> None:
    # A square box: Bredt gives (a - t)^3 t; a thin tube tends to the same formula for a ring.
    assert Box(0.1, 0.1, 0.002).J == pytest.approx(0.098**3 * 0.002, rel=1e-12)
    ring = 2.0 * math.pi * 0.05**3 * 1e-5
    assert Tube(0.1, 1e-5).J == pytest.approx(ring, rel=1e-3)


def test_torsion_of_thick_walls() -> None:
    # Bredt's constant is the limit of thin walls, a solid square that of thick ones; between them
    # the box resists more than Bredt says, because its outer fibres do.
    thin = Box(0.1, 0.1, 1e-4, walls="thick")
    assert thin.J == pytest.approx(Box(0.1, 0.1, 1e-4).J, rel=2e-3)
    thick = [Box(0.1, 0.1, wall, walls="thick").J for wall in (0.01, 0.02, 0.03, 0.049)]
    assert np.all(np.diff(thick) > 0.0)
    assert all(J > Box(0.1, 0.1, t).J for J, t in zip(thick, (0.01, 0.02, 0.03), strict=False))
    assert thick[-1] == pytest.approx(Rectangle(0.1, 0.1).J, rel=2e-5)
    assert thick[-1] < Rectangle(0.1, 0.1).J, "found from below"


def test_torsion_solution() -> None:
    # An I without a notch is a rectangle, whose series is exact; 1e-5 is the accuracy promised.
    exact = _torsion_of_rectangle(0.10, 0.08)
    assert torsion_of_corner(0.03, 0.04, 0.02, 1e-10, False) == pytest.approx(exact, rel=1e-5)
    for corner in ((0.03, 0.04, 0.02, 0.01, True), (0.03, 0.002, 0.005, 0.04, False)):
        coarse, usual, fine = (torsion_of_corner(*corner, steps=n) for n in (12, 18, 26))
        assert coarse < usual < fine, "from below"
        assert usual == pytest.approx(fine, rel=1e-6)
    # Either side of a box may be called y.
    box = Box(0.06, 0.1, 0.01, walls="thick"), Box(0.1, 0.06, 0.01, walls="thick")
    assert box[0].J == pytest.approx(box[1].J, rel=1e-6)
    # Thin I: the sum of length thickness^3 / 3, with ends and joints of order thickness / length.
    web, flange = 0.001, 0.0015
    thin = ISection(0.4, 0.3, web, flange)
    strips = (2 * 0.3 * flange**3 + (0.4 - 2 * flange) * web**3) / 3
    assert thin.J == pytest.approx(strips, rel=0.01)


def test_i_section_is_a_rectangle_less_two() -> None:
    section, outer, notch = ISection(0.2, 0.1, 0.006, 0.009), Rectangle(0.2, 0.1), 0.182 * 0.047
    assert section.area == pytest.approx(outer.area - 2 * notch, rel=1e-13)
    assert section.I_z == pytest.approx(outer.I_z - 2 * 0.047 * 0.182**3 / 12, rel=1e-12)
    beside = 0.182 * 0.047**3 / 12 + notch * (0.003 + 0.0235) ** 2
    assert section.I_y == pytest.approx(outer.I_y - 2 * beside, rel=1e-12)
    assert section.half_sizes == (0.1, 0.05)


def flow(height: float, width: float, web: float, flange: float, webs: int) -> float:
    """Shear coefficient of thin walls without Poisson's effect, by the energy of the shear flow.

    With one web the flow in the flanges begins at their tips, with two in their middle; both at a
    distance width / 2 from a corner.
    """
    second = webs * web * height**3 / 12 + width * flange * height**2 / 2
    area = webs * web * height + 2 * width * flange
    x, weight = np.polynomial.legendre.leggauss(8)
    s = 0.25 * width * (1 + x)
    energy = 4 * 0.25 * width * weight @ (s * height / 2) ** 2 * flange
    y = 0.5 * height * x
    into = 2 * width / 2 * flange * height / 2 / webs  # two halves of a flange for all webs
    in_web = into + web * (height**2 / 4 - y**2) / 2
    energy += webs * 0.5 * height * weight @ in_web**2 / web
    return second**2 / (energy * area)


def test_shear_coefficients() -> None:
    # Without Poisson's effect Cowper's coefficients are those of the energy of shear stresses.
    assert shear.rectangle(0.0) == pytest.approx(5 / 6)
    assert shear.ring(0.0, 0.0) == pytest.approx(6 / 7)
    assert shear.ring(1.0, 0.0) == pytest.approx(0.5)
    for h, b, w, f in ((0.2, 0.1, 0.006, 0.009), (0.1, 0.3, 0.004, 0.002)):
        assert shear.i_section(h, b, w, f, 0.0) == pytest.approx(flow(h, b, w, f, 1), rel=1e-12)
        assert shear.box(h, b, w, f, 0.0) == pytest.approx(flow(h, b, w, f, 2), rel=1e-12)
    # Cowper's table for nu = 0.3: rectangle 0.850, circle 0.886, thin round tube 0.531.
    assert shear.rectangle(0.3) == pytest.approx(0.850, abs=5e-4)
    assert shear.ring(0.0, 0.3) == pytest.approx(0.886, abs=5e-4)
    assert shear.ring(1.0, 0.3) == pytest.approx(0.531, abs=5e-4)
    # His formula for a thin square tube is 20 (1 + nu) / (48 + 39 nu).
    for nu in (0.0, 0.25, 0.5):
        tube = 20 * (1 + nu) / (48 + 39 * nu)
        assert shear.box(0.1, 0.1, 0.002, 0.002, nu) == pytest.approx(tube, rel=1e-13)
    # Webs without flanges are rectangles for every nu.
    for nu in (0.0, 0.3, 0.5):
        for thin in (shear.box, shear.i_section):
            assert thin(0.2, 1e-9, 0.01, 0.01, nu) == pytest.approx(shear.rectangle(nu), rel=1e-6)
    square = Box(0.1, 0.1, 0.002)
    assert square.shear_coefficients(0.3)[0] == square.shear_coefficients(0.3)[1]
    flat = ISection(0.2, 0.1, 0.006, 0.009).shear_coefficients(0.3)
    assert flat[0] < flat[1]
    steel = Material(E=210e9, G=81e9, density=7850)
    assert steel.poisson == pytest.approx(210 / 162 - 1)
    assert Material(E=10e9, G=0.6e9, density=500, name="wood").poisson == 0.5


def test_tapered_section() -> None:
    a, b = Box(0.1, 0.2, 0.01), Box(0.05, 0.1, 0.006)
    taper = TaperedSection(a, b)
    middle = taper.at(0.5)
    assert isinstance(middle, Box)
    assert (middle.size_y, middle.size_z, middle.wall) == pytest.approx((0.075, 0.15, 0.008))
    assert (taper.at(0.0).I_y, taper.at(1.0).J) == (a.I_y, b.J)
    three = TaperedSection(Circle(0.1), Circle(0.06), Circle(0.06), stations=(0, 0.25, 1))
    assert three.kinks == (0.25,)
    assert three.at(0.125).diameter == pytest.approx(0.08)  # type: ignore[attr-defined]
    assert three.at(0.7).area == pytest.approx(Circle(0.06).area)
    numbers = TaperedSection(
        Section(1e-3, 1e-7, 2e-7, 3e-7, (0.01, 0.02), (0.8, 0.8)),
        Section(2e-3, 3e-7, 2e-7, 3e-7, (0.03, 0.02), (0.6, 0.8)),
    ).at(0.5)
    assert (numbers.area, numbers.I_y) == pytest.approx((1.5e-3, 2e-7))
    assert numbers.half_sizes == pytest.approx((0.02, 0.02))
    assert numbers.shear_coefficients(0.3) == pytest.approx((0.7, 0.8))


def test_general_section() -> None:
    section = Section(1e-4, I_y=2e-9, I_z=3e-9, J=4e-9)
    assert (section.area, section.I_y, section.I_z, section.J) == (1e-4, 2e-9, 3e-9, 4e-9)
    assert section.I_p == 5e-9
    assert section.half_sizes is None
    assert Section(1e-4, 2e-9, 3e-9, 4e-9, (0.01, 0.02)).half_sizes == (0.01, 0.02)
    assert repr(Box(0.1, 0.2, 0.01)) == "Box(size_y=0.1, size_z=0.2, wall=0.01)"


def test_rotary_inertia_apart_from_stiffness() -> None:
    """A Rayleigh beam on two pins and a shaft, in closed form, with moments of mass of their own.

    Bending: EI k^4 / (m + rho i k^2) with the wave number k; twist: G J k^2 / (rho (i_y + i_z)).
    """
    rho, length = 7800.0, 1.0
    steel = Material(E=2.1e11, G=8e10, density=rho)
    own = {"inertia_y": 3e-7, "inertia_z": 5e-6}
    section = Section(1e-3, I_y=2e-8, I_z=1e-7, J=6e-8, **own)
    assert section.mass_moments == (3e-7, 5e-6)
    assert Section(1e-3, 2e-8, 1e-7, 6e-8).mass_moments == (2e-8, 1e-7)
    beam = Beam("shaft", length, section, steel, 16, reference="chord")
    found = (2.0 * math.pi * beam.modal().frequencies) ** 2
    for n in (1, 2):
        k = n * math.pi / length
        for second, inertia in ((2e-8, 3e-7), (1e-7, 5e-6)):
            exact = steel.E * second * k**4 / (rho * (1e-3 + inertia * k**2))
            plain = steel.E * second * k**4 / (rho * (1e-3 + second * k**2))
            # cubic elements: (k h)^4 / 720
            assert np.abs(found / exact - 1.0).min() < (k / 16) ** 4 / 100
            assert abs(plain / exact - 1.0) > 1e-3
    mass = beam.modal()
    inertia = np.trace(mass.E0) * np.eye(3) - mass.E0
    assert inertia[0, 0] == pytest.approx(rho * 5.3e-6 * length, rel=1e-12)
    clamped = Beam("rod", length, section, steel, 16)
    found = (2.0 * math.pi * clamped.modal().frequencies) ** 2
    twist = 8e10 * 6e-8 * (0.5 * math.pi / length) ** 2 / (rho * 5.3e-6)
    assert np.abs(found / twist - 1.0).min() < (0.5 * math.pi / 16) ** 2 / 10  # linear in twist
    half = TaperedSection(section, Section(2e-3, 2e-8, 1e-7, 6e-8, inertia_y=1e-7)).at(0.5)
    assert half.mass_moments == pytest.approx((2e-7, 0.5 * (5e-6 + 1e-7)))


def test_turned_section_with_inertia_of_its_own() -> None:
    """The moments of mass turn with the section."""
    section = Section(1e-3, 2e-8, 1e-7, 6e-8, inertia_y=3e-7, inertia_z=5e-6)
    other = Section(1e-3, 1e-7, 2e-8, 6e-8, inertia_y=5e-6, inertia_z=3e-7)
    steel = Material(E=2.1e11, G=8e10, density=7800.0)
    turned = Beam("a", 1.0, section, steel, 3, roll=0.5 * math.pi).modal()
    plain = Beam("b", 1.0, other, steel, 3).modal()
    np.testing.assert_allclose(turned.E0, plain.E0, atol=1e-12 * np.abs(plain.E0).max())
    np.testing.assert_allclose(turned.frequencies, plain.frequencies, rtol=1e-9)


def test_material_and_damping() -> None:
    steel = Material(E=210e9, G=81e9, density=7850, name="steel")
    assert (steel.E, steel.G, steel.density, steel.name) == (210e9, 81e9, 7850.0, "steel")
    with pytest.raises(FrozenInstanceError):
        steel.E = 1.0  # type: ignore[misc]
    M, K = np.diag([1.0, 2.0]), np.array([[3.0, 1.0], [1.0, 4.0]])
    assert np.array_equal(Rayleigh(stiffness=0.5, mass=2.0).matrix(M, K), 0.5 * K + 2.0 * M)
    assert not Rayleigh().matrix(M, K).any()


POSITIVE = "expected a positive number"
MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (lambda: Box(0.1, -0.1, 0.01), f"Box: size_z is -0.1, {POSITIVE}"),
    (lambda: Box(0.1, 0.1, wall=0), f"Box: wall is 0.0, {POSITIVE}"),
    (
        lambda: Box(0.1, 0.2, wall=0.05),
        "Box: wall is 0.05, expected less than half the smaller size",
    ),
    (lambda: Rectangle("0.1", 0.1), f"Rectangle: size_y is '0.1', {POSITIVE}"),
    (lambda: Circle(NAN), f"Circle: diameter is nan, {POSITIVE}"),
    (
        lambda: Tube(0.02, 0.01),
        "Tube: wall is 0.01, expected less than half the diameter",
    ),
    (lambda: Section(1e-4, 0.0, 1e-9, 1e-9), f"Section: I_y is 0.0, {POSITIVE}"),
    (
        lambda: Section(1e-4, 1e-9, 1e-9, 1e-9, half_sizes=(0.01, -0.01)),
        "Section: half_sizes is (0.01, -0.01), expected 2 positive numbers",
    ),
    (
        lambda: Section(1e-4, 1e-9, 1e-9, 1e-9, inertia_z=0.0),
        f"Section: inertia_z is 0.0, {POSITIVE}",
    ),
    (
        lambda: Section(1e-4, 1e-9, 1e-9, 1e-9, half_sizes=0.01),
        "Section: half_sizes is 0.01, expected 2 positive numbers",
    ),
    (
        lambda: Box(0.1, 0.1, 0.01, walls="stout"),
        "Box: walls is 'stout', expected 'thin' or 'thick'",
    ),
    (
        lambda: ISection(0.1, 0.1, 0.01, 0.05),
        "ISection: flange is 0.05, expected less than half of size_y",
    ),
    (lambda: ISection(0.1, 0.02, 0.02, 0.01), "ISection: web is 0.02, expected less than size_z"),
    (
        lambda: Section(1e-4, 1e-9, 1e-9, 1e-9, shear=(0.5, 0)),
        "Section: shear is (0.5, 0), expected 2 positive numbers",
    ),
    (
        lambda: Section(1e-4, 1e-9, 1e-9, 1e-9).shear_coefficients(0.3),
        "Section: shear is None, expected 2 positive numbers for a Timoshenko beam",
    ),
    (
        lambda: TaperedSection(Circle(0.1)),
        "TaperedSection: sections is (Circle(diameter=0.1)), expected two or more sections of one "
        "kind",
    ),
    (
        lambda: TaperedSection(Circle(0.1), Tube(0.1, 0.01)),
        "TaperedSection: sections is (Circle(diameter=0.1), Tube(diameter=0.1, wall=0.01)), "
        "expected two or more sections of one kind",
    ),
    (
        lambda: TaperedSection(Circle(0.1), Circle(0.2), stations=(0, 0.5)),
        "TaperedSection: stations is (0, 0.5), expected ascending places from 0 to 1, one for each "
        "section",
    ),
    (lambda: Material(E=0, G=1.0, density=1.0), f"Material: E is 0.0, {POSITIVE}"),
    (
        lambda: Material(E=1.0, G=1.0, density=-1.0, name="steel"),
        f"Material 'steel': density is -1.0, {POSITIVE}",
    ),
    (lambda: Material(1.0, 1.0, 1.0, name=3), "Material: name is 3, expected a text"),
    (
        lambda: Rayleigh(stiffness=-1e-4),
        "Rayleigh: stiffness is -0.0001, expected zero or a positive number",
    ),
    (lambda: Rayleigh(mass="1"), "Rayleigh: mass is '1', expected zero or a positive number"),
]


@pytest.mark.parametrize(("make", "sentence"), MESSAGES, ids=[s for _, s in MESSAGES])
def test_messages(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert str(caught.value) == sentence
