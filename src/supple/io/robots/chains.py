"""From a chain of motions and constant poses between two bodies to one joint of the vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.frames import Frame
from supple.foundation.poses import EYE, IDENTITY, Pose, matrix_quaternion
from supple.io.robots.description import Motion, Step, inverse, shifted
from supple.joints import (
    Fixed,
    Free,
    General,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)

# How far two axes may pass each other where they should meet, m: digits of a file.
MEETING = 1e-9
ALONG = 1e-9


@dataclass(frozen=True, eq=False)
class Folded:
    """A chain as one joint has it: a pose on A, motions without poses between, a pose before B."""

    A: Pose
    motions: tuple[Motion, ...]
    axes: tuple[Vector, ...]
    end: Pose


def folded(steps: tuple[Step, ...]) -> Folded:
    """Move the constant poses of a chain to its ends.

    Turns pass to the right and turn the axes that follow. A shift passes a translation, and a
    rotation about its own direction; one that passes neither way is refused.
    """
    start: Pose | None = None
    motions: list[Motion] = []
    axes: list[Vector] = []
    shifts: list[Vector] = []
    since, turn = IDENTITY, EYE
    for step in steps:
        if not isinstance(step, Motion):
            since = since.then(step)
            continue
        if start is None:
            start = since
        else:
            shifts.append(turn @ since.p)
            turn = turn @ since.R
        motions.append(step)
        axes.append(turn @ step.axis)
        since = IDENTITY
    if start is None:
        return Folded(since, (), (), IDENTITY)
    end = Pose(turn, np.zeros(3)).then(since)
    for k, shift in enumerate(shifts, 1):
        if np.linalg.norm(shift) < MEETING:
            continue
        passes = [_passes(shift, m, axis) for m, axis in zip(motions, axes, strict=True)]
        if all(passes[:k]):
            start = start.then(shifted(shift))
        elif all(passes[k:]):
            end = shifted(shift).then(end)
        else:
            names = f"{motions[k - 1].name!r} and {motions[k].name!r}"
            away = f"{float(np.linalg.norm(shift)):.3g} m"
            raise ModelError.plain(
                f"joints {names} are {away} apart without a mass between them, expected a mass, or "
                "axes that meet"
            )
    return Folded(start, tuple(motions), tuple(axes), end)


def _passes(shift: Vector, motion: Motion, axis: Vector) -> bool:
    """Whether a shift is the same before and behind a motion."""
    if motion.kind == "translate":
        return True
    beside = float(np.linalg.norm(np.cross(shift, axis)))
    return motion.kind == "rotate" and beside < ALONG * float(np.linalg.norm(axis))


def joint_of(
    name: str,
    chain: Folded,
    A: Callable[[Pose], Frame],
    B: Callable[[Pose], Frame],
    initial: dict[str, Any],
) -> Joint:
    """The joint of a chain; ``A`` and ``B`` make frames at poses after A and before B.

    ``initial`` has coordinates by the names of the motions.
    """
    ends = A(chain.A), B(inverse(chain.end))
    if not chain.motions:
        return Fixed(name, *ends)
    motion = chain.motions[0]
    given = {m.name: initial.get(m.name, m.initial) for m in chain.motions}
    if len(chain.motions) > 1:
        if not all(m.kind in ("rotate", "translate") for m in chain.motions):
            names = ", ".join(repr(m.name) for m in chain.motions)
            raise ModelError.plain(
                f"joints {names} have no mass between them, expected a mass where a joint is more "
                "than an axis"
            )
        pairs: list[Any] = [(m.kind, a) for m, a in zip(chain.motions, chain.axes, strict=True)]
        return General(name, *ends, axes=pairs, initial=list(given.values()))
    if motion.kind == "rotate":
        return Revolute(name, *ends, axis=motion.axis, initial=given[motion.name])
    if motion.kind == "translate":
        return Prismatic(name, *ends, axis=motion.axis, initial=given[motion.name])
    several = {"initial": initial[motion.name]} if motion.name in initial else {}
    if motion.kind == "planar":
        return Planar(name, *ends, normal=motion.axis, **several)
    if motion.kind == "ball":
        return Spherical(name, *ends, **several)
    if motion.start is not None and not several:
        several = {"initial": [*matrix_quaternion(motion.start.R), *motion.start.p]}
    return Free(name, *ends, **several)
