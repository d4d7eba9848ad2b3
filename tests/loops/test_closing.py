"""Assembly from rough guesses, with joints held, and what is refused."""

from __future__ import annotations

import ctypes
import re
import time

import numpy as np
import pytest

import supple as sp
from models.graphs import FIGURE_BODIES, FIGURE_EDGES
from models.linkages import parallelogram
from oracles.closure import gap
from oracles.natural_coordinates import poses
from supple.cases.mechanisms import CASES
from supple.formulations.equations import Equations
from supple.graph.topology import Graph
from supple.loops.assembly import compile_model
from supple.loops.closing import LARGE, MOVED, sparse_solution

BY_NAME = {case.name: case for case in CASES}
LOOPED = ("four-bar", "bennett", "bricard", "andrews-squeezer", "governor-links", "n-four-bar")


def values(model: sp.Model, state: sp.State) -> dict[str, float]:
    return {name: state.coordinates(name)[0] for name in model.joints}


def opened(model: sp.Model, state: sp.State) -> float:
    """How far the loops are open, by the poses of the bodies in plain NumPy."""
    found = values(model, state)
    return gap(model, poses(model, found), found)


@pytest.mark.parametrize("name", LOOPED)
@pytest.mark.parametrize("kind", ["rough", "flipped"])
def test_rough_and_flipped_starts_close(name, kind):
    rng = np.random.default_rng([LOOPED.index(name), len(kind)])
    for _ in range(6):
        model = BY_NAME[name].build()
        for joint in list(model.joints.values()):
            off = rng.uniform(-1.5, 1.5) if kind == "rough" else np.pi * rng.integers(0, 2)
            model.replace(joint.name, initial=joint.initial + off)
        state = sp.assemble(model)
        assert opened(model, state) < 1e-10
        for joint in model.joints.values():  # no whole turns on the way
            assert abs(state.coordinates(joint.name)[0] - joint.initial[0]) < 2 * np.pi


def test_a_start_that_closes_stays():
    for name in LOOPED:
        model = BY_NAME[name].build()
        state = sp.assemble(model)
        for joint in model.joints.values():
            assert abs(state.coordinates(joint.name)[0] - joint.initial[0]) < 1e-13
            assert abs(state.rates(joint.name)[0] - joint.initial_rate[0]) < 1e-12 * 10


def test_held_joints_keep_coordinates_and_rates():
    model = BY_NAME["four-bar"].build()
    right = sp.assemble(model)
    for name in ("knee", "bearing", "pin"):
        model.replace(name, initial=model.joints[name].initial + 0.2, initial_rate=0.0)
    free, held = sp.assemble(model), sp.assemble(model, fixed=["drive"])
    assert abs(free.coordinates("drive")[0] - model.joints["drive"].initial[0]) > 1e-3
    for name in model.joints:  # the crank's angle and rate determine all others
        assert held.coordinates(name) == pytest.approx(right.coordinates(name), abs=1e-10)
        assert held.rates(name) == pytest.approx(right.rates(name), abs=1e-9)
    assert held.coordinates("drive")[0] == model.joints["drive"].initial[0]
    pair = sp.assemble(model, fixed=[(model.joints["drive"], "angle")])
    assert np.array_equal(pair.q, held.q)


def test_the_motion_of_assembly_is_the_smallest():
    """What is left of the way back is across the mechanism's motion, weighted by mass."""
    model = parallelogram(0.9)
    model.replace("D", initial=0.5)
    model.replace("B", initial=-0.4)
    state = sp.assemble(model)
    eq = Equations(state.compiled)
    way = compile_model(model).joints
    back = np.zeros(eq.nu)
    for name, record in way.items():
        back[record.u] = model.joints[name].initial - state.coordinates(name)
    G = eq.constraints(0.0, state.q, state.u).G
    motion = np.linalg.svd(G)[2][-1]
    guess = state.q.copy()
    for name, record in way.items():
        guess[record.q] = model.joints[name].initial
    M = eq.mass_matrix(guess)
    along = motion @ M @ back / np.sqrt(motion @ M @ motion)
    assert np.sqrt(back @ M @ back) > 0.1
    # the last step is below MOVED; coordinates without mass count a little (1e-6)
    assert abs(along) < 10 * MOVED * np.sqrt(np.trace(M))


@pytest.mark.parametrize("formulation", [None, sp.Absolute(), sp.Branch(tree=["A", "B", "C"])])
def test_runs_start_from_the_assembled_state(formulation):
    model = parallelogram(0.9, rate=1.0)
    model.replace("D", initial=0.5)
    state = sp.assemble(model, fixed="A")
    result = sp.simulate(model, 0.1, start=state, formulation=formulation, output=4)
    for name in model.joints:
        assert result[name].angle[0] == pytest.approx(state.coordinates(name)[0], abs=1e-10)
        assert result[name].angle_rate[0] == pytest.approx(state.rates(name)[0], abs=1e-9)
    again = sp.simulate(model, 0.2, start=result.state(), output=4)  # and in any coordinates
    assert again["A"].angle[0] == pytest.approx(result["A"].angle[-1], abs=1e-9)


def test_unreachable_geometry_is_refused_at_once():
    model = BY_NAME["four-bar"].build()
    model.replace("bearing", A=model.ground.at(5.0))
    begin = time.process_time()
    with pytest.raises(sp.ModelError) as error:
        sp.assemble(model)
    assert time.process_time() - begin < 1.0
    # 0.4 + 1.1 + 0.9 m of bars for 5 m: in the stretched position 2.6 m are missing
    assert re.fullmatch(
        r"Revolute 'pin': the loop of 'pin', 'bearing', 'drive', 'knee' stays open by 2\.6 m "
        r"and 0\.0\d+ rad, expected dimensions and initial coordinates with which the mechanism "
        r"can be assembled",
        str(error.value),
    )


def test_refusals_name_what_is_held():
    model = parallelogram(0.6)
    model.replace("D", initial=0.2)
    text = r"the loop of 'C', 'D', 'A', 'B' stays open by .* while 'A', 'D' are held, expected dim"
    with pytest.raises(sp.ModelError, match=text):
        sp.assemble(model, fixed=["A", "D"])
    model = parallelogram(0.6, motion=0.5)
    with pytest.raises(sp.ModelError, match=r"Driver 'motor' stays 0\.1 away from what it must"):
        sp.assemble(model, fixed=["A"])
    model = parallelogram(0.6, rate=1.0)
    model.replace("D", initial_rate=2.0)
    with pytest.raises(sp.ModelError, match="whatever the velocities are while 'A', 'D' are held"):
        sp.assemble(model, fixed=["A", "D"])


@pytest.mark.parametrize(
    ("fixed", "sentence"),
    [
        (3, "assemble: fixed is 3, expected names of joints or pairs (joint, coordinate)"),
        (
            ["a"],
            "assemble: fixed[0] is 'a', expected the name of a joint, known: 'A', 'B', 'D', 'C'",
        ),
        ([("A", 0, 1)], "assemble: fixed[0] is ('A', 0, 1), expected a joint or a pair "),
        (
            [("A", "place")],
            "assemble: coordinate is 'place', expected 0 or 'angle' of Revolute 'A'",
        ),
    ],
)
def test_wrong_joints_to_hold(fixed, sentence):
    with pytest.raises(sp.ModelError) as error:
        sp.assemble(parallelogram(), fixed=fixed)
    assert str(error.value).startswith(sentence)


def test_only_models_are_assembled():
    with pytest.raises(sp.ModelError, match="assemble: model is 1, expected a Model"):
        sp.assemble(1)


def test_paths_of_the_tree():
    graph = Graph.build(FIGURE_BODIES, [("01", "ground", "1"), *FIGURE_EDGES])
    assert graph.path("4", "6") == ("34", "23", "25", "56")
    assert graph.path("6", "ground") == ("56", "25", "12", "01")
    assert graph.path("2", "2") == ()


def test_large_systems_with_rows_that_depend_on_each_other(capfd):
    """The smallest step in the norm of masses, of which one is nothing; LAPACK says no word."""
    rng = np.random.default_rng(4)
    mass, right = rng.uniform(0.5, 2.0, LARGE), np.zeros(LARGE + 60)
    mass[7] = 0.0
    rows = np.zeros((60, LARGE))
    rows[:40] = np.where(rng.random((40, LARGE)) < 0.05, rng.uniform(-1.0, 1.0, (40, LARGE)), 0.0)
    rows[40:59] = rng.uniform(-1.0, 1.0, (19, 40)) @ rows[:40]
    rows[:, 7] = 0.0  # one row is nothing at all, and the motion without mass is in none
    right[LARGE:] = rows @ rng.uniform(-1.0, 1.0, LARGE)
    found = sparse_solution(
        np.block([[np.diag(mass), rows.T], [rows, np.zeros((60, 60))]]), right, 60
    )
    whitened = rows / np.sqrt(np.where(mass > 0.0, mass, 1.0))
    smallest = np.linalg.pinv(whitened, rcond=1e-10) @ right[LARGE:]
    expected = smallest / np.sqrt(np.where(mass > 0.0, mass, 1.0))
    np.testing.assert_allclose(found[:LARGE], expected, atol=1e-9)
    ctypes.CDLL(None).fflush(None)  # what libraries print themselves
    assert capfd.readouterr() == ("", "")
