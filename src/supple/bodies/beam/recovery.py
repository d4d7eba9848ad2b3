"""Recovery of a beam from its elastic coordinates: deflection, strain, stress, mass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from supple.bodies.base.flexible import CarryingPlace, PointMasses
from supple.bodies.beam.second_order import axial_load_stiffness
from supple.fem.beams.beam import BeamMesh, PartMesh, StaticBeamMesh
from supple.fem.beams.line import BeamLine, gauss
from supple.fem.beams.shear_law import compliance, with_shear
from supple.fem.recovery.section_points import section_block, side_block
from supple.fem.recovery.stress_points import StressBlock
from supple.fem.sections.section_stress import outline
from supple.fem.sections.sections import Section
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.validate import read_only
from supple.reduction.assumed.beam import AssumedBeam
from supple.reduction.field import MeshField
from supple.reduction.problem import Problem
from supple.reduction.response import (
    StaticResponse,
    StressedLoads,
    residual_energy,
    static_response,
)

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam

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


class MassPoint(NamedTuple):
    """A mass (kg), its place (3,) in the undeformed body (m), and its shape (3, n).

    With displacements of second order their shapes follow, (3, n + r).
    """

    mass: float
    place: Vector
    shape: Vector


def load_stiffness(
    beam: Beam, places: Sequence[float], factors: Vector, point_masses: PointMasses
) -> Vector:
    """Geometric stiffness (k, n, n) of the normal force in a beam under k loads."""
    masses = [(float(x), m) for x, m in point_masses if m != 0.0]
    stations = (*places, *(x for x, _ in masses))
    along = factors[:, [0, 3, *range(12, factors.shape[1], 6)]]
    # point masses are pulled as the line is: by m (a + b x)
    pulled = [m * (factors[:, 0] + factors[:, 3] * x) for x, m in masses]
    reduced = beam._reduced(point_masses)
    unit = beam._kept(
        ("axial", reduced, stations), lambda: read_only(axial_load_stiffness(reduced, stations))
    )
    return np.asarray(np.einsum("ks,sab->kab", np.column_stack([along, *pulled]), unit))


def carrying_places(beam: Beam, point_masses: PointMasses) -> Iterator[CarryingPlace]:
    """Gauss points between the nodes of a beam."""
    section, nodes = with_shear(beam.section, beam.material.poisson), beam.load_cells(1)[0]
    for start, stop in pairwise([0.0, *nodes.tolist(), beam.length]):
        for xi, weight in gauss(CARRYING_POINTS):
            x = start + xi * (stop - start)
            soft = compliance(section.at(x / beam.length), beam.material, beam.theory)
            rows = beam.section_forces(x, point_masses)
            yield CarryingPlace(rows, weight * (stop - start) * soft)


def stress_blocks(beam: Beam, point_masses: PointMasses) -> Iterator[StressBlock]:
    """Points on the surface of a beam, at its nodes and between them."""
    c, s = np.cos(beam.roll), np.sin(beam.roll)
    for x in beam.watched_stations:
        section = beam.section.at(x / beam.length)
        forces = beam.section_forces(x, point_masses)
        points = outline(section)
        turned = points @ np.array([[c, s], [-s, c]])  # section axes to body axes
        places = np.column_stack([np.full(len(points), x), turned])
        yield section_block(places, section, beam.material, forces, f"x = {x:.6g} m")


def strain_blocks(beam: Beam, point_masses: PointMasses) -> Iterator[StressBlock]:
    """Surface points for strain; midpoints of the sides of a section that is given by numbers."""
    if not isinstance(beam.section.at(0.0), Section):
        yield from stress_blocks(beam, point_masses)
        return
    for x in beam.watched_stations.tolist():
        strain, roll = beam.strain_rows(x, point_masses)
        section, place = beam.section.at(x / beam.length), np.array([x, 0.0, 0.0])
        yield side_block(place, section, beam.material, strain, roll, f"x = {x:.6g} m")


def mass_points(
    beam: Beam, beyond: float, with_end: bool, point_masses: PointMasses
) -> Iterator[MassPoint]:
    """Mass of a beam beyond a station (m), for sums that are exact for products of two shapes.

    A point mass at that very station counts ``with_end``.
    """
    field, length = beam._reduced(point_masses), beam.length
    if beam.mass_choice != "consistent":
        expected = "'consistent', mass along the beam, for section forces by balance"
        raise ModelError(label(beam), "mass", beam.mass_choice, expected)
    line: Any = field if isinstance(field, AssumedBeam) else field.mesh
    points = MASS_POINTS
    if isinstance(field, AssumedBeam):
        points = max(functions.points for functions in field.shapes.fields.values())
    nodes, _ = beam.load_cells(1)
    tilt = beam.tilting_fields(point_masses)
    cuts = [max(beyond, 0.0), *nodes[nodes > beyond], length]
    for start, stop in pairwise(cuts):
        if stop <= start:
            continue
        for s, weight in line.quadrature(start / length, stop / length, points):
            law = line.at(s, beam.roll)
            move, turn = _mass_rows(beam, s * length, point_masses)
            offsets = law.section_points
            mass = law.line_mass * length * weight / len(offsets)
            for y, z in offsets:
                shape = move + np.stack([z * turn[1] - y * turn[2], -z * turn[0], y * turn[0]])
                shape[:, shape.shape[1] - len(tilt) :] += (tilt @ [0.0, y, z]).T
                yield MassPoint(mass, np.array([s * length, y, z]), shape)
    for station, mass in point_masses:
        if station > beyond or (with_end and station >= beyond):
            shape = _mass_rows(beam, station, point_masses)[0]
            yield MassPoint(mass, np.array([station, 0.0, 0.0]), shape)


def _mass_rows(beam: Beam, x: float, point_masses: PointMasses) -> tuple[Vector, Vector]:
    """Rows (3, n + r) of displacement and rotation at a station, slaved shapes included."""
    field, slaved = beam._reduced(point_masses), beam.slaved_rows(x, point_masses)
    rows = np.hstack([field.motions([x])[0], slaved])
    return rows[:3], rows[3:]


def strain_kinds(beam: Beam, point_masses: PointMasses) -> dict[str, Vector]:
    """Stiffness of bending, torsion and extension: integrals of squares of section forces."""
    cells = [0.0, *beam.load_cells(1)[0].tolist(), beam.length]
    xi, weight = np.polynomial.legendre.leggauss(MASS_POINTS)
    E, G = beam.material.E, beam.material.G
    found: dict[str, Vector] = {}
    for a, b in pairwise(sorted(set(cells))):
        half = 0.5 * (b - a)
        for s, part in zip(xi, weight, strict=True):
            x, w = a + half * (1.0 + float(s)), half * part
            N, _, _, T, My, Mz = beam.section_forces(x, point_masses)
            section = beam.section.at(x / beam.length)
            for kind, force, stiffness in (
                ("extension", N, E * section.area),
                ("torsion", T, G * section.J),
                ("bending", My, E * section.I_y),
                ("bending", Mz, E * section.I_z),
            ):
                own = w / stiffness * np.outer(force, force)
                found[kind] = found[kind] + own if kind in found else own
    return found
