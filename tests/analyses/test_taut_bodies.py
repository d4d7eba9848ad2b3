"""Frequencies of bodies that stress stiffens: told errors beside true ones.

A pinned wire of length L under the tension T has the frequencies k/(2 L) sqrt(T/mu) sqrt(1 + k^2
pi^2 EI/(T L^2)). Tension carries nearly all loads of a mode, so that flexibility of bending that is
missing under these loads would be alarmed without end.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp

STEEL = sp.Material(E=2e11, G=7.7e10, density=7800.0)
SECTION = sp.Circle(1e-3)
EI, MU = STEEL.E * np.pi / 64.0 * 1e-12, STEEL.density * np.pi / 4.0 * 1e-6
RIGHT = 0.02  # relative error of a frequency that may stay unsaid, as in the monitor
# Told errors are those of static flexibility. Shapes left out that vibrate r times as fast move by
# 1/(1 - 1/r^2) more than that: up to 3.8 times for the seventh mode beside the sixth, r = 1.167.
DYNAMIC = 3.8


def frequency(k: int, tension: float) -> float:
    """Exact frequency of a wire of 1 m, Hz."""
    return 0.5 * k * float(np.sqrt(tension / MU * (1.0 + k**2 * np.pi**2 * EI / tension)))


def pinned(body: sp.Beam | sp.FrameStructure, tension: float) -> sp.Model:
    """A wire of 1 m between a ball joint and a bearing that slides along it."""
    m = sp.Model(gravity=(0.0, 0.0, 0.0))
    m.add(body)
    m.add(sp.Spherical("hinge", m.ground.at(0), body.at(0, 0, 0)))
    m.add(sp.PointOnLine("slide", m.ground.at(0), body.at(1.0, 0, 0), axis="x"))
    m.add(sp.Force("tension", body.at(1.0, 0, 0), (tension, 0.0, 0.0)))
    return m


def beam(**options: object) -> sp.Beam:
    return sp.Beam("wire", 1.0, SECTION, STEEL, stiffening="second_order", **options)


def frame(**options: object) -> sp.FrameStructure:
    nodes = [(x, 0.0, 0.0) for x in np.linspace(0.0, 1.0, 17)]
    members = [sp.Member(k, k + 1, SECTION, STEEL) for k in range(16)]
    return sp.FrameStructure("wire", nodes, members, stiffening="second_order", **options)


def linearized(model: sp.Model) -> sp.results.LinearModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return sp.linearize(model)


def told(linear: sp.results.LinearModel) -> list[float]:
    """Sizes of findings about frequencies."""
    words = ("frequency", "frequencies")
    return [x.value for x in linear.monitor.findings if x.what in words]


@pytest.mark.parametrize("tension", [10.0, 100.0, 1000.0])
@pytest.mark.parametrize(
    "body",
    [
        lambda: beam(modes="all", elements=16),
        lambda: beam(modes=sp.reduction.AttachmentModes(8), elements=32, reference="chord"),
        lambda: beam(modes=sp.reduction.SineShapes(6), reference="chord"),
        lambda: beam(parts=16),
        lambda: frame(),
    ],
    ids=["nodal", "attachment", "sines", "parts", "frame"],
)
def test_right_frequencies_of_a_wire_are_not_alarmed(body, tension) -> None:
    linear = linearized(pinned(body(), tension))
    exact = [frequency(k, tension) for k in (1, 1, 2, 2, 3, 3)]
    np.testing.assert_allclose(linear.frequencies[:6], exact, rtol=5e-3)
    assert told(linear) == []


@pytest.mark.parametrize("tension", [10.0, 100.0, 1000.0])
@pytest.mark.parametrize("body", [beam, frame])
def test_wrong_frequencies_of_a_wire_are_told(body, tension) -> None:
    """Six shapes of a clamped beam in each plane and the hinge: the sixth mode is wrong."""
    options = {"modes": 12} if body is frame else {"modes": 12, "elements": 32}
    linear = linearized(pinned(body(**options), tension))
    exact = np.repeat([frequency(k, tension) for k in range(1, 7)], 2)
    errors = linear.frequencies[:12] / exact - 1.0
    assert np.all(errors[:10] < RIGHT) and errors[10] > 0.1
    (size,) = told(linear)
    assert errors[10] / DYNAMIC < size < 1.5 * errors[10]


@pytest.mark.parametrize("modes", [2, 4])
def test_few_modes_of_a_fast_blade_are_told(modes: int) -> None:
    """Beside all nodal coordinates of the same mesh; slow, the same modes are right."""

    def blade(modes: object, speed: float) -> sp.results.LinearModel:
        m = sp.Model(gravity=(0.0, 0.0, 0.0))
        hub = m.add(sp.RigidBody("hub", 1.0, inertia=0.1))
        section, alloy = sp.Rectangle(0.03, 0.003), sp.Material(E=7e10, G=2.7e10, density=2700.0)
        options = {"modes": modes, "stiffening": "second_order", "elements": 16}
        b = m.add(sp.Beam("blade", 1.0, section, alloy, **options))
        m.add(sp.Revolute("spin", m.ground.at(0), hub.at(0), axis="z"))
        m.add(sp.Fixed("root", hub.at(0.1), b.at(0)))
        m.add(sp.Driver("drive", "spin", f"{speed}*t"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            return sp.linearize(m, sp.statics(m, spin={"spin": speed}))

    fast, whole = blade(modes, 400.0), blade("all", 400.0)
    flap = 1 if modes == 2 else 0  # two modes bend it out of the plane of rotation only
    error = fast.frequencies[0] / whole.frequencies[flap] - 1.0
    (size,) = told(fast)
    assert error > RIGHT and size == pytest.approx(error, rel=0.3)
    assert told(whole) == [] and told(blade(modes, 100.0)) == []
