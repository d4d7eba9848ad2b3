"""Point masses on a flexible body, and places where joints, forces or constraints act on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.forces.kinds import force_kind

if TYPE_CHECKING:
    from supple.bodies.flexible import FlexibleBody
    from supple.model import Model


def attached_masses(model: Model, body: FlexibleBody) -> tuple[tuple[float, float], ...]:
    """Places and masses (kg) of the point masses on a body of a model.

    Where displacements of second order are asked for, the places of joints, constraints and forces
    follow with a mass of zero. Frames of events and result views are not among them: what is only
    looked at must not change the motion.
    """
    points = model.point_masses.values()
    found = [(body.station(p.frame), p.mass) for p in points if p.frame.body.name == body.name]
    if body.second_order:
        forces = [f for f in model.forces.values() if force_kind(f).at_frames]
        used = [joint.frames for joint in model.joints.values()]
        used += [force.frames for force in forces]
        used += [constraint.frames for constraint in model.constraints.values()]
        places = {
            body.station(frame)
            for frames in used
            for frame in frames.values()
            if frame.body.name == body.name
        }
        found += [(place, 0.0) for place in sorted(places - {place for place, _ in found})]
    return tuple(found)
