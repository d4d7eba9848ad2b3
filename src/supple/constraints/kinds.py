"""The kinds of constraints, one row for each: what anything but a kernel asks about them.

How to add one is in CONTRIBUTING.md, "A constraint".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from supple.constraints.base import Constraint
from supple.constraints.couplings import CoordinateConstraint
from supple.constraints.drivers import Driver, FrameDriver
from supple.constraints.points import Distance, PointOnLine, PointOnPlane, SlidingJoint
from supple.constraints.rates import Blade, RateConstraint, SpeedDriver
from supple.constraints.rolling import Rolling
from supple.core.forces import constraint_rows as codes
from supple.foundation.errors import ModelError, label
from supple.joints.motions import ALL_METHODS, WITHOUT_ENERGY, Method

Load = Literal["effort", "tension", ""]


@dataclass(frozen=True)
class LinkKind:
    """Up to six rows of the kernels."""

    code: int  # the link's integer in the kernels
    words: str  # what it does, for sentences
    of_frames: bool  # it acts on the nodes of two frames; else on coordinates
    closes: bool  # it closes joints, whose own coordinates are eliminated with its rows
    # families of integrators that treat it while nothing moves it in time
    methods: frozenset[Method]
    driven: frozenset[Method]  # families that treat it where a signal moves it


LINKS: dict[int, LinkKind] = {
    kind.code: kind
    for kind in (
        LinkKind(codes.JOIN, "joins two frames", True, True, ALL_METHODS, frozenset()),
        LinkKind(codes.DISTANCE, "keeps a distance", True, False, ALL_METHODS, WITHOUT_ENERGY),
        LinkKind(
            codes.LINEAR, "relates or drives coordinates", False, False, WITHOUT_ENERGY,
            WITHOUT_ENERGY,
        ),
        LinkKind(
            codes.BLADE, "holds a velocity alone", True, False, WITHOUT_ENERGY, frozenset()
        ),
        LinkKind(codes.ROLL, "rolls", True, False, WITHOUT_ENERGY, frozenset()),
    )
}  # fmt: skip


@dataclass(frozen=True)
class ConstraintKind:
    """A class of constraints, with those derived from it that have no row of their own."""

    cls: type[Constraint]
    links: tuple[int, ...]  # codes of the rows that it is compiled to
    drives: bool = False  # it gives a motion, so that its work is of interest
    # what the load of its only row is called in a dataset; empty if it has no entry
    load: Load = ""


CONSTRAINTS: dict[type[Constraint], ConstraintKind] = {
    kind.cls: kind
    for kind in (
        ConstraintKind(CoordinateConstraint, (codes.LINEAR,)),
        ConstraintKind(Driver, (codes.LINEAR,), drives=True, load="effort"),
        ConstraintKind(RateConstraint, (codes.LINEAR,), drives=True),
        ConstraintKind(SpeedDriver, (codes.LINEAR,), drives=True, load="effort"),
        ConstraintKind(Blade, (codes.BLADE,)),
        ConstraintKind(Rolling, (codes.ROLL,)),
        ConstraintKind(Distance, (codes.DISTANCE,), load="tension"),
        ConstraintKind(PointOnLine, (codes.JOIN,)),
        ConstraintKind(PointOnPlane, (codes.JOIN,)),
        ConstraintKind(SlidingJoint, (codes.JOIN,)),
        ConstraintKind(FrameDriver, (codes.JOIN, codes.LINEAR), drives=True),
    )
}


def constraint_kind(item: Constraint) -> ConstraintKind:
    """The row of a constraint: of its class, or of the nearest one it is derived from."""
    found = next((CONSTRAINTS[cls] for cls in type(item).__mro__ if cls in CONSTRAINTS), None)
    if found is None:
        known = ", ".join(cls.__name__ for cls in CONSTRAINTS)
        raise ModelError(label(item), "type", type(item), f"one of {known}, or derived from one")
    return found
