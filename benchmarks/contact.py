"""Bodies that touch, to equal error: Supple against Exudyn and MuJoCo.

A ball that bounces for 1.5 s, a block that slides to rest, 20 balls on a floor that hit each other
(``touching.py``). The error is the RMS, over the run, of the mean distance of the bodies to the
same program's own converged path (``equal_error.py``).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import timing

# isort: split
import numpy as np
import touching
from equal_error import (
    TARGET,
    Method,
    Run,
    between,
    converged,
    peer_or_none,
    ratio,
    show_runs,
    take_turns,
)
from scipy.interpolate import CubicSpline

import supple as sp

PEERS = ("exudyn", "mujoco")
# Largest ratio of CPU times of the solves, the best of Supple to the best of each of the others
TARGETS = {"ball": 0.2, "block": 1.0, "20 balls": 2.0}

TOLERANCES = tuple(10.0 ** (-k / 2.0) for k in range(2, 19))
MANY = sorted({round(2.0 ** (k / 2.0)) for k in range(3, 21)})  # steps in 0.01 s
STEPS = tuple(touching.EVERY / n for n in MANY)


def supple_run(problem: touching.Problem, method: Callable[[], Any], tolerance: float) -> Run:
    """Simulate with Supple."""
    start = time.process_time()
    cells = method is sp.DormandPrince and len(problem.places) > 1
    model = touching.supple_model(problem, cells)
    end, every = problem.t_end, touching.EVERY
    result = sp.simulate(model, end, integrator=method(), tolerance=tolerance, output=every)
    bodies = max(1, len(problem.places))
    places = [np.asarray(result[f"body{k}"].position) for k in range(bodies)]
    path = touching.scaled(np.hstack(places))
    whole = time.process_time() - start
    counts = result.statistics
    return Run(counts["cpu_seconds"], whole, int(counts["steps"]), np.asarray(result.t), path)


def supple_methods(problem: touching.Problem) -> tuple[list[Method], CubicSpline]:
    """Methods of Supple and its converged path."""
    methods = [
        Method("supple", i.__name__, TOLERANCES, lambda x, i=i: supple_run(problem, i, x))
        for i in (sp.Radau, sp.DormandPrince)
    ]
    fine = (1e-7, 1e-8, 1e-9)
    method = sp.DormandPrince
    return methods, converged(lambda x: supple_run(problem, method, x), fine, problem.t_end)


def peer_methods(
    problem: touching.Problem, program: str, peer: Any
) -> tuple[list[Method], CubicSpline]:
    """Methods of another program and its converged path."""
    kinds = (*peer.EXPLICIT, *peer.IMPLICIT) if program == "exudyn" else peer.INTEGRATORS
    methods = [
        Method(program, kind, STEPS, lambda x, k=kind: peer.solve(problem, k, x)) for kind in kinds
    ]
    finest = "RK44" if program == "exudyn" else "RK4"
    fine = tuple(touching.EVERY / 2**k for k in range(8, 16))
    return methods, converged(lambda x: peer.solve(problem, finest, x), fine, problem.t_end)


def study(problem: touching.Problem, peers: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Search and time all methods for one problem."""
    methods, reference = supple_methods(problem)
    for method in methods:
        method.settled(reference)
    found: dict[str, Any] = {"problem": problem.name, "between_programs": {}, "ratios": {}}
    for program, peer in peers.items():
        others, other = peer_methods(problem, program, peer)
        for method in others:
            method.settled(other)
        methods += others
        found["between_programs"][program] = between(reference, other)
    take_turns(methods, seconds)
    found["runs"] = [m.row() for m in methods]
    for program in peers:
        found["ratios"][program] = ratio(found["runs"], "solve", program)
    found["target"] = TARGETS[problem.name]
    known = [r for r in found["ratios"].values() if r is not None]
    found["met"] = all(r <= found["target"] for r in known)
    return found


def show(found: dict[str, Any]) -> None:
    """The table of one problem."""
    print(f"\n{found['problem']}", end="")
    for program, distance in found["between_programs"].items():
        print(f"; converged path {distance:.0e} m from that of {program}", end="")
    print()
    show_runs(found["runs"], tuple(found["ratios"]))
    for program, value in found["ratios"].items():
        if value is not None:
            verdict = "met" if value <= found["target"] else "MISSED"
            print(f"  solves to {program} {value:.3f}: {verdict} (at most {found['target']:g})")
    sys.stdout.flush()


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    known = touching.problems()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", choices=[[], *known], help="all if none is given")
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU s to time one problem")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    loaded = {program: peer_or_none(f"{program}_contact", program) for program in PEERS}
    peers = {program: peer for program, peer in loaded.items() if peer is not None}
    if not options.json:
        print(f"Bodies that touch, at an RMS error of {TARGET:g} m, CPU time", end="")
        print(" (setting: tolerance, or step in s)")
    rows = []
    for name in options.problems or known:
        rows.append(study(known[name], peers, options.seconds))
        if not options.json:
            show(rows[-1])
    timing.save("contact", rows)
    if options.json:
        print(json.dumps({"contact": rows}, indent=1))
    missed = any(not row["met"] for row in rows)
    return 1 if missed and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
