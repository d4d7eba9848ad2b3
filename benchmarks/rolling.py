"""Wheels that roll to equal error: Supple against Exudyn.

The coin of Rill and Schaeffer, a wheel that begins to fall aside, the bicycle of the benchmark, and
a car whose wheels slip (``wheels.py``). The error is the RMS, over the run, of the distance of the
centres to the same program's own converged path (``equal_error.py``); of that the floor is told,
below which refining it comes no nearer.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import timing

# isort: split
import wheels
from equal_error import (
    Method,
    between,
    exudyn_or_none,
    ratio,
    refined,
    show_runs,
    take_turns,
)

import supple as sp

TARGET = 0.2  # largest ratio of CPU times of the solves, best of Supple to best of Exudyn
TOLERANCES = tuple(10.0 ** (-k / 4.0) for k in range(4, 45))
FINE = tuple(10.0**-k for k in range(7, 13))
MANY = sorted({round(2.0 ** (k / 4.0)) for k in range(29)})  # steps between two outputs


def study(problem: wheels.Problem, peer: Any, seconds: float) -> dict[str, Any]:
    """Settle all methods of a problem on their programs' paths, and time them in turns."""
    end, target = problem.t_end, problem.target
    methods = [
        Method("supple", i.__name__, TOLERANCES, lambda x, i=i: wheels.solve(problem, i, x), target)
        for i in (sp.Radau, sp.DormandPrince)
    ]
    path, floor = refined(lambda x: wheels.solve(problem, sp.Radau, x), FINE, end, target)
    for method in methods:
        method.settled(path)
    found: dict[str, Any] = {"problem": problem.name, "error": target, "floors": {"supple": floor}}
    found.update(ratio=None, target=TARGET, met=True)
    if peer is not None:
        steps = [problem.every / n for n in MANY]
        others = [
            Method("exudyn", kind, steps, lambda x, k=kind: peer.solve(problem, k, x), target)
            for kind in peer.methods(problem)
        ]
        fine = [problem.every / 2**k for k in range(4, problem.halvings + 1)]
        other, known = refined(lambda x: peer.solve(problem, peer.FINEST, x), fine, end, target)
        for method in others:
            method.settled(other)
        methods += others
        found["between_programs"] = between(path, other)
        found["floors"]["exudyn"] = known
    take_turns(methods, seconds)
    found["runs"] = [m.row() for m in methods]
    found["ratio"] = ratio(found["runs"], "solve")
    found["met"] = found["ratio"] is None or found["ratio"] <= TARGET
    return found


def show(found: dict[str, Any]) -> None:
    """The table of one problem."""
    print(f"\n{found['problem']}, error {found['error']:.0e} m", end="")
    if "between_programs" in found:
        print(f"; converged paths {found['between_programs']:.0e} m apart", end="")
    floors = ", ".join(f"{name} {x:.0e} m" for name, x in found["floors"].items())
    print(f"\n  error floors: {floors}")
    show_runs(found["runs"])
    if found["ratio"] is not None:
        verdict = "met" if found["met"] else "MISSED"
        print(f"  solves to exudyn {found['ratio']:.3f}: {verdict} (at most {TARGET:g})")
    sys.stdout.flush()


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = list(wheels.PROBLEMS)
    parser.add_argument("problems", nargs="*", choices=[[], *names], help="all if none is given")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU s to time one problem")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    peer = exudyn_or_none("exudyn_rolling")
    if not options.json:
        print("Wheels that roll, CPU time (setting: tolerance, or step in s)")
    rows = []
    for name in options.problems or names:
        rows.append(study(wheels.PROBLEMS[name], peer, options.seconds))
        if not options.json:
            show(rows[-1])
    timing.save("rolling", rows)
    if options.json:
        print(json.dumps({"rolling": rows}, indent=1))
    missed = any(not row["met"] for row in rows)
    return 1 if missed and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
