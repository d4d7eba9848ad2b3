"""Constraints of velocities alone: given rates, couplings of rates, edges that do not slip aside.

They hold ``A(q) u + b(t) = 0`` and nothing else: no position follows from them, and places that a
body cannot reach in a straight way it reaches in a roundabout one. See docs/theory.md, "Velocities
alone".
"""

from __future__ import annotations

from collections.abc import Sequence

from supple.constraints.base import FrameConstraint
from supple.constraints.couplings import (
    CoordinateConstraint,
    GivenTerm,
    OneCoordinate,
    Term,
    joint_terms,
)
from supple.constraints.smooth import refuse_jumps, steady_signal
from supple.foundation.arrays import Vector
from supple.foundation.errors import label
from supple.foundation.fields import Given, checked, declared, given, unit_vector
from supple.foundation.validate import Axis
from supple.joints import Joint
from supple.signals import Signal, SignalLike


class RateConstraint(CoordinateConstraint):
    """Base of the constraints that a sum of ``coefficient * rate`` equals ``rate``.

    Each has ``terms``, tuples (name of the joint, coordinate, coefficient), and ``rate``, a signal.
    """

    rate: Given[SignalLike, Signal]

    @property
    def value(self) -> Signal:
        """The rate."""
        return self.rate

    @property
    def signal_fields(self) -> dict[str, Signal]:
        """The rate."""
        return {"rate": self.rate}

    def check_run(self, begin: float, end: float) -> None:
        """Refuse a rate that jumps within a run from ``begin`` to ``end`` (s)."""
        refuse_jumps(label(self), "rate", self.rate, begin, end, ("value",))


@declared
class SpeedDriver(OneCoordinate, RateConstraint):
    """The rate of a joint coordinate is given, whatever effort it takes; its place follows.

    Parameters
    ----------
    name : str
        Unique in its model.
    joint : joint or its name
        Whose coordinate it drives.
    rate : number, expression or signal
        In rad/s or m/s. It must not jump; its slope may.
    coordinate : int or str
        Place or name of the coordinate.
    """

    joint: Given[Joint | str, str] = given()
    rate: Given[SignalLike, Signal] = checked(steady_signal, "rad/s or m/s")
    coordinate: int | str = given(default=0)


@declared
class RateCoupling(RateConstraint):
    """A sum of ``coefficient * rate`` of joint coordinates equals ``rate``.

    A differential couples three shafts so. Where all positions are to follow as well, a `Coupling`
    holds these.

    Parameters
    ----------
    name : str
        Unique in its model.
    terms : sequence
        Entries (joint, coefficient) or (joint, coordinate, coefficient): a joint or its name, the
        place or name of its coordinate (0 by default), and a number that is not zero.
    rate : number, expression or signal
        In the unit of the sum, which must not jump; its slope may.
    """

    terms: Given[Sequence[GivenTerm], tuple[Term, ...]] = checked(joint_terms)
    rate: Given[SignalLike, Signal] = checked(steady_signal, "rad/s or m/s", default=0.0)


@declared
class Blade(FrameConstraint):
    """The origin of B does not move along ``axis``, given in B's axes, relative to A's body.

    A skate, a knife edge, a keel: along its edge it slides freely, and it turns freely. Where B is
    does not matter, nor does the place of A on its body.
    """

    axis: Given[Axis, Vector] = unit_vector(default="y")
