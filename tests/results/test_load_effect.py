"""Tension and pressure of bodies without stiffening: what is left out is told, and how much it is.

Euler's loads are exact; otherwise the same body with stiffening of second order is the reference.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from models import mesh_bodies
from supple.results.flexibility.geometric_stiffness import LoadEffect, load_effect

ALLOY = sp.Material(70e9, 26e9, 2700)
LENGTH, SECTION = 1.0, sp.Rectangle(0.01, 0.02)
STIFFNESS = 70e9 * 0.02 * 0.01**3 / 12  # softer direction, y
EULER = np.pi**2 * STIFFNESS / 4.0  # of a cantilever, N


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield


def column(push: float, side: float = 1.0, turn: float = 0.0, **options) -> sp.Model:
    """A cantilever with a force along and across at its end, anywhere in the world."""
    m = sp.Model()
    options = {"elements": 8, "modes": 4} | options
    rod = m.add(sp.Beam("rod", LENGTH, SECTION, ALLOY, **options))
    c, s = np.cos(turn), np.sin(turn)
    rotation = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    m.add(sp.Fixed("root", m.ground.at(0.3, 0.2, 0.1, rotation), rod.at(0)))
    force = np.array(rotation) @ [-push, side, 0.0]
    m.add(sp.Force("load", rod.at(LENGTH), force=tuple(force)))
    return m


def effect_of(result: sp.results.Result, body: str) -> LoadEffect:
    found = load_effect(result, result.data.compiled.flexible[body])
    assert found is not None
    return found


def test_a_column_buckles_at_eulers_load():
    """Two bending modes in the plane know the buckled shape to 0.6 %, eight modes better."""
    for modes, error in ((4, 0.007), ("all", 2e-4)):
        result = sp.statics(column(EULER, modes=modes, turn=0.7))
        assert effect_of(result, "rod").buckling.largest == pytest.approx(1.0, abs=error)


@pytest.mark.parametrize("part", [0.01, 0.1, -0.3])
def test_the_change_is_that_of_stiffening(part):
    """To first order; the rest is of the order of its square."""
    plain, stiff = (
        sp.statics(column(part * EULER, stiffening=s))["rod"].at(LENGTH).deflection[0, 1]
        for s in ("none", "second_order")
    )
    found = effect_of(sp.statics(column(part * EULER)), "rod").change.largest
    assert found == pytest.approx(abs(stiff / plain - 1.0), rel=0.03 + abs(part))


def test_verdicts_of_columns():
    """Wrong by more than 5 %: not valid or doubtful; right within 0.5 %: valid."""
    levels = {0.002: "valid", 0.06: "doubtful", 0.5: "not valid", 10.0: "not valid"}
    for part, level in levels.items():
        result = sp.statics(column(part * EULER))
        assert result.monitor.level == level, part
        assert result.stable == (part < 1.0)
        assert ("rod" in result.buckled) == (part > 1.0)
    run = sp.simulate(column(10.0 * EULER, damping=sp.ModalDamping(0.05)), 0.5)
    assert run.monitor.level == "not valid" and run.monitor.findings[0].what == "buckling"
    # the stiffened body knows by itself
    assert sp.statics(column(0.5 * EULER, stiffening="second_order")).monitor.level == "valid"


def test_a_rod_that_does_not_bend_is_right():
    """Pressure below the buckling load changes nothing that happens."""
    result = sp.statics(column(0.3 * EULER, side=0.0, modes="all"))
    assert result.monitor.level == "valid" and result.stable


def four_bar(speed: float, stiffening: str = "none") -> sp.Model:
    steel = sp.Material(E=2.07e11, G=8e10, density=7800)
    m = sp.Model(name="four-bar")
    crank = m.add(sp.RigidBody("crank", 0.5, com=(0.05, 0, 0), inertia=1e-3))
    coupler = m.add(
        sp.Beam("coupler", 0.3, sp.Rectangle(0.004, 0.02), steel, elements=8, modes=6,
                reference="chord", damping=sp.ModalDamping(0.05), stiffening=stiffening)
    )  # fmt: skip
    rocker = m.add(sp.RigidBody("rocker", 0.6, com=(0.125, 0, 0), inertia=3e-3))
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), initial=0.5))
    m.add(sp.Revolute("B", crank.at(0.1), coupler.at(0), initial=0.24))
    m.add(sp.Revolute("D", m.ground.at(0.3), rocker.at(0), initial=1.53))
    m.add(sp.Revolute("C", coupler.at(0.3), rocker.at(0.25)))
    m.add(sp.Driver("motor", "A", motion=f"0.5+{speed}*(t - 0.1*(1-exp(-t/0.1)))"))
    return m


@pytest.mark.slow
def test_a_coupler_of_a_mechanism():
    """The normal force by balance over Euler's load, and the change that stiffening makes."""
    euler = np.pi**2 * 2.07e11 * 0.02 * 0.004**3 / 12 / 0.3**2
    plain, stiff = (
        sp.simulate(four_bar(60.0, s), 0.4, output=500) for s in ("none", "second_order")
    )
    found = effect_of(plain, "coupler")
    force = plain["coupler"].at(0.15).section_forces("balance").N / euler
    assert found.buckling.largest == pytest.approx(-force.min(), rel=0.03)
    assert found.stiffness.largest == pytest.approx(force.max(), rel=0.03)
    a, b = (r["coupler"].at(0.15).deflection[:, 1] for r in (plain, stiff))
    true = np.abs(a - b).max() / np.abs(a).max()
    assert true > 0.05 and found.change.largest == pytest.approx(true, rel=0.2)
    assert plain.monitor.level == "doubtful"


def test_weight_and_masses_along_the_axis():
    """A standing column under its own weight buckles at 7.837 EI/(m g L^2) (Greenhill)."""
    weight = 2700 * 2e-4 * LENGTH
    g = 7.837 * STIFFNESS / (weight * LENGTH**2)
    for modes in ("all", sp.reduction.PolynomialShapes(4)):
        m = sp.Model(gravity=(-g, 0, 0))
        reference = "clamped"
        rod = m.add(
            sp.Beam("rod", LENGTH, SECTION, ALLOY, elements=8, modes=modes, reference=reference)
        )
        m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
        assert effect_of(sp.statics(m), "rod").buckling.largest == pytest.approx(1.0, abs=2e-3)
    # the same weight as a mass on the end: Euler's load
    m = sp.Model(gravity=(-1e-3 * EULER, 0, 0))
    rod = m.add(sp.Beam("rod", LENGTH, SECTION, sp.Material(70e9, 26e9, 1e-6), elements=8))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    m.add(sp.PointMass("end", rod.at(LENGTH), 1e3))
    assert effect_of(sp.statics(m), "rod").buckling.largest == pytest.approx(1.0, abs=1e-3)


def test_a_load_along_the_axis():
    """Spread evenly it is a weight; 7.837 EI/L^2."""
    m = sp.Model()
    rod = m.add(sp.Beam("rod", LENGTH, SECTION, ALLOY, elements=8))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    load = 7.837 * STIFFNESS / LENGTH**3
    m.add(sp.DistributedLoad("spread", rod.at(0), force=(-load, 0, 0)))
    assert effect_of(sp.statics(m), "rod").buckling.largest == pytest.approx(1.0, abs=5e-3)


def test_a_constraint_whose_load_is_not_known():
    """A strut between a pin and a point on a line: what is missing balances the rest."""
    m = sp.Model()
    rod = m.add(sp.Beam("rod", LENGTH, SECTION, ALLOY, elements=8, reference="chord"))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0)))
    m.add(sp.PointOnLine("guide", m.ground.at(0), rod.at(LENGTH), axis="x"))
    m.add(sp.Force("push", rod.at(LENGTH), force=(-2.0 * EULER, 0, 0)))
    # between pins four times the load of a cantilever
    assert effect_of(sp.statics(m), "rod").buckling.largest == pytest.approx(0.5, abs=1e-3)


def pushed(body, end, load: float, clamp) -> sp.results.StaticResult:
    """A body along x, clamped at one end and pushed at the other."""
    m = sp.Model()
    m.add(body)
    m.add(sp.Fixed("root", m.ground.at(0), clamp))
    m.add(sp.Force("load", end, force=(-load, 0, 1.0)))
    return sp.statics(m)


def test_frames_and_meshes():
    """Columns of members, triangles and bricks, by their own finite elements."""
    frame = sp.FrameStructure(
        "column", [(0, 0, 0), (1, 0, 0)], [sp.Member(0, 1, SECTION, ALLOY, elements=8)], modes=6
    )
    result = pushed(frame, frame.at(node=1), 1.2 * EULER, frame.at(node=0))
    assert effect_of(result, "column").buckling.largest == pytest.approx(1.2, abs=0.008)
    assert result.monitor.level == "not valid"

    for mesh, inertia, error in (
        (mesh_bodies.strip(16), mesh_bodies.B * mesh_bodies.H**3 / 12, 0.01),
        (mesh_bodies.bar(8), 0.05 * 0.04**3 / 12, 0.02),
    ):
        body = mesh_bodies.body(mesh)
        load = np.pi**2 * mesh_bodies.PLAIN.E * inertia / 4.0
        result = pushed(body, body.at("b"), load, body.at("a"))
        assert effect_of(result, "body").buckling.largest == pytest.approx(1.0, abs=error)


def test_a_component_of_matrices_is_not_judged():
    body = mesh_bodies.body(mesh_bodies.matrices(mesh_bodies.bar()))
    result = pushed(body, body.at("b"), 1e4, body.at("a"))
    assert np.isnan(result.monitor["body"].buckling)


def test_frequencies_under_load():
    """Linearization tells how far frequencies are off: half the part of the buckling load."""
    with pytest.warns(sp.SuppleWarning, match=r"frequencies are off by up to 5\.0%"):
        plain = sp.linearize(column(0.1 * EULER, side=0.0))
    stiff = sp.linearize(column(0.1 * EULER, side=0.0, stiffening="second_order"))
    assert plain.frequencies[0] / stiff.frequencies[0] - 1.0 == pytest.approx(0.05, abs=5e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sp.linearize(column(0.01 * EULER, side=0.0))


HELD = {"clamped": 4.0, "hinged": 2.0457}  # Euler's loads in parts of pi^2 EI/L^2


def held_column(top: str, part: float, **options) -> sp.Model:
    """A clamped column whose other end a slider guides, pressed by a part of Euler's load."""
    m = sp.Model()
    rod = m.add(sp.Beam("rod", LENGTH, SECTION, ALLOY, elements=8, **options))
    end = m.add(sp.RigidBody("end", 1.0, inertia=1.0))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    m.add(sp.Prismatic("guide", m.ground.at(LENGTH), end.at(0), axis="x"))
    m.add((sp.Fixed if top == "clamped" else sp.Revolute)("top", rod.at(LENGTH), end.at(0)))
    m.add(sp.Force("press", end.at(0), (-part * HELD[top] * np.pi**2 * STIFFNESS, 0, 0)))
    m.add(sp.Force("side", rod.at(LENGTH / 2), (0, 0.5, 0)))
    return m


@pytest.mark.parametrize("top", HELD)
@pytest.mark.parametrize("part", [0.01, 0.05, 0.1])
def test_joints_at_further_places_hold_a_column(top, part):
    """Of a cantilever the same load would be four to sixteen times as near to Euler's."""
    plain, stiff = (
        sp.statics(held_column(top, part, stiffening=s)) for s in ("none", "second_order")
    )
    a, b = (r["rod"].at(LENGTH / 2).deflection[0, 1] for r in (plain, stiff))
    seen = plain.monitor["rod"]
    assert seen.load_change == pytest.approx(b / a - 1.0, rel=0.15)  # to first order
    if part > 0.02:  # otherwise nothing is near
        assert seen.buckling == pytest.approx(part, rel=1e-3)
    assert (plain.monitor.level == "valid") == (part < 0.02)


def test_a_portal_pushed_to_the_side_is_not_doubted():
    """Its feet hold it twice; in its own frame it would hang on one of them like a cantilever."""
    corners = {"left": (0, 0, 0), "top left": (0, 1, 0), "top right": (1, 1, 0), "right": (1, 0, 0)}
    pairs = (("left", "top left"), ("top left", "top right"), ("top right", "right"))
    tips = []
    for stiffening in ("none", "second_order"):
        members = [sp.Member(*pair, sp.Rectangle(0.01, 0.01), ALLOY, elements=4) for pair in pairs]
        m = sp.Model()
        frame = m.add(sp.FrameStructure("portal", corners, members, stiffening=stiffening))
        m.add(sp.Fixed("foot", m.ground.at(0), frame.at("left")))
        m.add(sp.Fixed("other foot", m.ground.at(1), frame.at("right")))
        m.add(sp.Force("push", frame.at("top left"), (4.0, 0, 0)))
        r = sp.statics(m)
        assert r.monitor.level == "valid"
        tips.append(r["portal"].at("top left").deflection[0, 0])
    assert tips[0] == pytest.approx(tips[1], rel=5e-4)


def test_a_flexible_neighbour_holds_nothing():
    """A column welded to a soft beam that is clamped itself buckles as if it were free there."""
    m = sp.Model()
    rod = m.add(sp.Beam("rod", LENGTH, SECTION, ALLOY, elements=8))
    soft = m.add(sp.Beam("soft", LENGTH, sp.Rectangle(1e-4, 1e-4), ALLOY, elements=2))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    m.add(sp.Fixed("weld", rod.at(LENGTH), soft.at(0)))
    m.add(sp.Fixed("far", m.ground.at(2 * LENGTH), soft.at(LENGTH)))
    m.add(sp.Force("load", rod.at(LENGTH), (-0.3 * EULER, 0.1, 0)))
    r = sp.statics(m)
    assert r.monitor["rod"].buckling == pytest.approx(0.3, rel=0.05)
