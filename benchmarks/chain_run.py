"""A chain of rigid links falling for 2 s, simulated to equal error: Supple against Exudyn.

The error is the RMS distance, over the run, of one point to the same program's own converged path
(``equal_error.py``).
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
import chain
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

# Links, and the largest ratio of CPU times of the solves, the best of Supple to the best of Exudyn.
TARGETS = {2: 1 / 2, 8: 1 / 2, 32: 1 / 3, 128: 1 / 10}
T_END = 2.0  # s
EVERY = 0.01  # s between output rows

# Fine grids: a method that just misses the error must not pay for a much smaller step.
TOLERANCES = tuple(10.0 ** (-k / 4.0) for k in range(4, 41))
STEPS = tuple(round(T_END / EVERY * 2.0 ** (k / 4.0)) for k in range(-12, 29))  # per run


def probe(links: int) -> int:
    """The link whose far end is followed: the last, or half way where the tip just falls."""
    return links if links <= 8 else links // 2


def supple_run(
    links: int, integrator: Callable[[], Any], tolerance: float, every: float = EVERY
) -> Run:
    """Simulate with Supple."""
    start = time.process_time()
    model = chain.supple_model(links)
    result = sp.simulate(model, T_END, integrator=integrator(), tolerance=tolerance, output=every)
    path = result[f"link{probe(links)}"].at(chain.LENGTH).position
    whole = time.process_time() - start
    counts = result.statistics
    solve, steps = counts["cpu_seconds"], int(counts["steps"])
    return Run(solve, whole, steps, np.asarray(result.t), np.asarray(path))


def supple_methods(links: int) -> tuple[list[Method], CubicSpline]:
    """Methods of Supple and its converged path."""
    methods = [
        Method(
            "supple",
            integrator.__name__,
            TOLERANCES,
            lambda x, i=integrator: supple_run(links, i, x),
        )
        for integrator in (sp.Radau, sp.DormandPrince)
    ]
    fine = (1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
    return methods, converged(lambda x: supple_run(links, sp.DormandPrince, x, 1e-3), fine, T_END)


def exudyn_methods(peer: Any, links: int) -> tuple[list[Method], CubicSpline]:
    """Methods of Exudyn and its converged path."""

    def run(variant: str, solver: str, setting: float, every: float = EVERY) -> Any:
        return peer.solve(
            links, variant, solver, setting, t_end=T_END, probe=probe(links), every=every
        )

    lengths = tuple(T_END / n for n in STEPS)
    methods = [
        Method(
            "exudyn",
            f"{variant} {solver}",
            TOLERANCES if solver in peer.ADAPTIVE else lengths,
            lambda x, v=variant, s=solver: run(v, s, x),
        )
        for variant, solver in (
            ("tree", "RK44"),
            ("tree", "DOPRI5"),
            ("tree", "RK67"),
            ("redundant", "GeneralizedAlpha"),
        )
    ]
    fine = (2e-3, 1e-3, 5e-4, 2.5e-4)
    return methods, converged(lambda x: run("tree", "RK44", x, 1e-3), fine, T_END)


def study(links: int, peer: Any, seconds: float) -> dict[str, Any]:
    """Search and time all methods for one chain."""
    methods, reference = supple_methods(links)
    for method in methods:
        method.first(reference)
    distance = None
    if peer is not None:
        others, other = exudyn_methods(peer, links)
        for method in others:
            method.first(other)
        methods += others
        distance = between(reference, other)
    take_turns(methods, seconds)
    runs = [{"links": links, **m.row()} for m in methods]
    found = {"links": links, "between_programs": distance, "runs": runs}
    found["ratio"], found["target"] = ratio(runs, "solve"), TARGETS.get(links)
    known = None not in (found["ratio"], found["target"])
    found["met"] = not known or found["ratio"] <= found["target"]
    return found


def show(found: dict[str, Any]) -> None:
    """The table of one chain."""
    links = found["links"]
    print(f"\n{links} links, end of link {probe(links)}", end="")
    distance = found["between_programs"]
    print(
        "" if distance is None else f"; converged paths of the programs differ by {distance:.0e} m"
    )
    show_runs(found["runs"])
    if found["ratio"] is not None and found["target"] is not None:
        verdict = "met" if found["met"] else "MISSED"
        print(
            f"  ratio of the solves {found['ratio']:.3f}: {verdict} (at most {found['target']:.3f})"
        )
    sys.stdout.flush()


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--links", type=int, nargs="+", default=tuple(TARGETS), help="lengths of the chains"
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU s to time one chain")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    peer = exudyn_or_none("exudyn_rigid_chain")
    if not options.json:
        print(f"A falling chain over {T_END:g} s at an RMS error of {TARGET:g} m, CPU time", end="")
        print(" (setting: tolerance, or step in s)")
    rows = []
    for links in options.links:
        rows.append(study(links, peer, options.seconds))
        if not options.json:
            show(rows[-1])
    timing.save("chain_run", rows)
    if options.json:
        print(json.dumps({"chain_run": rows}, indent=1))
    missed = any(not row["met"] for row in rows)
    return 1 if missed and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
