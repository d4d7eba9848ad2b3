"""A six-axis arm with a flexible link, stepped from outside at 1 kHz with torques on all joints.

The time of a step is that of the clock, as a controller sees it: from torques to angles, rates and
the place of the tip. Then a thousand resets, and whether each episode is the first one to the bit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from typing import Any

import timing  # noqa: F401  (before numpy)

# isort: split
import numpy as np

import supple as sp

RATE = 1e-3  # s, of a step
MEDIAN = 0.25e-3  # s, most that a step may take, as the median
AXES = "zyyxyx"
LENGTHS = (0.3, 0.4, 0.5, 0.2, 0.15, 0.1)  # m, of the links; the third is a beam
STIFFNESS = np.array([200.0, 200.0, 100.0, 10.0, 10.0, 2.0])  # N m/rad
DAMPING = np.array([20.0, 20.0, 10.0, 0.5, 0.5, 0.1])  # N m s/rad


def arm() -> sp.Model:
    """Six links with geared motors; the third is a beam with four modes."""
    m = sp.Model(gravity=(0, 0, -9.81), name="six-axis arm")
    frame = m.ground.at(0)
    for k, (axis, length) in enumerate(zip(AXES, LENGTHS, strict=True)):
        name = f"link{k + 1}"
        if k == 2:
            section = sp.Tube(0.03, 0.002)
            link: Any = sp.Beam(
                name, length, section, sp.Material(7e10, 2.6e10, 2700.0), elements=4, modes=4,
                damping=sp.ModalDamping(0.01),
            )  # fmt: skip
        else:
            mass = 6.0 * length
            link = sp.RigidBody(
                name, mass, (0.5 * length, 0, 0),
                (1e-3, mass * length**2 / 12, mass * length**2 / 12),
            )  # fmt: skip
        m.add(link)
        joint = sp.Revolute(f"joint{k + 1}", frame, link.at(0), axis=axis, initial=0.1 * (k + 1))
        m.add(joint)
        m.add(sp.Motor(f"motor{k + 1}", joint, inertia=2e-5, ratio=100.0 if k < 3 else 50.0))
        frame = link.at(length)
    m.add(sp.PointMass("tool", frame, 0.5))
    return m


def stepper() -> sp.Stepper:
    """The arm with torques as inputs."""
    joints = [f"joint{k + 1}" for k in range(len(AXES))]
    rates = [f"{name}.angle{what}" for what in ("", "_rate") for name in joints]
    return sp.Stepper(arm(), joints, [*rates, "tool.position"], dt=RATE)


def torques(values: np.ndarray, t: float) -> np.ndarray:
    """A controller that follows moving angles."""
    targets = 0.1 * np.arange(1, 7) + 0.3 * np.sin(2.0 * t + np.arange(6))
    return STIFFNESS * (targets - values[:6]) - DAMPING * values[6:12]


def timed(steps: int) -> np.ndarray:
    """Clock times (n,) of steps, s."""
    arm_now, found = stepper(), np.zeros(steps)
    for k in range(steps):
        inputs = torques(arm_now.values, arm_now.time)
        begin = time.perf_counter()
        arm_now.step(RATE, inputs)
        found[k] = time.perf_counter() - begin
    return found


def repeated(episodes: int, steps: int) -> bool:
    """Whether all episodes after a reset are the first one."""
    arm_now, first = stepper(), None
    for _ in range(episodes):
        arm_now.reset()
        path = [arm_now.values.tobytes()]
        for _ in range(steps):
            arm_now.step(RATE, torques(arm_now.values, arm_now.time))
            path.append(arm_now.values.tobytes())
        first = path if first is None else first
        if path != first:
            return False
    return True


def study(steps: int, episodes: int) -> dict[str, Any]:
    """All numbers."""
    seconds = timed(steps)[50:]
    quantiles = dict(zip(("p10", "median", "p99"), np.quantile(seconds, (0.1, 0.5, 0.99)).tolist(),
                         strict=True))  # fmt: skip
    same = repeated(episodes, 20)
    return {**quantiles, "same": same, "met": same and quantiles["median"] <= MEDIAN}


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5000, help="steps that are timed")
    parser.add_argument("--episodes", type=int, default=1000, help="resets")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    given = parser.parse_args()
    warnings.simplefilter("ignore", sp.SuppleWarning)
    found = study(given.steps, given.episodes)
    if given.json:
        print(json.dumps({"stepping": found}, indent=1))
    else:
        low, middle, high = (1e3 * found[key] for key in ("p10", "median", "p99"))
        verdict = "met" if found["median"] <= MEDIAN else "MISSED"
        print(f"A six-axis arm with a flexible link at {1 / RATE:g} Hz, ms of the clock for a step")
        print(f"  median {middle:.3f}: {verdict} (at most {1e3 * MEDIAN:g})")
        print(f"  a tenth of all steps below {low:.3f}, one of a hundred above {high:.3f}")
        verdict = "met" if found["same"] else "MISSED"
        print(f"  {given.episodes} resets give the same episode: {verdict} (to the last bit)")
    return 1 if not found["met"] and not given.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
