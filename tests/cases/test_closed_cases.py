"""Cases with closed loops: every choice of coordinates gives the reference, on the constraints."""

from __future__ import annotations

from math import pi, tau

import numpy as np
import pytest

import supple as sp
from supple import cases
from supple.cases.linkages.four_bar import closed
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations
from supple.integrators.run import driver
from supple.loops.assembly import row_sizes

# One other tree for each; where a loop is entered from its far side, joints are crossed backwards.
TREES = {
    "four-bar": ["drive", "bearing", "free:coupler"],
    "andrews-squeezer": ["beta", "theta", "E3", "E4", "phi", "E6", "omega"],
    "bricard": ["P0", "P1", "P5", "P4", "P3"],
    "bennett": ["first", "fourth", "third"],
    "governor-links": ["spin", "slide", "hinge1", "hinge2", "foot1", "foot2"],
    "n-four-bar": ["base0", "left1", "right1", "left2", "right2"],
    "richard-four-bar": ["bearing O", "pin A", "pin B"],
    "jonker-slider-crank": ["bearing", "guide", "pin B"],
    "jonker-slider-crank-spatial": ["bearing", "guide", "pin B"],
}
# The implicit method has some twenty times as many unknowns in absolute coordinates.
SLOW = {("absolute", sp.Radau)}
# Flexible bodies with fast modes
LONG = {"jonker-slider-crank", "jonker-slider-crank-spatial", "richard-four-bar"}


def chosen(name: str, formulation: str) -> sp.JointCoordinates | sp.Absolute | sp.Branch:
    made = {"joint": sp.JointCoordinates(), "absolute": sp.Absolute()}
    return made.get(formulation) or sp.Branch(tree=TREES[name])


def violations(result: sp.results.Result, formulation) -> tuple[float, float]:
    """Largest violation of all rows, also those left out, and of their rates; scaled."""
    compiled = build(result.model, (), formulation.tree(result.model))
    equations, sizes = Equations(compiled), row_sizes(compiled)
    rows = [
        equations.constraints(*state) for state in zip(result.t, result.q, result.u, strict=True)
    ]
    return (
        max(float(np.abs(row.violation / sizes).max()) for row in rows),
        max(float(np.abs(row.rate / sizes).max()) for row in rows),
    )


def runs():
    for name in TREES:
        for formulation in ("joint", "absolute", "branch"):
            for method in (sp.DormandPrince, sp.Radau):
                if (formulation, method) == ("joint", sp.Radau):
                    continue  # in test_cases
                slow = (formulation, method) in SLOW or (name in LONG and formulation != "joint")
                marks = [pytest.mark.slow] if slow else []
                tag = f"{name}-{formulation}-{method.__name__}"
                yield pytest.param(name, formulation, method, id=tag, marks=marks)


@pytest.mark.parametrize(("name", "formulation", "method"), list(runs()))
def test_every_choice_of_coordinates(name, formulation, method):
    """References and audit hold; outputs are on all constraints, by rounding of the projection."""
    case, choice = cases.get(name), chosen(name, formulation)
    result = case.simulate(formulation=choice, integrator=method(), tolerance="tight")
    assert result.success, result.message
    assert result.energy.level == result.momentum.level == "trusted"
    assert [q for q in case.measure(result) if not q.passed] == []
    place, rate = violations(result, choice)
    assert place < 1e-10 and rate < 1e-8


@pytest.mark.parametrize("name", TREES)
def test_default_tolerance_keeps_the_constraints_too(name):
    """A loose run is less accurate, but not open."""
    case = cases.get(name)
    output = np.linspace(0.0, case.times[-1], 301)
    result = case.simulate(tolerance="default", output=output)
    assert result.success, result.message
    place, rate = violations(result, sp.JointCoordinates())
    assert place < 1e-10 and rate < 1e-8


def test_the_list_is_complete():
    loops = {case.name for case in cases.all() if case.times and case.build().graph().chords}
    same = "second-order", "spacar", "ancf"  # the same loops, or a cable on two pins
    loops = {name for name in loops if not any(word in name for word in same)}
    assert loops == set(TREES) | {"n-four-bar-40"}


@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()], ids=str)
@pytest.mark.parametrize("tolerance", [1e-7, 1e-8, 1e-9, 1e-11])
def test_branching_is_passed_and_told_at_every_tolerance(tolerance, formulation):
    """Level windows: the run goes on along the smooth motion, with a warning."""
    case = cases.get("n-four-bar")
    run = {"tolerance": tolerance, "formulation": formulation}
    with pytest.warns(sp.SuppleWarning, match="passes a singular position in the loop of"):
        result = sp.simulate(case.build(), 2.0, **run)
    assert result.success and result.energy.level == "trusted"
    assert result["base0"].angle[-1] < -pi
    assert np.abs(result["base0"].angle - result["base2"].angle).max() < 1e-6


# ---------------------------------------------------------------------------------------- long runs


def free_four_bar() -> sp.Model:
    """The four-bar without weight, its crank at 6 rad/s: it turns for ever."""
    model = cases.get("four-bar").build()
    model.gravity = (0.0, 0.0, 0.0)
    return model


def revolve(turns: int, parts: int) -> None:
    """Run a number of turns of the crank; violations must not grow, energy may drift slowly."""
    model = free_four_bar()
    first = sp.simulate(model, 2.0)
    mean = (first["drive"].angle[-1] - first["drive"].angle[0]) / 2.0
    seconds = turns * tau / mean
    output = np.linspace(0.0, seconds, 50 * parts + 1)
    result = sp.simulate(model, seconds, output=output)
    assert result.success, result.message
    assert result["drive"].angle[-1] - result["drive"].angle[0] > 0.9 * turns * tau
    compiled = result.data.compiled
    equations, sizes = Equations(compiled), row_sizes(compiled)
    for state in zip(result.t, result.q, result.u, strict=True):
        row = equations.constraints(*state)
        assert np.abs(row.violation / sizes).max() < 1e-10
        assert np.abs(row.rate / sizes).max() < 1e-8
    # The loop is where the crank says, whatever the turn.
    pairs = zip(result["drive"].angle, result["drive"].angle_rate, strict=True)
    rocker = np.array([closed(angle, rate)[0][1] for angle, rate in pairs])
    off = (result["bearing"].angle - rocker + pi) % tau - pi
    assert np.abs(off).max() < 1e-10 + 1e-15 * turns * tau
    kinetic = result.energy.record.kinetic_max
    drift = np.abs(result.energy.error).reshape(-1)[1:].reshape(parts, 50).max(axis=1)
    assert drift[-1] < 1e-5 * kinetic * max(1.0, turns / 1e4)
    # Linear at most: each part adds what a part of the same length has added before.
    assert drift[-1] < 1.5 * parts * max(drift[0], 1e-12 * kinetic)


@pytest.mark.slow
def test_a_hundred_revolutions():
    revolve(100, 4)


@pytest.mark.slow
def test_ten_thousand_revolutions():
    revolve(10_000, 10)


# ------------------------------------------------------------------------------ which rows are used


@pytest.mark.parametrize("name", ["bennett", "bricard"])
def test_rows_must_be_exchanged(name):
    """All rows together keep their rank on the whole way, those of the start do not."""
    case = cases.get(name)
    result = case.simulate(output=np.linspace(0.0, case.times[-1], 400))
    start = result.data.compiled
    every = start.complete
    assert every.nr > start.nr
    all_rows, few = Equations(every), Equations(start)
    rank, least = [], []
    for state in zip(result.t, result.q, result.u, strict=True):
        sizes = np.linalg.svd(all_rows.constraints(*state).G, compute_uv=False)
        rank.append(int(np.sum(sizes > 1e-9)))
        least.append(np.linalg.svd(few.constraints(*state).G, compute_uv=False)[-1])
        assert sizes[start.nr - 1] > 0.1
    assert set(rank) == {start.nr}
    assert min(least) < 0.02 < 0.2 < least[0]
    # accelerations are finite and follow the motion everywhere, also where those rows fail
    rates = np.gradient(result.u, result.t, axis=0)
    assert np.all(np.isfinite(result.a))
    inner = slice(2, -2)
    assert np.abs(rates - result.a)[inner].max() < 0.05 * np.abs(result.a).max()


# ------------------------------------------------------------------------------------------ drivers


@pytest.mark.parametrize("method", [sp.Radau, sp.DormandPrince])
def test_a_driver_cannot_push_beyond_a_dead_centre(method):
    """The rocker ends where crank and coupler are in line: cos of its angle is known."""
    model = free_four_bar()
    start = model.joints["bearing"].initial[0]
    model.add(sp.Driver("push", "bearing", motion=sp.Polynomial((start, 0.5))))
    with pytest.warns(sp.SuppleWarning, match="a singular position in the loop of"):
        result = sp.simulate(model, 5.0, integrator=method(), output=50)
    assert not result.success
    ground, crank, coupler, rocker = 1.0, 0.4, 1.1, 0.9
    reach = (ground**2 + rocker**2 - (coupler - crank) ** 2) / (2 * ground * rocker)
    # near a dead centre the angle is flat: a step of the crank changes it in second order
    assert result["bearing"].angle[-1] == pytest.approx(pi - np.arccos(reach), abs=1e-6)


@pytest.mark.parametrize("name", ["jonker-slider-crank-spatial", "richard-four-bar"])
def test_power_of_a_driver_is_its_torque_times_the_rate(name):
    """The torque is the joint's effort; the integral of the power is the work of the audit."""
    result = cases.get(name).simulate()
    joint = result[next(n for n in result.joints if n.startswith("bearing"))]
    power = joint.effort[:, 0] * joint.angle_rate
    np.testing.assert_allclose(result["drive"].power, power, atol=1e-9 * np.abs(power).max())
    total = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(result.t) * (power[1:] + power[:-1]))])
    # the rule of the trapezoids on whole degrees of the crank: (2 pi / 360)^2 / 12 and vibration
    size = np.abs(result["drive"].work).max()
    np.testing.assert_allclose(result["drive"].work, total, atol=1e-2 * size)
    equations = Equations(result.data.compiled)
    k = len(result.t) // 3
    found = equations.power(result.t[k], result.q[k], result.u[k])
    assert found[result.data.compiled.channels("drive")[0]] == pytest.approx(power[k], rel=1e-9)


def test_nothing_of_rows_that_were_exchanged_stays():
    """Bricard's mechanism takes other rows at 1.2 s; a row then has its entries elsewhere."""
    model, ends = cases.get("bricard").build(), []
    for formulation in (sp.JointCoordinates(), sp.Absolute()):
        result = sp.simulate(model, 1.4, formulation=formulation, tolerance=1e-9, output=2)
        assert result.success, result.message
        ends.append(result["P0"].angle[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince(), sp.BDF()])
def test_results_do_not_depend_on_the_clock(integrator, monkeypatch):
    """Loops come back to Python by the clock; rows are exchanged by the motion alone (Bennett)."""
    ends = []
    for pause in (1e-9, 10.0):
        monkeypatch.setattr(driver, "PAUSE", pause)
        result = sp.simulate(
            cases.get("bennett").build(), 1.5, integrator=integrator, tolerance=1e-7, output=2
        )
        assert result.success, result.message
        ends.append(np.concatenate([result.q[-1], result.u[-1]]))
    assert np.array_equal(*ends)
