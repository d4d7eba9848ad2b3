"""Findings about contacts: each where it is true, where it is not, and ended as advised."""

from __future__ import annotations

import re

import numpy as np
import pytest

import supple as sp
from supple import cases
from supple.results.data.run_data import jump_of, passages_of
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


def test_what_is_lifted_off_a_table_is_not_told() -> None:
    """It touches with speeds of rounding before it is lifted, whose restitution means nothing."""
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    m.add(sp.Prismatic("way", m.ground.at(0), body.at(0), "z", 0.05 + 1e-15))
    m.add(sp.JointEffort("crane", "way", sp.SmoothStep(0.0, 0.2, after=12.0)))
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.2, speed=0.1, exponent=1)
    ball = sp.Sphere(body.at(0), radius=0.05)
    m.add(sp.Contact("table", ball, sp.Plane(m.ground.at(0)), law))
    result = sp.simulate(m, 0.4)
    assert 0.0 < result["table"].approach[0] < 1e-6
    assert result["ball"].position[-1, 2] > 0.06
    assert words(result) == []


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


def bouncing(friction: sp.Friction | sp.RoundedFriction, speed: float = 1.0) -> sp.results.Result:
    """A ball that is thrown on a floor, where it bounces five times."""
    m = sp.Model(gravity=(0, 0, -G))
    ball = m.add(sp.RigidBody("ball", 0.2, inertia=0.4 * 0.2 * 0.05**2))
    rate = (0, 0, 0, speed, 0, 0)
    m.add(sp.Free("air", m.ground.at(0, 0, 0.5), ball.at(0), initial_rate=rate))
    law = sp.HuntCrossley(stiffness=1e7, restitution=0.8, speed=3.0)
    pair = sp.Sphere(ball.at(0), radius=0.05), sp.Plane(m.ground.at(0))
    m.add(sp.Contact("bounce", *pair, law, friction))
    return sp.simulate(m, 2.0)


@pytest.mark.parametrize("mu, damping", [(0.1, 10.0), (0.3, 1.0)])
def test_friction_that_gives_back_is_told_and_ends_as_advised(mu: float, damping: float) -> None:
    """A bristle with little damping spins a ball up by a fifth or more; dry friction does not."""
    dry = bouncing(sp.RoundedFriction(mu, transition=1e-4))["ball"].angular_velocity[-1, 1]
    found = bouncing(sp.Friction(mu, stiffness=1e5, damping=damping))
    assert words(found) == ["gives back"]
    assert found["ball"].angular_velocity[-1, 1] > 1.2 * dry
    advice = advised(found, "gives back", r"damping=([\d.e+-]+)")
    again = bouncing(sp.Friction(mu, stiffness=1e5, damping=advice))
    assert words(again) == []
    assert again["ball"].angular_velocity[-1, 1] == pytest.approx(dry, rel=0.01)


@pytest.mark.parametrize("mu, stiffness, speed", [
    (0.3, None, 1.0), (0.3, 1e5, 1.0), (0.1, 1e5, 3.0), (0.3, 1e5, 6.0), (0.05, None, 3.0),
])  # fmt: skip
def test_friction_whose_damper_works_is_not_told(mu, stiffness, speed) -> None:
    """Its damper may take half of what sliding takes: both together that of dry friction."""
    ran = bouncing(sp.Friction(mu, stiffness=stiffness), speed)
    assert words(ran) == []
    dry = bouncing(sp.RoundedFriction(mu, transition=1e-4), speed)
    lost = [one["bounce"].lost_by_friction[-1] for one in (ran, dry)]
    assert lost[0] == pytest.approx(lost[1], rel=0.01)


def on_a_slope(
    cells: bool, transition: float, t_end: float = 1.0, mu: float = 0.5, turns: bool = False
) -> sp.results.Result:
    """Two balls on a slope of 0.2 rad, which slide without turning, or roll."""
    m = sp.Model(gravity=(G * np.sin(0.2), 0, -G * np.cos(0.2)))
    shapes: list[sp.Shape] = [sp.Plane(m.ground.at(0))]
    for k in range(2):
        body = m.add(sp.RigidBody(f"ball {k}", 1.0, inertia=1e-3))
        place = m.ground.at(0, 0.5 * k, 0.05 - G * np.cos(0.2) / 1e6)
        ways = [("translate", "x"), ("translate", "z")]
        joint = sp.Free if turns else sp.General
        m.add(joint(f"way {k}", place, body.at(0), *([] if turns else [ways])))
        shapes.append(sp.Sphere(body.at(0), radius=0.05))
    law, rubs = sp.HuntCrossley(0.2, 0.1, 1e6, 1.0), sp.RoundedFriction(mu, transition=transition)
    m.add(sp.Contacts("heap", shapes, law, rubs, cells=cells))
    how = {"integrator": sp.DormandPrince(), "tolerance": 1e-5} if cells else {}
    return sp.simulate(m, t_end, **how)


@pytest.mark.parametrize("cells", [False, True])
def test_creep_in_a_set(cells: bool) -> None:
    """At the speed of its law, v0 tan/sqrt(mu^2 - tan^2); not where it slides or rolls."""
    (found,) = on_a_slope(cells, 0.1).motion.findings
    speed = 0.1 * np.tan(0.2) / np.sqrt(0.25 - np.tan(0.2) ** 2)
    far = float(re.search(r"slides by ([\d.e+-]+) m", found.sentence)[1])
    assert found.what == "creep" and far == pytest.approx(speed, rel=0.1)
    assert words(on_a_slope(cells, 1e-3, t_end=0.2)) == []
    assert words(on_a_slope(cells, 1e-2, mu=0.1)) == []
    assert words(on_a_slope(cells, 1e-2, turns=True)) == []


def test_contact_cases_are_told_nothing() -> None:
    """But for the depth of balls at 100 m/s, which is as large as their radius.

    A ball that is driven over a soft floor, as in its source, rolls on a radius that is less.
    """
    named = [case for case in cases.all() if case.name.startswith("contact-")]
    assert len(named) >= 7
    for case in named:
        right = {"rolling"} if case.name == "contact-driven-ball" else {"depth"}
        assert set(words(case.simulate())) <= right, case.name


@pytest.mark.parametrize("word", [passages_of, jump_of])
def test_what_is_passed_through_is_serious(word) -> None:
    """Counted at accepted steps (tests/nojit/test_plain_touches.py); no run has any."""
    found = sp.simulate(hit(3.0, 3.0), 0.1)
    assert word("hit") not in found.statistics and words(found) == []
    again = sp.simulate(hit(3.0, 3.0), 0.1)
    again.statistics[word("hit")] = 1.0
    (finding,) = again.motion.findings
    assert finding.what == "passed through" and finding.serious
    assert again.verdict.startswith("not trusted")


@pytest.mark.parametrize("height", [0.1, 0.0])
def test_a_peak_that_enters_between_balls_is_told(height: float) -> None:
    """A wide box lies on a flat ground, with a peak at one knot between the balls of its face."""
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("box", 10.0, inertia=1.0))
    m.add(sp.Prismatic("way", m.ground.at(0, 0, 0.11), body.at(0), "z"))
    heights = np.zeros((41, 41))
    heights[21, 21] = height  # at x = y = 0.05; balls are 0.14 apart, from 0 on
    ground = sp.HeightField(m.ground.at(-1, -1), heights, 0.05)
    law = sp.HuntCrossley(0.2, 0.5, 1e5, 1)
    m.add(sp.Contact("on", sp.Cuboid(body.at(0), (0.84, 0.84, 0.2)), ground, law))
    found = [f for f in sp.simulate(m, 0.08, output=40).motion.findings if f.what == "between"]
    assert [f.serious for f in found] == ([True] if height > 0.0 else [])


def test_solids_on_grounds_that_balls_can_follow_are_not_told() -> None:
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("box", 1.0, inertia=4e-3))
    m.add(sp.Free("air", m.ground.at(0, 0, 0.3), body.at(0), initial_rate=(1, 2, 0, 1, 0, 0)))
    x = np.arange(-2.0, 4.0, 0.1)
    hills = 0.05 * np.sin(2.0 * x)[:, None] * np.cos(1.5 * x)[None]
    ground = sp.HeightField(m.ground.at(-2, -2), hills, 0.1)
    box = sp.Cuboid(body.at(0), (0.2, 0.15, 0.1))
    m.add(sp.Contact("on", box, ground, sp.HuntCrossley(0.3, 2.0, 1e6, 1), sp.Friction(0.4)))
    assert "between" not in words(sp.simulate(m, 0.5, output=40))
