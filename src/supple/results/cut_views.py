"""Histories of a beam that is cut into parts: those of one beam, by stations along all of it.

Its own frame is its section at the origin; deflections and rotations of other sections are against
that one and of any size. Strain, stress and section forces come from the part that has the station.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from supple import validate
from supple.errors import label
from supple.fem.stress_points import StressBlock
from supple.poses import quaternions
from supple.results.attitude import rotation_vectors
from supple.results.flexible_views import BeamView, Deformation, Method, Side, StationView
from supple.results.section_balance import section_balance
from supple.results.section_views import SectionForces
from supple.results.stress import StressHistory
from supple.results.views import Array, BodyView, Later, PointView, frame_motion, into

if TYPE_CHECKING:
    from supple.bodies.beam import Beam
    from supple.frames import Body, Frame
    from supple.results.result import Result


class CutStationView(StationView):
    """Motion and deformation of a station of a beam of parts: ``result["blade"].at(1.02)``."""

    def __init__(self, beam: CutBeamView, place: Frame, inner: StationView) -> None:
        R, x = beam.matrix, float(place.position[0])
        PointView.__init__(
            self,
            f"{beam.name}@{x:g}",
            R,
            inner.position,
            inner.velocity,
            lambda: inner.acceleration,
            inner.angular_velocity,
            lambda: inner.angular_acceleration,
            inner.matrix,
        )
        moved, rest = into(R, inner.position - beam.position), beam._beam.seen_rest(x)
        self.deflection = moved - rest.p
        """(nt, 3) displacement against the section at the origin, in its axes, m"""
        turned = np.swapaxes(R, 1, 2) @ inner.matrix @ rest.R.T
        self.rotation = rotation_vectors(quaternions(turned))
        """(nt, 3) rotation vector against the section at the origin, not longer than pi, rad"""
        self._beam, self._place, self._inner = beam, place, inner

    @property
    def matrix(self) -> Array:
        """(nt, 3, 3) attitude of the deformed section: its axes, or a frame's, in the world."""
        return self._turned_axes(self._matrix)

    @property
    def local(self) -> Self:
        """The same with components along the axes of the section at the origin."""
        view = type(self)(self._beam, self._place, self._inner)
        view.__dict__.update(PointView.local.fget(self).__dict__)  # type: ignore[attr-defined]
        view._axes = self._axes
        return view

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
            found = self._inner.section_forces()
            k, inside = beam.part_at(self.x)
            if inside == self._inner._deformation.body.typical_length and self.x < beam.length:
                other = self._beam.pieces[k + 1].at(0.0).section_forces()
                found.values = 0.5 * (found.values + other.values)  # as between elements
            return found
        values = section_balance(self._beam.pieces, beam.part_at(self.x), self._beam.known, beam)
        return SectionForces(values, beam.section.at(self.x / beam.length), method)


class CutBeamView(BeamView):
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
        self._beam = cast("Beam", deformation.body)
        self._world: CutBeamView = self

    @classmethod
    def of(cls, result: Result, body: Body) -> Self:
        """The view of a beam of the model that is cut."""
        parts = tuple(BeamView.of(result, part) for part in body.part_bodies)
        known = loads_known(result, body)
        return cls(parts, _joined(body, parts), known, *frame_motion(result, body.name))

    @property
    def parts(self) -> tuple[BodyView, ...]:
        """Views of its parts."""
        return self.pieces

    @property
    def strain_energy(self) -> Array:
        """(nt,) J."""
        return np.asarray(sum(part.strain_energy for part in self.pieces))

    @property
    def local(self) -> Self:
        """The same with vectors along the axes of its own frame; the attitude is unchanged."""
        motion = self._local_motion()
        view = type(self)(self.pieces, self._deformation, self.known, *motion)
        view._own = np.broadcast_to(np.eye(3), self._own.shape)
        view._world = self._world
        return view

    @cached_property
    def stress_history(self) -> StressHistory:
        """Equivalent stress of the points of all parts over time; see ``results/stress.py``."""
        d = self._deformation
        d.expect_elastic("stress")
        return StressHistory(d.t, d.strained, self._blocks)

    def _blocks(self) -> Iterator[StressBlock]:
        """Points of all parts; where two of them meet stress is the mean, as between elements."""
        before: StressBlock | None = None
        for k in range(len(self.pieces)):
            blocks = list(self._blocks_of(k))
            if before is not None:
                one, two = before, blocks[0]
                strain, stress = 0.5 * (one.strain + two.strain), 0.5 * (one.stress + two.stress)
                blocks[0] = replace(two, strain=strain, stress=stress)
            yield from blocks[:-1]
            before = blocks[-1]
        if before is not None:
            yield before

    def _blocks_of(self, k: int) -> Iterator[StressBlock]:
        """Points of one part, as rows of the coordinates of all parts."""
        d, start = self.pieces[k]._deformation, self._beam.part_stations[k]
        first = sum(len(part._deformation.names) for part in self.pieces[:k])
        own = slice(first, first + len(d.names))
        for block in d.body.stress_blocks(d.point_masses):
            shape = (*block.strain.shape[:2], self._deformation.q.shape[1])
            strain, stress = np.zeros(shape), np.zeros(shape)
            strain[..., own], stress[..., own] = block.strain, block.stress
            places = block.places + np.array([start, 0.0, 0.0])
            name = partial(_station_name, float(places[0, 0]))
            yield replace(block, strain=strain, stress=stress, places=places, name=name)

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


def loads_known(result: Result, body: Body) -> list[bool]:
    """A list that is filled when all loads on a beam are found to balance its inertia."""
    known: dict[str, list[bool]] = result.__dict__.setdefault("_balanced_beams", {})
    return known.setdefault(body.name, [])


def _joined(body: Body, parts: tuple[BeamView, ...]) -> Deformation:
    """Elastic coordinates of all parts as those of one body."""
    from scipy.linalg import block_diag

    each = [part._deformation for part in parts]
    return Deformation(
        body=cast("Beam", body),
        point_masses=(),
        names=tuple(f"{name}[{k}]" for k, d in enumerate(each) for name in d.names),
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
