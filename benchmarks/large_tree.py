"""A chain of thousands of rigid links: what writing, checking, compiling and one residual cost.

All of it should grow with the number of bodies, in time and in memory.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import chain
import timing

# isort: split
import numpy as np

from supple.formulations.trees import JointCoordinates

LINKS = (1000, 10000)
SECONDS = 20.0  # CPU s for all of it, the longest chain
GROWTH = 1.5  # largest ratio of the costs per body, longest to shortest chain


def measure(links: int) -> dict[str, Any]:
    """CPU seconds of each stage, and bytes per body of the buffers that kernels work in."""
    seconds: dict[str, float] = {}

    def timed(name: str, call: Callable[[], Any]) -> Any:
        start = time.process_time()
        out = call()
        seconds[name] = time.process_time() - start
        return out

    model = timed("write", lambda: chain.supple_model(links))
    timed("check", model.check)
    equations = timed("compile", lambda: JointCoordinates().equations(model))
    zero = np.zeros(equations.nu)
    state = (0.0, equations.q0, equations.u0, zero, np.zeros(equations.nz))
    equations.residual(*state)
    timed("residual", lambda: equations.residual(*state))
    timed("accelerations", lambda: equations.accelerate(0.0, equations.q0, equations.u0))
    timed("doctor", model.doctor)
    buffers = (equations.compiled.ints, equations.compiled.reals, equations.work)
    used = sum(b.nbytes for b in buffers)
    return {"links": links, "seconds": seconds, "bytes": used / links}


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=LINKS, help="lengths of the chains")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    measure(10)  # kernels are loaded
    rows = [measure(links) for links in options.links]
    names = list(rows[0]["seconds"])
    print("A chain of rigid links, CPU seconds")
    print(f"{'links':>7}" + "".join(f"{n:>15}" for n in names) + f"{'bytes a body':>15}")
    for row in rows:
        cells = "".join(f"{row['seconds'][n]:15.4f}" for n in names)
        print(f"{row['links']:7d}{cells}{row['bytes']:15.0f}")
    whole = sum(rows[-1]["seconds"].values())
    cost = [sum(r["seconds"].values()) / r["links"] for r in rows]
    met = whole <= SECONDS and cost[-1] <= GROWTH * cost[0]
    print(f"  all of it {whole:.1f} s: {'met' if whole <= SECONDS else 'MISSED'} ({SECONDS:g} s)")
    growth = cost[-1] / cost[0]
    verdict = "met" if growth <= GROWTH else "MISSED"
    print(f"  per body, longest to shortest {growth:.2f}: {verdict} (at most {GROWTH:g})")
    timing.save("large_tree", rows)
    return 0 if met or options.no_fail else 1


if __name__ == "__main__":
    sys.exit(main())
