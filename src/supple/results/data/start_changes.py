"""Requested and assembled initial values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.arrays import Array
from supple.joints import Joint

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled

Vectors = tuple[Array, Array]  # q, u

# Changes that are told: radians, or lengths of the model, and these per second.
SEEN = 1e-6
MOST = 4  # changes in a sentence


@dataclass(frozen=True)
class StartChange:
    """A coordinate or rate of a joint that does not start as it was asked.

    Attributes
    ----------
    name : "elbow.angle", "elbow.angle_rate"
    asked, found : its value as written down, and on the constraints
    unit : "rad", "m", "1", or per second
    """

    name: str
    asked: float
    found: float
    unit: str

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        found = 0.0 if abs(self.found) < 1e-9 * abs(self.asked) else self.found
        return f"{self.name} {self.asked:.6g} -> {found:.6g}{unit}"


def start_changes(
    joints: Mapping[str, Joint], compiled: Compiled, asked: Vectors, found: Vectors, all_of_it: bool
) -> tuple[StartChange, ...]:
    """Changes of joints from one state (q, u) to another, in the order of joints.

    Unless ``all_of_it`` was asked for, coordinates or rates that a joint leaves at their defaults
    are guesses.
    """
    changes: list[StartChange] = []
    for name, joint in joints.items():
        before, after = (compiled.to_user(name, *state) for state in (asked, found))
        given = all_of_it or not _default(joint), all_of_it or bool(np.any(joint.initial_rate))
        rates = joint.chart.velocities or joint.coordinate_names
        rate_units = [unit for motion in joint.motions for unit in motion.row.velocity_units]
        names = joint.coordinate_names, [f"{rate}_rate" for rate in rates]
        units = joint.units, [f"{unit}/s" for unit in rate_units]
        if joint.chart.quaternion and before[0][:4] @ after[0][:4] < 0.0:
            before[0][:4] *= -1.0  # the same rotation
        for k in range(2):
            if given[k]:
                rows = zip(names[k], before[k].tolist(), after[k].tolist(), units[k], strict=True)
                changes += [
                    StartChange(f"{name}.{what}", old, new, unit)
                    for what, old, new, unit in rows
                    if abs(new - old) > SEEN * (compiled.length if unit[0] == "m" else 1.0)
                ]
    return tuple(changes)


def told(changes: tuple[StartChange, ...]) -> str:
    """The first of them in a line, and how many more."""
    more = f" (and {len(changes) - MOST} more)" if len(changes) > MOST else ""
    return f"moved onto the constraints: {', '.join(map(str, changes[:MOST]))}{more}"


def _default(joint: Joint) -> bool:
    """Whether a joint begins where its frames coincide."""
    still = np.zeros(joint.nq)
    if joint.chart.quaternion:
        still[0] = 1.0
    return bool(np.array_equal(joint.initial, still))
