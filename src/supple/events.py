"""Events: instants of a run to be found exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from supple.constraints.topology_changes import Change, as_changes
from supple.forces import Contact, ForceElement, Tyre
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, named, number
from supple.foundation.frames import Frame, expect_frame
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import check_joint_reference

Quantity = Literal["coordinate", "rate", "gap", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"]
JOINT_QUANTITIES: tuple[str, ...] = ("coordinate", "rate")
CONTACT_QUANTITIES = ("gap",)
FRAME_QUANTITIES = tuple(kind + axis for kind in ("", "v", "w") for axis in "xyz")


def contacts_among(forces: Mapping[str, ForceElement]) -> list[str]:
    """Names of each `Contact` and `Tyre` whose gap can be watched; that of two lines cannot."""
    lines = {n for n, force in forces.items() if isinstance(force, Contact) and force.lines}
    known = (n for n, force in forces.items() if isinstance(force, (Contact, Tyre)))
    return [n for n in known if n not in lines]


@declared
class Event:
    """The instant at which a quantity passes a value; given to ``simulate(events=[...])``.

    Parameters
    ----------
    name : str
        Under which the instant is reported.
    of : Joint, Contact, Tyre, name of one of them, or Frame
        What is watched; a joint or contact is stored by its name.
    quantity : "coordinate" or "rate" of a joint; "gap" of a contact; "x", "vx", "wx" ... of a frame
        Rad or m, rad/s or m/s; the least distance of both shapes in m, negative where they overlap;
        in world axes, the position of the frame's origin in m, its velocity in m/s, or the angular
        velocity of the body there in rad/s.
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

    name: str = named()
    of: Given[Joint | Contact | Tyre | str | Frame | None, str | Frame | None] = given(default=None)
    quantity: Quantity = given(default="coordinate")
    coordinate: int | str = given(default=0)
    value: float = number("rad or m or rad/s or m/s", default=0.0)
    direction: int = checked(validate.choice, default=0, options=(-1, 0, 1))
    terminal: Given[bool | None, bool] = checked(validate.flag, default=None)
    at: float | None = number("s", default=None)
    then: Given[Change | Sequence[Change], tuple[Change, ...]] = checked(as_changes, default=())

    def _check(self, owner: str) -> None:
        of, options = cast("Any", self.of), JOINT_QUANTITIES
        if self.at is not None and of is not None:
            raise ModelError(owner, "at", self.at, "either 'at' or 'of', not both")
        gap = isinstance(of, str) and isinstance(self.quantity, str) and self.quantity == "gap"
        if isinstance(of, Frame):
            options = FRAME_QUANTITIES
        elif isinstance(of, (Contact, Tyre)) or gap:
            options, of = CONTACT_QUANTITIES, of.name if isinstance(of, (Contact, Tyre)) else of
        elif isinstance(of, (Joint, str)):
            if isinstance(self.quantity, str) and self.quantity in FRAME_QUANTITIES:
                expect_frame(owner, "of", of)
            of = check_joint_reference(owner, "of", of, self.coordinate)
        elif self.at is None:
            expected = "a joint or Contact, its name, or a Frame, e.g. link1.at(0, 0, 0)"
            raise ModelError(owner, "of", of, expected)
        validate.choice(owner, "quantity", self.quantity, options)
        terminal = cast("bool | None", self.terminal)
        set_fields(
            self,
            of=of,
            direction=int(self.direction),
            terminal=not self.then if terminal is None else terminal,
        )

    @property
    def joint(self) -> str | None:
        """Name of the watched joint, if it is one."""
        return self.of if isinstance(self.of, str) and self.quantity != "gap" else None

    @property
    def contact(self) -> str | None:
        """Name of the watched contact, if it is one."""
        return self.of if isinstance(self.of, str) and self.quantity == "gap" else None

    @property
    def stops(self) -> bool:
        """True if integration stops there, if only to go on with a changed model."""
        return self.terminal or bool(self.then)

    @property
    def frames(self) -> dict[str, Frame]:
        """The frames it uses, by field."""
        return {"of": self.of} if isinstance(self.of, Frame) else {}
