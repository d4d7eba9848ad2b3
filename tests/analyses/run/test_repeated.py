"""Runs that stop because fronts are singular are made again with whole matrices."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.random_loops import flexible_loop
from supple.analyses.run.options import RunOptions
from supple.analyses.run.simulate import WholeMatrices
from supple.integrators.run.outcomes import lost_pivots

WHOLE = WholeMatrices(sp.Absolute())
pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")


@pytest.fixture(scope="module")
def loop() -> sp.Model:
    """Four beams, two of them without rotary inertia, whose fronts come before their rows."""
    return flexible_loop(93).model()


def run(
    model: sp.Model, formulation: sp.Formulation, steps: int = 2000, **given
) -> sp.results.Result:
    """Some 80 steps of generalized-alpha, whose tangents do not hold rows as those of Radau do."""
    method = sp.GeneralizedAlpha(max_steps=steps)
    return sp.simulate(model, 1e-5, formulation=formulation, integrator=method, output=3, **given)


def same(x: sp.results.Result, y: sp.results.Result) -> bool:
    """Whether two runs are the same to the last bit."""
    return all(np.array_equal(*pair) for pair in ((x.t, y.t), (x.q, y.q), (x.u, y.u)))


def test_a_loop_that_blocks_do_not_run(loop):
    """All is that of a run with whole matrices: states, output, events."""
    when = sp.Event("half", at=5e-6)
    whole, found = (run(loop, f, events=when) for f in (WHOLE, sp.Absolute()))
    assert found.success and found.message == whole.message and same(found, whole)
    assert [e.name for e in found.events] == ["half"]
    assert whole.statistics["newton"] == "dense"
    assert str(found.statistics["newton"]).startswith("dense, after blocks failed at t = ")
    assert "replaced_pivots" not in found.statistics
    assert found.statistics["steps"] == whole.statistics["steps"]


def test_a_run_that_fails_both_ways(loop):
    """The sentence is that of whole matrices, which come further."""
    whole, found = (run(loop, f, 40) for f in (WHOLE, sp.Absolute()))
    assert not found.success and found.message == whole.message and same(found, whole)
    words = str(found.statistics["newton"]).split()
    assert words[:4] == ["dense,", "after", "blocks", "failed"]
    assert float(words[-2]) < found.state().t


def test_a_run_that_is_kept_is_not_repeated(loop, tmp_path):
    """Its files hold what was done so far; the sentence says what helps."""
    kept = run(loop, sp.Absolute(), checkpoint=tmp_path / "loop.run")
    assert not kept.success and kept.statistics["newton"] == "blocks"
    assert "formulation=JointCoordinates(linear='dense')" in kept.message
    assert run(loop, sp.JointCoordinates(linear="dense")).success


def test_others_are_left_alone():
    """Runs by blocks that reach their end, or that stop with regular fronts."""
    m = sp.Model(gravity=(0, 0, -9.81))
    end = m.ground.at(0)
    for i in range(6):
        body = m.add(sp.RigidBody(f"link{i}", 1.0, (0.25, 0, 0), (1e-3, 0.02, 0.02)))
        m.add(sp.Revolute(f"joint{i}", end, body.at(0), axis="yz"[i % 2]))
        end = body.at(0.5)
    for steps in (1000, 3):
        method = sp.Radau(max_steps=steps)
        options = {"formulation": sp.Absolute(), "integrator": method, "output": 3}
        found, given = sp.simulate(m, 0.2, **options), RunOptions(0.2, **options)
        once = method.run(sp.prepare(m).problem(given)[1])
        assert found.success == once.success == (steps == 1000)
        assert np.array_equal(found.q, once.q) and np.array_equal(found.u, once.u)
        assert found.statistics["newton"] == "blocks" and not lost_pivots(found.statistics)
