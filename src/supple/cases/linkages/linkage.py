"""Comparison of mechanisms with closed loops: joints, points and energies at given times.

The numbers are in ``mechanisms.json``, which says how they were computed. Tolerances, never below
ten times the error estimate of the reference (which is written there for each case):

- angles 1e-6 rad, displacements and points 1e-6 m (in a mechanism of centimetres 1e-8 m);
- rates 1e-6 of the largest listed rate of their kind;
- forces in joints, where the mechanism makes them unique, 1e-6 of the largest listed one;
- energies 1e-6 of the largest listed kinetic energy, the energy error over all steps 1e-9 of it.

A joint that closes a loop has no coordinate of its own in a tree: its angle is compared up to whole
turns, as only the pose of its two sides is known. That of any other joint counts its turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import tau
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.cases.case import Case, Quantity, at_times, references

if TYPE_CHECKING:
    from supple.integrators.methods.base import Integrator
    from supple.model import Model
    from supple.results.result import Result

ANGLE = 1e-6  # rad
RELATIVE = 1e-6  # of the largest of a kind
DRIFT = 1e-9  # of the largest kinetic energy

Points = Mapping[str, tuple[str, tuple[float, float, float]]]


def rod(name: str, mass: float, end: tuple[float, float, float]) -> RigidBody:
    """Return a slender uniform rod from the body's origin to ``end`` (m, in body axes)."""
    tip = np.array(end, dtype=float)
    inertia = mass / 12.0 * (np.dot(tip, tip) * np.eye(3) - np.outer(tip, tip))
    return RigidBody(name, mass, tip / 2.0, inertia)


def mechanism(
    name: str,
    title: str,
    source: str,
    build: Callable[[], Model],
    points: Points | None = None,
    length: float = 1.0,
    integrator: Callable[[], Integrator] | None = None,
    long: bool = False,
) -> Case:
    """Return a case whose reference is in ``mechanisms.json`` under its name.

    ``points`` gives the compared points by their names there: body and place on it, m. ``length``
    (m) is the size of the mechanism, the unit of the tolerance of places.
    """
    return Case(
        name=name,
        title=title,
        source=source,
        times=tuple(references("mechanisms")[name]["times"]),
        build=build,
        measure=measure(name, points or {}, length),
        integrator=integrator,
        long=long,
    )


def measure(name: str, points: Points, length: float) -> Callable[[Result], list[Quantity]]:
    """Return the comparison of a result with the reference of that name."""

    def compare(result: Result) -> list[Quantity]:
        reference = references("mechanisms")[name]
        times = reference["times"]
        closing = result.model.graph().chords
        found: list[Quantity] = []
        for joint, values in reference["angles"].items():
            angles = result[joint].angle
            if joint in closing:
                angles = nearest_turn(angles, values)
            found += at_times(f"{joint}.angle", angles, values, ANGLE, times)
        for joint, values in reference.get("displacements", {}).items():
            shift = result[joint].displacement
            found += at_times(f"{joint}.displacement", shift, values, RELATIVE * length, times)
        for what in ("angle_rate", "displacement_rate"):
            listed = reference.get(f"{what}s", {})
            bound = RELATIVE * max((abs(v) for row in listed.values() for v in row), default=0.0)
            for joint, values in listed.items():
                rates = getattr(result[joint], what)
                found += at_times(f"{joint}.{what}", rates, values, bound, times)
        for point, (body, place) in points.items():
            path = result[body].at(*place).position
            for axis in range(3):
                values = [row[axis] for row in reference["points"][point]]
                track = f"{point}.{'xyz'[axis]}"
                found += at_times(track, path[:, axis], values, RELATIVE * length, times)
        found += _forces(result, reference)
        found += _energies(result, reference)
        return found

    return compare


def nearest_turn(angles: Any, reference: Any) -> list[float]:
    """Return angles (rad) changed by whole turns so that they are nearest to the reference."""
    pairs = zip(angles, reference, strict=False)  # a run that stopped early has fewer
    return [float(a + tau * np.round((r - a) / tau)) for a, r in pairs]


def _forces(result: Result, reference: Mapping[str, Any]) -> list[Quantity]:
    """Forces by A on B in the joints, along those world axes on which they are listed."""
    listed = reference.get("forces", {})
    every = (abs(v) for axes in listed.values() for row in axes.values() for v in row)
    bound = RELATIVE * max(every, default=0.0)
    found: list[Quantity] = []
    for joint, axes in listed.items():
        force = result[joint].reaction[:, 3:]
        for axis, values in axes.items():
            along = force[:, "xyz".index(axis)]
            found += at_times(f"{joint}.force.{axis}", along, values, bound, reference["times"])
    return found


def _energies(result: Result, reference: Mapping[str, Any]) -> list[Quantity]:
    """Kinetic and potential energies at the times, and the largest error over all steps."""
    times, largest = reference["times"], max(reference["kinetic"])
    found: list[Quantity] = []
    for what in ("kinetic", "gravity", "elastic", "work", "dissipated"):
        if what in reference:
            values = getattr(result.energy, what)
            bound = RELATIVE * largest
            found += at_times(f"energy.{what}", values, reference[what], bound, times)
    error = result.energy.record.max_error
    found.append(Quantity("energy.error", error, 0.0, DRIFT * largest))
    return found
