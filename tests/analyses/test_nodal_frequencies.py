"""Errors of frequencies by elements over nodal vectors: told beside the true ones."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from truth.bodies import ALLOY, CLAMPED, FREE, STEEL

SECTION = sp.Rectangle(0.01, 0.013)
UNIT = np.sqrt(ALLOY.E * 0.01**2 / 12 / ALLOY.density) / (2 * np.pi)  # bent along y, of 1 m
FACTOR = 1.5


def beam(elements, name="rod", length=1.0, **fields):
    m = sp.Model(name="beam", gravity=(0, 0, 0))
    m.add(sp.ANCFBeam(name, length, SECTION, ALLOY, elements=elements, **fields))
    return m


def cantilever(elements, force=None, **fields):
    m = beam(elements, **fields)
    m.add(sp.Fixed("root", m.ground.at(0), m["rod"].at(0)))
    if force is not None:
        m.add(sp.Force("load", m["rod"].at(1.0), force))
    return m


def free(elements):
    m = beam(elements)
    m.add(sp.Free("flight", m.ground.at(0), m["rod"].at(0)))
    return m


def hinged(elements):
    m = beam(elements)
    end = m.add(sp.RigidBody("end", 1e-6, inertia=1e-9, position=(1, 0, 0)))
    m.add(sp.Revolute("left", m.ground.at(0), m["rod"].at(0)))
    m.add(sp.Prismatic("slide", m.ground.at(1), end.at(0), axis="x"))
    m.add(sp.Revolute("right", m["rod"].at(1.0), end.at(0)))
    return m


def clamped(elements):
    m = cantilever(elements)
    m.add(sp.Fixed("end", m.ground.at(1), m["rod"].at(1.0)))
    return m


def told(linear):
    """How much too high frequencies are told to be, of the right ones."""
    return 1.0 / (1.0 - linear.frequency_errors) - 1.0


def close(found, exact):
    """Told and true errors differ by less than a factor."""
    return exact / FACTOR < found < exact * FACTOR if exact > 0 else close(-found, -exact)


@pytest.mark.parametrize(
    ("make", "number", "coefficient", "error"),
    [
        (cantilever, 2, CLAMPED[1], 0.58),
        (free, 0, FREE[0], 0.2),
        (hinged, 0, np.pi**2, 0.11),
    ],
)
def test_one_element_is_told(make, number, coefficient, error):
    with pytest.warns(sp.SuppleWarning) if number == 0 else _quiet():
        linear = sp.linearize(make(1))
    true = linear.frequencies[number] / (coefficient * UNIT) - 1.0
    assert true == pytest.approx(error, rel=0.05)
    assert close(told(linear)[number], true)
    (finding,) = (f for f in linear.monitor.findings if f.what.startswith("frequenc"))
    assert finding.serious == (number == 0)
    assert finding.what == ("frequency" if number == 0 else "frequencies")
    assert "too high" in finding.sentence and finding.sentence.endswith("use more elements")
    assert f"about {100 * told(linear)[number]:.2g} % too high" in repr(linear)


def _quiet():
    import warnings

    return warnings.catch_warnings()


@pytest.mark.parametrize("make", [cantilever, free, hinged, clamped])
def test_right_frequencies_are_not_alarmed(make, recwarn):
    linear = sp.linearize(make(6))
    assert linear.monitor.level == "valid"
    assert "too high" not in repr(linear).partition("...")[0].splitlines()[1]
    assert np.all(np.abs(linear.frequency_errors[:3]) < 0.005)
    assert not recwarn.list


def test_modes_that_one_element_does_not_have():
    # held at both ends it cannot bend: the lowest frequency is that of twist
    with pytest.warns(sp.SuppleWarning, match="use more elements"):
        linear = sp.linearize(clamped(1))
    true = linear.frequencies[0] / (FREE[0] * UNIT) - 1.0
    assert true > 10 and close(told(linear)[0], true)


EULER = np.pi**2 / 4 * ALLOY.E * 0.013 * 0.01**3 / 12


def loaded(elements, force):
    return sp.linearize(cantilever(elements, force))


@pytest.mark.parametrize(("force", "error"), [((20 * EULER, 0, 0), 0.06), ((0, EULER, 0), -0.18)])
def test_loaded_beams(force, error):
    # pulled: too stiff against the curve near the clamp; bent far aside: too soft
    elements = 1 if error > 0 else 2
    with pytest.warns(sp.SuppleWarning, match="too high" if error > 0 else "too low"):
        linear = loaded(elements, force)
    true = linear.frequencies[0] / loaded(24, force).frequencies[0] - 1.0
    assert true == pytest.approx(error, rel=0.1)
    assert close(told(linear)[0], true)


def test_pressed_beam_is_right_with_few_elements(recwarn):
    force = (-0.8 * EULER, 0, 0)
    linear = loaded(3, force)
    assert linear.frequencies[0] == pytest.approx(loaded(24, force).frequencies[0], rel=2e-3)
    assert linear.monitor.level == "valid" and abs(told(linear)[0]) < 2e-3
    assert not recwarn.list


def test_heavy_tip():
    def made(elements):
        m = cantilever(elements)
        tip = m.add(sp.RigidBody("tip", 5.0, inertia=5e-4, position=(1, 0, 0)))
        m.add(sp.Fixed("flange", m["rod"].at(1.0), tip.at(0)))
        return m

    linear, right = sp.linearize(made(1)), sp.linearize(made(16))
    assert abs(told(linear)[0]) < 1e-4  # a cubic is the exact deflection
    assert close(told(linear)[2], linear.frequencies[2] / right.frequencies[2] - 1.0)


def cable(elements, element="mean", span=1.9):
    m = sp.Model(name="cable", gravity=(0, -9.81, 0))
    rope = m.add(sp.Cable("rod", 2.0, sp.Circle(0.005), ALLOY, elements=elements, element=element))
    m.add(sp.Spherical("left", m.ground.at(0), rope.at(0)))
    m.add(sp.Spherical("right", m.ground.at(span), rope.at(2.0)))
    return m


@pytest.mark.parametrize("element", ["mean", "two_points"])
def test_sagging_cable(element):
    linear, right = sp.linearize(cable(6, element)), sp.linearize(cable(32, element))
    for number in range(3):
        true = linear.frequencies[number] / right.frequencies[number] - 1.0
        assert abs(true) < 0.005 or close(told(linear)[number], true)
    assert all(f.what != "frequency" for f in linear.monitor.findings)


def test_locking_elements():
    coarse, right = (sp.linearize(cantilever(n, element="elastic_line")) for n in (2, 48))
    for number in (0, 2):
        true = coarse.frequencies[number] / right.frequencies[number] - 1.0
        assert close(told(coarse)[number], true)


def test_continuum_keeps_a_part_of_its_error():
    right = CLAMPED[0] * UNIT
    with pytest.warns(sp.SuppleWarning, match="use element='collocated'"):
        linear = sp.linearize(cantilever(8, element="continuum"))
    assert close(told(linear)[0], linear.frequencies[0] / right - 1.0)
    with pytest.warns(sp.SuppleWarning, match="too high"):
        coarse = sp.linearize(cantilever(1, element="continuum"))
    assert close(told(coarse)[0], coarse.frequencies[0] / right - 1.0)


def test_coarse_one_of_two_bodies_is_named():
    m = cantilever(8, length=0.5)
    fields = {"elements": 1, "position": (0.5, 0, 0)}
    m.add(sp.ANCFBeam("tail", 1.0, sp.Rectangle(0.003, 0.003), ALLOY, **fields))
    m.add(sp.Fixed("weld", m["rod"].at(0.5), m["tail"].at(0)))
    linear = sp.linearize(m)
    (finding,) = linear.monitor.findings
    assert finding.body == "tail" and finding.what == "frequencies"
    m.replace("tail", elements=8)
    assert sp.linearize(m).monitor.level == "valid"


def test_beside_a_body_with_modes():
    def made(elements):
        m = cantilever(elements, length=0.6)
        fields = {"elements": 6, "position": (0.6, 0, 0)}
        m.add(sp.Beam("arm", 0.4, sp.Rectangle(0.008, 0.011), ALLOY, **fields))
        m.add(sp.Fixed("weld", m["rod"].at(0.6), m["arm"].at(0)))
        return m

    linear, right = sp.linearize(made(1)), sp.linearize(made(16))
    for number in (2, 4):
        true = linear.frequencies[number] / right.frequencies[number] - 1.0
        assert close(told(linear)[number], true)


def test_damping_and_controllers_change_little():
    plain = sp.linearize(cantilever(2))
    damped = sp.linearize(cantilever(2, damping=sp.Rayleigh(stiffness=1e-4)))
    assert told(damped)[:6] == pytest.approx(told(plain)[:6], rel=0.02)
    m = beam(2)
    m.add(sp.Revolute("pin", m.ground.at(0), m["rod"].at(0)))
    m.add(sp.PID("servo", "pin", kp=1e4, ki=1e3, kd=1.0))
    linear = sp.linearize(m)
    assert linear.state.compiled.nz == 1 and not linear.not_judged
    fine = m.copy()
    fine.replace("rod", elements=16)
    true = linear.frequencies[4] / sp.linearize(fine).frequencies[4] - 1.0
    assert close(told(linear)[4], true)


def test_states_that_are_not_judged():
    m = cantilever(2)
    m.gravity = (0, -9.81, 0)
    linear = sp.linearize(m, "initial")  # no equilibrium, but without strain
    assert told(linear)[0] == pytest.approx(told(sp.linearize(cantilever(2)))[0], rel=0.05)
    result = sp.simulate(m, 0.05)
    moving = sp.linearize(m, result)
    assert np.all(np.isnan(moving.frequency_errors)) and "nothing moves" in moving.not_judged
    assert "not compared with smaller elements" in repr(moving)
    state = sp.statics(cantilever(2, (0, 20.0, 0))).state()
    bent = sp.linearize(cantilever(2), state)
    assert np.all(np.isnan(bent.frequency_errors)) and "equilibrium" in bent.not_judged


def plate(elements, kind, thickness=0.01):
    m = sp.Model(name="plate", gravity=(0, 0, 0))
    fields = {"elements": (elements, elements)}
    sheet = m.add(sp.ANCFPlate("rod", (1.0, 0.8), thickness, STEEL, **fields))
    x, y, _ = sheet.coordinates.T
    edge = (x == 0) | (x == 1) | (y == 0) | (y == 0.8)
    for k, (a, b, _) in enumerate(sheet.coordinates[edge]):
        m.add(kind(f"edge {k}", m.ground.at(a, b), sheet.at(a, b)))
    return m


def test_plate_on_hinges():
    rigidity = STEEL.E * 1e-6 / 12 / (1 - 0.3**2)
    right = np.pi / 2 * np.sqrt(rigidity / (STEEL.density * 0.01)) * (1 + 1 / 0.64)
    with pytest.warns(sp.SuppleWarning, match="too low"):
        linear = sp.linearize(plate(3, sp.Spherical))
    true = linear.frequencies[0] / right - 1.0
    assert true == pytest.approx(-0.05, rel=0.1) and close(told(linear)[0], true)


def arm(kind, divisions):
    material = sp.Material(E=1e9, G=1e9 / 2.6, density=1000.0)
    mesh = sp.fem.block((0.5, 0.02, 0.03), divisions, kind, material)
    root = sp.fem.Interface("root", (0, 0.01, 0.015), mesh.group("x_min"))
    m = sp.Model(name="arm", gravity=(0, 0, 0))
    m.add(sp.ANCFSolid("rod", mesh, [root]))
    m.add(sp.Fixed("clamp", m.ground.at(0), m["rod"].at("root")))
    return m


@pytest.mark.parametrize(
    ("kind", "divisions"), [("hex20", (2, 1, 1)), ("hex8", (10, 1, 1)), ("tet10", (2, 1, 1))]
)
def test_solids(kind, divisions):
    with pytest.warns(sp.SuppleWarning, match="too high"):
        linear = sp.linearize(arm(kind, divisions))
    right = CLAMPED[0] * np.sqrt(1e9 * 0.02**2 / 12 / 1000) / (2 * np.pi) / 0.5**2
    assert close(told(linear)[0], linear.frequencies[0] / right - 1.0)


def test_edges_that_move_with_a_body_are_held_between_nodes():
    m = sp.Model(name="table", gravity=(0, 0, 0))
    sheet = m.add(sp.ANCFPlate("rod", (1.0, 1.0), 0.01, STEEL, elements=(3, 3)))
    hub = m.add(sp.RigidBody("hub", 50.0, inertia=(5.0, 5.0, 5.0)))
    m.add(sp.Prismatic("lift", m.ground.at(0), hub.at(0), axis="z"))
    m.add(sp.JointSpring("spring", "lift", stiffness=1e6))
    for k, (x, y, _) in enumerate(sheet.coordinates):
        if x == 0:
            m.add(sp.Fixed(f"edge {k}", hub.at(x, y, 0), sheet.at(x, y)))
    linear = sp.linearize(m)
    assert linear.monitor.level == "valid"
    assert np.all(np.abs(told(linear)[:3]) < 0.005)


def test_weight_without_strain_is_no_error_of_elements():
    m = beam(2)
    m.gravity = (-9.81, 0, 0)
    m.add(sp.Revolute("pin", m.ground.at(0), m["rod"].at(0)))
    m.add(sp.JointSpring("spring", "pin", stiffness=0.5))
    linear = sp.linearize(m, "initial")
    assert linear.unsteady > 0.0 and linear.monitor.level == "valid"
    assert abs(told(linear)[0]) < 0.001
