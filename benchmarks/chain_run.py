"""A chain of rigid links falling for 2 s, simulated to equal error: Supple against Exudyn.

The error is the RMS distance, over the run, of one point to the same program's own converged path.
Every method is refined until it meets the error; then the chosen settings are timed in turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import timing

# isort: split
import chain
import numpy as np
from scipy.interpolate import CubicSpline

import supple as sp

LINKS = (2, 8, 32)
T_END = 2.0  # s
EVERY = 0.01  # s between output rows
TARGET = 1e-4  # m
CONVERGED = TARGET / 10.0  # a path that changes by less when refined is converged
LIMIT = 5.0  # CPU s: a method is given up when a single solve takes longer

# Fine grids: a method that just misses the error must not pay for a much smaller step.
TOLERANCES = tuple(10.0 ** (-k / 4.0) for k in range(4, 41))
STEPS = tuple(round(T_END / EVERY * 2.0 ** (k / 4.0)) for k in range(-12, 29))  # per run


@dataclass(frozen=True)
class Run:
    """One run: CPU s of the step loop and of the whole call, steps, and the path of the point."""

    solve: float
    whole: float
    steps: int
    t: np.ndarray  # (nt,) s
    path: np.ndarray  # (nt, 3) m


@dataclass
class Method:
    """A method with the settings to try, coarse to fine, and what was found."""

    program: str
    name: str
    settings: Iterable[float]
    run: Callable[[float], Any]  # a Run of this module or of the peer's
    setting: float | None = None
    error: float | None = None
    steps: int = 0
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"solve": [], "whole": []})

    def search(self, reference: CubicSpline) -> None:
        """Find the first setting that meets the target."""
        for setting in self.settings:
            run = self.run(setting)
            error = rms(run, reference)
            if error <= TARGET:
                self.setting, self.error, self.steps = setting, error, run.steps
                return
            if run.solve > LIMIT:
                return

    def again(self) -> float:
        """Time the chosen setting once more; returns the CPU seconds of the whole call."""
        run = self.run(self.setting)
        self.seconds["solve"].append(run.solve)
        self.seconds["whole"].append(run.whole)
        return run.whole

    def row(self, links: int) -> dict[str, Any]:
        """What was found, for the table and for JSON."""
        times = {k: timing.low_quantile(v) for k, v in self.seconds.items() if v}
        found = {"setting": self.setting, "steps": self.steps, "error": self.error}
        return {"links": links, "program": self.program, "method": self.name, **found, **times}


def probe(links: int) -> int:
    """The link whose far end is followed: the last, or half way where the tip just falls."""
    return links if links <= 8 else links // 2


def rms(run: Any, reference: CubicSpline) -> float:
    """RMS distance over time, m; infinite for a run that did not reach the end."""
    if not (np.all(np.isfinite(run.path)) and run.t[-1] > T_END - 1e-9):
        return float("inf")
    squares = np.sum((run.path - reference(run.t)) ** 2, axis=1)
    return float(np.sqrt(np.trapezoid(squares, run.t) / T_END))


def converged(run: Callable[[float], Any], settings: Iterable[float]) -> CubicSpline:
    """Path of a program's own solution, refined until it changes by less than ``CONVERGED``."""
    before = None
    for setting in settings:
        found = run(setting)
        if before is not None and rms(found, before) < CONVERGED:
            return CubicSpline(found.t, found.path)
        before = CubicSpline(found.t, found.path)
    raise SystemExit("a reference path did not converge")


def supple_run(
    links: int, integrator: Callable[[], Any], tolerance: float, every: float = EVERY
) -> Run:
    """Simulate with Supple."""
    start = time.process_time()
    model = chain.supple_model(links)
    result = sp.simulate(model, T_END, integrator=integrator(), tolerance=tolerance, output=every)
    whole = time.process_time() - start
    path = result[f"link{probe(links)}"].at(chain.LENGTH).position
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
    return methods, converged(lambda x: supple_run(links, sp.DormandPrince, x, 1e-3), fine)


def exudyn_or_none() -> Any:
    """The peer's module, or None with a sentence on standard error."""
    try:
        with redirect_stdout(sys.stderr):  # it greets on standard output
            from peers import exudyn_rigid_chain
    except ImportError as error:
        print(
            f"Exudyn cannot be loaded ({error}; pip install exudyn): Supple is measured alone.",
            file=sys.stderr,
        )
        return None
    return exudyn_rigid_chain


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
    return methods, converged(lambda x: run("tree", "RK44", x, 1e-3), fine)


def study(links: int, peer: Any, seconds: float) -> dict[str, Any]:
    """Search and time all methods for one chain."""
    methods, reference = supple_methods(links)
    for method in methods:
        method.search(reference)
    between = None
    if peer is not None:
        others, other = exudyn_methods(peer, links)
        for method in others:
            method.search(other)
        methods += others
        times = np.linspace(0.0, T_END, 201)
        between = float(np.sqrt(np.mean(np.sum((reference(times) - other(times)) ** 2, axis=1))))
    ready = [m for m in methods if m.setting is not None]
    spent, rounds = 0.0, 0
    while rounds < 3 or (spent < seconds and rounds < 100):
        spent += sum(m.again() for m in ready)
        rounds += 1
    return {"links": links, "between_programs": between, "runs": [m.row(links) for m in methods]}


def ratio(runs: list[dict[str, Any]], key: str) -> float | None:
    """CPU time of Supple's best method to that of Exudyn's."""
    best = [
        min((r[key] for r in runs if r["program"] == program and key in r), default=None)
        for program in ("supple", "exudyn")
    ]
    return None if None in best else best[0] / best[1]


def show(found: dict[str, Any]) -> None:
    """The table of one chain."""
    links = found["links"]
    print(f"\n{links} links, end of link {probe(links)}", end="")
    between = found["between_programs"]
    print("" if between is None else f"; converged paths of the programs differ by {between:.0e} m")
    print(f"{'':38}{'setting':>9}{'steps':>7}{'error m':>10}{'solve ms':>10}{'call ms':>10}")
    for r in found["runs"]:
        name = f"  {r['program']:8}{r['method']}"
        if r["setting"] is None:
            print(f"{name:38}  did not meet the error with the settings tried")
            continue
        print(
            f"{name:38}{r['setting']:9.1e}{r['steps']:7d}{r['error']:10.1e}"
            f"{1e3 * r['solve']:10.2f}{1e3 * r['whole']:10.2f}"
        )
    ratios = [ratio(found["runs"], key) for key in ("solve", "whole")]
    if None not in ratios:
        print("  best of supple / best of exudyn: solve {:.2f}, whole call {:.2f}".format(*ratios))
    sys.stdout.flush()


def main() -> int:
    """Run and print; there is no target here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=LINKS, help="lengths of the chains")
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU s to time one chain")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    options = parser.parse_args()
    peer = exudyn_or_none()
    if not options.json:
        print(f"A falling chain over {T_END:g} s at an RMS error of {TARGET:g} m, CPU time", end="")
        print(" (setting: tolerance, or step in s)")
    rows = []
    for links in options.links:
        rows.append(study(links, peer, options.seconds))
        if not options.json:
            show(rows[-1])
    if options.json:
        print(json.dumps({"chain_run": rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
