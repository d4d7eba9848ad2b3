"""Stress of a whole body over time: where and when it is largest.

What is needed of a body is a set of `StressBlock`: rows of its elastic coordinates. Beams and
frames make them of section forces; every other body has a ``component`` (a finite-element mesh)
and a reduction with a ``basis`` (size, n), see `body_component`. `stress_blocks` chooses between
these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import ModelError, label
from supple.fem.material import Material
from supple.fem.section_stress import beam_von_mises, outline, outline_rows
from supple.fem.sections import CrossSection
from supple.fem.stress_points import StressBlock, mesh_blocks

if TYPE_CHECKING:
    from supple.bodies.beam import Beam
    from supple.bodies.flexible import FlexibleBody, PointMasses
    from supple.bodies.frame import FrameBody

Array = NDArray[np.float64]

# Numbers that are in memory at once, for some of the points and times: 32 megabytes.
AT_ONCE = 4_000_000
# Stations of a beam with assumed shapes, which has no elements.
STATIONS = 21


@dataclass(frozen=True)
class LargestStress:
    """The largest equivalent stress of a body over a run.

    Attributes
    ----------
    value : Pa, of von Mises
    time : s
    place : (3,) m, in the undeformed body
    where : text, e.g. "triangle 12, top"
    """

    value: float
    time: float
    place: tuple[float, float, float]
    where: str

    def __str__(self) -> str:
        x, y, z = self.place
        return (
            f"{self.value:.4g} Pa at t = {self.time:.6g} s in ({x:.4g}, {y:.4g}, {z:.4g}) m, "
            f"{self.where}"
        )


@dataclass(frozen=True, eq=False)
class StressEnvelope:
    """The largest equivalent stress of each point of a body over a run.

    Attributes
    ----------
    largest : (p,) Pa, of von Mises
    times : (p,) s, when
    places : (p, 3) m, in the undeformed body
    over_time : (nt,) Pa, the largest of all points at each time
    names : p texts
    """

    largest: Array
    times: Array
    places: Array
    over_time: Array
    names: tuple[str, ...]


class StressHistory:
    """Equivalent stress of von Mises of a body's points over time.

    Parameters
    ----------
    t : (nt,) s
    q : (nt, n) elastic coordinates
    blocks : makes the points, block by block
    """

    def __init__(self, t: Array, q: Array, blocks: Callable[[], Iterator[StressBlock]]) -> None:
        self._t, self._q, self._blocks = t, q, blocks

    def von_mises(self) -> Array:
        """(nt, p) Pa, all points at all times; large meshes fill the memory with it."""
        found = [
            np.concatenate([part for _, part in self._parts(block)], axis=1)
            for block in self._blocks()
        ]
        return np.concatenate(found).T

    @cached_property
    def envelope(self) -> StressEnvelope:
        """The largest stress of each point, and of all points at each time."""
        over_time = np.zeros(len(self._t))
        largest, when, places, names = [], [], [], []
        for block in self._blocks():
            peak, index = np.full(len(block.places), -1.0), np.zeros(len(block.places), dtype=int)
            for start, part in self._parts(block):
                first = np.argmax(part, axis=1)
                value = np.take_along_axis(part, first[:, None], axis=1)[:, 0]
                index = np.where(value > peak, start + first, index)
                peak = np.maximum(value, peak)
                here = slice(start, start + part.shape[1])
                over_time[here] = np.maximum(over_time[here], part.max(axis=0))
            largest.append(peak)
            when.append(self._t[index])
            places.append(block.places)
            names += [block.name(k) for k in range(len(block.places))]
        return StressEnvelope(
            np.concatenate(largest),
            np.concatenate(when),
            np.concatenate(places),
            over_time,
            tuple(names),
        )

    @property
    def largest(self) -> LargestStress:
        """The largest of all, its time and its place."""
        found = self.envelope
        k = int(np.argmax(found.largest))
        x, y, z = (float(c) for c in found.places[k])
        return LargestStress(
            float(found.largest[k]), float(found.times[k]), (x, y, z), found.names[k]
        )

    def _parts(self, block: StressBlock) -> Iterator[tuple[int, Array]]:
        """First time and stresses (m, times) of a block, some times at once."""
        m, k, n = block.stress.shape
        rows, at_once = block.stress.reshape(m * k, n), max(1, AT_ONCE // max(m * k, 1))
        for start in range(0, len(self._q), at_once):
            stress = (rows @ self._q[start : start + at_once].T).reshape(m, k, -1)
            yield start, block.von_mises(np.moveaxis(stress, 1, 2))


def stress_blocks(body: FlexibleBody, point_masses: PointMasses) -> Iterator[StressBlock]:
    """Points of a body at which its stress is evaluated.

    Of a beam they are on its surface, at its nodes and between them; of shells in the centres of
    their triangles, at the top and the bottom; of solids at their nodes.
    """
    from supple.bodies.beam import Beam
    from supple.bodies.frame import FrameBody

    if isinstance(body, Beam):
        yield from _beam_blocks(body, point_masses)
    elif isinstance(body, FrameBody):
        yield from _frame_blocks(body, point_masses)
    else:
        component, basis = body_component(body, point_masses)
        yield from mesh_blocks(component, basis)


def body_component(body: Any, point_masses: PointMasses) -> tuple[Any, Array]:
    """Finite-element component of a body and the basis (size, n) of its elastic coordinates."""
    if not hasattr(body, "component"):
        raise ModelError(label(body), "component", None, "a body made of a finite-element mesh")
    # Not body.reduction(...), which may also look for the frequencies of the whole mesh.
    return body.component, body._reduced(point_masses)[0].basis


def beam_stations(beam: Beam) -> Array:
    """Stations (k,) of a beam where its deformation is evaluated, m: nodes and between them."""
    cells = STATIONS - 1 if not len(beam.load_cells(1)[0]) else 2 * beam.elements
    return np.linspace(0.0, beam.length, cells + 1)


def _beam_blocks(beam: Beam, point_masses: PointMasses) -> Iterator[StressBlock]:
    c, s = np.cos(beam.roll), np.sin(beam.roll)
    for x in beam_stations(beam):
        section = beam.section.at(x / beam.length)
        forces = beam.section_forces(x, point_masses)
        points = outline(section)
        turned = points @ np.array([[c, s], [-s, c]])  # section axes to body axes
        places = np.column_stack([np.full(len(points), x), turned])
        yield _section_block(places, points, section, beam.material, forces, f"x = {x:.6g} m")


def _frame_blocks(body: FrameBody, point_masses: PointMasses) -> Iterator[StressBlock]:
    mesh = body.mesh()
    for k, member in enumerate(body.members):
        first, last = mesh._ends(member)
        axes = member.axes(last - first)
        for place in np.linspace(0.0, 1.0, 2 * member.elements + 1):
            section = member.section.at(place)
            forces = body.section_forces(k, float(place), point_masses)
            points = outline(section)
            places = first + place * (last - first) + points @ axes[:, 1:].T
            name = f"member {k}, s = {place:.6g}"
            yield _section_block(places, points, section, member.material, forces, name)


def _section_block(
    places: Array,
    points: Array,
    section: CrossSection,
    material: Material,
    forces: Array,
    name: str,
) -> StressBlock:
    stress = outline_rows(section) @ forces
    moduli = np.array([material.E, material.G, material.G])
    return StressBlock(
        places=places,
        strain=stress / moduli[:, None],
        stress=stress,
        von_mises=beam_von_mises,
        strain_tensor=_beam_tensor,
        normals=1,
        name=lambda k: f"{name}, (y, z) = ({points[k, 0]:.4g}, {points[k, 1]:.4g}) m",
    )


def _beam_tensor(strain: Array) -> Array:
    """Tensors (..., 3, 3) of the strain along the axis and the shear angles xy, xz of a beam."""
    tensor = np.zeros((*strain.shape[:-1], 3, 3))
    tensor[..., 0, :] = strain * [1.0, 0.5, 0.5]
    tensor[..., :, 0] = tensor[..., 0, :]
    return tensor
