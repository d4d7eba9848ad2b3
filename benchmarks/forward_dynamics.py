"""Forward dynamics of chains called from Python: Supple against Pinocchio's ``aba``.

Both get the same state and must find the same accelerations before anything is timed. Ratios are to
the faster of Pinocchio's two variants (body axes, its default, and world axes).
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from typing import Any

import timing

# isort: split
import chain
import numpy as np

from supple.core import dynamics
from supple.formulations.trees import JointCoordinates

LINKS = (2, 8, 32, 128)
TARGETS = {8: 2.0, 32: 3.0}  # largest ratio of CPU times, Supple to Pinocchio
AGREEMENT = 1e-9  # relative


def pinocchio_or_none() -> Any:
    """The module, or None with a sentence on standard error."""
    try:
        import pinocchio
    except ImportError as error:
        print(
            f"Pinocchio cannot be loaded ({error}; pip install pin): "
            "Supple is measured alone and no target is checked.",
            file=sys.stderr,
        )
        return None
    return pinocchio


def measure(links: int, rounds: int, pinocchio: Any) -> dict[str, Any]:
    """CPU microseconds of one call of each program, and their ratios."""
    equations = JointCoordinates().equations(chain.supple_model(links))
    random = np.random.default_rng(links)
    q, u = random.uniform(-1.0, 1.0, (2, links))
    calls: dict[str, Any] = {"supple": partial(equations.accelerate, 0.0, q, u)}

    c, kernel, a = equations.compiled, dynamics.accelerate.ready(), np.zeros(links)
    prepared = (c.ints, c.reals, equations.work, 0.0, q, u, c.z0, a)

    def raw() -> None:
        a.fill(0.0)  # it holds forces on entry
        kernel(*prepared)

    calls["kernel"] = raw

    row: dict[str, Any] = {"links": links}
    if pinocchio is not None:
        from peers import pinocchio_rigid_chain

        model, data = pinocchio_rigid_chain.model(links)
        state = (model, data, q, u, np.zeros(links))
        calls["pinocchio"] = partial(pinocchio.aba, *state)
        calls["pinocchio, world axes"] = partial(pinocchio.aba, *state, pinocchio.Convention.WORLD)
        ours, theirs = equations.accelerate(0.0, q, u), np.array(calls["pinocchio"]())
        row["difference"] = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))
        if not row["difference"] <= AGREEMENT:
            raise SystemExit(
                f"{links} links: accelerations of Supple and Pinocchio differ by "
                f"{row['difference']:.1e}, expected at most {AGREEMENT:.0e}"
            )
    seconds = timing.interleaved(calls, rounds)
    row["microseconds"] = {name: 1e6 * value for name, value in seconds.items()}
    if pinocchio is not None:
        best = min(seconds["pinocchio"], seconds["pinocchio, world axes"])
        row["ratio"] = seconds["supple"] / best
        row["kernel_ratio"] = seconds["kernel"] / best
        row["target"] = TARGETS.get(links)
        row["met"] = links not in TARGETS or row["ratio"] <= TARGETS[links]
    return row


def show(row: dict[str, Any]) -> None:
    """One line of the table."""
    us = row["microseconds"]
    line = f"{row['links']:5d} {us['supple']:12.2f} {us['kernel']:12.2f}"
    if "ratio" in row:
        line += f" {us['pinocchio']:12.2f} {us['pinocchio, world axes']:12.2f}"
        line += f" {row['ratio']:8.2f} {row['kernel_ratio']:8.2f}"
        line += f" {row['difference']:11.0e}"
        if row["target"] is not None:
            line += f"   {'met' if row['met'] else 'MISSED'} (at most {row['target']:g})"
    print(line, flush=True)


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="blocks of calls of each program")
    parser.add_argument("--links", type=int, nargs="+", default=LINKS, help="lengths of the chains")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    pinocchio = pinocchio_or_none()
    if not options.json:
        print("Forward dynamics of a chain, CPU microseconds per call from Python")
        print(f"{'links':>5} {'supple':>12} {'its kernel':>12}", end="")
        if pinocchio is not None:
            print(f" {'pinocchio':>12} {'world axes':>12}", end="")
            print(f" {'ratio':>8} {'kernel':>8} {'difference':>11}", end="")
        print(flush=True)
    rows = []
    for links in options.links:
        rows.append(measure(links, options.rounds, pinocchio))
        if not options.json:
            show(rows[-1])
    timing.save("forward_dynamics", rows)
    if options.json:
        print(json.dumps({"forward_dynamics": rows}, indent=1))
    missed = any(not row.get("met", True) for row in rows)
    return 1 if missed and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
