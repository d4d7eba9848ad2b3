"""References of the mechanisms: the same numbers again, energy, closure, published solutions."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from types import SimpleNamespace

import numpy as np
import pytest

from models.one_degree import near
from oracles.governor_oracles import falling, windows
from oracles.mechanism_references import (
    COARSE,
    TIMES,
    bounds,
    cut,
    difference,
    plane_forces,
    squeezer_forces,
    table,
)
from oracles.plane_oracles import Andrews, FourBar
from oracles.space_oracles import Bennett, Bricard, turn
from supple.cases.case import references
from supple.cases.linkages import bennett, four_bar
from supple.cases.linkages.linkage import nearest_turn
from supple.cases.mechanisms import CASES

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


# The squeezer at 0.03 s, test set for IVP solvers: angles, rates, and forces at E on K3, K4, K6.
ANGLES = """ 15.81077119629904 -15.75637105984298 0.04082224013073101 -0.5347301163226948
              0.5244099658805304 0.5347301163226948 1.048080741042263"""
RATES = """ 1139.920302151208 -1424.379294994111 11.03291221937134 19.29337464421385
            0.5735699284790808 -19.29337464421385 0.3231791658026955"""
FORCES = """ 199.1753333731910 -29.75531228015052 23.06654119098399 31.45271365475927
             22.64249232082739 11.61740700019673"""


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
    allowed = bounds(reference, 0.01 if case.name == "andrews-squeezer" else 1.0)
    for kind, error in reference["error_estimate"].items():
        assert 10.0 * error < allowed[kind], kind
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
    angles, rates, forces = (np.array(x.split(), dtype=float) for x in (ANGLES, RATES, FORCES))
    reference = references("mechanisms")["andrews-squeezer"]
    ours = np.array([v[-1] for v in reference["angles"].values()])[:7]
    assert np.abs(ours - angles).max() < 2e-9
    o = Andrews()
    beta = angles[:1]
    assert np.abs(o.angles(beta) - angles).max() < 1e-14
    assert np.abs(o.rates(beta, rates[0]) - rates).max() < 1e-10 * np.abs(rates).max()
    # multipliers of a system of index 3 are what a method finds least accurately
    found = squeezer_forces(o, beta, rates[0])[7:].ravel()
    assert np.abs(found - forces).max() < 1e-7 * np.abs(forces).max()


def test_the_published_start_of_the_squeezer():
    """Consistent values are published with thirty digits: acceleration and multipliers."""
    o = Andrews()
    assert o.push(o.x0, 0.0) / o.inertia(o.x0) == pytest.approx(14222.4439199541138706, rel=1e-13)
    forces = squeezer_forces(o, o.x0, 0.0)[7:].ravel()
    expected = [98.5668703962410896, -6.12268834425566266, 0.0, 0.0, 0.0, 0.0]
    assert np.abs(forces - expected).max() < 1e-10


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
    x, speed = o.motion([time], 1e-9)  # half a period: at rest, the other way up
    assert np.abs(x[0] - [pi, 0.0]).max() < 1e-6 and abs(speed[0]) < 1e-6


def test_windows_as_a_pendulum():
    times = np.linspace(0.5, 10.0, 20)
    for count in (1, 2, 40):
        exact, integrated = windows(count, times), falling(count, times, 1e-13)
        assert np.abs(np.array(exact) - integrated).max() < 1e-9
    # one window: T = 1/2 (1 + 2/3) f'^2, V = g (1 + 1) cos f
    f, rate = windows(1, times)
    energy = 0.5 * (1 + 2 / 3) * rate**2 + 9.81 * 2 * np.cos(f)
    assert np.ptp(energy) < 1e-11 and energy[0] == pytest.approx(0.5 * (5 / 3) + 19.62)


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
