"""The strain of gradient beams and cables that the monitor judges: that where it is largest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple as sp

pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
E, G = 70e9, 26e9
ALLOY = sp.Material(E=E, G=G, density=2700)
SIDE = 0.02


def clamped(section: Any, length: float, elements: int, load: Any = (), **options: Any) -> sp.Model:
    m = sp.Model()
    rod = m.add(sp.ANCFBeam("rod", length, section, ALLOY, elements, **options))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("load", rod.at(length), **dict(load)))
    return m


def bent(section: Any, curvature: tuple[float, float, float], element: str, **options: Any) -> Any:
    """What the monitor says of a beam with a small twist and curvatures about y and z, 1/m."""
    stiffness = np.array([G * section.J, E * section.I_y, E * section.I_z])
    if element == "continuum":
        stiffness[0] = G * (section.I_y + section.I_z)
        stiffness[1:] *= 1.0 / (1 - 2 * 0.346**2 / (1 - 0.346))  # sections that do not contract
    torque = tuple((stiffness * curvature).tolist())
    m = clamped(section, 0.05, 8, {"torque": torque}, element=element, **options)
    return sp.statics(m).monitor["rod"]


def test_a_blade_is_bent_in_its_thin_plane():
    """A leaf 0.5 mm thick and 20 mm wide on a radius of 1 m has 0.00025, not 0.01."""
    section = sp.Rectangle(0.0005, SIDE)
    result = sp.statics(clamped(section, 1.0, 16, {"torque": (0, 0, E * section.I_z)}))
    assert result.monitor["rod"].strain == pytest.approx(0.00025, rel=0.01)
    assert result.monitor.level == "valid"


CASES: dict[str, tuple[Any, tuple[float, float, float], float]] = {
    "thin plane": (sp.Rectangle(0.002, SIDE), (0, 0, 1.0), 0.001),
    "wide plane": (sp.Rectangle(0.002, SIDE), (0, 1.0, 0), 0.01),
    "other way": (sp.Rectangle(SIDE, 0.002), (0, 1.0, 0), 0.001),
    "corner": (sp.Rectangle(SIDE, SIDE), (0, 0.3, 0.4), 0.007),
    "flat corner": (sp.Rectangle(0.01, SIDE), (0, 0.3, 0.4), 0.3 * 0.01 + 0.4 * 0.005),
    "round": (sp.Circle(SIDE), (0, 0.3, 0.4), 0.005),
    "tube": (sp.Tube(SIDE, 0.002), (0, 0.3, 0.4), 0.005),
    "twisted round": (sp.Circle(SIDE), (1.0, 0, 0), 0.005),
    "twisted strip": (sp.Rectangle(0.002, SIDE), (1.0, 0, 0), 0.001),
    "twisted strip, other way": (sp.Rectangle(SIDE, 0.002), (1.0, 0, 0), 0.001),
    "both": (sp.Circle(SIDE), (0.6, 0, 0.8), 0.5 * (0.008 + np.hypot(0.008, 0.006))),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("element", ["collocated", "elastic_line", "continuum"])
def test_strain_at_the_surface(name, element):
    """Principal strain where it is largest: corners, the radius, the middle of long sides."""
    section, curvature, exact = CASES[name]
    found = bent(section, curvature, element, roll=0.3 if curvature[1:] == (0, 0) else 0.0)
    # sections of a continuum that do not warp twist as much, its bending modulus is approximate
    assert found.strain == pytest.approx(exact, rel=0.03 if element == "continuum" else 0.01)


def test_a_section_by_numbers_is_taken_as_an_ellipse():
    section = sp.Circle(SIDE)
    numbers = section.area, section.I_y, section.I_z, section.J
    for sizes in (None, (0.01, 0.01)):
        same = sp.Section(*numbers, shear=(0.9, 0.9), half_sizes=sizes)
        for curvature in ((0, 0.3, 0.4), (1.0, 0, 0)):
            found, exact = (bent(s, curvature, "collocated").strain for s in (same, section))
            assert found == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize(
    ("curvature", "told"),
    [((0, 0, 0.9), False), ((0, 0, 1.1), True), ((0, 0.6, 0.6), True), ((2.5, 0, 0), True)],
)
def test_what_is_strained_too_much_is_told(curvature, told):
    """A square of 20 mm, limit 0.01: by its side, by its corner alone, and by twist."""
    found = bent(sp.Rectangle(SIDE, SIDE), curvature, "collocated")
    assert [f.what for f in found.findings] == ["strain"] * told


def test_a_curved_beam_at_rest_is_not_strained():
    """A ring of 0.1 m with a blade's section, twisted along itself: what is beside its rest."""
    rod = sp.ANCFBeam(
        "ring",
        0.3,
        sp.Rectangle(0.001, SIDE),
        ALLOY,
        16,
        twist=0.5,
        centre_line=lambda s: (0.1 * np.sin(s / 0.1), 0.1 - 0.1 * np.cos(s / 0.1), 0.0),
    )
    m = sp.Model()
    ring = m.add(rod)
    m.add(sp.Fixed("clamp", m.ground.at(0), ring.at(0)))
    assert sp.statics(m).monitor["ring"].strain < 1e-9


def test_cables_are_judged_by_their_radius():
    m = sp.Model()
    rope = m.add(sp.Cable("rope", 1.0, sp.Circle(0.01), ALLOY, elements=16))
    m.add(sp.Spherical("left", m.ground.at(0), rope.at(0)))
    m.add(sp.PointOnLine("right", m.ground.at(0), rope.at(1.0), (1, 0, 0)))
    load = 40.0
    m.add(sp.Force("push", rope.at(0.5), (0, -load, 0)))
    exact = 0.25 * load * 0.005 / (E * sp.Circle(0.01).I_z)  # F L / 4 in the middle
    assert sp.statics(m).monitor["rope"].strain == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize(("slender", "told"), [(2, True), (3, True), (5, True), (10, False)])
def test_shear_that_is_left_out_is_told(slender, told):
    """A cantilever of L/h: Timoshenko's deflection beside that of Euler and Bernoulli."""
    height = 0.1
    section, length = sp.Rectangle(height, 0.05), slender * height
    kGA = section.shear_coefficients(E / (2 * G) - 1)[0] * G * section.area
    missing = 3 * E * section.I_z / (kGA * length**2)
    for elements in (1, 2, 8):
        monitor = sp.statics(clamped(section, length, elements, {"force": (0, 1e3, 0)})).monitor
        assert (monitor.level != "valid") == told == (missing > 0.02)
        if told:
            (finding,) = monitor.findings
            assert finding.what == "shear" and finding.value == pytest.approx(missing, rel=0.1)
            assert finding.serious == (missing > 0.1)
    # a moment has no shear force
    assert sp.statics(clamped(section, length, 8, {"torque": (0, 0, 1e3)})).monitor.level == "valid"


def test_a_vibration_through_its_straight_shape_is_valid():
    """What elements disagree about counts against the largest energy of the run."""
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(0.01, 0.02), ALLOY, 8, "elastic_line"))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    run = sp.simulate(m, 0.3, tolerance="loose", output=300)
    assert run["rod"].at(1.0).displacement[:, 1].max() > -1e-4  # it comes back to straight
    assert run.monitor.level == "valid"


@pytest.mark.parametrize("kind", ["beam", "cable"])
def test_what_is_not_a_number_is_no_small_strain(kind):
    from supple.engine.pack.builder import build
    from supple.results.flexibility.beam_bending import Bending
    from supple.results.flexibility.line_strain import surface_strain

    m = sp.Model()
    made = sp.ANCFBeam if kind == "beam" else sp.Cable
    rod = m.add(made("rod", 1.0, sp.Circle(0.01), ALLOY, elements=4))
    m.add(sp.Spherical("pin", m.ground.at(0), rod.at(0)))
    record = build(m).gradient["rod"]
    e = np.tile(record.mesh.rest, (3, 1, 1, 1))
    e[1, 2] = np.nan
    bent_ = Bending(record, e, []) if kind == "beam" else None
    with np.errstate(invalid="ignore"):
        assert surface_strain(record, e, bent_).max(axis=1).tolist() == [0.0, np.inf, 0.0]
