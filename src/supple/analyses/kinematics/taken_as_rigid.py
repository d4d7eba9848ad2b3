"""Models whose flexible bodies are taken as rigid: which they are, and what they become."""

from __future__ import annotations

from typing import Any

from supple.bodies.base.elastic import bends
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body
from supple.model import Model


def deforming(model: Model) -> list[Body]:
    """Bodies of a model that deform: those with elastic coordinates."""
    return [body for body in model.bodies.values() if bends(body)]


def rigid(owner: str, model: Model) -> Model:
    """The model with rigid bodies only; itself if no body deforms."""
    changes: dict[str, dict[str, Any]] = {}
    for body in deforming(model):
        fields = body.rigid_fields()
        if not fields:
            raise ModelError.plain(
                f"{owner}: bodies is 'rigid', but {label(body)} cannot be taken as rigid, expected "
                "a RigidBody in its place"
            )
        changes[body.name] = fields
    if not changes:
        return model
    stiff = model.copy()
    for name, fields in changes.items():
        stiff.replace(name, **fields)
    return stiff
