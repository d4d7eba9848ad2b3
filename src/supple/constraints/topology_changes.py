"""Changes of a model at an event: joints that lock, unlock or let go, constraints that let go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from supple.constraints.base import Constraint
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import set_fields
from supple.joints import Joint


@dataclass(frozen=True, init=False)
class Change:
    """Base of what can happen to a joint or constraint at an event: ``Event(..., then=...)``."""

    name: str  # of the joint or constraint

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


@dataclass(frozen=True, init=False)
class Lock(Change):
    """A joint's coordinates are held from then on where they are.

    Parameters
    ----------
    joint : Joint or name
    coordinate : int or str, optional
        Place or name of the only coordinate that is held; by default all of them are.

    Its motion ends by a plastic impact: velocities jump, kinetic energy is lost.
    """

    coordinate: int | str | None

    def __init__(self, joint: Joint | str, coordinate: int | str | None = None) -> None:
        set_fields(self, name=_joint(self, joint), coordinate=coordinate)
        expected = "a place or name of a coordinate"
        if isinstance(coordinate, str):
            validate.text("Lock", "coordinate", coordinate, expected)
        elif coordinate is not None:
            validate.integer("Lock", "coordinate", coordinate, 0, expected)
        if coordinate is not None and isinstance(joint, Joint):
            joint.coordinate_index(coordinate, str(self))


@dataclass(frozen=True, init=False)
class Unlock(Change):
    """A joint that a `Lock` holds moves again; ``joint`` is the joint or its name."""

    def __init__(self, joint: Joint | str) -> None:
        set_fields(self, name=_joint(self, joint))


@dataclass(frozen=True, init=False)
class Release(Change):
    """A joint or constraint lets go, for good; ``item`` is the joint or constraint or its name.

    With a joint go the constraints on its coordinates; what forces do to these moves nothing more.
    """

    def __init__(self, item: Joint | Constraint | str) -> None:
        expected = "a joint, a constraint or the name of one"
        if isinstance(item, (Joint, Constraint)):
            item = item.name
        set_fields(self, name=validate.text("Release", "item", item, expected))


def _joint(change: Change, joint: Any) -> str:
    if not isinstance(joint, (Joint, str)):
        raise ModelError(type(change).__name__, "joint", joint, "a joint or its name")
    return validate.name(type(change).__name__, joint if isinstance(joint, str) else joint.name)


def as_changes(owner: str, field: str, value: Any) -> tuple[Change, ...]:
    """The changes of an event: one of them, or a sequence."""
    many = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    for change in many:
        if not isinstance(change, Change):
            expected = "Lock, Unlock or Release, or a list of these"
            raise ModelError(owner, field, change, expected)
    return tuple(many)
