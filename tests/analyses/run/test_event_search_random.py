"""Events of random models against ten thousand samples of the motion: none missed, none false."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import supple as sp
from models.bouncing_ball import METHODS, G, ball, times

pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
SAMPLES = 10_000
QUANTITIES = {"x": 0, "y": 1, "z": 2, "vx": 0, "vz": 2, "wx": 0, "wy": 1}
HIDDEN = 1e-9  # part of the range of a quantity that samples do not tell from rounding


def chain(rng: np.random.Generator) -> sp.Model:
    """One to three bodies on joints of every kind, thrown, some of them turning fast."""
    m = sp.Model(gravity=(0, 0, -G))
    ends = [m.ground.at(0)]
    for i in range(int(rng.integers(1, 4))):
        com, inertia = tuple(rng.uniform(-0.3, 0.3, 3)), tuple(rng.uniform(0.1, 0.15, 3))
        body = m.add(sp.RigidBody(f"b{i}", 1.0, com, inertia))
        pair = ends[rng.integers(len(ends))], body.at(*rng.uniform(-0.3, 0.3, 3))
        name, axis, kind = f"j{i}", "xyz"[rng.integers(3)], rng.integers(5)
        if kind == 0:
            m.add(sp.Revolute(name, *pair, axis=axis, initial_rate=rng.uniform(-10, 10)))
        elif kind == 1:
            m.add(sp.Prismatic(name, *pair, axis=axis, initial_rate=rng.uniform(-3, 3)))
            m.add(sp.JointSpring(f"s{i}", name, stiffness=rng.uniform(5, 50)))
        elif kind == 2:
            m.add(sp.Spherical(name, *pair, initial_rate=tuple(rng.uniform(-8, 8, 3))))
        elif kind == 3:
            m.add(sp.Revolute(name, *pair, axis=axis, initial_rate=rng.uniform(-60, 60)))
        else:
            pair = pair[0], body.at(0)
            m.add(sp.Free(name, *pair, initial_rate=tuple(rng.uniform(-6, 6, 6))))
        ends.append(body.at(*rng.uniform(-0.5, 0.5, 3)))
    return m


def histories(
    m: sp.Model, fine: sp.results.Result, rng: np.random.Generator
) -> Iterator[tuple[sp.Event, np.ndarray]]:
    """Events of a point of every body, anywhere or close to the extremes, with the distance."""
    for name in m.bodies:
        place = tuple(rng.uniform(-0.4, 0.4, 3))
        point = fine[name].at(*place)
        series = point.position, point.velocity, fine[name].angular_velocity
        for quantity, axis in QUANTITIES.items():
            y = series["vw".find(quantity[0]) + 1][:, axis]
            parts = rng.uniform(), 1e-4 * rng.uniform(), 1.0 - 1e-3 * rng.uniform()
            for k, part in enumerate(parts):
                if np.ptp(y) > 1e-9:
                    value, direction = float(y.min() + part * np.ptp(y)), int(rng.integers(-1, 2))
                    label = f"{name} {quantity} {k}"
                    frame, rule = m[name].at(*place), {"direction": direction, "terminal": False}
                    yield sp.Event(label, frame, quantity, value=value, **rule), y - value


def compare(t: np.ndarray, y: np.ndarray, direction: int, found: np.ndarray) -> None:
    """Samples change their sign where events are, and otherwise come as close as they curve."""
    above, hidden = y > 0.0, HIDDEN * np.ptp(y)
    up, down = ~above[:-1] & above[1:], above[:-1] & ~above[1:]
    places = np.flatnonzero((up & (direction >= 0)) | (down & (direction <= 0)))
    for i in places:
        if min(abs(y[i]), abs(y[i + 1])) > hidden:
            assert np.any((found > t[i] - 1e-12) & (found < t[i + 1] + 1e-12)), ("missed", t[i])
    for time in found:
        i = int(np.clip(np.searchsorted(t, time) - 1, 0, len(t) - 2))
        if not np.any(np.abs(places - i) <= 1):
            curve = np.abs(np.diff(y[max(i - 3, 0) : i + 5], 2)).max()
            assert min(abs(y[i]), abs(y[i + 1])) <= 2.0 * curve + hidden, ("false", time)


@pytest.mark.parametrize("method", ["Radau", "DormandPrince"])
@pytest.mark.parametrize("seed", range(4))
def test_events_of_random_models(seed, method) -> None:
    """Loose tolerances: steps are long, with several events in each."""
    m, rng = chain(np.random.default_rng([seed, 1])), np.random.default_rng([seed, 2])
    run = {"output": SAMPLES, "integrator": METHODS[method], "tolerance": "loose"}
    fine = sp.simulate(m, 1.0, **run)
    watched = list(histories(m, fine, rng))
    result = sp.simulate(m, 1.0, events=[event for event, _ in watched], **run)
    assert np.array_equal(result.q, fine.q)  # the same polynomials
    assert len(result.events) > len(watched) / 2
    for event, y in watched:
        compare(fine.t, y, event.direction, times(result, event.name))


def arm_on_rotors(rng: np.random.Generator, edge: float | None) -> sp.Model:
    """Bodies that turn on each other, and a spring that pushes points closer than ``edge``."""
    m, bodies = sp.Model(), []
    for i in range(int(rng.integers(2, 4))):
        body = m.add(sp.RigidBody(f"b{i}", 1.0 + i, (0, 0, 0), (0.2, 0.2, 0.2)))
        on = m.ground.at(0) if i == 0 else bodies[-1].at(*rng.uniform(-0.4, 0.4, 3))
        start = {"initial": rng.uniform(-2, 2), "initial_rate": rng.uniform(-9, 9)}
        m.add(sp.Revolute(f"j{i}", on, body.at(0), axis="xyz"[rng.integers(3)], **start))
        bodies.append(body)
    ends = bodies[-1].at(*rng.uniform(-0.6, 0.6, 3)), bodies[0].at(*rng.uniform(-0.6, 0.6, 3))
    law = ((-9.0, -18e3), (0.0, 0.0), (50.0, 0.0))
    given = (
        {"spring": law, "length": edge} if edge is not None else {"stiffness": 0.0, "length": 1.0}
    )
    m.add(sp.SpringDamper("gap", *ends, **given))
    return m


@pytest.mark.parametrize("seed", [0, 2, 16])
def test_touches_of_points_on_what_turns(seed) -> None:
    """Two points of a path come close for a moment: as with steps that are shorter than it."""
    free = sp.simulate(arm_on_rotors(np.random.default_rng(seed), None), 1.0, output=SAMPLES)
    distance = free["gap"].length
    assert 0 < distance.argmin() < SAMPLES
    edge = float(distance.min() + 1e-4 * np.ptp(distance))
    m = arm_on_rotors(np.random.default_rng(seed), edge)
    short = sp.simulate(m, 1.0, output=2, integrator=sp.DormandPrince(max_step=2e-3))
    effect = np.abs(free.q[-1] - short.q[-1]).max()
    assert effect > 1e-4
    for method in ("Radau", "DormandPrince", "BDF"):
        q = sp.simulate(m, 1.0, output=2, integrator=METHODS[method]).q[-1]
        assert np.abs(q - short.q[-1]).max() < 0.1 * effect, method


@pytest.mark.parametrize(
    ("kind", "method"),
    [("stop", sp.BDF()), ("stop", sp.Adams()), *(("rope", method) for method in METHODS.values())],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_a_touch_that_error_control_does_not_see(kind, method) -> None:
    """For 9 ms of a flight of 0.57 s, before and behind which nothing differs."""
    speed, deep, w = 3.0, 1e-4, 1e3
    top = speed**2 / (2 * G)
    m = ball(0.0, speed)
    if kind == "stop":
        m.add(sp.JointStop("ceiling", "z", lower=-10.0, upper=top - deep, stiffness=w**2))
    else:
        length, path = 1.0 + top - deep, [m.ground.at(0, 0, -1), m["ball"].at(0)]
        m.add(sp.Rope("rope", path, w**2 * length, length))
    result = sp.simulate(m, 0.57, integrator=method, output=2)
    v = np.sqrt(2 * G * deep)
    t = 0.57 + 2.0 * v / G - 2.0 / w * (np.pi / 2 - np.arctan(G / (w * v)))
    assert result["z"].displacement[-1] == pytest.approx(speed * t - 0.5 * G * t**2, abs=2e-6)


@pytest.mark.parametrize("method", [sp.Radau, sp.DormandPrince])
@pytest.mark.parametrize("speed", [1.0, 1e-2, 1e-4])
def test_steps_end_on_stops_however_slow_they_are_reached(speed, method) -> None:
    """Of a place 0.6 m away rounding is passed in part of a step; half an oscillation, exactly."""
    w, before = 50.0, 0.3371  # rad/s, s
    for longest in (1.0, 0.01):
        m = sp.Model()
        block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
        start = {"initial": 0.6 - before * speed, "initial_rate": speed}
        m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), axis="x", **start))
        m.add(sp.JointStop("stop", "rail", lower=-5.0, upper=0.6, stiffness=w**2))
        result = sp.simulate(m, 1.0, output=2, integrator=method(max_step=longest))
        back = 0.6 - speed * (1.0 - before - np.pi / w)
        assert result["rail"].displacement[-1] == pytest.approx(back, abs=1e-8 * speed, rel=0.0)


@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()], ids=str)
@pytest.mark.parametrize("method", ["Radau", "DormandPrince", "GeneralizedAlpha"])
def test_what_is_driven_to_a_value_arrives_once(method, formulation) -> None:
    """A driver holds from 0.3 s on: rounding about its value, or about rest, is no crossing."""
    m = sp.Model(gravity=(0, 0, -G))
    a, b = (m.add(sp.RigidBody(n, 1.0, (0.3, 0, 0), (0.1, 0.1, 0.1))) for n in "ab")
    m.add(sp.Revolute("j", m.ground.at(0), a.at(0), axis="y"))
    m.add(sp.Revolute("k", a.at(1.0), b.at(0), axis="y"))
    m.add(sp.Driver("d", "j", sp.SmoothStep(0.0, 0.3, 0.1, 0.5)))
    tip = a.at(1.0)
    events = [
        sp.Event("angle", "j", value=0.5, terminal=False),
        sp.Event("rate", "j", "rate", terminal=False),
        sp.Event("z", tip, "z", value=-np.sin(0.5), terminal=False),
        sp.Event("vz", tip, "vz", terminal=False),
        sp.Event("wy", tip, "wy", terminal=False),
    ]
    options = {"integrator": METHODS[method], "formulation": formulation}
    result = sp.simulate(m, 1.0, events=events, output=2, **options)
    for event in events:
        assert times(result, event.name) == pytest.approx([0.3], abs=1e-3), event.name


def test_events_at_the_ends_of_runs() -> None:
    """A floor is reached at the end, or just not; a run that goes on does not find it again."""
    m, fall = ball(1.0), float(np.sqrt(2.0 / G))
    floor = sp.Event("floor", "z", terminal=False)
    for end, count in ((fall * (1 - 1e-9), 0), (fall, 1), (fall * (1 + 1e-9), 1)):
        assert len(sp.simulate(m, end, events=floor, output=2).events) == count
    half = sp.Event("half", "z", value=0.5, terminal=True)
    first = sp.simulate(m, 1.0, events=half, output=2)
    again = sp.simulate(m, 1.0, events=half, output=2, start=first.state())
    assert len(first.events) == 1 and not again.events
    still = sp.Event("top", "z", "rate", terminal=False)  # at rest at the end of the run
    assert len(sp.simulate(ball(0.0, 3.0), 3.0 / G, events=still, output=2).events) == 1
