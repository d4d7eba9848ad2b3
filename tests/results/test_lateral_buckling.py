"""Lateral buckling of deep strips that are bent: what their models do not see is told.

Exact are 4.0126 sqrt(EI GJ) / L^2 for a force at the end of a cantilever (Prandtl) and
pi sqrt(EI GJ) / L for moments at the ends of a strip on forks (Michell). Deflection before it
raises both by 1 % at 10 : 1 and by 5 % at 5 : 1.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from supple.results.flexibility.support_stiffness import held_directions
from supple.results.views.body_loads import at_times

E, G, LENGTH, DEPTH = 70e9, 26e9, 2.0, 0.1
ALLOY = sp.Material(E, G, 2700)
TWIST = sp.reduction.SecondOrder(twist=True)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield


def resists(ratio: float) -> float:
    """Root of EI GJ of the weak axis, N m2."""
    section = sp.Rectangle(DEPTH, DEPTH / ratio)
    return float(np.sqrt(E * min(section.I_y, section.I_z) * G * section.J))


def raised(ratio: float) -> float:
    """By what the deflection before it raises the load under a constant moment."""
    section = sp.Rectangle(DEPTH, DEPTH / ratio)
    weak, strong = sorted((section.I_y, section.I_z))
    return float(1.0 / np.sqrt((1.0 - weak / strong) * (1.0 - G * section.J / (E * strong))))


def strip(ratio: float, **options) -> sp.Beam:
    options = {"elements": 8, "modes": "all"} | options
    return sp.Beam("strip", LENGTH, sp.Rectangle(DEPTH, DEPTH / ratio), ALLOY, **options)


def cantilever(part: float, ratio: float = 10.0, way: str = "y", **options) -> sp.Model:
    """A force at the end, across the axis that is stiff if it is along y."""
    m = sp.Model()
    rod = m.add(strip(ratio, **options))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    P = part * 4.0126 * resists(ratio) / LENGTH**2
    m.add(sp.Force("load", rod.at(LENGTH), force=(0, P, 0) if way == "y" else (0, 0, P)))
    return m


def on_forks(part: float, ratio: float = 10.0, **options) -> sp.Model:
    """Equal moments at both ends, which turn about y and z and not about x; one of them slides."""
    m = sp.Model()
    rod = m.add(strip(ratio, **options))
    end = m.add(sp.RigidBody("end", 0.1, inertia=1e-4))
    m.add(sp.Prismatic("slide", m.ground.at(LENGTH), end.at(0), axis="x"))
    m.add(sp.Universal("left", m.ground.at(0), rod.at(0), axes=("y", "z")))
    m.add(sp.Universal("right", rod.at(LENGTH), end.at(0), axes=("z", "y")))
    M = part * np.pi * resists(ratio) / LENGTH
    for name, x, sign in (("a", 0.0, -1.0), ("b", LENGTH, 1.0)):
        m.add(sp.Force(name, rod.at(x), torque=(0, 0, sign * M)))
    return m


@pytest.mark.parametrize("model", [cantilever, on_forks])
def test_the_part_of_the_exact_load(model):
    """16 elements whose twist is linear err by 2e-3 at most."""
    for part, level in ((0.5, "doubtful"), (1.1, "not valid"), (3.0, "not valid")):
        for stiffening in ("none", "second_order"):
            result = sp.statics(model(part, stiffening=stiffening, elements=4))
            found = result.monitor["strip"].buckling
            assert found == pytest.approx(part / raised(10.0), rel=4e-3)
            assert found == pytest.approx(part, rel=0.1)
            assert result.monitor.level == level
            assert result.stable == (part < 1.0)
            assert result.buckled == (("strip",) if part > 1.0 else ())


def test_modes_frames_and_turned_sections():
    """The whole mesh is looked at, whatever shapes and axes the body has.

    The slope of 0.05 rad by which a mean axis turns is 1e-3 of the load across it.
    """
    expected = 0.5 / raised(5.0)
    for options in ({"modes": 2}, {"reference": "mean_axis", "modes": 6}):
        seen = sp.statics(cantilever(0.5, 5.0, **options)).monitor["strip"]
        assert seen.buckling == pytest.approx(expected, rel=5e-3)
    seen = sp.statics(on_forks(0.5, 5.0, reference="chord", modes=6)).monitor["strip"]
    assert seen.buckling == pytest.approx(expected, rel=5e-3)
    turned = sp.statics(cantilever(0.5, 5.0, "z", roll=np.pi / 2, modes=6)).monitor["strip"]
    assert turned.buckling == pytest.approx(expected, rel=5e-3)


def test_what_cannot_buckle_to_the_side():
    """A square section, and a strip that is bent the weak way, by small loads and by large ones."""
    for part, ratio, way in ((0.05, 10, "z"), (3.0, 10, "z"), (0.02, 1, "y"), (3.0, 1, "y")):
        seen = sp.statics(cantilever(part, ratio, way, modes=10)).monitor
        assert seen["strip"].buckling == 0.0
        assert all(f.what not in ("load", "buckling") for f in seen.findings)
        assert part > 1.0 or seen.level == "valid"


def test_vibration_and_spin():
    """A load that grows is judged over time; spin and small vibration have nothing to tell.

    In half a second the load grows by less than 2 % within a period of the strip, over 2 pi.
    """
    m = cantilever(1.0, modes=4)
    P = 4.0126 * resists(10.0) / LENGTH**2
    m.replace("load", force=(0, f"{0.6 * P}*t/0.5", 0))
    run = sp.simulate(m, 0.5, output=100)
    assert run.monitor["strip"].buckling == pytest.approx(0.6, rel=0.1)
    finding = next(f for f in run.monitor.findings if f.what == "load")
    assert finding.time == pytest.approx(0.4 / 0.6 * 0.5, rel=0.1)
    spun = sp.Model()
    rod = spun.add(strip(10.0, elements=2, stiffening="second_order"))
    spun.add(sp.Revolute("hub", spun.ground.at(0), rod.at(0), axis="z", initial_rate=3.0))
    run = sp.simulate(spun, 0.05, output=20)
    assert run.monitor["strip"].buckling == 0.0
    assert all(f.what == "modes" for f in run.monitor.findings)  # two elements are few


def test_supports_are_those_that_lead_to_the_ground():
    """A body at the free end holds nothing; a beam that holds another one does."""
    for welded in (False, True):
        m = cantilever(3.0, 5.0)
        if welded:
            load = m.add(sp.RigidBody("load body", 1e-3, inertia=1e-6))
            m.add(sp.Fixed("weld", m["strip"].at(LENGTH), load.at(0)))
        seen = sp.statics(m).monitor["strip"]
        assert seen.buckling == pytest.approx(3.0 / raised(5.0), rel=4e-3)


def test_a_joint_that_lets_go_holds_nothing():
    """The end of a cantilever rests in a joint that lets go: supports are those of the time."""
    m = cantilever(0.3, modes=4)
    m.add(sp.Fixed("stop", m.ground.at(LENGTH), m["strip"].at(LENGTH)))
    off = sp.Event("off", at=0.005, then=sp.Release("stop"))
    run = sp.simulate(m, 0.01, output=20, events=[off])
    held = [held_directions(at_times(run, np.array([k])), "strip", LENGTH) for k in (0, -1)]
    assert [len(rows) for rows in held] == [2, 1]


def test_a_twist_of_second_order_sees_it():
    """The equilibrium is unstable, and the verdict says so; of parts too."""
    for options in ({"modes": "all"}, {"modes": "all", "elements": 1, "parts": 8}):
        options["stiffening"] = TWIST
        below, beyond = (sp.statics(cantilever(part, **options)) for part in (0.95, 1.1))
        assert below.stable and below.monitor.level == "valid"
        assert not beyond.stable and beyond.monitor.level == "doubtful"
        assert [f.what for f in beyond.monitor.findings] == ["stability"]
        assert beyond.buckled == () and "unstable" in beyond.verdict


def test_too_few_coordinates_for_twist():
    """Four modes of the strip do not twist: the same as without twist of second order."""
    found = sp.statics(cantilever(3.0, modes=4, stiffening=TWIST))
    assert found.buckled == ("strip",) and not found.stable and not len(found.equilibrium.unstable)
    assert found.monitor["strip"].buckling == pytest.approx(3.0 / raised(10.0), rel=4e-3)
    many = sp.statics(cantilever(3.0, modes=10, stiffening=TWIST))
    assert many.buckled == () and not many.stable and len(many.equilibrium.unstable)


def test_an_inverted_pendulum_is_no_matter_of_its_deformation():
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(strip(1.0, stiffening="second_order"))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), initial=np.pi / 2))
    standing = sp.statics(m)
    assert not standing.stable and standing.monitor.level == "valid"
