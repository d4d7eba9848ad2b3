"""Thousands of variants of the arm of ``two_link.py``, 5 s each: Supple against Exudyn.

Supple makes them by `supple.batch`, with the verdict of each run and the place of its tip; Exudyn
one after the other, each from its model to the path of its tip. Both have the settings that meet
the error of ``two_link.py``. Then the processes of `supple.sweep` against independent ones.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import timing  # before numpy

# isort: split
import numpy as np
import two_link
from equal_error import exudyn_or_none

import supple as sp
from supple.analyses.run.options import RunOptions
from supple.analyses.run.simulate import prepare
from supple.commands import demo
from supple.sweeps.workers import FORKED

RUNS = 10_000  # that the times are given for
RATIO = 1 / 10  # largest ratio of CPU times, Supple to Exudyn
GROWTH = 10e3  # bytes of memory that a run may leave behind: its row of the table
SHARE = 0.95  # least speed of a sweep in two processes, relative to two independent processes
SPEED = 1.85  # least speed of two processes of a batch, relative to one
LONG = 1e-5  # tolerance of runs of 0.1 s
# tolerances (None: of equal error) and numbers of runs (None: as asked for) of batches
LENGTHS = {"short": (None, None), "long": (LONG, 16)}
LOOP_STEPS = 20_000  # of step loops alone
TIP = ["tip.position.x @ end", "tip.position.z @ max"]
TIMES = 50  # output times
BLOCK = 50  # runs that take turns with one of Exudyn


def variants(count: int, seed: int) -> dict[str, np.ndarray]:
    """Masses of the first link and start angles of the second."""
    rng = np.random.default_rng(seed)
    mass, angle = demo.arm()["link1"].mass, float(demo.arm()["elbow"].initial[0])
    return {
        "link1.mass": mass * rng.uniform(0.9, 1.1, count),
        "elbow.initial": angle + rng.uniform(-0.05, 0.05, count),
    }


def arm() -> sp.Model:
    """The arm of the study, as `two_link.supple_run` writes it."""
    model = demo.arm()
    model.replace("link2", damping=None, stiffening=None)
    return model


def options(tolerance: float) -> dict[str, Any]:
    """How each run is made."""
    return {"outputs": TIP, "times": TIMES, "tolerance": tolerance}


def batches(peer_run: Callable[[], Any] | None, tolerance: float, rounds: int) -> dict[str, Any]:
    """CPU s of a run in a batch, with and without the monitor, and of Exudyn, in turns."""
    seconds: dict[str, list[float]] = {"monitored": [], "not monitored": [], "exudyn": []}
    for k in range(rounds):
        for threads in (1, 2):
            for name in ("monitored", "not monitored"):
                some = variants(BLOCK, 2 * k + threads)
                looked, cpu = name == "monitored", time.process_time()
                found = sp.batch(
                    arm(), some, two_link.T_END, threads=threads, monitor=looked,
                    **options(tolerance),
                )  # fmt: skip
                seconds[name].append((time.process_time() - cpu) / BLOCK)
                if not found.done.all():
                    raise SystemExit(f"a run failed: {found.failed[0][1]}")
        if peer_run is not None:
            cpu = time.process_time()
            peer_run()
            seconds["exudyn"].append(time.process_time() - cpu)
    return {"seconds": {name: timing.low_quantile(s) for name, s in seconds.items() if s}}


def speeds(tolerance: float, runs: int, rounds: int) -> dict[str, dict[str, float]]:
    """Speed of two threads and of two processes relative to one thread, by the clock, in turns."""
    found = {}
    for name, (accuracy, count) in LENGTHS.items():
        count = runs if count is None else count
        asked = options(tolerance if accuracy is None else accuracy)
        clock: dict[str, list[float]] = {"one": [], "threads": [], "workers": []}
        for k in range(rounds):
            for way in clock:
                many = {"threads": 1} if way == "one" else {way: 2}
                begin = time.perf_counter()
                sp.batch(arm(), variants(count, k), two_link.T_END, **many, **asked)
                clock[way].append(time.perf_counter() - begin)
        one = min(clock.pop("one"))
        found[name] = {"ms": 1e3 * one / count, **{w: one / min(s) for w, s in clock.items()}}
    return found


def loops_alone(tolerance: float, rounds: int) -> float:
    """Speed of two step loops in two threads, relative to one after the other: the most there is.

    They are machine code that needs no Python. A machine with two processors may give less than 2.
    """
    begun = prepare(arm())
    clock: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(rounds):
        for together in clock:
            loops = []
            for _ in range(2):
                _, problem, _ = begun.problem(RunOptions(1e4, output=1, tolerance=tolerance))
                loops.append(sp.Radau().begin(problem))
            threads = [threading.Thread(target=run.advance, args=(LOOP_STEPS,)) for run in loops]
            begin = time.perf_counter()
            for thread in threads:
                thread.start()
                if not together:
                    thread.join()
            for thread in threads:
                thread.join()
            clock[together].append(time.perf_counter() - begin)
    return min(clock[False]) / min(clock[True])


def growth(tolerance: float, runs: int) -> float:
    """Bytes that a run of a batch leaves in memory, from a batch that is kept."""
    asked = {"threads": 2, **options(tolerance)}  # all of it in this process
    sp.batch(arm(), variants(runs // 2, 1), two_link.T_END, **asked)
    before = timing.memory()
    kept = sp.batch(arm(), variants(runs, 2), two_link.T_END, **asked)
    return max(timing.memory() - before, 0) / len(kept)


def swept(count: int, workers: int, tolerance: float) -> None:
    """A sweep of so many runs."""
    sp.sweep(
        arm(), variants(count, count), design="list", t_end=two_link.T_END, workers=workers,
        **options(tolerance),
    )  # fmt: skip


def processes(tolerance: float, count: int, rounds: int) -> float:
    """Speed of a sweep in two processes, relative to two processes with half of the runs each."""
    context = multiprocessing.get_context("fork")
    together, apart = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        swept(count, 2, tolerance)
        together.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        both = [context.Process(target=swept, args=(count // 2, 1, tolerance)) for _ in range(2)]
        for process in both:
            process.start()
        for process in both:
            process.join()
        apart.append(time.perf_counter() - begin)
    return min(apart) / min(together)


def study(peer: Any, rounds: int, runs: int) -> dict[str, Any]:
    """Settings of equal error, then all times."""
    methods, reference = two_link.supple_methods()
    radau = methods[0]
    radau.cheapest(reference)
    peer_run = None
    if peer is not None:
        others, other = two_link.exudyn_methods(peer)
        for method in others:
            method.cheapest(other)
        usable = [m for m in others if m.setting is not None]
        best = min(usable, key=lambda m: min(m.run(m.setting).whole for _ in range(3)))
        peer_run = lambda: best.run(best.setting)  # noqa: E731
    assert radau.setting is not None
    found = {"tolerance": radau.setting, **batches(peer_run, radau.setting, rounds)}
    times = found["seconds"]
    found["ratio"] = times["monitored"] / times["exudyn"] if "exudyn" in times else None
    found["bare_ratio"] = times["not monitored"] / times["exudyn"] if "exudyn" in times else None
    found["growth"] = growth(radau.setting, runs)
    found["loops alone"] = loops_alone(LONG, 5)
    found["speeds"] = speeds(radau.setting, runs, 3)
    found["share"] = processes(radau.setting, runs, 3) if FORKED else None
    met = [found["growth"] <= GROWTH]
    met += [row["workers"] >= SPEED for row in found["speeds"].values()] if FORKED else []
    met += [] if found["ratio"] is None else [found["ratio"] <= RATIO]
    met += [] if found["share"] is None else [found["share"] >= SHARE]
    found["met"] = all(met)
    return found


def show(found: dict[str, Any]) -> None:
    """The table and the verdicts."""
    names = {
        "monitored": "supple.batch",
        "not monitored": "supple.batch, monitor=False",
        "exudyn": "exudyn, one after the other",
    }
    print(f"{RUNS} runs of the arm over {two_link.T_END:g} s, from a few hundred of them")
    for key, seconds in found["seconds"].items():
        print(f"  {names[key]:32}{1e3 * seconds:8.2f} ms CPU a run {RUNS * seconds:8.0f} s")
    if found["ratio"] is not None:
        verdict = "met" if found["ratio"] <= RATIO else "MISSED"
        print(f"  ratio of CPU times {found['ratio']:.3f}: {verdict} (at most {RATIO:g})")
        print(f"  without the monitor of flexible bodies {found['bare_ratio']:.3f}")
    verdict = "met" if found["growth"] <= GROWTH else "MISSED"
    print(f"  a run leaves {found['growth']:.0f} B of memory: {verdict} (at most {GROWTH:.0f})")
    print(f"  two step loops alone are {found['loops alone']:.2f} times as fast in two threads")
    for row in found["speeds"].values():
        verdict = "met" if row["workers"] >= SPEED else "MISSED"
        verdict = f"{verdict} (at least {SPEED:g})" if FORKED else "processes are not forked here"
        print(
            f"  runs of {row['ms']:.0f} ms: two threads are {row['threads']:.2f}, two processes "
            f"{row['workers']:.2f} times as fast as one: {verdict}"
        )
    if found["share"] is not None:
        verdict = "met" if found["share"] >= SHARE else "MISSED"
        print(
            f"  supple.sweep in two processes has {found['share']:.2f} of the speed of two "
            f"independent ones: {verdict} (at least {SHARE:g})"
        )


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="turns of 200 runs each")
    parser.add_argument("--runs", type=int, default=500, help="for memory and processes")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    given = parser.parse_args()
    warnings.simplefilter("ignore", sp.SuppleWarning)  # link1's inertia is unusual, and meant so
    found = study(exudyn_or_none("exudyn_two_link"), given.rounds, given.runs)
    if given.json:
        print(json.dumps({"batch": found}, indent=1))
    else:
        show(found)
    return 1 if not found["met"] and not given.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
