"""A beam cut into parts: one finite element each, in the frame of its own chord, welded end to end.

The coordinates of a part are deformations: four end rotations against its chord, twist and
elongation (and the twist of its middle, where bending and twist act on each other). Its frame
follows its chord, so that rotations of any size are left to the kinematics of the chain, and what
is small is the rotation within a part (Jonker 1989; docs/theory.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.bodies.base.axis import STATION_TOLERANCE, equal_steps
from supple.bodies.base.centre_line import StraightLine, first_angle
from supple.bodies.base.flexible import strain_damping
from supple.bodies.base.reduced import ReducedBody
from supple.bodies.beam.mesh import ALL
from supple.bodies.beam.recovery import BeamRecovery
from supple.bodies.beam.rest_shape import RestShape
from supple.fem.sections.sections import CrossSection, Profile, TaperedSection
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body, Frame, LoadPath, PartOptions, Touched, Weld
from supple.foundation.poses import Pose
from supple.foundation.validate import set_fields
from supple.reduction.assumed.shapes import AssumedShapes
from supple.reduction.stiffening import SecondOrder, Stiffening, stiffening_choice

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam

PARTS = "a number of parts, e.g. 8, or ascending stations between 0 and the length"
# What a beam of parts keeps for "no stiffening": its default is another.
NONE = "none"


class CuttableBeam(BeamRecovery):
    """The questions of a `Beam` about its parts.

    ``parts`` is None (one body), a number of parts or the stations between them. Places that a
    model uses become ends of parts as well: `divided`.
    """

    parts: int | tuple[float, ...] | None
    stiffening: Stiffening
    rotary_inertia: bool

    def _refuse_line(self, twist: Any, line: Any) -> None:
        """Refuse a shape without load that only parts can have."""
        for field, value in (("twist", twist), ("centre_line", line)):
            if value is not None:
                raise ModelError(label(self), field, value, "None without parts=, e.g. parts=8")

    def seen_rest(self, x: float) -> Pose:
        """The same of a station (m) by the shape of its part: ends of parts are on the line."""
        k, inside = self.part_at(x)
        line, shape = self._line, cast("Beam", self.part_bodies[k]).rest_shape
        if line is None or shape is None:
            return super().rest_pose(np.array([x, 0.0, 0.0]))
        return line.in_own_frame(shape.pose(inside))

    def _cut(self, parts: Any, stiffening: Any) -> None:
        """Check and keep the parts, and the stiffening that is theirs."""
        owner = label(self)
        found: int | tuple[float, ...]
        if isinstance(parts, (list, tuple, np.ndarray, range)):
            given = validate.array(owner, "parts", parts, PARTS)
            if given.ndim != 1 or not given.size:
                raise ModelError(owner, "parts", parts, PARTS)
            inner = [float(x) for x in given if 0.0 < x < self.length]
            if np.any(np.diff(given) <= 0.0) or np.any((given < 0.0) | (given > self.length)):
                raise ModelError(owner, "parts", parts, PARTS)
            found = tuple(inner)
        else:
            found = validate.integer(owner, "parts", parts, 1, PARTS)
        usual = (("modes", "all"), ("reference", "clamped"), ("clamp_node", 0))
        word = checked_for_parts(self, usual, stiffening, SecondOrder(twist=self.curved))
        if self.curved and not self.rotary_inertia:
            expected = "True with twist or a centre line: without it sections cannot turn"
            raise ModelError(owner, "rotary_inertia", False, expected)
        centre = cast("Beam", self).section.at(0.0).shear_centre
        if self.curved and any(centre):
            expected = "(0, 0) with twist or a centre line"
            raise ModelError(owner, "shear_centre of its section", centre, expected)
        set_fields(self, parts=found, stiffening=word)
        set_fields(self, discretisation="segments", view="cut", _used=(), _pool={}, _options=ALL)

    @property
    def stiffened(self) -> bool:
        """Whether deflections change its stiffness."""
        return self.stiffening is not None and cast("Any", self.stiffening) != NONE

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a beam that is cut."""
        return self.parts is None and "_options" in self.__dict__

    @property
    def mass_choice(self) -> str:
        """Where the mass of a part is: "consistent", "undeformed" or "lumped"."""
        options: PartOptions = self.__dict__.get("_options", ALL)
        return options.mass

    @property
    def divides(self) -> bool:
        """Whether it is cut into parts."""
        return self.parts is not None

    def divided(self, frames: Iterable[Frame]) -> Body:
        """The beam with ends of parts at the stations of some frames."""
        used = self._inner_stations(frames)
        return self if used == self.__dict__["_used"] else self._remade(_used=used)

    def in_parts(self, options: PartOptions) -> Body:
        """The beam in parts, as many as elements if none are given; its stiffening stays."""
        if self.modes == 0:
            return self
        if isinstance(self.modes, AssumedShapes):
            return super().in_parts(options)
        if options.mass == "lumped" and not self.rotary_inertia:
            expected = "True with lumped masses, whose parts turn by the inertia of sections alone"
            raise ModelError(label(self), "rotary_inertia", False, expected)
        if self.curved and not (options.elongation and options.twist):
            expected = "True for a curved or twisted beam"
            raise ModelError(label(self), "elongation and twist", False, expected)
        usual: dict[str, Any] = {"modes": "all", "reference": "clamped", "clamp_node": 0}
        parts = _refined(self, options.refinement)
        options = replace(options, refinement=1)
        word: Any = NONE if self.stiffening is None else self.stiffening
        beam = replace(cast("Beam", self), parts=parts, stiffening=word, **usual)
        return beam if options == ALL else beam._remade(_options=options)

    def _remade(self, **kept: Any) -> CuttableBeam:
        """The same beam with something else of what it keeps about its parts."""
        beam = replace(cast("Beam", self))
        names = ("_used", "_options")
        set_fields(beam, **{name: self.__dict__[name] for name in names} | kept)
        set_fields(beam, _rest_line=self._line)
        if "_options" not in kept:  # shapes of equal parts are the same
            set_fields(beam, _pool=self.__dict__["_pool"])
        return beam

    @property
    def part_stations(self) -> Vector:
        """Stations (parts + 1,) m between which the parts are."""
        found: Vector | None = self.__dict__.get("_stations")
        if found is None:
            used, length = self.__dict__["_used"], self.length
            if isinstance(self.parts, int):
                inner = equal_steps((0.0, *used, length), length / self.parts)
            else:
                slack = STATION_TOLERANCE * length
                near = [x for x in self.parts or () if all(abs(x - y) > slack for y in used)]
                inner = sorted([*used, *near])
            found = np.array([0.0, *inner, length])
            set_fields(self, _stations=found)
        return found

    @property
    def part_bodies(self) -> tuple[Body, ...]:
        """Its parts; a beam that is not cut is its own."""
        if self.parts is None:
            return (self,)
        found: tuple[Body, ...] | None = self.__dict__.get("_parts")
        if found is None:
            ends = pairwise(self.part_stations.tolist())
            found = tuple(self._part(k, a, b) for k, (a, b) in enumerate(ends))
            set_fields(self, _parts=found)
        return found

    @property
    def _tapered(self) -> bool:
        """Whether the stiffness of its parts is that of a section that changes, by statics."""
        section = self.section
        return not isinstance(section, CrossSection) and not any(section.at(0.0).shear_centre)

    def _part(self, k: int, start: float, stop: float) -> Body:
        length = stop - start
        part = replace(
            cast("Beam", self),
            name=f"{self.name}[{k}]",
            length=length,
            section=_between(self.section, start / self.length, stop / self.length),
            elements=1,
            reference="chord",
            stiffening=None if cast("Any", self.stiffening) == NONE else self.stiffening,
            parts=None,
            twist=None,
            centre_line=None,
            first_y=np.array([0.0, 1.0, 0.0]),
            roll=self.roll + first_angle(self.twist),
        )
        set_fields(part, _options=self.__dict__["_options"])
        shape: RestShape | None = None
        if self._line is not None:
            shape = RestShape.of(part, self._line, start, cast("Beam", self))
        elif self._tapered:
            line = StraightLine.of(label(self), self.length)
            shape = RestShape.straight(part, line, start)
        if shape is not None:
            part = replace(part)
            set_fields(part, _options=self.__dict__["_options"], _rest_shape=shape)
            return part
        if isinstance(self.section, CrossSection):
            pool: dict[float, Any] = self.__dict__["_pool"]
            near = (x for x in pool if abs(x - length) <= STATION_TOLERANCE * self.length)
            same = next(near, length)
            set_fields(part, length=same, _reductions=pool.setdefault(same, {}))
        return part

    @property
    def part_chains(self) -> tuple[Beam, ...]:
        """Beams in parts that it consists of: itself."""
        return (cast("Beam", self),)

    @property
    def shown_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for the ends of its parts."""
        return tuple((float(x),) for x in self.part_stations)

    def load_paths(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Its parts between the first and the last place that is held, whatever is beyond."""
        first, last = self._held(touched)
        slack = STATION_TOLERANCE * self.length
        if last - first <= slack:
            return ()
        a, b = (self.part_at(x)[0] for x in (first, last))
        if first > 0.0 and abs(self.part_stations[a + 1] - first) <= slack:
            a += 1  # the part behind the place
        return (_way([part.name for part in self.part_bodies[a : b + 1]], 1),)

    def overhangs(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Its parts from the first and the last place that is held to its free ends."""
        first, last = self._held(touched)
        slack, names = STATION_TOLERANCE * self.length, [part.name for part in self.part_bodies]
        found = []
        if first > slack:
            found.append(_way(names[: self.part_at(first)[0] + 1], -1))
        if last < self.length - slack:
            b = self.part_at(last)[0]
            behind = last > slack and abs(self.part_stations[b + 1] - last) <= slack
            found.append(_way(names[b + behind :], 1))
        return tuple(found)

    def _held(self, touched: Touched) -> tuple[float, float]:
        """The first and the last station (m) that is held; a beam that is free: its origin."""
        held = [self.station(f) for f in (*touched.grounded, *touched.joined)] or [0.0]
        return min(held), max(held)

    @property
    def welds(self) -> tuple[Weld, ...]:
        """The end of each part and the origin of the next."""
        if self.parts is None:
            return ()
        parts = cast("tuple[Beam, ...]", self.part_bodies)
        return tuple((one.at(one.length), two.at(0.0)) for one, two in pairwise(parts))

    def on_part(self, frame: Frame) -> Frame:
        """The frame of a part; at the end of two parts that of the first."""
        if self.parts is None:
            return frame
        k, x = self.part_at(self.station(frame))
        return Frame(self.part_bodies[k], (x, 0.0, 0.0), frame.rotation)

    def part_at(self, x: float) -> tuple[int, float]:
        """Number of the part that has a station (m), and the station on it."""
        ends, slack = self.part_stations, STATION_TOLERANCE * self.length
        k = min(int(np.searchsorted(ends[1:], x - slack)), len(ends) - 2)
        part = cast("Beam", self.part_bodies[k])
        inside = x - float(ends[k])
        if inside <= slack:
            return k, 0.0
        return k, part.length if inside >= part.length - slack else inside

    @property
    def own_frame(self) -> Frame | None:
        """Its section at the origin, if it is cut."""
        return None if self.parts is None else cast("Beam", self.part_bodies[0]).at(0.0)

    def _refuse_cut(self, what: str) -> None:
        """Refuse a question that only a body with elastic coordinates of its own can answer."""
        if self.parts is not None:
            number = len(self.part_stations) - 1
            raise ModelError(
                label(self), "parts", number, f"None, a beam that is one body, for its {what}"
            )


def checked_for_parts(
    body: ReducedBody, usual: Iterable[tuple[str, Any]], stiffening: Any, default: SecondOrder
) -> Stiffening:
    """Refuse what a body in parts cannot have; return the stiffening that its parts have.

    ``usual`` are the only values of some fields.
    """
    owner = label(body)
    for field, only in usual:
        value = getattr(body, field)
        if value != only:
            expected = f"{only!r} with parts, each of which is one element on its chord"
            raise ModelError(owner, field, value, expected)
    strain_damping(owner, body.damping, "with parts")
    word = stiffening_choice(owner, default if stiffening is None else stiffening)
    if word is not None and not isinstance(word, SecondOrder):
        raise ModelError(owner, "stiffening", stiffening, "'second_order' or 'none' with parts")
    return cast("Stiffening", NONE if word is None else word)


def _refined(beam: CuttableBeam, many: int) -> int | tuple[float, ...]:
    """Parts of a beam, as many as elements if it has none, with ``many`` in the place of each."""
    parts = beam.elements if beam.parts is None else beam.parts
    if isinstance(parts, int):
        return many * parts
    inner = [
        a + k / many * (b - a) for a, b in pairwise((0.0, *parts, beam.length)) for k in range(many)
    ]
    return tuple(inner[1:])


def parts_of(beam: Beam) -> tuple[Beam, ...]:
    """The parts of a beam that is cut."""
    return cast("tuple[Beam, ...]", beam.part_bodies)


def _between(section: Profile, a: float, b: float) -> Profile:
    """The part of a section that changes along a beam between two places of 0..1."""
    if isinstance(section, CrossSection):
        return section
    places = [a, *(s for s in section.kinks if a < s < b), b]
    stations = [(s - a) / (b - a) for s in places]
    stations[-1] = 1.0
    # between two stations: the place of a kink belongs to either side
    sections = [section.at(s) for s in places]
    return TaperedSection(*sections, stations=stations)


def _way(names: Sequence[str], sign: int) -> LoadPath:
    """A way along parts, or back from the last of them."""
    ends = ((names[0], 0),), ((names[-1], 1),)
    return LoadPath(False, tuple((name, sign) for name in names), ends[::sign])
