"""Efforts along a motion of flexible bodies: those that make the same motion, vibrations too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.foundation.errors import ModelError

ALLOY = sp.Material(E=70e9, G=26e9, density=2700)
STRIP = sp.Rectangle(0.02, 0.03)
SWING = {"hip": sp.SmoothStep(0, 0.25, after=0.5)}


def link(kind: str) -> Any:
    if kind == "gradient":
        return sp.ANCFBeam("link", 1.0, STRIP, ALLOY, elements=4)
    if kind == "parts":
        return sp.Beam("link", 1.0, STRIP, ALLOY, parts=4)
    return sp.Beam("link", 1.0, STRIP, ALLOY, elements=4, modes=2)


def arm(kind: str = "modes") -> sp.Model:
    """A link that is turned by a motor and carries a tool."""
    m = sp.Model(gravity=(0, -9.81, 0), name="arm")
    body, tool = m.add(link(kind)), m.add(sp.RigidBody("tool", 1.0, inertia=1e-3))
    m.add(sp.Revolute("hip", m.ground.at(0), body.at(0)))
    m.add(sp.Fixed("flange", body.at(1.0), tool.at(0)))
    return m


def test_the_efforts_make_the_motion() -> None:
    """Exerted by a motor; the more output times, the better a table of efforts is."""
    off = []
    for count in (75, 150):
        found = sp.inverse_dynamics(arm(), 0.3, motion=SWING, output=count)
        motor = arm()
        motor.add(sp.JointEffort("motor", "hip", sp.Table(found.t, found["drive hip"].effort)))
        again = sp.simulate(motor, 0.3, start=found.state(0), output=found.t)
        off.append(np.abs(again["hip"].angle - found["hip"].angle).max())
        assert again["tool"].position == pytest.approx(found["tool"].position, abs=1e-3)
    assert off[1] < off[0] / 4.0 < 1e-4  # rad


@pytest.mark.slow
def test_two_kinds_of_bodies_need_the_same_efforts() -> None:
    """Parts and nodal vectors, four elements each: frequencies to the fourth power of 1/4."""
    efforts = [
        sp.inverse_dynamics(arm(kind), 0.3, motion=SWING, output=300)["drive hip"].effort
        for kind in ("parts", "gradient")
    ]
    assert efforts[1] == pytest.approx(efforts[0], abs=0.01 * np.abs(efforts[0]).max())


def test_a_motion_from_rest_begins_in_equilibrium() -> None:
    """Held at first, the effort is that of the weight and constant; then the tool swings."""
    still = sp.inverse_dynamics(arm(), 0.3, motion={"hip": 0.0}, output=30)
    weight = 9.81 * (1.0 + 0.5 * 2700 * 6e-4)
    assert still["drive hip"].effort == pytest.approx(weight, rel=1e-6)
    found = sp.inverse_dynamics(arm(), 0.4, motion=SWING, output=400)
    stiff = sp.inverse_dynamics(arm(), 0.4, motion=SWING, output=400, bodies="rigid")
    assert "taken as rigid" in stiff.message and "rigid" not in found.message
    last = found.t > 0.3  # the motion is over
    assert np.ptp(stiff["drive hip"].effort[last]) < 1e-6
    assert np.ptp(found["drive hip"].effort[last]) > 1.0  # N m: it still vibrates


def test_a_jump_of_the_acceleration_shakes() -> None:
    """A body on a spring of one mode: from rest the force overshoots by all of itself.

    m x'' = -k (x - y) with y'' = a: k (y - x) = m a (1 - cos w t), of the tool on a light beam.
    """
    m = sp.Model(name="stage")
    light = sp.Material(E=70e9, G=26e9, density=30.0)
    beam = m.add(sp.Beam("post", 1.0, STRIP, light, elements=2, modes=[1]))
    carriage = m.add(sp.RigidBody("carriage", 1e-3, inertia=1e-3))
    m.add(sp.Prismatic("rail", m.ground.at(0), carriage.at(0), axis="y"))
    m.add(sp.Fixed("foot", carriage.at(0), beam.at(0)))
    m.add(sp.PointMass("tool", beam.at(1.0), 2.0))
    w = 2 * np.pi * sp.linearize(_held(m)).frequencies[0]
    end = 2 * np.pi / w
    found = sp.inverse_dynamics(m, end, motion={"rail": "0.5*3*t**2"}, output=40, tolerance="tight")
    exact = 2.0 * 3.0 * (1.0 - np.cos(w * found.t))
    # carriage and beam have 0.019 kg of 2 kg
    assert found["drive rail"].effort == pytest.approx(exact, abs=12.0 * 0.01)
    calm = {"start": "quasi-static", "motion": {"rail": "0.5*3*t**2"}}
    smooth = sp.inverse_dynamics(m, end, output=40, **calm)
    assert smooth["drive rail"].effort == pytest.approx(6.0, abs=12.0 * 0.01)


def _held(model: sp.Model) -> sp.Model:
    held = model.copy()
    held.add(sp.Driver("hold", "rail", 0.0))
    return held


def test_a_recorded_motion_gives_back_its_efforts() -> None:
    """A loop with a flexible coupler that a spring and a known torque drive."""
    m = sp.Model(gravity=(0, -9.81, 0), name="slider crank")
    crank = m.add(sp.RigidBody("crank", 1.0, com=(0.1, 0, 0), inertia=0.01))
    rod = m.add(sp.Beam("rod", 0.6, sp.Rectangle(0.006, 0.02), ALLOY, elements=2, modes=2))
    ram = m.add(sp.RigidBody("ram", 1.0, inertia=0.01))
    m.add(sp.Revolute("shaft", m.ground.at(0), crank.at(0), initial=0.8))
    m.add(sp.Revolute("crankpin", crank.at(0.2), rod.at(0), initial=-1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), ram.at(0), axis="x", initial=0.7))
    m.add(sp.Revolute("wristpin", rod.at(0.6), ram.at(0), initial=0.2))
    pushed = m.copy()
    pushed.add(sp.JointEffort("torque", "shaft", "4 + 2*sin(30*t)"))
    run = sp.simulate(pushed, 0.2, output=800, tolerance="tight", start="quasi-static")
    found = sp.inverse_dynamics(m, motion=run, actuated=["shaft"], tolerance="tight")
    assert found["rod"].at(0.3).deflection == pytest.approx(run["rod"].at(0.3).deflection, abs=1e-6)
    # the motion between output times is a quintic: the fast mode sees what it leaves out
    assert found["drive shaft"].effort == pytest.approx(run["torque"].effort, abs=0.02)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"bodies": "soft"}, "bodies is 'soft', expected 'flexible' or 'rigid'"),
        ({"bodies": "rigid", "start": "static"}, "start is 'static', expected None where no body"),
        ({"bodies": "rigid", "tolerance": 1e-3}, "tolerance is 0.001, expected 'default' where"),
        ({"motion": None}, "1 degree of freedom is left by the drivers"),
    ],
)
def test_sentences_about_flexible_motions(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        sp.inverse_dynamics(arm(), 0.5, **{"motion": SWING, **wrong})


def test_bodies_that_cannot_be_rigid_are_refused() -> None:
    with pytest.raises(ModelError, match="ANCFBeam 'link' cannot be taken as rigid, expected"):
        sp.inverse_dynamics(arm("gradient"), 0.5, motion=SWING, bodies="rigid")
    driven = arm("gradient")
    driven.add(sp.Driver("motor", "hip", "t**2"))
    with pytest.raises(ModelError, match=r"ANCFBeam 'link' deforms, expected bodies='rigid'"):
        sp.kinematics(driven, 0.5)
