"""Recovery of a beam from its elastic coordinates: motion, strain, stress, mass."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from supple.bodies.base.axis import STATION_TOLERANCE, AxisBody
from supple.bodies.base.flexible import CarryingPlace, PointMasses, rows_at
from supple.bodies.base.reduced import ReducedBody
from supple.bodies.beam.second_order import BeamSlaves, axial_load_stiffness
from supple.fem.beams.beam import BeamMesh, PartMesh, StaticBeamMesh
from supple.fem.beams.line import BeamLine, Theory, gauss
from supple.fem.beams.section_forces import beam_section_forces
from supple.fem.beams.shear_law import compliance, with_shear
from supple.fem.recovery.section_points import SIDES, gauge_row, section_block, side_block
from supple.fem.recovery.stress_points import StressBlock
from supple.fem.sections.section_stress import outline
from supple.fem.sections.sections import Section
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.validate import read_only
from supple.reduction.assumed.beam import AssumedBeam, assumed_section_forces
from supple.reduction.assumed.shapes import AssumedShapes
from supple.reduction.field import MeshField
from supple.reduction.problem import Problem
from supple.reduction.response import (
    StaticResponse,
    StressedLoads,
    residual_energy,
    static_response,
)

if TYPE_CHECKING:
    from supple.bodies.beam.rest_shape import RestShape

# Elements of the fine mesh, at least, and in each element of the beam: a load between two nodes,
# spread or at a place, bends an element by less than 1/2000 of what it does to a cantilever of 16.
FEWEST, PARTS = 16, 2


def beam_response(
    field: MeshField | AssumedBeam, problem: Problem, mesh: BeamMesh, places: Sequence[float]
) -> StaticResponse:
    """Response with shapes ``field`` to loads at stations (m); ``problem`` has the beam's frame.

    ``mesh`` is the `fine_mesh` of that of the problem.
    """
    fine = _fine_problem(problem, mesh)
    nodes = mesh.nodes[:, 0]
    stations = [*nodes, *(float(x) for x in places)]
    rows = field.motions(stations)
    points = np.outer(stations, [1.0, 0.0, 0.0])
    unit = np.eye(mesh.size).reshape(len(nodes), 6, mesh.size)
    seen = [*unit, *(fine.rows(x) for x in stations[len(nodes) :])]
    basis = rows[: len(nodes)].reshape(mesh.size, -1)
    return static_response(fine, basis, points, seen, rows, range(len(nodes), len(stations)))


def _fine_problem(problem: Problem, mesh: BeamMesh) -> Problem:
    """The frame of a problem with a finer mesh."""
    node = mesh.elements // problem.mesh.elements * problem.clamp_node
    return Problem(mesh, problem.reference, node, problem.twist, problem.node, mesh.motion)


def stressed_energy(
    field: MeshField | AssumedBeam,
    problem: Problem,
    mesh: BeamMesh,
    loads: StressedLoads,
    part: bool,
    axial: bool,
) -> Vector:
    """Energies of `residual_energy`, arguments as of `beam_response`.

    Stress resists rotations, so that it matters how the beam is held: a ``part`` at both ends, a
    beam at the first and the last place of joints and constraints.
    """
    fine, nodes = _fine_problem(problem, mesh), mesh.nodes[:, 0]
    basis = field.motions(nodes).reshape(mesh.size, -1)
    ends = (0.0, mesh.length) if part else loads.held
    rows = None
    if len(ends) > 1:
        first, last = fine.rows(ends[0]), fine.rows(ends[-1])
        rows = np.vstack([first, last] if part else [first[:4], last[1:3]])
        rows = rows[np.any(rows[:, fine.free], axis=1)]
    attached = [fine.rows(x) for x in loads.places]
    return residual_energy(fine, basis, attached, loads, axial, rows)


def fine_mesh(mesh: BeamMesh) -> BeamMesh:
    """The mesh that responds, for the mesh of a beam."""
    parts = max(PARTS, -(-FEWEST // mesh.elements))
    fine = replace(mesh, elements=parts * mesh.elements)
    if type(fine) is BeamMesh:
        fine = StaticBeamMesh(**{f.name: getattr(fine, f.name) for f in fields(fine)})
    return fine


def mesh_of(field: MeshField | AssumedBeam, elements: int) -> BeamMesh:
    """The mesh of a beam, or one of the same line if its shapes are others."""
    mesh = field.mesh if isinstance(field, MeshField) else field
    if isinstance(mesh, BeamMesh) and not isinstance(mesh, PartMesh):
        return mesh
    line = {f.name: getattr(mesh, f.name) for f in fields(BeamLine)}
    return BeamMesh(**line, elements=elements)


Side = Literal["y", "-y", "z", "-z"]
# Gauss points for products of two shapes between two nodes.
MASS_POINTS = 4
CARRYING_POINTS = 2  # the same for squares of moments, which are linear between two nodes
# Parts between stations of a beam without inner nodes, as with assumed shapes.
ASSUMED_CELLS = 20


class MassPoint(NamedTuple):
    """A mass (kg), its place (3,) in the undeformed body (m), and its shape (3, n).

    With displacements of second order their shapes follow, (3, n + r).
    """

    mass: float
    place: Vector
    shape: Vector


class BeamRecovery(AxisBody, ReducedBody):
    """The part of a `Beam` that turns elastic coordinates into strain, stress and moving mass."""

    elements: int
    theory: Theory

    @abstractmethod
    def _reduced(self, point_masses: PointMasses) -> MeshField | AssumedBeam:
        """Shapes and body with these point masses, from the store if they were asked before."""

    def _place(self, place: float) -> float:
        return self._station("x of a point mass", place)

    def _node(self, x: Any) -> int:
        """Number of the node at a station."""
        station = self._station("an interface", x)
        node = round(station / self.length * self.elements)
        nearest = self.length * node / self.elements
        if abs(nearest - station) > STATION_TOLERANCE * self.length:
            raise ModelError(
                label(self), "an interface", x, f"a node, e.g. {nearest:g}, or other elements"
            )
        return node

    @abstractmethod
    def load_cells(self, order: int) -> tuple[Vector, int]:
        """Inner stations (m) where shapes have kinks, and Gauss points for a load between them."""

    @abstractmethod
    def _problem(self, mesh: BeamMesh) -> Problem:
        """What is reduced."""

    def _respond(
        self, reduced: MeshField | AssumedBeam, places: tuple[float, ...]
    ) -> StaticResponse:
        mesh = mesh_of(reduced, self.elements)
        return beam_response(reduced, self._problem(mesh), self._fine(reduced), places)

    def stressed_energy(self, loads: StressedLoads, point_masses: PointMasses = ()) -> Vector:
        """Energy that its elastic coordinates leave out, where its stress changes its stiffness."""
        reduced = self._reduced(point_masses)
        problem, axial = self._problem(mesh_of(reduced, self.elements)), not self.second_order_twist
        return stressed_energy(reduced, problem, self._fine(reduced), loads, self.is_part, axial)

    def sheared_response(
        self, places: Sequence[float], point_masses: PointMasses = ()
    ) -> StaticResponse | None:
        """The response with shear of sections, which Euler and Bernoulli leave out; kept."""
        if self.theory == "timoshenko":
            return None
        reduced = self._reduced(point_masses)
        store: dict[Hashable, StaticResponse] = self.__dict__["_reductions"]
        key = "sheared", reduced, tuple(places)
        if key not in store:
            section = with_shear(self.section, self.material.poisson)
            fine = replace(self._fine(reduced), section=section, theory="timoshenko")
            mesh = mesh_of(reduced, self.elements)
            store[key] = beam_response(reduced, self._problem(mesh), fine, tuple(places))
        return store[key]

    @property
    def shear_remedy(self) -> str:
        """Another theory, which assumed shapes do not have."""
        remedy = super().shear_remedy
        assumed = isinstance(self.modes, AssumedShapes)
        return f"{remedy} and modes of a mesh, e.g. AttachmentModes(n)" if assumed else remedy

    def carrying_places(self, point_masses: PointMasses = ()) -> Iterator[CarryingPlace]:
        """Gauss points between its nodes."""
        section, nodes = with_shear(self.section, self.material.poisson), self.load_cells(1)[0]
        for start, stop in pairwise([0.0, *nodes.tolist(), self.length]):
            for xi, weight in gauss(CARRYING_POINTS):
                x = start + xi * (stop - start)
                soft = compliance(section.at(x / self.length), self.material, self.theory)
                yield CarryingPlace(
                    self.section_forces(x, point_masses), weight * (stop - start) * soft
                )

    def responding_mesh(self, point_masses: PointMasses = ()) -> BeamMesh:
        """The mesh of ``static_response``, whose first points are its nodes; kept."""
        return self._fine(self._reduced(point_masses))

    def _fine(self, reduced: MeshField | AssumedBeam) -> BeamMesh:
        store: dict[Hashable, BeamMesh] = self.__dict__["_reductions"]
        key = "responding", reduced
        if key not in store:
            store[key] = fine_mesh(mesh_of(reduced, self.elements))
        return store[key]

    def load_stiffness(
        self, places: Sequence[float], factors: Vector, point_masses: PointMasses = ()
    ) -> Vector:
        """Geometric stiffness (k, n, n) of the normal force under k loads."""
        masses = [(float(x), m) for x, m in point_masses if m != 0.0]
        stations = [*places, *(x for x, _ in masses)]
        along = factors[:, [0, 3, *range(12, factors.shape[1], 6)]]
        # point masses are pulled as the line is: by m (a + b x)
        pulled = [m * (factors[:, 0] + factors[:, 3] * x) for x, m in masses]
        unit = self._axial_stiffness(point_masses, tuple(stations))
        return np.asarray(np.einsum("ks,sab->kab", np.column_stack([along, *pulled]), unit))

    def _axial_stiffness(self, point_masses: PointMasses, stations: tuple[float, ...]) -> Vector:
        """Geometric stiffness of axial unit loads; kept."""
        reduced = self._reduced(point_masses)
        store: dict[Hashable, Vector] = self.__dict__["_reductions"]
        key = "axial", reduced, stations
        if key not in store:
            store[key] = read_only(axial_load_stiffness(reduced, stations))
        return store[key]

    def slaved_rows(self, x: float, point_masses: PointMasses = ()) -> Vector:
        """Rows (6, r) of displacement and rotation by slaved shapes at a station."""
        body, slaves = self._slaved(point_masses)
        return np.zeros((6, 0)) if body.slaves is None else cast("BeamSlaves", slaves).rows(x)

    def tilting_fields(self, point_masses: PointMasses = ()) -> Vector:
        """Matrices (k, 3, 3) that move places in sections, by the last k of all slaved shapes."""
        body, slaves = self._slaved(point_masses)
        none = np.zeros((0, 3, 3))
        return none if body.slaves is None else cast("BeamSlaves", slaves).tilt.fields

    @property
    def rest_shape(self) -> RestShape | None:
        """The shape without strain of a part of a curved or twisted beam; None if straight."""
        return self.__dict__.get("_rest_shape")

    @property
    def mass_choice(self) -> str:
        """Where its mass is, see `PartOptions`."""
        return "consistent"

    @property
    def watched_stations(self) -> Vector:
        """Stations (k,) where its deformation is evaluated, m: nodes and between them."""
        cells = 2 * self.elements if self.is_part or len(self.load_cells(1)[0]) else ASSUMED_CELLS
        return np.linspace(0.0, self.length, cells + 1)

    def moving_rows(self, point_masses: PointMasses = ()) -> tuple[Vector, Vector]:
        """Rows (p, 3, n) of displacement and of rotation of its sections; kept."""
        store: dict[Hashable, tuple[Vector, Vector]] = self.__dict__["_reductions"]
        key = "moving", self._reduced(point_masses)
        if key not in store:
            found = rows_at(self, [self.at(x) for x in self.watched_stations], point_masses)
            store[key] = read_only(found[0]), read_only(found[1])
        return store[key]

    def stress_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Points on its surface, at its nodes and between them."""
        c, s = np.cos(self.roll), np.sin(self.roll)
        for x in self.watched_stations:
            section = self.section.at(x / self.length)
            forces = self.section_forces(x, point_masses)
            points = outline(section)
            turned = points @ np.array([[c, s], [-s, c]])  # section axes to body axes
            places = np.column_stack([np.full(len(points), x), turned])
            yield section_block(places, section, self.material, forces, f"x = {x:.6g} m")

    def strain_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Surface points for strain; midpoints of the sides if its section is given by numbers."""
        if not isinstance(self.section.at(0.0), Section):
            yield from self.stress_blocks(point_masses)
            return
        rest = self.rest_shape
        for x in self.watched_stations.tolist():
            strain = self._reduced(point_masses).strain(x) if rest is None else rest.strain(x)
            section, roll = self.section.at(x / self.length), self.roll if rest is None else 0.0
            place, name = np.array([x, 0.0, 0.0]), f"x = {x:.6g} m"
            yield side_block(place, section, self.material, strain, roll, name)

    @property
    def sizes_known(self) -> bool:
        """True if the sizes of its sections are known."""
        return self.section.at(0.0).half_sizes is not None

    def mass_points(
        self, beyond: float, with_end: bool, point_masses: PointMasses = ()
    ) -> Iterator[MassPoint]:
        """Its mass beyond a station (m), for sums that are exact for products of two shapes.

        A point mass at that very station counts ``with_end``.
        """
        field = self._reduced(point_masses)
        if self.mass_choice != "consistent":
            expected = "'consistent', mass along the beam, for section forces by balance"
            raise ModelError(label(self), "mass", self.mass_choice, expected)
        line: Any = field if isinstance(field, AssumedBeam) else field.mesh
        points = MASS_POINTS
        if isinstance(field, AssumedBeam):
            points = max(functions.points for functions in field.shapes.fields.values())
        nodes, _ = self.load_cells(1)
        tilt = self.tilting_fields(point_masses)
        cuts = [max(beyond, 0.0), *nodes[nodes > beyond], self.length]
        for start, stop in pairwise(cuts):
            if stop <= start:
                continue
            for s, weight in line.quadrature(start / self.length, stop / self.length, points):
                law = line.at(s, self.roll)
                move, turn = self._mass_rows(s * self.length, point_masses)
                offsets = law.section_points
                mass = law.line_mass * self.length * weight / len(offsets)
                for y, z in offsets:
                    shape = move + np.stack([z * turn[1] - y * turn[2], -z * turn[0], y * turn[0]])
                    shape[:, shape.shape[1] - len(tilt) :] += (tilt @ [0.0, y, z]).T
                    yield MassPoint(mass, np.array([s * self.length, y, z]), shape)
        for station, mass in point_masses:
            if station > beyond or (with_end and station >= beyond):
                shape = self._mass_rows(station, point_masses)[0]
                yield MassPoint(mass, np.array([station, 0.0, 0.0]), shape)

    def _mass_rows(self, x: float, point_masses: PointMasses) -> tuple[Vector, Vector]:
        """Rows (3, n + r) of displacement and rotation at a station, slaved shapes included."""
        field, slaved = self._reduced(point_masses), self.slaved_rows(x, point_masses)
        rows = np.hstack([field.motions([x])[0], slaved])
        return rows[:3], rows[3:]

    def strain_gauge(
        self,
        x: float,
        side: Side = "y",
        axial: bool = True,
        point_masses: PointMasses = (),
    ) -> Vector:
        """Row (n,) of the strain along x at the surface: strain = row @ q.

        ``side`` is a side of the section, which ``roll`` turns. The strain is u' - y v'' - z w''
        at the middle of that side; without ``axial`` the part of bending only, as a pair of
        gauges on opposite sides measures it.
        """
        owner = label(self)
        station = self._station("x of strain_gauge", x)
        validate.choice(owner, "side of strain_gauge", side, tuple(SIDES))
        section = self.section.at(station / self.length)
        field = "half_sizes of its section"
        if self.rest_shape is not None:
            return gauge_row(owner, field, section, side, self.rest_shape.strain(station), axial)
        strain = self._reduced(point_masses).strain(station)
        return gauge_row(owner, field, section, side, strain, axial, self.roll)

    def section_forces(self, x: float, point_masses: PointMasses = ()) -> Vector:
        """Rows (6, n) of N, Vy, Vz (N), T, My, Mz (N m) at a station: forces = rows @ q.

        They are in the axes of the section, which ``roll`` turns, and come from the strain of the
        shapes; see `supple.fem.beams.section_forces`.
        """
        station = self._station("x of section_forces", x)
        if self.rest_shape is not None:
            return self.rest_shape.section_forces(station)
        field = self._reduced(point_masses)
        if isinstance(field, AssumedBeam):
            return assumed_section_forces(field, station)
        mesh = cast("BeamMesh", field.mesh)
        return read_only(beam_section_forces(mesh, station) @ field.reduction.basis)

    @property
    def spread_places(self) -> tuple[tuple[float, ...], ...]:
        """Eight stations up to the end."""
        return tuple((self.length * k / 8.0,) for k in range(1, 9))

    def strain_kinds(self, point_masses: PointMasses = ()) -> dict[str, Vector]:
        """Bending, torsion and extension: integrals of the squares of section forces."""
        cells = [0.0, *self.load_cells(1)[0].tolist(), self.length]
        xi, weight = np.polynomial.legendre.leggauss(MASS_POINTS)
        E, G = self.material.E, self.material.G
        found: dict[str, Vector] = {}
        for a, b in pairwise(sorted(set(cells))):
            half = 0.5 * (b - a)
            for s, part in zip(xi, weight, strict=True):
                x, w = a + half * (1.0 + float(s)), half * part
                N, _, _, T, My, Mz = self.section_forces(x, point_masses)
                section = self.section.at(x / self.length)
                for kind, force, stiffness in (
                    ("extension", N, E * section.area),
                    ("torsion", T, G * section.J),
                    ("bending", My, E * section.I_y),
                    ("bending", Mz, E * section.I_z),
                ):
                    own = w / stiffness * np.outer(force, force)
                    found[kind] = found[kind] + own if kind in found else own
        return found
