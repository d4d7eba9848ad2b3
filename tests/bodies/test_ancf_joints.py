"""What joints hold and torques turn of gradient beams and solids: it converges with refinement."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

import supple as sp
from supple.foundation.errors import ModelError

E, LENGTH, WIDTH = 2e11, 0.6, 0.01
MATERIAL = sp.Material(E=E, G=E / 2.0, density=7800)  # Poisson's ratio 0: beams are exact


def held(
    element: str,
    height: float,
    elements: int,
    at: float,
    torque: bool = False,
    axes: str | None = None,
) -> tuple[sp.results.StaticResult, float]:
    """A beam, clamped at one station and loaded at an end, and its deflection over the exact one.

    Sections of a continuum stay straight: its shear coefficient is 1. The others have no shear.
    """
    m = sp.Model()
    section = sp.Rectangle(height, WIDTH)
    rod = m.add(sp.ANCFBeam("rod", LENGTH, section, MATERIAL, elements, element, axes=axes))
    m.add(sp.Fixed("clamp", m.ground.at(at), rod.at(at)))
    end = LENGTH if at < LENGTH else 0.0
    free, EI = abs(end - at), E * section.I_z
    load = 1e-6 * EI / free**2
    if torque:
        m.add(sp.Force("load", rod.at(end), torque=(0, 0, load)))
        exact = np.sign(end - at) * load * free**2 / (2.0 * EI)
    else:
        m.add(sp.Force("load", rod.at(end), (0, load, 0)))
        shear = load * free / (MATERIAL.G * section.area) if element == "continuum" else 0.0
        exact = load * free**3 / (3.0 * EI) + shear
    result = sp.statics(m)
    return result, float(result["rod"].at(end).displacement[0, 1] / exact)


@pytest.mark.parametrize("height", [0.01, 0.04])
@pytest.mark.parametrize("at", [0.0, 0.6, 0.3])
@pytest.mark.parametrize("element", ["continuum", "elastic_line", "collocated"])
def test_a_clamp_converges(element, at, height):
    """Elements of constant curvature, n of them in the part that bends: 1 - 1/(4 n^2).

    Beside a clamp in the middle the shear ends, while the tangent goes on: an element of shear.
    """
    for elements in (4, 16, 64):
        bending = elements if at in (0.0, LENGTH) else elements // 2
        law, inner = 0.25 / bending**2, float(at == 0.3)
        shear = inner * 0.5 * (height / 0.3) ** 2 / bending  # 3 E I/(G A L^2) of it
        result, ratio = held(element, height, elements, at)
        if element == "continuum":
            assert ratio == pytest.approx(1.0 - law, abs=0.01 * law + shear + 1e-5)
        else:  # shear that holds sections straight lets thick elements of a line bend a little more
            assert 1.0 - 1.01 * law - 1e-5 < ratio < 1.0 + 1e-5
        assert (result.monitor.level == "valid") == (law < 0.02 or element == "collocated")
        turned = held(element, height, elements, at, torque=True)
        assert turned[1] == pytest.approx(1.0, abs=1e-6) and turned[0].monitor.level == "valid"


def test_clamps_of_the_literature_hold_the_tangent():
    """Sections beside it tilt, the more the shorter elements are, and the monitor tells it."""
    for height, elements in ((0.01, 64), (0.04, 16), (0.04, 64)):
        for torque in (False, True):
            with pytest.warns(sp.SuppleWarning) if height > 0.01 else nullcontext():
                result, ratio = held("continuum", height, elements, 0.0, torque, "tangent")
            (finding,) = result.monitor.findings
            assert finding.what == "joint" and "use axes='section'" in finding.sentence
            assert ratio - 1.0 == pytest.approx(finding.value, rel=0.35)
            assert finding.serious == (finding.value > 0.1)


def test_welded_beams_are_one_beam():
    m = sp.Model()
    first, last = (
        m.add(sp.ANCFBeam(name, 0.3, sp.Rectangle(0.02, 0.01), MATERIAL, 8, "continuum"))
        for name in ("first", "last")
    )
    turn = (0.3, -0.2, 0.9)
    m.add(sp.Fixed("clamp", m.ground.at(0), first.at(0)))
    m.add(sp.Fixed("weld", first.at(0.3, rotation=turn), last.at(0, rotation=turn)))
    m.add(sp.Force("load", last.at(0.3), (0, 1.0, 2.0), torque=(0.1, 0.05, 0)))
    both = sp.statics(m)["last"].at(0.3)
    one = sp.Model()
    section = sp.Rectangle(0.02, 0.01)
    whole = one.add(sp.ANCFBeam("rod", 0.6, section, MATERIAL, 16, "continuum"))
    one.add(sp.Fixed("clamp", one.ground.at(0), whole.at(0)))
    one.add(sp.Force("load", whole.at(0.6), (0, 1.0, 2.0), torque=(0.1, 0.05, 0)))
    same = sp.statics(one)["rod"].at(0.6)
    # bending is exact; the torque passes on by r_y, which costs 1/100 of the twist of an element
    np.testing.assert_allclose(both.displacement, same.displacement, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(both.matrix, same.matrix, atol=1e-6)


@pytest.mark.parametrize(
    "section", [sp.Circle(0.02), sp.Rectangle(0.005, 0.04), sp.Rectangle(0.04, 0.005)]
)
@pytest.mark.parametrize("element", ["collocated", "elastic_line", "continuum"])
def test_torsion_converges(element, section):
    """A torque acts on one gradient of a section and twists both: they stay at right angles."""
    J = section.I_y + section.I_z if element == "continuum" else section.J
    errors = []
    for elements in (8, 64):
        m = sp.Model()
        rod = m.add(sp.ANCFBeam("rod", 0.2, section, MATERIAL, elements, element))
        m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
        m.add(sp.Force("load", rod.at(0.2), torque=(1e-3 * MATERIAL.G * J / 0.2, 0, 0)))
        errors.append(sp.statics(m)["rod"].at(0.2).rotation_vector[0, 0] / 1e-3 - 1.0)
    # two ends, each at most 2/100 of the twist of an element
    assert abs(errors[0]) < 4e-2 / 8 and abs(errors[1]) < 4e-2 / 64


def test_torsion_of_a_solid_does_not_depend_on_how_it_lies():
    found = []
    for a, b in ((0.005, 0.04), (0.04, 0.005)):
        mesh = sp.fem.block((0.2, a, b), (4, 1, 1), "hex20", MATERIAL)
        ends = [
            sp.fem.Interface(name, (x, a / 2, b / 2), mesh.group(group))
            for name, x, group in (("foot", 0.0, "x_min"), ("tip", 0.2, "x_max"))
        ]
        m = sp.Model()
        bar = m.add(sp.ANCFSolid("bar", mesh, ends))
        m.add(sp.Fixed("clamp", m.ground.at(0), bar.at("foot")))
        m.add(sp.Force("load", bar.at("tip"), torque=(0.01, 0, 0)))
        found.append(sp.statics(m)["bar"].at("tip").rotation_vector[0, 0])
    assert found[0] == pytest.approx(found[1], rel=2e-3)


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_energy_scheme_holds_sections():
    """The same motion as by Radau: its rows hold r_y and r_z of a continuum."""
    m = sp.Model(gravity=(0, -9.81, 0))
    hub = m.add(sp.RigidBody("hub", 1.0, inertia=0.01))
    m.add(sp.Revolute("axle", m.ground.at(0), hub.at(0), axis="z", initial_rate=3.0))
    soft = sp.Material(E=1e7, G=5e6, density=1000)
    section = sp.Rectangle(0.05, 0.08)
    arm = m.add(sp.ANCFBeam("arm", 1.0, section, soft, 2, "continuum", roll=0.4))
    turn = (0.3, 0.2, -0.5)
    m.add(sp.Fixed("clamp", hub.at(0.1, rotation=turn), arm.at(0, rotation=turn)))
    exact = sp.simulate(m, 0.05, tolerance=1e-8, output=5)
    scheme = sp.EnergyScheme(step=5e-4)
    kept = sp.simulate(m, 0.05, integrator=scheme, formulation=sp.Absolute(), output=5)
    apart = np.abs(exact["arm"].at(1.0).position - kept["arm"].at(1.0).position).max()
    coarse = sp.EnergyScheme(step=1e-3)
    other = sp.simulate(m, 0.05, integrator=coarse, formulation=sp.Absolute(), output=5)
    far = np.abs(exact["arm"].at(1.0).position - other["arm"].at(1.0).position).max()
    assert far < 1e-4 and 3.0 < far / apart < 5.0  # order 2 towards the same motion
    assert np.ptp(kept.energy.total) < 1e-12 * kept.energy.record.kinetic_max


def test_sentences():
    def beam(element: str, axes: str | None) -> sp.ANCFBeam:
        return sp.ANCFBeam("rod", 1.0, sp.Circle(0.01), MATERIAL, 2, element, axes=axes)

    expected = "axes is 'section', expected 'tangent', because element 'collocated' bends where"
    with pytest.raises(ModelError, match=expected):
        beam("collocated", "section")
    with pytest.raises(ModelError, match="axes is 'slope', expected 'tangent' or 'section'"):
        beam("continuum", "slope")
    m = sp.Model()
    rod = m.add(beam("continuum", None))
    cabin = m.add(sp.RigidBody("cabin", 1.0, inertia=1.0))
    expected = r"follows is 'section', expected 'point', because .* turns with sections that shear"
    with pytest.raises(ModelError, match=expected):
        sp.SlidingJoint("sleeve", rod.at(0.5), cabin.at(0), follows="section")
    m.replace("rod", axes="tangent")
    sp.SlidingJoint("sleeve", m["rod"].at(0.5), cabin.at(0), follows="section")
    m.replace("rod", element="collocated")
    m.replace("rod", axes=None)
    m.replace("rod", element="continuum")
    assert m["rod"].mesh.axes_from == 2  # what an element bends by is not kept from another
