"""The doctor: counts, loops, redundancy, start, drivers, and that it never raises."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from hypothesis import given

import supple as sp
from models.linkages import parallelogram, rod
from models.random_loops import loop_recipes
from models.random_models import examples
from supple.cases.mechanisms import CASES
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model

BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize(
    ("name", "freedom", "redundant", "loops"),
    [
        ("four-bar", 1, 3, 1),
        ("andrews-squeezer", 1, 9, 3),
        ("bricard", 1, 1, 1),
        ("bennett", 1, 3, 1),
        ("governor-links", 2, 6, 2),
        ("n-four-bar", 1, 6, 2),
        ("flyball-governor", 4, 0, 0),
    ],
)
def test_freedom_and_redundancy_of_mechanisms(name, freedom, redundant, loops):
    model = BY_NAME[name].build()
    found = model.doctor()
    assert found.ok and found.freedom == freedom
    assert len(found.redundant) == redundant and len(found.loops) == loops
    assert found.bodies == tuple(model.bodies) and found.joints == tuple(model.joints)
    assert not (found.moved or found.rates or found.gaps or found.drivers or found.massless)
    assert all(row.split("(")[0].split("'")[1] in model.joints for row in found.redundant)


def test_fields_and_report_of_a_linkage():
    found = parallelogram(0.3).doctor()
    assert isinstance(found, sp.results.Diagnosis)
    assert [(loop.closed_by, loop.joints) for loop in found.loops] == [("C", ("D", "A", "B"))]
    expected = ("place along z", "rotation about x", "rotation about y")
    assert found.redundant == tuple(f"Revolute 'C' ({part})" for part in expected)
    assert found.shared == ("A", "B", "D", "C")
    assert (found.velocities, found.rows) == (4, 6)
    text = str(found)
    assert text.startswith("Model 'parallelogram': 3 bodies, 4 joints, ready to run\n")
    assert "freedom    1 (4 velocities, 6 constraint rows, 3 of them redundant)" in text
    assert "loop       C: C, D, A, B" in text
    assert "shared     reactions of A, B, D, C are not unique" in text
    assert repr(found) == text


def test_spherical_and_cylindrical_joints_share_nothing():
    """Revolute, spherical, cylindrical, revolute: 1 + 3 + 2 + 1 less 6 is the one that is left."""
    model = parallelogram(0.3)
    crank, coupler, rocker = (model.bodies[n] for n in ("crank", "coupler", "rocker"))
    other = sp.Model(gravity=(0, -9.81, 0))
    for body in (crank, coupler, rocker):
        other.add(body)
    for name in ("A", "D"):
        other.add(model.joints[name])
    b, c = model.joints["B"], model.joints["C"]
    other.add(sp.Spherical("B", b.A, b.B, initial=(np.cos(0.15), 0, 0, -np.sin(0.15))))
    other.add(sp.Cylindrical("C", c.A, c.B, "z", (-0.3, 0.0)))
    found = other.doctor()
    assert found.freedom == 1 and not found.redundant and not found.shared


def test_changes_of_the_start_are_listed():
    model = parallelogram(0.3, rate=1.0)
    model.replace("D", initial=0.4, initial_rate=0.0)
    found = model.doctor()
    state = sp.assemble(model)
    assert found.ok and {c.joint for c in found.moved} == set(model.joints)
    for change in found.moved:
        assert change.before == model.joints[change.joint].initial[0] and change.unit == "rad"
        assert change.after == pytest.approx(state.coordinates(change.joint)[0], abs=1e-12)
    for change in found.rates:
        assert change.after == pytest.approx(state.rates(change.joint)[0], abs=1e-12)
        assert change.unit == "rad/s"
    assert any(f.text.startswith("the start does not close; assembly") for f in found.findings)
    assert "  moved      D.angle 0.4 -> " in str(found)


def test_gaps_name_loop_and_size():
    model = parallelogram(0.3)
    model.replace("D", A=model.ground.at(5.0))
    found = model.doctor()
    assert not found.ok and found.freedom is None
    assert "Revolute 'C': the loop of 'C', 'D', 'A', 'B' stays open by 3 m" in found.gaps[0]
    assert str(found).startswith("Model 'parallelogram': 3 bodies, 4 joints, NOT ready to run")


def test_motions_without_mass_are_named():
    model = sp.Model()
    arm = rod(model, "arm", 1.0)
    pin = model.add(sp.RigidBody("pin", 1.0, (0, 0, 0), (0, 0, 0)))
    model.add(sp.Revolute("hinge", model.ground.at(0), arm.at(0), "z"))
    model.add(sp.Revolute("wrist", arm.at(1.0), pin.at(0), "z"))
    found = model.doctor()
    assert found.massless == ("Revolute 'wrist' (angle of body 'pin')",) and not found.ok
    # with the pin joined again there is no such motion: the hinge's chain has no mass of its own
    assert parallelogram(0.3).doctor().massless == ()


def test_drivers_are_followed():
    assert parallelogram(0.3, motion="0.3 + t").doctor().ok
    model = BY_NAME["four-bar"].build()
    angle = model.joints["bearing"].initial[0]
    motion = sp.SmoothStep(0.2, 0.8, before=angle, after=angle - 2.5)
    model.add(sp.Driver("push", "bearing", motion))
    found = model.doctor()
    assert not found.ok and len(found.drivers) == 1
    assert "Driver 'push' cannot be followed at t = 0." in found.drivers[0]
    assert model.doctor(until=0.2).ok


def test_drivers_of_what_is_determined():
    model = parallelogram(0.3, motion="0.3 + t")
    model.add(sp.Driver("second", "D", "0.3 + t"))
    found = model.doctor()
    assert found.ok and found.freedom == 0 and "Driver 'second' (second)" in found.redundant
    text = "Driver 'second' moves something that other constraints already determine"
    assert text in [f.text for f in found.findings]
    model.replace("second", motion="0.3 + 2*t")
    found = model.doctor()
    assert not found.ok and "expected drivers that the constraints can follow" in found.drivers[0]
    model.replace("second", motion="0.3 + t + t**2")
    both = "Driver 'motor', Driver 'second' cannot be followed at t = 0.05 s: "
    assert model.doctor().drivers[0].startswith(both)


def test_drivers_that_contradict_each_other_are_named():
    """In rates or places at the start, or later in a run; a third driver has no part in it."""
    model = parallelogram(0.3, motion="0.3 + t")
    bob = rod(model, "bob", 0.2)
    model.add(sp.Revolute("hook", model.bodies["coupler"].at(0.5), bob.at(0), "z"))
    model.add(sp.Driver("other", "hook", "0.1*t"))
    model.add(sp.Driver("second", "D", "0.3 + 2*t"))
    both = "Driver 'motor' and Driver 'second' cannot both be followed: Revolute 'C': "
    with pytest.raises(sp.ModelError) as caught:
        sp.simulate(model, 0.1)
    assert str(caught.value).startswith(both + "its place along x moves with 0.142 m/s at the")
    model.replace("second", motion="0.5 + t")
    with pytest.raises(sp.ModelError) as caught:
        sp.assemble(model)
    assert str(caught.value).startswith(both + "the loop of 'C', 'D', 'A', 'B' stays open by 0.0")
    assert model.doctor().findings[0].text.startswith(both)
    model.replace("second", motion="0.3 + t + t**2")
    text = r"Driver 'motor' and Driver 'second' contradict each other there, do not trust this run"
    with pytest.warns(sp.SuppleWarning, match=text):
        sp.simulate(model, 0.2, output=5)


def triangle() -> sp.Model:
    """Two bars on the ground, joined at their tips: a structure."""
    model = sp.Model(gravity=(0, -9.81, 0), name="triangle")
    left, right = rod(model, "left", 1.0), rod(model, "right", 1.0)
    model.add(sp.Revolute("A", model.ground.at(0), left.at(0), "z", np.pi / 3))
    model.add(sp.Revolute("B", model.ground.at(1.0), right.at(0), "z", 2 * np.pi / 3))
    model.add(sp.Revolute("C", left.at(1.0), right.at(1.0), "z", np.pi / 3))
    return model


INTEGRATORS = (sp.Radau, sp.DormandPrince, sp.BDF, sp.Adams, sp.GeneralizedAlpha)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()])
def test_a_structure_is_ready_to_run_and_stays(formulation, integrator):
    """No freedom is no mistake: nothing moves, and reactions are those of statics by hand."""
    model = triangle()
    found = model.doctor()
    assert found.ok and found.freedom == 0
    assert "nothing can move: the constraints leave no degree of freedom" in str(found)
    run = {"formulation": formulation, "integrator": integrator(), "output": 4}
    result = sp.simulate(model, 1.0, **run)
    assert result.success and result.energy.level == "trusted"
    assert np.abs(result["A"].angle - np.pi / 3).max() < 1e-12
    # each bar carries its weight; the thrust is what a bar needs about its foot, at 60 degrees
    weight, thrust = 9.81, 9.81 / (2 * np.tan(np.pi / 3))
    for name, sign in (("A", 1.0), ("B", -1.0)):
        force = result[name].reaction[:, 3:]
        np.testing.assert_allclose(force[:, :2], [[sign * thrust, weight]] * 5, atol=1e-9)


def test_a_fixed_body_has_nothing_to_examine():
    model = sp.Model(gravity=(0, 0, -9.81))
    body = model.add(sp.RigidBody("block", 2.0))
    model.add(sp.Fixed("base", model.ground.at(0), body.at(0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.doctor()
    assert found.ok and found.freedom == 0 and len(found.findings) == 1
    assert "nothing can move" not in str(parallelogram(0.3, motion="0.3 + t").doctor())


def test_wrong_models_are_reported_not_raised():
    assert [f.severe for f in sp.Model().doctor().findings] == [True]
    model = sp.Model()
    rod(model, "loose", 1.0)
    found = model.doctor()
    assert "has no path of joints to the ground" in found.findings[0].text and not found.ok
    model = sp.Model()
    body = model.add(sp.RigidBody("odd", 1.0, (0, 0, 0), (1.0, 0.1, 0.1)))
    model.add(sp.Revolute("hinge", model.ground.at(0), body.at(0), "z"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.doctor()
    assert found.ok and "triangle inequality" in found.findings[0].text


@examples(40)
@given(loop_recipes(max_closings=2, max_bodies=4))
def test_random_loops(recipe):
    """Never an accident; the freedom is the dimension of the motions that the rows leave."""
    model = recipe.model()
    found = model.doctor(until=0.05)
    assert not any("the examination stopped" in f.text for f in found.findings)
    if found.ok:
        eq = Equations(compile_model(model))
        G = eq.constraints(0.0, eq.q0, eq.u0).G
        assert found.freedom == eq.nu - (np.linalg.matrix_rank(G, 1e-9) if G.size else 0)


@pytest.mark.parametrize(("height", "severe"), [(0.0999, None), (0.09, False), (0.05, True)])
@pytest.mark.parametrize("of_set", [False, True])
def test_bodies_that_overlap_at_the_start_are_told(height, severe, of_set):
    """A ball of 0.1 m may overlap a plane by 0.005 m."""
    m = sp.Model(gravity=(0, 0, -9.81))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=0.004))
    m.add(sp.Free("air", m.ground.at(0, 0, height), ball.at(0)))
    shapes = sp.Sphere(ball.at(0), radius=0.1), sp.Plane(m.ground.at(0))
    law = sp.HuntCrossley(0.5, 0.1, 1e6)
    m.add(sp.Contacts("hit", shapes, law) if of_set else sp.Contact("hit", *shapes, law))
    found = [f for f in m.doctor().findings if "overlap" in f.text]
    assert [f.severe for f in found] == ([] if severe is None else [severe])
    if found:
        pair = r"shapes\[0\] and shapes\[1\]" if of_set else "its bodies"
        assert re.search(rf"'hit': {pair} overlap by 0.0[15] m at the start", found[0].text)
