"""Events: instants of a run to be found exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from supple.constraints.topology_changes import Change, as_changes
from supple.foundation import validate
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame, expect_frame
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import check_joint_reference

Quantity = Literal[
    "coordinate", "rate", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"
]
JOINT_QUANTITIES = ("coordinate", "rate")
FRAME_QUANTITIES = tuple(kind + axis for kind in ("", "v", "w") for axis in "xyz")


@dataclass(frozen=True, eq=False, init=False)
class Event:
    """The instant at which a quantity passes a value; given to ``simulate(events=[...])``.

    Parameters
    ----------
    name : str
        Under which the instant is reported.
    of : Joint, name of a joint, or Frame
        What is watched; a joint is stored by its name.
    quantity : "coordinate" or "rate" of a joint; of a frame "x", "y", "z", "vx", ... or "wx", ...
        Rad or m, rad/s or m/s; in world axes, the position of the frame's origin in m, its velocity
        in m/s, or the angular velocity of the body there in rad/s.
    coordinate : int or str
        Place or name of the joint's coordinate.
    value : float
        The value to pass.
    direction : -1, 0 or 1
        Only while falling, both ways, only while rising.
    terminal : bool, optional
        Whether the run stops there; by default it does, unless ``then`` changes the model.
    at : float, optional
        The instant itself (s), instead of ``of``.
    then : Lock, Unlock, Release, or a sequence of these
        What happens to joints and constraints at that instant; the run goes on.
    """

    name: str
    of: str | Frame | None
    quantity: Quantity
    coordinate: int | str
    value: float
    direction: int
    terminal: bool
    at: float | None
    then: tuple[Change, ...]

    def __init__(
        self,
        name: str,
        of: Joint | str | Frame | None = None,
        quantity: Quantity = "coordinate",
        coordinate: int | str = 0,
        value: float = 0.0,
        direction: int = 0,
        terminal: bool | None = None,
        at: float | None = None,
        then: Change | Sequence[Change] = (),
    ) -> None:
        set_fields(self, name=validate.name("Event", name))
        owner = label(self)
        watched: str | Frame | None
        options: tuple[str, ...]
        if at is not None and of is None:
            watched, options = None, JOINT_QUANTITIES
            at = validate.number(owner, "at", at)
        elif at is not None:
            raise ModelError(owner, "at", at, "either 'at' or 'of', not both")
        elif isinstance(of, Frame):
            watched, options = of, FRAME_QUANTITIES
        elif isinstance(of, (Joint, str)):
            if isinstance(quantity, str) and quantity in FRAME_QUANTITIES:
                expect_frame(owner, "of", of)
            watched, options = check_joint_reference(owner, "of", of, coordinate), JOINT_QUANTITIES
        else:
            raise ModelError(
                owner, "of", of, "a joint, the name of a joint, or a Frame, e.g. link1.at(0, 0, 0)"
            )
        changes = as_changes(owner, "then", then)
        if terminal is None:
            terminal = not changes
        if not isinstance(terminal, bool):
            raise ModelError(owner, "terminal", terminal, "True or False")
        set_fields(
            self,
            of=watched,
            quantity=validate.choice(owner, "quantity", quantity, options),
            coordinate=coordinate,
            value=validate.number(owner, "value", value),
            direction=int(validate.choice(owner, "direction", direction, (-1, 0, 1))),
            terminal=terminal,
            at=at,
            then=changes,
        )

    @property
    def joint(self) -> str | None:
        """Name of the watched joint, None for a frame."""
        return self.of if isinstance(self.of, str) else None

    @property
    def stops(self) -> bool:
        """Whether integration stops there, if only to go on with a changed model."""
        return self.terminal or bool(self.then)

    @property
    def frames(self) -> dict[str, Frame]:
        """The frames it uses, by field."""
        return {"of": self.of} if isinstance(self.of, Frame) else {}
