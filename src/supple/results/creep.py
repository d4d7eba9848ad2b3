"""Creep: how far rounded dry friction lets a joint or rope drift where real friction sticks.

The friction of a rounded law at the rate v is a part tanh(v/transition) of what it can be. Where a
joint stays below twice the transition for several output times, at a rate that hardly changes,
friction would hold it; the way it makes meanwhile is an error of the law.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.constraints.kinds import constraint_kind
from supple.errors import label
from supple.forces import JointFriction, Rope
from supple.forces.ropes import Pulley
from supple.results.run_finding import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result

Array = NDArray[np.float64]

STICKS = 2.0  # transitions, below which friction is held to stick: tanh of it is 0.96
FEWEST = 3  # output times in a row
LOST = 10.0  # times the kinetic energy, that friction takes from what creeps and does not coast
STEADY = 2.5  # times its mean, that a rate may change by altogether
FAR, SERIOUS = 0.01, 0.1  # radians, or lengths of the model
PART = 0.05  # of the whole motion of a coordinate


def creep_findings(result: Result) -> Iterator[RunFinding]:
    """Joints and ropes that creep."""
    for force in result.forces.values():
        if isinstance(force, JointFriction) and force.coulomb > 0.0:
            yield from _of_joint(result, force)
        elif isinstance(force, Rope) and any(
            isinstance(place, Pulley) and place.friction > 0.0 for place in force.path
        ):
            slip = result[force.name].slip
            for k in range(slip.shape[1]):
                way = _way(result, force, slip[:, k])
                moved = float(np.sum(np.abs(slip[1:, k]) * np.diff(result.t)))
                yield from _told(result, force, force.transition, way, moved, "m", "slides")


def _of_joint(result: Result, force: JointFriction) -> Iterator[RunFinding]:
    c = result.data.compiled
    place, rate, ratio = c.shaft(*result._coordinate(force))
    if _is_driven(result, force.joint):
        return
    v, q = ratio * result.u[:, rate], ratio * result.q[:, place]
    way = _way(result, force, v)
    unit = result._effort_units(force.joint, force.coordinate)
    moved = float(np.ptp(q)) if len(q) else 0.0
    yield from _told(
        result, force, force.transition, way, moved, "rad" if unit == "N m" else "m", "drifts"
    )


def _told(
    result: Result,
    force: Any,
    transition: float,
    way: tuple[float, float, float],
    moved: float,
    unit: str,
    verb: str,
) -> Iterator[RunFinding]:
    far, begin, time = way
    size = 1.0 if unit == "rad" else result.data.compiled.length
    if not (far > FAR * size and far > PART * moved):
        return
    yield RunFinding(
        force.name,
        "creep",
        far / size,
        FAR,
        begin,
        far > SERIOUS * size,
        f"{label(force)} {verb} by {far:.2g} {unit} in {time:.3g} s from t = {begin:.3g} s on, "
        f"where dry friction sticks: below its transition of {transition:.2g} {unit}/s a rounded "
        f"law creeps; use transition={0.5 * transition * FAR * size / far:.0e}, or a Lock",
    )


def _way(result: Result, force: JointFriction | Rope, v: Array) -> tuple[float, float, float]:
    """Way (rad or m) made below the transition, when that began, and for how long it was so."""
    t, kinetic = result.t, result.energy.kinetic
    channels = result.data.compiled.channels(force.name)
    taken = np.abs(result.data.channels[:, channels].sum(axis=1))
    slow = np.concatenate([[0], (np.abs(v) < STICKS * force.transition).astype(int), [0]])
    begins, ends = np.flatnonzero(np.diff(slow) == 1), np.flatnonzero(np.diff(slow) == -1)
    far, begin, time = 0.0, 0.0, 0.0
    for i, j in zip(begins, ends, strict=True):
        if j - i < FEWEST:
            continue
        part = slice(i, j)
        if np.ptp(np.sign(v[part])) > 1.0 or np.sum(np.abs(np.diff(v[part]))) > STEADY * np.mean(
            np.abs(v[part])
        ):
            continue  # it swings, or slows down
        if taken[j - 1] - taken[i] < LOST * np.max(kinetic[part]):
            continue  # it coasts
        way = abs(float(np.sum(0.5 * (v[part][1:] + v[part][:-1]) * np.diff(t[part]))))
        begin = float(t[i]) if way > far else begin
        far, time = far + way, time + float(t[j - 1] - t[i])
    return far, begin, time


def _is_driven(result: Result, joint: str) -> bool:
    """True if a driver gives the motion of a joint."""
    drivers = [c for c in result.constraints.values() if constraint_kind(c).drives]
    return any(name == joint for c in drivers for name, *_ in getattr(c, "terms", ()))
