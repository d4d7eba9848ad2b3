"""Equal error: every method is refined until it meets one error; then they are timed in turns.

The error is the RMS distance, over the run, of one point to the same program's own converged path.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import timing

# isort: split
import numpy as np
from scipy.interpolate import CubicSpline

TARGET = 1e-4  # m, unless a study has another
CONVERGED = 0.1  # of the target: a path that changes by less when refined is converged
LIMIT = 5.0  # CPU s: a method is given up when a single solve takes longer


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
    target: float = TARGET  # m
    setting: float | None = None
    error: float | None = None
    steps: int = 0
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"solve": [], "whole": []})

    def first(self, reference: CubicSpline) -> None:
        """Find the coarsest setting that meets the target."""
        for setting in self.settings:
            run = self.run(setting)
            error = rms(run, reference)
            if error <= self.target:
                self.setting, self.error, self.steps = setting, error, run.steps
                return
            if run.solve > LIMIT:
                return

    def cheapest(self, reference: CubicSpline) -> None:
        """Find the cheapest setting that meets the target, with no finer one that misses it.

        The rule leaves out a coarse setting whose errors happen to cancel.
        """
        good: list[tuple[float, float, float, int]] = []
        for setting in reversed(tuple(self.settings)):
            run = self.run(setting)
            error = rms(run, reference)
            if error > self.target:
                break
            good.append((run.solve, setting, error, run.steps))
        # One run each does not tell neighbours apart: the cheaper half takes turns.
        near = sorted(good)[: (len(good) + 1) // 2]
        best = {row[1]: row[0] for row in near}
        for _ in range(5):
            for setting in best:
                best[setting] = min(best[setting], self.run(setting).solve)
        if near:
            _, self.setting, self.error, self.steps = min(near, key=lambda row: best[row[1]])

    def settled(self, reference: CubicSpline) -> None:
        """Find the coarsest setting that meets the target, as the next two finer ones do."""
        row: list[tuple[float, float, int]] = []
        for setting in self.settings:
            run = self.run(setting)
            error = rms(run, reference)
            row = [*row, (setting, error, run.steps)] if error <= self.target else []
            if len(row) == 3 or run.solve > LIMIT:
                break
        if row:
            self.setting, self.error, self.steps = row[0]

    def again(self) -> float:
        """Time the chosen setting once more; returns the CPU seconds of the whole call."""
        run = self.run(self.setting)
        self.seconds["solve"].append(run.solve)
        self.seconds["whole"].append(run.whole)
        return run.whole

    def row(self) -> dict[str, Any]:
        """What was found, for the table and for JSON."""
        times = {k: timing.low_quantile(v) for k, v in self.seconds.items() if v}
        found = {"setting": self.setting, "steps": self.steps, "error": self.error}
        return {"program": self.program, "method": self.name, **found, **times}


def exudyn_or_none(model: str) -> Any:
    """The module of ``peers`` with a model in Exudyn, or None with a sentence on standard error."""
    return peer_or_none(model, "exudyn")


def peer_or_none(model: str, program: str) -> Any:
    """The module of ``peers`` with a model in a program; if that is missing, None and a sentence.

    The sentence goes to standard error.
    """
    try:
        with redirect_stdout(sys.stderr):  # some greet on standard output
            return import_module(f"peers.{model}")
    except ImportError as error:
        print(
            f"{program} cannot be loaded ({error}; pip install {program}): "
            "Supple is measured without it and no target against it is checked.",
            file=sys.stderr,
        )
        return None


def rms(run: Any, reference: CubicSpline) -> float:
    """RMS distance over time, m; infinite for a run that did not reach the end."""
    if not (np.all(np.isfinite(run.path)) and run.t[-1] > reference.x[-1] - 1e-9):
        return float("inf")
    squares = np.sum((run.path - reference(run.t)) ** 2, axis=1)
    return float(np.sqrt(np.trapezoid(squares, run.t) / run.t[-1]))


def converged(
    run: Callable[[float], Any], settings: Iterable[float], t_end: float, target: float = TARGET
) -> CubicSpline:
    """Path of a program's own solution, refined until it changes by less than ``CONVERGED``."""
    before = None
    for setting in settings:
        found = run(setting)
        if found.t[-1] < t_end - 1e-9:
            continue
        if before is not None and rms(found, before) < CONVERGED * target:
            return CubicSpline(found.t, found.path)
        before = CubicSpline(found.t, found.path)
    raise SystemExit("a reference path did not converge")


def refined(
    run: Callable[[float], Any], settings: Iterable[float], t_end: float, target: float = TARGET
) -> tuple[CubicSpline, float]:
    """Path of a program's own solution, and its floor: by how much the last refinement moved it, m.

    It is refined until it comes no nearer, or a run takes longer than ``LIMIT``.
    """
    best, floor = None, float("inf")
    for setting in settings:
        found = run(setting)
        if found.t[-1] < t_end - 1e-9:
            continue
        if best is not None:
            change = rms(found, best)
            if change > floor:
                break
            floor = change
        best = CubicSpline(found.t, found.path)
        if found.solve > LIMIT:
            break
    if best is None or floor > CONVERGED * target:
        raise SystemExit("a reference path did not converge")
    return best, floor


def take_turns(methods: list[Method], seconds: float) -> None:
    """Time the chosen settings in turns for about ``seconds`` of CPU time."""
    ready = [m for m in methods if m.setting is not None]
    spent, rounds = 0.0, 0
    while rounds < 3 or (spent < seconds and rounds < 100):
        spent += sum(m.again() for m in ready)
        ready.reverse()
        rounds += 1


def between(one: CubicSpline, other: CubicSpline) -> float:
    """RMS distance of two converged paths, m."""
    times = np.linspace(0.0, one.x[-1], 201)
    return float(np.sqrt(np.mean(np.sum((one(times) - other(times)) ** 2, axis=1))))


def ratio(runs: list[dict[str, Any]], key: str, peer: str = "exudyn") -> float | None:
    """CPU time of Supple's best method to that of the peer's."""
    best = [
        min((r[key] for r in runs if r["program"] == program and key in r), default=None)
        for program in ("supple", peer)
    ]
    return None if None in best else best[0] / best[1]


def show_runs(runs: list[dict[str, Any]], peers: tuple[str, ...] = ("exudyn",)) -> None:
    """The table of the methods, and the ratios of the best ones."""
    print(f"{'':38}{'setting':>9}{'steps':>7}{'error m':>10}{'solve ms':>10}{'call ms':>10}")
    for r in runs:
        name = f"  {r['program']:8}{r['method']}"
        if r["setting"] is None:
            print(f"{name:38}  did not meet the error with the settings tried")
            continue
        print(
            f"{name:38}{r['setting']:9.1e}{r['steps']:7d}{r['error']:10.1e}"
            f"{1e3 * r['solve']:10.2f}{1e3 * r['whole']:10.2f}"
        )
    for peer in peers:
        ratios = [ratio(runs, key, peer) for key in ("solve", "whole")]
        if None not in ratios:
            text = "  best of supple / best of {}: solve {:.3f}, whole call {:.3f}"
            print(text.format(peer, *ratios))
