"""The belt drive of the case ``ancf-belt-drive`` while it begins to turn, for the study of contact.

Both programs have the same elements and points; the error is that of their steps. The path is that
of the lever's end and of a node of the belt.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from equal_error import Run

import supple as sp
from supple.cases.beams import belt_drive as case

T_END, EVERY = 0.1, 0.002  # s
ELEMENTS, POINTS = 40, 80
TOLERANCES = tuple(10.0 ** (-k / 2.0) for k in range(4, 13))  # looser ones cost more
STEPS = tuple(EVERY / n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64))
FINE = tuple(EVERY / 2**k for k in range(3, 10))  # s, steps of Exudyn's converged path
TARGET = 3e-5  # m; of smaller ones Exudyn's path is not known


def laid() -> tuple[np.ndarray, np.ndarray, float]:
    """Places and unit slopes (n, 2) of nodes of the belt as it is laid, and its length, m."""
    band = case.belt_drive(ELEMENTS, POINTS)["belt"]
    places, slopes = (np.asarray(x)[:, :2] for x in np.moveaxis(band.mesh.rest, 1, 0))
    return places, slopes / np.linalg.norm(slopes, axis=1, keepdims=True), band.laid_length


def solve(method: Callable[[], Any], tolerance: float) -> Run:
    """Simulate with Supple."""
    start = time.process_time()
    model = case.belt_drive(ELEMENTS, POINTS)
    result = sp.simulate(model, T_END, integrator=method(), tolerance=tolerance, output=EVERY)
    lever = model["pulley1"].at(0, -case.LEVER, 0)
    places = [np.asarray(result[f].position) for f in (lever, model["belt"].at(0))]
    path = np.hstack(places) / math.sqrt(2.0)
    whole, counts = time.process_time() - start, result.statistics
    return Run(counts["cpu_seconds"], whole, int(counts["steps"]), np.asarray(result.t), path)
