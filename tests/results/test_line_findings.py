"""What is told of lines that touch lines: bends that are too tight, beams held from rolling."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.line_models import LAW, ROD, SOFT
from supple.results.motion.line_findings import _curvatures

RUBS = sp.RoundedFriction(0.4, transition=0.005)


def words(result: sp.results.Result) -> list[str]:
    return [f.what for f in result.motion.findings if f.what in ("bend", "twist")]


def test_curvatures_are_those_of_circles() -> None:
    """Of even and uneven steps, towards the centre; a straight line has none."""
    angle = np.array([0.0, 0.2, 0.5, 0.6, 1.1])
    circle = 0.3 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    found = _curvatures(circle[None])[0]
    np.testing.assert_allclose(found[1:-1], -circle[1:-1] / 0.09, atol=1e-10)
    straight = np.outer([0.0, 1.0, 3.0, 4.0], (1.0, 2.0, 3.0))
    assert np.abs(_curvatures(straight[None])).max() == 0.0


def hook(bend: float, away: float, swapped: bool = False) -> sp.Model:
    """A beam that is half a turn, and a cable beside the centre of it, ``away`` to its middle."""
    m = sp.Model(gravity=(0, 0, 0))
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 25)
    arc = np.stack([bend * np.cos(angle), bend * np.sin(angle), 0.0 * angle], axis=1)
    hook = m.add(sp.ANCFBeam("hook", None, sp.Circle(0.005), SOFT, 8, centre_line=arc))
    m.add(sp.Free("hang", m.ground.at(*arc[0]), hook.at(0)))
    rod = m.add(sp.Cable("rod", 1.0, ROD, SOFT, elements=2))
    m.add(sp.Free("fly", m.ground.at(away, 0.0, -0.5, rotation=(0, -0.5 * np.pi, 0)), rod.at(0)))
    lines = [sp.Line(hook, radius=0.05), sp.Line(rod, radius=0.05)]
    m.add(sp.Contact("touch", *(lines[::-1] if swapped else lines), LAW))
    return m


def looked_at(model: sp.Model) -> sp.results.Result:
    return sp.simulate(model, 1e-9, output=3)


def test_a_bend_that_is_tighter_than_both_radii_is_told() -> None:
    """The radii of contact are 0.1 m together: 4 mm make one place two in a bend of 0.06 m.

    The push on the one is that of 0.042 m, on each of the others of 0.04 m.
    """
    one, two = (looked_at(hook(0.06, x)) for x in (2e-3, -2e-3))
    pushes = [r["touch"].normal_force[0] for r in (one, two)]
    assert pushes[1] > 1.5 * pushes[0]
    for r in (one, two):
        (found,) = [f for f in r.motion.findings if f.what == "bend"]
        assert found.value == pytest.approx(0.1 / 0.06, rel=0.02)
    wide = [looked_at(hook(0.2, 0.15 + x)) for x in (2e-3, -2e-3)]
    pushes = [r["touch"].normal_force[0] for r in wide]
    assert 1.0 < pushes[0] / pushes[1] < (0.052 / 0.048) ** 2.5
    assert [words(r) for r in wide] == [[], []]


def test_a_tight_bend_that_is_not_in_the_way_is_not_told() -> None:
    """Touched on its outer side, far away, or by the balls of the line that bends."""
    for model in (hook(0.06, 0.14), hook(0.06, 0.5), hook(0.06, 2e-3, swapped=True)):
        assert words(looked_at(model)) == []


def coil(bend: float) -> sp.Model:
    """A beam along a helix that may touch itself."""
    m = sp.Model(gravity=(0, 0, 0))
    angle = np.linspace(0.0, 3.0 * np.pi, 40)
    helix = np.stack([bend * np.cos(angle), bend * np.sin(angle), 0.02 * angle], axis=1)
    beam = m.add(sp.ANCFBeam("one", None, sp.Circle(0.01), SOFT, 16, centre_line=helix))
    m.add(sp.Free("fly", m.ground.at(0), beam.at(0)))
    line = sp.Line(beam, radius=0.05)
    m.add(sp.Contact("touch", line, line, LAW))
    return m


def test_a_line_that_would_overlap_itself_is_told() -> None:
    """Its bend is that of a helix, r/(r^2 + p^2)."""
    tight = sp.simulate(coil(0.03), 1e-5, output=3)
    (found,) = [f for f in tight.motion.findings if f.what == "bend"]
    assert found.value == pytest.approx(0.05 * 0.03 / (0.03**2 + 0.02**2), rel=0.1)
    assert words(sp.simulate(coil(0.08), 1e-5, output=3)) == []


def across(kind: str, angle: float, way: str, held: bool = True) -> sp.results.Result:
    """A rod that is drawn over another one, across it or along it."""
    m = sp.Model(gravity=(0, 0, 0))
    cls = sp.Cable if kind == "cable" else sp.ANCFBeam
    one = m.add(cls("one", 1.0, ROD, SOFT, elements=2))
    joint = sp.Fixed if held and kind != "cable" else sp.Free
    m.add(joint("hold", m.ground.at(0), one.at(0)))
    two = m.add(cls("two", 1.0, ROD, SOFT, elements=2))
    half = 0.5 * np.array((np.cos(angle), np.sin(angle)))
    place = m.ground.at(0.5 - half[0], -half[1], 0.09, rotation=(0, 0, angle))
    rate = (0, 0, 0, *((0.05, 0, 0) if way == "along" else (0, 0.05, 0)))
    m.add(sp.Free("draw", place, two.at(0), initial_rate=rate))
    m.add(sp.Contact("rub", sp.Line(one, radius=0.05), sp.Line(two, radius=0.05), LAW, RUBS))
    return sp.simulate(m, 0.03, tolerance=1e-5)


def test_beams_that_are_held_from_rolling_are_told() -> None:
    """Only where a body resists twist, a joint holds it, and both slide sideways."""
    assert words(across("beam", 0.0, "across")) == ["twist"]
    assert words(across("beam", 0.0, "along")) == []
    assert words(across("beam", 0.5 * np.pi, "along")) == []
    assert words(across("beam", 0.0, "across", held=False)) == []
    assert words(across("cable", 0.0, "across")) == []


def test_what_is_left_out_is_the_work_of_coulombs_friction() -> None:
    """Of parallel lines mu times the push times the way, within the rounding of the law."""
    r = across("beam", 0.0, "across")
    (found,) = [f for f in r.motion.findings if f.what == "twist"]
    push = r["rub"].normal_force
    rounded = 0.05**2 / np.hypot(0.05, 0.005)
    work = 0.4 * np.trapezoid(push, r.t) * rounded
    assert found.value * r.data.audit.kinetic_max == pytest.approx(work, rel=0.02)
