"""Moments of tensioned beams at clamps beside exact ones: told where elements are too long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple as sp

pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
LENGTH, SIDE = 1.0, 2e-3
STEEL = sp.Material(E=2e11, G=8e10, density=7800)
EI = STEEL.E * SIDE**4 / 12


def rod(elements: int, joint: Any = sp.Fixed, **fields: Any) -> sp.Model:
    """A beam of 1 m on a joint at its start."""
    m = sp.Model()
    given = {"section": sp.Rectangle(SIDE, SIDE), "material": STEEL, "elements": elements, **fields}
    body = m.add(sp.ANCFBeam("rod", LENGTH, **given))
    m.add(joint("clamp", m.ground.at(0), body.at(0)))
    return m


def cantilever(layers: float, elements: int, slope: float = 0.01, **fields: Any) -> sp.Model:
    """With a tension that makes it so many layers long, and a force across it."""
    m = rod(elements, **fields)
    pull = EI * (layers / LENGTH) ** 2
    m.add(sp.Force("pull", m["rod"].at(LENGTH), (pull, slope * pull, 0)))
    return m


def held(layers: float, elements: int, joint: Any = sp.Fixed, **fields: Any) -> sp.Model:
    """Clamped at both ends with a load along it, 0.02 of its tension."""
    m = rod(elements, joint, **fields)
    pull = EI * (layers / LENGTH) ** 2
    m.add(sp.Prismatic("end", m.ground.at(LENGTH), m["rod"].at(LENGTH), axis="x"))
    m.add(sp.Force("pull", m["rod"].at(LENGTH), (pull, 0, 0)))
    m.add(sp.DistributedLoad("load", m["rod"].at(0), force=(0, 0.02 * pull / LENGTH, 0)))
    return m


def exact_moment(kind: Any, layers: float, slope: float = 0.01) -> float:
    """Of the linear beam under tension, N m."""
    size = LENGTH / layers
    pull = EI / size**2
    if kind is cantilever:
        return slope * pull * size * np.tanh(layers)
    q = 0.02 * pull / LENGTH
    return q * LENGTH / 2 * size / np.tanh(layers / 2) - q * size**2


def told(result: Any) -> list[Any]:
    return [f for f in result.monitor.findings if f.what == "boundary layer"]


@pytest.mark.parametrize("kind", [cantilever, held])
@pytest.mark.parametrize(("layers", "elements"), [(5, 1), (10, 2), (10, 3), (20, 4), (50, 8)])
def test_long_elements_are_told(kind, layers, elements):
    found = sp.statics(kind(layers, elements))
    error = found["rod"].at(0).section_forces().Mz[0] / exact_moment(kind, layers) - 1.0
    assert error > 0.03
    (finding,) = told(found)
    assert error / 1.5 < finding.value < 1.5 * error
    assert finding.serious is bool(finding.value > 0.1)
    assert "too large" in finding.sentence and ": use " in finding.sentence


@pytest.mark.parametrize("kind", [cantilever, held])
def test_as_many_elements_as_are_told_end_it(kind):
    (finding,) = told(sp.statics(kind(20, 4)))
    count = int(finding.sentence.split(": use ")[1].split()[0])
    assert 8 <= count <= 16
    found = sp.statics(kind(20, count))
    assert found.monitor.findings == ()
    assert found["rod"].at(0).section_forces().Mz[0] == pytest.approx(
        exact_moment(kind, 20), rel=6e-3
    )


def test_at_both_ends_and_about_both_axes():
    from supple.results.flexibility.line_bending import Bending
    from supple.results.monitor.nodal_vectors import layers

    m = held(20, 4)
    m.replace("load", force=(0, 0.6 * EI, -0.8 * EI))
    found = sp.statics(m)
    record = found.data.compiled.gradient["rod"]
    bent = Bending(record, found.q[:, record.q].reshape(1, *record.mesh.rest.shape), [0, 4])
    first, last = layers(found, bent)
    np.testing.assert_allclose(first.exact, last.exact, rtol=1e-6)
    np.testing.assert_allclose(first.exact[0] / np.linalg.norm(first.exact), [0.8, 0.6], rtol=1e-6)
    np.testing.assert_allclose(first.found / first.exact, last.found / last.exact, rtol=1e-6)


def test_what_is_not_told():
    assert not told(sp.statics(cantilever(20, 4, slope=0.0)))  # no moment
    assert not told(sp.statics(cantilever(20, 4, slope=1e-5)))  # small beside the tension
    hinge = held(20, 4, sp.Revolute)  # it turns about z
    hinge.remove("end")
    hinge.add(sp.Force("up", hinge["rod"].at(LENGTH), (0, 1e-3, 0)))
    assert not told(sp.statics(hinge))
    strong = sp.Material(E=2e11, G=8e10, density=7800, yield_stress=1e12)
    assert not told(sp.statics(cantilever(20, 4, material=strong)))
    thick = rod(2)  # a beam that bends without tension
    thick.add(sp.Force("load", thick["rod"].at(LENGTH), (0, 1e-3 * EI, 0)))
    assert not told(sp.statics(thick))
    thick.replace("load", force=(-EI, 1e-3 * EI, 0))  # a column
    assert not told(sp.statics(thick))


def behind(joint: Any, slope: tuple[float, float] = (0.01, 0.0)) -> Any:
    """A tensioned beam that is welded to a block on a joint."""
    m = sp.Model()
    block = m.add(sp.RigidBody("block", mass=1.0, inertia=(1, 1, 1)))
    m.add(joint("base", m.ground.at(0), block.at(0)))
    body = m.add(sp.ANCFBeam("rod", LENGTH, sp.Rectangle(SIDE, SIDE), STEEL, elements=4))
    m.add(sp.Fixed("weld", block.at(0), body.at(0)))
    pull = EI * 20**2
    m.add(sp.Force("pull", body.at(LENGTH), (pull, slope[0] * pull, slope[1] * pull)))
    return told(sp.statics(m))


def test_what_holds_the_direction():
    """A block that is held clamps a beam; one that turns has the moment that itself needs."""
    (still,) = told(sp.statics(cantilever(20, 4)))
    (finding,) = behind(sp.Fixed)
    assert finding.value == pytest.approx(still.value, rel=1e-6)
    assert not behind(sp.Spherical)
    assert not behind(sp.Revolute)  # about z, along which the moment is
    (other,) = behind(sp.Revolute, (0.0, 0.01))
    assert other.value == pytest.approx(still.value, rel=1e-6)


@pytest.mark.parametrize("angle", [0.2, 0.5, 0.8])
def test_forces_that_are_oblique(angle):
    """Of a long line of any angle the moment is 2 sqrt(E I F) sin(angle/2)."""
    m, pull = rod(4), EI * 20**2
    m.add(sp.Force("pull", m["rod"].at(LENGTH), (pull * np.cos(angle), pull * np.sin(angle), 0)))
    found = sp.statics(m)
    exact = 2 * np.sqrt(EI * pull) * np.sin(angle / 2)
    error = found["rod"].at(0).section_forces().Mz[0] / exact - 1.0
    (finding,) = told(found)
    assert finding.value == pytest.approx(error, rel=0.05)


def test_over_a_run():
    """A load that sets in, with inertia: beside a beam of four times as many elements."""
    heavy = sp.Material(E=2e11, G=8e10, density=7.8e6)
    runs = []
    for elements in (4, 16):
        m = cantilever(20, elements, material=heavy)
        rise = [f"{force} * (1 - exp(-t))" for force in (EI * 400, 4 * EI)]
        m.replace("pull", force=(*rise, 0))
        runs.append(sp.simulate(m, 1.0, output=40))
    coarse, fine = (run["rod"].at(0).section_forces().Mz for run in runs)
    error = np.abs(coarse - fine).max() / np.abs(fine).max()
    (finding,) = told(runs[0])
    assert error / 1.5 < finding.value < 1.5 * error
    assert 0.0 < finding.time < 1.0
    assert not told(runs[1])
