"""A beam in segments: one finite element each, in the frame of its own chord, welded end to end.

The coordinates of a segment are deformations: four end rotations against its chord, twist and
elongation (and the twist of its middle, where bending and twist act on each other). Its frame
follows its chord, so that rotations of any size are left to the kinematics of the chain, and what
is small is the rotation within a segment (Jonker 1989; docs/theory.md).

The user writes a `Beam` with ``parts``; its `SegmentedBeam` is made once the places are known that
a model uses: these are ends of segments as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np

from supple.bodies.base.axis import STATION_TOLERANCE, equal_steps
from supple.bodies.base.centre_line import StraightLine, first_angle
from supple.bodies.base.flexible import PointMasses
from supple.bodies.base.segmented import SegmentedBody
from supple.bodies.beam.beam import Beam
from supple.bodies.beam.rest_shape import RestShape
from supple.fem.beams.beam import BeamMesh, LumpedBeamMesh, PartMesh
from supple.fem.sections.sections import CrossSection, Profile, TaperedSection
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import label
from supple.foundation.frames import (
    Frame,
    Line,
    LoadPath,
    SegmentOptions,
    Touched,
    ViewName,
    Weld,
)
from supple.foundation.poses import Pose
from supple.foundation.validate import set_fields
from supple.reduction.modal import Reduction, reduce_mesh
from supple.reduction.problem import PartProblem

# By the length of a segment (m), reductions that were made for it: equal segments share them.
Pool = dict[float, dict[Any, Any]]


class BeamSegment(Beam):
    """A beam of one element on its chord, a segment of another one."""

    kind_name: ClassVar[str] = "Beam"
    is_segment: ClassVar[bool] = True

    options: SegmentOptions  # its deformations, and where its mass is
    # shape without strain where the beam is curved, twisted or tapered; else None
    rest_shape: RestShape | None

    def __init__(
        self,
        beam: Beam,
        name: str,
        ends: tuple[float, float],
        options: SegmentOptions,
        rest_shape: RestShape | None = None,
    ) -> None:
        start, stop = ends
        given = {field.name: getattr(beam, field.name) for field in fields(beam)}
        own = {
            "name": name,
            "length": stop - start,
            "section": _between(beam.section, start / beam.length, stop / beam.length),
            "elements": 1,
            "reference": "chord",
            "stiffening": beam.stiffening if beam.stiffened else None,
            "parts": None,
            "twist": None,
            "centre_line": None,
            "first_y": (0.0, 1.0, 0.0),
            "roll": beam.roll + first_angle(beam.twist),
        }
        super().__init__(**given | own)
        set_fields(self, options=options, rest_shape=rest_shape)

    def share(self, pool: Pool, tolerance: float) -> None:
        """Take length (m) and reductions of an equal segment in the pool, or put its own there."""
        length = next((x for x in pool if abs(x - self.length) <= tolerance), self.length)
        set_fields(self, length=length, _reductions=pool.setdefault(length, {}))

    @property
    def mass_choice(self) -> str:
        """Place of its mass: "consistent", "undeformed" or "lumped"."""
        return self.options.mass

    def section_forces(self, x: float, point_masses: PointMasses = ()) -> Vector:
        """Rows (6, n) of N, Vy, Vz (N), T, My, Mz (N m) at a station: forces = rows @ q."""
        if self.rest_shape is None:
            return super().section_forces(x, point_masses)
        return self.rest_shape.section_forces(self._station("x of section_forces", x))

    def strain_rows(self, x: float, point_masses: PointMasses = ()) -> tuple[Vector, float]:
        """Rows (3, n) of u' and both curvatures, and the roll of the section against their axes."""
        if self.rest_shape is None:
            return super().strain_rows(x, point_masses)
        return self.rest_shape.strain(x), 0.0

    @property
    def _twists(self) -> bool:
        return self.rotary_inertia and self.options.twist

    @property
    def _mesh_type(self) -> type[BeamMesh]:
        """One with a further shape of twist where bending and twist act on each other."""
        if self.options.mass == "lumped":  # no section between the ends has inertia
            return LumpedBeamMesh
        return PartMesh if self.second_order_twist and self._twists else BeamMesh

    def _problem(self, mesh: BeamMesh, places: Sequence[float] = ()) -> PartProblem:
        attached = tuple(mesh.motion(x) for x in places)
        frame = self.reference, self.clamp_node, self._twists, self._node, mesh.motion, attached
        return PartProblem(mesh, *frame, stretch=self.options.elongation)

    def _finished(
        self, reduction: Reduction, line: dict[str, Any], places: Sequence[float]
    ) -> Reduction:
        """The reduction with the rest shape and the mass of the segment."""
        body = reduction.body
        if self.options.mass == "lumped":  # sections turn alone: no unit of time
            plain = self._problem(BeamMesh(**line, elements=1), places)
            slow = reduce_mesh(plain, "all", label(self)).body.frequencies
            body = replace(body, frequencies=slow)
        if self.rest_shape is not None:
            body = self.rest_shape.body(body)
        if self.options.mass == "undeformed":
            body = replace(body, deformed=False)
        return replace(reduction, body=body)


class SegmentedBeam(SegmentedBody):
    """A chain of beam segments, welded end to end; its own frame is its section at the origin.

    Parameters
    ----------
    description : Beam with ``parts``
    used : ascending inner stations (m) that a model uses
    options : of all segments
    pool : reductions of equal segments
    """

    view: ClassVar[ViewName] = "segments"
    is_beam: ClassVar[bool] = True

    description: Beam
    used: tuple[float, ...]
    options: SegmentOptions
    pool: Pool

    def __init__(
        self, description: Beam, used: tuple[float, ...], options: SegmentOptions, pool: Pool
    ) -> None:
        super().__init__(description)
        set_fields(self, used=used, options=options, pool=pool)

    @classmethod
    def of(cls, beam: Beam, used: tuple[float, ...] = ()) -> SegmentedBeam:
        """The segments of a beam with ends at some stations (m); kept with the beam."""
        pool: Pool = beam._kept("segment pool", dict)
        return beam._kept(
            ("segments", used), lambda: cls(beam, used, beam.segment_options, pool)
        )

    @cached_property
    def part_stations(self) -> Vector:
        """Stations (segments + 1,) m between which the segments are."""
        parts, used, length = self.description.parts, self.used, self.description.length
        if isinstance(parts, int):
            inner = equal_steps((0.0, *used, length), length / parts)
        else:
            slack = STATION_TOLERANCE * length
            near = [x for x in parts or () if all(abs(x - y) > slack for y in used)]
            inner = sorted([*used, *near])
        return np.array([0.0, *inner, length])

    @cached_property
    def part_bodies(self) -> tuple[BeamSegment, ...]:
        """Segments of the beam."""
        ends = pairwise(self.part_stations.tolist())
        return tuple(self._segment(f"{self.name}[{k}]", both) for k, both in enumerate(ends))

    def _segment(self, name: str, ends: tuple[float, float]) -> BeamSegment:
        beam, section, line = self.description, self.description.section, self.description.rest_line
        segment = BeamSegment(beam, name, ends, self.options)
        if line is not None:
            count = len(self.part_stations) - 1
            shape = RestShape.of(segment, line, ends[0], label(self), count)
        elif not isinstance(section, CrossSection) and not any(section.at(0.0).shear_centre):
            straight = StraightLine.of(label(self), beam.length)
            shape = RestShape.straight(segment, straight, ends[0])
        else:
            if isinstance(section, CrossSection):
                segment.share(self.pool, STATION_TOLERANCE * beam.length)
            return segment
        return BeamSegment(beam, name, ends, self.options, shape)

    @property
    def part_chains(self) -> tuple[SegmentedBeam, ...]:
        """Itself."""
        return (self,)

    @property
    def line(self) -> Line:
        """Itself: loads can be spread along its axis."""
        return cast("Line", self)

    def load_cells(self, order: int) -> tuple[Vector, int]:
        """Inner stations (m) where shapes have kinks, and Gauss points for a load between them."""
        return self.part_stations[1:-1], order

    @property
    def shown_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for the ends of its segments."""
        return tuple((float(x),) for x in self.part_stations)

    def seen_rest(self, x: float) -> Pose:
        """Pose of a station (m) without load by the shape of its segment, whose ends are exact."""
        k, inside = self.part_at(x)
        line, shape = self.description.rest_line, self.part_bodies[k].rest_shape
        if line is None or shape is None:
            return self.rest_pose(np.array([x, 0.0, 0.0]))
        return line.in_own_frame(shape.pose(inside))

    def load_paths(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Segments between the first and the last place that is held, whatever is beyond."""
        first, last, slack = self._held(touched)
        if last - first <= slack:
            return ()
        a, b = (self.part_at(x)[0] for x in (first, last))
        if first > 0.0 and abs(self.part_stations[a + 1] - first) <= slack:
            a += 1  # the segment behind the place
        return (_way([part.name for part in self.part_bodies[a : b + 1]], 1),)

    def overhangs(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Segments from the first and the last place that is held to the free ends."""
        first, last, slack = self._held(touched)
        names = [part.name for part in self.part_bodies]
        ways = []
        if first > slack:
            ways.append(_way(names[: self.part_at(first)[0] + 1], -1))
        if last < self.description.length - slack:
            b = self.part_at(last)[0]
            behind = last > slack and abs(self.part_stations[b + 1] - last) <= slack
            ways.append(_way(names[b + behind :], 1))
        return tuple(ways)

    def _held(self, touched: Touched) -> tuple[float, float, float]:
        """First and last station (m) that is held, the origin of a free beam, and a tolerance."""
        beam = self.description
        held = [beam.station(f) for f in (*touched.grounded, *touched.joined)] or [0.0]
        return min(held), max(held), STATION_TOLERANCE * beam.length

    @property
    def welds(self) -> tuple[Weld, ...]:
        """The end of each segment and the origin of the next."""
        return tuple((one.at(one.length), two.at(0.0)) for one, two in pairwise(self.part_bodies))

    def on_part(self, frame: Frame) -> Frame:
        """The frame of a segment; at the end of two segments that of the first."""
        k, x = self.part_at(self.description.station(frame))
        return Frame(self.part_bodies[k], (x, 0.0, 0.0), frame.rotation)

    def part_at(self, x: float) -> tuple[int, float]:
        """Number of the segment that has a station (m), and the station on it."""
        ends, slack = self.part_stations, STATION_TOLERANCE * self.description.length
        k = min(int(np.searchsorted(ends[1:], x - slack)), len(ends) - 2)
        length, inside = self.part_bodies[k].length, x - float(ends[k])
        if inside <= slack:
            return k, 0.0
        return k, length if inside >= length - slack else inside

    @property
    def own_frame(self) -> Frame:
        """Section at the origin."""
        return self.part_bodies[0].at(0.0)


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
    """A way along segments, or back from the last of them."""
    ends = ((names[0], 0),), ((names[-1], 1),)
    return LoadPath(False, tuple((name, sign) for name in names), ends[::sign])
