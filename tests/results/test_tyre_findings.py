"""Findings about tyres: each just within its limit and just beyond it."""

from __future__ import annotations

import pytest

import supple as sp
from models.tyre_models import CAR, G, rolling


def told(m: sp.Model, t_end: float = 0.3) -> dict[str, sp.results.data.findings.RunFinding]:
    r = sp.simulate(m, t_end)
    assert r.success
    return {one.what: one for one in r.motion.findings if one.where == "tyre"}


@pytest.mark.parametrize(("torque", "what"), [(15.0, None), (30.0, False), (100.0, True)])
def test_slip_beyond_the_linear_range(torque: float, what: bool | None) -> None:
    """The force T/R over mu N: 0.25, 0.5 and 1.7; a brush has 0.9 of the linear force at 0.31."""
    m = rolling(sp.LinearTyre(3e4), 30.0)
    m.replace("wheel", inertia=(0.5, 1e-3, 0.5))
    m.add(sp.JointEffort("brake", "track", torque, 2))
    found = told(m, 0.2)
    assert ("slip" in found) == (what is not None)
    if what is not None:
        assert found["slip"].serious == what
        assert "take BrushTyre or MagicFormula" in str(found["slip"])


def test_a_brush_has_nine_tenths_at_the_limit() -> None:
    law = sp.LinearTyre(3e4)
    z = law.linear_slip / 3.0
    assert 3 * z - 3 * z**2 + z**3 == pytest.approx(0.9 * 3 * z, rel=1e-12)


@pytest.mark.parametrize(("speed", "tells"), [(58.0, False), (62.0, True)])
def test_damping_that_makes_the_relaxation_longer(speed: float, tells: bool) -> None:
    assert ("relaxation" in told(rolling(sp.LinearTyre(3e4), speed))) == tells


def test_a_wheel_that_leans_and_one_that_is_deep() -> None:
    m = rolling(sp.LinearTyre(3e4), 5.0, spins=False, stiffness=2e3)
    found = told(m, 0.2)
    assert found["depth"].serious and "larger stiffness" in str(found["depth"])
    for angle, tells in ((0.15, False), (0.2, True)):
        lean = sp.Model(gravity=(0, 0, -G))
        wheel = lean.add(sp.RigidBody("wheel", 20.0, inertia=0.5))
        turn = lean.ground.at(0, 0, 0.29, rotation=(angle, 0, 0))
        lean.add(sp.Prismatic("way", turn, wheel.at(0), "x", initial_rate=3.0))
        shape = sp.Torus(wheel.at(0), radius=0.25, section=0.05, axis="y")
        road = sp.Plane(lean.ground.at(0))
        lean.add(sp.Tyre("tyre", shape, road, sp.BrushTyre(3e4), stiffness=2e4))
        assert ("camber" in told(lean)) == tells


def test_loads_beyond_the_coefficients() -> None:
    for load, tells, serious in ((110.0, False, False), (90.0, True, False), (40.0, True, True)):
        found = told(rolling(sp.MagicFormula(load, CAR), 5.0))
        assert ("load" in found) == tells
        assert not tells or found["load"].serious == serious
