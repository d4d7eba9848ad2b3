"""Bodies with an axis: their places are stations along it, arc lengths from their origin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.centre_line import (
    CentreLine,
    CentreLineChoice,
    Twist,
    centre_line,
    given_line,
    given_twist,
)
from supple.bodies.base.flexible import beam_hint, beam_suspicion
from supple.fem.base.material import Material
from supple.fem.sections.sections import Profile
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body, Frame, TouchingPlace
from supple.foundation.poses import Pose
from supple.foundation.units import degrees_sentence
from supple.foundation.validate import read_only, set_fields

# Rounding of a computed station, in lengths of the body.
STATION_TOLERANCE = 1e-9
PARTS = "a number of parts, e.g. 8, or ascending stations between 0 and the length"


class AxisBody(Body):
    """A body along an axis as it is before it deforms: mass, stations, shape, strange numbers."""

    length: float
    section: Profile
    material: Material
    first_y: Vector
    roll: float = 0.0
    twist: Twist = None
    centre_line: CentreLineChoice = None
    elements: int
    parts: int | tuple[float, ...] | None = None
    rest_line: CentreLine | None = None  # of its sections without load, if it is not straight

    is_beam: ClassVar[bool] = True

    @property
    def mass(self) -> float:
        """Mass of the beam itself, kg, without point masses on it."""
        return self.material.density * self.section.mean_area * self.length

    def suspicion(self) -> str | None:
        """A roll or twist in degrees, a material or sizes in other units than SI."""
        for field in ("roll", "twist"):
            angle = getattr(self, field)
            sentence = degrees_sentence(field, [angle]) if isinstance(angle, float) else None
            if sentence is not None:
                return f"{label(self)}: {sentence}"
        return beam_suspicion(self, self.materials, self.mass)

    @property
    def materials(self) -> tuple[Material, ...]:
        """The material of the body."""
        return (self.material,)

    @property
    def typical_length(self) -> float:
        """Length of the axis, m."""
        return self.length

    def hint(self) -> str | None:
        """Moduli that no isotropic material has."""
        return beam_hint(self, self.materials)

    def at(
        self, x: float, y: float = 0.0, z: float = 0.0, rotation: ArrayLike | None = None
    ) -> Frame:
        """Return the frame at the station x (m, from 0 to the length) on the axis.

        ``rotation`` turns the frame's axes relative to the body's, as for a rigid body. ``y`` and
        ``z`` are zero: only the axis has places.
        """
        owner = label(self)
        for axis, value in (("y", y), ("z", z)):
            if validate.number(owner, f"{axis} of at(x)", value) != 0.0:
                raise ModelError(
                    owner, f"{axis} of at(x)", value, "0, because a station is on the axis"
                )
        return Frame(self, (self._station("x of at(x)", x), 0.0, 0.0), rotation)

    def station(self, frame: Frame) -> float:
        """Return the station (m) of a frame on this beam; refuse a frame beside the axis."""
        x, y, z = frame.position
        if y != 0.0 or z != 0.0:
            raise ModelError(
                label(self), "place of a frame", frame.position, "a point (x, 0, 0) of its axis"
            )
        return self._station("x of a frame", float(x))

    def nearest(self, point: Vector) -> Vector:
        """Return the place (station, 0, 0) m of the axis that is nearest to a point."""
        line = self.rest_line
        along = min(max(float(point[0]), 0.0), self.length) if line is None else line.nearest(point)
        return read_only((along, 0.0, 0.0))

    @property
    def element_count(self) -> int:
        """Number of its elements, or of segments if it is in some."""
        if self.parts is None:
            return self.elements
        return self.parts if isinstance(self.parts, int) else len(self.parts) + 1

    def touching_line(self, points: int | None) -> tuple[TouchingPlace, ...]:
        """Places at equal distances from end to end, by default two for each element, and one."""
        cells = 2 * self.element_count if points is None else points - 1
        shares = np.full(cells + 1, self.length / cells)
        shares[[0, -1]] *= 0.5
        stations = np.linspace(0.0, self.length, cells + 1)
        found = zip(stations.tolist(), shares.tolist(), strict=True)
        return tuple(TouchingPlace(read_only((x, 0.0, 0.0)), share) for x, share in found)

    def rest_pose(self, place: Vector) -> Pose:
        """Place and axes of the section at (station, 0, 0) m in the undeformed beam."""
        line = self.rest_line
        return super().rest_pose(place) if line is None else line.own_pose(float(place[0]))

    @property
    def has_sections(self) -> bool:
        """True if its sections have axes across it, as those of beams have."""
        return True

    @property
    def curved(self) -> bool:
        """True if it is curved or twisted without load."""
        return self.centre_line is not None or self.twist is not None

    def _give_line(self, length: Any, twist: Any, line: Any, first_y: Any) -> None:
        """Check and keep the length, and what the shape without load is beside straight."""
        owner = label(self)
        if line is None:
            length = validate.positive(owner, "length", length)
        else:
            line, length = given_line(owner, line, length)
        if twist is not None:
            twist = given_twist(owner, twist, length)
        first = read_only(validate.axis(owner, "first_y", first_y))
        set_fields(self, length=length, centre_line=line, twist=twist, first_y=first)
        if self.curved:
            set_fields(self, rest_line=centre_line(owner, length, line, first, twist))
        elif np.any(first != validate.AXES["y"]):
            expected = "(0, 1, 0) of a straight beam, whose section is turned by roll"
            raise ModelError(owner, "first_y", first, expected)

    def _station(self, field: str, x: Any) -> float:
        """A station (m) within the beam; others are refused by the name of the field."""
        if isinstance(x, float) and 0.0 <= x <= self.length:
            return float(x)
        expected = f"a station from 0 to {self.length:g}"
        found = validate.number(label(self), field, x, expected)
        slack = STATION_TOLERANCE * self.length
        if not -slack <= found <= self.length + slack:
            raise ModelError(label(self), field, found, expected)
        return min(max(found, 0.0), self.length)

    def inner_stations(self, frames: Iterable[Frame]) -> tuple[float, ...]:
        """Ascending stations (m) of some frames between the ends of the beam, each once."""
        slack = STATION_TOLERANCE * self.length
        used: list[float] = []
        for x in sorted(self.station(frame) for frame in frames):
            if slack < x < self.length - slack and (not used or x - used[-1] > slack):
                used.append(x)
        return tuple(used)


def given_parts(owner: str, parts: Any, length: float) -> int | tuple[float, ...]:
    """Check the segments of a beam: their number, or the stations (m) between them."""
    if not isinstance(parts, (list, tuple, np.ndarray, range)):
        return validate.integer(owner, "parts", parts, 1, PARTS)
    stations = validate.array(owner, "parts", parts, PARTS)
    if stations.ndim != 1 or not stations.size:
        raise ModelError(owner, "parts", parts, PARTS)
    if np.any(np.diff(stations) <= 0.0) or np.any((stations < 0.0) | (stations > length)):
        raise ModelError(owner, "parts", parts, PARTS)
    return tuple(float(x) for x in stations if 0.0 < x < length)


def equal_steps(fixed: Sequence[float], step: float) -> list[float]:
    """Inner stations: the fixed ones, and equal steps between them that are at most ``step``."""
    found: list[float] = []
    for a, b in pairwise(fixed):
        count = max(1, int(np.ceil((b - a) / step * (1.0 - STATION_TOLERANCE))))
        found += np.linspace(a, b, count + 1)[1:].tolist()
    return found[:-1]
