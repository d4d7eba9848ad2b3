"""Starts without elastic vibration."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

G = 9.81
STEEL = sp.Material(E=2e11, G=8e10, density=7800.0)


def driven_arm(motion: str, **options) -> sp.Model:
    m = sp.Model(gravity=(0, -G, 0), name="arm")
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.02), STEEL, elements=2, **options))
    m.add(sp.PointMass("load", beam.at(1.0), 1.0))
    m.add(sp.Revolute("joint", m.ground.at(0), beam.at(0), axis="z"))
    m.add(sp.Driver("drive", "joint", motion))
    return m


def vibration(r: sp.results.Result, name: str = "beam") -> float:
    """Largest departure of the tip's deflection from a slow motion, a polynomial of degree 5."""
    tip = r[name].at(1.0).deflection
    slow = np.polynomial.polynomial.polyfit(r.t / r.t[-1], tip, 5)
    fitted = np.polynomial.polynomial.polyval(r.t / r.t[-1], slow).T
    return float(np.max(np.abs(tip - fitted)))


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
@pytest.mark.parametrize("motion", ["0", "3*t", "0.9 + 4*t", "3*t + 2*t**2"])
def test_driven_arm_starts_without_vibration(motion, formulation):
    """Vibration is smaller by the square of slow over fast frequencies: 5 to 85 rad/s.

    The first frequency with the load is about 85 rad/s; the run lasts five of its periods. At 0.9
    rad the deflection changes at the start: rates of elastic coordinates matter.
    """
    m = driven_arm(motion, modes=3)
    runs = [
        sp.simulate(m, 0.35, start=start, formulation=formulation, tolerance=1e-9, output=400)
        for start in (None, "quasi-static")
    ]
    plain, smooth = (vibration(r) for r in runs)
    assert plain > 5e-4
    assert smooth < 0.01 * plain
    r = runs[1]
    angle, rate = {"0": (0.0, 0.0), "0.9 + 4*t": (0.9, 4.0)}.get(motion, (0.0, 3.0))
    assert r["joint"].angle[0] == pytest.approx(angle, abs=1e-12)
    assert r["joint"].angle_rate[0] == pytest.approx(rate)


def test_at_rest_it_is_the_static_deflection():
    m = driven_arm("0", modes=3)
    smooth = sp.simulate(m, 0.01, start="quasi-static")
    static = sp.simulate(m, 0.01, start="static")
    np.testing.assert_allclose(smooth.q[0], static.q[0], atol=1e-12)
    np.testing.assert_allclose(smooth.u[0], 0.0, atol=1e-9)


def test_free_fall_deflects_nothing():
    """A beam that falls freely carries nothing: its joints accelerate with gravity."""
    m = sp.Model(gravity=(0, -G, 0), name="fall")
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.02), STEEL, elements=2))
    m.add(sp.Free("free", m.ground.at(0), beam.at(0)))
    r = sp.simulate(m, 0.01, start="quasi-static")
    assert np.max(np.abs(r["beam"].at(1.0).deflection)) < 1e-10


def test_released_pendulum_of_a_beam():
    """A hinged beam let go from the horizontal: inertia of the fall relieves the weight.

    The deflection is that of the difference of weight and inertia, m (g - alpha x) with
    alpha = 3 g / (2 L).
    """
    m = sp.Model(gravity=(0, -G, 0), name="hinged")
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.02), STEEL, elements=3, modes=4))
    m.add(sp.Revolute("joint", m.ground.at(0), beam.at(0), axis="z"))
    plain = sp.simulate(m, 0.05, tolerance=1e-9, output=400)
    smooth = sp.simulate(m, 0.05, start="quasi-static", tolerance=1e-9, output=400)
    assert vibration(smooth) < 0.02 * vibration(plain)
    # the accelerations of the run's own start agree with those of the rigid beam
    alpha = -1.5 * G / 1.0
    assert smooth["joint"].angle_acceleration[0] == pytest.approx(alpha, rel=1e-3)
    assert abs(plain["joint"].angle_acceleration[0] / alpha - 1.0) > 0.01


def test_controlled_arm():
    """A controller whose gains are soft against the beam."""
    m = sp.Model(gravity=(0, 0, 0), name="controlled")
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.03, 0.03), STEEL, elements=2, modes=3))
    m.add(sp.Revolute("joint", m.ground.at(0), beam.at(0), axis="z", initial_rate=1.0))
    m.add(sp.PID("servo", "joint", kp=40.0, ki=0.0, kd=5.0, target=0.5))
    runs = [
        sp.simulate(m, 0.1, start=start, tolerance=1e-9, output=400)
        for start in (None, "quasi-static")
    ]
    plain, smooth = (vibration(r) for r in runs)
    assert smooth < 0.02 * plain
    assert runs[1]["joint"].angle_rate[0] == pytest.approx(1.0, abs=1e-12)


def flexible_four_bar() -> sp.Model:
    m = sp.Model(gravity=(0, -G, 0), name="four bar")
    crank = m.add(sp.RigidBody("crank", 0.5, com=(0.2, 0, 0), inertia=(1e-3, 0.01, 0.01)))
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.02, 0.02), STEEL, elements=2, modes=4))
    rocker = m.add(sp.RigidBody("rocker", 1.0, com=(0.4, 0, 0), inertia=(1e-3, 0.05, 0.05)))
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), axis="z", initial=1.2))
    m.add(sp.Revolute("B", crank.at(0.4), rod.at(0), axis="z", initial=-1.0))
    m.add(sp.Revolute("C", rod.at(1.0), rocker.at(0.8), axis="z", initial=-1.7))
    m.add(sp.Revolute("D", m.ground.at(1.1), rocker.at(0), axis="z", initial=1.7))
    m.add(sp.Driver("drive", "A", "1.2 + 4*t"))
    return m


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_closed_loop(formulation):
    m = flexible_four_bar()
    runs = [
        sp.simulate(m, 0.06, start=start, formulation=formulation, tolerance=1e-9, output=400)
        for start in (None, "quasi-static")
    ]
    plain, smooth = (vibration(r, "rod") for r in runs)
    assert smooth < 0.05 * plain
    assert runs[1]["A"].angle[0] == pytest.approx(1.2, abs=1e-9)


def test_rigid_models_start_as_ever():
    m = sp.Model(gravity=(0, -G, 0), name="rigid")
    body = m.add(sp.RigidBody("body", 1.0, com=(0.5, 0, 0), inertia=0.1))
    m.add(sp.Revolute("joint", m.ground.at(0), body.at(0), axis="z", initial_rate=1.0))
    a, b = sp.simulate(m, 0.1), sp.simulate(m, 0.1, start="quasi-static")
    np.testing.assert_array_equal(a.q, b.q)


def test_a_load_that_nothing_balances_is_told():
    """A beam that spins beyond its first frequency without stiffening has no deflection."""
    m = driven_arm("0", modes=3)
    m.replace("drive", motion="150*t")
    with pytest.raises(sp.SimulationError, match=r"start is 'quasi-static', but no deflection of"):
        sp.simulate(m, 0.01, start="quasi-static")


# ----------------------------------------------------------------------- bodies without a frame


def frameless_arm(motion: str | None) -> sp.Model:
    """The driven arm, or a released one, as a body without a frame."""
    m = sp.Model(gravity=(0, -G, 0), name="arm")
    beam = m.add(sp.ANCFBeam("beam", 1.0, sp.Rectangle(0.02, 0.02), STEEL, elements=4))
    m.add(sp.PointMass("load", beam.at(1.0), 1.0))
    m.add(sp.Revolute("joint", m.ground.at(0), beam.at(0), axis="z"))
    if motion is not None:
        m.add(sp.Driver("drive", "joint", motion))
    return m


@pytest.mark.parametrize("motion", ["0.9 + 4*t", "3*t + 2*t**2", None])
def test_without_a_frame_it_starts_without_vibration(motion):
    """As small as in a frame: the square of slow over fast frequencies, (5/85)^2 = 3e-3."""
    r = sp.simulate(frameless_arm(motion), 0.1, start="quasi-static", tolerance=1e-7, output=100)
    deflection = float(np.abs(r["beam"].at(1.0).deflection).max())
    assert deflection > 1e-4
    assert vibration(r) < 4e-3 * deflection
    assert r.energy.verdict.startswith("trusted")
    if motion is not None:
        assert r["joint"].angle[0] == pytest.approx({"0": 0.9}.get(motion[0], 0.0), abs=1e-12)
        assert r["joint"].angle_rate[0] == pytest.approx({"0": 4.0}.get(motion[0], 3.0))


def test_without_a_frame_at_rest_it_is_the_equilibrium():
    m = frameless_arm("0")
    smooth, static = (sp.simulate(m, 1e-4, start=s) for s in ("quasi-static", "static"))
    np.testing.assert_allclose(smooth.q[0], static.q[0], atol=1e-10)
    np.testing.assert_allclose(smooth.u[0], 0.0, atol=1e-9)


def test_a_plate_and_a_solid_that_fly_deflect_nothing():
    """Free bodies that fall carry nothing; a rubber block that spins is stretched by its spin."""
    m = sp.Model(gravity=(0, -G, 0))
    plate = m.add(sp.ANCFPlate("plate", (1.0, 1.0), 1e-3, STEEL, (2, 2)))
    m.add(sp.Free("fall", m.ground.at(0), plate.at(0)))
    rubber = sp.Material(E=1e6, G=5e5, density=1000.0)
    solid = m.add(sp.ANCFSolid("solid", sp.fem.block((1.0, 0.1, 0.1), (4, 1, 1), "hex8", rubber)))
    spin = (0, 0, 1.0, 0, 0, 0)
    m.add(sp.Free("spin", m.ground.at(3), solid.at(0.5, 0, 0), initial_rate=spin))
    r = sp.simulate(m, 1e-3, start="quasi-static", output=2)
    assert r["plate"].strain_energy[0] < 1e-12
    # rho w^2 L^3 / 12 E, without lateral contraction
    ends = r["solid"].at(1.0).position[0] - r["solid"].at(0.0).position[0]
    assert np.linalg.norm(ends) - 1.0 == pytest.approx(1000.0 / 12e6, rel=0.1)
    assert r["solid"].strain_energy[1] == pytest.approx(r["solid"].strain_energy[0], rel=1e-3)


def test_a_loop_with_a_rod_without_a_frame():
    m = flexible_four_bar()
    rod = sp.ANCFBeam("rod", 1.0, sp.Rectangle(0.02, 0.02), STEEL, elements=3)
    other = sp.Model(gravity=m.gravity)
    for name in m:
        other.add(rod if name == "rod" else m[name])
    r = sp.simulate(other, 0.06, start="quasi-static", tolerance=1e-7, output=100)
    framed = sp.simulate(m, 0.06, start="quasi-static", tolerance=1e-7, output=100)
    size = float(np.abs(framed["rod"].at(0.5).deflection).max())
    assert vibration(r, "rod") < 0.02 * size
    assert r["A"].angle[0] == pytest.approx(1.2, abs=1e-9)
