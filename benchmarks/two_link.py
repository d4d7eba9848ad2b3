"""An arm with a flexible link, 4 modes, falling for 5 s to equal error: Supple against Exudyn.

The arm is that of ``supple.commands.demo`` without damping and stiffening: a rigid link, a beam of
five elements, 0.5 kg at its tip. The error is the RMS distance, over the run, of the tip to the
same program's own converged path (``equal_error.py``). Exudyn's model is its reduced floating
frame.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import timing  # noqa: F401  (before numpy)

# isort: split
import numpy as np
from equal_error import (
    TARGET,
    Method,
    Run,
    between,
    converged,
    exudyn_or_none,
    ratio,
    show_runs,
    take_turns,
)
from scipy.interpolate import CubicSpline

import supple as sp
from supple.commands import demo

T_END = 5.0  # s
EVERY = 0.01  # s between output rows
RATIO = 1 / 15  # largest ratio of CPU times of the solves, Supple to Exudyn

# Fine grids: a method that just misses the error must not pay for a much smaller step.
TOLERANCES = tuple(10.0 ** (-k / 8.0) for k in range(16, 41))
STEPS = tuple(round(1250 * 2.0 ** (k / 8.0)) for k in range(17))  # per run


def supple_run(integrator: Callable[[], Any], tolerance: float, every: float = EVERY) -> Run:
    """Simulate with Supple."""
    start = time.process_time()
    model = demo.arm()
    model.replace("link2", damping=None, stiffening=None)
    result = sp.simulate(model, T_END, integrator=integrator(), tolerance=tolerance, output=every)
    counts, path = result.statistics, np.asarray(result["tip"].position)
    whole = time.process_time() - start
    return Run(counts["cpu_seconds"], whole, int(counts["steps"]), np.asarray(result.t), path)


def supple_methods() -> tuple[list[Method], CubicSpline]:
    """Methods of Supple and its converged path."""
    methods = [
        Method("supple", i.__name__, TOLERANCES, lambda x, i=i: supple_run(i, x))
        for i in (sp.Radau, sp.DormandPrince)
    ]
    fine = (1e-7, 1e-8, 1e-9)
    return methods, converged(lambda x: supple_run(sp.DormandPrince, x, 1e-3), fine, T_END)


def exudyn_methods(peer: Any) -> tuple[list[Method], CubicSpline]:
    """Methods of Exudyn, with a fine and a coarse Newton tolerance, and its converged path."""
    methods = [
        Method(
            "exudyn",
            f"{solver} {newton:g}",
            tuple(T_END / n for n in STEPS),
            lambda x, s=solver, n=newton: peer.solve(
                x, solver=s, newton=n, t_end=T_END, every=EVERY
            ),
        )
        for solver in ("GeneralizedAlpha", "TrapezoidalIndex2")
        for newton in (1e-8, 1e-5)
    ]
    fine = (5e-4, 2.5e-4, 1.25e-4)
    return methods, converged(lambda x: peer.solve(x, t_end=T_END, every=1e-3), fine, T_END)


def study(peer: Any, seconds: float) -> dict[str, Any]:
    """Search and time all methods."""
    methods, reference = supple_methods()
    for method in methods:
        method.cheapest(reference)
    found: dict[str, Any] = {"between_programs": None, "target": RATIO}
    if peer is not None:
        others, other = exudyn_methods(peer)
        for method in others:
            method.cheapest(other)
        methods += others
        found["between_programs"] = between(reference, other)
    take_turns(methods, seconds)
    found["runs"] = [m.row() for m in methods]
    found["ratio"], found["whole_ratio"] = (ratio(found["runs"], k) for k in ("solve", "whole"))
    found["met"] = peer is None or (found["ratio"] is not None and found["ratio"] <= RATIO)
    return found


def show(found: dict[str, Any]) -> None:
    """The table and the verdict."""
    print(f"A flexible arm over {T_END:g} s at an RMS tip error of {TARGET:g} m, CPU time")
    print("(setting: tolerance, or step in s; after Exudyn's methods their Newton tolerance)")
    if found["between_programs"] is not None:
        print(f"Converged paths of the programs differ by {found['between_programs']:.0e} m")
    show_runs(found["runs"])
    if found["ratio"] is not None:
        verdict = "met" if found["met"] else "MISSED"
        print(f"  ratio of the solves {found['ratio']:.3f}: {verdict} (at most {RATIO:g})")


def main() -> int:
    """Measure, print, and return 1 if the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU s to time the methods")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    warnings.simplefilter("ignore", sp.SuppleWarning)  # link1's inertia is unusual, and meant so
    found = study(exudyn_or_none("exudyn_two_link"), options.seconds)
    if options.json:
        print(json.dumps({"two_link": found}, indent=1))
    else:
        show(found)
    return 1 if not found["met"] and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
