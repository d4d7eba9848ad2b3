"""Forces on a joint of a robot file: rotor, spring, friction, damping, stops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from supple.forces import ForceElement, JointFriction, JointSpring, JointStop, Motor
from supple.io.robots.description import Motion
from supple.joints import Joint


def forces_on(
    motion: Motion,
    joint: Joint,
    coordinate: int,
    name: Callable[[str], str],
    stops: float | None,
) -> Iterator[ForceElement]:
    """The force elements of a motion, which is a coordinate of a joint of the model.

    ``name`` makes a name of what an element is; ``stops`` is the stiffness of stops, if any.
    """
    if motion.kind not in ("rotate", "translate"):
        return
    k = coordinate
    if motion.armature > 0.0:
        yield Motor(name("rotor"), joint, motion.armature, coordinate=k)
    if motion.stiffness > 0.0:
        yield JointSpring(name("spring"), joint, motion.stiffness, rest=motion.rest, coordinate=k)
    if motion.friction > 0.0:
        yield JointFriction(name("friction"), joint, motion.friction, motion.damping, coordinate=k)
    elif motion.damping > 0.0:
        yield JointSpring(name("damping"), joint, damping=motion.damping, coordinate=k)
    lower, upper = motion.limits.lower, motion.limits.upper
    if stops is not None and lower < upper and (math.isfinite(lower) or math.isfinite(upper)):
        yield JointStop(name("stop"), joint, lower, upper, stops, coordinate=k)
