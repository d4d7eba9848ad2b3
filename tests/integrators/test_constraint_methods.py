"""Ways to keep loops closed with Dormand-Prince: projection, Baumgarte's pull, partitioning."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple as sp
from models.closed_loops import four_bar, spatial_loop
from supple.core.base.layout import new_work
from supple.engine.reading.rows import row_sizes, rows_at
from supple.loops.assembly import compile_model

METHODS = ("projection", "baumgarte", "partitioning")
MODELS = {"plane": four_bar, "spatial": spatial_loop}
T_END = 0.4


@cache
def reference(model: str) -> np.ndarray:
    """State of all bodies at the end, by Radau."""
    return end(sp.simulate(MODELS[model](), T_END, tolerance=1e-13, output=2))


def end(result: sp.results.Result) -> np.ndarray:
    assert result.success, result.message
    ends = [(result[name].angle[-1], result[name].rates[-1, 0]) for name in "AD"]
    return np.array(ends).ravel()


def run(model: str, method: str, step: float, **options) -> sp.results.Result:
    """Steps of equal size: the tolerance is too loose to ask for smaller ones."""
    integrator = sp.DormandPrince(
        first_step=step, max_step=step, constraints=method, pull=20.0, **options
    )
    return sp.simulate(MODELS[model](), T_END, integrator=integrator, tolerance=1e-2, output=2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", MODELS)
def test_order(model, method):
    """8 by theory; measured 7.97, 7.65 and 7.96 on the spatial loop, more on the plane one."""
    errors = []
    for count in (24, 32):
        result = run(model, method, T_END / count)
        assert result.statistics["steps"] == count
        errors.append(np.abs(end(result) - reference(model)).max())
    assert errors[1] > 1e-12  # not yet rounding
    assert np.log(errors[0] / errors[1]) / np.log(32 / 24) > 7.4


@pytest.mark.parametrize("model", MODELS)
def test_only_baumgarte_lets_violations_appear(model):
    """They stay below the errors of its steps, and output shows them."""
    for method in METHODS:
        result = run(model, method, T_END / 12)
        c = compile_model(MODELS[model]())
        final = result.state()
        gap = rows_at(c, new_work(c.ints), final.t, final.q, final.u).violation / row_sizes(c)
        found = np.abs(gap).max()
        assert (found > 1e-12) == (method == "baumgarte")
        assert found < 1e-6
        if method == "projection":
            assert "violation" not in result.statistics
        else:
            assert (result.statistics["violation"] > 1e-12) == (method == "baumgarte")


@pytest.mark.slow
def test_without_a_pull_violations_grow_and_with_it_they_do_not():
    """Errors of accelerations add up twice, to t^2; pulled, each lives for the time 1/pull.

    Of an error of a step, which is below the tolerance, and of those in the time 1/pull before
    it, no more is there at once than their sum, however long the run. The pull has to be faster
    than the motion's own spreading of errors.
    """
    tolerance, rate = 1e-6, 20.0
    found = {}
    for pull in (0.0, rate):
        integrator = sp.DormandPrince(constraints="baumgarte", pull=pull)
        runs = [
            sp.simulate(four_bar(), t_end, integrator=integrator, tolerance=tolerance, output=2)
            for t_end in (10.0, 40.0)
        ]
        assert all(r.success for r in runs)
        found[pull] = [r.statistics["violation"] for r in runs]
    alive = 1.0 + runs[1].statistics["steps"] / 40.0 / rate
    assert found[0.0][1] > 4.0 * found[0.0][0]  # 16 by theory; in proportion to the time it is 4
    assert found[0.0][1] > 10.0 * alive * tolerance > 10.0 * max(found[rate])


def test_options_are_checked():
    with pytest.raises(sp.ModelError, match=r"DormandPrince: constraints is 'glue', expected"):
        sp.DormandPrince(constraints="glue")
    with pytest.raises(sp.ModelError, match=r"DormandPrince: pull is -1"):
        sp.DormandPrince(pull=-1.0)
