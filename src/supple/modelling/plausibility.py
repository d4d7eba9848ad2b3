"""Plausibility checks of a model, mainly for wrong units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from supple.forces import JointSpring, JointStop
from supple.foundation.errors import label
from supple.foundation.units import degrees_sentence
from supple.joints import Joint

if TYPE_CHECKING:
    from supple.model import Model

GRAVITY = (9500.0, 10100.0)  # m/s2 if it is given in mm/s2


class Suspicion(NamedTuple):
    """A sentence about an item; ``sure`` if it is worth a warning before a run.

    ``name`` is that of the item, "" for the model itself; repeated only when ``item`` is replaced.
    """

    name: str
    item: Any
    sentence: str
    sure: bool


def suspicions(model: Model, hints: bool = True) -> Iterator[Suspicion]:
    """Everything strange about the items of a model and its gravity.

    Without ``hints`` bodies are asked only what is worth a warning before a run.
    """
    strength = math.hypot(*model.gravity)
    if GRAVITY[0] <= strength <= GRAVITY[1]:
        text = f"gravity is {strength:g} m/s2, expected 9.81 if lengths are in m"
        yield Suspicion("", model.gravity, f"{label(model)}: {text}", True)
    for body in model.bodies.values():
        sentence = body.suspicion()
        if sentence is not None:
            yield Suspicion(body.name, model[body.name], sentence, True)
        elif hints and (sentence := body.hint()) is not None:
            yield Suspicion(body.name, model[body.name], sentence, False)
    for joint in model.joints.values():
        initial = joint.initial.tolist()
        if not any(initial):
            continue
        pairs = zip(initial, joint.units, strict=True)
        turns = [x for x, unit in pairs if unit == "rad"]
        sentence = degrees_sentence("initial", turns)
        if sentence is not None:
            yield Suspicion(joint.name, joint, f"{label(joint)}: {sentence}", True)
    for force in model.forces.values():
        if isinstance(force, (JointSpring, JointStop)):
            sentence = _limits(model, force)
            if sentence is not None:
                yield Suspicion(force.name, force, f"{label(force)}: {sentence}", True)


def _limits(model: Model, force: JointSpring | JointStop) -> str | None:
    """Rest or limits of an element on a coordinate that turns."""
    joint = model.joints.get(force.joint)
    if not isinstance(joint, Joint):
        return None
    if joint.units[joint.coordinate_index(force.coordinate, label(force))] != "rad":
        return None
    if isinstance(force, JointSpring):
        return degrees_sentence("rest", [force.rest])
    finite = [x for x in (force.lower, force.upper) if math.isfinite(x)]
    return degrees_sentence("lower, upper" if len(finite) > 1 else "its limit", finite)
