"""The gradient of one number along 100 parameters by the adjoint, in runs of the same model.

Two arms of three links fall for 5 or 20 s with springs and drives in their joints: one is rigid, of
the other the second link is a beam with three modes. Parameters are of every kind: inertias, places
and axes of joints, initial values, springs, values of the drives over time, sections and materials.
A run is a whole call of ``simulate`` with a model that was just written down.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from typing import Any

import timing

# isort: split
import numpy as np

import supple as sp

TIMES, OUTPUT = 20, "joint1.angle @ end"
CASES = {
    "rigid arm, 5 s": (False, 5.0),
    "rigid arm, 20 s": (False, 20.0),
    "flexible arm, 5 s": (True, 5.0),
}
MOST = 10.0  # runs
KNOTS = 11  # values of a drive
COUNT = 100
ALLOY = sp.Material(E=70e9, G=27e9, density=2700.0)


def arm(flexible: bool) -> sp.Model:
    """Three links of 1/2, 1/4 and 1/6 m, each with a spring and a drive in its joint."""
    m = sp.Model(gravity=(0, 0, -9.81))
    inner, place = m.ground, 0.0
    for k in (1, 2, 3):
        length, name = 0.5 / k, f"link{k}"
        body: Any = sp.RigidBody(
            name,
            3.0 / k,
            com=(0.5 * length, 0.01, 0.02),
            inertia=(2e-3 / k, 0.05 / k, 0.051 / k),
        )
        if flexible and k == 2:
            section, damping = sp.Rectangle(0.02, 0.008), sp.Rayleigh(stiffness=1e-4)
            body = sp.Beam(name, length, section, ALLOY, elements=4, modes=3, damping=damping)
        m.add(body)
        rate = 0.1 * k
        m.add(sp.Revolute(f"joint{k}", inner.at(place), body.at(0), "zyy"[k - 1], 0.2 * k, rate))
        spring = {"stiffness": 4.0 / k, "damping": 0.3 / k, "rest": 0.1, "cubic": 0.2}
        m.add(sp.JointSpring(f"spring{k}", f"joint{k}", **spring))
        t = np.linspace(0.0, 1.0 + 0.1 * k, KNOTS)
        m.add(sp.JointEffort(f"drive{k}", f"joint{k}", sp.Table(t, 0.5 * np.sin(3.0 * t + k) / k)))
        inner, place = body, 0.9 * length
    m.add(sp.PointMass("load", inner.at(place), 0.4))
    return m


def parameters(flexible: bool) -> list[str]:
    """Names of 100 numbers of the arm."""
    found = ["load.mass", *(f"load.frame.position.{i}" for i in range(3))]
    for k in (1, 2, 3):
        link, joint, drive = f"link{k}", f"joint{k}", f"drive{k}.effort.values"
        if flexible and k == 2:
            fields = "length", "section.size_y", "section.size_z", "material.E", "material.density"
            found += [f"{link}.{x}" for x in (*fields, "material.G", "damping.stiffness")]
        else:
            found += [f"{link}.mass", *(f"{link}.com.{i}" for i in range(3))]
            found += [f"{link}.inertia.{i}.{i}" for i in range(3)]
        ends = {"A": flexible and k == 3, "B": flexible and k == 2}  # on the axis of the beam
        found += [f"{joint}.{e}.position.{i}" for e, on in ends.items() if not on for i in range(3)]
        found += [f"{joint}.A.position.0"] if ends["A"] else []
        found += [f"{joint}.initial.0", f"{joint}.initial_rate.0"]
        found += [f"spring{k}.{x}" for x in ("stiffness", "damping", "rest", "cubic")]
        found += [f"{drive}.{i}" for i in range(KNOTS)]
    found += [f"joint{k}.axis.{i}" for k in (1, 2, 3) for i in range(3)]
    found += [f"drive{k}.effort.times.5" for k in (1, 2)]  # kinks that move
    return found[:COUNT]


def measure(flexible: bool, t_end: float, rounds: int) -> dict[str, float]:
    """Smallest CPU seconds of a run and of a gradient, which take turns."""
    names, found = parameters(flexible), {"run": [], "gradient": []}
    assert len(names) == COUNT
    for _ in range(rounds + 1):  # the first loads the kernels
        given: dict[str, Any] = {"t_end": t_end, "times": TIMES, "tolerance": "default"}
        models = arm(flexible), arm(flexible)
        start = time.process_time()
        sp.simulate(models[0], t_end, output=TIMES)
        between = time.process_time()
        sp.sensitivity(models[1], names, outputs=OUTPUT, method="adjoint", **given)
        found["gradient"].append(time.process_time() - between)
        found["run"].append(between - start)
    best = {name: min(values[1:]) for name, values in found.items()}
    return {**best, "ratio": best["gradient"] / best["run"]}


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12, help="of a run and a gradient each")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)  # about unusual inertias
        rows = {name: measure(*case, options.rounds) for name, case in CASES.items()}
    timing.save("adjoint", rows)
    if options.json:
        print(json.dumps({"adjoint": rows, "most": MOST}, indent=1))
    else:
        print(f"{f'{COUNT} parameters by the adjoint':32}{'run, ms':>10}{'gradient, ms':>14}")
        for name, row in rows.items():
            print(f"  {name:30}{1e3 * row['run']:10.2f}{1e3 * row['gradient']:14.2f}")
        for name, row in rows.items():
            verdict = "met" if row["ratio"] <= MOST else "MISSED"
            told = f"{COUNT} parameters by the adjoint, in runs, {name}"
            print(f"  {told} {row['ratio']:.1f}: {verdict} (at most {MOST:g})")
    missed = any(row["ratio"] > MOST for row in rows.values())
    return 1 if missed and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
