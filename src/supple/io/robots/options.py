"""Options of readers of robot files: base, replaced links, closed loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.rigid import Ground
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.frames import Body, Frame, expect_frame
from supple.foundation.poses import IDENTITY, Pose
from supple.io.robots.description import ClosureKind, Description
from supple.model import Model

Base = Literal["fixed", "floating"]
CLOSURES = ("spherical", "revolute", "fixed")
CLOSE = "(link, link), (link, link, kind) or (link, link, 'revolute', axis)"


class Loop:
    """A loop that is closed by a name: two links or frames, the kind of joint and its axis."""

    def __init__(self, owner: str, name: str, given: Any) -> None:
        field = f"close[{name!r}]"
        if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= 4:
            raise ModelError(owner, field, given, CLOSE)
        self.name = validate.name(owner, name)
        self.links = tuple(validate.text(owner, field, link, CLOSE) for link in given[:2])
        kind = given[2] if len(given) > 2 else "spherical"
        self.kind = cast(ClosureKind, validate.choice(owner, field, kind, CLOSURES))
        self.axis: Vector | str = "z"
        if len(given) == 4:
            self.axis = validate.axis(owner, field, given[3])
            if self.kind != "revolute":
                raise ModelError(owner, field, given, "an axis of a revolute joint only")


@dataclass(frozen=True, eq=False)
class Options:
    """Checked options of a reader."""

    owner: str
    gravity: Vector | None
    base: Base
    origin: Pose
    initial: dict[str, Any] | str
    replace: dict[str, Body]
    close: tuple[Loop, ...]
    stops: float | None
    into: Model | None
    on: Frame | None
    prefix: str

    @classmethod
    def of(
        cls,
        owner: str,
        gravity: ArrayLike | None,
        base: Any,
        position: ArrayLike,
        rotation: ArrayLike | None,
        initial: Any,
        replace: Any,
        close: Any,
        stops: Any,
        into: Any,
        on: Any,
        prefix: Any,
    ) -> Options:
        """The options, or a sentence about the one that is wrong."""
        place = validate.vector(owner, "position", position)
        turn = validate.rotation(owner, "rotation", rotation)
        bodies = _mapping(owner, "replace", replace, "bodies by the names of links")
        for link, body in bodies.items():
            if not isinstance(body, Body) or isinstance(body, Ground):
                raise ModelError(owner, f"replace[{link!r}]", body, "a body, e.g. Beam(...)")
        loops = _mapping(owner, "close", close, "links to connect, by the name of the joint")
        return cls(
            owner,
            None if gravity is None else validate.vector(owner, "gravity", gravity),
            validate.choice(owner, "base", base, ("fixed", "floating")),
            Pose(turn, place),
            initial
            if isinstance(initial, str)
            else _mapping(owner, "initial", initial, "coordinates by the names of joints"),
            bodies,
            tuple(Loop(owner, name, given) for name, given in loops.items()),
            None if stops is None else validate.positive(owner, "stops", stops),
            *_where(owner, gravity, into, on, prefix),
        )

    def start(self, found: Description) -> dict[str, Any]:
        """Initial coordinates by joint: as given, or those of a keyframe of the file."""
        if not isinstance(self.initial, str):
            return self.initial
        if self.initial not in found.keyframes:
            near = suggestion(self.initial, list(found.keyframes))
            expected = f"coordinates by joint, or the name of a keyframe ({near})"
            raise ModelError(self.owner, "initial", self.initial, expected)
        return found.keyframes[self.initial]

    @property
    def placed(self) -> bool:
        """True if the root has a place of its own."""
        return bool(np.any(self.origin.p)) or not np.array_equal(self.origin.R, IDENTITY.R)

    def check(self, found: Description, joints: list[str]) -> None:
        """Refuse names of links and joints that the file does not have."""
        for link in self.replace:
            if link not in found.links:
                near = suggestion(link, list(found.links))
                raise ModelError(self.owner, "replace", link, f"the name of a link ({near})")
        for joint in () if isinstance(self.initial, str) else self.initial:
            if joint not in joints:
                near = suggestion(joint, joints)
                raise ModelError(self.owner, "initial", joint, f"the name of a joint ({near})")
        known = [*found.links, *found.frames]
        for loop in self.close:
            for link in loop.links:
                if link not in known:
                    near = suggestion(link, known)
                    field, expected = f"close[{loop.name!r}]", f"the name of a link ({near})"
                    raise ModelError(self.owner, field, link, expected)


def _where(
    owner: str, gravity: Any, into: Any, on: Any, prefix: Any
) -> tuple[Model | None, Frame | None, str]:
    """The model that a robot is added to, where it stands there, and how its names begin."""
    if into is not None and not isinstance(into, Model):
        raise ModelError(owner, "into", into, "a Model")
    if into is not None and gravity is not None:
        raise ModelError(owner, "gravity", gravity, "left out: the model has its own")
    if on is not None:
        expect_frame(owner, "on", on)
        if into is None or on.body.name not in into:
            raise ModelError(owner, "on", on, "a frame on a body of the model `into`")
    if not isinstance(prefix, str) or any(c in prefix for c in validate.NAME_SEPARATORS):
        raise ModelError(owner, "prefix", prefix, "a text without '.', '/' and '@'")
    return into, on, prefix


def _mapping(owner: str, field: str, value: Any, expected: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ModelError(owner, field, value, expected)
    return dict(value)
