"""Items with other fields: an item is frozen, so a change makes a new one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from supple.errors import ModelError, label, suggestion
from supple.frames import Body, Frame
from supple.joints import Joint
from supple.poses import Pose

AnyItem = TypeVar("AnyItem")


def changed(item: AnyItem, changes: Mapping[str, Any], bodies: Mapping[str, Body]) -> AnyItem:
    """The item with other fields; ``at`` of a joint is a new place in the world of both frames.

    ``bodies`` are those of the model and the ground, by name.
    """
    fields = [field.name for field in dataclasses.fields(item) if field.name != "name"]  # type: ignore[arg-type]
    known = [*fields, "at"] if isinstance(item, Joint) else fields
    for field in changes:
        if field == "name":
            raise ModelError.plain(f"{label(item)}: the name cannot be replaced")
        if field not in known:
            raise ModelError.plain(
                f"{label(item)}: there is no field {field!r}, {suggestion(field, known)}"
            )
    values = dict(changes)
    if isinstance(item, Joint) and values.get("at") is not None:
        for end in ("A", "B"):
            values.setdefault(end, bodies[getattr(item, end).body.name])
    return dataclasses.replace(item, **values)  # type: ignore[type-var]


def moved(items: Iterable[AnyItem], body: Body) -> list[AnyItem]:
    """The items with frames on a body at places in the world, when the body's own has changed.

    The places in the world stay, other places of the body are found there.
    """
    found = []
    for item in items:
        frames: Mapping[str, Frame] = {} if isinstance(item, Body) else item.frames  # type: ignore[attr-defined]
        new = {
            field: _there(body, frame.world)
            for field, frame in frames.items()
            if frame.body.name == body.name and frame.world is not None
        }
        if new:
            found.append(dataclasses.replace(item, **new))  # type: ignore[type-var]
    return found


def _there(body: Body, world: Pose) -> Frame:
    x, y, z = world.p.tolist()
    return body.at_world(x, y, z, rotation=world.R)
