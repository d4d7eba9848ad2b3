"""Batches: bit by bit the numbers of single runs, side by side, and no run stops another."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple as sp
from models.random_loops import loop_recipes
from models.random_models import Recipe, examples, flexible_recipes, recipes
from supple.core.alpha import alpha
from supple.core.dop853 import dop853
from supple.core.energy import step as energy_step
from supple.core.radau import radau
from supple.integrators.run.thread_lock import FIRST_BUDGET, Turns
from supple.native import plain_launcher
from supple.native.declare import LETTERS
from supple.sweeps import sweep, workers
from supple.sweeps.readings import readings
from supple.sweeps.subjects import subject_of

ANGLE = "pin.angle @ end"


def pendulum(mass: float = 1.0) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name="pendulum")
    rod = m.add(sp.RigidBody("rod", mass, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y", initial=0.3))
    return m


def bits(result: sp.results.Result) -> float:
    """A number that changes with any bit of the states."""
    return zlib.crc32(np.hstack([result.q, result.u, result.z]).tobytes())


@given(
    recipe=st.one_of(
        recipes(forces="all", max_bodies=5),
        flexible_recipes(forces="all", max_bodies=3),
        loop_recipes(max_bodies=3),
    ),
    seed=st.integers(0, 2**32 - 1),
)
@examples(12)
def test_batches_are_single_runs_bit_by_bit(recipe, seed):
    model, rng = recipe.model(), np.random.default_rng(seed)
    rigid = [b for b in model.bodies.values() if isinstance(b, sp.RigidBody)]
    paths = {f"{b.name}.mass": b.mass * rng.uniform(0.8, 1.2, 6) for b in rigid}
    name = next(iter(model.bodies))
    paths |= {} if paths else {f"{name}.position.0": np.zeros(6)}
    settings = {"tolerance": 1e-3, "integrator": sp.Radau(max_steps=200)}
    found = sp.batch(model, paths, 0.02, outputs=bits, times=3, threads=3, **settings)
    for k, record in enumerate(found.records):
        single = model.copy()
        for path, values in paths.items():
            body, _, field = path.partition(".")
            single.replace(body, **{field: float(values[k])})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            try:
                result = sp.simulate(single, 0.02, output=3, **settings)
            except sp.SuppleError as error:
                assert record.reason == str(error)
                continue
        if result.success:
            assert record.outputs == {"bits": bits(result)}, record.reason
        else:
            assert record.reason == f"the run {result.message}"


def test_runs_are_side_by_side_and_python_is_not(monkeypatch):
    """Each run waits in its loop for the other: alone they would never meet."""
    meeting, inside, most = threading.Barrier(2, timeout=60.0), [0], [0]
    made = sp.Radau.loop

    def loop(self, problem):
        code = made(self, problem)
        return lambda *buffers: (meeting.wait(), code(*buffers))[1]

    def build(mass):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.001)
        inside[0] -= 1
        return pendulum(mass)

    monkeypatch.setattr(sp.Radau, "loop", loop)
    masses = {"mass": [1.0, 2.0, 3.0, 4.0]}
    integrator = sp.Radau(first_step=0.05)  # one call of the loop
    found = sp.batch(build, masses, 0.05, outputs=ANGLE, threads=2, integrator=integrator, times=1)
    assert found.done.all() and most == [1]


def arm() -> sp.Model:
    """A rigid and a flexible link that swing, with a verdict from the monitor."""
    return Recipe(("Revolute", "Revolute"), 5, beams=(False, True)).model()


@pytest.mark.parametrize("many", [{"threads": n} for n in (2, 3, 5)] + [{"workers": 2}, {}])
def test_bits_do_not_depend_on_the_number_of_threads_or_processes(many):
    """All runs share the flexible body and what is kept with it; some fail."""
    model = arm()
    rigid = next(b for b in model.bodies.values() if isinstance(b, sp.RigidBody))
    joint = next(iter(model.joints))
    masses = rigid.mass * np.linspace(0.8, 1.2, 12)
    masses[[3, 8]] = -1.0
    before, interval = warnings.filters[:], sys.getswitchinterval()
    asked = {"outputs": [f"{joint}.angle", "energy.total @ end"], "times": 7, "tolerance": 1e-3}
    alone = sp.batch(model, {f"{rigid.name}.mass": masses}, 0.1, threads=1, **asked)
    sys.setswitchinterval(1e-6)  # Python's lock changes hands as often as it can
    try:
        found = sp.batch(model.copy(), {f"{rigid.name}.mass": masses}, 0.1, **many, **asked)
    finally:
        sys.setswitchinterval(interval)
    assert [r.state for r in alone.records].count("failed") == 2 and warnings.filters == before
    for a, b in zip(alone.records, found.records, strict=True):
        assert (a.state, a.reason, a.verdict) == (b.state, b.reason, b.verdict)
        assert a.outputs.keys() == b.outputs.keys()
        for name, value in a.outputs.items():
            assert np.asarray(value).tobytes() == np.asarray(b.outputs[name]).tobytes()


def test_runs_are_made_in_processes_unless_functions_are_called():
    masses = {"rod.mass": np.full(6, 1.0)}

    def made_here(**given):
        seen = []
        outputs = {"here": lambda result: seen.append(os.getpid()) or float(os.getpid())}
        return sp.batch(pendulum(), masses, 0.01, outputs=outputs, times=1, **given)["here"]

    assert set(made_here()) == {float(os.getpid())}
    if workers.FORKED:
        assert float(os.getpid()) not in made_here(workers=2)
        subject = subject_of(pendulum(), {"t_end": 0.01}, {})
        assert sweep._forks(subject, readings(ANGLE))
        assert not sweep._forks(subject, readings(bits))
        assert not sweep._forks(subject_of(pendulum, {"t_end": 0.01}, {}), readings(ANGLE))


@pytest.mark.skipif(not workers.FORKED, reason="functions of tests are not importable elsewhere")
def test_a_process_that_dies_costs_one_run():
    def build(mass):
        if mass == 7.0:
            os._exit(3)
        return pendulum(mass)

    masses = np.arange(1.0, 71.0)  # parts of two runs
    found = sp.batch(build, {"mass": masses}, 0.01, outputs=ANGLE, times=1, workers=2)
    assert [row["mass"] for row, _ in found.failed] == [7.0]
    assert found.failed[0][1] == "its process ended with exit code 3"
    alone = sp.batch(pendulum, {"mass": masses}, 0.01, outputs=ANGLE, times=1, threads=1)
    expected, got = alone[ANGLE], found[ANGLE]
    assert got[masses != 7.0].tobytes() == expected[masses != 7.0].tobytes()


def test_first_calls_of_loops_take_as_many_steps_as_runs_before_allow():
    turns = Turns()
    turns.learn(19, 1e-3, 0.03)  # too few to tell
    assert turns.budget == FIRST_BUDGET
    turns.learn(200, 2e-3, 0.03)
    assert turns.budget == 3000
    turns.learn(100, 10.0, 0.03)
    assert turns.budget == FIRST_BUDGET


def test_step_loops_let_other_threads_run_python():
    loops = radau.radau_run, alpha.alpha_run, dop853.dop853_run, energy_step.energy_run
    letters = {"".join(LETTERS[kind] for kind in loop.signature) for loop in loops}
    source = Path(plain_launcher.__file__).with_name("launcher.c").read_text()
    assert letters == {plain_launcher.LOOP} and f'#define LOOP "{plain_launcher.LOOP}"' in source
    spans, made = [], radau.radau_run.ready()

    def run():
        from supple.analyses.run.options import RunOptions
        from supple.analyses.run.simulate import prepare

        _, problem, _ = prepare(pendulum()).problem(RunOptions(1e5, output=1))
        loop_run = sp.Radau().begin(problem)
        buffers = loop_run.run_buffer, loop_run.state, loop_run.count, loop_run.stops
        model = loop_run.compiled.ints, loop_run.compiled.reals, problem.equations.work
        begin = time.perf_counter()
        made(*model, *buffers, problem.grid, loop_run.out, 30_000)
        spans.append((begin, time.perf_counter()))

    thread, stamps = threading.Thread(target=run), []
    thread.start()
    while thread.is_alive():
        stamps.append(time.perf_counter())
        time.sleep(0.001)
    ((begin, end),) = spans
    assert any(begin + 0.25 * (end - begin) < t < end - 0.25 * (end - begin) for t in stamps)


def test_runs_that_fail_are_rows_and_wrong_batches_are_refused():
    model = pendulum()
    found = sp.batch(model, {"rod.mass": np.array([1.0, -1.0, 2.0])}, 0.05, outputs=[ANGLE])
    assert [record.state for record in found.records] == ["done", "failed", "done"]
    assert found.failed[0][1] == "RigidBody 'rod': mass is -1.0, expected a positive number"
    assert found.made == len(found) == 3 and "trusted" in found.records[0].verdict

    def leaves(mass):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        sp.batch(leaves, {"mass": [1.0, 2.0]}, 0.05, outputs=bits, threads=2)
    for changes, sentence in (
        ({"threads": 0}, "batch: threads is 0, expected a positive integer"),
        ({"t_end": None}, "batch: t_end is None, expected the end of the runs in s"),
        ({"monitor": 1}, "batch: monitor is 1"),
        ({"parameters": {"rod": [1.0]}}, "batch: parameters is 'rod'"),
        ({"parameters": {"rod.mass": [1], "pin.initial": [1, 2]}}, "batch: the lists have 1, 2"),
        ({"checkpoint": "x"}, "batch: there is no argument 'checkpoint'"),
        ({"workers": 0}, "batch: workers is 0, expected a positive integer"),
        ({"workers": 2, "threads": 2}, "batch: workers is 2, expected none with threads"),
        ({"processes": 2}, "batch: there is no argument 'processes'"),
        ({"tolerance": -1.0}, "simulate: tolerance is -1.0"),
        ({"outputs": "pin.angel"}, "'pin.angel' is not known"),
    ):
        given = {"parameters": {"rod.mass": [1.0]}, "t_end": 0.05, "outputs": ANGLE, **changes}
        with pytest.raises(sp.SuppleError, match=sentence):
            sp.batch(model, **given)


def test_verdicts_say_whether_flexible_bodies_were_monitored():
    bent = Recipe(("Revolute", "Revolute"), 5, beams=(False, True)).model()
    name = next(n for n, b in bent.bodies.items() if isinstance(b, sp.RigidBody))
    values = {f"{name}.mass": [1.0]}
    verdicts = [
        sp.batch(bent, values, 0.01, outputs=bits, monitor=looked).records[0].verdict
        for looked in (True, False)
    ]
    assert ["bodies were not monitored" in verdict for verdict in verdicts] == [False, True]
    rigid = sp.batch(pendulum(), {"rod.mass": [1.0]}, 0.01, outputs=bits, monitor=False)
    assert "monitored" not in rigid.records[0].verdict


@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
@pytest.mark.parametrize("many", [{"threads": 2}, {"workers": 2}])
def test_ctrl_c_ends_all_threads_and_processes(many):
    before = warnings.filters[:]
    begin = time.monotonic()
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sp.batch(pendulum(), {"rod.mass": [1.0] * 4}, 1e6, outputs=ANGLE, times=1, **many)
    assert time.monotonic() - begin < 60.0  # all steps of one run take minutes
    alive = (t for t in threading.enumerate() if t.is_alive())
    assert not [t for t in alive if t.name.startswith("supple ")]
    assert not multiprocessing.active_children()
    assert warnings.filters == before
