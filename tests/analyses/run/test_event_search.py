"""Events and kinks of force laws are found wherever they are in a step, however short they last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import supple as sp
from models.bouncing_ball import METHODS, G, ball, times

LAW = sp.HuntCrossley(0.8, 2.0, 1e7)


def test_sixty_bounces() -> None:
    """The last flight takes 1.7e-6 s, where the first try of a step is a tenth of a second."""
    e, m, start, found = 0.8, ball(), None, []
    touch = sp.Event("touch", "z", direction=-1, terminal=True)
    for _ in range(60):
        state = sp.simulate(m, 5.0, events=touch, output=2, start=start).state()
        found.append(state.t)
        start = replace(state, u=-e * np.array(state.u))
    exact = np.sqrt(2 / G) * np.cumsum([1.0] + [2 * e**j for j in range(1, 60)])
    assert np.abs(found - exact).max() < 1e-13


@pytest.mark.parametrize("joint", ["Prismatic", "Free"])
@pytest.mark.parametrize("method", METHODS)
def test_a_short_stay_above_a_height(method, joint) -> None:
    """A ball thrown up passes a height 0.1 mm, 1e-8 m below its highest point: twice, at once."""
    speed, run = 3.0, {"integrator": METHODS[method], "output": 2}
    top = speed**2 / (2 * G)
    for less in (1e-4, 1e-8):
        m = ball(0.0, speed, joint)
        watched = "z" if joint == "Prismatic" else m["ball"].at(0)
        quantity = "coordinate" if joint == "Prismatic" else "z"
        event = sp.Event("high", watched, quantity, value=top - less, terminal=False)
        result = sp.simulate(m, 0.57, events=event, **run)
        half = np.sqrt(2 * less / G)
        # a parabola: a method of order 2 finds it to its tolerance, others to rounding of a place,
        # a sum of some 16 terms, over the speed there
        exactly = max(16 * 2.2e-16 * top / (G * half), 1e-13)
        error = exactly if method in ("Radau", "DormandPrince") else 1e-5 / half / G
        exact = speed / G + np.array([-half, half])
        assert times(result, "high") == pytest.approx(exact, abs=error)
        above = sp.Event("never", watched, quantity, value=top + less, terminal=False)
        if method in ("Radau", "DormandPrince"):
            assert not sp.simulate(m, 0.57, events=above, **run).events


def test_directions_and_order_within_one_step() -> None:
    """All heights on the way up and down, in one or two steps, each direction on its own."""
    heights = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
    events = [
        sp.Event(f"{word} {name}", "z", value=z, direction=sign, terminal=False)
        for name, z in heights.items()
        for word, sign in (("up", 1), ("down", -1), ("any", 0))
    ]
    result = sp.simulate(ball(0.0, 3.0), 0.6, events=events, output=2)
    assert result.statistics["steps"] < 10
    assert np.all(np.diff([e.t for e in result.events]) >= 0.0)
    for name, z in heights.items():
        up, down = (3.0 + np.array([-1, 1]) * np.sqrt(9.0 - 2 * G * z)) / G
        assert times(result, f"up {name}") == pytest.approx([up], abs=1e-13)
        assert times(result, f"down {name}") == pytest.approx([down], abs=1e-13)
        assert times(result, f"any {name}") == pytest.approx([up, down], abs=1e-13)


def test_what_is_behind_a_terminal_event_does_not_happen() -> None:
    end = sp.Event("end", "z", value=0.2, direction=-1, terminal=True)
    heights = {"low": 0.1, "high": 0.3}
    others = [sp.Event(name, "z", value=z, terminal=False) for name, z in heights.items()]
    result = sp.simulate(ball(0.0, 3.0), 0.6, events=[*others, end], output=2)
    assert [e.name for e in result.events] == ["low", "high", "high", "end"]
    assert result["z"].displacement[-1] == pytest.approx(0.2, abs=1e-15)


@pytest.mark.parametrize("joint", ["Prismatic", "Free"])
@pytest.mark.parametrize("direction", [-1, 0, 1])
@pytest.mark.parametrize("off", [0.0, 1e-17, -1e-17])
def test_a_start_on_the_surface(direction, off, joint) -> None:
    """It leaves at once, which is no crossing, and comes back once."""
    m = ball(off, 3.0, joint)
    watched = ("z", "coordinate") if joint == "Prismatic" else (m["ball"].at(0), "z")
    event = sp.Event("floor", *watched, direction=direction, terminal=False)
    found = times(sp.simulate(m, 1.0, events=event, output=2), "floor")
    assert found == pytest.approx([6.0 / G] if direction < 1 else [], abs=1e-13)


def test_what_rests_at_a_value_passes_nothing() -> None:
    m = ball(0.5)
    m.add(sp.JointEffort("hold", "z", G))
    frame = m["ball"].at(0)
    events = [
        sp.Event("height", "z", value=0.5, terminal=False),
        sp.Event("rate", "z", "rate", value=0.0, terminal=False),
        sp.Event("place", frame, "z", value=0.5, terminal=False),
        sp.Event("side", frame, "x", value=0.0, terminal=False),
        sp.Event("velocity", frame, "vz", value=0.0, terminal=False),
        sp.Event("spin", frame, "wx", value=0.0, terminal=False),
    ]
    assert not sp.simulate(m, 1.0, events=events).events


def rotor(rate: float) -> sp.Model:
    m = sp.Model()
    b = m.add(sp.RigidBody("rotor", 1.0, inertia=(0.1, 0.2, 0.3)))
    m.add(sp.Revolute("axle", m.ground.at(0), b.at(0), axis="y", initial_rate=rate))
    return m


def test_many_turns_in_a_step_of_other_methods() -> None:
    """Steps of a hundred turns, which hold more crossings than are told apart, are not made."""
    for rate, method in ((50.0, sp.BDF()), (3000.0, sp.Adams()), (3000.0, sp.GeneralizedAlpha())):
        m = rotor(rate)
        event = sp.Event("e", m["rotor"].at(1, 0, 0), "z", value=0.3, terminal=False)
        result = sp.simulate(m, 800 * np.pi / rate, events=event, output=2, integrator=method)
        assert len(result.events) == 800


@pytest.mark.parametrize("method", ["Radau", "DormandPrince"])
def test_many_turns_in_a_step(method) -> None:
    """A point that turns with 50 and 3000 rad/s passes heights just below its highest place."""
    for rate, turns in ((50.0, 30), (3000.0, 400)):
        m, t_end = rotor(rate), 2 * np.pi * turns / rate
        for quantity, size, phase in (("z", 1.0, -1.0), ("vx", rate, -1.0)):
            for part in (0.3, 1.0 - 1e-6):
                point, value = m["rotor"].at(1, 0, 0), part * size
                event = sp.Event("e", point, quantity, value=value, terminal=False)
                result = sp.simulate(m, t_end, events=event, output=2, integrator=METHODS[method])
                found = times(result, "e")
                assert len(found) == 2 * turns
                angles = phase * np.sin(rate * found)  # z = -sin, vx = -rate sin of the angle
                assert angles == pytest.approx(np.full(2 * turns, part), abs=1e-7)


def arm() -> sp.Model:
    """Two links that swing through, and a free body on a spring: paths with several columns."""
    m = sp.Model(gravity=(0, 0, -G))
    a = m.add(sp.RigidBody("a", 1.0, com=(0, 0, -0.5), inertia=0.1))
    b = m.add(sp.RigidBody("b", 1.0, com=(0, 0, -0.5), inertia=0.1))
    c = m.add(sp.RigidBody("c", 1.0, inertia=(0.1, 0.2, 0.25)))
    m.add(sp.Revolute("p", m.ground.at(0), a.at(0), axis="y", initial=1.5))
    m.add(sp.Revolute("q", a.at(0, 0, -1), b.at(0), axis="x", initial=1.0, initial_rate=3.0))
    m.add(sp.Free("f", m.ground.at(0), c.at(0), initial_rate=(1, 9, 2, 1, 0, 5)))
    m.add(sp.SpringDamper("s", m.ground.at(0), c.at(0.3, 0, 0), stiffness=20.0, length=0.5))
    return m


@pytest.mark.parametrize("tolerance", ["loose", "default"])
def test_every_quantity_of_points_against_fine_output(tolerance) -> None:
    """Crossings close to the extremes of what points do, from the polynomials that are searched."""
    m = arm()
    fine = sp.simulate(m, 2.0, output=20_000, tolerance=tolerance)
    for body, place in (("b", (0.1, 0.2, -1.0)), ("c", (0.3, 0.1, 0.0))):
        point, events, expected = fine[body].at(*place), [], {}
        histories = {
            "x": point.position[:, 0],
            "z": point.position[:, 2],
            "vy": point.velocity[:, 1],
            "wx": fine[body].angular_velocity[:, 0],
        }
        for quantity, y in histories.items():
            for part in (0.5, 1e-4, 1.0 - 1e-3):
                value = float(y.min() + part * np.ptp(y))
                name, sign = f"{quantity} {len(events)}", y > value
                places = np.flatnonzero(sign[1:] != sign[:-1])
                expected[name] = fine.t[places], fine.t[places + 1]
                frame = m[body].at(*place)
                events.append(sp.Event(name, frame, quantity, value=value, terminal=False))
        result = sp.simulate(m, 2.0, events=events, output=2, tolerance=tolerance)
        for name, (low, high) in expected.items():
            found = times(result, name)
            assert len(found) >= len(low)
            for a, b in zip(low, high, strict=True):
                assert np.any((found > a - 1e-9) & (found < b + 1e-9))


@pytest.mark.parametrize("method", ["Radau", "DormandPrince", "GeneralizedAlpha"])
def test_a_stop_that_is_touched_for_a_moment(method) -> None:
    """Thrown up below a stop by less than it flies: the touch takes 9 ms of 0.57 s, and is felt."""
    speed, deep = 3.0, 1e-4
    top = speed**2 / (2 * G)
    m = ball(0.0, speed)
    m.add(sp.JointStop("ceiling", "z", lower=-10.0, upper=top - deep, stiffness=1e6))
    result = sp.simulate(m, 0.57, integrator=METHODS[method], output=2)
    # back earlier: half an oscillation about the sunk place instead of the rest of the parabola
    w, v = 1e3, np.sqrt(2 * G * deep)
    touching = 2.0 / w * (np.pi / 2 - np.arctan(G / (w * v)))
    missing = 2.0 * v / G - touching
    t = 0.57 + missing  # the parabola after the touch is that of a later time
    place, rate = speed * t - 0.5 * G * t**2, speed - G * t
    error = 3e-5 if method == "GeneralizedAlpha" else 1e-6
    assert result["z"].displacement[-1] == pytest.approx(place, abs=error)
    assert result["z"].rates[-1, 0] == pytest.approx(rate, abs=error)
    assert missing > 5e-3  # what a run that does not see the stop is wrong by


@pytest.mark.parametrize("kind", ["table", "formula", "line", "limit"])
def test_kinks_that_are_passed_for_a_moment(kind) -> None:
    """Laws that act, or cease to act, in the last 0.1 mm of a flight, against many short steps."""
    speed, deep, k = 3.0, 1e-4, 1e6
    edge = speed**2 / (2 * G) - deep
    m = ball(0.0, speed)
    law = ((-10, 0), (edge, 0), (10, k * (10 - edge)))
    if kind == "table":
        m.add(sp.JointSpring("law", "z", spring=law))
    elif kind == "formula":
        m.add(sp.JointSpring("law", "z", spring=f"max(0, x - {edge!r})*{k}"))
    elif kind == "line":
        ends = m.ground.at(0, 0, -1), m["ball"].at(0)
        m.add(sp.SpringDamper("law", *ends, spring=law, length=1.0))
    else:  # its effort is cut at 1 N but within 0.1 mm of the highest place
        m.add(sp.PID("law", "z", kp=1e4, target=edge + 2 * deep, limit=1.0))
    runs = [sp.simulate(m, 0.57, output=2, integrator=sp.Radau(max_step=h)) for h in (1.0, 1e-4)]
    one, other = (r["z"].displacement[-1] for r in runs)
    assert one == pytest.approx(other, abs=1e-6)
    assert runs[0].statistics["steps"] < 300
    if kind != "limit":
        free = speed * 0.57 - 0.5 * G * 0.57**2
        assert abs(other - free) > 5e-3


@pytest.mark.parametrize("method", ["Radau", "DormandPrince", "GeneralizedAlpha"])
@pytest.mark.parametrize("limit", ["stop", "controller"])
def test_a_limit_that_is_not_there_cuts_no_step(limit: str, method: str) -> None:
    """The same steps, to the last bit, as with one that is far away."""
    found = []
    for far in (np.inf, 1e9):
        m = ball(0.2)
        m.add(sp.Contact("hit", sp.Plane(m.ground.at(0)), sp.Point(m["ball"].at(0)), LAW))
        if limit == "stop":
            m.add(sp.JointStop("top", "z", lower=-far, upper=0.3, stiffness=1e4))
        else:
            m.add(sp.JointStop("top", "z", upper=0.3, stiffness=1e4, lower=-1e9))
            m.add(sp.PID("hold", "z", kp=1.0, ki=0.1, kd=0.1, target=0.1, limit=far))
        r = sp.simulate(m, 1.0, integrator=METHODS[method], output=20, tolerance=1e-6)
        found.append((r.statistics["steps"], r.q.tobytes(), r.u.tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", [sp.Radau, sp.DormandPrince, sp.GeneralizedAlpha])
@pytest.mark.parametrize("law", ["plane", "globe", "stop", "rope"])
def test_a_run_leaves_a_kink_within_rounding(law: str, method) -> None:
    """It begins in steps that do not move what is 1e-16 m to 1e-14 m from a kink; they grow."""
    for gap in (0.0, 1e-16, 1e-15, 4e-15, 1e-14):
        m = sp.Model(gravity=(0, 0, -G))
        b = m.add(sp.RigidBody("ball", 1.0, inertia=1e-2))
        m.add(sp.Prismatic("z", m.ground.at(1, 1, 0), b.at(0), "z", 0.5 + gap, -0.1))
        if law in ("plane", "globe"):
            under, ball_ = sp.Plane(m.ground.at(0)), sp.Sphere(b.at(0), radius=0.5)
            if law == "globe":
                under = sp.Sphere(m.ground.at(1, 1, -6e6), radius=6e6)
            m.add(sp.Contact("hit", under, ball_, LAW))
        elif law == "stop":
            m.add(sp.JointStop("hit", "z", lower=0.5, stiffness=1e7))
        else:
            path = [m.ground.at(1, 1, 1.5), b.at(0)]
            m.add(sp.Rope("hit", path, length=1.0, stiffness=1e7))
        brief = method(first_step=1e-12, max_steps=3000)
        assert sp.simulate(m, 0.1, integrator=brief, output=2, tolerance=1e-5).success, gap
