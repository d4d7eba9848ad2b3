"""Attachments to bodies: point masses, places where something acts, frames that need axes.

What would apply a moment to a cable, or use axes of its places, is refused: a cable passes on
forces, no moments: nothing would resist them, and no result would show that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from supple.forces.kinds import force_kind
from supple.foundation.errors import ModelError, label

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.engine.pack.builder import Builder
    from supple.foundation.frames import Body, Frame
    from supple.model import Model


def attached_masses(model: Model, body: FlexibleBody) -> tuple[tuple[float, float], ...]:
    """Places and masses (kg) of the point masses on a flexible body, or flexible part of a body.

    Where displacements of second order or shapes for what is attached are asked for, the places of
    joints, constraints, forces and welds to other parts follow with a mass of zero. Frames of
    events and result views are not among them: what is only looked at must not change the motion
    (`FlexibleBody.shown`).
    """
    bodies = model.bodies

    def places(frames: Iterable[Frame]) -> Iterator[float]:
        for frame in frames:
            owner = bodies.get(frame.body.name)
            part = frame if owner is None else owner.on_part(frame)
            if part.body.name == body.name:
                yield body.station(part)

    points = model.point_masses.values()
    masses = [(place, p.mass) for p in points for place in places([p.frame])]
    if body.uses_places:
        forces = [f for f in model.forces.values() if force_kind(f).at_frames]
        frames = [joint.frames for joint in model.joints.values()]
        frames += [force.frames for force in forces]
        frames += [constraint.frames for constraint in model.constraints.values()]
        used = {place for some in frames for place in places(some.values())}
        for owner in bodies.values():
            used |= {place for weld in owner.welds for place in places(weld)}
            used |= {place for weld in owner.loop_welds for place in places(weld[1:])}
        masses += [(place, 0.0) for place in sorted(used - {place for place, _ in masses})]
    return tuple(masses)


def has_axes(b: Builder, frame: Frame) -> bool:
    """True if a frame has axes that turn with its body, which has been added."""
    record = b.gradient.get(frame.body.name)
    return record is None or record.turns(frame)


def refuse_axes(b: Builder, body: Body) -> None:
    """Refuse joints, constraints and forces that need axes at frames of a body without any."""
    groups = b.model.joints, b.model.constraints, b.model.forces
    for item in (item for group in groups for item in group.values()):
        for field, frame in item.frames.items():
            if frame.body.name != body.name or has_axes(b, frame):
                continue
            if expected := item.needs_axes(field):
                raise ModelError.plain(
                    f"{label(item)}: {field} is on {label(body)}, whose places have no axes that "
                    f"turn with it, expected {expected}"
                )
