"""Forward dynamics of chains called from Python: Supple against Pinocchio's ``aba``.

Both get the same state and must find the same accelerations before anything is timed. Targets are
ratios to ``aba`` as it is called by default (body axes); the ratio to its faster variant (world
axes) stands beside them. Chains of flexible links (f), with four modes each, are compared with
Pinocchio on the rigid chain of that length. Of both kinds the time of a body must not grow with
their number.
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

from supple.core.equations import dynamics
from supple.engine.sparsity.solver_choice import way_name
from supple.formulations.trees import JointCoordinates

LINKS = (2, 8, 32, 128, 512)
TARGETS = {8: 1.0, 32: 0.75, 128: 0.55, 512: 0.5}  # largest ratio of CPU times to Pinocchio
FLEXIBLE = 4.0  # of flexible links, to Pinocchio with rigid ones
GROWTH, BETWEEN = 1.15, (64, 1024)  # largest ratio of the times of one body in such chains
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


def prepared(links: int, flexible: bool) -> tuple[Any, dict[str, Any], Any]:
    """Equations of a chain, calls for its accelerations in a random state, and that state."""
    equations = JointCoordinates().equations(chain.supple_model(links, flexible))
    random, c = np.random.default_rng(links), equations.compiled
    q, u = random.uniform(-1.0, 1.0, (2, equations.nu))
    for body in c.flexible.values():
        q[body.q] *= 1e-3
        u[body.u] *= 1e-2
    kernel, a = dynamics.accelerate.ready(), np.zeros(equations.nu)
    arguments = (c.ints, c.reals, equations.work, 0.0, q, u, c.z0, a)

    def raw() -> None:
        a.fill(0.0)  # it holds forces on entry
        kernel(*arguments)

    calls = {"supple": partial(equations.accelerate, 0.0, q, u), "kernel": raw}
    return equations, calls, (q, u)


def growth(flexible: bool, rounds: int) -> dict[str, Any]:
    """How the CPU time of one body grows from a short chain to a long one."""
    short, long = (prepared(links, flexible)[1]["supple"] for links in BETWEEN)
    seconds = timing.interleaved({"short": short, "long": long}, rounds)
    each = [seconds[name] / links for name, links in zip(("short", "long"), BETWEEN, strict=True)]
    ratio = each[1] / each[0]
    return {
        "growth": ratio, "flexible": flexible, "target": GROWTH, "met": ratio <= GROWTH,
        "microseconds_per_body": [1e6 * x for x in each],
    }  # fmt: skip


def measure(links: int, rounds: int, pinocchio: Any, flexible: bool = False) -> dict[str, Any]:
    """CPU microseconds of one call of each program, and their ratios."""
    equations, calls, (q, u) = prepared(links, flexible)
    row: dict[str, Any] = {"links": links, "flexible": flexible}
    row["linear"] = way_name(equations.compiled.ints)
    if pinocchio is not None:
        from peers import pinocchio_rigid_chain

        model, data = pinocchio_rigid_chain.model(links)
        state = (model, data, q[:links].copy(), u[:links].copy(), np.zeros(links))
        calls["pinocchio"] = partial(pinocchio.aba, *state)
        calls["pinocchio, world axes"] = partial(pinocchio.aba, *state, pinocchio.Convention.WORLD)
    if pinocchio is not None and not flexible:
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
        row["ratio"] = seconds["supple"] / seconds["pinocchio"]
        row["world_ratio"] = seconds["supple"] / seconds["pinocchio, world axes"]
        row["target"] = FLEXIBLE if flexible else TARGETS.get(links)
        row["met"] = row["target"] is None or row["ratio"] <= row["target"]
    return row


def show(row: dict[str, Any]) -> None:
    """One line of the table."""
    us = row["microseconds"]
    kind = "f" if row["flexible"] else " "
    line = f"{row['links']:5d}{kind}{us['supple']:12.2f} {us['kernel']:12.2f}"
    if "ratio" in row:
        line += f" {us['pinocchio']:12.2f} {us['pinocchio, world axes']:12.2f}"
        line += f" {row['ratio']:8.2f} {row['world_ratio']:8.2f}"
        line += f" {row['difference']:11.0e}" if "difference" in row else " " * 12
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
            print(f" {'ratio':>8} {'to world':>8} {'difference':>11}", end="")
        print(flush=True)
    rows = []
    for links in options.links:
        for flexible in (False, True):
            rows.append(measure(links, options.rounds, pinocchio, flexible))
            if not options.json:
                show(rows[-1])
    for flexible in (False, True):
        rows.append(growth(flexible, max(options.rounds // 5, 5)))
        if not options.json:
            kind, last = "flexible" if flexible else "rigid", rows[-1]
            word = "met" if last["met"] else "MISSED"
            print(
                f"one {kind} link of {BETWEEN[1]} takes {last['growth']:.2f} of one of "
                f"{BETWEEN[0]}   {word} (at most {GROWTH:g})"
            )
    timing.save("forward_dynamics", rows)
    if options.json:
        print(json.dumps({"forward_dynamics": rows}, indent=1))
    missed = any(not row.get("met", True) for row in rows)
    return 1 if missed and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
