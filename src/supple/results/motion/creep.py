"""Creep: how far rounded dry friction lets a joint or rope drift where real friction sticks.

The friction of a rounded law at the rate v is a part tanh(v/transition) of what it can be. A joint
that stays below twice the transition, with inertia that is small beside its friction, carries a
load that dry friction would hold: the way that it makes meanwhile is an error of the law, whether
the load is constant, alternates, or is that of a spring which the way relaxes. What coasts or
swings has as much inertia as friction, or more; where constraints give the motion of a joint, it
slides. For ropes, whose slip has no inertia of its own, the rate must be steady, and friction must
take far more energy than there is in the motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.forces import JointFriction, Rope
from supple.forces.ropes import Pulley
from supple.foundation.arrays import Array, Booleans
from supple.foundation.errors import label
from supple.results.data.findings import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result


STICKS = 2.0  # transitions, below which friction is held to stick: tanh of it is 0.96
FEWEST = 3  # output times in a row
LOST = 10.0  # times the kinetic energy, that friction takes from what creeps and does not coast
STEADY = 2.5  # times its mean, that the rate of a rope may change by altogether
INERTIA = 0.5  # of the friction, that the inertia of what friction would hold may be
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
    c, probe = result.data.compiled, result.data.probe
    place, rate, ratio = c.shaft(*result._coordinate(force))
    if probe is None or not len(result.t) or not probe.is_free(rate):
        return
    q, v, a = ratio * result.q[:, place], ratio * result.u[:, rate], ratio * result.a[:, rate]
    inertia = probe.inertia(rate, result.q[0]) / ratio**2 * a
    friction = _friction(force, v)
    most = force.coulomb if force.static is None else max(force.coulomb, force.static)
    held = np.abs(v) < STICKS * force.transition
    held &= (np.abs(inertia) < INERTIA * np.abs(friction)) & (np.abs(friction + inertia) < most)
    unit = result._effort_units(force.joint, force.coordinate)
    way = _drift(result.t, v, held)
    moved = float(np.ptp(q))
    yield from _told(
        result, force, force.transition, way, moved, "rad" if unit == "N m" else "m", "drifts"
    )


def _friction(force: JointFriction, v: Array) -> Array:
    """Dry friction (nt,) of a rounded law at rates v (nt,)."""
    return np.asarray(force.coulomb * np.tanh(v / force.transition))


def _drift(t: Array, v: Array, held: Booleans) -> tuple[float, float, float]:
    """Way made while a joint is ``held`` (nt,), when that began, and for how long it was so.

    Ways to both sides cancel: the way is the range of their sum.
    """
    both = held[1:] & held[:-1]
    steps = np.where(both, np.diff(t), 0.0)
    if np.count_nonzero(both) < FEWEST - 1:
        return 0.0, 0.0, 0.0
    sums = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * steps)])
    return float(np.ptp(sums)), float(t[np.argmax(both)]), float(np.sum(steps))


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


def _way(result: Result, force: Rope, v: Array) -> tuple[float, float, float]:
    """Way (m) of a rope below the transition, when that began, and for how long it was so."""
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
