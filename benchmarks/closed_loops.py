"""Constraints: what closing a loop costs, and chains of free bodies against Exudyn's.

A loop is a plane chain whose end is joined to the ground; one closure is compared with one more
body in the chain. The chain of free bodies is that of ``chain_run.py``, every joint a constraint,
the far end of the middle link followed to equal error (``equal_error.py``); Exudyn's is that of
redundant coordinates with a sparse solver.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import timing

# isort: split
import chain
import chain_run
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

LINKS = (8, 32, 128)
RATIO = 1.0 / 3.0  # largest ratio of CPU times of the solves, Supple to Exudyn
BODIES = (4, 8, 16)
CALLS = 2000
TOLERANCES = tuple(10.0 ** (-k / 4.0) for k in range(8, 33))
STEPS = tuple(round(chain_run.T_END / chain_run.EVERY * 2.0 ** (k / 4.0)) for k in range(-4, 21))


def plane_chain(bodies: int, closed: bool) -> sp.Model:
    """Links that swing in a plane, zigzag; closed, the end of the last one is held."""
    model = sp.Model(gravity=(0, -9.81, 0))
    end, place, angle = model.ground.at(0), np.zeros(2), 0.0
    for i in range(bodies):
        turn = -0.5 if i == 0 else 0.3 * (-1) ** i
        angle += turn
        place = place + 0.5 * np.array([np.cos(angle), np.sin(angle)])
        body = model.add(sp.RigidBody(f"link{i}", 1.0, (0.25, 0, 0), (1e-3, 0.02, 0.02)))
        model.add(sp.Revolute(f"joint{i}", end, body.at(0), initial=turn))
        end = body.at(0.5)
    if closed:
        model.add(sp.Revolute("closing", model.ground.at(*place), end))
    return model


def closures(seconds: float) -> list[dict[str, Any]]:
    """Microseconds of accelerations and of a Radau step, with one body or one closure more."""
    rows = []
    for n in BODIES:
        kinds = {"chain": (n, False), "one body more": (n + 1, False), "closed": (n, True)}
        calls, steps = {}, {}
        for name, (count, closed) in kinds.items():
            model = plane_chain(count, closed)
            eq = sp.JointCoordinates().equations(model)

            def accelerations(eq: Any = eq) -> float:
                start = time.process_time()
                for _ in range(CALLS):
                    eq.accelerate(0.0, eq.q0, eq.u0)
                return (time.process_time() - start) / CALLS

            def step(model: Any = model) -> float:
                run = sp.simulate(model, 0.5, tolerance=1e-6, output=2)
                return float(run.statistics["cpu_seconds"] / run.statistics["steps"])

            calls[name], steps[name] = accelerations, step
        found: dict[str, Any] = {"bodies": n}
        for label, runs in (("accelerations", calls), ("radau step", steps)):
            seen: dict[str, list[float]] = {name: [] for name in kinds}
            start, order = time.process_time(), list(kinds)
            while time.process_time() - start < seconds or len(seen["chain"]) < 5:
                for name in order:
                    seen[name].append(runs[name]())
                order.reverse()
            low = {name: 1e6 * timing.low_quantile(values) for name, values in seen.items()}
            found[label] = {
                "chain": low["chain"],
                "body": low["one body more"] - low["chain"],
                "closure": low["closed"] - low["chain"],
            }
        rows.append(found)
    return rows


def supple_run(links: int, integrator: Any, tolerance: float, every: float) -> Run:
    """Simulate the chain of free bodies with Supple."""
    start = time.process_time()
    result = sp.simulate(
        chain.supple_model(links),
        chain_run.T_END,
        formulation=sp.Absolute(),
        integrator=integrator,
        tolerance=tolerance,
        output=every,
    )
    path = result[f"link{links // 2}"].at(chain.LENGTH).position
    whole = time.process_time() - start
    counts = result.statistics
    return Run(
        counts["cpu_seconds"], whole, int(counts["steps"]), np.asarray(result.t), np.asarray(path)
    )


def methods(links: int, peer: Any) -> tuple[list[Method], CubicSpline, CubicSpline | None]:
    """Methods of both programs and their converged paths."""
    explicit, every = sp.DormandPrince(), chain_run.EVERY
    found = [
        Method(
            "supple", "DormandPrince", TOLERANCES, lambda x: supple_run(links, explicit, x, every)
        )
    ]
    fine = (1e-7, 1e-8, 1e-9, 1e-10)
    own = converged(lambda x: supple_run(links, explicit, x, 1e-3), fine, chain_run.T_END)
    found[0].first(own)
    if peer is None:
        return found, own, None

    def other(solver: str, step: float, every: float = every) -> Any:
        return peer.solve(
            links, "redundant", solver, step, t_end=chain_run.T_END, probe=links // 2, every=every
        )

    solvers = ("GeneralizedAlpha", "TrapezoidalIndex2")
    sizes = tuple(chain_run.T_END / n for n in STEPS)
    theirs = [
        Method("exudyn", f"redundant {s}", sizes, lambda x, s=s: other(s, x)) for s in solvers
    ]
    steps = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)
    reference = converged(lambda x: other(solvers[0], x, 4e-3), steps, chain_run.T_END)
    for method in theirs:
        method.first(reference)
    return found + theirs, own, reference


def study(links: int, peer: Any, seconds: float) -> dict[str, Any]:
    """Search and time all methods for one chain."""
    chosen, own, reference = methods(links, peer)
    take_turns(chosen, seconds)
    runs = [m.row() for m in chosen]
    found = {
        "links": links,
        "between_programs": None if reference is None else between(own, reference),
        "runs": runs,
        "ratio": ratio(runs, "solve"),
    }
    found["met"] = peer is None or (found["ratio"] is not None and found["ratio"] <= RATIO)
    return found


def show_closures(rows: list[dict[str, Any]]) -> bool:
    """The table of closures; returns whether each costs less than a body, in accelerations."""
    print(f"\nPlane chains, CPU us{'':18}chain   + body   + closure")
    for row in rows:
        for label in ("accelerations", "radau step"):
            x = row[label]
            name = f"  {row['bodies']:3d} bodies, {label}"
            print(f"{name:38}{x['chain']:6.2f}{x['body']:9.2f}{x['closure']:12.2f}")
    met = all(r["accelerations"]["closure"] < r["accelerations"]["body"] for r in rows)
    print(f"  accelerations: one closure costs less than one body: {'met' if met else 'MISSED'}")
    return met


def show(found: dict[str, Any]) -> None:
    """The table of one chain."""
    print(f"\n{found['links']} free bodies, end of link {found['links'] // 2}", end="")
    distance = found["between_programs"]
    print("" if distance is None else f"; converged paths differ by {distance:.0e} m")
    show_runs(found["runs"])
    if found["ratio"] is not None:
        verdict = "met" if found["met"] else "MISSED"
        print(f"  ratio of the solves {found['ratio']:.3f}: {verdict} (at most {RATIO:.3f})")
    sys.stdout.flush()


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=LINKS, help="lengths of the chains")
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU s to time one chain")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    peer = exudyn_or_none("exudyn_rigid_chain")
    loops = closures(options.seconds / 8.0)
    met = all(r["accelerations"]["closure"] < r["accelerations"]["body"] for r in loops)
    if not options.json:
        show_closures(loops)
        print(f"\nA falling chain over {chain_run.T_END:g} s at an RMS error of {TARGET:g} m, CPU")
    rows = []
    for links in options.links:
        rows.append(study(links, peer, options.seconds))
        met = met and rows[-1]["met"]
        if not options.json:
            show(rows[-1])
    timing.save("closed_loops", {"closures": loops, "chains": rows})
    if options.json:
        print(json.dumps({"closed_loops": {"closures": loops, "chains": rows}}, indent=1))
    return 1 if not met and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
