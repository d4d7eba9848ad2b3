"""Sections: their numbers against integrals and handbooks, materials, and error sentences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from supple.errors import ModelError
from supple.fem import Box, Circle, CrossSection, Material, Rayleigh, Rectangle, Section, Tube
from supple.fem.sections import _torsion_of_rectangle

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


def test_general_section() -> None:
    section = Section(1e-4, I_y=2e-9, I_z=3e-9, J=4e-9)
    assert (section.area, section.I_y, section.I_z, section.J) == (1e-4, 2e-9, 3e-9, 4e-9)
    assert section.I_p == 5e-9
    assert section.half_sizes is None
    assert Section(1e-4, 2e-9, 3e-9, 4e-9, (0.01, 0.02)).half_sizes == (0.01, 0.02)
    assert repr(Box(0.1, 0.2, 0.01)) == "Box(size_y=0.1, size_z=0.2, wall=0.01)"


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
        lambda: Section(1e-4, 1e-9, 1e-9, 1e-9, half_sizes=0.01),
        "Section: half_sizes is 0.01, expected 2 positive numbers",
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
