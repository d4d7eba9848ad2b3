"""Findings about contacts: each where it is true, where it is not, and ended as advised."""

from __future__ import annotations

import re

import pytest

import supple as sp
from supple import cases
from supple.results.motion.impact_findings import restitution_at

G = 9.81


def hit(v: float, speed: float, restitution: float = 0.5) -> sp.Model:
    """A ball of 1 kg that flies at a wall."""
    m = sp.Model(gravity=(0, 0, 0))
    body = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    m.add(sp.Prismatic("way", m.ground.at(0.06), body.at(0), "x", 0.0, -v))
    law = sp.HuntCrossley(restitution, speed, 1e8)
    m.add(sp.Contact("hit", sp.Sphere(body.at(0), radius=0.05), sp.Plane(m.ground.at(0), "x"), law))
    return m


def words(result: sp.results.Result) -> list[str]:
    return [finding.what for finding in result.motion.findings]


def advised(result: sp.results.Result, what: str, pattern: str) -> float:
    (finding,) = [f for f in result.motion.findings if f.what == what]
    return float(re.search(pattern, finding.sentence)[1])


def test_restitution_at_other_speeds() -> None:
    """Those of test_contact.py: 0.5 becomes 0.3181 at twice the speed, 0.6734 at half of it."""
    x = 1.432750533271
    assert restitution_at(0.5, 2.0, x) == pytest.approx(0.318100, abs=1e-6)
    assert restitution_at(0.5, 0.5, x) == pytest.approx(0.673402, abs=1e-6)
    assert restitution_at(0.5, 1.0, x) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("v", [3.0, 0.3])
def test_hits_at_another_speed_are_told_and_end_as_advised(v: float) -> None:
    found = sp.simulate(hit(v, 1.0), 0.1)
    assert words(found) == ["restitution"]
    speed = advised(found, "restitution", r"speed=([\d.e+-]+)")
    assert speed == pytest.approx(v, rel=1e-2)
    again = sp.simulate(hit(v, speed), 0.1)
    assert words(again) == []
    assert again["ball"].velocity[-1, 0] == pytest.approx(0.5 * v, rel=1e-3)
    assert words(sp.simulate(hit(v, 0.6 * v), 0.1)) == []


def test_a_ball_that_comes_to_rest_is_not_told() -> None:
    """Its last hits are slow, the first one is that of the law."""
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    m.add(sp.Prismatic("way", m.ground.at(0, 0, 0.25), body.at(0), "z"))
    law = sp.HuntCrossley(0.5, 2.0, 1e7)
    m.add(sp.Contact("hit", sp.Sphere(body.at(0), radius=0.05), sp.Plane(m.ground.at(0)), law))
    assert words(sp.simulate(m, 1.5)) == []


def rolling(stiffness: float) -> sp.Model:
    """A ball that rolls, on the ground from the start."""
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("ball", 1.0, inertia=0.4 * 0.05**2))
    p = (G / stiffness) ** (2.0 / 3.0)
    rates = (0, 2.0 / 0.05, 0, 2.0, 0, 0)
    m.add(sp.Free("air", m.ground.at(0, 0, 0.05 - p), body.at(0), initial_rate=rates))
    law = sp.HuntCrossley(0.5, 0.1, stiffness)
    pair = sp.Sphere(body.at(0), radius=0.05), sp.Plane(m.ground.at(0))
    m.add(sp.Contact("road", *pair, law, sp.Friction(0.5)))
    return m


def test_a_rolling_radius_that_is_pressed_in_is_told_and_ends_as_advised() -> None:
    soft = sp.simulate(rolling(1e5), 1.5)
    assert words(soft) == ["rolling"]
    b = 0.05 - 0.5 * soft["road"].depth[-1]
    v, w = soft["ball"].velocity[-1, 0], soft["ball"].angular_velocity[-1, 1]
    assert v == pytest.approx(w * b, rel=1e-5)  # and not w times 0.05
    needed = advised(soft, "rolling", r"stiffness of ([\d.e+-]+)")
    assert words(sp.simulate(rolling(needed), 1.5)) == []


def test_surfaces_that_are_pulled_apart_are_told() -> None:
    """A ball is pressed into a very damped wall, and pulled away from it again."""

    def pulled(restitution: float) -> sp.results.Result:
        m = hit(0.0, 1.0, restitution)
        law = sp.HuntCrossley(restitution, 1.0 if restitution > 0.5 else 1e-3, 1e4, 1.0)
        m.replace("hit", law=law)
        push = sp.Table([0.0, 0.01, 0.011, 1.0], [-20.0, -20.0, 1.0, 1.0], "linear")
        m.replace("way", initial=-0.012)
        m.add(sp.JointEffort("press", "way", push))
        return sp.simulate(m, 0.2)

    found = pulled(0.05)
    assert "let go" in words(found)
    assert "let go" not in words(pulled(0.9))


def sliding(stiffness: float | None, damping: float | None = None) -> sp.results.Result:
    """A block that slides while the push on it comes and goes."""
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("block", 1.0, inertia=0.01))
    ways = [("translate", axis) for axis in "xz"]
    rest = m.ground.at(0, 0, -G / 1e5)
    m.add(sp.General("ways", rest, body.at(0), ways, initial_rate=(1.0, 0)))
    law = sp.HuntCrossley(0.2, 0.1, 1e5, 1.0)
    friction = sp.Friction(0.3, stiffness=stiffness, damping=damping)
    pair = sp.Point(body.at(0)), sp.Plane(m.ground.at(0))
    m.add(sp.Contact("sole", *pair, law, friction))
    m.add(sp.Force("shake", body.at(0), (0, 0, sp.Sine(8.0, 40.0))))
    return sp.simulate(m, 0.3)


def test_a_damper_of_friction_that_counts_is_told_and_ends_as_advised() -> None:
    """A soft bristle is stretched and let go with the push: its damper takes a part of it."""
    found = sliding(3e3)
    assert words(found) == ["damper"]
    assert words(sliding(3e3, advised(found, "damper", r"damping=([\d.e+-]+)"))) == []
    assert words(sliding(None)) == []


def test_contact_cases_are_told_nothing() -> None:
    """But for the depth of balls at 100 m/s, which is as large as their radius."""
    named = [case for case in cases.all() if case.name.startswith("contact-")]
    assert len(named) >= 7
    for case in named:
        assert set(words(case.simulate())) <= {"depth"}, case.name
