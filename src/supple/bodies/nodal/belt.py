"""Belts: cables whose end is their begin, laid around pulleys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.nodal.ancf_line import Cable
from supple.fem.base.damping import KelvinVoigt, Rayleigh
from supple.fem.base.material import Material
from supple.fem.nodal.ancf_cable import CableElementKind
from supple.fem.sections.sections import Profile
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.frames import Frame, TouchingPlace
from supple.foundation.poses import EYE, Pose
from supple.foundation.validate import read_only, set_fields

PULLEYS = "two or more of (x, y, radius): neither within the other, and no radius zero"
SAMPLES = 4096  # places of a belt among which the nearest one is sought


class Around(NamedTuple):
    """A closed curve in a plane: from each circle a straight line, and the arc on the next one."""

    x: Vector  # (2 n,) m where pieces begin, along the curve
    length: float  # m
    start: Vector  # (2 n,) complex, m, where pieces begin
    along: Vector  # (2 n,) complex unit tangents there
    bent: Vector  # (2 n,) 1/m curvature of each piece, zero of a line

    @classmethod
    def of(cls, circles: Vector) -> Around:
        """The curve around circles (n, 3): centre, and radius, negative if it turns clockwise."""
        centres, radii = circles[:, 0] + 1j * circles[:, 1], circles[:, 2]
        way, less = np.roll(centres, -1) - centres, radii - np.roll(radii, -1)
        straight = np.sqrt(np.abs(way) ** 2 - less**2)
        along = way / (straight - 1j * less)
        after = np.roll(along, -1)
        turned = np.sign(np.roll(radii, -1)) * np.angle(after / along)
        arcs = np.abs(np.roll(radii, -1)) * np.where(turned < 0.0, turned + 2.0 * np.pi, turned)
        begin = centres - 1j * radii * along
        pieces = np.column_stack([straight, arcs]).ravel()
        ends = np.cumsum(pieces)
        bent = np.column_stack([np.zeros(len(radii)), 1.0 / np.roll(radii, -1)]).ravel()
        places = np.column_stack([begin, begin + straight * along]).ravel()
        return cls(ends - pieces, float(ends[-1]), places, np.repeat(along, 2), bent)

    def at(self, x: ArrayLike) -> tuple[Vector, Vector]:
        """Places (..., 3) m and unit tangents (..., 3) at arc lengths x (...) m."""
        x = np.asarray(x, dtype=float)
        k = np.searchsorted(self.x, x, side="right") - 1
        way, bent = x - self.x[k], self.bent[k]
        angle = bent * way
        chord = way * np.sinc(0.5 * angle / np.pi) * np.exp(0.5j * angle)
        both = self.start[k] + self.along[k] * chord, self.along[k] * np.exp(1j * angle)
        place, tangent = (np.stack([z.real, z.imag, 0.0 * z.real], axis=-1) for z in both)
        return place, tangent


def _circles(owner: str, value: Any) -> Vector:
    """Check pulleys (n, 3)."""
    circles = validate.array(owner, "pulleys", value, PULLEYS)
    if circles.ndim != 2 or circles.shape[0] < 2 or circles.shape[1] != 3:
        raise ModelError(owner, "pulleys", value, PULLEYS)
    step = np.abs(np.roll(circles, -1, axis=0) - circles)
    if np.any(circles[:, 2] == 0.0) or np.any(np.hypot(step[:, 0], step[:, 1]) <= step[:, 2]):
        raise ModelError(owner, "pulleys", value, PULLEYS)
    return read_only(circles)


@dataclass(frozen=True, eq=False, init=False)
class Belt(Cable):
    """A cable whose end is its begin, laid around pulleys in the plane x, y of its frame.

    Parameters
    ----------
    name : str
        Unique in its model.
    pulleys : two or more of (x, y, radius) m
        Circles that the axis of the belt is laid around, in this order, by arcs and straight lines.
        Around a positive radius it turns counterclockwise, around a negative one clockwise.
        Stations begin where it leaves the first one.
    section : Box, Rectangle, Circle, Tube, ISection or Section
        With equal second moments, as round ones have: nothing tells where y is.
    material : Material
        G is not used.
    elements : int
        Number of equal elements.
    tension : N
        Pull in the belt as it is laid; its length without load is so much shorter.
    element, damping, position, rotation
        As of a `Cable`.

    Attributes
    ----------
    length : m, without load
    laid_length : m, around the pulleys
    begin : (3,) m, place of the station 0 as it is laid, in the world

    Without load it is straight where it is cut open: bending around pulleys takes a moment. A run
    begins with the belt as it is laid. Nothing but friction holds it along its axis and along the
    axes of pulleys.
    """

    length: float = field(init=False)
    pulleys: Vector
    tension: float
    closed: ClassVar[bool] = True

    def __init__(
        self,
        name: str,
        pulleys: Sequence[ArrayLike],
        section: Profile,
        material: Material,
        elements: int = 32,
        tension: float = 0.0,
        element: CableElementKind = "mean",
        damping: KelvinVoigt | Rayleigh | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        owner = f"Belt '{validate.name('Belt', name)}'"
        circles = _circles(owner, pulleys)
        given = validate.not_negative(owner, "tension", tension)
        around = Around.of(circles)
        super().__init__(
            name, around.length, section, material, elements, element, damping, position, rotation
        )
        set_fields(self, pulleys=circles, tension=given, _around=around)
        if self.section != self.section.at(0.0):
            raise ModelError(owner, "section", section, "the same all along")
        # EA e (1 + e)(1 + e/2) = T, as of an axial strain e + e^2/2
        part = given / (material.E * self.section.at(0.0).area)
        stretch = max(np.roots([0.5, 1.5, 1.0, -part]).real)
        set_fields(self, length=around.length / (1.0 + stretch))

    @property
    def laid_length(self) -> float:
        """Length (m) around the pulleys."""
        return float(self._laid.length)

    @property
    def begin(self) -> Vector:
        """Place (3,) m of the station 0 as it is laid, in the world as the model is written."""
        return read_only(self.position + self.rotation @ self._laid.at(0.0)[0])

    @property
    def _laid(self) -> Around:
        found: Around = self.__dict__["_around"]
        return found

    @property
    def _stretch(self) -> float:
        """Length as it is laid over that without load."""
        return self.laid_length / self.length

    @cached_property
    def _laid_vectors(self) -> Vector:
        """Places and slopes (nodes, 2, 3) as it is laid."""
        place, tangent = self._laid.at(self._stretch * np.asarray(self.stations[:-1]))
        return np.stack([place, self._stretch * tangent], axis=1)

    def node(self, frame: Frame) -> int:
        """Number of the node at which a frame is; a place between nodes is refused."""
        return super().node(frame) % (len(self.stations) - 1)

    def rest_pose(self, place: Vector) -> Pose:
        """Place of a station as the belt is laid, and the axes of the body."""
        return Pose(EYE, self._laid.at(self._stretch * float(place[0]) % self.laid_length)[0])

    def nearest(self, point: Vector) -> Vector:
        """Return the place (station, 0, 0) m that is nearest to a point as the belt is laid."""
        x = np.linspace(0.0, self.laid_length, SAMPLES, endpoint=False)
        for _ in range(6):
            away = np.linalg.norm(self._laid.at(x % self.laid_length)[0] - point, axis=1)
            best, wide = x[int(np.argmin(away))], x[1] - x[0]
            x = best + np.linspace(-wide, wide, 65)
        return read_only((best % self.laid_length / self._stretch, 0.0, 0.0))

    def touching_line(self, points: int | None) -> tuple[TouchingPlace, ...]:
        """Places at equal distances all around, by default two for each element."""
        count = 2 * self.elements if points is None else points
        stations = np.linspace(0.0, self.length, count, endpoint=False).tolist()
        share = self.length / count
        return tuple(TouchingPlace(read_only((x, 0.0, 0.0)), share) for x in stations)
