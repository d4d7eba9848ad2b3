"""Bodies of a result as pictures need them: places of nodes, lines and meshes at each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.fem.drawn.surface import DrawnMesh, mean_radius
from supple.foundation.arrays import Array, Indices
from supple.results.views.ancf_views import ANCFView
from supple.results.views.flexible_views import BeamView, FlexibleView, PlaceView
from supple.results.views.segmented_frame_views import CutFrameView
from supple.results.views.segmented_views import CutBeamView
from supple.results.views.views import BodyView

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam
    from supple.bodies.structure.frame import FrameStructure
    from supple.results.result import Result

STATIONS, STATIONS_OF_PART = 21, 5  # of a beam, and of each part of one


class Moved(NamedTuple):
    """Nodes at one time: places and elastic displacements (p, 3) in world axes, m."""

    places: Array
    displacement: Array


@dataclass(frozen=True, eq=False)
class DrawnBeam:
    """The axis of a beam: stations from its origin to its end.

    Attributes
    ----------
    name : of the body
    radius : (p,) m, with which its section is drawn
    """

    name: str
    radius: Array
    stations: Sequence[PlaceView]
    frame: BodyView

    @property
    def cells(self) -> Indices:
        """One line through all stations (1, p)."""
        return np.arange(len(self.stations))[None]

    @cached_property
    def _histories(self) -> tuple[Array, Array]:
        """Places and displacements (nt, p, 3)."""
        places = np.stack([s.position for s in self.stations], axis=1)
        moved = np.stack([s.deflection for s in self.stations], axis=1)
        return places, np.einsum("tij,tpj->tpi", self.frame.matrix, moved)

    def at(self, k: int) -> Moved:
        """The nodes at the k-th output time."""
        places, moved = self._histories
        return Moved(places[k], moved[k])


@dataclass(frozen=True, eq=False)
class DrawnNodes:
    """A body of nodes: a frame structure or a mesh."""

    name: str
    mesh: DrawnMesh
    view: FlexibleView

    @property
    def radius(self) -> Array:
        """Of members at their nodes (p,), m; empty of a mesh."""
        return self.mesh.radius

    @property
    def cells(self) -> Indices:
        """Node numbers of all cells (e, k)."""
        return self.mesh.cells

    def at(self, k: int) -> Moved:
        """The nodes at the k-th output time; displacements are of first order."""
        turn, moved = self.view.matrix[k], self.mesh.rows @ self.view.coordinates[k]
        places = self.view.position[k] + (self.mesh.nodes + moved) @ turn.T
        return Moved(places, moved @ turn.T)


@dataclass(frozen=True, eq=False)
class DrawnVectors:
    """A body without a frame: a line through its axis, or a mesh."""

    name: str
    mesh: DrawnMesh
    places: Array  # (nt, p, 3) m
    start: Array  # (p, 3) m, without load

    @property
    def radius(self) -> Array:
        """Of a line at its points (p,), m; empty of a mesh."""
        return self.mesh.radius

    @property
    def cells(self) -> Indices:
        """Numbers of the points of all cells (e, k)."""
        return self.mesh.cells

    def at(self, k: int) -> Moved:
        """The points at the k-th output time; displacements are from the start without load."""
        return Moved(self.places[k], self.places[k] - self.start)


Drawn = DrawnBeam | DrawnNodes | DrawnVectors


def drawn_bodies(result: Result) -> Iterator[Drawn]:
    """Flexible bodies of a result that have something to draw."""
    for name in result.bodies:
        whole = result[name]
        if isinstance(whole, CutFrameView):
            yield from (_member(whole, k) for k in range(len(whole.members)))
            continue
        if isinstance(whole, ANCFView):
            shown, rows = whole.drawn()
            vectors = whole.vectors.reshape(len(result.t), -1, 3)
            places = np.array([rows @ e for e in vectors])
            yield DrawnVectors(name, shown, places, whole.placed(shown.nodes))
            continue
        for view in _whole(whole):
            if isinstance(view, BeamView):
                yield _beam(view)
                continue
            d = view._deformation
            mesh = d.body.drawn(d.point_masses)
            if mesh is not None:
                yield DrawnNodes(view.name, mesh, view)


def _whole(view: BodyView) -> tuple[FlexibleView, ...]:
    """A beam in parts is one line; other bodies of parts are drawn part by part."""
    return (view,) if isinstance(view, CutBeamView) else view.deforming


def _beam(view: BeamView) -> DrawnBeam:
    beam = cast("Beam", view._deformation.body)
    cut = isinstance(view, CutBeamView)
    x = _stations(beam) if cut else np.linspace(0.0, view.length, STATIONS)
    return DrawnBeam(view.name, _radius(beam, x), [view.at(float(s)) for s in x], view)


def _member(view: CutFrameView, member: int) -> DrawnBeam:
    """A member of a frame that is cut, as a line of its own."""
    beam = cast("FrameStructure", view._deformation.body).member_beams[member]
    x = _stations(beam)
    stations = [view.station(member, float(s)) for s in x]
    return DrawnBeam(view.name, _radius(beam, x), stations, view)


def _stations(beam: Beam) -> Array:
    """Stations (m) of a beam in parts that are drawn."""
    each = [np.linspace(a, b, STATIONS_OF_PART)[:-1] for a, b in pairwise(beam.part_stations)]
    return np.append(np.concatenate(each), beam.length)


def _radius(beam: Beam, x: Array) -> Array:
    sections = [beam.section.at(float(s) / beam.length) for s in x]
    return np.array([mean_radius(s.half_sizes, s.area) for s in sections])
