"""Slaved shapes of a beam: what displacements of second order add to its elastic coordinates.

Bending shortens the axis; bending with twist moves it across, if that is asked for; sections with
rotary inertia tilt. Each slaved shape is multiplied by a quadratic form ``Gamma`` of the elastic
coordinates (docs/theory.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from supple.fem.beams.beam import BeamMesh
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Vector
from supple.reduction.assumed.beam import AssumedBeam
from supple.reduction.field import MeshField
from supple.reduction.modal import ModalBody
from supple.reduction.problem import Problem
from supple.reduction.second_order.slaved import (
    MeshSlaves,
    Shortening,
    Tilt,
    axial_stiffness,
    load_forms,
    shortening,
    with_slaves,
)

# Gauss points in an element for two slopes (parabolas, of degree 4 if the section changes) and a
# normal force (a parabola, or smooth).
SLOPE_POINTS, TAPERED_SLOPE_POINTS = 4, 12


@dataclass(frozen=True, eq=False)
class BeamSlaves:
    """Slaved shapes of a beam."""

    axial: Shortening  # shapes of shortening
    tilt: Tilt  # shapes of tilting sections, whose centroids rest
    # mesh, across: the mesh and its shapes of bending with twist; None where they are not asked for
    mesh: BeamMesh | None = None
    across: MeshSlaves | None = None

    @property
    def forms(self) -> Vector:
        """Quadratic forms Gamma (r, n, n) of their amplitudes."""
        across = [] if self.across is None else [self.across.Gamma]
        return np.concatenate([*across, self.axial.Gamma, self.tilt.Gamma])

    def rows(self, x: float) -> Vector:
        """Rows (6, r) of displacement and rotation at a station x (m)."""
        rows = [self.axial.rows(x), np.zeros((6, len(self.tilt.Gamma)))]
        if self.mesh is not None and self.across is not None:
            rows.insert(0, _mesh_rows(self.mesh, x) @ self.across.shapes)
        return np.hstack(rows)

    def body(self, field: MeshField | AssumedBeam) -> ModalBody:
        """The body of the beam with these shapes."""
        shapes = None if self.across is None else self.across.shapes
        points = self.axial.extended(_points(field, shapes))
        return with_slaves(field.body, self.tilt.extended(points, _offsets(points)), self.forms)


def axial_load_stiffness(field: MeshField | AssumedBeam, places: Sequence[float]) -> Vector:
    """Geometric stiffness (2 + places, n, n) of axial loads rho, rho x and of unit forces."""
    if isinstance(field, AssumedBeam):
        return axial_stiffness(field, field.slopes, (), field.points + 2, places)
    mesh = cast("BeamMesh", field.mesh)
    points = SLOPE_POINTS if isinstance(mesh.section, CrossSection) else TAPERED_SLOPE_POINTS
    return axial_stiffness(mesh, field.slopes, list(mesh.nodes[:, 0]), points, places)


def beam_slaves(
    field: MeshField | AssumedBeam,
    places: tuple[float, ...],
    held: float | None,
    problem: Problem | None,
) -> BeamSlaves:
    """Shapes of shortening; with the ``problem`` of its mesh also those of bending with twist.

    ``places`` (m) are those where something is attached; the axis is held at the station ``held``,
    or moves without momentum (None).
    """
    tilt = _tilt(field)
    if isinstance(field, AssumedBeam):
        return BeamSlaves(shortening(field, field.slopes, (), field.points + 2, places, held), tilt)
    mesh, basis = cast("BeamMesh", field.mesh), field.reduction.basis
    points = SLOPE_POINTS if isinstance(mesh.section, CrossSection) else TAPERED_SLOPE_POINTS
    axial = shortening(mesh, field.slopes, list(mesh.nodes[:, 0]), points, places, held)
    if problem is None:
        return BeamSlaves(axial, tilt)
    rows = [_mesh_rows(mesh, x) for x in places]
    return BeamSlaves(axial, tilt, mesh, MeshSlaves.of(problem, basis, rows, axial=False))


def exact_forms(
    field: MeshField | AssumedBeam, place: float, held: float | None, problem: Problem | None
) -> Vector:
    """Forms (6, n, n) of displacement and rotation of second order at a station.

    The other arguments are those of `beam_slaves`.
    """
    axial = beam_slaves(field, (place,), held, None).axial
    n = field.body.n
    forms = np.zeros((6, n, n))
    forms[0] = np.einsum("r,rab->ab", axial.displacement(place), axial.Gamma)
    if problem is not None and isinstance(field, MeshField):
        rows = _mesh_rows(cast("BeamMesh", field.mesh), place)[1:]
        forms[1:] = -load_forms(problem, field.reduction.basis, rows.T)[1]
    return forms


def _points(
    field: MeshField | AssumedBeam, more: Vector | None = None
) -> tuple[Vector, Vector, Vector]:
    """Material points of a beam, with ``more`` shapes (size, m) of its mesh."""
    if isinstance(field, AssumedBeam):
        return field.material_points()
    basis = field.reduction.basis
    shapes = basis if more is None else np.hstack([basis, more])
    return cast("BeamMesh", field.mesh).material_points(shapes)


def _offsets(points: tuple[Vector, Vector, Vector]) -> Vector:
    """Places (k, 3) of material points in their sections."""
    return points[1] * [0.0, 1.0, 1.0]


def _tilt(field: MeshField | AssumedBeam) -> Tilt:
    """Shapes of the tilting sections of a beam."""
    points = _points(field)
    beside = np.any(points[1][:, 1:] != 0.0, axis=1)
    stations, inverse = np.unique(points[1][beside, 0], return_inverse=True)
    turns = field.motions(stations.tolist())[:, 3:]
    return Tilt.of(points[0][beside], _offsets(points)[beside], turns[inverse])


def _mesh_rows(mesh: BeamMesh, x: float) -> Vector:
    """Rows (6, size) of displacement and rotation at a station."""
    return mesh.motion(x)
