"""Whole matrices, the tree and blocks give the same motion, in all cases."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from models.closed_cases import closed
from supple import cases
from supple.formulations.trees import JointCoordinates
from supple.integrators.methods.sundials import coordinate_scales
from supple.loops.assembly import compile_model

TOLERANCE = 1e-5
# s, of runs that take minutes: what is left out of them shows nothing else
SHORT = {
    "n-four-bar-40": 0.5,
    "richard-panels": 2.0,
    "zhao-elements": 0.02,
    "huang-five-elements-undamped": 0.05,
}
# A change of the tolerance may meet the error by luck: its size is that of the larger of two.
FINER = 10.0, 100.0
# An explicit method takes the largest stable steps of a stiff model. Errors of its fast coordinate
# grow there until a step is refused, and jump with the tolerance (nada-arm, dense: 7e-4 at 3e-5,
# 3e-5 at 2e-5, 9e-6 at 1e-5, 8e-5 at 7e-6): their size is that of the largest of several runs.
NEAR = 1.5, 0.7


def in_joint_coordinates(case: cases.Case) -> bool:
    return case.formulation is None or type(case.formulation()) is JointCoordinates


ALL = [case for case in cases.all() if case.times and in_joint_coordinates(case)]
# Steps of bodies without a frame are fixed: a tolerance says nothing about their errors.
ALL = [case for case in ALL if not case.name.startswith("ancf")]


def path(case: cases.Case, way: str, tolerance: float, until: float) -> np.ndarray:
    """Coordinates (nt, nq) of a run, over their units in the error test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        model = case.build()
        result = sp.simulate(
            model,
            until,
            start=None if case.start is None else case.start(model),
            integrator=None if case.integrator is None else case.integrator(),
            tolerance=tolerance,
            output=50,
            formulation=JointCoordinates(linear=way),
        )
        scale, _ = coordinate_scales(compile_model(model))
    assert result.success, result.message
    assert result.statistics["linear"] == way
    return np.asarray(result.q) / scale


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_the_ways_agree_better_than_tolerances(case):
    """Within ten times the error of a run."""
    names = [name for name in SHORT if case.name.startswith(name)]
    until = min([case.times[-1], *(SHORT[name] for name in names)])
    dense = path(case, "dense", TOLERANCE, until)
    finer = [path(case, "dense", TOLERANCE / k, until) for k in FINER]
    error = max(np.abs(dense - other).max() for other in finer)
    if case.integrator is not None and isinstance(case.integrator(), sp.DormandPrince):
        near = [path(case, "dense", TOLERANCE * k, until) for k in NEAR]
        error = max(error, *(np.abs(other - finer[-1]).max() for other in near))
    for way in ("tree", "blocks") if closed(case) else ("tree",):
        assert np.abs(path(case, way, TOLERANCE, until) - dense).max() <= 10.0 * error, way
