"""What surrounds the steps: whole calls of ``simulate``, and calls of a prepared model.

The whole call begins with a model that was just written down and ends with the result; the path of
one point is read afterwards, in a column of its own. The rest of a call is what its step loop does
not account for.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import timing

# isort: split
import chain

import supple as sp
from supple.commands.demo import arm

T_END, EVERY, TOLERANCE = 2.0, 0.01, 1e-4  # s, s between output rows
SHORT = 1e-3  # s, of the prepared run of an arm with six joints
FREE = 128  # bodies in absolute coordinates
REST = 0.5e-3  # s, largest rest of the call for 8 links
PREPARED = 0.3e-3  # s, largest prepared run
SHARE = 2.0  # largest ratio of the whole call to its steps, free bodies


def falling(links: int, **options: Any) -> tuple[Callable[[], Any], Callable[[Any], Any], str]:
    """The chain, a run of it, and the link whose end is followed."""

    def run(model: sp.Model) -> Any:
        method = sp.DormandPrince()
        return sp.simulate(
            model, T_END, integrator=method, tolerance=TOLERANCE, output=EVERY, **options
        )

    return lambda: chain.supple_model(links), run, f"link{links}"


def measure(
    make: Callable[[], Any], run: Callable[[Any], Any], body: str, seconds: float
) -> dict[str, float]:
    """Lowest tenth of the CPU seconds of the call, of its steps, and of reading a path after it."""
    found: dict[str, list[float]] = {"call": [], "steps": [], "path": []}
    result = run(make())
    begin = time.process_time()
    while time.process_time() - begin < seconds or len(found["call"]) < 5:
        model = make()
        start = time.process_time()
        result = run(model)
        called = time.process_time()
        _ = result[body].position
        found["path"].append(time.process_time() - called)
        found["call"].append(called - start)
        found["steps"].append(result.statistics["cpu_seconds"])
    low = {name: timing.low_quantile(values) for name, values in found.items()}
    return low | {"rest": low["call"] - low["steps"]}


def studies(seconds: float) -> dict[str, dict[str, float]]:
    """All rows of the table."""
    rows = {f"{n} links": measure(*falling(n), seconds) for n in (2, 8, 32)}
    rows["flexible arm"] = measure(arm, lambda m: sp.simulate(m, 5.0), "link2", seconds)
    free = falling(FREE, formulation=sp.Absolute())
    rows[f"{FREE} free bodies"] = measure(*free, seconds)
    six = chain.supple_model(6)
    rows["6 links, 1 ms"] = measure(
        lambda: chain.supple_model(6), lambda m: sp.simulate(m, SHORT, output=1), "link6", seconds
    )
    ready = sp.prepare(six)
    rows["6 links, 1 ms, prepared"] = measure(
        lambda: ready, lambda p: p.simulate(SHORT, output=1), "link6", seconds
    )
    return rows


def targets(rows: dict[str, dict[str, float]]) -> dict[str, tuple[float, float]]:
    """Measured value and largest allowed one, by sentence."""
    free = rows[f"{FREE} free bodies"]
    return {
        "rest of the call, 8 links, ms": (1e3 * rows["8 links"]["rest"], 1e3 * REST),
        "prepared run of 6 links, ms": (
            1e3 * rows["6 links, 1 ms, prepared"]["call"],
            1e3 * PREPARED,
        ),
        "call to steps, free bodies": (free["call"] / free["steps"], SHARE),
    }


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU s for each row")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)  # about the inertia of the arm
        rows = studies(options.seconds)
    limits = targets(rows)
    met = all(value <= most for value, most in limits.values())
    if options.json:
        print(json.dumps({"whole_call": {"rows": rows, "targets": limits}}, indent=1))
    else:
        print(f"{'CPU ms':26}{'call':>10}{'steps':>10}{'rest':>10}{'path':>10}")
        for name, row in rows.items():
            cells = "".join(f"{1e3 * row[k]:10.3f}" for k in ("call", "steps", "rest", "path"))
            print(f"  {name:24}{cells}")
        for name, (value, most) in limits.items():
            print(
                f"  {name} {value:.3f}: {'met' if value <= most else 'MISSED'} (at most {most:g})"
            )
    return 0 if met or options.no_fail else 1


if __name__ == "__main__":
    sys.exit(main())
