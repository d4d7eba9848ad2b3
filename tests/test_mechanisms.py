"""Mechanisms with closed loops: references, closure and builders, without the engine for loops."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise
from math import pi
from types import SimpleNamespace

import numpy as np
import pytest
from governor_oracles import falling, windows
from mechanism_references import COARSE, FILE, TIMES, difference, plane_forces, table
from natural_coordinates import Natural, motion, poses, world
from one_degree import near
from plane_oracles import Andrews, FourBar
from space_oracles import Bennett, Bricard, turn

from supple.cases import bennett, four_bar
from supple.cases.case import references
from supple.cases.linkage import RELATIVE, nearest_turn
from supple.cases.mechanisms import CASES, LOOPS, TREES
from supple.cases.n_four_bar import windows as build_windows

BY_NAME = {case.name: case for case in CASES}
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)

# The squeezer at 0.03 s, test set for IVP solvers: angles, rates, and forces at E on K3, K4, K6.
PUBLISHED = (
    (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948)
    + (0.5244099658805304, 0.5347301163226948, 1.048080741042263),
    (1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385)
    + (0.5735699284790808, -19.29337464421385, 0.3231791658026955),
    ((199.1753333731910, -29.75531228015052), (23.06654119098399, 31.45271365475927))
    + ((22.64249232082739, 11.61740700019673),),
)


def bounds(reference):
    """Tolerance of each kind of quantity, as the cases have it."""
    largest = {kind: np.abs(flat(reference[kind])).max() for kind in reference if kind in VALUES}
    energy = RELATIVE * largest["kinetic"]
    found = {kind: RELATIVE * largest[kind] for kind in largest}
    found |= {"angles": 1e-6, "displacements": 1e-6, "points": 1e-6}
    return found | {kind: energy for kind in ("kinetic", "gravity", "elastic", "work", "dissipated")}


VALUES = ("angle_rates", "displacement_rates", "forces", "kinetic")


def flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    return np.concatenate([flat(v) for v in value]) if isinstance(value, list) else [value]


def cut(reference, count):
    """The first times of a reference."""
    if isinstance(reference, dict):
        return {k: cut(v, count) for k, v in reference.items() if k != "error_estimate"}
    return reference[:count]


# -------------------------------------------------------------------------------- the references


@every_case
def test_stored_numbers_are_those_of_the_oracle(case):
    """The first times again, with an error a hundred times smaller than the cases allow."""
    reference = references("mechanisms")[case.name]
    count = 2 if len(reference["times"]) < 8 or "bri" in case.name else 3
    stored = cut(reference, count)
    again = table(case.name, stored["times"], 1e-10)
    allowed = bounds(reference)
    for kind, error in difference(again, stored).items():
        assert error < 0.01 * allowed[kind], kind


@pytest.mark.slow
@every_case
def test_all_stored_numbers_are_those_of_the_oracle(case):
    reference = references("mechanisms")[case.name]
    again = table(case.name, tolerance=COARSE)
    for kind, error in difference(again, cut(reference, None)).items():
        assert error <= 2.0 * reference["error_estimate"][kind], kind


@every_case
def test_tolerances_are_far_above_the_error_of_the_reference(case):
    reference = references("mechanisms")[case.name]
    length = 0.01 if case.name == "andrews-squeezer" else 1.0
    for kind, error in reference["error_estimate"].items():
        bound = bounds(reference)[kind]
        bound *= length if kind in ("points", "displacements") else 1.0
        assert 10.0 * error < bound, kind
    assert case.times == TIMES[case.name]


def test_references_keep_energy():
    """What gravity, springs and the drive give or take is what the kinetic energy changes by."""
    for name, reference in references("mechanisms").items():
        total = np.array(reference["kinetic"])
        for kind, sign in (("gravity", 1), ("elastic", 1), ("work", -1), ("dissipated", 1)):
            if kind in reference:
                total = total + sign * np.array(reference[kind])
        assert np.ptp(total) < 1e-10 * max(reference["kinetic"]), name


def test_the_published_squeezer():
    """Ours differs by 1.1e-9 rad in beta; at its own beta the published state is on the curve."""
    angles, rates, forces = (np.array(x) for x in PUBLISHED)
    reference = references("mechanisms")["andrews-squeezer"]
    ours = np.array([v[-1] for v in reference["angles"].values()])[:7]
    assert np.abs(ours - angles).max() < 2e-9
    o = Andrews()
    beta = angles[:1]
    assert np.abs(o.angles(beta) - angles).max() < 1e-14
    assert np.abs(o.rates(beta, rates[0]) - rates).max() < 1e-10 * np.abs(rates).max()
    for joint, force in zip(("E3", "E4", "E6"), forces, strict=True):
        for axis, value in zip("xy", force, strict=True):
            # d(force)/d(beta) is some 1e4 N/rad there
            assert reference["forces"][joint][axis][-1] == pytest.approx(value, abs=2e-5)


def test_time_of_the_squeezer_by_energy():
    """The time to reach an angle is an integral over the energy: no step, no derivative of m."""
    o = Andrews()
    nodes, weights = np.polynomial.legendre.leggauss(24)
    reference = references("mechanisms")["andrews-squeezer"]
    start, k = o.x0[0], 1
    end = reference["angles"]["beta"][k]

    def slowness(w):  # dt/dw with beta = start + w^2, smooth where the motion begins
        x = np.array([start + w * w])
        return 2 * w / np.sqrt(2 * (o.stored(o.x0) - o.stored(x)) / o.inertia(x))

    edges = np.linspace(0.0, np.sqrt(end - start), 5)
    time = sum(
        0.5 * (b - a) * weights @ [slowness(0.5 * (a + b + (b - a) * z)) for z in nodes]
        for a, b in pairwise(edges)
    )
    speed = reference["angle_rates"]["beta"][k]
    assert abs(time - reference["times"][k]) * speed < 1e-9  # rad


def test_period_of_bricard_by_energy():
    """From a = 0 to a = pi and back; the trapezoidal rule converges geometrically."""
    o = Bricard()
    u = (np.arange(128) + 0.5) * pi / 128
    a = 0.5 * pi * (1.0 - np.cos(u))
    b = -np.arcsin(np.sin(a) / (1.0 + np.sin(a)))
    time = 0.0
    for x, sine in zip(np.array([a, b]).T, np.sin(u), strict=True):
        m = o.inertia(x) / o.tangent(x)[0] ** 2
        time += 0.5 * pi * sine * np.sqrt(m / (2.0 * (o.height(o.x0) - o.height(x)))) * pi / 128
    assert 2.0 * time == pytest.approx(4.98630861, abs=1e-8)
    x, speed = o.motion([1.0, 4.98630861], 1e-11)
    assert np.abs(x[1]).max() < 1e-7 and abs(speed[1]) < 1e-6


def test_windows_as_a_pendulum():
    times = np.linspace(0.5, 10.0, 20)
    for count in (1, 2, 40):
        exact, integrated = windows(count, times), falling(count, times, 1e-13)
        assert np.abs(np.array(exact) - integrated).max() < 1e-9
    # one window: T = 1/2 (1 + 2/3) f'^2, V = g (1 + 1) cos f
    f, rate = windows(1, times)
    energy = 0.5 * (1 + 2 / 3) * rate**2 + 9.81 * 2 * np.cos(f)
    assert np.ptp(energy) < 1e-11 and energy[0] == pytest.approx(0.5 * (5 / 3) + 19.62)


# ------------------------------------------------------------------------------------- closure


def test_closure_of_bricard():
    """The chain of five rods ends at the ground's second point, turned by the sixth angle."""
    o = Bricard()
    for a in (-0.5, 0.3, 1.0, 2.5, pi):
        x = np.array([a, -np.arcsin(np.sin(a) / (1 + np.sin(a)))])
        _, (R, p, w, v) = o.chain(x, o.tangent(x))
        assert np.abs(p - [0, 0, 1]).max() < 1e-14
        assert np.abs(R @ turn(o.axes[5], x[1]) - np.eye(3)).max() < 1e-14
        assert np.abs(v).max() < 1e-14
        assert np.abs(w + o.tangent(x)[1] * R @ o.axes[5]).max() < 1e-14


def test_closure_of_bennett():
    o = Bennett()
    for angle in (1.0, 2.0, 3.1, 4.0, 9.0, -1.0):
        (q, u), x = o.joints(np.array([angle]), np.ones(1)), np.eye(3)[0]
        _, (R, p, w, v) = o.chain(np.array([angle]), np.ones(1))
        assert np.tan(q[0] / 2) * np.tan(q[1] / 2) == pytest.approx(o.ratio, rel=1e-12)
        fourth = R @ turn(np.eye(3)[2], q[3])
        assert np.abs(p + fourth @ (o.b * x)).max() < 1e-14
        assert np.abs(fourth @ turn(x, o.beta) - np.eye(3)).max() < 1e-14
        assert np.abs(v).max() < 1e-13 and np.abs(w + u[3] * R[:, 2]).max() < 1e-13
        if 0 < angle < 2 * pi:
            assert bennett.second(angle) == pytest.approx((near(q[1], 0), u[1]), abs=1e-13)


def test_closure_of_the_four_bar():
    o = FourBar()
    for angle in np.linspace(-3, 3, 9):
        _, coupler, rocker = o.bars(np.array([angle]), np.array([2.0]))
        assert np.allclose(coupler.place(1.1, 0), rocker.place(0.9, 0), rtol=0, atol=1e-15)
        angles, rates = four_bar.closed(angle, 2.0)
        bearings = [np.arctan2(*bar.unit[::-1]) for bar in (coupler, rocker)]
        assert np.allclose(nearest_turn(angles, bearings), bearings, rtol=0, atol=1e-14)
        assert np.allclose(rates, [coupler.rate, rocker.rate], rtol=1e-13)


def test_forces_of_a_hanging_bar_are_its_weight():
    """The crank at rest straight down, hanging from its bearing: sign and size of a reaction."""
    weight = SimpleNamespace(gravity=np.array([0, 0, -9.81]), frame=FourBar.frame)
    bar = SimpleNamespace(mass=2.0, place=np.array([0, 0, -0.5]), inertia=np.eye(3))
    weight.bodies = lambda x, rates: [bar]
    weight.tangent = lambda x: np.ones(1)
    weight.accelerated = lambda x, speed: np.zeros((2, 1, 3))
    force = plane_forces(weight, np.zeros(1), 0.0, [(None, 0)], [np.zeros(2)], {})
    assert force[0] == pytest.approx([0.0, 19.62])


# ------------------------------------------------------------------------------------ builders


def gap(model, found, coordinates):
    """Largest distance and rotation between the two sides of all joints of a model."""
    worst = 0.0
    for joint in model.joints.values():
        (Ra, pa), (Rb, pb) = world(found, joint.A), world(found, joint.B)
        R, p = motion(joint, coordinates[joint.name])
        worst = max(worst, np.abs(Ra @ R - Rb).max(), np.abs(pa + Ra @ p - pb).max())
    return worst


@every_case
def test_start_is_closed(case):
    """Both frames of every joint coincide as its coordinates say, also where a loop closes."""
    model = case.build()
    initial = {name: joint.initial[0] for name, joint in model.joints.items()}
    assert gap(model, poses(model), initial) < 1e-14
    # moving by the rates opens the loop in second order only
    opened = []
    for step in (1e-3, 5e-4):
        moved = {n: q + step * model.joints[n].initial_rate[0] for n, q in initial.items()}
        opened.append(gap(model, poses(model, moved), moved))
    assert opened[0] < 1e-3 * 0.1 * (1 + max(j.initial_rate[0] ** 2 for j in model.joints.values()))
    assert opened[1] < 1e-13 or opened[0] / opened[1] > 3.9


def test_loops_are_closed_by_the_joints_that_are_added_last():
    closing = {case.name: case.build().graph().chords for case in CASES}
    assert closing["four-bar"] == ("pin",)
    assert closing["andrews-squeezer"] == ("E3", "E4", "E6")
    assert closing["bricard"] == ("P5",) and closing["bennett"] == ("fourth",)
    assert closing["governor-links"] == ("foot1", "foot2")
    assert closing["n-four-bar"] == ("right1", "right2")
    assert closing["n-four-bar-40"] == tuple(f"right{k}" for k in range(1, 41))
    assert all(closing[case.name] for case in LOOPS)
    assert not any(closing[case.name] for case in TREES)


@pytest.mark.parametrize(
    ("name", "freedom", "redundant"),
    [
        ("four-bar", 1, 3),
        ("andrews-squeezer", 1, 9),
        ("bricard", 1, 1),
        ("bennett", 1, 3),
        ("governor-links", 2, 6),
        ("n-four-bar", 1, 6),
        ("flyball-governor", 4, 0),
    ],
)
def test_freedom_of_the_mechanisms(name, freedom, redundant):
    model = BY_NAME[name].build()
    found = Natural(model).accelerations(*Natural(model).start())[1]
    assert found == freedom
    chords = model.graph().chords
    tree = sum(joint.nu for name, joint in model.joints.items() if name not in chords)
    assert tree - freedom == 5 * len(chords) - redundant


def test_level_windows_may_branch():
    model = build_windows(2)
    for name in model.joints:
        sign = 1.0 if name.startswith("left") else -1.0
        model.replace(name, initial=sign * pi / 2)
    system = Natural(model)
    assert system.accelerations(system.flat(poses(model)), np.zeros(system.n))[1] == 3


SHORT = {
    "four-bar": (0.1, 0.3),
    "andrews-squeezer": (0.003, 0.008),
    "bricard": (0.2, 0.4),
    "bennett": (0.1, 0.3),
    "governor-links": (0.05, 0.1),
    "n-four-bar": (0.2, 0.4),
    "flyball-governor": (0.001, 0.002),
}


@pytest.mark.parametrize("name", SHORT)
def test_the_model_moves_as_its_reference(name):
    """The builder in natural coordinates, against minimal coordinates with numbers of their own."""
    case = BY_NAME[name]
    model = case.build()
    system = Natural(model)
    q, v = system.run(SHORT[name])
    reference = table(name, SHORT[name], 1e-12)
    for row, velocity, k in zip(q, v, range(len(q)), strict=True):
        assert 0.5 * velocity @ system.M @ velocity == pytest.approx(
            reference["kinetic"][k], abs=1e-8 * max(reference["kinetic"])
        )
        found = {
            body: (row[12 * i + 3 : 12 * i + 12].reshape(3, 3).T, row[12 * i : 12 * i + 3])
            for i, body in enumerate(system.names)
        }
        found["ground"] = np.eye(3), np.zeros(3)
        values = {n: rows[k] for n, rows in reference["angles"].items()}
        values |= {n: rows[k] for n, rows in reference.get("displacements", {}).items()}
        for joint, value in values.items():
            item = model.joints[joint]
            (Ra, pa), (Rb, pb) = world(found, item.A), world(found, item.B)
            R, p = motion(item, value)
            assert np.abs(Ra @ R - Rb).max() < 1e-8
            assert np.abs(pa + Ra @ p - pb).max() < 1e-8


# ---------------------------------------------------------------------------------- comparison


class Told:
    """A result that has exactly the numbers of a reference, closing joints within half a turn."""

    def __init__(self, case):
        self.model = case.build()
        self.numbers = json.loads(json.dumps(references("mechanisms")[case.name]))
        chords = self.model.graph().chords
        for joint in chords:
            angles = self.numbers["angles"].get(joint)
            if angles is not None:
                self.numbers["angles"][joint] = list(near(np.array(angles), 0.0))
        kinds = ("kinetic", "gravity", "elastic", "work", "dissipated")
        self.energy = SimpleNamespace(**{k: self.numbers.get(k) for k in kinds})
        self.energy.record = SimpleNamespace(max_error=0.0)

    def __getitem__(self, name):
        kinds = ("angles", "displacements", "angle_rates", "displacement_rates")
        view = {k[:-1]: np.array(self.numbers.get(k, {}).get(name, ())) for k in kinds}
        force = np.zeros((len(self.numbers["times"]), 6))
        for axis, values in self.numbers.get("forces", {}).get(name, {}).items():
            force[:, 3 + "xyz".index(axis)] = values
        return SimpleNamespace(**view, reaction=force, at=lambda *place: self.point(name, place))

    def point(self, body, place):
        known = {"four-bar": "coupler", "bennett": "tip"}
        for point, path in self.numbers["points"].items():
            if self.places[point] == (body, place):
                return SimpleNamespace(position=np.array(path))
        raise AssertionError((body, place, known))


PLACES = {
    "four-bar": {"coupler": ("coupler", (0.5, 0.0, 0.1))},
    "andrews-squeezer": {"E": ("K2", (-0.028, 0.0, 0.0)), "D": ("K3", (0.02, -0.018, 0.0))},
    "bricard": {"P2": ("rod2", (0.0, -1.0, 0.0)), "P3": ("rod3", (0.0, 0.0, 1.0))},
    "bennett": {"tip": ("link2", (bennett.LENGTHS[1], 0.0, 0.0))},
    "governor-links": {f"ball{k}": (f"rod{k}", (1.0, 0.0, 0.0)) for k in (1, 2)},
    "flyball-governor": {f"ball{k}": (f"rod{k}", (1.0, 0.0, 0.0)) for k in (1, 2)},
    "n-four-bar": {"top": ("post0", (0.0, 1.0, 0.0)), "corner": ("bar2", (1.0, 0.0, 0.0))},
    "n-four-bar-40": {"top": ("post0", (0.0, 1.0, 0.0)), "corner": ("bar40", (1.0, 0.0, 0.0))},
}


@every_case
def test_comparison_passes_and_fails_each_quantity(case):
    """Every listed number is compared, passes as it is and fails when it is changed."""
    told = Told(case)
    told.places = PLACES[case.name]
    found = case.measure(told)
    assert [q for q in found if not q.passed] == []
    assert len(found) >= 31 and len({q.name for q in found}) == len(found)
    reference = references("mechanisms")[case.name]
    kinds = [k for k in reference if k not in ("times", "error_estimate")]
    assert len(found) == 1 + sum(len(flat(reference[k])) for k in kinds)
    assert all(q.time is None for q in found if q.name == "energy.error")
    told.energy.record.max_error = 2e-9 * max(reference["kinetic"])
    for kind in ("angles", "angle_rates", "displacements", "displacement_rates"):
        for values in told.numbers.get(kind, {}).values():
            values[0] += 2.1 * bounds(reference)[kind]
    failed = {q.name.split(" at ")[0] for q in case.measure(told) if not q.passed}
    assert "energy.error" in failed
    for kind in ("angles", "angle_rates", "displacements", "displacement_rates"):
        assert {f"{joint}.{kind[:-1]}" for joint in reference.get(kind, {})} <= failed


def test_an_early_end_fails_what_is_missing():
    case = BY_NAME["four-bar"]
    told = Told(case)
    told.places = PLACES[case.name]
    for rows in (*told.numbers["angles"].values(), *told.numbers["angle_rates"].values()):
        del rows[3:]
    missing = [q for q in case.measure(told) if not q.passed]
    assert len(missing) == 2 * 4 * (len(case.times) - 3)
    assert all(np.isnan(q.value) and q.time > case.times[2] for q in missing)


def test_nearest_turn():
    assert nearest_turn([3.0, -3.0, 0.1], [3.0 + 4 * pi, 3.2, 0.0]) == pytest.approx(
        [3.0 + 4 * pi, 2 * pi - 3.0, 0.1]
    )


@pytest.mark.parametrize("case", TREES, ids=lambda case: case.name)
def test_trees_hold(case):
    """The governor with spring-dampers has no loop: the engine must agree with its reference."""
    result = case.simulate()
    assert result.energy.level == "trusted" and result.momentum.level == "trusted"
    assert [q for q in case.measure(result) if not q.passed] == []


def test_a_wrong_governor_fails():
    case = BY_NAME["flyball-governor"]

    def heavier():
        model = case.build()
        model.replace("ball1", mass=5.005)
        return model

    found = dataclasses.replace(case, build=heavier).run(until=0.7)
    assert sum(not q.passed for q in found) > 20


def test_names_are_new_and_told():
    assert len(BY_NAME) == len(CASES) == 8
    assert FILE.exists() and list(references("mechanisms")) == list(TIMES)
    for case in CASES:
        assert case.source and case.title and case.build().name
