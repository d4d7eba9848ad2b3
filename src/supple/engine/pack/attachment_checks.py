"""Refuses what would apply a moment to a cable, or use axes of its places.

A cable passes on forces, no moments: nothing would resist them, and no result would show that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from supple.foundation.errors import ModelError, label

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_body import ANCFBody
    from supple.engine.pack.builder import Builder
    from supple.foundation.frames import Body, Frame


def has_axes(b: Builder, frame: Frame) -> bool:
    """True if a frame has axes that turn with its body, which has been added."""
    record = b.gradient.get(frame.body.name)
    return record is None or record.mesh.turns(cast("ANCFBody", record.body).node(frame))


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
