"""Newton's matrix of long chains: along the tree against whole matrices, for steps of Radau.

Both ways take the same steps of the same run; times are CPU seconds a step, in turns. The second
table is the price of a new matrix in residuals: tangents, the real and the complex factor and a
solution with each.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

import timing

# isort: split
import chain
import numpy as np

import supple as sp
from supple.core.base import layout as at
from supple.core.equations import dynamics, tree_parts
from supple.core.equations import tree_border as border

# Links and kind: seconds of the run, and the largest ratio of the times of a step.
STEPS = {(128, False): (0.4, 1 / 3), (32, True): (0.2, 1 / 3)}
TOLERANCE = 1e-4
LINKS = (8, 32, 128, 512)
PRICES = {False: 9.0, True: 5.0}  # residuals, rigid and flexible
RADAU = 3.6378342527444957, 2.6810828736277523 + 3.0504301992474105j  # eigenvalues of its matrix
STEP = 1e-2  # s


def step_of(links: int, flexible: bool, t_end: float) -> dict[str, float]:
    """CPU seconds of a step by both ways."""
    model = chain.supple_model(links, flexible)
    seconds: dict[str, list[float]] = {"tree": [], "dense": []}
    for _ in range(5):
        for way, found in seconds.items():
            formulation = sp.JointCoordinates(linear=way)
            result = sp.simulate(model, t_end, formulation=formulation, tolerance=TOLERANCE)
            found.append(result.statistics["cpu_seconds"] / result.statistics["steps"])
    return {way: min(found) for way, found in seconds.items()}


def price(links: int, flexible: bool, rounds: int) -> dict[str, Any]:
    """CPU time of a new matrix of each kind, and of its parts, in residuals."""
    equations = sp.JointCoordinates("tree").equations(chain.supple_model(links, flexible))
    c = equations.compiled
    reals, integers = tree_parts.PARTS_RECORD.lengths(c.sizes | {"factors": 1})
    buffers = c.ints, c.reals, at.new_work(c.ints), np.zeros(reals), np.zeros(integers, np.int64)
    rng, nu = np.random.default_rng(links), equations.nu
    q, u, a = rng.uniform(-1.0, 1.0, (3, nu))
    for body in c.flexible.values():
        q[body.q] *= 1e-3
        u[body.u] *= 1e-2
    state, r = (0.0, q, u, a, c.z0), np.zeros(nu)
    calls: dict[str, Any] = {}
    for name, g in zip(("real", "complex"), RADAU, strict=True):
        h = STEP
        numbers = np.array([h * h / g, h, g, h * h, h / g, 1.0, g, h])
        rows = 1 + (name == "complex")
        coefficients = np.array([numbers.real, numbers.imag])[:rows].copy()
        y = np.zeros((rows, nu + equations.nz))
        calls[name] = partial(border.newton_along_tree, *buffers, *state, r, coefficients, y)
    nothing = np.zeros((0, 8)), np.zeros((0, nu + equations.nz))
    calls["tangents"] = partial(border.newton_along_tree, *buffers, *state, r, *nothing)
    kernel = dynamics.residual.ready()
    calls["residual"] = partial(kernel, c.ints, c.reals, equations.work, *state, r)
    us = {name: 1e6 * s for name, s in timing.interleaved(calls, rounds).items()}
    whole = us["real"] + us["complex"] - us["tangents"]
    return {"links": links, "flexible": flexible, "price": whole / us["residual"], **us}


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60, help="blocks of calls")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print("A step of Radau, CPU us           along the tree   whole matrices")
    for (links, flexible), (t_end, target) in STEPS.items():
        found = step_of(links, flexible, t_end)
        ratio = found["tree"] / found["dense"]
        rows.append({"links": links, "flexible": flexible, "ratio": ratio, "met": ratio <= target})
        kind = "beams of four modes" if flexible else "rigid links"
        print(
            f"  {links:4d} {kind:24} {1e6 * found['tree']:14.1f} {1e6 * found['dense']:16.1f}"
            f"  {ratio:.2f} {'met' if ratio <= target else 'MISSED'} (at most {target:.2f})"
        )
    print("A new matrix, CPU us   residual   tangents   + real factor   + complex factor   all")
    for flexible, target in PRICES.items():
        for links in LINKS:
            row = price(links, flexible, options.rounds)
            row["met"] = row["price"] <= target
            rows.append(row)
            print(
                f"  {links:4d}{'f' if flexible else ' '}{row['residual']:22.1f}"
                f"{row['tangents']:11.1f}{row['real']:16.1f}{row['complex']:19.1f}"
                f"{row['price']:8.1f} residuals "
                f"{'met' if row['met'] else 'MISSED'} (at most {target:g})"
            )
    timing.save("newton", rows)
    return 0 if options.no_fail or all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
