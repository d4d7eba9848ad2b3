"""Element: what force elements and constraints share, and how they refer to joints."""

from __future__ import annotations

from typing import Any, ClassVar

from supple.foundation import validate
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import declared, named
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.signals import Signal

Target = tuple[str, int | str]
ROUNDED = 1e-9  # of a computed station, in lengths of its beam


@declared(init=False)
class Element:
    """Base of what acts between bodies without being a joint: force elements and constraints.

    It is attached by ``frames`` to places on bodies and by ``targets`` to coordinates of joints,
    and may depend on time by ``signals``.
    """

    name: str = named()
    expected_without_axes: ClassVar[str] = "an element that asks for its place alone"

    @property
    def frames(self) -> dict[str, Frame]:
        """The frames it uses, by field."""
        return {}

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The signals it uses."""
        return ()

    @property
    def targets(self) -> tuple[Target, ...]:
        """Joints (of forces: or motors) it acts on, with the coordinate, by name."""
        return ()

    @cached_property
    def breakpoints(self) -> tuple[float, ...]:
        """Times (s) at which it is not smooth; integrators land on them."""
        return tuple(sorted({t for s in self.signals for t in s.breakpoints()}))

    def needs_axes(self, field: str) -> str:
        """Element that is expected instead where that frame has no axes, as on a cable.

        It is empty if the place of the frame is enough: the element then passes on a force there,
        no torque, and nothing of it is along axes of the frame.
        """
        del field
        return self.expected_without_axes

    def following(self, old: Body, body: Body) -> Element:
        """Itself, or what it becomes where it reaches to the end of a body that has changed."""
        return self

    def _named(self, name: str) -> str:
        set_fields(self, name=validate.name(type(self).__name__, name))
        return label(self)


def same_station(old: Body, body: Body, x: float) -> float:
    """Station (m) of a beam after ``body`` has taken the place of ``old``.

    The end stays the end when the length is another one; other stations keep their numbers.
    """
    before, after = old.line, body.line
    if before is None or after is None or before.length == after.length:
        return x
    return after.length if abs(x - before.length) <= ROUNDED * before.length else x


class Shaft:
    """Marks what has a coordinate that joint elements can act on: motors, sliding joints."""

    name: str


def check_joint_reference(
    owner: str, field: str, joint: Any, coordinate: Any, shafts: bool = False
) -> str:
    """Return the joint's name; with the joint itself at hand its coordinate is checked too.

    With ``shafts`` a motor stands for its own shaft.
    """
    if isinstance(joint, Joint):
        joint.coordinate_index(coordinate, owner)
        return joint.name
    if shafts and isinstance(joint, Shaft):
        return joint.name
    if not isinstance(joint, str) or not joint:
        expected = "a joint, a motor or the name of one" if shafts else "a joint or its name"
        raise ModelError(owner, field, joint, expected)
    return joint
