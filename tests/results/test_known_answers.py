"""Loads along beams, large rotations, spin and coarse meshes: what is called valid is right.

A table of models with exact answers: whatever is wrong by more than 5 % is not called valid, and
what is right within 0.5 % is called nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import supple as sp

ALLOY = sp.Material(70e9, 26e9, 2700)
SECTION = sp.Rectangle(0.01, 0.02)
EI = 70e9 * 0.02 * 0.01**3 / 12  # softer direction, y
LINE = 2700 * 2e-4  # kg/m
EULER = np.pi**2 * EI / 4.0  # N, of a cantilever of 1 m; between pins four times as much
SIDE = 0.5  # N, across
WRONG, RIGHT = 0.05, 0.005
# Unit bending stiffness and line mass, stiff along the axis: exact numbers of the literature
UNIT = {
    "section": sp.Section(1.0, 1e-8, 1e-8, 1e-8),
    "material": sp.Material(E=1e8, G=1e8, density=1.0),
}


class Answer(NamedTuple):
    """What was found, what it should be, and what the monitor says of it."""

    value: float
    exact: float
    level: str


def rod(**options) -> sp.Beam:
    given = {"section": SECTION, "material": ALLOY, "elements": 8, "modes": 6}
    return sp.Beam("rod", 1.0, **(given | options))


def column(load: float, **options) -> Callable[[], Answer]:
    """A cantilever that carries a part of Euler's load and a small force across it."""

    def answer() -> Answer:
        m = sp.Model()
        beam = m.add(rod(**options))
        m.add(sp.Fixed("root", m.ground.at(0), beam.at(0)))
        m.add(sp.Force("load", beam.at(1.0), force=(-load * EULER, SIDE, 0)))
        k = np.sqrt(abs(load) * EULER / EI)
        over = np.tan(k) if load > 0.0 else -np.tanh(k)  # Timoshenko and Gere, beam-columns
        exact = SIDE * (over - np.copysign(k, load)) / (load * EULER * k) * np.sign(load)
        found = sp.statics(m)
        # beyond Euler's load the straight column is no equilibrium that can be seen
        exact = np.inf if load > 1.0 else abs(exact)
        return Answer(found["rod"].at(1.0).deflection[0, 1], exact, found.monitor.level)

    return answer


def strut(load: float, **options) -> Callable[[], Answer]:
    """A beam between pins, pushed at its end by a part of its buckling load, with a side force."""

    def answer() -> Answer:
        m = sp.Model()
        beam = m.add(rod(reference="chord", **options))
        m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0)))
        m.add(sp.PointOnLine("guide", m.ground.at(0), beam.at(1.0), axis="x"))
        push = 4.0 * load * EULER
        m.add(sp.Force("push", beam.at(1.0), force=(-push, 0, 0)))
        m.add(sp.Force("side", beam.at(0.5), force=(0, SIDE, 0)))
        k = np.sqrt(push / EI)
        exact = SIDE / (2.0 * push * k) * (np.tan(k / 2) - k / 2)
        found = sp.statics(m)
        value = found["rod"].at(0.5).position[0, 1]
        return Answer(value, exact if load < 1.0 else np.inf, found.monitor.level)

    return answer


def elastica(load: float, **options) -> Callable[[], Answer]:
    """A cantilever with a dead force F at its end, F L^2/EI given: the elastica."""

    def bent(s, y):  # angle and curvature; deflection
        return np.vstack([y[1], -load * np.cos(y[0]), np.sin(y[0])])

    def ends(a, b):
        return np.array([a[0], b[1], a[2]])

    def answer() -> Answer:
        s = np.linspace(0.0, 1.0, 41)
        guess = np.vstack([load * (s - s**2 / 2), load * (1 - s), load * (s**2 / 2 - s**3 / 6)])
        exact = solve_bvp(bent, ends, s, guess, tol=1e-9)
        assert exact.success
        m = sp.Model()
        beam = m.add(rod(**UNIT, **options))
        m.add(sp.Fixed("root", m.ground.at(0), beam.at(0)))
        m.add(sp.Force("load", beam.at(1.0), force=(0, load, 0)))
        found = sp.statics(m)
        deflection = found["rod"].at(1.0).deflection[0, 1]
        return Answer(deflection, exact.y[2, -1], found.monitor.level)

    return answer


# First frequencies out of the plane of rotation, in units of sqrt(EI/(line mass L^4)), of a clamped
# beam that turns at these speeds: exact (Wright, Smith, Thresher, Wang, J. Appl. Mech. 49 (1982))
FLAP = {0.2: 3.5227, 1.0: 3.6817, 2.0: 4.1373, 4.0: 5.5850, 6.0: 7.3604}
FIRST = 3.5160


def turning(speed: float, **options) -> Callable[[], Answer]:
    """A force along the spin on the end of a beam that turns, in its steady state.

    The answer is the frequency, which the stiffness follows: (deflection at rest/deflection) is
    the square of its ratio to that at rest, as far as the first mode carries it.
    """

    def answer() -> Answer:
        m = sp.Model(gravity=(0, 0, -1e-4))
        damping = sp.ModalDamping(0.7)
        beam = m.add(rod(**UNIT, rotary_inertia=False, damping=damping, **options))
        m.add(sp.Revolute("hub", m.ground.at(0), beam.at(0)))
        m.add(sp.Driver("motor", "hub", sp.Polynomial([0.0, speed])))
        found = sp.simulate(m, 8.0, output=4)
        deflection = -found["rod"].at(1.0).deflection[-1, 2]
        at_rest = 1e-4 / 8.0
        frequency = FIRST * np.sqrt(at_rest / deflection)
        return Answer(frequency**2, FLAP[speed] ** 2, found.monitor.level)

    return answer


def loaded_span(elements: int, **options) -> Callable[[], Answer]:
    """The middle of a beam between pins under its weight, of few elements."""

    def answer() -> Answer:
        m = sp.Model(gravity=(0, -9.81, 0))
        beam = m.add(rod(reference="chord", modes="all", elements=elements, **options))
        m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0)))
        m.add(sp.PointOnLine("guide", m.ground.at(0), beam.at(1.0), axis="x"))
        found = sp.statics(m)
        exact = -5.0 * LINE * 9.81 / 384.0 / EI
        return Answer(found["rod"].at(0.5).position[0, 1], exact, found.monitor.level)

    return answer


SECOND = {"stiffening": "second_order"}
TABLE = {
    "column, 0.2 % of Euler's load": column(0.002),
    "column, 4 %": column(0.04),
    "column, 10 %": column(0.1),
    "column, half": column(0.5),
    "column, 0.9": column(0.9),
    "column, 1.05": column(1.05),
    "column, ten times": column(10.0),
    "column, pulled by 0.2 %": column(-0.002),
    "column, pulled by 10 %": column(-0.1),
    "column, pulled by Euler's load": column(-1.0),
    "column, half, second order": column(0.5, **SECOND),
    "column, 0.9, second order": column(0.9, modes="all", **SECOND),
    "column, pulled, second order": column(-1.0, modes="all", **SECOND),
    "strut, 0.2 %": strut(0.002),
    "strut, 10 %": strut(0.1),
    "strut, 0.7": strut(0.7),
    "strut, twice": strut(2.0),
    "strut, 0.7, second order": strut(0.7, modes="all", **SECOND),
    "elastica 0.05": elastica(0.05),
    "elastica 0.2": elastica(0.2),
    "elastica 0.7": elastica(0.7),
    "elastica 1": elastica(1.0),
    "elastica 5": elastica(5.0),
    "elastica 0.2, second order": elastica(0.2, **SECOND),
    "elastica 0.75, second order": elastica(0.75, **SECOND),
    "elastica 2, second order": elastica(2.0, **SECOND),
    "turning 0.2": turning(0.2),
    "turning 1": turning(1.0),
    "turning 2": turning(2.0),
    "turning 4": turning(4.0),
    "turning 1, second order": turning(1.0, **SECOND),
    "turning 6, second order": turning(6.0, elements=12, modes=16, **SECOND),
    "span, one element": loaded_span(1),
    "span, two elements": loaded_span(2),
    "span, eight elements": loaded_span(8),
}


@pytest.mark.parametrize("name", TABLE)
def test_verdict(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        answer = TABLE[name]()
    error = abs(answer.value / answer.exact - 1.0)
    if error > WRONG:
        assert answer.level != "valid", f"wrong by {error:.1%}"
    if error < RIGHT:
        assert answer.level == "valid", f"right within {error:.2%}"


def test_the_table_has_right_and_wrong_answers():
    """Rows that the monitor could not get wrong would show nothing."""
    levels = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        for name in ("column, 0.2 % of Euler's load", "column, half", "elastica 1", "turning 2"):
            answer = TABLE[name]()
            levels[name] = abs(answer.value / answer.exact - 1.0)
    assert [error > WRONG for error in levels.values()] == [False, True, True, True]
