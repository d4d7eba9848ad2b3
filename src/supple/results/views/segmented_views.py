"""Histories of beams and frame structures in segments: those of one body.

Its own frame is the section at the origin of a beam, or the node that a structure is clamped to;
deflections and rotations of other places are against that frame and of any size. Strain, stress and
section forces come from the segment that has the place.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from supple.fem.recovery.stress_points import StressBlock
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.frames import Frame
from supple.foundation.poses import EYE, Pose, quaternions
from supple.results.views.attitude import rotation_vectors
from supple.results.views.flexible_views import (
    BeamView,
    Deformation,
    FlexibleView,
    FrameStructureView,
    PlaceView,
    Side,
    StationView,
)
from supple.results.views.section_balance import section_balance
from supple.results.views.section_views import Method, SectionForces
from supple.results.views.stress import StressHistory
from supple.results.views.views import BodyView, Later, PointView, frame_motion, into

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.bodies.beam.segmented import SegmentedBeam
    from supple.bodies.structure.segmented_frame import SegmentedFrame
    from supple.fem.beams.member import Node
    from supple.foundation.frames import Body
    from supple.results.result import Result


class SegmentPlaceView(PlaceView):
    """Motion of a place of a body in segments, and its deflection against the body's own frame.

    ``inner`` is the place on its segment, ``rest`` its pose in the body's own frame without load.
    """

    def __init__(
        self, body: BodyView, name: str, place: Frame, inner: PointView, rest: Pose
    ) -> None:
        R = body.matrix
        PointView.__init__(
            self,
            name,
            R,
            inner.position,
            inner.velocity,
            lambda: inner.acceleration,
            inner.angular_velocity,
            lambda: inner.angular_acceleration,
            inner.matrix,
        )
        self.deflection = into(R, inner.position - body.position) - rest.p
        """(nt, 3) displacement against the body's own frame, in its axes, m"""
        turned = np.swapaxes(R, 1, 2) @ inner.matrix @ rest.R.T
        self.rotation = rotation_vectors(quaternions(turned))
        """(nt, 3) rotation vector against the body's own frame, not longer than pi, rad"""
        self._place, self._frame = place, body

    @property
    def matrix(self) -> Array:
        """(nt, 3, 3) attitude of the deformed section: its axes, or a frame's, in the world."""
        return self._turned_axes(self._matrix)

    @property
    def local(self) -> Self:
        """The view with components along the axes of the body's own frame."""
        view = copy(self)
        view.__dict__.update(PointView.local.fget(self).__dict__)  # type: ignore[attr-defined]
        view._axes = self._axes
        return view


class SegmentStationView(SegmentPlaceView, StationView):
    """Motion and deformation of a station of a beam in segments: ``result["blade"].at(1.02)``."""


@dataclass(frozen=True, eq=False)
class SegmentChain:
    """A beam in segments, and the views of its segments in a row."""

    beam: SegmentedBeam
    views: tuple[BeamView, ...]

    @classmethod
    def of(cls, result: Result, beam: SegmentedBeam) -> SegmentChain:
        """The segments of a beam in a result."""
        return cls(beam, tuple(BeamView.of(result, part) for part in beam.part_bodies))

    def at(self, x: float, carried: bool = False) -> StationView:
        """Station x (m) on its segment; ``carried``: as inertia and loads see it."""
        k, inside = self.beam.part_at(x)
        return self.views[k].carried(inside) if carried else self.views[k].at(inside)

    def section_forces(self, x: float) -> SectionForces:
        """Section forces at a station (m) by the strain of the shapes."""
        k, inside = self.beam.part_at(x)
        found = self.views[k].at(inside).section_forces()
        if inside == self.views[k].length and k + 1 < len(self.views):
            other = self.views[k + 1].at(0.0).section_forces()
            found.values = 0.5 * (found.values + other.values)  # as between elements
        return found

    def blocks(self, everything: Sequence[BeamView]) -> Iterator[tuple[float, StressBlock]]:
        """Stations and points of stress, as rows of the coordinates of ``everything``.

        Where two segments meet stress is the mean, as between elements.
        """
        sizes = [len(part._deformation.names) for part in everything]
        first = sum(sizes[: list(everything).index(self.views[0])])
        before: tuple[float, StressBlock] | None = None
        for view, start in zip(self.views, self.beam.part_stations, strict=False):
            d = view._deformation
            own = slice(first, first + len(d.names))
            first = own.stop
            for k, block in enumerate(d.body.stress_blocks(d.point_masses)):
                strain = np.zeros((*block.strain.shape[:2], sum(sizes)))
                stress = np.zeros_like(strain)
                strain[..., own], stress[..., own] = block.strain, block.stress
                if k == 0 and before is not None:
                    strain = 0.5 * (before[1].strain + strain)
                    stress = 0.5 * (before[1].stress + stress)
                elif before is not None:
                    yield before
                places = block.places + np.array([start, 0.0, 0.0])
                found = replace(block, strain=strain, stress=stress, places=places)
                before = float(places[0, 0]), found
        if before is not None:
            yield before


class SegmentedView(FlexibleView):
    """A body in segments: motion of its own frame, coordinates and energy of its segments."""

    def __init__(
        self,
        chains: tuple[SegmentChain, ...],
        more: Any,
        deformation: Deformation,
        R: Array,
        p: Array,
        V: Array,
        A: Later,
    ) -> None:
        super().__init__(deformation, R, p, V, A)
        self._chains, self._more = chains, more
        self._world = self

    @property
    def parts(self) -> tuple[BeamView, ...]:
        """Views of its segments."""
        return tuple(view for chain in self._chains for view in chain.views)

    @property
    def strain_energy(self) -> Array:
        """(nt,) J."""
        return np.asarray(sum(part.strain_energy for part in self.parts))

    def _with_motion(self, R: Array, p: Array, V: Array, A: Later) -> Self:
        view = type(self)(self._chains, self._more, self._deformation, R, p, V, A)
        view._world = self._world
        return view

    @cached_property
    def stress_history(self) -> StressHistory:
        """Equivalent stress of the points of all segments over time; see ``stress.py``."""
        d = self._deformation
        d.expect_elastic("stress")
        return StressHistory(d.t, d.strained, self._blocks)

    @abstractmethod
    def _blocks(self) -> Iterator[StressBlock]:
        """Points of all segments, in the axes of the body."""


class SegmentedBeamView(SegmentedView, BeamView):
    """Motion of the section at a beam's origin, and its stations by ``at(x)``.

    ``more`` is filled when all loads on the beam are found to balance its inertia.
    """

    _more: list[bool]

    @classmethod
    def of(cls, result: Result, body: Body) -> Self:
        """The view of a beam of the model that is in segments."""
        beam = cast("SegmentedBeam", body)
        chain = SegmentChain.of(result, beam)
        known: dict[str, list[bool]] = result.__dict__.setdefault("_balanced_beams", {})
        balanced, deformation = known.setdefault(body.name, []), joined(body, chain.views)
        return cls((chain,), balanced, deformation, *frame_motion(result, body.name))

    def at(self, x: float | None = None, y: float = 0.0, z: float = 0.0) -> StationView:
        """Motion and deformation of the station x, m from 0 to the length; y and z are zero.

        Without x it is the far end.
        """
        view = self._station(self._chains[0].beam.at(self.length if x is None else x, y, z))
        return view if self._world is self else view.local

    def carried(self, x: float) -> StationView:
        """The station x as inertia and loads see it."""
        return self._station(self._chains[0].beam.at(x), carried=True)

    def _station(self, place: Frame, carried: bool = False) -> StationView:
        (chain,), x = self._chains, float(place.position[0])
        inner, rest = chain.at(x, carried), chain.beam.seen_rest(x)
        return SegmentStationView(self._world, f"{self.name}@{x:g}", place, inner, rest)

    def strain_at(self, x: float, side: Side, axial: bool) -> Array:
        """(nt,) strain along x at the middle of a side of the section at a station (m)."""
        return self._chains[0].at(x).strain(side, axial)

    def section_forces_at(self, x: float, method: Method) -> SectionForces:
        """Section forces at a station (m), by the strain of its segment or by balance."""
        (chain,) = self._chains
        if method == "shapes":
            return chain.section_forces(x)
        beam = chain.beam
        values = section_balance(chain.views, beam.part_at(x), self._more, beam)
        return SectionForces(values, beam.section.at(x / beam.length), method)

    def _blocks(self) -> Iterator[StressBlock]:
        for x, block in self._chains[0].blocks(self.parts):
            yield replace(block, name=partial(_station_name, x))


class SegmentedFrameView(SegmentedView, FrameStructureView):
    """Motion of a structure's own frame, and of its nodes by ``at(name)``.

    ``more`` are the views of its nodes.
    """

    _more: Mapping[Node, BodyView]

    @classmethod
    def of(cls, result: Result, body: Body) -> Self:
        """The view of a frame structure of the model that is in segments."""
        frame = cast("SegmentedFrame", body)
        chains = tuple(SegmentChain.of(result, beam) for beam in frame.member_beams)
        nodes = {node: BodyView.of(result, part) for node, part in frame.node_parts.items()}
        each = [view for chain in chains for view in chain.views]
        return cls(chains, nodes, joined(body, each), *frame_motion(result, body.name))

    @property
    def _body(self) -> SegmentedFrame:
        return cast("SegmentedFrame", self._deformation.body)

    @property
    def members(self) -> tuple[tuple[BeamView, ...], ...]:
        """Views of the segments of each member."""
        return tuple(chain.views for chain in self._chains)

    def station(self, member: int, x: float) -> SegmentPlaceView:
        """Motion and deflection of the station x (m) of a member, which counts from 0."""
        chain = self._chains[member]
        rest = self._body.member_poses[member].then(chain.beam.seen_rest(x))
        name, place = f"{self.name}[{member}]@{x:g}", Frame(self._body, rest.p, rest.R)
        return SegmentPlaceView(self._world, name, place, chain.at(x), rest)

    def at(
        self, x: Any = None, y: float = 0.0, z: float = 0.0, node: str | int | None = None
    ) -> PlaceView:
        """Motion and deflection of a node by name, as ``node=...``, or by its coordinates (m)."""
        place = self._body.at(x, y, z, node=node)
        inner = self._more[self._body.description.nearest_node(place.position)]
        rest = Pose(EYE, place.position)
        moved = inner.at(*place.position.tolist())
        view = SegmentPlaceView(self._world, place.name, place, moved, rest)
        return view if self._world is self else view.local

    def strain(self, member: int, s: float, side: Side = "y", axial: bool = True) -> Array:
        """(nt,) strain along a member at the middle of a side of its section, as a gauge measures.

        ``member`` counts from 0, ``s`` in 0..1 goes along its axis. It is positive in tension.
        """
        chain, x = self._on_member("strain", member, s)
        return chain.at(x).strain(side, axial)

    def section_forces(self, member: int, s: float) -> SectionForces:
        """Force and moment in a member at the place s in 0..1 over time, in its axes.

        They come from the strain of its segments.
        """
        chain, x = self._on_member("section_forces", member, s)
        return chain.section_forces(x)

    def _on_member(self, what: str, member: int, s: float) -> tuple[SegmentChain, float]:
        """A member, and the station (m) of a place in 0..1 along it, for a method."""
        number, where = self._body.description.place_on(what, member, s)
        chain = self._chains[number]
        return chain, where * chain.beam.length

    def _blocks(self) -> Iterator[StressBlock]:
        members = zip(self._chains, self._body.member_poses, strict=True)
        for number, (chain, pose) in enumerate(members):
            for x, block in chain.blocks(self.parts):
                places = pose.p + block.places @ pose.R.T
                name = partial(_member_name, number, x / chain.beam.length)
                yield replace(block, places=places, name=name)


def _station_name(x: float, k: int) -> str:
    return f"x = {x:.6g} m"


def _member_name(member: int, s: float, k: int) -> str:
    return f"member {member}, s = {s:.6g}"


def joined(body: Body, parts: Sequence[BeamView]) -> Deformation:
    """Elastic coordinates of all segments as those of one body."""
    from scipy.linalg import block_diag

    each = [part._deformation for part in parts]
    return Deformation(
        body=cast("FlexibleBody", body),
        point_masses=(),
        names=tuple(f"{name}{d.body.name[len(body.name) :]}" for d in each for name in d.names),
        units=tuple(unit for d in each for unit in d.units),
        q=np.hstack([d.q for d in each]),
        u=np.hstack([d.u for d in each]),
        later=lambda: np.hstack([d.a for d in each]),
        stiffness=block_diag(*(d.stiffness for d in each)),
        membranes=None,
        dissipated=np.asarray(sum(d.dissipated for d in each)),
        t=each[0].t,
        modal_mass=sum(d.modal_mass for d in each),
        rest=np.hstack([np.zeros(len(d.names)) if d.rest is None else d.rest for d in each]),
    )
