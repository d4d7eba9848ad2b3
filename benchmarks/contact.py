"""Bodies that touch, to equal error: Supple against Exudyn and MuJoCo.

A ball that bounces for 1.5 s, a block that slides to rest, 20 balls on a floor that hit each other
(``touching.py``), and a belt drive (``belt.py``). The error is the RMS, over the run, of the mean
distance of the bodies to the same program's own converged path (``equal_error.py``); of that the
floor is told, below which refining it comes no nearer.
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
import belt
import numpy as np
import touching
from equal_error import (
    TARGET,
    Method,
    Run,
    between,
    peer_or_none,
    ratio,
    refined,
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


Found = tuple[list[Method], tuple[CubicSpline, float]]  # methods; converged path, its floor in m


def supple_methods(problem: touching.Problem) -> Found:
    """Methods of Supple, its converged path and how near it is known."""
    methods = [
        Method("supple", i.__name__, TOLERANCES, lambda x, i=i: supple_run(problem, i, x))
        for i in (sp.Radau, sp.DormandPrince)
    ]
    fine = (1e-7, 1e-8, 1e-9, 1e-10, 1e-11)
    method = sp.DormandPrince
    return methods, refined(lambda x: supple_run(problem, method, x), fine, problem.t_end)


def peer_methods(problem: touching.Problem, program: str, peer: Any) -> Found:
    """Methods of another program, its converged path and how near it is known."""
    kinds = (*peer.EXPLICIT, *peer.IMPLICIT) if program == "exudyn" else peer.INTEGRATORS
    methods = [
        Method(program, kind, STEPS, lambda x, k=kind: peer.solve(problem, k, x)) for kind in kinds
    ]
    finest = "RK44" if program == "exudyn" else "RK4"
    fine = tuple(touching.EVERY / 2**k for k in range(8, 16))
    return methods, refined(lambda x: peer.solve(problem, finest, x), fine, problem.t_end)


def belt_methods(program: str, peer: Any = None) -> Found:
    """The same of the belt drive."""
    if program == "supple":
        fine, settings = belt.TOLERANCES[6:], belt.TOLERANCES
        methods = [
            Method("supple", "Radau", settings, lambda x: belt.solve(sp.Radau, x), belt.TARGET)
        ]
        return methods, refined(lambda x: belt.solve(sp.Radau, x), fine, belt.T_END, belt.TARGET)
    methods = [
        Method(program, kind, belt.STEPS, lambda x, k=kind: peer.solve(k, x), belt.TARGET)
        for kind in peer.METHODS
    ]
    finest = peer.METHODS[0]
    return methods, refined(lambda x: peer.solve(finest, x), belt.FINE, belt.T_END, belt.TARGET)


def study(problem: touching.Problem, peers: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Search and time all methods for one problem."""
    of_peers = {name: peer_methods(problem, name, peer) for name, peer in peers.items()}
    return compared(problem.name, supple_methods(problem), of_peers, seconds)


def compared(
    name: str, supple: Found, of_peers: dict[str, Found], seconds: float
) -> dict[str, Any]:
    """Settle all methods on their programs' paths, and time them in turns."""
    methods, (reference, floor) = list(supple[0]), supple[1]
    for method in methods:
        method.settled(reference)
    found: dict[str, Any] = {"problem": name, "between_programs": {}, "ratios": {}}
    found["floors"] = {"supple": floor}
    for program, (others, (other, known)) in of_peers.items():
        for method in others:
            method.settled(other)
        methods += others
        found["between_programs"][program] = between(reference, other)
        found["floors"][program] = known
    take_turns(methods, seconds)
    found["runs"] = [m.row() for m in methods]
    for program in of_peers:
        found["ratios"][program] = ratio(found["runs"], "solve", program)
    found["target"] = TARGETS.get(name)
    known = [r for r in found["ratios"].values() if r is not None]
    found["met"] = found["target"] is None or all(r <= found["target"] for r in known)
    return found


def belt_study(seconds: float) -> dict[str, Any]:
    """The belt drive, in Exudyn too if it is there."""
    peer = peer_or_none("exudyn_belt", "exudyn")
    others = {} if peer is None else {"exudyn": belt_methods("exudyn", peer)}
    return compared("belt", belt_methods("supple"), others, seconds)


def show(found: dict[str, Any]) -> None:
    """The table of one problem."""
    print(f"\n{found['problem']}", end="")
    for program, distance in found["between_programs"].items():
        print(f"; converged path {distance:.0e} m from that of {program}", end="")
    floors = ", ".join(f"{name} {x:.0e} m" for name, x in found["floors"].items())
    print(f"\n  error floors: {floors}")
    show_runs(found["runs"], tuple(found["ratios"]))
    for program, value in found["ratios"].items():
        if value is not None and found["target"] is None:
            print(f"  solves to {program} {value:.3f}, for information")
        elif value is not None:
            verdict = "met" if value <= found["target"] else "MISSED"
            print(f"  solves to {program} {value:.3f}: {verdict} (at most {found['target']:g})")
    sys.stdout.flush()


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    known = touching.problems()
    parser = argparse.ArgumentParser(description=__doc__)
    names = [*known, "belt"]
    parser.add_argument("problems", nargs="*", choices=[[], *names], help="all if none is given")
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU s to time one problem")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    loaded = {program: peer_or_none(f"{program}_contact", program) for program in PEERS}
    peers = {program: peer for program, peer in loaded.items() if peer is not None}
    if not options.json:
        errors = f"{TARGET:g} m, {belt.TARGET:g} m of the belt"
        print(f"Bodies that touch, at an RMS error of {errors}, CPU time", end="")
        print(" (setting: tolerance, or step in s)")
    rows = []
    for name in options.problems or names:
        if name in known:
            rows.append(study(known[name], peers, options.seconds))
        else:
            rows.append(belt_study(options.seconds))
        if not options.json:
            show(rows[-1])
    timing.save("contact", rows)
    if options.json:
        print(json.dumps({"contact": rows}, indent=1))
    missed = any(not row["met"] for row in rows)
    return 1 if missed and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
