"""Histories of a frame structure that is cut into parts: those of one body, by nodes and members.

Its own frame is fixed to the node it is clamped to; deflections and rotations of other nodes are
against that frame and of any size. Strain, stress and section forces come from the part of the
member that has the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self, cast

from supple.fem.recovery.stress_points import StressBlock
from supple.foundation.arrays import Array
from supple.foundation.frames import Frame
from supple.foundation.poses import EYE, Pose
from supple.results.views.flexible_views import (
    BeamView,
    Deformation,
    FrameStructureView,
    PlaceView,
    Side,
)
from supple.results.views.section_views import SectionForces
from supple.results.views.segmented_views import (
    CutPlaceView,
    OfBeams,
    joined,
    part_blocks,
    part_forces,
)
from supple.results.views.stress import StressHistory
from supple.results.views.views import BodyView, Later, frame_motion

if TYPE_CHECKING:
    from supple.bodies.structure.segmented_frame import SegmentedFrame
    from supple.fem.beams.member import Node
    from supple.foundation.frames import Body
    from supple.results.result import Result


class CutFrameView(OfBeams, FrameStructureView):
    """Motion of a structure's own frame, coordinates of its parts, its nodes by ``at(name)``."""

    def __init__(
        self,
        members: Sequence[tuple[BeamView, ...]],
        nodes: Mapping[Node, BodyView],
        deformation: Deformation,
        R: Array,
        p: Array,
        V: Array,
        A: Later,
    ) -> None:
        super().__init__(deformation, R, p, V, A)
        self.members, self._nodes = members, nodes
        self._body = cast("SegmentedFrame", deformation.body)
        self._world: CutFrameView = self

    @classmethod
    def of(cls, result: Result, body: Body) -> Self:
        """The view of a frame structure of the model that is cut."""
        frame = cast("SegmentedFrame", body)
        members = [
            tuple(BeamView.of(result, part) for part in beam.part_bodies)
            for beam in frame.member_beams
        ]
        nodes = {node: BodyView.of(result, part) for node, part in frame.node_parts.items()}
        each = [part for parts in members for part in parts]
        return cls(members, nodes, joined(body, each), *frame_motion(result, body.name))

    @property
    def parts(self) -> tuple[BeamView, ...]:
        """Views of the parts of all members, member by member."""
        return tuple(part for parts in self.members for part in parts)

    def _with_motion(self, R: Array, p: Array, V: Array, A: Later) -> Self:
        view = type(self)(self.members, self._nodes, self._deformation, R, p, V, A)
        view._world = self._world
        return view

    def station(self, member: int, x: float) -> CutPlaceView:
        """Motion and deflection of the station x (m) of a member, which counts from 0."""
        beam, pose = self._body.member_beams[member], self._body.member_poses[member]
        k, inside = beam.part_at(x)
        rest = pose.then(beam.seen_rest(x))
        inner = self.members[member][k].at(inside)
        place = Frame(self._body, rest.p, rest.R)
        return CutPlaceView(self._world, f"{self.name}[{member}]@{x:g}", place, inner, rest)

    def at(
        self, x: Any = None, y: float = 0.0, z: float = 0.0, node: str | int | None = None
    ) -> PlaceView:
        """Motion and deflection of a node by name, as ``node=...``, or by its coordinates (m)."""
        place = self._body.at(x, y, z, node=node)
        node = self._body.description.nearest_node(place.position)
        inner = self._nodes[node].at(*place.position.tolist())
        rest = Pose(EYE, place.position)
        view = CutPlaceView(self._world, place.name, place, inner, rest)
        return view if self._world is self else view.local

    def strain(self, member: int, s: float, side: Side = "y", axial: bool = True) -> Array:
        """(nt,) strain along a member at the middle of a side of its section, as a gauge measures.

        ``member`` counts from 0, ``s`` in 0..1 goes along its axis. It is positive in tension.
        """
        number, where = self._body.description.place_on("strain", member, s)
        beam = self._body.member_beams[number]
        k, inside = beam.part_at(where * beam.length)
        return self.members[number][k].at(inside).strain(side, axial)

    def section_forces(self, member: int, s: float) -> SectionForces:
        """Force and moment in a member at the place s in 0..1 over time, in its axes.

        They come from the strain of its parts.
        """
        number, where = self._body.description.place_on("section_forces", member, s)
        beam = self._body.member_beams[number]
        return part_forces(self.members[number], beam, where * beam.length)

    @cached_property
    def stress_history(self) -> StressHistory:
        """Equivalent stress of the points of all parts over time; see ``stress.py``."""
        d = self._deformation
        return StressHistory(d.t, d.strained, self._blocks)

    def _blocks(self) -> Iterator[StressBlock]:
        """Points of all members, in the axes of the structure."""
        body, everything = self._body, self.parts
        members = zip(self.members, body.member_beams, body.member_poses, strict=True)
        for number, (pieces, beam, pose) in enumerate(members):
            for x, block in part_blocks(pieces, beam.part_stations, everything):
                places = pose.p + block.places @ pose.R.T
                name = partial(_name, number, x / beam.length)
                yield replace(block, places=places, name=name)


def _name(member: int, s: float, k: int) -> str:
    return f"member {member}, s = {s:.6g}"
