"""The verdict on a whole run is the worst of energy, momentum and validity; changed starts."""

from __future__ import annotations

import warnings
from dataclasses import fields

import numpy as np
import pytest

import supple as sp
from supple.results.data.audit import AuditRecord, EnergyAudit, MomentumAudit, MomentumRecord
from supple.results.data.findings import BodyMonitor, Finding, Monitor
from supple.results.monitor.verdict import headline


def energy_of(error: float, complete: bool = True) -> EnergyAudit:
    record = AuditRecord(error, 0.0, 0.0, 1.0, 1.0)
    zero = np.zeros(2)
    return EnergyAudit(np.zeros((2, 3)), zero, zero, record, complete)


def momentum_of(error: float) -> MomentumAudit:
    return MomentumAudit([MomentumRecord("momentum along x", 1.0, error, "kg m/s", 1.0)])


def monitor_of(*serious: bool) -> Monitor:
    findings = tuple(Finding("rod", "spin", 1.0, 0.1, 0.0, s, "rod: spins") for s in serious)
    own = {f.name: 0.0 for f in fields(BodyMonitor)} | {"name": "rod", "findings": findings}
    return Monitor({"rod": BodyMonitor(**own)})


def test_the_worst_counts():
    good, bad, worse = 1e-9, 1e-2, 1.0
    best = energy_of(good).verdict
    assert headline(energy_of(good), momentum_of(good), monitor_of()) == best
    assert headline(energy_of(good), MomentumAudit([]), Monitor({})) == best
    equal = headline(energy_of(good), momentum_of(good), monitor_of(), 40)
    assert equal.startswith("balanced: energy error") and "40 equal steps are not judged" in equal
    for error, level in ((bad, "doubtful: "), (worse, "not trusted: ")):
        assert headline(energy_of(error), momentum_of(good), Monitor({}), 40).startswith(level)
        found = headline(energy_of(good), momentum_of(error), monitor_of())
        assert found.startswith(f"{level}constant momentum")
        assert headline(energy_of(error), momentum_of(good), monitor_of()).startswith(level)
    assert headline(energy_of(good), momentum_of(bad), monitor_of(True)).startswith("not valid: ")
    assert headline(energy_of(worse), momentum_of(bad), monitor_of(False)).startswith("not tr")
    failed = headline(energy_of(good, False), momentum_of(good), monitor_of(True))
    assert failed == "run failed; not valid: rod: spins"


def test_results_files_and_titles_say_it(tmp_path):
    """A beam that turns beyond its first frequency keeps its energy well and is all wrong."""
    m = sp.Model(gravity=(0, -9.81, 0))
    alloy = sp.Material(E=70e9, G=26e9, density=2700)
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.03), alloy, elements=2, modes=1))
    first = 2 * np.pi * rod.modal().frequencies[0]
    m.add(sp.Revolute("axle", m.ground.at(0), rod.at(0)))
    m.add(sp.Driver("motor", "axle", sp.Polynomial([0.0, 1.2 * first])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        r = sp.simulate(m, 0.01, output=4)
    assert r.energy.level == "trusted"
    assert r.verdict.startswith("not valid: Beam 'rod': its spin")
    assert f"\n  verdict   {r.verdict}\n  energy    {r.energy.verdict}\n" in repr(r)
    title = r.plot("axle").get_suptitle()
    assert " ".join(title.split()).endswith(r.verdict)
    saved = sp.files.load_result(r.save(tmp_path / "rod.nc"))
    assert saved.verdict == r.verdict and saved.energy_verdict == r.energy.verdict
    assert f"verdict   {r.verdict}" in repr(saved)


@pytest.mark.parametrize("transition", [1e-4, 1e-6, 1e-8])
def test_what_friction_holds_is_trusted(transition):
    """Its kinetic energy is nothing, and so is the error: a place wrong by 1e-12 of the length."""
    m = sp.Model(gravity=(0, -9.81, 0))
    arm = m.add(sp.RigidBody("arm", 1.0, com=(0.5, 0, 0), inertia=0.1))
    m.add(sp.Revolute("pivot", m.ground.at(0), arm.at(0)))
    m.add(sp.JointFriction("brake", "pivot", coulomb=20.0, transition=transition))
    r = sp.simulate(m, 1.0, tolerance="loose", output=4)
    assert r.energy.record.max_error < 1e-11
    assert r.verdict.startswith("trusted: ")


def four_bar(**changes: float) -> sp.Model:
    """Crank 0.1, coupler 0.3, rocker 0.25 and ground 0.3 m; the guess fits to three digits."""
    m = sp.Model()
    crank = m.add(sp.RigidBody("crank", 0.5, com=(0.05, 0, 0), inertia=1e-3))
    coupler = m.add(sp.RigidBody("coupler", 0.5, com=(0.15, 0, 0), inertia=4e-3))
    rocker = m.add(sp.RigidBody("rocker", 0.6, com=(0.125, 0, 0), inertia=3e-3))
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), initial=0.5))
    m.add(sp.Revolute("B", crank.at(0.1), coupler.at(0), initial=0.24))
    m.add(sp.Revolute("C", coupler.at(0.3), rocker.at(0.25)))
    m.add(sp.Revolute("D", m.ground.at(0.3), rocker.at(0), initial=1.53))
    for name, value in changes.items():
        m.replace(name, initial=value)
    return m


def test_a_start_that_was_changed_says_so(tmp_path):
    m = four_bar(A=0.5, D=0.6)
    m.replace("A", initial_rate=3.0)
    r = sp.simulate(m, 0.01, output=2)
    told = {change.name: change for change in r.start_changes}
    assert {"A.angle", "D.angle"} <= set(told)
    assert not any(name.startswith("C.") for name in told)  # it asked for nothing
    for name in ("A", "D"):
        change = told[f"{name}.angle"]
        assert change.asked == float(m[name].initial[0]) and change.unit == "rad"
        assert change.found == pytest.approx(r[name].angle[0], abs=1e-12)
    assert told["A.angle_rate"].found == pytest.approx(r["A"].angle_rate[0], abs=1e-12)
    found = r["A"].angle[0]
    assert f"\n  start     moved onto the constraints: A.angle 0.5 -> {found:.6g} rad, " in repr(r)
    assert "moved onto the constraints" in repr(sp.files.load_result(r.save(tmp_path / "bar.nc")))


def test_a_start_that_fits_says_nothing():
    first = sp.simulate(four_bar(), 0.01, output=2)
    fits = {name: float(first[name].angle[0]) for name in "ABCD"}
    again = sp.simulate(four_bar(**fits), 0.02, output=2)
    assert not again.start_changes and "  start " not in repr(again)
    assert not sp.simulate(four_bar(), 0.03, start=first, output=2).start_changes
    moved = first.state().changed(coordinates={"A": 0.3})
    changes = sp.simulate(four_bar(), 0.03, start=moved, output=2).start_changes
    assert changes[0].name == "A.angle" and changes[0].asked == 0.3


def test_a_driver_wins_over_the_start():
    m = sp.Model()
    arm = m.add(sp.RigidBody("arm", 1.0, com=(0.5, 0, 0), inertia=1.0))
    m.add(sp.Revolute("hub", m.ground.at(0), arm.at(0), initial=1.0, initial_rate=5.0))
    m.add(sp.Driver("motor", "hub", "0.2*t"))
    for formulation in (sp.JointCoordinates(), sp.Absolute()):
        r = sp.simulate(m, 0.1, output=2, formulation=formulation)
        shown = [str(change) for change in r.start_changes]
        assert shown == ["hub.angle 1 -> 0 rad", "hub.angle_rate 5 -> 0.2 rad/s"]


def test_ball_joints_and_bodies_that_move_freely():
    """A rotation is the same with both signs of its quaternion."""
    m = sp.Model()
    arm = m.add(sp.RigidBody("arm", 1.0, com=(0.5, 0, 0), inertia=1.0))
    m.add(sp.Spherical("ball", m.ground.at(0), arm.at(0), initial_rate=(1.0, 0.0, 0.5)))
    m.add(sp.PointOnLine("guide", m.ground.at(0), arm.at(1.0), axis="x"))
    r = sp.simulate(m, 0.01, output=2)
    assert [str(change) for change in r.start_changes] == ["ball.rotation_z_rate 0.5 -> 0 rad/s"]


@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()])
def test_going_on_with_another_driver(formulation):
    """At t = 0 the new driver would be elsewhere; what counts is the state that the run goes on."""
    m = four_bar()
    m.add(sp.Driver("motor", "A", "0.5 + t"))
    first = sp.simulate(m, 0.1, output=2, formulation=formulation)
    m.replace("motor", motion="0.6 + (t - 0.1) + 100*(t - 0.1)**2")  # 1.5 rad at t = 0
    m.replace("D", initial=-1.5)  # another closure, where the crank cannot be at 1.5 rad
    second = sp.simulate(m, 0.2, start=first, output=2, formulation=formulation)
    assert second["A"].angle[0] == pytest.approx(0.6, abs=1e-9)
    assert second["D"].angle[0] == pytest.approx(first["D"].angle[-1], abs=1e-9)
    assert second["A"].angle[-1] == pytest.approx(0.6 + 0.1 + 1.0, abs=1e-9)


def test_equal_steps_are_not_trusted_for_their_energy():
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.RigidBody("rod", 1.0, (1.0, 0, 0), (1e-3, 1e-3, 1e-3)))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), "z", -1.0))
    scheme = {"formulation": sp.Absolute(), "integrator": sp.EnergyScheme(step=0.2)}
    equal = sp.simulate(m, 4.0, **scheme)
    exact = sp.simulate(m, 4.0, tolerance="tight")
    assert equal.energy.level == "trusted" and exact.verdict.startswith("trusted")
    assert abs(equal["pin"].angle[-1] - exact["pin"].angle[-1]) > 0.05
    assert equal.verdict.startswith("balanced: ") and "20 equal steps" in equal.verdict
