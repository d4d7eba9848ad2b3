"""Histories of a beam that is cut into parts: those of one beam, by stations along all of it.

Its own frame is its section at the origin; deflections and rotations of other sections are against
that one and of any size. Strain, stress and section forces come from the part that has the station.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from supple.fem.recovery.stress_points import StressBlock
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.foundation.poses import quaternions
from supple.results.views.attitude import rotation_vectors
from supple.results.views.flexible_views import (
    BeamView,
    Deformation,
    Method,
    PlaceView,
    Side,
    StationView,
)
from supple.results.views.section_balance import section_balance
from supple.results.views.section_views import SectionForces
from supple.results.views.stress import StressHistory
from supple.results.views.views import BodyView, Later, PointView, frame_motion, into

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.bodies.beam.segmented import SegmentedBeam
    from supple.foundation.frames import Body, Frame
    from supple.foundation.poses import Pose
    from supple.results.result import Result


class CutPlaceView(PlaceView):
    """Motion of a place of a body of parts, and its deflection against the body's own frame."""

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
        self._place = place

    @property
    def matrix(self) -> Array:
        """(nt, 3, 3) attitude of the deformed section: its axes, or a frame's, in the world."""
        return self._turned_axes(self._matrix)

    @property
    def local(self) -> Self:
        """The same with components along the axes of the body's own frame."""
        view = copy(self)
        view.__dict__.update(PointView.local.fget(self).__dict__)  # type: ignore[attr-defined]
        view._axes = self._axes
        return view


class CutStationView(CutPlaceView, StationView):
    """Motion and deformation of a station of a beam of parts: ``result["blade"].at(1.02)``."""

    def __init__(self, beam: CutBeamView, place: Frame, inner: StationView) -> None:
        x = float(place.position[0])
        super().__init__(beam, f"{beam.name}@{x:g}", place, inner, beam._beam.seen_rest(x))
        self._beam, self._inner = beam, inner

    def strain(self, side: Side = "y", axial: bool = True) -> Array:
        """(nt,) strain along x at the middle of a side of the section, as a gauge measures it.

        It is positive in tension. Without ``axial`` it is the part of bending only.
        """
        return self._inner.strain(side, axial)

    def section_forces(self, method: Method = "shapes") -> SectionForces:
        """Force N, Vy, Vz and moment T, My, Mz in the section over time, in its axes.

        "shapes": from the strain of the part. "balance": from all loads beyond the section less the
        inertia there.
        """
        beam = self._beam._beam
        if validate.choice(label(beam), "method", method, ("shapes", "balance")) == "shapes":
            return part_forces(self._beam.pieces, beam, self.x)
        values = section_balance(self._beam.pieces, beam.part_at(self.x), self._beam.known, beam)
        return SectionForces(values, beam.section.at(self.x / beam.length), method)


class OfBeams:
    """What bodies made of beams have in common."""

    @property
    @abstractmethod
    def parts(self) -> tuple[BeamView, ...]:
        """Views of their parts."""

    @property
    def strain_energy(self) -> Array:
        """(nt,) J."""
        return np.asarray(sum(part.strain_energy for part in self.parts))


class CutBeamView(OfBeams, BeamView):
    """Motion of the section at a beam's origin, coordinates of its parts, stations by ``at(x)``."""

    def __init__(
        self,
        pieces: tuple[BeamView, ...],
        deformation: Deformation,
        known: list[bool],
        R: Array,
        p: Array,
        V: Array,
        A: Later,
    ) -> None:
        super().__init__(deformation, R, p, V, A)
        self.pieces, self.known = pieces, known
        self._beam = cast("SegmentedBeam", deformation.body)
        self._world: CutBeamView = self

    @classmethod
    def of(cls, result: Result, body: Body) -> Self:
        """The view of a beam of the model that is cut."""
        parts = tuple(BeamView.of(result, part) for part in body.part_bodies)
        known = loads_known(result, body)
        return cls(parts, joined(body, parts), known, *frame_motion(result, body.name))

    @property
    def parts(self) -> tuple[BeamView, ...]:
        """Views of its parts."""
        return self.pieces

    def _with_motion(self, R: Array, p: Array, V: Array, A: Later) -> Self:
        view = type(self)(self.pieces, self._deformation, self.known, R, p, V, A)
        view._world = self._world
        return view

    @cached_property
    def stress_history(self) -> StressHistory:
        """Equivalent stress of the points of all parts over time; see ``stress.py``."""
        d = self._deformation
        d.expect_elastic("stress")
        return StressHistory(d.t, d.strained, self._blocks)

    def _blocks(self) -> Iterator[StressBlock]:
        """Points of all parts, in the beam's own axes."""
        for x, block in part_blocks(self.pieces, self._beam.part_stations, self.pieces):
            yield replace(block, name=partial(_station_name, x))

    def at(self, x: float | None = None, y: float = 0.0, z: float = 0.0) -> StationView:
        """Motion and deformation of the station x, m from 0 to the length; y and z are zero.

        Without x it is the far end.
        """
        place = self._beam.at(self.length if x is None else x, y, z)
        k, inside = self._beam.part_at(float(place.position[0]))
        view = CutStationView(self._world, place, self.pieces[k].at(inside))
        return view if self._world is self else view.local

    def carried(self, x: float) -> StationView:
        """The station x as inertia and loads see it."""
        k, inside = self._beam.part_at(x)
        return CutStationView(self._world, self._beam.at(x), self.pieces[k].carried(inside))


def _station_name(x: float, k: int) -> str:
    return f"x = {x:.6g} m"


def part_forces(pieces: Sequence[BeamView], beam: SegmentedBeam, x: float) -> SectionForces:
    """Section forces of a beam of parts by the strain of its shapes at a station (m)."""
    k, inside = beam.part_at(x)
    found = pieces[k].at(inside).section_forces()
    if inside == pieces[k].length and k + 1 < len(pieces):
        other = pieces[k + 1].at(0.0).section_forces()
        found.values = 0.5 * (found.values + other.values)  # as between elements
    return found


def part_blocks(
    pieces: Sequence[BeamView], starts: Array, everything: Sequence[BeamView]
) -> Iterator[tuple[float, StressBlock]]:
    """Stations and points of a beam of parts, as rows of the coordinates of ``everything``.

    Parts begin at the stations ``starts``; where two meet stress is the mean, as between elements.
    """
    sizes = [len(part._deformation.names) for part in everything]
    first = sum(sizes[: list(everything).index(pieces[0])])
    before: tuple[float, StressBlock] | None = None
    for piece, start in zip(pieces, starts, strict=False):
        d = piece._deformation
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


def loads_known(result: Result, body: Body) -> list[bool]:
    """A list that is filled when all loads on a beam are found to balance its inertia."""
    known: dict[str, list[bool]] = result.__dict__.setdefault("_balanced_beams", {})
    return known.setdefault(body.name, [])


def joined(body: Body, parts: Sequence[BeamView]) -> Deformation:
    """Elastic coordinates of all parts as those of one body."""
    from scipy.linalg import block_diag

    each = [part._deformation for part in parts]
    return Deformation(
        body=cast("FlexibleBody", body),
        point_masses=(),
        names=tuple(f"{name}{d.body.name[len(body.name) :]}" for d in each for name in d.names),
        units=tuple(unit for d in each for unit in d.units),
        q=np.hstack([d.q for d in each]),
        u=np.hstack([d.u for d in each]),
        a=np.hstack([d.a for d in each]),
        stiffness=block_diag(*(d.stiffness for d in each)),
        membranes=None,
        dissipated=np.asarray(sum(d.dissipated for d in each)),
        t=each[0].t,
        modal_mass=sum(d.modal_mass for d in each),
        rest=np.hstack([np.zeros(len(d.names)) if d.rest is None else d.rest for d in each]),
    )
