"""Choices of geometric stiffening: the effect of a deflection on the stiffness of a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from supple.foundation import validate
from supple.foundation.errors import ModelError

StiffeningName = Literal["none", "axial", "von_karman", "second_order"]
NAMES = get_args(StiffeningName)
EXPECTED = (
    "'none', 'axial', 'von_karman', 'second_order', Axial(...), VonKarman(...) or SecondOrder()"
)


@dataclass(frozen=True)
class Axial:
    """Axial force stiffens bending, and bending does not act back: no energy belongs to it.

    What it creates or takes is in ``result.energy.created``.

    Parameters
    ----------
    quadratic : bool
        Whether the force includes the stretch of the deflected axis, (v'^2 + w'^2)/2, beside that
        of axial displacements. On an axial basis of low order this locks.
    """

    quadratic: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.quadratic, bool):
            raise ModelError("Axial", "quadratic", self.quadratic, "True or False")


@dataclass(frozen=True)
class VonKarman:
    """Membrane energy of the strain u' + (v'^2 + w'^2)/2; conservative.

    Parameters
    ----------
    membrane : "average" or "pointwise"
        The strain's average over an element (of assumed shapes: over the beam), or its value at
        each point, which locks where axial displacements are linear.
    """

    membrane: Literal["average", "pointwise"] = "average"

    def __post_init__(self) -> None:
        validate.choice("VonKarman", "membrane", self.membrane, ("average", "pointwise"))


@dataclass(frozen=True)
class SecondOrder:
    """Displacements of second order in the elastic coordinates; conservative, recommended.

    Parameters
    ----------
    twist : bool
        Off: a deflected beam shortens. On: what bends and twists together also moves aside, which
        lateral buckling needs, and beams in parts for large deflections about both axes; this
        takes more shapes. Structures of several beams that are one body always have it, assumed
        shapes never.
    """

    twist: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.twist, bool):
            raise ModelError("SecondOrder", "twist", self.twist, "True or False")


Stiffening = Axial | VonKarman | SecondOrder | None


def stiffening_choice(owner: str, value: Any) -> Stiffening:
    """Return the stiffening that a body's field names; None for "none"."""
    if value is None or isinstance(value, (Axial, VonKarman, SecondOrder)):
        return value
    if isinstance(value, str) and value in NAMES:
        made: dict[str, Stiffening] = {
            "none": None,
            "axial": Axial(),
            "von_karman": VonKarman(),
            "second_order": SecondOrder(),
        }
        return made[value]
    raise ModelError(owner, "stiffening", value, EXPECTED)
