"""Events on gaps of contacts, against closed forms and touches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import supple as sp
from models.bouncing_ball import METHODS, G, ball, times
from models.touching_bodies import TOUCHING

LAW = sp.HuntCrossley(stiffness=1e6)


def over_floor(z: float = 1.0, vz: float = 0.0, joint: str = "Prismatic") -> sp.Model:
    """A point that flies up and down over a floor."""
    m = ball(z, vz, joint)
    m.add(sp.Contact("hit", sp.Point(m["ball"].at(0)), sp.Plane(m.ground.at(0)), LAW))
    return m


@pytest.mark.parametrize("joint", ["Prismatic", "Free"])
def test_sixty_bounces(joint) -> None:
    """None is missed, at last in flights of 2e-6 s; instants are those of the closed form."""
    e, m, start, found = 0.8, over_floor(joint=joint), None, []
    touch = sp.Event("touch", m["hit"], "gap", direction=-1)
    for _ in range(60):
        state = sp.simulate(m, 5.0, events=touch, output=2, start=start).state()
        found.append(state.t)
        start = replace(state, u=-e * np.array(state.u))
    exact = np.sqrt(2 / G) * np.cumsum([1.0] + [2 * e**j for j in range(1, 60)])
    assert np.abs(found - exact).max() < 1e-13


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["ball", "box", "bar on a cylinder", "ball on heights", "gears"])
def test_events_at_zero_are_touches(name, method) -> None:
    """Touch-down and let-go, each once, whatever part of the shapes touches."""
    model = TOUCHING[name]()
    (contact,) = model.forces
    events = [
        sp.Event(word, contact, "gap", direction=sign, terminal=False)
        for word, sign in (("down", -1), ("up", 1))
    ]
    run = sp.simulate(model, 0.08, events=events, output=2, integrator=METHODS[method])
    touches = run[contact].touches
    begun, ended = touches[touches[:, 0] > 0.0, 0], touches[touches[:, 1] < 0.08, 1]
    # the rounding of a gap, 64 units of 10 m, at 0.1 m/s
    assert times(run, "down") == pytest.approx(begun, abs=1e-12)
    assert times(run, "up") == pytest.approx(ended, abs=1e-12)
    assert len(begun) + len(ended) > 0


@pytest.mark.parametrize("method", ["Radau", "DormandPrince"])
@pytest.mark.parametrize("less", [1e-4, 1e-8])
def test_a_short_stay_near_a_ceiling(method, less) -> None:
    """A ball comes nearer than a distance for a moment of a long step: twice passed, at once."""
    speed = 3.0
    top = speed**2 / (2 * G)
    m = ball(0.0, speed, "Free")
    roof = sp.Cuboid(m.ground.at(0, 0, top + 0.5), size=(1, 1, 0.2))
    m.add(sp.Contact("roof", sp.Sphere(m["ball"].at(0), radius=0.1), roof, LAW))
    for value, expected in ((0.3 + less, True), (0.3 - less, False)):
        event = sp.Event("near", "roof", "gap", value=value, terminal=False)
        run = sp.simulate(m, 0.57, events=event, output=2, integrator=METHODS[method])
        half = np.sqrt(2 * less / G)
        exact = speed / G + np.array([-half, half]) if expected else np.zeros(0)
        # rounding of a gap, 64 units of 2 m, over the speed there
        assert times(run, "near") == pytest.approx(exact, abs=max(1e-13, 3e-14 / (G * half)))


def test_a_bar_that_turns_over_a_floor() -> None:
    """Least gap of two ends: each passes a height twice in a turn, 160 times in a few steps."""
    m = sp.Model()
    bar = m.add(sp.RigidBody("bar", 1.0, inertia=0.1))
    m.add(sp.Revolute("axle", m.ground.at(0, 0, 1), bar.at(0), axis="y", initial_rate=50.0))
    shape = sp.Capsule(bar.at(0), radius=0.1, length=1.0, axis="x")
    m.add(sp.Contact("hit", shape, sp.Plane(m.ground.at(0)), LAW))
    for part in (0.5, 1.0 - 1e-6):
        value = 0.9 - 0.5 * part
        event = sp.Event("low", "hit", "gap", value=value, terminal=False)
        found = times(sp.simulate(m, 80 * np.pi / 50.0, events=event, output=2), "low")
        assert len(found) == 160
        assert np.abs(np.sin(50.0 * found)) == pytest.approx(np.full(160, part), abs=1e-7)


def test_a_run_ends_or_changes_at_touch_down() -> None:
    """A ball that sticks to the floor: its rest is that of the first instant."""
    m = over_floor()
    stop = sp.simulate(m, 1.0, events=sp.Event("down", "hit", "gap"))
    assert stop.t[-1] == pytest.approx(np.sqrt(2 / G), abs=1e-13)
    held = sp.Event("held", "hit", "gap", direction=-1, then=sp.Lock("z"))
    run = sp.simulate(m, 1.0, events=held)
    assert run.success and run.t[-1] == 1.0
    assert run.changes[0].t == stop.t[-1]
    assert run.changes[0].lost == pytest.approx(G, abs=1e-9)  # m g h of 1 kg and 1 m
    assert run["z"].displacement[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("off", [0.0, 1e-17, -1e-17])
def test_a_start_on_the_surface(off) -> None:
    """It leaves at once, which is no crossing, and comes back once."""
    m = over_floor(off, 3.0)
    event = sp.Event("floor", "hit", "gap", terminal=True)
    run = sp.simulate(m, 1.0, events=event, output=2)
    assert times(run, "floor") == pytest.approx([6.0 / G], abs=1e-13)


@pytest.mark.parametrize("method", ["forward", "adjoint"])
def test_derivatives_at_touch_down(method) -> None:
    """The speed there is sqrt(2 g (z - radius)), along the height and the radius."""
    m = ball()
    law = sp.HuntCrossley(stiffness=1e3, exponent=2.0)  # with a slope at touch-down
    m.add(sp.Contact("hit", sp.Sphere(m["ball"].at(0), radius=0.1), sp.Plane(m.ground.at(0)), law))
    found = sp.sensitivity(
        m, ["z.initial", "hit.A.radius"], outputs=["z.displacement_rate @ end"], t_end=1.0,
        events=sp.Event("down", "hit", "gap"), method=method,
    )  # fmt: skip
    slope = -np.sqrt(G / 1.8)
    assert found.gradient("z.displacement_rate @ end") == pytest.approx([slope, -slope], rel=1e-7)


def test_sentences() -> None:
    m = over_floor()
    with pytest.raises(sp.ModelError, match=r"'hot', expected the name of a Contact .*'hit'"):
        sp.simulate(m, 1.0, events=sp.Event("a", "hot", "gap"))
    with pytest.raises(sp.ModelError, match=r"of is 'z', expected the name of a Contact"):
        sp.simulate(m, 1.0, events=sp.Event("a", "z", "gap"))
    with pytest.raises(sp.ModelError, match=r"quantity is 'rate', expected 'gap'"):
        sp.Event("a", m["hit"], "rate")
    with pytest.raises(sp.ModelError, match="quantity"):
        sp.Event("a", m["ball"].at(0), "gap")
    pile = sp.Contacts("pile", [sp.Point(m["ball"].at(0)), sp.Plane(m.ground.at(0))], LAW)
    with pytest.raises(sp.ModelError, match="expected a joint or Contact, its name, or a Frame"):
        sp.Event("a", pile, "gap")
