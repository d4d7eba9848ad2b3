"""Mechanisms: their models start closed and move as their references; what the cases compare."""

from __future__ import annotations

import dataclasses
import json
from math import pi
from types import SimpleNamespace

import numpy as np
import pytest

from models.one_degree import near
from oracles.closure import gap
from oracles.mechanism_references import TIMES, bounds, flat, table
from oracles.natural_coordinates import Natural, motion, poses, world
from supple.cases.case import references
from supple.cases.linkages import bennett
from supple.cases.linkages.linkage import nearest_turn
from supple.cases.linkages.n_four_bar import windows as build_windows
from supple.cases.mechanisms import CASES, LOOPS, TREES

BY_NAME = {case.name: case for case in CASES}
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


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


@every_case
def test_the_model_is_that_of_its_reference_at_all_times(case):
    """Closed at the reference's coordinates, with its rates and its energies: mass and springs."""
    reference = references("mechanisms")[case.name]
    model = case.build()
    system = Natural(model)
    scale = max(reference["kinetic"])
    for k in range(len(reference["times"])):
        values, rates = (
            {n: reference[kind][n][k] for kind in kinds for n in reference.get(kind, {})}
            for kinds in (("angles", "displacements"), ("angle_rates", "displacement_rates"))
        )
        for name in model.joints:  # of the windows only some are listed
            alike = f"{name.rstrip('0123456789')}{0 if 'base' in name else 1}"
            values.setdefault(name, values.get(alike))
            rates.setdefault(name, rates.get(alike))
        assert gap(model, poses(model, values), values) < 1e-10
        q, v = system.state(values, rates)
        speed = max(1.0, np.abs(v).max())
        for name in model.graph().chords:  # their points have one velocity
            joint = model.joints[name]
            sides = (system.point(frame, q)[1] @ v for frame in (joint.A, joint.B))
            assert np.abs(np.subtract(*sides)).max() < 1e-8 * speed
        energies = system.energies(q, v)
        for kind, energy in zip(("kinetic", "gravity", "elastic"), energies, strict=True):
            expected = reference[kind][k] if kind in reference else 0.0
            assert energy == pytest.approx(expected, abs=1e-7 * scale), kind
        listed = reference.get("forces", {})
        forces = system.reactions(q, v) if listed else {}
        for joint, axes in listed.items():
            for axis, rows in axes.items():
                found = forces[joint]["xyz".index(axis)]
                assert found == pytest.approx(rows[k], abs=0.1 * bounds(reference)["forces"])


SHORT = {
    "four-bar": (0.1, 0.3),
    "andrews-squeezer": (0.003, 0.008),
    "bricard": (0.2, 0.4),
    "bennett": (0.1, 0.3),
    "governor-links": (0.05, 0.1),
    "n-four-bar": (0.2, 0.4),
    "flyball-governor": (0.001, 0.002),
}


LONG = "andrews-squeezer"


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == LONG else n for n in SHORT]
)
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


class Told:
    """A result that has exactly the numbers of a reference, closing joints within half a turn."""

    def __init__(self, case):
        self.places = PLACES[case.name]
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
        for point, path in self.numbers["points"].items():
            if self.places[point] == (body, place):
                return SimpleNamespace(position=np.array(path))
        raise AssertionError((body, place))


@every_case
def test_comparison_passes_and_fails_each_quantity(case):
    """Every listed number is compared, passes as it is and fails when it is changed."""
    told = Told(case)
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
            values[0] += 1.1 * bounds(reference)[kind]
    failed = {q.name.split(" at ")[0] for q in case.measure(told) if not q.passed}
    assert "energy.error" in failed
    for kind in ("angles", "angle_rates", "displacements", "displacement_rates"):
        assert {f"{joint}.{kind[:-1]}" for joint in reference.get(kind, {})} <= failed


def test_an_early_end_fails_what_is_missing():
    case = BY_NAME["four-bar"]
    told = Told(case)
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
    assert list(references("mechanisms")) == list(TIMES)
    for case in CASES:
        assert case.source and case.title and case.build().name
