"""Base of bodies in segments of beams, as the engine computes with them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from supple.bodies.base.reduced import ReducedBody
from supple.foundation.arrays import Vector
from supple.foundation.frames import Body, Discretisation, Frame, LoadPath, Touched
from supple.foundation.poses import Pose
from supple.foundation.validate import set_fields


class SegmentedBody(Body):
    """A body of welded beam segments, made from a body of the model: its ``description``.

    Questions that do not depend on the segments are answered by the description.
    """

    discretisation: ClassVar[Discretisation] = "segments"

    description: ReducedBody

    def __init__(self, description: ReducedBody) -> None:
        set_fields(self, name=description.name, description=description)
        set_fields(self, position=description.position, rotation=description.rotation)

    def __getattr__(self, name: str) -> Any:
        """Fields and answers of the description, e.g. ``length`` or ``materials``."""
        if name == "description" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.description, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self.part_bodies)} parts>"

    @property
    def kind_name(self) -> str:
        """Kind of the description, for sentences."""
        return type(self.description).__name__

    @property
    @abstractmethod
    def part_chains(self) -> tuple[SegmentedBody, ...]:
        """Segmented beams that it consists of."""

    @property
    @abstractmethod
    def shown_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for the places whose deflections are watched."""

    @abstractmethod
    def load_paths(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Ways of loads through its segments between places that are held."""

    @abstractmethod
    def overhangs(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Ways along its segments to ends on which nothing acts."""

    @property
    def divides(self) -> bool:
        """True: segments depend on the places that a model uses."""
        return True

    @property
    def carries_own_frame(self) -> bool:
        """True if its own frame is fixed to its material at the origin."""
        return self.description.carries_own_frame

    @property
    def typical_length(self) -> float:
        """Typical length of the description, m."""
        return self.description.typical_length

    @property
    def telling_place(self) -> tuple[float, ...] | None:
        """Arguments of ``at`` for the place whose deflection tells most."""
        return self.description.telling_place

    @property
    def spread_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for a few places all over the body."""
        return self.description.spread_places

    def at(self, *place: Any, **where: Any) -> Frame:
        """Return the frame of the description at a place."""
        return self.description.at(*place, **where)

    def nearest(self, point: Vector) -> Vector:
        """Return the place (3,) m that has frames and is nearest to a point."""
        return self.description.nearest(point)

    def rest_pose(self, place: Vector) -> Pose:
        """Pose of a place of ``at`` without load."""
        return self.description.rest_pose(place)

    def rigid_fields(self) -> dict[str, Any]:
        """Fields of the description when it is rigid."""
        return self.description.rigid_fields()

    def usual_values(self, field: str) -> Sequence[Any]:
        """Values of a field of the description from coarse to fine."""
        return self.description.usual_values(field)

    def suspicion(self) -> str | None:
        """Sentence about strange numbers of the description, or None."""
        return self.description.suspicion()

    def hint(self) -> str | None:
        """Sentence about unusual numbers of the description, or None."""
        return self.description.hint()
