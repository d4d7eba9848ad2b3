"""Events that end a run where a point that slides along a body comes to an end of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from supple.constraints import SlidingJoint
from supple.engine.base.compiled import Compiled
from supple.events import Event
from supple.foundation.errors import label
from supple.foundation.validate import set_fields

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.model import Model

BEYOND = 1e-9  # of the length: a point may begin at an end


class LineEnd(Event):
    """The instant at which a sliding joint reaches an end of its line.

    ``sentence`` says why a run ends there.
    """

    slider: str
    sentence: str

    def __init__(self, slider: SlidingJoint, length: float, last: bool) -> None:
        end, sign, word = (length, 1, "end") if last else (0.0, -1, "start")
        value = end + sign * BEYOND * length
        super().__init__(f"{slider.name} {word}", slider.A, "x", value=value, direction=sign)
        sentence = f"{label(slider)} has come to the {word} of {label(slider.A.body)}"
        set_fields(self, slider=slider.name, sentence=f"{sentence}, at {end:g} m")

    def place(self, c: Compiled) -> tuple[int, int]:
        """Places in q and u of what it watches."""
        return c.shaft(self.slider, 0)[:2]


def line_ends(model: Model) -> tuple[LineEnd, ...]:
    """Both ends of the lines of all sliding joints."""
    ends = []
    for item in model.constraints.values():
        if isinstance(item, SlidingJoint):
            length = cast("ANCFLine", item.A.body).length
            ends += [LineEnd(item, length, last) for last in (False, True)]
    return tuple(ends)
