"""Flexures of the textbooks as beams in parts: wires, notch hinges, cross-spring pivots."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp

STEEL = sp.Material(E=200e9, G=77e9, density=7800)


@pytest.mark.slow
def test_a_stage_on_wires():
    """12 EI/L^3 across, EA/L along; bent by d wires lose 1/(1 + A d^2/(700 I)) of the latter.

    Awtar, Slocum, Sevincer 2007, for any section: their t^2 is 12 I/A.
    """
    L, d, half = 0.05, 0.5e-3, 0.02
    m = sp.Model()
    stage = m.add(sp.RigidBody("stage", 0.1, inertia=1e-5))
    for k, (y, z) in enumerate(((half, half), (-half, half), (-half, -half), (half, -half))):
        wire = m.add(sp.Beam(f"wire{k}", L, sp.Circle(d), STEEL, parts=4))
        m.add(sp.Fixed(f"foot{k}", m.ground.at(0, y, z), wire.at(0)))
        m.add(sp.Fixed(f"end{k}", wire.at(L), stage.at(0, y, z)))
    m.add(sp.FrameDriver("stroke", m.ground.at(0), stage.at(0), y=0.0))
    strokes = np.array([0.0, 10.0 * d])
    found = sp.stiffness(m, stage.at(0), over="stroke.y", values=strokes)
    area, moment = np.pi * d**2 / 4, np.pi * d**4 / 64
    across, along = 4 * 12 * STEEL.E * moment / L**3, 4 * STEEL.E * area / L
    # the stage turns a little: of wires half a width apart, (d/half)^2
    assert found.along("z")[0] == pytest.approx(across, rel=(d / half) ** 2)
    assert found.along("x")[0] == pytest.approx(along, rel=1e-9)
    lost = 1.0 / (1.0 + area * strokes**2 / (700 * moment))
    assert found.along("x") / along == pytest.approx(lost, rel=0.03)
    assert found.positions[-1].monitor.level == "valid"


def paros_weisbord(E: float, width: float, radius: float, neck: float) -> float:
    """Rotation stiffness (N m/rad) of a hinge between two half circles, bending alone.

    J. M. Paros, L. Weisbord, How to design flexure hinges, Machine Design 37, 1965.
    """
    b = neck / (2 * radius)
    c, s = 1 + b, 2 * b + b**2
    angle = np.arctan(np.sqrt((2 + b) / b))
    bracket = 1 / c + (3 + s) / (c * s) + 6 * c / s**1.5 * angle
    return float(2 * E * width * radius**2 * s / (3 * bracket))


@pytest.mark.parametrize("parts", [1, 4])
def test_a_notch_hinge(parts):
    """Exact with any number of parts for the given section: that of lines between points.

    They lie within the notch, by the square of a step over its radius, so that it is stiffer.
    """
    R, t, width = 5e-3, 0.5e-3, 10e-3
    s = np.linspace(-1, 1, 33)
    angle = 0.5 * np.pi * np.sign(s) * np.abs(s) ** 1.5  # more points at the neck
    depth, x = t + 2 * R * (1 - np.cos(angle)), 0.5 * (1 + np.sin(angle))
    section = sp.TaperedSection(*(sp.Rectangle(h, width) for h in depth), stations=x)
    m = sp.Model()
    hinge = m.add(sp.Beam("hinge", 2 * R, section, STEEL, parts=parts))
    m.add(sp.Fixed("clamp", m.ground.at(0), hinge.at(0)))
    moment = 1e-3
    m.add(sp.Force("turn", hinge.at(2 * R), (0, 0, 0), torque=(0, 0, moment)))
    rest = sp.statics(m)
    found = moment / rest["hinge"].at().rotation[0, 2]
    flexibility = 0.0  # int 12/(E b h^3) dx, h linear between two points
    for (h0, h1), step in zip(np.column_stack([depth[:-1], depth[1:]]), np.diff(x), strict=True):
        flexibility += 12 / (STEEL.E * width) * 2 * R * step * (h0 + h1) / (2 * h0**2 * h1**2)
    assert found == pytest.approx(1 / flexibility, rel=1e-9)
    middle = x[1:] + x[:-1] - 1.0  # in radii
    true = t + 2 * R * (1 - np.sqrt(1 - middle**2))
    beside = (0.5 * (depth[1:] + depth[:-1]) / true).max()
    exact = paros_weisbord(STEEL.E, width, R, t)
    assert 1.0 < found / exact < beside**3
    strain = 6 * moment / (STEEL.E * width * t**2)
    assert rest["hinge"].at(R).strain("-y")[0] == pytest.approx(strain, rel=1e-9)
    assert rest.monitor.level == "valid"
    if parts == 1:  # at 0.4 rad its cubics are not what it does: it bends at the neck alone
        m.replace("turn", torque=(0, 0, 0.4 * exact))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            findings = sp.statics(m).monitor["hinge"].findings
        assert [f.limit for f in findings if f.what == "rotation"] == [0.15]


def test_a_cross_spring_pivot():
    """Two crossed leaves turn as two beams in pure bending: 2 EI/L (Haringx 1949)."""
    L, leaf = 0.06, sp.Rectangle(0.3e-3, 10e-3)
    m = sp.Model()
    stage = m.add(sp.RigidBody("stage", 0.1, inertia=1e-4))
    for name, angle in (("one", np.pi / 4), ("two", -np.pi / 4)):
        spring = m.add(sp.Beam(name, L, leaf, STEEL, parts=2))
        turn, start = (0, 0, angle), -0.5 * L * np.array([np.cos(angle), np.sin(angle), 0])
        m.add(sp.Fixed(f"{name} foot", m.ground.at(*start, rotation=turn), spring.at(0)))
        m.add(sp.Fixed(f"{name} end", spring.at(L), stage.at(*-start, rotation=turn)))
    found = sp.stiffness(m, stage.at(0))
    EI = STEEL.E * 10e-3 * (0.3e-3) ** 3 / 12
    assert found.along("rz") == pytest.approx([2 * EI / L], rel=1e-6)
