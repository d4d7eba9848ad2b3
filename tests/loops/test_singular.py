"""Singular positions: at the start, where a run fails, where it passes; rows that change."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from models.linkages import arm, parallelogram, slider_crank
from models.rolling_bodies import bicycle
from supple.cases.mechanisms import CASES
from supple.core.run import step as st
from supple.integrators.run import driver, outcomes
from supple.loops import singular
from supple.loops.assembly import compile_model
from supple.loops.ranks import analyse, weakest
from supple.loops.singular import Watch, can_be_singular, hold_free_bodies

BY_NAME = {case.name: case for case in CASES}
FLAT = (np.pi - 0.5) / 2.0  # s, when a crank that turns from 0.5 rad with 2 rad/s is in line


@pytest.mark.parametrize(
    ("model", "rows", "freedom"),
    [(parallelogram(0.0), 3, 1), (parallelogram(0.0, motion="t"), 4, 0), (arm(0.0), 7, 1)],
    ids=["flat", "flat and driven", "straight arm"],
)
def test_a_singular_start_loses_no_row(model, rows, freedom):
    """As many rows are kept as elsewhere, and the run is refused instead of wrong."""
    compiled = compile_model(model)
    assert compiled.nr == rows
    ranks = analyse(compiled.complete, compiled.q0)
    assert ranks.singular and ranks.freedom == freedom
    assert model.doctor().singular and not model.doctor().ok
    with pytest.raises(
        sp.ModelError, match=r"a singular position in the loop of .* at the start, "
    ):
        sp.simulate(model, 0.1)


@pytest.mark.parametrize(
    "model",
    [parallelogram(0.05), parallelogram(0.3), arm(0.1), slider_crank(0.0), slider_crank(np.pi)],
    ids=["nearly flat", "parallelogram", "bent arm", "dead centre", "other dead centre"],
)
def test_other_starts_are_not_singular(model):
    diagnosis = model.doctor()
    assert diagnosis.ok and not diagnosis.singular
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sp.simulate(model, 0.02).success


def test_a_fixed_driver_in_a_singular_position():
    """The crank is held where the other could go two ways: a double root, exact to 1e-7 only."""
    model = parallelogram(0.3, motion=0.0)
    assert model.doctor().singular
    with pytest.raises(sp.ModelError, match="a singular position"):
        sp.simulate(model, 0.1)


def test_a_run_that_passes_a_singular_position_warns():
    """It is told once, whatever the output times are; see test_passage for what the run does."""
    model = parallelogram(0.5, motion="0.5 + 2*t")
    with pytest.warns(sp.SuppleWarning) as caught:
        result = sp.simulate(model, 2.0, integrator=sp.DormandPrince(), output=37)
    assert result.success
    texts = [str(w.message) for w in caught]
    assert len(texts) == 1
    assert texts[0].startswith(f"near t = {FLAT:.4g} s the run passes a singular position in the ")
    assert "Revolute 'C' (place along x) follows from the other constraints; more than" in texts[0]


@pytest.mark.parametrize("name", ["four-bar", "andrews-squeezer", "bricard", "governor-links"])
def test_mechanisms_without_singular_positions_run_without_warning(name):
    end = 0.03 if name == "andrews-squeezer" else 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sp.simulate(BY_NAME[name].build(), end).success


@pytest.mark.parametrize("name", ["bennett", "bricard"])
@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince()])
def test_rows_change_where_those_in_use_become_dependent(name, integrator):
    """No choice of rows is good all the way round; the reference is exact closure."""
    case = BY_NAME[name]
    times = np.array(case.times)
    options = {"integrator": integrator, "output": times, "tolerance": "tight"}
    result = sp.simulate(case.build(), times[-1], **options)
    assert result.success and len(result.data.history.row_sets.models) > 1
    assert [q.name for q in case.measure(result) if not q.passed] == []
    assert np.all(np.isfinite(result.a))


def test_fixed_steps_go_on_with_other_rows():
    """Equal steps to the end are counted anew where rows change: the order is 2 all the way."""
    model = BY_NAME["bennett"].build()
    exact = sp.simulate(model, 1.0, tolerance=1e-9, output=5)
    errors = []
    for count in (400, 800):
        integrator = sp.GeneralizedAlpha(step=1.0 / count)
        result = sp.simulate(model, 1.0, integrator=integrator, output=5)
        assert result.success and len(result.data.history.row_sets.models) > 1
        assert result.statistics["steps"] == pytest.approx(count, abs=1)
        errors.append(np.abs(result.q - exact.q).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def test_without_changing_rows_bennett_stops(monkeypatch):
    monkeypatch.setattr(driver.Watch, "choice", lambda *_: (1.0, None))
    with pytest.warns(sp.SuppleWarning):
        assert not sp.simulate(BY_NAME["bennett"].build(), 1.0).success


def test_steps_are_counted_and_limited_over_all_rows():
    model = BY_NAME["bennett"].build()
    whole = sp.simulate(model, 1.0)
    assert len(whole.data.history.row_sets.models) > 1
    limit = whole.statistics["steps"] - 10
    with pytest.warns(sp.SuppleWarning, match="steps were not enough"):
        short = sp.simulate(model, 1.0, integrator=sp.Radau(max_steps=limit))
    assert short.statistics["steps"] == limit


def test_drivers_that_contradict_each_other_are_noticed():
    model = parallelogram(0.3, motion="0.3 + t")
    model.add(sp.Driver("second", "D", "0.3 + t"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sp.simulate(model, 0.2)
    model.replace("second", motion="0.3 + t + 0.5*t**2")
    text = r"Driver 'second' \(second\) seemed to follow .* do not trust this run"
    with pytest.warns(sp.SuppleWarning, match=text):
        sp.simulate(model, 0.2)


def test_locked_outcome_is_a_singular_position(monkeypatch):
    """The kernel's own words, where the rank analysis has nothing to say."""
    monkeypatch.setattr(outcomes, "failed_near", lambda *_: "")
    model = parallelogram(0.5)
    problem = driver.Problem(
        sp.JointCoordinates().equations(model), 0.0, 1.0, np.linspace(0, 1, 3),
        *(getattr(compile_model(model), x) for x in ("q0", "u0", "z0")), (), (), 1e-7, 1e-9,
    )  # fmt: skip
    options = driver.LoopOptions(0.0, 1.0, 10)
    nu = problem.equations.nu

    def locked(*buffers):
        buffers[5][st.BAD_DOF] = nu + 1
        return st.LOCKED

    solution = driver.LoopRun(problem, locked, (0, 0), options).run()
    row = problem.equations.compiled.rows[1]
    assert f"the {row.part} of {row.label} follows from the other constraints" in solution.message


def test_rank_of_more_sparse_rows_than_velocities():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(1)
    table = rng.standard_normal((40, 7)) @ rng.standard_normal((7, 9))
    values, left = weakest(csr_array(table), 1e-6)
    assert np.sum(values < 1e-9) == 33 and values[33] > 0.1
    assert np.abs(table.T @ left[:, :33]).max() < 1e-9


@pytest.mark.parametrize("weak", [0.1, 1e-3, 1e-6])
def test_weakest_rows_beside_many_dependent_ones(weak):
    """Values and vectors are those of the whole matrix, far beside rows that follow from others."""
    from scipy.sparse import csr_array

    rng, rank, more = np.random.default_rng(5), 60, 40
    left, right = (np.linalg.qr(rng.normal(size=(n, rank)))[0] for n in (rank + more, 80))
    sizes = np.concatenate([[weak], np.linspace(0.3, 1.0, rank - 1)])
    table = left * sizes @ right.T
    values, vectors = weakest(csr_array(table), 0.0, more)
    assert np.all(values[:more] < 1e-12) and values[more] == pytest.approx(weak, rel=1e-6)
    assert np.all(np.diff(values) >= -1e-15)
    assert np.abs(vectors.T @ vectors - np.eye(len(values))).max() < 1e-12
    # rounding turns vectors by that of the squares of rows over the smallest square
    assert np.linalg.norm(table.T @ vectors[:, :more], 2) < 1e-12
    assert abs(vectors[:, more] @ left[:, 0]) == pytest.approx(1.0, abs=1e-6)


def rolling(*pairs: tuple[int, int]) -> sp.Model:
    """Balls in the air that roll on each other by numbers; 0 is the floor."""
    model = sp.Model(gravity=(0, 0, -9.81))
    last = max(max(pair) for pair in pairs)
    floor = sp.Plane(model.ground.at(0))
    shapes: list[sp.Plane | sp.Sphere] = [floor]
    for k in range(1, last + 1):
        body = model.add(sp.RigidBody(f"ball{k}", 1.0, inertia=4e-3))
        place = model.ground.at(0, 0, 0.2 * k - 0.1)
        model.add(sp.Free(f"air{k}", place, body.at(0), initial_rate=(1, 2, 3, 0, 0, 0)))
        shapes.append(sp.Sphere(body.at(0), radius=0.1))
    for a, b in pairs:
        model.add(sp.Rolling(f"rolls{a}{b}", shapes[a], shapes[b]))
    return model


@pytest.mark.parametrize(
    ("pairs", "own"),
    [(((0, 1),), True), (((0, 1), (0, 2)), True), (((0, 1), (1, 2)), False)],
    ids=["a ball", "two balls", "a ball on a ball"],
)
def test_what_rolls_alone_is_never_singular(pairs, own):
    """Where each of them holds a body of its own, rows stay as independent in any position."""
    model = rolling(*pairs)
    if pairs == ((0, 1), (0, 2)):
        model.replace("air2", A=model.ground.at(1, 0, 0.1))
    compiled = compile_model(model)
    assert hold_free_bodies(compiled) == own
    assert can_be_singular(compiled) != own
    watch, rng = Watch(compiled), np.random.default_rng(3)
    sizes = []
    for _ in range(50):
        q = compiled.q0.copy()
        for joint in compiled.joints.values():
            turn = rng.standard_normal(4)
            q[joint.q.start : joint.q.start + 4] = turn / np.linalg.norm(turn)
            q[joint.q.stop - 3 : joint.q.stop - 1] += rng.standard_normal(2)
        sizes.append(watch.size(0.0, q))
    if own:
        assert min(sizes) > 0.99


def test_looks_at_what_rolls_change_nothing(monkeypatch):
    """The run is the same, to the bit, with looks for singular positions that cannot come."""
    found = []
    for own in (hold_free_bodies, lambda compiled: False):
        monkeypatch.setattr(singular, "hold_free_bodies", own)
        r = sp.simulate(rolling((0, 1)), 0.5, output=20)
        found.append((r.statistics["steps"], r["ball1"].position.tolist()))
    assert found[0] == found[1]


def test_wheels_with_joints_are_looked_at():
    assert not hold_free_bodies(compile_model(bicycle()))
