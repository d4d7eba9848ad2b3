"""Sweeps: designs, rows that tell why a run failed, what is not made twice, sensitivities."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import supple as sp
from models.linkages import parallelogram
from supple.cli import app
from supple.sweeps import store, workers
from supple.sweeps.designs import rows
from supple.sweeps.identity import digest
from supple.sweeps.readings import STATISTICS
from supple.sweeps.study import sobol_indices
from supple.sweeps.subjects import Record, Way

END = 0.05
ANGLE = "pin.angle @ end"
FILE = """\
supple: 1
include: parts/arm.yaml
gravity: [0, 0, -9.81]
parameters: {L: 1.0, m: 2.0, half: L / 2}
bodies:
  rod: {type: RigidBody, mass: m, com: [half, 0, 0], inertia: J}
joints:
  pin: {type: Revolute, A: ground at 0, B: rod at 0, axis: y, initial: 0.3}
simulation: {t_end: 0.05, output: 10}
"""
STUDY = """\
supple: 1
model: arm.yaml
parameters: {L: [0.5, 1.0], m: [1.0, -1.0]}
outputs: [pin.angle @ end, pin.angle]
figures:
  effects.png: [effects, pin.angle @ end]
  scatter.png: [scatter, pin.angle @ end]
  bands.png: [bands, pin.angle]
"""


def pendulum(mass: float = 1.0) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name="pendulum")
    rod = m.add(sp.RigidBody("rod", mass, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y", initial=0.3))
    return m


def planar() -> sp.Model:
    """Two displacements and an angle: three numbers that are no vector."""
    m = sp.Model()
    rod = m.add(sp.RigidBody("rod", 1.0, inertia=0.1))
    m.add(sp.Planar("pin", m.ground.at(0), rod.at(0)))
    return m


def sweep(model=None, parameters=None, outputs=ANGLE, **options):
    given = {"t_end": END, "workers": 1, "times": 10, **options}
    return sp.sweep(
        model or pendulum(), parameters or {"rod.mass": [1, 2]}, outputs=outputs, **given
    )


def test_rows_are_those_of_single_runs_in_any_process():
    values = {"rod.mass": [1.0, 2.0], "rod.com.0": [0.4, 0.5], "pin.initial": [0.1]}
    here = sweep(parameters=values, outputs=[ANGLE, "pin.angle"])
    there = sweep(parameters=values, outputs=[ANGLE, "pin.angle"], workers=2)
    assert here.made == there.made == 4
    for k, row in enumerate(here.parameters):
        m = pendulum(row["rod.mass"])
        m.replace("rod", com=(row["rod.com.0"], 0, 0))
        m.replace("pin", initial=0.1)
        angle = sp.simulate(m, END, output=10)["pin"].angle
        assert here[ANGLE][k] == there[ANGLE][k] == angle[-1]
        np.testing.assert_array_equal(there.history("pin.angle")[1][k], angle)
    assert len(set(here[ANGLE])) == 4


@pytest.mark.slow
def test_processes_may_be_new_interpreters(monkeypatch):
    monkeypatch.setattr(workers, "START", "spawn")
    values = {"rod.mass": [1.0, -1.0, 3.0]}
    found = sweep(parameters=values, workers=2)
    np.testing.assert_array_equal(found[ANGLE], sweep(parameters=values)[ANGLE])
    with pytest.raises(sp.SimulationError, match="expected functions at the top level of a module"):
        sweep(outputs=lambda result: 1.0, workers=2)


def test_the_line_tells_how_far_a_sweep_is():
    way = Way("sweep", total=10, before=3)
    way.began -= 8.0
    for state in ("done", "failed", "done", "done"):
        way.count(Record(state))
    # 2 s for each of four runs, six are left
    assert way.text() == "sweep: 4 of 10 runs (40%), 1 failed, 3 known before, 12 s to go"


def poisoned(mass):
    if mass == 2.0:
        os.kill(os.getpid(), signal.SIGKILL)
    if mass == 3.0:
        time.sleep(60.0)
    if mass == 4.0:
        raise RuntimeError("no\nluck")
    m = pendulum(mass)
    if mass == 5.0:
        m.replace("rod", com=(0, 0, 0), inertia=(1.0, 0.0, 1.0))
    return m


@pytest.mark.skipif(
    sys.platform != "linux", reason="the function is known to forked processes only"
)
def test_a_run_that_fails_is_a_row_with_its_reason():
    expected = sweep(pendulum())[ANGLE][0]  # kernels are ready: no time limit is for these
    masses = [1.0, 2.0, 3.0, 4.0, 5.0, float("nan"), 6.0]
    found = sweep(
        poisoned,
        {"mass": masses},
        {"a": ANGLE, "log": lambda r: np.log(6.5 - r.model["rod"].mass - 1.0)},
        workers=2,
        time_limit=1.0,
    )
    reasons = [record.reason for record in found.records]
    assert reasons[0] == "" and found["a"][0] == expected
    assert "SIGKILL" in reasons[1] and "limit of 1 s" in reasons[2]
    assert reasons[3] == "RuntimeError: no luck"
    assert "pin" in reasons[4]  # no inertia about its axis
    assert reasons[5] == "RigidBody 'rod': mass is nan, expected a positive number"
    assert reasons[6] == "the output 'log' is not finite"
    assert np.isnan(found["a"][1:]).all() and len(found.failed) == 6
    assert "1 failed: RuntimeError: no luck" in repr(found)


def test_runs_that_are_not_trusted_are_told():
    coarse = sp.GeneralizedAlpha(step=0.1)
    found = sweep(parameters={"rod.mass": [1.0, 2.0]}, t_end=2.0, integrator=coarse)
    verdicts = [verdict for _, verdict in found.doubtful]
    assert found.done.all() and verdicts == [record.verdict for record in found.records]
    assert "2 done but not trusted" in repr(found) and "not trusted" not in repr(sweep())


def test_what_a_single_run_warns_of_is_doubtful_in_the_table():
    """Energy and momentum do not see drivers that contradict each other."""
    model = parallelogram(0.3, motion="0.3 + t")
    model.add(sp.Driver("second", "D", "0.3 + t + 0.5*t**2"))
    verdict = sweep(model, {"A.initial": [0.3]}, "A.angle @ end", t_end=0.2).records[0].verdict
    assert verdict.startswith("doubtful: Driver 'second'") and "do not trust this run" in verdict


STOP: list[float] = []


def deadly(mass):
    if mass in STOP:
        os.kill(os.getpid(), signal.SIGKILL)
    return pendulum(mass)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
def test_a_killed_sweep_goes_on_and_no_run_is_made_twice(tmp_path):
    values = {"mass": [1.0, 2.0, 1.0, -1.0, 3.0, 4.0]}
    process = os.fork()
    if process == 0:
        STOP.append(3.0)
        try:
            sweep(deadly, values, folder=tmp_path)
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    found = sweep(deadly, values, folder=tmp_path)
    assert found.made == 2  # of five that differ
    np.testing.assert_array_equal(found[ANGLE], sweep(deadly, values)[ANGLE])
    again = sweep(deadly, {"mass": [4.0, 5.0, -1.0]}, folder=tmp_path)
    assert again.made == 1 and len(again.failed) == 1
    assert sweep(deadly, values, folder=tmp_path, retry=True).made == 1
    for other in ({"tolerance": 1e-9}, {"outputs": "pin.angle @ max"}, {"t_end": 2 * END}):
        assert sweep(deadly, {"mass": [1.0]}, folder=tmp_path, **other).made == 1
    table = sqlite3.connect(tmp_path / store.FILE)
    reading = table.execute("SELECT * FROM runs")
    reading.fetchone()  # somebody who has not finished to read makes nobody wait
    assert sweep(deadly, {"mass": [9.0]}, folder=tmp_path).made == 1
    reading.close()
    asked = f'SELECT reason, "{ANGLE}" FROM runs WHERE mass < 0'
    reason, angle = table.execute(asked).fetchone()
    table.close()
    assert "mass is -1.0" in reason and angle is None


def test_parquet_has_the_rows_of_the_table(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    sweep(outputs=[ANGLE, "pin.angle"], folder=tmp_path)
    sweep(parameters={"rod.mass": [3.0, -1.0]}, outputs=[ANGLE, "pin.angle"], folder=tmp_path)
    parts = tmp_path / store.PARTS
    assert len(list(parts.iterdir())) == 2
    found = pq.read_table(parts).to_pydict()
    assert found["rod.mass"] == [1.0, 2.0, 3.0, -1.0] and found[ANGLE][3] is None
    assert [None if h is None else len(h) for h in found["pin.angle"]] == [11, 11, 11, None]
    assert found[ANGLE][:3] == [h[-1] for h in found["pin.angle"][:3]]
    sweep(parameters={"pin.initial": [0.1]}, folder=tmp_path)  # another column
    assert pq.read_table(parts).to_pydict()["pin.initial"] == [None] * 4 + [0.1]


def test_a_table_that_is_something_else_is_refused(tmp_path):
    sweep(folder=tmp_path)
    with pytest.raises(sp.ModelError, match=r"'pin.angle @ end' of numbers, expected histories as"):
        sweep(outputs={ANGLE: "pin.angle"}, folder=tmp_path)
    (tmp_path / store.FILE).write_text("no table" * 500)
    with pytest.raises(
        sp.FileError, match=r"runs.sqlite' of the sweep cannot be used: file is not"
    ):
        sweep(folder=tmp_path)


def test_runs_are_known_by_all_they_depend_on():
    def spring(stiffness, shape=lambda x: 2.0 * x):
        m = pendulum()
        m.add(sp.EffortFunction("law", "pin", lambda t, q, u: -stiffness * shape(q)))
        return m

    same = digest(spring(2.0))
    assert digest(spring(2.0)) == same
    sp.simulate(first := spring(2.0), 0.01)
    assert digest(first) == same  # what a run leaves behind is no content
    moved = spring(2.0)
    moved.replace("pin", A=moved.ground.at(0.1))
    others = [spring(3.0), spring(2.0, lambda x: 3.0 * x), moved]
    for path, value in (("rod.mass", 1.5), ("rod.com.2", 0.1), ("pin.initial", 0.2)):
        others.append(m := spring(2.0))
        m.replace(path, value)
    others.append(m := spring(2.0))
    m.gravity = (0, 0, -9.8)
    assert len({same, *map(digest, others)}) == len(others) + 1


def test_designs():
    spread = {"a": "normal(2, 0.5)", "b": "triangular(1, 2, 4)", "c": "loguniform(1e-3, 10)"}
    exact = [stats.norm(2, 0.5), stats.triang(1 / 3, 1, 3), stats.loguniform(1e-3, 10)]
    latin = rows(spread, "latin", 50, 3)
    for name, distribution in zip(spread, exact, strict=True):
        parts = distribution.cdf([row[name] for row in latin]) * 50
        assert sorted(np.floor(parts).astype(int)) == list(range(50))
    assert rows(spread, "latin", 50, 3) == latin != rows(spread, "latin", 50, 4)
    for design in ("random", "sobol"):
        assert rows(spread, design, 16, 1) == rows(spread, design, 64, 1)[:16]
    mixed = {"x": "uniform(0, 1)", "kind": ["p", "q"]}
    assert {row["kind"] for row in rows(mixed, "sobol", 16, 0)} == {"p", "q"}
    assert [type(row["n"]) for row in rows({"n": "linspace(1, 3, 3)"}, "grid", None, 0)] == [
        int
    ] * 3
    listed = {"x": "linspace(0, 1, 3)", "y": [1, 2, 3]}
    assert len(rows(listed, "grid", None, 0)) == 9
    assert rows(listed, "list", None, 0)[1] == {"x": 0.5, "y": 2}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parameters": {"rod.mas": [1]}}, "there is no field 'mas', did you mean 'mass'"),
        ({"parameters": {"rod.com": [1]}}, "expected one number of it, e.g. 'rod.com.0'"),
        ({"parameters": {"rod.mass": "uniform(2, 1)"}}, "a low that is below the high"),
        (
            {"parameters": {"rod.mass": "uniform(1, 2)"}},
            "expected a list of values, or another des",
        ),
        ({"design": "latin"}, "a number of runs from 1"),
        ({"design": "list", "parameters": {"rod.mass": [1], "pin.initial": [1, 2]}}, "as many in"),
        ({"outputs": "pin.angel @ max"}, "'pin.angel' is not known"),
        ({"outputs": "pin.angle @ maximum"}, "did you mean 'max'"),
        ({"outputs": "rod.position"}, "expected a component"),
        ({"outputs": "pin.reaction @ max"}, "expected a number or a vector of 3"),
        ({"outputs": "pin.coordinates @ max", "model": planar()}, "a vector of 3 at each time"),
        ({"outputs": [ANGLE, ANGLE]}, "names that differ"),
        ({"outputs": {"ROD.mass": ANGLE}}, "another name than that of the column 'rod.mass'"),
        ({"t_end": None}, "because outputs are quantities of a run"),
        ({"tolerance": -1.0}, "simulate: tolerance is -1.0"),
        ({"checkpoint": "x"}, "there is no argument 'checkpoint'"),
        ({"model": lambda m: m}, "cannot be called with these parameters"),
        ({"folder": __file__}, "cannot be made"),
    ],
)
def test_a_wrong_sweep_is_refused_before_any_run(changes, sentence):
    with pytest.raises(sp.SuppleError, match=sentence.replace("(", r"\(")):
        sweep(**changes)


def test_statistics_do_not_depend_on_the_spacing_of_times():
    t = np.sort(np.concatenate([np.linspace(0, 2 * np.pi, 2001), np.linspace(0, 1, 500)]))
    y = 3.0 + 2.0 * np.sin(t)
    exact = {"mean": 3.0, "rms": 11.0**0.5, "max": 5.0, "min": 1.0, "range": 4.0, "abs max": 5.0}
    exact |= {"time of max": np.pi / 2, "start": 3.0, "end": 3.0}
    for word, value in exact.items():  # trapezoidal rule and sampling: h^2 = 1e-5
        assert STATISTICS[word](t, y) == pytest.approx(value, abs=2e-3 if "time" in word else 1e-5)


def test_sobol_indices_are_those_of_ishigamis_function():
    """f = sin x + 7 sin^2 y + 0.1 z^4 sin x in (-pi, pi): its variances are integrals."""
    names = ("x", "y", "z")
    plan = rows(dict.fromkeys(names, f"uniform({-np.pi}, {np.pi})"), "saltelli", 1024, 5)
    x, y, z = (np.array([row[n] for row in plan]) for n in names)
    found = sobol_indices(np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x), names, "f", 0)
    own = 0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2, 49 / 8, 0.0
    joint = 0.01 * np.pi**8 * (1 / 18 - 1 / 50)
    variance = sum(own) + joint
    first, total = np.array(own) / variance, np.array([own[0] + joint, own[1], joint]) / variance
    assert np.all(np.abs(found.first - first) < 1.5 * found.first_error + 1e-12)
    assert np.all(np.abs(found.total - total) < 1.5 * found.total_error + 1e-12)
    assert found.first_error.max() < 0.15 and found.total_error.max() < 0.15


def test_histories_of_runs_that_end_early():
    event = sp.Event("down", "pin", value=0.35, terminal=True)
    found = sweep(None, {"pin.initial": [0.3, 0.0]}, "pin.angle", t_end=0.15, events=event)
    t, values = found.history("pin.angle")
    assert t[-1] == 0.15 and np.isfinite(values[1]).all()
    assert np.isfinite(values[0]).any() and np.isnan(values[0, -1])
    assert np.nanmax(values[0]) <= 0.35 + 1e-9


def test_model_files_and_studies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("arm.yaml").write_text(FILE)
    Path("parts").mkdir()
    Path("parts/arm.yaml").write_text("parameters: {J: 0.1}")
    varied = sp.files.ModelFile("arm.yaml", {"L": 0.5})
    assert varied.parameters == {"L": 0.5, "m": 2.0, "half": 0.25}
    assert varied.model["rod"].com[0] == 0.25
    with pytest.raises(sp.ModelError, match="the parameter 'K' is given"):
        sp.files.ModelFile("arm.yaml", {"K": 1.0})
    Path("study.yaml").write_text(STUDY)
    done = CliRunner().invoke(app, ["sweep", "study.yaml", "--workers", "1", "--json"])
    answer = json.loads(done.stdout)
    assert done.exit_code == 0 and answer["made"] == 4 and answer["failed"] == 2
    row = answer["rows"][0]
    assert (
        row["outputs"][ANGLE]
        == sp.files.ModelFile("arm.yaml", {"L": 0.5, "m": 1.0}).simulate()["pin"].angle[-1]
    )
    assert "mass" in answer["rows"][1]["reason"] and "arm.yaml:6" in answer["rows"][1]["reason"]
    assert all(
        Path(f"{name}.png").stat().st_size > 5000 for name in ("effects", "scatter", "bands")
    )
    Path("study.yaml").write_text(STUDY.partition("figures")[0])
    done = CliRunner().invoke(app, ["sweep", "study.yaml", "--workers", "1"])
    assert "0 made now" in done.stdout
    Path("parts/arm.yaml").write_text("parameters: {J: 0.2}")
    assert "4 made now" in CliRunner().invoke(app, ["sweep", "study.yaml", "--workers", "1"]).stdout
    wrong = STUDY.replace("model: arm.yaml", "model: ../arm.yaml\nrun: 3").replace(
        "effects,", "pie,"
    )
    Path("study.yaml").write_text(wrong)
    done = CliRunner().invoke(app, ["sweep", "study.yaml"])
    told = done.stderr.splitlines()
    assert done.exit_code == 1 and len(told) == 3
    assert "study.yaml:2: model" in told[0] and "study.yaml:3: run" in told[1]


def test_a_cluster_needs_its_library_and_an_address(monkeypatch):
    with pytest.raises(sp.SuppleError, match="none with workers or time_limit"):
        sweep(cluster="tcp://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(sp.SuppleError, match=r"pip install 'supple\[cluster\]'"):
        sweep(cluster="tcp://127.0.0.1:1", workers=None)


@pytest.mark.slow
def test_runs_on_a_cluster(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        values = {"rod.mass": [1.0, -1.0, *np.linspace(2, 3, 20)]}
        found = sweep(parameters=values, cluster=address, workers=None)
        np.testing.assert_array_equal(found[ANGLE], sweep(parameters=values)[ANGLE])
        assert len(found.failed) == 1
    monkeypatch.setattr("supple.sweeps.workers.CONNECT", 1.0)
    with pytest.raises(sp.SimulationError, match="there is no cluster at"):
        sweep(cluster="tcp://127.0.0.1:9", workers=None)
