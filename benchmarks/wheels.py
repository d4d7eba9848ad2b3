"""Wheels that roll, for ``rolling.py``: the problems, and the runs of Supple.

The models are those of the cases ``rolling-exudyn-coin``, ``-wheel``, ``-slow-ride`` and
``contact-car``, which Exudyn ships. The error that is allowed is 1e-4 of the radius of a wheel, and
of discs also 1e-6.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from equal_error import Run

import supple as sp
from supple import cases


@dataclass(frozen=True)
class Problem:
    """A case, the bodies whose places are compared, times (s) and the error that is allowed, m."""

    name: str
    case: str
    bodies: tuple[str, ...]
    t_end: float
    every: float
    target: float
    halvings: int  # of ``every`` for the converged path of Exudyn


COIN, WHEEL, BICYCLE = "rolling-exudyn-coin", "rolling-exudyn-wheel", "rolling-exudyn-slow-ride"
CAR = "contact-car"  # whose wheels slip
RIDERS = ("frame", "front_wheel")
PROBLEMS = {
    p.name: p
    for p in (
        Problem("coin", COIN, ("disc",), 0.5, 5e-3, 1e-6, 9),
        Problem("coin, closer", COIN, ("disc",), 0.5, 5e-3, 1e-8, 9),
        Problem("wheel", WHEEL, ("disc",), 1.0, 0.02, 2e-5, 9),
        Problem("wheel, closer", WHEEL, ("disc",), 1.0, 0.02, 2e-7, 9),
        Problem("car", CAR, ("car",), 1.0, 0.02, 4e-5, 8),
        Problem("bicycle", BICYCLE, RIDERS, 5.0, 0.02, 3e-5, 8),
    )
}


def solve(problem: Problem, method: Callable[[], Any], tolerance: float) -> Run:
    """Simulate with Supple."""
    start = time.process_time()
    case = cases.get(problem.case)
    model = case.build()
    begin: dict[str, Any] = {} if case.start is None else {"start": case.start(model)}
    begin.update(integrator=method(), tolerance=tolerance, output=problem.every)
    result = sp.simulate(model, problem.t_end, **begin)
    places = [np.asarray(result[name].position) for name in problem.bodies]
    if problem.case == BICYCLE:  # z is down
        places = [x * (1.0, -1.0, -1.0) for x in places]
    path = np.hstack(places) / math.sqrt(len(places))
    whole, counts = time.process_time() - start, result.statistics
    return Run(counts["cpu_seconds"], whole, int(counts["steps"]), np.asarray(result.t), path)
